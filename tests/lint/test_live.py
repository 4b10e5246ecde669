"""Lint on a live cluster: what is not there is missing, what may not be read is not, manifests meet the cluster."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from tests.cli.conftest import fake, live
from tests.cli.harness import Result, cli
from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer
from tests.lint.build import queue

__all__ = ["fake", "live"]


def found(result: Result) -> set[tuple[str, str]]:
    return {(item["code"], item["name"]) for item in json.loads(result.out)["items"]}


def lacking(result: Result) -> dict[str, str]:
    return {entry["kind"]: entry["reason"] for entry in json.loads(result.out)["notChecked"]}


def test_a_cluster_without_nodes_has_none(live: Live) -> None:
    result = live("lint", "-o", "json")
    assert result.code == 0, result.err
    assert lacking(result) == {}
    assert ("QUEUE_STOPPED", "lab") in found(result)


def test_what_may_not_be_read_is_said_and_no_finding(live: Live, fake: FakeServer) -> None:
    whole = found(live("lint", "-o", "json"))
    fake.forbidden = {"resourceflavors", "nodes", "localqueues"}
    result = live("lint", "-o", "json")
    assert result.code == 0, result.err
    assert found(result) < whole
    assert lacking(result) == {"LocalQueue": "forbidden", "ResourceFlavor": "forbidden"}


def test_manifests_meet_the_cluster(live: Live, tmp_path: Path) -> None:
    path = tmp_path / "queue.yaml"
    path.write_text(yaml.safe_dump(queue("new", {"gone": {"cpu": "1"}})), "utf-8")
    result = live("lint", "-f", str(path), "-o", "json")
    assert result.code == 1
    assert found(result) == {("FLAVOR_MISSING", "new"), ("QUEUE_WITHOUT_DOOR", "new")}
    assert live("lint", "-f", str(path), "--alone").code == 0


def test_a_cluster_that_does_not_answer_is_an_error_that_says_how_to_do_without(tmp_path: Path) -> None:
    path = tmp_path / "queue.yaml"
    path.write_text(yaml.safe_dump(queue("new", {"gone": {"cpu": "1"}})), "utf-8")
    result = cli("lint", "-f", str(path), "--server", "http://127.0.0.1:9")
    assert (result.code, result.out) == (5, "")
    assert result.err.endswith("Hint: --alone judges the files without a cluster\n")
