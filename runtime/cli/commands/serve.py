"""`grognard serve`: the table in the browser."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from grognard.cli.console import Console
from grognard.cli.errors import OK, UserError
from grognard.cli.loading import add_backend, number

#: Packages of the extra `table`, by the names that are imported.
NEEDED = ("starlette", "uvicorn", "sqlalchemy")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "title", nargs="?", metavar="TITLE", help="show this title first (an id, or the folder of one)"
    )
    parser.add_argument(
        "--port", type=number(0, 65535), default=8087, metavar="N", help="port (default: 8087; 0: any that is free)"
    )  # fmt: skip
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="H", help="address to listen at (default: this machine only)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument(
        "--data", metavar="FOLDER", help="where games are kept (default: the user's data folder)"
    )
    parser.add_argument(
        "--database", metavar="URL", help="a PostgreSQL database instead, for several servers at once"
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="read the rules of TITLE again whenever one of its files is saved",
    )
    add_backend(parser)


def run(args: argparse.Namespace, console: Console) -> int:
    absent = [name for name in NEEDED if find_spec(name) is None]
    if absent:
        raise UserError(f"the table needs {', '.join(absent)}", "pip install 'grognard[table]'")
    from grognard.server.run import serve
    from grognard.support.userdirs import data_dir
    from sqlalchemy.exc import SQLAlchemyError

    if args.watch and args.title is None:
        raise UserError("--watch needs a title to watch", "grognard serve path/to/title --watch")
    database = args.database
    if database is not None:
        if not database.startswith(("postgresql://", "postgres://")):
            raise UserError("the database is given as postgresql://USER@HOST/NAME")
        if find_spec("psycopg") is None:
            raise UserError("PostgreSQL needs psycopg", "pip install 'grognard[postgres]'")
        database = "postgresql+psycopg://" + database.partition("://")[2]
    folder = Path(args.data) if args.data else data_dir()
    try:
        serve(
            args.title,
            host=args.host,
            port=args.port,
            browser=not args.no_browser,
            database=database,
            folder=folder,
            backend=args.backend,
            tell=console.print,
            watch=args.watch,
        )
    except SQLAlchemyError as error:
        first = str(error).partition("\n")[0]
        raise UserError(f"the games cannot be opened: {first}") from None
    except OSError as error:
        raise UserError(
            f"the server cannot listen at {args.host}, port {args.port}: {error.strerror or error}",
            "another one may run there already; --port 0 takes any that is free",
        ) from None
    except KeyboardInterrupt:
        pass
    return OK
