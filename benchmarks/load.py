"""Reading a big dump against a bare orjson.loads of the same bytes: python -m benchmarks.load [FILE] [--runs 5].

Without FILE a dump of 50,000 workloads is generated. Each side runs in a fresh process, by turns, with the garbage
collector off; CPU time is that of the work alone, imports left out. Printed are ratios, and memory: the peak above an
idle interpreter, and what is held for a workload once all is read.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import generate

MIB = 1 << 20

IDLE = """
import json, resource
print(json.dumps({"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))
"""

OTHER = """
import gc, json, sys, time
import orjson
with open(sys.argv[1], "rb") as file:
    text = file.read()
gc.disable()
start = time.process_time()
found = orjson.loads(text)
print(json.dumps({"cpu": time.process_time() - start}))
sys.stdout.flush()
import os
os._exit(0)
"""

OURS = """
import gc, json, os, resource, sys, time
from kueuectl.store.load import load

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

gc.disable()
before = resident()
start = time.process_time()
found = load([sys.argv[1]], clock=lambda: 0)
cpu = time.process_time() - start
held = (resident() - before) / max(1, len(found.state.workloads))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"cpu": cpu, "peak": peak, "held": held, "workloads": len(found.state.workloads)}))
sys.stdout.flush()
os._exit(0)
"""


def run(code: str, *arguments: str) -> dict[str, float]:
    """What a fresh process prints as JSON."""
    found = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    numbers: dict[str, float] = json.loads(found.stdout)
    return numbers


def measure(path: Path, *, runs: int) -> None:
    """Run both sides by turns and print what came out."""
    ours, other = [], []
    for _ in range(runs):
        ours.append(run(OURS, str(path)))
        other.append(run(OTHER, str(path)))
    idle = run(IDLE)["peak"]
    print(f"{path.stat().st_size / MIB:.0f} MiB, {ours[0]['workloads']:.0f} workloads, {runs} runs, CPU seconds")
    for name, pick in (("best", min), ("median", statistics.median)):
        mine, bare = pick([entry["cpu"] for entry in ours]), pick([entry["cpu"] for entry in other])
        print(f"{name:8} load {mine:.2f}  orjson.loads {bare:.2f}  ratio {mine / bare:.2f}")
    print(f"peak above an idle interpreter {(max(entry['peak'] for entry in ours) - idle) / MIB:.0f} MiB")
    print(f"held for a workload {max(entry['held'] for entry in ours):.0f} bytes")


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--workloads", type=int, default=50_000)
    found = parser.parse_args()
    if found.file is not None:
        measure(found.file, runs=found.runs)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dump.json"
        generate.write(path, workloads=found.workloads, queues=max(1, found.workloads // 50), seed=1)
        measure(path, runs=found.runs)


if __name__ == "__main__":
    main()
