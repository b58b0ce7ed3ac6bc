"""Numbers of places and edges in the whole game."""

from __future__ import annotations

from grognard.compiler.data.ground import Ground
from grognard.compiler.data.maps.sheets import LoadedMap, Sheet
from grognard.compiler.sema.types import Dom
from grognard.contract.datablock import MapData
from grognard.contract.header import NONE


def number_places(ground: Ground, space: Dom, sheet: Sheet) -> LoadedMap:
    """Give the places and edges of a map their numbers in the whole game."""
    # Classes are contiguous, in the order of their declaration; sorting is stable.
    if space.classes:
        order = sorted(range(len(sheet.names)), key=lambda place: sheet.classes[place])
        _reorder(sheet, order)
    before = ground.symbols.spaces[: ground.symbols.spaces.index(space)]
    base = max((ground.values(s).stop for s in before), default=0)
    edge_base = max((ground.values(s.edges).stop for s in before if s.edges), default=0)
    ground.number(space, base, sheet.names, sheet.titles)
    start = 0
    domains: list[int] = []
    for number, part in enumerate(space.classes):
        count = sheet.classes.count(number)
        ground.number(
            part, base + start, sheet.names[start : start + count], sheet.titles[start : start + count]
        )
        start += count
        domains += [part.id] * count
    domains = domains or [space.id] * len(sheet.names)

    edge_of: dict[tuple[int, int], int] = {}
    for a, around in enumerate(sheet.around):
        for b in around:
            if b != NONE and a < b:
                edge_of.setdefault((a, b), len(edge_of))
    side_edge = tuple(
        NONE if b == NONE else edge_of[min(a, b), max(a, b)]
        for a, around in enumerate(sheet.around)
        for b in around
    )
    if space.edges is not None:
        names = [f"{sheet.names[a]}-{sheet.names[b]}" for a, b in edge_of]
        ground.number(space.edges, edge_base, names, list(names))
    grid = sheet.sort in ("hexes", "squares")
    flat_around = tuple(b for around in sheet.around for b in around)
    starts = [0]
    for around in sheet.around:
        starts.append(starts[-1] + len(around))
    data = MapData(
        sort=sheet.sort,  # type: ignore[arg-type]
        domain=space.id,
        base=base,
        n=len(sheet.names),
        flat=sheet.flat,
        q=tuple(sheet.q),
        r=tuple(sheet.r),
        neighbours=flat_around if grid else (),
        start=() if grid else tuple(starts),
        adjacent=() if grid else flat_around,
        edge_domain=space.edges.id if space.edges else -1,
        edge_base=edge_base,
        edge_a=tuple(a for a, _ in edge_of),
        edge_b=tuple(b for _, b in edge_of),
        side_edge=side_edge,
    )
    return LoadedMap(space, data, {}, domains, sheet.aliases)


def _reorder(sheet: Sheet, order: list[int]) -> None:
    new = {old: place for place, old in enumerate(order)}
    sheet.names = [sheet.names[old] for old in order]
    sheet.titles = [sheet.titles[old] for old in order]
    sheet.spans = [sheet.spans[old] for old in order]
    sheet.rows = [sheet.rows[old] for old in order]
    sheet.classes = [sheet.classes[old] for old in order]
    sheet.around = [sorted(new[b] for b in sheet.around[old]) for old in order]
    sheet.aliases = {name: new[old] for name, old in sheet.aliases.items()}
    sheet.edge_rows = {
        (min(new[a], new[b]), max(new[a], new[b])): row for (a, b), row in sheet.edge_rows.items()
    }
