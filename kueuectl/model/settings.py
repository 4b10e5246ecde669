"""Kueue's configuration and feature gates, as far as decisions depend on them."""

from __future__ import annotations

from collections.abc import Mapping

from kueuectl.model.values import Struct, field
from kueuectl.model.workloads import NanoList

# Gates of v0.19.2 that change decisions, with their defaults (feature gate reference of Kueue's documentation).
DEFAULT_GATES: Mapping[str, bool] = {
    "AdmissionFairSharing": True,
    "AdmissionGatedBy": True,
    "ConcurrentAdmission": False,
    "DisableWaitForPodsReady": False,
    "ElasticJobsViaWorkloadSlices": True,
    "ElasticJobsViaWorkloadSlicesWithTAS": False,
    "FairSharingPreemptWithinNominal": True,
    "FairSharingPrioritizeNonBorrowing": True,
    "FlavorFungibility": True,
    "FlavorFungibilityPreserveScanProgress": True,
    "HierarchicalCohorts": True,
    "KueueDRAIntegration": True,
    "KueueDRAIntegrationConsumableCapacity": False,
    "KueueDRAIntegrationExtendedResource": True,
    "KueueDRAIntegrationPartitionableDevices": True,
    "KueueDRARejectWorkloadsWhenDRADisabled": True,
    "MultiKueue": True,
    "MultiKueueOrchestratedPreemption": False,
    "PartialAdmission": True,
    "PrioritizePreemptorWorkloads": False,
    "PriorityBoost": False,
    "PrioritySortingWithinCohort": True,
    "QuotaCheckStrategy": True,
    "ReclaimablePods": True,
    "RecomputeAssignmentUponPreemptionTargetsOverlap": False,
    "SchedulerLongRequeueInterval": False,
    "SchedulerTimestampPreemptionBuffer": False,
    "SchedulingEquivalenceHashing": True,
    "SkipReassignmentForPodOwnedWorkloads": True,
    "TASBalancedPlacement": False,
    "TASFailedNodeReplacement": True,
    "TASFailedNodeReplacementFailFast": True,
    "TASHandleOverlappingFlavors": True,
    "TASMultiLayerTopology": True,
    "TASProfileMixed": True,
    "TASRecomputeAssignmentWithinSchedulingCycle": True,
    "TASReplaceNodeOnNodeTaints": True,
    "TASReplaceNodeOnPodTermination": True,
    "TASRespectNodeAffinityPreferred": False,
    "TopologyAwareScheduling": True,
    "UnadmittedWorkloadsExplicitStatus": False,
    "UnadmittedWorkloadsObservability": False,
    "WorkloadPriorityClassDefaulting": False,
    "WorkloadValidateResourcesAreNonNegative": True,
}


class Transformation(Struct, frozen=True):
    """A resource transformation: strategy Retain or Replace; outputs per unit of input (exact nano-units)."""

    input: str
    strategy: str = "Retain"
    multiply_by: str = ""
    outputs: NanoList = ()


class DeviceClassMapping(Struct, frozen=True):
    """A DRA device class mapping: the resource that counts, and the classes that feed it."""

    name: str
    device_classes: tuple[str, ...] = ()


class WaitForPodsReady(Struct, frozen=True):
    """waitForPodsReady; durations in nanoseconds."""

    timeout: int = 300_000_000_000
    block_admission: bool = False
    recovery_timeout: int | None = None
    requeuing_timestamp: str = "Eviction"
    backoff_limit_count: int | None = None
    backoff_base_seconds: int = 60
    backoff_max_seconds: int = 3600


class AdmissionFairSharing(Struct, frozen=True):
    """admissionFairSharing; durations in nanoseconds."""

    usage_half_life_time: int = 0
    usage_sampling_interval: int = 300_000_000_000
    resource_weights: tuple[tuple[str, float], ...] = ()


class Settings(Struct, frozen=True):
    """Configuration and gates. fair_sharing None is off, a tuple of strategies is on."""

    fair_sharing: tuple[str, ...] | None = None
    wait_for_pods_ready: WaitForPodsReady | None = None
    admission_fair_sharing: AdmissionFairSharing | None = None
    exclude_resource_prefixes: tuple[str, ...] = ()
    transformations: tuple[Transformation, ...] = ()
    # BlockUndeclared or IgnoreUndeclared (KEP-7513).
    quota_check_strategy: str = "BlockUndeclared"
    device_class_mappings: tuple[DeviceClassMapping, ...] = ()
    manage_jobs_without_queue_name: bool = False
    frameworks: tuple[str, ...] = ()
    gates: Mapping[str, bool] = field(default_factory=lambda: DEFAULT_GATES)
    # Where the configuration came from, for the user; "" means defaults of the version.
    source: str = ""

    def gate(self, name: str) -> bool:
        """Whether a feature gate is on; an unlisted one has the default of the version, unknown ones are off."""
        return self.gates.get(name, DEFAULT_GATES.get(name, False))


FAIR_SHARING_STRATEGIES = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
