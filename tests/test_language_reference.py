"""The reference is complete: every keyword of the grammar and every built-in verb stands in docs/language.md."""

from __future__ import annotations

import re
from pathlib import Path

from grognard.compiler.exprs import INT_VERBS, OTHER_BUILTINS, OVER_VERBS
from grognard.grammar import grammar_text

REFERENCE = (Path(__file__).resolve().parent.parent / "docs" / "language.md").read_text(encoding="utf-8")
WORDS = set(re.findall(r"[A-Za-z_]+", REFERENCE))


def test_every_keyword_is_documented() -> None:
    grammar = re.sub(r"//[^\n]*", "", grammar_text())
    keywords = set(re.findall(r'"([a-z_]+)"', grammar))
    for alternatives in re.findall(r": /\(([a-z|_ ]+)\)", grammar):
        keywords |= set(alternatives.split("|"))
    assert len(keywords) > 120
    assert sorted(word for word in keywords if word not in WORDS) == []


def test_every_verb_is_documented() -> None:
    verbs = {*INT_VERBS, *OVER_VERBS, *OTHER_BUILTINS}
    assert sorted(verb for verb in verbs if verb not in WORDS) == []
