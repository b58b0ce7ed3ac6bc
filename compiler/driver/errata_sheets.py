"""The sheets of errata that a title's files hold, in the order in which they apply.  Nothing is compiled."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grognard.compiler.layers.project import Project, open_project, read_layers
from grognard.compiler.layers.rulebook import load_rulebook
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract.errata import Sheet, SheetChange, Sheets
from grognard.support.diagnostics import Sink
from grognard.support.source import Span


def errata_sheets(where: str, sink: Sink) -> Sheets | None:
    """The sheets of a title; None, with diagnostics, if there is no such title or a file cannot be parsed."""
    project = open_project(where, sink)
    if project is None:
        return None
    layers = read_layers(project, sink)
    if project.incomplete:
        return None
    found = [
        _sheet(project, decl)
        for layer in layers
        for tree in layer.trees
        for decl in tree.decls
        if isinstance(decl, syn.ErrataDecl)
    ]
    rulebook = load_rulebook(project, Sink())
    sections = {} if rulebook is None else {s.id: s.title for s in rulebook.sections.values()}
    # As merge applies them: by date; those of one day as their files are read.
    ordered = tuple(sorted(found, key=lambda sheet: sheet.date))
    return Sheets(
        project.id, project.name, project.folder, project.files.root, ordered, project.errata, sections
    )


def _sheet(project: Project, decl: syn.ErrataDecl) -> Sheet:
    changes = tuple(
        SheetChange(written(project, patch.span), cites_in(patch), patch.span.line) for patch in decl.patches
    )
    return Sheet(
        decl.name,
        decl.date,
        decl.source,
        decl.reason,
        decl.cites.ids,
        changes,
        project.errata is None or decl.name in project.errata,
        decl.span.file,
        decl.span.line,
        Path(*project.files.locate(decl.span.file)),
        written(project, decl.span),
    )


def cites_in(node: Any) -> tuple[str, ...]:
    """All sections that a declaration cites, on its heading and inside, each once."""
    return tuple(dict.fromkeys(_cites(node)))


def _cites(node: Any) -> Iterator[str]:
    for part in walk(node):
        cites = getattr(part, "cites", None)
        if isinstance(cites, syn.Cites):
            yield from cites.ids


def written(project: Project, span: Span) -> str:
    """A declaration as it stands in its file with the block below it, without the indentation that all lines share."""
    source = project.sources.get(span.file)
    if source is None:
        return ""
    first = source.line(span.line)
    depth = len(first) - len(first.lstrip())
    lines = [first]
    # The span of a declaration with a block may end with its heading.
    for number in range(span.line + 1, source.line_count + 1):
        line = source.line(number)
        inside = not line.strip() or len(line) - len(line.lstrip()) > depth
        if not inside and number > span.end_line - (span.end_column == 1):
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines)).rstrip()
