"""Secret orders of several persons at once.

The rules ask the seats of a secret block one after the other; none of them sees what the others write until all are done, so
nothing forbids to ask them at the same time.  While such a block is open each of its seats answers on a line of its own: the
game as it stood when the block began, other seats' parts of it filled in somehow, then the seat's own orders.  When all are
done the game takes the orders in the order of the rules.  What a seat is told meanwhile is made of the beginning and of its own
orders alone: nobody learns who has answered, or when.
"""

from __future__ import annotations

import random

from grognard.contract.header import DONE, H_RNG_HI, H_RNG_LO
from grognard.errors import GrognardError, IllegalChoice
from grognard.play.game import Step, next_step
from grognard.play.position import Position
from grognard.server.line import AWAY, Block, Event, Line, Standing
from grognard.server.live import Live
from grognard.server.streams import quiet_question

#: Answers that stand in for those of other seats, to see who else is asked.
MOST_FILLED = 600
#: Orders of one seat in one block, at most: their numbers tell them apart.
ORDERS = 1000
#: After so many answers of one kind the others are tried by chance: some menus have no end of their own.
PATIENCE = 60


class Aside(Line):
    """The line of one seat in an open block: where the block began, then what the seat has ordered."""

    def __init__(self, base: Line, block: Block, seat: str, lead: list[Step]) -> None:
        super().__init__(base.engine, base.position_bytes)
        self._base = base
        self.seat = seat
        self.awaited = tuple(block.orders)
        self.forked = block.event, block.step
        self.steps = base.steps[: block.step]
        self.head = AWAY
        self._own: dict[int, Position] = {}
        for step in lead:
            self.again(step, 0.0)
        self.head = AWAY + block.event * ORDERS
        self._first = len(self.steps)
        self._orders: list[str] = []

    def position(self, event: int) -> Position:
        return self._own[event] if event >= AWAY else self._base.position(event)

    def keep(self, event: int, position: Position) -> None:
        self._own[event] = position

    @property
    def told_head(self) -> int:
        return self._base.head

    def sync(self, orders: list[str]) -> None:
        """Follow the seat's orders as they stand now."""
        same = 0
        while same < min(len(orders), len(self._orders)) and orders[same] == self._orders[same]:
            same += 1
        if same < len(self._orders):
            del self.steps[self._first + same :]
            del self._orders[same:]
            self.done = False
        for name in orders[same:]:
            self.order(name)

    def order(self, name: str) -> None:
        """One more order; IllegalChoice if it is not offered."""
        before = self.step(len(self.steps) - 1)
        step = next_step(before, name)
        after = step.position
        if _rolled(before.position, after) or after.to_move != self.seat or not self._mine(step):
            # All that is to be said here has been said.  What comes of it is seen when the others are done as well.
            self.done = True
            shown = tuple(line for line in step.lines[:1] if line.kind == "choice")
            choices = tuple(choice for choice in step.choices if choice[0] < len(shown))
            step = Step(before.position, step.played, shown, choices, before.secrecy)
        self.again(step, 0.0)
        self._orders.append(name)

    def _mine(self, step: Step) -> bool:
        return not step.ended and step.secrecy.branch == self.here.setting.seat_number(self.seat)


def seen_by(line: Line, seat: str) -> Line:
    """The line of the game as a seat has it."""
    block = line.block
    if block is None or block.closing or line.ending is not None or seat not in block.orders:
        return line
    own = block.asides.get(seat)
    if own is None:
        own = block.asides[seat] = Aside(line, block, seat, _leads(line)[seat])
    own.sync([name for _, name in block.orders[seat]])
    return own


def answer_of(line: Line, seat: str, event: int) -> int:
    """The event of the answer that an order of the seat has become."""
    if event < AWAY or any(step.event == event for step in line.steps):
        return event
    block, number = divmod(event - AWAY, ORDERS)
    later = [
        step.event for step in line.steps if step.event > block and step.played and step.played.seat == seat
    ]
    return later[number - 1] if 0 < number <= len(later) else event


def is_done(line: Line, seat: str) -> bool:
    """Whether a seat has ordered all that it is asked for in the open block."""
    own = seen_by(line, seat)
    return isinstance(own, Aside) and own.done


def asked_seats(line: Line) -> list[str]:
    """The seats that are asked now."""
    if line.awaited is not None and line.ending is None:
        return [seat for seat in line.awaited if not is_done(line, seat)]
    return [] if line.here.to_move is None or line.ending is not None else [line.here.to_move]


