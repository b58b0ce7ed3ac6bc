"""Chromium without a window, where it is installed: pages of our own as pictures and as PDF."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from grognard.cli.errors import UserError

#: Names that the browser has on different systems.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: A page of any size is drawn within this.
PATIENCE = 120


def find_browser(kind: str, instead: str) -> str:
    """The command of a browser; UserError if there is none.  `instead`: what can be written without it."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise UserError(
            f"a {kind} needs Chromium, which is not installed here",
            f"install the package `chromium`, or write {instead}: any browser shows it",
        )
    return browser


def photograph(browser: str, picture: str, target: Path, width: int, height: int) -> None:
    """An SVG picture as PNG."""
    _draw(browser, picture, "picture.svg", target, "--screenshot", f"--window-size={width},{height}")


def print_pdf(browser: str, page: str, target: Path) -> None:
    """A page of HTML as PDF, on paper of the size that its style asks for."""
    _draw(browser, page, "page.html", target, "--print-to-pdf", "--no-pdf-header-footer")


def _draw(browser: str, content: str, name: str, target: Path, what: str, *options: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, name)
        page.write_text(content, "utf-8")
        made = Path(folder, f"made{target.suffix}")
        command = [
            browser, "--headless", "--disable-gpu", "--disable-background-networking", "--no-first-run",
            "--disable-sync", "--disable-component-update", "--hide-scrollbars", f"--user-data-dir={folder}/profile",
            *options, f"{what}={made}", page.as_uri(),
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # As root, in a container, Chromium has no sandbox; the page is our own.
            command.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise UserError(
                f"Chromium drew nothing in {PATIENCE} s", "write the other format instead"
            ) from None
        if done.returncode or not made.is_file():
            raise UserError("Chromium drew nothing", "write the other format instead")
        shutil.copyfile(made, target)
