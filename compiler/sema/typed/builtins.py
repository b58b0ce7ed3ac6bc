"""Built-in functions other than verbs of the map: a Python function for each, by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.fields import check_holder
from grognard.compiler.sema.typed.geometry import check_reach
from grognard.compiler.sema.typed.times import field_read
from grognard.compiler.sema.types import FLAG, INT, UNKNOWN, Type, dom_type, int_range
from grognard.compiler.support.cascades import text_is_unread
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a built-in function."""

    check: Checker
    name: str
    args: tuple[syn.Expr, ...]
    span: Span
    scope: Scope

    def takes(self, number: int) -> bool:
        if len(self.args) == number:
            return True
        self.error("GR0302", self.span, f"`{self.name}` takes {number} values, {len(self.args)} given")
        return False

    def error(self, code: str, span: Span, text: str, hint: str | None = None) -> None:
        self.check.sink.error(code, span, text, hint=hint)

    def value(self, place: int, want: Type | None = None) -> t.Typed:
        return self.check.value(self.args[place], self.scope, want)

    def number(self, place: int) -> t.Typed:
        return self.check.checked(self.args[place], self.scope, INT)


def check_builtin(check: Checker, name: str, expr: syn.CallExpr, scope: Scope) -> t.Typed:
    return _CHECKED[name](_Use(check, name, expr.args, expr.span, scope))


# ------------------------------------------------------------------------------------------------- numbers


def _abs(use: _Use) -> t.Typed:
    if not use.takes(1):
        return t.Broken(UNKNOWN)
    made = use.number(0)
    top = max(abs(made.type.lo), abs(made.type.hi))
    low = 0 if made.type.lo <= 0 <= made.type.hi else min(abs(made.type.lo), abs(made.type.hi))
    return t.Absolute(int_range(low, top), made)


def _min_max(use: _Use) -> t.Typed:
    name = use.name
    if len(use.args) < 2:
        use.error(
            "GR0302",
            use.span,
            f"`{name}` compares at least two values",
            hint=f"{name}(x in S: value) runs over a set",
        )
        return t.Broken(UNKNOWN)
    first = use.value(0)
    if first.type.sort == "dom" and first.type.dom is not None:
        kind = dom_type(first.type.dom)
        made = [first, *(use.check.checked(arg, use.scope, kind) for arg in use.args[1:])]
        return t.Extreme(first.type, name, tuple(made), use.span)
    use.check.demand(first.type, INT, use.args[0].span)
    made = [first, *(use.number(place) for place in range(1, len(use.args)))]
    pick = min if name == "min" else max
    result = int_range(pick(value.type.lo for value in made), pick(value.type.hi for value in made))
    return t.Extreme(result, name, tuple(made), use.span)


def _clamp(use: _Use) -> t.Typed:
    if len(use.args) != 2 or not isinstance(use.args[1], syn.RangeExpr):
        use.error("GR0302", use.span, "write clamp(value, low..high)")
        return t.Broken(UNKNOWN)
    made = use.number(0)
    lo = use.check.checked(use.args[1].lo, use.scope, INT)
    hi = use.check.checked(use.args[1].hi, use.scope, INT)
    type_ = int_range(
        max(lo.type.lo, min(made.type.lo, hi.type.lo)), min(hi.type.hi, max(made.type.hi, lo.type.hi))
    )
    return t.Clamped(type_, made, lo, hi, use.span)


# --------------------------------------------------------------------------------------- sides and counters


def _other(use: _Use) -> t.Typed:
    if not use.takes(1):
        return t.Broken(UNKNOWN)
    seats = use.check.symbols.sides
    assert seats
    made = use.value(0, dom_type(seats))
    use.check.demand(made.type, dom_type(seats), use.args[0].span)
    if len(seats.members) != 2:
        use.error("GR0208", use.span, f"`other` needs exactly two sides, there are {len(seats.members)}")
    return t.Opponent(dom_type(seats), made, use.span)


def _mine(use: _Use) -> t.Typed:
    """mine(u), enemy(u): whether it belongs to the acting seat."""
    if not use.takes(1):
        return t.Broken(UNKNOWN)
    piece = use.value(0)
    holder = check_holder(use.check, piece.type, use.args[0].span)
    me = use.check.me(use.span)
    if holder.sort == "unknown" or me.type.sort == "unknown":
        return t.Broken(FLAG)
    return t.Mine(FLAG, piece, use.name == "mine", use.name, use.span, use.args[0].span)


