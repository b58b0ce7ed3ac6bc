"""Situations and policies given as text by a caller, lowered onto a compiled ruleset."""

from __future__ import annotations

from dataclasses import replace

from grognard.compiler.driver.pipeline import freeze
from grognard.compiler.lower.situations.policies import lower_policy
from grognard.compiler.lower.situations.situations import lower_situation
from grognard.compiler.sema.checks.examples import check_situation
from grognard.compiler.sema.typed.policies import check_policy
from grognard.compiler.sema.typed.whole import check_situation_body
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.parse import parse
from grognard.contract import ir
from grognard.contract.situations import TEXT_NAME, LoweredText, Situation
from grognard.support.diagnostics import Sink
from grognard.support.source import SourceFile


def lower_text(ruleset: CompiledRuleset, text: str, sink: Sink) -> LoweredText:
    """The program with the text's situations and policies added; nothing that was there changes its number."""
    lowerer, symbols = ruleset.lowerer, ruleset.symbols
    assert lowerer is not None, "only chance programs can be added to"
    trees = lowerer.trees
    before, trees.sink = trees.sink, sink
    source = SourceFile.from_text(TEXT_NAME, text)
    sink.sources[TEXT_NAME] = source
    situations: dict[str, Situation] = {}
    policies: dict[str, ir.Policy] = {}
    try:
        tree = parse(source, sink)
        for decl in tree.decls if tree is not None else ():
            if isinstance(decl, syn.SituationDecl):
                lowerer.places_named = []
                check_situation(symbols, sink, decl)
                situations[decl.name] = lower_situation(lowerer, decl, check_situation_body(trees, decl, []))
            elif isinstance(decl, syn.PolicyDecl):
                policies[decl.name] = lower_policy(lowerer, check_policy(trees, decl, lowerer.choices))
            else:
                sink.error("GR0208", decl.span, "only a situation or a policy can be given here")
        lowerer.marks.finish_marks()
        trees.mark_owners.check(sink)
        lowerer.timing.finish_points()
        lowerer.questions.finish_asks()
    finally:
        trees.sink = before
    base = ruleset.program
    made = freeze(lowerer, base.name, base.main, base.view)
    return LoweredText(replace(made, policies=base.policies), situations, policies, lowerer.places_named)
