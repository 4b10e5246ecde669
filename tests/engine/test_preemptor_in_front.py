"""Whoever others were preempted for stays in front of its queue until it is admitted: observed on Kueue's scheduler."""

from __future__ import annotations

import pytest

from kueuectl.engine.pending import PendingQueue
from kueuectl.engine.reasons import Requeue
from tests.engine.scene import holding, queue, simulation, waiting


def preempting(strategy: str) -> PendingQueue:
    """A queue where `low` preempted somebody, and `high` has come since."""
    found = simulation([queue("a", queueing_strategy=strategy)], [waiting("low", "a", 1)]).pools.queues["a"]
    low = found.pop()
    assert low is not None
    found.requeue(low, Requeue.PENDING_PREEMPTION)
    high = simulation([queue("a")], [waiting("high", "a", 1, priority=5)]).pools.queues["a"].pop()
    assert high is not None
    found.push(high)
    return found


@pytest.mark.parametrize(
    ("name", "strategy", "then", "want"),
    [
        ("waits for its victims", "BestEffortFIFO", None, ["low", "high"]),
        ("lost the race", "BestEffortFIFO", Requeue.FAILED_AFTER_NOMINATION, ["low", "high"]),
        ("was parked and woken", "BestEffortFIFO", Requeue.NO_FIT, ["low", "high"]),
        ("StrictFIFO goes by priority alone", "StrictFIFO", None, ["high", "low"]),
    ],
)
def test_order(name: str, strategy: str, then: Requeue | None, want: list[str]) -> None:
    found = preempting(strategy)
    if then is not None:
        low = found.pop()
        assert low is not None
        found.requeue(low, then)
        found.wake(lambda info, node: True)
    assert [info.workload.name for info in found.ordered()] == want, name


def test_the_place_is_lost_on_admission() -> None:
    found = simulation(
        [queue("a")],
        [holding("victim", "a", 4), waiting("low", "a", 4, priority=1), waiting("huge", "a", 9, priority=7)],
    )
    for _ in range(3):
        found.step()
    assert "team-a/low" in found.snapshot.held
    assert found.pools.queues["a"].sticky is None


@pytest.mark.parametrize(("gate", "want"), [(False, ["older", "preemptor"]), (True, ["preemptor", "older"])])
def test_order_within_a_cycle_with_the_gate(gate: bool, want: list[str]) -> None:
    found = simulation(
        [queue("a", "co"), queue("b", "co")],
        [holding("victim", "a", 8), waiting("preemptor", "a", 4, priority=1, creation=9)],
        PrioritizePreemptorWorkloads=gate,
    )
    found.step()
    newcomer = waiting("older", "b", 4, priority=1, creation=5)
    assert found.arrive(newcomer) is not None
    done = found.step()
    assert [entry.info.workload.name for entry in done.decision.entries] == want
