"""Whether pods could run on a flavor at all: taints, node selectors, affinity.

Rules (docs: ResourceFlavor; the second one was observed, it is newer than the documentation):

1. Taints with NoSchedule or NoExecute must be tolerated, by the pods or by the flavor's own tolerations.
2. Only label keys that the flavor itself defines are looked at, in the node selector and in required affinity: what a
   flavor says nothing about is left to kube-scheduler.
3. The terms of affinity are alternatives. A term that asks for nothing that the flavor defines leaves the flavor open;
   terms of node fields are not looked at.

Differs: an expression that Kubernetes would refuse (unknown operator, a value too many) matches nothing here; Kueue
fails the whole assignment with an error.
"""

from __future__ import annotations

from collections.abc import Mapping

from kueuectl.engine import selectors
from kueuectl.engine.reasons import AffinityMismatch, FlavorReason, TopologyUnsupported, Untolerated
from kueuectl.model.flavors import ResourceFlavor, Topology
from kueuectl.model.workloads import PodSet, PodTemplate, TopologyRequest


def mismatches(flavor: ResourceFlavor, template: PodTemplate) -> tuple[FlavorReason, ...]:
    """Why pods of the template may not use the flavor; empty where they may. Kueue reports the first reason."""
    found: list[FlavorReason] = []
    if flavor.node_taints:
        taint = selectors.untolerated(flavor.node_taints, (*template.tolerations, *flavor.tolerations))
        if taint is not None:
            found.append(Untolerated(flavor.name, taint))
    if flavor.node_labels and not matches_labels(flavor, template):
        found.append(AffinityMismatch(flavor.name))
    return tuple(found)


def matches_labels(flavor: ResourceFlavor, template: PodTemplate) -> bool:
    """Whether the node selector and the required node affinity leave the flavor open. Rules 2 and 3."""
    labels = dict(flavor.node_labels)
    if any(key in labels and labels[key] != value for key, value in template.node_selector):
        return False
    if not template.node_affinity:
        return True
    for term in template.node_affinity:
        asked = [requirement for requirement in term.expressions if requirement.key in labels]
        if all(selectors.holds(requirement, labels) for requirement in asked):
            return True
    return False


def topology_mismatch(
    flavor: ResourceFlavor, pod_set: PodSet, *, topologies: Mapping[str, Topology], is_implied: bool
) -> TopologyUnsupported | None:
    """Why the topology request of a pod set rules the flavor out; Kueue looks at this before taints and labels.

    `is_implied`: all flavors of the ClusterQueue have topologies, so a pod set without a request gets one. Only asked
    with the gate TopologyAwareScheduling on (KEP-2724).
    """
    levels = _requested_levels(pod_set.topology_request)
    if levels is None:
        if flavor.topology is None or is_implied:
            return None
        return TopologyUnsupported(flavor.name, f'Flavor "{flavor.name}" supports only TopologyAwareScheduling')
    if flavor.topology is None:
        return TopologyUnsupported(flavor.name, f'Flavor "{flavor.name}" does not support TopologyAwareScheduling')
    topology = topologies.get(flavor.topology)
    if topology is not None and not levels.issubset(topology.levels):
        return TopologyUnsupported(flavor.name, f'Flavor "{flavor.name}" does not contain the requested level')
    return None


def _requested_levels(request: TopologyRequest | None) -> frozenset[str] | None:
    """The levels that a request names; None where it does not ask for a placement."""
    if request is None:
        return None
    named = [request.required, request.preferred, request.slice_required]
    named += [constraint.topology for constraint in request.slice_constraints]
    levels = frozenset(level for level in named if level is not None)
    return levels if levels or request.unconstrained else None
