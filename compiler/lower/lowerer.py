"""The lowering pass: every rule, list, procedure, action and the sequence of play become IR.

A callable is lowered when it is first used; `check_rest` lowers the others, so that they are checked too.  A rule that is
read `as of` a mark becomes a second function that reads the snapshots.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grognard.compiler.lower.block_builder import MachineCode
from grognard.compiler.lower.bodies import (
    lower_function,
    lower_machine,
    parameter,
)
from grognard.compiler.lower.choices.actions import Actions
from grognard.compiler.lower.choices.candidates import Candidates
from grognard.compiler.lower.choices.questions import Questions
from grognard.compiler.lower.code import Code
from grognard.compiler.lower.geometry.going import Going
from grognard.compiler.lower.geometry.movements import lower_movement
from grognard.compiler.lower.origins import Origins
from grognard.compiler.lower.situations.chance_program import TRIAL_OF
from grognard.compiler.lower.stmts.calls import invoke
from grognard.compiler.lower.stmts.statements import Statements
from grognard.compiler.lower.time.events import Events
from grognard.compiler.lower.time.marks import Marks
from grognard.compiler.lower.time.timing import Timing
from grognard.compiler.lower.time.watches import (
    Ever,
    Watches,
    lower_changes,
)
from grognard.compiler.sema.callable_types import targets
from grognard.compiler.sema.effects import stops_directly
from grognard.compiler.sema.mark_owners import MarkOwners
from grognard.compiler.sema.narrowing import NarrowingMemo
from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import Inside
from grognard.compiler.sema.typed.modifiers import TypedModifiers, check_modifiers
from grognard.compiler.sema.typed.movements import TypedMovement, check_movement_clauses
from grognard.compiler.sema.typed.rules import check_rule
from grognard.compiler.sema.typed.sights import TypedArc, TypedSight, check_arc, check_sight
from grognard.compiler.sema.typed.statements import BodyChecker, check_body
from grognard.compiler.sema.types import (
    INT,
    Dom,
    Type,
    dom_type,
)
from grognard.compiler.sema.world import Callable_, World
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.support.source import Span

#: Kinds of log lines that inherit the section of their declaration, unless they cite one.
INHERITING = frozenset({"choice", "roll", "draw", "assign", "log", "fail"})
#: Journal entries reserved for a simultaneous block.
JOURNAL_ROOM = 2000


def _cites_around(entry: Callable_, span: Span) -> tuple[str, ...]:
    """The sections of the declaration around a statement: those of the exception, else of the callable."""
    around = [(entry.span, entry.cites), *((decl.span, decl.cites.ids) for _, decl in entry.exceptions)]
    before = [(at.line, cites) for at, cites in around if at.file == span.file and at.line <= span.line]
    return max(before, default=(0, entry.cites))[1]


class Lowerer:
    """Lowers callables to functions and machines, each once.  Its parts memoise what they have lowered."""

    def __init__(
        self, world: World, bounds: dict[int, list[tuple[int, int, bool, bool]]], places_known: bool
    ) -> None:
        self.world = world
        self.sink = world.sink
        #: what was written behind each node, where somebody wants to know
        self.origins: Origins | None = None
        self._bounds = bounds
        self.places_known = places_known
        #: places that the example being lowered names: symbol, name as written, where
        self.places_named: list[tuple[int, str, Span]] = []
        self._sites: dict[Any, int] = {}
        self.nowhere = world.site("nowhere", "", None)
        self._functions: dict[tuple[str, str | None], int] = {}
        self._machines: dict[str, int] = {}
        self._bodies: dict[tuple[str, Span | None], t.Body] = {}
        self._lists: dict[str, TypedModifiers] = {}
        self._clauses: dict[str, TypedMovement] = {}
        self._sights: dict[str, TypedSight] = {}
        self._arcs: dict[str, TypedArc] = {}
        #: lists that are being checked
        self._in_check: set[str] = set()
        #: element types of choices, by the names that policies use
        self.choices: dict[str, Type] = {}
        self._movements: dict[str, Going] = {}
        #: movement -> the same from a place on the way
        self.resumed_movements: dict[int, int] = {}
        #: (what, movement) -> function, for routes that are chosen leg by leg
        self.leg_functions: dict[tuple[str, int], int] = {}
        self.secret_readers: set[str] = set()
        self.watches = Watches()
        self.evers: dict[Any, Ever] = {}
        #: what marks belong to, for those who ask what has held since
        self.mark_owners = MarkOwners()
        #: rules that need their own value, with how
        self.circles: list[tuple[Callable_, list[str]]] = []
        self._returned: dict[int, int] = {}
        self._lowering: list[str] = []
        self.narrowing = NarrowingMemo()
        self.joined_functions: dict[tuple[str, int, bool], int] = {}
        self.actions = Actions(self)
        self.candidates = Candidates(self)
        self.questions = Questions(self)
        self.events = Events(self)
        self.timing = Timing(self)
        self.marks = Marks(self)

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
            return any(self.is_machine(handler) for handler in self.events.handlers.handlers_of(node.event))
        if isinstance(node, syn.RollStmt) and node.event is not None:
            events = [f"rolling {node.event.name}", f"rolled {node.event.name}"]
            return any(
                self.is_machine(handler)
                for event in events
                for handler in self.events.handlers.handlers_of(event)
            )
        if isinstance(node, syn.SimultaneousStmt):
            events = self.world.events_in(node)
            return any(
                self.is_machine(handler)
                for event in events
                for handler in self.events.handlers.handlers_of(event)
            )
        return False

    def asks_anywhere(self, node: Any) -> bool:
        return any(self.asks(part) for part in walk(node))

    def is_machine(self, entry: Callable_) -> bool:
        return entry.sort == "action" or entry.asks

    def elsewhere(self, entry: Callable_, mark: str | None) -> int | None:
        """The number to use for a callable that is not lowered here (alone.py); None: it is."""
        return None

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

    def body_for(self, entry: Callable_, exception: syn.ExceptionDecl | None) -> t.Body:
        """What a callable or an exception to it does, as it was checked, which is when it is first asked for."""
        key = entry.name, None if exception is None else exception.span
        if key not in self._bodies:
            self._bodies[key] = check_body(self, entry, exception, self.sink)
        return self._bodies[key]

    def bind_variables(self, code: Code, variables: Iterable[Variable], uses_me: bool) -> int:
        """Make the locals of parameters that were checked; how many there are."""
        if uses_me:
            assert self.world.seats
            code.me = code.variable("me", dom_type(self.world.seats))
        for variable in variables:
            code.values[variable] = code.variable(variable.name, variable.type)
        return len(code.locals)

    def function_for(self, entry: Callable_, mark: str | None) -> int:
        known = self.elsewhere(entry, mark)
        if known is not None:
            return known
        key = (entry.name, mark)
        if key not in self._functions:
            number = self.world.reserve_function()
            self._functions[key] = number
            if entry.name in self._lowering and entry.sort in ("rule", "modifiers", "sight", "arc"):
                self.circles.append((entry, []))
            self._lowering.append(entry.name)
            lower_function(self, entry, mark, number)
            self._lowering.pop()
        elif entry.name in self._lowering and entry.sort in ("rule", "modifiers", "sight", "arc"):
            self.circles.append((entry, self._lowering[self._lowering.index(entry.name) :]))
        return self._functions[key]

    def result_type(self, entry: Callable_) -> Type:
        """The result's type; a modifiers list declared `int` has the interval that its entries span."""
        result = entry.result or INT
        if entry.sort == "modifiers" and result.sort == "int" and result == INT:
            # A list that needs its own value is reported elsewhere.
            return INT if entry.name in self._in_check else self.list_for(entry).interval
        return result

    def list_for(self, entry: Callable_) -> TypedModifiers:
        """A modifiers list as it was checked, which is when it is first asked for."""
        if entry.name not in self._lists:
            self._in_check.add(entry.name)
            self._lists[entry.name] = check_modifiers(self, entry, self.sink)
            self._in_check.discard(entry.name)
        return self._lists[entry.name]

    def clauses_for(self, entry: Callable_) -> TypedMovement:
        """A movement as it was checked."""
        if entry.name not in self._clauses:
            self._clauses[entry.name] = check_movement_clauses(self, entry, self.sink)
        return self._clauses[entry.name]

    def sight_for(self, entry: Callable_) -> TypedSight:
        if entry.name not in self._sights:
            self._sights[entry.name] = check_sight(self, entry, self.sink)
        return self._sights[entry.name]

    def arc_for(self, entry: Callable_) -> TypedArc:
        if entry.name not in self._arcs:
            self._arcs[entry.name] = check_arc(self, entry, self.sink)
        return self._arcs[entry.name]

    def movement_for(self, entry: Callable_) -> Going:
        if entry.name not in self._movements:
            self._movements[entry.name] = lower_movement(self, entry)
        return self._movements[entry.name]

    # ------------------------------------------------------------------------------------------------ machines

    def machine_for(self, entry: Callable_) -> int:
        known = self.elsewhere(entry, None)
        if known is not None:
            return known
        if entry.name not in self._machines:
            self._machines[entry.name] = self.world.reserve_machine()
            lower_machine(self, entry, self._machines[entry.name])
        return self._machines[entry.name]

    def trial_machine(self, entry: Callable_) -> int:
        """A machine that calls a procedure and ends with its result as the outcome, for hypotheticals."""
        key = f"{TRIAL_OF}{entry.name}"
        if key not in self._machines:
            number = self._machines[key] = self.world.reserve_machine()
            code = MachineCode(key, entry.name)
            params = self.bind_variables(code, (Variable(*each) for each in entry.params), entry.uses_me)
            result = code.variable("(result)", entry.result or INT)
            flat = [parameter(code, n) for n in range(params)]
            invoke(Statements(self, code), entry, flat, result)
            code.end(ir.EndGame(result.expr))
            site = self.site("enter", key, entry.span, entry.cites, owner=entry.name)
            self.world.machines[number] = ir.Machine(
                number, key, params, tuple(code.locals), False, code.finish(), site
            )
        return self._machines[key]

    def returned(self, type_: Type) -> int:
        """The field in which a procedure returns a set to its caller."""
        assert type_.dom is not None
        if type_.dom.id not in self._returned:
            number = self.world.new_field(f"(returned {type_.dom.name})", (), type_)
            self.world.veiled.add(number)
            self._returned[type_.dom.id] = number
        return self._returned[type_.dom.id]

    def is_kept(self, name: str) -> bool:
        return self.actions.is_kept(name)

    def handlers_of(self, event: str) -> list[Callable_]:
        return self.events.handlers.handlers_of(event)

    def mark_owner(self, mark: str, of: Type) -> Type:
        return self.mark_owners.owner(mark, of)

    def held_since(self, wish: syn.EverSince, of: Dom) -> None:
        self.mark_owners.claim(wish, of)

    # ------------------------------------------------------------------------------------------------ the whole

    def sequence(self, decls: list[syn.SequenceDecl]) -> int:
        """The sequence of play as the main machine."""
        number = self.world.reserve_machine()
        code = MachineCode("sequence", "sequence")
        low = Statements(self, code)
        site = self.nowhere
        check = BodyChecker(self, Inside("sequence", pure=False, machine=True), self.sink)
        for decl in decls:
            self.world.cite(decl.cites)
            site = self.site("enter", decl.name or "sequence", decl.span, decl.cites.ids)
            done, scope = code.new_block(), Scope()
            if decl.condition is not None:
                inside = code.new_block()
                test = low.test(check.condition(decl.condition, scope))
                code.end(ir.Branch(test, inside, done))
                code.switch(inside)
                scope = scope.with_narrowed(check.narrow(decl.condition, scope, True))
            low.statements(check.block(decl.body, scope)[0])
            code.go_to(done)
        winner: ir.Expr = ir.Const(NONE)
        if "victory" in self.world.callables:
            victory = self.world.callables["victory"]
            winner = low.lower(check_rule(check, victory, [], victory.span, Scope())).expr
        code.end(ir.EndGame(winner))
        self.world.machines[number] = ir.Machine(
            number, "sequence", 0, tuple(code.locals), False, code.finish(), site
        )
        return number

    def check_rest(self) -> None:
        """Lower unused callables, so that they are checked too."""
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
                self.actions.can_begin(entry)
            elif entry.sort == "movement":
                self.movement_for(entry)
            elif entry.sort == "form":
                self.actions.can_begin(entry)
        lower_changes(self)
        for event in list(self.world.handlers):
            for handler in self.events.handlers.handlers_of(event):
                if self.is_machine(handler):
                    self.machine_for(handler)
                else:
                    self.function_for(handler, None)

    def function_named(self, name: str) -> int | None:
        """The function of a rule; None if there is no such rule."""
        entry = self.world.callables.get(name)
        return None if entry is None else self.function_for(entry, None)
