"""`move`: the queue of a job, with a preview; refused while quota is held."""

from __future__ import annotations

import json

import pytest

from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault
from tests.writes.teams import JOBS, PODS, WORKLOADS, before_write, sent, stored, waiting

IN_A = ("-n", "team-a")
LABEL = "kueue.x-k8s.io/queue-name"
OTHER = "job.batch/big moved to other\n"


def label(fake: FakeServer, path: str, name: str) -> str | None:
    """The queue that an object names."""
    return (stored(fake, path, name)["metadata"].get("labels") or {}).get(LABEL)


@pytest.mark.parametrize("words", ["workload job-big", "job-big", "job big", "job/big", "wl/job-big"])
def test_the_label_of_the_job_is_written_and_nobody_is_asked(live: Live, teams: FakeServer, words: str) -> None:
    result = live("move", *words.split(), "--to", "other", *IN_A)
    assert (result.code, result.out) == (0, OTHER), result.err
    assert label(teams, JOBS, "big") == "other"
    assert stored(teams, WORKLOADS, "job-big")["spec"]["queueName"] == "train"
    assert [seen.query for seen in sent(teams, "PATCH")] == [{"fieldManager": "kueuectl"}]
    assert "Move to LocalQueue other:" in result.err
    assert "Because of it:" in result.err


def test_where_it_stands_then_is_told_first(live: Live, teams: FakeServer) -> None:
    err = live("move", "job/lab", "pod/lab", "--to", "train", *IN_A, "--dry-run=client").err
    assert "not found" in err
    result = live("move", "pod/lab", "--to", "train", *IN_A, "--dry-run=client")
    assert result.out == "pod/lab moved to train (client dry run)\n"
    assert "team-a/pod-lab   PENDING   lab" in result.err
    assert "waits at position 3 in training" in result.err
    assert "team-a/pod-lab: BEHIND_HEAD" in result.err


def test_one_that_was_evicted_is_moved_itself_too(live: Live, teams: FakeServer) -> None:
    """Kueue does not take the label over then."""
    evicted = {"type": "Evicted", "status": "True", "reason": "Preempted", "message": ""}
    stored(teams, WORKLOADS, "job-big")["status"].setdefault("conditions", []).append(evicted)
    result = live("move", "job/big", "--to", "other", *IN_A)
    assert (result.code, result.out) == (0, f"{OTHER}workload.kueue.x-k8s.io/job-big moved to other\n")
    assert label(teams, JOBS, "big") == "other"
    assert stored(teams, WORKLOADS, "job-big")["spec"]["queueName"] == "other"


def test_a_workload_without_owner_is_moved_itself(live: Live, teams: FakeServer) -> None:
    teams.put(WORKLOADS, waiting("alone"))
    result = live("move", "alone", "--to", "other", *IN_A)
    assert (result.code, result.out) == (0, "workload.kueue.x-k8s.io/alone moved to other\n")
    assert stored(teams, WORKLOADS, "alone")["spec"]["queueName"] == "other"


def test_all_pods_of_a_group_are_moved(live: Live, teams: FakeServer) -> None:
    result = live("move", "group", "--to", "other", *IN_A)
    assert (result.code, result.out) == (0, "pod/group-0 moved to other\npod/group-1 moved to other\n")
    assert [label(teams, PODS, f"group-{number}") for number in range(2)] == ["other"] * 2


def test_a_pod_of_a_deployment_is_warned_about(live: Live, teams: FakeServer) -> None:
    pod = stored(teams, PODS, "lab")
    pod["metadata"]["ownerReferences"] = [{"kind": "ReplicaSet", "name": "web", "controller": True}]
    result = live("move", "pod-lab", "--to", "other", *IN_A)
    assert "pods/lab was made by ReplicaSet/web: what that makes later is not changed" in result.err


