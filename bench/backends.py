"""Answers a second on the back ends that need no C compiler, for every shipped title, in processor time.

    python bench/backends.py [TITLE...] [--seconds 4]

Random games of the title's first scenario with the same answers on both; the ratio is measured in one run.  The first seconds, in
which functions are translated, are a column of their own.
"""

from __future__ import annotations

import argparse
import random
import time

import grognard
from grognard.compiler_access import shipped_titles
from grognard.contract.backend import Backend, Io, RuleFailure
from grognard.contract.generator import seeded
from grognard.contract.header import H_RNG_HI, H_RNG_LO, H_STATUS, STATUS_DECISION
from grognard.interpreter.machine import Interpreter
from grognard.play.setting import Setting
from grognard.translator.machine import PythonBackend

#: The clock is looked at so seldom, since on some machines that takes as long as an answer.
CLOCK = 16


def answers_per_second(backend: Backend, setting: Setting, seconds: float) -> float:
    """Random games for so long."""
    chance, given, begun = random.Random(1), 0, time.process_time()
    while True:
        cells = bytearray(setting.scenario.cells.tobytes())
        with memoryview(cells) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = seeded(chance.getrandbits(60))
            backend.start(cells, setting.program.main, (), Io())
            while c[H_STATUS] == STATUS_DECISION:
                try:
                    backend.answer(cells, chance.choice(backend.candidates(cells)), Io())
                except RuleFailure:
                    # A rule that takes too many steps ends the game; the next one goes on.
                    break
                given += 1
                if given % CLOCK:
                    continue
                spent = time.process_time() - begun
                if spent > seconds:
                    return given / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("titles", nargs="*", default=sorted(shipped_titles()))
    parser.add_argument("--seconds", type=float, default=4.0)
    args = parser.parse_args()
    print(f"{'title':18}{'interpreter':>12}{'python, first':>15}{'python':>9}{'ratio':>8}")
    for title in args.titles:
        setting = grognard.load(title, backend="interpreter").setting()
        given = setting.program, setting.scenario.layout, setting.scenario.data
        plain, translated = Interpreter(*given), PythonBackend(*given)
        cold = answers_per_second(translated, setting, args.seconds)
        slow, fast = (answers_per_second(each, setting, args.seconds) for each in (plain, translated))
        print(f"{title:18}{slow:12.0f}{cold:15.0f}{fast:9.0f}{fast / slow:8.1f}", flush=True)


if __name__ == "__main__":
    main()
