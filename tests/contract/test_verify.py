"""The verifier: every program there is passes, and for each rule a program that breaks just this one is told so."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import programs
import pytest
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.contract import ir
from grognard.contract.backend import Io, RuleFailure
from grognard.contract.header import DONE, H_STATUS, NONE, STATUS_DECISION
from grognard.contract.ir import verify as verifier
from grognard.contract.ir.verify import RULES, InvalidProgram, verify, verify_if_wanted, violations
from grognard.contract.ir.verify.grammar import GRAMMAR
from grognard.contract.ir.walk import nodes
from grognard.interpreter.machine import Interpreter
from grognard.support.diagnostics import Sink

BUILT = {name: make() for name, make in programs.PROGRAMS.items()}
README = Path(verifier.__file__).parents[1] / "README.md"


# ------------------------------------------------------------------------------------- programs that are fine


@pytest.mark.parametrize("chance", [False, True], ids=["play", "chance"])
@pytest.mark.parametrize("title", sorted(shipped_titles()))
def test_programs_of_shipped_titles_are_well_formed(title: str, chance: bool) -> None:
    ruleset = compile_title(str(shipped_titles()[title]), Sink(), chance=chance, examples=not chance)
    assert ruleset is not None
    verify(ruleset.program)
    verify(ruleset.example_program)


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_small_programs_are_well_formed(name: str) -> None:
    verify(BUILT[name][0])


def test_the_grammar_names_every_node_and_every_part() -> None:
    """A node that is added to the IR must be added to the verifier."""
    unions = {
        "int": ir.Expr,
        "set": ir.SetExpr,
        "list": ir.ListExpr,
        "over": ir.Over,
        "stmt": ir.Stmt,
        "end": ir.Terminator,
    }
    for group, union in unions.items():
        assert set(GRAMMAR[group]) == set(union.__args__)
        for node, parts in GRAMMAR[group].items():
            assert sorted(name for name, _ in parts) == sorted(f.name for f in dataclasses.fields(node))


def test_the_page_of_the_ir_lists_the_rules() -> None:
    listed = re.findall(r"^- \*\*(W\d+)\*\* (.*)$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(listed) == RULES and [rule for rule, _ in listed] == list(RULES)


# ----------------------------------------------------------------------------------------- one broken rule


def rewritten(node: Any, old: Any, new: Any) -> Any:
    """The tree with one node, found by identity, replaced."""
    if node is old:
        return new
    if type(node) is tuple:
        made = tuple(rewritten(part, old, new) for part in node)
        return made if any(a is not b for a, b in zip(made, node)) else node
    if not dataclasses.is_dataclass(node):
        return node
    parts = {f.name: getattr(node, f.name) for f in dataclasses.fields(node)}
    made_parts = {name: rewritten(part, old, new) for name, part in parts.items()}
    if all(made_parts[name] is part for name, part in parts.items()):
        return node
    return dataclasses.replace(node, **made_parts)  # type: ignore[type-var]


def with_node(name: str, kind: type, change: Callable[[Any], Any], index: int = 0) -> ir.Program:
    """A small program with its n-th node of this class changed."""
    program = BUILT[name][0]
    found = [node for node in nodes((program.functions, program.machines)) if type(node) is kind][index]
    return rewritten(program, found, change(found))  # type: ignore[no-any-return]


def put(name: str, kind: type, index: int = 0, **parts: Any) -> ir.Program:
    """A small program with parts of its n-th node of this class replaced."""
    return with_node(name, kind, lambda node: dataclasses.replace(node, **parts), index)


def declared(name: str, where: str, index: int, **parts: Any) -> ir.Program:
    """A small program with parts of a declaration replaced."""
    program = BUILT[name][0]
    entries = list(getattr(program, where))
    entries[index] = dataclasses.replace(entries[index], **parts)
    return dataclasses.replace(program, **{where: tuple(entries)})


def whole(name: str, **parts: Any) -> ir.Program:
    return dataclasses.replace(BUILT[name][0], **parts)


def with_function(name: str, locals_: tuple[ir.LocalType, ...], *body: ir.Stmt, **parts: Any) -> ir.Program:
    """A small program with one more function."""
    program = BUILT[name][0]
    decls = tuple(ir.LocalDecl(f"x{number}", kind) for number, kind in enumerate(locals_))
    given = {"result": None, "pure": False, "params": 0, **parts}
    made = ir.Function(
        len(program.functions), "extra", given["params"], decls, given["result"], body, 0, given["pure"]
    )
    return dataclasses.replace(program, functions=(*program.functions, made))


def field(name: str, wanted: str) -> int:
    return next(f.id for f in BUILT[name][0].fields if f.name == wanted)


def function(name: str, fits: Callable[[ir.Function], bool]) -> int:
    return next(f.id for f in BUILT[name][0].functions if fits(f))


INT, SIDES, UNITS, FEW = ir.IntType(), ir.SetType(0), ir.SetType(1), ir.ListType(3)
ONE = ir.Const(1)
procedure = function("duel", lambda f: f.result is None and f.params == 0)
takes_two = function("duel", lambda f: f.params == 2 and f.result is None)
line = ir.PolicyLine("fire.target", None, (), procedure, 0, False)

BROKEN: list[tuple[str, str, Callable[[], ir.Program]]] = [
    ("W1", "position 1", lambda: declared("duel", "domains", 1, id=0)),
    ("W1", "function", lambda: declared("duel", "functions", 2, id=7)),
    ("W2", "no field 99", lambda: put("duel", ir.Store, field=99)),
    ("W2", "no site -1", lambda: put("duel", ir.Fail, site=-1) if 0 else put("duel", ir.Roll, site=-1)),
    ("W2", "no machine 50", lambda: whole("duel", main=50)),
    ("W2", "no domain 9", lambda: declared("duel", "fields", 1, dims=(9,))),
    ("W2", "no machine 8", lambda: whole("duel", entry_points=(("play", 8),))),
    ("W3", "Jump is no node where a statement", lambda: with_function("duel", (), ir.Jump(0))),  # type: ignore[arg-type]
    (
        "W3",
        "SetLocal is no node where an integer",
        lambda: with_function("duel", (INT, UNITS), ir.Assign(0, ir.SetLocal(1))),  # type: ignore[arg-type]
    ),
    ("W3", "Return is no node where a terminator", lambda: put("duel", ir.Block, end=ir.Return())),
    ("W4", "no operator 'pow'", lambda: put("duel", ir.Binary, op="pow")),
    ("W4", "no 32-bit integer", lambda: put("duel", ir.Const, value=2**31)),
    ("W4", "no level", lambda: put("duel", ir.Note, level=3)),
    ("W4", "no flag", lambda: put("duel", ir.Store, clamp=1)),
    ("W5", "'percent'", lambda: declared("duel", "asks", 0, show="percent")),
    ("W6", "is empty", lambda: declared("duel", "fields", 1, lo=9, hi=0)),
    ("W6", "not in 5..9", lambda: declared("duel", "fields", 1, lo=5)),
    ("W6", "a list of 0", lambda: with_function("duel", (ir.ListType(0),))),
    ("W7", "alive", lambda: declared("duel", "domains", 1, alive=field("duel", "shields"))),
    ("W8", "5 parameters", lambda: with_function("duel", (INT,), params=5)),
    ("W8", "no list", lambda: with_function("duel", (), result=FEW)),
    ("W9", "no local 9", lambda: with_function("duel", (INT,), ir.Assign(9, ONE))),
    ("W9", "not a set", lambda: with_function("duel", (INT,), ir.SetChange(0, ONE, True))),
    ("W9", "not a list", lambda: with_function("duel", (INT,), ir.ListClear(0))),
    ("W10", "hp holds IntType", lambda: put("kitchen", ir.SetLoad, field=field("duel", "hp")) if 0 else (
        with_function("duel", (UNITS,), ir.AssignSet(0, ir.SetLoad(field("duel", "hp"), (ONE,), 0))))),
    ("W10", "queue holds ListType", lambda: put("duel", ir.Store, field=field("duel", "queue"), index=())),
    ("W11", "2 indices for the 1 dims", lambda: put("duel", ir.Data, index=(ONE, ONE))),
    ("W11", "axes", lambda: put("kitchen", ir.TableGet, index=(ONE,) * 7)),
    (
        "W12",
        "a set of side where one of unit",
        lambda: with_function("duel", (UNITS,), ir.AssignSet(0, ir.SetOf(0, (ONE,)))),
    ),
    (
        "W12",
        "a set of unit where one of side",
        lambda: with_function(
            "duel", (INT, SIDES, UNITS), ir.Assign(0, ir.Subset(ir.SetLocal(1), ir.SetLocal(2)))
        ),
    ),
    ("W13", "0 arguments for the 2", lambda: with_function("duel", (), ir.Do(takes_two, (), None))),
    ("W13", "parameters of march", lambda: put("hexes", ir.ReachSet, args=())),
    (
        "W14",
        "a set for",
        lambda: with_function("duel", (UNITS,), ir.Do(takes_two, (ONE, ir.SetLocal(0)), None)),
    ),
    (
        "W15",
        "gives no integer to keep",
        lambda: with_function("duel", (INT,), ir.Do(takes_two, (ONE, ONE), 0)),
    ),
    (
        "W15",
        "gives no integer",
        lambda: with_function("duel", (INT,), ir.Assign(0, ir.Call(takes_two, (ONE, ONE)))),
    ),
    ("W16", "no 'teleport'", lambda: put("hexes", ir.Verb, name="teleport")),
    ("W16", "which takes", lambda: put("hexes", ir.OverVerb, args=(ONE,) * 5)),
    ("W17", "value", lambda: with_node("kitchen", ir.Aggregate, lambda a: dataclasses.replace(
        a, value=ONE if a.value is None else None))),
    ("W18", "no cell 16", lambda: with_function("duel", (), ir.StoreHead(16, ONE))),
    ("W19", "kind 0", lambda: with_function("duel", (), ir.Fail(0, 0))),
    ("W19", "kind 16", lambda: with_function("duel", (), ir.Fail(16, 0))),
    ("W20", "break outside", lambda: with_function("duel", (), ir.Break())),
    ("W20", "continue outside", lambda: with_function("duel", (), ir.IfStmt(ONE, (ir.Continue(),)))),
    ("W21", "procedure", lambda: with_function("duel", (), ir.Return(ONE))),
    ("W21", "gives set, not int", lambda: with_function("duel", (), ir.Return(ONE), result=UNITS)),
    ("W21", "machine", lambda: put("duel", ir.Block, body=(ir.Return(),))),
    ("W22", "marked", lambda: with_function("simultaneous", ()) if 0 else (
        rewritten(declared("duel", "fields", field("duel", "queue"), dims=(0,)), None, None)
        if 0 else dataclasses.replace(
            with_function("duel", (), ir.Enqueue(field("duel", "queue"), ONE, 0)),
            fields=declared("duel", "fields", field("duel", "queue"), dims=(0,), name="marked").fields))),
    ("W23", "not shaped like", lambda: with_function("duel", (), ir.CopyField(1, 2))),
    ("W24", "no `alive`", lambda: with_function("duel", (), ir.Destroy(0, ONE, 0))),
    ("W25", "no journal", lambda: with_function("duel", (), ir.BranchBegin(0))),
    ("W26", "are shown", lambda: with_function("duel", (), ir.Note(1, 5, (ONE,)))),
    ("W26", "{2} in the text", lambda: with_function("duel", (), ir.Note(1, 2, (ONE,)))),
    ("W27", "changes", lambda: with_function("duel", (), ir.Do(takes_two, (ONE, ONE), None), pure=True)),
    (
        "W28",
        "elements of unit, not side",
        lambda: with_function("duel", (INT,), ir.For(0, ir.OverDomain(1), 0, None, None, False, (), 0)),
    ),
    ("W29", "no block 77", lambda: put("duel", ir.Jump, block=77)),
    ("W29", "no block", lambda: declared("duel", "machines", 0, blocks=())),
    ("W30", "no way", lambda: with_node("duel", ir.Machine, lambda m: dataclasses.replace(
        m, blocks=(*m.blocks, ir.Block((ir.BranchEnd(0),), ir.Jump(0)))) if 0 else dataclasses.replace(
        m, blocks=(*m.blocks, ir.Block((ir.StoreHead(2, ONE),), ir.Jump(0)))))),
    ("W31", "no result", lambda: put("kitchen", ir.ReturnMachine, value=ONE)),
    ("W32", "gives a result", lambda: declared("duel", "functions", procedure, result=INT)),
    ("W33", "neither NONE nor DONE", lambda: put("duel", ir.Ask, extra=5)),
    ("W33", "without an extra", lambda: put("duel", ir.Ask, extra=None, extra_when=ONE)),
    ("W34", "no view", lambda: whole("duel", view=None)),
    ("W35", "not interchangeable", lambda: declared("duel", "domains", 1, interchangeable=False)),
    ("W36", "not a set", lambda: declared("duel", "asks", 0, some=(0, 0))),
    ("W36", "no local 90", lambda: declared("duel", "asks", 0, named=(("u", 90, "int"),))),
    (
        "W36",
        "not a list",
        lambda: declared("duel", "asks", 0, chance=ir.Chance("pool", number=0, result=0)),
    ),
    ("W37", "more than integers", lambda: with_node("hypothetical", ir.Machine, lambda m: m) if 0 else set_plan()),
    ("W38", "takes arguments", lambda: whole("calls", main=programs.machine_id(BUILT["calls"][0], "main"))),
    ("W39", "does not take 1", lambda: whole("duel", view=takes_two)),
    ("W40", "gives no integer", lambda: whole("duel", measure=BUILT["duel"][0].view)),
    ("W41", "does not take 1", lambda: whole("kitchen", plausible=(0, 0))),
    ("W42", "no such decision", lambda: whole("kitchen", policies=(ir.Policy("p", "", (
        dataclasses.replace(line, ask="nothing", value=None),)),))),
    ("W42", "a chooser and a candidate", lambda: whole("duel", policies=(ir.Policy("p", "", (line,)),))),
    ("W43", "does not take", lambda: declared("hexes", "movements", 0, params=5)),
    ("W44", "no sides", lambda: whole("duel", seats=1)),
    ("W44", "no places", lambda: whole("duel", spaces=(1,))),
]
