"""The folder of a study: what is played so far survives whatever ends the run, and no game is counted twice.

study.json     what is played; a folder is gone on with only by the same study
parts/*.json   games that are done, a file for each handful, written whole or not at all
games.csv ...  the results, written at the end of each run
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from grognard.simulate.study import Game, Study, StudyError

FORMAT = "grognard study"
VERSION = 1
#: Games that are played and written at once.
AT_ONCE = 20


class Store:
    """A study's folder, made or found."""

    def __init__(self, folder: Path, study: Study, fingerprints: dict[str, str]) -> None:
        self.folder = folder
        self.parts = folder / "parts"
        self._described = {
            "format": FORMAT,
            "version": VERSION,
            "study": json.loads(json.dumps(study.described())),
            "fingerprints": fingerprints,
        }
        #: games by variant and number
        self.games: dict[tuple[str, int], Game] = {}

    def open(self) -> int:
        """Make the folder, or read what is in it; how many games were there.  StudyError for another study's folder."""
        head = self.folder / "study.json"
        if not head.exists():
            if self.folder.exists() and any(self.folder.iterdir()):
                raise StudyError(
                    f"{self.folder} is not empty and holds no study: name another folder with --output"
                )
            self.parts.mkdir(parents=True, exist_ok=True)
            write_whole(head, json.dumps(self._described, indent=2) + "\n")
            return 0
        try:
            found = json.loads(head.read_text(encoding="utf-8"))
        except ValueError:
            raise StudyError(f"{head} cannot be read: name another folder with --output") from None
        if found != self._described:
            raise StudyError(
                f"{self.folder} holds another study ({_difference(found, self._described)}): name another folder with "
                "--output, or remove that one"
            )
        self.parts.mkdir(exist_ok=True)
        for path in sorted(self.parts.glob("*.json")):
            for entry in json.loads(path.read_text(encoding="utf-8")):
                game = Game.from_dict(entry)
                self.games[game.variant, game.number] = game
        return len(self.games)

    def missing(self, variants: Iterable[str], games: int) -> Iterator[tuple[str, list[int]]]:
        """Handfuls of games that are not there yet.  All variants advance together."""
        waiting = {
            name: [number for number in range(games) if (name, number) not in self.games] for name in variants
        }
        for first in range(0, games, AT_ONCE):
            for name, numbers in waiting.items():
                handful = [number for number in numbers if first <= number < first + AT_ONCE]
                if handful:
                    yield name, handful

    def add(self, variant: str, place: int, rows: Sequence[dict[str, Any]]) -> None:
        """Games that are done: on disk before they count."""
        numbers = [row["number"] for row in rows]
        name = f"{place:03}-{min(numbers):08}-{max(numbers):08}-{len(numbers)}.json"
        write_whole(self.parts / name, json.dumps(rows, separators=(",", ":")))
        for row in rows:
            game = Game.from_dict(row)
            self.games[variant, game.number] = game

    def of(self, variant: str, games: int) -> list[Game]:
        """The games of a variant in order, without those beyond a number that was asked for once."""
        return [self.games[variant, number] for number in range(games) if (variant, number) in self.games]


def write_whole(path: Path, text: str) -> None:
    """Into a file beside it, which then takes its name: whole, or as it was before."""
    handle, temporary = tempfile.mkstemp(prefix=".part-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _difference(found: Any, wanted: dict[str, Any]) -> str:
    """What tells two studies apart, in words."""
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return "it is none of these"
    if found.get("fingerprints") != wanted["fingerprints"] and found.get("study") == wanted["study"]:
        return "the rules have changed since"
    one, other = found.get("study") or {}, wanted["study"]
    apart = [key for key in other if one.get(key) != other[key]]
    return f"other {', '.join(apart)}" if apart else "of another version"
