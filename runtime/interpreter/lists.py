"""List expressions to closures, and integer expressions about lists.

The value of a list is a Python list that only its owner changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.bitsets import elements
from grognard.contract.header import FAIL_INDEX, FAIL_LIST, NONE
from grognard.geometry.meeting import most_met
from grognard.interpreter.frames import Eval, Frame
from grognard.interpreter.scope import Scope


class ListExpressions(Scope):
    """Compiles lists, their locals, length, items and matching."""

    # -------------------------------------------------------------------------------------- values and locals

    def list(self, node: Any) -> Eval:
        """A list that is borrowed: read it, but do not change it."""
        if isinstance(node, ir.ListLocal):
            self.expect_local(node.index, ir.ListType)
            slot = self.offsets[node.index]
            if not self.in_machine:
                return lambda fr: fr.v[slot]

            def from_frame(fr: Frame) -> Any:
                v = fr.v
                return v[slot + 1 : slot + 1 + v[slot]].tolist()

            return from_frame
        if not isinstance(self.program.fields[node.field].type, ir.ListType):
            raise ValueError(f"field {self.program.fields[node.field].name} is no list")
        at = self.field_place(node.field, node.index, node.site)

        def from_field(fr: Frame) -> Any:
            place = at(fr) + 1
            return fr.c[place : place + fr.c[place - 1]].tolist()

        return from_field

    def list_within(self, node: Any, capacity: int, site: int) -> Eval:
        """A copy of a list, of at most this many items; FAIL_LIST if there are more."""
        values = self.list(node)

        def copied(fr: Frame) -> Any:
            found = list(values(fr))
            if len(found) > capacity:
                raise RuleFailure(FAIL_LIST, site, (len(found),))
            return found

        return copied

    def put_list(self, index: int) -> Callable[[Frame, Any], None]:
        """Writes a list local; cells behind the last item are 0, so that equal lists have equal cells."""
        kind = self.locals[index].type
        if not isinstance(kind, ir.ListType):
            raise ValueError(f"local {index} is no list")
        slot, capacity = self.offsets[index], kind.capacity

        def put(fr: Frame, items: Any) -> None:
            fr.v[slot] = items

        def put_cells(fr: Frame, items: Any) -> None:
            v = fr.v
            v[slot] = len(items)
            for number in range(capacity):
                v[slot + 1 + number] = items[number] if number < len(items) else 0

        return put_cells if self.in_machine else put

    # ----------------------------------------------------------------------------------- integers about lists

    def _list_length(self, node: ir.ListLength) -> Eval:
        values = self.list(node.list)
        return lambda fr: len(values(fr))

    def _list_item(self, node: ir.ListItem) -> Eval:
        values, n, site = self.list(node.list), self.expr(node.n), node.site

        def item(fr: Frame) -> int:
            found, number = values(fr), n(fr)
            if not 1 <= number <= len(found):
                raise RuleFailure(FAIL_INDEX, site, (number,))
            return found[number - 1]

        return item

    def _coverable(self, node: ir.Coverable) -> Eval:
        left, fits, extra = self.set(node.left), self.expr(node.fits), self.expr(node.extra)
        base = self.layout.base[self.set_domain(node.left)]
        chosen = self.list(ir.ListLocal(node.chosen))
        left_slot, right_slot = self.int_slot(node.left_var), self.int_slot(node.right_var)

        def coverable(fr: Frame) -> int:
            lefts = list(elements(left(fr), base))
            rights = list(chosen(fr))
            more = extra(fr)
            if more != NONE:
                rights.append(more)
            v = fr.v
            rows: list[list[int]] = []
            # All pairs are evaluated first: how often `fits` runs must not depend on the search.
            for right in rights:
                row = []
                for number, candidate in enumerate(lefts):
                    v[left_slot] = candidate
                    v[right_slot] = right
                    if fits(fr):
                        row.append(number)
                rows.append(row)
            v[left_slot] = 0
            v[right_slot] = 0
            holder: dict[int, int] = {}
            return int(all(_augment(rows, right, holder, set()) for right in range(len(rows))))

        return coverable

    def _meeting(self, node: ir.Meeting) -> Eval:
        sets = [(self.set(one), self.layout.base[self.set_domain(one)]) for one in (node.left, node.right)]
        left_at, right_at, room = self.set(node.left_at), self.set(node.right_at), self.expr(node.room)
        left_slot, right_slot = self.int_slot(node.left_var), self.int_slot(node.right_var)
        (left, left_base), (right, right_base) = sets
        site = node.site

        def meeting(fr: Frame) -> int:
            guests, hosts = left(fr), right(fr)
            v = fr.v
            guest_sites, host_sites, rooms = [], [], []
            for guest in elements(guests, left_base):
                v[left_slot] = guest
                guest_sites.append(left_at(fr))
            for host in elements(hosts, right_base):
                v[right_slot] = host
                host_sites.append(right_at(fr))
                rooms.append(room(fr))
            v[left_slot] = 0
            v[right_slot] = 0
            return most_met(guest_sites, host_sites, rooms, lambda: fr.run.spend(1, site))

        return meeting


def _augment(rows: list[list[int]], right: int, holder: dict[int, int], tried: set[int]) -> bool:
    """Match `right` along an augmenting path; `holder` is the matching so far, by left element."""
    for left in rows[right]:
        if left not in tried:
            tried.add(left)
            if left not in holder or _augment(rows, holder[left], holder, tried):
                holder[left] = right
                return True
    return False


LIST_QUERIES: dict[type, Callable[[ListExpressions, Any], Eval]] = {
    ir.ListLength: ListExpressions._list_length,
    ir.ListItem: ListExpressions._list_item,
    ir.Coverable: ListExpressions._coverable,
    ir.Meeting: ListExpressions._meeting,
}
