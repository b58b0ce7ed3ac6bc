"""The form in which a compiled ruleset is cached: sections, each of which is read when something in it is first wanted.

`head`   what a compiled engine needs to play: names, the program without its code, scenarios, what there was to say
`schema` what positions are read by: names, types and secrecy of fields
`sites`  where things stand in the rules, for logs and explanations
`code`   functions and machines, for the interpreter and the emitter
`symbols` what data is read with
`files`  the trees of rules files, as the cache of trees has them
`trees`  declarations and whatever else only the front end wants of the symbols

A later section refers to what an earlier one holds by number, so that an object which two of them share is one object.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import fields
from threading import RLock
from typing import TYPE_CHECKING, Any

from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.compiler.syntax.from_text.treecache import cached_bytes, tree_bytes
from grognard.contract import ir
from grognard.support.diagnostics import Diagnostic, Sink
from grognard.support.gc_pause import gc_paused
from grognard.support.lazy_attributes import (
    new_partial,
    set_attributes,
    set_lazy,
)

if TYPE_CHECKING:
    from grognard.compiler.sema.symbols import Symbols
    from grognard.compiler.syntax import nodes as syn

#: What is left out of the objects of earlier sections.
OF_PROGRAM = {"sites": ("sites",), "code": ("functions", "machines")}
OF_RULESET = (
    "project",
    "symbols",
    "merged",
    "example_program",
    "examples",
    "values",
    "situations",
    "lowerer",
)
OF_MERGED = ("decls", "exceptions", "examples", "by_design")
OF_SYMBOLS = (
    "handlers",
    "handlers_of",
    "watchers",
    "change_handlers",
    "sequence_decls",
    "example_decls",
    "policies",
    "cited",
)
OF_CALLABLE = ("decl", "exceptions")
_LATE_IN_PROGRAM = frozenset(name for names in OF_PROGRAM.values() for name in names)
_SECTIONS = 7
_HEAD, _SCHEMA, _SITES, _CODE, _SYMBOLS, _FILES, _TREES = range(_SECTIONS)


class _Pickler(pickle.Pickler):
    """Writes a section.

    `known` are objects that other sections have, with what they are called there; `late` gives for the objects that
    are written without some of their attributes the names of these."""

    def __init__(self, out: io.BytesIO, known: dict[int, Any], late: dict[int, tuple[str, ...]]) -> None:
        super().__init__(out, protocol=pickle.HIGHEST_PROTOCOL)
        self.known = known
        self.late = late

    def persistent_id(self, obj: Any) -> Any:
        return self.known.get(id(obj))

    def reducer_override(self, obj: Any) -> Any:
        late = self.late.get(id(obj))
        if late is None:
            return NotImplemented
        now = {name: value for name, value in _attributes(obj).items() if name not in late}
        return new_partial, (type(obj), {}), now, None, None, set_attributes


def _attributes(obj: Any) -> dict[str, Any]:
    names = [f.name for f in fields(obj)] if hasattr(type(obj), "__dataclass_fields__") else vars(obj)
    return {name: getattr(obj, name) for name in names}


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: memoryview, resolve: Callable[[Any], Any]) -> None:
        super().__init__(io.BytesIO(data))
        self.resolve = resolve

    def persistent_load(self, pid: Any) -> Any:
        return self.resolve(pid)


# ------------------------------------------------------------------------------------------------- writing


def pack(key: Any, ruleset: CompiledRuleset) -> bytes:
    """A ruleset as bytes; `key` is given back with it."""
    program, symbols = ruleset.program, ruleset.symbols
    known: dict[int, Any] = {id(ruleset.sink): ("sink", 0), id(program): ("program", 0)}
    late: dict[int, tuple[str, ...]] = {}

    def section(content: Any) -> bytes:
        out = io.BytesIO()
        _Pickler(out, known, late).dump(content)
        return out.getvalue()

    head = {
        "key": key,
        "program": {n: v for n, v in _attributes(program).items() if n not in _LATE_IN_PROGRAM},
        "about": ruleset.about,
        "scenarios": ruleset.loaded,
        "said": list(ruleset.sink),
    }
    made = [section(head), section(ruleset.schema)]
    known[id(ruleset.schema)] = ("schema", 0)
    known |= {id(dom): ("domain", number) for number, dom in enumerate(ruleset.schema.doms)}
    for names in OF_PROGRAM.values():
        # These hold nothing of other sections.
        made.append(_plain({name: getattr(program, name) for name in names}))
    for sort in ("sites", "functions", "machines"):
        known |= {id(entry): (sort, number) for number, entry in enumerate(getattr(program, sort))}
    callables = [
        entry
        for group in (symbols.callables, symbols.events, symbols.situations)
        for entry in group.values()
        if entry.sort != "table"
    ]
    late |= {id(symbols): OF_SYMBOLS, id(ruleset.merged): OF_MERGED}
    late |= {id(entry): OF_CALLABLE for entry in callables}
    # Declarations that data is read with belong to the symbols, and lists of all declarations have them too.
    shared = _shared(symbols)
    parts = {name: getattr(ruleset, name) for name in OF_RULESET}
    made.append(section({"ruleset": parts, "shared": shared, "callables": callables}))
    files, decls = _files(ruleset)
    made.append(_plain(files))
    known |= decls
    known |= {id(decl): ("shared", number) for number, decl in enumerate(shared)}
    known |= {id(entry): ("callable", number) for number, entry in enumerate(callables)}
    trees = {
        "symbols": {name: getattr(symbols, name) for name in OF_SYMBOLS},
        "merged": {name: getattr(ruleset.merged, name) for name in OF_MERGED},
        "callables": [{name: getattr(entry, name) for name in OF_CALLABLE} for entry in callables],
    }
    made.append(section(trees))
    return b"".join([*(len(part).to_bytes(8, "little") for part in made), *made])


def _plain(content: Any) -> bytes:
    return pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)


def _files(ruleset: CompiledRuleset) -> tuple[list[bytes], dict[int, Any]]:
    """The trees of rules files as bytes, which most of them are already, and where their declarations stand in these."""
    files: list[bytes] = []
    decls: dict[int, Any] = {}
    for tree in ruleset.project.shelf.trees():
        source = ruleset.project.sources.get(tree.path)
        data = None if source is None else cached_bytes(source)
        data = data if data is not None else tree_bytes(tree)
        if data is not None:
            decls |= {id(decl): ("decl", (len(files), place)) for place, decl in enumerate(tree.decls)}
            files.append(data)
    return files, decls


def _shared(symbols: Symbols) -> list[Any]:
    owners: list[Any] = [*symbols.doms, *symbols.bags.values(), *symbols.options.values()]
    owners += [entry for entry in symbols.callables.values() if entry.sort == "table"]
    return [owner.decl for owner in owners if owner.decl is not None]


# ------------------------------------------------------------------------------------------------- reading


class CachedRuleset:
    """A ruleset as the cache has it; nothing is read from the disk any more."""

    def __init__(self, data: bytes) -> None:
        self._parts: list[memoryview | None] = []
        view, start = memoryview(data), 8 * _SECTIONS
        for number in range(_SECTIONS):
            end = start + int.from_bytes(view[8 * number : 8 * number + 8], "little")
            self._parts.append(view[start:end])
            start = end
        self._lock = RLock()
        self._shared: list[Any] = []
        self._callables: list[Any] = []
        #: trees of files: as bytes, and as far as they were read
        self._files: list[bytes] = []
        self._trees: dict[int, syn.FileTree] = {}
        head = self._section(_HEAD)
        self.key: Any = head["key"]
        self.diagnostics: list[Diagnostic] = head["said"]
        self.program: ir.Program = new_partial(ir.Program, head["program"])
        set_lazy(self.program, _LATE_IN_PROGRAM, self._read_program)
        self.ruleset: CompiledRuleset = new_partial(
            CompiledRuleset,
            {
                "about": head["about"],
                "program": self.program,
                "sink": Sink(),
                "readable": True,
                "ruled": None,
                "code_key": "",
                "engine_files": None,
                "rules_hash": b"",
                "loaded": head["scenarios"],
            },
        )
        set_lazy(self.ruleset, frozenset(("schema", *OF_RULESET)), self._read_ruleset)

    def report_to(self, sink: Sink) -> None:
        """Diagnostics of the ruleset go to this sink from now on."""
        with self._lock:
            self.ruleset.sink = sink

    def replace_shared(self, old: syn.Decl, new: syn.Decl) -> None:
        """Let a declaration that was changed since take the place of the cached one wherever it is still to be read."""
        self._shared = [new if decl is old else decl for decl in self._shared]

    def _section(self, number: int) -> Any:
        part, self._parts[number] = self._parts[number], None
        assert part is not None
        # Nothing of what is read is rubbish: looking for some would take a third of the time.
        with gc_paused():
            return _Unpickler(part, self._resolve).load()

    def _resolve(self, pid: tuple[str, Any]) -> Any:
        sort, number = pid
        if sort == "shared":
            return self._shared[number]
        if sort == "callable":
            return self._callables[number]
        if sort == "decl":
            file, place = number
            if file not in self._trees:
                self._trees[file] = pickle.loads(self._files[file])
            return self._trees[file].decls[place]
        if sort == "sink":
            return self.ruleset.sink
        if sort == "schema":
            return self.ruleset.schema
        if sort == "domain":
            return self.ruleset.schema.doms[number]
        return self.program if sort == "program" else getattr(self.program, sort)[number]

    def _read_program(self, name: str) -> None:
        number = _SITES if name in OF_PROGRAM["sites"] else _CODE
        with self._lock:
            if self._parts[number] is not None:
                set_attributes(self.program, self._section(number))

    def _read_ruleset(self, name: str) -> None:
        if name == "schema":
            self._read_schema()
        else:
            self._read_symbols(name)

    def _read_schema(self) -> None:
        with self._lock:
            if self._parts[_SCHEMA] is not None:
                set_attributes(self.ruleset, {"schema": self._section(_SCHEMA)})

    def _read_symbols(self, _name: str) -> None:
        with self._lock:
            if self._parts[_SYMBOLS] is None:
                return
            found = self._section(_SYMBOLS)
            self._shared, self._callables = found["shared"], found["callables"]
            parts = found["ruleset"]
            set_lazy(parts["symbols"], frozenset(OF_SYMBOLS), self._read_trees)
            set_lazy(parts["merged"], frozenset(OF_MERGED), self._read_trees)
            for entry in self._callables:
                set_lazy(entry, frozenset(OF_CALLABLE), self._read_trees)
            set_attributes(self.ruleset, parts)

    def _read_trees(self, name: str) -> None:
        with self._lock:
            self._read_symbols(name)
            if self._parts[_TREES] is None:
                return
            self._files = self._section(_FILES)
            found = self._section(_TREES)
            self._files, self._trees = [], {}
            set_attributes(self.ruleset.symbols, found["symbols"])
            set_attributes(self.ruleset.merged, found["merged"])
            for entry, parts in zip(self._callables, found["callables"], strict=True):
                set_attributes(entry, parts)
