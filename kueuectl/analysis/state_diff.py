"""What became different between two states of a cluster: objects, the way of workloads, usage, and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from kueuectl.analysis import state_fields
from kueuectl.analysis.explanation import Ref
from kueuectl.analysis.state_fields import FieldDiff, Unit
from kueuectl.engine import snapshot, workloads
from kueuectl.model import conditions
from kueuectl.model.settings import Settings
from kueuectl.model.state import KIND_FIELDS, ClusterState, OwnerObject
from kueuectl.model.values import Struct, names
from kueuectl.model.workloads import Workload

_SETTINGS: Mapping[str, str] = {
    "fair_sharing": "fairSharing.preemptionStrategies",
    "wait_for_pods_ready": "waitForPodsReady",
    "admission_fair_sharing": "admissionFairSharing",
    "exclude_resource_prefixes": "resources.excludeResourcePrefixes",
    "transformations": "resources.transformations",
    "quota_check_strategy": "resources.quotaCheckStrategy",
    "device_class_mappings": "resources.deviceClassMappings",
    "manage_jobs_without_queue_name": "manageJobsWithoutQueueName",
    "frameworks": "integrations.frameworks",
}


class Verb(StrEnum):
    """What happened to an object; `replaced` is deleted and made again, with another UID."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    REPLACED = "replaced"


class Stage(StrEnum):
    """How far a workload is."""

    PENDING = "pending"
    INACTIVE = "inactive"
    RESERVED = "quota reserved"
    ADMITTED = "admitted"
    EVICTED = "evicted"
    FINISHED = "finished"


class ObjectDiff(Struct, frozen=True):
    """An object that differs, and its fields where it is there on both sides."""

    subject: Ref
    verb: Verb
    fields: tuple[FieldDiff, ...] = ()


class Place(Struct, frozen=True):
    """Where a workload is: how far, in which ClusterQueue, with which flavors as (pod set, resource, flavor)."""

    stage: Stage
    cluster_queue: str = ""
    flavors: tuple[tuple[str, str, str], ...] = ()
    pods: int = 0


class Move(Struct, frozen=True):
    """A workload whose place differs; None where it was not there. `reason` is that of an eviction since."""

    workload: str
    before: Place | None
    after: Place | None
    reason: str = ""


class UsageDiff(Struct, frozen=True):
    """Usage or quota of a node of the cohort trees that differs, in amounts; quota is that of its whole subtree."""

    node: Ref
    flavor: str
    resource: str
    before: int
    after: int
    quota_before: int
    quota_after: int


class StateDiff(Struct, frozen=True):
    """All of it; `only_once` are kinds that just one of the states has objects of."""

    objects: tuple[ObjectDiff, ...] = ()
    workloads: tuple[Move, ...] = ()
    usage: tuple[UsageDiff, ...] = ()
    settings: tuple[FieldDiff, ...] = ()
    only_once: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.objects or self.workloads or self.usage or self.settings)

    def count(self, verb: Verb) -> int:
        """How many objects that happened to."""
        return sum(entry.verb is verb for entry in self.objects)


def between(
    before: ClusterState, after: ClusterState, *, settings: tuple[Settings, Settings] = (Settings(), Settings())
) -> StateDiff:
    """What differs between two states, each judged by its own settings."""
    kinds = KIND_FIELDS.items()
    only_once = [kind for kind, name in kinds if bool(getattr(before, name)) != bool(getattr(after, name))]
    # Defaults that stand in for a Configuration that was not saved are no difference.
    are_known = bool(settings[0].source) == bool(settings[1].source)
    return StateDiff(
        objects=(*_objects(before, after), *_owners(before, after)),
        workloads=tuple(_moves(before, after)),
        usage=tuple(_usage(before, after, settings)),
        settings=tuple(_settings(*settings)) if are_known else (),
        only_once=tuple(only_once if are_known else [*only_once, "Configuration"]),
    )


def _objects(before: ClusterState, after: ClusterState) -> Iterator[ObjectDiff]:
    for kind, name in KIND_FIELDS.items():
        old, new = getattr(before, name), getattr(after, name)
        for key in sorted(old.keys() | new.keys()):
            namespace, slash, rest = key.rpartition("/")
            subject = Ref(kind, rest if slash else key, namespace)
            yield from _object(subject, old.get(key), new.get(key))


def _object(subject: Ref, one: object, other: object) -> Iterator[ObjectDiff]:
    if one is None or other is None:
        yield ObjectDiff(subject, Verb.ADDED if one is None else Verb.REMOVED)
        return
    if one == other:
        return
    found = state_fields.between(one, other)
    first, second = getattr(one, "uid", ""), getattr(other, "uid", "")
    if first and second and first != second:
        yield ObjectDiff(subject, Verb.REPLACED, found)
    elif found:
        yield ObjectDiff(subject, Verb.CHANGED, found)


