"""From what was found to a plan that can be written to a file and carried out later."""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.analysis.preempt import Loss
from kueuectl.analysis.rebalance import Proposed, Result
from kueuectl.analysis.trials import Placed
from kueuectl.engine import snapshot, workloads
from kueuectl.model import plan as plans
from kueuectl.model.plan import Plan, Precondition, Promise, Promised, Step
from kueuectl.model.state import ClusterState


def of(
    state: ClusterState, found: Result, chosen: Proposed | None, *, made_at: int, tool_version: str, kueue_target: str
) -> Plan:
    """The plan of a proposal; without one (nothing to do) it has no steps. `state` is the one that was searched."""
    goal = found.request.goal
    action = plans.HOLD if found.request.hold else plans.EVICT
    victims = chosen.victims if chosen is not None else ()
    promise = Promise()
    if chosen is not None:
        promise = Promise(
            admitted=tuple(_promised(row) for row in chosen.admitted),
            preempted=tuple(loss.workload for loss in chosen.followers),
            returned=tuple(row.workload for row in chosen.moved),
        )
    return Plan(
        made_at=made_at,
        tool_version=tool_version,
        kueue_target=kueue_target,
        goal=goal.text,
        cohort=goal.cohort,
        steps=tuple(_step(state, loss, action) for loss in victims),
        promise=promise,
        preconditions=tuple(_preconditions(state, chosen)) if chosen is not None else (),
    )


def _promised(row: Placed) -> Promised:
    return Promised(row.workload, row.cluster_queue, row.flavors)


def _step(state: ClusterState, loss: Loss, action: str) -> Step:
    workload = state.workloads[loss.workload]
    return Step(
        action=action,
        namespace=workload.namespace,
        name=workload.name,
        uid=workload.uid,
        resource_version=workload.resource_version,
        cluster_queue=loss.cluster_queue,
        priority=loss.priority,
        pods=loss.pods,
        gpus=loss.gpus,
        running_seconds=loss.seconds,
    )


def _preconditions(state: ClusterState, chosen: Proposed) -> Iterator[Precondition]:
    """Everything that the proposal rests on: all of the trees that it touches, in a fixed order."""
    touched = {loss.cluster_queue for loss in chosen.victims}
    touched |= {row.cluster_queue for row in chosen.admitted}
    roots = {snapshot.root_of(state, state.cluster_queues[name]) for name in touched if name in state.cluster_queues}
    queues = [queue for queue in state.cluster_queues.values() if snapshot.root_of(state, queue) in roots]
    for queue in sorted(queues, key=lambda queue: queue.name):
        yield Precondition("ClusterQueue", "", queue.name, queue.uid, queue.resource_version, plans.QUOTA)
    for name in sorted(state.cohorts):
        if snapshot.root_of_cohort(state, name) in roots:
            cohort = state.cohorts[name]
            yield Precondition("Cohort", "", name, cohort.uid, cohort.resource_version, plans.QUOTA)
    flavors = {flavor.name for queue in queues for group in queue.resource_groups for flavor in group.flavors}
    for name in sorted(flavors & state.flavors.keys()):
        flavor = state.flavors[name]
        yield Precondition("ResourceFlavor", "", name, flavor.uid, flavor.resource_version, plans.QUOTA)
    names = {queue.name for queue in queues}
    doors = {key for key, local in state.local_queues.items() if local.cluster_queue in names}
    for key in sorted(doors):
        local = state.local_queues[key]
        yield Precondition("LocalQueue", local.namespace, local.name, local.uid, local.resource_version, plans.DOOR)
    yield from _workloads(state, chosen, names=names, doors=doors)


def _workloads(state: ClusterState, chosen: Proposed, *, names: set[str], doors: set[str]) -> Iterator[Precondition]:
    victims = {loss.workload for loss in chosen.victims}
    gaining = {row.workload for row in chosen.admitted}
    for key in sorted(state.workloads):
        workload = state.workloads[key]
        admission = workload.admission
        holds = admission is not None and admission.cluster_queue in names and workloads.holds_quota(workload)
        waits = f"{workload.namespace}/{workload.queue_name}" in doors and not workloads.is_finished(workload)
        if not holds and not waits:
            continue
        if key in victims:
            role = plans.VICTIM
        elif key in gaining:
            role = plans.BENEFICIARY
        else:
            role = plans.HOLDER if holds else plans.WAITER
        yield Precondition("Workload", workload.namespace, workload.name, workload.uid, workload.resource_version, role)
