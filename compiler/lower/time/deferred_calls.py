"""Deferred calls, queued in the position: events of a simultaneous block until its merge, and scheduled calls.

A call is encoded as numbers in a list field: the callee, then its arguments, sets and lists with their length first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.code import Value, flatten
from grognard.compiler.lower.stmts.calls import invoke
from grognard.compiler.sema.asking import is_machine
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import (
    INT,
    Type,
    dom_type,
)
from grognard.contract import ir
from grognard.contract.header import (
    FAIL_RANGE,
    H_BRANCH,
    NONE,
)
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements

#: Capacity of each queue, in numbers.
QUEUE_ROOM = 400
QUEUE_TYPE = Type("list", element=INT, capacity=QUEUE_ROOM)


def post(low: Statements, field: int, head: list[Any], values: list[Value], site: int) -> None:
    """Enqueue a call: some numbers, then the arguments."""
    for number in head:
        low.code.emit(ir.Enqueue(field, number, site))
    for value in values:
        _post_value(low, field, value, site)


def _post_value(low: Statements, field: int, value: Value, site: int) -> None:
    code = low.code
    if value.record is not None:
        for part in value.record.values():
            _post_value(low, field, part, site)
        return
    if value.type.sort not in ("set", "list"):
        code.emit(ir.Enqueue(field, value.expr, site))
        return
    over: Any
    length: Any
    if value.type.sort == "set":
        assert value.type.dom
        item, domain = code.local("(item)", dom_type(value.type.dom)), value.type.dom.id
        over, length = ir.OverSet(value.expr), ir.SetCount(value.expr)
    else:
        assert value.type.element
        item, domain = code.local("(item)", value.type.element), None
        over, length = ir.OverList(value.expr), ir.ListLength(value.expr)
    code.emit(ir.Enqueue(field, length, site))
    body = (ir.Enqueue(field, ir.Local(item), site),)
    code.emit(ir.For(item, over, domain, None, None, False, body, site))


class Reader:
    """Decodes queued calls, number by number, from a local copy of the queue."""

    def __init__(self, low: Statements, site: int, what: str) -> None:
        self.low, self.site = low, site
        self.items = low.code.variable(f"({what})", QUEUE_TYPE)
        self.place = low.code.variable(f"({what} read)", INT)

    def begin(self, field: int) -> None:
        """Copy the queue to the local, and empty it."""
        self.low.code.emit(ir.AssignList(self.items.expr.index, ir.ListLoad(field, (), self.site)))
        self.low.code.emit(ir.Reset(field))
        self.low.code.emit(ir.Assign(self.place.expr.index, ir.Const(0)))

    @property
    def more(self) -> ir.Expr:
        return ir.Binary("lt", self.place.expr, ir.ListLength(self.items.expr), self.site)

    def next(self) -> tuple[ir.Stmt, ir.Expr]:
        """The step to the next number, and that number."""
        step = ir.Binary("add", self.place.expr, ir.Const(1), self.site)
        return ir.Assign(self.place.expr.index, step), ir.ListItem(
            self.items.expr, self.place.expr, self.site
        )

    def number(self, name: str) -> Value:
        made = self.low.code.variable(name, INT)
        step, item = self.next()
        self.low.code.emit(step)
        self.low.code.emit(ir.Assign(made.expr.index, item))
        return made

    def value(self, type_: Type) -> Value:
        made = self.low.code.variable("(told)", type_)
        self._fill(made)
        return made

    def _fill(self, made: Value) -> None:
        code = self.low.code
        if made.record is not None:
            for part in made.record.values():
                self._fill(part)
            return
        step, item = self.next()
        if made.type.sort not in ("set", "list"):
            code.emit(step)
            code.emit(ir.Assign(made.expr.index, item))
            return
        count = self.number("(length)")
        turn = code.local("(n)", INT)
        put: ir.Stmt
        if made.type.sort == "set":
            assert made.type.dom
            code.emit(ir.AssignSet(made.expr.index, ir.SetOf(made.type.dom.id, ())))
            put = ir.SetChange(made.expr.index, item, True)
        else:
            code.emit(ir.ListClear(made.expr.index))
            put = ir.ListAppend(made.expr.index, item, self.site)
        over = ir.OverRange(ir.Const(1), count.expr)
        code.emit(ir.For(turn, over, None, None, None, False, (step, put), self.site))


# ------------------------------------------------------------------------------------------------------- events


def _emit(low: Statements, node: t.Emit) -> None:
    """Call the handlers of an event; in a simultaneous block defer it until the merge."""
    statement = node.written
    args = [low.lower(arg) for arg in node.args]
    arguments = [low.store_argument(a) for a in args]
    lowerer, code = low.lowerer, low.code
    site = lowerer.site("event", statement.event, statement.span, statement.cites.ids, owner=code.owner)
    code.emit(ir.Note(2, site, ()))
    handlers = lowerer.trees.handlers_of(statement.event)
    if not handlers:
        return
    if node.waits:
        _queue_event(low, statement.event, arguments, site)
    elif code.owner not in low.symbols.in_branches:
        call_handlers(low, handlers, arguments)
    else:
        # The same procedure may be done inside such a block and outside.
        inside = ir.Binary("ne", ir.Head(H_BRANCH), ir.Const(NONE), site)
        if any(is_machine(handler) for handler in handlers):
            m = low.m
            queue, now, done = m.new_block(), m.new_block(), m.new_block()
            m.end(ir.Branch(inside, queue, now))
            m.switch(queue)
            _queue_event(low, statement.event, arguments, site)
            m.jump(done)
            m.switch(now)
            call_handlers(low, handlers, arguments)
            m.go_to(done)
            return
        with captured(code) as waits:
            _queue_event(low, statement.event, arguments, site)
        with captured(code) as runs:
            call_handlers(low, handlers, arguments)
        code.emit(ir.IfStmt(inside, tuple(waits), tuple(runs)))


def _event_number(low: Statements, event: str) -> ir.Const:
    return ir.Const(sorted(low.symbols.events).index(event) + 1)


def _queue_event(low: Statements, event: str, arguments: list[Value], site: int) -> None:
    post(low, low.lowerer.events.event_queue(), [_event_number(low, event)], arguments, site)


def call_handlers(low: Statements, handlers: Sequence[Callable_], arguments: list[Value]) -> None:
    """Handlers in order.  One that can ask is only entered if its condition holds."""
    flat = [part for value in arguments for part in flatten(value)]
    for handler in handlers:
        with_guard(low, handler, flat, lambda handler=handler: invoke(low, handler, flat, None))


def with_guard(low: Statements, handler: Callable_, flat: list[Any], call: Any) -> None:
    """Call a handler; where that would mean a frame on the stack, only if its condition holds."""
    guard = low.lowerer.events.guard_of(handler)
    if guard is None or not is_machine(handler) or not low.code.machine:
        call()
        return
    m = low.m
    inside, after = m.new_block(), m.new_block()
    m.end(ir.Branch(ir.Call(guard, tuple(flat)), inside, after))
    m.switch(inside)
    call()
    m.go_to(after)


def drain_events(low: Statements, block: Any, span: Span) -> None:
    """After the merge: call the handlers of the block's events, in the order in which they were emitted."""
    lowerer, code = low.lowerer, low.code
    events = [name for name in low.symbols.events_in(block) if lowerer.trees.handlers_of(name)]
    if not events:
        return
    site = lowerer.site("event", "after the block", span, owner=code.owner)
    reader = Reader(low, site, "events")
    reader.begin(lowerer.events.event_queue())

    def call(name: str) -> None:
        arguments = [reader.value(type_) for _, type_ in low.symbols.events[name].params]
        call_handlers(low, lowerer.trees.handlers_of(name), arguments)

    each_waiting(
        low,
        reader,
        [(_event_number(low, name), lambda name=name: call(name)) for name in events],
        any(is_machine(h) for name in events for h in lowerer.trees.handlers_of(name)),
    )


