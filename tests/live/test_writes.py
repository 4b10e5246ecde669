"""Writes on a real control plane: what is printed, and what the server and Kueue make of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kueuectl.cluster.client import Client
from kueuectl.errors import KueuectlError
from tests.cli.harness import Result, cli
from tests.live import scene
from tests.live.build import Built
from tests.live.controlplane import ControlPlane, create, items, send

Item = dict[str, Any]
JOBS = "/apis/batch/v1/namespaces/{}/jobs"
NAMED = "workload.kueue.x-k8s.io"
# Kueue decides within a tenth of a second; a busy machine takes longer.
_LIMIT = 20.0
_FLAVOR, _LOW, _HIGH = "writes-plain", "writes-low", "writes-high"
_LABELS = {"queue": "kueue.x-k8s.io/queue-name", "class": "kueue.x-k8s.io/priority-class"}


class World:
    """A namespace with LocalQueues a and b, each before a ClusterQueue of its own (NAME-a, NAME-b) with 4 cpu."""

    def __init__(self, plane: ControlPlane, client: Client, name: str) -> None:
        self.plane = plane
        self.client = client
        self.name = name
        create(client, "/api/v1/namespaces", {"metadata": {"name": name}})
        for queue in ("a", "b"):
            quota = {"name": _FLAVOR, "resources": [{"name": "cpu", "nominalQuota": 4}]}
            spec = {
                "namespaceSelector": {},
                "preemption": {"withinClusterQueue": "LowerPriority"},
                "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [quota]}],
            }
            create(client, f"{scene.ROOT}/clusterqueues", kueue("ClusterQueue", self.queue(queue), spec))
            body = kueue("LocalQueue", queue, {"clusterQueue": self.queue(queue)})
            create(client, f"{scene.ROOT}/namespaces/{name}/localqueues", body)
        for queue in ("a", "b"):
            self.wait(lambda queue=queue: condition(self.one("clusterqueues", self.queue(queue)), "Active"))  # type: ignore[misc]

    def queue(self, short: str) -> str:
        """The ClusterQueue behind a LocalQueue."""
        return f"{self.name}-{short}"

    def run(self, *words: str, stdin: str = "", context: str = "admin") -> Result:
        """The program in this namespace."""
        flags = ("-n", self.name, "--kubeconfig", self.plane.kubeconfig, "--context", context)
        return cli(*words, *flags, stdin=stdin)

    def job(self, name: str, cpu: int, *, queue: str = "a", klass: str = "") -> str:
        """A Job of one pod; the name of its Workload, once it has one."""
        labels = {_LABELS["queue"]: queue, **({_LABELS["class"]: klass} if klass else {})}
        container = {"name": "c", "image": "none", "resources": {"requests": {"cpu": cpu}}}
        template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        body = {"metadata": {"name": name, "labels": labels}, "spec": {"template": template}}
        create(self.client, JOBS.format(self.name), body)
        return self.found(lambda one: any(row["name"] == name for row in one["metadata"].get("ownerReferences", ())))

    def bare(self, name: str, cpu: int, *, queue: str = "a") -> str:
        """A Workload of one pod without owner; its name."""
        container = {"name": "c", "image": "none", "resources": {"requests": {"cpu": cpu}}}
        template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        spec = {"queueName": queue, "podSets": [{"name": "main", "count": 1, "template": template}]}
        create(self.client, f"{scene.ROOT}/namespaces/{self.name}/workloads", kueue("Workload", name, spec))
        return name

    def found(self, is_meant: Callable[[Item], bool]) -> str:
        """The name of a workload, once it is there; Kueue need not look at one that is like others that wait."""
        found: list[str] = []

        def look() -> bool:
            found.extend(one["metadata"]["name"] for one in self.all("workloads") if is_meant(one))
            return bool(found)

        self.wait(look)
        return found[0]

    def all(self, plural: str) -> list[Item]:
        """The workloads or jobs of the namespace."""
        root = JOBS.format(self.name) if plural == "jobs" else f"{scene.ROOT}/namespaces/{self.name}/{plural}"
        return items(self.client, root)

    def one(self, plural: str, name: str) -> Item:
        """One object by name."""
        found = items(self.client, f"{scene.ROOT}/{plural}") if plural == "clusterqueues" else self.all(plural)
        return next(item for item in found if item["metadata"]["name"] == name)

    def workload(self, name: str) -> Item:
        """A Workload as it is now."""
        return self.one("workloads", name)

    def admitted(self) -> set[str]:
        """Jobs, and workloads without one, that are admitted."""
        found = [one for one in self.all("workloads") if condition(one, "Admitted")]
        return {(one["metadata"].get("ownerReferences") or [one["metadata"]])[0]["name"] for one in found}

    def wait(self, is_so: Callable[[], bool], what: str = "") -> None:
        """Until it is so."""
        until = time.monotonic() + _LIMIT
        while not is_so():
            assert time.monotonic() < until, f"{what or 'it'} did not come true"
            time.sleep(0.05)

    def wait_admitted(self, *names: str) -> None:
        """Until exactly these are admitted."""
        self.wait(lambda: self.admitted() == set(names), f"{names} are admitted, not {self.admitted()}:")

    def remove(self) -> None:
        """Delete everything in it, as far as that goes without controllers."""
        for plural in ("jobs", "workloads", "localqueues"):
            for one in self.all(plural):
                root = JOBS.format(self.name) if plural == "jobs" else f"{scene.ROOT}/namespaces/{self.name}/{plural}"
                self.delete(f"{root}/{one['metadata']['name']}")
        for queue in ("a", "b"):
            self.delete(f"{scene.ROOT}/clusterqueues/{self.queue(queue)}")

    def delete(self, path: str) -> None:
        """One object, if it is there."""
        try:
            send(self.client, "DELETE", path, {"propagationPolicy": "Background"})
        except KueuectlError:
            return


def kueue(kind: str, name: str, spec: Item | None = None) -> Item:
    """An object of Kueue."""
    head: Item = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}}
    return head if spec is None else head | {"spec": spec}


def conditions(one: Item) -> list[Item]:
    """Its conditions."""
    found: list[Item] = one.get("status", {}).get("conditions") or []
    return found


def condition(one: Item, kind: str) -> bool:
    """Whether a condition is true."""
    return any(row["type"] == kind and row["status"] == "True" for row in conditions(one))


@pytest.fixture(scope="module")
def writing(plane: ControlPlane) -> Iterator[Client]:
    """A connection, with a flavor and two classes that all tests share."""
    with plane.client() as client:
        create(client, f"{scene.ROOT}/resourceflavors", kueue("ResourceFlavor", _FLAVOR, {}))
        for name, value in ((_LOW, 10), (_HIGH, 100)):
            create(
                client, f"{scene.ROOT}/workloadpriorityclasses", kueue("WorkloadPriorityClass", name) | {"value": value}
            )
        yield client
        for path in (
            f"resourceflavors/{_FLAVOR}",
            f"workloadpriorityclasses/{_LOW}",
            f"workloadpriorityclasses/{_HIGH}",
        ):
            try:
                send(client, "DELETE", f"{scene.ROOT}/{path}")
            except KueuectlError:
                continue


@pytest.fixture
def world(plane: ControlPlane, writing: Client, request: pytest.FixtureRequest) -> Iterator[World]:
    """A namespace of the test's own."""
    made = World(plane, writing, request.node.name.removeprefix("test_").replace("_", "-")[:40])
    yield made
    made.remove()


