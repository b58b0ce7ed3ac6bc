"""Games that measurements have played, kept in a file as they end: a long measurement goes on where it was broken off.

A game is found again by all that decides how it goes: rules, data and weights of the scenario, the sources of the bots, the
bots' names, the seed and the number of the game.  After a change of any of these it is played anew.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path

import grognard
from grognard.bots.match import GameRecord, MatchResult, Order, play_game

#: Where games are kept unless a measurement is told otherwise; git ignores it.
FOLDER = Path(__file__).parent.parent / "build" / "games"


#: Modules that no bot's play depends on, and such as only mcts uses.
NO_PLAYERS = ("advice.py", "consequences.py", "tuning.py", "regression.py", "weights.py")
MCTS_ONLY = ("mcts.py", "action_tree.py", "continuations.py")


@cache
def bots_hash(names: tuple[str, ...]) -> str:
    """A hash of the sources that the play of these bots depends on."""
    kinds = {name.partition(":")[0] for name in names}
    if kinds <= {"random"}:
        return ""
    left_out = NO_PLAYERS if "mcts" in kinds else (*NO_PLAYERS, *MCTS_ONLY)
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted((Path(grognard.__file__).parent / "bots").glob("*.py")):
        if path.name not in left_out:
            digest.update(path.read_bytes())
    return digest.hexdigest()


class KeptGames:
    """The games of one title, in one file of a folder."""

    def __init__(self, title: str, folder: Path = FOLDER) -> None:
        self.file = folder / f"{Path(title).name}.jsonl"
        self._known: dict[str, GameRecord] = {}
        if self.file.exists():
            for line in self.file.read_text("utf-8").splitlines():
                entry = json.loads(line)
                self._known[entry["key"]] = _game(entry["game"])

    def play(self, engine: grognard.Engine, order: Order, number: int) -> tuple[GameRecord, bool]:
        """The game, and whether it had to be played."""
        setting = engine.new_game(order.scenario).setting
        deciding = (setting.fingerprint, bots_hash(order.bots), *order.bots, order.seconds, order.seed)
        key = "/".join(map(str, (*deciding, order.paired, order.max_answers, number)))
        known = self._known.get(key)
        if known is not None:
            return known, False
        game = self._known[key] = play_game(engine, order, number)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"key": key, "scenario": order.scenario, "game": asdict(game)}) + "\n")
        return game, True


def _game(entry: dict) -> GameRecord:
    for pair in ("decisions", "seconds", "longest"):
        entry[pair] = tuple(entry[pair])
    return GameRecord(**entry)


def play_within(
    engine: grognard.Engine,
    order: Order,
    games: int,
    kept: KeptGames,
    seconds: float | None = None,
    step: int = 1,
    progress: Callable[[GameRecord], None] = lambda game: None,
) -> MatchResult:
    """So many games, `step` at a time; with `seconds` (of the processor) none is begun that would probably end later, but for the
    first ones.  Games that were kept take no time."""
    result = MatchResult(order.bots)
    begun, played = time.process_time(), 0
    for first in range(0, games, step):
        used = time.process_time() - begun
        if seconds is not None and played and used * (played + step) / played > seconds:
            break
        for number in range(first, min(first + step, games)):
            game, fresh = kept.play(engine, order, number)
            played += fresh
            result.games.append(game)
            progress(game)
    return result
