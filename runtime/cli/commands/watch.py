"""`grognard watch`: on every save a check, and the examples of play that the change can affect."""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.cli.console import Console, plural, seconds
from grognard.cli.errors import OK, UserError
from grognard.cli.loading import add_errata, add_title, chosen_errata, missing_title

if TYPE_CHECKING:
    from grognard.authoring.watching import Look, TitleWatch

#: Seconds between two looks at the files.
PAUSE = 0.1
#: Messages that are shown; the first is mostly the cause of the others.
SHOWN = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument("--no-engine", action="store_true", help="build no engine in the background")
    parser.add_argument("--once", action="store_true", help="look once, and end")
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.authoring.watching import TitleWatch
    from grognard.compare.versions import VersionError

    try:
        watch = TitleWatch(args.title, chosen_errata(args))
    except VersionError as wrong:
        raise UserError(str(wrong), "give the folder with the title.yaml") from wrong
    try:
        _look(watch, args, console, first=True)
        if args.once:
            return OK
        # What was read for good need not be looked through for garbage after each save.
        gc.freeze()
        console.print(console.style("dim", "waiting for a save; Ctrl-C ends"))
        while True:
            time.sleep(PAUSE)
            if watch.built():
                console.print(console.style("dim", "the compiled engine is up to date"))
            saved = watch.saved()
            if saved:
                # Editors write several files, or one in two steps.
                time.sleep(PAUSE / 2)
                saved += watch.saved()
                _head(sorted(set(saved)), console)
                _look(watch, args, console)
    except KeyboardInterrupt:
        console.print()
        return OK
    finally:
        watch.stop()


def _head(saved: Sequence[Path], console: Console) -> None:
    names = ", ".join(path.name for path in saved[:3]) + (
        f" and {len(saved) - 3} more" if len(saved) > 3 else ""
    )
    console.print()
    console.print(f"{time.strftime('%H:%M:%S')} {console.style('title', names)}")


def _look(watch: TitleWatch, args: argparse.Namespace, console: Console, *, first: bool = False) -> None:
    with console.progress(f"checking {args.title}") as progress:

        def told(look: Look) -> None:
            _show_messages(look, args, console, first)

        look = watch.look(told, lambda done, of: progress.say(f"{done} of {plural(of, 'example')}"))
    if look.sink.has_errors:
        return
    _show_examples(look, console, first)
    if not args.no_engine and not look.failed and not args.once:
        if watch.build():
            console.print(console.style("dim", "the compiled engine is being built in the background"))


def _show_messages(look: Look, args: argparse.Namespace, console: Console, first: bool) -> None:
    from grognard.support.diagnostics import Severity, format_text

    found = [d for d in look.sink.sorted() if d.severity is not Severity.note]
    alone = missing_title(args.title, found)
    if alone is not None and first:
        raise alone
    if found:
        console.print(format_text(found[:SHOWN], look.sink.sources, console.color).rstrip("\n"))
        console.print()
    errors = sum(d.severity is Severity.error for d in found)
    told = "no problems"
    if found:
        told = f"{plural(errors, 'error')}, {plural(len(found) - errors, 'warning')}"
        if len(found) > SHOWN:
            told += f", the first {SHOWN} shown"
    style = "bad" if errors else "good"
    console.print(f"{console.style(style, told)} ({seconds(look.checked)})")


def _show_examples(look: Look, console: Console, first: bool) -> None:
    from grognard.support.diagnostics import format_text

    if not look.examples:
        console.print("no examples of play yet: they stand in examples/*.grog")
        return
    if not look.results:
        console.print(f"none of {plural(look.examples, 'example')} can be affected")
        return
    failed = look.failed
    for result in failed:
        console.print(console.style("bad", f"fails: {result.title}"))
        console.print(format_text(result.failures, look.sink.sources, console.color).rstrip("\n"))
    of = "" if len(look.results) == look.examples else f" of {look.examples}"
    which = f"{len(look.results)}{of} {'example' if look.examples == 1 else 'examples'}"
    what = "run" if first or not of else "can be affected"
    told = f"{len(failed)} {'fails' if len(failed) == 1 else 'fail'}" if failed else "all pass"
    console.print(
        f"{which} {what}: {console.style('bad' if failed else 'good', told)} ({seconds(look.seconds)} in all)"
    )
