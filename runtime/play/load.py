"""From the name of a title to its engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from grognard.compiler_access import load_ruleset, shipped_titles
from grognard.errors import RulesetError, UnknownTitle
from grognard.play.engine import BackendName, Engine, errors_of
from grognard.support.diagnostics import Sink
from grognard.support.suggest import hint_for


def load(
    title: str | Path,
    scenario: str | None = None,
    backend: BackendName = "auto",
    errata: str | Sequence[str] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> Engine:
    """An engine for a title: the id of a shipped one, or the path of a folder with a title.yaml.

    `scenario` becomes the engine's default.  `backend` "auto" compiles if that is possible here and else takes
    the interpreter, with the reason in `engine.notices`; "compiled" raises BackendUnavailable instead.
    `errata` names those in force ("none", "all", one name or several; None: those that the title puts in force).  `progress` is told in words
    what a build does.  UnknownTitle, UnknownScenario, or RulesetError with the diagnostics of a bad title."""
    sink = Sink()
    where = str(title)
    ruleset = load_ruleset(where, sink, errata=errata_list(errata), examples=False)
    if ruleset is None and not Path(where).exists():
        known = sorted(shipped_titles())
        raise UnknownTitle(where, hint_for(where, known), known)
    if ruleset is None or sink.has_errors:
        raise RulesetError(errors_of(sink), sink.sources)
    return Engine(ruleset, scenario, backend, progress=progress)


def errata_list(errata: str | Sequence[str] | None) -> list[str] | None:
    if errata is None:
        return None
    if errata == "none":
        return []
    return [errata] if isinstance(errata, str) else list(errata)
