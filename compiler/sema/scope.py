"""Scopes: the names of a block and the narrowed types there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from grognard.compiler.sema.types import FieldInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span


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
