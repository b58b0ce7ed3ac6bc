"""From a caller's request to a query: procedures with arguments, situations by name or as text, policies in any form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.compiler_access import load_ruleset, lower_text
from grognard.contract import ir
from grognard.contract.datablock import Scenario
from grognard.contract.examples import BoardSpec
from grognard.contract.header import NONE
from grognard.contract.scenario_names import scenario_with, split_scenario
from grognard.contract.situations import LoweredText, Situation
from grognard.errors import RulesetError, UnknownName
from grognard.interpreter.machine import Interpreter
from grognard.odds.compaction import Capacity, compact_scenario
from grognard.odds.errors import OddsError
from grognard.odds.inline_text import Line as TextLine
from grognard.odds.inline_text import (
    body,
    inline_error,
    lines_of,
)
from grognard.odds.native_tables import clear_chance_tables
from grognard.odds.policy import OTHERWISE, Line, PolicySpec, python_choosers
from grognard.odds.query import Query, Weighing, check_fields, transfer_cells
from grognard.odds.situation import Parameters, PreparedSituation
from grognard.odds.situation_query import situation_query
from grognard.support.diagnostics import Sink
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.contract.ruleset import Ruleset
    from grognard.play.engine import BackendName, Engine
    from grognard.play.position import Position
    from grognard.play.setting import Setting

#: The setting of the chance program, the same scenario for the program with inline text, and the interpreter of that.
ScenarioSetting: TypeAlias = "tuple[Setting, Scenario, Interpreter]"
#: Combinations of policies whose lines are cached.
MAX_POLICIES = 64


def policy_list(given: PolicySpec | Sequence[PolicySpec]) -> list[PolicySpec]:
    return [given] if isinstance(given, str) or callable(given) else list(given)


def _compiled_chance(engine: Engine) -> Ruleset:
    """The chance program of an engine's title, by the compiler."""
    sink, about = Sink(), engine.ruleset.about
    ruleset = load_ruleset(str(about.folder), sink, errata=list(about.errata), examples=False, chance=True)
    if ruleset is None or sink.has_errors:
        raise RulesetError(list(sink.sorted()), sink.sources)
    return ruleset


