"""A situation on one scenario: everything that does not depend on the values of its parameters, computed once.

The machine of a situation runs up to its procedure (`PreparedSituation.set_up`), and on from each terminal state of the
procedure (`OutcomeReader`).  Declared situations run on the back end, inline ones on the interpreter.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.backend import (
    Argument,
    Backend,
    Io,
)
from grognard.contract.datablock import Scenario
from grognard.contract.header import (
    H_ASK,
    H_CHOOSER,
    H_OUTCOME,
    H_STATUS,
    HEADER,
    NONE,
    STATUS_DECISION,
    STATUS_RUNNING,
)
from grognard.contract.layout import local_words
from grognard.contract.situations import Situation
from grognard.errors import UnknownName
from grognard.interpreter.machine import Interpreter
from grognard.odds.canonical import NamedPieces
from grognard.odds.errors import OddsError
from grognard.odds.liveness import live_locals
from grognard.odds.policy import Line
from grognard.odds.query import check_fields, transfer_cells
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.play.position import Position
    from grognard.play.setting import Setting


class Parameters:
    """The parameters of a situation, and the validation of their values."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.names = frozenset(name for name, _ in situation.params)
        #: ranges of optional numbers
        self._ranges = [
            (name, type_.lo, type_.hi)
            for name, type_ in situation.params
            if type_.sort == "int" and type_.lo <= 0 <= type_.hi
        ]
        self._numbers = len(self._ranges) == len(situation.params)

    def values(self, given: Mapping[str, Any]) -> list[Any]:
        """The value of each parameter in order.  The default of a number is 0 where its range contains 0."""
        if self._numbers and given and self.names >= given.keys():
            found = []
            for name, lo, hi in self._ranges:
                value = given.get(name, 0)
                if type(value) is not int or not lo <= value <= hi:
                    break
                found.append(value)
            else:
                return found
        return self._checked(given)

    def _checked(self, given: Mapping[str, Any]) -> list[Any]:
        """Validate before anything is built or run: every parameter has a legal value, every value a parameter."""
        situation = self.situation
        names = [name for name, _ in situation.params]
        wrong = [name for name in given if name not in names]
        if wrong:
            raise UnknownName(f"situation `{situation.name}` takes no `{wrong[0]}`", hint_for(wrong[0], names) or f"it takes {', '.join(names) or 'nothing'}")  # fmt: skip
        absent = {name for name, _, _ in self._ranges}
        lacking = [name for name in names if name not in given and name not in absent]
        if lacking:
            raise OddsError(f"situation `{situation.name}` needs {', '.join(lacking)}")
        if absent and not given and set(names) == absent:
            raise OddsError(
                f"situation `{situation.name}` needs a value for at least one of {', '.join(names)}"
            )
        found = [given.get(name, 0) for name in names]
        for (name, type_), value in zip(situation.params, found):
            number = type_.sort == "int"
            if value is None and type_.optional:
                continue
            if number and not (isinstance(value, int) and type_.lo <= value <= type_.hi):
                raise OddsError(f"`{name}` of situation `{situation.name}` is {type_.words}, not {value}")
            if type_.sort == "flag" and value not in (0, 1):
                raise OddsError(f"`{name}` of situation `{situation.name}` is yes or no, not {value}")
            if type_.sort == "dom" and not isinstance(value, str):
                raise OddsError(f"`{name}` of situation `{situation.name}` is {type_.words}, not {value!r}")
        return found


