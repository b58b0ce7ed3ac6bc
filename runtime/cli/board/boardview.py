"""What stands on the maps of a position: places, terrain and counters, read from the cells.

Nothing here knows a game.  What can be drawn follows from the declared types: a map field of a kind is terrain, a
state field that names a side is that side's mark, a piece field that names a place is where the counter lies, one
that names a direction is its facing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from grognard.contract import ir
from grognard.contract.datablock import DataBlock, MapData
from grognard.contract.header import NONE
from grognard.contract.layout import Layout, set_words
from grognard.contract.schema import DomainSchema, FieldSchema, Schema

#: Fields that say who a counter belongs to or what it is: told by its looks already.
_TOLD = ("type", "side", "owner", "power")


@dataclass(slots=True)
class CounterView:
    """One counter, or several equal ones."""

    code: str
    label: str
    seat: int | None = None
    facing: int | None = None
    states: list[str] = field(default_factory=list)
    count: int = 1
    #: the kind that it is of, and which row of it; None: unknown, or of no kind
    kind: tuple[DomainSchema, int] | None = None


@dataclass(slots=True)
class PlaceView:
    name: str
    title: str
    terrain: str = ""  # what people call the ground, and what the rules do
    terrain_id: str = ""
    letter: str = "."
    level: int = 0
    #: the kind of ground, and which row of it
    ground: tuple[DomainSchema, int] | None = None
    counters: list[CounterView] = field(default_factory=list)
    #: sides that the place itself names: who holds it, whose stone lies there
    marks: list[CounterView] = field(default_factory=list)
    states: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class EdgeView:
    """Something on the border of two places: of local numbers."""

    a: int
    b: int
    #: the field, or the member that it names; how it is called; its number among all that can lie on borders
    id: str
    title: str
    number: int


@dataclass(slots=True)
class SpaceView:
    name: str
    map: MapData
    places: list[PlaceView]
    edges: list[EdgeView] = field(default_factory=list)
    #: letter -> terrain
    legend: dict[str, str] = field(default_factory=dict)
    #: names of the directions that facings count
    directions: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Stock:
    """Everything constant that reading a position needs."""

    schema: Schema
    program: ir.Program
    data: DataBlock
    layout: Layout

    # ---- cells

    def state(self, cells: Sequence[int], info: FieldSchema, *index: int) -> int:
        """An integer of a state field; `index` are values, not numbers."""
        assert info.field is not None
        entry = self.program.fields[info.field]
        return cells[self.layout.field_offset[info.field] + self._flat(entry.dims, index)]

    def members(self, cells: Sequence[int], info: FieldSchema, *index: int) -> list[int]:
        """The members of a set field."""
        assert info.field is not None and info.type.dom is not None
        entry = self.program.fields[info.field]
        words = self.layout.field_words[info.field]
        start = self.layout.field_offset[info.field] + self._flat(entry.dims, index) * words
        base, count = self.layout.base[info.type.dom.id], self.layout.count[info.type.dom.id]
        assert words == set_words(count)
        return [base + n for n in range(count) if cells[start + n // 32] >> (n % 32) & 1]

    def datum(self, info: FieldSchema, *index: int) -> int:
        """An integer of a constant column."""
        assert info.column is not None
        return self.data.columns[info.column][self._flat(self.program.columns[info.column].dims, index)]

    def _flat(self, dims: Sequence[int], index: Sequence[int]) -> int:
        place = 0
        for domain, value in zip(dims, index, strict=True):
            place = place * self.layout.count[domain] + value - self.layout.base[domain]
        return place

    # ---- names

    def title(self, dom: DomainSchema, value: int) -> str:
        data = self.data.domains[dom.id]
        if not 0 <= value - data.base < data.count:
            return "none" if value == NONE else str(value)
        return data.title(value)

    def name(self, dom: DomainSchema, value: int) -> str:
        data = self.data.domains[dom.id]
        return data.names[value - data.base] if 0 <= value - data.base < data.count else "none"

    def shown(self, info: FieldSchema, value: int) -> str:
        """A value of a field in words."""
        if value == NONE:
            return "none"
        if info.type.sort == "flag":
            return "yes" if value else "no"
        if info.type.sort == "dom" and info.type.dom is not None:
            return self.title(info.type.dom, value)
        return str(value)

    def seats(self) -> list[str]:
        return list(self.data.domains[self.program.seats].names)

    # ---- states in words

    def states(
        self,
        cells: Sequence[int],
        fields: dict[str, FieldSchema],
        owner: tuple[int, ...],
        skip: Sequence[FieldSchema],
    ) -> list[str]:
        """Fields that are not as they were when the counter was new: `hits 2`, `spent`."""
        found: list[str] = []
        for name, info in fields.items():
            if info.field is None or info in skip or info.edge:
                continue
            words = name.replace("_", " ")
            entry = self.program.fields[info.field]
            if len(entry.dims) == len(owner):
                text = self._one_state(cells, info, words, owner)
                if text:
                    found.append(text)
                continue
            if len(entry.dims) == len(owner) + 1:
                axis = self.data.domains[entry.dims[-1]]
                parts = []
                for value in range(axis.base, axis.base + axis.count):
                    text = self._one_state(cells, info, axis.title(value), (*owner, value))
                    if text:
                        parts.append(text)
                if parts:
                    found.append(f"{words} ({', '.join(parts)})")
        return found

    def _one_state(self, cells: Sequence[int], info: FieldSchema, words: str, index: tuple[int, ...]) -> str:
        assert info.field is not None
        if info.type.sort == "set":
            held = self.members(cells, info, *index)
            assert info.type.dom is not None
            return f"{words}: {', '.join(self.title(info.type.dom, m) for m in held)}" if held else ""
        if info.type.sort not in ("int", "flag", "dom"):
            return ""
        value = self.state(cells, info, *index)
        if value == self.program.fields[info.field].default or value == NONE:
            return ""
        if info.type.sort == "flag":
            return words if value else f"not {words}"
        return f"{words} {self.shown(info, value)}"

    def printed(self, kind: DomainSchema, row: int) -> list[str]:
        """What is printed on every counter of a kind: `move cost 1`, `dr (front 12, rear 11)`; nothing that is nothing."""
        found: list[str] = []
        for name, info in kind.fields.items():
            if info.column is None or info.type.sort not in ("int", "flag", "dom") or len(info.axes) > 1:
                continue
            words = name.replace("_", " ")
            if not info.axes:
                found.append(self._one_print(info, words, (row,)))
                continue
            axis = self.data.domains[info.axes[0].id]
            parts = (
                self._one_print(info, axis.title(value), (row, value))
                for value in range(axis.base, axis.base + axis.count)
            )
            told = ", ".join(filter(None, parts))
            found.append(f"{words} ({told})" if told else "")
        return [text for text in found if text]

    def _one_print(self, info: FieldSchema, words: str, index: tuple[int, ...]) -> str:
        value = self.datum(info, *index)
        if len(index) > 1 and info.type.optional:
            # Of several numbers that may be none, 0 is one.
            return f"{words} {'-' if value == NONE else self.shown(info, value)}"
        if value == NONE or (value == 0 and info.type.sort != "dom"):
            return ""
        return words if info.type.sort == "flag" else f"{words} {self.shown(info, value)}"


# --------------------------------------------------------------------------------------------------- spaces


def read_spaces(stock: Stock, cells: Sequence[int]) -> list[SpaceView]:
    """Every map of the position with what lies on it."""
    doms = {dom.id: dom for dom in stock.schema.doms}
    places: dict[int, PlaceView] = {}
    spaces: list[SpaceView] = []
    for entry in stock.data.maps:
        space = doms[entry.domain]
        view = SpaceView(space.name, entry, [])
        if stock.schema.direction is not None:
            view.directions = stock.data.domains[stock.schema.direction.id].names
        letters = _letters(stock, space)
        for value in range(entry.base, entry.base + entry.n):
            inner = doms[stock.data.place_domain[value]] if value < len(stock.data.place_domain) else space
            made = _place(stock, cells, inner, space, value, letters)
            if made.terrain:
                view.legend.setdefault(made.letter, made.terrain)
            places[value] = made
            view.places.append(made)
        view.edges = _edges(stock, cells, space, entry)
        spaces.append(view)
    for place, counter in _counters(stock, cells):
        if place in places:
            _stack(places[place].counters, counter)
    return spaces


def _edges(stock: Stock, cells: Sequence[int], space: DomainSchema, entry: MapData) -> list[EdgeView]:
    """What lies on borders: flags that are set, numbers above nothing, members that are named; the first of each."""
    found: list[EdgeView] = []
    fields = (
        [info for info in space.edges.fields.values() if not info.axes] if space.edges is not None else []
    )
    for number, (a, b) in enumerate(zip(entry.edge_a, entry.edge_b)):
        value = entry.edge_base + number
        for kind, info in enumerate(fields):
            dom = info.type.dom if info.type.sort == "dom" else None
            what = stock.state(cells, info, value) if info.field is not None else stock.datum(info, value)
            if what == NONE or (dom is None and what <= 0):
                continue
            if dom is None:
                words = info.name.replace("_", " ")
                found.append(EdgeView(a, b, info.name, words, kind))
            else:
                found.append(EdgeView(a, b, stock.name(dom, what), stock.title(dom, what), kind))
            break
    return found


def off_map(stock: Stock, cells: Sequence[int]) -> list[CounterView]:
    """Counters in play that lie nowhere."""
    found: list[CounterView] = []
    known = {value for entry in stock.data.maps for value in range(entry.base, entry.base + entry.n)}
    for place, counter in _counters(stock, cells):
        if place not in known:
            _stack(found, counter)
    return found


def _stack(pile: list[CounterView], counter: CounterView) -> None:
    """Put a counter on a pile; one that equals another is only counted."""
    for other in pile:
        if (other.code, other.label, other.seat, other.facing, other.states) == (
            counter.code,
            counter.label,
            counter.seat,
            counter.facing,
            counter.states,
        ):
            other.count += counter.count
            return
    pile.append(counter)


def _all_fields(inner: DomainSchema, space: DomainSchema) -> dict[str, FieldSchema]:
    """Fields of a place: its class's own and those of the classes and the space around it."""
    found: dict[str, FieldSchema] = {}
    dom: DomainSchema | None = inner
    while dom is not None:
        for name, info in dom.fields.items():
            found.setdefault(name, info)
        dom = dom.parent
    return found or space.fields


