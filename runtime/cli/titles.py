"""`grognard titles`: what comes with Grognard."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from textwrap import wrap

from grognard.cli.console import Console
from grognard.cli.errors import OK
from grognard.cli.loading import add_json


@dataclass(frozen=True, slots=True)
class TitleInfo:
    id: str
    name: str
    series: str
    edition: str
    scenarios: tuple[str, ...]
    about: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def shipped() -> list[TitleInfo]:
    """The shipped titles by their title.yaml alone: nothing is compiled for a list."""
    from grognard.compiler.diagnostics import Sink
    from grognard.compiler.places import shipped_titles
    from grognard.compiler.project import open_project
    from grognard.compiler.yamlfile import YScalar

    found = []
    for folder in shipped_titles().values():
        project = open_project(str(folder), Sink())
        if project is None or project.title is None:
            continue
        words = {
            key: node.text if isinstance(node := project.title.get(key), YScalar) else ""
            for key in ("series", "edition", "about")
        }
        series = words["series"] or (project.series.name if project.series else "")
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
