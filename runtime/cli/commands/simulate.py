"""`grognard simulate`: thousands of games of bots, to learn how a scenario plays and what a change would do to it."""

from __future__ import annotations

import argparse
import os
import re
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.cli.commands.match import checked_bot
from grognard.cli.console import Console, plural, seconds
from grognard.cli.errors import OK, UserError, listed, quoted
from grognard.cli.loading import (
    add_backend,
    add_errata,
    add_games,
    add_jobs,
    add_json,
    add_scenario,
    add_title,
    chosen_errata,
    chosen_options,
    load_engine,
    number,
)

if TYPE_CHECKING:
    from grognard.engine import Engine
    from grognard.simulate.figures import Contrast, Figures
    from grognard.simulate.store import Store
    from grognard.simulate.study import Game, Study, Variant
    from grognard.simulate.workers import Handful, Played

#: Types of counters and numbers at the end that are shown; the files have all.
SHOWN = 12
#: What is called significant.
LEVEL = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_title(parser)
    add_scenario(parser)
    add_games(parser, 1000, 100_000_000)
    parser.add_argument(
        "--bots", metavar="BOT", nargs="+", default=["greedy"],
        help="one for all sides, one for each side in its order, or SIDE=BOT (default: greedy)",
    )  # fmt: skip
    parser.add_argument("--swap", action="store_true", help="in every second game the sides change bots")
    parser.add_argument(
        "--vary", metavar="'WHAT = A, B'", action="append", default=[],
        help="compare variants: an option, a field when the game begins, a cell of a table or kind (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--output", metavar="DIR", type=Path,
        help="the study's folder: what is played so far, then the results (default: TITLE-SCENARIO-study)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=number(0), default=1, metavar="N", help="start of the dice (default: 1)"
    )
    parser.add_argument(
        "--max-answers", type=number(1, 1_000_000_000), default=50_000, metavar="N",
        help="give a game up after so many answers (default: 50,000)",
    )  # fmt: skip
    parser.add_argument(
        "--record", action="store_true",
        help="write who won how often into the scenario's file (`balance`): all sides with one bot, nothing varied",
    )  # fmt: skip
    add_jobs(parser, None, "one for each core")
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="play on a Dask cluster: the address of its scheduler (tcp://host:8786)",
    )
    add_backend(parser)
    add_errata(parser)
    add_json(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.simulate.store import Store
    from grognard.simulate.study import StudyError

    try:
        engines, study = _study(args, console)
        file = _record_file(study, engines[0]) if args.record else None
        prints = {
            variant.name: engine.fingerprint_of(study.scenario)
            for variant, engine in zip(study.variants, engines)
        }
        folder = args.output or Path(_slug(f"{engines[0].name}-{study.scenario}-study"))
        store = Store(folder, study, prints)
        there = store.open()
        if there:
            console.note(
                f"{folder}: {plural(there, 'game')} of this study {'is' if there == 1 else 'are'} there already"
            )
        began = time.perf_counter()
        played = _play(args, study, store, engines, console)
        took = time.perf_counter() - began
    except StudyError as trouble:
        message, _, hint = str(trouble).partition(": name another")
        raise UserError(message, f"name another{hint}" if hint else None) from trouble
    status = _results(args, study, store, engines, folder, played, took, console)
    if file is not None:
        from grognard.simulate.balance import record_balance

        games = store.of(study.variants[0].name, args.games)
        sides = dict.fromkeys((side for side, _ in study.bots), 0)
        wins = {side: sum(game.winner == side for game in games) for side in sides}
        record_balance(file, study.bots[0][1], study.seed, wins, len(games) - sum(wins.values()))
        console.note(f"{file}: balance recorded")
    return status


def _record_file(study: Study, engine: Engine) -> Path:
    """The file of the scenario that the result is written into, before a game is played."""
    if len(study.variants) > 1:
        raise UserError("--record says how even the scenario is as it is", "leave --vary away")
    if len({bot for _, bot in study.bots}) > 1:
        raise UserError("--record wants one bot for all sides", "name one: --bots greedy")
    if study.variants[0].options or study.variants[0].errata:
        raise UserError("--record says how even the printed scenario is", "leave --option and --errata away")
    file = Path(engine.ruleset.about.folder) / "scenarios" / f"{study.scenario}.yaml"
    if not file.is_file() or not os.access(file, os.W_OK):
        raise UserError(f"--record: {file} cannot be written", "record the scenarios of a title of your own")
    return file


# ------------------------------------------------------------------------------------------------- the study


def _study(args: argparse.Namespace, console: Console) -> tuple[list[Engine], Study]:
    """The study and an engine for each of its variants, built here once with the progress shown."""
    from grognard.compare.versions import TRIED, tried
    from grognard.compiler_access import compile_title, full_amendment
    from grognard.contract.errata import AmendmentError
    from grognard.simulate.playing import check_variant, load_variant, sides_of
    from grognard.simulate.study import Study, Variant
    from grognard.simulate.vary import variants
    from grognard.support.diagnostics import Severity, Sink, format_text

    errata, options = chosen_errata(args), chosen_options(args)
    engine = load_engine(
        args.title, console, errata=errata, scenario=args.scenario, backend=args.backend, options=options
    )
    scenario = args.scenario or engine.default_scenario
    sides = sides_of(engine, scenario)
    bots = _bots(args.bots, sides)
    base = Variant(
        "as it is",
        str(engine.ruleset.about.folder),
        tuple(engine.ruleset.about.errata),
        tuple(sorted(options.items())),
    )

    def amend(statements: list[str]) -> tuple[str, tuple[str, ...]]:
        plain = compile_title(args.title, Sink(), errata=list(base.errata or ()), examples=False)
        assert plain is not None
        try:
            whole = [full_amendment(plain, text) for text in statements]
        except AmendmentError as wrong:
            raise UserError(f"--vary: {wrong}", wrong.hint) from None
        changes = [text for text in whole if not _is_as_it_is(text)]
        if not changes:
            return base.where, base.errata or ()
        folder = tried(args.title, changes)
        in_force = (*(base.errata or ()), TRIED)
        sink = Sink()
        if compile_title(folder, sink, errata=list(in_force), examples=False) is None or sink.has_errors:
            errors = [d for d in sink if d.severity is Severity.error]
            console.note(format_text(errors, sink.sources, console.err_color))
            raise UserError(f"--vary: {'; '.join(whole)} does not fit the rules", "see the message above")
        return folder, in_force

    made: tuple[Variant, ...] = (base,)
    if args.vary:
        with console.progress("variants"):
            made = variants(base, args.vary, list(engine.ruleset.schema.options), amend)
    study = Study(scenario, bots, made, args.seed, args.swap, args.max_answers, args.backend)
    engines: list[Engine] = []
    for variant in made:
        if variant.where == base.where and variant.options == base.options:
            ready = engine
        else:
            with console.progress(f"the engine of {variant.name}"):
                ready = load_variant(study, variant)
        check_variant(ready, study, variant)
        engines.append(ready)
    return engines, study


def _is_as_it_is(change: str) -> bool:
    """A change to what is there already: one of the values that vary is mostly the printed one."""
    match = re.search(r"(\S+) -> (\S+)$", change)
    return match is not None and match[1].removeprefix("+") == match[2].removeprefix("+")


def _bots(given: Sequence[str], sides: Sequence[str]) -> tuple[tuple[str, str], ...]:
    named: dict[str, str] = {}
    plain: list[str] = []
    for word in given:
        side, equals, bot = word.partition("=")
        if equals:
            if side not in sides:
                raise UserError(
                    f"--bots {quoted(word)}: there is no side {quoted(side)}",
                    f"there are {listed(list(sides))}",
                )
            named[side] = bot
        else:
            plain.append(word)
    for bot in (*plain, *named.values()):
        checked_bot(bot)
    left = [side for side in sides if side not in named]
    if len(plain) == 1:
        plain *= len(left)
    if len(plain) != len(left):
        raise UserError(
            f"--bots names {plural(len(given), 'bot')} for {plural(len(sides), 'side')}",
            f"one for all, or one for each of {listed(list(sides))}",
        )
    chosen = {**dict(zip(left, plain)), **named}
    return tuple((side, chosen[side]) for side in sides)


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name)


