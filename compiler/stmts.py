"""Statements, lowered to the IR: straight code for what cannot ask, blocks of a machine for what can."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grognard.compiler import chance, ir
from grognard.compiler import syntax as syn
from grognard.compiler.declare import resolve_type
from grognard.compiler.diagnostics import Label
from grognard.compiler.exprs import Exprs
from grognard.compiler.forms import choose_form, form_of
from grognard.compiler.irwalk import nodes
from grognard.compiler.layers import walk
from grognard.compiler.machinecode import MachineCode, captured
from grognard.compiler.messages import drain_events, lower_emit, lower_schedule, run_scheduled
from grognard.compiler.prompts import names_in
from grognard.compiler.rolls import POOL_SIZE, lower_roll
from grognard.compiler.routes import choose_route
from grognard.compiler.scope import Binding, Code, Scope, Value, assign_local, flatten, path_of
from grognard.compiler.scratch import choose_into, lower_scratch
from grognard.compiler.shapes import Shape
from grognard.compiler.source import Span
from grognard.compiler.subsets import lower_choose_some
from grognard.compiler.suggest import hint_for
from grognard.compiler.types import (
    FLAG,
    INT,
    UNKNOWN,
    FieldInfo,
    Type,
    dom_type,
    int_range,
    set_type,
)
from grognard.compiler.unparse import unparse
from grognard.describe import without_names
from grognard.values import DONE, FAIL_EMPTY, FAIL_RANGE, FAIL_REQUIRE, H_PLY, NONE

if TYPE_CHECKING:
    from grognard.compiler.lower import Lowerer

#: Above this, an instant that writes wait for is the end of the phase or step that many levels deep.
STEP_POINTS = 1000
#: Actions of one menu, with those of the menus in it.
MAX_OFFERED = 500


@dataclass(slots=True)
class Loop:
    """A loop being lowered: where `stop` and `next` lead (None: the loop is structured), and what they do first."""

    stop: int | None = None
    next: int | None = None
    first: tuple[ir.Stmt, ...] = ()
    only_stop: bool = False  # `next` does not do that


@dataclass(slots=True)
class Together:
    """Several seats that decide together, and the one that does where they disagree."""

    seats: Value
    otherwise: Value


class Stmts(Exprs):
    """Lowers statements into the code being built."""

    def __init__(self, lowerer: Lowerer, code: Code) -> None:
        super().__init__(lowerer, code)
        self.loops: list[Loop] = []
        #: conditions that are known to hold because an enclosing `if any(...)` tested them
        self.guards: list[syn.Expr] = []
        #: conditions that `require` and the filters of choices have made sure of
        self.demanded: list[syn.Expr] = []
        #: locals that hold what a table gave: name -> table
        self.looked_up: dict[str, str] = {}
        self.in_example = False
        #: local that a loop `until settled` watches: set when a write changes something
        self.changed: int | None = None
        self.branching = 0

    @property
    def m(self) -> MachineCode:
        assert isinstance(self.code, MachineCode)
        return self.code

    # ------------------------------------------------------------------------------------------------- blocks

    def block(self, body: tuple[syn.Stmt, ...], scope: Scope) -> bool:
        """Lower a block; True if it always leaves (returns, stops, ends the game)."""
        for number, statement in enumerate(body):
            leaves = self.statement(statement, scope)
            if leaves:
                if number + 1 < len(body):
                    self.sink.warning("GR0706", body[number + 1].span, "this can never be reached")
                return True
        return False

    def covers(self, body: tuple[syn.Stmt, ...], scope: Scope) -> bool:
        """Whether the last lines of a body ask about every member of one value; if one is missing, that is told."""
        result = self.code.result
        cases: list[syn.CaseStmt] = []
        for statement in reversed(body):
            if not isinstance(statement, syn.CaseStmt) or statement.condition is None:
                break
            cases.insert(0, statement)
        if result is None or result.sort in ("set", "list", "record") or len(cases) < 2:
            return False
        found = self.unhandled([c.condition for c in cases if c.condition is not None], scope)
        if found is None:
            return False
        dom, missing = found
        if missing:
            self.sink.error(
                "GR0407",
                cases[-1].span,
                f"nothing is said for {_listed(missing)} of {dom}",
                hint="add a line for it, or `= ... otherwise`",
            )
        if self.code.machine:
            self.m.end(ir.ReturnMachine(ir.Const(0)))
        else:
            self.code.emit(ir.Return(ir.Const(0)))
        return True

    def unhandled(self, conditions: list[syn.Expr], scope: Scope) -> tuple[str, list[str]] | None:
        """Of conditions that all ask for members of one value: its type, and the members not asked for."""
        subject: syn.Expr | None = None
        asked: set[str] = set()
        for condition in conditions:
            match condition:
                case syn.BinaryExpr(op="is", left=left, right=right):
                    members: tuple[syn.Expr, ...] = (right,)
                case syn.BinaryExpr(op="in", left=left, right=syn.SetLiteral(items=items)):
                    members = items
                case _:
                    return None
            if subject is not None and left != subject:
                return None
            subject = left
            for member in members:
                match member:
                    case syn.Name(id=name) | syn.Dot(name=name):
                        asked.add(name)
                    case syn.NoneLit():
                        asked.add("none")
                    case _:
                        return None
        type_ = self.type_of(subject, scope) if subject is not None else None
        if isinstance(subject, syn.CallExpr) and isinstance(subject.callee, syn.Name):
            entry = self.world.callables.get(subject.callee.id)
            type_ = entry.result if entry is not None else None
        if (
            type_ is None
            or type_.dom is None
            or type_.sort != "dom"
            or type_.dom.sort not in ("enum", "side")
        ):
            return None
        known = [*type_.dom.members, *(["none"] if type_.optional else [])]
        if not asked <= set(known):
            return None  # a variable, or a misspelt member that was told already
        return type_.dom.name, [name for name in known if name not in asked]

    def _table_of(self, expr: syn.Expr) -> str | None:
        match expr:
            case syn.CallExpr(callee=syn.Name(id=name)):
                entry = self.world.callables.get(name)
                return name if entry is not None and entry.sort == "table" else None
            case syn.Name(id=name):
                return self.looked_up.get(name)
        return None

    def _check_results(self, statement: syn.IfStmt, scope: Scope) -> None:
        """An if/elif about what a table gave, without `else`: a result that it passes over is told."""
        first = statement.arms[0][0]
        if statement.otherwise or len(statement.arms) < 2 or not isinstance(first, syn.BinaryExpr):
            return
        table = self._table_of(first.left)
        found = self.unhandled([condition for condition, _ in statement.arms], scope)
        if table is not None and found is not None and found[1]:
            self.sink.warning(
                "GR0407",
                statement.arms[-1][0].span,
                f"table `{table}` can give {_listed(found[1])}, which nothing here deals with",
                hint='add an `elif`, or an `else`, if only with `log "no effect"`',
            )

    def structured(self, body: tuple[syn.Stmt, ...], scope: Scope) -> tuple[ir.Stmt, ...]:
        with captured(self.code) as made:
            self.block(body, scope)
        return tuple(made)

    def needs_blocks(self, statement: Any) -> bool:
        """Whether a statement of a machine must become blocks: it can ask, leave the machine or a block loop."""
        if not self.code.machine:
            return False
        for node in walk(statement):
            if isinstance(node, syn.ReturnStmt | syn.CaseStmt | syn.EndStmt):
                return True
            if (
                isinstance(node, syn.StopStmt | syn.NextStmt)
                and self.loops
                and self.loops[-1].stop is not None
            ):
                return True
            if self.lowerer.asks(node):
                return True
        return False

    def statement(self, statement: syn.Stmt, scope: Scope) -> bool:
        leaves = self._statement(statement, scope)
        if isinstance(statement, _CHANGES_ANYTHING):
            scope.forget_calls()
        return leaves

    def _statement(self, statement: syn.Stmt, scope: Scope) -> bool:
        if isinstance(statement, _BranchMark):
            self.code.emit(ir.BranchNext(statement.site))
            return False
        if statement.cites:
            self.world.cite(statement.cites)
        if (
            self.code.pure
            and not isinstance(
                statement,
                syn.Let
                | syn.CaseStmt
                | syn.IfStmt
                | syn.ReturnStmt
                | syn.ForStmt
                | syn.PassStmt
                | syn.StopStmt
                | syn.NextStmt,
            )
            and not (isinstance(statement, syn.AssignStmt) and self._is_local(statement.target, scope))
        ):
            self.sink.error(
                "GR0312",
                statement.span,
                "a rule may not change the state, roll or ask",
                hint="make it a procedure",
            )
            self.declare_unknown(statement, scope)
            return False
        match statement:
            case syn.Let():
                self._let(statement, scope)
            case syn.ScratchStmt():
                lower_scratch(self, statement, scope)
            case syn.AssignStmt():
                self._assign(statement, scope)
            case syn.CaseStmt():
                return self._case(statement, scope)
            case syn.IfStmt():
                return self._if(statement, scope)
            case syn.ForStmt():
                self._for(statement, scope)
            case syn.WhileStmt():
                self._while(statement, scope)
            case syn.CountStmt():
                return self._count(statement, scope)
            case syn.TimesStmt():
                self._times(statement, scope)
            case syn.UntilStmt():
                self._until(statement, scope)
            case syn.PhaseStmt():
                self._phase(statement, scope)
            case syn.SimultaneousStmt():
                self._simultaneous(statement, scope)
            case syn.SecretStmt():
                self._secret(statement, scope)
            case syn.AlternateStmt():
                self._alternate(statement, scope)
            case syn.RepeatsStmt():
                self._repeats(statement, scope)
            case syn.OfferStmt():
                self._offer(statement, scope)
            case syn.RollStmt():
                lower_roll(self, statement, scope)
            case syn.RerollStmt():
                self.sink.error(
                    "GR0713",
                    statement.span,
                    "only a handler of `rolled` can have dice thrown again",
                    hint="on rolled EVENT(..., die): reroll",
                )
            case syn.ChooseStmt():
                self.choose(statement, scope)
            case syn.ChooseSomeStmt():
                lower_choose_some(self, statement, scope)
            case syn.ChooseRouteStmt():
                choose_route(self, statement, scope)
            case syn.AssignMatchStmt():
                self._match(statement, scope)
            case syn.DoStmt():
                self._do(statement, scope)
            case syn.EmitStmt():
                lower_emit(self, statement, scope)
            case syn.ScheduleStmt():
                lower_schedule(self, statement, scope)
            case syn.RequireStmt():
                self._require(statement, scope)
            case syn.ReturnStmt():
                return self._return(statement, scope)
            case syn.StopStmt():
                return self._leave_pass(statement, "stop")
            case syn.NextStmt():
                return self._leave_pass(statement, "next")
            case syn.PassStmt():
                if not self.code.pure:
                    self.code.emit(
                        ir.Store(self.world.passed_field, (), ir.Const(1), "set", False, self.lowerer.nowhere)
                    )
            case syn.DestroyStmt():
                self._destroy(statement, scope)
            case syn.CreateStmt():
                self._create(statement, scope)
            case syn.DrawStmt():
                self._draw(statement, scope)
            case syn.PutStmt():
                self._put(statement, scope)
            case syn.RevealStmt():
                self._reveal(statement, scope)
            case syn.ShowStmt():
                self._show(statement, scope)
            case syn.MarkStmt():
                self._mark(statement, scope)
            case syn.LogStmt():
                self._log(statement, scope)
            case syn.EndStmt():
                return self._end(statement, scope)
            case _:
                if not self.in_example:
                    self.sink.error("GR0208", statement.span, "this belongs to an example of play")
                    return False
                self.lowerer.example_statement(self, statement, scope)
        return False

    # ----------------------------------------------------------------------------------------------- variables

    def declare_unknown(self, statement: syn.Stmt, scope: Scope) -> None:
        """After an error: make the names of a statement known, so that their use is not told as well."""
        names: list[str] = []
        match statement:
            case syn.RollStmt(target=syn.Name(id=name)) | syn.ChooseStmt(name=name) | syn.DrawStmt(name=name):
                names.append(name)
            case syn.ChooseSomeStmt(into=name) | syn.ChooseRouteStmt(name=name):
                names.append(name)
            case (
                syn.DoStmt(into=str(name))
                | syn.CreateStmt(into=str(name))
                | syn.AssignMatchStmt(into=str(name))
            ):
                names.append(name)
        for name in names:
            if scope.find(name) is None:
                self.declare_local(scope, name, UNKNOWN, False, statement.span)

    def bind(self, scope: Scope, name: str, value: Value, mutable: bool, span: Span) -> None:
        earlier = scope.names.get(name)
        if earlier is not None:
            self.sink.error(
                "GR0206",
                span,
                f"`{name}` has a meaning here already",
                labels=(Label(earlier.span, "from here"),) if earlier.span else (),
            )
        scope.names[name] = Binding(value, mutable, span)

    def declare_local(self, scope: Scope, name: str, type_: Type, mutable: bool, span: Span) -> Value:
        value = self.code.variable(name, type_)
        self.bind(scope, name, value, mutable, span)
        return value

    def _let(self, statement: syn.Let, scope: Scope) -> None:
        want = resolve_type(self.world, statement.type) if statement.type else None
        made = self.value(statement.value, scope, want)
        if want is not None:
            self.demand(made, want, statement.value.span)
        type_ = want or made.type
        if type_.sort == "none":
            self.sink.error(
                "GR0301",
                statement.span,
                f"say of what type `{statement.name}` is",
                hint=f"var {statement.name}: Unit? = none",
            )
            type_ = UNKNOWN
        if statement.mutable and want is None and type_.sort == "int":
            type_ = Type("int", optional=type_.optional)
        target = self.declare_local(scope, statement.name, type_, statement.mutable, statement.span)
        table = self._table_of(statement.value)
        if table is not None:
            self.looked_up[statement.name] = table
        if made.type.sort != "unknown" and type_.sort != "unknown":
            assign_local(self.code, target, made)

    def _is_local(self, target: syn.Expr, scope: Scope) -> bool:
        return isinstance(target, syn.Name) and scope.find(target.id) is not None

    def lvalue(self, target: syn.Expr, scope: Scope) -> tuple[FieldInfo, tuple[Any, ...]] | Value | None:
        """What can be written: a field with its indexes, or a local."""
        world = self.world
        match target:
            case syn.Name(id=name):
                bound = scope.find(name)
                if bound is not None:
                    if not bound.mutable:
                        self.sink.error(
                            "GR0307",
                            target.span,
                            f"`{name}` does not change",
                            hint=f"declare it with `var {name} = ...`",
                        )
                        return None
                    return bound.value
                if name in world.globals:
                    return world.globals[name], ()
            case syn.Dot(object=inner, name=name):
                if (
                    isinstance(inner, syn.Name)
                    and inner.id in ("scenario", "game")
                    and scope.find(inner.id) is None
                    and name in world.globals
                ):
                    return world.globals[name], ()
                if isinstance(inner, syn.Name) and inner.id == "my" and scope.find("my") is None:
                    owner = self.me(inner.span)
                else:
                    owner = self._owner(inner, scope)
                if owner.record is not None and name in owner.record:
                    whole = self.lvalue(inner, scope) if owner.type.form is not None else owner
                    if isinstance(whole, tuple):
                        assert whole[0].parts is not None
                        return whole[0].parts[name], whole[1]
                    return None if whole is None else owner.record[name]
                return self._field_target(owner, target, ())
            case syn.CallExpr(callee=syn.Name(id=name), args=args):
                scratch = scope.find_scratch(name)
                if scratch is not None and scratch.info is not None:
                    found = scratch.info
                    if len(args) != len(found.axes):
                        self.sink.error(
                            "GR0302", target.span, f"`{name}` has {len(found.axes)} axes, {len(args)} given"
                        )
                        return None
                    return found, tuple(self.axis_index(a, found, n, scope) for n, a in enumerate(args))
                if name in world.relations:
                    info = world.relations[name]
                    index = tuple(
                        self.checked(a, scope, dom_type(d)).expr
                        for a, d in zip(args, info.axes, strict=False)
                    )
                    return info, index
                if name in world.globals:
                    info = world.globals[name]
                    return info, tuple(self.axis_index(a, info, n, scope) for n, a in enumerate(args))
            case syn.CallExpr(callee=syn.Dot() as dot, args=args):
                if isinstance(dot.object, syn.Name) and dot.object.id == "my" and scope.find("my") is None:
                    owner = self.me(dot.object.span)
                else:
                    owner = self._owner(dot.object, scope)
                return self._field_target(owner, dot, tuple(args), scope)
        if isinstance(target, syn.Name):
            self._unknown_name(target, scope, None)
        elif (
            isinstance(target, syn.CallExpr)
            and isinstance(target.callee, syn.Name)
            and (entry := world.callables.get(target.callee.id))
        ):
            self.sink.error(
                "GR0307", target.span, f"`{entry.name}` is a {entry.sort}: its value cannot be changed"
            )
        elif not self._is_broken(target, scope):
            self.sink.error("GR0307", target.span, "this cannot be written to")
        return None

    def _is_broken(self, target: syn.Expr, scope: Scope) -> bool:
        """Whether it names something whose declaration has a mistake, which has been told."""
        if not isinstance(target, syn.CallExpr) or not isinstance(target.callee, syn.Name):
            return False
        bound = scope.find(target.callee.id)
        return target.callee.id in self.world.broken or (
            bound is not None and bound.value.type.sort == "unknown"
        )

    def _field_target(
        self, owner: Value, dot: syn.Dot, axes: tuple[syn.Expr, ...], scope: Scope | None = None
    ) -> tuple[FieldInfo, tuple[Any, ...]] | None:
        if owner.type.sort == "unknown":
            return None
        if owner.type.sort != "dom" or owner.type.dom is None:
            what = "a number" if owner.type.sort == "int" else str(owner.type)
            self.sink.error("GR0203", dot.name_span, f"{what} has no fields, so no `{dot.name}`")
            return None
        info, _through = self.find_field(owner.type.dom, dot.name)
        if info is None:
            self.no_field(owner.type.dom, dot)
            return None
        if info.column is not None:
            self.sink.error(
                "GR0307",
                dot.name_span,
                f"`{dot.name}` is printed on the counter or map: it never changes",
                hint="declare it as a field of the piece, or as `state`",
            )
            return None
        if owner.type.optional and owner.type.dom.sort != "edge":
            self.sink.error(
                "GR0305",
                dot.object.span,
                "this may be none, so its fields cannot be written",
                hint="test it first",
            )
            return None
        if len(axes) != len(info.axes):
            self.sink.error("GR0302", dot.span, f"`{dot.name}` has {len(info.axes)} axes, {len(axes)} given")
            return None
        assert scope is not None or not axes
        indexes = (
            [self.axis_index(axis, info, n, scope) for n, axis in enumerate(axes)]
            if scope is not None
            else []
        )
        return info, (owner.expr, *indexes)

    def _for_each_part(self, owner: syn.Expr, statement: syn.Stmt, scope: Scope) -> bool:
        """Carry out a statement about a counter of several types for the one that it is of; False if it is of one."""
        path, type_ = path_of(owner), self.type_of(owner, scope)
        if path is None or type_ is None or type_.dom is None or not type_.dom.parts or type_.optional:
            return False
        value = self.value(owner, scope)
        tail: tuple[ir.Stmt, ...] = ()
        for part in reversed(type_.dom.parts):
            with captured(self.code) as made:
                self.statement(statement, scope.with_facts({path: dom_type(part)}).child())
            tail = (ir.IfStmt(self._belongs(value.expr, part), tuple(made), tail),)
        for item in tail:
            self.code.emit(item)
        return True

    def _assign(self, statement: syn.AssignStmt, scope: Scope) -> None:
        written = statement.target.callee if isinstance(statement.target, syn.CallExpr) else statement.target
        if isinstance(written, syn.Dot) and self._for_each_part(written.object, statement, scope):
            return
        target = self.lvalue(statement.target, scope)
        if target is None:
            self.value(statement.value, scope)
            return
        if isinstance(target, Value):
            self._assign_local(statement, target, scope)
        else:
            self.write(target[0], target[1], statement, scope)
        path = path_of(statement.target)
        if path is not None:
            scope.forget(path)
            made = (
                self.type_of(statement.value, scope) if not isinstance(statement.value, syn.NoneLit) else None
            )
            known = self.type_of(statement.target, scope)
            if statement.op == "set" and known is not None and known.optional:
                if (made is not None and not made.optional) or isinstance(
                    statement.value, syn.Number | syn.FlagLit
                ):
                    scope.facts[path] = known.required()

    def _assign_local(self, statement: syn.AssignStmt, target: Value, scope: Scope) -> None:
        if target.type.sort == "set" and statement.op != "set":
            assert target.type.dom
            made = self.value(statement.value, scope, target.type)
            number = target.expr.index
            if made.type.sort == "dom":
                self.code.emit(ir.SetChange(number, made.expr, statement.op == "add"))
            elif made.type.sort == "set":
                self.code.emit(
                    ir.AssignSet(
                        number,
                        ir.SetBinary("union" if statement.op == "add" else "minus", target.expr, made.expr),
                    )
                )
            elif made.type.sort != "unknown":
                self.sink.error(
                    "GR0313", statement.value.span, f"a set or a member is needed, this is {made.type}"
                )
            return
        if target.type.sort == "list" and statement.op == "add":
            made = self.checked(statement.value, scope, target.type.element or INT)
            self.code.emit(
                ir.ListAppend(target.expr.index, made.expr, self.lowerer.site("list", "", statement.span))
            )
            return
        made = self.checked(statement.value, scope, target.type if statement.op == "set" else INT)
        if statement.op != "set":
            self.demand(target, INT, statement.target.span)
            site = self.lowerer.site("arithmetic", "", statement.span, owner=self.code.owner)
            made = Value(
                target.type,
                ir.Binary("add" if statement.op == "add" else "sub", target.expr, made.expr, site),
            )
        if made.type.sort != "unknown":
            assign_local(self.code, target, made)

    def _write_form(
        self, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope
    ) -> None:
        if statement.op != "set" or statement.point is not None:
            self.sink.error("GR0301", statement.span, f"{info.type} can only be written whole, and at once")
            return
        made = self.checked(statement.value, scope, info.type)
        if made.record is not None:
            # The old form may be read in the new one.
            site = self.lowerer.site("write", info.name, statement.span, statement.cites.ids)
            self._store_form(info, index, self._freeze(Value(info.type, None, made.record)), site)

    def _store_form(self, info: FieldInfo, index: tuple[Any, ...], value: Value, site: int) -> None:
        assert info.parts is not None and value.record is not None
        for key, part in info.parts.items():
            assert part.field is not None
            found = value.record[key].expr
            if part.type.sort == "set":
                self.code.emit(ir.StoreSet(part.field, index, found, site))
            elif part.type.sort == "list":
                self.code.emit(ir.StoreList(part.field, index, found, site))
            else:
                self.code.emit(ir.Store(part.field, index, found, "set", False, site))
            if part.known is not None:
                self.code.emit(ir.Store(part.known, index, ir.Const(0), "set", False, site))

    def write(self, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope) -> None:
        if info.parts is not None:
            self._write_form(info, index, statement, scope)
            return
        assert info.field is not None
        site = self.lowerer.site(
            "write",
            f"{self.world.fields[info.field].name} {{0}}",
            statement.span,
            statement.cites.ids,
            (info.type.show,),
            self.code.owner,
        )
        if info.type.sort == "set":
            self._write_set(info, index, statement, scope, site)
            return
        if info.type.sort == "list":
            self._write_list(info, index, statement, scope, site)
            return
        if statement.point is not None:
            self._defer(info, index, statement, scope, site)
            return
        if statement.op == "set":
            made = self.checked(statement.value, scope, info.type)
            value, op = made.expr, "set"
        else:
            if info.type.sort == "unknown":
                return
            if info.type.sort != "int":
                self.sink.error(
                    "GR0301",
                    statement.target.span,
                    f"only numbers and sets are added to, this is {info.type}",
                )
                return
            made = self.checked(statement.value, scope, INT)
            value, op = (made.expr if statement.op == "add" else ir.Unary("neg", made.expr)), "add"
        if made.type.sort == "unknown":
            return
        if info.steps is not None and op == "set" and not self.in_example:
            value = self._check_step(info, index, made, statement)
        if self.changed is not None:
            old = ir.Load(info.field, index, site)
            differs = ir.Binary("ne", value, old if op == "set" else ir.Const(0), site)
            self.code.emit(ir.IfStmt(differs, (ir.Assign(self.changed, ir.Const(1)),)))
        self.code.emit(ir.Store(info.field, index, value, op, info.clamped, site))  # type: ignore[arg-type]
        if info.follows == "mutual" and len(index) == 2:
            self.code.emit(ir.Store(info.field, (index[1], index[0]), value, op, info.clamped, site))  # type: ignore[arg-type]
        if info.known is not None:
            self.code.emit(ir.Store(info.known, index, ir.Const(0), "set", False, site))

    def _check_step(
        self, info: FieldInfo, index: tuple[Any, ...], made: Value, statement: syn.AssignStmt
    ) -> Any:
        """A field with a life cycle takes only the steps that its `states` name; gives the new state."""
        assert info.steps is not None and info.made is not None and info.type.dom and info.field is not None
        now = made.expr.value if isinstance(made.expr, ir.Const) else None
        info.made.add(now)
        steps = {(a, b) for a, b in info.steps if now is None or b == now}
        name = info.type.dom.members[now] if now is not None else ""
        if now is not None and not steps:
            self.sink.error(
                "GR0715",
                statement.value.span,
                f"no step of `states` leads to `{name}`",
                hint=f"name the step: ... -> {name}",
            )
            return made.expr
        owner = info.owner.name if info.owner is not None else ""
        site = self.lowerer.site(
            "fail",
            f"{owner}.{info.name} cannot become {name or 'that'} from what it is: its states name no such step",
            statement.span,
            statement.cites.ids,
            owner=self.code.owner,
        )
        nowhere = self.lowerer.nowhere
        old = ir.Load(info.field, index, site)
        new = self.freeze_argument(made)
        good: Any = ir.Binary("eq", old, new.expr, nowhere)
        for a, b in sorted(steps):
            one: Any = ir.Binary("eq", old, ir.Const(a), nowhere)
            if now is None:
                one = ir.Binary("and", one, ir.Binary("eq", new.expr, ir.Const(b), nowhere), nowhere)
            good = ir.Binary("or", good, one, nowhere)
        self.code.emit(ir.IfStmt(ir.Unary("not", good), (ir.Fail(FAIL_RANGE, site),)))
        return new.expr

    def _defer(
        self, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope, site: int
    ) -> None:
        """A write that waits for the start or end of a phase; a later one before then takes its place."""
        assert statement.point is not None
        made = self.checked(statement.value, scope, info.type)
        if len(index) > 1:
            self.sink.error("GR0208", statement.span, "a field with axes cannot be written later")
            return
        innermost = self.lowerer.is_step_end(statement.point)
        if not innermost and not self.lowerer.phase_known(statement.point[1]):
            self.sink.error(
                "GR0201",
                statement.span,
                f"there is no phase `{statement.point[1]}`",
                hint=hint_for(statement.point[1], self.lowerer.phase_names()),
            )
            return
        if made.type.sort == "unknown":
            return
        value, due = self.lowerer.pending(info)
        if innermost:
            # Where no phase runs there is no end to wait for.
            depth = self.lowerer.depth_load()
            number: Any = ir.Binary("add", depth, ir.Const(STEP_POINTS), site)
            later = (
                ir.Store(value, index, made.expr, "set", False, site),
                ir.Store(due, index, number, "set", False, site),
            )
            now = ir.Store(info.field or 0, index, made.expr, "set", info.clamped, site)
            self.code.emit(ir.IfStmt(depth, later, (now,)))
            return
        self.code.emit(ir.Store(value, index, made.expr, "set", False, site))
        self.code.emit(
            ir.Store(due, index, ir.Const(self.lowerer.point_id(statement.point)), "set", False, site)
        )

    def _write_list(
        self, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope, site: int
    ) -> None:
        assert info.field is not None
        if statement.op == "sub":
            self.sink.error(
                "GR0313", statement.span, "nothing is taken out of a list", hint="a set can lose members"
            )
            return
        if statement.op == "add":
            item = self.checked(statement.value, scope, info.type.element or INT)
            if item.type.sort == "unknown":
                return
            longer = self._freeze(Value(info.type, ir.ListLoad(info.field, index, site)))
            self.code.emit(ir.ListAppend(longer.expr.index, item.expr, site))
            self.code.emit(ir.StoreList(info.field, index, longer.expr, site))
        else:
            made = self.checked(statement.value, scope, info.type)
            if made.type.sort == "unknown":
                return
            self.code.emit(ir.StoreList(info.field, index, made.expr, site))
        if info.known is not None:
            self.code.emit(ir.Store(info.known, index, ir.Const(0), "set", False, site))

    def _write_set(
        self, info: FieldInfo, index: tuple[Any, ...], statement: syn.AssignStmt, scope: Scope, site: int
    ) -> None:
        assert info.field is not None and info.type.dom
        made = self.value(statement.value, scope, info.type)
        if statement.op == "set":
            self.demand(made, info.type, statement.value.span)
            if made.type.sort == "set":
                self.code.emit(ir.StoreSet(info.field, index, made.expr, site))
        elif made.type.sort == "dom":
            self.code.emit(ir.StoreSetChange(info.field, index, made.expr, statement.op == "add", site))
        elif made.type.sort == "set":
            op: Any = "union" if statement.op == "add" else "minus"
            self.code.emit(
                ir.StoreSet(
                    info.field, index, ir.SetBinary(op, ir.SetLoad(info.field, index, site), made.expr), site
                )
            )
        elif made.type.sort != "unknown":
            self.sink.error(
                "GR0313", statement.value.span, f"a set or a member is needed, this is {made.type}"
            )

    # ------------------------------------------------------------------------------------------------- control

    def _case(self, statement: syn.CaseStmt, scope: Scope) -> bool:
        """`= value when condition`."""
        result = self.code.result
        if result is None:
            self.sink.error(
                "GR0208",
                statement.span,
                "there is no result to give here",
                hint="a procedure with a result is declared with `-> type`",
            )
            return False
        inner = scope
        condition: Any = None
        if statement.condition is not None:
            condition = self.condition(statement.condition, scope)
            inner = scope.with_facts(self.facts(statement.condition, scope, True))
        made = self.checked(statement.value, inner, result, "the result")
        note = self.lowerer.case_note(self.code, statement, made)
        if self.code.machine:
            self._case_in_machine(condition, made, note)
        else:
            body: tuple[ir.Stmt, ...] = (*note, *self.lowerer.checked_return(self.code, made, statement.span))
            if condition is None:
                for item in body:
                    self.code.emit(item)
            else:
                self.code.emit(ir.IfStmt(condition, body))
        if statement.condition is not None:
            scope.facts.update(self.facts(statement.condition, scope, False))
            return False
        return True

    def _case_in_machine(self, condition: Any, made: Value, note: tuple[ir.Stmt, ...]) -> None:
        m = self.m
        after = m.new_block()
        if condition is not None:
            then = m.new_block()
            m.end(ir.Branch(condition, then, after))
            m.switch(then)
        for item in note:
            m.emit(item)
        if made.type.sort == "set":
            # The result of a machine is one number; a set waits in a field of its own until it is fetched.
            field = self.lowerer.returned(made.type)
            m.emit(ir.StoreSet(field, (), made.expr, self.lowerer.nowhere))
            m.end(ir.ReturnMachine(None))
        else:
            m.end(ir.ReturnMachine(made.expr))
        m.switch(after)

    def _if(self, statement: syn.IfStmt, scope: Scope) -> bool:
        self._check_results(statement, scope)
        if self.needs_blocks(statement):
            return self._if_blocks(statement, scope)
        leaves_all = bool(statement.otherwise)
        inner = scope
        made: list[tuple[Any, tuple[ir.Stmt, ...]]] = []
        negated: dict[str, Type] = {}
        for condition, body in statement.arms:
            test = self.condition(condition, inner)
            arm = inner.with_facts(self.facts(condition, inner, True)).child()
            self.guards.append(condition)
            with captured(self.code) as statements:
                leaves = self.block(body, arm)
            self.guards.pop()
            made.append((test, tuple(statements)))
            after = self.facts(condition, inner, False)
            if leaves:
                negated.update(after)
            leaves_all = leaves_all and leaves
            inner = inner.with_facts(after)
        with captured(self.code) as rest:
            leaves = self.block(statement.otherwise, inner.child())
        leaves_all = leaves_all and leaves
        tail: tuple[ir.Stmt, ...] = tuple(rest)
        for test, body_made in reversed(made):
            tail = (ir.IfStmt(test, body_made, tail),)
        for item in tail:
            self.code.emit(item)
        if not statement.otherwise and len(statement.arms) == 1:
            scope.facts.update(negated)
        return leaves_all

    def _if_blocks(self, statement: syn.IfStmt, scope: Scope) -> bool:
        m = self.m
        done = m.new_block()
        inner = scope
        leaves_all = bool(statement.otherwise)
        negated: dict[str, Type] = {}
        for condition, body in statement.arms:
            test = self.condition(condition, inner)
            then, otherwise = m.new_block(), m.new_block()
            m.end(ir.Branch(test, then, otherwise))
            m.switch(then)
            self.guards.append(condition)
            leaves = self.block(body, inner.with_facts(self.facts(condition, inner, True)).child())
            self.guards.pop()
            m.jump(done)
            m.switch(otherwise)
            after = self.facts(condition, inner, False)
            if leaves:
                negated.update(after)
            leaves_all = leaves_all and leaves
            inner = inner.with_facts(after)
        leaves = self.block(statement.otherwise, inner.child())
        leaves_all = leaves_all and leaves
        m.go_to(done)
        if not statement.otherwise and len(statement.arms) == 1:
            scope.facts.update(negated)
        return leaves_all

    # --------------------------------------------------------------------------------------------------- loops

    def _for_settled(self, statement: syn.ForStmt, scope: Scope) -> None:
        """Passes over the set until one of them changes nothing that the body writes directly."""
        if self.needs_blocks(statement):
            self.sink.error("GR0704", statement.span, "nobody can be asked in a loop until settled")
            return
        changed = self.code.local("(changed)", FLAG)
        site = self.lowerer.site("loop", "until settled", statement.span, owner=self.code.owner)
        self.code.emit(ir.Assign(changed, ir.Const(1)))
        before, self.changed = self.changed, changed
        with captured(self.code) as body:
            self.code.emit(ir.Assign(changed, ir.Const(0)))
            self._for(replace(statement, settled=False), scope)
        self.changed = before
        self.code.emit(ir.While(ir.Local(changed), tuple(body), site))

    def _for(self, statement: syn.ForStmt, scope: Scope) -> None:
        if statement.settled:
            self._for_settled(statement, scope)
            return
        if statement.chosen_by is not None:
            self._for_chosen(statement, scope)
            return
        if self.needs_blocks(statement):
            self._for_blocks(statement, scope)
            return
        over, element = self.source(statement.source, scope)
        if over is None:
            return
        inner = scope.child()
        var = self.code.local(statement.var, element)
        self.bind(inner, statement.var, Value(element, ir.Local(var)), False, statement.span)
        where = self.condition(statement.where, inner) if statement.where is not None else None
        if statement.where is not None:
            inner = inner.with_facts(self.facts(statement.where, inner, True))
        key = self._key(statement.key, inner) if statement.key is not None else None
        self.loops.append(Loop(first=_closing(statement.body)))
        body = self.structured(statement.body, inner.child())
        self.loops.pop()
        domain = (
            element.dom.id
            if element.dom is not None and not isinstance(over, ir.OverItems | ir.OverList)
            else None
        )
        site = self.lowerer.site("loop", "for", statement.span, owner=self.code.owner)
        self.code.emit(ir.For(var, over, domain, where, key, statement.rank == "highest", body, site))

    def _key(self, expr: syn.Expr, scope: Scope) -> Any:
        key = self.value(expr, scope)
        if key.type.sort not in ("int", "flag", "dom", "unknown"):
            self.sink.error("GR0301", expr.span, f"{key.type} has no order")
        return key.expr

    def _snapshot(self, statement: syn.ForStmt, scope: Scope) -> tuple[Value, Value, Scope] | None:
        """The loop's set, fixed at entry, in a local; the loop variable; the scope of the body."""
        over, element = self.source(statement.source, scope)
        if over is None:
            return None
        inner = scope.child()
        var = self.code.variable(statement.var, element)
        self.bind(inner, statement.var, var, False, statement.span)
        where = self.condition(statement.where, inner) if statement.where is not None else None
        body_scope = (
            inner.with_facts(self.facts(statement.where, inner, True))
            if statement.where is not None
            else inner
        )
        assert isinstance(var.expr, ir.Local)
        if element.dom is not None and not isinstance(over, ir.OverItems | ir.OverList):
            group = self.code.variable(f"({statement.var} left)", set_type(element.dom))
            self.code.emit(
                ir.AssignSet(group.expr.index, ir.SetBuild(element.dom.id, var.expr.index, over, where, None))
            )
        else:
            group = self.code.variable(
                f"({statement.var} left)", Type("list", element=element, capacity=self._list_room(over))
            )
            self.code.emit(ir.ListClear(group.expr.index))
            site = self.lowerer.site("loop", "for", statement.span)
            append = ir.ListAppend(group.expr.index, var.expr, site)
            self.code.emit(ir.For(var.expr.index, over, None, where, None, False, (append,), site))
        return group, var, body_scope

    def _list_room(self, over: Any) -> int:
        if isinstance(over, ir.OverItems):
            return max(1, len(over.items))
        return POOL_SIZE

    def _for_blocks(self, statement: syn.ForStmt, scope: Scope) -> None:
        made = self._snapshot(statement, scope)
        if made is None:
            return
        group, var, inner = made
        m = self.m
        head, body, done = m.new_block(), m.new_block(), m.new_block()
        site = self.lowerer.nowhere
        if group.type.sort == "list":
            place = m.variable(f"({statement.var} place)", int_range(0, POOL_SIZE))
            m.emit(ir.Assign(place.expr.index, ir.Const(0)))
            m.go_to(head)
            m.end(ir.Branch(ir.Binary("lt", place.expr, ir.ListLength(group.expr), site), body, done))
            m.switch(body)
            m.emit(ir.Assign(place.expr.index, ir.Binary("add", place.expr, ir.Const(1), site)))
            m.emit(ir.Assign(var.expr.index, ir.ListItem(group.expr, place.expr, site)))
        elif statement.key is not None:
            m.go_to(head)
            key = self._key(statement.key, inner)
            pick: Any = "best_high" if statement.rank == "highest" else "best_low"
            m.emit(
                ir.Assign(
                    var.expr.index,
                    ir.Aggregate(pick, var.expr.index, ir.OverSet(group.expr), None, key, site),
                )
            )
            m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(NONE), site), done, body))
            m.switch(body)
            m.emit(ir.SetChange(group.expr.index, var.expr, False))
        else:
            m.emit(ir.Assign(var.expr.index, ir.Const(NONE)))
            m.go_to(head)
            m.emit(ir.Assign(var.expr.index, ir.SetNext(group.expr, var.expr)))
            m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(NONE), site), done, body))
            m.switch(body)
        self.loops.append(Loop(done, head, _closing(statement.body)))
        self.block(statement.body, inner.child())
        self.loops.pop()
        m.jump(head)
        m.switch(done)

    def _for_chosen(self, statement: syn.ForStmt, scope: Scope) -> None:
        made = self._snapshot(replace(statement, chosen_by=None), scope)
        if made is None:
            return
        group, var, inner = made
        if group.type.sort != "set":
            self.sink.error(
                "GR0313", statement.source.span, "`chosen by` needs a set of counters, places or members"
            )
            return
        m = self.m
        head, body, done = m.new_block(), m.new_block(), m.new_block()
        m.go_to(head)
        choice = syn.ChooseStmt(
            statement.var, (), None, statement.source, None, statement.chosen_by, statement.label or f"next {statement.var}", False, False, (), None,
            statement.cites, statement.span, statement.span,
        )  # fmt: skip
        self.ask_from_set(choice, group, var, scope, body, done)
        m.switch(body)
        m.emit(ir.SetChange(group.expr.index, var.expr, False))
        self.loops.append(Loop(done, head))
        self.block(statement.body, inner.child())
        self.loops.pop()
        m.jump(head)
        m.switch(done)

    def ask_from_set(
        self, choice: syn.ChooseStmt, group: Value, var: Value, scope: Scope, body: int, empty: int | None
    ) -> None:
        """Ask for a member of a set that lies in a local."""
        assert group.type.dom
        function = self.lowerer.set_candidates(group.type.dom)
        seat = self.decider(choice.by, scope, choice.span)
        self.end_with_ask(
            choice,
            function,
            (group.expr,),
            seat,
            var,
            body,
            empty,
            dom_type(group.type.dom),
            None,
            None,
            scope,
        )

    def _while(self, statement: syn.WhileStmt, scope: Scope) -> None:
        site = self.lowerer.site("loop", "while", statement.span, owner=self.code.owner)
        if not self.needs_blocks(statement):
            test = self.condition(statement.condition, scope)
            self.loops.append(Loop())
            self.guards.append(statement.condition)
            body = self.structured(
                statement.body, scope.with_facts(self.facts(statement.condition, scope, True)).child()
            )
            self.guards.pop()
            self.loops.pop()
            self.code.emit(ir.While(test, body, site))
            return
        m = self.m
        head, body_block, done = m.new_block(), m.new_block(), m.new_block()
        m.go_to(head)
        m.end(ir.Branch(self.condition(statement.condition, scope), body_block, done))
        m.switch(body_block)
        self.loops.append(Loop(done, head))
        self.guards.append(statement.condition)
        self.block(statement.body, scope.with_facts(self.facts(statement.condition, scope, True)).child())
        self.guards.pop()
        self.loops.pop()
        m.jump(head)
        m.switch(done)

    def _count(self, statement: syn.CountStmt, scope: Scope) -> bool:
        """`repeat round from 1 to n`: the counter is the game's field of that name, else a local."""
        if not self.code.machine:
            return self._count_plain(statement, scope)
        m = self.m
        info = self.world.globals.get(statement.var) if scope.find(statement.var) is None else None
        start = self.checked(statement.start, scope, INT)
        site = self.lowerer.site(
            "write", statement.var, statement.span, statement.cites.ids, ("int",), self.code.owner
        )
        inner = scope.child()
        if info is not None and info.field is not None:
            field = info.field
            m.emit(ir.Store(field, (), start.expr, "set", False, site))
            current: Any = ir.Load(field, (), site)
        else:
            local = self.declare_local(inner, statement.var, INT, False, statement.span)
            m.emit(ir.Assign(local.expr.index, start.expr))
            current = local.expr
        head, body, again, done = m.new_block(), m.new_block(), m.new_block(), m.new_block()
        if statement.end is not None:
            m.end(
                ir.Branch(
                    ir.Binary("le", current, self.checked(statement.end, inner, INT).expr, site), head, done
                )
            )
        else:
            m.jump(head)
        m.switch(head)
        self._resets(self.world.reset_per.get(statement.var, ()))
        note = self.lowerer.site(
            "phase", f"{statement.var} {{0}}", statement.span, statement.cites.ids, ("int",)
        )
        m.emit(ir.Note(1, note, (current,)))
        m.go_to(body)
        check = m.new_block()
        self.loops.append(Loop(done, check))
        self.block(statement.body, inner.child())
        self.loops.pop()
        m.go_to(check)
        if statement.end is not None:
            m.end(
                ir.Branch(
                    ir.Binary("lt", current, self.checked(statement.end, inner, INT).expr, site),
                    again,
                    done,
                )
            )
        else:
            m.jump(again)
        m.switch(again)
        if info is not None and info.field is not None:
            m.emit(ir.Store(info.field, (), ir.Const(1), "add", False, site))
        else:
            m.emit(ir.Assign(current.index, ir.Binary("add", current, ir.Const(1), site)))
        m.jump(head)
        m.switch(done)
        return False

    def _count_plain(self, statement: syn.CountStmt, scope: Scope) -> bool:
        if statement.end is None:
            return False  # told by lint.py
        loop = syn.ForStmt(
            statement.var,
            syn.RangeExpr(statement.start, statement.end, statement.span),
            None,
            None,
            "lowest",
            None,
            "",
            False,
            statement.body,
            statement.cites,
            statement.span,
        )
        self._for(loop, scope)
        return False

    def _times(self, statement: syn.TimesStmt, scope: Scope) -> None:
        count = self.checked(statement.count, scope, INT)
        site = self.lowerer.site("loop", "repeat", statement.span, owner=self.code.owner)
        if statement.until_done is None and not self.needs_blocks(statement):
            var = self.code.local("(times)", INT)
            self.loops.append(Loop())
            body = self.structured(statement.body, scope.child())
            self.loops.pop()
            self.code.emit(
                ir.For(var, ir.OverRange(ir.Const(1), count.expr), None, None, None, False, body, site)
            )
            return
        m = self.m
        left = m.variable("(times left)", INT)
        m.emit(ir.Assign(left.expr.index, count.expr))
        head, body_block, done = m.new_block(), m.new_block(), m.new_block()
        m.go_to(head)
        m.end(ir.Branch(ir.Binary("gt", left.expr, ir.Const(0), site), body_block, done))
        m.switch(body_block)
        m.emit(ir.Assign(left.expr.index, ir.Binary("sub", left.expr, ir.Const(1), site)))
        self.loops.append(Loop(done, head))
        if statement.until_done is not None:
            self._body_with_done(statement.body, scope, statement.until_done, None, done, statement.span)
        else:
            self.block(statement.body, scope.child())
        self.loops.pop()
        m.jump(head)
        m.switch(done)

    def _body_with_done(
        self, body: tuple[syn.Stmt, ...], scope: Scope, seat: syn.Expr, guard: Any, done: int, span: Span
    ) -> None:
        """A loop body whose first statement is a choice that may be answered `done`."""
        if not body or not isinstance(body[0], syn.ChooseStmt):
            self.sink.error("GR0704", span, "a loop that ends when somebody is done must begin with a choice")
            return
        inner = scope.child()
        first = body[0]
        if first.by is None:
            first = replace(first, by=seat)
        self.choose(first, inner, done=done, done_when=guard)
        self.block(body[1:], inner)

    def _until(self, statement: syn.UntilStmt, scope: Scope) -> None:
        site = self.lowerer.site("loop", "repeat", statement.span, owner=self.code.owner)
        if not self.code.machine:
            going = self.code.local("(again)", FLAG)
            self.code.emit(ir.Assign(going, ir.Const(1)))
            inner = scope.child()
            assert statement.condition is not None
            with captured(self.code) as made:
                # The body is a loop of one pass, so that `next` comes to the condition; `stop` ends both.
                self.loops.append(Loop(first=(ir.Assign(going, ir.Const(0)),), only_stop=True))
                body = self.structured(statement.body, inner)
                self.loops.pop()
                once = self.code.local("(once)", INT)
                one = ir.OverRange(ir.Const(1), ir.Const(1))
                test = ir.Unary("not", self.condition(statement.condition, inner))
                if any(isinstance(node, ir.Continue) for node in nodes(body)):
                    self.code.emit(ir.For(once, one, None, None, None, False, body, site))
                else:
                    for part in body:
                        self.code.emit(part)
                self.code.emit(ir.IfStmt(ir.Local(going), (ir.Assign(going, test),)))
            self.code.emit(ir.While(ir.Local(going), tuple(made), site))
            return
        m = self.m
        head, done = m.new_block(), m.new_block()
        inner = scope.child()
        passes = None
        if statement.done_by is not None:
            passes = m.variable("(passes)", INT)
            m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
        m.go_to(head)
        again = m.new_block()
        self.loops.append(Loop(done, again))
        if statement.done_by is not None:
            assert passes is not None
            guard: Any = ir.Binary("gt", passes.expr, ir.Const(0), site)
            if statement.done_when is not None:
                guard = ir.Binary("and", guard, self.condition(statement.done_when, scope), site)
            self._body_with_done(statement.body, scope, statement.done_by, guard, done, statement.span)
            m.go_to(again)
            m.emit(ir.Assign(passes.expr.index, ir.Const(1)))
            m.jump(head)
        else:
            self.block(statement.body, inner)
            m.go_to(again)
            assert statement.condition is not None
            m.end(ir.Branch(self.condition(statement.condition, inner), done, head))
        self.loops.pop()
        m.switch(done)

    def _leave_pass(self, statement: syn.StopStmt | syn.NextStmt, word: str) -> bool:
        """`stop` leaves the innermost loop, `next` goes on with its next pass."""
        if not self.loops:
            self.sink.error(
                "GR0208",
                statement.span,
                f"`{word}` {'leaves a loop' if word == 'stop' else 'begins the next pass of a loop'}; there is none here",
                hint="`return` leaves a procedure",
            )
            return False
        loop = self.loops[-1]
        target = loop.stop if word == "stop" else loop.next
        for step in loop.first if word == "stop" or not loop.only_stop else ():
            self.code.emit(step)
        if target is None:
            self.code.emit(ir.Break() if word == "stop" else ir.Continue())
        else:
            self.m.jump(target)
            self.m.switch(self.m.new_block())
        return True

    # ---------------------------------------------------------------------------------------- phases and turns

    def _resets(self, fields: Any) -> None:
        for field in fields:
            self.code.emit(ir.Reset(field))

    def _phase(self, statement: syn.PhaseStmt, scope: Scope) -> None:
        m = self.m
        done = m.new_block()
        if statement.condition is not None:
            inside = m.new_block()
            self.in_phase = True
            m.end(ir.Branch(self.condition(statement.condition, scope), inside, done))
            self.in_phase = False
            m.switch(inside)
        title = statement.title or statement.name.replace("_", " ")
        site = self.lowerer.site("phase", title, statement.span, statement.cites.ids)
        m.emit(ir.Note(1, site, ()))
        self.lowerer.enter_phase(self, statement.name)
        run_scheduled(self, ("start", statement.name), statement.span)
        self._resets(self.world.reset_per.get(statement.name, ()))
        if statement.body is not None:
            self.block(statement.body, scope.child())
        elif statement.name not in self.world.callables:
            self.sink.error(
                "GR0207",
                statement.span,
                f"there is no procedure `{statement.name}` for this phase",
                hint=hint_for(
                    statement.name, [c.name for c in self.world.callables.values() if c.sort == "procedure"]
                )
                or "write what happens in it below, indented",
            )
        else:
            use = syn.Use(statement.name, (), statement.span)
            self._do(syn.DoStmt(use, None, statement.cites, statement.span), scope)
        self.lowerer.leave_phase(self, statement.name)
        run_scheduled(self, ("end", statement.name), statement.span)
        m.go_to(done)

    def _simultaneous(self, statement: syn.SimultaneousStmt, scope: Scope) -> None:
        """Every pass of an outer loop, and every other statement, is a branch of its own."""
        if self.branching:
            self.sink.error("GR0208", statement.span, "simultaneous blocks cannot be nested")
            return
        self.lowerer.need_journal()
        site = self.lowerer.site(
            "branch", "simultaneously", statement.span, statement.cites.ids, owner=self.code.owner
        )
        self.branching += 1
        self.code.emit(ir.BranchBegin(site))
        for part in statement.body:
            if isinstance(part, syn.ForStmt) and part.chosen_by is None:
                self._for(replace(part, body=(*part.body, _BranchMark(site))), scope)  # type: ignore[arg-type]
            else:
                self.statement(part, scope)
                self.code.emit(ir.BranchNext(site))
        self.code.emit(ir.BranchEnd(site))
        self.branching -= 1
        drain_events(self, statement, statement.span)

    def _secret(self, statement: syn.SecretStmt, scope: Scope) -> None:
        if self.branching:
            self.sink.error("GR0208", statement.span, "secret blocks cannot be nested")
            return
        self.lowerer.need_journal()
        m = self.m
        seats = self.world.seats
        assert seats
        site = self.lowerer.site(
            "branch", "each side secretly", statement.span, statement.cites.ids, owner=self.code.owner
        )
        var = m.variable("(secret seat)", dom_type(seats))
        m.emit(ir.BranchBegin(site))
        head, body, done = m.new_block(), m.new_block(), m.new_block()
        m.emit(ir.Assign(var.expr.index, ir.Const(0)))
        m.go_to(head)
        m.end(ir.Branch(ir.Binary("lt", var.expr, ir.DomainCount(seats.id), site), body, done))
        m.switch(body)
        # Tells the log whose secrets follow: until the next such note only that seat may read them.
        whose = self.lowerer.site(
            "branch",
            "{0} decides in secret",
            statement.span,
            statement.cites.ids,
            (f"dom:{seats.id}",),
            self.code.owner,
        )
        m.emit(ir.Note(1, whose, (var.expr,)))
        before = self.code.me
        self.code.me = var
        self.branching += 1
        self.block(statement.body, scope.child())
        self.branching -= 1
        self.code.me = before
        m.emit(ir.BranchNext(site))
        m.emit(ir.Assign(var.expr.index, ir.Binary("add", var.expr, ir.Const(1), site)))
        m.jump(head)
        m.switch(done)
        m.emit(ir.BranchEnd(site))
        m.emit(ir.Note(1, site, ()))
        drain_events(self, statement, statement.span)

    def _alternate(self, statement: syn.AlternateStmt, scope: Scope) -> None:
        """One turn each in rotation, until all have passed in succession."""
        if statement.shares:
            self._alternate_shares(statement, scope)
            return
        m = self.m
        seats = self.world.seats
        assert seats
        site = self.lowerer.nowhere
        inner = scope.child()
        turn = self.declare_local(inner, statement.var, dom_type(seats), False, statement.span)
        first = self.checked(statement.first, scope, dom_type(seats))
        passes = m.variable("(passes)", INT)
        m.emit(ir.Assign(turn.expr.index, first.expr))
        m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
        head, next_turn, done = m.new_block(), m.new_block(), m.new_block()
        m.go_to(head)
        m.emit(ir.Store(self.world.passed_field, (), ir.Const(0), "set", False, site))
        before = self.code.me
        self.code.me = turn
        over = m.new_block()
        self.loops.append(Loop(done, over))
        self.block(statement.body, inner.child())
        self.loops.pop()
        self.code.me = before
        m.go_to(over)
        passed = ir.Load(self.world.passed_field, (), site)
        m.emit(
            ir.Assign(
                passes.expr.index,
                ir.If(passed, ir.Binary("add", passes.expr, ir.Const(1), site), ir.Const(0)),
            )
        )
        m.end(ir.Branch(ir.Binary("ge", passes.expr, ir.DomainCount(seats.id), site), done, next_turn))
        m.switch(next_turn)
        step = ir.Binary("add", turn.expr, ir.Const(1), site)
        m.emit(ir.Assign(turn.expr.index, ir.Binary("mod", step, ir.DomainCount(seats.id), site)))
        m.jump(head)
        m.switch(done)

    def _alternate_shares(self, statement: syn.AlternateStmt, scope: Scope) -> None:
        """Each seat has so many turns in a row; a pass ends its share, passes of all in succession end it all."""
        m = self.m
        seats = self.world.seats
        assert seats
        site = self.lowerer.nowhere
        inner = scope.child()
        turn = self.declare_local(inner, statement.var, dom_type(seats), False, statement.span)
        pairs = [share.items for share in statement.shares if isinstance(share, syn.Items)]
        if len(pairs) < 2:
            self.sink.error(
                "GR0302",
                statement.shares[0].span,
                "seats alternate: it takes two or more",
                hint="p repeats ... until done, for one seat alone",
            )
        for number, (seat, _) in enumerate(pairs):
            if any(seat == other for other, _ in pairs[:number]):
                self.sink.error("GR0205", seat.span, f"`{unparse(seat)}` stands twice in this rotation")
        who = [self._freeze(self.seat(seat, scope, seat.span)) for seat, _ in pairs]
        place, left, passes = (m.variable(name, INT) for name in ("(share)", "(turns left)", "(passes)"))
        m.emit(ir.Assign(place.expr.index, ir.Const(0)))
        m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
        share, head, over, played, passed, advance, done = (m.new_block() for _ in range(7))
        m.go_to(share)
        rates = []
        for _, rate in pairs:
            made = self.checked(rate, scope, INT, "the number of turns")
            if made.type.sort == "int" and made.type.hi < 1:
                self.sink.error(
                    "GR0304",
                    rate.span,
                    "the number of turns must be 1 or more",
                    hint="leave the seat out if it never has a turn",
                )
            rates.append(made.expr)
        for target, values in ((turn, [value.expr for value in who]), (left, rates)):
            pick: Any = values[-1]
            for number in range(len(values) - 2, -1, -1):
                pick = ir.If(ir.Binary("eq", place.expr, ir.Const(number), site), values[number], pick)
            m.emit(ir.Assign(target.expr.index, pick))
        # A seat without turns counts as one that passes.
        m.end(ir.Branch(ir.Binary("gt", left.expr, ir.Const(0), site), head, passed))
        m.switch(head)
        m.emit(ir.Store(self.world.passed_field, (), ir.Const(0), "set", False, site))
        before = self.code.me
        self.code.me = turn
        self.loops.append(Loop(done, over))
        self.block(statement.body, inner.child())
        self.loops.pop()
        self.code.me = before
        m.go_to(over)
        m.end(ir.Branch(ir.Load(self.world.passed_field, (), site), passed, played))
        m.switch(played)
        m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
        m.emit(ir.Assign(left.expr.index, ir.Binary("sub", left.expr, ir.Const(1), site)))
        m.end(ir.Branch(ir.Binary("gt", left.expr, ir.Const(0), site), head, advance))
        m.switch(passed)
        m.emit(ir.Assign(passes.expr.index, ir.Binary("add", passes.expr, ir.Const(1), site)))
        m.end(ir.Branch(ir.Binary("ge", passes.expr, ir.Const(len(pairs)), site), done, advance))
        m.switch(advance)
        following = ir.Binary("add", place.expr, ir.Const(1), site)
        m.emit(ir.Assign(place.expr.index, ir.Binary("mod", following, ir.Const(len(pairs)), site)))
        m.jump(share)
        m.switch(done)

    # -------------------------------------------------------------------------------------------------- offers

    def seat(self, expr: syn.Expr | None, scope: Scope, span: Span) -> Value:
        """Who decides: the seat named, else `me`."""
        if expr is None and self.code.me is None:
            self.sink.error(
                "GR0705", span, "it is not said who makes this choice", hint="add `by` and a side: `by red`"
            )
            return Value(UNKNOWN, ir.Const(0))
        if expr is None:
            return self.me(span)
        if self._means_all(expr, scope):
            self.sink.error(
                "GR0705",
                expr.span,
                "several seats decide together: it is not said who does when they disagree",
                hint=f"by set(s in {unparse(expr)}) else by ...",
            )
            return Value(UNKNOWN, ir.Const(0))
        seats = self.world.seats
        assert seats
        made = self.value(expr, scope, dom_type(seats))
        if (
            made.type.sort == "dom"
            and made.type.dom is not seats
            and made.type.dom is not None
            and made.type.dom.sort in ("piece", "record")
        ):
            return self.owner_of(made, span)
        if made.type.sort == "set" and made.type.dom is seats:
            self.sink.error(
                "GR0705",
                expr.span,
                "several seats decide together: it is not said who does when they disagree",
                hint="by ... else by ...",
            )
            return Value(UNKNOWN, ir.Const(0))
        self.demand(made, dom_type(seats), expr.span, "who decides")
        return made

    def _means_all(self, expr: syn.Expr, scope: Scope) -> bool:
        """`sides` and `powers` are no values: they say over what a binder runs."""
        return isinstance(expr, syn.Name) and expr.id in ("sides", "powers") and scope.find(expr.id) is None

    def decider(self, expr: syn.Expr | None, scope: Scope, span: Span) -> Value | Together:
        """Who makes a choice: one seat, or several that must agree, and another where they do not."""
        if not isinstance(expr, syn.Joint):
            return self.seat(expr, scope, span)
        assert self.world.seats
        if self._means_all(expr.seats, scope):
            everybody = unparse(expr.seats)
            self.sink.error(
                "GR0313",
                expr.seats.span,
                f"a set of seats is wanted here, and `{everybody}` only says over what something runs",
                hint=f"by set(s in {everybody}) else by ...",
            )
            return self._freeze(self.seat(expr.otherwise, scope, span))
        group = self.checked(expr.seats, scope, set_type(self.world.seats), "who decides together")
        otherwise = self._freeze(self.seat(expr.otherwise, scope, span))
        if group.type.sort == "unknown":
            return otherwise
        return Together(self._freeze(group), otherwise)

    def kept_decider(self, expr: syn.Expr | None, scope: Scope, span: Span) -> Value | Together:
        """The same, settled now for several questions."""
        made = self.decider(expr, scope, span)
        return made if isinstance(made, Together) else self._freeze(made)

    def _menu(
        self, uses: tuple[syn.Use, ...], scope: Scope, seat: Value
    ) -> list[tuple[int, Any, Any, list[Value], Any]]:
        """The actions on offer: (action id, callable, use, arguments, condition)."""
        made: list[tuple[int, Any, Any, list[Value], Any]] = []
        before = self.code.me
        self.code.me = seat
        for use in uses:
            self._menu_use(use, scope, None, made, ())
        self.code.me = before
        return made

    def _menu_use(
        self, use: syn.Use, scope: Scope, condition: Any, made: list[Any], within: tuple[str, ...]
    ) -> None:
        if "." in use.name:
            self._menu_named(use, scope, condition, made)
            return
        entry = self.world.callables.get(use.name)
        if entry is None or entry.sort not in ("action", "menu"):
            known = [c.name for c in self.world.callables.values() if c.sort in ("action", "menu")]
            self.sink.error(
                "GR0207", use.span, f"there is no action or menu `{use.name}`", hint=hint_for(use.name, known)
            )
            return
        entry.used = True
        args = self.arguments(entry, list(use.args), use.span, scope)
        if args is None:
            return
        if use.name in within:
            self.sink.error("GR0314", use.span, f"menu `{use.name}` contains itself")
            return
        if len(made) >= MAX_OFFERED:
            self.sink.error("GR0611", use.span, f"more than {MAX_OFFERED} actions are on offer at once")
            return
        if entry.sort == "action":
            taken = {action for action, *_ in made}
            made.append((self.lowerer.action_id(entry, use, scope, taken), entry, use, args, condition))
            return
        inner = Scope()
        for (name, _type), value in zip(entry.params, args, strict=True):
            inner.names[name] = Binding(value, False, entry.span)
        for item in self._menu_items(entry, inner):
            self.world.cite(item.cites)
            test = condition
            if item.condition is not None:
                own = self.condition(item.condition, inner)
                test = own if test is None else ir.Binary("and", test, own, self.lowerer.nowhere)
            for sub in item.uses:
                self._menu_use(sub, inner, test, made, (*within, use.name))

    def _menu_named(self, use: syn.Use, scope: Scope, condition: Any, made: list[Any]) -> None:
        """`offer p: c.play`: the action that the data names."""
        found = self.named_by_data(use, scope, "action")
        for place, entry in enumerate(found[1].entries if found is not None else ()):
            assert found is not None
            args = self.arguments(entry, list(use.args), use.span, scope)
            if args is None:
                return
            test: Any = ir.Binary("eq", found[0].expr, ir.Const(place), self.lowerer.nowhere)
            if condition is not None:
                test = ir.Binary("and", condition, test, self.lowerer.nowhere)
            action = self.lowerer.action_id(
                entry, replace(use, name=entry.name), scope, {action for action, *_ in made}
            )
            made.append((action, entry, use, args, test))

    def _menu_items(self, entry: Any, scope: Scope) -> list[syn.MenuItem]:
        """A menu's lines; an exception that applies replaces all of them by what it offers."""
        items: list[syn.MenuItem] = list(entry.decl.items)
        for _rank, exception in reversed(self.lowerer.ordered_exceptions(entry)):
            offers = [s for s in exception.body if isinstance(s, syn.OfferStmt)]
            if len(offers) != len(exception.body):
                self.sink.error(
                    "GR0208",
                    exception.span,
                    "an exception to a menu says what is offered instead",
                    hint="write `offer me: ...` as its body",
                )
                continue
            applies = exception.condition or syn.FlagLit(True, exception.span)
            lacks = syn.UnaryExpr("not", applies, exception.span)
            items = [
                replace(
                    item,
                    condition=lacks
                    if item.condition is None
                    else syn.BinaryExpr("and", lacks, item.condition, exception.span),
                )
                for item in items
            ]
            items += [syn.MenuItem(o.uses, applies, exception.cites, exception.span) for o in offers]
        return items

    def _freeze(self, value: Value) -> Value:
        """Keep a value in a local, so that later code reads the same."""
        local = self.code.variable("(kept)", value.type if value.type.sort != "unknown" else INT)
        assign_local(self.code, local, value)
        return local

    def _ask_menu(
        self, uses: tuple[syn.Use, ...], scope: Scope, seat: Value, span: Span, cites: tuple[str, ...], *,
        extra: int | None, extra_when: Any, empty: int | None, keep: Any = None, lone: bool = True,
    ) -> tuple[Value, list[Any], int]:  # fmt: skip
        """Stop to ask for one of the actions that can be completed; gives the answer, the menu, the next block."""
        m = self.m
        menu = self._menu(uses, scope, seat)
        frozen: list[Any] = []
        for action, entry, use, args, condition in menu:
            kept = [self.freeze_argument(a) for a in args]
            if keep is not None:
                entry, kept, condition = self._keeping(keep, entry, kept, condition, scope, seat, span)
            frozen.append((action, entry, use, kept, condition))
        function, captured_args = self.lowerer.menu_candidates(self, frozen, seat, span)
        answer = m.variable("(action)", Type("int"))
        following = m.new_block()
        names = ", ".join(use.name for use in uses)
        assert self.world.seats
        shows = (f"dom:{self.world.seats.id}", "action")
        site = self.lowerer.site("choice", "{0} picks {1}", span, cites, shows, self.code.owner)
        ask = self.lowerer.new_ask(names, "action", "action", site, menu=True, function=function)
        m.end(
            ir.Ask(
                ask,
                function,
                captured_args,
                seat.expr,
                answer.expr.index,
                following,
                empty,
                extra,
                extra_when,
                lone,
                None,
                None,
                site,
            )
        )
        m.switch(following)
        return answer, frozen, following

    def _keeping(
        self,
        keep: syn.Expr,
        entry: Any,
        args: list[Value],
        condition: Any,
        scope: Scope,
        seat: Value,
        span: Span,
    ) -> tuple[Any, list[Value], Any]:
        """The action as it is offered where a condition must stay true: only what can end with it holding."""
        names = dict.fromkeys(n.id for n in walk(keep) if isinstance(n, syn.Name))
        bound = [(name, scope.find(name)) for name in names]
        given = [
            (name, found.value) for name, found in bound if found is not None and found.value.record is None
        ]
        kept, trial = self.lowerer.kept_action(
            entry, keep, [(name, value.type) for name, value in given], keep.span
        )
        values = [value for _, value in given] + args
        machine = self.lowerer.trial_machine(trial)
        flat = [seat.expr, *(part for value in values for part in flatten(value))]
        site = self.lowerer.site("at best", f"{entry.name} keeps", keep.span, owner=self.code.owner)
        search = ir.AtBest(machine, tuple(flat), ir.Const(1), site)
        possible = ir.Binary("eq", search, ir.Const(1), site)
        # First the cheap question, then the search.
        begins = ir.Call(self.lowerer.can_begin(entry), (seat.expr, *(p for a in args for p in flatten(a))))
        test = ir.Binary("and", begins, possible, site)
        if condition is not None:
            test = ir.Binary("and", condition, test, site)
        return kept, values, test

    def freeze_argument(self, value: Value) -> Value:
        if value.record is not None or value.type.sort in ("set", "list"):
            return self._freeze(value)
        return value if isinstance(value.expr, ir.Const | ir.Sym | ir.Local) else self._freeze(value)

    def _dispatch(self, answer: Value, menu: list[Any], seat: Value, done: int) -> None:
        """Run the action that was picked, then go on at `done`; a ply is over."""
        m = self.m
        site = self.lowerer.nowhere
        for action, entry, _use, args, _condition in menu:
            run, following = m.new_block(), m.new_block()
            m.end(ir.Branch(ir.Binary("eq", answer.expr, ir.Const(action), site), run, following))
            m.switch(run)
            after = m.new_block()
            flat = [seat.expr, *(part for value in args for part in flatten(value))]
            m.end(ir.CallMachine(self.lowerer.machine_for(entry), tuple(flat), None, after))
            m.switch(after)
            m.emit(ir.StoreHead(H_PLY, ir.Binary("add", ir.Head(H_PLY), ir.Const(1), site)))
            m.jump(done)
            m.switch(following)
        m.jump(done)

    def _offer(self, statement: syn.OfferStmt, scope: Scope) -> None:
        m = self.m
        cites = statement.cites.ids
        if statement.until_all_pass:
            self._offer_until_pass(statement, scope)
            return
        seat = self.freeze_argument(self.seat(statement.seat, scope, statement.span))
        done = m.new_block()
        extra = DONE if statement.optional else None
        answer, menu, _ = self._ask_menu(
            statement.uses, scope, seat, statement.span, cites, extra=extra, extra_when=None, empty=done if statement.optional else self._no_action(statement),
            lone=not statement.optional,
        )  # fmt: skip
        self._dispatch(answer, menu, seat, done)
        m.switch(done)

    def instead(self, otherwise: syn.Stmt, scope: Scope) -> None:
        """What `else` does where there is nothing to choose: it must leave, since the choice has no value."""
        if not self.statement(otherwise, scope):
            self.sink.error(
                "GR0703",
                otherwise.span,
                "after `else` the choice has no value",
                hint="the `else` must `stop`, `next` or `return`",
            )

    def fail_empty(self, why: str, statement: Any) -> None:
        """Nothing to choose or to do where there must be something."""
        site = self.lowerer.site("fail", why, statement.span, statement.cites.ids, owner=self.code.owner)
        self.m.emit(ir.Fail(FAIL_EMPTY, site))

    def _no_action(self, statement: syn.OfferStmt) -> int:
        """What happens when a seat must act and can do nothing: a failure that says so."""
        m = self.m
        here = m.current
        block = m.new_block()
        m.switch(block)
        self.fail_empty("must act, and nothing is possible", statement)
        m.end(ir.ReturnMachine(ir.Const(0) if self.code.result is not None else None))
        m.switch(here)
        return block

    def _offer_until_pass(self, statement: syn.OfferStmt, scope: Scope) -> None:
        """A window: seats are asked in rotation until all pass in succession; any act resets the passes."""
        m = self.m
        seats = self.world.seats
        assert seats
        exprs = statement.seat.items if isinstance(statement.seat, syn.Items) else (statement.seat,)
        made = [self._freeze(self.seat(e, scope, e.span)) for e in exprs]
        count = len(made)
        site = self.lowerer.nowhere
        passes = m.variable("(passes)", INT)
        turn = m.variable("(turn)", INT)
        m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
        m.emit(ir.Assign(turn.expr.index, ir.Const(0)))
        head, acted, passed, done = m.new_block(), m.new_block(), m.new_block(), m.new_block()
        m.go_to(head)
        who: Any = made[-1].expr
        for number in range(count - 2, -1, -1):
            who = ir.If(ir.Binary("eq", turn.expr, ir.Const(number), site), made[number].expr, who)
        seat = m.variable("(asked)", dom_type(seats))
        m.emit(ir.Assign(seat.expr.index, who))
        m.emit(
            ir.Assign(
                turn.expr.index,
                ir.Binary("mod", ir.Binary("add", turn.expr, ir.Const(1), site), ir.Const(count), site),
            )
        )
        answer, menu, _ = self._ask_menu(
            statement.uses,
            scope,
            seat,
            statement.span,
            statement.cites.ids,
            extra=DONE,
            extra_when=None,
            empty=passed,
            lone=False,
        )
        act = m.new_block()
        m.end(ir.Branch(ir.Binary("eq", answer.expr, ir.Const(DONE), site), passed, act))
        m.switch(act)
        self._dispatch(answer, menu, seat, acted)
        m.switch(acted)
        m.emit(ir.Assign(passes.expr.index, ir.Const(0)))
        m.jump(head)
        m.switch(passed)
        m.emit(ir.Assign(passes.expr.index, ir.Binary("add", passes.expr, ir.Const(1), site)))
        m.end(ir.Branch(ir.Binary("ge", passes.expr, ir.Const(count), site), done, head))
        m.switch(done)

    def _repeats(self, statement: syn.RepeatsStmt, scope: Scope) -> None:
        m = self.m
        seat = self._freeze(self.seat(statement.seat, scope, statement.span))
        head, done = m.new_block(), m.new_block()
        m.go_to(head)
        extra = None if statement.while_possible else DONE
        when = None
        if statement.done_when is not None:
            before = self.code.me
            self.code.me = seat
            when = self.condition(statement.done_when, scope)
            self.code.me = before
        answer, menu, _ = self._ask_menu(
            statement.uses,
            scope,
            seat,
            statement.span,
            statement.cites.ids,
            extra=extra,
            extra_when=when,
            empty=done,
            keep=statement.keep,
            lone=True,
        )
        if extra is not None:
            act = m.new_block()
            m.end(ir.Branch(ir.Binary("eq", answer.expr, ir.Const(DONE), self.lowerer.nowhere), done, act))
            m.switch(act)
        self._dispatch(answer, menu, seat, head)
        m.switch(done)

    # ------------------------------------------------------------------------------------------------- choices

    def choose(
        self,
        statement: syn.ChooseStmt,
        scope: Scope,
        done: int | None = None,
        done_when: Any = None,
        rest: Any = None,
        proven: bool = False,
    ) -> None:
        """Stop for one choice.  `done`: where an answer `done` leads; `rest`: the rest of a declaration part;
        `proven`: that there is something to choose is known."""
        if not self.code.machine:
            self.sink.error("GR0704", statement.span, "nobody can be asked here")
            return
        if statement.index:
            choose_into(self, statement, scope, done=done, done_when=done_when)
            return
        m = self.m
        form = form_of(self.world, statement.type)
        if form is not None:
            choose_form(self, statement, form, scope, done, done_when)
            return
        if statement.given:
            self.sink.error(
                "GR0208", statement.given[0].span, "`for` belongs to the choice of a form", hint="use `where`"
            )
        function, args, element = self.lowerer.choice_candidates(self, statement, scope, rest)
        if element is None:
            self.declare_local(scope, statement.name, UNKNOWN, False, statement.name_span)
            return
        seat = self.decider(statement.by, scope, statement.span)
        type_ = element.maybe() if statement.may else element
        var = self.declare_local(scope, statement.name, type_, False, statement.name_span)
        following = m.new_block()
        empty: int | None = done
        after_else: int | None = None
        declined: int | None = None
        if statement.otherwise is not None:
            empty = after_else = m.new_block()
        elif statement.may and done is None and not statement.quiet:
            # Nothing to choose: nobody is asked whether to decline.
            empty = declined = m.new_block()
        elif rest is None and not statement.may and done is None and not proven:
            self._prove_some(statement, scope)
        extra = NONE if statement.may else (DONE if done is not None else None)
        self.end_with_ask(
            statement, function, args, seat, var, following, empty, element, extra, done_when, scope
        )
        if declined is not None:
            m.switch(declined)
            m.emit(ir.Assign(var.expr.index, ir.Const(NONE)))
            m.jump(following)
        if after_else is not None:
            m.switch(after_else)
            assert statement.otherwise is not None
            self.instead(statement.otherwise, scope)
        m.switch(following)
        if done is not None:
            go_on = m.new_block()
            m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(DONE), self.lowerer.nowhere), done, go_on))
            m.switch(go_on)
        if statement.where is not None:
            facts = self.facts(statement.where, scope, True)
            if not statement.may:
                scope.facts.update(facts)
                self.demanded.append(statement.where)

    def end_with_ask(
        self, statement: syn.ChooseStmt, function: int, args: tuple[Any, ...], seat: Value | Together, var: Value, following: int,
        empty: int | None, element: Type, extra: int | None, extra_when: Any, scope: Scope,
        some: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        m = self.m
        if isinstance(seat, Together):

            def ask_one(one: Value, into: Value, then: int) -> None:
                self.end_with_ask(
                    statement, function, args, one, into, then, empty, element, extra, extra_when, scope, some
                )

            self._ask_together(seat, var, following, ask_one)
            return
        seats = self.world.seats
        assert seats
        label = statement.label or statement.name.replace("_", " ")
        named = names_in(self, label, statement.span, scope)
        site = self.lowerer.site(
            "choice",
            f"{{0}}: {without_names(label)} {{1}}",
            statement.span,
            statement.cites.ids,
            (f"dom:{seats.id}", element.show),
            self.code.owner,
        )
        ask = self.lowerer.new_ask(
            f"{self.code.owner}.{statement.name}",
            label,
            element.show,
            site,
            quiet=statement.quiet,
            function=function,
            some=some,
            named=named,
        )
        self.lowerer.choices.setdefault(f"{self.code.owner}.{statement.name}", element)
        distinct = element.dom.id if element.dom is not None and element.dom.interchangeable else None
        seen = None
        if statement.quiet:
            seen = self.lowerer.mask_of(seat.expr)
        lone = not statement.quiet
        m.end(
            ir.Ask(
                ask,
                function,
                args,
                seat.expr,
                var.expr.index,
                following,
                empty,
                extra,
                extra_when,
                lone,
                distinct,
                seen,
                site,
            )
        )

    def _ask_together(self, group: Together, var: Value, following: int, ask_one: Any) -> None:
        """Each of the seats is asked in turn; the first answer that differs leaves the choice to the other one."""
        m = self.m
        site = self.lowerer.nowhere
        assert self.world.seats
        asked = m.variable("(asked)", dom_type(self.world.seats))
        proposal = m.variable("(proposal)", var.type)
        agreed = m.variable("(agreed)", FLAG)
        m.emit(ir.Assign(asked.expr.index, ir.Const(NONE)))
        m.emit(ir.Assign(agreed.expr.index, ir.Const(0)))
        head, ask, answered, first, compare, nobody, other = (m.new_block() for _ in range(7))
        m.go_to(head)
        m.emit(ir.Assign(asked.expr.index, ir.SetNext(group.seats.expr, asked.expr)))
        m.end(ir.Branch(ir.Binary("eq", asked.expr, ir.Const(NONE), site), nobody, ask))
        m.switch(ask)
        ask_one(asked, proposal, answered)
        m.switch(answered)
        m.end(ir.Branch(agreed.expr, compare, first))
        m.switch(first)
        m.emit(ir.Assign(var.expr.index, proposal.expr))
        m.emit(ir.Assign(agreed.expr.index, ir.Const(1)))
        m.jump(head)
        m.switch(compare)
        m.end(ir.Branch(ir.Binary("eq", proposal.expr, var.expr, site), head, other))
        m.switch(nobody)
        m.end(ir.Branch(agreed.expr, following, other))
        m.switch(other)
        ask_one(group.otherwise, var, following)

    def _prove_some(self, statement: syn.ChooseStmt, scope: Scope) -> None:
        """A mandatory choice in a running procedure must have something to choose."""
        if statement.where is None:
            if statement.type is not None:
                return
            wanted: tuple[Any, Any] = (statement.source, None)
        else:
            source = statement.source
            if statement.type is not None:
                source = statement.type.base
                if self.lowerer.always_some(statement, source):
                    return
            wanted = (source, statement.where)
        for guard in self.guards:
            for node in _positive(guard):
                if isinstance(node, syn.AggregateExpr) and node.op in ("any", "count"):
                    if _same_question(node, wanted, statement.name):
                        return
                if wanted[1] is None and _says_not_empty(node, wanted[0]):
                    return
        entry = self.world.callables.get(self.code.owner)
        if entry is not None and entry.sort == "action":
            self.sink.error(
                "GR0711",
                statement.span,
                f"there may be nothing to choose for `{statement.name}`, and the action has begun",
                hint="move the choice above the first write, roll or `do`, or add `, else return`",
            )
            return
        self.sink.error(
            "GR0703",
            statement.span,
            f"there may be nothing to choose for `{statement.name}`",
            hint="add `, else stop` / `, else return`, make it `may choose`, or guard it with `if any(... where the same)`",
        )

    def _match(self, statement: syn.AssignMatchStmt, scope: Scope) -> None:
        """`assign`: as many of the right as can each be given a left one of its own; the seat picks which."""
        left_over, left_element = self.source(statement.left_source, scope)
        right_over, right_element = self.source(statement.right_source, scope)
        if left_over is None or right_over is None or left_element.dom is None or right_element.dom is None:
            if left_over is not None and right_over is not None:
                self.sink.error("GR0313", statement.span, "`assign` needs two sets")
            return
        if statement.then is not None and any(
            isinstance(n, syn.Name) and n.id == statement.left for n in walk(statement.then)
        ):
            self.sink.error(
                "GR0208",
                statement.then.span,
                f"`{statement.left}` is not known here: only what is assigned to matters",
            )
        code, site = (
            self.code,
            self.lowerer.site(
                "assign",
                statement.label or "assign",
                statement.span,
                statement.cites.ids,
                owner=self.code.owner,
            ),
        )
        inner = scope.child()
        left = code.variable(statement.left, left_element)
        right = code.variable(statement.right, right_element)
        self.bind(inner, statement.left, left, False, statement.span)
        self.bind(inner, statement.right, right, False, statement.span)
        left_set = code.variable("(left)", set_type(left_element.dom))
        right_set = code.variable("(right)", set_type(right_element.dom))
        code.emit(
            ir.AssignSet(
                left_set.expr.index, ir.SetBuild(left_element.dom.id, left.expr.index, left_over, None, None)
            )
        )
        code.emit(
            ir.AssignSet(
                right_set.expr.index,
                ir.SetBuild(right_element.dom.id, right.expr.index, right_over, None, None),
            )
        )
        chosen = code.variable("(assigned)", Type("list", element=right_element, capacity=POOL_SIZE))
        trial = code.variable("(trial)", Type("list", element=right_element, capacity=POOL_SIZE))
        code.emit(ir.ListClear(chosen.expr.index))
        # The test of a pair runs inside loops over the right side: it needs a variable of its own.
        partner = code.variable(statement.right, right_element)
        pair = scope.child()
        pair.names[statement.left] = Binding(left, False, statement.span)
        pair.names[statement.right] = Binding(partner, False, statement.span)
        fits = self.condition(statement.where, pair) if statement.where is not None else ir.Const(1)
        # Where everybody fits everybody, counting is enough; most battles are like that.
        alike = code.variable("(alike)", FLAG)
        if statement.where is not None:
            for_all = ir.Aggregate("all", partner.expr.index, ir.OverSet(right_set.expr), None, fits, site)
            each = ir.Aggregate("all", left.expr.index, ir.OverSet(left_set.expr), None, for_all, site)
            code.emit(ir.Assign(alike.expr.index, each))
        item = code.local("(item)", right_element)
        taken = ir.Aggregate(
            "count",
            item,
            ir.OverList(chosen.expr),
            ir.Binary("eq", ir.Local(item), right.expr, site),
            None,
            site,
        )
        if statement.room is not None:
            room = self.checked(statement.room, inner, INT).expr
        else:
            room = ir.Binary("sub", ir.Const(1), taken, site)
        tiers: list[Any] = [self.condition(tier, inner) for tier in statement.first]
        for tier in [*tiers, None]:
            self._match_tier(
                statement,
                scope,
                inner,
                tier,
                left,
                left_set,
                right,
                partner,
                right_set,
                chosen,
                trial,
                alike,
                fits,
                room,
                site,
            )
        if statement.into is not None:
            result = self.declare_local(scope, statement.into, int_range(0, POOL_SIZE), False, statement.span)
            code.emit(ir.Assign(result.expr.index, ir.ListLength(chosen.expr)))

    def _match_tier(
        self, statement: syn.AssignMatchStmt, scope: Scope, inner: Scope, tier: Any, left: Value, left_set: Value, right: Value, partner: Value, right_set: Value,
        chosen: Value, trial: Value, alike: Value, fits: Any, room: Any, site: int,
    ) -> None:  # fmt: skip
        code = self.code

        def coverable(taken: Value) -> Any:
            enough = ir.Binary("lt", ir.ListLength(taken.expr), ir.SetCount(left_set.expr), site)
            if fits == ir.Const(1):
                return enough
            matched = ir.Coverable(
                left.expr.index, left_set.expr, partner.expr.index, fits, taken.expr.index, right.expr
            )
            return ir.Binary("and", enough, ir.Binary("or", alike.expr, matched, site), site)

        able: Any = ir.Binary("and", ir.Binary("gt", room, ir.Const(0), site), coverable(chosen), site)
        if tier is not None:
            able = ir.Binary("and", tier, able, site)
        assert right.type.dom
        candidates = code.variable("(able)", set_type(right.type.dom))
        forced = code.variable("(forced)", FLAG)
        refill = ir.AssignSet(
            candidates.expr.index,
            ir.SetBuild(right.type.dom.id, right.expr.index, ir.OverSet(right_set.expr), able, None),
        )
        # All that can take one may have to take one: then there is nothing to choose.
        trial_fits = coverable(trial)
        n = code.local("(n)", INT)
        try_all = (
            ir.AssignList(trial.expr.index, chosen.expr),
            ir.Assign(forced.expr.index, ir.Const(1)),
            ir.For(
                right.expr.index, ir.OverSet(candidates.expr), right.type.dom.id, None, None, False,
                (
                    ir.For(
                        n, ir.OverRange(ir.Const(1), room), None, None, None, False,
                        (ir.IfStmt(trial_fits, (ir.ListAppend(trial.expr.index, right.expr, site),), (ir.Assign(forced.expr.index, ir.Const(0)), ir.Break())),),
                        site,
                    ),
                    # One that is left out is enough to know.
                    ir.IfStmt(ir.Unary("not", forced.expr), (ir.Break(),)),
                ),
                site,
            ),
        )  # fmt: skip
        place = code.local("(place)", INT)
        then_scope = inner.child()
        if not code.machine or statement.by is None:
            with captured(code) as take:
                code.emit(ir.ListAppend(chosen.expr.index, right.expr, site))
                self._then(statement, then_scope)
            body = (
                ir.Assign(right.expr.index, ir.SetNext(candidates.expr, ir.Const(NONE))),
                *take,
                refill,
            )
            code.emit(refill)
            code.emit(ir.While(ir.Binary("gt", ir.SetCount(candidates.expr), ir.Const(0), site), body, site))
            return
        m = self.m
        seat = self.kept_decider(statement.by, scope, statement.span)
        head, ask, check, take_all, one, done = (m.new_block() for _ in range(6))
        m.go_to(head)
        m.emit(refill)
        m.end(ir.Branch(ir.Binary("gt", ir.SetCount(candidates.expr), ir.Const(0), site), check, done))
        m.switch(check)
        for part in try_all:
            m.emit(part)
        m.end(ir.Branch(forced.expr, take_all, ask))
        m.switch(take_all)
        m.emit(ir.Assign(place, ir.ListLength(chosen.expr)))
        with captured(code) as each:
            code.emit(ir.Assign(place, ir.Binary("add", ir.Local(place), ir.Const(1), site)))
            code.emit(ir.Assign(right.expr.index, ir.ListItem(trial.expr, ir.Local(place), site)))
            self._then(statement, then_scope)
        m.emit(ir.While(ir.Binary("lt", ir.Local(place), ir.ListLength(trial.expr), site), tuple(each), site))
        m.emit(ir.AssignList(chosen.expr.index, trial.expr))
        m.jump(done)
        m.switch(ask)
        choice = syn.ChooseStmt(
            statement.right, (), None, statement.right_source, None, statement.by, statement.label or statement.right, False, False, (), None,
            statement.cites, statement.span, statement.span,
        )  # fmt: skip
        function = self.lowerer.set_candidates(right.type.dom)
        self.end_with_ask(
            choice, function, (candidates.expr,), seat, right, one, None, right.type, None, None, scope
        )
        m.switch(one)
        m.emit(ir.ListAppend(chosen.expr.index, right.expr, site))
        self._then(statement, then_scope)
        m.jump(head)
        m.switch(done)

    def _then(self, statement: syn.AssignMatchStmt, scope: Scope) -> None:
        if statement.then is not None:
            if self.lowerer.asks_anywhere(statement.then):
                self.sink.error("GR0704", statement.then.span, "nobody can be asked in `then`")
                return
            self.statement(statement.then, scope.child())

    # ------------------------------------------------------------------------------------------------- effects

    def _do(self, statement: syn.DoStmt, scope: Scope) -> None:
        use = statement.use
        if use.name == "base" and use.name not in self.world.callables:
            self._do_base(statement, scope)
            return
        if "." in use.name:
            self._do_named(statement, scope)
            return
        entry = self.world.callables.get(use.name)
        if entry is None or entry.sort not in ("procedure", "action"):
            known = [c.name for c in self.world.callables.values() if c.sort == "procedure"]
            if entry is not None:
                self.sink.error(
                    "GR0207",
                    use.span,
                    f"`{use.name}` is a {entry.sort}; only procedures are done",
                    hint=f"write `let x = {use.name}(...)`"
                    if entry.sort in ("rule", "table", "modifiers")
                    else None,
                )
            else:
                self.sink.error(
                    "GR0207", use.span, f"there is no procedure `{use.name}`", hint=hint_for(use.name, known)
                )
            if statement.into:
                self.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
            return
        entry.used = True
        args = self.arguments(entry, list(use.args), use.span, scope)
        target: Value | None = None
        if statement.into is not None:
            if entry.result is None:
                self.sink.error("GR0309", statement.span, f"`{use.name}` gives no result")
                self.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
                return
            target = self.declare_local(scope, statement.into, entry.result, False, statement.span)
        if args is None or any(a.type.sort == "unknown" for a in args):
            return
        flat = [part for value in args for part in flatten(value)]
        if entry.uses_me:
            flat.insert(0, self.me(use.span, entry).expr)
        self.invoke(entry, flat, target, statement.span)

    def _do_base(self, statement: syn.DoStmt, scope: Scope) -> None:
        """`do base`: the procedure as it is without this exception, with the same arguments."""
        below = self.code.below
        if below is None or statement.use.args:
            self.sink.error(
                "GR0208",
                statement.span,
                "`do base` takes what the procedure was given"
                if below is not None
                else "`do base` stands in an exception to a procedure",
                hint="write `do base`" if below is not None else None,
            )
            if statement.into:
                self.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
            return
        target: Value | None = None
        if statement.into is not None:
            if self.code.result is None:
                self.sink.error("GR0309", statement.span, f"`{self.code.owner}` gives no result")
                self.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
                return
            target = self.declare_local(scope, statement.into, self.code.result, False, statement.span)
        below(self, target)

    def named_by_data(self, use: syn.Use, scope: Scope, sort: str) -> tuple[Value, Shape] | None:
        """The callable that a field holds: the value of the field, and what it may name."""
        names = use.name.split(".")
        path: syn.Expr = syn.Name(names[0], use.span)
        for name in names[1:]:
            path = syn.Dot(path, name, use.span, use.span)
        tag = self.value(path, scope)
        dom = tag.type.dom
        if tag.type.sort == "unknown":
            return None
        if dom is None or dom.shape is None or dom.shape.sort != sort:
            self.sink.error(
                "GR0207",
                use.span,
                f"`{use.name}` names no {sort}, it is {tag.type.words}",
                hint=f"a column of type {sort}(...) does",
            )
            return None
        self.demand(tag, dom_type(dom), use.span)
        return None if tag.type.optional else (tag, dom.shape)

    def _do_named(self, statement: syn.DoStmt, scope: Scope) -> None:
        """`do c.effect(p)`: the procedure that the data names."""
        use = statement.use
        found = self.named_by_data(use, scope, "procedure")
        result = found[1].result if found is not None else None
        target: Value | None = None
        if statement.into is not None:
            if found is not None and result is None:
                self.sink.error(
                    "GR0309",
                    statement.span,
                    f"`{use.name}` gives no result",
                    hint="a column of type procedure(...) -> 0..9 names procedures that do",
                )
            target = self.declare_local(scope, statement.into, result or UNKNOWN, False, statement.span)
        if found is None or not found[1].entries or (target is not None and result is None):
            return
        tag, shape = self.freeze_argument(found[0]), found[1]
        args = self.arguments(shape.entries[0], list(use.args), use.span, scope)
        if args is None or any(a.type.sort == "unknown" for a in args):
            return
        flat = [part for value in [self.freeze_argument(a) for a in args] for part in flatten(value)]
        blocks = any(self.lowerer.is_machine(entry) for entry in shape.entries)
        done = self.m.new_block() if blocks and self.code.machine else None
        for place, entry in enumerate(shape.entries):
            given = [self.me(use.span, entry).expr, *flat] if entry.uses_me else flat
            test = ir.Binary("eq", tag.expr, ir.Const(place), self.lowerer.nowhere)
            if done is None:
                with captured(self.code) as made:
                    self.invoke(entry, list(given), target, statement.span)
                self.code.emit(ir.IfStmt(test, tuple(made)))
                continue
            run, following = self.m.new_block(), self.m.new_block()
            self.m.end(ir.Branch(test, run, following))
            self.m.switch(run)
            self.invoke(entry, list(given), target, statement.span)
            self.m.jump(done)
            self.m.switch(following)
        if done is not None:
            self.m.go_to(done)

    def invoke(self, entry: Any, flat: list[Any], target: Value | None, span: Span) -> None:
        into = None if target is None else target.expr.index
        if self.lowerer.is_machine(entry):
            if not self.code.machine:
                self.sink.error(
                    "GR0704", span, f"`{entry.name}` may ask somebody, which is not possible here"
                )
                return
            m = self.m
            following = m.new_block()
            fetched = target is not None and target.type.sort == "set"
            machine = self.lowerer.machine_for(entry)
            m.end(ir.CallMachine(machine, tuple(flat), None if fetched else into, following))
            m.switch(following)
            if target is not None and fetched:
                field = self.lowerer.returned(target.type)
                m.emit(ir.AssignSet(target.expr.index, ir.SetLoad(field, (), self.lowerer.nowhere)))
                m.emit(ir.Reset(field))
            return
        function = self.lowerer.function_for(entry, None)
        if target is not None and target.type.sort == "set":
            self.code.emit(ir.AssignSet(target.expr.index, ir.SetCall(function, tuple(flat))))
            return
        self.code.emit(ir.Do(function, tuple(flat), into))

    def _require(self, statement: syn.RequireStmt, scope: Scope) -> None:
        test = self.condition(statement.condition, scope)
        why = statement.why or "a requirement does not hold"
        site = self.lowerer.site("fail", why, statement.span, statement.cites.ids, owner=self.code.owner)
        self.code.emit(ir.IfStmt(ir.Unary("not", test), (ir.Fail(FAIL_REQUIRE, site),)))
        self.demanded.append(statement.condition)
        scope.facts.update(self.facts(statement.condition, scope, True))

    def _return(self, statement: syn.ReturnStmt, scope: Scope) -> bool:
        if self.branching:
            self.sink.error(
                "GR0208",
                statement.span,
                "`return` would leave a simultaneous or secret block before its merge",
                hint="`next` ends one pass of a loop, `stop` the loop",
            )
            return True
        if statement.value is not None:
            return self._case(syn.CaseStmt(statement.value, None, statement.cites, statement.span), scope)
        if self.code.result is not None:
            self.sink.error("GR0309", statement.span, f"a result of type {self.code.result} is needed")
        if self.code.machine:
            self.m.end(ir.ReturnMachine(None))
            self.m.switch(self.m.new_block())
        else:
            self.code.emit(ir.Return(None))
        return True

    def _destroy(self, statement: syn.DestroyStmt, scope: Scope) -> None:
        if self._for_each_part(statement.value, statement, scope):
            return
        made = self.value(statement.value, scope)
        dom = made.type.dom
        if made.type.sort != "dom" or dom is None or dom.alive is None:
            if made.type.sort != "unknown":
                self.sink.error(
                    "GR0301",
                    statement.value.span,
                    f"only counters and records are removed, this is {made.type}",
                )
            return
        self.demand(made, dom_type(dom), statement.value.span)
        site = self.lowerer.site(
            "log", "{0} is removed", statement.span, statement.cites.ids, (made.type.show,), self.code.owner
        )
        if dom.sort == "piece" and dom.secret_all is None:
            self.code.emit(ir.Note(1, site, (made.expr,)))
        self.code.emit(ir.Destroy(dom.id, made.expr, site))

    def _create(self, statement: syn.CreateStmt, scope: Scope) -> None:
        dom = self.world.types.get(statement.piece)
        if dom is None or dom.alive is None:
            known = [d.name for d in self.world.types.values() if d.alive is not None]
            self.sink.error(
                "GR0202",
                statement.span,
                f"there are no counters `{statement.piece}`",
                hint=hint_for(statement.piece, known),
            )
            if statement.into:
                self.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
            return
        site = self.lowerer.site(
            "write", f"new {dom.name}", statement.span, statement.cites.ids, owner=self.code.owner
        )
        given = [(named.name, named.value, named.span) for named in statement.fields]
        if statement.kind is not None:
            given.insert(0, ("type", statement.kind, statement.kind.span))
        elif dom.kind is not None and not any(name == "type" for name, _, _ in given):
            self.sink.error(
                "GR0603",
                statement.span,
                f"of which {dom.kind.name} is the new {dom.name}?",
                hint=f"create {dom.name} of ...",
            )
        made: list[tuple[FieldInfo, Value]] = []
        for name, expr, span in given:
            info = dom.fields.get(name)
            if info is None or (info.field is None and info.parts is None) or info.axes:
                self.sink.error(
                    "GR0203", span, f"{dom.name} has no field `{name}`", hint=hint_for(name, list(dom.fields))
                )
                continue
            made.append((info, self.checked(expr, scope, info.type, f"`{name}`")))
        if statement.into is not None:
            var = self.declare_local(scope, statement.into, dom_type(dom), False, statement.span)
        else:
            var = self.code.variable("(new)", dom_type(dom))
        # The values are computed before the counter exists, so that they never read it.
        frozen = [(info, self.freeze_argument(value)) for info, value in made if value.type.sort != "unknown"]
        self.code.emit(ir.Create(dom.id, var.expr.index, site))
        for info, value in frozen:
            if info.parts is not None:
                self._store_form(info, (var.expr,), value, site)
                continue
            assert info.field is not None
            if info.type.sort == "list":
                self.code.emit(ir.StoreList(info.field, (var.expr,), value.expr, site))
            elif info.type.sort == "set":
                self.code.emit(ir.StoreSet(info.field, (var.expr,), value.expr, site))
            else:
                self.code.emit(ir.Store(info.field, (var.expr,), value.expr, "set", info.clamped, site))

    def _bag(self, expr: syn.Expr) -> Any:
        if isinstance(expr, syn.Name) and expr.id in self.world.bags:
            return self.world.bags[expr.id]
        if isinstance(expr, syn.Name) and expr.id in self.world.broken:
            return None
        self.sink.error(
            "GR0208",
            expr.span,
            "the name of a bag or deck is needed here",
            hint=hint_for(expr.id, list(self.world.bags)) if isinstance(expr, syn.Name) else None,
        )
        return None

    def _draw(self, statement: syn.DrawStmt, scope: Scope) -> None:
        """Take one at random from a bag; `seen by` says who learns which."""
        if isinstance(statement.source, syn.Ternary):
            self._draw_either(statement, statement.source, scope)
            return
        bag = self._bag(statement.source)
        if bag is None:
            self.declare_local(scope, statement.name, UNKNOWN, False, statement.span)
            return
        seen = (
            self.lowerer.mask_of(self.seat(statement.seen_by, scope, statement.span).expr)
            if statement.seen_by is not None
            else None
        )
        var = self.declare_local(scope, statement.name, dom_type(bag.kind), False, statement.span)
        self._draw_into(bag, var, seen, statement)

    def _draw_either(self, statement: syn.DrawStmt, source: syn.Ternary, scope: Scope) -> None:
        bags = [self._bag(source.then), self._bag(source.otherwise)]
        if None in bags or bags[0].kind is not bags[1].kind:
            self.declare_local(scope, statement.name, UNKNOWN, False, statement.span)
            return
        condition = self.condition(source.condition, scope)
        seen = (
            self.lowerer.mask_of(self.seat(statement.seen_by, scope, statement.span).expr)
            if statement.seen_by is not None
            else None
        )
        var = self.declare_local(scope, statement.name, dom_type(bags[0].kind), False, statement.span)
        if chance.stops(self):
            m = self.m
            blocks, done = (m.new_block(), m.new_block()), m.new_block()
            m.end(ir.Branch(condition, *blocks))
            for block, bag in zip(blocks, bags):
                m.switch(block)
                self._draw_into(bag, var, seen, statement)
                m.jump(done)
            m.switch(done)
            return
        arms = []
        for bag in bags:
            with captured(self.code) as made:
                self._draw_into(bag, var, seen, statement)
            arms.append(tuple(made))
        self.code.emit(ir.IfStmt(condition, arms[0], arms[1]))

    def _draw_into(self, bag: Any, var: Value, seen: Any, statement: syn.DrawStmt) -> None:
        code = self.code
        counts = bag.field.field
        site = self.lowerer.site(
            "draw",
            f"drawn from {bag.name}: {{0}}",
            statement.span,
            statement.cites.ids,
            (var.type.show,),
            self.code.owner,
        )
        empty = self.lowerer.site(
            "fail", f"{bag.name} is empty", statement.span, statement.cites.ids, owner=self.code.owner
        )
        hidden = self.lowerer.site(
            "hidden roll", f"draw from {bag.name}", statement.span, statement.cites.ids, owner=self.code.owner
        )
        row = code.local("(row)", dom_type(bag.kind))
        left = code.local("(left)", INT)
        total = ir.Aggregate(
            "sum", row, ir.OverDomain(bag.kind.id), None, ir.Load(counts, (ir.Local(row),), site), site
        )
        code.emit(ir.Assign(left, total))
        code.emit(
            ir.IfStmt(ir.Binary("eq", ir.Local(left), ir.Const(0), site), (ir.Fail(FAIL_EMPTY, empty),))
        )
        if chance.stops(self):
            chance.draw(self, counts, var.expr.index, hidden, f"draw from {bag.name}")
            code.emit(ir.Store(counts, (var.expr,), ir.Const(-1), "add", False, site))
            code.emit(ir.Note(1, site, (var.expr,), seen))
            return
        code.emit(ir.Roll(ir.Const(1), ir.Const(1), ir.Local(left), left, None, hidden))
        take = (
            ir.Assign(left, ir.Binary("sub", ir.Local(left), ir.Load(counts, (ir.Local(row),), site), site)),
            ir.IfStmt(
                ir.Binary("le", ir.Local(left), ir.Const(0), site),
                (ir.Assign(var.expr.index, ir.Local(row)), ir.Break()),
            ),
        )
        code.emit(ir.For(row, ir.OverDomain(bag.kind.id), bag.kind.id, None, None, False, take, site))
        code.emit(ir.Store(counts, (var.expr,), ir.Const(-1), "add", False, site))
        code.emit(ir.Note(1, site, (var.expr,), seen))

    def _put(self, statement: syn.PutStmt, scope: Scope) -> None:
        targets: list[tuple[Any, Any]] = []
        if isinstance(statement.target, syn.Ternary):
            condition = self.condition(statement.target.condition, scope)
            targets = [
                (condition, self._bag(statement.target.then)),
                (ir.Unary("not", condition), self._bag(statement.target.otherwise)),
            ]
        else:
            targets = [(None, self._bag(statement.target))]
        for condition, bag in targets:
            if bag is None:
                continue
            made = self.checked(statement.value, scope, dom_type(bag.kind))
            site = self.lowerer.site(
                "write", f"back into {bag.name}", statement.span, statement.cites.ids, owner=self.code.owner
            )
            store = ir.Store(bag.field.field, (made.expr,), ir.Const(1), "add", False, site)
            self.code.emit(store if condition is None else ir.IfStmt(condition, (store,)))

    def _reveal(self, statement: syn.RevealStmt, scope: Scope) -> None:
        target = self.lvalue(statement.value, scope)
        if isinstance(target, tuple) and target[0].parts is not None and target[0].secret:
            # All parts of a form come to light together; the log tells its name.
            for key in [*(key for key in target[0].parts if key != "name"), "name"]:
                self._reveal_field(target[0].parts[key], target[1], statement, key == "name")
            return
        if not isinstance(target, tuple) or target[0].known is None:
            if target is not None:
                self.sink.error("GR0208", statement.value.span, "only a secret field can be revealed")
            return
        self._reveal_field(target[0], target[1], statement, target[0].type.sort not in ("set", "list"))

    def _reveal_field(
        self, info: FieldInfo, index: tuple[Any, ...], statement: syn.RevealStmt, told: bool
    ) -> None:
        site = self.lowerer.site(
            "log",
            f"{info.name.removesuffix('.name')} shown: {{0}}",
            statement.span,
            statement.cites.ids,
            (info.type.show,),
            self.code.owner,
        )
        assert info.known is not None
        self.code.emit(ir.Store(info.known, index, ir.Const(1), "set", False, site))
        if told:
            made = self.field(info, list(index), [], statement.span)
            self.code.emit(ir.Note(1, site, (made.expr,)))

    def _show(self, statement: syn.ShowStmt, scope: Scope) -> None:
        """Told once, to one seat; the field itself stays as secret as it was."""
        seen = self.lowerer.mask_of(self.seat(statement.to, scope, statement.span).expr)
        made = [self.value(value, scope) for value in statement.values]
        for value, expr in zip(made, statement.values, strict=True):
            if value.type.sort in ("set", "list", "record"):
                self.sink.error("GR0301", expr.span, f"{value.type} cannot be shown in a line")
                return
        labels = [path_of(expr) or "value" for expr in statement.values]
        text = "shown: " + ", ".join(f"{label} {{{n}}}" for n, label in enumerate(labels))
        site = self.lowerer.site(
            "log", text, statement.span, statement.cites.ids, [v.type.show for v in made], self.code.owner
        )
        self.code.emit(ir.Note(1, site, tuple(v.expr for v in made), seen))

    def _mark(self, statement: syn.MarkStmt, scope: Scope) -> None:
        """Resets now; the copies for `as of` are added when all of them are known."""
        self._resets(self.world.reset_at.get(statement.name, ()))
        self.code.emit(self.lowerer.mark_statement(statement.name))
        if statement.of is not None:
            whose = self.value(statement.of, scope)
            if whose.type.sort != "unknown":
                self.demand(whose, replace(whose.type, optional=False), statement.of.span)
                self.code.emit(self.lowerer.mark_of_statement(statement.name, whose, statement.of.span))

    def _log(self, statement: syn.LogStmt, scope: Scope) -> None:
        args: list[Any] = []
        shows: list[str] = []
        text = ""
        for part in re.split(r"(\{[^}]*\})", statement.text):
            if part.startswith("{"):
                names = part[1:-1].strip().split(".")
                if not all(re.fullmatch(r"\w+", name) for name in names):
                    self.sink.error(
                        "GR0208",
                        statement.span,
                        f"{part} is not a name",
                        hint="a log line shows names such as {u} or {u.at}",
                    )
                    continue
                expr: syn.Expr = syn.Name(names[0], statement.span)
                for name in names[1:]:
                    expr = syn.Dot(expr, name, statement.span, statement.span)
                made = self.value(expr, scope)
                if made.type.form is not None and made.record is not None:
                    made = made.record["name"]
                if made.type.sort in ("set", "list", "record"):
                    self.sink.error(
                        "GR0301", statement.span, f"{part} is a {made.type} and cannot be shown in a line"
                    )
                    continue
                text += f"{{{len(args)}}}"
                args.append(made.expr)
                shows.append(made.type.show)
            else:
                text += part
        site = self.lowerer.site("log", text, statement.span, statement.cites.ids, shows, self.code.owner)
        self.code.emit(ir.Note(1, site, tuple(args)))

    def _end(self, statement: syn.EndStmt, scope: Scope) -> bool:
        m = self.m
        going_on = None
        if statement.condition is not None:
            ending, going_on = m.new_block(), m.new_block()
            m.end(ir.Branch(self.condition(statement.condition, scope), ending, going_on))
            m.switch(ending)
        assert self.world.sides
        if statement.winner is not None:
            winner = self.checked(statement.winner, scope, dom_type(self.world.sides, True)).expr
        elif "victory" in self.world.callables:
            winner = self.call(self.world.callables["victory"], [], statement.span, scope).expr
        else:
            winner = ir.Const(NONE)
        site = self.lowerer.site(
            "log", "the game ends", statement.span, statement.cites.ids, owner=self.code.owner
        )
        m.emit(ir.Note(1, site, ()))
        owner = self.world.callables.get(self.code.owner)
        if owner is not None and owner.sort == "action":
            # The action that ends the game is completed with it.
            m.emit(ir.StoreHead(H_PLY, ir.Binary("add", ir.Head(H_PLY), ir.Const(1), self.lowerer.nowhere)))
        m.end(ir.EndGame(winner))
        m.switch(going_on if going_on is not None else m.new_block())
        return statement.condition is None


#: Statements after which any rule may give something else.
_CHANGES_ANYTHING = (
    syn.DoStmt,
    syn.EmitStmt,
    syn.RollStmt,
    syn.OfferStmt,
    syn.RepeatsStmt,
    syn.CreateStmt,
    syn.DestroyStmt,
    syn.DrawStmt,
    syn.PutStmt,
    syn.PhaseStmt,
    syn.MarkStmt,
    syn.AssignMatchStmt,
)


class _BranchMark:
    """Stands at the end of a simultaneous loop's body; lowered to BranchNext."""

    def __init__(self, site: int) -> None:
        self.site = site
        self.cites = syn.NO_CITES


def _closing(body: tuple[Any, ...]) -> tuple[ir.Stmt, ...]:
    """What ends a pass early must do as well: in a simultaneous loop, close the branch."""
    mark = body[-1] if body else None
    return (ir.BranchNext(mark.site),) if isinstance(mark, _BranchMark) else ()


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _positive(condition: Any) -> list[Any]:
    """The parts of a condition that all hold when it does."""
    if isinstance(condition, syn.BinaryExpr) and condition.op == "and":
        return [*_positive(condition.left), *_positive(condition.right)]
    if (
        isinstance(condition, syn.BinaryExpr)
        and condition.op == "gt"
        and condition.right == syn.Number("0", condition.span)
    ):
        return [condition, condition.left]
    return [condition]


def _rename(node: Any, old: str, new: str) -> Any:
    from grognard.compiler.layers import substitute

    place = Span("", 0, 0, 0, 0)
    return substitute(node, syn.Name(old, place), syn.Name(new, place))[0]


def _same_question(node: syn.AggregateExpr, wanted: tuple[Any, Any], name: str) -> bool:
    where = node.where if node.where is None else _rename(node.where, node.var, name)
    return node.source == wanted[0] and where == wanted[1]


def _says_not_empty(node: Any, source: Any) -> bool:
    match node:
        case syn.BinaryExpr(op="is_not", left=left, right=syn.Name(id="empty")):
            return bool(left == source)
        case syn.CallExpr(callee=syn.Name(id="count"), args=(inner,)):
            return bool(inner == source)
    return False
