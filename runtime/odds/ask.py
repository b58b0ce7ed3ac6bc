"""From what callers write to a query: procedures with arguments, situations by name or as text, policies in any form."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.compiler import ir
from grognard.compiler.adhoc import lower_text
from grognard.compiler.bundle import load_ruleset
from grognard.compiler.dataload import BoardSpec, Scenario, load_scenario
from grognard.compiler.diagnostics import Sink
from grognard.compiler.layout import local_words
from grognard.compiler.situations import Situation
from grognard.compiler.suggest import hint_for
from grognard.errors import RulesetError, UnknownName
from grognard.interpreter import Interpreter
from grognard.machineio import Argument, Backend, Io, RuleFailure
from grognard.odds.errors import OddsError
from grognard.odds.given import Line as Written
from grognard.odds.given import body, lines_of, refusal
from grognard.odds.liveness import live_locals
from grognard.odds.policy import OTHERWISE, Chooser, Line
from grognard.odds.query import Query, check_fields, moved
from grognard.odds.room import Room, hardly_any, rooms_for, with_room
from grognard.values import (
    FAIL_POOL,
    H_ASK,
    H_CHOOSER,
    H_OUTCOME,
    H_STATUS,
    HEADER,
    NONE,
    STATUS_DECISION,
    STATUS_RUNNING,
)

if TYPE_CHECKING:
    from grognard.engine import BackendName, Engine, Setting
    from grognard.position import Position

#: A declared policy by its name, lines of one ("fight.s: none"), "otherwise none" or "otherwise first", or a function from a question's name and the
#: candidates (as `position.legal()` gives them) to one of them.
PolicyGiven: TypeAlias = str | Callable[[str, list[Any]], Any]
#: The chance program's setting, the same ground for all that callers added, and what runs that.
Ground: TypeAlias = "tuple[Setting, Scenario, Interpreter]"


def policies_of(given: PolicyGiven | Sequence[PolicyGiven]) -> list[PolicyGiven]:
    return [given] if isinstance(given, str) or callable(given) else list(given)


class Bench:
    """What odds of one engine are worked out on: its chance program, and what is added to it by callers' text."""

    def __init__(
        self,
        engine: Engine,
        progress: Callable[[str], None] | None = None,
        backend: BackendName | None = None,
    ) -> None:
        sink = Sink()
        ruleset = load_ruleset(
            str(engine.ruleset.about.folder), sink, errata=list(engine.ruleset.about.errata), examples=False, chance=True
        )  # fmt: skip
        if ruleset is None or sink.has_errors:
            raise RulesetError(list(sink.sorted()), sink.sources)
        self.engine = engine
        self.ruleset = ruleset
        # Declared situations are compiled too: their outcomes are worked out for every end.
        self._whole = replace(
            ruleset,
            program=replace(ruleset.example_program, policies=ruleset.program.policies),
            code_key=ruleset.code_key and f"{ruleset.code_key} with situations",
            _scenarios={},
        )
        self._backend: BackendName = backend or engine._wanted
        #: is told what a build does
        self.progress = progress
        self.program: ir.Program = ruleset.example_program
        self._loaded: dict[Any, tuple[Scenario, Scenario]] = {}
        self._grounds: dict[Any, Ground | None] = {}
        self._held: dict[int, list[int] | None] = {}
        #: kinds of pieces of which a situation has hardly any, by its machine
        self.few: dict[int, frozenset[int]] = {}
        self._declared: dict[int, tuple[ir.PolicyLine, bool]] = {}
        self._texts: dict[str, Situation] = {}
        self._policies: dict[str, ir.Policy] = {}

    @cached_property
    def chance(self) -> Engine:
        """The engine of the chance program, which may have to be built: only when something is asked that makes sense."""
        from grognard.engine import Engine as Made

        return Made(self._whole, self.engine.default_scenario, self._backend, progress=self.progress)

    @cached_property
    def procedures(self) -> list[str]:
        """What odds can be asked of by name."""
        program = self._whole.program
        names = [machine.name for machine in program.machines]
        return list(dict.fromkeys([*names, *(function.name for function in program.functions)]))

    # ---- texts

    def _add(self, head: str, lines: Sequence[Written]) -> tuple[dict[str, Situation], dict[str, ir.Policy]]:
        sink = Sink()
        program, situations, policies = lower_text(self.ruleset, f"{head}\n{body(lines)}", sink)
        if sink.has_errors:
            raise refusal(sink, self.ruleset.sources, lines)
        self.program = program
        self._loaded.clear()
        self._grounds.clear()
        self._held.clear()
        self.few.clear()
        return situations, policies

    def situation(self, name_or_text: str, lines: Sequence[Written] = ()) -> Situation:
        """A declared situation, or one made of the text of its body; `lines`: where that was written."""
        declared = self.ruleset.situations
        if name_or_text in declared:
            return declared[name_or_text]
        if name_or_text.isidentifier():
            hint = hint_for(name_or_text, list(declared))
            raise UnknownName(f"{self.engine.title} has no situation `{name_or_text}`", hint)
        if name_or_text not in self._texts:
            made, _ = self._add("situation given()", lines or lines_of(name_or_text))
            self._texts[name_or_text] = made["given"]
        return self._texts[name_or_text]

    def lines(
        self, given: Sequence[PolicyGiven]
    ) -> tuple[list[ir.PolicyLine], list[PolicyGiven], str | None]:
        """The lines of all policies in order, the functions among them, and what is done otherwise."""
        lines: list[ir.PolicyLine] = []
        functions: list[PolicyGiven] = []
        otherwise = None
        for policy in given:
            if not isinstance(policy, str):
                functions.append(policy)
            elif policy in OTHERWISE:
                otherwise = policy
            else:
                lines += self.policy(policy).lines
        return lines, functions, otherwise

    def policy(self, name_or_lines: str) -> ir.Policy:
        known = {policy.name: policy for policy in self.ruleset.program.policies}
        if ":" not in name_or_lines:
            if name_or_lines not in known:
                hint = hint_for(name_or_lines, [*known, *OTHERWISE]) or (
                    f"it has {', '.join(known)}" if known else "it declares none"
                )
                raise UnknownName(f"{self.engine.title} has no policy `{name_or_lines}`", hint)
            return known[name_or_lines]
        if name_or_lines not in self._policies:
            lines = lines_of(
                "\n".join(line.strip() for line in name_or_lines.replace(";", "\n").splitlines())
            )
            _, made = self._add("policy given", lines)
            self._policies[name_or_lines] = made["given"]
        return self._policies[name_or_lines]

    def held(self, situation: Situation) -> list[int] | None:
        """See _held."""
        if situation.machine not in self._held:
            self._held[situation.machine] = _held(self.program, situation)
        return self._held[situation.machine]

    def declares(self, line: ir.PolicyLine) -> bool:
        """Whether the chance program has all functions of a policy's line."""
        if id(line) not in self._declared:
            count = len(self._whole.program.functions)
            numbers = [line.when, line.value, *(function for _, function in line.ranks)]
            # The line is kept with it, so that no other can get its identity.
            self._declared[id(line)] = line, all(number is None or number < count for number in numbers)
        return self._declared[id(line)][1]

    # ---- grounds

    def _load(self, key: str | BoardSpec) -> tuple[Scenario, Scenario]:
        """A scenario or board, for the chance program and for what was added to it."""
        if key not in self._loaded:
            ruleset, sink = self.ruleset, Sink()
            before, ruleset.world.sink = ruleset.world.sink, sink
            try:
                base, more = (
                    load_scenario(ruleset.world, ruleset.project, program, ruleset.values, key)
                    for program in (self._whole.program, self.program)
                )
            finally:
                ruleset.world.sink = before
            if base is None or more is None or sink.has_errors:
                raise RulesetError(list(sink.sorted()), sink.sources)
            self._loaded[key] = base, more
        return self._loaded[key]

    def ground(self, what: str | BoardSpec | None, room: Room | None = None) -> Ground | None:
        """A scenario or board: the chance program's setting on it, and an interpreter for what was added.

        `room`: with no more room for pieces; None if there is no such ground."""
        from grognard.engine import Setting as Made

        key = what or self.engine.default_scenario
        if (key, room) not in self._grounds:
            base, more = self._load(key)
            if room is not None:
                less = with_room(self._whole.program, base, room), with_room(self.program, more, room)
                if less[0] is None or less[1] is None:
                    self._grounds[key, room] = None
                    return None
                base, more = less[0], less[1]
            setting = Made(self.chance, base, self.chance._backend(base))
            self._grounds[key, room] = setting, more, Interpreter(self.program, more.layout, more.data)
        return self._grounds[key, room]

    def forget(self) -> None:
        """What battles have told about each other (memory.py)."""
        for ground in self._grounds.values():
            if ground is not None:
                ground[0].chance.forget()

    def whole_ground(self, what: str | BoardSpec | None) -> Ground:
        found = self.ground(what)
        assert found is not None
        return found


