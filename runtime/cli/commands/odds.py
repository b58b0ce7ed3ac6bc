"""`grognard odds`: exact odds of a procedure, as a table with bars, a plot, or for programs."""

from __future__ import annotations

import argparse
import csv
import io
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.cli.console import Console, plural, seconds
from grognard.cli.errors import OK, UserError, quoted
from grognard.cli.loading import add_running, add_title, engine_to_run, number

if TYPE_CHECKING:
    from grognard.contract.schema import ValueType
    from grognard.engine import Engine
    from grognard.odds.query import Query
    from grognard.odds.result import Odds
    from grognard.play.setting import Setting

#: Columns of the longest bar, and the parts of a column that can be drawn.
BAR = 40
EIGHTHS = " ▏▎▍▌▋▊▉█"
PLOTS = (".png", ".svg", ".pdf")
#: What is done, not looked up: odds can be asked of it.
PLAYED = ("procedure", "action")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    parser.add_argument(
        "what",
        nargs="?",
        metavar="WHAT",
        help="a situation of the title, or a procedure with its arguments: 'fight(b)'; without it, what there is",
    )
    add_question(parser)
    parser.add_argument("--exact", action="store_true", help="fractions instead of decimals")
    parser.add_argument(
        "--simulate",
        type=number(1, 1_000_000_000),
        default=0,
        metavar="N",
        help="N runs by dice beside the exact figures; counters that are alike are numbers",
    )
    parser.add_argument(
        "--by-piece",
        action="store_true",
        help="--simulate runs all rules each time, counter by counter: far slower, and an independent check",
    )
    parser.add_argument(
        "--prove",
        action="store_true",
        help="where the fast way is taken, try every position of its grid, not a sample",
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw into a .png, .svg or .pdf file")
    parser.add_argument("--csv", action="store_true", help="comma-separated values on standard output")
    add_running(parser, "start of the dice of --simulate (default: 1)")


def add_question(parser: argparse.ArgumentParser) -> None:
    """What belongs to a question for odds, besides what they are of (`what`)."""
    parser.add_argument(
        "--with",
        dest="values",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a situation's parameter",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="STATEMENT",
        help="set up before a procedure, as in an example of play: 'counters 3 of german rifles at 0404'",
    )
    parser.add_argument("--by", metavar="SEAT", help="who acts, where the procedure speaks of `me`")
    parser.add_argument(
        "--outcome",
        action="append",
        default=[],
        metavar="NAME=EXPRESSION",
        help="what is looked at at the end",
    )
    parser.add_argument(
        "--policy", action="append", default=[], metavar="NAME", help="a declared policy for choices"
    )
    parser.add_argument(
        "--otherwise",
        choices=("none", "first"),
        help="choices that no policy answers: none of what need not be done, else the first that is offered; or always the first",
    )
    parser.add_argument(
        "--choose", action="append", default=[], metavar="LINE", help="a line of a policy: 'fight.s: none'"
    )


def run(args: argparse.Namespace, console: Console) -> int:
    if args.plot is not None:
        _check_plot(args.plot)
    if args.json and args.csv:
        raise UserError("--json and --csv are two ways to write the same", "take one of them")
    from grognard.odds.errors import PolicyMissing
    from grognard.odds.query import Weighing

    if args.by_piece and not args.simulate:
        raise UserError("--by-piece says how to simulate", "add --simulate N")
    # Positions are only played on for the independent check; all else is done by the engine of the odds alone.
    wanted, args.backend = args.backend, "interpreter"
    engine = engine_to_run(args, console)

    def as_played(setting: Setting) -> Setting:
        args.backend = wanted
        return engine_to_run(args, console).setting_like(setting)

    with console.progress(f"{engine.title}: odds") as progress:
        bench = engine.bench(progress.say, wanted)
    if args.what is None:
        return _list(engine, console)
    with console.progress(f"{engine.title}: odds") as progress:
        bench.progress = progress.say
        weighing = Weighing(
            query_of(engine, args), every=args.prove, plain=as_played,
            progress=lambda done, known: progress.say(f"odds: {done:,} of {known:,} positions"),
        )  # fmt: skip
        try:
            odds = weighing.odds(args.exact)
        except PolicyMissing as why:
            told, _, hint = str(why).rpartition("\nhint: ")
            raise UserError(told, f"{hint}; lines go with --choose, the rest with --otherwise none") from why
    for notice in bench.chance.notices:
        console.note(notice)
    entry = bench.ruleset.schema.callables.get(args.what.partition("(")[0].strip())
    if odds.labels == ["result"] and entry is not None and entry.result is None:
        console.note("nothing was looked at: --outcome 'name = expression' says what is, at the end")
    if args.simulate:
        with console.progress("simulating", args.simulate) as progress:
            odds.simulation = weighing.simulate(
                args.simulate, seed=args.seed, by_piece=args.by_piece, progress=progress.advance
            )
    if args.plot is not None:
        _plot(odds, args.plot)
    if args.json:
        console.json({"title": engine.name, "backend": bench.chance.backend, "odds": odds.as_json()})
    elif args.csv:
        console.print(_csv(odds).rstrip("\n"))
    else:
        show(odds, console)
    return OK


def _check_plot(path: Path) -> None:
    """Before anything is worked out: whether it can be drawn."""
    if path.suffix.lower() not in PLOTS:
        raise UserError(f"{quoted(str(path))} does not say what to draw", f"it ends in {', '.join(PLOTS)}")
    if not path.parent.is_dir():
        raise UserError(f"there is no folder {quoted(str(path.parent))} to draw into", None)
    if find_spec("matplotlib") is None:
        raise UserError("plots need matplotlib", "pip install grognard[plot]")


def query_of(engine: Engine, args: argparse.Namespace) -> Query:
    """The question that `what` and the options of `add_question` ask."""
    from grognard.odds.inline_text import Line, lines_of
    from grognard.odds.situation_query import situation_query
    from grognard.support.suggest import hint_for

    bench = engine.bench()
    for text in args.choose:
        if ":" not in text:
            raise UserError(
                f"--choose {quoted(text)} is no line of a policy",
                "a choice, a colon, its answer: --choose 'fight.s: none'; a declared policy goes with --policy",
            )
    policies = [*args.choose, *args.policy, *([f"otherwise {args.otherwise}"] if args.otherwise else ())]
    name = args.what
    if name in bench.ruleset.situations:
        if args.set or args.outcome or args.by:
            procedure = bench.ruleset.schema.callables.get(name)
            raise UserError(
                f"{quoted(name)} is a situation: --set, --outcome and --by go with a procedure",
                f"write its arguments, even if there are none: '{name}()'"
                if procedure is not None and procedure.sort in PLAYED
                else "it has a set-up and outcomes of its own; --with gives its values",
            )
        values = _values(args.values, dict(bench.ruleset.situations[name].params))
        return situation_query(bench, name, values, None, policies, args.scenario)
    target = name.partition("(")[0].strip()
    entry = bench.ruleset.schema.callables.get(target)
    if not target:
        raise UserError(
            f"{quoted(name)} names nothing", f"`grognard odds {engine.name}` lists its situations"
        )
    if (entry is None or entry.sort not in PLAYED) and target in bench.ruleset.situations:
        raise UserError(
            f"{quoted(target)} is a situation: its values go with --with", f"{target} --with name=value"
        )
    if entry is None or entry.sort not in PLAYED:
        callables = bench.ruleset.schema.callables
        known = [*bench.ruleset.situations, *(n for n, found in callables.items() if found.sort in PLAYED)]
        hint = hint_for(target, known) or f"`grognard odds {engine.name}` lists its situations"
        if entry is not None:
            raise UserError(
                f"odds are of procedures and actions, and {quoted(target)} is a {entry.sort}", hint
            )
        raise UserError(f"{engine.title} has no situation or procedure {quoted(target)}", hint)
    if args.values:
        raise UserError(
            f"--with goes with a situation, and {quoted(name)} is none", "see `grognard odds TITLE`"
        )
    seats = ", ".join(f"--by {seat}" for seat in engine.seats)
    if args.by and args.by.rpartition(".")[2] not in engine.seats:
        raise UserError(f"--by {quoted(args.by)}: {engine.title} has no such seat", f"there are {seats}")
    if entry.uses_me and not args.by:
        raise UserError(f"{quoted(target)} speaks of whoever acts", f"say who: {seats}")
    into = " -> result" if entry.result is not None else ""
    scenario = args.scenario or engine.default_scenario
    lines: list[Line] = []
    if not any(text.startswith(("board ", "scenario ")) for text in args.set):
        lines.append(Line(f'scenario "{scenario}"', "(--scenario)", scenario, at=len('scenario "') + 1))
    for n, text in enumerate(args.set, 1):
        lines += lines_of(text, f"(--set {n})")
    use = name if "(" in name else f"{name}()"
    asked = f"odds of {use}{f' by {args.by}' if args.by else ''}{into}"
    lines.append(Line(asked, "(asked)", name, at=len("odds of ") + 1))
    for n, text in enumerate(args.outcome, 1):
        label, _, expression = text.partition("=")
        if not expression.strip() or '"' in label:
            raise UserError(
                f"--outcome {quoted(text)} has no expression", "--outcome 'left = count(u in Unit)'"
            )
        made = f'outcome "{label.strip()}" = {expression.strip()}'
        begins = len(made) - len(expression.strip()) - text.index(expression.strip(), len(label))
        lines.append(Line(made, f"(--outcome {n})", text, at=begins + 1))
    text = "\n".join(line.text for line in lines)
    query = situation_query(bench, text, {}, None, policies, args.scenario, lines)
    query.title = f"{engine.title}: {use}"
    return query


def _values(given: list[str], params: dict[str, ValueType]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign:
            raise UserError(f"--with {quoted(text)} gives no value", "--with name=value")
        name, plain = name.strip(), value.strip()
        known: dict[str, Any] = {"yes": True, "no": False, "none": None}
        if name in params and params[name].sort == "dom":
            # Places may be called by numbers.
            values[name] = None if plain == "none" else plain
        else:
            number_given = plain.removeprefix("-").isdigit()
            values[name] = int(plain) if number_given else known.get(plain, plain)
    return values


def _list(engine: Engine, console: Console) -> int:
    """What odds can be asked of, and how choices can be answered."""
    ruleset = engine.bench().ruleset
    console.print(f"{engine.title}: situations")
    for name, situation in ruleset.situations.items():
        # What is no number is a name: of what, people must be told.
        params = ", ".join(p if type_.sort == "int" else f"{p}: {type_}" for p, type_ in situation.params)
        console.print(f"  {name}({params})  {situation.title}".rstrip())
    if not ruleset.situations:
        console.print(
            "  none declared; give a procedure: grognard odds TITLE 'fire(a, b)' --set ... --outcome ..."
        )
    console.print("policies")
    for policy in ruleset.program.policies:
        console.print(f"  {policy.name}  {policy.title}".rstrip())
    if not ruleset.program.policies:
        console.print("  none declared; give lines: --choose 'fire.t: lowest t.cost'")
    return OK


# ------------------------------------------------------------------------------------------------- showing


def show(odds: Odds, console: Console) -> None:
    console.print(odds.title)
    for label in odds.labels:
        _table(odds, label, console)
    if odds.endless:
        console.print(f"never ends: {percent(odds.endless)}")
    how = "fractions" if odds.exact else f"no figure is off by more than {odds.error_bound:.1e} of itself"
    console.print(
        f"{plural(odds.positions, 'position')}, {plural(odds.ends, 'end')}, {odds.method}, {seconds(odds.seconds)}; {how}"
    )
    if not odds.proved:
        console.print(
            "the battle was found to be an attrition grid by a sample of its positions; --prove tries all of them"
        )
    if odds.simulation is not None:
        speed = odds.simulation.runs / max(odds.simulation.seconds, 1e-9)
        how = "all rules each time" if odds.simulation.by_piece else "counters that are alike as numbers"
        console.print(f"simulated: {plural(odds.simulation.runs, 'run')}, {how}, {speed:,.0f} a second")


def _table(odds: Odds, label: str, console: Console) -> None:
    found = odds.distribution(label)
    most = max((float(p) for p in found.values()), default=1.0) or 1.0
    place = odds.place(label)
    heads = [label, "probability", ""]
    right = [1]
    if odds.simulation is not None:
        heads += ["simulated", "standard errors off"]
        right += [3, 4]
    rows = []
    for value, probability in found.items():
        row = [word(value), percent(probability), _bar(float(probability) / most, console)]
        if odds.simulation is not None:
            share, error = odds.simulation.share(place, value), odds.simulation.error(float(probability))
            off = abs(share - float(probability)) / error if error else 0.0
            row += [f"{100 * share:.3f} %", f"{off:.1f}"]
        rows.append(row)
    console.table(heads, rows, right=right)
    numbers = all(isinstance(value, int) and not isinstance(value, bool) for value in found)
    if numbers and len(found) > 1:
        console.print(f"mean {odds.mean(label):.4f}")


def word(value: Any) -> str:
    if value is None:
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def percent(p: Any) -> str:
    from fractions import Fraction

    if isinstance(p, Fraction):
        text = str(p)
        return text if len(text) <= 40 else f"{float(p):.17g}"
    return f"{100 * p:.4f} %" if p >= 1e-6 or p == 0 else f"{p:.3e}"


def _bar(share: float, console: Console) -> str:
    if not console.unicode:
        return "#" * round(share * BAR)
    whole, part = divmod(round(share * BAR * 8), 8)
    return console.style("number", "█" * whole + (EIGHTHS[part] if part else ""))


def _csv(odds: Odds) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*odds.labels, "probability"])
    for row in odds.as_json()["outcomes"]:
        writer.writerow([*map(word, row["values"]), row["probability"]])
    return out.getvalue()


def _plot(odds: Odds, path: Path) -> None:
    from grognard.odds.plot import plot

    try:
        plot(odds, path)
    except OSError as why:
        raise UserError(f"{quoted(str(path))} cannot be written: {why.strerror}", None) from why
