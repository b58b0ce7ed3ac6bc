"""The results of a study as files: CSV always, Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grognard.simulate.study import Game

Row = dict[str, Any]


def game_rows(games: Sequence[Game]) -> list[Row]:
    """A row for each game; the columns are the same in all."""
    sides = list(dict.fromkeys(side for game in games for side in game.bots))
    ends = sorted({name for game in games for name in game.end})
    rows = []
    for game in games:
        row: Row = {
            "variant": game.variant, "game": game.number, "seed": game.seed, "finished": game.finished,
            "winner": game.winner, "first_to_decide": game.first, "plies": game.plies, "answers": game.answers,
            "losses": len(game.losses), "failure": game.failure,
        }  # fmt: skip
        row |= {f"bot {side}": game.bots.get(side) for side in sides}
        row |= {f"end {name}": game.end.get(name) for name in ends}
        rows.append(row)
    return rows


def loss_rows(games: Sequence[Game]) -> Iterator[Row]:
    """A row for each counter that left play."""
    for game in games:
        for loss in game.losses:
            yield {
                "variant": game.variant, "game": game.number, "side": loss.side, "type": loss.type,
                "place": loss.place, "ply": loss.ply,
            }  # fmt: skip


LOSS_COLUMNS = ("variant", "game", "side", "type", "place", "ply")


def write_tables(folder: Path, games: Sequence[Game]) -> tuple[list[Path], bool]:
    """games.csv, losses.csv, and both as .parquet; what was written, and whether Parquet was."""
    rows, losses = game_rows(games), list(loss_rows(games))
    written = [
        _csv(folder / "games.csv", rows, list(rows[0]) if rows else []),
        _csv(folder / "losses.csv", losses, list(LOSS_COLUMNS)),
    ]
    if find_spec("pyarrow") is None:
        return written, False
    written.append(_parquet(folder / "games.parquet", rows, list(rows[0]) if rows else []))
    written.append(_parquet(folder / "losses.parquet", losses, list(LOSS_COLUMNS)))
    return written, True


def _csv(path: Path, rows: Sequence[Row], columns: list[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def _parquet(path: Path, rows: Sequence[Row], columns: list[str]) -> Path:
    import pyarrow
    from pyarrow import parquet

    # A column of nothing but blanks has a type, too.
    arrays = {}
    for column in columns:
        values = [row[column] for row in rows]
        known = next((value for value in values if value is not None), "")
        kind = (
            pyarrow.bool_()
            if isinstance(known, bool)
            else pyarrow.int64()
            if isinstance(known, int)
            else pyarrow.string()
        )
        arrays[column] = pyarrow.array(values, kind)
    parquet.write_table(pyarrow.table(arrays), path)
    return path
