"""Situations and policies given as text by a caller, lowered onto a compiled ruleset."""

from __future__ import annotations

from dataclasses import replace

from grognard.compiler.driver.pipeline import freeze
from grognard.compiler.driver.ruleset import Ruleset
from grognard.compiler.lower.situations.policies import lower_policy
from grognard.compiler.lower.situations.situations import Situation, lower_situation
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.parse import parse
from grognard.contract import ir
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile

#: The file name of a caller's text in messages.
TEXT_NAME = "(given)"


def lower_text(
    ruleset: Ruleset, text: str, sink: Sink
) -> tuple[ir.Program, dict[str, Situation], dict[str, ir.Policy]]:
    """The program with the text's situations and policies added.  Existing numbers stay."""
    lowerer, world = ruleset.lowerer, ruleset.world
    assert lowerer is not None, "only chance programs can be added to"
    before = world.sink
    world.sink = lowerer.sink = sink
    source = SourceFile.from_text(TEXT_NAME, text)
    sink.sources[TEXT_NAME] = source
    situations: dict[str, Situation] = {}
    policies: dict[str, ir.Policy] = {}
    try:
        tree = parse(source, sink)
        for decl in tree.decls if tree is not None else ():
            if isinstance(decl, syn.SituationDecl):
                situations[decl.name] = lower_situation(lowerer, decl, [])
            elif isinstance(decl, syn.PolicyDecl):
                policies[decl.name] = lower_policy(lowerer, decl)
            else:
                sink.error("GR0208", decl.span, "only a situation or a policy can be given here")
        lowerer.marks.finish_marks()
        lowerer.timing.finish_points()
        lowerer.questions.settle_asks()
    finally:
        world.sink = lowerer.sink = before
    base = ruleset.program
    made = freeze(lowerer, base.name, base.main, base.view)
    return replace(made, policies=base.policies), situations, policies
