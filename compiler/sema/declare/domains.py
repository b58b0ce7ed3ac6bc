"""Domains: sides, powers, enums, kinds, places, counters and records by their names."""

from __future__ import annotations

from collections.abc import Sequence

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.declare.forms import names_kind
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.types import (
    FLAT_DIRECTIONS,
    SQUARE_DIRECTIONS,
    Dom,
    RecordInfo,
)
from grognard.compiler.support.cascades import text_is_unread
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Label
from grognard.support.source import Span
from grognard.support.suggest import hint_for

DEFAULT_PIECES = 200
#: Limit of the size of a domain: the size of a position is fixed at compile time.
MAX_PIECES = 10_000


def declare_domains(symbols: Declaring, merged: Merged) -> None:
    sides = [d for _, d in merged.decls if isinstance(d, syn.SidesDecl)]
    if sides:
        symbols.sides = _named_dom(symbols, "Side", "side", sides[0].members, sides[0].span, sides[0].cites)
    for _, decl in merged.decls:
        match decl:
            case syn.EnumDecl():
                _named_dom(symbols, decl.name, "enum", decl.members, decl.span, decl.cites)
            case syn.KindDecl():
                dom = _new_type(symbols, decl.name, "power" if decl.powers else "kind", decl.span, decl.cites)
                dom.from_code = False
                dom.decl = decl
                if decl.powers:
                    symbols.seats = dom
            case syn.FormDecl():
                dom = _new_type(symbols, decl.name, "kind", decl.span, decl.cites)
                dom.from_code = False
                dom.decl = names_kind(decl, symbols.sink)
            case syn.SpaceDecl():
                _space(symbols, decl)
            case syn.PieceDecl():
                if decl.record and decl.up_to is None:
                    symbols.records[decl.name] = RecordInfo(decl.name, {}, decl.span)
                    continue
                dom = _new_type(
                    symbols, decl.name, "record" if decl.record else "piece", decl.span, decl.cites
                )
                dom.from_code = False
                dom.interchangeable = decl.interchangeable
                dom.secret_all = decl.secret_all
                dom.decl = decl
                dom.up_to = plain_number(symbols, decl.up_to) if decl.up_to is not None else DEFAULT_PIECES
                if not 1 <= dom.up_to <= MAX_PIECES:
                    place = decl.up_to.span if decl.up_to is not None else decl.span
                    symbols.sink.error(
                        "GR0611",
                        place,
                        f"of {decl.name} there can be 1 to {MAX_PIECES:,}, not {dom.up_to:,}",
                    )
                    dom.up_to = 1
    if symbols.sides is None:
        symbols.sides = _named_dom(symbols, "Side", "side", (), Span("", 0, 0, 0, 0), syn.NO_CITES)
        if symbols.seats is None and not text_is_unread(symbols.sink):
            # What could not be read may have been the line that declares them.
            symbols.sink.error(
                "GR0709", None, "no sides are declared", hint="write for example: sides red, blue"
            )
    if symbols.seats is None:
        symbols.seats = symbols.sides
    for dom in symbols.doms:
        if isinstance(dom.decl, syn.PieceDecl) and dom.decl.kind:
            dom.kind = dom_named(symbols, dom.decl.kind, dom.decl.span, ("kind",))
        if isinstance(dom.decl, syn.KindDecl) and dom.decl.parent:
            dom.within = dom_named(symbols, dom.decl.parent, dom.decl.span, ("kind",))
    _check_within(symbols)


def _check_within(symbols: Declaring) -> None:
    """Kinds lie in each other, but none in itself."""
    for dom in symbols.doms:
        seen, place = [dom], dom.within
        while place is not None and place not in seen:
            seen.append(place)
            place = place.within
        if place is dom:
            names = " in ".join(f"`{one.name}`" for one in [*seen, dom])
            symbols.sink.error("GR0208", dom.span, f"the kind `{dom.name}` would lie in itself: {names}")
            # Said once for all kinds of the circle.
            for one in seen:
                one.within = None


def _named_dom(
    symbols: Declaring, name: str, sort: str, members: Sequence[syn.Member], span: Span, cites: syn.Cites
) -> Dom:
    dom = _new_type(symbols, name, sort, span, cites)
    for member in members:
        if member.name in dom.members:
            symbols.sink.error("GR0205", member.span, f"`{member.name}` stands twice in {name}")
            continue
        dom.members.append(member.name)
        dom.titles.append(member.title or member.name.replace("_", " "))
    return dom


def _new_type(symbols: Declaring, name: str, sort: str, span: Span, cites: syn.Cites) -> Dom:
    if name in symbols.types:
        first = symbols.types[name].span
        symbols.sink.error(
            "GR0205",
            span,
            f"type `{name}` is defined twice",
            labels=(Label(first, "first defined here"),) if first else (),
        )
    dom = symbols.new_dom(name, sort, span, symbols.cite(cites))
    symbols.types[name] = dom
    return dom


def _space(symbols: Declaring, decl: syn.SpaceDecl) -> None:
    default = {"hexes": "Hex", "areas": "Area", "boxes": "Box", "track": "Box", "squares": "Square"}[
        decl.sort
    ]
    place = _new_type(symbols, decl.place or default, "place", decl.span, decl.cites)
    place.space_sort = decl.sort
    place.from_code = False
    place.decl = decl
    if decl.name not in symbols.types:
        symbols.types[decl.name] = place
    symbols.spaces.append(place)
    for part in decl.classes:
        sub = _new_type(symbols, part.name, "place", part.span, part.cites)
        sub.parent = place
        sub.space_sort = decl.sort
        sub.from_code = False
        sub.decl = part
        place.classes.append(sub)
    edge_name = {"hexes": "Hexside", "areas": "Border"}.get(decl.sort, "Link")
    if edge_name in symbols.types:
        edge_name = f"{decl.name}{edge_name}"
    edge = _new_type(symbols, edge_name, "edge", decl.span, syn.NO_CITES)
    edge.from_code = False
    place.edges = edge
    if decl.sort in ("hexes", "squares") and symbols.direction is None:
        symbols.direction = _new_type(symbols, "Direction", "direction", decl.span, syn.NO_CITES)
        symbols.direction.members = list(FLAT_DIRECTIONS if decl.sort == "hexes" else SQUARE_DIRECTIONS)


def dom_named(symbols: Declaring, name: str, span: Span, sorts: tuple[str, ...]) -> Dom | None:
    dom = symbols.types.get(name)
    if dom is None or dom.sort not in sorts:
        known = [d.name for d in symbols.types.values() if d.sort in sorts]
        what = sorts[0] if len(sorts) < 3 else "type"
        symbols.sink.error("GR0202", span, f"there is no {what} `{name}`", hint=hint_for(name, known))
        return None
    return dom


def plain_number(symbols: Declaring, expr: syn.Expr) -> int:
    if isinstance(expr, syn.Number):
        return expr.value
    if isinstance(expr, syn.UnaryExpr) and expr.op == "neg" and isinstance(expr.value, syn.Number):
        return -expr.value.value
    symbols.sink.error("GR0301", expr.span, "a plain number is needed here")
    return 1
