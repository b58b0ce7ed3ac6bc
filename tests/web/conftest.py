"""A browser and a table for it: a real server on loopback, Chromium without a window."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from browsing import served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def absent() -> str | None:
    """What is missing for tests in a browser."""
    if CHROMIUM is None:
        return "Chromium is not installed"
    for name in ("playwright", "starlette", "uvicorn", "sqlalchemy"):
        try:
            __import__(name)
        except ImportError:
            return f"the package {name} is not installed"
    return None


@pytest.fixture(scope="session")
def ready() -> None:
    missing = absent()
    if missing is None:
        return
    if os.environ.get("CI_BROWSER") == "1":
        pytest.fail(f"tests in a browser must run here, but {missing}")
    pytest.skip(f"no tests in a browser: {missing}")


@pytest.fixture(scope="session")
def address(ready: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("table")) as made:
        yield made


@pytest.fixture(scope="session")
def browser(ready: None) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()
