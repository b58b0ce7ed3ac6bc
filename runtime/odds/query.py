"""An odds query: a position, a procedure, a policy and the outcomes; and its evaluation."""

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
from grognard.odds.attrition.derive import AttritionShortcut, Deriver
from grognard.odds.attrition.grid import sweep
from grognard.odds.compaction import remap_fields
from grognard.odds.errors import OddsError
from grognard.odds.native_tables import ChanceTables, chance_tables
from grognard.odds.policy import Answers, Chooser, Line
from grognard.odds.result import Odds, Simulation
from grognard.odds.solve import solve
from grognard.odds.state_graph import Explorer, Graph

if TYPE_CHECKING:
    from grognard.contract.layout import Layout
    from grognard.odds.attrition.reuse import GridCache
    from grognard.odds.cached_simulation import CachedSimulation
    from grognard.odds.canonical import NamedPieces
    from grognard.play.setting import Setting

#: Reads the outcomes in the cells of a terminal state.
Reader: TypeAlias = Callable[[bytearray], tuple[Any, ...]]
Progress: TypeAlias = Callable[[int, int], None]


def _result(end: bytearray) -> tuple[int | None]:
    with memoryview(end) as raw, raw.cast("i") as c:
        found = c[H_OUTCOME]
    return (None if found == NONE else int(found),)


@dataclass(slots=True)
class Query:
    """Everything that determines the odds.  `setting` belongs to the chance program; `cells` have its layout."""

    setting: Setting
    title: str
    target: str
    args: list[Argument]
    cells: bytearray
    lines: list[Line] = field(default_factory=list)
    choosers: list[Chooser] = field(default_factory=list)
    #: the default answer where neither has one (policy.py)
    otherwise: str | None = None
    #: the outcomes: their labels, and the reader of their values
    labels: list[str] = field(default_factory=lambda: ["result"])
    read: Reader = field(default_factory=lambda: _result)
    #: what the outcomes depend on besides the terminal state; None: unknown
    read_key: object = None
    #: pieces that the outcomes refer to
    named_pieces: NamedPieces = frozenset()
    #: the same query with a larger capacity for pieces (compaction.py); None at the capacity that the rules declare
    with_more_capacity: Callable[[], Query] | None = None

    @property
    def program(self) -> ir.Program:
        return self.setting.program

    @property
    def layout(self) -> Layout:
        return self.setting.scenario.layout

    @property
    def tables(self) -> ChanceTables:
        return chance_tables(self.setting, self.named_pieces)

    def machine(self) -> int | None:
        """The machine of the procedure; None if it has no dice and no choices, so that it is a plain function."""
        return chance_tables(self.setting).machines.get(self.target)

    def policy_key(self) -> object:
        """Equal for policies with equal answers; None: unknown."""
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

    def grid_cache(self, machine: int, policy: object) -> GridCache | None:
        """The cache of grids that apply to this query."""
        tables = self.tables
        if tables.native is None or self.read_key is None or policy is None:
            return None
        return tables.grid_cache((machine, policy, self.read_key))


class _UnreachedEnd(Exception):
    """A terminal state of a grid that no checked round reached."""


