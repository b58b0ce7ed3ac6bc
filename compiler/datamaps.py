"""Maps: grids of hexes and squares, boards joined into one map, and graphs of areas, boxes and tracks.

Places of all spaces share one numbering, space after space in the order of their declarations; within a space its
classes are contiguous.  Edges have a numbering of their own of the same kind.  Structure (which places there are,
what is next to what) is read for all maps before any cell, because cells may name places of any map.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from grognard.compiler import syntax as syn
from grognard.compiler.datablock import MapData
from grognard.compiler.datakinds import (
    CellReader,
    Cells,
    Index,
    Value,
    plain_default,
)
from grognard.compiler.diagnostics import Sink
from grognard.compiler.project import Project
from grognard.compiler.source import Span
from grognard.compiler.suggest import hint_for
from grognard.compiler.types import FLAT_DIRECTIONS, POINTY_DIRECTIONS, Dom, FieldInfo
from grognard.compiler.world import World
from grognard.compiler.yamlfile import (
    YList,
    YMap,
    YNode,
    YScalar,
    check_keys,
    describe,
    expect_int,
    expect_list,
    expect_map,
    expect_text,
)
from grognard.geometry import (
    LAYOUTS,
    STEPS,
    Board,
    GeometryError,
    HexMap,
    Numbering,
    Place,
    Placement,
    join,
    layout_orientation,
    offset_to_axial,
)
from grognard.geometry import Layout as GridLayout
from grognard.values import NONE

SQUARE_STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
MAX_SIDE = 500
_MAP_KEYS = ("name", "about", "cite", "note")
_GRID_KEYS = ("grid", "default", "legend", "rows", "grids", "edges")
_AREA_KEYS = ("areas", "boxes", "track", "default", "edges")
_BOARD_KEYS = ("boards", "seam", "names", "default", "hexes", "edges")
_SEAMS = {"whole_hexes": "whole", "merge_halves": "merge"}
_SIDES = ("right", "left", "top", "bottom")


@dataclass(slots=True)
class LoadedMap:
    """A space with its map: structure, constant columns, further names of places."""

    space: Dom
    data: MapData
    columns: Cells = field(default_factory=dict)
    place_domain: list[int] = field(default_factory=list)
    aliases: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class MapChoice:
    """Which map a space takes: a file, a node written out in the scenario, or (without a path) none."""

    space: Dom
    path: str
    span: Span | None
    node: YNode | None = None


@dataclass(frozen=True, slots=True)
class BoardMark:
    """A field of some places of an example's board, or of the edges between each of them and the next."""

    name: str
    value: syn.Expr
    places: tuple[tuple[str, Span], ...]
    along: bool
    span: Span


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """The plain board of an example of play; `terrain_at` gives places that differ."""

    terrain: str
    columns: int
    rows: int
    span: Span | None = None
    terrain_at: tuple[tuple[str, str, Span | None], ...] = ()
    marks: tuple[BoardMark, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Printed:
    """A value on a board.  Equal values are equal wherever they are written, so that boards may agree."""

    node: YNode

    def _plain(self) -> Any:
        return _plain(self.node)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Printed) and self._plain() == other._plain()

    def __hash__(self) -> int:
        return hash(repr(self._plain()))

    def __repr__(self) -> str:
        return describe(self.node)


def _plain(node: YNode) -> Any:
    if isinstance(node, YMap):
        return {key: _plain(entry.value) for key, entry in node.entries.items()}
    if isinstance(node, YList):
        return [_plain(item) for item in node.items]
    return node.text


#: fields of a place or an edge, by name, and where they are written
_Row = dict[str, tuple[Span, YNode]]


@dataclass(slots=True)
class _Sheet:
    """What a map file says, before places are numbered for the whole game."""

    sort: str
    names: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    rows: list[_Row] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)  # number of the class in its space
    aliases: dict[str, int] = field(default_factory=dict)
    flat: bool = True
    q: list[int] = field(default_factory=list)
    r: list[int] = field(default_factory=list)
    around: list[list[int]] = field(default_factory=list)
    edge_rows: dict[tuple[int, int], _Row] = field(default_factory=dict)

    def index(self) -> dict[str, int]:
        return {**self.aliases, **{name: place for place, name in enumerate(self.names)}}


# ------------------------------------------------------------------------------------------------ entry points


def reset_places(world: World) -> None:
    """Forget the places of an earlier scenario."""
    for space in world.spaces:
        for dom in (space, *space.classes, *([space.edges] if space.edges else [])):
            dom.members, dom.titles, dom.base = [], [], 0


def settle_directions(world: World, project: Project) -> None:
    """Rules name directions, so their names must be known before rules are checked: look into the title's maps."""
    space = next((s for s in world.spaces if s.space_sort == "hexes"), None)
    if space is None or world.direction is None or world.spaces.index(space) != _first_grid(world):
        return
    quiet = Sink()  # the same files are read again, aloud, when a scenario is loaded
    for choice in _possible_maps(project, space, quiet):
        node = choice.node or project.load_data(choice.path, None, quiet)
        layout = _layout_of(project, node, quiet)
        if layout:
            flat = layout in ("odd-q", "even-q")
            world.direction.members = list(FLAT_DIRECTIONS if flat else POINTY_DIRECTIONS)
            return


def _first_grid(world: World) -> int:
    return next((n for n, s in enumerate(world.spaces) if s.space_sort in ("hexes", "squares")), -1)


def _possible_maps(project: Project, space: Dom, sink: Sink) -> Iterator[MapChoice]:
    assert isinstance(space.decl, syn.SpaceDecl)
    if space.decl.source:
        yield MapChoice(space, space.decl.source, None)
    for name in project.scenarios():
        node = project.load_data(f"scenarios/{name}.yaml", None, sink)
        maps = node.get("maps") if isinstance(node, YMap) else None
        chosen = maps.get(space.decl.name) if isinstance(maps, YMap) else None
        if isinstance(chosen, YScalar):
            yield MapChoice(space, chosen.text, None)
        elif chosen is not None:
            yield MapChoice(space, "", None, chosen)


def _layout_of(project: Project, node: YNode | None, sink: Sink) -> str:
    if not isinstance(node, YMap):
        return ""
    boards = node.get("boards")
    if isinstance(boards, YList) and boards.items and isinstance(boards.items[0], YMap):
        path = boards.items[0].get("board")
        return (
            _layout_of(project, project.load_data(path.text, None, sink), sink)
            if isinstance(path, YScalar)
            else ""
        )
    grid = node.get("grid")
    layout = grid.get("layout") if isinstance(grid, YMap) else None
    return layout.text if isinstance(layout, YScalar) else "odd-q"


