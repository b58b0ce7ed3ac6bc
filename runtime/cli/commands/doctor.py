"""`grognard doctor`: what is installed, whether it works, and what each part is for."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from textwrap import wrap

from grognard.cli.console import Console, plural
from grognard.cli.errors import FAILED, OK
from grognard.cli.loading import add_json

SIGNS = {"ok": "✓", "absent": "–", "wrong": "✗"}
STYLES = {"ok": "good", "absent": "dim", "wrong": "bad"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.cli.health import examine

    with console.progress("looking around"):
        checks = list(examine())
    wrong = [check for check in checks if check.state == "wrong"]
    if args.json:
        console.json({"ok": not wrong, "checks": [asdict(check) for check in checks]})
        return FAILED if wrong else OK
    room = max(40, min(console.width, 110) - 6)
    for check in checks:
        sign = f"{SIGNS[check.state] if console.unicode else check.state:<{1 if console.unicode else 6}}"
        head = f"{console.style(STYLES[check.state], sign)} {console.style('title', check.part)}"
        console.print(f"{head}: {check.purpose}")
        for line in wrap(check.found, room, break_long_words=False, break_on_hyphens=False):
            console.print(f"    {line}")
        if check.hint and check.state != "ok":
            for line in wrap(check.hint, room, break_long_words=False, break_on_hyphens=False):
                console.print(f"    {console.style('hint', line)}")
    console.print()
    absent = sum(check.state == "absent" for check in checks)
    rest = f"; {plural(absent, 'part')} not installed, which nothing else needs" if absent else ""
    console.print(f"{plural(len(wrong), 'thing')} to mend{rest}." if wrong else f"All is well{rest}.")
    return FAILED if wrong else OK
