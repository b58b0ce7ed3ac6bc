"""What is printed in a hex: a declarative pattern that prints a place and reads it back.

A pattern is a format string over these fields:

    {col} {row}              numbers; {col:02} pads to exactly two digits
    {colletter} {rowletter}  letters A..Z, AA, AB, ...; {colletter:double} counts A..Z, AA, BB, ...
    {board}                  the name of the board

so "{col:02}{row:02}" prints 0101, "{colletter}{row}" prints A1, "{board}-{rowletter}{col:02}"
prints 7-G08.  Printing and parsing are inverse: a place whose text would be read back as another
place is refused.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass, field
from typing import NamedTuple

from .common import GeometryError

_NUMBERS = {"col": "column", "row": "row"}
_LETTERS = {"colletter": "column", "rowletter": "row"}


class Place(NamedTuple):
    """A cell by its place in a layout, counted from 0, and the board that prints it ("" for none)."""

    column: int
    row: int
    board: str = ""


def letters(number: int) -> str:
    """1 -> A, 26 -> Z, 27 -> AA, 28 -> AB."""
    text = ""
    while number > 0:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("A") + digit) + text
    return text


def letters_value(text: str) -> int:
    value = 0
    for letter in text:
        value = value * 26 + ord(letter) - ord("A") + 1
    return value


def double_letters(number: int) -> str:
    """1 -> A, 26 -> Z, 27 -> AA, 28 -> BB."""
    count, digit = divmod(number - 1, 26)
    return chr(ord("A") + digit) * (count + 1) if number > 0 else ""


def double_letters_value(text: str) -> int:
    return (len(text) - 1) * 26 + ord(text[0]) - ord("A") + 1


@dataclass(frozen=True)
class _Field:
    name: str
    axis: str  # "column", "row" or "board"
    spec: str

    def pattern(self) -> str:
        if self.axis == "board":
            return "(.+?)"
        if self.name in _LETTERS:
            return (
                "((?:" + "|".join(f"{c}+" for c in string.ascii_uppercase) + "))" if self.spec else "([A-Z]+)"
            )
        return f"([0-9]{{{int(self.spec)}}})" if self.spec else "(0|[1-9][0-9]*)"

    def text(self, number: int) -> str:
        if self.name in _LETTERS:
            if number < 1:
                raise GeometryError(f"no letter for {self.axis} number {number}: letters start at 1 = A")
            return double_letters(number) if self.spec else letters(number)
        if number < 0:
            raise GeometryError(f"{self.axis} number {number} is negative and cannot be printed")
        text = str(number)
        if self.spec:
            text = text.zfill(int(self.spec))
            if len(text) > int(self.spec):
                raise GeometryError(f"{self.axis} number {number} does not fit {int(self.spec)} digits")
        return text

    def value(self, text: str) -> int:
        if self.name in _LETTERS:
            return double_letters_value(text) if self.spec else letters_value(text)
        return int(text)


def _read_format(pattern: str) -> list[str | _Field]:
    parts: list[str | _Field] = []
    try:
        pieces = list(string.Formatter().parse(pattern))
    except ValueError as problem:
        raise GeometryError(f"numbering pattern {pattern!r}: {problem}") from None
    for literal, name, spec, conversion in pieces:
        if literal:
            parts.append(literal)
        if name is None:
            continue
        spec = spec or ""
        if conversion:
            raise GeometryError(f"numbering pattern {pattern!r}: conversions such as !r have no meaning here")
        if name in _NUMBERS:
            if spec and not re.fullmatch("0[1-9]", spec):
                raise GeometryError(
                    f"numbering pattern {pattern!r}: {{{name}:{spec}}} should be like {{{name}:02}}"
                )
            parts.append(_Field(name, _NUMBERS[name], spec))
        elif name in _LETTERS:
            if spec not in ("", "double"):
                raise GeometryError(f"numbering pattern {pattern!r}: letters take no {spec!r}, only 'double'")
            parts.append(_Field(name, _LETTERS[name], spec))
        elif name == "board":
            if spec:
                raise GeometryError(f"numbering pattern {pattern!r}: {{board}} takes no {spec!r}")
            parts.append(_Field(name, "board", ""))
        else:
            raise GeometryError(f"numbering pattern {pattern!r}: unknown field {{{name}}}")
    axes = [part.axis for part in parts if isinstance(part, _Field)]
    if sorted(set(axes) - {"board"}) != ["column", "row"] or len(set(axes)) != len(axes):
        raise GeometryError(f"numbering pattern {pattern!r} must name the column once and the row once")
    return parts


@dataclass(frozen=True)
class Numbering:
    """A printed numbering.  The column of index i prints as number first_column + i * column_step.

    A map numbered from the bottom has first_row = its number of rows and row_step = -1.
    """

    pattern: str = "{col:02}{row:02}"
    first_column: int = 1
    first_row: int = 1
    column_step: int = 1
    row_step: int = 1
    _parts: tuple[str | _Field, ...] = field(init=False, repr=False, compare=False)
    _regex: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if 0 in (self.column_step, self.row_step):
            raise GeometryError("a numbering cannot count in steps of 0")
        parts = _read_format(self.pattern)
        regex = "".join(re.escape(part) if isinstance(part, str) else part.pattern() for part in parts)
        object.__setattr__(self, "_parts", tuple(parts))
        object.__setattr__(self, "_regex", re.compile(regex))

    @property
    def names_board(self) -> bool:
        """Whether the board's name is part of what is printed."""
        return any(isinstance(part, _Field) and part.axis == "board" for part in self._parts)

    def print(self, place: Place) -> str:
        """The text in the hex at `place`."""
        place = Place(*place)
        if place.column < 0 or place.row < 0:
            raise GeometryError(f"{place} lies left of or above the first hex")
        numbers = {
            "column": self.first_column + place.column * self.column_step,
            "row": self.first_row + place.row * self.row_step,
        }
        if self.names_board and not place.board:
            raise GeometryError(f"numbering {self.pattern!r} needs the name of a board")
        text = ""
        for part in self._parts:
            if isinstance(part, str):
                text += part
            else:
                text += place.board if part.axis == "board" else part.text(numbers[part.axis])
        # Letters or digits of neighbouring fields can run together; such a text must never be printed.
        printed = place if self.names_board else place._replace(board="")
        if self.parse(text) != printed:
            raise GeometryError(
                f"numbering {self.pattern!r}: {text!r} would be read as another hex than {place}"
            )
        return text

    def parse(self, text: str) -> Place:
        """The place whose printed text this is."""
        found = self._regex.fullmatch(text)
        if not found:
            raise GeometryError(f"{text!r} does not look like {self.pattern!r}")
        fields = [part for part in self._parts if isinstance(part, _Field)]
        board = ""
        numbers = {}
        for part, piece in zip(fields, found.groups()):
            if part.axis == "board":
                board = piece
            else:
                numbers[part.axis] = part.value(piece)
        column, column_rest = divmod(numbers["column"] - self.first_column, self.column_step)
        row, row_rest = divmod(numbers["row"] - self.first_row, self.row_step)
        if column < 0 or row < 0 or column_rest or row_rest:
            raise GeometryError(f"{text!r} lies outside the numbering {self.pattern!r}")
        return Place(column, row, board)
