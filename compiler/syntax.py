"""The syntax tree: what the author wrote, without meaning.  Every node carries its span from the first day."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from grognard.compiler.source import Span

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.compiler.nodes import dataclass


@dataclass(frozen=True, slots=True)
class Cites:
    """The citations behind a line: `[7.1, A-3]` -> ("7.1", "A-3")."""

    ids: tuple[str, ...] = ()
    span: Span | None = None

    def __bool__(self) -> bool:
        return bool(self.ids)


NO_CITES = Cites()

# ------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Name:
    id: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Number:
    text: str
    span: Span = field(compare=False)

    @property
    def value(self) -> int:
        return int(self.text)


@dataclass(frozen=True, slots=True)
class Text:
    value: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class NoneLit:
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class FlagLit:
    value: bool
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Dot:
    object: Expr
    name: str
    name_span: Span = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CallExpr:
    callee: Expr
    args: tuple[Expr, ...]
    named: tuple[NamedArg, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class NamedArg:
    name: str
    value: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class UnaryExpr:
    op: str  # neg not
    value: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class BinaryExpr:
    op: str  # or and is is_not lt le gt ge in not_in add sub mul mod div_up div_down div_near
    left: Expr
    right: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Ternary:
    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RangeExpr:
    lo: Expr
    hi: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[Expr, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SetLiteral:
    items: tuple[Expr, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AggregateExpr:
    op: str
    var: str
    source: Expr
    where: Expr | None
    value: Expr | None  # after `:`
    key: Expr | None  # after `by`
    rank: str  # highest lowest
    var_span: Span = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AsOf:
    value: Expr
    mark: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Latest:
    """`latest u.spot`: the value that is pending, else the one in force."""

    value: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AtBest:
    """`at best plan(p)`: the greatest result of a procedure on a scratch copy, whatever is chosen on the way."""

    use: Use
    enough: int | None
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class EverSince:
    """`held(t) ever since turn_end of p`: the condition has held in every state since the mark."""

    condition: Expr
    mark: str
    of: str | None
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Joint:
    """`by owners else by p`: several seats decide together; another one does where they disagree."""

    seats: Expr
    otherwise: Expr
    span: Span = field(compare=False)


Expr: TypeAlias = (
    Name
    | Number
    | Text
    | NoneLit
    | FlagLit
    | Dot
    | CallExpr
    | UnaryExpr
    | BinaryExpr
    | Ternary
    | RangeExpr
    | Items
    | SetLiteral
    | AggregateExpr
    | AsOf
    | Latest
    | AtBest
    | EverSince
    | Joint
)


@dataclass(frozen=True, slots=True)
class TypeExpr:
    """`sort` is "plain" (a name or a range in `base`), "set" or "list" (of `element`, up to `capacity`), "name" (of
    the form in `base`), "union" (any of `parts`) or "shape" (a procedure, rule or action by its name: `parts` are what
    it is given, `element` its result)."""

    sort: str
    base: Expr | None
    element: TypeExpr | None
    capacity: int
    optional: bool
    span: Span = field(compare=False)
    parts: tuple[TypeExpr, ...] = ()


# ------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Use:
    """A call of a procedure, action or menu by name."""

    name: str
    args: tuple[Expr, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Let:
    name: str
    type: TypeExpr | None
    value: Expr
    mutable: bool
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ScratchStmt:
    """`var target(Unit): Hex? = none`: a value for each member, that belongs to the procedure."""

    name: str
    axes: tuple[TypeExpr, ...]
    type: TypeExpr
    value: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AssignStmt:
    """With a `point` ("start", "orders") the write waits for that instant of the sequence of play."""

    target: Expr
    op: str  # set add sub
    value: Expr
    point: tuple[str, str] | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CaseStmt:
    """`= value when condition`: gives the value of a rule (or of a procedure) if the condition holds."""

    value: Expr
    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class IfStmt:
    arms: tuple[tuple[Expr, tuple[Stmt, ...]], ...]
    otherwise: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ForStmt:
    var: str
    source: Expr
    where: Expr | None
    key: Expr | None
    rank: str
    chosen_by: Expr | None
    label: str
    settled: bool  # passes are repeated until one changes nothing
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class WhileStmt:
    condition: Expr
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CountStmt:
    """`repeat round from 1 to n`."""

    var: str
    start: Expr
    end: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class TimesStmt:
    """`repeat n times`, or up to n times until a seat is done."""

    count: Expr
    until_done: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class UntilStmt:
    """`repeat ... until condition`, or until done by a seat (when a guard allows it)."""

    body: tuple[Stmt, ...]
    condition: Expr | None
    done_by: Expr | None
    done_when: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PhaseStmt:
    name: str
    title: str
    condition: Expr | None
    body: tuple[Stmt, ...] | None  # None: does the procedure of its name
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SimultaneousStmt:
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SecretStmt:
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AlternateStmt:
    """`alternate p from a until all pass`; with `shares`, pairs of a seat and how many turns it has in a row."""

    var: str
    first: Expr
    shares: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RepeatsStmt:
    """`p repeats a, b until done keep c else "why"` / `while possible`."""

    seat: Expr
    uses: tuple[Use, ...]
    while_possible: bool
    done_when: Expr | None
    keep: Expr | None
    why: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OfferStmt:
    """`offer p: a, b` (must), `p may a` (optional), `offer (p, q): a until all pass`."""

    seat: Expr
    uses: tuple[Use, ...]
    optional: bool
    until_all_pass: bool
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RollStmt:
    target: Expr
    dice: str  # e.g. 2d6
    count: Expr | None  # a pool: `n of d6`
    each_var: str | None  # `each u in S where c, d6 <= v`
    each_source: Expr | None
    each_where: Expr | None
    each_limit: Expr | None
    event: Use | None  # `for shot(a, t)`: handlers may react before and after
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RerollStmt:
    """In a handler of `rolled`: the dice (or one die of a pool) are thrown again."""

    die: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ChooseStmt:
    name: str
    index: tuple[Expr, ...]  # `choose target(u) in ...`: which element of a scratch field
    type: TypeExpr | None
    source: Expr | None
    where: Expr | None
    by: Expr | None
    label: str
    may: bool
    quiet: bool
    prefer: tuple[tuple[str, Expr], ...]
    otherwise: Stmt | None
    cites: Cites = field(compare=False)
    name_span: Span = field(compare=False)
    span: Span = field(compare=False)
    #: what a form is filled in for
    given: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class ChooseSomeStmt:
    name: str
    source: Expr
    where: Expr | None
    by: Expr | None
    label: str
    exactly: Expr | None
    up_to: Expr | None
    at_least: Expr | None
    such_that: Expr | None  # of the finished set
    keeping: Expr | None  # of every set on the way
    joined: str | None  # a rule or relation that connects the set
    into: str
    otherwise: Stmt | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ChooseRouteStmt:
    """`choose r along walk(u) to goal by p "label"`: places leg by leg, as the movement allows."""

    name: str
    use: Use
    goal: Expr | None
    by: Expr | None
    label: str
    otherwise: Stmt | None
    cites: Cites = field(compare=False)
    name_span: Span = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AssignMatchStmt:
    """`assign h in hits to v in victims by p "label" where c room r first t then stmt -> n`."""

    left: str
    left_source: Expr
    right: str
    right_source: Expr
    where: Expr | None
    by: Expr | None
    label: str
    room: Expr | None
    first: tuple[Expr, ...]
    then: Stmt | None
    into: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DoStmt:
    use: Use
    into: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class EmitStmt:
    event: str
    args: tuple[Expr, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RequireStmt:
    condition: Expr
    why: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ReturnStmt:
    value: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class StopStmt:
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class NextStmt:
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ScheduleStmt:
    """`schedule do f(x) at end of PHASE, n turns later`."""

    use: Use
    point: tuple[str, str]
    later: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PassStmt:
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DestroyStmt:
    value: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CreateStmt:
    piece: str
    kind: Expr | None
    fields: tuple[NamedArg, ...]
    into: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DrawStmt:
    name: str
    source: Expr
    seen_by: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PutStmt:
    value: Expr
    target: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RevealStmt:
    value: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ShowStmt:
    """Tell values to one seat; what they come from stays secret."""

    values: tuple[Expr, ...]
    to: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MarkStmt:
    name: str
    of: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class LogStmt:
    text: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class EndStmt:
    winner: Expr | None
    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ExpectStmt:
    conditions: tuple[Expr, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DiceStmt:
    values: tuple[int, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AnswersStmt:
    answers: tuple[str, ...]
    offered: bool  # `offered a, b`: the next decision must offer exactly these
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CountersStmt:
    """In examples and situations: `counters 10 of german rifles at 0404`."""

    count: Expr
    side: str
    kind: str
    at: Expr | None
    fields: tuple[NamedArg, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OddsStmt:
    """In situations: what the odds are of, and who does it."""

    use: Use
    by: Expr | None
    into: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OutcomeStmt:
    """In situations, after the odds: something that is then looked at."""

    label: str
    value: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CounterStmt:
    """In examples: `counter german rifles as A at 0404, facing = s`."""

    side: str
    kind: str
    name: str
    at: Expr | None
    fields: tuple[NamedArg, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class BoardStmt:
    terrain: str
    columns: int
    rows: int
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ScenarioStmt:
    name: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class TerrainStmt:
    terrain: str
    places: tuple[Expr, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MapStmt:
    """In examples: `map level = 2 at 0404, 0405`, `map road along 0404, 0405, 0406`."""

    name: str
    value: Expr | None  # None: yes
    along: bool  # on the hexsides between each place and the next
    places: tuple[Expr, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


Stmt: TypeAlias = (
    Let
    | ScratchStmt
    | AssignStmt
    | CaseStmt
    | IfStmt
    | ForStmt
    | WhileStmt
    | CountStmt
    | TimesStmt
    | UntilStmt
    | PhaseStmt
    | SimultaneousStmt
    | SecretStmt
    | AlternateStmt
    | RepeatsStmt
    | OfferStmt
    | RollStmt
    | RerollStmt
    | ChooseStmt
    | ChooseSomeStmt
    | ChooseRouteStmt
    | AssignMatchStmt
    | DoStmt
    | EmitStmt
    | RequireStmt
    | ReturnStmt
    | StopStmt
    | NextStmt
    | ScheduleStmt
    | PassStmt
    | DestroyStmt
    | CreateStmt
    | DrawStmt
    | PutStmt
    | RevealStmt
    | ShowStmt
    | MarkStmt
    | LogStmt
    | EndStmt
    | ExpectStmt
    | DiceStmt
    | AnswersStmt
    | CounterStmt
    | CountersStmt
    | OddsStmt
    | OutcomeStmt
    | BoardStmt
    | ScenarioStmt
    | TerrainStmt
    | MapStmt
)

# ------------------------------------------------------------------------------------------ declarations


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    title: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class FieldDecl:
    """A column of a kind, a field of a piece, space, record, side or game."""

    name: str
    axes: tuple[TypeExpr, ...]
    type: TypeExpr
    default: Expr | None
    secret: bool
    secret_while: Expr | None
    state: bool
    edge: bool
    clamped: bool
    reset_at: str | None  # a mark
    per: str | None  # a phase or counter
    follows: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SecretAll:
    """The piece itself is hidden; with `only_type`, only what it is."""

    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
    only_type: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A drawn table row: cells with their own spans."""

    cells: tuple[tuple[str, Span], ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Header:
    sort: str  # series title
    name: str
    title: str
    of: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Include:
    path: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ByDesign:
    text: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class EnumDecl:
    name: str
    members: tuple[Member, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class KindDecl:
    """`powers` are a kind whose rows are seats."""

    name: str
    parent: str | None
    source: str | None
    rows: tuple[Row, ...]
    fields: tuple[FieldDecl, ...]
    powers: bool
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
    #: the columns are declared, and their cells stand in the rows
    typed: bool = False


@dataclass(frozen=True, slots=True)
class SidesDecl:
    members: tuple[Member, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ClassDecl:
    name: str
    fields: tuple[FieldDecl, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SpaceDecl:
    name: str
    place: str | None
    sort: str
    source: str | None
    fields: tuple[FieldDecl, ...]
    classes: tuple[ClassDecl, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PieceDecl:
    """`record`: a bundle of values; with `up_to` it lives in the position like a counter."""

    name: str
    kind: str | None
    record: bool
    interchangeable: bool
    up_to: Expr | None
    fields: tuple[FieldDecl, ...]
    secret_all: SecretAll | None
    reset_at: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
    secret_type: SecretAll | None = None


@dataclass(frozen=True, slots=True)
class FormField:
    """What a form asks for: a value of a type (out of a source), a route of a movement, or (with a value) nothing."""

    name: str
    type: TypeExpr | None
    source: Expr | None
    value: Expr | None
    route: Use | None
    goal: Expr | None
    where: Expr | None
    up_to: Expr | None
    label: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class FormMember:
    name: str
    title: str
    columns: tuple[NamedArg, ...]
    body: tuple[RequireStmt | FormField, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class FormDecl:
    """A sheet to fill in: one of its members, then the fields that this one asks for."""

    name: str
    params: tuple[Param, ...]
    columns: tuple[FieldDecl, ...]
    members: tuple[FormMember, ...]
    #: of every member: requirements first, fields after those of the member
    body: tuple[RequireStmt | FormField, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class StatesLine:
    """From any of these states to any of those."""

    before: tuple[Name, ...]
    after: tuple[Name, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class StatesDecl:
    """The life cycle that a field of a piece goes through."""

    piece: str
    owned: str
    lines: tuple[StatesLine, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OwnerDecl:
    """`game`, `each side`, `each power`."""

    sort: str
    fields: tuple[FieldDecl, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class BagDecl:
    name: str
    var: str
    kind: str
    where: Expr | None
    copies: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RelationDecl:
    name: str
    left: str
    right: str
    mutual: bool
    reset_at: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OptionDecl:
    name: str
    title: str
    values: tuple[Member, ...]
    default: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SetOption:
    name: str
    value: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DieDecl:
    name: str
    faces: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Param:
    name: str
    type: TypeExpr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class EventDecl:
    name: str
    params: tuple[Param, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Axis:
    name: str
    type: TypeExpr
    clamp: str  # "", clamped, clamped_low, clamped_high
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class TableDecl:
    name: str
    axes: tuple[Axis, ...]
    result: TypeExpr
    source: str | None
    rows: tuple[Row, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a modifiers list.  `sort`: add set half times without bar least most."""

    sort: str
    value: Expr | None
    label: str
    labels: tuple[str, ...]  # of `without`
    numerator: int
    denominator: int
    rounding: str
    condition: Expr | None
    once: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ModifiersDecl:
    name: str
    params: tuple[Param, ...]
    result: TypeExpr
    entries: tuple[Entry, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RuleDecl:
    name: str
    params: tuple[Param, ...]
    result: TypeExpr
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ExceptionDecl:
    label: str
    target: str
    condition: Expr | None
    before: tuple[str, ...]
    after: tuple[str, ...]
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ProcedureDecl:
    name: str
    params: tuple[Param, ...]
    result: TypeExpr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ActionDecl:
    name: str
    params: tuple[Param, ...]
    title: str
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MenuItem:
    uses: tuple[Use, ...]
    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MenuDecl:
    name: str
    params: tuple[Param, ...]
    items: tuple[MenuItem, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OnDecl:
    """`event` is the event's name, for handlers of a roll with `rolling` or `rolled` before it."""

    event: str
    names: tuple[str, ...]
    condition: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OnChangeDecl:
    """`on v.at changes, v: Vehicle`, or of a field of the game: `on weather changes`."""

    owner: Param | None
    name: str
    condition: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SightClause:
    """`sort`: mutual along corner let ends hex hexside hinder limit centre."""

    sort: str
    name: str
    value: Expr | None
    label: str
    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SightDecl:
    name: str
    params: tuple[Param, ...]
    space: str
    clauses: tuple[SightClause, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ArcDecl:
    name: str
    params: tuple[Param, ...]
    space: str
    degrees: Expr
    facing: Expr
    origin: Expr
    border: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MoveClause:
    """`sort`: start allowance step never never_ends costs stops minimum stay.

    The value of a step is how far it may go (none: to a neighbour)."""

    sort: str
    names: tuple[str, str]
    value: Expr | None
    condition: Expr | None
    label: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Gait:
    """A way of moving: a route must keep to one of them all along."""

    name: str
    clauses: tuple[MoveClause, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MovementDecl:
    """`room`: how many legs a route can have; `like`: the movement that this one is built on."""

    name: str
    params: tuple[Param, ...]
    space: str
    clauses: tuple[MoveClause, ...]
    gaits: tuple[Gait, ...]
    room: int
    like: Use | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SequenceDecl:
    name: str
    condition: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


#: The name of the rule that says how well a side stands.
EVALUATION = "evaluation"
#: The rule that says where a counter that a seat cannot see may be, for players that are programs.
PLAUSIBLE = "plausible"


@dataclass(frozen=True, slots=True)
class VictoryDecl:
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ExampleDecl:
    title: str
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SituationDecl:
    """A set-up that odds are asked of."""

    name: str
    params: tuple[Param, ...]
    title: str
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """How one choice is answered: the best by `ranks` (highest?, key), or `value`, or done (neither)."""

    owner: str
    name: str
    ranks: tuple[tuple[bool, Expr], ...]
    value: Expr | None
    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PolicyDecl:
    name: str
    title: str
    lines: tuple[PolicyLine, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Amend:
    """One change of an erratum.  `sort`: table entry drop kind rename rule.  `key` names what is changed inside."""

    sort: str
    target: str
    key: tuple[Expr, ...]
    label: str
    old: Expr | None
    new: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AddTo:
    """Additions to something declared by an earlier layer."""

    sort: str  # modifiers menu enum kind piece class space rows sequence movement form policy
    target: str
    entries: tuple[Entry, ...]
    items: tuple[MenuItem, ...]
    members: tuple[Member, ...]
    fields: tuple[FieldDecl, ...]
    rows: tuple[Row, ...]
    #: of a sequence: statements, and where they go ("before" or "after", name of a phase)
    body: tuple[Stmt, ...]
    around: tuple[str, str]
    #: of a movement: clauses and gaits; of a form: members and fields
    parts: tuple[MoveClause | Gait | FormMember | FormField | FieldDecl | RequireStmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
    lines: tuple[PolicyLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Replace:
    decl: RuleDecl | ProcedureDecl | ActionDecl | ModifiersDecl | TableDecl | PolicyDecl
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Required:
    """What a later layer must define: the declaration without what it says."""

    decl: RuleDecl | ModifiersDecl | ProcedureDecl | ActionDecl | MenuDecl | TableDecl
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ErrataDecl:
    name: str
    date: str
    patches: tuple[Decl, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


Decl: TypeAlias = (
    Header
    | Include
    | ByDesign
    | EnumDecl
    | KindDecl
    | SidesDecl
    | SpaceDecl
    | PieceDecl
    | FormDecl
    | StatesDecl
    | OwnerDecl
    | BagDecl
    | RelationDecl
    | OptionDecl
    | SetOption
    | DieDecl
    | EventDecl
    | TableDecl
    | ModifiersDecl
    | RuleDecl
    | ExceptionDecl
    | ProcedureDecl
    | ActionDecl
    | MenuDecl
    | OnDecl
    | OnChangeDecl
    | SightDecl
    | ArcDecl
    | MovementDecl
    | SequenceDecl
    | VictoryDecl
    | ExampleDecl
    | SituationDecl
    | PolicyDecl
    | Amend
    | AddTo
    | Replace
    | Required
    | ErrataDecl
)


@dataclass(frozen=True, slots=True)
class FileTree:
    path: str
    decls: tuple[Decl, ...]
