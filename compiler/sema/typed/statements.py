"""Bodies checked: their blocks, and the statements that rules have, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from grognard.compiler.sema.asking import is_machine
from grognard.compiler.sema.scope import Binding, Scope, Variable, path_of
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import bind_variables, inside
from grognard.compiler.sema.typed.checker import Body, Checker, Surroundings
from grognard.compiler.sema.typed.coverage import covers, table_of, warn_of_results
from grognard.compiler.sema.typed.declaration_parts import bound_by, declaration_part
from grognard.compiler.sema.typed.loops import check_for, check_leave_pass
from grognard.compiler.sema.typed.procedures import check_procedure_statement
from grognard.compiler.sema.typed.standing import Standing
from grognard.compiler.sema.types import INT, UNKNOWN, Type, common_dom, set_type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Label, Sink
from grognard.support.source import Span

Statements: TypeAlias = tuple[syn.Stmt, ...]


class BodyChecker(Checker):
    """Checks the statements of one body."""

    def __init__(self, around: Surroundings, body: Body, sink: Sink) -> None:
        super().__init__(around, body, sink)
        #: locals that hold the result of a table: name -> table
        self.looked_up: dict[str, str] = {}
        self.standing = Standing()
        #: statements of the declaration part of an action or sheet, by identity, and what is known before the next one
        self.declared: frozenset[int] = frozenset()
        self.declared_names: list[Variable] = []
        #: a sheet of a form, and its routes
        self.is_sheet = False
        self.sheet_routes: frozenset[str] = frozenset()
        #: examples set fields to whatever they want
        self.in_example = False
        #: in a situation: the procedure whose odds are computed, "" before that is said
        self.odds_of: str | None = None

    # ------------------------------------------------------------------------------------------------- names

    def bind(self, scope: Scope, variable: Variable, mutable: bool, span: Span) -> None:
        self.free(scope, variable.name, span)
        scope.names[variable.name] = Binding(variable, mutable, span)

    def free(self, scope: Scope, name: str, span: Span) -> None:
        """Report a name that has a meaning in this block."""
        earlier = scope.names.get(name)
        if earlier is not None:
            self.sink.error(
                "GR0206",
                span,
                f"`{name}` has a meaning here already",
                labels=(Label(earlier.span, "from here"),) if earlier.span else (),
            )

    # ------------------------------------------------------------------------------------------------- blocks

    def block(self, body: Statements, scope: Scope) -> tuple[tuple[t.Statement, ...], bool]:
        """Check a block; True with it if it always leaves (returns, stops)."""
        made: list[t.Statement] = []
        for number, statement in enumerate(body):
            node, leaves = self.statement(statement, scope)
            if node is not None:
                made.append(node)
                if id(statement) in self.declared:
                    self.declared_names += bound_by((node,))
            if leaves:
                if number + 1 < len(body):
                    self.sink.warning("GR0706", body[number + 1].span, "this can never be reached")
                return tuple(made), True
        return tuple(made), False

    def statement(self, statement: syn.Stmt, scope: Scope) -> tuple[t.Statement | None, bool]:
        """Check a statement; True with it if it always leaves.  Nothing comes of one that has a mistake, or does nothing."""
        match statement:
            case syn.Let():
                return self.let(statement, scope), False
            case syn.AssignStmt(target=syn.Name(id=name)) if scope.find(name) is not None:
                return self.write(statement, scope), False
            case syn.CaseStmt():
                return self.case(statement, scope)
            case syn.ReturnStmt():
                return self.leave(statement, scope)
            case syn.IfStmt():
                return self._if(statement, scope)
            case syn.ForStmt():
                return check_for(self, statement, scope), False
            case syn.StopStmt() | syn.NextStmt():
                return check_leave_pass(self, statement)
        if not self.body.pure:
            return check_procedure_statement(self, statement, scope)
        if isinstance(statement, syn.PassStmt):
            return None, False
        self.sink.error(
            "GR0312",
            statement.span,
            "a rule may not change the state, roll or ask",
            hint="make it a procedure",
        )
        self.give_unknown(statement, scope)
        return None, False

    def give_unknown(self, statement: syn.Stmt, scope: Scope) -> None:
        """After a mistake: give the names of a statement a meaning, so that their uses are not reported."""
        for name in names_given(statement):
            if scope.find(name) is None:
                self.bind(scope, Variable(name, UNKNOWN), False, statement.span)

    def needs_blocks(self, statement: syn.Stmt) -> bool:
        """Whether a statement of a machine must become blocks: it can ask, leave the machine or a loop of blocks."""
        if not self.body.machine:
            return False
        loops = self.standing.loops
        for node in walk(statement):
            if isinstance(node, syn.ReturnStmt | syn.CaseStmt | syn.EndStmt):
                return True
            if isinstance(node, syn.StopStmt | syn.NextStmt) and loops and loops[-1]:
                return True
            if self.around.asks(node):
                return True
        return False

    @property
    def me_type(self) -> Type | None:
        return self.standing.acting or super().me_type

    @contextmanager
    def acting(self, seat: Type) -> Iterator[None]:
        """Inside, somebody acts."""
        before, self.standing.acting = self.standing.acting, seat
        yield
        self.standing.acting = before

    # ------------------------------------------------------------------------------------------------- values

    def let(self, statement: syn.Let, scope: Scope) -> t.Let:
        want = self.written_type(statement.type) if statement.type else None
        made = self.value(statement.value, scope, want)
        if want is not None:
            self.demand(made.type, want, statement.value.span)
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
        variable = Variable(statement.name, type_)
        self.bind(scope, variable, statement.mutable, statement.span)
        table = table_of(self.symbols, self.looked_up, statement.value)
        if table is not None:
            self.looked_up[statement.name] = table
        return t.Let(statement, variable, made)

    def write(self, statement: syn.AssignStmt, scope: Scope) -> t.Write | None:
        assert isinstance(statement.target, syn.Name)
        name = statement.target.id
        bound = scope.find(name)
        assert bound is not None
        if not bound.mutable:
            self.sink.error(
                "GR0307",
                statement.target.span,
                f"`{name}` does not change",
                hint=f"declare it with `var {name} = ...`",
            )
            self.value(statement.value, scope)
            return None
        made = t.Write(statement, bound.variable, self.written_value(statement, bound.type, scope))
        self.written(statement, scope)
        return made

    def written(self, statement: syn.AssignStmt, scope: Scope) -> None:
        """After a write: forget what was known of what is written, and know what the new value tells."""
        path = path_of(statement.target)
        if path is None:
            return
        scope.forget(path)
        value = None if isinstance(statement.value, syn.NoneLit) else self.type_of(statement.value, scope)
        known = self.type_of(statement.target, scope)
        if statement.op != "set" or known is None or not known.optional:
            return
        if (value is not None and not value.optional) or isinstance(
            statement.value, syn.Number | syn.FlagLit
        ):
            scope.narrowed[path] = known.required()

    def written_value(self, statement: syn.AssignStmt, kept: Type, scope: Scope) -> t.Typed:
        """What a local of this type gets or loses."""
        if kept.sort == "set" and statement.op != "set":
            made = self.set_operand(statement, kept, scope)
            if made.type.sort not in ("dom", "set", "unknown"):
                self.sink.error(
                    "GR0313", statement.value.span, f"a set or a member is needed, this is {made.type}"
                )
                return t.Broken(UNKNOWN)
            return made
        if kept.sort == "list" and statement.op == "add":
            return self.checked(statement.value, scope, kept.element or INT)
        made = self.checked(statement.value, scope, kept if statement.op == "set" else INT)
        if statement.op != "set":
            self.demand(kept, INT, statement.target.span)
        return made

    def set_operand(self, statement: syn.AssignStmt, kept: Type, scope: Scope) -> t.Typed:
        """What a set is made, gets or loses; what can never be in it is reported."""
        made = self.value(statement.value, scope, kept)
        dom = made.type.dom
        if statement.op == "set" or made.type.sort not in ("dom", "set") or dom is None or kept.dom is None:
            return made
        if dom.is_in(kept.dom):
            return made
        if statement.op == "sub" and common_dom(dom, kept.dom) is not None:
            # Of another class of places: it need not be a member to be taken out.
            return made if made.type.sort == "set" else t.SetOf(set_type(dom), (made,))
        what = "its members" if made.type.sort == "set" else "it"
        self.sink.error(
            "GR0301", statement.value.span, f"this is {made.type.words}: {what} cannot be in a {kept}"
        )
        return t.Broken(UNKNOWN)

    # ------------------------------------------------------------------------------------------------- results

    def case(
        self, statement: syn.CaseStmt, scope: Scope, origin: syn.Stmt | None = None
    ) -> tuple[t.Case | None, bool]:
        """`= value when condition`."""
        result = self.body.result
        if result is None:
            self.sink.error(
                "GR0208",
                statement.span,
                "there is no result to give here",
                hint="a procedure with a result is declared with `-> type`",
            )
            return None, False
        inner = scope
        condition: t.Typed | None = None
        if statement.condition is not None:
            condition = self.condition(statement.condition, scope)
            inner = scope.with_narrowed(self.narrow(statement.condition, scope, True))
        made = self.checked(statement.value, inner, result, "the result")
        if made.type.sort == "record" and not self.body.machine:
            self.sink.error("GR0301", statement.span, "a record cannot be a result")
            made = t.Broken(UNKNOWN)
        if statement.condition is not None:
            scope.narrowed.update(self.narrow(statement.condition, scope, False))
        return t.Case(statement, condition, made, result, origin or statement), statement.condition is None

    def leave(self, statement: syn.ReturnStmt, scope: Scope) -> tuple[t.Case | t.Leave | None, bool]:
        if self.standing.branching:
            self.sink.error(
                "GR0208",
                statement.span,
                "`return` would leave a simultaneous or secret block before its merge",
                hint="`next` ends one pass of a loop, `stop` the loop",
            )
            return None, True
        if statement.value is not None:
            line = syn.CaseStmt(statement.value, None, statement.cites, statement.span)
            return self.case(line, scope, statement)
        if self.body.result is not None:
            self.sink.error("GR0309", statement.span, f"a result of type {self.body.result} is needed")
        return t.Leave(statement), True

    # ------------------------------------------------------------------------------------------------- blocks in blocks

    def _if(self, statement: syn.IfStmt, scope: Scope) -> tuple[t.If, bool]:
        warn_of_results(self, self.looked_up, statement, scope)
        blocks = self.needs_blocks(statement)
        leaves_all = bool(statement.otherwise)
        inner = scope
        arms: list[tuple[t.Typed, tuple[t.Statement, ...]]] = []
        negated: dict[str, Type] = {}
        for condition, body in statement.arms:
            test = self.condition(condition, inner)
            arm = inner.with_narrowed(self.narrow(condition, inner, True)).child()
            self.standing.guards.append(condition)
            made, leaves = self.block(body, arm)
            self.standing.guards.pop()
            arms.append((test, made))
            after = self.narrow(condition, inner, False)
            if leaves:
                negated.update(after)
            leaves_all = leaves_all and leaves
            inner = inner.with_narrowed(after)
        otherwise, leaves = self.block(statement.otherwise, inner.child())
        if not statement.otherwise and len(statement.arms) == 1:
            scope.narrowed.update(negated)
        return t.If(statement, tuple(arms), otherwise, blocks), leaves_all and leaves


def names_given(statement: syn.Stmt) -> tuple[str, ...]:
    """The names that a statement gives a meaning."""
    match statement:
        case syn.RollStmt(target=syn.Name(id=name)) | syn.ChooseStmt(name=name) | syn.DrawStmt(name=name):
            return (name,)
        case syn.ChooseSomeStmt(into=name) | syn.ChooseRouteStmt(name=name):
            return (name,)
        case (
            syn.DoStmt(into=str(name)) | syn.CreateStmt(into=str(name)) | syn.AssignMatchStmt(into=str(name))
        ):
            return (name,)
    return ()


def check_body(
    around: Surroundings, entry: Callable_, exception: syn.ExceptionDecl | None, sink: Sink
) -> t.Body:
    """What a rule or procedure, or an exception to it, does."""
    machine = entry.sort == "form" or is_machine(entry)
    check = BodyChecker(around, inside(around.symbols, entry, machine, within=exception is not None), sink)
    scope = Scope()
    params = bind_variables(scope, entry.params, entry.span, entry.changeable)
    if exception is None:
        if entry.sort in ("action", "form"):
            _know_declaration(check, entry, params)
        statements, leaves = check.block(entry.decl.body, scope)
        covered = not leaves and covers(check, entry.decl.body, entry.result, scope)
        if entry.result is not None and not leaves and not covered:
            sink.error(
                "GR0309",
                entry.span,
                f"`{entry.name}` does not give a result in every case",
                hint="end it with a line without condition, or `= ... otherwise`",
            )
        return t.Body(params, None, statements, covered)
    condition: t.Typed | None = None
    inner = scope
    if exception.condition is not None:
        condition = check.condition(exception.condition, scope)
        inner = scope.with_narrowed(check.narrow(exception.condition, scope, True))
    statements, leaves = check.block(exception.body, inner.child())
    if entry.result is not None and not leaves:
        sink.error("GR0309", exception.span, "the exception does not give a result in every case")
    return t.Body(params, condition, statements, False)


def _know_declaration(check: BodyChecker, entry: Callable_, params: tuple[Variable, ...]) -> None:
    """What is asked first of an action or sheet is offered only if all of it can be answered."""
    part = declaration_part(check.symbols, entry, check.around.is_kept(entry.name))
    check.declared = frozenset(map(id, part))
    check.declared_names = [variable for variable in params if variable.type.sort != "unknown"]
    if entry.sort == "form":
        check.is_sheet = True
        check.sheet_routes = frozenset(
            statement.name for statement in entry.decl.body if isinstance(statement, syn.ChooseRouteStmt)
        )
