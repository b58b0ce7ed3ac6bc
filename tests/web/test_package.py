"""The page is part of an installation: what it consists of is named where the package is made."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_file_of_the_page_is_installed() -> None:
    listed = re.search(r'"grognard\.web": \[(.*?)\]', (ROOT / "setup.py").read_text(encoding="utf-8"))
    assert listed is not None
    patterns = re.findall(r'"(.*?)"', listed.group(1))
    files = [path.name for path in (ROOT / "runtime" / "web").iterdir() if path.is_file()]
    left_out = [name for name in files if not any(fnmatch(name, pattern) for pattern in patterns)]
    assert sorted(left_out) == ["README.md", "__init__.py"]
