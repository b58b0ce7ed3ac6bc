"""The sequence of play as an outline: phases with their steps, who acts in them, what is offered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.compiler.syntax.walk import walk
from grognard.contract.charts import Chart, Line

#: Procedures that call each other are followed so far.
DEEPEST = 12


def sequence_charts(decls: Iterable[syn.Decl]) -> list[Chart]:
    known = tuple(decls)
    outline = Outline(
        {d.name: d for d in known if isinstance(d, syn.ProcedureDecl)},
        {d.name: d.title or words(d.name) for d in known if isinstance(d, syn.ActionDecl)}
        | {d.name: words(d.name) for d in known if isinstance(d, syn.MenuDecl)},
    )
    charts = []
    for decl in known:
        if isinstance(decl, syn.SequenceDecl):
            title = words(decl.name) if decl.name and decl.name != "sequence" else "Sequence of play"
            notes = (f"When {unparse(decl.condition)}.",) if decl.condition is not None else ()
            lines = tuple(outline.lines(decl.body, 0, ()))
            charts.append(Chart("sequence", decl.name, title, ("", ""), lines, decl.cites.ids, notes))
    return charts


def words(name: str) -> str:
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


class Outline:
    def __init__(self, procedures: Mapping[str, syn.ProcedureDecl], offered: Mapping[str, str]) -> None:
        self.procedures = procedures
        self.offered = offered

    def lines(self, body: Iterable[syn.Stmt], depth: int, inside: tuple[str, ...]) -> list[Line]:
        return [line for statement in body for line in self._of(statement, depth, inside)]

    def _of(self, node: syn.Stmt, depth: int, inside: tuple[str, ...]) -> list[Line]:
        match node:
            case syn.PhaseStmt():
                return self._phase(node, depth, inside)
            case syn.CountStmt():
                end = f" to {unparse(node.end)}" if node.end is not None else ""
                head = Line(
                    (f"Each {words(node.var).lower()}", f"from {unparse(node.start)}{end}"),
                    node.cites.ids,
                    depth,
                    (1,),
                )
                return [head, *self.lines(node.body, depth + 1, inside)]
            case syn.ForStmt():
                inner = self.lines(node.body, depth + 1, inside)
                key = (
                    f" by {node.rank + ' ' if node.rank else ''}{unparse(node.key)}"
                    if node.key is not None
                    else ""
                )
                where = f" where {unparse(node.where)}" if node.where is not None else ""
                text = f"{unparse(node.source)}{where}{key}"
                return [Line(("For each", text), node.cites.ids, depth, (1,)), *inner] if inner else []
            case syn.AlternateStmt():
                return [
                    Line(("In turns until all pass", ""), node.cites.ids, depth),
                    *self.lines(node.body, depth + 1, inside),
                ]
            case syn.SecretStmt():
                return [
                    Line(("All at once, in secret", ""), node.cites.ids, depth),
                    *self.lines(node.body, depth + 1, inside),
                ]
            case syn.SimultaneousStmt():
                return [
                    Line(("All at once", ""), node.cites.ids, depth),
                    *self.lines(node.body, depth + 1, inside),
                ]
            case syn.IfStmt():
                return self._cases(node, depth, inside)
            case syn.WhileStmt() | syn.TimesStmt() | syn.UntilStmt():
                return self.lines(node.body, depth, inside)
            case syn.OfferStmt() | syn.RepeatsStmt():
                return [self._offers(node, depth)]
            case syn.DoStmt():
                return self._called(node.use, node.cites.ids, depth, inside)
            case syn.EndStmt():
                condition = unparse(node.condition) if node.condition is not None else ""
                return [
                    Line(
                        ("The game ends", f"if {condition}" if condition else ""), node.cites.ids, depth, (1,)
                    )
                ]
        return []

    def _phase(self, node: syn.PhaseStmt, depth: int, inside: tuple[str, ...]) -> list[Line]:
        when = f"when {unparse(node.condition)}" if node.condition is not None else ""
        head = Line((node.title or words(node.name), when), node.cites.ids, depth, (1,))
        if node.body is not None:
            return [head, *self.lines(node.body, depth + 1, inside)]
        called = self.procedures.get(node.name)
        if called is None or node.name in inside or len(inside) > DEEPEST:
            return [head]
        return [head, *self.lines(called.body, depth + 1, (*inside, node.name))]

    def _cases(self, node: syn.IfStmt, depth: int, inside: tuple[str, ...]) -> list[Line]:
        found = []
        for condition, body in node.arms:
            inner = self.lines(body, depth + 1, inside)
            if inner:
                found += [Line(("If", unparse(condition)), node.cites.ids, depth, (1,)), *inner]
        inner = self.lines(node.otherwise, depth + 1, inside)
        return [*found, Line(("Otherwise", ""), (), depth), *inner] if inner else found

    def _offers(self, node: syn.OfferStmt | syn.RepeatsStmt, depth: int) -> Line:
        offered = ", ".join(self.offered.get(use.name, words(use.name)) for use in node.uses)
        if isinstance(node, syn.RepeatsStmt):
            how = "as long as possible" if node.while_possible else "as often as wanted"
        else:
            how = "or nothing" if node.optional else "until all pass" if node.until_all_pass else ""
        return Line((offered, f"{unparse(node.seat)}{', ' + how if how else ''}"), node.cites.ids, depth)

    def _called(
        self, use: syn.Use, cites: tuple[str, ...], depth: int, inside: tuple[str, ...]
    ) -> list[Line]:
        called = self.procedures.get(use.name)
        if called is None:
            return []
        if use.name in inside or len(inside) > DEEPEST or not _is_staged(called.body):
            return [Line((words(use.name), ""), cites or called.cites.ids, depth)]
        return self.lines(called.body, depth, (*inside, use.name))


def _is_staged(body: tuple[syn.Stmt, ...]) -> bool:
    """Whether phases, turns or offers stand in it, so that it is part of the outline."""
    staged = (syn.PhaseStmt, syn.AlternateStmt, syn.OfferStmt, syn.RepeatsStmt, syn.SecretStmt)
    return any(isinstance(node, staged) for statement in body for node in walk(statement))
