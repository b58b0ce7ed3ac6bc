"""`grognard lsp`: the language server, over standard input and output."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

from grognard.compiler.editor.colours import LEGEND, colours
from grognard.compiler.editor.complete import complete
from grognard.compiler.editor.document import Found, at, references
from grognard.compiler.editor.hover import hover, signature
from grognard.compiler.editor.meaning import Reader
from grognard.compiler.editor.names import Names, Place
from grognard.compiler.editor.outline import folds, inlays, outline
from grognard.compiler.editor.protocol import Converter, completion, token_numbers
from grognard.compiler.editor.rename import CannotRename, renamable, rename
from grognard.compiler.editor.session import OpenTitle, Session
from grognard.compiler.editor.text import Chunk, rules_text
from grognard.compiler.format.format import FormatFault, format_source
from grognard.compiler.sema.builtins import BUILTINS, SOURCES, VERBS
from grognard.support.diagnostics import Diagnostic, Sink
from grognard.support.source import SourceFile
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path


class RulesServer(LanguageServer):
    """A language server for rules and their data."""

    def __init__(self, version: str) -> None:
        super().__init__("grognard", version)
        self.session = Session(self._publish)
        self.loop: asyncio.AbstractEventLoop | None = None
        self.convert = Converter(self._units, self.lines)

    def _units(self, text: str) -> int:
        return len(text) if text.isascii() else self.workspace.position_codec.client_num_units(text)

    # ---- files

    def lines(self, path: Path) -> list[str]:
        text = self.session.texts.get(path)
        if text is None:
            try:
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                return []
        return text.split("\n")

    def path(self, uri: str) -> Path:
        found = to_fs_path(uri)
        return Path(found or uri).resolve()

    def text(self, path: Path) -> str:
        return "\n".join(self.lines(path))

    def title(self, path: Path) -> OpenTitle | None:
        return self.session.title_of(path)

    def names(self, path: Path) -> Names | None:
        title = self.title(path)
        return title.names if title is not None else None

    def settled_names(self, path: Path) -> Names | None:
        """The names of a title as its files are now."""
        title = self.title(path)
        if title is not None and title.names is None:
            self.session.settled()
        return self.names(path)

    def place(self, path: Path, position: types.Position) -> tuple[int, int]:
        """A position of the client as line and column of ours."""
        lines = self.lines(path)
        if position.line >= len(lines):
            return max(0, len(lines) - 1), len(lines[-1]) if lines else 0
        text, column = lines[position.line], position.character
        if not text.isascii():
            column = next((n for n in range(len(text) + 1) if self._units(text[:n]) >= column), len(text))
        return position.line, min(column, len(text))

    def shown(self, path: Path) -> str:
        title = self.title(path)
        return title.workspace.shown(path) if title is not None else path.name

    def absolute(self, path: Path) -> Any:
        """The function from shown paths to files, for the title of a file."""
        title = self.title(path)
        return title.workspace.absolute if title is not None else lambda shown: path

    def found(self, path: Path, position: types.Position) -> tuple[Names, Found] | None:
        """The word at a position, read from the text as it is now."""
        names = self.settled_names(path)
        if names is None:
            return None
        source = SourceFile.from_text(self.shown(path), self.text(path), path)
        found = at(names, source, *self.place(path, position))
        return (names, found) if found is not None else None

    def location(self, path: Path, place: Place) -> types.Location:
        target = self.absolute(path)(place.file)
        return types.Location(target.as_uri(), self.convert.range(target, place))

    # ---- diagnostics

    def _publish(self, path: Path, diagnostics: list[Diagnostic]) -> None:
        """Called by the thread that checks."""
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._send, path, diagnostics)

    def _send(self, path: Path, diagnostics: list[Diagnostic]) -> None:
        absolute = self.absolute(path)
        found = [self.convert.diagnostic(path, diagnostic, absolute) for diagnostic in diagnostics]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(path.as_uri(), found))


def make_server(version: str = "0") -> RulesServer:
    """The server with all that it answers."""
    server = RulesServer(version)
    _texts(server)
    _reading(server)
    _navigation(server)
    _changing(server)
    return server


def serve(version: str) -> None:
    """Answer on standard input and output until the client ends it."""
    logging.basicConfig(level=logging.ERROR)
    server = make_server(version)
    try:
        server.start_io()
    finally:
        server.session.close()


def _texts(server: RulesServer) -> None:
    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        server.loop = asyncio.get_running_loop()
        watched = [types.FileSystemWatcher("**/*.grog"), types.FileSystemWatcher("**/*.yaml")]
        files = server.client_capabilities.workspace
        dynamic = files.did_change_watched_files if files is not None else None
        if dynamic is not None and dynamic.dynamic_registration:
            options = types.DidChangeWatchedFilesRegistrationOptions(watched)
            wanted = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(types.RegistrationParams([wanted]))

    def take(uri: str) -> None:
        server.loop = server.loop or asyncio.get_running_loop()
        server.session.set_text(server.path(uri), server.workspace.get_text_document(uri).source)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        take(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        take(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.session.drop_text(server.path(params.text_document.uri))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.session.files_changed(server.path(change.uri) for change in params.changes)


def _reading(server: RulesServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @server.thread()
    def hovered(params: types.HoverParams) -> types.Hover | None:
        path = server.path(params.text_document.uri)
        here = server.found(path, params.position)
        if here is None:
            return None
        names, found = here
        text = hover(names, SourceFile.from_text(server.shown(path), server.text(path), path), found)
        if text is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content, server.convert.range(path, found.place))

    triggers = types.CompletionOptions(trigger_characters=[".", "[", "{", ":", " "])

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, triggers)
    def completed(params: types.CompletionParams) -> types.CompletionList:
        path = server.path(params.text_document.uri)
        typed = params.context.trigger_character if params.context is not None else None
        line, column = server.place(path, params.position)
        if (
            typed in (" ", ":")
            and path.suffix == ".grog"
            and not _worth_a_list(server.lines(path)[line][:column])
        ):
            return completion(())
        names = server.names(path)
        return completion(complete(names, server.shown(path), server.text(path), line, column))

    signs = types.SignatureHelpOptions(trigger_characters=["(", ","])

    @server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, signs)
    def signed(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        path = server.path(params.text_document.uri)
        line, column = server.place(path, params.position)
        chunk = rules_text(server.text(path)).chunk_at(line)
        names = server.names(path)
        if names is None or chunk is None:
            return None
        words = tuple(w for w in chunk.code if (w.line, w.end) <= (line, column))
        reader = Reader(names, server.shown(path), Chunk(chunk.first, line + 1, words))
        called = reader.callee(len(words))
        return _signature(names, *called) if called is not None else None

    legend = types.SemanticTokensLegend(list(LEGEND), [])

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def coloured(params: types.SemanticTokensParams) -> types.SemanticTokens:
        path = server.path(params.text_document.uri)
        if path.suffix != ".grog":
            return types.SemanticTokens([])
        lines = server.lines(path)
        words = []
        for line, start, length, sort in colours(server.names(path), "\n".join(lines)):
            if not lines[line].isascii():
                first = server.convert.units(lines[line][:start])
                start, length = first, server.convert.units(lines[line][: start + length]) - first
            words.append((line, start, length, sort))
        return types.SemanticTokens(token_numbers(words))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hinted(params: types.InlayHintParams) -> list[types.InlayHint]:
        path = server.path(params.text_document.uri)
        names = server.names(path)
        if names is None or path.suffix != ".grog":
            return []
        return [
            types.InlayHint(
                server.convert.position(path, line, column), label, tooltip=listed, padding_left=True
            )
            for line, column, label, listed in inlays(names, server.shown(path), server.text(path))
            if params.range.start.line <= line <= params.range.end.line
        ]


def _worth_a_list(before: str) -> bool:
    """Whether a space or colon at the end calls for a list by itself: after `is`, `in`, `do` and the like."""
    words = before.split()
    return bool(words) and words[-1] in ("is", "not", "do", "of", ":=", "->", "offer", "at", ":")


def _signature(names: Names, name: str, argument: int) -> types.SignatureHelp | None:
    entry = names.world.callables.get(name)
    record = names.world.records.get(name)
    said = None
    if entry is not None:
        label, params = signature(entry), [f"{n}: {t}" for n, t in entry.params]
    elif record is not None:
        params = [f"{n}: {t}" for n, t in record.fields.items()]
        label = f"{name}({', '.join(params)})"
    elif name in VERBS:
        verb = VERBS[name]
        label, params, said = (
            f"{name}({', '.join(verb.takes)}) -> {verb.answers}",
            list(verb.takes),
            verb.says,
        )
    elif name in SOURCES:
        source = SOURCES[name]
        label, params, said = f"{name}({', '.join(source.takes)})", list(source.takes), source.says
    elif name in BUILTINS:
        form = BUILTINS[name].form
        params = [part.strip() for part in form.partition("(")[2].rpartition(")")[0].split(",")]
        label, said = form, BUILTINS[name].says
    else:
        return None
    shown = types.SignatureInformation(label, said, [types.ParameterInformation(param) for param in params])
    return types.SignatureHelp([shown], 0, min(argument, max(0, len(params) - 1)))


def _navigation(server: RulesServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    @server.thread()
    def defined(params: types.DefinitionParams) -> list[types.Location]:
        path = server.path(params.text_document.uri)
        here = server.found(path, params.position)
        if here is None:
            return []
        names, found = here
        places: list[Place] = []
        for meaning in found.meanings:
            symbol = meaning.symbol
            if symbol.sort == "local":
                file, line, start = symbol.owner.rsplit(":", 2)
                places.append(Place(file, int(line), int(start), int(start) + len(symbol.name)))
            elif (declared := names.declared(symbol)) is not None:
                places.append(declared)
        return [server.location(path, place) for place in dict.fromkeys(places)]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    @server.thread()
    def referred(params: types.ReferenceParams) -> list[types.Location]:
        path = server.path(params.text_document.uri)
        server.session.settled()
        here = server.found(path, params.position)
        if here is None:
            return []
        names, found = here
        places: dict[Place, None] = {}
        for meaning in found.meanings:
            declared = names.declared(meaning.symbol)
            for place in references(names, meaning.symbol):
                if params.context.include_declaration or place != declared:
                    places[place] = None
        return [server.location(path, place) for place in places]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    @server.thread()
    def highlighted(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        path = server.path(params.text_document.uri)
        here = server.found(path, params.position)
        if here is None or path.suffix != ".grog":
            return []
        names, found = here
        shown = server.shown(path)
        places = {p: None for m in found.meanings for p in references(names, m.symbol) if p.file == shown}
        return [types.DocumentHighlight(server.convert.range(path, place)) for place in places]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outlined(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        path = server.path(params.text_document.uri)
        return server.convert.outline(path, outline(server.text(path))) if path.suffix == ".grog" else []

    @server.feature(types.WORKSPACE_SYMBOL)
    def searched(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        found: list[types.SymbolInformation] = []
        query = params.query.lower()
        for title in list(server.session.titles.values()):
            for file, source in title.names.sources.items() if title.names is not None else ():
                path = title.workspace.absolute(file)
                for symbol in (
                    server.convert.outline(path, outline(source.text)) if file.endswith(".grog") else ()
                ):
                    if query in symbol.name.lower():
                        where = types.Location(path.as_uri(), symbol.selection_range)
                        found.append(
                            types.SymbolInformation(where, symbol.name, symbol.kind, container_name=file)
                        )
        return found[:500]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folded(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        path = server.path(params.text_document.uri)
        if path.suffix != ".grog":
            return []
        return [
            types.FoldingRange(first, last, kind=types.FoldingRangeKind(sort))
            for first, last, sort in folds(server.text(path))
        ]


def _changing(server: RulesServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    @server.thread()
    def prepared(params: types.PrepareRenameParams) -> types.Range | None:
        path = server.path(params.text_document.uri)
        here = server.found(path, params.position)
        try:
            renamable(here[1] if here is not None else None)
        except CannotRename as reason:
            raise JsonRpcInvalidParams(str(reason)) from reason
        assert here is not None
        return server.convert.range(path, here[1].place)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    @server.thread()
    def renamed(params: types.RenameParams) -> types.WorkspaceEdit:
        path = server.path(params.text_document.uri)
        server.session.settled()
        here, title = server.found(path, params.position), server.title(path)
        try:
            symbol = renamable(here[1] if here is not None else None)
            assert here is not None and title is not None
            if title.unfinished:
                raise CannotRename("some rules cannot be read yet: mend the errors of syntax first")
            places = rename(here[0], title.workspace, symbol, params.new_name)
        except CannotRename as reason:
            raise JsonRpcInvalidParams(str(reason)) from reason
        changes = {}
        for file, found in places.items():
            target = title.workspace.absolute(file)
            edits = [types.TextEdit(server.convert.range(target, place), params.new_name) for place in found]
            changes[target.as_uri()] = edits
        return types.WorkspaceEdit(changes=changes)

    fixes = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, fixes)
    def mended(params: types.CodeActionParams) -> list[types.CodeAction]:
        path = server.path(params.text_document.uri)
        source = SourceFile.from_text(server.shown(path), server.text(path), path)
        return server.convert.actions(
            path,
            params.text_document.uri,
            server.session.diagnostics_of(path),
            source,
            params.range,
            server.absolute(path),
        )

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    @server.thread()
    def formatted(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        path = server.path(params.text_document.uri)
        if path.suffix != ".grog":
            return []
        text = server.text(path)
        source = SourceFile.from_text(server.shown(path), text, path)
        try:
            made = format_source(source, Sink())
        except FormatFault:
            made = None
        if made is None or made == text:
            return []
        lines = text.split("\n")
        end = server.convert.position(path, len(lines) - 1, len(lines[-1]))
        return [types.TextEdit(types.Range(types.Position(0, 0), end), made)]
