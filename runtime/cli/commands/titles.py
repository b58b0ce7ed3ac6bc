"""`grognard titles`: what comes with Grognard; `grognard titles TITLE`: the scenarios of one, and how even they are."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from textwrap import wrap

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_json
from grognard.contract.titles import ScenarioInfo, TitleInfo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", nargs="?", help="list the scenarios of this one (an id, or a folder)")
    add_json(parser)


def scenarios_of(title: str) -> list[ScenarioInfo]:
    """The scenarios of a title by their files alone."""
    from grognard.compiler_access import compiler_installed, scenario_infos, shipped_titles
    from grognard.play.built_titles import find_built, installed_titles, read_manifest
    from grognard.support.suggest import hint_for

    titles, built = shipped_titles(), find_built(title)
    if built is not None and not (title in titles and compiler_installed()):
        return list(read_manifest(built).scenario_infos)
    found = scenario_infos(str(titles.get(title, title)))
    if found is None:
        known = sorted({*titles, *installed_titles()})
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
    found = scenarios_of(title)
    if args.json:
        console.json({"scenarios": [asdict(scenario) for scenario in found]})
        return OK
    room = max(40, min(console.width, 100) - 4)
    for scenario in found:
        console.print(f"{console.style('title', scenario.id)}  {scenario.name}")
        for part in [*wrap(scenario.about, room), *wrap(balance_text(scenario.balance), room)]:
            console.print(f"    {part}")
    return OK


def known_titles() -> list[TitleInfo]:
    """The shipped titles by their title.yaml alone, where they can be compiled, and those that were built elsewhere."""
    from grognard.compiler_access import compiler_installed, shipped_info
    from grognard.play.built_titles import built_titles

    found = shipped_info() if compiler_installed() else []
    shipped = {title.id for title in found}
    return found + [title.info for title in built_titles() if title.id not in shipped]


def run(args: argparse.Namespace, console: Console) -> int:
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
