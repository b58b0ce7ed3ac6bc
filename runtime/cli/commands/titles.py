"""`grognard titles`: what comes with Grognard; `grognard titles TITLE`: the scenarios of one, and how even they are."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from textwrap import wrap

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_json


@dataclass(frozen=True, slots=True)
class TitleInfo:
    id: str
    name: str
    series: str
    edition: str
    scenarios: tuple[str, ...]
    about: str


@dataclass(frozen=True, slots=True)
class ScenarioInfo:
    id: str
    name: str
    about: str
    #: as the file records it: bot, games, seed, wins of each side, drawn
    balance: dict[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", nargs="?", help="list the scenarios of this one (an id, or a folder)")
    add_json(parser)


def scenarios_of(title: str) -> list[ScenarioInfo]:
    """The scenarios of a title by their files alone."""
    from grognard.compiler.layers.project import open_project, shipped_titles
    from grognard.compiler.support.yamlfile import YMap, YScalar
    from grognard.support.diagnostics import Sink
    from grognard.support.suggest import hint_for

    titles = shipped_titles()
    project = open_project(str(titles.get(title, title)), Sink())
    if project is None:
        raise UserError(f"there is no title {quoted(title)}", hint_for(title, list(titles)))
    found = []
    for name in project.scenarios():
        node = project.load_data(f"scenarios/{name}.yaml", None, Sink())
        if not isinstance(node, YMap):
            continue
        words = {key: e.value.text for key, e in node.entries.items() if isinstance(e.value, YScalar)}
        balance = node.get("balance")
        told = balance.entries.items() if isinstance(balance, YMap) else ()
        found.append(
            ScenarioInfo(
                name,
                words.get("name", name),
                " ".join(words.get("about", "").split()),
                {key: e.value.text for key, e in told if isinstance(e.value, YScalar)},
            )
        )
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


def shipped() -> list[TitleInfo]:
    """The shipped titles by their title.yaml alone: nothing is compiled for a list."""
    from grognard.compiler.layers.project import open_project, series_name
    from grognard.compiler.layers.title_paths import shipped_titles
    from grognard.compiler.support.yamlfile import YScalar
    from grognard.support.diagnostics import Sink

    found = []
    for folder in shipped_titles().values():
        project = open_project(str(folder), Sink())
        if project is None or project.title is None:
            continue
        words = {
            key: node.text if isinstance(node := project.title.get(key), YScalar) else ""
            for key in ("series", "edition", "about")
        }
        series = words["series"] or series_name(project)
        found.append(
            TitleInfo(
                project.id,
                project.name,
                series,
                words["edition"],
                tuple(project.scenarios()),
                " ".join(words["about"].split()),
            )
        )
    return found


def run(args: argparse.Namespace, console: Console) -> int:
    if args.title:
        return _list_scenarios(args.title, args, console)
    titles = shipped()
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
