"""A queue whose quota is full, a job that waits for it, and as much of Kueue as reacts to evictions.

Three workloads of 2 cpus run in a ClusterQueue of 6 that preempts nobody; `urgent` and `modest` wait for 4 each.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.cluster.fake import FakeServer
from tests.cluster.objects import config_map, core, deployment

Doc = dict[str, Any]
ROOT = "/apis/kueue.x-k8s.io/v1beta2"
WORKLOADS = f"{ROOT}/workloads"
EARLIER = "2026-11-29T11:00:00Z"
NOW = "2026-11-29T12:00:00Z"
VICTIMS = ("run-1", "run-2", "run-3")


def build(fake: FakeServer) -> FakeServer:
    """Fill a server with the scene."""
    resources = [{"name": "cpu", "nominalQuota": "6"}]
    groups = [{"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": resources}]}]
    never = {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}
    spec = {"resourceGroups": groups, "namespaceSelector": {}, "preemption": never}
    fake.put(f"{ROOT}/clusterqueues", _kueue("ClusterQueue", "batch", spec))
    fake.put(f"{ROOT}/resourceflavors", _kueue("ResourceFlavor", "default", {}))
    fake.put(f"{ROOT}/localqueues", _kueue("LocalQueue", "main", {"clusterQueue": "batch"}, namespace="team-a"))
    for name in VICTIMS:
        fake.put(WORKLOADS, holding(name))
    fake.put(WORKLOADS, workload("urgent", 4, priority=100), workload("modest", 4, priority=-5))
    fake.put("/api/v1/namespaces", core("team-a", meta={"labels": {"kubernetes.io/metadata.name": "team-a"}}))
    fake.put("/apis/apps/v1/deployments", deployment())
    configuration = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    fake.put("/api/v1/configmaps", config_map(configuration))
    return fake


def _kueue(kind: str, name: str, spec: Doc, *, namespace: str = "") -> Doc:
    meta: Doc = {"name": name, "uid": f"uid-{name}", "resourceVersion": "5", "generation": 1}
    meta["creationTimestamp"] = EARLIER
    if namespace:
        meta["namespace"] = namespace
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": meta, "spec": spec}


def workload(name: str, cpu: int, *, priority: int = 0, owner: bool = True) -> Doc:
    """A workload of one pod that waits."""
    container = {"name": "c", "image": "trainer", "resources": {"requests": {"cpu": str(cpu)}}}
    pod_set = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    spec = {"queueName": "main", "podSets": [pod_set], "active": True, "priority": priority}
    found = _kueue("Workload", name, spec, namespace="team-a")
    if owner:
        reference = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": f"job-{name}", "controller": True}
        found["metadata"]["ownerReferences"] = [reference]
        found["metadata"]["labels"] = {"kueue.x-k8s.io/job-uid": f"job-{name}"}
    return found


def holding(name: str, *, cpu: int = 2, owner: bool = True) -> Doc:
    """A workload of one pod that runs."""
    found = workload(name, cpu, owner=owner)
    admit(found)
    return found


def admit(found: Doc) -> None:
    """Give a workload its quota, as Kueue does."""
    cpu = found["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"]
    given = {"name": "main", "count": 1, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": cpu}}
    status = found.setdefault("status", {})
    status["admission"] = {"clusterQueue": "batch", "podSetAssignments": [given]}
    for kind in ("QuotaReserved", "Admitted"):
        mark(found, kind, "True", kind)
    for kind in ("Evicted", "Preempted"):
        row = condition(found, kind)
        if row:
            mark(found, kind, "False", "QuotaReserved", f"Previously: {row['message']}")


def mark(found: Doc, kind: str, status: str, reason: str, message: str = "") -> None:
    """Set a condition."""
    rows = found.setdefault("status", {}).setdefault("conditions", [])
    rows[:] = [row for row in rows if row["type"] != kind]
    rows.append({"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": EARLIER})


def condition(found: Doc, kind: str) -> Doc:
    """A condition; empty where there is none."""
    rows = found.get("status", {}).get("conditions") or ()
    return next((row for row in rows if row["type"] == kind), {})


def evictions(fake: FakeServer, name: str) -> int:
    """How often a workload was preempted: once for each stored write of ours that says so."""
    return sum(
        1
        for method, path, after in fake.store.done
        if method == "PATCH"
        and path.endswith(f"/{name}/status")
        and condition(after, "Preempted").get("status") == "True"
        and after["status"].get("admission")
    )


def stored(fake: FakeServer, name: str) -> Doc:
    """A workload as the server has it."""
    return next(one for one in fake.objects[WORKLOADS] if one["metadata"]["name"] == name)  # type: ignore[index,return-value]


class Kueue:
    """Reacts to what is stored, at once: stops evicted jobs, takes their quota, admits who waits by priority.

    `back` are victims that are given quota before all others; `idle` does nothing. `then` is called after each write.
    """

    def __init__(self, fake: FakeServer, *, idle: bool = False, back: tuple[str, ...] = ()) -> None:
        self.fake = fake
        self.idle = idle
        self.back = back
        self.then: Callable[[str, int], None] = lambda path, count: None
        self._answer = fake.store.answer
        self._version = 100_000
        fake.store.answer = self._react  # type: ignore[method-assign]

    def _react(self, method: str, path: str, query: dict[str, str], body: bytes) -> tuple[int, Doc]:
        before = len(self.fake.store.done)
        status, answer = self._answer(method, path, query, body)
        answer = json.loads(json.dumps(answer))
        if len(self.fake.store.done) > before:
            # What was stored is kept as it was: the objects go on changing.
            *head, after = self.fake.store.done[-1]
            self.fake.store.done[-1] = (head[0], head[1], json.loads(json.dumps(after)))
            if not self.idle:
                self.settle()
            self.then(path, len(self.fake.store.done))
        return status, answer

    def settle(self) -> None:
        """Do all that there is to do."""
        rows: list[Doc] = self.fake.objects[WORKLOADS]  # type: ignore[assignment]
        for one in rows:
            self._stop(one)
        for one in sorted(rows, key=lambda one: (one["metadata"]["name"] not in self.back, -one["spec"]["priority"])):
            waits = not one.get("status", {}).get("admission") and one["spec"]["active"]
            name = one["metadata"]["name"]
            is_kept_back = condition(one, "Evicted").get("status") == "True" and name not in self.back
            if waits and not is_kept_back and self._used(rows) + self._cpu(one) <= 6:
                admit(one)
                self._touch(one)

    def _stop(self, one: Doc) -> None:
        status = one.get("status", {})
        if not one["spec"]["active"] and status.get("admission"):
            mark(one, "Evicted", "True", "Deactivated", "The workload is deactivated")
        if not status.get("admission") or condition(one, "Evicted").get("status") != "True":
            return
        if not one["metadata"].get("ownerReferences"):
            return
        status.pop("admission")
        mark(one, "QuotaReserved", "False", "Pending")
        mark(one, "Admitted", "False", "NoReservation")
        self._touch(one)

    def _touch(self, one: Doc) -> None:
        self._version += 1
        one["metadata"]["resourceVersion"] = str(self._version)

    def _used(self, rows: list[Doc]) -> int:
        return sum(self._cpu(one) for one in rows if one.get("status", {}).get("admission") and one["spec"]["active"])

    def _cpu(self, one: Doc) -> int:
        return int(one["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"])
