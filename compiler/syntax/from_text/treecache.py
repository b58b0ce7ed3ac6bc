"""Small things kept on disk between runs: the parser's tables, and the trees of files that have not changed.

Entries are pickles, and a pickle can run code when it is read.  So only files are read that the user who runs this
has written: they must be the user's own regular files, in a folder of the user's own that nobody else may write to.
Whatever is wrong with an entry, it is made anew.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pickle
import stat
from collections.abc import Iterable
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.support.userdirs import cache_dir

if TYPE_CHECKING:
    from grognard.compiler.syntax import nodes as syn
    from grognard.support.diagnostics import Sink
    from grognard.support.source import SourceFile

MAX_ENTRY_BYTES = 64 * 1024 * 1024
#: When there are more, the oldest go.
MAX_ENTRIES = 400
_DIGEST = 32


def content_key(parts: Iterable[str]) -> str:
    """A key for these texts in this order; none runs into the next."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:32]


def tree_of(source: SourceFile, sink: Sink) -> syn.FileTree | None:
    """The tree of a file, found or parsed; only what must be parsed needs the parser to be imported."""
    found = _load(source)
    if found is not None:
        return found
    from grognard.compiler.syntax.from_text.parse import parse

    return parse(source, sink)


@lru_cache(maxsize=1)
def _grammar() -> str:
    """Names everything that a parse tree depends on beside the source: the grammar, the passes, lark itself."""
    import importlib.util

    from grognard.grammar import grammar_text

    lark = importlib.util.find_spec("lark")
    status = os.stat(lark.origin) if lark is not None and lark.origin else None
    version = f"{status.st_mtime_ns} {status.st_size}" if status is not None else "no lark"
    return content_key([grammar_text(), version, *_code()])


def _code() -> list[str]:
    """The text of the modules that decide what tree a file has; without them (a frozen program) nothing, since such a
    program never changes."""
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


def _load(source: SourceFile) -> syn.FileTree | None:
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
    """Keep the tree of a file without mistakes."""
    out = BytesIO()
    try:
        _Pickler(out, protocol=pickle.HIGHEST_PROTOCOL).dump(tree)
    except (pickle.PickleError, RecursionError, TypeError, AttributeError):
        return
    write_entry(_name(source), out.getvalue())


class _Pickler(pickle.Pickler):
    """Nodes as calls of their classes: what dataclasses do by themselves takes three times as long to read."""

    def reducer_override(self, obj: Any) -> Any:
        kind = type(obj)
        if not dataclasses.is_dataclass(kind):
            return NotImplemented
        return kind, tuple([getattr(obj, entry.name) for entry in dataclasses.fields(kind)])


def _name(source: SourceFile) -> str:
    return "tree-" + content_key([source.path, source.sha256, _grammar()])


def read_entry(name: str) -> bytes | None:
    """An entry's content, None if it is missing, damaged or not the user's own."""
    folder = _folder(create=False)
    if folder is None:
        return None
    try:
        handle = os.open(
            folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not _own(status) or status.st_size > MAX_ENTRY_BYTES:
                return None
            data = file.read(MAX_ENTRY_BYTES)
    except OSError:
        return None
    body = data[_DIGEST:]
    return body if hashlib.sha256(body).digest() == data[:_DIGEST] else None


def write_entry(name: str, body: bytes) -> None:
    """Keep an entry; it appears complete or not at all, and nothing is said if it cannot be kept."""
    import tempfile

    folder = _folder(create=True)
    if folder is None or len(body) > MAX_ENTRY_BYTES - _DIGEST:
        return
    try:
        handle, scratch = tempfile.mkstemp(prefix=f"{name}.", suffix=".tmp", dir=folder)
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).digest() + body)
        os.replace(scratch, folder / name)
        _tidy(folder)
    except OSError:
        Path(scratch).unlink(missing_ok=True)


def _folder(create: bool) -> Path | None:
    try:
        folder = cache_dir() / "trees"
        if create:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _own(os.stat(folder)) else None
    except (OSError, RuntimeError):  # the latter from an account without a home
        return None


def _own(status: os.stat_result) -> bool:
    """Written by the user, and by nobody else; systems without owners keep users apart by their folders."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _tidy(folder: Path) -> None:
    """Drop the oldest entries; another process may be doing the same."""
    with os.scandir(folder) as entries:
        known = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
    if len(known) <= MAX_ENTRIES:
        return
    ages: list[tuple[float, str]] = []
    for entry in known:
        try:
            ages.append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
        except FileNotFoundError:
            continue
    for _, path in sorted(ages)[: len(ages) - MAX_ENTRIES // 2]:
        Path(path).unlink(missing_ok=True)
