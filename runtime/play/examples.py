"""Runs the examples of play of a title: scripted dice and answers, expectations, on both back ends."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from typing import Any

from grognard.compiler_access import build_engine
from grognard.contract import ir
from grognard.contract.backend import (
    DEFAULT_BUDGET,
    TRACE_WHY,
    Backend,
    Io,
    RuleFailure,
)
from grognard.contract.bitsets import elements
from grognard.contract.build import BuildUnavailable
from grognard.contract.datablock import Scenario
from grognard.contract.examples import Answer, Example
from grognard.contract.header import (
    DONE,
    FAIL_DICE,
    H_ASK,
    H_STATUS,
    NONE,
    STATUS_DECISION,
)
from grognard.contract.ruleset import Ruleset
from grognard.contract.trace import trace_records
from grognard.errors import BackendUnavailable, rule_error
from grognard.interpreter.machine import Interpreter
from grognard.play import by_number
from grognard.play.example_answers import CountsGiven, failure_at, match_answer
from grognard.play.wording import Names
from grognard.support.diagnostics import (
    Diagnostic,
    Label,
    Severity,
    Sink,
)
from grognard.support.source import Span
from grognard.support.suggest import hint_for

#: Steps that a failed expectation shows, the last ones before it.
STEPS_SHOWN = 12
#: An example that asks more often than this goes in circles.
MAX_ANSWERS = 10_000
#: Questions that are told of an example with answers left over.
MOST_ASKED = 8


@dataclass(slots=True)
class ExampleResult:
    """What came of an example.  `cites` are the sections that its run went through."""

    example: Example
    failures: list[Diagnostic] = field(default_factory=list)
    cites: frozenset[str] = frozenset()
    backends: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.failures

    @property
    def title(self) -> str:
        return self.example.title


def run_example(ruleset: Ruleset, example: Example, backend: str = "auto") -> ExampleResult:
    """Run one example; see ExampleRunner."""
    return ExampleRunner(ruleset, backend).run(example)


def run_examples(ruleset: Ruleset, backend: str = "auto") -> list[ExampleResult]:
    """Run all examples of a title in their order."""
    runner = ExampleRunner(ruleset, backend)
    return [runner.run(example) for example in ruleset.examples]


class ExampleRunner:
    """Runs examples of one title.

    `backend` "auto" runs each on the interpreter and, where one can be built, on a compiled engine, and compares
    the two to the last byte; "interpreter" and "compiled" run on one of them alone."""

    def __init__(self, ruleset: Ruleset, backend: str = "auto") -> None:
        self.ruleset = ruleset
        self.program = ruleset.example_program
        self.wanted = backend
        #: steps that each answer may take
        self.budget = DEFAULT_BUDGET
        self._module: Any = None
        #: scenarios as they were loaded, with their back ends: examples start from copies of their cells
        self._settings: dict[Any, tuple[Scenario, list[Backend]]] = {}
        if backend != "interpreter":
            self._build()

    def _build(self) -> None:
        try:
            self._module = build_engine(self.program, flavour="quick")
        except BuildUnavailable as why:
            if self.wanted == "compiled":
                raise BackendUnavailable(str(why)) from why

    def _backends(self, scenario: Scenario) -> list[Backend]:
        made: list[Backend] = []
        if self.wanted != "compiled":
            made.append(Interpreter(self.program, scenario.layout, scenario.data))
        if self._module is not None:
            from grognard.contract.prepared_data import DataError
            from grognard.native.engine import CompiledEngine

            try:
                made.append(CompiledEngine(self._module, self.program, scenario.layout, scenario.data))
            except DataError as why:
                if self.wanted == "compiled":
                    raise BackendUnavailable(str(why)) from why
        return made

    def _setting(self, example: Example, sink: Sink) -> tuple[Scenario, list[Backend]] | None:
        """Where an example starts and what runs it; None after errors.  Equal grounds are made only once."""
        ground = tuple((terrain, place) for terrain, place, _ in example.terrain)
        drawn = tuple((m.name, m.value, tuple(text for text, _ in m.places), m.along) for m in example.marks)
        options = tuple(sorted(example.options.items()))
        key = (example.board, ground, drawn, example.scenario or self.ruleset.default_scenario, options)
        if key in self._settings:
            return self._settings[key]
        scenario = self.ruleset.example_setting(example, sink)
        if scenario is None or sink.has_errors:
            return None
        made = scenario, self._backends(scenario)
        self._settings[key] = made
        return made

    def run(self, example: Example) -> ExampleResult:
        """Run the example; every failure is a diagnostic with its place."""
        result = ExampleResult(example)
        sink = Sink()
        setting = self._setting(example, sink)
        if setting is None:
            result.failures += [d for d in sink if d.severity is Severity.error]
            result.failures.append(
                failure_at("GR0902", example.span, f'example "{example.title}" cannot be set up')
            )
            return result
        scenario, backends = setting
        result.failures += [
            failure_at("GR0609", span, f"there is no place {text} on the map")
            for symbol, text, span in dict.fromkeys(example.places)
            if scenario.data.symbols[symbol] == NONE
        ]
        if result.failures:
            return result
        runs: list[_Run] = []
        for backend in backends:
            run = _Run(self.program, example, scenario, backend, self.budget)
            run.play()
            runs.append(run)
        first = runs[0]
        result.failures = first.failures
        result.cites = first.cites()
        result.backends = tuple(run.backend.name for run in runs)
        for other in runs[1:]:
            if first.differs(other):
                message = f'example "{example.title}" goes differently on the two back ends'
                hint = "this is a fault of Grognard, not of the rules: please report it"
                result.failures.append(failure_at("GR0901", example.span, message, hint=hint))
        return result


def _once(steps: list[str]) -> list[str]:
    """An expectation that fails asks a second time, for the value that it found: the same steps are told once."""
    half = len(steps) // 2
    return steps[:half] if steps[:half] == steps[half:] else steps


class _Run:
    """One run of one example on one back end."""

    def __init__(
        self, program: ir.Program, example: Example, scenario: Scenario, backend: Backend, budget: int
    ) -> None:
        self.program = program
        self.example = example
        self.backend = backend
        self.names = Names(program, scenario.layout, scenario.data)
        self.cells = bytearray(scenario.cells.tobytes())
        self.io = Io(TRACE_WHY, script=array("i", example.dice), budget=budget)
        self.failures: list[Diagnostic] = []
        self.broken = False
        self.layout = scenario.layout
        self.counts: CountsGiven | None = None
        #: what was asked so far, and answered
        self.asked: list[str] = []

    def play(self) -> None:
        waiting = list(self.example.answers)
        try:
            self.backend.start(self.cells, self.example.machine, (), self.io)
            for _ in range(MAX_ANSWERS):
                if self._head(H_STATUS) != STATUS_DECISION:
                    break
                value = self._next(waiting)
                if value is None:
                    break
                self.backend.answer(self.cells, value, self.io)
        except RuleFailure as failure:
            self.broken = True
            self._learn_names()
            self._failed(failure)
            return
        self._learn_names()
        self._expectations()
        if not self.failures:
            self._left_over(waiting)

    def differs(self, other: _Run) -> bool:
        """Whether another back end has come to something else.

        After a failed rule the cells have no meaning: what counts is that both fail alike."""
        if self.broken or other.broken:
            return [f.message for f in self.failures] != [f.message for f in other.failures]
        return self.cells != other.cells or self.io.trace != other.io.trace

    def _head(self, cell: int) -> int:
        with memoryview(self.cells) as raw, raw.cast("i") as c:
            return int(c[cell])

    # ---- answers

    def _next(self, waiting: list[Answer]) -> int | None:
        """The next scripted answer's value; None (with a failure noted) if it cannot be given."""
        values = self.backend.candidates(self.cells)
        ask = self.program.asks[self._head(H_ASK)]
        self._learn_names()
        if ask.numbers is not None:
            return self._number(waiting, ask, values)
        among = ir.shown_domains(ask.show)
        called = {value: name for (domain, value), name in self.names.called.items() if domain in among}
        with memoryview(self.cells) as raw, raw.cast("i") as c:
            offered = {
                value: (
                    called.get(value) or self.names.answer_name(value, ask.show),
                    self.names.answer_label(value, ask.show, c),
                )
                for value in values
            }
        while waiting and waiting[0].offered:
            if not self._all_offered(waiting.pop(0), offered, ask):
                return None
        listed = ", ".join(name for name, _ in offered.values())
        if not waiting:
            self._no_answer_left(ask, listed)
            return None
        answer = waiting.pop(0)
        text = answer.texts[0]
        value = match_answer(text, offered)
        if value is None:
            self.failures.append(
                failure_at(
                    "GR0905",
                    answer.span,
                    f"`{text}` is not offered for {ask.name} ({ask.label})",
                    hint=hint_for(text, [name for name, _ in offered.values()]),
                    notes=(f"offered: {listed}", *self._steps()),
                )
            )
        self.asked.append(f"asked: {ask.name} ({ask.label}), answered {text}")
        return value

    def _number(self, waiting: list[Answer], ask: ir.AskDecl, values: list[int]) -> int | None:
        """How many of the group that is asked for: as a number, or out of "2 infantry, T", which answers for all groups."""
        here = by_number.waiting(self.program, self.layout, self.cells)
        assert here is not None
        told = here.numbers.ended, self._ended(here.numbers.ended)
        if self.counts is None or self.counts.told != told:
            while waiting and waiting[0].offered:
                answer = waiting.pop(0)
                groups = list(by_number.groups_in(self.program, self.layout, self.cells, here))
                # Of the first it is known how many, of the others only that there is room.
                able = [mask for n, mask in enumerate(groups) if n or max(values) > 0]
                names = {
                    place: self._group_names(list(elements(mask, here.base)), here.domain)
                    for place, mask in enumerate(able)
                }
                offered = {place: (min(called), min(called)) for place, called in names.items()}
                if here.least == 0 and 0 in values:
                    offered[DONE], names[DONE] = ("done", "done"), {"done"}
                meant = [
                    next(
                        (offered[place][0] for place, called in names.items() if text.casefold() in called),
                        text,
                    )
                    for text in answer.texts
                ]
                if not self._all_offered(replace(answer, texts=tuple(meant)), offered, ask):
                    return None
            if not waiting:
                self._no_answer_left(ask, ", ".join(map(str, values)))
                return None
            answer = waiting.pop(0)
            text = answer.texts[0]
            self.asked.append(f"asked: {ask.name} ({ask.label}), answered {text}")
            if text.isdigit():
                self.counts = None
                return self._given(int(text), values, text, answer, ask)
            parts = by_number.read_parts(text)
            self.counts = CountsGiven(answer, parts, told)
        counts = self.counts
        members = list(elements(here.group, here.base))
        called = self._group_names(members, here.domain)
        # Members that are no counters can be had several times.
        capacity = len(members) if here.numbers.price is None else max(values)
        number = 0
        for place, (many, name) in enumerate(counts.parts):
            if name.casefold() in called:
                taken = capacity - number if many is None else min(many, capacity - number)
                number += taken
                counts.parts[place] = (None if many is None else many - taken, name)
        return self._given(number, values, counts.answer.texts[0], counts.answer, ask)

    def _group_names(self, members: list[int], domain: int) -> set[str]:
        """What counters that are alike can be called: their kind, or one of them, in small letters."""
        with memoryview(self.cells) as raw, raw.cast("i") as c:
            kind = self.names.kind_of(members[0], domain, c)
        own = {self.names.called.get((domain, member), "") for member in members} - {""}
        return {name.casefold() for name in (*kind, *own)}

    def _given(
        self, number: int, values: list[int], text: str, answer: Answer, ask: ir.AskDecl
    ) -> int | None:
        if number in values:
            return number
        listed = ", ".join(map(str, values))
        self.failures.append(
            failure_at(
                "GR0905",
                answer.span,
                f"`{text}` is not offered for {ask.name} ({ask.label})",
                notes=(f"{number} of them; offered: {listed}", *self._steps()),
            )
        )
        return None

    def _ended(self, site: int) -> int:
        """How many choices by number were completed."""
        return sum(number == site for number, _, _ in self._records())

    def _no_answer_left(self, ask: ir.AskDecl, listed: str) -> None:
        self.failures.append(
            failure_at(
                "GR0905",
                self.example.span,
                f"{ask.name} ({ask.label}) is asked, and the example has no answer left",
                notes=(f"offered: {listed}", *self._steps()),
            )
        )

    def _learn_names(self) -> None:
        """The counters that the example has put on the board are called by the names it gave them."""
        for number, _seen, args in self._records():
            site = self.program.sites[number]
            if site.kind == "counter":
                for domain in ir.shown_domains(site.shows[0]):
                    self.names.called[domain, args[0]] = site.text

    def _all_offered(self, answer: Answer, offered: dict[int, tuple[str, str]], ask: ir.AskDecl) -> bool:
        """Whether exactly these are offered."""
        found = [match_answer(text, offered) for text in answer.texts]
        wrong = [text for text, value in zip(answer.texts, found) if value is None]
        extra = [name for value, (name, _) in offered.items() if value not in found]
        if not wrong and not extra:
            return True
        parts = []
        if wrong:
            parts.append(f"{', '.join(wrong)} should be offered and {'is' if len(wrong) == 1 else 'are'} not")
        if extra:
            parts.append(f"{', '.join(extra)} {'is' if len(extra) == 1 else 'are'} offered and should not be")
        self.failures.append(
            failure_at(
                "GR0905", answer.span, f"{ask.name} ({ask.label}): {'; '.join(parts)}", notes=self._steps()
            )
        )
        return False

    # ---- what came of it

    def _records(self) -> list[tuple[int, int, tuple[int, ...]]]:
        return trace_records(self.io.trace)

    def _expectations(self) -> None:
        reached: set[int] = set()
        since = 0
        records = self._records()
        for place, (number, _seen, args) in enumerate(records):
            site = self.program.sites[number]
            if site.kind != "expect":
                continue
            reached.add(number)
            if not args[0]:
                found = ""
                if len(args) > 1:
                    with memoryview(self.cells) as raw, raw.cast("i") as c:
                        found = f": it is {self.names.label(args[1], site.shows[1], c)}"
                self.failures.append(
                    failure_at(
                        "GR0901",
                        _span(site),
                        f"this does not hold{found}",
                        notes=_once(self._steps(records[since:place])),
                    )
                )
            since = place + 1
        if not self.failures:
            for number in self.example.expects:
                if number not in reached:
                    site = self.program.sites[number]
                    self.failures.append(
                        failure_at(
                            "GR0901",
                            _span(site),
                            "the example ended before this was looked at",
                            notes=self._steps(),
                        )
                    )

    def _left_over(self, waiting: list[Answer]) -> None:
        unused = self.example.dice[self.io.script_used :]
        if unused:
            dice = ", ".join(map(str, unused))
            self.failures.append(failure_at("GR0903", self.example.span, f"dice that nobody rolled: {dice}"))
        if waiting:
            texts = ", ".join(" ".join(answer.texts) for answer in waiting)
            self.failures.append(
                failure_at(
                    "GR0903",
                    waiting[0].span,
                    f"answers to questions that nobody asked: {texts}",
                    notes=self.asked[-MOST_ASKED:] or ["nothing was asked"],
                    hint="what can be answered in one way only is not asked",
                )
            )

    def _failed(self, failure: RuleFailure) -> None:
        known = 0 <= failure.site < len(self.program.sites)
        site = self.program.sites[failure.site] if known else None
        labels = (Label(_span(site), "here"),) if site is not None and site.file else ()
        if failure.kind == FAIL_DICE:
            used = self.io.script_used
            if used >= len(self.example.dice):
                message = f"more dice are rolled than the {len(self.example.dice)} that the example gives"
            else:
                message = (
                    f"die {used + 1} shows {self.example.dice[used]}, which is no face of what is rolled"
                )
            code = "GR0904"
        else:
            message = str(rule_error(failure, self.program, self.names.element))
            code = "GR0901"
        self.failures.append(failure_at(code, self.example.span, message, notes=self._steps(), labels=labels))

    def _steps(self, records: list[tuple[int, int, tuple[int, ...]]] | None = None) -> list[str]:
        """The last steps in words, each with its section."""
        shown = []
        for number, _seen, args in (self._records() if records is None else records)[-60:]:
            site = self.program.sites[number]
            if site.kind in (
                "roll",
                "choice",
                "rule",
                "modifier",
                "modifiers",
                "table",
                "exception",
                "log",
                "draw",
            ):
                with memoryview(self.cells) as raw, raw.cast("i") as c:
                    text = self.names.text(site, args, c)
                shown.append(text + (f" [{', '.join(site.cites)}]" if site.cites else ""))
        return shown[-STEPS_SHOWN:]

    def cites(self) -> frozenset[str]:
        return frozenset(
            cite for number, _, _ in self._records() for cite in self.program.sites[number].cites
        )


def _span(site: ir.Site) -> Span:
    return Span(site.file, site.line, site.column, site.line, site.column + 1)
