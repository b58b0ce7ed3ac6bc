"""Whole functions to Cython."""

from __future__ import annotations

from typing import Any

from grognard.compiler.cython.analysis.check_parameters_once import first_lookup
from grognard.compiler.cython.analysis.plan import (
    Plan,
    local_names,
    nodes,
)
from grognard.compiler.cython.analysis.skip_member_checks import in_domain_locals
from grognard.compiler.cython.print.body import Body
from grognard.compiler.cython.print.lines import (
    Rank,
    Value,
)
from grognard.compiler.cython.print.routine import Routine, declarations, origin
from grognard.compiler.cython.print.texts import (
    literal,
)
from grognard.compiler.cython.tree import Block, Exit, Node, Pending, lines, mapped
from grognard.compiler.passes.analyses.local_variables import assigned
from grognard.contract import ir
from grognard.contract.header import NONE

#: Lists of functions up to this capacity are C arrays; longer ones would strain the C stack.
ARRAY_CAPACITY = 32


class FunctionBody(Body):
    """A Function: locals are C variables, sets and long lists lie in the arena."""

    def __init__(self, plan: Plan, function: ir.Function, untraced_clone: bool = False) -> None:
        super().__init__(plan, function.locals, function.site)
        #: this is the untraced clone
        self.untraced_clone = untraced_clone
        if untraced_clone:
            self.inlined = plan.inlined_in_clones
        self.function = function
        self.who = ("function", function.id)
        self.names = local_names(function.locals)
        self.changed = _changed_buffers(function.body)
        self.bounded_cost = function.id in plan.bounded_cost
        #: whether nothing inside asks how deep it lies
        self.leaf = not self.bounded_cost and function.id in plan.leaves
        #: how deep it lies inside others is counted, or at least asked, where that could ever be too deep
        self.counted = not self.bounded_cost and function.id not in plan.uncounted
        self.in_domain = in_domain_locals(function, plan.in_domain)
        self.untraced = function.id in plan.untraced
        self.no_trace = self.untraced or untraced_clone
        if not self.no_trace:
            self.results, self.since = plan.results_below(function.id), "since"
        self.brackets = not self.no_trace and plan.marks[function.id].brackets
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
                    self.sets.build_into("out", value)
                else:
                    pointer = self.sets.set_pointer(value, domain)
                    self.out.add(f"grog_set_copy(out, {pointer}, {room})")
                self._exit("0", True)
            case ir.IntType():
                made = Value(literal(NONE), Rank.CONST) if value is None else self.expressions.value(value)
                self._exit(self.keep(made).text if self.brackets else made.text, False)
            case _:
                self._exit("0", False)

    def _exit(self, result: str, plain: bool) -> None:
        if self.brackets:
            self.calls.end_bracket()
        # Whether there is an arena to release is known only when the whole body has been emitted.
        self.out.nodes.append(Exit(result, plain))

    def _finished_exit(self, node: Pending) -> list[Node] | None:
        """The lines of an exit, when it is known what the body used."""
        if not isinstance(node, Exit):
            return None
        uncounted = self.leaf or not self.counted
        call = result = node.result
        if self.uses_arena or not uncounted:
            at = "mark, " if self.uses_arena else ""
            name = "grog_uncounted_leave" if uncounted else "grog_leave"
            call = f"{name}{'_at' if at else ''}(ctx, {at}{result})"
        if self.untraced:
            call = f"grog_trace_again(ctx, level, {call})"
        if not node.plain:
            return lines(f"return {call}")
        return lines("return") if call == result else lines(call, "return")

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
        if self.untraced_clone:
            return self.plan.untraced_clone(number)
        return (
            self.plan.compute_name(number)
            if number in self.plan.memoised.functions
            else self.plan.functions[number]
        )

    def _check_parameters(self) -> None:
        """Parameters that are looked up before anything else can happen are checked once and for all."""
        changed = assigned(self.function.body)
        while self.plan.uses("check_parameters_once"):
            first = first_lookup(self.plan, self.function, self.inlined, self.bounded, changed)
            if first is None:
                return
            name, bounds = self.names[first.local], f"{self.first(first.domain)}, {self.count(first.domain)}"
            self.out.add(f"{name} = grog_member(ctx, {name}, {bounds}, {self.at(first.site)})")
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
                text, first = self.parameter(index)
                params.append(text)
                ready += first
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
                    buffers.append((name, self.writes.room_of(local.type), clear))
                    self.out.variables.append(f"int32_t *{name}")
        self._check_parameters()
        self.statements.all_of(function.body)
        if not function.body or not isinstance(function.body[-1], ir.Return):
            self.leave(None)
        buffers += [(name, room, "grog_need") for name, room in self.rooms]
        is_set = isinstance(function.result, ir.SetType)
        clear_out = ""
        if isinstance(function.result, ir.SetType):
            clear_out = f"grog_set_clear(out, {self.words(function.result.domain)})"
        head = declarations(self)
        if self.uses_arena:
            head += lines("cdef int32_t *mark")
        if self.untraced:
            head += lines("cdef int64_t level = ctx.level")
        if function.id in self.plan.untraced_clones and not self.untraced_clone:
            given = [param.split()[-1].lstrip("*") for param in params]
            clone = self.called(self.plan.untraced_clone(function.id))
            head.append(Block("if ctx.level == 0:", lines(f"return {clone}({', '.join(given)})")))
        if not self.bounded_cost:
            enter = (
                "grog_step"
                if not self.counted
                else "grog_enter"
                if function.id in self.plan.recursive
                else "grog_enter_leaf"
                if self.leaf
                else "grog_enter_plain"
            )
            failed = (
                lines(clear_out, "return")
                if is_set
                else lines(f"return {literal(NONE) if function.result else '0'}")
            )
            head.append(Block(f"if not {enter}(ctx, {self.at(function.site)}):", failed))
        if self.untraced:
            head += lines("ctx.level = 0")
        if self.results:
            head[:0] = lines(f"cdef int64_t {self.since}")
            head += lines(f"{self.since} = ctx.trace_count")
        elif self.brackets:
            head.append(Block("if ctx.level >= 2:", lines(f"grog_trace_call(ctx, {self.at(function.site)})")))
        if self.uses_arena:
            head += lines("mark = grog_mark(ctx)")
        head += lines(*(f"{name} = {made}(ctx, {room})" for name, room, made in buffers))
        body = mapped(self.out.nodes, self._finished_exit)
        return Routine(
            origin(
                self.program, function.name, function.site, "function" if function.result else "procedure"
            ),
            "void" if is_set else "int32_t",
            self._routine_name,
            ", ".join(params),
            (*head, *lines(*ready), *body),
            calls=tuple(self.callees),
            constants=frozenset(self.constants),
        )


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