def asked_text(line: Line) -> str | None:
    """The seats that are asked, as the table of games has them: `a`, or `a,b`."""
    return ",".join(asked_seats(line))[:200] or None


def thinking(line: Line) -> list[str]:
    """The seats whose clocks run: in an open block all of it, so that no clock shows when another has done."""
    return list(line.awaited) if line.awaited is not None and line.ending is None else asked_seats(line)


def until(live: Live, now: float) -> dict[str, float]:
    """Until when each of the seats has thought that were asked."""
    times = dict.fromkeys(live.asked, now)
    if len(times) > 1:
        # Orders of several: each has thought until its last.
        for event in live.events:
            if event.kind == "order" and event.data["seat"] in times:
                times[event.data["seat"]] = event.time
    return times


def opening(live: Live, now: float) -> Event | None:
    """The event that opens a block to all of its seats at once; None where it does not begin here or is one person's."""
    line = live.line
    if line.block is not None or line.ending is not None or not _begins(line.steps):
        return None
    persons = {
        seat.holder or f"open {seat.seat}" for seat in live.seats.values() if seat.kind != "bot"
    }  # fmt: skip
    if len(persons) < 2:
        return None
    seats = list(_leads(line))
    asked = [live.seats[seat] for seat in seats if seat in live.seats]
    if len({seat.holder or seat.seat for seat in asked if seat.kind != "bot"}) < 2:
        return None
    return Event(line.head + 1, "secret", now, {"seats": seats})


def order(live: Live, seat: str, name: str, now: float) -> Event:
    """The event of an order, by its name; IllegalChoice if it is not offered."""
    line = live.line
    own = seen_by(line, seat)
    assert isinstance(own, Aside)
    if own.done or name not in {choice.name for choice in own.here.legal()}:
        raise IllegalChoice(name[:80], own.here.legal())
    own.order(name)
    event = Event(line.head + 1, "order", now, {"seat": seat, "answer": name})
    line.follow((event,))
    return event


def take_orders(line: Line, now: float) -> list[Event]:
    """When all are done: the orders become answers of the game, in the order of the rules."""
    found: list[Event] = []
    block = line.block
    if block is None or not (block.closing or all(is_done(line, seat) for seat in block.orders)):
        return found
    while line.block is block and line.here.to_move in block.orders:
        seat = str(line.here.to_move)
        left = block.left(seat)
        if not left:
            break
        try:
            found.append(line.answer(left[0], now))
        except GrognardError:
            # Not to be expected; the seat is asked again.
            event = Event(line.head + 1, "unorder", now, {"seat": seat, "keep": 0})
            line.follow((event,))
            found.append(event)
            block.closing = True
    return found


def _begins(steps: list[Standing]) -> bool:
    """Whether a secret block begins with the last of these steps."""
    last = steps[-1]
    if last.secrecy.branch is None:
        return False
    return len(steps) == 1 or last.ended or steps[-2].secrecy.branch is None


def _leads(line: Line) -> dict[str, list[Step]]:
    """The seats that are asked in a block which begins here, each with the steps that lead to its first question."""
    setting = line.here.setting
    names = setting.scenario.data.domains[setting.program.seats].names
    picker = random.Random(1)
    steps: list[Step] = []
    found: dict[str, list[Step]] = {}
    step = line.step((line.block.step if line.block is not None else len(line.steps)) - 1)
    tried: dict[str, int] = {}
    while len(steps) < MOST_FILLED:
        here, branch = step.position, step.secrecy.branch
        seat = here.to_move
        if seat is None or branch is None or names[branch] != seat or quiet_question(here):
            break
        found.setdefault(seat, list(steps))
        offered = here.legal()
        question = here.question.name if here.question is not None else ""
        tried[question] = tried.get(question, 0) + 1
        done = [choice for choice in offered if choice.value == DONE]
        choice = done[0] if done else offered[0] if tried[question] < PATIENCE else picker.choice(offered)
        try:
            step = next_step(step, choice)
        except GrognardError:
            break
        if step.ended or _rolled(here, step.position):
            break
        steps.append(step)
    return found


def _rolled(before: Position, after: Position) -> bool:
    return any(before.head(cell) != after.head(cell) for cell in (H_RNG_LO, H_RNG_HI))
