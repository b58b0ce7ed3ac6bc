"""Dice: totals, pools, a die for each element of a set, dice with faces of their own; draws from bags."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grognard.compiler.sema.checks.names import POOL_SIZE, dice_of
from grognard.compiler.sema.scope import Scope, Variable, path_of
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.aggregates import check_source
from grognard.compiler.sema.typed.changes import check_bag
from grognard.compiler.sema.typed.deciding import check_deciding_seat
from grognard.compiler.sema.typed.doing import may_stop
from grognard.compiler.sema.typed.rules import check_arguments
from grognard.compiler.sema.typed.targets import check_target
from grognard.compiler.sema.types import INT, UNKNOWN, Type, accepts, dom_type, int_range, set_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker


def check_roll(check: BodyChecker, statement: syn.RollStmt, scope: Scope) -> t.Statement | None:
    if statement.dice in check.symbols.faces:
        return _faces(check, statement, scope)
    dice = dice_of(check.symbols, statement.dice)
    if dice is None:
        check.give_unknown(statement, scope)
        return None
    return _plain(check, statement, dice, scope)


def _plain(
    check: BodyChecker, statement: syn.RollStmt, dice: tuple[int, int, int], scope: Scope
) -> t.Roll | None:
    number, lo, hi = dice
    target = statement.target
    count: t.Typed | None = None
    each: t.ThrowEach | None = None
    name = path_of(target) or "roll"
    type_ = int_range(number * lo, number * hi)
    if statement.each_var is not None:
        each = _each(check, statement, statement.each_var, scope)
        if each is None:
            return None
        assert each.variable.type.dom is not None
        type_ = set_type(each.variable.type.dom)
    elif statement.count is not None:
        count = check.checked(statement.count, scope, INT)
        if not isinstance(target, syn.Name):
            check.sink.error("GR0307", target.span, "a pool of dice needs a name of its own")
            return None
        most = count.type.hi * number if count.type.sort == "int" else POOL_SIZE
        type_ = Type("list", element=int_range(lo, hi), capacity=max(1, min(most, POOL_SIZE)))
    result = Variable(name, type_)
    event = None if statement.event is None else _event(check, statement.event, type_, statement, scope)
    place = _store(check, statement, result, scope)
    return t.Roll(statement, dice, result, count, each, event, place)


def _each(check: BodyChecker, statement: syn.RollStmt, name: str, scope: Scope) -> t.ThrowEach | None:
    """A die for every element; the result is the set of those that rolled at most the limit."""
    assert statement.each_source is not None and statement.each_limit is not None
    source, element = check_source(check, statement.each_source, scope)
    if source is None or element.dom is None or not isinstance(statement.target, syn.Name):
        if source is not None:
            check.sink.error(
                "GR0313",
                statement.span,
                "dice for each need a set of counters or members, and a name for the result",
            )
        return None
    inner = scope.child()
    variable = Variable(name, element)
    check.bind(inner, variable, False, statement.span)
    where: t.Typed | None = None
    if statement.each_where is not None:
        where = check.condition(statement.each_where, inner)
        inner = inner.with_narrowed(check.narrow(statement.each_where, inner, True))
    return t.ThrowEach(source, variable, where, check.checked(statement.each_limit, inner, INT))


def _store(check: BodyChecker, statement: syn.RollStmt, result: Variable, scope: Scope) -> t.Target | None:
    """What the result is written to; None if it has a name of its own."""
    target = statement.target
    if (
        isinstance(target, syn.Name)
        and scope.find(target.id) is None
        and (target.id not in check.symbols.globals or result.type.sort != "int")
    ):
        check.bind(scope, result, False, statement.span)
        return None
    place = check_target(check, target, scope)
    match place:
        case t.LocalTarget(value=value):
            check.demand(result.type, value.type, statement.span)
        case t.FieldTarget(info=info) if info.field is not None:
            check.demand(result.type, info.type, statement.span)
        case t.FieldTarget():
            return None
    return place


def _event(
    check: BodyChecker, use: syn.Use, rolled: Type, statement: syn.RollStmt, scope: Scope
) -> t.RollEvent | None:
    """`roll d: 2d6 for shot(a, t)`: handlers of `rolling` run before the throw, those of `rolled` after it."""
    event = check.symbols.events.get(use.name)
    if event is None:
        return None
    if not _accepts_roll(check, event, rolled, use.span):
        return None
    args = check_arguments(check, replace(event, params=event.params[:-1]), use.args, use.span, scope)
    if args is None or any(arg.type.sort == "unknown" for arg in args):
        return None
    handlers = [
        entry for when in ("rolling", "rolled") for entry in check.around.handlers_of(f"{when} {use.name}")
    ]
    return t.RollEvent(use.name, tuple(args)) if may_stop(check, handlers, statement.span) else None


def _accepts_roll(check: BodyChecker, event: Callable_, rolled: Type, span: Span) -> bool:
    """Whether the last parameter of the event accepts the result of the roll."""
    last = event.params[-1][1] if event.params else None
    fits = last is not None and accepts(last, rolled)
    if fits and last is not None and last.sort == "int":
        fits = last.lo <= rolled.lo and rolled.hi <= last.hi
    if not fits:
        check.sink.error(
            "GR0713",
            span,
            f"the last thing that event `{event.name}` tells must be the roll, {rolled.words}"
            + (f"; it is {last.words}" if last is not None else ""),
            hint=f"event {event.name}(..., die: {rolled})",
        )
    return fits


def _faces(check: BodyChecker, statement: syn.RollStmt, scope: Scope) -> t.RollFaces | None:
    """A die with its own faces: a plain die is thrown, and the face is looked up."""
    faces, type_ = check.symbols.faces[statement.dice]
    span = statement.span
    if (
        statement.each_var is not None
        or statement.event is not None
        or not isinstance(statement.target, syn.Name)
    ):
        check.give_unknown(statement, scope)
        return None
    name = statement.target.id
    thrown = f"({name})"
    plain = replace(statement, dice=f"d{len(faces)}", target=syn.Name(thrown, span))

    def shown(die: str) -> syn.Expr:
        made = faces[-1]
        for number in range(len(faces) - 1, 0, -1):
            test = syn.BinaryExpr("is", syn.Name(die, span), syn.Number(str(number), span), span)
            made = syn.Ternary(test, faces[number - 1], made, span)
        return made

    inner = scope.child()
    dice = dice_of(check.symbols, plain.dice)
    roll = None if dice is None else _plain(check, plain, dice, inner)
    if roll is None:
        check.give_unknown(statement, scope)
        return None
    if statement.count is None:
        face = check.value(shown(thrown), inner, type_)
        variable = Variable(name, type_)
        check.bind(scope, variable, False, span)
        return t.RollFaces(statement, roll, variable, face, (), None)
    kind = syn.TypeExpr("plain", syn.Name(type_.dom.name, span), None, 0, False, span) if type_.dom else None
    element = kind or syn.TypeExpr(
        "plain",
        syn.RangeExpr(syn.Number(str(type_.lo), span), syn.Number(str(type_.hi), span), span),
        None,
        0,
        False,
        span,
    )
    pool = syn.TypeExpr("list", None, element, POOL_SIZE, False, span)
    add = syn.AssignStmt(syn.Name(name, span), "add", shown("(face)"), None, syn.NO_CITES, span)
    fill, _ = check.block(
        (
            syn.Let(name, pool, syn.SetLiteral((), span), True, syn.NO_CITES, span),
            syn.ForStmt(
                "(face)", syn.Name(thrown, span), None, None, "lowest", None, "", False, (add,), syn.NO_CITES, span
            ),
        ),
        inner,
    )  # fmt: skip
    filled = inner.names[name].variable
    variable = Variable(name, filled.type)
    check.bind(scope, variable, False, span)
    return t.RollFaces(statement, roll, variable, None, fill, filled)


def check_draw(check: BodyChecker, statement: syn.DrawStmt, scope: Scope) -> t.Draw | None:
    """Take one at random from a bag; `seen by` names the seat that sees it."""
    either = statement.source if isinstance(statement.source, syn.Ternary) else None
    sources = [statement.source] if either is None else [either.then, either.otherwise]
    found = [check_bag(check, source) for source in sources]
    bags = [bag for bag in found if bag is not None]
    if len(bags) < len(found) or bags[0].kind is not bags[-1].kind:
        check.bind(scope, Variable(statement.name, UNKNOWN), False, statement.span)
        return None
    condition = None if either is None else check.condition(either.condition, scope)
    seen = None
    if statement.seen_by is not None:
        seen = check_deciding_seat(check, statement.seen_by, scope, statement.span)
    variable = Variable(statement.name, dom_type(bags[0].kind))
    check.bind(scope, variable, False, statement.span)
    return t.Draw(statement, condition, tuple(bags), seen, variable)
