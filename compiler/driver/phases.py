"""The front end as phases of one object, each worked out when it is first wanted.

    project -> layers -> merged -> declared -> checked            what `check` says
                                        \\-> lowered (pipeline.py)   what is played

Each phase tells what there is to say to the sink of the title.  A title is of one moment: what changes between two moments is
worked out by a new one, with the same memo (memo.py).
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from grognard.compiler.data.ground import Ground
from grognard.compiler.data.load import load_kinds, load_names, load_scenario, load_tables, table_ranges
from grognard.compiler.data.tables.pack import table_needs_map
from grognard.compiler.data.values import Values
from grognard.compiler.driver.memo import Memo
from grognard.compiler.driver.signatures import Signatures
from grognard.compiler.driver.units import Units
from grognard.compiler.layers.merge import Layer, Merged, merge
from grognard.compiler.layers.project import Project, read_layers
from grognard.compiler.layers.rulebook import load_rulebook, load_section_texts
from grognard.compiler.sema.declare.declare import declare
from grognard.compiler.sema.declared_program import declared_program
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.effects import analyse
from grognard.compiler.sema.findings import Findings
from grognard.compiler.sema.handlers import declare_handlers
from grognard.compiler.sema.lint.citations import check_citations
from grognard.compiler.sema.lint.lint import lint
from grognard.compiler.sema.lint.without_effect import check_words
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.support.cascades import data_is_clear, drop_cascades, text_is_unread
from grognard.compiler.support.stamps import stamp_of
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.rulebook import Rulebook
from grognard.support.diagnostics import NO_YAML, Sink


@dataclass(slots=True)
class Declared:
    """What is declared: the symbols, and the constants of kinds and tables."""

    symbols: Symbols
    values: Values
    #: kinds, tables and declarations are clean, so that scenarios can be read
    readable: bool
    #: places have the names that the map of the default scenario gives them
    places_known: bool
    rulebook: Rulebook | None
    default: str
    #: callables that rows name
    used: frozenset[str]

    @property
    def bounds(self) -> dict[int, list[tuple[int, int, bool, bool]]]:
        return table_ranges(self.values)


class Title:
    """A title at one moment."""

    def __init__(
        self,
        project: Project,
        sink: Sink,
        *,
        errata: Sequence[str] | None = None,
        chance: bool = False,
        memo: Memo | None = None,
    ) -> None:
        self.project = project
        self.sink = sink
        self.errata = project.errata if errata is None else errata
        #: dice and draws stop like questions
        self.chance = chance
        self.memo = memo or Memo()

    @cached_property
    def layers(self) -> list[Layer]:
        return read_layers(self.project, self.sink)

    @property
    def unreadable(self) -> bool:
        """Whether so much of the rules could not be read that nothing can be said of the rest."""
        return bool(self.layers) and self.project.incomplete

    @cached_property
    def merged(self) -> Merged:
        return merge(self.layers, self.errata, self.sink)

    @cached_property
    def sequences(self) -> list[syn.SequenceDecl]:
        return [decl for _, decl in self.merged.decls if isinstance(decl, syn.SequenceDecl)]

    @cached_property
    def declared(self) -> Declared:
        """Names and types of everything declared, the data of kinds and tables, effects of callables."""
        project, sink, merged = self.project, self.sink, self.merged
        declaring = Declaring(project.id, sink, self.memo.facts)
        declaring.chance = self.chance
        declaring.layer_names = [layer.name for layer in self.layers]
        declare(declaring, merged)
        ground = Ground(declaring, sink)
        values = load_kinds(ground, project, merged)
        load_tables(ground, project, merged, values)
        declaring.unread |= ground.unread
        # Mistakes in what rules do, from here on, change nothing about the data of scenarios.
        readable = not declaring.unread and data_is_clear(sink)
        rulebook = load_rulebook(project, sink)
        default = project.scenario or next(iter(project.scenarios()), "")
        places_known = False
        used = ground.used
        if default and declaring.spaces:
            # What is wrong with the scenario is reported when it is loaded.
            ground = Ground(declaring, Sink())
            places_known = load_names(ground, project, values, default)
            # Of a map that is no YAML no place is known.
            places_known = places_known and not any(found.code == NO_YAML for found in ground.sink)
            used |= ground.used
            for dom in ground.placed:
                dom.members, dom.titles, dom.base = ground.members(dom), ground.titles(dom), ground.base(dom)
        declaring.sequence_decls = self.sequences
        declaring.example_decls = [decl for _, decl in merged.examples]
        analyse(declaring)
        declare_handlers(declaring)
        if not self.sequences and not text_is_unread(sink):
            # What could not be read may have been it.
            sink.error(
                "GR0709",
                None,
                f"{project.name} has no sequence of play",
                hint="declare one with `sequence`",
            )
        symbols = declaring.finish()
        return Declared(symbols, values, readable, places_known, rulebook, default, frozenset(used))

    # ------------------------------------------------------------------------------------------------------ check

    @cached_property
    def checked(self) -> Units:
        """All that is said of rules, examples and scenarios."""
        declared, merged = self.declared, self.merged
        symbols = declared.symbols
        signatures = Signatures(symbols, merged, declared.bounds, self.memo.versions, declared.places_known)
        units = Units(declared, self.sequences, signatures, self.memo, self.sink)
        units.check_all(merged.examples)
        self.finish(declared, units.findings, units.common.narrowing.lost_tests)
        if declared.readable:
            tables = tuple(
                signatures.version(entry, entry.decl)
                for entry in symbols.callables.values()
                if table_needs_map(entry)
            )
            data = tuple(self._data_stamps())
            names = (*(f"option {name}" for name in symbols.options), *sorted(units.names))
            program = declared_program(symbols, names)
            for name in dict.fromkeys([*filter(None, [declared.default]), *self.project.scenarios()]):
                self._check_scenario(
                    declared, (signatures.ground_of_data, tables, data, names), program, name
                )
        return units

    def finish(self, declared: Declared, findings: Findings, lost_tests: Any) -> None:
        """What is said when all of a title is known."""
        symbols, sink, merged = declared.symbols, self.sink, self.merged
        findings.used |= declared.used
        drop_cascades(sink, lost_tests, declared.symbols.unread)
        if declared.rulebook is not None:
            load_section_texts(self.project, declared.rulebook, sink)
            check_citations(symbols, merged, declared.rulebook, sink)
        played = bool(self.project.scenarios())
        lint(symbols, sink, merged, findings, declared.rulebook, played=played)
        check_words(symbols, sink, merged, self.layers, self.project)

    def _check_scenario(self, declared: Declared, wanted: Hashable, program: ir.Program, name: str) -> None:
        known = self.memo.scenarios.pop(name, None)
        if known != wanted:
            sink = Sink()
            sink.share(self.sink)
            ground = Ground(declared.symbols, sink)
            load_scenario(ground, self.project, program, declared.values, name)
            for diagnostic in sink:
                self.sink.add(diagnostic)
            if sink.total:
                return
        self.memo.scenarios[name] = wanted

    def _data_stamps(self) -> Iterator[Hashable]:
        """What changes when a file of data does."""
        project = self.project
        for base in {project.folder, project.series or project.folder}:
            for folder, _, files in os.walk(base):
                for file in files:
                    if file.endswith(".yaml"):
                        path = os.path.join(folder, file)
                        shown = project.shown(Path(path))
                        yield shown, project.buffers.get(shown) or stamp_of(path)
