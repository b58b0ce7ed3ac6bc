"""Classes of functions that decide how calls run: functions of bounded cost, whose work is bounded by their text, take no steps
and no call depth; those that offer candidates are untraced.

Both back ends must agree on which functions these are, because steps and traces are part of what a run means.
"""

from __future__ import annotations

from grognard.contract import ir
from grognard.contract.ir.walk import nodes

#: Function bodies that one call of a function of bounded cost may run, itself included.
MOST_BODIES = 24

#: Statements that change the position (or the generator in it, or what is being collected).
WRITES = (
    ir.Store,
    ir.StoreSet,
    ir.StoreSetChange,
    ir.StoreList,
    ir.Enqueue,
    ir.StoreHead,
    ir.Reset,
    ir.CopyField,
    ir.Roll,
    ir.Create,
    ir.Destroy,
    ir.Yield,
    ir.BranchBegin,
    ir.BranchNext,
    ir.BranchEnd,
)

#: Code whose work depends on data, or that does more than find a value.
_HEAVY = (
    ir.While,
    ir.For,
    ir.ForLine,
    ir.Aggregate,
    ir.SetBuild,
    ir.SetCall,
    ir.Alike,
    ir.Coverable,
    ir.Meeting,
    ir.ReachCost,
    ir.ReachSet,
    ir.AtBest,
    ir.Do,
    *WRITES,
)


#: the latest result: examples of play run one program on many boards
_latest: list[tuple[ir.Program, frozenset[int], frozenset[int], frozenset[int]]] = []


def ways_to_run(program: ir.Program) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """The functions of bounded cost, the untraced ones, and those that stop when enough is found."""
    if not _latest or _latest[0][0] is not program:
        found = bounded_cost_functions(program), untraced_functions(program), finder_functions(program)
        _latest[:] = [(program, *found)]
    return _latest[0][1:]


def untraced_functions(program: ir.Program) -> frozenset[int]:
    """The functions that are untraced while they run: those that offer candidates, and those without notes of their own that only
    these call."""
    untraced = {
        function.id
        for function in program.functions
        if function.result is None and any(isinstance(node, ir.Yield) for node in nodes(function.body))
    }
    callers: dict[int, set[int]] = {}
    traced_from = {number for _, number in program.entry_points} | {program.view}
    for function in program.functions:
        for number in _called(function.body):
            callers.setdefault(number, set()).add(function.id)
    for machine in program.machines:
        traced_from |= _called(machine.blocks)
    for movement in program.movements:
        traced_from |= {movement.start, movement.allowance, movement.cost, movement.stop, movement.ends}
    waiting = [
        number
        for number in callers
        if number not in traced_from
        and not any(isinstance(node, ir.Note) for node in nodes(program.functions[number].body))
    ]
    while True:
        more = [number for number in waiting if number not in untraced and callers[number] <= untraced]
        if not more:
            return frozenset(untraced - bounded_cost_functions(program))
        untraced.update(more)


def finder_functions(program: ir.Program) -> frozenset[int]:
    """The functions that offer candidates one after another and may stop when enough are found: loops over what can be
    offered, with a filter that changes nothing, and nothing else that offers."""
    own = [any(isinstance(node, WRITES) for node in nodes(function.body)) for function in program.functions]
    moved = [
        {n for n in (m.start, m.allowance, m.cost, m.stop, m.ends) if n is not None}
        for m in program.movements
    ]
    calls = [
        _called(function.body).union(
            *(moved[n.movement] for n in nodes(function.body) if isinstance(n, ir.ReachCost | ir.ReachSet))
        )
        for function in program.functions
    ]
    writing = {number for number, mine in enumerate(own) if mine}
    while more := {n for n, called in enumerate(calls) if n not in writing and called & writing}:
        writing |= more
    return frozenset(
        function.id
        for function in program.functions
        if function.result is None and _only_finds(function.body) and not calls[function.id] & writing
    )


def finds(node: ir.Stmt) -> bool:
    """A loop that does nothing but offer the elements that pass."""
    return isinstance(node, ir.For) and node.key is None and node.body == (ir.Yield(ir.Local(node.var)),)


def few_candidates(ask: ir.Ask, finders: frozenset[int]) -> int:
    """How many candidates settle what comes of it when the first is taken; 0 if all must be known."""
    if ask.candidates not in finders:
        return 0
    if not ask.lone or (ask.extra is not None and ask.extra_when is None):
        return 1
    # The second shows that there is more than one; interchangeable pieces must be merged first.
    return 2 if ask.distinct is None else 0


def settled(ask: ir.Ask, few: int, found: int) -> bool:
    """Whether it does not matter if the extra answer is allowed, because so many candidates have been found."""
    return 0 < few <= found and not ask.lone


def _only_finds(code: tuple[ir.Stmt, ...]) -> bool:
    rest = [node.where if isinstance(node, ir.For) and finds(node) else node for node in code]
    return len(rest) > 0 and not any(isinstance(node, WRITES) for node in nodes(tuple(rest)))


def _called(code: object) -> set[int]:
    return {node.function for node in nodes(code) if isinstance(node, ir.Call | ir.SetCall | ir.Do)}


def bounded_cost_functions(program: ir.Program) -> frozenset[int]:
    """The numbers of the program's functions of bounded cost."""
    bodies: dict[int, int | None] = {}
    calls: list[list[int] | None] = []
    for function in program.functions:
        below: list[int] | None = []
        for node in nodes(function.body):
            if isinstance(node, _HEAVY):
                below = None
                break
            if isinstance(node, ir.Call):
                assert below is not None
                below.append(node.function)
        calls.append(below)

    def weigh(number: int, depth: int) -> int | None:
        """Bodies that a call may run; None: too many, or no bound is known."""
        if number in bodies:
            return bodies[number]
        below = calls[number]
        total: int | None = None
        if below is not None and depth < MOST_BODIES:
            bodies[number] = None  # met again on the way down, it is recursive
            total = 1
            for callee in below:
                more = weigh(callee, depth + 1)
                if more is None or total + more > MOST_BODIES:
                    total = None
                    break
                total += more
        bodies[number] = total
        return total

    return frozenset(function.id for function in program.functions if weigh(function.id, 0) is not None)
