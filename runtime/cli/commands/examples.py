"""`grognard test`: the examples of play, on both back ends."""

from __future__ import annotations

import argparse
import json
import time

from grognard.cli.console import Console, plural, seconds
from grognard.cli.errors import FAILED, OK, UserError, quoted
from grognard.cli.loading import add_errata, add_json, add_title, chosen_errata, load_title


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument(
        "--backend",
        choices=("both", "interpreter", "compiled"),
        help="what runs them (default: both, or the interpreter where nothing can be compiled)",
    )
    parser.add_argument(
        "-k", metavar="WORDS", help="only examples whose title or sections contain all these words"
    )
    add_json(parser)
    add_errata(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import compiler_available
    from grognard.play.examples import ExampleResult, ExampleRunner
    from grognard.play.symmetry_check import check_symmetries
    from grognard.support.diagnostics import format_json, format_text

    with console.progress(f"checking {args.title}"):
        ruleset = load_title(args.title, chosen_errata(args), console, examples=True)
    chosen = [e for e in ruleset.examples if _wanted(args.k, e.title, e.cites)]
    if args.k and not chosen and ruleset.examples:
        raise UserError(f"no example of {ruleset.name} contains {quoted(args.k)}", "leave -k away to run all")
    missing = compiler_available() if args.backend != "interpreter" else None
    if missing and args.backend in ("both", "compiled"):
        raise UserError(f"nothing can be compiled here: {missing}", "--backend interpreter needs no compiler")
    if missing:
        console.note(f"on the interpreter alone: {missing}")
    backend = args.backend if args.backend in ("interpreter", "compiled") else "auto"
    start = time.perf_counter()
    results: list[ExampleResult] = []
    with console.progress(f"{ruleset.name}: building", len(chosen)) as progress:
        runner = ExampleRunner(ruleset, backend)
        for number, example in enumerate(chosen):
            progress.say(example.title)
            results.append(runner.run(example))
            progress.advance(number + 1)
    took = time.perf_counter() - start
    failed = [result for result in results if not result.passed]
    checks = [] if args.k else check_symmetries(ruleset)
    broken = [check for check in checks if not check.holds]
    if args.json:
        console.json(
            {
                "title": ruleset.id,
                "ok": not failed and not broken,
                "promises": [
                    {
                        "promise": c.name,
                        "pairs": c.pairs,
                        "kept": c.holds,
                        "failures": json.loads(format_json(c.failures)),
                    }
                    for c in checks
                ],
                "passed": len(results) - len(failed),
                "failed": len(failed),
                "seconds": round(took, 6),
                "examples": [
                    {
                        "title": r.title,
                        "cites": list(r.example.cites),
                        "passed": r.passed,
                        "backends": list(r.backends),
                        "file": r.example.span.file,
                        "line": r.example.span.line,
                        "failures": json.loads(format_json(r.failures)),
                    }
                    for r in results
                ],
            }
        )
        return FAILED if failed or broken else OK
    for check in checks:
        mark = console.style("good", "pass") if check.holds else console.style("bad", "FAIL")
        console.print(f"{mark}  {check.name} ({plural(check.pairs, 'pair')} of places)")
        if check.failures:
            console.print(format_text(check.failures, ruleset.sources, console.color))
    for result in results:
        mark = console.style("good", "pass") if result.passed else console.style("bad", "FAIL")
        cites = console.style("cite", f" [{', '.join(result.example.cites)}]") if result.example.cites else ""
        console.print(f"{mark}  {result.title}{cites}")
        if result.failures:
            console.print()
            console.print(format_text(result.failures, ruleset.sources, console.color))
    if not results:
        console.print(f"{ruleset.name} has no examples of play")
        return FAILED if broken else OK
    ran = sorted({name for result in results for name in result.backends})
    console.print(
        f"{plural(len(results), 'example')}: {len(results) - len(failed)} passed, {len(failed)} failed, "
        f"in {seconds(took)} ({' and '.join(ran) or 'not run'})"
    )
    return FAILED if failed or broken else OK


def _wanted(words: str | None, title: str, cites: tuple[str, ...]) -> bool:
    text = f"{title} {' '.join(cites)}".casefold()
    return all(word in text for word in (words or "").casefold().split())
