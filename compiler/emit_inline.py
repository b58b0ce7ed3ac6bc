"""Calls of small functions, written out where they stand: what is known of an argument stays known inside."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grognard.compiler import ir
from grognard.compiler.emit_silent import assigned
from grognard.compiler.irwalk import nodes


def renamed(node: Any, names: Mapping[int, ir.Expr], moved: Mapping[int, int]) -> Any:
    """The code with its locals replaced: those in `names` by expressions, the others as `moved` says."""
    kind = type(node)
    if kind is tuple:
        return tuple([renamed(part, names, moved) for part in node])
    if kind is ir.Local:
        known = names.get(node.index)
        return ir.Local(moved[node.index]) if known is None else known
    fields = getattr(kind, "__match_args__", None)
    if not fields:
        return node
    changes: dict[str, Any] = {}
    for name in fields:
        part = getattr(node, name)
        made = renamed(part, names, moved)
        if made is not part:
            changes[name] = made
    if kind is ir.Assign:
        changes["local"] = moved[node.local]
    elif kind is ir.Aggregate:
        changes["var"] = moved[node.var]
    return dataclasses.replace(node, **changes) if changes else node


def replaceable(function: ir.Function, args: Sequence[Any], fixed: Any) -> dict[int, ir.Expr]:
    """The parameters that their argument can stand for: plain locals and constants, which nothing changes meanwhile,
    and whatever can neither fail nor be seen (`fixed` says so) where it is used once."""
    changed = assigned(function.body)
    uses: dict[int, int] = {}
    for node in nodes(function.body):
        if isinstance(node, ir.Local):
            uses[node.index] = uses.get(node.index, 0) + 1
    found: dict[int, ir.Expr] = {}
    for number, arg in enumerate(args):
        if number in changed:
            continue
        if isinstance(arg, ir.Local | ir.Const | ir.Sym) or (uses.get(number, 0) <= 1 and fixed(arg)):
            found[number] = arg
    return found


def single_value(code: Sequence[ir.Stmt]) -> ir.Expr | None:
    """The one expression that code comes to when nobody listens, if there is one."""
    rest = [node for node in code if not isinstance(node, ir.Note)]
    match rest:
        case [ir.Return(value=value), *_] if value is not None:
            return value  # type: ignore[return-value]
        case [ir.Assign(local=local, value=value), ir.Return(value=ir.Local(index=index))] if local == index:
            return value
        case [ir.IfStmt(condition=condition, then=then, otherwise=otherwise), *after]:
            if not always_returns(then):
                return None
            first, second = single_value(then), single_value((*otherwise, *after))
            return None if first is None or second is None else ir.If(condition, first, second)
    return None


def always_returns(code: Sequence[ir.Stmt]) -> bool:
    """Whether code never runs off its end."""
    for node in code:
        match node:
            case ir.Return():
                return True
            case ir.IfStmt(then=then, otherwise=otherwise):
                if always_returns(then) and always_returns(otherwise):
                    return True
    return False


def conjuncts(node: ir.Expr | None, opened: Callable[[ir.Expr], ir.Expr | None]) -> list[ir.Expr]:
    """The parts of a condition that must all hold, in order."""
    if node is None:
        return []
    if isinstance(node, ir.Binary) and node.op == "and":
        return [part for side in (node.left, node.right) for part in conjuncts(opened(side), opened)]
    return [node]


def joined(parts: Sequence[ir.Expr]) -> ir.Expr | None:
    """One condition of several."""
    whole: ir.Expr | None = None
    for part in parts:
        whole = part if whole is None else ir.Binary("and", whole, part, 0)
    return whole
