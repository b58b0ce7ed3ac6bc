"""Source text -> syntax tree.

lark's LALR parser makes a parse tree, and the transformer (transformer.py) makes syntax nodes of it.  After a syntax
error the good declarations of a file go on to the other passes, so that their errors are reported too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.base import Malformed
from grognard.compiler.syntax.from_text.brackets import open_brackets
from grognard.compiler.syntax.from_text.parser_tables import cached_parser
from grognard.compiler.syntax.from_text.pieces import Piece
from grognard.compiler.syntax.from_text.recovery import recover, recover_piece
from grognard.compiler.syntax.from_text.syntaxerrors import SyntaxErrorReporter
from grognard.compiler.syntax.from_text.transformer import ToSyntax
from grognard.compiler.syntax.from_text.treecache import store_tree
from grognard.grammar import grammar_text
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile, nesting_ok
from lark import Lark, Token
from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError

#: A title has some hundreds.  The limit bounds the time of a check.
MAX_DECLARATIONS = 8_000
_AT_MARGIN = re.compile(r"^[^\s#|)}]", re.MULTILINE)


#: lark stores the indentation in the parser, which all threads share.
_ONE_AT_A_TIME = Lock()


@lru_cache(maxsize=1)
def parser() -> Lark:
    return cached_parser(grammar_text())


def parse(source: SourceFile, sink: Sink) -> syn.FileTree | None:
    """The tree of a file; after syntax errors, which go to the sink, the tree of what it declares all the same.

    None for a text that is beyond the limits.
    """
    with _ONE_AT_A_TIME:
        return _parse(source, sink)


def _parse(source: SourceFile, sink: Sink) -> syn.FileTree | None:
    if not nesting_ok(source, sink):
        return None
    if len(_AT_MARGIN.findall(source.text)) > MAX_DECLARATIONS:
        sink.error("GR0006", None, f"`{source.path}` has more than {MAX_DECLARATIONS:,} declarations")
        return None
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    try:
        tree = parser().parse(text)
    except (UnexpectedInput, DedentError) as error:
        recovered = recover(source, text, parser(), error, sink)
        return syn.FileTree(
            source.path,
            tuple(d for part, offset in recovered.trees for d in _build(source, part, sink, offset)[0]),
        )
    decls, good = _build(source, tree, sink)
    made = syn.FileTree(source.path, decls)
    if good:
        store_tree(source, made)
    return made


def parse_pieces(
    source: SourceFile, pieces: list[Piece], known: Callable[[Piece], syn.Decl | None], sink: Sink
) -> list[tuple[syn.Decl | None, bool]] | None:
    """The declaration of each piece of a file, and whether it is as written; `known` gives those that were read before.

    None if the file must be read as a whole to tell what is what."""
    if not nesting_ok(source, Sink()) or len(pieces) > MAX_DECLARATIONS:
        return None
    with _ONE_AT_A_TIME:
        made: list[tuple[syn.Decl | None, bool]] = []
        reporter: SyntaxErrorReporter | None = None
        for place, piece in enumerate(pieces):
            decl = known(piece)
            if decl is not None:
                made.append((decl, True))
                continue
            if open_brackets(piece.text):
                return None  # what follows at the margin may still belong to it
            reporter = reporter or SyntaxErrorReporter(source, parser(), sink)
            following = pieces[place + 1] if place + 1 < len(pieces) else None
            found = recover_piece(piece, following, parser(), reporter, sink)
            if found is None:
                made.append((None, False))
                continue
            tree, mended = found
            decls, good = _build(source, tree, sink, piece.line - 1)
            if len(decls) > 1:
                return None
            made.append((decls[0] if decls else None, good and not mended and len(decls) == 1))
        return made


def _build(source: SourceFile, tree: Any, sink: Sink, offset: int = 0) -> tuple[tuple[syn.Decl, ...], bool]:
    """The declarations of a parse tree without the malformed ones, and whether all were good."""
    made: list[syn.Decl] = []
    good = True
    transformer = ToSyntax(source, sink, offset)
    for part in tree.children:
        if isinstance(part, Token):
            continue
        try:
            decl = transformer.transform(part)
            stray = next((f for f in getattr(decl, "fields", ()) if isinstance(f, syn.SecretAll)), None)
            if stray is None:
                made.append(decl)
                continue
            # The fields of pieces are kept apart from it.
            sink.error(
                "GR0208",
                stray.span,
                "only a piece can be secret as a whole",
                hint="say of each field that it is secret: `secret cards: 0..9 to owner`",
            )
            good = False
        except VisitError as error:
            if not isinstance(error.orig_exc, Malformed):
                raise
            problem = error.orig_exc
            sink.error(problem.code, problem.span, problem.message, hint=problem.hint)
            sink.muted |= {str(token) for token in part.children if isinstance(token, Token)}
            good = False
    return tuple(made), good
