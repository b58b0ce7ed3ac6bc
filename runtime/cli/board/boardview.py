"""What stands on the maps of a position: places, terrain and counters, read from the cells.

Nothing here knows a game.  What can be drawn follows from the declared types: a map field of a kind is terrain, a
state field that names a side is that side's mark, a piece field that names a place is where the counter lies, one
that names a direction is its facing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from grognard.cli.board.source import BoardSource
from grognard.contract.datablock import MapData
from grognard.contract.header import NONE
from grognard.contract.schema import DomainSchema, FieldSchema

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
    #: its kind alone, where all that tells it from others is its number
    plain: str = ""
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
    #: what the map marks in it besides the ground: city, fort
    features: list[str] = field(default_factory=list)
    #: numbers and names that the map gives it
    printed: list[str] = field(default_factory=list)


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


# --------------------------------------------------------------------------------------------------- spaces


def read_spaces(source: BoardSource, cells: Sequence[int]) -> list[SpaceView]:
    """Every map of the position with what lies on it."""
    doms = {dom.id: dom for dom in source.schema.doms}
    places: dict[int, PlaceView] = {}
    spaces: list[SpaceView] = []
    for entry in source.data.maps:
        space = doms[entry.domain]
        view = SpaceView(space.name, entry, [])
        if source.schema.direction is not None:
            view.directions = source.data.domains[source.schema.direction.id].names
        letters = _letters(source, space)
        for value in range(entry.base, entry.base + entry.n):
            inner = doms[source.data.place_domain[value]] if value < len(source.data.place_domain) else space
            made = _place(source, cells, inner, space, value, letters)
            if made.terrain:
                view.legend.setdefault(made.letter, made.terrain)
            places[value] = made
            view.places.append(made)
        view.edges = _edges(source, cells, space, entry)
        spaces.append(view)
    for place, counter in _counters(source, cells):
        if place in places:
            _stack(places[place].counters, counter)
    return spaces


def _edges(source: BoardSource, cells: Sequence[int], space: DomainSchema, entry: MapData) -> list[EdgeView]:
    """What lies on borders: flags that are set, numbers above nothing, members that are named.  Of several on one border
    the last is drawn: rules name what hinders least first."""
    found: list[EdgeView] = []
    fields = (
        [info for name, info in space.edges.fields.items() if not info.axes and name not in source.unshown]
        if space.edges is not None
        else []
    )
    for number, (a, b) in enumerate(zip(entry.edge_a, entry.edge_b)):
        value = entry.edge_base + number
        for kind, info in enumerate(fields):
            dom = info.type.dom if info.type.sort == "dom" else None
            what = source.state(cells, info, value) if info.field is not None else source.datum(info, value)
            if what == NONE or (dom is None and what <= 0):
                continue
            if dom is not None and not info.type.optional and what == source.data.domains[dom.id].base:
                # Where each border has one, the first is the plain one: no river.
                continue
            if dom is None:
                words = info.name.replace("_", " ")
                found.append(EdgeView(a, b, info.name, words, kind))
            else:
                found.append(EdgeView(a, b, source.name(dom, what), source.title(dom, what), kind))
    return found


def off_map(source: BoardSource, cells: Sequence[int]) -> list[CounterView]:
    """Counters in play that lie nowhere."""
    found: list[CounterView] = []
    known = {value for entry in source.data.maps for value in range(entry.base, entry.base + entry.n)}
    for place, counter in _counters(source, cells):
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
    """The first whole number that the map gives its places, where there is ground: what else would lie higher."""
    if _terrain_field(fields) is None:
        return None
    for info in fields.values():
        if info.column is not None and not info.axes and not info.edge and info.type.sort == "int":
            return info
    return None


def _letters(source: BoardSource, space: DomainSchema) -> dict[int, str]:
    """Terrain value -> letter: the plainest ground a dot, others their first letter that is still free."""
    info = _terrain_field(space.fields)
    if info is None or info.type.dom is None:
        return {}
    data = source.data.domains[info.type.dom.id]
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
    source: BoardSource,
    cells: Sequence[int],
    inner: DomainSchema,
    space: DomainSchema,
    value: int,
    letters: dict[int, str],
) -> PlaceView:
    data = source.data.domains[space.id]
    view = PlaceView(data.names[value - data.base], data.title(value))
    fields = _all_fields(inner, space)
    terrain = _terrain_field(fields)
    if terrain is not None and terrain.type.dom is not None:
        what = source.datum(terrain, value)
        if what != NONE:
            view.terrain = source.title(terrain.type.dom, what)
            view.terrain_id = source.name(terrain.type.dom, what)
            view.letter = letters.get(what, "?")
            view.ground = terrain.type.dom, what
    level = _level_field(fields)
    if level is not None:
        height = source.datum(level, value)
        view.level = 0 if height == NONE else height
    marks: list[FieldSchema] = []
    for name, info in fields.items():
        dom = info.type.dom
        if info.field is None or info.axes or info.edge or info.type.sort != "dom" or dom is None:
            continue
        if name in source.unshown:
            continue
        if dom is source.schema.seats or dom is source.schema.sides:
            # A square that "is white" is drawn as one with a white stone.
            marks.append(info)
            owner = source.state(cells, info, value)
            if owner != NONE:
                seat = owner if dom is source.schema.seats else None
                words = info.name.replace("_", " ")
                mark = CounterView(_initial(source, dom, owner), f"{words} {source.title(dom, owner)}", seat)
                view.marks.append(mark)
    view.states += source.states(cells, fields, (value,), marks)
    for name, info in fields.items():
        if (
            info.column is None
            or info.axes
            or info.edge
            or info in (terrain, level)
            or name in source.unshown
        ):
            continue
        if info.type.sort not in ("flag", "int", "dom"):
            continue
        words = name.replace("_", " ")
        what = source.datum(info, value)
        if info.type.sort == "flag":
            view.features += [words] if what else []
        elif what not in (NONE, 0) or (info.type.sort == "dom" and what != NONE):
            view.printed.append(f"{words} {source.shown(info, what)}")
    return view


def _initial(source: BoardSource, dom: DomainSchema, value: int) -> str:
    """A capital for a side: the first letter that no other side has taken."""
    names = source.data.domains[dom.id].names
    taken: dict[str, str] = {}
    for name in names:
        letters = [c.upper() for c in name if c.isalnum()]
        taken[name] = next((c for c in letters if c not in taken.values()), (letters or ["?"])[0])
    return taken[source.name(dom, value)]


# ------------------------------------------------------------------------------------------------- counters


def _counters(source: BoardSource, cells: Sequence[int]) -> list[tuple[int, CounterView]]:
    """(place, counter) of everything in play, in the order of the numbering."""
    found: list[tuple[int, CounterView]] = []
    used: dict[str, str] = {}
    for dom in source.schema.doms:
        if dom.sort != "piece":
            continue
        place = _place_field(dom)
        seat = _field_of(dom, lambda d: d is source.schema.seats)
        facing = _field_of(dom, lambda d: d is source.schema.direction)
        kind = dom.fields.get("type")
        data = source.data.domains[dom.id]
        alive = source.program.domains[dom.id].alive
        codes = _codes(source, cells, dom, kind, used)
        for value in range(data.base, data.base + data.count):
            if alive is not None and not cells[source.layout.field_offset[alive] + value - data.base]:
                continue
            told = [info for info in (place, seat, facing, kind) if info is not None]
            told += [dom.fields[name] for name in _TOLD if name in dom.fields]
            turned = source.state(cells, facing, value) if facing is not None else NONE
            side = source.state(cells, seat, value) if seat is not None else NONE
            counter = CounterView(
                codes[value],
                _label(source, cells, dom, kind, value),
                None if side == NONE else side,
                None if turned == NONE else turned,
                source.states(cells, dom.fields, (value,), told),
            )
            if kind is not None and kind.type.dom is not None:
                row = source.state(cells, kind, value)
                counter.kind = None if row == NONE else (kind.type.dom, row)
                sort, _, rest = counter.label.rpartition(" ")
                if rest.isdigit() and sort == source.shown(kind, row):
                    counter.plain = sort
            if source.program.domains[dom.id].interchangeable and kind is not None:
                counter.label = source.shown(kind, source.state(cells, kind, value))
            found.append((_where(source, cells, dom, place, value), counter))
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
    source: BoardSource, cells: Sequence[int], dom: DomainSchema, place: FieldSchema | None, value: int
) -> int:
    """Where a counter lies; one that follows a carrier lies where that lies."""
    if place is None:
        return NONE
    carrier = dom.fields.get(place.follows) if place.follows else None
    for _ in range(8):
        if carrier is None or carrier.field is None or carrier.type.dom is None:
            break
        by = source.state(cells, carrier, value)
        data = source.data.domains[carrier.type.dom.id]
        if by == NONE or not data.base <= by < data.base + data.count:
            break
        value, dom = by, carrier.type.dom
        place = dom.fields[place.name]
        carrier = dom.fields.get(place.follows) if place.follows else None
    return source.state(cells, place, value)


def _label(
    source: BoardSource, cells: Sequence[int], dom: DomainSchema, kind: FieldSchema | None, value: int
) -> str:
    title = source.title(dom, value)
    number = value - source.data.domains[dom.id].base + 1
    if kind is None:
        return title
    now = source.shown(kind, source.state(cells, kind, value))
    if title == f"{dom.name} {number}" or not title.startswith(f"{now} "):
        # Made in play, in a room of its own or in a removed one's: its kind says more.
        name = source.name(dom, value)
        return f"{now} {name if title.endswith(f' {name}') else number}"
    return title


def _codes(
    source: BoardSource,
    cells: Sequence[int],
    dom: DomainSchema,
    kind: FieldSchema | None,
    used: dict[str, str],
) -> dict[int, str]:
    """Piece -> what its counter says, at most three characters, different for different counters.

    Short names stand as they are; of long ones the first letters and the number at their end."""
    data = source.data.domains[dom.id]
    same = source.program.domains[dom.id].interchangeable
    alive = source.program.domains[dom.id].alive
    codes: dict[int, str] = {}
    for value in range(data.base, data.base + data.count):
        if alive is not None and not cells[source.layout.field_offset[alive] + value - data.base]:
            continue
        name = data.names[value - data.base]
        if kind is not None and kind.type.dom is not None:
            what = source.name(kind.type.dom, source.state(cells, kind, value))
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
