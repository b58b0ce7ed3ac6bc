"""A question for odds, put together: a position, a procedure, a policy, and what is looked at afterwards."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.contract import ir
from grognard.contract.backend import (
    Argument,
    Io,
    RuleFailure,
)
from grognard.contract.header import (
    FAIL_DICE,
    FAIL_POOL,
    H_OUTCOME,
    H_STATUS,
    NONE,
    STATUS_OVER,
)
from grognard.odds.attrition.derive import Deriver, Shortcut
from grognard.odds.attrition.grid import sweep
from grognard.odds.compaction import fitted
from grognard.odds.errors import OddsError
from grognard.odds.policy import Answers, Chooser, Line
from grognard.odds.result import Odds, Simulation
from grognard.odds.solve import solve
from grognard.odds.state_graph import Explorer, Graph

if TYPE_CHECKING:
    from grognard.contract.layout import Layout
    from grognard.odds.attrition.reuse import Memory
    from grognard.odds.cached_simulation import Remembered
    from grognard.odds.canonical import Kept
    from grognard.odds.native_tables import ChanceTables
    from grognard.play.setting import Setting

#: Reads the outcomes in the cells of an end.
Reader: TypeAlias = Callable[[bytearray], tuple[Any, ...]]
Progress: TypeAlias = Callable[[int, int], None]


def _result(end: bytearray) -> tuple[int | None]:
    with memoryview(end) as raw, raw.cast("i") as c:
        found = c[H_OUTCOME]
    return (None if found == NONE else int(found),)


@dataclass(slots=True)
class Query:
    """All that decides the odds.  `setting` belongs to the chance program; `cells` are laid out for it."""

    setting: Setting
    title: str
    target: str
    args: list[Argument]
    cells: bytearray
    lines: list[Line] = field(default_factory=list)
    choosers: list[Chooser] = field(default_factory=list)
    #: what is done where neither has an answer (policy.py)
    otherwise: str | None = None
    #: what is looked at at an end: labels, and the values of all of them
    labels: list[str] = field(default_factory=lambda: ["result"])
    read: Reader = field(default_factory=lambda: _result)
    #: what they depend on besides the end; None: on more than can be said
    read_key: object = None
    #: pieces that are looked at afterwards by names of their own
    kept: Kept = frozenset()
    #: the same where there is more room for pieces (room.py); None where there is as much as the rules declare
    wider: Callable[[], Query] | None = None

    @property
    def program(self) -> ir.Program:
        return self.setting.program

    @property
    def layout(self) -> Layout:
        return self.setting.scenario.layout

    @property
    def tables(self) -> ChanceTables:
        return self.setting.chance_keeping(self.kept)

    def machine(self) -> int | None:
        """The machine of the procedure; None if nothing in it is open, so that it is a plain function."""
        return self.setting.chance.machines.get(self.target)

    def policy_key(self) -> object:
        """The same for the same answers to choices; None: nobody can tell."""
        if self.choosers:
            return None
        return (self.otherwise, *[id(part) for line in self.lines for part in line])

    def answers(self, policy: object) -> Answers:
        setting = self.setting
        return self.tables.answers(
            policy,
            lambda: Answers(
                self.program, self.layout, setting.backend, self.lines, self.choosers, setting.names.answer_label,
                self.otherwise,
            ),
        )  # fmt: skip

    def memory(self, machine: int, policy: object) -> Memory | None:
        """What earlier battles have told that can be of use here."""
        tables = self.tables
        if tables.quick is None or self.read_key is None or policy is None:
            return None
        return tables.memory((machine, policy, self.read_key))


class _Unseen(Exception):
    """An end of a grid whose outcomes are not known."""


class Weighing:
    """A query being worked out.  What was found of it is kept: asked again, only the sums are done anew."""

    def __init__(
        self,
        query: Query,
        *,
        fast: bool = True,
        every: bool = False,
        limit: int = 2_000_000,
        progress: Progress | None = None,
        plain: Callable[[Setting], Setting] | None = None,
    ) -> None:
        self.query, self.fast, self.limit, self.progress = query, fast, limit, progress
        #: whether every position of a grid is tried, not a sample (attrition.py)
        self.every = every
        #: gives the same ground for the program that games are played with
        self.plain = plain
        self._dice_setting: Setting | None = None
        self._graph: Graph | None = None
        self._remembered: Remembered | None = None
        self._values: list[tuple[Any, ...]] = []

    def odds(self, exact: bool = False) -> Odds:
        began = perf_counter()
        while True:
            odds = Odds(self.query.title, self.query.labels, {}, exact=exact)
            try:
                self._work_out(odds)
                break
            except RuleFailure as failure:
                if self._widened(failure):
                    continue
                if failure.kind == FAIL_DICE:
                    raise OddsError(
                        f"{self.query.target} throws dice that cannot be followed: in what is only tried out, by `at best` or `keep`"
                    ) from failure
                raise self.query.setting.error(failure) from failure
        odds.seconds = perf_counter() - began
        return odds

    def _work_out(self, odds: Odds) -> None:
        machine = self.query.machine()
        if machine is None:
            odds.joint[self.query.read(_call(self.query))] = Fraction(1) if odds.exact else 1.0
            odds.ends = 1
            return
        try:
            self._sum_up(self._known(machine), odds)
        except _Unseen:
            self.fast, self._graph = False, None
            self._sum_up(self._known(machine), odds)

    def _widened(self, failure: RuleFailure) -> bool:
        """Whether a piece found no room where there could be more: then there is now."""
        if failure.kind != FAIL_POOL or self.query.wider is None:
            return False
        self.query, self._graph, self._remembered = self.query.wider(), None, None
        self._dice_setting = None
        return True

    def simulate(
        self,
        runs: int,
        *,
        seed: int = 1,
        workers: int | None = None,
        remembered: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> Simulation:
        """Do it so many times by dice, on the program that games are played with.

        `remembered`: rules are run only for what has not come up before (remember.py); needs a compiled engine."""
        from grognard.odds.cached_simulation import Remembered
        from grognard.odds.simulate import simulate

        assert self.plain is not None
        while True:
            setting = self._dice_setting = self._dice_setting or self.plain(self.query.setting)
            try:
                if remembered and self._remembered is None:
                    self._remembered = Remembered(self.query)
                return simulate(
                    self.query, setting, runs, seed=seed, workers=workers, progress=progress,
                    remembered=self._remembered if remembered else None,
                )  # fmt: skip
            except RuleFailure as failure:
                if not self._widened(failure):
                    raise setting.error(failure) from failure

    def _known(self, machine: int) -> Graph:
        if self._graph is None:
            self._graph, self._values = self._explore(machine)
        return self._graph

    def _explore(self, machine: int) -> tuple[Graph, list[tuple[Any, ...]]]:
        """All that can happen, and what is seen at the ends that are not part of a grid."""
        query, policy = self.query, self.query.policy_key()
        explorer = Explorer(
            query.tables, query.setting.backend, query.answers(policy), query.target,
            limit=self.limit, progress=self.progress,
        )  # fmt: skip
        cells = bytearray(query.cells)
        explorer.begin(cells, machine, query.args)
        if not self.fast:
            graph = explorer.explore(cells, None)
            return graph, [query.read(end) for end in graph.ends]
        memory = query.memory(machine, policy)
        key = None if memory is None else memory.key(cells, self.every)
        known = None if memory is None else memory.graph(key)
        if known is not None:
            return known
        graph = explorer.explore(cells, Shortcut(Deriver(explorer, query.read, self.every, memory)))
        values = [query.read(end) for end in graph.ends]
        if memory is not None:
            memory.keep(key, graph, values)
        return graph, values

    def _sum_up(self, graph: Graph, odds: Odds) -> None:
        solution = solve(graph, odds.exact)
        joint: dict[tuple[Any, ...], Any] = {}
        several: dict[tuple[Any, ...], list[Any]] = {}

        def add(found: Iterable[tuple[tuple[Any, ...] | None, Any]], share: Any) -> None:
            for values, probability in found:
                if not probability:
                    continue
                if values is None:
                    # An end that no trial came to: the grid is not known well enough.
                    raise _Unseen
                if values not in joint:
                    joint[values] = share * probability
                else:
                    several.setdefault(values, [joint[values]]).append(share * probability)

        add(zip(self._values, solution.ends), 1)
        odds.endless = solution.endless
        odds.error_bound = solution.relative_error
        kernel = getattr(self.query.setting.engine, "_module", None)
        odds.positions, odds.ends, odds.answers = len(graph.nodes), len(self._values), graph.answers
        for node, entered in solution.entered.items():
            model = graph.models[node]
            ends, endless, error = sweep(model, odds.exact, kernel)
            odds.error_bound = max(odds.error_bound, solution.relative_error + error)
            odds.endless += entered * endless
            odds.positions += model.size[0] * model.size[1]
            odds.ends += model.ends
            add(zip(model.rim, ends), entered)
        for values, parts in several.items():
            joint[values] = odds._sum(parts)
        odds.joint = joint
        if graph.models:
            odds.method = "attrition"


def weigh(query: Query, *, exact: bool = False, fast: bool = True, every: bool = False, limit: int = 2_000_000, progress: Progress | None = None) -> Odds:  # fmt: skip
    """Work out the odds."""
    return Weighing(query, fast=fast, every=every, limit=limit, progress=progress).odds(exact)


def _call(query: Query) -> bytearray:
    """The end of a procedure in which nothing is open."""
    function = next((f for f in query.program.functions if f.name == query.target), None)
    if function is None:
        raise OddsError(f"there is no procedure `{query.target}`")
    cells = bytearray(query.cells)
    # An empty script: nothing may be left to dice that nobody follows.
    result = query.setting.backend.call(cells, function.id, query.args, Io(script=array("i")))
    with memoryview(cells) as raw, raw.cast("i") as c:
        c[H_STATUS] = STATUS_OVER
        c[H_OUTCOME] = result if isinstance(result, int) else NONE
    return cells


def moved(cells: bytearray, fields: Sequence[ir.Field], source: Layout, target: Layout) -> bytearray:
    """The fields of a position as a program with another stack, or another room for pieces, has them; its header but for
    stack and journal."""
    if source.count[: len(target.count)] != target.count[: len(source.count)]:
        return fitted(cells, fields, source, target)
    count = min(source.journal_offset, target.journal_offset)
    made = bytearray(4 * target.cells)
    made[: 4 * count] = cells[: 4 * count]
    return made


def check_fields(a: ir.Program, b: ir.Program) -> None:
    """Positions can be moved between two programs only if their fields are the same."""
    shared = min(len(a.fields), len(b.fields))
    if [(f.name, f.dims, f.type) for f in a.fields[:shared]] != [
        (f.name, f.dims, f.type) for f in b.fields[:shared]
    ]:
        raise OddsError("the position belongs to other rules than the odds are asked of")
