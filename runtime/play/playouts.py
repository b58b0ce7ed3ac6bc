"""Playing without people: random games, counting lines, many positions at once, one back end against the other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from grognard.compiler_access import build_engine
from grognard.contract import generator as rng
from grognard.contract import ir
from grognard.contract.backend import (
    TRACE_WHY,
    Backend,
    Io,
    NativeEvaluation,
    RolloutOptions,
    RuleFailure,
    Sampled,
)
from grognard.contract.datablock import Scenario
from grognard.contract.generator import seeded
from grognard.contract.header import (
    FAIL_BUDGET,
    H_CHOOSER,
    H_OUTCOME,
    H_PLY,
    H_RNG_HI,
    H_RNG_LO,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_OVER,
)
from grognard.contract.questions import Answer
from grognard.contract.ruleset import Ruleset
from grognard.errors import GrognardError, IllegalChoice
from grognard.play.arguments import arguments, function_named
from grognard.play.position import Position

if TYPE_CHECKING:
    from grognard.play.setting import Setting


@dataclass(frozen=True, slots=True)
class Playouts:
    """What came of random games: wins by name of the side, draws, games cut off at `max_answers`."""

    games: int
    wins: dict[str, int]
    draws: int
    unfinished: int
    plies: int
    answers: int


#: Games that are played from one seed; the next ones have a seed of their own, so that threads can share them out.
LOT = 1_000
#: From the seed of a lot to that of the next: an odd number without a pattern, as generators use.
_NEXT_LOT = 0x9E37_79B9_7F4A_7C15


def playouts(
    position: Position, n: int, seed: int, max_answers: int = 1_000_000, threads: int = 1
) -> Playouts:
    """Play n games on from the position; both back ends play the same ones for the same seed, in however many threads.

    Every answer is as likely as every other; every game has dice of its own.  RuleError if a rule fails."""
    if n < 0 or max_answers < 0:
        raise ValueError("the numbers of games and answers cannot be negative")
    if threads < 1:
        raise ValueError("there must be at least one thread")
    setting = position.setting
    native = getattr(setting.backend, "playouts", None)
    run = native or _Slow(setting.backend, setting.program).playouts
    cells = position.cells

    def play(lot: int) -> tuple[list[int], int, int]:
        games = min(LOT, n - lot * LOT)
        found: tuple[list[int], int, int] = run(
            cells, games, (seed + lot * _NEXT_LOT) & 0xFFFF_FFFF_FFFF_FFFF, max_answers
        )
        return found

    lots = range(max(1, -(-n // LOT)))
    try:
        if native is None or threads == 1 or len(lots) == 1:
            # The other back ends run in Python: threads would only wait for each other.
            parts = [play(lot) for lot in lots]
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(min(threads, len(lots))) as pool:
                parts = list(pool.map(play, lots))
    except RuleFailure as failure:
        raise setting.error(failure) from failure
    outcomes = [sum(each) for each in zip(*(part[0] for part in parts))]
    plies, answers = sum(part[1] for part in parts), sum(part[2] for part in parts)
    names = setting.scenario.data.domains[setting.program.sides].names
    wins = {name: outcomes[number] for number, name in enumerate(names)}
    return Playouts(n, wins, outcomes[-2], outcomes[-1], plies, answers)


def random_rollout(setting: Setting, cells: bytearray, seed: int, plies: int, max_answers: int) -> int:
    """Play on at random in these very cells: until `plies` more are complete, `max_answers` are given, or the end.

    The dice fall anew, by the seed; both back ends do the same for the same seed.  How many answers were given.
    RuleFailure if a rule fails."""
    run = (
        getattr(setting.backend, "random_rollout", None)
        or _Slow(setting.backend, setting.program).random_rollout
    )
    return int(run(cells, seed & 0xFFFF_FFFF_FFFF_FFFF, plies, max_answers))


def guided_rollout(
    setting: Setting,
    cells: bytearray,
    seed: int,
    plies: int,
    max_answers: int,
    how: RolloutOptions,
    by: NativeEvaluation,
    side: int = 0,
) -> tuple[int, int]:
    """Play on in these very cells as `random_rollout` does, but with an eye on how the sides stand: at every ply some actions are
    made up at random, and the one is taken after which the mover's side is farthest ahead.

    The dice fall anew, by the seed; both back ends do the same for the same seed.  How many answers were given, and how
    far a side was ahead after each of the plies, added up; when it ends before, all that are left count as the last.
    RuleFailure if a rule fails."""
    run = (
        getattr(setting.backend, "guided_rollout", None)
        or _Slow(setting.backend, setting.program).guided_rollout
    )
    given, stood = run(cells, seed & 0xFFFF_FFFF_FFFF_FFFF, plies, max_answers, how, by, side)
    return int(given), int(stood)


def perft(position: Position, depth: int) -> int:
    """Lines with exactly `depth` more plies (completed actions); those that end before do not count."""
    if depth < 0:
        raise ValueError("a depth cannot be negative")
    setting = position.setting
    run = getattr(setting.backend, "perft", None) or _Slow(setting.backend, setting.program).perft
    try:
        return int(run(position.cells, depth))
    except RuleFailure as failure:
        raise setting.error(failure) from failure


def sample(
    position: Position,
    procedure: str,
    args: Iterable[Any],
    n: int,
    *,
    seed: int = 1,
    measure: str | tuple[str, Sequence[Any]] | None = None,
    answers: Literal["random", "first"] = "random",
) -> Counter[Any]:
    """See Engine.sample."""
    if n < 0:
        raise ValueError("the number of runs cannot be negative")
    if answers not in ("random", "first"):
        raise ValueError(f"answers are `random` or `first`, not {answers!r}")
    setting = position.setting
    machine = next((m for m in setting.program.machines if m.name == procedure), None)
    function = None if machine else function_named(setting, procedure)
    code = machine or function
    assert code is not None
    rule, rule_args = (measure, ()) if isinstance(measure, str) or measure is None else measure
    measured = None if rule is None else function_named(setting, rule)
    what = Sampled(
        None if machine is None else machine.id,
        -1 if function is None else function.id,
        arguments(setting, procedure, code, args),
        None if measured is None else measured.id,
        () if measured is None or rule is None else arguments(setting, rule, measured, rule_args),
        answers == "random",
    )
    run = getattr(setting.backend, "samples", None) or _Slow(setting.backend, setting.program).samples
    try:
        counted = run(position.cells, what, n, seed & 0xFFFF_FFFF_FFFF_FFFF)
    except RuleFailure as failure:
        raise setting.error(failure) from failure
    given = measured or function
    if given is None or not isinstance(given.result, ir.IntType):
        return Counter({None: n} if n else {})
    show = given.result.show
    return Counter({position.member(value, show): times for value, times in sorted(counted)})


class _Dice:
    """Numbers of 64 bits, one after the other."""

    def __init__(self, seed: int) -> None:
        self._state = rng.joined(*seeded(seed))

    def number(self) -> int:
        first, self._state = rng.output(self._state), rng.step(self._state)
        second, self._state = rng.output(self._state), rng.step(self._state)
        return first | second << 32


class _Slow:
    """The searches of the compiled back end, for one that has none of its own: same results, no hurry."""

    def __init__(self, backend: Backend, program: Any) -> None:
        self.backend = backend
        self.program = program

    def playouts(self, cells: bytearray, n: int, seed: int, most: int) -> tuple[list[int], int, int]:
        layout = self.backend.layout  # type: ignore[attr-defined]
        seats = max(layout.count[self.program.seats], layout.count[self.program.sides])
        outcomes = [0] * (seats + 2)
        plies = answers = 0
        low, high = seeded(seed)
        dice = rng.joined(low, high)
        for _ in range(n):
            game = bytearray(cells)
            first, dice = rng.output(dice), rng.step(dice)
            second, dice = rng.output(dice), rng.step(dice)
            with memoryview(game) as raw, raw.cast("i") as c:
                c[H_RNG_LO], c[H_RNG_HI] = seeded(first | second << 32)
                self.backend.resume(game, Io())
                given = 0
                while c[H_STATUS] == STATUS_DECISION and given < most:
                    offered = self.backend.candidates(game)
                    pick, dice = rng.draw(dice, len(offered))
                    self.backend.answer(game, offered[pick], Io())
                    given += 1
                won = c[H_OUTCOME] - layout.base[self.program.seats]
                if c[H_STATUS] != STATUS_OVER:
                    kind = seats + 1
                elif c[H_OUTCOME] == NONE or not 0 <= won < seats:
                    kind = seats
                else:
                    kind = won
                with memoryview(cells) as whole, whole.cast("i") as start:
                    plies += c[H_PLY] - start[H_PLY]
            outcomes[kind] += 1
            answers += given
        return outcomes, plies, answers

    def random_rollout(self, cells: bytearray, seed: int, plies: int, most: int) -> int:
        dice = rng.joined(*seeded(seed))
        first, dice = rng.output(dice), rng.step(dice)
        second, dice = rng.output(dice), rng.step(dice)
        with memoryview(cells) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = seeded(first | second << 32)
        self.backend.resume(cells, Io())
        return self._draw_answers(cells, dice, plies, most)

    def _draw_answers(self, cells: bytearray, dice: int, plies: int, most: int) -> int:
        """Random answers for so many plies, at most so many of them, in place; how many were given."""
        given = 0
        with memoryview(cells) as raw, raw.cast("i") as c:
            target = c[H_PLY] + plies
            while c[H_STATUS] == STATUS_DECISION and given < most and c[H_PLY] < target:
                offered = self.backend.candidates(cells)
                pick, dice = rng.draw(dice, len(offered))
                self.backend.answer(cells, offered[pick], Io())
                given += 1
        return given

    def guided_rollout(
        self,
        cells: bytearray,
        seed: int,
        plies: int,
        most: int,
        how: RolloutOptions,
        by: NativeEvaluation,
        side: int,
    ) -> tuple[int, int]:
        dice = _Dice(seed)
        given = 0
        stood: list[int] = []
        with memoryview(cells) as raw, raw.cast("i") as c:
            target = c[H_PLY] + plies
            while c[H_STATUS] == STATUS_DECISION and c[H_PLY] < target and given < most:
                mover = by.side_of[c[H_CHOOSER] - by.seat_base]
                plan = self._look_round(cells, dice, most - given, how, by, mover)
                given += self._stride(cells, plan, dice.number(), most - given)
                stood.append(self._worth(cells, by, side))
        last = stood[-1] if stood else self._worth(cells, by, side)
        return given, sum(stood) + last * max(0, plies - len(stood))

    def _look_round(
        self, cells: bytearray, dice: _Dice, most: int, how: RolloutOptions, by: NativeEvaluation, side: int
    ) -> int:
        """The seed of the answers that promise a side most, of those made up here."""

        def tried(plan: int) -> int | None:
            made = bytearray(cells)
            fall = dice.number()
            try:
                self._stride(made, plan, fall, most)
                return self._worth(made, by, side)
            except RuleFailure:
                return None

        found: list[tuple[int, int | None]] = []
        for _ in range(how.plans):
            plan = dice.number()
            found.append((plan, tried(plan)))
        found.sort(key=lambda plan: (plan[1] is None, -(plan[1] or 0)))
        last = found[: how.finalists]
        if len(last) < 2 or not how.tries:
            return found[0][0]
        # What looked best may have had luck: only new dice tell.
        totals: list[int] = []
        for plan, _ in last:
            again = [tried(plan) for _ in range(how.tries)]
            totals.append(sum(-by.won if worth is None else worth for worth in again))
        return last[totals.index(max(totals))][0]

    def _stride(self, cells: bytearray, plan: int, fall: int, most: int) -> int:
        """One ply, its answers drawn by one seed and its dice by another, in place; how many answers were given."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            c[H_RNG_LO], c[H_RNG_HI] = seeded(fall)
        return self._draw_answers(cells, rng.joined(*seeded(plan)), 1, most)

    def _worth(self, cells: bytearray, by: NativeEvaluation, side: int) -> int:
        """How far a side is ahead of the best of the others."""
        standing = [0] * by.sides
        if by.function is not None:
            for number in range(by.sides):
                value = self.backend.call(cells, by.function, (by.side_base + number,), Io())
                assert isinstance(value, int)
                standing[number] = by.factor * value
        with memoryview(cells) as raw, raw.cast("i") as c:
            for alive, owner, count in by.counters:
                for number in range(count):
                    seat = c[owner + number] - by.seat_base
                    if c[alive + number] and 0 <= seat < len(by.side_of):
                        standing[by.side_of[seat]] += 1
            lead = standing[side]
            if by.sides > 1:
                lead -= max(theirs for other, theirs in enumerate(standing) if other != side)
            if c[H_STATUS] == STATUS_OVER and c[H_OUTCOME] != NONE:
                lead += by.won if c[H_OUTCOME] == by.side_base + side else -by.won
        return lead

    def samples(self, cells: bytearray, what: Sampled, n: int, seed: int) -> list[tuple[int, int]]:
        dice = rng.joined(*seeded(seed))
        counted: Counter[int] = Counter()
        for _ in range(n):
            first, dice = rng.output(dice), rng.step(dice)
            second, dice = rng.output(dice), rng.step(dice)
            value: Any = 0
            made = bytearray(cells)
            with memoryview(made) as raw, raw.cast("i") as c:
                c[H_RNG_LO], c[H_RNG_HI] = seeded(first | second << 32)
                if what.machine is None:
                    value = self.backend.call(made, what.function, what.args, Io())
                else:
                    # The first candidate is taken without looking for others.
                    self.backend.start(
                        made, what.machine, what.args, Io(first=0 if what.random else what.max_answers)
                    )
                    given = 0
                    while c[H_STATUS] == STATUS_DECISION:
                        if given == what.max_answers or not what.random:
                            raise RuleFailure(FAIL_BUDGET, -1)
                        offered = self.backend.candidates(made)
                        pick, dice = rng.draw(dice, len(offered))
                        self.backend.answer(made, offered[pick], Io())
                        given += 1
                if what.measure is not None:
                    value = self.backend.call(made, what.measure, what.measure_args, Io())
            counted[value if isinstance(value, int) else 0] += 1
        return list(counted.items())

    def perft(self, cells: bytearray, depth: int) -> int:
        found = 0
        with memoryview(cells) as raw, raw.cast("i") as c:
            target = c[H_PLY] + depth
        # A stack of its own: one ply can be many decisions, and a line many plies.
        waiting = [bytearray(cells)]
        while waiting:
            here = waiting.pop()
            with memoryview(here) as raw, raw.cast("i") as c:
                ply, status = c[H_PLY], c[H_STATUS]
            if ply >= target:
                found += 1
            elif status == STATUS_DECISION:
                for value in self.backend.candidates(here):
                    after = bytearray(here)
                    self.backend.answer(after, value, Io())
                    waiting.append(after)
        return found


# ------------------------------------------------------------------------------------------- many at once


def play_many(positions: Sequence[Position], choices: Sequence[Answer], threads: int = 1) -> list[Position]:
    """See Engine.play_many."""
    if len(positions) != len(choices):
        raise ValueError(f"{len(choices)} choices for {len(positions)} positions")
    if not positions:
        return []
    setting = positions[0].setting
    many = getattr(setting.backend, "answer_many", None)
    # In one thread nothing is gained by going together, and what is known of each position's answers is lost.
    if many is None or threads <= 1 or any(position.setting is not setting for position in positions):
        return [position.play(choice) for position, choice in zip(positions, choices)]
    values = [position.value_of(choice) for position, choice in zip(positions, choices)]
    made = [position.clone() for position in positions]
    for position, value, problem in zip(positions, values, many([m.cells for m in made], values, threads)):
        if isinstance(problem, RuleFailure):
            raise setting.error(problem) from problem
        if problem is not None:
            position.demand_question(value)
            raise IllegalChoice(value, position.legal())
    return made


# ------------------------------------------------------------------------------------------ differential


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
