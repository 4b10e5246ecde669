"""Cohorts that form a cycle: the API refuses none of the edges, so a state can have it."""

from __future__ import annotations

from kueuectl.engine import snapshot
from kueuectl.engine.pools import Pools
from kueuectl.model.queues import ClusterQueue, Cohort, LocalQueue
from kueuectl.model.selectors import LabelSelector
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from tests.engine.build import pod_set, workload


def state() -> ClusterState:
    """Three cohorts in a cycle, with a queue in two of them, and a workload that waits in each queue."""
    cohorts = {"c": "a", "a": "b", "b": "c"}
    return ClusterState(
        cohorts={name: Cohort(name, parent) for name, parent in cohorts.items()},
        cluster_queues={
            name: ClusterQueue(name, cohort, namespace_selector=LabelSelector())
            for name, cohort in (("first", "c"), ("second", "b"))
        },
        local_queues={f"team-a/{name}": LocalQueue("team-a", name, name) for name in ("first", "second")},
        workloads={f"team-a/{name}": workload(pod_set(), name=name, queue_name=name) for name in ("first", "second")},
    )


def test_all_members_are_in_one_tree() -> None:
    built = snapshot.build(state(), Settings())
    assert [(tree.root.name, sorted(tree.cohorts), tree.is_cyclic) for tree in built.trees] == [
        ("a", ["a", "b", "c"], True)
    ]


def test_nothing_is_admitted_and_nothing_wakes() -> None:
    built = snapshot.build(state(), Settings())
    pools = Pools(built, now=0, honours_backoff=True)
    assert not pools.has_heads()
    for pool in pools.queues.values():
        info = pool.pop()
        assert info is not None
        pool.park(info)
    assert pools.wake(built.trees[0]) == 0
