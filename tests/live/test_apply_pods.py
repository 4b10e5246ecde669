"""Evictions where pods run: Kueue stops them, and only then their quota is free."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import cli
from tests.live import build, making, scene
from tests.live.controlplane import create, items
from tests.live.pods import PodsPlane

TEAM = "team-a"
NEVER = {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}


def wait(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.2)


def test_running_pods_are_stopped_and_the_waiting_job_runs(
    built: build.Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plane = PodsPlane(tmp_path / "cluster", built)
    try:
        plane.start()
        with plane.client() as client:
            scene.install(plane, client)
            create(client, "/api/v1/namespaces", {"metadata": {"name": TEAM}})
            for one in (*making.shared(), *making.queue("main", preemption=NEVER)):
                named = json.loads(json.dumps(one).replace("~-", "").replace("~", "all"))
                create(client, making.path(one["kind"], TEAM), named)

            def running() -> dict[str, str]:
                found = items(client, f"/api/v1/namespaces/{TEAM}/pods")
                return {
                    one["metadata"]["labels"]["job-name"]: one["metadata"]["name"]
                    for one in found
                    if one["status"].get("phase") == "Running" and not one["metadata"].get("deletionTimestamp")
                }

            def workload(job: str) -> dict[str, Any]:
                found = items(client, making.path("Workload", TEAM))
                return next((one for one in found if one["metadata"]["ownerReferences"][0]["name"] == job), {})

            for name in ("low-1", "low-2"):
                create(client, making.path("Job", TEAM), making.job(name, "main", 2, priority="low"))
            wait(lambda: set(running()) == {"low-1", "low-2"})
            create(client, making.path("Job", TEAM), making.job("urgent", "main", 4, priority="high"))
            wait(lambda: "QuotaReserved" in json.dumps(workload("urgent").get("status") or {}))
            # Kueue reports on the pods of the first two for a moment, and a newer version is another victim.
            time.sleep(2)
            names = [workload(job)["metadata"]["name"] for job in ("low-1", "low-2")]
            words = ("preempt", *names, "-n", TEAM, "--apply", "--yes", "--timeout", "60s")
            done = cli(*words, "--kubeconfig", plane.kubeconfig)
            assert done.code == 0, done.err + done.out
            wait(lambda: set(running()) == {"urgent"})
            for job in ("low-1", "low-2"):
                [counter] = workload(job)["status"]["schedulingStats"]["evictions"]
                assert counter["count"] == 1
    finally:
        plane.stop()