@pytest.fixture
def pods(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A namespace on a control plane whose Kueue manages plain pods too."""
    running = ControlPlane(tmp_path_factory.mktemp("pods") / "cluster", built)
    running.configuration["integrations"] = {"frameworks": ["batch/job", "pod"]}
    try:
        running.start()
        with running.client() as client:
            scene.install(running, client)
            create(client, f"{scene.ROOT}/resourceflavors", kueue("ResourceFlavor", _FLAVOR, {}))
            high = kueue("WorkloadPriorityClass", _HIGH) | {"value": 100}
            create(client, f"{scene.ROOT}/workloadpriorityclasses", high)
            yield World(running, client, "pods")
    finally:
        running.stop()


def ok(result: Result) -> str:
    """The output of what went well."""
    assert result.code == 0, result.err
    return result.out


def test_stop_and_resume_workload(world: World) -> None:
    name = world.job("train", 3)
    world.wait_admitted("train")
    assert ok(world.run("stop", "workload", name, "--dry-run=client")) == f"{NAMED}/{name} stopped (client dry run)\n"
    assert ok(world.run("stop", "wl", name, "--dry-run=server")) == f"{NAMED}/{name} stopped (server dry run)\n"
    assert world.workload(name)["spec"]["active"] is True
    done = world.run("stop", "kwl", name)
    assert ok(done) == f"{NAMED}/{name} stopped\n"
    assert f"admitted in ClusterQueue {world.queue('a')}; it is evicted" in done.err
    world.wait(lambda: not condition(world.workload(name), "Admitted"))
    world.wait(lambda: world.one("jobs", "train")["spec"]["suspend"] is True)
    assert world.workload(name)["spec"]["active"] is False
    manager = [row["manager"] for row in world.workload(name)["metadata"]["managedFields"]]
    assert "kueuectl" in manager
    assert "stopped already" in world.run("stop", "workload", name).err
    assert ok(world.run("resume", "kwl", name)) == f"{NAMED}/{name} resumed\n"
    world.wait_admitted("train")
    missing = world.run("stop", "workload", "nope")
    assert (missing.code, missing.out) == (3, "")
    assert missing.err == 'Error: workloads.kueue.x-k8s.io "nope" not found\n'


def test_stop_and_resume_queues(world: World) -> None:
    world.job("train", 3)
    world.wait_admitted("train")
    queue = world.queue("a")
    line = f"clusterqueue.kueue.x-k8s.io/{queue}"

    def policy() -> str:
        return str(world.one("clusterqueues", queue)["spec"]["stopPolicy"])

    assert ok(world.run("stop", "clusterqueue", queue, "--dry-run=server")) == f"{line} (server dry run)\n"
    assert policy() == "None"
    # Kueue counts a moment later.
    world.wait(lambda: world.one("clusterqueues", queue)["status"].get("admittedWorkloads") == 1)
    done = world.run("stop", "cq", queue, "--keep-already-running")
    assert (ok(done), policy()) == (f"{line}\n", "Hold")
    assert "1 admitted, 1 with quota reserved (those go on), 0 waiting" in done.err
    time.sleep(0.5)
    assert world.admitted() == {"train"}
    assert (ok(world.run("stop", "cq", queue)), policy()) == (f"{line}\n", "HoldAndDrain")
    world.wait_admitted()
    assert (ok(world.run("resume", "cq", queue)), policy()) == (f"{line}\n", "None")
    world.wait_admitted("train")
    assert ok(world.run("stop", "lq", "a")) == "localqueue.kueue.x-k8s.io/a\n"
    world.wait_admitted()
    assert ok(world.run("resume", "localqueue", "a")) == "localqueue.kueue.x-k8s.io/a\n"
    world.wait_admitted("train")


def test_delete_workload(world: World) -> None:
    name = world.job("train", 3)
    alone = world.bare("alone", 1)
    question = (
        "This operation will also delete:\n"
        f"  - jobs.batch/train associated with the {world.name}/{name} workload\n"
        "Do you want to proceed (y/n)? "
    )
    done = world.run("delete", "workload", name, alone, stdin="n\n")
    assert ok(done) == f"{question}Deletion is canceled\n"
    for mode in ("client", "server"):
        suffix = f"({mode} dry run)"
        done = world.run("delete", "workload", name, alone, f"--dry-run={mode}")
        assert ok(done) == f"jobs.batch/train deleted {suffix}\n{NAMED}/alone deleted {suffix}\n"
        assert done.err == ""
    time.sleep(0.2)
    assert [one["metadata"]["name"] for one in world.all("jobs")] == ["train"]
    assert "deletionTimestamp" not in world.workload(alone)["metadata"]
    done = world.run("delete", "workload", name, "nope", alone, stdin="y\n")
    assert (done.code, done.out) == (3, f"{question}jobs.batch/train deleted\n{NAMED}/alone deleted\n")
    assert done.err == 'workloads.kueue.x-k8s.io "nope" not found\n'
    assert world.all("jobs") == []
    world.wait(lambda: alone not in [one["metadata"]["name"] for one in world.all("workloads")], "alone is gone:")
    # Without a garbage collector its Workload stays, of a job that is gone.
    world.run("delete", "workload", "--all", "--yes")
    world.wait(lambda: world.all("workloads") == [], "all workloads are gone:")


def test_hold_and_release(world: World) -> None:
    for name in ("one", "two", "three", "four"):
        world.job(name, 2)
    world.wait_admitted("one", "two")
    shown = world.run("hold", "job/one", "job/three", "--dry-run=server")
    assert [line.partition(" ")[2] for line in ok(shown).splitlines()] == ["held (server dry run)"] * 2
    assert f"ADMITTED   {world.name}/job-four" in shown.err
    assert all(one["spec"]["active"] for one in world.all("workloads"))
    canceled = world.run("hold", "job/one", "job/three", stdin="n\n")
    assert "Hold 2 workloads, 1 of them with quota, which is evicted (y/n)? " in canceled.out
    assert all(one["spec"]["active"] for one in world.all("workloads"))
    held = ok(world.run("hold", "job/one", "job/three", "--yes")).splitlines()
    assert ["three" in held[0], "one" in held[1]] == [True, True]
    world.wait_admitted("two", "four")
    ok(world.run("hold", "-c", world.queue("a"), "--yes"))
    world.wait_admitted()
    assert [one["spec"]["active"] for one in world.all("workloads")] == [False] * 4
    world.wait(lambda: all(condition(one, "Evicted") for one in world.all("workloads")))
    foretold = world.run("release", "job", "one", "two", "--yes")
    assert foretold.err.count(f"admitted in {world.queue('a')} on {_FLAVOR}") == 2
    assert len(ok(foretold).splitlines()) == 2
    world.wait_admitted("one", "two")
    assert "Nothing to release." in world.run("release", "job/one").err


def test_move(world: World) -> None:
    world.job("runs", 4)
    name = world.job("waits", 3)
    world.wait_admitted("runs")
    done = world.run("move", "workload", name, "--to", "b", "--dry-run=server")
    assert ok(done) == "job.batch/waits moved to b (server dry run)\n"
    assert f"admitted in {world.queue('b')} on {_FLAVOR}" in done.err
    assert world.one("jobs", "waits")["metadata"]["labels"][_LABELS["queue"]] == "a"
    assert ok(world.run("move", "workload", name, "--to", "b")) == "job.batch/waits moved to b\n"
    world.wait_admitted("runs", "waits")
    assert world.workload(name)["spec"]["queueName"] == "b"
    refused = world.run("move", "job/waits", "--to", "a")
    assert (refused.code, refused.out) == (1, "")
    assert f"holds quota of ClusterQueue {world.queue('b')}" in refused.err
    assert world.run("move", "job/waits", "--to", "nope").code == 3
    bare = world.bare("alone", 9)
    assert ok(world.run("move", bare, "--to", "b")) == f"{NAMED}/alone moved to b\n"
    assert world.workload(bare)["spec"]["queueName"] == "b"


def test_move_one_that_was_evicted(world: World) -> None:
    """Kueue does not take the label over then, so the Workload is written too."""
    name = world.job("train", 3)
    world.wait_admitted("train")
    ok(world.run("hold", name, "--yes"))
    world.wait(lambda: world.one("jobs", "train")["spec"]["suspend"] is True)
    done = ok(world.run("move", name, "--to", "b"))
    assert done == f"job.batch/train moved to b\n{NAMED}/{name} moved to b\n"
    assert world.workload(name)["spec"]["queueName"] == "b"
    assert ok(world.run("release", name, "--yes")) == f"{NAMED}/{name} released\n"
    world.wait_admitted("train")
    assert world.workload(name)["status"]["admission"]["clusterQueue"] == world.queue("b")
    assert world.workload(name)["spec"]["queueName"] == "b"


def test_prioritize_by_class(world: World) -> None:
    running = world.job("runs", 3, klass=_LOW)
    waiting = world.job("waits", 3)
    world.wait_admitted("runs")
    line = ("prioritize", "workload", waiting, "--class", _HIGH)
    done = world.run(*line, stdin="n\n")
    assert ok(done) == f"Set 1 workload to class {_HIGH} (100) (y/n)? \nSet is canceled\n"
    assert f"preempts {world.name}/{running}" in done.err
    assert world.workload(waiting)["spec"]["priority"] == 0
    assert ok(world.run(*line, "--yes")) == f"job.batch/waits set to class {_HIGH}\n"
    world.wait_admitted("waits")
    assert world.workload(waiting)["spec"]["priority"] == 100
    assert world.workload(waiting)["spec"]["priorityClassRef"]["name"] == _HIGH
    # A class that is there already may be changed while it runs.
    assert ok(world.run("prioritize", waiting, "--class", _LOW)) == f"job.batch/waits set to class {_LOW}\n"
    world.wait(lambda: world.workload(waiting)["spec"]["priority"] == 10)
    missing = world.run("prioritize", waiting, "--class", "nope")
    assert (missing.code, missing.out) == (3, "")


def test_a_first_class_of_a_running_job_is_refused(world: World) -> None:
    """By us before, in words that say what to do; Kueue would refuse it too."""
    name = world.job("runs", 1)
    world.wait_admitted("runs")
    refused = world.run("prioritize", name, "--class", _HIGH)
    assert (refused.code, refused.out) == (1, "")
    assert "Kueue takes a first one only while it waits" in refused.err
    body = {"metadata": {"labels": {_LABELS["class"]: _HIGH}}}
    with pytest.raises(KueuectlError, match="cannot be added to a non-suspended workload"):
        send(
            world.client,
            "PATCH",
            f"{JOBS.format(world.name)}/runs",
            body,
            content_type="application/merge-patch+json",
        )


def test_prioritize_by_number(world: World) -> None:
    world.job("runs", 4)
    first, second = world.job("first", 1), world.job("second", 1)
    alone = world.bare("alone", 1)
    world.wait_admitted("runs")
    done = world.run("prioritize", "job/second", "--priority", "-5")
    assert ok(done) == f"{NAMED}/{second} set to priority -5\n"
    assert "Kueue keeps the priority of a job's Workload only until" in done.err
    assert ok(world.run("prioritize", first, alone, "--priority", "-1", "--yes")).count("set to priority -1") == 2
    found = {one["metadata"]["name"]: one["spec"]["priority"] for one in world.all("workloads")}
    assert (found[first], found[second], found[alone]) == (-1, -5, -1)
    # Kueue leaves it alone when it looks at the job again.
    send(
        world.client,
        "PATCH",
        f"{JOBS.format(world.name)}/second",
        {"metadata": {"annotations": {"looked": "at"}}},
        content_type="application/merge-patch+json",
    )
    time.sleep(1)
    assert world.workload(second)["spec"]["priority"] == -5


def test_pod_groups_are_written_whole(pods: World) -> None:
    path = f"/api/v1/namespaces/{pods.name}/pods"
    account = f"/api/v1/namespaces/{pods.name}/serviceaccounts"
    create(pods.client, account, {"metadata": {"name": "default"}})
    for name in ("one", "two"):
        labels = {_LABELS["queue"]: "a", "kueue.x-k8s.io/pod-group-name": "group"}
        metadata = {"name": name, "labels": labels, "annotations": {"kueue.x-k8s.io/pod-group-total-count": "2"}}
        container = {"name": "c", "image": "none", "resources": {"requests": {"cpu": "3"}}}
        create(pods.client, path, {"metadata": metadata, "spec": {"restartPolicy": "Never", "containers": [container]}})
    pods.found(lambda one: one["metadata"]["name"] == "group" and len(one["metadata"]["ownerReferences"]) == 2)
    done = ok(pods.run("move", "pod/one", "--to", "b"))
    assert done == "pod/one moved to b\npod/two moved to b\n"
    pods.wait(lambda: pods.workload("group")["spec"]["queueName"] == "b")
    done = ok(pods.run("prioritize", "group", "--class", _HIGH))
    assert done == f"pod/one set to class {_HIGH}\npod/two set to class {_HIGH}\n"
    pods.wait(lambda: pods.workload("group")["spec"]["priority"] == 100)
    done = ok(pods.run("delete", "workload", "group", stdin="y\n"))
    assert done.endswith(f"pods/one deleted\npods/two deleted\n{NAMED}/group deleted\n")
    pods.wait(lambda: items(pods.client, path) == [] and pods.all("workloads") == [], "all pods are gone:")


@pytest.mark.parametrize(
    "line", ["stop workload", "hold --no-preview --yes", "prioritize --no-preview --priority 5", "move --to b"]
)
def test_who_may_not_write_writes_nothing(plane: ControlPlane, line: str) -> None:
    with plane.client() as client:
        before = {one["metadata"]["name"]: one["metadata"]["resourceVersion"] for one in items(client, scene.WORKLOADS)}
        name = next(one for one in before if scene.PENDING in one)
        flags = ("-n", "team-a", "--kubeconfig", plane.kubeconfig, "--context", "lead")
        done = cli(*line.split(), name, *flags)
        assert (done.code in (3, 5), done.out) == (True, ""), done.err
        assert "forbidden" in done.err or "not found" in done.err
        after = {one["metadata"]["name"]: one["spec"] for one in items(client, scene.WORKLOADS)}
        assert after[name]["active"] is True
        assert (after[name]["queueName"], after[name]["priority"]) == ("main", 0)