def ground_of(situation: Situation) -> str | BoardSpec | None:
    example = situation.ground
    if example.board is not None:
        terrain, columns, rows = example.board
        places = tuple((place, kind, at) for kind, place, at in example.terrain)
        return BoardSpec(terrain, columns, rows, example.span, places)
    return example.scenario


def _choosers(setting: Setting, functions: Sequence[PolicyGiven]) -> list[Chooser]:
    def made(function: Any) -> Chooser:
        def choose(name: str, chooser: int, offered: list[int], c: memoryview) -> int | None:
            ask = setting.program.asks[c[H_ASK]]
            named = [setting.names.answer_name(value, ask.show) for value in offered]
            given = function(name, named)
            if given is None:
                return None
            if given not in named:
                raise OddsError(f"the policy answers {given!r} to {name}, which offers {', '.join(named)}")
            return offered[named.index(given)]

        return choose

    return [made(function) for function in functions]


def _lines(bench: Bench, interpreter: Interpreter, lines: Sequence[ir.PolicyLine]) -> list[Line]:
    """Lines with what runs them: those of callers' text only the interpreter knows."""
    return [(line, None if bench.declares(line) else interpreter) for line in lines]


# ---------------------------------------------------------------------------------------------- procedures


def procedure_query(
    bench: Bench, procedure: str, args: Sequence[Any], position: Position, by: str | None,
    policies: Sequence[PolicyGiven], outcomes: Mapping[str, Callable[[Position], Any]] | None,
) -> Query:  # fmt: skip
    """The odds of a procedure from a position; outcomes are functions of the position at the end."""
    from grognard.engine import _argument
    from grognard.position import Position as Made

    own = position._setting
    lines, functions, otherwise = bench.lines(policies)
    if procedure not in bench.procedures:
        raise UnknownName(
            f"{own.title} has no procedure `{procedure}`", hint_for(procedure, bench.procedures)
        )
    setting, _scenario, interpreter = bench.whole_ground(own.scenario.name)
    check_fields(own.program, setting.program)
    code: Any = next((m for m in setting.program.machines if m.name == procedure), None)
    code = code or next((f for f in setting.program.functions if f.name == procedure), None)
    assert code is not None
    entry = bench.ruleset.world.callables.get(procedure)
    given = list(args)
    if entry is not None and entry.uses_me:
        if by is None:
            raise OddsError(f"`{procedure}` speaks of whoever acts: say who, with by=")
        given.insert(0, by)
    params = code.locals[: code.params]
    if len(given) != len(params):
        wanted = ", ".join(param.name for param in params) or "nothing"
        raise ValueError(f"`{procedure}` takes ({wanted}), {len(given)} values were given")
    values = [_argument(own, value, param) for value, param in zip(given, params)]
    cells = moved(position._cells, own.program.fields, own.scenario.layout, setting.scenario.layout)
    query = Query(setting, f"{own.title}: {procedure}", procedure, values, cells)
    query.lines = _lines(bench, interpreter, lines)
    query.choosers, query.otherwise = _choosers(setting, functions), otherwise

    def at_end(function: Callable[[Position], Any]) -> Callable[[bytearray], Any]:
        def read(end: bytearray) -> Any:
            back = moved(end, own.program.fields, setting.scenario.layout, own.scenario.layout)
            return function(Made(own, back))

        return read

    if outcomes:
        readers = [at_end(function) for function in outcomes.values()]
        query.labels = list(outcomes)
        query.read = lambda end: tuple(read(end) for read in readers)
    return query


