"""Expressions of emitted code as C: what Cython would make of them, without its checks and in a hundredth of its time.

Emitted text is a small part of Cython: integers, pointers, calls, casts, comparisons, `and`, `or`, `not`, `x if c else y`.  Both languages
mean the same by it, but for how tightly operators bind, so expressions are read by Cython's rules and written by C's.  What has
another meaning in C, or is not known here, is refused (`NotInC`), and Cython gets that file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import IntEnum

_TOKEN = re.compile(
    r"\s*(?:(?P<word>[A-Za-z_]\w*)|(?P<number>\d\w*)|(?P<sign>==|!=|<=|>=|<<|>>|//|\*\*|[-+*/%&|^~<>()\[\],.]))"
)
_COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">="])
_WORDS = {"True": "1", "False": "0", "None": None, "in": None, "is": None, "lambda": None}
#: Binary operators: how tightly they bind in Cython, and what C calls them.
_BINARY = {
    "|": (0, "|"),
    "^": (1, "^"),
    "&": (2, "&"),
    "<<": (3, "<<"),
    ">>": (3, ">>"),
    "+": (4, "+"),
    "-": (4, "-"),
    "*": (5, "*"),
    "//": (5, "/"),
    "%": (5, "%"),
}
#: Operators from here on bind in C as they do in Cython.
_ARITHMETIC = 4
#: What needs a closer look: all but names, numbers, calls, elements, members, addresses, sums and products.
_UNSURE = re.compile(
    r"\b(?:and|or|not|if|else|in|is|lambda|True|False|None)\b|[^\w\s\[\](),+.*&-]|\*\*|&(?!\w)|[\w\])]\s*&"
    r"|(?<![\w\])])\[|(?<!\w)\(|\w\s+\w"
)
_MEMBER = re.compile(r"\b([A-Za-z_]\w*)\.(?=\w)")


class NotInC(Exception):
    """Text that is left to Cython."""


class Truth(IntEnum):
    """What is known of a value besides its text."""

    VALUE = 0
    #: 0 or 1
    FLAG = 1
    #: true or false as the operands say, but Cython gives one of them and C gives 0 or 1
    EITHER = 2


@dataclass(slots=True)
class _Part:
    text: str
    truth: Truth = Truth.VALUE
    #: whether it binds as tightly as anything does
    tight: bool = False
    #: whether it is to stand in brackets below an operator that C reads otherwise
    loose: bool = False

    @property
    def closed(self) -> str:
        return self.text if self.tight else f"({self.text})"


def value_in_c(text: str, pointers: Collection[str]) -> str:
    """An expression whose value counts.  `pointers`: the variables that are pointers, whose members C writes otherwise."""
    if not _UNSURE.search(text):
        # Most are the same text.
        return _MEMBER.sub(lambda found: f"{found[1]}->" if found[1] in pointers else found[0], text)
    return _plain(_Reader(text, pointers).whole()).text


def condition_in_c(text: str, pointers: Collection[str]) -> str:
    """An expression of which only counts whether it holds."""
    return _Reader(text, pointers).whole().text


def _plain(part: _Part) -> _Part:
    if part.truth is Truth.EITHER:
        raise NotInC(part.text)
    return part


class _Reader:
    """One expression, from the left to the right."""

    def __init__(self, text: str, pointers: Collection[str]) -> None:
        self.pointers = pointers
        self.tokens: list[str] = []
        end = 0
        while end < len(text):
            found = _TOKEN.match(text, end)
            if found is None:
                raise NotInC(text)
            self.tokens.append(found[found.lastgroup or 0])
            end = found.end()
        self.tokens.append("")
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at]

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise NotInC(" ".join(self.tokens))

    def whole(self) -> _Part:
        made = self.either()
        self.expect("")
        return made

    def either(self) -> _Part:
        """`x if c else y`"""
        first = self.any_of()
        if self.next != "if":
            return first
        self.take()
        condition = self.any_of()
        self.expect("else")
        second = self.either()
        truth = Truth.FLAG if first.truth is second.truth is Truth.FLAG else Truth.VALUE
        text = f"({condition.text}) ? {_plain(first).closed} : {_plain(second).closed}"
        return _Part(f"({text})", truth, tight=True)

    def any_of(self) -> _Part:
        return self._joined("or", "||", self.all_of)

    def all_of(self) -> _Part:
        return self._joined("and", "&&", self.denied)

    def _joined(self, word: str, sign: str, inner: Callable[[], _Part]) -> _Part:
        made = inner()
        if self.next != word:
            return made
        parts = [made]
        while self.next == word:
            self.take()
            parts.append(inner())
        flags = all(part.truth is Truth.FLAG for part in parts)
        text = f" {sign} ".join(part.closed for part in parts)
        return _Part(text, Truth.FLAG if flags else Truth.EITHER, loose=True)

    def denied(self) -> _Part:
        if self.next != "not":
            return self.comparison()
        self.take()
        return _Part(f"!{self.denied().closed}", Truth.FLAG)

    def comparison(self) -> _Part:
        left = self.binary(0)
        if self.next not in _COMPARISONS:
            return left
        sign = self.take()
        right = self.binary(0)
        if self.next in _COMPARISONS:
            # a < b < c
            raise NotInC(" ".join(self.tokens))
        if not (sign in ("==", "!=") and right.text == "0"):
            _plain(left)
        sides = [part.closed if part.loose else part.text for part in (left, _plain(right))]
        return _Part(f"{sides[0]} {sign} {sides[1]}", Truth.FLAG, loose=True)

    def binary(self, loosest: int) -> _Part:
        made = self.prefixed()
        while True:
            level, sign = _BINARY.get(self.tokens[self.at], (-1, ""))
            if level < loosest:
                return made
            self.at += 1
            right = self.binary(level + 1)
            bits = level < _ARITHMETIC
            sides = [_plain(part).closed if bits or part.loose else part.text for part in (made, right)]
            made = _Part(f"{sides[0]} {sign} {sides[1]}", loose=bits)

    def prefixed(self) -> _Part:
        match self.next:
            case "-" | "+" | "~" | "&" as sign:
                self.take()
                part = _plain(self.prefixed())
                gap = " " if part.text[:1] == sign else ""
                return _Part(f"{sign}{gap}{part.text}")
            case "<":
                self.take()
                words = []
                while self.next not in (">", ""):
                    words.append(self.take())
                self.expect(">")
                return _Part(f"({' '.join(words)}){_plain(self.prefixed()).text}")
        return self.postfixed()

    def postfixed(self) -> _Part:
        token = self.take()
        pointer = False
        if token == "(":
            inner = self.either()
            self.expect(")")
            made = _Part(f"({inner.text})", inner.truth, tight=True)
        elif token[:1].isdigit():
            made = _Part(token, Truth.FLAG if token in ("0", "1") else Truth.VALUE, tight=True)
        elif token and (token[0].isalpha() or token[0] == "_"):
            word = _WORDS.get(token, token)
            if word is None:
                raise NotInC(" ".join(self.tokens))
            pointer = token in self.pointers
            made = _Part(word, tight=True)
        else:
            raise NotInC(" ".join(self.tokens))
        while True:
            match self.next:
                case "(":
                    self.take()
                    args = []
                    while self.next != ")":
                        args.append(_plain(self.either()).text)
                        if self.next != ")":
                            self.expect(",")
                    self.take()
                    made = _Part(f"{made.text}({', '.join(args)})", tight=True)
                    pointer = False
                case "[":
                    self.take()
                    place = _plain(self.either()).text
                    self.expect("]")
                    # An element of a pointer to structures is a structure.
                    made, pointer = _Part(f"{made.text}[{place}]", tight=True), False
                case ".":
                    self.take()
                    made = _Part(f"{made.text}{'->' if pointer else '.'}{self.take()}", tight=True)
                    pointer = False
                case _:
                    return made
