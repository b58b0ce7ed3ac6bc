"""`grognard play`: a game in the terminal, against oneself or against bots."""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grognard.cli import autosave
from grognard.cli.board.showing import log_texts, position_lines
from grognard.cli.commands.match import checked_bot, seconds_of
from grognard.cli.console import Console, plural
from grognard.cli.errors import OK, UserError, listed, quoted
from grognard.cli.game_text import outcome_line
from grognard.cli.loading import (
    add_backend,
    add_errata,
    add_scenario,
    chosen_errata,
    chosen_options,
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
    parser.add_argument(
        "title",
        metavar="TITLE",
        nargs="?",
        help="the id of a title (see `grognard titles`) or a folder; with --resume it may be left away",
    )
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
    parser.add_argument(
        "--seconds",
        type=seconds_of,
        metavar="S",
        help="time for a decision of the bot (default: as long as it takes)",
    )
    parser.add_argument("--load", metavar="FILE", help="go on with a saved game")
    parser.add_argument(
        "--resume", action="store_true", help="go on with the game that was played last, as it was played"
    )
    parser.add_argument("--moves", metavar="FILE", help="answers to begin with, one on each line")
    parser.add_argument(
        "--save", metavar="FILE", help="where the game is saved after every answer (default: the data folder)"
    )
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
    if args.resume:
        _take_up(args)
    elif args.title is None:
        raise UserError(
            "something is missing: TITLE", "see `grognard titles`; --resume goes on with the last game"
        )
    if args.load and (args.scenario or args.option or args.seed is not None):
        raise UserError(
            "a saved game has its own scenario, options and seed",
            "leave --scenario, --option and --seed away with --load",
        )
    errata = chosen_errata(args)
    if args.against:
        checked_bot(args.against)
    if args.load and errata is None:
        engine = engine_for_save(args.load, peek_save(args.load), args.title, args, console, wait=False)
    else:
        engine = load_engine(
            args.title,
            console,
            errata=errata,
            scenario=args.scenario,
            backend=args.backend,
            wait=False,
            options=chosen_options(args),
        )
    humans = _humans(engine, args)
    seed = args.seed
    if seed is None:
        # Demonstrations should look the same every time; games should not.
        seed = 1 if args.auto else random.SystemRandom().randrange(2**31)
    game = open_save(args.load, args, console, engine) if args.load else engine.game(args.scenario, seed)
    if args.moves:
        play_moves(game, args.moves)
    for notice in engine.notices:
        console.note(notice)
    if args.auto:
        _auto(game, args.auto, random.Random(seed), console)
    else:
        game = _session(game, engine, humans, seed, args, console)
    if args.save and (args.auto or not game.history):
        save(game, args.save)
    if args.save:
        console.print(f"Saved to {args.save}.")
    return OK


def _take_up(args: argparse.Namespace) -> None:
    """Fill the arguments as they were when the last game was played."""
    if args.load or args.moves or args.auto or args.scenario or args.seed is not None:
        raise UserError(
            "--resume goes on with the last game as it is", "leave the other options away, or use --load"
        )
    record = autosave.latest(args.title)
    args.title, args.load = record.title, record.save
    args.save = args.save or record.save
    if args.side is None and args.against is None:
        args.side, args.against = record.side, record.against
    if args.backend == "auto":
        args.backend = record.backend


def _session(
    game: Game, engine: Engine, humans: list[str], seed: int, args: argparse.Namespace, console: Console
) -> Game:
    """Play at the keyboard; whatever ends it, the game is kept."""
    keeper = autosave.begin(
        args.title, args.save, side=args.side, against=args.against, backend=args.backend, seed=seed
    )
    session = Session(
        game,
        console,
        make_asker(console),
        humans=humans,
        picker=random.Random(seed),
        bots={s: checked_bot(args.against, seed, args.seconds) for s in engine.seats if s not in humans}
        if args.against
        else {},
        reload=lambda path: open_save(path, args, console, engine),
        autosave=keeper,
    )
    try:
        with _ended_by_signals():
            session.run()
    except _Ended as end:
        raise UserError(f"ended by {end}", _how_to_go_on(keeper), 128 + end.number) from None
    except Exception as fault:
        if keeper.where and not isinstance(fault, UserError):
            with contextlib.suppress(OSError):
                console.note(f"the game is saved in {keeper.where}; {_how_to_go_on(keeper)}")
        raise
    finally:
        keeper.catch_up(session.game)
    if keeper.where and not args.save and session.game.history and not session.game.position.over:
        console.note(f"{_how_to_go_on(keeper)}")
    return session.game


def _how_to_go_on(keeper: autosave.Autosave) -> str | None:
    return "`grognard play --resume` goes on with the game" if keeper.where else None


class _Ended(BaseException):
    """The process is to end: it is told so, or its terminal was closed."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Within it, what would end the process at once is an exception, so that the game is kept."""

    def end(number: int, frame: object) -> None:
        del frame
        # One is enough: a second one must not disturb the save.
        for other in wanted:
            signal.signal(other, signal.SIG_IGN)
        raise _Ended(number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    wanted = [getattr(signal, name) for name in names]
    # Handlers belong to the main thread; in another one nobody is at the keyboard.
    if threading.current_thread() is not threading.main_thread():
        wanted = []
    before = {number: signal.signal(number, end) for number in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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
    sides = engine.ruleset.schema.sides
    assert sides is not None
    wanted = next((name for name in sides.members if name.lower() == args.side.lower()), None)
    return [seat for seat in engine.seats if engine.side_of(seat, args.scenario) == wanted]


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
