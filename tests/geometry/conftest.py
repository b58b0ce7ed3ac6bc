"""Fixtures of the geometry tests."""

from __future__ import annotations

import ctypes

import pytest
from geometry_kernel import build_kernel, compiler


@pytest.fixture(scope="session")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The C kernel as a shared library; tests that need it are skipped where there is no compiler."""
    if compiler() is None:
        pytest.skip("no C compiler")
    return build_kernel(tmp_path_factory.mktemp("kernel"))
