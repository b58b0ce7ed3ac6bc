"""Names for the constants that are members of enumerations, for people who read the source.

The IR has numbers: what they are members of is known of the field, column, local or function beside them.  The compiler is given the
numbers, so that a member that is called otherwise compiles nothing anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.cython.print.lines import Names
from grognard.contract import ir
from grognard.contract.ir.types import shown_domains

_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")


@dataclass
class MemberNames:
    """Names of nodes, by identity: a number that nobody knows more of is the same node value as one that is a member."""

    #: names of the members of each domain that is an enumeration
    members: Mapping[int, Sequence[str]] = field(default_factory=dict)
    _domains: Mapping[int, str] = field(default_factory=dict)
    _names: dict[tuple[int, int], str] = field(default_factory=dict)
    _taken: Names = field(default_factory=Names)
    _nodes: dict[int, tuple[ir.Const, str]] = field(default_factory=dict)

    def of(self, node: ir.Const) -> str | None:
        """The name of a node that is a member of something."""
        found = self._nodes.get(id(node))
        return None if found is None else found[1]

    @property
    def constants(self) -> list[tuple[str, int]]:
        """All names with their numbers."""
        return [(name, number) for (_, number), name in self._names.items()]

    def named(self, program: ir.Program) -> ir.Program:
        """The program, with nodes of its own for members."""
        self._domains = {entry.id: entry.name for entry in program.domains}
        functions = [
            dataclasses.replace(
                function,
                body=_Reader(self, program, function.locals, function.result).changed(function.body),
            )
            for function in program.functions
        ]
        machines = [
            dataclasses.replace(
                machine, blocks=_Reader(self, program, machine.locals, None).changed(machine.blocks)
            )
            for machine in program.machines
        ]
        return dataclasses.replace(program, functions=tuple(functions), machines=tuple(machines))

    def member(self, node: ir.Const, domain: int) -> ir.Const:
        known = self.members.get(domain, ())
        if not 0 <= node.value < len(known):
            return node
        key = (domain, node.value)
        if key not in self._names:
            self._names[key] = self._taken.take(f"E_{self._domains[domain]}_{known[node.value]}")
        made = ir.Const(node.value)
        # The node is kept, so that no other gets its identity.
        self._nodes[id(made)] = (made, self._names[key])
        return made


class _Reader:
    """The code of one function or machine."""

    def __init__(
        self, names: MemberNames, program: ir.Program, locals_: Sequence[ir.LocalDecl], result: Any
    ) -> None:
        self.names, self.program, self.locals, self.result = names, program, locals_, result

    def changed(self, node: Any) -> Any:
        kind = type(node)
        if kind is tuple:
            made = tuple([self.changed(part) for part in node])
            return made if any(new is not old for new, old in zip(made, node)) else node
        fields = getattr(kind, "__match_args__", None)
        if not fields or kind is ir.Const:
            return node
        changes: dict[str, Any] = {}
        for name in fields:
            part = getattr(node, name)
            made = self.changed(part)
            if made is not part:
                changes[name] = made
        changes |= self._expected({name: changes.get(name, getattr(node, name)) for name in fields}, node)
        return dataclasses.replace(node, **changes) if changes else node

    def _expected(self, parts: dict[str, Any], node: Any) -> dict[str, Any]:
        """The parts of a node that are members of what is known beside them."""
        program = self.program
        match node:
            case ir.Binary(op=op) if op in _COMPARED:
                left, right = parts["left"], parts["right"]
                return {
                    "left": self._as(left, self._domain(right)),
                    "right": self._as(right, self._domain(left)),
                }
            case ir.Load(field=number):
                return {"index": self._each(parts["index"], program.fields[number].dims)}
            case ir.Data(column=number):
                return {"index": self._each(parts["index"], program.columns[number].dims)}
            case ir.Store(field=number, op="set"):
                entry = program.fields[number]
                return {
                    "index": self._each(parts["index"], entry.dims),
                    "value": self._as(parts["value"], _member_of(entry.type)),
                }
            case ir.Assign(local=local):
                return {"value": self._as(parts["value"], _member_of(self.locals[local].type))}
            case ir.Return() if isinstance(self.result, ir.IntType):
                return {"value": self._as(parts["value"], _member_of(self.result))}
            case ir.Call(function=number) | ir.Do(function=number):
                params = program.functions[number].locals
                return {"args": self._each(parts["args"], [_member_of(param.type) for param in params])}
            case ir.SetOf(domain=domain):
                return {"items": self._each(parts["items"], [domain] * len(parts["items"]))}
        return {}

    def _each(self, parts: Sequence[Any], domains: Sequence[int | None]) -> tuple[Any, ...]:
        return tuple(self._as(part, domain) for part, domain in zip(parts, domains))

    def _as(self, node: Any, domain: int | None) -> Any:
        if domain is None:
            return node
        match node:
            case ir.Const():
                return self.names.member(node, domain)
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                return ir.If(condition, self._as(then, domain), self._as(otherwise, domain))
        return node

    def _domain(self, node: Any) -> int | None:
        """What the values of an expression are members of."""
        program = self.program
        match node:
            case ir.Load(field=number):
                return _member_of(program.fields[number].type)
            case ir.Data(column=number):
                return _member_of(program.columns[number].type)
            case ir.Local(index=number):
                return _member_of(self.locals[number].type)
            case ir.Call(function=number):
                return _member_of(program.functions[number].result)
            case ir.If(then=then, otherwise=otherwise):
                found = self._domain(then)
                return self._domain(otherwise) if found is None else found
        return None


def _member_of(kind: Any) -> int | None:
    domains = shown_domains(kind.show) if isinstance(kind, ir.IntType) else ()
    return domains[0] if len(domains) == 1 else None
