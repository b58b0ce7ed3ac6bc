"""A title on disk: which files belong to it, in which layers.

    <series>/series.yaml, *.grog, *.yaml, errata/*.grog, rulebook.yaml     the series
    <title>/title.yaml, *.grog, *.yaml                                     the title, in the series' folder or anywhere
      scenarios/*.yaml  maps/*.yaml  examples/*.grog  errata/*.grog

A data file is looked up in the title's folder, then in the series'.  A title without a series is a folder of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from grognard.compiler.layers.library import Library, id_of, library
from grognard.compiler.layers.merge import Layer
from grognard.compiler.layers.shelf import Shelf
from grognard.compiler.layers.title_paths import (
    TitleFiles,
    find_series,
    find_titles,
    scenario_names,
)
from grognard.compiler.support.yamlfile import (
    YMap,
    YNode,
    YScalar,
    check_keys,
    expect_int,
    expect_list,
    expect_map,
    load_yaml,
)
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.source import (
    SourceFile,
    Span,
    load_source,
    source_of_text,
)
from grognard.support.suggest import hint_for

#: Limit of the depth to which files `use` each other.
MAX_INCLUDES = 30
#: Of all files of a layer together.
MAX_DECLARED = 10_000
#: Files and folders that a title may do without.
SELDOM = (
    "examples",
    "scenarios",
    "maps",
    "errata",
    "rulebook.yaml",
    "look.yaml",
    "mutants.yaml",
    "mutation.json",
)
TITLE_KEYS = (
    "name",
    "id",
    "series",
    "edition",
    "version",
    "licence",
    "provenance",
    "rules",
    "scenario",
    "errata",
    "demo",
    "options",
    "about",
    "citations",
    "colours",
    "symbols",
)
SERIES_KEYS = ("name", "id", "edition", "licence", "provenance", "about", "colours", "symbols")


@dataclass(slots=True)
class Project:
    """A title's files, by the names that `files` gives them; nothing may leave the title's and the series' folder."""

    id: str
    folder: Path
    series: Path | None
    files: TitleFiles
    sources: dict[str, SourceFile] = field(default_factory=dict)
    title: YMap | None = None
    name: str = ""
    scenario: str = ""
    #: names of the errata in force by default; None: all
    errata: tuple[str, ...] | None = None
    #: its place among the titles that `grognard demo` shows; None: it is not one of them
    demo: int | None = None
    prefixes: tuple[str, ...] = ()
    #: a declaration of data could not be read, so that the names in the others cannot be judged
    incomplete: bool = False
    #: texts that stand in for files, by the path as shown: what an editor has not saved yet
    buffers: Mapping[str, str] = field(default_factory=dict)
    #: what was read before, in a process that looks again
    shelf: Shelf = field(default_factory=Shelf)

    def shown(self, path: Path) -> str:
        return self.files.shown(path)

    def load(self, path: str | Path, sink: Sink, at: Span | None = None) -> SourceFile | None:
        """Read a file of the project once; `path` is its name as shown, `at` the place that names it."""
        key = Path(path).as_posix()
        if key not in self.sources:
            source = self._read(key, sink, at)
            if source is None:
                return None
            self.sources[key] = source
        # An earlier check with another sink may have read it: excerpts need it in this one.
        sink.sources.setdefault(key, self.sources[key])
        return self.sources[key]

    def _read(self, key: str, sink: Sink, at: Span | None) -> SourceFile | None:
        base, inside = self.files.locate(key)
        text = self.buffers.get(key)
        if text is not None:
            return source_of_text(key, base / inside, text, sink)
        path = os.path.join(base, inside)
        source = self.shelf.file(path)
        if source is None:
            before = sink.total
            source = load_source(inside, base, sink, shown=key if inside != key else None, at=at)
            if source is not None and sink.total == before:
                self.shelf.keep_file(path, source)
        return source

    def find(self, name: str) -> str | None:
        """A data file by the name the rules give it: in the title's folder, else in the series'."""
        return self._find_in(self.folder, name) or self.find_in_series(name)

    def find_in_series(self, name: str) -> str | None:
        return None if self.series is None else self._find_in(self.series, name)

    def _find_in(self, base: Path, name: str) -> str | None:
        candidate = base / name
        if self.buffers and candidate.is_relative_to(self.files.bounds(base)):
            shown = self.shown(candidate)
            if shown in self.buffers:
                return shown
        try:
            bounds = self.files.bounds(base).resolve()
            if candidate.resolve().is_relative_to(bounds) and candidate.exists():
                return self.shown(candidate)
        except (OSError, ValueError, RuntimeError):  # the last from links that lead in a circle
            pass
        return None

    def leads_out(self, name: str) -> bool:
        """Whether the path is a link that leads outside the folder or to nothing."""
        return any(base is not None and os.path.islink(base / name) for base in (self.folder, self.series))

    def load_data(self, name: str, span: Span | None, sink: Sink) -> YNode | None:
        found = self.find(name)
        if found is None:
            if self.leads_out(name):
                sink.error("GR0003", span, f'"{name}" is a link that leads out of the ruleset, or nowhere')
            elif ".." in Path(name).parts or Path(name).is_absolute():
                sink.error(
                    "GR0003",
                    span,
                    f'"{name}" leaves the ruleset',
                    hint="name a file in the title's or the series' folder",
                )
            else:
                sink.error(
                    "GR0001", span, f'there is no file "{name}"', hint=hint_for(name, self.data_files())
                )
            return None
        source = self.load(found, sink)
        return None if source is None else self.shelf.yaml(source, sink)

    def data_files(self) -> list[str]:
        names: list[str] = []
        for base in (self.folder, self.series):
            if base is not None:
                names += [p.relative_to(base).as_posix() for p in sorted(_yaml_files(base))]
        return names

    def scenarios(self) -> list[str]:
        return scenario_names(self.folder)


