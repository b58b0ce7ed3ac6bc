"""From what the user typed to a compiled title, or to the sentence that says why not."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from grognard.cli.console import Console, plural
from grognard.cli.errors import UserError, listed, quoted

if TYPE_CHECKING:
    from grognard.contract.ruleset import Ruleset
    from grognard.engine import Engine
    from grognard.support.diagnostics import Diagnostic, Sink

BACKENDS = ("auto", "compiled", "python", "interpreter")


def add_title(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "title", metavar="TITLE", help="the id of a title (see `grognard titles`) or a folder"
    )


def add_errata(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--errata",
        metavar="none|all|NAME",
        action="append",
        help="which errata are in force: none, all, or those named (may be repeated); without it, the title's own",
    )


def add_scenario(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scenario", metavar="S", help="which scenario (default: the title's first)")
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        help="set an optional rule otherwise than the scenario does (may be repeated); NAME alone is NAME=on",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for programs: JSON on standard output")


def add_backend(parser: argparse.ArgumentParser, *more: str, default: str = "auto") -> None:
    parser.add_argument(
        "--backend",
        choices=(*more, *BACKENDS),
        default=default,
        help=f"what runs the rules (default: {default})",
    )


def add_running(parser: argparse.ArgumentParser, seed: str = "start of the dice (default: 1)") -> None:
    """What every command takes that runs a title without a person: where, with which dice, on what, for whom."""
    add_scenario(parser)
    parser.add_argument("--seed", type=number(0), default=1, metavar="N", help=seed)
    add_json(parser)
    add_backend(parser)
    add_errata(parser)


def add_games(parser: argparse.ArgumentParser, default: int, most: int) -> None:
    """How many games, by one name in every command that plays them."""
    parser.add_argument(
        "-n", "--games", dest="games", type=number(1, most), default=default, metavar="N",
        help=f"games (default: {default:,})",
    )  # fmt: skip


def add_jobs(parser: argparse.ArgumentParser, default: int | None, shown: str) -> None:
    parser.add_argument(
        "--jobs", "--threads", dest="jobs", type=number(1, 1024), default=default, metavar="N",
        help=f"games at once (default: {shown})",
    )  # fmt: skip


def engine_to_run(args: argparse.Namespace, console: Console) -> Engine:
    """The engine that `add_running` and the title ask for."""
    errata = chosen_errata(args)
    return load_engine(
        args.title,
        console,
        errata=errata,
        scenario=args.scenario,
        backend=args.backend,
        options=chosen_options(args),
    )


def number(low: int, high: int | None = None, what: str = "a whole number") -> Callable[[str], int]:
    """An argparse type: a whole number in these bounds."""

    def read(text: str) -> int:
        # Not int(): it takes underscores, blanks and digits of all scripts.
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
        if value is None or value < low or (high is not None and value > high):
            bounds = f"from {low}" + (f" to {high:,}" if high is not None else " up")
            raise argparse.ArgumentTypeError(f"{quoted(text)} is not {what} {bounds}")
        return value

    return read


def chosen_errata(args: argparse.Namespace) -> list[str] | None:
    """As compile_title wants it: None for those that the title itself puts in force."""
    words: list[str] | None = getattr(args, "errata", None)
    if not words:
        return None
    if words == ["all"]:
        return words
    if words == ["none"]:
        return []
    if "none" in words or "all" in words:
        raise UserError(
            "--errata none and --errata all cannot be joined with others", "name the errata you want"
        )
    return words


def load_title(title: str, errata: list[str] | None, console: Console, *, examples: bool = False) -> Ruleset:
    """A title without errors; otherwise the messages are shown and nothing goes on."""
    from grognard.compiler_access import load_ruleset
    from grognard.engine import built_ruleset
    from grognard.support.diagnostics import Sink

    if not examples:
        built = built_ruleset(title, errata)
        if built is not None:
            return built
    sink = Sink()
    ruleset = load_ruleset(title, sink, errata=errata, examples=examples)
    if ruleset is not None and not sink.has_errors:
        return ruleset
    refuse_broken(title, ruleset, sink, errata, console)


def refuse_broken(
    title: str, ruleset: Ruleset | None, sink: Sink, errata: list[str] | None, console: Console
) -> NoReturn:
    """Show what is wrong with a title that cannot be run."""
    from grognard.support.diagnostics import Severity, format_text

    problems = [d for d in sink if d.severity is not Severity.note]
    alone = missing_title(title, problems)
    if alone is not None:
        raise alone
    unknown = unknown_erratum(problems)
    if unknown is not None:
        raise unknown
    console.note(format_text(problems, sink.sources, console.err_color))
    errors = sum(d.severity is Severity.error for d in problems)
    name = ruleset.name if ruleset else quoted(title)
    raise UserError(f"{name} has {plural(errors, 'error')} and cannot be run", see_check(title, errata))


def see_check(title: str, errata: list[str] | None) -> str:
    """Where to read all that is wrong with a title, under the errata that it was loaded with."""
    chosen = "" if errata is None else "".join(f' --errata "{name}"' for name in errata) or " --errata none"
    return f"`grognard check {title}{chosen.replace(chr(34) + 'all' + chr(34), 'all')}` shows everything"


class UnknownErratum(UserError):
    """An erratum that the title does not have: a mistake of the caller, not of the title."""


def unknown_erratum(problems: list[Diagnostic]) -> UnknownErratum | None:
    found = next((d for d in problems if d.code == "GR0508"), None)
    return None if found is None else UnknownErratum(found.message, found.hint)


def missing_title(title: str, problems: list[Diagnostic]) -> UserError | None:
    """A title that is not there at all is a mistake in the command, not in a ruleset."""
    from grognard.compiler_access import library_titles

    if len(problems) != 1 or problems[0].code not in ("GR0001", "GR0507") or problems[0].span is not None:
        return None
    problem = problems[0]
    if problem.code == "GR0507":
        return UserError(problem.message, problem.hint)
    hint = problem.hint
    if hint and not hint.startswith("did you mean"):
        # With so few titles the list itself is the best hint.
        known = sorted(library_titles())
        if not os.path.exists(title):
            hint = f"known are {listed(known)}; or give the folder of a title (`grognard titles --path` tells where they are looked for)"
    message = problem.message if len(title) <= 80 else f"there is no title {quoted(title)}"
    return UserError("".join(c if c.isprintable() else "?" for c in message), hint)


def load_engine(
    title: str,
    console: Console,
    *,
    errata: list[str] | None = None,
    scenario: str | None = None,
    backend: str = "auto",
    examples: bool = False,
    wait: bool = True,
    options: dict[str, str] | None = None,
) -> Engine:
    """An engine that is ready to play; a first build shows its progress, or (without `wait`) runs beside the game."""
    from grognard.engine import Engine
    from grognard.errors import UnknownName

    with console.progress(f"checking {title}") as progress:
        ruleset = load_title(title, errata, console, examples=examples)
        check_scenario(ruleset, scenario)
        progress.say(f"loading {ruleset.name}")
        try:
            engine = Engine(
                ruleset,
                scenario,
                backend,  # type: ignore[arg-type]
                progress=progress.say,
                wait=wait,
                options=options,
            )
        except UnknownName as problem:
            message, _, hint = str(problem).partition(": ")
            raise UserError(message, hint or None) from problem
    # A game that does not wait shows them when it begins: until then the command may turn out to be a mistake.
    if backend != "interpreter" and wait:
        for notice in engine.notices:
            console.note(notice)
    return engine


def chosen_options(args: argparse.Namespace) -> dict[str, str]:
    """What `--option` sets: NAME=VALUE each."""
    found: dict[str, str] = {}
    for given in args.option or ():
        name, equals, value = given.partition("=")
        if not name.strip() or (equals and not value.strip()):
            raise UserError(
                f"--option {quoted(given)} names no option and value", "write --option NAME=VALUE"
            )
        found[name.strip()] = value.strip() if equals else "on"
    return found


def check_scenario(ruleset: Ruleset, name: str | None) -> None:
    from grognard.contract.scenario_names import split_scenario
    from grognard.support.suggest import hint_for

    known = ruleset.scenario_names()
    if not known:
        raise UserError(f"{ruleset.name} has no scenarios", "add a file to its folder scenarios/")
    if name is not None and split_scenario(name)[0] not in known:
        there = f"there {'is' if len(known) == 1 else 'are'} {listed(known)}"
        raise UserError(f"{ruleset.name} has no scenario {quoted(name)}", hint_for(name, known) or there)
