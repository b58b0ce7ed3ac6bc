"""From a program to a loaded engine module: emit, translate with Cython, compile with the C compiler, import.

Results are kept in the cache (cache.py).  The key covers whatever can change the result, so nothing is ever stale
and nothing is built twice.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from types import ModuleType

from grognard.binding.load import (
    BINDING_NAME,
    MODULE_NAME,
    SANITIZED,
    EngineRecord,
    find_engine,
    joined,
    known_module,
    load_module,
    prebuilt_cache,
    record_engine,
    stamp,
    wanted_flavour,
)
from grognard.compiler.build.cache import BuildCache
from grognard.compiler.build.cythonize import (
    TranslationFailed,
    Translators,
    stop_translators,
    tool_environment,
)
from grognard.compiler.build.includes import Includes, binding_source, needed, read_includes
from grognard.compiler.build.prebuilt import prebuilt_key, source_key
from grognard.compiler.cython.modules import Source, emit_sources
from grognard.contract import ir
from grognard.contract.build import BuildError, BuildUnavailable, Flavour
from grognard.contract.ir.verify import verify_if_wanted
from grognard.support.content_cache import content_key
from grognard.support.userdirs import engines_dir

Progress = Callable[[str], None]

FLAGS = ("-g0", "-fPIC", "-fvisibility=hidden", "-w", "-Werror=implicit-function-declaration")
#: Plain -O2: an engine in the cache may be used by another machine of the same platform.  Cells that lie side by side are
#: not put together in wide registers: they were mostly written one by one just before, for which a wide load has to wait.
FLAVOURS: dict[Flavour, tuple[str, ...]] = {
    "fast": ("-O2", "-fno-tree-slp-vectorize"),
    "quick": ("-O0",),
    # What optimises hard takes minutes on instrumented code, and hides what the sanitizers are to see.
    "sanitized": (
        "-O1",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=undefined",
        "-fno-omit-frame-pointer",
        "-g",
    ),
}

#: What is added for parts that hold the code of machines alone.  A machine runs from one question to the next and calls functions for
#: all that loops: what else the compiler could do for it costs a third of its time and shows little in games (bench/BUILD.md).
BETWEEN_QUESTIONS = ("-O1",)

#: What all parts of an engine include, and the parts to be compiled from which on it is read once for all.
KERNELS = "engine.h"
MANY_PARTS = 4


# -------------------------------------------------------------------------------------- what is there


def compiler_command() -> list[str]:
    """The C compiler and the options that name its target: $CC, or the one that Python was built with."""
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if not os.environ.get("CC") and shutil.which(command[0]) is None:
        for known in ("cc", "gcc", "clang"):
            if shutil.which(known):
                return [known]
    return command


def compiler_available() -> str | None:
    """None if engines can be compiled here, else the reason why not."""
    if sys.platform == "win32":
        return "compiled engines need gcc or clang on a Unix-like system"
    try:
        import Cython  # noqa: F401
    except ImportError:
        return "Cython is not installed (pip install grognard[compiler])"
    command = compiler_command()
    if shutil.which(command[0]) is None:
        return f"no C compiler: {command[0]!r} was not found"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "the Python headers are not installed (Python.h was not found)"
    return None


def _require_compiler() -> None:
    reason = compiler_available()
    if reason is not None:
        raise BuildUnavailable(reason)


@lru_cache(maxsize=8)
def _compiler_identity(command: tuple[str, ...]) -> str:
    """What the compiler calls itself, with version and target."""
    run = subprocess.run([*command, "-v"], capture_output=True, text=True, check=False)
    return f"{shlex.join(command)}\n{run.stdout}{run.stderr}"


def sanitizer_environment() -> dict[str, str] | None:
    """The environment for a process that builds and loads engines with sanitizers, None if the compiler has none."""
    found = []
    for name in ("libasan.so", "libubsan.so"):
        command = [*compiler_command(), f"-print-file-name={name}"]
        path = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        if os.path.isabs(path):
            found.append(path)
    if not found:
        return None
    # Python itself never frees all it has.
    return os.environ | {SANITIZED: "1", "LD_PRELOAD": " ".join(found), "ASAN_OPTIONS": "detect_leaks=0"}


# ------------------------------------------------------------------------------------------- building


def engine_store() -> BuildCache:
    """Where engines are kept that nobody wants elsewhere; BuildUnavailable if they cannot be kept at all."""
    try:
        return BuildCache(engines_dir()[0])
    except OSError as error:
        raise BuildUnavailable(f"there is no folder to build in ({error.strerror or error})") from error


def build_key(
    sources: Sequence[Source],
    *,
    flavour: Flavour = "fast",
    includes: Includes | None = None,
    what: str = "module",
) -> str:
    """Everything that decides what the compiled module is, or another thing (`what`) that is made of the same sources."""
    import Cython

    headers = needed(read_includes() if includes is None else includes, sources)
    return content_key(
        [
            *(
                part
                for source in sources
                for part in (source.stem, source.basis, shlex.join(_flags(flavour, source)))
            ),
            *(part for name, content in headers.items() for part in (name, content)),
            Cython.__version__,
            _compiler_identity(tuple(compiler_command())),
            shlex.join(_flags(flavour)),
            sys.version,
            str(sysconfig.get_config_var("SOABI")),
            str(sysconfig.get_config_var("EXT_SUFFIX")),
            sysconfig.get_platform(),
            *([] if what == "module" else [what]),
        ]
    )


def build_engine(
    program: ir.Program,
    *,
    progress: Progress | None = None,
    flavour: Flavour = "fast",
    cache: BuildCache | None = None,
    code_key: str = "",
) -> ModuleType:
    """The engine module of the program, from the cache or freshly built.

    `progress` is told in words what happens, only if something has to be built.  A sanitized module can only be
    loaded by a process into which the sanitizer's libraries are preloaded.  `code_key` names what the program was
    made from: with it a module that was built before is found without writing its source again."""
    verify_if_wanted(program)
    flavour = wanted_flavour(flavour)
    store = cache or engine_store()
    if code_key:
        found = find_engine(code_key, flavour, cache)
        if found is not None:
            return found
    if cache is None and flavour == "fast":
        shipped = _shipped(program)
        if shipped is not None:
            keys, module = shipped
            if code_key:
                record_engine(code_key, flavour, store, EngineRecord(keys, True, {}))
            return module
    _require_compiler()
    told = progress or _ignore
    # The binding is the same for all programs: the first build waits for both, side by side.
    with Translators() as translators, ThreadPoolExecutor(max_workers=1) as pool:
        includes = read_includes()
        bindings = [binding_source()]
        binding = pool.submit(_module, bindings, BINDING_NAME, store, includes, flavour, told, translators)
        sources = emit_sources(program)
        module = _module(sources, MODULE_NAME, store, includes, flavour, told, translators)
        joined(module, binding.result())
    if code_key:
        engine_key, binding_key = (
            build_key(part, flavour=flavour, includes=includes) for part in (sources, bindings)
        )
        record_engine(code_key, flavour, store, EngineRecord((engine_key, binding_key), False, _tools()))
    return module


@dataclass(frozen=True, slots=True)
class EngineParts:
    """The two modules of an engine on disk, with keys of what they were made from, on whatever platform."""

    engine_key: str
    engine: Path
    binding_key: str
    binding: Path


def engine_parts(program: ir.Program, progress: Progress | None = None) -> EngineParts:
    """The modules of a program's engine, built if they are not in the cache: for whoever ships them."""
    store = engine_store()
    build_engine(program, progress=progress, cache=store)
    includes = read_includes()
    made: list[tuple[str, Path]] = []
    for sources in (emit_sources(program), [binding_source()]):
        path = store.find(build_key(sources, includes=includes))
        assert path is not None
        made.append((source_key(sources), path))
    (engine_key, engine), (binding_key, binding) = made
    return EngineParts(engine_key, engine, binding_key, binding)


