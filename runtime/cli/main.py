"""`grognard`: finds the command, runs it, and turns whatever happens into an exit status and one clear sentence."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from grognard.cli.console import Console
from grognard.cli.errors import BROKEN_PIPE, INTERNAL, INTERRUPTED, MISUSE, UserError, quoted

#: Commands in the order of the help: name -> what it does.  The module has the same name (with an underscore
#: where the name would hide something of Python's own).
COMMANDS = {
    "demo": "compile a shipped title and show a short game",
    "titles": "list the titles that are found by id, and where they are looked for",
    "play": "play a title in the terminal",
    "serve": "play titles in the browser, alone or with others",
    "replay": "replay a saved game and verify it",
    "why": "explain what followed from an answer in a saved game",
    "map": "draw the map of a scenario, with its counters",
    "new": "begin a title or a series: something small that checks and plays",
    "watch": "check a title on every save, and run the examples that the change can affect",
    "aids": "write the charts of a title for beside the board",
    "book": "write the rulebook of a title, section by section, with what carries it out",
    "check": "check the rules and data of titles",
    "fmt": "lay rules files out in the one way",
    "lsp": "serve an editor: diagnostics, completion and more while rules are written",
    "upgrade": "rewrite rules that were written for an earlier version of the language",
    "build": "build the engine of a title",
    "export": "make wheels of a title, to be played without the compiler",
    "import": "make a title from a game file of another program",
    "test": "run the examples of play of a title",
    "errata": "list the sheets of errata of a title, show one, begin a new one",
    "diff": "show what an erratum or another version of a title changes",
    "coverage": "say which sections of the rulebook are encoded and exercised",
    "mutate": "break the rules one thing at a time, and say which breaks no example of play notices",
    "perft": "count the lines of play of each length",
    "playout": "play many random games and sum up the results",
    "match": "let bots play against each other",
    "simulate": "play thousands of games of bots, and say how a scenario plays",
    "tune": "fit the weights of a title's evaluation by self-play",
    "odds": "work out the exact odds of a procedure",
    "explain": "explain the code of a message",
}
MODULES = {"test": "examples", "import": "importing"}
EPILOG = (
    "Exit status: 0 all is well; 1 the work was done and the answer is no (a failed example, something differs); 2 it "
    "could not be done (a wrong argument, rules with errors); 3 a fault of Grognard; 130 after Ctrl-C; 141 when nobody "
    "reads the output any more."
)


class Parser(argparse.ArgumentParser):
    """argparse, with our way of telling mistakes."""

    def error(self, message: str) -> NoReturn:
        raise UserError(_sentence(message), self._hint(message))

    def _hint(self, message: str) -> str:
        from grognard.support.suggest import did_you_mean

        wrong = re.search(r"invalid choice: '([^']*)'", message)
        if wrong:
            known = [str(c) for action in self._actions for c in action.choices or ()]
            guess = did_you_mean(wrong.group(1), known)
            if guess:
                return f"did you mean `{guess}`?"
        return f"see `{self.prog} --help`"

    def options(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings]


def _sentence(message: str) -> str:
    """argparse's message as a sentence of ours."""
    wrong = re.match(r"argument (\S+?)(?:/\S+)?: invalid choice: '([^']*)' \(choose from (.*)\)", message)
    if wrong:
        name, word, known = wrong.groups()
        if name in ("COMMAND", "command"):
            return f"there is no command {quoted(word)}"
        return f"{name} cannot be {quoted(word)}; it is one of {known.replace(chr(39), '')}"
    missing = re.match(r"the following arguments are required: (.*)", message)
    if missing:
        return f"something is missing: {missing.group(1)}"
    return message.removeprefix("argument ")


