"""Whole machines to Cython: blocks, calls of other machines, decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from grognard.compiler.cython.analysis.plan import (
    Plan,
    nodes,
)
from grognard.compiler.cython.optimise.ask_directly import asks_directly
from grognard.compiler.cython.optimise.hold_integers import holds_integers, integers
from grognard.compiler.cython.optimise.write_out_blocks import labelled_blocks
from grognard.compiler.cython.print.body import Body
from grognard.compiler.cython.print.lines import (
    INT64,
    Rank,
    Value,
)
from grognard.compiler.cython.print.offers import comes_in_order, offer_call, routine_name
from grognard.compiler.cython.print.routine import Routine, declarations, origin
from grognard.compiler.cython.print.texts import (
    literal,
)
from grognard.compiler.cython.tree import Block, Line, Node, lines
from grognard.compiler.passes.analyses.local_variables import assigned
from grognard.contract import ir
from grognard.contract.call_classes import few_candidates
from grognard.contract.header import FRAME_HEADER, NONE

#: How deep blocks of a machine are written inside each other.
DEEPEST = 16


class MachineBody(Body):
    """Code of a Machine.  Its locals lie in the frame `fr` inside the position; while a machine of few integers runs,
    those are C variables, and go to the frame whenever other code may read it."""

    #: whether the integers are C variables
    quick = False
    follows = True
    #: whether the machine stops somewhere with all of them to be put into the frame
    stops = False

    def __init__(self, plan: Plan, machine: ir.Machine) -> None:
        super().__init__(plan, machine.locals, machine.site)
        self.machine = machine
        self.who = ("machine", machine.id)
        self.name = plan.machines[machine.id]
        self.frame = plan.frame_names[machine.id]
        self.labelled = labelled_blocks(machine, plan.uses("write_out_blocks"))
        self.names = plan.machine_locals[machine.id]
        self.integers = integers(machine)

    def local(self, index: int) -> str:
        return self.names[index] if self.quick else f"fr[{self.constant(self.frame[index])}]"

    def local_rank(self) -> Rank:
        # Frames are no field, so that no store reaches them; only code of this machine assigns its locals.
        return Rank.LOCAL

    def set_local(self, index: int) -> str:
        return f"(fr + {self.h('fo')}[{self.local_place(self.machine, index)}])"

    def list_local(self, index: int) -> str:
        return f"(fr + {self.constant(self.frame[index])})"

    # -- numbers of the whole program

    def machine_number(self, machine: ir.Machine) -> str:
        return self.linked(self.plan.numbers.one(f"N_{self.plan.machines[machine.id]}", machine.id))

    def local_place(self, machine: ir.Machine, index: int) -> str:
        """Where the place of a set is found among those of all machines' locals."""
        start = self.plan.local_start[machine.id]
        return f"{self.linked(self.plan.numbers.one(f'L_{self.plan.machines[machine.id]}', start))} + {index}"

    def ask_number(self, block: int, ask: ir.Ask) -> str:
        return self.linked(self.plan.numbers.one(f"A_{self.name}_{block}", ask.ask))

    # -- the machine itself

    def routine(self) -> Routine:
        self.quick = self.plan.uses("hold_integers") and holds_integers(self.machine)
        if self.quick:
            self.out.variables += [
                f"int32_t {self.names[n]} = fr[{self.constant(self.frame[n])}]" for n in self.integers
            ]
        self.out.depth = 2
        for number in self.labelled:
            with self.out.block(f"{'if' if number == 0 else 'elif'} pc == {number}:"):
                self._block(number)
        with self.out.block("else:"):
            self.out.add("grog_fail(ctx, GROG_FAIL_STACK, -1)")
            self.out.add("return")
        body = [Block("while True:", self.out.nodes)]
        self.out.nodes = []
        if self.stops:
            # One place for all: where many stop, writing it out for each would be most of the code.
            # The game may be over, and the stack empty.
            with self.out.block(f"if {self.h('s')}[GROG_H_STATUS] != GROG_OVER:"):
                self._put_down(self.integers)
        head = [*self._head(), *lines("cdef int32_t pc = fr[1]"), *self._rooms()]
        return Routine(
            origin(self.program, self.machine.name, self.machine.site, "machine"),
            "void",
            self.name,
            "grog_ctx *ctx, int32_t *fr",
            (*head, *body, *self.out.nodes),
            calls=tuple(self.callees),
            constants=frozenset(self.constants),
        )

    def _block(self, number: int) -> None:
        with self.out.block(f"if not grog_step(ctx, {self.at(self.machine.site)}):"):
            self.out.add("return")
        block = self.machine.blocks[number]
        self.statements.all_of(block.body)
        self._end(number, block.end)

    def _head(self) -> list[Node]:
        return declarations(self)

    def _rooms(self, result: str = "") -> list[Node]:
        """Room for all temporaries, found at once: a machine is entered again after every question."""
        if len(self.rooms) < 2:
            return lines(*(f"{name} = grog_need(ctx, {room})" for name, room in self.rooms))
        first, _ = self.rooms[0]
        return [
            Line(f"{first} = grog_rooms(ctx, {' + '.join(room for _, room in self.rooms)})"),
            Block(f"if {first} == NULL:", lines(f"return {result}".rstrip())),
            *lines(
                *(
                    f"{name} = {before} + {room}"
                    for (before, room), (name, _) in zip(self.rooms, self.rooms[1:])
                )
            ),
        ]

    def _goto(self, block: int) -> None:
        if block not in self.labelled and self.out.depth > DEEPEST:
            self.labelled.append(block)
        if block in self.labelled:
            self.out.add(f"pc = {block}")
        else:
            self._block(block)

    def _end(self, number: int, end: ir.Terminator) -> None:
        match end:
            case ir.Jump(block=block):
                self._goto(block)
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                with self.out.block(f"if {self.expressions.condition(condition)}:"):
                    self._goto(then)
                with self.out.block("else:"):
                    self._goto(otherwise)
            case ir.CallMachine():
                self._call_machine(end)
            case ir.Ask():
                self._ask(number, end)
            case ir.ReturnMachine(value=value):
                result = literal(NONE) if value is None else self.expressions.value(value).text
                self.out.add(f"grog_pop(ctx, fr, {result})")
                self.out.add("return")
            case ir.EndGame(outcome=outcome):
                self.out.add(f"grog_over(ctx, {self.expressions.value(outcome)})")
                self.out.add("return")
            case _:
                raise AssertionError(f"block {number} of {self.machine.name} ends in {end!r}")

    def _call_machine(self, end: ir.CallMachine) -> None:
        target = self.program.machines[end.machine]
        params = target.locals[: target.params]
        made = [self.keep(value) for value in self.calls.arguments(end.args, params, False)]
        if end.local is not None:
            self.int_local(end.local)
        if target.id in self.plan.frameless:
            result = self.out.variable("result")
            given = ", ".join(["ctx", *map(str, made), f"&{result}"])
            name = self.called(self.plan.frameless_name(target.id))
            with self.out.block(f"if {name}({given}):"):
                with self.out.block("if ctx.fail:"):
                    self.out.add("return")
                if end.local is not None:
                    self.put_int(end.local, result)
                self._goto(end.block)
            with self.out.block("else:"):
                self._push(end, target, made)
        else:
            self._push(end, target, made)

    def _push(self, end: ir.CallMachine, target: ir.Machine, made: Sequence[Value]) -> None:
        """Call a machine that gets a frame of its own."""
        params = target.locals[: target.params]
        local = NONE if end.local is None else end.local
        frame = self.out.variable("callee", "int32_t *{}")
        self.out.add(f"fr[1] = {end.block}")
        caller = f"{self.h('s')}[GROG_H_FP]"
        self.out.add(f"{frame} = grog_push(ctx, {self.machine_number(target)}, {caller}, {literal(local)})")
        with self.out.block(f"if {frame} != NULL:"):
            names = self.plan.frame_names[target.id]
            for index, (param, value) in enumerate(zip(params, made)):
                match param.type:
                    case ir.SetType(domain=domain):
                        place = f"{frame} + {self.h('fo')}[{self.local_place(target, index)}]"
                        self.out.add(f"grog_set_copy({place}, {value}, {self.words(domain)})")
                    case ir.ListType(capacity=capacity):
                        place = f"{frame} + {self.constant(names[index])}"
                        self.out.add(f"grog_list_copy({place}, {value}, {capacity})")
                    case _:
                        self.out.add(f"{frame}[{self.constant(names[index])}] = {value}")
        callee = self.called(self.plan.machines[target.id])
        with self.out.block(f"if not grog_descend(ctx, fr, {callee}, {frame}):"):
            self._stop()
        if self.quick and end.local is not None:
            self._pick_up(end.local)
        self._goto(end.block)

    def _put_down(self, integers: Iterable[int]) -> None:
        """Integers into the frame."""
        for index in integers:
            self.out.add(f"fr[{self.constant(self.frame[index])}] = {self.names[index]}")

    def _stop(self) -> None:
        """Leave the machine, with all integers in the frame."""
        if self.quick and self.integers:
            self.stops = True
            self.out.add("break")
        else:
            self.out.add("return")

    def _pick_up(self, index: int) -> None:
        """What other code put into the frame."""
        self.out.add(f"{self.names[index]} = fr[{self.constant(self.frame[index])}]")

    # -- decisions

    def _ask(self, number: int, ask: ir.Ask) -> None:
        out = self.out
        level, chooser = out.variable("level", INT64), out.variable("chooser")
        out.add(f"{level} = ctx.level")
        out.add("ctx.level = 0")
        out.add(f"{chooser} = {self.expressions.value(ask.chooser)}")
        seats = self.program.seats
        out.add(f"grog_ix(ctx, {chooser}, {self.first(seats)}, {self.count(seats)}, {self.at(ask.site)})")
        direct = self.quick and self.plan.uses("ask_directly") and asks_directly(self.program, ask)
        ordered = comes_in_order(self.program.functions[ask.candidates])
        # Candidates that come in order may stay a board, of which a random game draws one.
        deferred = direct and ordered and ask.extra is None
        if direct:
            # The frame is not read unless the machine stops here.
            out.add("grog_defer(ctx)" if deferred else "ctx.cand_count = 0")
            out.add(f"ctx.enough = grog_wanted(ctx, {few_candidates(ask, self.plan.finders)})")
            self.no_trace = True
            out.add(self.calls.call(ask.candidates, ask.args).text)
            self.no_trace = False
            out.add("ctx.defers = 0" if deferred else f"grog_offered(ctx, {int(ordered)})")
        else:
            asked = (ask.args, ask.extra_when)
            self._stand_at(number, asked)
            self.called(routine_name("offer", self.plan, self.machine, number))
            out.add(offer_call(self.plan, self.machine, number, ask, chooser))
            if self.quick:
                for index in sorted(assigned(asked)):
                    self._pick_up(index)
        out.add(f"ctx.level = {level}")
        with out.block("if ctx.fail:"):
            out.add("return")
        nothing = "ctx.cand_count == 0"
        if ask.empty is not None and ask.extra is not None:
            # Nothing but the extra answer is nothing to decide.
            nothing += f" or (ctx.cand_count == 1 and ctx.cand[0] == {literal(ask.extra)})"
        with out.block(f"if {nothing}:"):
            if ask.empty is None:
                out.add(f"grog_fail(ctx, GROG_FAIL_EMPTY, {self.at(ask.site)})")
                out.add("return")
            else:
                self._goto(ask.empty)
        goes_on = "grog_answers_first_deferred" if deferred else "grog_answers_first"
        with out.block(f"elif {goes_on}(ctx, {int(ask.lone)}):"):
            take = self.called(routine_name("take", self.plan, self.machine, number))
            if direct:
                self.put_int(ask.local, "ctx.cand[0]")
                with out.block("if ctx.level >= 1:"):
                    self._put_down(self._read(ask.seen))
                    out.add(f"{take}(ctx, fr, {chooser}, ctx.cand[0])")
            else:
                if self.quick:
                    self._put_down(self._read(ask.seen))
                out.add(f"{take}(ctx, fr, {chooser}, ctx.cand[0])")
                if self.quick:
                    self._pick_up(ask.local)
            self._goto(ask.block)
        with out.block("else:"):
            if direct:
                out.add(f"fr[1] = {number}")
            out.add(f"grog_decide(ctx, {chooser}, {self.ask_number(number, ask)})")
            self._stop()

    def _stand_at(self, number: int, asked: Any) -> None:
        """The frame as it must be where code is run that looks into it."""
        self.out.add(f"fr[1] = {number}")
        if self.quick:
            self._put_down(self._read(asked))

    def _read(self, code: Any) -> list[int]:
        """The integers that code reads or changes."""
        read = {node.index for node in nodes(code) if isinstance(node, ir.Local)}
        return sorted((read | assigned(code)) & set(self.integers))


def frame_constants(plan: Plan, machine: ir.Machine) -> list[tuple[str, int]]:
    """Places of integers and lists in a machine's frame: they come first, so no data moves them."""
    constants = []
    place = FRAME_HEADER
    for name, local in zip(plan.frame_names[machine.id], machine.locals):
        if not isinstance(local.type, ir.SetType):
            constants.append((name, place))
            place += 1 if isinstance(local.type, ir.IntType) else local.type.capacity + 1
    return constants
