"""What is known of a program's functions before they are translated, each worked out when it is first asked for.

From what a function and those that it calls do follows how a call can be translated: whether its value can be kept until a
field that it reads is written, whether it leaves anything in the trace, whether calls can nest too deep.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from grognard.contract import ir
from grognard.contract.call_classes import WRITES, ways_to_run
from grognard.contract.ir.walk import nodes
from grognard.contract.trace import marked_functions

#: Functions that may be running inside each other, as in the interpreter.
CALL_DEPTH = 200
#: A level that no trace has: what speaks at this level is silent.
NEVER = 3
#: Function bodies that are short enough to stand where they are called.
SHORT = 14


@dataclass(frozen=True, slots=True)
class Summary:
    """What the text of one function says."""

    calls: frozenset[int]
    reads: frozenset[int]
    #: it writes, rolls, offers, or looks at more than fields and arguments
    restless: bool
    #: it writes the position
    writes: bool
    #: the lowest trace level at which it leaves a record or mark
    speaks: int
    #: it runs machines on a copy of the position
    supposes: bool
    size: int


class Facts:
    """The facts of one program."""

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.bounded, self.untraced, self.finders = ways_to_run(program)
        self._summaries: dict[int, Summary] = {}
        self._below: dict[int, frozenset[int]] = {}
        self._depths: dict[int, int | None] = {}

    @cached_property
    def _marks(self) -> list[bool]:
        return [bool(marks.brackets or marks.results) for marks in marked_functions(self.program)]

    def summary(self, number: int) -> Summary:
        known = self._summaries.get(number)
        if known is None:
            known = self._summaries[number] = self._summarise(self.program.functions[number])
        return known

    def _summarise(self, function: ir.Function) -> Summary:
        calls: set[int] = set()
        reads: set[int] = set()
        restless = writes = supposes = False
        speaks = NEVER
        size = 0
        for node in nodes(function.body):
            size += 1
            match node:
                case ir.Load(field=field) | ir.SetLoad(field=field) | ir.ListLoad(field=field):
                    reads.add(field)
                case ir.OverDomain(domain=domain):
                    alive = self.program.domains[domain].alive
                    if alive is not None:
                        reads.add(alive)
                case ir.Call(function=number) | ir.SetCall(function=number):
                    calls.add(number)
                case ir.Do(function=number):
                    calls.add(number)
                    restless = True
                case ir.ReachCost(movement=number) | ir.ReachSet(movement=number):
                    calls |= parts(self.program.movements[number])
                case ir.Note(level=level):
                    speaks = min(speaks, level)
                case ir.TableGet():
                    speaks = min(speaks, 2)
                case ir.Head() | ir.Alike():
                    restless = True
                case ir.AtBest():
                    restless = supposes = True
                case _ if isinstance(node, WRITES):
                    restless = writes = True
                    if isinstance(node, ir.Roll):
                        speaks = min(speaks, 1)
        if speaks == NEVER and self._marks[function.id] and not is_single(function):
            speaks = 2
        return Summary(frozenset(calls), frozenset(reads), restless, writes, max(speaks, 1), supposes, size)

    def below(self, number: int) -> frozenset[int]:
        """The function and all that it may call."""
        known = self._below.get(number)
        if known is None:
            seen = {number}
            waiting = [number]
            while waiting:
                calls = self.summary(waiting.pop()).calls - seen
                seen |= calls
                waiting += calls
            known = self._below[number] = frozenset(seen)
        return known

    def reads(self, number: int) -> frozenset[int] | None:
        """The fields that a function reads, by itself or by what it calls; None if it does more than read fields."""
        parts = [self.summary(each) for each in self.below(number)]
        if any(part.restless for part in parts):
            return None
        return frozenset().union(*(part.reads for part in parts))

    def writes(self, number: int) -> bool:
        """Whether the function, or one that it calls, changes the position."""
        return any(self.summary(each).writes for each in self.below(number))

    def level_of(self, number: int, level: int) -> int:
        """The level at which a call of the function runs where the trace is of this level: 0 if nothing would be recorded."""
        if level == 0 or number in self.untraced:
            return 0
        return level if self._speaks(number, frozenset()) <= level else 0

    def _speaks(self, number: int, above: frozenset[int]) -> int:
        if number in self.untraced or number in above:
            return NEVER
        # A tree of calls could be walked many times over, so the whole of it is taken together: too loud is never wrong.
        return min(self.summary(each).speaks for each in self.below(number))

    def depth(self, number: int) -> int | None:
        """How deep calls nest in the function, itself included; None if no bound is known."""
        if number not in self._depths:
            self._depths[number] = None  # met again on the way down, it is recursive
            found = self.summary(number)
            below = [self.depth(each) for each in sorted(found.calls)]
            known = [each for each in below if each is not None]
            if len(known) == len(below) and not found.supposes:
                own = max(known, default=0) + (number not in self.bounded)
                self._depths[number] = own if own <= CALL_DEPTH // 2 else None
        return self._depths[number]

    def pure(self, *code: object) -> bool:
        """Whether an expression changes nothing."""
        for node in nodes(tuple(code)):
            match node:
                case ir.Call(function=number) | ir.SetCall(function=number):
                    if self.writes(number):
                        return False
                case ir.ReachCost(movement=number) | ir.ReachSet(movement=number):
                    if any(self.writes(part) for part in parts(self.program.movements[number])):
                        return False
        return True

    def inlined(self, number: int, level: int) -> ir.Expr | None:
        """The value of a function of bounded cost that is short enough to stand where it is called, under a trace of this level."""
        function = self.program.functions[number]
        if number not in self.bounded or self.summary(number).size > SHORT:
            return None
        value = _single_value(function, untraced=self.level_of(number, level) == 0)
        if (
            value is None
            or not isinstance(function.result, ir.IntType)
            or not all(isinstance(local.type, ir.IntType) for local in function.locals)
            or any(isinstance(node, ir.Local) and node.index >= function.params for node in nodes(value))
        ):
            return None
        return value


def parts(movement: ir.Movement) -> set[int]:
    """The functions of a movement."""
    used = (movement.start, movement.allowance, movement.cost, movement.stop, movement.ends)
    return {number for number in used if number is not None}


def is_single(function: ir.Function) -> bool:
    """Whether a function is one expression, as most rules are: such functions make no marks."""
    body = function.body
    return len(body) == 1 and isinstance(body[0], ir.Return) and body[0].value is not None


def _single_value(function: ir.Function, *, untraced: bool) -> ir.Expr | None:
    """The expression that is all of a function.  Without a trace that may be the value of its result, which is noted and returned."""
    code = function.body
    if untraced:
        code = tuple(node for node in code if not isinstance(node, ir.Note))
    match code:
        case (ir.Assign(local=local, value=value), ir.Return(value=ir.Local(index=index))) if local == index:
            return value if untraced else None
        case (ir.Return(value=value),) if is_single(function) or untraced:
            return value  # type: ignore[return-value]
    return None


def bound_variables(code: object, params: int) -> tuple[frozenset[int], frozenset[int]]:
    """The variables of loops: those that nothing but their loops knows, and the others, which hold 0 after each loop."""
    bound: set[int] = set()
    plain: set[int] = set(range(params))

    def walk(node: object, inside: frozenset[int]) -> None:
        kind = type(node)
        if kind is tuple:
            for part in node:  # type: ignore[attr-defined]
                walk(part, inside)
            return
        names = getattr(kind, "__match_args__", None)
        if names is None:
            return
        variables: tuple[int, ...] = ()
        before: tuple[object, ...] = ()
        match node:
            case ir.Aggregate() | ir.SetBuild() | ir.For():
                variables, before = (node.var,), (node.over,)
            case ir.ForLine():
                variables, before = (node.kind_var, node.first_var, node.second_var), (node.a, node.b)
            case ir.Coverable():
                variables, before = (node.left_var, node.right_var), (node.left, node.extra)
                if node.chosen not in inside:
                    plain.add(node.chosen)
            case ir.Meeting():
                variables, before = (node.left_var, node.right_var), (node.left, node.right)
                # Where the left ones can be is asked before there is a right one.
                if any(
                    isinstance(part, ir.Local) and part.index == node.right_var
                    for part in nodes(node.left_at)
                ):
                    plain.add(node.right_var)
            case ir.Local(index=index) if index not in inside:
                plain.add(index)
            case ir.Assign(local=local) | ir.Create(local=local) | ir.Ask(local=local):
                plain.add(local)
            case ir.Do(local=local) | ir.CallMachine(local=local) | ir.Roll(total=local):
                if local is not None:
                    plain.add(local)
        for variable in variables:
            bound.add(variable)
            if variable in inside or len({*variables}) < len(variables):
                plain.add(variable)
        for part in before:
            walk(part, inside)
        for name in names:
            part = getattr(node, name)
            if not any(part is known for known in before):
                walk(part, inside | {*variables})

    walk(code, frozenset())
    return frozenset(bound - plain), frozenset(bound & plain)
