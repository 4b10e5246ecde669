"""PreemptionOverBorrowing may count a pod set as a fit that needs preemption: observed on Kueue's scheduler."""

from __future__ import annotations

from kueuectl.model.queues import ClusterQueue, FlavorFungibility, FlavorQuotas, ResourceGroup, ResourceQuota
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload
from tests.engine.build import admission, pod_set
from tests.engine.scene import holding, outcomes, queue, simulation, waiting

MEMORY = "memory"
PREFERENCE = FlavorFungibility("TryNextFlavor", "TryNextFlavor", "PreemptionOverBorrowing")


def two_resources(name: str, cpu: int, memory: int) -> ClusterQueue:
    """A queue with one flavor of cpus and memory."""
    quotas = (ResourceQuota("cpu", cpu * 1000), ResourceQuota(MEMORY, memory))
    group = ResourceGroup(("cpu", MEMORY), (FlavorQuotas("default", quotas),))
    return replace(queue(name, "co", flavor_fungibility=PREFERENCE), resource_groups=(group,))


def asking(workload: Workload, **requests: str) -> Workload:
    """The workload with other requests."""
    return replace(workload, pod_sets=(pod_set(**requests),))


def test_a_flavor_is_graded_by_the_resource_that_borrows() -> None:
    # Its cpus are borrowed, its memory has to be taken from the victim: the higher of the two heights decides, and
    # that resource fits. So nobody is preempted, and the quota is found missing when the workload's turn comes.
    usage = replace(admission(count=1, memory=4), cluster_queue="a")
    victim = asking(replace(holding("victim", "a", 1), admission=usage), memory="4")
    found = simulation(
        [two_resources("a", 0, 4), two_resources("b", 8, 0)],
        [victim, asking(waiting("asks", "a", 1, priority=1), cpu="2", memory="2")],
    )
    assert outcomes(found) == [("asks", "no longer fits", "FAILED_AFTER_NOMINATION")]
