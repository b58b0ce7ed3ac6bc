"""The IR as text: what `grognard build --show ir` prints.

The text is complete (everything that matters in the program can be read from it) and stable (the same
program gives the same text), with the author's names instead of numbers.  Names that occur twice carry
their id, as in `hit#7`.  `@3` behind a node is its site; where a site first matters for a statement, its
source line and citations follow as a comment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from grognard.contract import header as values
from grognard.contract import ir
from grognard.contract.datablock import DataBlock
from grognard.contract.header import NONE

INDENT = "  "
#: Names of a domain that are shown before the rest is only counted.
SHOWN_NAMES = 8

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
_CAN_FAIL = ("add", "sub", "mul", "div_down", "div_up", "div_near", "mod")
_SETS = {"union": "|", "minus": "-", "inter": "&"}
_HEAD = {
    value: name for name, value in vars(values).items() if name.startswith("H_") and isinstance(value, int)
}
_FAIL = {value: name for name, value in vars(values).items() if name.startswith("FAIL_")}


def print_program(program: ir.Program, data: DataBlock | None = None) -> str:
    """The whole program; with its data block also sizes, names of domain members and values of symbols."""
    return _Printer(program, data).program_text()


def print_function(program: ir.Program, function: int) -> str:
    """One function."""
    return "\n".join(_Printer(program, None).function(program.functions[function])) + "\n"


def print_machine(program: ir.Program, machine: int) -> str:
    """One machine."""
    return "\n".join(_Printer(program, None).machine(program.machines[machine])) + "\n"


def _unique(names: Sequence[str]) -> list[str]:
    """The names, those that are empty or occur twice with their number."""
    times = Counter(names)
    return [name if name and times[name] == 1 else f"{name}#{i}" for i, name in enumerate(names)]


def _number(value: int) -> str:
    return "none" if value == NONE else str(value)


class _Printer:
    def __init__(self, program: ir.Program, data: DataBlock | None) -> None:
        self.p = program
        self.data = data
        self.domains = _unique([d.name for d in program.domains])
        self.fields = _unique([f.name for f in program.fields])
        self.columns = _unique([c.name for c in program.columns])
        self.tables = _unique([t.name for t in program.tables])
        self.symbols = _unique([s.name for s in program.symbols])
        self.functions = _unique([f.name for f in program.functions])
        self.machines = _unique([m.name for m in program.machines])
        self.asks = _unique([a.name for a in program.asks])
        self.movements = _unique([m.name for m in program.movements])
        self.locals: list[str] = []

    # ------------------------------------------------------------------------------------------- the whole

    def program_text(self) -> str:
        p = self.p
        parts = [self.head()]
        for group in (
            [self.domain(d) for d in p.domains],
            [self.field(f) for f in p.fields],
            [self.column(c) for c in p.columns],
            [self.table(t) for t in p.tables],
            [self.symbol(s) for s in p.symbols],
            [self.action(a) for a in p.actions],
            [self.ask_decl(a) for a in p.asks],
            [self.movement(m) for m in p.movements],
        ):
            if group:
                parts.append(group)
        parts += [self.function(f) for f in p.functions]
        parts += [self.machine(m) for m in p.machines]
        parts.append([self.site_decl(s) for s in p.sites])
        return "\n\n".join("\n".join(part) for part in parts if part) + "\n"

    def head(self) -> list[str]:
        p = self.p
        lines = [f"program {p.name}"]
        if p.machines:
            lines.append(f"{INDENT}main {self.machines[p.main]}")
        if p.domains:
            lines.append(f"{INDENT}seats {self.domains[p.seats]}, sides {self.domains[p.sides]}")
        if p.view is not None:
            lines.append(f"{INDENT}view {self.functions[p.view]}")
        if p.journal:
            lines.append(f"{INDENT}journal {p.journal}")
        if p.spaces:
            lines.append(f"{INDENT}spaces {', '.join(self.domains[s] for s in p.spaces)}")
        lines += [f"{INDENT}entry {name} = {number}" for name, number in p.entry_points]
        return lines

    # ---------------------------------------------------------------------------------------- declarations

    def domain(self, d: ir.Domain) -> str:
        text = f"domain {self.domains[d.id]}: {d.sort}"
        if d.alive is not None:
            text += f", alive {self.fields[d.alive]}"
        if d.interchangeable:
            text += ", interchangeable"
        if not d.zero_based:
            text += ", not from 0"
        if self.data is not None:
            found = self.data.domains[d.id]
            text += f" = {found.base}..{found.base + found.count - 1}"
            names = " ".join(found.names[:SHOWN_NAMES])
            more = len(found.names) - SHOWN_NAMES
            text += f"  # {names}{f' and {more} more' if more > 0 else ''}" if names else ""
        return text

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

    def field(self, f: ir.Field) -> str:
        text = f"field {self.fields[f.id]}{self.dims(f.dims)}: {self.type(f.type)}"
        if (f.lo, f.hi) != (-0x7FFF_FFFF, 0x7FFF_FFFF):
            text += f" {f.lo}..{f.hi}"
        if f.optional:
            text += " optional"
        if f.first is not None:
            return f"{text} = first of {self.domains[f.first]}"
        return text + (f" = {_number(f.default)}" if isinstance(f.type, ir.IntType) else "")

    def column(self, c: ir.Column) -> str:
        text = f"column {self.columns[c.id]}{self.dims(c.dims)}: {self.type(c.type)}"
        return text if self.data is None else f"{text}  # {len(self.data.columns[c.id])} cells"

    def table(self, t: ir.Table) -> str:
        text = f"table {self.tables[t.id]}: {t.axes} {'axis' if t.axes == 1 else 'axes'}"
        return text if self.data is None else f"{text}  # {len(self.data.tables[t.id])} cells"

    def symbol(self, s: ir.Symbol) -> str:
        text = f"symbol {self.symbols[s.id]}"
        return text if self.data is None else f"{text} = {_number(self.data.symbols[s.id])}"

    def action(self, a: ir.ActionDecl) -> str:
        return f"action {a.name} {a.text!r}{self.at(a.site)}{self.remark(a.site)}"

    def ask_decl(self, a: ir.AskDecl) -> str:
        marks = [word for word in ("on_view", "quiet", "menu") if getattr(a, word)]
        text = f"ask {self.asks[a.id]} {a.label!r}: {self.show(a.show)}"
        return f"{text}{''.join(f', {mark}' for mark in marks)}{self.at(a.site)}{self.remark(a.site)}"

    def movement(self, m: ir.Movement) -> str:
        text = f"movement {self.movements[m.id]}({m.params}) in {self.domains[m.space]}:"
        for word in ("start", "allowance", "cost", "stop", "ends"):
            function = getattr(m, word)
            if function is not None:
                text += f" {word} {self.functions[function]},"
        text = text.rstrip(",")
        text += ", may stay" if m.may_stay else ""
        text += ", minimum one step" if m.minimum else ""
        return f"{text}{self.at(m.site)}{self.remark(m.site)}"

    def site_decl(self, s: ir.Site) -> str:
        text = f"site @{s.id}: {s.kind} {s.text!r} at {s.file}:{s.line}:{s.column}"
        text += f" in {s.owner}" if s.owner else ""
        text += f" shows {', '.join(self.show(show) for show in s.shows)}" if s.shows else ""
        return text + (f" cites {', '.join(s.cites)}" if s.cites else "")

    def at(self, site: int) -> str:
        return f" @{site}"

    def remark(self, site: int) -> str:
        """Where the site is in the source and what it cites, as a comment."""
        if not 0 <= site < len(self.p.sites):
            return ""
        s = self.p.sites[site]
        cites = f" [{', '.join(s.cites)}]" if s.cites else ""
        return f"  # {s.file}:{s.line}{cites}"

    def params(self, decls: Sequence[ir.LocalDecl], count: int) -> str:
        return ", ".join(f"{self.locals[i]}: {self.type(decls[i].type)}" for i in range(count))

    def own_locals(self, decls: Sequence[ir.LocalDecl], count: int) -> list[str]:
        return [f"{INDENT}var {self.locals[i]}: {self.type(decls[i].type)}" for i in range(count, len(decls))]

    def function(self, f: ir.Function) -> list[str]:
        self.locals = _unique([local.name for local in f.locals])
        pure = "" if f.pure else "impure "
        result = "" if f.result is None else f" -> {self.type(f.result)}"
        head = f"{pure}function {self.functions[f.id]}({self.params(f.locals, f.params)}){result}:"
        lines = [f"{head}{self.at(f.site)}{self.remark(f.site)}"]
        return lines + self.own_locals(f.locals, f.params) + self.body(f.body, 1)

    def machine(self, m: ir.Machine) -> list[str]:
        self.locals = _unique([local.name for local in m.locals])
        result = " -> int" if m.result else ""
        head = f"machine {self.machines[m.id]}({self.params(m.locals, m.params)}){result}:"
        lines = [f"{head}{self.at(m.site)}{self.remark(m.site)}"]
        lines += self.own_locals(m.locals, m.params)
        for number, block in enumerate(m.blocks):
            lines.append(f"{INDENT}block {number}:")
            lines += self.statements(block.body, 2)
            lines += [INDENT * 2 + line for line in _TERMINATORS[type(block.end)](self, block.end)]
        return lines

    # ------------------------------------------------------------------------------------------ statements

    def body(self, nodes: Sequence[ir.Stmt], depth: int) -> list[str]:
        return self.statements(nodes, depth) or [f"{INDENT * depth}nothing"]

    def statements(self, nodes: Sequence[ir.Stmt], depth: int) -> list[str]:
        lines: list[str] = []
        for node in nodes:
            text = _STATEMENTS[type(node)](self, node)
            site = getattr(node, "site", None)
            nested = _BODIES.get(type(node), ())
            first = f"{INDENT * depth}{text}"
            if site is not None:
                first += f"{self.at(site)}{self.remark(site)}"
            lines.append(first)
            for word, attribute in nested:
                inner = getattr(node, attribute)
                if word and not inner:
                    continue
                if word:
                    lines.append(f"{INDENT * depth}{word}:")
                lines += self.body(inner, depth + 1)
        return lines

    def assign(self, node: ir.Assign | ir.AssignSet | ir.AssignList) -> str:
        return f"{self.locals[node.local]} = {self.any(node.value)}"

    def list_append(self, node: ir.ListAppend) -> str:
        return f"append {self.expr(node.value)} to {self.locals[node.local]}"

    def list_clear(self, node: ir.ListClear) -> str:
        return f"clear {self.locals[node.local]}"

    def set_change(self, node: ir.SetChange) -> str:
        return f"{self.change(node.add, node.value)} {self.locals[node.local]}"

    def change(self, add: bool, value: ir.Expr) -> str:
        return f"put {self.expr(value)} into" if add else f"take {self.expr(value)} out of"

    def element(self, name: str, index: Sequence[ir.Expr]) -> str:
        return f"{name}[{', '.join(self.expr(i) for i in index)}]" if index else name

    def state(self, node: Any) -> str:
        return self.element(f"${self.fields[node.field]}", node.index)

    def store(self, node: ir.Store) -> str:
        sign = "+=" if node.op == "add" else "="
        return f"{self.state(node)} {sign} {self.expr(node.value)}{' clamped' if node.clamp else ''}"

    def store_whole(self, node: ir.StoreSet | ir.StoreList) -> str:
        return f"{self.state(node)} = {self.any(node.value)}"

    def store_set_change(self, node: ir.StoreSetChange) -> str:
        return f"{self.change(node.add, node.value)} {self.state(node)}"

    def store_head(self, node: ir.StoreHead) -> str:
        return f"{_HEAD.get(node.cell, f'head {node.cell}')} = {self.expr(node.value)}"

    def reset(self, node: ir.Reset) -> str:
        return f"reset ${self.fields[node.field]}"

    def copy_field(self, node: ir.CopyField) -> str:
        return f"copy ${self.fields[node.source]} to ${self.fields[node.target]}"

    def if_stmt(self, node: ir.IfStmt) -> str:
        return f"if {self.expr(node.condition)}:"

    def while_(self, node: ir.While) -> str:
        return f"while {self.expr(node.condition)}:"

    def for_(self, node: ir.For) -> str:
        text = f"for {self.locals[node.var]} in {self.over(node.over)}"
        text += f" of {self.domains[node.domain]}" if node.domain is not None else ""
        text += f" where {self.expr(node.where)}" if node.where is not None else ""
        if node.key is not None:
            text += f" by {'highest' if node.highest else 'lowest'} {self.expr(node.key)}"
        return f"{text}:"

    def for_line(self, node: ir.ForLine) -> str:
        names = ", ".join(self.locals[i] for i in (node.kind_var, node.first_var, node.second_var))
        what = "hexsides of line" if node.crossings else "line"
        return f"for {names} on {what} from {self.expr(node.a)} to {self.expr(node.b)}:"

    def break_(self, node: ir.Break) -> str:
        return "break"

    def continue_(self, node: ir.Continue) -> str:
        return "continue"

    def enqueue(self, node: ir.Enqueue) -> str:
        return f"queue {self.expr(node.value)} in ${self.fields[node.field]}"

    def return_(self, node: ir.Return) -> str:
        return "return" if node.value is None else f"return {self.any(node.value)}"

    def do(self, node: ir.Do) -> str:
        call = f"do {self.call(node)}"
        return call if node.local is None else f"{self.locals[node.local]} = {call}"

    def roll(self, node: ir.Roll) -> str:
        text = f"roll {self.expr(node.count)} dice {self.expr(node.lo)}..{self.expr(node.hi)}"
        text += f" total {self.locals[node.total]}" if node.total is not None else ""
        return text + (f" pool {self.locals[node.pool]}" if node.pool is not None else "")

    def create(self, node: ir.Create) -> str:
        return f"{self.locals[node.local]} = create {self.domains[node.domain]}"

    def destroy(self, node: ir.Destroy) -> str:
        return f"destroy {self.domains[node.domain]} {self.expr(node.value)}"

    def yield_(self, node: ir.Yield) -> str:
        return f"yield {self.expr(node.value)}"

    def note(self, node: ir.Note) -> str:
        text = f"note {node.level} ({', '.join(self.expr(arg) for arg in node.args)})"
        return text if node.seen is None else f"{text} seen by {self.expr(node.seen)}"

    def fail(self, node: ir.Fail) -> str:
        return f"fail {_FAIL.get(node.kind, node.kind)}"

    def branch_begin(self, node: ir.BranchBegin) -> str:
        return "branches begin"

    def branch_next(self, node: ir.BranchNext) -> str:
        return "branch ends"

    def branch_end(self, node: ir.BranchEnd) -> str:
        return "branches merge"

    # ----------------------------------------------------------------------------------------- terminators

    def jump(self, node: ir.Jump) -> list[str]:
        return [f"-> {node.block}"]

    def branch(self, node: ir.Branch) -> list[str]:
        return [f"if {self.expr(node.condition)} -> {node.then} else -> {node.otherwise}"]

    def call_machine(self, node: ir.CallMachine) -> list[str]:
        call = f"call {self.machines[node.machine]}({self.args(node.args)})"
        call = call if node.local is None else f"{self.locals[node.local]} = {call}"
        return [f"{call} -> {node.block}"]

    def ask(self, node: ir.Ask) -> list[str]:
        first = f"{self.locals[node.local]} = ask {self.expr(node.chooser)} {self.asks[node.ask]}"
        first += f" from {self.functions[node.candidates]}({self.args(node.args)}) -> {node.block}"
        lines = [f"{first}{self.at(node.site)}{self.remark(node.site)}"]
        if node.extra is not None:
            extra = {NONE: "none", values.DONE: "done"}.get(node.extra, str(node.extra))
            when = "" if node.extra_when is None else f" when {self.expr(node.extra_when)}"
            lines.append(f"{INDENT}or {extra}{when}")
        if node.empty is not None:
            lines.append(f"{INDENT}empty -> {node.empty}")
        if node.lone:
            lines.append(f"{INDENT}lone")
        if node.distinct is not None:
            lines.append(f"{INDENT}distinct {self.domains[node.distinct]}")
        if node.seen is not None:
            lines.append(f"{INDENT}seen by {self.expr(node.seen)}")
        return lines

    def return_machine(self, node: ir.ReturnMachine) -> list[str]:
        return ["return" if node.value is None else f"return {self.expr(node.value)}"]

    def end_game(self, node: ir.EndGame) -> list[str]:
        return [f"end of game, outcome {self.expr(node.outcome)}"]

    # ----------------------------------------------------------------------------------------- expressions

    def expr(self, node: Any) -> str:
        return _EXPRESSIONS[type(node)](self, node)

    #: sets and lists are told apart by their nodes, so any expression is printed the same way
    any = expr

    def args(self, args: Sequence[Any]) -> str:
        return ", ".join(self.any(arg) for arg in args)

    def const(self, node: ir.Const) -> str:
        return _number(node.value)

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
        return _HEAD.get(node.cell, f"head {node.cell}")

    def data_cell(self, node: ir.Data | ir.SetData) -> str:
        return f"{self.element(f'%{self.columns[node.column]}', node.index)}@{node.site}"

    def table_get(self, node: ir.TableGet) -> str:
        return f"table {self.tables[node.table]}[{self.args(node.index)}]@{node.site}"

    def unary(self, node: ir.Unary) -> str:
        return f"{node.op}({self.expr(node.value)})"

    def binary(self, node: ir.Binary) -> str:
        left, right = self.expr(node.left), self.expr(node.right)
        site = f"@{node.site}" if node.op in _CAN_FAIL else ""
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


_EXPRESSIONS: dict[type, Callable[[_Printer, Any], str]] = {
    ir.Const: _Printer.const,
    ir.Sym: _Printer.sym,
    ir.DomainCount: _Printer.domain_count,
    ir.DomainBase: _Printer.domain_base,
    ir.Local: _Printer.local,
    ir.Load: _Printer.load,
    ir.Head: _Printer.head_cell,
    ir.Data: _Printer.data_cell,
    ir.TableGet: _Printer.table_get,
    ir.Unary: _Printer.unary,
    ir.Binary: _Printer.binary,
    ir.If: _Printer.if_,
    ir.Call: _Printer.call,
    ir.AtBest: _Printer.at_best,
    ir.Verb: _Printer.verb,
    ir.Aggregate: _Printer.aggregate,
    ir.In: _Printer.in_,
    ir.SetCount: _Printer.set_count,
    ir.SetNext: _Printer.set_next,
    ir.SetEqual: _Printer.set_equal,
    ir.Subset: _Printer.subset,
    ir.ListLength: _Printer.list_length,
    ir.ListItem: _Printer.list_item,
    ir.Coverable: _Printer.coverable,
    ir.ReachCost: _Printer.reach_cost,
    ir.SetLocal: _Printer.local,
    ir.SetLoad: _Printer.load,
    ir.SetData: _Printer.data_cell,
    ir.SetBuild: _Printer.set_build,
    ir.SetBinary: _Printer.set_binary,
    ir.SetOf: _Printer.set_of,
    ir.SetIf: _Printer.if_,
    ir.SetCall: _Printer.call,
    ir.ReachSet: _Printer.reach_set,
    ir.ListLocal: _Printer.local,
    ir.ListLoad: _Printer.load,
}

_OVERS: dict[type, Callable[[_Printer, Any], str]] = {
    ir.OverDomain: _Printer.over_domain,
    ir.OverRange: _Printer.over_range,
    ir.OverSet: _Printer.over_set,
    ir.OverItems: _Printer.over_items,
    ir.OverList: _Printer.over_list,
    ir.OverVerb: _Printer.over_verb,
}

_STATEMENTS: dict[type, Callable[[_Printer, Any], str]] = {
    ir.Assign: _Printer.assign,
    ir.AssignSet: _Printer.assign,
    ir.AssignList: _Printer.assign,
    ir.ListAppend: _Printer.list_append,
    ir.ListClear: _Printer.list_clear,
    ir.SetChange: _Printer.set_change,
    ir.Store: _Printer.store,
    ir.StoreSet: _Printer.store_whole,
    ir.StoreSetChange: _Printer.store_set_change,
    ir.StoreList: _Printer.store_whole,
    ir.StoreHead: _Printer.store_head,
    ir.Reset: _Printer.reset,
    ir.CopyField: _Printer.copy_field,
    ir.IfStmt: _Printer.if_stmt,
    ir.While: _Printer.while_,
    ir.For: _Printer.for_,
    ir.ForLine: _Printer.for_line,
    ir.Break: _Printer.break_,
    ir.Continue: _Printer.continue_,
    ir.Enqueue: _Printer.enqueue,
    ir.Return: _Printer.return_,
    ir.Do: _Printer.do,
    ir.Roll: _Printer.roll,
    ir.Create: _Printer.create,
    ir.Destroy: _Printer.destroy,
    ir.Yield: _Printer.yield_,
    ir.Note: _Printer.note,
    ir.Fail: _Printer.fail,
    ir.BranchBegin: _Printer.branch_begin,
    ir.BranchNext: _Printer.branch_next,
    ir.BranchEnd: _Printer.branch_end,
}

#: Statements that contain statements: the word before each body ("" for the first) and where it is.
_BODIES: dict[type, tuple[tuple[str, str], ...]] = {
    ir.IfStmt: (("", "then"), ("else", "otherwise")),
    ir.While: (("", "body"),),
    ir.For: (("", "body"),),
    ir.ForLine: (("", "body"),),
}

_TERMINATORS: dict[type, Callable[[_Printer, Any], list[str]]] = {
    ir.Jump: _Printer.jump,
    ir.Branch: _Printer.branch,
    ir.CallMachine: _Printer.call_machine,
    ir.Ask: _Printer.ask,
    ir.ReturnMachine: _Printer.return_machine,
    ir.EndGame: _Printer.end_game,
}