def _friendly(use: _Use) -> t.Typed:
    """friendly(a, b), opposed(a, b): whether both belong to one."""
    if not use.takes(2):
        return t.Broken(UNKNOWN)
    made: list[tuple[t.Typed, Span]] = []
    good = True
    for place, arg in enumerate(use.args):
        piece = use.value(place)
        good &= check_holder(use.check, piece.type, arg.span).sort != "unknown"
        made.append((piece, arg.span))
    return (
        t.Friendly(FLAG, tuple(made), use.name == "friendly", use.name, use.span) if good else t.Broken(FLAG)
    )


def _in_play(use: _Use) -> t.Typed:
    if not use.takes(1):
        return t.Broken(UNKNOWN)
    piece = use.value(0)
    dom = piece.type.dom
    if dom is None or (dom.alive is None and not (dom.parts and dom.sort == "piece")):
        use.error("GR0301", use.args[0].span, f"`in_play` needs a counter, this is {piece.type}")
        return t.Broken(UNKNOWN)
    return t.InPlay(FLAG, piece, use.span)


def _room(use: _Use) -> t.Typed:
    kind = use.args[0] if use.takes(1) else None
    dom = use.check.symbols.types.get(kind.id) if isinstance(kind, syn.Name) else None
    if dom is None or dom.alive is None:
        use.error("GR0208", use.span, "`room` needs the name of a piece or record", hint="room(Unit)")
        return t.Broken(UNKNOWN)
    return t.Room(int_range(0, dom.up_to), dom, use.span)


# ------------------------------------------------------------------------------------- sets, lists and bags


def _size(use: _Use) -> t.Typed:
    if not use.takes(1):
        return t.Broken(UNKNOWN)
    made = use.value(0)
    if made.type.sort == "set":
        return t.Size(int_range(0, 100_000), made)
    if made.type.sort == "list":
        return t.Size(int_range(0, made.type.capacity), made)
    if made.type.sort != "unknown":
        use.error(
            "GR0313",
            use.args[0].span,
            f"`{use.name}` needs a set or list, this is {made.type}",
            hint="count(x in Unit where ...)",
        )
    return t.Broken(UNKNOWN)


def _end_of_list(use: _Use) -> t.Typed:
    if not use.takes(1):
        return t.Broken(UNKNOWN)
    made = use.value(0)
    if made.type.sort != "list" or made.type.element is None:
        if made.type.sort != "unknown":
            use.error(
                "GR0313",
                use.args[0].span,
                f"`{use.name}` needs a list, this is {made.type}",
                hint=f"{use.name}(x in Unit where ...)",
            )
        return t.Broken(UNKNOWN)
    return t.EndOfList(made.type.element.maybe(), made, use.name == "first", use.span)


def _nth(use: _Use) -> t.Typed:
    if not use.takes(2):
        return t.Broken(UNKNOWN)
    made = use.value(0)
    if made.type.sort != "list" or made.type.element is None:
        use.error("GR0313", use.args[0].span, f"`nth` needs a list, this is {made.type}")
        return t.Broken(UNKNOWN)
    return t.Nth(made.type.element, made, use.number(1), use.span)


def _remaining(use: _Use) -> t.Typed:
    symbols = use.check.symbols
    name = use.args[0].id if use.args and isinstance(use.args[0], syn.Name) else None
    if name is not None and name in symbols.broken:
        return t.Broken(UNKNOWN)
    if not use.takes(1) or name is None or name not in symbols.bags:
        use.error("GR0208", use.span, "`remaining` needs the name of a bag")
        return t.Broken(UNKNOWN)
    return t.Remaining(int_range(0, 9999), symbols.bags[name], use.span)


# -------------------------------------------------------------------------------- phases, secrets, movement


def _during(use: _Use) -> t.Typed:
    if len(use.args) != 1 or not isinstance(use.args[0], syn.Name):
        use.error("GR0302", use.span, "write during(name of a phase)")
        return t.Broken(FLAG)
    name = use.args[0].id
    phases = use.check.symbols.phases
    number = phases.index(name) if phases else None
    if number is None:
        if not text_is_unread(use.check.sink):
            use.error(
                "GR0201",
                use.args[0].span,
                f"there is no phase `{name}`",
                hint=hint_for(name, phases.members if phases else []),
            )
        return t.Broken(FLAG)
    return t.During(FLAG, number)


def _known(use: _Use) -> t.Typed:
    """known(u.command): it has been revealed since it was last written."""
    made = use.value(0) if len(use.args) == 1 else None
    info = field_read(made) if made is not None and use.check.mark is None else None
    if made is None or info is None or info.known is None:
        use.error("GR0208", use.span, "`known` asks about a secret field", hint="known(u.hit)")
        return t.Broken(FLAG)
    return t.Known(FLAG, made, info.known, use.span)


def _reach(use: _Use) -> t.Typed:
    return check_reach(use.check, use.name, use.args, use.scope, use.span)


_CHECKED: dict[str, Callable[[_Use], t.Typed]] = {
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
