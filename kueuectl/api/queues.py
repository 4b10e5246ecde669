"""Wire to model for ClusterQueues, LocalQueues and Cohorts; v1beta1 becomes v1beta2 here."""

from __future__ import annotations

from kueuectl import quantity
from kueuectl.api import parts, wire, wire_queues
from kueuectl.api.pool import Pool, amount, nano, optional_amount
from kueuectl.model.queues import (
    AdmissionCheckRule,
    ClusterQueue,
    Cohort,
    FlavorFungibility,
    FlavorQuotas,
    FlavorUsage,
    LocalQueue,
    Preemption,
    QueueStatus,
    ResourceGroup,
    ResourceQuota,
)

_NEVER = "Never"
# v1beta1 named the policies after what stops the search; both stop it.
_OLD_FUNGIBILITY = {"Borrow": "MayStopSearch", "Preempt": "MayStopSearch"}


def cluster_queue(found: wire_queues.ClusterQueue, pool: Pool) -> ClusterQueue:
    """A ClusterQueue. An object of v1beta1 is read by that version's fields."""
    is_old = found.api_version in wire.OLD
    meta = found.metadata or parts.NO_META
    spec = found.spec or wire_queues.ClusterQueueSpec()
    concurrent = spec.concurrent_admission_policy
    migration = concurrent.migration if concurrent else None
    return ClusterQueue(
        name=pool.text(meta.name),
        cohort=pool.optional(spec.cohort if is_old else spec.cohort_name),
        resource_groups=resource_groups(spec.resource_groups, pool),
        queueing_strategy=pool.text(spec.queueing_strategy) or "BestEffortFIFO",
        namespace_selector=parts.label_selector(spec.namespace_selector, pool),
        flavor_fungibility=_fungibility(spec.flavor_fungibility, pool),
        preemption=_preemption(spec.preemption, pool),
        admission_checks=_checks(spec, pool, is_old=is_old),
        stop_policy=pool.text(spec.stop_policy) or "None",
        fair_weight=fair_weight(spec.fair_sharing),
        admission_mode=pool.optional(spec.admission_scope.admission_mode if spec.admission_scope else None),
        concurrent_admission_mode=pool.optional(migration.mode if migration else None),
        last_acceptable_flavor=pool.optional(
            migration.constraints.last_acceptable_flavor_name if migration and migration.constraints else None
        ),
        uid=meta.uid or "",
        creation=pool.time(meta.creation_timestamp),
        generation=meta.generation or 0,
        resource_version=meta.resource_version or "",
        deletion=pool.time(meta.deletion_timestamp),
        labels=pool.labels(meta.labels),
        status=_status(found.status, pool),
    )


def local_queue(found: wire_queues.LocalQueue, pool: Pool) -> LocalQueue:
    """A LocalQueue."""
    meta = found.metadata or parts.NO_META
    spec = found.spec or wire_queues.LocalQueueSpec()
    return LocalQueue(
        namespace=pool.text(meta.namespace),
        name=pool.text(meta.name),
        cluster_queue=pool.text(spec.cluster_queue),
        stop_policy=pool.text(spec.stop_policy) or "None",
        fair_weight=fair_weight(spec.fair_sharing),
        uid=meta.uid or "",
        creation=pool.time(meta.creation_timestamp),
        generation=meta.generation or 0,
        resource_version=meta.resource_version or "",
        deletion=pool.time(meta.deletion_timestamp),
        labels=pool.labels(meta.labels),
        status=_status(found.status, pool),
    )


def cohort(found: wire_queues.Cohort, pool: Pool) -> Cohort:
    """A Cohort. An older version's name for the parent is read too."""
    is_old = found.api_version in wire.OLD
    meta = found.metadata or parts.NO_META
    spec = found.spec or wire_queues.CohortSpec()
    parent = spec.parent_name or (spec.parent if is_old else None)
    sharing = found.status.fair_sharing if found.status else None
    return Cohort(
        name=pool.text(meta.name),
        parent=pool.optional(parent),
        resource_groups=resource_groups(spec.resource_groups, pool),
        fair_weight=fair_weight(spec.fair_sharing),
        uid=meta.uid or "",
        creation=pool.time(meta.creation_timestamp),
        resource_version=meta.resource_version or "",
        deletion=pool.time(meta.deletion_timestamp),
        labels=pool.labels(meta.labels),
        weighted_share=sharing.weighted_share if sharing else None,
        generation=meta.generation or 0,
    )


