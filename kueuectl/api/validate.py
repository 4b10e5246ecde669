"""What the API server and Kueue's webhooks would refuse, as far as a decision would be meaningless with it."""

from __future__ import annotations

import re

from kueuectl.errors import InputError
from kueuectl.model.queues import ClusterQueue, Cohort, LocalQueue, ResourceGroup

is_subdomain = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]++(?:-++[a-z0-9]++)*+(?:\.[a-z0-9]++(?:-++[a-z0-9]++)*+)*+", re.ASCII
).fullmatch
_is_segment = re.compile(r"[^/%\x00-\x1f\x7f]{1,253}").fullmatch
_STOP = ("None", "Hold", "HoldAndDrain")
_STOP_SEARCH = ("MayStopSearch", "TryNextFlavor")
_PREFERENCE = ("BorrowingOverPreemption", "PreemptionOverBorrowing")


def name(text: str | None, path: str, *, is_known: bool) -> None:
    """Refuse a name that the API server would not take; other kinds than ours only must not break a path."""
    if text and not (is_subdomain(text) if is_known else _is_segment(text)):
        hint = "lower case letters, digits, '-' and '.', at most 253"
        raise InputError(f"{text[:60]!r} is not a valid name", path=path, hint=hint)


def quotas(model: object) -> None:
    """Refuse queues and cohorts whose policies or quotas make no sense."""
    if isinstance(model, ClusterQueue):
        _cluster_queue(model)
    elif isinstance(model, LocalQueue):
        _one_of(model.stop_policy, _STOP, "spec.stopPolicy")
    elif isinstance(model, Cohort):
        _groups(model.resource_groups)


def _cluster_queue(model: ClusterQueue) -> None:
    _one_of(model.queueing_strategy, ("StrictFIFO", "BestEffortFIFO"), "spec.queueingStrategy")
    _one_of(model.stop_policy, _STOP, "spec.stopPolicy")
    fungibility = model.flavor_fungibility
    _one_of(fungibility.when_can_borrow, _STOP_SEARCH, "spec.flavorFungibility.whenCanBorrow")
    _one_of(fungibility.when_can_preempt, _STOP_SEARCH, "spec.flavorFungibility.whenCanPreempt")
    if fungibility.preference is not None:
        _one_of(fungibility.preference, _PREFERENCE, "spec.flavorFungibility.preference")
    preemption = model.preemption
    within = ("Never", "LowerPriority", "LowerOrNewerEqualPriority")
    _one_of(preemption.within_cluster_queue, within, "spec.preemption.withinClusterQueue")
    _one_of(preemption.reclaim_within_cohort, ("Never", "LowerPriority", "Any"), "spec.preemption.reclaimWithinCohort")
    borrow = preemption.borrow_within_cohort or "Never"
    _one_of(borrow, ("Never", "LowerPriority"), "spec.preemption.borrowWithinCohort.policy")
    _groups(model.resource_groups)


def _groups(groups: tuple[ResourceGroup, ...]) -> None:
    for index, group in enumerate(groups):
        for position, flavor in enumerate(group.flavors):
            path = f"spec.resourceGroups[{index}].flavors[{position}]"
            if not flavor.name:
                raise InputError("has no name", path=f"{path}.name")
            names_here = tuple(entry.name for entry in flavor.resources)
            if names_here != group.covered_resources:
                raise InputError(
                    "its resources are not the covered resources in their order",
                    path=f"{path}.resources",
                    hint="list " + ", ".join(group.covered_resources),
                )
            for number, entry in enumerate(flavor.resources):
                for field, value in (
                    ("nominalQuota", entry.nominal),
                    ("borrowingLimit", entry.borrowing_limit),
                    ("lendingLimit", entry.lending_limit),
                ):
                    if value is not None and value < 0:
                        raise InputError("must not be negative", path=f"{path}.resources[{number}].{field}")


def _one_of(value: str, allowed: tuple[str, ...], path: str) -> None:
    if value not in allowed:
        raise InputError(f"{value[:60]!r} is none of {', '.join(allowed)}", path=path)
