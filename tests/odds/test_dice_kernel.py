"""Dice side by side are the dice that would have been thrown one by one (kernels/dice_pools.h)."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from grognard.kernels import include_dir

HERE = Path(__file__).resolve().parent


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("how", [0, 1], ids=["four in a register", "eight in a register"])
def test_dice_side_by_side(how: int, tmp_path: Path) -> None:
    made = tmp_path / "dice.so"
    source = str(HERE / "dice_kernel.c")
    command = ["gcc", "-O2", "-shared", "-fPIC", "-I", include_dir(), "-o", str(made), source]
    subprocess.run(command, check=True)
    compare = ctypes.CDLL(str(made)).compare
    if compare(how, ctypes.c_uint64(1), 1, 6, 0) < 0:
        pytest.skip("not on this processor")
    chosen = random.Random(6)
    for _ in range(20_000):
        # With many faces dice are thrown again often.
        faces = chosen.choice([2, 3, 6, 6, 10, 12, 20, 1 << 20, 3 << 28])
        n, limit = chosen.randrange(41), chosen.randrange(-1, min(faces, 1 << 30))
        assert compare(how, ctypes.c_uint64(chosen.getrandbits(64)), n, faces, limit) == 0, (n, faces, limit)
