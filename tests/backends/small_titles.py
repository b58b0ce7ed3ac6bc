"""Titles of one board, written into a folder: rough ground in a pattern, everything else as the test says."""

from __future__ import annotations

from pathlib import Path


def write_small_title(folder: Path, rules: str, columns: int, rows: int, places: str = "") -> Path:
    """A title of these rules whose only scenario has a board of that size; `places`: more of the scenario's file."""
    (folder / "maps").mkdir(parents=True)
    (folder / "scenarios").mkdir()
    (folder / "title.yaml").write_text(f"name: {folder.name}\nid: {folder.name}\nscenario: only\n")
    (folder / "game.grog").write_text(rules)
    drawn = ["".join("r" if (2 * x + 3 * y) % 7 < 3 else "." for x in range(columns)) for y in range(rows)]
    lines = [
        f'grid: {{columns: {columns}, rows: {rows}, numbering: "{{col:02}}{{row:02}}"}}',
        "legend:",
        '  "r": {rough: yes}',
        '  ".": {rough: no}',
        "rows:",
        *(f'  - "{row}"' for row in drawn),
    ]
    (folder / "maps" / "board.yaml").write_text("\n".join(lines) + "\n")
    (folder / "scenarios" / "only.yaml").write_text("name: Only\nmaps: {Board: maps/board.yaml}\n" + places)
    return folder
