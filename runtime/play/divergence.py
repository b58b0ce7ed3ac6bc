"""Where two versions of a title part: the same games and examples of play in both, up to the first difference."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.contract.scenario_names import split_scenario
from grognard.errors import IllegalChoice, RuleError
from grognard.play.examples import ExampleRunner
from grognard.play.game import Game

if TYPE_CHECKING:
    from grognard.contract.ruleset import Ruleset
    from grognard.play.engine import Engine
    from grognard.play.savefile import Saved
    from grognard.play.why import Reason

#: What the state tells of a difference; the rest follows from the first few.
MAX_TOLD = 4


@dataclass(frozen=True, slots=True)
class Divergence:
    """A game or example in both versions.  `step` is the answer after which they differ (0: from the start)."""

    name: str
    sort: str  # game example
    same: bool
    step: int | None
    steps: int
    what: str


@dataclass(frozen=True, slots=True)
class Answered:
    seat: str
    question: str
    name: str


def compare_examples(old: Ruleset, new: Ruleset) -> list[Divergence]:
    """Examples of play that both versions have: which of them turn out otherwise."""
    runners = ExampleRunner(old, "interpreter"), ExampleRunner(new, "interpreter")
    later = {example.title: example for example in new.examples}
    found: list[Divergence] = []
    for example in old.examples:
        if example.title not in later:
            continue
        before, after = runners[0].run(example), runners[1].run(later[example.title])
        one, other = ([failure.message for failure in result.failures] for result in (before, after))
        what = ""
        if one != other:
            if before.passed:
                what = f"holds before, and not after: {other[0]}"
            elif after.passed:
                what = f"holds after, and not before: {one[0]}"
            else:
                what = f"{one[0]}; then {other[0]}"
        found.append(Divergence(example.title, "example", one == other, None, 0, what))
    return found


def recorded(saved: Saved) -> tuple[str, int, list[Answered]]:
    """Scenario, seed and answers of a save."""
    return saved.scenario, saved.seed, [Answered(a.seat, a.question, a.name) for a in saved.answers]


def played_at_random(engine: Engine, scenario: str, seed: int, most: int) -> list[Answered]:
    """The answers of a game in which everybody picks at random."""
    picker = random.Random(seed)
    game = Game(engine, scenario, seed)
    answers: list[Answered] = []
    while len(answers) < most and (question := game.position.question) is not None:
        choice = picker.choice(game.position.legal())
        answers.append(Answered(question.seat, question.name, choice.name))
        try:
            game.play(choice)
        except RuleError:
            break
    return answers


def compare_game(
    name: str, old: Engine, new: Engine, scenario: str, seed: int, answers: Sequence[Answered]
) -> Divergence:
    """The same answers to both; what is asked, offered, rolled and written must be the same."""
    base = split_scenario(scenario)[0]
    if base not in old.scenarios or base not in new.scenarios:
        return Divergence(
            name, "game", False, 0, len(answers), f"only one of them has the scenario {scenario}"
        )
    games = Game(old, scenario, seed), Game(new, scenario, seed)
    for step in range(len(answers) + 1):
        what = position_difference(*(game.position for game in games))
        if what is not None:
            return Divergence(name, "game", False, step, len(answers), what)
        if step == len(answers):
            break
        ends = [_play(game, answers[step]) for game in games]
        if ends[0] != ends[1]:
            return Divergence(
                name,
                "game",
                False,
                step + 1,
                len(answers),
                f"{ends[0] or 'goes on'}; then {ends[1] or 'goes on'}",
            )
        if ends[0] is not None:
            break
        one, other = ([line.text for line in game.last_lines] for game in games)
        if one != other:
            what = _first(one, other)
            return Divergence(name, "game", False, step + 1, len(answers), what)
    return Divergence(name, "game", True, None, len(answers), "")


def _play(game: Game, answer: Answered) -> str | None:
    """None if it was played, else why not."""
    try:
        game.play(answer.name)
    except IllegalChoice:
        return f"`{answer.name}` is not legal"
    except RuleError as error:
        return f"the rules fail: {error}"
    return None


def _first(one: Sequence[str], other: Sequence[str]) -> str:
    for a, b in zip(one, other, strict=False):
        if a != b:
            return f'"{a}"; then "{b}"'
    longer, which = (one, "before") if len(one) > len(other) else (other, "after")
    return f'only {which}: "{longer[min(len(one), len(other))]}"'


def position_difference(a: Any, b: Any) -> str | None:
    """How two positions of different versions differ, for people; None if they do not."""
    if (a.over, a.outcome) != (b.over, b.outcome):
        ends = [f"over, won by {p.outcome or 'nobody'}" if p.over else "not over" for p in (a, b)]
        return f"the game is {ends[0]}; then {ends[1]}"
    one, other = a.question, b.question
    if one is not None and other is not None:
        if (one.seat, one.name) != (other.seat, other.name):
            return f"{_asked(one)}; then {_asked(other)}"
        offered = [[choice.name for choice in p.legal()] for p in (a, b)]
        if offered[0] != offered[1]:
            gone = [n for n in offered[0] if n not in offered[1]]
            come = [n for n in offered[1] if n not in offered[0]]
            told = [f"no longer offered: {', '.join(gone)}"] if gone else []
            told += [f"newly offered: {', '.join(come)}"] if come else []
            return f"{_asked(one)}: {'; '.join(told) or 'offered in another order'}"
    states = list(_differing("", a.state(), b.state()))
    return "; ".join(states[:MAX_TOLD]) if states else None


def differing_reason(one: Reason, other: Reason) -> str:
    """The first step on the way to two results that is not the same: what it was, and what it is."""
    before, after = ([reason for reason in tree.walk() if reason.text] for tree in (one, other))
    for a, b in zip(before, after, strict=False):
        if a.text != b.text:
            return f"{_reason(a)}; then {_reason(b)}"
    if len(before) != len(after):
        longer, which = (before, "before") if len(before) > len(after) else (after, "after")
        return f"only {which}: {_reason(longer[min(len(before), len(after))])}"
    return ""


def _reason(reason: Reason) -> str:
    return reason.text + (f" [{', '.join(reason.cites)}]" if reason.cites else "")


def _asked(question: Any) -> str:
    return f'{question.seat} is asked for "{question.label}" ({question.name})'


def _differing(path: str, a: Any, b: Any) -> Iterable[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys([*a, *b]):
            if key in a and key in b:
                yield from _differing(f"{path}.{key}" if path else str(key), a[key], b[key])
    elif a != b:
        yield f"{path} {a}; then {b}"
