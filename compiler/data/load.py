"""A title's files and a scenario -> the data block and the first position.

Order matters: the scenario selects the maps, maps define the places, and only then can cells, symbols and pieces that
name places be read.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace

from grognard.compiler.data.amendments import read_deferred
from grognard.compiler.data.cells import CellReader
from grognard.compiler.data.ground import Ground
from grognard.compiler.data.initial_position import initial_state, set_cells
from grognard.compiler.data.kinds import load_kinds
from grognard.compiler.data.maps.load import load_maps
from grognard.compiler.data.maps.plain import BoardSpec
from grognard.compiler.data.maps.sheets import LoadedMap, MapChoice
from grognard.compiler.data.scenario import (
    ScenarioFile,
    default_maps,
    read_scenario,
)
from grognard.compiler.data.tables.pack import load_tables, table_needs_map, table_ranges
from grognard.compiler.data.values import Cells, Index, Value, Values
from grognard.compiler.layers.project import Project
from grognard.compiler.sema.types import Dom, range_members
from grognard.contract import ir
from grognard.contract.datablock import (
    DataBlock,
    DomainData,
    Scenario,
    pack_table,
)
from grognard.contract.header import NONE
from grognard.contract.layout import (
    Layout,
    compute_layout,
    set_words,
)
from grognard.contract.scenario_names import split_scenario
from grognard.support.diagnostics import NO_YAML
from grognard.support.source import Span
from grognard.support.suggest import hint_for

__all__ = [
    "BoardSpec",
    "Loaded",
    "Scenario",
    "Values",
    "load_data",
    "load_kinds",
    "load_scenario",
    "load_tables",
    "table_ranges",
]


@dataclass(slots=True)
class Loaded:
    """A data block with what else a set-up needs of it."""

    data: DataBlock
    columns: Cells
    reader: CellReader
    scenario: ScenarioFile | None


def load_scenario(
    ground: Ground,
    project: Project,
    program: ir.Program,
    values: Values,
    what: str | BoardSpec,
    span: Span | None = None,
    *,
    like: Layout | None = None,
    ruled: int | None = None,
) -> Scenario | None:
    """A scenario by its path (or bare name), or the plain board of an example; None if it cannot be read.

    `like` is a layout of this program, taken if the data is of the same size.  Of the program's symbols the rules name the
    first `ruled`; what only examples name need not be on every map."""
    loaded = load_data(ground, project, program, values, what, span, ruled=ruled)
    if loaded is None:
        return None
    data, scenario = loaded.data, loaded.scenario
    base, count = tuple(d.base for d in data.domains), tuple(d.count for d in data.domains)
    if like is not None and (like.base, like.count) == (base, count):
        layout = like
    else:
        layout = compute_layout(program, base, count)
    options = {name: option.value for name, option in ground.symbols.options.items()}
    options |= dict(what.options) if isinstance(what, BoardSpec) else {}
    options |= scenario.options if scenario is not None else {}
    cells = initial_state(ground, program, layout, loaded.columns, loaded.reader, scenario, options)
    if scenario is None:
        return Scenario("board", "plain board", data, layout, cells, {}, options)
    return Scenario(scenario.name, scenario.title, data, layout, cells, dict(scenario.names), options)


def scenario_path(name: str) -> str:
    return name if name.endswith(".yaml") else f"scenarios/{name}.yaml"


def load_names(ground: Ground, project: Project, values: Values, what: str) -> bool:
    """What rules know of a scenario: the names of places that its maps give, and tables of places; False if it cannot be read."""
    name, options = split_scenario(what)
    scenario = read_scenario(ground, project, scenario_path(name), None, options)
    if scenario is not None:
        load_maps(ground, project, scenario.maps)
        load_tables(ground, project, values.merged, values, deferred=True)
    return scenario is not None


def load_data(
    ground: Ground,
    project: Project,
    program: ir.Program,
    values: Values,
    what: str | BoardSpec,
    span: Span | None = None,
    *,
    ruled: int | None = None,
) -> Loaded | None:
    """Everything that is constant in a game: maps, rows, tables, symbols."""
    scenario: ScenarioFile | None = None
    board: BoardSpec | None = None
    if isinstance(what, BoardSpec):
        board = what
        maps, boards = _board_maps(ground, board)
    else:
        name, options = split_scenario(what)
        scenario = read_scenario(ground, project, scenario_path(name), span, options)
        if scenario is None:
            return None
        maps, boards = scenario.maps, {}
    loaded = load_maps(ground, project, maps, boards)
    reader = CellReader(
        ground,
        names=scenario.names if scenario else {},
        aliases={entry.space.id: entry.aliases for entry in loaded},
        lenient=board is not None,
    )
    columns: Cells = {number: dict(cells) for number, cells in values.columns.items()}
    for entry in loaded:
        columns.update(entry.columns)
    read_deferred(ground, reader, values, columns)
    tables = _tables(ground, project, values, places=board is None)
    options = {name: option.value for name, option in ground.symbols.options.items()}
    if scenario is not None:
        options |= scenario.options
    if board is not None:
        options |= dict(board.options)
    data = DataBlock(maps=[entry.data for entry in loaded])
    doms = ground.symbols.doms
    data.domains = [
        _domain(ground, doms[domain.id], scenario) if domain.id < len(doms) else _made_domain(domain)
        for domain in program.domains
    ]
    data.columns = [_pack(column, data.domains, columns.get(column.id, {})) for column in program.columns]
    data.tables = [tables.get(table.id) or _no_table(table.axes) for table in program.tables]
    ruled = len(program.symbols) if ruled is None else ruled
    data.symbols = [
        _symbol(ground, reader, symbol.name, options, data.domains, board is not None or symbol.id >= ruled)
        for symbol in program.symbols
    ]
    data.place_domain = _place_domains(ground, loaded)
    return Loaded(data, columns, reader, scenario)


def _board_maps(ground: Ground, board: BoardSpec) -> tuple[list[MapChoice], dict[int, BoardSpec]]:
    """An example's board is the first grid; other spaces have the maps that they are declared with."""
    known = {choice.space.id: choice for choice in default_maps(ground)}
    choices: list[MapChoice] = []
    boards: dict[int, BoardSpec] = {}
    for space in ground.symbols.spaces:
        if space.space_sort in ("hexes", "squares") and not boards:
            boards[space.id] = board
            choices.append(MapChoice(space, "", board.span))
        else:
            choices.append(known.get(space.id) or MapChoice(space, "", None))
    return choices, boards


