"""A trial of the C compiler: does what it makes load, from the folder where engines are kept?"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from grognard.compiler.build.build import FLAGS, compiler_available, compiler_command

#: As small as a module can be that needs what engines need: Python's headers, a library that is loaded.
SOURCE = """#include <Python.h>
__attribute__((visibility("default"))) int grognard_trial(void) { return PY_MAJOR_VERSION; }
"""
LOAD = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).grognard_trial() != sys.version_info.major)"
#: Seconds.
PATIENCE = 60


def try_compiler(folder: Path) -> tuple[str, str | None]:
    """What the compiler calls itself; None if a library that it makes in this folder loads, else what went wrong."""
    reason = compiler_available()
    if reason is not None:
        return "", reason
    command = compiler_command()
    try:
        named = _run([*command, "--version"]).stdout.split("\n")[0].strip()
        with tempfile.TemporaryDirectory(dir=folder, prefix=".trial-") as scratch:
            source, library = Path(scratch, "trial.c"), Path(scratch, "trial.so")
            source.write_text(SOURCE, encoding="utf-8")
            shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
            made = _run(
                [
                    *command,
                    *FLAGS,
                    f"-I{sysconfig.get_path('include')}",
                    *shared,
                    str(source),
                    "-o",
                    str(library),
                ]
            )
            if made.returncode:
                return named, f"it does not compile: {_first_line(made.stderr)}"
            # In a process of its own: what is broken may end it.
            loaded = _run([sys.executable, "-c", LOAD, str(library)])
            if loaded.returncode:
                return named, f"what it makes cannot be loaded: {_last_line(loaded.stderr)}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", f"it cannot be tried: {error}"
    return named, None


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False
    )


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if "error" in line), "no reason is given")


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no reason is given")
