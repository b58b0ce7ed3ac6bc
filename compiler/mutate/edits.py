"""Single changes: what else could stand in place of an expression or a statement, in the IR and in the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from grognard.compiler.mutate.source_edits import Texts
from grognard.compiler.mutate.written import Written
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.mutants import DROPPED
from grognard.support.source import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """The kind of a change, the line and its text before and after, the node that takes the other's place."""

    kind: str
    line: int
    before: str
    after: str
    node: Any


#: op of the IR -> (kind, other op, words of the source, other words)
BINARIES: dict[str, tuple[str, str, str, str]] = {
    "lt": ("comparison", "le", r"<=?", "<="),
    "le": ("comparison", "lt", r"<=", "<"),
    "gt": ("comparison", "ge", r">", ">="),
    "ge": ("comparison", "gt", r">=", ">"),
    "eq": ("comparison", "ne", r"\bis\b", "is not"),
    "ne": ("comparison", "eq", r"\bis\s+not\b", "is"),
    "and": ("connective", "or", r"\band\b", "or"),
    "or": ("connective", "and", r"\bor\b", "and"),
    "add": ("sign", "sub", r"\+", "-"),
    "sub": ("sign", "add", r"-", "+"),
    "div_up": ("operator", "div_down", r"\bup\b", "down"),
    "div_down": ("operator", "div_up", r"\bdown\b", "up"),
}
#: op of the syntax tree -> op of the IR that it is lowered to, where a change is that of one operator
SAME = {"is": "eq", "is_not": "ne"}
#: The other fold of an aggregate, with its word in the source.
FOLDS = {
    "any": "all",
    "all": "any",
    "min": "max",
    "max": "min",
    "best_high": "best_low",
    "best_low": "best_high",
    "only_high": "only_low",
    "only_low": "only_high",
}
#: A number on the right of these is changed in one direction only: the other is what the changed comparison tests.
BESIDE = {"lt": (-1,), "le": (1,), "gt": (1,), "ge": (-1,), "is": (1,), "is_not": (1,)}
MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "is": "is", "is_not": "is_not"}
#: Statements that do something to the state, and can be left out without a name losing its meaning.
EFFECTS = (
    syn.AssignStmt,
    syn.DoStmt,
    syn.EmitStmt,
    syn.ScheduleStmt,
    syn.DestroyStmt,
    syn.CreateStmt,
    syn.PutStmt,
    syn.MarkStmt,
)


def expression_edits(
    node: Any, syntax: Any, condition: bool, written: Written, texts: Texts
) -> Iterator[Edit]:
    """What else could stand in place of this expression."""
    match node, syntax:
        case ir.Const(value=value), syn.Number():
            if value == syntax.value:
                yield from _numbers(value, syntax, written, texts)
        case ir.Const(value=value), syn.UnaryExpr(op="neg", value=syn.Number() as number):
            if value == -number.value:
                yield from _negated(number, written, texts)
                yield Edit("sign", *texts.instead(syntax.span, number.text), ir.Const(-value))
        case ir.Const(value=value), syn.FlagLit():
            other = "no" if syntax.value else "yes"
            yield Edit("constant", *texts.instead(syntax.span, other), ir.Const(1 - value))
        case ir.Const(value=value), syn.Name(id=name):
            # A member in a comparison is left alone: the comparison itself is changed.
            other_name = written.other_member(name, value)
            if other_name is not None and not isinstance(written.parent(syntax), syn.BinaryExpr):
                other, place = other_name
                yield Edit("constant", *texts.instead(syntax.span, other), ir.Const(place))
        case ir.Binary(), syn.BinaryExpr():
            edit = _binary(node, syntax, written, texts)
            if edit is not None:
                yield edit
        case ir.SetBinary(op="union" | "minus" as op), syn.BinaryExpr(op="add" | "sub"):
            words, new = (r"\+", "-") if op == "union" else (r"-", "+")
            told = texts.operator(syntax.left.span, syntax.right.span, words, new)
            if told is not None:
                yield Edit("sign", *told, replace(node, op="minus" if op == "union" else "union"))
        case ((ir.In() | ir.Unary(op="not", value=ir.In())), syn.BinaryExpr(op="in" | "not_in")):
            negated = isinstance(node, ir.Unary)
            words, new = (r"\bnot\s+in\b", "in") if negated else (r"\bin\b", "not in")
            told = texts.operator(syntax.left.span, syntax.right.span, words, new)
            if told is not None:
                yield Edit("comparison", *told, node.value if negated else ir.Unary("not", node))
        case ir.Unary(op="neg", value=inner), syn.UnaryExpr(op="neg"):
            yield Edit("sign", *texts.instead(syntax.span, texts.of(syntax.value.span)), inner)
        case ir.Aggregate(op=op), syn.AggregateExpr() if op in FOLDS:
            edit = _fold(node, syntax, texts)
            if edit is not None:
                yield edit
    if condition:
        yield from _guard(node, syntax, written, texts)


def _numbers(value: int, syntax: syn.Number, written: Written, texts: Texts) -> Iterator[Edit]:
    parent = written.parent(syntax)
    steps: tuple[int, ...] = (1, -1) if value > 0 else (1,)
    if isinstance(parent, syn.BinaryExpr):
        if parent.op in BESIDE:
            op = parent.op if parent.right is syntax else MIRRORED[parent.op]
            steps = BESIDE[op]
        elif parent.op.startswith(("div", "mod")) and parent.right is syntax and value == 1:
            steps = (1,)
    for step in steps:
        other = value + step
        if other != NONE:
            text = str(other) if other >= 0 else f"({other})"
            yield Edit("constant", *texts.instead(syntax.span, text), ir.Const(other))


