"""Citations: each must be a section of the rulebook, and most declarations should have one."""

from __future__ import annotations

import re
from typing import Any

from grognard.compiler.layers.merge import Merged
from grognard.compiler.layers.rulebook import Rulebook
from grognard.compiler.sema.lint.judging import only_for_evaluation
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink
from grognard.support.source import Span
from grognard.support.suggest import hint_for


def check_citations(symbols: Symbols, merged: Merged, book: Rulebook, sink: Sink) -> None:
    """Every citation must be a section of the rulebook, or start with a declared prefix."""
    cited: dict[str, list[Span]] = {}
    for _, decl in (*merged.decls, *merged.exceptions, *merged.examples):
        for cites in symbols.facts.of(_cites, decl):
            for name in cites.ids:
                if cites.span is not None:
                    cited.setdefault(name, []).append(cites.span)
    for cite, spans in cited.items():
        if cite in book.sections or any(
            cite == p or cite.startswith((f"{p} ", f"{p}-")) for p in book.prefixes
        ):
            continue
        prefix = re.match(r"([^\W\d]\w*)[ -]+\S", cite)
        for span in spans:
            if prefix is not None and cite not in book.sections:
                sink.error(
                    "GR0804",
                    span,
                    f"`{prefix.group(1)}` is not declared as a source of citations",
                    hint=hint_for(prefix.group(1), book.prefixes)
                    or "list it under `prefixes` in rulebook.yaml",
                )
                continue
            sink.error(
                "GR0801",
                span,
                f"the rulebook has no section `{cite}`",
                hint=hint_for(cite, list(book.sections)),
            )


def note_uncited(symbols: Symbols, sink: Sink, merged: Merged) -> None:
    """One note for all declarations without a citation: helpers need none, so it is only a reminder."""
    bare = [
        decl
        for _, decl in merged.decls
        if isinstance(
            decl,
            syn.RuleDecl | syn.ProcedureDecl | syn.ActionDecl | syn.TableDecl | syn.ModifiersDecl,
        )
        and not symbols.facts.of(_cites_any, decl)
    ]
    if bare:
        judging = only_for_evaluation(symbols, merged)
        bare = [decl for decl in bare if decl.name not in judging]
    if bare:
        more = f" and {len(bare) - 5} more" if len(bare) > 5 else ""
        names = ", ".join(f"`{decl.name}`" for decl in bare[:5])
        sink.note(
            "GR0802",
            bare[0].span,
            f"{names}{more} {'cites' if len(bare) == 1 else 'cite'} no section of the rulebook",
            hint="write the section behind the heading: [7.1]",
        )


def _cites(decl: Any) -> tuple[syn.Cites, ...]:
    """All citations in a declaration."""
    found = (getattr(node, "cites", None) for node in walk(decl))
    return tuple(cites for cites in found if isinstance(cites, syn.Cites) and cites)


def _cites_any(decl: Any) -> bool:
    return any(isinstance(cites := getattr(node, "cites", None), syn.Cites) and cites for node in walk(decl))