def resource_groups(found: list[wire_queues.ResourceGroup] | None, pool: Pool) -> tuple[ResourceGroup, ...]:
    """Resource groups with their quotas, as amounts."""
    return tuple(
        [
            ResourceGroup(
                covered_resources=tuple([pool.text(name) for name in group.covered_resources or ()]),
                flavors=tuple(
                    [
                        FlavorQuotas(
                            name=pool.text(flavor.name),
                            resources=tuple([_quota(entry, pool) for entry in flavor.resources or ()]),
                        )
                        for flavor in group.flavors or ()
                    ]
                ),
            )
            for group in found or ()
        ]
    )


def fair_weight(found: wire_queues.FairSharing | None) -> float | None:
    """The weight of fair sharing; 1 where the block is there without one, None where there is no block."""
    if found is None:
        return None
    return 1.0 if found.weight is None else quantity.to_float(nano(found.weight))


def _quota(found: wire_queues.ResourceQuota, pool: Pool) -> ResourceQuota:
    name = pool.text(found.name)
    return pool.share(
        ResourceQuota(
            name=name,
            nominal=amount(name, found.nominal_quota),
            borrowing_limit=optional_amount(name, found.borrowing_limit),
            lending_limit=optional_amount(name, found.lending_limit),
        )
    )


def _fungibility(found: wire_queues.FlavorFungibility | None, pool: Pool) -> FlavorFungibility:
    if found is None:
        return FlavorFungibility()
    borrow = found.when_can_borrow or "MayStopSearch"
    preempt = found.when_can_preempt or "TryNextFlavor"
    return pool.share(
        FlavorFungibility(
            when_can_borrow=_OLD_FUNGIBILITY.get(borrow, borrow),
            when_can_preempt=_OLD_FUNGIBILITY.get(preempt, preempt),
            preference=found.preference or None,
        )
    )


def _preemption(found: wire_queues.Preemption | None, pool: Pool) -> Preemption:
    """Policies, with the API's defaults when strict, else as they are: "" is unset."""
    if found is None:
        return Preemption(borrow_within_cohort=_NEVER if pool.strict else None)
    unset = _NEVER if pool.strict else ""
    borrow = found.borrow_within_cohort
    missing = _NEVER if pool.strict else None
    policy = missing if borrow is None else borrow.policy or unset
    return pool.share(
        Preemption(
            within_cluster_queue=found.within_cluster_queue or unset,
            reclaim_within_cohort=found.reclaim_within_cohort or unset,
            borrow_within_cohort=policy,
            max_priority_threshold=borrow.max_priority_threshold if borrow else None,
        )
    )


def _checks(spec: wire_queues.ClusterQueueSpec, pool: Pool, *, is_old: bool) -> tuple[AdmissionCheckRule, ...]:
    strategy = spec.admission_checks_strategy
    rules = [
        AdmissionCheckRule(pool.text(rule.name), tuple([pool.text(flavor) for flavor in rule.on_flavors or ()]))
        for rule in (strategy.admission_checks if strategy else None) or ()
    ]
    if is_old:
        rules += [AdmissionCheckRule(pool.text(name)) for name in spec.admission_checks or ()]
    return tuple(rules)


def _usage(found: list[wire_queues.FlavorUsage] | None, pool: Pool) -> tuple[FlavorUsage, ...]:
    return tuple(
        [
            FlavorUsage(
                flavor=pool.text(flavor.name),
                resource=pool.text(entry.name),
                total=amount(entry.name or "", entry.total),
                borrowed=amount(entry.name or "", entry.borrowed),
            )
            for flavor in found or ()
            for entry in flavor.resources or ()
        ]
    )


def _status(found: wire_queues.QueueStatus | None, pool: Pool) -> QueueStatus:
    if found is None:
        return QueueStatus()
    sharing = found.fair_sharing
    consumed = sharing.admission_fair_sharing_status if sharing else None
    return QueueStatus(
        conditions=parts.conditions(found.conditions, pool),
        pending=found.pending_workloads or 0,
        reserving=found.reserving_workloads or 0,
        admitted=found.admitted_workloads or 0,
        usage=_usage(found.flavors_usage or found.flavor_usage, pool),
        reservation=_usage(found.flavors_reservation, pool),
        weighted_share=sharing.weighted_share if sharing else None,
        consumed=pool.amounts(consumed.consumed_resources) if consumed else (),
        consumed_at=pool.time(consumed.last_update) if consumed else None,
    )