def _yaml_files(base: Path) -> Iterator[Path]:
    """Data files to suggest: in the folder and in those within it, as deep as titles have them."""
    for pattern in ("*.yaml", "*/*.yaml", "*/*/*.yaml", "*/*/*/*.yaml"):
        yield from base.glob(pattern)


def open_project(
    where: str, sink: Sink, buffers: Mapping[str, str] | None = None, shelf: Shelf | None = None
) -> Project | None:
    """Find a title by path or by id, and read its title.yaml.

    `buffers` are texts that stand in for files, by their paths as diagnostics show them."""
    found = find_titles(where)
    if len(found) != 1:
        _no_title(where, found, sink)
        return None
    path = found[0]
    if not (path / "title.yaml").is_file():
        of_series = (path / "series.yaml").is_file()
        sink.error(
            "GR0001",
            None,
            f"`{where}` is a series, not a title" if of_series else f"`{where}` has no title.yaml",
            hint="give one of its titles: `grognard titles` lists them"
            if of_series
            else "a title is a folder with a title.yaml and its rules",
        )
        return None
    series = find_series(path)
    files = TitleFiles(path, series.folder)
    project = Project(path.name, path, series.folder, files, buffers=buffers or {}, shelf=shelf or Shelf())
    if series.name and series.folder is None:
        _no_series(project, series.name, series.folders, sink)
        return None
    source = project.load(project.shown(path / "title.yaml"), sink)
    node = load_yaml(source, sink) if source else None
    if node is None:
        return None
    title = expect_map(node, sink, "title.yaml")
    if title is None:
        return None
    check_keys(title, sink, required=("name",), optional=TITLE_KEYS, what="title.yaml")
    if series.folder is not None:
        shared = project.load(project.shown(series.folder / "series.yaml"), sink)
        node = load_yaml(shared, sink) if shared else None
        if isinstance(node, YMap):
            check_keys(node, sink, optional=SERIES_KEYS, what="series.yaml")
    _check_links(project, sink)
    project.title = title
    project.name = _text(title, "name") or path.name
    project.id = _text(title, "id") or path.name
    project.scenario = _text(title, "scenario")
    project.errata = _errata(title, sink)
    place = title.get("demo")
    project.demo = expect_int(place, sink, "demo", 1) if place is not None else None
    return project


