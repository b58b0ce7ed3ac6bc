"""Boards: printed sheets of hexes that can be turned and laid together into one map.

A board keeps its own axial frame.  Turning it moves its cells and hexsides, never their printed names.
Boards meet in one of two ways:

    "whole"  hexes are printed whole; the boards lie side by side and share no hex
    "merge"  the boards print half hexes along their rims, and two halves make one hex

A merged hex takes its fields from the first board that prints it and answers to the names of both.
A hexside takes what either board prints on it; two boards that print different values for the same
thing contradict each other, which is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .common import GeometryError
from .directions import DIRECTION_NAMES, STEPS, Axial, Orientation, is_direction, rotated_axial
from .hexmap import HexMap, rectangle_places
from .numbering import Numbering, Place
from .offsets import Layout, check_layout, layout_orientation, offset_to_axial

Fields = Mapping[str, Any]
EdgeKey = tuple[int, int, int]
"""A hexside: the axial position of the hex on one side and the direction, 0 to 2, of the other."""

Seam = Literal["whole", "merge"]


def edge_key(orientation: Orientation, q: int, r: int, d: int) -> EdgeKey:
    """The one key of a hexside, whichever of its two hexes it is named from."""
    if not is_direction(d):
        raise GeometryError(f"{d} is no direction: expected 0 to 5")
    if d < 3:
        return q, r, d
    dq, dr = STEPS[orientation][d]
    return q + dq, r + dr, d - 3


@dataclass(frozen=True)
class Board:
    """A named sheet of hexes with the fields printed in its cells and on its hexsides."""

    name: str
    orientation: Orientation
    coordinates: tuple[Axial, ...]
    names: tuple[str, ...]
    cell_fields: tuple[Fields, ...] = field(hash=False)
    edge_fields: Mapping[EdgeKey, Fields] = field(hash=False)

    @classmethod
    def rectangle(
        cls,
        name: str,
        layout: Layout,
        columns: int,
        rows: int,
        numbering: Numbering | None = None,
        *,
        order: Literal["columns", "rows"] = "columns",
        absent: Iterable[tuple[int, int]] = (),
        cells: Mapping[str, Fields] | None = None,
        edges: Mapping[tuple[str, int], Fields] | None = None,
    ) -> Board:
        """A rectangle of columns and rows, less the (column, row) places that are absent.

        cells gives fields by printed name, edges by printed name and direction.
        """
        orientation = layout_orientation(check_layout(layout))
        printer = numbering or Numbering()
        missing = set(absent)
        places = [place for place in rectangle_places(columns, rows, order) if place not in missing]
        names = tuple(printer.print(Place(column, row, name)) for column, row in places)
        coordinates = tuple(offset_to_axial(layout, column, row) for column, row in places)
        where = dict(zip(names, coordinates))
        unknown = sorted((set(cells or {}) | {cell for cell, _ in edges or {}}) - set(where))
        if unknown:
            raise GeometryError(f"board {name!r} has no hex {', '.join(map(repr, unknown))}")
        printed = _PrintedEdges(orientation)
        for (cell, d), fields in (edges or {}).items():
            printed.add(edge_key(orientation, *where[cell], d), fields, name, cell, d)
        return cls(
            name,
            orientation,
            coordinates,
            names,
            tuple(dict((cells or {}).get(cell, {})) for cell in names),
            printed.fields(),
        )

    def position(self, cell: str) -> Axial:
        """Where the hex with this printed name lies in the board's own frame."""
        try:
            return self.coordinates[self.names.index(cell)]
        except ValueError:
            raise GeometryError(f"board {self.name!r} has no hex {cell!r}") from None

    def rotated(self, steps: int) -> Board:
        """The board turned clockwise by steps of 60 degrees; 3 turns it upside down.

        Every step is possible on a hex grid, though only half turns leave columns upright.
        """
        edges = {}
        for (q, r, d), fields in self.edge_fields.items():
            turned_q, turned_r = rotated_axial(q, r, steps)
            edges[edge_key(self.orientation, turned_q, turned_r, (d + steps) % 6)] = fields
        turned = tuple(rotated_axial(q, r, steps) for q, r in self.coordinates)
        return Board(self.name, self.orientation, turned, self.names, self.cell_fields, edges)


@dataclass(frozen=True)
class Placement:
    """A board on the table: its own axial frame shifted by `shift`."""

    board: Board
    shift: Axial = (0, 0)

    def position(self, cell: str) -> Axial:
        """Where the hex with this printed name lies on the table."""
        q, r = self.board.position(cell)
        return q + self.shift[0], r + self.shift[1]


def placed_onto(board: Board, cell: str, other: Placement, other_cell: str) -> Placement:
    """The board laid so that its hex `cell` is the hex `other_cell` of a board already placed."""
    q, r = board.position(cell)
    other_q, other_r = other.position(other_cell)
    return Placement(board, (other_q - q, other_r - r))


def placed_beside(board: Board, cell: str, other: Placement, other_cell: str, d: int) -> Placement:
    """The board laid so that its hex `cell` is next to `other_cell` of a placed board, in direction d from it."""
    if not is_direction(d):
        raise GeometryError(f"{d} is no direction: expected 0 to 5")
    onto = placed_onto(board, cell, other, other_cell)
    dq, dr = STEPS[board.orientation][d]
    return Placement(board, (onto.shift[0] + dq, onto.shift[1] + dr))


