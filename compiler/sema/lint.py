"""Checks over whole declarations, after names and types are known: what is unused, unreachable or without end.

They look at the syntax trees and only speak when they are sure; a procedure that might change something counts as
changing it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from grognard.compiler.layers.merge import Merged, walk
from grognard.compiler.lower.exceptions import conjuncts, disjoint
from grognard.compiler.sema.effects import asks_directly
from grognard.compiler.sema.world import World
from grognard.compiler.syntax import nodes as syn
from grognard.contract.rulebook import Rulebook
from grognard.support.source import Span


def lint(world: World, merged: Merged, book: Rulebook | None) -> None:
    """Report what is odd about a title that is otherwise understood."""
    linter = _Linter(world, merged)
    for owner, body in linter.bodies():
        nodes = list(walk(body))
        if not isinstance(owner, syn.ExampleDecl):
            linter.unused(nodes)
        linter.loops(nodes)
        linter.secrets(nodes)
    linter.phases()
    linter.recursion()
    linter.actions()
    linter.events()
    linter.named_by_columns()
    linter.life_cycles()
    if book is not None:
        linter.citations()


class _Linter:
    def __init__(self, world: World, merged: Merged) -> None:
        self.world = world
        self.merged = merged
        self.sink = world.sink
        self.hidden = {
            info.name for dom in world.doms for info in dom.fields.values() if info.secret and not info.axes
        }

    def bodies(self) -> Iterator[tuple[Any, tuple[syn.Stmt, ...]]]:
        """Every block of statements that stands by itself."""
        for _, decl in self.merged.decls:
            if isinstance(
                decl,
                syn.RuleDecl
                | syn.ProcedureDecl
                | syn.ActionDecl
                | syn.OnDecl
                | syn.OnChangeDecl
                | syn.SequenceDecl
                | syn.VictoryDecl,
            ):
                yield decl, decl.body
        for _, exception in self.merged.exceptions:
            yield exception, exception.body
        for _, example in self.merged.examples:
            yield example, example.body

    # --------------------------------------------------------------------------------------- life cycles

    def life_cycles(self) -> None:
        """States that steps lead to, and that nothing ever writes."""
        for dom in self.world.doms:
            for info in dom.fields.values():
                if info.steps is None or not info.made or None in info.made or info.type.dom is None:
                    continue
                for place in sorted({b for _, b in info.steps} - info.made):
                    name = info.type.dom.members[place]
                    self.sink.warning(
                        "GR0715",
                        info.decl.span if info.decl is not None else None,
                        f"steps lead to `{name}`, but nothing ever makes {dom.name}.{info.name} so",
                    )

    # ---------------------------------------------------------------------------------------- never used

    def unused(self, nodes: list[Any]) -> None:
        """Locals that nothing reads; a name that starts with `_` says that this is meant."""
        made: list[tuple[str, Span, str]] = []
        read: set[str] = set()
        written: set[int] = set()
        for node in nodes:
            match node:
                case syn.Let(name=name, span=span):
                    made.append((name, span, "is never used"))
                case syn.RollStmt(target=syn.Name(id=name), span=span) if name not in self.world.globals:
                    made.append((name, span, "is rolled and never looked at"))
                case syn.DoStmt(into=str(name), span=span) | syn.CreateStmt(into=str(name), span=span):
                    made.append((name, span, "is never used"))
                case syn.DrawStmt(name=name, span=span):
                    made.append((name, span, "is drawn and never looked at"))
                case syn.ChooseSomeStmt(into=name, span=span):
                    made.append((name, span, "is never used"))
            match node:
                case syn.AssignStmt(target=syn.Name()) | syn.RollStmt(target=syn.Name()):
                    # What a name is given is no use of it, nor is `n += 1`.
                    written.add(id(node.target))
                case syn.LogStmt(text=text):
                    read |= {path.split(".")[0] for path in _placeholders(text)}
                case syn.Name(id=name) if id(node) not in written:
                    read.add(name)
        for name, span, what in made:
            if name not in read and not name.startswith("_"):
                self.sink.warning("GR0210", span, f"`{name}` {what}", hint="use it, or take it out")

    # --------------------------------------------------------------------------------------- without end

    def loops(self, nodes: list[Any]) -> None:
        for node in nodes:
            match node:
                case syn.WhileStmt(condition=condition, body=inner):
                    if not self._leaves(inner) and self._stays(condition, inner):
                        self._endless(
                            node.span, "nothing in this loop changes its condition, and nothing leaves it"
                        )
                case syn.UntilStmt(condition=condition, body=inner) if condition is not None:
                    if not self._leaves(inner) and self._stays(condition, inner):
                        self._endless(
                            node.body[0].span if node.body else node.span,
                            "nothing in this loop changes what its `until` reads, and nothing leaves it",
                        )
                case syn.CountStmt(start=syn.Number(value=first), end=syn.Number(value=last)) if first > last:
                    self.sink.warning(
                        "GR0701",
                        node.span,
                        f"this counts up from {first} to {last}, so what it repeats is never done",
                        hint=f"from {last} to {first}",
                    )
                case syn.CountStmt(end=None, body=inner):
                    if not self._leaves(inner):
                        self._endless(
                            node.span, "this counts for ever: nothing in it stops, asks or ends the game"
                        )

                case syn.AlternateStmt(body=inner):
                    if not self._comes_to_pass(inner):
                        self._endless(
                            node.span, "this goes round for ever: nobody can pass here, and nothing stops it"
                        )

    def _comes_to_pass(self, body: Any) -> bool:
        """Whether something that can happen in a turn passes, stops the rotation or ends the game."""
        pending: list[Any] = [body]
        seen: set[str] = set()
        while pending:
            part = pending.pop()
            for node in walk(part):
                # What hears of an event is not looked at: it may pass too.
                if isinstance(node, syn.PassStmt | syn.EndStmt | syn.EmitStmt):
                    return True
                if part is body and isinstance(node, syn.StopStmt | syn.ReturnStmt):
                    return True
                name = (
                    node.name if isinstance(node, syn.Use) else node.id if isinstance(node, syn.Name) else ""
                )
                entry = self.world.callables.get(name)
                if entry is not None and name not in seen:
                    seen.add(name)
                    pending += [entry.decl, *(exception for _, exception in entry.exceptions)]
                if "." in name:
                    return True  # named by data
        return False

    def _endless(self, span: Span, message: str) -> None:
        self.sink.error(
            "GR0702", span, message, hint="add `stop`, a bound (`to n`), or the change that was forgotten"
        )

    def _leaves(self, body: Any) -> bool:
        """Whether a loop's body can be left: by itself, by a decision (which can end the game), or by a call."""
        for node in walk(body):
            if isinstance(node, syn.StopStmt | syn.ReturnStmt | syn.EndStmt | syn.CaseStmt):
                return True
            if asks_directly(node):
                return True
            if isinstance(node, syn.DoStmt) and self._entry_asks(node.use.name):
                return True
            if isinstance(node, syn.PhaseStmt) and (node.body is None and self._entry_asks(node.name)):
                return True
            if isinstance(node, syn.EmitStmt):
                return True  # its handlers may do anything
            if isinstance(node, syn.RollStmt) and node.event is not None:
                return True
        return False

    def _entry_asks(self, name: str) -> bool:
        entry = self.world.callables.get(name)
        return entry is None or entry.asks or entry.sort == "action"

    def _stays(self, condition: syn.Expr, body: Any) -> bool:
        """Whether the condition has the same outcome after the body, whatever it does."""
        if _truth(condition) is not None:
            return True
        names = {node.id for node in walk(condition) if isinstance(node, syn.Name)}
        reads_state = any(
            isinstance(node, syn.Dot | syn.CallExpr | syn.AggregateExpr)
            or (
                isinstance(node, syn.Name)
                and (node.id in self.world.globals or node.id in self.world.callables)
            )
            for node in walk(condition)
        )
        changed: set[str] = set()
        state = False
        for node in walk(body):
            match node:
                case syn.AssignStmt(target=syn.Name(id=name)):
                    changed.add(name)
                    state |= name in self.world.globals
                case syn.AssignStmt() | syn.AssignMatchStmt() | syn.CreateStmt() | syn.DestroyStmt():
                    state = True
                case syn.DrawStmt() | syn.PutStmt() | syn.RevealStmt() | syn.MarkStmt() | syn.EmitStmt():
                    state = True
                case syn.RollStmt(target=target):
                    if isinstance(target, syn.Name):
                        changed.add(target.id)
                    state = True
                case syn.DoStmt() | syn.PhaseStmt() | syn.PassStmt() | syn.SecretStmt() | syn.AlternateStmt():
                    state = True
                case syn.Let(name=name) | syn.ChooseStmt(name=name):
                    changed.add(name)
                case syn.ForStmt(var=name) | syn.CountStmt(var=name):
                    changed.add(name)
                    state |= name in self.world.globals
        return not (state and reads_state) and not names & changed

    def recursion(self) -> None:
        """Procedures that do themselves, directly or by others, before they can return."""
        surely: dict[str, list[tuple[str, Span]]] = {}
        for _, decl in self.merged.decls:
            if isinstance(decl, syn.ProcedureDecl | syn.ActionDecl):
                surely[decl.name] = list(_sure_calls(decl.body))
        told: set[frozenset[str]] = set()
        for start in surely:
            path = self._circle(start, surely)
            if path is None or frozenset(name for name, _ in path) in told:
                continue
            told.add(frozenset(name for name, _ in path))
            names = [start, *(name for name, _ in path)]
            self.sink.error(
                "GR0702",
                path[0][1],
                f"`{start}` does itself again in every case"
                if len(path) == 1
                else f"`{path[0][0]}` leads back here in every case: {' -> '.join(names)}",
                hint="put a condition around the call, or make it a loop",
            )

    def _circle(self, start: str, calls: dict[str, list[tuple[str, Span]]]) -> list[tuple[str, Span]] | None:
        """A chain of sure calls from a procedure back to it."""
        pending: list[tuple[str, list[tuple[str, Span]]]] = [(start, [])]
        seen = {start}
        while pending:
            name, path = pending.pop()
            for callee, span in calls.get(name, ()):
                if callee == start:
                    return [*path, (callee, span)]
                if callee not in seen and callee in calls:
                    seen.add(callee)
                    pending.append((callee, [*path, (callee, span)]))
        return None

    # ---------------------------------------------------------------------------------------- unreachable

    def phases(self) -> None:
        for _, decl in self.merged.decls:
            if isinstance(decl, syn.SequenceDecl):
                if decl.condition is not None and self._never(decl.condition):
                    self.sink.warning(
                        "GR0701", decl.condition.span, "this never holds, so the sequence is never played"
                    )
                self._phases(decl.body)

    def _phases(self, body: tuple[syn.Stmt, ...]) -> None:
        endless: syn.Stmt | None = None
        for statement in body:
            if endless is not None:
                phase = next((node for node in walk(statement) if isinstance(node, syn.PhaseStmt)), None)
                if phase is not None:
                    self.sink.warning(
                        "GR0701",
                        phase.span,
                        f"phase `{phase.name}` is never reached: what stands before it repeats for ever",
                        labels=(_label(endless.span, "this never ends"),),
                    )
                return
            if isinstance(statement, syn.PhaseStmt):
                if statement.condition is not None and self._never(statement.condition):
                    self.sink.warning(
                        "GR0701",
                        statement.condition.span,
                        f"this never holds, so phase `{statement.name}` is never played",
                    )
                self._phases(statement.body or ())
            elif isinstance(
                statement, syn.CountStmt | syn.WhileStmt | syn.UntilStmt | syn.TimesStmt | syn.ForStmt
            ):
                self._phases(statement.body)
                forever = (isinstance(statement, syn.CountStmt) and statement.end is None) or (
                    isinstance(statement, syn.WhileStmt) and _truth(statement.condition) is True
                )
                if forever and not _stops(statement.body):
                    endless = statement
            elif isinstance(statement, syn.IfStmt):
                for _, arm in statement.arms:
                    self._phases(arm)
                self._phases(statement.otherwise)

    def _never(self, condition: syn.Expr) -> bool:
        """Whether a condition plainly never holds, by itself or by the declared ranges of the game's fields."""
        if _truth(condition) is False:
            return True
        parts = conjuncts(condition)
        if any(_truth(part) is False or self._out_of_range(part) for part in parts):
            return True
        return _contradiction(parts) is not None

    def _out_of_range(self, part: syn.Expr) -> bool:
        if not isinstance(part, syn.BinaryExpr) or not isinstance(part.left, syn.Name):
            return False
        info = self.world.globals.get(part.left.id)
        if info is None or info.type.sort != "int" or not isinstance(part.right, syn.Number):
            return False
        lo, hi, value = info.type.lo, info.type.hi, part.right.value
        return {
            "gt": hi <= value,
            "ge": hi < value,
            "lt": lo >= value,
            "le": lo > value,
            "is": not lo <= value <= hi,
        }.get(part.op, False)

    def actions(self) -> None:
        """Actions whose first conditions exclude each other are never offered."""
        for _, decl in self.merged.decls:
            if not isinstance(decl, syn.ActionDecl):
                continue
            for statement in decl.body:
                condition: syn.Expr | None
                if isinstance(statement, syn.ChooseStmt):
                    condition = statement.where
                elif isinstance(statement, syn.RequireStmt):
                    condition = statement.condition
                elif isinstance(statement, syn.Let):
                    continue
                else:
                    break
                if condition is None:
                    continue
                pair = _contradiction(conjuncts(condition))
                if pair is not None:
                    self.sink.warning(
                        "GR0707",
                        pair[1].span,
                        f"this never holds together with the other condition, so `{decl.name}` is never offered",
                        labels=(_label(pair[0].span, "the other condition"),),
                    )

    def events(self) -> None:
        emits: dict[str, list[syn.EmitStmt]] = {}
        for _, decl in (*self.merged.decls, *self.merged.exceptions):
            for node in walk(decl):
                if isinstance(node, syn.EmitStmt):
                    emits.setdefault(node.event, []).append(node)
        emitted, told = set(emits), set[str]()
        rolled = {
            node.event.name
            for _, decl in (*self.merged.decls, *self.merged.exceptions)
            for node in walk(decl)
            if isinstance(node, syn.RollStmt) and node.event is not None
        }
        for name, handlers in self.world.handlers.items():
            when, _, event = name.rpartition(" ")
            if when and event in self.world.events and event not in rolled:
                for _, handler in handlers:
                    self.sink.warning(
                        "GR0708",
                        handler.span,
                        f"nothing is rolled for `{event}`, so this never happens",
                        hint=f"write `roll die: 2d6 for {event}(...)` where it is rolled",
                    )
            if when and event in emitted and event not in self.world.handlers and event not in told:
                told.add(event)
                for node in emits[event]:
                    self.sink.warning(
                        "GR0708",
                        node.span,
                        f"nothing happens here: `{event}` has handlers of rolls only",
                        hint=f"write `on {event}(...)` for what shall happen, or `roll ... for {event}(...)`",
                    )
            if name in self.world.events and name not in emitted:
                for _, handler in handlers:
                    self.sink.warning(
                        "GR0708",
                        handler.span,
                        f"event `{name}` is never emitted, so this never happens",
                        hint=f"write `emit {name}(...)` where it happens",
                    )

    def named_by_columns(self) -> None:
        """Procedures, rules and actions that a column could name, but that no row names and nothing else does."""
        said = {
            node.id
            for _, decl in (*self.merged.decls, *self.merged.exceptions, *self.merged.examples)
            for node in walk(decl)
            if isinstance(node, syn.Name)
        }
        for dom in self.world.shapes.values():
            assert dom.shape is not None
            for entry in dom.shape.entries if dom.shape.constant and not self.sink.has_errors else ():
                if not entry.used and entry.name not in said:
                    self.sink.warning(
                        "GR0210",
                        entry.span,
                        f"`{entry.name}` is never used: no row names it where {dom.name} is wanted, and nothing else does",
                        hint="name it in the data, or take it out",
                    )

    # ------------------------------------------------------------------------------------------- secrets

    def secrets(self, nodes: list[Any]) -> None:
        """Log lines that tell everybody what only the owner may know."""
        hidden = self.hidden
        shown: set[str] = set()
        for node in nodes if hidden else ():
            if isinstance(node, syn.RevealStmt):
                shown |= {part.name for part in walk(node.value) if isinstance(part, syn.Dot)}
            elif isinstance(node, syn.LogStmt):
                for path in _placeholders(node.text):
                    name = path.rsplit(".", 1)[-1]
                    if "." in path and name in hidden - shown:
                        self.sink.warning(
                            "GR0712",
                            node.span,
                            f"the log is read by everybody, and `{name}` is secret",
                            hint=f"`reveal {path}` first, or leave it out",
                        )

    # ----------------------------------------------------------------------------------------- citations

    def citations(self) -> None:
        """One note for all that cites nothing: helpers need no section, so it is no more than a reminder."""
        bare = [
            decl
            for _, decl in self.merged.decls
            if isinstance(
                decl,
                syn.RuleDecl | syn.ProcedureDecl | syn.ActionDecl | syn.TableDecl | syn.ModifiersDecl,
            )
            and not any(isinstance(node.cites, syn.Cites) and node.cites for node in _cited(decl))
        ]
        if bare:
            more = f" and {len(bare) - 5} more" if len(bare) > 5 else ""
            names = ", ".join(f"`{decl.name}`" for decl in bare[:5])
            self.sink.note(
                "GR0802",
                bare[0].span,
                f"{names}{more} {'cites' if len(bare) == 1 else 'cite'} no section of the rulebook",
                hint="write the section behind the heading: [7.1]",
            )


