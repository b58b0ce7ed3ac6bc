"""Movement: cost and limits of a step, as functions that the search kernels and the choice of a route call.

A movement has one gait or several.  Each gait is a separate search, because a route uses one gait only.  The reach of the
movement is the union of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.lower.geometry.going import Going
from grognard.compiler.lower.geometry.sights import begin
from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.movements import TypedClause, TypedMovement, TypedWay, declared_movement
from grognard.compiler.sema.types import FLAG, INT, Dom, Type, dom_type
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


#: What a movement is whose declaration is in error.
_NOWHERE = Going([], Dom(-1, "?", "place", None), 1, 1)


def lower_movement(lowerer: Lowerer, entry: Callable_) -> Going:
    """A movement becomes functions over (arguments, from, to, spent) that the search kernel calls."""
    found = declared_movement(lowerer.symbols, entry)
    if found is None:
        return _NOWHERE
    decl, space, leap = found
    for gait in decl.gaits:
        lowerer.builder.cite(gait.cites)
    made = lowerer.trees.clauses_for(entry)
    gaits = [_lower_way(lowerer, entry, made, way, space, leap) for way in made.ways]
    return Going(gaits, space, decl.room, leap)


def _param_count(entry: Callable_) -> int:
    """How many numbers it is given: records are taken apart."""
    return int(entry.uses_me) + sum(_size(type_) for _, type_ in entry.params)


def _size(type_: Type) -> int:
    if type_.sort == "record" and type_.record is not None:
        return sum(map(_size, type_.record.fields.values()))
    return 1


def _lower_way(
    lowerer: Lowerer, entry: Callable_, made: TypedMovement, way: TypedWay, space: Dom, leap: int
) -> int:
    number = len(lowerer.builder.movements)
    site = lowerer.site("movement", way.name, entry.span, entry.cites, owner=entry.name)
    for clause in way.clauses:
        lowerer.builder.cite(clause.cites)
    lowerer.builder.movements.append(None)  # type: ignore[arg-type]
    part = _Part(lowerer, entry, made)
    start = part.simple("start", way.start, dom_type(space, True))
    allowance = part.simple("allowance", way.allowance, INT)
    cost = part.cost(way, start, allowance)
    stop = part.test("stops", way.stops, (way.origin, way.onward), 1) if way.has("stops") else None
    ends = part.test("ends", way.never_ends, (way.onward,), 0) if way.has("never_ends") else None
    lowerer.builder.movements[number] = ir.Movement(
        number,
        way.name,
        space.id,
        _param_count(entry),
        start,
        allowance,
        cost,
        stop,
        ends,
        way.has("stay"),
        any(clause.condition is None for clause in way.minimum),
        site,
        leap,
    )
    return number


class _Part:
    """The functions of one way to go."""

    def __init__(self, lowerer: Lowerer, entry: Callable_, made: TypedMovement) -> None:
        self.lowerer, self.entry, self.made = lowerer, entry, made

    def _begin(self, what: str, more: tuple[Variable, ...] = ()) -> tuple[Lowering, int, int]:
        """A function, how many parameters the movement has, and how many the function."""
        code, given = begin(self.lowerer, self.entry, self.made.params, None, what)
        for variable in more:
            code.values[variable] = code.variable(variable.name, variable.type)
        return Lowering(self.lowerer, code), given, len(code.locals)

    def simple(self, what: str, value: t.Typed | None, want: Type) -> int:
        low, params, _ = self._begin(what)
        low.code.emit(ir.Return(ir.Const(0) if value is None else low.lower(value).expr))
        return self.lowerer.new_function(low.code, params, want, self.lowerer.nowhere)

    def test(
        self, what: str, clauses: tuple[TypedClause, ...], more: tuple[Variable, ...], found: int
    ) -> int:
        """Function(arguments, from, to) or (arguments, to): a number if one of the clauses holds, else the other."""
        low, _, params = self._begin(what, more)
        for clause in clauses:
            assert clause.condition is not None
            low.code.emit(ir.IfStmt(low.test(clause.condition), (ir.Return(ir.Const(found)),)))
        low.code.emit(ir.Return(ir.Const(1 - found)))
        return self.lowerer.new_function(low.code, params, FLAG, self.lowerer.nowhere)

    def cost(self, way: TypedWay, start: int, allowance: int) -> int:
        """Function(arguments, from, to, spent): what the step costs; NONE if it cannot be taken."""
        low, given, params = self._begin("cost", (way.origin, way.onward, way.spent))
        code, lowerer, entry, nowhere = low.code, self.lowerer, self.entry, self.lowerer.nowhere
        for clause in way.never:
            assert clause.condition is not None
            written = clause.written
            site = lowerer.site(
                "movement",
                written.label or "never",
                written.span,
                written.cites.ids or entry.cites,
                owner=entry.name,
            )
            stays = (ir.Note(2, site, ()), ir.Return(ir.Const(NONE)))
            code.emit(ir.IfStmt(low.test(clause.condition), stays))
        total = code.local("(cost)", INT)
        for clause in way.costs:
            assert clause.value is not None
            test: Any = None if clause.condition is None else low.test(clause.condition)
            made = low.lower(clause.value)
            saved = code.local("(part)", INT)
            absent = ir.Binary("eq", ir.Local(saved), ir.Const(NONE), nowhere)
            part: tuple[ir.Stmt, ...] = (
                ir.Assign(saved, made.expr),
                ir.IfStmt(absent, (ir.Return(ir.Const(NONE)),)),
                ir.Assign(total, ir.Binary("add", ir.Local(total), ir.Local(saved), nowhere)),
            )
            if test is None:
                for item in part:
                    code.emit(item)
            else:
                code.emit(ir.IfStmt(test, part))
        for clause in way.minimum:
            if clause.condition is not None:
                # A first step that costs more than the allowance takes all of it.
                args = tuple(ir.Local(n) for n in range(given))
                first = ir.Binary("eq", code.values[way.origin].expr, ir.Call(start, args), nowhere)
                may = ir.Binary("and", first, low.test(clause.condition), nowhere)
                least = ir.Binary("min", ir.Local(total), ir.Call(allowance, args), nowhere)
                code.emit(ir.IfStmt(may, (ir.Assign(total, least),)))
        code.emit(ir.Return(ir.Local(total)))
        return lowerer.new_function(code, params, Type("int", optional=True), nowhere)
