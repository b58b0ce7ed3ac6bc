"""The TextMate grammar of the language: `python -m grognard.compiler.editor.textmate FILE` writes it.

Its words are those of the grammar that the compiler reads, so it cannot fall behind.  It colours before the language server has
answered, and where there is none.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from grognard.compiler.driver.reference import keywords
from grognard.compiler.syntax.from_text.error_words import DECLARATION_WORDS

CONSTANTS = ("none", "yes", "no", "me", "my", "base", "was")
OPERATORS = ("and", "or", "not", "is", "in", "mod", "rounded", "half")


def grammar() -> dict[str, Any]:
    """The grammar as TextMate has it."""
    declarations = sorted(DECLARATION_WORDS)
    others = [word for word in keywords() if word not in (*CONSTANTS, *OPERATORS)]
    return {
        "name": "Grognard",
        "scopeName": "source.grog",
        "fileTypes": ["grog"],
        "patterns": [
            {"name": "comment.line.number-sign.grog", "match": "#.*$"},
            {"name": "string.quoted.double.grog", "begin": '"', "end": '"|$', "patterns": [_inserted()]},
            {"name": "meta.citation.grog markup.italic.grog", "match": r"\[[^\]\n]*\]"},
            _heading(declarations),
            _word("keyword.declaration.grog", declarations, start=r"^"),
            {"name": "constant.numeric.dice.grog", "match": r"\b\d*d\d+\b"},
            {"name": "constant.numeric.grog", "match": r"\b\d+\b"},
            {"name": "variable.other.property.grog", "match": r"(?<=\w\.|\)\.)[A-Za-z_]\w*"},
            _word("constant.language.grog", CONSTANTS),
            _word("keyword.operator.word.grog", OPERATORS),
            {
                "name": "entity.name.function.call.grog",
                "match": r"\b(?!" + _one_of(others) + r")[a-z_]\w*(?=\()",
            },
            _word("keyword.control.grog", others),
            {"name": "support.type.grog", "match": r"\b(?:[A-Z]\w*|flag|int)\b"},
            {"name": "keyword.operator.grog", "match": r"->|:=|\+=|-=|<=|>=|\.\.|[-+*/=<>?]"},
            {"name": "punctuation.separator.cell.grog", "match": r"\|"},
        ],
    }


def _inserted() -> dict[str, Any]:
    return {"name": "variable.parameter.inserted.grog", "match": r"\{[^}\"]*\}"}


def _one_of(words: list[str] | tuple[str, ...]) -> str:
    return "(?:" + "|".join(words) + r")\b"


def _word(name: str, words: list[str] | tuple[str, ...], start: str = r"\b") -> dict[str, Any]:
    return {"name": name, "match": start + _one_of(words)}


def _heading(words: list[str]) -> dict[str, Any]:
    """A declaration with the name that it declares."""
    return {
        "match": r"^("
        + "|".join(words)
        + r")\s+([A-Za-z_]\w*)(?=\s*[\[(:=]|\s*$|\s+(?:->|of|from|in|on|default)\b)",
        "captures": {
            "1": {"name": "keyword.declaration.grog"},
            "2": {"name": "entity.name.function.grog"},
        },
    }


def text() -> str:
    """The file of the grammar."""
    return json.dumps(grammar(), indent=2) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
