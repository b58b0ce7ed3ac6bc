"""The section numbers and headings of a rulebook: from text, Markdown, or a PDF (with pypdf).

A heading is a line that begins with a section's number: `7.1 Fire`, `## 7.1 Fire`, `A.2 Smoke`, `[7.1] FIRE`.  Numbers of one
part (`7 FIRE`) are taken where they go on counting or stand on a Markdown heading: numbered lists begin so, too.  Tables of
contents have the same lines: the first title that is told counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grognard.errors import GrognardError

#: Larger files are no rulebooks.
MOST_BYTES = 100 * 1024 * 1024
#: A longer line is a sentence, unless its title ends in it.
LONGEST = 90
#: So many headings of chapters may be missed one after the other.
MOST_MISSED = 2

_LINE = re.compile(
    r"""(?P<marks>[#>*_\s]*)                     # Markdown's marks
        [\[(]?(?P<id>(?:[A-Z]{1,3}[-.]?)?\d{1,3}(?:\.\d{1,3}){0,4}[a-z]?)[\])]?
        (?P<dot>[.:)]?)(?P<marks2>[*_]*)[ \t\u00a0\u2013\u2014-]+
        (?P<title>\S.*)""",
    re.VERBOSE,
)
_LEADERS = re.compile(r"(\s*\.\s*){3,}\s*\d*\s*$|\s{3,}\d{1,3}\s*$|\t\d{1,3}\s*$")
_UNITS = re.compile(
    r"^(x|mm|cm|km|m|%|points?|players?|hexes|hours?|minutes?)\b",
    re.IGNORECASE,
)


class RulebookError(GrognardError):
    """A rulebook that cannot be read; says why."""


@dataclass(frozen=True, slots=True)
class Heading:
    id: str
    title: str
    line: int


def read_rulebook(path: Path) -> list[Heading]:
    """The headings of a file; RulebookError if it cannot be read or has none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise RulebookError(f"{path} is larger than any rulebook")
        data = path.read_bytes()
    except OSError as trouble:
        raise RulebookError(f"{path} cannot be read: {trouble.strerror}") from trouble
    text = _pdf_text(path) if data[:5] == b"%PDF-" else _plain_text(path, data)
    found = headings(text)
    if not found:
        raise RulebookError(
            f"{path} has no numbered headings (7.1 Fire): write the sections into rulebook.yaml by hand"
        )
    return found


def _plain_text(path: Path, data: bytes) -> str:
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        return text
    raise RulebookError(f"{path} is no text, Markdown or PDF")


def _pdf_text(path: Path) -> str:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise RulebookError(
            f"{path} is a PDF, which needs pypdf: pip install grognard[rulebook]; or save it as text"
        ) from None
    try:
        reader = PdfReader(path)
        if reader.is_encrypted:
            raise RulebookError(f"{path} is locked with a password: save it as text")
        text = "\n".join(page.extract_text() or "" for page in reader.pages)
    except (PyPdfError, ValueError, KeyError, OSError, RecursionError) as trouble:
        raise RulebookError(f"{path} cannot be read as a PDF: {trouble}") from trouble
    if len(text.split()) < 20:
        raise RulebookError(f"{path} holds pictures of pages and no text: it must go through OCR first")
    return text


def headings(text: str) -> list[Heading]:
    """The headings in the order of the rulebook, each number once."""
    candidates: list[tuple[Heading, bool]] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.match(line.rstrip())
        if match is None:
            continue
        title, certain = _title(match["title"]), "#" in match["marks"]
        if title is None:
            continue
        candidates.append((Heading(match["id"], title, number), certain))
    parts = {heading.id.split(".")[0] for heading, _ in candidates if "." in heading.id}
    found: dict[str, Heading] = {}
    last = 0
    for heading, certain in candidates:
        if heading.id in found:
            continue
        if heading.id.isdigit():
            value = int(heading.id)
            # A list within a section starts at 1 again; a chapter goes on counting, and one that has sections below it does so
            # even where the heading before it was not recognised.
            goes_on = last < value <= last + MOST_MISSED + 1 and heading.id in parts
            if not certain and not goes_on and not (value == last + 1 and _is_heading(heading.title)):
                continue
            last = value
        found[heading.id] = heading
    return list(found.values())


def _title(text: str) -> str | None:
    """The title in what follows a number; None if that is a sentence or a measure."""
    text = _LEADERS.sub("", text).strip(" *_#\t")
    if not text or _UNITS.match(text) or not (text[0].isupper() or text[0] in "\"'“‘"):
        return None
    # Run in: `7.1 Fire. A unit may fire when ...`
    head = re.split(r"(?<=[^.\s]{2})[.:]\s", text, maxsplit=1)[0]
    if len(head) > LONGEST:
        return None
    head = head.rstrip(".: ")
    if head.isupper() and len(head) > 3:
        head = head.capitalize()
    return " ".join(head.split())


def _is_heading(title: str) -> bool:
    """Whether a title of a chapter looks like one: few words, and no sentence."""
    return len(title.split()) <= 7


def told(found: Sequence[Heading]) -> str:
    """How many sections there are, for people."""
    return f"{len(found):,} section{'' if len(found) == 1 else 's'}"
