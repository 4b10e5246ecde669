"""The words that users have for kinds: singular, plural, short, in any case, with or without an API group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kueuectl.errors import UsageError

_KUEUE = "kueue.x-k8s.io"
_KUBEFLOW = "kubeflow.org"
_RAY = "ray.io"


class Kind(NamedTuple):
    """A kind as the API spells it, with its group, and whether its objects live in namespaces."""

    name: str
    plural: str
    group: str
    short: tuple[str, ...] = ()
    is_namespaced: bool = True

    @property
    def resource(self) -> str:
        """plural.group, as the API server names it in messages."""
        word = self.plural or self.name.lower()
        return f"{word}.{self.group}" if self.group else word


CLUSTER_QUEUE = Kind("ClusterQueue", "clusterqueues", _KUEUE, ("cq",), is_namespaced=False)
LOCAL_QUEUE = Kind("LocalQueue", "localqueues", _KUEUE, ("lq", "queue", "queues"))
COHORT = Kind("Cohort", "cohorts", _KUEUE, ("co",), is_namespaced=False)
RESOURCE_FLAVOR = Kind("ResourceFlavor", "resourceflavors", _KUEUE, ("rf", "flavor", "flavors"), is_namespaced=False)
WORKLOAD = Kind("Workload", "workloads", _KUEUE, ("wl", "kwl", "kueueworkload", "kueueworkloads"))
ADMISSION_CHECK = Kind("AdmissionCheck", "admissionchecks", _KUEUE, ("ac",), is_namespaced=False)
TOPOLOGY = Kind("Topology", "topologies", _KUEUE, ("topo",), is_namespaced=False)
WORKLOAD_PRIORITY_CLASS = Kind(
    "WorkloadPriorityClass", "workloadpriorityclasses", _KUEUE, ("wpc",), is_namespaced=False
)
POD = Kind("Pod", "pods", "", ("po",))

KUEUE_KINDS = (
    CLUSTER_QUEUE,
    LOCAL_QUEUE,
    COHORT,
    RESOURCE_FLAVOR,
    WORKLOAD,
    ADMISSION_CHECK,
    TOPOLOGY,
    WORKLOAD_PRIORITY_CLASS,
)

# Kinds whose objects become workloads, or own what becomes workloads.
OWNER_KINDS = (
    POD,
    Kind("Job", "jobs", "batch"),
    Kind("CronJob", "cronjobs", "batch", ("cj",)),
    Kind("JobSet", "jobsets", "jobset.x-k8s.io"),
    Kind("Deployment", "deployments", "apps", ("deploy",)),
    Kind("ReplicaSet", "replicasets", "apps", ("rs",)),
    Kind("StatefulSet", "statefulsets", "apps", ("sts",)),
    Kind("LeaderWorkerSet", "leaderworkersets", "leaderworkerset.x-k8s.io", ("lws",)),
    Kind("MPIJob", "mpijobs", _KUBEFLOW),
    Kind("PyTorchJob", "pytorchjobs", _KUBEFLOW),
    Kind("TFJob", "tfjobs", _KUBEFLOW),
    Kind("XGBoostJob", "xgboostjobs", _KUBEFLOW),
    Kind("PaddleJob", "paddlejobs", _KUBEFLOW),
    Kind("JAXJob", "jaxjobs", _KUBEFLOW),
    Kind("TrainJob", "trainjobs", "trainer.kubeflow.org"),
    Kind("RayJob", "rayjobs", _RAY),
    Kind("RayCluster", "rayclusters", _RAY),
    Kind("RayService", "rayservices", _RAY),
    Kind("AppWrapper", "appwrappers", "workload.codeflare.dev"),
    Kind("SparkApplication", "sparkapplications", "sparkoperator.k8s.io"),
)

_ALL = (*KUEUE_KINDS, *OWNER_KINDS)

# Kinds whose objects can be named where a command takes any object.
EXPLAINED = (WORKLOAD, CLUSTER_QUEUE, LOCAL_QUEUE, COHORT, *OWNER_KINDS)


class Reference(NamedTuple):
    """An object as the user named it. A kind that isn't known has its word as name and no plural."""

    kind: Kind
    name: str


def find(word: str, among: Sequence[Kind] = _ALL) -> Kind | None:
    """The kind that a word means, or None: `cq`, `ClusterQueues`, `job.batch`, `jobs.v1.batch`."""
    wanted = word.lower()
    short, _, group = wanted.partition(".")
    for kind in among:
        if short not in (kind.name.lower(), kind.plural, *kind.short):
            continue
        if not group or group == kind.group or group.endswith(f".{kind.group}"):
            return kind
    return None


def reference(value: str, *, flag: str) -> Reference:
    """The object of a `TYPE[.GROUP]/NAME` value; an unknown type is taken as it is. Raises UsageError otherwise."""
    word, slash, name = value.partition("/")
    if not slash or not word or not name or "/" in name:
        raise UsageError(f"invalid value {value!r} for {flag}", hint="write it as TYPE[.GROUP]/NAME")
    known = find(word)
    if known is not None:
        return Reference(known, name)
    kind, _, group = word.partition(".")
    return Reference(Kind(kind, "", group), name)


def references(words: Sequence[str], among: Sequence[Kind] = _ALL) -> list[Reference]:
    """The objects of `TYPE NAME...` or `TYPE/NAME...`; raises UsageError for a type that isn't among the kinds."""
    if not words:
        raise UsageError("no object named", hint="write TYPE NAME or TYPE/NAME")
    if "/" in words[0]:
        return [_slashed(word, among) for word in words]
    kind = _known(words[0], among)
    if len(words) == 1:
        raise UsageError(f"no {kind.name} named", hint=f"write {kind.name.lower()} NAME")
    for word in words[1:]:
        if "/" in word:
            raise UsageError(f"{word!r}: write TYPE NAME or TYPE/NAME, not both")
    return [Reference(kind, word) for word in words[1:]]


def _slashed(word: str, among: Sequence[Kind]) -> Reference:
    kind, slash, name = word.partition("/")
    if not slash or not name or "/" in name:
        raise UsageError(f"{word!r} is not TYPE/NAME")
    return Reference(_known(kind, among), name)


def _known(word: str, among: Sequence[Kind]) -> Kind:
    kind = find(word, among)
    if kind is None:
        names = ", ".join(sorted(kind.name.lower() for kind in among))
        raise UsageError(f"unknown type {word!r}", hint=f"use one of: {names}")
    return kind
