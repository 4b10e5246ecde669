"""`delete` of queues, cohorts, flavors and the other small kinds, without kubectl."""

from __future__ import annotations

import pytest

from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault

ROOT = "/apis/kueue.x-k8s.io/v1beta2"


def names(fake: FakeServer, plural: str) -> list[str]:
    """The names of what is stored."""
    return [str(one["metadata"]["name"]) for one in fake.objects[f"{ROOT}/{plural}"]]  # type: ignore[index]


@pytest.mark.parametrize(
    ("line", "plural", "want"),
    [
        ("cq training", "clusterqueues", 'clusterqueue.kueue.x-k8s.io "training" deleted\n'),
        ("cq/training", "clusterqueues", 'clusterqueue.kueue.x-k8s.io "training" deleted\n'),
        ("cohort research", "cohorts", 'cohort.kueue.x-k8s.io "research" deleted\n'),
        ("rf spot", "resourceflavors", 'resourceflavor.kueue.x-k8s.io "spot" deleted\n'),
        ("topo hall", "topologies", 'topology.kueue.x-k8s.io "hall" deleted\n'),
        ("ac budget", "admissionchecks", 'admissioncheck.kueue.x-k8s.io "budget" deleted\n'),
        ("wpc batch", "workloadpriorityclasses", 'workloadpriorityclass.kueue.x-k8s.io "batch" deleted\n'),
        (
            "lq train -n team-a",
            "localqueues",
            'localqueue.kueue.x-k8s.io "train" deleted from team-a namespace\n',
        ),
    ],
)
def test_it_is_deleted(live: Live, fake: FakeServer, line: str, plural: str, want: str) -> None:
    before = names(fake, plural)
    result = live("delete", *line.split())
    assert (result.code, result.out, result.err) == (0, want, "")
    assert len(names(fake, plural)) == len(before) - 1
    assert [method for method, _, _ in fake.store.done] == ["DELETE"]


def test_several_are_tried_first_and_then_deleted(live: Live, fake: FakeServer) -> None:
    result = live("delete", "cq", "training", "lab")
    assert result.code == 0, result.err
    assert names(fake, "clusterqueues") == ["serving"]
    trials = [seen.query.get("dryRun") for seen in fake.seen if seen.method == "DELETE"]
    assert trials == ["All", "All", None, None]


def test_a_batch_is_asked_about(live: Live, fake: FakeServer) -> None:
    asked = (
        "This operation will delete 2 LocalQueues:\n  - team-a/train\n  - team-a/lab\nDo you want to proceed (y/n)? \n"
    )
    result = live("delete", "lq", "--all", "-n", "team-a", stdin="n\n")
    assert (result.code, result.out) == (0, asked + "Deletion is canceled\n")
    assert fake.store.done == []
    result = live("delete", "lq", "--all", "-n", "team-a", stdin="y\n")
    assert (result.code, result.out.startswith(asked)) == (0, True)
    assert names(fake, "localqueues") == ["serve"]


def test_a_selector_and_yes(live: Live, fake: FakeServer) -> None:
    assert live("delete", "rf", "-l", "tier=cheap", "--yes").code == 0
    assert names(fake, "resourceflavors") == ["on-demand"]
    assert live("delete", "rf", "-l", "tier=cheap", "--yes").err == "No resources found\n"


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_deletes_nothing(live: Live, fake: FakeServer, mode: str) -> None:
    result = live("delete", "cq", "--all", f"--dry-run={mode}")
    assert result.code == 0
    assert f'clusterqueue.kueue.x-k8s.io "lab" deleted ({mode} dry run)\n' in result.out
    assert fake.store.done == []


def test_one_missing_name_stops_all(live: Live, fake: FakeServer) -> None:
    result = live("delete", "cq", "training", "nobody")
    assert (result.code, result.out) == (3, "")
    assert fake.store.done == []
    assert live("delete", "cq", "training", "nobody", "--ignore-not-found").code == 0
    assert names(fake, "clusterqueues") == ["serving", "lab"]


