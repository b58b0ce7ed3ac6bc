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

from grognard.compiler.data.load import load_data, load_kinds, load_scenario, load_tables, table_ranges
from grognard.compiler.data.tables.pack import table_needs_map
from grognard.compiler.data.values import Values
from grognard.compiler.driver.memo import Memo
from grognard.compiler.driver.signatures import Signatures
from grognard.compiler.driver.units import Units
from grognard.compiler.layers.merge import Layer, Merged, merge
from grognard.compiler.layers.project import Project, read_layers
from grognard.compiler.layers.rulebook import load_rulebook, load_section_texts
from grognard.compiler.lower.freeze import freeze_program
from grognard.compiler.sema.declare.declare import declare
from grognard.compiler.sema.effects import analyse
from grognard.compiler.sema.lint.citations import check_citations
from grognard.compiler.sema.lint.lint import lint
from grognard.compiler.sema.lint.without_effect import check_words
from grognard.compiler.sema.world import World
from grognard.compiler.support.cascades import data_is_clear, drop_cascades, text_is_unread
from grognard.compiler.support.stamps import stamp_of
from grognard.compiler.syntax import nodes as syn
from grognard.contract.rulebook import Rulebook
from grognard.support.diagnostics import NO_YAML, Sink


@dataclass(slots=True)
class Declared:
    """What is declared: the symbol table, and the constants of kinds and tables."""

    world: World
    values: Values
    #: kinds, tables and declarations are clean, so that scenarios can be read
    readable: bool
    #: places have the names that the map of the default scenario gives them
    places_known: bool
    rulebook: Rulebook | None
    default: str

    @property
    def bounds(self) -> dict[int, list[tuple[int, int, bool, bool]]]:
        return table_ranges(self.world, self.values)


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
        world = World(project.id, sink, self.memo.facts)
        world.chance = self.chance
        world.layer_names = [layer.name for layer in self.layers]
        declare(world, merged)
        values = load_kinds(world, project, merged)
        load_tables(world, project, merged, values)
        # Mistakes in what rules do, from here on, change nothing about the data of scenarios.
        readable = not world.unread and data_is_clear(sink)
        rulebook = load_rulebook(project, sink)
        default = project.scenario or next(iter(project.scenarios()), "")
        places_known = False
        if default and world.spaces:
            # What is wrong with the scenario is reported when it is loaded.
            world.sink = Sink()
            places_known = load_data(world, project, values, default) is not None
            # Of a map that is no YAML no place is known.
            places_known = places_known and not any(found.code == NO_YAML for found in world.sink)
            world.sink = sink
        world.sequence_decls = self.sequences
        world.example_decls = [decl for _, decl in merged.examples]
        analyse(world)
        if not self.sequences and not text_is_unread(sink):
            # What could not be read may have been it.
            sink.error(
                "GR0709",
                None,
                f"{project.name} has no sequence of play",
                hint="declare one with `sequence`",
            )
        return Declared(world, values, readable, places_known, rulebook, default)

    # ------------------------------------------------------------------------------------------------------ check

    @cached_property
    def checked(self) -> Units:
        """All that is said of rules, examples and scenarios."""
        declared, merged = self.declared, self.merged
        world = declared.world
        bounds = declared.bounds
        signatures = Signatures(world, merged, bounds, self.memo.versions, declared.places_known)
        units = Units(world, bounds, declared.places_known, self.sequences, signatures, self.memo)
        units.check_all(merged.examples)
        self.finish(declared, units.common.narrowing.lost_tests)
        if declared.readable:
            tables = tuple(
                signatures.version(entry, entry.decl)
                for entry in world.callables.values()
                if entry.sort == "table" and table_needs_map(entry)
            )
            data = tuple(self._data_stamps())
            for name in dict.fromkeys([*filter(None, [declared.default]), *self.project.scenarios()]):
                self._check_scenario(declared, (signatures.ground, tables, data), name)
        return units

    def finish(self, declared: Declared, lost_tests: Any) -> None:
        """What is said when all of a title is known."""
        drop_cascades(self.sink, lost_tests, declared.world.unread)
        if declared.rulebook is not None:
            load_section_texts(self.project, declared.rulebook, self.sink)
            check_citations(declared.world, self.merged, declared.rulebook, self.sink)
        lint(declared.world, self.merged, declared.rulebook, played=bool(self.project.scenarios()))
        check_words(declared.world, self.merged, self.layers, self.project)

    def _check_scenario(self, declared: Declared, depends: Hashable, name: str) -> None:
        world = declared.world
        wanted = (depends, tuple(symbol.name for symbol in world.symbols[: world.rule_symbols]))
        known = self.memo.scenarios.pop(name, None)
        if known != wanted:
            sink = Sink()
            sink.share(self.sink)
            world.sink = sink
            try:
                load_scenario(
                    world,
                    self.project,
                    freeze_program(world, self.project.id, 0, None),
                    declared.values,
                    name,
                )
            finally:
                world.sink = self.sink
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
