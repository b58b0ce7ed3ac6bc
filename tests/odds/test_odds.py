"""Exact odds against figures that are computed here by independent code, on both back ends."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import grognard
import pytest
from duel_title import duel
from grognard.engine import Engine
from grognard.odds import OddsError, prepare


@pytest.fixture(params=("interpreter", "compiled"))
def engine(request: pytest.FixtureRequest) -> Engine:
    return duel(str(request.param))


@pytest.fixture
def oracle() -> Engine:
    return duel("interpreter")


# ------------------------------------------------------------------------------------------ by another way


def hits(aims: tuple[int, ...]) -> dict[int, Fraction]:
    """The distribution of the number of hits, die by die."""
    found = {0: Fraction(1)}
    for aim in aims:
        after: Counter[int] = Counter()
        for n, p in found.items():
            after[n] += p * Fraction(6 - aim, 6)  # type: ignore[assignment]
            after[n + 1] += p * Fraction(aim, 6)  # type: ignore[assignment]
        found = dict(after)
    return found


@cache
def fought_out(red: tuple[int, ...], blue: tuple[int, ...]) -> dict[tuple[int, int], Fraction]:
    """The battle of the title by plain recursion over what is left; the cheapest (lowest aim) are lost first."""
    if not red or not blue:
        return {(len(red), len(blue)): Fraction(1)}
    result: Counter[tuple[int, int]] = Counter()
    stay = Fraction(0)
    for (h, p), (g, q) in product(hits(red).items(), hits(blue).items()):
        if h == g == 0:
            stay = p * q
            continue
        for end, r in fought_out(red[min(g, len(red)) :], blue[min(h, len(blue)) :]).items():
            result[end] += p * q * r  # type: ignore[assignment]
    return {end: p / (1 - stay) for end, p in result.items()}  # type: ignore[operator]


@pytest.mark.parametrize("army", [(2, 0, 1), (3, 2, 3), (0, 1, 2)])
@pytest.mark.parametrize("fast", [True, False])
def test_a_battle_to_the_last_digit(engine: Engine, army: tuple[int, int, int], fast: bool) -> None:
    pikes, guns, foes = army
    values = {"pikes": pikes, "guns": guns, "foes": foes}
    weighing = prepare(engine, "clash", values, policy="steady", fast=fast)
    exact = weighing.odds(exact=True)
    assert exact.method == ("attrition" if fast else "general")
    assert exact.joint == fought_out((1,) * pikes + (3,) * guns, (3,) * foes)
    assert exact.total == 1 and exact.endless == 0
    rounded = weighing.odds()
    assert abs(rounded.total - 1) < 1e-12
    for end, probability in exact.joint.items():
        assert abs(rounded.joint[end] - probability) <= max(
            rounded.error_bound * probability, Fraction(1, 10**15)
        )


def test_a_policy_that_reads_both_sides_is_no_attrition_model(oracle: Engine) -> None:
    values = {"pikes": 1, "guns": 1, "foes": 2}
    odds = oracle.weigh("clash", values, policy="wary", exact=True)
    assert odds.method == "general" and odds.total == 1
    # One round: red loses the gun first and runs when it is outnumbered.
    left = odds.probability(red=1, blue=2)
    one, two = hits((1, 3)), hits((3, 3))
    stay = one[0] * two[0]
    assert left == one[0] * two[1] / (1 - stay)


def test_large_armies_agree_with_the_general_method(engine: Engine) -> None:
    if engine.backend == "interpreter":
        pytest.skip("the general way takes long there")
    values = {"pikes": 5, "guns": 3, "foes": 6}
    fast = prepare(engine, "clash", values, policy="steady").odds()
    slow = prepare(engine, "clash", values, policy="steady", fast=False).odds()
    assert (fast.method, slow.method) == ("attrition", "general")
    assert max(abs(fast.joint[end] - slow.joint[end]) for end in slow.joint) < 1e-14


# ------------------------------------------------------------------------- what battles tell about each other


def army(pikes: int, guns: int, foes: int) -> dict[str, int]:
    return {"pikes": pikes, "guns": guns, "foes": foes}


def test_grids_are_reused_between_battles_without_changing_results() -> None:
    """Larger, smaller and other battles in turn, each with its own exact odds; a part of an earlier grid needs no round."""
    engine = duel("compiled")
    engine.bench().forget()
    tried = []
    for pikes, guns, foes in ((4, 2, 4), (3, 2, 4), (5, 2, 5), (4, 1, 3), (0, 2, 2), (2, 3, 5), (5, 2, 5)):
        weighing = prepare(engine, "clash", army(pikes, guns, foes), policy="steady")
        odds = weighing.odds(exact=True)
        assert odds.method == "attrition"
        assert odds.joint == fought_out((1,) * pikes + (3,) * guns, (3,) * foes)
        assert weighing._graph is not None
        tried += [model.checked for model in weighing._graph.attrition_models.values()]
    # Of 7 against 5 only the first row and column are new to 6 against 4; three guns were never seen before.
    assert tried == [6 * 4, 0, 7 + 5 - 1, 5 * 3 - 3, 0, 5 * 5 - 2 * 5, 0]


def test_cached_outcomes_are_keyed_by_the_parameters_they_read() -> None:
    engine = duel("compiled")
    for pikes in (4, 3, 4):
        odds = engine.weigh("toll", {"pikes": pikes, "foes": 2}, policy="steady", exact=True)
        wanted: Counter[int] = Counter()
        for (left, _), probability in fought_out((1,) * pikes, (3, 3)).items():
            wanted[pikes - left] += probability  # type: ignore[assignment]
        assert odds.distribution() == dict(sorted(wanted.items()))


def test_grids_that_create_pieces_are_not_cached() -> None:
    engine = duel("compiled")
    for pikes in (4, 3):
        weighing = prepare(engine, "stand", {"pikes": pikes, "foes": 2}, policy="steady")
        odds = weighing.odds(exact=True)
        wanted: Counter[int] = Counter()
        for (left, _), probability in fought_out((1,) * pikes, (3, 3)).items():
            wanted[2 * left] += probability  # type: ignore[assignment]
        assert odds.method == "attrition" and odds.distribution() == dict(sorted(wanted.items()))
        machine = weighing.query.machine()
        assert machine is not None
        grids = weighing.query.grid_cache(machine, weighing.query.policy_key())
        assert grids is not None and len(grids) == 0


def test_a_full_grid_cache_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    from grognard.odds.attrition import reuse

    engine = duel("compiled")
    engine.bench().forget()
    monkeypatch.setattr(reuse, "MAX_POSITIONS", 30)
    for foes in (4, 5, 4):
        weighing = prepare(engine, "clash", army(4, 1, foes), policy="steady")
        assert weighing.odds(exact=True).joint == fought_out((1,) * 4 + (3,), (3,) * foes)
        machine = weighing.query.machine()
        assert machine is not None
        known = weighing.query.grid_cache(machine, weighing.query.policy_key())
        assert known is not None and 0 < len(known) <= 30


def test_a_path_dependent_end_rejects_the_model(engine: Engine) -> None:
    """The grid is right except for the outcomes of its ends, which depend on the hits of the last round."""

    def ended(red: int, blue: int) -> dict[tuple[int, int], Fraction]:
        found: Counter[tuple[int, int]] = Counter()
        stay = Fraction(0)
        for (h, p), (g, q) in product(hits((3,) * red).items(), hits((3,) * blue).items()):
            if h == g == 0:
                stay = p * q
            elif h < blue and g < red:
                for end, r in ended(red - g, blue - h).items():
                    found[end] += p * q * r  # type: ignore[assignment]
            else:
                found[max(red - g, 0), h] += p * q  # type: ignore[assignment]
        return {end: p / (1 - stay) for end, p in found.items()}  # type: ignore[operator]

    for _ in range(2):
        odds = prepare(engine, "blow", {"pikes": 3, "foes": 2}, policy="steady").odds(exact=True)
        assert odds.method == "general"
        assert odds.joint == ended(3, 2)


@pytest.mark.parametrize("fast", [True, False])
def test_a_piece_that_outcomes_refer_to_is_not_merged(engine: Engine, fast: bool) -> None:
    """One of four equal pieces: it matters which is hit, and its state when it leaves play."""
    found = prepare(engine, "fate", {"others": 3}, fast=fast).odds(exact=True)
    wanted: Counter[tuple[int, int]] = Counter()
    for shot in product((False, True), repeat=4):
        wanted[2 * shot[0], 4 - (sum(shot) if sum(shot) > 1 else 0)] += Fraction(1, 16)  # type: ignore[assignment]
    assert found.joint == wanted


TRAPS = ("outnumbers", "few_left", "band_of_blue", "band_of_red", "heavy_losses", "glory_of_hits")


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("reds, blues", [(12, 12), (9, 14), (16, 8)])
def test_dependent_sides_are_found_by_the_sample(trap: str, reds: int, blues: int) -> None:
    """Grids that are too large for an exhaustive check: dependences of dice, losses and ends are found; else the figures would
    differ from those of the general method."""
    engine = duel("compiled")
    engine.bench().forget()
    values = {"t": trap, "reds": reds, "blues": blues}
    found = prepare(engine, "trap", values, policy="steady").odds()
    general = prepare(engine, "trap", values, policy="steady", fast=False).odds()
    assert found.joint == pytest.approx(general.joint, abs=1e-12)
    assert found.method == "general"
    plain = prepare(engine, "trap", {**values, "t": "none"}, policy="steady")
    assert plain.odds().method == "attrition"
    assert plain._graph is not None
    (model,) = plain._graph.attrition_models.values()
    assert 0 < model.checked < reds * blues


# --------------------------------------------------------------------------------- what was asked for before


def test_a_repeated_query_reuses_the_state_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same result to the last bit, without exploration; queries in between change nothing."""
    from grognard.odds.state_graph import Explorer

    engine = duel("compiled")
    engine.bench().forget()
    asked = [army(pikes, guns, foes) for pikes, guns, foes in ((4, 2, 4), (1, 0, 1), (3, 2, 5), (4, 2, 4))]
    # What is written for the first time begins all anew.
    fled = engine.weigh("clash", asked[0], policy=["battle.flee: yes", "steady"])
    first = [engine.weigh("clash", values, policy="steady") for values in asked]

    def never(*given: object) -> None:
        raise AssertionError("nothing is followed again")

    with monkeypatch.context() as patched:
        patched.setattr(Explorer, "explore", never)
        again = [engine.weigh("clash", values, policy="steady") for values in asked]
        exact = [engine.weigh("clash", values, policy="steady", exact=True) for values in asked]
        with pytest.raises(AssertionError, match="followed"):
            engine.weigh("clash", asked[0], policy="wary")
        with pytest.raises(AssertionError, match="followed"):
            engine.weigh("clash", army(4, 2, 5), policy="steady")
    for one, two, three, values in zip(first, again, exact, asked):
        assert one.joint == two.joint and list(one.joint) == list(two.joint)
        assert (one.method, one.positions, one.ends, one.error_bound) == (
            two.method, two.positions, two.ends, two.error_bound,
        )  # fmt: skip
        assert three.joint == fought_out(
            (1,) * values["pikes"] + (3,) * values["guns"], (3,) * values["foes"]
        )
    assert engine.weigh("clash", asked[0], policy=["battle.flee: yes", "steady"]).joint == fled.joint
    assert fled.joint != first[0].joint


