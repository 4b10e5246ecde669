"""A dry run of one quota change against reading the dump: python -m benchmarks.dry_run [--workloads N] [--queues N]

The dumps are those of `benchmarks.generate`, once with cohorts of eight ClusterQueues (as in the measurements of
Kueue's own engine) and once with its trees of hundreds. The change takes half of the quota of one ClusterQueue, and its
tree has to be played to the end twice, and once more with parked workloads coming back late; large trees only up to the
limit of rounds. Both sides are CPU seconds of one process: reading first, then everything up to the printed answer.
Exits with 1 when a dry run takes more than three times the reading.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import generate

LIMIT = 3.0
QUEUE, FLAVOR, RESOURCE = "queue-0000", "gpu-a", "example.com/gpu"


def split(whole: Path, target: Path, *, size: int) -> None:
    """The same dump with cohorts of so many ClusterQueues and nothing above them."""
    document = json.loads(whole.read_text("utf-8"))
    items = [item for item in document["items"] if item["kind"] != "Cohort"]
    for number, item in enumerate(item for item in items if item["kind"] == "ClusterQueue"):
        item["spec"]["cohortName"] = f"team-{number // size}"
    document["items"] = items
    target.write_text(json.dumps(document, separators=(",", ":")), "utf-8")


def measure(path: str) -> dict[str, Any]:
    """Read, then run; both in CPU seconds, and the first lines of the answer."""
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
    groups = dump.state.cluster_queues[QUEUE].resource_groups
    (quota,) = (
        entry.nominal
        for group in groups
        for row in group.flavors
        for entry in row.resources
        if (row.name, entry.name) == (FLAVOR, RESOURCE)
    )
    wanted = changing.Wanted(sets=[f"clusterqueue/{QUEUE}:{FLAVOR}/{RESOURCE}.nominal={quota // 2}"])
    changed = changing.apply(run, loaded, wanted)
    story = changing.story(loaded, changed, wanted, max_rounds=None)
    view.warnings(story.result, loaded.state, loaded.settings)
    output.blocks(run, view.blocks(story, now=loaded.now))
    ran = time.process_time() - started
    ended = story.result.after.endings[0]
    return {
        "read": read,
        "ran": ran,
        "rounds": ended.rounds,
        "end": ended.kind,
        "said": out.getvalue().splitlines()[:3],
    }


def report(path: Path, title: str, *, runs: int) -> bool:
    """Measure in fresh processes and print; whether it is fast enough."""
    command = [sys.executable, "-m", "benchmarks.dry_run", "--measure", str(path)]
    results = [json.loads(subprocess.check_output(command)) for _ in range(runs)]
    read = statistics.median(result["read"] for result in results)
    ran = statistics.median(result["ran"] for result in results)
    first = results[0]
    print(f"{title}: reading {read:.2f} s, dry run {ran:.2f} s CPU: {ran / read:.2f} times")
    print(f"    {first['end']} after {first['rounds']} rounds; {first['said'][-1]}")
    return bool(ran <= LIMIT * read)


def main() -> int:
    """Write the dumps, measure, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--workloads", type=int, default=50_000)
    parser.add_argument("--queues", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--measure", metavar="FILE", help=argparse.SUPPRESS)
    found = parser.parse_args()
    if found.measure:
        print(json.dumps(measure(found.measure)))
        return 0
    print(f"{found.workloads} workloads, {found.queues} ClusterQueues")
    with tempfile.TemporaryDirectory() as folder:
        whole, small = Path(folder) / "whole.json", Path(folder) / "small.json"
        generate.write(whole, workloads=found.workloads, queues=found.queues, seed=found.seed)
        split(whole, small, size=8)
        fast = [report(small, "cohorts of 8", runs=found.runs)]
        fast.append(report(whole, f"trees of {generate.DIVISION * generate.REGION}", runs=found.runs))
    return 0 if all(fast) else 1


if __name__ == "__main__":
    sys.exit(main())
