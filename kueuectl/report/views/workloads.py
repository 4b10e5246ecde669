"""Lists of Workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kueuectl import times
from kueuectl.model.conditions import find, is_true
from kueuectl.model.queues import LocalQueue
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Amounts, Owner, Workload
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import parts

PENDING, RESERVED, ADMITTED, FINISHED = "PENDING", "QUOTARESERVED", "ADMITTED", "FINISHED"
_POD_GROUP = "kueue.x-k8s.io/pod-group-name"


def status(workload: Workload) -> str:
    """Where the workload is, by its conditions: PENDING, QUOTARESERVED, ADMITTED or FINISHED."""
    conditions = workload.conditions
    if is_true(conditions, "Finished"):
        return FINISHED
    if is_true(conditions, "Admitted"):
        return ADMITTED
    return RESERVED if is_true(conditions, "QuotaReserved") else PENDING


def reason(workload: Workload) -> str:
    """One word of Kueue's own about the status: why it waits, was evicted or ended; "" where nothing is said."""
    for kind, wanted in (("Finished", "True"), ("Evicted", "True"), ("QuotaReserved", "False")):
        found = find(workload.conditions, kind)
        if found is not None and found.status == wanted:
            return found.reason
    return "" if workload.active else "Deactivated"


def cluster_queue(workload: Workload, queues: Mapping[str, LocalQueue]) -> str:
    """The ClusterQueue that admitted it, else the one behind its LocalQueue; "" when that isn't known."""
    if workload.admission is not None:
        return workload.admission.cluster_queue
    queue = queues.get(f"{workload.namespace}/{workload.queue_name}")
    return queue.cluster_queue if queue is not None else ""


def job(workload: Workload) -> tuple[str, str]:
    """(type, name) of what the workload was made for: its controller, or its pod group; empty without an owner."""
    owner = _controller(workload.owners)
    if owner is None:
        return "", ""
    group = dict(workload.labels).get(_POD_GROUP) if owner.kind == "Pod" else None
    if group is None and len(workload.owners) > 1 and not owner.is_controller:
        group = workload.name
    return owner.kind.lower(), group or owner.name


def _controller(owners: tuple[Owner, ...]) -> Owner | None:
    for owner in owners:
        if owner.is_controller:
            return owner
    return owners[0] if owners else None


def execution_time(workload: Workload, now: int) -> str:
    """How long it runs or ran, since it was admitted; "" when it isn't and wasn't running."""
    admitted = find(workload.conditions, "Admitted")
    if admitted is None or admitted.status != "True" or admitted.last_transition is None:
        return ""
    finished = find(workload.conditions, "Finished")
    end = now
    if finished is not None and finished.status == "True" and finished.last_transition is not None:
        end = finished.last_transition
    return times.format_age(max(0, end - admitted.last_transition))


def flavors(workload: Workload) -> str:
    """The flavors that it was given, each once."""
    if workload.admission is None:
        return ""
    return ",".join(dict.fromkeys(flavor for found in workload.admission.pod_sets for _, flavor in found.flavors))


def requested(workload: Workload) -> Amounts:
    """What it uses, or what Kueue last counted that it asks for; empty where neither is recorded."""
    if workload.admission is not None:
        usage = parts.summed(found.usage for found in workload.admission.pod_sets)
        if usage:
            return usage
    return parts.summed(found for _, found in workload.resource_requests)


_COLUMNS = (
    Column("NAME"),
    Column("JOB TYPE"),
    Column("JOB NAME"),
    Column("LOCALQUEUE"),
    Column("CLUSTERQUEUE"),
    Column("STATUS", is_state=True),
    Column("POSITION IN QUEUE"),
    Column("EXEC TIME"),
    Column("AGE"),
    Column("PRIORITY", wide=True),
    Column("REASON", wide=True),
    Column("REQUESTED", wide=True),
    Column("FLAVORS", wide=True),
)


def request_counter(state: ClusterState, settings: Settings) -> Callable[[Workload], Amounts]:
    """Counts what workloads ask for as Kueue does, where it isn't recorded in them."""
    from kueuectl.engine.requests import RequestsReader

    reader = RequestsReader(state, settings)

    def count(workload: Workload) -> Amounts:
        return requested(workload) or parts.summed(found.total.items() for found in reader.of(workload))

    return count


def table(
    workloads: Iterable[Workload],
    *,
    queues: Mapping[str, LocalQueue],
    positions: Mapping[str, int],
    now: int,
    namespaces: bool = False,
    wide: bool = True,
    requests: Callable[[Workload], Amounts] = requested,
) -> Table:
    """Workloads by namespace and name. `positions` has the place of pending ones in their LocalQueue, from 0.

    Without `wide` the cells of columns that only `-o wide` shows stay empty: they cost more than the others.
    """
    rows = []
    for workload in sorted(workloads, key=lambda workload: (workload.namespace, workload.name)):
        kind, name = job(workload)
        place = positions.get(workload.key)
        row = (
            workload.name,
            kind,
            name,
            workload.queue_name,
            cluster_queue(workload, queues),
            status(workload),
            "" if place is None else str(place),
            execution_time(workload, now),
            parts.age(workload.creation, now),
            *(_wide_cells(workload, requests) if wide else ("", "", "", "")),
        )
        rows.append((workload.namespace, *row) if namespaces else row)
    return Table((Column("NAMESPACE"), *_COLUMNS) if namespaces else _COLUMNS, rows)


def _wide_cells(workload: Workload, requests: Callable[[Workload], Amounts]) -> tuple[str, str, str, str]:
    return str(workload.priority or 0), reason(workload), parts.amounts(requests(workload)), flavors(workload)


def counts(workloads: Iterable[Workload], queues: Mapping[str, LocalQueue]) -> dict[str, tuple[int, int]]:
    """(pending, admitted) by ClusterQueue name and by LocalQueue key, for objects whose status says nothing."""
    found: dict[str, list[int]] = {}
    for workload in workloads:
        where = status(workload)
        if where == FINISHED:
            continue
        for key in (cluster_queue(workload, queues), f"{workload.namespace}/{workload.queue_name}"):
            entry = found.setdefault(key, [0, 0])
            if where == PENDING:
                entry[0] += workload.active
            elif where == ADMITTED:
                entry[1] += 1
    return {key: (entry[0], entry[1]) for key, entry in found.items()}
