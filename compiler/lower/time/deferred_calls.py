"""Deferred calls, queued in the position: events of a simultaneous block until its merge, and scheduled calls.

A call is encoded as numbers in a list field: the callee, then its arguments, sets and lists with their length first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.stmts.calls import invoke
from grognard.compiler.sema.scope import (
    Scope,
    Value,
    flatten,
)
from grognard.compiler.sema.typed.assignments import phase_names
from grognard.compiler.sema.types import (
    INT,
    Type,
    dom_type,
)
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import (
    FAIL_RANGE,
    H_BRANCH,
    NONE,
)
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Stmts

#: Capacity of each queue, in numbers.
QUEUE_ROOM = 400
QUEUE_TYPE = Type("list", element=INT, capacity=QUEUE_ROOM)


def post(stmts: Stmts, field: int, head: list[Any], values: list[Value], site: int) -> None:
    """Enqueue a call: some numbers, then the arguments."""
    for number in head:
        stmts.code.emit(ir.Enqueue(field, number, site))
    for value in values:
        _post_value(stmts, field, value, site)


def _post_value(stmts: Stmts, field: int, value: Value, site: int) -> None:
    code = stmts.code
    if value.record is not None:
        for part in value.record.values():
            _post_value(stmts, field, part, site)
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

    def __init__(self, stmts: Stmts, site: int, what: str) -> None:
        self.stmts, self.site = stmts, site
        self.items = stmts.code.variable(f"({what})", QUEUE_TYPE)
        self.place = stmts.code.variable(f"({what} read)", INT)

    def begin(self, field: int) -> None:
        """Copy the queue to the local, and empty it."""
        self.stmts.code.emit(ir.AssignList(self.items.expr.index, ir.ListLoad(field, (), self.site)))
        self.stmts.code.emit(ir.Reset(field))
        self.stmts.code.emit(ir.Assign(self.place.expr.index, ir.Const(0)))

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
        made = self.stmts.code.variable(name, INT)
        step, item = self.next()
        self.stmts.code.emit(step)
        self.stmts.code.emit(ir.Assign(made.expr.index, item))
        return made

    def value(self, type_: Type) -> Value:
        made = self.stmts.code.variable("(told)", type_)
        self._fill(made)
        return made

    def _fill(self, made: Value) -> None:
        code = self.stmts.code
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


def lower_emit(stmts: Stmts, statement: syn.EmitStmt, scope: Scope) -> None:
    """Call the handlers of an event; in a simultaneous block defer it until the merge."""
    event = stmts.world.events.get(statement.event)
    if event is None:
        return
    event.used = True
    args = stmts.arguments(event, statement.args, statement.span, scope)
    if args is None or any(a.type.sort == "unknown" for a in args):
        return
    arguments = [stmts.store_argument(a) for a in args]
    lowerer, code = stmts.lowerer, stmts.code
    site = lowerer.site("event", statement.event, statement.span, statement.cites.ids, owner=code.owner)
    code.emit(ir.Note(2, site, ()))
    handlers = lowerer.events.handlers_of(statement.event)
    if not handlers:
        return
    if stmts.check.branching:
        _queue_event(stmts, statement.event, arguments, site)
    elif code.owner not in stmts.world.in_branches:
        call_handlers(stmts, handlers, arguments, statement.span)
    else:
        # The same procedure may be done inside such a block and outside.
        inside = ir.Binary("ne", ir.Head(H_BRANCH), ir.Const(NONE), site)
        if any(lowerer.is_machine(handler) for handler in handlers):
            m = stmts.m
            queue, now, done = m.new_block(), m.new_block(), m.new_block()
            m.end(ir.Branch(inside, queue, now))
            m.switch(queue)
            _queue_event(stmts, statement.event, arguments, site)
            m.jump(done)
            m.switch(now)
            call_handlers(stmts, handlers, arguments, statement.span)
            m.go_to(done)
            return
        with captured(code) as waits:
            _queue_event(stmts, statement.event, arguments, site)
        with captured(code) as runs:
            call_handlers(stmts, handlers, arguments, statement.span)
        code.emit(ir.IfStmt(inside, tuple(waits), tuple(runs)))


def _event_number(stmts: Stmts, event: str) -> ir.Const:
    return ir.Const(sorted(stmts.world.events).index(event) + 1)


def _queue_event(stmts: Stmts, event: str, arguments: list[Value], site: int) -> None:
    post(stmts, stmts.lowerer.events.event_queue(), [_event_number(stmts, event)], arguments, site)


def call_handlers(stmts: Stmts, handlers: list[Callable_], arguments: list[Value], span: Span) -> None:
    """Handlers in order.  One that can ask is only entered if its condition holds."""
    flat = [part for value in arguments for part in flatten(value)]
    for handler in handlers:
        with_guard(stmts, handler, flat, lambda handler=handler: invoke(stmts, handler, flat, None, span))


def with_guard(stmts: Stmts, handler: Callable_, flat: list[Any], call: Any) -> None:
    """Call a handler; where that would mean a frame on the stack, only if its condition holds."""
    guard = stmts.lowerer.events.guard_of(handler)
    if guard is None or not stmts.lowerer.is_machine(handler) or not stmts.code.machine:
        call()
        return
    m = stmts.m
    inside, after = m.new_block(), m.new_block()
    m.end(ir.Branch(ir.Call(guard, tuple(flat)), inside, after))
    m.switch(inside)
    call()
    m.go_to(after)


def drain_events(stmts: Stmts, block: Any, span: Span) -> None:
    """After the merge: call the handlers of the block's events, in the order in which they were emitted."""
    lowerer, code = stmts.lowerer, stmts.code
    events = [name for name in stmts.world.events_in(block) if lowerer.events.handlers_of(name)]
    if not events:
        return
    site = lowerer.site("event", "after the block", span, owner=code.owner)
    reader = Reader(stmts, site, "events")
    reader.begin(lowerer.events.event_queue())

    def call(name: str) -> None:
        arguments = [reader.value(type_) for _, type_ in stmts.world.events[name].params]
        call_handlers(stmts, lowerer.events.handlers_of(name), arguments, span)

    each_waiting(
        stmts,
        reader,
        [(_event_number(stmts, name), lambda name=name: call(name)) for name in events],
        any(lowerer.is_machine(h) for name in events for h in lowerer.events.handlers_of(name)),
    )


