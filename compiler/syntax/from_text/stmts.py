"""Productions as nodes: statements, those of examples too."""

from __future__ import annotations

from typing import Any

from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.from_text.base import (
    Malformed,
    cite_block,
    several,
    tail,
)
from grognard.compiler.syntax.from_text.number_tails import only_numbers, refuse_sets_of
from grognard.compiler.syntax.from_text.rules import RuleDecls
from grognard.support.source import Span
from lark import Token, v_args
from lark.tree import Meta


@v_args(meta=True)
class Statements(RuleDecls):
    # ---- stmts

    def elif_part(self, meta: Meta, c: list[Any]) -> tuple[Any, Any]:
        return (c[0], cite_block(c[2], c[1]))

    def else_part(self, meta: Meta, c: list[Any]) -> tuple[None, Any]:
        return (None, cite_block(c[1], c[0]))

    def if_stmt(self, meta: Meta, c: list[Any]) -> syn.IfStmt:
        condition, cites, body, *rest = c
        arms = [(condition, body)] + [(cond, block) for cond, block in rest if cond is not None]
        otherwise = next((block for cond, block in rest if cond is None), ())
        return syn.IfStmt(tuple(arms), otherwise, cites, self.span_of(meta))

    def for_where(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("where", c[0])

    def for_by(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("by", (str(c[0]) if len(c) > 1 else "lowest", c[-1]))

    def for_chosen(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("chosen", (c[0], self.unquoted(c[1]) if len(c) > 1 else ""))

    def joint(self, meta: Meta, c: list[Any]) -> syn.Joint:
        return syn.Joint(c[0], c[1], self.span_of(meta))

    def chosen(self, meta: Meta, c: list[Any]) -> tuple[str, tuple[Any, ...], Span]:
        return (str(c[0]), tuple(c[1] or ()), self.span_of(c[0]))

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
            self.span_of(meta),
        )

    def for_settled(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("settled", True)

    def point(self, meta: Meta, c: list[Any]) -> tuple[str, str]:
        return (str(c[0]), str(c[1]))

    def show_stmt(self, meta: Meta, c: list[Any]) -> syn.ShowStmt:
        return syn.ShowStmt(tuple(c[:-1]), c[-1], syn.NO_CITES, self.span_of(meta))

    def at_best(self, meta: Meta, c: list[Any]) -> syn.AtBest:
        return syn.AtBest(c[0], None, self.span_of(meta))

    def latest(self, meta: Meta, c: list[Any]) -> syn.Latest:
        return syn.Latest(c[0], self.span_of(meta))

    def while_stmt(self, meta: Meta, c: list[Any]) -> syn.WhileStmt:
        return syn.WhileStmt(c[0], c[2], c[1], self.span_of(meta))

    def count_stmt(self, meta: Meta, c: list[Any]) -> syn.CountStmt:
        return syn.CountStmt(str(c[0]), c[1], c[2], c[4], c[3], self.span_of(meta))

    def times_stmt(self, meta: Meta, c: list[Any]) -> syn.TimesStmt:
        return syn.TimesStmt(c[0], None, c[2], c[1], self.span_of(meta))

    def bonus_stmt(self, meta: Meta, c: list[Any]) -> syn.TimesStmt:
        return syn.TimesStmt(c[0], c[1], c[3], c[2], self.span_of(meta))

    def until_end(self, meta: Meta, c: list[Any]) -> tuple[Any, Any, Any]:
        return (c[0], None, None)

    def until_done(self, meta: Meta, c: list[Any]) -> tuple[Any, Any, Any]:
        return (None, c[0], c[1])

    def until_stmt(self, meta: Meta, c: list[Any]) -> syn.UntilStmt:
        cites, *body, (condition, done_by, done_when), _more = c
        return syn.UntilStmt(self.block(meta, body), condition, done_by, done_when, cites, self.span_of(meta))

    def phase_stmt(self, meta: Meta, c: list[Any]) -> syn.PhaseStmt:
        name, *rest = c
        title = next((self.unquoted(p) for p in rest if isinstance(p, Token)), "")
        cites = next((p for p in rest if isinstance(p, syn.Cites) and p), syn.NO_CITES)
        condition = next(
            (p[1] for p in rest if isinstance(p, tuple) and len(p) == 2 and p[0] == "when"), None
        )
        return syn.PhaseStmt(str(name), title, condition, rest[-1], cites, self.span_of(meta))

    def simultaneous_stmt(self, meta: Meta, c: list[Any]) -> syn.SimultaneousStmt:
        return syn.SimultaneousStmt(c[1], c[0], self.span_of(meta))

    def secret_stmt(self, meta: Meta, c: list[Any]) -> syn.SecretStmt:
        return syn.SecretStmt(c[2], c[1], self.span_of(meta))

    def alternate_stmt(self, meta: Meta, c: list[Any]) -> syn.AlternateStmt:
        var, first, *rest, cites, body = c
        shares: tuple[Any, ...] = ()
        if rest or isinstance(first, syn.Items):
            shares = (first, *rest)
        if any(not isinstance(share, syn.Items) or len(share.items) != 2 for share in shares):
            raise Malformed(
                "GR0101",
                self.span_of(meta),
                "every share is a seat and its number of turns in a row",
                f"alternate {var} from (a, 2), (b, 1) until all pass",
            )
        return syn.AlternateStmt(str(var), first, shares, body, cites, self.span_of(meta))

    def let_stmt(self, meta: Meta, c: list[Any]) -> syn.Let:
        return syn.Let(str(c[0]), c[1], c[2], False, syn.NO_CITES, self.span_of(meta))

    def var_stmt(self, meta: Meta, c: list[Any]) -> syn.Let:
        return syn.Let(str(c[0]), c[1], c[2], True, syn.NO_CITES, self.span_of(meta))

    def array_stmt(self, meta: Meta, c: list[Any]) -> syn.ArrayStmt:
        name, *axes, type_, value = c
        return syn.ArrayStmt(str(name), tuple(axes), type_, value, syn.NO_CITES, self.span_of(meta))

    def assign_stmt(self, meta: Meta, c: list[Any]) -> syn.AssignStmt:
        return syn.AssignStmt(c[0], "set", c[1], c[2], syn.NO_CITES, self.span_of(meta))

    def add_stmt(self, meta: Meta, c: list[Any]) -> syn.AssignStmt:
        return syn.AssignStmt(c[0], "add", c[1], None, syn.NO_CITES, self.span_of(meta))

    def sub_stmt(self, meta: Meta, c: list[Any]) -> syn.AssignStmt:
        return syn.AssignStmt(c[0], "sub", c[1], None, syn.NO_CITES, self.span_of(meta))

    def repeat_end(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        done_when, keep = c
        return (False, done_when, *self.condition_and_reason(keep))

    def while_possible(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        return (True, None, None, "")

    def repeats_stmt(self, meta: Meta, c: list[Any]) -> syn.RepeatsStmt:
        seat, uses, (possible, done_when, keep, why) = c
        return syn.RepeatsStmt(seat, uses, possible, done_when, keep, why, syn.NO_CITES, self.span_of(meta))

    def may_stmt(self, meta: Meta, c: list[Any]) -> syn.OfferStmt:
        return syn.OfferStmt(c[0], c[1], True, False, syn.NO_CITES, self.span_of(meta))

    def offer_stmt(self, meta: Meta, c: list[Any]) -> syn.OfferStmt:
        return syn.OfferStmt(c[0], c[1], False, c[2] is not None, syn.NO_CITES, self.span_of(meta))

    def all_pass(self, meta: Meta, c: list[Any]) -> bool:
        return True

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
            c[0], dice, count, var, source, where, limit, c[2], syn.NO_CITES, self.span_of(meta)
        )

    def reroll_stmt(self, meta: Meta, c: list[Any]) -> syn.RerollStmt:
        return syn.RerollStmt(c[0], syn.NO_CITES, self.span_of(meta))

    choose_where, choose_by, choose_exactly, choose_up_to = (
        tail("where"),
        tail("by"),
        tail("exactly"),
        tail("up_to"),
    )
    choose_quiet = tail("quiet")
    choose_at_least, choose_such_that, choose_keeping = (
        tail("at_least"),
        tail("such_that"),
        tail("keeping"),
    )

    def choose_joined(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("joined", str(c[0]))

    def choose_costing(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("costing", (c[0], c[1]))

    assign_where, assign_by, assign_room = tail("where"), tail("by"), tail("room")

    def choose_label(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("label", self.unquoted(c[0]))

    assign_label = choose_label

    def choose_prefer(self, meta: Meta, c: list[Any]) -> tuple[str, Any]:
        return ("prefer", (str(c[0]) if len(c) > 1 else "highest", c[-1]))

    choose_to, choose_for = tail("to"), tail("for")

    def choose_route_stmt(self, meta: Meta, c: list[Any]) -> syn.ChooseRouteStmt:
        name, use, *tails, otherwise = c
        self.check_once_each(meta, tails)
        tail = dict(tails)
        for key in tail:
            if key not in ("to", "by", "label"):
                raise Malformed(
                    "GR0101",
                    self.span_of(meta),
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
            self.span_of(name),
            self.span_of(meta),
        )

    def walk_stmt(self, meta: Meta, c: list[Any]) -> syn.ForStmt:
        """`walk u along r entering h`: before each pass of the body the counter stands on the next place."""
        who, route, name, cites, body = c
        place = syn.Name(str(name), self.span_of(name))
        target = syn.Dot(who, "at", who.span, who.span)
        step = syn.AssignStmt(target, "set", place, None, cites, self.span_of(meta))
        return syn.ForStmt(
            str(name), route, None, None, "lowest", None, "", False, (step, *body), cites, self.span_of(meta)
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
        self.check_once_each(meta, tails, repeatable=("prefer",))
        tail = dict(tails)
        if "to" in tail:
            raise Malformed("GR0101", self.span_of(meta), "`to` belongs to a route: `choose r along ...`")
        for key in ("exactly", "up_to", "at_least", "such_that", "keeping", "joined", "costing"):
            if key == "costing" and key in tail:
                raise only_numbers(self.span_of(meta))
            if key in tail:
                words = key.replace("_", " ") + (" by" if key == "joined" else "")
                raise Malformed(
                    "GR0101",
                    self.span_of(meta),
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
            self.span_of(meta),
            several(tail.get("for")),
        )

    def choose_stmt(self, meta: Meta, c: list[Any]) -> syn.ChooseStmt:
        return self._choose(meta, c, True)

    def choose_in_stmt(self, meta: Meta, c: list[Any]) -> syn.ChooseStmt:
        return self._choose(meta, c, False)

    def choose_some_stmt(self, meta: Meta, c: list[Any]) -> syn.ChooseSomeStmt:
        name, source, *tails, into, otherwise = c
        self.check_once_each(meta, tails)
        tail = dict(tails)
        for key, word in (("prefer", "preferring"), ("quiet", "quietly")):
            if key in tail:
                raise Malformed(
                    "GR0101", self.span_of(meta), f"`{word}` belongs to a choice of one, not to `choose some`"
                )
        if "costing" in tail:
            raise only_numbers(self.span_of(meta))
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
            self.span_of(meta),
        )

    def choose_numbers_stmt(self, meta: Meta, c: list[Any]) -> syn.ChooseSomeStmt:
        """`choose numbers of k in Kind costing k.cost within money -> bought`: how many of each member."""
        name, source, *tails, into, otherwise = c
        self.check_once_each(meta, tails)
        tail = dict(tails)
        refuse_sets_of(tail, self.span_of(meta))
        cost, budget = tail.get("costing", (None, None))
        return syn.ChooseSomeStmt(
            str(name), source, tail.get("where"), tail.get("by"), tail.get("label", ""), tail.get("exactly"),
            tail.get("up_to"), tail.get("at_least"), None, None, None, str(into), otherwise, syn.NO_CITES,
            self.span_of(meta), True, cost, budget,
        )  # fmt: skip

    def assign_match_stmt(self, meta: Meta, c: list[Any]) -> syn.AssignMatchStmt:
        left, left_source, right, right_source, *tails = c
        self.check_once_each(meta, tails, repeatable=("first",))
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
            self.span_of(meta),
        )

    def do_stmt(self, meta: Meta, c: list[Any]) -> syn.DoStmt:
        return syn.DoStmt(c[0], str(c[1]) if c[1] else None, syn.NO_CITES, self.span_of(meta))

    def emit_stmt(self, meta: Meta, c: list[Any]) -> syn.EmitStmt:
        return syn.EmitStmt(str(c[0]), tuple(c[1] or ()), syn.NO_CITES, self.span_of(meta))

    def require_stmt(self, meta: Meta, c: list[Any]) -> syn.RequireStmt:
        return syn.RequireStmt(*self.condition_and_reason(c[0]), syn.NO_CITES, self.span_of(meta))

    def return_stmt(self, meta: Meta, c: list[Any]) -> syn.ReturnStmt:
        return syn.ReturnStmt(c[0] if c else None, syn.NO_CITES, self.span_of(meta))

    def stop_stmt(self, meta: Meta, c: list[Any]) -> syn.StopStmt:
        return syn.StopStmt(syn.NO_CITES, self.span_of(meta))

    def next_stmt(self, meta: Meta, c: list[Any]) -> syn.NextStmt:
        return syn.NextStmt(syn.NO_CITES, self.span_of(meta))

    def schedule_stmt(self, meta: Meta, c: list[Any]) -> syn.ScheduleStmt:
        use, edge, phase, later = c
        return syn.ScheduleStmt(use, (str(edge), str(phase)), later, syn.NO_CITES, self.span_of(meta))

    def ever_since(self, meta: Meta, c: list[Any]) -> syn.EverSince:
        condition, mark, of = c
        return syn.EverSince(condition, str(mark), None if of is None else str(of), self.span_of(meta))

    def pass_stmt(self, meta: Meta, c: list[Any]) -> syn.PassStmt:
        return syn.PassStmt(syn.NO_CITES, self.span_of(meta))

    def destroy_stmt(self, meta: Meta, c: list[Any]) -> syn.DestroyStmt:
        return syn.DestroyStmt(c[-1], syn.NO_CITES, self.span_of(meta))

    def create_stmt(self, meta: Meta, c: list[Any]) -> syn.CreateStmt:
        piece, kind, *rest = c
        into = rest[-1]
        fields = tuple(p for p in rest[:-1] if isinstance(p, syn.NamedArg))
        return syn.CreateStmt(
            str(piece), kind, fields, str(into) if into else None, syn.NO_CITES, self.span_of(meta)
        )

    def draw_stmt(self, meta: Meta, c: list[Any]) -> syn.DrawStmt:
        return syn.DrawStmt(str(c[0]), c[1], c[2], syn.NO_CITES, self.span_of(meta))

    def put_stmt(self, meta: Meta, c: list[Any]) -> syn.PutStmt:
        return syn.PutStmt(c[0], c[1], syn.NO_CITES, self.span_of(meta))

    def reveal_stmt(self, meta: Meta, c: list[Any]) -> syn.RevealStmt:
        return syn.RevealStmt(c[0], syn.NO_CITES, self.span_of(meta))

    def mark_stmt(self, meta: Meta, c: list[Any]) -> syn.MarkStmt:
        return syn.MarkStmt(str(c[0]), c[1], syn.NO_CITES, self.span_of(meta))

    def log_stmt(self, meta: Meta, c: list[Any]) -> syn.LogStmt:
        return syn.LogStmt(self.unquoted(c[0]), syn.NO_CITES, self.span_of(meta))

    def end_stmt(self, meta: Meta, c: list[Any]) -> syn.EndStmt:
        return syn.EndStmt(c[0], c[1], syn.NO_CITES, self.span_of(meta))

    # ---- examples

    def expect_stmt(self, meta: Meta, c: list[Any]) -> syn.ExpectStmt:
        return syn.ExpectStmt(tuple(c), syn.NO_CITES, self.span_of(meta))

    def dice_stmt(self, meta: Meta, c: list[Any]) -> syn.DiceStmt:
        return syn.DiceStmt(tuple(int(t) for t in c), syn.NO_CITES, self.span_of(meta))

    def answer(self, meta: Meta, c: list[Any]) -> str:
        return self.unquoted(c[0]) if c[0].type == "STRING" else str(c[0])

    def negative_answer(self, meta: Meta, c: list[Any]) -> str:
        return f"-{c[0]}"

    def answers_stmt(self, meta: Meta, c: list[Any]) -> syn.AnswersStmt:
        return syn.AnswersStmt(tuple(c), False, syn.NO_CITES, self.span_of(meta))

    def offered_stmt(self, meta: Meta, c: list[Any]) -> syn.AnswersStmt:
        return syn.AnswersStmt(tuple(c), True, syn.NO_CITES, self.span_of(meta))

    def counter_stmt(self, meta: Meta, c: list[Any]) -> syn.CounterStmt:
        side, kind, name, at, *fields = c
        return syn.CounterStmt(
            str(side), str(kind), str(name), at, tuple(fields), syn.NO_CITES, self.span_of(meta)
        )

    def counters_stmt(self, meta: Meta, c: list[Any]) -> syn.CountersStmt:
        count, side, kind, at, *fields = c
        return syn.CountersStmt(
            count, str(side), str(kind), at, tuple(fields), syn.NO_CITES, self.span_of(meta)
        )

    def odds_stmt(self, meta: Meta, c: list[Any]) -> syn.OddsStmt:
        use, by, into = c
        return syn.OddsStmt(use, by, None if into is None else str(into), syn.NO_CITES, self.span_of(meta))

    def outcome_stmt(self, meta: Meta, c: list[Any]) -> syn.OutcomeStmt:
        return syn.OutcomeStmt(self.unquoted(c[0]), c[1], syn.NO_CITES, self.span_of(meta))

    def board_stmt(self, meta: Meta, c: list[Any]) -> syn.BoardStmt:
        columns, rows = str(c[1]).split("x")
        if not (0 < int(columns) <= 100 and 0 < int(rows) <= 100):
            raise Malformed("GR0902", self.span_of(meta), "a board of an example is 1x1 to 100x100")
        return syn.BoardStmt(str(c[0]), int(columns), int(rows), syn.NO_CITES, self.span_of(meta))

    def option_stmt(self, meta: Meta, c: list[Any]) -> syn.OptionStmt:
        return syn.OptionStmt(str(c[0]), str(c[1]), syn.NO_CITES, self.span_of(meta))

    def scenario_stmt(self, meta: Meta, c: list[Any]) -> syn.ScenarioStmt:
        return syn.ScenarioStmt(self.unquoted(c[0]), syn.NO_CITES, self.span_of(meta))

    def terrain_stmt(self, meta: Meta, c: list[Any]) -> syn.TerrainStmt:
        return syn.TerrainStmt(str(c[0]), tuple(c[1:]), syn.NO_CITES, self.span_of(meta))

    def _map(self, meta: Meta, c: list[Any], along: bool) -> syn.MapStmt:
        name, value, *places = c
        return syn.MapStmt(str(name), value, along, tuple(places), syn.NO_CITES, self.span_of(meta))

    def map_at_stmt(self, meta: Meta, c: list[Any]) -> syn.MapStmt:
        return self._map(meta, c, False)

    def map_along_stmt(self, meta: Meta, c: list[Any]) -> syn.MapStmt:
        return self._map(meta, c, True)
