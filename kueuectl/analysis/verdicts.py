"""From an evaluation to the verdict: a closed list, the first one that holds counts."""

from __future__ import annotations

from kueuectl.analysis.evaluate import Evaluation
from kueuectl.analysis.explanation import Code, Limit, LimitKind, PodSetRow, Verdict
from kueuectl.engine.entries import Entry, Outcome
from kueuectl.engine.flavors.assignment import Assignment
from kueuectl.engine.reasons import (
    ExceedsCapacity,
    FlavorReason,
    InsufficientQuota,
    Mode,
    ResourceUncovered,
    TopologyUnsupported,
)
from kueuectl.engine.snapshot import QueueNode

_CONTENDED = frozenset({Outcome.OVERLAPPING_VICTIMS, Outcome.NO_LONGER_FITS, Outcome.WILL_FIT_AFTER})


def of(found: Evaluation) -> Verdict:
    """The verdict of an evaluation."""
    entry = found.entry
    if entry is None:
        if found.head:
            return Verdict(Code.BEHIND_HEAD, behind=found.head)
        return Verdict(Code.UNKNOWN, facts=(("why", "neverEvaluated"),))
    deterministic = not found.preemption.ties
    code = _code(entry, found)
    behind = found.contender if code is Code.CONTENDED else ""
    return Verdict(code, behind=behind, deterministic=deterministic)


def _code(entry: Entry, found: Evaluation) -> Code:
    match entry.outcome:
        case Outcome.ADMITTED:
            return Code.FITS
        case Outcome.PREEMPTING | Outcome.MIGRATING:
            return Code.PREEMPTING
        case Outcome.INVALID_RESOURCES | Outcome.LIMIT_RANGE:
            return Code.INVALID
        case Outcome.NAMESPACE_MISMATCH:
            return Code.NAMESPACE_DENIED
        case Outcome.CHECKS_FAILED:
            return Code.CHECKS
        case Outcome.PODS_READY_BLOCK:
            return Code.PODS_READY_BLOCK
        case Outcome.GATED | Outcome.BETTER_VARIANT | Outcome.UNACCEPTABLE_VARIANT:
            return Code.HELD
        case Outcome.NO_CANDIDATES:
            return _short(entry.queue, found, may_preempt=can_preempt(entry.queue))
        case outcome if outcome in _CONTENDED:
            return Code.CONTENDED
        case _:
            return _no_fit(entry, found)


def can_preempt(queue: QueueNode) -> bool:
    """Whether any preemption policy of the queue is on."""
    return queue.within != "Never" or (queue.parent is not None and queue.reclaim != "Never")


def _short(queue: QueueNode, found: Evaluation, *, may_preempt: bool) -> Code:
    """Not enough is free now. Limits count only where preemption is out of the question."""
    if may_preempt:
        return Code.NO_VICTIMS
    if found.blocked_by_borrowing:
        return Code.BORROW_LIMIT
    if found.blocked_by_lending:
        return Code.LEND_LIMIT
    return Code.QUOTA


def _no_fit(entry: Entry, found: Evaluation) -> Code:
    assert entry.assignment is not None
    reasons = failing_reasons(entry.assignment)
    if any(isinstance(reason, ResourceUncovered) for reason in reasons):
        return Code.UNCOVERED_RESOURCE
    if any(isinstance(reason, InsufficientQuota) for reason in reasons):
        return _short(entry.queue, found, may_preempt=False)
    if any(isinstance(reason, ExceedsCapacity) for reason in reasons):
        return Code.NEVER_FITS
    if any(isinstance(reason, TopologyUnsupported) for reason in reasons):
        return Code.NO_FLAVOR
    return Code.NO_FLAVOR


def failing_reasons(assignment: Assignment) -> list[FlavorReason]:
    """The reasons of the pod set that ended the assignment.

    Where a flavor lacks quota for one resource and capacity for another, it can never be had: the reasons that count
    are those of flavors that could still work, if there are any.
    """
    failed = [result for result in assignment.pod_sets if result.mode is Mode.NO_FIT]
    reasons = [reason for result in failed for reason in result.reasons]
    hopeless = {reason.flavor for reason in reasons if isinstance(reason, ExceedsCapacity)}
    hopeful = [r for r in reasons if isinstance(r, InsufficientQuota) and r.flavor not in hopeless]
    if hopeful:
        return list(hopeful)
    return [reason for reason in reasons if not isinstance(reason, InsufficientQuota)]


def binding(rows: tuple[PodSetRow, ...]) -> Limit | None:
    """The limit that binds for the first resource that is short."""
    for pod_set in rows:
        for flavor in pod_set.flavors:
            for resource in flavor.resources:
                if flavor.mode != "NotTried" and resource.missing and resource.limited_by is not None:
                    return resource.limited_by
    return None


def is_limit(limit: Limit | None) -> bool:
    """Whether what binds is a limit that somebody set, and not capacity."""
    return limit is not None and limit.kind in (LimitKind.BORROWING_LIMIT, LimitKind.LENDING_LIMIT)
