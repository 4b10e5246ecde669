"""Every rule: what it finds, and what it leaves alone. Cases change a sound cluster, in which nothing is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from kueuectl.analysis.lint.findings import Code, Severity
from kueuectl.analysis.lint.scene import Origin
from tests.lint import build
from tests.lint.build import Doc, check, cohort, door, flavor, judge, namespace, node, queue, with_changes, workload

STD = {"std": {"cpu": "8", "memory": "32Gi"}}
QUOTA = "spec.resourceGroups[0].flavors[0].resources"
CHECKS = "spec.admissionChecksStrategy.admissionChecks"
MULTIKUEUE = "kueue.x-k8s.io/multikueue"
PROVISIONING = "kueue.x-k8s.io/provisioning-request"
TAINT = {"key": "gpu", "value": "true", "effect": "NoSchedule"}


@dataclass(frozen=True)
class Case:
    """Changes to the sound cluster, and the findings (code, object, path) that they bring."""

    name: str
    changes: list[Doc]
    want: set[tuple[str, str, str]] = field(default_factory=set)
    config: dict[str, Any] = field(default_factory=dict)


def checked(*names: str, on: str = "") -> dict[str, Any]:
    rules = [{"name": name, **({"onFlavors": [on]} if on else {})} for name in names]
    return {"admissionChecksStrategy": {"admissionChecks": rules}}


REFERENCES = [
    Case(
        "a flavor that does not exist",
        [queue("one", {"std": STD["std"], "stdd": {"cpu": "1", "memory": "1Gi"}}, cohortName="all")],
        {("FLAVOR_MISSING", "ClusterQueue one", "spec.resourceGroups[0].flavors[1].name")},
    ),
    Case(
        "a flavor of a cohort that does not exist",
        [cohort("all", {"gone": {"cpu": "1"}})],
        {
            ("FLAVOR_MISSING", "Cohort all", "spec.resourceGroups[0].flavors[0].name"),
            ("COHORT_QUOTA_UNREACHABLE", "Cohort all", f"{QUOTA}[0]"),
        },
    ),
    Case(
        "a topology that does not exist",
        [
            flavor("std", nodeLabels={"pool": "std"}, topologyName="dc"),
            build.doc("Topology", "other", spec={"levels": [{"nodeLabel": "rack"}]}),
        ],
        {
            ("TOPOLOGY_MISSING", "ResourceFlavor std", "spec.topologyName"),
            ("TOPOLOGY_UNUSED", "Topology other", ""),
        },
    ),
    Case(
        "a check that does not exist, beside one that nobody uses",
        [queue("one", STD, cohortName="all", **checked("gone")), check("spare")],
        {
            ("ADMISSION_CHECK_MISSING", "ClusterQueue one", f"{CHECKS}[0].name"),
            ("ADMISSION_CHECK_UNUSED", "AdmissionCheck spare", ""),
        },
    ),
    Case(
        "a check that is not active",
        [queue("one", STD, cohortName="all", **checked("slow")), check("slow", active="False")],
        {("ADMISSION_CHECK_INACTIVE", "ClusterQueue one", f"{CHECKS}[0].name")},
    ),
    Case(
        "two MultiKueue checks",
        [
            queue("one", STD, cohortName="all", **checked("a", "b")),
            check("a", MULTIKUEUE),
            check("b", MULTIKUEUE),
        ],
        {("MULTIKUEUE_CHECK_MISUSED", "ClusterQueue one", CHECKS)},
    ),
    Case(
        "a check on a flavor of somebody else",
        [queue("one", STD, cohortName="all", **checked("a", on="spot")), check("a")],
        {("CHECK_FLAVOR_UNKNOWN", "ClusterQueue one", f"{CHECKS}[0].onFlavors[0]")},
    ),
    Case(
        "a LocalQueue without ClusterQueue",
        [door("lost", "thre")],
        {("CLUSTER_QUEUE_MISSING", "LocalQueue team-a/lost", "spec.clusterQueue")},
    ),
    Case(
        "two workloads without a LocalQueue are one finding, finished ones none",
        [
            workload("w1", "ones", cpu="1"),
            workload("w2", "ones", cpu="1"),
            workload("w3", "gone", cpu="1") | {"status": {"conditions": [{"type": "Finished", "status": "True"}]}},
        ],
        {("LOCAL_QUEUE_MISSING", "Workload team-a/w1", "spec.queueName")},
    ),
]

QUEUES = [
    Case(
        "no namespace selector",
        [queue("one", STD, cohortName="all", namespaceSelector=None)],
        {("NAMESPACE_SELECTOR_MISSING", "ClusterQueue one", "spec.namespaceSelector")},
    ),
    Case(
        "a selector that matches nothing, and the LocalQueue that suffers",
        [queue("one", STD, cohortName="all", namespaceSelector={"matchLabels": {"team": "b"}})],
        {
            ("NAMESPACE_SELECTOR_EMPTY", "ClusterQueue one", "spec.namespaceSelector"),
            ("NAMESPACE_NOT_SELECTED", "LocalQueue team-a/one", "spec.clusterQueue"),
        },
    ),
    Case(
        "a selector that matches another namespace than that of the LocalQueue",
        [
            namespace("team-b", team="b"),
            queue("one", STD, cohortName="all", namespaceSelector={"matchLabels": {"team": "b"}}),
        ],
        {("NAMESPACE_NOT_SELECTED", "LocalQueue team-a/one", "spec.clusterQueue")},
    ),
    Case(
        "a ClusterQueue without quota and without LocalQueue",
        [queue("idle")],
        {
            ("QUEUE_WITHOUT_QUOTA", "ClusterQueue idle", "spec.resourceGroups"),
            ("QUEUE_WITHOUT_DOOR", "ClusterQueue idle", ""),
        },
    ),
    Case(
        "a stopped queue that somebody waits in",
        [door("one", "one", stopPolicy="Hold"), door("two", "two", stopPolicy="Hold")],
        {("QUEUE_STOPPED", "LocalQueue team-a/one", "spec.stopPolicy")},
    ),
]

QUOTAS = [
    Case(
        "more than the nodes have, in one queue",
        [queue("one", {"std": {"cpu": "33", "memory": "32Gi"}}, cohortName="all")],
        {("QUOTA_ABOVE_CAPACITY", "ClusterQueue one", f"{QUOTA}[0].nominalQuota")},
    ),
    Case(
        "more than the nodes have, in all queues together",
        [queue("one", {"std": {"cpu": "25", "memory": "32Gi"}}, cohortName="all")],
        {("QUOTA_ABOVE_CAPACITY", "ResourceFlavor std", "")},
    ),
    Case(
        "quota of jobs that run on nodes made for them is no claim on the nodes that are there",
        [
            queue("one", {"std": {"cpu": "900", "memory": "32Gi"}}, cohortName="all", **checked("make")),
            check("make", PROVISIONING),
        ],
    ),
    Case(
        "a resource that no node offers",
        [queue("one", {"std": {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "4"}}, cohortName="all")],
        {("QUOTA_WITHOUT_CAPACITY", "ClusterQueue one", f"{QUOTA}[2].nominalQuota")},
    ),
    Case(
        "a resource that the configuration makes up needs no nodes",
        [queue("one", {"std": {"cpu": "8", "memory": "32Gi", "example.com/credits": "4"}}, cohortName="all")],
        config={
            "resources": {
                "transformations": [{"input": "nvidia.com/gpu", "outputs": {"example.com/credits": "1"}}],
            }
        },
    ),
    Case(
        "memory in bytes",
        [queue("one", {"std": {"cpu": "8", "memory": "32"}}, cohortName="all")],
        {("UNIT_SCALE", "ClusterQueue one", f"{QUOTA}[1].nominalQuota")},
    ),
    Case(
        "a counter of devices as a count, in a cohort that counts bytes",
        [
            queue("one", {"std": {"cpu": "8", "memory": "32Gi"}}, {"mig": {"gpu.memory": "1"}}, cohortName="all"),
            queue("two", {"std": {"cpu": "8", "memory": "32Gi"}}, {"mig": {"gpu.memory": "20Gi"}}, cohortName="all"),
            flavor("mig"),
        ],
        {("UNIT_SCALE", "ClusterQueue one", "spec.resourceGroups[1].flavors[0].resources[0].nominalQuota")},
        config={
            "resources": {"deviceClassMappings": [{"name": "gpu.memory", "deviceClassNames": ["mig.example.com"]}]}
        },
    ),
    Case(
        "a lot and a little of the same unit",
        [
            queue("one", {"std": {"cpu": "1", "memory": "1Gi"}}, cohortName="all"),
            queue("two", {"std": {"cpu": "31", "memory": "100Gi"}}, cohortName="all"),
        ],
    ),
    Case(
        "a borrowing limit where nobody lends",
        [
            queue("one", {"std": {"cpu": {"nominalQuota": "8", "borrowingLimit": "4"}}}, cohortName="all"),
            queue("two", {"std": {"cpu": {"nominalQuota": "8", "lendingLimit": "0"}}}, cohortName="all"),
            workload("small", "one", cpu="2"),
        ],
        {("BORROWING_IMPOSSIBLE", "ClusterQueue one", f"{QUOTA}[0].borrowingLimit")},
    ),
    Case(
        "a borrowing limit on a flavor that nobody else has",
        [
            queue(
                "one",
                {"std": STD["std"]},
                {"spot": {"gpu": {"nominalQuota": "1", "borrowingLimit": "4"}}},
                cohortName="all",
            ),
            flavor("spot", nodeLabels={"pool": "spot"}),
            node("n-2", {"pool": "spot"}, cpu="8", gpu="8") | {"status": {"allocatable": {"gpu": "8"}}},
        ],
        {
            (
                "BORROWING_IMPOSSIBLE",
                "ClusterQueue one",
                "spec.resourceGroups[1].flavors[0].resources[0].borrowingLimit",
            )
        },
    ),
    Case(
        "a cohort's quota of something that no queue below has",
        [
            cohort("all", {"std": {"nvidia.com/gpu": "4"}}),
            node("n-1", {"pool": "std"}, cpu="16", memory="64Gi", gpu="8"),
        ],
        {("COHORT_QUOTA_UNREACHABLE", "Cohort all", f"{QUOTA}[0]")},
    ),
    Case(
        "a resource that the configuration leaves out",
        [],
        {
            ("RESOURCE_EXCLUDED", "ClusterQueue one", "spec.resourceGroups[0].coveredResources[1]"),
            ("RESOURCE_EXCLUDED", "ClusterQueue two", "spec.resourceGroups[0].coveredResources[1]"),
        },
        config={"resources": {"excludeResourcePrefixes": ["mem"]}},
    ),
    Case(
        "a resource that is turned into one without quota",
        [queue("two", {"std": {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "0"}}, cohortName="all")],
        {
            ("RESOURCE_REPLACED", "ClusterQueue two", "spec.resourceGroups[0].coveredResources[2]"),
            ("RESOURCE_OUTPUT_UNCOVERED", "ClusterQueue two", "spec.resourceGroups"),
        },
        config={
            "resources": {
                "transformations": [
                    {"input": "nvidia.com/gpu", "strategy": "Replace", "outputs": {"example.com/credits": "1"}}
                ],
            }
        },
    ),
]

FLAVORS = [
    Case(
        "a flavor that no node has the labels of",
        [
            flavor("spot", nodeLabels={"pool": "spott"}),
            queue("one", {"std": STD["std"], "spot": {"cpu": "1", "memory": "1Gi"}}, cohortName="all"),
        ],
        {("FLAVOR_WITHOUT_NODES", "ResourceFlavor spot", "spec.nodeLabels")},
    ),
    Case(
        "a flavor whose nodes are made on demand",
        [
            flavor("spot", nodeLabels={"pool": "spot"}),
            queue(
                "one",
                {"std": STD["std"], "spot": {"cpu": "1", "memory": "1Gi"}},
                cohortName="all",
                **checked("make", on="spot"),
            ),
            check("make", PROVISIONING),
        ],
    ),
    Case(
        "nodes with a taint that their flavor does not know",
        [node("n-0", {"pool": "std"}, taints=[TAINT]), node("n-1", {"pool": "std"}, taints=[TAINT])],
        {("FLAVOR_TAINT_NOT_TOLERATED", "ResourceFlavor std", "spec")},
    ),
    Case("some nodes with a taint leave room on the others", [node("n-0", {"pool": "std"}, taints=[TAINT])]),
    Case(
        "a taint that the flavor tolerates, and one of a node that has a problem",
        [
            flavor("std", nodeLabels={"pool": "std"}, tolerations=[{"key": "gpu", "operator": "Exists"}]),
            node("n-0", {"pool": "std"}, taints=[TAINT]),
            node(
                "n-1", {"pool": "std"}, taints=[TAINT, {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]
            ),
        ],
    ),
    Case(
        "a taint of the flavor that no node has",
        [flavor("std", nodeLabels={"pool": "std"}, nodeTaints=[TAINT], tolerations=[{"operator": "Exists"}])],
        {("FLAVOR_TAINT_WITHOUT_NODES", "ResourceFlavor std", "spec.nodeTaints[0]")},
    ),
    Case(
        "two flavors for the same nodes",
        [
            flavor("same", nodeLabels={"pool": "std"}),
            queue("one", {"std": STD["std"], "same": {"cpu": "1", "memory": "1Gi"}}, cohortName="all"),
        ],
        {("FLAVORS_SHARE_NODES", "ResourceFlavor std", "spec.nodeLabels")},
    ),
    Case(
        "a flavor without quota that cannot borrow",
        [
            queue("one", {"std": {"cpu": "0", "memory": "0"}}),
            queue("three", STD, cohortName="all"),
            door("three", "three"),
            workload("small", "two", cpu="2", memory="4Gi"),
        ],
        {("FLAVOR_DEAD", "ClusterQueue one", "spec.resourceGroups[0].flavors[0]")},
    ),
    Case(
        "a flavor without quota that can borrow", [queue("one", {"std": {"cpu": "0", "memory": "0"}}, cohortName="all")]
    ),
    Case("a flavor that nobody uses", [flavor("spare")], {("FLAVOR_UNUSED", "ResourceFlavor spare", "")}),
    Case(
        "nodes of no flavor; a control plane is not meant",
        [node("n-2"), node("control", {"node-role.kubernetes.io/control-plane": ""})],
        {("NODES_UNCLAIMED", "Node n-2", "metadata.labels")},
    ),
    Case(
        "nodes without a level of their topology",
        [
            flavor("std", nodeLabels={"pool": "std"}, topologyName="dc"),
            build.doc(
                "Topology", "dc", spec={"levels": [{"nodeLabel": "rack"}, {"nodeLabel": "kubernetes.io/hostname"}]}
            ),
            node("n-0", {"pool": "std", "rack": "r1"}),
        ],
        {("TOPOLOGY_LEVEL_WITHOUT_NODES", "Topology dc", "spec.levels[0].nodeLabel")},
    ),
]

COHORTS = [
    Case(
        "a member that is alone in a misspelled cohort",
        [queue("three", STD, cohortName="alll"), door("three", "three")],
        {("COHORT_ONE_MEMBER", "ClusterQueue three", "spec.cohortName")},
    ),
    Case(
        "a member that is alone with the quota of its cohort",
        [
            queue("three", STD, cohortName="own"),
            door("three", "three"),
            cohort("own", {"std": {"cpu": "1", "memory": "1Gi"}}),
        ],
    ),
    Case("a cohort without members", [cohort("empty")], {("COHORT_EMPTY", "Cohort empty", "")}),
    Case("a cohort whose members are further down", [cohort("all", parentName="top"), cohort("top")]),
]

POLICIES = [
    Case(
        "reclaiming without a cohort",
        [queue("one", STD, preemption={"reclaimWithinCohort": "Any"})],
        {
            ("POLICY_WITHOUT_COHORT", "ClusterQueue one", "spec.preemption.reclaimWithinCohort"),
            ("COHORT_ONE_MEMBER", "ClusterQueue two", "spec.cohortName"),
        },
    ),
    Case(
        "borrowing by preemption under fair sharing",
        [
            queue(
                "one",
                STD,
                cohortName="all",
                preemption={"reclaimWithinCohort": "Any", "borrowWithinCohort": {"policy": "LowerPriority"}},
            )
        ],
        {("BORROW_POLICY_UNDER_FAIR_SHARING", "ClusterQueue one", "spec.preemption.borrowWithinCohort.policy")},
        config={"fairSharing": {}},
    ),
    Case(
        "the same without fair sharing",
        [
            queue(
                "one",
                STD,
                cohortName="all",
                preemption={"reclaimWithinCohort": "Any", "borrowWithinCohort": {"policy": "LowerPriority"}},
            )
        ],
    ),
    Case(
        "a threshold without its policy",
        [queue("one", STD, cohortName="all", preemption={"borrowWithinCohort": {"maxPriorityThreshold": 5}})],
        {("THRESHOLD_WITHOUT_POLICY", "ClusterQueue one", "spec.preemption.borrowWithinCohort.maxPriorityThreshold")},
    ),
    Case(
        "a choice between one flavor",
        [queue("one", STD, cohortName="all", flavorFungibility={"whenCanBorrow": "TryNextFlavor"})],
        {("FUNGIBILITY_WITHOUT_CHOICE", "ClusterQueue one", "spec.flavorFungibility.whenCanBorrow")},
    ),
    Case(
        "weights of zero, with fair sharing",
        [queue("one", STD, cohortName="all", fairSharing={"weight": "0"}), cohort("all", fairSharing={"weight": "0"})],
        {
            ("WEIGHT_ZERO", "ClusterQueue one", "spec.fairSharing.weight"),
            ("WEIGHT_ZERO", "Cohort all", "spec.fairSharing.weight"),
        },
        config={"fairSharing": {}},
    ),
    Case(
        "weights without fair sharing; one is the default and means nothing",
        [
            queue("one", STD, cohortName="all", fairSharing={"weight": "2"}),
            queue("two", STD, cohortName="all", fairSharing={"weight": "1"}),
        ],
        {("WEIGHT_WITHOUT_FAIR_SHARING", "ClusterQueue one", "spec.fairSharing.weight")},
    ),
    Case(
        "a LocalQueue with weight zero, with admission fair sharing",
        [
            queue("one", STD, cohortName="all", admissionScope={"admissionMode": "UsageBasedAdmissionFairSharing"}),
            door("one", "one", fairSharing={"weight": "0"}),
        ],
        {("WEIGHT_ZERO", "LocalQueue team-a/one", "spec.fairSharing.weight")},
        config={"admissionFairSharing": {"usageHalfLifeTime": "1h", "usageSamplingInterval": "1m"}},
    ),
    Case(
        "admission by usage that is not switched on",
        [queue("one", STD, cohortName="all", admissionScope={"admissionMode": "UsageBasedAdmissionFairSharing"})],
        {("ADMISSION_SCOPE_OFF", "ClusterQueue one", "spec.admissionScope.admissionMode")},
    ),
    Case(
        "concurrent admission that is not switched on",
        [queue("one", STD, cohortName="all", concurrentAdmissionPolicy={"migration": {"mode": "TryPreferredFlavors"}})],
        {("CONCURRENT_ADMISSION_OFF", "ClusterQueue one", "spec.concurrentAdmissionPolicy")},
    ),
]

DEMAND = [
    Case(
        "a resource that no group covers",
        [workload("scratch", "one", cpu="1", storage="1Gi")],
        {("RESOURCE_UNCOVERED", "ClusterQueue one", "spec.resourceGroups")},
    ),
    Case(
        "a resource that no group covers, where that is allowed",
        [workload("scratch", "one", cpu="1", storage="1Gi")],
        config={"resources": {"quotaCheckStrategy": "IgnoreUndeclared"}, "featureGates": {"QuotaCheckStrategy": True}},
    ),
    Case(
        "a default that no group covers",
        [
            build.doc(
                "LimitRange",
                "defaults",
                namespace="team-a",
                api="v1",
                spec={"limits": [{"type": "Container", "defaultRequest": {"ephemeral-storage": "1Gi"}}]},
            )
        ],
        {
            ("RESOURCE_DEFAULT_UNCOVERED", "LimitRange team-a/defaults", "spec.limits"),
            ("RESOURCE_UNCOVERED", "ClusterQueue one", "spec.resourceGroups"),
        },
    ),
    Case(
        "a workload that is larger than the cohort",
        [workload("huge", "one", count=5, cpu="4", memory="1Gi", at=1)],
        {("WORKLOAD_NEVER_FITS", "Workload team-a/huge", "spec.podSets")},
    ),
    Case("a workload that borrows", [workload("large", "one", count=4, cpu="4", memory="1Gi", at=1)]),
    Case(
        "the head of a StrictFIFO queue that is larger than the cohort",
        [
            queue("one", STD, cohortName="all", queueingStrategy="StrictFIFO"),
            workload("huge", "one", count=5, cpu="4", memory="1Gi"),
            workload("small", "one", cpu="1", memory="1Gi", at=1),
        ],
        {("HEAD_BLOCKED", "Workload team-a/huge", "spec")},
    ),
    Case(
        "a workload behind the head is no head",
        [
            queue("one", STD, cohortName="all", queueingStrategy="StrictFIFO"),
            workload("huge", "one", count=5, cpu="4", memory="1Gi", at=1),
        ],
        {("WORKLOAD_NEVER_FITS", "Workload team-a/huge", "spec.podSets")},
    ),
]

ALL = [*REFERENCES, *QUEUES, *QUOTAS, *FLAVORS, *COHORTS, *POLICIES, *DEMAND]


def test_a_sound_cluster_has_no_findings() -> None:
    report = judge(build.SOUND)
    assert (build.found(report), report.not_checked) == (set(), ())


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_rule(case: Case) -> None:
    report = judge(with_changes(case.changes), config=case.config, strict=False)
    assert build.found(report) == case.want


def test_every_code_has_a_case() -> None:
    tested = {code for case in ALL for code, _, _ in case.want}
    elsewhere = {Code.INVALID_MANIFEST, Code.COHORT_CYCLE, Code.LIMIT_WITHOUT_COHORT, Code.LENDING_ABOVE_NOMINAL}
    assert set(Code) - tested == elsewhere


@pytest.mark.parametrize(
    ("name", "limits", "cohort_name", "want"),
    [
        ("a limit on borrowing from nobody", {"borrowingLimit": "1"}, None, "LIMIT_WITHOUT_COHORT"),
        ("a limit on lending to nobody", {"lendingLimit": "1"}, None, "LIMIT_WITHOUT_COHORT"),
        ("lending more than there is", {"lendingLimit": "9"}, "all", "LENDING_ABOVE_NOMINAL"),
        ("lending some of it", {"lendingLimit": "1"}, "all", None),
    ],
)
def test_limits_that_contradict(name: str, limits: Any, cohort_name: str | None, want: str | None) -> None:
    changed = queue("one", {"std": {"cpu": {"nominalQuota": "8", **limits}, "memory": "32Gi"}}, cohortName=cohort_name)
    codes = {code for code, _, _ in build.found(judge(with_changes([changed]), strict=False))}
    assert codes - {"COHORT_ONE_MEMBER"} == ({want} if want else set()), name


def test_a_cycle_of_cohorts() -> None:
    changes = [cohort("all", parentName="top"), cohort("top", parentName="all")]
    report = judge(with_changes(changes), strict=False)
    assert ("COHORT_CYCLE", "Cohort all", "spec.parentName") in build.found(report)
    assert report.findings[0].severity is Severity.ERROR


@pytest.mark.parametrize(
    ("name", "without", "changes", "lacking"),
    [
        ("nodes", ["Node"], [], {"Node"}),
        ("flavors", ["ResourceFlavor"], [], {"ResourceFlavor"}),
        ("flavors and nodes", ["ResourceFlavor", "Node"], [], {"ResourceFlavor"}),
        (
            "namespaces",
            ["Namespace"],
            [queue("one", STD, cohortName="all", namespaceSelector={"matchLabels": {"team": "b"}})],
            {"Namespace"},
        ),
        ("checks", [], [queue("one", STD, cohortName="all", **checked("gone"))], {"AdmissionCheck"}),
        ("LocalQueues", ["LocalQueue"], [], {"LocalQueue"}),
        (
            "topologies",
            [],
            [flavor("std", nodeLabels={"pool": "std"}, topologyName="dc")],
            {"Topology"},
        ),
        ("ClusterQueues", ["ClusterQueue"], [], {"ClusterQueue"}),
    ],
)
def test_what_was_not_read_is_no_finding(name: str, without: list[str], changes: list[Doc], lacking: set[str]) -> None:
    report = judge(with_changes(changes, without=without))
    assert build.found(report) == set(), name
    assert {entry.kind for entry in report.not_checked} == lacking


def test_in_a_cluster_what_was_not_found_is_not_there() -> None:
    report = judge(with_changes([], without=["ResourceFlavor"]), origin=Origin.CLUSTER)
    assert {code for code, _, _ in build.found(report)} == {"FLAVOR_MISSING"}
    assert report.not_checked == ()


def test_quota_of_a_cohort_may_be_what_files_borrow() -> None:
    """Cohorts need no object: a dump without any has none, but beside a few files there may be some."""
    docs = [
        flavor("std"),
        queue("one", {"std": {"cpu": "0"}}, cohortName="all"),
        queue("two", {"std": {"cpu": {"nominalQuota": "0", "borrowingLimit": "1"}}}, cohortName="all"),
        door("one", "one"),
        door("two", "two"),
        workload("w", "one", cpu="1"),
    ]
    alone = judge(docs, origin=Origin.FILES)
    assert build.found(alone) == set()
    assert "Cohort" in {entry.kind for entry in alone.not_checked}
    assert {code for code, _, _ in build.found(judge(docs))} == {
        "FLAVOR_DEAD",
        "BORROWING_IMPOSSIBLE",
        "WORKLOAD_NEVER_FITS",
    }
