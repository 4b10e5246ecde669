"""Model to manifest: what a user would have to write to get the object, in v1beta2.

Queues, cohorts, flavors, topologies and checks are whole. Of a workload's pods only names and counts are left: the
model does not keep whole templates.
"""

from __future__ import annotations

from typing import Any

from kueuectl import quantity
from kueuectl.model.flavors import AdmissionCheck, ResourceFlavor, Topology
from kueuectl.model.queues import ClusterQueue, Cohort, LocalQueue, ResourceGroup, ResourceQuota
from kueuectl.model.selectors import LabelSelector
from kueuectl.model.workloads import Workload

V1BETA2 = "kueue.x-k8s.io/v1beta2"

Encodable = AdmissionCheck | ClusterQueue | Cohort | LocalQueue | ResourceFlavor | Topology | Workload


def manifest(model: Encodable) -> dict[str, Any]:
    """The manifest of an object."""
    metadata = {"name": model.name}
    if isinstance(model, LocalQueue | Workload):
        metadata["namespace"] = model.namespace
    found: dict[str, Any] = {"apiVersion": V1BETA2, "kind": type(model).__name__, "metadata": metadata}
    match model:
        case ClusterQueue():
            found["spec"] = _cluster_queue(model)
        case Cohort():
            found["spec"] = _filled(
                parentName=model.parent,
                resourceGroups=_groups(model.resource_groups),
                fairSharing=_weight(model.fair_weight),
            )
        case LocalQueue():
            found["spec"] = _filled(
                clusterQueue=model.cluster_queue, stopPolicy=model.stop_policy, fairSharing=_weight(model.fair_weight)
            )
        case ResourceFlavor():
            found["spec"] = _flavor(model)
        case Topology():
            found["spec"] = {"levels": [{"nodeLabel": level} for level in model.levels]}
        case AdmissionCheck():
            found["spec"] = {"controllerName": model.controller}
        case Workload():
            found |= _workload(model)
    return found


def _filled(**fields: Any) -> dict[str, Any]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _cluster_queue(queue: ClusterQueue) -> dict[str, Any]:
    preemption, fungibility = queue.preemption, queue.flavor_fungibility
    spec = _filled(
        cohortName=queue.cohort,
        resourceGroups=_groups(queue.resource_groups),
        queueingStrategy=queue.queueing_strategy,
        flavorFungibility=_filled(
            whenCanBorrow=fungibility.when_can_borrow,
            whenCanPreempt=fungibility.when_can_preempt,
            preference=fungibility.preference,
        ),
        preemption=_filled(
            withinClusterQueue=preemption.within_cluster_queue,
            reclaimWithinCohort=preemption.reclaim_within_cohort,
            borrowWithinCohort=_filled(
                policy=preemption.borrow_within_cohort, maxPriorityThreshold=preemption.max_priority_threshold
            ),
        ),
        stopPolicy=queue.stop_policy,
        fairSharing=_weight(queue.fair_weight),
        admissionScope=_filled(admissionMode=queue.admission_mode),
        concurrentAdmissionPolicy=_concurrent(queue),
        admissionChecksStrategy=_filled(
            admissionChecks=[
                _filled(name=rule.name, onFlavors=list(rule.on_flavors)) for rule in queue.admission_checks
            ]
        ),
    )
    if queue.namespace_selector is not None:
        # An empty selector matches all namespaces, so it has to stay.
        spec["namespaceSelector"] = _selector(queue.namespace_selector)
    return spec


def _concurrent(queue: ClusterQueue) -> dict[str, Any]:
    if queue.concurrent_admission_mode is None:
        return {}
    constraints = _filled(lastAcceptableFlavorName=queue.last_acceptable_flavor)
    return {"migration": _filled(mode=queue.concurrent_admission_mode, constraints=constraints)}


def _groups(groups: tuple[ResourceGroup, ...]) -> list[dict[str, Any]]:
    return [
        {
            "coveredResources": list(group.covered_resources),
            "flavors": [
                {"name": flavor.name, "resources": [_quota(entry) for entry in flavor.resources]}
                for flavor in group.flavors
            ],
        }
        for group in groups
    ]


def _quota(entry: ResourceQuota) -> dict[str, Any]:
    found = {"name": entry.name, "nominalQuota": quantity.format_amount(entry.name, entry.nominal)}
    if entry.borrowing_limit is not None:
        found["borrowingLimit"] = quantity.format_amount(entry.name, entry.borrowing_limit)
    if entry.lending_limit is not None:
        found["lendingLimit"] = quantity.format_amount(entry.name, entry.lending_limit)
    return found


def _weight(weight: float | None) -> dict[str, Any]:
    return {} if weight is None else {"weight": quantity.format_nano(round(weight * quantity.NANO))}


def _selector(selector: LabelSelector) -> dict[str, Any]:
    return _filled(
        matchLabels=dict(selector.match_labels),
        matchExpressions=[
            _filled(key=entry.key, operator=entry.operator, values=list(entry.values))
            for entry in selector.match_expressions
        ],
    )


def _flavor(flavor: ResourceFlavor) -> dict[str, Any]:
    return _filled(
        nodeLabels=dict(flavor.node_labels),
        nodeTaints=[_filled(key=taint.key, value=taint.value, effect=taint.effect) for taint in flavor.node_taints],
        tolerations=[
            _filled(
                key=entry.key,
                operator=entry.operator,
                value=entry.value,
                effect=entry.effect,
                tolerationSeconds=entry.toleration_seconds,
            )
            for entry in flavor.tolerations
        ],
        topologyName=flavor.topology,
    )


def _workload(workload: Workload) -> dict[str, Any]:
    ref = workload.priority_class
    spec: dict[str, Any] = {
        **_filled(
            queueName=workload.queue_name,
            maximumExecutionTimeSeconds=workload.maximum_execution_seconds,
            priorityClassRef=None if ref is None else {"group": ref.group, "kind": ref.kind, "name": ref.name},
        ),
        "active": workload.active,
        "podSets": [
            {
                "name": pod_set.name,
                "count": pod_set.count,
                "template": {"spec": {"containers": []}},
                **({} if pod_set.min_count is None else {"minCount": pod_set.min_count}),
            }
            for pod_set in workload.pod_sets
        ],
    }
    if workload.priority is not None:
        spec["priority"] = workload.priority
    conditions = [{"type": entry.type, "status": entry.status} for entry in workload.conditions]
    return {"spec": spec, "status": {"conditions": conditions}}