class PreparedSituation:
    """A situation, the setting of the chance program, and the back end and scenario that its machine runs on."""

    def __init__(
        self,
        program: ir.Program,
        situation: Situation,
        display_name: str,
        setting: Setting,
        extended: Scenario,
        interpreter: Interpreter,
    ) -> None:
        self.program, self.situation, self.display_name, self.setting = (
            program,
            situation,
            display_name,
            setting,
        )
        self.extended, self.interpreter = extended, interpreter
        runner: Any = interpreter
        if situation.machine < len(setting.program.machines):
            runner, extended = setting.backend, setting.scenario
        self.runner: Backend = runner
        self.scenario = extended
        layout = extended.layout
        self.machine = program.machines[situation.machine]
        self.offsets = layout.frames[situation.machine].offsets
        self.place = layout.stack_offset
        self._initial_cells = extended.cells.tobytes()
        #: a native start that takes all numbers in one array, if their locals are contiguous
        self._native_start: Any = None
        params = range(len(situation.params))
        if [self.offsets[n] for n in params] == [self.offsets[0] + n for n in params] and all(
            isinstance(self.machine.locals[n].type, ir.IntType) for n in params
        ):
            self._native_start = getattr(runner, "start_with", None) if params else None
        self._args = [(self.place + self.offsets[n], self.machine.locals[n]) for n in situation.args]
        #: bound policy lines, by the key of the policies
        self.lines: dict[tuple[str, ...], list[Line]] = {}
        #: the outcomes
        self.labels = [label for label, _at, _show in situation.outcomes]
        self.result = -1 if situation.result is None else self.place + self.offsets[situation.result]
        self.count = min(layout.journal_offset, setting.scenario.layout.journal_offset)
        self.outcome_cells = array(
            "q", [self.place + self.offsets[local] for _label, local, _show in situation.outcomes]
        )
        self.outcome_shows = [show for _label, _local, show in situation.outcomes]
        #: values of outcomes as people read them
        self.named = _OutcomeNames(self)

    def set_up(
        self, values: Sequence[Any], position: Position | None
    ) -> tuple[bytearray, list[Argument], bytearray]:
        """The suspended situation, the arguments of its procedure, and the position that the procedure begins in."""
        setting, layout = self.setting, self.scenario.layout
        cells = bytearray(self._initial_cells)
        if position is not None:
            check_fields(position.setting.program, setting.program)
            cells = transfer_cells(
                position.cells, setting.program.fields, position.setting.scenario.layout, layout
            )
        given: list[Any] = self._raw(values)
        if self._native_start is not None:
            self._native_start(cells, self.situation.machine, [(self.offsets[0], array("i", given))], Io())
        else:
            self.runner.start(cells, self.situation.machine, given, Io())
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] != STATUS_DECISION:
                raise OddsError(f"{self.display_name} ends before its odds are asked for")
            asked = self.program.asks[c[H_ASK]]
            if not asked.name.endswith(".(stop)"):
                raise OddsError(f"the set-up of {self.display_name} asks for {asked.name} ({asked.label})")
            args = [_local(c, at, local, self.scenario) for at, local in self._args]
        return cells, args, transfer_cells(cells, setting.program.fields, layout, setting.scenario.layout)

    def _raw(self, values: Sequence[Any]) -> list[Argument]:
        if all(type(value) is int for value in values):
            return [*values]
        from grognard.play.arguments import raw_value

        return [
            value if type(value) is int else raw_value(self.setting, value, type_.show, name)
            for (name, type_), value in zip(self.situation.params, values)
        ]

    @cached_property
    def _live(self) -> list[int]:
        """Locals that the outcomes read besides the result of the procedure."""
        return sorted(live_locals(self.program, self.machine)[self.situation.after] - {self.situation.result})

    @cached_property
    def _piece_locals(self) -> list[tuple[int, int, ir.LocalDecl]]:
        """Those of them that refer to pieces: (domain, cell, local)."""
        pieces = {domain.id for domain in self.program.domains if domain.alive is not None}
        found = []
        for n in self._live:
            local = self.machine.locals[n]
            kind = local.type
            named = {kind.domain} if isinstance(kind, ir.SetType) else set(ir.shown_domains(kind.show))
            found += [(domain, self.place + self.offsets[n], local) for domain in sorted(named & pieces)]
        return found

    def named_pieces(self, suspended: bytearray) -> NamedPieces:
        """The pieces that the outcomes refer to."""
        if not self._piece_locals:
            return frozenset()
        found: set[tuple[int, int]] = set()
        with memoryview(suspended) as raw, raw.cast("i") as c:
            for domain, at, local in self._piece_locals:
                value = _local(c, at, local, self.scenario)
                found.update((domain, each) for each in ((value,) if isinstance(value, int) else value))
        return frozenset((domain, value) for domain, value in found if value != NONE)

    @cached_property
    def outcome_inputs(self) -> list[tuple[int, int]] | None:
        """The byte ranges of the locals that the outcomes read besides the result; None if the outcomes may depend on the
        numbers of interchangeable pieces."""
        program, machine, situation = self.program, self.machine, self.situation
        live = self._live
        kinds = [machine.locals[n].type for n in live]
        if situation.result is not None:
            kinds.append(machine.locals[situation.result].type)
        named = {d for _label, _local, show in situation.outcomes for d in ir.shown_domains(show)}
        for kind in kinds:
            named |= {kind.domain} if isinstance(kind, ir.SetType) else set(ir.shown_domains(kind.show))
        if named & {domain.id for domain in program.domains if domain.interchangeable}:
            return None
        layout = self.scenario.layout
        places = [4 * (self.place + self.offsets[n]) for n in live]
        sizes = [4 * local_words(machine.locals[n].type, layout.count) for n in live]
        return [(at, at + size) for at, size in zip(places, sizes)]


