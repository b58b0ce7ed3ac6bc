"""Operator precedence is as docs/language.md tables it: with and without brackets the tree is the same."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest
from grognard.compiler.syntax.from_text.parse import parse
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile
from snippets import DOCS

TEXT = (DOCS / "language.md").read_text(encoding="utf-8")
SECTION = TEXT.split("### Operator precedence\n")[1].split("\n### ")[0]
PAIRS = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", SECTION, re.M)
OPERATORS = {
    "..",
    "is",
    "<",
    "in",
    "not in",
    "not",
    "and",
    "or",
    "if",
    "+",
    "-",
    "*",
    "/",
    "mod",
    "half",
    "at best",
    "as of",
}


def tree(text: str) -> object:
    """The tree of an expression, None if it is none; places in the text do not count in comparisons."""
    source = f"rule r -> int = {text}\n"
    sink = Sink()
    made = parse(SourceFile("r.grog", Path("r.grog"), source, sha256(source.encode()).hexdigest()), sink)
    return None if made is None or sink.has_errors else made.decls[0]


@pytest.mark.parametrize(("written", "read"), PAIRS)
def test_brackets_change_nothing_where_the_page_says_so(
    written: str, read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path))
    assert tree(written) is not None
    assert tree(written) == tree(read)


def test_other_brackets_make_another_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path))
    for written, other in [
        ("a + b * c", "(a + b) * c"),
        ("a - b - c", "a - (b - c)"),
        ("a or b and c", "(a or b) and c"),
        ("not a is b", "(not a) is b"),
        ("a if b else c if d else e", "(a if b else c) if d else e"),
    ]:
        assert tree(other) is not None and tree(written) != tree(other)
    for chained in ("a < b < c", "a is b is c", "1..2..3", "a + b as of", "half of a + b rounded up"):
        assert tree(chained) is None


def test_every_operator_is_in_the_table() -> None:
    assert len(PAIRS) > 20
    assert {operator for operator in OPERATORS if not any(operator in written for written, _ in PAIRS)} == {
        "<",
        "not in",
    }
