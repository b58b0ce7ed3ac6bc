"""A title that is being written: on every save it is checked, and the examples that the change can affect are run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.authoring.affected import Record, affected, run_watched
from grognard.binding.load import find_engine
from grognard.compare.versions import title_files
from grognard.compiler_access import code_key, compiler_available, watched_title
from grognard.play.background_build import TitleBuild
from grognard.support.gc_pause import gc_paused

if TYPE_CHECKING:
    from grognard.contract.differences import ChangedSection
    from grognard.contract.moments import Moment
    from grognard.play.examples import ExampleResult
    from grognard.support.diagnostics import Sink

#: Folders of maps and scenarios; files that decide how all is read; files that no game depends on.
GROUNDS = ("maps", "scenarios")
SETTINGS = ("title.yaml", "series.yaml")
NO_DATA = ("rulebook.yaml", "rulebook_text.yaml", "look.yaml", "mutants.yaml")
#: What a file is known by: when it was written, and how long it is.
Stamp = tuple[int, int]


@dataclass(slots=True)
class Look:
    """What came of one look at the title."""

    sink: Sink
    #: seconds of the check, and of all
    checked: float
    seconds: float = 0.0
    #: how many examples there are; those that were run
    examples: int = 0
    results: list[ExampleResult] = field(default_factory=list)

    @property
    def failed(self) -> list[ExampleResult]:
        return [result for result in self.results if not result.passed]


class TitleWatch:
    """A title on disk, looked at again and again."""

    def __init__(self, where: str, errata: Sequence[str] | None = None) -> None:
        self.where, self.errata = where, errata
        self._title = watched_title(where, errata)
        self._stamps = self._now()
        self._record = Record()
        #: the title as it was when it was last without errors
        self._moment: Moment | None = None
        self._build: TitleBuild | None = None
        #: files that were saved since the examples were run last
        self._since: set[Path] = set()

    def _now(self) -> dict[Path, Stamp]:
        found: dict[Path, Stamp] = {}
        for path, _name in title_files(self.where)[2]:
            try:
                status = path.stat()
            except OSError:  # an editor is just putting it in its place
                continue
            found[path] = status.st_mtime_ns, status.st_size
        return found

    def saved(self) -> list[Path]:
        """The files that were written, made or removed since the last time."""
        before, self._stamps = self._stamps, self._now()
        found = [path for path in {*before, *self._stamps} if before.get(path) != self._stamps.get(path)]
        self._since.update(found)
        return sorted(found)

    @gc_paused()
    def look(
        self,
        told: Callable[[Look], None] = lambda look: None,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> Look:
        """Check, then run what the change can affect.  `told` gets the messages as soon as they are there."""
        began = time.perf_counter()
        sink = self._title.check()
        look = Look(sink, time.perf_counter() - began)
        told(look)
        if not sink.has_errors:
            self._run(look, progress)
        look.seconds = time.perf_counter() - began
        return look

    def _run(self, look: Look, progress: Callable[[int, int], None]) -> None:
        moment = self._title.now()
        if moment is None:
            return
        look.examples = len(moment.examples)
        chosen = moment.examples
        if self._moment is not None:
            sections = moment.changes_since(self._moment)
            if not self._reaches_grounds(sections):
                chosen = affected(moment.examples, sections, self._record)
        if chosen:
            ruleset = moment.with_examples(chosen)
            if ruleset is None:
                return
            look.results = run_watched(ruleset, self._record, lambda done: progress(done, len(chosen)))
        self._since.clear()
        self._moment = moment

    def _reaches_grounds(self, sections: Sequence[ChangedSection]) -> bool:
        """Whether a map, a scenario or the title's settings may have changed, which no declaration tells."""
        data = {path for path in self._since if path.suffix == ".yaml"} - {
            path for path in self._since if path.name in NO_DATA
        }
        grounds = any(path.parent.name in GROUNDS or path.name in SETTINGS for path in data)
        told = any(change.what in ("kind", "table") for section in sections for change in section.changes)
        return grounds or (bool(data) and not told)

    # ---- the engine, which follows in the background

    def build(self) -> bool:
        """Begin to build the engine of the rules as they are now; whether there is anything to build."""
        if self._moment is None or compiler_available() is not None:
            return False
        key = code_key(self.where, self.errata)
        if key is None:
            return False
        if self._build is not None:
            if self._build.code_key == key and not self._build.over:
                return True
            self.stop()
        if find_engine(key) is not None:
            return False
        self._build = TitleBuild(self.where, self.errata, key)
        return True

    def built(self) -> bool:
        """Whether a build has come to its end since the last time that was asked."""
        if self._build is None or not self._build.over:
            return False
        self._build = None
        return True

    def stop(self) -> None:
        if self._build is not None and not self._build.over:
            self._build.stop()
        self._build = None