class OddsContext:
    """The odds of one engine: its chance program, the declarations of inline text, and caches of both."""

    def __init__(
        self,
        engine: Engine,
        progress: Callable[[str], None] | None = None,
        backend: BackendName | None = None,
    ) -> None:
        self.engine = engine
        self.ruleset = ruleset = engine.ruleset.chance_ruleset() or _compiled_chance(engine)
        # Declared situations are compiled too: their outcomes are read in every terminal state.
        self._whole = ruleset.with_program(
            replace(ruleset.example_program, policies=ruleset.program.policies),
            ruleset.code_key and f"{ruleset.code_key} with situations",
        )
        self._backend: BackendName = backend or engine.wanted_backend
        #: reports the progress of a build
        self.progress = progress
        self.program: ir.Program = ruleset.example_program
        self._loaded: dict[Any, tuple[Scenario, Scenario]] = {}
        self._settings: dict[Any, ScenarioSetting | None] = {}
        self._prepared: dict[Any, PreparedSituation | None] = {}
        self._parameters: dict[int, Parameters] = {}
        self._described: dict[int, tuple[Situation, str, str | BoardSpec | None]] = {}
        self._given: dict[tuple[str, ...], tuple[list[ir.PolicyLine], str | None]] = {}
        #: domains of which a situation has few pieces, by its machine
        self.sparse: dict[int, frozenset[int]] = {}
        self._declared: dict[int, tuple[ir.PolicyLine, bool]] = {}
        self._texts: dict[str, Situation] = {}
        #: places that an inline situation names (symbol, text, span), and its lines, by its machine
        self._places: dict[int, tuple[list[tuple[int, str, Span]], Sequence[TextLine]]] = {}
        self._policies: dict[str, ir.Policy] = {}

    @cached_property
    def chance(self) -> Engine:
        """The engine of the chance program.  It may have to be built, so it is made only for a valid request."""
        from grognard.play.engine import Engine as Made

        return Made(self._whole, self.engine.default_scenario, self._backend, progress=self.progress)

    @cached_property
    def procedures(self) -> list[str]:
        """The names of all procedures that odds can be asked of."""
        program = self._whole.program
        names = [machine.name for machine in program.machines]
        return list(dict.fromkeys([*names, *(function.name for function in program.functions)]))

    def prepare(
        self, situation: str, values: Mapping[str, Any], position: Position | None = None,
        policy: PolicySpec | Sequence[PolicySpec] = (), fast: bool = True, every: bool = False,
    ) -> Weighing:  # fmt: skip
        """A situation that is set up, see grognard.odds.prepare."""
        query = situation_query(
            self, situation, values, position, policy_list(policy), self.engine.default_scenario
        )
        return Weighing(query, fast=fast, every=every, plain=self.engine.setting_like)

    # ---- inline text

    def _add(self, head: str, lines: Sequence[TextLine]) -> LoweredText:
        if self.ruleset.engine_files is not None:
            raise OddsError(
                f"{self.engine.title} was built elsewhere: a situation or policy given as text needs its rules; load the "
                "title from its folder, with `pip install 'grognard[compiler]'`"
            )
        sink = Sink()
        lowered = lower_text(self.ruleset, f"{head}\n{body(lines)}", sink)
        if sink.has_errors:
            raise inline_error(sink, self.ruleset.sources, lines)
        self.program = lowered.program
        self._loaded.clear()
        self._settings.clear()
        self._prepared.clear()
        self.sparse.clear()
        return lowered

    def situation(self, name_or_text: str, lines: Sequence[TextLine] = ()) -> Situation:
        """A declared situation, or one from the text of its body; `lines`: the origin of that text."""
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

    def lines(self, given: Sequence[PolicySpec]) -> tuple[list[ir.PolicyLine], list[PolicySpec], str | None]:
        """The lines of all policies in order, the Python functions among them, and the default answer."""
        known = tuple([policy for policy in given if isinstance(policy, str)])
        if len(known) == len(given) and known in self._given:
            return self._given[known][0], [], self._given[known][1]
        lines: list[ir.PolicyLine] = []
        functions: list[PolicySpec] = []
        otherwise = None
        for policy in given:
            if not isinstance(policy, str):
                functions.append(policy)
            elif policy in OTHERWISE:
                otherwise = policy
            else:
                lines += self.policy(policy).lines
        if not functions:
            if len(self._given) >= MAX_POLICIES:
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
        """The title of a situation, and the scenario or board that it names."""
        found = self._described.get(situation.machine)
        if found is None or found[0] is not situation:
            declared = situation.name in self.ruleset.situations
            title = situation.title or (
                situation.name if declared else f"{self.engine.title}: {situation.target}"
            )
            found = self._described[situation.machine] = situation, title, situation.place()
        return found[1:]

    def declares(self, line: ir.PolicyLine) -> bool:
        """Whether the chance program has all functions of a policy's line."""
        if id(line) not in self._declared:
            count = len(self._whole.program.functions)
            numbers = [line.when, line.value, *(function for _, function in line.ranks)]
            # The entry keeps the line alive, so that its id stays unique.
            self._declared[id(line)] = line, all(number is None or number < count for number in numbers)
        return self._declared[id(line)][1]

    def bind(self, interpreter: Interpreter, lines: Sequence[ir.PolicyLine]) -> list[Line]:
        """Each line with the back end that runs its functions: lines of inline text exist only in the interpreter."""
        return [(line, None if self.declares(line) else interpreter) for line in lines]

    # ---- scenarios and boards

    def _load(self, key: str | BoardSpec) -> tuple[Scenario, Scenario]:
        """A scenario or board, for the chance program and for the program with inline text."""
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

    def _with_options(self, what: str | BoardSpec | None) -> str | BoardSpec:
        """A scenario or board with the options of the engine, where it does not set them itself."""
        options = self.engine.options
        if isinstance(what, BoardSpec):
            if not options:
                return what
            return replace(what, options=tuple(sorted({**options, **dict(what.options)}.items())))
        base, said = split_scenario(what or self.engine.default_scenario)
        if not base:
            base, more = split_scenario(self.engine.default_scenario)
            said = {**more, **said}
        return scenario_with(base, {**options, **said})

    def scenario_setting(
        self, what: str | BoardSpec | None, capacity: Capacity | None = None
    ) -> ScenarioSetting | None:
        """A scenario or board: the chance program's setting on it, and an interpreter for inline text.

        `capacity`: compacted to that many pieces; None if that is impossible or saves nothing."""
        from grognard.play.setting import Setting as Made

        key = self._with_options(what)
        if (key, capacity) not in self._settings:
            base, more = self._load(key)
            if capacity is not None:
                less = (
                    compact_scenario(self._whole.program, base, capacity),
                    compact_scenario(self.program, more, capacity),
                )
                if less[0] is None or less[1] is None:
                    self._settings[key, capacity] = None
                    return None
                base, more = less[0], less[1]
            setting = Made(self.chance, base, self.chance.backend_for(base))
            self._settings[key, capacity] = setting, more, Interpreter(self.program, more.layout, more.data)
        return self._settings[key, capacity]

    def prepared_situation(
        self, situation: Situation, what: str | BoardSpec | None, capacity: Capacity | None
    ) -> PreparedSituation | None:
        """A situation on a scenario or board; None if it cannot be compacted to this capacity."""
        key = situation.machine, what, capacity
        if key not in self._prepared:
            loaded = self.scenario_setting(what, capacity)
            if loaded is not None:
                self._check_places(situation, loaded[1])
            declared = situation.name in self.ruleset.situations
            display_name = f"situation `{situation.name}`" if declared else "the situation that was given"
            self._prepared[key] = loaded and PreparedSituation(self.program, situation, display_name, *loaded)
        return self._prepared[key]

    def _check_places(self, situation: Situation, scenario: Scenario) -> None:
        """Check that the places an inline situation names are on the map, which is unknown when the text is lowered."""
        places, lines = self._places.get(situation.machine, ([], ()))
        sink = Sink()
        for symbol, text, span in dict.fromkeys(places):
            if scenario.data.symbols[symbol] == NONE:
                sink.error("GR0609", span, f"there is no place {text} on the map")
        if sink.has_errors:
            raise inline_error(sink, self.ruleset.sources, lines)

    def forget(self) -> None:
        """Drop the caches of earlier battles (attrition/reuse.py)."""
        for loaded in self._settings.values():
            if loaded is not None:
                clear_chance_tables(loaded[0])

    def uncompacted_setting(self, what: str | BoardSpec | None) -> ScenarioSetting:
        found = self.scenario_setting(what)
        assert found is not None
        return found


