"""`grognard build`: the engine of a title, or the stages on the way to it."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

from grognard.cli.console import Console, plural, seconds
from grognard.cli.errors import OK, UserError
from grognard.cli.loading import add_backend, add_errata, add_title, chosen_errata, load_title

if TYPE_CHECKING:
    from grognard.contract.ruleset import Ruleset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument("--show", choices=("ast", "ir", "pyx"), help="print a stage instead of building")
    parser.add_argument(
        "--without",
        metavar="PASS",
        action="append",
        help="switch off a pass that makes engines faster (may be repeated; `--without list` names them)",
    )
    add_backend(parser)
    add_errata(parser)
    parser.add_argument(
        "--sanitize", action="store_true", help="with the address and undefined-behaviour sanitizers"
    )
    parser.add_argument(
        "--verify", action="store_true", help="check first that the program of the rules is well-formed"
    )


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import in_sanitizer_environment

    if args.without and _without(args.without, console):
        return OK
    if args.sanitize and args.show is None and not in_sanitizer_environment():
        return _with_sanitizers(args)
    start = time.perf_counter()
    with console.progress(f"checking {args.title}"):
        _start_binding(args)
        ruleset = load_title(args.title, chosen_errata(args), console)
    checked = time.perf_counter() - start
    if args.verify:
        _verify(ruleset, console)
    if args.show:
        _show(ruleset, args.show, console)
        return OK
    program = ruleset.program
    size = (
        f"{plural(len(program.functions), 'function')}, {plural(len(program.machines), 'procedure')} that ask, "
        f"{plural(len(program.tables), 'table')}"
    )
    console.print(f"{ruleset.name}: checked in {seconds(checked)} ({size})")
    if ruleset.about.errata:
        console.print(f"errata in force: {', '.join(ruleset.about.errata)}")
    if args.backend == "interpreter":
        console.print("the interpreter needs nothing built")
        return OK
    _build(ruleset, args, console)
    return OK


def _without(names: list[str], console: Console) -> bool:
    """Switch passes off for this process and those that it starts; True if they were only to be listed."""
    from grognard.compiler_access import optional_passes, switch_off

    if "list" in names:
        for name, over, what in optional_passes():
            console.print(f"{name} ({over}): {what}")
        return True
    switch_off(name for given in names for name in given.split(","))
    return False


def _verify(ruleset: Ruleset, console: Console) -> None:
    """Hold the program, with the examples of play, to the rules of the IR; what it breaks is a fault of the compiler."""
    from grognard.contract.ir.verify import RULES, InvalidProgram, verify

    start = time.perf_counter()
    try:
        verify(ruleset.program)
        verify(ruleset.example_program)
    except InvalidProgram as found:
        raise UserError(str(found), "this is a fault of the compiler, not of the rules") from None
    took = seconds(time.perf_counter() - start)
    console.print(f"{ruleset.name}: well-formed by {len(RULES)} rules in {took}")


def _start_binding(args: argparse.Namespace) -> None:
    """Build what all engines share while the rules are read: the one takes a processor, so does the other."""
    from grognard.compiler_access import build_binding, compiler_available
    from grognard.contract.build import BuildError

    if args.show or args.backend == "interpreter" or compiler_available() is not None:
        return

    def build() -> None:
        # Building the engine comes upon the same fault, and reports it.
        with suppress(BuildError, OSError):
            build_binding("sanitized" if args.sanitize else "fast")

    # If the rules are in error it is not waited for.
    Thread(target=build, daemon=True).start()


def _build(ruleset: Ruleset, args: argparse.Namespace, console: Console) -> None:
    from grognard.compiler_access import build_engine, compiler_available
    from grognard.contract.build import BuildUnavailable
    from grognard.support.userdirs import engines_dir

    missing = compiler_available()
    if missing is not None:
        if args.backend == "compiled" or args.sanitize:
            raise UserError(
                f"nothing can be compiled here: {missing}", "the interpreter runs every title as well"
            )
        console.print(f"not compiled: {missing}; the interpreter runs it")
        return
    said: list[str] = []
    start = time.perf_counter()
    try:
        with console.progress("looking for the engine in the cache") as progress:

            def told(text: str) -> None:
                said.append(text)
                progress.say(text)

            build_engine(
                ruleset.program,
                progress=told,
                flavour="sanitized" if args.sanitize else "fast",
                code_key=ruleset.code_key,
            )
    except BuildUnavailable as reason:
        raise UserError(
            f"nothing can be compiled here: {reason}", "the interpreter runs every title as well"
        ) from None
    took = seconds(time.perf_counter() - start)
    what = "engine with sanitizers" if args.sanitize else "engine"
    if said:
        console.print(f"{what} compiled in {took} and kept in the cache")
        instead, trouble = engines_dir()
        if trouble is not None:
            console.note(f"{trouble}: engines are kept in {instead}")
    else:
        console.print(f"{what} loaded from the cache in {took}")


def _with_sanitizers(args: argparse.Namespace) -> int:
    """Run this very command in a process that loads the sanitizers' libraries first: no other can load the engine."""
    from grognard.compiler_access import compiler_available, sanitizer_environment

    missing = compiler_available()
    if missing is not None:
        raise UserError(
            f"nothing can be compiled here: {missing}", "the interpreter runs every title as well"
        )
    environment = sanitizer_environment()
    if environment is None:
        raise UserError(
            "the C compiler has no sanitizers here", "install its libasan, or build without --sanitize"
        )
    words = [
        "build",
        args.title,
        "--sanitize",
        *(word for name in args.errata or () for word in ("--errata", name)),
    ]
    # -P: the folder that the user happens to be in may hold anything, also modules with the names of ours.
    code = "import sys; from grognard.cli.main import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-P", "-c", code, *words], env=environment, check=False).returncode


def _show(ruleset: Ruleset, stage: str, console: Console) -> None:
    if stage == "ast":
        from grognard.compiler_access import tree_lines

        for line in tree_lines(ruleset):
            console.print(line)
    elif stage == "ir":
        from grognard.contract.ir.print import print_program

        scenario = ruleset.scenario() if ruleset.scenario_names() else None
        console.print(print_program(ruleset.program, scenario.data if scenario else None))
    else:
        from grognard.compiler_access import emit_source

        console.print(emit_source(ruleset))