def _terrain_field(fields: dict[str, FieldSchema]) -> FieldSchema | None:
    """The field that says what the ground is: the one called terrain, else the first of a kind or enum."""
    kinds = [
        info
        for info in fields.values()
        if info.column is not None
        and not info.axes
        and not info.edge
        and info.type.sort == "dom"
        and info.type.dom is not None
        and info.type.dom.sort in ("kind", "enum")
    ]
    named = fields.get("terrain")
    return named if named in kinds else (kinds[0] if kinds else None)


def _level_field(fields: dict[str, FieldSchema]) -> FieldSchema | None:
    """The first whole number that the map gives its places."""
    for info in fields.values():
        if info.column is not None and not info.axes and not info.edge and info.type.sort == "int":
            return info
    return None


def _letters(stock: Stock, space: DomainSchema) -> dict[int, str]:
    """Terrain value -> letter: the plainest ground a dot, others their first letter that is still free."""
    info = _terrain_field(space.fields)
    if info is None or info.type.dom is None:
        return {}
    data = stock.data.domains[info.type.dom.id]
    letters: dict[int, str] = {}
    used: set[str] = set()
    for number, name in enumerate(data.names):
        if number == 0:
            letters[data.base] = "."
            continue
        usable = [c for c in name.lower() if c.isalnum()]
        wanted = [*usable, *(c.upper() for c in usable), *"~=+%&^#@$!?"]
        letters[data.base + number] = next((c for c in wanted if c not in used), "?")
        used.add(letters[data.base + number])
    return letters


