"""The verifier: every program there is passes, and for each rule a program that breaks just this one is told so."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable
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
from grognard.contract.layout import Layout, compute_layout
from grognard.interpreter.machine import Interpreter
from grognard.support.diagnostics import Sink
from mutations import mutated, rewritten

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


def with_node(name: str, kind: type, change: Callable[[Any], Any]) -> ir.Program:
    """A small program with its first node of this class changed."""
    program = BUILT[name][0]
    found = next(node for node in nodes((program.functions, program.machines)) if type(node) is kind)
    return rewritten(program, found, change(found))  # type: ignore[no-any-return]


def put(name: str, kind: type, /, **parts: Any) -> ir.Program:
    """A small program with parts of its first node of this class replaced."""
    return with_node(name, kind, lambda node: dataclasses.replace(node, **parts))


def declared(name: str, where: str, index: int, /, **parts: Any) -> ir.Program:
    """A small program with parts of a declaration replaced."""
    program = BUILT[name][0]
    entries = list(getattr(program, where))
    entries[index] = dataclasses.replace(entries[index], **parts)
    return dataclasses.replace(program, **{where: tuple(entries)})


def whole(name: str, /, **parts: Any) -> ir.Program:
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


def with_machine(name: str, locals_: tuple[ir.LocalType, ...], end: Any, params: int = 0) -> ir.Program:
    """A small program with one more machine of one block."""
    program = BUILT[name][0]
    decls = tuple(ir.LocalDecl(f"x{number}", kind) for number, kind in enumerate(locals_))
    made = ir.Machine(len(program.machines), "extra", params, decls, False, (ir.Block((), end),), 0)
    return dataclasses.replace(program, machines=(*program.machines, made))


def field(name: str, wanted: str) -> int:
    return next(f.id for f in BUILT[name][0].fields if f.name == wanted)


def function(name: str, fits: Callable[[ir.Function], bool]) -> int:
    return next(f.id for f in BUILT[name][0].functions if fits(f))


INT, SIDES, UNITS, FEW = ir.IntType(), ir.SetType(0), ir.SetType(1), ir.ListType(3)
ONE = ir.Const(1)
extra_machine = len(BUILT["duel"][0].machines)
the_queue = field("simultaneous", "queue")
procedure = function("duel", lambda f: f.result is None and f.params == 0)
takes_two = function("duel", lambda f: f.params == 2 and f.result is None)
line = ir.PolicyLine("fire.target", None, (), procedure, 0, False)


def counted(var: int) -> ir.Expr:
    return ir.Aggregate("count", var, ir.OverDomain(1), None, None, 0)


def loop(var: int, *body: ir.Stmt, domain: int = 1) -> ir.For:
    return ir.For(var, ir.OverDomain(domain), domain, None, None, False, body, 0)


BROKEN: list[tuple[str, str, Callable[[], ir.Program]]] = [
    ("W1", "position 1", lambda: declared("duel", "fields", 1, id=0)),
    ("W1", "position 2", lambda: declared("duel", "functions", 2, id=7)),
    ("W2", "no field 99", lambda: put("duel", ir.Store, field=99)),
    ("W2", "no site -1", lambda: put("duel", ir.Roll, site=-1)),
    ("W2", "no machine 50", lambda: whole("duel", main=50)),
    ("W2", "no domain 9", lambda: declared("duel", "fields", 1, dims=(9,))),
    ("W2", "no machine 8", lambda: whole("duel", entry_points=(("play", 8),))),
    ("W3", "Jump is no node where a statement", lambda: with_function("duel", (), ir.Jump(0))),  # type: ignore[arg-type]
    (
        "W3",
        "SetLocal is no node where an integer",
        lambda: with_function("duel", (INT, UNITS), ir.Assign(0, ir.SetLocal(1))),  # type: ignore[arg-type]
    ),
    ("W3", "Return is no node where a terminator", lambda: with_machine("duel", (), ir.Return())),
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
    (
        "W10",
        "hp holds IntType",
        lambda: with_function("duel", (UNITS,), ir.AssignSet(0, ir.SetLoad(field("duel", "hp"), (ONE,), 0))),
    ),
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
    (
        "W17",
        "needs a value",
        lambda: with_function(
            "duel", (INT,), ir.Assign(0, ir.Aggregate("sum", 0, ir.OverDomain(0), None, None, 0))
        ),
    ),
    (
        "W17",
        "takes no value",
        lambda: with_function(
            "duel", (INT,), ir.Assign(0, ir.Aggregate("count", 0, ir.OverDomain(0), None, ONE, 0))
        ),
    ),
    ("W18", "no cell 16", lambda: with_function("duel", (), ir.StoreHead(16, ONE))),
    ("W19", "kind 0", lambda: with_function("duel", (), ir.Fail(0, 0))),
    ("W19", "kind 16", lambda: with_function("duel", (), ir.Fail(16, 0))),
    ("W20", "break outside", lambda: with_function("duel", (), ir.Break())),
    ("W20", "continue outside", lambda: with_function("duel", (), ir.IfStmt(ONE, (ir.Continue(),)))),
    ("W21", "procedure", lambda: with_function("duel", (), ir.Return(ONE))),
    ("W21", "gives set, not int", lambda: with_function("duel", (), ir.Return(ONE), result=UNITS)),
    ("W21", "machine", lambda: put("duel", ir.Block, body=(ir.Return(),))),
    ("W22", "queue has dims", lambda: declared("simultaneous", "fields", the_queue, dims=(0,))),
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
    ("W29", "no block 77", lambda: with_machine("duel", (), ir.Jump(77))),
    ("W29", "no block", lambda: declared("duel", "machines", 0, blocks=())),
    (
        "W30",
        "no way",
        lambda: with_node(
            "duel",
            ir.Machine,
            lambda m: dataclasses.replace(
                m, blocks=(*m.blocks, ir.Block((ir.StoreHead(2, ONE),), ir.Jump(0)))
            ),
        ),
    ),
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
    (
        "W37",
        "more than integers",
        lambda: with_machine(
            "duel", (UNITS,), ir.EndGame(ir.AtBest(extra_machine, (ONE,), None, 0)), params=1
        ),
    ),
    ("W38", "takes arguments", lambda: whole("calls", main=programs.machine_id(BUILT["calls"][0], "main"))),
    ("W39", "does not take 1", lambda: whole("duel", view=takes_two)),
    ("W40", "gives no integer", lambda: whole("duel", measure=BUILT["duel"][0].view)),
    ("W41", "does not take 1", lambda: whole("kitchen", plausible=(0, 0))),
    (
        "W42",
        "no such decision",
        lambda: whole(
            "kitchen", policies=(ir.Policy("p", "", (dataclasses.replace(line, ask="nothing", value=None),)),)
        ),
    ),
    ("W42", "a chooser and a candidate", lambda: whole("duel", policies=(ir.Policy("p", "", (line,)),))),
    (
        "W43",
        "does not take",
        lambda: declared("hexes", "movements", 0, stop=BUILT["hexes"][0].movements[0].start),
    ),
    ("W44", "no sides", lambda: whole("duel", seats=1)),
    ("W44", "no places", lambda: whole("duel", spaces=(1,))),
    ("W46", "no pieces", lambda: whole("duel", journal=9, created_in_branches=(0,))),
    ("W46", "no journal", lambda: whole("duel", journal=0, created_in_branches=(1,))),
    ("W46", "named twice", lambda: whole("duel", journal=9, created_in_branches=(1, 1))),
    ("W45", "local 0 is the variable", lambda: with_function("duel", (INT,), loop(0, loop(0)))),
    ("W45", "a loop around", lambda: with_function("duel", (INT,), loop(0, ir.Assign(0, ONE)))),
    (
        "W45",
        "local 0",
        lambda: with_function(
            "duel",
            (INT,),
            ir.Assign(0, ir.Aggregate("count", 0, ir.OverDomain(1), counted(0), None, 0)),
        ),
    ),
    ("W45", "of a loop", lambda: with_function("duel", (INT, INT), loop(0, loop(1, loop(0, domain=0))))),
]


@pytest.mark.parametrize(("rule", "message", "make"), BROKEN, ids=[f"{b[0]}-{b[1]}" for b in BROKEN])
def test_a_broken_rule_is_told(rule: str, message: str, make: Callable[[], ir.Program]) -> None:
    found = violations(make())
    assert {violation.rule for violation in found} == {rule}, [str(violation) for violation in found]
    assert any(message in violation.message for violation in found), [str(violation) for violation in found]


def test_every_rule_is_broken_by_some_program() -> None:
    assert {rule for rule, _, _ in BROKEN} == set(RULES)


def test_everything_that_is_wrong_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    body = ir.IfStmt(ONE, (ir.Break(), ir.Assign(3, ir.Const(2**40))))
    program = with_function("duel", (INT,), body)
    monkeypatch.setenv(verifier.SWITCH, "0")
    verify_if_wanted(program)
    monkeypatch.setenv(verifier.SWITCH, "1")
    with pytest.raises(InvalidProgram) as raised:
        verify_if_wanted(program)
    places = [(found.rule, found.where) for found in raised.value.violations]
    where = "function extra.body[0].then"
    assert places == [
        ("W20", f"{where}[0]"),
        ("W9", f"{where}[1].local"),
        ("W4", f"{where}[1].value.value"),
    ]
    text = str(raised.value)
    assert text.startswith("program duel is not well-formed:\n")
    assert all(str(found) in text and RULES[found.rule] in text for found in raised.value.violations)


# ------------------------------------------------------------------------------------------------ mutations


def some_value(chance: random.Random, kind: ir.LocalType, layout: Layout) -> Any:
    match kind:
        case ir.SetType(domain=domain):
            base, count = layout.base[domain], layout.count[domain]
            return {base + chance.randrange(count) for _ in range(chance.randrange(4)) if count}
        case ir.ListType(capacity=capacity):
            return [chance.randrange(9) for _ in range(chance.randrange(capacity + 1))]
    return chance.choice((0, 1, 2, 5, 10, 12, -1, NONE, DONE))


def run(built: programs.Built, code: ir.Function | ir.Machine, chance: random.Random) -> None:
    """Run a function or machine on the interpreter; rules may fail, nothing else may."""
    program, layout, data, cells = built
    interpreter = Interpreter(program, layout, data)
    for _ in range(4):
        mine = bytearray(cells)
        args = [some_value(chance, local.type, layout) for local in code.locals[: code.params]]
        try:
            if isinstance(code, ir.Function):
                interpreter.call(mine, code.id, args, Io(level=2, budget=2000))
                continue
            interpreter.start(mine, code.id, args, Io(level=2, budget=2000))
            for _ in range(20):
                if memoryview(mine).cast("i")[H_STATUS] != STATUS_DECISION:
                    break
                interpreter.answer(mine, chance.choice(interpreter.candidates(mine)), Io(budget=2000))
        except RuleFailure:
            pass


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_a_mutant_is_caught_or_runs(name: str) -> None:
    """What the verifier lets pass, the interpreter can run: none of its own checks of the IR finds more."""
    program, _, data, cells = BUILT[name]
    chance = random.Random(name)
    caught = passed = 0
    for _ in range(150):
        code = chance.choice((*program.functions, *program.machines))
        made = mutated(code, chance)
        if made is None:
            continue
        where = "functions" if isinstance(code, ir.Function) else "machines"
        entries = tuple(made if entry is code else entry for entry in getattr(program, where))
        mutant = dataclasses.replace(program, **{where: entries})
        if violations(mutant):
            caught += 1
            continue
        passed += 1
        layout = compute_layout(mutant, [d.base for d in data.domains], [d.count for d in data.domains])
        run((mutant, layout, data, cells), made, chance)
    assert caught > 30 and passed > 30
