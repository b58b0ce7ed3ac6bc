"""Flow-sensitive narrowing: the types of paths (`u.hit`) where a condition is known to hold or to fail.

A test narrows what may be none to what is not, and a union to one of its parts.  Narrowing reads syntax and reports nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from grognard.compiler.sema.implied_tests import implied, is_test, shown
from grognard.compiler.sema.scope import Binding, Scope, Variable, path_of
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.types import (
    Dom,
    FieldInfo,
    Type,
    dom_type,
    join,
)
from grognard.compiler.support.cascades import LostTests
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

#: Names at the roots of a path: not the fields behind them.
_NAMES_IN_PATH = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


@dataclass(slots=True)
class NarrowingMemo:
    """Results of narrowing that hold for all scopes of a program."""

    #: (rule, truth) -> narrowed types of paths in the rule's own names
    rules: dict[tuple[str, bool], dict[str, Type]] = field(default_factory=dict)
    #: (rule, truth) -> tests in the rule whose types are unknown
    lost_in_rules: dict[tuple[str, bool], list[Span]] = field(default_factory=dict)
    #: all tests whose types are unknown (support/cascades.py)
    lost_tests: LostTests = field(default_factory=LostTests)


class Narrowing:
    """Narrows types by conditions."""

    def __init__(self, symbols: Symbols, memo: NarrowingMemo) -> None:
        self.symbols = symbols
        self.memo = memo

    def narrow(self, expr: syn.Expr, scope: Scope, truth: bool) -> dict[str, Type]:
        """The narrowed types of paths where the condition has this truth value."""
        made = self._narrow(expr, scope, truth)
        if truth and is_test(expr):
            for need in (*implied(self, expr, scope), *shown(self, expr, scope)):
                path = path_of(need)
                if path is not None and path not in made:
                    made = {**made, **self._not_none(need, scope)}
        return made

    def _narrow(self, expr: syn.Expr, scope: Scope, truth: bool) -> dict[str, Type]:
        match expr:
            case syn.UnaryExpr(op="not", value=inner):
                return self.narrow(inner, scope, not truth)
            case syn.BinaryExpr(op="and") if truth:
                return {**self.narrow(expr.left, scope, True), **self.narrow(expr.right, scope, True)}
            case syn.BinaryExpr(op="or") if not truth:
                return {**self.narrow(expr.left, scope, False), **self.narrow(expr.right, scope, False)}
            case syn.BinaryExpr(op="is" | "is_not" as op):
                same = (op == "is") == truth
                return self._narrow_by_is(expr, scope, same)
            case syn.BinaryExpr(op="lt" | "le" | "gt" | "ge") if truth:
                return {**self._not_none(expr.left, scope), **self._not_none(expr.right, scope)}
            case syn.BinaryExpr(op="in") if truth:
                return self._narrow_by_in(expr, scope)
            case syn.BinaryExpr(op="not_in") if not truth:
                return self._narrow_by_in(expr, scope)
            case syn.CallExpr(callee=syn.Name(id="in_play"), args=(inner,)) if truth:
                return self._not_none(inner, scope)
            case syn.CallExpr(callee=syn.Name(id=name), args=args, named=()):
                return self._narrow_by_rule(name, args, scope, truth, expr.span)
            case syn.Name(id=name):
                return self._narrow_by_rule(name, (), scope, truth, expr.span)
        return {}

    def _narrow_by_in(self, expr: syn.BinaryExpr, scope: Scope) -> dict[str, Type]:
        narrowed = self._not_none(expr.left, scope)
        if isinstance(expr.right, syn.SetLiteral | syn.Items):
            narrowed |= self._filled(expr.left, list(expr.right.items), scope)
        return narrowed

    def _narrow_by_rule(
        self, name: str, args: tuple[syn.Expr, ...], scope: Scope, truth: bool, span: Span
    ) -> dict[str, Type]:
        """The narrowing by a call of a rule: that of the tests in its lines, with arguments for parameters."""
        entry = self.symbols.callables.get(name)
        if entry is None or entry.sort != "rule" or len(args) != len(entry.params) or scope.find(name):
            self._lost(span)
            return {}
        known = self._narrow_by_lines(entry, truth)
        for test in self.memo.lost_in_rules.get((name, truth), ()):
            self.memo.lost_tests.add(test, span)
        if not known:
            return {}
        given = {param: path_of(arg) for (param, _), arg in zip(entry.params, args, strict=True)}
        narrowed: dict[str, Type] = {}
        for path, type_ in known.items():
            words = set(_NAMES_IN_PATH.findall(path))
            if any(
                given.get(word, word) is None or (word not in given and scope.find(word)) for word in words
            ):
                continue
            narrowed[_NAMES_IN_PATH.sub(lambda m: given.get(m[0]) or m[0], path)] = type_
        return narrowed

    def _narrow_by_lines(self, entry: Callable_, truth: bool) -> dict[str, Type]:
        """The same in the rule's own names, memoised."""
        known = self.memo.rules
        key = (entry.name, truth)
        if key in known:
            return known[key]
        known[key] = {}  # a recursive rule narrows nothing
        if entry.exceptions:
            return {}
        others = self.memo.lost_tests
        self.memo.lost_tests = LostTests()
        scope = Scope()
        for param, type_ in entry.params:
            scope.names[param] = Binding(Variable(param, type_), False, entry.span)
        narrowed: dict[str, Type] = {}
        for statement in entry.decl.body:
            match statement:
                case syn.CaseStmt(value=syn.FlagLit(value=given), condition=condition) if (
                    condition is not None and given != truth
                ):
                    # The condition of this line failed.
                    narrowed.update(self.narrow(condition, scope, False))
                    continue
                case syn.CaseStmt(value=value, condition=None):
                    narrowed.update(self.narrow(value, scope, truth))
            break
        self.memo.lost_in_rules[key] = [test for test, _here in self.memo.lost_tests.tests]
        self.memo.lost_tests = others
        known[key] = narrowed
        return narrowed

    def _narrow_by_is(self, expr: syn.BinaryExpr, scope: Scope, same: bool) -> dict[str, Type]:
        for one, other in ((expr.left, expr.right), (expr.right, expr.left)):
            if isinstance(other, syn.NoneLit):
                return {} if same else self._not_none(one, scope)
        if not same:
            return self._other_part(expr, scope)
        named = self._filled(expr.left, [expr.right], scope)
        if named:
            return named
        if (
            isinstance(expr.right, syn.Name)
            and expr.right.id in self.symbols.types
            and scope.find(expr.right.id) is None
        ):
            path = path_of(expr.left)
            dom = self.symbols.types[expr.right.id]
            return {path: dom_type(dom)} if path and dom.sort in ("place", "piece") else {}
        narrowed: dict[str, Type] = {}
        for one, other in ((expr.left, expr.right), (expr.right, expr.left)):
            if path_of(one) and self._surely_some(other, scope):
                narrowed.update(self._not_none(one, scope))
        return narrowed

    def _other_part(self, expr: syn.BinaryExpr, scope: Scope) -> dict[str, Type]:
        """A value that is not of one part of a union is of the other part."""
        path, type_ = path_of(expr.left), self.type_of(expr.left, scope)
        if path is None or type_ is None or type_.dom is None or not isinstance(expr.right, syn.Name):
            return {}
        rest = [part for part in type_.dom.parts if part.name != expr.right.id]
        if len(rest) != 1 or len(type_.dom.parts) != 2:
            return {}
        return {path: dom_type(rest[0], type_.optional)}

    def _surely_some(self, expr: syn.Expr, scope: Scope) -> bool:
        if isinstance(expr, syn.Number | syn.FlagLit | syn.Text):
            return True
        type_ = self.type_of(expr, scope)
        return type_ is None or not type_.optional

    def _not_none(self, expr: syn.Expr, scope: Scope) -> dict[str, Type]:
        path = path_of(expr)
        if path is None:
            return {}
        type_ = self.type_of(expr, scope)
        if type_ is None:
            self._lost(expr.span)
        return {path: type_.required()} if type_ is not None and type_.optional else {}

    def _lost(self, test: Span) -> None:
        """Record a test whose type is unknown: errors that follow from it are cascading ones (support/cascades.py)."""
        self.memo.lost_tests.add(test, test)

    def type_of(self, expr: syn.Expr, scope: Scope) -> Type | None:
        """The type of a chain of names, without reporting anything; None if it is not known."""
        path = path_of(expr)
        if path is not None and (known := scope.narrowed_type(path)) is not None:
            return known
        match expr:
            case syn.Name(id=name):
                bound = scope.find(name)
                if bound is not None:
                    return bound.type
                if name in self.symbols.globals:
                    return self.symbols.globals[name].type
                return None
            case syn.Dot(object=inner, name=name):
                if (
                    isinstance(inner, syn.Name)
                    and inner.id in ("scenario", "game")
                    and scope.find(inner.id) is None
                ):
                    info = self.symbols.globals.get(name)
                    return info.type if info else None
                owner = self.type_of(inner, scope)
                if owner is None:
                    return None
                if owner.sort == "record" and owner.record:
                    column = owner.form.names.fields.get(name) if owner.form is not None else None
                    return column.type if column is not None else owner.record.fields.get(name)
                if owner.dom is not None and owner.dom.parts:
                    return self._union_type(owner.dom, name)
                if owner.dom is not None:
                    info, _ = self.find_field(owner.dom, name)
                    return info.type if info else None
            case syn.CallExpr(callee=syn.Name(id=name)):
                array = scope.find_array(name)
                if array is not None and array.info is not None:
                    return array.info.type
                if name in self.symbols.globals:
                    return self.symbols.globals[name].type
                entry = self.symbols.callables.get(name)
                return entry.result if entry is not None and entry.sort in ("rule", "table") else None
            case syn.CallExpr(callee=syn.Dot() as dot):
                return self.type_of(dot, scope)
        return None

    def _union_type(self, dom: Dom, name: str) -> Type | None:
        type_: Type | None = None
        for part in dom.parts:
            info, _ = self.find_field(part, name)
            if info is None:
                return None
            type_ = info.type if type_ is None else join(type_, info.type)
            if type_ is None:
                return None
        return type_

    def _filled(self, expr: syn.Expr, names: list[syn.Expr], scope: Scope) -> dict[str, Type]:
        """The fields of a form that are filled in for all of these members."""
        path, type_ = path_of(expr), self.type_of(expr, scope)
        form = type_.form if type_ is not None else None
        if path is None or type_ is None or form is None:
            return {}
        narrowed: dict[str, Type] = {path: type_.required()}
        members = [
            n.id if isinstance(n, syn.Name) else n.name if isinstance(n, syn.Dot) else "" for n in names
        ]
        sure = [form.filled.get(name, set()) for name in members]
        for key in set.intersection(*sure) if sure else ():
            narrowed[f"{path}.{key}"] = form.record.fields[key].required()
        return narrowed

    def find_field(self, dom: Dom, name: str) -> tuple[FieldInfo | None, bool]:
        """A field of a domain; True with it when it is a column of the piece's kind."""
        info = dom.find_field(name)
        if info is not None:
            return info, False
        if dom.kind is not None and name in dom.kind.fields:
            return dom.kind.fields[name], True
        return None, False
