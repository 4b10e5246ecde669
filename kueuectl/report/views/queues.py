"""Lists of ClusterQueues, LocalQueues and Cohorts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from kueuectl.model.conditions import find, is_true
from kueuectl.model.queues import ClusterQueue, Cohort, LocalQueue, ResourceGroup
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import parts

# (pending, admitted) workloads, counted where the object has no status.
Counts = Mapping[str, tuple[int, int]]


def cluster_queues(
    queues: Iterable[ClusterQueue], *, now: int, counts: Counts | None = None, unsaid: str = parts.UNKNOWN
) -> Table:
    """ClusterQueues by name. `counts` stands in for the status of those that have none.

    `unsaid` is what ACTIVE shows for a queue of which Kueue said nothing yet.
    """
    columns = (
        Column("NAME"),
        Column("COHORT"),
        Column("PENDING WORKLOADS"),
        Column("ADMITTED WORKLOADS"),
        Column("ACTIVE", is_state=True),
        Column("AGE"),
        Column("RESERVING WORKLOADS", wide=True),
        Column("STRATEGY", wide=True),
        Column("STOP POLICY", wide=True),
        Column("WEIGHT", wide=True),
        Column("FLAVORS", wide=True),
        Column("REASON", wide=True),
    )
    rows = []
    for queue in sorted(queues, key=lambda queue: queue.name):
        pending, admitted = _counts(queue.name, queue.status, counts)
        active = find(queue.status.conditions, "Active")
        rows.append(
            (
                queue.name,
                queue.cohort or "",
                str(pending),
                str(admitted),
                parts.status_of(queue.status.conditions, "Active") if active is not None else unsaid,
                parts.age(queue.creation, now),
                str(queue.status.reserving),
                queue.queueing_strategy,
                queue.stop_policy,
                _weight(queue.fair_weight),
                _flavors(queue.resource_groups),
                active.reason if active is not None else "",
            )
        )
    return Table(columns, rows)


def is_active(queue: ClusterQueue | LocalQueue) -> bool:
    """Whether Kueue last called the queue active."""
    return is_true(queue.status.conditions, "Active")


def local_queues(
    queues: Iterable[LocalQueue], *, now: int, counts: Counts | None = None, namespaces: bool = False
) -> Table:
    """LocalQueues by namespace and name; `namespaces` adds the namespace as first column."""
    columns = (
        Column("NAME"),
        Column("CLUSTERQUEUE"),
        Column("PENDING WORKLOADS"),
        Column("ADMITTED WORKLOADS"),
        Column("AGE"),
        Column("RESERVING WORKLOADS", wide=True),
        Column("ACTIVE", wide=True, is_state=True),
        Column("STOP POLICY", wide=True),
        Column("WEIGHT", wide=True),
        Column("REASON", wide=True),
    )
    rows = []
    for queue in sorted(queues, key=lambda queue: (queue.namespace, queue.name)):
        pending, admitted = _counts(queue.key, queue.status, counts)
        active = find(queue.status.conditions, "Active")
        row = (
            queue.name,
            queue.cluster_queue,
            str(pending),
            str(admitted),
            parts.age(queue.creation, now),
            str(queue.status.reserving),
            parts.status_of(queue.status.conditions, "Active"),
            queue.stop_policy,
            _weight(queue.fair_weight),
            active.reason if active is not None else "",
        )
        rows.append((queue.namespace, *row) if namespaces else row)
    return Table((Column("NAMESPACE"), *columns) if namespaces else columns, rows)


def cohorts(
    named: Mapping[str, Cohort], *, queues: Iterable[ClusterQueue], now: int, names: Iterable[str] | None = None
) -> Table:
    """Cohorts by name, those without an object too (they are only named, and have no age); `names` picks some."""
    members = Counter(queue.cohort for queue in queues if queue.cohort)
    children = Counter(cohort.parent for cohort in named.values() if cohort.parent)
    columns = (
        Column("NAME"),
        Column("PARENT"),
        Column("COHORTS"),
        Column("CLUSTERQUEUES"),
        Column("AGE"),
        Column("WEIGHT", wide=True),
        Column("FLAVORS", wide=True),
        Column("OBJECT", wide=True),
    )
    every = sorted({*named, *members, *children})
    kept = every if names is None else [name for name in every if name in set(names)]
    rows = []
    for name in kept:
        found = named.get(name)
        cohort = found or Cohort(name)
        rows.append(
            (
                name,
                cohort.parent or "",
                str(children[name]),
                str(members[name]),
                parts.age(cohort.creation, now) if found is not None else parts.NONE,
                _weight(cohort.fair_weight),
                _flavors(cohort.resource_groups),
                parts.flag(found is not None),
            )
        )
    return Table(columns, rows)


def _counts(key: str, status: object, counts: Counts | None) -> tuple[int, int]:
    conditions = getattr(status, "conditions", ())
    if not conditions and counts is not None and key in counts:
        return counts[key]
    return getattr(status, "pending", 0), getattr(status, "admitted", 0)


def _weight(weight: float | None) -> str:
    return "1" if weight is None else f"{weight:g}"


def _flavors(groups: tuple[ResourceGroup, ...]) -> str:
    return ",".join(dict.fromkeys(flavor.name for group in groups for flavor in group.flavors))
