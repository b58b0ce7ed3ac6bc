"""Small entries cached on disk between runs: parser tables, syntax trees, compiled rulesets, answers of `check`.

Entries are pickles, and a pickle can run code when it is loaded.  So an entry is read only if no other user can have
written it: a regular file of the user's own, in a folder of the user's own.  A damaged entry counts as missing.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from grognard.support.userdirs import cache_dir, only_ours

MAX_ENTRY_BYTES = 64 * 1024 * 1024
#: Above this number those that were not used for longest are removed.  A title is up to a hundred files.
MAX_ENTRIES = 2000
#: How old, in seconds, the note of the last use of an entry may be.
LATELY = 3600
_DIGEST = 32


def content_key(parts: Iterable[str]) -> str:
    """A key for these texts in this order; none runs into the next."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:32]


def read_entry(name: str) -> bytes | None:
    """An entry's content; None if it is missing, damaged or not the user's own."""
    folder = _folder(create=False)
    if folder is None:
        return None
    try:
        handle = os.open(
            folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not only_ours(status) or status.st_size > MAX_ENTRY_BYTES:
                return None
            data = file.read(MAX_ENTRY_BYTES)
        if time.time() - status.st_mtime > LATELY:
            with suppress(OSError):
                os.utime(folder / name)
    except OSError:
        return None
    body = data[_DIGEST:]
    return body if hashlib.sha256(body).digest() == data[:_DIGEST] else None


def write_entry(name: str, body: bytes) -> None:
    """Write an entry atomically.  A failure is ignored: the entry is made again next time."""
    import tempfile

    folder = _folder(create=True)
    if folder is None or len(body) > MAX_ENTRY_BYTES - _DIGEST:
        return
    try:
        handle, temporary = tempfile.mkstemp(prefix=f"{name}.", suffix=".tmp", dir=folder)
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).digest() + body)
        os.replace(temporary, folder / name)
        _tidy(folder)
    except OSError:
        Path(temporary).unlink(missing_ok=True)


def _folder(create: bool) -> Path | None:
    try:
        folder = cache_dir() / "trees"
        if create:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if only_ours(os.stat(folder)) else None
    except (OSError, RuntimeError):  # the latter from an account without a home
        return None


def _tidy(folder: Path) -> None:
    """Remove the entries that were not used for longest.  Another process may do the same at the same time."""
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
