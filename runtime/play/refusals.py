"""Why an answer is not offered: the conditions of the question, one by one, and which of them it fails.

All of it is worked out on a copy that is masked as the one who is asked may know it, so nothing hidden decides what is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.ir.walk import conjuncts, nodes
from grognard.play.conditions import Conditions
from grognard.play.ways import inspected

if TYPE_CHECKING:
    from grognard.interpreter.inspection import Inspection
    from grognard.play.position import Position
    from grognard.play.setting import Setting

#: How far rules are opened to find what fails in them, and how many members are tried.
DEPTH = 3
MEMBERS = 400
#: A condition that the engine worked out before: which exception of a menu is in force.
_UNNAMED = "wanted: condition"


@dataclass(slots=True)
class Refusal:
    """A condition that fails, with its sections and what fails inside it."""

    text: str
    cites: tuple[str, ...] = ()
    children: list[Refusal] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "cites": list(self.cites),
            "children": [child.as_dict() for child in self.children],
        }


def refusals(position: Position, value: int) -> list[Refusal]:
    """The conditions that this answer fails; empty where none can be named."""
    look = inspected(position)
    if look is None:
        return []
    try:
        return _Asked(position.setting, look).of(value)
    except (RuleFailure, ValueError):
        # A rule that cannot be asked about this at all: nothing more can be said.
        return []


def menu(position: Position) -> list[int]:
    """The actions that the question could offer at another time."""
    look = inspected(position)
    if look is None:
        return []
    found = [_action(statement) for statement in look.finder.body]
    return list(dict.fromkeys(number for number in found if number is not None))


def _action(statement: ir.Stmt) -> int | None:
    """The action that a line of a menu offers."""
    match statement:
        case ir.IfStmt(then=(ir.Yield(value=ir.Const(value=number)),), otherwise=()):
            return number
    return None


class _Asked:
    def __init__(self, setting: Setting, look: Inspection) -> None:
        self.setting = setting
        self.program = setting.program
        self.look = look

    def of(self, value: int) -> list[Refusal]:
        finder = self.look.finder
        values = self.look.arguments()
        ways: list[list[Refusal]] = []
        for statement in finder.body:
            match statement:
                case ir.For(
                    var=var, over=over, where=where, body=(ir.Yield(value=ir.Local(index=index)),)
                ) if index == var:
                    ways.append(self._loop(finder, var, over, where, values, value))
                case ir.IfStmt(condition=condition, then=(ir.Yield(value=offer),), otherwise=()):
                    if self.look.in_function(finder, offer, values) == value:
                        ways.append(self._failing(finder, condition, values, DEPTH))
                case _:
                    values = self.look.run_on(finder, (statement,), values)
        # What is offered in several ways fails them all; the one that comes nearest is told.
        told = [[one for one in way if one.text != _UNNAMED] or way for way in ways]
        return min(told, key=len, default=[])

    def _loop(
        self, code: ir.Function, var: int, over: Any, where: Any, values: Sequence[Any], value: int
    ) -> list[Refusal]:
        if value not in self.look.members(code, over, values):
            if isinstance(over, ir.OverDomain):
                return [Refusal("it is not in play")]
            return [Refusal(f"it is not one of: {self._source(code, over)}")]
        return self._failing(code, where, _with(code, values, var, value), DEPTH)

    def _source(self, code: ir.Function, over: Any) -> str:
        """What a loop goes over; a set that the asking procedure made before, as it was made."""
        match over:
            case ir.OverSet(set=ir.SetLocal(index=index)) if code is self.look.finder and index < code.params:
                given = self.look.question.node.args[index]
                machine = self.look.machine
                for node in nodes(machine.blocks):
                    if isinstance(node, ir.AssignSet) and ir.SetLocal(node.local) == given:
                        return Conditions(self.setting, machine.locals).text(node.value)
        return self._words(code).source(over)

    def _failing(self, code: ir.Function, condition: Any, values: Sequence[Any], depth: int) -> list[Refusal]:
        """Those parts of a condition that do not hold; what lies behind the first is often meaningless if it fails, so that
        only parts that can be asked are."""
        found = []
        for part in conjuncts(condition):
            try:
                if not self.look.in_function(code, part, values):
                    found.append(self._refusal(code, part, values, depth))
            except RuleFailure:
                break
        return found

    def _refusal(self, code: ir.Function, part: Any, values: Sequence[Any], depth: int) -> Refusal:
        words = self._words(code)
        match part:
            case ir.Call(function=number, args=args):
                target = self.program.functions[number]
                site = self.program.sites[target.site]
                children: list[Refusal] = []
                if depth > 0:
                    given = [self.look.in_function(code, arg, values) for arg in args if not _is_list(arg)]
                    if len(given) == len(args):
                        children = self._inside(target, given, depth - 1)
                return Refusal(self._called(target, words.text(part)), site.cites, children)
            case ir.Unary(op="not", value=ir.Call(function=number) as call):
                site = self.program.sites[self.program.functions[number].site]
                return Refusal(f"wanted: not {words.text(call)}", site.cites)
        return Refusal(f"wanted: {words.text(part)}{self._numbers(code, part, values)}")

    def _called(self, target: ir.Function, text: str) -> str:
        """`can shoot` is the engine's own: whether the action or the rest of it could be done at all."""
        if target.name.startswith("can "):
            name, _, rest = target.name.removeprefix("can ").partition(" from ")
            action = next((action for action in self.program.actions if action.name == name), None)
            said = action.text if action is not None else name.replace("_", " ")
            return f"nothing could follow in: {said}" if rest else f"it is not possible to {said}"
        return f"wanted: {text}"

    def _inside(self, target: ir.Function, given: Sequence[Any], depth: int) -> list[Refusal]:
        """What fails in a rule: a guard at its beginning, a part of its only expression, or that nothing is left to choose."""
        values: list[Any] = list(given)
        for statement in target.body:
            match statement:
                case ir.IfStmt(
                    condition=ir.Unary(op="not", value=guard), then=(ir.Return(value=ir.Const(value=0)),)
                ):
                    failed = self._failing(target, guard, values, depth)
                    if failed:
                        return failed
                case ir.Return(value=ir.Aggregate(op="any", var=var, over=over, where=where)):
                    return self._none_left(target, var, over, where, values)
                case ir.Return(value=ir.Binary(op="and") as condition):
                    return self._failing(target, condition, values, depth)
                case ir.Assign(value=ir.Binary(op="and") as condition):
                    return self._failing(target, condition, values, depth)
                case _:
                    return []
        return []

    def _none_left(
        self, code: ir.Function, var: int, over: Any, where: Any, values: Sequence[Any]
    ) -> list[Refusal]:
        """Nothing can be chosen: the condition at which the last ones fall out."""
        words = self._words(code)
        what = words.text(ir.Local(var))
        left = list(self.look.members(code, over, values))[:MEMBERS]
        if not left:
            return [Refusal(f"there is no {what} to choose: {words.source(over)}")]
        for part in conjuncts(where):
            kept = []
            for member in left:
                try:
                    if self.look.in_function(code, part, _with(code, values, var, member)):
                        kept.append(member)
                except RuleFailure:
                    continue
            if not kept:
                some = "the" if len(left) == 1 else f"any of {len(left)}"
                one = self._refusal(code, part, _with(code, values, var, left[0]), 0)
                return [Refusal(f"{one.text}, and {some} {what} fails it", one.cites)]
            left = kept
        return []

    def _numbers(self, code: ir.Function, part: Any, values: Sequence[Any]) -> str:
        """The two sides of a comparison, where nothing is secret in the whole title."""
        if self.program.view is not None or not isinstance(part, ir.Binary):
            return ""
        if part.op not in ("lt", "le", "gt", "ge"):
            return ""
        sides = [self.look.in_function(code, side, values) for side in (part.left, part.right)]
        sign = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}[part.op]
        return f" ({sides[0]} {sign} {sides[1]} does not hold)" if all(side >= 0 for side in sides) else ""

    def _words(self, code: ir.Function) -> Conditions:
        return Conditions(self.setting, code.locals)


def _with(code: ir.Function, values: Sequence[Any], var: int, value: int) -> list[Any]:
    made: list[Any] = list(values)
    for local in code.locals[len(made) :]:
        made.append([] if isinstance(local.type, ir.ListType) else 0)
    made[var] = value
    return made


def _is_list(node: Any) -> bool:
    return isinstance(node, ir.ListLocal | ir.ListLoad)
