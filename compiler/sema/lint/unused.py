"""Locals, callables and states of life cycles that nothing uses."""

from __future__ import annotations

from typing import Any

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.lint.log_text import placeholders
from grognard.compiler.sema.world import World
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.source import Span


def check_locals(world: World, nodes: list[Any]) -> None:
    """Warn of locals that are never read, unless their name starts with `_`."""
    made: list[tuple[str, Span, str]] = []
    read: set[str] = set()
    written: set[int] = set()
    for node in nodes:
        match node:
            case syn.Let(name=name, span=span):
                made.append((name, span, "is never used"))
            case syn.RollStmt(target=syn.Name(id=name), span=span) if name not in world.globals:
                made.append((name, span, "is rolled and never looked at"))
            case syn.DoStmt(into=str(name), span=span) | syn.CreateStmt(into=str(name), span=span):
                made.append((name, span, "is never used"))
            case syn.DrawStmt(name=name, span=span):
                made.append((name, span, "is drawn and never looked at"))
            case syn.ChooseSomeStmt(into=name, span=span):
                made.append((name, span, "is never used"))
        match node:
            case syn.AssignStmt(target=syn.Name()) | syn.RollStmt(target=syn.Name()):
                # Neither an assignment to a name nor `n += 1` is a use of it.
                written.add(id(node.target))
            case syn.LogStmt(text=text):
                read |= {path.split(".")[0] for path in placeholders(text)}
            case syn.Name(id=name) if id(node) not in written:
                read.add(name)
    for name, span, what in made:
        if name not in read and not name.startswith("_"):
            world.sink.warning("GR0210", span, f"`{name}` {what}", hint="use it, or take it out")


def check_callables(world: World, merged: Merged) -> None:
    """Procedures, rules and actions that a column could name, but that no row names and nothing else does."""
    named = {
        node.id
        for _, decl in (*merged.decls, *merged.exceptions, *merged.examples)
        for node in walk(decl)
        if isinstance(node, syn.Name)
    }
    for dom in world.callable_types.values():
        assert dom.callable_type is not None
        for entry in (
            dom.callable_type.entries if dom.callable_type.constant and not world.sink.has_errors else ()
        ):
            if not entry.used and entry.name not in named:
                world.sink.warning(
                    "GR0210",
                    entry.span,
                    f"`{entry.name}` is never used: no row names it where {dom.name} is wanted, and nothing else does",
                    hint="name it in the data, or take it out",
                )


def check_states(world: World) -> None:
    """States that steps lead to, and that nothing ever writes."""
    for dom in world.doms:
        for info in dom.fields.values():
            if info.steps is None or not info.made or None in info.made or info.type.dom is None:
                continue
            for place in sorted({b for _, b in info.steps} - info.made):
                name = info.type.dom.members[place]
                world.sink.warning(
                    "GR0715",
                    info.decl.span if info.decl is not None else None,
                    f"steps lead to `{name}`, but nothing ever makes {dom.name}.{info.name} so",
                )
