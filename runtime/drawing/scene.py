"""What never changes of a scenario's maps: places with their ground, what lies on borders, who is whose neighbour.

Nothing here knows a game.  What can be drawn follows from the declared types: a column of a kind is ground, a whole number that the
map gives its places is a level, a column of edges lies on a border."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grognard.contract.datablock import DataBlock, MapData, Scenario
from grognard.contract.header import NONE
from grognard.contract.schema import DomainSchema, FieldSchema, Schema

if TYPE_CHECKING:
    from grognard.contract import ir
    from grognard.play.engine import Engine


@dataclass(frozen=True, slots=True)
class Source:
    """Everything constant of a scenario, by field."""

    schema: Schema
    program: ir.Program
    data: DataBlock
    #: values of the first position's domains
    scenario: Scenario
    #: the cells of the position that is drawn, if it is not the first one
    cells: Sequence[int] | None = None

    def datum(self, info: FieldSchema, *index: int) -> int:
        """A value of a constant column."""
        column = info.column if info.column is not None else info.printed
        assert column is not None
        return self.data.columns[column][self._flat(self.program.columns[column].dims, index)]

    def state(self, info: FieldSchema, *index: int) -> int:
        """A value of a state field in the position that is drawn."""
        assert info.field is not None
        layout = self.scenario.layout
        return self.cell(
            layout.field_offset[info.field] + self._flat(self.program.fields[info.field].dims, index)
        )

    def cell(self, place: int) -> int:
        cells = self.scenario.cells if self.cells is None else self.cells
        return cells[place]

    def _flat(self, dims: tuple[int, ...] | list[int], index: tuple[int, ...]) -> int:
        layout = self.scenario.layout
        place = 0
        for domain, value in zip(dims, index, strict=True):
            place = place * layout.count[domain] + value - layout.base[domain]
        return place

    def seat_names(self) -> list[str]:
        """Everybody who has a colour: the seats, then the sides that are no seats."""
        doms = (self.schema.seats, self.schema.sides)
        return list(dict.fromkeys(name for dom in doms if dom is not None for name in dom.members))

    def name(self, dom: DomainSchema, value: int) -> str:
        data = self.data.domains[dom.id]
        return data.names[value - data.base] if 0 <= value - data.base < data.count else ""

    def title(self, dom: DomainSchema, value: int) -> str:
        data = self.data.domains[dom.id]
        return data.title(value) if 0 <= value - data.base < data.count else ""

    def shown(self, info: FieldSchema, value: int) -> str:
        """A value in words."""
        if value == NONE:
            return "none"
        if info.type.sort == "flag":
            return "yes" if value else "no"
        if info.type.sort == "dom" and info.type.dom is not None:
            return self.title(info.type.dom, value)
        return str(value)


@dataclass(slots=True)
class Place:
    name: str
    title: str
    #: the class of the place where its space has classes, else the space
    sort: str
    #: ground: the member's id and what people call it; empty where the map has none
    ground: str = ""
    ground_title: str = ""
    level: int = 0
    #: further marks that the map prints: a flag's name, or a value in words
    marks: list[str] = field(default_factory=list)
    #: those of them that are drawn: flags, and what a side has there
    flags: list[str] = field(default_factory=list)
    #: the side that the map prints as the owner
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """Something on the border of two places, by their local numbers."""

    a: int
    b: int
    #: the column, and what it says: its own name for flags and numbers, the member for a kind
    column: str
    id: str
    title: str


@dataclass(slots=True)
class Space:
    name: str
    map: MapData
    places: list[Place]
    edges: list[Edge]
    #: local numbers of the neighbours of each place, as the rules know them
    neighbours: list[list[int]]
    #: kinds of ground in the order of their declaration
    grounds: list[tuple[str, str]]

    @property
    def shape(self) -> str:
        return {"hexes": "hex", "squares": "square"}.get(self.map.sort, "area")


def source_of(engine: Engine, scenario: str | None) -> Source:
    setting = engine.setting(scenario)
    return Source(engine.ruleset.schema, engine.ruleset.program, setting.scenario.data, setting.scenario)


def read_spaces(source: Source) -> list[Space]:
    doms = {dom.id: dom for dom in source.schema.doms}
    return [_space(source, doms, entry) for entry in source.data.maps]


def _space(source: Source, doms: dict[int, DomainSchema], entry: MapData) -> Space:
    space = doms[entry.domain]
    places = []
    for value in range(entry.base, entry.base + entry.n):
        known = value < len(source.data.place_domain)
        inner = doms.get(source.data.place_domain[value], space) if known else space
        places.append(_place(source, inner, space, value))
    ground = _ground_field(_fields(space, space))
    grounds: list[tuple[str, str]] = []
    if ground is not None and ground.type.dom is not None:
        data = source.data.domains[ground.type.dom.id]
        grounds = list(zip(data.names, data.titles or data.names))
    return Space(space.name, entry, places, _edges(source, space, entry), _neighbours(entry), grounds)


def _neighbours(entry: MapData) -> list[list[int]]:
    if entry.sort == "areas":
        return [list(entry.adjacent[entry.start[n] : entry.start[n + 1]]) for n in range(entry.n)]
    around = len(entry.neighbours) // entry.n if entry.n else 0
    return [
        [other for other in entry.neighbours[n * around : (n + 1) * around] if other != NONE]
        for n in range(entry.n)
    ]


def _fields(inner: DomainSchema, space: DomainSchema) -> dict[str, FieldSchema]:
    """Columns of a place: its class's own and those of the classes and the space around it."""
    found: dict[str, FieldSchema] = {}
    dom: DomainSchema | None = inner
    while dom is not None:
        for name, info in dom.fields.items():
            found.setdefault(name, info)
        dom = dom.parent
    return {
        name: info
        for name, info in (found or space.fields).items()
        if info.column is not None and not info.axes and not info.edge
    }


