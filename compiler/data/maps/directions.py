"""Names of directions, which rules need before any map is loaded."""

from __future__ import annotations

from collections.abc import Iterator

from grognard.compiler.data.ground import Ground
from grognard.compiler.data.maps.sheets import MapChoice
from grognard.compiler.layers.project import Project
from grognard.compiler.sema.types import (
    FLAT_DIRECTIONS,
    POINTY_DIRECTIONS,
    Dom,
)
from grognard.compiler.support.yamlfile import (
    YList,
    YMap,
    YNode,
    YScalar,
)
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink

#: Parts of parts of a map that are looked through: a file may name itself, which is reported where it is read.
MOST_PARTS = 8


def settle_directions(ground: Ground, project: Project) -> None:
    """Rules name directions, so their names must be known before rules are checked: look into the title's maps."""
    space = next((s for s in ground.symbols.spaces if s.space_sort == "hexes"), None)
    if (
        space is None
        or ground.symbols.direction is None
        or ground.symbols.spaces.index(space) != _first_grid(ground)
    ):
        return
    discarded = Sink()  # errors are reported when a scenario is loaded, which reads the same files again
    for choice in _possible_maps(project, space, discarded):
        node = choice.node or project.load_data(choice.path, None, discarded)
        layout = _layout_of(project, node, discarded)
        if layout:
            flat = layout in ("odd-q", "even-q")
            ground.symbols.direction.members = list(FLAT_DIRECTIONS if flat else POINTY_DIRECTIONS)
            return


def _first_grid(ground: Ground) -> int:
    return next((n for n, s in enumerate(ground.symbols.spaces) if s.space_sort in ("hexes", "squares")), -1)


def _possible_maps(project: Project, space: Dom, sink: Sink) -> Iterator[MapChoice]:
    assert isinstance(space.decl, syn.SpaceDecl)
    if space.decl.source:
        yield MapChoice(space, space.decl.source, None)
    for name in project.scenarios():
        node = project.load_data(f"scenarios/{name}.yaml", None, sink)
        maps = node.get("maps") if isinstance(node, YMap) else None
        chosen = maps.get(space.decl.name) if isinstance(maps, YMap) else None
        if isinstance(chosen, YScalar):
            yield MapChoice(space, chosen.text, None)
        elif chosen is not None:
            yield MapChoice(space, "", None, chosen)


def _layout_of(project: Project, node: YNode | None, sink: Sink, depth: int = 0) -> str:
    if not isinstance(node, YMap):
        return ""
    boards = node.get("boards")
    if isinstance(boards, YList) and boards.items and isinstance(boards.items[0], YMap):
        path = boards.items[0].get("board")
        return (
            _layout_of(project, project.load_data(path.text, None, sink), sink)
            if isinstance(path, YScalar)
            else ""
        )
    whole = node.get("part_of")
    if isinstance(whole, YScalar):
        if depth > MOST_PARTS:
            return ""
        return _layout_of(project, project.load_data(whole.text, None, sink), sink, depth + 1)
    grid = node.get("grid")
    layout = grid.get("layout") if isinstance(grid, YMap) else None
    return layout.text if isinstance(layout, YScalar) else "odd-q"
