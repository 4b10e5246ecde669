"""`stop` and `resume` of queues: what is written, what is said, and what happens when it goes wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault

QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
NAMED = "clusterqueue.kueue.x-k8s.io/training\n"


def queue(fake: FakeServer, name: str = "training") -> Any:
    """The stored queue."""
    return next(one for one in fake.objects[QUEUES] if one["metadata"]["name"] == name)  # type: ignore[index]


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("stop clusterqueue training", "HoldAndDrain"),
        ("stop cq/training", "HoldAndDrain"),
        ("stop cq training --keep-already-running", "Hold"),
        ("resume cq training", "None"),
    ],
)
def test_the_policy_is_written_guarded_and_under_our_name(live: Live, fake: FakeServer, line: str, want: str) -> None:
    version = queue(fake)["metadata"].get("resourceVersion")
    result = live(*line.split())
    assert (result.code, result.out) == (0, NAMED)
    assert queue(fake)["spec"]["stopPolicy"] == want
    (sent,) = [seen for seen in fake.seen if seen.method == "PATCH"]
    assert sent.query == {"fieldManager": "kueuectl"}
    assert version is None or queue(fake)["metadata"]["resourceVersion"] != version


def test_how_many_run_and_wait_is_told_first(live: Live) -> None:
    assert "waiting" in live("stop", "cq", "training").err


@pytest.mark.parametrize("mode", ["client", "server"])
def test_a_dry_run_stores_nothing(live: Live, fake: FakeServer, mode: str) -> None:
    result = live("stop", "cq", "training", f"--dry-run={mode}")
    assert result.out == f"clusterqueue.kueue.x-k8s.io/training ({mode} dry run)\n"
    assert fake.store.done == []
    shown = json.loads(live("stop", "cq", "training", f"--dry-run={mode}", "-o", "json").out)
    assert shown["spec"]["stopPolicy"] == "HoldAndDrain"


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("stop cq nobody", 3, 'Error: clusterqueues.kueue.x-k8s.io "nobody" not found'),
        ("stop cq training --dry-run=yes", 2, 'invalid dry-run value (yes). Must be "none", "server", or "client"'),
        ("stop cq training --from example:four-tenants", 2, "a dump can't be written to"),
        ("stop cq", 2, "missing argument 'CLUSTERQUEUE'"),
        ("stop cq a b", 2, "unexpected extra argument"),
        ("stop node a", 2, "unknown command 'node'"),
    ],
)
def test_what_can_not_be_done_is_an_error(live: Live, fake: FakeServer, line: str, code: int, want: str) -> None:
    result = live(*line.split())
    assert (result.code, result.out) == (code, "")
    assert want.lower() in result.err.lower()
    assert fake.store.done == []


LOST = "the answer is lost after the write"
FAULTS = {
    "throttled": (Fault(QUEUES, method="PATCH", status=429, headers={"Retry-After": "0"}, times=1), 0),
    "a fault of the server, nothing done": (Fault(QUEUES, method="PATCH", status=500, times=1), 0),
    "a fault of the server, done": (Fault(QUEUES, method="PATCH", lose=True, status=500, times=1), 0),
    "cut before it is done": (Fault(QUEUES, method="PATCH", hang_up=True, times=1), 0),
    LOST: (Fault(QUEUES, method="PATCH", hang_up=True, lose=True, times=1), 0),
    "half of the answer": (Fault(QUEUES, method="PATCH", lose=True, cut=True, times=1), 0),
    "an answer that does not decompress": (Fault(QUEUES, method="PATCH", gzip_garbage=True, times=1), 0),
    "an answer that is a page of a proxy": (Fault(QUEUES, method="PATCH", body=b"<html>", times=1), 0),
    "an answer that is no object": (Fault(QUEUES, method="PATCH", body=b"[]", times=1), 0),
    "always cut": (Fault(QUEUES, method="PATCH", hang_up=True), 5),
    "always a fault": (Fault(QUEUES, method="PATCH", status=503), 5),
    "refused": (Fault(QUEUES, method="PATCH", status=403), 5),
    "somebody else was faster": (Fault(QUEUES, method="PATCH", status=409), 4),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_write_happens_once_and_is_reported_as_it_is(live: Live, fake: FakeServer, name: str) -> None:
    fault, want = FAULTS[name]
    fake.faults.append(fault)
    result = live("stop", "cq", "training")
    assert result.code == want, result.err
    assert len(fake.store.done) == (want == 0)
    assert result.out == (NAMED if want == 0 else "")
