"""Modifiers lists: entries applied in written order, all of them noted for the log and for `why`.

Order of effect: entries that add, multiply or halve act in the order written; the first `set` that applies fixes
the total and later ones are skipped; `without` removes entries by their label anywhere in the list; `at least` and
`at most` bound the total last; `bar` makes the whole none, with its label as the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.scope import Code, Scope
from grognard.compiler.sema.types import (
    INT,
    INT_HI,
    INT_LO,
    Type,
)
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import FAIL_RANGE, NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


def lower_modifiers(lowerer: Lowerer, entry: Callable_, mark: str | None, number: int) -> None:
    from grognard.compiler.lower.stmts.statements import Stmts

    decl: syn.ModifiersDecl = entry.decl
    code = Code(entry.name + (f" as of {mark}" if mark else ""), entry.name, pure=True, machine=False)
    code.mark = mark
    code.result = entry.result
    scope = Scope()
    params = lowerer.bind_params(code, scope, entry.params, entry.uses_me, entry.span)
    stmts = Stmts(lowerer, code)
    site = lowerer.site("enter", entry.name, entry.span, entry.cites, owner=entry.name)
    result = entry.result or INT
    total = code.local("(total)", INT)
    code.emit(ir.Assign(total, ir.Const(0)))
    fixed: int | None = None
    if any(item.sort == "set" for item in decl.entries):
        fixed = code.local("(fixed)", INT)
        code.emit(ir.Assign(fixed, ir.Const(0)))
    settled = False
    struck = _struck(lowerer, stmts, decl, scope, code)
    once: dict[str, int] = {}
    bounds: list[syn.Entry] = []
    for item in decl.entries:
        lowerer.world.cite(item.cites)
        if item.sort == "without":
            continue
        if item.sort in ("least", "most"):
            bounds.append(item)
            continue
        start = len(code.body)
        _entry(lowerer, stmts, item, scope, code, total, fixed, settled, struck, once, entry)
        if lowerer.origins is not None:
            lowerer.origins.statement(item, code, code.body, start, 0)
        settled |= item.sort == "set"
    for item in bounds:
        start = len(code.body)
        _bound(lowerer, stmts, item, scope, code, total, entry)
        if lowerer.origins is not None:
            lowerer.origins.statement(item, code, code.body, start, 0)
    note = lowerer.site("modifiers", f"{entry.name} = {{0}}", entry.span, entry.cites, ("int",), entry.name)
    code.emit(ir.Note(2, note, (ir.Local(total),)))
    span_type = lowerer.result_type(entry)
    if result.sort == "int" and result.lo > INT_LO and (span_type.lo >= result.lo) and result.hi < INT_HI:
        outside = lowerer.site(
            "fail", f"{entry.name} is outside {result}", entry.span, entry.cites, owner=entry.name
        )
        low = ir.Binary("lt", ir.Local(total), ir.Const(result.lo), outside)
        high = ir.Binary("gt", ir.Local(total), ir.Const(result.hi), outside)
        code.emit(ir.IfStmt(ir.Binary("or", low, high, outside), (ir.Fail(FAIL_RANGE, outside),)))
    code.emit(ir.Return(ir.Local(total)))
    if code.reads_secret:
        lowerer.secret_readers.add(entry.name)
    lowerer.new_function(code, params, result, site, number)


def _struck(
    lowerer: Lowerer, stmts: Any, decl: syn.ModifiersDecl, scope: Scope, code: Code
) -> dict[str, list[Any]]:
    """name -> conditions under which the entry is struck."""
    struck: dict[str, list[Any]] = {}
    texts = {item.name: item.label for item in decl.entries if item.label}
    for item in decl.entries:
        if item.sort != "without":
            continue
        lowerer.world.cite(item.cites)
        saved, start = code.local("(struck)", INT), len(code.body)
        test = stmts.condition(item.condition, scope) if item.condition is not None else ir.Const(1)
        code.emit(ir.Assign(saved, test))
        site = lowerer.site(
            "modifier",
            f"without {', '.join(texts.get(name, name) for name in item.struck)}",
            item.span,
            item.cites.ids,
            owner=decl.name,
        )
        code.emit(ir.IfStmt(ir.Local(saved), (ir.Note(2, site, ()),)))
        if lowerer.origins is not None:
            lowerer.origins.statement(item, code, code.body, start, 0)
        for name in item.struck:
            struck.setdefault(name, []).append(ir.Local(saved))
    return struck


def _entry(
    lowerer: Lowerer, stmts: Any, item: syn.Entry, scope: Scope, code: Code, total: int, fixed: int | None, settled: bool,
    struck: dict[str, list[Any]], once: dict[str, int], entry: Callable_,
) -> None:  # fmt: skip
    """One entry; once something may have set the total (`settled`), only if nothing has."""
    tests: list[Any] = []
    inner = scope
    if settled:
        assert fixed is not None
        tests.append(ir.Unary("not", ir.Local(fixed)))
    tests += [ir.Unary("not", strike) for strike in struck.get(item.name, ())]
    if item.once is not None:
        if item.once not in once:
            once[item.once] = code.local(f"(once {item.once})", INT)
        tests.append(ir.Unary("not", ir.Local(once[item.once])))
    if item.condition is not None:
        tests.append(stmts.condition(item.condition, scope))
        inner = scope.with_narrowed(stmts.narrow(item.condition, scope, True))
    cites = item.cites.ids or entry.cites
    body: list[ir.Stmt] = []
    arithmetic = lowerer.site("arithmetic", item.label, item.span, owner=entry.name)
    match item.sort:
        case "add" | "set":
            assert item.value is not None
            made = stmts.checked(item.value, inner, INT)
            site = lowerer.site(
                "modifier",
                f"{item.label} {{0}}",
                item.span,
                cites,
                ("signed" if item.sort == "add" else "int",),
                entry.name,
            )
            saved = code.local("(entry)", INT)
            body.append(ir.Assign(saved, made.expr))
            body.append(ir.Note(2, site, (ir.Local(saved),)))
            if item.sort == "add":
                body.append(ir.Assign(total, ir.Binary("add", ir.Local(total), ir.Local(saved), arithmetic)))
            else:
                assert fixed is not None
                body += [ir.Assign(total, ir.Local(saved)), ir.Assign(fixed, ir.Const(1))]
        case "times":
            site = lowerer.site("modifier", f"{item.label} {{0}}", item.span, cites, ("int",), entry.name)
            product: Any = ir.Binary("mul", ir.Local(total), ir.Const(item.numerator), arithmetic)
            if item.denominator != 1:
                product = ir.Binary(
                    "div_up" if item.rounding == "up" else "div_down",
                    product,
                    ir.Const(item.denominator),
                    arithmetic,
                )
            body += [ir.Assign(total, product), ir.Note(2, site, (ir.Local(total),))]
        case "bar":
            site = lowerer.site("modifier", f"{item.label}: barred", item.span, cites, (), entry.name)
            body += [ir.Note(2, site, ()), ir.Return(ir.Const(NONE))]
    if item.once is not None:
        body.append(ir.Assign(once[item.once], ir.Const(1)))
    if not tests:
        for statement in body:
            code.emit(statement)
        return
    test = tests[0]
    for more in tests[1:]:
        test = ir.Binary("and", test, more, lowerer.nowhere)
    code.emit(ir.IfStmt(test, tuple(body)))


def _bound(
    lowerer: Lowerer, stmts: Any, item: syn.Entry, scope: Scope, code: Code, total: int, entry: Callable_
) -> None:
    assert item.value is not None
    made = stmts.checked(item.value, scope, INT)
    op = "max" if item.sort == "least" else "min"
    bounded = ir.Binary(op, ir.Local(total), made.expr, lowerer.nowhere)  # type: ignore[arg-type]
    if item.condition is not None:
        bounded = ir.If(stmts.condition(item.condition, scope), bounded, ir.Local(total))  # type: ignore[assignment]
    words = "at least" if item.sort == "least" else "at most"
    site = lowerer.site(
        "modifier",
        f"{item.label or words} {{0}}",
        item.span,
        item.cites.ids or entry.cites,
        ("int",),
        entry.name,
    )
    saved = code.local("(bounded)", INT)
    code.emit(ir.Assign(saved, bounded))
    code.emit(
        ir.IfStmt(
            ir.Binary("ne", ir.Local(saved), ir.Local(total), lowerer.nowhere),
            (ir.Note(2, site, (ir.Local(saved),)),),
        )
    )
    code.emit(ir.Assign(total, ir.Local(saved)))


def modifiers_interval(lowerer: Lowerer, entry: Callable_) -> Type:
    """The interval of the total, from the intervals of the entries."""
    from grognard.compiler.lower.stmts.statements import Stmts

    decl: syn.ModifiersDecl = entry.decl
    code = Code(entry.name, entry.name, pure=True, machine=False)
    scope = Scope()
    lowerer.bind_params(code, scope, entry.params, entry.uses_me, entry.span)
    stmts = Stmts(lowerer, code)
    lo = hi = 0
    for item in decl.entries:
        inner = scope
        if item.condition is not None:
            inner = scope.with_narrowed(stmts.narrow(item.condition, scope, True))
        if item.sort == "add" and item.value is not None:
            made = stmts.value(item.value, inner, INT).type
            if made.sort != "int":
                return INT
            sure = item.condition is None and not any(item.name in other.struck for other in decl.entries)
            lo += made.lo if sure else min(0, made.lo)
            hi += made.hi if sure else max(0, made.hi)
        elif item.sort == "set" and item.value is not None:
            made = stmts.value(item.value, inner, INT).type
            lo, hi = min(lo, made.lo), max(hi, made.hi)
        elif item.sort == "times":
            factor = -(-item.numerator // item.denominator)
            lo, hi = min(lo, lo * factor), max(hi, hi * factor)
        elif item.sort == "least" and item.value is not None and item.condition is None:
            bound = stmts.value(item.value, scope, INT).type
            lo, hi = max(lo, bound.lo), max(hi, bound.hi)
        elif item.sort == "most" and item.value is not None and item.condition is None:
            bound = stmts.value(item.value, scope, INT).type
            lo, hi = min(lo, bound.lo), min(hi, bound.hi)
    barred = any(item.sort == "bar" for item in decl.entries)
    return Type("int", max(lo, INT_LO), min(hi, INT_HI), optional=barred)