def _check_links(project: Project, sink: Sink) -> None:
    """What is read only where it is there is not passed over where it is a link that cannot be followed."""
    for base in dict.fromkeys((project.folder, project.series)):
        for name in SELDOM if base is not None else ():
            if base is not None and os.path.islink(base / name) and project._find_in(base, name) is None:
                sink.error(
                    "GR0003",
                    None,
                    f"`{project.shown(base / name)}` is a link that leads out of the ruleset, or nowhere",
                    hint="put a copy into the ruleset, or delete the link",
                )


def _no_title(where: str, found: list[Path], sink: Sink) -> None:
    """There is no title of this id, or there are several."""
    if found:
        listed = " and ".join(str(folder) for folder in found)
        sink.error(
            "GR0507",
            None,
            f"{len(found)} titles are called `{where}`: {listed}",
            hint="name the folder of the one that is meant, or give one of them another `id` in its title.yaml",
        )
        return
    known = library()
    sink.error(
        "GR0001",
        None,
        f"there is no title `{where}`",
        hint=hint_for(where, sorted(known.titles)) or "give a folder with a title.yaml",
        notes=(searched(known),),
    )


def _no_series(project: Project, name: str, found: tuple[Path, ...], sink: Sink) -> None:
    """The series that a title names is not there, or there are several: said where it is named."""
    span = _where_named(project, name, sink)
    if found:
        sink.error(
            "GR0507",
            span,
            f"{len(found)} series are called `{name}`",
            notes=tuple(str(folder) for folder in found),
            hint="give one of them another `id` in its series.yaml, or put the title into the folder of the one that is meant",
        )
        return
    known = library()
    sink.error(
        "GR0508",
        span,
        f"there is no series `{name}`",
        hint=hint_for(name, sorted(known.series)) or f"known are {', '.join(sorted(known.series))}",
        notes=(searched(known, f"{project.folder.parent}, beside the title"),),
    )


def searched(known: Library, first: str = "") -> str:
    """Where titles and series were looked for, in words."""
    places = [f"{place.folder} ({place.why})" for place in known.places]
    return "searched: " + ", ".join([first, *places] if first else places)


def _where_named(project: Project, name: str, sink: Sink) -> Span | None:
    """The place in title.yaml or in the header of the rules that names the series."""
    pattern = re.compile(rf"^(?:series:|title\b).*?\b({re.escape(name)})\b", re.MULTILINE)
    for path in (project.folder / "title.yaml", *sorted(project.folder.glob("*.grog"))):
        source = project.load(project.shown(path), sink)
        found = list(pattern.finditer(source.text)) if source is not None else []
        if source is not None and found:
            return source.span(found[-1].start(1), found[-1].end(1))
    return None


def _errata(title: YMap, sink: Sink) -> tuple[str, ...] | None:
    """The errata in force unless the caller names others: `all` (None), `none`, one name or a list of names."""
    node = title.get("errata")
    if node is None or (isinstance(node, YScalar) and node.text == "all"):
        return None
    if isinstance(node, YScalar):
        return () if node.text == "none" else (node.text,)
    names = expect_list(node, sink, "errata")
    return tuple(item.text for item in names.items if isinstance(item, YScalar)) if names else ()


def series_name(project: Project) -> str:
    """The name of the series in its series.yaml; else the name of its folder."""
    if project.series is None:
        return ""
    top = _series_yaml(project)
    return (_text(top, "name") if top is not None else "") or project.series.name


def _series_yaml(project: Project) -> YMap | None:
    if project.series is None:
        return None
    sink = Sink()
    source = project.load(project.shown(project.series / "series.yaml"), sink)
    node = load_yaml(source, sink) if source else None
    return node if isinstance(node, YMap) else None


def title_words(project: Project, key: str) -> dict[str, str]:
    """A map of names to texts in title.yaml, on top of that of the series; empty without either."""
    found: dict[str, str] = {}
    for top in (_series_yaml(project), project.title):
        node = top.get(key) if top is not None else None
        if isinstance(node, YMap):
            found |= {name: e.value.text for name, e in node.entries.items() if isinstance(e.value, YScalar)}
    return found


