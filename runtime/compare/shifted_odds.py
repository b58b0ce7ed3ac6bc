"""Declared situations whose exact odds differ between two versions.

A situation has parameters, often with far more combinations than can be worked out.  If they are few, all are; else a sample is,
the same every time.  Half of it is drawn where members that the change names can be, so that a changed counter is fired with, and at.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any

from grognard.errors import GrognardError, RuleError

if TYPE_CHECKING:
    from grognard.contract.ruleset import Ruleset
    from grognard.contract.schema import ValueType
    from grognard.contract.situations import Situation
    from grognard.engine import Engine
    from grognard.odds import Odds

#: Numbers above the lowest that are tried of a parameter: small forces are what is asked, and large ones take long.
STEPS = (0, 1, 2, 3, 5, 8, 12, 20)
#: ... where there are many parameters, since their number is what takes long.
FEW_STEPS = (0, 1, 2)
MANY_NUMBERS = 5
#: Seconds for one situation; what was not tried by then is told.
PATIENCE = 30.0
#: Differences below this are the rounding of doubles.
NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Moved:
    """One value of one outcome: its probability in both versions."""

    outcome: str
    value: Any
    before: float
    after: float

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Case:
    """One combination of values whose odds moved.  `shares` has all outcomes, moved or not, for a plot."""

    values: dict[str, Any]
    shares: tuple[Moved, ...]

    @property
    def size(self) -> float:
        """How far the odds moved: the most of one value."""
        return max((abs(share.difference) for share in self.shares), default=0.0)


@dataclass(slots=True)
class Shift:
    """A situation in both versions.  `tried` of `combinations` cases; some cannot be set up (`refused`)."""

    name: str
    title: str
    tried: int = 0
    combinations: int = 0
    refused: int = 0
    #: cases that there was no time for
    left: int = 0
    moved: list[Case] = field(default_factory=list)
    #: why it could not be compared
    note: str = ""


def compare_situations(
    old: Engine,
    new: Engine,
    named: Iterable[str],
    *,
    most: int,
    given: Mapping[str, Any] | None = None,
    policies: Sequence[str] = (),
    only: Sequence[str] = (),
    patience: float = PATIENCE,
    progress: Callable[[int], None] = lambda done: None,
) -> list[Shift]:
    """All situations that both declare, up to `most` cases each.  `named`: members that the change is about."""
    before, after = old.bench(), new.bench()
    words = frozenset(named)
    found: list[Shift] = []
    done = 0
    for name, situation in before.ruleset.situations.items():
        if only and name not in only:
            continue
        shift = Shift(name, situation.title or name)
        found.append(shift)
        other = after.ruleset.situations.get(name)
        if other is None:
            shift.note = "only the version before has it"
            continue
        if [(n, str(t)) for n, t in other.params] != [(n, str(t)) for n, t in situation.params]:
            shift.note = "its parameters are others"
            continue
        answers = [*policies, *_policies(before.ruleset, after.ruleset)]
        wanted = {key: value for key, value in (given or {}).items() if key in dict(situation.params)}
        chosen, shift.combinations = cases(situation, words, most, wanted)
        began = perf_counter()
        for values in chosen:
            if shift.tried and perf_counter() - began > patience:
                shift.left = len(chosen) - shift.tried
                break
            shift.tried += 1
            done += 1
            progress(done)
            pair = [_odds(engine, name, values, answers) for engine in (old, new)]
            if pair[0] is None and pair[1] is None:
                shift.refused += 1
            elif pair[0] is None or pair[1] is None:
                shift.note = "some cases can be worked out by one version alone"
            else:
                case = Case(values, tuple(_shares(pair[0], pair[1])))
                if case.size > NOTHING:
                    shift.moved.append(case)
        shift.moved.sort(key=lambda case: -case.size)
    found += [
        Shift(name, s.title or name, note="only the version after has it")
        for name, s in after.ruleset.situations.items()
        if name not in before.ruleset.situations and (not only or name in only)
    ]
    return found


def _policies(old: Ruleset, new: Ruleset) -> list[str]:
    """How choices are answered: by the declared policies in their order, the rest by what need not be done."""
    there = {policy.name for policy in new.program.policies}
    return [*(p.name for p in old.program.policies if p.name in there), "otherwise none"]


def cases(
    situation: Situation, named: frozenset[str], most: int, given: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], int]:
    """The combinations to try, and how many there are of all values."""
    names = [name for name, _ in situation.params]
    all_values = 1
    choices: list[list[Any]] = []
    numbers = sum(type_.sort == "int" for _, type_ in situation.params)
    for name, type_ in situation.params:
        values, count = _values(type_, FEW_STEPS if numbers > MANY_NUMBERS else STEPS)
        if name in given:
            values, count = [given[name]], 1
        choices.append(values)
        all_values *= count
    product = 1
    for values in choices:
        product *= len(values)
    if product <= most:
        return [dict(zip(names, found)) for found in itertools.product(*choices)], all_values
    pick = random.Random(situation.name)
    about = [[v for v in values if v in named] or values for values in choices]
    found: dict[tuple[Any, ...], None] = {}
    for turn in itertools.count():
        if len(found) >= most or turn > 20 * most:
            break
        found[tuple(pick.choice(values) for values in (about if turn % 2 else choices))] = None
    return [dict(zip(names, values)) for values in found], all_values


def _values(type_: ValueType, steps: Sequence[int]) -> tuple[list[Any], int]:
    """Values of a parameter that are tried, and how many it has."""
    match type_.sort:
        case "int":
            low = max(type_.lo, 0) if type_.hi >= 0 else type_.lo
            return [low + step for step in steps if low + step <= type_.hi], type_.hi - type_.lo + 1
        case "flag":
            return [False, True], 2
        case "dom" if type_.dom is not None and type_.dom.members:
            members: list[Any] = list(type_.dom.members)
            if type_.optional:
                members.append(None)
            return members, len(members)
    return [None], 1


def _odds(engine: Engine, name: str, values: Mapping[str, Any], policies: Sequence[str]) -> Odds | None:
    """None if the values make no sense together: two counters where only one may stand."""
    try:
        return engine.weigh(name, values, policy=policies)
    except RuleError:
        return None
    except (GrognardError, KeyError, ValueError):
        return None


def _shares(before: Odds, after: Odds) -> Iterable[Moved]:
    for label in before.labels:
        if label not in after.labels:
            continue
        one, other = before.distribution(label), after.distribution(label)
        for value in dict.fromkeys([*one, *other]):
            yield Moved(label, value, _number(one.get(value)), _number(other.get(value)))
    if before.endless or after.endless:
        yield Moved("never ends", True, _number(before.endless), _number(after.endless))


def _number(probability: Any) -> float:
    return float(probability) if isinstance(probability, Fraction | float | int) else 0.0
