"""The lowering pass: every rule, list, procedure, action and the sequence of play become IR.

Callables are lowered when they are first used, so that what nothing uses is only checked.  A rule read `as of` a
mark becomes a second function that reads the snapshots.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from grognard.compiler import ir
from grognard.compiler import syntax as syn
from grognard.compiler.analysis import stops_directly
from grognard.compiler.chance import TRIAL_OF, offered_by_chance
from grognard.compiler.declare import resolve_type
from grognard.compiler.diagnostics import Label, Sink
from grognard.compiler.echoes import LostTests
from grognard.compiler.expr_aggregates import running_over
from grognard.compiler.expr_rules import call_rule
from grognard.compiler.forms import form_of
from grognard.compiler.irwalk import nodes
from grognard.compiler.layers import walk
from grognard.compiler.machinecode import MachineCode, captured
from grognard.compiler.messages import QUEUE_TYPE
from grognard.compiler.modifiers import lower_modifiers, modifiers_interval
from grognard.compiler.movements import Going, lower_movement
from grognard.compiler.rolls import rolled_body
from grognard.compiler.scope import Binding, Code, Scope, Value, flatten
from grognard.compiler.shapes import targets
from grognard.compiler.sights import lower_arc, lower_sight
from grognard.compiler.source import Span
from grognard.compiler.stmt_calls import invoke
from grognard.compiler.stmt_offers import menu_of
from grognard.compiler.stmt_tests import covers
from grognard.compiler.stmt_writes import STEP_POINTS
from grognard.compiler.stmts import Stmts
from grognard.compiler.subsets import can_choose_some, lower_choose_some
from grognard.compiler.suggest import hint_for
from grognard.compiler.types import FLAG, INT, Dom, FieldInfo, Type, dom_type, int_range, set_type
from grognard.compiler.watch import Ever, Watches, begin_evers, finish_evers, lower_changes
from grognard.compiler.world import Callable_, World
from grognard.values import FAIL_RANGE, NONE

STEP_END = ("end", "step")
#: What runs over plain values, in the order in which they come.
_PLAIN = (ir.OverItems, ir.OverList)
#: Lines of the log that have the section of what they stand in, unless they name one of their own.
INHERITING = frozenset({"choice", "roll", "draw", "assign", "log", "fail"})
#: Journal entries kept for a simultaneous block.
JOURNAL_ROOM = 2000


@dataclass(frozen=True, slots=True)
class OverParts:
    """A choice among counters of several types: one after the other."""

    parts: tuple[Dom, ...]

    def each(self) -> list[ir.OverDomain]:
        return [ir.OverDomain(part.id) for part in self.parts]


def _cites_around(entry: Callable_, span: Span) -> tuple[str, ...]:
    """The sections of the declaration that a statement stands in: of the exception or of what it is one to."""
    around = [(entry.span, entry.cites), *((decl.span, decl.cites.ids) for _, decl in entry.exceptions)]
    before = [(at.line, cites) for at, cites in around if at.file == span.file and at.line <= span.line]
    return max(before, default=(0, entry.cites))[1]


class Lowerer:
    def __init__(
        self, world: World, bounds: dict[int, list[tuple[int, int, bool, bool]]], places_known: bool
    ) -> None:
        self.world = world
        self.sink = world.sink
        self._bounds = bounds
        self.places_known = places_known
        #: places that the example being lowered names: symbol, name as written, where
        self.places_named: list[tuple[int, str, Span]] = []
        self._sites: dict[Any, int] = {}
        self.nowhere = world.site("nowhere", "", None)
        self._functions: dict[tuple[str, str | None], int] = {}
        self._machines: dict[str, int] = {}
        self._results: dict[str, Type] = {}
        self._set_candidates: dict[int, int] = {}
        self._chance_candidates: int | None = None
        #: what each choice is between, by the name that policies use
        self.choices: dict[str, Type] = {}
        self._some_candidates: dict[tuple[int, bool], int] = {}
        self._rests: dict[tuple[str, int], int] = {}
        self._handlers: dict[str, list[Callable_]] = {}
        self._action_ids: dict[str, int] = {}
        self._movements: dict[str, Going] = {}
        #: movement -> the same from a place on the way
        self.resumed_movements: dict[int, int] = {}
        #: (what, movement) -> function, for routes that are chosen leg by leg
        self.leg_functions: dict[tuple[str, int], int] = {}
        self.secret_readers: set[str] = set()
        self._marks: dict[str, int] = {}
        self._phase_field: int | None = None
        self._depth_field: int | None = None
        self._marks_of: dict[str, tuple[int, Type]] = {}
        self.watches = Watches()
        self.evers: dict[Any, Ever] = {}
        self._points: dict[tuple[str, str], int] = {}
        self._pending_fields: dict[int, tuple[int, int]] = {}
        self._returned: dict[int, int] = {}
        self._kept: set[str] = set()
        self._ask_functions: list[tuple[int, int]] = []
        self._lowering: list[str] = []
        #: the conditions of handlers, and the functions that ask them once they are made
        self._guards: dict[str, tuple[syn.Expr | None, int | None]] = {}
        #: what follows from rules that turned out so: (rule, truth) -> facts in the rule's own names
        self.rule_facts: dict[tuple[str, bool], dict[str, Type]] = {}
        #: the tests in those rules that could not be made out
        self.rule_lost: dict[tuple[str, bool], list[Span]] = {}
        self.lost_tests = LostTests()
        self.joined_functions: dict[tuple[str, int, bool], int] = {}
        self._event_queue: int | None = None
        self._schedule_queue: int | None = None

    # --------------------------------------------------------------------------------------------- small parts

    def site(
        self,
        kind: str,
        text: str,
        span: Span | None,
        cites: Iterable[str] = (),
        shows: Iterable[str] = (),
        owner: str = "",
    ) -> int:
        if kind in INHERITING and not cites and span is not None and owner in self.world.callables:
            cites = _cites_around(self.world.callables[owner], span)
        key = (kind, text, span, tuple(cites), tuple(shows), owner)
        if key not in self._sites:
            self._sites[key] = self.world.site(kind, text, span, cites, shows, owner)
        return self._sites[key]

    def table_bounds(self, table: int, axis: int) -> tuple[int, int, bool, bool] | None:
        axes = self._bounds.get(table)
        return axes[axis] if axes is not None and axis < len(axes) else None

    def need_journal(self) -> None:
        self.world.journal = max(self.world.journal, JOURNAL_ROOM)

    def snapshot(self, field: int, mark: str) -> int:
        """The field that keeps what another held at a mark."""
        key = (field, mark)
        if key not in self.world.snapshots:
            original = self.world.fields[field]
            number = len(self.world.fields)
            self.world.fields.append(replace(original, id=number, name=f"{original.name} as of {mark}"))
            self.world.snapshots[key] = number
        return self.world.snapshots[key]

    def mark_statement(self, mark: str) -> ir.Stmt:
        """A call of the function that takes the copies for a mark; it is written last, when all are known."""
        if mark not in self._marks:
            self._marks[mark] = self.world.reserve_function()
        return ir.Do(self._marks[mark], (), None)

    def mark_of_statement(self, mark: str, whose: Value, span: Span) -> ir.Stmt:
        """A mark that belongs to somebody, for what has held ever since."""
        if mark not in self._marks_of:
            self._marks_of[mark] = (self.world.reserve_function(), whose.type)
        number, type_ = self._marks_of[mark]
        if type_.dom is not whose.type.dom or type_.sort != "dom":
            self.sink.error("GR0301", span, f"`{mark}` is marked for {type_}, this is {whose.type}")
        return ir.Do(number, (whose.expr,), None)

    def mask_of(self, seat: Any) -> Any:
        """Bit mask of one seat: 1 << seat, without a shift operator."""
        seats = self.world.seats
        assert seats
        made: Any = ir.Const(0)
        for number in range(max(1, len(seats.members)) - 1, -1, -1):
            made = ir.If(ir.Binary("eq", seat, ir.Const(number), self.nowhere), ir.Const(1 << number), made)
        return made

    def asks(self, node: Any) -> bool:
        """Whether this very node can stop for a decision."""
        if stops_directly(self.world, node):
            return True
        if isinstance(node, syn.DoStmt):
            return any(self.is_machine(target) for target in targets(self.world, node.use.name))
        if isinstance(node, syn.PhaseStmt):
            return True
        if isinstance(node, syn.EmitStmt):
            return any(self.is_machine(handler) for handler in self.handlers_of(node.event))
        if isinstance(node, syn.RollStmt) and node.event is not None:
            told = (f"rolling {node.event.name}", f"rolled {node.event.name}")
            return any(self.is_machine(handler) for event in told for handler in self.handlers_of(event))
        if isinstance(node, syn.SimultaneousStmt):
            events = self.world.told_in(node)
            return any(self.is_machine(handler) for event in events for handler in self.handlers_of(event))
        return False

    def asks_anywhere(self, node: Any) -> bool:
        return any(self.asks(part) for part in walk(node))

    def is_machine(self, entry: Callable_) -> bool:
        return entry.sort == "action" or entry.asks

    def always_some(self, statement: syn.ChooseStmt, source: Any) -> bool:
        """A choice with a filter that plainly leaves something, e.g. yes/no `where not x or ...`."""
        where = statement.where
        if (
            isinstance(source, syn.Name)
            and source.id == "flag"
            and isinstance(where, syn.BinaryExpr)
            and where.op == "or"
        ):
            first = where.left
            return first == syn.UnaryExpr("not", syn.Name(statement.name, where.span), where.span)
        return False

    # ----------------------------------------------------------------------------------------------- functions

    def new_function(self, code: Code, params: int, result: Any, site: int, number: int | None = None) -> int:
        if number is None:
            number = self.world.reserve_function()
        kind: ir.IntType | ir.SetType | None = None
        if isinstance(result, Type):
            kind = (
                ir.SetType(result.dom.id) if result.sort == "set" and result.dom else ir.IntType(result.show)
            )
        self.world.functions[number] = ir.Function(
            number, code.name, params, tuple(code.locals), kind, tuple(code.body), site, code.pure
        )
        return number

    def bind_params(
        self,
        code: Code,
        scope: Scope,
        params: list[tuple[str, Type]],
        uses_me: bool,
        span: Span,
        changeable: frozenset[str] = frozenset(),
    ) -> int:
        """Make the locals of the parameters; how many there are."""
        if uses_me:
            assert self.world.seats
            code.me = code.variable("me", dom_type(self.world.seats))
        for name, type_ in params:
            scope.names[name] = Binding(code.variable(name, type_), name in changeable, span)
        return len(code.locals)

    def function_for(self, entry: Callable_, mark: str | None) -> int:
        key = (entry.name, mark)
        if key not in self._functions:
            number = self.world.reserve_function()
            self._functions[key] = number
            if entry.name in self._lowering and entry.sort in ("rule", "modifiers", "sight", "arc"):
                self.sink.error("GR0314", entry.span, f"rule `{entry.name}` needs its own value")
            self._lowering.append(entry.name)
            self._lower_function(entry, mark, number)
            self._lowering.pop()
        elif entry.name in self._lowering and entry.sort in ("rule", "modifiers", "sight", "arc"):
            path = " -> ".join([*self._lowering[self._lowering.index(entry.name) :], entry.name])
            self.sink.error("GR0314", entry.span, f"rule `{entry.name}` needs its own value: {path}")
        return self._functions[key]

    def result_type(self, entry: Callable_) -> Type:
        """The result's type; a modifiers list declared `int` has the interval that its entries span."""
        result = entry.result or INT
        if entry.sort == "modifiers" and result.sort == "int" and result == INT:
            if entry.name not in self._results:
                self._results[entry.name] = INT
                self._results[entry.name] = modifiers_interval(self, entry)
            return self._results[entry.name]
        return result

    def _lower_function(self, entry: Callable_, mark: str | None, number: int) -> None:
        """Exceptions first, then the base: one function for each level, so that `base` can be asked for."""
        exceptions = self.ordered_exceptions(entry)
        below = self.world.reserve_function() if exceptions else number
        self._lower_base(entry, mark, below)
        for place in range(len(exceptions) - 1, -1, -1):
            target = number if place == 0 else self.world.reserve_function()
            self._lower_level(entry, mark, target, exceptions[place][1], below)
            below = target

    def _lower_base(self, entry: Callable_, mark: str | None, number: int) -> None:
        match entry.sort:
            case "rule" | "procedure":
                self._lower_level(entry, mark, number, None, None)
            case "modifiers":
                lower_modifiers(self, entry, mark, number)
            case "sight":
                lower_sight(self, entry, mark, number)
            case "arc":
                lower_arc(self, entry, mark, number)
            case _:
                raise AssertionError(entry.sort)

    def movement_for(self, entry: Callable_) -> Going:
        if entry.name not in self._movements:
            self._movements[entry.name] = lower_movement(self, entry)
        return self._movements[entry.name]

    def ordered_exceptions(self, entry: Callable_) -> list[tuple[int, syn.ExceptionDecl]]:
        """Exceptions, the one that is tried first first: later layers before earlier ones."""
        found = entry.exceptions
        for place, (rank, first) in enumerate(found):
            for other_rank, second in found[place + 1 :]:
                if (
                    rank == other_rank
                    and not _ordered(entry, first, second)
                    and not self._disordered(entry, first, second)
                    and not _disjoint(first.condition, second.condition)
                ):
                    self.sink.error(
                        "GR0502",
                        second.span,
                        f"two exceptions to `{entry.name}` in one layer may apply at once",
                        labels=(Label(first.span, "the other one"),),
                        hint='name one (exception "a" to ...) and order the other `before "a"` or `after "a"`',
                    )
        self._contradictory(entry)
        order = sorted(range(len(found)), key=lambda n: (-found[n][0], n))
        labels = {found[n][1].label: n for n in order if found[n][1].label}
        earlier: dict[int, set[int]] = {n: set() for n in order}
        for n in order:
            decl = found[n][1]
            for target in (*decl.before, *decl.after):
                if target not in labels:
                    self.sink.error(
                        "GR0511",
                        decl.span,
                        f'there is no exception "{target}" to `{entry.name}`',
                        hint=hint_for(target, list(labels)),
                    )
                elif target in decl.before:
                    earlier[labels[target]].add(n)
                else:
                    earlier[n].add(labels[target])
        # Of those that nothing must come before, the first in the order of layers and text.
        made: list[int] = []
        while len(made) < len(order):
            rest = [n for n in order if n not in made]
            made.append(next((n for n in rest if earlier[n] <= set(made)), rest[0]))
        return [found[n] for n in made]

    def _contradictory(self, entry: Callable_) -> None:
        """Report exceptions that would each have to come before the other."""
        earlier: dict[str, set[str]] = {}
        for _, decl in entry.exceptions:
            for other in decl.before if decl.label else ():
                earlier.setdefault(other, set()).add(decl.label)
            if decl.label and decl.after:
                earlier.setdefault(decl.label, set()).update(decl.after)
        for _, decl in entry.exceptions:
            pending, seen = list(earlier.get(decl.label, ())), set()
            while pending:
                name = pending.pop()
                if name == decl.label:
                    self.sink.error(
                        "GR0511",
                        decl.span,
                        f'"{decl.label}" would have to come before itself: `before` and `after` contradict each other',
                        hint="take one of them out",
                    )
                    return
                if name not in seen:
                    seen.add(name)
                    pending += earlier.get(name, ())

    def _disordered(self, entry: Callable_, *pair: syn.ExceptionDecl) -> bool:
        """Whether one of two names an exception that is not there: that is told, their order is not known."""
        labels = {decl.label for _, decl in entry.exceptions}
        return any(name not in labels for d in pair for name in (*d.before, *d.after))

    def _lower_level(
        self,
        entry: Callable_,
        mark: str | None,
        number: int,
        exception: syn.ExceptionDecl | None,
        below: int | None,
    ) -> None:
        pure = entry.sort != "procedure"
        title = entry.name if exception is None else f"{entry.name} (exception)"
        code = Code(title + (f" as of {mark}" if mark else ""), entry.name, pure=pure, machine=False)
        code.mark = mark
        code.result = entry.result
        scope = Scope()
        params = self.bind_params(code, scope, entry.params, entry.uses_me, entry.span, entry.changeable)
        stmts = Stmts(self, code)
        cites = exception.cites.ids if exception is not None else entry.cites
        span = exception.span if exception is not None else entry.span
        site = self.site("exception" if exception else "enter", title, span, cites, owner=entry.name)
        if exception is None:
            if not pure:
                code.emit(ir.Note(2, site, ()))
            leaves = stmts.block(entry.decl.body, scope) or covers(stmts, entry.decl.body, scope)
            self._demand_result(entry, code, leaves)
        else:
            assert below is not None
            args = tuple(_parameter(code, n) for n in range(params))
            rest = (
                ir.SetCall(below, args)
                if entry.result is not None and entry.result.sort == "set"
                else ir.Call(below, args)
            )
            code.base = lambda: Value(entry.result or INT, rest)
            if not pure:
                code.below = lambda at, target: _call_below(at, below, args, target)
            condition = (
                stmts.condition(exception.condition, scope)
                if exception.condition is not None
                else ir.Const(1)
            )
            inner = (
                scope.with_facts(stmts.facts(exception.condition, scope, True))
                if exception.condition is not None
                else scope
            )
            with captured(code) as body:
                code.emit(ir.Note(2, site, ()))
                leaves = stmts.block(exception.body, inner.child())
                if entry.result is not None and not leaves:
                    self.sink.error(
                        "GR0309", exception.span, "the exception does not give a result in every case"
                    )
            if entry.result is None:
                code.emit(ir.IfStmt(condition, tuple(body), (ir.Do(below, args, None),)))
            else:
                code.emit(ir.IfStmt(condition, tuple(body)))
                code.emit(ir.Return(rest))
        if code.reads_secret:
            self.secret_readers.add(entry.name)
        self.new_function(code, params, entry.result, site, number)

    def _demand_result(self, entry: Callable_, code: Code, leaves: bool) -> None:
        if entry.result is not None and not leaves:
            self.sink.error(
                "GR0309",
                entry.span,
                f"`{entry.name}` does not give a result in every case",
                hint="end it with a line without condition, or `= ... otherwise`",
            )

    def case_note(self, code: Code, statement: syn.CaseStmt, made: Value) -> tuple[ir.Stmt, ...]:
        """What `why` shows of a rule's line: the rule, its section, the value."""
        self.world.cite(statement.cites)
        if made.record is not None or made.type.sort in ("set", "list", "unknown"):
            return ()
        entry = self.world.callables.get(code.owner)
        cites = statement.cites.ids or (entry.cites if entry else ())
        site = self.site(
            "rule",
            f"{code.owner} = {{0}}",
            statement.span,
            cites,
            ((code.result or made.type).show,),
            code.owner,
        )
        if isinstance(made.expr, ir.Const | ir.Local | ir.Sym):
            return (ir.Note(2, site, (made.expr,)),)
        kept = code.local("(result)", made.type)
        keep = ir.Assign(kept, made.expr)
        made.expr = ir.Local(kept)
        return (keep, ir.Note(2, site, (ir.Local(kept),)))

    def checked_return(self, code: Code, made: Value, span: Span) -> tuple[ir.Stmt, ...]:
        """Return, with a range check where the value might leave the declared result."""
        result = code.result
        if made.type.sort == "unknown":
            return (ir.Return(ir.Const(0)),)
        if made.record is not None:
            self.sink.error("GR0301", span, "a record cannot be a result")
            return ()
        if (
            result is not None
            and result.sort == "int"
            and made.type.sort == "int"
            and (made.type.lo < result.lo or made.type.hi > result.hi)
        ):
            site = self.site(
                "fail", f"the result of {code.owner} is outside {result}", span, (), owner=code.owner
            )
            low = ir.Binary("lt", made.expr, ir.Const(result.lo), site)
            high = ir.Binary("gt", made.expr, ir.Const(result.hi), site)
            return (
                ir.IfStmt(ir.Binary("or", low, high, site), (ir.Fail(FAIL_RANGE, site),)),
                ir.Return(made.expr),
            )
        return (ir.Return(made.expr),)

    # ------------------------------------------------------------------------------------------------ machines

    def machine_for(self, entry: Callable_) -> int:
        if entry.name not in self._machines:
            self._machines[entry.name] = self.world.reserve_machine()
            self._lower_machine(entry, self._machines[entry.name])
        return self._machines[entry.name]

    def _lower_machine(self, entry: Callable_, number: int) -> None:
        self._lower_machine_level(entry, number, self.ordered_exceptions(entry))

    def _lower_machine_level(
        self, entry: Callable_, number: int, exceptions: list[tuple[int, syn.ExceptionDecl]]
    ) -> None:
        """Each exception that applies runs instead of all that comes after it; `do base` is what comes after."""
        code = MachineCode(entry.name, entry.name)
        code.result = entry.result
        scope = Scope()
        params = self.bind_params(code, scope, entry.params, entry.uses_me, entry.span, entry.changeable)
        stmts = Stmts(self, code)
        site = self.site("enter", entry.name, entry.span, entry.cites, owner=entry.name)
        code.emit(ir.Note(2, site, ()))
        for place, (_rank, exception) in enumerate(exceptions):
            inside, otherwise = code.new_block(), code.new_block()
            condition = (
                stmts.condition(exception.condition, scope)
                if exception.condition is not None
                else ir.Const(1)
            )
            code.end(ir.Branch(condition, inside, otherwise))
            code.switch(inside)
            note = self.site(
                "exception",
                f"{entry.name} (exception)",
                exception.span,
                exception.cites.ids,
                owner=entry.name,
            )
            code.emit(ir.Note(2, note, ()))
            inner = (
                scope.with_facts(stmts.facts(exception.condition, scope, True))
                if exception.condition is not None
                else scope
            )
            if _does_base(exception):
                below = self.world.reserve_machine()
                self._lower_machine_level(entry, below, exceptions[place + 1 :])
                args = tuple(_parameter(code, n) for n in range(params))
                code.below = partial(_call_machine_below, below, args)
            leaves = stmts.block(exception.body, inner.child())
            if entry.result is not None and not leaves:
                self.sink.error(
                    "GR0309", exception.span, "the exception does not give a result in every case"
                )
            code.below = None
            code.end(ir.ReturnMachine(ir.Const(0) if entry.result is not None else None))
            code.switch(otherwise)
        if entry.sort == "action":
            self._action_body(entry, stmts, scope)
        else:
            leaves = stmts.block(entry.decl.body, scope) or covers(stmts, entry.decl.body, scope)
            self._demand_result(entry, code, leaves)
        self.world.machines[number] = ir.Machine(
            number, entry.name, params, tuple(code.locals), entry.result is not None, code.finish(), site
        )

    def trial_machine(self, entry: Callable_) -> int:
        """A machine that does a procedure and ends with its result as the outcome, for hypotheticals."""
        key = f"{TRIAL_OF}{entry.name}"
        if key not in self._machines:
            number = self._machines[key] = self.world.reserve_machine()
            code = MachineCode(key, entry.name)
            scope = Scope()
            params = self.bind_params(code, scope, entry.params, entry.uses_me, entry.span)
            result = code.variable("(result)", entry.result or INT)
            flat = [_parameter(code, n) for n in range(params)]
            invoke(Stmts(self, code), entry, flat, result, entry.span)
            code.end(ir.EndGame(result.expr))
            site = self.site("enter", key, entry.span, entry.cites, owner=entry.name)
            self.world.machines[number] = ir.Machine(
                number, key, params, tuple(code.locals), False, code.finish(), site
            )
        return self._machines[key]

    # ---- what must still be possible: `keep`

    def kept_action(
        self, entry: Callable_, keep: syn.Expr, given: list[tuple[str, Type]], span: Span
    ) -> tuple[Callable_, Callable_]:
        """An action that only offers what can end with the condition holding, and the trial of it from the start.

        `given` are the offering block's names that the condition reads; they are passed along as parameters."""
        key = f"{entry.name} (keep {span.line}:{span.column})"
        if key in self.world.callables:
            return self.world.callables[key], self.world.callables[f"{key} trial 0"]
        # Sets cannot be handed to a trial: what follows the choice of one is tried as a whole.
        part = tuple(
            itertools.takewhile(lambda s: not isinstance(s, syn.ChooseSomeStmt), self.declaration(entry))
        )
        params = [*given, *entry.params]
        trials: list[Callable_] = []
        body: list[syn.Stmt] = []
        names = list(params)
        for place in range(len(part) + 1):
            # What is left of the action after `place` statements, then the condition.
            rest = (*map(_or_fail, entry.decl.body[place:]), syn.CaseStmt(keep, None, syn.NO_CITES, span))
            trial = syn.ProcedureDecl(f"{key} trial {place}", (), None, rest, entry.decl.cites, span)
            made = Callable_(
                trial.name, "procedure", list(names), FLAG, trial, span, entry.cites, entry.layer
            )
            made.asks = made.writes = made.uses_me = True
            self.world.callables[trial.name] = made
            trials.append(made)
            if place == len(part):
                break
            statement = part[place]
            if isinstance(statement, syn.ChooseStmt | syn.Let):
                names = [*names, (statement.name, self._choice_type(entry, statement, names))]
        for place, statement in enumerate(part):
            if isinstance(statement, syn.ChooseStmt):
                given_names = tuple(syn.Name(name, span) for name, _ in trials[place + 1].params)
                test = syn.AtBest(syn.Use(trials[place + 1].name, given_names, span), 1, span)
                where = (
                    test if statement.where is None else syn.BinaryExpr("and", statement.where, test, span)
                )
                statement = replace(statement, where=where)
            body.append(statement)
        decl = replace(entry.decl, body=(*body, *entry.decl.body[len(part) :]))
        kept = replace(entry, name=key, params=params, decl=decl)
        kept.asks = kept.uses_me = True
        self.world.callables[key] = kept
        self._kept.add(key)
        return kept, trials[0]

    def _choice_type(self, entry: Callable_, statement: Any, names: list[tuple[str, Type]]) -> Type:
        """The type of what a statement of the declaration part binds."""
        code = Code(entry.name, entry.name, pure=True, machine=False)
        scope = Scope()
        self.bind_params(code, scope, names, True, entry.span)
        stmts = Stmts(self, code)
        if isinstance(statement, syn.Let):
            return stmts.value(statement.value, scope).type
        _, element = self.choice_source(stmts, statement, scope)
        return element.maybe() if statement.may else element

    # ---- actions: the declaration part, and what can be completed

    def declaration(self, entry: Callable_) -> tuple[syn.Stmt, ...]:
        """The statements before the first that rolls, writes or does something: only those are promised."""
        part: list[syn.Stmt] = []
        for statement in entry.decl.body:
            match statement:
                case syn.Let(mutable=False) | syn.RequireStmt():
                    part.append(statement)
                case syn.ChooseStmt(otherwise=None, by=None, index=()):
                    if form_of(self.world, statement.type) is not None:
                        break
                    part.append(statement)
                case syn.ChooseSomeStmt(otherwise=None, by=None) if entry.name not in self._kept:
                    part.append(statement)
                case syn.OfferStmt(optional=False, until_all_pass=False, seat=syn.Name(id="me")):
                    part.append(statement)
                    break
                case _:
                    break
        return tuple(part)

    def _action_body(self, entry: Callable_, stmts: Stmts, scope: Scope) -> None:
        part = self.declaration(entry)
        for place, statement in enumerate(part):
            if isinstance(statement, syn.ChooseStmt):
                self.world.cite(statement.cites)
                # Under `keep` the trial of the rest says more than the declaration part could promise.
                rest = (entry, len(part)) if entry.name in self._kept else (entry, place + 1)
                stmts.choose(statement, scope, rest=rest)
            elif isinstance(statement, syn.ChooseSomeStmt):
                self.world.cite(statement.cites)
                lower_choose_some(stmts, statement, scope, rest=(entry, place + 1))
            else:
                stmts.statement(statement, scope)
        for statement in entry.decl.body[len(part) :]:
            if stmts.statement(statement, scope):
                break

    def can_begin(self, entry: Callable_) -> int:
        """Function(me, parameters): can the action be completed, as far as its declaration part promises?"""
        scope = Scope()
        return self.rest_of(entry, 0, entry.params, scope)

    def rest_of(self, entry: Callable_, place: int, names: list[tuple[str, Type]], outer: Scope) -> int:
        """Function(me, names...): can the declaration part be completed from this statement on?"""
        key = (entry.name, place)
        if key in self._rests:
            return self._rests[key]
        number = self.world.reserve_function()
        self._rests[key] = number
        code = Code(
            f"can {entry.name}" + (f" from {place}" if place else ""), entry.name, pure=True, machine=False
        )
        code.result = FLAG
        scope = Scope()
        scope.facts.update(_all_facts(outer))
        params = self.bind_params(code, scope, names, True, entry.span)
        stmts = Stmts(self, code)
        known = list(names)
        part = self.declaration(entry)
        ended = False
        for n in range(place, len(part)):
            statement = part[n]
            match statement:
                case syn.Let():
                    stmts.statement(statement, scope)
                    known.append((statement.name, scope.names[statement.name].value.type))
                case syn.RequireStmt():
                    test: Any = stmts.condition(statement.condition, scope)
                    code.emit(ir.IfStmt(ir.Unary("not", test), (ir.Return(ir.Const(0)),)))
                    scope.facts.update(stmts.facts(statement.condition, scope, True))
                case syn.ChooseStmt():
                    self._can_choose(entry, stmts, scope, statement, n, known)
                    ended = True
                    break
                case syn.ChooseSomeStmt():
                    test = can_choose_some(stmts, statement, scope, (entry, n + 1))
                    code.emit(ir.Return(test if test is not None else ir.Const(0)))
                    ended = True
                    break
                case syn.OfferStmt():
                    menu = menu_of(stmts, statement.uses, scope, code.me)  # type: ignore[arg-type]
                    for _action, target, _use, args, condition in menu:
                        flat = [code.me.expr, *(p for v in args for p in flatten(v))]  # type: ignore[union-attr]
                        able: Any = ir.Call(self.can_begin(target), tuple(flat))
                        if condition is not None:
                            able = ir.Binary("and", condition, able, self.nowhere)
                        code.emit(ir.IfStmt(able, (ir.Return(ir.Const(1)),)))
                    code.emit(ir.Return(ir.Const(0)))
                    ended = True
                    break
        if not ended:
            code.emit(ir.Return(ir.Const(1)))
        site = self.site("enter", code.name, entry.span, entry.cites, owner=entry.name)
        if code.reads_secret:
            self.secret_readers.add(entry.name)
        return self.new_function(code, params, FLAG, site, number)

    def _can_choose(
        self,
        entry: Callable_,
        stmts: Stmts,
        scope: Scope,
        statement: syn.ChooseStmt,
        place: int,
        known: list[tuple[str, Type]],
    ) -> None:
        code = stmts.code
        over, element = self.choice_source(stmts, statement, scope)
        if over is None:
            code.emit(ir.Return(ir.Const(0)))
            return
        inner = scope.child()
        var = code.variable(statement.name, element)
        inner.names[statement.name] = Binding(var, False, statement.span)
        where = stmts.condition(statement.where, inner) if statement.where is not None else None
        facts = stmts.facts(statement.where, inner, True) if statement.where is not None else {}
        later = inner.with_facts(facts)
        type_ = element.maybe() if statement.may else element
        names = [*known, (statement.name, type_)]
        following = self.rest_of(entry, place + 1, names, later if not statement.may else inner)
        assert code.me is not None

        def call(last: Any) -> ir.Expr:
            flat = [code.me.expr]  # type: ignore[union-attr]
            for name, _ in known:
                bound = scope.find(name)
                assert bound is not None
                flat += flatten(bound.value)
            return ir.Call(following, (*flat, last))

        if statement.may:
            code.emit(ir.IfStmt(call(ir.Const(NONE)), (ir.Return(ir.Const(1)),)))
        # Purely a search: an `any` stops at the first that can be completed.
        site = self.site("loop", "can", statement.span, owner=entry.name)
        test = where
        done = call(var.expr)
        test = done if test is None else ir.Binary("and", test, done, self.nowhere)
        found: Any = None
        for one in over.each() if isinstance(over, OverParts) else [over]:
            some = ir.Aggregate("any", var.expr.index, one, test, None, site)
            found = some if found is None else ir.Binary("or", found, some, self.nowhere)
        code.emit(ir.Return(found))

    # ---- candidates

    def choice_source(self, stmts: Stmts, statement: syn.ChooseStmt, scope: Scope) -> tuple[Any, Type]:
        """What a choice ranges over: a type, a range, or a set."""
        if statement.source is not None:
            return running_over(stmts, statement.source, scope)
        assert statement.type is not None
        if statement.type.sort == "union":
            type_ = resolve_type(self.world, statement.type)
            return (OverParts(type_.dom.parts), type_.required()) if type_.dom is not None else (None, INT)
        base = statement.type.base
        if isinstance(base, syn.Name) and base.id == "flag":
            return ir.OverRange(ir.Const(0), ir.Const(1)), FLAG
        if base is None:
            self.sink.error("GR0202", statement.type.span, "a choice is of a type or a range")
            return None, INT
        return running_over(stmts, base, scope)

    def choice_candidates(
        self, stmts: Stmts, statement: syn.ChooseStmt, scope: Scope, rest: Any
    ) -> tuple[int, tuple[Any, ...], Type | None]:
        """The function that yields a choice's candidates, and what it must be given."""
        names = self._captures(statement, scope, rest)
        code = Code(
            f"candidates {stmts.code.owner}.{statement.name}", stmts.code.owner, pure=True, machine=False
        )
        code.mark = stmts.code.mark
        inner = Scope()
        inner.facts.update(_all_facts(scope))
        inner.names.update(scope.scratch())
        args: list[Any] = []
        if stmts.code.me is not None:
            assert self.world.seats
            code.me = code.variable("me", dom_type(self.world.seats))
            args.append(stmts.code.me.expr)
        for name in names:
            bound = scope.find(name)
            assert bound is not None
            if bound.value.type.sort == "unknown":
                continue
            inner.names[name] = Binding(code.variable(name, bound.value.type), False, bound.span)
            args += flatten(bound.value)
        params = len(code.locals)
        sub = Stmts(self, code)
        over, element = self.choice_source(sub, statement, inner)
        number = self.world.reserve_function()
        if over is None:
            self.new_function(code, params, None, self.nowhere, number)
            return number, tuple(args), None
        loop = inner.child()
        var = code.variable(statement.name, element)
        loop.names[statement.name] = Binding(var, False, statement.span)
        where = sub.condition(statement.where, loop) if statement.where is not None else None
        if rest is not None:
            test = self._completes(sub, rest, loop, statement, inner, element, var)
            if test is not None:
                where = test if where is None else ir.Binary("and", where, test, self.nowhere)
        site = self.site("loop", "candidates", statement.span, owner=stmts.code.owner)
        if statement.prefer:
            self._preferred(sub, statement, loop, over, element, var, where, site)
        else:
            for part in over.each() if isinstance(over, OverParts) else [over]:
                domain = part.domain if isinstance(part, ir.OverDomain) else None
                if domain is None and element.dom is not None and not isinstance(part, _PLAIN):
                    domain = element.dom.id
                give = (ir.Yield(var.expr),)
                code.emit(ir.For(var.expr.index, part, domain, where, None, False, give, site))
        if code.reads_secret:
            stmts.code.reads_secret = True
            self.secret_readers.add(f"function {number}")
        self.new_function(code, params, None, site, number)
        return number, tuple(args), element

    def _completes(
        self,
        sub: Stmts,
        rest: Any,
        loop: Scope,
        statement: syn.ChooseStmt,
        inner: Scope,
        element: Type,
        var: Value,
    ) -> Any:
        facts = sub.facts(statement.where, loop, True) if statement.where is not None else {}
        type_ = element.maybe() if statement.may else element
        outer = loop.with_facts(facts if not statement.may else {})
        return self.completes(sub, rest, inner, Value(type_, var.expr), outer)

    def completes(self, sub: Stmts, rest: Any, inner: Scope, last: Value, outer: Scope | None = None) -> Any:
        """Whether the declaration part can be completed behind a choice that gave this; None: nothing follows."""
        entry, place = rest
        part = self.declaration(entry)
        if not any(
            isinstance(s, syn.ChooseStmt | syn.ChooseSomeStmt | syn.RequireStmt | syn.OfferStmt)
            for s in part[place:]
        ):
            return None
        names: list[tuple[str, Type]] = []
        flat: list[Any] = [sub.code.me.expr] if sub.code.me is not None else []
        for name in [n for n, _ in entry.params] + self.bound_names(part[: place - 1]):
            bound = inner.find(name)
            if bound is None:
                return None
            names.append((name, bound.value.type))
            flat += flatten(bound.value)
        names += [(name, last.type) for name in self.bound_names(part[place - 1 : place])]
        function = self.rest_of(entry, place, names, outer or inner)
        return ir.Call(function, (*flat, last.expr))

    def is_kept(self, name: str) -> bool:
        """Whether this is an action as it is offered under `keep`: a trial has shown that it can be completed."""
        return name in self._kept

    def bound_names(self, part: Iterable[syn.Stmt]) -> list[str]:
        """The names that statements of a declaration part give meaning to."""
        made: list[str] = []
        for statement in part:
            match statement:
                case syn.Let(name=name) | syn.ChooseStmt(name=name) | syn.ChooseSomeStmt(into=name):
                    made.append(name)
        return made

    def all_facts(self, scope: Scope) -> dict[str, Type]:
        return _all_facts(scope)

    def _preferred(
        self,
        sub: Stmts,
        statement: syn.ChooseStmt,
        loop: Scope,
        over: Any,
        element: Type,
        var: Value,
        where: Any,
        site: int,
    ) -> None:
        """Only the best by each key in turn are offered."""
        code = sub.code
        if element.dom is None or element.dom.parts:
            self.sink.error("GR0313", statement.span, "`preferring` needs counters, places or members")
            return
        group = code.variable("(preferred)", set_type(element.dom))
        code.emit(
            ir.AssignSet(group.expr.index, ir.SetBuild(element.dom.id, var.expr.index, over, where, None))
        )
        facts = sub.facts(statement.where, loop, True) if statement.where is not None else {}
        keyed = loop.with_facts(facts)
        for rank, expr in statement.prefer:
            key = sub.value(expr, keyed)
            best = code.variable("(best)", Type("int", optional=True))
            op: Any = "max" if rank == "highest" else "min"
            code.emit(
                ir.Assign(
                    best.expr.index,
                    ir.Aggregate(op, var.expr.index, ir.OverSet(group.expr), None, key.expr, site),
                )
            )
            same = ir.Binary("eq", key.expr, best.expr, site)
            code.emit(
                ir.AssignSet(
                    group.expr.index,
                    ir.SetBuild(element.dom.id, var.expr.index, ir.OverSet(group.expr), same, None),
                )
            )
        code.emit(
            ir.For(
                var.expr.index,
                ir.OverSet(group.expr),
                element.dom.id,
                None,
                None,
                False,
                (ir.Yield(var.expr),),
                site,
            )
        )

    def _captures(self, statement: syn.ChooseStmt, scope: Scope, rest: Any) -> list[str]:
        """Locals that the filter reads (all that are bound, when the rest of an action must be tried too)."""
        if rest is not None:
            entry, place = rest
            part = self.declaration(entry)
            earlier = self.bound_names(part[: place - 1])
            return [name for name in [n for n, _ in entry.params] + earlier if scope.find(name) is not None]
        nodes = [
            n.id
            for part in (
                statement.where,
                statement.source,
                statement.type,
                tuple(e for _, e in statement.prefer),
            )
            if part is not None
            for n in walk(part)
            if isinstance(n, syn.Name)
        ]
        return [
            name for name in dict.fromkeys(nodes) if name != statement.name and scope.find(name) is not None
        ]

    def chance_candidates(self) -> int:
        """Function(): what a chance program offers where dice fall."""
        if self._chance_candidates is None:
            code = Code("chance", "", pure=True, machine=False)
            offered_by_chance(code)
            self._chance_candidates = self.new_function(code, 0, None, self.nowhere)
        return self._chance_candidates

    def set_candidates(self, dom: Dom) -> int:
        """Function(set): yields its members."""
        if dom.id not in self._set_candidates:
            code = Code(f"members of a set of {dom.name}", "", pure=True, machine=False)
            group = code.variable("set", set_type(dom))
            var = code.variable("x", dom_type(dom))
            code.emit(
                ir.For(
                    var.expr.index,
                    ir.OverSet(group.expr),
                    dom.id,
                    None,
                    None,
                    False,
                    (ir.Yield(var.expr),),
                    self.nowhere,
                )
            )
            self._set_candidates[dom.id] = self.new_function(code, 1, None, self.nowhere)
        return self._set_candidates[dom.id]

    def some_candidates(self, dom: Dom, exactly: bool) -> int:
        """Function(set, need): members that leave enough after them, when exactly so many must be picked."""
        key = (dom.id, exactly)
        if key not in self._some_candidates:
            code = Code(
                f"members of a set of {dom.name}, {'exactly' if exactly else 'up to'}",
                "",
                pure=True,
                machine=False,
            )
            group = code.variable("set", set_type(dom))
            need = code.variable("need", INT)
            var = code.variable("x", dom_type(dom))
            other = code.variable("y", dom_type(dom))
            where = None
            if exactly:
                after = ir.Binary("ge", other.expr, var.expr, self.nowhere)
                left = ir.Aggregate(
                    "count", other.expr.index, ir.OverSet(group.expr), after, None, self.nowhere
                )
                where = ir.Binary("ge", left, need.expr, self.nowhere)
            code.emit(
                ir.For(
                    var.expr.index,
                    ir.OverSet(group.expr),
                    dom.id,
                    where,
                    None,
                    False,
                    (ir.Yield(var.expr),),
                    self.nowhere,
                )
            )
            self._some_candidates[key] = self.new_function(code, 2, None, self.nowhere)
        return self._some_candidates[key]

    def after(self, pool: Value, var: Value) -> Any:
        """The members of a set after one of them."""
        assert pool.type.dom
        function = self._after_function(pool.type.dom)
        return ir.SetCall(function, (pool.expr, var.expr))

    def _after_function(self, dom: Dom) -> int:
        key = ("after", str(dom.id))
        if key not in self._functions:
            code = Code(f"later members of {dom.name}", "", pure=True, machine=False)
            group = code.variable("set", set_type(dom))
            limit = code.variable("x", dom_type(dom))
            var = code.variable("y", dom_type(dom))
            later = ir.Binary("gt", var.expr, limit.expr, self.nowhere)
            code.emit(ir.Return(ir.SetBuild(dom.id, var.expr.index, ir.OverSet(group.expr), later, None)))
            self._functions[key] = self.new_function(code, 2, set_type(dom), self.nowhere)
        return self._functions[key]

    def menu_candidates(
        self, stmts: Stmts, menu: list[Any], seat: Value, span: Span
    ) -> tuple[int, tuple[Any, ...]]:
        """Function(seat, arguments...): yields the actions that can be begun."""
        code = Code(f"menu of {stmts.code.owner}", stmts.code.owner, pure=True, machine=False)
        assert self.world.seats
        code.me = code.variable("me", dom_type(self.world.seats))
        args: list[Any] = [seat.expr]
        body: list[ir.Stmt] = []
        for action, entry, _use, values, condition in menu:
            if entry.name in self._kept:
                # Whether it can be begun, and end well, is all in the condition.
                args.append(condition)
                body.append(ir.IfStmt(code.variable("condition", FLAG).expr, (ir.Yield(ir.Const(action)),)))
                continue
            flat: list[Any] = [code.me.expr]
            for value in values:
                for part, type_ in zip(flatten(value), _flat_types(value), strict=True):
                    if isinstance(part, ir.Const | ir.Sym):
                        flat.append(part)
                    else:
                        args.append(part)
                        flat.append(code.variable("argument", type_).expr)
            test: Any = ir.Call(self.can_begin(entry), tuple(flat))
            if condition is not None:
                kept = code.variable("condition", FLAG)
                args.append(condition)
                test = ir.Binary("and", kept.expr, test, self.nowhere)
            body.append(ir.IfStmt(test, (ir.Yield(ir.Const(action)),)))
        params = len(code.locals)
        for statement in body:
            code.emit(statement)
        return self.new_function(
            code, params, None, self.site("loop", "menu", span, owner=stmts.code.owner)
        ), tuple(args)

    def new_ask(
        self,
        name: str,
        label: str,
        show: str,
        site: int,
        *,
        quiet: bool = False,
        menu: bool = False,
        function: int = -1,
        chance: ir.Chance | None = None,
        some: tuple[int, int] | None = None,
        named: tuple[tuple[str, int, str], ...] = (),
    ) -> int:
        number = len(self.world.asks)
        self.world.asks.append(
            ir.AskDecl(number, name, label, show, site, False, quiet, menu, chance, some, named)
        )
        self._ask_functions.append((number, function))
        return number

    def action_id(self, entry: Callable_, use: syn.Use, scope: Scope, taken: set[int]) -> int:
        """An id for the label of an action as it is offered: its name, with plain arguments.

        Locals tell the reader nothing: they are shown only where the name alone is `taken` in the same menu."""
        shown = [
            str(a.value)
            if isinstance(a, syn.Number)
            else ("yes" if a.value else "no")
            if isinstance(a, syn.FlagLit)
            else a.id
            if isinstance(a, syn.Name)
            else ""
            for a in use.args
        ]
        constant = use.args and all(
            isinstance(a, syn.Number | syn.FlagLit) or (isinstance(a, syn.Name) and a.id not in ("us",))
            for a in use.args
        )
        full = f"{entry.name}({', '.join(shown)})" if constant and all(shown) else entry.name
        label = full
        if all(isinstance(a, syn.Name) and scope.find(a.id) is not None for a in use.args):
            label = full if self._action_ids.get(entry.name) in taken else entry.name
        if label not in self._action_ids:
            number = len(self.world.actions)
            self._action_ids[label] = number
            title = entry.decl.title or label.replace("_", " ")
            self.world.actions.append(
                ir.ActionDecl(number, label, title, self.site("action", title, entry.span, entry.cites))
            )
        return self._action_ids[label]

    # -------------------------------------------------------------------------------------------------- events

    def handlers_of(self, event: str) -> list[Callable_]:
        """The reactions to an event, as procedures: series before title, in textual order.

        `rolling EVENT` and `rolled EVENT` are those to a roll: before it, without its result, and after it."""
        if event not in self._handlers:
            made: list[Callable_] = []
            when, _, name = event.rpartition(" ")
            declared = self.world.events.get(name)
            told = list(declared.params) if declared is not None else []
            if when == "rolling":
                told = told[:-1]
            for place, (rank, decl) in enumerate(
                sorted(self.world.handlers.get(event, ()), key=lambda h: h[0])
            ):
                if declared is None or len(decl.names) != len(told):
                    if declared is not None:
                        self.sink.error(
                            "GR0302",
                            decl.span,
                            f"event `{event}` tells {len(told)} things, {len(decl.names)} are named",
                        )
                    continue
                made.append(self._handler(event, when, place, rank, decl, told))
            self._handlers[event] = made
            for entry in made:
                entry.asks = self.asks_anywhere(entry.decl.body)
        return self._handlers[event]

    def _handler(
        self, event: str, when: str, place: int, rank: int, decl: syn.OnDecl, told: list[tuple[str, Type]]
    ) -> Callable_:
        params = [(name, type_) for name, (_, type_) in zip(decl.names, told, strict=True)]
        body = decl.body
        if decl.condition is not None:
            body = (syn.IfStmt(((decl.condition, decl.body),), (), decl.cites, decl.span),)
        result: Type | None = None
        if when == "rolled" and told:
            result = Type("int", optional=True)
            body = rolled_body(decl, body, told[-1][1], self.sink)
        name = f"on {event} {place + 1}"
        procedure = syn.ProcedureDecl(name, (), None, body, decl.cites, decl.span)
        entry = Callable_(
            name, "procedure", params, result, procedure, decl.span, self.world.cite(decl.cites), rank
        )
        if result is not None:
            # A handler may turn the dice to another total.
            entry.changeable = frozenset({decl.names[-1]})
        self.world.callables[name] = entry
        self._guards[name] = (decl.condition, None)
        return entry

    def guard_of(self, handler: Callable_) -> int | None:
        """Function(what is told): whether a handler's condition holds; None if it has none."""
        condition, number = self._guards.get(handler.name, (None, None))
        if condition is None or number is not None:
            return number
        code = Code(f"{handler.name} when", handler.name, pure=True, machine=False)
        code.result = FLAG
        scope = Scope()
        params = self.bind_params(code, scope, handler.params, handler.uses_me, handler.span)
        code.emit(ir.Return(Stmts(self, code).condition(condition, scope)))
        site = self.site("enter", code.name, handler.span, handler.cites, owner=handler.name)
        number = self.new_function(code, params, FLAG, site)
        self._guards[handler.name] = (condition, number)
        return number

    def event_queue(self) -> int:
        """The list in which the events of a simultaneous block wait for its merge."""
        if self._event_queue is None:
            self._event_queue = self.world.new_field("(events)", (), QUEUE_TYPE)
            self.world.veiled.add(self._event_queue)
        return self._event_queue

    def schedule_queue(self) -> int:
        """The list of what is to be done later."""
        if self._schedule_queue is None:
            self._schedule_queue = self.world.new_field("(scheduled)", (), QUEUE_TYPE)
            self.world.veiled.add(self._schedule_queue)
        return self._schedule_queue

    def scheduled_id(self, procedure: str) -> int:
        """A number above 0 for a procedure that is scheduled somewhere."""
        names = sorted({name for waiting in self.world.schedules.values() for name in waiting})
        return names.index(procedure) + 1

    # -------------------------------------------------------------------------------------------------- phases

    def phase_names(self) -> list[str]:
        return self.world.phases.members if self.world.phases else []

    def phase_known(self, name: str) -> bool:
        return name in self.phase_names()

    def running_phases(self) -> int:
        """The field with the set of phases that run now, for `during`."""
        if self._phase_field is None:
            assert self.world.phases
            self._phase_field = self.world.new_field("(phases)", (), set_type(self.world.phases))
        return self._phase_field

    def is_step_end(self, point: tuple[str, str]) -> bool:
        """`from end of step`: the end of the innermost phase or step that runs."""
        return point == STEP_END and not self.phase_known("step")

    def depth_load(self) -> ir.Expr:
        """How many phases and steps run inside each other."""
        if self._depth_field is None:
            self._depth_field = self.world.new_field("(depth)", (), int_range(0, 900))
        return ir.Load(self._depth_field, (), self.nowhere)

    def _deepen(self, stmts: Stmts, change: int) -> None:
        if STEP_END in self.world.points and self.is_step_end(STEP_END):
            self.depth_load()
            assert self._depth_field is not None
            stmts.code.emit(ir.Store(self._depth_field, (), ir.Const(change), "add", False, self.nowhere))

    def enter_phase(self, stmts: Stmts, name: str) -> None:
        """Pending writes take effect first; then the phase counts as running."""
        self._deepen(stmts, 1)
        self._reach_point(stmts, ("start", name))
        self._mark_phase(stmts, name, True)

    def leave_phase(self, stmts: Stmts, name: str) -> None:
        self._mark_phase(stmts, name, False)
        self._reach_point(stmts, ("end", name))
        if self.is_step_end(STEP_END):
            self._reach_point(stmts, STEP_END)
        self._deepen(stmts, -1)

    def _mark_phase(self, stmts: Stmts, name: str, running: bool) -> None:
        if self.world.asks_during and self.world.phases:
            number = self.world.phases.index(name)
            assert number is not None
            stmts.code.emit(
                ir.StoreSetChange(self.running_phases(), (), ir.Const(number), running, self.nowhere)
            )

    def _reach_point(self, stmts: Stmts, point: tuple[str, str]) -> None:
        if point in self.world.points:
            if point not in self._points:
                self._points[point] = self.world.reserve_function()
            stmts.code.emit(ir.Do(self._points[point], (), None))

    def point_id(self, point: tuple[str, str]) -> int:
        """A number above 0 for an instant that writes wait for."""
        return sorted(self.world.points).index(point) + 1

    def returned(self, type_: Type) -> int:
        """The field in which the set that a procedure gives back waits for its caller."""
        assert type_.dom is not None
        if type_.dom.id not in self._returned:
            number = self.world.new_field(f"(returned {type_.dom.name})", (), type_)
            self.world.veiled.add(number)
            self._returned[type_.dom.id] = number
        return self._returned[type_.dom.id]

    def pending(self, info: FieldInfo) -> tuple[int, int]:
        """Two fields beside one that is written later: the value, and the point it waits for (0: none)."""
        assert info.field is not None
        if info.field not in self._pending_fields:
            original = self.world.fields[info.field]
            value = len(self.world.fields)
            self.world.fields.append(replace(original, id=value, name=f"{original.name} (pending)"))
            dims = [self.world.doms[d] for d in original.dims]
            due = self.world.new_field(f"{original.name} (due)", dims, int_range(0, 2000))
            self._pending_fields[info.field] = (value, due)
        return self._pending_fields[info.field]

    def finish_points(self) -> None:
        """Write the functions that carry out what waits for each instant."""
        for point, number in self._points.items():
            code = Code(f"at {point[0]} of {point[1]}", "", pure=False, machine=False)
            wanted: ir.Expr = ir.Const(self.point_id(point))
            if self.is_step_end(point):
                wanted = ir.Binary("add", self.depth_load(), ir.Const(STEP_POINTS), self.nowhere)
            for field, (value, due) in sorted(self._pending_fields.items()):
                self._carry_out(code, field, value, due, wanted)
            self.new_function(code, 0, None, self.nowhere, number)

    def _carry_out(self, code: Code, field: int, value: int, due: int, wanted: ir.Expr) -> None:
        dims = self.world.fields[field].dims
        index: tuple[Any, ...] = ()
        if dims:
            dom = self.world.doms[dims[0]]
            index = (code.variable("item", dom_type(dom)).expr,)
        waits = ir.Binary("eq", ir.Load(due, index, self.nowhere), wanted, self.nowhere)
        body: tuple[ir.Stmt, ...] = (
            ir.Store(field, index, ir.Load(value, index, self.nowhere), "set", False, self.nowhere),
            ir.Store(due, index, ir.Const(0), "set", False, self.nowhere),
        )
        if dims:
            code.emit(
                ir.For(
                    index[0].index, ir.OverDomain(dims[0]), dims[0], waits, None, False, body, self.nowhere
                )
            )
        else:
            code.emit(ir.IfStmt(waits, body))

    def example_statement(self, stmts: Stmts, statement: syn.Stmt, scope: Scope) -> None:
        from grognard.compiler.examples import lower_example_statement

        lower_example_statement(self, stmts, statement, scope)

    # ------------------------------------------------------------------------------------------------ the whole

    def sequence(self, decls: list[syn.SequenceDecl]) -> int:
        """The sequence of play as the main machine."""
        number = self.world.reserve_machine()
        code = MachineCode("sequence", "sequence")
        stmts = Stmts(self, code)
        site = self.nowhere
        for decl in decls:
            self.world.cite(decl.cites)
            site = self.site("enter", decl.name or "sequence", decl.span, decl.cites.ids)
            done = code.new_block()
            if decl.condition is not None:
                inside = code.new_block()
                code.end(ir.Branch(stmts.condition(decl.condition, Scope()), inside, done))
                code.switch(inside)
            stmts.block(decl.body, Scope())
            code.go_to(done)
        if "victory" in self.world.callables:
            winner = call_rule(
                stmts, self.world.callables["victory"], [], self.world.callables["victory"].span, Scope()
            ).expr
            code.end(ir.EndGame(winner))
        else:
            code.end(ir.EndGame(ir.Const(NONE)))
        self.world.machines[number] = ir.Machine(
            number, "sequence", 0, tuple(code.locals), False, code.finish(), site
        )
        return number

    def check_rest(self) -> None:
        """Lower what nothing used, so that it is checked all the same."""
        for entry in list(self.world.callables.values()):
            if entry.sort in ("rule", "modifiers", "sight", "arc"):
                self.function_for(entry, None)
            elif entry.sort == "procedure":
                if self.is_machine(entry):
                    self.machine_for(entry)
                else:
                    self.function_for(entry, None)
            elif entry.sort == "action":
                self.machine_for(entry)
                self.can_begin(entry)
            elif entry.sort == "movement":
                self.movement_for(entry)
            elif entry.sort == "form":
                self.can_begin(entry)
        lower_changes(self)
        for event in list(self.world.handlers):
            for handler in self.handlers_of(event):
                if self.is_machine(handler):
                    self.machine_for(handler)
                else:
                    self.function_for(handler, None)

    def finish_marks(self) -> None:
        """Write the functions that take the snapshots of each mark."""
        for mark, number in self._marks.items():
            copies = [
                ir.CopyField(field, kept)
                for (field, at), kept in sorted(self.world.snapshots.items())
                if at == mark
            ]
            since = begin_evers(self, mark, False)
            self.world.functions[number] = ir.Function(
                number,
                f"mark {mark}",
                0,
                since.locals if since else (),
                None,
                (*copies, *(since.body if since else ())),
                self.nowhere,
                False,
            )
        for mark, (number, _) in self._marks_of.items():
            nothing = ir.Function(
                number, f"mark {mark} of", 1, (ir.LocalDecl("whose", ir.IntType()),), None, (), 0, False
            )
            since = begin_evers(self, mark, True)
            self.world.functions[number] = nothing if since is None else replace(since, id=number)
        for ever in self.evers.values():
            owner = self._marks_of.get(ever.mark)
            if ever.of is not None and (owner is None or owner[1].dom is not ever.axes[ever.of]):
                whom = ever.axes[ever.of].name
                if owner is None:
                    problem = f"`{ever.mark}` belongs to nobody: it is marked without `of`"
                    hint = f"leave `of` away here, or write `mark {ever.mark} of ...` with a {whom}"
                else:
                    problem = f"`{ever.mark}` is marked for a {owner[1]}, not for a {whom}"
                    hint = f"mark {ever.mark} of ..., where the {whom} is known"
                self.sink.error("GR0301", ever.span, problem, hint=hint)
        finish_evers(self)

    def view_function(self) -> int | None:
        """Function(seat): masks in the position what the seat may not know; None if nothing is secret."""
        from grognard.compiler.views import lower_view

        return lower_view(self)

    def measure_function(self, decls: list[syn.VictoryDecl]) -> int | None:
        """Function(side): what victory ranks the sides by; None if it ranks them by nothing, or by no number."""
        for decl in decls:
            for node in walk(decl.body):
                if isinstance(node, syn.AggregateExpr) and node.key is not None and self._over_sides(node):
                    return self._measure(decl, node)
        return None

    def _over_sides(self, node: syn.AggregateExpr) -> bool:
        sides = self.world.sides
        return (
            isinstance(node.source, syn.Name)
            and sides is not None
            and node.source.id in ("sides", sides.name)
        )

    def _measure(self, decl: syn.VictoryDecl, node: syn.AggregateExpr) -> int | None:
        assert node.key is not None and self.world.sides is not None
        value = node.key if node.rank == "highest" else syn.UnaryExpr("neg", node.key, node.span)
        side = syn.TypeExpr("plain", syn.Name("Side", node.span), None, 0, False, node.span)
        number = syn.TypeExpr("plain", syn.Name("int", node.span), None, 0, False, node.span)
        body = (syn.CaseStmt(value, None, decl.cites, node.span),)
        rule = syn.RuleDecl(
            "victory measure", (syn.Param(node.var, side, node.span),), number, body, decl.cites, node.span
        )
        params = [(node.var, dom_type(self.world.sides))]
        entry = Callable_(rule.name, "rule", params, INT, rule, node.span, (), 0)
        # Sides may be ranked by something else than a number, an enum for one: that is no mistake of the author's.
        heard = self.sink
        self.sink = self.world.sink = Sink()
        try:
            made = self.function_for(entry, None)
            return None if self.sink.has_errors else made
        finally:
            self.sink = self.world.sink = heard

    def function_named(self, name: str) -> int | None:
        """The function of a rule; None if there is no such rule."""
        entry = self.world.callables.get(name)
        return None if entry is None else self.function_for(entry, None)

    def settle_asks(self) -> None:
        """Choices whose filters can read secrets are worked out on the chooser's own view."""
        readers = _reaching(self.world, self.secret_fields(), self.secret_domains())
        for number, function in self._ask_functions:
            if function in readers:
                self.world.asks[number] = replace(self.world.asks[number], on_view=True)

    def secret_fields(self) -> set[int]:
        return {
            f.field
            for dom in self.world.doms
            for f in dom.fields.values()
            if f.secret and f.field is not None
        }

    def secret_domains(self) -> set[int]:
        return {dom.id for dom in self.world.doms if dom.secret_all is not None}


