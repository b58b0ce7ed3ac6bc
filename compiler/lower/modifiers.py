"""Modifiers lists: entries applied in written order, all of them noted for the log and for `why`.

Order of effect: entries that add, multiply or halve act in the order written; the first `set` that applies fixes
the total and later ones are skipped; `without` removes entries by their label anywhere in the list; `at least` and
`at most` bound the total last; `bar` makes the whole none, with its label as the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed.modifiers import TypedEntry
from grognard.compiler.sema.types import (
    INT,
    INT_HI,
    INT_LO,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import FAIL_RANGE, NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


def lower_modifiers(lowerer: Lowerer, entry: Callable_, mark: str | None, number: int) -> None:
    made = lowerer.trees.list_for(entry)
    decl: syn.ModifiersDecl = entry.decl
    code = Code(entry.name + (f" as of {mark}" if mark else ""), entry.name, pure=True, machine=False)
    code.mark = mark
    code.result = entry.result
    params = lowerer.bind_variables(code, made.params, entry.uses_me)
    low = Lowering(lowerer, code)
    site = lowerer.site("enter", entry.name, entry.span, entry.cites, owner=entry.name)
    result = entry.result or INT
    total = code.local("(total)", INT)
    code.emit(ir.Assign(total, ir.Const(0)))
    fixed: int | None = None
    if any(item.sort == "set" for item in decl.entries):
        fixed = code.local("(fixed)", INT)
        code.emit(ir.Assign(fixed, ir.Const(0)))
    settled = False
    struck = _struck(low, decl, made.entries)
    once: dict[str, int] = {}
    bounds: list[TypedEntry] = []
    for typed in made.entries:
        item = typed.entry
        lowerer.builder.cite(item.cites)
        if item.sort == "without":
            continue
        if item.sort in ("least", "most"):
            bounds.append(typed)
            continue
        start = len(code.body)
        _entry(low, typed, total, fixed, settled, struck, once, entry)
        if lowerer.origins is not None:
            lowerer.origins.statement(item, code, code.body, start, 0)
        settled |= item.sort == "set"
    for typed in bounds:
        start = len(code.body)
        _bound(low, typed, total, entry)
        if lowerer.origins is not None:
            lowerer.origins.statement(typed.entry, code, code.body, start, 0)
    note = lowerer.site("modifiers", f"{entry.name} = {{0}}", entry.span, entry.cites, ("int",), entry.name)
    code.emit(ir.Note(2, note, (ir.Local(total),)))
    span_type = lowerer.trees.result_type(entry)
    if result.sort == "int" and result.lo > INT_LO and (span_type.lo >= result.lo) and result.hi < INT_HI:
        outside = lowerer.site(
            "fail", f"{entry.name} is outside {result}", entry.span, entry.cites, owner=entry.name
        )
        under = ir.Binary("lt", ir.Local(total), ir.Const(result.lo), outside)
        over = ir.Binary("gt", ir.Local(total), ir.Const(result.hi), outside)
        code.emit(ir.IfStmt(ir.Binary("or", under, over, outside), (ir.Fail(FAIL_RANGE, outside),)))
    code.emit(ir.Return(ir.Local(total)))
    if code.reads_secret:
        lowerer.secret_readers.add(entry.name)
    lowerer.new_function(code, params, result, site, number)


def _struck(low: Lowering, decl: syn.ModifiersDecl, entries: tuple[TypedEntry, ...]) -> dict[str, list[Any]]:
    """name -> conditions under which the entry is struck."""
    lowerer, code = low.lowerer, low.code
    struck: dict[str, list[Any]] = {}
    texts = {item.name: item.label for item in decl.entries if item.label}
    for typed in entries:
        item = typed.entry
        if item.sort != "without":
            continue
        lowerer.builder.cite(item.cites)
        saved, start = code.local("(struck)", INT), len(code.body)
        test = low.test(typed.condition) if typed.condition is not None else ir.Const(1)
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
    low: Lowering,
    typed: TypedEntry,
    total: int,
    fixed: int | None,
    settled: bool,
    struck: dict[str, list[Any]],
    once: dict[str, int],
    entry: Callable_,
) -> None:
    """One entry; once something may have set the total (`settled`), only if nothing has."""
    item, lowerer, code = typed.entry, low.lowerer, low.code
    tests: list[Any] = []
    if settled:
        assert fixed is not None
        tests.append(ir.Unary("not", ir.Local(fixed)))
    tests += [ir.Unary("not", strike) for strike in struck.get(item.name, ())]
    if item.once is not None:
        if item.once not in once:
            once[item.once] = code.local(f"(once {item.once})", INT)
        tests.append(ir.Unary("not", ir.Local(once[item.once])))
    if typed.condition is not None:
        tests.append(low.test(typed.condition))
    cites = item.cites.ids or entry.cites
    body: list[ir.Stmt] = []
    arithmetic = lowerer.site("arithmetic", item.label, item.span, owner=entry.name)
    match item.sort:
        case "add" | "set":
            assert typed.value is not None
            made = low.lower(typed.value)
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


def _bound(low: Lowering, typed: TypedEntry, total: int, entry: Callable_) -> None:
    item, lowerer, code = typed.entry, low.lowerer, low.code
    assert typed.value is not None
    made = low.lower(typed.value)
    op = "max" if item.sort == "least" else "min"
    bounded = ir.Binary(op, ir.Local(total), made.expr, lowerer.nowhere)  # type: ignore[arg-type]
    if typed.condition is not None:
        bounded = ir.If(low.test(typed.condition), bounded, ir.Local(total))  # type: ignore[assignment]
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
