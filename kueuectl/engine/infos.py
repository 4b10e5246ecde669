"""A workload as the engine handles it: numbers and indexes instead of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kueuectl.engine import priority, requests, workloads
from kueuectl.engine.limits import Problem
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Workload

if TYPE_CHECKING:
    from kueuectl.engine.flavors.assignment import Assignment
    from kueuectl.engine.nominate import Assigned
    from kueuectl.engine.requests import PodSetRequests
    from kueuectl.engine.snapshot import QueueNode

# Where the search of flavors stopped, per pod set: resource -> index of the last flavor tried, -1 for "start over".
ScanState = tuple[dict[str, int], ...]


# States of workloads that a reader remembers, at most.
_MOST_KNOWN = 200_000


class Info:
    """One workload in the engine. Scratch: `usage` and `queue` belong to the snapshot that holds it."""

    __slots__ = (
        "amount_of",
        "assigned",
        "assigned_at",
        "candidate_key",
        "evicted",
        "generation",
        "granted",
        "has_preempted",
        "is_admitted",
        "key",
        "last_tried",
        "local_usage",
        "order_key",
        "priority",
        "problems",
        "queue",
        "requests",
        "reserved_at",
        "shape",
        "timestamp",
        "uid",
        "usage",
        "workload",
    )

    def __init__(self, workload: Workload, pod_sets: tuple[PodSetRequests, ...], *, rank: int, timestamp: int) -> None:
        self.workload = workload
        self.key = workload.key
        self.uid = workload.uid
        self.requests = pod_sets
        self.priority = rank
        self.timestamp = timestamp
        # Order in the queue: 1. higher priority, 2. earlier timestamp, 3. uid, 4. key, so that it is total.
        self.order_key = (-rank, timestamp, workload.uid, self.key)
        self.queue: QueueNode | None = None
        self.usage: tuple[tuple[int, int], ...] = ()
        # `usage` by flavor-resource, for the question whether a candidate uses what is needed.
        self.amount_of: dict[int, int] = {}
        self.last_tried: ScanState | None = None
        # The generation of its ClusterQueue when it was last taken out: see `pending`, rule 5.
        self.generation = 0
        # What its nomination came to, by where the search of flavors went on, at one version of its tree.
        self.assigned: list[tuple[ScanState | None, Assigned]] = []
        self.assigned_at = -1
        self.evicted = False
        # Others were preempted for it and it has not been admitted since.
        self.has_preempted = False
        # Admitted since the state was read, on which its conditions say nothing; and with which flavors.
        self.is_admitted = False
        self.granted: Assignment | None = None
        self.reserved_at = 0
        # What its LocalQueue used lately, over its weight: only with admission fair sharing.
        self.local_usage = 0.0
        # Order among candidates of one ClusterQueue: see `set_holding`.
        self.candidate_key: tuple[int, int, int, str, str] = (1, 0, 0, "", "")
        self.shape: object = None
        # Why its requests are invalid; None before that was looked at.
        self.problems: tuple[Problem, ...] | None = None

    def __repr__(self) -> str:
        return f"<workload {self.key}>"

    def set_holding(self, usage: tuple[tuple[int, int], ...], *, reserved_at: int, evicted: bool) -> None:
        """What it uses and since when; makes its place among candidates for preemption.

        Order (docs: Preemption, Candidates): 1. evicted ones, 2. lower priority, 3. later reservation of quota,
        4. uid, 5. key, so that it is total. That other queues come before the preemptor's own is up to the search.
        """
        self.usage = usage
        self.amount_of = dict(usage)
        self.reserved_at = reserved_at
        self.evicted = evicted
        self.candidate_key = (0 if evicted else 1, self.priority, -reserved_at, self.uid, self.key)


class InfoReader:
    """Makes the engine's view of workloads; shared caches make equal pod templates cheap."""

    def __init__(self, state: ClusterState, settings: Settings) -> None:
        self.state = state
        self.settings = settings
        self.requests = requests.RequestsReader(state, settings)
        self._known: dict[int, Info] | None = None

    def remember(self) -> InfoReader:
        """Keep what is read of every workload: for many simulations of states that share most of their workloads."""
        self._known = {}
        return self

    def read(self, workload: Workload) -> Info:
        """The workload with its requests, priority and queue timestamp."""
        known = self._known
        if known is None:
            return self._read(workload)
        found = known.get(id(workload))
        if found is None or found.workload is not workload:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            found = known[id(workload)] = self._read(workload)
        info = Info(workload, found.requests, rank=found.priority, timestamp=found.timestamp)
        info.shape = found.shape
        return info

    def _read(self, workload: Workload) -> Info:
        info = Info(
            workload,
            self.requests.of(workload),
            rank=priority.effective(workload, self.state, self.settings),
            timestamp=workloads.queue_timestamp(workload, self.settings),
        )
        info.shape = workloads.scheduling_key(workload, info.requests, info.priority, self.settings)
        return info
