"""`prioritize`: class or number, with who is displaced; what Kueue would take without effect is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault
from tests.writes.teams import JOBS, PODS, WORKLOADS, stored, waiting

IN_A = ("-n", "team-a")
LABEL = "kueue.x-k8s.io/priority-class"
QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
URGENT = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "urgent"}


def labels(fake: FakeServer, path: str, name: str) -> Any:
    """Labels of an object."""
    return stored(fake, path, name)["metadata"].get("labels")


def test_a_class_is_a_label_of_the_job(live: Live, teams: FakeServer) -> None:
    result = live("prioritize", "workload", "job-small", "--class", "urgent", *IN_A)
    assert (result.code, result.out) == (0, "job.batch/small set to class urgent\n"), result.err
    assert labels(teams, JOBS, "small") == {LABEL: "urgent"}
    assert stored(teams, WORKLOADS, "job-small")["spec"]["priority"] == 10
    assert "Set to class urgent (1000):" in result.err
    assert "admitted in training on on-demand" in result.err


def test_a_class_of_a_workload_without_owner_is_its_reference(live: Live, teams: FakeServer) -> None:
    teams.put(WORKLOADS, waiting("alone"))
    result = live("prioritize", "alone", "--class", "urgent", *IN_A)
    assert (result.code, result.out) == (0, "workload.kueue.x-k8s.io/alone set to class urgent\n")
    spec = stored(teams, WORKLOADS, "alone")["spec"]
    assert (spec["priority"], spec["priorityClassRef"]) == (1000, URGENT)


def test_a_class_in_the_older_version(live: Live, teams: FakeServer) -> None:
    teams.versions = ("v1beta1",)
    teams.objects = {path.replace("v1beta2", "v1beta1"): items for path, items in teams.objects.items()}
    teams.store._objects = teams.objects  # type: ignore[assignment]
    path = WORKLOADS.replace("v1beta2", "v1beta1")
    teams.put(path, {**waiting("alone"), "apiVersion": "kueue.x-k8s.io/v1beta1"})
    result = live("prioritize", "alone", "--class", "urgent", *IN_A, "--no-preview")
    assert result.code == 0, result.err
    spec = stored(teams, path, "alone")["spec"]
    assert (spec["priority"], spec["priorityClassName"]) == (1000, "urgent")
    assert spec["priorityClassSource"] == "kueue.x-k8s.io/workloadpriorityclass"


def test_a_number_is_written_into_the_workload_with_a_word_of_caution(live: Live, teams: FakeServer) -> None:
    result = live("prioritize", "job/small", "--priority", "2000", *IN_A)
    assert (result.code, result.out) == (0, "workload.kueue.x-k8s.io/job-small set to priority 2000\n")
    assert stored(teams, WORKLOADS, "job-small")["spec"]["priority"] == 2000
    assert labels(teams, JOBS, "small") is None
    assert "Kueue keeps the priority of a job's Workload only until" in result.err


def test_no_word_of_caution_where_there_is_no_job(live: Live, teams: FakeServer) -> None:
    teams.put(WORKLOADS, waiting("alone"))
    result = live("prioritize", "alone", "--priority", "-5", *IN_A)
    assert (result.code, result.out) == (0, "workload.kueue.x-k8s.io/alone set to priority -5\n")
    assert "Kueue keeps" not in result.err


def test_who_is_displaced_is_told_and_asked_about(live: Live, teams: FakeServer) -> None:
    queue = next(one for one in teams.objects[QUEUES] if one["metadata"]["name"] == "training")  # type: ignore[index]
    queue["spec"]["preemption"] = {"withinClusterQueue": "LowerPriority"}  # type: ignore[index]
    stored(teams, WORKLOADS, "job-run")["spec"]["priority"] = 5000
    line = ("prioritize", "job-big", "--priority", "6000", *IN_A)
    result = live(*line, stdin="n\n")
    assert (result.code, teams.store.done) == (0, [])
    assert result.out == "Set 1 workload to priority 6000 (y/n)? \nSet is canceled\n"
    assert "admitted in training on on-demand, preempts team-a/job-run" in result.err
    assert "PREEMPTED   team-a/job-run" in result.err
    assert live(*line, stdin="y\n").out.endswith("workload.kueue.x-k8s.io/job-big set to priority 6000\n")


def test_a_running_job_with_a_class_may_get_another(live: Live, teams: FakeServer) -> None:
    stored(teams, WORKLOADS, "job-run")["spec"]["priorityClassRef"] = {**URGENT, "name": "batch"}
    result = live("prioritize", "job-run", "--class", "urgent", *IN_A)
    assert (result.code, result.out) == (0, "job.batch/run set to class urgent\n")


def test_all_pods_of_a_group_get_the_class(live: Live, teams: FakeServer) -> None:
    result = live("prioritize", "group", "--class", "urgent", *IN_A)
    assert result.out == "pod/group-0 set to class urgent\npod/group-1 set to class urgent\n"
    assert labels(teams, PODS, "group-1")[LABEL] == "urgent"


FIRST = "holds quota and has no WorkloadPriorityClass: Kueue takes a first one only while it waits"


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("prioritize job-run --class urgent -n team-a", 1, f"workload team-a/job-run {FIRST}"),
        ("prioritize job-old --class urgent -n team-a", 1, "workload team-a/job-old is finished"),
        ("prioritize job-small --class nope -n team-a", 3, 'workloadpriorityclasses.kueue.x-k8s.io "nope" not found'),
        ("prioritize job-small --class urgnt -n team-a", 3, "did you mean 'urgent'?"),
        ("prioritize job-small --priority 10 -n team-a", 1, "has priority 10 already"),
        ("prioritize job-small -n team-a", 2, "give one of --class and --priority"),
        ("prioritize job-small --class urgent --priority 1 -n team-a", 2, "give one of --class and --priority"),
        ("prioritize job-small --priority 2147483648 -n team-a", 2, "invalid value 2147483648"),
        ("prioritize job-small --priority high -n team-a", 2, "high"),
        ("prioritize --class urgent -n team-a", 2, "no workload named"),
        ("prioritize nope --class urgent -n team-a", 3, '"nope" not found'),
        ("prioritize job-small --priority 1 --from example:four-tenants", 2, "a dump can't be written to"),
    ],
)
def test_what_can_not_be_done_is_an_error(live: Live, teams: FakeServer, line: str, code: int, want: str) -> None:
    result = live(*line.split())
    assert (result.code, result.out, teams.store.done) == (code, "", []), result.err
    assert want in result.err


CLASSES = {
    "the class that it has": ({**URGENT, "name": "batch"}, 10, "has class batch already"),
    "its class, with another number": ({**URGENT, "name": "batch"}, 50, "and priority 50: give --priority 10"),
    "that of its pods": (
        {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": "system"},
        7,
        "has its priority from PriorityClass system of its pods, which Kueue keeps: give --priority",
    ),
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_that_would_change_nothing_is_refused(live: Live, teams: FakeServer, name: str) -> None:
    reference, number, want = CLASSES[name]
    stored(teams, WORKLOADS, "job-small")["spec"] |= {"priorityClassRef": reference, "priority": number}
    result = live("prioritize", "job-small", "--class", "batch", *IN_A)
    assert (result.code, result.out, teams.store.done) == (1, "", [])
    assert want in result.err


def test_classes_that_may_not_be_read(live: Live, teams: FakeServer) -> None:
    teams.forbidden.add("workloadpriorityclasses")
    result = live("prioritize", "job-small", "--class", "batch", *IN_A)
    assert (result.code, result.out, teams.store.done) == (5, "", [])
    assert "whether class batch is there can't be read" in result.err


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_stores_nothing_and_is_parseable(live: Live, teams: FakeServer, mode: str) -> None:
    line = ("prioritize", "job-small", "--priority", "3000", *IN_A, f"--dry-run={mode}")
    assert json.loads(live(*line, "-o", "json").out)["spec"]["priority"] == 3000
    assert live(*line).out == f"workload.kueue.x-k8s.io/job-small set to priority 3000 ({mode} dry run)\n"
    assert teams.store.done == []


FAULTS = {
    "the answer is lost": (Fault("/workloads/job-small", method="PATCH", hang_up=True, lose=True, times=1), 0),
    "a conflict, once": (Fault("/workloads/job-small", method="PATCH", status=409, times=1), 0),
    "a conflict, always": (Fault("/workloads/job-small", method="PATCH", status=409), 4),
    "refused": (Fault("/workloads/job-small", method="PATCH", status=403), 5),
    "always a fault": (Fault("/workloads/job-small", method="PATCH", status=503), 5),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_write_happens_once_and_is_reported_as_it_is(live: Live, teams: FakeServer, name: str) -> None:
    fault, want = FAULTS[name]
    teams.faults.append(fault)
    result = live("prioritize", "job-small", "--priority", "3000", *IN_A)
    assert result.code == want, result.err
    assert len(teams.store.done) == (want == 0)
    assert bool(result.out) == (want == 0)
