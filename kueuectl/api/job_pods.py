"""The pod sets of each kind of job: names, counts, templates, what they ask of topology.

What Kueue counts (docs: Run workloads; KEP-369, job interface):

- Job: `main`, as many pods as run at once: parallelism, or completions where those are fewer. The annotation
  kueue.x-k8s.io/job-min-parallelism allows fewer (KEP-420).
- JobSet: one pod set for each replicated job, replicas times that.
- RayCluster, RayService, RayJob: `head`, then the worker groups by their names, replicas times hosts; a RayJob that is
  submitted by a job has a `submitter` besides.
- Kubeflow's jobs and MPIJob: one for each replica type, in the order of their roles.
- Pod: `main`; pods of a group together, alike ones in one pod set. Deployment: a Workload for each pod. StatefulSet:
  one for all pods. LeaderWorkerSet: one for each group, `leader` and `worker` or `main`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from kueuectl.api import faults
from kueuectl.api.validation import schema
from kueuectl.errors import InputError

Doc = Mapping[str, Any]

MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"
GROUP_LABEL = "kueue.x-k8s.io/pod-group-name"
GROUP_TOTAL = "kueue.x-k8s.io/pod-group-total-count"
GROUP_FAST = "kueue.x-k8s.io/pod-group-fast-admission"
_COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
_JOB_INDEX = "jobset.sigs.k8s.io/job-index"
_REPLICA_INDEX = "training.kubeflow.org/replica-index"
_POD_INDEX = "kueue.x-k8s.io/pod-group-pod-index"
_WORKER_INDEX = "leaderworkerset.sigs.k8s.io/worker-index"
# What KubeRay gives to the pod that submits, where the RayJob has no template for it.
_SUBMITTER = {
    "spec": {
        "containers": [
            {
                "name": "ray-job-submitter",
                "resources": {
                    "limits": {"cpu": "1", "memory": "1Gi"},
                    "requests": {"cpu": "500m", "memory": "200Mi"},
                },
            }
        ],
        "restartPolicy": "Never",
    }
}
# Annotations of a pod template that ask for topology, and the fields that they become.
_TOPOLOGY = {
    "kueue.x-k8s.io/podset-required-topology": "required",
    "kueue.x-k8s.io/podset-preferred-topology": "preferred",
    "kueue.x-k8s.io/podset-group-name": "podSetGroupName",
    "kueue.x-k8s.io/podset-slice-required-topology": "podSetSliceRequiredTopology",
}
_UNCONSTRAINED = "kueue.x-k8s.io/podset-unconstrained-topology"
_SLICE_SIZE = "kueue.x-k8s.io/podset-slice-size"
_MAX_COUNT = 2**31 - 1
# More Workloads than anybody means to submit with one manifest.
_MAX_WORKLOADS = 5_000


@dataclass(slots=True)
class Part:
    """One Workload of a job: its pod sets, the PriorityClass of the first of them that names one, what was assumed."""

    pod_sets: list[dict[str, Any]]
    suffix: str = ""
    notes: tuple[str, ...] = ()
    priority_class: str = field(init=False, default="")

    def __post_init__(self) -> None:
        names = (pod_set["template"]["spec"].get("priorityClassName") for pod_set in self.pod_sets)
        self.priority_class = str(next(filter(None, names), ""))


class Rendering(NamedTuple):
    """How a kind becomes Workloads: `pods` takes all members (more than one only for a group of pods)."""

    pods: Callable[[list[Doc]], list[Part]]
    priority_class: Callable[[Doc], str] = lambda doc: ""


def pod_group(doc: Doc) -> str:
    """The group that a Pod belongs to; "" for other kinds and single pods."""
    if doc.get("kind") != "Pod":
        return ""
    metadata = _map(doc, "metadata", "")
    return str(_map(metadata, "labels", "metadata").get(GROUP_LABEL) or "")


def _wrong(path: str, problem: str) -> InputError:
    """The error for a field; whoever renders adds the source and the object."""
    return InputError(problem, path=path)


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _map(owner: Doc, name: str, path: str) -> dict[str, Any]:
    """A block that may be missing."""
    found = owner.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise _wrong(_at(path, name), f"expected a map, found {faults.describe(found)}")
    return found


def _list(owner: Doc, name: str, path: str) -> list[dict[str, Any]]:
    found = owner.get(name)
    if found is None:
        return []
    if not isinstance(found, list):
        raise _wrong(f"{path}.{name}", f"expected a list, found {faults.describe(found)}")
    for index, entry in enumerate(found):
        if not isinstance(entry, dict):
            raise _wrong(f"{path}.{name}[{index}]", f"expected a map, found {faults.describe(entry)}")
    return found


def _number(owner: Doc, name: str, path: str, *, default: int | None = 1) -> int:
    found = owner.get(name)
    if found is None and default is not None:
        return default
    if isinstance(found, bool) or not isinstance(found, int):
        raise _wrong(f"{path}.{name}", f"expected an integer, found {faults.describe(found)}")
    if not 0 <= found <= _MAX_COUNT:
        raise _wrong(f"{path}.{name}", f"{found} is not between 0 and {_MAX_COUNT}")
    return found


def _spec(doc: Doc) -> dict[str, Any]:
    return _map(doc, "spec", "")


def _pod_set(
    name: str, count: int, template: Any, path: str, *, index_label: str = "", sub_groups: tuple[str, int] | None = None
) -> dict[str, Any]:
    """A pod set of a Workload; the pod spec is checked where it stands in the job."""
    if not isinstance(template, dict):
        problem = "is required" if template is None else f"expected a map, found {faults.describe(template)}"
        raise _wrong(path, problem)
    for key in template if path else ():
        if key not in ("metadata", "spec"):
            raise _wrong(f"{path}.{str(key)[:60]}", "unknown field")
    spec = template.get("spec")
    if spec is None:
        raise _wrong(_at(path, "spec"), "is required")
    for fault in schema.check_pod_spec(spec, _at(path, "spec")):
        raise _wrong(fault.path, fault.problem)
    metadata = _map(template, "metadata", path)
    annotations = _map(metadata, "annotations", _at(path, "metadata"))
    request = _topology(annotations, _at(path, "metadata.annotations"))
    if index_label:
        request["podIndexLabel"] = index_label
    if sub_groups is not None:
        request["subGroupIndexLabel"], request["subGroupCount"] = sub_groups
    kept = {key: metadata[key] for key in ("labels", "annotations") if metadata.get(key)}
    found: dict[str, Any] = {"name": name, "count": count, "template": {"metadata": kept, "spec": spec}}
    if request:
        found["topologyRequest"] = request
    return found


def _topology(annotations: Doc, path: str) -> dict[str, Any]:
    request: dict[str, Any] = {name: annotations[key] for key, name in _TOPOLOGY.items() if annotations.get(key)}
    if str(annotations.get(_UNCONSTRAINED)).lower() == "true":
        request["unconstrained"] = True
    size = annotations.get(_SLICE_SIZE)
    if size is not None:
        if not str(size).isdecimal() or not 0 < int(size) <= _MAX_COUNT:
            raise _wrong(f"{path}[{_SLICE_SIZE}]", f"{str(size)[:60]!r} is not a number of pods")
        request["podSetSliceSize"] = int(size)
    chosen = [name for name in ("required", "preferred", "unconstrained") if name in request]
    if len(chosen) > 1:
        raise _wrong(path, f"asks for {' and '.join(chosen)} topology at once")
    return request


def _pods_of_job(spec: Doc, path: str) -> int:
    parallelism = _number(spec, "parallelism", path)
    completions = spec.get("completions")
    return parallelism if completions is None else min(parallelism, _number(spec, "completions", path))


def _job(members: list[Doc]) -> list[Part]:
    (doc,) = members
    spec = _spec(doc)
    found = _pod_set(
        "main", _pods_of_job(spec, "spec"), spec.get("template"), "spec.template", index_label=_COMPLETION_INDEX
    )
    annotations = _map(_map(doc, "metadata", ""), "annotations", "metadata")
    least = annotations.get(MIN_PARALLELISM)
    if least is not None:
        path = f"metadata.annotations[{MIN_PARALLELISM}]"
        if not str(least).isdecimal() or int(least) < 1:
            raise _wrong(path, f"{str(least)[:60]!r} is not a positive number")
        if int(least) >= _number(spec, "parallelism", "spec"):
            raise _wrong(path, f"{least} has to be less than the parallelism")
        if int(least) < found["count"]:
            found["minCount"] = int(least)
    return [Part([found])]


def _job_set(members: list[Doc]) -> list[Part]:
    (doc,) = members
    pod_sets = []
    for index, entry in enumerate(_list(_spec(doc), "replicatedJobs", "spec")):
        path = f"spec.replicatedJobs[{index}]"
        job = _map(_map(entry, "template", path), "spec", f"{path}.template")
        replicas = _number(entry, "replicas", path)
        pod_sets.append(
            _pod_set(
                _name(entry, "name", path),
                replicas * _pods_of_job(job, f"{path}.template.spec"),
                job.get("template"),
                f"{path}.template.spec.template",
                index_label=_COMPLETION_INDEX,
                sub_groups=(_JOB_INDEX, replicas),
            )
        )
    return [Part(_some(pod_sets, "spec.replicatedJobs"))]


def _name(owner: Doc, key: str, path: str) -> str:
    found = owner.get(key)
    if not isinstance(found, str) or not found:
        raise _wrong(f"{path}.{key}", "is required" if found is None else "expected a name")
    return found.lower()


def _some(pod_sets: list[dict[str, Any]], path: str) -> list[dict[str, Any]]:
    if not pod_sets:
        raise _wrong(path, "has no pods")
    return pod_sets


def _ray_pods(spec: Doc, path: str) -> list[dict[str, Any]]:
    head = _map(spec, "headGroupSpec", path)
    found = [_pod_set("head", 1, head.get("template"), f"{path}.headGroupSpec.template")]
    for index, group in enumerate(_list(spec, "workerGroupSpecs", path)):
        where = f"{path}.workerGroupSpecs[{index}]"
        count = _number(group, "replicas", where) * max(1, _number(group, "numOfHosts", where))
        found.append(_pod_set(_name(group, "groupName", where), count, group.get("template"), f"{where}.template"))
    return found


def _ray_cluster(members: list[Doc]) -> list[Part]:
    (doc,) = members
    return [Part(_ray_pods(_spec(doc), "spec"))]


def _ray_service(members: list[Doc]) -> list[Part]:
    (doc,) = members
    return [Part(_ray_pods(_map(_spec(doc), "rayClusterConfig", "spec"), "spec.rayClusterConfig"))]


def _ray_job(members: list[Doc]) -> list[Part]:
    (doc,) = members
    spec = _spec(doc)
    if spec.get("clusterSelector"):
        raise _wrong("spec.clusterSelector", "uses a cluster that is there already, which Kueue does not manage")
    found = _ray_pods(_map(spec, "rayClusterSpec", "spec"), "spec.rayClusterSpec")
    if spec.get("submissionMode", "K8sJobMode") == "K8sJobMode":
        template = spec.get("submitterPodTemplate") or _SUBMITTER
        found.append(_pod_set("submitter", 1, template, "spec.submitterPodTemplate"))
    return [Part(found)]


def _replicas(key: str, roles: tuple[str, ...]) -> Callable[[list[Doc]], list[Part]]:
    """Pods of a job whose replica types stand under a key."""

    def pods(members: list[Doc]) -> list[Part]:
        (doc,) = members
        path = f"spec.{key}"
        types = _map(_spec(doc), key, "spec")
        unknown = next((name for name in types if name not in roles), None)
        if unknown is not None:
            raise _wrong(f"{path}.{unknown[:60]}", f"is none of {', '.join(roles)}")
        found = []
        for role in roles:
            if types.get(role) is not None:
                entry = _map(types, role, path)
                where = f"{path}.{role}"
                count = _number(entry, "replicas", where)
                template = entry.get("template")
                found.append(_pod_set(role.lower(), count, template, f"{where}.template", index_label=_REPLICA_INDEX))
        return [Part(_some(found, path))]

    return pods


def _scheduling_class(doc: Doc) -> str:
    policy = _map(_map(_spec(doc), "runPolicy", "spec"), "schedulingPolicy", "spec.runPolicy")
    return str(policy.get("priorityClass") or "")


def _pods(members: list[Doc]) -> list[Part]:
    if not pod_group(members[0]):
        return [Part([_pod_set("main", 1, dict(members[0]), "", index_label=_POD_INDEX)])]
    metadata = _map(members[0], "metadata", "")
    annotations = _map(metadata, "annotations", "metadata")
    path = f"metadata.annotations[{GROUP_TOTAL}]"
    total = str(annotations.get(GROUP_TOTAL) or "")
    if not total.isdecimal() or int(total) < 1:
        raise _wrong(path, "has to say how many pods the group has")
    if len(members) > int(total):
        raise _wrong(path, f"{len(members)} pods are given, more than the {total} of the group")
    is_fast = str(annotations.get(GROUP_FAST)).lower() == "true"
    if len(members) < int(total) and not is_fast:
        raise _wrong(path, f"{len(members)} of {total} pods are given: Kueue waits for the others")
    roles: dict[bytes, list[Doc]] = {}
    for doc in members:
        roles.setdefault(msgspec.json.encode(_spec(doc), order="sorted"), []).append(doc)
    counts = [len(role) for role in roles.values()]
    counts[0] += int(total) - len(members)
    names = ["main"] if len(roles) == 1 else [f"role-{number}" for number in range(1, len(roles) + 1)]
    pairs = zip(names, counts, roles.values(), strict=True)
    return [Part([_pod_set(name, count, dict(role[0]), "", index_label=_POD_INDEX) for name, count, role in pairs])]


def _deployment(members: list[Doc]) -> list[Part]:
    (doc,) = members
    spec = _spec(doc)
    replicas = _few(_number(spec, "replicas", "spec"))
    found = _pod_set("main", 1, spec.get("template"), "spec.template", index_label=_POD_INDEX)
    return [Part([found], suffix=f"-{number}") for number in range(replicas)]


def _few(replicas: int) -> int:
    if replicas > _MAX_WORKLOADS:
        raise _wrong("spec.replicas", f"{replicas} would be as many Workloads; at most {_MAX_WORKLOADS} are tried")
    return replicas


def _stateful_set(members: list[Doc]) -> list[Part]:
    (doc,) = members
    spec = _spec(doc)
    replicas = _number(spec, "replicas", "spec")
    found = _pod_set("main", replicas, spec.get("template"), "spec.template", index_label=_POD_INDEX)
    return [Part([found])] if replicas else []


def _leader_worker_set(members: list[Doc]) -> list[Part]:
    (doc,) = members
    spec = _spec(doc)
    whole = _map(spec, "leaderWorkerTemplate", "spec")
    path = "spec.leaderWorkerTemplate"
    size = _number(whole, "size", path)
    workers = whole.get("workerTemplate")
    where = f"{path}.workerTemplate"
    if whole.get("leaderTemplate") is None:
        found = [_pod_set("main", size, workers, where, index_label=_WORKER_INDEX)]
    else:
        found = [_pod_set("leader", 1, whole["leaderTemplate"], f"{path}.leaderTemplate")]
        if size > 1:
            found.append(_pod_set("worker", size - 1, workers, where, index_label=_WORKER_INDEX))
    replicas = _few(_number(spec, "replicas", "spec"))
    return [Part(list(found), suffix=f"-{number}") for number in range(replicas)]


def _kubeflow() -> Iterator[tuple[tuple[str, str], Rendering]]:
    for kind, key, roles in (
        ("PyTorchJob", "pytorchReplicaSpecs", ("Master", "Worker")),
        ("TFJob", "tfReplicaSpecs", ("Chief", "Master", "PS", "Worker", "Evaluator")),
        ("XGBoostJob", "xgbReplicaSpecs", ("Master", "Worker")),
        ("PaddleJob", "paddleReplicaSpecs", ("Master", "Worker")),
        ("JAXJob", "jaxReplicaSpecs", ("Worker",)),
        ("MPIJob", "mpiReplicaSpecs", ("Launcher", "Worker")),
    ):
        yield ("kubeflow.org", kind), Rendering(_replicas(key, roles), _scheduling_class)


RENDERINGS: Mapping[tuple[str, str], Rendering] = {
    ("batch", "Job"): Rendering(_job),
    ("jobset.x-k8s.io", "JobSet"): Rendering(_job_set),
    ("ray.io", "RayCluster"): Rendering(_ray_cluster),
    ("ray.io", "RayJob"): Rendering(_ray_job),
    ("ray.io", "RayService"): Rendering(_ray_service),
    ("", "Pod"): Rendering(_pods),
    ("apps", "Deployment"): Rendering(_deployment),
    ("apps", "StatefulSet"): Rendering(_stateful_set),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): Rendering(_leader_worker_set),
    **dict(_kubeflow()),
}
