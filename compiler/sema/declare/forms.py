"""Forms: sheets that a player fills in - one of the form's members, then what that member asks for.

A form becomes a kind of its members' names with the declared columns, and a record of the name and of every field
that some member asks for.  Each member becomes a sheet: the statements that ask for its fields, of which the part
before the first route or set is promised like the declaration part of an action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.layers.merge import walk
from grognard.compiler.lower.choices.asking import (
    deciding_seat,
    end_with_ask,
    lower_instead,
)
from grognard.compiler.lower.choices.subsets import lower_choose_some
from grognard.compiler.lower.geometry.routes import (
    begins,
    choose_route,
    route_type,
)
from grognard.compiler.sema.scope import (
    Binding,
    Code,
    Scope,
    Value,
    assign_local,
    flatten,
)
from grognard.compiler.sema.types import (
    UNKNOWN,
    FormInfo,
    RecordInfo,
    Type,
    dom_type,
    join,
)
from grognard.compiler.sema.world import Callable_, World
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import DONE, NONE
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.layers.merge import Merged
    from grognard.compiler.lower.stmts.statements import Stmts
    from grognard.support.diagnostics import Sink

# ------------------------------------------------------------------------------------------ declarations


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


def declare_forms(world: World, merged: Merged, resolve: Any) -> None:
    """The record of each form; its names are known already."""
    for _, decl in merged.decls:
        if isinstance(decl, syn.FormDecl):
            names = world.types.get(decl.name)
            if names is not None and names.sort == "kind":
                world.records[decl.name] = RecordInfo(decl.name, {}, decl.span)
                made = FormInfo(decl.name, names, world.records[decl.name], [], decl)
                world.records[decl.name].form = world.forms[decl.name] = made
    for form in world.forms.values():
        form.params += [(param.name, resolve(param.type)) for param in form.decl.params]
        _parts(world, merged, form, resolve)


def _parts(world: World, merged: Merged, form: FormInfo, resolve: Any) -> None:
    decl, sink = form.decl, world.sink
    fields = form.record.fields
    fields["name"] = dom_type(form.names)
    columns = {column.name for column in decl.columns}
    seen: set[str] = set()
    common = [item for item in decl.body if isinstance(item, syn.FormField)]
    for member in decl.members:
        if member.name in seen:
            sink.error("GR0205", member.span, f"`{member.name}` stands twice in {decl.name}")
        seen.add(member.name)
        world.cite(member.cites)
        own: set[str] = set()
        filled = form.filled.setdefault(member.name, set())
        for item in [*(i for i in member.body if isinstance(i, syn.FormField)), *common]:
            world.cite(item.cites)
            if item.name in own or item.name == "name" or item.name in columns:
                sink.error("GR0205", item.span, f"`{item.name}` has a meaning in {decl.name} already")
                continue
            own.add(item.name)
            type_ = _field_type(world, merged, item, resolve)
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


def _field_type(world: World, merged: Merged, item: syn.FormField, resolve: Any) -> Type:
    if item.type is not None:
        type_: Type = resolve(item.type)
        if type_.sort == "record":
            world.sink.error("GR0301", item.span, "a form cannot ask for a record or another form")
            return UNKNOWN
        if type_.sort == "list" and item.value is None:
            world.sink.error(
                "GR0301", item.span, "a list is not asked for", hint="a route is: `name: along walk(u)`"
            )
            return UNKNOWN
        return type_
    assert item.route is not None
    for _, decl in merged.decls:
        if isinstance(decl, syn.MovementDecl) and decl.name == item.route.name:
            space = world.types.get(decl.space)
            if space is not None and space.sort == "place":
                return route_type(space, decl.room)
    known = [d.name for _, d in merged.decls if isinstance(d, syn.MovementDecl)]
    world.sink.error(
        "GR0207",
        item.route.span,
        f"there is no movement `{item.route.name}`",
        hint=hint_for(item.route.name, known),
    )
    return UNKNOWN


def sheets(world: World) -> None:
    """A callable for each member: what is required, and what is asked for, in order."""
    for form in world.forms.values():
        for member in form.decl.members:
            name = f"{form.name}.{member.name}"
            body = _statements(form, member)
            decl = syn.ActionDecl(name, form.decl.params, member.title, body, member.cites, member.span)
            entry = Callable_(name, "form", form.params, None, decl, member.span, member.cites.ids)
            entry.used = True
            world.callables[name] = entry
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
            made.append(_lacking(name, type_, span))
    for item in items:
        made += [item] if isinstance(item, syn.RequireStmt) else _asked(item)
    return tuple(made)


def _lacking(name: str, type_: Type, span: Any) -> syn.Let:
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
        return [syn.RequireStmt(begins(route), "no way", item.cites, span), route]
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


# ----------------------------------------------------------------------------------------------- choosing


def choose_form(
    stmts: Stmts, statement: syn.ChooseStmt, form: FormInfo, scope: Scope, done: int | None, done_when: Any
) -> None:
    """Ask for a member, then for its fields; the choice is a record of locals."""
    m, lowerer = stmts.m, stmts.lowerer
    type_ = Type("record", record=form.record, optional=statement.may)
    given = _given(stmts, statement, form, scope)
    if given is None:
        stmts.declare_local(scope, statement.name, UNKNOWN, False, statement.name_span)
        return
    seat = stmts.freeze(deciding_seat(stmts, statement.by, scope, statement.span))
    before, m.me = m.me, seat
    function, args = _candidates(stmts, statement, form, scope, seat, given)
    tag = m.variable(statement.name, dom_type(form.names, statement.may))
    following, declined = m.new_block(), m.new_block()
    empty: int | None = done
    otherwise: int | None = None
    if statement.otherwise is not None:
        empty = otherwise = m.new_block()
    elif statement.may and done is None:
        empty = declined
    elif done is None and not _always(lowerer, form, statement):
        stmts.sink.error(
            "GR0703",
            statement.span,
            f"there may be nothing to choose for `{statement.name}`",
            hint="add `, else return`, make it `may choose`, or give the form a member without requirements",
        )
    extra = NONE if statement.may else (DONE if done is not None else None)
    names = dom_type(form.names)
    end_with_ask(
        stmts, statement, function, args, seat, tag, following, empty, names, extra, done_when, scope
    )
    result = stmts.declare_local(scope, statement.name, type_, False, statement.name_span)
    if otherwise is not None:
        m.switch(otherwise)
        assert statement.otherwise is not None
        lower_instead(stmts, statement.otherwise, scope)
    end = m.new_block()
    m.switch(declined)
    assign_local(m, result, blank_form(stmts.code, type_, ir.Const(NONE)))
    m.jump(end)
    m.switch(following)
    nowhere = lowerer.nowhere
    if done is not None:
        go_on = m.new_block()
        m.end(ir.Branch(ir.Binary("eq", tag.expr, ir.Const(DONE), nowhere), done, go_on))
        m.switch(go_on)
    assign_local(m, result, blank_form(stmts.code, type_, tag.expr))
    for member in form.decl.members:
        inside, otherwise_block = m.new_block(), m.new_block()
        value = stmts.member(member.name, form.names)
        if value is None:
            continue
        m.end(ir.Branch(ir.Binary("eq", tag.expr, value.expr, nowhere), inside, otherwise_block))
        m.switch(inside)
        _fill_in(stmts, form, member, given, result)
        m.jump(end)
        m.switch(otherwise_block)
    m.go_to(end)
    m.me = before


def _given(stmts: Stmts, statement: syn.ChooseStmt, form: FormInfo, scope: Scope) -> list[Value] | None:
    if len(statement.given) != len(form.params):
        wanted = ", ".join(f"{name}: {type_}" for name, type_ in form.params)
        stmts.sink.error(
            "GR0302",
            statement.span,
            f"form {form.name} is filled in for {len(form.params) or 'no'} value{'s'[: len(form.params) != 1]}, "
            f"{len(statement.given)} given",
            hint=f"choose {statement.name}: {form.name} for {wanted}" if wanted else None,
        )
        return None
    made = [
        stmts.checked(expr, scope, type_, f"`{name}`")
        for expr, (name, type_) in zip(statement.given, form.params, strict=True)
    ]
    if any(kind.sort == "unknown" for kind in (*(v.type for v in made), *(t for _, t in form.params))):
        return None
    return [
        stmts.freeze(Value(type_, value.expr, value.record))
        for value, (_, type_) in zip(made, form.params, strict=True)
    ]


def _always(lowerer: Any, form: FormInfo, statement: syn.ChooseStmt) -> bool:
    """Whether some member can be filled in whatever the state."""
    if statement.where is not None:
        return False
    return any(
        not any(isinstance(s, syn.RequireStmt) or (isinstance(s, syn.ChooseStmt) and not s.may) for s in body)
        for name in form.sheets.values()
        for body in [lowerer.world.callables[name].decl.body]
    )


def _candidates(
    stmts: Stmts, statement: syn.ChooseStmt, form: FormInfo, scope: Scope, seat: Value, given: list[Value]
) -> tuple[int, tuple[Any, ...]]:
    """Function(me, given, what the filter reads): the members that can be filled in."""
    lowerer = stmts.lowerer
    assert lowerer.world.seats
    code = Code(f"members of {form.name}", stmts.code.owner, pure=True, machine=False)
    code.me = code.variable("me", dom_type(lowerer.world.seats))
    args: list[Any] = [seat.expr]
    values = [code.variable(name, type_) for name, type_ in form.params]
    args += [part for value in given for part in flatten(value)]
    inner = Scope()
    if statement.where is not None:
        for name in lowerer.candidates.captures(statement, scope, None):
            bound = scope.find(name)
            if bound is not None and bound.value.type.sort != "unknown":
                inner.names[name] = Binding(code.variable(name, bound.value.type), False, bound.span)
                args += flatten(bound.value)
    params = len(code.locals)
    from grognard.compiler.lower.stmts.statements import Stmts

    sub = Stmts(lowerer, code)
    for member in form.decl.members:
        tag = sub.member(member.name, form.names)
        if tag is None:
            continue
        flat = [code.me.expr, *(part for value in values for part in flatten(value))]
        able: Any = ir.Call(
            lowerer.actions.can_begin(lowerer.world.callables[form.sheets[member.name]]), tuple(flat)
        )
        if statement.where is not None:
            choice = inner.child()
            choice.names[statement.name] = Binding(tag, False, statement.span)
            able = ir.Binary("and", sub.condition(statement.where, choice), able, lowerer.nowhere)
        code.emit(ir.IfStmt(able, (ir.Yield(tag.expr),)))
    site = lowerer.site("loop", "candidates", statement.span, owner=stmts.code.owner)
    return lowerer.new_function(code, params, None, site), tuple(args)


def _fill_in(stmts: Stmts, form: FormInfo, member: syn.FormMember, given: list[Value], result: Value) -> None:
    entry = stmts.world.callables[form.sheets[member.name]]
    sheet = Scope()
    for (name, _), value in zip(form.params, given, strict=True):
        sheet.names[name] = Binding(value, False, member.span)
    promised = len(stmts.lowerer.actions.declaration(entry))
    routes = {s.name for s in entry.decl.body if isinstance(s, syn.ChooseRouteStmt)}
    for place, statement in enumerate(entry.decl.body):
        match statement:
            case syn.ChooseStmt():
                stmts.world.cite(statement.cites)
                rest = (entry, place + 1) if place < promised else None
                # One place of a route can always be picked: no route is without any.
                source = statement.source.id if isinstance(statement.source, syn.Name) else ""
                proven = statement.where is None and source in routes
                stmts.choose(statement, sheet, rest=rest, proven=proven)
            case syn.ChooseSomeStmt():
                stmts.world.cite(statement.cites)
                rest = (entry, place + 1) if place < promised else None
                lower_choose_some(stmts, statement, sheet, rest=rest)
            case syn.ChooseRouteStmt():
                choose_route(stmts, statement, sheet, proven=True)
            case syn.RequireStmt():
                sheet.facts.update(stmts.facts(statement.condition, sheet, True))
                stmts.demanded.append(statement.condition)
            case _:
                stmts.statement(statement, sheet)
    assert result.record is not None
    fields = {i.name for i in (*member.body, *form.decl.body) if isinstance(i, syn.FormField)}
    for name, part in result.record.items():
        bound = sheet.find(name) if name in fields else None
        if bound is not None and bound.value.type.sort != "unknown":
            assign_local(stmts.code, part, bound.value)


# ------------------------------------------------------------------------------------------------- values


def blank_parts(code: Code, form: FormInfo, name: Any, optional: bool) -> dict[str, Value]:
    """The parts of a form of which only the name is known."""
    parts: dict[str, Value] = {}
    for key, type_ in form.record.fields.items():
        if key == "name":
            parts[key] = Value(dom_type(form.names, optional), name)
        elif type_.sort == "set":
            assert type_.dom
            parts[key] = Value(type_, ir.SetOf(type_.dom.id, ()))
        elif type_.sort == "list":
            # A local that nothing writes is an empty list.
            parts[key] = code.variable("(nothing)", type_)
        else:
            parts[key] = Value(type_, ir.Const(0 if type_.sort == "flag" else NONE))
    return parts


def blank_form(code: Code, type_: Type, name: Any) -> Value:
    """A form of which only the name is known."""
    assert type_.form
    return Value(type_, None, blank_parts(code, type_.form, name, type_.optional))


def form_of(world: World, type_: syn.TypeExpr | None) -> FormInfo | None:
    """The form that a written type names."""
    if type_ is not None and type_.sort == "plain" and isinstance(type_.base, syn.Name):
        return world.forms.get(type_.base.id)
    return None