def series_id(project: Project) -> str:
    """The id of the series in its series.yaml; else the name of its folder; empty without a series."""
    return id_of(project.series, "series.yaml") if project.series is not None else ""


def _text(node: YMap, key: str) -> str:
    value = node.get(key)
    return value.text if isinstance(value, YScalar) else ""


def read_layers(project: Project, sink: Sink) -> list[Layer]:
    """Parse every rules file of the series, then of the title; examples and errata come after the rules."""
    layers: list[Layer] = []
    if project.series is not None:
        layers.append(Layer(0, project.series.name, _parse_folder(project, project.series, sink)))
    layers.append(Layer(1, project.id, _parse_folder(project, project.folder, sink)))
    return layers


def _parse_folder(project: Project, folder: Path, sink: Sink) -> tuple[syn.FileTree, ...]:
    files = sorted(_rules_in(project, folder))
    for sub in ("examples", "errata"):
        files += sorted(_rules_in(project, folder / sub))
    reader = _Reader(project, sink)
    for path in files:
        reader.read(project.shown(path), None)
    if not files:
        sink.error(
            "GR0001",
            None,
            f"there are no rules (*.grog) in {folder.name}",
            hint="a title needs at least one .grog file",
        )
    return tuple(reader.trees)


def _rules_in(project: Project, folder: Path) -> set[Path]:
    """The rules files directly in a folder, with those that an editor has not saved yet."""
    unsaved = {Path(*project.files.locate(name)) for name in project.buffers if name.endswith(".grog")}
    return {*folder.glob("*.grog"), *(path for path in unsaved if path.parent == folder)}


class _Reader:
    """Reads files and the files that they `use`, each once, used files first."""

    def __init__(self, project: Project, sink: Sink) -> None:
        self.project = project
        self.sink = sink
        self.trees: list[syn.FileTree] = []
        self.done: set[str] = set()
        self.open: list[str] = []
        self.declared = 0

    def read(self, path: str, span: Span | None) -> None:
        """`path` is relative to the project's root; `span` is the `use` that names it."""
        if path in self.open:
            circle = [*self.open[self.open.index(path) :], path]
            self.sink.error(
                "GR0011",
                span,
                f"`{path}` includes itself"
                if len(circle) == 2
                else "these files include each other in a circle",
                notes=(" -> ".join(circle),) if len(circle) > 2 else (),
                hint="move what both need into a file of its own",
            )
            return
        if path in self.done:
            return
        if len(self.open) >= MAX_INCLUDES:
            self.sink.error("GR0010", span, f"files are included more than {MAX_INCLUDES} deep")
            return
        self.done.add(path)
        source = self.project.load(path, self.sink, span)
        tree = self.project.shelf.tree(source, self.sink) if source is not None else None
        if tree is None:
            self.project.incomplete = True
            return
        self.declared += len(tree.decls)
        if self.declared > MAX_DECLARED:
            self.sink.error("GR0006", None, f"the title has more than {MAX_DECLARED:,} declarations")
            self.project.incomplete = True
            return
        self.open.append(path)
        for decl in tree.decls:
            if isinstance(decl, syn.Include):
                found = self._resolve(path, decl)
                if found is not None:
                    self.read(found, decl.span)
        self.open.pop()
        self.trees.append(tree)

    def _resolve(self, path: str, decl: syn.Include) -> str | None:
        """The path as seen from the root; as written it is seen from the folder of the file that uses it."""
        written = PurePosixPath(decl.path.replace("\\", "/"))
        parts = list(PurePosixPath(path).parent.parts)
        for part in written.parts:
            if part != "..":
                parts.append(part)
            elif parts:
                parts.pop()
            else:
                parts = []
                break
        if written.is_absolute() or not parts:
            self.sink.error(
                "GR0003",
                self.sink.at(decl.span, f'"{decl.path}"'),
                f'"{decl.path}" leaves the ruleset',
                hint="name a file beside this one, or in a folder below it",
            )
            return None
        return "/".join(parts)