def build_binding(flavour: Flavour = "fast") -> None:
    """Build what all engines share, if it is not there; a build of an engine meanwhile waits for it."""
    _require_compiler()
    with Translators() as translators:
        _module(
            [binding_source()],
            BINDING_NAME,
            engine_store(),
            read_includes(),
            wanted_flavour(flavour),
            _ignore,
            translators,
        )


def _tools() -> dict[str, list[int]]:
    """The files that change when another compiler or Cython is installed."""
    found = [shutil.which(compiler_command()[0])]
    cython = importlib.util.find_spec("Cython")
    found.append(cython.origin if cython is not None else None)
    return {path: stamp(path) for path in found if path}


def _shipped(program: ir.Program) -> tuple[tuple[str, str], ModuleType] | None:
    """The engine that came with the installation, if it is of exactly this program, and the keys of its modules."""
    store = prebuilt_cache()
    if not any(store.root.glob("*/entry.json")):
        return None
    found = []
    for sources, name in ((emit_sources(program), MODULE_NAME), ([binding_source()], BINDING_NAME)):
        key = prebuilt_key(sources)
        path = store.find(key)
        if path is None:
            return None
        found.append((key, load_module(key, name, path)))
    (engine_key, module), (binding_key, binding) = found
    return (engine_key, binding_key), joined(module, binding)


