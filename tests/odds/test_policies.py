"""Policies of odds, and simulation as a cross-check, on both back ends."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import grognard
import pytest
from duel_title import duel
from grognard.engine import Engine
from grognard.odds import OddsError, PolicyMissing, prepare
from grognard.odds.cached_simulation import CachedSimulation
from grognard.odds.solve import solve
from grognard.odds.state_graph import Graph, Node
from samples import likely


@pytest.fixture(params=("interpreter", "compiled"))
def engine(request: pytest.FixtureRequest) -> Engine:
    return duel(str(request.param))


@pytest.fixture
def oracle() -> Engine:
    return duel("interpreter")


# ------------------------------------------------------------------------------------------------- policies


def test_a_missing_policy_lists_every_choice(oracle: Engine) -> None:
    values = {"pikes": 2, "guns": 1, "foes": 2}
    with pytest.raises(PolicyMissing) as error:
        oracle.weigh("clash", values, policy="battle.flee: no")
    assert error.value.choices == ["losses.v", "battle.flee"]
    assert "losses.v" in str(error.value) and "open" in str(error.value)


def test_an_illegal_policy_answer_lists_the_candidates(engine: Engine) -> None:
    setup = "counters 1 of red gun\ncounters 1 of red pike\nodds of lose_some(1) -> cost"
    with pytest.raises(PolicyMissing) as error:
        engine.weigh(setup, policy=["lose_some.u: none", "lose_some.u: lowest u.cost when u.cost > 90"])
    assert str(error.value) == (
        "`lose_some.u` has lines, but none with an answer at this point:\n"
        "  the line that was given: `none` is not on offer\n"
        "  the line that was given: its condition does not hold\n"
        "  on offer: gun 1, pike 2\n"
        "lose_some can come to these choices:\n"
        "  lose_some.u  gone [2]: not answered here\n"
        'hint: add a line that always has an answer, for example "lose_some.u: lowest ...", or the policy "otherwise none"'
    )


def test_choices_that_no_line_answers(engine: Engine) -> None:
    """Flee no or yes: the first that is offered is no; nothing there can be declined."""
    values = {"pikes": 2, "guns": 1, "foes": 2}
    lines = "losses.v: lowest v.cost"
    spelt = engine.weigh("clash", values, policy=[lines, "battle.flee: no"]).joint
    assert engine.weigh("clash", values, policy=["otherwise none", lines]).joint == spelt
    weighing = prepare(engine, "clash", values, policy=[lines, "otherwise first"])
    assert weighing.odds().joint == spelt
    likely(weighing.simulate(500, seed=2, workers=1, by_piece=True).counts, spelt)
    # A line that has an answer comes first, wherever it stands.
    fled = engine.weigh("clash", values, policy=["otherwise none", lines, "battle.flee: yes"]).joint
    assert fled == engine.weigh("clash", values, policy=[lines, "battle.flee: yes"]).joint != spelt


def test_otherwise_none_declines_optional_choices(engine: Engine) -> None:
    """Any number may be picked: none of them, or one after the other until all are."""
    setup = "counters 2 of red gun\nodds of lose_any() -> cost"
    assert engine.weigh(setup, policy="otherwise none").joint == {(0,): 1.0}
    assert set(engine.weigh(setup, policy="otherwise first").joint) != {(0,)}
    with pytest.raises(grognard.UnknownName, match="otherwise none"):
        engine.weigh(setup, policy="otherwise nome")


def test_policies_by_text_by_function_and_in_order(oracle: Engine) -> None:
    values = {"pikes": 1, "guns": 1, "foes": 2}
    declared = oracle.weigh("clash", values, policy="steady", exact=True)
    text = oracle.weigh("clash", values, policy="losses.v: lowest v.cost; battle.flee: no", exact=True)

    def never(name: str, answers: list[str]) -> str | None:
        return "no" if name == "battle.flee" else None

    mixed = oracle.weigh("clash", values, policy=[never, "losses.v: lowest v.aim"], exact=True)
    assert declared.joint == text.joint == mixed.joint
    at_once = oracle.weigh("clash", values, policy=["battle.flee: yes", "steady"], exact=True)
    assert at_once.joint != declared.joint


def test_a_policy_ranks_all_members_of_a_set(oracle: Engine) -> None:
    """Members are picked in ascending order; the policy means the best of all."""
    text = (
        "counters 1 of red gun\ncounters 2 of red pike\ncounters 1 of red gun\nodds of lose_some(2) -> cost"
    )
    weighed = oracle.weigh(f'{text}\noutcome "cost" = cost', policy="lose_some.u: lowest u.cost")
    assert weighed.joint == {(4,): 1.0}
    weighed = oracle.weigh(f'{text}\noutcome "cost" = cost', policy="lose_some.u: highest u.cost")
    assert weighed.joint == {(10,): 1.0}


def test_diagnostics_of_inline_text(oracle: Engine) -> None:
    with pytest.raises(grognard.RulesetError, match=r"there is no choice `battle\.run`"):
        oracle.weigh("clash", {"pikes": 1, "guns": 0, "foes": 1}, policy="battle.run: no")
    with pytest.raises(grognard.RulesetError, match="no procedure `batle`"):
        oracle.weigh("odds of batle()")
    with pytest.raises(grognard.UnknownName, match="clash"):
        oracle.weigh("clsh")
    with pytest.raises(OddsError, match="foes"):
        oracle.weigh("clash")
    with pytest.raises(OddsError, match="`foes` of situation `clash` is a number"):
        oracle.weigh("clash", {"pikes": 1, "foes": None})


# ---------------------------------------------------------------------------------------------- cross-check


def test_simulation_agrees_and_depends_on_its_seed_alone(engine: Engine) -> None:
    weighing = prepare(engine, "clash", {"pikes": 3, "guns": 1, "foes": 2}, policy="steady")
    odds = weighing.odds()
    runs = 1000
    found = weighing.simulate(runs, seed=3, workers=1, by_piece=True)
    assert found.by_piece
    assert found.counts == weighing.simulate(runs, seed=3, workers=2, by_piece=True).counts
    for place, label in enumerate(odds.labels):
        for value, probability in odds.distribution(label).items():
            assert abs(found.share(place, value) - probability) <= 5 * max(found.error(probability), 1 / runs)


def test_simulation_by_numbers_has_the_same_distribution(engine: Engine) -> None:
    values = {"pikes": 5, "guns": 3, "foes": 6}
    weighing = prepare(engine, "clash", values, policy="steady")
    if engine.backend == "interpreter":
        # Cached positions are walked by compiled code.
        found = engine.simulate("clash", values, runs=20, seed=3, policy="steady")
        assert found.by_piece and found.counts == weighing.simulate(20, seed=3, by_piece=True).counts
        return
    joint = weighing.odds().joint
    found = weighing.simulate(120_000, seed=3, workers=1)
    assert not found.by_piece
    likely(found.counts, joint)
    likely(weighing.simulate(2_000, seed=3, workers=1, by_piece=True).counts, joint)
    # What is known already, and who does it, changes nothing.
    assert found.counts == engine.simulate("clash", values, runs=120_000, seed=3, policy="steady").counts
    assert found.counts == weighing.simulate(120_000, seed=3, workers=1).counts


def test_what_a_simulation_keeps_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions that are dropped between batches come up again, and nothing else changes."""
    values = {"pikes": 5, "guns": 3, "foes": 6}
    engine = duel("compiled")
    kept = engine.simulate("clash", values, runs=60_000, seed=3, policy="steady")
    made: list[int] = []
    empty = CachedSimulation._empty
    monkeypatch.setattr(CachedSimulation, "_empty", lambda self: (made.append(1), empty(self))[1])
    monkeypatch.setattr("grognard.odds.cached_simulation.MAX_POSITIONS", 10)
    weighing = prepare(engine, "clash", values, policy="steady")
    assert weighing.simulate(60_000, seed=3, workers=1).counts == kept.counts
    assert len(made) == 3


