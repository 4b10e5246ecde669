"""Plans carried out against a fake API server: what is written, what is said, what goes wrong, and how often."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.apply import scene
from tests.apply.conftest import Live
from tests.apply.scene import Kueue, condition, evictions, stored
from tests.cluster.fake import FakeServer, Fault

EVICT = ("preempt", "run-1", "run-2", "-n", "team-a")
QUICK = ("--yes", "--timeout", "3s")
STATUS = "/status"


def plan(live: Live, *words: str) -> str:
    """A plan file of two evictions."""
    result = live(*EVICT, *words, "-o", "plan=plan.json")
    assert result.code == 0, result.err
    return "plan.json"


def lines(path: str = "plan.json.journal") -> list[dict[str, Any]]:
    """The lines of a journal."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def events(path: str = "plan.json.journal") -> list[str]:
    """What the journal says, in short: event and step."""
    return [f"{line['event']} {line.get('step', '')}".strip() for line in lines(path)]


def sent(fake: FakeServer) -> list[dict[str, str]]:
    """The queries of all PATCH requests."""
    return [seen.query for seen in fake.seen if seen.method == "PATCH"]


def test_a_preemption_is_written_as_kueue_writes_one(live: Live, fake: FakeServer) -> None:
    Kueue(fake, idle=True)
    result = live(*EVICT, "--apply", "--yes", "--timeout", "0")
    assert result.code == 0, result.err
    assert result.out.endswith(
        "workload.kueue.x-k8s.io/run-1 in team-a evicted\nworkload.kueue.x-k8s.io/run-2 in team-a evicted\n"
    )
    after = stored(fake, "run-1")
    evicted, preempted = condition(after, "Evicted"), condition(after, "Preempted")
    assert (evicted["status"], evicted["reason"], evicted["observedGeneration"]) == ("True", "Preempted", 1)
    assert (preempted["status"], preempted["reason"]) == ("True", "InClusterQueue")
    assert "observedGeneration" not in preempted, "Kueue has none there"
    assert evicted["message"] == preempted["message"]
    assert evicted["message"].startswith("Preempted by jane via kueuectl (plan ")
    assert "(UID: uid-urgent, JobUID: job-urgent)" in evicted["message"]
    assert evicted["lastTransitionTime"] == scene.NOW
    assert after["status"]["schedulingStats"]["evictions"] == [
        {"reason": "Preempted", "underlyingCause": "", "count": 1}
    ]
    assert after["status"]["requeueState"] == {"requeueAt": "2026-11-29T12:00:40Z"}
    assert after["status"]["admission"]["clusterQueue"] == "batch", "its job's controller takes the quota away"
    assert sent(fake) == [{"fieldManager": "kueuectl", "dryRun": "All"}] * 2 + [{"fieldManager": "kueuectl"}] * 2


def test_what_was_foretold_is_compared_with_what_came(live: Live, kueue: Kueue, fake: FakeServer) -> None:
    result = live(*EVICT, "--apply", *QUICK)
    assert result.code == 0, result.err
    assert "All of it came as it was foretold." in result.out
    assert condition(stored(fake, "urgent"), "Admitted")["status"] == "True"
    [path] = Path().glob("kueuectl-preempt-*.json")
    assert f"The plan is in {path}, its journal in " in result.err
    assert lines(f"{path}.journal")[-1]["outcome"] == "as foretold"


def test_what_did_not_come_is_said_line_by_line(live: Live, fake: FakeServer) -> None:
    Kueue(fake, back=("run-1",))
    result = live(*EVICT, "--apply", "--yes", "--timeout", "300ms")
    assert result.code == 1
    assert "2 of 3 lines did not come as foretold" in result.err
    table = {line.split()[0]: line.split()[-1] for line in result.out.splitlines() if line.startswith("team-a/")}
    assert table == {"team-a/run-1": "no", "team-a/run-2": "yes", "team-a/urgent": "no"}


@pytest.mark.parametrize(("answer", "code"), [("n\n", 1), ("", 1), ("y\n", 0)])
def test_nothing_is_written_without_a_yes(live: Live, fake: FakeServer, kueue: Kueue, answer: str, code: int) -> None:
    result = live(*EVICT, "--apply", "--timeout", "3s", stdin=answer)
    assert result.code == code, result.err
    assert "Evict 2 workloads (2 pods) (y/n)? " in result.out
    assert len(fake.store.done) == (0 if code else 2)


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_stores_nothing_anywhere(live: Live, fake: FakeServer, mode: str) -> None:
    result = live(*EVICT, "--apply", f"--dry-run={mode}")
    assert result.code == 0, result.err
    assert f"workload.kueue.x-k8s.io/run-2 in team-a evicted ({mode} dry run)\n" in result.out
    assert fake.store.done == []
    assert list(Path().iterdir()) == []
    assert len(sent(fake)) == (2 if mode == "server" else 0)


