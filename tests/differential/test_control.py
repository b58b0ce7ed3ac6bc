"""Control flow, time, events and choices: the examples of a title made for them, on all back ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from grognard.compiler.build.build import compiler_available
from grognard.compiler.driver.pipeline import compile_title
from grognard.contract.backend import Backend
from grognard.contract.datablock import Scenario
from grognard.contract.ruleset import Ruleset
from grognard.interpreter.machine import Interpreter
from grognard.play.examples import ExampleRunner, run_examples
from grognard.translator.machine import PythonBackend

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


class _Translated(ExampleRunner):
    """The interpreter and the program as Python, compared like the interpreter and a compiled engine."""

    def _backends(self, scenario: Scenario) -> list[Backend]:
        return [kind(self.program, scenario.layout, scenario.data) for kind in (Interpreter, PythonBackend)]


def test_the_examples_pass_on_the_translator(ruleset: Ruleset) -> None:
    runner = _Translated(ruleset, "interpreter")
    results = [runner.run(example) for example in ruleset.examples]
    assert {r.title: [d.message for d in r.failures] for r in results if r.failures} == {}
    assert all(len(set(result.backends)) == 2 for result in results)
