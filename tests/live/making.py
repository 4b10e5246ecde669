"""Objects and steps of the prediction scenarios, written short.

A "~" anywhere in a name becomes the scenario's own prefix, so that scenarios live beside each other in one cluster.
Each ClusterQueue has a LocalQueue of the same name; the flavors and priority classes are shared by all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.live.scene import ROOT

Body = dict[str, Any]
# Nominal quota of cpu, then the borrowing and the lending limit; None is no limit.
Quota = int | tuple[int, int | None] | tuple[int, int | None, int | None]

PRIORITIES = {"low": -10, "mid": 100, "high": 1000}
# Collections by kind; {} is the namespace.
_PATHS = {
    "Namespace": "/api/v1/namespaces",
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
    "LocalQueue": f"{ROOT}/namespaces/{{}}/localqueues",
    "Workload": f"{ROOT}/namespaces/{{}}/workloads",
    "ClusterQueue": f"{ROOT}/clusterqueues",
    "Cohort": f"{ROOT}/cohorts",
    "ResourceFlavor": f"{ROOT}/resourceflavors",
    "AdmissionCheck": f"{ROOT}/admissionchecks",
    "WorkloadPriorityClass": f"{ROOT}/workloadpriorityclasses",
}


def path(kind: str, namespace: str, name: str = "") -> str:
    """The path of a collection, or of an object in it."""
    return _PATHS[kind].format(namespace) + (f"/{name}" if name else "")


@dataclass(frozen=True)
class Step:
    """One request. `body` is the object, a JSON patch (list), a merge patch (dict), or conditions for `evict`.

    The workload of a Job is named `job:NAME`.
    """

    verb: str
    kind: str
    name: str
    body: Any = None


def made(*objects: Body | tuple[Body, ...]) -> tuple[Step, ...]:
    """Steps that create objects."""
    flat = [one for found in objects for one in (found if isinstance(found, tuple) else (found,))]
    return tuple(Step("create", one["kind"], one["metadata"]["name"], one) for one in flat)


def patched(kind: str, name: str, body: Body | list[Body]) -> tuple[Step, ...]:
    """One step that changes an object."""
    return (Step("patch", kind, name, body),)


def gone(kind: str, name: str) -> tuple[Step, ...]:
    """One step that deletes an object."""
    return (Step("delete", kind, name),)


def evicted(*jobs: str) -> tuple[Step, ...]:
    """Evictions as the tool means them: the conditions of a preemption."""
    return tuple(Step("evict", "Workload", f"job:{name}") for name in jobs)


def kueue(kind: str, name: str, spec: Body | None = None) -> Body:
    """An object of Kueue."""
    head: Body = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}}
    return head if spec is None else head | {"spec": spec}


def group(flavors: Mapping[str, Quota]) -> Body:
    """A resource group of cpu."""
    rows = [{"name": name, "resources": [_quota(quota)]} for name, quota in flavors.items()]
    return {"coveredResources": ["cpu"], "flavors": rows}


def _quota(quota: Quota) -> Body:
    nominal, borrowing, lending = (*((quota,) if isinstance(quota, int) else quota), None, None)[:3]
    row: Body = {"name": "cpu", "nominalQuota": str(nominal)}
    if borrowing is not None:
        row["borrowingLimit"] = str(borrowing)
    if lending is not None:
        row["lendingLimit"] = str(lending)
    return row


def queue(
    name: str,
    quota: Quota | Mapping[str, Quota] = 4,
    *,
    cohort: str = "~",
    preemption: Body | None = None,
    weight: str = "",
    **spec: Any,
) -> tuple[Body, ...]:
    """A ClusterQueue ~-NAME and its LocalQueue; one number is a quota of the flavor `default`."""
    flavors = quota if isinstance(quota, Mapping) else {"default": quota}
    body: Body = {"namespaceSelector": {}, "resourceGroups": [group(flavors)], **spec}
    if cohort:
        body["cohortName"] = cohort
    if preemption:
        body["preemption"] = preemption
    if weight:
        body["fairSharing"] = {"weight": weight}
    local = kueue("LocalQueue", name, {"clusterQueue": f"~-{name}"})
    return kueue("ClusterQueue", f"~-{name}", body), local


def cohort(name: str, *, parent: str = "", quota: Quota | None = None, weight: str = "") -> Body:
    """A Cohort."""
    spec: Body = {}
    if parent:
        spec["parentName"] = parent
    if quota is not None:
        spec["resourceGroups"] = [group({"default": quota})]
    if weight:
        spec["fairSharing"] = {"weight": weight}
    return kueue("Cohort", name, spec)


def job(
    name: str, queue_name: str, cpu: int, *, pods: int = 1, least: int = 0, priority: str = "", **template: Any
) -> Body:
    """A Job whose pods ask for so many cpus each; `least` pods are enough where it may be admitted in part."""
    labels = {"kueue.x-k8s.io/queue-name": queue_name}
    if priority:
        labels["kueue.x-k8s.io/priority-class"] = priority
    container = {"name": "c", "image": "trainer", "resources": {"requests": {"cpu": str(cpu)}}}
    pod = {"restartPolicy": "Never", "containers": [container], **template}
    meta: Body = {"name": name, "labels": labels}
    if least:
        meta["annotations"] = {"kueue.x-k8s.io/job-min-parallelism": str(least)}
    spec = {"parallelism": pods, "completions": pods, "template": {"spec": pod}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}


def workload(name: str, queue_name: str, cpu: int, *, pods: int = 1, **spec: Any) -> Body:
    """A Workload without an owner."""
    container = {"name": "c", "image": "trainer", "resources": {"requests": {"cpu": str(cpu)}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    pod_set = {"name": "main", "count": pods, "template": template}
    return kueue("Workload", name, {"queueName": queue_name, "podSets": [pod_set], **spec})


def shared() -> tuple[Body, ...]:
    """What all scenarios use: three flavors and three priority classes."""
    taint = {"key": "spot", "value": "yes", "effect": "NoSchedule"}
    return (
        kueue("ResourceFlavor", "default"),
        kueue("ResourceFlavor", "reserved", {"nodeLabels": {"pool": "reserved"}}),
        kueue("ResourceFlavor", "spot", {"nodeLabels": {"pool": "spot"}, "nodeTaints": [taint]}),
        *(kueue("WorkloadPriorityClass", name) | {"value": value} for name, value in PRIORITIES.items()),
    )
