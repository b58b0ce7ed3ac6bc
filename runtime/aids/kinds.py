"""The kinds of a title as charts: what terrain costs, what counters are worth, what cards say."""

from __future__ import annotations

from collections import Counter
from itertools import product

from grognard.aids.tables import title_of
from grognard.contract.charts import Chart, Line
from grognard.contract.schema import DomainSchema, FieldSchema
from grognard.play.position import Position

#: Of a column by a list of more members than this each value is told with its name, or those of a range up to the last.
MOST_AXIS = 8
YES = "●"
NOTHING = "–"
SAYS_NOTHING = ("0", NOTHING)


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
            listed = " × ".join(_axis_in_words(position, axis) for axis in axes)
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


def _axis_in_words(position: Position, axis: DomainSchema) -> str:
    members = _members(position, axis)
    if len(members) <= MOST_AXIS:
        return "/".join(members)
    return f"{members[0]} to {members[-1]}" if axis.sort == "range" else f"by {axis.name.lower()}"


def _cell(position: Position, dom: DomainSchema, number: int, info: FieldSchema) -> str:
    if not info.axes:
        return _words(position, info, position.get(dom.name, number, info.name))
    domains = [position.setting.scenario.data.domains[axis.id] for axis in info.axes]
    bases = [data.base if axis.sort == "range" else 0 for axis, data in zip(info.axes, domains)]
    shown = {
        place: _words(
            position, info, position.get(dom.name, number, info.name, *(b + p for b, p in zip(bases, place)))
        )
        or NOTHING
        for place in product(*(range(data.count) for data in domains))
    }
    if all(text == NOTHING for text in shown.values()):
        return ""
    if len(shown) <= MOST_AXIS:
        return "/".join(shown.values())
    # Too many to be told by their places alone: each list by the name of what it is for, without what says nothing.
    last = range(domains[-1].count)
    named = [_members(position, axis) for axis in info.axes]
    lists = []
    for head in product(*(range(data.count) for data in domains[:-1])):
        values = _listed(
            [shown[*head, n] for n in last], None if info.axes[-1].sort == "range" else named[-1]
        )
        if values:
            lists.append(" ".join([*(names[n] for names, n in zip(named, head)), values]))
    return "; ".join(lists)


def _listed(values: list[str], names: list[str] | None) -> str:
    """The values of one list: in their order up to the last that says something, or each with its name."""
    if names is not None:
        # What nearly all are is told once.
        common, times = Counter(values).most_common(1)[0]
        usual = common if times * 3 > len(values) * 2 and common not in SAYS_NOTHING else ""
        told = [(name, value) for name, value in zip(names, values) if value not in (*SAYS_NOTHING, usual)]
        parts = [name if value == YES else f"{name} {value}" for name, value in told]
        return ", ".join([*parts, f"else {usual}"] if usual and parts else parts or [usual])
    while values and values[-1] in SAYS_NOTHING:
        values = values[:-1]
    return "/".join(values)


def _words(position: Position, info: FieldSchema, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return YES if value else ""
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
