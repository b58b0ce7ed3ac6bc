"""`grognard map`: the map of a scenario with its counters, as a picture."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_backend, add_errata, add_scenario, add_title, engine_to_run

#: Names that the browser has on different systems.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: A map of any size is drawn within this.
PATIENCE = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    add_scenario(parser)
    parser.add_argument(
        "--output", metavar="FILE", required=True, help="where to: FILE.svg, or FILE.png (needs Chromium)"
    )
    add_backend(parser, default="interpreter")
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.drawing import draw_map

    target = Path(args.output)
    kind = target.suffix.lower()
    if kind not in (".svg", ".png"):
        raise UserError(
            f"a map cannot be written as {quoted(target.name)}",
            "give --output a name that ends in .svg or .png",
        )
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if kind == ".png" and browser is None:
        raise UserError(
            "a .png needs Chromium, which is not installed here",
            "install the package `chromium`, or write an .svg: any browser shows it",
        )
    engine = engine_to_run(args, console)
    picture = draw_map(engine, args.scenario)
    try:
        if kind == ".svg":
            target.write_text(picture, "utf-8")
        else:
            assert browser is not None
            _photograph(browser, picture, target)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}", "give another --output") from error
    console.print(f"{target}  {target.stat().st_size / 1000:.0f} KB")
    return OK


def _photograph(browser: str, picture: str, target: Path) -> None:
    """The picture in the browser without a window."""
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', picture)
    width, height = (round(float(size[1])), round(float(size[2]))) if size else (1200, 900)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "map.svg")
        page.write_text(picture, "utf-8")
        made = Path(folder, "map.png")
        command = [
            browser, "--headless", "--disable-gpu", "--disable-background-networking", "--no-first-run",
            "--disable-sync", "--disable-component-update", "--hide-scrollbars", f"--user-data-dir={folder}/profile",
            f"--window-size={width},{height}", f"--screenshot={made}", page.as_uri(),
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # As root, in a container, Chromium has no sandbox; the page is our own.
            command.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise UserError(f"Chromium drew no picture in {PATIENCE} s", "write an .svg instead") from None
        if done.returncode or not made.is_file():
            raise UserError("Chromium drew no picture", "write an .svg instead")
        shutil.copyfile(made, target)
