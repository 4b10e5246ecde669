"""Cohorts far below each other: every command goes through, and what is not read is said."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kueuectl.model.queues import MAX_COHORT_LEVELS
from tests.cli.harness import NOW, cli

V1BETA2 = "kueue.x-k8s.io/v1beta2"
LEVELS = 1500


@pytest.fixture(autouse=True)
def _limit_of_calls() -> Iterator[None]:
    """Deep trees raise Python's limit for the rest of the process."""
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


def obj(kind: str, name: str, *, namespace: str = "", **fields: Any) -> dict[str, Any]:
    """An object of Kueue."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": V1BETA2, "kind": kind, "metadata": metadata, **fields}


def groups(cpu: str) -> list[dict[str, Any]]:
    """One flavor with quota for cpu."""
    quota = [{"name": "cpu", "nominalQuota": cpu}]
    return [{"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": quota}]}]


def dump(path: Path, levels: int) -> str:
    """A queue so many cohorts below the one that has quota, a workload that borrows from there, one that waits."""
    pods = [{"name": "c", "resources": {"requests": {"cpu": "6"}}}]
    spec = {"queueName": "jobs", "podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": pods}}}]}
    given = {"name": "main", "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": "6"}, "count": 1}
    status = {
        "admission": {"clusterQueue": "queue", "podSetAssignments": [given]},
        "conditions": [{"type": kind, "status": "True", "reason": kind} for kind in ("QuotaReserved", "Admitted")],
    }
    preemption = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    shared = {"namespaceSelector": {}, "preemption": preemption}
    items = [
        *(obj("Cohort", f"c{level}", spec={"parentName": f"c{level + 1}"}) for level in range(levels - 1)),
        obj("Cohort", f"c{levels - 1}", spec={"resourceGroups": groups("7")}),
        obj("ClusterQueue", "queue", spec={"cohortName": "c0", "resourceGroups": groups("1"), **shared}),
        obj("ClusterQueue", "other", spec={"cohortName": "c1", "resourceGroups": groups("1"), **shared}),
        obj("ResourceFlavor", "default", spec={}),
        obj("LocalQueue", "jobs", namespace="team-a", spec={"clusterQueue": "queue"}),
        obj("LocalQueue", "jobs", namespace="team-b", spec={"clusterQueue": "other"}),
        obj("Workload", "runs", namespace="team-a", spec=spec, status=status),
        obj("Workload", "waits", namespace="team-b", spec=spec),
    ]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), "utf-8")
    return str(path)


@pytest.mark.parametrize("fair", [False, True], ids=["classical", "fair"])
@pytest.mark.parametrize(
    ("argv", "want"),
    [
        (("explain", "workload/waits"), "3 more cpu needed in flavor default of ClusterQueue other"),
        (("explain", "cohort/c0"), "Cohort c0: ACTIVE"),
        (("preempt", "--for", "team-b/waits"), "team-b/waits"),
        (("tree",), f"cohort c{LEVELS - 1}"),
        (("shares",), "queue"),
        (("top", "cohorts"), "c0"),
        (("queue", "other"), "waits"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else "",
)
def test_a_deep_tree_is_no_matter(tmp_path: Path, argv: tuple[str, ...], want: str, fair: bool) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n" + ("fairSharing: {}\n" if fair else "")
    )
    found = cli(*argv, "--from", dump(tmp_path / "dump.json", LEVELS), "--now", NOW, "--kueue-config", str(config))
    assert found.code == 0
    assert "Error" not in found.err
    assert want in found.out


def test_a_tree_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    path = dump(tmp_path / "dump.json", MAX_COHORT_LEVELS + 1)
    found = cli("tree", "--from", path, "--now", NOW)
    assert found.code == 1
    assert found.err.startswith(
        f"Error: {path}: Cohort c0: spec.parentName: is more than {MAX_COHORT_LEVELS} levels below the root"
    )


def test_a_long_cycle_is_told_by_its_ends(tmp_path: Path) -> None:
    items = [obj("Cohort", f"c{n}", spec={"parentName": f"c{(n + 1) % 100}"}) for n in range(100)]
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), "utf-8")
    found = cli("tree", "--from", str(path), "--now", NOW)
    assert found.err == (
        f"Error: {path}: Cohort c0: spec.parentName: cohorts form a cycle: "
        "c0 -> c1 -> c2 -> c3 -> c4 -> c5 -> ... -> c95 -> c96 -> c97 -> c98 -> c99 -> c0\n"
        "Hint: take the parentName of one of them away\n"
    )
