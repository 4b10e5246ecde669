"""Whole objects of each kind, with every field that the model holds."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kueuectl import times
from kueuectl.api import objects
from kueuectl.model.conditions import Condition
from kueuectl.model.flavors import AdmissionCheck, Node, ResourceFlavor, Topology
from kueuectl.model.queues import (
    AdmissionCheckRule,
    ClusterQueue,
    Cohort,
    FlavorFungibility,
    FlavorQuotas,
    FlavorUsage,
    LocalQueue,
    Preemption,
    QueueStatus,
    ResourceGroup,
    ResourceQuota,
)
from kueuectl.model.selectors import (
    LabelSelector,
    Requirement,
    Taint,
    Toleration,
)
from kueuectl.model.state import LimitRange, LimitRangeItem, Namespace, OwnerObject, PriorityClass, RuntimeClass
from kueuectl.model.workloads import (
    Owner,
)
from kueuectl.quantity import NANO

V1BETA2 = "kueue.x-k8s.io/v1beta2"
AT = "2026-11-29T17:00:05Z"
T = times.parse(AT)
META = {"name": "n", "uid": "u", "creationTimestamp": AT, "resourceVersion": "7", "labels": {"team": "a"}}
CONDITION = {
    "type": "Active",
    "status": "True",
    "reason": "Ready",
    "message": "m",
    "lastTransitionTime": AT,
    "observedGeneration": 3,
}
ACTIVE = Condition("Active", "True", "Ready", "m", T, 3)
QUOTA = {"name": "cpu", "nominalQuota": "1500m", "borrowingLimit": 2, "lendingLimit": "0"}
GROUPS = [{"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [QUOTA]}]}]
MODEL_GROUPS = (ResourceGroup(("cpu",), (FlavorQuotas("f", (ResourceQuota("cpu", 1500, 2000, 0),)),)),)
TOLERATION = {"key": "k", "operator": "Equal", "value": "v", "effect": "NoExecute", "tolerationSeconds": 30}
MODEL_TOLERATION = Toleration("k", "Equal", "v", "NoExecute", 30)


class Case(NamedTuple):
    name: str
    doc: dict[str, Any]
    want: object


CASES = [
    Case(
        "a ClusterQueue with every field",
        {
            "apiVersion": V1BETA2,
            "kind": "ClusterQueue",
            "metadata": {**META, "generation": 2, "deletionTimestamp": AT, "managedFields": [{"manager": "x"}]},
            "spec": {
                "cohortName": "c",
                "resourceGroups": GROUPS,
                "queueingStrategy": "StrictFIFO",
                "namespaceSelector": {
                    "matchLabels": {"b": "2", "a": "1"},
                    "matchExpressions": [{"key": "k", "operator": "In", "values": ["x", "y"]}],
                },
                "flavorFungibility": {
                    "whenCanBorrow": "TryNextFlavor",
                    "whenCanPreempt": "TryNextFlavor",
                    "preference": "PreemptionOverBorrowing",
                },
                "preemption": {
                    "withinClusterQueue": "LowerPriority",
                    "reclaimWithinCohort": "Any",
                    "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 5},
                },
                "admissionChecksStrategy": {"admissionChecks": [{"name": "check", "onFlavors": ["f"]}]},
                "stopPolicy": "Hold",
                "fairSharing": {"weight": "500m"},
                "admissionScope": {"admissionMode": "UsageBasedAdmissionFairSharing"},
                "concurrentAdmissionPolicy": {
                    "migration": {"mode": "TryPreferredFlavors", "constraints": {"lastAcceptableFlavorName": "f"}}
                },
            },
            "status": {
                "conditions": [CONDITION],
                "pendingWorkloads": 1,
                "reservingWorkloads": 2,
                "admittedWorkloads": 3,
                "flavorsUsage": [{"name": "f", "resources": [{"name": "cpu", "total": "2", "borrowed": "500m"}]}],
                "flavorsReservation": [{"name": "f", "resources": [{"name": "memory", "total": "1Ki"}]}],
                "fairSharing": {"weightedShare": 42},
            },
        },
        ClusterQueue(
            name="n",
            cohort="c",
            resource_groups=MODEL_GROUPS,
            queueing_strategy="StrictFIFO",
            namespace_selector=LabelSelector((("a", "1"), ("b", "2")), (Requirement("k", "In", ("x", "y")),)),
            flavor_fungibility=FlavorFungibility("TryNextFlavor", "TryNextFlavor", "PreemptionOverBorrowing"),
            preemption=Preemption("LowerPriority", "Any", "LowerPriority", 5),
            admission_checks=(AdmissionCheckRule("check", ("f",)),),
            stop_policy="Hold",
            fair_weight=0.5,
            admission_mode="UsageBasedAdmissionFairSharing",
            concurrent_admission_mode="TryPreferredFlavors",
            last_acceptable_flavor="f",
            uid="u",
            creation=T,
            generation=2,
            resource_version="7",
            deletion=T,
            labels=(("team", "a"),),
            status=QueueStatus(
                conditions=(ACTIVE,),
                pending=1,
                reserving=2,
                admitted=3,
                usage=(FlavorUsage("f", "cpu", 2000, 500),),
                reservation=(FlavorUsage("f", "memory", 1024),),
                weighted_share=42,
            ),
        ),
    ),
    Case(
        "a ClusterQueue with nothing in it has the API's defaults",
        {"apiVersion": V1BETA2, "kind": "ClusterQueue", "metadata": {"name": "n"}},
        ClusterQueue(name="n", preemption=Preemption("Never", "Never", "Never")),
    ),
    Case(
        "null stands for missing everywhere",
        {
            "apiVersion": V1BETA2,
            "kind": "ClusterQueue",
            "metadata": {"name": "n", "labels": None, "creationTimestamp": None},
            "spec": {"resourceGroups": None, "namespaceSelector": None, "preemption": None, "fairSharing": None},
            "status": None,
        },
        ClusterQueue(name="n"),
    ),
    Case(
        "an empty namespace selector is kept apart from a missing one",
        {
            "apiVersion": V1BETA2,
            "kind": "ClusterQueue",
            "metadata": {"name": "n"},
            "spec": {"namespaceSelector": {}, "fairSharing": {}},
        },
        ClusterQueue(name="n", namespace_selector=LabelSelector(), fair_weight=1.0),
    ),
    Case(
        "a LocalQueue with consumed resources",
        {
            "apiVersion": V1BETA2,
            "kind": "LocalQueue",
            "metadata": {**META, "namespace": "team-a"},
            "spec": {"clusterQueue": "cq", "stopPolicy": "HoldAndDrain", "fairSharing": {"weight": 2}},
            "status": {
                "flavorsUsage": [{"name": "f", "resources": [{"name": "cpu", "total": "1"}]}],
                "fairSharing": {
                    "weightedShare": 9,
                    "admissionFairSharingStatus": {"consumedResources": {"cpu": "250m"}, "lastUpdate": AT},
                },
            },
        },
        LocalQueue(
            namespace="team-a",
            name="n",
            cluster_queue="cq",
            stop_policy="HoldAndDrain",
            fair_weight=2.0,
            uid="u",
            creation=T,
            resource_version="7",
            labels=(("team", "a"),),
            status=QueueStatus(
                usage=(FlavorUsage("f", "cpu", 1000),), weighted_share=9, consumed=(("cpu", 250),), consumed_at=T
            ),
        ),
    ),
    Case(
        "a namespaced object without a namespace is in the default one",
        {"apiVersion": V1BETA2, "kind": "LocalQueue", "metadata": {"name": "n"}, "spec": {"clusterQueue": "cq"}},
        LocalQueue(namespace="default", name="n", cluster_queue="cq"),
    ),
    Case(
        "a Cohort",
        {
            "apiVersion": V1BETA2,
            "kind": "Cohort",
            "metadata": META,
            "spec": {"parentName": "p", "resourceGroups": GROUPS, "fairSharing": {"weight": "0"}},
            "status": {"fairSharing": {"weightedShare": 3}},
        },
        Cohort(
            name="n",
            parent="p",
            resource_groups=MODEL_GROUPS,
            fair_weight=0.0,
            uid="u",
            creation=T,
            resource_version="7",
            labels=(("team", "a"),),
            weighted_share=3,
        ),
    ),
    Case(
        "a ResourceFlavor",
        {
            "apiVersion": V1BETA2,
            "kind": "ResourceFlavor",
            "metadata": META,
            "spec": {
                "nodeLabels": {"pool": "x"},
                "nodeTaints": [{"key": "k", "value": "v", "effect": "NoSchedule"}],
                "tolerations": [TOLERATION],
                "topologyName": "t",
            },
        },
        ResourceFlavor(
            name="n",
            node_labels=(("pool", "x"),),
            node_taints=(Taint("k", "v", "NoSchedule"),),
            tolerations=(MODEL_TOLERATION,),
            topology="t",
            uid="u",
            creation=T,
            resource_version="7",
            labels=(("team", "a"),),
        ),
    ),
    Case(
        "a Topology",
        {
            "apiVersion": V1BETA2,
            "kind": "Topology",
            "metadata": META,
            "spec": {"levels": [{"nodeLabel": "block"}, {"nodeLabel": "rack"}]},
        },
        Topology("n", ("block", "rack"), uid="u", creation=T, resource_version="7", labels=(("team", "a"),)),
    ),
    Case(
        "an AdmissionCheck",
        {
            "apiVersion": V1BETA2,
            "kind": "AdmissionCheck",
            "metadata": META,
            "spec": {"controllerName": "c", "parameters": {"apiGroup": "g", "kind": "K", "name": "p"}},
            "status": {"conditions": [CONDITION]},
        },
        AdmissionCheck(
            name="n",
            controller="c",
            parameters=("K", "p"),
            conditions=(ACTIVE,),
            uid="u",
            creation=T,
            resource_version="7",
            labels=(("team", "a"),),
        ),
    ),
    Case(
        "a WorkloadPriorityClass",
        {"apiVersion": V1BETA2, "kind": "WorkloadPriorityClass", "metadata": META, "value": -5},
        PriorityClass("WorkloadPriorityClass", "n", -5, creation=T),
    ),
    Case(
        "a PriorityClass",
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "n"},
            "value": 10,
            "globalDefault": True,
            "preemptionPolicy": "Never",
        },
        PriorityClass("PriorityClass", "n", 10, True, "Never"),
    ),
    Case(
        "a Namespace gets the label that the API server keeps on every one",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "labels": {"a": "b"}}},
        Namespace("n", (("a", "b"), ("kubernetes.io/metadata.name", "n"))),
    ),
    Case(
        "a Node",
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "n", "labels": {"a": "b"}, "uid": "u", "creationTimestamp": AT},
            "spec": {"unschedulable": True, "taints": [{"key": "k", "effect": "NoSchedule"}]},
            "status": {
                "allocatable": {"memory": "1Gi", "cpu": "1500m", "pods": 110},
                "conditions": [{"type": "Ready", "status": "False"}],
            },
        },
        Node(
            name="n",
            labels=(("a", "b"),),
            taints=(Taint("k", "", "NoSchedule"),),
            allocatable=(("cpu", 1500), ("memory", 2**30), ("pods", 110)),
            is_ready=False,
            unschedulable=True,
            uid="u",
            creation=T,
        ),
    ),
    Case(
        "a LimitRange",
        {
            "apiVersion": "v1",
            "kind": "LimitRange",
            "metadata": {"name": "n", "namespace": "team-a"},
            "spec": {
                "limits": [
                    {
                        "type": "Container",
                        "max": {"cpu": "2"},
                        "min": {"cpu": "1"},
                        "default": {"cpu": "1500m"},
                        "defaultRequest": {"cpu": "1200m"},
                        "maxLimitRequestRatio": {"cpu": "1.5"},
                    }
                ]
            },
        },
        LimitRange(
            "team-a",
            "n",
            (
                LimitRangeItem(
                    "Container",
                    max=(("cpu", 2 * NANO),),
                    min=(("cpu", NANO),),
                    default=(("cpu", NANO * 3 // 2),),
                    default_request=(("cpu", NANO * 6 // 5),),
                    max_ratio=(("cpu", NANO * 3 // 2),),
                ),
            ),
        ),
    ),
    Case(
        "a RuntimeClass with overhead",
        {
            "apiVersion": "node.k8s.io/v1",
            "kind": "RuntimeClass",
            "metadata": {"name": "n"},
            "overhead": {"podFixed": {"cpu": "250m"}},
        },
        RuntimeClass("n", (("cpu", NANO // 4),)),
    ),
    Case(
        "a RuntimeClass without overhead",
        {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "n"}},
        RuntimeClass("n"),
    ),
    Case(
        "a Job is an owner",
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {**META, "namespace": "team-a", "annotations": {"x": "y"}},
            "spec": {"suspend": True, "parallelism": 3},
            "status": {"conditions": [{"type": "Suspended", "status": "True", "reason": "r", "message": "m"}]},
        },
        OwnerObject(
            api_version="batch/v1",
            kind="Job",
            namespace="team-a",
            name="n",
            uid="u",
            creation=T,
            labels=(("team", "a"),),
            annotations=(("x", "y"),),
            suspended=True,
            conditions=(("Suspended", "True", "r", "m"),),
        ),
    ),
    Case(
        "a Kubeflow job is suspended in its run policy",
        {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": "n", "namespace": "team-a"},
            "spec": {"runPolicy": {"suspend": False}},
        },
        OwnerObject("kubeflow.org/v1", "PyTorchJob", "team-a", "n", suspended=False),
    ),
    Case(
        "a Pod",
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "n",
                "namespace": "team-a",
                "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u"}],
            },
            "spec": {"nodeName": "node-1", "schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]},
            "status": {"phase": "Pending"},
        },
        OwnerObject(
            "v1",
            "Pod",
            "team-a",
            "n",
            owners=(Owner("batch/v1", "Job", "j", "u"),),
            phase="Pending",
            node="node-1",
            gates=("kueue.x-k8s.io/admission",),
        ),
    ),
    Case(
        "an object that uses the fields of a job for something else is still an owner",
        {
            "apiVersion": "example.com/v1",
            "kind": "Thing",
            "metadata": {"name": "n", "namespace": "team-a"},
            "spec": "text",
            "status": {"conditions": "none", "phase": 7},
        },
        OwnerObject("example.com/v1", "Thing", "team-a", "n"),
    ),
    Case(
        "a Workload of another group is an owner",
        {
            "apiVersion": "scheduling.k8s.io/v1alpha1",
            "kind": "Workload",
            "metadata": {"name": "n", "namespace": "team-a"},
            "spec": {"podSets": 7},
        },
        OwnerObject("scheduling.k8s.io/v1alpha1", "Workload", "team-a", "n"),
    ),
    Case(
        "a Secret is not even looked at",
        {"apiVersion": "v1", "kind": "Secret", "metadata": 7, "data": {"token": "x"}},
        None,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_object(case: Case) -> None:
    assert objects.decode(case.doc) == case.want


UNSET = [
    ("no block at all", None, Preemption("Never", "Never", None)),
    ("an empty block", {}, Preemption("", "", None)),
    ("a block with one policy", {"reclaimWithinCohort": "Any"}, Preemption("", "Any", None)),
    ("a borrow block without policy", {"borrowWithinCohort": {}}, Preemption("", "", "")),
]


@pytest.mark.parametrize(("name", "block", "want"), UNSET, ids=[name for name, _, _ in UNSET])
def test_preemption_as_it_is_keeps_unset_apart(name: str, block: dict[str, Any] | None, want: Preemption) -> None:
    doc = {"apiVersion": V1BETA2, "kind": "ClusterQueue", "metadata": {"name": "Q"}, "spec": {"preemption": block}}
    found = objects.decode(doc, strict=False)
    assert isinstance(found, ClusterQueue)
    assert found.preemption == want
