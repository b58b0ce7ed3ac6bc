"""Recovery after syntax errors: a broken file is cut into its declarations, and each is parsed by itself.

lark stops at the first token that does not fit.  So that several errors are reported at once, each bad declaration is
reported by itself (syntaxerrors.py), and the good ones go on to the other passes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from grognard.compiler.syntax.from_text.error_words import DATA_WORDS, DECLARATION_WORDS, is_body
from grognard.compiler.syntax.from_text.pieces import cut
from grognard.compiler.syntax.from_text.syntaxerrors import SyntaxErrorReporter
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile
from grognard.support.suggest import did_you_mean
from lark import Lark
from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError

#: Broken declarations after which the rest of a file is not read.
MAX_BROKEN = 100


@dataclass(slots=True)
class Broken:
    """The part of a file with syntax errors that could be parsed."""

    trees: list[Any]
    """The parse trees of the good declarations, each with the number of lines before it."""
    names: set[str]
    """Names that the bad declarations would have declared."""
    data: bool
    """Whether one of the bad declarations declares data, so that checking the others makes no sense."""


def recover(source: SourceFile, text: str, parser: Lark, first: Exception, sink: Sink) -> Broken:
    """Report the syntax errors of a file; the declarations without errors."""
    result = Broken([], set(), False)
    reporter = SyntaxErrorReporter(source, parser, sink)
    bad = 0
    chunks = [(piece.line, piece.text) for piece in cut(text)]
    for place, (start, chunk) in enumerate(chunks):
        word = re.match(r"[^\W\d]\w*", chunk)
        if word is None or word.group() not in DECLARATION_WORDS:
            reporter.not_a_declaration(start, chunk)
            result.data |= word is None or did_you_mean(word.group(), DECLARATION_WORDS) in (
                None,
                *DATA_WORDS,
            )
        else:
            try:
                result.trees.append((parser.parse(chunk), start - 1))
                continue
            except (UnexpectedInput, DedentError) as error:
                # A body at the margin is reported there, and not as missing here too.
                if place + 1 == len(chunks) or not is_body(chunks[place + 1][1]):
                    reporter.chunk(start, chunk, error)
            result.data |= word.group() in DATA_WORDS
        name = re.match(r"[^\W\d]\w*[ \t]+([^\W\d]\w*)", chunk)
        result.names |= {name.group(1)} if name else set()
        if word is not None:
            result.names.add(word.group())
        bad += 1
        if bad >= MAX_BROKEN:
            result.data = True
            break
    if not bad:
        # A file can be bad although all its declarations are good, e.g. by an indented first line.
        reporter.report(first, 0)
        result.data = True
    return result
