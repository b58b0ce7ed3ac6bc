"""Building blocks of emitted code: indented lines, names, declared variables, values with their rank.

C does not fix the order in which operands are evaluated; the IR does.  So every emitted expression carries a rank
that says what it depends on and what it may do, and operands are moved into variables where order could show.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache

from grognard.compiler.cython.tree import Block, Comment, Line, Node

INT = "int32_t {}"
INT64 = "int64_t {}"
POINTER = "const int32_t *{}"
BUFFER = "int32_t *{}"

#: Names that emitted code uses itself, or that Cython or C would read otherwise.
_TAKEN = frozenset(
    [
        "ctx",
        "s",
        "off",
        "cnt",
        "base",
        "words",
        "sym",
        "col",
        "tab",
        "fr",
        "fo",
        "pc",
        "mark",
        "const",
        "double",
        "float",
        "int",
        "long",
        "short",
        "signed",
        "unsigned",
        "void",
        "struct",
        "union",
        "enum",
        "static",
        "extern",
        "inline",
        "register",
        "volatile",
        "auto",
        "switch",
        "case",
        "default",
        "do",
        "goto",
        "sizeof",
        "typedef",
        "char",
        "size_t",
        "bint",
        "object",
        "cdef",
        "cpdef",
        "ctypedef",
        "nogil",
        "gil",
        "noexcept",
        "NULL",
        "include",
        "DEF",
        "IF",
        "ELIF",
        "ELSE",
        "public",
        "readonly",
        "api",
        "range",
        "len",
        "abs",
        "min",
        "max",
        "print",
    ]
)


class Rank(IntEnum):
    """What an expression's text may do when it is evaluated."""

    CONST = 0  # nothing can change it
    LOCAL = 1  # reads locals
    READ = 2  # reads the position
    FAIL = 3  # may fail or be noted
    WRITE = 4  # may change the position


@dataclass(frozen=True, slots=True)
class Value:
    """An expression's text.  Sets and lists are pointers: `room` is the text of their size in cells, and `state`
    says that they point into the position, where writes can change what is there."""

    text: str
    rank: Rank
    declaration: str = INT
    room: str = ""
    state: bool = False

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=1 << 14)
def identifier(name: str) -> str:
    """The author's name as an identifier."""
    # No two underscores in a row: they separate names that are put together.
    plain = re.sub(r"[\W_]+", "_", name, flags=re.ASCII).strip("_") or "x"
    if plain[0].isdigit():
        plain = f"n{plain}"
    return f"{plain}_" if plain in _TAKEN or keyword.iskeyword(plain) or plain.startswith("grog_") else plain


#: Longer names are cut: headings of examples are whole sentences, and files are called after routines.
MOST_LETTERS = 40


@dataclass(slots=True)
class Names:
    """Hands out identifiers, each once."""

    used: set[str] = field(default_factory=set)

    def take(self, name: str) -> str:
        plain = identifier(name)
        plain = plain if len(plain) <= MOST_LETTERS else plain[:MOST_LETTERS].rstrip("_")
        chosen, number = plain, 2
        while chosen in self.used:
            chosen = f"{plain}_{number}"
            number += 1
        self.used.add(chosen)
        return chosen


@dataclass(slots=True)
class Lines:
    """Statements under construction, and the variables they need."""

    nodes: list[Node] = field(default_factory=list)
    depth: int = 1
    #: C declaration of each variable
    variables: list[str] = field(default_factory=list)
    counter: int = 0

    def add(self, text: str) -> None:
        self.nodes.append(Line(text))

    def comment(self, text: str) -> None:
        """For people who read the source; the compiler is given none of it."""
        self.nodes.append(Comment(" ".join(text.split())))

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Statements below a head such as `if x:`."""
        block = Block(head, [])
        self.nodes.append(block)
        above, self.nodes = self.nodes, block.body
        self.depth += 1
        try:
            yield
        finally:
            self.nodes = above
            self.depth -= 1

    @contextmanager
    def buffered(self) -> Iterator[list[Node]]:
        """Collect statements without adding them yet."""
        kept, self.nodes = self.nodes, []
        collected = self.nodes
        try:
            yield collected
        finally:
            self.nodes = kept

    def variable(self, prefix: str, declaration: str = INT) -> str:
        """A new variable that the function declares at its head."""
        self.counter += 1
        name = f"{prefix}{self.counter}"
        self.variables.append(declaration.format(name))
        return name
