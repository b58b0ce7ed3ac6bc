"""A rule that gains a note, or a new rule, is compiled alone: numbers of the whole program stand in a file of their own."""

from __future__ import annotations

from engines import engine_for
from grognard.compiler.cython.modules import SourceFile, emit_sources
from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.title_paths import shipped_titles
from grognard.contract.ir.walk import nodes
from grognard.support.diagnostics import Sink

FILE = "fire.grog"
#: Small parts, so that much could change.
LINES = 400


def parts_of(old: str, new: str) -> dict[str, str]:
    """The files of MBT's engine, with one text of a file in place of another."""
    text = (shipped_titles()["mbt"].parent / FILE).read_text(encoding="utf-8")
    assert old in text
    sink = Sink()
    ruleset = compile_title(
        "mbt", sink, examples=False, buffers={FILE: text.replace(old, new, 1)} if new != old else {}
    )
    assert ruleset is not None and not sink.has_errors
    return {source.name: source.text for source in emit_sources(ruleset.program, LINES)}


def changed(old: str, new: str) -> set[str]:
    before, after = parts_of(old, old), parts_of(old, new)
    assert len(before) > 20
    return {name for name, text in after.items() if before.get(name) != text}


def test_a_modifier_more_changes_its_part_and_the_numbers() -> None:
    head = "modifiers ap_mods(s: Shot) -> -60..20                              [P8, par 4.4.3.2.2]\n"
    found = changed(head, f'{head}  -1 "on a whim" when s.target is not none [P8]\n')
    assert "grognard_engine_numbers.c" in found
    # The rule, and at most those that it is written out in.
    assert 2 <= len(found) <= 4, found
    assert not found & {"grognard_engine.pyx", "grognard_engine_dispatch.c"}


def test_a_rule_more_changes_its_part_and_what_is_by_number() -> None:
    head = "modifiers ap_mods("
    rule = "rule whims(n: 0..9) -> 0..20 [P8]\n  = n + 2\n\n"
    found = changed(head, f"{rule}{head}")
    by_number = {f"grognard_engine{rest}" for rest in (".pyx", "_dispatch.c", "_numbers.c")}
    assert len(found) == 4 and by_number < found, found


def test_every_site_is_named_once() -> None:
    """The names of a file's numbers give back the sites of the program."""
    program = engine_for("mbt", "interpreter").ruleset.program
    (numbers,) = [source for source in emit_sources(program) if source.name.endswith("_numbers.c")]
    named = [site for line in statements(numbers) if " S_" in line for site in sites_in(line)]
    code = (program.functions, program.movements, program.machines)
    written = {node.site for node in nodes(code) if getattr(node, "site", -1) >= 0}
    assert len(named) == len(set(named)) and set(named) <= written
    # What only C asks (an address that is checked where it is loaded) need not be named.
    assert len(named) > 0.9 * len(written)


def statements(source: SourceFile) -> list[str]:
    return [" ".join(text.split()) for text in source.text.split(";")]


def sites_in(statement: str) -> list[int]:
    inside = statement.partition("{")[2].rstrip("}")
    return [int(number) for number in inside.split(",")]
