"""The games of a study on a Dask cluster (`pip install grognard[cluster]`).

The rules go along: each variant's files are sent once to every worker that needs them, and lie there in a temporary folder named by
what they hold.  A worker needs Grognard and nothing of the title.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.compare.versions import title_files
from grognard.simulate.playing import load_variant, play_numbers
from grognard.simulate.study import Study, StudyError
from grognard.simulate.workers import Handful, Played
from grognard.support.userdirs import only_ours

if TYPE_CHECKING:
    from grognard.engine import Engine

#: How often a task is tried anew after its worker died or lost its connection.
RETRIES = 5
#: Seconds to wait for the cluster to answer.
PATIENCE = 20

#: Files of a title by their paths, and the path of the title's folder among them.
Package = tuple[str, dict[str, bytes]]


def play_on_cluster(study: Study, handfuls: Sequence[Handful], address: str) -> Iterator[Played]:
    """On the workers of the cluster at this address."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise StudyError("a cluster needs Dask: pip install grognard[cluster]") from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as trouble:
        raise StudyError(f"there is no Dask cluster at {address}: {trouble}") from trouble
    with client:
        packages = [pack(variant.where) for variant in study.variants]
        # As the result of a task, and not scattered: if the only worker that holds it dies, the scheduler makes it anew.
        sent = [client.submit(_sent, package, pure=False, retries=RETRIES) for package in packages]
        waiting = {
            client.submit(play_packed, study, place, numbers, sent[place], pure=False, retries=RETRIES): (
                place,
                numbers,
            )
            for place, numbers in handfuls
        }
        deaths: dict[tuple[int, int], int] = {}
        with client.as_current():
            queue = as_completed(list(waiting))
        for future in queue:
            handful = waiting.pop(future)
            if future.status == "finished":
                yield handful, future.result()
                continue
            key = handful[0], handful[1][0]
            deaths[key] = deaths.get(key, 0) + 1
            if future.status == "error" and (
                type(future.exception()).__name__ != "KilledWorker" or deaths[key] >= RETRIES
            ):
                raise StudyError(f"a worker of the cluster fails: {future.exception()}")
            place, numbers = handful
            again = client.submit(
                play_packed, study, place, numbers, sent[place], pure=False, retries=RETRIES
            )
            waiting[again] = handful
            queue.add(again)


def pack(where: str) -> Package:
    """The files of a title, to be sent."""
    _folder, inside, files = title_files(where)
    return inside, {name: path.read_bytes() for path, name in files}


def _sent(package: Package) -> Package:
    return package


def play_packed(study: Study, place: int, numbers: list[int], package: Package) -> list[dict[str, Any]]:
    """A task: games of one variant, by the rules that came along."""
    engine = _engine(study, place, package)
    return play_numbers(engine, study, study.variants[place], numbers)


_engines: dict[str, Engine] = {}


def _engine(study: Study, place: int, package: Package) -> Engine:
    """Loaded once in each process."""
    title, files = package
    digest = hashlib.sha256(title.encode())
    for name in sorted(files):
        digest.update(f"\0{name}\0{len(files[name])}\0".encode())
        digest.update(files[name])
    content = digest.hexdigest()[:24]
    variant = study.variants[place]
    key = f"{content}/{variant}/{study.scenario}/{study.backend}"
    if key not in _engines:
        folder = Path(_unpacked(content, files), *title.split("/"))
        _engines[key] = load_variant(study, replace(variant, where=str(folder)))
    return _engines[key]


def _unpacked(content: str, files: dict[str, bytes]) -> str:
    owner = os.getuid() if hasattr(os, "getuid") else 0
    into = Path(tempfile.gettempdir()) / f"grognard-study-{owner}-{content}"
    if not _ours(into):
        made = Path(tempfile.mkdtemp(prefix="grognard-study-"))
        for name, data in files.items():
            target = made.joinpath(*name.split("/"))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        try:
            os.rename(made, into)
        except OSError:
            # Another process of this machine was faster.
            return str(into) if _ours(into) else str(made)
    return str(into)


def _ours(folder: Path) -> bool:
    """Whether the folder is there and only we can write it: what lies in it is run."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and only_ours(status)
