"""Data files of a title on top of those of its series: rows, cells and sections that both name are the title's.

    terrain.yaml in the series        Terrain: {woods: {cover: light, track: 3}, open: {cover: bare, track: 1}}
    terrain.yaml in the title         Terrain: {woods: {cover: heavy}, bamboo: {cover: medium, track: 4}}

`instead: yes` at the top of the title's file says that nothing of the series' file counts.
"""

from __future__ import annotations

from grognard.compiler.layers.project import Project
from grognard.compiler.support.yamlfile import YEntry, YMap, YNode, YScalar
from grognard.support.diagnostics import Sink
from grognard.support.source import Span

INSTEAD = "instead"


def load_amended(project: Project, name: str, span: Span | None, sink: Sink) -> YNode | None:
    """A file of rows or tables as it counts for the title."""
    own = project.load_data(name, span, sink)
    if not isinstance(own, YMap):
        return own
    alone = own.get(INSTEAD)
    if isinstance(alone, YScalar) and isinstance(alone.value, bool):
        own = YMap({key: entry for key, entry in own.entries.items() if key != INSTEAD}, own.span)
        if alone.value:
            return own
    shared = project.find_in_series(name)
    if shared is None or shared == project.find(name):
        return own
    source = project.load(shared, sink)
    below = project.shelf.yaml(source, sink) if source is not None else None
    return lay_over(below, own) if isinstance(below, YMap) else own


def lay_over(below: YMap, above: YMap) -> YMap:
    """One map over another: maps within are laid over each other too, anything else is taken from above."""
    entries = dict(below.entries)
    for key, entry in above.entries.items():
        known = entries.get(key)
        value: YNode = entry.value
        if known is not None and isinstance(known.value, YMap) and isinstance(value, YMap):
            value = lay_over(known.value, value)
        entries[key] = YEntry(entry.key_span, value)
    return YMap(entries, above.span)
