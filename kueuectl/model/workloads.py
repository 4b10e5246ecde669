"""Workloads: what is asked for, and what Kueue wrote about it.

Requests in pod templates are exact: ints in nano-units (1 cpu = 1_000_000_000; kueuectl.quantity.parse gives them),
since pods are summed up before they are rounded. Everything that was decided (usage, quota) is in amounts:
millicores for cpu, base units for the rest.
"""

from __future__ import annotations

from kueuectl.model.conditions import Condition
from kueuectl.model.selectors import Labels, NodeSelectorTerm, PreferredTerm, Toleration
from kueuectl.model.values import Struct

# Sorted (resource name, nano-units) pairs.
NanoList = tuple[tuple[str, int], ...]
# Sorted (resource name, amount) pairs.
Amounts = tuple[tuple[str, int], ...]


class Container(Struct, frozen=True):
    """What matters of a container. is_sidecar: an init container with restartPolicy Always."""

    name: str
    requests: NanoList = ()
    limits: NanoList = ()
    is_sidecar: bool = False
    # Names of the pod's resource claims that the container uses.
    claims: tuple[str, ...] = ()


class ResourceClaim(Struct, frozen=True):
    """A DRA claim of a pod: by template or by claim name (one of them is "")."""

    name: str
    template: str = ""
    claim: str = ""


class PodTemplate(Struct, frozen=True):
    """What matters of a pod template; equal templates are shared between workloads.

    `labels` and `annotations` are Kueue's own (kueue.x-k8s.io/...): others differ from job to job and decide nothing.
    """

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    overhead: NanoList = ()
    # Pod-level resources (spec.resources); None where the block is missing.
    pod_requests: NanoList | None = None
    pod_limits: NanoList | None = None
    node_selector: Labels = ()
    # Terms of required node affinity; None where there is none.
    node_affinity: tuple[NodeSelectorTerm, ...] | None = None
    preferred_affinity: tuple[PreferredTerm, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    priority_class: str = ""
    runtime_class: str = ""
    resource_claims: tuple[ResourceClaim, ...] = ()
    labels: Labels = ()
    annotations: Labels = ()
    # Ports, pod affinity, spread constraints and priority as one canonical text: only equality matters.
    other_constraints: str = ""


class SliceConstraint(Struct, frozen=True):
    """One layer of a multi-layer slice request: topology level and size."""

    topology: str
    size: int


class TopologyRequest(Struct, frozen=True):
    """spec.podSets[].topologyRequest."""

    required: str | None = None
    preferred: str | None = None
    unconstrained: bool = False
    pod_index_label: str | None = None
    sub_group_index_label: str | None = None
    sub_group_count: int | None = None
    pod_set_group: str | None = None
    slice_required: str | None = None
    slice_size: int | None = None
    slice_constraints: tuple[SliceConstraint, ...] = ()


class PodSet(Struct, frozen=True):
    """A homogeneous set of pods. min_count is set where partial admission is allowed."""

    name: str
    count: int
    template: PodTemplate
    min_count: int | None = None
    topology_request: TopologyRequest | None = None


class TopologyDomain(Struct, frozen=True):
    """One domain of a topology assignment: values for the assignment's levels, and the pods in it."""

    values: tuple[str, ...]
    count: int


class TopologyAssignment(Struct, frozen=True):
    """Where the pods of a pod set go."""

    levels: tuple[str, ...]
    domains: tuple[TopologyDomain, ...]


class PodSetAssignment(Struct, frozen=True):
    """Flavors and usage that a pod set was given. count None: not recorded, take the pod set's."""

    name: str
    flavors: tuple[tuple[str, str], ...] = ()
    usage: Amounts = ()
    count: int | None = None
    topology: TopologyAssignment | None = None
    delayed_topology: str | None = None


class Admission(Struct, frozen=True):
    """status.admission."""

    cluster_queue: str
    pod_sets: tuple[PodSetAssignment, ...] = ()


class PodSetUpdate(Struct, frozen=True):
    """What an admission check wants to add to a pod set."""

    name: str
    labels: Labels = ()
    annotations: Labels = ()
    node_selector: Labels = ()
    tolerations: tuple[Toleration, ...] = ()


class CheckState(Struct, frozen=True):
    """The state of one admission check: Pending, Ready, Retry or Rejected."""

    name: str
    state: str = "Pending"
    message: str = ""
    last_transition: int | None = None
    requeue_after_seconds: int | None = None
    retry_count: int | None = None
    pod_set_updates: tuple[PodSetUpdate, ...] = ()


class RequeueState(Struct, frozen=True):
    """Backoff after an eviction: how often, and not before when."""

    count: int = 0
    requeue_at: int | None = None


class Owner(Struct, frozen=True):
    """An owner reference."""

    api_version: str
    kind: str
    name: str
    uid: str = ""
    is_controller: bool = False


class PriorityClassRef(Struct, frozen=True):
    """What the priority came from."""

    group: str = ""
    kind: str = ""
    name: str = ""


class Eviction(Struct, frozen=True):
    """One counter of status.schedulingStats.evictions."""

    reason: str
    underlying_cause: str
    count: int


class Gate(Struct, frozen=True):
    """A preemption gate: its name, and its position ("" where the status has none)."""

    name: str
    position: str = ""
    last_transition: int | None = None


class Workload(Struct, frozen=True):
    """A Workload, spec and status."""

    namespace: str
    name: str
    uid: str = ""
    creation: int | None = None
    queue_name: str = ""
    priority: int | None = None
    priority_class: PriorityClassRef | None = None
    active: bool = True
    pod_sets: tuple[PodSet, ...] = ()
    maximum_execution_seconds: int | None = None
    preemption_gates: tuple[Gate, ...] = ()
    labels: Labels = ()
    annotations: Labels = ()
    owners: tuple[Owner, ...] = ()
    generation: int = 0
    resource_version: str = ""
    deletion: int | None = None
    # Status.
    conditions: tuple[Condition, ...] = ()
    admission: Admission | None = None
    requeue: RequeueState | None = None
    # (pod set name, count) pairs.
    reclaimable_pods: tuple[tuple[str, int], ...] = ()
    checks: tuple[CheckState, ...] = ()
    past_execution_seconds: int = 0
    nominated_clusters: tuple[str, ...] = ()
    cluster_name: str | None = None
    unhealthy_nodes: tuple[str, ...] = ()
    evictions: tuple[Eviction, ...] = ()
    # status.resourceRequests: (pod set name, amounts) pairs.
    resource_requests: tuple[tuple[str, Amounts], ...] = ()

    @property
    def key(self) -> str:
        """namespace/name; a workload without a namespace has the key /name."""
        return f"{self.namespace}/{self.name}"