# ---------------------------------------------------------------------------------------------- situations


def situation_query(
    bench: Bench, name_or_text: str, values: Mapping[str, Any], position: Position | None,
    policies: Sequence[PolicyGiven], scenario: str | None = None, lines: Sequence[Written] = (),
) -> Query:  # fmt: skip
    """The odds of a situation: set up, and stopped where its procedure begins.  `lines`: where its text was written."""
    situation = bench.situation(name_or_text, lines)
    values = _completed(situation, values)
    made = _SetUp(bench, situation, values, position, policies, scenario)
    # A guess that is never less than what a list of numbers of counters needs.
    least = sum(value for value in values.values() if isinstance(value, int))
    rooms = rooms_for(least, bench.few.get(situation.machine, frozenset())) if position is None else (None,)
    return made.query(rooms)


class _SetUp:
    """A situation that is set up where there is just enough room for its pieces."""

    def __init__(
        self, bench: Bench, situation: Situation, values: Mapping[str, Any], position: Position | None,
        policies: Sequence[PolicyGiven], scenario: str | None,
    ) -> None:  # fmt: skip
        self.bench, self.situation, self.values, self.position = bench, situation, values, position
        self.lines, self.functions, self.otherwise = bench.lines(policies)
        declared = situation.name in bench.ruleset.situations
        #: how people read it, and how messages speak of it
        self.title = situation.title or (
            situation.name if declared else f"{bench.engine.title}: {situation.target}"
        )
        self.called = f"situation `{situation.name}`" if declared else "the situation that was given"
        self.what = ground_of(situation) or scenario
        if position is not None:
            self.what = position._setting.scenario.name

    def query(self, rooms: Sequence[Room | None]) -> Query:
        """On the first ground that has enough room; None: as much as rules declare."""
        few, machine = self.bench.few, self.situation.machine
        for number, room in enumerate(rooms):
            ground = self.bench.ground(self.what, room)
            if ground is None:
                continue
            try:
                query = self._on(ground)
            except RuleFailure as failure:
                if failure.kind == FAIL_POOL and room is not None:
                    continue
                raise _error(self.bench, ground[1], failure) from failure
            if room is None:
                return query
            if not room.few:
                hardly = hardly_any(query.program, query.layout, query.cells)
                learnt = hardly & few.get(machine, hardly)
                # The same as before: they found no room there, when they came into play later.
                few[machine] = frozenset() if learnt == few.get(machine) else learnt
                if few[machine]:
                    return self.query([Room(room.most, learnt), *rooms[number:]])
            query.wider = partial(self.query, rooms[number + 1 :])
            return query
        raise AssertionError("no ground at all")

    def _on(self, ground: Ground) -> Query:
        setting, more, interpreter = ground
        bench, situation, position = self.bench, self.situation, self.position
        runner: Backend = interpreter
        if situation.machine < len(setting.program.machines):
            runner, more = setting.backend, setting.scenario
        cells = bytearray(more.cells.tobytes())
        if position is not None:
            check_fields(position._setting.program, setting.program)
            cells = moved(
                position._cells, setting.program.fields, position._setting.scenario.layout, more.layout
            )
        runner.start(cells, situation.machine, _situation_arguments(setting, situation, self.values), Io())
        frame = more.layout.frames[situation.machine]
        place = more.layout.stack_offset
        machine = bench.program.machines[situation.machine]
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] != STATUS_DECISION:
                raise OddsError(f"{self.called} ends before its odds are asked for")
            if not bench.program.asks[c[H_ASK]].name.endswith(".(stop)"):
                asked = bench.program.asks[c[H_ASK]]
                raise OddsError(f"the set-up of {self.called} asks for {asked.name} ({asked.label})")
            given = [_local(c, place + frame.offsets[n], machine.locals[n], more) for n in situation.args]
        base = moved(cells, setting.program.fields, more.layout, setting.scenario.layout)
        query = Query(setting, self.title, situation.target, given, base)
        query.lines = _lines(bench, interpreter, self.lines)
        query.choosers, query.otherwise = _choosers(setting, self.functions), self.otherwise
        if situation.outcomes:
            query.labels = [label for label, _at, _show in situation.outcomes]
            afterwards = _Afterwards(setting, more, runner, situation, cells)
            query.read, query.read_key = afterwards, afterwards.key(bench)
        return query


