"""What a process has read before: files by their stamps, trees and data by their content.

Nothing is ever taken for what it no longer is.  A file of rules that changed in some declarations is parsed in these alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from grognard.compiler.support.stamps import Stamp, at_rest, stamp_of
from grognard.compiler.support.yamlfile import YNode, load_yaml
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.pieces import Piece, begins_with_a_piece, pieces_of
from grognard.compiler.syntax.from_text.treecache import cached_tree, last_tree, parsed_tree, store_tree
from grognard.compiler.syntax.move import moved
from grognard.support.diagnostics import Diagnostic, Sink
from grognard.support.source import SourceFile


@dataclass(slots=True)
class _Tree:
    """A parsed file, and what there was to say of it."""

    sha256: str
    tree: syn.FileTree | None
    said: list[Diagnostic]
    muted: set[str]
    unread: list[tuple[str, int, int]]
    #: its declarations by the text of each, with the line where it began; empty if they cannot be told apart
    decls: dict[str, tuple[int, syn.Decl]]


class Shelf:
    def __init__(self) -> None:
        self._files: dict[str, tuple[Stamp, SourceFile]] = {}
        self._trees: dict[str, _Tree] = {}
        self._data: dict[str, tuple[str, YNode]] = {}

    def __reduce__(self) -> tuple[type[Shelf], tuple[()]]:
        # A cached title is read back without what its process had read.
        return Shelf, ()

    # ------------------------------------------------------------------------------------------------------ files

    def file(self, path: str) -> SourceFile | None:
        """A file that is known and has not changed."""
        known = self._files.get(path)
        return known[1] if known is not None and stamp_of(path) == known[0] else None

    def keep_file(self, path: str, source: SourceFile) -> None:
        """Remember a file that was just read, unless it was written so lately that it may be written again unseen."""
        stamp = stamp_of(path)
        if stamp is not None and at_rest(stamp):
            self._files[path] = (stamp, source)

    # ------------------------------------------------------------------------------------------------------- data

    def yaml(self, source: SourceFile, sink: Sink) -> YNode | None:
        """The data of a file."""
        known = self._data.get(source.path)
        if known is not None and known[0] == source.sha256:
            return known[1]
        before = sink.total
        node = load_yaml(source, sink)
        if node is not None and sink.total == before:
            self._data[source.path] = (source.sha256, node)
        return node

    # ------------------------------------------------------------------------------------------------------ trees

    def trees(self) -> list[syn.FileTree]:
        """All trees that were read and could be."""
        return [known.tree for known in self._trees.values() if known.tree is not None]

    def tree(self, source: SourceFile, sink: Sink) -> syn.FileTree | None:
        """The tree of a file."""
        known = self._trees.get(source.path)
        if known is None or known.sha256 != source.sha256:
            known = self._trees[source.path] = _read(source, known)
        for diagnostic in known.said:
            sink.add(diagnostic)
        # Only now: what a syntax error is about is not withheld itself.
        sink.muted |= known.muted
        sink.unread += known.unread
        return known.tree


def _read(source: SourceFile, before: _Tree | None) -> _Tree:
    sink = Sink()
    sink.sources[source.path] = source
    pieces = pieces_of(source)
    whole = cached_tree(source) if before is None else None
    anew = before is None and whole is None
    if anew:
        # Another process may have read this file before it changed.
        before = _last(source)
    if before is not None and before.decls and begins_with_a_piece(source, pieces):
        from grognard.compiler.syntax.from_text.parse import parse_pieces

        decls = parse_pieces(source, pieces, lambda piece: _known(piece, before.decls), sink)
        if decls is not None:
            tree = syn.FileTree(source.path, tuple(decl for decl, _ in decls if decl is not None))
            known = {
                piece.text: (piece.line, decl)
                for piece, (decl, good) in zip(pieces, decls, strict=True)
                if good and decl is not None
            }
            if anew and len(known) == len(pieces) and not sink.total:
                store_tree(source, tree)
            return _Tree(source.sha256, tree, list(sink), sink.muted, sink.unread, known)
    if whole is None:
        whole = cached_tree(source) or parsed_tree(source, sink)
    told = list(sink)
    known = _by_text(pieces, whole) if whole is not None and not told else {}
    if not known and before is not None:
        # While a declaration is broken, the others are as they were.
        known = before.decls
    return _Tree(source.sha256, whole, told, sink.muted, sink.unread, known)


def _last(source: SourceFile) -> _Tree | None:
    """What was known last of the file, by any process."""
    found = last_tree(source)
    if found is None:
        return None
    before, tree = found
    return _Tree(before.sha256, tree, [], set(), [], _by_text(pieces_of(before), tree))


def _known(piece: Piece, known: dict[str, tuple[int, syn.Decl]]) -> syn.Decl | None:
    """A declaration that is known, at the place where it stands now."""
    found = known.get(piece.text)
    if found is None:
        return None
    line, decl = found
    return decl if line == piece.line else moved(decl, piece.line - line)


def _by_text(pieces: list[Piece], tree: syn.FileTree) -> dict[str, tuple[int, syn.Decl]]:
    if len(pieces) != len(tree.decls):
        return {}
    found: dict[str, tuple[int, syn.Decl]] = {}
    for piece, decl in zip(pieces, tree.decls, strict=True):
        if decl.span.line != piece.line:
            return {}
        found[piece.text] = (piece.line, decl)
    return found
