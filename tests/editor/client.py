"""An editor: pygls' client, which speaks to `grognard lsp` in a process of its own over real JSON-RPC."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from threading import Event, Thread
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.protocol import default_converter

WAIT = 120


class Editor:
    """A client with the questions that tests ask; texts mark the cursor by `|`."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        Thread(target=self.loop.run_forever, daemon=True).start()
        self.client = LanguageClient("tests", "1")
        self.told: dict[str, list[types.Diagnostic]] = {}
        self.news = Event()
        self.versions: dict[str, int] = {}
        self.converter = default_converter()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def take(params: types.PublishDiagnosticsParams) -> None:
            self.told[params.uri] = list(params.diagnostics)
            self.news.set()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(WAIT)

    def start(self, root: Path) -> None:
        async def begin() -> None:
            await self.client.start_io(sys.executable, "-m", "grognard.cli.main", "lsp", "--stdio")
            await self.client.initialize_async(
                types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=root.as_uri())
            )
            self.client.initialized(types.InitializedParams())

        self.run(begin())

    def stop(self) -> None:
        async def end() -> None:
            await self.client.shutdown_async(None)
            self.client.exit(None)
            await self.client.stop()

        self.run(end())
        self.loop.call_soon_threadsafe(self.loop.stop)

    def write(self, path: Path, text: str) -> None:
        """Open a file with a text, or change the whole text of an open one."""
        uri = path.as_uri()
        self.news.clear()

        async def send() -> None:
            version = self.versions[uri] = self.versions.get(uri, 0) + 1
            if version == 1:
                item = types.TextDocumentItem(uri, "grog", version, text)
                self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
            else:
                document = types.VersionedTextDocumentIdentifier(version, uri)
                change = types.TextDocumentContentChangeWholeDocument(text)
                self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

        self.run(send())

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Wait for diagnostics that say something."""
        for _ in range(WAIT * 5):
            if holds():
                return
            self.news.wait(0.2)
            self.news.clear()
        raise AssertionError(f"the diagnostics never came: {self.told}")

    def messages(self, path: Path) -> list[str]:
        return [diagnostic.message for diagnostic in self.told.get(path.as_uri(), [])]

    def ask(self, method: str, path: Path, line: int, column: int, **more: Any) -> Any:
        """A question about a place of a document."""
        request = {
            "textDocument": {"uri": path.as_uri()},
            "position": {"line": line, "character": column},
            **more,
        }
        return self.run(self._ask(method, request))

    def ask_all(self, method: str, path: Path, **more: Any) -> Any:
        """A question about a whole document."""
        return self.run(self._ask(method, {"textDocument": {"uri": path.as_uri()}, **more}))

    async def _ask(self, method: str, request: dict[str, Any]) -> Any:
        message = {"id": 0, "method": method, "jsonrpc": "2.0", "params": request}
        params = self.converter.structure(message, types.METHOD_TO_TYPES[method][0]).params
        return await self.client.protocol.send_request_async(method, params)
