"""Golden games: recorded random games of every scenario, so that a change of the rules shows in which games it matters.

A file holds one game as text: each answer with a hash of the state after it, then the log lines that it made, with
their sections.  The hash covers the fields by name, the generator, whose turn it is and the outcome; where things lie
in a position, and what is on the stack of calls, does not count.  So another layout or another optimiser leaves the
files alone, and another rule does not.

`./dev golden [TITLE...]` records them anew.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grognard
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.contract.header import (
    H_CHOOSER,
    H_OUTCOME,
    H_PLY,
    H_RNG_HI,
    H_RNG_LO,
    H_STATUS,
)
from grognard.engine import Engine
from grognard.play.game import Game
from grognard.play.position import Position
from grognard.play.wording import LogLine

FOLDER = Path(__file__).parent / "games"
#: Games of each scenario, and answers of a game at the most.
SEEDS = (1, 2)
MOST_ANSWERS = 200
#: Between an answer and its hash.
MARK = "  #"


@dataclass(frozen=True, slots=True)
class GoldenGame:
    """A recorded game: `lines` is the file as it is, without the line that names the game."""

    title: str
    scenario: str
    seed: int
    lines: list[str]

    @property
    def answers(self) -> list[str]:
        """What was answered, by name, in order."""
        return [
            line.rpartition(MARK)[0].split(": ", 1)[1] for line in self.lines if MARK in line and ": " in line
        ]


def state_hash(position: Position) -> str:
    """A hash of what the state says, whatever its layout."""
    setting = position.setting
    layout = setting.scenario.layout
    digest = hashlib.blake2b(digest_size=4)
    with memoryview(position.cells) as cells:
        for cell in (H_STATUS, H_CHOOSER, H_PLY, H_OUTCOME, H_RNG_LO, H_RNG_HI):
            digest.update(cells[4 * cell : 4 * cell + 4])
        for field in sorted(setting.program.fields, key=lambda field: field.name):
            if ".alive as of " in field.name:  # a copy of what the hashes before cover
                continue
            start, size = layout.field_offset[field.id], layout.field_cells[field.id]
            digest.update(field.name.encode())
            digest.update(cells[4 * start : 4 * (start + size)])
    return digest.hexdigest()


def log_text(line: LogLine) -> str:
    """A log line: its text, its sections, who alone may read it."""
    cites = f" [{', '.join(line.cites)}]" if line.cites else ""
    seats = "" if line.seats is None else f" (only {', '.join(sorted(line.seats)) or 'nobody'})"
    return f"    {line.text}{cites}{seats}"


def written_lines(game: Game) -> tuple[LogLine, ...]:
    """The lines of the last answer as they were written.  Which answers others are told is settled later, by what comes
    of them: tests/leaks looks at that."""
    return game._steps[game._at].lines


def game_lines(game: Game, answers: Iterator[str | None]) -> Iterator[str]:
    """The lines of a file, as a game goes on: `answers` gives the name of each answer, None to stop."""
    yield f"start{MARK}{state_hash(game.position)}"
    yield from map(log_text, written_lines(game))
    for answer in answers:
        if answer is None:
            break
        question = game.position.question
        assert question is not None
        try:
            game.play(answer)
        except grognard.RuleError as error:
            yield f"{question.seat} {question.name}: {answer}{MARK}fails: {error}"
            break
        yield f"{question.seat} {question.name}: {answer}{MARK}{state_hash(game.position)}"
        yield from map(log_text, written_lines(game))
    if game.position.over:
        yield f"over, won by {game.position.outcome or 'nobody'}"


def record(engine: Engine, scenario: str, seed: int) -> list[str]:
    game = engine.game(scenario, seed)
    picker = random.Random(f"{scenario} {seed}")

    def answers() -> Iterator[str | None]:
        for _ in range(MOST_ANSWERS):
            legal = game.position.legal()
            yield picker.choice(legal).name if legal else None

    return list(game_lines(game, answers()))


def path_of(title: str, scenario: str, seed: int) -> Path:
    return FOLDER / title / f"{scenario}-{seed}.txt"


def read(path: Path) -> GoldenGame:
    scenario, _, seed = path.stem.rpartition("-")
    return GoldenGame(
        path.parent.name, scenario, int(seed), path.read_text(encoding="utf-8").split("\n")[1:-1]
    )


def golden_games(title: str) -> list[GoldenGame]:
    return [read(path) for path in sorted((FOLDER / title).glob("*.txt"))]


def main(titles: list[str]) -> int:
    known = shipped_titles()
    if unknown := [title for title in titles if title not in known]:
        print(
            f"golden: there is no title {', '.join(unknown)}: {', '.join(sorted(known))}",
            file=sys.stderr,
        )
        return 2
    for title in titles or list(known):
        engine = grognard.load(title, backend="compiled")
        shutil.rmtree(FOLDER / title, ignore_errors=True)
        (FOLDER / title).mkdir(parents=True)
        answers = 0
        for scenario in engine.scenarios:
            for seed in SEEDS:
                lines = record(engine, scenario, seed)
                answers += sum(MARK in line for line in lines) - 1
                text = "\n".join([f"{engine.title}, {scenario}, seed {seed}", *lines, ""])
                path_of(title, scenario, seed).write_text(text, encoding="utf-8")
        print(f"{title}: {len(engine.scenarios) * len(SEEDS)} games, {answers} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
