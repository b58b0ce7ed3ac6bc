"""Recovery after syntax errors: a broken file is cut into its declarations, and each is parsed by itself.

lark stops at the first token that does not fit.  So that several errors are reported at once, each bad declaration is
reported by itself (syntaxerrors.py).  The good ones go on to the other passes, and so does what is left of a bad one when the
lines that cannot be read are taken out (mending.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from grognard.compiler.syntax.from_text.error_words import DATA_WORDS, DECLARATION_WORDS, is_body
from grognard.compiler.syntax.from_text.mending import mend, names_declared_in
from grognard.compiler.syntax.from_text.pieces import Piece, cut
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
class Recovered:
    """What could be read of a file with syntax errors."""

    #: the parse trees of declarations, each with the number of lines before it
    trees: list[tuple[Any, int]]


def recover(source: SourceFile, text: str, parser: Lark, first: Exception, sink: Sink) -> Recovered:
    """Report the syntax errors of a file; what it declares all the same."""
    result = Recovered([])
    reporter = SyntaxErrorReporter(source, parser, sink)
    bad = 0
    pieces = cut(text)
    for place, piece in enumerate(pieces):
        following = pieces[place + 1] if place + 1 < len(pieces) else None
        tree = recover_piece(piece, following, parser, reporter, sink)
        if tree is not None:
            result.trees.append((tree[0], piece.line - 1))
        bad += tree is None or tree[1]
        if bad >= MAX_BROKEN:
            sink.muted |= {name for rest in pieces[place + 1 :] for name in _declared(rest.text)}
            break
    if not bad:
        # A file can be bad although all its declarations are good, e.g. by an indented first line.
        reporter.report(first, 0)
    return result


def recover_piece(
    piece: Piece, following: Piece | None, parser: Lark, reporter: SyntaxErrorReporter, sink: Sink
) -> tuple[Any, bool] | None:
    """The parse tree of a declaration, and whether it had to be mended; None if nothing can be made of it."""
    start, chunk = piece.line, piece.text
    found = re.match(r"[^\W\d]\w*", chunk)
    word = found.group() if found is not None else ""
    if word not in DECLARATION_WORDS:
        reporter.not_a_declaration(start, chunk)
        meant = did_you_mean(word, DECLARATION_WORDS)
        sink.muted |= _declared(chunk) | {word}
        if meant in DATA_WORDS:
            sink.muted |= names_declared_in(chunk, True)
        return None
    try:
        return parser.parse(chunk), False
    except (UnexpectedInput, DedentError) as error:
        # A body at the margin is reported there, and not as missing here too.
        if following is None or not is_body(following.text):
            reporter.chunk(start, chunk, error)
    sink.unread.append((reporter.source.path, start, start + chunk.count("\n")))
    of_data = word in DATA_WORDS
    mended = mend(chunk, parser, of_data=of_data)
    if mended is not None:
        sink.muted |= names_declared_in(mended.lost, of_data)
        return mended.tree, True
    sink.muted |= _declared(chunk) | {word} | names_declared_in(chunk, of_data)
    return None


def _declared(chunk: str) -> set[str]:
    """The name behind the first word of a declaration."""
    name = re.match(r"[^\W\d]\w*[ \t]+([^\W\d]\w*)", chunk)
    return {name.group(1)} if name else set()
