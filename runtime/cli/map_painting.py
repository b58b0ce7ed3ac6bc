"""What `grognard map` paints over a map: lines of sight with reasons, reach, rules, what differs from another map."""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from grognard.cli.errors import UserError

if TYPE_CHECKING:
    from grognard.play.engine import Engine
    from grognard.play.position import Position
    from grognard.play.view import View

#: Overlays of look files and rules that the shortcuts mean, by their names.
SHORTCUTS = {"zoc": r"zoc\b|zones? of control|(^|_)e?zoc|in_zone|its zone", "supply": r"suppl|roots"}


def add_painting(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("painted over the first position, or over that of --game")
    group.add_argument(
        "--sight", metavar="PLACE", help="what is seen from a place, and why each other place is not"
    )
    group.add_argument("--reach", metavar="COUNTER", help="where a counter can go, with what it costs")
    group.add_argument("--movement", metavar="NAME", help="with --reach: by which movement")
    group.add_argument(
        "--paint",
        metavar="RULE",
        help="where a rule holds, or its numbers: a rule of places, or an overlay of look.yaml",
    )
    group.add_argument(
        "--from",
        dest="origin",
        metavar="X",
        help="with --paint, --zoc, --supply: the counter or place that it is asked from",
    )
    group.add_argument(
        "--zoc", action="store_true", help="zones of control, by the rule that the title has for them"
    )
    group.add_argument("--supply", action="store_true", help="supply, by the rule that the title has for it")
    group.add_argument(
        "--seat",
        metavar="SEAT",
        help="what this seat may know and asks (default: the first; with --game the one that decides)",
    )
    group.add_argument(
        "--diff", metavar="SCENARIO", help="places whose data differ from those of another scenario's map"
    )


def view_of(engine: Engine, args: argparse.Namespace, position: Position) -> View:
    """What the seat that asks may know."""
    seats = engine.seats_of(args.scenario)
    if args.seat and args.seat not in seats:
        raise UserError(f"there is no seat `{args.seat}`", f"seats are {', '.join(seats)}")
    decides = position.to_move if args.game is not None else None
    return position.view(args.seat or decides or seats[0])


def painted_layer(engine: Engine, args: argparse.Namespace, view: View) -> tuple[str, list[str]]:
    """The layer, and what is told beside it; nothing where nothing is asked for."""
    from grognard.errors import UnknownName

    wanted = [name for name in ("sight", "reach", "paint", "zoc", "supply", "diff") if getattr(args, name)]
    if not wanted:
        return "", []
    if len(wanted) > 1:
        raise UserError(f"--{wanted[0]} and --{wanted[1]} are two pictures", "ask for one at a time")
    try:
        if args.diff:
            return _differences(engine, args.scenario, args.diff)
        if args.sight:
            return _sight(engine, args.scenario, view, args.sight)
        if args.reach:
            return _reach(engine, args.scenario, view, args.reach, args.movement)
        return _rule(engine, args.scenario, view, _named_rule(engine, args), args.origin)
    except UnknownName as problem:
        message, _, hint = str(problem).partition("; ")
        raise UserError(message, hint or None) from problem


def _sight(engine: Engine, scenario: str | None, view: View, place: str) -> tuple[str, list[str]]:
    from grognard.drawing.painting import veil
    from grognard.play.seeing import seen_from, sights_of

    sights = sights_of(view)
    if not sights:
        raise UserError(
            f"{engine.title} has no lines of sight from place to place",
            "`--paint RULE` paints any rule of places",
        )
    seen, hidden, taken = seen_from(view, place, sights[0])
    grouped: dict[str, list[str]] = defaultdict(list)
    for other, words in hidden.items():
        grouped[words].append(other)
    given = f" ({sights[0]} with {', '.join(taken)})" if taken else ""
    told = [f"{place} sees {len(seen)} places{given}, {len(hidden)} not:"]
    told += [f"  {', '.join(places)}: {words}" for words, places in grouped.items()]
    return veil(engine, scenario, hidden, place), told


def _reach(
    engine: Engine, scenario: str | None, view: View, counter: str, movement: str | None
) -> tuple[str, list[str]]:
    from grognard.drawing.painting import wash
    from grognard.play.reaching import reach_of

    name, found = reach_of(view, counter, movement)
    at = next(
        (
            str(p.at)
            for d in engine.ruleset.schema.doms
            if d.sort == "piece" and "at" in d.fields
            for p in view.pieces(d.name)
            if p.name == counter
        ),
        None,
    )
    return wash(engine, scenario, found, at, True), [f"{counter} can reach {len(found)} places by `{name}`"]


def _named_rule(engine: Engine, args: argparse.Namespace) -> str:
    from grognard.drawing.look import look_of
    from grognard.play.overlays import overlay_of

    overlays = {title: str(rule) for title, rule in look_of(engine).overlays.items()}
    if args.paint:
        return overlays.get(args.paint, args.paint)
    word = "zoc" if args.zoc else "supply"
    schema = engine.ruleset.schema
    named = [rule for title, rule in overlays.items() if re.search(SHORTCUTS[word], f"{title} {rule}")]
    named += [
        rule for rule in schema.callables if re.search(SHORTCUTS[word], rule) and overlay_of(schema, rule)
    ]
    if not named:
        raise UserError(
            f"{engine.title} has no rule that looks like --{word}", "`--paint RULE` paints any rule of places"
        )
    return named[0]


def _rule(
    engine: Engine, scenario: str | None, view: View, rule: str, origin: str | None
) -> tuple[str, list[str]]:
    from grognard.drawing.painting import wash
    from grognard.play.overlays import overlay_of, painted

    overlay = overlay_of(engine.ruleset.schema, rule)
    piece = overlay is not None and overlay.of == "piece"
    found = painted(view, rule, origin if piece else None, None if piece else origin, view.seat)
    entry = engine.ruleset.schema.callables[rule]
    numbers = entry.result is not None and entry.result.sort == "int"
    told = [f"{rule}: {len(found)} places"]
    if not found:
        told.append(
            "what is worked out in play may be missing in a first position: `--game FILE` draws a saved game"
        )
    return wash(engine, scenario, found, None if piece else origin, numbers), told


def _differences(engine: Engine, scenario: str | None, other: str) -> tuple[str, list[str]]:
    from grognard.drawing.board import drawn_spaces
    from grognard.drawing.painting import changed

    if other not in engine.scenarios:
        raise UserError(f"there is no scenario `{other}`", f"scenarios are {', '.join(engine.scenarios)}")
    before = {place.name: place for space, _ in drawn_spaces(engine, other) for place in space.places}
    edges_before = _edges(engine, other)
    edges = _edges(engine, scenario)
    found: dict[str, str] = {}
    for space, _ in drawn_spaces(engine, scenario):
        for place in space.places:
            old = before.pop(place.name, None)
            what = []
            if old is None:
                what.append(f"not on the map of {other}")
            else:
                for name, a, b in (
                    ("ground", old.ground_title, place.ground_title),
                    ("level", str(old.level), str(place.level)),
                    ("marks", ", ".join(old.marks), ", ".join(place.marks)),
                    (
                        "borders",
                        ", ".join(sorted(edges_before.get(place.name, ()))),
                        ", ".join(sorted(edges.get(place.name, ()))),
                    ),
                ):
                    if a != b:
                        what.append(f"{name} {a or 'none'} -> {b or 'none'}")
            if what:
                found[place.name] = "; ".join(what)
    told = [f"{name}: {what}" for name, what in found.items()]
    told += [f"{name}: only on the map of {other}" for name in before]
    return changed(engine, scenario, found), told or ["the maps are the same"]


def _edges(engine: Engine, scenario: str | None) -> dict[str, list[str]]:
    from grognard.drawing.board import drawn_spaces

    found: dict[str, list[str]] = defaultdict(list)
    for space, _ in drawn_spaces(engine, scenario):
        for edge in space.edges:
            a, b = space.places[edge.a].name, space.places[edge.b].name
            found[a].append(f"{edge.title} to {b}")
            found[b].append(f"{edge.title} to {a}")
    return found
