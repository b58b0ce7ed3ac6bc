"""Productions as nodes: sight, arcs, movement."""

from __future__ import annotations

from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.base import (
    DEFAULT_LEGS,
    MAX_LEGS,
    Malformed,
    both,
)
from grognard.compiler.syntax.from_text.stmts import Statements
from lark import v_args
from lark.tree import Meta


@v_args(meta=True)
class Geometry(Statements):
    # ---- geometry

    def _sight(self, meta: Meta, sort: str, cites: syn.Cites, **more: Any) -> syn.SightClause:
        return syn.SightClause(
            sort,
            more.get("name", ""),
            more.get("value"),
            more.get("label", ""),
            more.get("condition"),
            cites,
            self.span_of(meta),
        )

    def sight_centre(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "centre", c[0])

    def sight_mutual(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "mutual", c[0])

    def sight_along(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "along", c[1], name=str(c[0]).split()[2])

    def sight_corner(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "corner", c[1], name=str(c[0]))

    def sight_let(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "let", c[2], name=str(c[0]), value=c[1])

    def sight_ends(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        *label, condition, cites = c
        return self._sight(
            meta, "ends", cites, label=self.unquoted(label[0]) if label else "", condition=condition
        )

    def sight_hex(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        name, *label, condition, cites = c
        return self._sight(
            meta,
            "hex",
            cites,
            name=str(name),
            label=self.unquoted(label[0]) if label else "",
            condition=condition,
        )

    def sight_hexside(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        name, *label, condition, cites = c
        return self._sight(
            meta,
            "hexside",
            cites,
            name=str(name),
            label=self.unquoted(label[0]) if label else "",
            condition=condition,
        )

    def sight_hinder(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        value, *label, name, condition, cites = c
        return self._sight(
            meta,
            "hinder",
            cites,
            name=str(name),
            value=value,
            label=self.unquoted(label[0]) if label else "",
            condition=condition,
        )

    def sight_limit(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "limit", c[1], value=c[0])

    def sight_decl(self, meta: Meta, c: list[Any]) -> syn.SightDecl:
        name, params, space, cites, *clauses = c
        return syn.SightDecl(str(name), params, str(space), tuple(clauses), cites, self.span_of(meta))

    def arc_decl(self, meta: Meta, c: list[Any]) -> syn.ArcDecl:
        name, params, space, before, degrees, facing, origin, border, after = c
        cites = both(before, after)
        return syn.ArcDecl(
            str(name), params, str(space), degrees, facing, origin, str(border), cites, self.span_of(meta)
        )

    def _move(self, meta: Meta, sort: str, cites: syn.Cites, **more: Any) -> syn.MoveClause:
        return syn.MoveClause(
            sort,
            more.get("names", ("", "")),
            more.get("value"),
            more.get("condition"),
            more.get("label", ""),
            cites,
            self.span_of(meta),
        )

    def move_start(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "start", c[1], value=c[0])

    def move_allowance(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "allowance", c[1], value=c[0])

    def move_step(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        leap = None if c[2] is None else syn.Number(str(c[2]), self.span_of(c[2]))
        return self._move(meta, "step", c[3], names=(str(c[0]), str(c[1])), value=leap)

    def move_never(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        *label, condition, cites = c
        return self._move(
            meta, "never", cites, label=self.unquoted(label[0]) if label else "", condition=condition
        )

    def move_never_ends(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        *label, condition, cites = c
        return self._move(
            meta, "never_ends", cites, label=self.unquoted(label[0]) if label else "", condition=condition
        )

    def move_costs(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "costs", c[2], value=c[0], condition=c[1])

    def move_stops(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "stops", c[1], condition=c[0])

    def move_minimum(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "minimum", c[1], condition=c[0])

    def move_stay(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "stay", c[0])

    def movement_decl(self, meta: Meta, c: list[Any]) -> syn.MovementDecl:
        name, params, space, room, like, cites, *parts = c
        clauses = tuple(p for p in parts if isinstance(p, syn.MoveClause))
        gaits = tuple(p for p in parts if isinstance(p, syn.Gait))
        legs = int(room) if room is not None else DEFAULT_LEGS
        if not 1 <= legs <= MAX_LEGS:
            raise Malformed("GR0611", self.span_of(meta), f"a route has at most 1 to {MAX_LEGS} legs")
        return syn.MovementDecl(
            str(name), params, str(space), clauses, gaits, legs, like, cites, self.span_of(meta)
        )

    def move_gait(self, meta: Meta, c: list[Any]) -> syn.Gait:
        name, cites, *clauses = c
        return syn.Gait(str(name), tuple(clauses), cites, self.span_of(meta))

    def add_movement(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *parts = c
        return self.new_add_to(meta, "movement", str(name), cites, parts=parts)
