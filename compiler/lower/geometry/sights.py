"""Sight and arcs: the author's clauses, as functions that the exact kernels call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.scope import (
    Code,
    Scope,
    Value,
)
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    Dom,
    dom_type,
    int_range,
)
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.geometry.lines import LineKind

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.lower.stmts.seam import Stmts


def lower_arc(lowerer: Lowerer, entry: Callable_, mark: str | None, number: int) -> None:
    """`arc in_arc(u: Unit, h: Hex) on Board: 120 degrees about u.facing from u.at, borders inside`."""
    from grognard.compiler.lower.stmts.seam import Stmts

    decl: syn.ArcDecl = entry.decl
    code, scope, params = begin(lowerer, entry, mark)
    stmts = Stmts(lowerer, code)
    space = space_of(lowerer, decl.space)
    degrees = stmts.checked(decl.degrees, scope, int_range(60, 360))
    facing = stmts.value(decl.facing, scope)
    origin = stmts.value(decl.origin, scope)
    for value, sort, expr in ((facing, "direction", decl.facing), (origin, "place", decl.origin)):
        if value.type.sort != "unknown" and (value.type.dom is None or value.type.dom.sort != sort):
            lowerer.sink.error("GR0301", expr.span, f"a {sort} is needed here, this is {value.type}")
    name = entry.params[-1][0] if entry.params else ""
    target = scope.find(name)
    if space is None or target is None or target.type.dom is None or target.type.dom.sort != "place":
        code.emit(ir.Return(ir.Const(0)))
    else:
        site = lowerer.site("arc", entry.name, entry.span, entry.cites, owner=entry.name)
        place = ir.Verb(
            "arc_place", (origin.expr, facing.expr, degrees.expr, code.value_of(target).expr), site
        )
        at_least = 1 if decl.border == "inside" else 2
        code.emit(ir.Return(ir.Binary("ge", place, ir.Const(at_least), site)))
    _finish(lowerer, entry, code, params, number)


def lower_sight(lowerer: Lowerer, entry: Callable_, mark: str | None, number: int) -> None:
    """A sight is a function over the exact line; its first two place parameters are the ends."""
    from grognard.compiler.lower.stmts.seam import Stmts

    decl: syn.SightDecl = entry.decl
    code, scope, params = begin(lowerer, entry, mark)
    stmts = Stmts(lowerer, code)
    ends = [name for name, type_ in entry.params if type_.dom is not None and type_.dom.sort == "place"][:2]
    if space_of(lowerer, decl.space) is None or len(ends) < 2:
        code.emit(ir.Return(ir.Const(0)))
        _finish(lowerer, entry, code, params, number)
        return
    a, b = (code.value_of(bound) for name in ends if (bound := scope.find(name)) is not None)
    along = next((c.name for c in decl.clauses if c.sort == "along"), "")
    corner = next((c.name for c in decl.clauses if c.sort == "corner"), "clear")
    limit: Any = None
    hindered = code.local("(hindrance)", INT)
    for clause in decl.clauses:
        lowerer.world.cite(clause.cites)
        match clause.sort:
            case "let":
                assert clause.value is not None
                made = stmts.value(clause.value, scope)
                saved = code.variable(clause.name, made.type)
                if made.type.sort != "unknown":
                    code.emit(ir.Assign(saved.expr.index, made.expr))
                code.bind(scope, clause.name, saved, clause.span)
            case "ends":
                assert clause.condition is not None
                test = stmts.condition(clause.condition, scope)
                code.emit(ir.IfStmt(test, (*_note(lowerer, entry, clause, ()), ir.Return(ir.Const(0)))))
            case "limit":
                assert clause.value is not None
                limit = stmts.checked(clause.value, scope, INT).expr
    hexes = [c for c in decl.clauses if c.sort in ("hex", "hinder")]
    if hexes:
        _hexes(lowerer, stmts, entry, scope, hexes, a, b, along, corner, hindered, limit)
    sides = [c for c in decl.clauses if c.sort == "hexside"]
    if sides:
        _hexsides(lowerer, stmts, entry, scope, sides, a, b, decl)
    code.emit(ir.Return(ir.Const(1)))
    _finish(lowerer, entry, code, params, number)


def _note(
    lowerer: Lowerer,
    entry: Callable_,
    clause: syn.SightClause,
    args: tuple[Any, ...],
    shows: tuple[str, ...] = (),
) -> tuple[ir.Stmt, ...]:
    where = " at {0}" if args else ""
    text = f"{entry.name} blocked: {clause.label or clause.sort}{where}"
    return (
        ir.Note(
            2,
            lowerer.site("sight", text, clause.span, clause.cites.ids or entry.cites, shows, entry.name),
            args,
        ),
    )


def _hexes(
    lowerer: Lowerer, stmts: Stmts, entry: Callable_, scope: Scope, clauses: list[syn.SightClause], a: Value, b: Value, along: str, corner: str,
    hindered: int, limit: Any,
) -> None:  # fmt: skip
    """One walk along the line: what each hex between the ends does."""
    code = stmts.code
    nowhere = lowerer.nowhere
    kind, first, second = (code.local(name, INT) for name in ("(kind)", "(hex)", "(other hex)"))
    hex_type = a.type.required()

    def test(clause: syn.SightClause, place: int) -> Any:
        """Whether the clause holds for the hex in a local.  Hexes off the map and the two ends never block."""
        inner = scope.child()
        code.bind(inner, clause.name, Value(hex_type, ir.Local(place)), clause.span)
        assert clause.condition is not None
        made = stmts.condition(clause.condition, inner)
        present = ir.Binary("ne", ir.Local(place), ir.Const(NONE), nowhere)
        inside = ir.Binary(
            "and",
            ir.Binary("ne", ir.Local(place), a.expr, nowhere),
            ir.Binary("ne", ir.Local(place), b.expr, nowhere),
            nowhere,
        )
        return ir.Binary("and", ir.Binary("and", present, inside, nowhere), made, nowhere)

    body: list[ir.Stmt] = []
    is_pair = ir.Binary("eq", ir.Local(kind), ir.Const(LineKind.PAIR), nowhere)
    counts = (
        ir.Binary("ne", ir.Local(kind), ir.Const(LineKind.CORNER), nowhere)
        if corner == "clear"
        else ir.Const(1)
    )
    blocking = [c for c in clauses if c.sort == "hex"]
    if along == "both" and blocking:
        # Each of a hexside's two hexes may block for a reason of its own: woods here, smoke there.
        either = [_any_of([test(c, place) for c in blocking], nowhere) for place in (first, second)]
        both = ir.Binary("and", is_pair, ir.Binary("and", either[0], either[1], nowhere), nowhere)
        text = f"{entry.name} blocked: both sides of a hexside at {{0}}"
        site = lowerer.site("sight", text, entry.span, entry.cites, (hex_type.show,), entry.name)
        body.append(ir.IfStmt(both, (ir.Note(2, site, (ir.Local(first),)), ir.Return(ir.Const(0)))))
    for clause in blocking:
        blocks: Any = test(clause, first)
        if along == "both":
            blocks = ir.Binary("and", ir.Unary("not", is_pair), blocks, nowhere)
        else:
            blocks = ir.Binary(
                "or", blocks, ir.Binary("and", is_pair, test(clause, second), nowhere), nowhere
            )
        blocks = ir.Binary("and", counts, blocks, nowhere)
        note = _note(lowerer, entry, clause, (ir.Local(first),), (hex_type.show,))
        body.append(ir.IfStmt(blocks, (*note, ir.Return(ir.Const(0)))))
    for clause in (c for c in clauses if c.sort == "hinder"):
        one, two = test(clause, first), test(clause, second)
        inner = scope.child()
        code.bind(inner, clause.name, Value(hex_type, ir.Local(first)), clause.span)
        assert clause.value is not None
        amount = stmts.checked(clause.value, inner, INT)
        joined = ir.Binary("and" if along == "both" else "or", one, two, nowhere)
        applies = ir.Binary("and", counts, ir.If(is_pair, joined, one), nowhere)
        add: list[ir.Stmt] = [ir.Assign(hindered, ir.Binary("add", ir.Local(hindered), amount.expr, nowhere))]
        if limit is not None:
            reached = ir.Binary("ge", ir.Local(hindered), limit, nowhere)
            add.append(
                ir.IfStmt(
                    reached,
                    (
                        *_note(lowerer, entry, clause, (ir.Local(first),), (hex_type.show,)),
                        ir.Return(ir.Const(0)),
                    ),
                )
            )
        body.append(ir.IfStmt(applies, tuple(add)))
    site = lowerer.site("loop", "line", entry.span, owner=entry.name)
    code.emit(ir.ForLine(kind, first, second, a.expr, b.expr, tuple(body), site))


def _any_of(tests: list[Any], nowhere: int) -> Any:
    made = tests[0]
    for test in tests[1:]:
        made = ir.Binary("or", made, test, nowhere)
    return made


def _hexsides(
    lowerer: Lowerer,
    stmts: Stmts,
    entry: Callable_,
    scope: Scope,
    clauses: list[syn.SightClause],
    a: Value,
    b: Value,
    decl: syn.SightDecl,
) -> None:
    """A second walk over the hexsides that the line crosses or runs along; touching an end of one is not crossing it."""
    code = stmts.code
    nowhere = lowerer.nowhere
    kind, first, second = (code.local(name, INT) for name in ("(kind)", "(from)", "(into)"))
    space = lowerer.world.types[decl.space]
    assert space.edges
    edge = code.local("(hexside)", dom_type(space.edges))
    site = lowerer.site("loop", "hexsides", entry.span, owner=entry.name)
    body: list[ir.Stmt] = [ir.Assign(edge, ir.Verb("hexside", (ir.Local(first), ir.Local(second)), site))]
    met = ir.Binary("ne", ir.Local(kind), ir.Const(LineKind.TOUCH), nowhere)
    present = ir.Binary("ne", ir.Local(edge), ir.Const(NONE), nowhere)
    for clause in clauses:
        inner = scope.child()
        code.bind(inner, clause.name, Value(dom_type(space.edges), ir.Local(edge)), clause.span)
        assert clause.condition is not None
        blocks = ir.Binary("and", present, stmts.condition(clause.condition, inner), nowhere)
        body.append(ir.IfStmt(blocks, (*_note(lowerer, entry, clause, ()), ir.Return(ir.Const(0)))))
    whole = ir.IfStmt(met, tuple(body))
    code.emit(ir.ForLine(kind, first, second, a.expr, b.expr, (whole,), site, True))


# ----------------------------------------------------------------------------------------------- helpers


def space_of(lowerer: Lowerer, name: str) -> Dom | None:
    """The space of that name; None if there is none, which is reported before (sema/checks)."""
    dom = lowerer.world.types.get(name)
    return dom if dom is not None and dom.sort == "place" else None


def begin(lowerer: Lowerer, entry: Callable_, mark: str | None, part: str = "") -> tuple[Code, Scope, int]:
    code = Code(
        f"{entry.name} {part}".strip() + (f" as of {mark}" if mark else ""),
        entry.name,
        pure=True,
        machine=False,
    )
    code.mark = mark
    code.result = FLAG
    scope = Scope()
    params = lowerer.bind_params(code, scope, entry.params, entry.uses_me, entry.span)
    return code, scope, params


def _finish(lowerer: Lowerer, entry: Callable_, code: Code, params: int, number: int) -> None:
    if code.reads_secret:
        lowerer.secret_readers.add(entry.name)
    site = lowerer.site("enter", entry.name, entry.span, entry.cites, owner=entry.name)
    lowerer.new_function(code, params, FLAG, site, number)
