"""`grognard play`: a game in the terminal, against oneself or against bots."""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING

from grognard.cli.board.showing import log_texts, position_lines
from grognard.cli.commands.match import checked_bot
from grognard.cli.console import Console, plural
from grognard.cli.errors import OK, UserError, listed, quoted
from grognard.cli.game_text import outcome_line
from grognard.cli.loading import (
    add_backend,
    add_errata,
    add_scenario,
    add_title,
    chosen_errata,
    load_engine,
    number,
)
from grognard.cli.prompting import make_asker
from grognard.cli.saves import engine_for_save, open_save, peek_save
from grognard.cli.session import Session

if TYPE_CHECKING:
    from grognard.engine import Engine
    from grognard.play.game import Game

MAX_SEED = 2**63 - 1
#: Bytes of a file of moves.
MAX_MOVES = 16 * 1024 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    add_scenario(parser)
    parser.add_argument(
        "--seed", type=number(0, MAX_SEED), metavar="N", help="start of the dice (default: by chance)"
    )
    parser.add_argument("--side", metavar="S", help="the side that you play; needs --against")
    parser.add_argument(
        "--against",
        metavar="BOT",
        help="who plays the other sides: random, greedy or mcts (mcts:3000 thinks longer; default: you do)",
    )
    parser.add_argument("--load", metavar="FILE", help="go on with a saved game")
    parser.add_argument("--moves", metavar="FILE", help="answers to begin with, one on each line")
    parser.add_argument("--save", metavar="FILE", help="save the game when it ends or is left")
    parser.add_argument(
        "--auto", type=number(1, 1_000_000), metavar="N", help="play N random answers, print the log and end"
    )
    parser.add_argument(
        "--allow-changed",
        action="store_true",
        help="with --load: by the rules as they are now, as far as they allow",
    )
    add_backend(parser)
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    if args.load and (args.scenario or args.seed is not None):
        raise UserError(
            "a saved game has its own scenario and seed", "leave --scenario and --seed away with --load"
        )
    errata = chosen_errata(args)
    if args.against:
        checked_bot(args.against)
    if args.load and errata is None:
        engine = engine_for_save(args.load, peek_save(args.load), args.title, args, console, wait=False)
    else:
        engine = load_engine(
            args.title, console, errata=errata, scenario=args.scenario, backend=args.backend, wait=False
        )
    humans = _humans(engine, args)
    seed = args.seed
    if seed is None:
        # Demonstrations should look the same every time; games should not.
        seed = 1 if args.auto else random.SystemRandom().randrange(2**31)
    game = open_save(args.load, args, console, engine) if args.load else engine.game(args.scenario, seed)
    if args.moves:
        play_moves(game, args.moves)
    picker = random.Random(seed)
    for notice in engine.notices:
        console.note(notice)
    if args.auto:
        _auto(game, args.auto, picker, console)
    else:
        session = Session(
            game,
            console,
            make_asker(console),
            humans=humans,
            picker=picker,
            bots={s: checked_bot(args.against, seed) for s in engine.seats if s not in humans}
            if args.against
            else {},
            reload=lambda path: open_save(path, args, console, engine),
        )
        session.run()
        game = session.game
    if args.save:
        save(game, args.save)
        console.print(f"Saved to {args.save}.")
    return OK


def _humans(engine: Engine, args: argparse.Namespace) -> list[str]:
    """The seats that are asked at the keyboard."""
    from grognard.support.suggest import hint_for

    if args.side is None:
        if args.against:
            return engine.seats[:1]
        return engine.seats
    found = next((seat for seat in engine.seats if seat.lower() == args.side.lower()), None)
    allied = [] if found is not None else _seats_of(engine, args)
    if len(allied) == 1:
        found = allied[0]
    if found is None and allied:
        raise UserError(
            f"{quoted(args.side)} is several seats, and you can take one of them",
            f"say which: {listed(allied)}",
        )
    if found is None:
        hint = hint_for(args.side, engine.seats) or f"the sides are {listed(engine.seats)}"
        raise UserError(f"{engine.title} has no side {quoted(args.side)}", hint)
    if not args.against:
        raise UserError("with --side somebody must play the others", "add --against greedy")
    return [found]


def _seats_of(engine: Engine, args: argparse.Namespace) -> list[str]:
    """The seats that play for a side of this name, where sides are more than seats; none if there is no such side."""
    from grognard.bots.evaluation import Evaluator

    sides = engine.ruleset.schema.sides
    assert sides is not None
    names = [name.lower() for name in sides.members]
    if args.side.lower() not in names:
        return []
    evaluator = Evaluator(engine.new_game(args.scenario).setting)
    wanted = names.index(args.side.lower())
    return [seat for number, seat in enumerate(engine.seats) if evaluator.side_of(number) == wanted]


def play_moves(game: Game, path: str) -> None:
    """Play the answers of a file; what stands after # is a comment."""
    from grognard.errors import IllegalChoice

    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(MAX_MOVES)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not text", "moves are lines of text, one answer on each") from None
    for line_number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        try:
            game.play(words)
        except IllegalChoice as error:
            first, _, rest = str(error).partition("\n")
            raise UserError(f"{path}, line {line_number}: {first}", rest[:300] or None) from None


def save(game: Game, path: str) -> None:
    try:
        game.save(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from None


def _auto(game: Game, answers: int, picker: random.Random, console: Console) -> None:
    done = 0
    with console.progress(game.engine.title, answers) as progress:
        while done < answers and not game.position.over:
            game.play(picker.choice(game.position.legal()))
            done += 1
            progress.advance(done)
    for text in log_texts(game.log, console):
        console.print(text)
    console.print()
    for text in position_lines(game.position, console):
        console.print(text)
    console.print(outcome_line(game, console) + f" {plural(len(game.history), 'answer')} so far.")
