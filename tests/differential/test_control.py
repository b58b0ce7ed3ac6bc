"""Control flow, time, events and choices: the examples of a title made for them, on both back ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.driver.pipeline import compile_title
from grognard.contract.ruleset import Ruleset
from grognard.play.examples import run_examples

CONTROL = Path(__file__).parent / "titles" / "control"


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    made = compile_title(str(CONTROL))
    assert made is not None
    assert [f"{d.span}: {d.message}" for d in made.sink] == []
    return made


def test_the_examples_pass_on_both_back_ends(ruleset: Ruleset) -> None:
    results = run_examples(ruleset)
    told = {
        result.example.title: [d.message for d in result.failures] for result in results if result.failures
    }
    assert told == {}
    if compiler_available() is None:
        assert all(result.backends == ("interpreter", "compiled") for result in results)
