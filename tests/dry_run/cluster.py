"""A small cluster for tests, as manifests: two teams in a cohort, one flavor, jobs of 1 to 8 GPUs."""

from __future__ import annotations

from typing import Any

from kueuectl import times
from kueuectl.api.objects import decode_state
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState

Doc = dict[str, Any]
API = "kueue.x-k8s.io/v1beta2"
NOW = times.parse("2026-11-29T12:00:00Z")
SETTINGS = Settings()
GPU = "example.com/gpu"
QUOTA = f"default/{GPU}"


def flavor(name: str = "default") -> Doc:
    """A flavor without labels."""
    return {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": {}}


def queue(
    name: str,
    nominal: int,
    *,
    cohort: str | None = "all",
    flavors: tuple[str, ...] = ("default",),
    reclaim: str = "Any",
    within: str = "LowerPriority",
    **spec: Any,
) -> list[Doc]:
    """A ClusterQueue with its namespace and a LocalQueue `main` in it."""
    quotas = [{"name": entry, "resources": [{"name": GPU, "nominalQuota": nominal}]} for entry in flavors]
    whole: Doc = {
        "namespaceSelector": {},
        "resourceGroups": [{"coveredResources": [GPU], "flavors": quotas}],
        "preemption": {"reclaimWithinCohort": reclaim, "withinClusterQueue": within},
        **spec,
    }
    if cohort is not None:
        whole["cohortName"] = cohort
    return [
        {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": whole},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
        {
            "apiVersion": API,
            "kind": "LocalQueue",
            "metadata": {"name": "main", "namespace": name},
            "spec": {"clusterQueue": name},
        },
    ]


def workload(
    namespace: str,
    name: str,
    gpus: int,
    *,
    held: str | None = None,
    priority: int = 0,
    minute: int = 0,
    least: int | None = None,
) -> Doc:
    """A workload of one pod for each GPU; `held` names the flavor that it runs on, None: it waits."""
    pod_set: Doc = {
        "name": "main",
        "count": gpus,
        "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": {GPU: "1"}}}]}},
    }
    if least is not None:
        pod_set["minCount"] = least
    doc: Doc = {
        "apiVersion": API,
        "kind": "Workload",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{name}",
            "creationTimestamp": f"2026-11-29T08:{minute:02}:00Z",
        },
        "spec": {"queueName": "main", "priority": priority, "podSets": [pod_set]},
    }
    if held is not None:
        assignment = {"name": "main", "count": gpus, "flavors": {GPU: held}, "resourceUsage": {GPU: str(gpus)}}
        since = f"2026-11-29T08:{minute:02}:30Z"
        doc["status"] = {
            "admission": {"clusterQueue": namespace, "podSetAssignments": [assignment]},
            "conditions": [
                {"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": since}
                for kind in ("QuotaReserved", "Admitted")
            ],
        }
    return doc


def state(*parts: Doc | list[Doc]) -> ClusterState:
    """The state of some objects, with the flavor default unless there is one."""
    docs = [doc for part in parts for doc in (part if isinstance(part, list) else [part])]
    if not any(doc["kind"] == "ResourceFlavor" for doc in docs):
        docs.insert(0, flavor())
    return decode_state([("test", doc) for doc in docs])
