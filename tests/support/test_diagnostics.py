"""Diagnostics: collecting, sorting, and the exact text that authors see."""

from __future__ import annotations

import json
import re
from textwrap import dedent

import pytest
from grognard.support.codes import CODES
from grognard.support.diagnostics import (
    Diagnostic,
    Label,
    Severity,
    Sink,
    format_json,
    format_text,
    summary,
)
from grognard.support.source import SourceFile, Span
from hypothesis import given, settings
from hypothesis import strategies as st

RULES = SourceFile.from_text(
    "rules/fire.grog",
    dedent(
        """\
        kind Terrain [4.0]
          name  | cost | cover
          woods |  1   |   1

        rule cover(h: Hex) -> int [4.1]
          = h.terrain.covr + h.terrain.cost

        procedure fire(a: Unit) [7.0]
          roll die: 2d6
          if die > 7
            do destroy(a)

        """
    ),
)


def place(text: str, source: SourceFile = RULES) -> Span:
    start = source.text.index(text)
    return source.span(start, start + len(text))


def show(sink: Sink, *sources: SourceFile) -> str:
    return format_text(sink.sorted(), {source.path: source for source in sources or (RULES,)}, color=False)


def expect(actual: str, golden: str) -> None:
    assert actual == dedent(golden).removeprefix("\n")


# ---------------------------------------------------------------------------------------------------------- goldens


def test_carets_and_hint() -> None:
    sink = Sink()
    sink.error("GR0203", place("covr"), "`Terrain` has no field `covr`", hint="did you mean `cover`?")
    expect(
        show(sink),
        """
        error[GR0203]: `Terrain` has no field `covr`
         --> rules/fire.grog:6:15
          |
        6 |   = h.terrain.covr + h.terrain.cost
          |               ^^^^
          |
          = hint: did you mean `cover`?
        """,
    )


def test_labels_before_after_and_on_the_span() -> None:
    sink = Sink()
    labels = [
        Label(place("covr"), "no such column"),
        Label(place("h.terrain"), "this is a Terrain"),
        Label(place("Terrain [4.0]"), "declared here"),
        Label(place("destroy"), "and not here"),
    ]
    sink.error("GR0203", place("covr"), "unknown field", labels=labels, notes=["one", "two"])
    expect(
        show(sink),
        """
        error[GR0203]: unknown field
          --> rules/fire.grog:6:15
           |
         1 | kind Terrain [4.0]
           |      ------------- declared here
        ...
         6 |   = h.terrain.covr + h.terrain.cost
           |               ^^^^ no such column
           |     --------- this is a Terrain
        ...
        11 |     do destroy(a)
           |        ------- and not here
           |
           = note: one
           = note: two
        """,
    )


def test_label_in_another_file() -> None:
    other = SourceFile.from_text("units.yaml", "t34: {front: 12}\nt34: {front: 13}\n")
    sink = Sink()
    sink.warning(
        "GR0210", place("cost"), "never used", labels=[Label(place("front: 13", other), "given here")]
    )
    expect(
        show(sink, RULES, other),
        """
        warning[GR0210]: never used
         --> rules/fire.grog:2:11
          |
        2 |   name  | cost | cover
          |           ^^^^
         ::: units.yaml:2:7
          |
        2 | t34: {front: 13}
          |       --------- given here
        """,
    )


def test_span_over_several_lines() -> None:
    sink = Sink()
    start, end = RULES.text.index("fire(a"), len(RULES.text)
    sink.error(
        "GR0702", RULES.span(start, end), "never ends", labels=[Label(RULES.span(start, end), "all of it")]
    )
    expect(
        show(sink),
        """
        error[GR0702]: never ends
          --> rules/fire.grog:8:11
           |
         8 | procedure fire(a: Unit) [7.0]
           |           ^^^^^^^^^^^^^^^^^^^
        ...
        11 |     do destroy(a)
           |     ^^^^^^^^^^^^^ all of it
        """,
    )


def test_without_place_without_source_and_at_the_end() -> None:
    sink = Sink()
    sink.error("GR0001", None, "there is no file `a.grog`", hint="did you mean `b.grog`?")
    sink.error("GR0601", Span("gone.yaml", 7, 3, 7, 4), "this is not valid YAML")
    sink.error("GR0106", RULES.span(len(RULES.text), len(RULES.text)), "the file ends here")
    expect(
        show(sink),
        """
        error[GR0001]: there is no file `a.grog`
          = hint: did you mean `b.grog`?

        error[GR0601]: this is not valid YAML
         --> gone.yaml:7:3

        error[GR0106]: the file ends here
          --> rules/fire.grog:13:1
           |
        13 |
           | ^
        """,
    )


