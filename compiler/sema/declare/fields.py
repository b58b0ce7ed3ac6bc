"""Fields of counters, places, sides and the game; columns, records, relations and bags."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.declare.dice import declare_die
from grognard.compiler.sema.declare.domains import dom_named, plain_number
from grognard.compiler.sema.declare.forms import declare_forms
from grognard.compiler.sema.declare.kinds import drawn_columns
from grognard.compiler.sema.declare.types import axis_dom, resolve_type
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.symbols import BagInfo
from grognard.compiler.sema.types import (
    FLAG,
    Dom,
    FieldInfo,
    Type,
    dom_type,
    int_range,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract.header import NONE
from grognard.support.diagnostics import Label
from grognard.support.suggest import hint_for

#: Values of one field.
MAX_CELLS = 1_000_000


def declare_fields(symbols: Declaring, merged: Merged) -> None:
    declare_forms(symbols, merged, partial(resolve_type, symbols))
    for form in symbols.forms.values():
        titles = {member.name: member.title for member in form.decl.members}
        form.names.titles = [titles.get(n) or n.replace("_", " ") for n in form.names.members]
    for dom in list(symbols.types.values()):
        if dom.sort in ("piece", "record") and dom.alive is None:
            dom.alive = symbols.new_field(f"{dom.name}.alive", (dom,), FLAG)
        if dom.sort == "piece":
            if dom.kind is not None:
                _type_field(symbols, dom)
            if symbols.seats is symbols.sides and not any(f.name == "side" for f in _declared(dom)):
                _plain_field(symbols, dom, "side", dom_type(symbols.sides))  # type: ignore[arg-type]
    for dom in dict.fromkeys(symbols.types.values()):
        decl = dom.decl
        match decl:
            case syn.KindDecl():
                if decl.rows:
                    drawn_columns(symbols, merged, dom, decl)
                for entry in decl.fields:
                    _declare_field(symbols, dom, entry, data=True)
                if dom.within is not None:
                    name = dom.within.name.lower()
                    column = symbols.new_column(f"{dom.name}.{name}", (dom,), dom_type(dom.within))
                    dom.fields[name] = FieldInfo(name, dom_type(dom.within), (), None, dom, column=column)
            case syn.SpaceDecl():
                for entry in decl.fields:
                    if entry.edge:
                        assert dom.edges
                        _declare_field(symbols, dom.edges, entry, data=not entry.state)
                    else:
                        _declare_field(symbols, dom, entry, data=not entry.state)
            case syn.ClassDecl():
                for entry in decl.fields:
                    _declare_field(symbols, dom, entry, data=not entry.state)
            case syn.PieceDecl():
                for entry in decl.fields:
                    _declare_field(symbols, dom, entry, data=False)
                if decl.reset_at:
                    assert dom.alive is not None
                    symbols.reset_at.setdefault(decl.reset_at, []).append(dom.alive)
    for _, decl in merged.decls:
        match decl:
            case syn.OwnerDecl(sort="game"):
                for entry in decl.fields:
                    _declare_field(symbols, None, entry, data=False)
            case syn.OwnerDecl():
                owner = symbols.sides if decl.sort == "side" else symbols.seats
                assert owner
                for entry in decl.fields:
                    _declare_field(symbols, owner, entry, data=False)
            case syn.PieceDecl(record=True, up_to=None):
                _record(symbols, decl)
            case syn.RelationDecl():
                _relation(symbols, decl)
            case syn.BagDecl():
                _bag(symbols, decl)
            case syn.DieDecl():
                declare_die(symbols, decl)
    symbols.passed_field = symbols.new_field("(passed)", (), FLAG)


def _declared(dom: Dom) -> tuple[syn.FieldDecl, ...]:
    return dom.decl.fields if isinstance(dom.decl, syn.PieceDecl) else ()


def _plain_field(symbols: Declaring, dom: Dom, name: str, type_: Type) -> None:
    number = symbols.new_field(f"{dom.name}.{name}", (dom,), type_)
    info = FieldInfo(name, type_, (), None, dom, field=number)
    dom.fields[name] = info
    symbols.fields_by_id[number] = info


def _type_field(symbols: Declaring, dom: Dom) -> None:
    """Which row a counter is; it can be secret while its place is known (a counter face down)."""
    assert dom.kind
    decl = dom.decl
    hidden = decl.secret_type if isinstance(decl, syn.PieceDecl) else None
    if hidden is None:
        _plain_field(symbols, dom, "type", dom_type(dom.kind))
        return
    symbols.cite(hidden.cites)
    kind = syn.TypeExpr("plain", syn.Name(dom.kind.name, hidden.span), None, 0, False, hidden.span)
    entry = syn.FieldDecl(
        "type", (), kind, None, True, hidden.condition, False, False, False, None, None, None, hidden.cites, hidden.span,
    )  # fmt: skip
    number = symbols.new_field(f"{dom.name}.type", (dom,), dom_type(dom.kind, True))
    symbols.fields[number] = replace(symbols.fields[number], default=0)
    info = FieldInfo("type", dom_type(dom.kind), (), entry, dom, field=number, secret=True, veiled=True)
    info.known = symbols.new_field(f"{dom.name}.type (known)", (dom,), FLAG)
    dom.fields["type"] = info
    symbols.fields_by_id[number] = info


def _declare_field(symbols: Declaring, owner: Dom | None, entry: syn.FieldDecl, data: bool) -> None:
    symbols.cite(entry.cites)
    type_ = resolve_type(symbols, entry.type)
    axes = tuple(axis for axis in (axis_dom(symbols, a) for a in entry.axes) if axis is not None)
    dims = ((owner,) if owner is not None else ()) + axes
    room = 1
    for dom in dims:
        room *= max(1, dom.up_to if dom.sort in ("piece", "record") else len(dom.members))
    if room > MAX_CELLS:
        symbols.sink.error(
            "GR0611", entry.span, f"`{entry.name}` would take {room:,} values, at most {MAX_CELLS:,} fit"
        )
        return
    table = owner.fields if owner is not None else symbols.globals
    if entry.name in table:
        first = table[entry.name].decl
        symbols.sink.error(
            "GR0205",
            entry.span,
            f"`{entry.name}` is declared twice",
            labels=(Label(first.span, "first declared here"),) if first else (),
        )
        return
    if owner is not None and entry.name == "side" and "side" in owner.fields:
        return
    if type_.sort == "record":
        _form_field(symbols, owner, entry, type_, axes, data)
        return
    info = _store_field(symbols, owner, entry, type_, axes, data)
    table[entry.name] = info
    if owner is not None and owner.seat:
        symbols.seat_fields[entry.name] = info


def _form_field(
    symbols: Declaring,
    owner: Dom | None,
    entry: syn.FieldDecl,
    type_: Type,
    axes: tuple[Dom, ...],
    data: bool,
) -> None:
    """A field that holds a form: one field for its name and one for each of its parts."""
    form = type_.form
    if form is None or data or axes:
        what = "a record" if form is None else "a form"
        symbols.sink.error(
            "GR0301",
            entry.span,
            f"{what} cannot be kept here",
            hint="a form is kept in a field of a piece, a side or the game" if form else "declare a `form`",
        )
        return
    if not type_.optional and form.decl.members and form.filled.get(form.decl.members[0].name):
        missing = ", ".join(sorted(form.filled[form.decl.members[0].name]))
        symbols.sink.error(
            "GR0304",
            entry.span,
            f"at the start this is `{form.decl.members[0].name}`, which needs {missing}",
            hint=f"put a member without fields first, or write {entry.name}: {form.name}?",
        )
    info = FieldInfo(entry.name, type_, (), entry, owner, secret=entry.secret, parts={})
    table = owner.fields if owner is not None else symbols.globals
    table[entry.name] = info
    assert info.parts is not None
    for key, kind in form.record.fields.items():
        if key == "name":
            kind = dom_type(form.names, type_.optional)
        part = replace(entry, name=f"{entry.name}.{key}", default=entry.default if key == "name" else None)
        info.parts[key] = _store_field(symbols, owner, part, kind, (), False)
        table[part.name] = info.parts[key]


def _store_field(
    symbols: Declaring,
    owner: Dom | None,
    entry: syn.FieldDecl,
    type_: Type,
    axes: tuple[Dom, ...],
    data: bool,
) -> FieldInfo:
    dims = ((owner,) if owner is not None else ()) + axes
    label = f"{owner.name if owner else 'game'}.{entry.name}"
    info = FieldInfo(
        entry.name,
        type_,
        axes,
        entry,
        owner,
        secret=entry.secret,
        follows=entry.follows,
        clamped=entry.clamped,
        edge=entry.edge,
    )
    if data:
        info.column = symbols.new_column(label, dims, type_)
    else:
        default = _start_value(symbols, entry, type_)
        info.field = symbols.new_field(label, dims, type_, default)
        symbols.fields_by_id[info.field] = info
        if entry.edge:
            info.printed = symbols.new_column(f"{label} (printed)", dims, type_)
        if entry.secret:
            info.known = symbols.new_field(f"{label} (known)", dims, FLAG)
        if entry.reset_at:
            symbols.reset_at.setdefault(entry.reset_at, []).append(info.field)
        if entry.per:
            symbols.reset_per.setdefault(entry.per, []).append(info.field)
    return info


def _start_value(symbols: Declaring, entry: syn.FieldDecl, type_: Type) -> int:
    """The start value: as written, else none for optionals, else the lowest value that is not below 0."""
    if entry.default is not None:
        expr = entry.default
        if isinstance(expr, syn.NoneLit) and type_.optional:
            return NONE
        if isinstance(expr, syn.FlagLit) and type_.sort == "flag":
            return int(expr.value)
        if isinstance(expr, syn.Name) and type_.sort == "dom" and type_.dom and type_.dom.from_code:
            place = type_.dom.index(expr.id)
            if place is not None:
                return place
            symbols.sink.error(
                "GR0204",
                expr.span,
                f"{type_.dom.name} has no `{expr.id}`",
                hint=hint_for(expr.id, type_.dom.members),
            )
            return 0
        if type_.sort == "int" and isinstance(expr, syn.Number | syn.UnaryExpr):
            value = plain_number(symbols, expr)
            if not type_.lo <= value <= type_.hi:
                symbols.sink.error("GR0304", expr.span, f"{value} is outside {type_}")
            return value
        symbols.sink.error("GR0301", expr.span, f"this is not a {type_}")
        return 0
    if type_.optional:
        return NONE
    if type_.sort == "int":
        return min(max(0, type_.lo), type_.hi)
    return 0


def _record(symbols: Declaring, decl: syn.PieceDecl) -> None:
    record = symbols.records[decl.name]
    for entry in decl.fields:
        if entry.name in record.fields:
            symbols.sink.error("GR0205", entry.span, f"`{entry.name}` is declared twice")
        if entry.axes:
            axis = axis_dom(symbols, entry.axes[0])
            if axis is not None:
                for member in axis.members:
                    record.fields[f"{entry.name}({member})"] = resolve_type(symbols, entry.type)
            continue
        record.fields[entry.name] = resolve_type(symbols, entry.type)


def _relation(symbols: Declaring, decl: syn.RelationDecl) -> None:
    left = dom_named(symbols, decl.left, decl.span, ("power", "side", "kind", "enum", "place", "piece"))
    right = dom_named(symbols, decl.right, decl.span, ("power", "side", "kind", "enum", "place", "piece"))
    if left is None or right is None:
        symbols.broken.add(decl.name)
        return
    symbols.cite(decl.cites)
    info = FieldInfo(decl.name, FLAG, (left, right), None, None)
    info.field = symbols.new_field(decl.name, (left, right), FLAG)
    symbols.fields_by_id[info.field] = info
    info.follows = "mutual" if decl.mutual else None
    symbols.relations[decl.name] = info
    if decl.reset_at:
        symbols.reset_at.setdefault(decl.reset_at, []).append(info.field)


def _bag(symbols: Declaring, decl: syn.BagDecl) -> None:
    kind = dom_named(symbols, decl.kind, decl.span, ("kind", "enum"))
    if kind is None:
        symbols.broken.add(decl.name)
        return
    symbols.cite(decl.cites)
    info = FieldInfo(decl.name, int_range(0, 999), (kind,), None, None)
    info.field = symbols.new_field(decl.name, (kind,), int_range(0, 999))
    symbols.fields_by_id[info.field] = info
    symbols.bags[decl.name] = BagInfo(decl.name, kind, info, decl)


def check_carriers(symbols: Declaring) -> None:
    """`at: Hex? follows carrier`: a field of the same counter, which names a counter that has this field too."""
    for dom in symbols.doms:
        for info in dom.fields.values():
            if info.follows is None or info.decl is None or info.owner is None:
                continue
            carrier = dom.fields.get(info.follows)
            held = carrier.type.dom if carrier is not None else None
            if carrier is None:
                symbols.sink.error(
                    "GR0203",
                    info.decl.span,
                    f"{dom.name} has no field `{info.follows}` to follow",
                    hint=hint_for(info.follows, list(dom.fields)),
                )
            elif carrier.type.sort != "unknown" and (
                held is None
                or info.name not in held.fields
                or held.fields[info.name].type.dom is not info.type.dom
            ):
                symbols.sink.error(
                    "GR0301",
                    info.decl.span,
                    f"`{info.follows}` is {carrier.type.words}: it must name a counter with a field `{info.name}` of this type",
                )
