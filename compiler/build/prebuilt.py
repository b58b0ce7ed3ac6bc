"""Engines that come with an installation: the shipped titles', built when the wheel was made.

They are found by the content of their sources, like those in the cache, but whatever compiler made them: a wheel is
made on one machine and used on others that need have none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from grognard.compiler.build.cache import Cache, content_key
from grognard.kernels import include_dir

if TYPE_CHECKING:
    from grognard.compiler.cython.modules import SourceFile


def prebuilt_key(sources: Iterable[SourceFile]) -> str:
    """What an engine is made from, without how."""
    import sysconfig

    kernels = sorted(Path(include_dir()).glob("*.h"))
    return content_key(
        [
            *(part for source in sources for part in (source.name, source.text)),
            *(part for header in kernels for part in (header.name, header.read_bytes())),
            f"{sys.implementation.name} {sys.version_info[:2]}",
            str(sysconfig.get_config_var("SOABI")),
            sysconfig.get_platform(),
        ]
    )


def prebuilt_cache() -> Cache:
    """The folder of engines inside the installation."""
    from grognard import generated

    return Cache(Path(next(iter(generated.__path__))))
