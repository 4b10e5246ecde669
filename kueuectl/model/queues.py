"""ClusterQueues, LocalQueues, Cohorts and the quota that they hold.

Amounts are ints: millicores for cpu, base units for everything else.
"""

from __future__ import annotations

from kueuectl.model.conditions import Condition
from kueuectl.model.selectors import Labels, LabelSelector
from kueuectl.model.values import Struct

# Cohorts are read up to so many levels deep: far more than anybody has, and few enough for recursion.
MAX_COHORT_LEVELS = 2000


class ResourceQuota(Struct, frozen=True):
    """Quota of one resource in one flavor; a limit of None means unlimited, 0 means none."""

    name: str
    nominal: int = 0
    borrowing_limit: int | None = None
    lending_limit: int | None = None


class FlavorQuotas(Struct, frozen=True):
    """One flavor of a resource group with the quota of each of its resources."""

    name: str
    resources: tuple[ResourceQuota, ...] = ()


class ResourceGroup(Struct, frozen=True):
    """Resources that are assigned together, and the flavors that are tried for them, in order."""

    covered_resources: tuple[str, ...]
    flavors: tuple[FlavorQuotas, ...] = ()


class Preemption(Struct, frozen=True):
    """Preemption policies of a ClusterQueue. "" is unset: the API never leaves it so, conformance cases do.

    within_cluster_queue: Never, LowerPriority, LowerOrNewerEqualPriority. reclaim_within_cohort: Never,
    LowerPriority, Any. borrow_within_cohort: None (no block), Never, LowerPriority.
    """

    within_cluster_queue: str = "Never"
    reclaim_within_cohort: str = "Never"
    borrow_within_cohort: str | None = "Never"
    max_priority_threshold: int | None = None


class FlavorFungibility(Struct, frozen=True):
    """When the search of flavors may stop: MayStopSearch or TryNextFlavor; preference None or as in the API."""

    when_can_borrow: str = "MayStopSearch"
    when_can_preempt: str = "TryNextFlavor"
    preference: str | None = None


class AdmissionCheckRule(Struct, frozen=True):
    """An admission check that a ClusterQueue wants, on all flavors or on the named ones."""

    name: str
    on_flavors: tuple[str, ...] = ()


class FlavorUsage(Struct, frozen=True):
    """A row of status.flavorsUsage or status.flavorsReservation."""

    flavor: str
    resource: str
    total: int
    borrowed: int = 0


class QueueStatus(Struct, frozen=True):
    """What the controller last wrote about a ClusterQueue or LocalQueue."""

    conditions: tuple[Condition, ...] = ()
    pending: int = 0
    reserving: int = 0
    admitted: int = 0
    usage: tuple[FlavorUsage, ...] = ()
    reservation: tuple[FlavorUsage, ...] = ()
    weighted_share: int | None = None
    # Admission fair sharing, LocalQueues only: consumed resources (the same units) and when that was computed.
    consumed: tuple[tuple[str, int], ...] = ()
    consumed_at: int | None = None


class ClusterQueue(Struct, frozen=True):
    """A ClusterQueue. namespace_selector None matches no namespace, an empty one matches all."""

    name: str
    cohort: str | None = None
    resource_groups: tuple[ResourceGroup, ...] = ()
    queueing_strategy: str = "BestEffortFIFO"
    namespace_selector: LabelSelector | None = None
    flavor_fungibility: FlavorFungibility = FlavorFungibility()
    preemption: Preemption = Preemption()
    admission_checks: tuple[AdmissionCheckRule, ...] = ()
    stop_policy: str = "None"
    fair_weight: float | None = None
    admission_mode: str | None = None
    # Concurrent admission: migration mode and the last acceptable flavor; None where there is no policy.
    concurrent_admission_mode: str | None = None
    last_acceptable_flavor: str | None = None
    uid: str = ""
    creation: int | None = None
    generation: int = 0
    resource_version: str = ""
    deletion: int | None = None
    labels: Labels = ()
    status: QueueStatus = QueueStatus()


class Cohort(Struct, frozen=True):
    """A Cohort object; a cohort that is only named by its members has none and has no quota of its own."""

    name: str
    parent: str | None = None
    resource_groups: tuple[ResourceGroup, ...] = ()
    fair_weight: float | None = None
    uid: str = ""
    creation: int | None = None
    resource_version: str = ""
    deletion: int | None = None
    labels: Labels = ()
    weighted_share: int | None = None
    generation: int = 0


class LocalQueue(Struct, frozen=True):
    """A LocalQueue: the door of a namespace to one ClusterQueue."""

    namespace: str
    name: str
    cluster_queue: str = ""
    stop_policy: str = "None"
    fair_weight: float | None = None
    uid: str = ""
    creation: int | None = None
    generation: int = 0
    resource_version: str = ""
    deletion: int | None = None
    labels: Labels = ()
    status: QueueStatus = QueueStatus()

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"
