"""`grognard fmt`: what it writes, and what it leaves alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cli_running import Cli

MESSY = "enum Arm:foot ,horse # two\n"
CLEAN = "enum Arm: foot, horse" + " " * 46 + "# two\n"


def test_writes_only_what_changes(cli: Cli, tmp_path: Path) -> None:
    good, bad, broken = tmp_path / "good.grog", tmp_path / "bad.grog", tmp_path / "broken.grog"
    data = tmp_path / "units.yaml"
    good.write_text(CLEAN)
    bad.write_text(MESSY)
    bad.chmod(0o640)
    broken.write_text("rule a( -> 1..2 = 1\n")
    data.write_text("a:   1\n")
    before = good.stat().st_mtime_ns

    checked = cli("fmt", "--check", str(tmp_path / "good.grog"), str(bad))
    assert (checked.status, bad.read_text()) == (1, MESSY)
    assert "bad.grog" in checked.out and "good.grog" not in checked.out
    shown = cli("fmt", "--diff", str(bad))
    assert shown.status == 1 and "+" + CLEAN in shown.out

    result = cli("fmt", str(tmp_path))
    assert result.status == 2
    assert "GR0104" in result.out
    assert bad.read_text() == CLEAN
    assert stat.S_IMODE(bad.stat().st_mode) == 0o640
    assert broken.read_text() == "rule a( -> 1..2 = 1\n"
    assert data.read_text() == "a:   1\n"
    assert good.stat().st_mtime_ns == before
    assert sorted(os.listdir(tmp_path)) == ["bad.grog", "broken.grog", "good.grog", "units.yaml"]
    broken.unlink()
    assert cli("fmt", "--check", str(tmp_path)).status == 0


def test_what_has_no_layout(cli: Cli, tmp_path: Path) -> None:
    data = tmp_path / "units.yaml"
    data.write_text("a: 1\n")
    result = cli("fmt", str(data))
    assert result.status == 2 and "YAML is left as it is" in result.err
    assert cli("fmt", str(tmp_path / "nowhere")).status == 2
