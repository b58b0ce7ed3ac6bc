"""Processes that this one starts: Ctrl-C is for the one at the keyboard, and the current folder for nobody."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SAFE_PATH = "PYTHONSAFEPATH"


@contextmanager
def quiet_children() -> Iterator[None]:
    """Processes begun within it do not hear Ctrl-C, which the terminal sends to all: whoever began them ends them.  They
    import nothing from the folder that the user happens to be in."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    masks = hasattr(signal, "pthread_sigmask")
    if masks:
        # Its start would open the mask again.
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()
        # Children inherit the mask; what comes for this process meanwhile waits.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = before
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
