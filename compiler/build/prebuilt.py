"""Engines that come with an installation: the shipped titles', built when the wheel was made.

They are found by the content of their sources, like those in the cache, but whatever compiler made them: a wheel is
made on one machine and used on others that need have none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from grognard.compiler.build.includes import read_includes
from grognard.support.content_cache import content_key

if TYPE_CHECKING:
    from grognard.compiler.cython.modules import Source


def source_key(sources: Iterable[Source]) -> str:
    """What an engine is made from, on whatever platform."""
    return content_key(
        [
            *(part for source in sources for part in (source.stem, source.basis)),
            *(part for name, content in read_includes().items() for part in (name, content)),
        ]
    )


def prebuilt_key(sources: Iterable[Source]) -> str:
    """What an engine is made from, without how."""
    import sysconfig

    return content_key(
        [
            source_key(sources),
            f"{sys.implementation.name} {sys.version_info[:2]}",
            str(sysconfig.get_config_var("SOABI")),
            sysconfig.get_platform(),
        ]
    )
