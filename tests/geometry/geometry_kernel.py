"""The C kernel behind Python calls: compiles the exports once and wraps a map for them."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

from grognard.geometry import HexMap, LineItem, LineKind
from grognard.kernels import include_dir

Int32s = ctypes.Array[ctypes.c_int32]


def compiler() -> str | None:
    return shutil.which("gcc")


def build_kernel(folder: Path) -> ctypes.CDLL:
    """Compiles the exports; warnings are errors."""
    gcc = compiler()
    assert gcc is not None
    library = folder / "kernel.so"
    source = Path(__file__).with_name("kernel_exports.c")
    strict = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
    subprocess.run(
        [gcc, *strict, "-shared", "-fPIC", "-I", include_dir(), str(source), "-o", str(library)],
        check=True,
    )
    kernel = ctypes.CDLL(str(library))
    kernel.t_map.restype = ctypes.c_void_p
    return kernel


def int32s(values: Sequence[int]) -> Int32s:
    return (ctypes.c_int32 * max(1, len(values)))(*values)


class KernelMap:
    """A map inside the kernel, asked like the Python functions."""

    def __init__(self, kernel: ctypes.CDLL, hexmap: HexMap, max_range: int | None = None) -> None:
        """max_range None leaves the line table unbuilt."""
        self._kernel = kernel
        arrays = hexmap.arrays()
        self._kept = [self._copy(values) for values in (arrays.q, arrays.r, arrays.neighbours, arrays.grid)]
        q, r, neighbours, grid = self._kept
        frame = (arrays.qmin, arrays.rmin, arrays.width, arrays.height)
        self._n = arrays.n
        self._map = ctypes.c_void_p(
            kernel.t_map(arrays.n, arrays.orientation, q, r, neighbours, *frame, grid)
        )
        if max_range is not None:
            assert kernel.t_lines_build(self._map, max_range) == 0

    @staticmethod
    def _copy(values: array[int]) -> Int32s:
        return int32s(values)

    def free(self) -> None:
        self._kernel.t_map_free(self._map)

    def ask(self, name: str, *arguments: object) -> int:
        answer: int = getattr(self._kernel, "t_" + name)(self._map, *arguments)
        return answer

    def cells(self, name: str, *arguments: int) -> list[int]:
        """A question whose answer is a list of cells."""
        out = (ctypes.c_int32 * max(1, self._n))()
        count = self.ask(name, *arguments, out)
        return list(out[:count])

    def told(self, what: str, a: int, b: int) -> list[LineItem]:
        """The line's items (what = "line") or crossings (what = "crossing")."""
        out = (ctypes.c_int32 * 3)()
        items = []
        for i in range(self.ask(what + "_len", a, b)):
            assert self.ask(what + "_item", a, b, i, out) == 1
            items.append(LineItem(LineKind(out[0]), out[1], out[2]))
        assert self.ask(what + "_item", a, b, len(items), out) == 0
        return items


MakeMap = Callable[..., KernelMap]