def _cited(decl: Any) -> Iterable[Any]:
    return (node for node in walk(decl) if hasattr(node, "cites"))


def _label(span: Span, text: str) -> Any:
    from grognard.support.diagnostics import Label

    return Label(span, text)


def _placeholders(text: str) -> list[str]:
    return [part.strip() for part in re.findall(r"\{([^}]*)\}", text)]


def _sure_calls(body: tuple[syn.Stmt, ...]) -> Iterator[tuple[str, Span]]:
    """What a body does in every case, up to the first statement that may leave it."""
    for statement in body:
        if isinstance(statement, syn.DoStmt):
            yield statement.use.name, statement.span
        elif isinstance(statement, syn.IfStmt) and statement.otherwise:
            arms = [[*_sure_calls(arm)] for _, arm in statement.arms] + [[*_sure_calls(statement.otherwise)]]
            for name, span in arms[0]:
                if all(any(name == other for other, _ in arm) for arm in arms[1:]):
                    yield name, span
        if any(
            isinstance(node, syn.ReturnStmt | syn.EndStmt | syn.CaseStmt | syn.StopStmt | syn.RequireStmt)
            or asks_directly(node)
            for node in walk(statement)
        ):
            return


def _stops(body: tuple[syn.Stmt, ...]) -> bool:
    """Whether a loop's body can leave this loop (a `stop` in an inner loop leaves only that)."""
    for statement in body:
        if isinstance(statement, syn.StopStmt):
            return True
        if isinstance(statement, syn.IfStmt):
            if any(_stops(arm) for _, arm in statement.arms) or _stops(statement.otherwise):
                return True
        elif isinstance(statement, syn.PhaseStmt) and statement.body:
            if _stops(statement.body):
                return True
        elif isinstance(statement, syn.ChooseStmt) and isinstance(statement.otherwise, syn.StopStmt):
            return True
    return False


