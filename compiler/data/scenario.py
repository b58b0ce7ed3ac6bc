"""Scenario files: maps, options, and counters with their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grognard.compiler.data.cells import CellReader
from grognard.compiler.data.ground import Ground
from grognard.compiler.data.maps.sheets import MapChoice
from grognard.compiler.data.scenario_like import with_model
from grognard.compiler.layers.project import Project
from grognard.compiler.sema.types import Dom
from grognard.compiler.support.yamlfile import (
    YMap,
    YScalar,
    check_keys,
    expect_int,
    expect_list,
    expect_map,
    expect_text,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract.scenario_names import scenario_with
from grognard.support.diagnostics import Label
from grognard.support.source import Span
from grognard.support.suggest import hint_for

KEYS = (
    "like",
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
    "not_balanced",
)
#: Keys of an entry of a counter beside its fields.
PIECE_KEYS = ("as", "count")


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


def read_scenario(
    ground: Ground,
    project: Project,
    path: str,
    span: Span | None = None,
    options: Mapping[str, str] | None = None,
) -> ScenarioFile | None:
    """Read a scenario file up to its list of pieces; None if it makes no sense at all.  `options` are set otherwise than
    the file has them."""
    sink = ground.sink
    node = project.load_data(path, span, sink)
    if node is None:
        return None
    table = expect_map(node, sink, f'"{path}"')
    if table is None:
        return None
    check_keys(table, sink, "a scenario", required=("name",), optional=KEYS)
    table = with_model(table, project, sink, (path,))
    if table is None:
        return None
    title = table.get("name")
    stem = path.rpartition("/")[2].removesuffix(".yaml")
    shown = expect_text(title, sink, "name") if title is not None else None
    scenario = ScenarioFile(stem, shown or stem, table)
    reader = _ScenarioReader(ground, scenario)
    reader.options()
    reader.set_otherwise(options or {}, span)
    reader.maps()
    reader.pieces()
    reader.balance()
    if (reason := table.get("not_balanced")) is not None:
        expect_text(reason, sink, "not_balanced")
    return scenario


def default_maps(ground: Ground) -> list[MapChoice]:
    """The maps that the declarations themselves name."""
    choices: list[MapChoice] = []
    for space in ground.symbols.spaces:
        decl = space.decl
        assert isinstance(decl, syn.SpaceDecl)
        if decl.source:
            choices.append(MapChoice(space, decl.source, decl.span))
    return choices


class _ScenarioReader:
    def __init__(self, ground: Ground, scenario: ScenarioFile) -> None:
        self.ground = ground
        self.scenario = scenario
        self.sink = ground.sink

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
        sides = (
            self.ground.members(self.ground.symbols.sides) if self.ground.symbols.sides is not None else []
        )
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
            option = self.ground.symbols.options.get(name)
            if option is None:
                self.sink.error(
                    "GR0510",
                    entry.key_span,
                    f"there is no option `{name}`",
                    hint=hint_for(name, list(self.ground.symbols.options)),
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

    def set_otherwise(self, options: Mapping[str, str], span: Span | None) -> None:
        for name, value in options.items():
            option = self.ground.symbols.options.get(name)
            if option is None:
                hint = hint_for(name, list(self.ground.symbols.options))
                self.sink.error("GR0510", span, f"there is no option `{name}`", hint=hint)
            elif value not in option.values:
                hint = hint_for(value, option.values) or f"it is one of {', '.join(option.values)}"
                self.sink.error("GR0510", span, f"option `{name}` has no value `{value}`", hint=hint)
            else:
                self.scenario.options[name] = value
        self.scenario.name = scenario_with(self.scenario.name, options)

    def maps(self) -> None:
        section = self._section("maps")
        given = dict(section.entries) if section else {}
        for space in self.ground.symbols.spaces:
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
        known = [s.decl.name for s in self.ground.symbols.spaces if isinstance(s.decl, syn.SpaceDecl)]
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
        self._used: dict[int, int] = {}
        self._rows: dict[str, int] = {}
        self._first: dict[str, Span] = {}
        for item in items.items:
            entry = expect_map(item, self.sink, "a piece")
            if entry is not None:
                self._piece(entry)

    def _piece(self, entry: YMap) -> None:
        types = {d.name: d for d in self.ground.symbols.doms if d.sort == "piece"}
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
            row = (
                CellReader(self.ground).member(dom.kind, text, head.value.span) if text is not None else None
            )
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
                hint=f"piece {dom.name} ... up to {used + count}; a title of a series: add to piece {dom.name} up to {used + count}",
            )
            return
        self._used[dom.id] = used + count
        for copy in range(count):
            self._copy(
                dom, self.ground.base(dom) + used + copy, row, entry, name, copy + 1 if count > 1 else 0
            )

    def _copy(self, dom: Dom, number: int, row: int | None, entry: YMap, name: str, copy: int) -> None:
        scenario = self.scenario
        kind = dom.kind
        label = self.ground.members(kind)[row] if kind is not None and row is not None else dom.name.lower()
        title = (
            self.ground.titles(kind)[row]
            if kind is not None and row is not None and self.ground.titles(kind)
            else label
        )
        if kind is not None and dom.fields["type"].veiled:
            # The name must not give the hidden type away.
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
