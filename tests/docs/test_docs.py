"""The examples of docs/embedding.md run as they stand."""

from __future__ import annotations

import doctest
import os
from pathlib import Path

import pytest

EMBEDDING = Path(__file__).parents[2] / "docs" / "embedding.md"


def test_embedding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert os.getcwd() == str(tmp_path)
    result = doctest.testfile(str(EMBEDDING), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 20 and result.failed == 0
