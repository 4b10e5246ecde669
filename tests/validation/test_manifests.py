"""Manifests that the API server or Kueue's webhooks refuse: where the fault is, and what is said."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from kueuectl.api import encode, manifests
from kueuectl.errors import InputError
from kueuectl.model.queues import ClusterQueue
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState

Doc = dict[str, Any]
API = "kueue.x-k8s.io/v1beta2"
GPU = "example.com/gpu"


def doc(kind: str, spec: Doc | None = None, *, namespace: str = "", **more: Any) -> Doc:
    """A manifest."""
    metadata = {"name": "subject", **({"namespace": namespace} if namespace else {})}
    found: Doc = {"apiVersion": API, "kind": kind, "metadata": metadata, **more}
    return found if spec is None else {**found, "spec": spec}


def row(name: str, *resources: str) -> Doc:
    """A flavor with quota of 5 for each resource."""
    return {"name": name, "resources": [{"name": entry, "nominalQuota": "5"} for entry in resources]}


GROUP = {"coveredResources": ["cpu", "memory"], "flavors": [row("a", "cpu", "memory"), row("b", "cpu", "memory")]}
QUEUE = doc("ClusterQueue", {"cohortName": "all", "namespaceSelector": {}, "resourceGroups": [GROUP]})
COHORT = doc("Cohort", {"parentName": "root", "resourceGroups": [GROUP]})
FLAVOR = doc("ResourceFlavor", {"nodeLabels": {"pool": "a"}})
TOPOLOGY = doc("Topology", {"levels": [{"nodeLabel": "rack"}, {"nodeLabel": "kubernetes.io/hostname"}]})
LOCAL = doc("LocalQueue", {"clusterQueue": "all"}, namespace="team-a")
CHECK = doc("AdmissionCheck", {"controllerName": "example.com/check"})
CLASS = doc("WorkloadPriorityClass", value=5)
CONTAINER = {"name": "c", "image": "train", "resources": {"requests": {"cpu": "1"}}}
PODS = {"name": "main", "count": 3, "template": {"spec": {"containers": [CONTAINER], "restartPolicy": "Never"}}}
WORKLOAD = doc("Workload", {"queueName": "main", "podSets": [PODS]}, namespace="team-a")

Change = Callable[[Doc], Any]


def put(path: str, value: Any) -> Change:
    """Sets a field; the path is written as in messages."""

    def change(found: Doc) -> None:
        *above, last = path.replace("[", ".").replace("]", "").split(".")
        here: Any = found
        for name in above:
            here = here[int(name)] if isinstance(here, list) else here.setdefault(name, {})
        here[int(last) if isinstance(here, list) else last] = value

    return change


def drop(path: str) -> Change:
    """Takes a field away."""

    def change(found: Doc) -> None:
        *above, last = path.replace("[", ".").replace("]", "").split(".")
        here: Any = found
        for name in above:
            here = here[int(name)] if isinstance(here, list) else here[name]
        del here[int(last) if isinstance(here, list) else last]

    return change


def both(*changes: Change) -> Change:
    """All of them."""
    return lambda found: [change(found) for change in changes]


def group(*, flavor: str = "c", resources: tuple[str, ...] = (GPU,)) -> Change:
    """Adds a resource group."""
    made = {"coveredResources": list(resources), "flavors": [row(flavor, *resources)]}
    return lambda found: found["spec"]["resourceGroups"].append(made)


@dataclass(frozen=True)
class Case:
    """A manifest with a fault."""

    name: str
    base: Doc
    change: Change
    path: str
    problem: str


FIRST = "spec.resourceGroups[0].flavors[0].resources[0]"
CASES = [
    Case("unknown field", QUEUE, put("spec.cohortname", "x"), "spec.cohortname", "did you mean cohortName?"),
    Case("unknown metadata", QUEUE, put("metadata.lables", {}), "metadata.lables", "unknown field"),
    Case("bad label", QUEUE, put("metadata.labels", {"a b": "c"}), "metadata.labels", "not a valid key"),
    Case("wrong type", QUEUE, put("spec.cohortName", 5), "spec.cohortName", "expected a string, found the number 5"),
    Case("no map", QUEUE, put("spec", []), "spec", "expected a map, found a list"),
    Case("enumeration", QUEUE, put("spec.stopPolicy", "Stop"), "spec.stopPolicy", "none of None, Hold, HoldAndDrain"),
    Case("name of a cohort", QUEUE, put("spec.cohortName", "All"), "spec.cohortName", "'All' is not valid"),
    Case("no quota", QUEUE, drop(f"{FIRST}.nominalQuota"), f"{FIRST}.nominalQuota", "is required"),
    Case("no quantity", QUEUE, put(f"{FIRST}.nominalQuota", "5x"), f"{FIRST}.nominalQuota", "'5x' is not a quantity"),
    Case("a fraction", QUEUE, put(f"{FIRST}.nominalQuota", 1.5), f"{FIRST}.nominalQuota", "found the number 1.5"),
    Case("negative quota", QUEUE, put(f"{FIRST}.nominalQuota", "-1"), f"{FIRST}.nominalQuota", "-1 is negative"),
    Case("negative limit", QUEUE, put(f"{FIRST}.borrowingLimit", -1), f"{FIRST}.borrowingLimit", "-1 is negative"),
    Case("lends too much", QUEUE, put(f"{FIRST}.lendingLimit", 6), f"{FIRST}.lendingLimit", "more than the nominal"),
    Case(
        "borrows without cohort",
        QUEUE,
        both(drop("spec.cohortName"), put(f"{FIRST}.borrowingLimit", 1)),
        f"{FIRST}.borrowingLimit",
        "without a cohort",
    ),
    Case(
        "lends without cohort",
        QUEUE,
        both(drop("spec.cohortName"), put(f"{FIRST}.lendingLimit", 1)),
        f"{FIRST}.lendingLimit",
        "without a cohort",
    ),
    Case(
        "resources in another order",
        QUEUE,
        lambda found: found["spec"]["resourceGroups"][0]["flavors"][1]["resources"].reverse(),
        "spec.resourceGroups[0].flavors[1].resources[0].name",
        "'memory' has to be 'cpu'",
    ),
    Case(
        "a resource too few",
        QUEUE,
        lambda found: found["spec"]["resourceGroups"][0]["flavors"][1]["resources"].pop(),
        "spec.resourceGroups[0].flavors[1].resources",
        "has 1 resources, not the 2 of coveredResources",
    ),
    Case(
        "a flavor in two groups", QUEUE, group(flavor="a"), "spec.resourceGroups[1].flavors[0].name", "is there twice"
    ),
    Case(
        "a resource in two groups",
        QUEUE,
        group(resources=("cpu",)),
        "spec.resourceGroups[1].coveredResources[0]",
        "covered twice",
    ),
    Case(
        "a flavor twice in a group",
        QUEUE,
        put("spec.resourceGroups[0].flavors[1].name", "a"),
        "spec.resourceGroups[0].flavors[1]",
        "'a' comes twice",
    ),
    Case(
        "name of a resource",
        QUEUE,
        group(resources=("Example.com/gpu",)),
        "spec.resourceGroups[1].coveredResources[0]",
        "lower case domain name",
    ),
    Case(
        "no flavors",
        QUEUE,
        put("spec.resourceGroups[0].flavors", []),
        "spec.resourceGroups[0].flavors",
        "needs at least 1",
    ),
    Case(
        "too many groups",
        QUEUE,
        put("spec.resourceGroups", [GROUP] * 17),
        "spec.resourceGroups",
        "at most 16 are allowed",
    ),
    Case("negative weight", QUEUE, put("spec.fairSharing.weight", "-1"), "spec.fairSharing.weight", "is negative"),
    Case("tiny weight", QUEUE, put("spec.fairSharing.weight", "1n"), "spec.fairSharing.weight", "is too small"),
    Case(
        "borrows by preemption without reclaim",
        QUEUE,
        put("spec.preemption.borrowWithinCohort.policy", "LowerPriority"),
        "spec.preemption.borrowWithinCohort.policy",
        "needs reclaimWithinCohort",
    ),
    Case(
        "preference without search",
        QUEUE,
        put("spec.flavorFungibility.preference", "BorrowingOverPreemption"),
        "spec.flavorFungibility.preference",
        "can only be set when",
    ),
    Case(
        "operator of a selector",
        QUEUE,
        put("spec.namespaceSelector.matchExpressions", [{"key": "a", "operator": "Has"}]),
        "spec.namespaceSelector.matchExpressions[0].operator",
        "'Has' is none of",
    ),
    Case(
        "check on a flavor that is not there",
        QUEUE,
        put("spec.admissionChecksStrategy.admissionChecks", [{"name": "x", "onFlavors": ["z"]}]),
        "spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]",
        "'z' is no flavor of this ClusterQueue",
    ),
    Case(
        "cohort limits without parent",
        COHORT,
        both(drop("spec.parentName"), put(f"{FIRST}.lendingLimit", 1)),
        f"{FIRST}.lendingLimit",
        "without a parent",
    ),
    Case("own parent", COHORT, put("spec.parentName", "subject"), "spec.parentName", "its own parent"),
    Case("label of nodes", FLAVOR, put("spec.nodeLabels", {"a": "b c"}), "spec.nodeLabels", "not a valid label value"),
    Case(
        "effect of a taint",
        FLAVOR,
        put("spec.nodeTaints", [{"key": "a", "effect": "No"}]),
        "spec.nodeTaints[0].effect",
        "'No' is none of NoSchedule",
    ),
    Case(
        "a taint twice",
        FLAVOR,
        put("spec.nodeTaints", [{"key": "a", "effect": "NoSchedule"}] * 2),
        "spec.nodeTaints[1]",
        "is there already",
    ),
    Case(
        "toleration of everything",
        FLAVOR,
        put("spec.tolerations", [{"operator": "Equal"}]),
        "spec.tolerations[0].operator",
        "has to be Exists",
    ),
    Case(
        "topology without labels",
        FLAVOR,
        put("spec", {"topologyName": "racks"}),
        "spec.nodeLabels",
        "at least one is needed",
    ),
    Case(
        "host names above",
        TOPOLOGY,
        lambda found: found["spec"]["levels"].reverse(),
        "spec.levels[0].nodeLabel",
        "can only be the lowest level",
    ),
    Case(
        "a level twice",
        TOPOLOGY,
        put("spec.levels[1].nodeLabel", "rack"),
        "spec.levels[1].nodeLabel",
        "'rack' is there twice",
    ),
    Case("name of a queue", LOCAL, put("spec.clusterQueue", "A"), "spec.clusterQueue", "'A' is not valid"),
    Case("no controller", CHECK, drop("spec.controllerName"), "spec.controllerName", "is required"),
    Case("no value", CLASS, drop("value"), "value", "is required"),
    Case("value too large", CLASS, put("value", 2**40), "value", "is not between"),
    Case("no pods", WORKLOAD, put("spec.podSets", []), "spec.podSets", "needs at least 1"),
    Case("no template", WORKLOAD, drop("spec.podSets[0].template"), "spec.podSets[0].template", "is required"),
    Case(
        "field of a container",
        WORKLOAD,
        put("spec.podSets[0].template.spec.containers[0].resource", {}),
        "spec.podSets[0].template.spec.containers[0].resource",
        "did you mean resources?",
    ),
    Case(
        "negative request",
        WORKLOAD,
        put("spec.podSets[0].template.spec.containers[0].resources.requests.cpu", "-1"),
        "spec.podSets[0].template.spec.containers[0].resources.requests[cpu]",
        "-1 is negative",
    ),
    Case(
        "fewer pods than none",
        WORKLOAD,
        put("spec.podSets[0].minCount", 4),
        "spec.podSets[0].minCount",
        "4 is more than the count 3",
    ),
    Case(
        "class without priority",
        WORKLOAD,
        put("spec.priorityClassRef", {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"}),
        "spec.priority",
        "is required with priorityClassRef",
    ),
]


def read(found: Doc, state: ClusterState | None = None) -> manifests.Given:
    """Read a manifest against a state."""
    return manifests.read(found, state or ClusterState(), settings=Settings(), source="file.yaml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_refused(case: Case) -> None:
    changed = copy.deepcopy(case.base)
    case.change(changed)
    with pytest.raises(InputError) as caught:
        read(changed)
    assert (caught.value.path, caught.value.source) == (case.path, "file.yaml")
    assert case.problem in caught.value.problem
    assert caught.value.object.endswith("subject")


@pytest.mark.parametrize(
    "base", [QUEUE, COHORT, FLAVOR, TOPOLOGY, LOCAL, CHECK, CLASS, WORKLOAD], ids=lambda base: base["kind"]
)
def test_accepted(base: Doc) -> None:
    assert read(base).kind == base["kind"]


@dataclass(frozen=True)
class Update:
    """A manifest that can't take the place of what is there."""

    name: str
    base: Doc
    change: Change
    path: str


