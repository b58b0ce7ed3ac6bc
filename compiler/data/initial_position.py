"""The first position of a scenario: defaults of fields, then the values of its sections."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from grognard.compiler.data.bags import bag_counts
from grognard.compiler.data.cells import CellReader
from grognard.compiler.data.ground import Ground
from grognard.compiler.data.scenario import (
    PIECE_KEYS,
    PlacedPiece,
    ScenarioFile,
)
from grognard.compiler.data.values import Cells, Index, Value
from grognard.compiler.sema.types import (
    Dom,
    FieldInfo,
    dom_type,
)
from grognard.compiler.support.yamlfile import (
    YList,
    YMap,
    YNode,
    YScalar,
    describe,
    expect_list,
    expect_map,
    guess_key,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import (
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_FP,
    H_OUTCOME,
    H_STATUS,
    NONE,
    STATUS_RUNNING,
)
from grognard.contract.layout import Layout, default_value
from grognard.support.suggest import as_hint, hint_for


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

    def __init__(self, ground: Ground, program: ir.Program, layout: Layout) -> None:
        self.ground = ground
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
    """Writes the values of a scenario over the defaults."""

    def __init__(self, ground: Ground, position: Position, reader: CellReader, columns: Cells) -> None:
        self.ground = ground
        self.sink = ground.sink
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
        """Set some fields of one owner; `index` gives the index of the owner in each field."""
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
            self.row(
                self.ground.symbols.globals, node, "game", dict.fromkeys(self.ground.symbols.globals, ())
            )

    def seats(self, key: str, dom: Dom | None, node: YNode | None) -> None:
        table = expect_map(node, self.sink, key) if node is not None else None
        if table is None or dom is None:
            return
        for name, entry in table.entries.items():
            ordinal = self.ground.index(dom, name)
            if ordinal is None:
                self.sink.error(
                    "GR0614",
                    entry.key_span,
                    f"there is no {key} `{name}`",
                    hint=hint_for(name, self.ground.members(dom)),
                )
                continue
            self.row(dom.fields, entry.value, f"{key} {name}", dict.fromkeys(dom.fields, (ordinal,)))

    def relations(self, node: YNode | None) -> None:
        table = expect_map(node, self.sink, "relations") if node is not None else None
        for name, entry in table.entries.items() if table else ():
            info = self.ground.symbols.relations.get(name)
            if info is None or info.field is None:
                self.sink.error(
                    "GR0602",
                    entry.key_span,
                    f"there is no relation `{name}`",
                    hint=hint_for(name, list(self.ground.symbols.relations)),
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
            places.append(value - self.ground.first(axis))
        self.position.write(info.field, (places[0], places[1]), 1)
        if info.follows == "mutual":
            self.position.write(info.field, (places[1], places[0]), 1)

    def places(self, node: YNode | None) -> None:
        table = expect_map(node, self.sink, "places") if node is not None else None
        for name, entry in table.entries.items() if table else ():
            space = self.ground.symbols.types.get(name)
            if space is not None and space.sort == "edge":
                self._edges(space, entry.value)
                continue
            if space is None or space.sort != "place":
                known = [s.decl.name for s in self.ground.symbols.spaces if isinstance(s.decl, syn.SpaceDecl)]
                self.sink.error(
                    "GR0602", entry.key_span, f"there is no space `{name}`", hint=hint_for(name, known)
                )
                continue
            rows = expect_map(entry.value, self.sink, name)
            named = [
                (part.strip(), row)
                for names, row in (rows.entries.items() if rows else ())
                for part in names.split(",")
            ]
            for place_name, row in named:
                place = self.reader.member(space, place_name, row.key_span)
                if place is None:
                    continue
                top = space.parent or space
                owners = [top] + [
                    part
                    for part in top.classes
                    if self.ground.base(part)
                    <= place
                    < self.ground.base(part) + len(self.ground.members(part))
                ]
                fields = {n: info for owner in owners for n, info in owner.fields.items()}
                index = {n: (place - self.ground.base(owner),) for owner in owners for n in owner.fields}
                self.row(fields, row.value, f"{space.name} {place_name}", index)

    def _edges(self, dom: Dom, node: YNode) -> None:
        """`Hexside: {"0101-0102": {bridge: no}}`, the places in either order."""
        rows = expect_map(node, self.sink, dom.name)
        for name, row in rows.entries.items() if rows else ():
            ends = name.split("-")
            turned = "-".join(reversed(ends))
            edge = self.reader.member(
                dom, turned if turned in self.ground.members(dom) else name, row.key_span
            )
            if edge is not None:
                self.row(
                    dom.fields,
                    row.value,
                    f"{dom.name} {name}",
                    dict.fromkeys(dom.fields, (edge - self.ground.base(dom),)),
                )

    def piece(self, piece: PlacedPiece) -> None:
        dom = piece.dom
        ordinal = piece.number - self.ground.base(dom)
        position = self.position
        assert dom.alive is not None
        position.write(dom.alive, (ordinal,), 1)
        if piece.row is not None and (info := dom.fields.get("type")) is not None and info.field is not None:
            position.write(info.field, (ordinal,), piece.row)
        what = f"{dom.name} {piece.name}".rstrip()
        node = piece.node
        given = {dom.name, *PIECE_KEYS}
        meant: set[str | None] = set()
        for name, entry in node.entries.items():
            if name in given:
                continue
            info = dom.fields.get(name)
            unknown = info is None or (info.field is None and info.parts is None)
            if info is None or unknown or (name == "type" and dom.kind is not None):
                known = [n for n, i in dom.fields.items() if i.field is not None]
                guess = guess_key(name, [*known, *PIECE_KEYS], node, self.sink)
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
        here = (*index, value - reader.ground.first(axis))
        if rest and isinstance(entry.value, YMap):
            _sparse(reader, inner, entry.value, here, out, f"{what}({key})")
        else:
            reader.column(inner, entry.value, here, out, f"{what}({key})")


def initial_state(
    ground: Ground,
    program: ir.Program,
    layout: Layout,
    columns: Cells,
    reader: CellReader,
    scenario: ScenarioFile | None,
    options: Mapping[str, str],
) -> array[int]:
    """The position that the game starts from; without a scenario, nothing but defaults and bags."""
    position = Position(ground, program, layout)
    position.defaults()
    for space in ground.symbols.spaces:
        for info in space.edges.fields.values() if space.edges is not None else ():
            if info.printed is not None and info.field is not None:
                for index, value in columns.get(info.printed, {}).items():
                    position.write(info.field, index, value)
    if scenario is not None:
        set_up = _SetUp(ground, position, reader, columns)
        node = scenario.node
        set_up.game(_given(node, "game"))
    # Bags come after the fields of the game, on which their content may depend.
    for bag in ground.symbols.bags.values():
        for ordinal, count in enumerate(bag_counts(ground, bag, columns, position, options)):
            assert bag.field.field is not None
            position.write(bag.field.field, (ordinal,), count)
    if scenario is not None:
        set_up.seats("side", ground.symbols.sides, _given(node, "side"))
        set_up.seats("power", ground.symbols.seats, _given(node, "power"))
        set_up.relations(_given(node, "relations"))
        set_up.places(_given(node, "places"))
        for piece in scenario.pieces:
            set_up.piece(piece)
    return position.cells


def _given(node: YMap, key: str) -> YNode | None:
    found = node.get(key)
    return None if isinstance(found, YScalar) and found.value is None else found
