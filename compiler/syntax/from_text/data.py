"""Productions as nodes: fields, declarations of data, forms."""

from __future__ import annotations

from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.base import (
    Malformed,
    both,
    flat,
)
from grognard.compiler.syntax.from_text.exprs import Expressions
from grognard.compiler.syntax.from_text.rows import read_row
from grognard.support.source import Span
from lark import Token, v_args
from lark.tree import Meta


@v_args(meta=True)
class DataDecls(Expressions):
    # ---- fields

    def field_name(self, meta: Meta, c: list[Any]) -> tuple[str, tuple[Any, ...], Span]:
        return (str(c[0]), tuple(a for a in c[1:] if a is not None), self.span_of(c[0]))

    def field_names(self, meta: Meta, c: list[Any]) -> list[Any]:
        return c

    def reset_at(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("reset_at", str(c[0]))

    def per_unit(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("per", str(c[0]))

    def follows(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("follows", str(c[0]))

    def clamped(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        if str(c[0]) != "clamped":
            raise Malformed(
                "GR0101",
                self.span_of(meta),
                f"`{c[0]}` is for the axes of tables",
                hint="a field is `clamped` at both ends",
            )
        return ("clamped", True)

    def to_owner(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("to_owner", c[0] if c else None)

    def field_item(self, meta: Meta, c: list[Any]) -> list[syn.FieldDecl]:
        marks = {str(t) for t in c if isinstance(t, Token)}
        parts = [p for p in c if not isinstance(p, Token)]
        names, kind, default, *lives, cites = parts
        life = dict(lives)
        secret = "secret" in marks
        if "to_owner" in life and not secret:
            raise Malformed("GR0101", self.span_of(meta), "`to owner` belongs to a `secret` field")
        return [
            syn.FieldDecl(
                name,
                axes,
                kind,
                default,
                secret,
                life.get("to_owner"),
                "state" in marks,
                False,
                "clamped" in life,
                life.get("reset_at"),
                life.get("per"),
                life.get("follows"),
                cites,
                span,
            )
            for name, axes, span in names
        ]

    def secret_all(self, meta: Meta, c: list[Any]) -> syn.SecretAll:
        return syn.SecretAll(c[0], c[-1], self.span_of(meta))

    def secret_type(self, meta: Meta, c: list[Any]) -> syn.SecretAll:
        return syn.SecretAll(c[0], c[-1], self.span_of(meta), only_type=True)

    def field_line(self, meta: Meta, c: list[Any]) -> list[Any]:
        result: list[Any] = []
        for item in c:
            result += item if isinstance(item, list) else [item]
        return result

    def edge_line(self, meta: Meta, c: list[Any]) -> list[syn.FieldDecl]:
        state = isinstance(c[0], Token)
        names, kind, default, cites = c[1:] if state else c
        return [
            syn.FieldDecl(
                name, axes, kind, default, False, None, state, True, False, None, None, None, cites, span
            )
            for name, axes, span in names
        ]

    def field_block(self, meta: Meta, c: list[Any]) -> tuple[str, list[Any]]:
        return ("fields", flat(c))

    def rows(self, meta: Meta, c: list[Any]) -> tuple[str, list[syn.Row]]:
        return ("rows", [self.row_of(token) for token in c])

    def row_of(self, token: Token) -> syn.Row:
        raw = str(token)
        body = raw.lstrip("\r\n")
        line = self.line_offset + (token.line or 1) + raw[: len(raw) - len(body)].count("\n")
        return read_row(self.source_file.path, line, body)

    # ---- data

    def header(self, meta: Meta, c: list[Any]) -> syn.Header:
        sort, name, *rest = c
        cites = rest[-1]
        title = next((self.unquoted(t) for t in rest[:-1] if isinstance(t, Token) and t.type == "STRING"), "")
        of = next((str(t) for t in rest[:-1] if isinstance(t, Token) and t.type == "NAME"), None)
        return syn.Header(str(sort), str(name), title, of, cites, self.span_of(meta))

    def include(self, meta: Meta, c: list[Any]) -> syn.Include:
        return syn.Include(self.unquoted(c[0]), self.span_of(meta))

    def by_design(self, meta: Meta, c: list[Any]) -> syn.ByDesign:
        return syn.ByDesign(self.unquoted(c[1]) if len(c) > 1 else "", c[0], self.span_of(meta))

    def member(self, meta: Meta, c: list[Any]) -> syn.Member:
        return syn.Member(str(c[0]), self.unquoted(c[1]) if len(c) > 1 else "", self.span_of(meta))

    def members(self, meta: Meta, c: list[Any]) -> tuple[syn.Member, ...]:
        return tuple(c)

    def enum_decl(self, meta: Meta, c: list[Any]) -> syn.EnumDecl:
        name, cites, members, more = c
        return syn.EnumDecl(str(name), members, both(cites, more), self.span_of(meta))

    def kind_decl(self, meta: Meta, c: list[Any]) -> syn.KindDecl:
        name, parent, source, cites, body = c
        rows = tuple(body[1]) if body and body[0] == "rows" else ()
        fields = tuple(body[1]) if body and body[0] == "fields" else ()
        return syn.KindDecl(
            str(name),
            str(parent) if parent else None,
            self.unquoted(source) if source else None,
            rows,
            fields,
            False,
            cites,
            self.span_of(meta),
        )

    def powers_decl(self, meta: Meta, c: list[Any]) -> syn.KindDecl:
        name, source, cites, body = c
        rows = tuple(body[1]) if body and body[0] == "rows" else ()
        fields = tuple(body[1]) if body and body[0] == "fields" else ()
        return syn.KindDecl(
            str(name),
            None,
            self.unquoted(source) if source else None,
            rows,
            fields,
            True,
            cites,
            self.span_of(meta),
        )

    def sides_decl(self, meta: Meta, c: list[Any]) -> syn.SidesDecl:
        return syn.SidesDecl(c[0], c[1], self.span_of(meta))

    def class_block(self, meta: Meta, c: list[Any]) -> syn.ClassDecl:
        name, cites, *lines = c
        return syn.ClassDecl(str(name), tuple(flat(lines)), cites, self.span_of(meta))

    def space_decl(self, meta: Meta, c: list[Any]) -> syn.SpaceDecl:
        name, place, sort, source, cites, *items = c
        fields = flat(i for i in items if isinstance(i, list))
        classes = tuple(i for i in items if isinstance(i, syn.ClassDecl))
        return syn.SpaceDecl(
            str(name),
            str(place) if place else None,
            str(sort),
            self.unquoted(source) if source else None,
            tuple(fields),
            classes,
            cites,
            self.span_of(meta),
        )

    def interchangeable(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("interchangeable", True)

    def up_to(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("up_to", c[0])

    def _piece(
        self, meta: Meta, name: Token, kind: Token | None, rest: list[Any], record: bool
    ) -> syn.PieceDecl:
        marks: dict[str, Any] = dict(p for p in rest if isinstance(p, tuple))
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        fields = flat(p for p in rest if isinstance(p, list))
        marks_secret = [f for f in fields if isinstance(f, syn.SecretAll)]
        secret = next((f for f in marks_secret if not f.only_type), None)
        return syn.PieceDecl(
            str(name),
            str(kind) if kind else None,
            record,
            "interchangeable" in marks,
            marks.get("up_to"),
            tuple(f for f in fields if isinstance(f, syn.FieldDecl)),
            secret,
            marks.get("reset_at"),
            cites,
            self.span_of(meta),
            next((f for f in marks_secret if f.only_type), None),
        )

    def piece_decl(self, meta: Meta, c: list[Any]) -> syn.PieceDecl:
        return self._piece(meta, c[0], c[1], c[2:], False)

    def record_decl(self, meta: Meta, c: list[Any]) -> syn.PieceDecl:
        return self._piece(meta, c[0], None, c[1:], True)

    def state_names(self, meta: Meta, c: list[Any]) -> tuple[syn.Name, ...]:
        return tuple(syn.Name(str(t), self.span_of(t)) for t in c)

    def states_line(self, meta: Meta, c: list[Any]) -> syn.StatesLine:
        return syn.StatesLine(c[0], c[1], c[2], self.span_of(meta))

    def states_decl(self, meta: Meta, c: list[Any]) -> syn.StatesDecl:
        piece, owned, cites, *lines = c
        return syn.StatesDecl(str(piece), str(owned), tuple(lines), cites, self.span_of(meta))

    # ---- forms

    def form_column(self, meta: Meta, c: list[Any]) -> list[syn.FieldDecl]:
        return self.edge_line(meta, c)

    def form_require(self, meta: Meta, c: list[Any]) -> syn.RequireStmt:
        return syn.RequireStmt(*self.condition_and_reason(c[0]), c[1], self.span_of(meta))

    def _form_field(
        self, meta: Meta, name: Token, tails: list[Any], cites: Any, **more: Any
    ) -> syn.FormField:
        self.check_once_each(meta, tails)
        tail = dict(tails)
        if "to" in tail and "route" not in more:
            raise Malformed("GR0101", self.span_of(meta), "`to` belongs to a route: `name: along ... to ...`")
        return syn.FormField(
            str(name),
            more.get("type"),
            more.get("source"),
            more.get("value"),
            more.get("route"),
            tail.get("to"),
            tail.get("where"),
            tail.get("up_to"),
            tail.get("label", ""),
            cites,
            self.span_of(name),
        )

    def form_field(self, meta: Meta, c: list[Any]) -> syn.FormField:
        name, kind, source, value, *tails, cites = c
        return self._form_field(meta, name, tails, cites, type=kind, source=source, value=value)

    def form_route(self, meta: Meta, c: list[Any]) -> syn.FormField:
        name, use, *tails, cites = c
        for key, _ in tails:
            if key in ("where", "up_to"):
                raise Malformed(
                    "GR0101",
                    self.span_of(meta),
                    f"a route has no `{key.replace('_', ' ')}`",
                    "what a route must satisfy is said by its movement",
                )
        return self._form_field(meta, name, tails, cites, route=use)

    def form_member(self, meta: Meta, c: list[Any]) -> syn.FormMember:
        name, *rest = c
        title = next((self.unquoted(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        columns = tuple(p for p in rest if isinstance(p, syn.NamedArg))
        body = tuple(p for p in rest if isinstance(p, syn.RequireStmt | syn.FormField))
        return syn.FormMember(str(name), title, columns, body, cites, self.span_of(meta))

    def form_decl(self, meta: Meta, c: list[Any]) -> syn.FormDecl:
        name, *rest = c
        return syn.FormDecl(
            str(name),
            tuple(p for p in rest if isinstance(p, syn.Param)),
            tuple(flat(p for p in rest if isinstance(p, list))),
            tuple(p for p in rest if isinstance(p, syn.FormMember)),
            tuple(p for p in rest if isinstance(p, syn.RequireStmt | syn.FormField)),
            next(p for p in rest if isinstance(p, syn.Cites)),
            self.span_of(meta),
        )

    def add_form(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *parts = c
        flat = [item for part in parts for item in (part if isinstance(part, list) else [part])]
        return self.new_add_to(meta, "form", str(name), cites, parts=flat)

    def game_decl(self, meta: Meta, c: list[Any]) -> syn.OwnerDecl:
        return syn.OwnerDecl("game", tuple(flat(c[1:])), c[0], self.span_of(meta))

    def each_decl(self, meta: Meta, c: list[Any]) -> syn.OwnerDecl:
        return syn.OwnerDecl(str(c[0]), tuple(flat(c[2:])), c[1], self.span_of(meta))

    def bag_decl(self, meta: Meta, c: list[Any]) -> syn.BagDecl:
        name, var, kind, where, copies, cites = c
        return syn.BagDecl(
            str(name),
            str(var),
            str(kind),
            where,
            copies,
            cites,
            self.span_of(meta),
        )

    def relation_decl(self, meta: Meta, c: list[Any]) -> syn.RelationDecl:
        name, left, right, *rest = c
        life: dict[str, Any] = dict(p for p in rest if isinstance(p, tuple))
        mutual = any(isinstance(p, Token) for p in rest)
        return syn.RelationDecl(
            str(name), str(left), str(right), mutual, life.get("reset_at"), rest[-1], self.span_of(meta)
        )

    def option_decl(self, meta: Meta, c: list[Any]) -> syn.OptionDecl:
        name, *rest = c
        cites, default = rest[-1], rest[-2]
        title = next((self.unquoted(p) for p in rest if isinstance(p, Token) and p.type == "STRING"), "")
        values = next((p for p in rest if isinstance(p, tuple)), ())
        return syn.OptionDecl(str(name), title, values, str(default), cites, self.span_of(meta))

    def set_option(self, meta: Meta, c: list[Any]) -> syn.SetOption:
        return syn.SetOption(str(c[0]), str(c[1]), c[2], self.span_of(meta))

    def die_decl(self, meta: Meta, c: list[Any]) -> syn.DieDecl:
        name, *faces, cites = c
        whole = faces[0] if len(faces) == 1 else syn.Items(tuple(faces), self.span_of(meta))
        return syn.DieDecl(str(name), whole, cites, self.span_of(meta))

    def event_decl(self, meta: Meta, c: list[Any]) -> syn.EventDecl:
        return syn.EventDecl(str(c[0]), c[1], c[2], self.span_of(meta))
