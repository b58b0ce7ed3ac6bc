"""The build cache: a cache of engines in which what is missing is made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from grognard.support.content_cache import RECORD, Cache, file_hash


class BuildCache(Cache):
    """A cache that makes its entries."""

    def get(self, key: str, make: Callable[[Path], Path]) -> Path:
        """The module of the entry, made by `make` (in the folder it is given) if it is not there yet.

        One process makes it while the others wait; it appears complete or not at all."""
        found = self.find(key)
        if found is not None:
            return found
        # Imported here: what has been made needs none of this.
        import shutil
        import tempfile

        from filelock import FileLock

        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(str(self.root / f"{key}.lock")):
            found = self.find(key)
            if found is not None:
                return found
            work = Path(tempfile.mkdtemp(prefix=f"{key}.", dir=self.root))
            try:
                module = make(work)
                record = {"module": module.name, "sha256": file_hash(module)}
                (work / RECORD).write_text(json.dumps(record), encoding="utf-8")
                folder = self.root / key
                # Only a damaged entry can be in the way: it was looked for under the lock.
                shutil.rmtree(folder, ignore_errors=True)
                work.rename(folder)
            except BaseException:
                shutil.rmtree(work, ignore_errors=True)
                raise
            return folder / module.name