def test_hold_deactivates(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    result = live(*EVICT, "--hold", "--apply", *QUICK)
    assert result.code == 0, result.err + result.out
    assert stored(fake, "run-1")["spec"]["active"] is False
    assert "held, quota released" in result.out
    assert [path for _, path, _ in fake.store.done if path.endswith(STATUS)] == []


def test_the_answer_for_programs(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    result = live(*EVICT, "--apply", *QUICK, "-o", "json")
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert (found["kind"], found["cameTrue"], found["unforeseen"]) == ("AppliedPlan", True, [])
    assert [row["result"] for row in found["items"]] == ["evicted", "evicted"]
    assert [(row["workload"], row["fate"], row["cameTrue"]) for row in found["foretold"]] == [
        ("team-a/run-1", "released", True),
        ("team-a/run-2", "released", True),
        ("team-a/urgent", "admitted", True),
    ]


def test_names_of_those_who_are_evicted(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    result = live(*EVICT, "--apply", *QUICK, "-o", "name")
    assert result.out == "workload.kueue.x-k8s.io/run-1\nworkload.kueue.x-k8s.io/run-2\n"


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("preempt run-1 -n team-a --apply -o json", 2, "-o needs --yes"),
        ("preempt run-1 -n team-a --apply -o plan=p.json", 2, "-o plan only makes a plan"),
        ("preempt run-1 -n team-a --apply --timeout soon", 2, "invalid value 'soon' for --timeout"),
        ("preempt run-1 -n team-a --apply --backoff -3s", 2, "--backoff can't be below zero"),
        ("preempt run-1 -n team-a --apply --from example:preemption", 2, "a dump can't be written to"),
        ("preempt urgent -n team-a --apply --yes", 1, "holds no quota"),
        ("preempt nobody -n team-a --apply --yes", 3, "not found"),
        ("preempt --for urgent -n team-a --apply --yes", 1, "Kueue would preempt nobody for team-a/urgent"),
        ("apply nothing.json", 1, "nothing.json: cannot be read"),
    ],
)
def test_what_can_not_be_done_is_an_error(live: Live, fake: FakeServer, line: str, code: int, want: str) -> None:
    result = live(*line.split())
    assert (result.code, want in result.err) == (code, True), result.err
    assert fake.store.done == []


def test_rebalance_makes_room_and_proves_it(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    result = live("rebalance", "--goal", "fit:team-a/urgent", "--apply", *QUICK)
    assert result.code == 0, result.err + result.out
    assert "All of it came as it was foretold." in result.out
    assert sum(evictions(fake, name) for name in scene.VICTIMS) == 2
    assert "due to goal fit" in condition(stored(fake, "urgent"), "Evicted").get("message", "due to goal fit")


def test_a_goal_that_is_reached_writes_nothing(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    result = live("rebalance", "--goal", "fit:team-a/run-1", "--apply", *QUICK, "-o", "json")
    assert (result.code, json.loads(result.out)["reached"]) == (0, True), result.err
    assert fake.store.done == []


def test_the_victims_that_kueue_would_choose_get_its_reason(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    spec: Any = fake.objects[f"{scene.ROOT}/clusterqueues"][0]["spec"]
    spec["preemption"]["withinClusterQueue"] = "LowerPriority"
    result = live("preempt", "--for", "urgent", "-n", "team-a", "--apply", *QUICK)
    assert result.code == 0, result.err + result.out
    assert sum(evictions(fake, name) for name in scene.VICTIMS) == 2
    victim = next(name for name in scene.VICTIMS if evictions(fake, name))
    row = condition(stored(fake, victim), "Preempted")
    assert row["reason"] == "InClusterQueue"
    assert row["message"].endswith("to accommodate a workload (UID: uid-urgent, JobUID: job-urgent) due to goal fit")


def test_a_saved_plan_is_carried_out_once(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    path = plan(live)
    first = live("apply", path, *QUICK)
    assert first.code == 0, first.err
    assert "Plan of 2026-11-29T12:00:00Z: evictions that were named" in first.out
    assert events() == ["open", "begin 1", "done 1", "begin 2", "done 2", "end"]
    again = live("apply", path, *QUICK)
    assert (again.code, again.out) == (0, "")
    assert "Nothing to do: all 2 steps were done by 2026-11-29T12:00:00Z." in again.err
    assert [evictions(fake, name) for name in scene.VICTIMS] == [1, 1, 0]


def test_a_workload_without_owner_is_released(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    for one in fake.objects[scene.WORKLOADS]:
        if one["metadata"]["name"] in ("run-1", "run-2"):  # type: ignore[index]
            del one["metadata"]["ownerReferences"]  # type: ignore[attr-defined]
    result = live(*EVICT, "--apply", *QUICK)
    assert result.code == 0, result.err + result.out
    assert "Warning: workload team-a/run-1 has no owner: nothing stops what may run for it" in result.err
    after = stored(fake, "run-1")
    assert "admission" not in after["status"]
    assert condition(after, "QuotaReserved")["status"] == condition(after, "Admitted")["status"] == "False"
    assert condition(after, "Requeued")["status"] == "True"
    assert after["status"]["accumulatedPastExecutionTimeSeconds"] == 3600
    assert evictions(fake, "run-1") == 1


def test_one_that_something_runs_for_is_refused(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    one = stored(fake, "run-1")
    del one["metadata"]["ownerReferences"]
    scene.mark(one, "PodsReady", "True", "Started")
    result = live(*EVICT, "--apply", *QUICK)
    assert result.code == 1
    assert "its pods are ready, so something runs for it" in result.err
    assert "Hint: use --hold" in result.err
    assert fake.store.done == []


@pytest.mark.parametrize("user", [None, "jane"])
def test_who_it_was_is_the_servers_word_or_the_kubeconfigs(
    live: Live, fake: FakeServer, kueue: Kueue, user: str | None
) -> None:
    fake.user = user
    live(*EVICT, "--apply", *QUICK)
    message = condition(stored(fake, "run-1"), "Preempted")["message"]
    assert message.startswith(f"Preempted by {user or 'an unknown user'} via kueuectl")


def test_the_plan_has_no_secret(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    live(*EVICT, "--apply", *QUICK, "--token", "s3cr3t")
    found = "".join(path.read_text() for path in Path().iterdir())
    assert found
    assert "s3cr3t" not in found


# -- what goes wrong

FAULTS = {
    "cut before it is done": (Fault(STATUS, method="PATCH", hang_up=True, times=1, after=2), 0),
    "cut after it is done": (Fault(STATUS, method="PATCH", hang_up=True, lose=True, times=1, after=2), 0),
    "half of the answer": (Fault(STATUS, method="PATCH", lose=True, cut=True, times=1, after=2), 0),
    "a fault of the server, nothing done": (Fault(STATUS, method="PATCH", status=500, times=1, after=2), 0),
    "a fault of the server, done": (Fault(STATUS, method="PATCH", lose=True, status=500, times=1, after=2), 0),
    "throttled": (Fault(STATUS, method="PATCH", status=429, headers={"Retry-After": "0"}, times=1, after=2), 0),
    "the second cut after it is done": (Fault(STATUS, method="PATCH", hang_up=True, lose=True, times=1, after=3), 0),
    "always cut": (Fault(STATUS, method="PATCH", hang_up=True, after=2), 5),
    "always a fault": (Fault(STATUS, method="PATCH", status=503, after=2), 5),
    "forbidden": (Fault(STATUS, method="PATCH", status=403, after=2), 5),
    "the second forbidden": (Fault(STATUS, method="PATCH", status=403, after=3), 5),
    "conflict": (Fault(STATUS, method="PATCH", status=409, after=2), 4),
    "the second conflicts": (Fault(STATUS, method="PATCH", status=409, after=3), 4),
    "the trial is forbidden": (Fault(STATUS, method="PATCH", status=403, times=1), 5),
    "the second trial conflicts": (Fault(STATUS, method="PATCH", status=409, after=1, times=1), 4),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_victim_is_evicted_exactly_once(live: Live, fake: FakeServer, kueue: Kueue, name: str) -> None:
    fault, want = FAULTS[name]
    path = plan(live)
    fake.faults.append(fault)
    result = live("apply", path, *QUICK)
    assert result.code == want, result.err
    done = [evictions(fake, victim) for victim in scene.VICTIMS]
    told = [f"{victim} in team-a evicted" in result.out for victim in ("run-1", "run-2")]
    assert [bool(count) for count in done] == [*told, False], "what is reported is what happened"
    fake.faults.clear()
    again = live("apply", path, *QUICK)
    assert again.code == 0, again.err
    assert [evictions(fake, victim) for victim in scene.VICTIMS] == [1, 1, 0]


def test_a_failure_leaves_a_plan_of_what_remains(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    path = plan(live)
    fake.faults.append(Fault("run-2/status", method="PATCH", status=403, after=1))
    result = live("apply", path, *QUICK)
    assert "1 of 2 steps are not done; what remains is in plan.rest.json" in result.err
    assert "Go on with: kueuectl apply plan.json" in result.err
    rest = json.loads(Path("plan.rest.json").read_text())
    assert [step["name"] for step in rest["steps"]] == ["run-2"]
    fake.faults.clear()
    assert live("apply", "plan.rest.json", *QUICK).code == 0
    assert [evictions(fake, victim) for victim in scene.VICTIMS] == [1, 1, 0]
    late = live("apply", path, *QUICK)
    assert late.code == 4, "the victim is not what it was"
    assert [evictions(fake, victim) for victim in scene.VICTIMS] == [1, 1, 0]


def test_keep_going_does_the_rest(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    path = plan(live)
    fake.faults.append(Fault("run-1/status", method="PATCH", status=409, after=1))
    result = live("apply", path, *QUICK, "--keep-going")
    assert result.code == 4, result.err
    assert "run-2 in team-a evicted" in result.out
    assert [evictions(fake, victim) for victim in scene.VICTIMS] == [0, 1, 0]
    assert events() == ["open", "begin 1", "failed 1", "begin 2", "done 2"]


def test_ctrl_c_in_a_write_loses_nothing(live: Live, fake: FakeServer, kueue: Kueue, monkeypatch: Any) -> None:
    from kueuectl.cluster.write import Writer

    path = plan(live)
    send = Writer.send
    count = 0

    def interrupted(self: Writer, write: Any) -> Any:
        nonlocal count
        count += 1
        answer = send(self, write)
        if count == 2:
            raise KeyboardInterrupt
        return answer

    monkeypatch.setattr(Writer, "send", interrupted)
    result = live("apply", path, *QUICK)
    assert result.code == 130
    assert "Interrupted: 1 of 2 steps are done. Go on with: kueuectl apply plan.json" in result.err
    again = live("apply", path, *QUICK)
    assert again.code == 0, again.err
    assert "Step 2 was begun at 2026-11-29T12:00:00Z and is done" in again.err
    assert [evictions(fake, victim) for victim in scene.VICTIMS] == [1, 1, 0]


# -- stale plans


def test_a_waiting_workload_more_changes_nothing(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    path = plan(live)
    fake.put(scene.WORKLOADS, scene.workload("late", 4, priority=-10))
    assert live("apply", path, *QUICK).code == 0


def change(fake: FakeServer, path: str, name: str, **spec: Any) -> dict[str, Any]:
    one: Any = next(one for one in fake.objects[path] if one["metadata"]["name"] == name)  # type: ignore[index]
    one["spec"] = {**one["spec"], **spec}
    one["metadata"]["resourceVersion"] = "77"
    fake._encoded.clear()  # lists are kept encoded
    return one


def test_counts_in_a_queues_status_are_no_change(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    path = plan(live)
    change(fake, f"{scene.ROOT}/clusterqueues", "batch")["status"] = {"pendingWorkloads": 3}
    assert live("apply", path, *QUICK).code == 0


@pytest.mark.parametrize("case", ["quota", "door", "victim", "rival", "victim gone", "beneficiary gone", "needless"])
def test_a_stale_plan_writes_nothing(live: Live, fake: FakeServer, kueue: Kueue, case: str) -> None:
    path = plan(live)
    workloads: Any = fake.objects[scene.WORKLOADS]
    if case == "quota":
        change(fake, f"{scene.ROOT}/clusterqueues", "batch")["metadata"]["generation"] = 2
    elif case == "door":
        change(fake, f"{scene.ROOT}/localqueues", "main", stopPolicy="Hold")["metadata"]["generation"] = 2
    elif case == "victim":
        change(fake, scene.WORKLOADS, "run-2")
    elif case == "rival":
        workloads.append(scene.workload("first", 4, priority=1000))
    elif case == "victim gone":
        workloads[:] = [one for one in workloads if one["metadata"]["name"] != "run-1"]
    elif case == "beneficiary gone":
        workloads[:] = [one for one in workloads if one["metadata"]["name"] != "urgent"]
    else:
        workloads[:] = [one for one in workloads if one["metadata"]["name"] != "urgent"]
        done = scene.workload("urgent", 4, priority=100)
        scene.admit(done)
        workloads.append(done)
    fake._encoded.clear()
    want = {
        "quota": "ClusterQueue batch was changed",
        "door": "LocalQueue team-a/main was changed",
        "victim": "Workload team-a/run-2 was changed",
        "rival": "Workload team-a/urgent would not be admitted",
        "victim gone": "Workload team-a/run-1 is gone",
        "beneficiary gone": "Workload team-a/urgent would not be admitted",
        "needless": "Workload team-a/urgent gets quota without it",
    }[case]
    result = live("apply", path, *QUICK)
    assert result.code == 4
    assert "Error: the plan is stale, nothing was written: " in result.err
    assert want in result.err
    assert "Hint: make a new plan" in result.err
    assert sent(fake) == []


# -- journals


@pytest.mark.parametrize(
    ("text", "code", "want"),
    [
        ('{"event":"open","schemaVersion":1,"plan":"other"}\n', 4, "is the journal of another plan"),
        ("nonsense\n", 1, "plan.json.journal: line 1: is no line of a journal"),
        ('{"event":"done","step":1}\n', 1, "line 1: does not begin a journal"),
        ("DIGEST\n{}\n", 1, "line 2: is no line of a journal"),
        ('DIGEST\n{"event":"begin","step":1,"at":"then"}\n', 1, "line 2: is no line of a journal"),
        ('DIGEST\n{"event":"begin","step":0,"at":"2026-11-29T12:00:00Z"}\n', 1, "line 2: is no line of a journal"),
        ('DIGEST\n{"event":"begin","step":9,"at":"2026-11-29T12:00:00Z"}\n', 1, "names steps that the plan doesn't"),
        ('DIGEST\n{"event":"begin","step', 0, ""),
        ('{"event":"op', 0, ""),
        ("", 0, ""),
    ],
)
def test_a_journal_that_is_not_this_plans(
    live: Live, fake: FakeServer, kueue: Kueue, text: str, code: int, want: str
) -> None:
    path = plan(live)
    from kueuectl.store import plans

    head = json.dumps({"event": "open", "schemaVersion": 1, "plan": plans.digest(plans.read(path))})
    Path("plan.json.journal").write_text(text.replace("DIGEST", head))
    result = live("apply", path, *QUICK)
    assert (result.code, want in result.err) == (code, True), result.err
    assert len(fake.store.done) == (0 if code else 2)
    if not code:
        assert events() == ["open", "begin 1", "done 1", "begin 2", "done 2", "end"]


def test_two_at_once_are_one(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    from kueuectl.store import journal, plans

    path = plan(live)
    with journal.open_journal(path, digest=plans.digest(plans.read(path))):
        result = live("apply", path, *QUICK)
    assert result.code == 4
    assert "another process carries this plan out" in result.err
    assert live("apply", path, *QUICK).code == 0


def test_a_plan_laid_out_otherwise_is_the_same_plan(live: Live, fake: FakeServer, kueue: Kueue) -> None:
    path = plan(live)
    assert live("apply", path, *QUICK).code == 0
    Path(path).write_text(json.dumps(json.loads(Path(path).read_text())))
    assert "Nothing to do" in live("apply", path, *QUICK).err


@pytest.mark.parametrize("goal", ["", "peace", "fit", "fit:", "fair:team-a/urgent", "defrag"])
def test_a_goal_that_nobody_knows_is_an_error_of_the_file(live: Live, fake: FakeServer, goal: str) -> None:
    path = plan(live)
    document = json.loads(Path(path).read_text())
    Path(path).write_text(json.dumps({**document, "goal": goal}))
    result = live("apply", path, *QUICK)
    assert result.code == 1
    assert f"Error: plan.json: goal: {goal!r} is no goal that this version knows" in result.err
    assert sent(fake) == []


@pytest.mark.parametrize(("full_at", "want"), [("begin", []), ("done", ["run-1"])])
def test_a_full_disk_leaves_a_journal_that_can_be_read(
    live: Live, fake: FakeServer, kueue: Kueue, monkeypatch: pytest.MonkeyPatch, full_at: str, want: list[str]
) -> None:
    path = plan(live)
    write, met = os.write, []

    def full(descriptor: int, data: bytes) -> int:
        if not met and f'"event":"{full_at}"'.encode() in data:
            met.append(data)
            return write(descriptor, data[:20])
        if len(met) == 1:
            met.append(data)
            raise OSError(28, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    result = live("apply", path, *QUICK)
    assert result.code == 1
    assert "No space left on device" in result.err
    assert [name for name in scene.VICTIMS if f"/{name} in team-a evicted" in result.out] == want
    assert [name for name in scene.VICTIMS if evictions(fake, name)] == want
    assert events()[-1] == ("open" if full_at == "begin" else "begin 1")
    assert live("apply", path, *QUICK).code == 0
    assert [evictions(fake, name) for name in scene.VICTIMS] == [1, 1, 0]
