"""`get` and `describe` without kubectl: tables of the server or our own, raw objects, what isn't there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kueuectl.report.views import described
from tests.cli.harness import cli, teams
from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault

ROOT = "/apis/kueue.x-k8s.io/v1beta2"
HEAD = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue"}

TABLE = {
    "kind": "Table",
    "apiVersion": "meta.k8s.io/v1",
    "metadata": {"resourceVersion": "7"},
    "columnDefinitions": [
        {"name": "Name", "priority": 0},
        {"name": "Cohort", "priority": 0},
        {"name": "Strategy", "priority": 1},
        {"name": "Pending Workloads", "priority": 0},
    ],
    "rows": [
        {
            "cells": ["research", "all", "StrictFIFO", 3],
            "object": {"metadata": {"name": "research", "uid": "1", "labels": {"team": "a"}}},
        },
        {"cells": ["\x1b[31mserving", None, None, 0], "object": {"metadata": {"name": "serving", "uid": "2"}}},
    ],
}


def served(document: dict[str, Any]) -> Fault:
    """An answer to every request for ClusterQueues."""
    return Fault(f"{ROOT}/clusterqueues", body=json.dumps(document).encode())


def test_the_servers_own_table_is_shown(live: Live, fake: FakeServer) -> None:
    fake.faults.append(served(TABLE))
    assert live("get", "cq").out == (
        "NAME              COHORT   PENDING WORKLOADS\nresearch          all      3\n\\x1b[31mserving            0\n"
    )
    wide = live("get", "cq", "-o", "wide", "--show-labels", "--no-headers").out
    assert wide.splitlines()[0].split() == ["research", "all", "StrictFIFO", "3", "team=a"]
    (*_, sent) = [seen for seen in fake.seen if seen.path == f"{ROOT}/clusterqueues"]
    assert "as=Table" in sent.headers["Accept"]


def test_titles_and_odd_objects_do_no_harm(live: Live, fake: FakeServer) -> None:
    fake.faults.append(served({**TABLE, "columnDefinitions": [{"name": "a\x1b[2J"}]}))
    assert live("get", "cq").out.splitlines()[0] == "A\\x1b[2J"
    head = "- {apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort"
    odd = f"{head}}}\n{head}, metadata: {{name: a, labels: [b]}}}}\n"
    done = cli("get", "cohort", "-o", "name", "--from", "-", stdin=f"kind: List\napiVersion: v1\nitems:\n{odd}")
    assert (done.code, done.out) == (0, "cohort.kueue.x-k8s.io/a\n")


def test_pages_of_a_table_are_joined(live: Live, fake: FakeServer) -> None:
    first = {**TABLE, "metadata": {"continue": "token-1"}, "rows": TABLE["rows"][:1]}  # type: ignore[index]
    second = {**TABLE, "rows": TABLE["rows"][1:]}  # type: ignore[index]
    fake.faults.append(Fault("continue=token-1", body=json.dumps(second).encode()))
    fake.faults.append(served(first))
    assert len(live("get", "cq").out.splitlines()) == 3


def test_without_a_table_the_columns_are_kueues(live: Live) -> None:
    out = live("get", "cq,lq", "-A").out
    queues, local = out.split("\n\n")
    assert queues.splitlines()[0].split() == ["NAME", "COHORT", "PENDING", "WORKLOADS"]
    assert "clusterqueue.kueue.x-k8s.io/training" in queues
    head = ["NAMESPACE", "NAME", "CLUSTERQUEUE", "PENDING", "WORKLOADS", "ADMITTED", "WORKLOADS"]
    assert local.splitlines()[0].split() == head


def test_raw_objects_come_as_they_are(live: Live) -> None:
    one = json.loads(live("get", "cq/training", "-o", "json").out)
    assert (one["kind"], one["metadata"]["name"]) == ("ClusterQueue", "training")
    listed = json.loads(live("get", "cq", "-o", "json").out)
    assert listed["kind"] == "List"
    assert one in listed["items"]
    assert live("get", "cq", "training", "-o", "name").out == "clusterqueue.kueue.x-k8s.io/training\n"
    assert live("get", "cq/training", "-o", "jsonpath={.metadata.name}").out == "training"
    assert "training" in live("get", "cq", "-o", "custom-columns=N:.metadata.name").out


def test_a_dump_is_read_the_same_way() -> None:
    done = teams("get", "cq", "training")
    assert (done.code, done.out.splitlines()[0].split()[0]) == (0, "NAME")
    assert json.loads(teams("get", "cq", "training", "-o", "json").out)["metadata"]["name"] == "training"
    assert "Name:         training\n" in teams("describe", "cq", "training").out


@pytest.mark.parametrize(
    ("line", "code", "want"),
    [
        ("get cq nobody", 3, 'clusterqueues.kueue.x-k8s.io "nobody" not found'),
        ("get lq nobody -n team-a -o json", 3, 'localqueues.kueue.x-k8s.io "nobody" not found'),
        ("get node", 2, "unknown type 'node'"),
        ("get pods/a", 2, "unknown type 'pods'"),
        ("get", 2, "missing argument 'KIND/NAME...'"),
        ("get cq training -l a=b", 2, "name cannot be provided when a selector is specified"),
        ("get wl a -A", 2, "a resource cannot be retrieved by name across all namespaces"),
        ("get cq --from example:four-tenants -w", 2, "--watch needs a cluster"),
        ("describe cq nobody", 3, 'clusterqueues.kueue.x-k8s.io "nobody" not found'),
        ("describe node a", 2, "unknown type 'node'"),
    ],
)
def test_what_can_not_be_shown_is_an_error(live: Live, line: str, code: int, want: str) -> None:
    result = live(*line.split())
    assert (result.code, result.out) == (code, ""), result.err
    assert want.lower() in result.err.lower()


def test_nothing_found_is_said_beside_the_answer(live: Live) -> None:
    done = live("get", "lq", "-n", "nowhere")
    assert (done.code, done.out, done.err) == (0, "", "No resources found in nowhere namespace.\n")
    assert live("get", "cq", "-l", "no=where").err == "No resources found\n"
    done = live("get", "cq", "nobody", "--ignore-not-found")
    assert (done.code, done.err) == (0, "")


def test_a_watch_prints_rows_that_changed(live: Live) -> None:
    rounds = []

    def sleep(seconds: float) -> None:
        rounds.append(seconds)
        if len(rounds) == 3:
            raise KeyboardInterrupt
        if len(rounds) == 2:
            live("patch", "cq", "training", "-p", '{"metadata": {"labels": {"a": "b"}}}')

    before = len(live("get", "cq").out.splitlines())
    done = live("get", "cq", "-w", sleep=sleep)
    assert done.code == 130
    assert len(done.out.splitlines()) == before + 1
    assert done.out.splitlines()[-1].split()[0] == "training"


def test_a_description_has_the_layout_of_kubectl() -> None:
    item = {
        **HEAD,
        "metadata": {"name": "a", "labels": {"b": "1", "a": "2"}, "uid": "x", "managedFields": [{}]},
        "spec": {
            "cohortName": "all",
            "namespaceSelector": {},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "f", "nvidia.com/gpu": None}]}],
        },
    }
    assert list(described.lines(item, [], now=0)) == [
        "Name:         a",
        "Namespace:    ",
        "Labels:       a=2",
        "              b=1",
        "Annotations:  <none>",
        "API Version:  kueue.x-k8s.io/v1beta2",
        "Kind:         ClusterQueue",
        "Metadata:",
        "  UID:  x",
        "Spec:",
        "  Cohort Name:  all",
        "  Namespace Selector:",
        "  Resource Groups:",
        "    Covered Resources:",
        "      cpu",
        "    Flavors:",
        "      Name:            f",
        "      nvidia.com/gpu:  <nil>",
        "Events:                <none>",
    ]


def test_events_come_last_the_oldest_first(live: Live, fake: FakeServer) -> None:
    def event(name: str, last: str, **more: Any) -> dict[str, object]:
        return {
            "metadata": {"name": name, "namespace": "default"},
            "type": "Normal",
            "reason": "Pending",
            "lastTimestamp": last,
            "message": f"it is\x1b {name}",
            "source": {"component": "kueue-admission"},
            **more,
        }

    body = {
        "kind": "EventList",
        "apiVersion": "v1",
        "metadata": {},
        "items": [
            event("second", "2026-11-29T11:59:00Z", count=2, firstTimestamp="2026-11-29T11:00:00Z"),
            event("first", "2026-11-29T11:58:30Z"),
        ],
    }
    fake.faults.append(Fault("/api/v1/events", body=json.dumps(body).encode()))
    done = live("describe", "cq", "training")
    assert done.out.splitlines()[-5:] == [
        "Events:",
        "  Type    Reason   Age                From             Message",
        "  ----    ------   ----               ----             -------",
        "  Normal  Pending  90s                kueue-admission  it is\\x1b first",
        "  Normal  Pending  60s (x2 over 60m)  kueue-admission  it is\\x1b second",
    ]
    (sent,) = [seen for seen in fake.seen if seen.path == "/api/v1/events"]
    assert sent.query["fieldSelector"].startswith("involvedObject.kind=ClusterQueue,involvedObject.name=training")


def test_events_that_may_not_be_read_are_unknown(live: Live, fake: FakeServer) -> None:
    fake.faults.append(Fault("/api/v1/events", status=403))
    done = live("describe", "cq", "training")
    assert done.code == 0
    assert done.out.splitlines()[-1].split() == ["Events:", "<unknown>"]
    assert "no events are shown" in done.err


def test_a_start_of_a_name_describes_what_begins_so(live: Live) -> None:
    out = live("describe", "cq", "train", "--show-events=false").out
    assert "Name:         training" in out
    assert "Events:" not in out


def test_several_are_described_without_events(live: Live, fake: FakeServer) -> None:
    out = live("describe", "cq").out
    assert out.count("\n\n\nName:") == 2
    assert "Events:" not in out
    assert fake.count(r".*/events") == 0
    assert live("describe", "cq", "--show-events=true").out.count("Events:") == 3


def passed(*args: str, variables: dict[str, str], **options: Any) -> list[str]:
    """What kubectl is started with."""
    found: list[list[str]] = []

    def execute(path: str, argv: list[str], _: dict[str, str]) -> None:
        found.append(argv)

    done = cli(*args, variables=variables, execute=execute, **options)
    assert done.code == 0, done.err
    return found[0]


@pytest.fixture
def kubectl(tmp_path: Any) -> dict[str, str]:
    """A PATH with a kubectl on it."""
    program = tmp_path / "kubectl"
    program.write_text("#!/bin/sh\nexit 7\n")
    program.chmod(0o755)
    return {"PATH": str(tmp_path)}


FULL = "clusterqueues.kueue.x-k8s.io"


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("get cq", f"get {FULL}"),
        ("get CQ a b -o wide -w", f"get {FULL} a b -o wide -w"),
        ("get -o wide cq", f"get -o wide {FULL}"),
        ("get --sort-by .a cq", f"get --sort-by .a {FULL}"),
        ("get cq,wl -A", f"get {FULL},workloads.kueue.x-k8s.io -A"),
        ("get cq/a lq/b", f"get {FULL}/a localqueues.kueue.x-k8s.io/b"),
        ("get wl -n wl wl", "get workloads.kueue.x-k8s.io -n wl wl"),
        ("-n team-a get lq", "--namespace=team-a get localqueues.kueue.x-k8s.io"),
        (
            "--context c --as a --as-group b --as-group c get cq",
            f"--context=c --as=a --as-group=b --as-group=c get {FULL}",
        ),
        ("describe -f file", "describe -f file"),
        ("edit cq a", f"edit {FULL} a"),
        ("patch cq a --type merge -p {}", f"patch {FULL} a --type merge -p {{}}"),
        ("patch cq a --dry-run server -p {}", f"patch {FULL} a --dry-run=server -p {{}}"),
        ("delete cq a --wait false b", f"delete {FULL} a --wait=false b"),
        ("delete cq a -y --cascade orphan", f"delete {FULL} a --cascade=orphan"),
        ("delete cq/a", f"delete {FULL} a"),
        ("delete topo --all", "delete topologies.kueue.x-k8s.io --all"),
    ],
)
def test_kubectl_takes_over_where_it_is_installed(kubectl: dict[str, str], line: str, want: str) -> None:
    assert passed(*line.split(), variables=kubectl) == ["kubectl", *want.split()]


def test_a_flag_that_stands_alone_takes_no_kind_for_its_value(kubectl: dict[str, str]) -> None:
    words = passed("get", "--allow-missing-template-keys", "cq", "--template", "{{.x}}", variables=kubectl)
    assert words[1:] == ["get", "--allow-missing-template-keys=true", FULL, "--template", "{{.x}}"]


def test_an_unknown_kind_is_refused_before_kubectl_is_started(kubectl: dict[str, str]) -> None:
    done = cli("get", "pods", variables=kubectl)
    assert (done.code, done.out) == (2, "")
    assert "unknown type 'pods'" in done.err


def test_dumps_and_help_are_never_passed_on(kubectl: dict[str, str]) -> None:
    for line in ("get cq --from example:four-tenants", "--from example:four-tenants describe cq", "get --help"):
        done = cli(*line.split(), variables=kubectl)
        assert (done.code, bool(done.out)) == (0, True), done.err
    done = cli("delete", "cq", "a", "--from", "example:four-tenants", variables=kubectl)
    assert (done.code, "a dump can't be written to" in done.err) == (2, True)


def test_the_exit_code_of_kubectl_is_ours(kubectl: dict[str, str]) -> None:
    import os
    import subprocess
    import sys

    environment = {**os.environ, "PATH": f"{kubectl['PATH']}:{os.environ['PATH']}"}
    assert subprocess.run([sys.executable, "-m", "kueuectl", "get", "cq"], env=environment, check=False).returncode == 7