def _owners(before: ClusterState, after: ClusterState) -> Iterator[ObjectDiff]:
    """Jobs, pods and what else owns workloads."""
    old, new = _by_key(before.owners), _by_key(after.owners)
    for key in sorted(old.keys() | new.keys()):
        kind, namespace, name, _ = key
        yield from _object(Ref(kind, name, namespace), old.get(key), new.get(key))


def _by_key(owners: tuple[OwnerObject, ...]) -> dict[tuple[str, str, str, str], OwnerObject]:
    return {(owner.kind, owner.namespace, owner.name, owner.api_version.rpartition("/")[0]): owner for owner in owners}


def _moves(before: ClusterState, after: ClusterState) -> Iterator[Move]:
    for key in sorted(before.workloads.keys() | after.workloads.keys()):
        one, other = before.workloads.get(key), after.workloads.get(key)
        old = None if one is None else place_of(one, before)
        new = None if other is None else place_of(other, after)
        reason = "" if other is None else _eviction(one, other)
        if old != new or reason:
            yield Move(key, old, new, reason)


def place_of(workload: Workload, state: ClusterState) -> Place:
    """Where a workload is by its own status."""
    admission = workload.admission
    if workloads.is_finished(workload):
        stage = Stage.FINISHED
    elif admission is not None and workloads.holds_quota(workload):
        if workloads.is_evicted(workload):
            stage = Stage.EVICTED
        else:
            stage = Stage.ADMITTED if workloads.is_admitted(workload) else Stage.RESERVED
        flavors = tuple(
            (each.name, resource, flavor) for each in admission.pod_sets for resource, flavor in each.flavors
        )
        pods = sum(each.count or 0 for each in admission.pod_sets)
        return Place(stage, admission.cluster_queue, flavors, pods)
    else:
        stage = Stage.PENDING if workload.active else Stage.INACTIVE
    door = state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
    return Place(stage, "" if door is None or stage is Stage.FINISHED else door.cluster_queue)


def _eviction(one: Workload | None, other: Workload) -> str:
    """The reason of an eviction that the later state tells of and the earlier one does not; "" without any."""
    found = conditions.find(other.conditions, workloads.EVICTED)
    if found is None or found.last_transition is None:
        return ""
    known = None if one is None else conditions.find(one.conditions, workloads.EVICTED)
    if found.status != "True" or (known is not None and known.last_transition == found.last_transition):
        return ""
    preempted = conditions.find(other.conditions, workloads.PREEMPTED)
    is_preemption = found.reason == "Preempted" and preempted is not None
    return preempted.reason if is_preemption and preempted is not None else found.reason


def _usage(before: ClusterState, after: ClusterState, settings: tuple[Settings, Settings]) -> Iterator[UsageDiff]:
    old, new = _used(before, settings[0]), _used(after, settings[1])
    for key in sorted(old.keys() | new.keys()):
        used, quota = old.get(key, (0, 0))
        used_after, quota_after = new.get(key, (0, 0))
        if (used, quota) != (used_after, quota_after):
            kind, name, flavor, resource = key
            yield UsageDiff(Ref(kind, name), flavor, resource, used, used_after, quota, quota_after)


def _used(state: ClusterState, settings: Settings) -> dict[tuple[str, str, str, str], tuple[int, int]]:
    """Usage and quota by (kind, node, flavor, resource); of a cohort what is used and owned below it."""
    found: dict[tuple[str, str, str, str], tuple[int, int]] = {}
    for tree in snapshot.build(state, settings).trees:
        totals = {id(node): [0] * len(tree.frs) for node in (*tree.queues, *tree.cohorts.values())}
        for queue in tree.queues:
            for node in (queue, *queue.path):
                total = totals[id(node)]
                for fr, amount in enumerate(queue.usage):
                    total[fr] += amount
        for node in (*tree.queues, *tree.cohorts.values()):
            kind = "ClusterQueue" if node.is_queue else "Cohort"
            for fr, used in enumerate(totals[id(node)]):
                if used or node.subtree[fr]:
                    found[kind, node.name, *tree.frs[fr]] = (used, node.subtree[fr])
    return found


def _settings(one: Settings, other: Settings) -> Iterator[FieldDiff]:
    for field in names(one):
        before, after = getattr(one, field), getattr(other, field)
        if before == after or field not in _SETTINGS:
            continue
        path = _SETTINGS[field]
        yield FieldDiff(path, _shown(before), _shown(after))
    for name in sorted(one.gates.keys() | other.gates.keys()):
        if one.gate(name) != other.gate(name):
            yield FieldDiff(f"featureGates[{name}]", one.gate(name), other.gate(name), Unit.PLAIN)


def _shown(value: object) -> str | bool | None:
    if value is None or isinstance(value, str | bool):
        return value
    return state_fields.text_of(value)
