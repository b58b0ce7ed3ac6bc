"""Layout and data block laid out for C, and checked.

Generated code trusts its data block, so everything in it that code uses as an index is checked here, once.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from grognard.contract import ir
from grognard.contract.datablock import (
    AXIS_CELLS,
    TABLE_HEAD,
    DataBlock,
    MapData,
)
from grognard.contract.header import NONE
from grognard.contract.layout import (
    FrameLayout,
    Layout,
    local_words,
    own_parts,
    set_words,
    shape,
)

#: Lines up to this many hexes are laid out once per map; longer ones are walked at each question.
LINE_RANGE = 32


class DataError(ValueError):
    """A data block or layout that does not fit the program."""


@dataclass(slots=True)
class PreparedSpace:
    """A map as the C kernels want it."""

    hexes: bool
    sides: int  # directions: 6 hexes, 8 squares, 0 areas
    domain: int
    base: int
    n: int
    edge_base: int
    edges: int
    edge_a: array[int]
    edge_b: array[int]
    side_edge: array[int] | None
    start: array[int] = field(default_factory=lambda: array("i", [0]))
    adjacent: array[int] = field(default_factory=lambda: array("i", [0]))
    orientation: int = 0
    q: array[int] = field(default_factory=lambda: array("i", [0]))
    r: array[int] = field(default_factory=lambda: array("i", [0]))
    neighbours: array[int] = field(default_factory=lambda: array("i", [0]))
    grid: array[int] = field(default_factory=lambda: array("i", [0]))
    qmin: int = 0
    rmin: int = 0
    width: int = 0
    height: int = 0
    line_range: int = -1


@dataclass(slots=True)
class Prepared:
    """Layout and data as arrays that generated code points into.

    Each array of numbers has one cell more than it needs, because an empty array has no address."""

    cells: int
    journal_off: int
    journal_entries: int
    stack_off: int
    stack_cells: int
    dom_base: array[int]
    dom_count: array[int]
    dom_words: array[int]
    field_off: array[int]
    field_words: array[int]
    field_cells: array[int]
    field_lo: array[int]
    field_hi: array[int]
    frame_size: array[int]
    frame_site: array[int]
    local_start: array[int]
    frame_off: array[int]
    list_start: array[int]
    list_at: array[int]
    symbols: array[int]
    place_domain: array[int]
    columns: list[array[int]]
    tables: list[array[int]]
    spaces: list[PreparedSpace]
    likeness: list[tuple[int, int, array[int], array[int], array[int], array[int]]]
    spare_words: int
    shape: tuple[int, ...]


#: Words of a list that is cleared no further than it is filled.
LONG_LIST = 32


def _long_lists(machine: ir.Machine, frame: FrameLayout) -> list[tuple[int, int]]:
    """(where it begins, words) of the long lists of a frame, in their order."""
    return sorted(
        (offset, local.type.capacity + 1)
        for local, offset in zip(machine.locals, frame.offsets)
        if isinstance(local.type, ir.ListType) and local.type.capacity >= LONG_LIST
    )


def prepare(program: ir.Program, layout: Layout, data: DataBlock) -> Prepared:
    """Check that layout and data fit the program, and lay them out for C."""
    if len(layout.count) != len(program.domains) or len(layout.field_offset) != len(program.fields):
        raise DataError("the layout belongs to another program")
    for domain in program.domains:
        base, count = layout.base[domain.id], layout.count[domain.id]
        if count < 0 or (domain.zero_based and base != 0) or not -(2**31) < base <= 2**31 - 1 - count:
            raise DataError(f"domain {domain.name}: {count} values from {base} on")
    if len(data.symbols) != len(program.symbols):
        raise DataError("the data block has other symbols than the program")
    most_words = max((set_words(count) for count in layout.count), default=1)
    local_start = [0]
    for machine in program.machines:
        local_start.append(local_start[-1] + len(machine.locals))
    lists = [_long_lists(machine, frame) for machine, frame in zip(program.machines, layout.frames)]
    # Fields without elements may lie at the very end; their index checks fail, but something is read all the same.
    offsets = [at if cells else 0 for at, cells in zip(layout.field_offset, layout.field_cells)]
    return Prepared(
        cells=layout.cells,
        journal_off=layout.journal_offset,
        journal_entries=layout.journal_entries,
        stack_off=layout.stack_offset,
        stack_cells=layout.stack_cells,
        dom_base=_wide(layout.base),
        dom_count=_wide(layout.count),
        dom_words=_wide([set_words(count) for count in layout.count]),
        field_off=_wide(offsets),
        field_words=_wide(layout.field_words),
        field_cells=_wide(layout.field_cells),
        field_lo=_wide([entry.lo for entry in program.fields]),
        field_hi=_wide([entry.hi for entry in program.fields]),
        frame_size=_wide([frame.size for frame in layout.frames]),
        frame_site=_wide([machine.site for machine in program.machines]),
        local_start=_wide(local_start),
        frame_off=_wide([offset for frame in layout.frames for offset in frame.offsets]),
        list_start=_wide([*accumulate((len(found) for found in lists), initial=0)]),
        list_at=_wide([number for found in lists for place in found for number in place]),
        symbols=_cells(data.symbols),
        place_domain=_cells(data.place_domain),
        columns=[_column(entry, layout, data, most_words) for entry in program.columns],
        tables=[_table(entry, data) for entry in program.tables],
        spaces=_spaces(data),
        likeness=[_likeness(program, layout, domain.id) for domain in program.domains],
        spare_words=max(most_words, 64) + 16,
        shape=shape(program),
    )


def prepare_again(
    known: Prepared, program: ir.Program, layout: Layout, data: DataBlock, *, same_maps: bool
) -> Prepared:
    """As `prepare`, for other data in the same layout."""
    if len(data.symbols) != len(program.symbols):
        raise DataError("the data block has other symbols than the program")
    most_words = max((set_words(count) for count in layout.count), default=1)
    return replace(
        known,
        symbols=_cells(data.symbols),
        place_domain=_cells(data.place_domain),
        columns=[_column(entry, layout, data, most_words) for entry in program.columns],
        tables=[_table(entry, data) for entry in program.tables],
        spaces=known.spaces if same_maps else _spaces(data),
    )


def _wide(numbers: Sequence[int]) -> array[int]:
    return array("q", [*numbers, 0])


def _cells(numbers: Sequence[int]) -> array[int]:
    return array("i", [*numbers, 0])


def _column(entry: ir.Column, layout: Layout, data: DataBlock, most_words: int) -> array[int]:
    if entry.id >= len(data.columns):
        raise DataError(f"column {entry.name} is missing from the data block")
    size = local_words(entry.type, layout.count)
    for domain in entry.dims:
        size *= layout.count[domain]
    found = data.columns[entry.id]
    if len(found) != size:
        raise DataError(f"column {entry.name} has {len(found)} cells, not {size}")
    # After a failed index element 0 is read, which an empty column must have too.
    return array("i", [*found, *([0] * most_words)])


def _table(entry: ir.Table, data: DataBlock) -> array[int]:
    """The table, once all that lookups follow is known to stay inside it."""
    if entry.id >= len(data.tables):
        raise DataError(f"table {entry.name} is missing from the data block")
    table = data.tables[entry.id]
    head = TABLE_HEAD + AXIS_CELLS * entry.axes
    if len(table) < head or table[0] != entry.axes:
        raise DataError(f"table {entry.name} has not {entry.axes} axes")
    places = 1
    for axis in range(entry.axes):
        at = TABLE_HEAD + AXIS_CELLS * axis
        lo, hi, _flags, rows, offset = table[at : at + AXIS_CELLS]
        row_of = table[offset : offset + hi - lo + 1] if offset >= head and hi >= lo else array("i")
        if hi < lo or rows < 0 or len(row_of) != hi - lo + 1 or any(row >= rows for row in row_of):
            raise DataError(f"table {entry.name}: axis {axis + 1} is damaged")
        places *= rows
    if table[1] < head or table[1] + max(places, 1) > len(table):
        # A table without cells must not be asked at all; one cell more than none keeps even that harmless.
        raise DataError(f"table {entry.name} has too few cells")
    return array("i", table)


def _spaces(data: DataBlock) -> list[PreparedSpace]:
    made = [_space(entry) for entry in data.maps]
    taken: list[tuple[int, int]] = []
    for space in made:
        if any(space.base < end and start < space.base + space.n for start, end in taken):
            raise DataError("two maps claim the same places")
        taken.append((space.base, space.base + space.n))
    return made


def _space(entry: MapData) -> PreparedSpace:
    """A map, once all that questions follow is known to stay inside it."""
    n = entry.n
    if n < 0 or entry.base < 0 or entry.base + n > 2**31 - 1:
        raise DataError("a map lies outside the place numbers")
    edges = len(entry.edge_a)
    if len(entry.edge_b) != edges or not all(0 <= place < n for place in (*entry.edge_a, *entry.edge_b)):
        raise DataError("the edges of a map do not join its places")
    sides = {"hexes": 6, "squares": 8}.get(entry.sort, 0)
    entries = sides * n if sides else len(entry.adjacent)
    side_edge = entry.side_edge
    if side_edge and (len(side_edge) != entries or any(edge >= edges for edge in side_edge)):
        raise DataError("the edges of a map do not fit its places")
    space = PreparedSpace(
        hexes=entry.sort == "hexes",
        sides=sides,
        domain=entry.domain,
        base=entry.base,
        n=n,
        edge_base=entry.edge_base,
        edges=edges,
        edge_a=_cells(entry.edge_a),
        edge_b=_cells(entry.edge_b),
        side_edge=_cells(side_edge) if side_edge else None,
    )
    if space.hexes:
        _fill_hexes(space, entry)
    elif sides:
        _fill_squares(space, entry)
    else:
        steps = entry.start
        if (
            len(steps) != n + 1
            or steps[0] != 0
            or steps[-1] != len(entry.adjacent)
            or list(steps) != sorted(steps)
        ):
            raise DataError("the adjacency of an area map is damaged")
        if not all(0 <= place < n for place in entry.adjacent):
            raise DataError("an area map joins places that it does not have")
        space.start, space.adjacent = _cells(steps), _cells(entry.adjacent)
    return space


#: (column, row) steps of the eight directions of squares; row numbers grow southwards.
SQUARE_STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))


def _check_neighbours(space: PreparedSpace, entry: MapData, steps: Sequence[tuple[int, int]]) -> None:
    """Neighbours must lie where their direction says: rays and searches rely on it."""
    sides = len(steps)
    if len(entry.q) != space.n or len(entry.r) != space.n or len(entry.neighbours) != sides * space.n:
        raise DataError("a map has not as many coordinates as places")
    for number, cell in enumerate(entry.neighbours):
        if cell == NONE:
            continue
        at = number // sides
        if not 0 <= cell < space.n:
            raise DataError("a map's neighbours lie outside it")
        if (entry.q[cell] - entry.q[at], entry.r[cell] - entry.r[at]) != steps[number % sides]:
            raise DataError("a map's neighbours do not lie beside each other")


def _fill_squares(space: PreparedSpace, entry: MapData) -> None:
    _check_neighbours(space, entry, SQUARE_STEPS)
    space.q, space.r = _cells(entry.q), _cells(entry.r)
    space.neighbours = _cells(entry.neighbours)


def _fill_hexes(space: PreparedSpace, entry: MapData) -> None:
    # Imported here: what is kept has been laid out already.
    from grognard.geometry.directions import STEPS, Orientation
    from grognard.geometry.hexmap import HexMap

    orientation: Orientation = "flat" if entry.flat else "pointy"
    _check_neighbours(space, entry, STEPS[orientation])
    made = HexMap.from_axial(orientation, zip(entry.q, entry.r)).arrays()
    space.orientation = made.orientation
    space.q, space.r = _cells(made.q), _cells(made.r)
    space.neighbours = _cells(entry.neighbours)
    space.grid = _cells(made.grid)
    space.qmin, space.rmin, space.width, space.height = made.qmin, made.rmin, made.width, made.height
    space.line_range = LINE_RANGE


def _likeness(
    program: ir.Program, layout: Layout, domain: int
) -> tuple[int, int, array[int], array[int], array[int], array[int]]:
    """What distinguishes pieces of a domain: see `distinct` in ir/SEMANTICS.md."""
    own: list[tuple[int, int]] = []
    sets: list[int] = []
    lists: list[int] = []
    values: list[int] = []
    show = f"dom:{domain}"
    for entry in program.fields:
        start, words = layout.field_offset[entry.id], layout.field_words[entry.id]
        cells = layout.field_cells[entry.id]
        if not cells:
            continue
        own += own_parts(entry, layout, domain)
        match entry.type:
            case ir.SetType(domain=inner) if inner == domain:
                sets += (start, words, cells // words)
            case ir.ListType(show=shown) if shown == show:
                lists += (start, words, cells // words)
            case ir.IntType(show=shown) if shown == show:
                values += (start, cells)
    # Those of one word are compared without a call (grog_interchangeable), and come first.
    own.sort(key=lambda part: part[1] != 1)
    parts = _wide([number for part in own for number in part])
    return layout.base[domain], layout.count[domain], parts, _wide(sets), _wide(lists), _wide(values)
