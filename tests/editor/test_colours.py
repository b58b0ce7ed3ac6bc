"""Colours outside the server know the words that the compiler's own grammar knows."""

from __future__ import annotations

from pathlib import Path

from grognard.compiler.driver.reference import keywords
from grognard.compiler.editor.textmate import text
from pygments.lexers import get_lexer_by_name, guess_lexer_for_filename
from pygments.token import Keyword, Name

ROOT = Path(__file__).resolve().parents[2]


def test_the_textmate_grammar_is_of_today() -> None:
    shipped = ROOT / "editor/vscode/syntaxes/grog.tmLanguage.json"
    assert shipped.read_text(encoding="utf-8") == text(), (
        "the words of the language changed: run `python -m grognard.compiler.editor.textmate "
        + str(shipped)
        + "`"
    )


def test_pygments_finds_the_lexer() -> None:
    lexer = get_lexer_by_name("grog")
    assert type(guess_lexer_for_filename("rules.grog", "")) is type(lexer)
    for word in keywords():
        found = [kind for kind, text in lexer.get_tokens(word) if text == word]
        assert found and (found[0] in Keyword or found[0] in Name), word
    kinds = {text: kind for kind, text in lexer.get_tokens("rule far(a: Hex) -> flag [7.1] = none  # why")}
    assert kinds["rule"] is Keyword and kinds["Hex"] is Name.Class and kinds["[7.1]"] is Name.Decorator
