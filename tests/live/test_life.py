"""The whole life of jobs, with pods: what the program says of them at each stage."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator

import pytest

from kueuectl.cluster.client import Client
from tests.cli.harness import Result, cli
from tests.live import build, making, pods, scene
from tests.live.controlplane import create, items
from tests.live.pods import PodsPlane

_LIMIT = 60.0
TEAM = "team-a"


@pytest.fixture(scope="module")
def cluster(built: build.Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PodsPlane]:
    """A queue of 4 cpus and nobody in it."""
    plane = PodsPlane(tmp_path_factory.mktemp("live") / "cluster", built)
    try:
        plane.start()
        with plane.client() as client:
            scene.install(plane, client)
            create(client, "/api/v1/namespaces", {"metadata": {"name": TEAM}})
            for one in (*making.shared(), *making.queue("main", preemption={"withinClusterQueue": "LowerPriority"})):
                named = json.loads(json.dumps(one).replace("~-", "").replace("~", "all"))
                create(client, making.path(one["kind"], TEAM), named)
        yield plane
    finally:
        plane.stop()


@pytest.fixture
def client(cluster: PodsPlane) -> Iterator[Client]:
    with cluster.client() as found:
        yield found


@pytest.fixture
def run(cluster: PodsPlane) -> Callable[..., Result]:
    def call(*words: str) -> Result:
        done = cli(*words, "-n", TEAM, "--kubeconfig", cluster.kubeconfig)
        assert done.code == 0, done.err
        return done

    return call


def status(run: Callable[..., Result], name: str) -> str:
    """STATUS of a Job's workload in the list; "" where it isn't there."""
    rows = [line.split() for line in run("list", "workload").out.splitlines()]
    return next((row[5] for row in rows if len(row) > 5 and row[2] == name), "")


def verdict(run: Callable[..., Result], name: str) -> str:
    """The verdict of explain."""
    return str(json.loads(run("explain", "job", name, "-o", "json").out)["verdict"]["code"])


def wait(what: str, is_so: Callable[[], bool]) -> None:
    """Ask until it is so."""
    until = time.monotonic() + _LIMIT
    while not is_so():
        assert time.monotonic() < until, f"not within {_LIMIT:g} s: {what}"
        time.sleep(0.2)


def running(client: Client, name: str) -> int:
    """How many pods of a Job run."""
    found = items(client, f"/api/v1/namespaces/{TEAM}/pods")
    mine = [one for one in found if one["metadata"]["labels"].get("job-name") == name]
    return sum(one.get("status", {}).get("phase") == "Running" for one in mine)


def test_a_job_runs_ends_and_leaves_its_quota_to_the_next(client: Client, run: Callable[..., Result]) -> None:
    create(client, making.path("Job", TEAM), making.job("first", "main", 2, pods=2))
    wait("both pods run", lambda: running(client, "first") == 2)
    assert (status(run, "first"), verdict(run, "first")) == ("ADMITTED", "ADMITTED")

    create(client, making.path("Job", TEAM), making.job("second", "main", 3))
    wait("the second waits", lambda: status(run, "second") == "PENDING")
    wait("Kueue has said why", lambda: "insufficient unused quota" in run("explain", "job", "second").out)
    assert verdict(run, "second") == "NO_VICTIMS"
    assert running(client, "second") == 0

    pods.finish(client, TEAM, "first")
    wait("the first is finished", lambda: status(run, "first") == "FINISHED")
    wait("the second runs", lambda: running(client, "second") == 1)
    assert verdict(run, "first") == "FINISHED"
    assert (status(run, "second"), verdict(run, "second")) == ("ADMITTED", "ADMITTED")

    pods.finish(client, TEAM, "second")
    wait("the second is finished", lambda: status(run, "second") == "FINISHED")
    wait("nothing is used", lambda: used(client) == "0")


def test_a_preempted_job_stops_its_pods_and_comes_back(client: Client, run: Callable[..., Result]) -> None:
    create(client, making.path("Job", TEAM), making.job("victim", "main", 4, priority="low"))
    wait("the victim runs", lambda: running(client, "victim") == 1)
    create(client, making.path("Job", TEAM), making.job("urgent", "main", 4, priority="high"))
    wait("the urgent one runs", lambda: running(client, "urgent") == 1)
    wait("the pods of the victim are gone", lambda: running(client, "victim") == 0)
    assert status(run, "victim") == "PENDING"
    told = json.loads(run("explain", "job", "victim", "-o", "json").out)
    assert told["eviction"]["preemptor"].startswith(f"{TEAM}/job-urgent-")
    pods.finish(client, TEAM, "urgent")
    wait("the victim runs again", lambda: running(client, "victim") == 1)
    assert (status(run, "victim"), verdict(run, "victim")) == ("ADMITTED", "ADMITTED")
    pods.finish(client, TEAM, "victim")
    wait("the victim is finished", lambda: status(run, "victim") == "FINISHED")


def used(client: Client) -> str:
    """What is used of the queue's cpus, as Kueue counts it."""
    (queue,) = items(client, making.path("ClusterQueue", ""))
    (flavor,) = queue["status"]["flavorsReservation"]
    return str(flavor["resources"][0]["total"])
