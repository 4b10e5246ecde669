"""The columns that Kueue's CRDs give to `get`, for objects that no server printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kueuectl import times
from kueuectl.errors import KueuectlError
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import parts

Item = Mapping[str, Any]
_AGE = "age"
# By kind: title, where its value is (the first that is there counts), whether only -o wide shows it.
_COLUMNS: Mapping[str, tuple[tuple[str, tuple[str, ...], bool], ...]] = {
    "ClusterQueue": (
        ("COHORT", ("spec.cohortName", "spec.cohort"), False),
        ("STRATEGY", ("spec.queueingStrategy",), True),
        ("PENDING WORKLOADS", ("status.pendingWorkloads",), False),
        ("ADMITTED WORKLOADS", ("status.admittedWorkloads",), True),
    ),
    "LocalQueue": (
        ("CLUSTERQUEUE", ("spec.clusterQueue",), False),
        ("PENDING WORKLOADS", ("status.pendingWorkloads",), False),
        ("ADMITTED WORKLOADS", ("status.admittedWorkloads",), False),
    ),
    "Workload": (
        ("QUEUE", ("spec.queueName",), False),
        ("RESERVED IN", ("status.admission.clusterQueue",), False),
        ("ADMITTED", ("condition Admitted",), False),
        ("FINISHED", ("condition Finished",), False),
        ("AGE", (_AGE,), False),
    ),
    "WorkloadPriorityClass": (("VALUE", ("value",), False),),
}
_OTHERS = (("AGE", (_AGE,), False),)


def table(items: Iterable[Item], *, kind: str, now: int) -> Table:
    """A row for each object: its name, then the columns of its kind."""
    chosen = _COLUMNS.get(kind, _OTHERS)
    columns = (Column("NAME"), *(Column(title, wide=wide) for title, _, wide in chosen))
    rows = [(_name(item), *(_cell(item, paths, now) for _, paths, _ in chosen)) for item in items]
    return Table(columns, rows)


def _name(item: Item) -> str:
    return str(_at(item, "metadata.name") or "")


def _cell(item: Item, paths: tuple[str, ...], now: int) -> str:
    for path in paths:
        if path == _AGE:
            return age(_at(item, "metadata.creationTimestamp"), now)
        value = _condition(item, path.split()[1]) if path.startswith("condition ") else _at(item, path)
        if value is not None:
            return str(value)
    return ""


def age(created: object, now: int) -> str:
    """How long ago an RFC 3339 time was."""
    try:
        return parts.age(times.parse(created) if isinstance(created, str) else None, now)
    except KueuectlError:
        return parts.UNKNOWN


def _condition(item: Item, kind: str) -> Any:
    rows = _at(item, "status.conditions")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and row.get("type") == kind:
            return row.get("status")
    return None


def _at(item: Any, path: str) -> Any:
    for key in path.split("."):
        if not isinstance(item, dict):
            return None
        item = item.get(key)
    return item
