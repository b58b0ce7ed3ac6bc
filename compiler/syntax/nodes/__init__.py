"""The syntax tree: what the author wrote, without meaning.  Every node has a span.

Each family of nodes has a module; this one re-exports all of them, with the unions and the tree of a file.
"""

# ruff: noqa: F401 - they are imported for others

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from grognard.compiler.syntax.nodes.data import (
    Axis,
    BagDecl,
    ClassDecl,
    DieDecl,
    EnumDecl,
    FieldDecl,
    FormDecl,
    FormField,
    FormMember,
    KindDecl,
    Member,
    OptionDecl,
    OwnerDecl,
    PieceDecl,
    RelationDecl,
    Row,
    SecretAll,
    SetOption,
    SidesDecl,
    SpaceDecl,
    StatesDecl,
    StatesLine,
    TableDecl,
)
from grognard.compiler.syntax.nodes.examples import (
    AnswersStmt,
    BoardStmt,
    CountersStmt,
    CounterStmt,
    DiceStmt,
    ExpectStmt,
    MapStmt,
    OddsStmt,
    OptionStmt,
    OutcomeStmt,
    ScenarioStmt,
    TerrainStmt,
)
from grognard.compiler.syntax.nodes.exprs import (
    NO_CITES,
    AggregateExpr,
    AsOf,
    AtBest,
    BinaryExpr,
    CallExpr,
    Cites,
    Dot,
    EverSince,
    Expr,
    FlagLit,
    Items,
    Joint,
    Latest,
    MatchedExpr,
    Name,
    NamedArg,
    NoneLit,
    Number,
    OrElse,
    Param,
    RangeExpr,
    SetLiteral,
    Ternary,
    Text,
    TypeExpr,
    UnaryExpr,
    Use,
)
from grognard.compiler.syntax.nodes.layers import (
    AddTo,
    Amend,
    ByDesign,
    ErrataDecl,
    ExampleDecl,
    Header,
    Include,
    PolicyDecl,
    PolicyLine,
    Replace,
    Required,
    SituationDecl,
)
from grognard.compiler.syntax.nodes.rules import (
    EVALUATION,
    PLAUSIBLE,
    ActionDecl,
    ArcDecl,
    Entry,
    EventDecl,
    ExceptionDecl,
    Gait,
    MenuDecl,
    MenuItem,
    ModifiersDecl,
    MoveClause,
    MovementDecl,
    OnChangeDecl,
    OnDecl,
    ProcedureDecl,
    RuleDecl,
    SequenceDecl,
    SightClause,
    SightDecl,
    VictoryDecl,
)
from grognard.compiler.syntax.nodes.stmts import (
    AlternateStmt,
    ArrayStmt,
    AssignMatchStmt,
    AssignStmt,
    CaseStmt,
    ChooseRouteStmt,
    ChooseSomeStmt,
    ChooseStmt,
    CountStmt,
    CreateStmt,
    DestroyStmt,
    DoStmt,
    DrawStmt,
    EmitStmt,
    EndStmt,
    ForStmt,
    IfStmt,
    Let,
    LogStmt,
    MarkStmt,
    NextStmt,
    OfferStmt,
    PassStmt,
    PhaseStmt,
    PutStmt,
    RepeatsStmt,
    RequireStmt,
    RerollStmt,
    ReturnStmt,
    RevealStmt,
    RollStmt,
    ScheduleStmt,
    SecretStmt,
    ShowStmt,
    SimultaneousStmt,
    Stmt,
    StopStmt,
    TimesStmt,
    UntilStmt,
    WhileStmt,
)

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


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
