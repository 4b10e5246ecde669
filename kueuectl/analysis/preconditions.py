"""What a plan rests on: every object of the trees that it touches, with the role that the object has in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kueuectl.engine import snapshot, workloads
from kueuectl.model import plan as plans
from kueuectl.model.plan import Precondition
from kueuectl.model.state import ClusterState


def of(
    state: ClusterState, *, victims: Collection[str], gaining: Collection[str], queues: Collection[str]
) -> Iterator[Precondition]:
    """In a fixed order: ClusterQueues, cohorts and flavors, LocalQueues, workloads.

    `victims` and `gaining` are keys of workloads; `queues` names ClusterQueues, whose whole trees count.
    """
    roots = {snapshot.root_of(state, state.cluster_queues[name]) for name in queues if name in state.cluster_queues}
    yield from _quota(state, roots)
    names = {queue.name for queue in state.cluster_queues.values() if snapshot.root_of(state, queue) in roots}
    doors = {key for key, local in state.local_queues.items() if local.cluster_queue in names}
    for key in sorted(doors):
        found = state.local_queues[key]
        yield Precondition(
            "LocalQueue", found.namespace, found.name, found.uid, found.resource_version, plans.DOOR, found.generation
        )
    for key in sorted(state.workloads):
        role = _role(state, key, names=names, doors=doors)
        if role is not None:
            if key in victims:
                role = plans.VICTIM
            elif key in gaining:
                role = plans.BENEFICIARY
            one = state.workloads[key]
            yield Precondition("Workload", one.namespace, one.name, one.uid, one.resource_version, role)


def _quota(state: ClusterState, roots: set[str]) -> Iterator[Precondition]:
    queues = [queue for queue in state.cluster_queues.values() if snapshot.root_of(state, queue) in roots]
    for queue in sorted(queues, key=lambda queue: queue.name):
        yield Precondition(
            "ClusterQueue", "", queue.name, queue.uid, queue.resource_version, plans.QUOTA, queue.generation
        )
    for name in sorted(state.cohorts):
        if snapshot.root_of_cohort(state, name) in roots:
            found = state.cohorts[name]
            yield Precondition("Cohort", "", name, found.uid, found.resource_version, plans.QUOTA, found.generation)
    flavors = {flavor.name for queue in queues for group in queue.resource_groups for flavor in group.flavors}
    for name in sorted(flavors & state.flavors.keys()):
        flavor = state.flavors[name]
        yield Precondition("ResourceFlavor", "", name, flavor.uid, flavor.resource_version, plans.QUOTA)


def _role(state: ClusterState, key: str, *, names: set[str], doors: set[str]) -> str | None:
    """Whether a workload holds quota in the trees, or waits for it; None for all others."""
    workload = state.workloads[key]
    admission = workload.admission
    if admission is not None and admission.cluster_queue in names and workloads.holds_quota(workload):
        return plans.HOLDER
    if f"{workload.namespace}/{workload.queue_name}" in doors and not workloads.is_finished(workload):
        return plans.WAITER
    return None
