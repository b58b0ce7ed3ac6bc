"""The hand-written C that we are compared with: compiled as it stands with gcc -O2, called by ctypes."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from array import array
from collections.abc import Sequence
from functools import cache
from pathlib import Path

REFERENCE = Path(__file__).resolve().parent / "reference"
_scratch = tempfile.TemporaryDirectory(prefix="grognard_bench_")


@cache
def reference(name: str) -> ctypes.CDLL:
    """The compiled reference/<name>.c."""
    made = Path(_scratch.name) / f"{name}.so"
    command = ["gcc", "-O2", "-shared", "-fPIC", "-o", str(made), str(REFERENCE / f"{name}.c")]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(made))


def cells(values: Sequence[int]) -> ctypes.Array[ctypes.c_int32]:
    """Numbers as C reads them."""
    data = array("i", values)
    return (ctypes.c_int32 * len(data)).from_buffer(data)