def _tables(ground: Ground, project: Project, values: Values, *, places: bool) -> dict[int, array[int]]:
    """The tables of a scenario; those of places are read anew with each map, and there are none on a plain board."""
    of_places = {entry.table for entry in ground.symbols.callables.values() if table_needs_map(entry)}
    mine = replace(values, tables={n: made for n, made in values.tables.items() if n not in of_places})
    if places and of_places:
        load_tables(ground, project, values.merged, mine, deferred=True)
    return mine.tables


def _made_domain(domain: ir.Domain) -> DomainData:
    """A domain that a body brought with it: of numbers, whose name says which, or of nothing."""
    lo, dots, hi = domain.name.partition("..")
    if domain.sort != "range" or not dots:
        return DomainData(0, 0, (), ())
    members = tuple(range_members(int(lo), int(hi)))
    return DomainData(int(lo), len(members), members, ())


def _domain(ground: Ground, dom: Dom, scenario: ScenarioFile | None) -> DomainData:
    if dom.sort in ("piece", "record"):
        numbers = range(ground.base(dom), ground.base(dom) + dom.up_to)
        names = scenario.piece_names if scenario else {}
        titles = scenario.piece_titles if scenario else {}
        made = tuple(names.get(n, f"{dom.name}_{n - ground.base(dom) + 1}") for n in numbers)
        shown = tuple(titles.get(n, f"{dom.name} {n - ground.base(dom) + 1}") for n in numbers)
        return DomainData(ground.base(dom), dom.up_to, made, shown)
    titles_of = tuple(ground.titles(dom)) if len(ground.titles(dom)) == len(ground.members(dom)) else ()
    return DomainData(ground.first(dom), len(ground.members(dom)), tuple(ground.members(dom)), titles_of)


def _no_table(axes: int) -> array[int]:
    """A table in which nothing is found: one that is in error, or about places that an example's board lacks."""
    return pack_table([(0, -1, 0, [])] * axes, [0] * axes, [])


def _pack(column: ir.Column, domains: list[DomainData], cells: dict[Index, Value]) -> array[int]:
    """A column in row-major order; sets as words."""
    counts = [domains[dim].count for dim in column.dims]
    size = 1
    for count in counts:
        size *= count
    words, base = 1, 0
    if isinstance(column.type, ir.SetType):
        domain = domains[column.type.domain]
        words, base = set_words(domain.count), domain.base
    packed = array("i", [0]) * (size * words)
    for index, value in cells.items():
        place = 0
        for count, ordinal in zip(counts, index, strict=True):
            place = place * count + ordinal
        if isinstance(value, frozenset):
            packed[place * words : (place + 1) * words] = array("i", set_cells(value, base, words))
        else:
            packed[place] = value
    return packed


def _symbol(
    ground: Ground,
    reader: CellReader,
    name: str,
    options: dict[str, str],
    domains: list[DomainData],
    lenient: bool,
) -> int:
    """The value of a name that code refers to; on an example's plain board, places of the real map are none."""
    if name.startswith("option "):
        option = ground.symbols.options[name.removeprefix("option ")]
        value = options[option.name]
        return option.values.index(value) if value in option.values else 0
    if name.startswith("count "):
        dom = ground.symbols.types.get(name.removeprefix("count "))
        return domains[dom.id].count if dom is not None else 0
    owner, _, member = name.partition(".")
    dom = ground.symbols.types.get(owner)
    if dom is None:
        return NONE
    found = reader.find(dom, member)
    if found is not None:
        return found
    if dom.sort not in ("place", "edge"):
        ground.sink.error("GR0608", None, f"{dom.name} has no `{member}`, which the rules name")
    elif not lenient and not any(found.code == NO_YAML for found in ground.sink):
        # Of a map that is no YAML that much has been reported.
        hint = hint_for(member, ground.members(dom))
        ground.sink.error(
            "GR0609", None, f"the map has no {dom.name} `{member}`, which the rules name", hint=hint
        )
    return NONE


def _place_domains(ground: Ground, loaded: list[LoadedMap]) -> array[int]:
    """For each place of the numbering its innermost domain."""
    found = array("i")
    for entry in loaded:
        found.extend(entry.place_domain)
    return found
