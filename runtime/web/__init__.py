"""The page of the table: HTML, style sheet and JavaScript modules, served as they are."""

from __future__ import annotations

from pathlib import Path


def folder() -> Path:
    """Where the files of the page lie."""
    return Path(__file__).resolve().parent
