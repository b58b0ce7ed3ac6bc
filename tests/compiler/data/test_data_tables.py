"""Tables: shapes, keys, and golden messages for what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from grognard.compiler.data.tables.pack import table_ranges
from grognard.contract.datablock import table_lookup
from grognard.contract.header import NONE
from test_data_errors import make, told
from test_data_title import Title

RULES = """\
title tables
enum Odds: weak, even, strong
enum Result: miss, hit, kill
sides red, blue
kind Terrain
  name  | cost
  open  | 0
  woods | 1
"""


def load(folder: Path, table: str, **files: str) -> Title:
    named = {name.replace("__", "."): text for name, text in files.items()}
    return Title(make(folder, {"title.yaml": "name: Small\n", "rules.grog": RULES + table, **named}))


def look(title: Title, *index: int) -> int | None:
    (table,) = title.values.tables.values()
    return table_lookup(table, index)


def test_keys_of_numbers(tmp_path: Path) -> None:
    title = load(tmp_path, "table t(int) -> int\n  <=-2 | -1\n  -1 / 1 | 2\n  0 | +3\n  2..4 | 4\n  5+ | 5\n")
    assert told(title) == []
    assert [look(title, n) for n in (-9, -2, -1, 0, 1, 2, 4, 5, 50)] == [-1, -1, 2, 3, 2, 4, 4, 5, 5]
    assert table_ranges(title.values) == {0: [(-2, 5, True, True)]}


def test_clamps(tmp_path: Path) -> None:
    title = load(
        tmp_path,
        "table t(1..2 clamped_low, 0..1 clamped_high) -> 0..9\n  | 0 | 1\n  1 | 1 | 2\n  2 | 3 | 4\n",
    )
    assert told(title) == []
    assert [look(title, a, b) for a, b in ((0, 0), (3, 0), (1, -1), (2, 7))] == [1, None, None, 4]
    assert table_ranges(title.values) == {0: [(1, 2, True, False), (0, 1, False, True)]}


def test_flags_members_and_any(tmp_path: Path) -> None:
    title = load(tmp_path, "table t(Terrain, moved: flag) -> Result?\n  | yes | no\n  any | hit | -\n")
    assert told(title) == []
    assert [look(title, t, f) for t in (0, 1) for f in (0, 1)] == [NONE, 1, NONE, 1]


@pytest.mark.parametrize(
    "text",
    [
        "t:\n  open: {1: {weak: 1, even: 2, strong: 3}, 2..3: {weak: 2, even: 3, strong: 4}}\n"
        "  woods: {..3: {weak: 0, even: 0, strong: 0}}\n",
        't:\n  - "| weak | even | strong"\n  - "open, 1 | 1 | 2 | 3"\n  - open, 2..3 | 2 | 3 | 4\n  - woods, 1..3 | 0 | 0 | 0\n',
    ],
)
def test_tables_in_yaml(tmp_path: Path, text: str) -> None:
    title = load(tmp_path, 'table t(Terrain, 1..3, Odds) -> 0..9 from "t.yaml"\n', t__yaml=text)
    assert told(title) == []
    assert [look(title, 0, 3, o) for o in range(3)] == [2, 3, 4]
    assert [look(title, t, 1, 0) for t in (0, 1)] == [1, 0]


def test_cells_of_yaml_have_their_own_place(tmp_path: Path) -> None:
    text = 't:\n  - "| weak | even | strong"\n  - "1..2 | 1 | x | 3"\n'
    title = load(tmp_path, 'table t(1..2, Odds) -> 0..9 from "t.yaml"\n', t__yaml=text)
    assert told(title) == ["GR0409 t.yaml:3:17 `x` is not a number (0..9 is wanted)"]
    title = load(tmp_path, 'table u(1..2) -> 0..9 from "t.yaml"\n', t__yaml=text)
    assert told(title) == ['GR0610 rules.grog:9:7 "t.yaml" has no section `u`']


WRONG = [
    (
        "gap",
        "table t(1..6) -> 0..9\n  1..3 | 0\n  6 | 1\n",
        ["GR0401 rules.grog:9:7 table `t` has no row for 4, 5"],
    ),
    (
        "gap of members",
        "table t(Terrain, Odds) -> 0..9\n  | weak | strong\n  open | 0 | 1\n",
        [
            "GR0401 rules.grog:9:7 table `t` has no row for woods",
            "GR0401 rules.grog:10:12 table `t` has no column for even",
        ],
    ),
    (
        "gap of combinations",
        "table t(Terrain, 1..2, Odds) -> 0..9\n  | weak / even | strong\n  open, 1..2 | 0 | 1\n  woods, 2 | 0 | 1\n",
        ["GR0401 rules.grog:9:7 table `t` has no row for (woods, 1)"],
    ),
    (
        "overlap",
        "table t(1..6) -> 0..9\n  1..4 | 0\n  4..6 | 1\n",
        ["GR0402 rules.grog:11:3 4 lies in two rows"],
    ),
    (
        "overlap of columns",
        "table t(1..2, 1..4) -> 0..9\n  | 1..3 | 2..4\n  1..2 | 0 | 1\n",
        ["GR0402 rules.grog:10:12 2, 3 lies in the columns `1..3` and `2..4`"],
    ),
    (
        "row that nothing leads to",
        "table t(1..6) -> 0..9\n  1..6 | 0\n  7 | 1\n",
        ["GR0403 warning rules.grog:11:3 `7` lies outside 1..6: nothing leads there"],
    ),
    (
        "cells",
        "table t(1..2, Odds) -> 0..9\n  | weak | even | strong\n  1 | 0 | 1\n  2 | 0 | 1 | 2\n",
        ["GR0404 rules.grog:11:3 2 cells in this row, 3 in the heading"],
    ),
    (
        "bad cells",
        "table t(1..4) -> Result\n  1 | mis\n  2 | -\n  3 |\n  4 | ?\n",
        [
            "GR0409 rules.grog:10:7 Result has no `mis` | did you mean `miss`?",
            "GR0409 rules.grog:11:7 `-` stands here, and Result cannot be absent"
            " | a result that may be absent is declared as Result?",
            "GR0409 rules.grog:12:6 this cell is empty | write `-` for nothing and `?` for not known",
            "GR0410 note rules.grog:13:7 table `t`: a cell of row 4 is not given",
        ],
    ),
    (
        "cell out of range",
        "table t(1..2) -> 0..9\n  1 | 10\n  2 | yes\n",
        [
            "GR0409 rules.grog:10:7 10 is outside 0..9",
            "GR0409 rules.grog:11:7 `yes` is not a number (0..9 is wanted)",
        ],
    ),
    (
        "keys",
        "table t(Terrain) -> 0..9\n  open | 1\n  wods / woods | 2\n",
        ["GR0411 rules.grog:11:3 Terrain has no `wods` | did you mean `woods`?"],
    ),
    (
        "keys of numbers",
        "table t(1..6) -> 0..9\n  1 | 1\n  2-6 | 2\n",
        [
            "GR0411 rules.grog:11:3 `2-6` is no number or range | a range is written 2..6",
        ],
    ),
    (
        "too few keys",
        "table t(Terrain, 1..1, Odds) -> 0..9\n  | any\n  open | 1\n  woods, 1 | 1\n",
        [
            "GR0411 rules.grog:11:3 `open` gives 1 key, table `t` needs 2 in a row"
            " | write them with commas between: a, b",
        ],
    ),
    (
        "heading twice",
        "table t(1..1, Odds) -> 0..9\n  | weak | even | even\n  1 | 0 | 1 | 2\n",
        ["GR0414 rules.grog:10:19 the column `even` stands twice"],
    ),
    (
        "against the order",
        "table t(1..3, Odds) -> 0..9\n  | weak | even | strong\n  1 | 0 | 1 | 2\n  2 | 1 | 3 | 2\n  3 | 2 | 3 | 4\n",
        [
            "GR0408 warning rules.grog:12:15 `2` goes against the order of every other row of table `t`"
            " | compare it with the printed table"
        ],
    ),
    (
        "no rows",
        "table t(1..3) -> 0..9\n",
        ["GR0613 rules.grog:9:7 table `t` has no rows"],
    ),
    (
        "erratum",
        "table t(1..3) -> 0..9\n  1..2 | 4\n  3 | 5\n"
        'errata "one" 2001-01-01\n  amend table t: (2) 5 -> 6\n  amend table t: (4) 5 -> 6\n',
        [
            "GR0503 rules.grog:13:3 the cell is 4, not 5 as the erratum expects",
            "GR0503 rules.grog:14:19 table `t` has no row 4 | its rows are 1..2, 3",
        ],
    ),
]


@pytest.mark.parametrize("table, says", [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_message(tmp_path: Path, table: str, says: list[str]) -> None:
    assert told(load(tmp_path, table)) == says


def test_order_is_not_told_where_there_is_none(tmp_path: Path) -> None:
    rows = "  1 | 0 | 1 | 2\n  2 | 3 | 2 | 1\n  3 | 2 | 3 | 1\n"
    assert told(load(tmp_path, "table t(1..3, Odds) -> 0..9\n  | weak | even | strong\n" + rows)) == []
    kinds = "table t(1..3, Terrain) -> 0..9\n  | open | woods\n  1 | 0 | 1\n  2 | 1 | 3\n  3 | 2 | 1\n"
    assert told(load(tmp_path, kinds)) == []


def test_errata_change_the_drawn_cell(tmp_path: Path) -> None:
    title = load(
        tmp_path,
        "table t(1..3, Odds) -> Result?\n  | weak | even / strong\n  1..2 | - | hit\n  3 | hit | kill\n"
        'errata "one" 2001-01-01\n  amend table t: (2, strong) hit -> kill\n  amend table t: (1, weak) none -> miss\n',
    )
    assert told(title) == []
    assert [look(title, r, o) for r in (1, 2, 3) for o in (0, 1, 2)] == [0, 2, 2, 0, 2, 2, 1, 2, 2]


def test_a_table_that_is_replaced_later_has_no_amended_cells(tmp_path: Path) -> None:
    title = load(
        tmp_path,
        "table t(1..3) -> 0..9\n  1..2 | 4\n  3 | 5\n"
        'errata "one" 2001-01-01\n  amend table t: (1..2) 4 -> 6\n'
        'errata "two" 2001-01-02\n  replace table t(1..3) -> 0..9\n    1 | 6\n    2 | 7\n    3 | 5\n'
        'errata "three" 2001-01-03\n  amend table t: (2) 7 -> 8\n',
    )
    assert told(title) == []
    assert [look(title, row) for row in (1, 2, 3)] == [6, 8, 5]