def _place(
    stock: Stock,
    cells: Sequence[int],
    inner: DomainSchema,
    space: DomainSchema,
    value: int,
    letters: dict[int, str],
) -> PlaceView:
    data = stock.data.domains[space.id]
    view = PlaceView(data.names[value - data.base], data.title(value))
    fields = _all_fields(inner, space)
    terrain = _terrain_field(fields)
    if terrain is not None and terrain.type.dom is not None:
        what = stock.datum(terrain, value)
        if what != NONE:
            view.terrain = stock.title(terrain.type.dom, what)
            view.terrain_id = stock.name(terrain.type.dom, what)
            view.letter = letters.get(what, "?")
            view.ground = terrain.type.dom, what
    level = _level_field(fields)
    if level is not None:
        height = stock.datum(level, value)
        view.level = 0 if height == NONE else height
    marks: list[FieldSchema] = []
    for info in fields.values():
        dom = info.type.dom
        if info.field is None or info.axes or info.edge or info.type.sort != "dom" or dom is None:
            continue
        if dom is stock.schema.seats or dom is stock.schema.sides:
            # A square that "is white" holds a white stone, as far as anybody can see.
            marks.append(info)
            owner = stock.state(cells, info, value)
            if owner != NONE:
                seat = owner if dom is stock.schema.seats else None
                words = info.name.replace("_", " ")
                mark = CounterView(_initial(stock, dom, owner), f"{words} {stock.title(dom, owner)}", seat)
                view.marks.append(mark)
    view.states += stock.states(cells, fields, (value,), marks)
    return view


