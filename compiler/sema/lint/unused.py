"""Locals, callables and states of life cycles that nothing uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.findings import Findings
from grognard.compiler.sema.lint.log_text import placeholders
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink
from grognard.support.source import Span


def check_locals(symbols: Symbols, sink: Sink, body: Any) -> None:
    """Warn of locals that are never read, unless their name starts with `_`."""
    for unread in symbols.facts.of(_unread_locals, body):
        if not (unread.rolled and unread.name in symbols.globals):
            sink.warning(
                "GR0210",
                unread.span,
                f"`{unread.name}` {unread.what}",
                hint="use it, or take it out",
            )


@dataclass(frozen=True, slots=True)
class _Unread:
    """A local that nothing reads, and what is to be said of it."""

    name: str
    span: Span
    what: str
    #: if it is a field of the game, it is no local
    rolled: bool


def _unread_locals(body: Any) -> tuple[_Unread, ...]:
    made: list[_Unread] = []
    read: set[str] = set()
    written: set[int] = set()
    for node in walk(body):
        match node:
            case syn.Let(name=name, span=span):
                made.append(_Unread(name, span, "is never used", False))
            case syn.RollStmt(target=syn.Name(id=name), span=span):
                made.append(_Unread(name, span, "is rolled and never looked at", True))
            case syn.DoStmt(into=str(name), span=span) | syn.CreateStmt(into=str(name), span=span):
                made.append(_Unread(name, span, "is never used", False))
            case syn.DrawStmt(name=name, span=span):
                made.append(_Unread(name, span, "is drawn and never looked at", False))
            case syn.ChooseSomeStmt(into=name, span=span):
                made.append(_Unread(name, span, "is never used", False))
        match node:
            case syn.AssignStmt(target=syn.Name()) | syn.RollStmt(target=syn.Name()):
                # Neither an assignment to a name nor `n += 1` is a use of it.
                written.add(id(node.target))
            case syn.LogStmt(text=text):
                read |= {path.split(".")[0] for path in placeholders(text)}
            case syn.Name(id=name) if id(node) not in written:
                read.add(name)
    return tuple(local for local in made if local.name not in read and not local.name.startswith("_"))


def check_callables(symbols: Symbols, sink: Sink, merged: Merged, findings: Findings) -> None:
    """Procedures, rules and actions that a column could name, but that no row names and nothing else does."""
    decls = [decl for _, decl in (*merged.decls, *merged.exceptions, *merged.examples)]
    for dom in symbols.callable_types.values():
        assert dom.callable_type is not None
        for entry in dom.callable_type.entries if dom.callable_type.constant and not sink.has_errors else ():
            if entry.name not in findings.used and not any(
                entry.name in symbols.facts.of(_named, decl) for decl in decls
            ):
                sink.warning(
                    "GR0210",
                    entry.span,
                    f"`{entry.name}` is never used: no row names it where {dom.name} is wanted, and nothing else does",
                    hint="name it in the data, or take it out",
                )


def _named(decl: Any) -> frozenset[str]:
    return frozenset(node.id for node in walk(decl) if isinstance(node, syn.Name))


def check_states(symbols: Symbols, sink: Sink, findings: Findings) -> None:
    """States that steps lead to, and that nothing ever writes."""
    for dom in symbols.doms:
        for info in dom.fields.values():
            made = findings.states_made(info) if info.steps is not None else set()
            if info.steps is None or not made or None in made or info.type.dom is None:
                continue
            for place in sorted({b for _, b in info.steps} - made):
                name = info.type.dom.members[place]
                sink.warning(
                    "GR0715",
                    info.decl.span if info.decl is not None else None,
                    f"steps lead to `{name}`, but nothing ever makes {dom.name}.{info.name} so",
                )
