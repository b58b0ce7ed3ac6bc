"""Checked first, lowered then: what is wrong is told by checkers, which know nothing of the IR; lowering is silent.

What is declared, what is built and what is frozen are three things: nothing that is declared changes when bodies are checked
and lowered, or when scenarios are loaded."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import grognard.compiler.lower
import grognard.compiler.sema
import grognard.compiler.sema.typed
import pytest
from grognard.compiler.driver import phases
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.symbols import Symbols
from grognard.support.diagnostics import Sink

LOWER = Path(grognard.compiler.lower.__path__[0])
SEMA = Path(grognard.compiler.sema.__path__[0])
TYPED = Path(grognard.compiler.sema.typed.__path__[0])
ROOT = Path(__file__).resolve().parents[3]
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
            for word in ("sink", "Scope", "Checker", "check_"):
                assert word not in text, f"{path.relative_to(LOWER)}: {word}"


def test_typed_trees_hold_nothing_of_the_ir() -> None:
    for path in sorted(TYPED.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "contract import ir" not in text and "contract.ir" not in text, path.relative_to(TYPED)
        assert "compiler.lower" not in text, path.relative_to(TYPED)


def test_checking_a_title_lowers_nothing() -> None:
    """Its sequence of play, its examples and what it offers under `keep` included: nothing of lowering is even imported."""
    code = """
import sys
from grognard.compiler.driver.checking import check_title
from grognard.support.diagnostics import Sink
for title in sys.argv[1:]:
    sink = Sink()
    assert check_title(title, sink) is not None and not sink.has_errors, sink.sorted()
print(*sorted(name for name in sys.modules if name.startswith("grognard.compiler.lower")))
"""
    titles = [ROOT / "rulesdef/abstract/connect_four", ROOT / "rulesdef/conflict_of_heroes/storms_of_steel"]
    command = [sys.executable, "-c", code, *map(str, titles)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_nobody_who_checks_reaches_the_program() -> None:
    """Checkers are given symbols, which have no program and cannot be written; only `declare` is given what can be."""
    for path in sorted(SEMA.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "compiler.lower" not in text, path.relative_to(SEMA)
        if path.parent.name in ("typed", "checks", "lint", "nodes"):
            assert "Declaring" not in text, path.relative_to(SEMA)


def test_symbols_cannot_be_written() -> None:
    made = Declaring("title", Sink()).finish()
    assert type(made) is Symbols
    with pytest.raises(AttributeError, match="do not change"):
        made.chance = True


@pytest.mark.parametrize("title", ["rulesdef/abstract/connect_four", "rulesdef/armour/mbt"])
def test_what_is_declared_stays_as_it_is(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After its declarations nothing of a title changes: not by checks, not by lowering, not by other scenarios."""
    known: list[tuple[Symbols, bytes]] = []
    declare = phases.Title.declared.func

    def declared(self: Any) -> Any:
        made = declare(self)
        known.append((made.symbols, written(made.symbols)))
        return made

    patched = phases.cached_property(declared)
    patched.__set_name__(phases.Title, "declared")
    monkeypatch.setattr(phases.Title, "declared", patched)
    ruleset = compile_title(str(ROOT / title), Sink())
    assert ruleset is not None
    for name in ruleset.scenario_names():
        assert ruleset.scenario(name) is not None
    ((symbols, before),) = known
    assert written(symbols) == before


def written(symbols: Symbols) -> bytes:
    """All that is declared, as bytes.  Trees are frozen; sets are written in the order of their members."""
    found: dict[str, Any] = {}
    for name in Symbols.__annotations__:
        value = getattr(symbols, name)
        found[name] = sorted(value) if isinstance(value, set) else value
    return pickle.dumps(found)
