"""A browser and a table for it: a real server on loopback, Chromium without a window."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

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


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A table on loopback, in a thread of this process."""
    import uvicorn
    from grognard.server.app import make_app, make_table
    from grognard.server.library import Library
    from grognard.server.limits import Rate
    from grognard.server.store import Store, database_in

    table = make_table(Store(database_in(folder)), Library(), rate=Rate(1e9, 1e9))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = uvicorn.Config(make_app(table), host="127.0.0.1", port=port, log_level="error")  # type: ignore[arg-type]
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    table.wakeups.stop()
    server.should_exit = True
    thread.join(10)


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
