"""Modifiers lists, movement and lines of sight, line by line with their sections; options."""

from __future__ import annotations

from collections.abc import Iterable

from grognard.compiler.charts.sequence import words
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.contract.charts import Chart, Line

#: What a clause of a movement does, before its value.
_MOVES = {
    "start": "starts at",
    "allowance": "allowance",
    "never": "never",
    "never_ends": "never ends",
    "costs": "costs",
    "stops": "stops",
    "minimum": "at least one step",
    "stay": "may stay",
}
_SIGHTS = {
    "mutual": "the same both ways",
    "along": "along a hexside",
    "corner": "at a corner",
    "ends": "at the ends",
    "hex": "on the way",
    "hexside": "on a hexside",
    "hinder": "hindrance",
    "limit": "blocked at",
}


def list_charts(decls: Iterable[syn.Decl]) -> list[Chart]:
    found: list[Chart] = []
    for decl in decls:
        match decl:
            case syn.ModifiersDecl() if decl.entries:
                found.append(_modifiers(decl))
            case syn.MovementDecl():
                found.append(_movement(decl))
            case syn.SightDecl():
                found.append(_sight(decl))
    options = [decl for decl in decls if isinstance(decl, syn.OptionDecl)]
    if options:
        lines = tuple(
            Line((d.title or words(d.name), d.name, ", ".join(v.title or words(v.name) for v in d.values) or "yes, no", d.default), d.cites.ids, 0, (1,))
            for d in options
        )  # fmt: skip
        columns = ("rule", "name", "values", "otherwise")
        found.append(Chart("options", "options", "Optional rules and readings", columns, lines))
    return found


def _signature(params: tuple[syn.Param, ...]) -> tuple[str, ...]:
    listed = ", ".join(f"{param.name}: {unparse(param.type)}" for param in params)
    return (f"Of {listed}.",) if listed else ()


def _modifiers(decl: syn.ModifiersDecl) -> Chart:
    lines = tuple(
        Line((_effect(entry), entry.label, _when(entry)), entry.cites.ids, 0, (0, 2))
        for entry in decl.entries
    )
    notes = (
        *_signature(decl.params),
        "From the top down; the total is then kept between the bounds, if there are any.",
    )
    return Chart("modifiers", decl.name, words(decl.name), ("", "what", "when"), lines, decl.cites.ids, notes)


def _effect(entry: syn.Entry) -> str:
    value = unparse(entry.value) if entry.value is not None else ""
    match entry.sort:
        case "add":
            return value if value.startswith("-") else f"+{value}"
        case "set":
            return f"= {value}"
        case "half":
            return f"halved, rounded {entry.rounding}"
        case "times":
            return f"x {entry.numerator}/{entry.denominator}, rounded {entry.rounding}"
        case "without":
            return "without " + ", ".join(entry.struck)
        case "bar":
            return "not allowed"
        case "least":
            return f"at least {value}"
        case "most":
            return f"at most {value}"
    return value


def _when(entry: syn.Entry) -> str:
    condition = unparse(entry.condition) if entry.condition is not None else ""
    once = f"the first of “{words(entry.once).lower()}” only" if entry.once else ""
    return "; ".join(part for part in (condition, once) if part)


def _movement(decl: syn.MovementDecl) -> Chart:
    lines = [_clause(clause, 0) for clause in decl.clauses if clause.sort != "step"]
    for gait in decl.gaits:
        lines.append(Line((words(gait.name), "", ""), gait.cites.ids))
        lines += [_clause(clause, 1) for clause in gait.clauses if clause.sort != "step"]
    steps = [clause for clause in decl.clauses if clause.sort == "step"]
    notes = [*_signature(decl.params)]
    if decl.like is not None:
        notes.append(f"As {words(decl.like.name).lower()}, and:")
    if steps:
        notes.append(f"A step leads from {steps[0].names[0]} to {steps[0].names[1]}.")
    return Chart(
        "movement",
        decl.name,
        words(decl.name),
        ("", "what", "when"),
        tuple(lines),
        decl.cites.ids,
        tuple(notes),
    )


def _clause(clause: syn.MoveClause, depth: int) -> Line:
    value = unparse(clause.value) if clause.value is not None else ""
    condition = unparse(clause.condition) if clause.condition is not None else ""
    head = " ".join(part for part in (_MOVES.get(clause.sort, clause.sort), value) if part)
    return Line((head, clause.label, condition), clause.cites.ids, depth, (2,))


def _sight(decl: syn.SightDecl) -> Chart:
    lines = []
    for clause in decl.clauses:
        value = unparse(clause.value) if clause.value is not None else ""
        condition = unparse(clause.condition) if clause.condition is not None else ""
        if clause.sort in ("let", "centre"):
            if clause.sort == "let":
                lines.append(Line((f"{clause.name} is", "", value), clause.cites.ids, 0, (0, 2)))
            continue
        head = _SIGHTS.get(clause.sort, clause.sort)
        if value:
            head += f" {value}"
        lines.append(Line((head, clause.label, condition), clause.cites.ids, 0, (2,)))
    return Chart(
        "sight",
        decl.name,
        words(decl.name),
        ("", "what", "when"),
        tuple(lines),
        decl.cites.ids,
        _signature(decl.params),
    )
