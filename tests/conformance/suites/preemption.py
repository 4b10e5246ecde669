"""preempt-*: who is preempted for one workload, in which order candidates come, and what policies allow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cmp_to_key

from kueuectl.engine import snapshot, workloads
from kueuectl.engine.infos import Info, InfoReader
from kueuectl.engine.preemption import fair, policy
from kueuectl.engine.preemption.plan import Demand, Victim
from kueuectl.engine.preemption.search import Preemptor
from kueuectl.engine.snapshot import Snapshot
from kueuectl.model.queues import ClusterQueue
from kueuectl.model.settings import FAIR_SHARING_STRATEGIES, Settings
from kueuectl.model.state import ClusterState
from kueuectl.report import conditions
from tests.conformance.case import Case, key_of, same, same_each, told, wanted_conditions, workload, workload_of
from tests.conformance.registry import suite

_PREEMPT = 1


def _victims(
    case: Case,
    settings: Settings,
    flavors: Mapping[str, Mapping[str, tuple[str, bool]]],
    *,
    counts: Mapping[str, int] | None = None,
) -> tuple[Snapshot, Info, list[Victim]]:
    """The victims for the incoming workload; `flavors`: by pod set and resource, and whether the resource is short.

    `counts` are those of the assignment. Where a case leaves one out it is 0, and nothing is asked for: as in Kueue.
    """
    built = snapshot.build(case.state(), settings)
    queue = built.queues[case.given["targetCQ"]]
    info = built.reader.read(workload(case.given["incoming"]))
    info.queue = queue
    usage: dict[int, int] = {}
    short = set()
    for pod_set in info.requests:
        count = pod_set.count if counts is None else counts[pod_set.name]
        for resource, amount in pod_set.scaled_to(count).total.items():
            flavor, is_short = flavors[pod_set.name][resource]
            fr = queue.tree.index[flavor, resource]
            usage[fr] = usage.get(fr, 0) + amount
            if is_short:
                short.add(fr)
    # As in `search.demand_of`: zero asks for nothing.
    demand = Demand(info, queue, tuple((fr, amount) for fr, amount in usage.items() if amount), frozenset(short))
    return built, info, Preemptor(settings).victims(demand)


@suite("preempt-classic")
def classic(case: Case) -> list[str]:
    flavors = {
        doc["Name"]: {name: (pick["Name"], pick["Mode"] == _PREEMPT) for name, pick in doc["Flavors"].items()}
        for doc in case.given["assignment"]["PodSets"]
    }
    counts = {doc["Name"]: doc.get("Count") or 0 for doc in case.given["assignment"]["PodSets"]}
    built, info, victims = _victims(case, case.settings(), flavors, counts=counts)
    differences = same("number of victims", len(victims), case.expect.get("wantPreempted", 0))
    chosen = {victim.info.key: victim for victim in victims if not victim.info.evicted}
    assert info.queue is not None
    got, want = {}, {}
    for key, held in built.held.items():
        after = held.workload.conditions
        if key in chosen:
            after = conditions.preempted(chosen[key], info.workload, info.queue, now=case.now)
        got[key] = told(after)
    for doc in case.expect.get("wantWorkloads") or ():
        want[key_of(doc)] = wanted_conditions(doc)
    return differences + same_each("conditions of", got, want)


@suite("preempt-hierarchical")
def hierarchical(case: Case) -> list[str]:
    return classic(case)


@suite("preempt-fair")
def fair_sharing(case: Case) -> list[str]:
    settings = case.settings(fair_sharing=tuple(case.given.get("strategies") or FAIR_SHARING_STRATEGIES))
    flavor = case.given.get("assignmentFlavor") or "default"
    incoming = workload(case.given["incoming"])
    flavors = {pod_set.name: defaultdict(lambda: (flavor, True)) for pod_set in incoming.pod_sets}
    _, _, victims = _victims(case, settings, flavors)
    got = {f"{victim.info.key}:{victim.reason}" for victim in victims}
    return same("victims", sorted(got), sorted(case.expect.get("wantPreempted") or {}))


@suite("preempt-policy")
def policies(case: Case) -> list[str]:
    reader = InfoReader(ClusterState(), case.settings())
    preemptor, candidate = (reader.read(workload(case.given[name])) for name in ("preemptor", "candidate"))
    queue = _queues(case.settings(), ["cq"]).queues["cq"]
    got = policy.satisfies(case.given["policy"], preemptor, candidate, buffer=queue.buffer)
    return same("may preempt", got, case.expect.get("want", False))


def _queues(settings: Settings, names: Iterable[str]) -> Snapshot:
    """ClusterQueues of one cohort that nothing else is known of."""
    return snapshot.build(ClusterState(cluster_queues={name: ClusterQueue(name, "cohort") for name in names}), settings)


@suite("preempt-order")
def candidates(case: Case) -> list[str]:
    settings = case.settings()
    docs = case.given["candidates"]
    built = _queues(settings, ("preemptor", *(doc["ClusterQueue"] for doc in docs)))
    own = built.queues["preemptor"]
    infos = []
    for doc in docs:
        info = built.reader.read(workload(doc["Obj"]))
        info.queue = built.queues.get(doc["ClusterQueue"])
        info.set_holding(
            (), reserved_at=workloads.reservation_time(info.workload), evicted=workloads.is_evicted(info.workload)
        )
        if settings.gate("AdmissionFairSharing"):
            info.local_usage = doc.get("LocalQueueFSUsage") or 0.0
        infos.append(info)

    def compare(a: Info, b: Info) -> int:
        return -1 if policy.goes_before(a, b, own) else 1

    got = [info.workload.name for info in sorted(infos, key=cmp_to_key(compare))]
    return same("order", got, case.expect.get("wantCandidates") or [])


@suite("preempt-fair-order")
def targets(case: Case) -> list[str]:
    """Queues are asked for until none is left; each time the first candidate is popped, or the queue dropped."""
    built = snapshot.build(case.state(), case.settings(fair_sharing=FAIR_SHARING_STRATEGIES))
    queue = built.queues[case.given["preemptorCQ"]]
    demand = Demand(built.reader.read(workload_of([])), queue, (), frozenset())
    waiting = {name: list(built.queues[name].candidates()) for name in case.given.get("candidateCQs") or ()}
    ordering = fair.Ordering(demand, waiting, None)
    actions = iter(case.given.get("actions") or ())
    got = []
    while (found := ordering.next()) is not None:
        got.append(found.name)
        if next(actions, "pop") == "drop":
            ordering.drop(found)
        else:
            ordering.waiting[found.name].pop(0)
    return same("order", got, case.expect.get("wantOrder") or [])