def test_long_lines_are_windowed() -> None:
    source = SourceFile.from_text("long.grog", "x" * 5000 + "HERE" + "y" * 5000 + "THERE" + "z" * 20)
    sink = Sink()
    sink.error("GR0101", place("HERE", source), "odd", labels=[Label(place("THERE", source), "too")])
    expect(
        show(sink, source),
        f"""
        error[GR0101]: odd
         --> long.grog:1:5001
          |
        1 | …{"x" * 47}HERE{"y" * 47}…
          | {" " * 48}^^^^
        1 | …{"y" * 73}THERE{"z" * 20}
          | {" " * 74}----- too
        """,
    )


def test_window_never_exceeds_its_width() -> None:
    source = SourceFile.from_text("w", "漢字" * 300)
    for start in range(0, 600, 7):
        for length in (1, 30, 400):
            text = format_text(
                [Diagnostic("GR0101", Severity.error, "m", source.span(start, start + length))],
                {"w": source},
                color=False,
            )
            line, carets = text.splitlines()[3:5]
            assert sum(2 if c in "漢字" else 1 for c in line[4:]) <= 100
            assert "^^" in carets and len(carets[4:]) <= 100


def test_tabs_wide_and_dangerous_characters() -> None:
    source = SourceFile.from_text("t.grog", "a\tb 漢字 e\u0301 \x1b[31m\u202e HERE")
    sink = Sink()
    sink.error("GR0101", place("HERE", source), "bad `\x1b[0m\n\u202e`")
    expect(
        show(sink, source),
        """
        error[GR0101]: bad `�[0m �`
         --> t.grog:1:18
          |
        1 | a b 漢字 e\u0301 �[31m� HERE
          |                   ^^^^
        """,
    )


def test_color_only_adds_colors() -> None:
    sink = Sink()
    sink.error("GR0203", place("covr"), "m", hint="h", labels=[Label(place("Terrain"), "t")], notes=["n"])
    sink.note("GR0410", None, "missing")
    colored = format_text(sink.sorted(), {RULES.path: RULES}, color=True)
    assert "\x1b[1;31merror[GR0203]\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == show(sink)


def test_what_is_wrong_at_many_places_is_told_once() -> None:
    sink = Sink()
    for number in range(1, 12):
        sink.error(
            "GR0207",
            Span("rules/fire.grog", number, 1, number, 2),
            "there is no rule `cower`",
            hint="did you?",
        )
    sink.error("GR0207", place("destroy"), "there is no procedure `destroy`")
    shown = show(sink, RULES)
    assert shown.count("error[GR0207]") == 2
    assert "= note: the same at 10 other places: rules/fire.grog:2:1, rules/fire.grog:3:1" in shown
    assert "rules/fire.grog:9:1 and 2 more\n" in shown
    assert len(json.loads(format_json(sink))) == 12  # a program gets each with its place


def test_few_alike_keep_their_excerpts() -> None:
    sink = Sink()
    for number in (1, 2, 3):
        sink.error("GR0207", Span("rules/fire.grog", number, 1, number, 2), "there is no rule `cower`")
    assert show(sink, RULES).count("-->") == 3


def test_nothing_to_show() -> None:
    assert format_text([], {}, color=True) == ""
    assert format_json([]) == "[]"
    assert summary([]) == "no problems"


def test_json() -> None:
    sink = Sink()
    sink.error("GR0203", place("covr"), "m", hint="h", labels=[Label(place("Terrain"), "t")], notes=["n"])
    sink.note("GR0410", None, "é")
    assert format_json(sink.sorted()) == format_json(sink.sorted())
    listed = json.loads(format_json(sink.sorted()))
    assert listed == [
        {
            "code": "GR0410",
            "severity": "note",
            "message": "é",
            "file": None,
            "line": None,
            "column": None,
            "end_line": None,
            "end_column": None,
            "hint": None,
            "labels": [],
            "notes": [],
        },
        {
            "code": "GR0203",
            "severity": "error",
            "message": "m",
            "file": "rules/fire.grog",
            "line": 6,
            "column": 15,
            "end_line": 6,
            "end_column": 19,
            "hint": "h",
            "labels": [
                {
                    "file": "rules/fire.grog",
                    "line": 1,
                    "column": 6,
                    "end_line": 1,
                    "end_column": 13,
                    "text": "t",
                }
            ],
            "notes": ["n"],
        },
    ]
    assert list(listed[1]) == [
        *("code", "severity", "message", "file", "line", "column", "end_line", "end_column"),
        *("hint", "labels", "notes"),
    ]