# --------------------------------------------------------------------------------------------------- playing


def _play(
    args: argparse.Namespace, study: Study, store: Store, engines: Sequence[Engine], console: Console
) -> int:
    """Play what is missing; how many games that were."""
    names = [variant.name for variant in study.variants]
    handfuls: list[Handful] = [
        (names.index(name), numbers) for name, numbers in store.missing(names, args.games)
    ]
    total = sum(len(numbers) for _, numbers in handfuls)
    if not total:
        return 0
    began = time.perf_counter()
    done = 0
    with console.progress("games", total) as progress:
        for (place, _numbers), rows in _source(args, study, handfuls, engines):
            store.add(names[place], place, rows)
            done += len(rows)
            rate = done / (time.perf_counter() - began)
            progress.advance(done)
            progress.say(f"games, {_left((total - done) / rate)} left, {rate:.1f} a second")
    return done


def _source(
    args: argparse.Namespace, study: Study, handfuls: Sequence[Handful], engines: Sequence[Engine]
) -> Iterator[Played]:
    if args.cluster:
        from grognard.simulate.cluster import play_on_cluster

        return play_on_cluster(study, handfuls, args.cluster)
    from grognard.simulate.workers import play_here, play_in_processes

    jobs = args.jobs or os.cpu_count() or 1
    if jobs == 1 or len(handfuls) == 1:
        return play_here(study, handfuls, dict(enumerate(engines)))
    return play_in_processes(study, handfuls, jobs)


