"""The titles that can be played here and their scenarios, by their files alone: nothing is compiled."""

from __future__ import annotations

from grognard.compiler_access import compiler_installed, library_info, library_titles, scenario_infos
from grognard.contract.titles import ScenarioInfo, TitleInfo
from grognard.play.built_titles import built_titles, find_built, read_manifest


def known_titles() -> list[TitleInfo]:
    """The titles that are found by id, by their title.yaml alone, where they can be compiled, and those that were built
    elsewhere."""
    found = library_info() if compiler_installed() else []
    known = {title.id for title in found}
    return found + [title.info for title in built_titles() if title.id not in known]


def scenarios_of(title: str) -> list[ScenarioInfo] | None:
    """The scenarios of a title by their files alone; None if there is no such title."""
    titles, built = library_titles(), find_built(title)
    if built is not None and not (title in titles and compiler_installed()):
        return list(read_manifest(built).scenario_infos)
    return scenario_infos(str(titles.get(title, title)))
