"""Values as text, with the names that all of the printer uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from grognard.contract import header, ir
from grognard.contract.datablock import DataBlock
from grognard.contract.header import NONE

INDENT = "  "

_INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div_down": "div_down",
    "div_up": "div_up",
    "div_near": "div_near",
    "mod": "mod",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "and": "and",
    "or": "or",
}
#: Only these use their site, so only these show it.
CAN_FAIL = ("add", "sub", "mul", "div_down", "div_up", "div_near", "mod")
_SETS = {"union": "|", "minus": "-", "inter": "&"}
HEAD_CELLS = {
    value: name for name, value in vars(header).items() if name.startswith("H_") and isinstance(value, int)
}


def unique(names: Sequence[str]) -> list[str]:
    """The names, those that are empty or occur twice with their number."""
    times = Counter(names)
    return [name if name and times[name] == 1 else f"{name}#{i}" for i, name in enumerate(names)]


def number(value: int) -> str:
    return "none" if value == NONE else str(value)


class ValuePrinter:
    def __init__(self, program: ir.Program, data: DataBlock | None) -> None:
        self.p = program
        self.data = data
        self.domains = unique([d.name for d in program.domains])
        self.fields = unique([f.name for f in program.fields])
        self.columns = unique([c.name for c in program.columns])
        self.tables = unique([t.name for t in program.tables])
        self.symbols = unique([s.name for s in program.symbols])
        self.functions = unique([f.name for f in program.functions])
        self.machines = unique([m.name for m in program.machines])
        self.asks = unique([a.name for a in program.asks])
        self.movements = unique([m.name for m in program.movements])
        self.locals: list[str] = []

    def dims(self, dims: Sequence[int]) -> str:
        return f"[{', '.join(self.domains[d] for d in dims)}]" if dims else ""

    def show(self, show: str) -> str:
        found = ir.shown_domains(show)
        return " or ".join(self.domains[number] for number in found) if found else show

    def type(self, kind: ir.LocalType | None) -> str:
        match kind:
            case ir.IntType(show=show):
                return self.show(show)
            case ir.SetType(domain=domain):
                return f"set of {self.domains[domain]}"
            case ir.ListType(capacity=capacity, show=show):
                return f"list of {capacity} {self.show(show)}"
        return "nothing"

    def element(self, name: str, index: Sequence[ir.Expr]) -> str:
        return f"{name}[{', '.join(self.expr(i) for i in index)}]" if index else name

    def state(self, node: Any) -> str:
        return self.element(f"${self.fields[node.field]}", node.index)

    # ----------------------------------------------------------------------------------------- expressions

    def expr(self, node: Any) -> str:
        return _EXPRESSIONS[type(node)](self, node)

    #: sets and lists are told apart by their nodes, so any expression is printed the same way
    any = expr

    def args(self, args: Sequence[Any]) -> str:
        return ", ".join(self.any(arg) for arg in args)

    def const(self, node: ir.Const) -> str:
        return number(node.value)

    def sym(self, node: ir.Sym) -> str:
        return f"`{self.symbols[node.symbol]}`"

    def domain_count(self, node: ir.DomainCount) -> str:
        return f"size({self.domains[node.domain]})"

    def domain_base(self, node: ir.DomainBase) -> str:
        return f"base({self.domains[node.domain]})"

    def local(self, node: ir.Local | ir.SetLocal | ir.ListLocal) -> str:
        return self.locals[node.index]

    def load(self, node: ir.Load | ir.SetLoad | ir.ListLoad) -> str:
        return f"{self.state(node)}@{node.site}"

    def head_cell(self, node: ir.Head) -> str:
        return HEAD_CELLS.get(node.cell, f"head {node.cell}")

    def data_cell(self, node: ir.Data | ir.SetData) -> str:
        return f"{self.element(f'%{self.columns[node.column]}', node.index)}@{node.site}"

    def table_get(self, node: ir.TableGet) -> str:
        return f"table {self.tables[node.table]}[{self.args(node.index)}]@{node.site}"

    def unary(self, node: ir.Unary) -> str:
        return f"{node.op}({self.expr(node.value)})"

    def binary(self, node: ir.Binary) -> str:
        left, right = self.expr(node.left), self.expr(node.right)
        site = f"@{node.site}" if node.op in CAN_FAIL else ""
        if node.op in _INFIX:
            return f"({left} {_INFIX[node.op]}{site} {right})"
        return f"{node.op}({left}, {right})"

    def if_(self, node: ir.If | ir.SetIf) -> str:
        return f"({self.any(node.then)} if {self.expr(node.condition)} else {self.any(node.otherwise)})"

    def call(self, node: Any) -> str:
        return f"{self.functions[node.function]}({self.args(node.args)})"

    def at_best(self, node: ir.AtBest) -> str:
        enough = "" if node.enough is None else f", enough {self.expr(node.enough)}"
        return f"at best {self.machines[node.machine]}({self.args(node.args)}){enough}@{node.site}"

    def verb(self, node: ir.Verb) -> str:
        return f":{node.name}({self.args(node.args)})@{node.site}"

    def gathered(self, node: Any) -> str:
        """What aggregates and built sets have in common."""
        value = "" if node.value is None else f"{self.expr(node.value)} "
        where = "" if node.where is None else f" where {self.expr(node.where)}"
        return f"{value}for {self.locals[node.var]} in {self.over(node.over)}{where}"

    def aggregate(self, node: ir.Aggregate) -> str:
        return f"{node.op}({self.gathered(node)})@{node.site}"

    def in_(self, node: ir.In) -> str:
        return f"({self.expr(node.value)} in {self.any(node.set)})"

    def set_count(self, node: ir.SetCount) -> str:
        return f"count({self.any(node.set)})"

    def set_next(self, node: ir.SetNext) -> str:
        return f"next({self.any(node.set)} after {self.expr(node.after)})"

    def set_equal(self, node: ir.SetEqual) -> str:
        return f"({self.any(node.left)} same as {self.any(node.right)})"

    def subset(self, node: ir.Subset) -> str:
        return f"({self.any(node.left)} within {self.any(node.right)})"

    def list_length(self, node: ir.ListLength) -> str:
        return f"length({self.any(node.list)})"

    def list_item(self, node: ir.ListItem) -> str:
        return f"item({self.any(node.list)}, {self.expr(node.n)})@{node.site}"

    def coverable(self, node: ir.Coverable) -> str:
        left, right = self.locals[node.left_var], self.locals[node.right_var]
        rights = f"{self.locals[node.chosen]} and {self.expr(node.extra)}"
        return f"coverable({right} in {rights} by {left} in {self.any(node.left)} if {self.expr(node.fits)})"

    def meeting(self, node: ir.Meeting) -> str:
        left = f"{self.locals[node.left_var]} in {self.any(node.left)} at {self.any(node.left_at)}"
        right = f"{self.locals[node.right_var]} in {self.any(node.right)} at {self.any(node.right_at)}"
        return f"matched({left}, {right} room {self.expr(node.room)})@{node.site}"

    def reach_cost(self, node: ir.ReachCost) -> str:
        return f"cost of {self.movements[node.movement]}({self.args(node.args)}) to {self.expr(node.to)}"

    def set_build(self, node: ir.SetBuild) -> str:
        return f"{self.domains[node.domain]}{{{self.gathered(node)}}}"

    def set_binary(self, node: ir.SetBinary) -> str:
        return f"({self.any(node.left)} {_SETS[node.op]} {self.any(node.right)})"

    def set_of(self, node: ir.SetOf) -> str:
        return f"{self.domains[node.domain]}{{{self.args(node.items)}}}"

    def reach_set(self, node: ir.ReachSet) -> str:
        return f"{self.domains[node.domain]} reach of {self.movements[node.movement]}({self.args(node.args)})"

    def alike(self, node: ir.Alike) -> str:
        return f"{self.domains[node.domain]} like the first of {self.any(node.within)}"

    def over(self, node: ir.Over) -> str:
        return _OVERS[type(node)](self, node)

    def over_domain(self, node: ir.OverDomain) -> str:
        return self.domains[node.domain]

    def over_range(self, node: ir.OverRange) -> str:
        return f"{self.expr(node.lo)}..{self.expr(node.hi)}"

    def over_set(self, node: ir.OverSet) -> str:
        return f"set {self.any(node.set)}"

    def over_items(self, node: ir.OverItems) -> str:
        return f"({self.args(node.items)})"

    def over_list(self, node: ir.OverList) -> str:
        return f"list {self.any(node.list)}"

    def over_verb(self, node: ir.OverVerb) -> str:
        return f":{node.name}({self.args(node.args)})@{node.site}"


_EXPRESSIONS: dict[type, Callable[[ValuePrinter, Any], str]] = {
    ir.Const: ValuePrinter.const,
    ir.Sym: ValuePrinter.sym,
    ir.DomainCount: ValuePrinter.domain_count,
    ir.DomainBase: ValuePrinter.domain_base,
    ir.Local: ValuePrinter.local,
    ir.Load: ValuePrinter.load,
    ir.Head: ValuePrinter.head_cell,
    ir.Data: ValuePrinter.data_cell,
    ir.TableGet: ValuePrinter.table_get,
    ir.Unary: ValuePrinter.unary,
    ir.Binary: ValuePrinter.binary,
    ir.If: ValuePrinter.if_,
    ir.Call: ValuePrinter.call,
    ir.AtBest: ValuePrinter.at_best,
    ir.Verb: ValuePrinter.verb,
    ir.Aggregate: ValuePrinter.aggregate,
    ir.In: ValuePrinter.in_,
    ir.SetCount: ValuePrinter.set_count,
    ir.SetNext: ValuePrinter.set_next,
    ir.SetEqual: ValuePrinter.set_equal,
    ir.Subset: ValuePrinter.subset,
    ir.ListLength: ValuePrinter.list_length,
    ir.ListItem: ValuePrinter.list_item,
    ir.Coverable: ValuePrinter.coverable,
    ir.Meeting: ValuePrinter.meeting,
    ir.ReachCost: ValuePrinter.reach_cost,
    ir.SetLocal: ValuePrinter.local,
    ir.SetLoad: ValuePrinter.load,
    ir.SetData: ValuePrinter.data_cell,
    ir.SetBuild: ValuePrinter.set_build,
    ir.SetBinary: ValuePrinter.set_binary,
    ir.SetOf: ValuePrinter.set_of,
    ir.SetIf: ValuePrinter.if_,
    ir.SetCall: ValuePrinter.call,
    ir.ReachSet: ValuePrinter.reach_set,
    ir.Alike: ValuePrinter.alike,
    ir.ListLocal: ValuePrinter.local,
    ir.ListLoad: ValuePrinter.load,
}

_OVERS: dict[type, Callable[[ValuePrinter, Any], str]] = {
    ir.OverDomain: ValuePrinter.over_domain,
    ir.OverRange: ValuePrinter.over_range,
    ir.OverSet: ValuePrinter.over_set,
    ir.OverItems: ValuePrinter.over_items,
    ir.OverList: ValuePrinter.over_list,
    ir.OverVerb: ValuePrinter.over_verb,
}
