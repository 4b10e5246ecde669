"""What the rules look at: the state, what is not known of it, and what several rules work out of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from functools import cached_property

from kueuectl.engine import activeness, snapshot, workloads
from kueuectl.engine.infos import Info, InfoReader
from kueuectl.engine.snapshot import QueueNode, Snapshot
from kueuectl.model.flavors import Node, ResourceFlavor
from kueuectl.model.queues import ClusterQueue, Cohort, FlavorQuotas, LocalQueue, ResourceQuota
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState

# The fields of a state by kind.
FIELDS: Mapping[str, str] = {
    "ClusterQueue": "cluster_queues",
    "LocalQueue": "local_queues",
    "Cohort": "cohorts",
    "ResourceFlavor": "flavors",
    "Workload": "workloads",
    "AdmissionCheck": "admission_checks",
    "Topology": "topologies",
    "WorkloadPriorityClass": "workload_priority_classes",
    "PriorityClass": "priority_classes",
    "Namespace": "namespaces",
    "Node": "nodes",
    "LimitRange": "limit_ranges",
    "RuntimeClass": "runtime_classes",
}
NOT_THERE = "none in the input"
# Checks after which a job runs on nodes that are made for it, or in another cluster.
_ELSEWHERE = frozenset({activeness.MULTIKUEUE_CONTROLLER, "kueue.x-k8s.io/provisioning-request"})


class Origin(Enum):
    """Where a state comes from, and so what it means that a kind has no object in it."""

    # There are none.
    CLUSTER = "cluster"
    # They were not saved. Cohorts need no objects, so of them there are none.
    DUMP = "dump"
    # They are not among the files.
    FILES = "files"


def unknown_kinds(state: ClusterState, origin: Origin) -> Mapping[str, str]:
    """Kinds that nothing can be concluded from, and why: hidden ones, and those that the origin does not have."""
    found = {entry.kind: " ".join(part for part in (entry.reason, entry.detail) if part) for entry in state.hidden}
    if origin is not Origin.CLUSTER:
        for kind, field in FIELDS.items():
            is_implied = kind == "Cohort" and origin is Origin.DUMP and state.cluster_queues
            if not getattr(state, field) and not is_implied:
                found.setdefault(kind, NOT_THERE)
    return found


class Quota:
    """One quota of a ClusterQueue or cohort, and its field path."""

    __slots__ = ("entry", "flavor", "path")

    def __init__(self, flavor: FlavorQuotas, entry: ResourceQuota, path: str) -> None:
        self.flavor = flavor.name
        self.entry = entry
        self.path = path


class Scene:
    """A state under judgement. `unread` are (kind, key) of objects that are there but could not be read."""

    def __init__(
        self,
        state: ClusterState,
        settings: Settings,
        *,
        unknown: Mapping[str, str],
        unread: Collection[tuple[str, str]] = (),
    ) -> None:
        self.state = state
        self.settings = settings
        self.unknown = unknown
        self._unread = frozenset(unread)

    def knows(self, kind: str) -> bool:
        """Whether all objects of the kind are there, so that a missing one is missing."""
        return kind not in self.unknown

    def exists(self, kind: str, key: str) -> bool:
        """Whether there is such an object, even one that could not be read."""
        return key in getattr(self.state, FIELDS[kind]) or (kind, key) in self._unread

    def ordered(self, kind: str) -> list[str]:
        """Keys of all objects of a kind, sorted."""
        return sorted(getattr(self.state, FIELDS[kind]))

    def queues(self) -> Iterator[ClusterQueue]:
        """All ClusterQueues by name."""
        for name in sorted(self.state.cluster_queues):
            yield self.state.cluster_queues[name]

    def doors(self) -> Iterator[LocalQueue]:
        """All LocalQueues by key."""
        for key in sorted(self.state.local_queues):
            yield self.state.local_queues[key]

    def cohorts(self) -> Iterator[Cohort]:
        """All Cohort objects by name."""
        for name in sorted(self.state.cohorts):
            yield self.state.cohorts[name]

    @cached_property
    def snapshot(self) -> Snapshot:
        """Quota and usage of all trees."""
        return snapshot.build(self.state, self.settings)

    @cached_property
    def waiting(self) -> Mapping[str, list[Info]]:
        """Workloads that wait in each ClusterQueue, in the order of the queue; backoffs are looked past."""
        found: dict[str, list[Info]] = {}
        for workload in self.state.workloads.values():
            door = self.state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
            if door is None or door.cluster_queue not in self.state.cluster_queues:
                continue
            if workloads.may_queue(workload, self.settings):
                found.setdefault(door.cluster_queue, []).append(self.reader.read(workload))
        for infos in found.values():
            infos.sort(key=lambda info: info.order_key)
        return found

    @cached_property
    def reader(self) -> InfoReader:
        """Reads what workloads ask for."""
        return InfoReader(self.state, self.settings)

    @cached_property
    def nodes_of(self) -> Mapping[str, tuple[Node, ...]]:
        """Nodes that have all labels of each flavor, by name; taints are not looked at."""
        nodes = [(node, dict(node.labels)) for _, node in sorted(self.state.nodes.items())]
        return {
            name: tuple(node for node, labels in nodes if has_labels(flavor, labels))
            for name, flavor in self.state.flavors.items()
        }

    @cached_property
    def users_of(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the ClusterQueues that have quota of each flavor."""
        found: dict[str, list[str]] = {}
        for queue in self.queues():
            for name in dict.fromkeys(quota.flavor for quota in quotas(queue)):
                found.setdefault(name, []).append(queue.name)
        return {name: tuple(users) for name, users in found.items()}

    def queue_node(self, name: str) -> QueueNode:
        """A ClusterQueue in its tree."""
        return self.snapshot.queues[name]

    def runs_elsewhere(self, queue: ClusterQueue) -> bool | None:
        """Whether its jobs run on nodes that are made for them, or in other clusters; None where that is not known."""
        for rule in queue.admission_checks:
            check = self.state.admission_checks.get(rule.name)
            if check is None:
                return None
            if check.controller in _ELSEWHERE:
                return True
        return False

    @property
    def ignores_undeclared(self) -> bool:
        """Whether resources that no group covers need no quota (KEP-7513)."""
        return self.settings.quota_check_strategy == "IgnoreUndeclared" and self.settings.gate("QuotaCheckStrategy")


def has_labels(flavor: ResourceFlavor, labels: Mapping[str, str]) -> bool:
    """Whether a node with these labels is of the flavor."""
    return all(labels.get(key) == value for key, value in flavor.node_labels)


def quotas(holder: ClusterQueue | Cohort) -> Iterator[Quota]:
    """All quotas of a ClusterQueue or cohort, in their order."""
    for index, group in enumerate(holder.resource_groups):
        for position, flavor in enumerate(group.flavors):
            for number, entry in enumerate(flavor.resources):
                path = f"spec.resourceGroups[{index}].flavors[{position}].resources[{number}]"
                yield Quota(flavor, entry, path)


def covered(queue: ClusterQueue) -> frozenset[str]:
    """Resources that some group of the queue covers."""
    return frozenset(name for group in queue.resource_groups for name in group.covered_resources)
