"""The IR as text: what `grognard build --show ir` prints.

The text is complete (everything that matters in the program can be read from it) and stable (the same
program gives the same text), with the author's names instead of numbers.  Names that occur twice carry
their id, as in `hit#7`.  `@3` behind a node is its site; where a site first matters for a statement, its
source line and citations follow as a comment.
"""

from __future__ import annotations

from grognard.contract import ir
from grognard.contract.datablock import DataBlock
from grognard.contract.ir.print.declarations import ProgramPrinter


def print_program(program: ir.Program, data: DataBlock | None = None) -> str:
    """The whole program; with its data block also sizes, names of domain members and values of symbols."""
    return ProgramPrinter(program, data).program_text()


def print_function(program: ir.Program, function: int) -> str:
    """One function."""
    return "\n".join(ProgramPrinter(program, None).function(program.functions[function])) + "\n"


def print_machine(program: ir.Program, machine: int) -> str:
    """One machine."""
    return "\n".join(ProgramPrinter(program, None).machine(program.machines[machine])) + "\n"
