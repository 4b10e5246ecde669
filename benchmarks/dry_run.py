"""A dry run of one quota change against reading the dump: python -m benchmarks.dry_run [--workloads N] [--queues N]

The state is one that Kueue could have made: quota is handed out within nominal, the rest waits. Trees of eight
ClusterQueues (`--tree-size`); the change halves a quota of one ClusterQueue. Both sides are CPU seconds of the same
process, reading first; a dry run is everything after it, up to the printed answer. Exits with 1 above the limit.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import generate

LIMIT = 3.0
SIZE = {"cpu": 256, "memory": 2048, "example.com/gpu": 32}


def scene(chance: random.Random, queues: int, tree_size: int) -> Iterator[dict[str, Any]]:
    """Flavors, cohorts, queues with equal quota in each flavor, and their doors."""
    for flavor in generate.FLAVORS:
        spec = {"nodeLabels": {"pool": flavor}}
        meta = generate.meta(chance, flavor)
        yield {"apiVersion": generate.KUEUE, "kind": "ResourceFlavor", "metadata": meta, "spec": spec}
    for one in generate.scene(chance, queues):
        if one["kind"] in ("Namespace", "LocalQueue"):
            yield one
        elif one["kind"] == "ClusterQueue":
            number = int(one["metadata"]["name"].rpartition("-")[2])
            one["spec"]["cohortName"] = f"division-{number // tree_size}"
            for row in one["spec"]["resourceGroups"][0]["flavors"]:
                for entry in row["resources"]:
                    size = SIZE[entry["name"]]
                    entry["nominalQuota"] = f"{size}Gi" if entry["name"] == "memory" else str(size)
            yield one


def workloads(chance: random.Random, count: int, queues: int) -> Iterator[dict[str, Any]]:
    """Workloads; each gets quota of the first flavor of its queue that has some left, else it waits."""
    used: dict[tuple[str, str], dict[str, int]] = {}
    for index in range(count):
        one = generate.workload(chance, index, queues)
        pod_set = one["spec"]["podSets"][0]
        requests = pod_set["template"]["spec"]["containers"][0]["resources"]["requests"]
        queue = one["metadata"]["namespace"]
        usage = {name: int(str(value).removesuffix("Gi")) * pod_set["count"] for name, value in requests.items()}
        one["status"] = {}
        for flavor in generate.FLAVORS:
            held = used.setdefault((queue, flavor), dict.fromkeys(SIZE, 0))
            if all(held[name] + amount <= SIZE[name] for name, amount in usage.items()):
                for name, amount in usage.items():
                    held[name] += amount
                one["status"] = admitted(chance, queue, flavor, usage=usage, count=pod_set["count"])
                break
        yield one


def admitted(chance: random.Random, queue: str, flavor: str, *, usage: dict[str, int], count: int) -> dict[str, Any]:
    """The status of a workload that runs."""
    amounts = {name: f"{value}Gi" if name == "memory" else str(value) for name, value in usage.items()}
    assignment = {"count": count, "flavors": dict.fromkeys(usage, flavor), "name": "main", "resourceUsage": amounts}
    reserved = ("QuotaReserved", f"Quota reserved in ClusterQueue {queue}")
    return {
        "admission": {"clusterQueue": queue, "podSetAssignments": [assignment]},
        "conditions": [
            generate.condition(chance, "QuotaReserved", "True", reserved),
            generate.condition(chance, "Admitted", "True", ("Admitted", "The workload is admitted")),
        ],
    }


def write(path: Path, *, count: int, queues: int, tree_size: int, seed: int) -> None:
    """The dump as one List."""
    chance = random.Random(seed)
    saved = '"annotations":{"kueuectl.io/saved-at":"2026-11-29T12:00:00Z"}'
    with path.open("w", encoding="utf-8") as out:
        out.write(f'{{"apiVersion":"v1","kind":"List","metadata":{{{saved}}},"items":[')
        number = 0
        for part in (scene(chance, queues, tree_size), workloads(chance, count, queues)):
            for item in part:
                out.write(("," if number else "") + json.dumps(item, separators=(",", ":")))
                number += 1
        out.write("]}\n")


def measure(path: str) -> None:
    """One process: read, then run; prints both in CPU seconds, and the first lines of the answer."""
    from kueuectl.cli.frame import changing, output
    from kueuectl.cli.frame.environment import Environment
    from kueuectl.cli.frame.loading import Loaded
    from kueuectl.cli.frame.run import Run
    from kueuectl.report.views import dry_run as view
    from kueuectl.store.load import load

    started = time.process_time()
    dump = load([path], clock=lambda: 0)
    read = time.process_time() - started
    out = io.StringIO()
    run = Run(Environment(stdin=sys.stdin, stdout=out, stderr=sys.stderr))
    run.flags.sources.append(path)
    started = time.process_time()
    loaded = Loaded(dump.state, dump.settings, dump.now)
    wanted = changing.Wanted(sets=["clusterqueue/queue-0000:gpu-a/example.com/gpu.nominal=16"])
    changed = changing.apply(run, loaded, wanted)
    story = changing.story(loaded, changed, wanted, max_rounds=None)
    view.warnings(story.result, loaded.state, loaded.settings)
    output.blocks(run, view.blocks(story, now=loaded.now))
    ran = time.process_time() - started
    rounds = max(ended.rounds for ended in story.result.after.endings)
    print(json.dumps({"read": read, "ran": ran, "rounds": rounds, "said": out.getvalue().splitlines()[:5]}))


def main() -> int:
    """Write a dump, measure in fresh processes, print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--workloads", type=int, default=50_000)
    parser.add_argument("--queues", type=int, default=1_000)
    parser.add_argument("--tree-size", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--measure", metavar="FILE", help=argparse.SUPPRESS)
    found = parser.parse_args()
    if found.measure:
        measure(found.measure)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dump.json"
        write(path, count=found.workloads, queues=found.queues, tree_size=found.tree_size, seed=found.seed)
        command = [sys.executable, "-m", "benchmarks.dry_run", "--measure", str(path)]
        results = [json.loads(subprocess.check_output(command)) for _ in range(found.runs)]
    read = statistics.median(result["read"] for result in results)
    ran = statistics.median(result["ran"] for result in results)
    print("\n".join(results[0]["said"]))
    print(f"{found.workloads} workloads, {found.queues} ClusterQueues, trees of {found.tree_size}")
    print(f"reading {read:.2f} s, dry run {ran:.2f} s CPU ({results[0]['rounds']} rounds): {ran / read:.2f} times")
    return 0 if ran <= LIMIT * read else 1


if __name__ == "__main__":
    sys.exit(main())
