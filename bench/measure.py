"""Timing and the table: every row compares the engine with a reference, by alternating repetitions in one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[], float]


@dataclass(frozen=True)
class Settings:
    """How long to measure: repetitions of each piece of work, and a factor on its size."""

    repeat: int = 5
    size: float = 1.0

    def many(self, n: int) -> int:
        return max(1, int(n * self.size))


@dataclass(frozen=True)
class Speed:
    """A rate per second: the median of the repetitions, and the lowest and highest of them."""

    median: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        return (self.high - self.low) / self.median

    def __str__(self) -> str:
        return figure(self.median)


@dataclass(frozen=True)
class Row:
    """A line of the table.  Without `theirs` there is no reference; with a notice nothing was measured."""

    group: str
    work: str
    other: str
    unit: str
    target: str
    ours: Speed | None = None
    theirs: Speed | None = None
    notice: str = ""
    #: the target ratio, None where there is none
    wanted: float | None = None

    @property
    def ratio(self) -> float | None:
        if self.ours is None or self.theirs is None:
            return None
        return self.ours.median / self.theirs.median

    @property
    def verdict(self) -> str:
        if self.wanted is None or self.ratio is None:
            return ""
        return "yes" if self.ratio >= self.wanted else "no"


def figure(value: float) -> str:
    if value >= 1e6:
        return f"{value / 1e6:,.2f} M"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@dataclass(frozen=True)
class After:
    """Measured work after a preparation that is not measured; both are repeated if the work is short."""

    before: Callable[[], object]
    work: Work
    times: int = 1

    def __call__(self) -> float:
        self.before()
        return self.work()


def seconds(work: Callable[[], object]) -> float:
    """Processor time, which other programs on the machine disturb least; everything measured is one thread."""
    start = time.process_time()
    work()
    return max(time.process_time() - start, 1e-9)


def race(settings: Settings, *works: Work) -> list[Speed]:
    """The rates of several pieces of work, in alternating repetitions; each returns how many units it did."""
    for work in works:
        work()
    speeds: list[list[float]] = [[] for _ in works]
    for _ in range(settings.repeat):
        for number, work in enumerate(works):
            done = taken = 0.0
            for _ in range(work.times if isinstance(work, After) else 1):
                once = work
                if isinstance(work, After):
                    work.before()
                    once = work.work

                def run(work: Work = once) -> None:
                    nonlocal done
                    done += work()

                taken += seconds(run)
            speeds[number].append(done / taken)
    return [Speed(statistics.median(all_), min(all_), max(all_)) for all_ in speeds]


def table(rows: list[Row]) -> list[list[str]]:
    """The cells of the table, its head first."""
    lines = [["work", "ours", "compared with", "theirs", "ratio", "to reach", "reached", "spread"]]
    for row in rows:
        if row.notice:
            lines.append([row.work, "-", row.other, "-", "-", row.target, row.notice, ""])
            continue
        ratio = row.ratio
        spreads = [speed.spread for speed in (row.ours, row.theirs) if speed is not None]
        lines.append(
            [
                row.work,
                f"{row.ours} {row.unit}",
                row.other,
                "" if row.theirs is None else f"{row.theirs} {row.unit}",
                "" if ratio is None else f"{ratio:.3g}",
                row.target,
                row.verdict,
                " / ".join(f"{spread:.0%}" for spread in spreads),
            ]
        )
    return lines


def as_text(lines: list[list[str]]) -> str:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines
    )


def as_markdown(lines: list[list[str]]) -> str:
    head, *rest = lines
    rule = ["---"] * len(head)
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *rest))
