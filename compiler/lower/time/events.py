"""Handlers of events, as procedures; the queues of events and scheduled calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.lower.time.deferred_calls import QUEUE_TYPE
from grognard.compiler.sema.handlers import rolled_body
from grognard.compiler.sema.scope import Code
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, Type
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


class Events:
    """Handlers of events and their conditions, lowered when they are first used."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.lowerer = lowerer
        self.world = lowerer.world
        self._handlers: dict[str, list[Callable_]] = {}
        #: conditions of handlers, and the functions that test them
        self._guards: dict[str, tuple[syn.Expr | None, int | None]] = {}
        self._event_queue: int | None = None
        self._schedule_queue: int | None = None

    def share(
        self,
        handlers: dict[str, list[Callable_]],
        guards: dict[str, tuple[syn.Expr | None, int | None]],
    ) -> None:
        """Handlers that somebody else has found."""
        self._handlers, self._guards = handlers, guards

    def found(self) -> tuple[dict[str, list[Callable_]], dict[str, tuple[syn.Expr | None, int | None]]]:
        """All handlers by event, and their conditions."""
        for event in list(self.world.handlers):
            self.handlers_of(event)
        return self._handlers, self._guards

    def handlers_of(self, event: str) -> list[Callable_]:
        """The handlers of an event, as procedures: series before title, in textual order.

        `rolling EVENT` and `rolled EVENT` are those to a roll: before it, without its result, and after it."""
        if event not in self._handlers:
            made: list[Callable_] = []
            when, _, name = event.rpartition(" ")
            declared = self.world.events.get(name)
            event_params = list(declared.params) if declared is not None else []
            if when == "rolling":
                event_params = event_params[:-1]
            for place, (rank, decl) in enumerate(
                sorted(self.world.handlers.get(event, ()), key=lambda h: h[0])
            ):
                if declared is None or len(decl.names) != len(event_params):
                    if declared is not None:
                        self.world.sink.error(
                            "GR0302",
                            decl.span,
                            f"event `{event}` tells {len(event_params)} things, {len(decl.names)} are named",
                        )
                    continue
                made.append(self._handler(event, when, place, rank, decl, event_params))
            self._handlers[event] = made
            for entry in made:
                entry.asks = self.lowerer.asks_anywhere(entry.decl.body)
        return self._handlers[event]

    def _handler(
        self,
        event: str,
        when: str,
        place: int,
        rank: int,
        decl: syn.OnDecl,
        event_params: list[tuple[str, Type]],
    ) -> Callable_:
        params = [(name, type_) for name, (_, type_) in zip(decl.names, event_params, strict=True)]
        body = decl.body
        if decl.condition is not None:
            body = (syn.IfStmt(((decl.condition, decl.body),), (), decl.cites, decl.span),)
        result: Type | None = None
        if when == "rolled" and event_params:
            result = Type("int", optional=True)
            body = rolled_body(decl, body, event_params[-1][1], self.world.sink)
        name = f"on {event} {place + 1}"
        procedure = syn.ProcedureDecl(name, (), None, body, decl.cites, decl.span)
        entry = Callable_(
            name, "procedure", params, result, procedure, decl.span, self.world.cite(decl.cites), rank
        )
        if result is not None:
            # A handler may set the total.
            entry.changeable = frozenset({decl.names[-1]})
        self.world.callables[name] = entry
        self._guards[name] = (decl.condition, None)
        return entry

    def guard_of(self, handler: Callable_) -> int | None:
        """Function(arguments of the event): whether a handler's condition holds; None if it has none."""
        condition, number = self._guards.get(handler.name, (None, None))
        if condition is None or number is not None:
            return number
        code = Code(f"{handler.name} when", handler.name, pure=True, machine=False)
        code.result = FLAG
        body = self.lowerer.body_for(handler, None)
        params = self.lowerer.bind_variables(code, body.params, handler.uses_me)
        # The whole body stands in a test of the condition.
        whole = body.statements[0] if body.statements else None
        test = whole.arms[0][0] if isinstance(whole, t.If) else t.Broken(FLAG)
        code.emit(ir.Return(Lowering(self.lowerer, code).test(test)))
        site = self.lowerer.site("enter", code.name, handler.span, handler.cites, owner=handler.name)
        number = self.lowerer.new_function(code, params, FLAG, site)
        self._guards[handler.name] = (condition, number)
        return number

    def event_queue(self) -> int:
        """The queue of events of a simultaneous block until its merge."""
        if self._event_queue is None:
            self._event_queue = self.world.new_field("(events)", (), QUEUE_TYPE)
            self.world.veiled.add(self._event_queue)
        return self._event_queue

    def schedule_queue(self) -> int:
        """The queue of scheduled calls."""
        if self._schedule_queue is None:
            self._schedule_queue = self.world.new_field("(scheduled)", (), QUEUE_TYPE)
            self.world.veiled.add(self._schedule_queue)
        return self._schedule_queue

    def scheduled_id(self, procedure: str) -> int:
        """A number above 0 for a procedure that is scheduled somewhere."""
        names = sorted({name for waiting in self.world.schedules.values() for name in waiting})
        return names.index(procedure) + 1
