"""The compiled back end: a generated module and a data block, behind the interface that the interpreter has too.

Generated code trusts its data block, so everything in it that code uses as an index is checked here, once, when the
engine is made.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from types import ModuleType
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import (
    Appraisal,
    Argument,
    Io,
    Manner,
    Result,
    RuleFailure,
    Sampled,
)
from grognard.contract.datablock import (
    AXIS_CELLS,
    TABLE_HEAD,
    DataBlock,
    MapData,
)
from grognard.contract.header import FAIL_INDEX, NONE
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
    """What tells pieces of a domain apart: see Likeness in interpreter.py."""
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
    # Those of one word are compared without a call (grog_alike), and come first.
    own.sort(key=lambda part: part[1] != 1)
    parts = _wide([number for part in own for number in part])
    return layout.base[domain], layout.count[domain], parts, _wide(sets), _wide(lists), _wide(values)


@dataclass(slots=True)
class PreparedSample:
    """What is done many times, as the face takes it."""

    machine: int
    function: int
    measure: int
    random: int
    most: int
    offsets: array[int]
    sizes: array[int]
    given: list[array[int]]
    measured: list[array[int]]


@dataclass(slots=True)
class PreparedAppraisal:
    """How well sides stand, as the face takes it; arrays end in a cell that nobody reads, for none may be empty."""

    sides: int
    side_base: int
    seat_base: int
    side_of: array[int]
    function: int
    given: list[array[int]]
    factor: int
    counters: array[int]
    won: int


class CompiledEngine:
    """Runs a program on positions; implements `machineio.Backend`.

    Safe to share between threads; the GIL is released while rules run."""

    name = "compiled"

    def __init__(
        self,
        module: ModuleType,
        program: ir.Program,
        layout: Layout,
        data: DataBlock,
        prepared: Prepared | None = None,
    ) -> None:
        """`prepared` is what `prepare` gives for the same program, layout and data."""
        made_for: Any = module.SHAPE
        prepared = prepared or prepare(program, layout, data)
        if made_for != prepared.shape:
            raise DataError("the module was compiled from another program")
        self.program = program
        self.layout = layout
        self.data = data
        spare = max(prepared.spare_words, module.SPARE + 16)
        self._engine: Any = module.Engine(module, replace(prepared, spare_words=spare), RuleFailure)
        self._module: Any = module
        self._appraisals: dict[Appraisal, PreparedAppraisal] = {}
        #: the cells after an answer that is known to be a candidate, and the candidates of what is asked then
        self.advance: Callable[[bytearray, int], tuple[bytearray, list[int]]] = self._engine.advance

    def start(self, cells: bytearray, machine: int, args: Sequence[Argument], io: Io) -> None:
        # A sequence of play takes nothing; its code need not be read for that.
        values = self._import(args, self._params(machine)) if args or machine != self.program.main else []
        self._engine.start(cells, machine, list(zip(self.layout.frames[machine].offsets, values)), io)

    def start_with(
        self, cells: bytearray, machine: int, values: list[tuple[int, array[int]]], io: Io
    ) -> None:
        """As `start`, with what is put into the frame: (offset, cells)."""
        self._engine.start(cells, machine, values, io)

    def resume(self, cells: bytearray, io: Io) -> None:
        self._engine.resume(cells, io)

    def candidates(self, cells: bytearray) -> list[int]:
        found: list[int] = self._engine.candidates(cells)
        return found

    def answer(self, cells: bytearray, value: int, io: Io) -> None:
        self._engine.answer(cells, value, io)

    def call(self, cells: bytearray, function: int, args: Sequence[Argument], io: Io) -> Result:
        target = self.program.functions[function]
        values = self._import(args, target.locals[: target.params])
        if isinstance(target.result, ir.SetType):
            domain = target.result.domain
            out = array("i", bytes(4 * set_words(self.layout.count[domain])))
            self._engine.call(cells, target.id, values, out, io)
            mask = int.from_bytes(b"".join((w & 0xFFFF_FFFF).to_bytes(4, "little") for w in out), "little")
            base = self.layout.base[domain]
            return frozenset(base + i for i in range(mask.bit_length()) if mask >> i & 1)
        result: int = self._engine.call(cells, target.id, values, None, io)
        return None if target.result is None else result

    def prepared(self, function: int, args: Sequence[Argument]) -> Callable[[bytearray], int]:
        target = self.program.functions[function]
        number, values, call, io = (
            target.id,
            self._import(args, target.locals[: target.params]),
            self._engine.call,
            Io(),
        )

        def measure(cells: bytearray) -> int:
            result: int = call(cells, number, values, None, io)
            return result

        return measure

    def playouts(
        self, cells: bytearray, n: int, seed: int, max_answers: int = 1_000_000
    ) -> tuple[list[int], int, int]:
        """Play n games on from the position with random answers: (outcomes, plies, answers).

        The outcomes count the wins of each seat, then draws, then games that were not over after `max_answers`
        answers.  Every game gets dice of its own from the seed; the cells are not changed."""
        seats = max(self.layout.count[self.program.seats], self.layout.count[self.program.sides])
        base = self.layout.base[self.program.seats]
        result: tuple[list[int], int, int] = self._engine.playouts(
            cells, n, seed & 0xFFFF_FFFF_FFFF_FFFF, max_answers, seats, base
        )
        return result

    def wander(self, cells: bytearray, seed: int, plies: int, max_answers: int) -> int:
        """Give random answers in place until `plies` more are complete or `max_answers` are given; how many were.

        The dice fall anew, by the seed."""
        given: int = self._engine.wander(cells, seed & 0xFFFF_FFFF_FFFF_FFFF, plies, max_answers)
        return given

    def stroll(
        self, cells: bytearray, seed: int, plies: int, max_answers: int, how: Manner, by: Appraisal, side: int
    ) -> tuple[int, int]:
        """Play on in place, each mover doing what looks best of some actions made up at random; how many answers
        were given, and how a side stood on the way (see search.py).  The dice fall anew, by the seed."""
        prepared = self._appraisals.get(by)
        if prepared is None:
            given: list[array[int]] = []
            if by.function is not None:
                rule = self.program.functions[by.function]
                for number in range(by.sides):
                    given += self._import((by.side_base + number,), rule.locals[: rule.params])
            prepared = self._appraisals[by] = PreparedAppraisal(
                sides=by.sides,
                side_base=by.side_base,
                seat_base=by.seat_base,
                side_of=array("q", [*by.side_of, 0]),
                function=-1 if by.function is None else by.function,
                given=given,
                factor=by.factor,
                counters=array("q", [*(cell for kind in by.counters for cell in kind), 0]),
                won=by.won,
            )
        found: tuple[int, int] = self._engine.stroll(
            cells, seed & 0xFFFF_FFFF_FFFF_FFFF, plies, max_answers, how, prepared, side
        )
        return found

    def samples(self, cells: bytearray, what: Sampled, n: int, seed: int) -> list[tuple[int, int]]:
        """Do one thing n times from the position, each time with dice of its own: (value, how often)."""
        machine = None if what.machine is None else self.program.machines[what.machine]
        target = machine or self.program.functions[what.function]
        offsets = () if machine is None else self.layout.frames[machine.id].offsets[: machine.params]
        measured: list[array[int]] = []
        if what.measure is not None:
            rule = self.program.functions[what.measure]
            measured = self._import(what.measure_args, rule.locals[: rule.params])
        given = self._import(what.args, target.locals[: target.params])
        prepared = PreparedSample(
            machine=-1 if what.machine is None else what.machine,
            function=what.function,
            measure=-1 if what.measure is None else what.measure,
            random=int(what.random),
            most=what.max_answers,
            offsets=array("q", [*offsets, 0]),
            sizes=array("q", [*(len(value) for value in given), 0]),
            given=given,
            measured=measured,
        )
        counted: list[tuple[int, int]] = self._engine.samples(
            cells, prepared, n, seed & 0xFFFF_FFFF_FFFF_FFFF
        )
        return counted

    def perft(self, cells: bytearray, depth: int) -> int:
        """The number of different lines that have exactly `depth` more plies; lines that end before do not count."""
        found: int = self._engine.perft(cells, depth)
        return found

    def answer_many(
        self, positions: Sequence[bytearray], values: Sequence[int], threads: int = 1
    ) -> list[Exception | None]:
        """Answer many positions, one answer each; None or what went wrong for each of them.

        No position may be given twice."""
        if len(positions) != len(values):
            raise ValueError(f"{len(values)} answers for {len(positions)} positions")
        if threads <= 1 or len(positions) < 2:
            done: list[Exception | None] = self._engine.answer_all(positions, values)
            return done
        from concurrent.futures import ThreadPoolExecutor

        share = -(-len(positions) // threads)
        starts = range(0, len(positions), share)
        with ThreadPoolExecutor(max_workers=threads) as pool:
            parts = pool.map(
                lambda at: self._engine.answer_all(positions[at : at + share], values[at : at + share]),
                starts,
            )
            return [result for part in parts for result in part]

    def answer_by(
        self, cells: bytearray, starts: array[int], lines: array[int], most: int, dice: bool
    ) -> int:
        """Answer decisions as a policy's lines say (odds/policy.py); how many were answered."""
        given: int = self._engine.answer_by(cells, starts, lines, most, dice)
        return given

    def _params(self, machine: int) -> tuple[ir.LocalDecl, ...]:
        target = self.program.machines[machine]
        return target.locals[: target.params]

    def chance(self, *tables: Any) -> Any:
        """What works on positions of a chance program without Python (odds/tables.py)."""
        return self._module.Chance(self._engine, *tables)

    def memo(self, chance: Any, *given: Any) -> Any:
        """What remembers a procedure of a chance program (odds/remember.py)."""
        return self._module.Memo(chance, *given)

    def grids(self, chance: Any) -> Any:
        """What knows positions of grids that were worked out (odds/memory.py)."""
        return self._module.Grids(chance)

    def ending(self, *given: Any) -> Callable[[bytes | bytearray], tuple[int, ...]]:
        """What situations look at at an end (odds/ask.py)."""
        found: Callable[[bytes | bytearray], tuple[int, ...]] = self._module.Ending(self._engine, *given)
        return found

    def ends(self, *given: Any) -> Any:
        """What knows the ends of one grid (odds/probe.py)."""
        return self._module.Ends(*given)

    def _import(self, args: Sequence[Argument], params: Sequence[ir.LocalDecl]) -> list[array[int]]:
        """Arguments from outside as arrays of cells."""
        if len(args) != len(params):
            raise ValueError(f"{len(args)} arguments for {len(params)} parameters")
        return [self._import_one(arg, param) for arg, param in zip(args, params)]

    def _import_one(self, arg: Argument, param: ir.LocalDecl) -> array[int]:
        match param.type:
            case ir.IntType():
                if not isinstance(arg, int):
                    raise ValueError(f"{param.name} is an integer, not {arg!r}")
                return array("i", [arg])
            case ir.SetType(domain=domain):
                if isinstance(arg, int):
                    raise ValueError(f"{param.name} is a set, not {arg!r}")
                base, count = self.layout.base[domain], self.layout.count[domain]
                words = [0] * set_words(count)
                for element in arg:
                    place = element - base
                    if element == NONE:
                        continue
                    if not 0 <= place < count:
                        raise RuleFailure(FAIL_INDEX, -1, (element,))
                    words[place >> 5] |= 1 << (place & 31)
                return array("i", [word - (word >> 31 << 32) for word in words])
            case ir.ListType(capacity=capacity):
                if isinstance(arg, int) or len(arg) > capacity:
                    raise ValueError(f"{param.name} is a list of up to {capacity}, not {arg!r}")
                items = [int(item) for item in arg]
                return array("i", [len(items), *items, *([0] * (capacity - len(items)))])
