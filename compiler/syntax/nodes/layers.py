"""The syntax tree: headers of files, changes by later layers, examples, situations and policies."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from grognard.compiler.syntax.nodes.data import (
    FieldDecl,
    FormField,
    FormMember,
    Member,
    Row,
    TableDecl,
)
from grognard.compiler.syntax.nodes.exprs import (
    Cites,
    Expr,
    Param,
)
from grognard.compiler.syntax.nodes.rules import (
    ActionDecl,
    Entry,
    Gait,
    MenuDecl,
    MenuItem,
    ModifiersDecl,
    MoveClause,
    ProcedureDecl,
    RuleDecl,
)
from grognard.compiler.syntax.nodes.stmts import RequireStmt, Stmt
from grognard.support.source import Span

if TYPE_CHECKING:
    from dataclasses import dataclass

    from grognard.compiler.syntax.nodes import Decl
else:
    from grognard.support.frozen_nodes import dataclass


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

    sort: str  # modifiers menu enum kind piece record class space rows sequence movement form policy
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
    #: of a piece or record: for how many there is room
    up_to: Expr | None = None


@dataclass(frozen=True, slots=True)
class Replace:
    decl: RuleDecl | ProcedureDecl | ActionDecl | ModifiersDecl | TableDecl | PolicyDecl
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Required:
    """A heading that a later layer must define."""

    decl: RuleDecl | ModifiersDecl | ProcedureDecl | ActionDecl | MenuDecl | TableDecl
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ErrataDecl:
    """A sheet of errata.  `source`: who published it and where; `reason`: why it is made."""

    name: str
    date: str
    patches: tuple[Decl, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
    source: str = field(default="", compare=False)
    reason: str = field(default="", compare=False)
