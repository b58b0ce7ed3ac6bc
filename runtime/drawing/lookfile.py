"""The small part of YAML that a look file needs: mappings by indentation, flow lists and mappings, texts and numbers.

The runtime needs no other package, so it reads these files itself; what it does not know is refused with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from grognard.errors import GrognardError

Value: TypeAlias = "str | float | bool | list[Value] | dict[str, Value] | None"


class LookError(GrognardError):
    """A look file that cannot be used: which, where, why, and what would be right."""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    indent: int
    text: str


def read_look_file(path: Path, called: str = "") -> dict[str, Value]:
    """The entries of a file; `called`: what messages call it."""
    called = called or path.name
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise LookError(f"{called} cannot be read: {problem}") from None
    lines = []
    for number, raw in enumerate(text.splitlines(), 1):
        stripped = _uncommented(raw).rstrip()
        if not stripped.strip():
            continue
        if "\t" in stripped[: len(stripped) - len(stripped.lstrip())]:
            raise LookError(f"{called}, line {number}: a tab in the indentation; use blanks")
        lines.append(_Line(number, len(stripped) - len(stripped.lstrip(" ")), stripped.strip()))
    if not lines:
        return {}
    value, rest = _mapping(called, lines, lines[0].indent)
    if rest:
        raise LookError(f"{called}, line {rest[0].number}: its indentation fits nothing above it")
    return value


def _uncommented(raw: str) -> str:
    quote = ""
    for place, character in enumerate(raw):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "#" and (place == 0 or raw[place - 1] in " \t"):
            return raw[:place]
    return raw


def _mapping(file: str, lines: list[_Line], indent: int) -> tuple[dict[str, Value], list[_Line]]:
    found: dict[str, Value] = {}
    while lines and lines[0].indent == indent:
        line, lines = lines[0], lines[1:]
        split = re.match(
            r"""("[^"]*"|'[^']*'|[^\s:"'{}\[\],]+(?: [^\s:"'{}\[\],]+)*)\s*:(?:\s+(.*))?$""", line.text
        )
        if split is None:
            raise LookError(f"{file}, line {line.number}: expected `name: value`, found `{line.text[:40]}`")
        key = split[1].strip("\"'")
        if key in found:
            raise LookError(f"{file}, line {line.number}: `{key}` is given twice")
        if split[2]:
            found[key] = _Flow(file, line.number, split[2]).whole()
        elif lines and lines[0].indent > indent:
            found[key], lines = _mapping(file, lines, lines[0].indent)
        else:
            found[key] = None
    if lines and lines[0].indent > indent:
        raise LookError(f"{file}, line {lines[0].number}: its indentation fits nothing above it")
    return found, lines


class _Flow:
    """One value on one line: `{a: 1, b: [x, "y"]}`."""

    def __init__(self, file: str, line: int, text: str) -> None:
        self.where = f"{file}, line {line}"
        self.tokens = re.findall(
            r"""\s*("[^"]*"|'[^']*'|[{}\[\],]|:(?=\s|$)|[^\s{}\[\],:"']+(?:[ ]+[^\s{}\[\],:"']+)*)""", text
        )
        if "".join(self.tokens).replace(" ", "") != re.sub(r"\s", "", text):
            raise LookError(
                f"{self.where}: `{text[:40]}` cannot be read; a text with signs in it needs quotes"
            )

    def whole(self) -> Value:
        value = self.value()
        if self.tokens:
            raise LookError(f"{self.where}: `{self.tokens[0]}` behind the value")
        return value

    def next(self) -> str:
        if not self.tokens:
            raise LookError(f"{self.where}: a bracket is not closed")
        return str(self.tokens.pop(0))

    def value(self) -> Value:
        token = self.next()
        if token == "[":
            items: list[Value] = []
            while not self._closed("]"):
                items.append(self.value())
            return items
        if token == "{":
            found: dict[str, Value] = {}
            while not self._closed("}"):
                key = self.next().strip("\"'")
                if self.next() != ":":
                    raise LookError(f"{self.where}: expected `{key}: value`")
                found[key] = self.value()
            return found
        if token in "]},:":
            raise LookError(f"{self.where}: `{token}` where a value was expected")
        return _scalar(token)

    def _closed(self, bracket: str) -> bool:
        """Whether the list ends here; otherwise the comma before the next item is taken."""
        if self.tokens and self.tokens[0] == ",":
            self.next()
        if self.tokens and self.tokens[0] == bracket:
            self.next()
            return True
        if not self.tokens:
            raise LookError(f"{self.where}: `{bracket}` is missing")
        return False


def _scalar(token: str) -> Value:
    if token[0] in "\"'":
        return token[1:-1]
    if token in ("yes", "true"):
        return True
    if token in ("no", "false"):
        return False
    if token in ("none", "null", "~"):
        return None
    if re.fullmatch(r"-?\d+(\.\d+)?", token):
        return float(token)
    return token