# ------------------------------------------------------------------------------------------------------------- sink


def test_sorted_by_place_without_duplicates() -> None:
    sink = Sink()
    for file, line, column in (("b", 1, 1), ("a", 10, 1), ("a", 9, 5), ("a", 9, 2), ("b", 1, 1)):
        sink.error("GR0101", Span(file, line, column, line, column), "m")
    sink.error("GR0001", None, "first of all")
    sink.warning("GR0101", Span("b", 1, 1, 1, 1), "m")  # another severity is not a duplicate
    assert [str(d.span) for d in sink] == ["None", "a:9:2", "a:9:5", "a:10:1", "b:1:1", "b:1:1"]
    assert sink.total == 6
    assert summary(sink) == "5 errors, 1 warning"


def test_has_errors() -> None:
    sink = Sink()
    assert not sink.has_errors
    sink.warning("GR0210", None, "w")
    sink.note("GR0410", None, "n")
    assert not sink.has_errors
    assert summary(sink) == "1 warning, 1 note"
    sink.error("GR0101", None, "e")
    assert sink.has_errors


def test_at_most_200_are_kept() -> None:
    sink = Sink()
    for n in range(1_500):
        sink.error("GR0101", Span("f", n + 1, 1, n + 1, 2), "m")
    shown = sink.sorted()
    assert len(shown) == 201 and sink.full and sink.total == 1_500
    assert shown[-1] == Diagnostic("GR0000", Severity.note, "1,300 more not shown", None)
    assert summary(shown) == "200 errors"


def test_errors_displace_warnings() -> None:
    sink = Sink()
    for n in range(250):
        sink.warning("GR0210", Span("f", n + 1, 1, n + 1, 2), "w")
    for n in range(3):
        sink.error("GR0101", Span("g", n + 1, 1, n + 1, 2), "e")
    shown = sink.sorted()
    assert summary(shown) == "3 errors, 197 warnings"
    assert shown[-1].message == "53 more not shown"


def test_unknown_codes_are_refused() -> None:
    with pytest.raises(AssertionError):
        Sink().error("GR9999", None, "m")


def test_every_code_is_explained() -> None:
    for key, code in CODES.items():
        assert key == code.code and re.fullmatch(r"GR0\d\d\d", key)
        assert code.title and not code.title.endswith(".")
        prose, _, example = code.explanation.partition("\n\n")
        assert 1 <= len(re.findall(r"[.!](?=\s|$)", prose)) <= 6, key
        assert all(line.startswith("    ") for line in example.splitlines()) and example, key
        assert all(len(line) <= 110 for line in code.explanation.splitlines()), key


# ------------------------------------------------------------------------------------------------------- any input

TEXTS = st.text(max_size=400) | st.text(alphabet="ab \t\n漢\u0301\u202e\x1b", max_size=400)
SPANS = st.builds(
    Span,
    st.sampled_from(["f", "g", "absent", "\x1b"]),
    *[st.integers(-2, 12) | st.integers(0, 500) for _ in range(4)],
)
DIAGNOSTICS = st.builds(
    Diagnostic,
    st.sampled_from(sorted(CODES)),
    st.sampled_from(Severity),
    TEXTS,
    st.none() | SPANS,
    st.lists(st.builds(Label, SPANS, TEXTS), max_size=4).map(tuple),
    st.none() | TEXTS,
    st.lists(TEXTS, max_size=2).map(tuple),
)


@given(st.lists(DIAGNOSTICS, max_size=4), TEXTS, TEXTS, st.booleans())
@settings(max_examples=300, deadline=None)
def test_formatting_never_fails(diags: list[Diagnostic], first: str, second: str, color: bool) -> None:
    sources = {"f": SourceFile.from_text("f", first), "g": SourceFile.from_text("g", second)}
    text = format_text(diags, sources, color)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text) if color else text
    assert "\x1b" not in plain and "\u202e" not in plain
    assert len(json.loads(format_json(diags))) == len(diags)
    summary(diags)
    sink = Sink()
    for diagnostic in diags:
        sink.add(diagnostic)
    assert len(sink.sorted()) == len(set(diags))
