"""The built-in questions of the IR, answered from the maps of the data block.

Places are numbers of one numbering over all maps.  A place that belongs to no map, an argument that is
NONE, or a question that makes no sense for the kind of map is answered with NONE (0 for `adjacent`), never
with a failure.

* The neighbours of a hex are its neighbours in direction order, of an area in the order of its list.
* A board of squares has eight directions, clockwise from north; distance counts king's moves.  Lines and arcs
  exist on hex maps only.
* `within(p, n)` is in order of place numbers, p itself among them; in area graphs n counts steps.
* `line(a, b)` gives the hexes whose inside the line passes, and where it runs along a hexside both hexes of
  it, the left one first; hexes touched in a corner only, and what is off the map, are left out.  `between`
  is the same without a and b.  Lines exist on hex maps only.
* `ray(p, d, n)` gives up to n hexes in direction d, p the first of them, and ends where the map ends.
* `arc_place` knows arcs of 60, 120, 180, 240 and 300 degrees; any other number gives NONE.
* `popcount` counts the bits of the 32-bit word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grognard.contract.datablock import DataBlock, MapData
from grognard.contract.header import NONE
from grognard.geometry import arcs, directions, lines, queries
from grognard.geometry.hexmap import HexMap


@dataclass(slots=True)
class Space:
    """A map of the data block, with what is worked out from it once."""

    data: MapData
    hexmap: HexMap | None
    sides: int  # directions: 6 for hexes, 8 for squares, 0 for areas
    around: list[tuple[int, ...]]  # neighbours of each place, local numbers
    steps: dict[int, list[int]]  # area graphs: distances from a place, as they are asked for


def _space(data: MapData) -> Space:
    if data.sort == "hexes":
        hexmap = HexMap.from_axial("flat" if data.flat else "pointy", zip(data.q, data.r))
        around = [tuple(z for z in data.neighbours[6 * a : 6 * a + 6] if z != NONE) for a in range(data.n)]
        return Space(data, hexmap, 6, around, {})
    if data.sort == "squares":
        around = [tuple(z for z in data.neighbours[8 * a : 8 * a + 8] if z != NONE) for a in range(data.n)]
        return Space(data, None, 8, around, {})
    return Space(
        data,
        None,
        0,
        [data.adjacent[data.start[a] : data.start[a + 1]] for a in range(data.n)],
        {},
    )


class Geography:
    """All maps of a data block."""

    def __init__(self, data: DataBlock) -> None:
        self.spaces = [_space(entry) for entry in data.maps]
        self.place_domain = data.place_domain
        #: directions of this title: those of its first grid
        self.turns = next((space.sides for space in self.spaces if space.sides), 6)
        self._map_of: dict[int, Space] = {
            space.data.base + local: space for space in self.spaces for local in range(space.data.n)
        }
        self._edge_of: dict[int, Space] = {
            space.data.edge_base + local: space
            for space in self.spaces
            for local in range(len(space.data.edge_a))
        }

    def space(self, place: int) -> Space | None:
        """The map that the place belongs to."""
        return self._map_of.get(place)

    def neighbours_of(self, place: int) -> list[int]:
        space = self._map_of.get(place)
        if space is None:
            return []
        base = space.data.base
        return [base + z for z in space.around[place - base]]

    def steps_from(self, place: int, leap: int) -> list[int]:
        """Where a step of a movement can lead: to a neighbour, or anywhere within `leap`."""
        return self.neighbours_of(place) if leap == 1 else self._over_within(place, leap)

    def line_items(self, a: int, b: int, crossings: bool = False) -> list[tuple[int, int, int]]:
        """The exact line as (kind, hex, hex), the kinds of grognard.geometry.lines; empty without a hex map."""
        space = self._map_of.get(a)
        if space is None or space is not self._map_of.get(b) or space.hexmap is None:
            return []
        base = space.data.base
        ask = lines.crossings if crossings else lines.line
        return [
            (int(kind), _shift(first, base), _shift(second, base))
            for kind, first, second in ask(space.hexmap, a - base, b - base)
        ]

    # -------------------------------------------------------------------------------------------- answers

    def answer(self, name: str) -> Callable[..., int]:
        """The function that answers a verb of the IR, NONE arguments included."""
        ask: Callable[..., int] = getattr(self, f"_{name}")
        nothing = 0 if name == "adjacent" else NONE

        def answer(*args: int) -> int:
            return nothing if NONE in args else ask(*args)

        return answer

    def listing(self, name: str) -> Callable[..., list[int]]:
        """The function that lists the places of an OverVerb, NONE arguments included."""
        ask: Callable[..., list[int]] = getattr(self, f"_over_{name}")

        def listing(*args: int) -> list[int]:
            return [] if NONE in args else ask(*args)

        return listing

    def _hexes(self, a: int, b: int | None = None) -> tuple[HexMap, MapData] | None:
        """The hex map of a place (or of both of two), None if there is none."""
        space = self._map_of.get(a)
        if space is None or space.hexmap is None or (b is not None and self._map_of.get(b) is not space):
            return None
        return space.hexmap, space.data

    def _distance(self, a: int, b: int) -> int:
        space = self._map_of.get(a)
        if space is None or self._map_of.get(b) is not space:
            return NONE
        base = space.data.base
        if space.hexmap is not None:
            return queries.distance(space.hexmap, a - base, b - base)
        if space.sides == 8:
            q, r = space.data.q, space.data.r
            return max(abs(q[a - base] - q[b - base]), abs(r[a - base] - r[b - base]))
        return self._area_steps(space, a - base)[b - base]

    def _area_steps(self, space: Space, start: int) -> list[int]:
        steps = space.steps.get(start)
        if steps is None:
            steps = [NONE] * space.data.n
            steps[start] = 0
            queue = [start]
            for area in queue:
                for z in space.around[area]:
                    if steps[z] == NONE:
                        steps[z] = steps[area] + 1
                        queue.append(z)
            space.steps[start] = steps
        return steps

    def _adjacent(self, a: int, b: int) -> int:
        space = self._map_of.get(a)
        if space is None:
            return 0
        base = space.data.base
        return int(b - base in space.around[a - base])

    def _neighbour(self, a: int, d: int) -> int:
        space = self._map_of.get(a)
        if space is None or not 0 <= d < space.sides:
            return NONE
        base = space.data.base
        return _shift(space.data.neighbours[space.sides * (a - base) + d], base)

    def _direction(self, a: int, b: int) -> int:
        space = self._map_of.get(a)
        if space is None or not space.sides:
            return NONE
        base = space.data.base
        first = space.sides * (a - base)
        around = space.data.neighbours[first : first + space.sides]
        return around.index(b - base) if b - base in around else NONE

    def _straight(self, a: int, b: int) -> int:
        space = self._map_of.get(a)
        if space is not None and space.sides == 8 and self._map_of.get(b) is space:
            return _square_direction(space.data, a - space.data.base, b - space.data.base)
        found = self._hexes(a, b)
        return NONE if found is None else queries.straight(found[0], a - found[1].base, b - found[1].base)

    def _toward(self, a: int, d: int, n: int) -> int:
        space = self._map_of.get(a)
        if space is None or not 0 <= d < space.sides or n < 0:
            return NONE
        while n and a != NONE:
            a = self._neighbour(a, d)
            n -= 1
        return a

    def _opposite(self, d: int) -> int:
        return directions.opposite(d) if self.turns == 6 else _turned(d, 4, self.turns)

    def _turned(self, d: int, steps: int) -> int:
        return directions.turned(d, steps) if self.turns == 6 else _turned(d, steps, self.turns)

    def _turns_between(self, d: int, e: int) -> int:
        if self.turns == 6:
            return directions.turns_between(d, e)
        if not (0 <= d < self.turns and 0 <= e < self.turns):
            return NONE
        return min((d - e) % self.turns, (e - d) % self.turns)

    def _arc_place(self, a: int, facing: int, degrees: int, b: int) -> int:
        found = self._hexes(a, b)
        if found is None:
            return NONE
        return arcs.arc_place(found[0], a - found[1].base, facing, degrees, b - found[1].base)

    def _hexside(self, a: int, b: int) -> int:
        space = self._map_of.get(a)
        if space is None or not space.data.side_edge:
            return NONE
        data = space.data
        at, other = a - data.base, b - data.base
        if space.sides:
            d = self._direction(a, b)
            return NONE if d == NONE else _edge(data, space.sides * at + d)
        if other not in space.around[at]:
            return NONE
        return _edge(data, data.start[at] + space.around[at].index(other))

    def _side_of(self, a: int, d: int) -> int:
        space = self._map_of.get(a)
        if space is None or not 0 <= d < space.sides or not space.data.side_edge:
            return NONE
        return _edge(space.data, space.sides * (a - space.data.base) + d)

    def _edge_end(self, edge: int, which: int) -> int:
        space = self._edge_of.get(edge)
        if space is None or which not in (0, 1):
            return NONE
        data = space.data
        return data.base + (data.edge_b if which else data.edge_a)[edge - data.edge_base]

    def _last_side(self, a: int, b: int) -> int:
        # Where the line comes in through the inside of a side, the item before b is a hex it passed through.
        items = self.line_items(a, b)
        if len(items) < 2 or items[-2][0] != lines.CELL or items[-2][1] == NONE:
            return NONE
        return self._hexside(items[-2][1], b)

    def _domain_of(self, place: int) -> int:
        return self.place_domain[place] if 0 <= place < len(self.place_domain) else NONE

    def _popcount(self, word: int) -> int:
        return (word & 0xFFFF_FFFF).bit_count()

    # --------------------------------------------------------------------------------------------- places

    def _over_neighbours(self, a: int) -> list[int]:
        return self.neighbours_of(a)

    def _over_within(self, a: int, n: int) -> list[int]:
        space = self._map_of.get(a)
        if space is None:
            return []
        base = space.data.base
        if space.hexmap is not None:
            return [base + z for z in queries.within(space.hexmap, a - base, n)]
        if space.sides == 8:
            return [base + z for z in range(space.data.n) if self._distance(a, base + z) <= n]
        return [base + z for z, steps in enumerate(self._area_steps(space, a - base)) if NONE != steps <= n]

    def _over_line(self, a: int, b: int) -> list[int]:
        places: list[int] = []
        for kind, first, second in self.line_items(a, b):
            if kind == lines.CELL:
                places.append(first)
            elif kind == lines.PAIR:
                places += (first, second)
        return [place for place in places if place != NONE]

    def _over_between(self, a: int, b: int) -> list[int]:
        return [place for place in self._over_line(a, b) if place not in (a, b)]

    def _over_ray(self, a: int, d: int, n: int) -> list[int]:
        places: list[int] = []
        space = self._map_of.get(a)
        if space is None or not 0 <= d < space.sides:
            return places
        while a != NONE and len(places) < n:
            places.append(a)
            a = self._neighbour(a, d)
        return places

    def _over_edge_ends(self, edge: int) -> list[int]:
        if edge not in self._edge_of:
            return []
        return [self._edge_end(edge, 0), self._edge_end(edge, 1)]


def _turned(d: int, steps: int, turns: int) -> int:
    return (d + steps) % turns if 0 <= d < turns else NONE


def _square_direction(data: MapData, a: int, b: int) -> int:
    """Direction of the row, column or diagonal from a to b; rows count downwards."""
    dq, dr = data.q[b] - data.q[a], data.r[b] - data.r[a]
    if (dq == 0 and dr == 0) or (dq != 0 and dr != 0 and abs(dq) != abs(dr)):
        return NONE
    step = ((dq > 0) - (dq < 0), (dr > 0) - (dr < 0))
    return _SQUARE_STEPS.index(step)


#: (column, row) steps of the eight directions, clockwise from north; row numbers grow southwards.
_SQUARE_STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))


def _shift(local: int, base: int) -> int:
    return NONE if local == NONE else base + local


def _edge(data: MapData, entry: int) -> int:
    local = data.side_edge[entry]
    return NONE if local < 0 else data.edge_base + local