def test_a_batch_is_asked_about_and_leaves_those_with_quota(live: Live, teams: FakeServer) -> None:
    line = ("move", "-q", "train", "--to", "other", *IN_A)
    result = live(*line, stdin="n\n")
    assert (result.code, teams.store.done) == (0, [])
    assert result.out == "Move 3 workloads to LocalQueue other (y/n)? \nMove is canceled\n"
    assert "Workload team-a/job-run holds quota of ClusterQueue training" in result.err
    assert "Workload team-a/job-old is finished: left as it is" in result.err
    result = live(*line, "--yes")
    wanted = "job.batch/big moved to other\njob.batch/off moved to other\njob.batch/small moved to other\n"
    assert (result.code, sorted(result.out.splitlines(keepends=True))) == (
        0,
        sorted([*wanted.splitlines(keepends=True), "workload.kueue.x-k8s.io/job-off moved to other\n"]),
    )


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("move job-run --to other -n team-a", 1, "workload team-a/job-run holds quota of ClusterQueue training"),
        ("move job-check --to other -n team-a", 1, "holds quota of ClusterQueue training"),
        ("move job-big job-run --to other -n team-a", 1, "nothing was written"),
        ("move job-big --to train -n team-a", 1, "workload team-a/job-big is in LocalQueue train already"),
        ("move job-old --to other -n team-a", 1, "workload team-a/job-old is finished"),
        ("move job-big --to nope -n team-a", 3, 'localqueues.kueue.x-k8s.io "nope" not found in namespace team-a'),
        ("move job-big --to serve -n team-a", 3, 'localqueues.kueue.x-k8s.io "serve" not found in namespace team-a'),
        ("move job-big --to othr -n team-a", 3, "did you mean 'other'?"),
        ("move job-old nope --to other -n team-a", 3, 'workloads.kueue.x-k8s.io "nope" not found'),
        ("move job-big -n team-a", 2, "missing option '--to'"),
        ("move --to other -n team-a", 2, "no workload named"),
        ("move workload --to other -n team-a", 2, "no Workload named"),
        ("move job-big --to other --from example:four-tenants", 2, "a dump can't be written to"),
    ],
)
def test_what_can_not_be_done_is_an_error(live: Live, teams: FakeServer, line: str, code: int, want: str) -> None:
    result = live(*line.split())
    assert (result.code, result.out, teams.store.done) == (code, "", [])
    assert want in result.err


def test_a_job_that_is_gone_or_may_not_be_read_is_an_error(live: Live, teams: FakeServer) -> None:
    stored(teams, JOBS, "big")["metadata"]["uid"] = "made-later"
    result = live("move", "job-big", "--to", "other", *IN_A)
    assert (result.code, teams.store.done) == (3, [])
    assert "the job of workload team-a/job-big is gone" in result.err
    teams.forbidden.add("jobs")
    result = live("move", "job-small", "--to", "other", *IN_A)
    assert (result.code, teams.store.done) == (5, [])
    assert "workload team-a/job-small belongs to Job small: not allowed to get Job team-a/small" in result.err


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_stores_nothing_and_is_parseable(live: Live, teams: FakeServer, mode: str) -> None:
    result = live("move", "job-big", "--to", "other", *IN_A, f"--dry-run={mode}", "-o", "json")
    assert json.loads(result.out)["metadata"]["labels"] == {LABEL: "other"}
    assert (result.code, teams.store.done) == (0, [])


FAULTS = {
    "the answer is lost": (Fault("/jobs/big", method="PATCH", hang_up=True, lose=True, times=1), 0),
    "a fault of the server, done": (Fault("/jobs/big", method="PATCH", lose=True, status=500, times=1), 0),
    "a conflict, once": (Fault("/jobs/big", method="PATCH", status=409, times=1), 0),
    "a conflict, always": (Fault("/jobs/big", method="PATCH", status=409), 4),
    "always cut": (Fault("/jobs/big", method="PATCH", hang_up=True), 5),
    "refused by a webhook": (Fault("/jobs/big", method="PATCH", status=403), 5),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_write_happens_once_and_is_reported_as_it_is(live: Live, teams: FakeServer, name: str) -> None:
    fault, want = FAULTS[name]
    teams.faults.append(fault)
    result = live("move", "job-big", "--to", "other", *IN_A)
    assert result.code == want, result.err
    assert (len(teams.store.done), result.out) == ((1, OTHER) if want == 0 else (0, ""))


def test_a_job_that_started_meanwhile_is_a_conflict(live: Live, teams: FakeServer) -> None:
    before_write(teams, "big", lambda item: item["spec"].update({"suspend": False}), path=JOBS)
    result = live("move", "job-big", "--to", "other", *IN_A)
    assert (result.code, result.out, teams.store.done) == (4, "", [])


def test_half_a_batch_is_told(live: Live, teams: FakeServer) -> None:
    teams.faults.append(Fault("/jobs/small", method="PATCH", status=403, after=1))
    result = live("move", "job-big", "job-small", "pod-lab", "--to", "other", *IN_A, "--yes")
    assert (result.code, result.out) == (5, OTHER)
    assert "Not done after the failure: pod/lab" in result.err
    assert label(teams, PODS, "lab") is None
