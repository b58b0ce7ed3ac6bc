"""Movements: what they are built on, their gaits, and the clauses that they need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grognard.compiler.sema.checks.lines import check_space
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import substitute
from grognard.support.diagnostics import Sink
from grognard.support.suggest import hint_for

#: Clauses that a movement has once.  A later layer, a gait or a derived movement overrides them.
_SINGLE = ("start", "allowance", "step")
#: Words that begin a line of a movement.
_CLAUSES = frozenset({"start", "allowance", "step", "never", "costs", "stops", "minimum", "may", "gait"})
#: Limit of the length of a leg: more places than any board is wide are an error.
MAX_LEAP = 200


def check_movement(symbols: Symbols, entry: Callable_, sink: Sink) -> None:
    decl = _built(symbols, entry.decl, (entry.name,), sink)
    if decl is None or not check_space(symbols, decl, sink):
        return
    for clause in decl.clauses:
        value = clause.value
        if clause.sort == "step" and isinstance(value, syn.Number) and not 1 <= value.value <= MAX_LEAP:
            sink.error("GR0304", value.span, f"a leg reaches 1 to {MAX_LEAP} places far, not {value.value}")
    _check_gaits(decl, sink)
    for name, clauses in ways_of(entry, decl):
        sorts = {clause.sort for clause in clauses}
        for wanted in ("allowance", "costs"):
            if wanted not in sorts:
                sink.error("GR0603", decl.span, f"movement `{name}` lacks `{wanted}`")
        if "start" not in sorts and not begins_at_counter(entry):
            sink.error("GR0603", entry.span, f"movement `{entry.name}` lacks `start`", hint="start u.at")
        costs = [clause for clause in clauses if clause.sort == "costs"]
        if costs and all(clause.condition is not None for clause in costs):
            sink.warning(
                "GR0309",
                entry.span,
                f"movement `{entry.name}` has a cost only under conditions: other steps are free",
            )


def _check_gaits(decl: syn.MovementDecl, sink: Sink) -> None:
    seen: set[str] = set()
    for gait in decl.gaits:
        if gait.name in seen:
            sink.error("GR0205", gait.span, f"gait `{gait.name}` stands twice in `{decl.name}`")
        elif gait.name in _CLAUSES:
            sink.error(
                "GR0208",
                gait.span,
                f"a gait cannot be called `{gait.name}`: that word begins a line of a movement",
                hint=f"for example `gait {gait.name}_gait`",
            )
        seen.add(gait.name)


def begins_at_counter(entry: Callable_) -> bool:
    """Whether it starts at the place of its first parameter, a counter, unless it says where."""
    return bool(entry.params) and (dom := entry.params[0][1].dom) is not None and "at" in dom.fields


def ways_of(entry: Callable_, decl: syn.MovementDecl) -> Iterator[tuple[str, tuple[syn.MoveClause, ...]]]:
    """The searches that a movement is: one for each gait, else one; with the clauses of each."""
    gaits: dict[str, tuple[syn.MoveClause, ...]] = {}
    for gait in decl.gaits:
        gaits.setdefault(f"{entry.name} {gait.name}", gait.clauses)
    for name, own in (gaits or {entry.name: ()}).items():
        given = {c.sort for c in own}
        yield name, tuple(c for c in decl.clauses if c.sort not in _SINGLE or c.sort not in given) + own


def grown(symbols: Symbols, decl: syn.MovementDecl) -> syn.MovementDecl | None:
    """The declaration with the clauses of the movement that it is built on; None if that cannot be."""
    return _built(symbols, decl, (decl.name,), Sink())


def _built(
    symbols: Symbols, decl: syn.MovementDecl, within: tuple[str, ...], sink: Sink
) -> syn.MovementDecl | None:
    if decl.like is None:
        return decl
    use = decl.like
    base = symbols.callables.get(use.name)
    if base is None or base.sort != "movement":
        known = [c.name for c in symbols.callables.values() if c.sort == "movement"]
        sink.error("GR0207", use.span, f"there is no movement `{use.name}`", hint=hint_for(use.name, known))
        return None
    if use.name in within:
        sink.error("GR0314", use.span, f"movement `{decl.name}` is built on itself")
        return None
    if len(use.args) != len(base.params):
        sink.error("GR0302", use.span, f"`{use.name}` takes {len(base.params)} values, {len(use.args)} given")
        return None
    old = _built(symbols, base.decl, (*within, use.name), sink)
    if old is None:
        return None
    parts: Any = (old.clauses, old.gaits)
    # Two passes, so that a value that mentions another parameter's name is not taken for it.
    for number, (name, _) in enumerate(base.params):
        parts, _ = substitute(parts, syn.Name(name, use.span), syn.Name(f"({number})", use.span))
    for number, value in enumerate(use.args):
        parts, _ = substitute(parts, syn.Name(f"({number})", use.span), value)
    clauses, gaits = parts
    names = next((c.names for c in decl.clauses if c.sort == "step"), None)
    before = next((c.names for c in old.clauses if c.sort == "step"), None)
    if names is not None and before is not None:
        for was, now in zip(before, names, strict=True):
            clauses, _ = substitute(clauses, syn.Name(was, use.span), syn.Name(now, use.span))
            gaits, _ = substitute(gaits, syn.Name(was, use.span), syn.Name(now, use.span))
    own = {c.sort for c in decl.clauses}
    saved = tuple(c for c in clauses if c.sort not in _SINGLE or c.sort not in own)
    return replace(decl, clauses=saved + decl.clauses, gaits=gaits + decl.gaits, like=None)
