"""Maps that are joined from several boards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.data.maps.edges import read_edges
from grognard.compiler.data.maps.grids import differing_places, read_grid
from grognard.compiler.data.maps.sheets import (
    MAP_KEYS,
    MAX_SIDE,
    Sheet,
    lay_hexes,
)
from grognard.compiler.sema.types import Dom
from grognard.compiler.support.yamlfile import (
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
from grognard.contract.header import NONE
from grognard.geometry import STEPS, Board, GeometryError, Placement, join
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.data.maps.load import MapLoader

_BOARD_KEYS = ("boards", "seam", "names", "default", "hexes", "edges")
_SEAMS = {"whole_hexes": "whole", "merge_halves": "merge"}
_SIDES = ("right", "left", "top", "bottom")


@dataclass(frozen=True, slots=True, eq=False)
class _Printed:
    """A value on a board.  Values compare without their spans, so that boards can agree."""

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


def read_boards(loader: MapLoader, space: Dom, table: YMap, what: str) -> Sheet | None:
    check_keys(table, loader.sink, what, required=("boards",), optional=(*_BOARD_KEYS, *MAP_KEYS))
    node = table.get("boards")
    items = expect_list(node, loader.sink, f"{what}: boards") if node is not None else None
    if items is None or space.space_sort != "hexes":
        if space.space_sort != "hexes":
            loader.sink.error("GR0614", table.span, f"{what}: only boards of hexes can be joined")
        return None
    seam = "whole"
    seam_node = table.get("seam")
    if seam_node is not None:
        text = expect_text(seam_node, loader.sink, "seam") or ""
        if text not in _SEAMS:
            loader.sink.error(
                "GR0604", seam_node.span, f"seam must be `whole_hexes` or `merge_halves`, not `{text}`"
            )
        seam = _SEAMS.get(text, "whole")
    placements: dict[str, Placement] = {}
    named = False
    for item in items.items:
        made = _board(loader, space, item, placements, seam)
        if made is None:
            return None
        named = named or made
    default = loader.declared(
        space, loader.row_of(table.get("default"), f"{what}: default"), f"{what}: default"
    )
    format_ = "{cell}" if named else "{board}-{cell}"
    names_node = table.get("names")
    if names_node is not None:
        format_ = expect_text(names_node, loader.sink, "names") or format_
    try:
        joined = join(list(placements.values()), "merge" if seam == "merge" else "whole", format_)
    except (KeyError, IndexError, ValueError) as problem:
        if isinstance(problem, GeometryError):
            raise
        loader.sink.error("GR0604", (names_node or table).span, "names must be like {board}-{cell}")
        return None
    sheet = Sheet("hexes", list(joined.hexmap.names), list(joined.hexmap.names))
    lay_hexes(sheet, joined.hexmap)
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
    differing_places(loader, sheet, table.get("hexes"), f"{what}: hexes", "hexes")
    read_edges(loader, sheet, table.get("edges"), what)
    return sheet


def _board(
    loader: MapLoader,
    space: Dom,
    item: YNode,
    placements: dict[str, Placement],
    seam: str,
) -> bool | None:
    """Lay one more board; whether its numbering names the board, None after an error."""
    entry = expect_map(item, loader.sink, "a board")
    keys = ["joins", "at", "offset", "turn"]
    if entry is None or not check_keys(
        entry, loader.sink, "a board", required=("board", "name"), optional=keys
    ):
        return None
    path_node, name_node = entry.entries["board"].value, entry.entries["name"].value
    path = expect_text(path_node, loader.sink, "board")
    name = expect_text(name_node, loader.sink, "name")
    turn_node, offset_node = entry.get("turn"), entry.get("offset")
    turn = 0 if turn_node is None else expect_int(turn_node, loader.sink, "turn", 0, 300)
    offset = 0 if offset_node is None else expect_int(offset_node, loader.sink, "offset", -MAX_SIDE, MAX_SIDE)
    if path is None or name is None or turn is None or offset is None:
        return None
    if turn % 60:
        assert turn_node
        loader.sink.error("GR0605", turn_node.span, f"turn must be a multiple of 60 degrees, not {turn}")
        return None
    if name in placements:
        loader.sink.error("GR0606", name_node.span, f"two boards are called `{name}`")
        return None
    node = loader.project.load_data(path, path_node.span, loader.sink)
    table = expect_map(node, loader.sink, f'"{path}"') if node is not None else None
    sheet = read_grid(loader, space, table, f'"{path}"', name) if table is not None else None
    if sheet is None:
        return None
    board = _as_board(name, sheet).rotated(turn // 60)
    named = "{board}" in _pattern(table)
    try:
        placements[name] = _lay(loader, board, entry, placements, seam, offset)
    except GeometryError as problem:
        loader.sink.error("GR0614", item.span, str(problem))
        return None
    except KeyError:
        return None
    return named


def _lay(
    loader: MapLoader, board: Board, entry: YMap, placements: dict[str, Placement], seam: str, offset: int
) -> Placement:
    joins = entry.get("joins")
    if joins is None:
        if placements:
            loader.sink.error("GR0603", entry.span, f"board `{board.name}` lacks `joins`")
            raise KeyError
        return Placement(board)
    other = expect_text(joins, loader.sink, "joins")
    if other not in placements:
        if other is not None:
            loader.sink.error(
                "GR0608",
                joins.span,
                f"there is no board `{other}` before this one",
                hint=hint_for(other, placements),
            )
        raise KeyError
    at = entry.get("at")
    side = expect_text(at, loader.sink, "at") if at is not None else "right"
    if side not in _SIDES:
        assert at is not None
        loader.sink.error("GR0604", at.span, f"at must be one of {', '.join(_SIDES)}, not {describe(at)}")
        raise KeyError
    return lay_board(board, placements[other], side, seam == "merge", offset)


def _pattern(table: YMap | None) -> str:
    grid = table.get("grid") if table is not None else None
    node = grid.get("numbering") if isinstance(grid, YMap) else None
    return node.text if isinstance(node, YScalar) else ""


def _as_board(name: str, sheet: Sheet) -> Board:
    """The sheet as a board.  Hexsides become values that compare without their spans."""
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