def build_parser(command: str | None) -> Parser:
    """The parser; only the command that is wanted is loaded and gets its arguments."""
    shared = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument("--no-color", action="store_true", help="no colours")
    shared.add_argument("--plain", action="store_true", help="plain ASCII text: no colours, frames or arrows")
    parser = Parser(
        prog="grognard",
        description="A rules compiler for board wargames: rulebooks you can run.",
        epilog=EPILOG,
        parents=[shared],
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="show the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    for name, text in COMMANDS.items():
        sub = commands.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog=EPILOG,
            parents=[shared],
            allow_abbrev=False,
        )
        if name == command:
            module = _module(name)
            module.add_arguments(sub)
            sub.set_defaults(run=module.run, parser=sub)
    return parser


def _module(name: str) -> Any:
    return importlib.import_module(f"grognard.cli.commands.{MODULES.get(name, name)}")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("grognard")
    except PackageNotFoundError:
        return "(not installed)"


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    command = next((word for word in argv if word in COMMANDS), None)
    parser = build_parser(command)
    args, rest = parser.parse_known_args(argv)
    if rest:
        from grognard.support.suggest import did_you_mean

        known: Parser = getattr(args, "parser", parser)
        word = rest[0].partition("=")[0]
        if word.startswith("-") and word != "-":
            guess = did_you_mean(word, known.options())
            hint = f"did you mean `{guess}`?" if guess else f"see `{known.prog} --help`"
            raise UserError(f"there is no option {quoted(word)}", hint)
        hint = f"see `{known.prog} --help`"
        if "=" in rest[0] and "--with" in known.options():
            hint = f"--with {rest[0]}"
        raise UserError(f"{quoted(rest[0])} is one argument too many", hint)
    if not args.version and args.command is None:
        parser.print_help()
        raise SystemExit(0)
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit status and raises nothing."""
    words = list(sys.argv[1:] if argv is None else argv)
    console = Console(plain="--plain" in words, color=False if "--no-color" in words else None)
    try:
        try:
            args = _parse(words)
            if args.version:
                console.print(f"grognard {_version()}")
                return 0
            status = int(args.run(args, console))
        except SystemExit as end:  # --help
            status = end.code if isinstance(end.code, int) else 0
        # The reader of a pipe may have gone away: better to learn of it here than when Python shuts down.
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        _silence()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return _told(console, "interrupted", None, INTERRUPTED)
    except OSError as trouble:
        if trouble.errno == errno.EIO and trouble.filename is None:
            # A terminal that was closed.
            _silence()
            return BROKEN_PIPE
        if trouble.filename is None or os.environ.get("GROGNARD_DEBUG") == "1":
            return _fault(console, trouble)
        # Whatever was to be read or written, the system refuses it.
        shown = quoted(os.fsdecode(trouble.filename), 200)
        return _told(console, f"{shown} cannot be used: {trouble.strerror or trouble}", None, MISUSE)
    except UserError as mistake:
        return _told(console, mistake.message, mistake.hint, mistake.status)
    except Exception as fault:
        from grognard.contract.build import UnknownPass
        from grognard.errors import GrognardError

        if isinstance(fault, UnknownPass):
            return _told(console, str(fault), fault.hint, MISUSE)
        if isinstance(fault, GrognardError):
            # Raised on purpose and worded for people.
            return _told(console, str(fault).rstrip(), None, MISUSE)
        return _fault(console, fault)


def _fault(console: Console, fault: Exception) -> int:
    """A fault of Grognard itself."""
    if os.environ.get("GROGNARD_DEBUG") == "1":
        raise fault
    kind = type(fault).__name__
    text = " ".join(str(fault).split())[:300]
    return _told(
        console,
        f"internal error: {kind}{': ' + text if text else ''}",
        "this is a fault of Grognard, please report it; GROGNARD_DEBUG=1 shows where it happened",
        INTERNAL,
    )


def _told(console: Console, message: str, hint: str | None, status: int) -> int:
    try:
        sys.stdout.flush()
        console.error(message, hint)
        sys.stderr.flush()
    except OSError:
        # Nobody reads any more: the pipe has no other end, or the terminal was closed.
        _silence()
    return status


def _silence() -> None:
    """The pipe has no reader any more: what is still in the buffers is dropped, without complaint at shutdown."""
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except (OSError, ValueError):
            continue


if __name__ == "__main__":
    sys.exit(main())
