"""English for decisions. Where Kueue writes a message into a condition, ours is the same text, to be searched for."""

from __future__ import annotations

from typing import assert_never

from kueuectl.engine import limits, reasons
from kueuectl.engine.entries import Entry, Outcome
from kueuectl.engine.flavors.assignment import Assignment
from kueuectl.engine.preemption.plan import Victim
from kueuectl.engine.quota import Node
from kueuectl.engine.reasons import (
    AffinityMismatch,
    Blocker,
    ExceedsCapacity,
    FlavorMissing,
    FlavorNotAllowed,
    FlavorNotNominated,
    FlavorOfReplaced,
    FlavorReason,
    InsufficientQuota,
    Mode,
    ResourceUncovered,
    TopologyUnsupported,
    Untolerated,
)
from kueuectl.engine.snapshot import QueueNode
from kueuectl.model.selectors import Taint
from kueuectl.model.settings import Settings
from kueuectl.model.workloads import Workload
from kueuectl.quantity import format_amount


def flavor_reason(reason: FlavorReason) -> str:
    """Why a flavor is out or not enough, in Kueue's words."""
    match reason:
        case ResourceUncovered(resource):
            return f"resource {resource} unavailable in ClusterQueue"
        case FlavorMissing(flavor):
            return f"flavor {flavor} not found"
        case Untolerated(flavor, taint):
            return f"untolerated taint {_taint(taint)} in flavor {flavor}"
        case AffinityMismatch(flavor):
            return f"flavor {flavor} doesn't match node affinity"
        case FlavorNotAllowed(flavor):
            return f"skipping flavor {flavor} due to WorkloadAllowedResourceFlavorAnnotation annotation"
        case FlavorNotNominated(flavor, resource):
            return f"skipping flavor {flavor} as it is not found in the nomination mapping for resource {resource}"
        case ExceedsCapacity(flavor, resource, before, request, maximum):
            return (
                f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets requests "
                f"({format_amount(resource, before)}) + current podset request ({format_amount(resource, request)}) "
                f"> maximum capacity ({format_amount(resource, maximum)})"
            )
        case InsufficientQuota(flavor, resource, missing):
            more = format_amount(resource, missing)
            return f"insufficient unused quota for {resource} in flavor {flavor}, {more} more needed"
        case FlavorOfReplaced(flavor, original):
            return f"could not assign {flavor} flavor since the original workload is assigned: {original}"
        case TopologyUnsupported(_, detail):
            return detail
        case _:
            assert_never(reason)


# Reasons of the QuotaReserved=False condition (KEP-10852, gate UnadmittedWorkloadsObservability).
_TOKENS = {
    Blocker.NO_MATCHING_FLAVOR: "NoMatchingFlavor",
    Blocker.EXCEEDS_MAX_QUOTA: "ExceedsMaxQuota",
    Blocker.WAITING_FOR_QUOTA: "WaitingForQuota",
}


def blocker(found: Blocker | None) -> str:
    """The reason that Kueue gives to what keeps a flavor or a workload out; "" for None."""
    return "" if found is None else _TOKENS[found]


def _taint(taint: Taint) -> str:
    return f"{{{taint.key} {taint.value} {taint.effect} <nil>}}"


def assignment(found: Assignment) -> str:
    """Why an assignment does not fit, pod set by pod set; "" when it fits."""
    parts = []
    for result in found.pod_sets:
        if result.mode is not Mode.FIT and result.reasons:
            texts = ", ".join(sorted(flavor_reason(reason) for reason in result.reasons))
            parts.append(f"couldn't assign flavors to pod set {result.name}: {texts}")
    return "; ".join(parts)


_FIXED = {
    Outcome.OVERLAPPING_VICTIMS: "Workload has overlapping preemption targets with another workload",
    Outcome.WILL_FIT_AFTER: (
        "Workload has overlapping preemption targets with another workload, "
        "but will fit after these preemptions complete"
    ),
    Outcome.NO_LONGER_FITS: "Workload no longer fits after processing another workload",
    Outcome.GATED: "Workload requires preemption, but it's gated",
    Outcome.BETTER_VARIANT: "A more favorable variant is already admitted",
    Outcome.UNACCEPTABLE_VARIANT: "Target flavor is below LastAcceptableFlavorName",
    Outcome.NAMESPACE_MISMATCH: "workload namespace doesn't match ClusterQueue selector",
    Outcome.CHECKS_FAILED: "The workload has failed admission checks",
    Outcome.PODS_READY_BLOCK: "waiting for all admitted workloads to be in PodsReady condition",
}


