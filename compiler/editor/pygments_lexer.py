"""Colours for the language in Pygments: comments, texts, citations, numbers, types and the grammar's own keywords.

An entry point of the installation: `pygmentize -l grog`, Sphinx and MkDocs find it by itself."""

from __future__ import annotations

from typing import ClassVar

from grognard.compiler.driver.reference import keywords
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text


class GrognardLexer(RegexLexer):
    name = "Grognard"
    aliases: ClassVar = ["grog"]
    filenames: ClassVar = ["*.grog"]
    tokens: ClassVar = {
        "root": [
            (r"#.*", Comment.Single),
            (r'"[^"\n]*"', String.Double),
            (r"\[[^\]\n]*\]", Name.Decorator),
            (r"\d*d\d+\b", Number),
            (r"\d+", Number),
            (words(tuple(keywords()), prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\b(none|yes|no|me|my|base|was)\b", Keyword.Constant),
            (r"\b[A-Z][A-Za-z_0-9]*", Name.Class),
            (r"[a-z_][A-Za-z_0-9]*", Name),
            (r"[-+*/=<>:|?.]+", Operator),
            (r"\s+|.", Text),
        ]
    }
