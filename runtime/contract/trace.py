"""The trace of a run: records, and marks that tell which of them were made while what was running.

A trace is flat.  A record is `site, mask of the seats that may see it (-1: all), n, n arguments`.  Marks are negative,
which no site is, and are made at level 2 alone:

    CALL site   a procedure or a machine with this site begins
    RETURN      the innermost of them ends; without its CALL, a machine that began in an earlier trace
    BELOW n     the next record is the result of a function that runs since the last n cells

So a procedure or machine has all that lies between its marks below its own record, and the result of a rule has all
that was noted since the rule was called.  A game that ends, or fails, leaves marks open.

Both back ends must agree on which functions make marks: `marked_functions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grognard.contract import ir
from grognard.contract.ir.walk import nodes

CALL = -1
RETURN = -2
BELOW = -3

#: Records that end what they tell of: the value of a rule, why a line is blocked or a step not possible.
_RESULTS = ("rule", "modifiers", "sight", "movement")
_RESULT_LEVEL = 2


class Marks(NamedTuple):
    """What one function leaves in the trace beside its records."""

    #: CALL at its beginning and RETURN at its end
    brackets: bool = False
    #: the sites of the notes that come with BELOW
    results: frozenset[int] = frozenset()


NO_MARKS = Marks()

#: what was found out last: examples of play run one program on many boards
_latest: list[tuple[ir.Program, list[Marks]]] = []


def marked_functions(program: ir.Program) -> list[Marks]:
    """For each function the marks that it makes."""
    if not _latest or _latest[0][0] is not program:
        _latest[:] = [(program, [_marks(program, function) for function in program.functions])]
    return _latest[0][1]


def _marks(program: ir.Program, function: ir.Function) -> Marks:
    sites = {
        node.site
        for node in nodes(function.body)
        if isinstance(node, ir.Note) and node.level >= _RESULT_LEVEL
    }
    if function.site in sites and program.sites[function.site].kind == "enter":
        return Marks(brackets=True)
    results = {site for site in sites if program.sites[site].kind in _RESULTS}
    # A modifier that bars everything ends the list of modifiers as its total would.
    results |= {note.site for note in _last_words(function.body)}
    results.discard(function.site)
    if results:
        return Marks(results=frozenset(results))
    # Nothing tells of the end: the exception that runs instead of a procedure, or of a rule that gives a set.
    return Marks(brackets=function.site in sites)


def _last_words(code: tuple[ir.Stmt, ...]) -> Iterator[ir.Note]:
    """The notes that a return follows."""
    for number, node in enumerate(code):
        match node:
            case ir.Note(level=level) if level >= _RESULT_LEVEL:
                if number + 1 < len(code) and isinstance(code[number + 1], ir.Return):
                    yield node
            case ir.IfStmt(then=then, otherwise=otherwise):
                yield from _last_words(then)
                yield from _last_words(otherwise)


class Traced(NamedTuple):
    """A record and where it belongs."""

    site: int
    seen: int
    args: tuple[int, ...]
    #: the record of what was running, by its number; None: what runs has none in this trace
    parent: int | None


def trace_records(trace: Sequence[int]) -> list[tuple[int, int, tuple[int, ...]]]:
    """A flat trace as (site, seen mask, arguments)."""
    records = []
    place = 0
    while place < len(trace):
        site = trace[place]
        if site < 0:
            place += 1 if site == RETURN else 2
            continue
        seen, n = trace[place + 1], trace[place + 2]
        records.append((site, seen, tuple(trace[place + 3 : place + 3 + n])))
        place += 3 + n
    return records


class _Open(NamedTuple):
    """A procedure or machine that runs."""

    site: int
    #: the number of its own record, once that is made
    head: list[int]
    #: the records inside that have no parent yet: their places in the trace and their numbers
    inside: list[tuple[int, int]]


def trace_tree(trace: Sequence[int]) -> list[Traced]:
    """The records of a trace in their order, each with that of what was running when it was made."""
    records: list[tuple[int, int, tuple[int, ...]]] = []
    parents: list[int | None] = []
    stack = [_Open(-1, [], [])]
    #: where what the next record is the result of began
    since: int | None = None
    place = 0
    while place < len(trace):
        site = trace[place]
        if site == CALL:
            stack.append(_Open(trace[place + 1], [], []))
            place += 2
        elif site == RETURN:
            if len(stack) > 1:
                _close(stack, parents)
            place += 1
        elif site == BELOW:
            since = place - trace[place + 1]
            place += 2
        else:
            number, running = len(records), stack[-1]
            end = place + 3 + trace[place + 2]
            records.append((site, trace[place + 1], tuple(trace[place + 3 : end])))
            parents.append(None)
            while since is not None and running.inside and running.inside[-1][0] >= since:
                parents[running.inside.pop()[1]] = number
            since = None
            if site == running.site and not running.head:
                running.head.append(number)
            running.inside.append((place, number))
            place = end
    while len(stack) > 1:
        _close(stack, parents)
    return [Traced(*record, parent) for record, parent in zip(records, parents)]


def _close(stack: list[_Open], parents: list[int | None]) -> None:
    """The innermost ends: what lies inside goes below its record, or, without one, to what called it."""
    ended = stack.pop()
    for item in ended.inside:
        if not ended.head or item[1] == ended.head[0]:
            stack[-1].inside.append(item)
        else:
            parents[item[1]] = ended.head[0]
