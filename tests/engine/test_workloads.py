"""States of a workload."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kueuectl.engine import priority, workloads
from kueuectl.engine.requests import RequestsReader
from kueuectl.model.conditions import Condition
from kueuectl.model.settings import DEFAULT_GATES, Settings, WaitForPodsReady
from kueuectl.model.state import ClusterState, PriorityClass
from kueuectl.model.workloads import (
    Admission,
    CheckState,
    PodSet,
    PodSetAssignment,
    PriorityClassRef,
    RequeueState,
    TopologyRequest,
    Workload,
)
from tests.engine.build import admission, condition, pod_set, workload

SECOND = 1_000_000_000
RESERVED = condition("QuotaReserved", at=10 * SECOND)


def settings(**gates: bool) -> Settings:
    return Settings(gates={**DEFAULT_GATES, **gates})


@pytest.mark.parametrize(
    ("name", "fields", "want"),
    [
        ("reserved", {"conditions": (RESERVED,), "admission": admission(cpu=1)}, True),
        (
            "evicted, its pods are still there",
            {"conditions": (RESERVED, condition("Evicted")), "admission": admission(cpu=1)},
            True,
        ),
        ("pending", {}, False),
        ("finished", {"conditions": (RESERVED, condition("Finished")), "admission": admission(cpu=1)}, False),
        ("switched off", {"conditions": (RESERVED,), "admission": admission(cpu=1), "active": False}, False),
        (
            "reservation lost",
            {"conditions": (condition("QuotaReserved", "False"),), "admission": admission(cpu=1)},
            False,
        ),
    ],
)
def test_holds_quota(name: str, fields: dict[str, Any], want: bool) -> None:
    assert workloads.holds_quota(workload(**fields)) is want, name


@pytest.mark.parametrize(
    ("name", "fields", "want"),
    [
        ("pending", {}, True),
        ("evicted", {"conditions": (condition("Evicted", reason="Preempted"),)}, True),
        ("switched off", {"active": False}, False),
        ("has quota", {"conditions": (RESERVED,)}, False),
        ("finished", {"conditions": (condition("Finished"),)}, False),
        ("on hold", {"conditions": (condition("QuotaReserved", "False", "OnHold"),)}, False),
        ("gated", {"annotations": ((workloads.GATED_BY_ANNOTATION, "example.com/gate"),)}, False),
        ("gated by nobody", {"annotations": ((workloads.GATED_BY_ANNOTATION, ""),)}, True),
    ],
)
def test_may_queue(name: str, fields: dict[str, Any], want: bool) -> None:
    assert workloads.may_queue(workload(**fields), Settings()) is want, name


def test_gates_are_named_and_have_a_feature_gate() -> None:
    asked = workload(annotations=((workloads.GATED_BY_ANNOTATION, "example.com/a,example.com/b"),))
    assert workloads.gates(asked, Settings()) == ("example.com/a", "example.com/b")
    assert workloads.gates(asked, settings(AdmissionGatedBy=False)) == ()


@pytest.mark.parametrize(
    ("name", "conditions", "options", "want"),
    [
        ("creation", (), Settings(), 5),
        ("pods were not ready", (condition("Evicted", reason="PodsReadyTimeout", at=9),), Settings(), 9),
        (
            "pods were not ready, by creation",
            (condition("Evicted", reason="PodsReadyTimeout", at=9),),
            Settings(wait_for_pods_ready=WaitForPodsReady(requeuing_timestamp="Creation")),
            5,
        ),
        (
            "an admission check, whatever the strategy",
            (condition("Evicted", reason="AdmissionCheck", at=9),),
            Settings(wait_for_pods_ready=WaitForPodsReady(requeuing_timestamp="Creation")),
            9,
        ),
        ("preempted", (condition("Evicted", reason="Preempted", at=9),), Settings(), 5),
        ("queue was stopped", (condition("Evicted", reason="ClusterQueueStopped", at=9),), Settings(), 5),
        ("an eviction of the past", (condition("Evicted", "False", "PodsReadyTimeout", at=9),), Settings(), 5),
        (
            "preempted by a borrower",
            (condition("Preempted", reason="InCohortReclaimWhileBorrowing", at=9),),
            Settings(),
            5,
        ),
        (
            "preempted by a borrower, without sorting by priority",
            (condition("Preempted", reason="InCohortReclaimWhileBorrowing", at=9),),
            settings(PrioritySortingWithinCohort=False),
            9 + 1_000_000,
        ),
        (
            "preempted otherwise, without sorting by priority",
            (condition("Preempted", reason="InCohortReclamation", at=9),),
            settings(PrioritySortingWithinCohort=False),
            5,
        ),
    ],
)
def test_queue_timestamp(name: str, conditions: tuple[Condition, ...], options: Settings, want: int) -> None:
    assert workloads.queue_timestamp(workload(creation=5, conditions=conditions), options) == want, name


@pytest.mark.parametrize(
    ("name", "fields", "want"),
    [
        ("never evicted", {}, False),
        ("its time has not come", {"requeue": RequeueState(1, 101)}, True),
        ("its time has come", {"requeue": RequeueState(1, 100)}, False),
        ("no time is set", {"requeue": RequeueState(1)}, False),
        ("not to be requeued", {"conditions": (condition("Requeued", "False"),)}, True),
        ("requeued", {"conditions": (condition("Requeued"),)}, False),
        ("requeued too early", {"conditions": (condition("Requeued"),), "requeue": RequeueState(1, 101)}, True),
    ],
)
def test_waits_for_backoff(name: str, fields: dict[str, Any], want: bool) -> None:
    assert workloads.waits_for_backoff(workload(**fields), 100) is want, name


class Admit(NamedTuple):
    name: str
    conditions: tuple[Condition, ...] = ()
    checks: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    delayed: bool = False
    # Status and reason of the new condition, and the seconds admitted before; None for no change.
    want: tuple[str, str, int] | None = None


_ADMITTED = condition("Admitted", at=4 * SECOND)
_OBSERVED = ("UnadmittedWorkloadsObservability",)
_EXPLICIT = (*_OBSERVED, "UnadmittedWorkloadsExplicitStatus")
ADMIT = [
    Admit("nothing yet"),
    Admit("quota, and no checks", (RESERVED,), want=("True", "Admitted", 3)),
    Admit("quota, and all checks ready", (RESERVED,), ("Ready", "Ready"), want=("True", "Admitted", 3)),
    Admit("quota, and a check to come", (RESERVED,), ("Ready", "Pending")),
    Admit("admitted already", (RESERVED, _ADMITTED)),
    Admit("quota lost", (_ADMITTED,), want=("False", "NoReservation", 9)),
    Admit("quota and checks lost", (_ADMITTED,), ("Pending",), want=("False", "NoReservationUnsatisfiedChecks", 9)),
    Admit("check lost", (RESERVED, _ADMITTED), ("Retry",), want=("False", "UnsatisfiedChecks", 9)),
    Admit("topology to come", (RESERVED, _ADMITTED), delayed=True, want=("False", "PendingDelayedTopologyRequests", 9)),
    Admit("observed: nothing yet", gates=_OBSERVED),
    Admit("observed: nothing yet, but explicit", gates=_EXPLICIT, want=("False", "NoReservation", 3)),
    Admit(
        "observed: a check to come",
        (RESERVED,),
        ("Pending",),
        _OBSERVED,
        want=("False", "UnsatisfiedAdmissionChecks", 3),
    ),
    Admit("observed: quota and checks lost", (_ADMITTED,), ("Pending",), _OBSERVED, want=("False", "NoReservation", 9)),
    Admit(
        "observed: another reason than before",
        (RESERVED, condition("Admitted", "False", "NoReservation")),
        ("Pending",),
        _OBSERVED,
        want=("False", "UnsatisfiedAdmissionChecks", 3),
    ),
    Admit(
        "observed: the reason of before",
        (RESERVED, condition("Admitted", "False", "UnsatisfiedAdmissionChecks")),
        ("Pending",),
        _OBSERVED,
    ),
]


@pytest.mark.parametrize("row", ADMIT, ids=lambda row: row.name)
def test_sync_admitted(row: Admit) -> None:
    assigned = PodSetAssignment("main", delayed_topology="Pending" if row.delayed else None)
    asked = workload(
        conditions=row.conditions,
        checks=tuple(CheckState(f"check-{index}", state) for index, state in enumerate(row.checks)),
        admission=Admission("queue", (assigned,)),
        past_execution_seconds=3,
    )
    change = workloads.sync_admitted(asked, settings(**dict.fromkeys(row.gates, True)), 10 * SECOND)
    got = None if change is None else (change.condition.status, change.condition.reason, change.past_seconds)
    assert got == row.want
    assert change is None or change.condition.message


def key(asked: Workload, options: Settings | None = None) -> object:
    options = options or Settings()
    rank = priority.effective(asked, ClusterState(), options)
    return workloads.scheduling_key(asked, READER.of(asked), rank, options)


READER = RequestsReader(ClusterState(), Settings())
PLAIN = pod_set(2, cpu="1")


def test_workloads_of_one_shape_are_equal_whoever_they_are() -> None:
    first, second = (workload(PLAIN, namespace=name, name=name, uid=name, creation=3) for name in ("a", "b"))
    assert key(first) == key(second)
    assert hash(key(first)) == hash(key(second))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("another priority", workload(PLAIN, priority=7)),
        ("another count", workload(pod_set(3, cpu="1"))),
        ("another request", workload(pod_set(2, cpu="2"))),
        ("another name of the pod set", workload(pod_set(2, "other", cpu="1"))),
        ("pods that are finished", workload(PLAIN, reclaimable_pods=(("main", 1),))),
        ("one more pod set", workload(PLAIN, pod_set(1, "driver", cpu="1"))),
        (
            "a topology request",
            workload(PodSet("main", 2, PLAIN.template, topology_request=TopologyRequest(required="rack"))),
        ),
        ("partial admission", workload(PodSet("main", 2, PLAIN.template, min_count=1))),
    ],
)
def test_workloads_of_another_shape_differ(name: str, other: Workload) -> None:
    assert key(other) != key(workload(PLAIN)), name


def test_allowed_flavors_count_with_concurrent_admission_only() -> None:
    first, second = (
        workload(PLAIN, annotations=((workloads.ALLOWED_FLAVORS_ANNOTATION, name),)) for name in ("spot", "on-demand")
    )
    assert key(first) == key(second)
    on = settings(ConcurrentAdmission=True)
    assert key(first, on) != key(second, on)
    assert workloads.allowed_flavors(first, on) == {"spot"}


def test_without_the_gate_there_is_no_shape() -> None:
    assert key(workload(PLAIN), settings(SchedulingEquivalenceHashing=False)) is None


def test_a_slice_names_the_one_that_it_replaces() -> None:
    asked = workload(annotations=((workloads.REPLACES_ANNOTATION, "team-a/old"),))
    assert workloads.replaces(asked, Settings()) == "team-a/old"
    assert workloads.replaces(workload(), Settings()) is None


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        ("none", None, (0, True)),
        ("empty", "", (0, True)),
        ("positive", "+50", (50, True)),
        ("negative", "-50", (-50, True)),
        ("the largest", "2147483647", (2147483647, True)),
        ("too large", "2147483648", (0, False)),
        ("not a number", "high", (0, False)),
        ("a fraction", "1.5", (0, False)),
        ("with a space", " 50", (0, False)),
        ("with an underscore", "1_000", (0, False)),
    ],
)
def test_priority_boost(name: str, text: str | None, want: tuple[int, bool]) -> None:
    annotations = () if text is None else ((priority.BOOST_ANNOTATION, text),)
    asked = workload(priority=10, annotations=annotations)
    on = settings(PriorityBoost=True)
    assert priority.boost(asked, on) == want, name
    assert priority.effective(asked, ClusterState(), on) == 10 + want[0]
    assert priority.effective(asked, ClusterState(), Settings()) == 10


CLASSES = ClusterState(
    workload_priority_classes={
        "urgent": PriorityClass("WorkloadPriorityClass", "urgent", 100),
        "default": PriorityClass("WorkloadPriorityClass", "default", 7),
    },
    priority_classes={
        "high": PriorityClass("PriorityClass", "high", 50),
        "usual": PriorityClass("PriorityClass", "usual", 5, is_default=True),
    },
)


@pytest.mark.parametrize(
    ("name", "ref", "value", "want"),
    [
        ("its own", PriorityClassRef(kind="WorkloadPriorityClass", name="urgent"), 1, 1),
        ("that of its class", PriorityClassRef(kind="WorkloadPriorityClass", name="urgent"), None, 100),
        ("that of its pods' class", PriorityClassRef(kind="PriorityClass", name="high"), None, 50),
        ("a class that is missing", PriorityClassRef(kind="PriorityClass", name="gone"), None, 0),
        ("none", None, None, 0),
    ],
)
def test_base_priority(name: str, ref: PriorityClassRef | None, value: int | None, want: int) -> None:
    assert priority.base(workload(priority=value, priority_class=ref), CLASSES) == want, name


@pytest.mark.parametrize(
    ("name", "classes", "gates", "want"),
    [
        ("the job's class first", {"workload_class": "urgent", "pod_class": "high"}, {}, 100),
        ("then the pods'", {"pod_class": "high"}, {}, 50),
        ("then the default of the cluster", {}, {}, 5),
        ("or that of Kueue", {"pod_class": "high"}, {"WorkloadPriorityClassDefaulting": True}, 7),
    ],
)
def test_priority_of_a_new_job(name: str, classes: dict[str, str], gates: dict[str, bool], want: int) -> None:
    assert priority.of_classes(CLASSES, settings(**gates), **classes) == want, name