def each_waiting(low: Statements, reader: Reader, calls: list[tuple[ir.Expr, Any]], asks: bool) -> None:
    """For every call that the reader holds: the code for its number."""
    code, site = low.code, reader.site
    if asks:
        m = low.m
        head, body, done = m.new_block(), m.new_block(), m.new_block()
        m.go_to(head)
        m.end(ir.Branch(reader.more, body, done))
        m.switch(body)
        number = reader.number("(call)")
        for which, run in calls:
            inside, following = m.new_block(), m.new_block()
            m.end(ir.Branch(ir.Binary("eq", number.expr, which, site), inside, following))
            m.switch(inside)
            run()
            m.jump(head)
            m.switch(following)
        m.jump(head)
        m.switch(done)
        return
    with captured(code) as loop:
        number = reader.number("(call)")
        for which, run in calls:
            with captured(code) as made:
                run()
            code.emit(ir.IfStmt(ir.Binary("eq", number.expr, which, site), tuple(made)))
    code.emit(ir.While(reader.more, tuple(loop), site))


# ---------------------------------------------------------------------------------------------------- schedules


def _schedule(low: Statements, node: t.Schedule) -> None:
    """`schedule do f(x) at end of PHASE, n turns later`."""
    lowerer, statement, code = low.lowerer, node.written, low.code
    args = [low.lower(arg) for arg in node.args]
    later: Any = ir.Const(0)
    if node.later is not None:
        later = low.lower(node.later).expr
        if node.later.type.sort == "int" and node.later.type.lo < 0:
            past = lowerer.site(
                "fail", "nothing can be scheduled for the past", statement.span, owner=code.owner
            )
            negative = ir.Binary("lt", later, ir.Const(0), past)
            code.emit(ir.IfStmt(negative, (ir.Fail(FAIL_RANGE, past),)))
    site = lowerer.site(
        "write", f"scheduled: {node.entry.name}", statement.span, statement.cites.ids, owner=code.owner
    )
    arguments = [low.store_argument(a) for a in args]
    head = [
        ir.Const(lowerer.events.scheduled_id(node.entry.name)),
        ir.Const(lowerer.timing.point_id(statement.point)),
        later,
    ]
    post(low, lowerer.events.schedule_queue(), head, arguments, site)


