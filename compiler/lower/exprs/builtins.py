"""Built-in functions other than verbs of the map: a Python function for each, by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grognard.compiler.lower.exprs.fields import belongs, owner_of
from grognard.compiler.lower.exprs.geometry import lower_reach
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    UNKNOWN,
    Type,
    dom_type,
    int_range,
)
from grognard.compiler.support.cascades import text_is_unread
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a built-in function."""

    exprs: Exprs
    name: str
    args: tuple[syn.Expr, ...]
    span: Span
    scope: Scope
    want: Type | None
    site: int

    def takes(self, number: int) -> bool:
        if len(self.args) == number:
            return True
        self.error("GR0302", self.span, f"`{self.name}` takes {number} values, {len(self.args)} given")
        return False

    def error(self, code: str, span: Span, text: str, hint: str | None = None) -> None:
        self.exprs.sink.error(code, span, text, hint=hint)

    def value(self, place: int, want: Type | None = None) -> Value:
        return self.exprs.value(self.args[place], self.scope, want)

    def number(self, place: int) -> Value:
        return self.exprs.checked(self.args[place], self.scope, INT)


def lower_builtin(exprs: Exprs, name: str, expr: syn.CallExpr, scope: Scope, want: Type | None) -> Value:
    site = exprs.lowerer.site("read", name, expr.span)
    return _LOWERED[name](_Use(exprs, name, expr.args, expr.span, scope, want, site))


def _unknown() -> Value:
    return Value(UNKNOWN, ir.Const(0))


# ------------------------------------------------------------------------------------------------- numbers


def _abs(use: _Use) -> Value:
    if not use.takes(1):
        return _unknown()
    made = use.number(0)
    top = max(abs(made.type.lo), abs(made.type.hi))
    low = 0 if made.type.lo <= 0 <= made.type.hi else min(abs(made.type.lo), abs(made.type.hi))
    return Value(int_range(low, top), ir.Unary("abs", made.expr))


def _min_max(use: _Use) -> Value:
    name = use.name
    if len(use.args) < 2:
        use.error(
            "GR0302",
            use.span,
            f"`{name}` compares at least two values",
            hint=f"{name}(x in S: value) runs over a set",
        )
        return _unknown()
    first = use.value(0)
    if first.type.sort == "dom" and first.type.dom is not None:
        kind = dom_type(first.type.dom)
        made = [first, *(use.exprs.checked(arg, use.scope, kind) for arg in use.args[1:])]
        result = first.type
    else:
        made = [use.number(place) for place in range(len(use.args))]
        pick = min if name == "min" else max
        result = int_range(pick(v.type.lo for v in made), pick(v.type.hi for v in made))
    lowered = made[0].expr
    for value in made[1:]:
        lowered = ir.Binary(name, lowered, value.expr, use.site)  # type: ignore[arg-type]
    return Value(result, lowered)


def _clamp(use: _Use) -> Value:
    if len(use.args) != 2 or not isinstance(use.args[1], syn.RangeExpr):
        use.error("GR0302", use.span, "write clamp(value, low..high)")
        return _unknown()
    made = use.number(0)
    lo = use.exprs.checked(use.args[1].lo, use.scope, INT)
    hi = use.exprs.checked(use.args[1].hi, use.scope, INT)
    lowered = ir.Binary("min", ir.Binary("max", made.expr, lo.expr, use.site), hi.expr, use.site)
    return Value(
        int_range(
            max(lo.type.lo, min(made.type.lo, hi.type.lo)), min(hi.type.hi, max(made.type.hi, lo.type.hi))
        ),
        lowered,
    )


# --------------------------------------------------------------------------------------- sides and counters


