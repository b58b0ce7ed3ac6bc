"""Saved games named on the command line."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from grognard.cli.console import Console
from grognard.cli.errors import UserError
from grognard.cli.loading import UnknownErratum, chosen_errata, load_engine

if TYPE_CHECKING:
    from grognard.engine import Engine
    from grognard.play.game import Game
    from grognard.play.savefile import Saved


def add_save_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--title",
        dest="save_title",
        metavar="TITLE",
        help="the folder of the title, if it is not a shipped one",
    )
    parser.add_argument(
        "--allow-changed",
        action="store_true",
        help="if the rules changed since the game was saved, play it by the new ones as far as they allow",
    )


def peek_save(path: str) -> Saved:
    """What a save says of itself; UserError if it is none."""
    from grognard.errors import SaveError
    from grognard.play.savefile import read_save

    try:
        return read_save(path)
    except SaveError as error:
        raise UserError(str(error)) from None


def engine_for_save(
    path: str, saved: Saved, title: str, args: argparse.Namespace, console: Console, *, wait: bool = True
) -> Engine:
    """The engine of the title that the save is loaded with, under the errata that the game began with."""
    from grognard.compiler_access import compiler_installed, title_info
    from grognard.play.built_titles import find_built, read_manifest
    from grognard.play.savefile import whose

    # Whose save it is comes first: its errata mean nothing to another title.
    known = title_info(title) if compiler_installed() else None
    if known is None and (built := find_built(title)) is not None:
        known = read_manifest(built).info
    if known is not None and known.id != saved.title:
        raise UserError(
            whose(path, saved, known.id, known.name),
            "without an `id` in title.yaml, the name of the folder is the id"
            if saved.name == known.name
            else f"load it with that title (`{saved.title}`)",
        )
    if getattr(args, "allow_changed", False):
        return load_engine(title, console, backend=args.backend, wait=wait)
    try:
        return load_engine(title, console, errata=list(saved.errata), backend=args.backend, wait=wait)
    except UnknownErratum as mistake:
        raise UserError(
            f"{path} was saved under errata that the title does not have: {mistake.message}",
            "take the version it was saved with, or --allow-changed to play it by the rules as they are now",
        ) from None


def open_save(path: str, args: argparse.Namespace, console: Console, engine: Engine | None = None) -> Game:
    """A saved game, played again and verified; UserError with one sentence if that is not possible."""
    from grognard.compiler_access import library_titles
    from grognard.engine import load_game
    from grognard.errors import SaveError
    from grognard.play.built_titles import installed_titles

    changed = getattr(args, "allow_changed", False)
    try:
        if engine is None:
            saved = peek_save(path)
            title = args.save_title
            if title is None:
                # A path in a file from somewhere must not decide what is compiled.
                if saved.title not in {*library_titles(), *installed_titles()}:
                    raise UserError(
                        f"{path} is a game of {saved.name}, which is not found here",
                        "give the title's folder with --title",
                    )
                title = saved.title
            errata = chosen_errata(args)
            if errata is None:
                engine = engine_for_save(path, saved, title, args, console)
            else:
                # By these errata, whatever the game was played under.
                engine = load_engine(title, console, errata=errata, backend=args.backend)
                changed = True
        game = load_game(path, engine, allow_changed=changed)
    except SaveError as error:
        hint = None
        text = str(error)
        if "allow_changed=True" in text:
            text = text.partition(". Load it with")[0]
            hint = "take the version it was saved with, or --allow-changed to play it by the new rules"
        elif "load the title with errata=" in text:
            text = text.partition(": load the title with")[0]
            hint = "leave --errata away, or --allow-changed to play it by other rules as far as they allow"
        raise UserError(text, hint) from None
    if game.no_longer_legal is not None:
        console.note(f"{path} was saved under other rules: {game.no_longer_legal}")
    return game
