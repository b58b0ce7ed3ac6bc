"""A game with its history: what was played, the log, undo and redo, why something happened, saving."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.contract.backend import (
    TRACE_LOG,
    TRACE_WHY,
    Io,
    RuleFailure,
)
from grognard.contract.header import (
    H_ASK,
    H_BRANCH,
    H_RNG_HI,
    H_RNG_LO,
    NONE,
)
from grognard.contract.questions import Answer, Count
from grognard.errors import GrognardError, NothingToUndo
from grognard.play.position import Position
from grognard.play.subjects import spoken_of, subjects
from grognard.play.telling import LONGEST_ACTION, Answered, Answers, Telling, Told
from grognard.play.view import hidden_pieces
from grognard.play.wording import (
    LogLine,
    Record,
    Secrecy,
    ends_block,
    log_lines,
)

if TYPE_CHECKING:
    from grognard.play.engine import Engine
    from grognard.play.savefile import NoLongerLegal
    from grognard.play.setting import Setting
    from grognard.play.why import Reason


#: Cells that are compared in one go.
_STRETCH = 256


class ReplayError(GrognardError):
    """A replay did not come out as the game did: the engine is not deterministic, which is a bug."""


@dataclass(frozen=True, slots=True)
class Played:
    """One answer of the history: who answered which question, with its name and raw value."""

    seat: str
    question: str
    name: str
    value: int
    #: all raw values, where counters are chosen by number
    given: tuple[int, ...] = ()

    @property
    def answer(self) -> Answer:
        """What plays it again."""
        return Count(self.value, self.name, self.name, self.given) if self.given else self.value


@dataclass(frozen=True, slots=True)
class Step:
    """A position with how it was reached; the first one of a game was not played.

    What `Game` keeps a list of; who keeps games otherwise (in a database, say) goes from step to step by `next_step`."""

    position: Position
    played: Played | None
    #: the lines of the log; those of choices as if everybody might know of them who may know of the counters
    lines: tuple[LogLine, ...]
    #: of lines that tell a choice: their number and what they tell
    choices: tuple[tuple[int, Told], ...]
    #: what the log of the next play starts with
    secrecy: Secrecy
    #: whether a secret block ended with it
    ended: bool = False
    #: (number of an answer, line, seat) -> whether the seat may know it after this one
    known: dict[tuple[int, int, int], bool] = field(default_factory=dict)


def first_step(engine: Engine, setting: Setting, seed: int) -> Step:
    """The beginning of a game."""
    io = Io(TRACE_LOG)
    return _made_step(engine.start(setting, seed, io), None, io.trace, Secrecy())


def next_step(before: Step, choice: Answer) -> Step:
    """The step that an answer leads to.  IllegalChoice or RuleError, as `Position.play`."""
    position = before.position
    setting = position.setting
    counted = position.counted(choice)
    value = position.value_of(choice) if counted is None else counted.value
    after = position.clone()
    io = Io(TRACE_LOG)
    question = position.question
    if counted is not None:
        after.answer_all(counted.given, io)
        assert question is not None
        played = Played(question.seat, question.name, counted.name, value, counted.given)
        return _made_step(after, played, io.trace, before.secrecy, position)
    after.answer(value, io)
    assert question is not None
    ask = setting.program.asks[position.head(H_ASK)]
    name = setting.names.answer_name(value, ask.show)
    if ask.numbers is not None:
        name = next(choice.name for choice in position.legal() if choice.value == value)
    played = Played(question.seat, question.name, name, value)
    return _made_step(after, played, io.trace, before.secrecy, position)


def _made_step(
    position: Position,
    played: Played | None,
    trace: array[int],
    secrecy: Secrecy,
    before: Position | None = None,
) -> Step:
    setting = position.setting
    hidden: list[frozenset[tuple[int, int]]] = []
    if setting.program.view is not None:
        seats = setting.scenario.data.domains[setting.program.seats].count
        hidden = [hidden_pieces(setting, position, seat) for seat in range(seats)]
    with memoryview(position.cells) as raw, raw.cast("i") as cells:
        lines, after = log_lines(setting.names, trace, cells, secrecy, hidden)
    if before is not None:
        _name_subjects(before, lines, hidden)
    choices = tuple(
        (place, Told(record.args[0], record.args[1], record.site.shows[1], frozenset(record.about)))
        for place, (_, record) in enumerate(lines)
        if record.site.kind == "choice" and len(record.args) > 1
    )
    ended = secrecy.branch is not None and ends_block(setting.program, trace)
    return Step(position, played, tuple(line for line, _ in lines), choices, after, ended)


def _name_subjects(
    before: Position, lines: list[tuple[LogLine, Record]], hidden: Sequence[frozenset[tuple[int, int]]]
) -> None:
    """The line that tells of the answer says what the question named: "us: command for M1 move".  Who may not know of
    what was named may not read it."""
    setting = before.setting
    ask = setting.program.asks[before.head(H_ASK)]
    place = next((n for n, (_, record) in enumerate(lines) if record.site.id == ask.site), None)
    question = before.question
    if not ask.named or place is None or question is None:
        return
    line, record = lines[place]
    named = set(before.named_in_question())
    record.about.update(named)
    knowing = {
        name
        for seat, name in enumerate(setting.scenario.data.domains[setting.program.seats].names)
        if line.visible_to(name) and (seat >= len(hidden) or named.isdisjoint(hidden[seat]))
    }
    everybody = line.seats is None and len(knowing) == setting.scenario.layout.count[setting.program.seats]
    shown = setting.names.text(replace(record.site, text=f"{{0}}: {question.label} {{1}}"), record.args)
    lines[place] = replace(line, text=shown, seats=None if everybody else frozenset(knowing)), record


def fair_to_undo(before: Position, after: Position) -> bool:
    """Whether going back from a position to the one before it takes nothing from what somebody has learnt."""
    if any(before.head(cell) != after.head(cell) for cell in (H_RNG_LO, H_RNG_HI)):
        return False
    if before.head(H_BRANCH) != NONE and after.head(H_BRANCH) != before.head(H_BRANCH):
        # A secret branch was closed: another seat has been asked, or all is known.
        return False
    setting = before.setting
    seats = setting.scenario.data.domains[setting.program.seats].count
    return not any(_masked(before, seat) - _masked(after, seat) for seat in range(seats))


def why_played(before: Step, played: Played, seat: str | None = None, told: Sequence[bool] = ()) -> Reason:
    """How an answer to the question of `before` came to its result; see `Game.why`.  `told`: which of the choices that the
    log tells of the seat may know."""
    from grognard.play.why import explain

    io = Io(TRACE_WHY)
    position = before.position
    scratch = position.clone()
    scratch.answer(played.value, io)
    return explain(position.setting, played, io.trace, position, scratch, before.secrecy, seat, told)


class Game:
    """A game from its seed on.  Made by `Engine.game` and `load_game`.  Not for several threads at once."""

    def __init__(self, engine: Engine, scenario: str | None = None, seed: int = 1) -> None:
        self.engine = engine
        self.seed = seed
        self.setting: Setting = engine.setting(scenario)
        #: the first answer of a loaded game that the rules as they are now no longer allow
        self.no_longer_legal: NoLongerLegal | None = None
        self._telling = Telling(self.setting)
        self._steps = [first_step(engine, self.setting, seed)]
        self._at = 0

    # ---- where it stands

    @property
    def scenario(self) -> str:
        """The scenario's name."""
        return self.setting.scenario.name

    @property
    def position(self) -> Position:
        """Where the game stands now."""
        return self._steps[self._at].position

    @property
    def history(self) -> list[Played]:
        """The answers given so far, without those that were undone."""
        return [step.played for step in self._steps[1 : self._at + 1] if step.played is not None]

    @property
    def steps(self) -> list[Step]:
        """The start and the answers given so far, each with its position."""
        return self._steps[: self._at + 1]

    @property
    def log(self) -> list[LogLine]:
        """All lines of the log so far, also those that not every seat may read (see `log_for`)."""
        return [line for number in range(self._at + 1) for line in self._lines(number)]

    def log_for(self, seat: str) -> list[LogLine]:
        """The lines that a seat may read.  Answers of others are told when it is known what comes of them, and only if
        the seat may know them by what it sees (see grognard.play.telling)."""
        only = self.setting.seat_number(seat)
        return [
            line
            for number in range(self._at + 1)
            for line in self._lines(number, only)
            if line.visible_to(seat)
        ]

    @property
    def last_lines(self) -> list[LogLine]:
        """The lines of the last play alone."""
        return self._lines(self._at)

    def _lines(self, number: int, only: int | None = None) -> list[LogLine]:
        """The lines of one answer with who may read them by now; with `only`, as far as that seat is concerned."""
        step = self._steps[number]
        lines = list(step.lines)
        if step.played is None or not step.choices or self.setting.program.view is None:
            return lines
        names = self.setting.scenario.data.domains[self.setting.program.seats].names
        for place, told in step.choices:
            line = lines[place]
            seats, pending = set[str](), False
            for seat, name in enumerate(names):
                if not line.visible_to(name) or (only is not None and seat != only):
                    continue
                knows = seat == told.seat or self._knows(number, place, seat, told)
                pending = pending or knows is None
                if knows:
                    seats.add(name)
            everybody = line.seats is None and len(seats) == len(names)
            lines[place] = replace(line, seats=None if everybody else frozenset(seats), pending=pending)
        return lines

    def _knows(self, number: int, place: int, seat: int, told: Told) -> bool | None:
        """Whether the seat may know a choice by now; None: that is not settled yet."""
        steps = self._answered
        final = False
        for at in self._telling.moments(steps, number - 1, seat):
            known, key = self._steps[at + 1].known, (number, place, seat)
            if key not in known:
                known[key] = self._telling.may_know(steps, number - 1, at, seat, told)
            if known[key]:
                return True
            final = self._telling.is_last(steps, number - 1, at)
        return False if final else None

    @property
    def _answered(self) -> Sequence[Answered]:
        return Answers(self._steps, lambda step: step.position, count=self._at)

    def subjects(self) -> list[str]:
        """What the pending question is about, in words; only what the seat that is asked may know."""
        position = self.position
        if position.to_move is None:
            return []
        view = position.view(position.to_move)
        lines: list[LogLine] = []
        asks = {ask.name: ask.menu for ask in self.setting.program.asks}
        for number in range(self._at, max(-1, self._at - LONGEST_ACTION), -1):
            lines += [line for line in self._lines(number) if line.visible_to(position.to_move)]
            played = self._steps[number].played
            if played is None or asks.get(played.question, False):
                break
        with memoryview(view.cells) as raw, raw.cast("i") as cells:
            return [
                self.setting.names.label(subject.value, subject.show, cells)
                for subject in subjects(position, view, spoken_of(self.setting, lines))
            ]

    # ---- playing

    def play(self, choice: Answer) -> Position:
        """Answer the pending question; the new position.  What was undone before is forgotten.

        IllegalChoice or RuleError, as `Position.play`: then nothing has changed."""
        step = next_step(self._steps[self._at], choice)
        del self._steps[self._at + 1 :]
        self._steps.append(step)
        self._at += 1
        return step.position

    def undo(self) -> Position:
        """Take the last answer back; NothingToUndo at the start."""
        if self._at == 0:
            raise NothingToUndo("nothing was played yet: there is nothing to undo")
        self._at -= 1
        return self.position

    def redo(self) -> Position:
        """Play again what was undone last; NothingToUndo if nothing was."""
        if self._at + 1 >= len(self._steps):
            raise NothingToUndo("nothing was undone: there is nothing to redo")
        self._at += 1
        return self.position

    def can_undo_fairly(self) -> bool:
        """Whether the last answer can be taken back without anybody having learnt something by it.

        False when dice were rolled or cards drawn since, or when something hidden became known to a seat, and
        when nothing was played yet.  `undo` works all the same: whether to allow it is the caller's decision."""
        if self._at == 0:
            return False
        return fair_to_undo(self._steps[self._at - 1].position, self.position)

    # ---- looking back

    def why(self, n: int = -1, seat: str | None = None) -> Reason:
        """How the n-th answer of the history came to its result (default: the last one), as a tree.

        Rolls, rules with their values, exceptions, modifiers, table cells, each with its sections and its place
        in the ruleset.  With `seat`, only what that seat may know.  IndexError if there is no such answer."""
        steps = self._steps[1 : self._at + 1]
        if not -len(steps) <= n < len(steps):
            raise IndexError(f"{len(steps)} answers were given: there is no number {n}")
        number = n if n >= 0 else len(steps) + n
        played = steps[number].played
        assert played is not None
        told: list[bool] = []
        if seat is not None:
            lines = self._lines(number + 1, self.setting.seat_number(seat))
            told = [lines[place].visible_to(seat) for place, _ in steps[number].choices]
        return why_played(self._steps[number], played, seat, told)

    def replay(self) -> Game:
        """The same game played again from its seed; ReplayError if any position differs by a single byte."""
        again = Game(self.engine, self.scenario, self.seed)
        for number, step in enumerate(self._steps[: self._at + 1]):
            if step.played is not None:
                again.play(step.played.answer)
            if again.position != step.position:
                raise ReplayError(f"the replay differs after {number} answers: please report this")
        return again

    # ---- saving

    def save(self, path: str | Path) -> None:
        """Write the game to a file, whole or not at all.  It can be read by `grognard.load_game`."""
        from grognard.play.savefile import save_game

        save_game(self, path)

    def __repr__(self) -> str:
        return f"<Game of {self.engine.title}, {self.scenario}, seed {self.seed}: {self._at} answers>"


def _masked(position: Position, seat: int) -> frozenset[int]:
    """The cells that masking changes for the seat: what it may not know."""
    setting = position.setting
    if setting.program.view is None:
        return frozenset()
    cells = bytearray(position.cells)
    with memoryview(cells) as raw, raw.cast("i") as c:
        c[H_BRANCH] = NONE
    try:
        setting.backend.call(cells, setting.program.view, (seat,), Io())
    except RuleFailure as failure:
        raise setting.error(failure) from failure
    with memoryview(cells) as raw, raw.cast("i") as c, memoryview(position.cells) as whole:
        truth = whole.cast("i")
        return frozenset(
            n
            # Nearly all of a position is the same: whole stretches are compared at once.
            for first in range(0, len(c), _STRETCH)
            if c[first : first + _STRETCH] != truth[first : first + _STRETCH]
            for n in range(first, min(first + _STRETCH, len(c)))
            if c[n] != truth[n] and n != H_BRANCH
        )
