"""Typed trees of what belongs to no callable: the sequence of play, examples, situations, policies, secrets, what victory ranks by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.bodies import Inside, bind_variables
from grognard.compiler.sema.typed.checker import Checker
from grognard.compiler.sema.typed.policies import TypedPolicy, check_policy
from grognard.compiler.sema.typed.rules import check_rule
from grognard.compiler.sema.typed.secrecy import TypedSecrecy, check_secrecy, may_be_secret
from grognard.compiler.sema.typed.statements import BodyChecker
from grognard.compiler.sema.typed.trees import Trees
from grognard.compiler.sema.types import INT, Dom, FieldInfo, Type, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink

# ----------------------------------------------------------------------------------------------- the sequence of play


@dataclass(frozen=True, slots=True)
class TypedSequence:
    written: syn.SequenceDecl
    condition: t.Typed | None
    statements: tuple[t.Statement, ...]


@dataclass(frozen=True, slots=True)
class TypedPlay:
    """All sequences one after the other, and who has won at the end."""

    sequences: tuple[TypedSequence, ...]
    winner: t.Typed | None


def check_play(trees: Trees, decls: Sequence[syn.SequenceDecl]) -> TypedPlay:
    check = BodyChecker(trees, Inside("sequence", pure=False, machine=True), trees.sink)
    made: list[TypedSequence] = []
    for decl in decls:
        scope = Scope()
        condition: t.Typed | None = None
        if decl.condition is not None:
            condition = check.condition(decl.condition, scope)
            scope = scope.with_narrowed(check.narrow(decl.condition, scope, True))
        made.append(TypedSequence(decl, condition, check.block(decl.body, scope)[0]))
    winner: t.Typed | None = None
    victory = trees.symbols.callables.get("victory")
    if victory is not None:
        winner = check_rule(check, victory, [], victory.span, Scope())
    trees.check_kept()
    return TypedPlay(tuple(made), winner)


# -------------------------------------------------------------------------------------------- examples and situations


@dataclass(frozen=True, slots=True)
class TypedExample:
    """An example, or a situation with its parameters."""

    params: tuple[Variable, ...]
    statements: tuple[t.Statement, ...]


def check_example_body(trees: Trees, decl: syn.ExampleDecl) -> TypedExample:
    check = BodyChecker(trees, Inside(f"example {decl.title}", pure=False, machine=True), trees.sink)
    check.in_example = True
    statements, _ = check.block(decl.body, Scope())
    trees.check_kept()
    return TypedExample((), statements)


def check_situation_body(
    trees: Trees, decl: syn.SituationDecl, params: Iterable[tuple[str, Type]]
) -> TypedExample:
    scope = Scope()
    variables = bind_variables(scope, params, decl.span)
    check = BodyChecker(trees, Inside(f"situation {decl.name}", pure=False, machine=True), trees.sink)
    check.in_example, check.odds_of = True, ""
    statements, _ = check.block(decl.body, scope)
    trees.check_kept()
    return TypedExample(variables, statements)


# ---------------------------------------------------------------------------------------------------------- policies


def check_policies(trees: Trees, choices: Mapping[str, Type]) -> tuple[TypedPolicy, ...]:
    """All declared policies; `choices` are the types of what is chosen, by the names of choices."""
    return tuple(check_policy(trees, decl, choices) for _rank, decl in trees.symbols.policies.values())


# ------------------------------------------------------------------------------------------------------------ secrets


@dataclass(frozen=True, slots=True)
class TypedView:
    """What a seat may not see: fields, and counters altogether."""

    fields: tuple[tuple[Dom, FieldInfo, TypedSecrecy], ...]
    pieces: tuple[tuple[Dom, TypedSecrecy], ...]

    @property
    def secrets(self) -> tuple[TypedSecrecy, ...]:
        return (*(secrecy for _, _, secrecy in self.fields), *(secrecy for _, secrecy in self.pieces))


def check_view(trees: Trees) -> TypedView | None:
    """The secrets of a title; None if it has none."""
    fields: list[tuple[Dom, FieldInfo, TypedSecrecy]] = []
    pieces: list[tuple[Dom, TypedSecrecy]] = []
    hidden = False
    for dom in trees.symbols.doms:
        for info in dom.fields.values():
            if info.secret and info.field is not None and info.decl is not None:
                hidden = True
                made = check_secrecy(trees, dom, info.decl.secret_while, info.decl.span, trees.sink)
                if may_be_secret(info, trees.sink):
                    fields.append((dom, info, made))
        if dom.secret_all is not None:
            secret = dom.secret_all
            pieces.append((dom, check_secrecy(trees, dom, secret.condition, secret.span, trees.sink)))
    return TypedView(tuple(fields), tuple(pieces)) if hidden or pieces else None


# ------------------------------------------------------------------------------------------------------------ victory


def victory_measure(trees: Trees, decls: Iterable[syn.VictoryDecl]) -> Callable_ | None:
    """A rule of one side that gives the number by which victory ranks the sides; None if it ranks them by no number."""
    for decl in decls:
        for node in walk(decl.body):
            if isinstance(node, syn.AggregateExpr) and node.key is not None and _over_sides(trees, node):
                return _measure(trees, decl, node)
    return None


def _over_sides(trees: Trees, node: syn.AggregateExpr) -> bool:
    sides = trees.symbols.sides
    return isinstance(node.source, syn.Name) and sides is not None and node.source.id in ("sides", sides.name)


def _measure(trees: Trees, decl: syn.VictoryDecl, node: syn.AggregateExpr) -> Callable_ | None:
    assert node.key is not None and trees.symbols.sides is not None
    value = node.key if node.rank == "highest" else syn.UnaryExpr("neg", node.key, node.span)
    side = syn.TypeExpr("plain", syn.Name("Side", node.span), None, 0, False, node.span)
    number = syn.TypeExpr("plain", syn.Name("int", node.span), None, 0, False, node.span)
    body = (syn.CaseStmt(value, None, decl.cites, node.span),)
    rule = syn.RuleDecl(
        "victory measure", (syn.Param(node.var, side, node.span),), number, body, decl.cites, node.span
    )
    params = [(node.var, dom_type(trees.symbols.sides))]
    # Sides may be ranked by something else than a number, such as an enum.  What is wrong is told of the rule `victory`.
    found, scope = Sink(), Scope()
    bind_variables(scope, params, node.span)
    made = Checker(trees, Inside(), found).checked(value, scope, INT)
    if found.has_errors or made.type.sort != "int":
        return None
    return Callable_(rule.name, "rule", params, INT, rule, node.span, (), 0)
