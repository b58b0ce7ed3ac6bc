"""Running phases, and writes that are deferred to the start or end of one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code
from grognard.compiler.lower.stmts.writes import STEP_POINTS
from grognard.compiler.sema.typed.assignments import STEP_END, is_step_end
from grognard.compiler.sema.types import (
    FieldInfo,
    dom_type,
    int_range,
    set_type,
)
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


class Timing:
    """The fields that hold the running phases and the pending writes."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.lowerer = lowerer
        self.symbols = lowerer.symbols
        self.builder = lowerer.builder
        self._phase_field: int | None = None
        self._depth_field: int | None = None
        self._points: dict[tuple[str, str], int] = {}
        self._pending_fields: dict[int, tuple[int, int]] = {}

    def running_phases(self) -> int:
        """The field with the set of phases that run now, for `during`."""
        if self._phase_field is None:
            assert self.symbols.phases
            self._phase_field = self.builder.new_field("(phases)", (), set_type(self.symbols.phases))
        return self._phase_field

    def enter_phase(self, code: Code, name: str) -> None:
        """Pending writes take effect first; then the phase counts as running."""
        self._deepen(code, 1)
        self._reach_point(code, ("start", name))
        self._mark_phase(code, name, True)

    def leave_phase(self, code: Code, name: str) -> None:
        self._mark_phase(code, name, False)
        self._reach_point(code, ("end", name))
        if is_step_end(self.symbols, STEP_END):
            self._reach_point(code, STEP_END)
        self._deepen(code, -1)

    def _mark_phase(self, code: Code, name: str, running: bool) -> None:
        if self.symbols.asks_during and self.symbols.phases:
            number = self.symbols.phases.index(name)
            assert number is not None
            code.emit(
                ir.StoreSetChange(self.running_phases(), (), ir.Const(number), running, self.lowerer.nowhere)
            )

    def _reach_point(self, code: Code, point: tuple[str, str]) -> None:
        if point in self.symbols.points:
            if point not in self._points:
                self._points[point] = self.builder.reserve_function()
            code.emit(ir.Do(self._points[point], (), None))

    def depth_load(self) -> ir.Expr:
        """How many phases and steps run inside each other."""
        if self._depth_field is None:
            self._depth_field = self.builder.new_field("(depth)", (), int_range(0, 900))
        return ir.Load(self._depth_field, (), self.lowerer.nowhere)

    def _deepen(self, code: Code, change: int) -> None:
        if STEP_END in self.symbols.points and is_step_end(self.symbols, STEP_END):
            self.depth_load()
            assert self._depth_field is not None
            code.emit(ir.Store(self._depth_field, (), ir.Const(change), "add", False, self.lowerer.nowhere))

    def point_id(self, point: tuple[str, str]) -> int:
        """A number above 0 for an instant that writes wait for."""
        return sorted(self.symbols.points).index(point) + 1

    def pending(self, info: FieldInfo) -> tuple[int, int]:
        """The two fields of a deferred write: the value, and the instant it waits for (0: none)."""
        assert info.field is not None
        if info.field not in self._pending_fields:
            original = self.builder.fields[info.field]
            value = len(self.builder.fields)
            self.builder.fields.append(replace(original, id=value, name=f"{original.name} (pending)"))
            dims = [self.builder.dom(d) for d in original.dims]
            due = self.builder.new_field(f"{original.name} (due)", dims, int_range(0, 2000))
            self._pending_fields[info.field] = (value, due)
        return self._pending_fields[info.field]

    def finish_points(self) -> None:
        """Write the functions that carry out the pending writes of each instant."""
        for point, number in self._points.items():
            code = Code(f"at {point[0]} of {point[1]}", "", pure=False, machine=False)
            wanted: ir.Expr = ir.Const(self.point_id(point))
            if is_step_end(self.symbols, point):
                wanted = ir.Binary("add", self.depth_load(), ir.Const(STEP_POINTS), self.lowerer.nowhere)
            for field, (value, due) in sorted(self._pending_fields.items()):
                self._carry_out(code, field, value, due, wanted)
            self.lowerer.new_function(code, 0, None, self.lowerer.nowhere, number)

    def _carry_out(self, code: Code, field: int, value: int, due: int, wanted: ir.Expr) -> None:
        dims = self.builder.fields[field].dims
        index: tuple[Any, ...] = ()
        if dims:
            dom = self.builder.dom(dims[0])
            index = (code.variable("item", dom_type(dom)).expr,)
        waits = ir.Binary("eq", ir.Load(due, index, self.lowerer.nowhere), wanted, self.lowerer.nowhere)
        body: tuple[ir.Stmt, ...] = (
            ir.Store(
                field, index, ir.Load(value, index, self.lowerer.nowhere), "set", False, self.lowerer.nowhere
            ),
            ir.Store(due, index, ir.Const(0), "set", False, self.lowerer.nowhere),
        )
        if dims:
            code.emit(
                ir.For(
                    index[0].index,
                    ir.OverDomain(dims[0]),
                    dims[0],
                    waits,
                    None,
                    False,
                    body,
                    self.lowerer.nowhere,
                )
            )
        else:
            code.emit(ir.IfStmt(waits, body))
