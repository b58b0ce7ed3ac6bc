"""Looks for leaks: positions and histories that a seat cannot tell apart, and what it is told of each.

Two kinds of pairs.  *Worlds*: a position, and the same with its secrets dealt anew in agreement with what a seat knows.
*Histories*: a game, and the same with one answer of another seat changed, as long as the seat's views stay the same bytes.
Whatever the seat is told must then be the same: views, questions, legal answers, refusals, advice, log, `why`.

    ./dev leaks [TITLE...] [--seconds N] [--seed N]      random games with fresh seeds, all scenarios in turn
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from grognard.bots.advice import advise
from grognard.bots.knowledge import Knowledge
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.contract.header import H_RNG_HI, H_RNG_LO, HEADER
from grognard.engine import Engine, load
from grognard.errors import GrognardError, IllegalChoice, RuleError
from grognard.play.game import Game
from grognard.play.position import Position
from grognard.server.questions import question_for
from grognard.server.streams import WATCHER
from told_by_table import Recorder


@dataclass(slots=True)
class Found:
    """What was compared, and what differed."""

    worlds: int = 0
    #: dealings that the seat could tell from the truth, which prove nothing
    told_apart: int = 0
    histories: int = 0
    messages: int = 0
    #: messages of a table's streams among them
    streamed: int = 0
    leaks: list[str] = field(default_factory=list)

    def compare(self, what: str, true: Any, other: Any) -> None:
        self.messages += 1
        if true != other:
            self.leaks.append(f"{what}: {_difference(true, other)}")

    def compare_streams(self, what: str, true: list[str], other: list[str]) -> None:
        """Message by message, to the byte; and there are as many."""
        self.messages += max(len(true), len(other))
        self.streamed += max(len(true), len(other))
        for n, (a, b) in enumerate(itertools.zip_longest(true, other, fillvalue="(nothing)")):
            if a != b:
                self.leaks.append(f"{what}, message {n}: {_difference(a, b)}")
                return

    def add(self, more: Found) -> None:
        self.worlds += more.worlds
        self.told_apart += more.told_apart
        self.histories += more.histories
        self.messages += more.messages
        self.streamed += more.streamed
        self.leaks += more.leaks

    def __str__(self) -> str:
        return (
            f"{self.worlds} worlds ({self.told_apart} told apart), {self.histories} histories, "
            f"{self.messages} messages ({self.streamed} of streams), {len(self.leaks)} leaks"
        )


def _difference(true: Any, other: Any) -> str:
    if isinstance(true, list) and isinstance(other, list):
        gone = [line for line in true if line not in other][:3]
        new = [line for line in other if line not in true][:3]
        return f"{len(true)}, {len(other)}: {gone} / {new}"
    a, b = str(true), str(other)
    first = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    start = max(0, first - 120)
    return f"{a[start : first + 120]!r} / {b[start : first + 120]!r}"


# ------------------------------------------------------------------------------------------------ what is told


def told_now(position: Position, seat: str, advice: bool) -> dict[str, Any]:
    """All that the seat is told of where the game stands."""
    view = position.view(seat)
    told: dict[str, Any] = {
        "view": bytes(view),
        "state": repr(view.state()),
        "bags": {name: view.bag_size(name) for name in position.setting.schema.bags},
        "question": view.question,
        "to move": view.to_move,
        "legal": view.legal(),
        "over": (view.over, view.outcome),
    }
    if position.to_move == seat:
        told["own question"] = position.question
        told["question as it is sent"] = json.dumps(question_for(position, view, seat, 1, ()))
        told["refusals"] = [_refusal(position, answer) for answer in ("no such answer", "0101", 999_999)]
        if advice:
            told["advice"] = {
                value: repr(found) for value, found in advise(position, with_odds=False).items()
            }
    return told


def _refusal(position: Position, answer: str | int) -> str:
    try:
        position.play(answer)
    except IllegalChoice as error:
        return f"{error} {error.args}"
    except GrognardError as error:
        return str(error)
    return "accepted"


def log_of(game: Game, seat: str) -> list[str]:
    return [f"{line.text} {line.cites} {line.kind} {line.site}" for line in game.log_for(seat)]


def _throws(game: Game, seat: str) -> list[str]:
    return [line.text for line in game.log_for(seat) if line.kind == "roll"]


def _shown(game: Game, seat: str) -> list[str]:
    return [
        line.text for line in game.log_for(seat) if line.kind == "log" and line.text.startswith("shown: ")
    ]


def why_of(game: Game, seat: str, number: int) -> str:
    return game.why(number, seat).format(places=True)


# ------------------------------------------------------------------------------------------------------- worlds


def compare_worlds(
    position: Position, seat: str, generator: random.Random, where: str, advice: bool
) -> Found:
    """The position against one with other secrets."""
    found = Found()
    dealt = Position(position.setting, Knowledge(position, seat).sample(generator))
    with memoryview(dealt.cells) as raw, raw.cast("i") as c:
        # The generator is no secret of the board: the next dice would differ.
        c[H_RNG_LO], c[H_RNG_HI] = position.head(H_RNG_LO), position.head(H_RNG_HI)
    if bytes(dealt.view(seat)) != bytes(position.view(seat)):
        found.told_apart += 1
        return found
    if dealt == position:
        return found
    found.worlds += 1
    true, other = told_now(position, seat, advice), told_now(dealt, seat, advice)
    for what in true:
        found.compare(f"{where}, {what} of {seat}", true[what], other.get(what))
    return found


# ---------------------------------------------------------------------------------------------------- histories


def fork(game: Game, answers: int) -> Game:
    """The game as it was after that many answers, to go on with otherwise."""
    made = copy.copy(game)
    made._steps = game._steps[: answers + 1]
    made._at = answers
    return made


def compare_histories(
    game: Game,
    seat: str,
    generator: random.Random,
    where: str,
    advice: bool,
    tries: int = 3,
    recorders: Sequence[Recorder] = (),
    secret_answers: Sequence[int] = (),
) -> Found:
    """The game against such with one answer of another seat changed, if the seat sees no difference.

    `secret_answers`: numbers of answers that could have been others before the seat's eyes (see `may_differ`).
    `recorders`: what a table has told of the game, after each answer; then the seat's streams are compared as well."""
    found = Found()
    history = game.history
    others = [n for n, played in enumerate(history) if played.seat != seat]
    if not others:
        return found
    # Rather late ones: what follows upon early ones is seldom legal any more.  Every other time one of which it is
    # known that it could have been another in secret: in some titles these are rare.
    late = others[-24:]
    hidden = [n for n in secret_answers if n >= late[0]]
    changed = generator.choice(hidden if hidden and generator.randrange(2) else late)
    before = game._steps[changed].position
    alternatives = [v for v in before.values() if v != history[changed].value]
    generator.shuffle(alternatives)
    for value in alternatives[:tries]:
        for other in _otherwise(game, changed, value, seat, generator):
            if _fields(other.position) == _fields(game._steps[len(other.history)].position):
                # No secret differs: what was answered is as public as it was spoken.
                continue
            same = fork(game, len(other.history))
            if _throws(same, seat) != _throws(other, seat):
                # Dice fall on the table: who has seen other dice can tell the games apart.
                continue
            if _shown(same, seat) != _shown(other, seat):
                # A rule has told the seat what differs, on purpose (`show ... to p`).
                continue
            found.histories += 1
            true, told = told_now(same.position, seat, advice), told_now(other.position, seat, advice)
            label = (
                f"{where}, answer {changed + 1} ({history[changed].seat} {history[changed].question}: "
                f"{history[changed].name} / {other.history[changed].name}), after {len(other.history)}"
            )
            for what in true:
                found.compare(f"{label}, {what} of {seat}", true[what], told.get(what))
            found.compare(f"{label}, log of {seat}", log_of(same, seat), log_of(other, seat))
            if recorders:
                here, there = recorders[len(other.history)], recorders[changed].fork().follow(other)
                # Who watches is told what all are: not more than the seat.
                for who in (seat, WATCHER):
                    found.compare_streams(
                        f"{label}, stream of {who or 'who watches'}", here.told[who], there.told[who]
                    )
            for number in range(changed, len(other.history)):
                found.compare(
                    f"{label}, why {number + 1} of {seat}",
                    why_of(same, seat, number),
                    why_of(other, seat, number),
                )
    return found


