"""The search of partial admission: the largest counts that work.

Rule (KEP-420): the pods that may be left out are the differences between counts and minimum counts. With d of them
left out in all, each pod set gives up its share of d, rounded down. A binary search finds the smallest d that works,
taking for granted that leaving out more never hurts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Found = TypeVar("Found")


def search(
    full: Sequence[int], least: Sequence[int], attempt: Callable[[tuple[int, ...]], Found | None]
) -> Found | None:
    """What `attempt` returned for the smallest number of pods left out, or None when even the minimum does not work."""
    deltas = [count - minimum for count, minimum in zip(full, least, strict=True)]
    total = sum(deltas)
    if total == 0:
        return None

    def counts(left_out: int) -> tuple[int, ...]:
        return tuple(count - delta * left_out // total for count, delta in zip(full, deltas, strict=True))

    low, high = 0, total + 1
    best: Found | None = None
    while low < high:
        middle = (low + high) // 2
        found = attempt(counts(middle))
        if found is None:
            low = middle + 1
        else:
            best, high = found, middle
    return best
