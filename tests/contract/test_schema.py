"""The schema of a ruleset, and the border that it crosses: the runtime imports without the compiler."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from grognard.compiler_access import load_ruleset, shipped_titles
from grognard.contract.schema import DomainSchema, FieldSchema, Schema
from grognard.support.diagnostics import Sink

SKIRMISH = Path(__file__).parent.parent / "play" / "titles" / "skirmish"

BLOCKED = """
import importlib, pkgutil, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("lark", "yaml", "jinja2", "Cython") or name.startswith("grognard.compiler."):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
import grognard

names = []
for part in ("support", "geometry", "contract", "interpreter", "native", "play", "odds", "bots", "cli"):
    package = importlib.import_module(f"grognard.{part}")
    names += [m.name for m in pkgutil.walk_packages(package.__path__, f"grognard.{part}.")]
for name in names:
    importlib.import_module(name)
assert len(names) > 100, names
assert not [name for name in sys.modules if name.startswith("grognard.compiler.")]
try:
    grognard.load("connect_four")
except grognard.CompilerMissing as missing:
    print(missing)
from grognard.cli.main import main
sys.exit(main(["check", "connect_four"]))
"""

OUTLINE = """
import sys
from grognard.compiler_access import compile_title
sys.path.insert(0, sys.argv[1])
from test_schema import outline
print(outline(compile_title(sys.argv[2], examples=False).schema))
"""


def test_the_runtime_imports_without_the_compiler() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    for said in (done.stdout, done.stderr):
        assert "pip install 'grognard[compiler]'" in said


@pytest.mark.parametrize("title", sorted(shipped_titles()))
def test_a_schema_stands_alone_and_agrees_with_its_program(title: str) -> None:
    ruleset = load_ruleset(title, Sink(), examples=False)
    assert ruleset is not None
    schema, program = ruleset.schema, ruleset.program
    data = pickle.dumps(schema)
    assert b"grognard.compiler" not in data
    assert outline(pickle.loads(data)) == outline(schema)
    assert [(d.id, d.name, d.sort, d.alive) for d in schema.doms] == [
        (d.id, d.name, d.sort, d.alive) for d in program.domains
    ]
    for number, info in schema.fields_by_id.items():
        assert info.field == number
        dims = tuple(d.id for d in (*([info.owner] if info.owner else []), *info.axes))
        # What a space's edges have is indexed by the edges.
        assert info.edge or program.fields[number].dims == dims, info.name
    assert schema.seats is not None and schema.seats.id == program.seats
    assert schema.secret_fields >= {field for field, _ in schema.piece_secrets}


def test_a_schema_is_the_same_in_every_process() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", OUTLINE, str(Path(__file__).parent), str(SKIRMISH)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_what_decides_secrecy_is_known_without_the_rules() -> None:
    schema = schema_of(str(SKIRMISH))
    secret = [field for field in schema.fields_by_id.values() if field.secret]
    assert secret and {f.field for f in secret} <= schema.secret_fields


def test_schemas_are_frozen() -> None:
    schema = schema_of("connect_four")
    for part in (schema, schema.doms[0]):
        with pytest.raises(AttributeError):
            part.name = "other"  # type: ignore[misc]


def schema_of(title: str) -> Schema:
    ruleset = load_ruleset(title, Sink(), examples=False)
    assert ruleset is not None
    return ruleset.schema


def outline(schema: Schema) -> list[object]:
    """All of a schema as plain values, with numbers and names for domains and fields."""

    def plain(value: object) -> object:
        match value:
            case DomainSchema():
                return ("domain", value.id)
            case FieldSchema():
                return ("field", value.name, value.field, value.column)
            case dict():
                return [(plain(key), plain(item)) for key, item in value.items()]
            case tuple() | list():
                return [plain(item) for item in value]
            case frozenset():
                return sorted(value)
        names = getattr(type(value), "__dataclass_fields__", None)
        return value if names is None else [plain(getattr(value, name)) for name in names]

    parts: list[object] = [schema, *schema.doms, *schema.fields_by_id.values()]
    parts += [field for dom in schema.doms for field in dom.fields.values()]
    return [[plain(getattr(part, name)) for name in type(part).__dataclass_fields__] for part in parts]  # type: ignore[attr-defined]
