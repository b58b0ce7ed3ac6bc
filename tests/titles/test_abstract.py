"""The two abstract games against the world: their perft counts are the published ones."""

from __future__ import annotations

import grognard
import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.play.examples import run_examples

CONNECT_FOUR = [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
BREAKTHROUGH = [22, 484, 11132, 256036, 6182818]


@pytest.mark.skipif(compiler_available() is not None, reason="deep counts need the compiled engine")
@pytest.mark.parametrize(
    ("title", "published"), [("connect_four", CONNECT_FOUR), ("breakthrough", BREAKTHROUGH)]
)
def test_published_counts_on_the_compiled_engine(title: str, published: list[int]) -> None:
    engine = grognard.load(title, backend="compiled")
    assert [engine.perft(depth) for depth in range(1, len(published) + 1)] == published


@pytest.mark.parametrize(
    ("title", "published"), [("connect_four", CONNECT_FOUR[:3]), ("breakthrough", BREAKTHROUGH[:2])]
)
def test_published_counts_on_the_interpreter(title: str, published: list[int]) -> None:
    engine = grognard.load(title, backend="interpreter")
    assert [engine.perft(depth) for depth in range(1, len(published) + 1)] == published


@pytest.mark.parametrize("title", ["connect_four", "breakthrough"])
def test_examples(title: str) -> None:
    ruleset = compile_title(str(shipped_titles()[title]))
    assert ruleset is not None and not ruleset.sink.has_errors
    results = run_examples(ruleset)
    assert results
    assert [r.title for r in results if not r.passed] == []
