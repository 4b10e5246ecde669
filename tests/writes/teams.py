"""The two teams with the jobs and pods behind all of their workloads, and with versions: what batches write to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.cluster.fake import FakeServer, Seen

Item = dict[str, Any]
JOBS = "/apis/batch/v1/jobs"
PODS = "/api/v1/pods"
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/workloads"
LOCAL_QUEUES = "/apis/kueue.x-k8s.io/v1beta2/localqueues"


def complete(fake: FakeServer) -> FakeServer:
    """Add what the scene lacks for writing: owners, a second queue, a pod group, resource versions."""
    for name, suspended in (("check", True), ("small", True), ("off", True)):
        fake.put(JOBS, {"metadata": _meta(name), "spec": {"suspend": suspended}})
    fake.put(PODS, {"metadata": {**_meta("lab"), "uid": "uid-lab"}, "spec": {"schedulingGates": [{"name": "gate"}]}})
    fake.put(LOCAL_QUEUES, {"metadata": _meta("other"), "spec": {"clusterQueue": "training"}})
    group = [pod(fake, f"group-{number}") for number in range(2)]
    owners = [{"apiVersion": "v1", "kind": "Pod", "name": name, "uid": f"uid-{name}"} for name in group]
    fake.put(WORKLOADS, waiting("group", owners=owners, queue="lab"))
    for path in (JOBS, PODS, WORKLOADS, LOCAL_QUEUES):
        for number, item in enumerate(fake.objects[path]):
            item["metadata"].setdefault("resourceVersion", str(number + 1))  # type: ignore[attr-defined]
    return fake


def pod(fake: FakeServer, name: str) -> str:
    """A gated pod of the group; its name."""
    labels = {"kueue.x-k8s.io/pod-group-name": "group"}
    fake.put(PODS, {"metadata": {**_meta(name), "labels": labels}, "spec": {"schedulingGates": [{"name": "gate"}]}})
    return name


def waiting(name: str, *, owners: list[Item] | None = None, queue: str = "train", cpu: str = "1") -> Item:
    """A Workload of one pod that nobody has looked at yet."""
    requests = {"cpu": cpu, "memory": "1Gi"}
    container = {"name": "c", "image": "none", "resources": {"requests": requests}}
    template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {**_meta(name), "labels": {"batch": "yes"}, "ownerReferences": owners or []},
        "spec": {"active": True, "queueName": queue, "podSets": [{"name": "main", "count": 1, "template": template}]},
        "status": {},
    }


def _meta(name: str) -> Item:
    return {
        "name": name,
        "namespace": "team-a",
        "uid": f"uid-{name}",
        "creationTimestamp": "2026-11-29T11:30:00Z",
        "resourceVersion": "1",
    }


def stored(fake: FakeServer, path: str, name: str) -> Item:
    """An object as it is stored now."""
    return next(one for one in fake.objects[path] if one["metadata"]["name"] == name)  # type: ignore[index,return-value]


def names(fake: FakeServer, path: str) -> set[str]:
    """Names of what is there."""
    return {one["metadata"]["name"] for one in fake.objects[path]}  # type: ignore[index]


def sent(fake: FakeServer, method: str, *, trial: bool = False) -> list[Seen]:
    """The requests that write, or those that only try."""
    return [seen for seen in fake.seen if seen.method == method and (seen.query.get("dryRun") == "All") == trial]


def before_write(fake: FakeServer, name: str, change: Callable[[Item], None], *, path: str = WORKLOADS) -> None:
    """Have somebody change an object once, just before the first write that is meant."""
    answer = fake.answer
    done: list[str] = []

    def changing(method: str, target: str, query: dict[str, str], body: bytes) -> tuple[int, bytes]:
        if method in ("PATCH", "DELETE") and "dryRun" not in query and not done:
            done.append(target)
            item = stored(fake, path, name)
            change(item)
            item["metadata"]["resourceVersion"] = "777"
            fake._encoded.clear()
        return answer(method, target, query, body)

    fake.answer = changing  # type: ignore[method-assign]
