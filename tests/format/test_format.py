"""The one layout: it says the same, it is its own layout, and it does not depend on how the text was spaced before."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from grognard.compiler.format.format import format_source
from grognard.compiler.format.layout import WIDTH, layout
from grognard.compiler.format.lines import pieces_of, read_items
from grognard.compiler.syntax.from_text.all_tokens import parse_tokens
from grognard.compiler.syntax.lines import is_row
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile
from random_rules import derived, expansions

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "rulesdef").rglob("*.grog"))
#: Another one every day; GROGNARD_FUZZ_SEED repeats a run.
SEED = int(os.environ.get("GROGNARD_FUZZ_SEED", datetime.now(UTC).date().toordinal()))
#: How many shipped files are tried; GROGNARD_FORMAT_ALL=1 tries all of them.
FILES = len(SHIPPED) if os.environ.get("GROGNARD_FORMAT_ALL") else 6
TEXTS = 100


def formatted(text: str) -> str | None:
    return format_source(SourceFile.from_text("rules.grog", text), Sink())


def respaced(text: str, random: Random) -> str:
    """The text with other spaces between its tokens, and line breaks inside its brackets."""
    made: list[str] = []
    end = brackets = 0
    for piece in pieces_of(parse_tokens(text)):
        between = text[end : piece.start]
        end = max(end, piece.end)
        if piece.kind in ("_INDENT", "_DEDENT"):
            continue
        if piece.kind in ("_NL", "ROW"):
            made += [between, piece.text.replace("|", random.choice(("|", " |", "|  ")))]
            continue
        at_start = not made or made[-1].endswith((" ", "\n"))
        needed = bool(between) or at_start
        if brackets and random.random() < 0.1 and needed and "#" not in between:
            between = random.choice(("\n   ", " \n  "))
        elif (
            "#" not in between
            and not at_start
            and (between or (piece.text != "(" and random.random() < 0.05))
        ):
            between += " " * random.randint(0, 3)
        made += [between, piece.text]
        brackets += (piece.text in ("(", "{")) - (piece.text in (")", "}"))
    return "".join(made) + text[end:]


@pytest.mark.parametrize("path", Random(SEED).sample(SHIPPED, FILES), ids=lambda path: path.stem)
def test_shipped_files(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    once = formatted(text)  # compares trees, tokens and comments itself
    assert once is not None
    assert formatted(once) == once
    assert formatted(respaced(text, Random(SEED))) == once


def test_texts_out_of_the_grammar() -> None:
    random = Random(SEED)
    named = [name for name in expansions() if name.endswith("_decl")]
    tried = 0
    for _ in range(TEXTS):
        text = "\n".join(derived(random.choice(named), random) for _ in range(2)) + "\n"
        once = formatted(text)
        if once is None:
            continue  # the grammar's text, but not its lexer's
        tried += 1
        assert formatted(once) == once, f"GROGNARD_FUZZ_SEED={SEED}: on\n{text}"
        assert formatted(respaced(text, random)) == once, f"GROGNARD_FUZZ_SEED={SEED}: on\n{text}"
    assert tried > TEXTS / 10


MESSY = """\
# The heading.


enum  Arm [1] :foot , horse

table crt (die:1..6,odds : 1..3)->0..9 [2.1,2.2]
  |  1|10..12|3
 1|-|  2|   30   # the worst
 2 .. 6 | 4|5 |6
rule far(a: Hex,b :Hex) -> flag[3.1] =distance( a,b )>-2   # how far
rule near(a: Hex) -> flag [3]
  = count(x in Unit where x.at is a and x.ready and not x.hidden and (x.strength > 3 or x.arm is horse)) > 2 [3.2]

procedure p
     if ready:  do q(1 ,
       # inside
       2)
     # at the end of p

# between
modifiers drm(u: Unit) -> -9..9
  - 1   "tired"  when u.tired [4]
  times 3/2 up "big" [5]
"""

CLEAN = """\
# The heading.

enum Arm [1]: foot, horse

