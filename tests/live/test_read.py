"""What is read from a real API server, after a real Kueue has decided."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from kueuectl import times
from kueuectl.api import objects
from kueuectl.api.collect import Collector
from kueuectl.cluster import access, kinds, lists, read
from kueuectl.cluster.client import Client, ConnectionOptions, connect
from kueuectl.cluster.failures import ForbiddenError, MissingError
from kueuectl.errors import UnreachableError
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from tests.live import scene
from tests.live.controlplane import ControlPlane, create

JOB = kinds.Kind("Job", "jobs", "batch", ("v1",), "", is_namespaced=True)


@pytest.fixture
def admin(plane: ControlPlane) -> Iterator[Client]:
    with plane.client() as client:
        yield client


@pytest.fixture
def state(admin: Client) -> ClusterState:
    return read.read_state(admin).state


def owners(state: ClusterState) -> dict[str, str]:
    """The workload's key by the name of its Job."""
    return {workload.owners[0].name: key for key, workload in state.workloads.items()}


def test_state_equals_what_was_written(admin: Client) -> None:
    state, _, now, warnings = read.read_state(admin)
    research = state.cluster_queues["research"]
    (group,) = research.resource_groups
    (flavor,) = group.flavors
    assert research.cohort == "all"
    assert research.queueing_strategy == "StrictFIFO"
    assert group.covered_resources == ("cpu", "memory")
    assert {quota.name: (quota.nominal, quota.borrowing_limit) for quota in flavor.resources} == {
        "cpu": (3000, 2500),
        "memory": (64 << 30, None),
    }
    assert state.flavors["default"].node_labels == (("pool", "spot"),)
    assert state.local_queues["team-a/main"].cluster_queue == "research"
    assert ("team", "a") in state.namespaces["team-a"].labels
    assert state.workload_priority_classes["high"].value == 1000
    assert (state.hidden, warnings) == ((), ())
    assert abs(now - time.time_ns()) < times.MINUTE


def test_decisions_of_kueue_are_read(state: ClusterState) -> None:
    found = owners(state)
    assert sorted(found) == [*scene.ADMITTED, scene.PENDING]
    usage = {}
    for name in scene.ADMITTED:
        admission = state.workloads[found[name]].admission
        assert admission is not None
        assert admission.cluster_queue == "research"
        usage[name] = dict(admission.pod_sets[0].usage)
    assert usage == {"train-0": {"cpu": 2000, "memory": 1 << 30}, "train-1": {"cpu": 1500, "memory": 1 << 30}}
    pending = state.workloads[found[scene.PENDING]]
    assert pending.admission is None
    (reserved,) = (one for one in pending.conditions if one.type == "QuotaReserved")
    assert (reserved.status, reserved.reason) == ("False", "Pending")
    assert "insufficient" in reserved.message


def test_settings_are_those_of_the_running_kueue(admin: Client) -> None:
    settings = read.read_state(admin).settings
    assert settings.fair_sharing == ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
    assert settings.exclude_resource_prefixes == ("example.com/",)
    assert settings.source == "ConfigMap kueue-system/kueue-manager-config"


def test_raw_objects_decode_to_the_same_state(admin: Client, state: ClusterState) -> None:
    docs = [("", one) for kind in kinds.STATE_KINDS for one in read.list_raw(admin, kind)]
    assert objects.decode_state(docs) == replace(state, hidden=(), warnings=())


@pytest.mark.parametrize("plural", ["clusterqueues", "localqueues", "cohorts", "workloads", "resourceflavors"])
def test_old_and_new_version_are_one_state(plural: str, admin: Client) -> None:
    found = []
    for version in ("v1beta2", "v1beta1"):
        body = admin.get(f"/apis/kueue.x-k8s.io/{version}/{plural}", what="list")
        assert json.loads(body)["apiVersion"] == f"kueue.x-k8s.io/{version}"
        collector = Collector()
        collector.add_list(body)
        found.append(collector.state())
    assert found[0] == found[1]
    assert found[0] != ClusterState()


