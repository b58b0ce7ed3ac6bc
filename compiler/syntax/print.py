"""Expressions as text that an author would write, for messages and comparisons."""

from __future__ import annotations

from typing import Any

from grognard.compiler.syntax import nodes as syn

_BINARY = {
    "or": "or", "and": "and", "is": "is", "is_not": "is not", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "in": "in",
    "not_in": "not in", "add": "+", "sub": "-", "mul": "*", "mod": "mod",
}  # fmt: skip
_ROUNDED = {"div_up": "up", "div_down": "down", "div_near": "nearest"}
#: How tightly the operators bind, the loosest first.
_RANK = [("or",), ("and",), ("is", "is_not", "lt", "le", "gt", "ge", "in", "not_in"), ("add", "sub")]


def _rank(node: Any) -> int:
    if isinstance(node, syn.Ternary | syn.OrElse):
        return 0
    if isinstance(node, syn.BinaryExpr):
        for place, ops in enumerate(_RANK):
            if node.op in ops:
                return place + 1
        return len(_RANK) + 1
    if isinstance(node, syn.UnaryExpr):
        return 2 if node.op == "not" else 6
    return 9


def _inside(node: Any, least: int) -> str:
    text = unparse(node)
    return f"({text})" if _rank(node) < least else text


def unparse(node: Any) -> str:
    """The text of an expression or type; of any other node its class."""
    match node:
        case None:
            return "nothing"
        case syn.Name(id=text) | syn.Number(text=text):
            return text
        case syn.Text(value=text):
            return f'"{text}"'
        case syn.NoneLit():
            return "none"
        case syn.FlagLit(value=flag):
            return "yes" if flag else "no"
        case syn.Dot(object=inner, name=name):
            return f"{_inside(inner, 9)}.{name}"
        case syn.NamedArg(name=name, value=value):
            return f"{name} = {unparse(value)}"
        case syn.CallExpr(callee=callee, args=args, named=named):
            return f"{_inside(callee, 9)}({_listed((*args, *named))})"
        case syn.UnaryExpr(op=op, value=value):
            return f"{'not ' if op == 'not' else '-'}{_inside(value, _rank(node))}"
        case syn.BinaryExpr(op=op, left=left, right=right):
            rank = _rank(node)
            if op in _ROUNDED:
                return f"{_inside(left, rank)} / {_inside(right, rank + 1)} rounded {_ROUNDED[op]}"
            return f"{_inside(left, rank)} {_BINARY[op]} {_inside(right, rank + 1)}"
        case syn.Ternary(condition=condition, then=then, otherwise=otherwise):
            return f"{_inside(then, 1)} if {_inside(condition, 1)} else {unparse(otherwise)}"
        case syn.OrElse(value=value, otherwise=otherwise):
            return f"{_inside(value, 1)} else {unparse(otherwise)}"
        case syn.RangeExpr(lo=lo, hi=hi):
            return f"{_inside(lo, 4)}..{_inside(hi, 4)}"
        case syn.Items(items=items):
            return f"({_listed(items)})"
        case syn.SetLiteral(items=items):
            return f"{{{_listed(items)}}}"
        case syn.AggregateExpr():
            return _aggregate(node)
        case syn.MatchedExpr():
            return _matched(node)
        case syn.AsOf(value=value, mark=mark):
            return f"{_inside(value, 9)} as of {mark}"
        case syn.Latest(value=value):
            return f"latest {_inside(value, 9)}"
        case syn.Use(name=name, args=args):
            return f"{name}({_listed(args)})" if args else name
        case syn.AtBest(use=use):
            return f"at best {unparse(use)}"
        case syn.TypeExpr():
            return _type(node)
        case syn.Param(name=name, type=type_):
            return f"{name}: {unparse(type_)}"
        case syn.Member(name=name):
            return name
        case str() | int():
            return str(node)
        case tuple():
            return _listed(node)
    return type(node).__name__.removesuffix("Stmt").removesuffix("Decl").lower()


def _listed(items: tuple[Any, ...]) -> str:
    return ", ".join(unparse(item) for item in items)


def _aggregate(node: syn.AggregateExpr) -> str:
    where = f" where {unparse(node.where)}" if node.where is not None else ""
    value = f": {unparse(node.value)}" if node.value is not None else ""
    key = f" by {node.rank} {unparse(node.key)}" if node.key is not None else ""
    return f"{node.op}({node.var} in {unparse(node.source)}{where}{value}{key})"


def _matched(node: syn.MatchedExpr) -> str:
    left = f"{node.left} in {unparse(node.left_source)} at {unparse(node.left_at)}"
    right = f"{node.right} in {unparse(node.right_source)} at {unparse(node.right_at)}"
    room = f" room {unparse(node.room)}" if node.room is not None else ""
    return f"matched({left}, {right}{room})"


def _type(node: syn.TypeExpr) -> str:
    match node.sort:
        case "set":
            text = f"set of {unparse(node.element)}"
        case "list":
            text = f"list of {unparse(node.element)} up to {node.capacity}"
        case "name":
            text = f"name of {unparse(node.base)}"
        case "union":
            text = " or ".join(unparse(part) for part in node.parts)
        case "callable":
            result = f" -> {unparse(node.element)}" if node.element is not None else ""
            text = f"{unparse(node.base)}({_listed(node.parts)}){result}"
        case _:
            text = unparse(node.base)
    return text + ("?" if node.optional else "")
