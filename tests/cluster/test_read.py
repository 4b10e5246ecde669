"""Reading a whole cluster: what comes out, and how many requests it takes."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from kueuectl import times
from kueuectl.api.collect import Collector
from kueuectl.cluster import access, lists, read
from kueuectl.cluster.client import Client
from kueuectl.errors import InputError, NotFoundError, UnreachableError
from kueuectl.model.state import HiddenKind
from tests.cluster.fake import KUEUE_PLURALS, FakeServer, encode, running
from tests.cluster.objects import cluster_queue, config_map, core, deployment, fill, workload

Connect = Callable[..., Client]
LISTS = 13


def test_state_is_what_the_server_holds(server: FakeServer, connect: Connect) -> None:
    state, settings, now, warnings = read.read_state(connect(server=server.url))
    assert sorted(state.cluster_queues) == ["research", "serving"]
    assert state.cluster_queues["research"].cohort == "all"
    assert sorted(state.workloads) == ["team-a/train", "team-b/serve"]
    assert state.local_queues["team-a/main"].cluster_queue == "research"
    assert sorted(state.namespaces) == ["team-a", "team-b"]
    assert state.nodes["node-0"].allocatable == (("cpu", 8000),)
    assert settings.fair_sharing is not None
    assert settings.source == "ConfigMap queueing/settings"
    assert abs(now - time.time_ns()) < 5 * times.SECOND
    assert (state.hidden, warnings) == ((), ())


def test_one_list_per_kind_and_nothing_per_object(server: FakeServer, connect: Connect) -> None:
    read.read_state(connect(server=server.url))
    lists = [seen for seen in server.seen if "limit" in seen.query]
    assert len(lists) == LISTS + 1
    assert {seen.query["limit"] for seen in lists} == {"500"}
    # Discovery takes two requests, Kueue's ConfigMap one.
    assert len(server.seen) == len(lists) + 3


def test_fifty_thousand_workloads_take_a_hundred_pages(connect: Connect) -> None:
    fake = fill(FakeServer())
    fake.objects["/apis/kueue.x-k8s.io/v1beta2/workloads"] = [workload("team-a", f"w{n:05}") for n in range(50_000)]
    told: list[tuple[str, int, int]] = []
    with running(fake):
        reading = read.read_state(connect(server=fake.url), progress=lambda *seen: told.append(seen))
    assert len(reading.state.workloads) == 50_000
    assert fake.count("/apis/kueue.x-k8s.io/v1beta2/workloads") == 100
    assert len(fake.seen) == 100 + LISTS + 3
    assert told[0] == ("workloads", 500, 50_000)
    assert told[-1] == ("workloads", 49_500, 50_000)


def test_compressed_answers_are_asked_for(server: FakeServer, connect: Connect) -> None:
    read.read_state(connect(server=server.url))
    assert {seen.headers["Accept-Encoding"] for seen in server.seen} == {"gzip"}


@pytest.mark.parametrize(
    ("versions", "want"),
    [
        pytest.param(("v1beta2", "v1beta1"), "v1beta2", id="both served: the newer one"),
        pytest.param(("v1beta1", "v1beta2"), "v1beta2", id="the server prefers the old one"),
        pytest.param(("v1beta1",), "v1beta1", id="an old release"),
        pytest.param(("v1beta3", "v1beta2"), "v1beta2", id="a newer version that isn't known"),
    ],
)
def test_version_that_is_read(versions: tuple[str, ...], want: str, connect: Connect) -> None:
    with running(fill(FakeServer(versions=versions), version=want)) as fake:
        state = read.read_state(connect(server=fake.url)).state
    assert state.cluster_queues["research"].cohort == "all"
    assert fake.count(f"/apis/kueue.x-k8s.io/{want}/workloads") == 1
    assert not fake.count(f"/apis/kueue.x-k8s.io/(?!{want}).*/workloads")


def test_kinds_that_are_not_served_are_hidden_without_a_request(connect: Connect) -> None:
    plurals = [plural for plural in KUEUE_PLURALS if plural not in ("topologies", "cohorts")]
    with running(fill(FakeServer(plurals=plurals))) as fake:
        state, _, _, warnings = read.read_state(connect(server=fake.url))
    assert set(state.hidden) == {HiddenKind("Cohort", "not served"), HiddenKind("Topology", "not served")}
    assert not fake.count(".*/(topologies|cohorts)")
    assert warnings == ()


def test_cluster_without_kueue(connect: Connect) -> None:
    with running(FakeServer(versions=())) as fake, pytest.raises(UnreachableError, match="no kinds of Kueue") as raised:
        read.read_state(connect(server=fake.url))
    assert raised.value.hint == "is Kueue installed there?"


@pytest.mark.parametrize(
    ("forbidden", "want_hidden", "want_warning"),
    [
        pytest.param(
            {"nodes"},
            HiddenKind("Node", "forbidden"),
            "not allowed to list nodes: free capacity and topology domains are unknown",
            id="nodes",
        ),
        pytest.param(
            {"clusterqueues"},
            HiddenKind("ClusterQueue", "forbidden"),
            "not allowed to list clusterqueues: quotas, borrowing and the order of the queues are unknown",
            id="a team lead without ClusterQueues",
        ),
        pytest.param(
            {"all workloads"},
            HiddenKind("Workload", "forbidden", "read only in team-a"),
            "not allowed to list workloads of all namespaces, read only in team-a: elsewhere it is unknown what runs, "
            "what waits and how much quota is used",
            id="workloads of one namespace",
        ),
        pytest.param(
            {"all namespaces"},
            HiddenKind("Namespace", "forbidden", "read only in team-a"),
            "not allowed to list namespaces of all namespaces, read only in team-a: elsewhere it is unknown which "
            "namespaces a ClusterQueue's selector matches",
            id="one namespace by its name",
        ),
    ],
)
def test_what_rbac_hides(
    forbidden: set[str], want_hidden: HiddenKind, want_warning: str, server: FakeServer, connect: Connect
) -> None:
    server.forbidden = forbidden
    state, _, _, warnings = read.read_state(connect(server=server.url), namespaces=["team-a"])
    assert state.hidden == (want_hidden,)
    assert warnings == (want_warning,)
    assert state.is_hidden(want_hidden.kind)


def test_partial_view_holds_the_named_namespace_only(server: FakeServer, connect: Connect) -> None:
    server.forbidden = {"all workloads", "all localqueues", "all namespaces"}
    state = read.read_state(connect(server=server.url), namespaces=["team-a"]).state
    assert list(state.workloads) == ["team-a/train"]
    assert list(state.local_queues) == ["team-a/main"]
    assert list(state.namespaces) == ["team-a"]


def test_nothing_readable_is_an_error(server: FakeServer, connect: Connect) -> None:
    server.forbidden = {*KUEUE_PLURALS}
    with pytest.raises(UnreachableError, match=r"not allowed to list workloads \(403\).*cannot list") as raised:
        read.read_state(connect(server=server.url))
    assert raised.value.exit_code == 5
    assert "neither ClusterQueues nor Workloads" in raised.value.hint


@pytest.mark.parametrize(
    ("objects", "forbidden", "want_fair", "want_warning"),
    [
        pytest.param({}, set(), False, "no Deployment of Kueue was found", id="no deployment"),
        pytest.param(
            {}, {"deployments"}, False, "can't read Kueue's Deployment (forbidden)", id="deployment forbidden"
        ),
        pytest.param(
            {"deployments": deployment()},
            {"configmaps"},
            False,
            "can't read ConfigMap queueing/settings (forbidden): the defaults of Kueue v0.19.2 are assumed",
            id="config map forbidden",
        ),
        pytest.param(
            {"deployments": deployment()}, set(), False, "there is no ConfigMap queueing/settings", id="config map gone"
        ),
        pytest.param(
            {"deployments": deployment(), "configmaps": config_map("kind: [")},
            set(),
            False,
            "is not YAML",
            id="not YAML",
        ),
        pytest.param(
            {"deployments": deployment(), "configmaps": config_map("a: &a [1]\nb: [*a, *a]")},
            set(),
            False,
            "uses YAML aliases",
            id="a YAML bomb",
        ),
        pytest.param(
            {
                "deployments": deployment(image="registry.example:5000/kueue:v0.15.0@sha256:00"),
                "configmaps": config_map(
                    "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\nfairSharing: {enable: true}"
                ),
            },
            set(),
            True,
            "the cluster runs Kueue v0.15.0; decisions are worked out as v0.19.2 makes them",
            id="an older release",
        ),
    ],
)
def test_settings(
    objects: dict[str, dict[str, object]], forbidden: set[str], want_fair: bool, want_warning: str, connect: Connect
) -> None:
    fake = FakeServer()
    fake.forbidden = forbidden
    for plural, one in objects.items():
        fake.put(f"{'/apis/apps/v1' if plural == 'deployments' else '/api/v1'}/{plural}", one)
    with running(fake):
        reading = read.read_state(connect(server=fake.url))
    assert (reading.settings.fair_sharing is not None) is want_fair
    assert any(want_warning in warning for warning in reading.warnings), reading.warnings


def test_gates_of_the_deployment_win(connect: Connect) -> None:
    fake = fill(FakeServer())
    fake.objects["/apis/apps/v1/deployments"] = [deployment(args=("--feature-gates=PartialAdmission=false",))]
    with running(fake):
        settings = read.read_state(connect(server=fake.url)).settings
    assert not settings.gate("PartialAdmission")


def test_deployments_of_other_operators_are_not_kueue(connect: Connect) -> None:
    fake = fill(FakeServer())
    other = core("other", namespace="elsewhere", meta={"labels": {"control-plane": "controller-manager"}}, spec={})
    fake.objects["/apis/apps/v1/deployments"].insert(0, other)
    with running(fake):
        reading = read.read_state(connect(server=fake.url))
    assert reading.settings.source == "ConfigMap queueing/settings"


@pytest.mark.parametrize(
    ("ahead", "want"),
    [
        pytest.param(0, (), id="the same time"),
        pytest.param(-50, (), id="a little behind"),
        pytest.param(-3600, ("this machine's clock is 60m ahead of the server's, which is used",), id="ahead"),
        pytest.param(7200, ("this machine's clock is 119m behind the server's, which is used",), id="behind"),
    ],
)
def test_clock_is_the_servers(ahead: int, want: tuple[str, ...], server: FakeServer, connect: Connect) -> None:
    server.clock = lambda: time.time() + ahead
    reading = read.read_state(connect(server=server.url))
    assert abs(reading.now - time.time_ns() - ahead * times.SECOND) < 5 * times.SECOND
    assert reading.warnings == want


def test_broken_object_is_named(server: FakeServer, connect: Connect) -> None:
    server.put("/apis/kueue.x-k8s.io/v1beta2/clusterqueues", cluster_queue("bad", cpu="ten"))
    with pytest.raises(Exception, match=r"list clusterqueues: ClusterQueue bad: spec\.resourceGroups\[0\]"):
        read.read_state(connect(server=server.url))


def test_owner_on_demand(server: FakeServer, connect: Connect) -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", **core("train", namespace="team-a", spec={"suspend": True})}
    server.put("/apis/batch/v1/jobs", job)
    client = connect(server=server.url)
    owner = read.read_owner(client, Named("Job", "jobs", "batch"), "team-a", "train")
    assert (owner.kind, owner.name, owner.suspended) == ("Job", "train", True)
    assert server.paths() == ["/apis/batch/v1/namespaces/team-a/jobs/train"]
    with pytest.raises(NotFoundError, match="there is no Job team-a/other"):
        read.read_owner(client, Named("Job", "jobs", "batch"), "team-a", "other")


def test_owner_of_a_kind_known_by_name_only(server: FakeServer, connect: Connect) -> None:
    one = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", **core("gang", namespace="team-a")}
    server.put("/apis/jobset.x-k8s.io/v1alpha2/jobsets", one)
    client = connect(server=server.url)
    assert read.read_owner(client, Named("JobSet", "", "jobset.x-k8s.io"), "team-a", "gang").kind == "JobSet"
    with pytest.raises(NotFoundError, match=r"no kind RayJob \(group ray\.io\)"):
        read.read_owner(client, Named("RayJob", "", "ray.io"), "team-a", "x")


def test_pods_by_selector(server: FakeServer, connect: Connect) -> None:
    server.put("/api/v1/pods", core("p0", namespace="team-a", meta={"labels": {"job": "train"}}))
    server.put("/api/v1/pods", core("p1", namespace="team-a"))
    pods = read.read_pods(connect(server=server.url), "team-a", "job=train")
    assert [(pod.kind, pod.name) for pod in pods] == [("Pod", "p0")]


def test_raw_objects_say_what_they_are(server: FakeServer, connect: Connect) -> None:
    client = connect(server=server.url)
    found = list(read.list_raw(client, Named("Namespace", "namespaces", "", is_namespaced=False)))
    assert [list(one)[:2] for one in found] == [["apiVersion", "kind"]] * 2
    assert found[0]["apiVersion"] == "v1"
    workloads = list(read.list_raw(client, Named("Workload", "workloads", "kueue.x-k8s.io"), namespace="team-b"))
    assert [one["metadata"]["name"] for one in workloads] == ["serve"]


def test_access_is_asked_for_everything_that_is_read(server: FakeServer, connect: Connect) -> None:
    server.forbidden = {"nodes"}
    client = connect(server=server.url)
    found = access.what_is_allowed(client)
    assert [one.resource for one in found if not one.allowed] == ["nodes"]
    assert len(found) == LISTS + 4 + len(access.WRITES)
    assert access.server_version(client) == "v1.36.3"
    assert access.kueue_api_versions(client) == ("v1beta2", "v1beta1")


class Named:
    """A Resource."""

    def __init__(self, name: str, plural: str, group: str, *, is_namespaced: bool = True) -> None:
        self.name, self.plural, self.group, self.is_namespaced = name, plural, group, is_namespaced


def sliced(count: int, *, odd: str = "") -> bytes:
    """A page of that many workloads, large enough to be sliced; `odd` is an annotation of each."""
    found = [workload("team-a", f"w{n:04}") for n in range(count)]
    for one in found:
        one["metadata"]["annotations"] = {"odd": odd}
    head = {"apiVersion": "kueue.x-k8s.io/v1beta2", "items": found, "kind": "WorkloadList"}
    return encode(head | {"metadata": {"continue": "next", "resourceVersion": "7"}})


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param("", id="plain"),
        pytest.param(
            '},{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{', id="the mark in a text"
        ),
        pytest.param('"items":[ ] } \\" \\\\ \u2028 \U0001f600', id="brackets and escapes in a text"),
    ],
)
def test_sliced_page_is_the_whole_page(odd: str) -> None:
    body = sliced(1000, odd=odd)
    whole = Collector()
    meta = whole.add_list(body, source="x")
    parts = Collector()
    assert lists._add(parts, body, "x") == meta
    assert parts.state() == whole.state()
    assert len(parts.state().workloads) == 1000


@pytest.mark.parametrize("place", [0.3, 0.5, 0.99])
@pytest.mark.parametrize("fault", ["cut", "garbage", "a wrong type", "the mark inside of every object"])
def test_sliced_page_with_a_fault_is_refused_as_the_whole_is(fault: str, place: float) -> None:
    body = sliced(1000)
    at = body.find(b'"queueName":"main"', int(len(body) * place))
    mark = b'"owners":[{},{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"x"}}],'
    faulty = {
        "cut": body[:at],
        "garbage": body[:at] + b"\x00" + body[at:],
        "a wrong type": body[:at] + b'"queueName":7' + body[at + 18 :],
        "the mark inside of every object": body.replace(b'"queueName":', mark + b'"queueName":'),
    }[fault]
    outcomes = []
    for add in (lambda one: one.add_list(faulty, source="x"), lambda one: lists._add(one, faulty, "x")):
        collector = Collector()
        try:
            add(collector)
            outcomes.append(repr(collector.state()))
        except InputError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
