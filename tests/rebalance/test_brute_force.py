"""Plans against every set of victims there is, on random small clusters; sets are played here anew, from objects."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from kueuectl.analysis import dry_run, goals, rebalance
from kueuectl.analysis.goals import Goal, GoalKind
from kueuectl.analysis.rebalance import Request
from kueuectl.engine.simulate import Simulation
from kueuectl.model.values import replace
from kueuectl.model.workloads import RequeueState
from tests import scenes
from tests.differential.setups import Setup
from tests.rebalance import proofs

Doc = dict[str, Any]
MOST = 8
# Nanoseconds; far beyond what a simulation lasts.
LATER = 10**18
SMALL = ("queues=2-3", "workloads=5-12", "held=0.6-0.95", "load=1-3", "overcommitted=0.3", "preempting=0.3")
SETUPS = [Setup(name, name, SMALL) for name in ("mixed", "fair", "classical", "limited")]
GOALS = (Goal(GoalKind.NOMINAL), Goal(GoalKind.FAIR), Goal(GoalKind.WITHIN_QUOTA))


def played(case: Doc, keys: tuple[str, ...], *, backoff: bool = False) -> Simulation | None:
    """Where Kueue comes to rest when these are evicted; None where it does not.

    With `backoff` they have a time before which they are not tried, and then it is over.
    """
    scene = scenes.read(proofs.evict(case, keys))
    state = dry_run.controlled(scene.state, scene.now)
    if backoff:
        late = {key: replace(state.workloads[key], requeue=RequeueState(0, scene.now + LATER)) for key in keys}
        state = replace(state, workloads={**state.workloads, **late})
    simulation = Simulation(state, scene.settings, now=scene.now)
    simulation.step()
    if not simulation.run(max_rounds=2000).is_fixpoint:
        return None
    if backoff and keys:
        simulation.advance_to(scene.now + 2 * LATER)
        for tree in simulation.snapshot.trees:
            simulation.pools.wake(tree)
        if not simulation.run(max_rounds=2000).is_fixpoint:
            return None
    return simulation


def places(simulation: Simulation, key: str) -> object:
    """Where a workload holds quota: its queue, and how much of what."""
    info = simulation.snapshot.held[key]
    assert info.queue is not None
    frs = info.queue.tree.frs
    return info.queue.name, sorted((frs[fr], amount) for fr, amount in info.usage)


def passing(case: Doc, goal: Goal, given_up: set[tuple[str, str, str]], *, backoff: bool) -> Iterator[int]:
    """How many evictions each set costs that reaches the goal."""
    scene = scenes.read(case)
    start = Simulation(dry_run.controlled(scene.state, scene.now), scene.settings, now=scene.now)
    anyway = played(case, ())
    assert anyway is not None
    held = sorted(key for key, info in start.snapshot.held.items() if not info.evicted)
    for size in range(1, len(held) + 1):
        for keys in combinations(held, size):
            simulation = played(case, keys, backoff=backoff)
            if simulation is None:
                continue
            if any(gap.key not in given_up for gap in goals.gaps(simulation, goal)):
                continue
            again = [key for key in keys if key in simulation.snapshot.held]
            if any(places(simulation, key) == places(start, key) for key in again):
                continue
            followers = simulation.evictions.keys() - set(keys) - anyway.evictions.keys()
            yield size + len(followers)


@pytest.mark.parametrize("backoff", [False, True], ids=["at once", "later"])
@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
def test_no_set_of_victims_is_smaller(setup: Setup, backoff: bool) -> None:
    compared = 0
    for case in setup.cases(1, 12):
        scene = scenes.read(case)
        for goal in GOALS:
            found = rebalance.find(scene.state, scene.settings, now=scene.now, request=Request(goal, backoff=backoff))
            if not found.gaps or not found.is_settled or found.candidates > MOST:
                continue
            least = min(passing(case, goal, {gap.key for gap in found.hopeless}, backoff=backoff), default=None)
            plan = found.plans[0] if found.plans else None
            assert (plan.evictions if plan is not None else None) == least, f"{case['id']}, {goal.text}"
            assert plan is None or (plan.is_proven and plan.bound == least), f"{case['id']}, {goal.text}"
            compared += 1
    assert compared, "no case with anything to do"
