"""Mutants: a title with one thing changed on purpose, as changes of its program and its data.

The compiler makes them (compiler/mutate), the examples of play are run against them (play/mutation).  A mutant that no
example notices shows a rule that no example asserts.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.contract.ruleset import Ruleset

#: From a function or machine down to a node: names of parts, places in tuples.
Path: TypeAlias = tuple[str | int, ...]
Code = TypeVar("Code", ir.Function, ir.Machine)

#: What is changed, in the order of the report.
KINDS = {
    "constant": "a number, a flag or a member is another",
    "comparison": "`<` is `<=`, `is` is `is not` ...",
    "connective": "`and` is `or`, `or` is `and`",
    "sign": "`+` is `-`, a sign is dropped",
    "operator": "up is down, the least is the most, any is all",
    "guard": "a condition always holds (after `or`: never)",
    "case": "a line `= ... when ...` is left out",
    "modifier": "a line of a list of modifiers is left out",
    "effect": "a statement is left out",
    "exception": "an exception is left out",
    "row": "a row of a table is left out, its neighbour stands for it",
    "cell": "two cells of a row of a table are swapped",
    "column": "every value of a column is another",
}


class Dropped:
    """In place of a statement: it is left out."""

    def __repr__(self) -> str:
        return "DROPPED"


DROPPED = Dropped()


@dataclass(frozen=True, slots=True)
class CodeChange:
    """New nodes at some places of one function or machine."""

    sort: Literal["function", "machine"]
    number: int
    edits: tuple[tuple[Path, Any], ...]


@dataclass(frozen=True, slots=True)
class CellChange:
    """New values in one array of the data block."""

    sort: Literal["table", "column"]
    number: int
    cells: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change, as it is told and as it is made.  `before` and `after` are lines of the source."""

    number: int
    kind: str
    file: str
    line: int
    #: sections that the changed line cites, else those of its declaration
    cites: tuple[str, ...]
    #: the declaration that it belongs to
    owner: str
    before: str
    after: str
    code: tuple[CodeChange, ...] = ()
    cells: tuple[CellChange, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    def diff(self) -> list[str]:
        return [f"-{line}" for line in self.before.splitlines()] + [
            f"+{line}" for line in self.after.splitlines()
        ]


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A mutant that plays like the rules, as the title says, with its reason."""

    file: str
    before: str
    after: str
    why: str
    #: where that is written
    place: str
    #: the declaration, where several have such a line; empty: all of them are meant
    owner: str = ""

    def matches(self, mutant: Mutant) -> bool:
        """Whether this is the mutant, however its lines are laid out now."""
        return (
            self.file == mutant.file
            and self.owner in ("", mutant.owner)
            and _same_change(
                (_plain(self.before), _plain(self.after)), (_plain(mutant.before), _plain(mutant.after))
            )
        )


@dataclass(frozen=True, slots=True)
class Mutants:
    """A title that is compiled so that one thing of it can be changed, and what can be."""

    ruleset: Ruleset
    mutants: list[Mutant]
    equivalent: list[Equivalent]


#: A text or a citation; a comment; a gap.
_NO_MATTER = re.compile(r'("[^"\n]*"|\[[^\]\n]*\])|#[^\n]*|\s+')
#: What a statement ends with of which only the first lines are shown.
CUT = "..."


@lru_cache(maxsize=100_000)
def _plain(text: str) -> str:
    """The text without comments and gaps: how it is spaced, and where its lines end, does not matter."""
    return _NO_MATTER.sub(lambda found: found[1] or "", text)


def _same_change(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two changes, each before and after, are one.  The layout puts bodies that are long on lines of their own: of one
    the text may begin with what it is the body of, or go on with its body, and the other's may not."""
    if one == other:
        return True
    (before, after), (shorter, less) = sorted((one, other), key=lambda change: -len(change[0]))
    if not after and not less and (before.endswith(CUT) or shorter.endswith(CUT)):
        return before.removesuffix(CUT).startswith(shorter.removesuffix(CUT))
    if before.endswith(shorter):
        head = before.removesuffix(shorter)
        if head.endswith(":") or shorter.startswith("="):
            return after == (head + less if less else "")
    if before.startswith(shorter):
        body = before.removeprefix(shorter)
        if shorter.endswith(":") or body.startswith("="):
            return after == (less + body if less else "")
    return False


def edited(code: Code, edits: Sequence[tuple[Path, Any]]) -> Code:
    """The code with new nodes at these places."""
    made: Code = _edited(code, edits)
    return made


def _edited(node: Any, edits: Sequence[tuple[Path, Any]]) -> Any:
    below: dict[str | int, list[tuple[Path, Any]]] = {}
    for path, new in edits:
        if not path:
            return new
        below.setdefault(path[0], []).append((path[1:], new))
    if type(node) is tuple:
        parts = [_edited(part, below[n]) if n in below else part for n, part in enumerate(node)]
        return tuple(part for part in parts if part is not DROPPED)
    return replace(
        node, **{str(name): _edited(getattr(node, str(name)), rest) for name, rest in below.items()}
    )


def changed_cells(cells: array[int], change: CellChange) -> list[tuple[int, int]]:
    """Change an array in place; what undoes it.  An array that is too short (the data lacks them) stays as it is."""
    if any(place >= len(cells) for place, _ in change.cells):
        return []
    undo = [(place, cells[place]) for place, _ in change.cells]
    for place, value in change.cells:
        cells[place] = value
    return undo
