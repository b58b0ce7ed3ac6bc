"""Checked first, lowered then: what is wrong is told by checkers, which know nothing of the IR; lowering is silent."""

from __future__ import annotations

import ast
from pathlib import Path

import grognard.compiler.lower
import grognard.compiler.sema.typed

LOWER = Path(grognard.compiler.lower.__path__[0])
TYPED = Path(grognard.compiler.sema.typed.__path__[0])
TELLS = {"error", "warning", "note"}


def test_lowering_tells_nothing() -> None:
    told = []
    for path in sorted(LOWER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Attribute(attr="sink") | ast.Name(id="sink"), attr=name)
                ):
                    told += [f"{path.relative_to(LOWER)}:{node.lineno}"] if name in TELLS else []
    assert not told


def test_expressions_and_statements_are_lowered_from_typed_trees_alone() -> None:
    """Who lowers has no sink, checks nothing and looks up no name."""
    for folder in ("exprs", "stmts", "choices", "geometry"):
        for path in sorted((LOWER / folder).glob("*.py")):
            text = path.read_text(encoding="utf-8")
            for word in ("sink", "Scope", "Checker"):
                assert word not in text, f"{path.relative_to(LOWER)}: {word}"


def test_typed_trees_hold_nothing_of_the_ir() -> None:
    for path in sorted(TYPED.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "contract import ir" not in text and "contract.ir" not in text, path.relative_to(TYPED)
        assert "compiler.lower" not in text, path.relative_to(TYPED)
