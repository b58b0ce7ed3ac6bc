"""The result of an odds query: the joint distribution of the outcomes, and their marginal distributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import fsum, sqrt
from typing import Any


@dataclass(slots=True)
class Simulation:
    """Monte Carlo: how often each combination of outcomes occurred."""

    runs: int
    counts: dict[tuple[Any, ...], int]
    seconds: float = 0.0
    #: whether all rules were run each time, counter by counter: an independent check of the exact odds
    by_piece: bool = False

    def share(self, label_place: int, value: Any) -> float:
        return sum(n for key, n in self.counts.items() if key[label_place] == value) / max(1, self.runs)

    def error(self, probability: float) -> float:
        """The standard error of a share whose true value is `probability`."""
        return sqrt(max(0.0, probability * (1 - probability)) / max(1, self.runs))


@dataclass(slots=True)
class Odds:
    """The exact distribution of the outcomes of a procedure.

    `joint` maps a tuple of values, one for each label, to its probability (a float, or a Fraction where `exact`).
    `endless` is the probability that the procedure never ends.  No probability is further from the truth than
    `error_bound` (0 for fractions)."""

    title: str
    labels: list[str]
    joint: dict[tuple[Any, ...], Any]
    endless: Any = 0.0
    exact: bool = False
    error_bound: float = 0.0
    #: chance nodes, terminal states, answers that the policy gave, and the method
    positions: int = 0
    ends: int = 0
    answers: int = 0
    method: str = "general"
    #: whether each state was worked out by the rules; of a large attrition grid only a sample is, unless all are asked for
    proved: bool = True
    seconds: float = 0.0
    simulation: Simulation | None = None
    notes: list[str] = field(default_factory=list)

    def place(self, label: str) -> int:
        if label not in self.labels:
            raise KeyError(f"there is no outcome {label!r}; there are {', '.join(self.labels)}")
        return self.labels.index(label)

    def distribution(self, label: str | None = None) -> dict[Any, Any]:
        """The marginal distribution of one outcome (default: the first), in order of its values."""
        place = self.place(label) if label is not None else 0
        found: dict[Any, list[Any]] = {}
        for values, probability in self.joint.items():
            found.setdefault(values[place], []).append(probability)
        return {
            value: self.total_of(parts)
            for value, parts in sorted(found.items(), key=lambda kv: _order(kv[0]))
        }

    def total_of(self, parts: list[Any]) -> Any:
        return sum(parts, Fraction(0)) if self.exact else fsum(parts)

    def probability(self, **wanted: Any) -> Any:
        """The probability that outcomes have these values; labels with blanks go as a mapping: probability(**{"a b": 1})."""
        places = {self.place(label): value for label, value in wanted.items()}
        return self.total_of(
            [p for values, p in self.joint.items() if all(values[n] == v for n, v in places.items())]
        )

    def mean(self, label: str | None = None) -> float:
        """The mean of a numeric outcome, given that the procedure ends."""
        parts = self.distribution(label)
        whole = self.total_of(list(parts.values()))
        return float(sum(int(value) * p for value, p in parts.items()) / whole) if whole else 0.0

    @property
    def total(self) -> Any:
        """The sum of all probabilities: 1."""
        return self.total_of([*self.joint.values(), self.endless])

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "labels": self.labels,
            "outcomes": [
                {"values": list(values), "probability": self._shown(p)} for values, p in _sorted(self.joint)
            ],
            "distributions": {
                label: [
                    {"value": v, "probability": self._shown(p)} for v, p in self.distribution(label).items()
                ]
                for label in self.labels
            },
            "endless": self._shown(self.endless),
            "exact": self.exact,
            "error_bound": self.error_bound,
            "method": self.method,
            "proved": self.proved,
            "positions": self.positions,
            "ends": self.ends,
            "seconds": self.seconds,
            "simulation": None if self.simulation is None else self._simulated(self.simulation),
        }

    def _simulated(self, simulation: Simulation) -> dict[str, Any]:
        rows = []
        for place, label in enumerate(self.labels):
            for value, p in self.distribution(label).items():
                share = simulation.share(place, value)
                rows.append({"label": label, "value": value, "share": share, "standard_error": simulation.error(float(p))})  # fmt: skip
        return {
            "runs": simulation.runs,
            "by_piece": simulation.by_piece,
            "seconds": simulation.seconds,
            "shares": rows,
        }

    def _shown(self, probability: Any) -> Any:
        return str(probability) if isinstance(probability, Fraction) else probability


def _sorted(joint: Mapping[tuple[Any, ...], Any]) -> list[tuple[tuple[Any, ...], Any]]:
    return sorted(joint.items(), key=lambda entry: tuple(map(_order, entry[0])))


def _order(value: Any) -> tuple[int, Any]:
    """The sort key of a value: None, then numbers, then names."""
    if value is None:
        return (0, 0)
    return (1, int(value)) if isinstance(value, int) else (2, str(value))
