"""Starts the server, and the browser once it answers."""

from __future__ import annotations

import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn
from grognard.compiler_access import series_folder
from grognard.play.engine import BackendName
from grognard.server.app import make_app, make_table
from grognard.server.library import Library
from grognard.server.store import Store, database_in
from grognard.server.watching import Watching
from grognard.server.web import LOOPBACK

#: Seconds that open streams get to end.
GRACE = 2


def serve(
    title: str | None,
    *,
    host: str,
    port: int,
    browser: bool,
    database: str | None,
    folder: Path,
    backend: BackendName,
    tell: Callable[[str], None],
    watch: bool = False,
) -> None:
    """Serves until it is interrupted.  OSError if the port is taken."""
    library = Library(title, backend, forgiving=watch)
    store = Store(database or database_in(folder))
    local = host in LOOPBACK
    table = make_table(store, library, hosts=LOOPBACK if local else None)
    watching = None
    if watch and title is not None:
        wanted = next(iter(library.folders), title)
        folder = library.folder_of(wanted)
        watching = Watching(table, wanted, folder, tell, series_folder(folder))
        watching.begin()
    app = make_app(table, watching)
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((host, port))
    port = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/"
    if title is not None:
        wanted = next(iter(library.folders), title)
        address += f"?title={wanted}"
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE, lifespan="on",
        server_header=False,
    )  # fmt: skip
    server = uvicorn.Server(config)
    threading.Thread(target=library.warm_up, name="grognard titles", daemon=True).start()
    tell(f"The table is at {address} (Ctrl-C ends it).")
    if browser:
        threading.Thread(target=_open_browser, args=(server, address), daemon=True).start()
    server.run(sockets=[listening])


def _open_browser(server: uvicorn.Server, address: str) -> None:
    for _ in range(200):
        if server.started:
            webbrowser.open(address)
            return
        time.sleep(0.05)
