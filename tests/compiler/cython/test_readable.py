"""Generated code that can be read: names, citations, short lines; and nothing in it that compiles without need."""

from __future__ import annotations

import re

import pytest
from engines import engine_for
from grognard.compiler.cython.modules import emit_source as emit_unnamed
from grognard.compiler.cython.modules import emit_sources
from grognard.compiler.cython.print.wrap import WIDTH, wrapped
from grognard.compiler_access import emit_source


@pytest.mark.parametrize("title", ["connect_four", "mbt"])
def test_lines_are_short_and_named(title: str) -> None:
    ruleset = engine_for(title, "interpreter").ruleset
    text = emit_source(ruleset)
    assert not [line for line in text.split("\n") if len(line) > WIDTH]
    names = {"off": "F_", "col": "C_", "cnt": "D_", "tab": "T_", "sym": "Y_"}
    numbered = [f"{array}[{digit}" for array in names for digit in range(10)]
    assert not [line for line in text.split("\n") if any(index in line for index in numbered)]


def test_members_are_named_and_nothing_else_is_changed() -> None:
    ruleset = engine_for("mbt", "interpreter").ruleset
    text = emit_source(ruleset)
    assert "E_Manner_direct)" in text and "== E_Command_short_halt" in text
    numbers = dict(re.findall(r"^    (E_\w+) = (\d+)$", text, re.MULTILINE))
    unnamed = re.sub(r"^    E_\w+ = \d+$", "", text, flags=re.MULTILINE)
    unnamed = re.sub(r"\bE_\w+", lambda found: numbers[found[0]], unnamed)
    # But for where lines are broken.
    assert "".join(unnamed.split()) == "".join(emit_unnamed(ruleset.program).split())


def test_modifiers_are_cited() -> None:
    text = emit_source(engine_for("mbt", "interpreter").ruleset)
    assert "# modifier 'target moving {0}' [F14, par 4.4.3.2.2]" in text


def test_what_is_compiled_has_no_comments() -> None:
    """A rule that moves to another line is the same code."""
    for source in emit_sources(engine_for("mbt", "interpreter").ruleset.program):
        assert "target moving" not in source.text and "fire.grog" not in source.text


@pytest.mark.parametrize(
    "line",
    [
        f"    x = f({', '.join(f'argument_{n}' for n in range(30))})",
        f"        if ({' and '.join(f'(v_{n} == {n})' for n in range(40))}):",
        f"{' ' * 80}field[an_index_of_some_length] = column[another_index_of_that_length][place(ctx, 1)]",
        f"SHAPE = ({', '.join(repr(f'a, b {n}') for n in range(40))})",
    ],
)
def test_breaking_a_line_keeps_its_tokens(line: str) -> None:
    parts = list(wrapped(line))
    assert len(parts) > 1 and all(len(part) <= WIDTH for part in parts)
    assert "".join("".join(parts).split()) == "".join(line.split())
    # Behind each break but the last some bracket is open.
    for number in range(1, len(parts)):
        before = "".join(parts[:number])
        assert sum(map(before.count, "([{")) > sum(map(before.count, ")]}"))


def test_a_long_comment_stays_one() -> None:
    assert all(part.lstrip().startswith("#") for part in wrapped("    # " + "some words " * 30))
    # A word that is longer than a line ends it all the same.
    assert "".join(wrapped("# from " + "m" * 200 + " on")).count("m") == 201
