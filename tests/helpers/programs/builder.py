"""A builder of programs by hand, and finding their parts by name."""

from __future__ import annotations

from array import array
from typing import Any, TypeAlias

from grognard.contract import ir
from grognard.contract.backend import fresh_cells
from grognard.contract.datablock import (
    DataBlock,
    DomainData,
    MapData,
    pack_table,
)
from grognard.contract.layout import Layout, compute_layout

Built: TypeAlias = tuple[ir.Program, Layout, DataBlock, bytearray]

INT = ir.IntType()
FLAG = ir.IntType("flag")


def c(value: int) -> ir.Const:
    return ir.Const(value)


def loc(index: int) -> ir.Local:
    return ir.Local(index)


def op(name: ir.BinaryOp, left: ir.Expr, right: ir.Expr, site: int = 0) -> ir.Binary:
    return ir.Binary(name, left, right, site)


def function_id(program: ir.Program, name: str) -> int:
    return next(f.id for f in program.functions if f.name == name)


def machine_id(program: ir.Program, name: str) -> int:
    return next(m.id for m in program.machines if m.name == name)


def site_id(program: ir.Program, text: str) -> int:
    return next(s.id for s in program.sites if s.text == text)


class Builder:
    """Collects the parts of a program and hands out their ids."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.domains: list[ir.Domain] = []
        self.domain_data: list[DomainData] = []
        self.fields: list[ir.Field] = []
        self.columns: list[ir.Column] = []
        self.column_data: list[array[int]] = []
        self.tables: list[ir.Table] = []
        self.table_data: list[array[int]] = []
        self.symbols: list[ir.Symbol] = []
        self.symbol_data: list[int] = []
        self.sites: list[ir.Site] = []
        self.functions: list[ir.Function] = []
        self.machines: list[ir.Machine] = []
        self.asks: list[ir.AskDecl] = []
        self.movements: list[ir.Movement] = []
        self.maps: list[MapData] = []
        self.place_domain: array[int] = array("i")
        self.more: dict[str, Any] = {}
        self.site("rule", "somewhere")

    def site(self, kind: str, text: str, cites: tuple[str, ...] = (), shows: tuple[str, ...] = ()) -> int:
        number = len(self.sites)
        self.sites.append(
            ir.Site(number, kind, text, f"{self.name}.grog", number + 1, 1, cites, shows, self.name)
        )
        return number

    def domain(self, name: str, sort: Any, names: str | int, base: int = 0, **more: Any) -> int:
        number = len(self.domains)
        words = tuple(names.split()) if isinstance(names, str) else tuple(f"{name}{i}" for i in range(names))
        self.domains.append(ir.Domain(number, name, sort, zero_based=base == 0, **more))
        self.domain_data.append(DomainData(base, len(words), words))
        return number

    def field(self, name: str, dims: tuple[int, ...] = (), type: ir.LocalType = INT, **more: Any) -> int:
        self.fields.append(ir.Field(len(self.fields), name, dims, type, **more))
        return len(self.fields) - 1

    def column(self, name: str, dims: tuple[int, ...], values: list[int], type: Any = INT) -> int:
        self.columns.append(ir.Column(len(self.columns), name, dims, type))
        self.column_data.append(array("i", values))
        return len(self.columns) - 1

    def table(
        self, name: str, axes: list[tuple[int, int, int, list[int]]], rows: list[int], cells: list[int]
    ) -> int:
        self.tables.append(ir.Table(len(self.tables), name, len(axes)))
        self.table_data.append(pack_table(axes, rows, cells))
        return len(self.tables) - 1

    def symbol(self, name: str, value: int) -> int:
        self.symbols.append(ir.Symbol(len(self.symbols), name))
        self.symbol_data.append(value)
        return len(self.symbols) - 1

    def function(
        self,
        name: str,
        params: int,
        locals: tuple[tuple[str, ir.LocalType], ...],
        body: tuple[ir.Stmt, ...],
        result: ir.IntType | ir.SetType | None = INT,
        pure: bool = True,
        site: int = 0,
    ) -> int:
        number = len(self.functions)
        decls = tuple(ir.LocalDecl(n, t) for n, t in locals)
        self.functions.append(ir.Function(number, name, params, decls, result, body, site, pure))
        return number

    def expr(self, name: str, params: int, locals: tuple[tuple[str, ir.LocalType], ...], value: Any) -> int:
        """A function that is one expression."""
        result: Any = INT
        if isinstance(value, ir.SetBuild | ir.SetOf | ir.ReachSet):
            result = ir.SetType(value.domain)
        elif isinstance(value, ir.SetLocal):
            result = locals[value.index][1]
        return self.function(name, params, locals, (ir.Return(value),), result)

    def machine(
        self,
        name: str,
        params: int,
        locals: tuple[tuple[str, ir.LocalType], ...],
        blocks: tuple[ir.Block, ...],
        result: bool = False,
        site: int = 0,
    ) -> int:
        number = len(self.machines)
        decls = tuple(ir.LocalDecl(n, t) for n, t in locals)
        self.machines.append(ir.Machine(number, name, params, decls, result, blocks, site))
        return number

    def ask(self, name: str, show: str, site: int, **more: Any) -> int:
        self.asks.append(ir.AskDecl(len(self.asks), name, name, show, site, **more))
        return len(self.asks) - 1

    def build(self, main: int = 0, seed: int = 1940) -> Built:
        program = ir.Program(
            name=self.name,
            domains=tuple(self.domains),
            fields=tuple(self.fields),
            columns=tuple(self.columns),
            tables=tuple(self.tables),
            symbols=tuple(self.symbols),
            sites=tuple(self.sites),
            functions=tuple(self.functions),
            machines=tuple(self.machines),
            asks=tuple(self.asks),
            actions=(),
            movements=tuple(self.movements),
            main=main,
            **self.more,
        )
        data = DataBlock(
            self.domain_data,
            self.column_data,
            self.table_data,
            self.symbol_data,
            self.maps,
            self.place_domain,
        )
        layout = compute_layout(
            program, [d.base for d in self.domain_data], [d.count for d in self.domain_data]
        )
        return program, layout, data, fresh_cells(program, layout, seed)


def machine_id_in(b: Builder, name: str) -> int:
    return next(m.id for m in b.machines if m.name == name)