def each_waiting(stmts: Stmts, reader: Reader, calls: list[tuple[ir.Expr, Any]], asks: bool) -> None:
    """For every call that the reader holds: the code for its number."""
    code, site = stmts.code, reader.site
    if asks:
        m = stmts.m
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


def lower_schedule(stmts: Stmts, statement: syn.ScheduleStmt, scope: Scope) -> None:
    """`schedule do f(x) at end of PHASE, n turns later`."""
    lowerer, world = stmts.lowerer, stmts.world
    use = statement.use
    entry = world.callables.get(use.name)
    if entry is None or entry.sort != "procedure":
        return
    entry.used = True
    if statement.point[1] not in phase_names(lowerer.world):
        return
    args = stmts.arguments(entry, use.args, use.span, scope)
    later: Any = ir.Const(0)
    if statement.later is not None:
        made = stmts.checked(statement.later, scope, INT, "how much later")
        later = made.expr
        if made.type.sort == "int" and made.type.hi < 0:
            stmts.sink.error(
                "GR0304",
                statement.later.span,
                "nothing can be scheduled for the past",
                hint="leave it out for the next time, or write `1 turns later` for the one after it",
            )
        elif made.type.sort == "int" and made.type.lo < 0:
            past = lowerer.site(
                "fail", "nothing can be scheduled for the past", statement.span, owner=stmts.code.owner
            )
            negative = ir.Binary("lt", later, ir.Const(0), past)
            stmts.code.emit(ir.IfStmt(negative, (ir.Fail(FAIL_RANGE, past),)))
    if args is None or any(a.type.sort == "unknown" for a in args):
        return
    if entry.uses_me:
        args = [stmts.me(use.span, entry), *args]
    site = lowerer.site(
        "write", f"scheduled: {use.name}", statement.span, statement.cites.ids, owner=stmts.code.owner
    )
    arguments = [stmts.store_argument(a) for a in args]
    head = [
        ir.Const(lowerer.events.scheduled_id(entry.name)),
        ir.Const(lowerer.timing.point_id(statement.point)),
        later,
    ]
    post(stmts, lowerer.events.schedule_queue(), head, arguments, site)


def run_scheduled(stmts: Stmts, point: tuple[str, str], span: Span) -> None:
    """At an instant of the sequence: make the calls that are due, and queue the others again."""
    lowerer, world = stmts.lowerer, stmts.world
    if point not in world.schedules:
        return
    names = sorted({name for waiting in world.schedules.values() for name in waiting})
    entries = [world.callables[n] for n in names if n in world.callables]
    field = lowerer.events.schedule_queue()
    site = lowerer.site("loop", "what was scheduled", span, owner=stmts.code.owner)
    reader = Reader(stmts, site, "scheduled")
    here = ir.Const(lowerer.timing.point_id(point))
    reader.begin(field)

    def carry_out(entry: Callable_) -> None:
        due, left = reader.number("(due)"), reader.number("(left)")
        types = [type_ for _, type_ in entry.params]
        if entry.uses_me:
            assert world.seats
            types.insert(0, dom_type(world.seats))
        arguments = [reader.value(type_) for type_ in types]
        this = ir.Binary("eq", due.expr, here, site)
        now = ir.Binary("and", this, ir.Binary("le", left.expr, ir.Const(0), site), site)
        flat = [part for value in arguments for part in flatten(value)]
        waiting = ir.If(this, ir.Binary("sub", left.expr, ir.Const(1), site), left.expr)
        head = [ir.Const(lowerer.events.scheduled_id(entry.name)), due.expr, waiting]
        if not any(lowerer.is_machine(e) for e in entries):
            with captured(stmts.code) as waits:
                post(stmts, field, head, arguments, site)
            with captured(stmts.code) as runs:
                if entry.name in world.schedules[point]:
                    invoke(stmts, entry, flat, None, span)
            stmts.code.emit(ir.IfStmt(now, tuple(runs), tuple(waits)))
            return
        m = stmts.m
        run, wait, done = m.new_block(), m.new_block(), m.new_block()
        m.end(ir.Branch(now, run, wait))
        m.switch(wait)
        post(stmts, field, head, arguments, site)
        m.jump(done)
        m.switch(run)
        if entry.name in world.schedules[point]:
            invoke(stmts, entry, flat, None, span)
        m.go_to(done)

    each_waiting(
        stmts,
        reader,
        [
            (ir.Const(lowerer.events.scheduled_id(entry.name)), lambda entry=entry: carry_out(entry))
            for entry in entries
        ],
        any(lowerer.is_machine(entry) for entry in entries),
    )
