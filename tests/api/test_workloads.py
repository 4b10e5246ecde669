"""Workloads with every field, and the pod templates that they share."""

from __future__ import annotations

from typing import Any

from kueuectl import times
from kueuectl.api import objects, pods, wire_pods
from kueuectl.api.pool import Pool
from kueuectl.model.conditions import Condition
from kueuectl.model.selectors import (
    NodeSelectorTerm,
    PreferredTerm,
    Requirement,
    Toleration,
)
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
TOLERATION = {"key": "k", "operator": "Equal", "value": "v", "effect": "NoExecute", "tolerationSeconds": 30}
MODEL_TOLERATION = Toleration("k", "Equal", "v", "NoExecute", 30)


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
    labels=(("kueue.x-k8s.io/podset", "workers"),),
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
                            "labels": {"a": "b", "kueue.x-k8s.io/podset": "workers"},
                            "annotations": {"kueue.x-k8s.io/podset-required-topology": "rack", "note": "x"},
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


def test_equal_pod_specs_are_one_object_whatever_the_job_is_called() -> None:
    pool = Pool()

    def template(labels: dict[str, str], arguments: list[str]) -> PodTemplate:
        text = wire_pods.PodTemplate(metadata=wire_pods.TemplateMeta(labels=labels))
        text.spec = _text({**POD_SPEC, "containers": [{**POD_SPEC["containers"][0], "args": arguments}]})  # type: ignore[index]
        return pods.template(text, pool)

    first, second = template({"job": "a"}, ["--run=1"]), template({"job": "b"}, ["--run=2"])
    assert first is second
    gang = template({"kueue.x-k8s.io/podset": "gang"}, [])
    assert gang.containers is first.containers
    assert gang.labels == (("kueue.x-k8s.io/podset", "gang"),)
    assert gang is template({"kueue.x-k8s.io/podset": "gang", "job": "c"}, [])


def test_workloads_of_one_shape_share_what_they_have_alike() -> None:
    def workload(name: str) -> dict[str, Any]:
        assignment = {"name": "main", "count": 1, "flavors": {"cpu": "f"}, "resourceUsage": {"cpu": "1"}}
        return {
            "apiVersion": V1BETA2,
            "kind": "Workload",
            "metadata": {"name": name, "namespace": "team-a"},
            "spec": {"podSets": [{"name": "main", "count": 1, "topologyRequest": {"required": "rack"}}]},
            "status": {
                "admission": {"clusterQueue": "cq", "podSetAssignments": [assignment]},
                "resourceRequests": [{"name": "main", "resources": {"cpu": "1"}}],
            },
        }

    found = objects.decode_state([("x", workload("a")), ("x", workload("b"))]).workloads
    first, second = found["team-a/a"], found["team-a/b"]
    assert first.pod_sets is second.pod_sets
    assert first.admission is second.admission
    assert first.resource_requests is second.resource_requests


def _text(spec: dict[str, Any]) -> wire_pods.PodSpecText:
    import msgspec

    return msgspec.json.decode(msgspec.json.encode(spec), type=wire_pods.PodSpecText)
