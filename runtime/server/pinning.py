"""Games keep the rules that they were begun under: the ruleset of each version that a game was begun with is kept in the
database, and played on when the title's files have changed.

A kept ruleset is a pickle that this server wrote to its own database; it is signed, and opened only with its signature.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import threading
import zlib
from dataclasses import dataclass

import sqlalchemy as sa
from grognard.contract.header import H_ASK, H_FP, NONE
from grognard.contract.ruleset import Ruleset
from grognard.engine import Engine
from grognard.errors import GrognardError, IllegalChoice, RuleError
from grognard.play.divergence import Answered, compare_game
from grognard.play.engine import BackendName
from grognard.play.engine import Engine as PlayEngine
from grognard.play.game import Game, Step, first_step
from grognard.play.position import Position
from grognard.play.setting import Setting
from grognard.play.wording import LogLine, Secrecy
from grognard.server import store as db
from grognard.server.store import Store
from grognard.support.diagnostics import Sink


def packed(engine: Engine, scenario: str) -> bytes:
    """The rules and one scenario, without examples and sources."""
    ruleset, setting = engine.ruleset, engine.setting(scenario)
    plain = Ruleset(
        ruleset.about,
        ruleset.program,
        ruleset.schema,
        Sink(),
        ruleset.program,
        code_key=ruleset.code_key,
        loaded={setting.scenario.name: setting.scenario},
        rules_hash=engine.rules_hash,
    )
    return zlib.compress(pickle.dumps(plain), 6)


def unpacked(body: bytes, scenario: str, backend: BackendName) -> Engine:
    ruleset = pickle.load(io.BytesIO(zlib.decompress(body)))
    assert isinstance(ruleset, Ruleset)
    # Nobody waits for a compiler in the middle of a game.
    return Engine(ruleset, scenario, backend, wait=False)


class Pinned:
    """Rulesets that games were begun under, by their fingerprints."""

    def __init__(self, store: Store, backend: BackendName) -> None:
        self.store = store
        self.backend = backend
        self._kept: set[str] = set()
        self._engines: dict[str, Engine] = {}
        self._lock = threading.Lock()

    def keep(self, engine: Engine, scenario: str) -> None:
        """So that games of this version can be played on whatever becomes of the title's files."""
        fingerprint = engine.fingerprint_of(scenario)
        if fingerprint in self._kept:
            return
        there = sa.select(db.rules.c.fingerprint).where(db.rules.c.fingerprint == fingerprint)
        with self.store.writing() as connection:
            if connection.execute(there).first() is None:
                body = packed(engine, scenario)
                connection.execute(
                    db.rules.insert().values(
                        fingerprint=fingerprint,
                        title=engine.name,
                        signature=self._signature(fingerprint, body),
                        body=body,
                    )
                )
        self._kept.add(fingerprint)

    def body(self, fingerprint: str) -> bytes | None:
        """The kept ruleset; None if there is none, or not one of ours."""
        with self.store.reading() as connection:
            row = connection.execute(sa.select(db.rules).where(db.rules.c.fingerprint == fingerprint)).first()
        if row is None or row.signature != self._signature(fingerprint, bytes(row.body)):
            return None
        return bytes(row.body)

    def engine(self, fingerprint: str, scenario: str) -> Engine | None:
        with self._lock:
            found = self._engines.get(fingerprint)
            if found is None:
                body = self.body(fingerprint)
                if body is None:
                    return None
                try:
                    found = unpacked(body, scenario, self.backend)
                except (GrognardError, pickle.PickleError, AttributeError, ImportError, TypeError, EOFError):
                    # Written by a Grognard that kept rulesets in another form.
                    return None
                self._engines[fingerprint] = found
            return found

    def _signature(self, fingerprint: str, body: bytes) -> str:
        return self.store.sign("rules", fingerprint, hashlib.sha256(body).hexdigest())


# ------------------------------------------------------------------------------------------------- under other rules


@dataclass(frozen=True, slots=True)
class Trial:
    """A game under other rules: how far it goes the same way, and what differs first."""

    same: bool
    answers: int
    #: the answer after which the two part; None if they do not
    step: int | None
    what: str


def trial(old: PlayEngine, new: PlayEngine, scenario: str, seed: int, steps: list[Step]) -> Trial:
    """Plays the answers of a game under both rules."""
    answers = [
        Answered(s.played.seat, s.played.question, s.played.name) for s in steps if s.played is not None
    ]
    found = compare_game("the game", old, new, scenario, seed, answers)
    return Trial(found.same, found.steps, found.step, found.what)


def carried_over(position: Position, setting: Setting) -> Position | None:
    """The same cells under other rules, where nothing of what they mean has moved; None otherwise."""
    old, new = position.setting, setting
    if old.scenario.layout != new.scenario.layout:
        return None
    if [d.names for d in old.scenario.data.domains] != [d.names for d in new.scenario.data.domains]:
        return None
    if [(f.name, f.dims) for f in old.program.fields] != [(f.name, f.dims) for f in new.program.fields]:
        return None
    ask = position.head(H_ASK)
    if (
        ask == NONE
        or ask >= len(new.program.asks)
        or old.program.asks[ask].name != new.program.asks[ask].name
    ):
        return None
    layout, offset = old.scenario.layout, position.head(H_FP)
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        while offset != NONE:
            # What waits goes on in the same block of the same machine.
            number, block = cells[layout.stack_offset + offset], cells[layout.stack_offset + offset + 1]
            was, now = old.program.machines[number], new.program.machines[number]
            if (was.name, was.locals, len(was.blocks)) != (now.name, now.locals, len(now.blocks)):
                return None
            if type(was.blocks[block].end) is not type(now.blocks[block].end):
                return None
            offset = cells[layout.stack_offset + offset + 2]
    made = Position(setting, bytearray(position.cells))
    try:
        return made if made.values() else None
    except GrognardError:
        return None


def under(engine: Engine, scenario: str, seed: int, steps: list[Step]) -> tuple[list[Step], str]:
    """The steps of a game for another version of its rules, and what was kept: the `position`, `answers`, or nothing
    but the `start`."""
    setting = engine.setting(scenario)
    first = first_step(engine, setting, seed)
    here = steps[-1].position
    kept = None if here.over or len(steps) == 1 else carried_over(here, setting)
    if kept is not None:
        note = LogLine("the rules have changed; the position is kept", (), "edit", None, 0)
        return [first, Step(kept, None, (note,), (), Secrecy())], "position"
    game = Game(engine, scenario, seed)
    for step in steps[1:]:
        if step.played is None:
            break
        try:
            game.play(step.played.name)
        except (IllegalChoice, RuleError):
            break
    return game.steps, "answers" if len(game.steps) > 1 else "start"
