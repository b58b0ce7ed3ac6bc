"""Routines as C, from the trees that `rendered` makes Cython of.

Cython takes as long to translate a large engine as the C compiler takes to compile it, and most of what it looks at (Python's objects,
exceptions, types to be found out) never stands in emitted code.  Large engines therefore come as C at once, all but the module that
Python loads; what people read stays in Cython's notation, and small engines are translated by Cython itself, so that every construct is
read both ways by the tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from grognard.compiler.cython.c_expressions import NotInC, condition_in_c, value_in_c
from grognard.compiler.cython.tree import INDENT, Block, Comment, Line, Node

_DECLARED = re.compile(r"cdef ((?:const )?\w+) (.+)", re.DOTALL)
_FOR = re.compile(r"for (\w+) in range\((.*)\):", re.DOTALL)


@dataclass
class _Writer:
    """One routine: which of its variables are pointers, and how many loops it has."""

    pointers: set[str] = field(default_factory=set)
    loops: int = 0

    def value(self, text: str) -> str:
        return value_in_c(text, self.pointers)

    def condition(self, text: str) -> str:
        return condition_in_c(text, self.pointers)

    def statements(self, nodes: Iterable[Node], depth: int) -> Iterator[str]:
        for node in nodes:
            match node:
                case Line(text=text):
                    yield INDENT * depth + self.line(text)
                case Block(head=head, body=body):
                    opened = self.head(head)
                    for line in opened:
                        yield INDENT * depth + line
                    yield from self.statements(body, depth + 1)
                    yield f"{INDENT * depth}}}{'}' if head.startswith('for ') else ''}"
                case Comment(text=text):
                    yield f"{INDENT * depth}/* {text.replace('*/', '* /')} */"
                case _:
                    raise AssertionError(f"not finished: {node!r}")

    def head(self, head: str) -> list[str]:
        """What opens a block."""
        if head == "else:":
            return ["else {"]
        word, _, rest = head.removesuffix(":").partition(" ")
        if word in ("if", "while"):
            return [f"{word} ({self.condition(rest)}) {{"]
        if word == "elif":
            return [f"else if ({self.condition(rest)}) {{"]
        found = _FOR.fullmatch(head)
        if found is None:
            raise NotInC(head)
        # The end is worked out once, and the variable keeps the last number that it had.
        self.loops += 1
        at, end = f"at_{self.loops}", f"end_{self.loops}"
        cut = next(_outside(found[2], ","), -1)
        first, last = ("0", found[2]) if cut < 0 else (found[2][:cut], found[2][cut + 1 :])
        return [
            f"{{int64_t {end} = {self.value(last.strip())};",
            f"for (int64_t {at} = {self.value(first)}; {at} < {end}; {at}++) {{",
            f"{INDENT}{found[1]} = {at};",
        ]

    def line(self, text: str) -> str:
        if text in ("return", "break", "continue"):
            return f"{text};"
        if text == "pass":
            return ";"
        if text.startswith("return "):
            return f"return {self.value(text[7:])};"
        if text.startswith("cdef "):
            return self.declaration(text)
        found = _assignment(text)
        if found is None:
            return f"{self.value(text)};"
        target, sign, value = found
        return f"{self.value(target)} {sign} {self.value(value)};"

    def declaration(self, text: str) -> str:
        found = _DECLARED.fullmatch(text)
        if found is None:
            raise NotInC(text)
        kind, rest = found.groups()
        name, _, value = rest.partition(" = ")
        if value:
            if "," in name:
                raise NotInC(text)
            self.note_pointer(name)
            return f"{kind} {name} = {self.value(value)};"
        for one in name.split(","):
            self.note_pointer(one)
        return f"{kind} {name};"

    def note_pointer(self, name: str) -> None:
        if "*" in name:
            self.pointers.add(name.rpartition("*")[2].strip())


def _outside(text: str, wanted: str) -> Iterator[int]:
    """The places of a letter that stand in no brackets."""
    depth = 0
    for place, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == wanted and depth == 0:
            yield place


def _assignment(text: str) -> tuple[str, str, str] | None:
    """Target, sign and value, if it is one: a `=` that compares nothing."""
    for place in _outside(text, "="):
        before = text[place - 1]
        if before in " +-*|&" and text[place + 1 : place + 2] == " ":
            start = place if before == " " else place - 1
            return text[:start].rstrip(), text[start : place + 1], text[place + 2 :]
    return None


def routine_in_c(params: str, body: Sequence[Node]) -> list[str]:
    """The lines between the outer brackets of a routine; NotInC."""
    writer = _Writer()
    for param in params.split(", "):
        writer.note_pointer(param)
    return list(writer.statements(body, 1))


def tree_of(text: str) -> list[Node]:
    """The tree of lines that are indented by four, such as a template makes."""
    made: list[Node] = []
    open_blocks: list[list[Node]] = [made]
    for line in text.split("\n"):
        plain = line.lstrip()
        if not plain or plain.startswith("#"):
            continue
        depth = (len(line) - len(plain)) // len(INDENT)
        del open_blocks[depth + 1 :]
        if plain.endswith(":"):
            block = Block(plain, [])
            open_blocks[-1].append(block)
            open_blocks.append(block.body)
        else:
            open_blocks[-1].append(Line(plain))
    return made


__all__ = ["NotInC", "routine_in_c", "tree_of"]
