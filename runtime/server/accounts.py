"""Accounts, for who wants the same games in several browsers: a name and a password, beside the tokens of browsers.

Passwords are kept as argon2 hashes.  A session is a random token, of which the database knows a digest; what a person holds
at tables is held by the account, not by the session, so ending all sessions gives nothing away and loses nothing.
"""

from __future__ import annotations

import secrets
import threading
import time
import unicodedata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from grognard.server import store as db
from grognard.server.limits import Rate
from grognard.server.mistakes import Mistake, conflict, malformed, missing
from grognard.server.store import Store, digest

if TYPE_CHECKING:
    from argon2 import PasswordHasher

#: Characters of a password.
LEAST_PASSWORD, MOST_PASSWORD = 8, 200
#: Seconds that a session lasts.
SESSION_AGE = 90 * 24 * 3600
#: Seconds for which it is remembered whose session a token is: so long another server's log-out may take effect later.
REMEMBERED = 10.0
MOST_REMEMBERED = 20_000


class Accounts:
    def __init__(self, store: Store) -> None:
        self.store = store
        self._hasher: PasswordHasher | None = None
        self._dummy = ""
        self._lock = threading.Lock()
        #: digest of a token -> (account or None, holder, until when)
        self._known: dict[str, tuple[str | None, str, float]] = {}
        #: wrong passwords: by name and by address, some at once, then one in some seconds
        self.tries = Rate(0.1, 10.0)

    # ---- who it is

    def holder(self, token: str) -> str:
        """Whom the database knows the bearer of a token by: their account, or the token itself."""
        return self._find(token)[1]

    def name(self, token: str | None) -> str | None:
        return None if token is None else self._find(token)[0]

    def _find(self, token: str) -> tuple[str | None, str]:
        own, now = digest(token), time.time()
        found = self._known.get(own)
        if found is None or found[2] < now:
            joined = db.sessions.join(db.accounts, db.sessions.c.account == db.accounts.c.key)
            with self.store.reading() as connection:
                row = connection.execute(
                    sa.select(db.accounts.c.name, db.accounts.c.holder)
                    .select_from(joined)
                    .where(db.sessions.c.token == own, db.sessions.c.expires > now)
                ).first()
            if len(self._known) > MOST_REMEMBERED:
                self._known = {}
            found = (
                (row.name, row.holder, now + REMEMBERED) if row is not None else (None, own, now + REMEMBERED)
            )
            self._known[own] = found
        return found[0], found[1]

    # ---- making, entering, leaving

    def register(self, name: str, password: str, guest: str | None) -> str:
        """A new account, with what the browser held so far; the token of its first session."""
        shown, key = self._checked_name(name), self._key(name)
        hashed = self._hash(self._checked(password))
        holder = secrets.token_hex(32)
        with self.store.writing() as connection:
            if connection.execute(sa.select(db.accounts.c.key).where(db.accounts.c.key == key)).first():
                raise conflict("this name is taken", "choose another one, or log in", "taken")
            connection.execute(
                db.accounts.insert().values(
                    key=key, name=shown, password=hashed, holder=holder, made=time.time()
                )
            )
            token = self._begin(connection, key)
            self._take_along(connection, guest, holder)
        return token

    def log_in(self, name: str, password: str, address: str, guest: str | None) -> str:
        key = self._key(name)
        for who in (f"name {key}", f"address {address}"):
            if not self.tries.allows(who):
                raise Mistake(429, "too_many", "too many attempts", "wait a minute")
        with self.store.reading() as connection:
            row = connection.execute(sa.select(db.accounts).where(db.accounts.c.key == key)).first()
        # As long for a name that nobody has as for a wrong password.
        if not self._verified(row.password if row is not None else self._nobody(), password) or row is None:
            raise Mistake(401, "wrong", "there is no such account, or the password is another one")
        with self.store.writing() as connection:
            if self._worker().check_needs_rehash(row.password):
                connection.execute(
                    db.accounts.update().where(db.accounts.c.key == key).values(password=self._hash(password))
                )
            token = self._begin(connection, key)
            self._take_along(connection, guest, row.holder)
        return token

    def log_out(self, token: str) -> None:
        with self.store.writing() as connection:
            connection.execute(db.sessions.delete().where(db.sessions.c.token == digest(token)))
        self._known.pop(digest(token), None)

    def change_password(self, token: str, old: str, new: str, address: str) -> str:
        """Ends all sessions of the account; the token of a new one."""
        name = self.name(token)
        if name is None:
            raise Mistake(401, "unknown", "you are not logged in")
        key = self._key(name)
        if not self.tries.allows(f"name {key}") or not self.tries.allows(f"address {address}"):
            raise Mistake(429, "too_many", "too many attempts", "wait a minute")
        hashed = self._hash(self._checked(new))
        mine = db.accounts.c.key == key
        with self.store.writing() as connection:
            row = connection.execute(sa.select(db.accounts.c.password).where(mine)).one()
            if not self._verified(row.password, old):
                raise Mistake(401, "wrong", "the password is another one")
            connection.execute(db.accounts.update().where(mine).values(password=hashed))
            connection.execute(db.sessions.delete().where(db.sessions.c.account == key))
            made = self._begin(connection, key)
        self._known = {}
        return made

    def _begin(self, connection: sa.Connection, key: str) -> str:
        token, now = secrets.token_urlsafe(32), time.time()
        connection.execute(db.sessions.delete().where(db.sessions.c.expires < now))
        connection.execute(
            db.sessions.insert().values(token=digest(token), account=key, made=now, expires=now + SESSION_AGE)
        )
        return token

    def _take_along(self, connection: sa.Connection, guest: str | None, holder: str) -> None:
        """What a browser held before is the account's from now on."""
        if guest is None or guest == holder:
            return
        held = list(
            connection.execute(sa.select(db.seats.c.game).where(db.seats.c.holder == guest)).scalars()
        )
        connection.execute(db.seats.update().where(db.seats.c.holder == guest).values(holder=holder))
        for game in dict.fromkeys(held):
            connection.execute(
                db.games.update()
                .where(db.games.c.id == game)
                .values(table_version=db.games.c.table_version + 1)
            )
            self.store.notify(connection, game)
        for table in (db.watchers, db.notes):
            there = sa.select(table.c.game).where(table.c.holder == holder)
            mine = sa.and_(table.c.holder == guest, table.c.game.not_in(there))
            connection.execute(table.update().where(mine).values(holder=holder))

    # ---- names and passwords

    @staticmethod
    def _key(name: str) -> str:
        """Names that look the same are the same."""
        return unicodedata.normalize("NFKC", name).casefold().strip()

    def _checked_name(self, name: str) -> str:
        shown = unicodedata.normalize("NFC", name).strip()
        if not self._key(name) or len(self._key(name)) > 80:
            raise malformed("a name has 1 to 40 characters")
        return shown

    @staticmethod
    def _checked(password: str) -> str:
        if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
            raise malformed(f"a password has {LEAST_PASSWORD} to {MOST_PASSWORD} characters")
        return password

    def _worker(self) -> PasswordHasher:
        if find_spec("argon2") is None:
            raise missing("this server has no accounts", "the games of a browser are kept by its cookie")
        with self._lock:
            if self._hasher is None:
                from argon2 import PasswordHasher

                self._hasher = PasswordHasher()
            return self._hasher

    def _hash(self, password: str) -> str:
        return self._worker().hash(password)

    def _nobody(self) -> str:
        if not self._dummy:
            self._dummy = self._hash(secrets.token_hex(16))
        return self._dummy

    def _verified(self, hashed: str, password: str) -> bool:
        from argon2.exceptions import Argon2Error, InvalidHashError

        try:
            return bool(self._worker().verify(hashed, password))
        except (Argon2Error, InvalidHashError):
            return False


def told(accounts: Accounts, token: str | None) -> dict[str, Any]:
    """Who somebody is here."""
    return {"account": accounts.name(token), "accounts": find_spec("argon2") is not None}
