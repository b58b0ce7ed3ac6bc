"""A situation on one ground: what of its set-up is the same whatever numbers are asked for, worked out once.

The machine of a situation runs up to the procedure (`Stage.set_up`), and again from each end (`Afterwards`), on the back end; those
of callers' text on the interpreter.
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
from grognard.odds.canonical import Kept
from grognard.odds.errors import OddsError
from grognard.odds.liveness import live_locals
from grognard.odds.policy import Line
from grognard.odds.query import check_fields, moved
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.play.position import Position
    from grognard.play.setting import Setting


class Parameters:
    """The parameters of a situation, and whether values are what they can have."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.names = frozenset(name for name, _ in situation.params)
        #: of numbers that need not be given
        self._ranges = [
            (name, type_.lo, type_.hi)
            for name, type_ in situation.params
            if type_.sort == "int" and type_.lo <= 0 <= type_.hi
        ]
        self._numbers = len(self._ranges) == len(situation.params)

    def values(self, given: Mapping[str, Any]) -> list[Any]:
        """The value of each in order.  A number that is not given is 0 where it can be."""
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
        """Before anything is built or run: every parameter has a value that it can have, and every value a parameter."""
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


class Stage:
    """Where a situation is set up: the chance program's setting, and who runs its machine on which scenario."""

    def __init__(
        self,
        program: ir.Program,
        situation: Situation,
        called: str,
        setting: Setting,
        more: Scenario,
        interpreter: Interpreter,
    ) -> None:
        self.program, self.situation, self.called, self.setting = program, situation, called, setting
        self.more, self.interpreter = more, interpreter
        runner: Any = interpreter
        if situation.machine < len(setting.program.machines):
            runner, more = setting.backend, setting.scenario
        self.runner: Backend = runner
        self.scenario = more
        layout = more.layout
        self.machine = program.machines[situation.machine]
        self.offsets = layout.frames[situation.machine].offsets
        self.place = layout.stack_offset
        self._first = more.cells.tobytes()
        #: the same by compiled code: one array of all numbers, where their locals lie one after the other
        self._start: Any = None
        params = range(len(situation.params))
        if [self.offsets[n] for n in params] == [self.offsets[0] + n for n in params] and all(
            isinstance(self.machine.locals[n].type, ir.IntType) for n in params
        ):
            self._start = getattr(runner, "start_with", None) if params else None
        self._args = [(self.place + self.offsets[n], self.machine.locals[n]) for n in situation.args]
        #: lines of policies with what runs them here, by the policies that were given
        self.lines: dict[tuple[str, ...], list[Line]] = {}
        #: what is looked at afterwards
        self.labels = [label for label, _at, _show in situation.outcomes]
        self.result = -1 if situation.result is None else self.place + self.offsets[situation.result]
        self.count = min(layout.journal_offset, setting.scenario.layout.journal_offset)
        self.wanted = array(
            "q", [self.place + self.offsets[local] for _label, local, _show in situation.outcomes]
        )
        self.shows = [show for _label, _local, show in situation.outcomes]
        #: outcomes as people read them
        self.named = _Named(self)

    def set_up(
        self, values: Sequence[Any], position: Position | None
    ) -> tuple[bytearray, list[Argument], bytearray]:
        """The situation as it stops where its procedure begins, the procedure's arguments, and the position that it begins in."""
        setting, layout = self.setting, self.scenario.layout
        cells = bytearray(self._first)
        if position is not None:
            check_fields(position.setting.program, setting.program)
            cells = moved(position.cells, setting.program.fields, position.setting.scenario.layout, layout)
        given: list[Any] = self._raw(values)
        if self._start is not None:
            self._start(cells, self.situation.machine, [(self.offsets[0], array("i", given))], Io())
        else:
            self.runner.start(cells, self.situation.machine, given, Io())
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] != STATUS_DECISION:
                raise OddsError(f"{self.called} ends before its odds are asked for")
            asked = self.program.asks[c[H_ASK]]
            if not asked.name.endswith(".(stop)"):
                raise OddsError(f"the set-up of {self.called} asks for {asked.name} ({asked.label})")
            args = [_local(c, at, local, self.scenario) for at, local in self._args]
        return cells, args, moved(cells, setting.program.fields, layout, setting.scenario.layout)

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
        """Locals that outcomes read besides the result of the procedure."""
        return sorted(live_locals(self.program, self.machine)[self.situation.after] - {self.situation.result})

    @cached_property
    def _naming(self) -> list[tuple[int, int, ir.LocalDecl]]:
        """Those of them that name pieces: the domain, and where they lie."""
        pieces = {domain.id for domain in self.program.domains if domain.alive is not None}
        found = []
        for n in self._live:
            local = self.machine.locals[n]
            kind = local.type
            named = {kind.domain} if isinstance(kind, ir.SetType) else set(ir.shown_domains(kind.show))
            found += [(domain, self.place + self.offsets[n], local) for domain in sorted(named & pieces)]
        return found

    def kept(self, stopped: bytearray) -> Kept:
        """The pieces that outcomes have names for."""
        if not self._naming:
            return frozenset()
        found: set[tuple[int, int]] = set()
        with memoryview(stopped) as raw, raw.cast("i") as c:
            for domain, at, local in self._naming:
                value = _local(c, at, local, self.scenario)
                found.update((domain, each) for each in ((value,) if isinstance(value, int) else value))
        return frozenset((domain, value) for domain, value in found if value != NONE)

    @cached_property
    def held(self) -> list[tuple[int, int]] | None:
        """Where a situation has what its outcomes read besides the result of its procedure: the first and last byte of each;
        None if numbers of pieces can be among what they read or tell."""
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


