"""Rules about settings that do nothing where they stand."""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.analysis.explanation import Ref
from kueuectl.analysis.lint.findings import Code, Finding, Found, finding
from kueuectl.analysis.lint.scene import Scene
from kueuectl.model.queues import ClusterQueue

_OFF = (None, "", "Never")
_PREEMPTION = "spec.preemption"


def preemption(scene: Scene) -> Iterator[Found]:
    """Preemption policies without effect (docs: ClusterQueue, Preemption; Preemption, Fair Sharing)."""
    for queue in scene.queues():
        yield from _preemption(scene, queue)


def _preemption(scene: Scene, queue: ClusterQueue) -> Iterator[Finding]:
    subject = Ref("ClusterQueue", queue.name)
    policies = queue.preemption
    borrows = policies.borrow_within_cohort not in _OFF
    path = f"{_PREEMPTION}.borrowWithinCohort"
    if queue.cohort is None:
        if policies.reclaim_within_cohort not in _OFF:
            where = f"{_PREEMPTION}.reclaimWithinCohort"
            yield finding(Code.POLICY_WITHOUT_COHORT, subject, where, policy=policies.reclaim_within_cohort)
        if borrows:
            yield finding(
                Code.POLICY_WITHOUT_COHORT, subject, f"{path}.policy", policy=str(policies.borrow_within_cohort)
            )
    elif borrows and scene.settings.fair_sharing is not None:
        policy = str(policies.borrow_within_cohort)
        yield finding(Code.BORROW_POLICY_UNDER_FAIR_SHARING, subject, f"{path}.policy", policy=policy)
    if policies.max_priority_threshold is not None and not borrows:
        threshold = policies.max_priority_threshold
        yield finding(Code.THRESHOLD_WITHOUT_POLICY, subject, f"{path}.maxPriorityThreshold", threshold=threshold)


def fungibility(scene: Scene) -> Iterator[Found]:
    """Rules for choosing between flavors where there is only one, or for borrowing where there is no cohort."""
    for queue in scene.queues():
        found = queue.flavor_fungibility
        most = max((len(group.flavors) for group in queue.resource_groups), default=0)
        changed = {
            "whenCanBorrow": found.when_can_borrow != "MayStopSearch" and found.when_can_borrow,
            "whenCanPreempt": found.when_can_preempt != "TryNextFlavor" and found.when_can_preempt,
            "preference": found.preference,
        }
        for name, value in changed.items():
            path = f"spec.flavorFungibility.{name}"
            if value and most == 1:
                yield finding(
                    Code.FUNGIBILITY_WITHOUT_CHOICE, Ref("ClusterQueue", queue.name), path, value=value, why="flavor"
                )
            elif value and most > 1 and name == "whenCanBorrow" and queue.cohort is None:
                yield finding(
                    Code.FUNGIBILITY_WITHOUT_CHOICE, Ref("ClusterQueue", queue.name), path, value=value, why="cohort"
                )


def weights(scene: Scene) -> Iterator[Found]:
    """Weights of zero where weights count, and weights where they don't."""
    shares = scene.settings.fair_sharing is not None
    path = "spec.fairSharing.weight"
    for queue in scene.queues():
        yield from _weight(Ref("ClusterQueue", queue.name), path, queue.fair_weight, counts=shares)
    for cohort in scene.cohorts():
        yield from _weight(Ref("Cohort", cohort.name), path, cohort.fair_weight, counts=shares)
    by_usage = scene.settings.admission_fair_sharing is not None and scene.settings.gate("AdmissionFairSharing")
    for door in scene.doors():
        target = scene.state.cluster_queues.get(door.cluster_queue)
        counts = by_usage and target is not None and target.admission_mode is not None
        if target is not None:
            subject = Ref("LocalQueue", door.name, door.namespace)
            yield from _weight(subject, path, door.fair_weight, counts=counts)


def _weight(subject: Ref, path: str, weight: float | None, *, counts: bool) -> Iterator[Finding]:
    how = "admission fair sharing" if subject.kind == "LocalQueue" else "fair sharing"
    if counts and weight == 0:
        yield finding(Code.WEIGHT_ZERO, subject, path, how=how)
    elif not counts and weight not in (None, 1.0):
        yield finding(Code.WEIGHT_WITHOUT_FAIR_SHARING, subject, path, weight=f"{weight:g}", how=how)


def admission_scope(scene: Scene) -> Iterator[Found]:
    """Admission by past usage that the configuration has not switched on (docs: Admission Fair Sharing)."""
    if scene.settings.admission_fair_sharing is not None and scene.settings.gate("AdmissionFairSharing"):
        return
    for queue in scene.queues():
        if queue.admission_mode == "UsageBasedAdmissionFairSharing":
            path = "spec.admissionScope.admissionMode"
            yield finding(Code.ADMISSION_SCOPE_OFF, Ref("ClusterQueue", queue.name), path, mode=queue.admission_mode)


def concurrent_admission(scene: Scene) -> Iterator[Found]:
    """A policy for concurrent admission whose feature gate is off (docs: Concurrent Admission)."""
    if scene.settings.gate("ConcurrentAdmission"):
        return
    for queue in scene.queues():
        if queue.concurrent_admission_mode is not None:
            path = "spec.concurrentAdmissionPolicy"
            mode = queue.concurrent_admission_mode
            yield finding(Code.CONCURRENT_ADMISSION_OFF, Ref("ClusterQueue", queue.name), path, mode=mode)
