"""The option that rewrites the expected messages of the cases."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the compiler says now into the cases, to be read before it is committed",
    )