def _other(use: _Use) -> Value:
    if not use.takes(1):
        return _unknown()
    seats = use.exprs.world.sides
    assert seats
    made = use.value(0, dom_type(seats))
    use.exprs.demand(made, dom_type(seats), use.args[0].span)
    if len(seats.members) != 2:
        use.error("GR0208", use.span, f"`other` needs exactly two sides, there are {len(seats.members)}")
    return Value(dom_type(seats), ir.Binary("sub", ir.Const(1), made.expr, use.site))


def _mine(use: _Use) -> Value:
    """mine(u), enemy(u): whether it belongs to the acting seat."""
    if not use.takes(1):
        return _unknown()
    piece = use.value(0)
    owner = owner_of(use.exprs, piece, use.args[0].span)
    return _same_owner(use, owner, use.exprs.me(use.span), use.name == "mine")


def _friendly(use: _Use) -> Value:
    """friendly(a, b), opposed(a, b): whether both belong to one."""
    if not use.takes(2):
        return _unknown()
    owners = [owner_of(use.exprs, use.value(place), arg.span) for place, arg in enumerate(use.args)]
    return _same_owner(use, owners[0], owners[1], use.name == "friendly")


def _same_owner(use: _Use, left: Value, right: Value, same: bool) -> Value:
    return Value(FLAG, ir.Binary("eq" if same else "ne", left.expr, right.expr, use.site))


def _in_play(use: _Use) -> Value:
    if not use.takes(1):
        return _unknown()
    piece = use.value(0)
    dom = piece.type.dom
    if dom is not None and dom.parts and dom.sort == "piece":
        alive: ir.Expr = ir.Const(0)
        for part in dom.parts:
            assert part.alive is not None
            there = ir.Load(_alive_field(use, part.alive), (piece.expr,), use.site)
            alive = ir.If(belongs(use.exprs, piece.expr, part), there, alive)
        return Value(FLAG, alive)
    if dom is None or dom.alive is None:
        use.error("GR0301", use.args[0].span, f"`in_play` needs a counter, this is {piece.type}")
        return _unknown()
    read = ir.Load(_alive_field(use, dom.alive), (piece.expr,), use.site)
    if piece.type.optional:
        return Value(FLAG, ir.If(ir.Binary("eq", piece.expr, ir.Const(NONE), use.site), ir.Const(0), read))
    return Value(FLAG, read)


def _alive_field(use: _Use, field: int) -> int:
    mark = use.exprs.code.mark
    return field if mark is None else use.exprs.lowerer.marks.snapshot(field, mark)


def _room(use: _Use) -> Value:
    kind = use.args[0] if use.takes(1) else None
    dom = use.exprs.world.types.get(kind.id) if isinstance(kind, syn.Name) else None
    if dom is None or dom.alive is None:
        use.error("GR0208", use.span, "`room` needs the name of a piece or record", hint="room(Unit)")
        return _unknown()
    var = use.exprs.code.local("(piece)", dom_type(dom))
    used = ir.Aggregate("count", var, ir.OverDomain(dom.id), None, None, use.site)
    return Value(int_range(0, dom.up_to), ir.Binary("sub", ir.DomainCount(dom.id), used, use.site))


# ------------------------------------------------------------------------------------- sets, lists and bags


def _size(use: _Use) -> Value:
    if not use.takes(1):
        return _unknown()
    made = use.value(0)
    if made.type.sort == "set":
        return Value(int_range(0, 100_000), ir.SetCount(made.expr))
    if made.type.sort == "list":
        return Value(int_range(0, made.type.capacity), ir.ListLength(made.expr))
    if made.type.sort != "unknown":
        use.error(
            "GR0313",
            use.args[0].span,
            f"`{use.name}` needs a set or list, this is {made.type}",
            hint="count(x in Unit where ...)",
        )
    return _unknown()


