"""The search for the cheapest set of candidates that passes a trial.

A set that passes may have followers: candidates that fall by themselves because of it. The whole set, followers
included, is what costs. Whole sets are looked at in the order of their cost, the cheapest first: a set is followed by
itself with the next candidate added, and by itself with its last candidate replaced by the next, neither of which can
make it cheaper. A whole set that does not meet a cheap necessary condition is passed over; of the others every part is
tried, since the rest may be its followers. So when no whole set is left that is cheaper than the best one found, there
is no better one.

Where there are too many sets, a greedy set is found first and made smaller; what the search has ruled out then says how
far it may be from the best.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

Cost = tuple[object, ...]
"""Compared from the left; whatever its parts are, they are of the same kind in the same place."""


class Problem(NamedTuple):
    """What to search in. Indexes are those of candidates, in ascending order of their cost as single ones.

    cost_of: of a whole set; adding to a set, or replacing an index by a higher one, never lowers it. try_set: the
    trial; the cost of the whole set, followers included, when the set passes, None when it does not. may_pass: whether
    a whole set may be one that passes.
    """

    size: int
    cost_of: Callable[[tuple[int, ...]], Cost]
    try_set: Callable[[tuple[int, ...]], Cost | None]
    may_pass: Callable[[tuple[int, ...]], bool]
    max_size: int


class Found(NamedTuple):
    """The best set, None without one, and its whole cost. `is_proven`: nothing cheaper exists, or nothing at all.

    `hopeless` is the largest size of which no whole set meets the necessary condition, all of them having been looked
    at; it is only known where smaller sets always cost less.
    """

    best: tuple[int, ...] | None
    cost: Cost | None
    is_proven: bool
    hopeless: int


# Of larger whole sets only the whole is tried, and the answer is not proven.
_MOST_PARTS = 12


def sets(problem: Problem) -> Iterator[tuple[Cost, tuple[int, ...]]]:
    """All sets up to the largest size, the cheapest first."""
    if problem.size == 0 or problem.max_size == 0:
        return
    heap: list[tuple[Cost, tuple[int, ...]]] = [(problem.cost_of((0,)), (0,))]
    while heap:
        cost, chosen = heapq.heappop(heap)
        yield cost, chosen
        last = chosen[-1] + 1
        if last < problem.size:
            replaced = (*chosen[:-1], last)
            heapq.heappush(heap, (problem.cost_of(replaced), replaced))
            if len(chosen) < problem.max_size:
                longer = (*chosen, last)
                heapq.heappush(heap, (problem.cost_of(longer), longer))


def cheapest(problem: Problem, *, max_trials: int, max_sets: int, start: tuple[int, ...] | None = None) -> Found:
    """The cheapest set that passes. `start` is one that is known to pass, to be bettered."""
    best, best_cost = None, None
    if start is not None:
        best_cost = problem.try_set(start)
        best = start if best_cost is not None else None
    tried: set[tuple[int, ...]] = set()
    looked, promising, complete = 0, problem.size + 1, True
    for cost, whole in sets(problem):
        if best_cost is not None and cost >= best_cost:
            return Found(best, best_cost, complete, min(promising, len(whole)) - 1)
        if len(tried) >= max_trials or looked >= max_sets:
            return Found(best, best_cost, False, min(promising, len(whole)) - 1)
        looked += 1
        if not problem.may_pass(whole):
            continue
        promising = min(promising, len(whole))
        complete = complete and len(whole) <= _MOST_PARTS
        for part in _parts(whole):
            if part in tried:
                continue
            if len(tried) >= max_trials:
                complete = False
                break
            tried.add(part)
            found = problem.try_set(part)
            if found is not None and (best_cost is None or found < best_cost):
                best, best_cost = part, found
    return Found(best, best_cost, complete, min(promising - 1, problem.max_size))


def _parts(whole: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """A set and all of its parts, the largest first; only itself where these are too many."""
    yield whole
    if len(whole) <= _MOST_PARTS:
        for size in range(len(whole) - 1, 0, -1):
            yield from combinations(whole, size)


def smaller(chosen: Sequence[int], passes: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """A part of a passing set of which no single member can be left out; the dearest ones are tried first."""
    kept = sorted(chosen)
    for index in sorted(chosen, reverse=True):
        rest = tuple(other for other in kept if other != index)
        if rest and passes(rest):
            kept = list(rest)
    return tuple(kept)


def swapped(
    chosen: tuple[int, ...], size: int, *, passes: Callable[[tuple[int, ...]], bool], tries: int
) -> tuple[int, ...]:
    """A passing set where the dearest members are replaced by cheaper ones, as far as so many tries get."""
    kept = chosen
    for index in sorted(chosen, reverse=True):
        for other in range(index):
            if other in kept:
                continue
            if tries <= 0:
                return kept
            tries -= 1
            changed = tuple(sorted((*(member for member in kept if member != index), other)))
            if passes(changed):
                kept = changed
                break
    return kept