def may_differ(before: Position, after: Position, value: int, seat: str, generator: random.Random) -> bool:
    """Whether another answer than that value gives the seat the same view of a position that is not the same."""
    others = [v for v in before.values() if v != value]
    if not others:
        return False
    try:
        other = before.play(generator.choice(others))
    except GrognardError:
        return False
    return _fields(other) != _fields(after) and bytes(other.view(seat)) == bytes(after.view(seat))


def _fields(position: Position) -> bytes:
    """The state of the game without dice and rules that wait, but with what has been written in a secret block so far."""
    return bytes(memoryview(position.cells)[4 * HEADER : 4 * position.setting.scenario.layout.stack_offset])


def _otherwise(game: Game, changed: int, value: int, seat: str, generator: random.Random) -> Iterator[Game]:
    """The game with another answer in that place, and as much of the rest as leaves the seat's views as they were."""
    other = fork(game, changed)
    last: Game | None = None
    for number in range(changed, len(game.history)):
        true = game._steps[number + 1].position
        try:
            if number == changed:
                other.play(value)
            else:
                answers = other.position.values()
                if other.position.to_move != game.history[number].seat:
                    break
                wanted = game.history[number].value
                if wanted in answers:
                    other.play(wanted)
                elif game.history[number].seat != seat and answers:
                    other.play(generator.choice(answers))
                else:
                    break
        except GrognardError:
            break
        if bytes(true.view(seat)) != bytes(other.position.view(seat)):
            break
        last = fork(other, number + 1)
    if last is not None:
        yield last


