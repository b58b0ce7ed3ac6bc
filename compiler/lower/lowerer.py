"""The lowering pass: every rule, list, procedure, action and the sequence of play become IR.

A callable is lowered when it is first used; `rest` lowers the others.  A rule that is
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
from grognard.compiler.lower.program_builder import ProgramBuilder
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
from grognard.compiler.sema.asking import is_machine
from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed.trees import Trees
from grognard.compiler.sema.typed.whole import TypedPlay
from grognard.compiler.sema.types import (
    INT,
    Type,
    dom_type,
)
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

    def __init__(self, trees: Trees) -> None:
        self.trees = trees
        self.symbols = trees.symbols
        self.builder = ProgramBuilder(trees.symbols, trees.more_doms)
        #: what was written behind each node, where somebody wants to know
        self.origins: Origins | None = None
        #: places that the example being lowered names: symbol, name as written, where
        self.places_named: list[tuple[int, str, Span]] = []
        self._sites: dict[Any, int] = {}
        self.nowhere = self.builder.site("nowhere", "", None)
        self._functions: dict[tuple[str, str | None], int] = {}
        self._machines: dict[str, int] = {}
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
        #: rules that need their own value, with how
        self.circles: list[tuple[Callable_, list[str]]] = []
        self._returned: dict[int, int] = {}
        self._lowering: list[str] = []
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
        if kind in INHERITING and not cites and span is not None:
            entry = self.trees.callable(owner)
            cites = cites if entry is None else _cites_around(entry, span)
        key = (kind, text, span, tuple(cites), tuple(shows), owner)
        if key not in self._sites:
            self._sites[key] = self.builder.site(kind, text, span, cites, shows, owner)
        return self._sites[key]

    def need_journal(self) -> None:
        self.builder.journal = max(self.builder.journal, JOURNAL_ROOM)

    def mask_of(self, seat: Any) -> Any:
        """Bit mask of one seat: 1 << seat, without a shift operator."""
        seats = self.symbols.seats
        assert seats
        made: Any = ir.Const(0)
        for number in range(max(1, len(seats.members)) - 1, -1, -1):
            made = ir.If(ir.Binary("eq", seat, ir.Const(number), self.nowhere), ir.Const(1 << number), made)
        return made

    # ----------------------------------------------------------------------------------------------- functions

    def new_function(self, code: Code, params: int, result: Any, site: int, number: int | None = None) -> int:
        if number is None:
            number = self.builder.reserve_function()
        kind: ir.IntType | ir.SetType | None = None
        if isinstance(result, Type):
            kind = (
                ir.SetType(result.dom.id) if result.sort == "set" and result.dom else ir.IntType(result.show)
            )
        self.builder.functions[number] = ir.Function(
            number, code.name, params, tuple(code.locals), kind, tuple(code.body), site, code.pure
        )
        return number

    def bind_variables(self, code: Code, variables: Iterable[Variable], uses_me: bool) -> int:
        """Make the locals of parameters that were checked; how many there are."""
        if uses_me:
            assert self.symbols.seats
            code.me = code.variable("me", dom_type(self.symbols.seats))
        for variable in variables:
            code.values[variable] = code.variable(variable.name, variable.type)
        return len(code.locals)

    def function_for(self, entry: Callable_, mark: str | None) -> int:
        key = (entry.name, mark)
        if key not in self._functions:
            number = self.builder.reserve_function()
            self._functions[key] = number
            if entry.name in self._lowering and entry.sort in ("rule", "modifiers", "sight", "arc"):
                self.circles.append((entry, []))
            self._lowering.append(entry.name)
            lower_function(self, entry, mark, number)
            self._lowering.pop()
        elif entry.name in self._lowering and entry.sort in ("rule", "modifiers", "sight", "arc"):
            self.circles.append((entry, self._lowering[self._lowering.index(entry.name) :]))
        return self._functions[key]

    def movement_for(self, entry: Callable_) -> Going:
        if entry.name not in self._movements:
            self._movements[entry.name] = lower_movement(self, entry)
        return self._movements[entry.name]

    # ------------------------------------------------------------------------------------------------ machines

    def machine_for(self, entry: Callable_) -> int:
        if entry.name not in self._machines:
            self._machines[entry.name] = self.builder.reserve_machine()
            lower_machine(self, entry, self._machines[entry.name])
        return self._machines[entry.name]

    def trial_machine(self, entry: Callable_) -> int:
        """A machine that calls a procedure and ends with its result as the outcome, for hypotheticals."""
        key = f"{TRIAL_OF}{entry.name}"
        if key not in self._machines:
            number = self._machines[key] = self.builder.reserve_machine()
            code = MachineCode(key, entry.name)
            params = self.bind_variables(code, (Variable(*each) for each in entry.params), entry.uses_me)
            result = code.variable("(result)", entry.result or INT)
            flat = [parameter(code, n) for n in range(params)]
            invoke(Statements(self, code), entry, flat, result)
            code.end(ir.EndGame(result.expr))
            site = self.site("enter", key, entry.span, entry.cites, owner=entry.name)
            self.builder.machines[number] = ir.Machine(
                number, key, params, tuple(code.locals), False, code.finish(), site
            )
        return self._machines[key]

    def returned(self, type_: Type) -> int:
        """The field in which a procedure returns a set to its caller."""
        assert type_.dom is not None
        if type_.dom.id not in self._returned:
            number = self.builder.new_field(f"(returned {type_.dom.name})", (), type_)
            self.builder.veiled.add(number)
            self._returned[type_.dom.id] = number
        return self._returned[type_.dom.id]

    # ------------------------------------------------------------------------------------------------ the whole

    def sequence(self, play: TypedPlay) -> int:
        """The sequence of play as the main machine."""
        number = self.builder.reserve_machine()
        code = MachineCode("sequence", "sequence")
        low = Statements(self, code)
        site = self.nowhere
        for made in play.sequences:
            decl = made.written
            self.builder.cite(decl.cites)
            site = self.site("enter", decl.name or "sequence", decl.span, decl.cites.ids)
            done = code.new_block()
            if made.condition is not None:
                inside = code.new_block()
                code.end(ir.Branch(low.test(made.condition), inside, done))
                code.switch(inside)
            low.statements(made.statements)
            code.go_to(done)
        winner: ir.Expr = ir.Const(NONE) if play.winner is None else low.lower(play.winner).expr
        code.end(ir.EndGame(winner))
        self.builder.machines[number] = ir.Machine(
            number, "sequence", 0, tuple(code.locals), False, code.finish(), site
        )
        return number

    def rest(self) -> None:
        """What nothing uses is lowered too: tools look at it, and games may name it."""
        for entry in (*self.symbols.callables.values(), *self.trees.made_up.values()):
            if entry.sort in ("rule", "modifiers", "sight", "arc"):
                self.function_for(entry, None)
            elif entry.sort == "procedure":
                if is_machine(entry):
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
        for handlers in self.symbols.handlers_of.values():
            for handler in handlers:
                if is_machine(handler):
                    self.machine_for(handler)
                else:
                    self.function_for(handler, None)

    def function_named(self, name: str) -> int | None:
        """The function of a rule; None if there is no such rule."""
        entry = self.symbols.callables.get(name)
        return None if entry is None else self.function_for(entry, None)