def _negated(number: syn.Number, written: Written, texts: Texts) -> Iterator[Edit]:
    """Other numbers behind a minus, which lowering has made one constant with it."""
    for edit in _numbers(number.value, number, written, texts):
        yield replace(edit, node=ir.Const(-edit.node.value))


def _binary(node: ir.Binary, syntax: syn.BinaryExpr, written: Written, texts: Texts) -> Edit | None:
    if SAME.get(syntax.op, syntax.op) != node.op or node.op not in BINARIES:
        # What was written is made of several operators: a range, a list of values.
        return None
    kind, other, words, new = BINARIES[node.op]
    if syntax.op.startswith("div"):
        told = texts.behind(syntax.right.span, words, new)
    else:
        brackets = _brackets(syntax, written)
        told = texts.operator(syntax.left.span, syntax.right.span, words, new, brackets)
    return None if told is None else Edit(kind, *told, replace(node, op=other))  # type: ignore[arg-type]


def _brackets(syntax: syn.BinaryExpr, written: Written) -> list[Span]:
    """What must stand in brackets, if `and` and `or` change places, for the rest to be joined as it was."""
    parent = written.parent(syntax)
    if syntax.op == "and" and isinstance(parent, syn.BinaryExpr) and parent.op == "and":
        return [syntax.span]
    if syntax.op == "or":
        sides = (syntax.left, syntax.right)
        return [side.span for side in sides if isinstance(side, syn.BinaryExpr) and side.op == "or"]
    return []


def _fold(node: ir.Aggregate, syntax: syn.AggregateExpr, texts: Texts) -> Edit | None:
    other = FOLDS[node.op]
    if node.op in ("any", "all"):
        # `any` has a filter where `all` has a value to test.
        if node.op == "any":
            if node.where is None:
                return None
            made = replace(node, op="all", where=None, value=node.where)
        else:
            if node.where is not None:
                return None
            made = replace(node, op="any", where=node.value, value=None)
    else:
        made = replace(node, op=other)  # type: ignore[arg-type]
    old_text = texts.of(syntax.span)
    pairs = (
        ("any", "all"),
        ("all", "any"),
        ("min", "max"),
        ("max", "min"),
        ("highest", "lowest"),
        ("lowest", "highest"),
    )
    for word, new in pairs:
        at = old_text.find(word)
        if (syntax.op == word or syntax.rank == word) and at >= 0:
            start = texts.ends(syntax.span)[0] + at
            return Edit("operator", *texts.replaced(syntax.span.file, start, start + len(word), new), made)
    return None


def _guard(node: Any, syntax: Any, written: Written, texts: Texts) -> Iterator[Edit]:
    """A condition that always holds; an alternative (of `or`) that never does; a line that is never taken."""
    parent = written.parent(syntax)
    if isinstance(parent, syn.CaseStmt):
        yield Edit("case", *texts.without(parent.span), ir.Const(0))
    if isinstance(parent, syn.WhileStmt | syn.UnaryExpr) or isinstance(node, ir.Const):
        return  # without its condition the loop would not end; `not` is changed as a whole
    if isinstance(syntax, syn.BinaryExpr) and syntax.op in ("and", "or"):
        return  # each of its parts is changed
    if isinstance(syntax, syn.BinaryExpr) and isinstance(syntax.right, syn.NoneLit):
        return  # without a test for none the checker refuses what follows; the test itself is changed as a comparison
    if isinstance(parent, syn.BinaryExpr) and parent.op == "or":
        yield Edit("guard", *texts.instead(syntax.span, "no"), ir.Const(0))
    else:
        yield Edit("guard", *texts.instead(syntax.span, "yes"), ir.Const(1))


def statement_edits(node: Any, syntax: Any, written: Written, texts: Texts) -> Iterator[Edit]:
    """What else could stand in place of a statement: nothing, or an addition with the other sign."""
    match node, syntax:
        case ir.CallMachine(local=None, block=block), syn.DoStmt(into=None) | syn.EmitStmt():
            yield Edit("effect", *texts.without(syntax.span), ir.Jump(block))
        case ir.Branch(), syn.EmitStmt():
            # The way to a handler that asks; the guard reads what is no longer stored.
            yield Edit("effect", *texts.without(syntax.span), replace(node, condition=ir.Const(0)))
        case ir.Store(op="add", value=value), syn.AssignStmt(op="add" | "sub" as op):
            words, new = (r"\+=", "-=") if op == "add" else (r"-=", "+=")
            told = texts.operator(syntax.target.span, syntax.value.span, words, new)
            if told is not None:
                plain = value.value if isinstance(value, ir.Unary) and op == "sub" else ir.Unary("neg", value)
                yield Edit("sign", *told, replace(node, value=plain))
            if op == "sub" and isinstance(value, ir.Const) and isinstance(syntax.value, syn.Number):
                for edit in _negated(syntax.value, written, texts):
                    yield replace(edit, node=replace(node, value=edit.node))
    if not isinstance(node, _DROPPABLE):
        return
    if isinstance(syntax, syn.Entry):
        yield Edit("modifier", *texts.without(syntax.span), DROPPED)
    elif isinstance(syntax, EFFECTS) and getattr(syntax, "into", None) is None:
        yield Edit("effect", *texts.without(syntax.span), DROPPED)


_DROPPABLE = (
    ir.Assign,
    ir.AssignSet,
    ir.AssignList,
    ir.ListAppend,
    ir.ListClear,
    ir.SetChange,
    ir.Store,
    ir.StoreSet,
    ir.StoreSetChange,
    ir.StoreList,
    ir.Enqueue,
    ir.Reset,
    ir.CopyField,
    ir.IfStmt,
    ir.For,
    ir.Return,
    ir.Do,
    ir.Create,
    ir.Destroy,
    ir.Note,
    ir.Fail,
)
