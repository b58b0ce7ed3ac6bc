"""What a broken declaration declares all the same.

Lines that cannot be read are taken out, or something harmless is put in their place, until the rest can be.  So others that use
the declaration find its name, its parameters and its other lines.  What is said of the inside of a mended declaration is
withheld: most of it would be about what was taken out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from grognard.compiler.syntax.from_text.brackets import blanked
from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.indenter import DedentError

#: Lines that are taken out of one declaration; a page of prose is not mended.
MOST_LINES = 8
#: Words that are taken out of one declaration.
MOST_WORDS = 4
#: What can stand in a block in place of a line that cannot be read.
_STAND_INS = ("= none", "return", "pass")
#: Words behind which a body declares a name that others use.
_DECLARES = re.compile(r"\b(?:mark|phase|step|choose|emit)\s+([^\W\d]\w*)")
_WORD = re.compile(r"[^\W\d]\w*")
_ERRORS = (UnexpectedToken, UnexpectedCharacters, DedentError)


@dataclass(frozen=True, slots=True)
class Mended:
    """The parse tree of the rest, and the text of what was taken out."""

    tree: Any
    lost: str


def mend(text: str, parser: Lark, *, of_data: bool) -> Mended | None:
    """The rest of a declaration without what cannot be read; None if too little is left.

    In headings and in declarations of data it is tried without the word that does not fit; elsewhere, and if that does not
    help, without the line."""
    lines = text.rstrip("\n").split("\n")
    lost: list[str] = []
    words = MOST_WORDS
    _take_open_brackets(lines, lost)
    for _ in range(MOST_LINES + MOST_WORDS):
        error = _error(parser, lines)
        if not isinstance(error, Exception):
            return Mended(error, "\n".join(lost))
        place = _place(error, len(lines))
        if place is None or (
            isinstance(error, UnexpectedToken) and error.token.type in ("_INDENT", "_DEDENT")
        ):
            odd = _odd_one_out(lines)
            if odd is None:
                break
            lost.append(lines[odd])
            lines[odd] = "#"
            continue
        if (
            words
            and place is not None
            and (of_data or place == 0)
            and _without_word(lines, place, error, parser)
        ):
            words -= 1
            continue
        if place == 0 or not _without(lines, place, lost, parser):
            break
    return _heading_alone(text, parser)


def names_declared_in(lost: str, of_data: bool) -> set[str]:
    """The names that others may use and that stood in the lost text."""
    plain = "\n".join(blanked(line) for line in lost.split("\n"))
    found = _WORD if of_data else _DECLARES
    return set(found.findall(plain))


def _error(parser: Lark, lines: list[str]) -> Any:
    """The error of a text, or its parse tree."""
    try:
        return parser.parse("\n".join(lines) + "\n")
    except _ERRORS as error:
        return error


def _place(error: Exception, count: int) -> int | None:
    """The line that an error is about, from 0."""
    if isinstance(error, UnexpectedCharacters):
        return min(error.line, count) - 1
    if isinstance(error, UnexpectedToken):
        if error.token.type == "$END" or not error.token.line:
            return count - 1
        line = min(error.token.line, count)
        # What is missing at a line's end is noticed at the beginning of the next.
        return line - 1
    return None


def _without_word(lines: list[str], place: int, error: Any, parser: Lark) -> bool:
    """Take a word out; False if that does not bring the error further down, or to the end of the line."""
    width = len(str(error.token)) if isinstance(error, UnexpectedToken) else 1
    start = error.column - 1
    line = lines[place]
    if not line[start : start + width].strip():
        return False
    lines[place] = line[:start] + " " * width + line[start + width :]
    following = _error(parser, lines)
    further = _place(following, len(lines)) if isinstance(following, Exception) else len(lines)
    if further is not None and (further > place or (further == place and following.column > error.column)):
        return True
    lines[place] = line
    return False


def _without(lines: list[str], place: int, lost: list[str], parser: Lark) -> bool:
    """Take a line out, with what is indented below it; False if that does not bring the error further down."""
    for at in (place, place - 1):
        if at <= 0 or lines[at].lstrip().startswith("#"):
            continue
        indent = _indent(lines[at])
        end = at + 1
        while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > indent):
            end += 1
        taken = lines[at:end]
        for stand_in in ("#", *(" " * indent + word for word in _STAND_INS)):
            lines[at:end] = [stand_in, *["#"] * (end - at - 1)]
            error = _error(parser, lines)
            further = _place(error, len(lines)) if isinstance(error, Exception) else len(lines)
            if further is not None and further >= end:
                lost += taken
                return True
        lines[at:end] = taken
    return False


def _take_open_brackets(lines: list[str], lost: list[str]) -> None:
    """A bracket that is never closed swallows what follows: its line is taken out first."""
    depths = [
        sum(blanked(line).count(c) * n for c, n in (("(", 1), ("{", 1), (")", -1), ("}", -1)))
        for line in lines
    ]
    if not sum(depths):
        return
    for place, depth in enumerate(depths):
        if depth and place:
            lost.append(lines[place])
            lines[place] = (
                " " * _indent(lines[place]) + "= none" if lines[place].lstrip().startswith("=") else "#"
            )
            return


def _odd_one_out(lines: list[str]) -> int | None:
    """The first line that is indented like no other, if there are several others."""
    body = [
        (place, _indent(line)) for place, line in enumerate(lines) if place and line.strip() not in ("", "#")
    ]
    widths = [width for _, width in body]
    return next((place for place, width in body if widths.count(width) == 1 and len(body) > 2), None)


def _heading_alone(text: str, parser: Lark) -> Mended | None:
    """The heading with a body that says nothing."""
    heading, _, body = text.partition("\n")
    plain = blanked(heading)
    short = plain.find(" = ")
    tries = [heading[:short] + " = none"] if short > 0 else []
    tries += [f"{heading}\n  {word}" for word in _STAND_INS]
    for tried in tries:
        tree = _error(parser, [tried])
        if not isinstance(tree, Exception):
            return Mended(tree, body if short <= 0 else heading[short:] + "\n" + body)
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
