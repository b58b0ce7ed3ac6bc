"""Rules in the language as it was: rewritten they say the same, and nothing of them is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from grognard.cli.main import main
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.syntax.lines import joined_lines
from grognard.compiler.upgrade.records import upgrade_record
from grognard.compiler.upgrade.rewrite import declared
from grognard.compiler.upgrade.upgrade import upgrade_text
from grognard.support.diagnostics import Sink

BEFORE = Path(__file__).parent / "before.grog"
AFTER = Path(__file__).parent / "after.grog"


def upgraded(text: str, width: int | None = None) -> str:
    made = upgrade_text(text, "x.grog", declared(text), width)
    assert made.problems == []
    return made.text


def test_a_title_of_before() -> None:
    assert upgraded(BEFORE.read_text(encoding="utf-8"), 100) == AFTER.read_text(encoding="utf-8")


def test_twice_is_once() -> None:
    text = AFTER.read_text(encoding="utf-8")
    assert upgraded(text, 100) == text


def test_it_compiles_and_nothing_is_said_of_it(tmp_path: Path) -> None:
    (tmp_path / "title.yaml").write_text("name: Before\n", encoding="utf-8")
    (tmp_path / "game.grog").write_text(AFTER.read_text(encoding="utf-8"), encoding="utf-8")
    sink = Sink()
    assert compile_title(str(tmp_path), sink) is not None
    assert not sink.has_errors, [d.message for d in sink]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("let a = if_none(b, c)", "let a = b else c"),
        ("let a = if_none(if_none(b, c), d)", "let a = (b else c) else d"),
        ("let a = if_none(b, if_none(c, d)) + 1", "let a = (b else c else d) + 1"),
        ("let a = if_none(b if c else d, e)", "let a = (b if c else d) else e"),
        ("if if_none(b, 0) > 1: stop", "if (b else 0) > 1: stop"),
        ("require if_none(b, no) else \"why\"", "require (b else no) else \"why\""),
        ("let a = if_none(b,\n      c)", "let a = (b else\n      c)"),
        ("do f(if_none(x.y, -1), next_to(a, b))", "do f(x.y else -1, adjacent(a, b))"),
        ("log \"if_none(a, b)\"   # if_none(a, b)", "log \"if_none(a, b)\"   # if_none(a, b)"),
    ],
)  # fmt: skip
def test_statements(old: str, new: str) -> None:
    head = "procedure p()\n  "
    assert upgraded(f"{head}{old}\n") == f"{head}{new}\n"


def test_a_rule_of_the_title_keeps_its_name() -> None:
    text = "rule next_to(a: Hex, b: Hex) -> flag = no\nrule r(a: Hex) -> flag = next_to(a, a)\n"
    assert upgraded(text) == text


def test_texts_that_make_one_name() -> None:
    made = upgraded('modifiers m() -> int\n  +1 "a river"\n  +2 "a-river" when c\n')
    assert made == 'modifiers m() -> int\n  +1 "a river"\n  +2 "a-river" as a_river_2 when c\n'


def test_lines_are_joined_as_they_are_broken() -> None:
    lines = [
        "rule r() -> flag = a",
        "    # why",
        "    and b",
        "  = c",
        "enum E: a,",
        "  b",
        "piece P",
        "  by: X",
    ]
    assert joined_lines(lines) == [0, 0, 0, 3, 4, 4, 6, 7]


def test_records_hold_whole_statements() -> None:
    rules = "rule r() -> int\n  = (if_none(a, 1)\n     + b)\n"
    record = "equivalent:\n- file: r.grog\n  before: + b)\n  after: '- b)'\n  why: same\n"
    made, problems = upgrade_record(record, "mutants.yaml", frozenset(), lambda _file: rules)
    assert not problems
    assert "before: '= ((a else 1) + b)'" in made and "after: '= ((a else 1) - b)'" in made


def test_a_broken_file_is_left_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.grog", tmp_path / "bad.grog"
    good.write_bytes(b"rule a() -> int = if_none(b, 1)\r\n")
    bad.write_text("rule a() -> int = if_none(b, 1)\n\nrule c( -> int = 1\n", encoding="utf-8")
    before = bad.read_text(encoding="utf-8")
    assert main(["upgrade", "--check", str(tmp_path)]) == 2
    assert b"if_none" in good.read_bytes()
    assert main(["upgrade", str(tmp_path)]) == 2
    assert good.read_bytes() == b"rule a() -> int = b else 1\r\n"
    assert bad.read_text(encoding="utf-8") == before
    assert "bad.grog:3:" in capsys.readouterr().err
    assert main(["upgrade", "--check", str(good)]) == 0
    bad.write_text("rule a() -> int = if_none(b, 1)\n", encoding="utf-8")
    assert main(["upgrade", "--diff", str(bad)]) == 1
    assert "+rule a() -> int = b else 1" in capsys.readouterr().out
