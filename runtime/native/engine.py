"""The compiled back end: a generated module and a data block, behind the interface that the interpreter has too."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import (
    Argument,
    Io,
    NativeEvaluation,
    Result,
    RolloutOptions,
    RuleFailure,
    Sampled,
)
from grognard.contract.datablock import (
    DataBlock,
)
from grognard.contract.header import FAIL_INDEX, NONE
from grognard.contract.layout import (
    Layout,
    set_words,
)
from grognard.contract.prepared_data import DataError, Prepared, prepare


@dataclass(slots=True)
class PreparedSample:
    """What is done many times, as the binding takes it."""

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
class PreparedEvaluation:
    """How well sides stand, as the binding takes it; arrays end in a cell that is never read, for none may be empty."""

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
    """Runs a program on positions; implements `grognard.contract.backend.Backend`.

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
        self._evaluations: dict[NativeEvaluation, PreparedEvaluation] = {}
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

    def random_rollout(self, cells: bytearray, seed: int, plies: int, max_answers: int) -> int:
        """Give random answers in place until `plies` more are complete or `max_answers` are given; how many were.

        The dice fall anew, by the seed."""
        given: int = self._engine.random_rollout(cells, seed & 0xFFFF_FFFF_FFFF_FFFF, plies, max_answers)
        return given

    def guided_rollout(
        self,
        cells: bytearray,
        seed: int,
        plies: int,
        max_answers: int,
        how: RolloutOptions,
        by: NativeEvaluation,
        side: int,
    ) -> tuple[int, int]:
        """Play on in place, each mover doing what looks best of some actions made up at random; how many answers
        were given, and how a side stood on the way (see search.py).  The dice fall anew, by the seed."""
        prepared = self._evaluations.get(by)
        if prepared is None:
            given: list[array[int]] = []
            if by.function is not None:
                rule = self.program.functions[by.function]
                for number in range(by.sides):
                    given += self._import((by.side_base + number,), rule.locals[: rule.params])
            prepared = self._evaluations[by] = PreparedEvaluation(
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
        found: tuple[int, int] = self._engine.guided_rollout(
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
        """What works on positions of a chance program without Python (odds/native_tables.py)."""
        return self._module.Chance(self._engine, *tables)

    def memo(self, chance: Any, *given: Any) -> Any:
        """A cache of the transitions of a procedure of a chance program (odds/cached_simulation.py)."""
        return self._module.CachedSimulation(chance, *given)

    def grids(self, chance: Any) -> Any:
        """What knows positions of grids that were worked out (odds/attrition/reuse.py)."""
        return self._module.Grids(chance)

    def ending(self, *given: Any) -> Callable[[bytes | bytearray], tuple[int, ...]]:
        """What situations look at at an end (odds/request.py)."""
        found: Callable[[bytes | bytearray], tuple[int, ...]] = self._module.Ending(self._engine, *given)
        return found

    def ends(self, *given: Any) -> Any:
        """What knows the ends of one grid (odds/attrition/probe.py)."""
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
