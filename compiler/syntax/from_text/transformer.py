"""Productions as nodes: sequences, examples, layers; the whole transformer."""

from __future__ import annotations

from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.base import (
    Malformed,
    both,
    flat,
)
from grognard.compiler.syntax.from_text.geometry import Geometry
from lark import Token, v_args
from lark.tree import Meta


@v_args(meta=True)
class ToSyntax(Geometry):
    # ---- layers

    def sequence_decl(self, meta: Meta, c: list[Any]) -> syn.SequenceDecl:
        named = isinstance(c[0], Token)
        name = str(c[0]) if named else ""
        cites, condition, *body = c[1:] if named else c
        return syn.SequenceDecl(name, condition, self.block(meta, body), cites, self.span_of(meta))

    def victory_decl(self, meta: Meta, c: list[Any]) -> syn.VictoryDecl:
        return syn.VictoryDecl(c[1], c[0], self.span_of(meta))

    def evaluation_decl(self, meta: Meta, c: list[Any]) -> syn.RuleDecl:
        """A rule with a fixed name and result.  Later layers can make exceptions to it."""
        params, cites, body = c
        span = self.span_of(meta)
        number = syn.TypeExpr("plain", syn.Name("int", span), None, 0, False, span)
        return syn.RuleDecl(syn.EVALUATION, params, number, body, cites, span)

    def example_decl(self, meta: Meta, c: list[Any]) -> syn.ExampleDecl:
        title, cites, *body = c
        return syn.ExampleDecl(self.unquoted(title), self.block(meta, body), cites, self.span_of(meta))

    def situation_decl(self, meta: Meta, c: list[Any]) -> syn.SituationDecl:
        name, params, *rest = c
        title = next((self.unquoted(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        body = [p for p in rest if not isinstance(p, Token | syn.Cites) and p is not None]
        return syn.SituationDecl(str(name), params, title, self.block(meta, body), cites, self.span_of(meta))

    def policy_decl(self, meta: Meta, c: list[Any]) -> syn.PolicyDecl:
        name, *rest = c
        title = next((self.unquoted(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        lines = tuple(p for p in rest if isinstance(p, syn.PolicyLine))
        return syn.PolicyDecl(str(name), title, lines, cites, self.span_of(meta))

    def policy_line(self, meta: Meta, c: list[Any]) -> syn.PolicyLine:
        owner, name, (ranks, value), condition, cites = c
        return syn.PolicyLine(str(owner), str(name), ranks, value, condition, cites, self.span_of(meta))

    def ranked(self, meta: Meta, c: list[Any]) -> tuple[bool, syn.Expr]:
        return str(c[0]) == "highest", c[1]

    def policy_ranked(self, meta: Meta, c: list[Any]) -> Any:
        return tuple(c), None

    def policy_done(self, meta: Meta, c: list[Any]) -> Any:
        return (), None

    def policy_value(self, meta: Meta, c: list[Any]) -> Any:
        return (), c[0]

    def add_policy(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *lines = c
        return self.new_add_to(meta, "policy", str(name), cites, lines=lines)

    def errata_decl(self, meta: Meta, c: list[Any]) -> syn.ErrataDecl:
        title, *rest = c
        date = next((str(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        notes: dict[str, str] = dict(p for p in rest if isinstance(p, tuple))
        patches = tuple(p for p in rest if p is not None and not isinstance(p, Token | syn.Cites | tuple))
        return syn.ErrataDecl(
            self.unquoted(title), date, patches, cites, self.span_of(meta),
            notes.get("source", ""), notes.get("reason", ""),
        )  # fmt: skip

    def errata_note(self, meta: Meta, c: list[Any]) -> tuple[str, str]:
        return str(c[0]), self.unquoted(c[1])

    def amend_table(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, *key, old, new, more = c
        return syn.Amend("table", str(name), tuple(key), "", old, new, both(cites, more), self.span_of(meta))

    def open_key(self, meta: Meta, c: list[Any]) -> syn.Expr:
        """A row without an end (`12..`, `..8`): the end that it has finds it."""
        bound: syn.Expr = c[0]
        return bound

    def amend_entry(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, label, old, new, more = c
        return syn.Amend("entry", str(name), (), str(label), old, new, both(cites, more), self.span_of(meta))

    def drop_entry(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, label, more = c
        return syn.Amend("drop", str(name), (), str(label), None, None, both(cites, more), self.span_of(meta))

    def amend_kind(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, row, column, axis, old, new, more = c
        key = tuple(syn.Name(str(t), self.span_of(t)) for t in (row, column, axis) if t is not None)
        return syn.Amend("kind", str(name), key, "", old, new, both(cites, more), self.span_of(meta))

    def rename_row(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, old, new, *title, more = c
        key = tuple(syn.Name(str(t), self.span_of(t)) for t in (old, new))
        label = self.unquoted(title[0]) if title else ""
        return syn.Amend("rename", str(name), key, label, None, None, both(cites, more), self.span_of(meta))

    def amend_rule(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, old, new, more = c
        return syn.Amend("rule", str(name), (), "", old, new, both(cites, more), self.span_of(meta))

    def replace_decl(self, meta: Meta, c: list[Any]) -> syn.Replace:
        return syn.Replace(c[0], self.span_of(meta))

    # ---- required

    def required_signature(self, meta: Meta, c: list[Any]) -> syn.Required:
        sort, name, params, result, cites = c
        span = self.span_of(meta)
        if (result is None) == (sort in ("rule", "modifiers")) and sort != "procedure":
            wrong = "needs its result: `-> type`" if result is None else "has no result"
            raise Malformed("GR0101", span, f"a required {sort} {wrong}")
        head = str(name)
        match str(sort):
            case "rule":
                return syn.Required(syn.RuleDecl(head, params, result, (), cites, span), span)
            case "modifiers":
                return syn.Required(syn.ModifiersDecl(head, params, result, (), cites, span), span)
            case "procedure":
                return syn.Required(syn.ProcedureDecl(head, params, result, (), cites, span), span)
            case "action":
                return syn.Required(syn.ActionDecl(head, params, "", (), cites, span), span)
        return syn.Required(syn.MenuDecl(head, params, (), cites, span), span)

    def required_table(self, meta: Meta, c: list[Any]) -> syn.Required:
        name, *rest, result, cites = c
        span = self.span_of(meta)
        return syn.Required(syn.TableDecl(str(name), tuple(rest), result, None, (), cites, span), span)

    def add_sequence(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        tokens = [p for p in c if isinstance(p, Token)]
        cites = next(p for p in c if isinstance(p, syn.Cites))
        named = str(tokens[0]) if tokens[0].type == "NAME" else ""
        body = self.block(meta, [p for p in c if not isinstance(p, Token | syn.Cites)])
        return self.new_add_to(
            meta, "sequence", named, cites, body=body, around=(str(tokens[-2]), str(tokens[-1]))
        )

    def add_entries(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *lines = c
        return self.new_add_to(meta, "modifiers", str(name), cites, entries=flat(lines))

    def add_menu(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *items = c
        return self.new_add_to(meta, "menu", str(name), cites, items=items)

    def add_enum(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, members, more = c
        return self.new_add_to(meta, "enum", str(name), both(cites, more), members=members)

    def add_fields(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        sort, *rest = c
        name = next((str(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        marks: dict[str, Any] = dict(p for p in rest if isinstance(p, tuple))
        if marks and str(sort) not in ("piece", "record"):
            raise Malformed("GR0101", self.span_of(sort), f"pieces and records have room, not a {sort}")
        fields = flat(p for p in rest if isinstance(p, list))
        for entry in fields:
            if entry.edge and str(sort) != "space":
                raise Malformed("GR0101", entry.span, f"edges are added to a space, not to a {sort}")
        return self.new_add_to(
            meta,
            str(sort),
            name,
            cites,
            fields=fields,
            up_to=marks.get("up_to"),
        )

    def add_rows(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        sort, name, cites, *rows = c
        if str(sort) != "kind":
            raise Malformed("GR0101", self.span_of(name), f"rows are added to a kind, not to a {sort}")
        return self.new_add_to(meta, "rows", str(name), cites, rows=[self.row_of(r) for r in rows])
