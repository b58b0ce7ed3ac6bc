"""`grognard import triplea`: a game file to the folder of a title."""

from __future__ import annotations

import re
from pathlib import Path

from grognard.compiler.importers.remarks import ImportRefused, Remarks
from grognard.compiler.importers.triplea.game import read_game, slug
from grognard.compiler.importers.triplea.rules import read_rules
from grognard.compiler.importers.triplea.units import read_units
from grognard.compiler.importers.triplea.write import Writer
from grognard.compiler.importers.xml_lines import read_xml
from grognard.contract.imported import Imported, Remark

#: Rounds after which an imported game ends without a winner: files name no limit.
ROUNDS = 20


def import_triplea(file: Path, folder: Path, *, rounds: int = ROUNDS, title: str | None = None) -> Imported:
    """Write the title.  ImportRefused for a file that is none of this family, or a folder that holds something else."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ImportRefused(f"{folder} is there already and not empty")
    remarks = Remarks()
    game = read_game(read_xml(file), remarks)
    forces = read_units(game, remarks)
    rules = read_rules(game, remarks)
    name = re.sub(r"\W", "_", title or slug(folder.name), flags=re.ASCII)
    writer = Writer(game, forces, rules, remarks, name, rounds)
    files = writer.files(file.name)
    files["IMPORT.md"] = _report(file.name, remarks.sorted())
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return Imported(
        folder, game.name, len(game.order), len(writer.kept), len(rules.objectives), tuple(remarks.sorted())
    )


def _report(source: str, remarks: list[Remark]) -> str:
    lines = [f"# What was not carried over from {source}", ""]
    lines += [f"- {remark}" for remark in remarks] or ["Nothing."]
    return "\n".join(lines) + "\n"