# -------------------------------------------------------------------------------------------------------- search


def search(
    engine: Engine,
    scenario: str,
    seed: int,
    answers: int,
    *,
    every: int = 6,
    advised: float = 0.2,
    streams: bool = True,
) -> Found:
    """Random play of one scenario; at random moments the seats' knowledge is put to the test."""
    found = Found()
    generator = random.Random(f"{scenario}/{seed}")
    game = engine.game(scenario, seed)
    recorders = [Recorder(game, "free" if seed % 3 == 0 else "fair")] if streams else []
    secret: dict[str, list[int]] = {seat: [] for seat in engine.seats}
    for number in range(answers):
        position = game.position
        values = position.values()
        if not values:
            break
        if generator.randrange(every) == 0:
            where = f"{engine.name} {scenario} seed {seed} after {number}"
            for seat in engine.seats:
                # What advice costs is more than all the rest.
                advice = generator.random() < advised
                found.add(compare_worlds(position, seat, generator, where, advice))
                found.add(
                    compare_histories(
                        game, seat, generator, where, advice, recorders=recorders, secret_answers=secret[seat]
                    )
                )
        mover, value = position.to_move, generator.choice(values)
        try:
            game.play(value)
        except RuleError:
            # Other tests tell of rules that fail.
            break
        for seat in engine.seats:
            if seat != mover and may_differ(position, game.position, value, seat, generator):
                secret[seat].append(number)
        if recorders:
            recorders.append(recorders[-1].fork().follow(game))
    return found


def main(words: list[str]) -> int:
    """Fresh seeds until the time is up; 1 if something leaked."""
    parser = argparse.ArgumentParser(description="look for leaks in random games of titles with secrets")
    parser.add_argument("titles", nargs="*", default=[], metavar="TITLE")
    parser.add_argument("--seconds", type=float, default=300, help="of processor time (default: 300)")
    parser.add_argument("--seed", type=int, default=None, help="the first seed (default: from the clock)")
    parser.add_argument("--answers", type=int, default=200, help="of each game (default: 200)")
    parser.add_argument("--backend", choices=("compiled", "python", "interpreter"), default="compiled")
    args = parser.parse_args(words)
    engines = [load(title, backend=args.backend) for title in args.titles or sorted(shipped_titles())]
    engines = [engine for engine in engines if engine.ruleset.program.view is not None]
    seed = args.seed if args.seed is not None else time.time_ns() // 1_000_000 % 2**31
    games = [(engine, scenario) for engine in engines for scenario in engine.scenarios]
    found = {engine.name: Found() for engine in engines}
    end = time.process_time() + args.seconds
    while games and time.process_time() < end:
        engine, scenario = games[seed % len(games)]
        more = search(engine, scenario, seed, args.answers)
        found[engine.name].add(more)
        for leak in more.leaks:
            print(leak, flush=True)
        seed += 1
    for name, total in found.items():
        print(f"{name}: {total}")
    return 1 if any(total.leaks for total in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
