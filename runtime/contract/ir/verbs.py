"""Built-in queries: their names and their numbers of arguments."""

from __future__ import annotations

#: Built-in questions: name -> number of arguments.  Places may belong to any space; two places of different
#: spaces have no distance (NONE).  Any NONE argument gives NONE (0 for `adjacent`).
VERBS: dict[str, int] = {
    "distance": 2,  # hexes between, or steps in an area graph
    "adjacent": 2,
    "neighbour": 2,  # (place, direction)
    "direction": 2,  # of an adjacent hex, else NONE
    "straight": 2,  # direction of the hexrow from a to b, else NONE
    "toward": 3,  # (place, direction, steps)
    "opposite": 1,
    "turned": 2,  # (direction, steps clockwise; may be negative)
    "turns_between": 2,
    "arc_place": 4,  # (place, facing, degrees, place): 0 outside, 1 border, 2 inside
    "hexside": 2,  # edge between two adjacent places, else NONE
    "side_of": 2,  # edge of a hex in a direction, NONE at the edge of the map
    "edge_end": 2,  # (edge, 0|1): its first or second place
    "last_side": 2,  # the edge over which the line from a enters b; NONE if it comes through a corner
    "domain_of": 1,  # domain id of a place (its class or space)
    "popcount": 1,
}

#: Built-in sources of places (OverVerb): name -> number of arguments.  The places come in order.
OVER_VERBS: dict[str, int] = {
    "neighbours": 1,  # (place)
    "within": 2,  # (place, distance)
    "line": 2,  # (place, place): the places that the line meets, with its ends
    "between": 2,  # as line, without the ends
    "ray": 3,  # (place, direction, length)
    "edge_ends": 1,  # (edge)
}
