"""Plans carried out on a real Kueue: what is written is what Kueue writes, and what was foretold is what comes."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Result, cli
from tests.live import making, scene
from tests.live.controlplane import ControlPlane, create, items, send
from tests.live.scene import RBAC

Body = dict[str, Any]
NEVER = {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}
COUNTER = itertools.count()


class Cluster:
    """A namespace of its own in a running control plane."""

    def __init__(self, plane: ControlPlane) -> None:
        self.plane = plane
        self.client = plane.client()
        self.prefix = f"apply-{next(COUNTER)}"
        create(self.client, making.path("Namespace", ""), {"metadata": {"name": self.prefix}})

    def make(self, *objects: Body | tuple[Body, ...], runs: int = 0) -> None:
        """Create objects, and wait until so many workloads of the namespace are admitted and all are decided on."""
        for step in making.made(*objects):
            body = json.loads(json.dumps(step.body).replace("~", self.prefix))
            create(self.client, making.path(step.kind, self.prefix), body)
        if runs:
            self.wait(lambda: len(self.admitted()) == runs)
            jobs = len(items(self.client, making.path("Job", self.prefix)))
            self.wait(lambda: sum("QuotaReserved" in self.conditions(name) for name in self.workloads()) >= jobs)

    def wait(self, what: Callable[[], bool]) -> None:
        until = time.monotonic() + 30
        while not what():
            assert time.monotonic() < until, {name: one.get("status") for name, one in self.workloads().items()}
            time.sleep(0.05)

    def workloads(self) -> dict[str, Body]:
        """All workloads, by the names of their Jobs or their own."""
        found = items(self.client, making.path("Workload", self.prefix))
        return {(one["metadata"].get("ownerReferences") or [one["metadata"]])[0]["name"]: one for one in found}

    def name(self, job: str) -> str:
        """The workload of a Job."""
        return str(self.workloads()[job]["metadata"]["name"])

    def conditions(self, job: str) -> dict[str, Body]:
        rows = (self.workloads()[job].get("status") or {}).get("conditions") or []
        return {row["type"]: row for row in rows}

    def admitted(self) -> set[str]:
        return {name for name in self.workloads() if self.conditions(name).get("Admitted", {}).get("status") == "True"}

    def evictions(self, job: str) -> list[Body]:
        stats = self.workloads()[job]["status"].get("schedulingStats") or {}
        return list(stats.get("evictions") or [])

    def patch(self, kind: str, name: str, body: Any) -> None:
        where = making.path(kind, self.prefix, name.replace("~", self.prefix))
        type_ = "application/json-patch+json" if isinstance(body, list) else "application/merge-patch+json"
        send(self.client, "PATCH", where, body, content_type=type_)

    def run(self, *words: str, context: str = "admin") -> Result:
        """The program in this namespace."""
        own = [word.replace("~", self.prefix) for word in words]
        return cli(*own, "-n", self.prefix, "--kubeconfig", self.plane.kubeconfig, "--context", context)

    def apply(self, *words: str) -> Body:
        """Carry out, for a program; what was foretold has to come."""
        done = self.run(*words, "--yes", "-o", "json", "--timeout", "60s")
        assert done.code == 0, done.err + done.out
        found: Body = json.loads(done.out)
        assert found["cameTrue"] is True
        return found


@pytest.fixture(scope="module", params=["classical", "fair"])
def plane(request: pytest.FixtureRequest, start_plane: Callable[..., ControlPlane]) -> ControlPlane:
    """A control plane with the flavors and priority classes that all tests share."""
    found = start_plane(fair_sharing=request.param == "fair")
    with found.client() as client:
        scene.install(found, client)
        for one in making.shared():
            create(client, making.path(one["kind"], ""), one)
        _reader(client)
    return found


def _reader(client: Any) -> None:
    """The viewer of these tests reads all and writes nothing."""
    rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]}]
    create(client, f"{RBAC}/clusterroles", {"metadata": {"name": "reads-all"}, "rules": rules})
    group = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "viewers"}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reads-all"}
    binding = {"metadata": {"name": "reads-all"}, "roleRef": role, "subjects": [group]}
    create(client, f"{RBAC}/clusterrolebindings", binding)


@pytest.fixture
def cluster(plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Cluster]:
    """A fresh namespace; the working directory is empty."""
    monkeypatch.chdir(tmp_path)
    found = Cluster(plane)
    yield found
    found.client.close()


def full(cluster: Cluster, *, urgent: int = 4) -> None:
    """A queue that preempts nobody: two Jobs run in it, `urgent` waits."""
    cluster.make(making.queue("main", 4, cohort="", preemption=NEVER))
    cluster.make(making.job("low-1", "main", 2, priority="low"), making.job("low-2", "main", 2, priority="low"), runs=2)
    cluster.make(making.job("urgent", "main", urgent, priority="high"), runs=2)


def shape(cluster: Cluster, job: str) -> Body:
    """What the status of an evicted workload says, without who did it.

    Kueue notes resourceRequests when it refuses a workload, which ours is not looked at for a while.
    """
    status = cluster.workloads()[job]["status"]
    rows = {
        kind: (row["status"], row["reason"], "observedGeneration" in row)
        for kind, row in cluster.conditions(job).items()
    }
    return {
        "conditions": rows,
        "evictions": cluster.evictions(job),
        "keys": set(status) - {"requeueState", "resourceRequests"},
    }


def test_an_eviction_of_ours_is_as_one_of_kueue(cluster: Cluster) -> None:
    lower = {"withinClusterQueue": "LowerPriority"}
    cluster.make(
        making.queue("kueue", 2, cohort="", preemption=lower), making.queue("ours", 2, cohort="", preemption=NEVER)
    )
    cluster.make(
        making.job("its-victim", "kueue", 2, priority="low"),
        making.job("our-victim", "ours", 2, priority="low"),
        runs=2,
    )
    cluster.make(
        making.job("its-urgent", "kueue", 2, priority="high"), making.job("our-urgent", "ours", 2, priority="high")
    )
    cluster.wait(lambda: "its-urgent" in cluster.admitted() and "QuotaReserved" in cluster.conditions("our-urgent"))
    cluster.apply("preempt", cluster.name("our-victim"), "--apply")
    cluster.wait(lambda: "Requeued" in cluster.conditions("its-victim"))
    assert shape(cluster, "our-victim") == shape(cluster, "its-victim")
    message = cluster.conditions("our-victim")["Evicted"]["message"]
    assert message.startswith("Preempted by admin via kueuectl (plan ")
    assert cluster.workloads()["our-urgent"]["metadata"]["uid"] in message
    job = next(
        one
        for one in items(cluster.client, making.path("Job", cluster.prefix))
        if one["metadata"]["name"] == "our-victim"
    )
    assert job["spec"]["suspend"] is True


def test_named_victims_make_room(cluster: Cluster) -> None:
    full(cluster)
    found = cluster.apply("preempt", cluster.name("low-1"), cluster.name("low-2"), "--apply")
    assert [row["fate"] for row in found["foretold"]] == ["released", "released", "admitted"]
    assert cluster.admitted() == {"urgent"}
    for job in ("low-1", "low-2"):
        assert cluster.evictions(job) == [{"reason": "Preempted", "underlyingCause": "", "count": 1}]


def test_held_ones_stay_away(cluster: Cluster) -> None:
    full(cluster)
    cluster.apply("preempt", cluster.name("low-1"), cluster.name("low-2"), "--hold", "--apply")
    assert cluster.admitted() == {"urgent"}
    assert cluster.workloads()["low-1"]["spec"]["active"] is False
    assert cluster.conditions("low-1")["Evicted"]["reason"] == "Deactivated"


def test_victims_come_back_when_nobody_wants_the_room(cluster: Cluster) -> None:
    cluster.make(making.queue("main", 4, cohort="", preemption=NEVER))
    cluster.make(making.job("alone", "main", 2), runs=1)
    cluster.make(making.workload("bare", "main", 2, priority=0))
    cluster.wait(lambda: len(cluster.admitted()) == 2)
    found = cluster.apply("preempt", cluster.name("alone"), "bare", "--apply", "--backoff", "2s")
    assert [row["fate"] for row in found["foretold"]] == ["returned", "returned"]
    assert cluster.admitted() == {"alone", "bare"}


def test_a_workload_without_owner_is_evicted_to_the_end(cluster: Cluster) -> None:
    cluster.make(making.queue("main", 4, cohort="", preemption=NEVER))
    cluster.make(making.workload("bare", "main", 4, priority=0))
    cluster.wait(lambda: len(cluster.admitted()) == 1)
    cluster.make(making.job("urgent", "main", 4, priority="high"), runs=1)
    done = cluster.run("preempt", "bare", "--apply", "--yes", "--timeout", "60s")
    assert done.code == 0, done.err + done.out
    assert "has no owner" in done.err
    assert cluster.admitted() == {"urgent"}


@pytest.mark.parametrize("hold", [False, True])
def test_room_for_one(cluster: Cluster, hold: bool) -> None:
    full(cluster, urgent=3)
    words = ["rebalance", "--goal", f"fit:~/{cluster.name('urgent')}", "--apply", *(["--hold"] if hold else [])]
    found = cluster.apply(*words)
    assert [row["result"] for row in found["items"]] == ["held" if hold else "evicted"] * 2
    assert cluster.admitted() == {"urgent"}


def test_nominal_quota_is_given_back(cluster: Cluster) -> None:
    cluster.make(making.queue("mine", 4, preemption=NEVER), making.queue("other", 4, preemption=NEVER))
    cluster.make(making.job("borrows-1", "other", 3), making.job("borrows-2", "other", 3), runs=2)
    cluster.make(making.job("waits", "mine", 4), runs=2)
    found = cluster.apply("rebalance", "~", "--goal", "nominal", "--apply")
    assert len(found["items"]) == 1
    assert "waits" in cluster.admitted()


def test_a_lowered_quota_is_kept(cluster: Cluster) -> None:
    cluster.make(making.queue("main", 4, cohort="", preemption=NEVER))
    cluster.make(*(making.job(f"run-{number}", "main", 1) for number in range(4)), runs=4)
    where = "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota"
    cluster.patch("ClusterQueue", "~-main", [{"op": "replace", "path": where, "value": "2"}])
    # Without a cohort there is no name to judge by: other tests' queues keep to their quota.
    found = cluster.apply("rebalance", "--goal", "within-quota", "--apply")
    assert len(found["items"]) == 2
    assert len(cluster.admitted()) == 2


def test_fair_shares_are_restored(cluster: Cluster) -> None:
    if "fairSharing" not in cluster.plane.configuration:
        pytest.skip("a goal for fair sharing")
    never = {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}
    cluster.make(*(making.queue(name, 0, preemption=never) for name in ("rich", "poor")))
    cluster.make(making.cohort("~", quota=6))
    cluster.make(*(making.job(f"rich-{number}", "rich", 1) for number in range(6)), runs=6)
    cluster.make(making.job("poor-1", "poor", 1), making.job("poor-2", "poor", 2), runs=6)
    found = cluster.apply("rebalance", "~", "--goal", "fair", "--apply")
    assert found["items"]
    assert {"poor-1", "poor-2"} <= cluster.admitted()


def test_a_saved_plan_is_carried_out_once(cluster: Cluster) -> None:
    full(cluster)
    victims = (cluster.name("low-1"), cluster.name("low-2"))
    assert cluster.run("preempt", *victims, "-o", "plan=plan.json").code == 0
    cluster.make(making.job("late", "main", 5, priority="low"), runs=2)
    found = cluster.apply("apply", "plan.json")
    assert found["unforeseen"] == []
    again = cluster.run("apply", "plan.json", "--yes")
    assert (again.code, "Nothing to do: all 2 steps were done" in again.err) == (0, True)
    assert [row["count"] for job in ("low-1", "low-2") for row in cluster.evictions(job)] == [1, 1]


def test_a_stale_plan_writes_nothing(cluster: Cluster) -> None:
    full(cluster)
    victims = (cluster.name("low-1"), cluster.name("low-2"))
    assert cluster.run("preempt", *victims, "-o", "plan=plan.json").code == 0
    where = "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota"
    cluster.patch("ClusterQueue", "~-main", [{"op": "replace", "path": where, "value": "5"}])
    done = cluster.run("apply", "plan.json", "--yes")
    assert done.code == 4
    assert f"ClusterQueue {cluster.prefix}-main was changed" in done.err
    assert cluster.admitted() == {"low-1", "low-2"}


def test_a_server_side_dry_run_and_a_viewer_write_nothing(cluster: Cluster) -> None:
    full(cluster)
    victims = (cluster.name("low-1"), cluster.name("low-2"))
    tried = cluster.run("preempt", *victims, "--apply", "--dry-run=server")
    assert (tried.code, "evicted (server dry run)" in tried.out) == (0, True), tried.err
    refused = cluster.run("preempt", *victims, "--apply", "--yes", context="viewer")
    assert refused.code == 5, refused.err
    assert 'cannot patch resource "workloads/status"' in refused.err
    assert cluster.admitted() == {"low-1", "low-2"}
    assert list(Path().iterdir()) == []