def run_scheduled(low: Statements, point: tuple[str, str], span: Span) -> None:
    """At an instant of the sequence: make the calls that are due, and queue the others again."""
    lowerer, symbols = low.lowerer, low.symbols
    if point not in symbols.schedules:
        return
    names = sorted({name for waiting in symbols.schedules.values() for name in waiting})
    entries = [symbols.callables[n] for n in names if n in symbols.callables]
    field = lowerer.events.schedule_queue()
    site = lowerer.site("loop", "what was scheduled", span, owner=low.code.owner)
    reader = Reader(low, site, "scheduled")
    here = ir.Const(lowerer.timing.point_id(point))
    reader.begin(field)

    def carry_out(entry: Callable_) -> None:
        due, left = reader.number("(due)"), reader.number("(left)")
        types = [type_ for _, type_ in entry.params]
        if entry.uses_me:
            assert symbols.seats
            types.insert(0, dom_type(symbols.seats))
        arguments = [reader.value(type_) for type_ in types]
        this = ir.Binary("eq", due.expr, here, site)
        now = ir.Binary("and", this, ir.Binary("le", left.expr, ir.Const(0), site), site)
        flat = [part for value in arguments for part in flatten(value)]
        waiting = ir.If(this, ir.Binary("sub", left.expr, ir.Const(1), site), left.expr)
        head = [ir.Const(lowerer.events.scheduled_id(entry.name)), due.expr, waiting]
        if not any(is_machine(e) for e in entries):
            with captured(low.code) as waits:
                post(low, field, head, arguments, site)
            with captured(low.code) as runs:
                if entry.name in symbols.schedules[point]:
                    invoke(low, entry, flat, None)
            low.code.emit(ir.IfStmt(now, tuple(runs), tuple(waits)))
            return
        m = low.m
        run, wait, done = m.new_block(), m.new_block(), m.new_block()
        m.end(ir.Branch(now, run, wait))
        m.switch(wait)
        post(low, field, head, arguments, site)
        m.jump(done)
        m.switch(run)
        if entry.name in symbols.schedules[point]:
            invoke(low, entry, flat, None)
        m.go_to(done)

    each_waiting(
        low,
        reader,
        [
            (ir.Const(lowerer.events.scheduled_id(entry.name)), lambda entry=entry: carry_out(entry))
            for entry in entries
        ],
        any(is_machine(entry) for entry in entries),
    )


DEFERRED: dict[type, Any] = {t.Emit: _emit, t.Schedule: _schedule}
