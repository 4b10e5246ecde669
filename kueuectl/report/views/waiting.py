"""The waiting workloads of one ClusterQueue in their order, with what each of them waits for now."""

from __future__ import annotations

from typing import Any, NamedTuple

from kueuectl import times
from kueuectl.engine import snapshot, workloads
from kueuectl.engine.entries import Entry, Outcome
from kueuectl.engine.infos import Info
from kueuectl.engine.nominate import Nominator
from kueuectl.engine.pending import PendingQueue
from kueuectl.engine.pools import Pools
from kueuectl.engine.reasons import Mode
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.report import narrate
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import parts

FITS, PREEMPTING, WAITS, BEHIND, BACKOFF, DENIED, INVALID, NO_QUEUE = (
    "FITS",
    "PREEMPTING",
    "WAITS",
    "BEHIND_HEAD",
    "BACKOFF",
    "NAMESPACE_DENIED",
    "INVALID",
    "NO_QUEUE",
)
_REFUSED = {
    Outcome.NAMESPACE_MISMATCH: DENIED,
    Outcome.INVALID_RESOURCES: INVALID,
    Outcome.LIMIT_RANGE: INVALID,
    Outcome.CHECKS_FAILED: WAITS,
}


class Waiter(NamedTuple):
    """A waiting workload. `position` counts from 1; None for one that is set apart: it is not tried before it wakes."""

    info: Info
    position: int | None
    state: str
    waits_for: str
    is_head: bool


class Line(NamedTuple):
    """The queue with those who wait in it."""

    name: str
    strategy: str
    is_active: bool
    message: str
    waiters: tuple[Waiter, ...]


def line(state: ClusterState, settings: Settings, name: str, *, now: int) -> Line:
    """The waiting line of a ClusterQueue that exists. Each workload is tried alone against the present usage."""
    spec = state.cluster_queues[name]
    built = snapshot.build(state, settings, roots={snapshot.root_of(state, spec)})
    pool = Pools(built, now=now, honours_backoff=True).queues[name]
    node = pool.queue
    judge = _Judge(Nominator(built), pool, now)
    waiters = []
    position = 0
    for info in pool.ordered():
        is_parked = info.key in pool.inadmissible
        if not is_parked:
            position += 1
        state_word, waits_for = judge.judge(info)
        waiters.append(
            Waiter(
                info=info,
                position=None if is_parked else position,
                state=state_word,
                waits_for=waits_for,
                is_head=position == 1 and not is_parked,
            )
        )
    return Line(name, spec.queueing_strategy, node.active, node.inactive_message, tuple(waiters))


class _Judge:
    """Says what a workload waits for. Equal workloads of one namespace are tried once."""

    def __init__(self, nominator: Nominator, pool: PendingQueue, now: int) -> None:
        self.nominator = nominator
        self.pool = pool
        self.now = now
        self.tried: dict[object, tuple[str, str]] = {}
        # The first workload of a StrictFIFO queue that can't have quota now: nobody behind it is tried.
        self.blocker: str | None = None

    def judge(self, info: Info) -> tuple[str, str]:
        """State and what it waits for."""
        node = self.pool.queue
        if not node.active:
            return NO_QUEUE, node.inactive_message
        if workloads.waits_for_backoff(info.workload, self.now):
            return BACKOFF, _backoff(info)
        if self.blocker is not None:
            return BEHIND, f"behind {self.blocker}"
        key = None if info.shape is None else (info.workload.namespace, info.shape)
        found = self.tried.get(key) if key is not None else None
        if found is None:
            found = _verdict(self.nominator.nominate(info, node))
            if key is not None:
                self.tried[key] = found
        if node.is_strict and found[0] in (WAITS, PREEMPTING, INVALID):
            self.blocker = info.key
        return found


def _backoff(info: Info) -> str:
    requeue = info.workload.requeue
    if requeue is None or requeue.requeue_at is None:
        return "evicted, waits to be requeued"
    return f"until {times.format_time(requeue.requeue_at)}"


def _verdict(entry: Entry) -> tuple[str, str]:
    if entry.assignment is None:
        return _REFUSED.get(entry.outcome, WAITS), narrate.entry(entry)
    if entry.mode is Mode.FIT:
        return FITS, "nothing: the next try gives it quota"
    if entry.victims:
        names = sorted(victim.info.key for victim in entry.victims)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return PREEMPTING, f"the preemption of {', '.join(names[:3])}{more}"
    return WAITS, narrate.assignment(entry.assignment)


def table(found: Line, *, now: int) -> Table:
    """The line as a table; the head of the queue is marked, and who is set apart has no position."""
    columns = (
        Column("POSITION"),
        Column("NAMESPACE"),
        Column("NAME"),
        Column("LOCALQUEUE"),
        Column("PRIORITY", right=True),
        Column("WAITING"),
        Column("STATE", is_state=True),
        Column("WAITS FOR", is_prose=True),
    )
    rows = [
        (
            ("-" if waiter.position is None else str(waiter.position)) + (" head" if waiter.is_head else ""),
            waiter.info.workload.namespace,
            waiter.info.workload.name,
            waiter.info.workload.queue_name,
            str(waiter.info.priority),
            parts.age(waiter.info.timestamp or None, now),
            waiter.state,
            waiter.waits_for,
        )
        for waiter in found.waiters
    ]
    return Table(columns, rows)


def document(found: Line) -> dict[str, Any]:
    """The line as a map."""
    return {
        "clusterQueue": found.name,
        "strategy": found.strategy,
        "active": found.is_active,
        "message": found.message,
        "items": [
            {
                "position": waiter.position,
                "head": waiter.is_head,
                "namespace": waiter.info.workload.namespace,
                "name": waiter.info.workload.name,
                "localQueue": waiter.info.workload.queue_name,
                "priority": waiter.info.priority,
                "queuedAt": times.format_time(waiter.info.timestamp) if waiter.info.timestamp else None,
                "state": waiter.state,
                "waitsFor": waiter.waits_for,
            }
            for waiter in found.waiters
        ],
    }
