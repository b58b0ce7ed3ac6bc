"""What files hold, as digests, without reading again what has not changed since it was read.

An index keeps each file's digests with its stamp (support/stamps.py).  A file that was not at rest when it was read is read
anew each time.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grognard.compiler.support.disk_cache import (
    content_key,
    read_entry,
    write_entry,
)
from grognard.compiler.support.stamps import AT_REST, stamp_from

#: Larger files get no digest; reading them reports what is wrong.
MAX_BYTES = 64 * 1024 * 1024
# Possessive: a line of blanks without a bar is read once.
_ROW = re.compile(r'^[ \t]++[^"#|\n]*+\|.*$', re.M)
_TABLE = re.compile(r"^table\b.*(?:\n(?![^\s]).*)*", re.M)


@dataclass(frozen=True, slots=True)
class Digest:
    """Of a file: `whole` of all its bytes, `code` of a rules file without the rows of its tables (else the same)."""

    whole: str
    code: str


def digests_of(paths: Iterable[str], index: str) -> dict[str, Digest] | None:
    """The digests of these files; None if one of them cannot be read as text.  `index` names the cached list."""
    known = _read_index(index)
    made: dict[str, Digest] = {}
    entries: dict[str, list[int | str]] = {}
    for path in paths:
        now = time.time_ns()
        try:
            status = os.stat(path)
        except OSError:
            return None
        stamp = stamp_from(status)
        entry = known.get(path)
        if entry is not None and tuple(entry[:4]) == stamp:
            made[path] = Digest(str(entry[4]), str(entry[5]))
            entries[path] = entry
            continue
        found = _read(path, status)
        if found is None:
            return None
        made[path] = found
        if max(status.st_mtime_ns, status.st_ctime_ns) + AT_REST < now:
            entries[path] = [*stamp, found.whole, found.code]
    if entries != known:
        write_entry(_entry(index), json.dumps(entries).encode())
    return made


def is_row(line: str) -> bool:
    """Whether a line of a table is a row."""
    return _ROW.fullmatch(line) is not None


def without_rows(text: str) -> str:
    """Rules as far as they decide the program; lines keep their numbers."""
    return _TABLE.sub(lambda table: _ROW.sub("", table.group()), text)


def _read(path: str, status: os.stat_result) -> Digest | None:
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        return None
    try:
        data = Path(path).read_bytes()
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    whole = hashlib.sha256(data).hexdigest()
    if not path.endswith(".grog"):
        return Digest(whole, whole)
    return Digest(whole, hashlib.sha256(without_rows(text).encode()).hexdigest())


def _entry(index: str) -> str:
    return "index-" + content_key([index])


def _read_index(index: str) -> dict[str, list[int | str]]:
    data = read_entry(_entry(index))
    if data is None:
        return {}
    try:
        known = json.loads(data)
    except ValueError:
        return {}
    if not isinstance(known, dict):
        return {}
    return {path: entry for path, entry in known.items() if isinstance(entry, list) and len(entry) == 6}
