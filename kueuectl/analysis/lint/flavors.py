"""Rules about flavors and the nodes behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kueuectl.analysis.explanation import Ref
from kueuectl.analysis.lint.findings import Code, Finding, Found, Unknown, finding
from kueuectl.analysis.lint.scene import Scene, has_labels, quotas
from kueuectl.engine import selectors
from kueuectl.model.flavors import Node, ResourceFlavor
from kueuectl.model.selectors import Taint

_MOST_NAMED = 5
_HARD = frozenset({"NoSchedule", "NoExecute"})
# Set by Kubernetes itself while a node has a problem; no flavor has to know them.
_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeletedByClusterAutoscaler")
_CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


def without_nodes(scene: Scene) -> Iterator[Found]:
    """A flavor in use that no node has the labels of: what is admitted with it never starts."""
    for name, flavor in _used(scene):
        if not scene.knows("Node"):
            yield Unknown("Node")
            return
        if scene.nodes_of[name] or not flavor.node_labels:
            continue
        elsewhere = _run_elsewhere(scene, name)
        if elsewhere is None:
            yield Unknown("AdmissionCheck")
        elif not elsewhere:
            yield _without_nodes(scene, flavor)


def _without_nodes(scene: Scene, flavor: ResourceFlavor) -> Finding:
    """Which label no node has, where it is one of them alone that keeps all nodes out."""
    alone = [
        f"{key}={value}"
        for key, value in flavor.node_labels
        if not any((key, value) in node.labels for node in scene.state.nodes.values())
    ]
    asked = tuple(alone) or tuple(f"{key}={value}" for key, value in flavor.node_labels)
    keys = {label.partition("=")[0] for label in alone}
    others = sorted(
        {f"{key}={value}" for node in scene.state.nodes.values() for key, value in node.labels if key in keys}
    )
    return finding(
        Code.FLAVOR_WITHOUT_NODES,
        Ref("ResourceFlavor", flavor.name),
        "spec.nodeLabels",
        labels=asked,
        together=0 if alone else 1,
        others=tuple(others) if len(others) <= _MOST_NAMED else (),
        nodes=len(scene.state.nodes),
        queues=scene.users_of[flavor.name][:_MOST_NAMED],
    )


def _used(scene: Scene) -> Iterator[tuple[str, ResourceFlavor]]:
    """Flavors that some ClusterQueue has quota of, by name."""
    for name in scene.ordered("ResourceFlavor"):
        if name in scene.users_of:
            yield name, scene.state.flavors[name]


def _run_elsewhere(scene: Scene, flavor: str) -> bool | None:
    """Whether all queues with the flavor run their jobs on nodes that are made for them; None where unknown."""
    answers = [scene.runs_elsewhere(scene.state.cluster_queues[name]) for name in scene.users_of[flavor]]
    return None if None in answers else all(answers)


def taints(scene: Scene) -> Iterator[Found]:
    """Taints that all nodes of a flavor have and the flavor does not know of, or the other way round."""
    for name, flavor in _used(scene):
        if not scene.knows("Node"):
            if flavor.node_labels or flavor.node_taints:
                yield Unknown("Node")
                return
            continue
        nodes = scene.nodes_of[name]
        if not nodes:
            continue
        yield from _not_tolerated(flavor, nodes)
        for index, taint in enumerate(flavor.node_taints):
            if taint.effect in _HARD and not any(_has(node, taint) for node in nodes):
                yield finding(
                    Code.FLAVOR_TAINT_WITHOUT_NODES,
                    Ref("ResourceFlavor", name),
                    f"spec.nodeTaints[{index}]",
                    taint=text_of(taint),
                    nodes=len(nodes),
                )


def _not_tolerated(flavor: ResourceFlavor, nodes: tuple[Node, ...]) -> Iterator[Finding]:
    """A taint counts only where no node of the flavor is without one that is not known: else pods have a place."""
    first = [_stranger(flavor, node) for node in nodes]
    strangers = [taint for taint in first if taint is not None]
    if len(strangers) < len(nodes):
        return
    counted = sorted({text_of(taint) for taint in strangers})
    path = "spec.nodeTaints" if flavor.node_taints else "spec"
    yield finding(
        Code.FLAVOR_TAINT_NOT_TOLERATED,
        Ref("ResourceFlavor", flavor.name),
        path,
        taints=tuple(counted[:_MOST_NAMED]),
        nodes=len(nodes),
    )


def _stranger(flavor: ResourceFlavor, node: Node) -> Taint | None:
    """The first lasting taint of a node that the flavor neither lists nor tolerates."""
    for taint in node.taints:
        if taint.key.startswith(_PASSING) or any(_same(taint, known) for known in flavor.node_taints):
            continue
        if selectors.untolerated((taint,), flavor.tolerations) is not None:
            return taint
    return None


def _same(taint: Taint, other: Taint) -> bool:
    return (taint.key, taint.value, taint.effect) == (other.key, other.value, other.effect)


def _has(node: Node, taint: Taint) -> bool:
    return any(_same(taint, found) for found in node.taints)


def text_of(taint: Taint) -> str:
    """A taint as kubectl writes it."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def share_nodes(scene: Scene) -> Iterator[Found]:
    """Flavors with the same labels and taints, whose quota for one resource counts the same nodes twice."""
    alike: dict[object, list[str]] = {}
    for name, flavor in _used(scene):
        if flavor.node_labels:
            alike.setdefault((flavor.node_labels, flavor.node_taints), []).append(name)
    resources = _resources(scene)
    for names in alike.values():
        for index, name in enumerate(names):
            for other in names[index + 1 :]:
                common = sorted(resources[name] & resources[other])
                if common:
                    yield finding(
                        Code.FLAVORS_SHARE_NODES,
                        Ref("ResourceFlavor", other),
                        "spec.nodeLabels",
                        other=name,
                        resources=tuple(common[:_MOST_NAMED]),
                    )


