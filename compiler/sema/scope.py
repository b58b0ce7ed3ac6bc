"""Scopes: the names of a block and the narrowed types there; the code of the function under construction."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.sema.types import FieldInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.source import Span


@dataclass(slots=True)
class Value:
    """A lowered expression with its type.  Records are bundles of values and have no expression of their own."""

    type: Type
    expr: Any = None
    record: dict[str, Value] | None = None

    @property
    def e(self) -> Any:
        return self.expr


@dataclass(slots=True, eq=False)
class Variable:
    """Something that a name is bound to, with its type; what it becomes in the IR is known to the code under construction."""

    name: str
    type: Type
    #: the field that it is another word for
    reads: FieldInfo | None = None


@dataclass(slots=True)
class Binding:
    variable: Variable
    mutable: bool
    span: Span | None
    used: bool = False
    #: of a procedure-local array, which is read with indexes
    info: FieldInfo | None = None

    @property
    def type(self) -> Type:
        return self.variable.type


@dataclass(slots=True)
class Scope:
    """A block's names, and the narrowed types of paths (`u.hit` is not none here)."""

    parent: Scope | None = None
    names: dict[str, Binding] = field(default_factory=dict)
    narrowed: dict[str, Type] = field(default_factory=dict)
    #: paths that are narrowed in outer scopes, and no longer here
    dropped: set[str] = field(default_factory=set)

    def child(self) -> Scope:
        return Scope(self)

    def find(self, name: str) -> Binding | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def narrowed_type(self, path: str) -> Type | None:
        scope: Scope | None = self
        while scope is not None:
            if path in scope.narrowed:
                return scope.narrowed[path]
            if path in scope.dropped:
                return None
            scope = scope.parent
        return None

    def all_narrowed(self) -> dict[str, Type]:
        """The narrowed types of this and all enclosing scopes, the innermost last."""
        chain: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            chain.append(scope)
            scope = scope.parent
        narrowed: dict[str, Type] = {}
        for part in reversed(chain):
            narrowed.update(part.narrowed)
        return narrowed

    def with_narrowed(self, narrowed: dict[str, Type]) -> Scope:
        made = Scope(self)
        made.narrowed.update(narrowed)
        return made

    def forget(self, path: str) -> None:
        """After a write to a path: drop what is known of it and of longer paths, here and in enclosing blocks."""
        field_name = path.rsplit(".", 1)[-1]
        scope: Scope | None = self
        # The result of a rule may depend on any field, but on a local only if that is an argument.
        local = path in self.visible()
        while scope is not None:
            for known in list(scope.narrowed):
                if (
                    known == path
                    or known.startswith(path + ".")
                    or ("." in path and f".{field_name}." in known)
                    or ("." in known and known.rsplit(".", 1)[-1] == field_name and "." in path)
                    or ("(" in known and (not local or re.search(rf"\b{re.escape(path)}\b", known)))
                ):
                    del scope.narrowed[known]
            scope = scope.parent

    def forget_calls(self) -> None:
        """After a write that may change anything: drop what is known of results of rules."""
        scope: Scope | None = self
        while scope is not None:
            for known in [path for path in scope.narrowed if "(" in path]:
                del scope.narrowed[known]
            scope = scope.parent

    def find_array(self, name: str) -> Binding | None:
        """A procedure-local array by its name, even if a candidate for one of its elements has the same name."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None and found.info is not None:
                return found
            scope = scope.parent
        return None

    def arrays(self) -> list[tuple[str, Binding]]:
        """The procedure-local arrays in scope."""
        return [(n, b) for n in self.visible() if (b := self.find(n)) is not None and b.info is not None]

    def visible(self) -> list[str]:
        names: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            names += [n for n in scope.names if n not in names]
            scope = scope.parent
        return names


def path_of(expr: syn.Expr) -> str | None:
    """`u.hit` or `target(u)` as text, for narrowing; None for anything that is not a chain of names and calls."""
    match expr:
        case syn.Name(id=name):
            return name
        case syn.Dot(object=inner, name=name):
            base = path_of(inner)
            return None if base is None else f"{base}.{name}"
        case syn.CallExpr(callee=callee, args=args, named=()):
            base = path_of(callee)
            given = [_argument_path(arg) for arg in args]
            return None if base is None or None in given else f"{base}({', '.join(map(str, given))})"
    return None


def _argument_path(expr: syn.Expr) -> str | None:
    match expr:
        case syn.Number(text=text):
            return text
        case syn.FlagLit(value=value):
            return "yes" if value else "no"
    return path_of(expr)


class Code:
    """A function or machine under construction: its locals, and the statements of the block being filled."""

    def __init__(self, name: str, owner: str, *, pure: bool, machine: bool) -> None:
        self.name = name
        self.owner = owner
        self.pure = pure
        self.machine = machine
        self.locals: list[ir.LocalDecl] = []
        self.body: list[ir.Stmt] = []
        self.me: Value | None = None
        self.mark: str | None = None
        self.result: Type | None = None
        #: value of `base` inside an exception
        self.base: Any = None
        #: writes the call that `do base` is inside an exception to a procedure
        self.below: Any = None
        self.reads_secret = False
        #: what variables are in the IR
        self.values: dict[Variable, Value] = {}

    def local(self, name: str, type_: Type) -> int:
        number = len(self.locals)
        kind: ir.LocalType
        if type_.sort == "set":
            assert type_.dom
            kind = ir.SetType(type_.dom.id)
        elif type_.sort == "list":
            assert type_.element
            kind = ir.ListType(type_.capacity, type_.element.show)
        else:
            kind = ir.IntType(type_.show)
        self.locals.append(ir.LocalDecl(name, kind))
        return number

    def variable(self, name: str, type_: Type) -> Value:
        """A new local as a value; records become one local per field."""
        if type_.sort == "record":
            assert type_.record
            parts = {key: self.variable(f"{name}.{key}", kind) for key, kind in type_.record.fields.items()}
            return Value(type_, None, parts)
        return Value(type_, read_local(self.local(name, type_), type_))

    @property
    def me_type(self) -> Type | None:
        return None if self.me is None else self.me.type

    @property
    def base_type(self) -> Type | None:
        """The type of `base`, inside an exception to a rule."""
        return None if self.base is None else self.base().type

    def bind(
        self, scope: Scope, name: str, value: Value, span: Span | None, *, mutable: bool = False
    ) -> Binding:
        """Give a name in a scope the meaning of this value."""
        variable = Variable(name, value.type)
        self.values[variable] = value
        scope.names[name] = made = Binding(variable, mutable, span)
        return made

    def value_of(self, bound: Binding) -> Value:
        # A statement with a mistake may have left it without.
        return self.values.get(bound.variable) or Value(bound.type, ir.Const(0))

    def emit(self, statement: ir.Stmt) -> None:
        self.body.append(statement)


def read_local(number: int, type_: Type) -> Any:
    if type_.sort == "set":
        return ir.SetLocal(number)
    if type_.sort == "list":
        return ir.ListLocal(number)
    return ir.Local(number)


def assign_local(code: Code, target: Value, value: Value) -> None:
    """Write a local (or every part of a record of locals)."""
    if target.record is not None:
        assert value.record is not None
        for key, part in target.record.items():
            assign_local(code, part, value.record[key])
        return
    match target.expr:
        case ir.SetLocal(index=number):
            code.emit(ir.AssignSet(number, value.expr))
        case ir.ListLocal(index=number):
            code.emit(ir.AssignList(number, value.expr))
        case ir.Local(index=number):
            code.emit(ir.Assign(number, value.expr))


def flatten(value: Value) -> list[Any]:
    """The expressions of a value, records taken apart in the order of their fields."""
    if value.record is not None:
        return [part for key in value.record for part in flatten(value.record[key])]
    return [value.expr]
