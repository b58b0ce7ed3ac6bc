"""What takes long, in processes of its own: bots' answers, advice, odds.  Called by workers.py; knows no game, only positions.

An engine is loaded once in each process, by its address."""

from __future__ import annotations

import random
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grognard.bots import Bot, make
from grognard.bots.advice import advise_after
from grognard.engine import Engine, load
from grognard.errors import GrognardError
from grognard.play.engine import BackendName
from grognard.play.position import Position
from grognard.play.saved_bytes import FINGERPRINT, MAGIC
from grognard.server.pinning import unpacked

#: Bots that remember their plans, by game and seat.
MAX_BOTS = 200

#: Engines that a process keeps; one for each version and scenario that is played.
MAX_ENGINES = 16

_engines: dict[tuple[bytes, str], Engine] = {}
_bots: dict[tuple[str, str, str], Bot] = {}


@dataclass(frozen=True, slots=True)
class Asked:
    """A position to think about, so that any process can take it up."""

    address: str
    errata: tuple[str, ...]
    backend: BackendName
    scenario: str
    position: bytes
    #: the rules themselves, where the title's files have others now
    rules: bytes | None = None

    def restored(self) -> Position:
        # The mark and the fingerprint of the rules are at the head of a position.
        key = self.position[: len(MAGIC) + FINGERPRINT], self.backend
        if key not in _engines:
            if len(_engines) >= MAX_ENGINES:
                _engines.clear()
            if self.rules is not None:
                _engines[key] = unpacked(self.rules, self.scenario, self.backend)
            else:
                _engines[key] = load(self.address, backend=self.backend, errata=list(self.errata))
        engine = _engines[key]
        engine.setting(self.scenario)
        return engine.position(self.position)


def bot_answer(asked: Asked, game: str, bot: str, seed: int) -> str:
    """The name of the answer that a bot gives for the seat that is asked."""
    position = asked.restored()
    key = game, position.to_move or "", bot
    if key not in _bots:
        if len(_bots) >= MAX_BOTS:
            _bots.clear()
        _bots[key] = make(bot, seed)
    try:
        return _bots[key].choose(position).name
    except (GrognardError, ValueError, RuntimeError):
        # A bot that is at its wits' end must not stop the game.
        traceback.print_exc()
        return random.Random(seed).choice(position.legal()).name


def odds_of_choices(asked: Asked, answers: Sequence[str]) -> dict[str, Any]:
    """What each choice costs and promises, after these answers, from what the seat that is asked may know."""
    found, advised = advise_after(asked.restored(), answers)
    choices = []
    for choice in found:
        advice = advised[choice.value]
        entry: dict[str, Any] = {"name": choice.name, "label": choice.label}
        if advice.costs:
            entry["costs"] = {name: list(bounds) for name, bounds in advice.costs.items()}
        if advice.odds is not None:
            better, same, worse = advice.odds
            entry["odds"] = {"better": better, "same": same, "worse": worse}
            entry["value"] = advice.value
        if advice.consequences:
            entry["consequences"] = [
                {"counter": counter, "what": what, "chance": chance}
                for counter, what, chance in advice.consequences
            ]
        entry["exact"] = advice.certain
        if advice.worlds and not advice.certain:
            entry["worlds"] = advice.worlds
        choices.append(entry)
    return {"choices": choices}
