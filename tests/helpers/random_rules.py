"""Texts of rules derived from the grammar at random: mostly nonsense, but each follows the grammar."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from grognard.compiler.syntax.from_text.parse import parser

#: What stands for the terminals that are not one word.
WORDS = {
    "_COMMA": [",", ",", ",\n          "],
    "NAME": ["u", "Unit", "Hex", "round", "shoot", "hits", "at", "x", "red", "rifles", "Terrain", "me", "r0"],
    "INT": ["0", "1", "3", "0101", "99999999999"],
    "STRING": ['"text"', '"units.yaml"', '""', '"{u.hits}"'],
    "DICE": ["d6", "2d6", "0d1"],
    "ROW": ["\n  a | b | 1", "\n  | |"],
    "CITE": ["[7.1]", "[x]"],
}  # fmt: skip
#: Expansions inside expansions after which the shortest is taken.
DEEP = 9


@cache
def expansions() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for rule in parser().rules:
        found.setdefault(rule.origin.name, []).append(rule.expansion)
    return found


@cache
def least() -> dict[str, int]:
    """The least depth of a derivation of each rule."""
    depth: dict[str, int] = {}
    while len(depth) < len(expansions()):
        for name, ways in expansions().items():
            for way in ways:
                inner = [0 if part.is_term else depth.get(part.name) for part in way]
                if None not in inner:
                    depth[name] = min(
                        depth.get(name, 999), 1 + max([0, *(n for n in inner if n is not None)])
                    )
    return depth


def derived(name: str, random: Random) -> str:
    """A text of a rule of the grammar."""
    made: list[str] = []
    indent = 0
    patterns = {terminal.name: terminal.pattern for terminal in parser().terminals}

    def expand(symbol: Any, depth: int) -> None:
        nonlocal indent
        if not symbol.is_term:
            ways = expansions()[symbol.name]
            if depth > DEEP:
                ways = [min(ways, key=lambda way: max([0, *(least().get(p.name, 0) for p in way)]))]
            for part in random.choice(ways):
                expand(part, depth + 1)
        elif symbol.name == "_INDENT":
            indent += 1
            made[-1] = "\n" + "  " * indent
        elif symbol.name == "_DEDENT":
            indent -= 1
            made.append("\n" + "  " * indent)
        elif symbol.name == "_NL":
            made.append("\n" + "  " * indent)
        elif symbol.name in WORDS:
            made.append(random.choice(WORDS[symbol.name]))
        else:
            pattern = patterns[symbol.name]
            text = (
                pattern.value if type(pattern).__name__ == "PatternStr" else _word_of(pattern.value, random)
            )
            made.append(text)

    class Start:
        is_term = False

    start = Start()
    start.name = name  # type: ignore[attr-defined]
    expand(start, 0)
    return " ".join(made)


def _word_of(pattern: str, random: Random) -> str:
    """One of the alternatives of a terminal such as (up|down|nearest)\\b."""
    inside = pattern[pattern.find("(") + 1 : pattern.find(")")] if "(" in pattern else ""
    words = [word for word in inside.split("|") if word.isalpha()]
    return random.choice(words) if words else "x"
