"""The figures of a study as pictures.  Needs matplotlib (`pip install grognard[plot]`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from grognard.simulate.figures import Figures, Share
from grognard.simulate.study import Game
from matplotlib.figure import Figure

#: Types of counters of which bars are drawn: those that are lost most.
TYPES = 24
COLOURS = ("#4472a8", "#b5653a", "#5b8c5a", "#8a6aa8", "#b09a3c", "#777777")


def draw_plots(
    folder: Path, title: str, found: Sequence[Figures], games: Sequence[Sequence[Game]], form: str = "svg"
) -> list[Path]:
    """Wins, lengths and losses; the files."""
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "grognard"}):
        made = [_wins(title, found), _lengths(title, found, games), _losses(title, found)]
        paths = []
        for name, figure in zip(("wins", "length", "losses"), made, strict=True):
            if figure is None:
                continue
            path = folder / f"{name}.{form}"
            figure.savefig(path, dpi=150, metadata={"Date": None} if form == "svg" else None)
            paths.append(path)
    return paths


def _wins(title: str, found: Sequence[Figures]) -> Figure:
    """The share of wins of each side in each variant, with its interval."""
    sides = list(found[0].wins)
    labels = [*sides, "draw"]
    figure = Figure(figsize=(8, 1.4 + 0.5 * len(labels) * len(found)), layout="constrained")
    axes: Any = figure.subplots()
    rows: list[tuple[str, Share, str]] = []
    for figures in found:
        name = f"{figures.variant}: " if len(found) > 1 else ""
        for place, side in enumerate(sides):
            rows.append((name + side, figures.wins[side], COLOURS[place % len(COLOURS)]))
        if figures.draws.count:
            rows.append((f"{name}draw", figures.draws, "#999999"))
    for height, (_name, share, colour) in enumerate(rows):
        low, high = share.interval
        value = share.value
        axes.barh(height, 100 * value, color=colour, height=0.7)
        axes.errorbar(
            100 * value,
            height,
            xerr=[[max(100 * (value - low), 0)], [max(100 * (high - value), 0)]],
            fmt="none",
            ecolor="#222222",
            capsize=4,
        )
        axes.text(100 * high + 1, height, f"{100 * value:.1f} %", va="center")
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, max(100 * row[1].interval[1] for row in rows) + 12)
    axes.set_xlabel("% of games, with 95 % intervals")
    figure.suptitle(f"{title}: who wins")
    return figure


def _lengths(title: str, found: Sequence[Figures], games: Sequence[Sequence[Game]]) -> Figure:
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    axes: Any = figure.subplots()
    # Titles whose orders are forms complete no actions.
    counts_actions = any(game.plies for group in games for game in group)
    lengths = [[game.plies if counts_actions else game.answers for game in group] for group in games]
    longest = max((length for group in lengths for length in group), default=1)
    bins = min(40, longest + 1)
    for place, (figures, group) in enumerate(zip(found, lengths, strict=True)):
        axes.hist(
            group, bins=bins, range=(0, longest), histtype="step" if len(found) > 1 else "bar",
            color=COLOURS[place % len(COLOURS)], label=figures.variant, linewidth=1.6,
        )  # fmt: skip
    if len(found) > 1:
        axes.legend()
    axes.set_xlabel(f"{'completed actions' if counts_actions else 'answers'} in a game")
    axes.set_ylabel("games")
    figure.suptitle(f"{title}: how long games are")
    return figure


def _losses(title: str, found: Sequence[Figures]) -> Figure | None:
    """Of the first variant: the types that are lost most, by side."""
    losses = found[0].losses
    if not losses:
        return None
    chosen = sorted(losses, key=lambda key: -losses[key].mean)[:TYPES]
    sides = list(dict.fromkeys(side for side, _ in losses))
    chosen.sort(key=lambda key: (sides.index(key[0]), -losses[key].mean))
    figure = Figure(figsize=(8, 1.4 + 0.3 * len(chosen)), layout="constrained")
    axes: Any = figure.subplots()
    for height, key in enumerate(chosen):
        found_here = losses[key]
        low, high = found_here.interval
        axes.barh(height, found_here.mean, color=COLOURS[sides.index(key[0]) % len(COLOURS)], height=0.7)
        axes.errorbar(
            found_here.mean, height, xerr=[[max(found_here.mean - low, 0)], [max(high - found_here.mean, 0)]], fmt="none",
            ecolor="#222222", capsize=3,
        )  # fmt: skip
    axes.set_yticks(
        range(len(chosen)), [f"{kind or 'counter'} ({side or 'nobody'})" for side, kind in chosen]
    )
    axes.invert_yaxis()
    axes.set_xlabel("counters that leave play in a game, with 95 % intervals")
    figure.suptitle(f"{title}: losses")
    return figure
