"""Movement: cost and limits of a step, as functions that the search kernels and the choice of a route call.

A movement has one gait or several.  Each gait is a separate search, because a route uses one gait only.  The reach of the
movement is the union of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.layers.merge import substitute
from grognard.compiler.lower.geometry.sights import begin, space_of
from grognard.compiler.sema.scope import (
    Binding,
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
from grognard.compiler.sema.world import Callable_, World
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer

#: Clauses that a movement has once.  A later layer, a gait or a derived movement overrides them.
_SINGLE = ("start", "allowance", "step")
#: Words that begin a line of a movement.
_CLAUSES = frozenset({"start", "allowance", "step", "never", "costs", "stops", "minimum", "may", "gait"})
#: Limit of the length of a leg: more places than any board is wide are an error.
MAX_LEAP = 200
Clauses = dict[str, list[syn.MoveClause]]


@dataclass(slots=True)
class Going:
    """A movement as it is lowered: a search for each gait, how many legs a route can have, and how far one goes."""

    gaits: list[int]
    space: Dom
    room: int
    leap: int


def grown(world: World, decl: syn.MovementDecl, within: tuple[str, ...]) -> syn.MovementDecl | None:
    """The declaration with the clauses of the movement that it is built on; None if there is no such movement."""
    if decl.like is None:
        return decl
    use = decl.like
    base = world.callables.get(use.name)
    if base is None or base.sort != "movement":
        known = [c.name for c in world.callables.values() if c.sort == "movement"]
        world.sink.error(
            "GR0207", use.span, f"there is no movement `{use.name}`", hint=hint_for(use.name, known)
        )
        return None
    if use.name in within:
        world.sink.error("GR0314", use.span, f"movement `{decl.name}` is built on itself")
        return None
    if len(use.args) != len(base.params):
        world.sink.error(
            "GR0302", use.span, f"`{use.name}` takes {len(base.params)} values, {len(use.args)} given"
        )
        return None
    old = grown(world, base.decl, (*within, use.name))
    if old is None:
        return None
    parts: Any = (old.clauses, old.gaits)
    # Two passes, so that a value that mentions another parameter's name is not taken for it.
    for number, (name, _) in enumerate(base.params):
        parts, _ = substitute(parts, syn.Name(name, use.span), syn.Name(f"({number})", use.span))
    for number, value in enumerate(use.args):
        parts, _ = substitute(parts, syn.Name(f"({number})", use.span), value)
    clauses, gaits = parts
    names = next((c.names for c in decl.clauses if c.sort == "step"), None)
    before = next((c.names for c in old.clauses if c.sort == "step"), None)
    if names is not None and before is not None:
        for was, now in zip(before, names, strict=True):
            clauses, _ = substitute(clauses, syn.Name(was, use.span), syn.Name(now, use.span))
            gaits, _ = substitute(gaits, syn.Name(was, use.span), syn.Name(now, use.span))
    own = {c.sort for c in decl.clauses}
    saved = tuple(c for c in clauses if c.sort not in _SINGLE or c.sort not in own)
    return replace(decl, clauses=saved + decl.clauses, gaits=gaits + decl.gaits, like=None)


def lower_movement(lowerer: Lowerer, entry: Callable_) -> Going:
    """A movement becomes functions over (arguments, from, to, spent) that the search kernel calls."""
    decl = grown(lowerer.world, entry.decl, (entry.name,))
    space = space_of(lowerer, decl.space, decl) if decl is not None else None
    if decl is None or space is None:
        return Going([], Dom(-1, "?", "place", None), 1, 1)
    gaits: list[int] = []
    leap = 1
    for clause in decl.clauses:
        if clause.sort == "step" and clause.value is not None:
            leap = _leap(lowerer, clause.value)
    seen: dict[str, syn.Gait] = {}
    for gait in decl.gaits:
        if gait.name in seen:
            lowerer.sink.error("GR0205", gait.span, f"gait `{gait.name}` stands twice in `{decl.name}`")
            continue
        if gait.name in _CLAUSES:
            lowerer.sink.error(
                "GR0208",
                gait.span,
                f"a gait cannot be called `{gait.name}`: that word begins a line of a movement",
                hint=f"for example `gait {gait.name}_gait`",
            )
        seen[gait.name] = gait
        lowerer.world.cite(gait.cites)
    ways = [(f"{entry.name} {gait.name}", gait.clauses) for gait in seen.values()] or [(entry.name, ())]
    for name, own in ways:
        given = {c.sort for c in own}
        clauses = tuple(c for c in decl.clauses if c.sort not in _SINGLE or c.sort not in given) + own
        gaits.append(_lower_gait(lowerer, entry, name, decl, clauses, space, leap))
    return Going(gaits, space, decl.room, leap)


def _leap(lowerer: Lowerer, value: syn.Expr) -> int:
    """How far a leg may reach; the search goes over all places within."""
    assert isinstance(value, syn.Number)
    if not 1 <= value.value <= MAX_LEAP:
        lowerer.sink.error(
            "GR0304", value.span, f"a leg reaches 1 to {MAX_LEAP} places far, not {value.value}"
        )
        return 1
    return value.value


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
    for wanted in ("allowance", "costs"):
        if wanted not in by_sort:
            lowerer.sink.error("GR0603", decl.span, f"movement `{name}` lacks `{wanted}`")
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
    from grognard.compiler.lower.stmts.statements import Stmts

    code, scope, params = begin(lowerer, entry, None, sort)
    stmts = Stmts(lowerer, code)
    clause = by_sort[sort][-1] if sort in by_sort else None
    if clause is not None and clause.value is not None:
        code.emit(ir.Return(stmts.checked(clause.value, scope, want).expr))
    elif (
        sort == "start"
        and entry.params
        and entry.params[0][1].dom is not None
        and "at" in entry.params[0][1].dom.fields
    ):
        # The default start is the place of the first parameter, a counter.
        path = syn.Dot(syn.Name(entry.params[0][0], entry.span), "at", entry.span, entry.span)
        code.emit(ir.Return(stmts.checked(path, scope, want).expr))
    else:
        if sort == "start":
            lowerer.sink.error(
                "GR0603", entry.span, f"movement `{entry.name}` lacks `start`", hint="start u.at"
            )
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
    from grognard.compiler.lower.stmts.statements import Stmts

    code, scope, given = begin(lowerer, entry, None, what)
    for name in names:
        scope.names[name] = Binding(code.variable(name, dom_type(space)), False, entry.span)
    if what == "cost":
        scope.names["spent"] = Binding(code.variable("spent", int_range(0, 100_000)), False, entry.span)
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
    plain = False
    for clause in by_sort.get("costs", ()):
        assert clause.value is not None
        inner = scope
        test: Any = None
        if clause.condition is not None:
            test = stmts.condition(clause.condition, scope)
            inner = scope.with_narrowed(stmts.narrow(clause.condition, scope, True))
        else:
            plain = True
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
    if not plain and by_sort.get("costs"):
        lowerer.sink.warning(
            "GR0309",
            entry.span,
            f"movement `{entry.name}` has a cost only under conditions: other steps are free",
        )
    for clause in by_sort.get("minimum", ()):
        if clause.condition is not None:
            # A first step that costs more than the allowance takes all of it.
            start, allowance = (ir.Call(f, tuple(ir.Local(n) for n in range(given))) for f in base)
            first = ir.Binary("eq", scope.names[names[0]].value.expr, start, lowerer.nowhere)
            may = ir.Binary("and", first, stmts.condition(clause.condition, scope), lowerer.nowhere)
            least = ir.Binary("min", ir.Local(total), allowance, lowerer.nowhere)
            code.emit(ir.IfStmt(may, (ir.Assign(total, least),)))
    code.emit(ir.Return(ir.Local(total)))
    return lowerer.new_function(code, params, Type("int", optional=True), lowerer.nowhere)


def _ends(lowerer: Lowerer, entry: Callable_, name: str, space: Dom, by_sort: Clauses) -> int:
    from grognard.compiler.lower.stmts.statements import Stmts

    code, scope, _ = begin(lowerer, entry, None, "ends")
    scope.names[name] = Binding(code.variable(name, dom_type(space)), False, entry.span)
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
