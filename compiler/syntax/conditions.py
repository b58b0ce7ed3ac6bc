"""Questions about conditions that their syntax alone answers."""

from __future__ import annotations

from typing import Any

from grognard.compiler.syntax import nodes as syn


def conjuncts(condition: syn.Expr | None) -> list[syn.Expr]:
    """The parts of a condition that `and` joins."""
    if condition is None:
        return []
    if isinstance(condition, syn.BinaryExpr) and condition.op == "and":
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    return [condition]


def disjoint(a: syn.Expr | None, b: syn.Expr | None) -> bool:
    """Whether two conditions plainly exclude each other: `x is A` and `x is B`, or `c` and `not c`."""
    for one in conjuncts(a):
        for other in conjuncts(b):
            if isinstance(one, syn.UnaryExpr) and one.op == "not" and one.value == other:
                return True
            if isinstance(other, syn.UnaryExpr) and other.op == "not" and other.value == one:
                return True
            if (
                isinstance(one, syn.BinaryExpr)
                and isinstance(other, syn.BinaryExpr)
                and one.left == other.left
            ):
                if (
                    one.op == other.op == "is"
                    and one.right != other.right
                    and _constant(one.right)
                    and _constant(other.right)
                ):
                    return True
                if {one.op, other.op} == {"is", "is_not"} and one.right == other.right:
                    return True
    return False


def told_apart(conditions: list[syn.Expr | None]) -> bool:
    """Whether all have a part `x is A` with the same x and an A of their own, so that any two are disjoint.

    Long lists mostly are of this form; it is seen without comparing each with each.
    """
    values: dict[syn.Expr, set[syn.Expr]] = {}
    for condition in conditions:
        for part in conjuncts(condition):
            if isinstance(part, syn.BinaryExpr) and part.op == "is" and _constant(part.right):
                values.setdefault(part.left, set()).add(part.right)
    return any(
        len(rights) == len(conditions) and all(_asks_once(condition, left) for condition in conditions)
        for left, rights in values.items()
    )


def _asks_once(condition: syn.Expr | None, left: syn.Expr) -> bool:
    return (
        sum(
            isinstance(part, syn.BinaryExpr)
            and part.op == "is"
            and part.left == left
            and _constant(part.right)
            for part in conjuncts(condition)
        )
        == 1
    )


def _constant(expr: syn.Expr) -> bool:
    return isinstance(expr, syn.Name | syn.Number | syn.FlagLit | syn.NoneLit | syn.Dot)


def truth(condition: syn.Expr) -> bool | None:
    """The value of a constant condition; None of any other."""
    match condition:
        case syn.FlagLit(value=value):
            return value
        case syn.UnaryExpr(op="not", value=inner):
            below = truth(inner)
            return None if below is None else not below
        case syn.BinaryExpr(op="and", left=left, right=right):
            both = (truth(left), truth(right))
            return False if False in both else True if both == (True, True) else None
        case syn.BinaryExpr(op="or", left=left, right=right):
            either = (truth(left), truth(right))
            return True if True in either else False if either == (False, False) else None
        case syn.BinaryExpr(op=op, left=syn.Number(value=a), right=syn.Number(value=b)):
            return {
                "is": a == b, "is_not": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b,
            }.get(op)  # fmt: skip
    return None


def contradiction(parts: list[syn.Expr]) -> tuple[syn.Expr, syn.Expr] | None:
    """Two conditions of a list that exclude each other."""
    for place, one in enumerate(parts[:30]):
        for other in parts[place + 1 : 30]:
            if disjoint(one, other) or (
                _whose(one) != _whose(other) and _about(one) == _about(other) is not None
            ):
                return one, other
    return None


def _whose(expr: syn.Expr) -> str:
    match expr:
        case syn.CallExpr(callee=syn.Name(id="mine" | "enemy" as name)):
            return name
    return ""


def _about(expr: syn.Expr) -> Any:
    match expr:
        case syn.CallExpr(callee=syn.Name(id="mine" | "enemy"), args=(inner,)):
            return inner
    return None
