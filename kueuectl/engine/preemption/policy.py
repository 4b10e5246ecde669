"""Who may be preempted by whom, one against one.

Rules (docs: Preemption; ClusterQueue API reference, preemption):

- withinClusterQueue and reclaimWithinCohort: LowerPriority: the candidate's priority is lower; Any: always;
  LowerOrNewerEqualPriority: lower, or equal and the candidate's queue timestamp is later (with the gate
  SchedulerTimestampPreemptionBuffer, by more than five minutes).
- reclaimWithinCohort from another queue: with a hierarchical advantage, whatever the preemptor borrows; without, only
  while the preemptor does not borrow, unless borrowWithinCohort allows it: then the candidate's priority must be lower
  than the preemptor's and not above maxPriorityThreshold.
"""

from __future__ import annotations

from enum import IntEnum

from kueuectl.engine import reasons
from kueuectl.engine.infos import Info
from kueuectl.engine.snapshot import QueueNode

NEVER = "Never"


class Variant(IntEnum):
    """How a candidate may be preempted."""

    WITHIN_QUEUE = 1
    HIERARCHICAL_RECLAIM = 2
    RECLAIM_WITHOUT_BORROWING = 3
    RECLAIM_WHILE_BORROWING = 4


REASON_OF = {
    Variant.WITHIN_QUEUE: reasons.IN_CLUSTER_QUEUE,
    Variant.HIERARCHICAL_RECLAIM: reasons.IN_COHORT_RECLAMATION,
    Variant.RECLAIM_WITHOUT_BORROWING: reasons.IN_COHORT_RECLAMATION,
    Variant.RECLAIM_WHILE_BORROWING: reasons.IN_COHORT_RECLAIM_WHILE_BORROWING,
}


def satisfies(policy: str, preemptor: Info, candidate: Info, *, buffer: int) -> bool:
    """Whether a policy lets the preemptor take the candidate. `buffer`: see `QueueNode`."""
    if policy == "Any":
        return True
    if candidate.priority < preemptor.priority:
        return policy != NEVER
    return (
        policy == "LowerOrNewerEqualPriority"
        and candidate.priority == preemptor.priority
        and preemptor.timestamp + buffer < candidate.timestamp
    )


def allowed(policy: str, preemptor: Info, candidates: list[Info], *, buffer: int) -> list[Info]:
    """Those that the policy lets the preemptor take (`satisfies`), in their order. May be the very list that came."""
    if policy == "Any":
        return candidates
    if policy == NEVER:
        return []
    rank = preemptor.priority
    if policy != "LowerOrNewerEqualPriority":
        return [info for info in candidates if info.priority < rank]
    after = preemptor.timestamp + buffer
    return [info for info in candidates if info.priority < rank or (info.priority == rank and after < info.timestamp)]


def goes_before(a: Info, b: Info, own: QueueNode) -> bool:
    """Which of two candidates is preempted first by a workload of the queue `own`.

    1. evicted first, 2. other queues before the preemptor's own, 3. within one queue, the one whose LocalQueue used
    more (KEP-4136), 4. lower priority, 5. later reservation of quota, 6. uid, 7. key.
    """
    left = (a.candidate_key[0], a.queue is own)
    right = (b.candidate_key[0], b.queue is own)
    if left != right:
        return left < right
    if a.queue is b.queue and a.local_usage != b.local_usage:
        return a.local_usage > b.local_usage
    return a.candidate_key < b.candidate_key


def while_borrowing(queue: QueueNode, preemptor: Info, candidates: list[Info]) -> list[Info]:
    """Those of another queue that the preemptor may take while it borrows, without a hierarchical advantage."""
    if not queue.borrows_by_preemption:
        return []
    below = preemptor.priority
    if queue.borrow_threshold is not None:
        below = min(below, queue.borrow_threshold + 1)
    return [info for info in candidates if info.priority < below]


def variant_outside(queue: QueueNode, preemptor: Info, candidate: Info, *, advantage: bool) -> Variant:
    """How a candidate of another ClusterQueue may be preempted that reclaimWithinCohort allows."""
    if advantage:
        return Variant.HIERARCHICAL_RECLAIM
    may_borrow = while_borrowing(queue, preemptor, [candidate])
    return Variant.RECLAIM_WHILE_BORROWING if may_borrow else Variant.RECLAIM_WITHOUT_BORROWING
