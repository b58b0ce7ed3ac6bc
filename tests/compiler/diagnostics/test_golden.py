"""Golden messages: every mistake that `check` can find, and word for word what the author is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from golden import BASE, Case, all_cases, compiled
from grognard.compiler.driver.workspace import Workspace
from grognard.support.codes import CODES
from grognard.support.diagnostics import format_json, format_text

#: Codes that no check of a title can give, and why.
ELSEWHERE = {
    "GR0000": "needs 200 messages; tested in test_robust.py",
    "GR0002": "needs a file that cannot be read; tested in test_robust.py",
    "GR0006": "needs a file of 4 MiB; tested in test_robust.py",
    "GR0007": "needs a line of 100,000 characters; tested in test_robust.py",
    "GR0507": "needs two folders with one id; tested in tests/compiler/layers",
    "GR0508": "needs an erratum named on the command line; tested in test_robust.py",
    "GR0901": "found when the example is played",
    "GR0903": "found when the example is played",
    "GR0904": "found when the example is played",
    "GR0905": "found when the example is played",
    "GR0907": "found when a promise is tried out in play",
}


def test_the_base_is_good(tmp_path: Path) -> None:
    assert compiled(Case(tmp_path, "", {}, "").lay_out(tmp_path))[1] == ""
    assert (BASE / "title.yaml").is_file()


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.path.stem)
def test_case(case: Case, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    found, text = compiled(case.lay_out(tmp_path))
    if request.config.getoption("--update-golden", default=False):
        case.expected = text
        case.write()
    assert text == case.expected
    assert case.code in {d.code for d in found}, "the case does not show the code it is named after"
    for diagnostic in found:
        span = diagnostic.span
        assert span is None or (span.file and span.line >= 1 and span.column >= 1)


def test_a_workspace_says_the_same_after_each_change(tmp_path: Path) -> None:
    """One process looks at all cases one after the other: what it remembers of the last one does no harm."""
    workspace = Workspace(Case(tmp_path, "", {}, "").lay_out(tmp_path))
    looked = 0
    for case in all_cases():
        if case.code in ("GR0001", "GR0003") or any(name.endswith(")") for name in case.files):
            continue  # about files on disk
        for name, text in case.files.items():
            workspace.set_text(name, text)
        sink = workspace.check()
        assert format_text(sink.sorted(), sink.sources, False) == case.expected, case.path.stem
        for name in case.files:
            workspace.drop_text(name)
        if looked % 20 == 0:
            assert workspace.diagnostics() == [], f"after {case.path.stem}"
        looked += 1
    assert looked > 150


def test_every_code_is_shown() -> None:
    shown = {case.code for case in all_cases()}
    assert sorted(set(CODES) - shown - set(ELSEWHERE)) == []
    assert sorted(shown & set(ELSEWHERE)) == []


def test_json_has_every_field(tmp_path: Path) -> None:
    case = next(case for case in all_cases() if case.path.stem.startswith("gr0205_twice"))
    found, _ = compiled(case.lay_out(tmp_path))
    (first, *_rest) = json.loads(format_json(found))
    place = ["file", "line", "column", "end_line", "end_column"]
    assert list(first) == ["code", "severity", "message", *place, "hint", "labels", "notes"]
    assert list(first["labels"][0]) == [*place, "text"]
    assert first["code"] == "GR0205" and first["severity"] == "error" and first["file"] == "rules.grog"
    assert all(isinstance(first[key], int) for key in place[1:])


def test_json_of_what_has_no_place(tmp_path: Path) -> None:
    root = Case(tmp_path, "", {"base.grog": "title small\n"}, "").lay_out(tmp_path)
    objects = json.loads(format_json(compiled(root)[0]))
    assert objects and all(set(o) == set(objects[0]) for o in objects)
    assert any(o["file"] is None and o["line"] is None for o in objects)
