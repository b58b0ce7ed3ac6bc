"""A real editor against the server: Neovim without a screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NVIM = shutil.which("nvim")


@pytest.mark.skipif(NVIM is None, reason="no Neovim here")
def test_neovim(folder: Path) -> None:
    path = folder / "rules.grog"
    lines = path.read_text().split("\n")
    line = next(n for n, text in enumerate(lines) if "u.strength +" in text)
    column = lines[line].index("strength")
    wanted = [sys.executable, str(folder), str(path), "u.strength", "u.strenght", line, column]
    command = [str(NVIM), "--headless", "--clean", "-c", f"luafile {Path(__file__).with_name('neovim.lua')}"]
    environment = {**os.environ, "GROGNARD_NVIM": json.dumps(wanted), "XDG_STATE_HOME": str(folder / "state")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    answer = json.loads(done.stdout.strip().split("\n")[-1])
    assert "strenght" in answer["message"] and "did you mean `strength`" in answer["message"]
    assert answer["line"] == line
    assert answer["action"] == "Change to `strength`"
    assert answer["mended"] == path.read_text().rstrip("\n")
    assert "Type.strength: 0..9" in answer["hover"]
    assert {"strength", "tired"} <= set(answer["choices"])
    assert "u.strength + min(9, max(0, by))" in answer["formatted"]
