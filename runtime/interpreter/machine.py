"""The interpreter back end: runs the IR as it is, and is the truth that compiled engines are held to.

Every node becomes one closure when the interpreter is made (interp_expr, interp_stmt); nothing is looked up
by type while rules run.

Semantics both back ends share
------------------------------
The docstrings of `compiler.ir` come first.  Where they are silent:

*Stack.*  Frames lie at layout.stack_offset + offset; H_SP is the number of cells used, H_FP the offset of
the running frame (NONE: none).  A frame's head: machine, block to continue at, caller's frame offset (NONE
at the bottom), the caller's local that takes the result (NONE: none).  A caller's block cell is where it
will go on; the running frame's is the block it runs, which at a decision is the block that asks.  A popped
frame is zeroed; new frames are all 0 but for head and parameters.  No room: FAIL_STACK at the callee's
site.  List cells behind the last item are 0.

*Start* zeroes stack and journal and sets H_STATUS, H_CHOOSER, H_ASK, H_OUTCOME, H_BRANCH, H_JOURNAL as in a
fresh position.  *Resume* does nothing unless H_STATUS is RUNNING; it runs the block in the running frame's
head. The bottom frame's return ends the game with its result as the outcome; the end of the game clears the stack.  A
machine that returns without a value gives NONE.

*Failures* without a site of their own carry the site of the function or machine they stand in.  `detail`:
FAIL_INDEX and FAIL_RANGE the value, FAIL_TABLE all axis values, FAIL_OVERFLOW both operands, FAIL_DIVIDE
the dividend, FAIL_LIST what did not fit, FAIL_CONFLICT (field, element number); tests compare kind and site
only.

*Arithmetic* is exact, then fails with FAIL_OVERFLOW unless the result lies in -0x7FFFFFFF..0x7FFFFFFF; that
holds for division and for `neg` and `abs` (of NONE) as well.  NONE as an operand is a number like any
other.  `and`, `or`, `not` and comparisons give 0 or 1; any value but 0 is true.

*Stores* evaluate the indices, then the value.  `add` of NONE, or to NONE, is FAIL_INDEX.  `clamp` does not
let NONE into a field that is not optional (FAIL_RANGE).  Create resets what the element has in all fields
with the domain among their dims (in order of ids, but for `alive`), then sets `alive`.  Reset and Create empty sets and lists.  An
element outside a set's domain is FAIL_INDEX where it is put in or taken out, and simply not `in` it.  Both
sides of a set operation are over one domain.

*Loops* leave their variables 0: For, ForLine, Aggregate, SetBuild, Coverable.  For evaluates `where` for
all elements first.  Whether a piece is alive is looked at when its turn comes.  Dead pieces inside sets and
lists are not skipped. An element may come twice (OverItems, OverList).  Range ends that are NONE: nothing.
`any` and `first` end with the first hit, `all` with the first miss, `only` and `the` with the second hit;
every other aggregate visits everything.  Elements whose value is NONE are left out of sum, min, max, best_*
and only_*.  A sum is checked at its end.  Keys of For are compared plainly (NONE is the lowest).

*Functions* that run off their end, or return without value, give NONE or the empty set.  Arguments are
values: lists are copied (FAIL_LIST if the parameter is too small).  200 calls inside each other are
allowed, one more is FAIL_BUDGET at the callee's site.

*Steps*: one for each block, each call of a function that is not light (see grognard.contract.call_classes), each pass
of While and ForLine; For, Aggregate and SetBuild take at entry the number of raw elements (a domain's count with
the dead, items with NONE).  Light functions do not count among the calls inside each other.  FAIL_BUDGET when the steps of one start, resume, answer or call exceed io.budget, at the site of the loop, of the callee
or of the machine.

*Ask.*  First the chooser (FAIL_INDEX unless it is a seat), then, on the view's copy if on_view, the
arguments, the candidate function, `distinct` and extra_when.  On the copy H_BRANCH is NONE, so that masking
is not journalled.  All of this is not traced: the trace level is 0 meanwhile.  A NONE that is yielded is
left out; the extra comes last, unless it was yielded.  A lone answer and a given one are treated alike but
for H_EPOCH: local, then the note (level 1: chooser, value; `seen` is evaluated after the local is written).
`distinct`: a piece is left out if an earlier candidate equals it: same cells in every field with the domain
among its dims, same membership in every element of every set field over it, and neither of the two is the
value of an element of an integer field that shows the domain, or an item of a list field that does.

*Dice*: grognard.contract.generator.  NONE among count, lo, hi is FAIL_INDEX, hi below lo FAIL_RANGE; a count of 0 or less
throws nothing and totals 0.  The note (level 1) is (count, lo, hi, dice...).  A pool too small fails before
any die is thrown.

*Notes* are not made while an unheard function (see grognard.contract.call_classes) runs.  They evaluate
nothing below their level: arguments, then `seen`.  A table's note comes after its arguments' notes.  Marks (see
grognard.contract.trace): CALL of a machine when its frame is on the stack, of a function before its first statement;
RETURN behind the value that is given back; BELOW right in front of its record.

*Simultaneous blocks*: see interp_journal.  Journal ops: 0 set, 1 add, 2 bits on, 3 bits off, 4 add with
clamp (operand: the whole addend).  If any of the additions to a cell was with clamp, the merged sum is
clamped, else FAIL_RANGE.  Every cell written is an entry, even if it does not change; StoreSet, StoreList,
Reset, CopyField, Create write all cells of their elements in order.  Enqueue is no entry.  Create passes over
elements whose `alive` cell stands in the journal.  BranchNext appends (-1, 0, 0, 0) after
taking back.  BranchNext or BranchEnd outside a block, and BranchEnd with entries behind the last boundary,
are FAIL_JOURNAL.  Header and locals are not journalled.

*Movement*: see interp_reach.  Allowance NONE: no limit.  A start of NONE reaches nothing; one outside all
maps is FAIL_INDEX, a negative cost FAIL_RANGE, at the movement's site.  Places outside `space` are not
entered.  For each neighbour in order that is not settled free: cost, limit, stop.  `ends` is asked after
the search, by place number.  ReachCost ends its search when `to` is settled and asks `ends` for it alone.

*Coverable* evaluates `fits` for every pair first: for each of `chosen` and then `extra`, every left element
ascending.

*Verbs*: see verbs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import (
    Argument,
    Io,
    Result,
    RuleFailure,
)
from grognard.contract.bitsets import (
    Cells,
    elements,
    load_set,
    store_set,
)
from grognard.contract.call_classes import (
    few_candidates,
    settled,
    ways_to_run,
)
from grognard.contract.datablock import DataBlock
from grognard.contract.header import (
    FAIL_BUDGET,
    FAIL_EMPTY,
    FAIL_INDEX,
    FAIL_STACK,
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_EPOCH,
    H_FP,
    H_JOURNAL,
    H_OUTCOME,
    H_SP,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_OVER,
    STATUS_RUNNING,
)
from grognard.contract.layout import (
    JOURNAL_ENTRY,
    Layout,
    own_parts,
)
from grognard.contract.trace import marked_functions
from grognard.interpreter.frames import (
    CALL_DEPTH,
    Enough,
    Eval,
    Frame,
    Run,
    Unit,
    bit_of,
)
from grognard.interpreter.journal import Journal
from grognard.interpreter.statements import Statements

#: Closures inside closures: CALL_DEPTH functions with a few dozen Python frames each must fit.
RECURSION = 20_000

#: A block's end as a closure: the next block, or `LEFT` when another frame runs or nothing does.
LEFT = -1


@dataclass(slots=True)
class Question:
    """An Ask, compiled."""

    node: ir.Ask
    chooser: Eval
    args: list[Eval]
    extra_when: Eval | None
    seen: Eval | None
    slot: int
    on_view: bool


@dataclass(slots=True)
class Compiled:
    """A machine, compiled: per block its body and its end, and the questions among the ends."""

    machine: ir.Machine
    size: int
    offsets: Sequence[int]
    bodies: list[Eval]
    ends: list[Callable[[Frame], int]]
    questions: dict[int, Question]


class Interpreter:
    """Runs a program on positions; implements `machineio.Backend`."""

    name = "interpreter"

    def __init__(self, program: ir.Program, layout: Layout, data: DataBlock) -> None:
        if sys.getrecursionlimit() < RECURSION:
            sys.setrecursionlimit(RECURSION)
        self.program = program
        self.layout = layout
        self.data = data
        self._light, self._unheard, self._finders = ways_to_run(program)
        self._unit = Unit(program, layout, data)
        self._unit.at_best = self._at_best
        self._journal = Journal(program, layout)
        for function in program.functions:
            self._unit.functions.append(self._later(function))
        #: made when they first run: a title with examples has a machine for each of them
        self._machines: list[Compiled | None] = [None] * len(program.machines)
        self._likeness: dict[int, Likeness] = {}
        #: the last position whose candidates were asked for, because an answer asks for them again
        self._known: tuple[bytes, list[int]] = (b"", [])

    # ------------------------------------------------------------------------------------------- interface

    def start(self, cells: bytearray, machine: int, args: Sequence[Argument], io: Io) -> None:
        with memoryview(cells) as raw, raw.cast("i") as c:
            self._prepare(c)
            target = self.program.machines[machine]
            values = self._import(args, target.locals[: target.params])
            self._push(c, machine, values, NONE, NONE)
            run = Run(io)
            run.mark_call(target.site)
            self._run(c, run)

    def _prepare(self, c: Cells) -> None:
        """An empty stack and journal, as in a fresh position."""
        self._clear_stack(c)
        for cell in range(
            self.layout.journal_offset,
            self.layout.journal_offset + self.layout.journal_entries * JOURNAL_ENTRY,
        ):
            c[cell] = 0
        c[H_JOURNAL] = 0
        c[H_STATUS] = STATUS_RUNNING
        for cell in (H_CHOOSER, H_ASK, H_OUTCOME, H_BRANCH):
            c[cell] = NONE

    def resume(self, cells: bytearray, io: Io) -> None:
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] == STATUS_RUNNING:
                self._run(c, Run(io))

    def candidates(self, cells: bytearray) -> list[int]:
        key = bytes(cells)
        # Taken and put back as one pair: several threads may share an interpreter.
        known, offered = self._known
        if key != known:
            with memoryview(cells) as raw, raw.cast("i") as c:
                offered = self._offered(*self._asking(c, Run(Io())), c[H_CHOOSER])
            self._known = key, offered
        return list(offered)

    def answer(self, cells: bytearray, value: int, io: Io) -> None:
        if value not in self.candidates(cells):
            raise ValueError(f"{value} is no candidate of the pending decision")
        with memoryview(cells) as raw, raw.cast("i") as c:
            self._give(c, value, Run(io))

    @staticmethod
    def _count_decision(c: Cells) -> None:
        # Counts on after 2^31 decisions as the 32 bits do.
        c[H_EPOCH] = (c[H_EPOCH] + 1 + 0x8000_0000) % 0x1_0000_0000 - 0x8000_0000

    def _give(self, c: Cells, value: int, run: Run) -> None:
        """Take an answer that is a candidate, and run on."""
        frame, question = self._asking(c, run)
        chooser = c[H_CHOOSER]
        c[H_STATUS] = STATUS_RUNNING
        c[H_CHOOSER] = NONE
        c[H_ASK] = NONE
        self._count_decision(c)
        self._take(frame, question, chooser, value)
        self._enter(c, question.node.block)
        self._run(c, run)

    def call(self, cells: bytearray, function: int, args: Sequence[Argument], io: Io) -> Result:
        target = self.program.functions[function]
        values = self._import(args, target.locals[: target.params])
        with memoryview(cells) as raw, raw.cast("i") as c:
            result = self._unit.functions[function](Frame(c, [], Run(io)), values)
        if isinstance(target.result, ir.SetType):
            return frozenset(elements(result, self.layout.base[target.result.domain]))
        if target.result is None:
            return None
        assert isinstance(result, int)
        return result

    def prepared(self, function: int, args: Sequence[Argument]) -> Callable[[bytearray], int]:
        def measure(cells: bytearray) -> int:
            result = self.call(cells, function, args, Io())
            assert isinstance(result, int)
            return result

        return measure

    def _import(self, args: Sequence[Argument], params: Sequence[ir.LocalDecl]) -> list[Any]:
        """Arguments from outside as the closures have them."""
        if len(args) != len(params):
            raise ValueError(f"{len(args)} arguments for {len(params)} parameters")
        values: list[Any] = []
        for arg, param in zip(args, params):
            match param.type:
                case ir.IntType():
                    if not isinstance(arg, int):
                        raise ValueError(f"{param.name} is an integer, not {arg!r}")
                    values.append(arg)
                case ir.SetType(domain=domain):
                    if isinstance(arg, int):
                        raise ValueError(f"{param.name} is a set, not {arg!r}")
                    mask = 0
                    for element in arg:
                        mask |= bit_of(element, self.layout.base[domain], self.layout.count[domain], -1)
                    values.append(mask)
                case ir.ListType(capacity=capacity):
                    if isinstance(arg, int) or len(arg) > capacity:
                        raise ValueError(f"{param.name} is a list of up to {capacity}, not {arg!r}")
                    values.append(list(arg))
        return values

    # --------------------------------------------------------------------------------------- hypotheticals

    def _at_best(self, fr: Frame, machine: int, values: list[Any], enough: int) -> int:
        """Run a machine on a copy of the position, trying every answer; see ir.AtBest."""
        run = fr.run
        level, yields, first, wanted = run.level, run.yields, run.first, run.enough
        run.level = run.first = run.enough = 0
        scratch = memoryview(bytearray(fr.c.tobytes())).cast("i")
        self._prepare(scratch)
        self._push(scratch, machine, values, NONE, NONE)
        self._run(scratch, run)
        best = self._explore(scratch, run, enough)
        run.level, run.yields, run.first, run.enough = level, yields, first, wanted
        return best

    def _explore(self, c: Cells, run: Run, enough: int) -> int:
        if c[H_STATUS] == STATUS_OVER:
            return c[H_OUTCOME]
        best = NONE
        chooser = c[H_CHOOSER]
        frame, question = self._asking(c, run)
        for value in self._offered(frame, question, chooser):
            copy = memoryview(bytearray(c.tobytes())).cast("i")
            self._give(copy, value, run)
            found = self._explore(copy, run, enough)
            if found != NONE and (best == NONE or found > best):
                best = found
            if NONE not in (enough, best) and best >= enough:
                break
        return best

    # ------------------------------------------------------------------------------------------- functions

    def _later(self, function: ir.Function) -> Callable[[Frame, list[Any]], Any]:
        """Functions are made when they are first called: an example of play needs few of them."""

        def first(frame: Frame, args: list[Any]) -> Any:
            made = self._unit.functions[function.id] = self._function(function)
            return made(frame, args)

        return first

    def _function(self, function: ir.Function) -> Callable[[Frame, list[Any]], Any]:
        make = Statements(self._unit, self._journal, function.locals, None, function.site, function.result)
        make.finds = function.id in self._finders
        marks = marked_functions(self.program)[function.id]
        make.results = marks.results
        site = function.site
        unheard = function.id in self._unheard
        own = function.locals[function.params :]
        blank = [0] * len(own)
        lists = [
            function.params + number
            for number, local in enumerate(own)
            if isinstance(local.type, ir.ListType)
        ]
        nothing = {ir.IntType: NONE, ir.SetType: 0}.get(type(function.result))
        single = None
        if len(function.body) == 1 and isinstance(function.body[0], ir.Return):
            # One expression: most rules are.
            if function.body[0].value is not None:
                single = make.result_value(function.body[0].value)
        body = make.body(function.body)

        def evaluate(frame: Frame) -> Any:
            if single is not None:
                return single(frame)
            if marks.results:
                frame.since = len(frame.run.io.trace)
            elif marks.brackets:
                frame.run.mark_call(site)
            body(frame)
            if marks.brackets:
                frame.run.mark_return()
            return frame.result

        def invoke_light(fr: Frame, values: list[Any]) -> Any:
            values += blank
            for number in lists:
                values[number] = []
            return evaluate(Frame(fr.c, values, fr.run, nothing))

        if function.id in self._light:
            return invoke_light

        def invoke(fr: Frame, values: list[Any]) -> Any:
            run = fr.run
            run.steps += 1
            if run.steps > run.budget or run.depth >= CALL_DEPTH:
                raise RuleFailure(FAIL_BUDGET, site)
            run.depth += 1
            values += blank
            for number in lists:
                values[number] = []
            level = run.level
            if unheard:
                run.level = 0
            result = evaluate(Frame(fr.c, values, run, nothing))
            run.level = level
            run.depth -= 1
            return result

        return invoke

    # -------------------------------------------------------------------------------------------- machines

    def _machine(self, machine: ir.Machine) -> Compiled:
        shape = self.layout.frames[machine.id]
        make = Statements(self._unit, self._journal, machine.locals, shape.offsets, machine.site)
        made = Compiled(machine, shape.size, shape.offsets, [], [], {})
        for number, block in enumerate(machine.blocks):
            made.bodies.append(make.body(block.body))
            if isinstance(block.end, ir.Ask):
                made.questions[number] = self._question(make, block.end)
            made.ends.append(self._end(make, made, number, block.end))
        return made

    def _end(
        self, make: Statements, made: Compiled, number: int, end: ir.Terminator
    ) -> Callable[[Frame], int]:
        match end:
            case ir.Jump(block=block):
                return lambda fr: block
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                test = make.expr(condition)
                return lambda fr: then if test(fr) else otherwise
            case ir.CallMachine():
                return self._call_machine(make, end)
            case ir.Ask():
                return self._ask(made.questions[number])
            case ir.ReturnMachine(value=result):
                value = (lambda fr: NONE) if result is None else make.expr(result)
                return lambda fr: self._return(fr, value(fr))
            case ir.EndGame(outcome=outcome):
                winner = make.expr(outcome)
                return lambda fr: self._over(fr.c, winner(fr))
        raise ValueError(f"block {number} of {made.machine.name} ends in {end!r}")

    def _call_machine(self, make: Statements, end: ir.CallMachine) -> Callable[[Frame], int]:
        target = self.program.machines[end.machine]
        args = make.arguments(end.args, target.locals[: target.params])
        local = NONE if end.local is None else end.local
        if end.local is not None:
            make.int_slot(end.local)

        def push(fr: Frame) -> int:
            values = [arg(fr) for arg in args]
            self._enter(fr.c, end.block)
            self._push(fr.c, end.machine, values, fr.c[H_FP], local)
            fr.run.mark_call(target.site)
            return LEFT

        return push

    def _push(self, c: Cells, machine: int, values: list[Any], caller: int, local: int) -> None:
        shape = self.layout.frames[machine]
        offset = c[H_SP]
        if offset + shape.size > self.layout.stack_cells:
            raise RuleFailure(FAIL_STACK, self.program.machines[machine].site)
        place = self.layout.stack_offset + offset
        c[place], c[place + 1], c[place + 2], c[place + 3] = machine, 0, caller, local
        for number, value in enumerate(values):
            cell = place + shape.offsets[number]
            match self.program.machines[machine].locals[number].type:
                case ir.IntType():
                    c[cell] = value
                case ir.SetType(domain=domain):
                    store_set(c, cell, max(1, (self.layout.count[domain] + 31) // 32), value)
                case ir.ListType():
                    c[cell] = len(value)
                    for item_number, item in enumerate(value):
                        c[cell + 1 + item_number] = item
        c[H_SP] = offset + shape.size
        c[H_FP] = offset

    def _return(self, fr: Frame, result: int) -> int:
        fr.run.mark_return()
        return self._pop(fr.c, result)

    def _pop(self, c: Cells, result: int) -> int:
        offset = c[H_FP]
        place = self.layout.stack_offset + offset
        caller, local = c[place + 2], c[place + 3]
        if caller == NONE:
            return self._over(c, result)
        for cell in range(place, self.layout.stack_offset + c[H_SP]):
            c[cell] = 0
        c[H_SP] = offset
        c[H_FP] = caller
        if local != NONE:
            below = self.layout.stack_offset + caller
            c[below + self.layout.frames[c[below]].offsets[local]] = result
        return LEFT

    def _over(self, c: Cells, outcome: int) -> int:
        self._clear_stack(c)
        c[H_STATUS] = STATUS_OVER
        c[H_OUTCOME] = outcome
        return LEFT

    def _clear_stack(self, c: Cells) -> None:
        for cell in range(self.layout.stack_offset, self.layout.stack_offset + self.layout.stack_cells):
            c[cell] = 0
        c[H_SP] = 0
        c[H_FP] = NONE

    def _enter(self, c: Cells, block: int) -> None:
        """Note in the running frame which block it runs, or will go on at."""
        c[self.layout.stack_offset + c[H_FP] + 1] = block

    def _frame(self, c: Cells, run: Run) -> tuple[Frame, Compiled]:
        place = self.layout.stack_offset + c[H_FP]
        made = self._machines[c[place]]
        if made is None:
            made = self._machines[c[place]] = self._machine(self.program.machines[c[place]])
        return Frame(c, c[place : place + made.size], run), made

    def _run(self, c: Cells, run: Run) -> None:
        while c[H_STATUS] == STATUS_RUNNING:
            if c[H_FP] == NONE:
                raise ValueError("nothing to run: no machine was started")
            frame, made = self._frame(c, run)
            head = self.layout.stack_offset + c[H_FP] + 1
            block = c[head]
            site = made.machine.site
            while block != LEFT:
                c[head] = block
                run.spend(1, site)
                made.bodies[block](frame)
                block = made.ends[block](frame)

    # ------------------------------------------------------------------------------------------- decisions

    def _question(self, make: Statements, node: ir.Ask) -> Question:
        target = self.program.functions[node.candidates]
        return Question(
            node,
            make.expr(node.chooser),
            make.arguments(node.args, target.locals[: target.params]),
            None if node.extra_when is None else make.expr(node.extra_when),
            None if node.seen is None else make.expr(node.seen),
            make.int_slot(node.local),
            self.program.asks[node.ask].on_view and self.program.view is not None,
        )

    def _ask(self, question: Question) -> Callable[[Frame], int]:
        node = question.node
        few = few_candidates(node, self._finders)

        def ask(fr: Frame) -> int:
            level = fr.run.level
            fr.run.level = 0
            chooser = self._chooser(fr, question)
            offered = self._offered(fr, question, chooser, few if fr.run.first else 0)
            fr.run.level = level
            if not offered:
                if node.empty is None:
                    raise RuleFailure(FAIL_EMPTY, node.site)
                return node.empty
            if node.empty is not None and offered == [node.extra]:
                return node.empty
            if node.lone and len(offered) == 1:
                self._take(fr, question, chooser, offered[0])
                return node.block
            if fr.run.first:
                # As if the run had stopped here and the answer had been given.
                fr.run.first -= 1
                fr.run.steps = 0
                self._count_decision(fr.c)
                self._take(fr, question, chooser, offered[0])
                return node.block
            fr.c[H_STATUS] = STATUS_DECISION
            fr.c[H_CHOOSER] = chooser
            fr.c[H_ASK] = node.ask
            self._known = fr.c.tobytes(), offered
            return LEFT

        return ask

    def _chooser(self, fr: Frame, question: Question) -> int:
        chooser: int = question.chooser(fr)
        seats = self.program.seats
        if not 0 <= chooser - self.layout.base[seats] < self.layout.count[seats]:
            raise RuleFailure(FAIL_INDEX, question.node.site, (chooser,))
        return chooser

    def _asking(self, c: Cells, run: Run) -> tuple[Frame, Question]:
        """The frame and the Ask of the pending decision."""
        if c[H_STATUS] != STATUS_DECISION:
            raise ValueError("no decision is pending")
        frame, made = self._frame(c, run)
        question = made.questions.get(c[self.layout.stack_offset + c[H_FP] + 1])
        if question is None:
            raise ValueError("no decision is pending")
        return frame, question

    def _take(self, fr: Frame, question: Question, chooser: int, value: int) -> None:
        """Write the answer where the machine wants it, and say so in the log."""
        fr.v[question.slot] = value
        if fr.run.level >= 1:
            seen = -1 if question.seen is None else question.seen(fr)
            fr.run.note(question.node.site, seen, (chooser, value))

    def _offered(self, fr: Frame, question: Question, chooser: int, few: int = 0) -> list[int]:
        """The candidates, as the chooser may know them; with `few` no more than so many are looked for."""
        node, run = question.node, fr.run
        if question.on_view:
            assert self.program.view is not None
            copy = memoryview(bytearray(fr.c.tobytes())).cast("i")
            copy[H_BRANCH] = NONE
            fr, _ = self._frame(copy, run)
            self._unit.functions[self.program.view](fr, [chooser])
        run.yields, run.enough, depth = [], few, run.depth
        try:
            self._unit.functions[node.candidates](fr, [arg(fr) for arg in question.args])
        except Enough:
            run.level, run.depth = 0, depth
        run.enough = 0
        offered = [value for value in dict.fromkeys(run.yields) if value != NONE]
        run.yields = []
        if node.distinct is not None:
            offered = self._like(node.distinct).distinct(fr.c, offered)
        if node.extra is not None and node.extra not in offered and not settled(node, few, len(offered)):
            if question.extra_when is None or question.extra_when(fr):
                offered.append(node.extra)
        return offered

    def _like(self, domain: int) -> Likeness:
        if domain not in self._likeness:
            self._likeness[domain] = Likeness(self.program, self.layout, domain)
        return self._likeness[domain]


class Likeness:
    """Which pieces of a domain nobody can tell apart."""

    def __init__(self, program: ir.Program, layout: Layout, domain: int) -> None:
        self.base, self.count = layout.base[domain], layout.count[domain]
        #: (first cell, words) of what each piece has in fields with an axis for it
        self.own: list[tuple[int, int]] = []
        #: (first cell, words of an element, elements) of sets and lists, (first cell, cells) of integers
        self.sets: list[tuple[int, int, int]] = []
        self.lists: list[tuple[int, int, int]] = []
        self.values: list[tuple[int, int]] = []
        show = f"dom:{domain}"
        for entry in program.fields:
            start, words = layout.field_offset[entry.id], layout.field_words[entry.id]
            cells = layout.field_cells[entry.id]
            self.own += own_parts(entry, layout, domain)
            match entry.type:
                case ir.SetType(domain=inner) if inner == domain:
                    self.sets.append((start, words, cells // words))
                case ir.ListType(show=shown) if shown == show:
                    self.lists.append((start, words, cells // words))
                case ir.IntType(show=shown) if shown == show:
                    self.values.append((start, cells))

    def distinct(self, c: Cells, offered: list[int]) -> list[int]:
        """The candidates without those that equal an earlier one."""
        named: set[int] = set()
        for start, cells in self.values:
            named.update(c[start : start + cells])
        for start, words, count in self.lists:
            for element in range(count):
                place = start + element * words
                named.update(c[place + 1 : place + 1 + c[place]])
        masks = [
            load_set(c, start + element * words, words)
            for start, words, count in self.sets
            for element in range(count)
        ]
        seen: set[tuple[Any, ...]] = set()
        kept = []
        for value in offered:
            place = value - self.base
            if 0 <= place < self.count and value not in named:
                look = (
                    *(
                        c[start + place * words : start + (place + 1) * words].tobytes()
                        for start, words in self.own
                    ),
                    *(mask >> place & 1 for mask in masks),
                )
                if look in seen:
                    continue
                seen.add(look)
            kept.append(value)
        return kept