def _truth(condition: syn.Expr) -> bool | None:
    """A condition's outcome, where it can be read off without knowing anything."""
    match condition:
        case syn.FlagLit(value=value):
            return value
        case syn.UnaryExpr(op="not", value=inner):
            below = _truth(inner)
            return None if below is None else not below
        case syn.BinaryExpr(op="and", left=left, right=right):
            both = (_truth(left), _truth(right))
            return False if False in both else True if both == (True, True) else None
        case syn.BinaryExpr(op="or", left=left, right=right):
            either = (_truth(left), _truth(right))
            return True if True in either else False if either == (False, False) else None
        case syn.BinaryExpr(op=op, left=syn.Number(value=a), right=syn.Number(value=b)):
            return {
                "is": a == b, "is_not": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b,
            }.get(op)  # fmt: skip
    return None


def _contradiction(parts: list[syn.Expr]) -> tuple[syn.Expr, syn.Expr] | None:
    """Two conditions of a list that plainly exclude each other."""
    for place, one in enumerate(parts[:30]):
        for other in parts[place + 1 : 30]:
            if disjoint(one, other) or (
                _whose(one) != _whose(other) and _about(one) == _about(other) is not None
            ):
                return one, other
    return None


def _whose(expr: syn.Expr) -> str:
    match expr:
        case syn.CallExpr(callee=syn.Name(id="mine" | "enemy" as name)):
            return name
    return ""


def _about(expr: syn.Expr) -> Any:
    match expr:
        case syn.CallExpr(callee=syn.Name(id="mine" | "enemy"), args=(inner,)):
            return inner
    return None
