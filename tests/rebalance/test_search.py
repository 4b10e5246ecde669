"""The search alone: it finds the cheapest set, and says truly whether that is proven."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations

import pytest

from kueuectl.analysis import search
from kueuectl.analysis.search import Cost, Problem

Set = tuple[int, ...]


def problem(
    weights: list[int],
    passes: Callable[[Set], bool],
    *,
    followers: dict[int, Set] | None = None,
    most: int | None = None,
) -> Problem:
    """Sets cost their size, then their weight; a member may drag followers along."""

    def whole(chosen: Set) -> Set:
        dragged = {other for index in chosen for other in (followers or {}).get(index, ())}
        return tuple(sorted({*chosen, *dragged}))

    def cost(chosen: Set) -> Cost:
        return (len(chosen), sum(weights[index] for index in chosen))

    return Problem(
        size=len(weights),
        cost_of=cost,
        try_set=lambda chosen: cost(whole(chosen)) if passes(whole(chosen)) else None,
        may_pass=passes,
        max_size=len(weights) if most is None else most,
    )


def brute(given: Problem) -> Cost | None:
    """The least cost of all sets, tried one by one."""
    found = [
        cost
        for size in range(1, given.max_size + 1)
        for chosen in combinations(range(given.size), size)
        if (cost := given.try_set(chosen)) is not None
    ]
    return min(found, default=None)


def find(given: Problem, **limits: int) -> search.Found:
    values = {"max_trials": 100_000, "max_sets": 100_000, **limits}
    return search.cheapest(given, max_trials=values["max_trials"], max_sets=values["max_sets"])


def test_sets_come_in_the_order_of_their_cost_and_each_once() -> None:
    given = problem([1, 2, 4, 4, 9], lambda chosen: True)
    found = list(search.sets(given))
    assert [cost for cost, _ in found] == sorted(cost for cost, _ in found)
    assert len({chosen for _, chosen in found}) == len(found) == 2**5 - 1


@pytest.mark.parametrize("seed", range(40))
def test_the_answer_is_that_of_trying_everything(seed: int) -> None:
    draw = random.Random(seed)
    weights = sorted(draw.randint(0, 9) for _ in range(draw.randint(1, 8)))
    sizes = [draw.randint(1, 6) for _ in weights]
    needed = draw.randint(1, 16)
    members = range(len(weights))
    followers = {
        index: tuple(draw.sample(members, draw.randint(1, len(weights)))) for index in members if draw.random() < 0.3
    }
    given = problem(weights, lambda chosen: sum(sizes[index] for index in chosen) >= needed, followers=followers)
    found = find(given)
    assert found.is_proven
    assert found.cost == brute(given)


def test_a_follower_counts_as_much_as_a_victim() -> None:
    # 0 alone would do, but drags 1 and 2 along; 3 and 4 together are cheaper.
    given = problem(
        [0, 0, 0, 5, 5], lambda chosen: {0, 1, 2} <= set(chosen) or {3, 4} <= set(chosen), followers={0: (1, 2)}
    )
    found = find(given)
    assert (found.best, found.cost, found.is_proven) == ((3, 4), (2, 10), True)


def test_a_limit_of_trials_is_told() -> None:
    given = problem([1] * 10, lambda chosen: len(chosen) == 10)
    found = find(given, max_sets=100)
    assert (found.best, found.is_proven) == (None, False)
    assert found.hopeless == 2, "all single ones and pairs were looked at"


def test_no_set_is_larger_than_allowed() -> None:
    given = problem([1, 1, 1], lambda chosen: len(chosen) == 3, most=2)
    assert find(given).best is None
    assert find(given).is_proven


def test_a_start_is_bettered() -> None:
    given = problem([1, 2, 3], lambda chosen: 2 in chosen)
    found = search.cheapest(given, max_trials=99, max_sets=99, start=(0, 1, 2))
    assert found.best == (2,)


def test_members_that_are_not_needed_are_left_out() -> None:
    assert search.smaller((0, 1, 2, 3), lambda chosen: {1, 3} <= set(chosen)) == (1, 3)


def test_dear_members_are_swapped_for_cheap_ones() -> None:
    assert search.swapped((3, 4), 5, passes=lambda chosen: len(chosen) == 2, tries=50) == (0, 1)
    assert search.swapped((3, 4), 5, passes=lambda chosen: len(chosen) == 2, tries=0) == (3, 4)
