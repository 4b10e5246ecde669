"""Lists of the small kinds: flavors, topologies, admission checks, priority classes, pods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kueuectl import times
from kueuectl.errors import InputError
from kueuectl.model.conditions import find
from kueuectl.model.flavors import AdmissionCheck, ResourceFlavor, Topology
from kueuectl.model.selectors import Taint, Toleration
from kueuectl.model.state import PriorityClass
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import parts


def resource_flavors(flavors: Iterable[ResourceFlavor], *, now: int) -> Table:
    """ResourceFlavors by name."""
    columns = (
        Column("NAME"),
        Column("NODE LABELS"),
        Column("AGE"),
        Column("TAINTS", wide=True),
        Column("TOLERATIONS", wide=True),
        Column("TOPOLOGY", wide=True),
    )
    rows = [
        (
            flavor.name,
            parts.labels(flavor.node_labels),
            parts.age(flavor.creation, now),
            ", ".join(map(_taint, flavor.node_taints)),
            ", ".join(map(_toleration, flavor.tolerations)),
            flavor.topology or "",
        )
        for flavor in sorted(flavors, key=lambda flavor: flavor.name)
    ]
    return Table(columns, rows)


def _taint(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def _toleration(toleration: Toleration) -> str:
    value = f"={toleration.value}" if toleration.value else ""
    effect = f":{toleration.effect}" if toleration.effect else ""
    return f"{toleration.key}{value}{effect}" or "*"


def topologies(found: Iterable[Topology], *, now: int) -> Table:
    """Topologies by name, with their levels from the widest to the narrowest."""
    columns = (Column("NAME"), Column("LEVELS"), Column("AGE"))
    rows = [
        (topology.name, " > ".join(topology.levels), parts.age(topology.creation, now))
        for topology in sorted(found, key=lambda topology: topology.name)
    ]
    return Table(columns, rows)


def admission_checks(checks: Iterable[AdmissionCheck], *, now: int) -> Table:
    """AdmissionChecks by name."""
    columns = (
        Column("NAME"),
        Column("CONTROLLER"),
        Column("ACTIVE", is_state=True),
        Column("AGE"),
        Column("PARAMETERS", wide=True),
        Column("REASON", wide=True),
    )
    rows = []
    for check in sorted(checks, key=lambda check: check.name):
        active = find(check.conditions, "Active")
        rows.append(
            (
                check.name,
                check.controller,
                parts.status_of(check.conditions, "Active"),
                parts.age(check.creation, now),
                "/".join(check.parameters) if check.parameters else "",
                active.reason if active is not None else "",
            )
        )
    return Table(columns, rows)


def priority_classes(classes: Iterable[PriorityClass], *, now: int) -> Table:
    """WorkloadPriorityClasses, the highest value first."""
    columns = (Column("NAME"), Column("VALUE"), Column("AGE"))
    rows = [
        (found.name, str(found.value), parts.age(found.creation, now))
        for found in sorted(classes, key=lambda found: (-found.value, found.name))
    ]
    return Table(columns, rows)


def pods(items: Iterable[dict[str, Any]], *, now: int, namespaces: bool = False) -> Table:
    """Pods from raw objects, with the columns of kubectl."""
    columns = (
        Column("NAME"),
        Column("READY"),
        Column("STATUS", is_state=True),
        Column("RESTARTS"),
        Column("AGE"),
        Column("IP", wide=True),
        Column("NODE", wide=True),
        Column("NOMINATED NODE", wide=True),
        Column("READINESS GATES", wide=True),
    )
    keyed = sorted(
        [(_text(_meta(item).get("namespace")), _text(_meta(item).get("name")), item) for item in items],
        key=lambda entry: entry[:2],
    )
    rows = []
    for namespace, name, item in keyed:
        row = (name, *_pod_cells(item, now))
        rows.append((namespace, *row) if namespaces else row)
    return Table((Column("NAMESPACE"), *columns) if namespaces else columns, rows)


def _pod_cells(item: dict[str, Any], now: int) -> tuple[str, ...]:
    spec, status = _dict(item.get("spec")), _dict(item.get("status"))
    containers = [entry for entry in _list(status.get("containerStatuses")) if isinstance(entry, dict)]
    ready = sum(bool(entry.get("ready")) for entry in containers)
    total = len(_list(spec.get("containers")))
    restarts = sum(count for entry in containers if isinstance(count := entry.get("restartCount"), int))
    return (
        f"{ready}/{total}",
        _pod_status(item, spec, status, containers=containers),
        str(restarts),
        _age(_meta(item).get("creationTimestamp"), now),
        _text(status.get("podIP")) or parts.NONE,
        _text(spec.get("nodeName")) or parts.NONE,
        _text(status.get("nominatedNodeName")) or parts.NONE,
        _readiness_gates(spec, status),
    )


def _pod_status(
    item: dict[str, Any], spec: dict[str, Any], status: dict[str, Any], *, containers: list[dict[str, Any]]
) -> str:
    """What kubectl shows: the reason why a container waits or ended, gates, the pod's own reason, else its phase."""
    if _meta(item).get("deletionTimestamp"):
        return "Terminating"
    shown = _text(status.get("reason")) or _text(status.get("phase")) or "Unknown"
    if shown == "Pending" and _list(spec.get("schedulingGates")):
        return "SchedulingGated"
    for entry in containers:
        state = _dict(entry.get("state"))
        for phase in ("waiting", "terminated"):
            reason = _text(_dict(state.get(phase)).get("reason"))
            if reason:
                shown = reason
    return shown


def _readiness_gates(spec: dict[str, Any], status: dict[str, Any]) -> str:
    gates = [entry for entry in _list(spec.get("readinessGates")) if isinstance(entry, dict)]
    if not gates:
        return parts.NONE
    wanted = {_text(gate.get("conditionType")) for gate in gates}
    conditions = [entry for entry in _list(status.get("conditions")) if isinstance(entry, dict)]
    true = sum(entry.get("type") in wanted and entry.get("status") == "True" for entry in conditions)
    return f"{true}/{len(gates)}"


def _age(created: object, now: int) -> str:
    if not isinstance(created, str):
        return parts.UNKNOWN
    try:
        return parts.age(times.parse(created), now)
    except InputError:
        return parts.UNKNOWN


def _meta(item: dict[str, Any]) -> dict[str, Any]:
    return _dict(item.get("metadata"))


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