def test_the_oldest_state_graphs_are_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evicted graphs are computed again."""
    from grognard.odds.attrition import reuse

    engine = duel("compiled")
    engine.bench().forget()
    monkeypatch.setattr(reuse, "MAX_GRAPHS", 2)
    for foes in (1, 2, 3, 1, 4, 2, 1):
        weighing = prepare(engine, "clash", army(2, 1, foes), policy="steady")
        assert weighing.odds(exact=True).joint == fought_out((1, 1, 3), (3,) * foes)
        machine = weighing.query.machine()
        assert machine is not None
        known = weighing.query.grid_cache(machine, weighing.query.policy_key())
        assert known is not None and 1 <= len(known._graphs) <= 2


def test_different_queries_share_no_set_up(engine: Engine) -> None:
    """Situations, policies, texts and positions in turn, each time with the odds that they have alone."""
    text = (
        'counters 2 of red gun\ncounters 1 of blue gun\nodds of battle()\noutcome "red" = count(of_side(red))'
    )
    position = engine.new_game()

    def weighed() -> list[dict[tuple[object, ...], object]]:
        clash = {"pikes": 1, "guns": 1, "foes": 1}
        return [
            engine.weigh("clash", clash, policy="steady", exact=True).joint,
            engine.weigh("toll", {"pikes": 1, "foes": 1}, policy="steady", exact=True).joint,
            engine.weigh(text, policy="steady", exact=True).joint,
            engine.weigh("clash", clash, policy=["losses.v: highest v.cost", "steady"], exact=True).joint,
            engine.weigh("clash", {"foes": 1, "guns": 1}, policy="steady", exact=True).joint,
            engine.weigh("clash", clash, policy=lambda name, answers: answers[0], exact=True).joint,
            engine.weigh("clash", clash, policy="steady", position=position, exact=True).joint,
        ]

    first = weighed()
    assert first[0] == first[6] == fought_out((1, 3), (3,)) and first[4] == fought_out((3,), (3,))
    assert first[3] == fought_out((3, 1), (3,)) != first[0]
    assert weighed() == first


def test_illegal_values_are_errors_after_any_query(engine: Engine) -> None:
    values = {"pikes": 1, "guns": 1, "foes": 1}
    engine.weigh("clash", values, policy="steady")
    with pytest.raises(OddsError, match="`foes` of situation `clash` is a number"):
        engine.weigh("clash", {**values, "foes": 21}, policy="steady")
    with pytest.raises(OddsError, match="`foes` of situation `clash` is a number"):
        engine.weigh("clash", {**values, "foes": "many"}, policy="steady")
    with pytest.raises(grognard.UnknownName, match="pikes"):
        engine.weigh("clash", {**values, "pykes": 1}, policy="steady")
    with pytest.raises(OddsError, match="at least one"):
        engine.weigh("clash", {}, policy="steady")
    # A flag is a number, too.
    assert engine.weigh("clash", {"guns": True, "foes": 1}, policy="steady", exact=True).joint == fought_out((3,), (3,))  # fmt: skip


@pytest.mark.parametrize("backend", ["interpreter", "compiled"])
def test_every_state_is_verified_on_request(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit so low that only a sample would be checked otherwise; a cached sample does not suffice."""
    from grognard.odds.attrition import derive

    engine = duel(backend)
    engine.bench().forget()
    monkeypatch.setattr(derive, "EXHAUSTIVE_LIMIT", 10)
    values = army(3, 2, 4)

    def tried(every: bool) -> int:
        weighing = prepare(engine, "clash", values, policy="steady", every=every)
        assert weighing.odds(exact=True).joint == fought_out((1,) * 3 + (3,) * 2, (3,) * 4)
        assert weighing._graph is not None
        (model,) = weighing._graph.attrition_models.values()
        return model.checked

    assert tried(False) < 20
    assert tried(True) == 20
    # What was proved is known from now on, if anything can be cached.
    assert tried(True) == (0 if backend == "compiled" else 20)


