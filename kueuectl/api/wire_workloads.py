"""The wire format of Workloads, v1beta1 and v1beta2."""

from __future__ import annotations

from kueuectl.api import wire, wire_pods


class SliceConstraint(wire.Wire):
    """topologyRequest.podsetSliceRequiredTopologyConstraints[]."""

    topology: str | None = None
    size: wire.Int32 | None = None


class TopologyRequest(wire.Wire):
    """topologyRequest of a pod set."""

    required: str | None = None
    preferred: str | None = None
    unconstrained: bool | None = None
    pod_index_label: str | None = None
    sub_group_index_label: str | None = None
    sub_group_count: wire.Int32 | None = None
    pod_set_group_name: str | None = None
    pod_set_slice_required_topology: str | None = None
    pod_set_slice_size: wire.Int32 | None = None
    podset_slice_required_topology_constraints: list[SliceConstraint] | None = None


class PodSet(wire.Wire):
    """spec.podSets[]."""

    name: str | None = None
    count: wire.Count | None = None
    min_count: wire.Count | None = None
    template: wire_pods.PodTemplate | None = None
    topology_request: TopologyRequest | None = None


class PriorityClassRef(wire.Wire):
    """spec.priorityClassRef."""

    group: str | None = None
    kind: str | None = None
    name: str | None = None


class Named(wire.Wire):
    """An entry of which only the name matters."""

    name: str | None = None


class WorkloadSpec(wire.Wire):
    """spec; priorityClassName and priorityClassSource are v1beta1's."""

    pod_sets: list[PodSet] | None = None
    queue_name: str | None = None
    priority_class_ref: PriorityClassRef | None = None
    priority_class_name: str | None = None
    priority_class_source: str | None = None
    priority: wire.Int32 | None = None
    active: bool | None = None
    maximum_execution_time_seconds: wire.Int32 | None = None
    preemption_gates: list[Named] | None = None


class Domain(wire.Wire):
    """topologyAssignment.domains[], v1beta1."""

    values: list[str] | None = None
    count: wire.Int32 | None = None


class IndividualValues(wire.Wire):
    """valuesPerLevel[].individual."""

    prefix: str | None = None
    suffix: str | None = None
    roots: list[str] | None = None


class LevelValues(wire.Wire):
    """slices[].valuesPerLevel[]."""

    universal: str | None = None
    individual: IndividualValues | None = None


class PodCounts(wire.Wire):
    """slices[].podCounts."""

    universal: wire.Int32 | None = None
    individual: list[wire.Int32] | None = None


class Slice(wire.Wire):
    """topologyAssignment.slices[], v1beta2."""

    domain_count: wire.Count | None = None
    values_per_level: list[LevelValues] | None = None
    pod_counts: PodCounts | None = None


class TopologyAssignment(wire.Wire):
    """topologyAssignment of a pod set assignment."""

    levels: list[str] | None = None
    slices: list[Slice] | None = None
    domains: list[Domain] | None = None


class PodSetAssignment(wire.Wire):
    """status.admission.podSetAssignments[]."""

    name: str | None = None
    flavors: wire.StringMap | None = None
    resource_usage: wire.Quantities | None = None
    count: wire.Count | None = None
    topology_assignment: TopologyAssignment | None = None
    delayed_topology_request: str | None = None


class Admission(wire.Wire):
    """status.admission."""

    cluster_queue: str | None = None
    pod_set_assignments: list[PodSetAssignment] | None = None


class RequeueState(wire.Wire):
    """status.requeueState."""

    count: wire.Int32 | None = None
    requeue_at: wire.Time | None = None


class ReclaimablePod(wire.Wire):
    """status.reclaimablePods[]."""

    name: str | None = None
    count: wire.Count | None = None


class PodSetUpdate(wire.Wire):
    """status.admissionChecks[].podSetUpdates[]."""

    name: str | None = None
    labels: wire.StringMap | None = None
    annotations: wire.StringMap | None = None
    node_selector: wire.StringMap | None = None
    tolerations: list[wire.Toleration] | None = None


class CheckState(wire.Wire):
    """status.admissionChecks[]."""

    name: str | None = None
    state: str | None = None
    message: str | None = None
    last_transition_time: wire.Time | None = None
    requeue_after_seconds: wire.Int32 | None = None
    retry_count: wire.Int32 | None = None
    pod_set_updates: list[PodSetUpdate] | None = None


class PodSetRequest(wire.Wire):
    """status.resourceRequests[]."""

    name: str | None = None
    resources: wire.Quantities | None = None


class EvictionCount(wire.Wire):
    """status.schedulingStats.evictions[]."""

    reason: str | None = None
    underlying_cause: str | None = None
    count: wire.Int32 | None = None


class SchedulingStats(wire.Wire):
    """status.schedulingStats."""

    evictions: list[EvictionCount] | None = None


class GateState(wire.Wire):
    """status.preemptionGates[]."""

    name: str | None = None
    position: str | None = None
    last_transition_time: wire.Time | None = None


class WorkloadStatus(wire.Wire):
    """status; accumulatedPastExexcutionTimeSeconds is v1beta1's spelling."""

    conditions: list[wire.Condition] | None = None
    admission: Admission | None = None
    requeue_state: RequeueState | None = None
    reclaimable_pods: list[ReclaimablePod] | None = None
    admission_checks: list[CheckState] | None = None
    resource_requests: list[PodSetRequest] | None = None
    accumulated_past_execution_time_seconds: wire.Int32 | None = None
    accumulated_past_exexcution_time_seconds: wire.Int32 | None = None
    scheduling_stats: SchedulingStats | None = None
    nominated_cluster_names: list[str] | None = None
    cluster_name: str | None = None
    unhealthy_nodes: list[Named] | None = None
    preemption_gates: list[GateState] | None = None


class Workload(wire.Object):
    """A Workload."""

    spec: WorkloadSpec | None = None
    status: WorkloadStatus | None = None
