"""The verifier: what a well-formed program is, stated as rules (rules.py) and checked.

Back ends assume a verified program.  `verify` is run on every program in tests, and wherever programs are made or
compiled if the environment says so.
"""

from __future__ import annotations

import os

from grognard.contract import ir
from grognard.contract.ir.verify.rules import RULES, InvalidProgram, Report, Violation

__all__ = ["RULES", "SWITCH", "InvalidProgram", "Violation", "verify", "verify_if_wanted", "violations"]

#: Set to 1: programs are verified when they are made and before they are compiled.
SWITCH = "GROGNARD_VERIFY"


def violations(program: ir.Program) -> list[Violation]:
    """Everything that is wrong with a program; nothing, if it is well-formed."""
    # Imported here: who only runs a title need not read the checks.
    from grognard.contract.ir.verify.code import CodeChecker
    from grognard.contract.ir.verify.declarations import DeclarationChecker

    report = Report()
    DeclarationChecker(program, report).check()
    for function in program.functions:
        CodeChecker(program, report, function).check()
    for machine in program.machines:
        CodeChecker(program, report, machine).check()
    return report.violations


def verify(program: ir.Program) -> None:
    """Raise InvalidProgram unless the program is well-formed."""
    found = violations(program)
    if found:
        raise InvalidProgram(program.name, found)


def verify_if_wanted(program: ir.Program) -> None:
    """Verify the program if the environment says so."""
    if os.environ.get(SWITCH, "") not in ("", "0"):
        verify(program)
