"""The hand-written C reference implementations: compiled with gcc -O2, called by ctypes."""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
from array import array
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).resolve().parent / "reference"
POINTER = ctypes.POINTER(ctypes.c_int32)
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


@cache
def structure(file: str, name: str) -> type[ctypes.Structure]:
    """A struct of a reference, read from its C: pointers to cells, cells, arrays of cells, other structs."""
    text = re.sub(r"/\*.*?\*/", "", (REFERENCE / file).read_text(encoding="utf-8"), flags=re.S)
    found = re.search(rf"typedef struct \{{([^}}]*)\}} {name};", text)
    if found is None:
        raise LookupError(f"{file} has no struct {name}")
    fields: list[tuple[str, Any]] = []
    for line in filter(None, map(str.strip, found[1].split(";"))):
        kind, names = re.sub(r"^const ", "", line).split(maxsplit=1)
        for each in map(str.strip, names.split(",")):
            inner = ctypes.c_int32 if kind == "int32_t" else structure("hexes.h", kind)
            parts = re.fullmatch(r"(\*?)(\w+)(?:\[(\w+)\])?", each)
            assert parts is not None, each
            if parts[3]:
                size = re.search(rf"\b{parts[3]} = (\d+)", text)
                inner = inner * int(size[1] if size else parts[3])
            fields.append((parts[2], POINTER if parts[1] else inner))
    return type(name, (ctypes.Structure,), {"_fields_": fields})


def filled(made: type[ctypes.Structure], of: Callable[[str, bool], Any]) -> Any:
    """A struct with the values that `of` gives for its names; it is told whether a name is a pointer."""
    values: dict[str, Any] = {}
    for entry in made._fields_:
        values[entry[0]] = of(entry[0], entry[1] is POINTER)
    return made(**values)
