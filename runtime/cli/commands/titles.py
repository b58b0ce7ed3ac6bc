"""`grognard titles`: what comes with Grognard; `grognard titles TITLE`: the scenarios of one, and how even they are."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from textwrap import wrap

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_json
from grognard.contract.titles import ScenarioInfo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", nargs="?", help="list the scenarios of this one (an id, or a folder)")
    add_json(parser)


def checked_scenarios(title: str) -> list[ScenarioInfo]:
    """The scenarios of a title by their files alone."""
    from grognard.compiler_access import shipped_titles
    from grognard.play.built_titles import installed_titles
    from grognard.play.catalogue import scenarios_of
    from grognard.support.suggest import hint_for

    found = scenarios_of(title)
    if found is None:
        known = sorted({*shipped_titles(), *installed_titles()})
        raise UserError(f"there is no title {quoted(title)}", hint_for(title, known))
    return found


def balance_text(balance: dict[str, str]) -> str:
    """ "axis 31, allies 25, drawn 4 of 60 games (greedy, seed 1)"."""
    ended = ", ".join(f"{key} {n}" for key, n in balance.items() if key not in ("bot", "games", "seed"))
    return (
        f"{ended} of {balance.get('games')} games ({balance.get('bot')}, seed {balance.get('seed')})"
        if balance
        else ""
    )


def _list_scenarios(title: str, args: argparse.Namespace, console: Console) -> int:
    found = checked_scenarios(title)
    if args.json:
        console.json({"scenarios": [asdict(scenario) for scenario in found]})
        return OK
    room = max(40, min(console.width, 100) - 4)
    for scenario in found:
        console.print(f"{console.style('title', scenario.id)}  {scenario.name}")
        for part in [*wrap(scenario.about, room), *wrap(balance_text(scenario.balance), room)]:
            console.print(f"    {part}")
    return OK


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.play.catalogue import known_titles

    if args.title:
        return _list_scenarios(args.title, args, console)
    titles = known_titles()
    if args.json:
        console.json(
            {
                "titles": [
                    {
                        "id": t.id,
                        "name": t.name,
                        "series": t.series or None,
                        "edition": t.edition or None,
                        "scenarios": list(t.scenarios),
                        "about": t.about,
                    }
                    for t in titles
                ]
            }
        )
        return OK
    room = max(40, min(console.width, 100) - 4)
    for title in titles:
        line = f"{console.style('title', title.id)}  {title.name}"
        if title.series:
            line += f" ({title.series} series)"
        console.print(line)
        for part in wrap(title.about, room):
            console.print(f"    {part}")
        for part in wrap("scenarios: " + (", ".join(title.scenarios) or "none"), room):
            console.print(f"    {console.style('dim', part)}")
    return OK
