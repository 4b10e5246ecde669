"""The kinds that make a state, where the API server serves them, and what can't be said without each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from kueuectl.errors import UsageError

KUEUE_GROUP = "kueue.x-k8s.io"


class Resource(Protocol):
    """What must be known of a kind to ask for its objects; the plural may be "" and is then looked up."""

    @property
    def name(self) -> str:
        """The kind: "ClusterQueue"."""

    @property
    def plural(self) -> str:
        """The plural in a path: "clusterqueues"."""

    @property
    def group(self) -> str:
        """The API group; "" is the core group."""

    @property
    def is_namespaced(self) -> bool:
        """Whether its objects live in namespaces."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A Resource with the version that is read, the preferred one first where there are several.

    `without` completes "can't list X: ..." with what is unknown then.
    """

    name: str
    plural: str
    group: str
    versions: tuple[str, ...]
    without: str
    is_namespaced: bool = False

    @property
    def resource(self) -> str:
        """plural.group, as RBAC rules and messages have it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


_CURRENT = ("v1beta2", "v1beta1")
# Before Kueue 0.14 these two were served so.
_SINCE_ALPHA = ("v1beta2", "v1beta1", "v1alpha1")

CLUSTER_QUEUE = Kind(
    "ClusterQueue",
    "clusterqueues",
    KUEUE_GROUP,
    _CURRENT,
    "quotas, borrowing and the order of the queues are unknown",
)
LOCAL_QUEUE = Kind(
    "LocalQueue",
    "localqueues",
    KUEUE_GROUP,
    _CURRENT,
    "it is unknown which ClusterQueue a workload waits in, and whether its queue is stopped",
    is_namespaced=True,
)
COHORT = Kind(
    "Cohort",
    "cohorts",
    KUEUE_GROUP,
    _SINCE_ALPHA,
    "quota and parents of cohorts are unknown, and so is what can be borrowed",
)
RESOURCE_FLAVOR = Kind(
    "ResourceFlavor",
    "resourceflavors",
    KUEUE_GROUP,
    _CURRENT,
    "it is unknown which workloads the flavors' labels and taints keep out",
)
WORKLOAD = Kind(
    "Workload",
    "workloads",
    KUEUE_GROUP,
    _CURRENT,
    "it is unknown what runs, what waits and how much quota is used",
    is_namespaced=True,
)
ADMISSION_CHECK = Kind(
    "AdmissionCheck", "admissionchecks", KUEUE_GROUP, _CURRENT, "it is unknown whether admission checks are active"
)
TOPOLOGY = Kind("Topology", "topologies", KUEUE_GROUP, _SINCE_ALPHA, "topology-aware placement can't be explained")
WORKLOAD_PRIORITY_CLASS = Kind(
    "WorkloadPriorityClass",
    "workloadpriorityclasses",
    KUEUE_GROUP,
    _CURRENT,
    "priorities that classes give are known only where a workload repeats them",
)
PRIORITY_CLASS = Kind(
    "PriorityClass",
    "priorityclasses",
    "scheduling.k8s.io",
    ("v1",),
    "priorities that pods get from a class are known only where a workload repeats them",
)
NAMESPACE = Kind(
    "Namespace", "namespaces", "", ("v1",), "it is unknown which namespaces a ClusterQueue's selector matches"
)
NODE = Kind("Node", "nodes", "", ("v1",), "free capacity and topology domains are unknown")
LIMIT_RANGE = Kind(
    "LimitRange",
    "limitranges",
    "",
    ("v1",),
    "requests that a namespace gives by default, and its limits, are unknown",
    is_namespaced=True,
)
RUNTIME_CLASS = Kind(
    "RuntimeClass",
    "runtimeclasses",
    "node.k8s.io",
    ("v1",),
    "overhead of runtime classes is known only where a pod has it",
)

# What a state is read from, one list each; the largest first, so that it isn't waited for at the end.
STATE_KINDS = (
    WORKLOAD,
    NODE,
    CLUSTER_QUEUE,
    LOCAL_QUEUE,
    COHORT,
    RESOURCE_FLAVOR,
    ADMISSION_CHECK,
    TOPOLOGY,
    WORKLOAD_PRIORITY_CLASS,
    PRIORITY_CLASS,
    NAMESPACE,
    LIMIT_RANGE,
    RUNTIME_CLASS,
)

# Where Kueue itself runs: its image says the version, its arguments and ConfigMap the configuration.
DEPLOYMENT = Kind(
    "Deployment", "deployments", "apps", ("v1",), "Kueue's version and flags are unknown", is_namespaced=True
)
POD = Kind("Pod", "pods", "", ("v1",), "the pods of a workload are unknown", is_namespaced=True)
CONFIG_MAP = Kind("ConfigMap", "configmaps", "", ("v1",), "Kueue's configuration is unknown", is_namespaced=True)


def path_of(resource: Resource, version: str, *, namespace: str = "", name: str = "") -> str:
    """The path of a resource, of one namespace where one is given, of one object where a name is.

    Raises UsageError for names that would lead to another path: dots are taken for steps on the way.
    """
    for word in (namespace, name):
        if word in (".", ".."):
            raise UsageError(f"invalid name {word!r}", hint="no object and no namespace can have it")
    root = f"/apis/{resource.group}/{version}" if resource.group else f"/api/{version}"
    scope = f"/namespaces/{quote(namespace, safe='')}" if namespace and resource.is_namespaced else ""
    tail = f"/{quote(name, safe='')}" if name else ""
    return f"{root}{scope}/{resource.plural}{tail}"
