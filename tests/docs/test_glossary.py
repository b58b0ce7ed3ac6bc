"""The glossary points at packages that there are, in order, and no former name is a present one."""

from __future__ import annotations

import re

from snippets import DOCS, ROOT

TEXT = (DOCS / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\| ([^|]+) \| [^|]+ \| (`[^|]+`) \|$", TEXT, re.M)
FORMER = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", TEXT.split("## Formerly called")[1], re.M)[1:]


def test_every_term_lives_in_a_package() -> None:
    assert len(TERMS) > 100
    packages = {package for _, where in TERMS for package in re.findall(r"`([^`]+)`", where)}
    assert sorted(package for package in packages if not (ROOT / package).is_dir()) == []


def test_terms_are_in_order_and_former_names_are_gone() -> None:
    for section in TEXT.split("\n## ")[1:]:
        terms = [
            row.casefold() for row in re.findall(r"^\| ([^|]+?) \|", section, re.M)[1:] if "---" not in row
        ]
        assert terms == sorted(terms)
    current = {term.strip() for term, _ in TERMS} - {"mark"}  # a keyword of the language, too
    assert current.isdisjoint(FORMER)