def load_map(world: World, project: Project, space: Dom, path: str, span: Span | None) -> LoadedMap | None:
    """Load the map of one space, after those of the spaces declared before it."""
    loaded = load_maps(world, project, [MapChoice(space, path, span)])[0]
    return loaded if loaded.data.n else None


def load_maps(
    world: World,
    project: Project,
    choices: Sequence[MapChoice],
    boards: Mapping[int, BoardSpec] | None = None,
) -> list[LoadedMap]:
    """Load the maps of these spaces, given in the order of their declaration.

    `boards` gives, by the id of its domain, the plain board that a space has in an example of play."""
    loader = _MapLoader(world, project)
    sheets: list[tuple[Dom, _Sheet]] = []
    for choice in choices:
        spec = (boards or {}).get(choice.space.id)
        sheet = _plain_sheet(world, choice.space, spec) if spec else loader.sheet(choice)
        # The data block has a map for every space, if need be an empty one, so that programs can count on it.
        grid = choice.space.space_sort in ("hexes", "squares")
        sheets.append((choice.space, sheet or _Sheet(choice.space.space_sort if grid else "areas")))
    loaded = [_number(world, space, sheet) for space, sheet in sheets]
    reader = CellReader(world, aliases={m.space.id: m.aliases for m in loaded})
    for entry, (space, sheet) in zip(loaded, sheets):
        spec = (boards or {}).get(space.id)
        if spec:
            _plain_cells(reader, entry, space, spec)
        else:
            _cells(reader, entry, space, sheet)
    return loaded


def make_board(
    world: World, space: Dom, columns: int, rows: int, terrain: str, span: Span | None = None
) -> LoadedMap:
    """A plain board for an example of play: every field at its default but the terrain."""
    spec = BoardSpec(terrain, columns, rows, span)
    entry = _number(world, space, _plain_sheet(world, space, spec))
    _plain_cells(CellReader(world), entry, space, spec)
    return entry


# -------------------------------------------------------------------------------------------------- numbering


def _number(world: World, space: Dom, sheet: _Sheet) -> LoadedMap:
    """Give the places and edges of a map their numbers in the whole game."""
    # Classes are contiguous, in the order of their declaration; sorting is stable.
    if space.classes:
        order = sorted(range(len(sheet.names)), key=lambda place: sheet.classes[place])
        _reorder(sheet, order)
    before = world.spaces[: world.spaces.index(space)]
    base = max((s.base + len(s.members) for s in before), default=0)
    edge_base = max((s.edges.base + len(s.edges.members) for s in before if s.edges), default=0)
    space.members, space.titles, space.base = sheet.names, sheet.titles, base
    start = 0
    domains: list[int] = []
    for number, part in enumerate(space.classes):
        count = sheet.classes.count(number)
        part.members = sheet.names[start : start + count]
        part.titles = sheet.titles[start : start + count]
        part.base = base + start
        start += count
        domains += [part.id] * count
    domains = domains or [space.id] * len(sheet.names)

    edge_of: dict[tuple[int, int], int] = {}
    for a, around in enumerate(sheet.around):
        for b in around:
            if b != NONE and a < b:
                edge_of.setdefault((a, b), len(edge_of))
    side_edge = tuple(
        NONE if b == NONE else edge_of[min(a, b), max(a, b)]
        for a, around in enumerate(sheet.around)
        for b in around
    )
    if space.edges is not None:
        space.edges.base = edge_base
        space.edges.members = [f"{sheet.names[a]}-{sheet.names[b]}" for a, b in edge_of]
        space.edges.titles = list(space.edges.members)
    grid = sheet.sort in ("hexes", "squares")
    flat_around = tuple(b for around in sheet.around for b in around)
    starts = [0]
    for around in sheet.around:
        starts.append(starts[-1] + len(around))
    data = MapData(
        sort=sheet.sort,  # type: ignore[arg-type]
        domain=space.id,
        base=base,
        n=len(sheet.names),
        flat=sheet.flat,
        q=tuple(sheet.q),
        r=tuple(sheet.r),
        neighbours=flat_around if grid else (),
        start=() if grid else tuple(starts),
        adjacent=() if grid else flat_around,
        edge_domain=space.edges.id if space.edges else -1,
        edge_base=edge_base,
        edge_a=tuple(a for a, _ in edge_of),
        edge_b=tuple(b for _, b in edge_of),
        side_edge=side_edge,
    )
    return LoadedMap(space, data, {}, domains, sheet.aliases)


def _reorder(sheet: _Sheet, order: list[int]) -> None:
    new = {old: place for place, old in enumerate(order)}
    sheet.names = [sheet.names[old] for old in order]
    sheet.titles = [sheet.titles[old] for old in order]
    sheet.spans = [sheet.spans[old] for old in order]
    sheet.rows = [sheet.rows[old] for old in order]
    sheet.classes = [sheet.classes[old] for old in order]
    sheet.around = [sorted(new[b] for b in sheet.around[old]) for old in order]
    sheet.aliases = {name: new[old] for name, old in sheet.aliases.items()}
    sheet.edge_rows = {
        (min(new[a], new[b]), max(new[a], new[b])): row for (a, b), row in sheet.edge_rows.items()
    }


# ------------------------------------------------------------------------------------------------------ cells


def _data_fields(dom: Dom) -> dict[str, FieldInfo]:
    """What a map says: constants, and how the states of edges begin."""
    found: dict[str, FieldInfo] = {}
    for name, info in dom.fields.items():
        if info.column is not None:
            found[name] = info
        elif info.printed is not None:
            found[name] = replace(info, field=None, column=info.printed)
    return found


