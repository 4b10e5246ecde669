"""Beside the Go programs, on a real API server: python -m benchmarks.go [--workloads 10000] [--runs 5]

A kube-apiserver with Kueue's kinds is started and filled (some minutes for 10,000 workloads). Then each command runs in
turns with the same command of the Go `kueuectl` of Kueue v0.19.2, lists also with `kubectl get`. What counts is the
best wall time of `--runs`, after one run that warms both. Needs the programs of `python -m tests.live.build`.

Limits: help and completion at most 2 times the Go kueuectl; lists at most 2 times the Go kueuectl and no slower than
kubectl. Exits with 1 when one is broken.
"""

from __future__ import annotations

import argparse
import compileall
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from kueuectl.cluster.client import Client
from tests.live import build
from tests.live.controlplane import ControlPlane, create, send

REPOSITORY = Path(__file__).resolve().parents[1]
ROOT = "/apis/kueue.x-k8s.io/v1beta2"
QUEUES, TEAMS = 20, 40
_THREADS = 8


def kueue(kind: str, name: str, spec: dict[str, Any], namespace: str = "") -> dict[str, Any]:
    """An object of Kueue."""
    inside = {"namespace": namespace} if namespace else {}
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name, **inside}, "spec": spec}


def workload(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A workload and its status; two of three are admitted."""
    team = f"team-{number % TEAMS}"
    requests = {"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": "1"}
    container = {"name": "main", "image": "example.com/trainer", "resources": {"requests": requests}}
    template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
    spec = {"queueName": "main", "podSets": [{"name": "main", "count": 1, "template": template}], "priority": 100}
    item = kueue("Workload", f"job-train-{number:05d}", spec, team)
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": f"train-{number:05d}", "uid": f"uid-{number}"}
    item["metadata"]["ownerReferences"] = [owner | {"controller": True}]
    time_ = "2026-11-29T10:00:00Z"
    if number % 3:
        usage = {"name": "main", "count": 1, "flavors": dict.fromkeys(requests, "default"), "resourceUsage": requests}
        rows = [("QuotaReserved", "True", "QuotaReserved"), ("Admitted", "True", "Admitted")]
        status: dict[str, Any] = {
            "admission": {"clusterQueue": f"queue-{number % QUEUES}", "podSetAssignments": [usage]}
        }
    else:
        rows, status = [("QuotaReserved", "False", "Pending")], {}
    status["conditions"] = [
        {"type": kind, "status": value, "reason": reason, "message": "as written", "lastTransitionTime": time_}
        for kind, value, reason in rows
    ]
    return item, status


def fill(client: Client, count: int) -> None:
    """Queues, namespaces and workloads, as they would be on a full cluster."""
    for number in range(QUEUES):
        quota = [{"name": name, "nominalQuota": "1000"} for name in ("cpu", "memory", "nvidia.com/gpu")]
        flavors = [{"name": "default", "resources": quota}]
        groups = [{"coveredResources": [row["name"] for row in quota], "flavors": flavors}]
        spec = {"cohortName": f"cohort-{number % 4}", "namespaceSelector": {}, "resourceGroups": groups}
        create(client, f"{ROOT}/clusterqueues", kueue("ClusterQueue", f"queue-{number}", spec))
    create(client, f"{ROOT}/resourceflavors", kueue("ResourceFlavor", "default", {}))
    for number in range(TEAMS):
        team = f"team-{number}"
        create(client, "/api/v1/namespaces", {"metadata": {"name": team}})
        door = kueue("LocalQueue", "main", {"clusterQueue": f"queue-{number % QUEUES}"}, team)
        create(client, f"{ROOT}/namespaces/{team}/localqueues", door)

    def write(number: int) -> None:
        item, status = workload(number)
        path = f"{ROOT}/namespaces/{item['metadata']['namespace']}/workloads"
        create(client, path, item)
        patch = {"status": status}
        named = f"{path}/{item['metadata']['name']}/status"
        send(client, "PATCH", named, patch, content_type="application/merge-patch+json")

    with ThreadPoolExecutor(_THREADS) as pool:
        for done, _ in enumerate(pool.map(write, range(count)), start=1):
            if done % 1000 == 0:
                print(f"\r{done} workloads written", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def best(commands: dict[str, list[str]], *, environment: dict[str, str], runs: int) -> dict[str, float]:
    """The best wall seconds of each command, run in turns."""
    found: dict[str, float] = {}
    for turn in range(runs + 1):
        for name, words in commands.items():
            began = time.monotonic()
            done = subprocess.run(words, env=environment, capture_output=True, check=False)
            seconds = time.monotonic() - began
            if done.returncode:
                raise SystemExit(f"{' '.join(words)}: {done.stderr.decode()[-500:]}")
            if turn:
                found[name] = min(seconds, found.get(name, seconds))
    return found


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    built = build.find()
    if built is None:
        print("nothing built: run python -m tests.live.build", file=sys.stderr)
        return 2
    compileall.compile_dir(REPOSITORY / "kueuectl", quiet=1)
    boot = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); from kueuectl.__main__ import main; main()"
    programs = {
        "ours": [sys.executable, "-c", boot],
        "Go kueuectl": [str(built.program("kueuectl"))],
        "kubectl": [str(built.program("kubectl"))],
    }
    with tempfile.TemporaryDirectory(prefix="kueuectl-bench-") as folder:
        plane = ControlPlane(Path(folder) / "cluster", built)
        try:
            plane.start_server()
            with plane.client() as client:
                fill(client, options.workloads)
            environment = {**os.environ, "KUBECONFIG": plane.kubeconfig, "HOME": folder}
            return int(_compare(programs, environment, options.runs))
        finally:
            plane.stop()


def _compare(programs: dict[str, list[str]], environment: dict[str, str], runs: int) -> bool:
    """Print every row; whether one is above its limit."""
    rows: list[tuple[str, list[str], list[str], dict[str, float]]] = [
        ("--help", ["--help"], [], {"Go kueuectl": 2.0}),
        ("complete a word", ["__complete", "list", "cl"], [], {"Go kueuectl": 2.0}),
        ("complete a name", ["__complete", "list", "workload", "-c", ""], [], {"Go kueuectl": 2.0}),
        ("list cq", ["list", "clusterqueue"], ["get", "clusterqueues"], {"Go kueuectl": 2.0}),
        (
            "list workload -A",
            ["list", "workload", "-A"],
            ["get", "workloads.kueue.x-k8s.io", "-A"],
            {"Go kueuectl": 2.0, "kubectl": 1.0},
        ),
    ]
    broken = False
    for title, words, getting, limits in rows:
        commands = {name: [*programs[name], *words] for name in ("ours", "Go kueuectl")}
        if getting:
            commands["kubectl"] = [*programs["kubectl"], *getting]
        slow = "workload -A" in title
        found = best(commands, environment=environment, runs=min(runs, 2) if slow else runs)
        print(f"{title}: ours {found['ours'] * 1000:.0f} ms")
        for name, seconds in found.items():
            if name == "ours":
                continue
            ratio, limit = found["ours"] / seconds, limits.get(name)
            over = limit is not None and ratio > limit
            broken |= over
            shown = "" if limit is None else f" {'>' if over else 'of'} {limit:g}"
            print(f"    {name} {seconds * 1000:.0f} ms: {ratio:.2f}x{shown}", flush=True)
    return broken


if __name__ == "__main__":
    sys.exit(main())
