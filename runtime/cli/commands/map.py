"""`grognard map`: the map of a scenario with its counters, as a picture or for the editor Tiled; a map file from Tiled."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.cli.browser import find_browser, photograph, print_pdf
from grognard.cli.console import Console, plural
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_backend, add_errata, add_scenario, engine_to_run, number
from grognard.cli.map_painting import add_painting, painted_layer, view_of
from grognard.cli.saves import open_save

if TYPE_CHECKING:
    from grognard.play.engine import Engine
    from grognard.play.position import Position

KINDS = (".svg", ".png", ".pdf", ".tmj")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "title", metavar="TITLE", nargs="?", help="a shipped title (see `grognard titles`) or a folder"
    )
    add_scenario(parser)
    parser.add_argument(
        "--output", metavar="FILE", required=True,
        help="where to: FILE.svg; FILE.png or FILE.pdf (need Chromium); FILE.tmj for the map editor Tiled",
    )  # fmt: skip
    parser.add_argument(
        "--from-tiled",
        metavar="FILE",
        type=Path,
        help="make a map file (--output FILE.yaml) of a map that was drawn in Tiled (.tmj or .tmx)",
    )
    parser.add_argument(
        "--game", metavar="FILE", help="the position of a saved game, as the seat that decides may know it"
    )
    parser.add_argument(
        "--answer", metavar="N", type=number(0), help="with --game: after the first N answers (default: all)"
    )
    add_painting(parser)
    add_backend(parser, default="interpreter")
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    target = Path(args.output)
    kind = target.suffix.lower()
    if args.from_tiled is not None:
        return _from_tiled(args.from_tiled, target, console)
    if args.answer is not None and args.game is None:
        raise UserError("--answer is about a saved game", "name it with --game FILE")
    if args.title is None and args.game is None:
        raise UserError("which map? TITLE is missing", "write `grognard map TITLE --output FILE.svg`")
    if kind not in KINDS:
        raise UserError(
            f"a map cannot be written as {quoted(target.name)}",
            f"give --output a name that ends in {', '.join(KINDS[:-1])} or {KINDS[-1]}",
        )
    browser = find_browser(kind, "an .svg") if kind in (".png", ".pdf") else None
    engine, position = _position(args, console)
    try:
        if kind == ".tmj":
            return _to_tiled(engine, args.scenario, target, console)
        view = view_of(engine, args, position)
        layer, words = painted_layer(engine, args, view)
        cells = None
        if args.game is not None or args.seat:
            with memoryview(view.cells) as raw, raw.cast("i") as numbers:
                cells = numbers.tolist()
            words.insert(0, f"as {view.seat} sees it" + (f", {_moment(position)}" if args.game else ""))
        _write(_picture(engine, args.scenario, layer, cells), target, kind, browser)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}", "give another --output") from error
    for line in words:
        console.print(line)
    console.print(f"{target}  {target.stat().st_size / 1000:.0f} KB")
    return OK


def _position(args: argparse.Namespace, console: Console) -> tuple[Engine, Position]:
    """What is drawn: the first position of a scenario, or one of a saved game."""
    if args.game is None:
        engine = engine_to_run(args, console)
        return engine, engine.new_game(args.scenario)
    if args.scenario or args.option:
        raise UserError("--game says which scenario it is", "leave --scenario and --option away")
    args.save_title = args.title
    game = open_save(args.game, args, console)
    args.scenario = game.scenario
    answers = len(game.history)
    if args.answer is not None and args.answer > answers:
        raise UserError(f"{args.game} has {plural(answers, 'answer')}", f"give a number up to {answers}")
    return game.engine, game.steps[answers if args.answer is None else args.answer].position


def _moment(position: Position) -> str:
    return "the game is over" if position.over else f"{position.to_move} decides"


def _picture(engine: Engine, scenario: str | None, layer: str, cells: Sequence[int] | None) -> str:
    from grognard.drawing import draw_map

    return draw_map(engine, scenario, layer, cells)


def _write(picture: str, target: Path, kind: str, browser: str | None) -> None:
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', picture)
    width, height = (round(float(size[1])), round(float(size[2]))) if size else (1200, 900)
    if browser is None:
        target.write_text(picture, "utf-8")
    elif kind == ".png":
        photograph(browser, picture, target, width, height)
    else:
        style = f"@page {{ size: {width}px {height}px; margin: 0 }} html, body {{ margin: 0 }} svg {{ display: block }}"
        print_pdf(browser, f'<!doctype html><meta charset="utf-8"><style>{style}</style>{picture}', target)


def _to_tiled(engine: Engine, scenario: str | None, target: Path, console: Console) -> int:
    from grognard.drawing.board import drawn_spaces
    from grognard.drawing.look import look_of
    from grognard.tiled import TiledError, board_of, write_tiled

    look = look_of(engine)
    try:
        board = board_of(engine, scenario)
    except TiledError as error:
        raise UserError(str(error)) from error
    through = frozenset(
        edge.column
        for space, _ in drawn_spaces(engine, scenario)
        for edge in space.edges
        if look.edge(edge.column, edge.id).through
    )
    written = write_tiled(board, target, look, through)
    console.print(
        f"{target}  {len(board.cells)} places, {len(board.borders)} borders, {len(written) - 1} tiles beside it"
    )
    return OK


def _from_tiled(source: Path, target: Path, console: Console) -> int:
    from grognard.tiled import TiledError, map_text, read_tiled

    if target.suffix.lower() not in (".yaml", ".yml"):
        raise UserError(
            f"a map file cannot be written as {quoted(target.name)}",
            "give --output a name that ends in .yaml",
        )
    try:
        board, told = read_tiled(source)
    except TiledError as error:
        raise UserError(str(error)) from error
    try:
        target.write_text(map_text(board), "utf-8")
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}", "give another --output") from error
    for line in told:
        console.note(line)
    console.print(f"{target}  {len(board.cells)} places, {len(board.borders)} borders")
    return OK
