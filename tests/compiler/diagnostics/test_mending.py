"""One broken declaration hides neither the mistakes in others nor what it declares."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden import BASE, Case
from grognard.compiler.driver.workspace import Workspace

GOOD = (BASE / "base.grog").read_text(encoding="utf-8")
MISTAKE = "\nrule wrong(u: Unit) -> int = u.nonsense\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(Case(tmp_path, "", {}, "").lay_out(tmp_path))


def messages(workspace: Workspace, text: str) -> tuple[list[str], list[str]]:
    """Syntax errors, and what else is said."""
    workspace.set_text("base.grog", GOOD + text)
    found = workspace.diagnostics()
    syntax = [d.message for d in found if d.code.startswith("GR01")]
    return syntax, [d.message for d in found if not d.code.startswith("GR01") and d.code != "GR0802"]


@pytest.mark.parametrize(
    "broken",
    [
        "rule extra(u: Unit) -> 0..9 = 1 + ) 2\n",
        "rule extra(u: Unit) -> 0..9\n  = 1 when u.hits > > 2\n  = 2\n",
        "rule extra(u: Unit) -> 0..9\n  = max(1, 2\n",
        "rule extra(u: Unit)) -> 0..9 = 3\n",
    ],
)
def test_a_broken_rule_keeps_its_heading(workspace: Workspace, broken: str) -> None:
    use = "\nrule use(u: Unit) -> 0..9 = extra(u)\nrule misuse(u: Unit) -> flag = extra(u)\n"
    syntax, others = messages(workspace, f"\n{broken}{use}{MISTAKE}")
    assert len(syntax) == 1
    assert sorted(others) == [
        "Unit has no field `nonsense`",
        "the result is a number (0..9), a flag (yes or no) is needed",
    ]


def test_a_broken_declaration_of_data_keeps_its_other_lines(workspace: Workspace) -> None:
    broken = "\ngame\n  first_extra: 0..3\n  second_extra: 0.. ..3\n  third_extra: flag\n"
    use = "\nrule use() -> flag = first_extra > 1 and third_extra and second_extra > 1 and fourth_extra\n"
    syntax, others = messages(workspace, broken + use + MISTAKE)
    assert len(syntax) == 1
    assert sorted(others) == ["Unit has no field `nonsense`", "there is no `fourth_extra` here"]


def test_what_is_lost_altogether_is_not_missed(workspace: Workspace) -> None:
    syntax, others = messages(
        workspace, "\nrul extra(u: Unit) -> int = 1\n\nrule use(u: Unit) -> int = extra(u)\n" + MISTAKE
    )
    assert len(syntax) == 1
    assert others == ["Unit has no field `nonsense`"]
