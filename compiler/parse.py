"""Source text -> syntax tree.

lark's LALR parser does the work; the transformer below gives the nodes their names.  After a syntax error the good
declarations of a file are kept, so that the other passes can still say what is wrong with them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from threading import Lock
from typing import Any, ClassVar

import lark
from grognard.compiler import syntax as syn
from grognard.compiler.diagnostics import Sink
from grognard.compiler.rows import read_row
from grognard.compiler.source import SourceFile, Span, nesting_ok
from grognard.compiler.syntaxerrors import explain
from grognard.compiler.treecache import content_key, read_entry, store_tree, write_entry
from grognard.grammar import grammar_text
from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError, Indenter
from lark.tree import Meta

#: A title has some hundreds; the limit keeps the time of a check bounded, whoever wrote it.
MAX_DECLARATIONS = 8_000
#: Legs of a route, unless its movement says otherwise, and the most that it can say.
DEFAULT_LEGS = 16
MAX_LEGS = 120
_AT_MARGIN = re.compile(r"^[^\s#|)}]", re.MULTILINE)


#: lark keeps the indentation of the file being read in the parser, which all threads share.
_ONE_AT_A_TIME = Lock()


class _Indenter(Indenter):
    NL_type = "_NL"
    OPEN_PAREN_types: ClassVar[list[str]] = ["LPAR", "LBRACE"]
    CLOSE_PAREN_types: ClassVar[list[str]] = ["RPAR", "RBRACE"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The parser, its tables kept on disk between runs (building them takes longer than reading a title)."""
    text = grammar_text()
    key = content_key([text, lark.__version__])
    found = read_entry(f"grammar-{key}")
    if found is not None:
        try:
            return Lark.load(BytesIO(found))
        except Exception:
            # Truncated or from another version: all the same, it is only a cache.
            pass
    made = Lark(text, parser="lalr", postlex=_Indenter(), propagate_positions=True, maybe_placeholders=True)
    out = BytesIO()
    made.save(out)
    write_entry(f"grammar-{key}", out.getvalue())
    return made


def parse(source: SourceFile, sink: Sink) -> syn.FileTree | None:
    """The tree of a file; after syntax errors (which are in the sink) that of its good declarations.

    None if what remains makes no sense by itself.
    """
    with _ONE_AT_A_TIME:
        return _parse(source, sink)


def _parse(source: SourceFile, sink: Sink) -> syn.FileTree | None:
    if not nesting_ok(source, sink):
        return None
    if len(_AT_MARGIN.findall(source.text)) > MAX_DECLARATIONS:
        sink.error("GR0006", None, f"`{source.path}` has more than {MAX_DECLARATIONS:,} declarations")
        return None
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    try:
        tree = parser().parse(text)
    except (UnexpectedInput, DedentError) as error:
        broken = explain(source, text, parser(), error, sink)
        sink.muted |= broken.names
        if broken.data:
            return None
        return syn.FileTree(
            source.path,
            tuple(d for part, offset in broken.trees for d in _build(source, part, sink, offset)[0]),
        )
    decls, good = _build(source, tree, sink)
    made = syn.FileTree(source.path, decls)
    if good:
        store_tree(source, made)
    return made


def _build(source: SourceFile, tree: Any, sink: Sink, offset: int = 0) -> tuple[tuple[syn.Decl, ...], bool]:
    """The declarations of a parse tree without the malformed ones, and whether all were good."""
    made: list[syn.Decl] = []
    good = True
    transformer = _ToSyntax(source, sink, offset)
    for part in tree.children:
        if isinstance(part, Token):
            continue
        try:
            made.append(transformer.transform(part))
        except VisitError as error:
            if not isinstance(error.orig_exc, _Malformed):
                raise
            problem = error.orig_exc
            sink.error(problem.code, problem.span, problem.message, hint=problem.hint)
            sink.muted |= {str(token) for token in part.children if isinstance(token, Token)}
            good = False
    return tuple(made), good


