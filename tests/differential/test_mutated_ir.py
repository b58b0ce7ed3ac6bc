"""Mutants that the verifier lets pass mean the same on both back ends."""

from __future__ import annotations

import dataclasses
import random

import programs
import pytest
import test_differential_ir as differential
from grognard.compiler.build.build import compiler_available
from grognard.contract import ir
from grognard.contract.ir.verify import violations
from grognard.contract.layout import compute_layout
from mutations import mutated

pytestmark = pytest.mark.skipif(compiler_available() is not None, reason=str(compiler_available()))


def test_well_formed_mutants_agree() -> None:
    """Every function of one program is a mutant, so that one engine is built for all of them."""
    program, _, data, cells = programs.kitchen()
    chance = random.Random("kitchen")
    changed = 0
    for code in program.functions:
        for _ in range(3):
            made = mutated(code, chance)
            if not isinstance(made, ir.Function):
                continue
            entries = tuple(made if entry.id == code.id else entry for entry in program.functions)
            mutant = dataclasses.replace(program, functions=entries)
            if not violations(mutant):
                program = mutant
                changed += 1
                break
    assert changed > len(program.functions) // 2
    layout = compute_layout(program, [d.base for d in data.domains], [d.count for d in data.domains])
    pair = differential.Pair((program, layout, data, cells))
    for function in program.functions:
        after = cells
        for _ in range(8):
            args = differential.some_arguments(chance, pair, function)
            # Mutants may run for ever: a small budget ends them.
            found, _ = pair.same(
                after,
                lambda backend, mine, io, f=function.id, a=args: backend.call(mine, f, a, io),
                budget=chance.choice((5, 50, 2000)),
            )
            after = found or cells
