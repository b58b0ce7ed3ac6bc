"""A rule asked of every place of the map: what is seen from here, zones of control, supply.

It runs on what a seat may know, so what is painted depends on nothing else.  Which rules are worth it, the title's look says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.contract.backend import TRACE_OFF, TRACE_WHY, Io, RuleFailure
from grognard.contract.header import NONE
from grognard.errors import UnknownName
from grognard.play.arguments import function_named
from grognard.play.wording import Records, Secrecy
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.contract.schema import CallableSchema, DomainSchema, Schema
    from grognard.play.setting import Setting
    from grognard.play.view import View

#: Lines that explain one place.
MAX_LINES = 12
_SORTS = ("rule", "sight", "arc", "modifiers")


@dataclass(frozen=True, slots=True)
class Overlay:
    """A rule that can be painted: which of its parameters is the place, and which one what it is asked from."""

    rule: str
    place: int
    #: the counter or place that it is asked from, if any
    origin: int | None
    #: of that: piece or place
    of: str | None
    sides: tuple[int, ...]
    cites: tuple[str, ...]


def overlay_of(schema: Schema, rule: str) -> Overlay | None:
    """How a rule can be painted; None if it cannot: it does more than answer, or wants to know more than is at hand."""
    entry = schema.callables.get(rule)
    if entry is None or entry.sort not in _SORTS or entry.writes or entry.asks or entry.uses_me:
        return None
    if entry.result is not None and entry.result.sort not in ("flag", "int"):
        return None
    places, pieces, sides = _sorted_params(entry, (schema.seats, schema.sides))
    if (
        not places
        or len(places) + len(pieces) > 2
        or len(places) + len(pieces) + len(sides) < len(entry.params)
    ):
        return None
    origin = pieces[0] if pieces else places[0] if len(places) > 1 else None
    of = None if origin is None else "piece" if pieces else "place"
    return Overlay(rule, places[-1], origin, of, tuple(sides), entry.cites)


def _sorted_params(
    entry: CallableSchema, seats: tuple[DomainSchema | None, ...]
) -> tuple[list[int], list[int], list[int]]:
    places, pieces, sides = [], [], []
    for number, (_, kind) in enumerate(entry.params):
        dom = kind.dom if kind.sort == "dom" else None
        if dom is None:
            continue
        if dom.sort == "place":
            places.append(number)
        elif dom.sort == "piece":
            pieces.append(number)
        elif dom in seats:
            sides.append(number)
    return places, pieces, sides


def painted(view: View, rule: str, origin: str | None, at: str | None, side: str) -> dict[str, int]:
    """The places where a rule holds, or what it says of each; `origin` is a counter, `at` a place."""
    setting, found, values, place = _prepared(view, rule, origin, at, side)
    cells = bytearray(view.rule_cells)
    made: dict[str, int] = {}
    data = setting.scenario.data.domains[_param(setting, rule, place).id]
    for number in range(data.count):
        values[place] = data.base + number
        try:
            result = setting.backend.call(cells, found, values, Io(TRACE_OFF))
        except RuleFailure:
            # Not a place that the rule can be asked of.
            continue
        if isinstance(result, int) and result not in (0, NONE):
            made[data.names[number]] = result
    return made


def explained(
    view: View, rule: str, origin: str | None, at: str | None, side: str, place: str
) -> list[dict[str, Any]]:
    """Why a rule says of one place what it says: what blocks a line, with its section."""
    setting, found, values, where = _prepared(view, rule, origin, at, side)
    values[where] = _member(setting, _param(setting, rule, where), place)
    io = Io(TRACE_WHY)
    try:
        result = setting.backend.call(bytearray(view.rule_cells), found, values, io)
    except RuleFailure:
        return []
    records = list(Records(setting.program, io.trace, Secrecy(), ()))
    # What ends a line says most; of a rule its own last words.
    telling = [one for one in records if one.site.kind == "sight"] or records[-MAX_LINES:]
    with memoryview(view.cells) as raw, raw.cast("i") as cells:
        lines = [
            {"text": setting.names.text(one.site, one.args, cells), "cites": list(one.site.cites)}
            for one in telling[:MAX_LINES]
        ]
    return lines or [{"text": f"{rule.replace('_', ' ')}: {'yes' if result else 'no'}", "cites": []}]


def _prepared(
    view: View, rule: str, origin: str | None, at: str | None, side: str
) -> tuple[Setting, int, list[int], int]:
    setting = view.setting
    overlay = overlay_of(setting.schema, rule)
    if overlay is None:
        known = [name for name in setting.schema.callables if overlay_of(setting.schema, name)]
        raise UnknownName(f"no rule `{rule}` can be asked of places", hint_for(rule, known))
    values = [0] * len(setting.schema.callables[rule].params)
    if overlay.origin is not None:
        wanted = origin if overlay.of == "piece" else at
        if wanted is None:
            raise UnknownName(f"`{rule}` is asked from a {overlay.of}: none was given", "")
        values[overlay.origin] = _member(setting, _param(setting, rule, overlay.origin), wanted)
        if overlay.of == "piece" and wanted not in _seen(view, _param(setting, rule, overlay.origin)):
            raise UnknownName(f"there is no `{wanted}` in sight", "")
    for number in overlay.sides:
        dom = _param(setting, rule, number)
        name = side if side in dom.members else view.seat
        values[number] = _member(setting, dom, name)
    return setting, function_named(setting, rule).id, values, overlay.place


def _seen(view: View, dom: DomainSchema) -> set[str]:
    return {piece.name for piece in view.pieces(dom.name)}


def _param(setting: Setting, rule: str, number: int) -> DomainSchema:
    dom = setting.schema.callables[rule].params[number][1].dom
    assert dom is not None
    return dom


def _member(setting: Setting, dom: DomainSchema, name: str) -> int:
    for part in (dom, *dom.alternatives):
        number = setting.number_of(part.id, name)
        if number is not None:
            return setting.scenario.data.domains[part.id].base + number
    raise UnknownName(f"there is no {dom.name} `{name[:80]}`", "")