def _cells(reader: CellReader, entry: LoadedMap, space: Dom, sheet: _Sheet) -> None:
    filler = _Filler(reader, entry)
    for dom in (space, *space.classes):
        for info in _data_fields(dom).values():
            assert info.column is not None
            entry.columns.setdefault(info.column, {})
    for place, name in enumerate(sheet.names):
        part = space.classes[sheet.classes[place]] if space.classes else None
        owners = [(space, place)]
        if part is not None:
            owners.append((part, space.base + place - part.base))
        fields = {n: i for owner, _ in owners for n, i in _data_fields(owner).items()}
        what = f"{space.name if part is None else part.name} {name}"
        row = _known(reader, fields, sheet.rows[place], what, _state_names(space, part))
        for owner, ordinal in owners:
            filler.fill(_data_fields(owner), row, ordinal, what, sheet.spans[place])
    filler.tell_missing()
    if space.edges is None:
        return
    fields = _data_fields(space.edges)
    edges = {pair: number for number, pair in enumerate(zip(entry.data.edge_a, entry.data.edge_b))}
    for info in fields.values():
        assert info.column is not None
        column = entry.columns.setdefault(info.column, {})
        default = reader.default(info)
        if default is None:  # most edges have nothing on them, so that nothing need be said
            default = plain_default(info.type)
        for number in edges.values():
            reader.spread(info.axes, (number,), column, default)
    for pair, given in sheet.edge_rows.items():
        number = edges[pair]
        what = f"{space.edges.name} {space.edges.members[number]}"
        for name, (_span, node) in _known(reader, fields, given, what, ()).items():
            filler.cell(fields[name], node, number, f"{what}: {name}")


def _drawn_at(rows: YNode | None, row: int) -> Span | None:
    """Where a map should draw the places of a row; None if it is not drawn."""
    if isinstance(rows, YList) and row < len(rows.items):
        return rows.items[row].span
    return rows.span if rows is not None else None


class _Filler:
    """Fills the cells of places.  A value of the legend serves many places: it is read, and blamed, once."""

    def __init__(self, reader: CellReader, entry: LoadedMap) -> None:
        self.reader = reader
        self.entry = entry
        self._read: dict[tuple[int, int], dict[Index, Value]] = {}
        self._missing: dict[str, list[tuple[str, Span]]] = {}

    def cell(self, info: FieldInfo, node: YNode, ordinal: int, what: str) -> None:
        assert info.column is not None
        key = (info.column, id(node))
        if key not in self._read:
            self._read[key] = {}
            self.reader.column(info, node, (), self._read[key], what)
        column = self.entry.columns[info.column]
        for index, value in self._read[key].items():
            column[(ordinal, *index)] = value

    def fill(self, fields: Mapping[str, FieldInfo], row: _Row, ordinal: int, what: str, span: Span) -> None:
        for name, info in fields.items():
            assert info.column is not None
            given = row.get(name)
            if given is not None:
                self.cell(info, given[1], ordinal, f"{what}: {name}")
                continue
            default = self.reader.default(info)
            if default is None:
                # What a map does not print in a place is not there; anything else must be said.
                if info.type.sort not in ("flag", "set", "unknown"):
                    self._missing.setdefault(name, []).append((what, span))
                default = plain_default(info.type)
            self.reader.spread(info.axes, (ordinal,), self.entry.columns[info.column], default)

    def tell_missing(self) -> None:
        wrongly_drawn = self._wrongly_drawn() if self._missing else frozenset()
        for name, missing in self._missing.items():
            places = [(what, span) for what, span in missing if span not in wrongly_drawn]
            if not places:
                continue
            what, span = places[0]
            others = f" and {len(places) - 1} more lack" if len(places) > 1 else " lacks"
            hint = "give it in the legend, or for all places below `default:`" if len(places) > 1 else None
            self.reader.sink.error("GR0603", span, f"{what}{others} `{name}`", hint=hint)

    def _wrongly_drawn(self) -> frozenset[Span]:
        """Where places are that the drawing gives no symbol, or one that the legend lacks: that is told already."""
        told = [d.span for d in self.reader.sink if d.code in ("GR0404", "GR0608")]
        return frozenset(span for span in told if span is not None)


def _state_names(space: Dom, part: Dom | None) -> list[str]:
    owners = [space] if part is None else [space, part]
    return [name for owner in owners for name, info in owner.fields.items() if info.field is not None]


def _known(
    reader: CellReader, fields: Mapping[str, FieldInfo], row: _Row, what: str, state: Iterable[str]
) -> _Row:
    """The entries of a row that are declared; a GR0602 for each of the others."""
    good: _Row = {}
    for name, (span, node) in row.items():
        if name in fields:
            good[name] = (span, node)
        elif name in state:
            advice = "it changes in play: give it below `places:` of a scenario"
            reader.sink.error("GR0602", span, f"{what}: `{name}` is no map data", hint=advice)
        else:
            hint = None if reader.sink.full else hint_for(name, fields)
            reader.sink.error("GR0602", span, f"{what} has no field `{name}`", hint=hint)
    return good


# ------------------------------------------------------------------------------------------------ plain boards


def _plain_sheet(world: World, space: Dom, spec: BoardSpec) -> _Sheet:
    """Hexes lie as the title's directions say, squares as squares."""
    pointy = world.direction is not None and world.direction.members == POINTY_DIRECTIONS
    sort = "squares" if space.space_sort == "squares" else "hexes"
    layout: GridLayout = "odd-r" if pointy else "odd-q"
    sheet = _grid(sort, layout, spec.columns, spec.rows, Numbering("{col:02}{row:02}"), set(), "")
    sheet.classes = [0] * len(sheet.names)
    return sheet


def _plain_cells(reader: CellReader, entry: LoadedMap, space: Dom, spec: BoardSpec) -> None:
    terrain = next(
        (i for i in _data_fields(space).values() if i.type.dom is not None and i.type.dom.sort == "kind"),
        None,
    )
    span = spec.span or Span("", 0, 0, 0, 0)
    for dom in (space, *space.classes, *([space.edges] if space.edges else [])):
        for info in _data_fields(dom).values():
            assert info.column is not None
            column = entry.columns.setdefault(info.column, {})
            value: Value | None = reader.default(info)
            if info is terrain and info.type.sort == "dom":
                assert info.type.dom
                value = reader.member(info.type.dom, spec.terrain, span)
            if value is None:
                value = plain_default(info.type)
            for place in range(len(dom.members)):
                reader.spread(info.axes, (place,), column, value)
    for name, member, where in spec.terrain_at:
        found = reader.member(space, name, where or span)
        if terrain is None or terrain.column is None or terrain.type.dom is None or found is None:
            continue
        value = reader.member(terrain.type.dom, member, where or span)
        if value is not None:
            entry.columns[terrain.column][(found - space.base,)] = value
    for mark in spec.marks:
        _mark_cells(reader, entry, space, mark)


