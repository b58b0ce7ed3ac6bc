"""Run mypy over the installed namespace.

The tree's folders map to one package (setup.py), which mypy cannot see by itself: links in a scratch folder show it
the package as it is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("compiler", "grammar", "rulesdef", "generated")


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        package = Path(scratch) / "grognard"
        package.mkdir()
        for entry in (ROOT / "runtime").iterdir():
            if entry.name != "__pycache__":
                (package / entry.name).symlink_to(entry)
        for part in PARTS:
            (package / part).symlink_to(ROOT / part)
        command = [
            sys.executable,
            "-m",
            "mypy",
            "--config-file",
            str(ROOT / "pyproject.toml"),
            "-p",
            "grognard",
        ]
        command += ["--cache-dir", str(ROOT / ".mypy_cache"), *sys.argv[1:]]
        return subprocess.run(
            command, cwd=scratch, env={**os.environ, "MYPYPATH": scratch}, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
