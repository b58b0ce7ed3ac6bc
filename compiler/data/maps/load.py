"""Maps: grids of hexes and squares, boards joined into one map, and graphs of areas, boxes and tracks.

Places of all spaces share one numbering, space after space in the order of their declarations; within a space its
classes are contiguous.  Edges have a numbering of their own of the same kind.  Structure (which places there are,
what is next to what) is read for all maps before any cell, because cells may name places of any map.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grognard.compiler.data.cells import CellReader
from grognard.compiler.data.ground import Ground
from grognard.compiler.data.maps.areas import read_areas
from grognard.compiler.data.maps.boards import read_boards
from grognard.compiler.data.maps.cells import (
    data_fields,
    fill_cells,
    known_entries,
    state_names,
)
from grognard.compiler.data.maps.grids import read_grid
from grognard.compiler.data.maps.numbering import number_places
from grognard.compiler.data.maps.parts import read_part
from grognard.compiler.data.maps.plain import (
    BoardSpec,
    plain_cells,
    plain_sheet,
)
from grognard.compiler.data.maps.sheets import (
    LoadedMap,
    MapChoice,
    Row,
    Sheet,
)
from grognard.compiler.layers.project import Project
from grognard.compiler.sema.types import (
    FLAT_DIRECTIONS,
    POINTY_DIRECTIONS,
    Dom,
)
from grognard.compiler.support.yamlfile import (
    YNode,
    YScalar,
    expect_map,
)
from grognard.geometry import GeometryError
from grognard.support.source import Span
from grognard.support.suggest import hint_for


def load_maps(
    ground: Ground,
    project: Project,
    choices: Sequence[MapChoice],
    boards: Mapping[int, BoardSpec] | None = None,
) -> list[LoadedMap]:
    """Load the maps of these spaces, given in the order of their declaration.

    `boards` gives, by the id of its domain, the plain board that a space has in an example of play."""
    loader = MapLoader(ground, project)
    sheets: list[tuple[Dom, Sheet]] = []
    for choice in choices:
        spec = (boards or {}).get(choice.space.id)
        sheet = plain_sheet(ground, choice.space, spec) if spec else loader.sheet(choice)
        # The data block has a map for every space, if need be an empty one, so that programs can count on it.
        grid = choice.space.space_sort in ("hexes", "squares")
        sheets.append((choice.space, sheet or Sheet(choice.space.space_sort if grid else "areas")))
    loaded = [number_places(ground, space, sheet) for space, sheet in sheets]
    reader = CellReader(ground, aliases={m.space.id: m.aliases for m in loaded})
    for entry, (space, sheet) in zip(loaded, sheets):
        spec = (boards or {}).get(space.id)
        if spec:
            plain_cells(reader, entry, space, spec)
        else:
            fill_cells(reader, entry, space, sheet)
    return loaded


class MapLoader:
    """Reads map files into sheets; what belongs to one sort of map is in a module of its own."""

    def __init__(self, ground: Ground, project: Project) -> None:
        self.ground = ground
        self.project = project
        self.sink = ground.sink
        self.bad: set[str] = set()  # areas left out because of an error, which need no second one
        self.within: list[str] = []  # the maps of which a part is being read

    def sheet(self, choice: MapChoice) -> Sheet | None:
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
        sheet: Sheet | None
        try:
            if sort not in ("hexes", "squares"):
                sheet = read_areas(self, choice.space, table, what)
            elif table.get("part_of") is not None:
                sheet = read_part(self, choice.space, table, what)
            elif table.get("boards") is not None:
                sheet = read_boards(self, choice.space, table, what)
            else:
                sheet = read_grid(self, choice.space, table, what, "")
        except GeometryError as problem:
            self.sink.error("GR0614", table.span, f"{what}: {problem}")
            return None
        if sheet is not None and not sheet.names:
            self.sink.error("GR0613", table.span, f"{what} has no places")
            return None
        if sheet is not None and sort == "hexes" and self.ground.symbols.direction is not None:
            # Rules were checked with the names of these directions, so that all maps must agree.
            if self.ground.symbols.direction.members != (
                FLAT_DIRECTIONS if sheet.flat else POINTY_DIRECTIONS
            ):
                shape = "flat" if sheet.flat else "pointy"
                self.sink.error("GR0614", table.span, f"{what} has {shape}-top hexes, other maps do not")
                return None
        return sheet

    def row_of(self, node: YNode | None, what: str) -> Row:
        if node is None:
            return {}
        row = expect_map(node, self.sink, what)
        return {key: (entry.key_span, entry.value) for key, entry in row.entries.items()} if row else {}

    def declared(self, space: Dom, row: Row, what: str) -> Row:
        """Check a value that is given for many places once, not in each of them."""
        owners = [space, *space.classes]
        fields = {n: i for owner in owners for n, i in data_fields(owner).items()}
        state = [name for owner in owners for name in state_names(owner, None)]
        return known_entries(CellReader(self.ground), fields, row, what, state)

    def place(self, index: Mapping[str, int], name: str, span: Span) -> int | None:
        if name in self.bad:
            return None
        if name not in index:
            hint = None if self.sink.full else hint_for(name, index)
            self.sink.error("GR0609", span, f"there is no `{name}` on this map", hint=hint)
            return None
        return index[name]
