"""Whole functions, machines and movements to Cython, as texts that the templates lay out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from grognard.compiler.cython.analysis.entry_checks import first_lookup
from grognard.compiler.cython.analysis.in_domain_sets import sound_locals
from grognard.compiler.cython.analysis.plan import (
    Plan,
    local_names,
    nodes,
)
from grognard.compiler.cython.analysis.side_effects import assigned
from grognard.compiler.cython.print.body import (
    HOISTED,
    fixed_at,
    hoisted,
    literal,
)
from grognard.compiler.cython.print.lines import (
    INDENT,
    INT64,
    Lines,
    Rank,
    Value,
)
from grognard.compiler.cython.print.statements import Stmts
from grognard.compiler.passes.analyses.frameless_machines import trial_blocks
from grognard.compiler.passes.analyses.memoisable import MOST_GIVEN_MOVEMENTS
from grognard.contract import ir
from grognard.contract.call_classes import few_candidates
from grognard.contract.header import FRAME_HEADER, NONE

#: Lists of functions up to this capacity are C arrays; longer ones would strain the C stack.
ARRAY_CAPACITY = 32
#: How deep blocks of a machine are written inside each other.
DEEPEST = 16
#: Integers of a machine up to which they are C variables while it runs; with more, moving them costs more than it saves.
QUICK_INTEGERS = 16
NOEXCEPT = "noexcept nogil"


@dataclass(frozen=True, slots=True)
class Routine:
    """One C function: what is known of its origin, its head, its lines."""

    comments: tuple[str, ...]
    result: str
    name: str
    params: str
    lines: tuple[str, ...]
    #: whether it is not to be written out where it is called
    apart: bool = False

    @property
    def prototype(self) -> str:
        """The declaration in C."""
        return f"{self.result} {self.name}({self.params})"

    @property
    def declaration(self) -> str:
        return f"{self.prototype} {NOEXCEPT}"

    @property
    def size(self) -> int:
        return len(self.lines)

    @property
    def given(self) -> list[str]:
        """The names of the parameters."""
        return [param.split()[-1].lstrip("*") for param in self.params.split(", ")]


def origin(program: ir.Program, name: str, site: int, what: str) -> tuple[str, ...]:
    """Where a routine comes from: its name, source place and the sections it cites."""
    if not 0 <= site < len(program.sites):
        return (f"{what} {name}",)
    entry = program.sites[site]
    cites = f"  [{', '.join(entry.cites)}]" if entry.cites else ""
    return (" ".join(f"{what} {name} ({entry.file}:{entry.line}){cites}".split()),)


class FunctionBody(Stmts):
    """A Function: locals are C variables, sets and long lists lie in the arena."""

    def __init__(self, plan: Plan, function: ir.Function, twin: bool = False) -> None:
        super().__init__(plan, function.locals, function.site)
        #: this is the twin that is called where nobody listens
        self.twin = twin
        if twin:
            self.inlined = plan.inlined_in_twins
        self.function = function
        self.who = ("function", function.id)
        self.names = local_names(function.locals)
        self.changed = _changed_buffers(function.body)
        self.light = function.id in plan.light
        #: whether nothing inside asks how deep it lies
        self.leaf = not self.light and function.id in plan.leaves
        #: how deep it lies inside others is counted, or at least asked, where that could ever be too deep
        self.counted = not self.light and function.id not in plan.shallow
        self.sound = sound_locals(function, plan.sound)
        self.unheard = function.id in plan.unheard
        self.quiet = self.unheard or twin
        if not self.quiet:
            self.results, self.since = plan.results_below(function.id), "since"
        self.brackets = not self.quiet and plan.marks[function.id].brackets
        self.finds = function.id in plan.finders
        self.last = function.body[-1] if function.body else None

    def local(self, index: int) -> str:
        return self.names[index]

    def local_rank(self) -> Rank:
        return Rank.LOCAL

    def set_local(self, index: int) -> str:
        return self.names[index]

    def list_local(self, index: int) -> str:
        return self.names[index]

    def leave(self, value: Any) -> None:
        result = self.function.result
        match result:
            case ir.SetType(domain=domain):
                room = self.words(domain)
                if value is None:
                    self.out.add(f"grog_set_clear(out, {room})")
                elif isinstance(value, ir.SetBuild) and value.domain == domain:
                    # Every call has room of its own for its result, which is none of its arguments.
                    self.build_into("out", value)
                else:
                    pointer = self.set_pointer(value, domain)
                    self.out.add(f"grog_set_copy(out, {pointer}, {room})")
                self._exit("0", True)
            case ir.IntType():
                made = Value(literal(NONE), Rank.CONST) if value is None else self.value(value)
                self._exit(self.keep(made).text if self.brackets else made.text, False)
            case _:
                self._exit("0", False)

    def _exit(self, result: str, plain: bool) -> None:
        if self.brackets:
            self.end_bracket()
        # Whether there is an arena to release is known only when the whole body has been emitted.
        self.out.add(f"\0{'plain' if plain else 'value'}\0{result}")

    def _exit_line(self, line: str) -> str:
        indent, kind, result = line.split("\0")
        uncounted = self.leaf or not self.counted
        call = result
        if self.uses_arena or not uncounted:
            at = "mark, " if self.uses_arena else ""
            name = "grog_light_leave" if uncounted else "grog_leave"
            call = f"{name}{'_at' if at else ''}(ctx, {at}{result})"
        if self.unheard:
            call = f"grog_hear(ctx, level, {call})"
        if kind == "value":
            return f"{indent}return {call}"
        return f"{indent}return" if call == result else f"{indent}{call}\n{indent}return"

    def parameter(self, index: int) -> tuple[str, list[str]]:
        """The C parameter, and the lines that make a local of it."""
        name = self.names[index]
        kind = self.locals[index].type
        if isinstance(kind, ir.IntType):
            return f"int32_t {name}", []
        if index not in self.changed:
            return f"const int32_t *{name}", []
        copy = "grog_set_copy" if isinstance(kind, ir.SetType) else "grog_list_copy"
        size = self.words(kind.domain) if isinstance(kind, ir.SetType) else kind.capacity
        return f"const int32_t *given_{name}", [f"{copy}({name}, given_{name}, {size})"]

    @property
    def _routine_name(self) -> str:
        number = self.function.id
        if self.twin:
            return self.plan.twin(number)
        return (
            self.plan.fresh(number)
            if number in self.plan.remembered.functions
            else self.plan.functions[number]
        )

    def _check_parameters(self) -> None:
        """Parameters that are looked up before anything else can happen are checked once and for all."""
        changed = assigned(self.function.body)
        while True:
            first = first_lookup(self.plan, self.function, self.inlined, self.bounded, changed)
            if first is None:
                return
            name, bounds = self.names[first.local], f"{self.first(first.domain)}, {self.count(first.domain)}"
            self.out.add(f"{name} = grog_member(ctx, {name}, {bounds}, {first.site})")
            self.bounded[first.local] = first.domain

    def routine(self) -> Routine:
        function = self.function
        params = ["grog_ctx *ctx"]
        if isinstance(function.result, ir.SetType):
            params.append("int32_t *out")
        ready: list[str] = []
        buffers: list[tuple[str, str, str]] = []
        unread = self.plan.unread[function.id]
        for index, local in enumerate(function.locals):
            name, is_param = self.names[index], index < function.params
            if index in unread:
                continue
            if is_param:
                text, lines = self.parameter(index)
                params.append(text)
                ready += lines
            if isinstance(local.type, ir.IntType):
                if not is_param:
                    self.out.variables.append(f"int32_t {name} = 0")
            elif not is_param or index in self.changed:
                if isinstance(local.type, ir.ListType) and local.type.capacity <= ARRAY_CAPACITY:
                    self.out.variables.append(f"int32_t {name}[{local.type.capacity + 1}]")
                    ready.insert(0, f"{name}[0] = 0")
                else:
                    self.uses_arena = True
                    clear = "grog_list_room" if isinstance(local.type, ir.ListType) else "grog_room"
                    buffers.append((name, self.room_of(local.type), clear))
                    self.out.variables.append(f"int32_t *{name}")
        self._check_parameters()
        self.body(function.body)
        if not function.body or not isinstance(function.body[-1], ir.Return):
            self.leave(None)
        buffers += [(name, room, "grog_need") for name, room in self.rooms]
        is_set = isinstance(function.result, ir.SetType)
        clear_out = ""
        if isinstance(function.result, ir.SetType):
            clear_out = f"{INDENT}grog_set_clear(out, {self.words(function.result.domain)})"
        head = _declarations(self)
        if self.uses_arena:
            head.append("cdef int32_t *mark")
        if self.unheard:
            head.append("cdef int64_t level = ctx.level")
        if function.id in self.plan.twins and not self.twin:
            given = [param.split()[-1].lstrip("*") for param in params]
            head.append("if ctx.level == 0:")
            head.append(f"{INDENT}return {self.plan.twin(function.id)}({', '.join(given)})")
        if not self.light:
            enter = (
                "grog_step"
                if not self.counted
                else "grog_enter"
                if function.id in self.plan.round_about
                else "grog_enter_leaf"
                if self.leaf
                else "grog_enter_plain"
            )
            head.append(f"if not {enter}(ctx, {function.site}):")
            if is_set:
                head += [clear_out, f"{INDENT}return"]
            else:
                head.append(f"{INDENT}return {literal(NONE) if function.result else '0'}")
        if self.unheard:
            head.append("ctx.level = 0")
        if self.results:
            head.insert(0, f"cdef int64_t {self.since}")
            head.append(f"{self.since} = ctx.trace_count")
        elif self.brackets:
            head += ["if ctx.level >= 2:", f"{INDENT}grog_trace_call(ctx, {function.site})"]
        if self.uses_arena:
            head.append("mark = grog_mark(ctx)")
        head += [f"{name} = {made}(ctx, {room})" for name, room, made in buffers]
        lines = [self._exit_line(line) if "\0" in line else line for line in self.out.lines]
        return Routine(
            origin(
                self.program, function.name, function.site, "function" if function.result else "procedure"
            ),
            "void" if is_set else "int32_t",
            self._routine_name,
            ", ".join(params),
            tuple([INDENT + line for line in head + ready] + "\n".join(lines).split("\n")),
        )


def _declarations(body: Stmts) -> list[str]:
    """What a body declares: hoisted pointers, then its variables."""
    pointers = [f"cdef {hoisted(body.program, name)}" for name in HOISTED if name in body.used]
    return pointers + [f"cdef {text}" for text in body.out.variables]


def _changed_buffers(code: Any) -> set[int]:
    """The set and list locals that code changes; other parameters need not be copied."""
    found: set[int] = set()
    for node in nodes(code):
        match node:
            case (
                ir.AssignSet(local=local)
                | ir.AssignList(local=local)
                | ir.ListAppend(local=local)
                | ir.ListClear(local=local)
                | ir.SetChange(local=local)
            ):
                found.add(local)
            case ir.Roll(pool=pool) if pool is not None:
                found.add(pool)
    return found


class MachineBody(Stmts):
    """Code of a Machine.  Its locals lie in the frame `fr` inside the position; while a machine of few integers runs,
    those are C variables, and go to the frame whenever somebody else may read it."""

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
        self.frame = frame_names(plan, machine)
        self.apart = self._blocks_apart()
        self.names = local_names(machine.locals)
        self.integers = [n for n, local in enumerate(machine.locals) if isinstance(local.type, ir.IntType)]

    def local(self, index: int) -> str:
        return self.names[index] if self.quick else f"fr[{self.frame[index]}]"

    def local_rank(self) -> Rank:
        # Frames are no field, so that no store reaches them; only code of this machine assigns its locals.
        return Rank.LOCAL

    def set_local(self, index: int) -> str:
        return f"(fr + {self.h('fo')}[{self.plan.local_start[self.machine.id] + index}])"

    def list_local(self, index: int) -> str:
        return f"(fr + {self.frame[index]})"

    # -- the machine itself

    def routine(self) -> Routine:
        self.quick = len(self.integers) <= QUICK_INTEGERS
        if self.quick:
            self.out.variables += [f"int32_t {self.names[n]} = fr[{self.frame[n]}]" for n in self.integers]
        self.out.depth = 2
        for number in self.apart:
            with self.out.block(f"{'if' if number == 0 else 'elif'} pc == {number}:"):
                self._block(number)
        with self.out.block("else:"):
            self.out.add("grog_fail(ctx, GROG_FAIL_STACK, -1)")
            self.out.add("return")
        if self.stops:
            # One place for all: where many stop, writing it out for each would be most of the code.
            self.out.depth = 1
            # The game may be over, and the stack empty.
            with self.out.block(f"if {self.h('s')}[GROG_H_STATUS] != GROG_OVER:"):
                self._put_down(self.integers)
        head = [*self._head(), "cdef int32_t pc = fr[1]", *self._rooms(), "while True:"]
        return Routine(
            origin(self.program, self.machine.name, self.machine.site, "machine"),
            "void",
            self.name,
            "grog_ctx *ctx, int32_t *fr",
            tuple([INDENT + line for line in head] + self.out.lines),
        )

    def _blocks_apart(self) -> list[int]:
        """Blocks that several others lead to, or that a frame can stand at; the others are written out where they are
        reached, unless that is too deep inside."""
        if self.machine.name.startswith("situation "):
            # A situation is gone on with from outside, at a block of its own.
            return list(range(len(self.machine.blocks)))
        ways: Counter[int] = Counter()
        for block in self.machine.blocks:
            match block.end:
                case ir.Jump(block=to):
                    ways[to] += 1
                case ir.Branch(then=then, otherwise=otherwise):
                    ways.update((then, otherwise))
                case ir.CallMachine(block=to):
                    ways[to] += 2
                case ir.Ask(block=to, empty=empty):
                    ways[to] += 2
                    if empty is not None:
                        ways[empty] += 1
        return [number for number in range(len(self.machine.blocks)) if number == 0 or ways[number] > 1]

    def _block(self, number: int) -> None:
        with self.out.block(f"if not grog_step(ctx, {self.machine.site}):"):
            self.out.add("return")
        block = self.machine.blocks[number]
        self.body(block.body)
        self._end(number, block.end)

    def _head(self) -> list[str]:
        return _declarations(self)

    def _rooms(self, result: str = "") -> list[str]:
        """Room for all temporaries, found at once: a machine is entered again after every question."""
        if len(self.rooms) < 2:
            return [f"{name} = grog_need(ctx, {room})" for name, room in self.rooms]
        first, _ = self.rooms[0]
        lines = [
            f"{first} = grog_rooms(ctx, {' + '.join(room for _, room in self.rooms)})",
            f"if {first} == NULL:",
            f"{INDENT}return {result}".rstrip(),
        ]
        for (before, room), (name, _) in zip(self.rooms, self.rooms[1:]):
            lines.append(f"{name} = {before} + {room}")
        return lines

    def _goto(self, block: int) -> None:
        if block not in self.apart and self.out.depth > DEEPEST:
            self.apart.append(block)
        if block in self.apart:
            self.out.add(f"pc = {block}")
        else:
            self._block(block)

    def _end(self, number: int, end: ir.Terminator) -> None:
        match end:
            case ir.Jump(block=block):
                self._goto(block)
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                with self.out.block(f"if {self.condition(condition)}:"):
                    self._goto(then)
                with self.out.block("else:"):
                    self._goto(otherwise)
            case ir.CallMachine():
                self._call_machine(end)
            case ir.Ask():
                self._ask(number, end)
            case ir.ReturnMachine(value=value):
                result = literal(NONE) if value is None else self.value(value).text
                self.out.add(f"grog_pop(ctx, fr, {result})")
                self.out.add("return")
            case ir.EndGame(outcome=outcome):
                self.out.add(f"grog_over(ctx, {self.value(outcome)})")
                self.out.add("return")
            case _:
                raise AssertionError(f"block {number} of {self.machine.name} ends in {end!r}")

    def _call_machine(self, end: ir.CallMachine) -> None:
        target = self.program.machines[end.machine]
        params = target.locals[: target.params]
        made = [self.keep(value) for value in self.arguments(end.args, params, False)]
        if end.local is not None:
            self.int_local(end.local)
        if target.id in self.plan.trials:
            result = self.out.variable("result")
            given = ", ".join(["ctx", *map(str, made), f"&{result}"])
            with self.out.block(f"if {self.plan.trial(target.id)}({given}):"):
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
        self.out.add(f"{frame} = grog_push(ctx, {target.id}, {caller}, {literal(local)})")
        with self.out.block(f"if {frame} != NULL:"):
            names = frame_names(self.plan, target)
            for index, (param, value) in enumerate(zip(params, made)):
                match param.type:
                    case ir.SetType(domain=domain):
                        place = f"{frame} + {self.h('fo')}[{self.plan.local_start[target.id] + index}]"
                        self.out.add(f"grog_set_copy({place}, {value}, {self.words(domain)})")
                    case ir.ListType(capacity=capacity):
                        self.out.add(f"grog_list_copy({frame} + {names[index]}, {value}, {capacity})")
                    case _:
                        self.out.add(f"{frame}[{names[index]}] = {value}")
        with self.out.block(f"if not grog_descend(ctx, fr, {self.plan.machines[target.id]}, {frame}):"):
            self._stop()
        if self.quick and end.local is not None:
            self._pick_up(end.local)
        self._goto(end.block)

    def _put_down(self, integers: Iterable[int]) -> None:
        """Integers into the frame."""
        for index in integers:
            self.out.add(f"fr[{self.frame[index]}] = {self.names[index]}")

    def _stop(self) -> None:
        """Leave the machine, with all integers in the frame."""
        if self.quick and self.integers:
            self.stops = True
            self.out.add("break")
        else:
            self.out.add("return")

    def _pick_up(self, index: int) -> None:
        """What somebody else put into the frame."""
        self.out.add(f"{self.names[index]} = fr[{self.frame[index]}]")

    # -- decisions

    def _ask(self, number: int, ask: ir.Ask) -> None:
        out = self.out
        level, chooser = out.variable("level", INT64), out.variable("chooser")
        out.add(f"{level} = ctx.level")
        out.add("ctx.level = 0")
        out.add(f"{chooser} = {self.value(ask.chooser)}")
        seats = self.program.seats
        out.add(f"grog_ix(ctx, {chooser}, {self.first(seats)}, {self.count(seats)}, {ask.site})")
        direct = self._asks_directly(ask)
        ordered = comes_in_order(self.program.functions[ask.candidates])
        # Candidates that come in order may be no more than a mask, of which a random game draws one.
        deferred = direct and ordered and ask.extra is None
        if direct:
            # Nobody looks into the frame unless the machine stops here.
            out.add("grog_defer(ctx)" if deferred else "ctx.cand_count = 0")
            out.add(f"ctx.enough = grog_wanted(ctx, {few_candidates(ask, self.plan.finders)})")
            self.quiet = True
            out.add(self.call(ask.candidates, ask.args).text)
            self.quiet = False
            out.add("ctx.defers = 0" if deferred else f"grog_offered(ctx, {int(ordered)})")
        else:
            asked = (ask.args, ask.extra_when)
            self._stand_at(number, asked)
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
                out.add(f"grog_fail(ctx, GROG_FAIL_EMPTY, {ask.site})")
                out.add("return")
            else:
                self._goto(ask.empty)
        goes_on = "grog_goes_on_from" if deferred else "grog_goes_on"
        with out.block(f"elif {goes_on}(ctx, {int(ask.lone)}):"):
            take = routine_name("take", self.plan, self.machine, number)
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
            out.add(f"grog_decide(ctx, {chooser}, {ask.ask})")
            self._stop()

    def _asks_directly(self, ask: ir.Ask) -> bool:
        """Whether the candidates can be collected right here: with nothing but integers, from what everybody knows."""
        callee = self.program.functions[ask.candidates]
        hidden = self.program.asks[ask.ask].on_view and self.program.view is not None
        return (
            self.quick
            and not hidden
            and ask.extra is None
            and ask.distinct is None
            and callee.result is None
            and all(isinstance(local.type, ir.IntType) for local in callee.locals[: callee.params])
        )

    def _stand_at(self, number: int, asked: Any) -> None:
        """The frame as it must be where code is run that looks into it."""
        self.out.add(f"fr[1] = {number}")
        if self.quick:
            self._put_down(self._read(asked))

    def _read(self, code: Any) -> list[int]:
        """The integers that code reads or changes."""
        read = {node.index for node in nodes(code) if isinstance(node, ir.Local)}
        return sorted((read | assigned(code)) & set(self.integers))


class TrialBody(MachineBody):
    """A machine as far as it comes without a frame: 1 and its result, or 0 and nothing has happened.

    Most calls of a procedure that may ask somebody end before it does.  Only where nobody listens."""

    def routine(self) -> Routine:
        self.quick = self.quiet = True
        params = self.machine.params
        self.out.variables += [f"int32_t {self.names[n]} = 0" for n in self.integers[params:]]
        self._block(0)
        lines = self.out.lines
        head = [
            *self._head(),
            "cdef int64_t steps = ctx.steps",
            "cdef int32_t *mark = grog_mark(ctx)",
            f"if ctx.level or not grog_fits(ctx, {self.machine.id}):",
            f"{INDENT}return 0",
            *self._rooms("0"),
        ]
        if self.uses_arena:
            lines = [
                part
                for line in lines
                for part in (
                    [line.replace(line.strip(), "grog_release(ctx, mark)"), line]
                    if line.strip().startswith("return ")
                    else [line]
                )
            ]
        given = "".join(f"int32_t {self.names[n]}, " for n in range(params))
        return Routine(
            origin(self.program, self.machine.name, self.machine.site, "machine, without a frame,"),
            "int32_t",
            self.plan.trial(self.machine.id),
            f"grog_ctx *ctx, {given}int32_t *result",
            tuple([INDENT + line for line in head] + lines),
        )

    def _block(self, number: int) -> None:
        if number not in trial_blocks(self.machine):
            self.out.add("grog_allow(ctx, steps)")
            self.out.add("return 0")
            return
        block = self.machine.blocks[number]
        self.out.add(f"grog_step(ctx, {self.machine.site})")
        self.body(block.body)
        match block.end:
            case ir.Jump(block=after):
                self._block(after)
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                with self.out.block(f"if {self.condition(condition)}:"):
                    self._block(then)
                with self.out.block("else:"):
                    self._block(otherwise)
            case ir.ReturnMachine(value=value):
                self.out.add(f"result[0] = {literal(NONE) if value is None else self.value(value).text}")
                self.out.add("return 1")


class AskBody(MachineBody):
    """What an Ask needs beside the machine: its candidates, its extra answer, what an answer does."""

    def __init__(self, plan: Plan, machine: ir.Machine, number: int, ask: ir.Ask) -> None:
        super().__init__(plan, machine)
        self.number = number
        self.ask = ask

    def offer(self) -> Routine:
        self.quiet = True
        with self.out.block("if extra:"):
            if self.ask.extra_when is None:
                self.out.add("return 1")
            else:
                self.out.add(f"return {self.condition(self.ask.extra_when)}")
        callee = self.program.functions[self.ask.candidates]
        if isinstance(callee.result, ir.SetType):
            self.set_call(callee.id, self.ask.args)
        else:
            self.out.add(self.call(callee.id, self.ask.args).text)
        self.out.add("return 0")
        return self._routine("offer", "int32_t", ", int32_t extra", "candidates of")

    def take(self) -> Routine:
        self.put_int(self.ask.local, "value")
        with self.out.block("if ctx.level >= 1:"):
            seen = "-1" if self.ask.seen is None else self.keep(self.value(self.ask.seen)).text
            self.note(self.ask.site, seen, ["chooser", "value"])
        return self._routine("take", "void", ", int32_t chooser, int32_t value", "answer to")

    def _routine(self, kind: str, result: str, params: str, what: str) -> Routine:
        rooms = self._rooms("" if result == "void" else "0")
        head = [*self._head(), *rooms]
        if self.rooms and kind == "take":
            # A machine that goes on by itself may take many answers before it comes back.
            head = [*self._head(), "cdef int32_t *before = grog_mark(ctx)", *rooms]
            self.out.add("grog_release(ctx, before)")
        return Routine(
            origin(self.program, self.program.asks[self.ask.ask].name, self.ask.site, what),
            result,
            routine_name(kind, self.plan, self.machine, self.number),
            f"grog_ctx *ctx, int32_t *fr{params}",
            tuple([INDENT + line for line in head] + self.out.lines),
        )


def routine_name(kind: str, plan: Plan, machine: ir.Machine, number: int) -> str:
    return f"{kind}_{plan.machines[machine.id][2:]}_{number}"


def offer_call(plan: Plan, machine: ir.Machine, number: int, ask: ir.Ask, chooser: str) -> str:
    """The line that collects an Ask's candidates."""
    on_view = plan.program.asks[ask.ask].on_view and plan.program.view is not None
    distinct = -1 if ask.distinct is None else ask.distinct
    extra = f"{0 if ask.extra is None else 1 + ask.lone}, {literal(0 if ask.extra is None else ask.extra)}"
    name = routine_name("offer", plan, machine, number)
    ordered = int(comes_in_order(plan.program.functions[ask.candidates]))
    few = few_candidates(ask, plan.finders)
    return f"grog_offer(ctx, fr, {chooser}, {name}, {int(on_view)}, {ordered}, {few}, {distinct}, {extra})"


