"""What a workload looks like once it was evicted and its job has stopped.

Rules (docs: Preemption; Admission Check; observed behaviour where they are silent):

1. A preemption sets Evicted and Preempted, and starts all admission checks over.
2. When the job has stopped, the admission and the conditions QuotaReserved and Admitted go. After a preemption or a
   failure of a node it may queue again at once; after other evictions it waits for its controller (Requeued is False).
3. It asks for all of its pods again, whatever partial admission gave it.
"""

from __future__ import annotations

from kueuectl.engine import checks, workloads
from kueuectl.model.conditions import Condition
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload

_QUEUES_AGAIN = frozenset({"Preempted", "NodeFailures"})


def after_preemption(workload: Workload, reason: str, now: int) -> Workload:
    """A workload that was preempted now, and whose job stopped at once; `reason` is that of Preempted."""
    changed = (workloads.EVICTED, workloads.PREEMPTED)
    conditions = (
        *(condition for condition in workload.conditions if condition.type not in changed),
        Condition(workloads.EVICTED, "True", "Preempted", last_transition=now),
        Condition(workloads.PREEMPTED, "True", reason, last_transition=now),
    )
    reset = tuple(replace(check, state=checks.PENDING) for check in workload.checks)
    return after_eviction(replace(workload, conditions=conditions, checks=reset), now)


def after_migration(workload: Workload, now: int) -> Workload:
    """A variant that made room for a more favorable one now, and whose job stopped at once (KEP-8691)."""
    conditions = (
        *(condition for condition in workload.conditions if condition.type != workloads.EVICTED),
        Condition(workloads.EVICTED, "True", workloads.MIGRATION, last_transition=now),
    )
    return after_eviction(replace(workload, conditions=conditions), now)


def after_eviction(workload: Workload, now: int) -> Workload:
    """An evicted workload whose job has stopped now."""
    reason = next(condition.reason for condition in workload.conditions if condition.type == workloads.EVICTED)
    again = "True" if reason in _QUEUES_AGAIN else "False"
    changed = (workloads.QUOTA_RESERVED, workloads.ADMITTED, workloads.REQUEUED)
    kept = tuple(condition for condition in workload.conditions if condition.type not in changed)
    requeued = Condition(workloads.REQUEUED, again, reason, last_transition=now)
    return replace(workload, admission=None, conditions=(*kept, requeued))


def reason_of(workload: Workload) -> str:
    """The reason that counts for an eviction: that of the Preempted condition for a preemption, else of Evicted."""
    found = {condition.type: condition for condition in workload.conditions if condition.status == "True"}
    evicted = found[workloads.EVICTED]
    preempted = found.get(workloads.PREEMPTED)
    return preempted.reason if evicted.reason == "Preempted" and preempted is not None else evicted.reason
