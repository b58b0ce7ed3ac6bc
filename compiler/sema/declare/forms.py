"""Declarations of forms.  A player fills a form in: one of its members first, then the fields of that member.

A form becomes a kind of its members' names with the declared columns, and a record of the name and of every field
of any member.  Each member becomes a sheet: a callable of the statements that ask for its fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.routes import route_exists, route_type
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.types import (
    UNKNOWN,
    FormInfo,
    RecordInfo,
    Type,
    dom_type,
    join,
)
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.layers.merge import Merged
    from grognard.support.diagnostics import Sink


def names_kind(decl: syn.FormDecl, sink: Sink) -> syn.KindDecl:
    """The members of a form as a kind drawn in rows."""
    columns = [column.name for column in decl.columns]
    heading = syn.Row(tuple((text, decl.span) for text in ("name", *columns)), decl.span)
    rows = [heading]
    for member in decl.members:
        given = {named.name: named for named in member.columns}
        for name, named in given.items():
            if name not in columns:
                sink.error(
                    "GR0203",
                    named.span,
                    f"form {decl.name} has no column `{name}`",
                    hint=hint_for(name, columns),
                )
        cells = [(member.name, member.span)]
        for column in decl.columns:
            found = given[column.name].value if column.name in given else column.default
            if found is None and column.type.optional:
                cells.append(("-", member.span))
            elif found is None:
                sink.error("GR0603", member.span, f"`{member.name}` lacks the column `{column.name}`")
                least = column.type.base.lo if isinstance(column.type.base, syn.RangeExpr) else None
                cells.append((_cell(least, sink) if least is not None else "?", member.span))
            else:
                cells.append((_cell(found, sink), found.span))
        rows.append(syn.Row(tuple(cells), member.span))
    return syn.KindDecl(
        decl.name, None, None, tuple(rows), decl.columns, False, decl.cites, decl.span, typed=True
    )


def _cell(expr: syn.Expr, sink: Sink) -> str:
    match expr:
        case syn.Number(text=text) | syn.Name(id=text) | syn.Text(value=text):
            return text
        case syn.UnaryExpr(op="neg", value=syn.Number(text=text)):
            return f"-{text}"
        case syn.FlagLit(value=value):
            return "yes" if value else "no"
        case syn.NoneLit():
            return "-"
        case syn.SetLiteral(items=items):
            return ", ".join(_cell(item, sink) for item in items) or "-"
    sink.error("GR0301", expr.span, "a plain value is needed here: a number, a member, yes or no")
    return "-"


def declare_forms(symbols: Declaring, merged: Merged, resolve: Any) -> None:
    """Declare the record of each form.  Its kind is declared already."""
    for _, decl in merged.decls:
        if isinstance(decl, syn.FormDecl):
            names = symbols.types.get(decl.name)
            if names is not None and names.sort == "kind":
                symbols.records[decl.name] = RecordInfo(decl.name, {}, decl.span)
                made = FormInfo(decl.name, names, symbols.records[decl.name], [], decl)
                symbols.records[decl.name].form = symbols.forms[decl.name] = made
    for form in symbols.forms.values():
        form.params += [(param.name, resolve(param.type)) for param in form.decl.params]
        _parts(symbols, merged, form, resolve)


def _parts(symbols: Declaring, merged: Merged, form: FormInfo, resolve: Any) -> None:
    decl, sink = form.decl, symbols.sink
    fields = form.record.fields
    fields["name"] = dom_type(form.names)
    columns = {column.name for column in decl.columns}
    seen: set[str] = set()
    common = [item for item in decl.body if isinstance(item, syn.FormField)]
    for member in decl.members:
        if member.name in seen:
            sink.error("GR0205", member.span, f"`{member.name}` stands twice in {decl.name}")
        seen.add(member.name)
        symbols.cite(member.cites)
        own: set[str] = set()
        filled = form.filled.setdefault(member.name, set())
        for item in [*(i for i in member.body if isinstance(i, syn.FormField)), *common]:
            symbols.cite(item.cites)
            if item.name in own or item.name == "name" or item.name in columns:
                sink.error("GR0205", item.span, f"`{item.name}` has a meaning in {decl.name} already")
                continue
            own.add(item.name)
            type_ = _field_type(symbols, merged, item, resolve)
            if type_.sort not in ("set", "list", "flag") and not type_.optional:
                filled.add(item.name)
            stored = type_ if type_.sort in ("set", "list", "flag", "unknown") else type_.maybe()
            before = fields.get(item.name)
            both = stored if before is None else join(before, stored)
            if both is None:
                sink.error(
                    "GR0301",
                    item.span,
                    f"`{item.name}` is {stored.words} here, and {before.words if before else ''} in another member",
                    hint="give it another name, or the same type",
                )
                continue
            fields[item.name] = both


def _field_type(symbols: Declaring, merged: Merged, item: syn.FormField, resolve: Any) -> Type:
    if item.type is not None:
        type_: Type = resolve(item.type)
        if type_.sort == "record":
            symbols.sink.error("GR0301", item.span, "a form cannot ask for a record or another form")
            return UNKNOWN
        if type_.sort == "list" and item.value is None:
            symbols.sink.error(
                "GR0301", item.span, "a list is not asked for", hint="a route is: `name: along walk(u)`"
            )
            return UNKNOWN
        return type_
    assert item.route is not None
    for _, decl in merged.decls:
        if isinstance(decl, syn.MovementDecl) and decl.name == item.route.name:
            space = symbols.types.get(decl.space)
            if space is not None and space.sort == "place":
                return route_type(space, decl.room)
    known = [d.name for _, d in merged.decls if isinstance(d, syn.MovementDecl)]
    symbols.sink.error(
        "GR0207",
        item.route.span,
        f"there is no movement `{item.route.name}`",
        hint=hint_for(item.route.name, known),
    )
    return UNKNOWN


def sheets(symbols: Declaring) -> None:
    """Declare a callable for each member: its requirements and its questions, in order."""
    for form in symbols.forms.values():
        for member in form.decl.members:
            name = f"{form.name}.{member.name}"
            body = _statements(form, member)
            decl = syn.ActionDecl(name, form.decl.params, member.title, body, member.cites, member.span)
            entry = Callable_(name, "form", form.params, None, decl, member.span, member.cites.ids)
            symbols.callables[name] = entry
            form.sheets[member.name] = name


def _statements(form: FormInfo, member: syn.FormMember) -> tuple[syn.Stmt, ...]:
    decl = form.decl
    items = [
        *(item for item in decl.body if isinstance(item, syn.RequireStmt)),
        *member.body,
        *(item for item in decl.body if isinstance(item, syn.FormField)),
    ]
    used = {node.id for item in items for node in walk(item) if isinstance(node, syn.Name)}
    own = {item.name for item in items if isinstance(item, syn.FormField)}
    span = member.span
    here = syn.Dot(syn.Name(form.name, span), member.name, span, span)
    made: list[syn.Stmt] = []
    if "name" in used:
        made.append(syn.Let("name", None, here, False, syn.NO_CITES, span))
    for column in decl.columns:
        if column.name in used:
            value = syn.Dot(here, column.name, span, span)
            made.append(syn.Let(column.name, None, value, False, syn.NO_CITES, span))
    for name, type_ in form.record.fields.items():
        if name in used and name not in own and name != "name":
            made.append(_absent_field(name, type_, span))
    for item in items:
        made += [item] if isinstance(item, syn.RequireStmt) else _asked(item)
    return tuple(made)


def _absent_field(name: str, type_: Type, span: Any) -> syn.Let:
    """A field that another member asks for reads as none, no or empty here."""
    kind: syn.TypeExpr
    value: syn.Expr = syn.NoneLit(span)
    if type_.sort in ("set", "list"):
        value = syn.SetLiteral((), span)
        dom = type_.dom if type_.sort == "set" else (type_.element.dom if type_.element else None)
        element = syn.TypeExpr("plain", syn.Name(dom.name if dom else "int", span), None, 0, False, span)
        kind = syn.TypeExpr(type_.sort, None, element, type_.capacity, False, span)
    elif type_.sort == "flag":
        value = syn.FlagLit(False, span)
        kind = syn.TypeExpr("plain", syn.Name("flag", span), None, 0, False, span)
    else:
        dom = type_.dom
        kind = syn.TypeExpr("plain", syn.Name(dom.name if dom else "int", span), None, 0, True, span)
    return syn.Let(name, kind, value, False, syn.NO_CITES, span)


def _asked(item: syn.FormField) -> list[syn.Stmt]:
    span = item.span
    if item.value is not None:
        return [syn.Let(item.name, item.type, item.value, False, item.cites, span)]
    if item.route is not None:
        route = syn.ChooseRouteStmt(
            item.name, item.route, item.goal, None, item.label, None, item.cites, span, span
        )
        return [syn.RequireStmt(route_exists(route), "no way", item.cites, span), route]
    assert item.type is not None
    if item.type.sort == "set":
        assert item.type.element is not None
        source = item.source or item.type.element.base or syn.NoneLit(span)
        return [
            syn.ChooseSomeStmt(
                item.name,
                source,
                item.where,
                None,
                item.label,
                None,
                item.up_to,
                None,
                None,
                None,
                None,
                item.name,
                None,
                item.cites,
                span,
            )
        ]
    kind = None if item.source is not None else item.type
    return [
        syn.ChooseStmt(
            item.name, (), kind, item.source, item.where, None, item.label, item.type.optional, False, (), None, item.cites, span, span,
        )
    ]  # fmt: skip


def form_of(symbols: Symbols, type_: syn.TypeExpr | None) -> FormInfo | None:
    """The form that a written type names."""
    if type_ is not None and type_.sort == "plain" and isinstance(type_.base, syn.Name):
        return symbols.forms.get(type_.base.id)
    return None
