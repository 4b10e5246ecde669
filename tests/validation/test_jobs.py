"""Jobs rendered to Workloads: pod sets, counts, queue, priority, and what is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kueuectl.api import jobs
from kueuectl.api.jobs import Defaults
from kueuectl.api.objects import decode_state
from kueuectl.api.validation import rules, schema
from kueuectl.errors import InputError
from kueuectl.model.state import ClusterState, PriorityClass

Doc = dict[str, Any]
TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "train", "resources": {"requests": {"cpu": "1"}}}]}}
QUEUE = {"kueue.x-k8s.io/queue-name": "main"}
STATE = ClusterState(
    workload_priority_classes={"high": PriorityClass("WorkloadPriorityClass", "high", 100)},
    priority_classes={
        "pods": PriorityClass("PriorityClass", "pods", 7),
        "usual": PriorityClass("PriorityClass", "usual", 3, is_default=True),
    },
)


def job(api_version: str, kind: str, spec: Doc, **metadata: Any) -> Doc:
    """A job with a queue."""
    whole = {"name": "run", "namespace": "team-a", "labels": QUEUE, **metadata}
    return {"apiVersion": api_version, "kind": kind, "metadata": whole, "spec": spec}


def render(*docs: Doc, state: ClusterState = STATE, defaults: Defaults | None = None) -> list[Doc]:
    """The Workloads; every one is valid."""
    found = jobs.render([("job.yaml", doc) for doc in docs], state, defaults=defaults or Defaults())
    for rendered in found:
        assert schema.check(rendered.doc) == []
        assert rules.check(rendered.doc) == []
    return [rendered.doc for rendered in found]


def counts(doc: Doc) -> dict[str, int]:
    """Pods by pod set."""
    return {pod_set["name"]: pod_set["count"] for pod_set in doc["spec"]["podSets"]}


@dataclass(frozen=True)
class Case:
    """A job and the pod sets of its Workloads."""

    name: str
    doc: Doc
    want: list[dict[str, int]]


RAY = {
    "headGroupSpec": {"template": TEMPLATE},
    "workerGroupSpecs": [{"groupName": "Small", "replicas": 2, "numOfHosts": 3, "template": TEMPLATE}],
}
CASES = [
    Case("a job of one pod", job("batch/v1", "Job", {"template": TEMPLATE}), [{"main": 1}]),
    Case("pods at once", job("batch/v1", "Job", {"parallelism": 4, "template": TEMPLATE}), [{"main": 4}]),
    Case(
        "fewer completions than pods at once",
        job("batch/v1", "Job", {"parallelism": 4, "completions": 3, "template": TEMPLATE}),
        [{"main": 3}],
    ),
    Case(
        "replicated jobs",
        job(
            "jobset.x-k8s.io/v1alpha2",
            "JobSet",
            {
                "replicatedJobs": [
                    {"name": "leader", "template": {"spec": {"template": TEMPLATE}}},
                    {"name": "workers", "replicas": 2, "template": {"spec": {"parallelism": 4, "template": TEMPLATE}}},
                ]
            },
        ),
        [{"leader": 1, "workers": 8}],
    ),
    Case("a Ray cluster", job("ray.io/v1", "RayCluster", RAY), [{"head": 1, "small": 6}]),
    Case(
        "a Ray job submits from a pod",
        job("ray.io/v1", "RayJob", {"rayClusterSpec": RAY}),
        [{"head": 1, "small": 6, "submitter": 1}],
    ),
    Case(
        "a Ray job that submits over HTTP",
        job("ray.io/v1", "RayJob", {"rayClusterSpec": RAY, "submissionMode": "HTTPMode"}),
        [{"head": 1, "small": 6}],
    ),
    Case("a Ray service", job("ray.io/v1", "RayService", {"rayClusterConfig": RAY}), [{"head": 1, "small": 6}]),
    Case(
        "roles in their order",
        job(
            "kubeflow.org/v1",
            "PyTorchJob",
            {
                "pytorchReplicaSpecs": {
                    "Worker": {"replicas": 3, "template": TEMPLATE},
                    "Master": {"template": TEMPLATE},
                }
            },
        ),
        [{"master": 1, "worker": 3}],
    ),
    Case(
        "a launcher and its workers",
        job(
            "kubeflow.org/v2beta1",
            "MPIJob",
            {"mpiReplicaSpecs": {"Launcher": {"template": TEMPLATE}, "Worker": {"replicas": 2, "template": TEMPLATE}}},
        ),
        [{"launcher": 1, "worker": 2}],
    ),
    Case("a pod", job("v1", "Pod", TEMPLATE["spec"]), [{"main": 1}]),
    Case(
        "a Workload for each pod of a Deployment",
        job("apps/v1", "Deployment", {"replicas": 2, "template": TEMPLATE}),
        [{"main": 1}, {"main": 1}],
    ),
    Case("a StatefulSet", job("apps/v1", "StatefulSet", {"replicas": 3, "template": TEMPLATE}), [{"main": 3}]),
    Case("a StatefulSet without pods", job("apps/v1", "StatefulSet", {"replicas": 0, "template": TEMPLATE}), []),
    Case(
        "a Workload for each group",
        job(
            "leaderworkerset.x-k8s.io/v1",
            "LeaderWorkerSet",
            {
                "replicas": 2,
                "leaderWorkerTemplate": {"size": 4, "leaderTemplate": TEMPLATE, "workerTemplate": TEMPLATE},
            },
        ),
        [{"leader": 1, "worker": 3}, {"leader": 1, "worker": 3}],
    ),
    Case(
        "groups without leader",
        job(
            "leaderworkerset.x-k8s.io/v1",
            "LeaderWorkerSet",
            {"leaderWorkerTemplate": {"size": 4, "workerTemplate": TEMPLATE}},
        ),
        [{"main": 4}],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_pod_sets(case: Case) -> None:
    assert [counts(doc) for doc in render(case.doc)] == case.want


def test_names_are_different() -> None:
    deployment = job("apps/v1", "Deployment", {"replicas": 3, "template": TEMPLATE})
    assert [doc["metadata"]["name"] for doc in render(deployment)] == [f"deployment-run-{n}" for n in range(3)]


def test_pods_of_a_group_are_one_workload() -> None:
    labels = {**QUEUE, "kueue.x-k8s.io/pod-group-name": "gang"}
    annotations = {"kueue.x-k8s.io/pod-group-total-count": "3"}
    other = {"containers": [{"name": "c", "image": "lead"}]}
    pods = [
        job("v1", "Pod", spec, name=f"pod-{number}", labels=labels, annotations=annotations)
        for number, spec in enumerate((other, TEMPLATE["spec"], TEMPLATE["spec"]))
    ]
    (doc,) = render(*pods)
    assert doc["metadata"]["name"] == "gang"
    assert counts(doc) == {"role-1": 1, "role-2": 2}
    with pytest.raises(InputError, match="2 of 3 pods are given"):
        render(*pods[:2])


def test_partial_admission() -> None:
    least = {"kueue.x-k8s.io/job-min-parallelism": "2"}
    (doc,) = render(job("batch/v1", "Job", {"parallelism": 4, "template": TEMPLATE}, annotations=least))
    assert doc["spec"]["podSets"][0]["minCount"] == 2


def test_topology_annotations() -> None:
    annotations = {
        "kueue.x-k8s.io/podset-required-topology": "rack",
        "kueue.x-k8s.io/podset-slice-required-topology": "host",
        "kueue.x-k8s.io/podset-slice-size": "2",
    }
    (doc,) = render(job("batch/v1", "Job", {"template": {**TEMPLATE, "metadata": {"annotations": annotations}}}))
    assert doc["spec"]["podSets"][0]["topologyRequest"] == {
        "required": "rack",
        "podSetSliceRequiredTopology": "host",
        "podSetSliceSize": 2,
        "podIndexLabel": "batch.kubernetes.io/job-completion-index",
    }


@dataclass(frozen=True)
class Ranked:
    """Where the priority of a job comes from."""

    name: str
    labels: dict[str, str]
    pod_class: str
    given: str
    want: tuple[int, str]


@pytest.mark.parametrize(
    "case",
    [
        Ranked("its label", {"kueue.x-k8s.io/priority-class": "high"}, "pods", "", (100, "high")),
        Ranked("the class that was given", {}, "pods", "high", (100, "high")),
        Ranked("its pods", {}, "pods", "", (7, "pods")),
        Ranked("the global default", {}, "", "", (3, "usual")),
    ],
    ids=lambda case: case.name,
)
def test_priority(case: Ranked) -> None:
    spec = {**TEMPLATE["spec"], **({"priorityClassName": case.pod_class} if case.pod_class else {})}
    doc = job("batch/v1", "Job", {"template": {"spec": spec}}, labels={**QUEUE, **case.labels})
    (found,) = render(doc, defaults=Defaults(priority_class=case.given))
    assert (found["spec"]["priority"], found["spec"]["priorityClassRef"]["name"]) == case.want


def test_queue() -> None:
    doc = job("batch/v1", "Job", {"template": TEMPLATE}, labels={})
    assert render(doc, defaults=Defaults(queue="given"))[0]["spec"]["queueName"] == "given"
    local = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "default", "namespace": "team-a"},
        "spec": {"clusterQueue": "all"},
    }
    assert render(doc, state=decode_state([("test", local)]))[0]["spec"]["queueName"] == "default"


def test_what_becomes_of_labels_and_annotations() -> None:
    doc = job(
        "batch/v1",
        "Job",
        {"template": TEMPLATE},
        labels={**QUEUE, "kueue.x-k8s.io/max-exec-time-seconds": "60"},
        annotations={"kueue.x-k8s.io/admission-gated-by": "example.com/gate"},
    )
    (found,) = render(doc)
    assert found["spec"]["maximumExecutionTimeSeconds"] == 60
    assert found["metadata"]["annotations"] == {"kueue.x-k8s.io/admission-gated-by": "example.com/gate"}


@dataclass(frozen=True)
class Refusal:
    """A job that gives no Workload."""

    name: str
    doc: Doc
    path: str
    problem: str


@pytest.mark.parametrize(
    "case",
    [
        Refusal(
            "no queue",
            job("batch/v1", "Job", {"template": TEMPLATE}, labels={}),
            "metadata.labels[kueue.x-k8s.io/queue-name]",
            "names no queue",
        ),
        Refusal(
            "unknown class",
            job("batch/v1", "Job", {"template": TEMPLATE}, labels={**QUEUE, "kueue.x-k8s.io/priority-class": "x"}),
            "metadata.labels[kueue.x-k8s.io/priority-class]",
            "there is no WorkloadPriorityClass 'x'",
        ),
        Refusal("no template", job("batch/v1", "Job", {}), "spec.template", "is required"),
        Refusal(
            "wrong count",
            job("batch/v1", "Job", {"parallelism": "4", "template": TEMPLATE}),
            "spec.parallelism",
            "integer",
        ),
        Refusal(
            "field of a pod",
            job("batch/v1", "Job", {"template": {"spec": {"containers": [{"name": "c", "imag": "x"}]}}}),
            "spec.template.spec.containers[0].imag",
            "did you mean image?",
        ),
        Refusal("a kind without pods", job("example.com/v1", "Thing", {}), "kind", "can't be rendered"),
        Refusal(
            "unknown role",
            job("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": {"Boss": {"template": TEMPLATE}}}),
            "spec.pytorchReplicaSpecs.Boss",
            "is none of Master, Worker",
        ),
        Refusal(
            "a cluster that is there already",
            job("ray.io/v1", "RayJob", {"clusterSelector": {"ray.io/cluster": "x"}, "rayClusterSpec": RAY}),
            "spec.clusterSelector",
            "is there already",
        ),
    ],
    ids=lambda case: case.name,
)
def test_refused(case: Refusal) -> None:
    with pytest.raises(InputError) as caught:
        render(case.doc)
    assert caught.value.path == case.path
    assert case.problem in caught.value.problem
    assert caught.value.source == "job.yaml"


DUMP = Path(__file__).resolve().parents[3] / "shared" / "dump"


@pytest.mark.skipif(not DUMP.is_dir(), reason="needs the saved cluster in ../shared/dump")
def test_workloads_of_a_real_cluster() -> None:
    def read(name: str) -> list[Doc]:
        found: list[Doc] = json.loads((DUMP / f"{name}.json").read_text("utf-8"))["items"]
        return found

    owners = [doc for doc in read("jobs-pods") if doc["kind"] == "Job" or "ownerReferences" not in doc["metadata"]]
    state = decode_state([("dump", doc) for doc in read("workloadpriorityclasses")])
    made = {doc["metadata"]["name"].partition("-")[2]: doc["spec"] for doc in render(*owners, state=state)}
    stored = {doc["metadata"]["ownerReferences"][0]["name"]: doc["spec"] for doc in read("workloads")}
    assert made.keys() == stored.keys()
    for name, spec in stored.items():
        for field in ("queueName", "priority", "priorityClassRef"):
            assert made[name].get(field) == spec.get(field), name
        for one, other in zip(made[name]["podSets"], spec["podSets"], strict=True):
            assert {key: one.get(key) for key in ("name", "count", "minCount", "topologyRequest")} == {
                key: other.get(key) for key in ("name", "count", "minCount", "topologyRequest")
            }


MASTER = {"Master": {"template": TEMPLATE}}


@pytest.mark.parametrize(
    ("name", "doc", "path", "problem"),
    [
        (
            "a field of a Job",
            job("batch/v1", "Job", {"template": TEMPLATE, "suspended": True}),
            "spec.suspended",
            "unknown field, did you mean suspend?",
        ),
        (
            "a field of a job in a JobSet",
            job(
                "jobset.x-k8s.io/v1alpha2",
                "JobSet",
                {"replicatedJobs": [{"name": "a", "template": {"spec": {"paralelism": 2, "template": TEMPLATE}}}]},
            ),
            "spec.replicatedJobs[0].template.spec.paralelism",
            "unknown field, did you mean parallelism?",
        ),
        (
            "a field of a Ray cluster in a RayJob",
            job("ray.io/v1", "RayJob", {"rayClusterSpec": {**RAY, "workerGroups": []}}),
            "spec.rayClusterSpec.workerGroups",
            "unknown field, did you mean workerGroupSpecs?",
        ),
        (
            "a field of a role",
            job("kubeflow.org/v1", "PyTorchJob", {"pytorchReplicaSpecs": {"Worker": {"replica": 3}, **MASTER}}),
            "spec.pytorchReplicaSpecs[Worker].replica",
            "unknown field, did you mean replicas?",
        ),
        (
            "a field of a pod template",
            job("batch/v1", "Job", {"template": {**TEMPLATE, "nodeSelector": {}}}),
            "spec.template.nodeSelector",
            "unknown field",
        ),
        (
            "a word in place of a number",
            job("batch/v1", "Job", {"template": TEMPLATE, "backoffLimit": "many"}),
            "spec.backoffLimit",
            "expected an integer, found the string 'many'",
        ),
    ],
)
def test_fields_that_a_kind_does_not_have(name: str, doc: Doc, path: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        render(doc)
    assert (caught.value.path, caught.value.problem) == (path, problem), name


def test_fields_of_a_version_that_is_not_known_are_passed_over() -> None:
    (found,) = render(job("ray.io/v9", "RayCluster", {**RAY, "news": True}))
    assert counts(found) == {"head": 1, "small": 6}
