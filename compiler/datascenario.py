"""Scenarios: which maps and options, what stands where, and the position that a game starts from."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grognard.compiler import ir
from grognard.compiler import syntax as syn
from grognard.compiler.datakinds import CellReader, Cells, Index, Value, first_value, plain_default
from grognard.compiler.diagnostics import Label
from grognard.compiler.layout import Layout, default_value
from grognard.compiler.map_sheets import MapChoice
from grognard.compiler.project import Project
from grognard.compiler.source import Span
from grognard.compiler.suggest import as_hint, hint_for
from grognard.compiler.types import FLAG, INT, NONE_TYPE, Dom, FieldInfo, Type, dom_type
from grognard.compiler.world import BagInfo, World
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
    guess_key,
)
from grognard.values import H_ASK, H_BRANCH, H_CHOOSER, H_FP, H_OUTCOME, H_STATUS, NONE, STATUS_RUNNING

KEYS = (
    "maps",
    "options",
    "game",
    "side",
    "power",
    "relations",
    "pieces",
    "places",
    "about",
    "cite",
    "note",
    "balance",
)
_PIECE_KEYS = ("as", "count")


@dataclass(slots=True)
class PlacedPiece:
    """A counter of the set-up: its number in the numbering of all pieces, its row, its line in the file."""

    dom: Dom
    number: int
    row: int | None  # value of its kind
    node: YMap
    name: str


@dataclass(slots=True)
class ScenarioFile:
    """A scenario as read, before the data block exists."""

    name: str
    title: str
    node: YMap
    options: dict[str, str] = field(default_factory=dict)
    maps: list[MapChoice] = field(default_factory=list)
    pieces: list[PlacedPiece] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    piece_names: dict[int, str] = field(default_factory=dict)  # number -> id of the counter
    piece_titles: dict[int, str] = field(default_factory=dict)


def number_pieces(world: World) -> None:
    """Pieces and records of all types share one numbering, in the order of their declaration."""
    base = 0
    for dom in world.doms:
        if dom.sort in ("piece", "record"):
            dom.base = base
            base += dom.up_to


def read_scenario(world: World, project: Project, path: str, span: Span | None = None) -> ScenarioFile | None:
    """Read a scenario file up to its list of pieces; None if it makes no sense at all."""
    sink = world.sink
    node = project.load_data(path, span, sink)
    if node is None:
        return None
    table = expect_map(node, sink, f'"{path}"')
    if table is None:
        return None
    check_keys(table, sink, "a scenario", required=("name",), optional=KEYS)
    title = table.get("name")
    stem = path.rpartition("/")[2].removesuffix(".yaml")
    shown = expect_text(title, sink, "name") if title is not None else None
    scenario = ScenarioFile(stem, shown or stem, table)
    reader = _ScenarioReader(world, scenario)
    reader.options()
    reader.maps()
    reader.pieces()
    reader.balance()
    return scenario


def default_maps(world: World) -> list[MapChoice]:
    """The maps that the declarations themselves name."""
    choices: list[MapChoice] = []
    for space in world.spaces:
        decl = space.decl
        assert isinstance(decl, syn.SpaceDecl)
        if decl.source:
            choices.append(MapChoice(space, decl.source, decl.span))
    return choices


class _ScenarioReader:
    def __init__(self, world: World, scenario: ScenarioFile) -> None:
        self.world = world
        self.scenario = scenario
        self.sink = world.sink

    def _section(self, key: str) -> YMap | None:
        node = self.scenario.node.get(key)
        if node is None or (isinstance(node, YScalar) and node.value is None):
            return None
        return expect_map(node, self.sink, key)

    def balance(self) -> None:
        """How games between equal players ended, for people; nothing in play depends on it."""
        section = self._section("balance")
        if section is None:
            return
        sides = self.world.sides.members if self.world.sides is not None else []
        given = ("bot", "games", "seed")
        if not check_keys(section, self.sink, "balance", required=given, optional=("drawn", *sides)):
            return
        counted = {
            key: expect_int(entry.value, self.sink, f"balance: {key}", 0)
            for key, entry in section.entries.items()
            if key != "bot"
        }
        games, ended = counted["games"], sum(n or 0 for key, n in counted.items() if key not in given)
        if None not in counted.values() and games != ended:
            self.sink.error(
                "GR0941",
                section.span,
                f"{games} games were played, {ended} are told",
                hint="wins of each side and `drawn` make up the games",
            )

    def options(self) -> None:
        section = self._section("options")
        for name, entry in section.entries.items() if section else ():
            option = self.world.options.get(name)
            if option is None:
                self.sink.error(
                    "GR0510",
                    entry.key_span,
                    f"there is no option `{name}`",
                    hint=hint_for(name, list(self.world.options)),
                )
                continue
            value = expect_text(entry.value, self.sink, f"option {name}")
            if option.values == ["off", "on"] and isinstance(entry.value, YScalar):
                if isinstance(entry.value.value, bool):
                    value = "on" if entry.value.value else "off"
            if value is not None and value not in option.values:
                self.sink.error(
                    "GR0510",
                    entry.value.span,
                    f"option `{name}` has no value `{value}`",
                    hint=hint_for(value, option.values),
                )
            elif value is not None:
                self.scenario.options[name] = value

    def maps(self) -> None:
        section = self._section("maps")
        given = dict(section.entries) if section else {}
        for space in self.world.spaces:
            decl = space.decl
            assert isinstance(decl, syn.SpaceDecl)
            entry = given.pop(decl.name, None) or given.pop(space.name, None)
            if entry is None:
                if decl.source:
                    self.scenario.maps.append(MapChoice(space, decl.source, decl.span))
                else:
                    place = section.span if section else self.scenario.node.span
                    self.sink.error("GR0610", place, f"the scenario names no map for {decl.name}")
                    self.scenario.maps.append(MapChoice(space, "", None))
            elif isinstance(entry.value, YMap):
                self.scenario.maps.append(MapChoice(space, "", entry.key_span, entry.value))
            else:
                path = expect_text(entry.value, self.sink, f"the map of {decl.name}")
                self.scenario.maps.append(MapChoice(space, path or "", entry.value.span))
        known = [s.decl.name for s in self.world.spaces if isinstance(s.decl, syn.SpaceDecl)]
        for name, entry in given.items():
            self.sink.error(
                "GR0602", entry.key_span, f"there is no space `{name}`", hint=hint_for(name, known)
            )

    # ---- pieces

    def pieces(self) -> None:
        node = self.scenario.node.get("pieces")
        if node is None or (isinstance(node, YScalar) and node.value is None):
            return
        items = expect_list(node, self.sink, "pieces")
        if items is None:
            return
        number_pieces(self.world)
        self._used: dict[int, int] = {}
        self._rows: dict[str, int] = {}
        self._first: dict[str, Span] = {}
        for item in items.items:
            entry = expect_map(item, self.sink, "a piece")
            if entry is not None:
                self._piece(entry)

    def _piece(self, entry: YMap) -> None:
        types = {d.name: d for d in self.world.doms if d.sort == "piece"}
        found = [key for key in entry.entries if key in types]
        if len(found) != 1:
            guess = next((h for key in entry.entries if (h := hint_for(key, types))), None)
            message = "a piece lacks its type" if not found else f"a piece has two types: {', '.join(found)}"
            hint = guess or (f"one of {', '.join(types)}" if types else None)
            self.sink.error("GR0603" if not found else "GR0602", entry.span, message, hint=hint)
            return
        dom = types[found[0]]
        head = entry.entries[found[0]]
        row: int | None = None
        if dom.kind is not None:
            text = expect_text(head.value, self.sink, dom.name)
            row = CellReader(self.world).member(dom.kind, text, head.value.span) if text is not None else None
            if row is None:
                return
        count_node, name_node = entry.get("count"), entry.get("as")
        count = 1 if count_node is None else expect_int(count_node, self.sink, "count", 0, dom.up_to)
        name = expect_text(name_node, self.sink, "as") if name_node is not None else ""
        if count is None or name is None:
            return
        used = self._used.get(dom.id, 0)
        if used + count > dom.up_to:
            self.sink.error(
                "GR0611",
                head.key_span,
                f"{used + count} pieces of type {dom.name}, but at most {dom.up_to} are declared",
                hint=f"piece {dom.name} ... up to {used + count}",
            )
            return
        self._used[dom.id] = used + count
        for copy in range(count):
            self._copy(dom, dom.base + used + copy, row, entry, name, copy + 1 if count > 1 else 0)

    def _copy(self, dom: Dom, number: int, row: int | None, entry: YMap, name: str, copy: int) -> None:
        scenario = self.scenario
        kind = dom.kind
        label = kind.members[row] if kind is not None and row is not None else dom.name.lower()
        title = kind.titles[row] if kind is not None and row is not None and kind.titles else label
        if kind is not None and dom.fields["type"].veiled:
            # What nobody may know must not be told by its name.
            label, title = dom.name.lower(), dom.name
        own = f"{name}{copy or ''}" if name else ""
        if own:
            if own in scenario.names:
                span = entry.entries["as"].value.span
                first = self._first[own]
                self.sink.error(
                    "GR0614",
                    span,
                    f"two pieces are called `{own}`",
                    labels=(Label(first, "the first one"),),
                )
                return
            self._first[own] = entry.entries["as"].value.span
            scenario.names[own] = number
            scenario.piece_titles[number] = f"{title} {own}"
        else:
            self._rows[label] = self._rows.get(label, 0) + 1
            scenario.piece_titles[number] = f"{title} {self._rows[label]}"
        scenario.piece_names[number] = own or f"{label}_{self._rows[label]}"
        scenario.pieces.append(PlacedPiece(dom, number, row, entry, own))


# ----------------------------------------------------------------------------------------------- the position


def signed(word: int) -> int:
    """A 32-bit word as the signed cell that holds it."""
    return word - 0x1_0000_0000 if word & 0x8000_0000 else word


def set_cells(values: frozenset[int], base: int, words: int) -> list[int]:
    """The cells of a bit set; bit i is the element base + i."""
    found = [0] * words
    for value in values:
        place = value - base
        found[place // 32] |= 1 << (place % 32)
    return [signed(word) for word in found]


class Position:
    """The cells of a position, written field by field."""

    def __init__(self, world: World, program: ir.Program, layout: Layout) -> None:
        self.world = world
        self.program = program
        self.layout = layout
        self.cells = array("i", [0]) * layout.cells

    def defaults(self) -> None:
        for cell in (H_CHOOSER, H_OUTCOME, H_ASK, H_FP, H_BRANCH):
            self.cells[cell] = NONE
        self.cells[H_STATUS] = STATUS_RUNNING
        for number, entry in enumerate(self.program.fields):
            if not isinstance(entry.type, ir.IntType):
                continue
            value = default_value(entry, self.layout)
            start, size = self.layout.field_offset[number], self.layout.field_cells[number]
            self.cells[start : start + size] = array("i", [value]) * size

    def write(self, number: int, index: Index, value: Value | Sequence[int]) -> None:
        """One element of a field; the index is of ordinals, without bases."""
        entry = self.program.fields[number]
        place = 0
        for dim, ordinal in zip(entry.dims, index, strict=True):
            place = place * self.layout.count[dim] + ordinal
        words = self.layout.field_words[number]
        start = self.layout.field_offset[number] + place * words
        match entry.type:
            case ir.SetType(domain=domain):
                assert isinstance(value, frozenset)
                made = set_cells(value, self.layout.base[domain], words)
            case ir.ListType():
                assert isinstance(value, list | tuple)
                made = [len(value), *value, *([0] * (words - 1 - len(value)))]
            case _:
                assert isinstance(value, int)
                made = [value]
        self.cells[start : start + words] = array("i", made)


class _SetUp:
    """Writes what a scenario says over the defaults."""

    def __init__(self, world: World, position: Position, reader: CellReader, columns: Cells) -> None:
        self.world = world
        self.sink = world.sink
        self.position = position
        self.reader = reader
        self.columns = columns

    def field(self, info: FieldInfo, node: YNode, index: Index, what: str) -> None:
        if info.parts is not None:
            self._form(info.parts, node, index, what)
            return
        assert info.field is not None
        if info.type.sort == "list":
            self._list(info, node, index, what)
            return
        out: dict[Index, Value] = {}
        if info.axes and isinstance(node, YMap):
            # In a set-up, members that are not named keep their start value.
            _sparse(self.reader, info, node, index, out, what)
        else:
            self.reader.column(info, node, index, out, what)
        for place, value in out.items():
            self.position.write(info.field, place, value)

    def _form(self, parts: Mapping[str, FieldInfo], node: YNode, index: Index, what: str) -> None:
        """`order: wait`, or `order: {name: move, route: [...]}`."""
        if not isinstance(node, YMap):
            self.field(parts["name"], node, index, what)
            return
        for key, entry in node.entries.items():
            if key in parts:
                self.field(parts[key], entry.value, index, f"{what}.{key}")
            else:
                self.sink.error(
                    "GR0602", entry.key_span, f"{what} has no field `{key}`", hint=hint_for(key, list(parts))
                )

    def _list(self, info: FieldInfo, node: YNode, index: Index, what: str) -> None:
        assert info.field is not None and info.type.element is not None
        items = expect_list(node, self.sink, what)
        if items is None or info.axes:
            return
        if len(items.items) > info.type.capacity:
            self.sink.error("GR0611", node.span, f"{what} holds at most {info.type.capacity} values")
            return
        values = [self.reader.value(info.type.element, item, what) for item in items.items]
        if None not in values:
            self.position.write(info.field, index, [v for v in values if isinstance(v, int)])

    def row(
        self, fields: Mapping[str, FieldInfo], node: YNode, owner: str, index: Mapping[str, Index]
    ) -> None:
        """Some fields of one owner; `index` gives for each field where its owner lies."""
        table = expect_map(node, self.sink, owner)
        if table is None:
            return
        for name, entry in table.entries.items():
            info = fields.get(name)
            if info is None or (info.field is None and info.parts is None):
                hint = hint_for(name, [n for n, i in fields.items() if i.field is not None])
                if info is not None:
                    hint = "it is constant data, not part of a set-up"
                self.sink.error("GR0602", entry.key_span, f"{owner} has no field `{name}`", hint=hint)
                continue
            self.field(info, entry.value, index[name], f"{owner}: {name}")

    # ---- sections

    def game(self, node: YNode | None) -> None:
        if node is not None:
            self.row(self.world.globals, node, "game", dict.fromkeys(self.world.globals, ()))

    def seats(self, key: str, dom: Dom | None, node: YNode | None) -> None:
        table = expect_map(node, self.sink, key) if node is not None else None
        if table is None or dom is None:
            return
        for name, entry in table.entries.items():
            ordinal = dom.index(name)
            if ordinal is None:
                self.sink.error(
                    "GR0614", entry.key_span, f"there is no {key} `{name}`", hint=hint_for(name, dom.members)
                )
                continue
            self.row(dom.fields, entry.value, f"{key} {name}", dict.fromkeys(dom.fields, (ordinal,)))

    def relations(self, node: YNode | None) -> None:
        table = expect_map(node, self.sink, "relations") if node is not None else None
        for name, entry in table.entries.items() if table else ():
            info = self.world.relations.get(name)
            if info is None or info.field is None:
                self.sink.error(
                    "GR0602",
                    entry.key_span,
                    f"there is no relation `{name}`",
                    hint=hint_for(name, list(self.world.relations)),
                )
                continue
            pairs = expect_list(entry.value, self.sink, name)
            for pair in pairs.items if pairs else ():
                self._pair(info, pair, name)

    def _pair(self, info: FieldInfo, pair: YNode, name: str) -> None:
        assert info.field is not None
        if not isinstance(pair, YList) or len(pair.items) != 2:
            self.sink.error(
                "GR0604", pair.span, f"{name} must be a list of pairs [a, b], not {describe(pair)}"
            )
            return
        places: list[int] = []
        for axis, item in zip(info.axes, pair.items):
            value = self.reader.value(dom_type(axis), item, name)
            if not isinstance(value, int):
                return
            places.append(value - first_value(axis))
        self.position.write(info.field, (places[0], places[1]), 1)
        if info.follows == "mutual":
            self.position.write(info.field, (places[1], places[0]), 1)

    def places(self, node: YNode | None) -> None:
        table = expect_map(node, self.sink, "places") if node is not None else None
        for name, entry in table.entries.items() if table else ():
            space = self.world.types.get(name)
            if space is not None and space.sort == "edge":
                self._edges(space, entry.value)
                continue
            if space is None or space.sort != "place":
                known = [s.decl.name for s in self.world.spaces if isinstance(s.decl, syn.SpaceDecl)]
                self.sink.error(
                    "GR0602", entry.key_span, f"there is no space `{name}`", hint=hint_for(name, known)
                )
                continue
            rows = expect_map(entry.value, self.sink, name)
            for place_name, row in rows.entries.items() if rows else ():
                place = self.reader.member(space, place_name, row.key_span)
                if place is None:
                    continue
                top = space.parent or space
                owners = [top] + [
                    part for part in top.classes if part.base <= place < part.base + len(part.members)
                ]
                fields = {n: info for owner in owners for n, info in owner.fields.items()}
                index = {n: (place - owner.base,) for owner in owners for n in owner.fields}
                self.row(fields, row.value, f"{space.name} {place_name}", index)

    def _edges(self, dom: Dom, node: YNode) -> None:
        """`Hexside: {"0101-0102": {bridge: no}}`, the places in either order."""
        rows = expect_map(node, self.sink, dom.name)
        for name, row in rows.entries.items() if rows else ():
            ends = name.split("-")
            turned = "-".join(reversed(ends))
            edge = self.reader.member(dom, turned if turned in dom.members else name, row.key_span)
            if edge is not None:
                self.row(
                    dom.fields, row.value, f"{dom.name} {name}", dict.fromkeys(dom.fields, (edge - dom.base,))
                )

    def piece(self, piece: PlacedPiece) -> None:
        dom = piece.dom
        ordinal = piece.number - dom.base
        position = self.position
        assert dom.alive is not None
        position.write(dom.alive, (ordinal,), 1)
        if piece.row is not None and (info := dom.fields.get("type")) is not None and info.field is not None:
            position.write(info.field, (ordinal,), piece.row)
        what = f"{dom.name} {piece.name}".rstrip()
        node = piece.node
        given = {dom.name, *_PIECE_KEYS}
        meant: set[str | None] = set()
        for name, entry in node.entries.items():
            if name in given:
                continue
            info = dom.fields.get(name)
            unknown = info is None or (info.field is None and info.parts is None)
            if info is None or unknown or (name == "type" and dom.kind is not None):
                known = [n for n, i in dom.fields.items() if i.field is not None]
                guess = guess_key(name, [*known, *_PIECE_KEYS], node, self.sink)
                meant.add(guess)
                self.sink.error(
                    "GR0602", entry.key_span, f"{dom.name} has no field `{name}`", hint=as_hint(guess)
                )
                continue
            self.field(info, entry.value, (ordinal,), f"{what}: {name}")
        for name, info in dom.fields.items():
            if name in meant:
                continue
            if name not in node.entries and info.field is not None and not info.axes:
                self._not_given(dom, piece, name, info, ordinal)

    def _not_given(self, dom: Dom, piece: PlacedPiece, name: str, info: FieldInfo, ordinal: int) -> None:
        """A side may be printed on the counter; a side or a place that is not given at all is an error."""
        if info.decl is not None and info.decl.default is not None:
            return
        if info.type.sort != "dom" or info.type.optional or name == "type":
            return
        column = dom.kind.fields.get(name) if dom.kind is not None else None
        if column is not None and column.column is not None and piece.row is not None:
            value = self.columns.get(column.column, {}).get((piece.row,))
            if isinstance(value, int) and column.type.dom is info.type.dom:
                assert info.field is not None
                self.position.write(info.field, (ordinal,), value)
                return
        assert info.type.dom
        if info.type.dom.seat or info.type.dom.sort == "place":
            self.sink.error("GR0603", piece.node.span, f"{dom.name} lacks `{name}`")


def _sparse(
    reader: CellReader, info: FieldInfo, node: YMap, index: Index, out: dict[Index, Value], what: str
) -> None:
    """Only the members that are named; the first axis here, the others as in any column."""
    axis, *rest = info.axes
    inner = FieldInfo(info.name, info.type, tuple(rest), info.decl, info.owner, field=info.field)
    for key, entry in node.entries.items():
        value = reader.member(axis, key, entry.key_span)
        if value is None:
            continue
        here = (*index, value - first_value(axis))
        if rest and isinstance(entry.value, YMap):
            _sparse(reader, inner, entry.value, here, out, f"{what}({key})")
        else:
            reader.column(inner, entry.value, here, out, f"{what}({key})")


def initial_state(
    world: World,
    program: ir.Program,
    layout: Layout,
    columns: Cells,
    reader: CellReader,
    scenario: ScenarioFile | None,
) -> array[int]:
    """The position that the game starts from; without a scenario, nothing but defaults and bags."""
    position = Position(world, program, layout)
    position.defaults()
    for space in world.spaces:
        for info in space.edges.fields.values() if space.edges is not None else ():
            if info.printed is not None and info.field is not None:
                for index, value in columns.get(info.printed, {}).items():
                    position.write(info.field, index, value)
    if scenario is not None:
        set_up = _SetUp(world, position, reader, columns)
        node = scenario.node
        set_up.game(_given(node, "game"))
    # The bags come after the game: what they hold may depend on the scenario.
    for bag in world.bags.values():
        for ordinal, count in enumerate(bag_counts(world, bag, columns, position, scenario)):
            assert bag.field.field is not None
            position.write(bag.field.field, (ordinal,), count)
    if scenario is not None:
        set_up.seats("side", world.sides, _given(node, "side"))
        set_up.seats("power", world.seats, _given(node, "power"))
        set_up.relations(_given(node, "relations"))
        set_up.places(_given(node, "places"))
        for piece in scenario.pieces:
            set_up.piece(piece)
    return position.cells


def _given(node: YMap, key: str) -> YNode | None:
    found = node.get(key)
    return None if isinstance(found, YScalar) and found.value is None else found


# ------------------------------------------------------------------------------------------------------- bags


class _NotPlain(Exception):
    """The expression is more than the columns of a row can answer."""

    def __init__(self, span: Span) -> None:
        self.span = span


def bag_counts(
    world: World, bag: BagInfo, columns: Cells, position: Position, scenario: ScenarioFile | None
) -> list[int]:
    """How many of each row a bag starts with."""
    counts: list[int] = []
    options = scenario.options if scenario is not None else {}
    for ordinal in range(len(bag.kind.members)):
        row = _BagRow(bag, columns, ordinal, position, options)
        try:
            inside = bag.decl.where is None or bool(row.number(bag.decl.where))
            count = row.number(bag.decl.copies) if inside else 0
        except _NotPlain as problem:
            world.sink.error(
                "GR0301",
                problem.span,
                f"bag `{bag.name}` can be filled only by columns of {bag.kind.name}, fields of the game and options",
                hint=f"write for example: where {bag.decl.var}.column is 1, 2 each",
            )
            return [0] * len(bag.kind.members)
        if not 0 <= count <= 999:
            world.sink.error(
                "GR0605",
                bag.decl.copies.span,
                f"bag `{bag.name}` would hold {count} of {bag.kind.members[ordinal]}: 0..999 is possible",
            )
            count = 0
        counts.append(count)
    return counts


_COMPARE = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


class _BagRow:
    """Plain expressions over the columns of one row."""

    def __init__(
        self, bag: BagInfo, columns: Cells, ordinal: int, position: Position, options: Mapping[str, str]
    ) -> None:
        self.bag = bag
        self.columns = columns
        self.ordinal = ordinal
        self.position = position
        self.options = options

    def _given(self, name: str) -> tuple[Type, Value] | None:
        """A field of the game as the scenario sets it, or an option."""
        world = self.position.world
        info = world.globals.get(name)
        if info is not None and info.field is not None and not info.axes:
            if info.type.sort in ("int", "flag", "dom"):
                return info.type, self.position.cells[self.position.layout.field_offset[info.field]]
        option = world.options.get(name)
        if option is not None:
            value = option.values.index(self.options.get(name, option.value))
            return (dom_type(option.dom) if option.dom is not None else FLAG), value
        return None

    def _set(self, name: str) -> set[int] | None:
        """A set of the game as the scenario sets it: the values in it."""
        info = self.position.world.globals.get(name)
        if (
            info is None
            or info.field is None
            or info.axes
            or info.type.sort != "set"
            or info.type.dom is None
        ):
            return None
        layout = self.position.layout
        start = layout.field_offset[info.field]
        words = self.position.cells[start : start + layout.field_words[info.field]]
        first = first_value(info.type.dom)
        return {first + 32 * n + bit for n, word in enumerate(words) for bit in range(32) if word >> bit & 1}

    def number(self, expr: syn.Expr) -> int:
        _, value = self.value(expr, None)
        if not isinstance(value, int) or value == NONE:
            raise _NotPlain(expr.span)
        return value

    def value(self, expr: syn.Expr, expected: Type | None) -> tuple[Type, Value]:
        match expr:
            case syn.Number(value=number):
                return INT, number
            case syn.FlagLit(value=flag):
                return FLAG, int(flag)
            case syn.NoneLit():
                return NONE_TYPE, NONE
            case syn.Name(id=name) if name == self.bag.decl.var:
                return dom_type(self.bag.kind), self.bag.kind.base + self.ordinal
            case syn.Name(id=name) if expected is not None and expected.dom is not None:
                place = expected.dom.index(name)
                if place is not None:
                    return expected, first_value(expected.dom) + place
            case syn.Name(id=name) if (given := self._given(name)) is not None:
                return given
            case syn.Dot(object=syn.Name(id="game" | "scenario"), name=name) if (
                given := self._given(name)
            ) is not None:
                return given
            case syn.Dot(object=syn.Name(id=owner), name=name) if owner == self.bag.decl.var:
                info = self.bag.kind.fields.get(name)
                if info is not None and info.column is not None and not info.axes:
                    found = self.columns.get(info.column, {}).get((self.ordinal,))
                    return info.type, plain_default(info.type) if found is None else found
            case syn.UnaryExpr(op="neg", value=inner):
                return INT, -self.number(inner)
            case syn.UnaryExpr(op="not", value=inner):
                return FLAG, int(not self.number(inner))
            case syn.BinaryExpr(op="and", left=left, right=right):
                return FLAG, int(bool(self.number(left)) and bool(self.number(right)))
            case syn.BinaryExpr(op="or", left=left, right=right):
                return FLAG, int(bool(self.number(left)) or bool(self.number(right)))
            case syn.BinaryExpr(op="is" | "is_not" as op, left=left, right=right):
                try:
                    type_, a = self.value(left, None)
                    _, b = self.value(right, type_)
                except _NotPlain:
                    type_, b = self.value(right, None)
                    _, a = self.value(left, type_)
                return FLAG, int((a == b) == (op == "is"))
            case syn.BinaryExpr(op="in" | "not_in" as op, left=left, right=syn.Name(id=name)):
                inside = self._set(name)
                if inside is not None:
                    return FLAG, int((self.number(left) in inside) == (op == "in"))
            case syn.BinaryExpr(op=op, left=left, right=right) if op in _COMPARE:
                a, b = self.value(left, None)[1], self.value(right, None)[1]
                if isinstance(a, int) and isinstance(b, int):
                    return FLAG, int(NONE not in (a, b) and _COMPARE[op](a, b))
        raise _NotPlain(expr.span)
