"""What an eviction writes into a Workload's status: the same that Kueue's scheduler writes when it preempts one.

Observed of Kueue 0.19, which decides these rules.

1. The scheduler writes Evicted (reason Preempted) and Preempted (the detailed reason) with one message, and counts the
   eviction in status.schedulingStats. It leaves quota and admission as they are.
2. The job's controller sees Evicted, stops the job, and then takes the quota away: QuotaReserved and Admitted become
   False, Requeued True, the admission goes, the time since Admitted is added to what ran before.
3. A workload that is given quota again keeps both conditions, False, with "Previously: " before the message.
4. Kueue counts nothing by itself when somebody else writes the conditions, so the counter is ours to write.
5. Nobody takes the quota of a workload that has no owner; a deactivated one stops counting at once all the same.
6. An evicted workload queues again in the moment in which its quota is free, and who was found inadmissible before is
   only woken up to a second later. So a victim comes straight back before the one that it has to make room for. When
   Kueue preempts by itself the preemptor is not parked, so it has no such race. status.requeueState.requeueAt keeps
   an evicted workload from being tried before a time, whatever it was evicted for; we set it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuectl import times
from kueuectl.api import patches

EVICTED = "Evicted"
PREEMPTED = "Preempted"
QUOTA_RESERVED = "QuotaReserved"
ADMITTED = "Admitted"
REQUEUED = "Requeued"
# The reason of Evicted, and of the counter.
BY_PREEMPTION = "Preempted"

# Seconds: what a pod gets to end if it says nothing; of those that ask for very long the most that is waited for, since
# few take all of it; and for Kueue to wake who waits.
_GRACE, _LONGEST_GRACE, _MARGIN = 30, 110, 10

Item = dict[str, Any]


def preempted(item: Mapping[str, Any], *, reason: str, message: str, now: int, backoff: int = 0) -> Item:
    """The status of a preempted workload, as a patch; `reason` is that of Preempted, times in nanoseconds.

    It is not tried again before `backoff` is over (rule 6); 0 leaves that as it is.
    """
    changed = {
        EVICTED: ("True", BY_PREEMPTION, message),
        PREEMPTED: ("True", reason, message),
    }
    patch = patches.conditions(item, changed, now=now)
    for row in patch["status"]["conditions"]:
        if row["type"] == PREEMPTED:
            row.pop("observedGeneration", None)
    patch["status"]["schedulingStats"] = {"evictions": _counted(item)}
    if backoff:
        until = (now + backoff) // times.SECOND * times.SECOND
        patch["status"]["requeueState"] = {"requeueAt": times.format_time(until)}
    return patch


def backoff_of(item: Mapping[str, Any]) -> int:
    """How long an evicted workload should be kept back: its pods have to end first; in nanoseconds."""
    grace = _GRACE
    for pod_set in (item.get("spec") or {}).get("podSets") or ():
        spec = (pod_set.get("template") or {}).get("spec") or {}
        given = spec.get("terminationGracePeriodSeconds")
        grace = max(grace, given if isinstance(given, int) else 0)
    return (min(grace, _LONGEST_GRACE) + _MARGIN) * times.SECOND


def _counted(item: Mapping[str, Any]) -> list[Item]:
    """The counters of evictions with one more preemption."""
    stats = (item.get("status") or {}).get("schedulingStats") or {}
    rows = [dict(row) for row in stats.get("evictions") or ()]
    for row in rows:
        if row.get("reason") == BY_PREEMPTION and not row.get("underlyingCause"):
            row["count"] = int(row.get("count") or 0) + 1
            return rows
    return [*rows, {"reason": BY_PREEMPTION, "underlyingCause": "", "count": 1}]


def released(item: Mapping[str, Any], *, message: str, now: int) -> Item:
    """The status of an evicted workload without its quota, as a patch: what its job's controller would write."""
    changed = {
        QUOTA_RESERVED: ("False", "Pending", message),
        ADMITTED: ("False", "NoReservation", "The workload has no reservation"),
        REQUEUED: ("True", BY_PREEMPTION, message),
    }
    patch = patches.conditions(item, changed, now=now)
    patch["status"]["admission"] = None
    status = item.get("status") or {}
    since = condition(item, ADMITTED).get("lastTransitionTime")
    if since and condition(item, ADMITTED).get("status") == "True":
        ran = max(0, now - times.parse(since)) // times.SECOND
        patch["status"]["accumulatedPastExecutionTimeSeconds"] = (
            int(status.get("accumulatedPastExecutionTimeSeconds") or 0) + ran
        )
    return patch


def condition(item: Mapping[str, Any], kind: str) -> Item:
    """The condition of that type; empty where there is none."""
    rows = (item.get("status") or {}).get("conditions") or ()
    return next((row for row in rows if row.get("type") == kind), {})


def is_marked(item: Mapping[str, Any], mark: str) -> bool:
    """Whether the message of its last preemption holds this text, even if it was given quota again since."""
    return mark in str(condition(item, PREEMPTED).get("message") or "")


def holds_quota(item: Mapping[str, Any]) -> bool:
    """Whether quota is reserved for it."""
    return condition(item, QUOTA_RESERVED).get("status") == "True" and bool((item.get("status") or {}).get("admission"))


def is_active(item: Mapping[str, Any]) -> bool:
    """Whether it may hold quota at all."""
    return (item.get("spec") or {}).get("active") is not False


def why_not_released(item: Mapping[str, Any]) -> str:
    """Why it is not safe to take the quota of a workload away that nobody owns; "" where it is.

    Whoever reports on pods or on admission checks runs something for it.
    """
    if (item.get("metadata") or {}).get("ownerReferences"):
        return "it has an owner, which has to stop first"
    if condition(item, "PodsReady").get("status") == "True":
        return "its pods are ready, so something runs for it"
    if (item.get("status") or {}).get("admissionChecks"):
        return "it has admission checks, which somebody else keeps"
    if "kueue.x-k8s.io/multikueue-origin" in ((item.get("metadata") or {}).get("labels") or {}):
        return "it belongs to another cluster"
    return ""
