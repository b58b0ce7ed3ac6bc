"""What the compilation of every node needs: locals and their slots, places of elements, arguments and calls.

A scope belongs to one function or machine, because the slot of a local depends on it.  The families of expressions
(`integers`, `aggregates`, `sets`, `lists`) derive from `Scope` and reach each other through its abstract methods;
`Expressions` puts them together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.header import FAIL_INDEX
from grognard.interpreter.frames import Eval, Frame, Unit

#: What a loop runs over: the number of raw elements (which costs steps), and those that take part.
Source: TypeAlias = Callable[[Frame], tuple[int, Iterable[int]]]


class Scope(ABC):
    """The locals of one function (`offsets` None) or of one machine."""

    def __init__(
        self,
        unit: Unit,
        locals: Sequence[ir.LocalDecl],
        offsets: Sequence[int] | None,
        site: int,
    ) -> None:
        self.unit = unit
        self.program = unit.program
        self.layout = unit.layout
        self.locals = locals
        self.in_machine = offsets is not None
        self.offsets = range(len(locals)) if offsets is None else offsets
        #: where nodes without a site of their own fail
        self.site = site

    # -------------------------------------------------------------------------------------- locals and places

    def int_slot(self, index: int) -> int:
        """Where an integer local is in `frame.v`."""
        self.expect_local(index, ir.IntType)
        return self.offsets[index]

    def expect_local(self, index: int, kind: type) -> None:
        if not isinstance(self.locals[index].type, kind):
            raise ValueError(f"local {index} ({self.locals[index].name}) is no {kind.__name__}")

    def place(self, dims: Sequence[int], index: Sequence[ir.Expr], site: int, start: int, words: int) -> Eval:
        """The first cell of an element; FAIL_INDEX outside the dims."""
        if len(index) != len(dims):
            raise ValueError(f"{len(index)} indices for {len(dims)} dims")
        parts = [
            (self.expr(value), self.layout.base[domain], self.layout.count[domain])
            for value, domain in zip(index, dims)
        ]
        if not parts:
            return lambda fr: start
        if len(parts) == 1:
            one, base, count = parts[0]

            def single(fr: Frame) -> int:
                value = one(fr)
                place = value - base
                if 0 <= place < count:
                    return start + place * words
                raise RuleFailure(FAIL_INDEX, site, (value,))

            return single

        def several(fr: Frame) -> int:
            place = 0
            for part, base, count in parts:
                value = part(fr)
                if not 0 <= value - base < count:
                    raise RuleFailure(FAIL_INDEX, site, (value,))
                place = place * count + value - base
            return start + place * words

        return several

    def field_place(self, field: int, index: Sequence[ir.Expr], site: int) -> Eval:
        return self.place(
            self.program.fields[field].dims,
            index,
            site,
            self.layout.field_offset[field],
            self.layout.field_words[field],
        )

    # -------------------------------------------------------------------------------------------------- calls

    def arguments(self, args: Sequence[ir.AnyExpr], params: Sequence[ir.LocalDecl]) -> list[Eval]:
        """Closures for the arguments of a call; lists are copied, so that the callee may change its own."""
        if len(args) != len(params):
            raise ValueError(f"{len(args)} arguments for {len(params)} parameters")
        made: list[Eval] = []
        for arg, param in zip(args, params):
            match param.type:
                case ir.SetType(domain=domain):
                    made.append(self.set_over(arg, domain))
                case ir.ListType(capacity=capacity):
                    made.append(self.list_within(arg, capacity, self.site))
                case _:
                    made.append(self.expr(arg))  # type: ignore[arg-type]
        return made

    def call(self, function: int, args: Sequence[ir.AnyExpr]) -> Eval:
        callee = self.program.functions[function]
        made = self.arguments(args, callee.locals[: callee.params])
        functions = self.unit.functions
        if len(made) == 1:
            (only,) = made
            return lambda fr: functions[function](fr, [only(fr)])
        return lambda fr: functions[function](fr, [arg(fr) for arg in made])

    # ------------------------------------------------------------------------------- compiled by the families

    @abstractmethod
    def expr(self, node: ir.Expr) -> Eval:
        """Compile an integer expression."""

    @abstractmethod
    def over(self, node: ir.Over) -> Source:
        """Compile what a loop runs over."""

    @abstractmethod
    def set(self, node: Any) -> Eval:
        """Compile a set expression; its value is a bit mask."""

    @abstractmethod
    def set_over(self, node: Any, domain: int) -> Eval:
        """Compile a set expression that must be over this domain."""

    @abstractmethod
    def set_domain(self, node: Any) -> int:
        """The domain of a set expression."""

    @abstractmethod
    def list(self, node: Any) -> Eval:
        """Compile a list expression; its value is borrowed and must not be changed."""

    @abstractmethod
    def list_within(self, node: Any, capacity: int, site: int) -> Eval:
        """Compile a list expression; its value is a copy of at most `capacity` items."""
