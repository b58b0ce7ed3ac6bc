"""The one door from the runtime to the compiler.

Every function here imports the part of the compiler that it needs when it is called.  Nothing else of the runtime imports
`grognard.compiler`.  Where the compiler or a package that it needs is not installed, CompilerMissing says what to install.
What goes in and comes out is of the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from grognard.errors import CannotImport, CompilerMissing, RulesetError

if TYPE_CHECKING:
    from grognard.contract import ir
    from grognard.contract.build import Flavour
    from grognard.contract.charts import DeclaredCharts
    from grognard.contract.differences import ChangedSection
    from grognard.contract.errata import Sheets
    from grognard.contract.imported import Imported
    from grognard.contract.moments import WatchedTitle
    from grognard.contract.mutants import Mutants
    from grognard.contract.ruleset import Ruleset
    from grognard.contract.situations import LoweredText
    from grognard.contract.titles import ScenarioInfo, TitleInfo
    from grognard.contract.upgrades import FileUpgrade
    from grognard.support.diagnostics import Sink
    from grognard.support.source import SourceFile

P = ParamSpec("P")
R = TypeVar("R")

#: Packages that only the compiler needs, by the names that are imported.
NEEDED = frozenset({"defusedxml", "lark", "yaml", "jinja2", "Cython", "filelock", "setuptools", "wheel"})
#: Packages of Grognard that a runtime alone may lack.
OURS = ("grognard.compiler", "grognard.grammar", "grognard.rulesdef")


def _through_door(function: Callable[P, R]) -> Callable[P, R]:
    """Say what to install, if what the function imports is not there."""

    @wraps(function)
    def opened(*args: P.args, **named: P.kwargs) -> R:
        try:
            return function(*args, **named)
        except ModuleNotFoundError as missing:
            name = missing.name or ""
            if name.partition(".")[0] in NEEDED or name.startswith(OURS):
                raise CompilerMissing(name) from missing
            raise

    return opened


def compiler_installed() -> bool:
    """Whether the packages that the front end needs are installed; nothing is imported."""
    try:
        return all(find_spec(name) is not None for name in ("grognard.compiler", "lark", "yaml"))
    except ModuleNotFoundError:
        return False


# ---------------------------------------------------------------------------------------------------- titles


@_through_door
def shipped_titles() -> dict[str, Path]:
    """Title id -> folder, for the titles whose rules come with Grognard; none where the runtime stands alone."""
    if find_spec("grognard.compiler") is None:
        return {}
    from grognard.compiler.layers.title_paths import shipped_titles

    return shipped_titles()


@_through_door
def library_titles() -> dict[str, Path]:
    """Title id -> folder, for all titles whose rules are found by id: those that come with Grognard, those on the user's
    path and those of installed packages; none where the runtime stands alone."""
    if find_spec("grognard.compiler") is None:
        return {}
    from grognard.compiler.layers.title_paths import library_titles

    return library_titles()


@_through_door
def shared_ids() -> dict[str, list[Path]]:
    """The ids that two titles or more share, with their folders: such an id finds neither."""
    if find_spec("grognard.compiler") is None:
        return {}
    from grognard.compiler.layers.title_paths import shared_ids

    return shared_ids()


@_through_door
def title_places() -> list[tuple[Path, str, dict[str, list[Path]], dict[str, list[Path]]]]:
    """The places where titles are looked for: folder, why, its titles and its series by id."""
    if find_spec("grognard.compiler") is None:
        return []
    from grognard.compiler.layers.library import look_through, search_path

    found = []
    for place in search_path():
        here = look_through([place])
        found.append((place.folder, place.why, here.titles, here.series))
    return found


@_through_door
def series_folder(folder: Path) -> Path | None:
    """The folder of the series that a title belongs to; None if it belongs to none, or it is not found."""
    from grognard.compiler.layers.title_paths import series_of

    return series_of(folder)


@_through_door
def title_info(where: str) -> TitleInfo | None:
    """What a title says of itself; None if there is none."""
    from grognard.compiler.driver.title_info import title_info

    return title_info(where)


@_through_door
def library_info() -> list[TitleInfo]:
    """What the titles that are found by id say of themselves."""
    from grognard.compiler.driver.title_info import library_info

    return library_info()


@_through_door
def scenario_infos(where: str) -> list[ScenarioInfo] | None:
    """What the scenarios of a title say of themselves; None if there is no such title."""
    from grognard.compiler.driver.title_info import scenario_infos

    return scenario_infos(where)


@_through_door
def title_folders(where: str) -> tuple[Path, Path | None] | None:
    """The folder of a title, and that of its series, which may lie around it or elsewhere; None if there is no such title."""
    from grognard.compiler.layers.title_paths import find_title, series_of

    folder = find_title(where)
    return None if folder is None else (folder, series_of(folder))


@_through_door
def series_folders() -> dict[str, list[Path]]:
    """The series that are found by id: shipped, on the path, of installed packages."""
    from grognard.compiler.layers.library import library

    return library().series


@_through_door
def full_amendment(ruleset: Ruleset, text: str) -> str:
    """A change in short (`amend table crt (4, 9) = miss`) written out with what is there now; AmendmentError."""
    from grognard.compiler.driver.shorthand import full_amendment
    from grognard.compiler.store.ruleset import compiled

    return full_amendment(compiled(ruleset), text)


@_through_door
def errata_sheets(where: str, sink: Sink) -> Sheets | None:
    """The sheets of errata of a title in the order in which they apply; None, with diagnostics, if it cannot be read."""
    from grognard.compiler.driver.errata_sheets import errata_sheets

    return errata_sheets(where, sink)


# -------------------------------------------------------------------------------------------------- rulesets


@_through_door
def load_ruleset(
    where: str,
    sink: Sink,
    *,
    errata: Sequence[str] | None = None,
    examples: bool = True,
    chance: bool = False,
) -> Ruleset | None:
    """A title, from the ruleset cache where nothing changed; None if it cannot be found or read far enough."""
    from grognard.compiler.driver.ruleset_cache import load_ruleset

    return load_ruleset(where, sink, errata=errata, examples=examples, chance=chance)


@_through_door
def compile_title(
    where: str, sink: Sink | None = None, *, errata: Sequence[str] | None = None, examples: bool = True
) -> Ruleset | None:
    """A title, compiled anew."""
    from grognard.compiler.driver.pipeline import compile_title

    return compile_title(where, sink, errata=errata, examples=examples)


@_through_door
def check(where: str, errata: Sequence[str] | None = None) -> tuple[str | None, str | None, Sink]:
    """Check a title and all its scenarios: its id and name (None if it cannot be read), and its diagnostics."""
    from grognard.compiler.driver.check_cache import check

    return check(where, errata)


@_through_door
def watched_title(where: str, errata: Sequence[str] | None = None) -> WatchedTitle:
    """A title that is looked at again and again: what has not changed is not looked at anew."""
    from grognard.compiler.driver.moments import TitleOnDisk

    return TitleOnDisk(where, errata)


@_through_door
def code_key(where: str, errata: Sequence[str] | None = None) -> str | None:
    """What the engine of a title is known by as its files are now; None if they cannot be read."""
    from grognard.compiler.driver.ruleset_cache import code_key

    return code_key(where, errata)


@_through_door
def upgrade_files(where: Path, width: int | None = None) -> list[FileUpgrade]:
    """The files of a folder (or one file) that hold rules, rewritten to the language as it is; nothing is written."""
    from grognard.compiler.upgrade.files import upgrade_files

    return list(upgrade_files(where, width))


@_through_door
def compare_rulesets(old: Ruleset, new: Ruleset) -> list[ChangedSection]:
    """What differs between two compiled titles."""
    from grognard.compiler.driver.diff_rulesets import compare_rulesets
    from grognard.compiler.store.ruleset import compiled

    return compare_rulesets(compiled(old), compiled(new))


@_through_door
def lower_text(ruleset: Ruleset, text: str, sink: Sink) -> LoweredText:
    """A chance program with the situations and policies of a text added."""
    from grognard.compiler.driver.inline_text import lower_text
    from grognard.compiler.store.ruleset import compiled

    return lower_text(compiled(ruleset), text, sink)


@_through_door
def format_rules(source: SourceFile, sink: Sink) -> str | None:
    """The text of a rules file in the one layout; None, with diagnostics, if it has syntax errors."""
    from grognard.compiler.format.format import format_source

    return format_source(source, sink)


@_through_door
def language_server(version: str) -> None:
    """Serve an editor on standard input and output until it ends; wants pygls."""
    from grognard.compiler.editor.server import serve

    serve(version)


@_through_door
def tree_lines(ruleset: Ruleset) -> list[str]:
    """The syntax trees of a compiled title, as an indented outline."""
    from grognard.compiler.driver.tree_text import print_tree
    from grognard.compiler.store.ruleset import compiled

    return [line for _layer, decl in compiled(ruleset).merged.decls for line in print_tree(decl)]


@_through_door
def declared_charts(ruleset: Ruleset) -> DeclaredCharts:
    """The charts and excerpts of a compiled title's declarations."""
    from grognard.compiler.charts import declared_charts
    from grognard.compiler.store.ruleset import compiled

    return declared_charts(compiled(ruleset))


