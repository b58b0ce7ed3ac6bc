"""`grognard coverage`: the rulebook's sections: cited by code, run, asserted, missing, not applicable."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from grognard.cli.console import Console, plural
from grognard.cli.errors import OK
from grognard.cli.loading import add_errata, add_json, add_title, chosen_errata, load_title, number

if TYPE_CHECKING:
    from grognard.contract.ruleset import Ruleset
    from grognard.play.coverage import Coverage, SectionCoverage

LISTS = (
    "missing",
    "encoded",
    "exercised",
    "not-applicable",
    "declared",
    "not-run",
    "not-asserted",
    "justified",
    "asserted",
    "all",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument(
        "--list",
        choices=LISTS,
        help="name the sections; `encoded` are those without an example, `declared` those that nothing that runs cites, `justified` those that no example can assert, with the reason",
    )
    parser.add_argument(
        "--asserted",
        action="store_true",
        help="work out what examples assert, by changing lines (see `mutate --sections`), instead of reading the record",
    )
    parser.add_argument(
        "--jobs", type=number(1, 1024), default=os.cpu_count() or 1, metavar="N",
        help="with --asserted: changes at once (default: as many as there are processors)",
    )  # fmt: skip
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
        for count, example in enumerate(ruleset.examples, 1):
            results.append(runner.run(example))
            progress.advance(count)
    noticed = _noticed(args, ruleset, console)
    found = measure_coverage(ruleset, exercised_by(ruleset, results), noticed)
    if args.json:
        console.json(
            {
                "title": ruleset.id,
                "has_rulebook": found.has_rulebook,
                "rules": found.rules,
                "encoded": found.encoded,
                "exercised": found.exercised,
                "cited_by_code": found.code,
                "declared": found.declared,
                "run": found.run,
                "asserted": found.asserted,
                "justified": found.justified,
                "missing": found.missing,
                "not_applicable": found.not_applicable,
                "sections": [
                    {
                        "id": s.id,
                        "title": s.title,
                        "state": s.state,
                        "cited_by_code": s.code,
                        "run": s.run,
                        "asserted": s.asserted,
                        "noticed": list(s.noticed),
                        "why": s.why,
                        "places": [{"file": p.file, "line": p.line} for p in s.spans],
                    }
                    for s in found.sections
                ],
            }
        )
        return OK
    if args.list:
        shown = [s for s in found.sections if _wanted(s, args.list)]
        for section in shown:
            console.print(_line(section, console, args.list == "all"))
        what = "in all" if args.list == "all" else args.list.replace("-", " ")
        console.print(f"{plural(len(shown), 'section')} {what}")
        return OK
    _summary(found, ruleset, args.title, console)
    return OK


def _noticed(
    args: argparse.Namespace, ruleset: Ruleset, console: Console
) -> dict[str, tuple[int, int]] | None:
    """For each section the changes that examples notice: worked out, or from the record; None without either."""
    if args.asserted:
        from grognard.cli.commands.mutate import assert_sections, load_mutants, score_of

        made = load_mutants(args.title, chosen_errata(args), console)
        _, search = assert_sections(made, made.mutants, args.jobs, console)
        return score_of(search, made).sections()
    from grognard.play.mutation.score import read_record

    recorded = read_record(ruleset)
    if recorded is None:
        return None
    if recorded.changed:
        files = ", ".join(recorded.changed[:4]) + (" ..." if len(recorded.changed) > 4 else "")
        console.note(
            f"what is asserted is from {recorded.path.name}, which is older than {files}: "
            f"`grognard mutate {args.title} --record` writes it anew"
        )
    return recorded.sections


def _summary(found: Coverage, ruleset: Ruleset, title: str, console: Console) -> None:
    asserted = found.asserted
    console.print(console.style("title", ruleset.name))
    console.table(
        ("sections", "number", "share"),
        [
            ("rules to encode", f"{found.rules:,}", ""),
            ("  encoded", f"{found.encoded:,}", _share(found.encoded, found.rules)),
            ("    cited by code", f"{found.code:,}", _share(found.code, found.rules)),
            ("    by declarations alone", f"{found.declared:,}", _share(found.declared, found.rules)),
            ("  exercised by examples", f"{found.exercised:,}", _share(found.exercised, found.rules)),
            ("    run", f"{found.run:,}", _share(found.run, found.rules)),
            (
                "    asserted",
                "not tried" if asserted is None else f"{asserted:,}",
                "" if asserted is None else _share(asserted, found.rules),
            ),
            (
                "    not asserted, with a reason",
                "" if asserted is None else f"{found.justified:,}",
                "" if asserted is None else _share(found.justified, found.rules),
            ),
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
        console.print(f"`grognard coverage {title} --list missing` names what is missing.")
    if asserted is None:
        console.print(f"`grognard coverage {title} --asserted` tries what the examples assert.")
    elif asserted + found.justified < found.rules:
        console.print(f"`grognard coverage {title} --list not-asserted` names what no example asserts.")


def _wanted(section: SectionCoverage, name: str) -> bool:
    from grognard.play.coverage import justified

    rule = section.state in ("encoded", "exercised")
    match name:
        case "all":
            return True
        case "declared":
            return rule and not section.code
        case "not-run":
            return section.code and not section.run
        case "asserted":
            return section.asserted is True
        case "not-asserted":
            return rule and section.asserted is not True and not section.why
        case "justified":
            return justified(section)
    return section.state == name.replace("-", " ")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""


def _line(section: SectionCoverage, console: Console, with_state: bool) -> str:
    text = f"{console.style('cite', section.id)}  {section.title}".rstrip()
    if with_state:
        words = [section.state, *(["declared"] if section.spans and not section.code else [])]
        words += ["run"] if section.run else []
        words += ["asserted"] if section.asserted else []
        text += f"  ({', '.join(words)})"
    if section.noticed[1]:
        text += f"  {section.noticed[0]} of {plural(section.noticed[1], 'change')} noticed"
    if section.why:
        text += f"  {console.style('dim', section.why)}"
    if section.spans:
        first = section.spans[0]
        more = f" and {len(section.spans) - 1} more" if len(section.spans) > 1 else ""
        text += f"  {console.style('dim', f'{first.file}:{first.line}{more}')}"
    return text
