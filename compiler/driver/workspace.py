"""A title that is being worked on: what editors and long-lived processes ask the compiler.

    workspace = Workspace("rulesdef/next_war/strait")
    workspace.set_text("rules.grog", text)      # a buffer that is not saved; it shadows the file
    for diagnostic in workspace.diagnostics(): ...
    workspace.drop_text("rules.grog")           # closed: the file on disk counts again

Paths are those that diagnostics show (see TitleFiles); absolute
paths are understood too.  Every call looks whether files have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import RLock

from grognard.compiler.driver.checking import check_title
from grognard.compiler.driver.memo import Memo
from grognard.compiler.driver.phases import Title
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.project import open_project
from grognard.compiler.layers.shelf import Shelf
from grognard.compiler.layers.title_paths import TitleFiles, find_title, series_of
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.compiler.syntax.from_text.parse import parser
from grognard.support.diagnostics import Diagnostic, Sink
from grognard.support.source import SourceFile


class NoTitle(Exception):
    """There is no title of that name, and no folder with a title.yaml."""


class Workspace:
    """A title's folder with the buffers of an editor over it."""

    def __init__(
        self, where: str | Path, *, errata: Sequence[str] | None = None, shelf: Shelf | None = None
    ) -> None:
        """`shelf` is what was read of other titles of the series."""
        folder = find_title(str(where))
        if folder is None or not (folder / "title.yaml").is_file():
            raise NoTitle(str(where))
        self.folder = folder
        #: what the files of the title and its series are called
        self.files = TitleFiles(folder, series_of(folder))
        self.errata = errata
        self._buffers: dict[str, str] = {}
        self._lock = RLock()
        self._memo = Memo() if shelf is None else Memo(shelf=shelf)

    # ------------------------------------------------------------------------------------------------- texts

    def shown(self, path: str | Path) -> str:
        """A path as diagnostics show it; ValueError for one outside the title and its series."""
        path = Path(path)
        if path.is_absolute():
            return self.files.shown(path.resolve())
        return path.as_posix()

    def absolute(self, shown: str) -> Path:
        """The file that a path of a diagnostic means."""
        base, inside = self.files.locate(shown)
        return base / inside

    def belongs(self, path: str | Path) -> bool:
        """Whether the file lies in the title's or its series' folder."""
        try:
            self.shown(path)
        except ValueError:
            return False
        return True

    def set_text(self, path: str | Path, text: str) -> None:
        """This text stands in for the file, which need not exist."""
        with self._lock:
            self._buffers[self.shown(path)] = text

    def drop_text(self, path: str | Path) -> None:
        """The file on disk counts again."""
        with self._lock:
            self._buffers.pop(self.shown(path), None)

    @property
    def buffers(self) -> dict[str, str]:
        """The texts that stand in for files, by path."""
        with self._lock:
            return dict(self._buffers)

    # ------------------------------------------------------------------------------------------------ answers

    def diagnostics(self) -> list[Diagnostic]:
        """All there is to say of the title and its scenarios, by file and line."""
        return self.check().sorted()

    def check(self) -> Sink:
        """The same as a sink, with the sources for excerpts."""
        return self.look()[1]

    def look(self) -> tuple[Title | None, Sink]:
        """What is declared and merged now (None if it cannot be read), with all there is to say."""
        with self._lock:
            sink = Sink()
            title = check_title(str(self.folder), sink, self.errata, self._buffers, self._memo)
            # The first change shall not have to wait for the parser, nor for what is asked of all texts.
            parser()
            if title is not None:
                title.checked.know_words(title.merged.examples)
            return title, sink

    def title(self) -> Title | None:
        """The title as it is now, of which nothing is worked out yet; None if it cannot be found."""
        with self._lock:
            sink = Sink()
            project = open_project(str(self.folder), sink, dict(self._buffers), self._memo.shelf)
            return None if project is None else Title(project, sink, errata=self.errata, memo=self._memo)

    def source(self, path: str | Path) -> SourceFile | None:
        """The text of a file as it was checked last or would be now; None if it cannot be read."""
        return self.check().sources.get(self.shown(path))

    def ruleset(self) -> CompiledRuleset | None:
        """The compiled title, for what names mean (`symbols`) and what is written (`merged`); None if it cannot be read."""
        with self._lock:
            return self._compiled()

    def _compiled(self) -> CompiledRuleset | None:
        return compile_title(
            str(self.folder), Sink(), errata=self.errata, to_run=False, buffers=dict(self._buffers)
        )
