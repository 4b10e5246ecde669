"""Changes of single fields, as functions from state to state, and the fields in which two objects differ.

A change that can't be made is a value (`Refused`) that says why: nothing is raised here. Whether Kueue would take the
result is not asked here either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import TypeVar

from kueuectl.analysis.explanation import Ref
from kueuectl.model.queues import ClusterQueue, Cohort, LocalQueue, ResourceGroup, ResourceQuota
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct, replace
from kueuectl.model.workloads import PodSet, PriorityClassRef, Workload

Value = str | int | float | bool | None
Editable = ClusterQueue | Cohort | LocalQueue | Workload
_E = TypeVar("_E", ClusterQueue, Cohort, LocalQueue, Workload)


class Field(StrEnum):
    """A field that can be changed alone; the values are the words of `--set`."""

    NOMINAL = "nominal"
    BORROWING_LIMIT = "borrowing-limit"
    LENDING_LIMIT = "lending-limit"
    WEIGHT = "weight"
    COHORT = "cohort"
    PARENT = "parent"
    STRATEGY = "strategy"
    STOP_POLICY = "stop-policy"
    WITHIN_CLUSTER_QUEUE = "within-cluster-queue"
    RECLAIM_WITHIN_COHORT = "reclaim-within-cohort"
    BORROW_WITHIN_COHORT = "borrow-within-cohort"
    MAX_PRIORITY_THRESHOLD = "max-priority-threshold"
    WHEN_CAN_BORROW = "when-can-borrow"
    WHEN_CAN_PREEMPT = "when-can-preempt"
    PREFERENCE = "preference"
    CLUSTER_QUEUE = "cluster-queue"
    PRIORITY = "priority"
    PRIORITY_CLASS = "priority-class"
    QUEUE = "queue"
    COUNT = "count"
    MIN_COUNT = "min-count"
    ACTIVE = "active"


QUOTA_FIELDS = (Field.NOMINAL, Field.BORROWING_LIMIT, Field.LENDING_LIMIT)
POD_SET_FIELDS = (Field.COUNT, Field.MIN_COUNT)
_QUOTA_ATTRIBUTES = {
    Field.NOMINAL: "nominal",
    Field.BORROWING_LIMIT: "borrowing_limit",
    Field.LENDING_LIMIT: "lending_limit",
}
# Where a field is in the model, by kind.
_QUEUE_FIELDS: Mapping[Field, tuple[str, ...]] = {
    Field.COHORT: ("cohort",),
    Field.WEIGHT: ("fair_weight",),
    Field.STRATEGY: ("queueing_strategy",),
    Field.STOP_POLICY: ("stop_policy",),
    Field.WITHIN_CLUSTER_QUEUE: ("preemption", "within_cluster_queue"),
    Field.RECLAIM_WITHIN_COHORT: ("preemption", "reclaim_within_cohort"),
    Field.BORROW_WITHIN_COHORT: ("preemption", "borrow_within_cohort"),
    Field.MAX_PRIORITY_THRESHOLD: ("preemption", "max_priority_threshold"),
    Field.WHEN_CAN_BORROW: ("flavor_fungibility", "when_can_borrow"),
    Field.WHEN_CAN_PREEMPT: ("flavor_fungibility", "when_can_preempt"),
    Field.PREFERENCE: ("flavor_fungibility", "preference"),
}
_COHORT_FIELDS: Mapping[Field, tuple[str, ...]] = {Field.PARENT: ("parent",), Field.WEIGHT: ("fair_weight",)}
_LOCAL_QUEUE_FIELDS: Mapping[Field, tuple[str, ...]] = {
    Field.CLUSTER_QUEUE: ("cluster_queue",),
    Field.STOP_POLICY: ("stop_policy",),
    Field.WEIGHT: ("fair_weight",),
}
_WORKLOAD_FIELDS: Mapping[Field, tuple[str, ...]] = {
    Field.PRIORITY: ("priority",),
    Field.QUEUE: ("queue_name",),
    Field.ACTIVE: ("active",),
}
FIELDS: Mapping[str, tuple[Field, ...]] = {
    "ClusterQueue": (*QUOTA_FIELDS, *_QUEUE_FIELDS),
    "Cohort": (*QUOTA_FIELDS, *_COHORT_FIELDS),
    "LocalQueue": tuple(_LOCAL_QUEUE_FIELDS),
    "Workload": (*_WORKLOAD_FIELDS, Field.PRIORITY_CLASS, *POD_SET_FIELDS),
}


class Obstacle(StrEnum):
    """Why a change can't be made."""

    NO_OBJECT = "no object"
    NO_QUOTA = "no quota"
    NO_POD_SET = "no pod set"
    WHICH_POD_SET = "which pod set"
    NO_CLASS = "no class"


