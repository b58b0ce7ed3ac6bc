"""A cache of compiled engines: extension modules, found by the content of everything they were made from.

An entry is a folder named by its key.  It holds the extension module, the sources it came from (for people who
want to read them) and a small record with the module's hash, so that a damaged file is seen and built anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grognard.support.userdirs import only_ours

#: Part of every key: bump when the form of an entry changes.
FORMAT = "1"
RECORD = "entry.json"


def content_key(parts: Iterable[str | bytes]) -> str:
    """A key for these contents, in this order; each is counted with its length, so that none runs into the next."""
    digest = hashlib.sha256(FORMAT.encode())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of entries; safe to share between threads and processes.  Entries are made by compiler/build/cache.py."""

    root: Path
    #: whether it came with the installation, and is as trusted as the program itself
    installed: bool = False

    def find(self, key: str) -> Path | None:
        """The module of an entry, None if there is none or it is damaged, or if others could have written it."""
        folder = self.root / key
        try:
            if not self.installed and not all(only_ours(os.stat(path)) for path in (self.root, folder)):
                return None
            record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
            module = folder / record["module"]
            if not self.installed and (
                module.parent != folder or os.lstat(module).st_uid != os.stat(folder).st_uid
            ):
                return None
            if file_hash(module) == record["sha256"]:
                return module
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None

    def known_as(self, alias: str) -> str | None:
        """What was noted under a name; None if nothing was."""
        try:
            return (self.root / f"{alias}.alias").read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    def call_it(self, alias: str, note: str) -> None:
        """Note something under a name; nothing is said if that is not possible."""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            scratch = self.root / f"{alias}.{os.getpid()}.tmp"
            scratch.write_text(note, encoding="utf-8")
            scratch.replace(self.root / f"{alias}.alias")
        except OSError:
            return


def file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