def comes_in_order(function: ir.Function) -> bool:
    """Whether a function is nothing but a loop over a domain, a set or a range that offers elements as they come."""
    match function.body:
        case (
            ir.For(
                over=ir.OverDomain() | ir.OverSet() | ir.OverRange(),
                key=None,
                var=var,
                body=(ir.Yield(value=ir.Local(index=index)),),
            ),
        ):
            return var == index
    return False


def frame_names(plan: Plan, machine: ir.Machine) -> list[str]:
    """For each local of a machine the name of the constant that says where it lies; sets have none."""
    names = local_names(machine.locals)
    return [f"{plan.machines[machine.id]}__{name[2:]}" for name in names]


def frame_constants(plan: Plan, machine: ir.Machine) -> list[tuple[str, int]]:
    """Places of integers and lists in a machine's frame: they come first, so no data moves them."""
    constants = []
    place = FRAME_HEADER
    for name, local in zip(frame_names(plan, machine), machine.locals):
        if not isinstance(local.type, ir.SetType):
            constants.append((name, place))
            place += 1 if isinstance(local.type, ir.IntType) else local.type.capacity + 1
    return constants


# ------------------------------------------------------------------------------------------- movements


def movement_routines(plan: Plan, how: ir.Movement) -> list[Routine]:
    """The search of a movement, and the two questions that use it."""
    name = plan.movements[how.id]
    args = [f"a{number}" for number in range(how.params)]
    params = ", ".join(["grog_ctx *ctx", *(f"int32_t {arg}" for arg in args)])
    given = ", ".join(["ctx", *args])

    def call(function: int, *more: str) -> str:
        passed = (arg for number, arg in enumerate((*args, *more)) if number not in plan.unread[function])
        return f"{plan.functions[function]}({', '.join(['ctx', *passed])})"

    comments = origin(plan.program, how.name, how.site, "movement")
    ends = None if how.ends is None else call(how.ends, "place")
    out = Lines()
    out.variables += ["int32_t allowance, place, price, spent, stopped", "int64_t i", "int32_t *mark"]
    out.variables += ["const int32_t *around"]
    domain = plan.program.domains[how.space]
    base = "0" if domain.zero_based else fixed_at(plan.program, "base", how.space)
    bounds = f"{base}, {fixed_at(plan.program, 'cnt', how.space)}"
    out.add(f"grog_search_open(ctx, q, {call(how.start)}, {bounds}, {how.site})")
    with out.block("if q.heap_count == 0:"):
        out.add("return")
    out.add(f"allowance = {call(how.allowance)}")
    with out.block("while grog_search_next(ctx, q, target):"):
        out.add(f"spent = grog_search_spent(ctx, q, {how.site})")
        out.add("mark = grog_mark(ctx)")
        around = "neighbours(ctx, q.place)" if how.leap == 1 else f"within(ctx, q.place, {how.leap})"
        out.add(f"around = grog_o_{around}")
        with out.block("for i in range(around[0]):"):
            out.add("place = around[i + 1]")
            with out.block("if not grog_search_wants(q, place):"):
                out.add("continue")
            out.add(f"price = {call(how.cost, 'q.place', 'place', 'spent')}")
            with out.block(
                f"if not grog_search_pays(ctx, q, price, allowance, {int(how.minimum)}, {how.site}):"
            ):
                out.add("continue")
            stop = "0" if how.stop is None else f"{call(how.stop, 'q.place', 'place')} != 0"
            out.add(f"stopped = {stop}")
            out.add("grog_search_offer(ctx, q, place, stopped, q.spent + price)")
        out.add("grog_release(ctx, mark)")
    search = _movement_routine(
        comments, "void", f"{name}_search", f"{params}, int32_t target, grog_search *q", out
    )

    mark = plan.remembered.movements.get(how.id)
    key = ""
    if mark is not None:
        known = (args + ["0"] * MOST_GIVEN_MOVEMENTS)[:MOST_GIVEN_MOVEMENTS]
        key = f"{how.id}, {mark}, {', '.join(known)}"
    out = Lines()
    out.variables += ["grog_search own", "grog_search *q = NULL", "int64_t i, slot", "int32_t place"]
    out.add("grog_set_clear(out, words)")
    if key:
        out.add(f"q = grog_search_recall(ctx, {key}, GROG_NONE)")
    with out.block("if q == NULL:"):
        if key:
            out.add("q = grog_search_room(ctx, &own)")
        else:
            out.add("grog_search_blank(&own)")
            out.add("q = &own")
        out.add(f"{name}_search({given}, GROG_NONE, q)")
        if key:
            out.add(f"grog_search_keep(ctx, q, {key})")
    with out.block("if q.opened:"), out.block("for i in range(q.count + 1):"):
        out.add("place = grog_search_place(q, i, &slot)")
        skip = "" if how.may_stay else " or place == q.start"
        with out.block(f"if ctx.fail or q.reached[slot] < 0{skip}:"):
            out.add("continue")
        if ends is not None:
            with out.block(f"if not {ends}:"):
                out.add("continue")
        out.add(f"grog_set_put(ctx, out, place, first, count, 1, {how.site})")
    out.add("grog_search_done(q)")
    more = "int32_t *out, int64_t first, int64_t count, int64_t words"
    reach_set = _movement_routine(comments, "void", f"{name}_set", f"{params}, {more}", out)

    out = Lines()
    out.variables += ["grog_search own", "grog_search *q = NULL", "int64_t cost = -1"]
    with out.block("if place == GROG_NONE:"):
        out.add("return GROG_NONE")
    if key:
        out.add(f"q = grog_search_recall(ctx, {key}, place)")
    with out.block("if q == NULL:"):
        out.add("grog_search_blank(&own)")
        out.add("q = &own")
        out.add(f"{name}_search({given}, place, q)")
    with out.block(f"if q.opened{'' if how.may_stay else ' and place != q.start'}:"):
        out.add("cost = grog_search_cost(q, place)")
    out.add("grog_search_done(q)")
    if ends is not None:
        with out.block(f"if cost >= 0 and not {ends}:"):
            out.add("return GROG_NONE")
    out.add(f"return GROG_NONE if cost < 0 else grog_total(ctx, cost, {how.site})")
    reach_cost = _movement_routine(comments, "int32_t", f"{name}_cost", f"{params}, int32_t place", out)
    return [search, reach_set, reach_cost]


def _movement_routine(comments: tuple[str, ...], result: str, name: str, params: str, out: Lines) -> Routine:
    head = [f"{INDENT}cdef {text}" for text in out.variables]
    return Routine(comments, result, name, params, tuple(head + out.lines))