def build_shipped(programs: Iterable[ir.Program], into: Path, progress: Progress | None = None) -> None:
    """Build the engines that an installation ships, into its folder."""
    _require_compiler()
    store = BuildCache(into)
    told = progress or _ignore
    includes = read_includes()

    def build(sources: Sequence[Source], name: str) -> None:
        store.get(
            prebuilt_key(sources),
            lambda work: _make(work, sources, name, includes, "fast", told, translators, None),
        )

    with Translators() as translators:
        build([binding_source()], BINDING_NAME)
        for program in programs:
            build(emit_sources(program), MODULE_NAME)
    for rest in [
        *into.glob("*.lock"),
        *into.glob("*/*.h"),
        *into.glob("*/*.pxi"),
        *into.glob("*/*.pyx"),
        *into.glob("*/*.c"),
    ]:
        rest.unlink()


def _module(
    sources: Sequence[Source],
    name: str,
    store: BuildCache,
    includes: Includes,
    flavour: Flavour,
    progress: Progress,
    translators: Translators,
) -> ModuleType:
    """A loaded module, built if the cache does not have it."""
    key = build_key(sources, flavour=flavour, includes=includes)
    known = known_module(key)
    if known is not None:
        return known
    try:
        path = store.get(
            key, lambda work: _make(work, sources, name, includes, flavour, progress, translators, store)
        )
    except OSError as error:
        # A disk that is full, a folder that was taken away.
        raise BuildUnavailable(f"{store.root} cannot be written ({error.strerror or error})") from error
    return load_module(key, name, path)


def _ignore(message: str) -> None:
    del message


def _flags(flavour: Flavour, source: Source | None = None) -> list[str]:
    """How the engine is compiled, or a file of it."""
    more = BETWEEN_QUESTIONS if flavour == "fast" and source is not None and source.between_questions else ()
    return [*FLAGS, *FLAVOURS[flavour], *more]


