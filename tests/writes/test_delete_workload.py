"""`delete workload`: the question of the Go plugin, the job with its pods, and what goes wrong."""

from __future__ import annotations

import io

import pytest

from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault
from tests.writes.teams import JOBS, PODS, WORKLOADS, before_write, names, sent, stored, waiting

RUN = "jobs.batch/run deleted\n"
ASKED = """This operation will also delete:
  - jobs.batch/run associated with the team-a/job-run workload
Do you want to proceed (y/n)? """
IN_A = ("-n", "team-a")
# The pods keep their finalizers until the Workload goes.
GROUP = "pods/group-0 deleted\npods/group-1 deleted\nworkload.kueue.x-k8s.io/group deleted\n"
CANCELED = "Deletion is canceled\n"


@pytest.mark.parametrize(
    ("answer", "want"),
    [("y\n", RUN), ("yes\n", RUN), ("Y\n", RUN), ("n\n", CANCELED), ("", CANCELED), ("maybe\n", CANCELED)],
)
def test_it_asks_in_the_words_of_the_go_plugin(live: Live, teams: FakeServer, answer: str, want: str) -> None:
    result = live("delete", "workload", "job-run", *IN_A, stdin=answer)
    assert (result.code, result.out) == (0, ASKED + want)
    assert len(teams.store.done) == (want == RUN)


def test_the_job_goes_with_its_pods_and_only_that_job(live: Live, teams: FakeServer) -> None:
    bodies: list[bytes] = []
    answer = teams.answer
    teams.answer = lambda *seen: (bodies.append(seen[3]), answer(*seen))[1]  # type: ignore[method-assign]
    result = live("delete", "kwl", "job-run", *IN_A, "-y")
    assert (result.code, result.out, result.err) == (0, RUN, "")
    assert b'{"uid": "uid-run"}' in bodies[-1]
    assert b'"propagationPolicy": "Background"' in bodies[-1]
    assert "run" not in names(teams, JOBS)
    assert "job-run" in names(teams, WORKLOADS)


def test_several_are_asked_about_at_once(live: Live, teams: FakeServer) -> None:
    teams.put(WORKLOADS, waiting("alone"))
    result = live("delete", "workload", "job-run", "alone", "job-big", *IN_A, stdin="n\n")
    assert result.out == (
        "This operation will also delete:\n"
        "  - jobs.batch/run associated with the team-a/job-run workload\n"
        "\n"
        "  - jobs.batch/big associated with the team-a/job-big workload\n"
        "Do you want to proceed (y/n)? Deletion is canceled\n"
    )


def test_a_workload_without_owner_goes_itself_and_nobody_is_asked(live: Live, teams: FakeServer) -> None:
    teams.put(WORKLOADS, waiting("alone"))
    result = live("delete", "workload", "alone", *IN_A)
    assert (result.code, result.out) == (0, "workload.kueue.x-k8s.io/alone deleted\n")
    assert "alone" not in names(teams, WORKLOADS)


def test_a_workload_whose_job_is_gone_goes_itself(live: Live, teams: FakeServer) -> None:
    stored(teams, JOBS, "run")["metadata"]["uid"] = "made-later"
    result = live("delete", "workload", "job-run", *IN_A)
    assert (result.code, result.out) == (0, "workload.kueue.x-k8s.io/job-run deleted\n")
    assert "the job that it is of is gone" in result.err
    assert "run" in names(teams, JOBS)


def test_all_pods_of_a_group_go(live: Live, teams: FakeServer) -> None:
    result = live("delete", "workload", "group", *IN_A, stdin="y\n")
    assert "  - pods/group-0 associated with the team-a/group workload\n  - pods/group-1 associated" in result.out
    assert result.out.endswith(GROUP)
    assert not {"group-0", "group-1"} & names(teams, PODS)
    assert "group" not in names(teams, WORKLOADS)


