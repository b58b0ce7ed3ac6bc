"""Who can be met: hosts go to one site each, guests come to them.

Every guest can be at some sites, every host at some sites with room for some guests.  Each host chooses one site; how many guests
can be at a site with a host that still has room?  (Planes and the carriers that sail to fetch them.)

Where hosts stand still this is a matching.  With hosts that choose it is hard in general, so the search is exact but lazy: it lets
each host serve all its sites at once (a matching, never too low), and only where that tears a host between sites it tries these one
by one.  Sites at which a host could meet fewer of the same guests are left out, hosts that are alike are tried in one order, what does
not touch is solved by itself.  Fleets of a real game take a few matchings.  The kernel `meeting.h` does the same, matching by matching.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from .matching import match

#: Guests that it has room for, and the guests whom it could meet at each of its sites, as bits.
Host: TypeAlias = tuple[int, tuple[int, ...]]
#: A matching in which hosts serve all their sites: its size, and the guests of each host.
Relaxed: TypeAlias = tuple[int, list[int]]


def most_met(
    guests: Sequence[int], hosts: Sequence[int], room: Sequence[int], spend: Callable[[], None]
) -> int:
    """The greatest number of guests that are met.  Sites are bits; `spend` is told of every matching."""
    visitors: dict[int, int] = {}
    for number, sites in enumerate(guests):
        for site in _bits(sites):
            visitors[site] = visitors.get(site, 0) | 1 << number
    made: list[Host] = []
    for sites, slots in zip(hosts, room, strict=True):
        options = _widest([visitors[site] for site in _bits(sites) if site in visitors])
        if slots > 0 and options:
            made.append((slots, options))
    return _most(made, -1, spend)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _widest(masks: Sequence[int]) -> tuple[int, ...]:
    """Those that no other contains; of equal ones the first."""
    return tuple(
        mask
        for number, mask in enumerate(masks)
        if not any(
            mask | other == other and (mask != other or place < number) for place, other in enumerate(masks)
        )
    )


def _most(hosts: list[Host], floor: int, spend: Callable[[], None]) -> int:
    """The greatest number if it is above the floor, otherwise some number that is not."""
    parts = _parts(hosts)
    relaxed = [_relaxed(part, spend) for part in parts]
    total = sum(size for size, _ in relaxed)
    for part, found in zip(parts, relaxed, strict=True):
        if total <= floor:
            break
        total += _solve(part, found, floor - (total - found[0]), spend) - found[0]
    return total


def _parts(hosts: list[Host]) -> list[list[Host]]:
    """Hosts that have guests in common, directly or through others, in order of their first ones."""
    reach = [_any_site(host) for host in hosts]
    free = [True] * len(hosts)
    parts = []
    for first in range(len(hosts)):
        if not free[first]:
            continue
        inside, seen, grown = {first}, reach[first], True
        while grown:
            grown = False
            for number in range(len(hosts)):
                if number not in inside and free[number] and reach[number] & seen:
                    inside.add(number)
                    seen |= reach[number]
                    grown = True
        for number in inside:
            free[number] = False
        parts.append([hosts[number] for number in sorted(inside)])
    return parts


def _any_site(host: Host) -> int:
    mask = 0
    for option in host[1]:
        mask |= option
    return mask


def _relaxed(part: list[Host], spend: Callable[[], None]) -> Relaxed:
    """The matching in which every host is at all its sites at once."""
    spend()
    reach = [_any_site(host) for host in part]
    everyone = 0
    for mask in reach:
        everyone |= mask
    guests = list(_bits(everyone))
    rows = [sum(1 << number for number, mask in enumerate(reach) if mask >> guest & 1) for guest in guests]
    size, assigned = match(rows, [slots for slots, _ in part])
    met = [0] * len(part)
    for guest, host in zip(guests, assigned, strict=True):
        if host >= 0:
            met[host] |= 1 << guest
    return size, met


def _solve(part: list[Host], relaxed: Relaxed, floor: int, spend: Callable[[], None]) -> int:
    """The same as _most, of hosts that cannot be parted."""
    size, met = relaxed
    for torn, host in enumerate(part):
        if not any(met[torn] | option == option for option in host[1]):
            break
    else:
        return size
    best = floor
    slots, options = part[torn]
    for place, option in enumerate(options):
        # The others of its kind go to this site or a later one, since the order among them does not matter.
        tried = [
            (slots, (option,)) if number == torn else (slots, options[place:]) if host == part[torn] else host
            for number, host in enumerate(part)
        ]
        best = max(best, _most(tried, best, spend))
        if best >= size:
            break
    return best
