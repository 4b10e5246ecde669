"""Differences of dumps: objects with field paths, workloads in words, usage; and what is no difference."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from kueuectl import quantity
from kueuectl.analysis import state_diff
from kueuectl.api import objects
from kueuectl.report.views import state_diff as view
from kueuectl.store import examples
from tests.cli.harness import Result, cli
from tests.lint.build import SOUND, Doc, check, cohort, door, flavor, namespace, node, queue, with_changes, workload

STD = {"std": {"cpu": "8", "memory": "32Gi"}}
AT = "2026-10-05T12:00:00Z"
ADMISSION = {
    "clusterQueue": "one",
    "podSetAssignments": [
        {
            "name": "main",
            "flavors": {"cpu": "std", "memory": "std"},
            "resourceUsage": {"cpu": "2", "memory": "4Gi"},
            "count": 1,
        }
    ],
}


def condition(kind: str, status: str = "True", reason: str = "R") -> Doc:
    return {"type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": AT}


RESERVED = {"admission": ADMISSION, "conditions": [condition("QuotaReserved")]}
ADMITTED = {"admission": ADMISSION, "conditions": [condition("QuotaReserved"), condition("Admitted")]}
FINISHED = {**ADMITTED, "conditions": [*ADMITTED["conditions"], condition("Finished")]}
EVICTING = {**ADMITTED, "conditions": [*ADMITTED["conditions"], condition("Evicted", reason="PodsReadyTimeout")]}
PREEMPTED = {
    "conditions": [
        condition("QuotaReserved", "False"),
        condition("Evicted", reason="Preempted"),
        condition("Preempted", reason="InCohortReclamation"),
    ]
}


def small(status: Doc | None = None, **spec: Any) -> Doc:
    found = workload("small", "one", cpu="2", memory="4Gi")
    found["spec"] |= spec
    return found | ({"status": status} if status else {})


def between(before: list[Doc], after: list[Doc]) -> state_diff.StateDiff:
    states = [objects.decode_state([("x", copy.deepcopy(doc)) for doc in docs]) for docs in (before, after)]
    return state_diff.between(*states)


def fields(found: state_diff.StateDiff) -> list[str]:
    return [
        f"{entry.subject.kind} {entry.subject.key} {view.field(each)}"
        for entry in found.objects
        for each in entry.fields
    ]


CONTAINER = "spec.podSets[main].template.spec.containers[c]"
QUOTA = "spec.resourceGroups[0].flavors[std].resources[cpu]"


@pytest.mark.parametrize(
    ("name", "changes", "want"),
    [
        (
            "a quota",
            [queue("one", {"std": {"cpu": "500m", "memory": "32Gi"}}, cohortName="all")],
            [f"{QUOTA}.nominalQuota: 8 -> 500m"],
        ),
        (
            "a limit",
            [
                queue(
                    "one",
                    {"std": {"cpu": {"nominalQuota": "8", "lendingLimit": "2"}, "memory": "32Gi"}},
                    cohortName="all",
                )
            ],
            [f"{QUOTA}.lendingLimit: none -> 2"],
        ),
        (
            "a flavor",
            [queue("one", {"std": STD["std"], "spot": STD["std"]}, cohortName="all")],
            ["spec.resourceGroups[0].flavors[spot]: none -> spot"],
        ),
        (
            "policies",
            [
                queue(
                    "one",
                    STD,
                    cohortName="all",
                    queueingStrategy="StrictFIFO",
                    stopPolicy="Hold",
                    preemption={"reclaimWithinCohort": "Any", "borrowWithinCohort": {"policy": "LowerPriority"}},
                    fairSharing={"weight": "500m"},
                    admissionChecksStrategy={"admissionChecks": [{"name": "c"}]},
                )
            ],
            [
                "spec.queueingStrategy: BestEffortFIFO -> StrictFIFO",
                "spec.preemption.reclaimWithinCohort: Never -> Any",
                "spec.preemption.borrowWithinCohort.policy: Never -> LowerPriority",
                "spec.admissionChecksStrategy.admissionChecks[c]: none -> c",
                "spec.stopPolicy: None -> Hold",
                "spec.fairSharing.weight: none -> 0.5",
            ],
        ),
        (
            "the namespace selector",
            [queue("one", STD, cohortName="all", namespaceSelector={"matchLabels": {"team": "a"}})],
            ["spec.namespaceSelector.matchLabels[team]: none -> a"],
        ),
        ("the cohort", [queue("one", STD)], ["spec.cohortName: all -> none"]),
    ],
)
def test_fields_of_a_cluster_queue(name: str, changes: list[Doc], want: list[str]) -> None:
    found = between(with_changes([]), with_changes(changes))
    assert fields(found) == [f"ClusterQueue one {path}" for path in want], name


@pytest.mark.parametrize(
    ("changed", "want"),
    [
        (door("one", "two"), ["LocalQueue team-a/one spec.clusterQueue: one -> two"]),
        (cohort("all", parentName="top"), ["Cohort all spec.parentName: none -> top"]),
        (
            flavor("std", nodeLabels={"pool": "new"}, nodeTaints=[{"key": "k", "effect": "NoSchedule"}]),
            [
                "ResourceFlavor std spec.nodeLabels[pool]: std -> new",
                "ResourceFlavor std spec.nodeTaints[k]: none -> k",
            ],
        ),
        (
            node("n-0", {"pool": "std"}, cpu="15500m", memory="64Gi"),
            ["Node n-0 status.allocatable[cpu]: 16 -> 15500m"],
        ),
        (namespace("team-a", team="b"), ["Namespace team-a metadata.labels[team]: a -> b"]),
        (
            small(queueName="two", priority=5),
            [
                "Workload team-a/small spec.queueName: one -> two",
                "Workload team-a/small spec.priority: none -> 5",
            ],
        ),
        (
            workload("small", "one", cpu="2500m", memory="4Gi"),
            [
                f"Workload team-a/small {CONTAINER}.resources.requests[cpu]: 2 -> 2500m",
            ],
        ),
        (
            workload("small", "one", cpu="2", memory="4Gi", count=3),
            ["Workload team-a/small spec.podSets[main].count: 1 -> 3"],
        ),
    ],
)
def test_fields_of_other_kinds(changed: Doc, want: list[str]) -> None:
    assert fields(between(with_changes([]), with_changes([changed]))) == want


def test_order_of_flavors_counts() -> None:
    one = queue("one", {"std": STD["std"], "spot": STD["std"]}, cohortName="all")
    other = queue("one", {"spot": STD["std"], "std": STD["std"]}, cohortName="all")
    want = "ClusterQueue one spec.resourceGroups[0].flavors (order): std, spot -> spot, std"
    assert fields(between(with_changes([one]), with_changes([other]))) == [want]


def test_objects_that_come_go_and_come_again() -> None:
    again = queue("two", STD, cohortName="all")
    again["metadata"]["uid"] = "new"
    before = queue("two", STD, cohortName="all")
    before["metadata"]["uid"] = "old"
    found = between(with_changes([before, flavor("spare")]), with_changes([again, check("c")]))
    assert [(str(entry.verb), entry.subject.kind, entry.subject.name) for entry in found.objects] == [
        ("replaced", "ClusterQueue", "two"),
        ("removed", "ResourceFlavor", "spare"),
        ("added", "AdmissionCheck", "c"),
    ]
    assert found.only_once == ("AdmissionCheck",)


@pytest.mark.parametrize(
    ("before", "after", "want"),
    [
        (small(), small(ADMITTED), "pending -> admitted in ClusterQueue one with flavor std"),
        (small(), small(RESERVED), "pending -> quota reserved in ClusterQueue one with flavor std"),
        (small(ADMITTED), small(FINISHED), "admitted -> finished"),
        (
            small(ADMITTED),
            small(EVICTING),
            "admitted -> evicted in ClusterQueue one with flavor std (PodsReadyTimeout)",
        ),
        (
            small(ADMITTED),
            small(PREEMPTED),
            "lost its quota (InCohortReclamation); it was admitted in ClusterQueue one with flavor std and waits again",
        ),
        (small(), small(PREEMPTED), "evicted in between (InCohortReclamation); pending in ClusterQueue one"),
        (small(), small(active=False), "pending -> inactive in ClusterQueue one"),
        (small(), small(queueName="two"), "still pending, ClusterQueue one -> two"),
        (small(ADMITTED), small(ADMITTED), None),
        (None, small(), "new; pending in ClusterQueue one"),
        (small(ADMITTED), None, "gone; it was admitted in ClusterQueue one with flavor std"),
    ],
)
def test_workloads_in_words(before: Doc | None, after: Doc | None, want: str | None) -> None:
    sides = [
        with_changes([doc]) if doc else [each for each in SOUND if each["kind"] != "Workload"]
        for doc in (before, after)
    ]
    found = between(*sides)
    assert [view.words(move) for move in found.workloads] == ([want] if want else [])


def test_usage_adds_up_over_the_tree() -> None:
    found = between(
        with_changes([]),
        with_changes([small(ADMITTED), queue("two", {"std": {"cpu": "9", "memory": "32Gi"}}, cohortName="all")]),
    )
    usage = {
        (entry.node.name, entry.resource): tuple(
            quantity.format_amount(entry.resource, amount)
            for amount in (entry.before, entry.after, entry.quota_before, entry.quota_after)
        )
        for entry in found.usage
    }
    assert usage == {
        ("one", "cpu"): ("0", "2", "8", "8"),
        ("one", "memory"): ("0", "4Gi", "32Gi", "32Gi"),
        ("two", "cpu"): ("0", "0", "8", "9"),
        ("all", "cpu"): ("0", "2", "16", "17"),
        ("all", "memory"): ("0", "4Gi", "64Gi", "64Gi"),
    }


def test_what_controllers_write_again_and_again_is_no_difference() -> None:
    def touched(doc: Doc) -> Doc:
        doc = copy.deepcopy(doc)
        doc["metadata"] |= {"resourceVersion": "99", "generation": 7, "managedFields": [{"manager": "x"}]}
        if doc["kind"] in ("ClusterQueue", "LocalQueue"):
            doc["status"] = {"pendingWorkloads": 3, "conditions": [condition("Active")]}
        return doc

    assert between(list(SOUND), [touched(doc) for doc in SOUND]).is_empty


def test_the_two_versions_of_the_api_are_no_difference(tmp_path: Path) -> None:
    old = {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": "q"},
        "spec": {"cohort": "all", "flavorFungibility": {"whenCanBorrow": "Borrow"}},
    }
    new = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "q"},
        "spec": {"cohortName": "all", "flavorFungibility": {"whenCanBorrow": "MayStopSearch"}},
    }
    for name, doc in (("old", old), ("new", new)):
        (tmp_path / f"{name}.json").write_text(json.dumps(doc))
    result = diff(str(tmp_path / "old.json"), str(tmp_path / "new.json"))
    assert (result.code, result.out) == (0, "Nothing differs.\n")


def diff(*args: str, **options: Any) -> Result:
    return cli("snapshot", "diff", *args, **options)


def write(path: Path, *docs: Doc) -> str:
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(docs)}))
    return str(path)


@pytest.mark.parametrize("name", examples.names())
def test_an_example_does_not_differ_from_itself(name: str) -> None:
    result = diff(f"example:{name}", f"example:{name}", "--detailed-exitcode")
    assert (result.code, result.out, result.err) == (0, "Nothing differs.\n", "")


def test_command(tmp_path: Path) -> None:
    before = write(tmp_path / "before.json", *SOUND)
    after = write(
        tmp_path / "after.json",
        *with_changes(
            [small(ADMITTED), queue("two", {"std": {"cpu": "9", "memory": "32Gi"}}, cohortName="all"), door("x", "two")]
        ),
    )
    result = diff(before, after, "--detailed-exitcode")
    assert result.code == 2
    assert result.out.splitlines() == [
        "Differs: objects: 1 added, 1 changed; workloads: 1 now admitted; usage or quota of 3 queues and cohorts.",
        "",
        "Objects",
        "  ~ ClusterQueue two",
        "      spec.resourceGroups[0].flavors[std].resources[cpu].nominalQuota: 8 -> 9",
        "  + LocalQueue team-a/x",
        "",
        "Workloads",
        "  team-a/small: pending -> admitted in ClusterQueue one with flavor std",
        "",
        "Usage",
        "  NODE               FLAVOR   RESOURCE   USED   USED NOW   QUOTA   QUOTA NOW",
        "  ClusterQueue one   std      cpu           0          2       8           8",
        "  ClusterQueue one   std      memory        0        4Gi    32Gi        32Gi",
        "  ClusterQueue two   std      cpu           0          0       8           9",
        "  Cohort all         std      cpu           0          2      16          17",
        "  Cohort all         std      memory        0        4Gi    64Gi        64Gi",
    ]
    assert diff(before, after).code == 0
    assert diff(before, "--from", after).out == result.out
    found = json.loads(diff(before, after, "-o", "json").out)
    assert found["kind"] == "SnapshotDiff"
    assert found["objects"][0] == {
        "kind": "ClusterQueue",
        "namespace": "",
        "name": "two",
        "change": "changed",
        "fields": [
            {"path": "spec.resourceGroups[0].flavors[std].resources[cpu].nominalQuota", "before": "8", "after": "9"}
        ],
    }
    assert found["workloads"][0]["after"]["clusterQueue"] == "one"
    assert found["usage"][0]["usedAfter"] == "2"
    assert diff(before, after, "-o", "name").out == "clusterqueue.kueue.x-k8s.io/two\nlocalqueue.kueue.x-k8s.io/x\n"


def test_settings_differ_only_where_both_are_known(tmp_path: Path) -> None:
    config = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
    plain = write(tmp_path / "plain.json", *SOUND, config)
    fair = write(
        tmp_path / "fair.json",
        *SOUND,
        config
        | {"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}, "featureGates": {"PriorityBoost": True}},
    )
    result = diff(plain, fair)
    assert "  fairSharing.preemptionStrategies: none -> LessThanInitialShare" in result.out.splitlines()
    assert "  featureGates[PriorityBoost]: false -> true" in result.out.splitlines()
    nothing = write(tmp_path / "nothing.json", *SOUND)
    result = diff(nothing, fair)
    assert result.out == "Nothing differs.\n"
    assert "only one of both has Configuration objects" in result.err


def test_usage_errors(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", *SOUND)
    assert diff(path, path, "--from", path).code == 2
    assert diff(path, str(tmp_path / "no.json"), "--detailed-exitcode").code == 1
