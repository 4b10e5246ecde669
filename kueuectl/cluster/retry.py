"""When a request is sent again, and after how long."""

from __future__ import annotations

import random
from dataclasses import dataclass

# Statuses that pass by themselves: throttled, or a server that is starting, overloaded or being replaced.
_PASSING = frozenset({429, 500, 502, 503, 504})
# Methods that may be repeated although the first try could have been carried out.
REPEATABLE = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounded tries; delays in seconds, doubled from one to the next up to `longest`, with full jitter above a half.

    A server's Retry-After is honoured up to `longest_asked`; a server that asks for more gets no further try.
    """

    tries: int = 5
    first: float = 0.25
    longest: float = 8.0
    longest_asked: float = 60.0

    def is_passing(self, status: int, *, repeatable: bool) -> bool:
        """Whether an answer is worth another try; a write is repeated only when it was not carried out (429)."""
        return status in _PASSING if repeatable else status == 429

    def delay(self, attempt: int, asked: float | None = None) -> float | None:
        """Seconds to wait after the given attempt (from 1); None: give up."""
        if attempt >= self.tries or (asked is not None and asked > self.longest_asked):
            return None
        backoff = min(self.longest, self.first * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.0)
        return backoff if asked is None else asked + backoff * 0.1


def retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header; the form with a date, which Kubernetes never sends, is ignored."""
    return float(value) if value and value.isascii() and value.isdigit() and len(value) < 10 else None