def _left(time_left: float) -> str:
    minutes = round(time_left / 60)
    if time_left < 100:
        return f"{time_left:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


# --------------------------------------------------------------------------------------------------- results


def _results(
    args: argparse.Namespace,
    study: Study,
    store: Store,
    engines: Sequence[Engine],
    folder: Path,
    played: int,
    took: float,
    console: Console,
) -> int:
    from grognard.simulate.figures import contrasts, figures
    from grognard.simulate.playing import sides_of
    from grognard.simulate.store import write_whole

    sides = sides_of(engines[0], study.scenario)
    groups = [store.of(variant.name, args.games) for variant in study.variants]
    found = [figures(variant.name, games, sides) for variant, games in zip(study.variants, groups)]
    compared = [contrast for side in sides for contrast in contrasts(groups, side)] if len(groups) > 1 else []
    plain = {
        "title": engines[0].name,
        "scenario": study.scenario,
        "backend": engines[0].backend,
        "seed": study.seed,
        "bots": dict(study.bots),
        "games": args.games,
        "variants": [figure.as_dict() for figure in found],
        "contrasts": [contrast.as_dict() for contrast in compared],
    }
    import json

    with console.progress("results"):
        write_whole(folder / "summary.json", json.dumps(plain, indent=2) + "\n")
        written, notes = _files(args, study, engines, folder, groups, found)
    if args.json:
        console.json({**plain, "played": played, "seconds": took, "folder": str(folder)})
        return OK
    name = engines[0].title
    console.print(
        f"{console.style('title', name)}, scenario {study.scenario}, {engines[0].backend}, seed {study.seed}; "
        + ", ".join(f"{side}: {bot}" for side, bot in study.bots)
        + (" (changing)" if study.swap else "")
    )
    for figure in found:
        _show(figure, len(found) > 1, console)
    if compared:
        _show_contrasts(compared, study.variants[0].name, console)
    speed = f"{plural(played, 'game')} played in {seconds(took)}" if played else "nothing was left to play"
    console.print()
    console.print(
        f"{speed}; written to {folder}: {', '.join(['summary.json', *(path.name for path in written)])}"
    )
    for note in notes:
        console.note(note)
    return OK