def test_a_pod_that_is_made_anew_is_warned_about(live: Live, teams: FakeServer) -> None:
    pod = stored(teams, PODS, "lab")
    pod["metadata"]["ownerReferences"] = [{"kind": "ReplicaSet", "name": "web", "controller": True}]
    result = live("delete", "workload", "pod-lab", *IN_A, "--yes")
    assert (result.code, result.out) == (0, "pods/lab deleted\n")
    assert "pods/lab was made by ReplicaSet/web, which may make it anew" in result.err


def test_the_job_is_meant_where_its_pods_are_owners_too(live: Live, teams: FakeServer) -> None:
    owners = stored(teams, WORKLOADS, "job-run")["metadata"]["ownerReferences"]
    owners.append({"apiVersion": "v1", "kind": "Pod", "name": "run-0", "uid": "uid-run-0"})
    assert live("delete", "workload", "job-run", *IN_A, "--yes").out == RUN


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_deletes_nothing_and_asks_nothing(live: Live, teams: FakeServer, mode: str) -> None:
    result = live("delete", "workload", "job-run", "nope", *IN_A, f"--dry-run={mode}")
    assert (result.code, result.out) == (3, f"jobs.batch/run deleted ({mode} dry run)\n")
    assert result.err == 'workloads.kueue.x-k8s.io "nope" not found\n'
    assert teams.store.done == []


def test_all_of_a_namespace(live: Live, teams: FakeServer) -> None:
    question = (
        "This operation will also delete the jobs associated with these workloads.\nDo you want to proceed (y/n)? "
    )
    result = live("delete", "workload", "--all", *IN_A, stdin="n\n")
    assert (result.code, result.out) == (0, f"{question}Deletion is canceled\n")
    assert "  - jobs.batch/run associated with the team-a/job-run workload\n" in result.err
    result = live("delete", "workload", "--all", *IN_A, "--yes")
    assert (result.code, len(result.out.splitlines())) == (0, 10), result.err
    assert names(teams, JOBS) == {"idle"}
    assert {"api", "api-next"} <= names(teams, WORKLOADS)


def test_by_labels_and_everywhere(live: Live, teams: FakeServer) -> None:
    assert live("delete", "workload", "-l", "batch=yes", *IN_A, "--yes").out == GROUP
    result = live("delete", "workload", "-l", "batch=never", "-A", "--yes")
    assert (result.code, result.out, result.err) == (0, "", "No resources found\n")
    assert (
        "workload.kueue.x-k8s.io/api deleted (server dry run)"
        in live("delete", "workload", "--all", "-A", "--dry-run=server").out
    )


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("delete workload nope -n team-a", 3, 'workloads.kueue.x-k8s.io "nope" not found'),
        ("delete workload nope -n team-a --yes", 3, 'workloads.kueue.x-k8s.io "nope" not found'),
        ("delete workload", 2, "missing argument 'WORKLOAD'"),
        ("delete kwl x --all", 2, "name cannot be provided when a selector is specified"),
        ("delete kwl x -A", 2, "a resource cannot be retrieved by name across all namespaces"),
        ("delete workload x -o name", 2, "workload takes no -o"),
        ("delete workload x --dry-run=maybe", 2, "invalid dry-run value (maybe)"),
        ("delete workload x --from example:four-tenants", 2, "a dump can't be written to"),
    ],
)
def test_what_can_not_be_done_is_an_error(live: Live, teams: FakeServer, line: str, code: int, want: str) -> None:
    result = live(*line.split())
    assert (result.code, result.out) == (code, "")
    assert want in result.err
    assert teams.store.done == []


def test_an_owner_of_a_kind_that_is_not_served_is_a_clear_error(live: Live, teams: FakeServer) -> None:
    owner = {"apiVersion": "ray.io/v1", "kind": "RayJob", "name": "tune", "uid": "u"}
    teams.put(WORKLOADS, waiting("ray", owners=[owner]))
    result = live("delete", "workload", "ray", *IN_A, "--yes")
    assert (result.code, result.out, teams.store.done) == (3, "", [])
    assert "workload team-a/ray belongs to RayJob tune: the cluster has no kind RayJob (group ray.io)" in result.err


