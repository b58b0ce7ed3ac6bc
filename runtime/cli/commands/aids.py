"""`grognard aids`: the charts of a title as players want them beside the board."""

from __future__ import annotations

import argparse
from pathlib import Path

from grognard.cli.browser import find_browser, print_pdf
from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_backend, add_errata, add_scenario, add_title, engine_to_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    add_scenario(parser)
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="where to: FILE.html, or FILE.pdf (needs Chromium); default: TITLE-aids.html",
    )
    parser.add_argument("--no-map", action="store_true", help="leave the map out")
    add_backend(parser, default="interpreter")
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.aids import aids_page, coverage_chart, title_charts
    from grognard.compiler_access import declared_charts, scenario_infos
    from grognard.play.coverage import measure_coverage
    from grognard.play.mutation.score import read_record

    target = Path(args.output or f"{Path(args.title).name}-aids.html")
    browser = checked_target(target)
    engine = engine_to_run(args, console)
    folder = str(engine.ruleset.about.folder)
    charts = title_charts(
        engine, declared_charts(engine.ruleset), scenario_infos(folder) or [], args.scenario
    )
    recorded = read_record(engine.ruleset)
    coverage = measure_coverage(engine.ruleset, (), recorded.sections if recorded is not None else None)
    charts.append(coverage_chart(coverage))
    page = aids_page(engine, charts, args.scenario, not args.no_map)
    write_page(page, target, browser)
    console.print(f"{target}  {len(charts)} charts, {target.stat().st_size / 1000:.0f} KB")
    return OK


def checked_target(target: Path) -> str | None:
    """The browser that a PDF needs, None for HTML; UserError for other files."""
    kind = target.suffix.lower()
    if kind not in (".html", ".pdf"):
        raise UserError(
            f"pages cannot be written as {quoted(target.name)}",
            "give --output a name that ends in .html or .pdf",
        )
    return find_browser(kind, "an .html") if kind == ".pdf" else None


def write_page(page: str, target: Path, browser: str | None) -> None:
    try:
        if browser is None:
            target.write_text(page, "utf-8")
        else:
            print_pdf(browser, page, target)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}", "give another --output") from error
