"""Data from strangers: whatever is broken in a file, there are diagnostics and never a traceback."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from test_data_errors import make, small
from test_data_maps import AREAS, B1, FIRST, HEXES, POWERS, WORLD
from test_data_title import FIXTURES, Title

JUNK = [
    "",
    "null",
    "-1",
    "99999999999",
    "{}",
    "[]",
    "[a, [b]]",
    "{a: {b: c}}",
    "yes",
    '"x y"',
    "..",
    "0101",
    "any",
]


def village() -> dict[str, str]:
    root = FIXTURES / "village"
    return {p.relative_to(root).as_posix(): p.read_text() for p in root.rglob("*") if p.is_file()}


def titles() -> list[dict[str, str]]:
    boards = (
        'name: First\nmaps:\n  Board:\n    boards:\n      - {board: b1.yaml, name: "1"}\n'
        '      - {board: b1.yaml, name: "2", turn: 180, joins: "1", at: bottom, offset: 0}\n    seam: merge_halves\n'
    )
    return [
        {"title.yaml": "name: S\n", **small()},
        village(),
        {"title.yaml": "name: S\n", "rules.grog": HEXES, "b1.yaml": B1, "scenarios/first.yaml": boards},
        {
            "title.yaml": "name: S\n",
            "rules.grog": AREAS,
            "powers.yaml": POWERS,
            "world.yaml": WORLD,
            "scenarios/first.yaml": FIRST,
        },
    ]


def spoil(text: str, dice: random.Random) -> str:
    """Put junk in the place of one word, number or bracketed part."""
    parts = list(re.finditer(r"\{[^{}]*\}|\[[^\[\]]*\]|[\w.-]+", text))
    part = dice.choice(parts)
    return text[: part.start()] + dice.choice(JUNK) + text[part.end() :]


@pytest.mark.parametrize("seed", range(60))
def test_no_traceback(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    files = dict(dice.choice(titles()))
    name = dice.choice([n for n in files if n.endswith(".yaml") and n != "title.yaml"])
    files[name] = spoil(files[name], dice)
    title = Title(make(tmp_path, files))
    for scenario in title.project.scenarios():
        title.scenario(scenario)
    title.report()
