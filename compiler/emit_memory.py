"""Functions that remember what they said, and what makes them forget it.

Rules ask each other the same over and over: who fights in this battle, what may stack in that hex.  As long as nothing is
written that such a function reads, it says the same again; then a compiled engine gives its last answer instead of working it
out, and takes the steps for it that it took then.  Nobody can tell the difference: where somebody listens to the trace, or
where the budget could end, everything is worked out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from grognard.compiler import ir
from grognard.compiler.irwalk import nodes
from grognard.compiler.light import WRITES

if TYPE_CHECKING:
    from grognard.compiler.emit_plan import Plan

#: Functions that can remember; kernels/engine.h has a bit for each, so many of them in a word.
MOST_REMEMBERED = 128
WORD = 64
#: The first of them is the view of a seat: it remembers that it has nothing to mask.
VIEW = 0
#: Parameters of such a function.
MOST_PARAMETERS = 3

#: What is worth remembering: many elements are looked at.
_MANY = (ir.OverDomain, ir.OverSet, ir.OverList, ir.ReachCost, ir.ReachSet)

#: What makes all of them forget: cells are written that no statement names.
_EVERYTHING = (ir.BranchBegin, ir.BranchNext, ir.BranchEnd)
#: What depends on more than fields and arguments.
_ELSEWHERE = (ir.Head, ir.AtBest, *WRITES)


def remembered_functions(plan: Plan) -> dict[int, int]:
    """The functions that remember, each with its number among them: those that look at many things, called from several
    places, with few arguments."""
    if plan.is_small:
        # There the same is hardly asked twice before something is written.
        return {}
    functions = plan.program.functions
    asked = Counter(
        node.function
        for node in nodes((plan.program.functions, plan.program.machines))
        if isinstance(node, ir.Call | ir.SetCall)
    )
    elsewhere = [any(isinstance(node, _ELSEWHERE) for node in nodes(f.body)) for f in functions]
    fit = [
        f.id
        for f in functions
        if asked[f.id] > 1
        and any(isinstance(node, _MANY) for node in nodes(f.body))
        and f.id not in plan.light
        and f.id not in plan.unheard
        and f.id not in plan.twins
        and f.params <= MOST_PARAMETERS
        and isinstance(f.result, ir.IntType | ir.SetType)
        and all(isinstance(local.type, ir.IntType) for local in f.locals[: f.params])
        and not elsewhere[f.id]
        and not any(elsewhere[number] for number in plan.reachable[f.id])
        # Of what calls itself nobody knows how deep it goes.
        and not any(number in plan.reachable[number] for number in (f.id, *plan.reachable[f.id]))
    ]
    fit.sort(key=lambda number: (-asked[number], number))
    return {number: place for place, number in enumerate(fit[: MOST_REMEMBERED - 1], start=VIEW + 1)}


def heights(plan: Plan) -> dict[int, int]:
    """How many functions may be running inside each other while one that remembers is worked out."""
    known: dict[int, int] = {}

    def height(number: int) -> int:
        if number not in known:
            known[number] = 1 + max(map(height, plan.calls[number]), default=0)
        return known[number]

    return {number: height(number) for number in plan.remembered}


def forgetting(plan: Plan, node: ir.Stmt) -> int:
    """Which functions must forget what they said after a statement, one bit for each."""
    program = plan.program
    if isinstance(node, _EVERYTHING):
        return (1 << MOST_REMEMBERED) - 1
    match node:
        case (
            ir.Store(field=field)
            | ir.StoreSet(field=field)
            | ir.StoreSetChange(field=field)
            | ir.StoreList(field=field)
            | ir.Enqueue(field=field)
            | ir.Reset(field=field)
            | ir.CopyField(target=field)
        ):
            return plan.readers[field]
        case ir.Create(domain=domain) | ir.Destroy(domain=domain):
            found = 0
            for entry in program.fields:
                if domain in entry.dims or entry.id == program.domains[domain].alive:
                    found |= plan.readers[entry.id]
            return found
    return 0


def readers(plan: Plan) -> list[int]:
    """For each field the functions that remember and read it, one bit for each."""
    found = [0] * len(plan.program.fields)
    view = plan.program.view
    for number, place in [*plan.remembered.items(), *([] if view is None else [(view, VIEW)])]:
        for below in {number, *plan.reachable[number]}:
            for field in _fields_read(plan.program, plan.program.functions[below].body):
                found[field] |= 1 << place
    return found


def _fields_read(program: ir.Program, code: Any) -> set[int]:
    read: set[int | None] = set()
    for node in nodes(code):
        match node:
            case ir.Load(field=field) | ir.SetLoad(field=field) | ir.ListLoad(field=field):
                read.add(field)
            case ir.OverDomain(domain=domain):
                # A loop passes over the dead.
                read.add(program.domains[domain].alive)
    return {field for field in read if field is not None}