def _resources(scene: Scene) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for queue in scene.queues():
        for quota in quotas(queue):
            if quota.entry.nominal:
                found.setdefault(quota.flavor, set()).add(quota.entry.name)
    return {name: found.get(name, set()) for name in scene.state.flavors}


def dead(scene: Scene) -> Iterator[Found]:
    """A flavor of a ClusterQueue that can never give anything: no own quota, and nothing to borrow."""
    for queue in scene.queues():
        node = scene.queue_node(queue.name)
        if node.tree.is_cyclic:
            continue
        for index, group in enumerate(queue.resource_groups):
            for position, flavor in enumerate(group.flavors):
                frs = [node.tree.index[flavor.name, entry.name] for entry in flavor.resources]
                if not frs or any(node.potential[fr] > 0 for fr in frs):
                    continue
                if queue.cohort and not scene.knows("Cohort"):
                    # Quota of a cohort that was not read could be what it borrows.
                    yield Unknown("Cohort")
                    continue
                yield finding(
                    Code.FLAVOR_DEAD,
                    Ref("ClusterQueue", queue.name),
                    f"spec.resourceGroups[{index}].flavors[{position}]",
                    flavor=flavor.name,
                    cohort=queue.cohort or "",
                )


def unused(scene: Scene) -> Iterator[Found]:
    """A flavor that neither ClusterQueues nor cohorts have quota of."""
    if scene.state.flavors and not scene.knows("ClusterQueue"):
        yield Unknown("ClusterQueue")
        return
    in_cohorts = {quota.flavor for cohort in scene.cohorts() for quota in quotas(cohort)}
    for name in scene.ordered("ResourceFlavor"):
        if name not in scene.users_of and name not in in_cohorts:
            yield finding(Code.FLAVOR_UNUSED, Ref("ResourceFlavor", name))


def nodes_unclaimed(scene: Scene) -> Iterator[Found]:
    """Nodes of no flavor in use: their capacity is in no quota. Control planes are no capacity."""
    used = [flavor for _, flavor in _used(scene)]
    if not used or not scene.knows("Node"):
        if used:
            yield Unknown("Node")
        return
    free = []
    for name in scene.ordered("Node"):
        labels = dict(scene.state.nodes[name].labels)
        if any(label in labels for label in _CONTROL_PLANE):
            continue
        if not any(has_labels(flavor, labels) for flavor in used):
            free.append(name)
    if free:
        yield finding(
            Code.NODES_UNCLAIMED,
            Ref("Node", free[0]),
            "metadata.labels",
            count=len(free),
            nodes=tuple(free[:_MOST_NAMED]),
        )


def topology_levels(scene: Scene) -> Iterator[Found]:
    """Levels of a topology that nodes of its flavor lack the label of: such nodes are left out of placement."""
    if not scene.settings.gate("TopologyAwareScheduling"):
        return
    for name, flavor in _used(scene):
        topology = scene.state.topologies.get(flavor.topology or "")
        if topology is None:
            continue
        if not scene.knows("Node"):
            yield Unknown("Node")
            return
        nodes = scene.nodes_of[name]
        for index, level in enumerate(topology.levels):
            lacking = [node.name for node in nodes if level not in dict(node.labels)]
            if lacking:
                yield finding(
                    Code.TOPOLOGY_LEVEL_WITHOUT_NODES,
                    Ref("Topology", topology.name),
                    f"spec.levels[{index}].nodeLabel",
                    level=level,
                    flavor=name,
                    lacking=len(lacking),
                    nodes=len(nodes),
                    names=tuple(lacking[:_MOST_NAMED]),
                )


def topology_unused(scene: Scene) -> Iterator[Found]:
    """A Topology that no flavor names."""
    if scene.state.topologies and not scene.knows("ResourceFlavor"):
        yield Unknown("ResourceFlavor")
        return
    named = {flavor.topology for flavor in scene.state.flavors.values()}
    for name in scene.ordered("Topology"):
        if name not in named:
            yield finding(Code.TOPOLOGY_UNUSED, Ref("Topology", name))
