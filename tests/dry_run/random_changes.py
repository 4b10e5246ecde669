"""Random changes to random clusters: as a user would give them, and as what they make of the objects.

Both are written down apart: the oracle gets changed objects, kueuectl the unchanged ones and the change.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any, NamedTuple

Doc = dict[str, Any]


class Change(NamedTuple):
    """Arguments of `kueuectl dry-run`, and the objects after the change."""

    arguments: list[str]
    objects: list[Doc]


def change(chance: random.Random, case: Doc, *, count: int = 1) -> Change:
    """So many random changes to the objects of a case, all at once."""
    objects = copy.deepcopy(case["objects"])
    arguments: list[str] = []
    while count:
        made = chance.choice(_KINDS)(chance, objects)
        if made:
            arguments += made
            count -= 1
    return Change(arguments, controlled(objects, case["now"]))


def _of(objects: list[Doc], kind: str) -> list[Doc]:
    return [entry for entry in objects if entry["kind"] == kind]


def _queue(chance: random.Random, objects: list[Doc]) -> tuple[str, Doc]:
    found = chance.choice(_of(objects, "ClusterQueue"))
    return f"clusterqueue/{found['metadata']['name']}", found["spec"]


def _workload(chance: random.Random, objects: list[Doc]) -> tuple[str, Doc] | None:
    found = _of(objects, "Workload")
    if not found:
        return None
    one = chance.choice(found)
    return f"workload/{one['metadata']['namespace']}/{one['metadata']['name']}", one


def _quota(chance: random.Random, objects: list[Doc]) -> list[str]:
    name, spec = _queue(chance, objects)
    row = chance.choice([row for group in spec["resourceGroups"] for row in group["flavors"]])
    entry = chance.choice(row["resources"])
    suffix = "Gi" if entry["name"] in ("memory", "ephemeral-storage") else ""
    part = f"{name}:{row['name']}/{entry['name']}"
    value = f"{chance.choice((0, 3, 8, 15, 30, 80))}{suffix}"
    entry["nominalQuota"] = value
    arguments = ["--set", f"{part}.nominal={value}"]
    if entry.pop("lendingLimit", None) is not None:
        arguments += ["--set", f"{part}.lending-limit=none"]
    return arguments


def _borrowing(chance: random.Random, objects: list[Doc]) -> list[str]:
    name, spec = _queue(chance, objects)
    if not spec.get("cohortName"):
        return []
    row = chance.choice([row for group in spec["resourceGroups"] for row in group["flavors"]])
    entry = chance.choice(row["resources"])
    suffix = "Gi" if entry["name"] in ("memory", "ephemeral-storage") else ""
    value = chance.choice((None, f"0{suffix}", f"5{suffix}"))
    entry.pop("borrowingLimit", None)
    if value is not None:
        entry["borrowingLimit"] = value
    return ["--set", f"{name}:{row['name']}/{entry['name']}.borrowing-limit={value or 'none'}"]


def _weight(chance: random.Random, objects: list[Doc]) -> list[str]:
    name, spec = _queue(chance, objects)
    value = chance.choice(("0", "0.5", "3"))
    spec["fairSharing"] = {"weight": value}
    return ["--set", f"{name}:weight={value}"]


def _cohort(chance: random.Random, objects: list[Doc]) -> list[str]:
    names = sorted({entry["spec"].get("cohortName") or "" for entry in _of(objects, "ClusterQueue")} - {""})
    if not names:
        return []
    name, spec = _queue(chance, objects)
    spec["cohortName"] = chance.choice(names)
    return ["--set", f"{name}:cohort={spec['cohortName']}"]


def _parent(chance: random.Random, objects: list[Doc]) -> list[str]:
    found = [entry for entry in _of(objects, "Cohort") if entry["spec"].get("parentName")]
    plain = [entry for entry in found if "Limit" not in str(entry["spec"])]
    if not plain:
        return []
    one = chance.choice(plain)
    del one["spec"]["parentName"]
    return ["--set", f"cohort/{one['metadata']['name']}:parent=none"]


def _policies(chance: random.Random, objects: list[Doc]) -> list[str]:
    name, spec = _queue(chance, objects)
    reclaim = chance.choice(("Never", "LowerPriority", "Any"))
    within = chance.choice(("Never", "LowerPriority", "LowerOrNewerEqualPriority"))
    spec["preemption"] = {
        "reclaimWithinCohort": reclaim,
        "withinClusterQueue": within,
        "borrowWithinCohort": {"policy": "Never"},
    }
    fields = (
        f"reclaim-within-cohort={reclaim}",
        f"within-cluster-queue={within}",
        "borrow-within-cohort=Never",
        "max-priority-threshold=none",
    )
    return [part for field in fields for part in ("--set", f"{name}:{field}")]


def _strategy(chance: random.Random, objects: list[Doc]) -> list[str]:
    name, spec = _queue(chance, objects)
    spec["queueingStrategy"] = chance.choice(("StrictFIFO", "BestEffortFIFO"))
    return ["--set", f"{name}:strategy={spec['queueingStrategy']}"]


def _stop(chance: random.Random, objects: list[Doc]) -> list[str]:
    name, spec = _queue(chance, objects)
    spec["stopPolicy"] = chance.choice(("None", "Hold", "HoldAndDrain"))
    return ["--set", f"{name}:stop-policy={spec['stopPolicy']}"]


def _priority(chance: random.Random, objects: list[Doc]) -> list[str]:
    found = _workload(chance, objects)
    if found is None:
        return []
    found[1]["spec"]["priority"] = chance.choice((-500, 0, 500, 20_000))
    return ["--set", f"{found[0]}:priority={found[1]['spec']['priority']}"]


def _active(chance: random.Random, objects: list[Doc]) -> list[str]:
    found = _workload(chance, objects)
    if found is None:
        return []
    spec = found[1]["spec"]
    spec["active"] = not spec.get("active", True)
    return ["--set", f"{found[0]}:active={str(spec['active']).lower()}"]


def _count(chance: random.Random, objects: list[Doc]) -> list[str]:
    found = _workload(chance, objects)
    if found is None or found[1].get("status"):
        return []
    pod_set = chance.choice(found[1]["spec"]["podSets"])
    pod_set["count"] = chance.randint(max(1, pod_set.get("minCount", 1)), 9)
    return ["--set", f"{found[0]}:{pod_set['name']}.count={pod_set['count']}"]


def _delete(chance: random.Random, objects: list[Doc]) -> list[str]:
    found = _workload(chance, objects)
    if found is None:
        return []
    objects.remove(found[1])
    return ["--delete", found[0]]


_KINDS: tuple[Callable[[random.Random, list[Doc]], list[str]], ...] = (
    _quota,
    _quota,
    _quota,
    _borrowing,
    _weight,
    _cohort,
    _parent,
    _policies,
    _strategy,
    _stop,
    _priority,
    _active,
    _count,
    _delete,
)


def controlled(objects: list[Doc], now: str) -> list[Doc]:
    """The objects with what Kueue's controllers write before the scheduler goes on: the oracle runs that alone.

    HoldAndDrain evicts, and a backoff that is over ends.
    """
    stopped = {
        entry["metadata"]["name"]
        for entry in _of(objects, "ClusterQueue")
        if entry["spec"].get("stopPolicy") == "HoldAndDrain"
    }
    for workload in _of(objects, "Workload"):
        status = workload.get("status") or {}
        queue = (status.get("admission") or {}).get("clusterQueue")
        conditions = status.get("conditions") or []
        is_evicted = any(entry["type"] == "Evicted" and entry["status"] == "True" for entry in conditions)
        is_active = workload["spec"].get("active", True)
        if queue in stopped and is_active and not is_evicted:
            conditions.append(_condition("Evicted", "True", "ClusterQueueStopped", now))
        if is_active and (status.get("requeueState") or {}).get("requeueAt", "") <= now:
            for entry in conditions:
                if entry["type"] == "Requeued" and entry["reason"] not in ("ClusterQueueStopped", "LocalQueueStopped"):
                    entry["status"] = "True"
    return objects


def _condition(kind: str, status: str, reason: str, now: str) -> Doc:
    return {"type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": now}
