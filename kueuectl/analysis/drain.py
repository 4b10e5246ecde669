"""What is known about draining nodes: capacity that goes, quota that stays, pods that run there.

Kueue counts quota, not nodes: without topology-aware flavors a drained node changes no decision. Which pods are
evicted is up to kubectl and their controllers; where they would run instead is up to kube-scheduler.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kueuectl.engine import workloads as facts
from kueuectl.model.flavors import Node, ResourceFlavor
from kueuectl.model.state import ClusterState, OwnerObject
from kueuectl.model.values import Struct, replace
from kueuectl.model.workloads import TopologyAssignment

JOB_UID_LABEL = "kueue.x-k8s.io/job-uid"
_HOSTNAME = "kubernetes.io/hostname"
_ENDED = ("Succeeded", "Failed")


class Capacity(Struct, frozen=True):
    """A resource of a flavor, amounts: quota of all ClusterQueues and cohorts against what the nodes have.

    `before` and `after` are the allocatable of the schedulable nodes that match the flavor.
    """

    flavor: str
    resource: str
    quota: int
    used: int
    before: int
    after: int

    @property
    def excess(self) -> int:
        """Quota that no node backs after the drain."""
        return max(0, self.quota - self.after)


class Drained(Struct, frozen=True):
    """Nodes that go. `running` has (workload, pods on these nodes); `placed` are workloads whose topology assignment
    names one of them. `knows_pods`: the state says where pods run. `topologies` are those of flavors that lose nodes.
    """

    state: ClusterState
    nodes: tuple[str, ...]
    capacity: tuple[Capacity, ...]
    running: tuple[tuple[str, int], ...] = ()
    placed: tuple[str, ...] = ()
    knows_pods: bool = False
    topologies: tuple[str, ...] = ()
    # Two flavors or more match one of the nodes: each of them counts its capacity.
    is_shared: bool = False


def drain(state: ClusterState, nodes: Sequence[str]) -> Drained:
    """The state without the nodes, which must exist, and what is known about that."""
    gone = frozenset(nodes)
    left = {name: node for name, node in state.nodes.items() if name not in gone}
    flavors = [flavor for flavor in state.flavors.values() if any(_matches(flavor, state.nodes[name]) for name in gone)]
    hosts = {dict(state.nodes[name].labels).get(_HOSTNAME, name) for name in gone}
    return Drained(
        state=replace(state, nodes=left),
        nodes=tuple(sorted(gone)),
        capacity=tuple(_capacity(state, left, flavors)),
        running=_running(state, gone),
        placed=tuple(
            sorted(
                key
                for key, workload in state.workloads.items()
                if workload.admission is not None
                and facts.holds_quota(workload)
                and any(_names(pod_set.topology, hosts) for pod_set in workload.admission.pod_sets)
            )
        ),
        knows_pods=any(owner.kind == "Pod" and owner.node for owner in state.owners),
        topologies=tuple(sorted({flavor.topology for flavor in flavors if flavor.topology is not None})),
        is_shared=any(sum(_matches(flavor, state.nodes[name]) for flavor in flavors) > 1 for name in gone),
    )


def _matches(flavor: ResourceFlavor, node: Node) -> bool:
    """Whether pods of the flavor go to the node: by labels alone, as the flavor's node labels select."""
    labels = dict(node.labels)
    return all(labels.get(key) == value for key, value in flavor.node_labels)


def _names(topology: TopologyAssignment | None, hosts: set[str]) -> bool:
    """Whether pods were placed on one of the hosts; only an assignment down to host names can tell."""
    if topology is None or not topology.levels or topology.levels[-1] != _HOSTNAME:
        return False
    return any(domain.values and domain.values[-1] in hosts for domain in topology.domains)


def _capacity(state: ClusterState, left: dict[str, Node], flavors: Iterable[ResourceFlavor]) -> Iterable[Capacity]:
    quotas = _quotas(state)
    used = _used(state)
    for flavor in sorted(flavors, key=lambda flavor: flavor.name):
        for resource, quota in sorted(quotas.get(flavor.name, {}).items()):
            before = _allocatable(state.nodes.values(), flavor, resource)
            after = _allocatable(left.values(), flavor, resource)
            yield Capacity(flavor.name, resource, quota, used.get((flavor.name, resource), 0), before, after)


def _quotas(state: ClusterState) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    groups = [group for queue in state.cluster_queues.values() for group in queue.resource_groups]
    groups += [group for cohort in state.cohorts.values() for group in cohort.resource_groups]
    for group in groups:
        for row in group.flavors:
            for entry in row.resources:
                amounts = found.setdefault(row.name, {})
                amounts[entry.name] = amounts.get(entry.name, 0) + entry.nominal
    return found


def _used(state: ClusterState) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for workload in state.workloads.values():
        if workload.admission is None or not facts.holds_quota(workload):
            continue
        for pod_set in workload.admission.pod_sets:
            flavors = dict(pod_set.flavors)
            for resource, amount in pod_set.usage:
                key = (flavors.get(resource, ""), resource)
                found[key] = found.get(key, 0) + amount
    return found


def _allocatable(nodes: Iterable[Node], flavor: ResourceFlavor, resource: str) -> int:
    return sum(
        dict(node.allocatable).get(resource, 0) for node in nodes if not node.unschedulable and _matches(flavor, node)
    )


def _running(state: ClusterState, gone: frozenset[str]) -> tuple[tuple[str, int], ...]:
    """(workload, pods) on the nodes, as far as pods can be led back to workloads; "" for the others."""
    pods = [owner for owner in state.owners if owner.kind == "Pod" and owner.node in gone and owner.phase not in _ENDED]
    if not pods:
        return ()
    by_uid: dict[str, str] = {}
    for key, workload in state.workloads.items():
        for owner in workload.owners:
            by_uid[owner.uid] = key
        uid = dict(workload.labels).get(JOB_UID_LABEL)
        if uid:
            by_uid.setdefault(uid, key)
    objects = {owner.uid: owner for owner in state.owners if owner.uid}
    counts: dict[str, int] = {}
    for pod in pods:
        key = _workload_of(pod, by_uid, objects)
        counts[key] = counts.get(key, 0) + 1
    return tuple(sorted(counts.items()))


def _workload_of(pod: OwnerObject, by_uid: dict[str, str], objects: dict[str, OwnerObject]) -> str:
    waiting, seen = [pod.uid, *(owner.uid for owner in pod.owners)], set()
    while waiting:
        uid = waiting.pop(0)
        if uid in by_uid:
            return by_uid[uid]
        above = objects.get(uid)
        if above is not None and uid not in seen:
            seen.add(uid)
            waiting += [owner.uid for owner in above.owners]
    return ""
