"""The reference is complete: every keyword and verb stands in docs/language.md, the generated page is up to date."""

from __future__ import annotations

import re
from pathlib import Path

from grognard.compiler.driver.reference import keywords, page
from grognard.compiler.sema.builtins import (
    BUILTINS,
    SOURCES,
    VERBS,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"
WORDS = set(re.findall(r"[A-Za-z_]+", (DOCS / "language.md").read_text(encoding="utf-8")))


def test_every_keyword_is_documented() -> None:
    words = keywords()
    assert len(words) > 120
    assert [word for word in words if word not in WORDS] == []


def test_every_verb_is_documented() -> None:
    assert sorted(verb for verb in {*VERBS, *SOURCES, *BUILTINS} if verb not in WORDS) == []


def test_the_generated_page_is_what_the_compiler_says() -> None:
    found = (DOCS / "reference.md").read_text(encoding="utf-8")
    assert found == page() + "\n", "python -m grognard.compiler.driver.reference > docs/reference.md"
