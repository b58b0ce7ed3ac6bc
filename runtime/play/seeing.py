"""What is seen from a place by the lines of sight that a title declares, and why the rest is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.contract.backend import TRACE_WHY, Io, RuleFailure
from grognard.contract.schema import CallableSchema
from grognard.errors import UnknownName
from grognard.play.arguments import function_named
from grognard.play.wording import Records, Secrecy
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.play.view import View


def sights_of(view: View) -> list[str]:
    """The lines of sight from place to place."""
    return [
        name
        for name, entry in view.setting.schema.callables.items()
        if entry.sort == "sight" and len(_places(entry)) == 2 and not entry.uses_me
    ]


def _places(entry: CallableSchema) -> list[int]:
    return [
        n for n, (_, kind) in enumerate(entry.params) if kind.dom is not None and kind.dom.sort == "place"
    ]


def seen_from(view: View, place: str, sight: str) -> tuple[list[str], dict[str, str], list[str]]:
    """The places that are seen, those that are not with what hides them and its sections, and what was taken for granted.

    What else the line depends on is no, or the number nearest to 0; UnknownName for a place that does not exist."""
    setting = view.setting
    entry = setting.schema.callables[sight]
    found = function_named(setting, sight)
    values, taken = [], []
    for name, kind in entry.params:
        values.append(min(max(kind.lo, 0), kind.hi) if kind.sort == "int" else 0)
        if kind.dom is None or kind.dom.sort != "place":
            taken.append(f"{name} {values[-1] if kind.sort == 'int' else 'no'}")
    first, second = _places(entry)
    dom = entry.params[second][1].dom
    assert dom is not None
    number = setting.number_of(dom.id, place)
    data = setting.scenario.data.domains[dom.id]
    if number is None:
        raise UnknownName(f"there is no {dom.name} `{place}`", hint_for(place, data.names))
    values[first] = data.base + number
    cells = bytearray(view.rule_cells)
    seen, hidden = [], {}
    for other in range(data.count):
        if other == number:
            continue
        values[second] = data.base + other
        io = Io(TRACE_WHY)
        try:
            if setting.backend.call(cells, found.id, values, io):
                seen.append(data.names[other])
                continue
        except RuleFailure:
            hidden[data.names[other]] = "the line cannot be asked"
            continue
        records = [
            one for one in Records(setting.program, io.trace, Secrecy(), ()) if one.site.kind == "sight"
        ]
        with memoryview(view.cells) as raw, raw.cast("i") as c:
            lines = [
                setting.names.text(one.site, one.args, c)
                + (f" [{', '.join(one.site.cites)}]" if one.site.cites else "")
                for one in records
            ]
        hidden[data.names[other]] = "; ".join(lines) or "not in sight"
    return seen, hidden, taken
