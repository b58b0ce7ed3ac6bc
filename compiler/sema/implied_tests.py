"""Tests that a condition says without being written: `u.at.control is me` asks first whether `u.at` is there at all.

A condition that reads through something that may be none does not hold where that is none.  So that nobody is surprised
by a negation, this counts only where the condition is asked for as it stands: not below `not`, and not for `is not`,
`not in` and `is none`, where one test more must be written.  What is implied is lowered as if it were written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grognard.compiler.sema.builtins import BUILTINS, SOURCES, VERBS
from grognard.compiler.sema.scope import Scope, path_of
from grognard.compiler.sema.types import FieldInfo, Type
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.narrowing import Narrowing

_ORDER = {"lt", "le", "gt", "ge"}
_ARITHMETIC = {"add", "sub", "mul", "mod", "div_up", "div_down", "div_near"}
#: built-in functions whose arguments must be there
_STRICT = {"abs", "min", "max", "clamp", "other", "mine", "enemy", "friendly", "opposed"}


def is_test(expr: syn.Expr) -> bool:
    """Whether an expression that gives a flag is one question, and may imply that what it reads through is there."""
    match expr:
        case syn.BinaryExpr(op="is", right=syn.NoneLit()) | syn.BinaryExpr(op="is", left=syn.NoneLit()):
            return False
        case (
            syn.BinaryExpr(op="is_not", right=syn.NoneLit()) | syn.BinaryExpr(op="is_not", left=syn.NoneLit())
        ):
            return True
        case syn.BinaryExpr(op=op):
            return op in _ORDER or op in ("is", "in")
        case syn.Dot() | syn.CallExpr() | syn.AggregateExpr():
            return True
    return False


def implied(narrowing: Narrowing, test: syn.Expr, scope: Scope) -> list[syn.Expr]:
    """What must not be none so that a test can be asked, in the order in which it is read."""
    found: dict[str, syn.Expr] = {}
    if is_test(test):
        for part in _operands(test):
            _collect(narrowing, part, scope, found)
    return list(found.values())


def through(narrowing: Narrowing, value: syn.Expr, scope: Scope) -> list[syn.Expr]:
    """What must not be none so that a value can be read; the value itself may still be none."""
    found: dict[str, syn.Expr] = {}
    _collect(narrowing, value, scope, found)
    return list(found.values())


def spelled_out(needs: list[syn.Expr], test: syn.Expr, before: syn.Expr | None = None) -> syn.Expr:
    """`before and u.at is not none and TEST`."""
    made = before
    for part in (*map(there, needs), test):
        made = part if made is None else syn.BinaryExpr("and", made, part, part.span)
    return made if made is not None else test


def there(need: syn.Expr) -> syn.Expr:
    """`need is not none`."""
    return syn.BinaryExpr("is_not", need, syn.NoneLit(need.span), need.span)


def shown(narrowing: Narrowing, test: syn.Expr, scope: Scope) -> Iterator[syn.Expr]:
    """What is not none where a test holds, though nothing is asked for it: places given to a verb of the map."""
    if not is_test(test):
        return
    for part in _operands(test):
        if isinstance(part, syn.CallExpr) and isinstance(part.callee, syn.Name):
            name = part.callee.id
            known = VERBS.get(name)
            own = name in narrowing.symbols.callables or scope.find(name) is not None
            if known is None or own or (isinstance(test, syn.BinaryExpr) and test.op not in _ORDER):
                continue
            yield from part.args


def _operands(test: syn.Expr) -> tuple[syn.Expr, ...]:
    if isinstance(test, syn.BinaryExpr):
        if test.op in ("in", "is") and isinstance(test.right, syn.SetLiteral | syn.Items | syn.RangeExpr):
            return (test.left,)
        return (test.left, test.right)
    return (test,)


def _collect(narrowing: Narrowing, expr: syn.Expr, scope: Scope, found: dict[str, syn.Expr]) -> None:
    """Add what an expression reads through and may be none."""
    match expr:
        case syn.Dot(object=inner, name=name):
            _field(narrowing, inner, name, (), scope, found)
        case syn.CallExpr(callee=syn.Dot(object=inner, name=name), args=args):
            _field(narrowing, inner, name, args, scope, found)
        case syn.CallExpr(callee=syn.Name(id=name), args=args, named=()):
            _call(narrowing, name, args, scope, found)
        case syn.BinaryExpr(op=op, left=left, right=right) if op in _ARITHMETIC:
            for part in (left, right):
                _needed(narrowing, part, scope, found)
        case syn.UnaryExpr(op="neg", value=value):
            _needed(narrowing, value, scope, found)
        case syn.AggregateExpr(source=source):
            _collect(narrowing, source, scope, found)


def _needed(narrowing: Narrowing, expr: syn.Expr, scope: Scope, found: dict[str, syn.Expr]) -> None:
    """An expression that must itself be there: what it reads through, then itself."""
    _collect(narrowing, expr, scope, found)
    path = path_of(expr)
    if path is None or path in found or scope.narrowed_type(path) is not None:
        return
    type_ = narrowing.type_of(expr, scope)
    if type_ is not None and type_.optional:
        found[path] = expr


def _field(
    narrowing: Narrowing,
    inner: syn.Expr,
    name: str,
    axes: tuple[syn.Expr, ...],
    scope: Scope,
    found: dict[str, syn.Expr],
) -> None:
    owner = narrowing.type_of(inner, scope)
    if owner is not None and owner.dom is not None and owner.dom.sort == "edge":
        _collect(narrowing, inner, scope, found)  # a field of no edge reads as its zero
    else:
        _needed(narrowing, inner, scope, found)
    if axes and owner is not None and owner.dom is not None:
        info, _ = narrowing.find_field(owner.dom, name)
        if info is not None and info.axes:
            for axis in axes:
                _needed(narrowing, axis, scope, found)


def _call(
    narrowing: Narrowing, name: str, args: tuple[syn.Expr, ...], scope: Scope, found: dict[str, syn.Expr]
) -> None:
    symbols = narrowing.symbols
    array = scope.find_array(name)
    entry = symbols.callables.get(name)
    wanted: list[Type | None]
    if array is not None or name in symbols.globals:
        info: FieldInfo | None = array.info if array is not None else symbols.globals[name]
        if info is None or not info.axes:
            return
        wanted = [None] * len(args)
    elif name in symbols.relations or name in symbols.records:
        return
    elif entry is not None:
        if len(entry.params) != len(args):
            return
        wanted = [type_ for _, type_ in entry.params]
    elif name in VERBS or name in SOURCES:
        for arg in args:
            _collect(narrowing, arg, scope, found)
        return
    elif name in BUILTINS and name in _STRICT:
        wanted = [None] * len(args)
    else:
        return
    for arg, type_ in zip(args, wanted, strict=True):
        if type_ is None or not (type_.optional or type_.sort in ("record", "set", "list")):
            _needed(narrowing, arg, scope, found)
        else:
            _collect(narrowing, arg, scope, found)
