"""Scenarios that are foretold and then made real. There is no expected outcome here: that is what the program says.

`want` is only a floor, so that no scenario comes to nothing: how many workloads at least the change admits, evicts or
leaves waiting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tests.live.making import (
    Step,
    cohort,
    evicted,
    gone,
    group,
    job,
    kueue,
    made,
    patched,
    queue,
    workload,
)

SUBMIT = ("dry-run", "--submit", "{file}")
APPLY = ("dry-run", "-f", "{file}")
_QUOTA = "/spec/resourceGroups/0/flavors/0/resources/0"
_WITHIN = {"withinClusterQueue": "LowerPriority"}
_RECLAIM = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
_TOLERATED = {"tolerations": [{"key": "spot", "operator": "Exists"}]}


@dataclass(frozen=True)
class Scenario:
    """Waves of objects, each settled before the next; a question; the change that the question is about.

    An empty `change` does what the answer says: it evicts the victims of a plan.
    """

    id: str
    setup: tuple[tuple[Step, ...], ...]
    ask: tuple[str, ...]
    change: tuple[Step, ...]
    want: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    # Who may be admitted as foretold only once something happens in its tree: Kueue does not always look before.
    sleeps: tuple[str, ...] = ()


def _set(target: str, value: object) -> tuple[str, ...]:
    return ("dry-run", "--set", f"{target}={value}")


def _nominal(name: str, value: int) -> tuple[Step, ...]:
    return patched(
        "ClusterQueue", f"~-{name}", [{"op": "replace", "path": f"{_QUOTA}/nominalQuota", "value": str(value)}]
    )


def _spec(kind: str, name: str, **fields: object) -> tuple[Step, ...]:
    return patched(kind, name, {"spec": fields})


ADMISSION = (
    Scenario(
        "a job that fits",
        (made(queue("a")),),
        SUBMIT,
        made(job("new", "a", 2, pods=2)),
        want={"admitted": 1},
    ),
    Scenario(
        "a job for which not enough is free",
        (made(queue("a")), made(job("old", "a", 3))),
        SUBMIT,
        made(job("new", "a", 2)),
        want={"pending": 1},
    ),
    Scenario(
        "a job that is larger than everything",
        (made(queue("a"), queue("b")),),
        SUBMIT,
        made(job("new", "a", 9)),
        want={"pending": 1},
    ),
    Scenario(
        "a resource that the queue does not cover",
        (made(queue("a")),),
        SUBMIT,
        made(
            job(
                "new",
                "a",
                1,
                containers=[
                    {"name": "c", "image": "trainer", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
                ],
            )
        ),
        want={"pending": 1},
    ),
    Scenario(
        "borrowing what a sibling does not use",
        (made(queue("a"), queue("b")), made(job("old", "b", 1))),
        SUBMIT,
        made(job("new", "a", 7)),
        want={"admitted": 1},
    ),
    Scenario(
        "a borrowing limit",
        (made(queue("a", (4, 2)), queue("b")),),
        SUBMIT,
        made(job("first", "a", 6), job("second", "a", 1)),
        want={"admitted": 1, "pending": 1},
    ),
    Scenario(
        "a lending limit",
        (made(queue("a"), queue("b", (4, None, 1))), made(job("old", "a", 4))),
        SUBMIT,
        made(job("new", "a", 2)),
        want={"pending": 1},
    ),
    Scenario(
        "quota of a parent cohort",
        (
            made(
                cohort("~-top", quota=6),
                cohort("~-left", parent="~-top"),
                cohort("~-right", parent="~-top", quota=2),
                queue("a", 1, cohort="~-left"),
                queue("b", 1, cohort="~-right"),
            ),
            made(job("old", "b", 4)),
        ),
        SUBMIT,
        made(job("new", "a", 6)),
        want={"admitted": 1},
    ),
    Scenario(
        "a borrowing limit of a cohort in the middle",
        (
            made(
                cohort("~-top", quota=6),
                cohort("~-left", parent="~-top", quota=(1, 2)),
                queue("a", 1, cohort="~-left"),
            ),
            made(job("old", "a", 3)),
        ),
        SUBMIT,
        made(job("new", "a", 2)),
        want={"pending": 1},
    ),
    Scenario(
        "fewer pods than asked for",
        (made(queue("a")), made(job("old", "a", 1))),
        SUBMIT,
        made(job("new", "a", 1, pods=8, least=2)),
        want={"admitted": 1},
    ),
    Scenario(
        "too few pods even in part",
        (made(queue("a")), made(job("old", "a", 3))),
        SUBMIT,
        made(job("new", "a", 1, pods=8, least=2)),
        want={"pending": 1},
    ),
    Scenario(
        "StrictFIFO: nobody passes the head",
        (made(queue("a", queueingStrategy="StrictFIFO")), made(job("old", "a", 3)), made(job("head", "a", 2))),
        SUBMIT,
        made(job("small", "a", 1)),
        want={"pending": 2},
    ),
    Scenario(
        "BestEffortFIFO: a small one passes the head",
        (made(queue("a")), made(job("old", "a", 3)), made(job("head", "a", 2))),
        SUBMIT,
        made(job("small", "a", 1)),
        want={"admitted": 1, "pending": 1},
    ),
    Scenario(
        "a namespace that the queue does not select",
        (made(queue("a", namespaceSelector={"matchLabels": {"team": "somebody-else"}})),),
        SUBMIT,
        made(job("new", "a", 1)),
        want={"pending": 1},
    ),
    Scenario(
        "a LocalQueue that is not there",
        (made(queue("a")),),
        SUBMIT,
        made(job("new", "nowhere", 1)),
        want={"pending": 1},
    ),
    Scenario(
        "a Workload without an owner",
        (made(queue("a")),),
        SUBMIT,
        made(workload("bare", "a", 1, pods=3)),
        want={"admitted": 1},
    ),
)

FLAVORS = (
    Scenario(
        "a taint that is not tolerated: the second flavor",
        (made(queue("a", {"spot": 4, "reserved": 4})),),
        SUBMIT,
        made(job("new", "a", 2)),
        want={"admitted": 1},
    ),
    Scenario(
        "a taint that is tolerated: the first flavor",
        (made(queue("a", {"spot": 4, "reserved": 4})),),
        SUBMIT,
        made(job("new", "a", 2, **_TOLERATED)),
        want={"admitted": 1},
    ),
    Scenario(
        "a node selector that wants the full flavor",
        (made(queue("a", {"spot": 4, "reserved": 4})), made(job("old", "a", 3, nodeSelector={"pool": "reserved"}))),
        SUBMIT,
        made(job("new", "a", 2, nodeSelector={"pool": "reserved"}, **_TOLERATED)),
        want={"pending": 1},
    ),
    Scenario(
        "no flavor for its selector",
        (made(queue("a", {"spot": 4, "reserved": 4})),),
        SUBMIT,
        made(job("new", "a", 1, nodeSelector={"pool": "other"})),
        want={"pending": 1},
    ),
    Scenario(
        "the next flavor when the first is full",
        (made(queue("a", {"default": 4, "reserved": 4})), made(job("old", "a", 3))),
        SUBMIT,
        made(job("new", "a", 2)),
        want={"admitted": 1},
    ),
    Scenario(
        "the next flavor rather than borrowing",
        (
            made(
                queue("a", {"default": 2, "reserved": 4}, flavorFungibility={"whenCanBorrow": "TryNextFlavor"}),
                queue("b", {"default": 4}),
            ),
        ),
        SUBMIT,
        made(job("new", "a", 3)),
        want={"admitted": 1},
    ),
    Scenario(
        "preemption in the first flavor rather than the next",
        (
            made(
                queue(
                    "a",
                    {"default": 4, "reserved": 4},
                    preemption=_WITHIN,
                    flavorFungibility={"whenCanPreempt": "MayStopSearch"},
                ),
            ),
            made(job("old", "a", 4, priority="low")),
        ),
        SUBMIT,
        made(job("new", "a", 3, priority="high")),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a flavor is added",
        (made(queue("a")), made(job("old", "a", 4)), made(job("head", "a", 3))),
        APPLY,
        patched(
            "ClusterQueue",
            "~-a",
            [{"op": "replace", "path": "/spec/resourceGroups/0", "value": group({"default": 4, "reserved": 3})}],
        ),
        want={"admitted": 1},
    ),
    Scenario(
        "a flavor is there at last",
        (made(queue("a", {"~-new": 4})), made(job("head", "a", 3))),
        APPLY,
        made(kueue("ResourceFlavor", "~-new")),
        want={"admitted": 1},
    ),
)

PREEMPTION = (
    Scenario(
        "lower priority in the same queue",
        (
            made(queue("a", preemption=_WITHIN)),
            made(job("lower", "a", 2, priority="low")),
            made(job("equal", "a", 2, priority="mid")),
        ),
        SUBMIT,
        made(job("new", "a", 2, priority="mid")),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "only equal priority, and that may not be preempted",
        (made(queue("a", preemption=_WITHIN)), made(job("old", "a", 4, priority="mid"))),
        SUBMIT,
        made(job("new", "a", 2, priority="mid")),
        want={"pending": 1},
    ),
    Scenario(
        "several victims, no more than needed",
        (
            made(queue("a", 6, preemption=_WITHIN)),
            made(job("one", "a", 1, priority="low")),
            made(job("two", "a", 2, priority="low")),
            made(job("three", "a", 3, priority="mid")),
        ),
        SUBMIT,
        made(job("new", "a", 2, priority="high")),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "quota that was lent is reclaimed",
        (
            made(queue("a", preemption=_RECLAIM), queue("b")),
            made(job("first", "b", 4)),
            made(job("second", "b", 3)),
        ),
        SUBMIT,
        made(job("new", "a", 4)),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "reclaiming from lower priority only",
        (
            made(queue("a", preemption={"reclaimWithinCohort": "LowerPriority"}), queue("b")),
            made(job("first", "b", 4, priority="mid")),
            made(job("second", "b", 4, priority="high")),
        ),
        SUBMIT,
        made(job("new", "a", 4, priority="mid")),
        want={"pending": 1},
    ),
    Scenario(
        "a borrower preempts below a threshold",
        (
            made(
                queue(
                    "a",
                    preemption={
                        "reclaimWithinCohort": "LowerPriority",
                        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 50},
                    },
                ),
                queue("b", 2),
                queue("c", 2),
            ),
            made(job("low", "b", 4, priority="low")),
            made(job("mid", "a", 4, priority="mid")),
        ),
        SUBMIT,
        made(job("new", "a", 2, priority="high")),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a borrower does not preempt above the threshold",
        (
            made(
                queue(
                    "a",
                    preemption={
                        "reclaimWithinCohort": "LowerPriority",
                        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 50},
                    },
                ),
                queue("b", 2),
                queue("c", 2),
            ),
            made(job("other", "b", 4, priority="mid")),
            made(job("mid", "a", 4, priority="mid")),
        ),
        SUBMIT,
        made(job("new", "a", 2, priority="high")),
        want={"pending": 1},
    ),
    Scenario(
        "reclaiming across a tree of cohorts",
        (
            made(
                cohort("~-top"),
                cohort("~-left", parent="~-top"),
                cohort("~-right", parent="~-top"),
                queue("a", 3, cohort="~-left", preemption=_RECLAIM),
                queue("b", 3, cohort="~-left"),
                queue("c", 3, cohort="~-right"),
            ),
            made(job("near", "b", 4)),
            made(job("far", "c", 4)),
        ),
        SUBMIT,
        made(job("new", "a", 3)),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a newer one of equal priority makes room for an older one",
        (
            made(
                queue("a", {"default": 4}, preemption={"withinClusterQueue": "LowerOrNewerEqualPriority"}),
                kueue("LocalQueue", "held", {"clusterQueue": "~-a", "stopPolicy": "Hold"}),
            ),
            made(job("older", "held", 3)),
            made(job("newer", "a", 3)),
        ),
        _set("localqueue/~/held:stop-policy", "None"),
        _spec("LocalQueue", "held", stopPolicy="None"),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "fewer pods rather than preemption",
        (
            made(queue("a", preemption=_WITHIN)),
            made(job("lower", "a", 2, priority="low")),
        ),
        SUBMIT,
        made(job("new", "a", 1, pods=4, least=1, priority="high")),
        want={"admitted": 1},
    ),
    Scenario(
        "the priority of a waiting workload is raised",
        (
            made(queue("a", preemption=_WITHIN)),
            made(job("old", "a", 4, priority="mid")),
            made(job("head", "a", 3, priority="mid")),
        ),
        _set("workload/{wl:head}:priority", 1000),
        _spec("Workload", "job:head", priority=1000),
        want={"admitted": 1, "evicted": 1},
    ),
)

CHANGES = (
    Scenario(
        "quota raised",
        (made(queue("a")), made(job("old", "a", 4)), made(job("head", "a", 3)), made(job("next", "a", 2))),
        _set("clusterqueue/~-a:default/cpu.nominal", 7),
        _nominal("a", 7),
        want={"admitted": 1, "pending": 1},
    ),
    Scenario(
        "quota lowered: nobody is evicted",
        (made(queue("a")), made(job("old", "a", 4)), made(job("head", "a", 1))),
        _set("clusterqueue/~-a:default/cpu.nominal", 2),
        _nominal("a", 2),
        want={"pending": 1},
    ),
    Scenario(
        "quota lowered: the owner takes back what is borrowed now",
        (
            made(queue("a", preemption=_RECLAIM), queue("b", 8)),
            made(job("one", "b", 4), job("two", "b", 4)),
            made(job("head", "a", 4), job("more", "a", 4)),
        ),
        _set("clusterqueue/~-b:default/cpu.nominal", 4),
        _nominal("b", 4),
        want={"pending": 1},
    ),
    Scenario(
        "the owner's quota raised: it reclaims",
        (
            made(queue("a", 2, preemption=_RECLAIM), queue("b", 6)),
            made(job("one", "b", 4)),
            made(job("two", "b", 4)),
            made(job("head", "a", 4)),
        ),
        (
            "dry-run",
            "--set",
            "clusterqueue/~-a:default/cpu.nominal=4",
            "--set",
            "clusterqueue/~-b:default/cpu.nominal=4",
        ),
        _nominal("a", 4) + _nominal("b", 4),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a borrowing limit is raised",
        (made(queue("a", (4, 0)), queue("b")), made(job("old", "a", 3)), made(job("head", "a", 4))),
        _set("clusterqueue/~-a:default/cpu.borrowing-limit", 3),
        patched("ClusterQueue", "~-a", [{"op": "replace", "path": f"{_QUOTA}/borrowingLimit", "value": "3"}]),
        want={"admitted": 1},
    ),
    Scenario(
        "a lending limit is raised",
        (made(queue("a"), queue("b", (4, None, 0))), made(job("old", "a", 3)), made(job("head", "a", 4))),
        _set("clusterqueue/~-b:default/cpu.lending-limit", 3),
        patched("ClusterQueue", "~-b", [{"op": "replace", "path": f"{_QUOTA}/lendingLimit", "value": "3"}]),
        want={"admitted": 1},
    ),
    Scenario(
        "quota of a cohort is raised",
        (made(cohort("~", quota=1), queue("a", 2)), made(job("old", "a", 2)), made(job("head", "a", 3))),
        _set("cohort/~:default/cpu.nominal", 3),
        patched("Cohort", "~", [{"op": "replace", "path": f"{_QUOTA}/nominalQuota", "value": "3"}]),
        want={"admitted": 1},
    ),
    Scenario(
        "a queue joins a cohort",
        (made(queue("a", cohort=""), queue("b")), made(job("old", "a", 4)), made(job("head", "a", 3))),
        _set("clusterqueue/~-a:cohort", "~"),
        _spec("ClusterQueue", "~-a", cohortName="~"),
        want={"admitted": 1},
    ),
    Scenario(
        "a queue leaves its cohort with borrowed quota",
        (made(queue("a", preemption=_RECLAIM), queue("b")), made(job("old", "b", 6)), made(job("head", "b", 3))),
        _set("clusterqueue/~-b:cohort", "none"),
        _spec("ClusterQueue", "~-b", cohortName=None),
        want={"pending": 1},
    ),
    Scenario(
        "a queue leaves its cohort: a sibling gets what it borrowed",
        (made(queue("a"), queue("b")), made(job("old", "b", 6)), made(job("head", "a", 4))),
        _set("clusterqueue/~-b:cohort", "~-other"),
        _spec("ClusterQueue", "~-b", cohortName="~-other"),
        want={"admitted": 1},
        sleeps=("head",),
    ),
    Scenario(
        "a cohort leaves with what it borrowed",
        (
            made(
                cohort("~-top", quota=4),
                cohort("~-left", parent="~-top"),
                cohort("~-right", parent="~-top"),
                queue("a", 1, cohort="~-left"),
                queue("b", 1, cohort="~-right"),
            ),
            made(job("old", "b", 5)),
            made(job("head", "a", 3)),
        ),
        _set("cohort/~-right:parent", "none"),
        _spec("Cohort", "~-right", parentName=None),
        want={"admitted": 1},
        sleeps=("head",),
    ),
    Scenario(
        "a cohort gets another parent",
        (
            made(
                cohort("~-poor"),
                cohort("~-rich", quota=8),
                cohort("~-team", parent="~-poor"),
                queue("a", 1, cohort="~-team"),
            ),
            made(job("head", "a", 5)),
        ),
        _set("cohort/~-team:parent", "~-rich"),
        _spec("Cohort", "~-team", parentName="~-rich"),
        want={"admitted": 1},
    ),
    Scenario(
        "a queue is held: who runs goes on",
        (made(queue("a")), made(job("old", "a", 2)), made(job("head", "a", 4))),
        _set("clusterqueue/~-a:stop-policy", "Hold"),
        _spec("ClusterQueue", "~-a", stopPolicy="Hold"),
        want={"pending": 1},
    ),
    Scenario(
        "a queue is drained: a sibling gets the quota",
        (made(queue("a"), queue("b")), made(job("old", "a", 6)), made(job("head", "b", 4))),
        _set("clusterqueue/~-a:stop-policy", "HoldAndDrain"),
        _spec("ClusterQueue", "~-a", stopPolicy="HoldAndDrain"),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a queue is resumed",
        (made(queue("a", stopPolicy="Hold")), made(job("one", "a", 3)), made(job("two", "a", 2))),
        _set("clusterqueue/~-a:stop-policy", "None"),
        _spec("ClusterQueue", "~-a", stopPolicy="None"),
        want={"admitted": 1, "pending": 1},
    ),
    Scenario(
        # Quota that a stopped LocalQueue frees wakes nobody up: the other one goes on waiting.
        "a LocalQueue is drained: nobody is woken",
        (
            made(queue("a"), kueue("LocalQueue", "other", {"clusterQueue": "~-a"})),
            made(job("old", "a", 3)),
            made(job("head", "other", 3)),
        ),
        _set("localqueue/~/a:stop-policy", "HoldAndDrain"),
        _spec("LocalQueue", "a", stopPolicy="HoldAndDrain"),
        want={"evicted": 1, "pending": 2},
    ),
    Scenario(
        "a LocalQueue is resumed",
        (
            made(queue("a"), kueue("LocalQueue", "held", {"clusterQueue": "~-a", "stopPolicy": "Hold"})),
            made(job("one", "held", 3)),
        ),
        _set("localqueue/~/held:stop-policy", "None"),
        _spec("LocalQueue", "held", stopPolicy="None"),
        want={"admitted": 1},
    ),
    Scenario(
        "StrictFIFO becomes BestEffortFIFO",
        (
            made(queue("a", queueingStrategy="StrictFIFO")),
            made(job("old", "a", 2)),
            made(job("head", "a", 3)),
            made(job("small", "a", 2)),
        ),
        _set("clusterqueue/~-a:strategy", "BestEffortFIFO"),
        _spec("ClusterQueue", "~-a", queueingStrategy="BestEffortFIFO"),
        want={"pending": 1},
    ),
    Scenario(
        "a preemption policy is given",
        (
            made(queue("a")),
            made(job("old", "a", 4, priority="low")),
            made(job("head", "a", 3, priority="high")),
        ),
        _set("clusterqueue/~-a:within-cluster-queue", "LowerPriority"),
        _spec("ClusterQueue", "~-a", preemption=_WITHIN),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a workload is switched off",
        (made(queue("a")), made(job("old", "a", 3)), made(job("head", "a", 2))),
        _set("workload/{wl:old}:active", "false"),
        _spec("Workload", "job:old", active=False),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a job is deleted",
        (made(queue("a")), made(job("old", "a", 3)), made(job("head", "a", 2)), made(job("next", "a", 3))),
        ("dry-run", "--delete", "job/~/old"),
        gone("Job", "old"),
        want={"admitted": 1, "pending": 1},
    ),
    Scenario(
        "a Workload without an owner is deleted",
        (made(queue("a")), made(workload("bare", "a", 3)), made(job("head", "a", 2))),
        ("dry-run", "--delete", "workload/~/bare"),
        gone("Workload", "bare"),
        want={"admitted": 1},
    ),
    Scenario(
        "a LocalQueue is deleted: who waits in it is lost",
        (made(queue("a")), made(job("old", "a", 3)), made(job("head", "a", 2))),
        ("dry-run", "--delete", "localqueue/~/a"),
        gone("LocalQueue", "a"),
        want={"pending": 1},
    ),
    Scenario(
        "a sibling is deleted whose quota was lent to nobody",
        (made(queue("a"), queue("b")), made(job("head", "a", 9))),
        ("dry-run", "--delete", "clusterqueue/~-b"),
        gone("ClusterQueue", "~-b"),
        want={"pending": 1},
    ),
    Scenario(
        "a queue is deleted that is used",
        (made(queue("a"), queue("b")), made(job("old", "b", 2)), made(job("head", "b", 7))),
        ("dry-run", "--delete", "clusterqueue/~-b"),
        gone("ClusterQueue", "~-b"),
        want={"pending": 1},
    ),
    Scenario(
        "a queue with an admission check",
        (
            (
                *made(kueue("AdmissionCheck", "~-check", {"controllerName": "example.com/checks"})),
                Step(
                    "status",
                    "AdmissionCheck",
                    "~-check",
                    {
                        "conditions": [
                            {
                                "type": "Active",
                                "status": "True",
                                "reason": "Active",
                                "message": "",
                                "lastTransitionTime": "2026-01-01T00:00:00Z",
                            }
                        ]
                    },
                ),
                *made(queue("a", admissionChecksStrategy={"admissionChecks": [{"name": "~-check"}]})),
            ),
        ),
        SUBMIT,
        made(job("new", "a", 2)),
        want={"reserved": 1},
    ),
    Scenario(
        "an admission check that nobody serves",
        (
            (
                *made(kueue("AdmissionCheck", "~-check", {"controllerName": "example.com/checks"})),
                *made(queue("a", admissionChecksStrategy={"admissionChecks": [{"name": "~-check"}]})),
            ),
        ),
        SUBMIT,
        made(job("new", "a", 2)),
        want={"pending": 1},
    ),
)

PLANS = (
    Scenario(
        "evictions of workloads that are named",
        (
            made(queue("a", 6)),
            made(job("one", "a", 2, priority="low"), job("two", "a", 2, priority="low"), job("three", "a", 2)),
            made(job("head", "a", 3, priority="high")),
            made(job("next", "a", 2, priority="high")),
        ),
        ("preempt", "{wl:one}", "{wl:two}"),
        evicted("one", "two"),
        want={"admitted": 1, "evicted": 2},
    ),
    Scenario(
        "a plan by which a queue gets its nominal quota back",
        (
            made(queue("a"), queue("b")),
            made(job("one", "b", 2), job("two", "b", 2), job("three", "b", 3)),
            made(job("head", "a", 4)),
        ),
        ("rebalance", "~", "--goal", "nominal"),
        (),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a plan by which one workload gets quota",
        (
            made(queue("a", 6)),
            made(job("one", "a", 2, priority="low"), job("two", "a", 3, priority="low")),
            made(job("head", "a", 4, priority="high")),
        ),
        ("rebalance", "--goal", "fit:{wl:head}"),
        (),
        want={"admitted": 1, "evicted": 1},
    ),
)

CLASSICAL = (*ADMISSION, *FLAVORS, *PREEMPTION, *CHANGES, *PLANS)

FAIR = (
    Scenario(
        "the one with the largest share gives",
        (
            made(queue("a", 3, preemption={"reclaimWithinCohort": "Any"}), queue("b", 3), queue("c", 3)),
            made(job("b1", "b", 2), job("b2", "b", 2), job("c1", "c", 2)),
            made(job("b3", "b", 1)),
            made(job("c2", "c", 2)),
        ),
        SUBMIT,
        made(job("new", "a", 3)),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a heavier queue gives later",
        (
            made(
                queue("a", 2, preemption={"reclaimWithinCohort": "Any"}),
                queue("b", 2, weight="3"),
                queue("c", 2, weight="1"),
                queue("d", 4),
            ),
            made(job("b1", "b", 1, pods=1), job("b2", "b", 2), job("b3", "b", 2)),
            made(job("c1", "c", 2), job("c2", "c", 2)),
        ),
        SUBMIT,
        made(job("new", "a", 2)),
        want={"admitted": 1},
    ),
    Scenario(
        "a borrower preempts towards equal shares",
        (
            made(
                queue("a", 0, preemption={"reclaimWithinCohort": "Any"}),
                queue("b", 0, preemption={"reclaimWithinCohort": "Any"}),
                queue("pool", 8),
            ),
            made(job("b1", "b", 2), job("b2", "b", 2), job("b3", "b", 2), job("b4", "b", 2)),
        ),
        SUBMIT,
        made(job("a1", "a", 2)),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "until the shares are equal",
        (
            made(
                queue("a", 0, preemption={"reclaimWithinCohort": "Any"}),
                queue("b", 0, preemption={"reclaimWithinCohort": "Any"}),
                queue("pool", 8),
            ),
            made(job("b1", "b", 2), job("b2", "b", 2), job("b3", "b", 2), job("b4", "b", 2)),
        ),
        SUBMIT,
        made(job("a1", "a", 2), job("a2", "a", 2), job("a3", "a", 2)),
        want={"admitted": 1, "evicted": 1, "pending": 1},
    ),
    Scenario(
        "a weight is raised",
        (
            made(
                queue("a", 0, preemption={"reclaimWithinCohort": "Any"}),
                queue("b", 0, preemption={"reclaimWithinCohort": "Any"}),
                queue("pool", 8),
            ),
            made(job("b1", "b", 2), job("b2", "b", 2), job("b3", "b", 2)),
            made(job("a1", "a", 2)),
            made(job("a2", "a", 2), job("a3", "a", 2)),
        ),
        _set("clusterqueue/~-a:weight", 3),
        _spec("ClusterQueue", "~-a", fairSharing={"weight": "3"}),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a weight of nothing",
        (
            made(
                queue("a", 0, preemption={"reclaimWithinCohort": "Any"}),
                queue("b", 0, preemption={"reclaimWithinCohort": "Any"}),
                queue("pool", 4),
            ),
            made(job("b1", "b", 2), job("b2", "b", 2)),
            made(job("a1", "a", 4)),
        ),
        _set("clusterqueue/~-b:weight", 0),
        _spec("ClusterQueue", "~-b", fairSharing={"weight": "0"}),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "shares of whole cohorts",
        (
            made(
                cohort("~-top", quota=8),
                cohort("~-left", parent="~-top"),
                cohort("~-right", parent="~-top", weight="2"),
                queue("a", 0, cohort="~-left", preemption={"reclaimWithinCohort": "Any"}),
                queue("b", 0, cohort="~-right", preemption={"reclaimWithinCohort": "Any"}),
                queue("c", 0, cohort="~-right", preemption={"reclaimWithinCohort": "Any"}),
            ),
            made(job("b1", "b", 2), job("b2", "b", 2)),
            made(job("c1", "c", 2), job("c2", "c", 2)),
        ),
        SUBMIT,
        made(job("a1", "a", 2)),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "quota raised: the smaller share is served first",
        (
            made(queue("a", 0), queue("b", 0), queue("pool", 6)),
            made(job("a1", "a", 4)),
            made(job("b1", "b", 2)),
            made(job("a2", "a", 2)),
            made(job("b2", "b", 2)),
        ),
        _set("clusterqueue/~-pool:default/cpu.nominal", 8),
        _nominal("pool", 8),
        want={"admitted": 1, "pending": 1},
    ),
    Scenario(
        "a queue within its nominal quota is safe",
        (
            made(
                queue("a", 0, preemption={"reclaimWithinCohort": "Any"}),
                queue("b", 4),
                queue("c", 4),
            ),
            made(job("b1", "b", 4), job("c1", "c", 4)),
        ),
        SUBMIT,
        made(job("a1", "a", 2)),
        want={"pending": 1},
    ),
    Scenario(
        "a cohort moves to another parent",
        (
            made(
                cohort("~-one", quota=4),
                cohort("~-two", quota=4),
                cohort("~-team", parent="~-one"),
                queue("a", 0, cohort="~-team", preemption={"reclaimWithinCohort": "Any"}),
                queue("b", 0, cohort="~-one"),
                queue("c", 0, cohort="~-two"),
            ),
            made(job("b1", "b", 4), job("c1", "c", 2), job("c2", "c", 2)),
            made(job("a1", "a", 2)),
        ),
        _set("cohort/~-team:parent", "~-two"),
        _spec("Cohort", "~-team", parentName="~-two"),
        want={"admitted": 1},
        sleeps=("b1",),
    ),
    Scenario(
        "within the queue under fair sharing",
        (
            made(queue("a", 4, preemption=_WITHIN), queue("b", 4)),
            made(job("b1", "b", 4)),
            made(job("lower", "a", 4, priority="low")),
        ),
        SUBMIT,
        made(job("new", "a", 2, priority="high")),
        want={"admitted": 1, "evicted": 1},
    ),
    Scenario(
        "a plan that makes shares equal",
        (
            made(queue("a", 0), queue("b", 0), queue("pool", 8)),
            made(job("b1", "b", 2), job("b2", "b", 2), job("b3", "b", 2), job("b4", "b", 2)),
            made(job("a1", "a", 2), job("a2", "a", 2)),
        ),
        ("rebalance", "~", "--goal", "fair", "--hold"),
        (),
        want={"admitted": 1, "evicted": 1},
    ),
)