@_through_door
def mutants_of(where: str, sink: Sink, *, errata: Sequence[str] | None = None) -> Mutants | None:
    """A title with all single changes of it; None, with diagnostics, if it has errors."""
    from grognard.compiler.mutate.mutants import mutants_of

    return mutants_of(where, sink, errata)


@_through_door
def optional_passes() -> list[tuple[str, str, str]]:
    """The passes that can be switched off: name, what it works on, what it does."""
    from grognard.compiler.passes.switches import SWITCHES

    return [(switch.name, switch.over, switch.what) for switch in SWITCHES]


@_through_door
def switch_off(names: Iterable[str]) -> None:
    """Switch passes off, for this process and those that it starts; UnknownPass."""
    import os

    from grognard.compiler.passes.switches import VARIABLE, checked, switched_off

    os.environ[VARIABLE] = ",".join(sorted(switched_off() | checked(names)))


@_through_door
def emit_source(ruleset: Ruleset) -> str:
    """The Cython source of a title's engine, for people to read."""
    from grognard.compiler.cython.modules import emit_source

    return emit_source(ruleset.program, members={domain.id: domain.members for domain in ruleset.schema.doms})


# --------------------------------------------------------------------------------------------------- engines


@_through_door
def build_engine(
    program: ir.Program,
    *,
    progress: Callable[[str], None] | None = None,
    flavour: Flavour = "fast",
    code_key: str = "",
) -> ModuleType:
    """The engine module of a program, from the cache or freshly built; BuildUnavailable, BuildError."""
    from grognard.compiler.build.build import build_engine

    return build_engine(program, progress=progress, flavour=flavour, code_key=code_key)


