"""Declarations, functions, machines and the whole program as text."""

from __future__ import annotations

from collections.abc import Sequence

from grognard.contract import ir
from grognard.contract.ir.print.statements import StatementPrinter
from grognard.contract.ir.print.values import INDENT, number, unique

#: Names of a domain that are shown before the rest is only counted.
SHOWN_NAMES = 8


class ProgramPrinter(StatementPrinter):
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
            created = "".join(f" + {self.domains[number]}" for number in p.created_in_branches)
            lines.append(f"{INDENT}journal {p.journal}{created}")
        if p.spaces:
            lines.append(f"{INDENT}spaces {', '.join(self.domains[s] for s in p.spaces)}")
        lines += [f"{INDENT}entry {name} = {machine}" for name, machine in p.entry_points]
        return lines

    # ---------------------------------------------------------------------------------------- declarations

    def domain(self, d: ir.Domain) -> str:
        text = f"domain {self.domains[d.id]}: {d.sort}"
        if d.alive is not None:
            text += f", alive {self.fields[d.alive]}"
        if d.interchangeable:
            text += ", interchangeable"
        if d.remembered:
            text += f", remembered {' '.join(self.fields[number] for number in d.remembered)}"
        if not d.zero_based:
            text += ", not from 0"
        if self.data is not None:
            found = self.data.domains[d.id]
            text += f" = {found.base}..{found.base + found.count - 1}"
            names = " ".join(found.names[:SHOWN_NAMES])
            more = len(found.names) - SHOWN_NAMES
            text += f"  # {names}{f' and {more} more' if more > 0 else ''}" if names else ""
        return text

    def field(self, f: ir.Field) -> str:
        text = f"field {self.fields[f.id]}{self.dims(f.dims)}: {self.type(f.type)}"
        if (f.lo, f.hi) != (-0x7FFF_FFFF, 0x7FFF_FFFF):
            text += f" {f.lo}..{f.hi}"
        if f.optional:
            text += " optional"
        if f.first is not None:
            return f"{text} = first of {self.domains[f.first]}"
        return text + (f" = {number(f.default)}" if isinstance(f.type, ir.IntType) else "")

    def column(self, c: ir.Column) -> str:
        text = f"column {self.columns[c.id]}{self.dims(c.dims)}: {self.type(c.type)}"
        return text if self.data is None else f"{text}  # {len(self.data.columns[c.id])} cells"

    def table(self, t: ir.Table) -> str:
        text = f"table {self.tables[t.id]}: {t.axes} {'axis' if t.axes == 1 else 'axes'}"
        return text if self.data is None else f"{text}  # {len(self.data.tables[t.id])} cells"

    def symbol(self, s: ir.Symbol) -> str:
        text = f"symbol {self.symbols[s.id]}"
        return text if self.data is None else f"{text} = {number(self.data.symbols[s.id])}"

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

    def params(self, decls: Sequence[ir.LocalDecl], count: int) -> str:
        return ", ".join(f"{self.locals[i]}: {self.type(decls[i].type)}" for i in range(count))

    def own_locals(self, decls: Sequence[ir.LocalDecl], count: int) -> list[str]:
        return [f"{INDENT}var {self.locals[i]}: {self.type(decls[i].type)}" for i in range(count, len(decls))]

    def function(self, f: ir.Function) -> list[str]:
        self.locals = unique([local.name for local in f.locals])
        pure = "" if f.pure else "impure "
        result = "" if f.result is None else f" -> {self.type(f.result)}"
        head = f"{pure}function {self.functions[f.id]}({self.params(f.locals, f.params)}){result}:"
        lines = [f"{head}{self.at(f.site)}{self.remark(f.site)}"]
        return lines + self.own_locals(f.locals, f.params) + self.body(f.body, 1)

    def machine(self, m: ir.Machine) -> list[str]:
        self.locals = unique([local.name for local in m.locals])
        result = " -> int" if m.result else ""
        head = f"machine {self.machines[m.id]}({self.params(m.locals, m.params)}){result}:"
        lines = [f"{head}{self.at(m.site)}{self.remark(m.site)}"]
        lines += self.own_locals(m.locals, m.params)
        for place, block in enumerate(m.blocks):
            lines.append(f"{INDENT}block {place}:")
            lines += self.statements(block.body, 2)
            lines += [INDENT * 2 + line for line in self.terminator(block.end)]
        return lines
