"""Cycles until nothing changes, evictions settling at once.

One round: a scheduling cycle; admitted workloads hold their quota; preempted ones give theirs back and wait again;
pools of trees where quota was freed wake up; the clock moves by one second. Waking is done after each round (`each`),
or only when the heaps have nothing more to give (`drain`).

The end: no head is left, or nothing moved and the heads' searches of flavors came round (fixpoint); the same whole
state for the fifth time (livelock: a preemption loop); or a limit of rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from kueuectl.engine import checks, evictions, snapshot, workloads
from kueuectl.engine.cycle import Cycle
from kueuectl.engine.entries import Decision, Entry
from kueuectl.engine.infos import Info, InfoReader, ScanState
from kueuectl.engine.nominate import Nominator
from kueuectl.engine.pools import Pools
from kueuectl.engine.snapshot import QueueNode, Snapshot, Tree
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Admission, PodSetAssignment, Workload

SECOND = 1_000_000_000
_LOOP = 5


class Round(NamedTuple):
    """What one round did. `evicted` gave their quota back, `woken` is how many left the pools.

    `in_heap` has the keys of refused heads that went back to their heap; the others went to the pool.
    """

    number: int
    at: int
    decision: Decision
    in_heap: frozenset[str]
    evicted: tuple[str, ...]
    woken: int


class Ending(NamedTuple):
    """How a simulation ended. `turning` are the last rounds that would repeat for ever without moving anything."""

    rounds: int
    is_fixpoint: bool
    is_livelock: bool
    turning: tuple[Round, ...] = ()
    # Stopped by `until`; more rounds may follow.
    is_stopped: bool = False


class Simulation:
    """A cluster that goes on from a state. The state itself is never changed."""

    def __init__(
        self,
        state: ClusterState,
        settings: Settings,
        *,
        now: int,
        roots: Iterable[str] | None = None,
        requeue: str = "each",
        honours_backoff: bool = True,
        tick: int = SECOND,
        reader: InfoReader | None = None,
    ) -> None:
        self.now = now
        # How far one round moves the clock (nanoseconds); next to nothing where somebody else moves it (`timeline`).
        self.tick = tick
        self.settings = settings
        self.requeue = requeue
        self._keeps_progress = settings.gate("FlavorFungibilityPreserveScanProgress")
        self.snapshot: Snapshot = snapshot.build(
            state, settings, roots=None if roots is None else set(roots), reader=reader
        )
        self.pools = Pools(self.snapshot, now=now, honours_backoff=honours_backoff)
        self.nominator = Nominator(self.snapshot)
        self.rounds = 0
        # Reasons of evictions on the way, by key of the workload.
        self.evictions: dict[str, str] = {}
        # Workload slices that ended on the way, by key, and the ones that took their places.
        self.replaced: dict[str, str] = {}
        # The last entry of each workload that was evaluated and not admitted.
        self.last_entries: dict[str, Entry] = {}
        # The assignment of workloads that were admitted on the way.
        self.assigned: dict[str, Entry] = {}
        self._leaving = [info for info in self.snapshot.held.values() if info.evicted]
        # Trees whose pools are to be woken.
        self._freed: dict[int, Tree] = {}
        self._held_digest = 0

    def step(self, *, settle: bool = True) -> Round:
        """One round; without `settle`, only its cycle: preempted workloads keep their quota, nothing wakes up."""
        self.rounds += 1
        decision = Cycle(self.nominator).decide(self.pools.heads())
        admitted = {id(entry) for entry in decision.admitted}
        in_heap = set()
        for entry in decision.entries:
            if id(entry) in admitted:
                self._admit(entry)
                continue
            before = self.last_entries.get(entry.info.key)
            self.last_entries[entry.info.key] = entry
            waits = workloads.waits_for_backoff(entry.info.workload, self.now)
            if self.pools.queues[entry.queue.name].requeue(entry.info, entry.requeue, waits=waits):
                in_heap.add(entry.info.key)
            if not self._keeps_progress and (before is None or entry.message_key != before.message_key):
                # The new message is an update of the workload (`pending`, rule 5).
                entry.info.last_tried = None
        if settle:
            self._replace(decision.admitted)
        evicted = self._evict(decision) if settle else ()
        woken = self.wake() if settle and self.requeue == "each" else 0
        done = Round(self.rounds, self.now, decision, frozenset(in_heap), evicted, woken)
        self.advance_to(self.now + self.tick)
        return done

    def advance_to(self, now: int) -> None:
        """Set the clock."""
        self.now = now
        self.pools.now = now

    def arrive(self, workload: Workload) -> Info | None:
        """A new workload queues; None (and nothing happens) where no queue takes it in."""
        node = self.pools.queue_of(workload)
        if node is None or not workloads.may_queue(workload, self.settings):
            return None
        info = self.snapshot.reader.read(workload)
        info.queue = node
        self.pools.queues[node.name].add(info)
        return info

    def finish(self, key: str) -> None:
        """A workload that holds quota ends and gives it back for good; `wake` brings the pools back."""
        info = self.snapshot.held[key]
        queue = info.queue
        assert queue is not None
        self.snapshot.release(info)
        queue.generation += 1
        self._mark_freed(info)
        entry = self.assigned.pop(key, None)
        self._held_digest -= _digest(entry) if entry is not None else hash(key)
        self._leaving = [other for other in self._leaving if other is not info]

    def preempt(self, key: str, *, reason: str) -> None:
        """A workload that holds quota is preempted from outside, and its pools wake up."""
        info = self.snapshot.held[key]
        self.evictions[key] = reason
        self._give_back(info, evictions.after_preemption(info.workload, reason, self.now))
        self._leaving = [other for other in self._leaving if other is not info]
        self.wake()

    @property
    def has_work(self) -> bool:
        """Whether a round would find a head, or an evicted workload that has to give its quota back."""
        return self.pools.has_heads() or bool(self._leaving)

    def run(
        self,
        *,
        max_rounds: int,
        on_round: Callable[[Round], None] | None = None,
        until: Callable[[], bool] | None = None,
    ) -> Ending:
        """Rounds until the end, or until `until` says so before a round. What each did is handed to `on_round`."""
        seen: dict[object, int] = {}
        states: dict[object, int] = {}
        recent: list[Round] = []
        while True:
            if not self.pools.has_heads():
                if self.wake() == 0:
                    return Ending(self.rounds, True, False)
                continue
            if until is not None and until():
                return Ending(self.rounds, False, False, is_stopped=True)
            if self.rounds >= max_rounds:
                return Ending(self.rounds, False, False)
            before = self._sizes()
            done = self.step()
            if on_round is not None:
                on_round(done)
            decided = done.decision.admitted or done.decision.preempted
            if decided or done.evicted or done.woken or before != self._sizes():
                seen.clear()
                recent.clear()
                whole = self.whole_state()
                states[whole] = states.get(whole, 0) + 1
                if states[whole] == _LOOP:
                    return Ending(self.rounds, False, True)
                continue
            recent.append(done)
            positions = self._positions()
            if positions in seen:
                if self.requeue != "each" and self.wake() > 0:
                    continue
                return Ending(self.rounds, True, False, tuple(recent[seen[positions] :]))
            seen[positions] = len(recent)

    def _admit(self, entry: Entry) -> None:
        info = entry.info
        assert entry.assignment is not None
        usage = entry.usage if entry.replaces is None else tuple(entry.assignment.full_usage.items())
        info.set_holding(usage, reserved_at=self.now, evicted=False)
        info.is_admitted = not waits_for_checks(entry)
        info.granted = entry.assignment
        self.snapshot.hold(info, entry.queue)
        entry.queue.generation += 1
        self.pools.queues[entry.queue.name].remove(info.key)
        self.assigned[info.key] = entry
        self.last_entries.pop(info.key, None)
        self._held_digest += _digest(entry)

    def _replace(self, admitted: Iterable[Entry]) -> None:
        """Workload slices end whose place was taken."""
        for entry in admitted:
            if entry.replaces is not None:
                self.replaced[entry.replaces.key] = entry.info.key
                self.finish(entry.replaces.key)

    def _evict(self, decision: Decision) -> tuple[str, ...]:
        gone = []
        for sibling, _ in decision.migrated:
            self.evictions[sibling.key] = workloads.MIGRATION
            self._give_back(sibling, evictions.after_migration(sibling.workload, self.now))
            self._leaving = [other for other in self._leaving if other is not sibling]
            gone.append(sibling.key)
        for victim, _ in decision.preempted:
            info = victim.info
            if not info.evicted:
                self.evictions[info.key] = victim.reason
                self._give_back(info, evictions.after_preemption(info.workload, victim.reason, self.now))
                gone.append(info.key)
        for info in self._leaving:
            self.evictions.setdefault(info.key, evictions.reason_of(info.workload))
            self._give_back(info, evictions.after_eviction(info.workload, self.now))
            gone.append(info.key)
        self._leaving = []
        return tuple(sorted(gone))

    def _give_back(self, info: Info, workload: Workload) -> None:
        """The quota is free again, and the workload waits as it is now; its search of flavors starts from scratch."""
        queue = info.queue
        assert queue is not None
        self.snapshot.release(info)
        queue.generation += 1
        node = self._mark_freed(info)
        entry = self.assigned.pop(info.key, None)
        self._held_digest -= hash(info.key) if entry is None else _digest(entry)
        if node is None or not workloads.may_queue(workload, self.settings):
            return
        waiting = self.snapshot.reader.read(workload)
        waiting.queue = node
        pool = self.pools.queues[node.name]
        if workloads.waits_for_backoff(workload, self.now):
            pool.park(waiting)
        else:
            pool.add(waiting)

    def _mark_freed(self, info: Info) -> QueueNode | None:
        """Have the tree woken; the queue that takes the workload in again, if any."""
        # Observed: Kueue looks for the tree by the LocalQueue, also where that leads to another tree by now than the
        # one whose quota is free. A stopped or missing LocalQueue wakes nobody up.
        node = self.pools.queue_of(info.workload)
        if node is not None:
            self._freed[id(node.tree)] = node.tree
        return node

    @property
    def has_freed(self) -> bool:
        """Whether quota was freed since the pools were last woken."""
        return bool(self._freed)

    def wake(self) -> int:
        """Bring back the pools of trees where quota was freed; how many workloads moved."""
        freed = list(self._freed.values())
        self._freed.clear()
        return sum(self.pools.wake(tree) for tree in freed)

    def whole_state(self) -> object:
        """Everything that later rounds depend on, but the clock, as digests; equal values are equal states."""
        return (self._held_digest, self._waiting(), self._positions())

    def _sizes(self) -> list[tuple[int, int]]:
        return [(len(pool.active), len(pool.inadmissible)) for pool in self.pools.queues.values()]

    def _waiting(self) -> int:
        """Who waits where. Digests: a long simulation remembers the state of every round."""
        pools = self.pools.queues.items()
        return sum(hash((name, len(pool.active), frozenset(pool.inadmissible))) for name, pool in pools if len(pool))

    def _positions(self) -> int:
        """Where the searches of flavors of active workloads go on."""
        return sum(
            hash((info.key, _scan(info.last_tried)))
            for pool in self.pools.queues.values()
            for info in pool.active.values()
            if info.last_tried is not None
        )


def _scan(tried: ScanState) -> tuple[object, ...]:
    return tuple(tuple(sorted(picks.items())) for picks in tried)


def _digest(entry: Entry) -> int:
    return hash((entry.info.key, entry.usage, entry.counts))


def admission_of(entry: Entry) -> Admission:
    """The admission that Kueue would write for an admitted entry."""
    assert entry.assignment is not None
    pod_sets = []
    for result in entry.assignment.pod_sets:
        flavors = tuple(sorted((resource, pick.flavor) for resource, pick in result.picks.items()))
        usage = tuple(sorted((resource, result.requests[resource]) for resource in result.picks))
        pod_sets.append(PodSetAssignment(result.name, flavors, usage, result.count))
    return Admission(entry.queue.name, tuple(pod_sets))


def waits_for_checks(entry: Entry) -> bool:
    """Whether an admitted entry only reserved quota, since admission checks of its queue are not ready yet."""
    assert entry.assignment is not None
    flavors = {pick.flavor for result in entry.assignment.pod_sets for pick in result.picks.values()}
    return not checks.lets_in(entry.queue.spec, flavors, entry.info.workload.checks)
