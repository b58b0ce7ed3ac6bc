"""`grognard mutate`: breaks the rules one thing at a time, and says which breaks no example of play notices."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING

from grognard.cli.console import Console, plural, seconds
from grognard.cli.errors import FAILED, OK, UserError, quoted
from grognard.cli.loading import add_errata, add_json, add_title, chosen_errata, number, refuse_broken

if TYPE_CHECKING:
    from pathlib import Path

    from grognard.contract.mutants import Mutant, Mutants
    from grognard.play.mutation.score import Score
    from grognard.play.mutation.sections import Search
    from grognard.play.mutation.trial import Trial, Verdict


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument("--only", metavar="FILE", help="only what stands in this file or folder")
    parser.add_argument("--since", metavar="REV", help="only lines that differ from this revision of git")
    parser.add_argument(
        "--kind", metavar="KIND", help="only changes of this kind: constant, guard, effect ..."
    )
    parser.add_argument("--sample", type=number(1), metavar="N", help="a random sample of N mutants")
    parser.add_argument("--seed", type=number(0), default=1, metavar="N", help="of the sample (default: 1)")
    parser.add_argument(
        "--sections",
        action="store_true",
        help="only until each section has a change that an example notices; with --record far cheaper than all changes",
    )
    parser.add_argument(
        "--jobs", type=number(1, 1024), default=os.cpu_count() or 1, metavar="N",
        help="mutants at once (default: as many as there are processors)",
    )  # fmt: skip
    parser.add_argument(
        "--at-least", type=number(0, 100), metavar="PERCENT", help="status 1 if fewer are noticed"
    )
    parser.add_argument(
        "--record", action="store_true", help="write mutation.json to the title's folder, for `coverage`"
    )
    add_json(parser)
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.play.mutation.score import told

    chosen_part = bool(args.only or args.since or args.kind or args.sample)
    if args.record and chosen_part:
        raise UserError(
            "--record is for all mutants of a title", "leave --only, --since, --kind and --sample away"
        )
    if args.sections and args.at_least is not None:
        raise UserError(
            "--at-least is for a share of mutants",
            "--sections stops at the first that is noticed: leave one away",
        )
    start = time.perf_counter()
    with console.progress(f"checking {args.title}"):
        found = load_mutants(args.title, chosen_errata(args), console)
    chosen = _chosen(args, found)
    if args.sections:
        return _run_sections(args, found, chosen, start, console)
    trial, made = try_mutants(found, chosen, args.jobs, console, sampled=bool(args.sample))
    took = time.perf_counter() - start
    written = _write(made, found) if args.record else None
    enough = args.at_least is None or 100 * made.share >= args.at_least
    if args.json:
        interval = [round(end, 4) for end in made.interval()] if args.sample else None
        console.json(
            {
                "title": found.ruleset.id,
                "mutants": len(found.mutants),
                "tried": made.tried,
                "killed": len(made.killed),
                "valid": made.valid,
                "share": round(made.share, 4),
                "interval": interval,
                "equivalent": [told(v) | {"why": known.why} for v, known in made.equivalent],
                "refuted": [{"place": known.place, "file": known.file} for _, known in made.refuted],
                "stale": [{"place": known.place, "file": known.file} for known in made.stale],
                "failing_examples": [example.title for example in trial.failing],
                "survivors": [told(verdict) for verdict in made.survived],
                "sections": {name: list(counts) for name, counts in made.sections().items()},
                "seconds": round(took, 3),
            }
        )
        return OK if enough else FAILED
    for verdict in made.survived:
        _tell(verdict, console)
    for verdict, known in made.refuted:
        console.print(
            f"{known.place}: recorded as equivalent, but example {quoted(verdict.killer.title)} notices it"  # type: ignore[union-attr]
        )
    for known in made.stale:
        console.print(f"{known.place}: recorded as equivalent, but {known.file} has no such line any more")
    for example in trial.failing:
        console.note(f"example {quoted(example.title)} fails without any change and was left out")
    if made.survived:
        console.print(_kinds(made))
    console.print(f"{found.ruleset.name}: {made} ({seconds(took)})")
    if written is not None:
        console.print(f"written to {written}")
    return OK if enough else FAILED


def _run_sections(
    args: argparse.Namespace, found: Mutants, chosen: list[Mutant], start: float, console: Console
) -> int:
    """Only until each section has a change that an example notices."""
    from grognard.play.mutation.score import told

    trial, search = assert_sections(found, chosen, args.jobs, console)
    made = score_of(search, found)
    took = time.perf_counter() - start
    written = _write(made, found) if args.record else None
    left = sorted(search.open)
    if args.json:
        console.json(
            {
                "title": found.ruleset.id,
                "mutants": len(found.mutants),
                "tried": made.tried,
                "asserted": sorted(search.asserted),
                "not_asserted": left,
                "failing_examples": [example.title for example in trial.failing],
                "survivors": [told(v) for v in made.survived if not search.open.isdisjoint(v.mutant.cites)],
                "sections": {name: list(counts) for name, counts in made.sections().items()},
                "seconds": round(took, 3),
            }
        )
        return OK
    for section in left:
        console.print(console.style("cite", f"[{section}]"))
        for verdict in made.survived:
            if section in verdict.mutant.cites:
                _tell(verdict, console)
    for example in trial.failing:
        console.note(f"example {quoted(example.title)} fails without any change and was left out")
    console.print(
        f"{found.ruleset.name}: {len(search.asserted):,} of {plural(len(search.wanted), 'section')} asserted; "
        f"{made.tried:,} of {plural(len(found.mutants), 'mutant')} tried ({seconds(took)})"
    )
    if written is not None:
        console.print(f"written to {written}")
    return OK


def _write(made: Score, found: Mutants) -> Path:
    from grognard.play.mutation.score import record

    try:
        return record(made, found.ruleset)
    except OSError as problem:
        raise UserError(f"the record cannot be written: {problem}") from problem


def load_mutants(title: str, errata: list[str] | None, console: Console) -> Mutants:
    """A title with its mutants; otherwise the messages are shown and nothing goes on."""
    from grognard.compiler_access import mutants_of
    from grognard.support.diagnostics import Sink

    sink = Sink()
    found = mutants_of(title, sink, errata=errata)
    if found is None:
        refuse_broken(title, None, sink, errata, console)
    return found


def try_mutants(
    found: Mutants, chosen: list[Mutant], jobs: int, console: Console, *, sampled: bool = False
) -> tuple[Trial, Score]:
    """Learn what the examples touch, then run them against the chosen mutants."""
    from grognard.play.mutation.score import score
    from grognard.play.mutation.trial import trials

    ruleset = found.ruleset
    trial = _learnt(found, console)
    verdicts: list[Verdict] = []
    answers = trials(trial, chosen, jobs)
    with console.progress(f"{ruleset.name}: mutants", len(chosen)) as progress:
        for verdict in answers:
            verdicts.append(verdict)
            progress.advance(len(verdicts))
    return trial, score(verdicts, found.mutants, found.equivalent, sampled=sampled)


def assert_sections(
    found: Mutants, chosen: list[Mutant], jobs: int, console: Console
) -> tuple[Trial, Search]:
    """Learn what the examples touch, then try mutants until each section has one that is noticed."""
    from grognard.play.mutation.sections import search_sections

    trial = _learnt(found, console)
    sections = {cite for mutant in chosen for cite in mutant.cites}
    with console.progress(f"{found.ruleset.name}: sections", len(sections)) as progress:
        search = search_sections(
            trial, chosen, found.equivalent, jobs, lambda search: progress.advance(len(search.asserted))
        )
    return trial, search


def score_of(search: Search, found: Mutants) -> Score:
    from grognard.play.mutation.score import score

    return score(search.verdicts, found.mutants, found.equivalent)


def _learnt(found: Mutants, console: Console) -> Trial:
    from grognard.play.mutation.trial import Trial

    ruleset = found.ruleset
    with console.progress(f"{ruleset.name}: examples", len(ruleset.examples)) as progress:
        return Trial(ruleset, progress.advance)


def _chosen(args: argparse.Namespace, found: Mutants) -> list[Mutant]:
    from grognard.contract.mutants import KINDS
    from grognard.play.mutation.selection import NoRevision, in_file, sample, since
    from grognard.support.suggest import hint_for

    chosen = found.mutants
    if args.kind:
        if args.kind not in KINDS:
            hint = hint_for(args.kind, list(KINDS)) or f"it is one of {', '.join(KINDS)}"
            raise UserError(f"there is no kind of change {quoted(args.kind)}", hint)
        chosen = [mutant for mutant in chosen if mutant.kind == args.kind]
    if args.only:
        chosen = in_file(chosen, args.only)
        if not chosen:
            files = sorted({mutant.file for mutant in found.mutants})
            hint = hint_for(args.only, files) or "its files are " + ", ".join(files)
            raise UserError(f"nothing in {quoted(args.only)} can be changed in {found.ruleset.name}", hint)
    if args.since:
        try:
            chosen = since(chosen, found.ruleset.sources, found.ruleset.about.folder, args.since)
        except NoRevision as problem:
            raise UserError(f"git cannot compare with {quoted(args.since)}: {problem}") from problem
    return sample(chosen, args.sample, args.seed) if args.sample else chosen


def _tell(verdict: Verdict, console: Console) -> None:
    mutant = verdict.mutant
    cites = console.style("cite", f" [{', '.join(mutant.cites)}]") if mutant.cites else ""
    ran = f"{plural(verdict.candidates, 'example')} ran it" if verdict.candidates else "no example runs it"
    head = f"{mutant.place}  {mutant.kind} in {mutant.owner}{cites}: {ran}"
    console.print(head)
    for line in mutant.diff():
        console.print(f"    {console.style('bad' if line.startswith('-') else 'good', line)}")


def _kinds(made: Score) -> str:
    counts: dict[str, int] = {}
    for verdict in made.survived:
        counts[verdict.mutant.kind] = counts.get(verdict.mutant.kind, 0) + 1
    return "survivors: " + ", ".join(
        f"{n:,} {kind}" for kind, n in sorted(counts.items(), key=lambda c: -c[1])
    )
