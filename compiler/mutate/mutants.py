"""All mutants of a title, and those that the title knows to be none.

`mutants.yaml` in the folder of the title or its series lists changes that play like the rules:

    equivalent:
      - file: fire.grog
        before: '= 0 when range < 1'
        after: '= 0 when range <= 1'
        why: the range is at least 2 where this is asked
        in: spot_shift          # the declaration; only needed where several have such a line
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grognard.compiler.driver.pipeline import compile_title
from grognard.compiler.layers.project import Project
from grognard.compiler.lower.origins import Origins
from grognard.compiler.mutate.code_mutants import code_mutants
from grognard.compiler.mutate.data_mutants import column_mutants, table_mutants
from grognard.compiler.mutate.source_edits import Texts
from grognard.compiler.mutate.written import Written
from grognard.compiler.sema.lint.judging import only_for_evaluation
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.compiler.support.yamlfile import check_keys, expect_list, expect_map, expect_text, load_yaml
from grognard.contract.examples import in_examples
from grognard.contract.ir.verify.code import CodeChecker
from grognard.contract.ir.verify.rules import Report
from grognard.contract.mutants import Equivalent, Mutant, Mutants, edited
from grognard.support.diagnostics import Sink

RECORD = "mutants.yaml"
KEYS = ("file", "before", "after", "why")


def mutants_of(where: str, sink: Sink, errata: Sequence[str] | None = None) -> Mutants | None:
    """Compile a title and find its mutants; None, with diagnostics, if it has errors."""
    origins = Origins()
    ruleset = compile_title(where, sink, errata=errata, to_run=False, origins=origins)
    if ruleset is None or sink.has_errors:
        return None
    merged = ruleset.merged
    texts = Texts(ruleset.sources)
    written = Written(
        [decl for _, decl in (*merged.decls, *merged.exceptions, *merged.examples)]
        + [entry.decl for entry in ruleset.symbols.callables.values()]
        + [decl for entry in ruleset.symbols.callables.values() for _, decl in entry.exceptions]
    )
    exceptions = {decl.span: decl for _, decl in merged.exceptions}
    exceptions |= {d.span: d for entry in ruleset.symbols.callables.values() for _, d in entry.exceptions}
    found = code_mutants(ruleset.example_program, origins, written, texts, exceptions)
    found = [mutant for mutant in found if _well_formed(ruleset, mutant)]
    found += table_mutants(ruleset, texts) + column_mutants(ruleset, texts)
    # Helpers that stand in files of examples belong to the examples: nobody plays by them.  Nor by what bots judge with.
    judging = only_for_evaluation(ruleset.symbols, merged)
    found = [
        mutant
        for mutant in found
        if not in_examples(mutant.file, ruleset.about.folder) and mutant.owner not in judging
    ]
    found.sort(key=lambda mutant: (mutant.file, mutant.line, mutant.kind, mutant.before, mutant.after))
    numbered = [replace(mutant, number=number) for number, mutant in enumerate(found, 1)]
    known = equivalents(ruleset.project, sink)
    return None if sink.has_errors else Mutants(ruleset, numbered, known)


def _well_formed(ruleset: CompiledRuleset, mutant: Mutant) -> bool:
    """Whether the verifier takes the changed functions and machines."""
    program, report = ruleset.example_program, Report()
    for change in mutant.code:
        if change.sort == "function":
            CodeChecker(program, report, edited(program.functions[change.number], change.edits)).check()
        else:
            CodeChecker(program, report, edited(program.machines[change.number], change.edits)).check()
    return not report.violations


def equivalents(project: Project, sink: Sink) -> list[Equivalent]:
    """The changes that the title and its series say to be none."""
    found: list[Equivalent] = []
    for folder in dict.fromkeys((project.series, project.folder)):
        if folder is None or not (folder / RECORD).is_file():
            continue
        source = project.load(project.shown(folder / RECORD), sink)
        node = load_yaml(source, sink) if source is not None else None
        top = expect_map(node, sink, RECORD) if node is not None else None
        if top is None:
            continue
        check_keys(top, sink, required=("equivalent",), optional=(), what=RECORD)
        listed = top.get("equivalent")
        items = expect_list(listed, sink, "equivalent") if listed is not None else None
        for item in items.items if items is not None else ():
            entry = expect_map(item, sink, "an equivalent mutant")
            if entry is None:
                continue
            check_keys(entry, sink, required=KEYS, optional=("in",), what="an equivalent mutant")
            words = [expect_text(node, sink, key) if (node := entry.get(key)) else None for key in KEYS]
            if None not in words:
                file, before, after, why = (word or "" for word in words)
                inside = entry.get("in")
                owner = (expect_text(inside, sink, "in") or "") if inside is not None else ""
                place = f"{item.span.file}:{item.span.line}"
                if (folder / file).is_file():
                    file = project.shown(folder / file)  # it may be said as seen from the record
                found.append(Equivalent(file, before, after, why, place, owner))
    return found