@pytest.mark.parametrize("what", ["mixed()", "in_order()", "once_more(3)", "battle()"])
def test_simulation_by_numbers_of_every_kind_of_dice(what: str) -> None:
    engine = duel("compiled")
    army = "counters 1 of red pike\ncounters 1 of red gun\ncounters 2 of blue gun\n"
    text = f"{army}odds of {what}{' -> n' if what != 'battle()' else ''}\n"
    text += 'outcome "n" = ' + ("n" if what != "battle()" else "count(u in Unit)")
    weighing = prepare(engine, text, policy="steady")
    likely(weighing.simulate(30_000, seed=5, workers=1).counts, weighing.odds().joint)


def test_cycles_are_solved_exactly() -> None:
    """A walk between three positions with two ends, solved by hand."""
    graph = Graph(
        [
            Node([(1, 1), (1, 2), (2, -1)], 4),
            Node([(1, 0), (1, 1), (2, -2)], 4),
            Node([(3, 0), (1, -2)], 4),
        ],
        [bytearray(), bytearray()],
    )
    # v0 = 1 + v1/4 + 3 v2/4, v1 = v0/4 + v1/4, v2 = v0/4
    v0 = 1 / (1 - Fraction(1, 12) - Fraction(3, 16))
    found = solve(graph, True)
    assert found.ends[0] == v0 / 2 and sum(found.ends) == 1
    assert abs(solve(graph, False).ends[0] - float(v0 / 2)) < 1e-15


def test_binomials_of_many_pieces() -> None:
    from grognard.odds.attrition.grid import exact_hit_distribution, hit_distribution

    pool = ((1, 6, 40), (2, 6, 10))
    exact, rounded = exact_hit_distribution(pool), hit_distribution(pool)
    assert sum(exact) == 1 and abs(sum(rounded) - 1) < 1e-15
    assert exact[0] == Fraction(5, 6) ** 40 * Fraction(4, 6) ** 10
    assert exact[1] == 40 * Fraction(1, 5) * exact[0] + 10 * Fraction(1, 2) * exact[0]
    assert comb(40, 2) * Fraction(1, 25) * exact[0] < exact[2]