def test_what_others_hold_is_waited_for(live: Live, fake: FakeServer) -> None:
    """The server marks it; it goes only later."""
    stays = Fault(f"{ROOT}/clusterqueues/training$", method="DELETE", body=b'{"kind":"Status"}', times=1)
    fake.store.answer("DELETE", f"{ROOT}/cohorts/research", {}, b"")
    fake.store.done.clear()
    rounds: list[float] = []

    def sleep(seconds: float) -> None:
        rounds.append(seconds)
        if len(rounds) == 6:
            fake.store.answer("DELETE", f"{ROOT}/clusterqueues/training", {}, b"")

    kept = list(fake.objects[f"{ROOT}/clusterqueues"])
    fake.faults.append(stays)
    original = fake.store.answer

    def held(method: str, path: str, query: dict[str, str], body: bytes) -> tuple[int, dict[str, object]]:
        answer = original(method, path, query, body)
        if method == "DELETE" and not rounds:
            fake.objects[f"{ROOT}/clusterqueues"][:] = kept
        return answer

    fake.store.answer = held  # type: ignore[method-assign]
    result = live("delete", "cq", "training", sleep=sleep)
    assert result.code == 0, result.err
    assert len(rounds) == 6
    assert "is marked for deletion" in result.err
    fake.objects[f"{ROOT}/clusterqueues"][:] = kept
    rounds.clear()
    result = live("delete", "cq", "training", "--timeout", "1s", sleep=lambda seconds: None)
    assert (result.code, "timed out waiting" in result.err) == (5, True)
    fake.objects[f"{ROOT}/clusterqueues"][:] = kept
    assert live("delete", "cq", "training", "--wait=false").code == 0


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("cq", 2, "no object named"),
        ("cq training --all", 2, "name cannot be provided when a selector is specified"),
        ("cq training -l a=b", 2, "name cannot be provided when a selector is specified"),
        ("cq nobody", 3, 'clusterqueues.kueue.x-k8s.io "nobody" not found'),
        ("cq training --cascade=none", 2, "invalid cascade value (none)"),
        ("cq training --wait=maybe", 2, "invalid value 'maybe' for --wait"),
        ("cq training --timeout=maybe", 2, "--timeout"),
        ("cq training --dry-run=yes", 2, "invalid dry-run value (yes)"),
        ("cq training --from example:four-tenants", 2, "a dump can't be written to"),
        ("node a", 2, "unknown command 'node'"),
    ],
)
def test_what_can_not_be_deleted_is_an_error(live: Live, fake: FakeServer, line: str, code: int, want: str) -> None:
    result = live("delete", *line.split())
    assert (result.code, result.out) == (code, ""), result.err
    assert want in result.err
    assert fake.store.done == []


@pytest.mark.parametrize("words", [("",), ("training", "")])
def test_an_empty_name_deletes_nothing(live: Live, fake: FakeServer, words: tuple[str, ...]) -> None:
    for verb in (("delete", "cq"), ("delete", "lq")):
        result = live(*verb, *words)
        assert (result.code, result.out) == (2, "")
        assert "resource name may not be empty" in result.err
    assert fake.store.done == []


def test_cascade_is_told_to_the_server(live: Live, fake: FakeServer) -> None:
    import json

    bodies: list[dict[str, object]] = []
    original = fake.store.answer

    def noted(method: str, path: str, query: dict[str, str], body: bytes) -> tuple[int, dict[str, object]]:
        bodies.append(json.loads(body))
        return original(method, path, query, body)

    fake.store.answer = noted  # type: ignore[method-assign]
    assert live("delete", "cq", "training", "--cascade", "orphan").code == 0
    assert bodies[0]["propagationPolicy"] == "Orphan"
    assert bodies[0]["preconditions"] == {"uid": "uid-training"}
