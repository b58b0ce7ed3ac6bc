"""`grognard lsp`: the language server for editors."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    # What clients add by habit.
    parser.add_argument(
        "--stdio", action="store_true", help="speak over standard input and output (always done)"
    )


def run(args: argparse.Namespace, console: Console) -> int:
    from grognard.compiler_access import language_server
    from grognard.support.version import VERSION

    if find_spec("pygls") is None:
        raise UserError("the language server needs the package pygls", "pip install 'grognard[editor]'")
    language_server(VERSION)
    return OK
