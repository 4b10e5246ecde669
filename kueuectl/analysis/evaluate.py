"""Runs the engine to a workload's first evaluation, and keeps what it saw there.

Only the tree of the workload's ClusterQueue is built and simulated, and only up to that evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kueuectl.analysis import evidence
from kueuectl.analysis.explanation import PodSetRow, PreemptionFacts
from kueuectl.engine import snapshot, workloads
from kueuectl.engine.entries import Entry, Outcome
from kueuectl.engine.flavors.assignment import has_pending_flavors
from kueuectl.engine.infos import Info
from kueuectl.engine.pending import PendingQueue
from kueuectl.engine.simulate import Round, Simulation
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import replace

MAX_ROUNDS = 1000
# What the engine may do on the way, in heads looked at; one costs more in a tree of many queues. Under two seconds,
# whatever the tree: 100 rounds of a cohort of 16 queues, or 3 of one with 250.
MAX_EFFORT = 2000
_QUEUES = 64
_HELD = 20


@dataclass(slots=True)
class Evaluation:
    """What an evaluation gave. Without `entry` the workload was never evaluated: `head` is in front of it.

    `contender` is the entry that took or reserved the capacity first in the same cycle, where it would fit alone.
    """

    entry: Entry | None = None
    pod_sets: tuple[PodSetRow, ...] = ()
    preemption: PreemptionFacts = field(default_factory=PreemptionFacts)
    head: str = ""
    contender: str = ""
    rounds: int = 0
    # It fits when borrowing (or lending) limits of the tree are taken away, and not with them.
    blocked_by_borrowing: bool = False
    blocked_by_lending: bool = False
    # The evaluation was that of an equal workload, whose result counts for this one (KEP-9694).
    stands_for: str = ""
    # An earlier evaluation refused it, the search of flavors went on from there.
    refused_before: bool = False
    is_long: bool = False
    is_loop: bool = False
    # Where it stands at the start: position from 1, and how many wait.
    position: int = 0
    waiting: int = 0
    is_parked: bool = False
    cluster_queue: str = ""
    path: tuple[str, ...] = ()
    strategy: str = ""
    # What this cost, in heads that the engine looked at.
    effort: int = 0


def evaluate(
    state: ClusterState, settings: Settings, *, now: int, key: str, patience: int = 0, at_once: bool = False
) -> Evaluation:
    """The first evaluation of a waiting workload; its LocalQueue and ClusterQueue must exist and be active.

    With patience, one that only lost the race of its cycle is followed to its next evaluations, as many as that. When
    its turn is too far away, or with `at_once`, the answer is that of an evaluation in the present state (`is_long`).
    """
    workload = state.workloads[key]
    local = state.local_queues[f"{workload.namespace}/{workload.queue_name}"]
    queue = state.cluster_queues[local.cluster_queue]
    root = snapshot.root_of(state, queue)
    run = _Run(state, settings, now=now, key=key, root=root, queue=queue.name)
    found = run.result
    run.note_start()
    at_once = at_once or run.is_far()
    if not at_once:
        run.go_on()
    if at_once or found.is_long:
        present = run if at_once else _Run(state, settings, now=now, key=key, root=root, queue=queue.name)
        present.answer_now(found)
        return present.result
    # Refused for good, but flavors are left to try: the next evaluation goes on from there and may fit.
    while found.entry is not None and _goes_on(found.entry) and not found.is_long:
        previous, found.entry = found.entry, None
        pod_sets, facts = found.pod_sets, found.preemption
        run.go_on()
        if found.entry is None or found.entry.outcome is not Outcome.ADMITTED:
            found.entry, found.pod_sets, found.preemption = previous, pod_sets, facts
            break
        found.refused_before = True
    while patience and found.entry is not None and found.entry.outcome in _LOST and not found.is_long:
        patience -= 1
        lost, found.entry = found.entry, None
        run.go_on()
        found.entry = found.entry or lost
    return found


# The workload stays in the heap, and the next cycle looks at it again.
_LOST = frozenset({Outcome.NO_LONGER_FITS, Outcome.OVERLAPPING_VICTIMS, Outcome.WILL_FIT_AFTER})


def _goes_on(entry: Entry) -> bool:
    return entry.outcome is Outcome.NO_FIT and has_pending_flavors(entry.info.last_tried)


def reduced(state: ClusterState, key: str) -> ClusterState:
    """The state without workloads of other trees: what experiments on this workload are run on."""
    workload = state.workloads[key]
    local = state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
    queue = state.cluster_queues.get(local.cluster_queue) if local is not None else None
    if queue is None:
        return state
    root = snapshot.root_of(state, queue)
    names = {q.name for q in state.cluster_queues.values() if snapshot.root_of(state, q) == root}
    doors = {lq.key for lq in state.local_queues.values() if lq.cluster_queue in names}
    kept = {
        other.key: other
        for other in state.workloads.values()
        if f"{other.namespace}/{other.queue_name}" in doors
        or (other.admission is not None and other.admission.cluster_queue in names)
    }
    return replace(state, workloads=kept)


class _Run:
    """One simulation that looks out for one workload."""

    def __init__(self, state: ClusterState, settings: Settings, *, now: int, key: str, root: str, queue: str) -> None:
        self.key = key
        self.simulation = Simulation(state, settings, now=now, roots=[root])
        self.node = self.simulation.snapshot.queues[queue]
        self.pool: PendingQueue = self.simulation.pools.queues[queue]
        self.result = Evaluation(
            cluster_queue=queue,
            path=tuple(node.name for node in self.node.path),
            strategy=self.node.spec.queueing_strategy,
        )

        size = len(self.simulation.snapshot.queues)
        held = len(self.simulation.snapshot.held)
        self._weight = 1 + size / _QUEUES
        # Building a simulation costs about as much as looking at one head for every so many workloads.
        self.result.effort = held // _HELD

    def answer_now(self, before: Evaluation) -> None:
        """Evaluate in the present state; `before` tells of the simulation that did not get there."""
        found = self.result
        if found is not before:
            self.note_start()
            found.rounds, found.is_loop = before.rounds, before.is_loop
            found.effort += before.effort
        found.is_long = True
        head = self.pool.peek()
        if not (self.node.is_strict and head is not None and head.key != self.key and self._is_refused(head)):
            self._evaluate_now()

    def _is_refused(self, head: Info) -> bool:
        """Whether a head can't be admitted now: in a StrictFIFO queue nothing behind it is looked at then."""
        return _outcome_alone(self.simulation.nominator.nominate(head, self.node)) is not Outcome.ADMITTED

    def is_far(self) -> bool:
        """Whether its turn can't come within the effort: every round takes one shape at most out of its way."""
        target = self._target()
        if target is None:
            return False
        before = [info for info in self.pool.active.values() if info.order_key < target.order_key]
        rounds = len({info.shape for info in before}) if self.pool.uses_shapes else len(before)
        heads = sum(1 for pool in self.simulation.pools.queues.values() if pool.active and pool.queue.active)
        return rounds * heads * self._weight > MAX_EFFORT

    def note_start(self) -> None:
        """Where the workload stands before anything happens."""
        found = self.result
        for position, info in enumerate(self.pool.ordered(), start=1):
            found.waiting += 1
            if info.key == self.key:
                found.position = position
        found.is_parked = self.key in self.pool.inadmissible
        head = self.pool.peek()
        found.head = head.key if head is not None and head.key != self.key else ""

    def go_on(self) -> None:
        """Rounds until the workload is evaluated, or the end."""
        simulation, found = self.simulation, self.result
        while True:
            ending = simulation.run(max_rounds=MAX_ROUNDS, until=self._stops, on_round=self._count)
            found.rounds = simulation.rounds
            if ending.is_stopped and found.effort > MAX_EFFORT and not self._is_turn():
                found.is_long = True
                return
            if ending.is_stopped:
                if self._evaluate():
                    return
                continue
            found.is_loop = ending.is_livelock
            found.is_long = not ending.is_fixpoint
            head = self.pool.peek()
            found.head = head.key if head is not None and head.key != self.key else ""
            if not found.is_long and self.key in self.pool.inadmissible and found.entry is None:
                self._evaluate_now()
            return

    def _count(self, done: Round) -> None:
        self.result.effort += int(len(done.decision.entries) * self._weight)

    def _stops(self) -> bool:
        return self.result.effort > MAX_EFFORT or self._is_turn()

    def _target(self) -> Info | None:
        return self.pool.active.get(self.key)

    def _is_turn(self) -> bool:
        """Whether the next round evaluates the workload, or one that stands for it."""
        target = self._target()
        if target is None or not self.node.active:
            return False
        head = self.pool.peek()
        return head is target or (head is not None and self.pool.uses_shapes and head.shape == target.shape)

    def _evaluate(self) -> bool:
        """The round that evaluates it; False when the one that stood for it was not refused."""
        target, head = self._target(), self.pool.peek()
        assert target is not None
        assert head is not None
        self._look(target)
        done = self.simulation.step()
        self._count(done)
        if head is target:
            self.result.entry = next(entry for entry in done.decision.entries if entry.info is target)
            self._note_contender(done.decision.entries)
            return True
        if self.key not in self.pool.inadmissible:
            return False
        self.result.entry = next(entry for entry in done.decision.entries if entry.info is head)
        self.result.stands_for = head.key
        return True

    def _evaluate_now(self) -> None:
        """The evaluation that the workload would get in the present state of the simulation."""
        target = self.pool.active.get(self.key) or self.pool.inadmissible.get(self.key)
        if target is None:
            return
        self._look(target)
        entry = self.simulation.nominator.nominate(target, self.node)
        entry.outcome = _outcome_alone(entry)
        self.result.entry = entry

    def _look(self, target: Info) -> None:
        """The evidence of an evaluation on the present snapshot; leaves everything as it was."""
        found, nominator = self.result, self.simulation.nominator
        tried = target.last_tried
        found.pod_sets, found.preemption = evidence.collect(nominator, target, self.node)
        found.blocked_by_borrowing, found.blocked_by_lending = evidence.limits_in_the_way(nominator, target, self.node)
        target.last_tried = tried

    def _note_contender(self, entries: list[Entry]) -> None:
        """Which entry came first, for one that lost the race."""
        entry = self.result.entry
        assert entry is not None
        if entry.blocked_by is not None:
            self.result.contender = entry.blocked_by.key
            return
        if entry.outcome is not Outcome.NO_LONGER_FITS:
            return
        wanted = {fr for fr, _ in entry.usage}
        for other in entries:
            if other is entry:
                return
            if other.queue.tree is entry.queue.tree and any(fr in wanted for fr, _ in other.usage):
                takes = other.outcome in (Outcome.ADMITTED, Outcome.PREEMPTING, Outcome.NO_CANDIDATES)
                self.result.contender = other.info.key if takes else self.result.contender


def _outcome_alone(entry: Entry) -> Outcome:
    """What would come of an entry without others in its cycle."""
    if entry.assignment is None:
        return entry.outcome
    match entry.mode.name:
        case "FIT":
            return Outcome.ADMITTED
        case "NO_FIT":
            return Outcome.NO_FIT
        case _:
            return Outcome.PREEMPTING if entry.victims else Outcome.NO_CANDIDATES


def is_waiting(state: ClusterState, settings: Settings, key: str) -> bool:
    """Whether a queue would take the workload in."""
    return workloads.may_queue(state.workloads[key], settings)
