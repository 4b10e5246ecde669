"""Wire to model for the small kinds: flavors, topologies, checks, priorities, namespaces, nodes, limits, owners."""

from __future__ import annotations

from typing import Any

from kueuectl.api import parts, wire
from kueuectl.api.pool import Pool
from kueuectl.model.flavors import AdmissionCheck, Node, ResourceFlavor, Topology
from kueuectl.model.state import LimitRange, LimitRangeItem, Namespace, OwnerObject, PriorityClass, RuntimeClass

NAME_LABEL = "kubernetes.io/metadata.name"


def resource_flavor(found: wire.ResourceFlavor, pool: Pool) -> ResourceFlavor:
    """A ResourceFlavor."""
    meta = found.metadata or parts.NO_META
    spec = found.spec or wire.ResourceFlavorSpec()
    return ResourceFlavor(
        name=pool.text(meta.name),
        node_labels=pool.labels(spec.node_labels),
        node_taints=parts.taints(spec.node_taints, pool),
        tolerations=parts.tolerations(spec.tolerations, pool),
        topology=pool.optional(spec.topology_name),
        uid=meta.uid or "",
        creation=pool.time(meta.creation_timestamp),
        resource_version=meta.resource_version or "",
        deletion=pool.time(meta.deletion_timestamp),
        labels=pool.labels(meta.labels),
    )


def topology(found: wire.Topology, pool: Pool) -> Topology:
    """A Topology."""
    meta = found.metadata or parts.NO_META
    levels = (found.spec.levels if found.spec else None) or ()
    return Topology(
        name=pool.text(meta.name),
        levels=tuple([pool.text(level.node_label) for level in levels]),
        uid=meta.uid or "",
        creation=pool.time(meta.creation_timestamp),
        resource_version=meta.resource_version or "",
        labels=pool.labels(meta.labels),
    )


def admission_check(found: wire.AdmissionCheck, pool: Pool) -> AdmissionCheck:
    """An AdmissionCheck."""
    meta = found.metadata or parts.NO_META
    spec = found.spec or wire.AdmissionCheckSpec()
    parameters = spec.parameters
    return AdmissionCheck(
        name=pool.text(meta.name),
        controller=pool.text(spec.controller_name),
        parameters=None if parameters is None else (pool.text(parameters.kind), pool.text(parameters.name)),
        conditions=parts.conditions(found.status.conditions if found.status else None, pool),
        uid=meta.uid or "",
        creation=pool.time(meta.creation_timestamp),
        resource_version=meta.resource_version or "",
        deletion=pool.time(meta.deletion_timestamp),
        labels=pool.labels(meta.labels),
    )


def workload_priority_class(found: wire.WorkloadPriorityClass, pool: Pool) -> PriorityClass:
    """A WorkloadPriorityClass."""
    meta = found.metadata or parts.NO_META
    return PriorityClass(
        kind="WorkloadPriorityClass",
        name=pool.text(meta.name),
        value=found.value or 0,
        creation=pool.time(meta.creation_timestamp),
    )


def priority_class(found: wire.PriorityClass, pool: Pool) -> PriorityClass:
    """A PriorityClass."""
    meta = found.metadata or parts.NO_META
    return PriorityClass(
        kind="PriorityClass",
        name=pool.text(meta.name),
        value=found.value or 0,
        is_default=bool(found.global_default),
        preemption_policy=pool.text(found.preemption_policy),
        creation=pool.time(meta.creation_timestamp),
    )


def namespace(found: wire.Namespace, pool: Pool) -> Namespace:
    """A Namespace; the API server labels every one with its name, a hand-written one may lack that."""
    meta = found.metadata or parts.NO_META
    name = pool.text(meta.name)
    labels = dict(meta.labels or {})
    if pool.strict:
        labels[NAME_LABEL] = name
    return Namespace(name=name, labels=pool.labels(labels))


def node(found: wire.Node, pool: Pool) -> Node:
    """A Node. One whose status has no Ready condition is not ready."""
    meta = found.metadata or parts.NO_META
    spec = found.spec or wire.NodeSpec()
    status = found.status or wire.NodeStatus()
    ready = [entry.status == "True" for entry in status.conditions or () if entry.type == "Ready"]
    return Node(
        name=pool.text(meta.name),
        labels=pool.labels(meta.labels),
        taints=parts.taints(spec.taints, pool),
        allocatable=pool.amounts(status.allocatable),
        is_ready=bool(ready and ready[0]),
        unschedulable=bool(spec.unschedulable),
        uid=meta.uid or "",
        creation=pool.time(meta.creation_timestamp),
    )


def limit_range(found: wire.LimitRange, pool: Pool) -> LimitRange:
    """A LimitRange."""
    meta = found.metadata or parts.NO_META
    limits = (found.spec.limits if found.spec else None) or ()
    items = [
        LimitRangeItem(
            type=pool.text(limit.type),
            max=pool.nanos(limit.max),
            min=pool.nanos(limit.min),
            default=pool.nanos(limit.default),
            default_request=pool.nanos(limit.default_request),
            max_ratio=pool.nanos(limit.max_limit_request_ratio),
        )
        for limit in limits
    ]
    return LimitRange(namespace=pool.text(meta.namespace), name=pool.text(meta.name), items=tuple(items))


def runtime_class(found: wire.RuntimeClass, pool: Pool) -> RuntimeClass:
    """A RuntimeClass."""
    meta = found.metadata or parts.NO_META
    overhead = found.overhead
    return RuntimeClass(
        name=pool.text(meta.name), overhead=None if overhead is None else pool.nanos(overhead.pod_fixed)
    )


def owner(found: wire.Owner, pool: Pool) -> OwnerObject:
    """Any other object. Fields that some kind uses for something else are passed over, not errors."""
    meta = found.metadata or parts.NO_META
    spec = found.spec if isinstance(found.spec, dict) else {}
    status = found.status if isinstance(found.status, dict) else {}
    kind = pool.text(found.kind)
    is_pod = kind == "Pod"
    return OwnerObject(
        api_version=pool.text(found.api_version),
        kind=kind,
        namespace=pool.text(meta.namespace),
        name=pool.text(meta.name),
        uid=meta.uid or "",
        creation=pool.time(meta.creation_timestamp),
        labels=pool.labels(meta.labels),
        annotations=pool.annotations(meta.annotations),
        owners=parts.owners(meta.owner_references, pool),
        suspended=_suspended(spec),
        phase=_text(status.get("phase")) if is_pod else "",
        node=_text(spec.get("nodeName")) if is_pod else "",
        gates=tuple([_text(gate.get("name")) for gate in _dicts(spec.get("schedulingGates"))]) if is_pod else (),
        conditions=tuple(
            [
                (
                    _text(entry.get("type")),
                    _text(entry.get("status")),
                    _text(entry.get("reason")),
                    _text(entry.get("message")),
                )
                for entry in _dicts(status.get("conditions"))
            ]
        ),
    )


def _suspended(spec: dict[str, Any]) -> bool | None:
    policy = spec.get("runPolicy")
    for holder in (spec, policy if isinstance(policy, dict) else {}):
        if isinstance(holder.get("suspend"), bool):
            return bool(holder["suspend"])
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
