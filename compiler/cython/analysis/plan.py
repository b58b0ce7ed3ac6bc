"""What the emitters know of the whole program before they write a line: names, and what functions can do."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from grognard.compiler.cython.analysis.drop_parameters import unread_parameters
from grognard.compiler.cython.analysis.skip_depth_counts import uncounted_functions
from grognard.compiler.cython.analysis.skip_frames import frameless_machines
from grognard.compiler.cython.analysis.skip_member_checks import in_domain_functions
from grognard.compiler.cython.optimise.clone_untraced import cloned_functions
from grognard.compiler.cython.optimise.inline_functions import renamed, written_out_functions
from grognard.compiler.cython.print.index_names import IndexNames
from grognard.compiler.cython.print.lines import (
    Names,
    Rank,
    identifier,
)
from grognard.compiler.cython.print.linked_numbers import LinkedNumbers
from grognard.compiler.cython.print.member_names import MemberNames
from grognard.compiler.passes.analyses.local_variables import assigned, read_locals
from grognard.compiler.passes.analyses.memoisable import (
    NOTHING_MEMOISED,
    Memoised,
    fields_read,
    memoised,
)
from grognard.compiler.passes.switches import NAMES
from grognard.contract import ir
from grognard.contract.call_classes import (
    WRITES,
    bounded_cost_functions,
    finder_functions,
    untraced_functions,
)
from grognard.contract.header import H_BRANCH
from grognard.contract.ir.walk import nodes
from grognard.contract.trace import Marks, marked_functions


def callees(program: ir.Program, node: Any) -> set[int]:
    """The functions that code below the node may call directly."""
    found: set[int] = set()
    for part in nodes(node):
        match part:
            case ir.Call(function=function) | ir.SetCall(function=function) | ir.Do(function=function):
                found.add(function)
            case ir.ReachCost(movement=number) | ir.ReachSet(movement=number):
                found |= movement_functions(program.movements[number])
    return found


def movement_functions(movement: ir.Movement) -> set[int]:
    used = (movement.start, movement.allowance, movement.cost, movement.stop, movement.ends)
    return {number for number in used if number is not None}


#: Predicates that depend on the data block alone; kernels/memo.h has room for as many.
MOST_STATIC_PREDICATES = 64
#: Nodes of a function that is written out at its calls, with what is written out in it.
SMALL = 60
MEDIUM = 160
#: Nodes of the functions of a program in which even medium ones are written out.
SMALL_PROGRAM = 3000


def _told_before(body: tuple[ir.Stmt, ...], results: frozenset[int]) -> bool:
    """Whether a note that tells the result may follow another: one has no `return` directly behind it, as those of rules have."""
    codes = [body]
    for node in nodes(body):
        match node:
            case ir.IfStmt(then=then, otherwise=otherwise):
                codes += [then, otherwise]
            case ir.While(body=inside) | ir.For(body=inside) | ir.ForLine(body=inside):
                codes.append(inside)
    return any(
        isinstance(part, ir.Note) and part.site in results and not isinstance(after, ir.Return)
        for code in codes
        for part, after in zip(code, (*code[1:], None), strict=False)
    )


@dataclass(frozen=True)
class Plan:
    """A program with what is worked out from it once."""

    program: ir.Program
    #: passes that are switched off
    without: frozenset[str] = frozenset()
    #: names of constants, in what people read
    members: MemberNames = field(default_factory=MemberNames)

    def uses(self, name: str) -> bool:
        """Whether a pass is switched on."""
        assert name in NAMES, name
        return name not in self.without

    @cached_property
    def calls(self) -> list[set[int]]:
        return [callees(self.program, function.body) for function in self.program.functions]

    @cached_property
    def reachable(self) -> list[set[int]]:
        """For each function, all functions that may run while it runs, itself not counted unless recursive."""
        result: list[set[int]] = []
        for start in self.calls:
            seen: set[int] = set()
            stack = list(start)
            while stack:
                number = stack.pop()
                if number not in seen:
                    seen.add(number)
                    stack.extend(self.calls[number])
            result.append(seen)
        return result

    @cached_property
    def writes(self) -> list[bool]:
        """Whether each function may change the position, by itself or by what it calls."""
        own = [
            any(isinstance(part, WRITES) for part in nodes(function.body))
            for function in self.program.functions
        ]
        return [mine or any(own[n] for n in below) for mine, below in zip(own, self.reachable)]

    def code_writes(self, node: Any) -> bool:
        """Whether code below the node may change the position."""
        return any(isinstance(part, WRITES) for part in nodes(node)) or any(
            self.writes[number] for number in callees(self.program, node)
        )

    def call_rank(self, function: int) -> Rank:
        return Rank.WRITE if self.writes[function] else Rank.FAIL

    @cached_property
    def bounded_cost(self) -> frozenset[int]:
        return bounded_cost_functions(self.program)

    @cached_property
    def leaves(self) -> frozenset[int]:
        """Functions whose call depth is checked, and that call none whose depth is."""
        return frozenset(
            function.id
            for function in self.program.functions
            if self.calls[function.id] <= self.bounded_cost
            and not any(isinstance(node, ir.AtBest) for node in nodes(function.body))
        )

    @cached_property
    def recursive(self) -> frozenset[int]:
        """Functions that are recursive, by calls or by hypotheticals.  The depth of all others is bounded by the program's text."""
        return frozenset(
            function.id
            for function in self.program.functions
            if function.id in self.reachable[function.id]
            or any(isinstance(node, ir.AtBest) for node in nodes(function.body))
        )

    @cached_property
    def uncounted(self) -> frozenset[int]:
        """Functions whose call depth need not be counted: all, where no chain of calls is as long as a run may have it.  Otherwise,
        and in programs with hypotheticals, none."""
        if not self.uses("skip_depth_counts"):
            return frozenset()
        return uncounted_functions(self.program, self.calls)

    @cached_property
    def in_domain(self) -> frozenset[int]:
        """Functions whose sets have only members of their domain."""
        return in_domain_functions(self.program) if self.uses("skip_member_checks") else frozenset()

    @cached_property
    def untraced(self) -> frozenset[int]:
        return untraced_functions(self.program)

    @cached_property
    def marks(self) -> list[Marks]:
        """What each function leaves in the trace beside its records."""
        return marked_functions(self.program)

    @cached_property
    def traces(self) -> list[bool]:
        """Whether each function may leave anything in the trace, by itself or by what it calls."""
        own = [
            any(isinstance(node, ir.Note | ir.TableGet | ir.Roll) for node in nodes(function.body))
            for function in self.program.functions
        ]
        return [mine or any(own[n] for n in below) for mine, below in zip(own, self.reachable)]

    def results_below(self, function: int) -> frozenset[int]:
        """The notes that tell a function's result, if anything can have been noted since it began."""
        results, body = self.marks[function].results, self.program.functions[function].body
        own = any(
            isinstance(node, ir.TableGet | ir.Roll)
            or (isinstance(node, ir.Note) and node.site not in results)
            for node in nodes(body)
        ) or _told_before(body, results)
        return results if own or any(self.traces[n] for n in self.calls[function]) else frozenset()

    @cached_property
    def finders(self) -> frozenset[int]:
        return finder_functions(self.program)

    @cached_property
    def inlined(self) -> frozenset[int]:
        """Functions of bounded cost that are inlined.  A small program can afford more of it."""
        return self._up_to(MEDIUM if self.is_small else SMALL)

    @cached_property
    def is_small(self) -> bool:
        """Whether the program can afford more code for speed."""
        return sum(1 for _ in nodes(self.program.functions)) <= SMALL_PROGRAM

    @cached_property
    def inlined_in_clones(self) -> frozenset[int]:
        """The same in untraced clones, where notes do not swell the code."""
        return self._up_to(MEDIUM)

    def _up_to(self, most: int) -> frozenset[int]:
        if not self.uses("inline_functions"):
            return frozenset()
        return written_out_functions(self.program, self.bounded_cost, most)

    @cached_property
    def unread(self) -> list[frozenset[int]]:
        """The parameters of each function that C does without."""
        if not self.uses("drop_parameters"):
            return [frozenset() for _ in self.program.functions]
        # The view gets its seat from outside.
        return [
            frozenset() if number == self.program.view else found
            for number, found in enumerate(unread_parameters(self.program))
        ]

    @cached_property
    def functions(self) -> list[str]:
        """The C name of each function."""
        names = Names()
        return [f"f_{names.take(function.name)}" for function in self.program.functions]

    @cached_property
    def untraced_clones(self) -> frozenset[int]:
        """Functions with an untraced clone, for runs without a trace."""
        if not self.uses("clone_untraced"):
            return frozenset()
        found = cloned_functions(self.program, self.is_small)
        return frozenset(n for n in found if n not in self.untraced and not self.writes[n])

    @cached_property
    def memoised(self) -> Memoised:
        """What is memoised, and what invalidates it."""
        if not self.uses("memoise_functions"):
            return NOTHING_MEMOISED
        return memoised(self.program, self.bounded_cost, self.untraced_clones | self.untraced, self.unread)

    @cached_property
    def index_names(self) -> IndexNames:
        return IndexNames(self.program)

    @cached_property
    def numbers(self) -> LinkedNumbers:
        return LinkedNumbers(self.program, self.functions, self.machines, self.movements)

    def index_numbers(self, field: int) -> tuple[str, str]:
        """The names of the number of a field's inverted index, and of its validity."""
        indices, name = self.memoised.indices, self.index_names.fields[field]
        number = self.numbers.one(f"X_{name[2:]}", list(indices).index(field))
        return number, self.numbers.one(f"V_{name}", indices[field])

    @cached_property
    def shares_boards(self) -> bool:
        """Whether routines share bitboards, and writes maintain some."""
        return self.is_small and self.uses("share_bitboards")

    @cached_property
    def reads(self) -> list[frozenset[int] | None]:
        """The fields that each function reads; None: it does more than that."""
        return fields_read(self.program)

    @cached_property
    def _static_predicates(self) -> dict[tuple[str, int, ir.Expr], str]:
        return {}

    def static_predicate(
        self, sort: str, domain: int, var: int, asked: ir.Expr, who: tuple[str, int]
    ) -> str | None:
        """The number, by name, of a predicate of all elements of a domain that depends on the data block alone; None: there is no room
        for more.  It has its name from who asks first."""
        others = sorted({*read_locals(asked), *assigned(asked)} - {var})
        key = (
            sort,
            domain,
            renamed(asked, {var: ir.Local(0)}, {local: n + 1 for n, local in enumerate(others)}),
        )
        known = self._static_predicates
        if key not in known:
            if len(known) == MOST_STATIC_PREDICATES:
                return None
            asking = f"P_{self.functions[who[1]] if who[0] == 'function' else self.machines[who[1]]}"
            before = sum(name.rpartition("_")[0] == asking for name in known.values())
            known[key] = self.numbers.one(f"{asking}_{before}", len(known))
        return known[key]

    def compute_name(self, number: int) -> str:
        """The C name of a memoised function's own code."""
        return f"compute_{self.functions[number]}"

    def miss_name(self, number: int) -> str:
        """The C name of what computes and stores the value of such a function."""
        return f"miss_{self.functions[number]}"

    def untraced_clone(self, number: int) -> str:
        return f"untraced_{self.functions[number]}"

    @cached_property
    def machines(self) -> list[str]:
        names = Names()
        return [f"m_{names.take(machine.name)}" for machine in self.program.machines]

    @cached_property
    def machine_locals(self) -> list[list[str]]:
        """The identifiers of each machine's locals, of which a large one has thousands."""
        return [local_names(machine.locals) for machine in self.program.machines]

    @cached_property
    def frame_names(self) -> list[list[str]]:
        """For each local of each machine the name of the constant that says where it lies; sets have none."""
        return [
            [f"{machine}__{name[2:]}" for name in names]
            for machine, names in zip(self.machines, self.machine_locals)
        ]

    @cached_property
    def frameless(self) -> frozenset[int]:
        """Machines that others call and that may end without a frame."""
        if not self.uses("skip_frames"):
            return frozenset()
        return frameless_machines(self.program)

    def frameless_name(self, number: int) -> str:
        return f"frameless_{self.machines[number][2:]}"

    @cached_property
    def movements(self) -> list[str]:
        names = Names()
        return [f"reach_{names.take(movement.name)}" for movement in self.program.movements]

    @cached_property
    def local_start(self) -> list[int]:
        """Where each machine's locals start in the flat array of their offsets."""
        starts, place = [], 0
        for machine in self.program.machines:
            starts.append(place)
            place += len(machine.locals)
        return starts

    @cached_property
    def journals(self) -> bool:
        """Whether a simultaneous block can ever be open."""
        return any(
            isinstance(part, ir.BranchBegin) or (isinstance(part, ir.StoreHead) and part.cell == H_BRANCH)
            for part in nodes((self.program.functions, self.program.machines))
        )

    def set_field_domain(self, number: int) -> int:
        kind = self.program.fields[number].type
        assert isinstance(kind, ir.SetType)
        return kind.domain

    def list_field_capacity(self, number: int) -> int:
        kind = self.program.fields[number].type
        assert isinstance(kind, ir.ListType)
        return kind.capacity

    def set_column_domain(self, number: int) -> int:
        kind = self.program.columns[number].type
        assert isinstance(kind, ir.SetType)
        return kind.domain

    def set_function_domain(self, number: int) -> int:
        kind = self.program.functions[number].result
        assert isinstance(kind, ir.SetType)
        return kind.domain


def local_names(locals_: tuple[ir.LocalDecl, ...]) -> list[str]:
    """An identifier for each local, the author's name with a prefix that keeps clear of everything else."""
    names = Names()
    return [names.take(f"v_{identifier(local.name)}") for local in locals_]
