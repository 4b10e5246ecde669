"""What deleting an object does to a state: some are held back by a finalizer until nobody uses them.

Rules (docs: Troubleshooting, Delete a ClusterQueue; observed behaviour where they are silent):

1. A ClusterQueue whose quota workloads hold stays, takes no new work (Terminating), and still lends; else it goes.
2. A ResourceFlavor, AdmissionCheck or Topology that is in use stays as it is.
3. Without its LocalQueue a waiting workload is in no queue, one that holds quota keeps it.
4. A cohort that members name goes on without quota of its own and without a parent.
5. A namespace takes its LocalQueues, Workloads and LimitRanges along.
"""

from __future__ import annotations

from enum import StrEnum

from kueuectl.analysis.explanation import Ref
from kueuectl.engine import workloads
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct, replace


class NoteCode(StrEnum):
    """What a reader of a dry run should know about how a change works."""

    TERMINATING = "TERMINATING"
    IN_USE = "IN_USE"
    NO_QUEUE = "NO_QUEUE"
    STILL_NAMED = "STILL_NAMED"
    REMADE = "REMADE"
    KEEPS_PRIORITY = "KEEPS_PRIORITY"
    ASSUMED_ACTIVE = "ASSUMED_ACTIVE"
    EVICTS_NOTHING = "EVICTS_NOTHING"
    STOPS_LENDING_NOT = "STOPS_LENDING_NOT"
    EXISTS = "EXISTS"
    NOT_WOKEN = "NOT_WOKEN"


class Note(Struct, frozen=True):
    """A note; `facts` are (name, value) pairs for the sentence that report makes of it."""

    code: NoteCode
    facts: tuple[tuple[str, str], ...] = ()


class Deleted(Struct, frozen=True):
    """The state without the object, and what there is to know about that."""

    state: ClusterState
    notes: tuple[Note, ...] = ()


def delete(state: ClusterState, target: Ref, *, now: int) -> Deleted | None:
    """The state after the object was deleted; None when it is not there."""
    match target.kind:
        case "ClusterQueue":
            return _cluster_queue(state, target.name, now)
        case "LocalQueue":
            return _local_queue(state, target.key)
        case "Cohort":
            return _cohort(state, target.name)
        case "ResourceFlavor" | "AdmissionCheck" | "Topology":
            return _if_unused(state, target)
        case "Workload":
            return _workload(state, target.key)
        case "Namespace":
            return _namespace(state, target.name)
        case _:
            return _plain(state, target)


_FIELDS = {
    "ResourceFlavor": "flavors",
    "AdmissionCheck": "admission_checks",
    "Topology": "topologies",
    "WorkloadPriorityClass": "workload_priority_classes",
    "PriorityClass": "priority_classes",
    "Node": "nodes",
    "LimitRange": "limit_ranges",
    "RuntimeClass": "runtime_classes",
}


def _plain(state: ClusterState, target: Ref) -> Deleted | None:
    name = _FIELDS[target.kind]
    held: dict[str, object] = getattr(state, name)
    if target.key not in held:
        return None
    kept = {key: value for key, value in held.items() if key != target.key}
    return Deleted(replace(state, **{name: kept}))


def _cluster_queue(state: ClusterState, name: str, now: int) -> Deleted | None:
    queue = state.cluster_queues.get(name)
    if queue is None:
        return None
    holders = sum(
        workload.admission is not None and workload.admission.cluster_queue == name and workloads.holds_quota(workload)
        for workload in state.workloads.values()
    )
    if holders:
        queues = {**state.cluster_queues, name: replace(queue, deletion=now)}
        facts = (("name", name), ("holders", str(holders)))
        return Deleted(replace(state, cluster_queues=queues), (Note(NoteCode.TERMINATING, facts),))
    return Deleted(replace(state, cluster_queues={k: v for k, v in state.cluster_queues.items() if k != name}))


def _local_queue(state: ClusterState, key: str) -> Deleted | None:
    if key not in state.local_queues:
        return None
    inside = [workload for workload in state.workloads.values() if f"{workload.namespace}/{workload.queue_name}" == key]
    holding = sum(workloads.holds_quota(workload) for workload in inside)
    waiting = sum(not workloads.holds_quota(w) and not workloads.is_finished(w) for w in inside)
    facts = (("name", key), ("holding", str(holding)), ("waiting", str(waiting)))
    notes = (Note(NoteCode.NO_QUEUE, facts),) if inside else ()
    return Deleted(replace(state, local_queues={k: v for k, v in state.local_queues.items() if k != key}), notes)


def _cohort(state: ClusterState, name: str) -> Deleted | None:
    if name not in state.cohorts:
        return None
    members = [queue.name for queue in state.cluster_queues.values() if queue.cohort == name]
    members += [cohort.name for cohort in state.cohorts.values() if cohort.parent == name]
    facts = (("name", name), ("members", str(len(members))))
    notes = (Note(NoteCode.STILL_NAMED, facts),) if members else ()
    return Deleted(replace(state, cohorts={k: v for k, v in state.cohorts.items() if k != name}), notes)


def _if_unused(state: ClusterState, target: Ref) -> Deleted | None:
    found = _plain(state, target)
    if found is None:
        return None
    users = _users(state, target)
    if not users:
        return found
    facts = (("kind", target.kind), ("name", target.name), ("by", ", ".join(users)))
    return Deleted(state, (Note(NoteCode.IN_USE, facts),))


def _users(state: ClusterState, target: Ref) -> list[str]:
    """Names of the objects that keep one from going, sorted."""
    if target.kind == "Topology":
        return sorted(flavor.name for flavor in state.flavors.values() if flavor.topology == target.name)
    found = set()
    for queue in state.cluster_queues.values():
        if target.kind == "AdmissionCheck":
            used = any(rule.name == target.name for rule in queue.admission_checks)
        else:
            used = any(row.name == target.name for group in queue.resource_groups for row in group.flavors)
        if used:
            found.add(queue.name)
    return sorted(found)


def _workload(state: ClusterState, key: str) -> Deleted | None:
    workload = state.workloads.get(key)
    if workload is None:
        return None
    owner = next((owner for owner in workload.owners if owner.is_controller), None)
    facts = (("name", key), ("owner", f"{owner.kind} {owner.name}" if owner is not None else ""))
    notes = (Note(NoteCode.REMADE, facts),) if owner is not None else ()
    return Deleted(replace(state, workloads={k: v for k, v in state.workloads.items() if k != key}), notes)


def _namespace(state: ClusterState, name: str) -> Deleted | None:
    if name not in state.namespaces:
        return None
    return Deleted(
        replace(
            state,
            namespaces={k: v for k, v in state.namespaces.items() if k != name},
            local_queues={k: v for k, v in state.local_queues.items() if v.namespace != name},
            workloads={k: v for k, v in state.workloads.items() if v.namespace != name},
            limit_ranges={k: v for k, v in state.limit_ranges.items() if v.namespace != name},
        )
    )


def without_workloads(state: ClusterState, keys: frozenset[str]) -> ClusterState:
    """The state after the job behind some workloads was deleted."""
    return replace(state, workloads={key: value for key, value in state.workloads.items() if key not in keys})
