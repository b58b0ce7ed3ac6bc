"""All parts of one server, put together."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.server.accounts import Accounts
from grognard.server.acts import Acts
from grognard.server.agreements import Agreements
from grognard.server.hall import Hall
from grognard.server.library import Library
from grognard.server.limits import Rate
from grognard.server.lobby import Lobby
from grognard.server.store import Store
from grognard.server.study import Study
from grognard.server.wakeups import Wakeups
from grognard.server.web import Gate
from grognard.server.workers import Workers


@dataclass(slots=True)
class Table:
    """All parts of one server."""

    store: Store
    library: Library
    hall: Hall
    lobby: Lobby
    acts: Acts
    agreements: Agreements
    study: Study
    workers: Workers
    wakeups: Wakeups
    gate: Gate
    accounts: Accounts

    def __post_init__(self) -> None:
        self.hall.on_change = self.wakeups.changed
        self.hall.on_job = self.workers.wake


def make_table(
    store: Store, library: Library, *, hosts: tuple[str, ...] | None = None, rate: Rate | None = None
) -> Table:
    hall, accounts = Hall(store, library), Accounts(store)
    lobby, acts = Lobby(hall), Acts(hall)
    return Table(
        store, library, hall, lobby, acts, Agreements(hall, acts), Study(hall, lobby), Workers(hall, acts), Wakeups(store),
        Gate(hosts, rate or Rate(200.0, 600.0), accounts.holder), accounts,
    )  # fmt: skip
