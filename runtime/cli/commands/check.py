"""`grognard check`: the diagnostics of titles."""

from __future__ import annotations

import argparse
import json

from grognard.cli.console import Console
from grognard.cli.errors import MISUSE, OK
from grognard.cli.loading import add_errata, add_json, chosen_errata, missing_title


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "titles", metavar="TITLE", nargs="+", help="ids of titles (see `grognard titles`), or folders"
    )
    add_json(parser)
    add_errata(parser)
    parser.add_argument("--strict", action="store_true", help="warnings count as errors")


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import check
    from grognard.support.diagnostics import (
        Severity,
        format_json,
        format_text,
        summary,
    )

    errata = chosen_errata(args)
    found: list[dict[str, object]] = []
    bad = False
    for title in args.titles:
        name, shown, sink = check(title, errata)
        problems = list(sink)
        if name is None and not args.json and len(args.titles) == 1:
            alone = missing_title(title, problems)
            if alone is not None:
                raise alone
        errors = sum(d.severity is Severity.error for d in problems)
        warnings = sum(d.severity is Severity.warning for d in problems)
        failed = sink.has_errors or (args.strict and warnings > 0)
        bad |= failed
        if args.json:
            found.append(
                {
                    "title": name or title,
                    "name": shown,
                    "ok": not failed,
                    "errors": errors,
                    "warnings": warnings,
                    "diagnostics": json.loads(format_json(problems)),
                }
            )
            continue
        if problems:
            console.print(format_text(problems, sink.sources, console.color))
        what = summary(problems)
        if failed and not errors:
            what += ", and warnings count as errors"
        console.print(console.style("bad" if failed else "good", f"{shown or title}: {what}"))
    if args.json:
        console.json({"ok": not bad, "titles": found})
    return MISUSE if bad else OK
