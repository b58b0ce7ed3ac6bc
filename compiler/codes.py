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

from grognard.compiler import (
    codes_citations,
    codes_data,
    codes_examples,
    codes_files,
    codes_layers,
    codes_names,
    codes_play,
    codes_syntax,
    codes_tables,
    codes_types,
)
from grognard.compiler.codebook import CODES, Code

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
