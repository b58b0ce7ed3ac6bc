"""`grognard diff`: what an erratum, or another version of a title, changes in rules, tables, data and in play."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.cli.commands.odds import add_question, query_of
from grognard.cli.console import Console, plural
from grognard.cli.errors import FAILED, OK, UserError, quoted
from grognard.cli.loading import (
    add_jobs,
    add_json,
    add_title,
    chosen_errata,
    missing_title,
    number,
    see_check,
    unknown_erratum,
)

if TYPE_CHECKING:
    from grognard.compare.recorded_games import RecordedGames
    from grognard.compare.report import Report, Share, Side
    from grognard.compare.shifted_odds import Shift
    from grognard.compare.versions import Version
    from grognard.contract.differences import ChangedSection
    from grognard.contract.ruleset import Ruleset
    from grognard.engine import Engine
    from grognard.odds.query import Weighing
    from grognard.play.divergence import Divergence

#: Forms that a file can have, by its name.
FORMS = (".html", ".md", ".json")
#: Cases of each declared situation.
CASES = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument(
        "other",
        metavar="OTHER",
        nargs="?",
        help="another version of the title: what it changes against TITLE",
    )
    parser.add_argument(
        "--errata", metavar="none|all|NAME", action="append",
        help="errata in force on the new side (default: all; may be repeated)",
    )  # fmt: skip
    parser.add_argument(
        "--against", metavar="none|all|NAME", action="append",
        help="errata in force on the old side (default: none; with OTHER, --rev or --try the same as --errata)",
    )  # fmt: skip
    parser.add_argument(
        "--rev", metavar="REV", action="append", default=[],
        help="the title as it was in a revision of git, against how it is; given twice, two revisions",
    )  # fmt: skip
    parser.add_argument(
        "--try", dest="tried", metavar="CHANGE", action="append", default=[],
        help="what if: a change as in an erratum, or in short: 'amend table crt (4, 9) = miss' (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--games",
        metavar="DIR",
        type=Path,
        help="the saved games of a folder, on all cores: whose course changes",
    )
    parser.add_argument(
        "--game",
        metavar="FILE",
        action="append",
        default=[],
        help="a saved game to replay in both (repeatable)",
    )
    parser.add_argument(
        "--random", metavar="N", type=number(0, 1000), default=3,
        help="games with random answers to replay in both (default: 3)",
    )  # fmt: skip
    parser.add_argument(
        "--answers", metavar="N", type=number(1, 100_000), default=200, help="answers of each (default: 200)"
    )
    parser.add_argument("--scenario", metavar="S", help="scenario of the random games (default: the first)")
    parser.add_argument(
        "--cases", metavar="N", type=number(0, 100_000), default=CASES,
        help=f"cases of each declared situation whose exact odds are compared (default: {CASES}; 0: none)",
    )  # fmt: skip
    parser.add_argument(
        "--odds", dest="what", metavar="WHAT",
        help="compare the exact odds of a situation or procedure, asked as in `grognard odds`",
    )  # fmt: skip
    add_question(parser)
    add_jobs(parser, None, "one for each core")
    parser.add_argument("--all", action="store_true", help="show every changed cell, case and game")
    parser.add_argument(
        "--output", metavar="FILE", type=Path, action="append", default=[],
        help="write it as a page (.html), for a forum (.md) or for programs (.json); repeatable",
    )  # fmt: skip
    add_json(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.cli.diff_text import show_report

    for target in args.output:
        if target.suffix.lower() not in FORMS:
            raise UserError(f"{quoted(str(target))} does not say its form", f"it ends in {', '.join(FORMS)}")
        if not target.parent.is_dir():
            raise UserError(f"there is no folder {quoted(str(target.parent))} to write into", None)
    if args.games is not None and not args.games.is_dir():
        raise UserError(f"--games: there is no folder {quoted(str(args.games))}", "a folder of saved games")
    report = _report(args, console)
    for target in args.output:
        _write(report, target)
    if args.json:
        console.json(report.as_json())
    else:
        show_report(report, console, every=args.all)
        for target in args.output:
            console.print(f"written: {target}")
    return FAILED if report.changed else OK


def _write(report: Report, target: Path) -> None:
    import json

    from grognard.compare.markdown import markdown
    from grognard.compare.page import page

    match target.suffix.lower():
        case ".html":
            text = page(report)
        case ".md":
            text = markdown(report)
        case _:
            text = json.dumps(report.as_json(), indent=2) + "\n"
    target.write_text(text, encoding="utf-8")


# -------------------------------------------------------------------------------------------- the two versions


@dataclass(frozen=True, slots=True)
class _Loaded:
    """One side of the comparison.  Rulesets with their sources are compiled anew; a cached one has none."""

    version: Version
    ruleset: Ruleset
    engine: Engine


def _versions(args: argparse.Namespace, console: Console) -> tuple[_Loaded, _Loaded, bool]:
    """Both sides, and whether they lie in different folders."""
    from grognard.compare.versions import at_revision

    ways = [bool(args.other), bool(args.rev), bool(args.tried)]
    if sum(ways) > 1:
        raise UserError("OTHER, --rev and --try are three ways to say what is compared", "take one of them")
    if len(args.rev) > 2:
        raise UserError(
            "--rev is given more than twice", "one revision against now, or two against each other"
        )
    named = chosen_errata(args) if args.errata else None
    new_errata = named if named is not None or any(ways) else ["all"]
    against = argparse.Namespace(errata=args.against)
    old_errata = chosen_errata(against) if args.against else (new_errata if any(ways) else [])
    if args.other:
        return _side(args.title, old_errata, console), _side(args.other, new_errata, console), True
    if args.rev:
        places = [at_revision(args.title, rev) for rev in args.rev]
        words = [f"as of {rev}" for rev in args.rev]
        if len(places) == 1:
            places.append(args.title)
            words.append("as it is now")
        return (
            _side(places[0], old_errata, console, words[0]),
            _side(places[1], new_errata, console, words[1]),
            False,
        )
    old = _side(args.title, old_errata, console, "as it is" if args.tried else "")
    if args.tried:
        return old, _try(args, old, console), False
    return old, _side(args.title, new_errata, console), False


def _try(args: argparse.Namespace, old: _Loaded, console: Console) -> _Loaded:
    from grognard.compare.versions import TRIED, tried
    from grognard.compiler_access import full_amendment
    from grognard.contract.errata import AmendmentError

    try:
        statements = [full_amendment(old.ruleset, text) for text in args.tried]
    except AmendmentError as wrong:
        raise UserError(f"--try: {wrong}", wrong.hint) from None
    folder = tried(args.title, statements)
    return _side(
        folder, [*old.ruleset.about.errata, TRIED], console, f"with {'; '.join(statements)}", tried_text=True
    )


def _side(
    where: str, errata: list[str] | None, console: Console, shown: str = "", *, tried_text: bool = False
) -> _Loaded:
    from grognard.compare.versions import Version
    from grognard.engine import Engine

    ruleset = _compiled(where, errata, console, tried_text)
    in_force = ruleset.about.errata
    sheets = f"with {', '.join(in_force)}" if in_force else "without errata"
    version = Version(where, None if errata is None else tuple(errata), shown or sheets)
    return _Loaded(version, ruleset, Engine(ruleset, None, "python"))


def _compiled(title: str, errata: list[str] | None, console: Console, tried_text: bool) -> Ruleset:
    """Compiled anew: what is compared are the sources, which a cached ruleset lacks."""
    from grognard.compiler_access import compile_title
    from grognard.support.diagnostics import Severity, Sink, format_text

    sink = Sink()
    ruleset = compile_title(title, sink, errata=errata)
    if ruleset is None or sink.has_errors:
        problems = list(sink)
        alone = missing_title(title, problems) or unknown_erratum(problems)
        if alone is not None:
            raise alone
        if tried_text:
            problems = [problem for problem in problems if problem.severity is Severity.error]
        console.note(format_text(problems, sink.sources, console.err_color))
        name = ruleset.name if ruleset else quoted(title)
        if tried_text:
            raise UserError("the change that is tried does not fit the rules", "see the message above")
        raise UserError(f"{name} has errors and cannot be compared", see_check(title, errata))
    return ruleset


# ----------------------------------------------------------------------------------------------- the comparison


def _report(args: argparse.Namespace, console: Console) -> Report:
    from grognard.compare.report import Rebuilds, Report, affected_sections, named_members
    from grognard.compare.set_ups import compare_set_ups
    from grognard.compiler_access import compare_rulesets

    with console.progress(f"comparing {args.title}") as progress:
        old, new, apart = _versions(args, console)
        report = Report(new.ruleset.id, _told(old, args.title), _told(new, args.other or args.title), apart)
        progress.say("comparing rules and data")
        report.sections = compare_rulesets(old.ruleset, new.ruleset)
        set_ups, report.saves = compare_set_ups(old.engine, new.engine)
        if (args.other or args.rev) and (set_ups.changes or set_ups.notes):
            report.sections.append(set_ups)
        book = new.ruleset.schema.rulebook
        titles = {} if book is None else {s.id: s.title for s in book.sections.values()}
        report.affected = affected_sections(report.sections, titles)
        progress.say("examples of play and games")
        report.courses = _divergences(args, old, new)
    odds_changed: bool | None = None
    if args.what is not None:
        report.asked = args.what
        with console.progress(f"odds of {args.what}"):
            report.odds = _odds(args, (old.engine, new.engine))
    elif args.cases and (report.sections or apart):
        report.situations = _situations(args, report, old, new, named_members(report.sections), console)
        if report.situations:
            odds_changed = _other_program(old.engine.bench().ruleset, new.engine.bench().ruleset)
    if args.games is not None:
        report.recorded = _recorded(args, report.sections, old, new, console)
    report.rebuilds = Rebuilds(_other_program(old.ruleset, new.ruleset), odds_changed)
    return report


def _told(side: _Loaded, folder: str) -> Side:
    from grognard.compare.report import Side

    return Side(folder, side.ruleset.name, tuple(side.ruleset.about.errata), side.version.shown)


def _other_program(old: Ruleset, new: Ruleset) -> bool:
    from grognard.contract.ruleset import program_hash

    return program_hash(old.program) != program_hash(new.program)


def _situations(
    args: argparse.Namespace,
    report: Report,
    old: _Loaded,
    new: _Loaded,
    named: Sequence[str],
    console: Console,
) -> list[Shift]:
    from grognard.compare.shifted_odds import compare_situations

    # What the front end knows of situations costs nothing; their program is compiled only if there are any.
    if not old.ruleset.situations and not new.ruleset.situations:
        return []
    with console.progress("odds of declared situations") as progress:
        return compare_situations(
            old.engine, new.engine, named, most=args.cases, policies=[*args.choose, *args.policy],
            progress=lambda done: progress.say(f"odds of declared situations: {done:,} cases"),
        )  # fmt: skip


def _odds(args: argparse.Namespace, engines: tuple[Engine, Engine]) -> list[Share]:
    from grognard.compare.report import Share

    before, after = ((query.odds()) for query in (_weighing(engine, args) for engine in engines))
    found: list[Share] = []
    for label in before.labels:
        one, other = before.distribution(label), after.distribution(label)
        for value in dict.fromkeys([*one, *other]):
            found.append(Share(label, value, float(one.get(value, 0.0)), float(other.get(value, 0.0))))
    if before.endless or after.endless:
        found.append(Share("never ends", True, float(before.endless), float(after.endless)))
    return found


def _weighing(engine: Engine, args: argparse.Namespace) -> Weighing:
    from grognard.odds.query import Weighing

    return Weighing(query_of(engine, args), plain=engine.setting_like)


def _divergences(args: argparse.Namespace, old: _Loaded, new: _Loaded) -> list[Divergence]:
    from grognard.play.divergence import compare_examples, compare_game, played_at_random, recorded
    from grognard.play.savefile import read_save

    divergences = compare_examples(old.ruleset, new.ruleset)
    scenarios = old.ruleset.scenario_names()
    if not scenarios:
        return divergences
    engines = old.engine, new.engine
    for path in args.game:
        saved = read_save(path)
        if saved.title != new.ruleset.id:
            raise UserError(f"{path} is a game of {saved.name}, not of {new.ruleset.name}")
        scenario, seed, answers = recorded(saved)
        divergences.append(compare_game(path, *engines, scenario, seed, answers))
    scenario = args.scenario or old.ruleset.default_scenario
    if scenario not in scenarios:
        raise UserError(
            f"{old.ruleset.name} has no scenario `{scenario}`", f"there are {', '.join(scenarios)}"
        )
    for seed in range(1, args.random + 1):
        answers = played_at_random(engines[0], scenario, seed, args.answers)
        divergences.append(compare_game(f"{scenario}, seed {seed}", *engines, scenario, seed, answers))
    return divergences


def _recorded(
    args: argparse.Namespace,
    sections: Sequence[ChangedSection],
    old: _Loaded,
    new: _Loaded,
    console: Console,
) -> RecordedGames:
    from grognard.compare.depends import changed_names
    from grognard.compare.recorded_games import MANY, compare_recorded, save_files
    from grognard.engine import Engine

    files = save_files(args.games)
    if not files:
        raise UserError(f"there is no saved game in {quoted(str(args.games))}", "saves end in .json")
    if len(files) >= MANY:
        # Built here once, with its progress shown; the processes then find it in the cache.
        for side in (old, new):
            with console.progress(f"the engine {side.version.shown}") as progress:
                Engine(side.ruleset, None, "auto", progress=progress.say)
    began = time.perf_counter()
    with console.progress("recorded games", len(files)) as progress:

        def told(done: int) -> None:
            progress.advance(done)
            left = (time.perf_counter() - began) / done * (len(files) - done)
            progress.say(f"recorded games, {_left(left)}")

        found = compare_recorded(
            old.version, new.version, new.ruleset.id, files,
            jobs=args.jobs or os.cpu_count() or 1,
            backend="auto" if len(files) >= MANY else "python",
            changed=changed_names(sections), progress=told,
        )  # fmt: skip
    found.seconds = time.perf_counter() - began
    if not found.courses:
        raise UserError(
            f"none of the {plural(len(files), 'file')} in {quoted(str(args.games))} is a game of {new.ruleset.name}",
            found.unreadable[0] if found.unreadable else f"its id is `{new.ruleset.id}`",
        )
    return found


def _left(time_left: float) -> str:
    minutes, rest = divmod(round(time_left), 60)
    return f"{minutes} min {rest} s left" if minutes else f"{rest} s left"
