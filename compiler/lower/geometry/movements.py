"""Movement: cost and limits of a step, as functions that the search kernels and the choice of a route call.

A movement has one gait or several.  Each gait is a separate search, because a route uses one gait only.  The reach of the
movement is the union of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.geometry.sights import begin, space_of
from grognard.compiler.sema.checks.movements import MAX_LEAP, begins_at_counter, grown, ways_of
from grognard.compiler.sema.scope import (
    Code,
    Scope,
    read_local,
)
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    Dom,
    Type,
    dom_type,
    int_range,
)
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer

Clauses = dict[str, list[syn.MoveClause]]


@dataclass(slots=True)
class Going:
    """A movement as it is lowered: a search for each gait, how many legs a route can have, and how far one goes."""

    gaits: list[int]
    space: Dom
    room: int
    leap: int


#: What a movement is whose declaration is in error.
_NOWHERE = Going([], Dom(-1, "?", "place", None), 1, 1)


def lower_movement(lowerer: Lowerer, entry: Callable_) -> Going:
    """A movement becomes functions over (arguments, from, to, spent) that the search kernel calls."""
    found = _declared(lowerer, entry)
    if found is None:
        return _NOWHERE
    decl, space, leap = found
    for gait in decl.gaits:
        lowerer.world.cite(gait.cites)
    gaits = [
        _lower_gait(lowerer, entry, name, decl, clauses, space, leap)
        for name, clauses in ways_of(entry, decl)
    ]
    return Going(gaits, space, decl.room, leap)


def stand_in(lowerer: Lowerer, entry: Callable_) -> Going:
    """The same without code, for those who want to know what kind of movement it is."""
    found = _declared(lowerer, entry)
    if found is None:
        return _NOWHERE
    decl, space, leap = found
    gaits: list[int] = []
    for name, clauses in ways_of(entry, decl):
        sorts = {clause.sort for clause in clauses}
        gaits.append(len(lowerer.world.movements))
        lowerer.world.movements.append(
            ir.Movement(
                gaits[-1],
                name,
                space.id,
                _param_count(lowerer, entry),
                0,
                0,
                0,
                0 if "stops" in sorts else None,
                0 if "never_ends" in sorts else None,
                "stay" in sorts,
                False,
                lowerer.nowhere,
                leap,
            )
        )
    return Going(gaits, space, decl.room, leap)


def _declared(lowerer: Lowerer, entry: Callable_) -> tuple[syn.MovementDecl, Dom, int] | None:
    """The whole declaration, its space, and how far a leg goes; None where it is in error."""
    decl = grown(lowerer.world, entry.decl)
    space = space_of(lowerer, decl.space) if decl is not None else None
    if decl is None or space is None:
        return None
    leap = 1
    for clause in decl.clauses:
        if clause.sort == "step" and isinstance(clause.value, syn.Number):
            leap = clause.value.value if 1 <= clause.value.value <= MAX_LEAP else 1
    return decl, space, leap


def _lower_gait(
    lowerer: Lowerer,
    entry: Callable_,
    name: str,
    decl: syn.MovementDecl,
    clauses: tuple[syn.MoveClause, ...],
    space: Dom,
    leap: int,
) -> int:
    number = len(lowerer.world.movements)
    site = lowerer.site("movement", name, entry.span, entry.cites, owner=entry.name)
    steps = [c for c in clauses if c.sort == "step"]
    names = steps[-1].names if steps else ("from", "to")
    by_sort: Clauses = {}
    for clause in clauses:
        lowerer.world.cite(clause.cites)
        by_sort.setdefault(clause.sort, []).append(clause)
    lowerer.world.movements.append(None)  # type: ignore[arg-type]
    start = _simple(lowerer, entry, "start", by_sort, dom_type(space, True))
    allowance = _simple(lowerer, entry, "allowance", by_sort, INT)
    cost = _step(lowerer, entry, names, space, "cost", by_sort, (start, allowance))
    stop = _step(lowerer, entry, names, space, "stops", by_sort) if "stops" in by_sort else None
    ends = _ends(lowerer, entry, names[1], space, by_sort) if "never_ends" in by_sort else None
    always = any(c.condition is None for c in by_sort.get("minimum", ()))
    lowerer.world.movements[number] = ir.Movement(
        number,
        name,
        space.id,
        _param_count(lowerer, entry),
        start,
        allowance,
        cost,
        stop,
        ends,
        "stay" in by_sort,
        always,
        site,
        leap,
    )
    return number


def _param_count(lowerer: Lowerer, entry: Callable_) -> int:
    code = Code(entry.name, entry.name, pure=True, machine=False)
    return lowerer.bind_params(code, Scope(), entry.params, entry.uses_me, entry.span)


def _simple(lowerer: Lowerer, entry: Callable_, sort: str, by_sort: Clauses, want: Type) -> int:
    from grognard.compiler.lower.stmts.seam import Stmts

    code, scope, params = begin(lowerer, entry, None, sort)
    stmts = Stmts(lowerer, code)
    clause = by_sort[sort][-1] if sort in by_sort else None
    if clause is not None and clause.value is not None:
        code.emit(ir.Return(stmts.checked(clause.value, scope, want).expr))
    elif sort == "start" and begins_at_counter(entry):
        # The default start is the place of the first parameter, a counter.
        path = syn.Dot(syn.Name(entry.params[0][0], entry.span), "at", entry.span, entry.span)
        code.emit(ir.Return(stmts.checked(path, scope, want).expr))
    else:
        code.emit(ir.Return(ir.Const(0)))
    return lowerer.new_function(code, params, want, lowerer.nowhere)


def _step(
    lowerer: Lowerer,
    entry: Callable_,
    names: tuple[str, str],
    space: Dom,
    what: str,
    by_sort: Clauses,
    base: tuple[int, int] = (0, 0),
) -> int:
    """Function(arguments, from, to, spent) for the cost, (arguments, from, to) for `stops`."""
    from grognard.compiler.lower.stmts.seam import Stmts

    code, scope, given = begin(lowerer, entry, None, what)
    for name in names:
        code.bind(scope, name, code.variable(name, dom_type(space)), entry.span)
    if what == "cost":
        code.bind(scope, "spent", code.variable("spent", int_range(0, 100_000)), entry.span)
    params = len(code.locals)
    stmts = Stmts(lowerer, code)
    if what == "stops":
        for clause in by_sort["stops"]:
            assert clause.condition is not None
            code.emit(ir.IfStmt(stmts.condition(clause.condition, scope), (ir.Return(ir.Const(1)),)))
        code.emit(ir.Return(ir.Const(0)))
        return lowerer.new_function(code, params, FLAG, lowerer.nowhere)
    for clause in by_sort.get("never", ()):
        assert clause.condition is not None
        site = lowerer.site(
            "movement",
            clause.label or "never",
            clause.span,
            clause.cites.ids or entry.cites,
            owner=entry.name,
        )
        code.emit(
            ir.IfStmt(
                stmts.condition(clause.condition, scope), (ir.Note(2, site, ()), ir.Return(ir.Const(NONE)))
            )
        )
        scope.narrowed.update(stmts.narrow(clause.condition, scope, False))
    total = code.local("(cost)", INT)
    for clause in by_sort.get("costs", ()):
        assert clause.value is not None
        inner = scope
        test: Any = None
        if clause.condition is not None:
            test = stmts.condition(clause.condition, scope)
            inner = scope.with_narrowed(stmts.narrow(clause.condition, scope, True))
        made = stmts.checked(clause.value, inner, Type("int", optional=True))
        saved = code.local("(part)", INT)
        part: tuple[ir.Stmt, ...] = (
            ir.Assign(saved, made.expr),
            ir.IfStmt(
                ir.Binary("eq", ir.Local(saved), ir.Const(NONE), lowerer.nowhere),
                (ir.Return(ir.Const(NONE)),),
            ),
            ir.Assign(total, ir.Binary("add", ir.Local(total), ir.Local(saved), lowerer.nowhere)),
        )
        if test is None:
            for item in part:
                code.emit(item)
        else:
            code.emit(ir.IfStmt(test, part))
    for clause in by_sort.get("minimum", ()):
        if clause.condition is not None:
            # A first step that costs more than the allowance takes all of it.
            start, allowance = (ir.Call(f, tuple(ir.Local(n) for n in range(given))) for f in base)
            first = ir.Binary("eq", code.value_of(scope.names[names[0]]).expr, start, lowerer.nowhere)
            may = ir.Binary("and", first, stmts.condition(clause.condition, scope), lowerer.nowhere)
            least = ir.Binary("min", ir.Local(total), allowance, lowerer.nowhere)
            code.emit(ir.IfStmt(may, (ir.Assign(total, least),)))
    code.emit(ir.Return(ir.Local(total)))
    return lowerer.new_function(code, params, Type("int", optional=True), lowerer.nowhere)


def _ends(lowerer: Lowerer, entry: Callable_, name: str, space: Dom, by_sort: Clauses) -> int:
    from grognard.compiler.lower.stmts.seam import Stmts

    code, scope, _ = begin(lowerer, entry, None, "ends")
    code.bind(scope, name, code.variable(name, dom_type(space)), entry.span)
    params = len(code.locals)
    stmts = Stmts(lowerer, code)
    for clause in by_sort["never_ends"]:
        assert clause.condition is not None
        code.emit(ir.IfStmt(stmts.condition(clause.condition, scope), (ir.Return(ir.Const(0)),)))
    code.emit(ir.Return(ir.Const(1)))
    return lowerer.new_function(code, params, FLAG, lowerer.nowhere)


# ------------------------------------------------------------------------------------------- going on


def resumed(lowerer: Lowerer, number: int) -> int:
    """The movement from a place on the way, with what was spent so far: (arguments, place, spent)."""
    known = lowerer.resumed_movements
    if number in known:
        return known[number]
    how = lowerer.world.movements[number]
    more = how.params
    nowhere = lowerer.nowhere
    place, spent = ir.Local(more), ir.Local(more + 1)

    def wrapped(what: str, extra: int, body: Any, result: Type) -> int:
        code = Code(f"{how.name} {what} on the way", how.name, pure=True, machine=False)
        for index in range(how.params):
            code.local(f"argument {index}", INT)
        for name in ("here", "gone", "from", "to", "cost so far")[: 2 + extra]:
            code.local(name, INT)
        code.emit(ir.Return(body))
        return lowerer.new_function(code, how.params + 2 + extra, result, nowhere)

    args = tuple(ir.Local(n) for n in range(how.params))
    a, b, so_far = (read_local(more + 2 + n, INT) for n in range(3))
    left = ir.Binary("sub", ir.Call(how.allowance, args), spent, nowhere)
    gone = ir.Binary("add", so_far, spent, nowhere)
    made = replace(
        how,
        id=len(lowerer.world.movements),
        name=f"{how.name} (on the way)",
        params=how.params + 2,
        start=wrapped("start", 0, place, Type("int", optional=True)),
        allowance=wrapped("allowance", 0, left, INT),
        cost=wrapped("cost", 3, ir.Call(how.cost, (*args, a, b, gone)), Type("int", optional=True)),
        stop=None if how.stop is None else wrapped("stops", 2, ir.Call(how.stop, (*args, a, b)), FLAG),
        ends=None if how.ends is None else wrapped("ends", 1, ir.Call(how.ends, (*args, a)), FLAG),
        may_stay=True,
        minimum=False,
    )
    lowerer.world.movements.append(made)
    known[number] = made.id
    return made.id