class Refused(Struct, frozen=True):
    """A change that can't be made; `known` has the names that would do."""

    obstacle: Obstacle
    known: tuple[str, ...] = ()


class Edit(Struct, frozen=True):
    """One field of one object. `part` is (flavor, resource) of a quota, or (pod set,) of a count; else empty."""

    target: Ref
    field: Field
    value: Value
    part: tuple[str, ...] = ()


class FieldChange(Struct, frozen=True):
    """A field that differs: amounts for quotas, words or numbers for the rest; None where there is none."""

    field: Field
    part: tuple[str, ...]
    before: Value
    after: Value


def with_workload(state: ClusterState, changed: Workload) -> ClusterState:
    """The state with one workload replaced."""
    return replace(state, workloads={**state.workloads, changed.key: changed})


def with_queue(state: ClusterState, changed: ClusterQueue) -> ClusterState:
    """The state with one ClusterQueue replaced."""
    return replace(state, cluster_queues={**state.cluster_queues, changed.name: changed})


def with_cohort(state: ClusterState, changed: Cohort) -> ClusterState:
    """The state with one Cohort replaced."""
    return replace(state, cohorts={**state.cohorts, changed.name: changed})


def with_local_queue(state: ClusterState, changed: LocalQueue) -> ClusterState:
    """The state with one LocalQueue replaced."""
    return replace(state, local_queues={**state.local_queues, changed.key: changed})


def with_quota(
    groups: tuple[ResourceGroup, ...], flavor: str, change: Callable[[ResourceQuota], ResourceQuota]
) -> tuple[ResourceGroup, ...]:
    """The groups with every quota of a flavor changed."""
    return tuple(
        replace(
            group,
            flavors=tuple(
                replace(row, resources=tuple(change(entry) for entry in row.resources)) if row.name == flavor else row
                for row in group.flavors
            ),
        )
        for group in groups
    )


def quota_of(groups: tuple[ResourceGroup, ...], flavor: str, resource: str) -> ResourceQuota | None:
    """The quota of a resource in a flavor, if there is one."""
    for group in groups:
        for row in group.flavors:
            for entry in row.resources:
                if row.name == flavor and entry.name == resource:
                    return entry
    return None


def apply(state: ClusterState, edit: Edit) -> ClusterState | Refused:
    """The state with the field changed. A cohort that members only name becomes an object by it."""
    target = edit.target
    match target.kind:
        case "ClusterQueue":
            queue = state.cluster_queues.get(target.name)
            made = Refused(Obstacle.NO_OBJECT) if queue is None else _with_quotas(queue, edit, _QUEUE_FIELDS)
            return made if isinstance(made, Refused) else with_queue(state, made)
        case "Cohort":
            cohort = state.cohorts.get(target.name) or (Cohort(target.name) if _is_named(state, target.name) else None)
            altered = Refused(Obstacle.NO_OBJECT) if cohort is None else _with_quotas(cohort, edit, _COHORT_FIELDS)
            return altered if isinstance(altered, Refused) else with_cohort(state, altered)
        case "LocalQueue":
            local = state.local_queues.get(target.key)
            if local is None:
                return Refused(Obstacle.NO_OBJECT)
            return with_local_queue(state, _put(local, _LOCAL_QUEUE_FIELDS[edit.field], edit.value))
        case _:
            workload = state.workloads.get(target.key)
            if workload is None:
                return Refused(Obstacle.NO_OBJECT)
            found = _workload(state, workload, edit)
            return found if isinstance(found, Refused) else with_workload(state, found)


def _is_named(state: ClusterState, name: str) -> bool:
    return any(queue.cohort == name for queue in state.cluster_queues.values()) or any(
        cohort.parent == name for cohort in state.cohorts.values()
    )


_Q = TypeVar("_Q", ClusterQueue, Cohort)