def _mark_cells(reader: CellReader, entry: LoadedMap, space: Dom, mark: BoardMark) -> None:
    """What an example draws on its board."""
    owner = space.edges if mark.along else space
    fields = _data_fields(owner) if owner is not None else {}
    info = fields.get(mark.name)
    if info is None or info.column is None or info.axes or owner is None:
        what = "hexsides" if mark.along else "places"
        reader.sink.error(
            "GR0203",
            mark.span,
            f"{what} of {space.name} have no map data `{mark.name}`",
            hint=hint_for(mark.name, fields),
        )
        return
    value = reader.literal(info.type, mark.value)
    found = [(reader.member(space, name, span), span) for name, span in mark.places]
    if value is None or any(place is None for place, _ in found):
        return
    numbers = [(place - space.base, span) for place, span in found if place is not None]
    if not mark.along:
        for number, _ in numbers:
            entry.columns[info.column][(number,)] = value
        return
    edges = {pair: number for number, pair in enumerate(zip(entry.data.edge_a, entry.data.edge_b))}
    for (a, _), (b, span) in pairwise(numbers):
        edge = edges.get((min(a, b), max(a, b)))
        if edge is None:
            names = " and ".join(space.members[n] for n in (a, b))
            reader.sink.error("GR0609", span, f"{names} are not next to each other")
        else:
            entry.columns[info.column][(edge,)] = value


# ------------------------------------------------------------------------------------------------------- grids


def _grid(
    sort: str,
    layout: GridLayout,
    columns: int,
    rows: int,
    numbering: Numbering,
    absent: set[tuple[int, int]],
    board: str,
) -> _Sheet:
    """The cells of a rectangle, column by column; raises GeometryError for a numbering that does not fit."""
    places = [(c, r) for c in range(columns) for r in range(rows) if (c, r) not in absent]
    names = [numbering.print(Place(c, r, board)) for c, r in places]
    sheet = _Sheet(sort, names, list(names))
    if sort == "squares":
        at = {place: number for number, place in enumerate(places)}
        sheet.q, sheet.r = [c for c, _ in places], [r for _, r in places]
        sheet.around = [[at.get((c + dc, r + dr), NONE) for dc, dr in SQUARE_STEPS] for c, r in places]
        return sheet
    orientation = layout_orientation(layout)
    axial = [offset_to_axial(layout, c, r) for c, r in places]
    _lay_hexes(sheet, HexMap.from_axial(orientation, axial, names))
    return sheet


def _lay_hexes(sheet: _Sheet, hexmap: HexMap) -> None:
    sheet.flat = hexmap.orientation == "flat"
    sheet.q = [q for q, _ in hexmap.coordinates]
    sheet.r = [r for _, r in hexmap.coordinates]
    sheet.around = [list(around) for around in hexmap.neighbours]


