"""The order in which the exceptions to a rule are tried, and the check that no two of them are ambiguous."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.conditions import disjoint, told_apart
from grognard.support.diagnostics import Label
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.support.diagnostics import Sink


def check_exceptions(entry: Callable_, sink: Sink) -> None:
    """Report exceptions that may apply at once, and orders that cannot be."""
    found = entry.exceptions
    known = {decl.name for _, decl in found}
    #: that name a missing exception, which is reported by itself
    lost = [any(name not in known for name in (*decl.before, *decl.after)) for _, decl in found]
    later = _later(entry)
    apart = {rank: told_apart([d.condition for r, d in found if r == rank]) for rank in {r for r, _ in found}}
    for place, (rank, first) in enumerate(found):
        if apart[rank]:
            continue
        for other, (other_rank, second) in enumerate(found[place + 1 :], place + 1):
            if (
                rank == other_rank
                and other not in later[place]
                and place not in later[other]
                and not (lost[place] or lost[other])
                and not disjoint(first.condition, second.condition)
            ):
                sink.error(
                    "GR0502",
                    second.span,
                    f"two exceptions to `{entry.name}` in one layer may apply at once",
                    labels=(Label(first.span, "the other one"),),
                    hint="name one (exception a to ...) and order the other `before a` or `after a`",
                )
    _contradictory(entry, sink)
    names = [decl.name for _, decl in sorted(found, key=lambda e: -e[0]) if decl.name]
    for _, decl in found:
        for target in (*decl.before, *decl.after):
            if target not in names:
                sink.error(
                    "GR0511",
                    decl.span,
                    f"there is no exception `{target}` to `{entry.name}`",
                    hint=hint_for(target, names),
                )


def ordered_exceptions(entry: Callable_) -> list[tuple[int, syn.ExceptionDecl]]:
    """The exceptions in the order in which they are tried: later layers before earlier ones."""
    found = entry.exceptions
    order = sorted(range(len(found)), key=lambda n: (-found[n][0], n))
    names = {found[n][1].name: n for n in order if found[n][1].name}
    earlier: dict[int, set[int]] = {n: set() for n in order}
    for n in order:
        decl = found[n][1]
        for target in (*decl.before, *decl.after):
            if target not in names:
                continue
            if target in decl.before:
                earlier[names[target]].add(n)
            else:
                earlier[n].add(names[target])
    # A topological sort that is stable in the order of layers and text.
    made: list[int] = []
    rest, done = list(order), set[int]()
    while rest:
        following = next((n for n in rest if earlier[n] <= done), rest[0])
        rest.remove(following)
        made.append(following)
        done.add(following)
    return [found[n] for n in made]


def _contradictory(entry: Callable_, sink: Sink) -> None:
    """Report exceptions that would each have to come before the other."""
    earlier: dict[str, set[str]] = {}
    for _, decl in entry.exceptions:
        for other in decl.before if decl.name else ():
            earlier.setdefault(other, set()).add(decl.name)
        if decl.name and decl.after:
            earlier.setdefault(decl.name, set()).update(decl.after)
    for _, decl in entry.exceptions:
        pending, seen = list(earlier.get(decl.name, ())), set()
        while pending:
            name = pending.pop()
            if name == decl.name:
                sink.error(
                    "GR0511",
                    decl.span,
                    f"`{decl.name}` would have to come before itself: `before` and `after` contradict each other",
                    hint="take one of them out",
                )
                return
            if name not in seen:
                seen.add(name)
                pending += earlier.get(name, ())


def _later(entry: Callable_) -> list[set[int]]:
    """For each exception those that `before` and `after` put behind it, directly or transitively."""
    names = {decl.name: number for number, (_, decl) in enumerate(entry.exceptions) if decl.name}
    behind: dict[int, set[int]] = {}
    for number, (_, decl) in enumerate(entry.exceptions):
        for name in decl.before:
            behind.setdefault(number, set()).add(names.get(name, -1))
        for name in decl.after:
            behind.setdefault(names.get(name, -1), set()).add(number)
    found: list[set[int]] = []
    for start in range(len(entry.exceptions)):
        pending, seen = [start], set[int]()
        while pending:
            for number in behind.get(pending.pop(), ()):
                if number not in seen:
                    seen.add(number)
                    pending.append(number)
        found.append(seen)
    return found