table crt(die: 1..6, odds: 1..3) -> 0..9                           [2.1,2.2]
         | 1 | 10..12 |  3
  1      | - |      2 | 30   # the worst
  2 .. 6 | 4 |      5 |  6
rule far(a: Hex, b: Hex) -> flag [3.1] = distance(a, b) > -2       # how far
rule near(a: Hex) -> flag                                          [3]
  = count(x in Unit where x.at is a and x.ready and not x.hidden
      and (x.strength > 3 or x.arm is horse)) > 2   [3.2]

procedure p
  if ready:
    do q(1,
        # inside
        2)
  # at the end of p

# between
modifiers drm(u: Unit) -> -9..9
  -1 "tired" when u.tired                                          [4]
  times 3/2 up "big"                                               [5]
"""


def test_the_layout() -> None:
    assert formatted(MESSY) == CLEAN
    assert max(map(len, CLEAN.split("\n"))) <= WIDTH


def test_a_broken_text_has_no_layout() -> None:
    sink = Sink()
    assert format_source(SourceFile.from_text("rules.grog", "rule a( -> 1..2 = 1\n"), sink) is None
    assert sink.has_errors


@pytest.mark.parametrize(
    ("long", "lines"),
    [
        # Before what the longest part of the line depends on, not in the middle of a comparison.
        (
            '  +(trait(a.by, better_equipped) else 0) "better equipped" when a.by is not none and a.weapon is none and not a.bombing',
            [
                '  +(trait(a.by, better_equipped) else 0) "better equipped"',
                "      when a.by is not none and a.weapon is none and not a.bombing",
            ],
        ),
        # A field may be called like a word before which a line goes on.
        (
            '  -2 "crewed weapon" as crewed_up_close when a.how is close and a.by.altitude is lowest(a.by.to, a.by.first) and a.by.with > 0',
            [
                '  -2 "crewed weapon" as crewed_up_close when a.how is close and a.by.altitude is lowest(a.by.to, a.by.first)',
                "      and a.by.with > 0",
            ],
        ),
        # Outside of brackets, even if the first line is not half full.
        (
            '  +1 "x" when any(n in within(h, 1) where own(n, s)) and not any(m in Naval where m.side is not s and distance(m.at, h) <= 1)',
            [
                '  +1 "x" when any(n in within(h, 1) where own(n, s))',
                "      and not any(m in Naval where m.side is not s and distance(m.at, h) <= 1)",
            ],
        ),
        # In brackets, between two conditions of which the first ends with a word.
        (
            '  +1 "x" when likely(count(x in Naval where waters(x.ship) is not none and p.vessel is not none and waters(x.ship) is waters(p.vessel)))',
            [
                '  +1 "x" when likely(count(x in Naval where waters(x.ship) is not none and p.vessel is not none',
                "      and waters(x.ship) is waters(p.vessel)))",
            ],
        ),
    ],
)
def test_where_lines_are_broken(long: str, lines: list[str]) -> None:
    head = "modifiers drm(a: Attack) -> -9..9\n"
    assert formatted(head + long + "\n") == head + "\n".join(lines) + "\n"


def test_all_that_is_shipped_is_in_the_layout() -> None:
    """What `grognard fmt --check rulesdef titles` says.  That a layout says the same is proved for each file that is formatted."""
    titles = sorted((ROOT / "titles").rglob("*.grog"))
    assert len(SHIPPED) > 150 and titles
    unlike = [
        path.relative_to(ROOT).as_posix()
        for path in (*SHIPPED, *titles)
        if layout(read_items(text := path.read_text(encoding="utf-8"))) != text
    ]
    assert not unlike, f"run `grognard fmt {' '.join(unlike[:5])}`"


def test_long_lines_are_those_that_cannot_be_broken() -> None:
    """Rows of tables, remarks, and lines that a text or a list of sections makes long: there is no place for a break in these."""
    found = [
        f"{path.name}:{number}: {line}"
        for path in SHIPPED
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if len(line) > WIDTH and not line.lstrip().startswith("#") and not is_row(line)
        if len(re.sub(r'"[^"]*"|\[[^\]]*\]', "", line).rstrip()) > WIDTH * 2 / 3
    ]
    assert not found
