"""A question for odds, put together: a position, a procedure, a policy, and what is looked at afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.compiler import ir
from grognard.machineio import Argument, Io, RuleFailure
from grognard.odds.errors import OddsError
from grognard.odds.explore import Explorer
from grognard.odds.policy import Answers, Chooser, Line
from grognard.odds.result import Odds
from grognard.odds.solve import solve
from grognard.values import H_OUTCOME, H_STATUS, NONE, STATUS_OVER

if TYPE_CHECKING:
    from grognard.compiler.layout import Layout
    from grognard.engine import Setting

#: Reads an outcome in the cells of an end.
Reader: TypeAlias = Callable[[bytearray], Any]
Progress: TypeAlias = Callable[[int, int], None]


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
    outcomes: list[tuple[str, Reader]] = field(default_factory=list)

    @property
    def program(self) -> ir.Program:
        return self.setting.program

    @property
    def layout(self) -> Layout:
        return self.setting.scenario.layout

    def machine(self) -> int | None:
        """The machine of the procedure; None if nothing in it is open, so that it is a plain function."""
        return next((m.id for m in self.program.machines if m.name == self.target), None)

    def answers(self) -> Answers:
        return Answers(self.program, self.layout, self.setting.backend, self.lines, self.choosers)

    def read(self, end: bytearray) -> tuple[Any, ...]:
        return tuple(reader(end) for _label, reader in self.outcomes)


def weigh(query: Query, *, exact: bool = False, limit: int = 2_000_000, progress: Progress | None = None) -> Odds:
    """Work out the odds."""
    began = perf_counter()
    odds = Odds(query.title, [label for label, _ in query.outcomes], {}, exact=exact)
    try:
        machine = query.machine()
        if machine is None:
            odds.joint[query.read(_call(query))] = 1
            odds.ends = 1
        else:
            _explore(query, machine, odds, limit, progress)
    except RuleFailure as failure:
        raise query.setting.error(failure) from failure
    odds.seconds = perf_counter() - began
    return odds


def _explore(query: Query, machine: int, odds: Odds, limit: int, progress: Progress | None) -> None:
    explorer = Explorer(
        query.program, query.layout, query.setting.backend, query.answers(), query.target, limit=limit, progress=progress
    )  # fmt: skip
    cells = bytearray(query.cells)
    explorer.begin(cells, machine, query.args)
    graph = explorer.explore(cells)
    solution = solve(graph, odds.exact)
    parts: dict[tuple[Any, ...], list[Any]] = {}
    for end, probability in zip(graph.ends, solution.ends):
        parts.setdefault(query.read(end), []).append(probability)
    odds.joint = {values: odds._sum(found) for values, found in parts.items()}
    odds.endless = solution.endless
    odds.error_bound = solution.relative_error
    odds.positions, odds.ends, odds.answers = len(graph.nodes), len(graph.ends), graph.answers


def _call(query: Query) -> bytearray:
    """The end of a procedure in which nothing is open."""
    function = next((f for f in query.program.functions if f.name == query.target), None)
    if function is None:
        raise OddsError(f"there is no procedure `{query.target}`")
    cells = bytearray(query.cells)
    result = query.setting.backend.call(cells, function.id, query.args, Io())
    with memoryview(cells) as raw, raw.cast("i") as c:
        c[H_STATUS] = STATUS_OVER
        c[H_OUTCOME] = result if isinstance(result, int) else NONE
    return cells


def moved(cells: bytearray, source: Layout, target: Layout) -> bytearray:
    """The fields of a position as a program with another stack has them; its header but for stack and journal."""
    count = min(source.journal_offset, target.journal_offset)
    made = bytearray(4 * target.cells)
    made[: 4 * count] = cells[: 4 * count]
    return made


def check_fields(a: ir.Program, b: ir.Program) -> None:
    """Positions can be moved between two programs only if their fields are the same."""
    shared = min(len(a.fields), len(b.fields))
    if [(f.name, f.dims, f.type) for f in a.fields[:shared]] != [(f.name, f.dims, f.type) for f in b.fields[:shared]]:
        raise OddsError("the position belongs to other rules than the odds are asked of")


