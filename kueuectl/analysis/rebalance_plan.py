"""From what was found to a plan that can be written to a file and carried out later."""

from __future__ import annotations

from kueuectl.analysis import preconditions
from kueuectl.analysis.preempt import Loss
from kueuectl.analysis.rebalance import Proposed, Result
from kueuectl.analysis.trials import Placed
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
            admitted=tuple(promised(row) for row in chosen.admitted),
            preempted=tuple(loss.workload for loss in chosen.followers),
            returned=tuple(row.workload for row in chosen.moved),
        )
    return Plan(
        made_at=made_at,
        tool_version=tool_version,
        kueue_target=kueue_target,
        goal=goal.text,
        cohort=goal.cohort,
        steps=tuple(step(state, loss, action) for loss in victims),
        promise=promise,
        preconditions=_preconditions(state, chosen) if chosen is not None else (),
    )


def promised(row: Placed) -> Promised:
    """Where a workload that gets quota will have it."""
    return Promised(row.workload, row.cluster_queue, row.flavors)


def step(state: ClusterState, loss: Loss, action: str) -> Step:
    """The write that evicts or holds a workload."""
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
        reason=loss.reason if action == plans.EVICT else "",
    )


def _preconditions(state: ClusterState, chosen: Proposed) -> tuple[Precondition, ...]:
    """All of the trees that the proposal touches."""
    return tuple(
        preconditions.of(
            state,
            victims={loss.workload for loss in chosen.victims},
            gaining={row.workload for row in chosen.admitted},
            queues={loss.cluster_queue for loss in chosen.victims} | {row.cluster_queue for row in chosen.admitted},
        )
    )
