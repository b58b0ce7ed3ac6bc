"""`grognard tune`: the weights of a title's evaluation, fitted by self-play."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.cli.commands.match import checked_bot
from grognard.cli.console import Console, seconds
from grognard.cli.errors import OK, UserError
from grognard.cli.loading import add_games, add_running, add_title, engine_to_run, number

if TYPE_CHECKING:
    from grognard.bots.tuning import Tuned
    from grognard.engine import Engine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    add_games(parser, 40, 100_000)
    parser.add_argument(
        "--seconds",
        type=number(1, 1_000_000),
        metavar="N",
        help="begin no further game after so many seconds",
    )
    parser.add_argument("--bot", default="greedy:40", help="who plays against itself (default: greedy:40)")
    parser.add_argument(
        "--output", metavar="FILE", help="where the weights are written (default: where the title keeps them)"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the weights and write nothing")
    add_running(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.bots.tuning import tune

    checked_bot(args.bot)
    engine = engine_to_run(args, console)
    scenarios = [args.scenario] if args.scenario else [engine.default_scenario]
    with console.progress(f"{engine.title}: {args.bot} against itself", args.games) as progress:
        found = tune(
            engine,
            scenarios,
            games=args.games,
            seed=args.seed,
            seconds=args.seconds,
            bot=args.bot,
            progress=progress.advance,
        )
    record = (
        f"seed {args.seed}, {found.games} games of {', '.join(scenarios)} by {args.bot}, {found.positions} positions; "
        f"loss on {found.kept_back} kept back {found.loss_before:.4f} -> {found.loss_after:.4f}"
    )
    written = None if args.dry_run else _write(engine, found, record, args.output)
    if args.json:
        console.json(
            {
                "title": engine.name,
                "scenarios": scenarios,
                "bot": args.bot,
                "seed": args.seed,
                "games": found.games,
                "positions": found.positions,
                "kept_back": found.kept_back,
                "loss_before": found.loss_before,
                "loss_after": found.loss_after,
                "weights": found.values,
                "before": dict(zip(found.weights.terms, found.weights.values, strict=True)),
                "idle": found.idle,
                "file": None if written is None else str(written),
                "seconds": round(found.seconds, 3),
            }
        )
        return OK
    console.print(f"{engine.title}, {record}")
    rows = [
        (term, str(before), str(found.values[term]), "nothing depended on it" if term in found.idle else "")
        for term, before in zip(found.weights.terms, found.weights.values, strict=True)
    ]
    console.table(("term", "before", "now", ""), rows, right=(1, 2))
    if found.loss_after >= found.loss_before:
        console.print("No other weights explain the games that were kept back better: they stay as they are.")
    console.print(f"{seconds(found.seconds)}." + ("" if written is None else f" Written to {written}."))
    return OK


def _write(engine: Engine, found: Tuned, record: str, output: str | None) -> Path:
    """The file that keeps the weights, with the new ones; without --output the title's own, or the series'."""
    from grognard.bots.weights import weights_file, written_weights

    known = weights_file(engine, found.weights.name)
    assert known is not None
    target = Path(output) if output else known
    text = written_weights(known.read_text("utf-8"), found.weights.name, found.values, record)
    try:
        target.write_text(text, "utf-8")
    except OSError as error:
        raise UserError(
            f"{target} cannot be written: {error.strerror or error}", "--output FILE writes another file"
        ) from None
    return target
