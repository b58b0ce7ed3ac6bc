"""Expressions: names and types resolved, lowered to the IR.

Every method returns a Value; after an error it returns one of type UNKNOWN, so that one mistake gives one message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler import ir
from grognard.compiler import syntax as syn
from grognard.compiler.builtins import BUILTINS, SOURCES, VERBS
from grognard.compiler.diagnostics import Label
from grognard.compiler.facts import Facts
from grognard.compiler.forms import blank_parts
from grognard.compiler.movements import Going
from grognard.compiler.scope import Binding, Code, Scope, Value, flatten, path_of
from grognard.compiler.source import Span
from grognard.compiler.suggest import hint_for
from grognard.compiler.types import (
    FLAG,
    INT,
    INT_HI,
    INT_LO,
    NONE_TYPE,
    UNKNOWN,
    Dom,
    FieldInfo,
    FormInfo,
    Type,
    accepts,
    dom_type,
    int_range,
    join,
    set_type,
)
from grognard.compiler.watch import lower_ever_since
from grognard.compiler.world import Callable_
from grognard.values import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower import Lowerer

COMPARISONS = {"lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}


class Exprs(Facts):
    """Lowers expressions in the code being built."""

    def __init__(self, lowerer: Lowerer, code: Code) -> None:
        super().__init__(lowerer)
        self.sink = lowerer.world.sink
        self.code = code
        #: lowering the condition of a phase, of which more is said when it never holds
        self.in_phase = False

    # ------------------------------------------------------------------------------------------- entry points

    def value(self, expr: syn.Expr, scope: Scope, want: Type | None = None) -> Value:
        """Lower; `want` is the expected type, where members and places are looked up."""
        form = want.form if want is not None else None
        inner = dom_type(form.names) if form is not None and isinstance(expr, syn.Name) else want
        made = self._value(expr, scope, inner)
        # A test tells more of what may be none, and of a place that may be of several classes.
        dom = made.type.dom
        if made.type.optional or (dom is not None and (dom.classes or dom.parts)):
            path = path_of(expr)
            known = scope.fact(path) if path else None
            if known is not None:
                made = Value(known if known.sort != "none" else made.type, made.expr, made.record)
        if form is not None and made.record is None and made.type.sort != "unknown":
            assert want is not None
            made = self._bare_form(made, expr, want, form)
        return made

    # ---- forms

    def blank_form(self, type_: Type, name: Any) -> Value:
        """A form of which only the name is known."""
        assert type_.form
        return Value(type_, None, blank_parts(self.code, type_.form, name, type_.optional))

    def _bare_form(self, made: Value, expr: syn.Expr, want: Type, form: FormInfo) -> Value:
        """`none`, or the bare name of a member that asks for nothing, where a form is wanted."""
        if made.type.sort == "none":
            return self.blank_form(want, made.expr) if want.optional else made
        if made.type.dom is not form.names:
            return made
        name = expr.id if isinstance(expr, syn.Name) else expr.name if isinstance(expr, syn.Dot) else ""
        if name not in form.filled:
            self.sink.error("GR0301", expr.span, f"this is only the name of {form.name}, not what it says")
            return Value(UNKNOWN, ir.Const(0))
        if form.filled[name]:
            missing = ", ".join(f"{key} = ..." for key in form.record.fields if key in form.filled[name])
            self.sink.error("GR0302", expr.span, f"`{name}` is not complete", hint=f"write {name}({missing})")
        return self.blank_form(want.required(), made.expr)

    def _fill_form(self, form: FormInfo, name: str, expr: syn.CallExpr, scope: Scope) -> Value:
        """`move(route = r)`: a form written out."""
        type_ = Type("record", record=form.record)
        tag = self.member(name, form.names)
        member = next((m for m in form.decl.members if m.name == name), None)
        if tag is None or member is None:
            self.sink.error(
                "GR0204", expr.span, f"{form.name} has no `{name}`", hint=hint_for(name, form.names.members)
            )
            return Value(UNKNOWN, ir.Const(0))
        parts = blank_parts(self.code, form, tag.expr, False)
        asked = [f.name for f in (*member.body, *form.decl.body) if isinstance(f, syn.FormField)]
        given = dict(zip(asked, expr.args, strict=False))
        if len(expr.args) > len(asked):
            self.sink.error("GR0302", expr.span, f"`{name}` asks for {_values(len(asked))}")
        for named in expr.named:
            if named.name not in asked:
                self.sink.error(
                    "GR0203", named.span, f"`{name}` has no `{named.name}`", hint=hint_for(named.name, asked)
                )
                continue
            given[named.name] = named.value
        for key, value in given.items():
            kind = form.record.fields[key]
            want = kind.required() if key in form.filled[name] else kind
            parts[key] = Value(kind, self.checked(value, scope, want, f"`{key}`").expr)
        for key in form.record.fields:
            if key in form.filled[name] and key not in given:
                self.sink.error("GR0302", expr.span, f"`{name}` needs `{key}`")
        return Value(type_, None, parts)

    def _form_is(self, expr: syn.BinaryExpr, left: Value, form: FormInfo, scope: Scope) -> ir.Expr:
        """Whether a form is of a member, none, or the same as another in all its parts."""
        site = self.lowerer.nowhere
        assert left.record is not None
        name = left.record["name"]
        if isinstance(expr.right, syn.NoneLit):
            return ir.Binary("eq", name.expr, ir.Const(NONE), site)
        kind = self.type_of(expr.right, scope)
        if kind is not None and kind.form is form:
            right = self.value(expr.right, scope)
            assert right.record is not None
            same: Any = None
            for key, part in left.record.items():
                other = right.record[key]
                if part.type.sort == "set":
                    test: Any = ir.SetEqual(part.expr, other.expr)
                elif part.type.sort == "list":
                    test = self._same_lists(part, other)
                else:
                    test = ir.Binary("eq", part.expr, other.expr, site)
                same = test if same is None else ir.Binary("and", same, test, site)
            return same
        found = self.checked(expr.right, scope, dom_type(form.names, True))
        if found.type.sort == "unknown":
            return ir.Const(0)
        return ir.Binary("eq", name.expr, found.expr, site)

    def checked(self, expr: syn.Expr, scope: Scope, want: Type, what: str = "this") -> Value:
        """Lower and demand the type."""
        made = self.value(expr, scope, want)
        self.demand(made, want, expr.span, what)
        return made

    def condition(self, expr: syn.Expr, scope: Scope) -> ir.Expr:
        made = self.value(expr, scope, FLAG)
        if made.type.sort not in ("flag", "unknown"):
            self.sink.error(
                "GR0306",
                expr.span,
                f"a condition is yes or no, this is {made.type.words}",
                hint="compare it with something, for example `> 0`"
                if made.type.sort == "int"
                else "say what it is compared with: `is ...`",
            )
            return ir.Const(0)
        if made.type.sort == "unknown":
            return ir.Const(0)
        return made.expr

    def demand(self, made: Value, want: Type, span: Span, what: str = "this") -> None:
        if accepts(want, made.type):
            if (
                want.sort == "int"
                and made.type.sort == "int"
                and (made.type.hi < want.lo or made.type.lo > want.hi)
            ):
                self.sink.error("GR0304", span, f"{what} is {made.type}, never within {want}")
            return
        if made.type.sort == "none" or (made.type.optional and accepts(want, made.type.required())):
            self.sink.error(
                "GR0305",
                span,
                f"{what} may be none, {want.words} is needed",
                hint="test it first: `x is not none and ...`, or `if x is not none`",
            )
            return
        self.sink.error("GR0301", span, f"{what} is {made.type.words}, {want.words} is needed")

    # ------------------------------------------------------------------------------------------------ dispatch

    def _value(self, expr: syn.Expr, scope: Scope, want: Type | None) -> Value:
        match expr:
            case syn.Number():
                return self._number(expr, want)
            case syn.Text():
                return self._text(expr, want)
            case syn.NoneLit():
                return Value(NONE_TYPE, ir.Const(NONE))
            case syn.FlagLit():
                return Value(FLAG, ir.Const(int(expr.value)))
            case syn.Name():
                return self._name(expr, scope, want)
            case syn.Dot():
                return self._dot(expr, scope, want)
            case syn.CallExpr():
                return self._call(expr, scope, want)
            case syn.UnaryExpr():
                return self._unary(expr, scope, want)
            case syn.BinaryExpr():
                return self._binary(expr, scope, want)
            case syn.Ternary():
                return self._ternary(expr, scope, want)
            case syn.AggregateExpr():
                return self._aggregate(expr, scope, want)
            case syn.SetLiteral():
                return self._set_literal(expr, scope, want)
            case syn.AsOf():
                return self._as_of(expr, scope, want)
            case syn.Latest():
                return self._latest(expr, scope)
            case syn.AtBest():
                return self._at_best(expr, scope)
            case syn.EverSince():
                return lower_ever_since(self, expr, scope)
            case syn.Joint():
                self.sink.error("GR0208", expr.span, "only a choice can be made together")
                return Value(UNKNOWN, ir.Const(0))
            case syn.RangeExpr() | syn.Items():
                self.sink.error(
                    "GR0301",
                    expr.span,
                    "a range or list of values cannot stand here",
                    hint="use `in` to test membership",
                )
                return Value(UNKNOWN, ir.Const(0))
        raise AssertionError(expr)

    def _number(self, expr: syn.Number, want: Type | None) -> Value:
        if want is not None and want.sort in ("dom", "set") and want.dom and want.dom.sort == "place":
            return self._place(expr.text, want.dom, expr.span)
        return Value(int_range(expr.value, expr.value), ir.Const(expr.value))

    def _text(self, expr: syn.Text, want: Type | None) -> Value:
        if want is not None and want.sort in ("dom", "set") and want.dom:
            if want.dom.sort == "place" and not self.lowerer.places_known:
                return self._place(expr.value, want.dom, expr.span)
            made = self.member(expr.value, want.dom)
            if made is not None:
                return made
            self.sink.error(
                "GR0204",
                expr.span,
                f'{want.dom.name} has no "{expr.value}"',
                hint=hint_for(expr.value, want.dom.members),
            )
            return Value(UNKNOWN, ir.Const(0))
        self.sink.error("GR0208", expr.span, "a text cannot be used as a value here")
        return Value(UNKNOWN, ir.Const(0))

    def _place(self, text: str, dom: Dom, span: Span) -> Value:
        """A place by its name; in examples of play the map is known only when they run."""
        made = self.member(text, dom)
        if made is None and self.lowerer.places_known:
            self.sink.error(
                "GR0609",
                span,
                f"there is no place {text} on the map",
                hint=hint_for(text, dom.members[:2000]),
            )
            return Value(UNKNOWN, ir.Const(0))
        if made is None:
            made = Value(dom_type(dom), ir.Sym(self.world.symbol(f"{dom.name}.{text}")))
        if not self.lowerer.places_known and isinstance(made.expr, ir.Sym):
            self.lowerer.places_named.append((made.expr.symbol, text, span))
        return made

    def member(self, name: str, dom: Dom) -> Value | None:
        """A member of a domain by its name."""
        # A place of a class is known as such: `novgorod.controller` needs no prefix.
        for part in dom.classes:
            made = self.member(name, part)
            if made is not None:
                return made
        place = dom.index(name)
        if place is None:
            return None
        if dom.from_code:
            return Value(dom_type(dom), ir.Const(place + dom.range_lo))
        return Value(dom_type(dom), ir.Sym(self.world.symbol(f"{dom.name}.{name}")))

    # ------------------------------------------------------------------------------------------------- names

    def _name(self, expr: syn.Name, scope: Scope, want: Type | None) -> Value:
        name = expr.id
        bound = scope.find(name)
        if bound is not None:
            bound.used = True
            if bound.info is not None:
                axes = ", ".join(axis.name for axis in bound.info.axes)
                self.sink.error(
                    "GR0302", expr.span, f"`{name}` has a value for each of {axes}", hint=f"write {name}(...)"
                )
            return bound.value
        if name == "me":
            return self.me(expr.span)
        if name == "base" and self.code.base is not None:
            return self.code.base()
        if want is not None and want.sort in ("dom", "set") and want.dom is not None:
            made = self.member(name, want.dom)
            if made is not None:
                return made
        world = self.world
        if name in world.globals:
            return self.field(world.globals[name], [], [], expr.span)
        if name in world.options:
            return self._option(name)
        entry = world.callables.get(name)
        if entry is not None and entry.sort in ("rule", "modifiers") and not entry.params:
            return self.call(entry, [], expr.span, scope)
        if name == "empty" and want is not None and want.sort == "set" and want.dom:
            return Value(want, ir.SetOf(want.dom.id, ()))
        found = [
            (dom, made)
            for dom in world.doms
            if dom.sort not in ("range", "edge", "piece", "record")
            and (made := self.member(name, dom))
            and dom.parent is None
        ]
        if len(found) == 1:
            return found[0][1]
        if len(found) > 1:
            self.sink.error(
                "GR0209",
                expr.span,
                f"`{name}` is a member of {' and of '.join(d.name for d, _ in found)}",
                hint=f"write `{found[0][0].name}.{name}`",
            )
            return Value(UNKNOWN, ir.Const(0))
        if name in world.types:
            self.sink.error(
                "GR0208",
                expr.span,
                f"type `{name}` cannot stand here",
                hint=f"`any(x in {name} where ...)` looks at its members",
            )
            return Value(UNKNOWN, ir.Const(0))
        self._unknown_name(expr, scope, want)
        return Value(UNKNOWN, ir.Const(0))

    def _unknown_name(self, expr: syn.Name, scope: Scope, want: Type | None) -> None:
        world = self.world
        entry = world.callables.get(expr.id)
        if entry is not None:
            given = ", ".join(name for name, _ in entry.params)
            values = (
                "done, not asked"
                if entry.sort in ("procedure", "action", "menu")
                else "asked with its values"
            )
            self.sink.error(
                "GR0208",
                expr.span,
                f"`{expr.id}` is a {entry.sort}: it is {values}",
                hint=f"write `{expr.id}({given})`"
                if entry.sort not in ("procedure", "action", "menu")
                else None,
            )
            return
        if want is not None and want.sort in ("dom", "set") and want.dom is not None and want.dom.members:
            candidates = [*want.dom.members, *scope.visible()]
            self.sink.error(
                "GR0204", expr.span, f"{want.dom.name} has no `{expr.id}`", hint=hint_for(expr.id, candidates)
            )
            return
        candidates = [*scope.visible(), *world.globals, *world.options, *world.callables, *world.types]
        for dom in world.doms:
            if dom.sort != "range":
                candidates += dom.members[:500]
        near = hint_for(expr.id, scope.visible()) or hint_for(expr.id, candidates)
        self.sink.error("GR0201", expr.span, f"there is no `{expr.id}` here", hint=near)

    def me(self, span: Span, callee: Callable_ | None = None) -> Value:
        """Who acts; `callee` is what wants to know it."""
        if self.code.me is None:
            if callee is not None and callee.me_at is not None and span != callee.span:
                self.sink.error(
                    "GR0705",
                    span,
                    f"`{callee.name}` speaks of whoever acts, and nobody acts here",
                    hint=f"do it where a seat acts, or give `{callee.name}` the seat as a parameter",
                    labels=(Label(callee.me_at, "`me` is meant here"),),
                )
                return Value(UNKNOWN, ir.Const(0))
            self.sink.error(
                "GR0705",
                span if callee is None or callee.me_at is None else callee.me_at,
                "`me` is known only where a seat acts",
                hint="in actions, and in rules that actions use",
            )
            return Value(UNKNOWN, ir.Const(0))
        return self.code.me

    def _option(self, name: str) -> Value:
        option = self.world.options[name]
        type_ = dom_type(option.dom) if option.dom else FLAG
        return Value(type_, ir.Sym(option.symbol))

    # ------------------------------------------------------------------------------------------------- fields

    def _dot(self, expr: syn.Dot, scope: Scope, want: Type | None) -> Value:
        if isinstance(expr.object, syn.Name) and scope.find(expr.object.id) is None:
            owner = expr.object.id
            if owner in ("scenario", "game"):
                info = self.world.globals.get(expr.name)
                if info is None:
                    self.sink.error(
                        "GR0203",
                        expr.name_span,
                        f"the game has no field `{expr.name}`",
                        hint=hint_for(expr.name, list(self.world.globals)),
                    )
                    return Value(UNKNOWN, ir.Const(0))
                return self.field(info, [], [], expr.span)
            if owner == "my":
                return self._field_of(self.me(expr.object.span), expr, scope, [])
            if owner in self.world.types and owner not in self.world.globals:
                dom = self.world.types[owner]
                made = self.member(expr.name, dom)
                if made is None and dom.sort == "place" and not self.lowerer.places_known:
                    return self._place(expr.name, dom, expr.name_span) or Value(UNKNOWN, ir.Const(0))
                if made is None:
                    self.sink.error(
                        "GR0204",
                        expr.name_span,
                        f"{dom.name} has no `{expr.name}`",
                        hint=hint_for(expr.name, dom.members),
                    )
                    return Value(UNKNOWN, ir.Const(0))
                return made
        return self._field_of(self._owner(expr.object, scope), expr, scope, [])

    def _owner(self, expr: syn.Expr, scope: Scope) -> Value:
        """What a field is read of; `0404.terrain` means the place of that name."""
        if isinstance(expr, syn.Number) and self.world.spaces:
            return self.value(expr, scope, dom_type(self.world.spaces[0]))
        return self.value(expr, scope)

    def _field_of(self, owner: Value, expr: syn.Dot, scope: Scope, axes: list[syn.Expr]) -> Value:
        if owner.type.sort == "unknown":
            return Value(UNKNOWN, ir.Const(0))
        if owner.record is not None:
            return self._record_part(owner, expr, scope, axes)
        dom = owner.type.dom
        if owner.type.sort != "dom" or dom is None:
            what = "a number" if owner.type.sort == "int" else str(owner.type)
            self.sink.error("GR0203", expr.name_span, f"{what} has no fields, so no `{expr.name}`")
            return Value(UNKNOWN, ir.Const(0))
        if dom.parts:
            return self._union_field(owner, dom, expr, scope, axes)
        info, through_kind = self.find_field(dom, expr.name)
        if info is None:
            self.no_field(dom, expr)
            return Value(UNKNOWN, ir.Const(0))
        if info.type.dom is not None and info.type.dom.shape is not None and axes and not info.axes:
            return self._dispatch_rule(self._field_of(owner, expr, scope, []), expr, axes, scope)
        if owner.type.optional:
            if dom.sort == "edge":
                return self._edge_field(owner, info, expr)
            return self._may_be_none(expr)
        index = [owner.expr]
        if through_kind:
            assert dom.kind
            index = [self.field(dom.fields["type"], [owner.expr], [], expr.span).expr]
        indexes = [self.axis_index(axis, info, place, scope) for place, axis in enumerate(axes)]
        if len(axes) != len(info.axes):
            self.sink.error(
                "GR0302",
                expr.span,
                f"`{expr.name}` has {len(info.axes)} axes, {len(axes)} given",
                hint=f"write {expr.name}({', '.join(a.name for a in info.axes)})" if info.axes else None,
            )
            return Value(UNKNOWN, ir.Const(0))
        read = self.field(info, index, indexes, expr.span)
        if through_kind and dom.fields["type"].veiled:
            return self._veiled(index[0], read)
        return read

    def _veiled(self, row: Any, read: Value) -> Value:
        """A column of a counter whose type may be hidden: then it reads none, or the least there is."""
        site = self.lowerer.nowhere
        hidden = ir.Binary("eq", row, ir.Const(NONE), site)
        if read.type.sort == "set":
            assert read.type.dom
            return Value(read.type, ir.SetIf(hidden, ir.SetOf(read.type.dom.id, ()), read.expr))
        least = max(0, read.type.lo) if read.type.sort == "int" else 0
        absent = NONE if read.type.optional or read.type.sort == "dom" else min(least, read.type.hi)
        return Value(read.type, ir.If(hidden, ir.Const(absent), read.expr))

    def _union_field(
        self, owner: Value, dom: Dom, expr: syn.Dot, scope: Scope, axes: list[syn.Expr]
    ) -> Value:
        """A field that all parts of a union have: read from the one that the value belongs to."""
        made: Value | None = None
        for part in reversed(dom.parts):
            narrowed = Value(dom_type(part, owner.type.optional), owner.expr)
            one = self._field_of(narrowed, expr, scope, axes)
            if one.type.sort == "unknown":
                return one
            if one.record is not None or one.type.sort in ("set", "list"):
                self.sink.error(
                    "GR0301",
                    expr.name_span,
                    f"`{expr.name}` is {one.type.words}: test first which type this is",
                )
                return Value(UNKNOWN, ir.Const(0))
            if made is None:
                made = one
                continue
            both = join(made.type, one.type)
            if both is None:
                self.sink.error(
                    "GR0301",
                    expr.name_span,
                    f"`{expr.name}` is {one.type.words} of {part.name}, and {made.type.words} of another",
                )
                return Value(UNKNOWN, ir.Const(0))
            made = Value(both, ir.If(self._belongs(owner.expr, part), one.expr, made.expr))
        assert made is not None
        return made

    def _belongs(self, value: Any, dom: Dom) -> ir.Expr:
        """Whether a value belongs to a domain of places or counters."""
        site = self.lowerer.nowhere
        lo = ir.Binary("ge", value, ir.DomainBase(dom.id), site)
        beyond = ir.Binary("add", ir.DomainBase(dom.id), ir.DomainCount(dom.id), site)
        return ir.Binary("and", lo, ir.Binary("lt", value, beyond, site), site)

    def _may_be_none(self, expr: syn.Dot) -> Value:
        self.sink.error(
            "GR0305",
            expr.object.span,
            "this may be none, so its fields cannot be read",
            hint="test it first: `x is not none and ...`",
        )
        return Value(UNKNOWN, ir.Const(0))

    def _dispatch_rule(self, tag: Value, expr: syn.Dot, args: list[syn.Expr], scope: Scope) -> Value:
        """`c.effect(u)` of a column that names a rule: the value of the rule that it names."""
        dom = tag.type.dom
        if tag.type.sort == "unknown" or dom is None or dom.shape is None:
            return Value(UNKNOWN, ir.Const(0))
        shape = dom.shape
        if shape.sort != "rule":
            self.sink.error(
                "GR0710",
                expr.name_span,
                f"`{expr.name}` names a {shape.sort}: it is {'done' if shape.sort == 'procedure' else 'offered'}, "
                "not asked",
            )
            return Value(UNKNOWN, ir.Const(0))
        if tag.type.optional:
            self.demand(tag, dom_type(dom), expr.span)
            return Value(UNKNOWN, ir.Const(0))
        assert shape.result is not None
        made: Any = None
        site = self.lowerer.nowhere
        for place in range(len(shape.entries) - 1, -1, -1):
            one = self.call(shape.entries[place], args, expr.span, scope)
            if one.type.sort in ("set", "unknown"):
                if one.type.sort == "set":
                    self.sink.error("GR0301", expr.span, "a rule that is named by data gives no set")
                return Value(UNKNOWN, ir.Const(0))
            test = ir.Binary("eq", tag.expr, ir.Const(place), site)
            made = one.expr if made is None else ir.If(test, one.expr, made)
        return Value(shape.result, made if made is not None else ir.Const(0))

    def _edge_field(self, owner: Value, info: FieldInfo, expr: syn.Dot) -> Value:
        """A hexside's field reads as its zero where there is no such hexside (the edge of the map)."""
        if info.column is None and info.type.sort in ("set", "list"):
            self.sink.error(
                "GR0305", expr.object.span, "this may be none: test it first", hint="`if e is not none`"
            )
            return Value(UNKNOWN, ir.Const(0))
        read = self.field(info, [owner.expr], [], expr.span).expr
        site = self.lowerer.site("read", expr.name, expr.span)
        absent = NONE if info.type.optional else 0
        if info.type.sort == "set":
            return Value(info.type, read)
        return Value(
            info.type, ir.If(ir.Binary("eq", owner.expr, ir.Const(NONE), site), ir.Const(absent), read)
        )

    def _record_part(self, owner: Value, expr: syn.Dot, scope: Scope, axes: list[syn.Expr]) -> Value:
        assert owner.record is not None
        name = expr.name
        form = owner.type.form
        if form is not None and name in form.names.fields:
            info = form.names.fields[name]
            if owner.type.optional:
                return self._may_be_none(expr)
            places = [self.axis_index(axis, info, place, scope) for place, axis in enumerate(axes)]
            return self.field(info, [owner.record["name"].expr], places, expr.span)
        if axes:
            return self._record_axis(owner, expr, scope, axes)
        part = owner.record.get(name)
        if part is not None and form is not None and name == "name" and not owner.type.optional:
            return Value(part.type.required(), part.expr)
        if part is None:
            self.sink.error(
                "GR0203",
                expr.name_span,
                f"{owner.type} has no `{name}`",
                hint=hint_for(name, list(owner.record)),
            )
            return Value(UNKNOWN, ir.Const(0))
        return part

    def no_field(self, dom: Dom, expr: syn.Dot) -> None:
        if isinstance(dom.decl, syn.PieceDecl) and dom.decl.kind and dom.kind is None:
            return  # its kind is unknown, and so is what is printed on it
        self.sink.error(
            "GR0203",
            expr.name_span,
            f"{dom.name} has no field `{expr.name}`",
            hint=hint_for(expr.name, self.field_names(dom)),
        )

    def _record_axis(self, owner: Value, expr: syn.Dot, scope: Scope, axes: list[syn.Expr]) -> Value:
        """`a.fp(c)` of a record: one local per member, picked by the index."""
        assert owner.record is not None
        members = [key[len(expr.name) + 1 : -1] for key in owner.record if key.startswith(expr.name + "(")]
        dom = next((d for d in self.world.types.values() if d.members == members), None)
        if dom is None:
            self.sink.error("GR0203", expr.name_span, f"{owner.type} has no `{expr.name}(...)`")
            return Value(UNKNOWN, ir.Const(0))
        index = self.checked(axes[0], scope, dom_type(dom))
        site = self.lowerer.site("read", expr.name, expr.span)
        result = owner.record[f"{expr.name}({members[-1]})"]
        made = result.expr
        for place in range(len(members) - 2, -1, -1):
            made = ir.If(
                ir.Binary("eq", index.expr, ir.Const(place), site),
                owner.record[f"{expr.name}({members[place]})"].expr,
                made,
            )
        return Value(result.type, made)

    def axis_index(self, expr: syn.Expr, info: FieldInfo, place: int, scope: Scope) -> Any:
        if place >= len(info.axes):
            return ir.Const(0)
        axis = info.axes[place]
        if axis.sort == "range":
            want = int_range(axis.range_lo, axis.range_lo + len(axis.members) - 1)
        else:
            want = dom_type(axis)
        return self.checked(expr, scope, want, "the index").expr

    def field_names(self, dom: Dom) -> list[str]:
        names = list(dom.fields)
        if dom.parent:
            names += dom.parent.fields
        if dom.kind:
            names += dom.kind.fields
        return names

    def field(self, info: FieldInfo, owner: list[Any], axes: list[Any], span: Span) -> Value:
        """Read a field or column."""
        if info.parts is not None:
            parts = {key: self.field(part, owner, axes, span) for key, part in info.parts.items()}
            return Value(info.type, None, parts)
        index = tuple(owner + axes)
        site = self.lowerer.site("read", info.name, span)
        if info.column is not None:
            if info.type.sort == "set":
                return Value(info.type, ir.SetData(info.column, index, site))
            return Value(info.type, ir.Data(info.column, index, site))
        number = info.field
        assert number is not None
        if self.code.mark is not None:
            number = self.lowerer.snapshot(number, self.code.mark)
        if info.secret:
            self.code.reads_secret = True
        if info.type.sort == "set":
            return Value(info.type, ir.SetLoad(number, index, site))
        if info.type.sort == "list":
            return Value(info.type, ir.ListLoad(number, index, site))
        if info.follows and info.owner is not None and info.follows in info.owner.fields:
            link = info.owner.fields[info.follows]
            carrier = self.field(link, owner, [], span).expr
            own = ir.Load(number, index, site)
            held = link.type.dom.fields.get(info.name) if link.type.dom is not None else None
            if held is None or held.field is None:  # told where it is declared
                return Value(info.type, own)
            theirs = self.lowerer.snapshot(held.field, self.code.mark) if self.code.mark else held.field
            carried = ir.Load(theirs, (carrier, *axes), site)
            return Value(info.type, ir.If(ir.Binary("eq", carrier, ir.Const(NONE), site), own, carried))
        return Value(info.type, ir.Load(number, index, site))

    # -------------------------------------------------------------------------------------------------- calls

    def _call(self, expr: syn.CallExpr, scope: Scope, want: Type | None) -> Value:
        if isinstance(expr.callee, syn.Dot):
            dot = expr.callee
            if (
                isinstance(dot.object, syn.Name)
                and scope.find(dot.object.id) is None
                and dot.object.id in self.world.forms
            ):
                return self._fill_form(self.world.forms[dot.object.id], dot.name, expr, scope)
            if (
                isinstance(dot.object, syn.Name)
                and scope.find(dot.object.id) is None
                and dot.object.id in ("scenario", "game")
            ):
                return self._call(
                    syn.CallExpr(syn.Name(dot.name, dot.name_span), expr.args, expr.named, expr.span),
                    scope,
                    want,
                )
            if isinstance(dot.object, syn.Name) and dot.object.id == "my" and scope.find("my") is None:
                owner = self.me(dot.object.span)
            else:
                owner = self._owner(dot.object, scope)
            return self._field_of(owner, dot, scope, list(expr.args))
        if not isinstance(expr.callee, syn.Name):
            self.sink.error("GR0207", expr.callee.span, "this cannot be called")
            return Value(UNKNOWN, ir.Const(0))
        name = expr.callee.id
        world = self.world
        scratch = scope.find_scratch(name)
        if scratch is not None and scratch.info is not None:
            scratch.used = True
            return self._element(name, scratch.info, expr, scope)
        wanted = want.form if want is not None else None
        if wanted is not None and name in wanted.filled:
            return self._fill_form(wanted, name, expr, scope)
        if name in world.records and name not in world.forms:
            return self._construct(name, expr, scope)
        if expr.named:
            self.sink.error("GR0302", expr.span, "only records are made with named values")
        if name in world.relations:
            return self._relation(world.relations[name], expr, scope)
        if name in world.globals:
            return self._element(name, world.globals[name], expr, scope)
        entry = world.callables.get(name)
        if entry is not None:
            if entry.sort in ("procedure", "action", "menu"):
                self.sink.error(
                    "GR0710",
                    expr.callee.span,
                    f"`{name}` is a {entry.sort}: it is done, not asked",
                    hint=f"write `do {name}(...)`, with `-> x` for its result",
                )
                return Value(UNKNOWN, ir.Const(0))
            return self.call(entry, list(expr.args), expr.span, scope)
        if name in VERBS:
            return self._int_verb(name, expr, scope)
        if name in BUILTINS:
            return self._builtin(name, expr, scope, want)
        if name in SOURCES:
            return self._over_as_set(expr, scope)
        bound = scope.find(name)
        if name in world.broken or (bound is not None and bound.value.type.sort == "unknown"):
            return Value(UNKNOWN, ir.Const(0))
        known = [
            *world.callables,
            *world.relations,
            *world.globals,
            *VERBS,
            *SOURCES,
            *BUILTINS,
            *world.records,
        ]
        self.sink.error(
            "GR0207",
            expr.callee.span,
            f"there is no rule, table or verb `{name}`",
            hint=hint_for(name, known),
        )
        return Value(UNKNOWN, ir.Const(0))

    def _element(self, name: str, info: FieldInfo, expr: syn.CallExpr, scope: Scope) -> Value:
        """An element of a field that belongs to the game, or to a procedure."""
        if len(expr.args) != len(info.axes):
            self.sink.error(
                "GR0302", expr.span, f"`{name}` has {len(info.axes)} axes, {len(expr.args)} given"
            )
            return Value(UNKNOWN, ir.Const(0))
        axes = [self.axis_index(a, info, n, scope) for n, a in enumerate(expr.args)]
        return self.field(info, [], axes, expr.span)

    def _construct(self, name: str, expr: syn.CallExpr, scope: Scope) -> Value:
        record = self.world.records[name]
        parts: dict[str, Value] = {}
        given: dict[str, syn.Expr] = {}
        for key, arg in zip(record.fields, expr.args, strict=False):
            given[key] = arg
        if len(expr.args) > len(record.fields):
            self.sink.error("GR0302", expr.span, f"{name} has {len(record.fields)} fields")
        for named in expr.named:
            if named.name not in record.fields and not any(
                f.startswith(named.name + "(") for f in record.fields
            ):
                self.sink.error(
                    "GR0203",
                    named.span,
                    f"{name} has no `{named.name}`",
                    hint=hint_for(named.name, list(record.fields)),
                )
            given[named.name] = named.value
        for key, type_ in record.fields.items():
            base = key.split("(")[0]
            if key in given:
                parts[key] = self.checked(given[key], scope, type_, f"`{key}`")
            elif "(" in key and base in given:
                # `fp = u.fp`: a column with an axis is copied member by member.
                member = syn.Name(key[len(base) + 1 : -1], given[base].span)
                parts[key] = self.checked(
                    syn.CallExpr(given[base], (member,), (), given[base].span), scope, type_, f"`{key}`"
                )
            elif type_.optional:
                parts[key] = Value(type_, ir.Const(NONE))
            elif type_.sort == "set":
                assert type_.dom
                parts[key] = Value(type_, ir.SetOf(type_.dom.id, ()))
            elif type_.sort in ("int", "flag") and type_.lo <= 0 <= type_.hi:
                parts[key] = Value(type_, ir.Const(0))
            else:
                self.sink.error("GR0302", expr.span, f"{name} needs `{key}`")
                parts[key] = Value(type_, ir.Const(0))
            parts[key] = Value(type_, parts[key].expr, parts[key].record)
        return Value(Type("record", record=record), None, parts)

    def _relation(self, info: FieldInfo, expr: syn.CallExpr, scope: Scope) -> Value:
        """A relation reads as no where either side is none."""
        if len(expr.args) != 2:
            self.sink.error("GR0302", expr.span, f"relation `{info.name}` is between two")
            return Value(FLAG, ir.Const(0))
        made = [
            self.value(arg, scope, dom_type(dom, True)) for arg, dom in zip(expr.args, info.axes, strict=True)
        ]
        for value, dom, arg in zip(made, info.axes, expr.args, strict=True):
            self.demand(value, dom_type(dom, True), arg.span)
        site = self.lowerer.site("read", info.name, expr.span)
        number = info.field
        assert number is not None
        if self.code.mark is not None:
            number = self.lowerer.snapshot(number, self.code.mark)
        read: ir.Expr = ir.Load(number, (made[0].expr, made[1].expr), site)
        for value in reversed(made):
            if value.type.optional:
                read = ir.If(ir.Binary("eq", value.expr, ir.Const(NONE), site), ir.Const(0), read)
        return Value(FLAG, read)

    def arguments(
        self, entry: Callable_, args: list[syn.Expr], span: Span, scope: Scope
    ) -> list[Value] | None:
        if len(args) != len(entry.params):
            wanted = ", ".join(f"{name}: {type_}" for name, type_ in entry.params)
            self.sink.error(
                "GR0302",
                span,
                f"`{entry.name}` takes {_values(len(entry.params))}, {len(args)} given",
                hint=f"{entry.name}({wanted})",
            )
            return None
        made: list[Value] = []
        # What lies beyond a clamped axis of a table reads its last row.
        wide = {a.name for a in entry.decl.axes if a.clamp} if entry.sort == "table" else set()
        for arg, (name, type_) in zip(args, entry.params, strict=True):
            want = INT if name in wide and type_.sort == "int" else type_
            if type_.sort == "unknown":
                # Members are known by the type that is expected: without it nothing can be said.
                made.append(Value(UNKNOWN, ir.Const(0)))
                continue
            made.append(self.checked(arg, scope, want, f"`{name}`"))
        return made

    def call(self, entry: Callable_, args: list[syn.Expr], span: Span, scope: Scope) -> Value:
        """Call a rule, modifiers list, table, sight or arc."""
        entry.used = True
        assert entry.sort in ("rule", "modifiers", "table", "sight", "arc", "movement"), entry.sort
        if entry.sort == "movement":
            self.sink.error("GR0208", span, f"movement `{entry.name}` is used in reach(...) and cost_to(...)")
            return Value(UNKNOWN, ir.Const(0))
        made = self.arguments(entry, args, span, scope)
        result = entry.result or UNKNOWN
        if made is None or any(v.type.sort == "unknown" for v in made):
            return Value(result, ir.Const(0))
        if entry.sort == "table":
            return self._table(entry, made, args, span)
        flat = [part for value in made for part in flatten(value)]
        if entry.uses_me:
            flat.insert(0, self.me(span, entry).expr)
        function = self.lowerer.function_for(entry, self.code.mark)
        result = self.lowerer.result_type(entry)
        if entry.name in self.lowerer.secret_readers:
            self.code.reads_secret = True
        if result.sort == "set":
            return Value(result, ir.SetCall(function, tuple(flat)))
        return Value(result, ir.Call(function, tuple(flat)))

    def _table(self, entry: Callable_, made: list[Value], args: list[syn.Expr], span: Span) -> Value:
        assert entry.table is not None
        for place, (value, arg) in enumerate(zip(made, args, strict=True)):
            bounds = self.lowerer.table_bounds(entry.table, place)
            if bounds is None or value.type.sort != "int":
                continue
            lo, hi, low_ok, high_ok = bounds
            if (value.type.lo < lo and not low_ok) or (value.type.hi > hi and not high_ok):
                code = "GR0406" if place else "GR0405"
                held = f"{hi} and less" if low_ok else f"{lo} and more" if high_ok else f"{lo}..{hi}"
                self.sink.error(
                    code,
                    arg.span,
                    f"this is {value.type}, but table `{entry.name}` holds {held}",
                    hint="declare the axis `clamped`, or bound the value with min, max or clamp",
                )
        site = self.lowerer.site(
            "table", f"table {entry.name}({', '.join(f'{{{n}}}' for n in range(len(made)))}) = {{{len(made)}}}", span, entry.cites,
            [*(v.type.show for v in made), (entry.result or INT).show],
        )  # fmt: skip
        return Value(entry.result or INT, ir.TableGet(entry.table, tuple(v.expr for v in made), site))

    # ------------------------------------------------------------------------------------------------ builtins

    def _verb_args(
        self, name: str, sorts: tuple[str, ...], expr: syn.CallExpr, scope: Scope
    ) -> list[Value] | None:
        if len(expr.args) != len(sorts):
            self.sink.error(
                "GR0302", expr.span, f"`{name}` takes {_values(len(sorts))}, {len(expr.args)} given"
            )
            return None
        made: list[Value] = []
        for sort, arg in zip(sorts, expr.args, strict=True):
            want: Type | None = None
            if sort == "dir" and self.world.direction:
                want = dom_type(self.world.direction, True)
            elif sort == "int":
                want = INT
            elif sort == "place" and len(self.world.spaces) == 1:
                want = dom_type(self.world.spaces[0], True)
            value = self.value(arg, scope, want)
            good = {
                "place": value.type.sort == "dom"
                and value.type.dom is not None
                and value.type.dom.sort == "place",
                "dir": value.type.sort == "dom" and value.type.dom is self.world.direction,
                "edge": value.type.sort == "dom"
                and value.type.dom is not None
                and value.type.dom.sort == "edge",
                "int": value.type.sort == "int",
            }[sort]
            if not good and value.type.sort not in ("unknown", "none"):
                wanted = {"place": "a place", "dir": "a direction", "int": "a number", "edge": "a hexside"}[
                    sort
                ]
                self.sink.error("GR0301", arg.span, f"`{name}` needs {wanted} here, this is {value.type}")
                return None
            if value.type.sort == "unknown":
                return None
            made.append(value)
        return made

    def _space_of(self, made: list[Value]) -> Dom | None:
        for value in made:
            if value.type.dom is not None and value.type.dom.sort == "place":
                dom = value.type.dom
                return dom.parent or dom
        return self.world.spaces[0] if self.world.spaces else None

    def _int_verb(self, name: str, expr: syn.CallExpr, scope: Scope) -> Value:
        known = VERBS[name]
        made = self._verb_args(name, known.takes, expr, scope)
        if made is None:
            return Value(UNKNOWN, ir.Const(0))
        site = self.lowerer.site("read", name, expr.span)
        optional = any(value.type.optional for value in made)
        lowered = ir.Verb(known.ir, tuple(value.expr for value in made), site)
        space = self._space_of(made)
        match known.answers:
            case "int":
                return Value(Type("int", 0, 9999, optional=optional), lowered)
            case "flag":
                return Value(FLAG, lowered)
            case "turns":
                return Value(Type("int", 0, 4, optional=optional), lowered)
            case "arc":
                return Value(Type("int", 0, 2, optional=optional), lowered)
            case "place?":
                return Value(dom_type(space, True) if space else UNKNOWN, lowered)
            case "edge?":
                return Value(dom_type(space.edges, True) if space and space.edges else UNKNOWN, lowered)
            case _:
                assert self.world.direction
                return Value(dom_type(self.world.direction, optional or known.answers.endswith("?")), lowered)

    def _over_as_set(self, expr: syn.CallExpr, scope: Scope) -> Value:
        """neighbours(h), within(h, n) ... used as a set."""
        over, element = self.source(expr, scope)
        if over is None or element.dom is None:
            return Value(UNKNOWN, ir.Const(0))
        var = self.code.local("(element)", element)
        return Value(set_type(element.dom), ir.SetBuild(element.dom.id, var, over, None, None))

    def _builtin(self, name: str, expr: syn.CallExpr, scope: Scope, want: Type | None) -> Value:
        args = list(expr.args)
        site = self.lowerer.site("read", name, expr.span)

        def arity(*allowed: int) -> bool:
            if len(args) in allowed:
                return True
            self.sink.error(
                "GR0302",
                expr.span,
                f"`{name}` takes {' or '.join(str(n) for n in allowed)} values, {len(args)} given",
            )
            return False

        unknown = Value(UNKNOWN, ir.Const(0))
        match name:
            case "abs":
                if not arity(1):
                    return unknown
                made = self.checked(args[0], scope, INT)
                top = max(abs(made.type.lo), abs(made.type.hi))
                low = 0 if made.type.lo <= 0 <= made.type.hi else min(abs(made.type.lo), abs(made.type.hi))
                return Value(int_range(low, top), ir.Unary("abs", made.expr))
            case "min" | "max":
                return self._min_max(name, args, scope, site, expr.span)
            case "clamp":
                return self._clamp(args, scope, site, expr.span)
            case "other":
                if not arity(1):
                    return unknown
                seats = self.world.sides
                assert seats
                made = self.value(args[0], scope, dom_type(seats))
                self.demand(made, dom_type(seats), args[0].span)
                if len(seats.members) != 2:
                    self.sink.error(
                        "GR0208",
                        expr.span,
                        f"`other` needs exactly two sides, there are {len(seats.members)}",
                    )
                return Value(dom_type(seats), ir.Binary("sub", ir.Const(1), made.expr, site))
            case "mine" | "enemy":
                if not arity(1):
                    return unknown
                piece = self.value(args[0], scope)
                return self._compare_owner(
                    self.owner_of(piece, args[0].span), self.me(expr.span), name == "mine", site
                )
            case "friendly" | "opposed":
                if not arity(2):
                    return unknown
                owners = [self.owner_of(self.value(arg, scope), arg.span) for arg in args]
                return self._compare_owner(owners[0], owners[1], name == "friendly", site)
            case "in_play":
                if not arity(1):
                    return unknown
                piece = self.value(args[0], scope)
                dom = piece.type.dom
                if dom is not None and dom.parts and dom.sort == "piece":
                    alive: ir.Expr = ir.Const(0)
                    for part in dom.parts:
                        assert part.alive is not None
                        there = ir.Load(part.alive, (piece.expr,), site)
                        alive = ir.If(self._belongs(piece.expr, part), there, alive)
                    return Value(FLAG, alive)
                if dom is None or dom.alive is None:
                    self.sink.error(
                        "GR0301", args[0].span, f"`in_play` needs a counter, this is {piece.type}"
                    )
                    return unknown
                read = ir.Load(dom.alive, (piece.expr,), site)
                if piece.type.optional:
                    return Value(
                        FLAG, ir.If(ir.Binary("eq", piece.expr, ir.Const(NONE), site), ir.Const(0), read)
                    )
                return Value(FLAG, read)
            case "if_none":
                if not arity(2):
                    return unknown
                first = self.value(args[0], scope, want)
                second = self.value(args[1], scope, first.type.required())
                both = join(first.type.required(), second.type)
                if both is None:
                    self.sink.error(
                        "GR0301", args[1].span, f"this is {second.type}, the other is {first.type}"
                    )
                    return unknown
                return Value(
                    both, ir.If(ir.Binary("eq", first.expr, ir.Const(NONE), site), second.expr, first.expr)
                )
            case "count" | "length":
                if not arity(1):
                    return unknown
                made = self.value(args[0], scope)
                if made.type.sort == "set":
                    return Value(int_range(0, 100_000), ir.SetCount(made.expr))
                if made.type.sort == "list":
                    return Value(int_range(0, made.type.capacity), ir.ListLength(made.expr))
                if made.type.sort != "unknown":
                    self.sink.error(
                        "GR0313",
                        args[0].span,
                        f"`{name}` needs a set or list, this is {made.type}",
                        hint="count(x in Unit where ...)",
                    )
                return unknown
            case "first" | "last":
                if not arity(1):
                    return unknown
                made = self.value(args[0], scope)
                if made.type.sort != "list" or made.type.element is None:
                    if made.type.sort != "unknown":
                        self.sink.error(
                            "GR0313",
                            args[0].span,
                            f"`{name}` needs a list, this is {made.type}",
                            hint=f"{name}(x in Unit where ...)",
                        )
                    return unknown
                size = ir.ListLength(made.expr)
                item = ir.ListItem(made.expr, ir.Const(1) if name == "first" else size, site)
                none = ir.Binary("eq", size, ir.Const(0), site)
                return Value(made.type.element.maybe(), ir.If(none, ir.Const(NONE), item))
            case "nth":
                if not arity(2):
                    return unknown
                made = self.value(args[0], scope)
                if made.type.sort != "list" or made.type.element is None:
                    self.sink.error("GR0313", args[0].span, f"`nth` needs a list, this is {made.type}")
                    return unknown
                place = self.checked(args[1], scope, INT)
                return Value(made.type.element, ir.ListItem(made.expr, place.expr, site))
            case "room":
                dom = self.world.types.get(args[0].id) if arity(1) and isinstance(args[0], syn.Name) else None
                if dom is None or dom.alive is None:
                    self.sink.error(
                        "GR0208", expr.span, "`room` needs the name of a piece or record", hint="room(Unit)"
                    )
                    return unknown
                var = self.code.local("(piece)", dom_type(dom))
                used = ir.Aggregate("count", var, ir.OverDomain(dom.id), None, None, site)
                return Value(int_range(0, dom.up_to), ir.Binary("sub", ir.DomainCount(dom.id), used, site))
            case "during":
                return self._during(args, expr.span)
            case "known":
                return self._known(args, scope, site, expr.span)
            case "reach" | "cost_to" | "path":
                return self._reach(name, args, scope, expr.span)
            case "remaining":
                if args and isinstance(args[0], syn.Name) and args[0].id in self.world.broken:
                    return unknown
                if not arity(1) or not isinstance(args[0], syn.Name) or args[0].id not in self.world.bags:
                    self.sink.error("GR0208", expr.span, "`remaining` needs the name of a bag or deck")
                    return unknown
                bag = self.world.bags[args[0].id]
                var = self.code.local("(row)", dom_type(bag.kind))
                assert bag.field.field is not None
                counts = ir.Load(bag.field.field, (ir.Local(var),), site)
                return Value(
                    int_range(0, 9999),
                    ir.Aggregate("sum", var, ir.OverDomain(bag.kind.id), None, counts, site),
                )
        raise AssertionError(name)

    def owner_of(self, piece: Value, span: Span) -> Value:
        """The seat that a counter belongs to: its first field of the seats' type."""
        seats = self.world.seats
        assert seats
        if piece.type.sort == "dom" and piece.type.dom is not None:
            if piece.type.dom is seats or piece.type.dom is self.world.sides:
                return piece
            if piece.type.dom.parts:
                held: ir.Expr = ir.Const(NONE)
                for part in piece.type.dom.parts:
                    one = self.owner_of(Value(dom_type(part), piece.expr), span)
                    held = ir.If(self._belongs(piece.expr, part), one.expr, held)
                return Value(dom_type(seats), held)
            for info in piece.type.dom.fields.values():
                if info.type.sort == "dom" and info.type.dom is seats and not info.axes:
                    return self.field(info, [piece.expr], [], span)
        if piece.type.sort != "unknown":
            self.sink.error("GR0301", span, f"{piece.type} has no owner")
        return Value(UNKNOWN, ir.Const(0))

    def _compare_owner(self, left: Value, right: Value, same: bool, site: int) -> Value:
        return Value(FLAG, ir.Binary("eq" if same else "ne", left.expr, right.expr, site))

    def _min_max(self, name: str, args: list[syn.Expr], scope: Scope, site: int, span: Span) -> Value:
        if len(args) < 2:
            self.sink.error(
                "GR0302",
                span,
                f"`{name}` compares at least two values",
                hint=f"{name}(x in S: value) runs over a set",
            )
            return Value(UNKNOWN, ir.Const(0))
        first = self.value(args[0], scope)
        if first.type.sort == "dom" and first.type.dom is not None:
            made = [first, *(self.checked(arg, scope, dom_type(first.type.dom)) for arg in args[1:])]
            result = first.type
        else:
            made = [self.checked(arg, scope, INT) for arg in args]
            pick = min if name == "min" else max
            result = int_range(pick(v.type.lo for v in made), pick(v.type.hi for v in made))
        lowered = made[0].expr
        for value in made[1:]:
            lowered = ir.Binary(name, lowered, value.expr, site)  # type: ignore[arg-type]
        return Value(result, lowered)

    def _clamp(self, args: list[syn.Expr], scope: Scope, site: int, span: Span) -> Value:
        if len(args) != 2 or not isinstance(args[1], syn.RangeExpr):
            self.sink.error("GR0302", span, "write clamp(value, low..high)")
            return Value(UNKNOWN, ir.Const(0))
        made = self.checked(args[0], scope, INT)
        lo = self.checked(args[1].lo, scope, INT)
        hi = self.checked(args[1].hi, scope, INT)
        lowered = ir.Binary("min", ir.Binary("max", made.expr, lo.expr, site), hi.expr, site)
        return Value(
            int_range(
                max(lo.type.lo, min(made.type.lo, hi.type.lo)), min(hi.type.hi, max(made.type.hi, lo.type.hi))
            ),
            lowered,
        )

    def movement_use(
        self, name: str, args: tuple[syn.Expr, ...], span: Span, scope: Scope
    ) -> tuple[Going, list[Any]] | None:
        """A movement with its arguments."""
        entry = self.world.callables.get(name)
        if entry is None or entry.sort != "movement":
            moves = [c.name for c in self.world.callables.values() if c.sort == "movement"]
            self.sink.error("GR0207", span, f"there is no movement `{name}`", hint=hint_for(name, moves))
            return None
        made = self.arguments(entry, list(args), span, scope)
        if made is None or any(v.type.sort == "unknown" for v in made):
            return None
        entry.used = True
        flat = [part for value in made for part in flatten(value)]
        if entry.uses_me:
            flat.insert(0, self.me(span, entry).expr)
        going = self.lowerer.movement_for(entry)
        return (going, flat) if going.gaits else None

    def _reach(self, name: str, args: list[syn.Expr], scope: Scope, span: Span) -> Value:
        unknown = Value(UNKNOWN, ir.Const(0))
        wanted = 1 if name == "reach" else 2
        if (
            len(args) != wanted
            or not isinstance(args[0], syn.CallExpr)
            or not isinstance(args[0].callee, syn.Name)
        ):
            given = "" if wanted == 1 else ", place"
            self.sink.error("GR0302", span, f"write {name}(movement(...){given})")
            return unknown
        found = self.movement_use(args[0].callee.id, args[0].args, args[0].span, scope)
        if found is None:
            return unknown
        going, flat = found
        if name == "reach":
            places: Any = None
            for gait in going.gaits:
                one = ir.ReachSet(gait, tuple(flat), going.space.id)
                places = one if places is None else ir.SetBinary("union", places, one)
            return Value(set_type(going.space), places)
        goal = self.checked(args[1], scope, dom_type(going.space))
        if name == "path":
            from grognard.compiler.routes import cheapest

            return cheapest(self, args[0].callee.id, going, flat, goal)
        to = goal.expr
        costs = tuple(ir.ReachCost(gait, tuple(flat), to) for gait in going.gaits)
        type_ = Type("int", 0, 9999, optional=True)
        if len(costs) == 1:
            return Value(type_, costs[0])
        var = self.code.local("(gait)", INT)
        site = self.lowerer.site("read", name, span)
        return Value(type_, ir.Aggregate("min", var, ir.OverItems(costs), None, ir.Local(var), site))

    # ---------------------------------------------------------------------------------------------- operators

    def _unary(self, expr: syn.UnaryExpr, scope: Scope, want: Type | None) -> Value:
        if expr.op == "not":
            return Value(FLAG, ir.Unary("not", self.condition(expr.value, scope)))
        made = self.checked(expr.value, scope, INT)
        return Value(int_range(-made.type.hi, -made.type.lo), ir.Unary("neg", made.expr))

    def _binary(self, expr: syn.BinaryExpr, scope: Scope, want: Type | None) -> Value:
        match expr.op:
            case "and":
                left = self.condition(expr.left, scope)
                right = self.condition(expr.right, scope.with_facts(self.facts(expr.left, scope, True)))
                return Value(FLAG, ir.Binary("and", left, right, self.lowerer.nowhere))
            case "or":
                left = self.condition(expr.left, scope)
                right = self.condition(expr.right, scope.with_facts(self.facts(expr.left, scope, False)))
                return Value(FLAG, ir.Binary("or", left, right, self.lowerer.nowhere))
            case "is" | "is_not":
                return self._is(expr, scope)
            case "in" | "not_in":
                made = self._in(expr, scope)
                return Value(FLAG, ir.Unary("not", made)) if expr.op == "not_in" else Value(FLAG, made)
            case "lt" | "le" | "gt" | "ge":
                return self._compare(expr, scope)
        return self._arithmetic(expr, scope, want)

    def _pair(self, expr: syn.BinaryExpr, scope: Scope) -> tuple[Value, Value]:
        """Both sides of a comparison, each giving the other the type to look members up in."""
        if self._free_name(expr.left, scope) and not self._free_name(expr.right, scope):
            right = self.value(expr.right, scope)
            if right.type.sort == "unknown":
                return right, right
            return self.value(expr.left, scope, right.type.required()), right
        left = self.value(expr.left, scope)
        if left.type.sort == "unknown" and self._free_name(expr.right, scope):
            # What the name means depends on the other side, about which something was said already.
            return left, left
        return left, self.value(expr.right, scope, left.type.required())

    def _free_name(self, expr: syn.Expr, scope: Scope) -> bool:
        """A bare name that only a type can give a meaning (a member)."""
        return (
            isinstance(expr, syn.Name)
            and scope.find(expr.id) is None
            and expr.id not in self.world.globals
            and expr.id not in ("me", "base")
            and expr.id not in self.world.callables
        )

    def _is(self, expr: syn.BinaryExpr, scope: Scope) -> Value:
        negate = expr.op == "is_not"
        site = self.lowerer.nowhere
        right_name = expr.right.id if isinstance(expr.right, syn.Name) else ""
        if right_name == "empty" and scope.find("empty") is None:
            left = self.value(expr.left, scope)
            if left.type.sort == "set":
                from grognard.compiler.routes import leads_anywhere

                able = leads_anywhere(self.lowerer, left.expr)
                if able is not None:
                    return Value(FLAG, able if negate else ir.Unary("not", able))
                size: Any = ir.SetCount(left.expr)
            elif left.type.sort == "list":
                size = ir.ListLength(left.expr)
            else:
                if left.type.sort != "unknown":
                    self.sink.error(
                        "GR0313", expr.left.span, f"only sets and lists can be empty, this is {left.type}"
                    )
                return Value(FLAG, ir.Const(0))
            return Value(FLAG, ir.Binary("ne" if negate else "eq", size, ir.Const(0), site))
        kind = self.type_of(expr.left, scope)
        if kind is not None and kind.form is not None:
            alike = self._form_is(expr, self.value(expr.left, scope), kind.form, scope)
            return Value(FLAG, ir.Unary("not", alike) if negate else alike)
        if (
            right_name in self.world.types
            and scope.find(right_name) is None
            and right_name not in self.world.globals
        ):
            left = self.value(expr.left, scope)
            test = self._type_test(left, self.world.types[right_name], expr)
            return Value(FLAG, ir.Unary("not", test) if negate else test)
        left, right = self._pair(expr, scope)
        if left.type.sort == "unknown" or right.type.sort == "unknown":
            return Value(FLAG, ir.Const(0))
        if left.type.sort == "set" and right.type.sort == "set":
            same = ir.SetEqual(left.expr, right.expr)
            return Value(FLAG, ir.Unary("not", same) if negate else same)
        if left.type.sort == "list" and right.type.sort == "list" and join(left.type, right.type) is not None:
            equal = self._same_lists(left, right)
            return Value(FLAG, ir.Unary("not", equal) if negate else equal)
        self._comparable(left, right, expr)
        if left.type.sort == right.type.sort == "int" and (
            left.type.hi < right.type.lo or right.type.hi < left.type.lo
        ):
            self.sink.warning("GR0311", expr.span, f"{left.type} is never {right.type}")
        return Value(FLAG, ir.Binary("ne" if negate else "eq", left.expr, right.expr, site))

    def _same_lists(self, left: Value, right: Value) -> ir.Expr:
        """The same values in the same order."""
        site = self.lowerer.nowhere
        var = self.code.local("(place)", INT)
        place = ir.Local(var)
        items = ir.Binary(
            "eq", ir.ListItem(left.expr, place, site), ir.ListItem(right.expr, place, site), site
        )
        long = ir.Binary("eq", ir.ListLength(left.expr), ir.ListLength(right.expr), site)
        each = ir.OverRange(ir.Const(1), ir.ListLength(left.expr))
        return ir.Binary("and", long, ir.Aggregate("all", var, each, None, items, site), site)

    def _comparable(self, left: Value, right: Value, expr: syn.BinaryExpr) -> None:
        if left.type.sort == "none" or right.type.sort == "none":
            other = right if left.type.sort == "none" else left
            if not other.type.optional and other.type.sort != "unknown":
                path = path_of(expr.left if other is left else expr.right)
                if path is None:
                    self.sink.warning("GR0311", expr.span, f"{other.type.words} is never none")
            return
        if join(left.type, right.type) is None or left.type.sort in ("record", "list", "set"):
            self.sink.error(
                "GR0303", expr.span, f"{left.type.words} cannot be compared with {right.type.words}"
            )

    def _type_test(self, left: Value, dom: Dom, expr: syn.BinaryExpr) -> Any:
        if left.type.sort != "dom" or left.type.dom is None or left.type.dom.sort != dom.sort:
            if left.type.sort != "unknown":
                self.sink.error("GR0303", expr.span, f"{left.type} is never a {dom.name}")
            return ir.Const(0)
        if left.type.dom.parts and not any(
            part.is_in(dom) or dom.is_in(part) for part in left.type.dom.parts
        ):
            self.sink.error("GR0303", expr.span, f"{left.type} is never a {dom.name}")
            return ir.Const(0)
        return self._belongs(left.expr, dom)

    def _compare(self, expr: syn.BinaryExpr, scope: Scope) -> Value:
        left, right = self._pair(expr, scope)
        for value, side in ((left, expr.left), (right, expr.right)):
            if value.type.sort not in ("int", "unknown") and not (
                value.type.sort == "dom" and value.type.dom and value.type.dom.sort in ("enum", "range")
            ):
                self.sink.error(
                    "GR0303",
                    side.span,
                    f"{value.type.words} has no order",
                    hint="`is` compares for sameness" if value.type.sort == "dom" else None,
                )
                return Value(FLAG, ir.Const(0))
        if left.type.sort != right.type.sort and "unknown" not in (left.type.sort, right.type.sort):
            self.sink.error(
                "GR0303", expr.span, f"{left.type.words} cannot be compared with {right.type.words}"
            )
        if left.type.sort == right.type.sort == "int" and not left.type.optional and not right.type.optional:
            self._constant_comparison(expr, left.type, right.type)
        return Value(FLAG, ir.Binary(COMPARISONS[expr.op], left.expr, right.expr, self.lowerer.nowhere))  # type: ignore[arg-type]

    def _constant_comparison(self, expr: syn.BinaryExpr, a: Type, b: Type) -> None:
        always = {"lt": a.hi < b.lo, "le": a.hi <= b.lo, "gt": a.lo > b.hi, "ge": a.lo >= b.hi}[expr.op]
        never = {"lt": a.lo >= b.hi, "le": a.lo > b.hi, "gt": a.hi <= b.lo, "ge": a.hi < b.lo}[expr.op]
        if (always or never) and not self.in_phase and not (a.lo == a.hi and b.lo == b.hi):
            self.sink.warning(
                "GR0311", expr.span, f"this is {'always' if always else 'never'} so: {a} against {b}"
            )

    def _in(self, expr: syn.BinaryExpr, scope: Scope) -> Any:
        site = self.lowerer.nowhere
        right = expr.right
        kind = self.type_of(expr.left, scope)
        if kind is not None and kind.form is not None:
            # A form is in a set if its name is.
            tag = syn.Dot(expr.left, "name", expr.left.span, expr.left.span)
            return self._in(syn.BinaryExpr(expr.op, tag, right, expr.span), scope)
        if isinstance(right, syn.RangeExpr):
            left = self.value(expr.left, scope, INT)
            lo = self.value(right.lo, scope, left.type.required())
            hi = self.value(right.hi, scope, left.type.required())
            if any(v.type.sort == "unknown" for v in (left, lo, hi)):
                return ir.Const(0)
            if left.type.sort != lo.type.sort or left.type.sort != hi.type.sort:
                self.sink.error("GR0303", expr.span, f"{left.type} cannot lie in this range")
                return ir.Const(0)
            return ir.Binary(
                "and",
                ir.Binary("ge", left.expr, lo.expr, site),
                ir.Binary("le", left.expr, hi.expr, site),
                site,
            )
        if isinstance(right, syn.Name) and self._free_name(right, scope) and right.id not in self.world.types:
            left = self.value(expr.left, scope)
            if left.type.sort == "dom" and left.type.dom and self.member(right.id, left.type.dom) is not None:
                self.sink.error(
                    "GR0313",
                    right.span,
                    f"`{right.id}` is one value, not a set",
                    hint=f"write `is {right.id}`",
                )
                return ir.Const(0)
        if isinstance(right, syn.SetLiteral | syn.Items):
            left = self.value(expr.left, scope)
            made: Any = None
            for item in right.items:
                value = self.value(item, scope, left.type.required())
                if value.type.sort == "unknown":
                    continue
                if join(left.type, value.type) is None:
                    self.sink.error("GR0303", item.span, f"{left.type} cannot be compared with {value.type}")
                test = ir.Binary("eq", left.expr, value.expr, site)
                made = test if made is None else ir.Binary("or", made, test, site)
            return made if made is not None else ir.Const(0)
        if isinstance(right, syn.Name) and right.id in self.world.types and scope.find(right.id) is None:
            return self._type_test(self.value(expr.left, scope), self.world.types[right.id], expr)
        group = self.value(right, scope)
        if group.type.sort == "list":
            left = self.value(expr.left, scope, group.type.element)
            var = self.code.local("(item)", group.type.element or INT)
            return ir.Aggregate(
                "any",
                var,
                ir.OverList(group.expr),
                ir.Binary("eq", ir.Local(var), left.expr, site),
                None,
                site,
            )
        if group.type.sort != "set" or group.type.dom is None:
            if group.type.sort != "unknown":
                self.sink.error(
                    "GR0313",
                    right.span,
                    f"`in` needs a set, a range or a list of values, this is {group.type}",
                )
            return ir.Const(0)
        left = self.value(expr.left, scope, dom_type(group.type.dom))
        if left.type.sort == "unknown":
            return ir.Const(0)
        if left.type.sort == "int" and group.type.dom.sort == "range":
            return ir.In(left.expr, group.expr)
        if join(left.type.required(), dom_type(group.type.dom)) is None:
            self.sink.error("GR0303", expr.left.span, f"{left.type} is never in a {group.type}")
            return ir.Const(0)
        return ir.In(left.expr, group.expr)

    def _arithmetic(self, expr: syn.BinaryExpr, scope: Scope, want: Type | None) -> Value:
        left = self.value(expr.left, scope, want if want and want.sort == "set" else None)
        if left.type.sort == "set" and expr.op in ("add", "sub"):
            return self._set_arithmetic(expr, left, scope)
        self.demand(left, INT, expr.left.span)
        right = self.checked(expr.right, scope, INT)
        if left.type.sort != "int" or right.type.sort != "int":
            return Value(UNKNOWN, ir.Const(0))
        if expr.op.startswith("div") or expr.op == "mod":
            if right.type.lo == right.type.hi == 0:
                self.sink.error("GR0315", expr.right.span, "this divides by zero")
            elif right.type.lo <= 0 <= right.type.hi < INT_HI and right.type.lo > INT_LO:
                self.sink.warning(
                    "GR0315",
                    expr.right.span,
                    f"this can be zero: it is {right.type.words}",
                    hint="bound it from below: `max(1, ...)`",
                )
        site = self.lowerer.site("arithmetic", expr.op, expr.span, owner=self.code.owner)
        op: Any = expr.op
        return Value(interval(expr.op, left.type, right.type), ir.Binary(op, left.expr, right.expr, site))

    def _set_arithmetic(self, expr: syn.BinaryExpr, left: Value, scope: Scope) -> Value:
        assert left.type.dom
        right = self.value(expr.right, scope, left.type)
        if right.type.sort == "dom" and right.type.dom is not None:
            right = Value(left.type, ir.SetOf(left.type.dom.id, (right.expr,)))
        if right.type.sort != "set":
            if right.type.sort != "unknown":
                self.sink.error("GR0313", expr.right.span, f"a set is needed here, this is {right.type}")
            return left
        return Value(left.type, ir.SetBinary("union" if expr.op == "add" else "minus", left.expr, right.expr))

    def _ternary(self, expr: syn.Ternary, scope: Scope, want: Type | None) -> Value:
        condition = self.condition(expr.condition, scope)
        then = self.value(expr.then, scope.with_facts(self.facts(expr.condition, scope, True)), want)
        hint = want if want is not None else then.type.required()
        otherwise = self.value(
            expr.otherwise, scope.with_facts(self.facts(expr.condition, scope, False)), hint
        )
        if want is None and self._free_name(expr.then, scope) and then.type.sort == "unknown":
            then = self.value(expr.then, scope, otherwise.type.required())
        both = join(then.type, otherwise.type)
        if both is None:
            self.sink.error(
                "GR0301", expr.span, f"the two values differ in type: {then.type} and {otherwise.type}"
            )
            return Value(UNKNOWN, ir.Const(0))
        if both.sort == "set":
            return Value(both, ir.SetIf(condition, then.expr, otherwise.expr))
        if both.sort == "record":
            assert then.record is not None and otherwise.record is not None
            if any(part.type.sort in ("set", "list") for part in then.record.values()):
                self.sink.error(
                    "GR0301",
                    expr.span,
                    f"{both} cannot be picked with `if` in an expression",
                    hint="use `if` lines",
                )
                return Value(UNKNOWN, ir.Const(0))
            parts = {
                k: Value(v.type, ir.If(condition, v.expr, otherwise.record[k].expr))
                for k, v in then.record.items()
            }
            return Value(both, None, parts)
        return Value(both, ir.If(condition, then.expr, otherwise.expr))

    def list_literal(self, expr: syn.Expr, scope: Scope, want: Type | None) -> Value | None:
        """`{}` or `{a, b}` where a list is expected: its items in the order written."""
        if not isinstance(expr, syn.SetLiteral) or want is None or want.sort != "list":
            return None
        assert want.element
        made = self.code.variable("(items)", want)
        self.code.emit(ir.ListClear(made.expr.index))
        for item in expr.items:
            value = self.checked(item, scope, want.element)
            self.code.emit(
                ir.ListAppend(made.expr.index, value.expr, self.lowerer.site("list", "", item.span))
            )
        return made

    def _set_literal(self, expr: syn.SetLiteral, scope: Scope, want: Type | None) -> Value:
        made_list = self.list_literal(expr, scope, want)
        if made_list is not None:
            return made_list
        dom = want.dom if want is not None and want.sort == "set" else None
        made: list[Value] = []
        for item in expr.items:
            hint = dom_type(dom) if dom else (made[0].type.required() if made else None)
            made.append(self.value(item, scope, hint))
        if dom is None:
            dom = next((v.type.dom for v in made if v.type.sort == "dom"), None)
        if dom is None:
            if not any(v.type.sort == "unknown" for v in made):
                self.sink.error("GR0313", expr.span, "it is not clear what this is a set of")
            return Value(UNKNOWN, ir.Const(0))
        for value, item in zip(made, expr.items, strict=True):
            self.demand(value, dom_type(dom, True), item.span)
        return Value(set_type(dom), ir.SetOf(dom.id, tuple(v.expr for v in made)))

    def _as_of(self, expr: syn.AsOf, scope: Scope, want: Type | None) -> Value:
        if expr.mark not in self.world.marks:
            self.sink.error(
                "GR0201",
                expr.span,
                f"there is no mark `{expr.mark}`",
                hint=hint_for(expr.mark, list(self.world.marks)),
            )
            return Value(UNKNOWN, ir.Const(0))
        before = self.code.mark
        self.code.mark = expr.mark
        try:
            return self.value(expr.value, scope, want)
        finally:
            self.code.mark = before

    def _at_best(self, expr: syn.AtBest, scope: Scope) -> Value:
        entry = self.world.callables.get(expr.use.name)
        if entry is None or entry.sort != "procedure":
            known = [c.name for c in self.world.callables.values() if c.sort == "procedure"]
            self.sink.error(
                "GR0207",
                expr.use.span,
                f"there is no procedure `{expr.use.name}`",
                hint=hint_for(expr.use.name, known),
            )
            return Value(UNKNOWN, ir.Const(0))
        entry.used = True
        if entry.result is None or entry.result.sort not in ("int", "flag"):
            self.sink.error("GR0309", expr.span, f"`{entry.name}` gives no number to be the best")
            return Value(UNKNOWN, ir.Const(0))
        made = self.arguments(entry, list(expr.use.args), expr.use.span, scope)
        if made is None or any(v.type.sort == "unknown" for v in made):
            return Value(UNKNOWN, ir.Const(0))
        flat = [part for value in made for part in flatten(value)]
        if any(v.type.sort in ("set", "list") for v in made):
            self.sink.error("GR0208", expr.use.span, "sets and lists cannot be given to a hypothetical")
            return Value(UNKNOWN, ir.Const(0))
        if entry.uses_me:
            flat.insert(0, self.me(expr.span, entry).expr)
        machine = self.lowerer.trial_machine(entry)
        site = self.lowerer.site("at best", entry.name, expr.span, entry.cites, owner=self.code.owner)
        if entry.result.sort == "flag":
            search = ir.AtBest(machine, tuple(flat), ir.Const(1), site)
            return Value(FLAG, ir.Binary("eq", search, ir.Const(1), site))
        enough = None if expr.enough is None else ir.Const(expr.enough)
        return Value(entry.result.maybe(), ir.AtBest(machine, tuple(flat), enough, site))

    def _latest(self, expr: syn.Latest, scope: Scope) -> Value:
        """The pending value of a field that is written later, else the one in force."""
        made = self.value(expr.value, scope)
        if not isinstance(made.expr, ir.Load):
            if made.type.sort != "unknown":
                self.sink.error("GR0208", expr.span, "only a field has a latest value")
            return made
        info = self.world.fields_by_id.get(made.expr.field)
        if info is None:
            self.sink.error("GR0208", expr.span, "this field is never written later")
            return made
        value, due = self.lowerer.pending(info)
        site = made.expr.site
        waits = ir.Binary("ne", ir.Load(due, made.expr.index, site), ir.Const(0), site)
        return Value(made.type, ir.If(waits, ir.Load(value, made.expr.index, site), made.expr))

    def _during(self, args: list[syn.Expr], span: Span) -> Value:
        if len(args) != 1 or not isinstance(args[0], syn.Name):
            self.sink.error("GR0302", span, "write during(name of a phase)")
            return Value(FLAG, ir.Const(0))
        name = args[0].id
        phases = self.world.phases
        number = phases.index(name) if phases else None
        if number is None:
            self.sink.error(
                "GR0201",
                args[0].span,
                f"there is no phase `{name}`",
                hint=hint_for(name, phases.members if phases else []),
            )
            return Value(FLAG, ir.Const(0))
        field = self.lowerer.running_phases()
        return Value(FLAG, ir.In(ir.Const(number), ir.SetLoad(field, (), self.lowerer.nowhere)))

    def _known(self, args: list[syn.Expr], scope: Scope, site: int, span: Span) -> Value:
        """known(u.command): it has been revealed since it was last written."""
        made = self.value(args[0], scope) if len(args) == 1 else None
        load = made.expr if made is not None else None
        info = self.world.fields_by_id.get(load.field) if isinstance(load, ir.Load | ir.SetLoad) else None
        if info is None or info.known is None:
            self.sink.error("GR0208", span, "`known` asks about a secret field", hint="known(u.hit)")
            return Value(FLAG, ir.Const(0))
        assert isinstance(load, ir.Load | ir.SetLoad)
        return Value(FLAG, ir.Load(info.known, load.index, site))

    # --------------------------------------------------------------------------------------------- aggregates

    def source(self, expr: syn.Expr, scope: Scope) -> tuple[Any, Type]:
        """What a loop or aggregate runs over, and the type of its elements."""
        world = self.world
        match expr:
            case syn.Name(id=name) if scope.find(name) is None and name not in world.globals:
                if name == "sides" and world.sides:
                    return ir.OverDomain(world.sides.id), dom_type(world.sides)
                if name == "powers" and world.seats:
                    return ir.OverDomain(world.seats.id), dom_type(world.seats)
                if name in world.types:
                    dom = world.types[name]
                    if dom.secret_all is not None:
                        self.code.reads_secret = True
                    return ir.OverDomain(dom.id), dom_type(dom)
            case syn.RangeExpr():
                lo = self.checked(expr.lo, scope, INT)
                hi = self.checked(expr.hi, scope, INT)
                return ir.OverRange(lo.expr, hi.expr), int_range(lo.type.lo, hi.type.hi)
            case syn.Items() | syn.SetLiteral():
                made: list[Value] = []
                for item in expr.items:
                    made.append(self.value(item, scope, made[0].type.required() if made else None))
                type_ = made[0].type if made else UNKNOWN
                for value, item in zip(made[1:], expr.items[1:], strict=True):
                    both = join(type_, value.type)
                    if both is None:
                        self.sink.error("GR0301", item.span, f"this is {value.type}, the others are {type_}")
                    else:
                        type_ = both
                return ir.OverItems(tuple(v.expr for v in made)), type_.required()
            case syn.CallExpr(callee=syn.Name(id=name)) if name in SOURCES and name not in world.callables:
                verb, sorts = SOURCES[name].ir, SOURCES[name].takes
                args = self._verb_args(name, sorts, expr, scope)
                if args is None:
                    return None, UNKNOWN
                space = self._space_of(args)
                site = self.lowerer.site("read", name, expr.span)
                return ir.OverVerb(verb, tuple(a.expr for a in args), site), dom_type(
                    space
                ) if space else UNKNOWN
            case syn.BinaryExpr(op="or", left=syn.Name(id=one), right=syn.Name(id=other)) if (
                one in world.types and other in world.types
            ):
                self.sink.error(
                    "GR0313",
                    expr.span,
                    f"`{one} or {other}` is a type, but nothing can run over both at once",
                    hint=f"run over each: `x in {one} where ...`, then `x in {other} where ...`",
                )
                return None, UNKNOWN
        made_set = self.value(expr, scope)
        if made_set.type.sort == "set" and made_set.type.dom:
            element = (
                int_range(
                    made_set.type.dom.range_lo,
                    made_set.type.dom.range_lo + len(made_set.type.dom.members) - 1,
                )
                if made_set.type.dom.sort == "range"
                else dom_type(made_set.type.dom)
            )
            return ir.OverSet(made_set.expr), element
        if made_set.type.sort == "list" and made_set.type.element:
            return ir.OverList(made_set.expr), made_set.type.element
        if made_set.type.sort != "unknown":
            self.sink.error(
                "GR0313",
                expr.span,
                f"a type, a set, a range or a list is needed here, this is {made_set.type.words}",
                hint="for example `u in Unit where ...`",
            )
        return None, UNKNOWN

    def _aggregate(self, expr: syn.AggregateExpr, scope: Scope, want: Type | None) -> Value:
        over, element = self.source(expr.source, scope)
        inner = scope.child()
        if over is None:
            return Value(UNKNOWN, ir.Const(0))
        var = self.code.local(expr.var, element)
        earlier = scope.find(expr.var)
        if earlier is not None:
            self.sink.warning(
                "GR0206",
                expr.var_span,
                f"`{expr.var}` has a meaning here already, which is hidden inside the brackets",
                labels=(Label(earlier.span, "from here"),) if earlier.span else (),
                hint="take another letter",
            )
        inner.names[expr.var] = Binding(Value(element, ir.Local(var)), False, expr.var_span, var)
        where = None
        if expr.where is not None:
            where = self.condition(expr.where, inner)
            inner = inner.with_facts(self.facts(expr.where, inner, True))
        site = self.lowerer.site("aggregate", expr.op, expr.span, owner=self.code.owner)
        op = expr.op
        if expr.key is not None and op not in ("best", "first", "only"):
            self.sink.error("GR0208", expr.span, f"`by` belongs to best(...), not to {op}(...)")
        match op:
            case "count" | "any":
                if expr.value is not None:
                    extra = self.condition(expr.value, inner)
                    where = extra if where is None else ir.Binary("and", where, extra, site)
                type_ = int_range(0, 100_000) if op == "count" else FLAG
                return Value(type_, ir.Aggregate(op, var, over, where, None, site))
            case "all":
                if expr.value is None:
                    self.sink.error(
                        "GR0302",
                        expr.span,
                        "all(...) needs what must hold",
                        hint="all(u in Unit where mine(u): u.spent)",
                    )
                    return Value(FLAG, ir.Const(0))
                return Value(
                    FLAG, ir.Aggregate("all", var, over, where, self.condition(expr.value, inner), site)
                )
            case "sum" | "min" | "max":
                if expr.value is None:
                    if op == "sum" and element.sort == "int":
                        value = Value(element, ir.Local(var))
                    else:
                        self.sink.error(
                            "GR0302",
                            expr.span,
                            f"{op}(...) needs a value",
                            hint=f"{op}(u in Unit where ...: u.cost)",
                        )
                        return Value(UNKNOWN, ir.Const(0))
                else:
                    value = self.value(expr.value, inner)
                    if op == "sum" or value.type.sort != "dom":
                        self.demand(value, INT, expr.value.span)
                if op == "sum":
                    lo = 0 if value.type.lo >= 0 else max(INT_LO, value.type.lo * 2000)
                    hi = 0 if value.type.hi <= 0 else min(INT_HI, value.type.hi * 2000)
                    return Value(int_range(lo, hi), ir.Aggregate("sum", var, over, where, value.expr, site))
                return Value(value.type.maybe(), ir.Aggregate(op, var, over, where, value.expr, site))
            case "first" | "last" | "only" | "the" if expr.key is None:
                type_ = element if op == "the" else element.maybe()
                return Value(type_, ir.Aggregate(op, var, over, where, None, site))
            case "best" | "first" | "only":
                if expr.key is None:
                    self.sink.error(
                        "GR0302",
                        expr.span,
                        "best(...) needs `by` what",
                        hint="best(u in Unit by highest u.cost)",
                    )
                    return Value(UNKNOWN, ir.Const(0))
                key = self.value(expr.key, inner)
                if key.type.sort == "flag":
                    key = Value(int_range(0, 1), key.expr)
                if key.type.sort != "dom":
                    self.demand(key, INT, expr.key.span)
                high = "high" if expr.rank == "highest" else "low"
                made = "only_" + high if op == "only" else "best_" + high
                return Value(element.maybe(), ir.Aggregate(made, var, over, where, key.expr, site))  # type: ignore[arg-type]
            case "set":
                if expr.value is not None:
                    value = self.value(expr.value, inner)
                    if value.type.sort != "dom" or value.type.dom is None:
                        self.sink.error("GR0313", expr.value.span, f"there are no sets of {value.type}")
                        return Value(UNKNOWN, ir.Const(0))
                    return Value(
                        set_type(value.type.dom), ir.SetBuild(value.type.dom.id, var, over, where, value.expr)
                    )
                dom = element.dom
                if element.sort == "int":
                    dom = (
                        want.dom
                        if want is not None and want.sort == "set"
                        else self.world.range_dom(element.lo, min(element.hi, element.lo + 9999))
                    )
                if dom is None:
                    return Value(UNKNOWN, ir.Const(0))
                return Value(set_type(dom), ir.SetBuild(dom.id, var, over, where, None))
        raise AssertionError(op)


def _values(number: int) -> str:
    return "1 value" if number == 1 else f"{number or 'no'} values"


def interval(op: str, a: Type, b: Type) -> Type:
    """Interval arithmetic; what leaves 32 bits is cut there (and fails when it happens)."""
    if op == "add":
        return int_range(a.lo + b.lo, a.hi + b.hi)
    if op == "sub":
        return int_range(a.lo - b.hi, a.hi - b.lo)
    if op == "mul":
        corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi]
        return int_range(min(corners), max(corners))
    if op == "mod":
        return int_range(0, max(0, b.hi - 1)) if b.lo > 0 else INT
    # Division: the quotient is never further from zero than the dividend; with a fixed divisor it is exact.
    if b.lo == b.hi and b.lo > 0:
        down, up = (lambda n: n // b.lo), (lambda n: -(-n // b.lo))
        lo = {"div_down": down, "div_up": up, "div_near": down}[op](a.lo)
        hi = {"div_down": down, "div_up": up, "div_near": up}[op](a.hi)
        return int_range(lo, hi)
    edge = max(abs(a.lo), abs(a.hi))
    return int_range(-edge if a.lo < 0 or b.lo < 0 else 0, edge)