# ------------------------------------------------------------------------------------------ every kind of dice


def test_dice_pools_draws(engine: Engine) -> None:
    odds = engine.odds("mixed", exact=True)
    wanted: Counter[int] = Counter()
    for a, b in product(range(1, 7), repeat=2):
        wanted[a + b] += Fraction(1, 3) / 36  # type: ignore[assignment]
    for dice in product(range(1, 7), repeat=3):
        for low in range(1, 7):
            value = sum(d >= 5 for d in dice) + 20 + (10 if max(dice) == 6 and low == 1 else 0)
            wanted[value] += Fraction(2, 3) / 6**4  # type: ignore[assignment]
    assert odds.distribution() == dict(sorted(wanted.items()))


def test_the_order_of_dice_matters_where_rules_read_it(oracle: Engine) -> None:
    assert oracle.odds("in_order", exact=True).distribution() == {n: Fraction(1, 6) for n in range(1, 7)}


def test_a_reroll_of_one_die_of_a_pool(engine: Engine) -> None:
    """Two dice; the second again if it shows a one."""
    wanted: Counter[int] = Counter()
    for first, second, again in product(range(1, 7), repeat=3):
        wanted[first + (again if second == 1 else second)] += Fraction(1, 216)  # type: ignore[assignment]
    assert engine.odds("once_more", [2], exact=True).distribution() == dict(sorted(wanted.items()))


