"""From what callers write to a query: procedures with arguments, situations by name or as text, policies in any form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.compiler_access import load_ruleset, lower_text
from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.datablock import Scenario
from grognard.contract.examples import BoardSpec
from grognard.contract.header import (
    FAIL_POOL,
    H_ASK,
    NONE,
)
from grognard.contract.situations import LoweredText, Situation
from grognard.errors import RulesetError, UnknownName
from grognard.interpreter.machine import Interpreter
from grognard.odds.compaction import (
    Room,
    hardly_any,
    rooms_for,
    with_room,
)
from grognard.odds.errors import OddsError
from grognard.odds.inline_text import Line as Written
from grognard.odds.inline_text import (
    body,
    lines_of,
    refusal,
)
from grognard.odds.policy import OTHERWISE, Chooser, Line
from grognard.odds.query import Query, Weighing, check_fields, moved
from grognard.odds.situation import (
    Afterwards,
    Parameters,
    Stage,
)
from grognard.support.diagnostics import Sink
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.play.engine import BackendName, Engine
    from grognard.play.position import Position
    from grognard.play.setting import Setting

#: A declared policy by its name, lines of one ("fight.s: none"), "otherwise none" or "otherwise first", or a function from a question's name and the
#: candidates (as `position.legal()` gives them) to one of them.
PolicyGiven: TypeAlias = str | Callable[[str, list[Any]], Any]
#: The chance program's setting, the same ground for all that callers added, and what runs that.
Ground: TypeAlias = "tuple[Setting, Scenario, Interpreter]"
#: Policies of which the lines are kept put together.
MOST_GIVEN = 64
NO_KINDS: frozenset[int] = frozenset()


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
        self._whole = ruleset.with_program(
            replace(ruleset.example_program, policies=ruleset.program.policies),
            ruleset.code_key and f"{ruleset.code_key} with situations",
        )
        self._backend: BackendName = backend or engine.wanted_backend
        #: is told what a build does
        self.progress = progress
        self.program: ir.Program = ruleset.example_program
        self._loaded: dict[Any, tuple[Scenario, Scenario]] = {}
        self._grounds: dict[Any, Ground | None] = {}
        self._stages: dict[Any, Stage | None] = {}
        self._parameters: dict[int, Parameters] = {}
        self._described: dict[int, tuple[Situation, str, str | BoardSpec | None]] = {}
        self._given: dict[tuple[str, ...], tuple[list[ir.PolicyLine], str | None]] = {}
        #: kinds of pieces of which a situation has hardly any, by its machine
        self.few: dict[int, frozenset[int]] = {}
        self._declared: dict[int, tuple[ir.PolicyLine, bool]] = {}
        self._texts: dict[str, Situation] = {}
        #: places that a caller's situation names (symbol, text, where), and its lines, by its machine
        self._places: dict[int, tuple[list[tuple[int, str, Span]], Sequence[Written]]] = {}
        self._policies: dict[str, ir.Policy] = {}

    @cached_property
    def chance(self) -> Engine:
        """The engine of the chance program, which may have to be built: only when something is asked that makes sense."""
        from grognard.play.engine import Engine as Made

        return Made(self._whole, self.engine.default_scenario, self._backend, progress=self.progress)

    @cached_property
    def procedures(self) -> list[str]:
        """What odds can be asked of by name."""
        program = self._whole.program
        names = [machine.name for machine in program.machines]
        return list(dict.fromkeys([*names, *(function.name for function in program.functions)]))

    def prepare(
        self, situation: str, values: Mapping[str, Any], position: Position | None = None,
        policy: PolicyGiven | Sequence[PolicyGiven] = (), fast: bool = True, every: bool = False,
    ) -> Weighing:  # fmt: skip
        """A situation set up, see grognard.odds.prepare."""
        query = situation_query(
            self, situation, values, position, policies_of(policy), self.engine.default_scenario
        )
        return Weighing(query, fast=fast, every=every, plain=self.engine.setting_like)

    # ---- texts

    def _add(self, head: str, lines: Sequence[Written]) -> LoweredText:
        sink = Sink()
        lowered = lower_text(self.ruleset, f"{head}\n{body(lines)}", sink)
        if sink.has_errors:
            raise refusal(sink, self.ruleset.sources, lines)
        self.program = lowered.program
        self._loaded.clear()
        self._grounds.clear()
        self._stages.clear()
        self.few.clear()
        return lowered

    def situation(self, name_or_text: str, lines: Sequence[Written] = ()) -> Situation:
        """A declared situation, or one made of the text of its body; `lines`: where that was written."""
        declared = self.ruleset.situations
        if name_or_text in declared:
            return declared[name_or_text]
        if name_or_text.isidentifier():
            hint = hint_for(name_or_text, list(declared))
            raise UnknownName(f"{self.engine.title} has no situation `{name_or_text}`", hint)
        if name_or_text not in self._texts:
            lines = lines or lines_of(name_or_text)
            lowered = self._add("situation given()", lines)
            made = self._texts[name_or_text] = lowered.situations["given"]
            self._places[made.machine] = lowered.places, lines
        return self._texts[name_or_text]

    def lines(
        self, given: Sequence[PolicyGiven]
    ) -> tuple[list[ir.PolicyLine], list[PolicyGiven], str | None]:
        """The lines of all policies in order, the functions among them, and what is done otherwise."""
        known = tuple([policy for policy in given if isinstance(policy, str)])
        if len(known) == len(given) and known in self._given:
            return self._given[known][0], [], self._given[known][1]
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
        if not functions:
            if len(self._given) >= MOST_GIVEN:
                self._given.clear()
            self._given[known] = lines, otherwise
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
            self._policies[name_or_lines] = self._add("policy given", lines).policies["given"]
        return self._policies[name_or_lines]

    def parameters(self, situation: Situation) -> Parameters:
        found = self._parameters.get(situation.machine)
        if found is None or found.situation is not situation:
            found = self._parameters[situation.machine] = Parameters(situation)
        return found

    def described(self, situation: Situation) -> tuple[str, str | BoardSpec | None]:
        """How people read a situation, and on what ground it is set up if it says so."""
        found = self._described.get(situation.machine)
        if found is None or found[0] is not situation:
            declared = situation.name in self.ruleset.situations
            title = situation.title or (
                situation.name if declared else f"{self.engine.title}: {situation.target}"
            )
            found = self._described[situation.machine] = situation, title, ground_of(situation)
        return found[1:]

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
            sink = Sink()
            base, more = (
                self.ruleset.load_ground(program, key, sink)
                for program in (self._whole.program, self.program)
            )
            if base is None or more is None or sink.has_errors:
                raise RulesetError(list(sink.sorted()), sink.sources)
            self._loaded[key] = base, more
        return self._loaded[key]

    def ground(self, what: str | BoardSpec | None, room: Room | None = None) -> Ground | None:
        """A scenario or board: the chance program's setting on it, and an interpreter for what was added.

        `room`: with no more room for pieces; None if there is no such ground."""
        from grognard.play.setting import Setting as Made

        key = what or self.engine.default_scenario
        if (key, room) not in self._grounds:
            base, more = self._load(key)
            if room is not None:
                less = with_room(self._whole.program, base, room), with_room(self.program, more, room)
                if less[0] is None or less[1] is None:
                    self._grounds[key, room] = None
                    return None
                base, more = less[0], less[1]
            setting = Made(self.chance, base, self.chance.backend_for(base))
            self._grounds[key, room] = setting, more, Interpreter(self.program, more.layout, more.data)
        return self._grounds[key, room]

    def stage(self, situation: Situation, what: str | BoardSpec | None, room: Room | None) -> Stage | None:
        """A situation on a ground; None if there is no such ground."""
        key = situation.machine, what, room
        if key not in self._stages:
            ground = self.ground(what, room)
            if ground is not None:
                self._check_places(situation, ground[1])
            declared = situation.name in self.ruleset.situations
            called = f"situation `{situation.name}`" if declared else "the situation that was given"
            self._stages[key] = ground and Stage(self.program, situation, called, *ground)
        return self._stages[key]

    def _check_places(self, situation: Situation, scenario: Scenario) -> None:
        """What a caller's text names is on the map, which was not known when it was read."""
        places, lines = self._places.get(situation.machine, ([], ()))
        sink = Sink()
        for symbol, text, span in dict.fromkeys(places):
            if scenario.data.symbols[symbol] == NONE:
                sink.error("GR0609", span, f"there is no place {text} on the map")
        if sink.has_errors:
            raise refusal(sink, self.ruleset.sources, lines)

    def forget(self) -> None:
        """What battles have told about each other (memory.py)."""
        for ground in self._grounds.values():
            if ground is not None:
                ground[0].forget_odds()

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
    from grognard.play.arguments import argument
    from grognard.play.position import Position as Made

    own = position.setting
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
    entry = bench.ruleset.schema.callables.get(procedure)
    given = list(args)
    if entry is not None and entry.uses_me:
        if by is None:
            raise OddsError(f"`{procedure}` speaks of whoever acts: say who, with by=")
        given.insert(0, by)
    params = code.locals[: code.params]
    if len(given) != len(params):
        wanted = ", ".join(param.name for param in params) or "nothing"
        raise ValueError(f"`{procedure}` takes ({wanted}), {len(given)} values were given")
    values = [argument(own, value, param) for value, param in zip(given, params)]
    cells = moved(position.cells, own.program.fields, own.scenario.layout, setting.scenario.layout)
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
    found = bench.parameters(situation).values(values)
    made = _SetUp(bench, situation, found, position, policies, scenario)
    # A guess that is never less than what a list of numbers of counters needs.
    least = sum([value for value in found if isinstance(value, int)])
    rooms = rooms_for(least, bench.few.get(situation.machine, NO_KINDS)) if position is None else (None,)
    return made.query(rooms)


