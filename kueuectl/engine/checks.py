"""Admission checks: which ones a workload needs, and what their states say (docs: Admission Check)."""

from __future__ import annotations

from collections.abc import Iterable

from kueuectl.model.queues import ClusterQueue
from kueuectl.model.workloads import CheckState, Workload

PENDING = "Pending"
READY = "Ready"
RETRY = "Retry"
REJECTED = "Rejected"


def required(queue: ClusterQueue, workload: Workload) -> tuple[str, ...] | None:
    """Names of the checks that a workload needs, sorted; None while that depends on flavors it does not have yet.

    A check without flavors applies to all; one with flavors applies to workloads that were assigned one of them.
    """
    rules = queue.admission_checks
    if not any(rule.on_flavors for rule in rules):
        return tuple(sorted({rule.name for rule in rules}))
    if workload.admission is None:
        return None
    assigned = {flavor for pod_set in workload.admission.pod_sets for _, flavor in pod_set.flavors}
    return for_flavors(queue, assigned)


def for_flavors(queue: ClusterQueue, assigned: Iterable[str]) -> tuple[str, ...]:
    """Names of the checks that a workload with these flavors needs, sorted.

    One that asks for nothing gets no flavor, and then no check applies, not even those without flavors (observed).
    """
    flavors = frozenset(assigned)
    if not flavors:
        return ()
    return tuple(
        sorted(
            {
                rule.name
                for rule in queue.admission_checks
                if not rule.on_flavors or not flavors.isdisjoint(rule.on_flavors)
            }
        )
    )


def lets_in(queue: ClusterQueue, assigned: Iterable[str], states: Iterable[CheckState]) -> bool:
    """Whether a workload that gets these flavors is admitted with the quota: no check is open.

    A state that the status lists counts even where the queue no longer asks for that check (observed): Kueue removes it
    a moment later, and admits then.
    """
    listed = tuple(states)
    ready = {state.name for state in listed if state.state == READY}
    return all_ready(listed) and ready.issuperset(for_flavors(queue, assigned))


def all_ready(states: Iterable[CheckState]) -> bool:
    """Whether every check that the status lists is ready; true without any."""
    return all(state.state == READY for state in states)


def has_retry_or_rejected(states: Iterable[CheckState]) -> bool:
    """Whether a check asks for another try or refuses the workload, either of which evicts it."""
    return any(state.state in (RETRY, REJECTED) for state in states)


def open_checks(queue: ClusterQueue, workload: Workload) -> tuple[str, ...]:
    """Names of checks that the workload still waits for, sorted: those of its queue that are missing or not ready."""
    needed = required(queue, workload)
    if needed is None:
        return ()
    ready = {state.name for state in workload.checks if state.state == READY}
    return tuple(name for name in needed if name not in ready)
