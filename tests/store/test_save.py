"""Dumps are cut down, hold no secrets, and read back as they were."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from kueuectl import times
from kueuectl.errors import KueuectlError
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.store import examples, raw, save
from kueuectl.store.load import Loaded, load

V1BETA1, V1BETA2 = "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"
SECRET = "do-not-tell"
AT = times.parse("2026-11-29T17:00:00Z")
SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def meta(name: str, **more: Any) -> dict[str, Any]:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": SECRET, "note": "kept"}
    return {"name": name, "namespace": "team-a", "annotations": annotations, "managedFields": [{"x": SECRET}], **more}


CONTAINER = {
    "name": "c",
    "image": SECRET,
    "args": [SECRET],
    "command": [SECRET],
    "env": [{"name": "TOKEN", "value": SECRET}],
    "resources": {"requests": {"cpu": "1"}},
}
CONFIG = f"""
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {{}}
multiKueue: {{clusterProfile: {{accessProviders: [{{name: p, execConfig: {{env: [{{name: T, value: {SECRET}}}]}}}}]}}}}
"""
OBJECTS: list[dict[str, Any]] = [
    {"apiVersion": "v1", "kind": "Secret", "metadata": meta("s"), "data": {"token": SECRET}},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("other"), "data": {"key": SECRET}},
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": meta("jobset-manager-config"),
        "data": {"controller_manager_config.yaml": f"apiVersion: config.jobset.x-k8s.io/v1\nx: {SECRET}"},
    },
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": meta("kueue-manager-config"),
        "data": {"controller_manager_config.yaml": CONFIG, "more": SECRET},
    },
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": meta("kueue-controller-manager"),
        "spec": {
            "template": {
                "spec": {"containers": [{**CONTAINER, "args": [SECRET, "--feature-gates=PriorityBoost=true"]}]}
            }
        },
    },
    {
        "apiVersion": V1BETA1,
        "kind": "Workload",
        "metadata": meta("w"),
        "spec": {
            "priorityClassName": "p",
            "priorityClassSource": "kueue.x-k8s.io/workloadpriorityclass",
            "podSets": [
                {
                    "name": "main",
                    "count": 2,
                    "template": {
                        "metadata": meta("", labels={"a": "b"}),
                        "spec": {
                            "containers": [CONTAINER],
                            "initContainers": [{**CONTAINER, "restartPolicy": "Always"}],
                            "volumes": [{"name": SECRET}],
                            "nodeSelector": {"pool": "x"},
                        },
                    },
                }
            ],
        },
    },
    {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta("j"),
        "spec": {"suspend": True, "template": {"spec": {"containers": [CONTAINER]}}},
        "status": {"conditions": [{"type": "Suspended", "status": "True"}], "uncounted": SECRET},
    },
    {
        "apiVersion": "kubeflow.org/v1",
        "kind": "MPIJob",
        "metadata": meta("m"),
        "spec": {"runPolicy": {"suspend": False, "x": SECRET}},
    },
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta("p"),
        "spec": {"nodeName": "n1", "containers": [CONTAINER], "schedulingGates": [{"name": "g"}], "volumes": SECRET},
        "status": {"phase": "Running", "podIP": SECRET},
    },
    {"apiVersion": "v1", "kind": "Pod", "metadata": meta("odd"), "spec": {"containers": SECRET}},
    {
        "apiVersion": V1BETA2,
        "kind": "ClusterQueue",
        "metadata": {"name": "q"},
        "spec": {"namespaceSelector": {}, "cohortName": "c"},
    },
]


def saved(objects: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    save.write(out, objects, saved_at=AT, version="1.2.3")
    return out.getvalue()


def read(text: bytes) -> Loaded:
    return load(["-"], stdin=io.BytesIO(text), clock=lambda: 1)


def state(loaded: Loaded) -> ClusterState:
    return replace(loaded.state, warnings=())


def test_no_secret_reaches_a_dump() -> None:
    text = saved(OBJECTS)
    assert SECRET not in text.decode()
    assert b"kept" in text


def test_a_dump_reads_back_as_it_was() -> None:
    before = read(json.dumps({"apiVersion": "v1", "kind": "List", "items": OBJECTS}).encode())
    after = read(saved(OBJECTS))
    assert state(after) == state(before)
    assert replace(after.settings, source="") == replace(before.settings, source="")
    assert after.settings.fair_sharing is not None
    assert after.settings.gate("PriorityBoost")
    assert after.now == AT


def test_a_pod_keeps_what_it_asks_for() -> None:
    (pod,) = [entry for entry in json.loads(saved(OBJECTS))["items"] if entry["metadata"]["name"] == "p"]
    want = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}
    assert pod["spec"] == {**want, "nodeName": "n1", "schedulingGates": [{"name": "g"}]}


def test_each_object_has_a_line_and_the_list_says_when_it_was_read() -> None:
    lines = saved(OBJECTS).decode().splitlines()
    assert len(lines) == 2 + len(json.loads("\n".join(lines))["items"])
    head = json.loads(lines[0] + "]}")
    want = {"kueuectl.io/saved-at": "2026-11-29T17:00:00Z", "kueuectl.io/version": "1.2.3"}
    assert head["metadata"]["annotations"] == want


@pytest.mark.parametrize("name", examples.names())
def test_every_example_reads_back_as_it_was(name: str) -> None:
    before = load([f"example:{name}"], clock=lambda: 1)
    after = read(saved(list(raw.iterate([f"example:{name}"]))))
    assert state(after) == state(before)


@pytest.mark.skipif(not (SHARED / "dump").is_dir(), reason="../shared/dump is not there")
@pytest.mark.parametrize("name", ["workloads", "workloads-v1beta1", "clusterqueues-v1beta1", "jobs-pods", "nodes"])
def test_a_real_cluster_reads_back_as_it_was(name: str) -> None:
    path = str(SHARED / "dump" / f"{name}.json")
    before = load([path], clock=lambda: 1)
    after = read(saved(list(raw.iterate([path]))))
    assert state(after) == state(before)


def test_a_file_is_there_in_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_text("before")

    def broken() -> Any:
        yield OBJECTS[-1]
        raise KueuectlError("the connection broke")

    with pytest.raises(KueuectlError, match="the connection broke"):
        save.save(str(path), broken(), saved_at=AT, version="1")
    assert path.read_text() == "before"
    assert save.save(str(path), OBJECTS[-1:], saved_at=AT, version="1") == 1
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(KueuectlError, match="cannot be written"):
        save.save(str(tmp_path / "nowhere" / "x.json"), [], saved_at=AT, version="1")