class _SetUp:
    """A situation that is set up where there is just enough room for its pieces."""

    __slots__ = (
        "bench", "functions", "given", "lines", "otherwise", "position", "situation", "title", "values", "what",
    )  # fmt: skip

    def __init__(
        self, bench: Bench, situation: Situation, values: Sequence[Any], position: Position | None,
        policies: Sequence[PolicyGiven], scenario: str | None,
    ) -> None:  # fmt: skip
        self.bench, self.situation, self.values, self.position = bench, situation, values, position
        self.lines, self.functions, self.otherwise = bench.lines(policies)
        #: the policies that were given, if that tells them
        self.given = None if self.functions else tuple([str(policy) for policy in policies])
        #: how people read it
        self.title, self.what = bench.described(situation)
        if position is not None:
            self.what = position.setting.scenario.name
        elif self.what is None:
            self.what = scenario

    def query(self, rooms: Sequence[Room | None]) -> Query:
        """On the first ground that has enough room; None: as much as rules declare."""
        few, machine = self.bench.few, self.situation.machine
        for number, room in enumerate(rooms):
            stage = self.bench.stage(self.situation, self.what, room)
            if stage is None:
                continue
            try:
                query = self._on(stage)
            except RuleFailure as failure:
                if failure.kind == FAIL_POOL and room is not None:
                    continue
                raise _error(self.bench, stage.more, failure) from failure
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

    def _on(self, stage: Stage) -> Query:
        setting = stage.setting
        stopped, args, base = stage.set_up(self.values, self.position)
        lines = None if self.given is None else stage.lines.get(self.given)
        if lines is None:
            lines = _lines(self.bench, stage.interpreter, self.lines)
            if self.given is not None:
                stage.lines[self.given] = lines
        query = Query(setting, self.title, self.situation.target, args, base, lines)
        if self.functions:
            query.choosers = _choosers(setting, self.functions)
        query.otherwise = self.otherwise
        if stage.labels:
            query.labels = stage.labels
            query.read = afterwards = Afterwards(stage, stopped)
            query.read_key = afterwards.key()
            query.kept = stage.kept(stopped)
        return query


def _error(bench: Bench, scenario: Scenario, failure: RuleFailure) -> Exception:
    from grognard.errors import rule_error
    from grognard.play.wording import Names

    return rule_error(failure, bench.program, Names(bench.program, scenario.layout, scenario.data).element)
