"""A small sound cluster as manifests, and changes to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kueuectl.analysis.lint import run
from kueuectl.analysis.lint.run import Report
from kueuectl.analysis.lint.scene import Origin
from kueuectl.api import configuration, objects
from kueuectl.model.settings import Settings

Doc = dict[str, Any]
KUEUE = "kueue.x-k8s.io/v1beta2"


def doc(kind: str, name: str, *, namespace: str = "", api: str = KUEUE, labels: Any = None, **fields: Any) -> Doc:
    metadata = {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        **({"labels": labels} if labels else {}),
    }
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


def group(flavors: dict[str, dict[str, Any]]) -> Doc:
    """A resource group: flavor to resource to a quantity, or to a map of nominalQuota and limits."""
    covered = list(next(iter(flavors.values())))
    rows = [
        {
            "name": name,
            "resources": [
                {"name": resource, **(value if isinstance(value, dict) else {"nominalQuota": value})}
                for resource, value in quotas.items()
            ],
        }
        for name, quotas in flavors.items()
    ]
    return {"coveredResources": covered, "flavors": rows}


def queue(name: str, *groups: dict[str, dict[str, Any]], **spec: Any) -> Doc:
    spec = {"namespaceSelector": {}, "resourceGroups": [group(each) for each in groups], **spec}
    return doc("ClusterQueue", name, spec={key: value for key, value in spec.items() if value is not None})


def cohort(name: str, *groups: dict[str, dict[str, Any]], **spec: Any) -> Doc:
    return doc("Cohort", name, spec={"resourceGroups": [group(each) for each in groups], **spec})


def door(name: str, to: str, *, namespace: str = "team-a", **spec: Any) -> Doc:
    return doc("LocalQueue", name, namespace=namespace, spec={"clusterQueue": to, **spec})


def flavor(name: str, **spec: Any) -> Doc:
    return doc("ResourceFlavor", name, spec=spec)


def node(name: str, labels: dict[str, str] | None = None, *, taints: Any = (), **allocatable: str) -> Doc:
    """Keys of allocatable: cpu, memory; gpu is nvidia.com/gpu."""
    sizes = {"nvidia.com/gpu" if key == "gpu" else key: value for key, value in allocatable.items()}
    ready = [{"type": "Ready", "status": "True"}]
    return doc(
        "Node",
        name,
        api="v1",
        labels={"kubernetes.io/hostname": name, **(labels or {})},
        spec={"taints": list(taints)},
        status={"allocatable": sizes or {"cpu": "16", "memory": "64Gi"}, "conditions": ready},
    )


def namespace(name: str, **labels: str) -> Doc:
    return doc("Namespace", name, api="v1", labels=labels)


def check(name: str, controller: str = "example.com/check", *, active: str = "True") -> Doc:
    condition = {"type": "Active", "status": active, "reason": "Active"}
    return doc("AdmissionCheck", name, spec={"controllerName": controller}, status={"conditions": [condition]})


def workload(name: str, to: str, *, count: int = 1, namespace: str = "team-a", at: int = 0, **requests: str) -> Doc:
    """Requests: cpu, memory, gpu, storage (ephemeral-storage)."""
    names = {"gpu": "nvidia.com/gpu", "storage": "ephemeral-storage"}
    asked = {names.get(key, key): value for key, value in requests.items()}
    pod = {"spec": {"containers": [{"name": "c", "resources": {"requests": asked}}]}}
    found = doc("Workload", name, namespace=namespace)
    found["metadata"] |= {"uid": f"uid-{name}", "creationTimestamp": f"2026-10-05T10:00:{at:02d}Z"}
    found["spec"] = {"queueName": to, "podSets": [{"name": "main", "count": count, "template": pod}]}
    return found


SOUND: tuple[Doc, ...] = (
    namespace("team-a", team="a"),
    flavor("std", nodeLabels={"pool": "std"}),
    node("n-0", {"pool": "std"}),
    node("n-1", {"pool": "std"}),
    queue("one", {"std": {"cpu": "8", "memory": "32Gi"}}, cohortName="all"),
    queue("two", {"std": {"cpu": "8", "memory": "32Gi"}}, cohortName="all"),
    door("one", "one"),
    door("two", "two"),
    cohort("all"),
    workload("small", "one", cpu="2", memory="4Gi"),
)


def with_changes(changes: Iterable[Doc], *, without: Iterable[str] = ()) -> list[Doc]:
    """The sound cluster with objects added or replaced, and without all objects of some kinds."""
    key = lambda found: (found["kind"], found["metadata"].get("namespace"), found["metadata"]["name"])  # noqa: E731
    docs = {key(found): found for found in (*SOUND, *changes)}
    return [found for found in docs.values() if found["kind"] not in set(without)]


def settings(**config: Any) -> Settings:
    found = {"apiVersion": configuration.V1BETA2, "kind": "Configuration", **config}
    return configuration.read(found).settings


def judge(
    docs: Iterable[Doc], *, config: dict[str, Any] | None = None, origin: Origin = Origin.DUMP, strict: bool = True
) -> Report:
    """The report on objects."""
    state = objects.decode_state([("test.yaml", found) for found in docs], strict=strict)
    return run.judge(state, settings(**(config or {})), origin=origin)


def found(report: Report) -> set[tuple[str, str, str]]:
    """(code, object, field path) of all findings."""
    return {(str(each.code), f"{each.subject.kind} {each.subject.key}", each.path) for each in report.findings}
