"""An explanation on the screen: the tree of what followed from an answer, each step with its section."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grognard.cli.console import Console

if TYPE_CHECKING:
    from grognard.play.why import Reason

_STYLES = {"roll": "number", "draw": "number", "exception": "warn", "modifier": "warn", "phase": "title"}
#: Words before steps whose text does not say what they are.
_WORDS = {"exception": "exception: ", "modifier": "modifier: ", "event": "event: ", "roll": "roll: "}


def reason_lines(reason: Reason, console: Console, places: bool = False) -> list[str]:
    """The tree with its branches drawn."""
    lines = [console.style("title", reason.text)] if reason.text else []
    lines += _below(reason, "", console, places)
    if not reason.children:
        lines.append("  nothing else followed from it")
    return lines


def _below(reason: Reason, indent: str, console: Console, places: bool) -> Iterator[str]:
    fork, last, bar = ("├─ ", "└─ ", "│  ") if console.unicode else ("|- ", "`- ", "|  ")
    for number, child in enumerate(reason.children):
        end = number == len(reason.children) - 1
        yield console.style("frame", indent + (last if end else fork)) + _text(child, console, places)
        yield from _below(child, indent + ("   " if end else bar), console, places)


def _text(reason: Reason, console: Console, places: bool) -> str:
    word = _WORDS.get(reason.kind, "")
    text = reason.text if reason.text.startswith(word) else word + reason.text
    if reason.kind in _STYLES:
        text = console.style(_STYLES[reason.kind], text)
    if reason.cites:
        text += " " + console.style("cite", f"[{', '.join(reason.cites)}]")
    if places and reason.file:
        text += " " + console.style("dim", f"({reason.file}:{reason.line})")
    return text
