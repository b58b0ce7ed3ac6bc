"""Whether every case is covered: results of tables, members of a value."""

from __future__ import annotations

from grognard.compiler.sema.narrowing import Narrowing
from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.sema.typed.checker import Checker
from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn


def warn_of_results(check: Checker, looked_up: dict[str, str], statement: syn.IfStmt, scope: Scope) -> None:
    """Warn of results of a table that an if/elif without `else` does not cover."""
    first = statement.arms[0][0]
    if statement.otherwise or len(statement.arms) < 2 or not isinstance(first, syn.BinaryExpr):
        return
    table = table_of(check.symbols, looked_up, first.left)
    found = _unhandled(check, [condition for condition, _ in statement.arms], scope)
    if table is not None and found is not None and found[1]:
        check.sink.warning(
            "GR0407",
            statement.arms[-1][0].span,
            f"table `{table}` can give {_listed(found[1])}, which nothing here deals with",
            hint='add an `elif`, or an `else`, if only with `log "no effect"`',
        )


def table_of(symbols: Symbols, looked_up: dict[str, str], expr: syn.Expr) -> str | None:
    """The table whose result an expression is."""
    match expr:
        case syn.CallExpr(callee=syn.Name(id=name)):
            entry = symbols.callables.get(name)
            return name if entry is not None and entry.sort == "table" else None
        case syn.Name(id=name):
            return looked_up.get(name)
    return None


def covers(check: Checker, body: tuple[syn.Stmt, ...], result: Type | None, scope: Scope) -> bool:
    """Whether the last lines of a body cover every member of one value.  A missing member is reported."""
    cases: list[syn.CaseStmt] = []
    for statement in reversed(body):
        if not isinstance(statement, syn.CaseStmt) or statement.condition is None:
            break
        cases.insert(0, statement)
    if result is None or result.sort in ("set", "list", "record") or len(cases) < 2:
        return False
    found = _unhandled(check, [c.condition for c in cases if c.condition is not None], scope)
    if found is None:
        return False
    dom, missing = found
    if missing:
        check.sink.error(
            "GR0407",
            cases[-1].span,
            f"nothing is said for {_listed(missing)} of {dom}",
            hint="add a line for it, or `= ... otherwise`",
        )
    return True


def _unhandled(check: Narrowing, conditions: list[syn.Expr], scope: Scope) -> tuple[str, list[str]] | None:
    """Of conditions that all test members of one value: its type, and the members without a test."""
    subject: syn.Expr | None = None
    asked: set[str] = set()
    for condition in conditions:
        match condition:
            case syn.BinaryExpr(op="is", left=left, right=right):
                members: tuple[syn.Expr, ...] = (right,)
            case syn.BinaryExpr(op="in", left=left, right=syn.SetLiteral(items=items)):
                members = items
            case _:
                return None
        if subject is not None and left != subject:
            return None
        subject = left
        for member in members:
            match member:
                case syn.Name(id=name) | syn.Dot(name=name):
                    asked.add(name)
                case syn.NoneLit():
                    asked.add("none")
                case _:
                    return None
    type_ = check.type_of(subject, scope) if subject is not None else None
    if isinstance(subject, syn.CallExpr) and isinstance(subject.callee, syn.Name):
        entry = check.symbols.callables.get(subject.callee.id)
        type_ = entry.result if entry is not None else None
    if type_ is None or type_.dom is None or type_.sort != "dom" or type_.dom.sort not in ("enum", "side"):
        return None
    known = [*type_.dom.members, *(["none"] if type_.optional else [])]
    if not asked <= set(known):
        return None  # a variable, or a misspelt member that is reported already
    return type_.dom.name, [name for name in known if name not in asked]


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")
