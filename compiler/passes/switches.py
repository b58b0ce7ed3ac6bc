"""The passes that only make engines faster, by name, and which of them are switched off.

Each can be looked at alone: `grognard build TITLE --without NAME`, or `GROGNARD_WITHOUT=NAME,NAME` for any command.  Results are the
same with and without it; the tests hold each of them to that.  Light to import: keys of caches depend on it.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass

from grognard.contract.build import UnknownPass

VARIABLE = "GROGNARD_WITHOUT"


@dataclass(frozen=True, slots=True)
class Switch:
    """A pass that can be switched off."""

    name: str
    #: what it works on: the IR, a plan that the printers follow, or the C-level tree
    over: str
    what: str


SWITCHES = (
    Switch("merge_blocks", "IR", "blocks of a machine that only lead to each other become one"),
    Switch("share_calls", "IR", "a call that a rule makes twice with the same arguments is made once"),
    Switch("inline_functions", "plan", "small functions are written out where they are called"),
    Switch("clone_untraced", "plan", "functions that loop have a second version for runs without a trace"),
    Switch(
        "memoise_functions",
        "plan",
        "values of costly functions are kept until a field that they read is written",
    ),
    Switch("drop_parameters", "plan", "parameters that a function does not read are not passed"),
    Switch("skip_frames", "plan", "machines that end before they ask are run without a frame"),
    Switch("skip_depth_counts", "plan", "the depth of calls is not counted where it cannot be too deep"),
    Switch("skip_member_checks", "plan", "members of sets that rules put together are not checked again"),
    Switch(
        "check_parameters_once",
        "plan",
        "a parameter that is an index is checked when the function is entered",
    ),
    Switch("write_out_blocks", "plan", "blocks of a machine are written inside the block that leads to them"),
    Switch("hold_integers", "plan", "integers of a machine are C variables while it runs"),
    Switch("ask_directly", "plan", "candidates are collected in the machine that asks"),
    Switch("fill_fields", "plan", "a loop that writes one value to a whole field is one call"),
    Switch("scan_cells", "plan", "comparisons of a cell are made for many elements at once"),
    Switch("prefilter_elements", "plan", "elements that cannot pass a filter are not asked"),
    Switch("use_bitboards", "plan", "filters over places of a grid are asked of all places at once"),
    Switch("use_direction_bits", "plan", "conditions on directions are asked of all directions at once"),
    Switch("share_bitboards", "tree", "bitboards are shared between routines, and maintained by writes"),
    Switch(
        "inline_single_calls", "tree", "a routine that is called in one place is inlined by the C compiler"
    ),
)
NAMES = frozenset(switch.name for switch in SWITCHES)


def checked(names: Iterable[str]) -> frozenset[str]:
    """Passes by their names, or by what only one name begins with; UnknownPass."""
    wanted = set()
    for name in names:
        begins = [known for known in sorted(NAMES) if known.startswith(name)]
        if name in NAMES or len(begins) == 1:
            wanted.add(name if name in NAMES else begins[0])
            continue
        near = difflib.get_close_matches(name, NAMES, n=1) or [n for n in sorted(NAMES) if name in n][:1]
        hint = f"did you mean {near[0]}?" if near else f"the passes are {', '.join(sorted(NAMES))}"
        raise UnknownPass(f"there is no pass {name!r}", hint)
    return frozenset(wanted)


def switched_off() -> frozenset[str]:
    """The passes that the environment switches off."""
    return checked(name for name in os.environ.get(VARIABLE, "").replace(",", " ").split())
