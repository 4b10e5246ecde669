"""Quota for the number of pods: the search for victims does not count the pods that are asked for (observed)."""

from __future__ import annotations

import pytest

from kueuectl.model.queues import ClusterQueue, FlavorQuotas, ResourceGroup, ResourceQuota
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload
from tests.engine.build import admission, pod_set
from tests.engine.scene import holding, outcomes, queue, simulation, waiting


def counted(pods: int) -> ClusterQueue:
    """A queue with many cpus and so many pods."""
    quotas = (ResourceQuota("cpu", 100_000), ResourceQuota("pods", pods))
    return replace(queue("a"), resource_groups=(ResourceGroup(("cpu", "pods"), (FlavorQuotas("default", quotas),)),))


def held(name: str, pods: int, *, priority: int = 0) -> Workload:
    """A workload that holds so many pods and nothing else."""
    given = replace(admission(count=pods, pods=pods), cluster_queue="a")
    return replace(holding(name, "a", 0, priority=priority), pod_sets=(pod_set(pods),), admission=given)


@pytest.mark.parametrize(
    ("name", "asked", "want"),
    [
        ("one victim is enough", 4, ("asks", "preempting", "PENDING_PREEMPTION")),
        ("victims are found, and it does not fit after all", 6, ("asks", "no longer fits", "FAILED_AFTER_NOMINATION")),
    ],
)
@pytest.mark.parametrize("cpu", ["0", "1"])
@pytest.mark.parametrize("fair_sharing", [None, ("LessThanOrEqualToFinalShare",)])
def test_pods_are_short(
    name: str, asked: int, want: tuple[str, str, str], cpu: str, fair_sharing: tuple[str, ...] | None
) -> None:
    asks = replace(waiting("asks", "a", 0, priority=1), pod_sets=(pod_set(asked, cpu=cpu),))
    workloads = [held("victim", 4), held("important", 16, priority=2), asks]
    assert outcomes(simulation([counted(20)], workloads, fair_sharing=fair_sharing)) == [want], name
