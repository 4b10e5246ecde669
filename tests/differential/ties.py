"""Clusters on which Kueue itself draws lots: small ones, made by hand.

1. Two sibling cohorts with the same share: whose workload is preempted first depends on the order of a Go map.
2. Two heads of different queues with equal priority and creation second: whoever comes first takes the last quota.
"""

from __future__ import annotations

from typing import Any

Doc = dict[str, Any]
API = "kueue.x-k8s.io/v1beta2"
NOW = "2026-03-02T09:00:00Z"
SOONER = "2026-03-02T07:00:00Z"


def cases() -> list[Doc]:
    """The clusters, as lines of the oracle's input."""
    borrowers = [_held(f"{queue}-job-{n}", queue, minute=n) for queue in ("left", "right") for n in range(4)]
    equal_shares = [
        _cohort("root"),
        _cohort("left-side", "root"),
        _cohort("right-side", "root"),
        *_queue("lender", "root", 4, reclaim="Any"),
        *_queue("left", "left-side", 2),
        *_queue("right", "right-side", 2),
        *borrowers,
        _job("wants", "lender"),
    ]
    equal_ages = [*_queue("spare", "root", 1), *_queue("left", "root", 0), *_queue("right", "root", 0)]
    equal_ages += [_job("left-job", "left"), _job("right-job", "right")]
    return [
        _case("equal-shares", equal_shares, fair=True),
        _case("equal-ages", equal_ages, fair=False),
        _case("equal-ages-fair", equal_ages, fair=True),
    ]


def _case(name: str, objects: list[Doc], *, fair: bool) -> Doc:
    namespace = _object("Namespace", "team", None, version="v1", labels={"kubernetes.io/metadata.name": "team"})
    flavor = _object("ResourceFlavor", "default", {})
    given = {"fairSharing": fair, "featureGates": {}}
    return {"id": f"ties/{name}", "now": NOW, "given": given, "objects": [namespace, flavor, *objects]}


def _object(kind: str, name: str, spec: Doc | None, *, version: str = API, **metadata: Any) -> Doc:
    found: Doc = {"apiVersion": version, "kind": kind, "metadata": {"name": name, "uid": f"{kind}-{name}", **metadata}}
    return found if spec is None else {**found, "spec": spec}


def _cohort(name: str, parent: str | None = None) -> Doc:
    return _object("Cohort", name, {} if parent is None else {"parentName": parent})


def _queue(name: str, cohort: str, cpus: int, *, reclaim: str = "Never") -> list[Doc]:
    flavors = [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": str(cpus)}]}]
    spec = {
        "cohortName": cohort,
        "namespaceSelector": {},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": flavors}],
        "preemption": {"reclaimWithinCohort": reclaim},
    }
    local = _object("LocalQueue", name, {"clusterQueue": name}, namespace="team")
    return [_object("ClusterQueue", name, spec), local]


def _job(name: str, queue: str) -> Doc:
    container = {"name": "main", "image": "example.com/image", "resources": {"requests": {"cpu": "1"}}}
    template = {"metadata": {}, "spec": {"containers": [container], "restartPolicy": "Never"}}
    spec = {"queueName": queue, "podSets": [{"name": "main", "count": 1, "template": template}], "priority": 0}
    return _object("Workload", name, spec, namespace="team", creationTimestamp=SOONER, generation=1)


def _held(name: str, queue: str, *, minute: int) -> Doc:
    at = f"2026-03-02T08:{minute:02d}:{30 * (queue == 'left'):02d}Z"
    assigned = {"name": "main", "count": 1, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": "1"}}
    conditions = [
        {"type": kind, "status": "True", "reason": kind, "message": kind, "lastTransitionTime": at}
        for kind in ("QuotaReserved", "Admitted")
    ]
    admission = {"clusterQueue": queue, "podSetAssignments": [assigned]}
    return {**_job(name, queue), "status": {"admission": admission, "conditions": conditions}}