# Reasons of entries that were looked at, whatever their flavors; see `entry_reason`.
_REASONS = {
    Outcome.ADMITTED: "",
    Outcome.PREEMPTING: "WaitingForPreemptedWorkloads",
    Outcome.WILL_FIT_AFTER: "WaitingForPreemptedWorkloads",
    Outcome.NO_CANDIDATES: "WaitingForQuota",
    Outcome.OVERLAPPING_VICTIMS: "WaitingForQuota",
    Outcome.NO_LONGER_FITS: "WaitingForQuota",
    Outcome.GATED: "AdmissionGated",
    Outcome.NAMESPACE_MISMATCH: "Misconfigured",
    Outcome.INVALID_RESOURCES: "Misconfigured",
    Outcome.LIMIT_RANGE: "Misconfigured",
    Outcome.CHECKS_FAILED: "PendingEvaluation",
    Outcome.MIGRATING: "WaitingForPreemptedWorkloads",
    Outcome.BETTER_VARIANT: "PendingEvaluation",
    Outcome.UNACCEPTABLE_VARIANT: "PendingEvaluation",
    Outcome.PODS_READY_BLOCK: "WaitingForPodsReady",
}


def entry_reason(found: Entry, settings: Settings) -> str:
    """The reason of the QuotaReserved=False condition that the entry gets; "" for an admitted one.

    Always Pending without the gate UnadmittedWorkloadsObservability (KEP-10852).
    """
    if found.outcome is Outcome.NO_FIT:
        blocked = None if found.assignment is None else found.assignment.blocker
        token = blocker(Blocker.WAITING_FOR_QUOTA if blocked is None else blocked)
    else:
        token = _REASONS[found.outcome]
    return token if not token or settings.gate("UnadmittedWorkloadsObservability") else "Pending"


def entry(found: Entry) -> str:
    """The message of the QuotaReserved=False condition that the entry gets; "" for an admitted one."""
    fixed = _FIXED.get(found.outcome)
    if fixed is not None:
        return fixed
    if found.outcome in (Outcome.INVALID_RESOURCES, Outcome.LIMIT_RANGE):
        return limits.message(found.problems)
    text = "" if found.assignment is None else assignment(found.assignment)
    if found.outcome is Outcome.PREEMPTING and found.preempted:
        return f"{text}. Pending the preemption of {found.preempted} workload(s)"
    if found.outcome is Outcome.MIGRATING:
        return f"{text}. Pending the migration of 1 workload(s)"
    return text


# What Kueue calls the reasons of preemption in its messages.
_PREEMPTION = {
    reasons.IN_CLUSTER_QUEUE: "prioritization in the ClusterQueue",
    reasons.IN_COHORT_RECLAMATION: "reclamation within the cohort",
    reasons.IN_COHORT_FAIR_SHARING: "Fair Sharing within the cohort",
    reasons.IN_COHORT_RECLAIM_WHILE_BORROWING: "reclamation within the cohort while borrowing",
}
JOB_UID_LABEL = "kueue.x-k8s.io/job-uid"
_UNKNOWN = "UNKNOWN"


def path(queue: Node) -> str:
    """The way from the root of the cohorts to a node, as Kueue writes it: /root/cohort/queue."""
    return "".join(f"/{node.name}" for node in (*reversed(queue.path), queue))


def preempted(victim: Victim, preemptor: Workload, queue: QueueNode) -> str:
    """The message of the Evicted and Preempted conditions of a victim; `queue` is the preemptor's."""
    assert victim.info.queue is not None
    job = _job(preemptor) or _UNKNOWN
    return (
        f"Preempted to accommodate a workload (UID: {preemptor.uid or _UNKNOWN}, JobUID: {job}) "
        f"due to {_PREEMPTION[victim.reason]}; preemptor path: {path(queue)}; preemptee path: {path(victim.info.queue)}"
    )


def replaced(by: Workload) -> str:
    """The message of the Finished condition of a workload slice whose place was taken."""
    return f"Replaced to accommodate a workload (UID: {by.uid}, JobUID: {_job(by)}) due to workload slice aggregation"


def _job(workload: Workload) -> str:
    """The uid of its job, as its label says; "" without one."""
    return next((value for key, value in workload.labels if key == JOB_UID_LABEL), "")


def migrated(preemptor: Workload) -> str:
    """The message of the Evicted condition of a variant that makes room for a more favorable one."""
    return (
        f"Evicted to accommodate a workload (UID: {preemptor.uid or _UNKNOWN}) "
        "due to migration to more favorable resource flavor"
    )