def _initial(stock: Stock, dom: DomainSchema, value: int) -> str:
    """A capital for a side: the first letter that no other side has taken."""
    names = stock.data.domains[dom.id].names
    taken: dict[str, str] = {}
    for name in names:
        letters = [c.upper() for c in name if c.isalnum()]
        taken[name] = next((c for c in letters if c not in taken.values()), (letters or ["?"])[0])
    return taken[stock.name(dom, value)]


# ------------------------------------------------------------------------------------------------- counters


def _counters(stock: Stock, cells: Sequence[int]) -> list[tuple[int, CounterView]]:
    """(place, counter) of everything in play, in the order of the numbering."""
    found: list[tuple[int, CounterView]] = []
    used: dict[str, str] = {}
    for dom in stock.schema.doms:
        if dom.sort != "piece":
            continue
        place = _place_field(dom)
        seat = _field_of(dom, lambda d: d is stock.schema.seats)
        facing = _field_of(dom, lambda d: d is stock.schema.direction)
        kind = dom.fields.get("type")
        data = stock.data.domains[dom.id]
        alive = stock.program.domains[dom.id].alive
        codes = _codes(stock, cells, dom, kind, used)
        for value in range(data.base, data.base + data.count):
            if alive is not None and not cells[stock.layout.field_offset[alive] + value - data.base]:
                continue
            told = [info for info in (place, seat, facing, kind) if info is not None]
            told += [dom.fields[name] for name in _TOLD if name in dom.fields]
            turned = stock.state(cells, facing, value) if facing is not None else NONE
            side = stock.state(cells, seat, value) if seat is not None else NONE
            counter = CounterView(
                codes[value],
                _label(stock, cells, dom, kind, value),
                None if side == NONE else side,
                None if turned == NONE else turned,
                stock.states(cells, dom.fields, (value,), told),
            )
            if kind is not None and kind.type.dom is not None:
                row = stock.state(cells, kind, value)
                counter.kind = None if row == NONE else (kind.type.dom, row)
            if stock.program.domains[dom.id].interchangeable and kind is not None:
                counter.label = stock.shown(kind, stock.state(cells, kind, value))
            found.append((_where(stock, cells, dom, place, value), counter))
    return found


