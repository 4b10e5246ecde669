"""The waiting workloads of all ClusterQueues of a snapshot."""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.engine import workloads
from kueuectl.engine.infos import Info
from kueuectl.engine.nominate import matches_namespace
from kueuectl.engine.pending import PendingQueue
from kueuectl.engine.snapshot import QueueNode, Snapshot, Tree
from kueuectl.model.queues import LocalQueue
from kueuectl.model.workloads import Workload


class Pools:
    """Heaps and pools by ClusterQueue. `now` moves with the simulation; it decides when a backoff ends."""

    __slots__ = ("_selected", "honours_backoff", "now", "queues", "snapshot")

    def __init__(self, snapshot: Snapshot, *, now: int, honours_backoff: bool) -> None:
        """Take in every workload of the state that waits; with `honours_backoff`, as a running Kueue has them.

        A starting Kueue puts all of them into the heaps, whatever they wait for.
        """
        self.snapshot = snapshot
        self._selected: dict[tuple[str, str], bool] = {}
        self.now = now
        self.honours_backoff = honours_backoff
        uses_shapes = snapshot.settings.gate("SchedulingEquivalenceHashing")
        keeps_progress = snapshot.settings.gate("FlavorFungibilityPreserveScanProgress")
        self.queues = {
            node.name: PendingQueue(node, uses_shapes=uses_shapes, keeps_progress=keeps_progress)
            for node in snapshot.queues.values()
        }
        for workload in snapshot.state.workloads.values():
            node = self.queue_of(workload)
            if node is not None and workloads.may_queue(workload, snapshot.settings):
                info = snapshot.reader.read(workload)
                info.queue = node
                pool = self.queues[node.name]
                if honours_backoff and workloads.waits_for_backoff(workload, now):
                    pool.park(info)
                else:
                    pool.push(info)

    def queue_of(self, workload: Workload) -> QueueNode | None:
        """The ClusterQueue that takes the workload in through its LocalQueue; None when there is no such way."""
        local = self.snapshot.state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
        if local is None or not takes_in(local):
            return None
        return self.snapshot.queues.get(local.cluster_queue)

    def heads(self) -> Iterator[tuple[Info, QueueNode]]:
        """Take out the head of every active ClusterQueue that has one."""
        for pool in self.queues.values():
            if pool.active and pool.queue.active:
                info = pool.pop()
                if info is not None:
                    yield info, pool.queue

    def has_heads(self) -> bool:
        """Whether a cycle would find work."""
        return any(pool.active and pool.queue.active for pool in self.queues.values())

    def wake(self, tree: Tree) -> int:
        """Bring the pools of a tree back to the heaps; how many workloads moved."""
        if tree.is_cyclic:
            return 0
        return sum(self.queues[node.name].wake(self.may_return) for node in tree.queues)

    def may_return(self, info: Info, queue: QueueNode) -> bool:
        """Whether a workload may leave the inadmissible pool: backoff over, namespace selected."""
        workload = info.workload
        if (workload.conditions or workload.requeue is not None) and workloads.waits_for_backoff(workload, self.now):
            return False
        # Asked for every parked workload whenever quota is freed.
        pair = (workload.namespace, queue.name)
        found = self._selected.get(pair)
        if found is None:
            found = self._selected[pair] = matches_namespace(self.snapshot, workload.namespace, queue)
        return found


def takes_in(local: LocalQueue) -> bool:
    """Whether a LocalQueue hands its workloads on: nobody stopped it."""
    return local.stop_policy == "None"
