"""queue-*: the order of waiting workloads, where refused ones go, and who comes back when a tree is woken."""

from __future__ import annotations

from kueuectl.engine import snapshot
from kueuectl.engine.infos import Info
from kueuectl.engine.pending import PendingQueue
from kueuectl.engine.pools import Pools
from kueuectl.engine.reasons import REQUEUE_NAMES
from kueuectl.engine.snapshot import Snapshot
from kueuectl.model.queues import ClusterQueue
from kueuectl.model.selectors import LabelSelector
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from tests.conformance.case import Case, same, workload, workload_of
from tests.conformance.registry import suite

_REQUEUE = {name: reason for reason, name in REQUEUE_NAMES.items()}


def _one_queue(settings: Settings) -> tuple[Snapshot, PendingQueue]:
    """A ClusterQueue that nothing is known of."""
    state = ClusterState(cluster_queues={"cq": ClusterQueue("cq", namespace_selector=LabelSelector())})
    built = snapshot.build(state, settings)
    uses_shapes = settings.gate("SchedulingEquivalenceHashing")
    return built, PendingQueue(built.queues["cq"], uses_shapes=uses_shapes)


@suite("queue-order")
def order(case: Case) -> list[str]:
    built, pool = _one_queue(case.settings())
    waiting = [doc for doc in case.objects if doc["kind"] == "Workload"]
    parked = case.given.get("inadmissibleWorkloads") or []
    for doc in reversed(waiting):
        pool.push(built.reader.read(workload(doc)))
    for doc in reversed(parked):
        pool.park(built.reader.read(workload(doc)))
    want = [f"{doc['metadata'].get('namespace', '')}/{doc['metadata']['name']}" for doc in (*waiting, *parked)]
    return same("order", [info.key for info in pool.ordered()], want)


@suite("queue-best-effort-fifo")
def best_effort(case: Case) -> list[str]:
    built, pool = _one_queue(case.settings())
    info = built.reader.read(workload_of([]))
    last = case.given.get("lastAssignment")
    if last is not None:
        info.last_tried = tuple(dict(picks) for picks in last.get("LastTriedFlavorIdx") or ())
    pool.requeue(info, _REQUEUE[case.given.get("reason") or ""])
    return same("inadmissible", info.key in pool.inadmissible, case.expect.get("wantInadmissible", False)) + same(
        "sticky", pool.sticky == info.key, case.expect.get("wantSticky", False)
    )


@suite("queue-inadmissible")
def inadmissible(case: Case) -> list[str]:
    """All workloads are in the pools, and the trees of the named queues are woken."""
    built = snapshot.build(case.state(), case.settings())
    pools = Pools(built, now=case.now, honours_backoff=True)
    for pool in pools.queues.values():
        while (info := pool.pop()) is not None:
            pool.park(info)
    trees = {
        id(built.queues[name].tree): built.queues[name].tree for name in case.given["cqNames"] if name in built.queues
    }
    moved = {key: pools.wake(tree) for key, tree in trees.items()}
    # One line of log for each tree of cohorts; what is logged for a queue without a cohort no case says.
    woken = sum(1 for count in moved.values() if count)
    is_logged = all(tree.cohorts for tree in trees.values())
    return (
        same("moved", sum(moved.values()), case.expect.get("wantMovedCount", 0))
        + (same("trees woken", woken, case.expect.get("wantMoveWorkloadsLogCount", 0)) if is_logged else [])
        + same("active", _keys(pools, is_active=True), case.expect.get("wantActive") or {})
        + same("inadmissible", _keys(pools, is_active=False), case.expect.get("wantInadmissible") or {})
    )


def _keys(pools: Pools, *, is_active: bool) -> dict[str, list[str]]:
    def of(pool: PendingQueue) -> dict[str, Info]:
        return pool.active if is_active else pool.inadmissible

    return {name: sorted(of(pool)) for name, pool in pools.queues.items() if of(pool)}
