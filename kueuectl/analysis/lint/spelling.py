"""Which of several names somebody may have meant."""

from __future__ import annotations

import re
from collections.abc import Collection

_SEPARATOR = re.compile(r"[-_.]")
_MOST_COMPARED = 5000
_SHORT = 6


def nearest(word: str, among: Collection[str]) -> str:
    """The name that differs from the word in at most two letters, the closest one; "" where there is none.

    Short names are all alike: they may lack one letter, have one too many, or two swapped. Names that are told apart
    by numbers or single letters (team-1 and team-2, team-a and team-b) are no misspellings of each other.
    """
    best, best_distance = "", 3
    for other in sorted(among)[:_MOST_COMPARED]:
        if other == word or abs(len(other) - len(word)) > 2:
            continue
        if _SEPARATOR.sub("", other.lower()) == _SEPARATOR.sub("", word.lower()):
            return other
        is_short = min(len(word), len(other)) < _SHORT
        found = distance(word, other)
        if found > (1 if is_short else 2) or found >= best_distance or _are_numbered(word, other):
            continue
        if not is_short or len(word) != len(other) or sorted(word) == sorted(other):
            best, best_distance = other, found
    return best


def _are_numbered(word: str, other: str) -> bool:
    ours, theirs = _SEPARATOR.split(word), _SEPARATOR.split(other)
    if len(ours) != len(theirs):
        return False
    return all(
        max(len(a), len(b)) <= 2 or a.rstrip("0123456789") == b.rstrip("0123456789") or _ends_apart(a, b)
        for a, b in zip(ours, theirs, strict=True)
    )


def _ends_apart(a: str, b: str) -> bool:
    """Alike but for the last letter, and that is a capital or a digit (gpuA, gpuB)."""
    return a[:-1] == b[:-1] and not (a[-1:].islower() and b[-1:].islower())


def distance(word: str, other: str) -> int:
    """How many letters have to be added, dropped, replaced, or swapped with their neighbour."""
    older: list[int] = []
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(word, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and word[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
