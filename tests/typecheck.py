"""Run mypy over the package as it is installed."""

from __future__ import annotations

import os
import subprocess
import sys

from installed_tree import ROOT, installed_tree


def main() -> int:
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    with installed_tree() as scratch:
        command = [sys.executable, "-m", "mypy", *config, "-p", "grognard", *sys.argv[1:]]
        environment = {**os.environ, "MYPYPATH": str(scratch)}
        return subprocess.run(command, cwd=scratch, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
