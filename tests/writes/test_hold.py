"""`hold` and `release`: batches that are shown, asked about, tried, and written one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault
from tests.writes.teams import WORKLOADS, before_write, sent, stored

NAMED = "workload.kueue.x-k8s.io"
IN_A = ("-n", "team-a")


def active(fake: FakeServer, *names: str) -> list[bool]:
    """spec.active of these."""
    return [stored(fake, WORKLOADS, name)["spec"]["active"] for name in names]


def held(*names: str) -> str:
    """What is printed."""
    return "".join(f"{NAMED}/{name} held\n" for name in names)


def test_who_is_evicted_and_who_is_admitted_then_is_told_first(live: Live, teams: FakeServer) -> None:
    result = live("hold", "job-run", "job-check", *IN_A, stdin="n\n")
    question = "Hold 2 workloads, 2 of them with quota, which are evicted (y/n)? \nHold is canceled\n"
    assert (result.code, result.out) == (0, question)
    lines = [line.split("   ") for line in result.err.splitlines()]
    assert ["team-a/job-run", "ADMITTED", "train", "training"] in [[c.strip() for c in line if c][:4] for line in lines]
    assert "evicted, not queued" in result.err
    assert "ADMITTED   team-a/job-big" in result.err
    assert (teams.store.done, sent(teams, "PATCH", trial=True)) == ([], [])


def test_those_that_wait_are_held_before_those_that_run(live: Live, teams: FakeServer) -> None:
    """Else one of the batch would get the quota that another one of it gives back."""
    result = live("hold", "job-run", "job-small", "job-big", *IN_A, stdin="y\n")
    assert result.out.partition("(y/n)? \n")[2] == held("job-big", "job-small", "job-run")
    assert active(teams, "job-run", "job-small", "job-big") == [False] * 3
    methods = [seen.query.get("dryRun", "") for seen in teams.seen if seen.method == "PATCH"]
    assert methods == ["All"] * 3 + [""] * 3


CHOICES = {
    "by name": ("job-big", "job-big"),
    "by kind and names": ("workload job-big job-small", "job-big job-small"),
    "by kind/name": ("wl/job-big", "job-big"),
    "by namespace/name": ("team-b/api-next", "api-next"),
    "by job": ("job/big", "job-big"),
    "by jobs": ("job big small", "job-big job-small"),
    "by pod": ("pod/lab", "pod-lab"),
    "by labels": ("-l batch=yes", "group"),
    "by LocalQueue": ("-q train", "job-big job-small job-check job-run"),
    "by ClusterQueue everywhere": ("-c serving -A", "api-next api"),
    "by ClusterQueue here": ("-c serving", ""),
    "made for a job": ("--for job/big", "job-big"),
    "all": ("--all", "group job-big job-small pod-lab job-check job-run"),
    "labels of a queue": ("-q lab -l batch", "group"),
}


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("preview", [True, False])
def test_workloads_are_chosen(live: Live, teams: FakeServer, name: str, preview: bool) -> None:
    words, want = CHOICES[name]
    scope = () if "-A" in words else IN_A
    more = () if preview else ("--no-preview",)
    result = live("hold", *words.split(), *scope, "--yes", *more)
    assert (result.code, result.out) == (0, held(*want.split())), result.err
    assert ("Because of it" in result.err) == (preview and bool(want))


def test_without_a_preview_only_workloads_and_queues_are_read(live: Live, teams: FakeServer) -> None:
    live("hold", "job-big", *IN_A, "--yes", "--no-preview")
    assert not [path for path in teams.paths() if "clusterqueues" in path or "nodes" in path]


def test_what_is_held_or_finished_already_is_left(live: Live, teams: FakeServer) -> None:
    result = live("hold", "job-off", "job-old", *IN_A, "--no-preview")
    assert (result.code, result.out) == (0, "")
    assert result.err == (
        "Workload team-a/job-off is held already: left as it is\n"
        "Workload team-a/job-old is finished: left as it is\n"
        "Nothing to hold.\n"
    )


def test_release_tells_where_they_queue(live: Live, teams: FakeServer) -> None:
    result = live("release", "job-off", *IN_A, stdin="y\n")
    assert (result.code, result.out) == (0, f"Release 1 workload (y/n)? \n{NAMED}/job-off released\n")
    assert "STOPPED" in result.err
    assert "waits at position 3 in training" in result.err
    assert active(teams, "job-off") == [True]


def test_several_namespaces_are_told(live: Live, teams: FakeServer) -> None:
    result = live("hold", "team-a/job-big", "team-b/api", "--yes")
    assert result.out == f"{NAMED}/job-big held in namespace team-a\n{NAMED}/api held in namespace team-b\n"


@pytest.mark.parametrize("mode", ["client", "server"])
@pytest.mark.parametrize("form", ["table", "json", "name"])
def test_a_dry_run_stores_nothing_and_is_parseable(live: Live, teams: FakeServer, mode: str, form: str) -> None:
    flags = () if form == "table" else ("-o", form)
    result = live("hold", "job-big", "job-small", *IN_A, f"--dry-run={mode}", *flags)
    assert (result.code, teams.store.done) == (0, [])
    assert "To be held:" in result.err
    if form == "table":
        assert result.out == held("job-big", "job-small").replace("\n", f" ({mode} dry run)\n")
    elif form == "name":
        assert result.out == f"{NAMED}/job-big\n{NAMED}/job-small\n"
    else:
        items: list[Any] = json.loads(result.out)["items"]
        assert [one["spec"]["active"] for one in items] == [False, False]
        assert [len(one["spec"]["podSets"]) for one in items] == [1, 1]


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("hold", 2, "no workload named"),
        ("hold job-big --all", 2, "name cannot be provided when a selector is specified"),
        ("hold nope -n team-a", 3, 'workloads.kueue.x-k8s.io "nope" not found'),
        ("hold job/nope -n team-a", 3, 'jobs.batch "nope" not found'),
        ("hold job/idle -n team-a", 3, "jobs.batch idle has no Workload"),
        ("hold --for job/nope -n team-a", 3, 'jobs.batch "nope" not found'),
        ("hold -q train -l a==", 0, "No resources found"),
        ("hold job-big --from example:four-tenants", 2, "a dump can't be written to"),
        ("release", 2, "no workload named"),
    ],
)
def test_what_can_not_be_done_is_an_error(live: Live, teams: FakeServer, line: str, code: int, want: str) -> None:
    result = live(*line.split())
    assert (result.code, result.out, teams.store.done) == (code, "", [])
    assert want in result.err


LINE = ("hold", "job-run", "job-small", "job-big", *IN_A, "--yes")
SMALL = "/workloads/job-small"
BATCHES = {
    "a trial is refused": (Fault(SMALL, method="PATCH", status=403), (), 5, "", "Nothing was written."),
    "a trial is refused, and the others go on": (
        Fault(SMALL, method="PATCH", status=403),
        ("--keep-going",),
        5,
        held("job-big", "job-run"),
        "1 of 3 writes failed",
    ),
    "the second write is refused": (
        Fault(SMALL, method="PATCH", status=403, after=1),
        (),
        5,
        held("job-big"),
        f"Not done after the failure: {NAMED}/job-run",
    ),
    "the second write is refused, and the third goes on": (
        Fault(SMALL, method="PATCH", status=403, after=1),
        ("--keep-going",),
        5,
        held("job-big", "job-run"),
        "1 of 3 writes failed",
    ),
    "the answer of the second is lost": (
        Fault(f"{SMALL}\\?fieldManager=kueuectl$", method="PATCH", hang_up=True, lose=True, times=1),
        (),
        0,
        held("job-big", "job-small", "job-run"),
        "",
    ),
    "the server ends in the middle": (
        Fault("/workloads/job-(small|run)", hang_up=True, after=2),
        (),
        5,
        held("job-big"),
        f"Not done after the failure: {NAMED}/job-run",
    ),
    "a conflict that stays": (Fault(SMALL, method="PATCH", status=409, after=1), (), 4, held("job-big"), "job-run"),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_reports_what_was_done_and_what_was_not(live: Live, teams: FakeServer, name: str) -> None:
    fault, flags, code, out, said = BATCHES[name]
    teams.faults.append(fault)
    result = live(*LINE, *flags)
    assert (result.code, result.out) == (code, out), result.err
    assert said in result.err
    done = {path.rpartition("/")[2] for _, path, _ in teams.store.done}
    assert [f"{NAMED}/{one} held" for one in ("job-big", "job-small", "job-run") if one in done] == out.splitlines()
    assert len(teams.store.done) == len(done)


def test_a_machine_format_has_what_was_done_before_a_failure(live: Live, teams: FakeServer) -> None:
    teams.faults.append(Fault(SMALL, method="PATCH", status=403, after=1))
    result = live(*LINE, "-o", "name")
    assert (result.code, result.out) == (5, f"{NAMED}/job-big\n")


def test_one_that_was_admitted_since_it_was_shown_is_a_conflict(live: Live, teams: FakeServer) -> None:
    def admit(item: dict[str, Any]) -> None:
        item["status"] = {"conditions": [{"type": "QuotaReserved", "status": "True"}]}

    before_write(teams, "job-small", admit)
    result = live(*LINE)
    assert (result.code, result.out) == (4, held("job-big"))
    assert active(teams, "job-small", "job-run") == [True, True]


def test_one_that_only_has_a_new_message_is_written(live: Live, teams: FakeServer) -> None:
    before_write(teams, "job-small", lambda item: item["metadata"].update({"annotations": {"a": "b"}}))
    result = live(*LINE)
    assert (result.code, result.out) == (0, held("job-big", "job-small", "job-run"))
    assert stored(teams, WORKLOADS, "job-small")["metadata"]["annotations"] == {"a": "b"}


def test_ctrl_c_in_the_middle_tells_what_is_left(live: Live, teams: FakeServer, monkeypatch: Any) -> None:
    from kueuectl.cluster.write import Writer

    send = Writer.send

    def interrupted(self: Writer, write: Any) -> Any:
        if write.target.name == "job-small":
            raise KeyboardInterrupt
        return send(self, write)

    monkeypatch.setattr(Writer, "send", interrupted)
    result = live(*LINE)
    assert (result.code, result.out) == (130, held("job-big"))
    assert f"Interrupted while {NAMED}/job-small was written" in result.err
    assert f"Not done after the failure: {NAMED}/job-run" in result.err


@pytest.mark.parametrize(("answer", "count"), [("y\n", 1), ("n\n", 0)])
def test_the_question_is_no_part_of_an_answer_for_programs(
    live: Live, teams: FakeServer, answer: str, count: int
) -> None:
    result = live("hold", "job-run", *IN_A, "--no-preview", "-o", "json", stdin=answer)
    assert result.code == 0
    assert "Hold 1 workload, 1 of them with quota, which is evicted (y/n)? \n" in result.err
    assert [json.loads(result.out)["spec"]["active"]] == [False] if count else result.out == ""
    assert ("Hold is canceled" in result.err) == (not count)
    assert len(teams.store.done) == count
