"""The engine beside Kueue's own scheduler, on the same clusters in one run.

    python -m benchmarks.engine [--rows NAME,...] [--sizes N,...] [--runs N] [--ours]
    python -m benchmarks.engine --plan

Rows are recipes of `tests.generate`, each in three sizes with cohorts of eight ClusterQueues. Both sides play the
cluster to its end, to the detection of a livelock, or to cycle 60, each in a process of its own, one after the other;
what counts is the best of `--runs`. Reading the case is not in the times of either side. An evaluation is one head in
one cycle; both sides make the same ones, since they decide alike.

`--plan`: one search for victims among 900 candidates. Exits with 1 when a row is slower than Kueue, or a plan takes
more than its 20 ms.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kueuectl.engine import snapshot
from kueuectl.engine.nominate import Nominator
from kueuectl.model.settings import FAIR_SHARING_STRATEGIES
from tests import generate
from tests.differential import oracle
from tests.engine import scene
from tests.generate import recipes

FLAGS = ["--requeue", "each", "--quiet", "--no-cycles", "--max-cycles", "60"]
# Workloads and ClusterQueues. Full clusters have half as many workloads again, of which about half hold quota.
SIZES = ((1_000, 30), (5_000, 200), (15_000, 1_000))
ROWS = ("plain", "preempting", "fair-preempting", "full", "full-fair")
COHORT = 8
SEED = 11
PLAN_LIMIT_MS = 20.0
PLAN_CANDIDATES = 900


@dataclass(frozen=True)
class Timing:
    """One side of one row; times in milliseconds."""

    cycles: int
    wall: float
    cpu: float
    admitted: int
    evaluations: int


def cluster(row: str, workloads: int, queues: int) -> dict[str, Any]:
    """The cluster of a row."""
    count = workloads * 3 // 2 if row.startswith("full") else workloads
    settings = [f"workloads={count}", f"queues={queues}", f"roots={-(-queues // COHORT)}"]
    recipe = recipes.changed(recipes.RECIPES[row], settings)
    return next(iter(generate.cases(SEED, 1, recipe)))


def measure(command: list[str], runs: int) -> Timing:
    """The best of some runs, by CPU time."""
    best: Timing | None = None
    for _ in range(runs):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        line = json.loads(done.stdout)
        found = Timing(
            line["nCycles"],
            line["elapsedMs"],
            line["cpuMs"],
            len(line["final"]["admitted"]),
            line.get("evaluations", 0),
        )
        if best is None or found.cpu < best.cpu:
            best = found
    assert best is not None
    return best


def rows(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, int, Timing, Timing | None]]:
    """Name, number of queues, our timing and Kueue's."""
    ours = [sys.executable, "-m", "tests.engine_run", *FLAGS]
    theirs = None if options.ours else [str(oracle.build()), *FLAGS]
    for row in options.rows.split(","):
        for workloads, queues in SIZES:
            if str(workloads) not in options.sizes.split(","):
                continue
            path = folder / f"{row}-{workloads}.jsonl"
            path.write_text(json.dumps(cluster(row, workloads, queues)) + "\n")
            kueue = None if theirs is None else measure([*theirs, str(path)], options.runs)
            yield f"{row}, {workloads} / {queues}", queues, measure([*ours, str(path)], options.runs), kueue
            path.unlink()


def report(options: argparse.Namespace) -> int:
    """Print the table; how many rows are slower than Kueue."""
    head = ("row", "side", "cycles", "CPU s", "wall s", "ms/cycle", "eval/s", "us/eval", "CPU ratio")
    layout = "{:32} {:5} {:>6} {:>8} {:>8} {:>9} {:>8} {:>8} {:>9}"
    print(layout.format(*head))
    slower = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, _, ours, kueue in rows(options, Path(folder)):
            sides = [("kueue", kueue), ("ours", ours)] if kueue is not None else [("ours", ours)]
            for side, found in sides:
                count = ours.evaluations
                cells = [
                    f"{found.cpu / 1000:.2f}",
                    f"{found.wall / 1000:.2f}",
                    f"{found.cpu / found.cycles:.1f}",
                    f"{count / found.cpu * 1000:.0f}",
                    f"{found.cpu / count * 1000:.0f}",
                    "" if side == "kueue" or kueue is None else f"{ours.cpu / kueue.cpu:.2f}",
                ]
                print(layout.format(name if found is sides[0][1] else "", side, found.cycles, *cells), flush=True)
            if kueue is not None:
                if (kueue.cycles, kueue.admitted) != (ours.cycles, ours.admitted):
                    print(f"    the two sides differ: {kueue} {ours}")
                    slower += 1
                slower += ours.cpu > kueue.cpu or ours.wall > kueue.wall
    return slower


def plan_times(fair: bool, runs: int) -> list[float]:
    """Milliseconds of searches for victims among 900 candidates of nine other queues and the own one."""
    queues = [scene.queue("own", "co", flavors={"default": 900})]
    queues += [scene.queue(f"queue-{n}", "co", flavors={"default": 10}) for n in range(9)]
    held = [
        scene.holding(f"job-{n}", "own" if n % 10 == 0 else f"queue-{n % 10 - 1}", 1, priority=n % 7)
        for n in range(PLAN_CANDIDATES)
    ]
    asks = scene.waiting("asks", "own", 500, priority=100)
    strategies = FAIR_SHARING_STRATEGIES if fair else None
    base = scene.simulation(queues, [*held, asks], fair_sharing=strategies)
    found = []
    for _ in range(runs):
        built = snapshot.build(base.snapshot.state, base.settings)
        nominator, info, node = Nominator(built), built.reader.read(asks), built.queues["own"]
        gc.collect()
        began = time.perf_counter()
        entry = nominator.nominate(info, node)
        found.append((time.perf_counter() - began) * 1000)
        assert entry.victims
    return found


def report_plans() -> int:
    """Print how long a plan takes; how many are too slow."""
    slow = 0
    for fair in (False, True):
        times = plan_times(fair, 9)
        name = f"plan among {PLAN_CANDIDATES} candidates, {'fair sharing' if fair else 'classical'}"
        print(f"{name}: {statistics.median(times):.1f} ms, best {min(times):.1f} ms")
        slow += min(times) > PLAN_LIMIT_MS
    return slow


def main(argv: list[str]) -> int:
    """Measure and print."""
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.engine",
        description=summary,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--sizes", default=",".join(str(workloads) for workloads, _ in SIZES))
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--ours", action="store_true", help="without Kueue: no oracle is needed")
    parser.add_argument("--plan", action="store_true")
    options = parser.parse_args(argv)
    os.environ.setdefault("PYTHONHASHSEED", "0")
    try:
        return 1 if (report_plans() if options.plan else report(options)) else 0
    except oracle.MissingError as error:
        print(f"benchmarks.engine: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