def test_an_owner_that_may_not_be_read_is_a_clear_error(live: Live, teams: FakeServer) -> None:
    teams.forbidden.add("jobs")
    result = live("delete", "workload", "job-run", *IN_A, "--yes")
    assert (result.code, result.out, teams.store.done) == (5, "", [])
    assert "workload team-a/job-run belongs to Job run: not allowed to get Job team-a/run" in result.err


FAULTS = {
    "the answer is lost": (Fault("/jobs/run", method="DELETE", hang_up=True, lose=True, times=1), 0),
    "a fault of the server, done": (Fault("/jobs/run", method="DELETE", lose=True, status=500, times=1), 0),
    "a fault of the server, not done": (Fault("/jobs/run", method="DELETE", status=500, times=1), 0),
    "always cut": (Fault("/jobs/run", method="DELETE", hang_up=True), 5),
    "refused": (Fault("/jobs/run", method="DELETE", status=403), 5),
    "another job of that name": (Fault("/jobs/run", method="DELETE", status=409), 4),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_job_is_deleted_once_and_reported_as_it_is(live: Live, teams: FakeServer, name: str) -> None:
    fault, want = FAULTS[name]
    teams.faults.append(fault)
    result = live("delete", "workload", "job-run", *IN_A, "--yes")
    assert result.code == want, result.err
    assert (result.out == RUN, "run" not in names(teams, JOBS)) == (want == 0, want == 0)
    assert len(teams.store.done) == (want == 0)


def test_a_job_that_was_made_anew_is_left_alone(live: Live, teams: FakeServer) -> None:
    before_write(teams, "run", lambda item: item["metadata"].update({"uid": "made-later"}), path=JOBS)
    result = live("delete", "workload", "job-run", *IN_A, "--yes")
    assert (result.code, result.out, teams.store.done) == (4, "", [])


def test_all_are_tried_before_the_first_goes(live: Live, teams: FakeServer) -> None:
    teams.faults.append(Fault("/jobs/big", method="DELETE", status=403))
    result = live("delete", "workload", "job-run", "job-big", *IN_A, "--yes")
    assert (result.code, result.out, teams.store.done) == (5, "", [])
    assert "Nothing was written." in result.err
    assert len(sent(teams, "DELETE", trial=True)) == 2
    result = live("delete", "workload", "job-run", "job-big", *IN_A, "--yes", "--keep-going")
    assert (result.code, result.out) == (5, RUN)
    assert "1 of 2 writes failed" in result.err


def test_half_a_batch_is_told(live: Live, teams: FakeServer) -> None:
    teams.faults.append(Fault(r"/jobs/big", method="DELETE", status=403, after=1))
    result = live("delete", "workload", "job-run", "job-big", "job-small", *IN_A, "--yes")
    assert (result.code, result.out) == (5, RUN)
    assert "Not done after the failure: jobs.batch/small" in result.err
    assert {"big", "small"} <= names(teams, JOBS)


def test_an_answer_that_is_no_text_is_no_yes(teams: FakeServer, live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    from kueuectl.cli.frame.environment import Environment

    make = Environment.__init__

    def with_bytes(self: Environment, **fields: object) -> None:
        fields["stdin"] = io.TextIOWrapper(io.BytesIO(b"\xff\xfey\n"), encoding="utf-8")
        make(self, **fields)  # type: ignore[arg-type]

    monkeypatch.setattr(Environment, "__init__", with_bytes)
    result = live("delete", "workload", "job-run", *IN_A)
    assert (result.code, result.out) == (0, ASKED + CANCELED)
    assert teams.store.done == []
