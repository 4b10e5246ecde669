"""Concurrent admission: one workload tried as several variants, each for other flavors (KEP-8691; observed).

1. The parent of variants is never scheduled itself.
2. A variant is as favorable as the first flavor of its annotation, in the order of the ClusterQueue's only group.
   Siblings are admitted variants of the same parent in the same ClusterQueue.
3. A variant with a more favorable sibling is skipped. One that fits and has a less favorable sibling migrates: the
   sibling is evicted, and the variant waits for its quota to be free.
4. With such a sibling, a variant below the queue's last acceptable flavor is refused as soon as its search of flavors
   comes to one that could work.
"""

from __future__ import annotations

from kueuectl.engine import workloads
from kueuectl.engine.infos import Info
from kueuectl.engine.snapshot import QueueNode
from kueuectl.model.settings import Settings
from kueuectl.model.workloads import Workload


class Variants:
    """What the other variants of a workload mean for it."""

    def __init__(self, settings: Settings) -> None:
        self.is_on = settings.gate("ConcurrentAdmission")

    def more_favorable(self, info: Info, queue: QueueNode) -> Info | None:
        """An admitted sibling that is more favorable; the most favorable one."""
        mine = self.rank(info.workload, queue)
        return next((found for rank, found in self._siblings(info, queue) if mine is not None and rank < mine), None)

    def less_favorable(self, info: Info, queue: QueueNode) -> Info | None:
        """An admitted sibling that is less favorable; the most favorable one of these, where Kueue takes any."""
        mine = self.rank(info.workload, queue)
        return next((found for rank, found in self._siblings(info, queue) if mine is not None and rank > mine), None)

    def is_unacceptable(self, info: Info, queue: QueueNode) -> bool:
        """Rule 4. A last acceptable flavor that the queue does not have accepts none."""
        last = queue.spec.last_acceptable_flavor
        if not self.is_on or last is None or self.less_favorable(info, queue) is None:
            return False
        mine = self.rank(info.workload, queue)
        return mine is not None and mine > _flavors(queue).get(last, -1)

    def rank(self, workload: Workload, queue: QueueNode) -> int | None:
        """How favorable a variant is, 0 the most; None for what is no variant. Rule 2."""
        if not self.is_on or not workload.annotations:
            return None
        first = workloads.annotation(workload, workloads.ALLOWED_FLAVORS_ANNOTATION).split(",")[0].strip()
        return _flavors(queue).get(first)

    def _siblings(self, info: Info, queue: QueueNode) -> list[tuple[int, Info]]:
        parent = workloads.controller_uid(info.workload) if self.is_on else ""
        if not parent:
            return []
        found = []
        for other in queue.held.values():
            is_admitted = other.is_admitted or workloads.is_admitted(other.workload)
            if is_admitted and workloads.controller_uid(other.workload) == parent:
                rank = self.rank(other.workload, queue)
                if rank is not None:
                    found.append((rank, other))
        return sorted(found, key=lambda pair: (pair[0], pair[1].key))


def _flavors(queue: QueueNode) -> dict[str, int]:
    """Places of the flavors of the first resource group; concurrent admission allows no other."""
    return {option.name: place for place, option in enumerate(queue.groups[0].flavors)} if queue.groups else {}
