"""What a typed tree mentions beyond itself: callables, members and places."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import Type, dom_type


@dataclass(slots=True)
class Mentioned:
    #: callables, and the mark as of which they are read
    calls: list[tuple[str, str | None]] = field(default_factory=list)
    #: members and places that data numbers, as symbols name them
    symbols: list[str] = field(default_factory=list)
    #: events that are told of, by the names of their handlers, and instants of the sequence of play
    events: list[str] = field(default_factory=list)
    instants: list[tuple[str, str]] = field(default_factory=list)
    #: simultaneous and secret blocks, after which the events in them are told of
    blocks: list[Any] = field(default_factory=list)
    #: choices by their names, and the types of what is chosen
    choices: dict[str, Type] = field(default_factory=dict)
    #: sheets that are filled in here
    sheets: list[str] = field(default_factory=list)


def mentioned(trees: Iterable[Any], mark: str | None) -> Mentioned:
    """What these trees mention, read as of a mark."""
    found = Mentioned()

    def visit(node: Any, mark: str | None) -> None:
        match node:
            case t.Member(dom=dom, name=name):
                if not dom.from_code:
                    found.symbols.append(f"{dom.name}.{name}")
            case t.PlaceNamed(dom=dom, text=text, member=None):
                found.symbols.append(f"{dom.name}.{text}")
            case t.AsOf(mark=inner, value=value):
                visit(value, inner)
                return
            case t.RuleCall(entry=entry):
                found.calls.append((entry.name, mark))
            case t.MovementUse(entry=entry) | t.AtBest(entry=entry):
                found.calls.append((entry.name, None))
            case _:
                _mention_statement(node, found)
        for name in _PARTS[type(node)]:
            below(getattr(node, name), mark)

    def below(value: Any, mark: str | None) -> None:
        kind = type(value)
        if kind is tuple:
            for part in value:
                below(part, mark)
        elif kind is dict:
            for part in value.values():
                below(part, mark)
        elif kind in _NODES:
            visit(value, mark)

    for tree in trees:
        below(tree, mark)
    return found


def _mention_statement(node: Any, found: Mentioned) -> None:
    match node:
        case t.Do(entry=entry) | t.MenuAction(entry=entry):
            found.calls.append((entry.name, None))
        case t.DoNamed(among=among):
            found.calls += [(entry.name, None) for entry in among.entries]
        case t.Emit(written=written):
            found.events.append(written.event)
        case t.RollEvent(name=name):
            found.events += [f"rolling {name}", f"rolled {name}"]
        case t.Phase(written=written):
            found.instants += [("start", written.name), ("end", written.name)]
        case t.Simultaneous(written=written) | t.Secret(written=written):
            found.blocks.append(written)
        case t.Choose(written=written, candidate=candidate):
            found.choices.setdefault(written.name, candidate.type)
        case (
            t.ChooseSome(written=written, candidate=candidate)
            | t.ChooseNumbers(written=written, candidate=candidate)
        ):
            found.choices.setdefault(written.name, candidate.type)
        case t.ChooseRoute(written=written, space=space):
            found.choices.setdefault(written.name, dom_type(space))
        case t.ForChosen(question=question, variable=variable):
            found.choices.setdefault(question.name, variable.type)
        case t.Match(question=question, right=variable, seat=seat) if seat is not None:
            found.choices.setdefault(question.name, variable.type)
        case t.ChooseForm(written=written, form=form):
            found.choices.setdefault(written.name, dom_type(form.names))
            found.sheets += form.sheets.values()


_NODES = frozenset(kind for name in t.__all__ if isinstance(kind := getattr(t, name), type))
_PARTS: dict[type, tuple[str, ...]] = {
    # The rest says what was written, which is not part of the tree.
    kind: tuple(
        f.name for f in dataclasses.fields(kind) if f.name not in ("type", "syntax", "written", "origin")
    )
    for kind in _NODES
    if dataclasses.is_dataclass(kind)
}
