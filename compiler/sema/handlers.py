"""Handlers as procedures: of events, of rolls, which return what to do with the roll, and of changes of a field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grognard.compiler.sema.asking import asks_anywhere
from grognard.compiler.sema.declare.types import resolve_type
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.types import FieldInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import substitute, walk
from grognard.support.diagnostics import Sink
from grognard.support.suggest import hint_for

#: The result of a handler of a pool or a set that throws no die again: not the number of a die.
NO_REROLL = -1_000_000


def declare_handlers(symbols: Declaring) -> None:
    """Make procedures of all handlers, when the effects of all other callables are known."""
    making = _Handlers(symbols)
    for event in list(symbols.handlers):
        making.of(event)
    symbols.watchers += _watchers(symbols, making)


class _Handlers:
    """The handlers of each event, made when they are first asked for: whether one asks depends on others."""

    def __init__(self, symbols: Declaring) -> None:
        self.symbols = symbols

    def of(self, event: str) -> list[Callable_]:
        """The handlers of an event, as procedures: series before title, in textual order.

        `rolling EVENT` and `rolled EVENT` are those to a roll: before it, without its result, and after it."""
        symbols = self.symbols
        if event not in symbols.handlers_of:
            made: list[Callable_] = []
            when, _, name = event.rpartition(" ")
            declared = symbols.events.get(name)
            event_params = list(declared.params) if declared is not None else []
            if when == "rolling":
                event_params = event_params[:-1]
            for place, (rank, decl) in enumerate(sorted(symbols.handlers.get(event, ()), key=lambda h: h[0])):
                if declared is None or len(decl.names) != len(event_params):
                    if declared is not None:
                        symbols.sink.error(
                            "GR0302",
                            decl.span,
                            f"event `{event}` tells {len(event_params)} things, {len(decl.names)} are named",
                        )
                    continue
                made.append(self._handler(event, when, place, rank, decl, event_params))
            symbols.handlers_of[event] = made
            for entry in made:
                entry.asks = asks_anywhere(symbols, entry.decl.body, self.of)
        return symbols.handlers_of[event]

    def _handler(
        self,
        event: str,
        when: str,
        place: int,
        rank: int,
        decl: syn.OnDecl,
        event_params: list[tuple[str, Type]],
    ) -> Callable_:
        symbols = self.symbols
        params = [(name, type_) for name, (_, type_) in zip(decl.names, event_params, strict=True)]
        body = decl.body
        if decl.condition is not None:
            body = (syn.IfStmt(((decl.condition, decl.body),), (), decl.cites, decl.span),)
        result: Type | None = None
        if when == "rolled" and event_params:
            result = Type("int", optional=True)
            body = rolled_body(decl, body, event_params[-1][1], symbols.sink)
        name = f"on {event} {place + 1}"
        procedure = syn.ProcedureDecl(name, (), None, body, decl.cites, decl.span)
        cites = symbols.cite(decl.cites)
        entry = Callable_(name, "procedure", params, result, procedure, decl.span, cites, rank)
        if result is not None:
            # A handler may set the total.
            entry.changeable = frozenset({decl.names[-1]})
        symbols.callables[name] = entry
        if decl.condition is not None:
            symbols.conditional.add(name)
        return entry


# ----------------------------------------------------------------------------------------------------------- changes


def _watchers(symbols: Declaring, making: _Handlers) -> Iterator[tuple[int, Callable_]]:
    """The handlers of changes, each with the field that it watches."""
    for place, (rank, decl) in enumerate(sorted(symbols.change_handlers, key=lambda h: h[0])):
        info = _watched_field(symbols, decl)
        if info is None or info.field is None:
            continue
        params = [("was", info.type)]
        if decl.owner is not None:
            params.insert(0, (decl.owner.name, resolve_type(symbols, decl.owner.type)))
        body = decl.body
        if decl.condition is not None:
            body = (syn.IfStmt(((decl.condition, decl.body),), (), decl.cites, decl.span),)
        if asks_anywhere(symbols, body, making.of):
            symbols.sink.error(
                "GR0704",
                decl.span,
                "nobody can be asked when a field changes",
                hint="emit an event where the field is written",
            )
            continue
        _check_ends(symbols, decl, info)
        name = f"on {decl.name} changes {place + 1}"
        procedure = syn.ProcedureDecl(name, (), None, body, decl.cites, decl.span)
        cites = symbols.cite(decl.cites)
        entry = Callable_(name, "procedure", params, None, procedure, decl.span, cites, rank)
        symbols.callables[name] = entry
        yield info.field, entry


def _check_ends(symbols: Declaring, decl: syn.OnChangeDecl, info: FieldInfo) -> None:
    """Report a handler that changes its own field unconditionally: it would call itself without end."""
    own: syn.Expr = syn.Name(decl.name, decl.span)
    if decl.owner is not None:
        own = syn.Dot(syn.Name(decl.owner.name, decl.span), decl.name, decl.span, decl.span)
    for statement in decl.body if decl.condition is None and not info.clamped else ():
        if not isinstance(statement, syn.AssignStmt) or statement.target != own:
            continue
        steps = isinstance(statement.value, syn.Number) and statement.value.value != 0
        turns = statement.value == syn.UnaryExpr("not", own, decl.span)
        if (statement.op != "set" and steps) or (statement.op == "set" and turns):
            symbols.sink.error(
                "GR0702",
                statement.span,
                f"this never ends: each change of `{decl.name}` changes it again",
                hint=f"say when it shall happen: on ... changes when {decl.name} ...",
            )


def _watched_field(symbols: Declaring, decl: syn.OnChangeDecl) -> FieldInfo | None:
    known = symbols.globals
    what = "the game"
    if decl.owner is not None:
        type_ = resolve_type(symbols, decl.owner.type)
        if type_.sort != "dom" or type_.dom is None:
            if type_.sort != "unknown":
                symbols.sink.error("GR0208", decl.owner.span, f"{type_} has no fields to watch")
            return None
        known, what = type_.dom.fields, type_.dom.name
    info = known.get(decl.name)
    if info is None and decl.owner is not None and type_.dom is not None and type_.dom.kind is not None:
        info = type_.dom.kind.fields.get(decl.name)
    if info is None:
        symbols.sink.error(
            "GR0203", decl.span, f"{what} has no field `{decl.name}`", hint=hint_for(decl.name, list(known))
        )
        return None
    if info.field is None or info.axes or info.type.sort == "list":
        why = "never changes" if info.field is None else "has axes" if info.axes else "is a list"
        symbols.sink.error("GR0208", decl.span, f"`{decl.name}` {why}: it cannot be watched")
        return None
    return info


# ------------------------------------------------------------------------------------------------------------- rolls


def rolled_body(
    decl: syn.OnDecl, body: tuple[syn.Stmt, ...], rolled: Type, sink: Sink
) -> tuple[syn.Stmt, ...]:
    """The body of a handler of `rolled` as a procedure that returns what to do with the roll."""
    span = decl.span
    name = decl.names[-1]
    _check_rerolls(decl, rolled, sink)
    if body and isinstance(body[-1], syn.RerollStmt):
        return tuple(_rerolls(body))
    kept: syn.Expr = syn.Name(name, span) if rolled.sort == "int" else syn.Number(str(NO_REROLL), span)
    leave = syn.ReturnStmt(kept, syn.NO_CITES, span)
    body, _ = substitute(body, syn.ReturnStmt(None, syn.NO_CITES, span), leave)
    return (*_rerolls(body), leave)


def _check_rerolls(decl: syn.OnDecl, rolled: Type, sink: Sink) -> None:
    """Check `reroll die n`: only for pools, with the number of a die, and not in every case."""
    for node in decl.body if decl.condition is None else ():
        if isinstance(node, syn.RerollStmt):
            sink.error(
                "GR0702",
                node.span,
                "this never ends: every throw is thrown again",
                hint=f"say when: on {decl.event}({', '.join(decl.names)}) when ...",
            )
            return
    for node in walk(decl.body):
        if not isinstance(node, syn.RerollStmt) or node.die is None:
            continue
        if rolled.sort != "list":
            what = "a total" if rolled.sort == "int" else f"{rolled.words}"
            sink.error(
                "GR0713",
                node.span,
                f"`{decl.names[-1]}` is {what}: a single die can be thrown again of a pool only",
                hint="write `reroll` for all dice, or roll a pool: `roll dice: 2 of d6 for ...`",
            )
        elif isinstance(node.die, syn.Number) and not 1 <= node.die.value <= rolled.capacity:
            sink.error(
                "GR0713",
                node.die.span,
                f"there is no die {node.die.value}: they are numbered from 1, and there are at most {rolled.capacity}",
            )


def _rerolls(node: Any) -> Any:
    """Replace every `reroll` by a return of the result that requests it."""
    if isinstance(node, syn.RerollStmt):
        value = node.die if node.die is not None else syn.NoneLit(node.span)
        return syn.ReturnStmt(value, node.cites, node.span)
    if isinstance(node, tuple):
        return tuple(_rerolls(part) for part in node)
    if isinstance(node, syn.IfStmt):
        arms = tuple((condition, _rerolls(body)) for condition, body in node.arms)
        return replace(node, arms=arms, otherwise=_rerolls(node.otherwise))
    inner = getattr(node, "body", None)
    if isinstance(inner, tuple):
        return replace(node, body=_rerolls(inner))
    if isinstance(node, syn.ChooseStmt) and node.otherwise is not None:
        return replace(node, otherwise=_rerolls(node.otherwise))
    return node