def _files(
    args: argparse.Namespace,
    study: Study,
    engines: Sequence[Engine],
    folder: Path,
    groups: Sequence[Sequence[Game]],
    found: Sequence[Figures],
) -> tuple[list[Path], list[str]]:
    """Tables, plots and maps; what was written, and what could not be."""
    from grognard.drawing import LookError
    from grognard.simulate.heat_map import heat_map
    from grognard.simulate.tables import write_tables

    notes: list[str] = []
    written, parquet = write_tables(folder, [game for games in groups for game in games])
    if not parquet:
        notes.append("no Parquet without pyarrow: pip install grognard[study]")
    if find_spec("matplotlib") is not None:
        from grognard.simulate.plots import draw_plots

        written += draw_plots(folder, f"{engines[0].title}, {study.scenario}", found, groups)
    else:
        notes.append("no plots without matplotlib: pip install grognard[plot]")
    for place, (engine, figure) in enumerate(zip(engines, found)):
        if not figure.places:
            continue
        path = folder / ("losses_map.svg" if len(found) == 1 else f"losses_map_{place + 1}.svg")
        try:
            path.write_text(heat_map(engine, study.scenario, figure.places, figure.games), encoding="utf-8")
            written.append(path)
        except LookError as wrong:
            notes.append(f"no map of the losses: {wrong}")
            break
    return written, notes


def _show(figure: Figures, several: bool, console: Console) -> None:
    console.print()
    if several:
        console.print(console.style("title", figure.variant))
    console.print(f"{plural(figure.games, 'game')}")
    shares = [*figure.wins.items(), ("draw", figure.draws)]
    if figure.unfinished.count:
        shares.append(("unfinished", figure.unfinished))
    shares += [(f"first to decide ({_sides(figure)})", figure.first)]
    shares += [(f"bot {bot}", share) for bot, share in figure.bots.items()]
    rows = []
    for name, share in shares:
        low, high = share.interval
        rows.append(
            (name, f"{share.count:,}", f"{100 * share.value:.1f} %", f"{100 * low:.1f} to {100 * high:.1f} %")
        )
    console.table(("won by", "games", "share", "95 % confidence"), rows, right=(1, 2, 3))
    if figure.failed:
        console.print(f"in {plural(figure.failed, 'game')} a rule failed: {figure.failure}")
    lengths = [
        (name, f"{found.mean:.1f}", *(f"{value:g}" for value in found.quantiles))
        for name, found in (
            # Titles whose orders are forms complete no actions.
            *([("completed actions", figure.plies)] if figure.plies.mean else []),
            ("answers", figure.answers),
            *list(figure.end.items())[:SHOWN],
        )
    ]
    console.table(("in a game", "mean", "5 %", "25 %", "median", "75 %", "95 %"), lengths, right=range(1, 7))
    if figure.losses:
        most = sorted(figure.losses, key=lambda key: -figure.losses[key].mean)
        rows = []
        for key in most[:SHOWN]:
            found = figure.losses[key]
            side, kind = key
            rows.append(
                (
                    kind or "counter",
                    side or "nobody",
                    f"{found.mean:.2f}",
                    f"{found.interval[0]:.2f} to {found.interval[1]:.2f}",
                )
            )
        console.table(("left play", "side", "a game", "95 % confidence"), rows, right=(2, 3))
        if len(most) > SHOWN:
            console.print(f"and {plural(len(most) - SHOWN, 'type')} more in summary.json")
    if figure.places:
        worst = [f"{place} {count:,}" for place, count in figure.places.most_common(6)]
        console.print(f"most left play at {', '.join(worst)}")


def _sides(figure: Figures) -> str:
    total = sum(figure.first_sides.values()) or 1
    told = [
        side if count == total else f"{side} {100 * count / total:.0f} %"
        for side, count in figure.first_sides.items()
    ]
    return ", ".join(told) or "nobody"


def _show_contrasts(compared: Sequence[Contrast], base: str, console: Console) -> None:
    console.print()
    console.print(f"against {console.style('title', base)}, games of one number with the same dice:")
    rows = []
    for contrast in compared:
        low, high = contrast.interval
        verdict = "differs" if contrast.adjusted < LEVEL else "may be luck"
        rows.append(
            (
                contrast.variant, contrast.side, f"{100 * contrast.difference:+.1f} %",
                f"{100 * low:+.1f} to {100 * high:+.1f} %", f"{contrast.gained:,}", f"{contrast.dropped:,}",
                f"{contrast.adjusted:.4f}" if contrast.adjusted >= 1e-4 else "< 0.0001", verdict,
            )
        )  # fmt: skip
    console.table(
        ("variant", "side", "wins", "95 % confidence", "won more", "lost more", "p", ""),
        rows,
        right=range(2, 7),
    )
    console.print("p is adjusted for the number of variants (McNemar's test, Holm)")
