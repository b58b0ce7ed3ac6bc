"""Titles with slips at random places: the compiler says what is wrong, and never fails itself.

Every file of the shipped titles is taken apart into words, and words, lines and characters are dropped, doubled,
exchanged and invented, as hurried hands and bad merges do.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from golden import BASE
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.support.diagnostics import (
    Sink,
    format_json,
    format_text,
)
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

#: More on request; the usual run must not take long.
EXAMPLES = int(os.environ.get("GROGNARD_MUTATIONS", "40"))
_WORD = re.compile(r"\w+|[^\w\s]+|\n[ ]*|[ ]+")
_JUNK = [
    "when", "where", "is", "not", "none", "yes", "=", ":=", "->", "(", ")", "{", "}", "[", "]", '"', "|", ",", ":",
    "..", "+", "-", "/", "?", "0", "1", "999999999", "99999999999", "-1", "x", "me", "base", "sides", "Unit", "d6",
    "any(", "count(u in Unit)", "rounded up", "otherwise", "else", "if", "choose x: Unit", "stop", "return", "\n", "\n  ",
    "\n    ", "\n      ", "#", "\t", "\u202e", "é", "'", "`", "as of", "0101", "3..1", "[7.1]", "rule", "table", "enum",
    "null", "[]", "{}", "~", "&a", "*a", "!!x", "- ", "yes", "1.5",
]  # fmt: skip


def _drop(words: list[str], random: Random) -> None:
    at = random.randrange(len(words))
    del words[at : at + random.choice((1, 1, 1, 2, 5))]


def _double(words: list[str], random: Random) -> None:
    at = random.randrange(len(words))
    size = random.choice((1, 1, 2, 6))
    words[at:at] = words[at : at + size]


def _swap(words: list[str], random: Random) -> None:
    a, b = random.randrange(len(words)), random.randrange(len(words))
    words[a], words[b] = words[b], words[a]


def _near_swap(words: list[str], random: Random) -> None:
    at = random.randrange(len(words))
    other = min(len(words) - 1, at + random.choice((1, 2)))
    words[at], words[other] = words[other], words[at]


def _invent(words: list[str], random: Random) -> None:
    words.insert(random.randrange(len(words) + 1), random.choice(_JUNK))


def _replace(words: list[str], random: Random) -> None:
    words[random.randrange(len(words))] = random.choice(_JUNK)


def _misspell(words: list[str], random: Random) -> None:
    at = random.randrange(len(words))
    place = random.randrange(len(words[at]) + 1)
    words[at] = words[at][:place] + random.choice("aeiou_ \n=(") + words[at][place + 1 :]


def _rename(words: list[str], random: Random) -> None:
    """Another name of the file in place of one: this parses, and must be understood to be wrong."""
    names = [n for n, word in enumerate(words) if word.isidentifier()]
    if names:
        words[random.choice(names)] = words[random.choice(names)]


def _count(words: list[str], random: Random) -> None:
    numbers = [n for n, word in enumerate(words) if word.isdigit()]
    if numbers:
        words[random.choice(numbers)] = random.choice(["0", "1", "7", "99", "999999999"])


def _indent(words: list[str], random: Random) -> None:
    breaks = [n for n, word in enumerate(words) if word.startswith("\n")]
    if breaks:
        words[random.choice(breaks)] = "\n" + " " * random.choice((0, 1, 2, 3, 4, 6, 8))


def _move_line(words: list[str], random: Random) -> None:
    lines = "".join(words).split("\n")
    line = lines.pop(random.randrange(len(lines)))
    lines.insert(random.randrange(len(lines) + 1), line)
    if random.random() < 0.3:
        lines.insert(random.randrange(len(lines) + 1), line)
    words[:] = _WORD.findall("\n".join(lines)) or ["x"]


MUTATIONS: list[Callable[[list[str], Random], None]] = [
    _drop, _double, _swap, _near_swap, _invent, _replace, _misspell, _indent, _move_line,
    _rename, _rename, _rename, _rename, _rename, _count, _count,
]  # fmt: skip


def titles() -> dict[str, Path]:
    """The folder to copy for each title: its series', else its own."""
    found = {"(base)": BASE}
    for name, folder in shipped_titles().items():
        found[name] = folder
    return found


def files_of(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix in (".grog", ".yaml") and p.is_file())


def mutate(text: str, random: Random) -> str:
    words = _WORD.findall(text) or ["x"]
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        random.choice(MUTATIONS)(words, random)
        words = words or ["x"]
    return "".join(words)


def compiles(title: Path, number: int) -> None:
    """Spoil one or two files of a copy of the title, and compile it."""
    random = Random(number)
    series = title.parent if (title.parent / "series.yaml").is_file() else title
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / series.name
        shutil.copytree(series, root)
        copy = root / title.relative_to(series)
        for path in random.sample(files_of(root), k=random.choice((1, 1, 2))):
            path.write_text(mutate(path.read_text(encoding="utf-8"), random), encoding="utf-8")
        sink = Sink()
        ruleset = compile_title(str(copy), sink)
        assert ruleset is not None or sink.has_errors
        found = sink.sorted()
        assert format_text(found, sink.sources, color=False) or not found
        assert format_json(found)


@pytest.mark.parametrize("name", titles())
def test_spoilt_titles(name: str) -> None:
    title = titles()[name]
    large = sum(path.stat().st_size for path in files_of(title.parent)) > 60_000
    examples = max(3, EXAMPLES // 8) if large else EXAMPLES

    @seed(1940)
    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**32))
    def spoilt(number: int) -> None:
        compiles(title, number)

    spoilt()
