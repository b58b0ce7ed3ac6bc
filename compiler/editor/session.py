"""The titles that an editor has open: texts, the last state that could be read, diagnostics worked out in the background.

A thread checks what changed, a moment after the last key, and tells what it found title by title.  A look that is overtaken by
another key is finished (it is remembered in part) but not told.  Names and types come from the last state of the title that could be read, so they are there while a line is
unfinished.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Condition, Thread

from grognard.compiler.driver.workspace import Workspace
from grognard.compiler.editor.names import Names
from grognard.compiler.layers.shelf import Shelf
from grognard.compiler.layers.title_paths import series_of
from grognard.compiler.syntax.from_text.parse import parse
from grognard.support.diagnostics import UNREAD, Diagnostic, Sink
from grognard.support.source import SourceFile

#: Seconds between the last key and the check.
PAUSE = 0.02

#: Diagnostics of one file.
Publish = Callable[[Path, list[Diagnostic]], None]


class OpenTitle:
    """A title with the last names that it could be read with."""

    def __init__(self, folder: Path, shelf: Shelf) -> None:
        self.workspace = Workspace(folder, shelf=shelf)
        self.names: Names | None = None
        self.diagnostics: list[Diagnostic] = []
        self.unfinished = False
        self.seconds = 0.0

    def look(self) -> None:
        started = time.perf_counter()
        title, sink = self.workspace.look()
        if not self.seconds:
            # What was read for good need not be looked through for garbage after each key.
            gc.freeze()
        self.diagnostics = sink.sorted()
        self.seconds = time.perf_counter() - started
        # Some declaration cannot be read, so what it declares is missing among the names.
        self.unfinished = any(d.code.startswith(UNREAD) for d in self.diagnostics)
        if title is not None and not (self.unfinished and self.names is not None):
            self.names = Names(title)
        elif self.names is not None:
            # The names of before serve until the text can be read again; words are those of now.
            self.names.sources.update(sink.sources)

    def source(self, path: Path) -> SourceFile | None:
        """The text of a file as names were read from it."""
        return self.names.sources.get(self.workspace.shown(path)) if self.names is not None else None


class Session:
    """All titles that are being worked on."""

    def __init__(self, publish: Publish) -> None:
        self.publish = publish
        self.texts: dict[Path, str] = {}
        self.titles: dict[Path, OpenTitle] = {}
        #: what was read of the files of a series, which its titles have in common
        self._shelves: dict[Path, Shelf] = {}
        self._told: dict[Path, list[Diagnostic]] = {}
        self._changed = Condition()
        self._waiting: dict[OpenTitle, int] = {}
        self._number = 0
        self._done = 0
        self._over = False
        self._thread = Thread(target=self._work, name="grognard check", daemon=True)
        self._thread.start()

    def close(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()

    # ------------------------------------------------------------------------------------------------- texts

    def set_text(self, path: Path, text: str) -> None:
        """A file was opened or changed."""
        path = path.resolve()
        self.texts[path] = text
        found = self._titles_of(path)
        for title in found:
            title.workspace.set_text(path, text)
        if not found and path.suffix == ".grog":
            self._tell(path, _syntax(path, text))
        self._want(found)

    def drop_text(self, path: Path) -> None:
        """A file was closed."""
        path = path.resolve()
        self.texts.pop(path, None)
        found = self._titles_of(path)
        for title in found:
            title.workspace.drop_text(path)
        if not found:
            self._tell(path, [])
        self._want(found)

    def files_changed(self, paths: Iterable[Path]) -> None:
        """Files changed on disk."""
        self._want({id(t): t for path in paths for t in self._titles_of(path.resolve())}.values())

    def title_of(self, path: Path) -> OpenTitle | None:
        found = self._titles_of(path.resolve())
        return next((title for title in found if title.names is not None), found[0] if found else None)

    def _titles_of(self, path: Path) -> list[OpenTitle]:
        """The titles that a file belongs to: its own, or those of its series."""
        folder = path.parent
        for above in (folder, *folder.parents):
            if (above / "title.yaml").is_file():
                return [self._open(above)]
            if (above / "series.yaml").is_file():
                titles = sorted(found.parent for found in above.glob("*/title.yaml"))
                return [self._open(title) for title in titles]
            if above.name in ("", os.sep) or (above / ".git").exists():
                break
        return []

    def _open(self, folder: Path) -> OpenTitle:
        if folder not in self.titles:
            series = series_of(folder)
            shelf = self._shelves.setdefault(folder if series is None else series, Shelf())
            made = self.titles[folder] = OpenTitle(folder, shelf)
            for path, text in self.texts.items():
                if made.workspace.belongs(path):
                    made.workspace.set_text(path, text)
        return self.titles[folder]

    # ------------------------------------------------------------------------------------------------ checking

    def _want(self, titles: Iterable[OpenTitle]) -> None:
        with self._changed:
            for title in titles:
                self._number += 1
                self._waiting[title] = self._number
            self._changed.notify_all()

    def settled(self, timeout: float = 60.0) -> bool:
        """Wait until all that was written so far has been looked at."""
        with self._changed:
            wanted = self._number
            return self._changed.wait_for(
                lambda: (self._done >= wanted and not self._waiting) or self._over, timeout
            )

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._over)
                number = self._number
                # Wait for the end of a burst of keys.
                while self._changed.wait_for(lambda: self._over or self._number != number, PAUSE):  # noqa: B023
                    if self._over:
                        return
                    number = self._number
                if self._over:
                    return
                # The fastest first: what is wrong in a file of the series is mostly wrong in every title.
                batch = sorted(self._waiting, key=lambda title: title.seconds)
                self._waiting.clear()
            fresh = set(self._all()) - set(batch)
            for place, title in enumerate(batch):
                try:
                    title.look()
                except Exception as fault:  # a fault of ours must not end the editor's diagnostics
                    title.diagnostics = [_fault(fault)]
                fresh.add(title)
                with self._changed:
                    if self._number != number:
                        # Another key: the other titles are looked at with it.
                        for left in batch[place + 1 :]:
                            self._waiting.setdefault(left, number)
                        break
                    if title is batch[-1]:
                        self._done = max(self._done, number)
                    self._tell_all(fresh)
                    self._changed.notify_all()

    def _all(self) -> tuple[OpenTitle, ...]:
        return tuple(self.titles.values())

    def _tell_all(self, fresh: set[OpenTitle]) -> None:
        """Tell the editor what is new in each file.  What other titles said of the texts before still counts, but for what fresh
        ones say as well: it may stand on another line now."""
        found: dict[Path, dict[Diagnostic, None]] = {}
        said: set[tuple[Path, str]] = set()
        for title in sorted(self._all(), key=lambda title: title not in fresh):
            for diagnostic in title.diagnostics:
                shown = diagnostic.span.file if diagnostic.span is not None else None
                path = title.workspace.absolute(shown) if shown else title.workspace.folder / "title.yaml"
                if title in fresh:
                    said.add((path, diagnostic.message))
                elif (path, diagnostic.message) in said:
                    continue
                found.setdefault(path, {})[diagnostic] = None
        for path in {*found, *self._told, *self.texts}:
            if self._titles_of(path):
                self._tell(path, list(found.get(path, ())))

    def _tell(self, path: Path, diagnostics: list[Diagnostic]) -> None:
        if self._told.get(path) != diagnostics:
            self._told[path] = diagnostics
            self.publish(path, diagnostics)

    def diagnostics_of(self, path: Path) -> list[Diagnostic]:
        """What was told of a file last."""
        return self._told.get(path.resolve(), [])


def _syntax(path: Path, text: str) -> list[Diagnostic]:
    """What can be said of a file that belongs to no title."""
    sink = Sink()
    parse(SourceFile.from_text(path.name, text), sink)
    return sink.sorted()


def _fault(fault: Exception) -> Diagnostic:
    from grognard.support.diagnostics import Severity

    kind = type(fault).__name__
    return Diagnostic(
        "GR0000",
        Severity.note,
        f"internal error while checking: {kind}: {fault}; this is a fault of Grognard",
        None,
    )
