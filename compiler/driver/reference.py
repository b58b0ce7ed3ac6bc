"""The generated part of the reference: `python -m grognard.compiler.driver.reference` prints docs/reference.md."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from grognard.compiler.sema.builtins import (
    BUILTINS,
    SOURCES,
    VERBS,
)
from grognard.grammar import grammar_text
from grognard.support.codes import CODES

SORTS = {"int": "number", "dir": "direction", "turns": "number", "arc": "0..2"}
SUBJECTS = {
    "00": "Files and sources",
    "01": "Syntax",
    "02": "Names",
    "03": "Types and ranges",
    "04": "Tables and modifiers",
    "05": "Layers, exceptions, errata",
    "06": "Data: YAML, maps, scenarios",
    "07": "Procedures, choices, sequences",
    "08": "Citations and coverage",
    "09": "Examples of play",
}


def keywords() -> list[str]:
    """Every word that the grammar knows by itself."""
    grammar = re.sub(r"//[^\n]*", "", grammar_text())
    words = set(re.findall(r'"([a-z_]+)"', grammar))
    for alternatives in re.findall(r": /\(([a-z|_ ]+)\)", grammar):
        words |= set(alternatives.split("|"))
    return sorted(words)


def page() -> str:
    """The whole page."""
    return "\n\n".join(
        [
            "# Reference: verbs, words, messages",
            "Made by `python -m grognard.compiler.driver.reference` from what the compiler itself uses; "
            "[language.md](language.md) explains it.",
            "## Verbs",
            _verbs(),
            "## Sources",
            "What loops and aggregates run over, beside types, ranges, sets and lists.",
            _sources(),
            "## Other built-in calls",
            _builtins(),
            "## Words of the grammar",
            "They count only where the grammar expects them; elsewhere they are free for names.",
            ", ".join(f"`{word}`" for word in keywords()),
            "## Messages",
            "`grognard explain CODE` prints the same.",
            *_messages(),
        ]
    ).rstrip("\n")


def _sort(name: str) -> str:
    plain = name.removesuffix("?")
    return SORTS.get(plain, plain) + (" or none" if name.endswith("?") else "")


def _rows(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _verbs() -> str:
    rows = [
        (f"`{name}({', '.join(map(_sort, verb.takes))})`", _sort(verb.answers), verb.says)
        for name, verb in VERBS.items()
    ]
    return _rows(("verb", "answers", "meaning"), rows)


def _sources() -> str:
    rows = [
        (f"`{name}({', '.join(map(_sort, source.takes))})`", source.says) for name, source in SOURCES.items()
    ]
    return _rows(("source", "meaning"), rows)


def _builtins() -> str:
    return _rows(("call", "meaning"), [(f"`{call.form}`", call.says) for call in BUILTINS.values()])


def _messages() -> list[str]:
    parts: list[str] = []
    subject = ""
    for code in sorted(CODES.values(), key=lambda c: c.code):
        if code.code[2:4] != subject:
            subject = code.code[2:4]
            parts.append(f"### {SUBJECTS[subject]}")
        parts.append(f"#### {code.code}: {code.title}")
        parts.append(code.explanation)
    return parts


if __name__ == "__main__":
    sys.stdout.write(page() + "\n")
