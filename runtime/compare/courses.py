"""The course of a recorded game under two versions of a title: the first decision after which they differ.

A course is what is asked of whom, what is offered, what is written and rolled, how it ends.  Where both versions lay their
positions out alike, the cells are compared as they are; names that an erratum changed mean the same then.  Otherwise questions and
what is offered are compared by their names, so that a member that was added somewhere else changes no course.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grognard.compare.depends import Changed, changed_behind
from grognard.contract.header import H_ASK, H_CHOOSER, H_OUTCOME, H_PLY, H_RNG_HI, H_RNG_LO, H_STATUS, HEADER
from grognard.contract.scenario_names import split_scenario
from grognard.errors import GrognardError, RuleError
from grognard.play.divergence import differing_reason, position_difference
from grognard.play.game import Game

if TYPE_CHECKING:
    from grognard.play.engine import Engine
    from grognard.play.position import Position
    from grognard.play.savefile import Saved
    from grognard.play.setting import Setting

CELL = 4


@dataclass(frozen=True, slots=True)
class Course:
    """What came of one game.  `step`: the answer after which the versions differ (0: from the start), None: nowhere.

    `sort`: same; set-up, asked, offered, position, outcome, illegal, rule (how they part); foreign (a game that the version before
    cannot play either), missing (only one version has the scenario)."""

    name: str
    scenario: str
    answers: int
    sort: str
    step: int | None = None
    #: the answer that was given there: whose, to what, which
    decision: tuple[str, str, str] | None = None
    #: how many answers the version after can play
    playable: int = 0


class Pair:
    """One scenario under both versions."""

    def __init__(self, old: Setting, new: Setting) -> None:
        self.old, self.new = old, new
        a, b = old.program, new.program
        self.names = {ask.id: ask.name for ask in a.asks}, {ask.id: ask.name for ask in b.asks}
        self.alike = self._alike()
        self._end = old.scenario.layout.journal_offset * CELL

    def _alike(self) -> bool:
        """Whether the fields of positions lie at the same places and hold the same numbers for the same things."""
        one, other = self.old.scenario, self.new.scenario
        if [f.name for f in self.old.program.fields] != [f.name for f in self.new.program.fields]:
            return False
        a, b = one.layout, other.layout
        if (a.base, a.count, a.field_offset, a.field_words) != (
            b.base,
            b.count,
            b.field_offset,
            b.field_words,
        ):
            return False
        for left, right in zip(one.data.domains, other.data.domains, strict=True):
            renamed = [(x, y) for x, y in zip(left.names, right.names, strict=False) if x != y]
            # A name that only one of them has was changed; one that moved means something else now.
            if any(x in right.names or y in left.names for x, y in renamed):
                return False
        return True

    def differ(self, a: Position, b: Position) -> str | None:
        """How two positions part, in a word; None if they do not."""
        with memoryview(a.cells) as x, memoryview(b.cells) as y, x.cast("i") as old, y.cast("i") as new:
            if old[H_STATUS] != new[H_STATUS] or old[H_PLY] != new[H_PLY]:
                return "asked"
            if self.alike:
                if old[H_OUTCOME] != new[H_OUTCOME]:
                    return "outcome"
                if old[H_CHOOSER] != new[H_CHOOSER]:
                    return "asked"
            if self.names[0].get(old[H_ASK]) != self.names[1].get(new[H_ASK]):
                return "asked"
            if (old[H_RNG_LO], old[H_RNG_HI]) != (new[H_RNG_LO], new[H_RNG_HI]):
                return "position"
            if self.alike:
                if a.values() != b.values():
                    return "offered"
                start = HEADER * CELL
                return "position" if x[start : self._end] != y[start : self._end] else None
        if a.outcome != b.outcome:
            return "outcome"
        if a.to_move != b.to_move:
            return "asked"
        return "offered" if _offered(a) != _offered(b) else None


def _offered(position: Position) -> list[str]:
    return [choice.name for choice in position.legal()]


class Comparison:
    """Recorded games of one title under two versions."""

    def __init__(self, old: Engine, new: Engine) -> None:
        self.engines = old, new
        self._pairs: dict[str, Pair | None] = {}

    def _pair(self, scenario: str) -> Pair | None:
        if scenario not in self._pairs:
            base = split_scenario(scenario)[0]
            both = all(base in engine.scenarios for engine in self.engines)
            try:
                settings = [engine.setting(scenario) for engine in self.engines] if both else []
            except GrognardError:
                settings = []
            self._pairs[scenario] = Pair(settings[0], settings[1]) if settings else None
        return self._pairs[scenario]

    def course(self, saved: Saved, name: str) -> Course:
        """The game under both versions, up to where they part; the version after goes on alone for what it can play."""
        total = len(saved.answers)
        pair = self._pair(saved.scenario)
        if pair is None:
            return Course(name, saved.scenario, total, "missing", 0)
        old, new = self.engines
        try:
            a = old.new_game(saved.scenario, saved.seed)
        except RuleError:
            return Course(name, saved.scenario, total, "foreign", 0)
        try:
            b = new.new_game(saved.scenario, saved.seed)
        except RuleError:
            return Course(name, saved.scenario, total, "rule", 0)
        exact = saved.fingerprint == pair.old.fingerprint
        sort = pair.differ(a, b)
        if sort is not None:
            return Course(name, saved.scenario, total, "set-up", 0, None, self._playable(b, saved, 0))
        for step, answer in enumerate(saved.answers):
            decision = answer.seat, answer.question, answer.name
            value = answer.value if exact else _value(a, answer.name)
            if value is None or (not exact and _question(a) != (answer.seat, answer.question)):
                return Course(name, saved.scenario, total, "foreign", step, decision)
            theirs = value if pair.alike else _value(b, answer.name)
            if theirs is None:
                return Course(name, saved.scenario, total, "illegal", step + 1, decision, step)
            try:
                a = a.play(value)
            except GrognardError:
                return Course(name, saved.scenario, total, "foreign", step, decision)
            try:
                b = b.play(theirs)
            except RuleError:
                return Course(name, saved.scenario, total, "rule", step + 1, decision, step)
            sort = pair.differ(a, b)
            if sort is not None:
                return Course(
                    name, saved.scenario, total, sort, step + 1, decision, self._playable(b, saved, step + 1)
                )
        return Course(name, saved.scenario, total, "same", None, None, total)

    def _playable(self, position: Position, saved: Saved, first: int) -> int:
        """How many of the answers the version after can play, when the first of them are."""
        for step in range(first, len(saved.answers)):
            answer = saved.answers[step]
            if _question(position) != (answer.seat, answer.question):
                return step
            value = _value(position, answer.name)
            if value is None:
                return step
            try:
                position = position.play(value)
            except GrognardError:
                return step
        return len(saved.answers)

    def why(self, saved: Saved, course: Course, changed: Changed) -> tuple[str, str]:
        """How the versions part, in words, and why: what has changed of what decides what is offered, else the first reason of
        the last answer that is not the same in both."""
        if course.step is None or course.sort in ("missing", "foreign"):
            return "", ""
        games: list[Game] = []
        for engine in self.engines:
            try:
                game = Game(engine, saved.scenario, saved.seed)
            except RuleError as error:
                return f"the set-up fails: {error}", ""
            games.append(game)
        ends: list[str] = []
        for game in games:
            end = ""
            for answer in saved.answers[: course.step]:
                value = _value(game.position, answer.name)
                try:
                    if value is None:
                        end = f"`{answer.name}` is not legal"
                        break
                    game.play(value)
                except GrognardError as error:
                    end = f"the rules fail: {str(error).splitlines()[0]}"
                    break
            ends.append(end)
        if ends[0] != ends[1]:
            return f"{ends[0] or 'goes on'}; then {ends[1] or 'goes on'}", ""
        told = position_difference(games[0].position, games[1].position) or course.sort
        begun = course.step > 0 and all(game.history for game in games)
        reason = differing_reason(games[0].why(), games[1].why()) if begun else ""
        if "=" not in reason and (not begun or course.sort in ("asked", "offered")):
            # No value on the way differs: something can be chosen in one of them, which the answer before says nothing of.
            behind = [changed_behind(game.position, changed) for game in games]
            both = list(dict.fromkeys(behind[1] + behind[0]))
            if both:
                return told, f"what is offered depends on {', '.join(both)}"
        return told, reason


def _value(position: Position, name: str) -> int | None:
    return next((choice.value for choice in position.legal() if choice.name == name), None)


def _question(position: Position) -> tuple[str, str] | None:
    question = position.question
    return None if question is None else (question.seat, question.name)


def parted(courses: Sequence[Course]) -> list[Course]:
    """Those whose course differs."""
    return [course for course in courses if course.sort not in ("same", "foreign")]
