"""Our places, outlines and diagnostics as the Language Server Protocol has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from grognard.compiler.editor.actions import Mend, mends
from grognard.compiler.editor.colours import LEGEND
from grognard.compiler.editor.complete import Choice
from grognard.compiler.editor.names import Place
from grognard.compiler.editor.outline import Entry
from grognard.support.diagnostics import Diagnostic, Severity
from grognard.support.source import SourceFile, Span
from lsprotocol import types

_SEVERITIES = {
    Severity.error: types.DiagnosticSeverity.Error,
    Severity.warning: types.DiagnosticSeverity.Warning,
    Severity.note: types.DiagnosticSeverity.Information,
}
_SYMBOLS = {
    "function": types.SymbolKind.Function,
    "table": types.SymbolKind.Array,
    "type": types.SymbolKind.Struct,
    "enum": types.SymbolKind.Enum,
    "event": types.SymbolKind.Event,
    "example": types.SymbolKind.Method,
    "errata": types.SymbolKind.Package,
    "change": types.SymbolKind.Operator,
    "sequence": types.SymbolKind.Module,
    "option": types.SymbolKind.Boolean,
    "phase": types.SymbolKind.Namespace,
    "field": types.SymbolKind.Field,
}
_CHOICES = {
    "field": types.CompletionItemKind.Field,
    "member": types.CompletionItemKind.EnumMember,
    "function": types.CompletionItemKind.Function,
    "type": types.CompletionItemKind.Struct,
    "variable": types.CompletionItemKind.Variable,
    "keyword": types.CompletionItemKind.Keyword,
    "section": types.CompletionItemKind.Reference,
    "value": types.CompletionItemKind.Value,
}
#: Columns as the client counts them.
Units = Callable[[str], int]
#: A path as diagnostics show it -> the file.
Absolute = Callable[[str], Path]
Lines = Callable[[Path], list[str]]


class Converter:
    """Turns columns of ours into those of the client, which may count in UTF-16."""

    def __init__(self, units: Units, lines: Lines) -> None:
        self.units = units
        self.lines = lines

    def position(self, path: Path, line: int, column: int) -> types.Position:
        lines = self.lines(path)
        text = lines[line] if 0 <= line < len(lines) else ""
        beyond = max(0, column - len(text))
        return types.Position(line, self.units(text[:column]) + beyond)

    def range(self, path: Path, place: Place) -> types.Range:
        return types.Range(
            self.position(path, place.line, place.start), self.position(path, place.line, place.end)
        )

    def span(self, path: Path, span: Span) -> types.Range:
        last = max(span.end_line, span.line)
        end = self.position(path, last - 1, span.end_column - 1)
        return types.Range(self.position(path, span.line - 1, span.column - 1), end)

    def diagnostic(self, path: Path, found: Diagnostic, absolute: Absolute) -> types.Diagnostic:
        labels = [
            types.DiagnosticRelatedInformation(
                types.Location(
                    absolute(label.span.file).as_uri(), self.span(absolute(label.span.file), label.span)
                ),
                label.text,
            )
            for label in found.labels
        ]
        text = found.message + "".join(f"\nnote: {note}" for note in found.notes)
        text += f"\nhint: {found.hint}" if found.hint else ""
        if found.span is None:
            place = types.Range(types.Position(0, 0), types.Position(0, 1))
        else:
            place = self.span(path, found.span)
        return types.Diagnostic(
            range=place,
            message=text,
            severity=_SEVERITIES[found.severity],
            code=found.code,
            source="grognard",
            related_information=labels or None,
        )

    def outline(self, path: Path, entries: Iterable[Entry]) -> list[types.DocumentSymbol]:
        lines = self.lines(path)
        made = []
        for entry in entries:
            last = min(entry.last, len(lines) - 1)
            whole = types.Range(
                types.Position(entry.first, 0), self.position(path, last, len(lines[last]) if lines else 0)
            )
            made.append(
                types.DocumentSymbol(
                    name=entry.name or "?",
                    detail=entry.detail,
                    kind=_SYMBOLS.get(entry.sort, types.SymbolKind.Struct),
                    range=whole,
                    selection_range=self.range(path, Place("", entry.first, entry.start, entry.end)),
                    children=self.outline(path, entry.children),
                )
            )
        return made

    def actions(
        self,
        path: Path,
        uri: str,
        diagnostics: Iterable[Diagnostic],
        source: SourceFile,
        wanted: types.Range,
        absolute: Absolute,
    ) -> list[types.CodeAction]:
        """The mends of the diagnostics that touch a range."""
        made: list[types.CodeAction] = []
        for diagnostic in diagnostics:
            if diagnostic.span is None:
                continue
            where = self.span(path, diagnostic.span)
            if where.end.line < wanted.start.line or where.start.line > wanted.end.line:
                continue
            made += [
                self._action(path, uri, mend, diagnostic, absolute) for mend in mends(diagnostic, source)
            ]
        return made

    def _action(
        self, path: Path, uri: str, mend: Mend, diagnostic: Diagnostic, absolute: Absolute
    ) -> types.CodeAction:
        edit = types.TextEdit(self.span(path, mend.span), mend.text)
        return types.CodeAction(
            title=mend.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[self.diagnostic(path, diagnostic, absolute)],
            is_preferred=mend.sure,
            edit=types.WorkspaceEdit(changes={uri: [edit]}),
        )


def completion(choices: Iterable[Choice]) -> types.CompletionList:
    items = [
        types.CompletionItem(
            label=choice.text,
            kind=_CHOICES.get(choice.kind),
            detail=choice.detail or None,
            sort_text=f"{choice.rank}{choice.text}",
        )
        for choice in choices
    ]
    return types.CompletionList(is_incomplete=False, items=items)


def token_numbers(words: Iterable[tuple[int, int, int, str]]) -> list[int]:
    """Semantic tokens: each relative to the one before."""
    numbers: list[int] = []
    line = column = 0
    for at_line, at_column, length, sort in words:
        start = at_column - column if at_line == line else at_column
        numbers += [at_line - line, start, length, LEGEND.index(sort), 0]
        line, column = at_line, at_column
    return numbers