@pytest.mark.parametrize(
    "case",
    [
        Update("door of another queue", LOCAL, put("spec.clusterQueue", "other"), "spec.clusterQueue"),
        Update("another controller", CHECK, put("spec.controllerName", "other"), "spec.controllerName"),
        Update("levels", TOPOLOGY, put("spec.levels", [{"nodeLabel": "zone"}]), "spec.levels"),
    ],
    ids=lambda case: case.name,
)
def test_what_can_not_change(case: Update) -> None:
    given = read(case.base)
    state = manifests.put(ClusterState(), given, now=0)
    changed = copy.deepcopy(case.base)
    case.change(changed)
    with pytest.raises(InputError) as caught:
        read(changed, state)
    assert caught.value.path == case.path


def test_all_faults_are_told() -> None:
    changed = copy.deepcopy(QUEUE)
    put("spec.stopPolicy", "Stop")(changed)
    put("spec.foo", 1)(changed)
    with pytest.raises(InputError) as caught:
        read(changed)
    assert "spec.foo: unknown field" in caught.value.hint


def test_an_object_keeps_what_the_cluster_wrote() -> None:
    stored = manifests.put(ClusterState(), read(QUEUE), now=7)
    changed = copy.deepcopy(QUEUE)
    put("spec.stopPolicy", "Hold")(changed)
    put("metadata.labels", {"team": "a"})(changed)
    after = manifests.put(stored, read(changed, stored), now=9).cluster_queues["subject"]
    assert (after.creation, after.stop_policy, after.labels) == (7, "Hold", (("team", "a"),))
    assert after.uid == stored.cluster_queues["subject"].uid


def test_status_of_a_new_workload_is_dropped() -> None:
    held = {**WORKLOAD, "status": {"conditions": [{"type": "QuotaReserved", "status": "True"}]}}
    after = manifests.put(ClusterState(), read(held), now=1).workloads["team-a/subject"]
    assert after.conditions == ()


@pytest.mark.parametrize("base", [QUEUE, COHORT, FLAVOR, TOPOLOGY, LOCAL, CHECK], ids=lambda base: base["kind"])
def test_manifests_of_models_read_back_the_same(base: Doc) -> None:
    model = read(base).model
    assert isinstance(model, encode.Encodable)
    assert read(encode.manifest(model)).model == model


def test_old_version_is_checked_by_its_own_fields() -> None:
    old = copy.deepcopy(QUEUE)
    old["apiVersion"] = "kueue.x-k8s.io/v1beta1"
    with pytest.raises(InputError) as caught:
        read(old)
    assert caught.value.path == "spec.cohortName"
    old["spec"]["cohort"] = old["spec"].pop("cohortName")
    model = read(old).model
    assert isinstance(model, ClusterQueue)
    assert model.cohort == "all"
