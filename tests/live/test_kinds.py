"""All kinds, read from a real API server by the program; dumps of it; watching it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kueuectl.cluster import lists
from tests.cli.harness import Result, cli
from tests.live import making, scene
from tests.live.controlplane import ControlPlane, create, items, send

NAME = "kinds"
# Kind as it is typed, its path, and a name that is there.
KINDS = (
    ("clusterqueue", f"{scene.ROOT}/clusterqueues", "research"),
    ("localqueue", f"{scene.ROOT}/localqueues", "main"),
    ("workload", f"{scene.ROOT}/workloads", "job-train-9"),
    ("resourceflavor", f"{scene.ROOT}/resourceflavors", "default"),
    ("cohort", f"{scene.ROOT}/cohorts", "all"),
    ("topology", f"{scene.ROOT}/topologies", NAME),
    ("admissioncheck", f"{scene.ROOT}/admissionchecks", NAME),
    ("workloadpriorityclass", f"{scene.ROOT}/workloadpriorityclasses", "high"),
)


@pytest.fixture(scope="module")
def whole(plane: ControlPlane) -> Iterator[ControlPlane]:
    """The scene with the kinds that it lacks; no queue uses them."""
    others = (
        making.kueue("Topology", NAME, {"levels": [{"nodeLabel": "kubernetes.io/hostname"}]}),
        making.kueue("AdmissionCheck", NAME, {"controllerName": "example.com/checks"}),
    )
    with plane.client() as client:
        for one, plural in zip(others, ("topologies", "admissionchecks"), strict=True):
            create(client, f"{scene.ROOT}/{plural}", one)
        yield plane
        for plural in ("topologies", "admissionchecks"):
            send(client, "DELETE", f"{scene.ROOT}/{plural}/{NAME}")


def run(plane: ControlPlane, *words: str, **options: object) -> Result:
    return cli(*words, "--kubeconfig", plane.kubeconfig, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "path", "name"), KINDS)
def test_a_kind_is_listed_as_the_server_has_it(kind: str, path: str, name: str, whole: ControlPlane) -> None:
    everywhere = ("-A",) if kind in ("localqueue", "workload") else ()
    with whole.client() as client:
        served = items(client, path)
    want = {(one["metadata"].get("namespace"), one["metadata"]["name"]) for one in served}
    found = json.loads(run(whole, "list", kind, *everywhere, "-o", "json").out)["items"]
    assert {(one["metadata"].get("namespace"), one["metadata"]["name"]) for one in found} == want
    shown = run(whole, "list", kind, *everywhere, "--no-headers")
    assert (shown.code, len(shown.out.splitlines())) == (0, len(want))
    assert name in shown.out
    names = run(whole, "list", kind, *everywhere, "-o", "name").out.splitlines()
    assert len(names) == len(want)
    assert all(line.startswith(f"{kind}.kueue.x-k8s.io/") for line in names)


@pytest.mark.parametrize("words", [("list", "workload", "-A"), ("tree",), ("shares",), ("queue", "research")])
def test_small_pages_give_the_same_answer(
    words: tuple[str, ...], whole: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    want = run(whole, *words)
    monkeypatch.setattr(lists, "_limits", lambda client: (1, 1, 0))
    found = run(whole, *words)
    assert (found.code, found.err) == (0, want.err)
    assert _without_ages(found.out) == _without_ages(want.out)


def _without_ages(text: str) -> list[list[str]]:
    return [[word for word in line.split() if not word[0].isdigit()] for line in text.splitlines()]


@pytest.mark.parametrize("words", [("explain", "job", "train-9", "-n", "team-a", "-o", "json"), ("tree",), ("shares",)])
def test_a_dump_says_what_the_cluster_says(words: tuple[str, ...], whole: ControlPlane, tmp_path: Path) -> None:
    path = str(tmp_path / "dump.json")
    assert run(whole, "snapshot", "save", path).code == 0
    live, saved = run(whole, *words), cli(*words, "--from", path)
    assert (live.code, saved.code) == (0, 0)
    assert saved.out == live.out
    assert "-of-the-tests" not in Path(path).read_text()


def test_what_was_made_in_the_old_version_is_read_in_the_new(whole: ControlPlane) -> None:
    name = "kinds-old"
    resources = [{"name": "cpu", "nominalQuota": "3"}]
    groups = [{"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": resources}]}]
    body = {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {"cohort": name, "namespaceSelector": {}, "resourceGroups": groups},
    }
    with whole.client() as client:
        create(client, "/apis/kueue.x-k8s.io/v1beta1/clusterqueues", body)
        try:
            (found,) = [
                one
                for one in json.loads(run(whole, "list", "cq", "-o", "json").out)["items"]
                if one["metadata"]["name"] == name
            ]
            assert (found["apiVersion"], found["spec"]["cohortName"]) == ("kueue.x-k8s.io/v1beta2", name)
            assert f"cohort {name}" in run(whole, "tree", name).out
        finally:
            send(client, "DELETE", f"{scene.ROOT}/clusterqueues/{name}")


def test_watching_sees_what_changes(whole: ControlPlane) -> None:
    name = "kinds-watched"
    looks = []

    def sleep(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2:
            raise KeyboardInterrupt
        spec = {"namespaceSelector": {}, "resourceGroups": [making.group({"default": 1})]}
        body = making.kueue("ClusterQueue", name, spec)
        with whole.client() as client:
            create(client, f"{scene.ROOT}/clusterqueues", body)

    try:
        found = run(whole, "top", "clusterqueues", "-w", sleep=sleep)
    finally:
        with whole.client() as client:
            send(client, "DELETE", f"{scene.ROOT}/clusterqueues/{name}")
    assert found.code == 130
    assert "Traceback" not in found.err
    first, _, second = found.out.rpartition("NAME") if "NAME" in found.out else found.out.rpartition("CLUSTERQUEUE")
    assert name in second
    assert name not in first
