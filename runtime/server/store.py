"""Where games are kept: tables of a database, and the transactions on them.

What is acknowledged is on disk: SQLite runs with a write-ahead log that is flushed at each commit, PostgreSQL as it comes.
Events and messages are only ever added.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Float, ForeignKey, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

settings = Table(
    "settings",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

games = Table(
    "games",
    metadata,
    Column("id", String(32), primary_key=True),
    # What never changes: title, scenario, errata, seed, fingerprint, undo, name, clock, origin.
    Column("header", Text, nullable=False),
    Column("made", Float, nullable=False),
    # The number of the last event, and what lists of games show.
    Column("head", Integer, nullable=False),
    Column("touched", Float, nullable=False),
    Column("status", String(16), nullable=False),
    Column("asked", String(200)),
    # Raised when seats, names, offers or chat change.
    Column("table_version", Integer, nullable=False, default=0),
    Column("offers", Text, nullable=False, default="[]"),
)

events = Table(
    "events",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    Column("n", Integer, primary_key=True),
    # start, answer, edit, undo, end
    Column("kind", String(16), nullable=False),
    Column("time", Float, nullable=False),
    Column("data", Text, nullable=False),
    # The position after it, compressed; none where it is that of an earlier event.
    Column("position", LargeBinary),
)

messages = Table(
    "messages",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    Column("seat", String(200), primary_key=True),
    Column("n", Integer, primary_key=True),
    # The last event that it tells of, how far the seat may go back, and to which number it went back.
    Column("event", Integer, nullable=False),
    Column("undo", Integer),
    Column("undone", Integer),
    Column("body", Text, nullable=False),
)

seats = Table(
    "seats",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    Column("seat", String(200), primary_key=True),
    # person, bot or open
    Column("kind", String(16), nullable=False),
    Column("bot", String(40)),
    # The digest of the token of who holds it.
    Column("holder", String(64), index=True),
    Column("name", String(80)),
    # Counts invitations that were taken back.
    Column("invitation", Integer, nullable=False, default=0),
)

watchers = Table(
    "watchers",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    Column("holder", String(64), primary_key=True),
)

replies = Table(
    "replies",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    Column("holder", String(64), primary_key=True),
    Column("key", String(80), primary_key=True),
    Column("body", Text, nullable=False),
)

chat = Table(
    "chat",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("time", Float, nullable=False),
    Column("seat", String(200)),
    Column("name", String(80), nullable=False),
    Column("text", Text, nullable=False),
    # The line that it quotes: its event and its place among the lines of that event.
    Column("event", Integer),
    Column("line", Integer),
)

notes = Table(
    "notes",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    Column("holder", String(64), primary_key=True),
    Column("text", Text, nullable=False),
)

#: What somebody asks all persons at a table to agree to: taking back, or a change by hand.  One at a time.
proposals = Table(
    "proposals",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    Column("id", String(32), nullable=False),
    # undo or edit
    Column("kind", String(16), nullable=False),
    Column("seat", String(200), nullable=False),
    Column("data", Text, nullable=False),
    Column("agreed", Text, nullable=False),
)

#: Of games with a clock: since when the seat that is asked is thinking, and what each has used before.
clocks = Table(
    "clocks",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    # None while seats are open: nobody is waited for.
    Column("since", Float),
    Column("spent", Text, nullable=False),
)

#: Rules that games were begun under, for when the title's files have changed.
rules = Table(
    "rules",
    metadata,
    Column("fingerprint", String(64), primary_key=True),
    Column("title", String(200), nullable=False),
    Column("signature", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),
)

accounts = Table(
    "accounts",
    metadata,
    # The name as it is compared, and as it is shown.
    Column("key", String(80), primary_key=True),
    Column("name", String(80), nullable=False),
    # An argon2 hash.
    Column("password", Text, nullable=False),
    # What seats know the account by.
    Column("holder", String(64), nullable=False, unique=True),
    Column("made", Float, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    # The digest of the token.
    Column("token", String(64), primary_key=True),
    Column("account", String(80), ForeignKey("accounts.key"), nullable=False, index=True),
    Column("made", Float, nullable=False),
    Column("expires", Float, nullable=False),
)

#: Bots that are to answer; a worker claims one for a while, so that another takes it up if the worker is gone.
jobs = Table(
    "jobs",
    metadata,
    Column("game", String(32), ForeignKey("games.id"), primary_key=True),
    Column("event", Integer, nullable=False),
    Column("claimed_until", Float, nullable=False, default=0.0),
    Column("claimed_by", String(64)),
)


class Store:
    """A database of games."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = _open(url)
        self.postgres = self.engine.dialect.name == "postgresql"
        self._writer = threading.RLock()
        if self.postgres:
            with self.engine.begin() as connection:
                # Several servers may start on an empty database at once.
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(715001)"))
                metadata.create_all(connection)
        else:
            metadata.create_all(self.engine)
        self._secret = self._read_secret().encode()

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def writing(self, game: str | None = None) -> Iterator[sa.Connection]:
        """A transaction; with a game, the only one that changes it."""
        # SQLite has one writer at a time, and who waits for it sleeps and looks again: in a queue it is quicker and fair.
        with nullcontext() if self.postgres else self._writer, self.engine.begin() as connection:
            if game is not None and self.postgres:
                connection.execute(sa.select(games.c.id).where(games.c.id == game).with_for_update())
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        with self.engine.connect().execution_options(writes=False) as connection:
            yield connection

    def notify(self, connection: sa.Connection, game: str) -> None:
        """Tells other servers of the same database, when the transaction is committed."""
        if self.postgres:
            connection.execute(sa.text("SELECT pg_notify('grognard', :game)"), {"game": game})

    # ---- secrets

    def _read_secret(self) -> str:
        row = settings.c.name == "secret"
        with self.writing() as connection:
            found = connection.execute(sa.select(settings.c.value).where(row)).scalar()
            if found is None:
                made = secrets.token_hex(32)
                found = made
                if self.postgres:
                    from sqlalchemy.dialects.postgresql import insert

                    connection.execute(
                        insert(settings).values(name="secret", value=made).on_conflict_do_nothing()
                    )
                    found = connection.execute(sa.select(settings.c.value).where(row)).scalar_one()
                else:
                    connection.execute(settings.insert().values(name="secret", value=made))
            return str(found)

    def sign(self, *parts: str) -> str:
        """What only this database's servers can have made of these parts."""
        digest = hmac.new(self._secret, "\0".join(parts).encode(), hashlib.sha256)
        return digest.hexdigest()[:32]


def _open(url: str) -> sa.Engine:
    if not url.startswith("sqlite"):
        return sa.create_engine(url, pool_size=20, max_overflow=20, pool_pre_ping=True)
    engine = sa.create_engine(url, connect_args={"timeout": 30, "check_same_thread": False}, pool_size=20)

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        # Transactions are ours: see _begin.
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        # An answer that was acknowledged survives a loss of power.
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        # Who is going to write waits here, not in the middle of a transaction.
        writes = connection.get_execution_options().get("writes", True)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def database_in(folder: Path) -> str:
    """The address of the database in a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'table.db'}"


def digest(token: str) -> str:
    """What the database knows of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
