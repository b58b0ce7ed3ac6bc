"""Positions: what a game stands at, as an immutable value.

A position is a block of cells (see contract/layout.py) together with the engine and scenario it belongs to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from grognard.contract.backend import TRACE_OFF, Io, RuleFailure
from grognard.contract.header import DONE, H_ASK, H_STATUS, NONE, STATUS_DECISION, STATUS_OVER
from grognard.contract.questions import Answer, Choice, Count, Offered
from grognard.errors import IllegalChoice, PositionError
from grognard.play.reader import Reader
from grognard.play.saved_bytes import MAGIC, portable
from grognard.play.view import View, make_view

if TYPE_CHECKING:
    from grognard.play.engine import Engine
    from grognard.play.setting import Setting

_bare = object.__new__


class Position(Reader):
    """Where a game stands.  A value: playing gives a new one, and equal bytes are equal positions.

    Made by `Engine.new_game`, `Engine.position` and `play`.  Safe to share between threads, as long as
    `play_inplace` is not called on it."""

    __slots__ = ("_values",)

    #: the legal answers once they are known; None until they are asked for
    _values: list[int] | None

    def __init__(self, setting: Setting, cells: bytearray, values: list[int] | None = None) -> None:
        self.setting = setting
        self.cells = cells
        self._values = values

    # ---- decisions

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        # Where something can be answered it has not.
        return not self._values and self.head(H_STATUS) == STATUS_OVER

    def values(self) -> list[int]:
        """The legal answers as raw numbers, in the order of the rules; empty when nothing is asked."""
        if self._values is None:
            if self.head(H_STATUS) != STATUS_DECISION:
                return []
            try:
                self._values = self.setting.backend.candidates(self.cells)
            except RuleFailure as failure:
                raise self.setting.error(failure) from failure
            except ValueError:
                # Its head says that something is asked, and no frame of its stack does: bytes from a stranger.
                raise PositionError("the position is damaged: nothing in it asks") from None
        return self._values.copy()

    def legal(self) -> Offered:
        """The legal answers with their names and labels, in the order of the rules; empty when nothing is asked.

        Where counters are chosen by number, its `groups` are what can be answered at once; see contract.questions."""
        return self._choices(self.values())

    def _choices(self, values: list[int]) -> Offered:
        number = self.head(H_ASK)
        if number == NONE:
            return Offered()
        if self.setting.program.asks[number].numbers is not None:
            from grognard.play.by_number import offered_numbers

            return offered_numbers(self, values)
        names, show = self.setting.names, self.setting.program.asks[number].show
        with memoryview(self.cells) as raw, raw.cast("i") as cells:
            return Offered(
                Choice(v, names.answer_label(v, show, cells), names.answer_name(v, show)) for v in values
            )

    def play(self, choice: Answer) -> Position:
        """The position after this answer; this one is untouched.

        A choice is one of `legal()`, its raw value, its name or its label.  IllegalChoice if it is not offered,
        RuleError if a rule cannot go on.  Where counters are chosen by number, "3 infantry, 1 tank" and {"infantry": 3, "tank":
        1} answer for all groups at once."""
        if type(choice) is not int and (counted := self.counted(choice)) is not None:
            made = Position(self.setting, bytearray(self.cells))
            made.answer_all(counted.given, Io(TRACE_OFF))
            return made
        value = choice if type(choice) is int else self.value_of(choice)
        setting, known = self.setting, self._values
        advance = setting.advance
        if known and advance is not None and value in known:
            # Made without a call: a step of a large title takes no longer than some of those.
            made = _bare(Position)
            try:
                made.cells, made._values = advance(self.cells, value)
            except RuleFailure as failure:
                raise setting.error(failure) from failure
            made.setting = setting
            return made
        made = Position(setting, bytearray(self.cells))
        made.answer(value, Io(TRACE_OFF))
        return made

    def odds(self, procedure: str, args: Iterable[Any] = (), **how: Any) -> Any:
        """The exact odds of a procedure from here; see Engine.odds.  With `seat`, from what that seat may know."""
        seat = how.pop("seat", None)
        here = self if seat is None else Position(self.setting, bytearray(self.view(seat).rule_cells))
        return self.setting.engine.odds(procedure, args, position=here, **how)

    def play_inplace(self, choice: Answer) -> None:
        """Answer and change this very position: for speed, where no other reference to it is in use.

        As `play`; after an error the position is as it was."""
        before = bytes(self.cells)
        if not isinstance(self.cells, bytearray):
            self.cells = bytearray(before)
        try:
            counted = self.counted(choice)
            given = (self.value_of(choice),) if counted is None else counted.given
            self.answer_all(given, Io(TRACE_OFF))
        except BaseException:
            self.cells[:] = before
            raise

    def counted(self, choice: Answer) -> Count | None:
        """The answer for all groups that is meant, where counters are chosen by number; None if it is no such answer."""
        if isinstance(choice, Count):
            return choice
        if isinstance(choice, int | Choice) or self.head(H_ASK) == NONE:
            return None
        if self.setting.program.asks[self.head(H_ASK)].numbers is None:
            return None
        from grognard.play.by_number import counted

        return counted(self, choice)

    def answer_all(self, values: Iterable[int], io: Io) -> None:
        """Give raw answers in place, one after the other."""
        for value in values:
            self.answer(value, io)

    def value_of(self, choice: Answer) -> int:
        """The raw value of a choice given in any form; IllegalChoice if a text is not offered.

        Numbers are taken as they are: whether they are legal is seen when they are played."""
        if isinstance(choice, Choice):
            return choice.value
        if isinstance(choice, int):
            return choice
        if not isinstance(choice, str):
            raise TypeError(f"an answer is a Choice, its name, label or value, not {choice!r}")
        self.demand_question(choice)
        legal = self.legal()
        folded = choice.strip().casefold()
        for same in (
            lambda c: c.name == choice,
            lambda c: c.label == choice,
            lambda c: c.name.casefold() == folded,
            lambda c: c.label.casefold() == folded,
            lambda c: c.value in (DONE, NONE) and folded in ("done", "pass", "none"),
        ):
            for offered in legal:
                if same(offered):
                    return offered.value
        raise IllegalChoice(choice, legal)

    def demand_question(self, asked: object) -> None:
        """IllegalChoice if nothing is asked here."""
        if self.head(H_STATUS) != STATUS_DECISION:
            why = "the game is over: nothing can be played" if self.over else "nothing is asked here"
            raise IllegalChoice(asked, [], why)

    def answer(self, value: int, io: Io) -> None:
        """Give a raw answer in place; dice, trace and script are those of `io`.  After an error the cells are spoilt."""
        self.demand_question(value)
        self._values = None
        backend = self.setting.backend
        try:
            backend.answer(self.cells, value, io)
        except RuleFailure as failure:
            raise self.setting.error(failure) from failure
        except (ValueError, OverflowError):
            if value in backend.candidates(self.cells):
                raise
            raise IllegalChoice(value, self.legal()) from None

    # ---- as a value

    def clone(self) -> Position:
        """A copy with cells of its own."""
        return Position(self.setting, bytearray(self.cells))

    def __copy__(self) -> Position:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> Position:
        return self.clone()

    def __reduce__(self) -> Any:
        # The engine is pickled by its address, and once for all positions of one pickle.
        return _restored, (self.setting.engine, bytes(self), self.setting.scenario.name)

    def __bytes__(self) -> bytes:
        """All of the position, for `Engine.position`: a mark, the fingerprint, the cells (little-endian)."""
        return MAGIC + bytes.fromhex(self.setting.fingerprint) + portable(self.cells)

    @property
    def hash(self) -> int:
        """64 bits that are the same for equal positions, on every machine and back end."""
        return int.from_bytes(hashlib.blake2b(portable(self.cells), digest_size=8).digest(), "little")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        same = self.setting is other.setting or self.setting.fingerprint == other.setting.fingerprint
        return same and self.cells == other.cells

    def __hash__(self) -> int:
        return self.hash

    def __repr__(self) -> str:
        state = f"{self.to_move} to move" if self.to_move else f"over, {self.outcome or 'nobody'} won"
        return f"<Position of {self.setting.title}: ply {self.ply}, {state}>"

    # ---- views

    def view(self, seat: str) -> View:
        """What a seat may know; UnknownName for a seat that does not exist."""
        return make_view(self, seat)


def _restored(engine: Engine, data: bytes, scenario: str | None = None) -> Position:
    """A position out of a pickle."""
    return engine.position(data, scenario)