def test_dice_inside_trials_are_an_error(oracle: Engine) -> None:
    with pytest.raises(OddsError, match="at best"):
        oracle.odds("dreaming")


def test_actions_and_seats(engine: Engine) -> None:
    odds = engine.odds(
        "pray", by="blue", outcomes={"points": lambda end: end.side("blue", "points")}, exact=True
    )
    assert odds.joint == {(0,): Fraction(5, 6), (1,): Fraction(1, 6)}
    seen = engine.new_game().odds(
        "pray", by="red", seat="red", outcomes={"mine": lambda end: end.side("red", "points")}
    )
    assert seen.probability(mine=1) == 1 / 6
    with pytest.raises(OddsError, match="who"):
        engine.odds("pray")


def test_a_deterministic_procedure_is_certain(oracle: Engine) -> None:
    assert oracle.odds("plain", [7]).joint == {(7,): 1.0}


def test_capacity_is_enlarged_for_new_pieces(engine: Engine) -> None:
    """Sixty counters fit into the smallest capacity, those that join them do not; 84 exceed what the rules declare."""
    text = 'counters {} of red pike\nodds of recruits() -> n\noutcome "n" = n'
    weighing = prepare(engine, text.format(60))
    assert weighing.query.with_more_capacity is not None
    assert weighing.odds(exact=True).distribution() == {n: Fraction(1, 6) for n in range(61, 67)}
    assert weighing.query.with_more_capacity is None
    found = prepare(engine, text.format(60)).simulate(300, seed=1, workers=1, by_piece=True)
    assert set(found.counts) == {(n,) for n in range(61, 67)}
    with pytest.raises(grognard.RuleError, match="no counter is left"):
        engine.weigh(text.format(78))


