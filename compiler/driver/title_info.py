"""What titles say of themselves in their files: nothing is compiled for a list."""

from __future__ import annotations

from grognard.compiler.layers.project import Project, open_project, series_name
from grognard.compiler.layers.title_paths import library_titles, shipped_titles
from grognard.compiler.support.yamlfile import YMap, YScalar
from grognard.contract.titles import ScenarioInfo, TitleInfo
from grognard.support.diagnostics import Sink


def title_info(where: str) -> TitleInfo | None:
    """A title by its title.yaml; None if there is none."""
    project = open_project(where, Sink())
    return None if project is None else _info(project)


def library_info() -> list[TitleInfo]:
    """The titles that are found by id, by their title.yaml alone: the shipped first."""
    titles = library_titles()
    shipped = shipped_titles()
    found = []
    for folder in (titles[name] for name in sorted(titles, key=lambda name: (name not in shipped, name))):
        project = open_project(str(folder), Sink())
        if project is not None and project.title is not None:
            found.append(_info(project))
    return found


def _info(project: Project) -> TitleInfo:
    title = project.title
    words = {
        key: node.text if title is not None and isinstance(node := title.get(key), YScalar) else ""
        for key in ("series", "edition", "about")
    }
    return TitleInfo(
        project.id,
        project.name,
        words["series"] or series_name(project),
        words["edition"],
        tuple(project.scenarios()),
        " ".join(words["about"].split()),
        project.demo,
    )


def scenario_infos(where: str) -> list[ScenarioInfo] | None:
    """The scenarios of a title by their files alone; None if there is no such title."""
    project = open_project(where, Sink())
    if project is None:
        return None
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
                " ".join(words.get("not_balanced", "").split()),
            )
        )
    return found
