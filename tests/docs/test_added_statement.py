"""The statement that docs/architecture.md adds works: its diff applies to a copy of the sources, its example passes there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from snippets import ROOT, blocks

RUN = """
import sys
from grognard.compiler.driver.pipeline import compile_title
from grognard.play.examples import run_example
from grognard.support.diagnostics import Sink, format_text

sink = Sink()
ruleset = compile_title(sys.argv[1], sink)
assert ruleset is not None and not sink.has_errors, format_text(sink.sorted(), sink.sources, False)
assert [run_example(ruleset, example, "interpreter").failures for example in ruleset.examples] == [[]]
"""


@pytest.mark.skipif(not (ROOT / "compiler" / "sema" / "lint").is_dir(), reason="lint is one module here")
def test_the_diff_applies_and_the_example_passes(tmp_path: Path) -> None:
    found = {block.how: block.text for block in blocks("architecture.md")}
    for part in ("runtime", "compiler", "grammar", "rulesdef", "generated"):
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.c")
        shutil.copytree(ROOT / part, tmp_path / part, ignore=ignored)
    (tmp_path / "flip.diff").write_text(found["apply: flip"], encoding="utf-8")
    done = subprocess.run(["git", "apply", "flip.diff"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # The packages as they are installed: the runtime is `grognard`, the others are below it.
    (tmp_path / "runtime").rename(tmp_path / "grognard")
    for part in ("compiler", "grammar", "rulesdef", "generated"):
        (tmp_path / part).rename(tmp_path / "grognard" / part)
    title = tmp_path / "title"
    (title / "scenarios").mkdir(parents=True)
    (title / "title.yaml").write_text("name: Flip\nscenario: only\n", encoding="utf-8")
    (title / "scenarios" / "only.yaml").write_text("name: Only\n", encoding="utf-8")
    (title / "game.grog").write_text(found["with the diff: flip"], encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "GROGNARD_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(title)], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
