"""Sight and arcs: the author's clauses, as functions that the exact kernels call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Code, Value
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed.sights import TypedSightClause
from grognard.compiler.sema.types import FLAG, INT, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import NONE
from grognard.geometry.lines import LineKind

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


def lower_arc(lowerer: Lowerer, entry: Callable_, mark: str | None, number: int) -> None:
    """`arc in_arc(u: Unit, h: Hex) on Board: 120 degrees about u.facing from u.at, borders inside`."""
    made = lowerer.trees.arc_for(entry)
    code, params = begin(lowerer, entry, made.params, mark)
    low = Lowering(lowerer, code)
    degrees, facing, origin = (low.lower(node) for node in (made.degrees, made.facing, made.origin))
    if made.target is None:
        code.emit(ir.Return(ir.Const(0)))
    else:
        site = lowerer.site("arc", entry.name, entry.span, entry.cites, owner=entry.name)
        target = code.values[made.target].expr
        place = ir.Verb("arc_place", (origin.expr, facing.expr, degrees.expr, target), site)
        at_least = 1 if entry.decl.border == "inside" else 2
        code.emit(ir.Return(ir.Binary("ge", place, ir.Const(at_least), site)))
    _finish(lowerer, entry, code, params, number)


def lower_sight(lowerer: Lowerer, entry: Callable_, mark: str | None, number: int) -> None:
    """A sight is a function over the exact line; its first two place parameters are the ends."""
    decl: syn.SightDecl = entry.decl
    made = lowerer.trees.sight_for(entry)
    code, params = begin(lowerer, entry, made.params, mark)
    low = Lowering(lowerer, code)
    if made.ends is None:
        code.emit(ir.Return(ir.Const(0)))
        _finish(lowerer, entry, code, params, number)
        return
    a, b = (code.values[variable] for variable in made.ends)
    along = next((c.name for c in decl.clauses if c.sort == "along"), "")
    corner = next((c.name for c in decl.clauses if c.sort == "corner"), "clear")
    limit: Any = None
    hindered = code.local("(hindrance)", INT)
    for clause in made.clauses:
        lowerer.builder.cite(clause.written.cites)
        match clause.written.sort:
            case "let":
                assert clause.value is not None and clause.variable is not None
                value = low.lower(clause.value)
                saved = code.values[clause.variable] = code.variable(
                    clause.written.name, clause.variable.type
                )
                if clause.value.type.sort != "unknown":
                    code.emit(ir.Assign(saved.expr.index, value.expr))
            case "ends":
                assert clause.condition is not None
                test = low.test(clause.condition)
                blocked = (*_note(lowerer, entry, clause.written, ()), ir.Return(ir.Const(0)))
                code.emit(ir.IfStmt(test, blocked))
            case "limit":
                assert clause.value is not None
                limit = low.lower(clause.value).expr
    hexes = [c for c in made.clauses if c.written.sort in ("hex", "hinder")]
    if hexes:
        _hexes(low, entry, hexes, a, b, along, corner, hindered, limit)
    sides = [c for c in made.clauses if c.written.sort == "hexside"]
    if sides:
        _hexsides(low, entry, sides, a, b, decl)
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
    low: Lowering, entry: Callable_, clauses: list[TypedSightClause], a: Value, b: Value, along: str, corner: str,
    hindered: int, limit: Any,
) -> None:  # fmt: skip
    """One walk along the line: what each hex between the ends does."""
    lowerer, code = low.lowerer, low.code
    nowhere = lowerer.nowhere
    kind, first, second = (code.local(name, INT) for name in ("(kind)", "(hex)", "(other hex)"))
    hex_type = a.type.required()

    def test(clause: TypedSightClause, place: int) -> Any:
        """Whether the clause holds for the hex in a local.  Hexes off the map and the two ends never block."""
        assert clause.condition is not None and clause.variable is not None
        code.values[clause.variable] = Value(hex_type, ir.Local(place))
        made = low.test(clause.condition)
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
    blocking = [c for c in clauses if c.written.sort == "hex"]
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
        note = _note(lowerer, entry, clause.written, (ir.Local(first),), (hex_type.show,))
        body.append(ir.IfStmt(blocks, (*note, ir.Return(ir.Const(0)))))
    for clause in (c for c in clauses if c.written.sort == "hinder"):
        one, two = test(clause, first), test(clause, second)
        assert clause.value is not None and clause.variable is not None
        code.values[clause.variable] = Value(hex_type, ir.Local(first))
        amount = low.lower(clause.value)
        joined = ir.Binary("and" if along == "both" else "or", one, two, nowhere)
        applies = ir.Binary("and", counts, ir.If(is_pair, joined, one), nowhere)
        add: list[ir.Stmt] = [ir.Assign(hindered, ir.Binary("add", ir.Local(hindered), amount.expr, nowhere))]
        if limit is not None:
            reached = ir.Binary("ge", ir.Local(hindered), limit, nowhere)
            add.append(
                ir.IfStmt(
                    reached,
                    (
                        *_note(lowerer, entry, clause.written, (ir.Local(first),), (hex_type.show,)),
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
    low: Lowering,
    entry: Callable_,
    clauses: list[TypedSightClause],
    a: Value,
    b: Value,
    decl: syn.SightDecl,
) -> None:
    """A second walk over the hexsides that the line crosses or runs along; touching an end of one is not crossing it."""
    lowerer, code = low.lowerer, low.code
    nowhere = lowerer.nowhere
    kind, first, second = (code.local(name, INT) for name in ("(kind)", "(from)", "(into)"))
    space = lowerer.symbols.types[decl.space]
    assert space.edges
    edge = code.local("(hexside)", dom_type(space.edges))
    site = lowerer.site("loop", "hexsides", entry.span, owner=entry.name)
    body: list[ir.Stmt] = [ir.Assign(edge, ir.Verb("hexside", (ir.Local(first), ir.Local(second)), site))]
    met = ir.Binary("ne", ir.Local(kind), ir.Const(LineKind.TOUCH), nowhere)
    present = ir.Binary("ne", ir.Local(edge), ir.Const(NONE), nowhere)
    for clause in clauses:
        assert clause.condition is not None and clause.variable is not None
        code.values[clause.variable] = Value(clause.variable.type, ir.Local(edge))
        blocks = ir.Binary("and", present, low.test(clause.condition), nowhere)
        note = _note(lowerer, entry, clause.written, ())
        body.append(ir.IfStmt(blocks, (*note, ir.Return(ir.Const(0)))))
    whole = ir.IfStmt(met, tuple(body))
    code.emit(ir.ForLine(kind, first, second, a.expr, b.expr, (whole,), site, True))


# ----------------------------------------------------------------------------------------------- helpers


def begin(
    lowerer: Lowerer, entry: Callable_, params: tuple[Variable, ...], mark: str | None, part: str = ""
) -> tuple[Code, int]:
    """A function with the parameters of a sight, an arc or a movement; how many there are."""
    code = Code(
        f"{entry.name} {part}".strip() + (f" as of {mark}" if mark else ""),
        entry.name,
        pure=True,
        machine=False,
    )
    code.mark = mark
    code.result = FLAG
    return code, lowerer.bind_variables(code, params, entry.uses_me)


def _finish(lowerer: Lowerer, entry: Callable_, code: Code, params: int, number: int) -> None:
    if code.reads_secret:
        lowerer.secret_readers.add(entry.name)
    site = lowerer.site("enter", entry.name, entry.span, entry.cites, owner=entry.name)
    lowerer.new_function(code, params, FLAG, site, number)
