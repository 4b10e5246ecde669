"""How fast a list is laid out: python -m benchmarks.render [--rows 50000] [--runs 5]

Workloads in memory become the table of `list workload` and then aligned text, as one run of the command does it; the
limit is one second of CPU time. The other side is what rich takes for a part of the rows, reckoned up to all of them.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable

from kueuectl.model.conditions import Condition
from kueuectl.model.queues import ClusterQueue, LocalQueue
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Admission, Owner, PodSetAssignment, Workload
from kueuectl.report import tables, terminal
from kueuectl.report.tables import Table
from kueuectl.report.views import positions, workloads

SECOND = 1_000_000_000
NOW = 1_795_953_600 * SECOND
LIMIT = 1.0
RICH_ROWS = 300


def cluster(rows: int) -> ClusterState:
    """A third of the workloads is admitted, the rest waits; 100 queues in 20 namespaces."""
    names = [(f"team-{number % 20}", f"queue-{number}") for number in range(100)]
    queues = {f"{namespace}/{name}": LocalQueue(namespace, name, cluster_queue=name) for namespace, name in names}
    found = {}
    for number in range(rows):
        namespace, name = names[number % len(names)]
        created = NOW - (rows - number) * SECOND
        admitted = number % 3 == 0
        kinds = ("QuotaReserved", "Admitted") if admitted else ()
        workload = Workload(
            namespace=namespace,
            name=f"job-training-run-{number}",
            uid=f"uid-{number}",
            creation=created,
            queue_name=name,
            priority=number % 5 * 100,
            owners=(Owner("batch/v1", "Job", f"training-run-{number}", f"job-uid-{number}", is_controller=True),),
            conditions=tuple(Condition(kind, "True", kind, "", created + SECOND) for kind in kinds),
            admission=Admission(name, (PodSetAssignment("main", (("cpu", "default"),)),)) if admitted else None,
        )
        found[workload.key] = workload
    targets = {name: ClusterQueue(name) for _, name in names}
    return ClusterState(cluster_queues=targets, local_queues=queues, workloads=found)


def view(state: ClusterState) -> Table:
    """The table of `list workload -A`."""
    every = state.workloads.values()
    return workloads.table(
        every,
        queues=state.local_queues,
        positions=positions.in_local_queues(state, Settings(), every),
        now=NOW,
        namespaces=True,
        wide=False,
    ).narrowed(wide=False)


def median(work: Callable[[], object], runs: int) -> float:
    """Median CPU seconds."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    state = cluster(options.rows)
    gc.freeze()
    made = view(state)
    viewing = median(lambda: view(state), options.runs)
    laying = median(lambda: "\n".join(tables.lines(made)), options.runs)
    few = Table(made.columns, made.rows[:RICH_ROWS])
    drawing = median(lambda: terminal.render(few, width=200), options.runs)
    total = viewing + laying
    print(f"{options.rows} rows: view {viewing:.2f} s + layout {laying:.2f} s = {total:.2f} s of {LIMIT:g} s")
    by_rich = drawing / len(few.rows) * options.rows
    print(f"rich: {drawing:.2f} s for {len(few.rows)} rows, {by_rich / laying:.0f} times as long as the plain layout")
    return int(total > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
