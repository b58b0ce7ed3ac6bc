"""Which answers a seat is told of: those that it may know, worked out from its own view of what came of them.

An answer is kept back until the action that it belongs to is complete, or until the seat itself has to decide something.
Then it is told, unless

- it speaks of a counter that the seat must not know of, before or after;
- another answer would have changed only what is hidden from the seat: whoever cannot see a difference is not told one;
- something hidden from the seat was changed meanwhile, or another answer of the action may not be told, and nothing in
  sight bears this one out.

Authors declare secrets; nobody has to say which answers would give them away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar, overload

from grognard.contract import ir
from grognard.contract.backend import Io
from grognard.contract.header import (
    DONE,
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_OUTCOME,
    H_PLY,
    HEADER,
    NONE,
)
from grognard.contract.layout import own_parts
from grognard.errors import GrognardError
from grognard.play.position import Position
from grognard.play.view import hidden_pieces, masked_cells

if TYPE_CHECKING:
    from grognard.play.game import Played, Step
    from grognard.play.setting import Setting

#: Answers after which what is still kept back is looked at, even if the action goes on.
LONGEST_ACTION = 24
#: Other answers that are tried, evenly spread over all there are.
ALTERNATIVES = 24
#: Views that are kept for the next question about them.
KEPT_VIEWS = 48
#: Answers of which it is kept whether they are secret.
KEPT_SECRETS = 512


class Answered(NamedTuple):
    """A position and the answer given there."""

    before: Position
    value: int
    after: Position
    #: all raw values, where counters are chosen by number
    given: tuple[int, ...] = ()


class Reached(Protocol):
    """A position as a history keeps it: the answer that led there has a value; the first one was not played."""

    @property
    def played(self) -> Played | None: ...


S = TypeVar("S", bound=Reached)


class Answers(Sequence[Answered], Generic[S]):
    """The answers of a history, taken from its steps when they are looked at; `count` of them, or all.

    `last` is a step that the history does not have yet."""

    def __init__(
        self,
        steps: Sequence[S],
        position: Callable[[S], Position],
        last: Step | None = None,
        count: int | None = None,
    ) -> None:
        self.steps = steps
        self.position = position
        self.last = last
        self._count = len(steps) - (last is None) if count is None else count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, number: int) -> Answered: ...

    @overload
    def __getitem__(self, number: slice) -> list[Answered]: ...

    def __getitem__(self, number: int | slice) -> Answered | list[Answered]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(self._count))]
        before = self.position(self.steps[number])
        if number + 1 < len(self.steps):
            played, after = self.steps[number + 1].played, self.position(self.steps[number + 1])
        else:
            assert self.last is not None
            played, after = self.last.played, self.last.position
        assert played is not None
        return Answered(before, played.value, after, played.given)


class Told(NamedTuple):
    """A choice as the log has it: whose, of what, and what else it speaks of."""

    seat: int
    value: int
    show: str
    about: frozenset[tuple[int, int]]


class Telling:
    """What the seats of one scenario are told of each other's answers."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._views: dict[tuple[int, int], tuple[Position, bytes]] = {}
        #: (id of the last position, number of the answer, seat) -> that position, and whether the answer is secret
        self._secret: dict[tuple[int, int, int], tuple[Position, bool]] = {}

    # ---- when

    def moments(self, steps: Sequence[Answered], number: int, seat: int) -> Iterator[int]:
        """The answers after which it is asked whether the seat may know the answer of that number."""
        for at in range(number, len(steps)):
            if self.is_moment(steps, number, at, seat):
                yield at
            if self.is_last(steps, number, at):
                return

    def is_moment(self, steps: Sequence[Answered], number: int, at: int, seat: int) -> bool:
        return self.is_last(steps, number, at) or steps[at].after.head(H_CHOOSER) == seat

    def is_last(self, steps: Sequence[Answered], number: int, at: int) -> bool:
        """Whether after the answer `at` the action is over that the answer of that number belongs to."""
        after = steps[at].after
        ask = after.head(H_ASK)
        menu = ask == NONE or self.setting.program.asks[ask].menu
        return at - number >= LONGEST_ACTION or (menu and after.head(H_BRANCH) == NONE)

    # ---- whether

    def may_know(self, steps: Sequence[Answered], number: int, at: int, seat: int, told: Told) -> bool:
        """Whether the seat, after the answer `at`, may know what was chosen in answer `number`."""
        before, after = steps[number].before, steps[at].after
        if not told.about.isdisjoint(self._hidden(steps, number, at, seat)):
            return False
        if self._like_another(steps, number, at, seat):
            return False
        if self._hidden_change(before, after, seat) or self._has_secret_answer(steps, number, at, seat):
            return self._borne_out(before, after, seat, told)
        return True

    def _hidden(
        self, steps: Sequence[Answered], number: int, at: int, seat: int
    ) -> frozenset[tuple[int, int]]:
        """The counters that the seat must not know of when the answer is given or later."""
        positions = {id(p): p for p in (steps[number].before, steps[number].after, steps[at].after)}
        return frozenset().union(*(hidden_pieces(self.setting, p, seat) for p in positions.values()))

    def _has_secret_answer(self, steps: Sequence[Answered], number: int, at: int, seat: int) -> bool:
        """Whether some answer of the action may not be told: then it could have been another."""
        asks = self.setting.program.asks
        first = number
        while (
            first > 0 and number - first < LONGEST_ACTION and not asks[steps[first].before.head(H_ASK)].menu
        ):
            first -= 1
        for place in range(first, at + 1):
            before, value = steps[place].before, steps[place].value
            if before.head(H_CHOOSER) == seat:
                continue
            key = id(steps[at].after), place, seat
            if key not in self._secret:
                if len(self._secret) >= KEPT_SECRETS:
                    self._secret.clear()
                spoken = {(domain, value) for domain in ir.shown_domains(asks[before.head(H_ASK)].show)}
                self._secret[key] = (
                    steps[at].after,
                    not spoken.isdisjoint(self._hidden(steps, place, at, seat))
                    or self._like_another(steps, place, at, seat),
                )
            if self._secret[key][1]:
                return True
        return False

    def view(self, position: Position, seat: int) -> bytes:
        key = id(position), seat
        found = self._views.get(key)
        if found is None:
            if len(self._views) >= KEPT_VIEWS:
                self._views.clear()
            # The position is kept with it: its id belongs to nobody else meanwhile.
            found = self._views[key] = position, bytes(masked_cells(position, seat))
        return found[1]

    def _hidden_change(self, before: Position, after: Position, seat: int) -> bool:
        """Whether anything that the seat does not see has changed."""
        seen = self.view(after, seat)
        with (
            memoryview(before.cells).cast("i") as old,
            memoryview(after.cells).cast("i") as new,
            memoryview(seen).cast("i") as shown,
        ):
            return any(
                old[start:end] != new[start:end]
                and any(old[cell] != new[cell] != shown[cell] for cell in range(start, end))
                for start, end in self.setting.ranges_of_secrets
            )

    def _borne_out(self, before: Position, after: Position, seat: int, told: Told) -> bool:
        """Whether the seat sees something become what was chosen."""
        old, new = self.view(before, seat), self.view(after, seat)
        layout, program = self.setting.scenario.layout, self.setting.program
        if told.show == "action" or told.value in (NONE, DONE):
            return old[4 * HEADER : 4 * layout.journal_offset] != new[4 * HEADER : 4 * layout.journal_offset]
        wanted = set(ir.shown_domains(told.show))
        if told.show == "flag":
            return False
        with memoryview(old).cast("i") as was, memoryview(new).cast("i") as now:
            for entry in program.fields:
                start = layout.field_offset[entry.id]
                cells = range(start, start + layout.field_cells[entry.id])
                if (
                    entry.id in self.setting.veiled_fields
                    or was[start : cells.stop] == now[start : cells.stop]
                ):
                    continue
                for domain in wanted.intersection(entry.dims):
                    # Of the counter or place itself something changed.
                    number = told.value - layout.base[domain]
                    for first, size in own_parts(entry, layout, domain):
                        own = slice(first + number * size, first + (number + 1) * size)
                        if was[own] != now[own]:
                            return True
                if not isinstance(entry.type, ir.IntType):
                    continue
                if wanted:
                    if wanted.isdisjoint(ir.shown_domains(entry.type.show)):
                        continue
                    if any(now[cell] == told.value != was[cell] for cell in cells):
                        return True
                elif entry.type.show == "int" and any(
                    was[cell] != now[cell] and abs(now[cell] - was[cell]) == abs(told.value) for cell in cells
                ):
                    return True
        return False

    def _like_another(self, steps: Sequence[Answered], number: int, at: int, seat: int) -> bool:
        """Whether another answer would have left the seat's view as it is and changed what it does not see."""
        before, given = steps[number].before, steps[number].value
        after = steps[at].after
        others = [value for value in before.values() if value != given]
        if len(others) > ALTERNATIVES:
            others = [others[n * len(others) // ALTERNATIVES] for n in range(ALTERNATIVES)]
        layout = self.setting.scenario.layout
        fields = slice(4 * HEADER, 4 * layout.journal_offset)
        for value in others:
            other = self._played_on(steps, number, at, value)
            if other is None or other.cells[fields] == after.cells[fields]:
                continue
            if any(other.head(cell) != after.head(cell) for cell in (H_CHOOSER, H_ASK, H_PLY, H_OUTCOME)):
                continue
            if any(
                other.cells[4 * start : 4 * end] != after.cells[4 * start : 4 * end]
                for start, end in self.setting.open_ranges
            ):
                continue
            if bytes(masked_cells(other, seat)) == self.view(after, seat):
                return True
        return False

    def _played_on(self, steps: Sequence[Answered], number: int, at: int, value: int) -> Position | None:
        """Where another answer leads if all that follows stays; None where that is not legal any more."""
        position = steps[number].before.clone()
        try:
            position.answer(value, Io())
            for step in steps[number + 1 : at + 1]:
                if position.head(H_ASK) != step.before.head(H_ASK) or position.head(
                    H_CHOOSER
                ) != step.before.head(H_CHOOSER):
                    return None
                for given in step.given or (step.value,):
                    if given not in position.values():
                        return None
                    position.answer(given, Io())
        except GrognardError:
            # A rule cannot go on: the game could not have gone that way.
            return None
        return position