def test_pages_of_one_object(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(20):
        told: list[tuple[str, int, int]] = []
        whole = read.read_state(admin).state
        with monkeypatch.context() as patched:
            patched.setattr(lists, "_limits", lambda client: (1, 1, 0))
            paged = read.read_state(admin, progress=lambda *seen, told=told: told.append(seen)).state
        if paged == whole:
            break
        # Kueue counts in the status of queues for a while after it has decided.
        time.sleep(0.5)
    assert paged == whole
    assert [seen for seen in told if seen[0] == "workloads"] == [("workloads", 1, 3), ("workloads", 2, 3)]


def test_list_survives_a_token_that_expires(
    plane: ControlPlane, admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "_limits", lambda client: (1, 1, 0))
    found = read.list_raw(admin, kinds.WORKLOAD)
    names = [next(found)["metadata"]["name"]]
    create(admin, "/api/v1/namespaces", {"metadata": {"name": "something-else"}})
    body = admin.get("/api/v1/namespaces", what="list namespaces")
    plane.compact(int(json.loads(body)["metadata"]["resourceVersion"]))
    names += [one["metadata"]["name"] for one in found]
    assert len(names) == len(set(names)) == 3


def test_viewer_without_any_right(plane: ControlPlane) -> None:
    with plane.client("viewer") as client, pytest.raises(ForbiddenError) as raised:
        read.read_state(client)
    assert 'User "viewer" cannot list resource "workloads"' in str(raised.value)
    assert raised.value.exit_code == 5
    assert "name a namespace with -n" in raised.value.hint


def test_lead_sees_one_namespace(plane: ControlPlane) -> None:
    with plane.client("lead") as client:
        state, _, _, warnings = read.read_state(client, namespaces=["team-a"])
    assert len(state.workloads) == 3
    assert list(state.local_queues) == ["team-a/main"]
    assert not state.cluster_queues
    assert {one.kind: one.detail for one in state.hidden if one.kind in ("Workload", "LocalQueue", "ClusterQueue")} == {
        "Workload": "read only in team-a",
        "LocalQueue": "read only in team-a",
        "ClusterQueue": "",
    }
    assert any("quotas, borrowing and the order of the queues are unknown" in one for one in warnings)
    assert any("can't read Kueue's Deployment (forbidden)" in one for one in warnings)


def test_admin_may_act_as_somebody(plane: ControlPlane) -> None:
    options = ConnectionOptions(kubeconfig=plane.kubeconfig, as_user="jane", as_groups=("leads",))
    with connect(options) as client:
        assert len(read.read_state(client, namespaces=["team-a"]).state.workloads) == 3


def test_wrong_token(plane: ControlPlane) -> None:
    with (
        connect(ConnectionOptions(kubeconfig=plane.kubeconfig, token="wrong")) as client,
        pytest.raises(UnreachableError, match="does not accept the credentials"),
    ):
        read.read_state(client)


def test_owner_of_a_workload(admin: Client, state: ClusterState) -> None:
    owner = read.read_owner(admin, JOB, "team-a", "train-0")
    assert owner.uid == state.workloads[owners(state)["train-0"]].owners[0].uid
    assert owner.suspended is False
    assert read.read_owner(admin, JOB, "team-a", scene.PENDING).suspended is True
    assert read.read_pods(admin, "team-a") == ()
    with pytest.raises(MissingError, match="no kind RayJob"):
        read.read_owner(admin, kinds.Kind("RayJob", "rayjobs", "ray.io", (), ""), "team-a", "x")


def test_facts_for_the_doctor(plane: ControlPlane, admin: Client) -> None:
    assert access.server_version(admin) == "v1.36.3"
    assert access.kueue_api_versions(admin) == ("v1beta2", "v1beta1")
    assert all(one.allowed for one in access.what_is_allowed(admin))
    with plane.client("lead") as client:
        found = access.what_is_allowed(client, namespace="team-a")
    allowed = [one.resource for one in found if one.allowed]
    assert allowed == ["localqueues.kueue.x-k8s.io", "workloads.kueue.x-k8s.io"]