class _MapLoader:
    """Reads map files into sheets."""

    def __init__(self, world: World, project: Project) -> None:
        self.world = world
        self.project = project
        self.sink = world.sink
        self._bad: set[str] = set()  # areas left out because of an error, which need no second one

    def sheet(self, choice: MapChoice) -> _Sheet | None:
        if choice.node is None and not choice.path:
            return None
        node = choice.node or self.project.load_data(choice.path, choice.span, self.sink)
        if node is None:
            return None
        what = f'"{choice.path}"' if choice.path else "the map"
        if isinstance(node, YScalar) and node.value is None:
            self.sink.error("GR0613", node.span, f"{what} is empty")
            return None
        table = expect_map(node, self.sink, what)
        if table is None:
            return None
        sort = choice.space.space_sort
        sheet: _Sheet | None
        try:
            if sort not in ("hexes", "squares"):
                sheet = self._areas(choice.space, table, what)
            elif table.get("boards") is not None:
                sheet = self._boards(choice.space, table, what)
            else:
                sheet = self._grid_file(choice.space, table, what, "")
        except GeometryError as problem:
            self.sink.error("GR0614", table.span, f"{what}: {problem}")
            return None
        if sheet is not None and not sheet.names:
            self.sink.error("GR0613", table.span, f"{what} has no places")
            return None
        if sheet is not None and sort == "hexes" and self.world.direction is not None:
            # Rules were checked with the names of these directions, so that all maps must agree.
            if self.world.direction.members != (FLAT_DIRECTIONS if sheet.flat else POINTY_DIRECTIONS):
                shape = "flat" if sheet.flat else "pointy"
                self.sink.error("GR0614", table.span, f"{what} has {shape}-top hexes, other maps do not")
                return None
        return sheet

    # ---- hexes and squares

    def _grid_file(self, space: Dom, table: YMap, what: str, board: str) -> _Sheet | None:
        sort = space.space_sort
        check_keys(table, self.sink, what, required=("grid",), optional=(*_GRID_KEYS, sort, *_MAP_KEYS))
        grid_node = table.get("grid")
        grid = expect_map(grid_node, self.sink, f"{what}: grid") if grid_node is not None else None
        if grid is None:
            return None
        optional = ["layout", "numbering", "first", "first_row", "absent"]
        if not check_keys(grid, self.sink, f"{what}: grid", required=("columns", "rows"), optional=optional):
            return None
        columns = self._size(grid, "columns")
        rows = self._size(grid, "rows")
        layout = self._layout(grid, sort)
        numbering = self._numbering(grid, rows or 1)
        if columns is None or rows is None or layout is None or numbering is None:
            return None
        legend = self._legend(space, table, what)
        symbols = self._symbols(table.get("rows"), columns, rows, what)
        absent = {place for place, (text, _) in symbols.items() if text in legend and legend[text] is None}
        if grid.get("absent") is not None:
            absent |= self._absent(grid, numbering, board)
        sheet = _grid(sort, layout, columns, rows, numbering, absent, board)
        places = [(c, r) for c in range(columns) for r in range(rows) if (c, r) not in absent]
        default = self._declared(
            space, self._row_of(table.get("default"), f"{what}: default"), f"{what}: default"
        )
        extra = {
            name: self._extra_grid(node, columns, rows, f"{what}: {name}")
            for name, node in self._grids(space, table, what)
        }
        for place in places:
            row = dict(default)
            sheet.spans.append(_drawn_at(table.get("rows"), place[1]) or grid.span)
            if place in symbols:
                text, span = symbols[place]
                sheet.spans[-1] = span
                if text in legend:
                    row.update(legend[text] or {})
                elif legend or table.get("rows") is not None:
                    hint = None if self.sink.full else hint_for(text, legend)
                    self.sink.error("GR0608", span, f"the legend has no `{text}`", hint=hint)
            for name, cells in extra.items():
                if place in cells:
                    row[name] = cells[place]
            sheet.rows.append(row)
        sheet.classes = [0] * len(places)
        self._places(sheet, table.get(sort), f"{what}: {sort}", sort)
        self._edges(sheet, table.get("edges"), what)
        return sheet

    def _size(self, grid: YMap, key: str) -> int | None:
        node = grid.get(key)
        return None if node is None else expect_int(node, self.sink, f"grid: {key}", 1, MAX_SIDE)

    def _layout(self, grid: YMap, sort: str) -> GridLayout | None:
        node = grid.get("layout")
        if node is None:
            return "odd-q"
        text = expect_text(node, self.sink, "grid: layout")
        for known in LAYOUTS:
            if text == known and sort == "hexes":
                return known
        if text is not None:
            known_names = LAYOUTS if sort == "hexes" else ()
            self.sink.error(
                "GR0604",
                node.span,
                f"`{text}` is no layout of {sort}",
                hint=hint_for(text, known_names)
                or (f"one of {', '.join(known_names)}" if known_names else None),
            )
        return None

    def _numbering(self, grid: YMap, rows: int) -> Numbering | None:
        node = grid.get("numbering")
        pattern = "{col:02}{row:02}" if node is None else expect_text(node, self.sink, "grid: numbering")
        first = [1, 1]
        given = grid.get("first")
        if given is not None:
            items = expect_list(given, self.sink, "grid: first")
            numbers = [expect_int(i, self.sink, "grid: first", 0) for i in items.items] if items else []
            if len(numbers) != 2 or None in numbers:
                if items is not None and len(numbers) != 2:
                    self.sink.error("GR0604", given.span, "grid: first must be [column, row]")
                return None
            first = [n for n in numbers if n is not None]
        bottom = False
        at = grid.get("first_row")
        if at is not None:
            text = expect_text(at, self.sink, "grid: first_row")
            if text not in ("top", "bottom"):
                self.sink.error("GR0604", at.span, "grid: first_row must be `top` or `bottom`")
            bottom = text == "bottom"
        if pattern is None:
            return None
        try:
            if bottom:
                return Numbering(pattern, first[0], first[1] + rows - 1, 1, -1)
            return Numbering(pattern, first[0], first[1])
        except GeometryError as problem:
            assert node is not None
            self.sink.error("GR0604", node.span, str(problem))
            return None

    def _absent(self, grid: YMap, numbering: Numbering, board: str) -> set[tuple[int, int]]:
        node = grid.get("absent")
        items = expect_list(node, self.sink, "grid: absent") if node is not None else None
        found: set[tuple[int, int]] = set()
        for item in items.items if items else ():
            text = expect_text(item, self.sink, "grid: absent")
            try:
                if text is not None:
                    column, row, _ = numbering.parse(text)
                    found.add((column, row))
            except GeometryError as problem:
                self.sink.error("GR0609", item.span, str(problem))
        return found

    def _legend(self, space: Dom, table: YMap, what: str) -> dict[str, _Row | None]:
        node = table.get("legend")
        legend = expect_map(node, self.sink, f"{what}: legend") if node is not None else None
        found: dict[str, _Row | None] = {}
        for key, entry in legend.entries.items() if legend else ():
            if len(key) != 1:
                self.sink.error("GR0604", entry.key_span, f"`{key}` in the legend must be a single symbol")
            elif isinstance(entry.value, YScalar) and entry.value.value is None:
                found[key] = None  # no place of the map at all
            else:
                row = self._row_of(entry.value, f"{what}: legend {key}")
                found[key] = self._declared(space, row, f"{what}: legend {key}")
        return found

    def _row_of(self, node: YNode | None, what: str) -> _Row:
        if node is None:
            return {}
        row = expect_map(node, self.sink, what)
        return {key: (entry.key_span, entry.value) for key, entry in row.entries.items()} if row else {}

    def _declared(self, space: Dom, row: _Row, what: str) -> _Row:
        """What is said of many places at once is checked at once, not in each of them."""
        owners = [space, *space.classes]
        fields = {n: i for owner in owners for n, i in _data_fields(owner).items()}
        state = [name for owner in owners for name in _state_names(owner, None)]
        return _known(CellReader(self.world), fields, row, what, state)

    def _lines(self, node: YNode, rows: int, what: str) -> list[tuple[str, YScalar]]:
        items = expect_list(node, self.sink, what)
        if items is None:
            return []
        if len(items.items) != rows:
            self.sink.error(
                "GR0404", items.span, f"{what} has {len(items.items)} lines, the grid has {rows} rows"
            )
        lines: list[tuple[str, YScalar]] = []
        for item in items.items[:rows]:
            text = expect_text(item, self.sink, what)
            if text is not None and isinstance(item, YScalar):
                lines.append((text, item))
            else:
                lines.append(("", YScalar("", item.span, "")))
        return lines

    def _symbols(
        self, node: YNode | None, columns: int, rows: int, what: str
    ) -> dict[tuple[int, int], tuple[str, Span]]:
        """The drawn map: the symbol at each (column, row), with its own span."""
        found: dict[tuple[int, int], tuple[str, Span]] = {}
        if node is None:
            return found
        for row, (text, item) in enumerate(self._lines(node, rows, f"{what}: rows")):
            symbols = [(offset, char) for offset, char in enumerate(text) if char != " "]
            if len(symbols) != columns:
                self.sink.error(
                    "GR0404", item.span, f"{len(symbols)} symbols in this row, the grid has {columns} columns"
                )
            for column, (offset, char) in enumerate(symbols[:columns]):
                found[column, row] = (char, _part_span(item, offset, 1))
        return found

    def _grids(self, space: Dom, table: YMap, what: str) -> list[tuple[str, YNode]]:
        rows = self._declared(space, self._row_of(table.get("grids"), f"{what}: grids"), f"{what}: grids")
        return [(key, node) for key, (_, node) in rows.items()]

    def _extra_grid(
        self, node: YNode, columns: int, rows: int, what: str
    ) -> dict[tuple[int, int], tuple[Span, YNode]]:
        """A grid of numbers: one digit for each column, or numbers with spaces between; `.` leaves it alone."""
        found: dict[tuple[int, int], tuple[Span, YNode]] = {}
        for row, (text, item) in enumerate(self._lines(node, rows, what)):
            cells = (
                _words(text)
                if len(text.split()) == columns
                else [(offset, char) for offset, char in enumerate(text) if char != " "]
            )
            if len(cells) != columns:
                self.sink.error(
                    "GR0404", item.span, f"{len(cells)} numbers in this row, the grid has {columns} columns"
                )
            for column, (offset, word) in enumerate(cells[:columns]):
                if word != ".":
                    span = _part_span(item, offset, len(word))
                    number: int | str = int(word) if word.lstrip("+-").isdigit() else word
                    found[column, row] = (span, YScalar(number, span, word))
        return found

    def _places(self, sheet: _Sheet, node: YNode | None, what: str, sort: str) -> None:
        """Single places that differ from what is drawn."""
        table = expect_map(node, self.sink, what) if node is not None else None
        if table is None:
            return
        index = sheet.index()
        for key, entry in table.entries.items():
            row = self._row_of(entry.value, f"{what} {key}")
            for name in (part.strip() for part in key.split(",")):
                place = self._place(index, name, entry.key_span)
                if place is not None:
                    sheet.rows[place].update(row)
                    sheet.spans[place] = entry.key_span

    def _place(self, index: Mapping[str, int], name: str, span: Span) -> int | None:
        if name in self._bad:
            return None
        if name not in index:
            hint = None if self.sink.full else hint_for(name, index)
            self.sink.error("GR0609", span, f"there is no `{name}` on this map", hint=hint)
            return None
        return index[name]

    # ---- edges

    def _edges(self, sheet: _Sheet, node: YNode | None, what: str) -> None:
        items = expect_list(node, self.sink, f"{what}: edges") if node is not None else None
        index = sheet.index()
        for item in items.items if items else ():
            entry = expect_map(item, self.sink, f"{what}: an edge")
            if entry is None:
                continue
            row = {
                key: (e.key_span, e.value)
                for key, e in entry.entries.items()
                if key not in ("between", "along", "of", "sides")
            }
            for a, b in self._pairs(sheet, index, entry):
                sheet.edge_rows.setdefault((min(a, b), max(a, b)), {}).update(row)

    def _pairs(self, sheet: _Sheet, index: Mapping[str, int], entry: YMap) -> list[tuple[int, int]]:
        forms = [key for key in ("between", "along", "of") if key in entry.entries]
        if len(forms) != 1:
            self.sink.error(
                "GR0603",
                entry.span,
                "an edge lacks `between`" if not forms else "an edge is given in two ways",
                hint="write between: [a, b], along: [a, b, c], or of: a with sides: [n, ne]",
            )
            return []
        form = forms[0]
        node = entry.entries[form].value
        if form == "of":
            return self._sides(sheet, index, entry, node)
        items = expect_list(node, self.sink, form)
        if items is None:
            return []
        if len(items.items) < 2 or (form == "between" and len(items.items) != 2):
            self.sink.error("GR0604", node.span, f"`{form}` needs two places")
            return []
        places: list[tuple[int, YNode]] = []
        for item in items.items:
            name = expect_text(item, self.sink, form)
            place = self._place(index, name, item.span) if name is not None else None
            if place is None:
                return []
            places.append((place, item))
        pairs: list[tuple[int, int]] = []
        for (a, _), (b, item) in pairwise(places):
            if b not in sheet.around[a]:
                self.sink.error("GR0609", item.span, f"`{sheet.names[b]}` is not next to `{sheet.names[a]}`")
                continue
            pairs.append((a, b))
        return pairs

    def _sides(
        self, sheet: _Sheet, index: Mapping[str, int], entry: YMap, node: YNode
    ) -> list[tuple[int, int]]:
        name = expect_text(node, self.sink, "of")
        place = self._place(index, name, node.span) if name is not None else None
        sides_node = entry.get("sides")
        if sides_node is None:
            self.sink.error("GR0603", entry.span, "an edge with `of` lacks `sides`")
            return []
        sides = expect_list(sides_node, self.sink, "sides")
        if sheet.sort == "squares":
            names = ["n", "ne", "e", "se", "s", "sw", "w", "nw"]
        else:
            names = FLAT_DIRECTIONS if sheet.flat else POINTY_DIRECTIONS
        pairs: list[tuple[int, int]] = []
        for item in sides.items if sides and place is not None else ():
            text = expect_text(item, self.sink, "sides")
            if text is None or place is None:
                continue
            if text not in names or sheet.sort not in ("hexes", "squares"):
                self.sink.error("GR0608", item.span, f"`{text}` is no direction of this map")
                continue
            other = sheet.around[place][names.index(text)]
            if other == NONE:
                self.sink.error("GR0609", item.span, f"`{name}` lies on the rim: nothing is {text} of it")
                continue
            pairs.append((place, other))
        return pairs

    # ---- joined boards

    def _boards(self, space: Dom, table: YMap, what: str) -> _Sheet | None:
        check_keys(table, self.sink, what, required=("boards",), optional=(*_BOARD_KEYS, *_MAP_KEYS))
        node = table.get("boards")
        items = expect_list(node, self.sink, f"{what}: boards") if node is not None else None
        if items is None or space.space_sort != "hexes":
            if space.space_sort != "hexes":
                self.sink.error("GR0614", table.span, f"{what}: only boards of hexes can be joined")
            return None
        seam = "whole"
        seam_node = table.get("seam")
        if seam_node is not None:
            text = expect_text(seam_node, self.sink, "seam") or ""
            if text not in _SEAMS:
                self.sink.error(
                    "GR0604", seam_node.span, f"seam must be `whole_hexes` or `merge_halves`, not `{text}`"
                )
            seam = _SEAMS.get(text, "whole")
        placements: dict[str, Placement] = {}
        named = False
        for item in items.items:
            made = self._board(space, item, placements, seam)
            if made is None:
                return None
            named = named or made
        default = self._declared(
            space, self._row_of(table.get("default"), f"{what}: default"), f"{what}: default"
        )
        format_ = "{cell}" if named else "{board}-{cell}"
        names_node = table.get("names")
        if names_node is not None:
            format_ = expect_text(names_node, self.sink, "names") or format_
        try:
            joined = join(list(placements.values()), "merge" if seam == "merge" else "whole", format_)
        except (KeyError, IndexError, ValueError) as problem:
            if isinstance(problem, GeometryError):
                raise
            self.sink.error("GR0604", (names_node or table).span, "names must be like {board}-{cell}")
            return None
        sheet = _Sheet("hexes", list(joined.hexmap.names), list(joined.hexmap.names))
        _lay_hexes(sheet, joined.hexmap)
        sheet.aliases = {
            name: cell for name, cell in joined.hexmap.index_by_name.items() if sheet.names[cell] != name
        }
        for fields in joined.cell_fields:
            row = {k: v for k, v in fields.items() if k != " span"}
            sheet.rows.append({**default, **row})
            sheet.spans.append(fields[" span"])
        for (cell, d), fields in joined.edge_fields.items():
            other = sheet.around[cell][d]
            if other != NONE:
                pair = (min(cell, other), max(cell, other))
                sheet.edge_rows[pair] = {k: (v.node.span, v.node) for k, v in fields.items()}
        sheet.classes = [0] * len(sheet.names)
        self._places(sheet, table.get("hexes"), f"{what}: hexes", "hexes")
        self._edges(sheet, table.get("edges"), what)
        return sheet

    def _board(
        self,
        space: Dom,
        item: YNode,
        placements: dict[str, Placement],
        seam: str,
    ) -> bool | None:
        """Lay one more board; whether its numbering names the board, None after an error."""
        entry = expect_map(item, self.sink, "a board")
        keys = ["joins", "at", "offset", "turn"]
        if entry is None or not check_keys(
            entry, self.sink, "a board", required=("board", "name"), optional=keys
        ):
            return None
        path_node, name_node = entry.entries["board"].value, entry.entries["name"].value
        path = expect_text(path_node, self.sink, "board")
        name = expect_text(name_node, self.sink, "name")
        turn_node, offset_node = entry.get("turn"), entry.get("offset")
        turn = 0 if turn_node is None else expect_int(turn_node, self.sink, "turn", 0, 300)
        offset = (
            0 if offset_node is None else expect_int(offset_node, self.sink, "offset", -MAX_SIDE, MAX_SIDE)
        )
        if path is None or name is None or turn is None or offset is None:
            return None
        if turn % 60:
            assert turn_node
            self.sink.error("GR0605", turn_node.span, f"turn must be a multiple of 60 degrees, not {turn}")
            return None
        if name in placements:
            self.sink.error("GR0606", name_node.span, f"two boards are called `{name}`")
            return None
        node = self.project.load_data(path, path_node.span, self.sink)
        table = expect_map(node, self.sink, f'"{path}"') if node is not None else None
        sheet = self._grid_file(space, table, f'"{path}"', name) if table is not None else None
        if sheet is None:
            return None
        board = _as_board(name, sheet).rotated(turn // 60)
        named = "{board}" in _pattern(table)
        try:
            placements[name] = self._lay(board, entry, placements, seam, offset)
        except GeometryError as problem:
            self.sink.error("GR0614", item.span, str(problem))
            return None
        except KeyError:
            return None
        return named

    def _lay(
        self, board: Board, entry: YMap, placements: dict[str, Placement], seam: str, offset: int
    ) -> Placement:
        joins = entry.get("joins")
        if joins is None:
            if placements:
                self.sink.error("GR0603", entry.span, f"board `{board.name}` lacks `joins`")
                raise KeyError
            return Placement(board)
        other = expect_text(joins, self.sink, "joins")
        if other not in placements:
            if other is not None:
                self.sink.error(
                    "GR0608",
                    joins.span,
                    f"there is no board `{other}` before this one",
                    hint=hint_for(other, placements),
                )
            raise KeyError
        at = entry.get("at")
        side = expect_text(at, self.sink, "at") if at is not None else "right"
        if side not in _SIDES:
            assert at is not None
            self.sink.error("GR0604", at.span, f"at must be one of {', '.join(_SIDES)}, not {describe(at)}")
            raise KeyError
        return lay_board(board, placements[other], side, seam == "merge", offset)

    # ---- areas

    def _areas(self, space: Dom, table: YMap, what: str) -> _Sheet | None:
        check_keys(table, self.sink, what, optional=(*_AREA_KEYS, *_MAP_KEYS))
        forms = [key for key in ("areas", "boxes", "track") if key in table.entries]
        if len(forms) != 1:
            lacks = (
                f"{what} lacks `areas`" if not forms else f"{what} lists its places twice: {', '.join(forms)}"
            )
            self.sink.error("GR0603", table.span, lacks)
            return None
        node = table.entries[forms[0]].value
        sheet = _Sheet("areas")
        default = self._declared(
            space, self._row_of(table.get("default"), f"{what}: default"), f"{what}: default"
        )
        adjacent: list[list[tuple[str, Span]]] = []
        for name, span, row_node in self._area_rows(node, what):
            row = self._row_of(row_node, f"{what}: {name}")
            part = self._class(space, name, row.pop("class", None), span)
            if part is None:
                self._bad.add(name)
                continue
            title = row.pop("name", None)
            shown = expect_text(title[1], self.sink, f"{name}: name") if title else None
            adjacent.append(self._names(row.pop("adjacent", None), f"{name}: adjacent"))
            for key in ("cite", "note"):
                row.pop(key, None)
            sheet.names.append(name)
            sheet.titles.append(shown or name.replace("_", " "))
            sheet.spans.append(span)
            fields = {**space.fields, **(space.classes[part].fields if space.classes else {})}
            sheet.rows.append({**{k: v for k, v in default.items() if k in fields}, **row})
            sheet.classes.append(part)
        self._adjacency(sheet, adjacent, space.space_sort == "track")
        self._edges(sheet, table.get("edges"), what)
        return sheet

    def _area_rows(self, node: YNode, what: str) -> list[tuple[str, Span, YNode | None]]:
        """Areas with their rows; boxes without fields may be a list of names, or how many there are."""
        if isinstance(node, YScalar) and isinstance(node.value, int) and not isinstance(node.value, bool):
            count = expect_int(node, self.sink, what, 1, 10_000) or 0
            return [(str(number), node.span, None) for number in range(1, count + 1)]
        if isinstance(node, YList):
            found: list[tuple[str, Span, YNode | None]] = []
            for item in node.items:
                name = expect_text(item, self.sink, f"{what}: a place")
                if name is not None and any(name == known for known, _, _ in found):
                    self.sink.error("GR0606", item.span, f"the place `{name}` is given twice")
                elif name is not None:
                    found.append((name, item.span, None))
            return found
        table = expect_map(node, self.sink, f"{what}: areas")
        if table is None:
            return []
        return [
            (key, e.key_span, None if isinstance(e.value, YScalar) and e.value.value is None else e.value)
            for key, e in table.entries.items()
        ]

    def _class(self, space: Dom, name: str, given: tuple[Span, YNode] | None, span: Span) -> int | None:
        names = [part.name for part in space.classes]
        if given is None:
            if names:
                self.sink.error("GR0603", span, f"{name} lacks `class`", hint=f"one of {', '.join(names)}")
                return None
            return 0
        text = expect_text(given[1], self.sink, f"{name}: class")
        if text is None:
            return None
        if text not in names:
            self.sink.error(
                "GR0608", given[1].span, f"{space.name} has no class `{text}`", hint=hint_for(text, names)
            )
            return None
        return names.index(text)

    def _names(self, given: tuple[Span, YNode] | None, what: str) -> list[tuple[str, Span]]:
        if given is None:
            return []
        items = expect_list(given[1], self.sink, what)
        found: list[tuple[str, Span]] = []
        for item in items.items if items else ():
            name = expect_text(item, self.sink, what)
            if name is not None:
                found.append((name, item.span))
        return found

    def _adjacency(self, sheet: _Sheet, adjacent: list[list[tuple[str, Span]]], track: bool) -> None:
        index = sheet.index()
        links: list[set[int]] = [set() for _ in sheet.names]
        places: list[tuple[int, int, Span]] = []
        for a, names in enumerate(adjacent):
            for name, span in names:
                b = self._place(index, name, span)
                if b == a:
                    self.sink.error("GR0614", span, f"`{name}` cannot be next to itself")
                elif b is not None:
                    links[a].add(b)
                    places.append((a, b, span))
        if track and not places:
            links = [{b for b in (a - 1, a + 1) if 0 <= b < len(links)} for a in range(len(links))]
        for a, b, span in places:
            if a not in links[b]:
                self.sink.warning(
                    "GR0612",
                    span,
                    f"`{sheet.names[a]}` is next to `{sheet.names[b]}`, but not the other way round",
                    hint=f"add `{sheet.names[a]}` to the neighbours of `{sheet.names[b]}`; taken as mutual",
                )
        for a, b, _ in places:
            links[b].add(a)
        sheet.around = [sorted(link) for link in links]


def _pattern(table: YMap | None) -> str:
    grid = table.get("grid") if table is not None else None
    node = grid.get("numbering") if isinstance(grid, YMap) else None
    return node.text if isinstance(node, YScalar) else ""


def _as_board(name: str, sheet: _Sheet) -> Board:
    """The sheet as a board; hexsides are handed over as values that compare by what they say."""
    orientation = "flat" if sheet.flat else "pointy"
    steps = STEPS["flat" if sheet.flat else "pointy"]
    edges: dict[tuple[int, int, int], dict[str, Any]] = {}
    for (a, b), row in sheet.edge_rows.items():
        d = steps.index((sheet.q[b] - sheet.q[a], sheet.r[b] - sheet.r[a]))
        q, r = (sheet.q[a], sheet.r[a]) if d < 3 else (sheet.q[b], sheet.r[b])
        edges[q, r, d % 3] = {key: _Printed(node) for key, (_, node) in row.items()}
    return Board(
        name,
        orientation,  # type: ignore[arg-type]
        tuple(zip(sheet.q, sheet.r)),
        tuple(sheet.names),
        tuple({**row, " span": span} for row, span in zip(sheet.rows, sheet.spans)),
        edges,
    )


def lay_board(board: Board, other: Placement, side: str, merge: bool, offset: int) -> Placement:
    """The board laid against one side of another: rims side by side, or half hexes onto each other.

    Along the seam the corners of the two boards are level, give or take half a hex where the layouts do not
    match; `offset` shifts the new board by so many hexes, down or to the right."""
    shift = other.shift
    theirs = [(q + shift[0], r + shift[1]) for q, r in other.board.coordinates]
    ours = list(board.coordinates)
    flat = board.orientation == "flat"
    if not flat:  # pointy hexes have straight rows where flat ones have straight columns
        theirs = [(r, q) for q, r in theirs]
        ours = [(r, q) for q, r in ours]
    along = side in (("left", "right") if flat else ("top", "bottom"))
    before = side in ("left", "top")
    gap = 0 if merge else 1
    if along:  # straight lines meet: put ours next to theirs, then level them
        if before:
            dq = min(q for q, _ in theirs) - gap - max(q for q, _ in ours)
        else:
            dq = max(q for q, _ in theirs) + gap - min(q for q, _ in ours)
        level = min(2 * r + q for q, r in theirs) + 2 * offset - min(2 * r + q for q, r in ours) - dq
        dr = (level + 1) // 2
    else:  # staggered rims meet: slide until they touch
        dq = min(q for q, _ in theirs) - min(q for q, _ in ours) + offset
        by_line: dict[int, list[int]] = {}
        for q, r in theirs:
            by_line.setdefault(q, []).append(r)
        lines: dict[int, list[int]] = {}
        for q, r in ours:
            lines.setdefault(q + dq, []).append(r)
        shared = [q for q in lines if q in by_line]
        if not shared:
            raise GeometryError(f"board {board.name!r} does not touch board {other.board.name!r}")
        if before:
            dr = min(min(by_line[q]) - max(lines[q]) for q in shared) - gap
        else:
            dr = max(max(by_line[q]) - min(lines[q]) for q in shared) + gap
    return Placement(board, (dq, dr) if flat else (dr, dq))


def _part_span(item: YScalar, offset: int, length: int) -> Span:
    """The span of a part of a text that is written in one line, with or without quotes."""
    span = item.span
    width = span.end_column - span.column
    quotes = width - len(item.text)
    if span.line != span.end_line or quotes not in (0, 2):
        return span
    start = span.column + quotes // 2 + offset
    return Span(span.file, span.line, start, span.line, start + length)


def _words(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    place = 0
    for word in text.split():
        place = text.index(word, place)
        found.append((place, word))
        place += len(word)
    return found
