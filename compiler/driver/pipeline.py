"""The whole front end: a title's folder -> a checked ruleset with its IR and data, one lazily computed step each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grognard.compiler.driver.checking import room_for_rules
from grognard.compiler.driver.phases import Title
from grognard.compiler.layers.project import Project, open_project, title_words
from grognard.compiler.lower.freeze import freeze_program
from grognard.compiler.lower.freeze_schema import freeze_schema
from grognard.compiler.lower.lowerer import Lowerer
from grognard.compiler.lower.origins import Origins
from grognard.compiler.lower.situations.examples import lower_example
from grognard.compiler.lower.situations.policies import lower_policy
from grognard.compiler.lower.situations.situations import lower_situation
from grognard.compiler.lower.views import lower_view
from grognard.compiler.passes.insert_watches import insert_watches
from grognard.compiler.passes.merge_blocks import merge_blocks
from grognard.compiler.passes.share_calls import share_calls
from grognard.compiler.passes.switches import switched_off
from grognard.compiler.sema.checks.callables import check_callable, check_sequence
from grognard.compiler.sema.checks.circles import tell_circle
from grognard.compiler.sema.checks.examples import check_example, check_situation
from grognard.compiler.sema.declare.callables import is_plausible_rule
from grognard.compiler.sema.typed.trees import Trees
from grognard.compiler.sema.typed.whole import (
    check_example_body,
    check_play,
    check_policies,
    check_situation_body,
    check_view,
    victory_measure,
)
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.examples import Example
from grognard.contract.ir.verify import verify_if_wanted
from grognard.contract.ruleset import Identity
from grognard.contract.situations import Situation
from grognard.support.diagnostics import Sink
from grognard.support.gc_pause import gc_paused


@gc_paused()
def compile_title(
    where: str,
    sink: Sink | None = None,
    *,
    errata: Sequence[str] | None = None,
    examples: bool = True,
    chance: bool = False,
    to_run: bool = True,
    origins: Origins | None = None,
    buffers: Mapping[str, str] | None = None,
) -> CompiledRuleset | None:
    """Compile a title (a folder, or the id of a shipped one); None if it cannot be found or read far enough.

    With `chance` dice and draws stop like questions (chance_program.py), for odds.
    Without `to_run` the program is one to be looked at only: nothing is done to make it faster.
    `origins` gets to know what was written behind each node of the IR; it wants a program that is not made faster.
    `buffers` are texts that stand in for files (layers/project.py).
    Look at `ruleset.sink.has_errors` before running anything: with errors the program is incomplete.
    """
    sink = sink or Sink()
    project = open_project(where, sink, buffers)
    if project is None:
        return None
    with room_for_rules(project, sink):
        return _compile(project, sink, errata, examples, chance, to_run, origins)
    return None


def _compile(
    project: Project,
    sink: Sink,
    errata: Sequence[str] | None,
    examples: bool,
    chance: bool,
    to_run: bool,
    origins: Origins | None,
) -> CompiledRuleset | None:
    title = Title(project, sink, errata=errata, chance=chance)
    if title.unreadable:
        return None
    merged, declared = title.merged, title.declared
    symbols = declared.symbols
    trees = Trees(symbols, declared.bounds, declared.places_known, sink)
    lowerer = Lowerer(trees)
    lowerer.origins = origins
    main = lowerer.sequence(check_play(trees, title.sequences))
    lowerer.rest()
    for sequence in title.sequences:
        check_sequence(symbols, sink, sequence)
    for entry in symbols.callables.values():
        check_callable(symbols, sink, entry)
    secrets = check_view(trees)
    view = None if secrets is None else lower_view(lowerer, secrets)
    policies = tuple(lower_policy(lowerer, policy) for policy in check_policies(trees, lowerer.choices))
    evaluation = lowerer.function_named(syn.EVALUATION)
    plausible = plausible_function(lowerer)
    ranked = victory_measure(trees, (d for _, d in merged.decls if isinstance(d, syn.VictoryDecl)))
    measure = None if ranked is None else lowerer.function_for(ranked, None)
    finish(lowerer)
    trees.mark_owners.check(sink)

    def frozen() -> ir.Program:
        made = freeze(lowerer, project.id, main, view, to_run=to_run)
        return replace(made, policies=policies, evaluation=evaluation, measure=measure, plausible=plausible)

    program = frozen()
    made: list[Example] = []
    extended = program
    if examples:
        trees.places_known = False
        for layer, decl in merged.examples:
            check_example(symbols, sink, decl)
            made.append(lower_example(lowerer, decl, layer, check_example_body(trees, decl)))
    situations: dict[str, Situation] = {}
    if examples or chance:
        trees.places_known = False
        for name, entry in symbols.situations.items():
            check_situation(symbols, sink, entry.decl)
            body = check_situation_body(trees, entry.decl, entry.params)
            situations[name] = lower_situation(lowerer, entry.decl, body)
        if secrets is not None:
            lower_view(lowerer, secrets, view)
        finish(lowerer)
        extended = frozen()
        trees.mark_owners.check(sink)
    for entry, through in lowerer.circles:
        tell_circle(sink, entry, through)
    if origins is not None:
        origins.finish()
    title.finish(declared, trees.findings, trees.narrowing.lost_tests)
    if not sink.has_errors:
        # With errors the program is incomplete.
        verify_if_wanted(program)
        if extended is not program:
            verify_if_wanted(extended)
    about = Identity(
        project.id, project.name, project.folder, project.scenario, tuple(merged.errata), project.series
    )
    schema = freeze_schema(
        lowerer, program, declared.rulebook, title_words(project, "colours"), title_words(project, "symbols")
    )
    for name, situation in situations.items():
        situation.params = list(schema.situations[name].params)
    ruleset = CompiledRuleset(
        about,
        program,
        schema,
        sink,
        extended,
        made,
        situations,
        project=project,
        symbols=symbols,
        merged=merged,
        values=declared.values,
        readable=declared.readable,
        lowerer=lowerer if chance else None,
    )
    if declared.default and declared.readable:
        ruleset.scenario(declared.default)
    return ruleset


def finish(lowerer: Lowerer) -> None:
    """Write what can only be written when everything else is known."""
    lowerer.marks.finish_marks()
    lowerer.timing.finish_points()
    lowerer.questions.finish_asks()


def plausible_function(lowerer: Lowerer) -> tuple[int, int] | None:
    """The rule `plausible` with the type of counters that it is about, if there is one and it fits."""
    entry = lowerer.symbols.callables.get(syn.PLAUSIBLE)
    if entry is None or not is_plausible_rule(entry):
        return None
    function, dom = lowerer.function_named(syn.PLAUSIBLE), entry.params[0][1].dom
    return None if function is None or dom is None else (function, dom.id)


def freeze(lowerer: Lowerer, name: str, main: int, view: int | None, *, to_run: bool = True) -> ir.Program:
    """The program as lowered so far, after the passes over IR."""
    program = freeze_program(lowerer.builder, name, main, view)
    if not to_run:
        return insert_watches(program, lowerer.watches)
    # A situation is continued from outside, at a block of its own.
    without = switched_off()
    if "merge_blocks" not in without:
        machines = [m if m.name.startswith("situation ") else merge_blocks(m) for m in program.machines]
        program = replace(program, machines=tuple(machines))
    program = insert_watches(program, lowerer.watches)
    return program if "share_calls" in without else share_calls(program)
