"""Texts that nobody wrote: rules derived from the grammar at random, spoilt saves and YAML, on a new seed every day.

Whatever comes in, messages come out.  A failure says its seed: GROGNARD_FUZZ_SEED=N repeats the run, GROGNARD_FUZZ=N
makes it longer.
"""

from __future__ import annotations

import contextlib
import json
import os
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from golden import Case, compiled
from grognard.compiler.support.yamlfile import load_yaml
from grognard.compiler.syntax.from_text.parse import parser
from grognard.errors import SaveError
from grognard.play.savefile import parse_save
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile

#: Another one every day; all runs of a day have the same, so that a run can be repeated.
SEED = int(os.environ.get("GROGNARD_FUZZ_SEED", datetime.now(UTC).date().toordinal()))
TEXTS = int(os.environ.get("GROGNARD_FUZZ", "60"))
#: What stands for the terminals that are not one word.
WORDS = {
    "NAME": ["u", "Unit", "Hex", "round", "shoot", "hits", "at", "x", "red", "rifles", "Terrain", "me", "r0"],
    "INT": ["0", "1", "3", "0101", "99999999999"],
    "STRING": ['"text"', '"units.yaml"', '""', '"{u.hits}"'],
    "DICE": ["d6", "2d6", "0d1"],
    "ROW": ["\n  a | b | 1", "\n  | |"],
    "CITE": ["7.1", "x"],
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


@pytest.mark.parametrize("number", range(6))
def test_rules_out_of_the_grammar(number: int, tmp_path: Path) -> None:
    seed = SEED + number
    random = Random(seed)
    named = [name for name in expansions() if name.endswith("_decl")]
    for text_number in range(TEXTS // 6):
        text = "\n".join(derived(random.choice(named), random) for _ in range(random.randint(1, 4)))
        root = Case(tmp_path, "", {"rules.grog": text + "\n"}, "").lay_out(tmp_path / str(text_number))
        try:
            compiled(root)
        except Exception as fault:
            raise AssertionError(f"GROGNARD_FUZZ_SEED={SEED}: {fault!r} on\n{text}") from fault


SAVE = {
    "format": "grognard game", "version": 1, "title": "t", "name": "T", "errata": [], "fingerprint": "f",
    "scenario": "s", "seed": 1, "answers": [{"seat": "a", "ask": "b", "answer": "c", "value": 1}], "hash": "0",
}  # fmt: skip
YAML = (Path(__file__).parent / "base" / "scenarios" / "first.yaml").read_bytes()
JUNK = [b'"', b"\\", b"{", b"}", b"[", b"]", b"\n", b"\t", b"&a ", b"*a", b"!!x ", b"- ", b": ", b"null", b"1e999", b"\xff", b"\0", b"|", b"?"]  # fmt: skip


def _spoilt(data: bytes, random: Random) -> bytes:
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(data) + 1)
        cut = random.choice((0, 0, 1, 9))
        data = data[:at] + random.choice(JUNK) * random.choice((1, 1, 1, 300)) + data[at + cut :]
    return data


def test_spoilt_saves_and_yaml() -> None:
    random = Random(SEED)
    for _ in range(TEXTS * 10):
        save, text = _spoilt(json.dumps(SAVE).encode(), random), _spoilt(YAML, random)
        try:
            with contextlib.suppress(SaveError):
                parse_save(save)
            load_yaml(SourceFile.from_text("data.yaml", text.decode("utf-8", "replace")), Sink())
        except Exception as fault:
            raise AssertionError(f"GROGNARD_FUZZ_SEED={SEED}: {fault!r} on {save!r} or {text!r}") from fault
