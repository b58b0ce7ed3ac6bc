"""Words that name nothing, so that what they stand in has no effect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grognard.compiler.layers.merge import Layer, Merged
from grognard.compiler.layers.project import Project, series_id, series_name
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.support.cascades import text_is_unread
from grognard.compiler.support.yamlfile import YMap, YScalar
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink
from grognard.support.suggest import hint_for


def check_words(
    symbols: Symbols, sink: Sink, merged: Merged, layers: Iterable[Layer], project: Project
) -> None:
    """Report names in declarations and in title.yaml that nothing bears."""
    _check_resets(symbols, sink, merged)
    _check_series(symbols, sink, layers, project)
    _check_drawing(symbols, sink, merged, project)


def _check_resets(symbols: Symbols, sink: Sink, merged: Merged) -> None:
    """`flag per x`: the field begins anew with each x, a phase or what a `repeat` counts."""
    if text_is_unread(sink):
        return  # the sequence of play may be what could not be read
    decls = [symbols.facts.of(_counting, decl) for _, decl in merged.decls]
    known = {name for begun, _ in decls for name in begun}
    known.update(
        name for _, exception in merged.exceptions for name in symbols.facts.of(_counting, exception.body)[0]
    )
    for _, fields in decls:
        for node in fields:
            if node.per and node.per not in known:
                sink.error(
                    "GR0201",
                    sink.at(node.span, f"per {node.per}"),
                    f"nothing begins anew with each `{node.per}`: it is neither a phase nor what a `repeat` counts",
                    hint=hint_for(node.per, sorted(known)),
                )


def _counting(tree: Any) -> tuple[set[str], list[syn.FieldDecl]]:
    """The phases and what `repeat` counts, and the fields that begin anew."""
    begun: set[str] = set()
    fields: list[syn.FieldDecl] = []
    for node in walk(tree):
        match node:
            case syn.CountStmt(var=name) | syn.PhaseStmt(name=name):
                begun.add(name)
            case syn.FieldDecl(per=str(per)) if per:
                fields.append(node)
    return begun, fields


def _check_series(symbols: Symbols, sink: Sink, layers: Iterable[Layer], project: Project) -> None:
    """What the title names first is its series; whoever names another one is mistaken."""
    own = [series_id(project), project.series.name, series_name(project)] if project.series else []
    headers = [
        decl
        for layer in layers
        for tree in layer.trees
        for decl in tree.decls
        if isinstance(decl, syn.Header)
    ]
    own += [decl.name for decl in headers if decl.sort == "series"]
    belongs = f"it belongs to {project.series.name}" if project.series is not None else "it belongs to none"
    for decl in headers:
        if decl.of is not None and decl.of not in own:
            sink.warning(
                "GR0201",
                sink.at(decl.span, f"of {decl.of}"),
                f"the title does not belong to a series `{decl.of}`",
                hint=hint_for(decl.of, own) or belongs,
            )
    node = project.title.get("series") if project.title is not None else None
    if isinstance(node, YScalar) and node.text not in own:
        sink.warning(
            "GR0201",
            node.span,
            f"the title does not belong to a series `{node.text}`",
            hint=hint_for(node.text, own) or belongs,
        )


def _fields(decl: Any) -> set[str]:
    return {node.name for node in walk(decl) if isinstance(node, syn.FieldDecl)}


def _check_drawing(symbols: Symbols, sink: Sink, merged: Merged, project: Project) -> None:
    """`colours` and `symbols` are of what has a name in the rules or the data."""
    known = {member for dom in symbols.doms for member in dom.members}
    known.update(title for dom in symbols.doms for title in dom.titles)
    for _, decl in merged.decls:
        known |= symbols.facts.of(_fields, decl)
    for key in ("colours", "symbols"):
        node = project.title.get(key) if project.title is not None else None
        if isinstance(node, YMap):
            for name, entry in node.entries.items():
                if name not in known:
                    sink.warning(
                        "GR0201",
                        entry.key_span,
                        f"`{key}` names `{name}`, and nothing is called so",
                        hint=hint_for(name, sorted(known)),
                    )
