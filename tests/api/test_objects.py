"""Whole objects of each kind, with every field that the model holds."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import pytest

from kueuectl import times
from kueuectl.api import objects, pods, quick, wire_pods
from kueuectl.api.pool import Pool
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
    NodeSelectorTerm,
    PreferredTerm,
    Requirement,
    Taint,
    Toleration,
)
from kueuectl.model.state import LimitRange, LimitRangeItem, Namespace, OwnerObject, PriorityClass, RuntimeClass
from kueuectl.model.workloads import (
    Admission,
    CheckState,
    Container,
    Eviction,
    Gate,
    Owner,
    PodSet,
    PodSetAssignment,
    PodSetUpdate,
    PodTemplate,
    PriorityClassRef,
    RequeueState,
    ResourceClaim,
    SliceConstraint,
    TopologyAssignment,
    TopologyDomain,
    TopologyRequest,
    Workload,
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


POD_SPEC = {
    "containers": [
        {
            "name": "c",
            "image": "i",
            "env": [{"name": "TOKEN", "value": "s"}],
            "resources": {
                "requests": {"memory": "1Gi", "cpu": "500m"},
                "limits": {"cpu": 1},
                "claims": [{"name": "g"}],
            },
        }
    ],
    "initContainers": [{"name": "side", "restartPolicy": "Always"}, {"name": "init", "resources": None}],
    "overhead": {"cpu": "1u"},
    "resources": {"requests": {"cpu": "2"}},
    "nodeSelector": {"pool": "x"},
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [{"key": "k", "operator": "Exists"}],
                        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}],
                    }
                ]
            },
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 5, "preference": {"matchExpressions": [{"key": "p", "operator": "Gt", "values": ["1"]}]}}
            ],
        }
    },
    "tolerations": [TOLERATION],
    "priorityClassName": "high",
    "runtimeClassName": "r",
    "resourceClaims": [
        {"name": "g", "resourceClaimTemplateName": "tmpl"},
        {"name": "h", "resourceClaimName": "claim"},
    ],
}
TEMPLATE = PodTemplate(
    containers=(
        Container(
            "c",
            requests=(("cpu", NANO // 2), ("memory", 2**30 * NANO)),
            limits=(("cpu", NANO),),
            claims=("g",),
        ),
    ),
    init_containers=(Container("side", is_sidecar=True), Container("init")),
    overhead=(("cpu", 1000),),
    pod_requests=(("cpu", 2 * NANO),),
    node_selector=(("pool", "x"),),
    node_affinity=(NodeSelectorTerm((Requirement("k", "Exists"),), (Requirement("metadata.name", "In", ("n1",)),)),),
    preferred_affinity=(PreferredTerm(5, NodeSelectorTerm((Requirement("p", "Gt", ("1",)),))),),
    tolerations=(MODEL_TOLERATION,),
    priority_class="high",
    runtime_class="r",
    resource_claims=(ResourceClaim("g", template="tmpl"), ResourceClaim("h", claim="claim")),
    labels=(("a", "b"),),
    annotations=(("kueue.x-k8s.io/podset-required-topology", "rack"),),
)


def test_workload_with_every_field() -> None:
    doc = {
        "apiVersion": V1BETA2,
        "kind": "Workload",
        "metadata": {
            **META,
            "namespace": "team-a",
            "generation": 4,
            "deletionTimestamp": AT,
            "annotations": {"x": "y", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
            "ownerReferences": [
                {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "ju", "controller": True}
            ],
        },
        "spec": {
            "queueName": "lq",
            "priority": 100,
            "priorityClassRef": {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"},
            "active": False,
            "maximumExecutionTimeSeconds": 60,
            "preemptionGates": [{"name": "gate"}, {"name": "other"}],
            "podSets": [
                {
                    "name": "workers",
                    "count": 3,
                    "minCount": 2,
                    "template": {
                        "metadata": {
                            "labels": {"a": "b"},
                            "annotations": {"kueue.x-k8s.io/podset-required-topology": "rack"},
                        },
                        "spec": POD_SPEC,
                    },
                    "topologyRequest": {
                        "required": "rack",
                        "preferred": "block",
                        "unconstrained": True,
                        "podIndexLabel": "i",
                        "subGroupIndexLabel": "s",
                        "subGroupCount": 2,
                        "podSetGroupName": "g",
                        "podSetSliceRequiredTopology": "rack",
                        "podSetSliceSize": 4,
                        "podsetSliceRequiredTopologyConstraints": [{"topology": "rack", "size": 2}],
                    },
                },
                {},
            ],
        },
        "status": {
            "conditions": [CONDITION],
            "admission": {
                "clusterQueue": "cq",
                "podSetAssignments": [
                    {
                        "name": "workers",
                        "count": 2,
                        "flavors": {"memory": "m", "cpu": "f"},
                        "resourceUsage": {"cpu": "1", "memory": "1Ki"},
                        "topologyAssignment": {
                            "levels": ["block", "rack"],
                            "slices": [
                                {
                                    "domainCount": 2,
                                    "valuesPerLevel": [
                                        {"universal": "b0"},
                                        {"individual": {"prefix": "r", "suffix": "z", "roots": ["0", "1"]}},
                                    ],
                                    "podCounts": {"individual": [3, 1]},
                                },
                                {
                                    "domainCount": 1,
                                    "valuesPerLevel": [{"universal": "b1"}, {"individual": {"roots": ["r9"]}}],
                                    "podCounts": {"universal": 2},
                                },
                            ],
                        },
                        "delayedTopologyRequest": "Pending",
                    }
                ],
            },
            "requeueState": {"count": 2, "requeueAt": AT},
            "reclaimablePods": [{"name": "workers", "count": 1}],
            "admissionChecks": [
                {
                    "name": "check",
                    "state": "Retry",
                    "message": "later",
                    "lastTransitionTime": AT,
                    "requeueAfterSeconds": 5,
                    "retryCount": 1,
                    "podSetUpdates": [
                        {
                            "name": "workers",
                            "labels": {"l": "1"},
                            "annotations": {"a": "1"},
                            "nodeSelector": {"s": "1"},
                            "tolerations": [TOLERATION],
                        }
                    ],
                }
            ],
            "accumulatedPastExecutionTimeSeconds": 9,
            "nominatedClusterNames": ["w1"],
            "clusterName": "w2",
            "unhealthyNodes": [{"name": "n1"}],
            "schedulingStats": {"evictions": [{"reason": "Preempted", "underlyingCause": "c", "count": 2}]},
            "resourceRequests": [{"name": "workers", "resources": {"cpu": "3"}}],
            "preemptionGates": [{"name": "gate", "position": "Open", "lastTransitionTime": AT}],
        },
    }
    assert objects.decode(doc) == Workload(
        namespace="team-a",
        name="n",
        uid="u",
        creation=T,
        queue_name="lq",
        priority=100,
        priority_class=PriorityClassRef("kueue.x-k8s.io", "WorkloadPriorityClass", "high"),
        active=False,
        pod_sets=(
            PodSet(
                name="workers",
                count=3,
                template=TEMPLATE,
                min_count=2,
                topology_request=TopologyRequest(
                    required="rack",
                    preferred="block",
                    unconstrained=True,
                    pod_index_label="i",
                    sub_group_index_label="s",
                    sub_group_count=2,
                    pod_set_group="g",
                    slice_required="rack",
                    slice_size=4,
                    slice_constraints=(SliceConstraint("rack", 2),),
                ),
            ),
            PodSet("main", 1, PodTemplate()),
        ),
        maximum_execution_seconds=60,
        preemption_gates=(Gate("gate", "Open", T), Gate("other")),
        labels=(("team", "a"),),
        annotations=(("x", "y"),),
        owners=(Owner("batch/v1", "Job", "j", "ju", True),),
        generation=4,
        resource_version="7",
        deletion=T,
        conditions=(ACTIVE,),
        admission=Admission(
            "cq",
            (
                PodSetAssignment(
                    name="workers",
                    flavors=(("cpu", "f"), ("memory", "m")),
                    usage=(("cpu", 1000), ("memory", 1024)),
                    count=2,
                    topology=TopologyAssignment(
                        ("block", "rack"),
                        (
                            TopologyDomain(("b0", "r0z"), 3),
                            TopologyDomain(("b0", "r1z"), 1),
                            TopologyDomain(("b1", "r9"), 2),
                        ),
                    ),
                    delayed_topology="Pending",
                ),
            ),
        ),
        requeue=RequeueState(2, T),
        reclaimable_pods=(("workers", 1),),
        checks=(
            CheckState(
                name="check",
                state="Retry",
                message="later",
                last_transition=T,
                requeue_after_seconds=5,
                retry_count=1,
                pod_set_updates=(
                    PodSetUpdate("workers", (("l", "1"),), (("a", "1"),), (("s", "1"),), (MODEL_TOLERATION,)),
                ),
            ),
        ),
        past_execution_seconds=9,
        nominated_clusters=("w1",),
        cluster_name="w2",
        unhealthy_nodes=("n1",),
        evictions=(Eviction("Preempted", "c", 2),),
        resource_requests=(("workers", (("cpu", 3000),)),),
    )


def test_a_workload_as_it_is_keeps_its_missing_namespace() -> None:
    doc = {"apiVersion": V1BETA2, "kind": "Workload", "metadata": {"name": "Odd_Name"}}
    found = objects.decode(doc, strict=False)
    assert isinstance(found, Workload)
    assert found.key == "/Odd_Name"


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


def test_equal_pod_specs_are_one_object_and_labels_stay_apart() -> None:
    pool = Pool()

    def template(job: str, arguments: list[str]) -> PodTemplate:
        text = wire_pods.PodTemplate(metadata=wire_pods.TemplateMeta(labels={"job": job}))
        text.spec = _text({**POD_SPEC, "containers": [{**POD_SPEC["containers"][0], "args": arguments}]})  # type: ignore[index]
        return pods.template(text, pool)

    first, second = template("a", ["--run=1"]), template("b", ["--run=2"])
    assert first.containers is second.containers
    assert (first.labels, second.labels) == ((("job", "a"),), (("job", "b"),))


def test_a_labelled_template_keeps_every_field_of_its_spec() -> None:
    names = [field.name for field in fields(PodTemplate) if field.name not in ("labels", "annotations")]
    pool = Pool()
    whole = PodTemplate(**{name: name for name in names})  # type: ignore[arg-type]
    pool.keep_template(b"{}", whole)
    meta = wire_pods.TemplateMeta(labels={"a": "b"}, annotations={"c": "d"})
    found = pods.template(wire_pods.PodTemplate(metadata=meta), pool)
    assert {name: getattr(found, name) for name in names} == {name: name for name in names}
    assert (found.labels, found.annotations) == ((("a", "b"),), (("c", "d"),))


def _text(spec: dict[str, Any]) -> wire_pods.PodSpecText:
    import msgspec

    return msgspec.json.decode(msgspec.json.encode(spec), type=wire_pods.PodSpecText)


def test_quick_constructor_makes_real_instances() -> None:
    make = quick.constructor(Condition)
    made = make("Active", "True", message="m")
    assert made == Condition("Active", "True", message="m")
    assert type(made) is Condition
    with pytest.raises(AttributeError):
        made.type = "x"  # type: ignore[misc]
