"""Sources of the binding: the extension module that all compiled engines share, between Python and the C of the kernels."""

from __future__ import annotations

from pathlib import Path


def source_dir() -> Path:
    """The folder of binding.pyx and of the parts that it includes."""
    return Path(__file__).resolve().parent
