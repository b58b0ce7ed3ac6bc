"""Insert calls after writes: handlers `on x changes`, and checks of conditions `ever since` a mark.

before: `hits of u += 1`, with a handler `on hits of u changes`
after:  `was = hits of u`, `hits of u += 1`, `if hits of u != was: handler(u, was)`

Lowering collects the functions by field (lower/time/watches.py).  A program without them is returned unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grognard.compiler.lower.time.watches import Watches
from grognard.contract import ir


def insert_watches(program: ir.Program, watches: Watches) -> ir.Program:
    """The program with the calls inserted."""
    if not watches.changes and not watches.checks:
        return program
    own = {function for found in watches.checks.values() for function in found}
    functions = [
        # Masking for a view is no change of the game, and neither is an update of the flags.
        f if f.id == program.view or f.id in own else _Rewriter(program, watches, f.locals).function(f)
        for f in program.functions
    ]
    machines = [_Rewriter(program, watches, m.locals).machine(m) for m in program.machines]
    return replace(program, functions=tuple(functions), machines=tuple(machines))


class _Rewriter:
    """Rewrites the statements of one function or machine."""

    def __init__(self, program: ir.Program, watches: Watches, locals_: Iterable[ir.LocalDecl]) -> None:
        self.program, self.watches = program, watches
        self.locals = list(locals_)

    def function(self, function: ir.Function) -> ir.Function:
        body = self.body(function.body)
        return replace(function, body=body, locals=tuple(self.locals))

    def machine(self, machine: ir.Machine) -> ir.Machine:
        blocks = tuple(replace(block, body=self.body(block.body)) for block in machine.blocks)
        return replace(machine, blocks=blocks, locals=tuple(self.locals))

    def local(self, name: str, type_: ir.LocalType) -> int:
        self.locals.append(ir.LocalDecl(name, type_))
        return len(self.locals) - 1

    def body(self, body: tuple[ir.Stmt, ...]) -> tuple[ir.Stmt, ...]:
        return tuple(part for statement in body for part in self.statement(statement))

    def statement(self, node: ir.Stmt) -> tuple[ir.Stmt, ...]:
        match node:
            case ir.IfStmt():
                return (replace(node, then=self.body(node.then), otherwise=self.body(node.otherwise)),)
            case ir.While() | ir.For() | ir.ForLine():
                return (replace(node, body=self.body(node.body)),)
            case ir.BranchEnd():
                return (node, *self.checks(self.watches.checks))
        written = self.written(node)
        made = self.with_handlers(node) if self.watches.changes else (node,)
        return (*made, *self.checks(written)) if written else made

    def checks(self, fields: Iterable[int]) -> tuple[ir.Stmt, ...]:
        wanted = dict.fromkeys(f for number in fields for f in self.watches.checks.get(number, ()))
        return tuple(ir.Do(function, (), None) for function in wanted)

    def written(self, node: ir.Stmt) -> list[int]:
        """The fields that a statement writes by itself."""
        match node:
            case ir.Store() | ir.StoreSet() | ir.StoreSetChange() | ir.StoreList() | ir.Reset():
                return [node.field]
            case ir.CopyField():
                return [node.target]
            case ir.Destroy():
                alive = self.program.domains[node.domain].alive
                return [] if alive is None else [alive]
            case ir.Create():
                return [f.id for f in self.program.fields if node.domain in f.dims]
        return []

    # ---- handlers of changes

    def with_handlers(self, node: ir.Stmt) -> tuple[ir.Stmt, ...]:
        match node:
            case ir.Store() | ir.StoreSet() | ir.StoreSetChange() if node.field in self.watches.changes:
                places = [self.local("(index)", ir.IntType()) for _ in node.index]
                fixed = tuple(ir.Assign(p, i) for p, i in zip(places, node.index, strict=True))
                index = tuple(ir.Local(place) for place in places)
                return (*fixed, *self.around(node.field, index, replace(node, index=index), node.site))
            case ir.Reset() if node.field in self.watches.changes:
                return (*self.reset(node.field), node)
            case ir.Destroy():
                return self.destroy(node)
        return (node,)

    def around(
        self, number: int, index: tuple[ir.Expr, ...], write: ir.Stmt, site: int
    ) -> tuple[ir.Stmt, ...]:
        """A write, and the handlers if it changed something."""
        kind = self.program.fields[number].type
        old = self.local("(was)", kind)
        save: ir.Stmt
        if isinstance(kind, ir.SetType):
            now_set = ir.SetLoad(number, index, site)
            save, was = ir.AssignSet(old, now_set), ir.SetLocal(old)
            differs: ir.Expr = ir.Unary("not", ir.SetEqual(now_set, was))
            return (save, write, ir.IfStmt(differs, self.calls(number, index, was)))
        now = ir.Load(number, index, site)
        save = ir.Assign(old, now)
        differs = ir.Binary("ne", now, ir.Local(old), site)
        return (save, write, ir.IfStmt(differs, self.calls(number, index, ir.Local(old))))

    def calls(self, number: int, index: tuple[ir.Expr, ...], was: ir.AnyExpr) -> tuple[ir.Stmt, ...]:
        return tuple(ir.Do(function, (*index, was), None) for function in self.watches.changes[number])

    def reset(self, number: int) -> tuple[ir.Stmt, ...]:
        """Reset element by element, so that each change calls its handlers."""
        entry = self.program.fields[number]
        items = [self.local("(item)", ir.IntType()) for _ in entry.dims]
        index = tuple(ir.Local(item) for item in items)
        write: ir.Stmt
        if isinstance(entry.type, ir.SetType):
            write = ir.StoreSet(number, index, ir.SetOf(entry.type.domain, ()), 0)
        else:
            write = ir.Store(number, index, _default_of(entry), "set", False, 0)
        body = self.around(number, index, write, 0)
        for item, domain in reversed(list(zip(items, entry.dims, strict=True))):
            body = (ir.For(item, ir.OverDomain(domain), domain, None, None, False, body, 0),)
        return body

    def destroy(self, node: ir.Destroy) -> tuple[ir.Stmt, ...]:
        """A counter that leaves play changes each of its watched fields."""
        fields = [f for f in self.watches.changes if self.program.fields[f].dims == (node.domain,)]
        alive = self.program.domains[node.domain].alive
        if not fields or alive is None:
            return (node,)
        gone = self.local("(gone)", ir.IntType())
        lived = self.local("(lived)", ir.IntType())
        who = ir.Local(gone)
        calls: list[ir.Stmt] = []
        for number in fields:
            kind = self.program.fields[number].type
            was: ir.AnyExpr = (
                ir.SetLoad(number, (who,), node.site)
                if isinstance(kind, ir.SetType)
                else ir.Load(number, (who,), node.site)
            )
            calls += self.calls(number, (who,), was)
        return (
            ir.Assign(gone, node.value),
            ir.Assign(lived, ir.Load(alive, (who,), node.site)),
            replace(node, value=who),
            ir.IfStmt(ir.Local(lived), tuple(calls)),
        )


def _default_of(entry: ir.Field) -> ir.Expr:
    """The start value of an element."""
    return ir.Const(entry.default) if entry.first is None else ir.DomainBase(entry.first)
