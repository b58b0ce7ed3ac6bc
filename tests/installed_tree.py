"""The package as it is installed, for tools that look at files.

The tree's folders map to one package (setup.py), which mypy and import-linter cannot see by themselves: links in a
scratch folder show it to them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Folders beside runtime/ that are packages inside it.
PARTS = ("compiler", "grammar", "rulesdef", "generated")


@contextmanager
def installed_tree() -> Iterator[Path]:
    """A folder with the package `grognard` in it."""
    with tempfile.TemporaryDirectory() as scratch:
        package = Path(scratch) / "grognard"
        package.mkdir()
        for entry in (ROOT / "runtime").iterdir():
            if entry.name != "__pycache__":
                (package / entry.name).symlink_to(entry)
        for part in PARTS:
            (package / part).symlink_to(ROOT / part)
        yield Path(scratch)
