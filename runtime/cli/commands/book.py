"""`grognard book`: the living rulebook of a title, section by section."""

from __future__ import annotations

import argparse
from pathlib import Path

from grognard.cli.commands.aids import checked_target, write_page
from grognard.cli.console import Console
from grognard.cli.errors import OK
from grognard.cli.loading import add_errata, add_title, chosen_errata, load_title


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="where to: FILE.html, or FILE.pdf (needs Chromium); default: TITLE-book.html",
    )
    parser.add_argument(
        "--no-examples",
        action="store_true",
        help="do not run the examples of play: what they prove is left open",
    )
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.aids import book_page, title_charts
    from grognard.compiler_access import declared_charts
    from grognard.engine import Engine
    from grognard.play.coverage import exercised_by, measure_coverage
    from grognard.play.examples import ExampleRunner
    from grognard.play.mutation.score import read_record

    target = Path(args.output or f"{Path(args.title).name}-book.html")
    browser = checked_target(target)
    with console.progress(f"checking {args.title}"):
        ruleset = load_title(args.title, chosen_errata(args), console, examples=True)
    exercised: set[str] = set()
    if not args.no_examples:
        runner = ExampleRunner(ruleset, "interpreter")
        with console.progress(f"{ruleset.name}: examples", len(ruleset.examples)) as progress:
            results = []
            for count, example in enumerate(ruleset.examples, 1):
                results.append(runner.run(example))
                progress.advance(count)
        exercised = exercised_by(ruleset, results)
    recorded = read_record(ruleset)
    coverage = measure_coverage(ruleset, exercised, recorded.sections if recorded is not None else None)
    engine = Engine(ruleset, backend="interpreter")
    declared = declared_charts(ruleset)
    page = book_page(engine, declared, title_charts(engine, declared, []), coverage)
    write_page(page, target, browser)
    console.print(f"{target}  {len(coverage.sections)} sections, {target.stat().st_size / 1000:.0f} KB")
    return OK
