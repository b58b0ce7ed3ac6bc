"""Files that sources include: C headers of the kernels and parts of the binding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from grognard.binding import source_dir
from grognard.binding.load import BINDING_NAME
from grognard.compiler.cython.modules import Source, SourceFile
from grognard.kernels import include_dir

#: Contents by name.
Includes = Mapping[str, bytes]


def binding_source() -> SourceFile:
    """The main file of the binding; it does not depend on any program."""
    return SourceFile(f"{BINDING_NAME}.pyx", (source_dir() / "binding.pyx").read_text(encoding="utf-8"))


def read_includes() -> Includes:
    """All of them as they are now.  They are read once for key and compiler, which could else see two versions."""
    found = [*Path(include_dir()).glob("*.h"), *source_dir().glob("*.pxi")]
    return {path.name: path.read_bytes() for path in sorted(found, key=lambda path: path.name)}


def needed(includes: Includes, sources: Sequence[Source]) -> Includes:
    """Those that sources include, and those that these include in turn."""
    found: dict[str, bytes] = {}
    waiting = [source.basis.encode() for source in sources]
    while waiting:
        text = waiting.pop()
        for name, content in includes.items():
            if name not in found and b'"%s"' % name.encode() in text:
                found[name] = content
                waiting.append(content)
    return dict(sorted(found.items()))
