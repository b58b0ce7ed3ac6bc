"""Hashes of the programs of all titles of the tree, plain and as chance programs: what a change of the compiler must not change.

python tests/helpers/program_hashes.py > before.txt      # and after the change
python tests/helpers/program_hashes.py --only strait mbt
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from grognard.compiler.driver.pipeline import compile_title
from grognard.contract.ruleset import program_hash
from grognard.support.diagnostics import Sink

ROOT = Path(__file__).resolve().parents[2]


def short(value: Any) -> str:
    return blake2b(repr(value).encode(), digest_size=8).hexdigest()


def hashes(folder: Path, chance: bool) -> str:
    """The program, its sites, the same with examples, what views need of the schema, and what was said."""
    sink = Sink()
    made = compile_title(str(folder), sink, chance=chance)
    if made is None:
        return "unreadable"
    schema = made.schema
    told = [(d.code, d.message, d.span, d.hint) for d in sink.sorted()]
    seen = sorted(schema.secret_fields), sorted(schema.veiled_fields), sorted(schema.piece_secrets)
    cited = sorted((name, sorted(map(repr, spans))) for name, spans in schema.cited.items())
    parts = (
        program_hash(made.program).hex()[:16],
        short(made.program.sites),
        short(replace(made.example_program, sites=())),
        short((made.example_program.sites, made.examples, sorted(made.situations.items()))),
        short((seen, sorted(schema.callables), sorted(schema.fields_by_id))),
        short(cited),
        short(told),
    )
    return " ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[])
    wanted = parser.parse_args().only
    for file in sorted((*ROOT.glob("rulesdef/**/title.yaml"), *ROOT.glob("tests/**/title.yaml"))):
        folder = file.parent
        if wanted and folder.name not in wanted:
            continue
        for chance in (False, True):
            print(folder.relative_to(ROOT), "chance" if chance else "plain", hashes(folder, chance))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
