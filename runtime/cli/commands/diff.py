"""`grognard diff`: what an erratum, or another version of a title, changes in rules, tables, data and in play."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.cli.commands.odds import (
    add_question,
    percent,
    query_of,
    word,
)
from grognard.cli.console import Console, plural
from grognard.cli.errors import FAILED, OK, UserError, quoted
from grognard.cli.loading import (
    add_json,
    add_title,
    chosen_errata,
    missing_title,
    number,
    see_check,
    unknown_erratum,
)

if TYPE_CHECKING:
    from grognard.contract.differences import Change, ChangedSection
    from grognard.contract.ruleset import Ruleset
    from grognard.engine import Engine
    from grognard.play.divergence import Divergence

#: Changes of one table, list or kind that are shown without --all.
SHOWN = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument(
        "other",
        metavar="OTHER",
        nargs="?",
        help="another version of the title: what is new in TITLE against it",
    )
    parser.add_argument(
        "--errata",
        metavar="none|all|NAME",
        action="append",
        help="errata in force on the new side (default: all; may be repeated)",
    )
    parser.add_argument(
        "--against",
        metavar="none|all|NAME",
        action="append",
        help="errata in force on the old side (default: none, or with OTHER the same as --errata)",
    )
    parser.add_argument(
        "--game",
        metavar="FILE",
        action="append",
        default=[],
        help="a saved game to replay in both (repeatable)",
    )
    parser.add_argument(
        "--random",
        metavar="N",
        type=number(0, 1000),
        default=3,
        help="games with random answers to replay in both (default: 3)",
    )
    parser.add_argument(
        "--answers", metavar="N", type=number(1, 100_000), default=200, help="answers of each (default: 200)"
    )
    parser.add_argument("--scenario", metavar="S", help="scenario of the random games (default: the first)")
    parser.add_argument(
        "--odds",
        dest="what",
        metavar="WHAT",
        help="compare the exact odds of a situation or procedure, asked as in `grognard odds`",
    )
    add_question(parser)
    parser.add_argument("--all", action="store_true", help="show every changed cell")
    add_json(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import compare_rulesets
    from grognard.engine import Engine

    new_errata: list[str] = (chosen_errata(args) or []) if args.errata else ["all"]
    against = argparse.Namespace(errata=args.against)
    old_errata = (chosen_errata(against) or []) if args.against else (new_errata if args.other else [])
    with console.progress(f"comparing {args.title}"):
        old = _load(args.other or args.title, old_errata, console)
        new = _load(args.title, new_errata, console)
        sections = compare_rulesets(old, new)
        engines = Engine(old, None, "interpreter"), Engine(new, None, "interpreter")
        divergences = _divergences(args, old, new, engines)
        odds = _odds(args, engines) if args.what is not None else []
    changed = (
        bool(sections)
        or any(not divergence.same for divergence in divergences)
        or any(not o.same for o in odds)
    )
    sides = [_side(ruleset) for ruleset in (old, new)]
    if args.json:
        console.json(
            {
                "title": new.id,
                "before": sides[0],
                "after": sides[1],
                "changed": changed,
                "sections": [_section_json(section) for section in sections],
                "courses": [_divergence_json(divergence) for divergence in divergences],
                "odds": [_share_json(share) for share in odds],
            }
        )
        return FAILED if changed else OK
    _show_heading(args, sides, console)
    for section in sections:
        _show_section(section, args.all, console)
    _show_divergences(divergences, console)
    if args.what is not None:
        _show_odds(args.what, odds, console)
    if not changed:
        console.print("nothing differs")
    return FAILED if changed else OK


def _load(title: str, errata: list[str], console: Console) -> Ruleset:
    """Compiled anew: what is compared are the sources, which a cached ruleset lacks."""
    from grognard.compiler_access import compile_title
    from grognard.support.diagnostics import Sink, format_text

    sink = Sink()
    ruleset = compile_title(title, sink, errata=errata)
    if ruleset is None or sink.has_errors:
        problems = list(sink)
        alone = missing_title(title, problems) or unknown_erratum(problems)
        if alone is not None:
            raise alone
        console.note(format_text(problems, sink.sources, console.err_color))
        name = ruleset.name if ruleset else quoted(title)
        raise UserError(f"{name} has errors and cannot be compared", see_check(title, errata))
    return ruleset


def _side(ruleset: Ruleset) -> dict[str, Any]:
    errata = ruleset.about.errata
    shown = f"with {', '.join(errata)}" if errata else "without errata"
    return {"folder": ruleset.id, "name": ruleset.name, "errata": list(errata), "shown": shown}


def _show_heading(args: argparse.Namespace, sides: list[dict[str, Any]], console: Console) -> None:
    """What is compared with what: two titles by their names, two versions of one by their folders."""
    names = [side["name"] for side in sides]
    if args.other is None:
        console.print(f"{console.style('title', names[1])}: {sides[0]['shown']} -> {sides[1]['shown']}")
        return
    folders = ["", ""] if names[0] != names[1] else [f" in {args.other}", f" in {args.title}"]
    before, after = (
        f"{console.style('title', name)}{folder}, {side['shown']}"
        for name, folder, side in zip(names, folders, sides, strict=True)
    )
    console.print(f"{before} -> {after}")


@dataclass(frozen=True, slots=True)
class Share:
    """The probability of one value of an outcome, before and after."""

    label: str
    value: Any
    before: float
    after: float

    @property
    def same(self) -> bool:
        # Far above the rounding of doubles, far below what any change of a rule makes.
        return abs(self.before - self.after) <= 1e-11 * max(self.before, self.after)


def _odds(args: argparse.Namespace, engines: tuple[Engine, Engine]) -> list[Share]:
    """The odds that are asked for, by both versions, value by value."""
    from grognard.odds.query import weigh

    old, new = (weigh(query_of(engine, args)) for engine in engines)
    found = []
    for label in old.labels:
        before, after = old.distribution(label), new.distribution(label)
        values = sorted(
            {*before, *after}, key=lambda value: (value is not None, isinstance(value, str), value)
        )
        found += [Share(label, value, before.get(value, 0.0), after.get(value, 0.0)) for value in values]
    return found


def _show_odds(what: str, odds: list[Share], console: Console) -> None:
    console.print()
    apart = [share for share in odds if not share.same]
    console.print(f"odds of {what}" + ("" if apart else ": the same in both"))
    for label in dict.fromkeys(share.label for share in apart):
        rows = [
            [word(share.value), percent(share.before), percent(share.after)]
            for share in odds
            if share.label == label
        ]
        console.table([label, "before", "after"], rows, right=[1, 2])


def _share_json(share: Share) -> dict[str, Any]:
    return {"outcome": share.label, "value": share.value, "before": share.before, "after": share.after}


def _divergences(
    args: argparse.Namespace, old: Ruleset, new: Ruleset, engines: tuple[Engine, Engine]
) -> list[Divergence]:
    from grognard.play.divergence import (
        compare_examples,
        compare_game,
        played_at_random,
        recorded,
    )
    from grognard.play.savefile import read_save

    divergences = compare_examples(old, new)
    scenarios = old.scenario_names()
    if not scenarios:
        return divergences
    for path in args.game:
        saved = read_save(path)
        if saved.title != new.id:
            raise UserError(f"{path} is a game of {saved.name}, not of {new.name}")
        scenario, seed, answers = recorded(saved)
        divergences.append(compare_game(path, *engines, scenario, seed, answers))
    scenario = args.scenario or old.default_scenario
    if scenario not in scenarios:
        raise UserError(f"{old.name} has no scenario `{scenario}`", f"there are {', '.join(scenarios)}")
    for seed in range(1, args.random + 1):
        answers = played_at_random(engines[0], scenario, seed, args.answers)
        divergences.append(compare_game(f"{scenario}, seed {seed}", *engines, scenario, seed, answers))
    return divergences


def _show_section(section: ChangedSection, every: bool, console: Console) -> None:
    console.print()
    console.print(console.style("title", section.title))
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in section.changes:
        groups.setdefault((change.what, change.name), []).append(change)
    for (what, name), changes in groups.items():
        place = next((f"  {c.file}:{c.line}" for c in changes if c.file), "")
        console.print(f"  {what}{' ' if name else ''}{name}{console.style('dim', place)}")
        for change in changes if every else changes[:SHOWN]:
            for text in _change_lines(change, console):
                console.print(f"    {text}")
        if len(changes) > SHOWN and not every:
            console.print(f"    and {len(changes) - SHOWN} more (--all shows them)")
    for note in section.notes:
        console.print(f"  {note}")


def _change_lines(change: Change, console: Console) -> list[str]:
    where = f"{change.where}: " if change.where else ""
    if change.sort == "changed" and len(change.before or "") + len(change.after or "") < 80:
        return [
            f"{where}{console.style('bad', change.before or '')} -> {console.style('good', change.after or '')}"
        ]
    lines = []
    if change.before is not None:
        lines.append(console.style("bad", f"- {where}{change.before}"))
    if change.after is not None:
        lines.append(console.style("good", f"+ {where}{change.after}"))
    return lines


def _show_divergences(divergences: list[Divergence], console: Console) -> None:
    for sort, singular in (("example", "example of play"), ("game", "game")):
        chosen = [divergence for divergence in divergences if divergence.sort == sort]
        if not chosen:
            continue
        apart = [divergence for divergence in chosen if not divergence.same]
        console.print()
        many = "examples of play" if sort == "example" else "games"
        console.print(
            f"{plural(len(chosen), singular, many)} in both: {len(apart) or 'none'} with another course"
        )
        for divergence in apart:
            at = "" if divergence.step is None else f", after answer {divergence.step} of {divergence.steps}"
            console.print(f"  {console.style('bad', divergence.name)}{at}")
            console.print(f"    {divergence.what}")


def _section_json(section: ChangedSection) -> dict[str, Any]:
    return {
        "section": section.title,
        "notes": section.notes,
        "changes": [
            {
                "sort": c.sort,
                "what": c.what,
                "name": c.name,
                "where": c.where,
                "before": c.before,
                "after": c.after,
                "file": c.file,
                "line": c.line,
            }
            for c in section.changes
        ],
    }


def _divergence_json(divergence: Divergence) -> dict[str, Any]:
    return {
        "sort": divergence.sort,
        "name": divergence.name,
        "same": divergence.same,
        "step": divergence.step,
        "steps": divergence.steps,
        "difference": divergence.what,
    }
