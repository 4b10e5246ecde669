"""What finding plans costs: python -m benchmarks.rebalance

Clusters of growing size, full, with queues that wait for what others borrow. For each: one simulation to the end as the
engine's other users run it, and a whole search; how many sets were tried, and what a try costs compared with that one
simulation, in one run on one machine: a try is a simulation from a full cluster, and a look at the goal before and
after it. Exits with 1 when it costs more than three times as much.
"""

from __future__ import annotations

import gc
import sys
import time

from kueuectl.analysis import rebalance
from kueuectl.analysis.goals import Goal, GoalKind
from kueuectl.analysis.rebalance import Request
from kueuectl.engine.simulate import Simulation
from kueuectl.model.conditions import Condition
from kueuectl.model.flavors import ResourceFlavor
from kueuectl.model.queues import ClusterQueue, FlavorQuotas, LocalQueue, Preemption, ResourceGroup, ResourceQuota
from kueuectl.model.selectors import LabelSelector
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Admission, Container, PodSet, PodSetAssignment, PodTemplate, Workload

NANO = 1_000_000_000
NOW = 1_800_000_000 * NANO
GPU = "example.com/gpu"
SIZES = ((4, 12), (10, 40), (20, 200), (40, 1000))
MOST = 3.0


def cluster(queues: int, workloads: int) -> ClusterState:
    """One cohort: half of the queues borrow all that the other half, where work waits, does not use."""
    quota = workloads * 2 // queues
    group = ResourceGroup(("example.com/gpu",), (FlavorQuotas("default", (ResourceQuota(GPU, quota),)),))
    names = [f"queue-{number:02}" for number in range(queues)]
    found = {}
    for number in range(workloads):
        gpus = 1 + number % 3
        name = names[(number % (queues // 2)) * 2]
        found[f"team/x-{number:04}"] = _holding(f"x-{number:04}", name, gpus, minutes=number)
    for number, name in enumerate(names[1::2]):
        found[f"team/w-{number:04}"] = _workload(f"w-{number:04}", name, 2, minutes=number)
    return ClusterState(
        cluster_queues={
            name: ClusterQueue(name, "all", (group,), namespace_selector=LabelSelector(), preemption=Preemption())
            for name in names
        },
        local_queues={f"team/{name}": LocalQueue("team", name, name) for name in names},
        flavors={"default": ResourceFlavor("default")},
        workloads=found,
    )


def _workload(name: str, queue: str, gpus: int, *, minutes: int) -> Workload:
    template = PodTemplate((Container("c", ((GPU, gpus * NANO),)),))
    pod_sets = (PodSet("main", 1, template),)
    creation = NOW - (1 + minutes) * 60 * NANO
    return Workload("team", name, uid=name, creation=creation, queue_name=queue, priority=0, pod_sets=pod_sets)


def _holding(name: str, queue: str, gpus: int, *, minutes: int) -> Workload:
    asked = _workload(name, queue, gpus, minutes=minutes)
    given = PodSetAssignment("main", ((GPU, "default"),), ((GPU, gpus),), 1)
    since = NOW - minutes * 60 * NANO
    marks = tuple(Condition(kind, "True", kind, last_transition=since) for kind in ("QuotaReserved", "Admitted"))
    return Workload(
        asked.namespace,
        asked.name,
        uid=name,
        creation=asked.creation,
        queue_name=queue,
        priority=0,
        pod_sets=asked.pod_sets,
        admission=Admission(queue, (given,)),
        conditions=marks,
    )


def simulate(state: ClusterState) -> float:
    """Seconds of one simulation, from the state to its end; the best of three."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        Simulation(state, Settings(), now=NOW).run(max_rounds=10_000)
        best = min(best, time.process_time() - started)
    return best


def main() -> int:
    """Search in each cluster, print."""
    failed = False
    for queues, workloads in SIZES:
        state = cluster(queues, workloads)
        gc.collect()
        gc.freeze()
        one = simulate(state)
        started = time.process_time()
        found = rebalance.find(state, Settings(), now=NOW, request=Request(Goal(GoalKind.NOMINAL)))
        seconds = time.process_time() - started
        each = seconds / max(1, found.trials)
        failed |= each > MOST * one and found.trials > 10
        plan = f"{found.plans[0].evictions} evictions, at least {found.plans[0].bound}" if found.plans else "no plan"
        print(
            f"{queues:4} queues {workloads:5} workloads  search {seconds:6.2f} s, {found.trials:4} sets tried, "
            f"{each * 1000:7.2f} ms each = {each / one:4.2f}x a simulation ({one * 1000:.2f} ms); {plan}"
        )
        gc.unfreeze()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
