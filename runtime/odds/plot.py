"""Bar charts of odds.  Needs matplotlib (`pip install grognard[plot]`)."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
from grognard.odds.result import Odds
from matplotlib.figure import Figure

#: Characters in a line of the heading.
WIDTH = 80
#: Values of an outcome beyond which not every bar is labelled.
NAMED = 24


def plot(odds: Odds, path: Path) -> None:
    """One panel for each outcome; shares of a simulation are points with two standard errors."""
    # Text stays text and the file has no date: the same odds give the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "grognard"}):
        figure = Figure(figsize=(8, 2.6 * max(1, len(odds.labels))), layout="constrained")
        panels: Any = figure.subplots(max(1, len(odds.labels)), 1, squeeze=False)
        for place, label in enumerate(odds.labels):
            _panel(panels[place][0], odds, place, label)
        figure.suptitle(fill(odds.title, WIDTH))
        undated = {"Date": None} if path.suffix.lower() == ".svg" else None
        figure.savefig(path, dpi=150, metadata=undated)


def _panel(axes: Any, odds: Odds, place: int, label: str) -> None:
    found = odds.distribution(label)
    names = [{True: "yes", False: "no", None: "none"}.get(v, str(v)) if isinstance(v, bool | None) else str(v) for v in found]  # fmt: skip
    at = range(len(found))
    axes.bar(at, [100 * float(p) for p in found.values()], color="#4472a8")
    step = -(-len(names) // NAMED)
    axes.set_xticks(list(at)[::step], names[::step])
    axes.set_xlabel(label)
    axes.set_ylabel("%")
    if odds.simulation is not None:
        shares = [100 * odds.simulation.share(place, value) for value in found]
        errors = [200 * odds.simulation.error(float(p)) for p in found.values()]
        axes.errorbar(at, shares, errors, fmt="o", color="#c0504d", markersize=3, label="simulated")
        axes.legend()