class _Malformed(Exception):
    def __init__(self, code: str, span: Span, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.span, self.message, self.hint = code, span, message, hint


# ------------------------------------------------------------------------------------------- transformer


def _binary(op: str) -> Any:
    def method(self: Any, meta: Meta, c: list[Any]) -> syn.BinaryExpr:
        return syn.BinaryExpr(op, c[0], c[1], self._span(meta))

    return method


def _tail(name: str) -> Any:
    def method(self: Any, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return (name, c[0] if c else True)

    return method


@v_args(meta=True)
class _ToSyntax(Transformer[Any, Any]):
    """One method per production of the grammar; no meaning is decided here."""

    def __init__(self, source: SourceFile, sink: Sink, offset: int = 0) -> None:
        super().__init__()
        self._source = source
        self._sink = sink
        self._offset = offset  # lines of the file before what was parsed

    # ---- helpers

    def _span(self, meta: Meta | Token) -> Span:
        line = getattr(meta, "line", None)
        if line is None:
            return Span(self._source.path, 1, 1, 1, 1)
        column = meta.column or 1
        end_line, end_column = (meta.end_line or line) + self._offset, meta.end_column or column
        line += self._offset
        if end_line > line:
            # A statement's span includes its line break: show its first line only.
            end_line, end_column = line, len(self._source.line(line)) + 1
        return Span(self._source.path, line, column, end_line, max(end_column, column + 1))

    @staticmethod
    def _text(token: Token | None) -> str:
        return "" if token is None else str(token)[1:-1]

    def _words(self, parts: Sequence[Any]) -> list[str]:
        return [str(p) for p in parts if isinstance(p, Token)]

    def start(self, meta: Meta, c: list[Any]) -> list[Any]:
        return [d for d in c if not isinstance(d, Token)]

    def cites(self, meta: Meta, c: list[Any]) -> syn.Cites:
        if not c:
            return syn.NO_CITES
        ids: list[str] = []
        for token in c:
            inner = str(token)[1:-1]
            parts = [part.strip() for part in inner.split(",")]
            if not inner.strip() or not all(parts):
                raise _Malformed(
                    "GR0108", self._span(token), "a citation is empty", "write [7.1] or [7.1, 7.2]"
                )
            ids += parts
        return syn.Cites(tuple(ids), self._span(c[0]))

    def block(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        result: list[Any] = []
        for part in c:
            if isinstance(part, _Line):
                result += part.statements
            else:
                result.append(part)
        return tuple(result)

    def line(self, meta: Meta, c: list[Any]) -> _Line:
        *simple, cites = c
        return _Line(tuple(_cited(s, cites) for s in simple))

    def empty_body(self, meta: Meta, c: list[Any]) -> None:
        return None

    # ---- expressions

    def name(self, meta: Meta, c: list[Any]) -> syn.Name:
        return syn.Name(str(c[0]), self._span(meta))

    def number(self, meta: Meta, c: list[Any]) -> syn.Number:
        if len(c[0]) > 9:
            raise _Malformed(
                "GR0107", self._span(c[0]), f"{c[0]} is too large", "numbers have at most nine digits"
            )
        return syn.Number(str(c[0]), self._span(meta))

    def string(self, meta: Meta, c: list[Any]) -> syn.Text:
        return syn.Text(self._text(c[0]), self._span(meta))

    def none(self, meta: Meta, c: list[Any]) -> syn.NoneLit:
        return syn.NoneLit(self._span(meta))

    def yes(self, meta: Meta, c: list[Any]) -> syn.FlagLit:
        return syn.FlagLit(True, self._span(meta))

    def no(self, meta: Meta, c: list[Any]) -> syn.FlagLit:
        return syn.FlagLit(False, self._span(meta))

    def dot(self, meta: Meta, c: list[Any]) -> syn.Dot:
        if isinstance(c[0], syn.Number) and str(c[1]).isdigit():
            raise _Malformed(
                "GR0107",
                self._span(meta),
                "there are no fractions",
                "write halves with rounding: `x * 3 / 2 rounded down`",
            )
        return syn.Dot(c[0], str(c[1]), self._span(c[1]), self._span(meta))

    def named_arg(self, meta: Meta, c: list[Any]) -> syn.NamedArg:
        return syn.NamedArg(str(c[0]), c[1], self._span(meta))

    named = named_arg

    def args(self, meta: Meta, c: list[Any]) -> list[Any]:
        return c

    def call(self, meta: Meta, c: list[Any]) -> syn.CallExpr:
        return self._call(c[0], c[1] or [], self._span(meta))

    def _call(self, callee: syn.Expr, args: list[Any], span: Span) -> syn.CallExpr:
        plain = tuple(a for a in args if not isinstance(a, syn.NamedArg))
        named = tuple(a for a in args if isinstance(a, syn.NamedArg))
        return syn.CallExpr(callee, plain, named, span)

    def agg_call(self, meta: Meta, c: list[Any]) -> syn.CallExpr:
        return self._call(syn.Name(str(c[0]), self._span(c[0])), c[1], self._span(meta))

    def agg_each(self, meta: Meta, c: list[Any]) -> tuple[str, str, Any]:
        return ("each", "", c[0])

    def agg_by(self, meta: Meta, c: list[Any]) -> tuple[str, str, Any]:
        return ("by", str(c[0]) if len(c) > 1 else "highest", c[-1])

    def aggregate(self, meta: Meta, c: list[Any]) -> syn.AggregateExpr:
        op, var, source, where, tail = c
        value = tail[2] if tail and tail[0] == "each" else None
        key = tail[2] if tail and tail[0] == "by" else None
        rank = tail[1] if tail and tail[0] == "by" else "highest"
        return syn.AggregateExpr(
            str(op), str(var), source, where, value, key, rank, self._span(var), self._span(meta)
        )

    def items(self, meta: Meta, c: list[Any]) -> syn.Items:
        return syn.Items(tuple(c), self._span(meta))

    def set_literal(self, meta: Meta, c: list[Any]) -> syn.SetLiteral:
        return syn.SetLiteral(tuple(c[0] or ()), self._span(meta))

    def as_of_mark(self, meta: Meta, c: list[Any]) -> syn.AsOf:
        return syn.AsOf(c[0], str(c[1]), self._span(meta))

    def ternary(self, meta: Meta, c: list[Any]) -> syn.Ternary:
        return syn.Ternary(c[1], c[0], c[2], self._span(meta))

    def range(self, meta: Meta, c: list[Any]) -> syn.RangeExpr:
        return syn.RangeExpr(c[0], c[1], self._span(meta))

    op_or, op_and = _binary("or"), _binary("and")
    op_is, op_is_not = _binary("is"), _binary("is_not")
    op_lt, op_le, op_gt, op_ge = _binary("lt"), _binary("le"), _binary("gt"), _binary("ge")
    op_in, op_not_in = _binary("in"), _binary("not_in")
    op_add, op_sub, op_mul, op_mod = _binary("add"), _binary("sub"), _binary("mul"), _binary("mod")

    def op_div(self, meta: Meta, c: list[Any]) -> syn.BinaryExpr:
        return syn.BinaryExpr(_ROUNDING[str(c[2])], c[0], c[1], self._span(meta))

    def op_half(self, meta: Meta, c: list[Any]) -> syn.BinaryExpr:
        span = self._span(meta)
        return syn.BinaryExpr(_ROUNDING[str(c[1])], c[0], syn.Number("2", span), span)

    def op_not(self, meta: Meta, c: list[Any]) -> syn.UnaryExpr:
        return syn.UnaryExpr("not", c[0], self._span(meta))

    def op_neg(self, meta: Meta, c: list[Any]) -> syn.UnaryExpr:
        return syn.UnaryExpr("neg", c[0], self._span(meta))

    def op_pos(self, meta: Meta, c: list[Any]) -> syn.Expr:
        return c[0]

    # ---- types

    def type(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        optional = isinstance(c[-1], Token)
        parts = c[:-1] if optional else c
        span = self._span(meta)
        if len(parts) > 1:
            return syn.TypeExpr("union", None, None, 0, optional, span, tuple(parts))
        return replace(parts[0], optional=optional, span=span)

    def type_shape(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        sort, *types, result = c
        parts = tuple(part for part in types if part is not None)
        base = syn.Name(str(sort), self._span(sort))
        return syn.TypeExpr("shape", base, result, 0, False, self._span(meta), parts)

    def type_set(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        return syn.TypeExpr("set", None, c[0], 0, False, self._span(meta))

    def type_list(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        return syn.TypeExpr("list", None, c[0], int(c[1]), False, self._span(meta))

    def type_name(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        return syn.TypeExpr("name", syn.Name(str(c[0]), self._span(c[0])), None, 0, False, self._span(meta))

    def type_expr(self, meta: Meta, c: list[Any]) -> syn.TypeExpr:
        return syn.TypeExpr("plain", c[0], None, 0, False, self._span(meta))

    # ---- fields

    def field_name(self, meta: Meta, c: list[Any]) -> tuple[str, tuple[Any, ...], Span]:
        return (str(c[0]), tuple(a for a in c[1:] if a is not None), self._span(c[0]))

    def field_names(self, meta: Meta, c: list[Any]) -> list[Any]:
        return c

    def reset_at(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("reset_at", str(c[0]))

    def per_unit(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("per", str(c[0]))

    def follows(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("follows", str(c[0]))

    def clamped(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        if str(c[0]) != "clamped":
            raise _Malformed(
                "GR0101",
                self._span(meta),
                f"`{c[0]}` is for the axes of tables",
                hint="a field is `clamped` at both ends",
            )
        return ("clamped", True)

    def to_owner(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("to_owner", c[0] if c else None)

    def field_item(self, meta: Meta, c: list[Any]) -> list[syn.FieldDecl]:
        marks = {str(t) for t in c if isinstance(t, Token)}
        parts = [p for p in c if not isinstance(p, Token)]
        names, kind, default, *lives, cites = parts
        life = dict(lives)
        secret = "secret" in marks
        if "to_owner" in life and not secret:
            raise _Malformed("GR0101", self._span(meta), "`to owner` belongs to a `secret` field")
        return [
            syn.FieldDecl(
                name,
                axes,
                kind,
                default,
                secret,
                life.get("to_owner"),
                "state" in marks,
                False,
                "clamped" in life,
                life.get("reset_at"),
                life.get("per"),
                life.get("follows"),
                cites,
                span,
            )
            for name, axes, span in names
        ]

    def secret_all(self, meta: Meta, c: list[Any]) -> syn.SecretAll:
        return syn.SecretAll(c[0], c[-1], self._span(meta))

    def secret_type(self, meta: Meta, c: list[Any]) -> syn.SecretAll:
        return syn.SecretAll(c[0], c[-1], self._span(meta), only_type=True)

    def field_line(self, meta: Meta, c: list[Any]) -> list[Any]:
        result: list[Any] = []
        for item in c:
            result += item if isinstance(item, list) else [item]
        return result

    def edge_line(self, meta: Meta, c: list[Any]) -> list[syn.FieldDecl]:
        state = isinstance(c[0], Token)
        names, kind, default, cites = c[1:] if state else c
        return [
            syn.FieldDecl(
                name, axes, kind, default, False, None, state, True, False, None, None, None, cites, span
            )
            for name, axes, span in names
        ]

    def field_block(self, meta: Meta, c: list[Any]) -> tuple[str, list[Any]]:
        return ("fields", _flat(c))

    def rows(self, meta: Meta, c: list[Any]) -> tuple[str, list[syn.Row]]:
        return ("rows", [self._row(token) for token in c])

    def _row(self, token: Token) -> syn.Row:
        raw = str(token)
        body = raw.lstrip("\r\n")
        line = self._offset + (token.line or 1) + raw[: len(raw) - len(body)].count("\n")
        return read_row(self._source.path, line, body)

    # ---- data declarations

    def header(self, meta: Meta, c: list[Any]) -> syn.Header:
        sort, name, *rest = c
        cites = rest[-1]
        title = next((self._text(t) for t in rest[:-1] if isinstance(t, Token) and t.type == "STRING"), "")
        of = next((str(t) for t in rest[:-1] if isinstance(t, Token) and t.type == "NAME"), None)
        return syn.Header(str(sort), str(name), title, of, cites, self._span(meta))

    def include(self, meta: Meta, c: list[Any]) -> syn.Include:
        return syn.Include(self._text(c[0]), self._span(meta))

    def by_design(self, meta: Meta, c: list[Any]) -> syn.ByDesign:
        return syn.ByDesign(self._text(c[1]) if len(c) > 1 else "", c[0], self._span(meta))

    def member(self, meta: Meta, c: list[Any]) -> syn.Member:
        return syn.Member(str(c[0]), self._text(c[1]) if len(c) > 1 else "", self._span(meta))

    def members(self, meta: Meta, c: list[Any]) -> tuple[syn.Member, ...]:
        return tuple(c)

    def enum_decl(self, meta: Meta, c: list[Any]) -> syn.EnumDecl:
        name, cites, members, more = c
        return syn.EnumDecl(str(name), members, _both(cites, more), self._span(meta))

    def kind_decl(self, meta: Meta, c: list[Any]) -> syn.KindDecl:
        name, parent, source, cites, body = c
        rows = tuple(body[1]) if body and body[0] == "rows" else ()
        fields = tuple(body[1]) if body and body[0] == "fields" else ()
        return syn.KindDecl(
            str(name),
            str(parent) if parent else None,
            self._text(source) if source else None,
            rows,
            fields,
            False,
            cites,
            self._span(meta),
        )

    def powers_decl(self, meta: Meta, c: list[Any]) -> syn.KindDecl:
        name, source, cites, body = c
        rows = tuple(body[1]) if body and body[0] == "rows" else ()
        fields = tuple(body[1]) if body and body[0] == "fields" else ()
        return syn.KindDecl(
            str(name),
            None,
            self._text(source) if source else None,
            rows,
            fields,
            True,
            cites,
            self._span(meta),
        )

    def sides_decl(self, meta: Meta, c: list[Any]) -> syn.SidesDecl:
        return syn.SidesDecl(c[0], c[1], self._span(meta))

    def class_block(self, meta: Meta, c: list[Any]) -> syn.ClassDecl:
        name, cites, *lines = c
        return syn.ClassDecl(str(name), tuple(_flat(lines)), cites, self._span(meta))

    def space_decl(self, meta: Meta, c: list[Any]) -> syn.SpaceDecl:
        name, place, sort, source, cites, *items = c
        fields = _flat(i for i in items if isinstance(i, list))
        classes = tuple(i for i in items if isinstance(i, syn.ClassDecl))
        return syn.SpaceDecl(
            str(name),
            str(place) if place else None,
            str(sort),
            self._text(source) if source else None,
            tuple(fields),
            classes,
            cites,
            self._span(meta),
        )

    def interchangeable(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("interchangeable", True)

    def up_to(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("up_to", c[0])

    def _piece(
        self, meta: Meta, name: Token, kind: Token | None, rest: list[Any], record: bool
    ) -> syn.PieceDecl:
        marks: dict[str, Any] = dict(p for p in rest if isinstance(p, tuple))
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        fields = _flat(p for p in rest if isinstance(p, list))
        marks_secret = [f for f in fields if isinstance(f, syn.SecretAll)]
        secret = next((f for f in marks_secret if not f.only_type), None)
        return syn.PieceDecl(
            str(name),
            str(kind) if kind else None,
            record,
            "interchangeable" in marks,
            marks.get("up_to"),
            tuple(f for f in fields if isinstance(f, syn.FieldDecl)),
            secret,
            marks.get("reset_at"),
            cites,
            self._span(meta),
            next((f for f in marks_secret if f.only_type), None),
        )

    def piece_decl(self, meta: Meta, c: list[Any]) -> syn.PieceDecl:
        return self._piece(meta, c[0], c[1], c[2:], False)

    def record_decl(self, meta: Meta, c: list[Any]) -> syn.PieceDecl:
        return self._piece(meta, c[0], None, c[1:], True)

    def state_names(self, meta: Meta, c: list[Any]) -> tuple[syn.Name, ...]:
        return tuple(syn.Name(str(t), self._span(t)) for t in c)

    def states_line(self, meta: Meta, c: list[Any]) -> syn.StatesLine:
        return syn.StatesLine(c[0], c[1], c[2], self._span(meta))

    def states_decl(self, meta: Meta, c: list[Any]) -> syn.StatesDecl:
        piece, owned, cites, *lines = c
        return syn.StatesDecl(str(piece), str(owned), tuple(lines), cites, self._span(meta))

    # ---- forms

    def form_column(self, meta: Meta, c: list[Any]) -> list[syn.FieldDecl]:
        return self.edge_line(meta, c)

    def form_require(self, meta: Meta, c: list[Any]) -> syn.RequireStmt:
        return syn.RequireStmt(c[0], self._text(c[1]) if c[1] else "", c[2], self._span(meta))

    def _form_field(
        self, meta: Meta, name: Token, tails: list[Any], cites: Any, **more: Any
    ) -> syn.FormField:
        self._once_each(meta, tails)
        tail = dict(tails)
        if "to" in tail and "route" not in more:
            raise _Malformed("GR0101", self._span(meta), "`to` belongs to a route: `name: along ... to ...`")
        return syn.FormField(
            str(name),
            more.get("type"),
            more.get("source"),
            more.get("value"),
            more.get("route"),
            tail.get("to"),
            tail.get("where"),
            tail.get("up_to"),
            tail.get("label", ""),
            cites,
            self._span(name),
        )

    def form_field(self, meta: Meta, c: list[Any]) -> syn.FormField:
        name, kind, source, value, *tails, cites = c
        return self._form_field(meta, name, tails, cites, type=kind, source=source, value=value)

    def form_route(self, meta: Meta, c: list[Any]) -> syn.FormField:
        name, use, *tails, cites = c
        for key, _ in tails:
            if key in ("where", "up_to"):
                raise _Malformed(
                    "GR0101",
                    self._span(meta),
                    f"a route has no `{key.replace('_', ' ')}`",
                    "what a route must satisfy is said by its movement",
                )
        return self._form_field(meta, name, tails, cites, route=use)

    def form_member(self, meta: Meta, c: list[Any]) -> syn.FormMember:
        name, *rest = c
        title = next((self._text(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        columns = tuple(p for p in rest if isinstance(p, syn.NamedArg))
        body = tuple(p for p in rest if isinstance(p, syn.RequireStmt | syn.FormField))
        return syn.FormMember(str(name), title, columns, body, cites, self._span(meta))

    def form_decl(self, meta: Meta, c: list[Any]) -> syn.FormDecl:
        name, *rest = c
        return syn.FormDecl(
            str(name),
            tuple(p for p in rest if isinstance(p, syn.Param)),
            tuple(_flat(p for p in rest if isinstance(p, list))),
            tuple(p for p in rest if isinstance(p, syn.FormMember)),
            tuple(p for p in rest if isinstance(p, syn.RequireStmt | syn.FormField)),
            next(p for p in rest if isinstance(p, syn.Cites)),
            self._span(meta),
        )

    def add_form(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *parts = c
        flat = [item for part in parts for item in (part if isinstance(part, list) else [part])]
        return self._add(meta, "form", str(name), cites, parts=flat)

    def game_decl(self, meta: Meta, c: list[Any]) -> syn.OwnerDecl:
        return syn.OwnerDecl("game", tuple(_flat(c[1:])), c[0], self._span(meta))

    def each_decl(self, meta: Meta, c: list[Any]) -> syn.OwnerDecl:
        return syn.OwnerDecl(str(c[0]), tuple(_flat(c[2:])), c[1], self._span(meta))

    def bag_decl(self, meta: Meta, c: list[Any]) -> syn.BagDecl:
        _sort, name, var, kind, where, copies, cites = c
        return syn.BagDecl(
            str(name),
            str(var),
            str(kind),
            where,
            copies,
            cites,
            self._span(meta),
        )

    def relation_decl(self, meta: Meta, c: list[Any]) -> syn.RelationDecl:
        name, left, right, *rest = c
        life: dict[str, Any] = dict(p for p in rest if isinstance(p, tuple))
        mutual = any(isinstance(p, Token) for p in rest)
        return syn.RelationDecl(
            str(name), str(left), str(right), mutual, life.get("reset_at"), rest[-1], self._span(meta)
        )

    def option_decl(self, meta: Meta, c: list[Any]) -> syn.OptionDecl:
        name, *rest = c
        cites, default = rest[-1], rest[-2]
        title = next((self._text(p) for p in rest if isinstance(p, Token) and p.type == "STRING"), "")
        values = next((p for p in rest if isinstance(p, tuple)), ())
        return syn.OptionDecl(str(name), title, values, str(default), cites, self._span(meta))

    def set_option(self, meta: Meta, c: list[Any]) -> syn.SetOption:
        return syn.SetOption(str(c[0]), str(c[1]), c[2], self._span(meta))

    def die_decl(self, meta: Meta, c: list[Any]) -> syn.DieDecl:
        name, *faces, cites = c
        whole = faces[0] if len(faces) == 1 else syn.Items(tuple(faces), self._span(meta))
        return syn.DieDecl(str(name), whole, cites, self._span(meta))

    def event_decl(self, meta: Meta, c: list[Any]) -> syn.EventDecl:
        return syn.EventDecl(str(c[0]), c[1], c[2], self._span(meta))

    # ---- tables, lists, rules

    def param(self, meta: Meta, c: list[Any]) -> syn.Param:
        return syn.Param(str(c[0]), c[1], self._span(meta))

    def params(self, meta: Meta, c: list[Any]) -> tuple[syn.Param, ...]:
        return tuple(p for p in c if p is not None)

    def axis(self, meta: Meta, c: list[Any]) -> syn.Axis:
        name, kind, *clamp = c
        return syn.Axis(str(name) if name else "", kind, str(clamp[0]) if clamp else "", self._span(meta))

    def table_decl(self, meta: Meta, c: list[Any]) -> syn.TableDecl:
        name, *rest = c
        axes = tuple(p for p in rest if isinstance(p, syn.Axis))
        result = next(p for p in rest if isinstance(p, syn.TypeExpr))
        source = next((self._text(p) for p in rest if isinstance(p, Token) and p.type == "STRING"), None)
        rows = tuple(self._row(p) for p in rest if isinstance(p, Token) and p.type == "ROW")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        return syn.TableDecl(str(name), axes, result, source, rows, cites, self._span(meta))

    def when(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("when", c[0])

    def once(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("once", str(c[0]))

    def _entry(self, meta: Meta, sort: str, c: list[Any], **more: Any) -> syn.Entry:
        tails: dict[str, Any] = dict(p for p in c if isinstance(p, tuple))
        strings = [self._text(p) for p in c if isinstance(p, Token) and p.type == "STRING"]
        return syn.Entry(
            sort,
            more.get("value"),
            strings[0] if strings and sort != "without" else "",
            tuple(strings) if sort == "without" else (),
            more.get("numerator", 1),
            more.get("denominator", 1),
            more.get("rounding", ""),
            tails.get("when"),
            tails.get("once"),
            syn.NO_CITES,
            self._span(meta),
        )

    def entry_add(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "add", c[1:], value=c[0])

    def entry_set(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "set", c[1:], value=c[0])

    def entry_half(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "times", c[1:], numerator=1, denominator=2, rounding=str(c[0]))

    def entry_times(self, meta: Meta, c: list[Any]) -> syn.Entry:
        ints = [int(p) for p in c if isinstance(p, Token) and p.type == "INT"]
        rounding = next((str(p) for p in c if isinstance(p, Token) and p.type == "UPDOWN"), "down")
        return self._entry(
            meta,
            "times",
            c,
            numerator=ints[0],
            denominator=ints[1] if len(ints) > 1 else 1,
            rounding=rounding,
        )

    def entry_without(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "without", c)

    def entry_bar(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "bar", c)

    def entry_least(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "least", c[1:], value=c[0])

    def entry_most(self, meta: Meta, c: list[Any]) -> syn.Entry:
        return self._entry(meta, "most", c[1:], value=c[0])

    def entry_line(self, meta: Meta, c: list[Any]) -> list[syn.Entry]:
        *entries, cites = c
        return [_cited(e, cites) for e in entries]

    def modifiers_decl(self, meta: Meta, c: list[Any]) -> syn.ModifiersDecl:
        name, params, result, cites, *lines = c
        return syn.ModifiersDecl(str(name), params, result, tuple(_flat(lines)), cites, self._span(meta))

    def rule_inline(self, meta: Meta, c: list[Any]) -> tuple[syn.Stmt, ...]:
        return (syn.CaseStmt(c[0], None, c[1], self._span(meta)),)

    def case_stmt(self, meta: Meta, c: list[Any]) -> syn.CaseStmt:
        return syn.CaseStmt(c[0], c[1] if len(c) > 2 else None, c[-1], self._span(meta))

    def rule_decl(self, meta: Meta, c: list[Any]) -> syn.RuleDecl:
        name, params, result, cites, body = c
        return syn.RuleDecl(str(name), params, result, body, cites, self._span(meta))

    def order_before(self, meta: Meta, c: list[Any]) -> tuple[str, tuple[str, ...]]:
        return ("before", tuple(self._text(name) for name in c))

    def order_after(self, meta: Meta, c: list[Any]) -> tuple[str, tuple[str, ...]]:
        return ("after", tuple(self._text(name) for name in c))

    def exception_decl(self, meta: Meta, c: list[Any]) -> syn.ExceptionDecl:
        body, cites = c[-1], c[-2]
        head = c[:-2]
        label = next((self._text(p) for p in head if isinstance(p, Token) and p.type == "STRING"), "")
        target_at = next(n for n, p in enumerate(head) if isinstance(p, Token) and p.type == "NAME")
        order: dict[str, tuple[str, ...]] = {"before": (), "after": ()}
        for word, names in (p for p in head if isinstance(p, tuple)):
            order[word] += names
        return syn.ExceptionDecl(
            label,
            str(head[target_at]),
            head[target_at + 1],
            order["before"],
            order["after"],
            body,
            cites,
            self._span(meta),
        )

    # ---- doing things

    def procedure_decl(self, meta: Meta, c: list[Any]) -> syn.ProcedureDecl:
        name, params, result, cites, body = c
        return syn.ProcedureDecl(str(name), params, result, body, cites, self._span(meta))

    def action_decl(self, meta: Meta, c: list[Any]) -> syn.ActionDecl:
        name, params, *title, cites, body = c
        return syn.ActionDecl(
            str(name), params, self._text(title[0]) if title else "", body, cites, self._span(meta)
        )

    def use(self, meta: Meta, c: list[Any]) -> syn.Use:
        *names, args = c
        return syn.Use(".".join(str(name) for name in names), tuple(args or ()), self._span(meta))

    def use_list(self, meta: Meta, c: list[Any]) -> tuple[syn.Use, ...]:
        return tuple(c)

    def menu_line(self, meta: Meta, c: list[Any]) -> syn.MenuItem:
        return syn.MenuItem(c[0], c[1], c[2], self._span(meta))

    def menu_decl(self, meta: Meta, c: list[Any]) -> syn.MenuDecl:
        name, params, cites, *items = c
        return syn.MenuDecl(str(name), params, tuple(items), cites, self._span(meta))

    def on_decl(self, meta: Meta, c: list[Any]) -> syn.OnDecl:
        name, *middle, condition, cites, body = c
        event = str(name)
        if name.type == "ON_ROLL":
            event, middle = f"{name} {middle[0]}", middle[1:]
        return syn.OnDecl(
            event,
            tuple(str(n) for n in middle if n is not None),
            condition,
            body,
            cites,
            self._span(meta),
        )

    def on_change(self, meta: Meta, c: list[Any]) -> syn.OnChangeDecl:
        first, second, param, condition, cites, body = c
        span = self._span(meta)
        if (second is None) != (param is None) or (param is not None and param.name != str(first)):
            raise _Malformed(
                "GR0101",
                span,
                "say whose field it is",
                f"on {first}.{second} changes, {first}: Unit" if second else f"on {first} changes",
            )
        return syn.OnChangeDecl(param, str(second or first), condition, body, cites, span)

    # ---- statements

    def elif_part(self, meta: Meta, c: list[Any]) -> tuple[Any, Any]:
        return (c[0], _cite_block(c[2], c[1]))

    def else_part(self, meta: Meta, c: list[Any]) -> tuple[None, Any]:
        return (None, _cite_block(c[1], c[0]))

    def if_stmt(self, meta: Meta, c: list[Any]) -> syn.IfStmt:
        condition, cites, body, *rest = c
        arms = [(condition, body)] + [(cond, block) for cond, block in rest if cond is not None]
        otherwise = next((block for cond, block in rest if cond is None), ())
        return syn.IfStmt(tuple(arms), otherwise, cites, self._span(meta))

    def for_where(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("where", c[0])

    def for_by(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("by", (str(c[0]) if len(c) > 1 else "lowest", c[-1]))

    def for_chosen(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("chosen", (c[0], self._text(c[1]) if len(c) > 1 else ""))

    def joint(self, meta: Meta, c: list[Any]) -> syn.Joint:
        return syn.Joint(c[0], c[1], self._span(meta))

    def chosen(self, meta: Meta, c: list[Any]) -> tuple[str, tuple[Any, ...], Span]:
        return (str(c[0]), tuple(c[1] or ()), self._span(c[0]))

    def for_stmt(self, meta: Meta, c: list[Any]) -> syn.ForStmt:
        var, source, *tails, cites, body = c
        tail = dict(tails)
        rank, key = tail.get("by", ("lowest", None))
        seat, label = tail.get("chosen", (None, ""))
        settled = "settled" in tail
        return syn.ForStmt(
            str(var),
            source,
            tail.get("where"),
            key,
            rank,
            seat,
            label,
            settled,
            body,
            cites,
            self._span(meta),
        )

    def for_settled(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("settled", True)

    def point(self, meta: Meta, c: list[Any]) -> tuple[str, str]:
        return (str(c[0]), str(c[1]))

    def show_stmt(self, meta: Meta, c: list[Any]) -> syn.ShowStmt:
        return syn.ShowStmt(tuple(c[:-1]), c[-1], syn.NO_CITES, self._span(meta))

    def at_best(self, meta: Meta, c: list[Any]) -> syn.AtBest:
        return syn.AtBest(c[0], None, self._span(meta))

    def latest(self, meta: Meta, c: list[Any]) -> syn.Latest:
        return syn.Latest(c[0], self._span(meta))

    def while_stmt(self, meta: Meta, c: list[Any]) -> syn.WhileStmt:
        return syn.WhileStmt(c[0], c[2], c[1], self._span(meta))

    def count_stmt(self, meta: Meta, c: list[Any]) -> syn.CountStmt:
        return syn.CountStmt(str(c[0]), c[1], c[2], c[4], c[3], self._span(meta))

    def times_stmt(self, meta: Meta, c: list[Any]) -> syn.TimesStmt:
        return syn.TimesStmt(c[0], None, c[2], c[1], self._span(meta))

    def bonus_stmt(self, meta: Meta, c: list[Any]) -> syn.TimesStmt:
        return syn.TimesStmt(c[0], c[1], c[3], c[2], self._span(meta))

    def until_end(self, meta: Meta, c: list[Any]) -> tuple[Any, Any, Any]:
        return (c[0], None, None)

    def until_done(self, meta: Meta, c: list[Any]) -> tuple[Any, Any, Any]:
        return (None, c[0], c[1])

    def until_stmt(self, meta: Meta, c: list[Any]) -> syn.UntilStmt:
        cites, *body, (condition, done_by, done_when), _more = c
        return syn.UntilStmt(self.block(meta, body), condition, done_by, done_when, cites, self._span(meta))

    def phase_stmt(self, meta: Meta, c: list[Any]) -> syn.PhaseStmt:
        name, *rest = c
        title = next((self._text(p) for p in rest if isinstance(p, Token)), "")
        cites = next((p for p in rest if isinstance(p, syn.Cites) and p), syn.NO_CITES)
        condition = next(
            (p[1] for p in rest if isinstance(p, tuple) and len(p) == 2 and p[0] == "when"), None
        )
        return syn.PhaseStmt(str(name), title, condition, rest[-1], cites, self._span(meta))

    def simultaneous_stmt(self, meta: Meta, c: list[Any]) -> syn.SimultaneousStmt:
        return syn.SimultaneousStmt(c[1], c[0], self._span(meta))

    def secret_stmt(self, meta: Meta, c: list[Any]) -> syn.SecretStmt:
        return syn.SecretStmt(c[2], c[1], self._span(meta))

    def alternate_stmt(self, meta: Meta, c: list[Any]) -> syn.AlternateStmt:
        var, first, *rest, cites, body = c
        shares: tuple[Any, ...] = ()
        if rest or isinstance(first, syn.Items):
            shares = (first, *rest)
        if any(not isinstance(share, syn.Items) or len(share.items) != 2 for share in shares):
            raise _Malformed(
                "GR0101",
                self._span(meta),
                "every share is a seat and its number of turns in a row",
                f"alternate {var} from (a, 2), (b, 1) until all pass",
            )
        return syn.AlternateStmt(str(var), first, shares, body, cites, self._span(meta))

    def let_stmt(self, meta: Meta, c: list[Any]) -> syn.Let:
        return syn.Let(str(c[0]), c[1], c[2], False, syn.NO_CITES, self._span(meta))

    def var_stmt(self, meta: Meta, c: list[Any]) -> syn.Let:
        return syn.Let(str(c[0]), c[1], c[2], True, syn.NO_CITES, self._span(meta))

    def scratch_stmt(self, meta: Meta, c: list[Any]) -> syn.ScratchStmt:
        name, *axes, type_, value = c
        return syn.ScratchStmt(str(name), tuple(axes), type_, value, syn.NO_CITES, self._span(meta))

    def assign_stmt(self, meta: Meta, c: list[Any]) -> syn.AssignStmt:
        return syn.AssignStmt(c[0], "set", c[1], c[2], syn.NO_CITES, self._span(meta))

    def add_stmt(self, meta: Meta, c: list[Any]) -> syn.AssignStmt:
        return syn.AssignStmt(c[0], "add", c[1], None, syn.NO_CITES, self._span(meta))

    def sub_stmt(self, meta: Meta, c: list[Any]) -> syn.AssignStmt:
        return syn.AssignStmt(c[0], "sub", c[1], None, syn.NO_CITES, self._span(meta))

    def repeat_end(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        done_when, keep, why = c
        return (False, done_when, keep, self._text(why) if why else "")

    def while_possible(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        return (True, None, None, "")

    def repeats_stmt(self, meta: Meta, c: list[Any]) -> syn.RepeatsStmt:
        seat, uses, (possible, done_when, keep, why) = c
        return syn.RepeatsStmt(seat, uses, possible, done_when, keep, why, syn.NO_CITES, self._span(meta))

    def may_stmt(self, meta: Meta, c: list[Any]) -> syn.OfferStmt:
        return syn.OfferStmt(c[0], c[1], True, False, syn.NO_CITES, self._span(meta))

    def offer_stmt(self, meta: Meta, c: list[Any]) -> syn.OfferStmt:
        until = "until all pass" in " ".join(self._source.line(meta.line + self._offset).split())
        return syn.OfferStmt(c[0], c[1], False, until, syn.NO_CITES, self._span(meta))

    def dice_plain(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        return (str(c[0]), None, None, None, None, None)

    def dice_pool(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        return (str(c[1]), c[0], None, None, None, None)

    def dice_each(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        var, source, where, dice, limit = c
        return (str(dice), None, str(var), source, where, limit)

    def roll_stmt(self, meta: Meta, c: list[Any]) -> syn.RollStmt:
        dice, count, var, source, where, limit = c[1]
        return syn.RollStmt(
            c[0], dice, count, var, source, where, limit, c[2], syn.NO_CITES, self._span(meta)
        )

    def reroll_stmt(self, meta: Meta, c: list[Any]) -> syn.RerollStmt:
        return syn.RerollStmt(c[0], syn.NO_CITES, self._span(meta))

    choose_where, choose_by, choose_exactly, choose_up_to = (
        _tail("where"),
        _tail("by"),
        _tail("exactly"),
        _tail("up_to"),
    )
    choose_quiet = _tail("quiet")
    choose_at_least, choose_such_that, choose_keeping = (
        _tail("at_least"),
        _tail("such_that"),
        _tail("keeping"),
    )

    def choose_joined(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("joined", str(c[0]))

    assign_where, assign_by, assign_room = _tail("where"), _tail("by"), _tail("room")

    def choose_label(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("label", self._text(c[0]))

    assign_label = choose_label

    def choose_prefer(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("prefer", (str(c[0]) if len(c) > 1 else "highest", c[-1]))

    choose_to, choose_for = _tail("to"), _tail("for")

    def choose_route_stmt(self, meta: Meta, c: list[Any]) -> syn.ChooseRouteStmt:
        name, use, *tails, otherwise = c
        self._once_each(meta, tails)
        tail = dict(tails)
        for key in tail:
            if key not in ("to", "by", "label"):
                raise _Malformed(
                    "GR0101",
                    self._span(meta),
                    f"a route has no `{key.replace('_', ' ')}`",
                    "what a route must satisfy is said by its movement",
                )
        return syn.ChooseRouteStmt(
            str(name),
            use,
            tail.get("to"),
            tail.get("by"),
            tail.get("label", ""),
            otherwise,
            syn.NO_CITES,
            self._span(name),
            self._span(meta),
        )

    def walk_stmt(self, meta: Meta, c: list[Any]) -> syn.ForStmt:
        """`walk u along r entering h`: before each pass of the body the counter stands on the next place."""
        who, route, name, cites, body = c
        place = syn.Name(str(name), self._span(name))
        target = syn.Dot(who, "at", who.span, who.span)
        step = syn.AssignStmt(target, "set", place, None, cites, self._span(meta))
        return syn.ForStmt(
            str(name), route, None, None, "lowest", None, "", False, (step, *body), cites, self._span(meta)
        )

    def assign_first(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("first", c[0])

    def assign_then(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("then", c[0])

    def assign_into(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("into", str(c[0]))

    def _choose(self, meta: Meta, c: list[Any], by_type: bool) -> syn.ChooseStmt:
        may = isinstance(c[0], Token) and c[0].type == "MAY"
        parts = c[1:] if may else c
        (name, index, name_span), domain, *tails, otherwise = parts
        self._once_each(meta, tails, repeatable=("prefer",))
        tail = dict(tails)
        if "to" in tail:
            raise _Malformed("GR0101", self._span(meta), "`to` belongs to a route: `choose r along ...`")
        for key in ("exactly", "up_to", "at_least", "such_that", "keeping", "joined"):
            if key in tail:
                words = key.replace("_", " ") + (" by" if key == "joined" else "")
                raise _Malformed(
                    "GR0101",
                    self._span(meta),
                    f"`{words}` belongs to `choose some`",
                    f"choose some {name} in ... {words} ... -> {name}s",
                )
        prefer = tuple(value for key, value in tails if key == "prefer")
        return syn.ChooseStmt(
            name,
            index,
            domain if by_type else None,
            None if by_type else domain,
            tail.get("where"),
            tail.get("by"),
            tail.get("label", ""),
            may,
            "quiet" in tail,
            prefer,
            otherwise,
            syn.NO_CITES,
            name_span,
            self._span(meta),
            _several(tail.get("for")),
        )

    def _once_each(self, meta: Meta, tails: list[Any], repeatable: tuple[str, ...] = ()) -> None:
        seen = set()
        for key, _ in tails:
            if key in seen and key not in repeatable:
                raise _Malformed("GR0101", self._span(meta), f"`{key}` stands twice in this choice")
            seen.add(key)

    def choose_stmt(self, meta: Meta, c: list[Any]) -> syn.ChooseStmt:
        return self._choose(meta, c, True)

    def choose_in_stmt(self, meta: Meta, c: list[Any]) -> syn.ChooseStmt:
        return self._choose(meta, c, False)

    def choose_some_stmt(self, meta: Meta, c: list[Any]) -> syn.ChooseSomeStmt:
        name, source, *tails, into, otherwise = c
        self._once_each(meta, tails)
        tail = dict(tails)
        for key, word in (("prefer", "preferring"), ("quiet", "quietly")):
            if key in tail:
                raise _Malformed(
                    "GR0101", self._span(meta), f"`{word}` belongs to a choice of one, not to `choose some`"
                )
        return syn.ChooseSomeStmt(
            str(name),
            source,
            tail.get("where"),
            tail.get("by"),
            tail.get("label", ""),
            tail.get("exactly"),
            tail.get("up_to"),
            tail.get("at_least"),
            tail.get("such_that"),
            tail.get("keeping"),
            tail.get("joined"),
            str(into),
            otherwise,
            syn.NO_CITES,
            self._span(meta),
        )

    def assign_match_stmt(self, meta: Meta, c: list[Any]) -> syn.AssignMatchStmt:
        left, left_source, right, right_source, *tails = c
        self._once_each(meta, tails, repeatable=("first",))
        tail = dict(tails)
        first = tuple(value for key, value in tails if key == "first")
        return syn.AssignMatchStmt(
            str(left),
            left_source,
            str(right),
            right_source,
            tail.get("where"),
            tail.get("by"),
            tail.get("label", ""),
            tail.get("room"),
            first,
            tail.get("then"),
            tail.get("into"),
            syn.NO_CITES,
            self._span(meta),
        )

    def do_stmt(self, meta: Meta, c: list[Any]) -> syn.DoStmt:
        return syn.DoStmt(c[0], str(c[1]) if c[1] else None, syn.NO_CITES, self._span(meta))

    def emit_stmt(self, meta: Meta, c: list[Any]) -> syn.EmitStmt:
        return syn.EmitStmt(str(c[0]), tuple(c[1] or ()), syn.NO_CITES, self._span(meta))

    def require_stmt(self, meta: Meta, c: list[Any]) -> syn.RequireStmt:
        return syn.RequireStmt(c[0], self._text(c[1]) if c[1] else "", syn.NO_CITES, self._span(meta))

    def return_stmt(self, meta: Meta, c: list[Any]) -> syn.ReturnStmt:
        return syn.ReturnStmt(c[0] if c else None, syn.NO_CITES, self._span(meta))

    def stop_stmt(self, meta: Meta, c: list[Any]) -> syn.StopStmt:
        return syn.StopStmt(syn.NO_CITES, self._span(meta))

    def next_stmt(self, meta: Meta, c: list[Any]) -> syn.NextStmt:
        return syn.NextStmt(syn.NO_CITES, self._span(meta))

    def schedule_stmt(self, meta: Meta, c: list[Any]) -> syn.ScheduleStmt:
        use, edge, phase, later = c
        return syn.ScheduleStmt(use, (str(edge), str(phase)), later, syn.NO_CITES, self._span(meta))

    def ever_since(self, meta: Meta, c: list[Any]) -> syn.EverSince:
        condition, mark, of = c
        return syn.EverSince(condition, str(mark), None if of is None else str(of), self._span(meta))

    def pass_stmt(self, meta: Meta, c: list[Any]) -> syn.PassStmt:
        return syn.PassStmt(syn.NO_CITES, self._span(meta))

    def destroy_stmt(self, meta: Meta, c: list[Any]) -> syn.DestroyStmt:
        return syn.DestroyStmt(c[-1], syn.NO_CITES, self._span(meta))

    def create_stmt(self, meta: Meta, c: list[Any]) -> syn.CreateStmt:
        piece, kind, *rest = c
        into = rest[-1]
        fields = tuple(p for p in rest[:-1] if isinstance(p, syn.NamedArg))
        return syn.CreateStmt(
            str(piece), kind, fields, str(into) if into else None, syn.NO_CITES, self._span(meta)
        )

    def draw_stmt(self, meta: Meta, c: list[Any]) -> syn.DrawStmt:
        return syn.DrawStmt(str(c[0]), c[1], c[2], syn.NO_CITES, self._span(meta))

    def put_stmt(self, meta: Meta, c: list[Any]) -> syn.PutStmt:
        return syn.PutStmt(c[0], c[1], syn.NO_CITES, self._span(meta))

    def reveal_stmt(self, meta: Meta, c: list[Any]) -> syn.RevealStmt:
        return syn.RevealStmt(c[0], syn.NO_CITES, self._span(meta))

    def mark_stmt(self, meta: Meta, c: list[Any]) -> syn.MarkStmt:
        return syn.MarkStmt(str(c[0]), c[1], syn.NO_CITES, self._span(meta))

    def log_stmt(self, meta: Meta, c: list[Any]) -> syn.LogStmt:
        return syn.LogStmt(self._text(c[0]), syn.NO_CITES, self._span(meta))

    def end_stmt(self, meta: Meta, c: list[Any]) -> syn.EndStmt:
        return syn.EndStmt(c[0], c[1], syn.NO_CITES, self._span(meta))

    # ---- examples

    def expect_stmt(self, meta: Meta, c: list[Any]) -> syn.ExpectStmt:
        return syn.ExpectStmt(tuple(c), syn.NO_CITES, self._span(meta))

    def dice_stmt(self, meta: Meta, c: list[Any]) -> syn.DiceStmt:
        return syn.DiceStmt(tuple(int(t) for t in c), syn.NO_CITES, self._span(meta))

    def answer(self, meta: Meta, c: list[Any]) -> str:
        return self._text(c[0]) if c[0].type == "STRING" else str(c[0])

    def negative_answer(self, meta: Meta, c: list[Any]) -> str:
        return f"-{c[0]}"

    def answers_stmt(self, meta: Meta, c: list[Any]) -> syn.AnswersStmt:
        return syn.AnswersStmt(tuple(c), False, syn.NO_CITES, self._span(meta))

    def offered_stmt(self, meta: Meta, c: list[Any]) -> syn.AnswersStmt:
        return syn.AnswersStmt(tuple(c), True, syn.NO_CITES, self._span(meta))

    def counter_stmt(self, meta: Meta, c: list[Any]) -> syn.CounterStmt:
        side, kind, name, at, *fields = c
        return syn.CounterStmt(
            str(side), str(kind), str(name), at, tuple(fields), syn.NO_CITES, self._span(meta)
        )

    def counters_stmt(self, meta: Meta, c: list[Any]) -> syn.CountersStmt:
        count, side, kind, at, *fields = c
        return syn.CountersStmt(
            count, str(side), str(kind), at, tuple(fields), syn.NO_CITES, self._span(meta)
        )

    def odds_stmt(self, meta: Meta, c: list[Any]) -> syn.OddsStmt:
        use, by, into = c
        return syn.OddsStmt(use, by, None if into is None else str(into), syn.NO_CITES, self._span(meta))

    def outcome_stmt(self, meta: Meta, c: list[Any]) -> syn.OutcomeStmt:
        return syn.OutcomeStmt(self._text(c[0]), c[1], syn.NO_CITES, self._span(meta))

    def board_stmt(self, meta: Meta, c: list[Any]) -> syn.BoardStmt:
        columns, rows = str(c[1]).split("x")
        if not (0 < int(columns) <= 100 and 0 < int(rows) <= 100):
            raise _Malformed("GR0902", self._span(meta), "a board of an example is 1x1 to 100x100")
        return syn.BoardStmt(str(c[0]), int(columns), int(rows), syn.NO_CITES, self._span(meta))

    def scenario_stmt(self, meta: Meta, c: list[Any]) -> syn.ScenarioStmt:
        return syn.ScenarioStmt(self._text(c[0]), syn.NO_CITES, self._span(meta))

    def terrain_stmt(self, meta: Meta, c: list[Any]) -> syn.TerrainStmt:
        return syn.TerrainStmt(str(c[0]), tuple(c[1:]), syn.NO_CITES, self._span(meta))

    def _map(self, meta: Meta, c: list[Any], along: bool) -> syn.MapStmt:
        name, value, *places = c
        return syn.MapStmt(str(name), value, along, tuple(places), syn.NO_CITES, self._span(meta))

    def map_at_stmt(self, meta: Meta, c: list[Any]) -> syn.MapStmt:
        return self._map(meta, c, False)

    def map_along_stmt(self, meta: Meta, c: list[Any]) -> syn.MapStmt:
        return self._map(meta, c, True)

    # ---- geometry

    def _sight(self, meta: Meta, sort: str, cites: syn.Cites, **more: Any) -> syn.SightClause:
        return syn.SightClause(
            sort,
            more.get("name", ""),
            more.get("value"),
            more.get("label", ""),
            more.get("condition"),
            cites,
            self._span(meta),
        )

    def sight_centre(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "centre", c[0])

    def sight_mutual(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "mutual", c[0])

    def sight_along(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "along", c[1], name=str(c[0]).split()[2])

    def sight_corner(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "corner", c[1], name=str(c[0]))

    def sight_let(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "let", c[2], name=str(c[0]), value=c[1])

    def sight_ends(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        *label, condition, cites = c
        return self._sight(
            meta, "ends", cites, label=self._text(label[0]) if label else "", condition=condition
        )

    def sight_hex(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        name, *label, condition, cites = c
        return self._sight(
            meta,
            "hex",
            cites,
            name=str(name),
            label=self._text(label[0]) if label else "",
            condition=condition,
        )

    def sight_hexside(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        name, *label, condition, cites = c
        return self._sight(
            meta,
            "hexside",
            cites,
            name=str(name),
            label=self._text(label[0]) if label else "",
            condition=condition,
        )

    def sight_hinder(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        value, *label, name, condition, cites = c
        return self._sight(
            meta,
            "hinder",
            cites,
            name=str(name),
            value=value,
            label=self._text(label[0]) if label else "",
            condition=condition,
        )

    def sight_limit(self, meta: Meta, c: list[Any]) -> syn.SightClause:
        return self._sight(meta, "limit", c[1], value=c[0])

    def sight_decl(self, meta: Meta, c: list[Any]) -> syn.SightDecl:
        name, params, space, cites, *clauses = c
        return syn.SightDecl(str(name), params, str(space), tuple(clauses), cites, self._span(meta))

    def arc_decl(self, meta: Meta, c: list[Any]) -> syn.ArcDecl:
        name, params, space, before, degrees, facing, origin, border, after = c
        cites = _both(before, after)
        return syn.ArcDecl(
            str(name), params, str(space), degrees, facing, origin, str(border), cites, self._span(meta)
        )

    def _move(self, meta: Meta, sort: str, cites: syn.Cites, **more: Any) -> syn.MoveClause:
        return syn.MoveClause(
            sort,
            more.get("names", ("", "")),
            more.get("value"),
            more.get("condition"),
            more.get("label", ""),
            cites,
            self._span(meta),
        )

    def move_start(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "start", c[1], value=c[0])

    def move_allowance(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "allowance", c[1], value=c[0])

    def move_step(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        leap = None if c[2] is None else syn.Number(str(c[2]), self._span(c[2]))
        return self._move(meta, "step", c[3], names=(str(c[0]), str(c[1])), value=leap)

    def move_never(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        *label, condition, cites = c
        return self._move(
            meta, "never", cites, label=self._text(label[0]) if label else "", condition=condition
        )

    def move_never_ends(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        *label, condition, cites = c
        return self._move(
            meta, "never_ends", cites, label=self._text(label[0]) if label else "", condition=condition
        )

    def move_costs(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "costs", c[2], value=c[0], condition=c[1])

    def move_stops(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "stops", c[1], condition=c[0])

    def move_minimum(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "minimum", c[1], condition=c[0])

    def move_stay(self, meta: Meta, c: list[Any]) -> syn.MoveClause:
        return self._move(meta, "stay", c[0])

    def movement_decl(self, meta: Meta, c: list[Any]) -> syn.MovementDecl:
        name, params, space, room, like, cites, *parts = c
        clauses = tuple(p for p in parts if isinstance(p, syn.MoveClause))
        gaits = tuple(p for p in parts if isinstance(p, syn.Gait))
        legs = int(room) if room is not None else DEFAULT_LEGS
        if not 1 <= legs <= MAX_LEGS:
            raise _Malformed("GR0611", self._span(meta), f"a route has at most 1 to {MAX_LEGS} legs")
        return syn.MovementDecl(
            str(name), params, str(space), clauses, gaits, legs, like, cites, self._span(meta)
        )

    def move_gait(self, meta: Meta, c: list[Any]) -> syn.Gait:
        name, cites, *clauses = c
        return syn.Gait(str(name), tuple(clauses), cites, self._span(meta))

    def add_movement(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *parts = c
        return self._add(meta, "movement", str(name), cites, parts=parts)

    # ---- sequence, examples, layers

    def sequence_decl(self, meta: Meta, c: list[Any]) -> syn.SequenceDecl:
        named = isinstance(c[0], Token)
        name = str(c[0]) if named else ""
        cites, condition, *body = c[1:] if named else c
        return syn.SequenceDecl(name, condition, self.block(meta, body), cites, self._span(meta))

    def victory_decl(self, meta: Meta, c: list[Any]) -> syn.VictoryDecl:
        return syn.VictoryDecl(c[1], c[0], self._span(meta))

    def evaluation_decl(self, meta: Meta, c: list[Any]) -> syn.RuleDecl:
        """A rule like any other, with a name and a result that are fixed: later layers can make exceptions to it."""
        params, cites, body = c
        span = self._span(meta)
        number = syn.TypeExpr("plain", syn.Name("int", span), None, 0, False, span)
        return syn.RuleDecl(syn.EVALUATION, params, number, body, cites, span)

    def example_decl(self, meta: Meta, c: list[Any]) -> syn.ExampleDecl:
        title, cites, *body = c
        return syn.ExampleDecl(self._text(title), self.block(meta, body), cites, self._span(meta))

    def situation_decl(self, meta: Meta, c: list[Any]) -> syn.SituationDecl:
        name, params, *rest = c
        title = next((self._text(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        body = [p for p in rest if not isinstance(p, Token | syn.Cites) and p is not None]
        return syn.SituationDecl(str(name), params, title, self.block(meta, body), cites, self._span(meta))

    def policy_decl(self, meta: Meta, c: list[Any]) -> syn.PolicyDecl:
        name, *rest = c
        title = next((self._text(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        lines = tuple(p for p in rest if isinstance(p, syn.PolicyLine))
        return syn.PolicyDecl(str(name), title, lines, cites, self._span(meta))

    def policy_line(self, meta: Meta, c: list[Any]) -> syn.PolicyLine:
        owner, name, (ranks, value), condition, cites = c
        return syn.PolicyLine(str(owner), str(name), ranks, value, condition, cites, self._span(meta))

    def ranked(self, meta: Meta, c: list[Any]) -> tuple[bool, syn.Expr]:
        return str(c[0]) == "highest", c[1]

    def policy_ranked(self, meta: Meta, c: list[Any]) -> Any:
        return tuple(c), None

    def policy_done(self, meta: Meta, c: list[Any]) -> Any:
        return (), None

    def policy_value(self, meta: Meta, c: list[Any]) -> Any:
        return (), c[0]

    def add_policy(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *lines = c
        return self._add(meta, "policy", str(name), cites, lines=lines)

    def errata_decl(self, meta: Meta, c: list[Any]) -> syn.ErrataDecl:
        title, *rest = c
        date = next((str(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        patches = tuple(p for p in rest if not isinstance(p, Token | syn.Cites))
        return syn.ErrataDecl(self._text(title), date, patches, cites, self._span(meta))

    def amend_table(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, key, old, new, more = c
        return syn.Amend("table", str(name), tuple(key), "", old, new, _both(cites, more), self._span(meta))

    def amend_entry(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, label, old, new, more = c
        return syn.Amend(
            "entry", str(name), (), self._text(label), old, new, _both(cites, more), self._span(meta)
        )

    def drop_entry(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, label, more = c
        return syn.Amend(
            "drop", str(name), (), self._text(label), None, None, _both(cites, more), self._span(meta)
        )

    def amend_kind(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, row, column, axis, old, new, more = c
        key = tuple(syn.Name(str(t), self._span(t)) for t in (row, column, axis) if t is not None)
        return syn.Amend("kind", str(name), key, "", old, new, _both(cites, more), self._span(meta))

    def rename_row(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, old, new, *title, more = c
        key = tuple(syn.Name(str(t), self._span(t)) for t in (old, new))
        label = self._text(title[0]) if title else ""
        return syn.Amend("rename", str(name), key, label, None, None, _both(cites, more), self._span(meta))

    def amend_rule(self, meta: Meta, c: list[Any]) -> syn.Amend:
        name, cites, old, new, more = c
        return syn.Amend("rule", str(name), (), "", old, new, _both(cites, more), self._span(meta))

    def replace_decl(self, meta: Meta, c: list[Any]) -> syn.Replace:
        return syn.Replace(c[0], self._span(meta))

    # ---- required

    def required_rule(self, meta: Meta, c: list[Any]) -> syn.Required:
        name, params, result, cites = c
        span = self._span(meta)
        return syn.Required(syn.RuleDecl(str(name), params, result, (), cites, span), span)

    def required_modifiers(self, meta: Meta, c: list[Any]) -> syn.Required:
        name, params, result, cites = c
        span = self._span(meta)
        return syn.Required(syn.ModifiersDecl(str(name), params, result, (), cites, span), span)

    def required_procedure(self, meta: Meta, c: list[Any]) -> syn.Required:
        name, params, result, cites = c
        span = self._span(meta)
        return syn.Required(syn.ProcedureDecl(str(name), params, result, (), cites, span), span)

    def required_action(self, meta: Meta, c: list[Any]) -> syn.Required:
        name, params, cites = c
        span = self._span(meta)
        return syn.Required(syn.ActionDecl(str(name), params, "", (), cites, span), span)

    def required_menu(self, meta: Meta, c: list[Any]) -> syn.Required:
        name, params, cites = c
        span = self._span(meta)
        return syn.Required(syn.MenuDecl(str(name), params, (), cites, span), span)

    def required_table(self, meta: Meta, c: list[Any]) -> syn.Required:
        name, *rest, result, cites = c
        span = self._span(meta)
        return syn.Required(syn.TableDecl(str(name), tuple(rest), result, None, (), cites, span), span)

    def _add(self, meta: Meta, sort: str, target: str, cites: syn.Cites, **more: Any) -> syn.AddTo:
        return syn.AddTo(
            sort,
            target,
            tuple(more.get("entries", ())),
            tuple(more.get("items", ())),
            tuple(more.get("members", ())),
            tuple(more.get("fields", ())),
            tuple(more.get("rows", ())),
            tuple(more.get("body", ())),
            more.get("around", ("", "")),
            tuple(more.get("parts", ())),
            cites,
            self._span(meta),
            tuple(more.get("lines", ())),
        )

    def add_sequence(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        tokens = [p for p in c if isinstance(p, Token)]
        cites = next(p for p in c if isinstance(p, syn.Cites))
        named = str(tokens[0]) if tokens[0].type == "NAME" else ""
        body = self.block(meta, [p for p in c if not isinstance(p, Token | syn.Cites)])
        return self._add(meta, "sequence", named, cites, body=body, around=(str(tokens[-2]), str(tokens[-1])))

    def add_entries(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *lines = c
        return self._add(meta, "modifiers", str(name), cites, entries=_flat(lines))

    def add_menu(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, *items = c
        return self._add(meta, "menu", str(name), cites, items=items)

    def add_enum(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        name, cites, members, more = c
        return self._add(meta, "enum", str(name), _both(cites, more), members=members)

    def add_fields(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        sort, *rest = c
        name = next((str(p) for p in rest if isinstance(p, Token)), "")
        cites = next(p for p in rest if isinstance(p, syn.Cites))
        return self._add(meta, str(sort), name, cites, fields=_flat(p for p in rest if isinstance(p, list)))

    def add_rows(self, meta: Meta, c: list[Any]) -> syn.AddTo:
        sort, name, cites, *rows = c
        if str(sort) != "kind":
            raise _Malformed("GR0101", self._span(name), f"rows are added to a kind, not to a {sort}")
        return self._add(meta, "rows", str(name), cites, rows=[self._row(r) for r in rows])


class _Line:
    """Several simple statements on one line."""

    def __init__(self, statements: tuple[Any, ...]) -> None:
        self.statements = statements


_ROUNDING = {"up": "div_up", "down": "div_down", "nearest": "div_near"}


def _several(expr: syn.Expr | None) -> tuple[syn.Expr, ...]:
    """`a` or `(a, b)` as written behind `for`."""
    if expr is None:
        return ()
    return expr.items if isinstance(expr, syn.Items) else (expr,)


def _flat(parts: Any) -> list[Any]:
    return [item for part in parts if part is not None for item in part]


def _cite_block(body: tuple[Any, ...], cites: syn.Cites) -> tuple[Any, ...]:
    """The citations of an arm's heading belong to those of its statements that have none of their own."""
    return tuple(part if getattr(part, "cites", None) else _cited(part, cites) for part in body)


def _both(a: syn.Cites, b: syn.Cites) -> syn.Cites:
    return syn.Cites(a.ids + b.ids, a.span or b.span)


def _cited(node: Any, cites: syn.Cites) -> Any:
    """The node with the citations of its line (unless it has its own)."""
    if not cites:
        return node
    return replace(node, cites=_both(node.cites, cites)) if hasattr(node, "cites") else node
