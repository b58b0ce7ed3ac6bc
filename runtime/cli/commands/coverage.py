"""`grognard coverage`: the rulebook's sections, encoded, exercised, missing."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from grognard.cli.console import Console, plural
from grognard.cli.errors import OK
from grognard.cli.loading import add_errata, add_json, add_title, chosen_errata, load_title

if TYPE_CHECKING:
    from grognard.play.coverage import SectionCoverage

LISTS = ("missing", "encoded", "exercised", "not-applicable", "all")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument(
        "--list", choices=LISTS, help="name the sections; `encoded` are those without an example"
    )
    add_json(parser)
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.play.coverage import exercised_by, measure_coverage
    from grognard.play.examples import ExampleRunner

    with console.progress(f"checking {args.title}"):
        ruleset = load_title(args.title, chosen_errata(args), console, examples=True)
    results = []
    runner = ExampleRunner(ruleset, "interpreter")
    with console.progress(f"{ruleset.name}: examples", len(ruleset.examples)) as progress:
        for number, example in enumerate(ruleset.examples, 1):
            results.append(runner.run(example))
            progress.advance(number)
    found = measure_coverage(ruleset, exercised_by(ruleset, results))
    if args.json:
        console.json(
            {
                "title": ruleset.id,
                "has_rulebook": found.has_rulebook,
                "rules": found.rules,
                "encoded": found.encoded,
                "exercised": found.exercised,
                "missing": found.missing,
                "not_applicable": found.not_applicable,
                "sections": [
                    {
                        "id": s.id,
                        "title": s.title,
                        "state": s.state,
                        "why": s.why,
                        "places": [{"file": p.file, "line": p.line} for p in s.spans],
                    }
                    for s in found.sections
                ],
            }
        )
        return OK
    if args.list:
        wanted = args.list.replace("-", " ")
        shown = [s for s in found.sections if args.list == "all" or s.state == wanted]
        for section in shown:
            console.print(_line(section, console, args.list == "all"))
        what = "in all" if args.list == "all" else wanted
        console.print(f"{plural(len(shown), 'section')} {what}")
        return OK
    console.print(console.style("title", ruleset.name))
    console.table(
        ("sections", "number", "share"),
        [
            ("rules to encode", f"{found.rules:,}", ""),
            ("  encoded", f"{found.encoded:,}", _share(found.encoded, found.rules)),
            ("  exercised by examples", f"{found.exercised:,}", _share(found.exercised, found.rules)),
            ("  missing", f"{found.missing:,}", _share(found.missing, found.rules)),
            ("not applicable", f"{found.not_applicable:,}", ""),
        ],
        right=(1, 2),
    )
    if not found.has_rulebook:
        console.print(
            "There is no rulebook.yaml: only sections that the rules cite are known, none can be missing."
        )
    elif found.missing:
        console.print(f"`grognard coverage {args.title} --list missing` names what is missing.")
    return OK


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""


def _line(section: SectionCoverage, console: Console, with_state: bool) -> str:
    text = f"{console.style('cite', section.id)}  {section.title}".rstrip()
    if with_state:
        text += f"  ({section.state})"
    if section.why:
        text += f"  {console.style('dim', section.why)}"
    if section.spans:
        first = section.spans[0]
        more = f" and {len(section.spans) - 1} more" if len(section.spans) > 1 else ""
        text += f"  {console.style('dim', f'{first.file}:{first.line}{more}')}"
    return text
