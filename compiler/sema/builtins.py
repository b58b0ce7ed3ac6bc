"""Built-in verbs of the language: parameters, results, and texts.

Lowering reads the signatures, the reference (`driver/reference.py`) the texts.  A verb must have both."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb over places, directions and edges that answers with one value."""

    ir: str  # the verb of the IR
    takes: tuple[str, ...]  # sorts of the arguments: place, dir, int, edge
    answers: str  # sort of the answer; `?` where it may be none
    says: str


@dataclass(frozen=True, slots=True)
class Source:
    """A verb that loops and aggregates run over."""

    ir: str
    takes: tuple[str, ...]
    says: str


@dataclass(frozen=True, slots=True)
class Builtin:
    """Any other built-in call; its arguments are checked where it is lowered."""

    form: str
    says: str


VERBS: dict[str, Verb] = {
    "distance": Verb("distance", ("place", "place"), "int", "steps from one place to the other"),
    "adjacent": Verb("adjacent", ("place", "place"), "flag", "they are neighbours"),
    "neighbour": Verb("neighbour", ("place", "dir"), "place?", "the place next to it in a direction"),
    "direction": Verb("direction", ("place", "place"), "dir?", "the direction of a neighbour"),
    "straight": Verb(
        "straight", ("place", "place"), "dir?", "the direction if the other place lies straight on"
    ),
    "toward": Verb(
        "toward", ("place", "dir", "int"), "place?", "the place that many steps away in a direction"
    ),
    "opposite": Verb("opposite", ("dir",), "dir", "the direction back"),
    "turned": Verb("turned", ("dir", "int"), "dir", "turned clockwise by that many steps"),
    "turns_between": Verb(
        "turns_between", ("dir", "dir"), "turns", "steps of turning between two directions"
    ),
    "side": Verb("hexside", ("place", "place"), "edge?", "the edge between neighbours"),
    "hexside": Verb("side_of", ("place", "dir"), "edge?", "the edge of a hex in a direction"),
    "last_side": Verb(
        "last_side", ("place", "place"), "edge?", "the edge by which a line from the first enters the second"
    ),
    "arc_place": Verb(
        "arc_place",
        ("place", "dir", "int", "place"),
        "arc",
        "where a place lies to an arc of so many degrees: 0 outside, 1 on its border, 2 inside",
    ),
}

SOURCES: dict[str, Source] = {
    "neighbours": Source("neighbours", ("place",), "the places next to it"),
    "within": Source("within", ("place", "int"), "the places at most so many steps away, itself among them"),
    "line": Source(
        "line", ("place", "place"), "the hexes that the straight line passes, both ends among them"
    ),
    "between": Source("between", ("place", "place"), "the same without the ends"),
    "ray": Source("ray", ("place", "dir", "int"), "up to so many hexes in a direction, itself the first"),
    "ends": Source("edge_ends", ("edge",), "the two places of an edge"),
}

BUILTINS: dict[str, Builtin] = {
    "abs": Builtin("abs(x)", "without its sign"),
    "min": Builtin("min(a, b)", "the lesser"),
    "max": Builtin("max(a, b)", "the greater"),
    "clamp": Builtin("clamp(x, 1..6)", "the nearest number of the range"),
    "other": Builtin("other(side)", "the other of two sides"),
    "mine": Builtin("mine(u)", "it belongs to whoever is acting"),
    "enemy": Builtin("enemy(u)", "it belongs to an enemy of whoever is acting"),
    "friendly": Builtin("friendly(a, b)", "both belong to one side"),
    "opposed": Builtin("opposed(a, b)", "they belong to different sides"),
    "in_play": Builtin("in_play(u)", "it has been created and not destroyed"),
    "room": Builtin("room(Unit)", "how many more of them can be created"),
    "during": Builtin("during(phase)", "the phase is running"),
    "known": Builtin("known(u.secret)", "whoever is acting may see it"),
    "reach": Builtin("reach(walk(u))", "all places that the movement can end in"),
    "cost_to": Builtin("cost_to(walk(u), h)", "what the cheapest such move costs; none if there is none"),
    "path": Builtin(
        "path(walk(u), h)", "the places of the cheapest such move in order; an empty list if there is none"
    ),
    "count": Builtin("count(s)", "members of a set"),
    "length": Builtin("length(l)", "entries of a list"),
    "first": Builtin("first(l)", "the first entry of a list; none of an empty one"),
    "last": Builtin("last(l)", "the last entry of a list; none of an empty one"),
    "nth": Builtin("nth(l, n)", "the n-th entry, from 1"),
    "remaining": Builtin("remaining(BAG)", "what is left in it"),
}
