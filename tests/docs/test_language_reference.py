"""The reference is complete: every keyword and verb stands in docs/language.md, the generated page is up to date."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest
from grognard.compiler.driver.reference import keywords, page
from grognard.compiler.sema.builtins import (
    BUILTINS,
    SOURCES,
    VERBS,
)
from grognard.compiler.syntax.from_text.parse import parse
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile

DOCS = Path(__file__).resolve().parents[2] / "docs"
WORDS = set(re.findall(r"[A-Za-z_]+", (DOCS / "language.md").read_text(encoding="utf-8")))


def test_every_keyword_is_documented() -> None:
    words = keywords()
    assert len(words) > 120
    assert [word for word in words if word not in WORDS] == []


def test_every_verb_is_documented() -> None:
    assert sorted(verb for verb in {*VERBS, *SOURCES, *BUILTINS} if verb not in WORDS) == []


def test_every_snippet_can_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As declarations, or as the body of a procedure."""
    monkeypatch.setenv("GROGNARD_CACHE", str(tmp_path))
    blocks = re.findall(r"^```\n(.*?)^```", (DOCS / "language.md").read_text(encoding="utf-8"), re.S | re.M)
    assert len(blocks) > 20
    for block in blocks:
        body = "procedure p\n" + "".join(f"  {line}\n" for line in block.splitlines())
        assert not mistakes(block) or not mistakes(body), min(mistakes(block), mistakes(body), key=len)


def mistakes(text: str) -> list[str]:
    sink = Sink()
    parse(SourceFile("language.md", Path("language.md"), text, sha256(text.encode()).hexdigest()), sink)
    return [f"{found.span}: {found.message}" for found in sink]


def test_the_generated_page_is_what_the_compiler_says() -> None:
    found = (DOCS / "reference.md").read_text(encoding="utf-8")
    assert found == page() + "\n", "python -m grognard.compiler.driver.reference > docs/reference.md"
