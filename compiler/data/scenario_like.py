"""Scenarios that are like another one: what both say is this one's, and its counters come on top."""

from __future__ import annotations

from dataclasses import replace

from grognard.compiler.layers.project import Project
from grognard.compiler.support.yamlfile import YEntry, YList, YMap, YNode, YScalar, expect_map, expect_text
from grognard.support.diagnostics import Sink

#: What a scenario takes over.  Its names, texts and record of games are its own.
SECTIONS = ("maps", "options", "game", "side", "power", "relations", "pieces", "places")


def with_model(table: YMap, project: Project, sink: Sink, within: tuple[str, ...]) -> YMap | None:
    """The scenario with what it takes over from the one that `like` names; None after an error."""
    node = table.get("like")
    if node is None:
        return table
    name = expect_text(node, sink, "like")
    if name is None:
        return None
    path = name if name.endswith(".yaml") else f"scenarios/{name}.yaml"
    if path in within:
        sink.error("GR0604", node.span, f'"{path}" is like itself')
        return None
    read = project.load_data(path, node.span, sink)
    found = expect_map(read, sink, f'"{path}"') if read is not None else None
    model = with_model(found, project, sink, (*within, path)) if found is not None else None
    if model is None:
        return None
    entries = {key: entry for key, entry in model.entries.items() if key in SECTIONS}
    for key, entry in table.entries.items():
        if key in entries:
            laid = _counters(entries[key].value, entry.value) if key == "pieces" else None
            entries[key] = YEntry(entry.key_span, laid) if laid is not None else _over(entries[key], entry)
        else:
            entries[key] = entry
    return replace(table, entries=entries)


def _counters(before: YNode, after: YNode) -> YList | None:
    """The list goes on; a counter of a name that is known stands instead of that one."""
    if not isinstance(before, YList) or not isinstance(after, YList):
        return None
    named = {name for item in after.items if (name := _name(item))}
    kept = tuple(item for item in before.items if _name(item) not in named)
    return replace(after, items=kept + after.items)


def _over(old: YEntry, new: YEntry) -> YEntry:
    """Sections are laid over each other entry by entry."""
    before, after = old.value, new.value
    if isinstance(after, YScalar) and after.value is None:
        return new if isinstance(before, YScalar) else old
    if isinstance(before, YMap) and isinstance(after, YMap):
        entries = dict(before.entries)
        for key, entry in after.entries.items():
            entries[key] = _over(entries[key], entry) if key in entries else entry
        return YEntry(new.key_span, replace(after, entries=entries))
    return new


def _name(item: YNode) -> str:
    name = item.get("as") if isinstance(item, YMap) else None
    return name.text if isinstance(name, YScalar) else ""
