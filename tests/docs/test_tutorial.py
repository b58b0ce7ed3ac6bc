"""The tutorial's title works as it is written: its files are taken from the page, step by step."""

from __future__ import annotations

import re
from pathlib import Path

from grognard.compiler.driver.pipeline import compile_title
from grognard.play.examples import run_example
from grognard.support.diagnostics import Sink, format_text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r'^```(?:yaml|grog) title="(\S+?)( \(added\))?"\n(.*?)^```$', re.M | re.S)


def test_every_step_checks_and_plays(tmp_path: Path) -> None:
    title = tmp_path / "hill200"
    steps = PAGE.read_text(encoding="utf-8").split("\n## ")
    names = set()
    for step in steps:
        for name, more, text in BLOCK.findall(step):
            path = title / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text((path.read_text(encoding="utf-8") if more else "") + text, encoding="utf-8")
            names.add(name)
        if not names:
            continue
        sink = Sink()
        ruleset = compile_title(str(title), sink)
        assert ruleset is not None
        assert not sink.has_errors, format_text(sink.sorted(), sink.sources, False)
        for example in ruleset.examples:
            result = run_example(ruleset, example, "interpreter")
            assert result.passed, result.failures
    assert {"title.yaml", "game.grog", "examples/fire.grog", "errata/2027.grog"} <= names


def test_the_finished_title_can_be_played_to_its_end(tmp_path: Path) -> None:
    import random

    import grognard

    title = tmp_path / "hill200"
    for name, more, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        path = title / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((path.read_text(encoding="utf-8") if more else "") + text, encoding="utf-8")
    position = grognard.load(str(title), backend="interpreter").new_game(seed=7)
    answers = random.Random(7)
    for _ in range(2000):
        if position.over:
            break
        position = position.play(answers.choice(position.values()))
    assert position.over