# ---------------------------------------------------------------------------------------------- procedures


def procedure_query(
    context: OddsContext, procedure: str, args: Sequence[Any], position: Position, by: str | None,
    policies: Sequence[PolicySpec], outcomes: Mapping[str, Callable[[Position], Any]] | None,
) -> Query:  # fmt: skip
    """The query of a procedure from a position; outcomes are functions of the terminal position."""
    from grognard.play.arguments import argument
    from grognard.play.position import Position as Made

    own = position.setting
    lines, functions, otherwise = context.lines(policies)
    if procedure not in context.procedures:
        raise UnknownName(
            f"{own.title} has no procedure `{procedure}`", hint_for(procedure, context.procedures)
        )
    setting, _scenario, interpreter = context.uncompacted_setting(own.scenario.name)
    check_fields(own.program, setting.program)
    code: Any = next((m for m in setting.program.machines if m.name == procedure), None)
    code = code or next((f for f in setting.program.functions if f.name == procedure), None)
    assert code is not None
    entry = context.ruleset.schema.callables.get(procedure)
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
    cells = transfer_cells(position.cells, own.program.fields, own.scenario.layout, setting.scenario.layout)
    query = Query(setting, f"{own.title}: {procedure}", procedure, values, cells)
    query.lines = context.bind(interpreter, lines)
    query.choosers, query.otherwise = python_choosers(setting, functions), otherwise

    def at_end(function: Callable[[Position], Any]) -> Callable[[bytearray], Any]:
        def read(end: bytearray) -> Any:
            back = transfer_cells(end, own.program.fields, setting.scenario.layout, own.scenario.layout)
            return function(Made(own, back))

        return read

    if outcomes:
        readers = [at_end(function) for function in outcomes.values()]
        query.labels = list(outcomes)
        query.read = lambda end: tuple(read(end) for read in readers)
    return query
