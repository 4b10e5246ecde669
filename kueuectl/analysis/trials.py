"""Evict workloads in the model, let Kueue go on, and look whether a goal is reached.

With `backoff` victims wait before they queue again, as those of `--apply` do (docs/adr/0007): Kueue comes to rest
without them first, then they queue, and it comes to rest again.

One `Trials` is about one part of a cluster: trees of cohorts don't touch each other. Everything happens on the state as
it is now, since that is where a plan begins; what Kueue would do anyway is part of the outcome, and is not the plan's
doing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kueuectl.analysis import goals
from kueuectl.analysis.goals import Gap, Goal, GoalKind
from kueuectl.engine import quota, workloads
from kueuectl.engine.entries import Entry
from kueuectl.engine.infos import Info, InfoReader
from kueuectl.engine.pending import PendingQueue
from kueuectl.engine.simulate import Ending, Simulation
from kueuectl.engine.snapshot import QueueNode
from kueuectl.model.conditions import Condition
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct, replace
from kueuectl.model.workloads import RequeueState, Workload

MAX_ROUNDS = 2000
# The reason of the Preempted condition that a plan's evictions get: one of those that Kueue itself uses.
REASON = "InClusterQueue"
# Later than any simulation gets.
_FOREVER = 2**62
Flavors = tuple[tuple[str, str, str], ...]
"""(pod set, resource, flavor) triples."""


class Placed(Struct, frozen=True):
    """A workload that got quota."""

    workload: str
    cluster_queue: str
    flavors: Flavors


class Outcome(Struct, frozen=True):
    """What came of evicting `victims`.

    is_settled: Kueue came to rest. gaps: where the goal is not reached then. back: victims that start again where they
    were. moved: victims that start again elsewhere, or with other pod counts. followers: workloads that Kueue then
    preempts by itself and would not have preempted without the plan, with the reason. admitted: who has quota and
    would not have had it. lost: who would have got quota without the plan.
    """

    victims: tuple[str, ...]
    is_settled: bool
    gaps: tuple[Gap, ...] = ()
    back: tuple[str, ...] = ()
    moved: tuple[Placed, ...] = ()
    followers: tuple[tuple[str, str], ...] = ()
    admitted: tuple[Placed, ...] = ()
    lost: tuple[str, ...] = ()


class Trials:
    """Experiments on one part. `anyway` is the outcome without any eviction."""

    def __init__(
        self,
        state: ClusterState,
        settings: Settings,
        *,
        now: int,
        goal: Goal,
        hold: bool = False,
        backoff: bool = False,
        on_trial: Callable[[int], None] | None = None,
    ) -> None:
        self.state = state
        self.settings = settings
        self.now = now
        self.goal = goal
        self.hold = hold
        self.backoff = backoff and not hold
        self.on_trial = on_trial
        self.tried = 0
        self._marks: dict[str, Workload] = {}
        self._ways: dict[str, list[goals.Option]] = {}
        # Shared, since almost every workload is the same in every trial.
        self._reader = InfoReader(self.state, settings).remember()
        self._known: dict[frozenset[str], Outcome] = {}
        self.before, self.before_ending = self._play(())
        self.anyway = Outcome(
            victims=(), is_settled=self.before_ending.is_fixpoint, gaps=tuple(goals.gaps(self.before, goal))
        )
        self._relaxed: Simulation | None = None

    def evict(self, keys: Iterable[str]) -> Outcome:
        """The outcome of evicting these workloads at once; worked out once for each set."""
        chosen = frozenset(keys)
        found = self._known.get(chosen)
        if found is None:
            found = self._known[chosen] = self._evict(tuple(sorted(chosen)))
        return found

    def play(self, keys: Iterable[str], *, requeue: str = "each") -> tuple[Simulation, Ending]:
        """The simulation of evicting these workloads at once, at its end."""
        return self._play(tuple(keys), requeue=requeue)

    def one_by_one(self, keys: Iterable[str]) -> Outcome:
        """The outcome when Kueue comes to rest between two evictions, in this order."""
        order = tuple(keys)
        simulation, ending = self._play(order[:1], comes_back=False)
        for key in order[1:]:
            if key in simulation.snapshot.held:
                if self.hold:
                    simulation.finish(key)
                    simulation.wake()
                else:
                    info = simulation.snapshot.held[key]
                    info.workload = self._kept_back(info.workload)
                    simulation.preempt(key, reason=REASON)
                ending = simulation.run(max_rounds=simulation.rounds + MAX_ROUNDS)
        return self._outcome(order, simulation, self._come_back(order, simulation, ending))

    def drained(self, keys: Iterable[str]) -> Outcome:
        """The outcome when parked workloads come back only after the others had their turn."""
        order = tuple(keys)
        return self._outcome(order, *self._play(order, requeue="drain"))

    def relaxed(self) -> Simulation:
        """The present state, never run, without whoever is evicted anyway: where a cheap look says what is in reach."""
        if self._relaxed is None:
            found = Simulation(self.state, self.settings, now=self.now, reader=self._reader)
            for info in list(found.snapshot.held.values()):
                if info.evicted or info.key in self.before.evictions:
                    found.snapshot.release(info)
            self._relaxed = found
        return self._relaxed

    def may_pass(self, keys: Iterable[str], gaps: Iterable[Gap]) -> bool:
        """Whether gaps can be closed at all by evictions of which all victims and followers are among these workloads.

        A necessary condition. Whoever holds quota at the end beside these held it all the time, so what is free with
        nobody else coming in is the most that there can be.
        """
        simulation = self.relaxed()
        snap = simulation.snapshot
        away = [(info, info.queue) for key in keys if (info := snap.held.get(key)) is not None]
        for info, _ in away:
            snap.release(info)
        try:
            return all(self._in_reach(simulation, gap, away) for gap in gaps)
        finally:
            for info, queue in away:
                assert queue is not None
                snap.hold(info, queue)

    def _in_reach(self, simulation: Simulation, gap: Gap, away: Sequence[tuple[Info, QueueNode | None]]) -> bool:
        match self.goal.kind:
            case GoalKind.WITHIN_QUOTA:
                return all(left.node != gap.node for left in goals.gaps(simulation, self.goal))
            case GoalKind.FIT:
                return any(self._has_room(simulation, info, pool.queue) for info, pool in _waiting(simulation, gap))
            case GoalKind.NOMINAL:
                # The gap also closes when another workload of the queue takes the nominal quota.
                pool = simulation.pools.queues[gap.node]
                comers = [info for info, queue in away if queue is pool.queue]
                return any(self._has_room(simulation, info, pool.queue) for info in (*pool.ordered(), *comers))
            case _:
                return True

    def _has_room(self, simulation: Simulation, info: Info, queue: QueueNode) -> bool:
        """Whether a way to place the workload fits into what is free; worked out once for each workload."""
        ways = self._ways.get(info.key)
        if ways is None:
            ways = self._ways[info.key] = goals.options(simulation, info, queue)
        return queue.active and any(quota.fits(queue, option) for option in ways)

    def _play(
        self, keys: tuple[str, ...], *, requeue: str = "each", comes_back: bool = True
    ) -> tuple[Simulation, Ending]:
        state = self.state
        if keys:
            self.tried += 1
            if self.on_trial is not None:
                self.on_trial(self.tried)
            state = replace(state, workloads={**state.workloads, **{key: self._marked(key) for key in keys}})
        simulation = Simulation(state, self.settings, now=self.now, requeue=requeue, reader=self._reader)
        if simulation.has_work and not simulation.pools.has_heads():
            # Evicted workloads give their quota back although nobody waits for it.
            simulation.step()
        ending = simulation.run(max_rounds=MAX_ROUNDS)
        return simulation, self._come_back(keys, simulation, ending) if comes_back else ending

    def _kept_back(self, workload: Workload) -> Workload:
        """A workload about to be evicted, with a backoff that does not end by itself here."""
        if not self.backoff:
            return workload
        count = workload.requeue.count if workload.requeue is not None else 0
        return replace(workload, requeue=RequeueState(count, _FOREVER))

    def _come_back(self, keys: tuple[str, ...], simulation: Simulation, ending: Ending) -> Ending:
        """End the backoff of these victims and go on to the end; nothing where there is none."""
        if not self.backoff or not ending.is_fixpoint:
            return ending
        waiting = [
            (pool, info)
            for pool in simulation.pools.queues.values()
            for key in keys
            if (info := pool.inadmissible.get(key)) is not None
        ]
        for pool, info in waiting:
            workload = replace(info.workload, requeue=self.state.workloads[info.key].requeue)
            pool.remove(info.key)
            again = self._reader.read(workload)
            again.queue = pool.queue
            pool.add(again)
        return simulation.run(max_rounds=simulation.rounds + MAX_ROUNDS) if waiting else ending

    def _marked(self, key: str) -> Workload:
        """A victim as the plan leaves it; the same object in every trial."""
        found = self._marks.get(key)
        if found is None:
            mark = deactivated if self.hold else evicted
            found = self._marks[key] = mark(self._kept_back(self.state.workloads[key]), self.now)
        return found

    def _evict(self, keys: tuple[str, ...]) -> Outcome:
        if not keys:
            return self.anyway
        simulation, ending = self._play(keys)
        return self._outcome(keys, simulation, ending)

    def _outcome(self, keys: tuple[str, ...], simulation: Simulation, ending: Ending) -> Outcome:
        if not ending.is_fixpoint:
            return Outcome(keys, is_settled=False)
        victims, before = frozenset(keys), self.before
        held = simulation.snapshot.held
        again = [key for key in keys if key in held]
        stayed = [key for key in again if _same_place(self.state.workloads[key], simulation.assigned[key])]
        gained = [key for key in simulation.assigned if key not in before.snapshot.held and key not in victims]
        others = [key for key in simulation.evictions if key not in victims and key not in before.evictions]
        return Outcome(
            victims=keys,
            is_settled=True,
            gaps=tuple(goals.gaps(simulation, self.goal)),
            back=tuple(stayed),
            moved=tuple(placed(simulation.assigned[key]) for key in again if key not in stayed),
            followers=tuple((key, simulation.evictions[key]) for key in sorted(others)),
            admitted=tuple(placed(simulation.assigned[key]) for key in sorted(gained)),
            lost=tuple(sorted(key for key in before.assigned if key not in held and key in before.snapshot.held)),
        )


def _waiting(simulation: Simulation, gap: Gap) -> Iterator[tuple[Info, PendingQueue]]:
    """The waiting workload of a gap with its queue, if it waits."""
    for pool in simulation.pools.queues.values():
        info = pool.active.get(gap.workload) or pool.inadmissible.get(gap.workload)
        if info is not None:
            yield info, pool


def evicted(workload: Workload, now: int) -> Workload:
    """The workload with the conditions that Kueue writes when it preempts one."""
    kept = tuple(c for c in workload.conditions if c.type not in (workloads.EVICTED, workloads.PREEMPTED))
    marks = (
        Condition(workloads.EVICTED, "True", "Preempted", last_transition=now),
        Condition(workloads.PREEMPTED, "True", REASON, last_transition=now),
    )
    return replace(workload, conditions=(*kept, *marks))


def deactivated(workload: Workload, now: int) -> Workload:
    """The workload switched off: it gives its quota back and waits for nothing."""
    return replace(workload, active=False)


def placed(entry: Entry) -> Placed:
    """Where an admitted entry went."""
    assert entry.assignment is not None
    flavors = tuple(
        (result.name, resource, pick.flavor)
        for result in entry.assignment.pod_sets
        for resource, pick in sorted(result.picks.items())
    )
    return Placed(entry.info.key, entry.queue.name, flavors)


def _same_place(workload: Workload, entry: Entry) -> bool:
    """Whether a workload got again what it had: queue, flavors and pod counts."""
    admission = workload.admission
    assert admission is not None
    assert entry.assignment is not None
    if admission.cluster_queue != entry.queue.name:
        return False
    counts = {pod_set.name: pod_set.count for pod_set in workload.pod_sets}
    before = {
        found.name: (dict(found.flavors), counts.get(found.name, 0) if found.count is None else found.count)
        for found in admission.pod_sets
    }
    after = {
        result.name: ({resource: pick.flavor for resource, pick in result.picks.items()}, result.count)
        for result in entry.assignment.pod_sets
    }
    return before == after
