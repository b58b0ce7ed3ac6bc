"""Checks of whole declarations, after names and types are known.

They read syntax trees and report only what is certain: a procedure that may change something counts as changing it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grognard.compiler.layers.merge import Merged
from grognard.compiler.layers.rulebook import Rulebook
from grognard.compiler.sema.findings import Findings
from grognard.compiler.sema.lint.citations import note_uncited
from grognard.compiler.sema.lint.endless import check_loops, check_recursion
from grognard.compiler.sema.lint.log_text import check_secrets, hidden_names
from grognard.compiler.sema.lint.unreachable import (
    check_actions,
    check_events,
    check_phases,
    check_victory,
)
from grognard.compiler.sema.lint.unused import check_callables, check_locals, check_states
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.support.cascades import text_is_unread
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink


def lint(
    symbols: Symbols,
    sink: Sink,
    merged: Merged,
    findings: Findings,
    book: Rulebook | None,
    *,
    played: bool,
) -> None:
    """Report what is suspicious in a title that is otherwise understood; `played`: it has scenarios."""
    hidden = hidden_names(symbols)
    for owner, body in _bodies(merged):
        if not isinstance(owner, syn.ExampleDecl):
            check_locals(symbols, sink, body)
        check_loops(symbols, sink, body)
        check_secrets(symbols, sink, hidden, body)
    check_phases(symbols, sink, merged)
    if played:
        check_victory(symbols, sink, merged)
    check_recursion(symbols, sink, merged)
    check_actions(symbols, sink, merged)
    check_callables(symbols, sink, merged, findings)
    if not text_is_unread(sink):
        # What could not be read may emit the event, or make the state.
        check_events(symbols, sink, merged)
        check_states(symbols, sink, findings)
    if book is not None:
        note_uncited(symbols, sink, merged)


def _bodies(merged: Merged) -> Iterator[tuple[Any, tuple[syn.Stmt, ...]]]:
    """The bodies of all declarations."""
    for _, decl in merged.decls:
        if isinstance(
            decl,
            syn.RuleDecl
            | syn.ProcedureDecl
            | syn.ActionDecl
            | syn.OnDecl
            | syn.OnChangeDecl
            | syn.SequenceDecl
            | syn.VictoryDecl,
        ):
            yield decl, decl.body
    for _, exception in merged.exceptions:
        yield exception, exception.body
    for _, example in merged.examples:
        yield example, example.body
