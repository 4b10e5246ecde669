"""The wire format of ClusterQueues, LocalQueues and Cohorts, v1beta1 and v1beta2."""

from __future__ import annotations

from kueuectl.api import wire


class ResourceQuota(wire.Wire):
    """resourceGroups[].flavors[].resources[]."""

    name: str | None = None
    nominal_quota: wire.Quantity | None = None
    borrowing_limit: wire.Quantity | None = None
    lending_limit: wire.Quantity | None = None


class FlavorQuotas(wire.Wire):
    """resourceGroups[].flavors[]."""

    name: str | None = None
    resources: list[ResourceQuota] | None = None


class ResourceGroup(wire.Wire):
    """resourceGroups[]."""

    covered_resources: list[str] | None = None
    flavors: list[FlavorQuotas] | None = None


class BorrowWithinCohort(wire.Wire):
    """preemption.borrowWithinCohort."""

    policy: str | None = None
    max_priority_threshold: wire.Int32 | None = None


class Preemption(wire.Wire):
    """preemption of a ClusterQueue."""

    within_cluster_queue: str | None = None
    reclaim_within_cohort: str | None = None
    borrow_within_cohort: BorrowWithinCohort | None = None


class FlavorFungibility(wire.Wire):
    """flavorFungibility of a ClusterQueue."""

    when_can_borrow: str | None = None
    when_can_preempt: str | None = None
    preference: str | None = None


class AdmissionCheckRule(wire.Wire):
    """admissionChecksStrategy.admissionChecks[]."""

    name: str | None = None
    on_flavors: list[str] | None = None


class AdmissionChecksStrategy(wire.Wire):
    """admissionChecksStrategy of a ClusterQueue."""

    admission_checks: list[AdmissionCheckRule] | None = None


class FairSharing(wire.Wire):
    """fairSharing of a queue or cohort."""

    weight: wire.Quantity | None = None


class AdmissionScope(wire.Wire):
    """admissionScope of a ClusterQueue."""

    admission_mode: str | None = None


class MigrationConstraints(wire.Wire):
    """concurrentAdmissionPolicy.migration.constraints."""

    last_acceptable_flavor_name: str | None = None


class Migration(wire.Wire):
    """concurrentAdmissionPolicy.migration."""

    mode: str | None = None
    constraints: MigrationConstraints | None = None


class ConcurrentAdmissionPolicy(wire.Wire):
    """concurrentAdmissionPolicy of a ClusterQueue."""

    migration: Migration | None = None


class ClusterQueueSpec(wire.Wire):
    """spec of a ClusterQueue; cohort and admissionChecks are v1beta1's."""

    resource_groups: list[ResourceGroup] | None = None
    cohort_name: str | None = None
    cohort: str | None = None
    queueing_strategy: str | None = None
    namespace_selector: wire.LabelSelector | None = None
    flavor_fungibility: FlavorFungibility | None = None
    preemption: Preemption | None = None
    admission_checks_strategy: AdmissionChecksStrategy | None = None
    admission_checks: list[str] | None = None
    stop_policy: str | None = None
    fair_sharing: FairSharing | None = None
    admission_scope: AdmissionScope | None = None
    concurrent_admission_policy: ConcurrentAdmissionPolicy | None = None


class ResourceUsage(wire.Wire):
    """flavorsUsage[].resources[]."""

    name: str | None = None
    total: wire.Quantity | None = None
    borrowed: wire.Quantity | None = None


class FlavorUsage(wire.Wire):
    """flavorsUsage[] or flavorsReservation[]."""

    name: str | None = None
    resources: list[ResourceUsage] | None = None


class ConsumedResources(wire.Wire):
    """fairSharing.admissionFairSharingStatus of a LocalQueue's status."""

    consumed_resources: wire.Quantities | None = None
    last_update: wire.Time | None = None


class FairSharingStatus(wire.Wire):
    """fairSharing of a status."""

    weighted_share: wire.Int64 | None = None
    admission_fair_sharing_status: ConsumedResources | None = None


class QueueStatus(wire.Wire):
    """status of a ClusterQueue or LocalQueue; flavorUsage is v1beta1's word in a LocalQueue."""

    conditions: list[wire.Condition] | None = None
    flavors_reservation: list[FlavorUsage] | None = None
    flavors_usage: list[FlavorUsage] | None = None
    flavor_usage: list[FlavorUsage] | None = None
    pending_workloads: wire.Int32 | None = None
    reserving_workloads: wire.Int32 | None = None
    admitted_workloads: wire.Int32 | None = None
    fair_sharing: FairSharingStatus | None = None


class ClusterQueue(wire.Object):
    """A ClusterQueue."""

    spec: ClusterQueueSpec | None = None
    status: QueueStatus | None = None


class LocalQueueSpec(wire.Wire):
    """spec of a LocalQueue."""

    cluster_queue: str | None = None
    stop_policy: str | None = None
    fair_sharing: FairSharing | None = None


class LocalQueue(wire.Object):
    """A LocalQueue."""

    spec: LocalQueueSpec | None = None
    status: QueueStatus | None = None


class CohortSpec(wire.Wire):
    """spec of a Cohort; parent is v1alpha1's word for parentName."""

    parent_name: str | None = None
    parent: str | None = None
    resource_groups: list[ResourceGroup] | None = None
    fair_sharing: FairSharing | None = None


class CohortStatus(wire.Wire):
    """status of a Cohort."""

    fair_sharing: FairSharingStatus | None = None


class Cohort(wire.Object):
    """A Cohort."""

    spec: CohortSpec | None = None
    status: CohortStatus | None = None
