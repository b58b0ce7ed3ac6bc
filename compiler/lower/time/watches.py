"""What happens after a write, wherever it stands: `on x changes`, and conditions that must hold `ever since` a mark.

Both are put into the finished program behind every write of the fields they depend on; rules pay for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.layers.merge import walk
from grognard.compiler.sema.declare.types import resolve_type
from grognard.compiler.sema.scope import (
    Binding,
    Code,
    Scope,
    Value,
)
from grognard.compiler.sema.types import (
    FLAG,
    UNKNOWN,
    Dom,
    FieldInfo,
    dom_type,
)
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import H_BRANCH, NONE
from grognard.contract.ir.walk import nodes
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs
    from grognard.compiler.lower.lowerer import Lowerer


@dataclass(slots=True)
class Ever:
    """A condition and the flags that tell for which values it has held since its mark."""

    flags: int  # field, with an axis for each value that the condition depends on
    condition: int  # function(values...)
    axes: tuple[Dom, ...]
    mark: str
    of: int | None  # the axis that the mark belongs to
    check: int  # function(): takes the flags off where the condition fails
    span: Span


@dataclass(slots=True)
class Watches:
    """Functions to call after writes."""

    #: field -> handlers(index..., value before)
    changes: dict[int, list[int]] = field(default_factory=dict)
    #: field -> functions(), whatever was written
    checks: dict[int, list[int]] = field(default_factory=dict)


# --------------------------------------------------------------------------------------------------- on x changes


def lower_changes(lowerer: Lowerer) -> None:
    """The handlers of changes as functions, by the field they watch."""
    for place, (rank, decl) in enumerate(sorted(lowerer.world.change_handlers, key=lambda h: h[0])):
        info = _watched_field(lowerer, decl)
        if info is None or info.field is None:
            continue
        params = [("was", info.type)]
        if decl.owner is not None:
            params.insert(0, (decl.owner.name, resolve_type(lowerer.world, decl.owner.type)))
        body = decl.body
        if decl.condition is not None:
            body = (syn.IfStmt(((decl.condition, decl.body),), (), decl.cites, decl.span),)
        if lowerer.asks_anywhere(body):
            lowerer.sink.error(
                "GR0704",
                decl.span,
                "nobody can be asked when a field changes",
                hint="emit an event where the field is written",
            )
            continue
        _check_ends(lowerer, decl, info)
        name = f"on {decl.name} changes {place + 1}"
        procedure = syn.ProcedureDecl(name, (), None, body, decl.cites, decl.span)
        cites = lowerer.world.cite(decl.cites)
        entry = Callable_(name, "procedure", params, None, procedure, decl.span, cites, rank)
        lowerer.world.callables[name] = entry
        lowerer.watches.changes.setdefault(info.field, []).append(lowerer.function_for(entry, None))


def _check_ends(lowerer: Lowerer, decl: syn.OnChangeDecl, info: FieldInfo) -> None:
    """A handler that changes its own field whatever happens calls itself without end."""
    own: syn.Expr = syn.Name(decl.name, decl.span)
    if decl.owner is not None:
        own = syn.Dot(syn.Name(decl.owner.name, decl.span), decl.name, decl.span, decl.span)
    for statement in decl.body if decl.condition is None and not info.clamped else ():
        if not isinstance(statement, syn.AssignStmt) or statement.target != own:
            continue
        steps = isinstance(statement.value, syn.Number) and statement.value.value != 0
        turns = statement.value == syn.UnaryExpr("not", own, decl.span)
        if (statement.op != "set" and steps) or (statement.op == "set" and turns):
            lowerer.sink.error(
                "GR0702",
                statement.span,
                f"this never ends: each change of `{decl.name}` changes it again",
                hint=f"say when it shall happen: on ... changes when {decl.name} ...",
            )


def _watched_field(lowerer: Lowerer, decl: syn.OnChangeDecl) -> FieldInfo | None:
    world = lowerer.world
    known = world.globals
    what = "the game"
    if decl.owner is not None:
        type_ = resolve_type(world, decl.owner.type)
        if type_.sort != "dom" or type_.dom is None:
            if type_.sort != "unknown":
                lowerer.sink.error("GR0208", decl.owner.span, f"{type_} has no fields to watch")
            return None
        known, what = type_.dom.fields, type_.dom.name
    info = known.get(decl.name)
    if info is None and decl.owner is not None and type_.dom is not None and type_.dom.kind is not None:
        info = type_.dom.kind.fields.get(decl.name)
    if info is None:
        lowerer.sink.error(
            "GR0203", decl.span, f"{what} has no field `{decl.name}`", hint=hint_for(decl.name, list(known))
        )
        return None
    if info.field is None or info.axes or info.type.sort == "list":
        why = "never changes" if info.field is None else "has axes" if info.axes else "is a list"
        lowerer.sink.error("GR0208", decl.span, f"`{decl.name}` {why}: it cannot be watched")
        return None
    return info


# ------------------------------------------------------------------------------------------------------ ever since


def lower_ever_since(exprs: Exprs, expr: syn.EverSince, scope: Scope) -> Value:
    """`held(t) ever since turn_end of p`: a flag that is kept while the game goes on."""
    lowerer, world = exprs.lowerer, exprs.world
    if expr.mark not in world.marks:
        exprs.sink.error(
            "GR0201",
            expr.span,
            f"there is no mark `{expr.mark}`",
            hint=hint_for(expr.mark, list(world.marks)),
        )
        return Value(UNKNOWN, ir.Const(0))
    read = dict.fromkeys(node.id for node in walk(expr.condition) if isinstance(node, syn.Name))
    if expr.of is not None:
        read.setdefault(expr.of)
    given = [(name, bound) for name in read if (bound := scope.find(name)) is not None]
    for name, bound in given:
        if bound.value.type.sort != "dom" or bound.value.type.optional:
            exprs.sink.error(
                "GR0301",
                expr.span,
                f"`{name}` is {bound.value.type.words}: what has held can only depend on members, places and counters",
            )
            return Value(UNKNOWN, ir.Const(0))
    if expr.of is not None and scope.find(expr.of) is None:
        exprs.sink.error("GR0201", expr.span, f"there is no `{expr.of}` here")
        return Value(UNKNOWN, ir.Const(0))
    axes = tuple(bound.value.type.dom for _, bound in given if bound.value.type.dom is not None)
    names = [name for name, _ in given]
    key = (expr, tuple(names), tuple(axis.id for axis in axes))
    ever = lowerer.evers.get(key)
    if ever is None:
        ever = lowerer.evers[key] = _new_ever(exprs, expr, names, axes)
    site = lowerer.site("read", "ever since", expr.span)
    return Value(FLAG, ir.Load(ever.flags, tuple(bound.value.expr for _, bound in given), site))


def _new_ever(exprs: Exprs, expr: syn.EverSince, names: list[str], axes: tuple[Dom, ...]) -> Ever:
    lowerer, world = exprs.lowerer, exprs.world
    code = Code(f"condition since {expr.mark}", exprs.code.owner, pure=True, machine=False)
    code.result = FLAG
    scope = Scope()
    for name, axis in zip(names, axes, strict=True):
        scope.names[name] = Binding(code.variable(name, dom_type(axis)), False, expr.span)
    code.emit(ir.Return(type(exprs)(lowerer, code).condition(expr.condition, scope)))
    site = lowerer.site("enter", code.name, expr.span, owner=code.owner)
    condition = lowerer.new_function(code, len(axes), FLAG, site)
    flags = world.new_field(f"(since {expr.mark} {len(lowerer.evers) + 1})", axes, FLAG)
    if code.reads_secret:
        exprs.code.reads_secret = True
        world.veiled.add(flags)
    of = names.index(expr.of) if expr.of is not None else None
    return Ever(flags, condition, axes, expr.mark, of, world.reserve_function(), expr.span)


def finish_evers(lowerer: Lowerer) -> None:
    """The functions that keep the flags, and the fields behind whose writes they run."""
    lowerer.watches.checks.clear()
    for ever in list(lowerer.evers.values()):
        _write_check(lowerer, ever)
        for read in sorted(_reads(lowerer, ever.condition)):
            lowerer.watches.checks.setdefault(read, []).append(ever.check)


def _write_check(lowerer: Lowerer, ever: Ever) -> None:
    site = lowerer.nowhere
    code = Code("still holds", "", pure=False, machine=False)
    index = tuple(code.variable("item", dom_type(axis)).expr for axis in ever.axes)
    # The branches of a simultaneous block are no states of the game.
    inside = ir.Binary("ne", ir.Head(H_BRANCH), ir.Const(NONE), site)
    code.emit(ir.IfStmt(inside, (ir.Return(None),)))
    held = ir.Load(ever.flags, index, site)
    fails = ir.Binary("and", held, ir.Unary("not", ir.Call(ever.condition, index)), site)
    off = ir.Store(ever.flags, index, ir.Const(0), "set", False, site)
    code.emit(_each(ever.axes, index, ir.IfStmt(fails, (off,)), site))
    lowerer.new_function(code, 0, None, site, ever.check)


def begin_evers(lowerer: Lowerer, mark: str, of: bool) -> ir.Function | None:
    """Function([of whom]): at a mark the flags are what the conditions are."""
    site = lowerer.nowhere
    wanted = [ever for ever in lowerer.evers.values() if ever.mark == mark and (ever.of is not None) == of]
    if not wanted:
        return None
    code = Code(f"since {mark}", "", pure=False, machine=False)
    whose = ir.Local(code.local("whose", FLAG)) if of else None
    for ever in wanted:
        index = tuple(code.variable("item", dom_type(axis)).expr for axis in ever.axes)
        body: ir.Stmt = ir.Store(ever.flags, index, ir.Call(ever.condition, index), "set", False, site)
        if whose is not None and ever.of is not None:
            body = ir.IfStmt(ir.Binary("eq", index[ever.of], whose, site), (body,))
        code.emit(_each(ever.axes, index, body, site))
    return ir.Function(0, code.name, int(of), tuple(code.locals), None, tuple(code.body), site, False)


def _each(axes: tuple[Dom, ...], index: tuple[Any, ...], body: ir.Stmt, site: int) -> ir.Stmt:
    for axis, item in reversed(list(zip(axes, index, strict=True))):
        body = ir.For(item.index, ir.OverDomain(axis.id), axis.id, None, None, False, (body,), site)
    return body


def _reads(lowerer: Lowerer, function: int) -> set[int]:
    """The fields that a function reads, by itself or by what it calls."""
    world = lowerer.world
    found: set[int] = set()
    pending, seen = [function], set()
    while pending:
        number = pending.pop()
        made = world.functions[number]
        if number in seen or made is None:
            continue
        seen.add(number)
        for node in nodes(made.body):
            match node:
                case ir.Load(field=read) | ir.SetLoad(field=read) | ir.ListLoad(field=read):
                    found.add(read)
                case ir.OverDomain(domain=domain):
                    alive = world.doms[domain].alive
                    if alive is not None:
                        found.add(alive)
                case ir.Call(function=callee) | ir.SetCall(function=callee):
                    pending.append(callee)
                case ir.ReachCost(movement=movement) | ir.ReachSet(movement=movement):
                    how = world.movements[movement]
                    pending += [
                        part
                        for part in (how.start, how.allowance, how.cost, how.stop, how.ends)
                        if part is not None
                    ]
    return found


# ---------------------------------------------------------------------------------------------------- the program


def watched(program: ir.Program, watches: Watches) -> ir.Program:
    """The program with what is to happen after writes put in."""
    if not watches.changes and not watches.checks:
        return program
    own = {function for found in watches.checks.values() for function in found}
    functions = [
        # Masking for a view is no change, and keeping flags not either.
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
        made = self.told(node) if self.watches.changes else (node,)
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

    def told(self, node: ir.Stmt) -> tuple[ir.Stmt, ...]:
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
        keep: ir.Stmt
        if isinstance(kind, ir.SetType):
            now_set = ir.SetLoad(number, index, site)
            keep, was = ir.AssignSet(old, now_set), ir.SetLocal(old)
            differs: ir.Expr = ir.Unary("not", ir.SetEqual(now_set, was))
            return (keep, write, ir.IfStmt(differs, self.calls(number, index, was)))
        now = ir.Load(number, index, site)
        keep = ir.Assign(old, now)
        differs = ir.Binary("ne", now, ir.Local(old), site)
        return (keep, write, ir.IfStmt(differs, self.calls(number, index, ir.Local(old))))

    def calls(self, number: int, index: tuple[ir.Expr, ...], was: ir.AnyExpr) -> tuple[ir.Stmt, ...]:
        return tuple(ir.Do(function, (*index, was), None) for function in self.watches.changes[number])

    def reset(self, number: int) -> tuple[ir.Stmt, ...]:
        """Element by element, so that each change is told."""
        entry = self.program.fields[number]
        items = [self.local("(item)", ir.IntType()) for _ in entry.dims]
        index = tuple(ir.Local(item) for item in items)
        write: ir.Stmt
        if isinstance(entry.type, ir.SetType):
            write = ir.StoreSet(number, index, ir.SetOf(entry.type.domain, ()), 0)
        else:
            write = ir.Store(number, index, default_of(entry), "set", False, 0)
        body = self.around(number, index, write, 0)
        for item, domain in reversed(list(zip(items, entry.dims, strict=True))):
            body = (ir.For(item, ir.OverDomain(domain), domain, None, None, False, body, 0),)
        return body

    def destroy(self, node: ir.Destroy) -> tuple[ir.Stmt, ...]:
        """A counter that leaves play leaves where it is, and whatever else is watched."""
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


def default_of(entry: ir.Field) -> ir.Expr:
    """What an element holds at first."""
    return ir.Const(entry.default) if entry.first is None else ir.DomainBase(entry.first)
