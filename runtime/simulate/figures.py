"""What the games of a study say: shares with intervals, lengths, losses, and which variants differ by more than luck."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grognard.bots.match import wilson
from grognard.simulate.study import Game

#: Where the distribution of a length is read off.
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
#: Beyond so many games that went otherwise, the binomial is as good as normal.
EXACT = 1000


@dataclass(frozen=True, slots=True)
class Share:
    """A share of games with its 95 % interval (Wilson)."""

    count: int
    of: int

    @property
    def value(self) -> float:
        return self.count / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.value, self.of)

    def as_dict(self) -> dict[str, Any]:
        return {"count": self.count, "of": self.of, "share": self.value, "interval": list(self.interval)}


@dataclass(frozen=True, slots=True)
class Spread:
    """A number over all games: its mean with the 95 % interval of that, and its quantiles."""

    mean: float
    interval: tuple[float, float]
    quantiles: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "interval": list(self.interval),
            "quantiles": dict(zip(map(str, QUANTILES), self.quantiles, strict=True)),
        }


def spread(values: Sequence[float]) -> Spread:
    if not values:
        return Spread(0.0, (0.0, 0.0), (0.0,) * len(QUANTILES))
    ordered = sorted(values)
    count = len(ordered)
    mean = math.fsum(ordered) / count
    variance = math.fsum((value - mean) ** 2 for value in ordered) / max(count - 1, 1)
    reach = 1.96 * math.sqrt(variance / count)
    quantiles = tuple(float(ordered[min(count - 1, int(q * count))]) for q in QUANTILES)
    return Spread(mean, (mean - reach, mean + reach), quantiles)


@dataclass(slots=True)
class Figures:
    """Of one variant."""

    variant: str
    games: int
    wins: dict[str, Share]
    draws: Share
    unfinished: Share
    #: games in which a rule failed, and what the first of them said
    failed: int
    failure: str
    #: decided first -> how often that side won those games
    first: Share
    first_sides: dict[str, int]
    #: wins by bot, where bots differ
    bots: dict[str, Share]
    plies: Spread
    answers: Spread
    #: (side, type) -> per game
    losses: dict[tuple[str, str], Spread]
    end: dict[str, Spread]
    #: place -> counters that left play there
    places: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, Any]:
        return {
            "variant": self.variant,
            "games": self.games,
            "wins": {side: share.as_dict() for side, share in self.wins.items()},
            "draws": self.draws.as_dict(),
            "unfinished": self.unfinished.as_dict(),
            "failed": self.failed,
            "failure": self.failure,
            "first_to_decide": {"wins": self.first.as_dict(), "sides": self.first_sides},
            "bots": {bot: share.as_dict() for bot, share in self.bots.items()},
            "plies": self.plies.as_dict(),
            "answers": self.answers.as_dict(),
            "losses": [
                {"side": side, "type": kind, **found.as_dict()} for (side, kind), found in self.losses.items()
            ],
            "end": {name: found.as_dict() for name, found in self.end.items()},
            "places": dict(self.places.most_common()),
        }


def figures(variant: str, games: Sequence[Game], sides: Sequence[str]) -> Figures:
    """What the games of a variant say."""
    count = len(games)
    done = [game for game in games if game.finished]
    wins = {side: Share(sum(game.winner == side for game in games), count) for side in sides}
    lost: dict[tuple[str, str], list[int]] = {}
    places: Counter[str] = Counter()
    ends: dict[str, list[int]] = {}
    for number, game in enumerate(games):
        for loss in game.losses:
            lost.setdefault((loss.side, loss.type), [0] * count)[number] += 1
            if loss.place:
                places[loss.place] += 1
        for name, value in game.end.items():
            ends.setdefault(name, []).append(value)
    bots: dict[str, list[int]] = {}
    for game in games:
        for side, bot in game.bots.items():
            entry = bots.setdefault(bot, [0, 0])
            entry[0] += game.winner == side
            entry[1] += 1
    failed = [game for game in games if game.failure]
    return Figures(
        variant,
        count,
        wins,
        Share(sum(game.winner is None for game in done), count),
        Share(count - len(done), count),
        len(failed),
        failed[0].failure if failed else "",
        Share(sum(game.winner == game.first and game.winner is not None for game in games), count),
        dict(Counter(game.first for game in games if game.first)),
        {bot: Share(won, of) for bot, (won, of) in sorted(bots.items())} if len(bots) > 1 else {},
        spread([game.plies for game in games]),
        spread([game.answers for game in games]),
        {key: spread(lost[key]) for key in sorted(lost)},
        {name: spread(values) for name, values in ends.items() if len(set(values)) > 1},
        places,
    )


# --------------------------------------------------------------------------------------------- significance


@dataclass(frozen=True, slots=True)
class Contrast:
    """How often a side wins in a variant, against the first one.  Games of one number have the same dice: `gained` and
    `dropped` are those that went otherwise.  `chance`: how likely so uneven a split is if the variants are alike (two-sided);
    `adjusted`: for having looked at several (Holm)."""

    variant: str
    side: str
    difference: float
    interval: tuple[float, float]
    gained: int
    dropped: int
    chance: float
    adjusted: float

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def contrasts(variants: Sequence[Sequence[Game]], side: str) -> list[Contrast]:
    """All variants but the first against the first, by the games of the same numbers (McNemar's test)."""
    base = {game.number: game.winner == side for game in variants[0]}
    found: list[tuple[str, float, tuple[float, float], int, int, float]] = []
    for games in variants[1:]:
        pairs = [(base[game.number], game.winner == side) for game in games if game.number in base]
        gained = sum(after and not before for before, after in pairs)
        dropped = sum(before and not after for before, after in pairs)
        count = max(len(pairs), 1)
        difference = (gained - dropped) / count
        variance = ((gained + dropped) / count - difference**2) / count
        reach = 1.96 * math.sqrt(max(variance, 0.0))
        name = games[0].variant if games else ""
        found.append(
            (
                name,
                difference,
                (difference - reach, difference + reach),
                gained,
                dropped,
                split_chance(gained, dropped),
            )
        )
    adjusted = holm([entry[-1] for entry in found])
    return [
        Contrast(name, side, difference, interval, gained, dropped, chance, least)
        for (name, difference, interval, gained, dropped, chance), least in zip(found, adjusted, strict=True)
    ]


def split_chance(a: int, b: int) -> float:
    """The chance that a fair coin splits a + b throws at least as unevenly."""
    n = a + b
    if n == 0:
        return 1.0
    if n > EXACT:
        return min(1.0, math.erfc(max(abs(a - b) - 1, 0) / math.sqrt(2 * n)))
    tail = sum(math.comb(n, k) for k in range(min(a, b) + 1))
    return min(1.0, 2 * tail / 2**n)


def holm(chances: Sequence[float]) -> list[float]:
    """Adjusted for there being several: Holm's step-down."""
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    adjusted = [0.0] * len(chances)
    least = 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = least
    return adjusted
