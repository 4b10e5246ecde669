"""The place of waiting workloads in their queues, without a simulation."""

from __future__ import annotations

from collections.abc import Iterable

from kueuectl.engine import priority, workloads
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Workload

_Key = tuple[int, int, str, str]


def in_local_queues(state: ClusterState, settings: Settings, among: Iterable[Workload]) -> dict[str, int]:
    """Places from 0 in the LocalQueue, by workload key; absent where it doesn't queue or its queue is stopped."""
    waiting: dict[str, list[tuple[_Key, str]]] = {}
    for workload in among:
        if not workloads.may_queue(workload, settings):
            continue
        door = f"{workload.namespace}/{workload.queue_name}"
        local = state.local_queues.get(door)
        if local is None or local.stop_policy != "None":
            continue
        queue = state.cluster_queues.get(local.cluster_queue)
        if queue is not None and queue.stop_policy != "None":
            continue
        waiting.setdefault(door, []).append((_order(workload, state, settings), workload.key))
    return {key: place for entries in waiting.values() for place, (_, key) in enumerate(sorted(entries))}


def _order(workload: Workload, state: ClusterState, settings: Settings) -> _Key:
    """Order in the queue: 1. higher priority, 2. earlier queue timestamp, 3. uid, 4. key."""
    rank = priority.effective(workload, state, settings)
    return (-rank, workloads.queue_timestamp(workload, settings), workload.uid, workload.key)
