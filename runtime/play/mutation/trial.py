"""Mutants against the examples of play: which of them does an example notice?"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from grognard.contract.backend import DEFAULT_BUDGET, Backend
from grognard.contract.datablock import Scenario
from grognard.contract.examples import Example
from grognard.contract.mutants import Mutant, changed_cells, edited
from grognard.contract.ruleset import Ruleset
from grognard.interpreter.machine import Interpreter
from grognard.play.examples import ExampleRunner
from grognard.play.mutation.touched import RAN, Places, WatchedInterpreter, by_place

#: Budgets that an example is tried with, the first that is enough for it counts.
BUDGETS = (50_000, 200_000, 800_000, 3_200_000, 12_800_000, DEFAULT_BUDGET)
#: A mutant may take so many times the budget that the example needs; then it counts as run away.
PATIENCE = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a mutant: the example that notices it, or None; and how many could have."""

    mutant: Mutant
    killer: Example | None
    candidates: int

    @property
    def killed(self) -> bool:
        return self.killer is not None


class WatchedRunner(ExampleRunner):
    """Examples on one interpreter for each setting, watched at first."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.watched = True
        super().__init__(ruleset, "interpreter")

    def _backends(self, scenario: Scenario) -> list[Backend]:
        kind = WatchedInterpreter if self.watched else Interpreter
        return [kind(self.program, scenario.layout, scenario.data)]

    def unwatch(self) -> None:
        """From here on plain interpreters, in the same settings."""
        self.watched = False
        self._settings = {
            key: (scenario, self._backends(scenario)) for key, (scenario, _) in self._settings.items()
        }

    def settings(self) -> list[tuple[Scenario, Interpreter]]:
        return [
            (scenario, backend)
            for scenario, backends in self._settings.values()
            for backend in backends
            if isinstance(backend, Interpreter)
        ]

    @contextmanager
    def changed(self, mutant: Mutant) -> Iterator[None]:
        """While this lasts, the examples are played with the mutant."""
        undo: list[Callable[[], None]] = []
        try:
            codes = [
                edited(self.program.functions[c.number], c.edits)
                if c.sort == "function"
                else edited(self.program.machines[c.number], c.edits)
                for c in mutant.code
            ]
            seen: set[int] = set()
            for scenario, interpreter in self.settings():
                interpreter.forget()
                undo += [interpreter.put(code) for code in codes]
                for change in mutant.cells:
                    data = scenario.data
                    cells = (data.tables if change.sort == "table" else data.columns)[change.number]
                    if id(cells) not in seen:  # settings share what their maps do not change
                        seen.add(id(cells))
                        undo.append(_restoring(cells, changed_cells(cells, change)))
            yield
        finally:
            for step in undo:
                step()


def _restoring(cells: Any, before: list[tuple[int, int]]) -> Callable[[], None]:
    def restore() -> None:
        for place, value in before:
            cells[place] = value

    return restore


class Trial:
    """The examples of a title, run once to learn what they touch; then against mutants."""

    def __init__(self, ruleset: Ruleset, told: Callable[[int], None] = lambda done: None) -> None:
        self.ruleset = ruleset
        self._runner = WatchedRunner(ruleset)
        #: examples that fail without any change
        self.failing: list[Example] = []
        self._budget: list[int] = []
        self._cost: list[float] = []
        ran: list[tuple[int, frozenset[int]]] = []
        #: sections that passing examples went through
        self.cites: set[str] = set()
        for number, example in enumerate(ruleset.examples):
            RAN.clear()
            self._learn(example)
            if example in self.failing:
                continue
            ran.append((number, frozenset(RAN)))
            told(number + 1)
        RAN.clear()
        self._touching = by_place(ran)
        self._places = Places(ruleset.example_program)
        self._runner.unwatch()

    def _learn(self, example: Example) -> None:
        """Run an example without a change, with as small a budget as will do."""
        for budget in BUDGETS:
            self._runner.budget = budget
            start = time.perf_counter()
            result = self._runner.run(example)
            if result.passed:
                self.cites |= result.cites
                break
        else:
            self.failing.append(example)
        self._budget.append(min(PATIENCE * budget, DEFAULT_BUDGET))
        self._cost.append(time.perf_counter() - start)

    def candidates(self, mutant: Mutant) -> list[int]:
        """The examples that can notice a mutant, the quickest first."""
        found = {n for place in self._places.of(mutant) for n in self._touching.get(place, ())}
        return sorted(found, key=lambda n: self._cost[n])

    def cost(self, mutant: Mutant) -> float:
        """Seconds that the examples take which can notice a mutant, if none of them does."""
        return sum(self._cost[number] for number in self.candidates(mutant))

    def run(self, mutant: Mutant) -> Verdict:
        """Run the examples that can notice a mutant until one does."""
        numbers = self.candidates(mutant)
        if numbers:
            with self._runner.changed(mutant):
                for number in numbers:
                    if self._noticed(number):
                        return Verdict(mutant, self.ruleset.examples[number], len(numbers))
        return Verdict(mutant, None, len(numbers))

    def _noticed(self, number: int) -> bool:
        self._runner.budget = self._budget[number]
        try:
            return not self._runner.run(self.ruleset.examples[number]).passed
        except (
            ArithmeticError,
            AssertionError,
            LookupError,
            MemoryError,
            RecursionError,
            TypeError,
            ValueError,
        ):
            # The interpreter assumes rules that make sense: one that drives it out of its bounds was noticed.
            return True


def trials(trial: Trial, mutants: Sequence[Mutant], jobs: int) -> Iterator[Verdict]:
    """The verdicts, in the order of the mutants; by several processes where the system can fork.

    The processes are started here, before the first verdict is asked for: a caller may start threads then."""
    import multiprocessing

    if jobs < 2 or len(mutants) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        return map(trial.run, mutants)
    from concurrent.futures import ProcessPoolExecutor

    # Children get the compiled title by being forks of this process: nothing of it can or need be sent.
    global _TRIAL
    _TRIAL = trial, mutants
    pool = ProcessPoolExecutor(
        min(jobs, len(mutants)), multiprocessing.get_context("fork"), initializer=_ignore_interrupts
    )
    answers = pool.map(_run_one, range(len(mutants)))

    def verdicts() -> Iterator[Verdict]:
        try:
            for mutant, (killer, candidates) in zip(mutants, answers):
                example = None if killer is None else trial.ruleset.examples[killer]
                yield Verdict(mutant, example, candidates)
        finally:
            # Whoever stops asking wants no more of them.
            pool.shutdown(cancel_futures=True)

    return verdicts()


_TRIAL: tuple[Trial, Sequence[Mutant]] | None = None


def _ignore_interrupts() -> None:
    """Ctrl-C is for the parent, which ends its children."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run_one(place: int) -> tuple[int | None, int]:
    assert _TRIAL is not None
    trial, mutants = _TRIAL
    verdict = trial.run(mutants[place])
    killer = None
    if verdict.killer is not None:
        killer = next(n for n, example in enumerate(trial.ruleset.examples) if example is verdict.killer)
    return killer, verdict.candidates