def test_an_endless_procedure_is_recognised(oracle: Engine) -> None:
    odds = oracle.weigh('counters 2 of red pike\nodds of standoff() -> n\noutcome "n" = n', exact=True)
    assert odds.joint == {(1,): Fraction(1, 6)} and odds.endless == Fraction(5, 6)


def test_a_battle_that_may_never_end(engine: Engine) -> None:
    """The first side to hit wins; if both do, only flags are left, which never hit."""
    army = "\n".join(f"counters 1 of {side} {arm}" for side in ("red", "blue") for arm in ("pike", "flag"))
    left = '\noutcome "red" = count(of_side(red))\noutcome "blue" = count(of_side(blue))'
    odds = engine.weigh(f"{army}\nodds of battle(){left}", policy="steady", exact=True)
    assert odds.joint == {(2, 0): Fraction(5, 11), (0, 2): Fraction(5, 11)} and odds.endless == Fraction(
        1, 11
    )


def test_a_sparse_domain_can_grow(engine: Engine) -> None:
    """Three guns have a capacity of eight; six recruits exceed it, and the query is repeated with a larger one."""
    text = "counters 3 of red gun\nodds of recruits() -> n"
    for _ in range(2):
        assert engine.weigh(text, exact=True).joint == {(n,): Fraction(1, 6) for n in range(4, 10)}
    # Numbers that differ from the first that was asked for.
    for guns in (1, 30, 5):
        joint = engine.weigh(f"counters {guns} of red gun\nodds of recruits() -> n").joint
        assert set(joint) == {(guns + d,) for d in range(1, 7)}
