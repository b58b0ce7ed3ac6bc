"""Values of one function or machine: each node against the grammar, then what the grammar cannot say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from grognard.contract import ir
from grognard.contract.header import FAIL_NONE, FAIL_OVERFLOW, HEADER
from grognard.contract.ir.verify.grammar import (
    BINDERS,
    GRAMMAR,
    NAMES,
    OPERATORS,
    WITHOUT_VALUE,
    WRITTEN_LOCALS,
)
from grognard.contract.ir.verify.rules import Report

_LOCAL_TYPES: dict[str, type] = {"int": ir.IntType, "set": ir.SetType, "list": ir.ListType}
_VALUE_CLASSES = ("int", "set", "list")


class ValueChecker:
    """Checks the nodes of one function or machine and reports where they stand.

    A check that needs a part of the node which is itself wrong is left out: the part has been reported."""

    def __init__(self, program: ir.Program, report: Report, where: str) -> None:
        self.program = program
        self.report = report
        self.where = where
        self.path: list[str | int] = []
        self.locals: Sequence[ir.LocalDecl] = ()
        self.loops = 0
        #: variables of the loops, aggregates and searches around
        self.bound: list[int] = []
        #: declarations by the kind of their ids
        self.declared: dict[str, Sequence[Any]] = {
            "domain": program.domains,
            "field": program.fields,
            "column": program.columns,
            "table": program.tables,
            "symbol": program.symbols,
            "function": program.functions,
            "machine": program.machines,
            "movement": program.movements,
            "ask": program.asks,
            "site": program.sites,
        }

    def broken(self, rule: str, message: str) -> bool:
        """Report a violation here; False, for those who say whether all is well."""
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        self.report.add(rule, f"{self.where}{place}", message)
        return False

    # ----------------------------------------------------------------------------------------------- nodes

    def node(self, node: Any, group: str) -> bool:
        """Check a node that must be of this class of nodes; whether it is."""
        kind = type(node)
        parts = GRAMMAR[group].get(kind)
        if parts is None:
            return self.broken("W3", f"{kind.__name__} is no node where {NAMES[group]} is needed")
        whole = True
        binds = BINDERS.get(kind)
        for name, expected in parts:
            value = getattr(node, name)
            if value is None and expected[-1] == "?":
                continue
            self.path.append(name)
            if name in WRITTEN_LOCALS and value in self.bound:
                whole &= self.broken("W45", f"local {value} is the variable of a loop around this")
            if binds is not None and name in binds:
                variables = [getattr(node, each) for each in binds[name]]
                self.bound += variables
                whole &= self.part(node, value, expected.rstrip("?"))
                del self.bound[-len(variables) :]
            else:
                whole &= self.part(node, value, expected.rstrip("?"))
            self.path.pop()
        rule = self.OWN_RULES.get(kind)
        if whole and rule is not None:
            rule(self, node)
        return True

    def part(self, node: Any, value: Any, expected: str) -> bool:
        """Check one part of a node; whether what depends on it can be checked."""
        if expected in GRAMMAR:
            return self.node(value, expected)
        if expected in self.declared:
            return self.reference(value, expected)
        if expected[-1] == "*":
            return self.several(value, expected[:-1])
        if expected.startswith("local:"):
            return self.local(value, expected[6:])
        return self._PLAIN[expected](self, node, value)

    def several(self, values: Any, expected: str) -> bool:
        if type(values) is not tuple:
            return self.broken("W3", f"{type(values).__name__} where a tuple is needed")
        whole = True
        if expected == "loop":
            self.loops += 1
        for place, value in enumerate(values):
            self.path.append(place)
            if expected == "arg":
                whole &= self.node(value, self.group(value))
            else:
                whole &= self.node(value, "stmt" if expected == "loop" else expected)
            self.path.pop()
        if expected == "loop":
            self.loops -= 1
        return whole

    @staticmethod
    def group(value: Any) -> str:
        """The class of values that a node belongs to; integers, if it belongs to none."""
        return next((name for name in _VALUE_CLASSES if type(value) in GRAMMAR[name]), "int")

    def reference(self, number: Any, kind: str) -> bool:
        count = len(self.declared[kind])
        if type(number) is int and 0 <= number < count:
            return True
        return self.broken("W2", f"there is no {kind} {number!r}, only {count}")

    def local(self, number: Any, kind: str, rule: str = "W9") -> bool:
        if type(number) is not int or not 0 <= number < len(self.locals):
            return self.broken(rule, f"there is no local {number!r}, only {len(self.locals)}")
        entry = self.locals[number]
        if isinstance(entry.type, _LOCAL_TYPES[kind]):
            return True
        return self.broken(rule, f"local {number} ({entry.name}) is not {NAMES[kind]}")

    def _operator(self, node: Any, value: Any) -> bool:
        if value in OPERATORS[type(node)]:
            return True
        return self.broken("W4", f"{type(node).__name__} has no operator {value!r}")

    def _word(self, node: Any, value: Any) -> bool:
        if isinstance(value, int) and type(value) is not bool and -0x8000_0000 <= value < 0x8000_0000:
            return True
        return self.broken("W4", f"{value!r} is no 32-bit integer")

    def _flag(self, node: Any, value: Any) -> bool:
        return type(value) is bool or self.broken("W4", f"{value!r} is no flag")

    def _level(self, node: Any, value: Any) -> bool:
        return value in (1, 2) or self.broken("W4", f"{value!r} is no level of notes")

    def _text(self, node: Any, value: Any) -> bool:
        return True

    def _head(self, node: Any, value: Any) -> bool:
        if type(value) is int and 0 <= value < HEADER:
            return True
        return self.broken("W18", f"there is no cell {value!r} in the header")

    def _failure(self, node: Any, value: Any) -> bool:
        if type(value) is int and FAIL_NONE < value <= FAIL_OVERFLOW:
            return True
        return self.broken("W19", f"there is no failure of kind {value!r}")

    def _block(self, node: Any, value: Any) -> bool:
        raise NotImplementedError

    def _value(self, node: Any, value: Any) -> bool:
        raise NotImplementedError

    # ----------------------------------------------------------------------------------------------- types

    def domain_of(self, node: Any) -> int | None:
        """The domain of a set expression, None if that is not known because of another violation."""
        kind: Any = None
        match node:
            case ir.SetLocal(index=index):
                kind = self.locals[index].type if index in range(len(self.locals)) else None
            case ir.SetLoad(field=field):
                kind = self.program.fields[field].type if field in range(len(self.program.fields)) else None
            case ir.SetData(column=column):
                columns = self.program.columns
                kind = columns[column].type if column in range(len(columns)) else None
            case ir.SetCall(function=function):
                functions = self.program.functions
                kind = functions[function].result if function in range(len(functions)) else None
            case ir.SetBinary(left=left):
                return self.domain_of(left)
            case ir.SetIf(then=then):
                return self.domain_of(then)
            case (
                ir.SetBuild(domain=domain)
                | ir.SetOf(domain=domain)
                | ir.ReachSet(domain=domain)
                | ir.Alike(domain=domain)
            ):
                return domain
        return kind.domain if isinstance(kind, ir.SetType) else None

    def domain_name(self, number: int) -> str:
        known = number in range(len(self.program.domains))
        return self.program.domains[number].name if known else str(number)

    def over(self, node: Any, domain: int, rule: str = "W12") -> None:
        """A set must be over this domain."""
        own = self.domain_of(node)
        if own is not None and own != domain:
            self.broken(
                rule, f"a set of {self.domain_name(own)} where one of {self.domain_name(domain)} is needed"
            )

    def same(self, node: Any) -> None:
        """Two sets must be over one domain."""
        left, right = (node.then, node.otherwise) if isinstance(node, ir.SetIf) else (node.left, node.right)
        domain = self.domain_of(left)
        if domain is not None:
            self.over(right, domain)

    def _alike(self, node: ir.Alike) -> None:
        if not self.program.domains[node.domain].interchangeable:
            self.broken("W35", f"{self.domain_name(node.domain)} are not interchangeable")
        self.over(node.within, node.domain)

    def element(self, entry: ir.Field | ir.Column, kind: type, index: Sequence[Any] | None) -> None:
        """A field or column must hold this type and have as many dims as there are indices."""
        if not isinstance(entry.type, kind):
            self.broken("W10", f"{entry.name} holds {type(entry.type).__name__}, not {kind.__name__}")
        if index is not None and len(index) != len(entry.dims):
            self.broken("W11", f"{len(index)} indices for the {len(entry.dims)} dims of {entry.name}")

    def arguments(self, name: str, args: Sequence[Any], params: Sequence[ir.LocalDecl]) -> None:
        if len(args) != len(params):
            self.broken("W13", f"{len(args)} arguments for the {len(params)} parameters of {name}")
            return
        for place, (arg, param) in enumerate(zip(args, params)):
            self.path += ["args", place]
            group = self.group(arg)
            if not isinstance(param.type, _LOCAL_TYPES[group]):
                wanted = next(n for n, kind in _LOCAL_TYPES.items() if isinstance(param.type, kind))
                self.broken("W14", f"{NAMES[group]} for {param.name} of {name}, which is {NAMES[wanted]}")
            elif isinstance(param.type, ir.SetType):
                self.over(arg, param.type.domain, "W14")
            del self.path[-2:]

    # ------------------------------------------------------------------------------- what single nodes need

    def _load(self, node: ir.Load) -> None:
        self.element(self.program.fields[node.field], ir.IntType, node.index)

    def _set_load(self, node: ir.SetLoad) -> None:
        self.element(self.program.fields[node.field], ir.SetType, node.index)

    def _list_load(self, node: ir.ListLoad) -> None:
        self.element(self.program.fields[node.field], ir.ListType, node.index)

    def _data(self, node: ir.Data) -> None:
        self.element(self.program.columns[node.column], ir.IntType, node.index)

    def _set_data(self, node: ir.SetData) -> None:
        self.element(self.program.columns[node.column], ir.SetType, node.index)

    def _table_get(self, node: ir.TableGet) -> None:
        table = self.program.tables[node.table]
        if len(node.index) != table.axes:
            self.broken("W11", f"{len(node.index)} indices for the {table.axes} axes of {table.name}")

    def _call(self, node: ir.Call | ir.SetCall) -> None:
        callee = self.program.functions[node.function]
        kind, what = (ir.IntType, "integer") if isinstance(node, ir.Call) else (ir.SetType, "set")
        if not isinstance(callee.result, kind):
            self.broken("W15", f"{callee.name} gives no {what}")
        self.arguments(callee.name, node.args, callee.locals[: callee.params])

    def _at_best(self, node: ir.AtBest) -> None:
        target = self.program.machines[node.machine]
        params = target.locals[: target.params]
        if not all(isinstance(param.type, ir.IntType) for param in params):
            self.broken("W37", f"{target.name} takes more than integers")
        else:
            self.arguments(target.name, node.args, params)

    def _meeting(self, node: ir.Meeting) -> None:
        domain = self.domain_of(node.left_at)
        if domain is not None:
            self.over(node.right_at, domain)

    def _movement(self, node: ir.ReachCost | ir.ReachSet) -> None:
        how = self.program.movements[node.movement]
        if len(node.args) != how.params:
            self.broken("W13", f"{len(node.args)} arguments for the {how.params} parameters of {how.name}")

    def _reach_set(self, node: ir.ReachSet) -> None:
        self._movement(node)
        if self.program.domains[node.domain].sort != "place":
            self.broken("W44", f"{self.domain_name(node.domain)} are no places")

    def _query(self, node: ir.Verb | ir.OverVerb) -> None:
        known = ir.VERBS if isinstance(node, ir.Verb) else ir.OVER_VERBS
        if node.name not in known:
            self.broken("W16", f"there is no {node.name!r}")
        elif len(node.args) != known[node.name]:
            self.broken("W16", f"{len(node.args)} arguments for {node.name}, which takes {known[node.name]}")

    def _aggregate(self, node: ir.Aggregate) -> None:
        if (node.value is None) != (node.op in WITHOUT_VALUE):
            self.broken("W17", f"{node.op} {'needs a' if node.value is None else 'takes no'} value")

    OWN_RULES: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        ir.Load: _load,
        ir.SetLoad: _set_load,
        ir.ListLoad: _list_load,
        ir.Data: _data,
        ir.SetData: _set_data,
        ir.TableGet: _table_get,
        ir.Call: _call,
        ir.SetCall: _call,
        ir.AtBest: _at_best,
        ir.Meeting: _meeting,
        ir.ReachCost: _movement,
        ir.ReachSet: _reach_set,
        ir.Verb: _query,
        ir.OverVerb: _query,
        ir.Aggregate: _aggregate,
        ir.Alike: _alike,
        ir.SetBinary: same,
        ir.SetIf: same,
        ir.SetEqual: same,
        ir.Subset: same,
    }
    _PLAIN: ClassVar[dict[str, Callable[[Any, Any, Any], bool]]] = {
        "op": _operator,
        "word": _word,
        "bool": _flag,
        "level": _level,
        "text": _text,
        "head": _head,
        "fail": _failure,
        "block": lambda self, node, value: self._block(node, value),
        "value": lambda self, node, value: self._value(node, value),
    }
