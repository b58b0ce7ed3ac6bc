"""Titles of one board, written into a folder: a pattern of rough ground, or units of two kinds on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def write_small_title(folder: Path, rules: str, columns: int, rows: int, places: str = "") -> Path:
    """A title of these rules whose only scenario has a board of that size; `places`: more of the scenario's file."""
    drawn = ["".join("r" if (2 * x + 3 * y) % 7 < 3 else "." for x in range(columns)) for y in range(rows)]
    legend = '"r": {rough: yes}, ".": {rough: no}'
    return _write(folder, rules, drawn, legend, "maps: {Board: maps/board.yaml}\n" + places)


def write_title_of_units(
    folder: Path,
    rules: str,
    drawn: Sequence[str],
    places: Sequence[str],
    legend: str = '".": {}',
    kinds: tuple[str, str] = ("guns", "rifles"),
) -> Path:
    """A title of these rules with a unit on each of the places: every third is of the first kind, the sides take turns."""
    pieces = (
        f'  - {{Unit: {kinds[n % 3 > 0]}, as: U{n}, side: {("red", "blue")[n % 2]}, at: "{at}"}}\n'
        for n, at in enumerate(places)
    )
    return _write(folder, rules, drawn, legend, "pieces:\n" + "".join(pieces))


def _write(folder: Path, rules: str, drawn: Sequence[str], legend: str, scenario: str) -> Path:
    (folder / "maps").mkdir(parents=True)
    (folder / "scenarios").mkdir()
    (folder / "title.yaml").write_text(f"name: {folder.name}\nid: {folder.name}\nscenario: only\n")
    (folder / "game.grog").write_text(rules)
    rows = "".join(f'  - "{row}"\n' for row in drawn)
    (folder / "maps" / "board.yaml").write_text(
        f'grid: {{columns: {len(drawn[0])}, rows: {len(drawn)}, numbering: "{{col:02}}{{row:02}}"}}\n'
        f"legend: {{{legend}}}\nrows:\n{rows}"
    )
    (folder / "scenarios" / "only.yaml").write_text(f"name: Only\n{scenario}")
    return folder
