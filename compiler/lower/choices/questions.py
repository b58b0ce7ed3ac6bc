"""Declarations of questions, ids of actions on offer, and which questions must not leak secrets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grognard.compiler.lower.program_builder import ProgramBuilder
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.ir.walk import nodes

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


class Questions:
    """All stops for a decision, with the functions that work out their candidates."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.lowerer = lowerer
        self.symbols = lowerer.symbols
        self.builder = lowerer.builder
        self._action_ids: dict[str, int] = {}
        self._ask_functions: list[tuple[int, int]] = []

    def new_ask(
        self,
        name: str,
        label: str,
        show: str,
        site: int,
        *,
        quiet: bool = False,
        menu: bool = False,
        function: int = -1,
        chance: ir.Chance | None = None,
        some: tuple[int, int] | None = None,
        named: tuple[tuple[str, int, str], ...] = (),
        numbers: ir.Numbers | None = None,
    ) -> int:
        number = len(self.builder.asks)
        self.builder.asks.append(
            ir.AskDecl(number, name, label, show, site, False, quiet, menu, chance, some, named, numbers)
        )
        self._ask_functions.append((number, function))
        return number

    def action_id(self, entry: Callable_, use: syn.Use, of_locals: bool, taken: set[int]) -> int:
        """An id for the label of an action as it is offered: its name, with plain arguments.

        Names of locals are shown only if the name of the action alone is `taken` in the same menu."""
        shown = [
            str(a.value)
            if isinstance(a, syn.Number)
            else ("yes" if a.value else "no")
            if isinstance(a, syn.FlagLit)
            else a.id
            if isinstance(a, syn.Name)
            else ""
            for a in use.args
        ]
        constant = use.args and all(
            isinstance(a, syn.Number | syn.FlagLit) or (isinstance(a, syn.Name) and a.id not in ("us",))
            for a in use.args
        )
        full = f"{entry.name}({', '.join(shown)})" if constant and all(shown) else entry.name
        label = full
        if of_locals:
            label = full if self._action_ids.get(entry.name) in taken else entry.name
        if label not in self._action_ids:
            number = len(self.builder.actions)
            self._action_ids[label] = number
            title = entry.decl.title or label.replace("_", " ")
            self.builder.actions.append(
                ir.ActionDecl(
                    number, label, title, self.lowerer.site("action", title, entry.span, entry.cites)
                )
            )
        return self._action_ids[label]

    def finish_asks(self) -> None:
        """Choices whose filters can read secrets are worked out on the chooser's own view."""
        secret = self.secret_fields()
        hidden = {dom.alive for dom in self.builder.doms if dom.secret_all is not None}
        # What a secret was at a mark is as secret.
        secret |= {kept for (f, _), kept in self.builder.snapshots.items() if f in secret or f in hidden}
        readers = _reaching(self.builder, secret, self.secret_domains())
        for number, function in self._ask_functions:
            if function in readers:
                self.builder.asks[number] = replace(self.builder.asks[number], on_view=True)

    def anything_secret(self) -> bool:
        """Whether the title hides anything from anybody."""
        return any(
            dom.secret_all is not None or any(info.secret for info in dom.fields.values())
            for dom in self.builder.doms
        )

    def secret_fields(self) -> set[int]:
        return {
            f.field
            for dom in self.builder.doms
            for f in dom.fields.values()
            if f.secret and f.field is not None
        }

    def secret_domains(self) -> set[int]:
        return {dom.id for dom in self.builder.doms if dom.secret_all is not None}


def _reaching(builder: ProgramBuilder, fields: set[int], domains: set[int]) -> set[int]:
    """Functions that read one of these fields, or run over one of these domains, by themselves or by calls."""
    calls: dict[int, set[int]] = {}
    hit: set[int] = set()

    for function in builder.functions:
        if function is None:
            continue
        for node in nodes(function.body):
            kind = type(node)
            if kind is ir.Load or kind is ir.SetLoad or kind is ir.ListLoad:
                if node.field in fields:
                    hit.add(function.id)
            elif kind is ir.OverDomain:
                if node.domain in domains:
                    hit.add(function.id)
            elif kind is ir.Call or kind is ir.SetCall or kind is ir.Do:
                calls.setdefault(node.function, set()).add(function.id)
            elif kind is ir.ReachCost or kind is ir.ReachSet:
                how = builder.movements[node.movement]
                parts = (how.start, how.allowance, how.cost, how.stop, how.ends) if how is not None else ()
                for part in parts:
                    if part is not None:
                        calls.setdefault(part, set()).add(function.id)
    pending = list(hit)
    while pending:
        for caller in calls.get(pending.pop(), ()):
            if caller not in hit:
                hit.add(caller)
                pending.append(caller)
    return hit
