"""Domains: sides, powers, enums, kinds, places, counters and records by their names."""

from __future__ import annotations

from collections.abc import Sequence

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.declare.forms import names_kind
from grognard.compiler.sema.types import (
    FLAT_DIRECTIONS,
    SQUARE_DIRECTIONS,
    Dom,
    RecordInfo,
)
from grognard.compiler.sema.world import World
from grognard.compiler.support.cascades import text_is_unread
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Label
from grognard.support.source import Span
from grognard.support.suggest import hint_for

DEFAULT_PIECES = 200
#: Limit of the size of a domain: the size of a position is fixed at compile time.
MAX_PIECES = 10_000


def declare_domains(world: World, merged: Merged) -> None:
    sides = [d for _, d in merged.decls if isinstance(d, syn.SidesDecl)]
    if sides:
        world.sides = _named_dom(world, "Side", "side", sides[0].members, sides[0].span, sides[0].cites)
    for _, decl in merged.decls:
        match decl:
            case syn.EnumDecl():
                _named_dom(world, decl.name, "enum", decl.members, decl.span, decl.cites)
            case syn.KindDecl():
                dom = _new_type(world, decl.name, "power" if decl.powers else "kind", decl.span, decl.cites)
                dom.from_code = False
                dom.decl = decl
                if decl.powers:
                    world.seats = dom
            case syn.FormDecl():
                dom = _new_type(world, decl.name, "kind", decl.span, decl.cites)
                dom.from_code = False
                dom.decl = names_kind(decl, world.sink)
            case syn.SpaceDecl():
                _space(world, decl)
            case syn.PieceDecl():
                if decl.record and decl.up_to is None:
                    world.records[decl.name] = RecordInfo(decl.name, {}, decl.span)
                    continue
                dom = _new_type(world, decl.name, "record" if decl.record else "piece", decl.span, decl.cites)
                dom.from_code = False
                dom.interchangeable = decl.interchangeable
                dom.secret_all = decl.secret_all
                dom.decl = decl
                dom.up_to = plain_number(world, decl.up_to) if decl.up_to is not None else DEFAULT_PIECES
                if not 1 <= dom.up_to <= MAX_PIECES:
                    place = decl.up_to.span if decl.up_to is not None else decl.span
                    world.sink.error(
                        "GR0611",
                        place,
                        f"of {decl.name} there can be 1 to {MAX_PIECES:,}, not {dom.up_to:,}",
                    )
                    dom.up_to = 1
    if world.sides is None:
        world.sides = _named_dom(world, "Side", "side", (), Span("", 0, 0, 0, 0), syn.NO_CITES)
        if world.seats is None and not text_is_unread(world.sink):
            # What could not be read may have been the line that declares them.
            world.sink.error(
                "GR0709", None, "no sides are declared", hint="write for example: sides red, blue"
            )
    if world.seats is None:
        world.seats = world.sides
    for dom in world.doms:
        if isinstance(dom.decl, syn.PieceDecl) and dom.decl.kind:
            dom.kind = dom_named(world, dom.decl.kind, dom.decl.span, ("kind",))
        if isinstance(dom.decl, syn.KindDecl) and dom.decl.parent:
            dom.within = dom_named(world, dom.decl.parent, dom.decl.span, ("kind",))
    _check_within(world)


def _check_within(world: World) -> None:
    """Kinds lie in each other, but none in itself."""
    for dom in world.doms:
        seen, place = [dom], dom.within
        while place is not None and place not in seen:
            seen.append(place)
            place = place.within
        if place is dom:
            names = " in ".join(f"`{one.name}`" for one in [*seen, dom])
            world.sink.error("GR0208", dom.span, f"the kind `{dom.name}` would lie in itself: {names}")
            # Said once for all kinds of the circle.
            for one in seen:
                one.within = None


def _named_dom(
    world: World, name: str, sort: str, members: Sequence[syn.Member], span: Span, cites: syn.Cites
) -> Dom:
    dom = _new_type(world, name, sort, span, cites)
    for member in members:
        if member.name in dom.members:
            world.sink.error("GR0205", member.span, f"`{member.name}` stands twice in {name}")
            continue
        dom.members.append(member.name)
        dom.titles.append(member.title or member.name.replace("_", " "))
    return dom


def _new_type(world: World, name: str, sort: str, span: Span, cites: syn.Cites) -> Dom:
    if name in world.types:
        first = world.types[name].span
        world.sink.error(
            "GR0205",
            span,
            f"type `{name}` is defined twice",
            labels=(Label(first, "first defined here"),) if first else (),
        )
    dom = world.new_dom(name, sort, span, world.cite(cites))
    world.types[name] = dom
    return dom


def _space(world: World, decl: syn.SpaceDecl) -> None:
    default = {"hexes": "Hex", "areas": "Area", "boxes": "Box", "track": "Box", "squares": "Square"}[
        decl.sort
    ]
    place = _new_type(world, decl.place or default, "place", decl.span, decl.cites)
    place.space_sort = decl.sort
    place.from_code = False
    place.decl = decl
    if decl.name not in world.types:
        world.types[decl.name] = place
    world.spaces.append(place)
    for part in decl.classes:
        sub = _new_type(world, part.name, "place", part.span, part.cites)
        sub.parent = place
        sub.space_sort = decl.sort
        sub.from_code = False
        sub.decl = part
        place.classes.append(sub)
    edge_name = {"hexes": "Hexside", "areas": "Border"}.get(decl.sort, "Link")
    if edge_name in world.types:
        edge_name = f"{decl.name}{edge_name}"
    edge = _new_type(world, edge_name, "edge", decl.span, syn.NO_CITES)
    edge.from_code = False
    place.edges = edge
    if decl.sort in ("hexes", "squares") and world.direction is None:
        world.direction = _new_type(world, "Direction", "direction", decl.span, syn.NO_CITES)
        world.direction.members = list(FLAT_DIRECTIONS if decl.sort == "hexes" else SQUARE_DIRECTIONS)


def dom_named(world: World, name: str, span: Span, sorts: tuple[str, ...]) -> Dom | None:
    dom = world.types.get(name)
    if dom is None or dom.sort not in sorts:
        known = [d.name for d in world.types.values() if d.sort in sorts]
        what = sorts[0] if len(sorts) < 3 else "type"
        world.sink.error("GR0202", span, f"there is no {what} `{name}`", hint=hint_for(name, known))
        return None
    return dom


def plain_number(world: World, expr: syn.Expr) -> int:
    if isinstance(expr, syn.Number):
        return expr.value
    if isinstance(expr, syn.UnaryExpr) and expr.op == "neg" and isinstance(expr.value, syn.Number):
        return -expr.value.value
    world.sink.error("GR0301", expr.span, "a plain number is needed here")
    return 1
