"""Virtual time: admitted work runs, ends and makes room, so that the future can be played.

Rules:

1. Time jumps from event to event. Of events at one instant, work that ends comes first, then backoffs that end, then
   workloads that arrive; of one kind, in the order of their keys. Then cycles run until nothing moves any more.
2. Cycles and evictions take no time (a nanosecond, so that those of one instant keep their order). A workload starts to
   run at the instant at which it gets its quota, unless its checks take longer, which nobody can know.
3. A workload runs for its length each time that it is admitted: what a preempted one did is lost. Its limit is run time
   in all, over every time that it was admitted (KEP-3125).
4. Workloads that are parked come back at the instant at which quota is freed, or `batch` nanoseconds later.
5. Workloads that preempt each other round and round at one instant are left as they are until the next event.

Everything is in nanoseconds, and the same input gives the same future.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple

from kueuectl.engine import reconcile, workloads
from kueuectl.engine.entries import Entry
from kueuectl.engine.infos import Info, ScanState
from kueuectl.engine.simulate import Round, Simulation
from kueuectl.model import conditions
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Workload

# Evictions of one workload at one instant after which whole states are compared, and equal states that make a loop.
_SUSPICIOUS = 3
_LOOP = 3


class Span(NamedTuple):
    """How long a workload runs, and what is left of its run time limit before the present run. None: no bound."""

    length: int | None = None
    limit: int | None = None

    @property
    def shortest(self) -> int | None:
        """The bound that ends a run."""
        if self.length is None or self.limit is None:
            return self.limit if self.length is None else self.length
        return min(self.length, self.limit)


UNBOUNDED = Span()


class Start(NamedTuple):
    """A workload that got quota: when, where, and its (pod set, resource, flavor) triples."""

    at: int
    cluster_queue: str
    flavors: tuple[tuple[str, str, str], ...]


class Preempted(NamedTuple):
    """A workload that lost its quota to another one."""

    at: int
    workload: str
    reason: str
    preemptor: str


class Loop(NamedTuple):
    """Workloads that preempt each other at one instant without end."""

    at: int
    members: tuple[str, ...]


class _Kind(IntEnum):
    END = 0
    RESUME = 1
    ARRIVE = 2
    WAKE = 3


class Timeline:
    """A cluster and its future. `play` it once; then read `starts`, `ends`, `preempted` and `loops`."""

    def __init__(
        self,
        state: ClusterState,
        settings: Settings,
        *,
        now: int,
        spans: Mapping[str, Span],
        roots: Iterable[str] | None = None,
        requeue: str = "each",
        batch: int = 0,
    ) -> None:
        self.simulation = Simulation(
            state, settings, now=now, roots=roots, requeue="drain" if batch else requeue, tick=1
        )
        self.now = now
        self.spans = spans
        # The first start of each workload that did not hold quota from the beginning, and the last one's end.
        self.starts: dict[str, Start] = {}
        self.ends: dict[str, int] = {}
        self.preempted: list[Preempted] = []
        self.loops: list[Loop] = []
        # Set when `play` was cut short by its limit of rounds.
        self.is_cut = False
        self.last_event = now
        self._batch = batch
        self._wakes_at_once = requeue == "each" and not batch
        self._events: list[tuple[int, _Kind, str, int]] = []
        self._arrivals: dict[str, Workload] = {}
        # When each run started, its number, and what is left of limits; runs that were cut short have other numbers.
        self._started: dict[str, int] = {}
        self._run_of: dict[str, int] = {}
        self._limit_left: dict[str, int] = {}
        self._wake_due = False
        for info in self.simulation.snapshot.held.values():
            self._begin(info, since=running_since(info.workload, now))
        self._schedule_backoffs()

    def arrive(self, workload: Workload, *, at: int) -> None:
        """Have a workload queue at that time."""
        self._arrivals[workload.key] = workload
        self._push(at, _Kind.ARRIVE, workload.key)

    def play(self, *, max_rounds: int, on_instant: Callable[[], None] | None = None) -> None:
        """Go on until nothing is left to happen; `on_instant` is called when everything of an instant has happened."""
        simulation = self.simulation
        self._settle(max_rounds)
        if on_instant is not None:
            on_instant()
        while self._events and not self.is_cut:
            at = self._events[0][0]
            self.now = at
            simulation.advance_to(max(at, simulation.now))
            happened = False
            while self._events and self._events[0][0] == at:
                _, kind, key, run = heapq.heappop(self._events)
                happened = self._happens(kind, key, run) or happened
            if happened:
                self.last_event = at
                self._settle(max_rounds)
                if on_instant is not None:
                    on_instant()

    def waiting(self) -> list[str]:
        """Keys of workloads that queue at the end, in the order of queues."""
        return [info.key for pool in self.simulation.pools.queues.values() for info in pool.ordered()]

    def _happens(self, kind: _Kind, key: str, run: int) -> bool:
        """Whether the event means anything; a run that was cut short has no end any more."""
        simulation = self.simulation
        if kind is _Kind.END:
            if self._run_of.get(key) != run or key not in simulation.snapshot.held:
                return False
            del self._run_of[key]
            self.ends[key] = self.now
            simulation.finish(key)
            if self._wakes_at_once and not self._next_is_end():
                simulation.wake()
        elif kind is _Kind.ARRIVE:
            simulation.arrive(self._arrivals.pop(key))
        elif kind is _Kind.RESUME:
            self._resume(key)
        else:
            self._wake_due = False
            simulation.wake()
        return True

    def _next_is_end(self) -> bool:
        return bool(self._events) and self._events[0][0] == self.now and self._events[0][1] is _Kind.END

    def _settle(self, max_rounds: int) -> None:
        """Cycles at the present instant until nothing moves (the heads' searches of flavors come round)."""
        simulation = self.simulation
        turned: set[frozenset[tuple[str, object]]] = set()
        churn = _Churn(simulation)
        while True:
            if not simulation.has_work:
                if not self._wake_when_empty():
                    break
                turned.clear()
            if simulation.rounds >= max_rounds:
                self.is_cut = True
                break
            done = simulation.step()
            self._note(done)
            if churn.is_loop(done):
                self.loops.append(Loop(self.now, churn.members()))
                break
            if _has_moved(done):
                turned.clear()
                continue
            positions = frozenset((entry.info.key, _scan(entry.info.last_tried)) for entry in done.decision.entries)
            if positions in turned:
                if not self._wake_when_empty():
                    break
                turned.clear()
            turned.add(positions)
        if self._batch and simulation.has_freed and not self._wake_due:
            self._wake_due = True
            self._push(self.now + self._batch, _Kind.WAKE, "")

    def _wake_when_empty(self) -> bool:
        """Bring the pools back when the heaps have nothing more to give; whether that brought anything."""
        return not self._batch and self.simulation.wake() > 0

    def _note(self, done: Round) -> None:
        by_victim = {victim.info.key: (victim.reason, entry.info.key) for victim, entry in done.decision.preempted}
        for key in done.evicted:
            reason, preemptor = by_victim.get(key, (self.simulation.evictions[key], ""))
            self.preempted.append(Preempted(self.now, key, reason, preemptor))
            self._cut_short(key)
        for entry in done.decision.admitted:
            self.starts.setdefault(entry.info.key, start_of(entry, self.now))
            self._begin(entry.info, since=self.now)

    def _begin(self, info: Info, *, since: int) -> None:
        key = info.key
        self._started[key] = since
        run = self._run_of[key] = len(self.preempted) + 1
        span = self.spans.get(key, UNBOUNDED)
        span = span._replace(limit=self._limit_left.get(key, span.limit))
        bound = span.shortest
        if bound is not None:
            self._push(max(since + bound, self.now), _Kind.END, key, run)

    def _cut_short(self, key: str) -> None:
        self._run_of.pop(key, None)
        started = self._started.pop(key, self.now)
        limit = self._limit_left.get(key, self.spans.get(key, UNBOUNDED).limit)
        if limit is not None:
            self._limit_left[key] = max(0, limit - (self.now - started))

    def _schedule_backoffs(self) -> None:
        for pool in self.simulation.pools.queues.values():
            for info in pool.inadmissible.values():
                state = info.workload.requeue
                if state is not None and state.requeue_at is not None and state.requeue_at > self.now:
                    self._push(state.requeue_at, _Kind.RESUME, info.key)

    def _resume(self, key: str) -> None:
        """A backoff is over."""
        for pool in self.simulation.pools.queues.values():
            info = pool.unpark(key)
            if info is not None:
                info.workload = reconcile.ended(info.workload, self.now)
                pool.add(info)
                return

    def _push(self, at: int, kind: _Kind, key: str, run: int = 0) -> None:
        heapq.heappush(self._events, (at, kind, key, run))


class _Churn:
    """Looks out for states that come again at one instant while workloads are evicted."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.evictions: dict[str, int] = {}
        self.preemptors: dict[str, set[str]] = {}
        self.states: dict[object, int] = {}

    def is_loop(self, done: Round) -> bool:
        """Whether this round brought a whole state back that was there twice before."""
        for key in done.evicted:
            self.evictions[key] = self.evictions.get(key, 0) + 1
        for victim, entry in done.decision.preempted:
            self.preemptors.setdefault(victim.info.key, set()).add(entry.info.key)
        if not done.evicted or max(self.evictions.values()) < _SUSPICIOUS:
            return False
        state = self.simulation.whole_state()
        self.states[state] = self.states.get(state, 0) + 1
        return self.states[state] >= _LOOP

    def members(self) -> tuple[str, ...]:
        """Workloads that were evicted again and again, and those for which they were."""
        found = {key for key, count in self.evictions.items() if count >= _SUSPICIOUS}
        return tuple(sorted(found.union(*(self.preemptors.get(key, ()) for key in found))))


def _has_moved(done: Round) -> bool:
    """Whether a round changed who holds quota or who waits where."""
    decision = done.decision
    refused = len(decision.entries) - len(decision.admitted)
    return bool(decision.admitted or done.evicted or done.woken or decision.preempted or len(done.in_heap) < refused)


def _scan(tried: ScanState | None) -> object:
    return None if tried is None else tuple(tuple(sorted(picks.items())) for picks in tried)


def start_of(entry: Entry, at: int) -> Start:
    """The start of an admitted entry."""
    assert entry.assignment is not None
    flavors = tuple(
        (result.name, resource, pick.flavor)
        for result in entry.assignment.pod_sets
        for resource, pick in sorted(result.picks.items())
    )
    return Start(at, entry.queue.name, flavors)


def running_since(workload: Workload, now: int) -> int:
    """When a workload that holds quota was admitted; now, where it only waits for its checks or nobody knows."""
    found = conditions.find(workload.conditions, workloads.ADMITTED)
    if found is None or found.status != "True" or found.last_transition is None:
        return now
    return min(found.last_transition, now)
