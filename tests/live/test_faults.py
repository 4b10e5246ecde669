"""A real API server behind a proxy that spoils requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kueuectl.cluster import client as clients
from kueuectl.cluster import lists
from kueuectl.cluster.retry import RetryPolicy
from tests.cli.harness import Result, cli
from tests.faults import proxy as faults
from tests.faults.proxy import Proxy, running
from tests.live import making, scene
from tests.live.controlplane import ControlPlane, create, send

# Ages are different each time.
_VERDICT = ("-o", "jsonpath={.verdict}{.podSets}")
READS = (("list", "workload", "-A", "-o", "name"), ("tree",), ("explain", "job", "train-9", "-n", "team-a", *_VERDICT))
NAME = "faults"
Run = Callable[..., Result]


@pytest.fixture
def proxy(plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """The proxy, with the API server's own certificate."""
    monkeypatch.setattr(clients, "RetryPolicy", lambda: RetryPolicy(first=0.001, longest=0.002, longest_asked=1.0))
    certs = plane.folder / "certs"
    with plane.client() as client:
        upstream = client.server
    made = Proxy(upstream, upstream_ca=str(certs / "ca.crt"))
    with running(made, certificate=certs / "tls.crt", key=certs / "tls.key") as found:
        yield found


@pytest.fixture
def run(plane: ControlPlane, proxy: Proxy) -> Run:
    """Runs a command line through the proxy."""
    return lambda *words: cli(*words, "--kubeconfig", plane.kubeconfig, "--server", proxy.url)


@pytest.mark.parametrize("kind", [*faults.PASSING, faults.DENIED])
@pytest.mark.parametrize("words", READS, ids=" ".join)
def test_reads_are_right_or_fail(words: tuple[str, ...], kind: str, run: Run, proxy: Proxy) -> None:
    proxy.arm("")
    want = run(*words)
    assert want.code == 0, want.err
    for at in range(0, len(proxy.asked), 7):
        proxy.arm(kind, at)
        once = run(*words)
        right = ((0, want.out), (5, "")) if kind == faults.DENIED else ((0, want.out),)
        assert (once.code, once.out) in right, (at, once.err)
        if kind == faults.SLOW:
            continue
        proxy.arm(kind, at, lasting=True)
        always = run(*words)
        assert "Traceback" not in always.err
        if always.code:
            assert (always.code, always.out) == (5, ""), always.err
            assert "Error: " in always.err


def test_pages_that_expire(run: Run, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy.arm("")
    want = run("list", "workload", "-A", "-o", "name")
    monkeypatch.setattr(lists, "_limits", lambda client: (1, 1, 0))
    proxy.counts = lambda method, target: "continue=" in target
    proxy.arm(faults.EXPIRED, 0, lasting=True)
    found = run("list", "workload", "-A", "-o", "name")
    assert (found.code, found.out) == (0, want.out), found.err


@pytest.fixture
def queue(plane: ControlPlane) -> Iterator[Callable[[], dict[str, object]]]:
    """A ClusterQueue that nobody uses: what the server has of it."""
    path = f"{scene.ROOT}/clusterqueues"
    with plane.client() as client:
        create(client, path, making.kueue("ClusterQueue", NAME, {"namespaceSelector": {}, "resourceGroups": []}))
        yield lambda: json.loads(client.get(f"{path}/{NAME}", what="get"))["spec"]
        send(client, "DELETE", f"{path}/{NAME}")


@pytest.mark.parametrize("kind", [*faults.PASSING[:-1], faults.DENIED])
def test_a_write_happens_once_and_is_told_as_it_is(
    kind: str, run: Run, proxy: Proxy, queue: Callable[[], dict[str, object]]
) -> None:
    proxy.counts = lambda method, path: method in faults.WRITING
    for lasting in (False, True):
        for word, policy in (("stop", "HoldAndDrain"), ("resume", "None")):
            before = queue().get("stopPolicy")
            proxy.arm(kind, 0, lasting=lasting)
            said = run(word, "clusterqueue", NAME)
            proxy.arm("")
            after = queue().get("stopPolicy")
            assert after in (before, policy)
            if said.code == 0:
                assert after == policy
                assert said.out == f"clusterqueue.kueue.x-k8s.io/{NAME}\n"
            else:
                assert said.code == 5, said.err
                assert said.out == ""
                assert after == before or "can't tell whether" in said.err
            if not lasting and kind != faults.DENIED:
                assert said.code == 0, said.err


def test_a_dump_is_whole_or_not_there(run: Run, proxy: Proxy, tmp_path: Path) -> None:
    proxy.arm("")
    assert run("snapshot", "save", str(tmp_path / "whole.json")).code == 0
    for at in range(0, len(proxy.asked), 6):
        path = tmp_path / f"{at}.json"
        proxy.arm(faults.CUT, at, lasting=True)
        code = run("snapshot", "save", str(path)).code
        assert (code, path.exists()) in ((0, True), (5, False))
