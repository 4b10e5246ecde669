"""Facts about one workload, read off its spec, conditions and annotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kueuectl.engine import checks
from kueuectl.engine.requests import PodSetRequests
from kueuectl.model import conditions
from kueuectl.model.conditions import Condition
from kueuectl.model.settings import Settings
from kueuectl.model.workloads import Workload

QUOTA_RESERVED = "QuotaReserved"
ADMITTED = "Admitted"
EVICTED = "Evicted"
FINISHED = "Finished"
PREEMPTED = "Preempted"
REQUEUED = "Requeued"
ON_HOLD = "OnHold"
BLOCKED = "BlockedOnPreemptionGates"
# The reason of an eviction for a more favorable variant.
MIGRATION = "FlavorMigration"

GATED_BY_ANNOTATION = "kueue.x-k8s.io/admission-gated-by"
REPLACES_ANNOTATION = "kueue.x-k8s.io/workload-slice-replacement-for"
# The parent of variants (KEP-8691, concurrent admission).
PARENT_LABEL = "kueue.x-k8s.io/concurrent-admission-parent"
ALLOWED_FLAVORS_ANNOTATION = "kueue.x-k8s.io/workload-allowed-resource-flavors"

_SECOND = 1_000_000_000
_MILLISECOND = 1_000_000


def is_reserved(workload: Workload) -> bool:
    """Whether it has its quota reserved."""
    return conditions.is_true(workload.conditions, QUOTA_RESERVED)


def is_admitted(workload: Workload) -> bool:
    """Whether it is admitted: quota reserved, and all admission checks passed."""
    return conditions.is_true(workload.conditions, ADMITTED)


def is_finished(workload: Workload) -> bool:
    """Whether it ran to its end."""
    return conditions.is_true(workload.conditions, FINISHED)


def is_evicted(workload: Workload) -> bool:
    """Whether it was evicted and has not been given quota since; until its pods are gone it still holds quota."""
    return conditions.is_true(workload.conditions, EVICTED)


def is_on_hold(workload: Workload) -> bool:
    """Whether its owner holds it back (a StatefulSet that is scaled to zero)."""
    found = conditions.find(workload.conditions, QUOTA_RESERVED)
    return found is not None and found.status == "False" and found.reason == ON_HOLD


def holds_quota(workload: Workload) -> bool:
    """Whether its usage counts: reserved and not finished. Deactivating a workload frees its quota at once."""
    return workload.admission is not None and workload.active and is_reserved(workload) and not is_finished(workload)


def gates(workload: Workload, settings: Settings) -> tuple[str, ...]:
    """Names of controllers that keep the workload from admission (KEP-6915); empty when none does."""
    if not workload.annotations or not settings.gate("AdmissionGatedBy"):
        return ()
    text = annotation(workload, GATED_BY_ANNOTATION)
    return tuple(text.split(",")) if text else ()


def may_queue(workload: Workload, settings: Settings) -> bool:
    """Whether a queue takes it in: not switched off, finished, gated, on hold, and without quota yet, and no parent."""
    return (
        workload.active
        and not is_parent(workload, settings)
        and not is_reserved(workload)
        and not is_finished(workload)
        and not gates(workload, settings)
        and not is_on_hold(workload)
    )


def reservation_time(workload: Workload) -> int:
    """When quota was reserved; 0 where that is not known."""
    found = conditions.find(workload.conditions, QUOTA_RESERVED)
    if found is None or found.status != "True":
        return 0
    return found.last_transition or 0


def queue_timestamp(workload: Workload, settings: Settings) -> int:
    """The time that orders workloads of equal priority: that of creation, with exceptions; 0 where unknown.

    1. Evicted because pods did not get ready: the time of the eviction, unless `requeuingStrategy.timestamp` says
       Creation (KEP-1282).
    2. Evicted by an admission check: the time of the eviction.
    3. Without PrioritySortingWithinCohort, preempted by a queue that borrows: just after that, lest both go round.
    """
    evicted = conditions.find(workload.conditions, EVICTED)
    if evicted is not None and evicted.status == "True":
        ready = settings.wait_for_pods_ready
        by_eviction = ready is None or ready.requeuing_timestamp == "Eviction"
        if evicted.reason == "AdmissionCheck" or (evicted.reason == "PodsReadyTimeout" and by_eviction):
            return evicted.last_transition or 0
    if not settings.gate("PrioritySortingWithinCohort"):
        preempted = conditions.find(workload.conditions, PREEMPTED)
        if preempted is not None and preempted.status == "True" and preempted.reason == "InCohortReclaimWhileBorrowing":
            return (preempted.last_transition or 0) + _MILLISECOND
    return workload.creation or 0


def waits_for_backoff(workload: Workload, now: int) -> bool:
    """Whether it was evicted and may not be tried again yet: Requeued is False, or its time has not come."""
    requeued = conditions.find(workload.conditions, REQUEUED)
    if requeued is not None and requeued.status == "False":
        return True
    state = workload.requeue
    return state is not None and state.requeue_at is not None and state.requeue_at > now


def replaces(workload: Workload, settings: Settings) -> str | None:
    """The key of the admitted workload slice that this one takes the place of (KEP-77, elastic jobs), if any."""
    if not workload.annotations or not settings.gate("ElasticJobsViaWorkloadSlices"):
        return None
    return annotation(workload, REPLACES_ANNOTATION) or None


def allowed_flavors(workload: Workload, settings: Settings) -> frozenset[str] | None:
    """The only flavors that a workload variant may use (KEP-8691, concurrent admission); None when it is free."""
    if not workload.annotations or not settings.gate("ConcurrentAdmission"):
        return None
    text = annotation(workload, ALLOWED_FLAVORS_ANNOTATION)
    return frozenset(part.strip() for part in text.split(",")) if text else None


def is_parent(workload: Workload, settings: Settings) -> bool:
    """Whether it stands for its variants, which are scheduled in its place (KEP-8691, concurrent admission)."""
    return bool(workload.labels) and settings.gate("ConcurrentAdmission") and (PARENT_LABEL, "true") in workload.labels


def controller_uid(workload: Workload) -> str:
    """The uid of its controlling owner; "" without one."""
    return next((owner.uid for owner in workload.owners if owner.is_controller), "")


def closed_gates(workload: Workload, settings: Settings) -> tuple[str, ...]:
    """Names of gates that keep it from preempting (KEP-8303): those that nobody has opened."""
    if not workload.preemption_gates or not settings.gate("MultiKueueOrchestratedPreemption"):
        return ()
    return tuple(gate.name for gate in workload.preemption_gates if gate.position != "Open")


def annotation(workload: Workload, name: str) -> str:
    """The value of an annotation; "" without it."""
    return next((value for key, value in workload.annotations if key == name), "")


def scheduling_key(
    workload: Workload, requests: Iterable[PodSetRequests], priority: int, settings: Settings
) -> tuple[object, ...] | None:
    """What makes workloads of one ClusterQueue equal to the scheduler (KEP-9694); None when the gate is off.

    `requests` come from one reader (their shapes are compared), and `priority` is the effective one.
    """
    if not settings.gate("SchedulingEquivalenceHashing"):
        return None
    pod_sets = tuple(
        (asked.name, asked.count, spec.min_count, tuple(asked.total.items()), asked.shape, spec.topology_request)
        for asked, spec in zip(requests, workload.pod_sets, strict=False)
    )
    return (priority, pod_sets, allowed_flavors(workload, settings))


class AdmittedChange(NamedTuple):
    """What becomes of the Admitted condition: the new one, and the run time that counts so far."""

    condition: Condition
    past_seconds: int


# Messages of the Admitted condition by reason.
_ADMITTED_MESSAGES: Mapping[str, str] = {
    "Admitted": "The workload is admitted",
    "NoReservation": "The workload has no reservation",
    "NoReservationUnsatisfiedChecks": "The workload has no reservation and not all checks ready",
    "UnsatisfiedChecks": "The workload has not all checks ready",
    "UnsatisfiedAdmissionChecks": "The workload has not all checks ready",
    "PendingDelayedTopologyRequests": "There are pending delayed topology requests",
}


def sync_admitted(workload: Workload, settings: Settings, now: int) -> AdmittedChange | None:
    """How Kueue would write the Admitted condition now; None when it leaves it as it is.

    Admitted means: quota reserved, all checks ready, no topology request put off. With the gate
    UnadmittedWorkloadsObservability the reason of a False condition follows too (KEP-10852); without it only a change
    between True and False is written.
    """
    reason = _unadmitted_reason(workload, settings)
    known = conditions.find(workload.conditions, ADMITTED)
    was_admitted = known is not None and known.status == "True"
    past = workload.past_execution_seconds
    if reason is None:
        return None if was_admitted else AdmittedChange(_admitted(workload, "Admitted", now), past)
    if not was_admitted:
        if not settings.gate("UnadmittedWorkloadsObservability") or (known is not None and known.reason == reason):
            return None
        explicit = settings.gate("UnadmittedWorkloadsExplicitStatus")
        if known is None and not explicit and not is_reserved(workload):
            return None
    elif known is not None and known.last_transition is not None:
        past += max(now - known.last_transition, 0) // _SECOND
    return AdmittedChange(_admitted(workload, reason, now), past)


def _unadmitted_reason(workload: Workload, settings: Settings) -> str | None:
    """Why the workload is not admitted; None when nothing is missing."""
    observable = settings.gate("UnadmittedWorkloadsObservability")
    ready = checks.all_ready(workload.checks)
    if not is_reserved(workload):
        return "NoReservation" if ready or observable else "NoReservationUnsatisfiedChecks"
    if not ready:
        return "UnsatisfiedAdmissionChecks" if observable else "UnsatisfiedChecks"
    if settings.gate("TopologyAwareScheduling") and has_delayed_topology(workload):
        return "PendingDelayedTopologyRequests"
    return None


def has_delayed_topology(workload: Workload) -> bool:
    """Whether a pod set's topology is assigned only after the admission checks, and has not been yet."""
    admission = workload.admission
    return admission is not None and any(found.delayed_topology == "Pending" for found in admission.pod_sets)


def _admitted(workload: Workload, reason: str, now: int) -> Condition:
    return Condition(
        type=ADMITTED,
        status="True" if reason == "Admitted" else "False",
        reason=reason,
        message=_ADMITTED_MESSAGES[reason],
        last_transition=now,
        observed_generation=workload.generation,
    )
