"""The whole engine of a title, as programs get it: playing (grognard.play) and exact odds (grognard.odds) in one object."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.compiler_access import compiler_installed, library_titles, load_ruleset, shared_ids
from grognard.errors import PositionError, RulesetError, SaveError, UnknownTitle
from grognard.play.built_titles import find_built, installed_titles, open_built
from grognard.play.engine import BackendName, errors_of
from grognard.play.engine import Engine as PlayEngine
from grognard.support.diagnostics import Sink
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.contract.ruleset import Ruleset
    from grognard.odds import Odds, Simulation
    from grognard.odds.policy import PolicySpec
    from grognard.odds.request import OddsContext
    from grognard.play.game import Game
    from grognard.play.position import Position
    from grognard.play.savefile import Saved


class Engine(PlayEngine):
    """A title that can be played and asked for odds.  Made by `load`; keeps nothing of a game, and may be shared between
    threads."""

    def __init__(
        self,
        ruleset: Ruleset,
        scenario: str | None = None,
        backend: BackendName = "auto",
        *,
        progress: Callable[[str], None] | None = None,
        wait: bool = True,
        options: Mapping[str, str | bool] | None = None,
    ) -> None:
        super().__init__(ruleset, scenario, backend, progress=progress, wait=wait, options=options)
        self._odds_context: OddsContext | None = None

    # ---- copies and pickles: an engine never changes, and is loaded again by its address

    def __copy__(self) -> Engine:
        return self

    def __deepcopy__(self, memo: Any) -> Engine:
        return self

    def __reduce__(self) -> Any:
        about = self.ruleset.about
        by_id = {**installed_titles(), **library_titles()}.get(about.id) == about.folder
        where = about.id if by_id else str(about.folder)
        options = tuple(sorted(self.options.items()))
        return _restored, (
            where, self.default_scenario, self.wanted_backend, about.errata, self.fingerprint, options,
        )  # fmt: skip

    def bench(
        self, progress: Callable[[str], None] | None = None, backend: BackendName | None = None
    ) -> OddsContext:
        """What odds are worked out on: made when first asked for.  Its own engine is built when something is asked (told
        to `progress`), by default of the same kind as this one."""
        with self.lock:
            if self._odds_context is None:
                from grognard.odds.request import OddsContext

                self._odds_context = OddsContext(self, progress, backend)
            return self._odds_context

    def odds(
        self,
        procedure: str,
        args: Iterable[Any] = (),
        *,
        position: Position | None = None,
        by: str | None = None,
        policy: PolicySpec | Sequence[PolicySpec] = (),
        outcomes: Mapping[str, Callable[[Position], Any]] | None = None,
        exact: bool = False,
    ) -> Odds:
        """The exact distribution of what comes of a procedure, from a position (default: a new game's).

        `outcomes` are functions of the position at the end, by label (default: the procedure's result).
        `policy` answers choices: names of declared policies, lines of one (`"fight.s: none"`), or a function of the
        question's name and the names of the answers; several are asked in order.  `by` is who acts where the
        procedure speaks of `me`.  With `exact` probabilities are fractions, else doubles with a bound of their error.
        PolicyMissing if a choice is reached that nothing answers; it lists all choices."""
        from grognard.odds.query import weigh
        from grognard.odds.request import policy_list, procedure_query

        with self.lock:
            where = position or self.new_game()
            query = procedure_query(
                self.bench(), procedure, list(args), where, by, policy_list(policy), outcomes
            )
            return weigh(query, exact=exact)

    def weigh(
        self,
        situation: str,
        values: Mapping[str, Any] | None = None,
        *,
        position: Position | None = None,
        policy: PolicySpec | Sequence[PolicySpec] = (),
        exact: bool = False,
    ) -> Odds:
        """The odds of a situation: a declared one by its name, with values for its parameters, or the text of one
        (statements as in an example of play, `odds of PROCEDURE(...)`, and outcomes).  See `odds`."""
        with self.lock:
            return self.bench().prepare(situation, values or {}, position, policy).odds(exact)

    def simulate(
        self,
        situation: str,
        values: Mapping[str, Any] | None = None,
        *,
        runs: int = 100_000,
        seed: int = 1,
        position: Position | None = None,
        policy: PolicySpec | Sequence[PolicySpec] = (),
        by_piece: bool = False,
    ) -> Simulation:
        """A situation (see `weigh`), done so many times by dice; the result depends only on that number and the seed.

        Counters that are alike are numbers, and rules run only for what has not come up before, so that a battle of stacks
        runs as fast as one that is written by hand.  `by_piece`: all rules each time, the independent check."""
        with self.lock:
            weighing = self.bench().prepare(situation, values or {}, position, policy)
            return weighing.simulate(runs, seed=seed, by_piece=by_piece)


#: Engines out of pickles, by their addresses: many positions come in pickles of their own.
_engines: dict[tuple[Any, ...], Engine] = {}
_MAX_ENGINES = 8


def _restored(
    where: str,
    scenario: str,
    backend: BackendName,
    errata: tuple[str, ...],
    fingerprint: str,
    options: tuple[tuple[str, str], ...] = (),
) -> Engine:
    """An engine out of a pickle.  PositionError if the rules are not those that it was pickled with."""
    address = where, scenario, backend, errata, fingerprint, options
    if address not in _engines:
        engine = load(where, scenario, backend, list(errata), options=dict(options))
        if engine.fingerprint != fingerprint:
            raise PositionError(f"the rules or data of {engine.title} changed since this was pickled")
        if len(_engines) >= _MAX_ENGINES:
            _engines.clear()
        _engines[address] = engine
    return _engines[address]


def load(
    title: str | Path,
    scenario: str | None = None,
    backend: BackendName = "auto",
    errata: str | Sequence[str] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
    wait: bool = True,
    options: Mapping[str, str | bool] | None = None,
) -> Engine:
    """An engine for a title: its id, if it is shipped, installed, or lies on the user's path ($GROGNARD_PATH, the user's
    folder of titles), or the path of a folder with a title.yaml.

    Titles that were built elsewhere (`grognard export`) need no compiler.  A title whose rules are at hand is compiled from
    them where the compiler is installed, and else loaded as it was built.

    `scenario` becomes the engine's default.  `backend` "auto" compiles if that is possible here and else runs
    Python made from the rules, with the reason in `engine.notices`; "compiled" raises BackendUnavailable instead, "python" and
    "interpreter" (the reference, slow) compile nothing.  Without `wait`, "auto" does not wait for an engine that must be built: games
    start on Python at once and change over between two answers, to the same bytes.
    `errata` names those in force ("none", "all", one name or several; None: those that the title puts in force).  `progress` is told in words
    what a build does.  `options` sets optional rules otherwise than the scenarios do, in every game of the engine
    (`{"snow": "on"}`).  UnknownTitle, UnknownScenario, UnknownName of an option, or RulesetError with the diagnostics of a bad title."""
    where, wanted = str(title), errata_list(errata)
    ruleset = built_ruleset(where, wanted) or _compiled(where, wanted)
    return Engine(ruleset, scenario, backend, progress=progress, wait=wait, options=options)


def built_ruleset(where: str, errata: list[str] | None) -> Ruleset | None:
    """A title that was built elsewhere; None if the compiler is to be asked."""
    folder = find_built(where)
    if folder is None:
        if not compiler_installed() and where not in library_titles() and not os.path.exists(where):
            known = sorted(installed_titles())
            raise UnknownTitle(where, hint_for(where, known), known)
        return None
    if compiler_installed() and (where in library_titles() or where in shared_ids()):
        return None
    return open_built(folder, errata)


def _compiled(where: str, errata: list[str] | None) -> Ruleset:
    sink = Sink()
    ruleset = load_ruleset(where, sink, errata=errata, examples=False)
    if ruleset is None and not os.path.exists(where) and where not in {*library_titles(), *shared_ids()}:
        known = sorted({*library_titles(), *installed_titles()})
        raise UnknownTitle(where, hint_for(where, known), known)
    if ruleset is None or sink.has_errors:
        raise RulesetError(errors_of(sink), sink.sources)
    return ruleset


def errata_list(errata: str | Sequence[str] | None) -> list[str] | None:
    if errata is None:
        return None
    if errata == "none":
        return []
    return [errata] if isinstance(errata, str) else list(errata)


def load_game(path: str | Path, engine: PlayEngine | None = None, *, allow_changed: bool = False) -> Game:
    """A saved game, played again by the engine (default: the title of the id that the save names).

    SaveError, with what is wrong and what to do, if the file is truncated, not JSON, of another format or
    version, changed by hand, of another title, or if the rules changed since it was saved.  In that last case
    `allow_changed` plays it by the new rules as far as they allow; `game.no_longer_legal` then says which answer
    was the first that is not legal any more (None: all are)."""
    from grognard.play.savefile import read_save, replay_save

    saved = read_save(path)
    shown = str(path)
    if engine is None:
        engine = _engine_for(saved, shown)
    return replay_save(saved, shown, engine, allow_changed=allow_changed)


def _engine_for(saved: Saved, shown: str) -> Engine:
    # A path in a file from somewhere must not decide what is compiled: only titles that are found by id are loaded by name.
    if saved.title not in {*library_titles(), *installed_titles()}:
        raise SaveError(
            f"{shown} is a game of {saved.name} (`{saved.title}`), which is not found here: load the title's "
            "folder with grognard.load and give the engine"
        )
    try:
        return load(saved.title, errata=list(saved.errata))
    except UnknownTitle as error:
        raise SaveError(f"{shown} cannot be loaded: {error}") from error
    except RulesetError as error:
        unknown = next((d.message for d in error.diagnostics if d.code == "GR0508"), None)
        if unknown is None:
            raise
        raise SaveError(
            f"{shown} was saved under errata that {saved.name} does not have: {unknown}. Load it with the version it "
            "was saved with"
        ) from error