class _Named(dict[tuple[int, ...], tuple[Any, ...]]):
    """Outcomes as people read them, by what is in their cells."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage = stage

    def __missing__(self, found: tuple[int, ...]) -> tuple[Any, ...]:
        stage = self.stage
        named = tuple([_value(stage.setting, value, show) for value, show in zip(found, stage.shows)])
        self[found] = named
        return named


class Afterwards:
    """The second half of a situation's machine: run on every end, it works out the outcomes."""

    def __init__(self, stage: Stage, stopped: bytearray) -> None:
        self.stage, self.stopped = stage, bytes(stopped)
        self.named = stage.named

    def key(self) -> object:
        """What the outcomes depend on besides the end: what the situation has put into its locals before.  None if they
        tell numbers of pieces."""
        held = self.stage.held
        if held is None:
            return None
        return (self.stage.machine.id, *[self.stopped[begin:end] for begin, end in held])

    @cached_property
    def ending(self) -> Callable[[bytes | bytearray], tuple[int, ...]] | None:
        """The same by compiled code, in cells."""
        stage = self.stage
        made = getattr(stage.runner, "ending", None)
        if made is None or stage.scenario is not stage.setting.scenario:
            return None
        found: Callable[[bytes | bytearray], tuple[int, ...]] = made(
            self.stopped, HEADER, stage.count, stage.place, stage.situation.after, stage.result, stage.wanted
        )
        return found

    def __call__(self, end: bytearray) -> tuple[Any, ...]:
        return self.named[self._by_steps(end) if self.ending is None else self.ending(end)]

    def _by_steps(self, end: bytearray) -> tuple[int, ...]:
        stage = self.stage
        cells = bytearray(self.stopped)
        with (
            memoryview(cells) as raw,
            raw.cast("i") as c,
            memoryview(end) as raw_end,
            raw_end.cast("i") as e,
        ):
            # The fields as they are at the end; header and stack as they were when the situation stopped.
            c[HEADER : stage.count] = e[HEADER : stage.count]
            if stage.result >= 0:
                c[stage.result] = e[H_OUTCOME]
            c[stage.place + 1] = stage.situation.after
            c[H_STATUS] = STATUS_RUNNING
            c[H_CHOOSER] = c[H_ASK] = NONE
            stage.runner.resume(cells, Io())
            return tuple(c[at] for at in stage.wanted)


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