def _does_base(exception: syn.ExceptionDecl) -> bool:
    return any(isinstance(node, syn.DoStmt) and node.use.name == "base" for node in walk(exception.body))


def _call_below(stmts: Stmts, below: int, args: tuple[Any, ...], target: Value | None) -> None:
    if target is not None and target.type.sort == "set":
        stmts.code.emit(ir.AssignSet(target.expr.index, ir.SetCall(below, args)))
    else:
        stmts.code.emit(ir.Do(below, args, None if target is None else target.expr.index))


def _call_machine_below(below: int, args: tuple[Any, ...], stmts: Stmts, target: Value | None) -> None:
    m = stmts.m
    following = m.new_block()
    m.end(ir.CallMachine(below, args, None if target is None else target.expr.index, following))
    m.switch(following)


def _or_fail(statement: Any) -> Any:
    """In a trial, a choice with nothing to choose means that this way leads nowhere."""
    asks = isinstance(statement, syn.ChooseSomeStmt) or (
        isinstance(statement, syn.ChooseStmt) and not statement.may
    )
    if asks and statement.otherwise is None:
        nothing = syn.ReturnStmt(syn.FlagLit(False, statement.span), syn.NO_CITES, statement.span)
        return replace(statement, otherwise=nothing)
    return statement


def _parameter(code: Code, number: int) -> Any:
    kind = code.locals[number].type
    if isinstance(kind, ir.SetType):
        return ir.SetLocal(number)
    if isinstance(kind, ir.ListType):
        return ir.ListLocal(number)
    return ir.Local(number)


