"""How much of everything: sizes of what is sent, and how often."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

#: Bytes of a request's body; of a save file.
MAX_BODY = 64 * 1024
MAX_SAVE = 8 * 1024 * 1024
#: Characters of names, of what is said, of notes.
MAX_NAME = 40
MAX_CHAT = 2000
MAX_NOTES = 20_000
MAX_KEY = 80
#: Streams that one visitor may have open.
MAX_STREAMS = 40
#: Seconds between signs of life on a stream.
HEARTBEAT = 15.0


@dataclass(slots=True)
class _Bucket:
    left: float
    last: float


class Rate:
    """So many requests a second from each visitor, more for a moment."""

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second = per_second
        self.burst = burst
        self._buckets: dict[str, _Bucket] = {}
        self._lock = threading.Lock()

    def allows(self, visitor: str, cost: float = 1.0) -> bool:
        now = time.monotonic()
        with self._lock:
            if len(self._buckets) > 10_000:
                # Those that are full again tell nothing.
                self._buckets = {
                    name: bucket
                    for name, bucket in self._buckets.items()
                    if bucket.left + (now - bucket.last) * self.per_second < self.burst
                }
            bucket = self._buckets.setdefault(visitor, _Bucket(self.burst, now))
            bucket.left = min(self.burst, bucket.left + (now - bucket.last) * self.per_second)
            bucket.last = now
            if bucket.left < cost:
                return False
            bucket.left -= cost
            return True
