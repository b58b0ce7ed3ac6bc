"""The order in which the exceptions to a rule are tried, and the check that no two of them are ambiguous."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.conditions import disjoint
from grognard.support.diagnostics import Label
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.support.diagnostics import Sink


def ordered_exceptions(entry: Callable_, sink: Sink) -> list[tuple[int, syn.ExceptionDecl]]:
    """The exceptions in the order in which they are tried: later layers before earlier ones."""
    found = entry.exceptions
    for place, (rank, first) in enumerate(found):
        for other_rank, second in found[place + 1 :]:
            if (
                rank == other_rank
                and not _ordered(entry, first, second)
                and not _disordered(entry, first, second)
                and not disjoint(first.condition, second.condition)
            ):
                sink.error(
                    "GR0502",
                    second.span,
                    f"two exceptions to `{entry.name}` in one layer may apply at once",
                    labels=(Label(first.span, "the other one"),),
                    hint='name one (exception "a" to ...) and order the other `before "a"` or `after "a"`',
                )
    _contradictory(entry, sink)
    order = sorted(range(len(found)), key=lambda n: (-found[n][0], n))
    labels = {found[n][1].label: n for n in order if found[n][1].label}
    earlier: dict[int, set[int]] = {n: set() for n in order}
    for n in order:
        decl = found[n][1]
        for target in (*decl.before, *decl.after):
            if target not in labels:
                sink.error(
                    "GR0511",
                    decl.span,
                    f'there is no exception "{target}" to `{entry.name}`',
                    hint=hint_for(target, list(labels)),
                )
            elif target in decl.before:
                earlier[labels[target]].add(n)
            else:
                earlier[n].add(labels[target])
    # A topological sort that is stable in the order of layers and text.
    made: list[int] = []
    while len(made) < len(order):
        rest = [n for n in order if n not in made]
        made.append(next((n for n in rest if earlier[n] <= set(made)), rest[0]))
    return [found[n] for n in made]


def _contradictory(entry: Callable_, sink: Sink) -> None:
    """Report exceptions that would each have to come before the other."""
    earlier: dict[str, set[str]] = {}
    for _, decl in entry.exceptions:
        for other in decl.before if decl.label else ():
            earlier.setdefault(other, set()).add(decl.label)
        if decl.label and decl.after:
            earlier.setdefault(decl.label, set()).update(decl.after)
    for _, decl in entry.exceptions:
        pending, seen = list(earlier.get(decl.label, ())), set()
        while pending:
            name = pending.pop()
            if name == decl.label:
                sink.error(
                    "GR0511",
                    decl.span,
                    f'"{decl.label}" would have to come before itself: `before` and `after` contradict each other',
                    hint="take one of them out",
                )
                return
            if name not in seen:
                seen.add(name)
                pending += earlier.get(name, ())


def _ordered(entry: Callable_, a: syn.ExceptionDecl, b: syn.ExceptionDecl) -> bool:
    """Whether `before` and `after` order two exceptions, directly or transitively."""
    labels = {decl.label: number for number, (_, decl) in enumerate(entry.exceptions) if decl.label}
    later: dict[int, set[int]] = {}
    for number, (_, decl) in enumerate(entry.exceptions):
        for name in decl.before:
            later.setdefault(number, set()).add(labels.get(name, -1))
        for name in decl.after:
            later.setdefault(labels.get(name, -1), set()).add(number)
    places = [n for n, (_, decl) in enumerate(entry.exceptions) if decl is a or decl is b]
    for start, goal in (places, places[::-1]):
        pending, seen = [start], set()
        while pending:
            for number in later.get(pending.pop(), ()):
                if number == goal:
                    return True
                if number not in seen:
                    seen.add(number)
                    pending.append(number)
    return False


def _disordered(entry: Callable_, *pair: syn.ExceptionDecl) -> bool:
    """Whether one of two names a missing exception.  That is reported by itself."""
    labels = {decl.label for _, decl in entry.exceptions}
    return any(name not in labels for d in pair for name in (*d.before, *d.after))
