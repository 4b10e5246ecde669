"""What a state uses that decisions here can't take into account, or that is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState

_CHECK_CONTROLLERS = {
    "kueue.x-k8s.io/multikueue": (
        "MultiKueue",
        "worker clusters decide where the job runs; only what the manager knows is shown",
    ),
    "kueue.x-k8s.io/provisioning-request": (
        "ProvisioningRequest",
        "cluster-autoscaler decides whether nodes can be had; only the state of the check is shown",
    ),
}


class Unmodelled(NamedTuple):
    """A feature in use, what that means for answers, and the objects that use it (the first few)."""

    feature: str
    meaning: str
    used_by: tuple[str, ...]


def find(state: ClusterState, settings: Settings) -> tuple[Unmodelled, ...]:
    """The features in use, in a fixed order."""
    return tuple(_found(state, settings))


def _found(state: ClusterState, settings: Settings) -> Iterator[Unmodelled]:
    flavors = sorted(name for name, flavor in state.flavors.items() if flavor.topology)
    if flavors:
        yield Unmodelled("TopologyAwareScheduling", "placement on nodes is not computed", _some("flavor", flavors))
    queues = sorted(name for name, queue in state.cluster_queues.items() if queue.admission_mode)
    if queues or settings.admission_fair_sharing is not None:
        meaning = "the order by past usage is not computed: positions are by priority and time"
        yield Unmodelled("AdmissionFairSharing", meaning, _some("clusterqueue", queues))
    ready = settings.wait_for_pods_ready
    if ready is not None and ready.block_admission:
        meaning = "who waits for the pods of others to be ready is not computed"
        yield Unmodelled("WaitForPodsReady with blockAdmission", meaning, ())
    claims = sorted(
        key
        for key, workload in state.workloads.items()
        if any(pod_set.template.resource_claims for pod_set in workload.pod_sets)
    )
    if claims:
        yield Unmodelled(
            "DynamicResourceAllocation", "devices behind resource claims are not counted", _some("workload", claims)
        )
    for controller, (feature, meaning) in _CHECK_CONTROLLERS.items():
        checks = sorted(name for name, check in state.admission_checks.items() if check.controller == controller)
        if checks:
            yield Unmodelled(feature, meaning, _some("admissioncheck", checks))


def _some(kind: str, names: list[str]) -> tuple[str, ...]:
    return tuple(f"{kind}/{name}" for name in names[:5])
