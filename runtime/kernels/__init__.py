"""C headers that generated modules include; the geometry package is their model and their test."""

from __future__ import annotations

from pathlib import Path


def include_dir() -> str:
    """The folder to give the C compiler as an include path."""
    return str(Path(__file__).resolve().parent)