class Weighing:
    """The evaluation of a query.  The state graph is kept: asked again, only the sums are computed again."""

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
        #: whether a grid is verified in every state, not in a sample (attrition/derive.py)
        self.every = every
        #: gives the setting of the same scenario for the program that games are played with
        self.plain = plain
        self._dice_setting: Setting | None = None
        self._graph: Graph | None = None
        self._cached: CachedSimulation | None = None
        self._values: list[tuple[Any, ...]] = []

    def odds(self, exact: bool = False) -> Odds:
        began = perf_counter()
        while True:
            odds = Odds(self.query.title, self.query.labels, {}, exact=exact)
            try:
                self._compute(odds)
                break
            except RuleFailure as failure:
                if self._enlarge(failure):
                    continue
                if failure.kind == FAIL_DICE:
                    raise OddsError(
                        f"{self.query.target} throws dice that cannot be followed: in what is only tried out, by `at best` or `keep`"
                    ) from failure
                raise self.query.setting.error(failure) from failure
        odds.seconds = perf_counter() - began
        return odds

    def _compute(self, odds: Odds) -> None:
        machine = self.query.machine()
        if machine is None:
            odds.joint[self.query.read(_call(self.query))] = Fraction(1) if odds.exact else 1.0
            odds.ends = 1
            return
        try:
            self._accumulate(self._known(machine), odds)
        except _UnreachedEnd:
            self.fast, self._graph = False, None
            self._accumulate(self._known(machine), odds)

    def _enlarge(self, failure: RuleFailure) -> bool:
        """Enlarge the capacity if that caused the failure; whether it did."""
        if failure.kind != FAIL_POOL or self.query.with_more_capacity is None:
            return False
        self.query, self._graph, self._cached = self.query.with_more_capacity(), None, None
        self._dice_setting = None
        return True

    def simulate(
        self,
        runs: int,
        *,
        seed: int = 1,
        workers: int | None = None,
        by_piece: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> Simulation:
        """Monte Carlo: run the procedure so many times and count what came of it.

        Interchangeable counters are numbers, and rules run only for results that have not come up before: the same
        distribution, millions of runs a second (cached_simulation.py).  `by_piece`: all rules each time, on the program that
        games are played with, which is the independent check of the exact odds.  So it is done, too, without a compiled
        engine and where no dice are thrown."""
        from grognard.odds.cached_simulation import CachedSimulation
        from grognard.odds.simulate import simulate

        while True:
            by_piece = by_piece or not self.by_numbers
            setting = self.query.setting if not by_piece else self._playing()
            try:
                if not by_piece and self._cached is None:
                    self._cached = CachedSimulation(self.query)
                return simulate(
                    self.query, setting, runs, seed=seed, workers=workers, progress=progress,
                    cached=None if by_piece else self._cached,
                )  # fmt: skip
            except RuleFailure as failure:
                if failure.kind == FAIL_DICE and not by_piece:
                    # Dice in what is only tried out: no open questions, so the rules throw them.
                    by_piece = True
                elif not self._enlarge(failure):
                    raise setting.error(failure) from failure

    @property
    def by_numbers(self) -> bool:
        """Whether `simulate` can hold interchangeable counters as numbers here."""
        return self.query.machine() is not None and self.query.tables.native is not None

    def _playing(self) -> Setting:
        """The same scenario for the program that games are played with."""
        assert self.plain is not None
        self._dice_setting = self._dice_setting or self.plain(self.query.setting)
        return self._dice_setting

    def _known(self, machine: int) -> Graph:
        if self._graph is None:
            self._graph, self._values = self._explore(machine)
        return self._graph

    def _explore(self, machine: int) -> tuple[Graph, list[tuple[Any, ...]]]:
        """The state graph, and the outcomes of the terminal states that belong to no grid."""
        query, policy = self.query, self.query.policy_key()
        explorer = Explorer(
            query.tables, query.setting.backend, query.answers(policy), query.target,
            limit=self.limit, progress=self.progress,
        )  # fmt: skip
        cells = bytearray(query.cells)
        explorer.start(cells, machine, query.args)
        if not self.fast:
            graph = explorer.explore(cells, None)
            return graph, [query.read(end) for end in graph.ends]
        grid_cache = query.grid_cache(machine, policy)
        key = None if grid_cache is None else grid_cache.key(cells, self.every)
        known = None if grid_cache is None else grid_cache.cached_graph(key)
        if known is not None:
            return known
        graph = explorer.explore(
            cells, AttritionShortcut(Deriver(explorer, query.read, self.every, grid_cache))
        )
        values = [query.read(end) for end in graph.ends]
        if grid_cache is not None:
            grid_cache.store_graph(key, graph, values)
        return graph, values

    def _accumulate(self, graph: Graph, odds: Odds) -> None:
        solution = solve(graph, odds.exact)
        joint: dict[tuple[Any, ...], Any] = {}
        several: dict[tuple[Any, ...], list[Any]] = {}

        def add(found: Iterable[tuple[tuple[Any, ...] | None, Any]], share: Any) -> None:
            for values, probability in found:
                if not probability:
                    continue
                if values is None:
                    # No checked round reached this terminal state: the grid is incomplete.
                    raise _UnreachedEnd
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
            model = graph.attrition_models[node]
            ends, endless, error = sweep(model, odds.exact, kernel)
            odds.error_bound = max(odds.error_bound, solution.relative_error + error)
            odds.endless += entered * endless
            odds.positions += model.size[0] * model.size[1]
            odds.ends += model.ends
            add(zip(model.end_outcomes, ends), entered)
        for values, parts in several.items():
            joint[values] = odds.total_of(parts)
        odds.joint = joint
        if graph.attrition_models:
            odds.method = "attrition"
            odds.proved = all(model.complete for model in graph.attrition_models.values())


def weigh(query: Query, *, exact: bool = False, fast: bool = True, every: bool = False, limit: int = 2_000_000, progress: Progress | None = None) -> Odds:  # fmt: skip
    """Compute the odds of a query."""
    return Weighing(query, fast=fast, every=every, limit=limit, progress=progress).odds(exact)


def _call(query: Query) -> bytearray:
    """The terminal state of a procedure without dice and choices."""
    function = next((f for f in query.program.functions if f.name == query.target), None)
    if function is None:
        raise OddsError(f"there is no procedure `{query.target}`")
    cells = bytearray(query.cells)
    # An empty script: a die that the analysis missed is an error, never a random roll.
    result = query.setting.backend.call(cells, function.id, query.args, Io(script=array("i")))
    with memoryview(cells) as raw, raw.cast("i") as c:
        c[H_STATUS] = STATUS_OVER
        c[H_OUTCOME] = result if isinstance(result, int) else NONE
    return cells


def transfer_cells(cells: bytearray, fields: Sequence[ir.Field], source: Layout, target: Layout) -> bytearray:
    """The fields and header of a position in the layout of another program or capacity; stack and journal are empty."""
    if source.count[: len(target.count)] != target.count[: len(source.count)]:
        return remap_fields(cells, fields, source, target)
    count = min(source.journal_offset, target.journal_offset)
    made = bytearray(4 * target.cells)
    made[: 4 * count] = cells[: 4 * count]
    return made


def check_fields(a: ir.Program, b: ir.Program) -> None:
    """Positions can be transferred between two programs only if their fields are the same."""
    shared = min(len(a.fields), len(b.fields))
    if [(f.name, f.dims, f.type) for f in a.fields[:shared]] != [
        (f.name, f.dims, f.type) for f in b.fields[:shared]
    ]:
        raise OddsError("the position belongs to other rules than the odds are asked of")