def _end_of_list(use: _Use) -> Value:
    if not use.takes(1):
        return _unknown()
    made = use.value(0)
    if made.type.sort != "list" or made.type.element is None:
        if made.type.sort != "unknown":
            use.error(
                "GR0313",
                use.args[0].span,
                f"`{use.name}` needs a list, this is {made.type}",
                hint=f"{use.name}(x in Unit where ...)",
            )
        return _unknown()
    size = ir.ListLength(made.expr)
    item = ir.ListItem(made.expr, ir.Const(1) if use.name == "first" else size, use.site)
    none = ir.Binary("eq", size, ir.Const(0), use.site)
    return Value(made.type.element.maybe(), ir.If(none, ir.Const(NONE), item))


def _nth(use: _Use) -> Value:
    if not use.takes(2):
        return _unknown()
    made = use.value(0)
    if made.type.sort != "list" or made.type.element is None:
        use.error("GR0313", use.args[0].span, f"`nth` needs a list, this is {made.type}")
        return _unknown()
    return Value(made.type.element, ir.ListItem(made.expr, use.number(1).expr, use.site))


def _remaining(use: _Use) -> Value:
    world = use.exprs.world
    name = use.args[0].id if use.args and isinstance(use.args[0], syn.Name) else None
    if name is not None and name in world.broken:
        return _unknown()
    if not use.takes(1) or name is None or name not in world.bags:
        use.error("GR0208", use.span, "`remaining` needs the name of a bag")
        return _unknown()
    bag = world.bags[name]
    var = use.exprs.code.local("(row)", dom_type(bag.kind))
    assert bag.field.field is not None
    counts = ir.Load(bag.field.field, (ir.Local(var),), use.site)
    total = ir.Aggregate("sum", var, ir.OverDomain(bag.kind.id), None, counts, use.site)
    return Value(int_range(0, 9999), total)


# -------------------------------------------------------------------------------- phases, secrets, movement


def _during(use: _Use) -> Value:
    if len(use.args) != 1 or not isinstance(use.args[0], syn.Name):
        use.error("GR0302", use.span, "write during(name of a phase)")
        return Value(FLAG, ir.Const(0))
    name = use.args[0].id
    phases = use.exprs.world.phases
    number = phases.index(name) if phases else None
    if number is None:
        if not text_is_unread(use.exprs.sink):
            use.error(
                "GR0201",
                use.args[0].span,
                f"there is no phase `{name}`",
                hint=hint_for(name, phases.members if phases else []),
            )
        return Value(FLAG, ir.Const(0))
    lowerer = use.exprs.lowerer
    running = ir.SetLoad(lowerer.timing.running_phases(), (), lowerer.nowhere)
    return Value(FLAG, ir.In(ir.Const(number), running))


def _known(use: _Use) -> Value:
    """known(u.command): it has been revealed since it was last written."""
    made = use.value(0) if len(use.args) == 1 else None
    load = made.expr if made is not None else None
    info = use.exprs.world.fields_by_id.get(load.field) if isinstance(load, ir.Load | ir.SetLoad) else None
    if info is None or info.known is None:
        use.error("GR0208", use.span, "`known` asks about a secret field", hint="known(u.hit)")
        return Value(FLAG, ir.Const(0))
    assert isinstance(load, ir.Load | ir.SetLoad)
    return Value(FLAG, ir.Load(info.known, load.index, use.site))


def _reach(use: _Use) -> Value:
    return lower_reach(use.exprs, use.name, list(use.args), use.scope, use.span)


_LOWERED: dict[str, Callable[[_Use], Value]] = {
    "abs": _abs,
    "min": _min_max,
    "max": _min_max,
    "clamp": _clamp,
    "other": _other,
    "mine": _mine,
    "enemy": _mine,
    "friendly": _friendly,
    "opposed": _friendly,
    "in_play": _in_play,
    "room": _room,
    "count": _size,
    "length": _size,
    "first": _end_of_list,
    "last": _end_of_list,
    "nth": _nth,
    "remaining": _remaining,
    "during": _during,
    "known": _known,
    "reach": _reach,
    "cost_to": _reach,
    "path": _reach,
}