def _completed(situation: Situation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Before anything is built or run: every parameter has a value that it can have, and every value a parameter.

    A number that is not given is 0 where it can be."""
    names = [name for name, _ in situation.params]
    wrong = [name for name in values if name not in names]
    if wrong:
        raise UnknownName(f"situation `{situation.name}` takes no `{wrong[0]}`", hint_for(wrong[0], names) or f"it takes {', '.join(names) or 'nothing'}")  # fmt: skip
    absent = {name for name, type_ in situation.params if type_.sort == "int" and type_.lo <= 0 <= type_.hi}
    lacking = [name for name in names if name not in values and name not in absent]
    if lacking:
        raise OddsError(f"situation `{situation.name}` needs {', '.join(lacking)}")
    if absent and not values and set(names) == absent:
        raise OddsError(f"situation `{situation.name}` needs a value for at least one of {', '.join(names)}")
    found = {name: values.get(name, 0) for name in names}
    for name, type_ in situation.params:
        value, number = found[name], type_.sort == "int"
        if value is None and type_.optional:
            continue
        if number and not (isinstance(value, int) and type_.lo <= value <= type_.hi):
            raise OddsError(f"`{name}` of situation `{situation.name}` is {type_.words}, not {value}")
        if not number and not isinstance(value, str | int):
            raise OddsError(f"`{name}` of situation `{situation.name}` is {type_.words}, not {value!r}")
    return found


def _situation_arguments(setting: Setting, situation: Situation, values: Mapping[str, Any]) -> list[Argument]:
    from grognard.engine import _raw

    return [_raw(setting, values[name], type_.show, name) for name, type_ in situation.params]


def _local(c: memoryview, at: int, local: ir.LocalDecl, scenario: Scenario) -> Argument:
    from grognard.setcells import elements, load_set

    match local.type:
        case ir.SetType(domain=domain):
            count = scenario.layout.count[domain]
            mask = load_set(c, at, max(1, (count + 31) // 32))
            return frozenset(elements(mask, scenario.layout.base[domain]))
        case ir.ListType():
            return list(c[at + 1 : at + 1 + c[at]])
    return int(c[at])


def _error(bench: Bench, scenario: Scenario, failure: RuleFailure) -> Exception:
    from grognard.describe import Names
    from grognard.errors import rule_error

    return rule_error(failure, bench.program, Names(bench.program, scenario.layout, scenario.data).element)


def _held(program: ir.Program, situation: Situation) -> list[int] | None:
    """The locals that a situation's outcomes read besides the result of its procedure; None if numbers of pieces can be
    among what they read or tell."""
    machine = program.machines[situation.machine]
    live = sorted(live_locals(program, machine)[situation.after] - {situation.result})
    kinds = [machine.locals[n].type for n in live]
    if situation.result is not None:
        kinds.append(machine.locals[situation.result].type)
    named = {d for _label, _local, show in situation.outcomes for d in ir.shown_domains(show)}
    for kind in kinds:
        named |= {kind.domain} if isinstance(kind, ir.SetType) else set(ir.shown_domains(kind.show))
    pieces = {domain.id for domain in program.domains if domain.interchangeable}
    return None if named & pieces else live


class _Afterwards:
    """The second half of a situation's machine: run on every end, it works out the outcomes."""

    def __init__(
        self, setting: Setting, scenario: Scenario, runner: Backend, situation: Situation, stopped: bytearray
    ) -> None:  # fmt: skip
        self.setting, self.scenario, self.runner, self.situation = setting, scenario, runner, situation
        self.stopped = bytes(stopped)
        layout = scenario.layout
        self.place = layout.stack_offset
        offsets = layout.frames[situation.machine].offsets
        self.result = -1 if situation.result is None else self.place + offsets[situation.result]
        self.count = min(layout.journal_offset, setting.scenario.layout.journal_offset)
        self.cells = array("q", [self.place + offsets[local] for _label, local, _show in situation.outcomes])
        self.shows = [show for _label, _local, show in situation.outcomes]
        #: the same by compiled code
        self.ending: Callable[[bytes | bytearray], tuple[int, ...]] | None = None
        made = getattr(runner, "ending", None)
        if made is not None and scenario is setting.scenario:
            self.ending = made(
                self.stopped, HEADER, self.count, self.place, situation.after, self.result, self.cells
            )
        self._named: dict[tuple[int, ...], tuple[Any, ...]] = {}

    def key(self, bench: Bench) -> object:
        """What the outcomes depend on besides the end: what the situation has put into its locals before.  None if they
        tell numbers of pieces."""
        held = bench.held(self.situation)
        if held is None:
            return None
        layout, machine = self.scenario.layout, bench.program.machines[self.situation.machine]
        places = [4 * (self.place + layout.frames[machine.id].offsets[n]) for n in held]
        sizes = [4 * local_words(machine.locals[n].type, layout.count) for n in held]
        return (machine.id, *(self.stopped[at : at + size] for at, size in zip(places, sizes)))

    def __call__(self, end: bytearray) -> tuple[Any, ...]:
        return self.named(self._by_steps(end) if self.ending is None else self.ending(end))

    def named(self, found: tuple[int, ...]) -> tuple[Any, ...]:
        """Cells as people read them."""
        named = self._named.get(found)
        if named is None:
            named = tuple([_value(self.setting, value, show) for value, show in zip(found, self.shows)])
            self._named[found] = named
        return named

    def _by_steps(self, end: bytearray) -> tuple[int, ...]:
        cells = bytearray(self.stopped)
        with (
            memoryview(cells) as raw,
            raw.cast("i") as c,
            memoryview(end) as raw_end,
            raw_end.cast("i") as e,
        ):
            # The fields as they are at the end; header and stack as they were when the situation stopped.
            c[HEADER : self.count] = e[HEADER : self.count]
            if self.result >= 0:
                c[self.result] = e[H_OUTCOME]
            c[self.place + 1] = self.situation.after
            c[H_STATUS] = STATUS_RUNNING
            c[H_CHOOSER] = c[H_ASK] = NONE
            self.runner.resume(cells, Io())
            return tuple(c[at] for at in self.cells)


def _value(setting: Setting, value: int, show: str) -> Any:
    if value == NONE:
        return None
    if show == "flag":
        return bool(value)
    if show.startswith("dom:"):
        return setting.names.answer_name(value, show)
    return int(value)