def _make(
    work: Path,
    sources: Sequence[Source],
    name: str,
    includes: Includes,
    flavour: Flavour,
    progress: Progress,
    translators: Translators,
    parts: BuildCache | None,
) -> Path:
    """Build in this folder; the path of the module.  Parts of it are found in `parts`, or kept there for the next version of the rules."""
    command = [*compiler_command(), *_flags(flavour)]
    headers = needed(includes, sources)
    for header, content in headers.items():
        (work / header).write_bytes(content)

    def compiled(source: Source, folder: Path) -> Path:
        written = folder / source.name
        written.write_text(source.text, encoding="utf-8")
        in_c = written.with_suffix(".c")
        if written != in_c:
            for part, content in needed(includes, [source]).items():
                if part.endswith(".pxi"):
                    (folder / part).write_bytes(content)
            try:
                translators.translate(written)
            except TranslationFailed as why:
                raise BuildError(f"Cython failed on {source.name}:\n{str(why)[-8000:]}") from None
        made = written.with_suffix(".o")
        options = _flags(flavour, source)
        folders = [*read_once.get(tuple(options), ()), f"-I{work}", f"-I{sysconfig.get_path('include')}"]
        _run([*compiler_command(), *options, *folders, "-c", str(in_c), "-o", str(made)], folder)
        if written != in_c:
            in_c.unlink()
        progress(f"compiled {source.name}")
        return made

    # The only part of an engine is kept as the engine.
    keys: dict[str, str] = {}
    found: dict[str, Path] = {}
    if parts is not None and len(sources) > 1:
        for source in sources:
            key = build_key([source], flavour=flavour, includes=includes, what="object")
            keys[source.stem], known = key, parts.find(key)
            if known is not None:
                found[source.stem] = known

    def one(source: Source) -> Path:
        if source.stem in found:
            # Most parts of a large engine are the same after a rule has been changed.
            return found[source.stem]
        if parts is not None and source.stem in keys:
            return parts.get(keys[source.stem], lambda folder: compiled(source, folder))
        folder = work / source.stem
        folder.mkdir()
        return compiled(source, folder)

    missing = [source for source in sources if source.stem not in found]
    lines = sum(source.basis.count("\n") for source in missing)
    as_before = f" ({len(found)} of {len(sources)} parts are as before)" if found else ""
    progress(f"compiling {name}: {lines} lines in {len(missing)} part(s){as_before}")
    asking = Counter(tuple(_flags(flavour, source)) for source in missing)
    read_once = {
        options: _headers_read([*compiler_command(), *options], headers, parts, count, work)
        for options, count in asking.items()
    }
    # The longest first, so that no processor waits long for the last one.
    order = sorted(sources, key=lambda source: -len(source.basis))
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        try:
            objects = list(pool.map(one, order))
        except KeyboardInterrupt:
            # The pool waits for its threads, and they for Cython; so do those of builds beside this one.
            stop_translators()
            raise
    suffix = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
    module = work / f"{name}{suffix}"
    shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    _run([*command, *shared, *map(str, objects), "-o", str(module)], work)
    for folder in work.glob("kernels.*"):
        rmtree(folder, ignore_errors=True)
    for source in sources:
        rmtree(work / source.stem, ignore_errors=True)
        if source.stem not in keys:
            # Parts lie with their objects.
            (work / source.name).write_text(source.text, encoding="utf-8")
    return module


def _headers_read(
    command: Sequence[str], headers: Includes, parts: BuildCache | None, missing: int, work: Path
) -> list[str]:
    """Options by which the compiler finds the kernels as it has read them once: that is an entry of the cache, made when many parts
    ask for it, and used for one alone afterwards.  A compiler that has no use for it reads the headers themselves."""

    def make(folder: Path) -> Path:
        for header, content in headers.items():
            (folder / header).write_bytes(content)
        read = folder / f"{KERNELS}.gch"
        _run([*command, "-x", "c-header", str(folder / KERNELS), "-o", str(read)], folder)
        return read

    if KERNELS not in headers or not missing:
        return []
    if parts is None:
        if missing < MANY_PARTS:
            return []
        folder = Path(tempfile.mkdtemp(prefix="kernels.", dir=work))
        return [f"-I{make(folder).parent}"]
    key = content_key(
        [
            *(part for header, content in headers.items() for part in (header, content)),
            _compiler_identity(tuple(compiler_command())),
            shlex.join(command),
            "headers",
        ]
    )
    known = parts.find(key)
    if known is None and missing >= MANY_PARTS:
        known = parts.get(key, make)
    return [f"-I{known.parent}"] if known is not None else []


def _run(command: list[str], work: Path) -> None:
    run = subprocess.run(
        command, cwd=work, env=tool_environment(), capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        raise BuildError(f"{shlex.join(command)}\nfailed:\n{(run.stdout + run.stderr)[-8000:]}")
