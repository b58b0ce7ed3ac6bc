"""How even a scenario is, written into its file: the line `balance`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_LINE = re.compile(r"^balance: .*\n", re.MULTILINE)
#: The line that the record stands behind.
_BEFORE = re.compile(r"^name: .*(\n|\Z)", re.MULTILINE)


def record_balance(file: Path, bot: str, seed: int, wins: Mapping[str, int], drawn: int) -> None:
    """Write into a scenario's file who won how many games; what is on record already is replaced."""
    parts = {"bot": bot, "games": sum(wins.values()) + drawn, "seed": seed, **wins, "drawn": drawn}
    line = "balance: {" + ", ".join(f"{key}: {value}" for key, value in parts.items()) + "}\n"
    text = _LINE.sub("", file.read_text("utf-8"))
    name = _BEFORE.search(text)
    before = text[: name.end()] if name is not None else ""
    rest = text[len(before) :]
    if before and not before.endswith("\n"):
        before += "\n"
    file.write_text(before + line + rest, "utf-8")
