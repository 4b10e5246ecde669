"""Elastic jobs: a workload slice that takes the place of an admitted one (KEP-77; observed).

1. A slice names the one that it replaces. That counts as long as the named one holds quota in the same ClusterQueue.
2. It is charged for what it takes beyond the other one, in the flavors that the other one has; no other flavor will do.
3. When it is admitted, the other one is finished.
"""

from __future__ import annotations

from collections.abc import Iterable

from kueuectl.engine import workloads
from kueuectl.engine.infos import Info
from kueuectl.engine.snapshot import QueueNode
from kueuectl.model.settings import Settings


def replaced(info: Info, queue: QueueNode, settings: Settings) -> Info | None:
    """The slice that a workload takes the place of. Rule 1."""
    if not info.workload.annotations:
        return None
    key = workloads.replaces(info.workload, settings)
    return None if key is None else queue.held.get(key)


def held(old: Info, pod_sets: Iterable[str], resource: str) -> tuple[str, int]:
    """The flavor of a resource that pod sets of the replaced slice have ("" for none), and how much of it."""
    flavor, amount = "", 0
    wanted = set(pod_sets)
    if old.granted is not None:
        for result in old.granted.pod_sets:
            if result.name in wanted and resource in result.picks:
                flavor = result.picks[resource].flavor
                amount += result.requests[resource]
        return flavor, amount
    for asked in old.requests:
        if asked.name in wanted and asked.flavors and resource in asked.flavors:
            flavor = asked.flavors[resource]
            amount += asked.total.get(resource, 0)
    return flavor, amount
