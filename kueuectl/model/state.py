"""The whole cluster as it was read, and what could not be read."""

from __future__ import annotations

from collections.abc import Mapping

from kueuectl.model.flavors import AdmissionCheck, Node, ResourceFlavor, Topology
from kueuectl.model.queues import ClusterQueue, Cohort, LocalQueue
from kueuectl.model.selectors import Labels
from kueuectl.model.values import Struct, field
from kueuectl.model.workloads import NanoList, Owner, Workload


class PriorityClass(Struct, frozen=True):
    """A PriorityClass or a WorkloadPriorityClass (kind says which)."""

    kind: str
    name: str
    value: int
    is_default: bool = False
    preemption_policy: str = ""
    creation: int | None = None


class Namespace(Struct, frozen=True):
    """A namespace with its labels (kubernetes.io/metadata.name is among them, as the API server keeps it)."""

    name: str
    labels: Labels = ()


class LimitRangeItem(Struct, frozen=True):
    """One limit of a LimitRange: type Container or Pod; exact nano-units."""

    type: str
    max: NanoList = ()
    min: NanoList = ()
    default: NanoList = ()
    default_request: NanoList = ()
    max_ratio: NanoList = ()


class LimitRange(Struct, frozen=True):
    """A LimitRange of a namespace."""

    namespace: str
    name: str
    items: tuple[LimitRangeItem, ...] = ()


class RuntimeClass(Struct, frozen=True):
    """A RuntimeClass with the overhead of its pods (None: no overhead block)."""

    name: str
    overhead: NanoList | None = None


class OwnerObject(Struct, frozen=True):
    """An object that owns workloads or pods (Job, JobSet, Pod, ...), reduced to what explains it.

    `suspended` is None where the kind has no such field; `phase` and `node` are of pods; `gates` are the scheduling
    gates of a pod; `conditions` keep (type, status, reason, message).
    """

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str = ""
    creation: int | None = None
    labels: Labels = ()
    annotations: Labels = ()
    owners: tuple[Owner, ...] = ()
    suspended: bool | None = None
    phase: str = ""
    node: str = ""
    gates: tuple[str, ...] = ()
    conditions: tuple[tuple[str, str, str, str], ...] = ()


class HiddenKind(Struct, frozen=True):
    """A kind that could not be read, and why: "forbidden", "not served", "not in the dump"."""

    kind: str
    reason: str
    detail: str = ""


class ClusterState(Struct, frozen=True):
    """What was read. Keys: names, or namespace/name for namespaced kinds.

    `hidden` names kinds that were asked for and not had; a kind that a dump merely lacks is not hidden, except that a
    namespace that is not in `namespaces` is unknown, never unmatched.
    """

    cluster_queues: dict[str, ClusterQueue] = field(default_factory=dict)
    local_queues: dict[str, LocalQueue] = field(default_factory=dict)
    cohorts: dict[str, Cohort] = field(default_factory=dict)
    flavors: dict[str, ResourceFlavor] = field(default_factory=dict)
    workloads: dict[str, Workload] = field(default_factory=dict)
    admission_checks: dict[str, AdmissionCheck] = field(default_factory=dict)
    topologies: dict[str, Topology] = field(default_factory=dict)
    workload_priority_classes: dict[str, PriorityClass] = field(default_factory=dict)
    priority_classes: dict[str, PriorityClass] = field(default_factory=dict)
    namespaces: dict[str, Namespace] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    limit_ranges: dict[str, LimitRange] = field(default_factory=dict)
    runtime_classes: dict[str, RuntimeClass] = field(default_factory=dict)
    owners: tuple[OwnerObject, ...] = ()
    hidden: tuple[HiddenKind, ...] = ()
    # Plain sentences about what was read and how, for stderr and for `warnings`.
    warnings: tuple[str, ...] = ()

    def is_hidden(self, kind: str) -> bool:
        """Whether the kind was asked for and could not be read."""
        return any(entry.kind == kind for entry in self.hidden)


# The fields that hold objects, by their kind, in the order in which kinds are told.
KIND_FIELDS: Mapping[str, str] = {
    "Cohort": "cohorts",
    "ClusterQueue": "cluster_queues",
    "LocalQueue": "local_queues",
    "ResourceFlavor": "flavors",
    "Topology": "topologies",
    "AdmissionCheck": "admission_checks",
    "WorkloadPriorityClass": "workload_priority_classes",
    "PriorityClass": "priority_classes",
    "Namespace": "namespaces",
    "Node": "nodes",
    "LimitRange": "limit_ranges",
    "RuntimeClass": "runtime_classes",
    "Workload": "workloads",
}
