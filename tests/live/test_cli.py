"""The program itself, run against a real API server and Kueue as a user runs it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from tests.cli.harness import Result, cli
from tests.live import scene
from tests.live.controlplane import ADMIN, LEAD, VIEWER, ControlPlane, items


def run(plane: ControlPlane, *words: str, context: str = "admin") -> Result:
    """The program with these words, as one of the users."""
    done = cli(*words, "--kubeconfig", plane.kubeconfig, "--context", context)
    for token in (ADMIN, VIEWER, LEAD):
        assert token not in done.out + done.err
    return done


@dataclass(frozen=True)
class Case:
    """Words, who says them, the exit code, and what stdout and stderr hold."""

    id: str
    words: tuple[str, ...]
    context: str = "admin"
    want_code: int = 0
    want: tuple[str, ...] = ()
    want_error: tuple[str, ...] = ()


CASES = (
    Case("workloads", ("list", "workload", "-n", "team-a"), want=("train-0", "train-9", "ADMITTED", "PENDING")),
    Case("queues of everybody", ("list", "localqueue", "-A"), want=("team-a", "main", "research")),
    Case("names", ("list", "cq", "-o", "name"), want=("clusterqueue.kueue.x-k8s.io/research",)),
    Case("the tree", ("tree",), want=("cohort all", "research", "serving")),
    Case("who waits", ("queue", "research"), want=("train-9",)),
    Case("shares", ("shares",), want=("research", "serving")),
    Case("versions", ("version",), want=("Server Version: v1.36.3", "Kueue Version: v0.19.2", "v1beta2, v1beta1")),
    Case("the doctor", ("doctor",), want=("ConfigMap kueue-system/kueue-manager-config", "v1.36.3")),
    Case(
        "a job that can't be admitted",
        ("explain", "job", "train-9", "-n", "team-a"),
        want=("cpu", "research", "insufficient"),
    ),
    Case("a job that runs", ("explain", "job", "train-0", "-n", "team-a"), want=("ADMITTED",)),
    Case(
        "a job that isn't there",
        ("explain", "job", "nobody", "-n", "team-a"),
        want_code=3,
        want_error=("nobody",),
    ),
    Case("a lead's workloads", ("list", "workload", "-n", "team-a"), context="lead", want=("train-9",)),
    Case(
        "a viewer's workloads",
        ("list", "workload", "-n", "team-a"),
        context="viewer",
        want_code=5,
        want_error=("not allowed to list workloads in team-a (403)", 'User "viewer"'),
    ),
    Case("a viewer's explanation", ("tree",), context="viewer", want_code=5, want_error=("not allowed to list",)),
    Case("an unknown context", ("tree",), context="nowhere", want_code=1, want_error=("admin, viewer, lead",)),
    Case(
        "a wrong token",
        ("tree", "--token", "wrong"),
        want_code=5,
        want_error=("does not accept the credentials (401)",),
    ),
    Case(
        "a port where nothing listens",
        ("tree", "--server", "https://127.0.0.1:9"),
        want_code=5,
        want_error=("can't reach https://127.0.0.1:9", "refused"),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_command(case: Case, plane: ControlPlane) -> None:
    done = run(plane, *case.words, context=case.context)
    assert done.code == case.want_code, done.out + done.err
    for text in case.want:
        assert text in done.out
    for text in case.want_error:
        assert text in done.err
    assert "Traceback" not in done.err


def test_raw_objects_pass_through(plane: ControlPlane) -> None:
    found = json.loads(run(plane, "list", "workload", "-n", "team-a", "-o", "json").out)
    with plane.client() as client:
        served = items(client, scene.WORKLOADS)
    assert [one["metadata"]["uid"] for one in found["items"]] == [one["metadata"]["uid"] for one in served]
    assert [one["status"] for one in found["items"]] == [one["status"] for one in served]
    assert {one["apiVersion"] for one in found["items"]} == {"kueue.x-k8s.io/v1beta2"}
    assert not any("managedFields" in one["metadata"] for one in found["items"])


def test_message_of_the_engine_is_kueues_own(plane: ControlPlane) -> None:
    with plane.client() as client:
        served = items(client, scene.WORKLOADS)
    (said,) = (
        condition["message"]
        for one in served
        if one["metadata"]["ownerReferences"][0]["name"] == scene.PENDING
        for condition in one["status"]["conditions"]
        if condition["type"] == "QuotaReserved"
    )
    explained = json.loads(run(plane, "explain", "job", scene.PENDING, "-n", "team-a", "-o", "json").out)
    assert explained["verdict"]["code"] == "NEVER_FITS"
    assert said in json.dumps(explained)
    assert not any("disagree" in warning for warning in explained["warnings"])