def _flat_types(value: Value) -> list[Type]:
    if value.record is not None:
        return [t for part in value.record.values() for t in _flat_types(part)]
    return [value.type]


def _all_facts(scope: Scope) -> dict[str, Type]:
    facts: dict[str, Type] = {}
    chain: list[Scope] = []
    walker: Scope | None = scope
    while walker is not None:
        chain.append(walker)
        walker = walker.parent
    for part in reversed(chain):
        facts.update(part.facts)
    return facts


def _ordered(entry: Callable_, a: syn.ExceptionDecl, b: syn.ExceptionDecl) -> bool:
    """Whether `before` and `after` say which of two comes first, by themselves or over others between them."""
    labels = {decl.label: number for number, (_, decl) in enumerate(entry.exceptions) if decl.label}
    later: dict[int, set[int]] = {}
    for number, (_, decl) in enumerate(entry.exceptions):
        for name in decl.before:
            later.setdefault(number, set()).add(labels.get(name, -1))
        for name in decl.after:
            later.setdefault(labels.get(name, -1), set()).add(number)
    places = [n for n, (_, decl) in enumerate(entry.exceptions) if decl is a or decl is b]
    for start, goal in (places, places[::-1]):
        pending, seen = [start], set()
        while pending:
            for number in later.get(pending.pop(), ()):
                if number == goal:
                    return True
                if number not in seen:
                    seen.add(number)
                    pending.append(number)
    return False