@dataclass(frozen=True)
class JoinedBoards:
    """The map that boards make together, with what they print."""

    hexmap: HexMap
    cell_fields: tuple[Fields, ...] = field(hash=False)
    edge_fields: Mapping[tuple[int, int], Fields] = field(hash=False)
    """By cell and direction; a hexside between two cells of the map stands under both of them."""
    boards: tuple[tuple[str, ...], ...]
    """For each cell the boards that print it."""

    def edge(self, cell: int, d: int) -> Fields:
        """What is printed on a hexside; empty if nothing is."""
        return self.edge_fields.get((cell, d), {})


def join(placements: Sequence[Placement], seam: Seam, name_format: str = "{board}-{cell}") -> JoinedBoards:
    """One map of all boards; cells are numbered board after board, each in its own order.

    name_format makes a name unique on the map; use "{cell}" if the boards' numbering names the board.
    """
    orientation = _common_orientation(placements)
    if seam not in ("whole", "merge"):
        raise GeometryError(f"unknown seam {seam!r}: expected 'whole' or 'merge'")
    index: dict[Axial, int] = {}
    names: list[str] = []
    aliases: dict[str, int] = {}
    fields: list[Fields] = []
    printed_by: list[list[Placement]] = []
    edges = _PrintedEdges(orientation)
    for placement in placements:
        board = placement.board
        for own_position, own_name, own_fields in zip(board.coordinates, board.names, board.cell_fields):
            at = (own_position[0] + placement.shift[0], own_position[1] + placement.shift[1])
            name = name_format.format(board=board.name, cell=own_name)
            if at not in index:
                index[at] = len(names)
                names.append(name)
                fields.append(own_fields)
                printed_by.append([placement])
                continue
            cell = index[at]
            _check_shared(seam, at, names[cell], name, [*printed_by[cell], placement])
            printed_by[cell].append(placement)
            if aliases.setdefault(name, cell) != cell:
                raise GeometryError(f"two hexes of the joined map are called {name!r}")
        for (q, r, d), edge in board.edge_fields.items():
            at = (q + placement.shift[0], r + placement.shift[1])
            there = (at[0] + STEPS[orientation][d][0], at[1] + STEPS[orientation][d][1])
            # A hexside on the rim may be keyed from the hex that only the neighbouring board has.
            seen_from, way = (at, d) if at in index else (there, d + 3)
            label = names[index[seen_from]] if seen_from in index else f"axial {at}"
            edges.add((*at, d), edge, board.name, label, way)
    hexmap = HexMap.from_axial(orientation, index, names, aliases)
    edge_fields: dict[tuple[int, int], Fields] = {}
    for (q, r, d), edge in edges.fields().items():
        dq, dr = STEPS[orientation][d]
        for at, way in (((q, r), d), ((q + dq, r + dr), d + 3)):
            if at in index:
                edge_fields[index[at], way] = edge
    boards = tuple(tuple(placement.board.name for placement in by) for by in printed_by)
    return JoinedBoards(hexmap, tuple(fields), edge_fields, boards)


def _common_orientation(placements: Sequence[Placement]) -> Orientation:
    if not placements:
        raise GeometryError("no boards to join")
    names = [placement.board.name for placement in placements]
    for name in names:
        if names.count(name) > 1:
            raise GeometryError(f"two boards are called {name!r}")
    orientation = placements[0].board.orientation
    for placement in placements:
        if placement.board.orientation != orientation:
            raise GeometryError(
                f"board {placement.board.name!r} has {placement.board.orientation}-top hexes, "
                f"board {names[0]!r} {orientation}-top ones: they cannot be joined"
            )
    return orientation


def _check_shared(seam: Seam, at: Axial, name1: str, name2: str, sharers: Sequence[Placement]) -> None:
    if seam == "whole":
        raise GeometryError(f"boards overlap: {name1!r} and {name2!r} lie in the same place")
    for placement in sharers:
        board = placement.board
        q, r = at[0] - placement.shift[0], at[1] - placement.shift[1]
        if all((q + dq, r + dr) in board.coordinates for dq, dr in STEPS[board.orientation]):
            raise GeometryError(
                f"boards overlap too far: {name1!r} and {name2!r} are one hex, "
                f"but it lies in the middle of board {board.name!r} where no half hex can be"
            )


class _PrintedEdges:
    """Collects what is printed on hexsides and notices contradictions."""

    def __init__(self, orientation: Orientation) -> None:
        self._orientation = orientation
        self._printed: dict[EdgeKey, dict[str, tuple[Any, str]]] = {}

    def add(self, key: EdgeKey, fields: Fields, board: str, cell: str, d: int) -> None:
        """Adds what a board prints; cell and d only serve to say where in a message."""
        edge = self._printed.setdefault(key, {})
        for attribute, value in fields.items():
            known, printer = edge.setdefault(attribute, (value, board))
            if known != value:
                raise GeometryError(
                    f"contradiction on the hexside {DIRECTION_NAMES[self._orientation][d]} of {cell}: "
                    f"{attribute!r} is {known!r} on board {printer!r}, but {value!r} on board {board!r}"
                )

    def fields(self) -> dict[EdgeKey, Fields]:
        return {
            key: {attribute: value for attribute, (value, _) in edge.items()}
            for key, edge in self._printed.items()
        }
