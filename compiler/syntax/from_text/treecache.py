"""Syntax trees cached on disk: a file that has not changed since the last run is not parsed again."""

from __future__ import annotations

import dataclasses
import os
import pickle
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.compiler.support.disk_cache import content_key, read_entry, write_entry

if TYPE_CHECKING:
    from grognard.compiler.syntax import nodes as syn
    from grognard.support.diagnostics import Sink
    from grognard.support.source import SourceFile


def parsed_tree(source: SourceFile, sink: Sink) -> syn.FileTree | None:
    """The tree of a file that is not cached.  The parser is imported only if a file must be parsed."""
    from grognard.compiler.syntax.from_text.parse import parse

    return parse(source, sink)


@lru_cache(maxsize=1)
def _grammar() -> str:
    """A key of everything that a parse tree depends on beside the source: grammar, transformer, lark itself."""
    import importlib.util

    from grognard.grammar import grammar_text

    lark = importlib.util.find_spec("lark")
    status = os.stat(lark.origin) if lark is not None and lark.origin else None
    version = f"{status.st_mtime_ns} {status.st_size}" if status is not None else "no lark"
    return content_key([grammar_text(), version, *_code()])


def _code() -> list[str]:
    """The text of the modules that decide the tree of a file.  Empty in a frozen program, whose modules have no text."""
    from grognard.support import frozen_nodes, source

    modules = [
        *Path(__file__).resolve().parents[1].rglob("*.py"),
        Path(source.__file__),
        Path(frozen_nodes.__file__),
    ]
    try:
        return [path.read_text(encoding="utf-8") for path in sorted(modules)]
    except OSError:
        return []


def cached_tree(source: SourceFile) -> syn.FileTree | None:
    """The tree of a file with this content, if it was parsed before."""
    found = read_entry(_name(source))
    if found is None:
        return None
    from grognard.compiler.syntax.nodes import FileTree

    try:
        tree = pickle.loads(found)
    except Exception:
        # A pickle can fail in any way; it is only a cache.
        return None
    return tree if isinstance(tree, FileTree) and tree.path == source.path else None


def store_tree(source: SourceFile, tree: syn.FileTree) -> None:
    """Cache the tree of a file without errors."""
    made = tree_bytes(tree)
    if made is not None:
        write_entry(_name(source), made)
        write_entry(_last_name(source), pickle.dumps(source))


def tree_bytes(tree: syn.FileTree) -> bytes | None:
    """A tree as it is cached; None if it cannot be written."""
    out = BytesIO()
    try:
        _Pickler(out, protocol=pickle.HIGHEST_PROTOCOL).dump(tree)
    except (pickle.PickleError, RecursionError, TypeError, AttributeError):
        return None
    return out.getvalue()


def cached_bytes(source: SourceFile) -> bytes | None:
    """The tree of a file as the cache has it, for those who pass it on."""
    return read_entry(_name(source))


def last_tree(source: SourceFile) -> tuple[SourceFile, syn.FileTree] | None:
    """What was cached last of a file of that name, with its text: most of it may be in this one too."""
    found = read_entry(_last_name(source))
    try:
        before = None if found is None else pickle.loads(found)
    except Exception:
        return None
    if before is None or before.path != source.path or before.sha256 == source.sha256:
        return None
    tree = cached_tree(before)
    return None if tree is None else (before, tree)


class _Pickler(pickle.Pickler):
    """Pickles a node as a call of its class: that loads three times as fast as the default of dataclasses."""

    def reducer_override(self, obj: Any) -> Any:
        kind = type(obj)
        if not dataclasses.is_dataclass(kind):
            return NotImplemented
        return kind, tuple([getattr(obj, entry.name) for entry in dataclasses.fields(kind)])


def _last_name(source: SourceFile) -> str:
    """Files of one name begin alike, those of different titles do not."""
    return "last-" + content_key([source.path, source.text[:200], _grammar()])


def _name(source: SourceFile) -> str:
    return "tree-" + content_key([source.path, source.sha256, _grammar()])
