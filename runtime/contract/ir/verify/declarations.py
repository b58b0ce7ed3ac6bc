"""Declarations: ids, types, and the signatures that a program's parts must have for what they are used for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.contract.ir.verify.rules import Report
from grognard.contract.ir.walk import nodes

_PLAIN_SHOWS = ("int", "signed", "flag", "action")

#: Statements that a pure function does not contain.
_CHANGES = (
    ir.Store,
    ir.StoreSet,
    ir.StoreSetChange,
    ir.StoreList,
    ir.Enqueue,
    ir.StoreHead,
    ir.Reset,
    ir.CopyField,
    ir.Roll,
    ir.Create,
    ir.Destroy,
    ir.BranchBegin,
    ir.BranchNext,
    ir.BranchEnd,
)


class DeclarationChecker:
    """Checks everything of a program but the bodies of its functions and machines."""

    def __init__(self, program: ir.Program, report: Report) -> None:
        self.program = program
        self.broken = report.add

    def check(self) -> None:
        p = self.program
        for what in ("domain", "field", "column", "table", "symbol", "site", "function", "machine", "ask",
                     "action", "movement"):  # fmt: skip
            for number, entry in enumerate(getattr(p, f"{what}s")):
                if entry.id != number:
                    self.broken(
                        "W1",
                        f"{what} {entry.name if what != 'site' else number}",
                        f"id {entry.id} at position {number}",
                    )
        for domain in p.domains:
            self._alive(domain)
        for field in p.fields:
            self._element(field)
        for column in p.columns:
            self._element(column)
        for site in p.sites:
            for show in site.shows:
                self._show(show, f"site {site.id}")
        for function in p.functions:
            self._signature(function)
        for machine in p.machines:
            self._signature(machine)
        self._pure()
        for ask in p.asks:
            self._show(ask.show, f"ask {ask.name}")
            for _, _, show in ask.named:
                self._show(show, f"ask {ask.name}")
            self._ids(f"ask {ask.name}", site=ask.site)
            if ask.chance is not None and ask.chance.sort == "draw":
                self._ids(f"ask {ask.name}", field=ask.chance.bag)
        for action in p.actions:
            self._ids(f"action {action.name}", site=action.site)
        for movement in p.movements:
            self._movement(movement)
        self._roles()

    # ---------------------------------------------------------------------------------------------- pieces

    def _ids(self, where: str, **references: int | None) -> bool:
        """Whether each of these names a declaration of that kind; None names nothing."""
        whole = True
        for kind, number in references.items():
            count = len(getattr(self.program, f"{kind}s"))
            if number is not None and not (type(number) is int and 0 <= number < count):
                self.broken("W2", where, f"there is no {kind} {number!r}, only {count}")
                whole = False
        return whole

    def _show(self, show: str, where: str) -> None:
        if show in _PLAIN_SHOWS:
            return
        try:
            found = ir.shown_domains(show)
        except ValueError:
            found = ()
        if not found:
            self.broken("W5", where, f"{show!r} says nothing of how a value is shown")
        for number in found:
            self._ids(where, domain=number)

    def _type(self, kind: Any, where: str) -> None:
        match kind:
            case ir.IntType(show=show):
                self._show(show, where)
            case ir.SetType(domain=domain):
                self._ids(where, domain=domain)
            case ir.ListType(capacity=capacity, show=show):
                self._show(show, where)
                if capacity < 1:
                    self.broken("W6", where, f"a list of {capacity}")
            case _:
                self.broken("W3", where, f"{kind!r} is no type")

    def _alive(self, domain: ir.Domain) -> None:
        where = f"domain {domain.name}"
        if domain.alive is None or not self._ids(where, field=domain.alive):
            return
        entry = self.program.fields[domain.alive]
        if entry.dims != (domain.id,) or not isinstance(entry.type, ir.IntType):
            self.broken("W7", where, f"{entry.name} cannot say which of them are alive")
        for number in domain.remembered:
            if number not in range(len(self.program.fields)):
                self.broken("W2", where, f"there is no field {number!r}")
                continue
            copy = self.program.fields[number]
            if copy.dims != entry.dims or not isinstance(copy.type, ir.IntType):
                self.broken("W7", where, f"{copy.name} cannot say which of them were alive")

    def _element(self, entry: ir.Field | ir.Column) -> None:
        where = f"{type(entry).__name__.lower()} {entry.name}"
        self._type(entry.type, where)
        for domain in entry.dims:
            self._ids(where, domain=domain)
        if isinstance(entry, ir.Column):
            if isinstance(entry.type, ir.ListType):
                self.broken("W6", where, "a column of lists")
            return
        self._ids(where, domain=entry.first)
        if entry.lo > entry.hi:
            self.broken("W6", where, f"the range {entry.lo}..{entry.hi} is empty")
        elif entry.default == NONE:
            if not entry.optional:
                self.broken("W6", where, "no value by default, although it is not optional")
        elif entry.first is None and not entry.lo <= entry.default <= entry.hi:
            self.broken("W6", where, f"the default {entry.default} is not in {entry.lo}..{entry.hi}")

    def _signature(self, code: ir.Function | ir.Machine) -> None:
        where = f"{'function' if isinstance(code, ir.Function) else 'machine'} {code.name}"
        for local in code.locals:
            self._type(local.type, f"{where}, local {local.name}")
        if not 0 <= code.params <= len(code.locals):
            self.broken("W8", where, f"{code.params} parameters among {len(code.locals)} locals")
        if isinstance(code, ir.Function) and code.result is not None:
            self._type(code.result, where)
            if isinstance(code.result, ir.ListType):
                self.broken("W8", where, "a function gives no list")

    def _pure(self) -> None:
        functions = self.program.functions
        changing = {f.id for f in functions if any(isinstance(node, _CHANGES) for node in nodes(f.body))}
        calls = [set(called(self.program, f.body)) for f in functions]
        while more := {n for n, found in enumerate(calls) if n not in changing and found & changing}:
            changing |= more
        for function in functions:
            if function.pure and function.id in changing:
                self.broken("W27", f"function {function.name}", "it changes the position")

    # ----------------------------------------------------------------------------------------------- roles

    def _takes(
        self, rule: str, where: str, number: int | None, params: int, result: type | None = ir.IntType
    ) -> None:
        """A function must take so many integers and give this."""
        if number is None or not self._ids(where, function=number):
            return
        function = self.program.functions[number]
        kinds = [local.type for local in function.locals[: function.params]]
        if len(kinds) != params or not all(isinstance(kind, ir.IntType) for kind in kinds):
            self.broken(rule, where, f"{function.name} does not take {params} integers")
        fits = function.result is None if result is None else isinstance(function.result, result)
        if not fits:
            self.broken(
                rule, where, f"{function.name} gives {'a result' if result is None else 'no integer'}"
            )

    def _movement(self, movement: ir.Movement) -> None:
        where = f"movement {movement.name}"
        self._ids(where, site=movement.site)
        if self._ids(where, domain=movement.space) and self.program.domains[movement.space].sort != "place":
            self.broken("W44", where, f"{self.program.domains[movement.space].name} are no places")
        for name, more in (("start", 0), ("allowance", 0), ("cost", 3), ("stop", 2), ("ends", 1)):
            self._takes("W43", f"{where}, {name}", getattr(movement, name), movement.params + more)

    def _roles(self) -> None:
        p = self.program
        where = f"program {p.name}"
        if self._ids(where, machine=p.main) and p.machines[p.main].params:
            self.broken("W38", where, f"{p.machines[p.main].name} takes arguments")
        for name, number in p.entry_points:
            self._ids(f"entry point {name}", machine=number)
        for name, number in (("seats", p.seats), ("sides", p.sides)):
            whole = self._ids(f"{where}, {name}", domain=number)
            if whole and p.asks and p.domains[number].sort not in ("side", "power"):
                self.broken("W44", f"{where}, {name}", f"{p.domains[number].name} are no sides")
        for number in p.spaces:
            if self._ids(f"{where}, spaces", domain=number) and p.domains[number].sort != "place":
                self.broken("W44", f"{where}, spaces", f"{p.domains[number].name} are no places")
        for number in p.created_in_branches:
            if (
                self._ids(f"{where}, created_in_branches", domain=number)
                and p.domains[number].sort != "piece"
            ):
                self.broken("W46", f"{where}, created_in_branches", f"{p.domains[number].name} are no pieces")
        if len(set(p.created_in_branches)) < len(p.created_in_branches):
            self.broken("W46", f"{where}, created_in_branches", "a domain is named twice")
        if p.created_in_branches and not p.journal:
            self.broken("W46", f"{where}, created_in_branches", "there is no journal")
        self._takes("W39", f"{where}, view", p.view, 1, None)
        self._takes("W40", f"{where}, evaluation", p.evaluation, 1)
        self._takes("W40", f"{where}, measure", p.measure, 1)
        if p.plausible is not None:
            self._takes("W41", f"{where}, plausible", p.plausible[0], 1)
            self._ids(f"{where}, plausible", domain=p.plausible[1])
        for policy in p.policies:
            for line in policy.lines:
                self._policy_line(f"policy {policy.name}, {line.ask}", line)

    def _policy_line(self, where: str, line: ir.PolicyLine) -> None:
        self._ids(where, site=line.site)
        if all(ask.name != line.ask for ask in self.program.asks):
            self.broken("W42", where, "there is no such decision")
        first: list[Any] | None = None
        for number in (line.when, line.value, *(rank for _, rank in line.ranks)):
            if number is None or not self._ids(where, function=number):
                continue
            function = self.program.functions[number]
            kinds = [type(local.type) for local in function.locals[: function.params]]
            if kinds[:2] != [ir.IntType, ir.IntType]:
                self.broken("W42", where, f"{function.name} does not take a chooser and a candidate")
            if not isinstance(function.result, ir.IntType):
                self.broken("W42", where, f"{function.name} gives no integer")
            if first is not None and kinds != first:
                self.broken("W42", where, f"{function.name} takes other parameters")
            first = kinds


def called(program: ir.Program, code: Sequence[ir.Stmt]) -> Iterator[int]:
    """The functions that code calls, those of movements among them."""
    for node in nodes(code):
        match node:
            case ir.Call(function=number) | ir.SetCall(function=number) | ir.Do(function=number):
                yield number
            case ir.ReachCost(movement=movement) | ir.ReachSet(movement=movement):
                if movement in range(len(program.movements)):
                    how = program.movements[movement]
                    parts = (how.start, how.allowance, how.cost, how.stop, how.ends)
                    yield from (number for number in parts if number is not None)
