"""Reading files: every failure is a diagnostic with a place, and nothing takes long."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from grognard.support import source as module
from grognard.support.diagnostics import Diagnostic, Sink
from grognard.support.source import (
    SourceFile,
    Span,
    load_source,
    nesting_ok,
)
from grognard.support.suggest import did_you_mean, hint_for
from hypothesis import given, settings
from hypothesis import strategies as st


def load(root: Path, path: str = "a.grog") -> tuple[SourceFile | None, list[Diagnostic]]:
    sink = Sink()
    return load_source(path, root, sink), sink.sorted()


def refused(root: Path, path: str = "a.grog") -> Diagnostic:
    """The one diagnostic for a file that must not load."""
    found, diagnostics = load(root, path)
    assert found is None
    (only,) = diagnostics
    return only


def write(root: Path, content: bytes, path: str = "a.grog") -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return root


# ------------------------------------------------------------------------------------------------- Span, SourceFile


def test_span_merges_orders_and_prints() -> None:
    a, b = Span("f", 2, 5, 2, 9), Span("f", 1, 7, 2, 6)
    assert Span.merge(a, b) == Span.merge(b, a) == Span("f", 1, 7, 2, 9)
    assert Span.merge(a, Span("g", 1, 1, 1, 2)) == a
    assert sorted([Span("g", 1, 1, 1, 1), a, b]) == [b, a, Span("g", 1, 1, 1, 1)]
    assert str(a) == "f:2:5"


def test_lines_and_positions() -> None:
    source = SourceFile.from_text("f", "one\r\ntwo\rthree\n")
    assert source.text == "one\ntwo\nthree\n"
    assert [source.line(n) for n in range(6)] == ["", "one", "two", "three", "", ""]
    assert source.line_count == 4
    assert source.position(0) == (1, 1)
    assert source.position(3) == (1, 4)
    assert source.position(4) == (2, 1)
    assert source.position(99) == (4, 1)
    assert source.span(4, 7) == Span("f", 2, 1, 2, 4)


@given(st.text(alphabet="ab\n\r é"), st.integers(-3, 30))
def test_position_and_line_agree_with_split(text: str, index: int) -> None:
    source = SourceFile.from_text("f", text)
    lines = source.text.split("\n")
    assert [source.line(n) for n in range(1, source.line_count + 1)] == lines
    line, column = source.position(index)
    before = source.text[: max(index, 0)]
    assert (line, column) == (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


# ---------------------------------------------------------------------------------------------------- what loads


def test_loads_and_registers(tmp_path: Path) -> None:
    raw = b"\xef\xbb\xbfenum A: b\r\n  c\xc3\xa4\r\n"
    sink = Sink()
    source = load_source("rules/a.grog", write(tmp_path, raw, "rules/a.grog"), sink)
    assert source is not None and not sink.has_errors
    assert source.text == "enum A: b\n  cä\n"
    assert source.path == "rules/a.grog"
    assert source.absolute == (tmp_path / "rules/a.grog").resolve()
    assert source.sha256 == hashlib.sha256(raw).hexdigest()
    assert sink.sources == {"rules/a.grog": source}


def test_detours_inside_the_root_are_fine(tmp_path: Path) -> None:
    write(tmp_path, b"x\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.grog").symlink_to("a.grog")
    for path in ("./a.grog", "sub/../a.grog", "link.grog"):
        found, diagnostics = load(tmp_path, path)
        assert found is not None and not diagnostics
    found, _ = load(tmp_path, "sub/../a.grog")
    assert found is not None and found.path == "a.grog"


def test_shown_path_replaces_the_relative_one(tmp_path: Path) -> None:
    sink = Sink()
    source = load_source("a.grog", write(tmp_path, b"x"), sink, shown="titles/mine/a.grog")
    assert source is not None and source.path == "titles/mine/a.grog"


def test_tabs_are_fine_outside_indentation(tmp_path: Path) -> None:
    found, diagnostics = load(write(tmp_path, b"a\tb\n \t \n  c\n"))
    assert found is not None and not diagnostics


# -------------------------------------------------------------------------------------------------- what does not


def test_missing_file_suggests_a_neighbour(tmp_path: Path) -> None:
    write(tmp_path, b"", "data/units.yaml")
    write(tmp_path, b"", "data/maps.yaml")
    for path, guess in (("data/unit.yaml", "units"), ("data/units.yml", "units"), ("data/Maps.yaml", "maps")):
        problem = refused(tmp_path, path)
        assert (problem.code, problem.hint) == ("GR0001", f"did you mean `data/{guess}.yaml`?")
    assert refused(tmp_path, "data/x.yaml").hint is None
    assert refused(tmp_path, "dta/units.yaml").hint == "there is no folder `dta` either"
    assert refused(tmp_path, "data/units.yaml/x.yaml").code == "GR0001"


def test_missing_file_is_reported_where_it_is_named(tmp_path: Path) -> None:
    sink, place = Sink(), Span("main.grog", 3, 20, 3, 30)
    assert load_source("a.grog", tmp_path, sink, at=place) is None
    assert sink.sorted()[0].span == place


def test_directory(tmp_path: Path) -> None:
    (tmp_path / "a.grog").mkdir()
    assert refused(tmp_path).code == "GR0002"
    assert refused(tmp_path, "").code == "GR0002"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.grog")
    assert refused(tmp_path).code == "GR0002"


def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, b"x")

    def no_entry(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    # Permissions do not stop a superuser, so the refusal is played.
    monkeypatch.setattr(module.os, "open", no_entry)
    problem = refused(tmp_path)
    assert (problem.code, problem.message) == ("GR0002", "cannot read `a.grog`: permission denied")


@pytest.mark.parametrize("path", ["x\0y.grog", "\ud800.grog", "n" * 5000, "a/" * 3000 + "b"])
def test_impossible_names(tmp_path: Path, path: str) -> None:
    assert refused(tmp_path, path).code in ("GR0001", "GR0002")


def test_link_loop(tmp_path: Path) -> None:
    (tmp_path / "a.grog").symlink_to("b.grog")
    (tmp_path / "b.grog").symlink_to("a.grog")
    assert refused(tmp_path).code in ("GR0001", "GR0002")


def test_paths_out_of_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    write(outside, b"secret\n")
    (root / "link.grog").symlink_to(outside / "a.grog")
    (root / "folder").symlink_to(outside)
    for path in (
        "../outside/a.grog",
        "x/../../outside/a.grog",
        str(outside / "a.grog"),
        str(root / "a.grog"),
        "C:/a.grog",
        "link.grog",
        "folder/a.grog",
        "folder/missing.grog",
        "..",
    ):
        problem = refused(root, path)
        assert problem.code == "GR0003", path
        assert "secret" not in problem.message


def test_a_root_that_is_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real", b"x")
    (tmp_path / "root").symlink_to("real")
    found, diagnostics = load(tmp_path / "root")
    assert found is not None and not diagnostics


def test_not_utf8_has_line_and_column(tmp_path: Path) -> None:
    problem = refused(write(tmp_path, b"one\r\n\xc3\xa4\xc3\xa4 \xe4 end\n"))
    assert (problem.code, problem.span) == ("GR0004", Span("a.grog", 2, 4, 2, 5))
    truncated = refused(write(tmp_path, b"abc\xe2\x82"))
    assert (truncated.code, truncated.span) == ("GR0004", Span("a.grog", 1, 4, 1, 5))
    assert "UTF-16" in refused(write(tmp_path, "rule".encode("utf-16"))).message


def test_nul(tmp_path: Path) -> None:
    problem = refused(write(tmp_path, b"ab\nc\0\0d"))
    assert (problem.code, problem.span) == ("GR0005", Span("a.grog", 2, 2, 2, 3))


def test_too_large(tmp_path: Path) -> None:
    with open(tmp_path / "a.grog", "wb") as file:
        file.truncate(8 * 1024**3)  # sparse: it takes no room on the disk, but would in memory
    assert refused(tmp_path).code == "GR0006"
    write(tmp_path, b"#\n" * 2_500_000, "b.grog")
    assert refused(tmp_path, "b.grog").code == "GR0006"
    write(tmp_path, b"# a line of data\n" * 300_000, "b.yaml")
    assert load(tmp_path, "b.yaml")[0] is not None
    write(tmp_path, b"\n" * 1_000_000, "c.yaml")
    assert "lines" in refused(tmp_path, "c.yaml").message


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device here")
def test_devices_are_not_read() -> None:
    sink = Sink()
    assert load_source("zero", "/dev", sink) is None
    assert [d.code for d in sink.sorted()] == ["GR0002"]


def test_long_line(tmp_path: Path) -> None:
    assert load(write(tmp_path, b"a\n" + b"x" * 100_000 + b"\n"))[0] is not None
    problem = refused(write(tmp_path, b"a\n" + b"x" * 100_001))
    assert (problem.code, problem.span) == ("GR0007", Span("a.grog", 2, 100_001, 2, 100_002))


def test_tab_in_indentation(tmp_path: Path) -> None:
    problem = refused(write(tmp_path, b"rule\n  \tx\n\ty\n\t\tz\n"))
    assert (problem.code, problem.span) == ("GR0008", Span("a.grog", 2, 3, 2, 4))
    assert problem.hint is not None and "spaces" in problem.hint
    assert problem.notes == ("2 more in this file",)


@pytest.mark.parametrize("char", ["\u202e", "\u2066", "\u200f", "\u061c"])
def test_direction_controls(tmp_path: Path, char: str) -> None:
    problem = refused(write(tmp_path, f"a\n# b{char}c".encode()))
    assert (problem.code, problem.span) == ("GR0009", Span("a.grog", 2, 4, 2, 5))
    assert f"U+{ord(char):04X}" in problem.message


@pytest.mark.parametrize("char", ["\x1b", "\x0c", "\x7f", "\x85", "\u2028"])
def test_control_characters(tmp_path: Path, char: str) -> None:
    problem = refused(write(tmp_path, f"a{char}".encode()))
    assert (problem.code, problem.span) == ("GR0012", Span("a.grog", 1, 2, 1, 3))


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    root = tmp_path_factory.getbasetemp()
    source, diagnostics = load(write(root, content))
    assert (source is None) == bool(diagnostics)
    if source is not None:
        nesting_ok(source, Sink())


@given(st.text(max_size=60))
@settings(deadline=None)
def test_any_path(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    source, diagnostics = load(tmp_path_factory.getbasetemp(), path)
    assert (source is None) == bool(diagnostics)


# ------------------------------------------------------------------------------------------------------- nesting


def nesting(text: str) -> list[Diagnostic]:
    sink = Sink()
    ok = nesting_ok(SourceFile.from_text("f", text), sink)
    assert ok == (not sink.sorted())
    return sink.sorted()


def blocks(depth: int) -> str:
    return "\n".join("  " * level + "if a" for level in range(depth + 1))


def test_nesting_within_limits() -> None:
    assert not nesting("(" * 100 + ")" * 100 + "\n" + "[" * 100)
    assert not nesting(blocks(60))
    assert not nesting('= "' + "(" * 500 + '"  # ' + "(" * 500 + "\n" + "()" * 500)
    assert not nesting("(\n" + " " * 80 + "a)\nb\n")
    assert not nesting("\n".join(f"{n} | (a | -b" for n in range(500)))
    assert not nesting("= " + ", ".join(["-1"] * 5000))
    assert not nesting("\n".join(["a + b"] * 5000))
    assert not nesting("sandor " * 5000 + "[1.2.3.4]" * 500)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a\n" + "(" * 10_000, (2, 101)),
        ("([{" * 40, (1, 101)),
        ("(\n" * 101, (101, 1)),
        ("1 | " + "(" * 101, (1, 105)),
        ('"a" ' + "(" * 101, (1, 105)),
        (blocks(61), (62, 123)),
        ("= " + "not " * 251, (1, 1003)),
        ("= a" + " + a" * 251, (1, 1005)),
        ("= a" + ".b" * 251, (1, 504)),
        ("= " + "f(a + " * 99 + "\nnot " * 160, (153, 1)),
    ],
)
def test_nesting_beyond_limits(text: str, place: tuple[int, int]) -> None:
    (problem,) = nesting(text)
    assert problem.code == "GR0010" and problem.span is not None
    assert (problem.span.line, problem.span.column) == place


def test_nesting_copes_with_long_monotony() -> None:
    for piece in ("(", ")", '"', "#", "\n ", " ", "\n", "|", "a", "(\n)", '"\n'):
        nesting(piece * (1_000_000 // len(piece)))


@given(st.text(alphabet='()[]{}"#|\n\r\t ,+-.a1'))
def test_nesting_takes_any_text(text: str) -> None:
    nesting(text)


# --------------------------------------------------------------------------------------------------- suggestions


def test_suggestions() -> None:
    terrain = ["woods", "stone_house", "stonewall", "open", "wood bridge"]
    assert did_you_mean("wods", terrain) == "woods"
    assert did_you_mean("owods", terrain) == "woods"  # a swap counts once
    assert did_you_mean("Stone House", terrain) == "stone_house"
    assert did_you_mean("opne", terrain) == "open"
    assert did_you_mean("river", terrain) is None
    assert did_you_mean("woods", ["woods"]) is None
    assert did_you_mean("", terrain) is None
    assert did_you_mean("a", ["b", "c"]) is None
    assert did_you_mean("x" * 10_000, ["x" * 9_999]) is None
    assert hint_for("wods", terrain) == "did you mean `woods`?"
    assert hint_for("river", terrain) is None


def test_case_beats_distance_and_ties_are_settled() -> None:
    assert did_you_mean("UNIT", ["units", "unit"]) == "unit"
    assert did_you_mean("cat", ["rat", "car", "cab"]) == "cab"
    assert did_you_mean("cat", ["cab", "car", "rat"]) == "cab"


@given(st.text(max_size=12), st.lists(st.text(max_size=12), max_size=8))
def test_suggestions_do_not_depend_on_order(word: str, candidates: list[str]) -> None:
    guess = did_you_mean(word, candidates)
    assert guess == did_you_mean(word, reversed(candidates))
    assert guess is None or (guess in candidates and guess != word)
