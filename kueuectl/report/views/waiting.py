"""The waiting workloads of one ClusterQueue in their order, with what each of them waits for now."""

from __future__ import annotations

from typing import Any, NamedTuple

from kueuectl import times
from kueuectl.analysis import evidence, verdicts
from kueuectl.analysis.evaluate import Evaluation
from kueuectl.analysis.explanation import Code
from kueuectl.engine import snapshot, workloads
from kueuectl.engine.entries import Outcome
from kueuectl.engine.infos import Info
from kueuectl.engine.nominate import Nominator
from kueuectl.engine.pending import PendingQueue
from kueuectl.engine.pools import Pools
from kueuectl.engine.reasons import Mode
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace
from kueuectl.report import narrate
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import parts

# What keeps a StrictFIFO queue from going on to the next workload.
_BLOCKING = frozenset(Code) - {Code.FITS, Code.NAMESPACE_DENIED}


class Waiter(NamedTuple):
    """A waiting workload. `position` counts from 1; None for one that is set apart: it is not tried before it wakes."""

    info: Info
    position: int | None
    verdict: Code
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
    built = snapshot.build(_without_other_waiters(state, name), settings, roots={snapshot.root_of(state, spec)})
    pool = Pools(built, now=now, honours_backoff=True).queues[name]
    node = pool.queue
    judge = _Judge(Nominator(built), pool, now)
    waiters = []
    position = 0
    for info in pool.ordered():
        is_parked = info.key in pool.inadmissible
        if not is_parked:
            position += 1
        code, waits_for = judge.judge(info)
        waiters.append(
            Waiter(
                info=info,
                position=None if is_parked else position,
                verdict=code,
                waits_for=waits_for,
                is_head=position == 1 and not is_parked,
            )
        )
    return Line(name, spec.queueing_strategy, node.active, node.inactive_message, tuple(waiters))


def _without_other_waiters(state: ClusterState, name: str) -> ClusterState:
    """The state without what waits in other ClusterQueues: nobody asks what those would need."""
    doors = {key for key, local in state.local_queues.items() if local.cluster_queue == name}
    kept = {
        key: workload
        for key, workload in state.workloads.items()
        if workload.admission is not None or f"{workload.namespace}/{workload.queue_name}" in doors
    }
    return replace(state, workloads=kept)


class _Judge:
    """Says what a workload waits for. Equal workloads of one namespace are tried once."""

    def __init__(self, nominator: Nominator, pool: PendingQueue, now: int) -> None:
        self.nominator = nominator
        self.pool = pool
        self.now = now
        self.tried: dict[object, tuple[Code, str]] = {}
        # The first workload of a StrictFIFO queue that can't have quota now: nobody behind it is tried.
        self.blocker: str | None = None

    def judge(self, info: Info) -> tuple[Code, str]:
        """The verdict, and what it waits for."""
        node = self.pool.queue
        if not node.active:
            return Code.NO_QUEUE, node.inactive_message
        if workloads.waits_for_backoff(info.workload, self.now):
            return Code.BACKOFF, _backoff(info)
        if self.blocker is not None:
            return Code.BEHIND_HEAD, f"behind {self.blocker}"
        key = None if info.shape is None else (info.workload.namespace, info.shape)
        found = self.tried.get(key) if key is not None else None
        if found is None:
            found = self._try(info)
            if key is not None:
                self.tried[key] = found
        if node.is_strict and found[0] in _BLOCKING:
            self.blocker = info.key
        return found

    def _try(self, info: Info) -> tuple[Code, str]:
        node = self.pool.queue
        entry = self.nominator.nominate(info, node)
        if entry.assignment is None:
            return verdicts.of(Evaluation(entry=entry)).code, narrate.entry(entry)
        if entry.mode is Mode.FIT:
            return Code.FITS, "nothing: the next try gives it quota"
        if entry.victims:
            names = sorted(victim.info.key for victim in entry.victims)
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            return Code.PREEMPTING, f"the preemption of {', '.join(names[:3])}{more}"
        entry.outcome = Outcome.NO_FIT if entry.mode is Mode.NO_FIT else Outcome.NO_CANDIDATES
        evaluation = Evaluation(entry=entry)
        code = verdicts.of(evaluation).code
        if code is Code.QUOTA:
            borrowing, lending = evidence.limits_in_the_way(self.nominator, info, node)
            evaluation.blocked_by_borrowing, evaluation.blocked_by_lending = borrowing, lending
            code = verdicts.of(evaluation).code
        return code, narrate.assignment(entry.assignment)


def _backoff(info: Info) -> str:
    requeue = info.workload.requeue
    if requeue is None or requeue.requeue_at is None:
        return "evicted, waits to be requeued"
    return f"until {times.format_time(requeue.requeue_at)}"


def table(found: Line, *, now: int) -> Table:
    """The line as a table; the head of the queue is marked, and who is set apart has no position."""
    columns = (
        Column("POSITION"),
        Column("NAMESPACE"),
        Column("NAME"),
        Column("LOCALQUEUE"),
        Column("PRIORITY", right=True),
        Column("WAITING"),
        Column("VERDICT", is_state=True),
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
            waiter.verdict.value,
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
                "verdict": waiter.verdict.value,
                "waitsFor": waiter.waits_for,
            }
            for waiter in found.waiters
        ],
    }
