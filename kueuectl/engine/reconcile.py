"""What Kueue's controllers write by themselves before the scheduler goes on: the state as it settles.

1. A backoff that is over ends: Requeued=False becomes True (reason BackoffFinished) when no requeue time lies ahead,
   as long as the workload may queue at all. Observed in v0.19.2.
2. The states of checks that the ClusterQueue does not name any more are dropped from what waits or reserves quota.
   Observed in v0.19.2. (A state that is missing is added as Pending; that changes no decision.)
"""

from __future__ import annotations

from kueuectl.engine import workloads
from kueuectl.model import conditions
from kueuectl.model.conditions import Condition
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload

_STOPPED = frozenset({"ClusterQueueStopped", "LocalQueueStopped"})


def settled(state: ClusterState, now: int) -> ClusterState:
    """The state after the controllers; the same object when nothing changes."""
    changed = {key: ended(workload, now) for key, workload in state.workloads.items() if is_over(workload, now)}
    for key, workload in state.workloads.items():
        if workload.checks:
            kept = with_checks_of_its_queue(changed.get(key, workload), state)
            if kept is not workload:
                changed[key] = kept
    if not changed:
        return state
    return replace(state, workloads={**state.workloads, **changed})


def with_checks_of_its_queue(workload: Workload, state: ClusterState) -> Workload:
    """The workload without states of checks that its ClusterQueue does not name; the same object when there are none.

    What is finished, or has no known ClusterQueue, stays as it is.
    """
    door = state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
    name = workload.admission.cluster_queue if workload.admission else door.cluster_queue if door else ""
    queue = state.cluster_queues.get(name)
    if queue is None or workloads.is_finished(workload):
        return workload
    named = {rule.name for rule in queue.admission_checks}
    kept = tuple(check for check in workload.checks if check.name in named)
    return workload if len(kept) == len(workload.checks) else replace(workload, checks=kept)


def is_over(workload: Workload, now: int) -> bool:
    """Whether Requeued is False although nothing says when the backoff would end, or that time has come."""
    if not workload.conditions or not workload.active:
        return False
    found = conditions.find(workload.conditions, workloads.REQUEUED)
    if found is None or found.status != "False" or found.reason in _STOPPED:
        return False
    ahead = workload.requeue is not None and workload.requeue.requeue_at is not None
    return not (ahead and workload.requeue is not None and (workload.requeue.requeue_at or 0) > now)


def ended(workload: Workload, now: int) -> Workload:
    """The workload with its backoff over."""
    kept = tuple(c for c in workload.conditions if c.type != workloads.REQUEUED)
    over = Condition(workloads.REQUEUED, "True", "BackoffFinished", last_transition=now)
    return replace(workload, conditions=(*kept, over))