@_through_door
def build_binding(flavour: Flavour = "fast") -> None:
    """Build what all engines share, if it is not there."""
    from grognard.compiler.build.build import build_binding

    build_binding(flavour)


@_through_door
def compiler_available() -> str | None:
    """What is missing to build an engine here; None if nothing is."""
    from grognard.compiler.build.build import compiler_available

    return compiler_available()


@_through_door
def try_compiler(folder: Path) -> tuple[str, str | None]:
    """What the C compiler calls itself; None if what it makes in this folder can be loaded, else what went wrong."""
    from grognard.compiler.build.trial import try_compiler

    return try_compiler(folder)


@_through_door
def sanitizer_environment() -> dict[str, str] | None:
    """The environment of a process that can load engines with sanitizers; None if the C compiler has none."""
    from grognard.compiler.build.build import sanitizer_environment

    return sanitizer_environment()


@_through_door
def in_sanitizer_environment() -> bool:
    """Whether this process was started with it."""
    import os

    from grognard.compiler.build.build import SANITIZED

    return os.environ.get(SANITIZED) == "1"


@_through_door
def export_title(
    where: str,
    output: Path,
    *,
    errata: Sequence[str] | None = None,
    odds: bool = True,
    progress: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write a title as wheels: one of its data, one for each compiled program.  RulesetError for a title with errors."""
    from grognard.compiler.driver.export import ExportError, export_title

    try:
        return export_title(where, output, errata=errata, odds=odds, progress=progress)
    except ExportError as error:
        raise RulesetError(list(error.sink.sorted()), error.sink.sources) from error


# --------------------------------------------------------------------------------------------------- imports


@_through_door
def import_triplea(file: Path, folder: Path, *, rounds: int, title: str | None = None) -> Imported:
    """A game file of TripleA as a title in a new folder; CannotImport."""
    from grognard.compiler.importers.remarks import ImportRefused
    from grognard.compiler.importers.triplea.importer import import_triplea

    try:
        return import_triplea(file, folder, rounds=rounds, title=title)
    except ImportRefused as problem:
        raise CannotImport(str(problem), problem.line) from None
