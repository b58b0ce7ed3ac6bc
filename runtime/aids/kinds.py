"""The kinds of a title as charts: what terrain costs, what counters are worth, what cards say."""

from __future__ import annotations

from itertools import product

from grognard.aids.tables import title_of
from grognard.contract.charts import Chart, Line
from grognard.contract.schema import DomainSchema, FieldSchema
from grognard.play.position import Position

#: A column by a list of more members than this is told by a line of its own for each.
MOST_AXIS = 8


def kind_charts(position: Position) -> list[Chart]:
    """A chart for each kind that has columns; `position` is any of the scenario's."""
    data = position.setting.scenario.data
    found = []
    for dom in position.setting.schema.doms:
        if dom.sort not in ("kind", "power") or not data.domains[dom.id].count:
            continue
        columns = [info for info in dom.fields.values() if info.column is not None and "." not in info.name]
        if columns:
            found.append(_chart(position, dom, columns))
    return found


def _chart(position: Position, dom: DomainSchema, columns: list[FieldSchema]) -> Chart:
    rows = position.setting.scenario.data.domains[dom.id]
    cells = [[_cell(position, dom, number, info) for info in columns] for number in range(rows.count)]
    # What no row has says nothing.
    used = [n for n in range(len(columns)) if any(line[n] for line in cells)]
    notes = []
    for n in used:
        axes = columns[n].axes
        if axes:
            listed = " × ".join("/".join(_members(position, axis)[:MOST_AXIS]) for axis in axes)
            notes.append(f"{title_of(columns[n].name)}: {listed}.")
    titles = [rows.title(rows.base + number) for number in range(rows.count)]
    if dom.within is not None:
        titles = [f"{_owner(position, dom, number)} – {title}" for number, title in enumerate(titles)]
    lines = tuple(Line((title, *(line[n] for n in used))) for title, line in zip(titles, cells))
    heading = (title_of(dom.name), *(columns[n].name.replace("_", " ") for n in used))
    return Chart("kind", dom.name, title_of(dom.name), heading, lines, (), tuple(notes))


def _owner(position: Position, dom: DomainSchema, number: int) -> str:
    assert dom.within is not None
    owner = position.get(dom.name, number, dom.within.name.lower())
    found = position.setting.number_of(dom.within.id, owner) if isinstance(owner, str) else None
    data = position.setting.scenario.data.domains[dom.within.id]
    return data.title(data.base + found) if found is not None else ""


def _members(position: Position, axis: DomainSchema) -> list[str]:
    data = position.setting.scenario.data.domains[axis.id]
    if axis.sort == "range":
        return [str(data.base + n) for n in range(data.count)]
    return [data.title(data.base + n) for n in range(data.count)]


def _cell(position: Position, dom: DomainSchema, number: int, info: FieldSchema) -> str:
    if not info.axes:
        return _words(position, info, position.get(dom.name, number, info.name))
    counts = [range(position.setting.scenario.data.domains[axis.id].count) for axis in info.axes]
    bases = [
        position.setting.scenario.data.domains[axis.id].base if axis.sort == "range" else 0
        for axis in info.axes
    ]
    shown = [
        _words(
            position, info, position.get(dom.name, number, info.name, *(b + p for b, p in zip(bases, place)))
        )
        or "–"
        for place in product(*counts)
    ]
    if all(text == "–" for text in shown):
        return ""
    return "/".join(shown) if len(shown) <= MOST_AXIS else " ".join(dict.fromkeys(shown))


def _words(position: Position, info: FieldSchema, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "●" if value else ""
    if isinstance(value, frozenset):
        return ", ".join(sorted(_title(position, info, str(name)) for name in value))
    if isinstance(value, str):
        return _title(position, info, value)
    return str(value)


def _title(position: Position, info: FieldSchema, name: str) -> str:
    dom = info.type.dom
    number = position.setting.number_of(dom.id, name) if dom is not None else None
    if dom is None or number is None:
        return name.replace("_", " ")
    data = position.setting.scenario.data.domains[dom.id]
    return data.title(data.base + number)
