"""`grognard titles`: what is found by id; `grognard titles TITLE`: the scenarios of one, and how even they are."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from textwrap import wrap

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError, listed, quoted
from grognard.cli.loading import add_json
from grognard.contract.titles import ScenarioInfo
from grognard.support.userdirs import PATH_VARIABLE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", nargs="?", help="list the scenarios of this one (an id, or a folder)")
    parser.add_argument(
        "--path",
        nargs="?",
        const="",
        metavar="FOLDER",
        help="show where titles and series are looked for, and what lies there; with FOLDER, look there too",
    )
    add_json(parser)


def checked_scenarios(title: str) -> list[ScenarioInfo]:
    """The scenarios of a title by their files alone."""
    from grognard.compiler_access import library_titles, shared_ids
    from grognard.play.built_titles import installed_titles
    from grognard.play.catalogue import scenarios_of
    from grognard.support.suggest import hint_for

    found = scenarios_of(title)
    if found is None and (shared := shared_ids().get(title)) is not None:
        raise UserError(
            f"{len(shared)} titles are called {quoted(title)}: {listed([str(folder) for folder in shared])}",
            "give the folder of one",
        )
    if found is None:
        known = sorted({*library_titles(), *installed_titles()})
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
        balance = balance_text(scenario.balance) or scenario.not_balanced
        for part in [*wrap(scenario.about, room), *wrap(balance, room)]:
            console.print(f"    {part}")
    return OK


def _list_places(args: argparse.Namespace, console: Console) -> int:
    """Where titles are looked for, with what lies there."""
    from grognard.compiler_access import shared_ids, title_places

    places = title_places()
    shared = shared_ids()
    if args.json:
        console.json(
            {
                "places": [
                    {
                        "folder": str(folder),
                        "why": why,
                        "titles": {name: str(found[0]) for name, found in titles.items()},
                        "series": {name: str(found[0]) for name, found in series.items()},
                    }
                    for folder, why, titles, series in places
                ],
                "shared": {name: [str(folder) for folder in found] for name, found in shared.items()},
            }
        )
        return OK
    for folder, why, titles, series in places:
        console.print(f"{console.style('title', str(folder))}  {why}")
        for what, known in (("title", titles), ("series", series)):
            for name, found in known.items():
                console.print(f"    {what} {name}  {console.style('dim', str(found[0]))}")
        if not titles and not series:
            there = "nothing here" if folder.is_dir() else "no such folder"
            console.print(f"    {console.style('dim', there)}")
    for name, found in shared.items():
        console.note(
            f"{len(found)} titles are called {quoted(name)}: {listed([str(folder) for folder in found])}; give a folder"
        )
    console.print(
        f"More folders: ${PATH_VARIABLE}, separated by `{os.pathsep}`; or put titles into the folder of yours above."
    )
    return OK


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.play.catalogue import known_titles

    if args.path:
        if not os.path.isdir(args.path):
            raise UserError(f"there is no folder {quoted(args.path)}")
        known = os.environ.get(PATH_VARIABLE, "")
        os.environ[PATH_VARIABLE] = os.pathsep.join(filter(None, (known, os.path.abspath(args.path))))
    if args.path is not None and not args.title:
        return _list_places(args, console)
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
