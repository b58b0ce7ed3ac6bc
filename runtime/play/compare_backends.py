"""Random play on two back ends step by step, until they differ."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler_access import build_engine
from grognard.contract.backend import TRACE_WHY, Backend, Io, RuleFailure
from grognard.contract.datablock import Scenario
from grognard.contract.generator import seeded
from grognard.contract.header import H_RNG_HI, H_RNG_LO, H_STATUS, STATUS_DECISION
from grognard.contract.ruleset import Ruleset
from grognard.errors import GrognardError


@dataclass(slots=True)
class Comparison:
    """What random play on both back ends showed."""

    games: int = 0
    positions: int = 0
    difference: str | None = None
    #: the answers that lead to the difference, after the seed
    answers: list[int] = field(default_factory=list)
    seed: int = 0

    @property
    def agree(self) -> bool:
        return self.difference is None

    def __str__(self) -> str:
        if self.agree:
            return f"{self.positions} positions of {self.games} games are the same"
        return f"game with seed {self.seed}, after the answers {self.answers}: {self.difference}"


def compare_backends(
    ruleset: Ruleset, scenario: str | None = None, games: int = 10, seed: int = 1, max_answers: int = 2_000
) -> Comparison:
    """Play random games on both back ends step by step; stop at the first difference.

    Compared after every answer: all bytes of the position, the candidates, the whole trace of level 2, and
    failures by kind and place.  BuildUnavailable if nothing can be compiled here."""
    from grognard.interpreter.machine import Interpreter
    from grognard.native.engine import CompiledEngine

    made = ruleset.scenario(scenario)
    if made is None:
        raise GrognardError(
            f"scenario {scenario or ruleset.default_scenario} of {ruleset.name} cannot be loaded"
        )
    truth = Interpreter(ruleset.program, made.layout, made.data)
    engine = CompiledEngine(build_engine(ruleset.program), ruleset.program, made.layout, made.data)
    report = Comparison()
    for number in range(games):
        report.games += 1
        report.seed = seed + number
        report.difference = _compare_game(truth, engine, ruleset.program.main, made, report, max_answers)
        if report.difference is not None:
            break
    return report


def _compare_game(
    truth: Backend, engine: Backend, main: int, scenario: Scenario, report: Comparison, max_answers: int
) -> str | None:
    """One game on both; the first difference in words."""
    picker = random.Random(report.seed)
    report.answers = []
    cells = [bytearray(scenario.cells.tobytes()) for _ in range(2)]
    for block in cells:
        with memoryview(block) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = seeded(report.seed)
    backends = (truth, engine)
    ios = [Io(TRACE_WHY), Io(TRACE_WHY)]
    failures = [_attempt(backends[n].start, cells[n], main, (), ios[n]) for n in range(2)]
    while True:
        difference = _difference(cells, ios, failures)
        if difference is not None or failures[0] is not None:
            return difference
        report.positions += 1
        with memoryview(cells[0]) as raw, raw.cast("i") as c:
            if c[H_STATUS] != STATUS_DECISION or len(report.answers) >= max_answers:
                return None
        offered = [backend.candidates(block) for backend, block in zip(backends, cells)]
        if offered[0] != offered[1]:
            return f"candidates {offered[0]} (interpreter) and {offered[1]} (compiled)"
        value = picker.choice(offered[0])
        report.answers.append(value)
        ios = [Io(TRACE_WHY), Io(TRACE_WHY)]
        failures = [_attempt(backends[n].answer, cells[n], value, ios[n]) for n in range(2)]


def _attempt(run: Any, *args: Any) -> tuple[int, int] | None:
    try:
        run(*args)
    except RuleFailure as failure:
        return failure.kind, failure.site
    return None


def _difference(cells: list[bytearray], ios: list[Io], failures: list[tuple[int, int] | None]) -> str | None:
    if failures[0] != failures[1]:
        return f"failure {failures[0]} (interpreter) and {failures[1]} (compiled)"
    if failures[0] is None and cells[0] != cells[1]:
        with memoryview(cells[0]) as a, memoryview(cells[1]) as b:
            left, right = a.cast("i"), b.cast("i")
            cell = next(n for n in range(len(left)) if left[n] != right[n])
            return f"cell {cell} is {left[cell]} (interpreter) and {right[cell]} (compiled)"
    if ios[0].trace != ios[1].trace:
        return (
            f"traces {ios[0].trace.tolist()[:40]} (interpreter) and {ios[1].trace.tolist()[:40]} (compiled)"
        )
    return None
