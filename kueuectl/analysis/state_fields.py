"""Which fields of two objects differ, by the paths that the API has for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from kueuectl.model.values import Struct, names

Scalar = str | int | float | bool | None


class Unit(Enum):
    """What a number is."""

    PLAIN = "plain"
    # Millicores for cpu, base units for the rest; and nano-units.
    AMOUNT = "amount"
    NANO = "nano"
    # Nanoseconds since the epoch.
    TIME = "time"


class FieldDiff(NamedTuple):
    """A field that differs. None: it is not there. `resource` is what an amount is of."""

    path: str
    before: Scalar
    after: Scalar
    unit: Unit = Unit.PLAIN
    resource: str = ""


# By class and field: the path in the API; "" for what is of no concern here. Others are in camel case where they are.
_PATHS: Mapping[str, Mapping[str, str]] = {
    "ClusterQueue": {
        "cohort": "spec.cohortName",
        "resource_groups": "spec.resourceGroups",
        "queueing_strategy": "spec.queueingStrategy",
        "namespace_selector": "spec.namespaceSelector",
        "flavor_fungibility": "spec.flavorFungibility",
        "preemption": "spec.preemption",
        "admission_checks": "spec.admissionChecksStrategy.admissionChecks",
        "stop_policy": "spec.stopPolicy",
        "fair_weight": "spec.fairSharing.weight",
        "admission_mode": "spec.admissionScope.admissionMode",
        "concurrent_admission_mode": "spec.concurrentAdmissionPolicy.migration.mode",
        "last_acceptable_flavor": ("spec.concurrentAdmissionPolicy.migration.constraints.lastAcceptableFlavorName"),
        "status": "",
    },
    "Preemption": {
        "borrow_within_cohort": "borrowWithinCohort.policy",
        "max_priority_threshold": "borrowWithinCohort.maxPriorityThreshold",
    },
    "ResourceQuota": {"nominal": "nominalQuota"},
    "LocalQueue": {
        "cluster_queue": "spec.clusterQueue",
        "stop_policy": "spec.stopPolicy",
        "fair_weight": "spec.fairSharing.weight",
        "status": "",
    },
    "Cohort": {
        "parent": "spec.parentName",
        "resource_groups": "spec.resourceGroups",
        "fair_weight": "spec.fairSharing.weight",
        "weighted_share": "",
    },
    "ResourceFlavor": {
        "node_labels": "spec.nodeLabels",
        "node_taints": "spec.nodeTaints",
        "tolerations": "spec.tolerations",
        "topology": "spec.topologyName",
    },
    "Topology": {"levels": "spec.levels"},
    "AdmissionCheck": {
        "controller": "spec.controllerName",
        "parameters": "spec.parameters",
        "conditions": "status.conditions",
    },
    "Condition": {"reason": "", "message": "", "last_transition": "", "observed_generation": ""},
    "PriorityClass": {"kind": "", "is_default": "globalDefault"},
    "Node": {
        "taints": "spec.taints",
        "unschedulable": "spec.unschedulable",
        "allocatable": "status.allocatable",
        "is_ready": "status.conditions[Ready].status",
    },
    "LimitRange": {"items": "spec.limits"},
    "LimitRangeItem": {"max_ratio": "maxLimitRequestRatio"},
    "RuntimeClass": {"overhead": "overhead.podFixed"},
    "Workload": {
        "queue_name": "spec.queueName",
        "priority": "spec.priority",
        "priority_class": "spec.priorityClassRef",
        "active": "spec.active",
        "pod_sets": "spec.podSets",
        "maximum_execution_seconds": "spec.maximumExecutionTimeSeconds",
        "preemption_gates": "spec.preemptionGates",
        # Owners make the workload; its status is told in words.
        **dict.fromkeys(
            (
                "owners",
                "conditions",
                "admission",
                "requeue",
                "reclaimable_pods",
                "checks",
                "past_execution_seconds",
                "nominated_clusters",
                "cluster_name",
                "unhealthy_nodes",
                "evictions",
                "resource_requests",
            ),
            "",
        ),
    },
    "PodTemplate": {
        "containers": "spec.containers",
        "init_containers": "spec.initContainers",
        "overhead": "spec.overhead",
        "pod_requests": "spec.resources.requests",
        "pod_limits": "spec.resources.limits",
        "node_selector": "spec.nodeSelector",
        "node_affinity": "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        "preferred_affinity": "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
        "tolerations": "spec.tolerations",
        "priority_class": "spec.priorityClassName",
        "runtime_class": "spec.runtimeClassName",
        "resource_claims": "spec.resourceClaims",
        "other_constraints": "spec",
        # Kueue changes them when it admits.
        "labels": "",
        "annotations": "",
    },
    "Container": {"requests": "resources.requests", "limits": "resources.limits", "is_sidecar": "restartPolicy"},
    "OwnerObject": {
        "suspended": "spec.suspend",
        "phase": "status.phase",
        "node": "spec.nodeName",
        "gates": "spec.schedulingGates",
        "annotations": "",
        "owners": "",
        "conditions": "",
    },
}
_METADATA: Mapping[str, str] = {
    "labels": "metadata.labels",
    "annotations": "metadata.annotations",
    "deletion": "metadata.deletionTimestamp",
    **dict.fromkeys(("name", "namespace", "uid", "creation", "generation", "resource_version", "api_version"), ""),
}
# What tells the entries of a list apart.
_NAMES = ("name", "type", "key", "topology")
_AMOUNTS = ("nominal", "borrowing_limit", "lending_limit")
_AMOUNT_LISTS = ("allocatable",)
_NANO_LISTS = (
    "requests",
    "limits",
    "overhead",
    "pod_requests",
    "pod_limits",
    "max",
    "min",
    "default",
    "default_request",
)
_TIMES = ("deletion", "last_transition")


def between(one: object, other: object) -> tuple[FieldDiff, ...]:
    """The fields in which two objects of a kind differ, in the order of the model."""
    return tuple(_of_object(one, other, "", is_root=True))


def _of_object(one: object, other: object, path: str, *, is_root: bool = False) -> Iterator[FieldDiff]:
    kind = type(one).__name__
    for name in names(one):
        before, after = getattr(one, name), getattr(other, name)
        if before == after:
            continue
        inner = _path(kind, name, is_root=is_root)
        if not inner:
            continue
        where = f"{path}.{inner}" if path else inner
        resource = getattr(one, "name", "") if name in _AMOUNTS else ""
        yield from _of_value(before, after, where, name=name, resource=resource)


def _path(kind: str, name: str, *, is_root: bool) -> str:
    known = _PATHS.get(kind, {})
    if name in known:
        return known[name]
    if is_root and name in _METADATA:
        return _METADATA[name]
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _of_value(before: object, after: object, path: str, *, name: str, resource: str) -> Iterator[FieldDiff]:
    if isinstance(before, tuple) or isinstance(after, tuple):
        one = before if isinstance(before, tuple) else ()
        other = after if isinstance(after, tuple) else ()
        if before is None or after is None:
            # There is a difference between nothing and an empty list, here and there.
            yield from _whole(before, after, path) if not (one or other) else _of_list(one, other, path, name=name)
            return
        yield from _of_list(one, other, path, name=name)
    elif isinstance(before, Struct) and isinstance(after, Struct) and type(before) is type(after):
        yield from _of_object(before, after, path)
    elif isinstance(before, Struct) or isinstance(after, Struct):
        yield from _whole(before, after, path)
    else:
        unit = Unit.AMOUNT if name in _AMOUNTS else Unit.TIME if name in _TIMES else Unit.PLAIN
        yield FieldDiff(path, _scalar(before), _scalar(after), unit, resource)


def _of_list(one: tuple[object, ...], other: tuple[object, ...], path: str, *, name: str) -> Iterator[FieldDiff]:
    entries = (*one, *other)
    if all(isinstance(entry, tuple) and len(entry) == 2 for entry in entries):
        yield from _of_pairs(one, other, path, name=name)
        return
    key = next((key for key in _NAMES if all(_has_text(entry, key) for entry in entries)), None)
    if key is not None and _are_unique(one, key) and _are_unique(other, key):
        yield from _of_named(one, other, path, key=key)
    elif len(one) == len(other) and all(isinstance(entry, Struct) for entry in entries):
        for index, (before, after) in enumerate(zip(one, other, strict=True)):
            if before != after:
                yield from _of_object(before, after, f"{path}[{index}]")
    else:
        yield from _whole(one, other, path)


def _has_text(entry: object, key: str) -> bool:
    return isinstance(entry, Struct) and isinstance(getattr(entry, key, None), str)


def _are_unique(entries: tuple[object, ...], key: str) -> bool:
    return len({getattr(entry, key) for entry in entries}) == len(entries)


def _of_pairs(one: tuple[object, ...], other: tuple[object, ...], path: str, *, name: str) -> Iterator[FieldDiff]:
    """Labels, requests and the like."""
    before, after = _pairs(one), _pairs(other)
    unit = Unit.NANO if name in _NANO_LISTS else Unit.AMOUNT if name in _AMOUNT_LISTS else Unit.PLAIN
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            resource = key if unit is not Unit.PLAIN else ""
            yield FieldDiff(f"{path}[{key}]", _scalar(before.get(key)), _scalar(after.get(key)), unit, resource)


def _pairs(entries: tuple[object, ...]) -> dict[str, object]:
    return {str(entry[0]): entry[1] for entry in entries if isinstance(entry, tuple)}


def _of_named(one: tuple[object, ...], other: tuple[object, ...], path: str, *, key: str) -> Iterator[FieldDiff]:
    before = {getattr(entry, key): entry for entry in one}
    after = {getattr(entry, key): entry for entry in other}
    for name in (*before, *(name for name in after if name not in before)):
        old, new = before.get(name), after.get(name)
        where = f"{path}[{name}]"
        if old is None or new is None:
            yield FieldDiff(where, None if old is None else text_of(old), None if new is None else text_of(new))
        elif old != new:
            yield from _of_object(old, new, where)
    common = [[name for name in side if name in before and name in after] for side in (before, after)]
    if common[0] != common[1]:
        yield FieldDiff(f"{path} (order)", ", ".join(common[0]), ", ".join(common[1]))


def _whole(before: object, after: object, path: str) -> Iterator[FieldDiff]:
    yield FieldDiff(path, _scalar(before), _scalar(after))


def _scalar(value: object) -> Scalar:
    return value if value is None or isinstance(value, str | int | float | bool) else text_of(value)


def text_of(value: object) -> str:
    """A value that is there on one side only, in short."""
    if isinstance(value, tuple):
        return ", ".join(text_of(entry) for entry in value)
    if isinstance(value, Struct):
        name = next((getattr(value, key) for key in _NAMES if _has_text(value, key)), "")
        if name:
            return str(name)
        parts = [(name, getattr(value, name)) for name in names(value)]
        return " ".join(f"{key}={text_of(inner)}" for key, inner in parts if inner not in (None, "", ()))
    return str(value)
