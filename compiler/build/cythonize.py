"""From .pyx to .c: Cython in processes of their own, each of which translates one file after another.

It holds the GIL and keeps global state, so it does not belong into a program that embeds this package; to start it takes
as long as to translate a file, so a process is used again.  Run as a module, this file is such a process.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Lock
from types import TracebackType
from weakref import WeakSet

from grognard.binding.load import SANITIZED


class TranslationFailed(Exception):
    """Cython did not accept a file; the message is what it said."""


def tool_environment() -> dict[str, str]:
    """For Cython and the C compiler: without the libraries of sanitizers, under which they would be watched themselves."""
    unwanted = "LD_PRELOAD" if os.environ.get(SANITIZED) == "1" else None
    return {name: value for name, value in os.environ.items() if name != unwanted}


_begun: WeakSet[Translators] = WeakSet()


def stop_translators() -> None:
    """End whatever is being translated: whoever waits for it is told that it failed."""
    for translators in list(_begun):
        translators.stop()


class Translators:
    """As many processes as there are files to be translated at once; they end with the block that this is used in."""

    def __init__(self) -> None:
        self._idle: list[subprocess.Popen[str]] = []
        self._all: list[subprocess.Popen[str]] = []
        self._lock = Lock()
        self._stopped = False
        _begun.add(self)

    def __enter__(self) -> Translators:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._all:
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            if kind is not None:
                process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def stop(self) -> None:
        """End what is under way: whoever waits for a translation is told that it failed."""
        with self._lock:
            self._stopped = True
            for process in self._all:
                process.kill()

    def translate(self, pyx: Path) -> None:
        """Make the .c beside the file; TranslationFailed with what Cython said."""
        if not sys.executable:
            with self._lock:
                good, said = _translate(str(pyx))
        else:
            process = self._take()
            good, said = _ask(process, str(pyx))
            with self._lock:
                self._idle.append(process)
        if not good:
            raise TranslationFailed(said)

    def _take(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._stopped:
                raise TranslationFailed("interrupted")
            if self._idle:
                return self._idle.pop()
            # Not the folder that the user happens to be in: it may hold anything.
            command = [sys.executable, "-P", "-m", __name__]
            made = subprocess.Popen(
                command,
                env=tool_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                # Ctrl-C is for this process, which ends the others; they would each complain of it.
                process_group=0,
            )
            self._all.append(made)
            return made


def _ask(process: subprocess.Popen[str], pyx: str) -> tuple[bool, str]:
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(pyx) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        good, said = json.loads(answer)
    except (OSError, ValueError):
        return False, f"Cython ended before it had translated {pyx}"
    return bool(good), str(said)


def _translate(pyx: str) -> tuple[bool, str]:
    """Translate one file; whether that went well, and what Cython said."""
    from Cython.Compiler.Main import CompilationOptions, compile_single

    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            target = str(Path(pyx).with_suffix(".c"))
            options = CompilationOptions(output_file=target, language_level=3)
            good = not compile_single(pyx, options, Path(pyx).stem).num_errors
        except Exception as failure:
            # Cython's own faults come out as exceptions of all kinds.
            print(f"{type(failure).__name__}: {failure}", file=said)
            good = False
    return good, said.getvalue()


def _serve() -> None:
    # Python's own searches for rubbish would take a fifth of the time: what a file leaves behind is found in one search
    # after it, which need not look at Cython itself.
    import Cython.Compiler.Main  # noqa: F401

    gc.disable()
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(_translate(json.loads(line))), flush=True)
        gc.collect()


if __name__ == "__main__":
    _serve()
