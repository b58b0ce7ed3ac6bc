"""Guests that are met by hosts who go to one site each: the kernel finds what the interpreter finds, and takes as many steps."""

from __future__ import annotations

import random
from itertools import product

import pytest
from grognard.compiler.build.build import build_engine, compiler_available
from grognard.contract import ir
from grognard.contract.backend import Io, RuleFailure, fresh_cells
from grognard.contract.header import FAIL_BUDGET
from grognard.contract.ir.verify import InvalidProgram, verify
from grognard.contract.layout import compute_layout
from grognard.geometry.matching import match
from grognard.geometry.meeting import most_met
from grognard.interpreter.machine import Interpreter
from grognard.native.engine import CompiledEngine
from programs import INT, Builder, Built, loc

GUESTS, HOSTS, SITES = 40, 20, 70


def meeting(elsewhere: bool = False) -> Built:
    """Guests and hosts with the sites where each can be."""
    b = Builder("meeting")
    guest, host = b.domain("Guest", "piece", GUESTS), b.domain("Host", "piece", HOSTS, base=5)
    site = b.domain("Site", "place", SITES, base=3)
    at = b.field("Guest.at", (guest,), ir.SetType(site))
    of = b.field("Host.at", (host,), ir.SetType(guest if elsewhere else site))
    room = b.field("Host.room", (host,), lo=-2, hi=9)
    b.expr(
        "met",
        0,
        (("g", INT), ("h", INT)),
        ir.Meeting(
            0,
            ir.SetBuild(guest, 0, ir.OverDomain(guest), None, None),
            ir.SetLoad(at, (loc(0),), b.site("load", "where it can be")),
            1,
            ir.SetBuild(host, 1, ir.OverDomain(host), None, None),
            ir.SetLoad(of, (loc(1),), b.site("load", "where they can be")),
            ir.Load(room, (loc(1),), b.site("load", "for how many")),
            b.site("aggregate", "matched"),
        ),
    )
    return b.build()


def around(chance: random.Random, sites: int) -> int:
    """Some sites in a row, as ships and planes reach them, or any."""
    if chance.randrange(4) == 0:
        return chance.getrandbits(sites) & chance.getrandbits(sites) & chance.getrandbits(sites)
    first = chance.randrange(sites)
    return sum(1 << (first + i) % sites for i in range(chance.randrange(6)))


@pytest.mark.skipif(compiler_available() is not None, reason="needs a C compiler")
def test_the_kernel_meets_as_many_in_as_many_steps() -> None:
    program, _, data, _ = meeting()
    layout = compute_layout(program, [d.base for d in data.domains], [d.count for d in data.domains])
    oracle, engine = (
        Interpreter(program, layout, data),
        CompiledEngine(build_engine(program), program, layout, data),
    )
    chance = random.Random(1940)
    torn = 0
    for _ in range(300):
        cells = fresh_cells(program, layout, 1)
        sites = chance.choice((4, 12, SITES))
        with memoryview(cells) as raw, raw.cast("i") as s:
            for field, count in ((0, chance.randrange(GUESTS + 1)), (1, chance.randrange(HOSTS + 1))):
                words = layout.field_words[field]
                for i in range(count):
                    mask = around(chance, sites)
                    for word in range(words):
                        bits = mask >> 32 * word & 0xFFFFFFFF
                        s[layout.field_offset[field] + i * words + word] = bits - (bits >> 31 << 32)
            for i in range(HOSTS):
                s[layout.field_offset[2] + i] = chance.choice((0, 1, 2, 2, 2, 3))
        wanted = oracle.call(bytearray(cells), 0, (), Io())
        assert engine.call(bytearray(cells), 0, (), Io()) == wanted
        # The least that is enough for the one is so for the other.
        low, high = 0, 5000
        while low < high:
            middle = (low + high) // 2
            try:
                oracle.call(bytearray(cells), 0, (), Io(budget=middle))
                high = middle
            except RuleFailure as failure:
                assert failure.kind == FAIL_BUDGET
                low = middle + 1
        torn += low > GUESTS + HOSTS + 3
        assert engine.call(bytearray(cells), 0, (), Io(budget=low)) == wanted
        with pytest.raises(RuleFailure):
            engine.call(bytearray(cells), 0, (), Io(budget=low - 1))
    assert torn > 30


def test_as_many_are_met_as_any_choice_of_sites_allows() -> None:
    chance = random.Random(1)
    for _ in range(400):
        sites = chance.randrange(1, 6)
        guests = [chance.getrandbits(sites) & chance.getrandbits(sites) for _ in range(chance.randrange(7))]
        hosts = [chance.getrandbits(sites) for _ in range(chance.randrange(5))]
        room = [chance.randrange(-1, 3) for _ in hosts]
        choices = product(*([site for site in range(sites) if host >> site & 1] or [-1] for host in hosts))
        best = max(
            match(
                [
                    sum(1 << j for j, site in enumerate(chosen) if site >= 0 and guest >> site & 1)
                    for guest in guests
                ],
                room,
            )[0]
            for chosen in choices
        )
        assert most_met(guests, hosts, room, lambda: None) == best


def test_many_fleets_take_few_matchings() -> None:
    """Hosts that are torn each in their own waters, and many of a kind in one: no product of their choices."""
    apart = [1 << i for i in range(60) for _ in range(2)]
    matchings: list[int] = []
    split = [0b11 << i for i in range(0, 60, 2)]
    assert most_met(apart, split, [4] * 30, lambda: matchings.append(1)) == 60
    assert most_met([1, 2, 4, 8] * 3, [15] * 20, [1] * 20, lambda: matchings.append(1)) == 12
    assert most_met([1, 2, 4, 8], [15] * 3, [4] * 3, lambda: matchings.append(1)) == 3
    assert len(matchings) < 500


def test_sets_of_sites_are_over_one_domain() -> None:
    with pytest.raises(InvalidProgram, match="W12"):
        verify(meeting(elsewhere=True)[0])