def _place_field(dom: DomainSchema) -> FieldSchema | None:
    places = [
        info
        for info in dom.fields.values()
        if info.field is not None
        and not info.axes
        and info.type.dom is not None
        and info.type.sort == "dom"
        and info.type.dom.sort == "place"
    ]
    named = dom.fields.get("at")
    return named if named in places else (places[0] if places else None)


def _field_of(dom: DomainSchema, fits: Callable[[DomainSchema | None], bool]) -> FieldSchema | None:
    for info in dom.fields.values():
        if info.field is not None and not info.axes and info.type.sort == "dom" and fits(info.type.dom):
            return info
    return None


def _where(
    stock: Stock, cells: Sequence[int], dom: DomainSchema, place: FieldSchema | None, value: int
) -> int:
    """Where a counter lies; one that follows a carrier lies where that lies."""
    if place is None:
        return NONE
    carrier = dom.fields.get(place.follows) if place.follows else None
    for _ in range(8):
        if carrier is None or carrier.field is None or carrier.type.dom is None:
            break
        by = stock.state(cells, carrier, value)
        data = stock.data.domains[carrier.type.dom.id]
        if by == NONE or not data.base <= by < data.base + data.count:
            break
        value, dom = by, carrier.type.dom
        place = dom.fields[place.name]
        carrier = dom.fields.get(place.follows) if place.follows else None
    return stock.state(cells, place, value)


def _label(
    stock: Stock, cells: Sequence[int], dom: DomainSchema, kind: FieldSchema | None, value: int
) -> str:
    title = stock.title(dom, value)
    number = value - stock.data.domains[dom.id].base + 1
    if kind is not None and title == f"{dom.name} {number}":
        # It was made in play and has no name of its own: its kind says more.
        return f"{stock.shown(kind, stock.state(cells, kind, value))} {number}"
    return title


def _codes(
    stock: Stock, cells: Sequence[int], dom: DomainSchema, kind: FieldSchema | None, used: dict[str, str]
) -> dict[int, str]:
    """Piece -> what its counter says, at most three characters, different for different counters.

    Short names stand as they are; of long ones the first letters and the number at their end."""
    data = stock.data.domains[dom.id]
    same = stock.program.domains[dom.id].interchangeable
    alive = stock.program.domains[dom.id].alive
    codes: dict[int, str] = {}
    for value in range(data.base, data.base + data.count):
        if alive is not None and not cells[stock.layout.field_offset[alive] + value - data.base]:
            continue
        name = data.names[value - data.base]
        if kind is not None and kind.type.dom is not None:
            what = stock.name(kind.type.dom, stock.state(cells, kind, value))
            if same:
                name = what
            elif name == f"{dom.name}_{value - data.base + 1}":
                name = f"{what}_{value - data.base + 1}"
        codes[value] = _code(name, used)
    return codes


def _code(name: str, used: dict[str, str]) -> str:
    if name in used:
        return used[name]
    head, _, tail = name.rpartition("_")
    if len(name) <= 3:
        wanted = [name]
    elif tail.isdigit() and len(tail) <= 2 and head:
        wanted = [head[0] + tail, head[: 3 - len(tail)] + tail]
        wanted += (
            [c + tail for c in head if c.isalnum()]
            if len(tail) == 2
            else [head[0] + c + tail for c in head[1:]]
        )
    else:
        words = [w for w in name.replace("-", "_").split("_") if w]
        wanted = ["".join(w[0] for w in words)[:3] if len(words) > 1 else name[:3], name[:3]]
        wanted += [name[0] + name[n] + c for n in range(1, len(name) - 1) for c in name[n + 1 :]]
    wanted += [f"{name[0]}{n:02}" for n in range(1, 100)] + [f"{n:03}" for n in range(1000)]
    taken = set(used.values())
    code = next((c for c in wanted if c not in taken), "???")
    used[name] = code
    return code
