"""What is still checked while it is lowered.  The numbers can only go down: whoever moves a construct writes the new one here."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import grognard.compiler.lower
from grognard.compiler.lower.exprs.expressions import Exprs

#: Uses of the seam (lower/exprs/expressions.py), and diagnostics told while lowering, by part of compiler/lower.
USES: dict[str, int] = {
    "choices": 32,
    "geometry": 19,
    "situations": 5,
    "views": 3,
}
TOLD: dict[str, int] = {
    "choices": 21,
    "geometry": 3,
    "lowerer": 2,
    "situations": 8,
    "stmts": 1,
    "time": 7,
    "views": 1,
}

FOLDER = Path(grognard.compiler.lower.__path__[0])
SEAM = {name for name, value in vars(Exprs).items() if callable(value) and not name.startswith("_")}
TELLS = {"error", "warning", "note"}


def _counted() -> tuple[Counter[str], Counter[str]]:
    uses: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for path in sorted(FOLDER.rglob("*.py")):
        part = path.relative_to(FOLDER).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="stmts" | "sub" | "made" | "self"), attr=name)
                ):
                    uses[part] += name in SEAM
                case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="sink"), attr=name)):
                    told[part] += name in TELLS
    return +uses, +told


def test_no_more_is_checked_while_it_is_lowered() -> None:
    uses, told = _counted()
    assert dict(uses) == USES
    assert dict(told) == TOLD


def test_lowering_expressions_tells_nothing() -> None:
    """The families of expressions are moved: they read typed trees, and cannot tell mistakes."""
    assert "exprs" not in TOLD
    for path in sorted((FOLDER / "exprs").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert path.name == "expressions.py" or ("sink" not in text and "syntax" not in text), path.name
