"""A request of zero, or of less than the slice before, asks for nothing: also in a queue that is above its quota."""

from __future__ import annotations

import pytest

from kueuectl.engine import quota, snapshot
from kueuectl.model.queues import ClusterQueue, FlavorQuotas, Preemption, ResourceGroup, ResourceQuota
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload
from tests.engine.build import admission, pod_set
from tests.engine.scene import holding, outcomes, queue, simulation, waiting

GPU = "example.com/gpu"


def gpus(name: str, count: int, reclaim: str) -> ClusterQueue:
    """A queue of four cpus, and so many gpus of the same flavor, which may only reclaim."""
    quotas = (ResourceQuota("cpu", 4000), ResourceQuota(GPU, count))
    group = ResourceGroup(("cpu", GPU), (FlavorQuotas("default", quotas),))
    return replace(queue(name, "co", preemption=Preemption("Never", reclaim)), resource_groups=(group,))


def asking(workload: Workload, **requests: str) -> Workload:
    """The workload with other requests."""
    return replace(workload, pod_sets=(pod_set(**requests),))


def test_zero_of_a_borrowed_resource_does_not_stop_a_preemption() -> None:
    borrows = replace(holding("borrows", "a", 1), admission=replace(admission(count=1, gpu=4), cluster_queue="a"))
    workloads = [asking(borrows, gpu="4"), holding("victim", "b", 6), asking(waiting("asks", "a", 4), cpu="4", gpu="0")]
    found = simulation([gpus("a", 0, "Any"), gpus("b", 8, "Never")], workloads)
    assert outcomes(found) == [("asks", "preempting", "PENDING_PREEMPTION")]


@pytest.mark.parametrize("amount", [-5000, -3000, -1000, 0, 1000, 9000])
@pytest.mark.parametrize("before", [0, 1000, 3000, 5000, 9000])
def test_adding_and_taking_away_leaves_no_trace(before: int, amount: int) -> None:
    limited = replace(queue("a", "co").resource_groups[0].flavors[0].resources[0], lending_limit=2000)
    group = ResourceGroup(("cpu",), (FlavorQuotas("default", (limited,)),))
    queues = {name: replace(queue(name, "co"), resource_groups=(group,)) for name in ("a", "b")}
    built = snapshot.build(ClusterState(cluster_queues=queues), Settings())
    node, cohort = built.queues["a"], built.cohorts["co"]
    quota.add_usage(node, 0, before)
    used = (node.usage[0], cohort.usage[0])
    quota.add_usage(node, 0, amount)
    quota.remove_usage(node, 0, amount)
    assert (node.usage[0], cohort.usage[0]) == used
