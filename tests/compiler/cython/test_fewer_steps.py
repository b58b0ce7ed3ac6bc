"""What the compiler saves: calls made twice, blocks that only lead on, frames of machines that end before they ask."""

from __future__ import annotations

from dataclasses import replace

from grognard.compiler.passes.analyses.frameless_machines import frameless_blocks
from grognard.compiler.passes.merge_blocks import GONE, merge_blocks
from grognard.compiler.passes.share_calls import share_calls
from grognard.contract import ir
from grognard.contract.backend import Io
from grognard.contract.ir.walk import nodes
from grognard.interpreter.machine import Interpreter
from programs import hypothetical

INT = ir.IntType()


def _machine(*blocks: ir.Block, locals_: tuple[ir.LocalDecl, ...] = (ir.LocalDecl("x", INT),)) -> ir.Machine:
    return ir.Machine(0, "m", 0, locals_, False, blocks, 0)


def _set(value: int) -> ir.Assign:
    return ir.Assign(0, ir.Const(value))


END = ir.ReturnMachine(None)


def test_blocks_that_only_lead_on_are_left_out() -> None:
    machine = _machine(
        ir.Block((_set(1),), ir.Branch(ir.Local(0), 1, 2)),
        ir.Block((), ir.Jump(3)),
        ir.Block((_set(2),), ir.Jump(4)),
        ir.Block((_set(3),), ir.Jump(5)),
        ir.Block((_set(4),), ir.Jump(5)),
        ir.Block((_set(5),), END),
    )
    joined = merge_blocks(machine).blocks
    assert joined[0].end == ir.Branch(ir.Local(0), 3, 2)
    assert joined[2] == ir.Block((_set(2), _set(4)), ir.Jump(5))
    assert joined[3] == machine.blocks[3]
    assert joined[1] == joined[4] == GONE
    # A block that is entered from outside is still there.
    assert merge_blocks(machine, frozenset({4})).blocks[4] == machine.blocks[4]


def test_an_endless_loop_of_jumps_stays_one() -> None:
    machine = _machine(ir.Block((), ir.Jump(1)), ir.Block((), ir.Jump(0)))
    assert any(isinstance(block.end, ir.Jump) for block in merge_blocks(machine).blocks)


def test_a_machine_is_tried_only_up_to_its_first_change() -> None:
    asks = ir.CallMachine(0, (), None, 1)
    writes = ir.Reset(0)
    tested = ir.Block((_set(1),), ir.Branch(ir.Local(0), 1, 2))
    # One way ends at once, the other calls a machine: what is changed before the end changes nothing else.
    assert frameless_blocks(_machine(tested, ir.Block((writes,), END), ir.Block((), asks))) == {0, 1}
    # A change before the call would be made twice.
    changed = ir.Block((writes,), ir.Branch(ir.Local(0), 1, 2))
    assert not frameless_blocks(_machine(changed, ir.Block((), END), ir.Block((), asks)))
    # A loop might never end, and a set lies in the frame.
    assert not frameless_blocks(_machine(ir.Block((), ir.Branch(ir.Local(0), 0, 1)), ir.Block((), END)))
    of_sets = (ir.LocalDecl("x", INT), ir.LocalDecl("some", ir.SetType(0)))
    assert not frameless_blocks(_machine(ir.Block((), END), locals_=of_sets))


def test_a_call_is_made_once_where_it_is_made_in_any_case() -> None:
    program, layout, data, cells = hypothetical()
    asked = len(program.functions)
    call = ir.Call(asked + 1, (ir.Local(0),))
    loop = ir.For(1, ir.OverRange(ir.Const(1), ir.Const(9)), None, None, None, False, (), 0)
    callee = ir.Function(
        asked + 1,
        "heavy",
        1,
        (ir.LocalDecl("x", INT), ir.LocalDecl("i", INT)),
        INT,
        (loop, ir.Return(ir.Local(0))),
        0,
        True,
    )
    locals_ = (ir.LocalDecl("x", INT), ir.LocalDecl("sum", INT))

    def caller(*body: ir.Stmt) -> ir.Program:
        made = ir.Function(asked, "caller", 1, locals_, INT, body, 0, True)
        return share_calls(replace(program, functions=(*program.functions, made, callee)))

    def calls(of: ir.Program) -> int:
        return sum(
            isinstance(n, ir.Call) and n.function == asked + 1 for n in nodes(of.functions[asked].body)
        )

    add = ir.Assign(1, ir.Binary("add", ir.Local(1), call, 0))
    assert calls(caller(add, add, ir.Return(ir.Local(1)))) == 1
    # Not after its argument was changed, and not if the first might not have been made.
    assert calls(caller(add, ir.Assign(0, ir.Const(3)), add, ir.Return(ir.Local(1)))) == 2
    assert calls(caller(ir.IfStmt(ir.Local(0), (add,)), add, ir.Return(ir.Local(1)))) == 2
    shared = caller(add, add, ir.Return(ir.Local(1)))
    assert Interpreter(shared, layout, data).call(cells, asked, (5,), Io()) == 10
