"""`why` against the interpreter's real stack of calls: every record lies below what was running when it was made.

The stack is watched from outside, by what the interpreter calls, and so knows nothing of marks in the trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grognard
import pytest
from engines import SKIRMISH, engine_for, random_game
from grognard.compiler.driver.ruleset_cache import load_ruleset
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.contract import ir
from grognard.contract.backend import TRACE_OFF, TRACE_WHY, Io
from grognard.contract.datablock import DataBlock
from grognard.contract.header import H_FP, NONE
from grognard.contract.layout import Layout
from grognard.contract.trace import trace_tree
from grognard.interpreter.frames import Run
from grognard.interpreter.machine import Interpreter
from grognard.play import examples
from grognard.play.game import Played
from grognard.play.position import Position
from grognard.play.why import Reason, explain
from grognard.play.wording import Secrecy
from grognard.support.diagnostics import Sink

TESTS = Path(__file__).parents[1]
OWN = (SKIRMISH, TESTS / "play/titles/manoeuvre", TESTS / "odds/titles/duel")
CONTROL = TESTS / "differential/titles/control"
TITLES = [*sorted(shipped_titles()), *map(str, OWN)]
#: Positions beyond this size are too large for the interpreter to play whole games from.
SMALL = 20_000
#: Games of a title, answers of a game; of a large title one answer of so many, and the work of it at the most.
GAMES = 4
LENGTH = 120
EACH = 8
MOST_STEPS = 40_000
#: Examples of play of a title, if there are more.
EXAMPLES = 12


@dataclass(eq=False)
class Activation:
    """One call of a function or machine, and the records that it made itself: number and kind."""

    machine: bool
    own: list[tuple[int, str]] = field(default_factory=list)

    @property
    def head(self) -> int | None:
        """The record that stands for the call: of its beginning, of its result, or of the exception that it runs by."""
        for number, kind in self.own:
            if kind == "enter":
                return number
        if self.machine or not self.own:
            return None
        number, kind = self.own[-1]
        if kind in ("rule", "modifiers", "modifier", "sight", "movement"):
            return number
        return next((number for number, kind in self.own if kind == "exception"), None)


class Watched(Interpreter):
    """An interpreter whose stack of calls can be seen: what compiles functions and moves frames is wrapped."""

    def __init__(self, program: ir.Program, layout: Layout, data: DataBlock) -> None:
        super().__init__(program, layout, data)
        self.hypothetical = False
        compile_function, push, pop = self.functions.compile, self.frames.push, self.frames.pop

        def watched_function(function: ir.Function) -> Any:
            made = compile_function(function)

            def watched(frame: Any, args: Any) -> Any:
                depth = len(self.stack)
                self.stack.append(Activation(False))
                try:
                    return made(frame, args)
                finally:
                    del self.stack[depth:]

            return watched

        def watched_push(*args: Any) -> None:
            push(*args)
            self.stack.append(Activation(True))

        def watched_pop(c: Any, result: int) -> int:
            self.stack.pop()
            return pop(c, result)

        self.functions.compile = watched_function
        self.frames.push = watched_push
        self.frames.pop = watched_pop

    def watch(self, cells: bytearray) -> None:
        """Begin with the machines that the position has on its stack."""
        self.stack: list[Activation] = []
        self.stacks: list[list[Activation]] = []
        self.sites: list[int] = []
        with memoryview(cells) as raw, raw.cast("i") as c:
            self._begin_with(c)

    def start(self, cells: bytearray, machine: int, args: Any, io: Io) -> None:
        self.stack, self.stacks, self.sites, self.io = [], [], [], io
        super().start(cells, machine, args, io)

    def noted(self, site: int) -> None:
        self.stack[-1].own.append((len(self.sites), self.program.sites[site].kind))
        self.sites.append(site)
        self.stacks.append(list(self.stack))

    def parents(self) -> list[int | None]:
        """For each record that of the innermost call around it that has one."""
        found = []
        for number, stack in enumerate(self.stacks):
            heads = (call.head for call in reversed(stack))
            found.append(next((head for head in heads if head not in (None, number)), None))
        return found

    def _apply(self, c: Any, *rest: Any) -> None:
        # Each answer that is tried begins with the machines of the copy that it is tried on.
        if self.hypothetical:
            self._begin_with(c)
        super()._apply(c, *rest)

    def at_best(self, *args: Any) -> int:
        before, outer = list(self.stack), self.hypothetical
        self.hypothetical = True
        best = super().at_best(*args)
        self.stack[:], self.hypothetical = before, outer
        return best

    def _begin_with(self, c: Any) -> None:
        self.stack.clear()
        frame = c[H_FP]
        while frame != NONE:
            self.stack.append(Activation(True))
            frame = c[self.layout.stack_offset + frame + 2]


def answers_to_explain(title: str) -> Iterator[tuple[Position, Played]]:
    """Positions with the answer that was given there: whole games of small titles, some answers of large ones."""
    engine = engine_for(title, "interpreter")
    large = len(bytes(engine.new_game(seed=1))) > SMALL
    fast = engine_for(title, "compiled") if large else engine
    # The title's own first: bare maps that examples are written on have little to explain.
    usual = engine.ruleset.about.scenario
    scenarios = sorted(engine.scenarios, key=lambda name: name != usual)[:GAMES]
    for seed in range(1, 1 + max(1 if large else 4, GAMES // len(scenarios))):
        for scenario in scenarios:
            game = random_game(fast, seed, LENGTH if large else LENGTH // 2, scenario)
            position = fast.new_game(scenario, seed)
            for number, played in enumerate(game.history):
                if not large:
                    yield position, played
                elif number % EACH == seed % EACH and is_affordable(position, played.value):
                    yield engine.position(bytes(position)), played
                position = position.play(played.value)


def is_affordable(position: Position, value: int) -> bool:
    try:
        position.clone().answer(value, Io(TRACE_OFF, budget=MOST_STEPS))
    except grognard.RuleError:
        return False
    return True


def nested(reason: Reason) -> list[Any]:
    return [(child.kind, child.file, child.line, nested(child)) for child in reason.children]


def expected(program: ir.Program, sites: list[int], parents: list[int | None]) -> list[Any]:
    """The tree that `why` should show, by the calls that were seen."""
    below: dict[int | None, list[Any]] = {}
    top: list[Any] = []
    for number in range(len(sites)):
        below[number] = []
    for number, parent in enumerate(parents):
        site = program.sites[sites[number]]
        if site.kind not in ("hidden roll", "branch", "expect"):
            (top if parent is None else below[parent]).append(
                (site.kind, site.file, site.line, below[number])
            )
    return top


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    """The interpreter whose notes are watched, once it is put here."""
    current: list[Watched] = []
    note = Run.note

    def noted(run: Run, site: int, seen: int, args: Any) -> None:
        if current:
            current[0].noted(site)
        note(run, site, seen, args)

    monkeypatch.setattr(Run, "note", noted)
    return current


def compared(seen: Watched, io: Io, where: str) -> int:
    """How many records there are; all of them lie where they were made."""
    made, parents = trace_tree(io.trace), seen.parents()
    assert [record.site for record in made] == seen.sites, where
    for number, record in enumerate(made):
        text = seen.program.sites[record.site].text
        assert record.parent == parents[number], f"{where}: record {number}, {text}"
    return len(made)


@pytest.mark.parametrize("title", TITLES, ids=lambda name: Path(name).name)
def test_every_record_of_random_games_lies_below_what_was_running(
    title: str, watching: list[Watched]
) -> None:
    watched: dict[int, Watched] = {}
    records = answers = 0
    for position, played in answers_to_explain(title):
        setting = position.setting
        if id(setting) not in watched:
            watched[id(setting)] = Watched(setting.program, setting.scenario.layout, setting.scenario.data)
        seen = watched[id(setting)]
        cells, io = bytearray(position.cells), Io(TRACE_WHY)
        watching[:] = [seen]
        seen.watch(cells)
        seen.answer(cells, played.value, io)
        watching.clear()
        where = f"{title}: {played.seat} {played.question} {played.name}"
        records += compared(seen, io, where)
        after = position.clone()
        after.answer(played.value, Io())
        reason = explain(setting, played, io.trace, position, after, Secrecy())
        assert nested(reason) == expected(setting.program, seen.sites, seen.parents()), where
        answers += 1
    print(f"{Path(title).name}: {records} records of {answers} answers")
    assert answers >= 3 and records >= answers


@pytest.mark.parametrize("title", [*TITLES, str(CONTROL)], ids=lambda name: Path(name).name)
def test_every_record_of_examples_lies_below_what_was_running(
    title: str, watching: list[Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Shown(Watched):
        def start(self, *args: Any) -> None:
            watching[:] = [self]
            super().start(*args)

    monkeypatch.setattr(examples, "Interpreter", Shown)
    ruleset = load_ruleset(shipped_titles().get(title, title), Sink())
    assert ruleset is not None
    runner = examples.ExampleRunner(ruleset, "interpreter")
    some = ruleset.examples[:: 1 + len(ruleset.examples) // EXAMPLES]
    records = 0
    for example in some:
        watching.clear()
        runner.run(example)
        records += compared(watching[0], watching[0].io, f"{title}: {example.title}")
    print(f"{Path(title).name}: {records} records of {len(some)} examples")
    assert records >= len(some) or not some
