"""The search for the cheapest set of candidates that passes a trial.

Sets are tried in the order of their cost, the cheapest first: a set is followed by itself with the next candidate
added, and by itself with its last candidate replaced by the next. As neither can make it cheaper, the first set that
passes is the cheapest one, unless what a trial adds to the cost (followers) makes a later one cheaper: then the search
goes on until no set is left that could be.

Where there are too many sets, a greedy set is found first and made smaller; what the search has refuted then says how
far it may be from the best.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

Cost = tuple[object, ...]
"""Compared from the left; whatever its parts are, they are of the same kind in the same place."""


class Trial(NamedTuple):
    """What trying a set gave: its whole cost when it passes, None when it does not."""

    cost: Cost | None


class Problem(NamedTuple):
    """What to search in. Indexes are those of candidates, in ascending order of their cost as single ones.

    cost_of: of a set, before any trial; adding to a set, or replacing an index by a higher one, never lowers it.
    try_set: the trial. may_pass: a cheap necessary condition, used only when not every set can be tried.
    """

    size: int
    cost_of: Callable[[tuple[int, ...]], Cost]
    try_set: Callable[[tuple[int, ...]], Cost | None]
    may_pass: Callable[[tuple[int, ...]], bool]
    max_size: int


class Found(NamedTuple):
    """The best set, None without one; whether nothing cheaper exists (or nothing at all); how much was looked at.

    `refuted` is the largest size of which no set passes, all of them having been looked at.
    """

    best: tuple[int, ...] | None
    cost: Cost | None
    is_proven: bool
    refuted: int
    trials: int


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


def cheapest(
    problem: Problem,
    *,
    exhaustive: bool,
    max_trials: int,
    max_sets: int,
    start: tuple[int, ...] | None = None,
) -> Found:
    """The cheapest set that passes. `start` is one that is known to pass, to be bettered.

    `exhaustive` tries sets that fail the cheap condition too, since what they lead to by themselves might still pass.
    """
    best, best_cost = start, None
    trials = 0
    if start is not None:
        best_cost = problem.try_set(start)
        trials += 1
        best = start if best_cost is not None else None
    refuted, looked = 0, 0
    for cost, chosen in sets(problem):
        if best_cost is not None and cost >= best_cost:
            return Found(best, best_cost, True, refuted, trials)
        if trials >= max_trials or looked >= max_sets:
            return Found(best, best_cost, False, max(0, refuted), trials)
        looked += 1
        refuted = max(refuted, len(chosen) - 1)
        if not exhaustive and not problem.may_pass(chosen):
            continue
        trials += 1
        whole = problem.try_set(chosen)
        if whole is not None and (best_cost is None or whole < best_cost):
            best, best_cost = chosen, whole
    return Found(best, best_cost, True, refuted, trials)


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
