"""`stop workload` and `resume workload`: what is written and said, as the Go plugin has it."""

from __future__ import annotations

import json

import pytest

from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault
from tests.writes.teams import WORKLOADS, before_write, sent, stored

NAMED = "workload.kueue.x-k8s.io"
FATES = {
    "one that runs": ("stop wl job-run", "Workload team-a/job-run: admitted in ClusterQueue training; it is evicted"),
    "one with open checks": ("stop kwl job-check", "quota reserved in ClusterQueue training, not admitted yet"),
    "one that waits": ("stop workload/job-big", "waiting in LocalQueue train; it is not admitted until it is resumed"),
    "one that is stopped": ("stop workload job-off", "stopped already"),
    "one that is finished": ("stop workload job-old", "finished; nothing changes for it"),
    "resuming a stopped one": ("resume workload job-off", "stopped; it queues again in LocalQueue train"),
    "resuming another": ("resume kueueworkload job-run", "not stopped; nothing changes for it"),
}


@pytest.mark.parametrize("name", FATES)
def test_what_it_means_is_told_first(live: Live, teams: FakeServer, name: str) -> None:
    line, want = FATES[name]
    result = live(*line.split(), "-n", "team-a")
    verb, _, workload = line.replace("/", " ").split()
    assert (result.code, result.out) == (0, f"{NAMED}/{workload} {'stopped' if verb == 'stop' else 'resumed'}\n")
    assert want in result.err
    assert stored(teams, WORKLOADS, workload)["spec"]["active"] is (verb == "resume")


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_stores_nothing(live: Live, teams: FakeServer, mode: str) -> None:
    line = ("stop", "workload", "job-run", "-n", "team-a", f"--dry-run={mode}")
    assert live(*line).out == f"{NAMED}/job-run stopped ({mode} dry run)\n"
    assert json.loads(live(*line, "-o", "json").out)["spec"]["active"] is False
    assert live(*line, "-o", "name").out == f"{NAMED}/job-run\n"
    assert teams.store.done == []
    assert bool(sent(teams, "PATCH", trial=True)) == (mode == "server")


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("stop workload nope -n team-a", 3, 'Error: workloads.kueue.x-k8s.io "nope" not found'),
        ("resume workload nope -n team-a", 3, 'Error: workloads.kueue.x-k8s.io "nope" not found'),
        ("stop workload job-run", 3, "not found"),
        ("stop workload", 2, "missing argument 'WORKLOAD'"),
        ("stop workload a b -n team-a", 2, "unexpected extra argument"),
        ("stop workload a --from example:four-tenants", 2, "a dump can't be written to"),
    ],
)
def test_what_can_not_be_done_is_an_error(live: Live, teams: FakeServer, line: str, code: int, want: str) -> None:
    result = live(*line.split())
    assert (result.code, result.out) == (code, "")
    assert want.lower() in result.err.lower()
    assert teams.store.done == []


WRITTEN = "/workloads/"
FAULTS = {
    "the answer is lost": (Fault(WRITTEN, method="PATCH", hang_up=True, lose=True, times=1), 0),
    "a fault of the server, done": (Fault(WRITTEN, method="PATCH", lose=True, status=500, times=1), 0),
    "cut before it is done": (Fault(WRITTEN, method="PATCH", hang_up=True, times=1), 0),
    "a conflict, once": (Fault(WRITTEN, method="PATCH", status=409, times=1), 0),
    "a conflict, always": (Fault(WRITTEN, method="PATCH", status=409), 4),
    "refused": (Fault(WRITTEN, method="PATCH", status=403), 5),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_write_happens_once_and_is_reported_as_it_is(live: Live, teams: FakeServer, name: str) -> None:
    fault, want = FAULTS[name]
    teams.faults.append(fault)
    result = live("stop", "workload", "job-big", "-n", "team-a")
    assert result.code == want, result.err
    assert len(teams.store.done) == (want == 0)
    assert result.out == (f"{NAMED}/job-big stopped\n" if want == 0 else "")


def test_a_new_message_of_kueue_is_no_conflict(live: Live, teams: FakeServer) -> None:
    before_write(teams, "job-big", lambda item: item["status"].update({"requeueState": {"count": 1}}))
    result = live("stop", "workload", "job-big", "-n", "team-a")
    assert (result.code, len(teams.store.done)) == (0, 1)
    assert stored(teams, WORKLOADS, "job-big")["status"]["requeueState"] == {"count": 1}


def test_a_workload_that_was_admitted_meanwhile_is_a_conflict(live: Live, teams: FakeServer) -> None:
    """It was told to be waiting; now its job would be stopped."""

    def admit(item: dict[str, object]) -> None:
        item["status"] = {"conditions": [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved"}]}

    before_write(teams, "job-big", admit)
    result = live("stop", "workload", "job-big", "-n", "team-a")
    assert (result.code, teams.store.done) == (4, [])
    assert "the object has been modified" in result.err


def test_a_new_workload_of_that_name_is_a_conflict(live: Live, teams: FakeServer) -> None:
    before_write(teams, "job-big", lambda item: item["metadata"].update({"uid": "another"}))
    result = live("stop", "workload", "job-big", "-n", "team-a")
    assert (result.code, teams.store.done) == (4, [])