def _conjuncts(condition: syn.Expr | None) -> list[syn.Expr]:
    if condition is None:
        return []
    if isinstance(condition, syn.BinaryExpr) and condition.op == "and":
        return [*_conjuncts(condition.left), *_conjuncts(condition.right)]
    return [condition]


def _disjoint(a: syn.Expr | None, b: syn.Expr | None) -> bool:
    """Whether two conditions plainly exclude each other: `x is A` and `x is B`, or `c` and `not c`."""
    for one in _conjuncts(a):
        for other in _conjuncts(b):
            if isinstance(one, syn.UnaryExpr) and one.op == "not" and one.value == other:
                return True
            if isinstance(other, syn.UnaryExpr) and other.op == "not" and other.value == one:
                return True
            if (
                isinstance(one, syn.BinaryExpr)
                and isinstance(other, syn.BinaryExpr)
                and one.left == other.left
            ):
                if (
                    one.op == other.op == "is"
                    and one.right != other.right
                    and _constant(one.right)
                    and _constant(other.right)
                ):
                    return True
                if {one.op, other.op} == {"is", "is_not"} and one.right == other.right:
                    return True
    return False


def _constant(expr: syn.Expr) -> bool:
    return isinstance(expr, syn.Name | syn.Number | syn.FlagLit | syn.NoneLit | syn.Dot)


def _reaching(world: World, fields: set[int], domains: set[int]) -> set[int]:
    """Functions that read one of these fields, or run over one of these domains, by themselves or by calls."""
    calls: dict[int, set[int]] = {}
    hit: set[int] = set()

    for function in world.functions:
        if function is None:
            continue
        for node in nodes(function.body):
            kind = type(node)
            if kind is ir.Load or kind is ir.SetLoad or kind is ir.ListLoad:
                if node.field in fields:
                    hit.add(function.id)
            elif kind is ir.OverDomain:
                if node.domain in domains:
                    hit.add(function.id)
            elif kind is ir.Call or kind is ir.SetCall or kind is ir.Do:
                calls.setdefault(node.function, set()).add(function.id)
    pending = list(hit)
    while pending:
        for caller in calls.get(pending.pop(), ()):
            if caller not in hit:
                hit.add(caller)
                pending.append(caller)
    return hit
