"""`do`: procedures called by name, by what data names, and `do base`; events, and what is scheduled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from grognard.compiler.sema.asking import is_machine
from grognard.compiler.sema.callable_types import CallableType
from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.assignments import phase_names
from grognard.compiler.sema.typed.rules import check_arguments
from grognard.compiler.sema.types import INT, UNKNOWN, Type, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker
    from grognard.compiler.sema.typed.statements import BodyChecker


def check_do(check: BodyChecker, statement: syn.DoStmt, scope: Scope) -> t.Statement | None:
    use = statement.use
    if use.name == "base" and use.name not in check.symbols.callables:
        return _do_base(check, statement, scope)
    if "." in use.name:
        return _do_named(check, statement, scope)
    entry = check.symbols.callables.get(use.name)
    if entry is None or entry.sort not in ("procedure", "action"):
        _result(check, statement, UNKNOWN, scope)
        return None
    check.around.findings.use(entry)
    args = check_arguments(check, entry, use.args, use.span, scope)
    if statement.into is not None and entry.result is None:
        check.sink.error("GR0309", statement.span, f"`{use.name}` gives no result")
        _result(check, statement, UNKNOWN, scope)
        return None
    into = _result(check, statement, entry.result or UNKNOWN, scope)
    if args is None or any(arg.type.sort == "unknown" for arg in args):
        return None
    if entry.uses_me:
        args.insert(0, check.me(use.span, entry))
    return t.Do(statement, entry, tuple(args), into) if may_stop(check, [entry], statement.span) else None


def _result(check: BodyChecker, statement: syn.DoStmt, type_: Type, scope: Scope) -> Variable | None:
    if statement.into is None:
        return None
    variable = Variable(statement.into, type_)
    check.bind(scope, variable, False, statement.span)
    return variable


def may_stop(check: BodyChecker, entries: Iterable[Callable_], span: Span) -> bool:
    """Whether all of these can be called here; one that may ask somebody cannot everywhere, which is reported."""
    for entry in entries:
        if not check.body.machine and is_machine(entry):
            check.sink.error("GR0704", span, f"`{entry.name}` may ask somebody, which is not possible here")
            return False
    return True


def _do_base(check: BodyChecker, statement: syn.DoStmt, scope: Scope) -> t.DoBase | None:
    """`do base`: the procedure as it is without this exception, with the same arguments."""
    below = check.body.below
    if not below or statement.use.args:
        check.sink.error(
            "GR0208",
            statement.span,
            "`do base` takes what the procedure was given"
            if below
            else "`do base` stands in an exception to a procedure",
            hint="write `do base`" if below else None,
        )
        _result(check, statement, UNKNOWN, scope)
        return None
    if statement.into is not None and check.body.result is None:
        check.sink.error("GR0309", statement.span, f"`{check.body.owner}` gives no result")
        _result(check, statement, UNKNOWN, scope)
        return None
    return t.DoBase(statement, _result(check, statement, check.body.result or UNKNOWN, scope))


def _do_named(check: BodyChecker, statement: syn.DoStmt, scope: Scope) -> t.DoNamed | None:
    """`do c.effect(p)`: the procedure that the data names."""
    use = statement.use
    found = named_by_data(check, use, scope, "procedure")
    result = found[1].result if found is not None else None
    if statement.into is not None and found is not None and result is None:
        check.sink.error(
            "GR0309",
            statement.span,
            f"`{use.name}` gives no result",
            hint="a column of type procedure(...) -> 0..9 names procedures that do",
        )
    into = _result(check, statement, result or UNKNOWN, scope)
    if found is None or not found[1].entries or (into is not None and result is None):
        return None
    tag, among = found
    args = check_arguments(check, among.entries[0], use.args, use.span, scope)
    if args is None or any(arg.type.sort == "unknown" for arg in args):
        return None
    me = [check.me(use.span, entry) for entry in among.entries if entry.uses_me]
    if not may_stop(check, among.entries, statement.span):
        return None
    return t.DoNamed(statement, tag, among, tuple(args), me[0] if me else None, into)


def named_by_data(
    check: Checker, use: syn.Use, scope: Scope, sort: str
) -> tuple[t.Typed, CallableType] | None:
    """The callable that a field names: the value of the field, and its callable type."""
    names = use.name.split(".")
    path: syn.Expr = syn.Name(names[0], use.span)
    for name in names[1:]:
        path = syn.Dot(path, name, use.span, use.span)
    tag = check.value(path, scope)
    dom = tag.type.dom
    if tag.type.sort == "unknown":
        return None
    if dom is None or dom.callable_type is None or dom.callable_type.sort != sort:
        check.sink.error(
            "GR0207",
            use.span,
            f"`{use.name}` names no {sort}, it is {tag.type.words}",
            hint=f"a column of type {sort}(...) does",
        )
        return None
    check.demand(tag.type, dom_type(dom), use.span)
    return None if tag.type.optional else (tag, dom.callable_type)


def check_emit(check: BodyChecker, statement: syn.EmitStmt, scope: Scope) -> t.Emit | None:
    """Call the handlers of an event; in a simultaneous block it waits until the merge."""
    event = check.symbols.events.get(statement.event)
    if event is None:
        return None
    args = check_arguments(check, event, statement.args, statement.span, scope)
    if args is None or any(arg.type.sort == "unknown" for arg in args):
        return None
    waits = check.standing.branching > 0
    if not waits and not may_stop(check, check.around.handlers_of(event.name), statement.span):
        return None
    return t.Emit(statement, tuple(args), waits)


def check_schedule(check: BodyChecker, statement: syn.ScheduleStmt, scope: Scope) -> t.Schedule | None:
    """`schedule do f(x) at end of PHASE, n turns later`."""
    use = statement.use
    entry = check.symbols.callables.get(use.name)
    if entry is None or entry.sort != "procedure":
        return None
    check.around.findings.use(entry)
    if statement.point[1] not in phase_names(check.symbols):
        return None
    args = check_arguments(check, entry, use.args, use.span, scope)
    later: t.Typed | None = None
    if statement.later is not None:
        later = check.checked(statement.later, scope, INT, "how much later")
        if later.type.sort == "int" and later.type.hi < 0:
            check.sink.error(
                "GR0304",
                statement.later.span,
                "nothing can be scheduled for the past",
                hint="leave it out for the next time, or write `1 turns later` for the one after it",
            )
    if args is None or any(arg.type.sort == "unknown" for arg in args):
        return None
    if entry.uses_me:
        args.insert(0, check.me(use.span, entry))
    return t.Schedule(statement, entry, tuple(args), later)
