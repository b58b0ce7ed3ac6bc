"""Calls of small functions, written out where they stand: what is known of an argument stays known inside."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grognard.compiler.passes.analyses.local_variables import assigned
from grognard.contract import ir
from grognard.contract.ir.walk import conjuncts, nodes


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


def replaced(node: Any, old: ir.Expr, new: ir.Expr) -> Any:
    """The code with one expression instead of another."""
    if node == old:
        return new
    kind = type(node)
    if kind is tuple:
        return tuple([replaced(part, old, new) for part in node])
    fields = getattr(kind, "__match_args__", None)
    if not fields:
        return node
    made = {name: replaced(getattr(node, name), old, new) for name in fields}
    return (
        node if all(made[name] is getattr(node, name) for name in made) else dataclasses.replace(node, **made)
    )


def replaceable(function: ir.Function, args: Sequence[Any], fixed: Any) -> dict[int, ir.Expr]:
    """The parameters that their argument can stand for: plain locals and constants, which nothing changes meanwhile,
    and whatever is side-effect free (`fixed` says so) where it is used once."""
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
    """The one expression that code evaluates to in an untraced run, if there is one."""
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


#: a level above all levels of the trace
UNTRACED = 99


def guards(code: Sequence[ir.Stmt]) -> Iterator[tuple[ir.Expr, int]]:
    """Conditions without which code returns false, in the order in which it tests them, each with the level of the trace
    from which on the test is traced.  What it tests before one is among those before it."""
    traced_from = UNTRACED
    for number, node in enumerate(code):
        match node:
            case ir.Note(level=level):
                traced_from = min(traced_from, level)
            case ir.IfStmt(
                condition=condition, then=(*notes, ir.Return(value=ir.Const(value=0))), otherwise=()
            ):
                if not all(isinstance(part, ir.Note) for part in notes):
                    return
                traced_from = min([traced_from, *(part.level for part in notes if isinstance(part, ir.Note))])
                for part in _disjuncts(condition):
                    yield ir.Unary("not", part), traced_from
            case ir.Assign():
                # The value is noted before it is returned.
                whole = single_value(code[number:])
                levels = [part.level for part in code[number:] if isinstance(part, ir.Note)]
                for part in conjuncts(whole):
                    yield part, min([traced_from, *levels])
                return
            case ir.Return():
                for part in conjuncts(single_value((node,))):
                    yield part, traced_from
                return
            case _:
                return


def _disjuncts(node: ir.Expr) -> list[ir.Expr]:
    """The parts of a condition of which one must hold, in order."""
    if isinstance(node, ir.Binary) and node.op == "or":
        return [*_disjuncts(node.left), *_disjuncts(node.right)]
    return [node]


def joined(parts: Sequence[ir.Expr]) -> ir.Expr | None:
    """One condition of several."""
    whole: ir.Expr | None = None
    for part in parts:
        whole = part if whole is None else ir.Binary("and", whole, part, 0)
    return whole


def can_be_written_out(function: ir.Function) -> bool:
    """Whether a call can be replaced by the function's code: small, nothing but integers, no way out of the middle."""
    return (
        isinstance(function.result, ir.IntType)
        and all(isinstance(local.type, ir.IntType) for local in function.locals)
        and _plain_way(function.body)
    )


def _plain_way(code: tuple[ir.Stmt, ...]) -> bool:
    """Assignments, notes, failures and `if`; every branch returns at its end or not at all."""
    for number, node in enumerate(code):
        match node:
            case ir.Assign() | ir.Note() | ir.Fail():
                continue
            case ir.Return():
                return number == len(code) - 1
            case ir.IfStmt(then=then, otherwise=otherwise):
                for branch in (then, otherwise):
                    returns = any(isinstance(part, ir.Return) for part in nodes(branch))
                    if not _plain_way(branch) or (returns and not isinstance(branch[-1], ir.Return)):
                        return False
            case _:
                return False
    return True


def written_out_functions(program: ir.Program, bounded_cost: frozenset[int], most: int) -> frozenset[int]:
    """Functions of bounded cost of no more nodes than that, with all that is inlined in them."""
    sizes: dict[int, int] = {}

    def size(number: int) -> int:
        if number not in sizes:
            body = program.functions[number].body
            own = sum(1 for _ in nodes(body))
            calls = [node.function for node in nodes(body) if isinstance(node, ir.Call)]
            sizes[number] = own + sum(size(callee) for callee in calls if fits(callee))
        return sizes[number]

    def fits(number: int) -> bool:
        return (
            number in bounded_cost and can_be_written_out(program.functions[number]) and size(number) <= most
        )

    return frozenset(number for number in sorted(bounded_cost) if fits(number))