class _OutcomeNames(dict[tuple[int, ...], tuple[Any, ...]]):
    """Values of outcomes as people read them, by their cells."""

    def __init__(self, prepared: PreparedSituation) -> None:
        super().__init__()
        self.prepared = prepared

    def __missing__(self, found: tuple[int, ...]) -> tuple[Any, ...]:
        prepared = self.prepared
        named = tuple(
            [_value(prepared.setting, value, show) for value, show in zip(found, prepared.outcome_shows)]
        )
        self[found] = named
        return named


class OutcomeReader:
    """The second half of a situation's machine: run on a terminal state, it computes the outcomes."""

    def __init__(self, prepared: PreparedSituation, suspended: bytearray) -> None:
        self.prepared, self.suspended = prepared, bytes(suspended)
        self.named = prepared.named

    def key(self) -> object:
        """What the outcomes depend on besides the terminal state: locals that the set-up wrote.  None if they may depend on
        the numbers of pieces."""
        inputs = self.prepared.outcome_inputs
        if inputs is None:
            return None
        return (self.prepared.machine.id, *[self.suspended[begin:end] for begin, end in inputs])

    @cached_property
    def native_reader(self) -> Callable[[bytes | bytearray], tuple[int, ...]] | None:
        """The native reader: from a terminal state to the cells of the outcomes."""
        prepared = self.prepared
        made = getattr(prepared.runner, "ending", None)
        if made is None or prepared.scenario is not prepared.setting.scenario:
            return None
        found: Callable[[bytes | bytearray], tuple[int, ...]] = made(
            self.suspended,
            HEADER,
            prepared.count,
            prepared.place,
            prepared.situation.after,
            prepared.result,
            prepared.outcome_cells,
        )
        return found

    def __call__(self, end: bytearray) -> tuple[Any, ...]:
        return self.named[self._by_resuming(end) if self.native_reader is None else self.native_reader(end)]

    def _by_resuming(self, end: bytearray) -> tuple[int, ...]:
        prepared = self.prepared
        cells = bytearray(self.suspended)
        with (
            memoryview(cells) as raw,
            raw.cast("i") as c,
            memoryview(end) as raw_end,
            raw_end.cast("i") as e,
        ):
            # The fields of the terminal state; header and stack of the suspended situation.
            c[HEADER : prepared.count] = e[HEADER : prepared.count]
            if prepared.result >= 0:
                c[prepared.result] = e[H_OUTCOME]
            c[prepared.place + 1] = prepared.situation.after
            c[H_STATUS] = STATUS_RUNNING
            c[H_CHOOSER] = c[H_ASK] = NONE
            prepared.runner.resume(cells, Io())
            return tuple(c[at] for at in prepared.outcome_cells)


def _local(c: memoryview, at: int, local: ir.LocalDecl, scenario: Scenario) -> Argument:
    match local.type:
        case ir.SetType(domain=domain):
            from grognard.contract.bitsets import elements, load_set

            count = scenario.layout.count[domain]
            mask = load_set(c, at, max(1, (count + 31) // 32))
            return frozenset(elements(mask, scenario.layout.base[domain]))
        case ir.ListType():
            return list(c[at + 1 : at + 1 + c[at]])
    return int(c[at])


def _value(setting: Setting, value: int, show: str) -> Any:
    if value == NONE:
        return None
    if show == "flag":
        return bool(value)
    if show.startswith("dom:"):
        return setting.names.answer_name(value, show)
    return int(value)
