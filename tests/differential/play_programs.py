"""Plays random programs on both back ends and compares all they leave, answer by answer.

    ./dev programs [--seconds N] [--seed N] [--answers N]      fresh seeds until the time is up; tells how many answers

A difference names the seed: GROGNARD_PROGRAM_SEED=N makes the test play it again.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from array import array
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from grognard.compiler.build.build import build_engine
from grognard.contract.backend import Io, RuleFailure
from grognard.contract.header import H_STATUS, NONE, STATUS_DECISION
from grognard.contract.ir.verify import verify
from grognard.interpreter.machine import Interpreter
from grognard.native.engine import CompiledEngine
from playable_programs import FIRST_PIECE, NUMBERS, PIECES, Playable

#: Answers of one run, so that a machine that never returns is left.
LONGEST = 150


@dataclass(slots=True)
class Compared:
    """What was compared of one program."""

    answers: int = 0
    runs: int = 0
    failures: int = 0
    refusals: int = 0
    difference: str | None = None


def seed_of_the_day() -> int:
    return datetime.now(UTC).date().toordinal() * 1000


def _outcome(act: Any, cells: bytearray, io: Io) -> tuple[Any, bytes, list[int], int]:
    try:
        result: Any = act(cells, io)
    except RuleFailure as failure:
        return ("failure", failure.kind, failure.site, failure.detail), b"", io.trace.tolist(), io.script_used
    except ValueError:
        return "refused", bytes(cells), io.trace.tolist(), io.script_used
    return result, bytes(cells), io.trace.tolist(), io.script_used


class Both:
    """A program on both back ends."""

    def __init__(self, program: Playable) -> None:
        code, layout, data, self.cells = program.built
        verify(code)
        self.backends = (
            Interpreter(code, layout, data),
            CompiledEngine(build_engine(code), code, layout, data),
        )
        self.started = program.started

    def same(self, cells: bytearray, name: str, *args: Any, **io: Any) -> tuple[bytearray, Any]:
        """Do the same with both; the cells and the result.  AssertionError where they differ."""
        outcomes = [
            _outcome(
                lambda mine, own, b=backend: (
                    b.candidates(mine) if name == "candidates" else getattr(b, name)(mine, *args, own)
                ),
                bytearray(cells),
                Io(**io),
            )
            for backend in self.backends
        ]
        if outcomes[0] != outcomes[1]:
            parts = ("result", "cells", "trace", "dice used")
            apart = next(n for n in range(4) if outcomes[0][n] != outcomes[1][n])
            raise AssertionError(
                f"{name}{args}, {io}: {parts[apart]} {outcomes[0][apart]!r} / {outcomes[1][apart]!r}"[:2000]
            )
        return bytearray(outcomes[0][1]), outcomes[0][0]


def compare_program(seed: int, answers: int) -> Compared:
    """One random program, played until that many answers were compared."""
    found = Compared()
    chance = random.Random(seed)
    both = Both(Playable(seed))
    try:
        while found.answers < answers and found.runs < answers:
            _play(both, chance.choice(both.started), chance, found)
    except AssertionError as difference:
        found.difference = str(difference)
    return found


def _play(both: Both, machine: int, chance: random.Random, found: Compared) -> None:
    found.runs += 1
    args = (
        chance.randrange(-20, 20),
        FIRST_PIECE + chance.randrange(PIECES),
        {n for n in range(NUMBERS) if chance.random() < 0.3},
    )
    level = chance.choice((0, 1, 2, 2))
    cells = bytearray(both.cells)
    with memoryview(cells).cast("i") as c:
        # Other dice in every run.
        c[4], c[5] = (chance.getrandbits(32) - 2**31 for _ in range(2))
    cells, result = both.same(cells, "start", machine, args, level=level)
    for _ in range(LONGEST):
        if isinstance(result, tuple):
            found.failures += 1
            return
        if memoryview(cells).cast("i")[H_STATUS] != STATUS_DECISION:
            return
        _, offered = both.same(cells, "candidates")
        if chance.random() < 0.03:
            wrong = chance.choice((999, NONE, -1, FIRST_PIECE))
            if wrong not in offered:
                both.same(cells, "answer", wrong, level=level)
                found.refusals += 1
        script = array("i", [chance.randrange(1, 7) for _ in range(80)]) if chance.random() < 0.1 else None
        budget = chance.choice((30, 200)) if chance.random() < 0.01 else 1_000_000
        cells, result = both.same(
            cells, "answer", chance.choice(offered), level=level, script=script, budget=budget
        )
        found.answers += 1


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="play random programs on both back ends")
    parser.add_argument(
        "--seconds", type=float, default=300, help="until no program is begun any more (default: 300)"
    )
    parser.add_argument("--seed", type=int, default=None, help="the first seed (default: from the clock)")
    parser.add_argument("--answers", type=int, default=20_000, help="of each program (default: 20000)")
    args = parser.parse_args(words)
    seed = args.seed if args.seed is not None else time.time_ns() // 1_000_000 % 2**31
    # Compilers are processes of their own: by the clock on the wall.
    end = time.monotonic() + args.seconds
    total, different = Compared(), 0
    while time.monotonic() < end:
        found = compare_program(seed, args.answers)
        total.answers += found.answers
        total.runs += found.runs
        total.failures += found.failures
        total.refusals += found.refusals
        if found.difference is not None:
            different += 1
            print(f"seed {seed}: {found.difference}", flush=True)
        seed += 1
        print(f"{total.answers} answers, {total.runs} runs, {total.failures} failures", flush=True)
    print(f"{total.answers} answers compared, {different} programs differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