def _with_quotas(owner: _Q, edit: Edit, paths: Mapping[Field, tuple[str, ...]]) -> _Q | Refused:
    if edit.field not in QUOTA_FIELDS:
        return _put(owner, paths[edit.field], edit.value)
    flavor, resource = edit.part
    if quota_of(owner.resource_groups, flavor, resource) is None:
        known = [
            f"{row.name}/{entry.name}"
            for group in owner.resource_groups
            for row in group.flavors
            for entry in row.resources
        ]
        return Refused(Obstacle.NO_QUOTA, tuple(known))
    name = _QUOTA_ATTRIBUTES[edit.field]

    def change(entry: ResourceQuota) -> ResourceQuota:
        return replace(entry, **{name: edit.value}) if entry.name == resource else entry

    return replace(owner, resource_groups=with_quota(owner.resource_groups, flavor, change))


def _workload(state: ClusterState, workload: Workload, edit: Edit) -> Workload | Refused:
    if edit.field is Field.PRIORITY_CLASS:
        return _with_class(state, workload, str(edit.value or ""))
    if edit.field not in POD_SET_FIELDS:
        changed = _put(workload, _WORKLOAD_FIELDS[edit.field], edit.value)
        # A workload that is switched on again starts its backoff over (docs: Workload, Active).
        return replace(changed, requeue=None) if edit.field is Field.ACTIVE and edit.value else changed
    names = tuple(pod_set.name for pod_set in workload.pod_sets)
    if not edit.part and len(names) != 1:
        return Refused(Obstacle.WHICH_POD_SET, names)
    wanted = edit.part[0] if edit.part else names[0]
    if wanted not in names:
        return Refused(Obstacle.NO_POD_SET, names)
    attribute = "count" if edit.field is Field.COUNT else "min_count"

    def change(pod_set: PodSet) -> PodSet:
        return replace(pod_set, **{attribute: edit.value}) if pod_set.name == wanted else pod_set

    return replace(workload, pod_sets=tuple(change(pod_set) for pod_set in workload.pod_sets))


def _with_class(state: ClusterState, workload: Workload, name: str) -> Workload | Refused:
    if not name:
        return replace(workload, priority=None, priority_class=None)
    found = state.workload_priority_classes.get(name)
    if found is None:
        return Refused(Obstacle.NO_CLASS, tuple(sorted(state.workload_priority_classes)))
    ref = PriorityClassRef("kueue.x-k8s.io", "WorkloadPriorityClass", name)
    return replace(workload, priority=found.value, priority_class=ref)


def _put(owner: _E, path: tuple[str, ...], value: Value) -> _E:
    """The object with one field, or one field of a block, replaced."""
    first, *rest = path
    if not rest:
        return replace(owner, **{first: value})
    block = replace(getattr(owner, first), **{rest[0]: value})
    return replace(owner, **{first: block})


def fields_of(owner: Editable) -> Iterator[tuple[Field, tuple[str, ...], Value]]:
    """Every field that can be changed, with its part and value."""
    if isinstance(owner, ClusterQueue | Cohort):
        yield from _quota_fields(owner.resource_groups)
    if isinstance(owner, Workload):
        yield Field.PRIORITY_CLASS, (), owner.priority_class.name if owner.priority_class is not None else None
        for pod_set in owner.pod_sets:
            yield Field.COUNT, (pod_set.name,), pod_set.count
            yield Field.MIN_COUNT, (pod_set.name,), pod_set.min_count
    paths = {
        ClusterQueue: _QUEUE_FIELDS,
        Cohort: _COHORT_FIELDS,
        LocalQueue: _LOCAL_QUEUE_FIELDS,
        Workload: _WORKLOAD_FIELDS,
    }[type(owner)]
    for field, path in paths.items():
        value: object = owner
        for name in path:
            value = getattr(value, name)
        assert value is None or isinstance(value, str | int | float)
        yield field, (), value


def _quota_fields(groups: tuple[ResourceGroup, ...]) -> Iterator[tuple[Field, tuple[str, ...], Value]]:
    for group in groups:
        for flavor in group.flavors:
            for entry in flavor.resources:
                part = (flavor.name, entry.name)
                yield Field.NOMINAL, part, entry.nominal
                yield Field.BORROWING_LIMIT, part, entry.borrowing_limit
                yield Field.LENDING_LIMIT, part, entry.lending_limit


def changes_between(before: Editable, after: Editable) -> tuple[FieldChange, ...]:
    """The fields in which two objects of one kind differ; a quota that is in one of them only has None in the other."""
    old = {(field, part): value for field, part, value in fields_of(before)}
    new = {(field, part): value for field, part, value in fields_of(after)}
    return tuple(
        FieldChange(*key, old.get(key), new.get(key))
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key)
    )
