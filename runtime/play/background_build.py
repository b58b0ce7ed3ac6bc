"""The build of an engine in a process of its own, while the game runs on another back end.

The process gets the program through a file and leaves the engine in the cache, where it is looked for when the process has
ended.  It goes on when the game is over before it: the engine is then there for the next game.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from types import ModuleType
from typing import IO, TYPE_CHECKING

from grognard.binding.load import find_engine
from grognard.compiler_access import build_engine, load_ruleset
from grognard.contract.build import BuildError, BuildUnavailable
from grognard.errors import CompilerMissing
from grognard.support.diagnostics import Sink

if TYPE_CHECKING:
    from grognard.contract import ir
    from grognard.contract.ruleset import Ruleset

#: What the process runs.
_COMMAND = "from grognard.play.background_build import {0}; {0}()"


class BackgroundBuild:
    """An engine that is being built."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.code_key = ruleset.code_key
        self._begin("build_from_stdin", (ruleset.program, ruleset.code_key))

    def _begin(self, function: str, given: object) -> None:
        """Start the process with a function of this module, which reads what it is given from its standard input."""
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the process runs)
        with tempfile.TemporaryFile() as file:
            pickle.dump(given, file)
            file.seek(0)
            # In a session of its own: an interrupt at the keyboard is meant for the game.
            self._process = subprocess.Popen(
                [sys.executable, "-c", _COMMAND.format(function)],
                stdin=file,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                start_new_session=True,
            )

    @property
    def over(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self._process.poll() is not None

    def wait(self, timeout: float | None = None) -> None:
        self._process.wait(timeout)

    def stop(self) -> None:
        """End the process, and the compilers that it runs."""
        if hasattr(os, "killpg"):
            os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()

    def engine(self) -> ModuleType:
        """The engine, when the build is over; BuildError with its last words if it failed."""
        found = find_engine(self.code_key) if self._process.returncode == 0 else None
        if found is not None:
            return found
        self._said.seek(0)
        said = self._said.read().decode(errors="replace").strip()
        raise BuildError(said or f"the build ended with status {self._process.returncode}")


class TitleBuild(BackgroundBuild):
    """The engine of a title's files, which are compiled in that process, too."""

    def __init__(self, where: str, errata: Sequence[str] | None, code_key: str) -> None:
        self.code_key = code_key
        self._begin("build_title_from_stdin", (where, errata))


def build_from_stdin() -> None:
    """Build the program that is pickled in the standard input; the reason goes to the standard error if that fails."""
    _give_way()
    program, code_key = pickle.load(sys.stdin.buffer)
    _build(program, code_key)


def build_title_from_stdin() -> None:
    """Build the title that is named in the standard input; one with errors has no engine."""
    _give_way()
    where, errata = pickle.load(sys.stdin.buffer)
    ruleset = load_ruleset(where, Sink(), errata=errata, examples=False)
    if ruleset is None or ruleset.sink.has_errors:
        sys.exit(f"{where} has errors")
    _build(ruleset.program, ruleset.code_key)


def _give_way() -> None:
    """Whoever sits before the screen comes first."""
    if hasattr(os, "nice"):
        os.nice(5)


def _build(program: ir.Program, code_key: str) -> None:
    try:
        build_engine(program, code_key=code_key)
    except CompilerMissing as missing:
        sys.exit(f"{missing.module} is not installed")
    except (BuildUnavailable, BuildError) as why:
        sys.exit(str(why).strip())
