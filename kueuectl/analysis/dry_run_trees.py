"""Which trees a change touches, and the part of a state that belongs to them: nothing else has to be simulated.

Trees of two states that share a ClusterQueue or a cohort belong together, since a change may move queues between
them. Within one state two trees belong together when a workload holds quota in one and would queue in the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from kueuectl.engine import snapshot
from kueuectl.model.queues import ClusterQueue, Cohort, ResourceGroup
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload

T = TypeVar("T")


class Part(NamedTuple):
    """Trees that are simulated together, by the names of their members."""

    queues: frozenset[str]
    cohorts: frozenset[str]


def parts(states: Sequence[ClusterState], *, touched: frozenset[str] | None = None) -> list[Part]:
    """All parts of the states, in the order of their names; with `touched` (see `touched_by`) only those that hold one.

    The parts are the same for every state given here.
    """
    sets = _Sets()
    for number, state in enumerate(states):
        for name, queue in state.cluster_queues.items():
            sets.join(_queue(name), f"tree {number} {snapshot.root_of(state, queue)}")
            if queue.cohort is not None:
                sets.join(_queue(name), _cohort(queue.cohort))
        for name in state.cohorts:
            sets.join(_cohort(name), f"tree {number} {snapshot.root_of_cohort(state, name)}")
        for one, other in _crossings(state):
            sets.join(_queue(one), _queue(other))
    wanted = None if touched is None else {sets.find(name) for name in touched}
    members: dict[str, tuple[set[str], set[str]]] = {}
    for name in sets.names():
        kind, _, rest = name.partition(" ")
        top = sets.find(name)
        if kind != "tree" and (wanted is None or top in wanted):
            members.setdefault(top, (set(), set()))[kind == "cohort"].add(rest)
    found = [Part(frozenset(queues), frozenset(cohorts)) for queues, cohorts in members.values()]
    return sorted(found, key=lambda part: (sorted(part.queues), sorted(part.cohorts)))


def names(chosen: Sequence[Part]) -> frozenset[str]:
    """Everything in the parts, as names for `parts`."""
    queues = {_queue(name) for part in chosen for name in part.queues}
    return frozenset(queues | {_cohort(name) for part in chosen for name in part.cohorts})


def cut(state: ClusterState, chosen: Sequence[Part]) -> list[ClusterState]:
    """The state as each of the parts sees it: its queues, cohorts and workloads, and all of the rest."""
    number_of = {name: number for number, part in enumerate(chosen) for name in part.queues}
    doors = {key: number_of.get(local.cluster_queue) for key, local in state.local_queues.items()}
    split: list[dict[str, Workload]] = [{} for _ in chosen]
    for key, workload in state.workloads.items():
        admission = workload.admission
        number = number_of.get(admission.cluster_queue) if admission is not None else None
        if number is None:
            number = doors.get(f"{workload.namespace}/{workload.queue_name}")
        if number is not None:
            split[number][key] = workload
    return [
        replace(
            state,
            cluster_queues=_only(state.cluster_queues, part.queues),
            cohorts=_only(state.cohorts, part.cohorts),
            workloads=found,
        )
        for part, found in zip(chosen, split, strict=True)
    ]


def touched_by(before: ClusterState, after: ClusterState) -> frozenset[str]:
    """ClusterQueues and cohorts whose decisions may differ between the states, as names for `parts`."""
    found: set[str] = set()
    for name in _changed(before.cluster_queues, after.cluster_queues):
        found.add(_queue(name))
    for name in _changed(before.cohorts, after.cohorts):
        found.add(_cohort(name))
    flavors = set(_changed(before.flavors, after.flavors))
    topologies = set(_changed(before.topologies, after.topologies))
    checks = set(_changed(before.admission_checks, after.admission_checks))
    namespaces = set(_changed(before.namespaces, after.namespaces))
    for ranges in (before.limit_ranges, after.limit_ranges):
        namespaces |= {
            ranges[key].namespace for key in _changed(before.limit_ranges, after.limit_ranges) if key in ranges
        }
    has_new_nodes = before.nodes != after.nodes
    for state in (before, after):
        on_nodes = {
            name
            for name, flavor in state.flavors.items()
            if flavor.topology is not None and (has_new_nodes or flavor.topology in topologies)
        }
        found |= _by_flavors(state, flavors | on_nodes)
        for name, queue in state.cluster_queues.items():
            if any(rule.name in checks for rule in queue.admission_checks):
                found.add(_queue(name))
        for key, local in state.local_queues.items():
            if local.namespace in namespaces or before.local_queues.get(key) != after.local_queues.get(key):
                found.add(_queue(local.cluster_queue))
    return frozenset(found | _by_workloads(before, after))


def _by_flavors(state: ClusterState, flavors: set[str]) -> set[str]:
    if not flavors:
        return set()
    found = {_queue(queue.name) for queue in state.cluster_queues.values() if _names(queue, flavors)}
    return found | {_cohort(cohort.name) for cohort in state.cohorts.values() if _names(cohort, flavors)}


def _names(owner: ClusterQueue | Cohort, flavors: set[str]) -> bool:
    groups: tuple[ResourceGroup, ...] = owner.resource_groups
    return any(flavor.name in flavors for group in groups for flavor in group.flavors)


def _by_workloads(before: ClusterState, after: ClusterState) -> set[str]:
    """Queues of workloads that changed, or whose requests or priority come from an object that did."""
    runtimes = set(_changed(before.runtime_classes, after.runtime_classes))
    classes = set(_changed(before.workload_priority_classes, after.workload_priority_classes))
    classes |= set(_changed(before.priority_classes, after.priority_classes))
    found: set[str] = set()
    for state, other in ((before, after), (after, before)):
        for key, workload in state.workloads.items():
            counterpart = other.workloads.get(key)
            differs = counterpart is not workload and counterpart != workload
            ref = workload.priority_class
            is_ranked = bool(classes) and ref is not None and ref.name in classes
            has_overhead = bool(runtimes) and any(ps.template.runtime_class in runtimes for ps in workload.pod_sets)
            if differs or is_ranked or has_overhead:
                found |= _queues_of(state, workload)
    return found


def _queues_of(state: ClusterState, workload: Workload) -> set[str]:
    found = set()
    local = state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
    if local is not None:
        found.add(_queue(local.cluster_queue))
    if workload.admission is not None:
        found.add(_queue(workload.admission.cluster_queue))
    return found


def _crossings(state: ClusterState) -> Iterator[tuple[str, str]]:
    """(ClusterQueue that gave quota, ClusterQueue that it would queue in) where these are two."""
    doors = {key: local.cluster_queue for key, local in state.local_queues.items()}
    for workload in state.workloads.values():
        admission = workload.admission
        if admission is None:
            continue
        target = doors.get(f"{workload.namespace}/{workload.queue_name}")
        if target is not None and target != admission.cluster_queue:
            yield admission.cluster_queue, target


def _changed(before: Mapping[str, T], after: Mapping[str, T]) -> Iterator[str]:
    """Keys whose values differ; untouched objects are the same ones, so that this is cheap."""
    if before is after:
        return
    for key, value in before.items():
        other = after.get(key)
        if other is not value and other != value:
            yield key
    for key in after:
        if key not in before:
            yield key


def _only(objects: Mapping[str, T], names: Iterable[str]) -> dict[str, T]:
    return {name: objects[name] for name in sorted(names) if name in objects}


def _queue(name: str) -> str:
    return f"queue {name}"


def _cohort(name: str) -> str:
    return f"cohort {name}"


class _Sets:
    """Disjoint sets of names."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def find(self, name: str) -> str:
        """The name that stands for the set; a new name is a set of its own."""
        above = self._above
        top = above.setdefault(name, name)
        while above[top] != top:
            top = above[top]
        while above[name] != top:
            above[name], name = top, above[name]
        return top

    def join(self, one: str, other: str) -> None:
        """Make one set of two."""
        first, second = self.find(one), self.find(other)
        if first != second:
            low, high = sorted((first, second))
            self._above[high] = low

    def names(self) -> list[str]:
        """All names, in the order in which they came."""
        return list(self._above)
