"""Productions as nodes: tables, lists, rules, procedures, actions."""

from __future__ import annotations

from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.base import (
    Malformed,
    cited,
    flat,
)
from grognard.compiler.syntax.from_text.data import DataDecls
from grognard.compiler.syntax.identifiers import identifier
from lark import Token, v_args
from lark.tree import Meta


@v_args(meta=True)
class RuleDecls(DataDecls):
    # ---- tables

    def param(self, meta: Meta, c: list[Any]) -> syn.Param:
        return syn.Param(str(c[0]), c[1], self.span_of(meta))

    def params(self, meta: Meta, c: list[Any]) -> tuple[syn.Param, ...]:
        return tuple(p for p in c if p is not None)

    def axis(self, meta: Meta, c: list[Any]) -> syn.Axis:
        name, kind, *clamp = c
        return syn.Axis(str(name) if name else "", kind, str(clamp[0]) if clamp else "", self.span_of(meta))

    def table_decl(self, meta: Meta, c: list[Any]) -> syn.TableDecl:
        name, *rest = c
        axes = tuple(p for p in rest if isinstance(p, syn.Axis))
        result = next(p for p in rest if isinstance(p, syn.TypeExpr))
        source = next((self.unquoted(p) for p in rest if isinstance(p, Token) and p.type == "STRING"), None)
        rows = tuple(self.row_of(p) for p in rest if isinstance(p, Token) and p.type == "ROW")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        return syn.TableDecl(str(name), axes, result, source, rows, cites, self.span_of(meta))

    def when(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("when", c[0])

    def named_as(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("as", str(c[0]))

    def once(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("once", str(c[0]))

    def _entry(self, meta: Meta, sort: str, c: list[Any], **more: Any) -> syn.Entry:
        tails: dict[str, Any] = dict(p for p in c if isinstance(p, tuple))
        label = next((self.unquoted(p) for p in c if isinstance(p, Token) and p.type == "STRING"), "")
        return syn.Entry(
            sort,
            more.get("value"),
            label,
            tails.get("as") or identifier(label),
            tuple(str(p) for p in c if isinstance(p, Token) and p.type == "NAME"),
            more.get("numerator", 1),
            more.get("denominator", 1),
            more.get("rounding", ""),
            tails.get("when"),
            tails.get("once"),
            syn.NO_CITES,
            self.span_of(meta),
        )

    def entry_add(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "add", c[1:], value=c[0])

    def entry_set(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "set", c[1:], value=c[0])

    def entry_half(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "times", c[1:], numerator=1, denominator=2, rounding=str(c[0]))

    def entry_times(self, meta: Meta, c: list[Any]) -> syn.Entry:
        ints = [int(p) for p in c if isinstance(p, Token) and p.type == "INT"]
        rounding = next((str(p) for p in c if isinstance(p, Token) and p.type == "UPDOWN"), "down")
        if 0 in ints[1:]:
            raise Malformed("GR0315", self.span_of(meta), "this divides by zero")
        return self._entry(
            meta,
            "times",
            c,
            numerator=ints[0],
            denominator=ints[1] if len(ints) > 1 else 1,
            rounding=rounding,
        )

    def entry_without(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "without", c)

    def entry_bar(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "bar", c)

    def entry_least(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "least", c[1:], value=c[0])

    def entry_most(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "most", c[1:], value=c[0])

    def entry_line(self, meta: Meta, c: list[Any]) -> list[syn.Entry]:
        *entries, cites = c
        return [cited(e, cites) for e in entries]

    def modifiers_decl(self, meta: Meta, c: list[Any]) -> syn.ModifiersDecl:
        name, params, result, cites, *lines = c
        return syn.ModifiersDecl(str(name), params, result, tuple(flat(lines)), cites, self.span_of(meta))

    def rule_inline(self, meta: Meta, c: list[Any]) -> tuple[syn.Stmt, ...]:
        return (syn.CaseStmt(c[0], None, c[1], self.span_of(meta)),)

    def case_stmt(self, meta: Meta, c: list[Any]) -> syn.CaseStmt:
        return syn.CaseStmt(c[0], c[1] if len(c) > 2 else None, c[-1], self.span_of(meta))

    def rule_decl(self, meta: Meta, c: list[Any]) -> syn.RuleDecl:
        name, params, result, cites, body = c
        return syn.RuleDecl(str(name), params, result, body, cites, self.span_of(meta))

    def order_before(self, meta: Meta, c: list[Any]) -> tuple[str, tuple[str, ...]]:
        return ("before", tuple(str(name) for name in c))

    def order_after(self, meta: Meta, c: list[Any]) -> tuple[str, tuple[str, ...]]:
        return ("after", tuple(str(name) for name in c))

    def exception_name(self, meta: Meta, c: list[Any]) -> tuple[str, str]:
        return (str(c[0]), self.unquoted(c[1]) if len(c) > 1 else "")

    def exception_decl(self, meta: Meta, c: list[Any]) -> syn.ExceptionDecl:
        body, cites = c[-1], c[-2]
        called, *head = c[:-2]
        name, label = called or ("", "")
        target_at = next(n for n, p in enumerate(head) if isinstance(p, Token) and p.type == "NAME")
        order: dict[str, tuple[str, ...]] = {"before": (), "after": ()}
        for word, names in (p for p in head if isinstance(p, tuple)):
            order[word] += names
        return syn.ExceptionDecl(
            name,
            label or name.replace("_", " "),
            str(head[target_at]),
            head[target_at + 1],
            order["before"],
            order["after"],
            body,
            cites,
            self.span_of(meta),
        )

    # ---- doing

    def procedure_decl(self, meta: Meta, c: list[Any]) -> syn.ProcedureDecl:
        name, params, result, cites, body = c
        return syn.ProcedureDecl(str(name), params, result, body, cites, self.span_of(meta))

    def action_decl(self, meta: Meta, c: list[Any]) -> syn.ActionDecl:
        name, params, *title, cites, body = c
        return syn.ActionDecl(
            str(name), params, self.unquoted(title[0]) if title else "", body, cites, self.span_of(meta)
        )

    def use(self, meta: Meta, c: list[Any]) -> syn.Use:
        *names, args = c
        return syn.Use(".".join(str(name) for name in names), tuple(args or ()), self.span_of(meta))

    def use_list(self, meta: Meta, c: list[Any]) -> tuple[syn.Use, ...]:
        return tuple(c)

    def menu_line(self, meta: Meta, c: list[Any]) -> syn.MenuItem:
        return syn.MenuItem(c[0], c[1], c[2], self.span_of(meta))

    def menu_decl(self, meta: Meta, c: list[Any]) -> syn.MenuDecl:
        name, params, cites, *items = c
        return syn.MenuDecl(str(name), params, tuple(items), cites, self.span_of(meta))

    def on_decl(self, meta: Meta, c: list[Any]) -> syn.OnDecl:
        name, *middle, condition, cites, body = c
        event = str(name)
        if name.type == "ON_ROLL":
            event, middle = f"{name} {middle[0]}", middle[1:]
        return syn.OnDecl(
            event,
            tuple(str(n) for n in middle if n is not None),
            condition,
            body,
            cites,
            self.span_of(meta),
        )

    def on_change(self, meta: Meta, c: list[Any]) -> syn.OnChangeDecl:
        first, second, param, condition, cites, body = c
        span = self.span_of(meta)
        if (second is None) != (param is None) or (param is not None and param.name != str(first)):
            raise Malformed(
                "GR0101",
                span,
                "say whose field it is",
                f"on {first}.{second} changes, {first}: Unit" if second else f"on {first} changes",
            )
        return syn.OnChangeDecl(param, str(second or first), condition, body, cites, span)
