"""Conditions of handlers of events; the queues of events and scheduled calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.lower.code import Code
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.lower.time.deferred_calls import QUEUE_TYPE
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


class Events:
    """Conditions of handlers, lowered when they are first used, and the queues."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.lowerer = lowerer
        self.symbols = lowerer.symbols
        self.builder = lowerer.builder
        #: the functions that test conditions of handlers
        self._guards: dict[str, int] = {}
        self._event_queue: int | None = None
        self._schedule_queue: int | None = None

    def guard_of(self, handler: Callable_) -> int | None:
        """Function(arguments of the event): whether a handler's condition holds; None if it has none."""
        if handler.name not in self.symbols.conditional:
            return None
        if handler.name in self._guards:
            return self._guards[handler.name]
        code = Code(f"{handler.name} when", handler.name, pure=True, machine=False)
        code.result = FLAG
        body = self.lowerer.trees.body_for(handler, None)
        params = self.lowerer.bind_variables(code, body.params, handler.uses_me)
        # The whole body stands in a test of the condition.
        whole = body.statements[0] if body.statements else None
        test = whole.arms[0][0] if isinstance(whole, t.If) else t.Broken(FLAG)
        code.emit(ir.Return(Lowering(self.lowerer, code).test(test)))
        site = self.lowerer.site("enter", code.name, handler.span, handler.cites, owner=handler.name)
        number = self.lowerer.new_function(code, params, FLAG, site)
        self._guards[handler.name] = number
        return number

    def event_queue(self) -> int:
        """The queue of events of a simultaneous block until its merge."""
        if self._event_queue is None:
            self._event_queue = self.builder.new_field("(events)", (), QUEUE_TYPE)
            self.builder.veiled.add(self._event_queue)
        return self._event_queue

    def schedule_queue(self) -> int:
        """The queue of scheduled calls."""
        if self._schedule_queue is None:
            self._schedule_queue = self.builder.new_field("(scheduled)", (), QUEUE_TYPE)
            self.builder.veiled.add(self._schedule_queue)
        return self._schedule_queue

    def scheduled_id(self, procedure: str) -> int:
        """A number above 0 for a procedure that is scheduled somewhere."""
        names = sorted({name for waiting in self.symbols.schedules.values() for name in waiting})
        return names.index(procedure) + 1
