"""Values, and the code of the function or machine under construction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.types import Type
from grognard.contract import ir


@dataclass(slots=True)
class Value:
    """A lowered expression with its type.  Records are bundles of values and have no expression of their own."""

    type: Type
    expr: Any = None
    record: dict[str, Value] | None = None


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
