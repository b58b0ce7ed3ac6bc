"""Mutants of code: nodes of the IR, changed wherever the same piece of source was lowered.

A line is often lowered more than once: an action's filter as candidates and as a test, a rule `as of` a mark.  All copies are
changed together, as if the line had been written differently.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grognard.compiler.lower.origins import Origins
from grognard.compiler.mutate.edits import Edit, expression_edits, statement_edits
from grognard.compiler.mutate.source_edits import Texts
from grognard.compiler.mutate.written import Written, name_of
from grognard.contract import ir
from grognard.contract.mutants import CodeChange, Mutant, Path
from grognard.support.source import Span

#: What a change is known by: its place, its kind, its text afterwards.
Key = tuple[str, int, str, str, str]


def code_mutants(
    program: ir.Program, origins: Origins, written: Written, texts: Texts, exceptions: dict[Span, Any]
) -> list[Mutant]:
    """All mutants of the code that play or an example can reach, in the order of the source; their numbers are 0."""
    found: dict[Key, tuple[Any, dict[tuple[str, int], list[tuple[Path, Any]]]]] = {}
    heads = {(span.file, span.line, span.column): decl for span, decl in exceptions.items()}

    def take(edit: Edit, syntax: Any, sort: str, number: int, path: Path) -> None:
        key = (syntax.span.file, edit.line, edit.kind, edit.before, edit.after)
        _, places = found.setdefault(key, (syntax, {}))
        places.setdefault((sort, number), []).append((path, edit.node))

    for sort, number in sorted(reachable(program)):
        code: Any = (program.functions if sort == "function" else program.machines)[number]
        for node, path in _paths(code):
            head = _exception_condition(program, code, node, path)
            if head is not None:
                decl = heads.get((head.file, head.line, head.column))
                if decl is not None:
                    line, before, _ = texts.without(decl.span)
                    edit = Edit("exception", line, before, "", ir.Const(0))
                    take(edit, decl, sort, number, (*path, "condition"))
            syntax = origins.of(node)
            syntax = written.find(syntax) if syntax is not None else None
            if syntax is None or not written.counts(syntax) or texts.source(syntax.span.file) is None:
                continue
            for edit in expression_edits(node, syntax, origins.is_condition(node), written, texts):
                take(edit, syntax, sort, number, path)
            for edit in statement_edits(node, syntax, written, texts):
                take(edit, syntax, sort, number, path)
    made = []
    for (file, line, kind, before, after), (syntax, places) in found.items():
        changes = tuple(
            CodeChange(sort, number, tuple(edits))  # type: ignore[arg-type]
            for (sort, number), edits in places.items()
        )
        decl = written.declaration(syntax)
        made.append(Mutant(0, kind, file, line, written.cites(syntax), name_of(decl), before, after, changes))
    return made


def reachable(program: ir.Program) -> set[tuple[str, int]]:
    """Functions and machines that the sequence of play, a view or an example can come to."""
    found: set[tuple[str, int]] = set()
    waiting: list[tuple[str, int]] = [("machine", program.main)]
    waiting += [("machine", m.id) for m in program.machines if m.name.startswith("example ")]
    waiting += [("function", program.view)] if program.view is not None else []
    while waiting:
        here = waiting.pop()
        if here in found:
            continue
        found.add(here)
        code: Any = (program.functions if here[0] == "function" else program.machines)[here[1]]
        for node, _ in _paths(code):
            match node:
                case ir.Call(function=f) | ir.SetCall(function=f) | ir.Do(function=f):
                    waiting.append(("function", f))
                case ir.CallMachine(machine=m) | ir.AtBest(machine=m):
                    waiting.append(("machine", m))
                case ir.Ask(candidates=f):
                    waiting.append(("function", f))
                case ir.ReachSet(movement=number) | ir.ReachCost(movement=number):
                    going = program.movements[number]
                    parts = (going.start, going.allowance, going.cost, going.stop, going.ends)
                    waiting += [("function", f) for f in parts if f is not None]
    return found


def _paths(code: ir.Function | ir.Machine) -> Iterator[tuple[Any, Path]]:
    """All nodes of a function or machine, with the way to them."""
    start = "body" if isinstance(code, ir.Function) else "blocks"
    stack: list[tuple[Any, Path]] = [(getattr(code, start), (start,))]
    while stack:
        here, path = stack.pop()
        if type(here) is tuple:
            stack.extend((part, (*path, n)) for n, part in reversed(list(enumerate(here))))
            continue
        names = getattr(type(here), "__match_args__", None)
        if names is not None:
            yield here, path
            stack.extend((getattr(here, name), (*path, name)) for name in reversed(names))


def _exception_condition(
    program: ir.Program, code: ir.Function | ir.Machine, node: Any, path: Path
) -> ir.Site | None:
    """Where this node decides whether an exception applies: the exception's site."""
    match node:
        case ir.IfStmt(then=(ir.Note(site=site), *_)) if isinstance(code, ir.Function):
            found = program.sites[site]
        case ir.Branch(then=then) if isinstance(code, ir.Machine) and path[-1] == "end":
            body = code.blocks[then].body
            if not body or not isinstance(body[0], ir.Note):
                return None
            found = program.sites[body[0].site]
        case _:
            return None
    return found if found.kind == "exception" else None