def _ground_field(fields: dict[str, FieldSchema]) -> FieldSchema | None:
    kinds = [
        info
        for info in fields.values()
        if info.type.sort == "dom"
        and info.type.dom is not None
        and info.type.dom.sort in ("kind", "enum")
        and not info.type.optional
    ]
    named = fields.get("terrain")
    return named if named in kinds else (kinds[0] if kinds else None)


def _level_field(fields: dict[str, FieldSchema]) -> FieldSchema | None:
    """The number that says how high a place lies, told by its name."""
    for name in ("level", "elevation", "height"):
        info = fields.get(name)
        if info is not None and info.type.sort == "int":
            return info
    return None


def _place(source: Source, inner: DomainSchema, space: DomainSchema, value: int) -> Place:
    data = source.data.domains[space.id]
    place = Place(data.names[value - data.base], data.title(value), inner.name)
    fields = _fields(inner, space)
    ground, level = _ground_field(fields), _level_field(fields)
    for name, info in fields.items():
        what = source.datum(info, value)
        dom = info.type.dom if info.type.sort == "dom" else None
        if what == NONE or (dom is None and info.type.sort not in ("int", "flag")):
            continue
        if info is ground and dom is not None:
            place.ground, place.ground_title = source.name(dom, what), source.title(dom, what)
        elif info is level:
            place.level = what
        elif dom is not None and dom in (source.schema.seats, source.schema.sides):
            place.owner = place.owner or source.name(dom, what)
            place.marks.append(f"{name.replace('_', ' ')} {source.title(dom, what)}")
            place.flags.append(name.replace("_", " "))
        elif info.type.sort == "flag":
            if what:
                place.marks.append(name.replace("_", " "))
                place.flags.append(name.replace("_", " "))
        elif dom is not None:
            place.marks.append(f"{name.replace('_', ' ')} {source.title(dom, what)}")
        elif what:
            place.marks.append(f"{name.replace('_', ' ')} {what}")
    return place


def _edges(source: Source, space: DomainSchema, entry: MapData) -> list[Edge]:
    """What lies on borders: flags that are set, numbers above nothing, members that are named."""
    if space.edges is None:
        return []
    columns = [
        info
        for info in space.edges.fields.values()
        if not info.axes and (info.column is not None or info.printed is not None)
    ]
    found: list[Edge] = []
    for index, (a, b) in enumerate(zip(entry.edge_a, entry.edge_b)):
        for info in columns:
            what = source.datum(info, entry.edge_base + index)
            dom = info.type.dom if info.type.sort == "dom" else None
            words = info.name.replace("_", " ")
            if what == NONE or (dom is None and what <= 0):
                continue
            if dom is None:
                found.append(Edge(a, b, info.name, info.name, words))
            # The first member of a list that has no "none" says that there is nothing: no river.
            elif info.type.optional or what != source.data.domains[dom.id].base:
                member, title = source.name(dom, what), source.title(dom, what)
                words = title if words in title else f"{title} {words}"
                found.append(Edge(a, b, info.name, f"{info.name}.{member}", words))
    return found
