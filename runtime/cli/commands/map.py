"""`grognard map`: the map of a scenario with its counters, as a picture."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from grognard.cli.browser import find_browser, photograph, print_pdf
from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_backend, add_errata, add_scenario, add_title, engine_to_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    add_scenario(parser)
    parser.add_argument(
        "--output",
        metavar="FILE",
        required=True,
        help="where to: FILE.svg, or FILE.png or FILE.pdf (need Chromium)",
    )
    add_backend(parser, default="interpreter")
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.drawing import draw_map

    target = Path(args.output)
    kind = target.suffix.lower()
    if kind not in (".svg", ".png", ".pdf"):
        raise UserError(
            f"a map cannot be written as {quoted(target.name)}",
            "give --output a name that ends in .svg, .png or .pdf",
        )
    browser = find_browser(kind, "an .svg") if kind != ".svg" else None
    engine = engine_to_run(args, console)
    picture = draw_map(engine, args.scenario)
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', picture)
    width, height = (round(float(size[1])), round(float(size[2]))) if size else (1200, 900)
    try:
        if browser is None:
            target.write_text(picture, "utf-8")
        elif kind == ".png":
            photograph(browser, picture, target, width, height)
        else:
            style = f"@page {{ size: {width}px {height}px; margin: 0 }} html, body {{ margin: 0 }} svg {{ display: block }}"
            page = f'<!doctype html><meta charset="utf-8"><style>{style}</style>{picture}'
            print_pdf(browser, page, target)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}", "give another --output") from error
    console.print(f"{target}  {target.stat().st_size / 1000:.0f} KB")
    return OK
