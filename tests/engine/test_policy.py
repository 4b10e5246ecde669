"""Who may be preempted by whom, and who is preempted first."""

from __future__ import annotations

import itertools

import pytest

from kueuectl.engine import snapshot
from kueuectl.engine.infos import Info
from kueuectl.engine.preemption import policy
from kueuectl.engine.snapshot import Snapshot
from kueuectl.model.queues import ClusterQueue
from kueuectl.model.settings import DEFAULT_GATES, Settings
from kueuectl.model.state import ClusterState
from tests.engine.build import condition, pod_set, workload

MINUTE = 60_000_000_000
OWN, OTHER = "own", "other"


def queues(**gates: bool) -> Snapshot:
    """Two ClusterQueues of one cohort."""
    state = ClusterState(cluster_queues={name: ClusterQueue(name, "cohort") for name in (OWN, OTHER)})
    return snapshot.build(state, Settings(gates={**DEFAULT_GATES, **gates}))


def candidate(built: Snapshot, name: str, queue: str, *, reserved: int = 0, usage: float = 0.0, **fields: int) -> Info:
    """A workload that holds quota in one of the queues."""
    conditions = (condition("QuotaReserved", at=reserved),)
    info = built.reader.read(workload(pod_set(), name=name, conditions=conditions, **fields))
    info.queue = built.queues[queue]
    info.set_holding((), reserved_at=reserved, evicted=False)
    info.local_usage = usage
    return info


@pytest.mark.parametrize(
    ("name", "newer_by", "buffered", "want"),
    [
        ("as old", 0, False, False),
        ("a little newer", MINUTE, False, True),
        ("a little newer, with the buffer", MINUTE, True, False),
        ("newer by just the buffer", 5 * MINUTE, True, False),
        ("newer by more than the buffer", 5 * MINUTE + 1, True, True),
    ],
)
def test_newer_workloads_of_equal_priority(name: str, newer_by: int, buffered: bool, want: bool) -> None:
    built = queues(SchedulerTimestampPreemptionBuffer=buffered)
    preemptor, other = candidate(built, "a", OWN, creation=0), candidate(built, "b", OWN, creation=newer_by)
    buffer = built.queues[OWN].buffer
    assert policy.satisfies("LowerOrNewerEqualPriority", preemptor, other, buffer=buffer) is want, name


def test_order_of_candidates() -> None:
    built = queues()
    own = built.queues[OWN]
    ordered = [
        candidate(built, "from another queue, low", OTHER, priority=1),
        candidate(built, "from another queue, high", OTHER, priority=9),
        candidate(built, "of a user who used much", OWN, priority=5, usage=2.0),
        candidate(built, "of a user who used little", OWN, priority=1, usage=1.0),
        candidate(built, "of lower priority", OWN, priority=2),
        candidate(built, "reserved later", OWN, priority=3, reserved=2),
        candidate(built, "reserved earlier", OWN, priority=3, reserved=1),
    ]
    for first, second in itertools.pairwise(ordered):
        assert policy.goes_before(first, second, own), f"{first.key} before {second.key}"
        assert not policy.goes_before(second, first, own), f"{second.key} after {first.key}"
