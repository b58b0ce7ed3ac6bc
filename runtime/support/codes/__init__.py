"""The registry of diagnostic codes.

A code never changes its meaning and is never used again. The first two digits say what it is about:

    00 files and sources        05 layers, exceptions, errata
    01 syntax                   06 data: YAML, maps, scenarios
    02 names                    07 procedures, choices, sequences
    03 types and ranges         08 citations and coverage
    04 tables and modifiers     09 examples of play

How grave a message is belongs to the place that reports it, not to the code.
"""

from __future__ import annotations

from grognard.support.codes import (
    citations as codes_citations,
)
from grognard.support.codes import (
    data as codes_data,
)
from grognard.support.codes import (
    examples as codes_examples,
)
from grognard.support.codes import (
    files as codes_files,
)
from grognard.support.codes import (
    layers as codes_layers,
)
from grognard.support.codes import (
    names as codes_names,
)
from grognard.support.codes import (
    play as codes_play,
)
from grognard.support.codes import (
    syntax as codes_syntax,
)
from grognard.support.codes import (
    tables as codes_tables,
)
from grognard.support.codes import (
    types as codes_types,
)
from grognard.support.codes.codebook import CODES, Code

__all__ = ["CODES", "FAMILIES", "Code"]

#: Each registers its own when it is read.
FAMILIES = (
    codes_files,
    codes_syntax,
    codes_names,
    codes_types,
    codes_tables,
    codes_layers,
    codes_data,
    codes_play,
    codes_citations,
    codes_examples,
)
