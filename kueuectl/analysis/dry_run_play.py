"""Plays a part of a state to its end, and keeps what the end looks like and who was preempted on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from kueuectl.engine import quota, shares, simulate, workloads
from kueuectl.engine.entries import Entry
from kueuectl.engine.flavors.assignment import Assignment
from kueuectl.engine.infos import Info, InfoReader
from kueuectl.engine.preemption.notes import Notes
from kueuectl.engine.preemption.plan import Victim
from kueuectl.engine.preemption.search import Preemptor
from kueuectl.engine.quota import Node
from kueuectl.engine.shares import Share
from kueuectl.engine.simulate import Round, Simulation
from kueuectl.engine.snapshot import QueueNode, Tree
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct

# Rounds of the scheduler, unless the caller says how many. A round looks at one workload of each ClusterQueue, and for
# victims in all of them: in trees of many queues fewer rounds are affordable.
MAX_ROUNDS = 1000
LEAST_ROUNDS = 25
_LOOKS = 1_600_000
# A loop is told by its last repetitions; the engine stops at the fifth visit of a state.
_REPEATS = 4


class EndKind(StrEnum):
    """How a simulation ended: nothing changes any more, workloads preempt each other for ever, or too many rounds."""

    FIXPOINT = "fixpoint"
    LOOP = "loop"
    LIMIT = "limit"


class Ended(Struct, frozen=True):
    """The end of one simulation. `members` go round in a LOOP, or are still moving at the LIMIT."""

    kind: EndKind
    rounds: int
    root: str
    members: tuple[str, ...] = ()
    period: int = 0


class Holding(Struct, frozen=True):
    """Quota that a workload holds. flavors: (pod set, resource, flavor); counts: (pod set, pods).

    `is_reserved`: admission checks are open, so that it does not run yet.
    """

    cluster_queue: str
    flavors: tuple[tuple[str, str, str], ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    is_reserved: bool = False


class Place(Struct, frozen=True):
    """Where a workload waits: position from 1. `entry` is its last evaluation, None where there was none."""

    cluster_queue: str
    position: int
    entry: Entry | None = None


class Preemption(Struct, frozen=True):
    """One preemption on the way. `reason` is that of the Preempted condition."""

    workload: str
    preemptor: str
    reason: str
    round: int


class QuotaFact(Struct, frozen=True):
    """One flavor-resource of a node, amounts.

    nominal and total: all quota, and all usage, in the node and below it. quota and used: what counts for borrowing,
    its own quota plus what the members below it lend, and what they use of that. limit: for borrowing, None unlimited.
    """

    flavor: str
    resource: str
    nominal: int
    total: int
    quota: int
    used: int
    available: int
    limit: int | None = None

    @property
    def over(self) -> int:
        """What is used beyond the quota: borrowed from others, or simply too much where there is no other."""
        return max(0, self.used - self.quota)

    @property
    def beyond(self) -> int:
        """What is borrowed beyond the borrowing limit."""
        return 0 if self.limit is None else max(0, self.over - self.limit)


class NodeFact(Struct, frozen=True):
    """A ClusterQueue or cohort. `parent` is the name of the cohort above it, "" for a root.

    `inactive` is why a ClusterQueue admits nobody, in Kueue's words; "" when it does.
    """

    kind: str
    name: str
    parent: str
    share: Share
    quotas: tuple[QuotaFact, ...]
    reclaims: bool = False
    held: tuple[str, ...] = ()
    inactive: str = ""


@dataclass(slots=True)
class Outcome:
    """Where things are: who holds quota, who waits, who was preempted and evicted on the way, quota by node."""

    held: dict[str, Holding] = field(default_factory=dict)
    waiting: dict[str, Place] = field(default_factory=dict)
    preemptions: list[Preemption] = field(default_factory=list)
    evictions: dict[str, str] = field(default_factory=dict)
    # Workload slices that ended on the way, and the ones that took their places.
    replaced: dict[str, str] = field(default_factory=dict)
    nodes: dict[tuple[str, str], NodeFact] = field(default_factory=dict)
    endings: list[Ended] = field(default_factory=list)
    # GPU resources and others that waiting workloads ask for, in amounts.
    asked: dict[str, int] = field(default_factory=dict)
    # (preemptor, cohorts that Kueue picks between at random) of preemptions that could have gone another way.
    ties: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Take in the outcome of another part."""
        self.held |= other.held
        self.waiting |= other.waiting
        self.preemptions += other.preemptions
        self.evictions |= other.evictions
        self.replaced |= other.replaced
        self.nodes |= other.nodes
        self.endings += other.endings
        self.ties += other.ties
        for resource, amount in other.asked.items():
            self.asked[resource] = self.asked.get(resource, 0) + amount

    @property
    def is_settled(self) -> bool:
        """Whether every simulation came to rest."""
        return all(ended.kind is EndKind.FIXPOINT for ended in self.endings)


class Played(Struct, frozen=True):
    """A part at its start and at its end."""

    start: Outcome
    end: Outcome


def round_limit(queues: int) -> int:
    """How many rounds are played at most for a tree of so many ClusterQueues."""
    return min(MAX_ROUNDS, max(LEAST_ROUNDS, _LOOKS // max(1, queues * queues)))


def play(
    state: ClusterState,
    settings: Settings,
    *,
    now: int,
    requeue: str = "each",
    max_rounds: int | None = None,
    with_start: bool = False,
    reader: InfoReader | None = None,
) -> Played:
    """Run one part of a state to its end; the outcome of its start is only worked out `with_start`.

    max_rounds None: as many as `round_limit` says. A `reader` is shared by simulations (see `Readers`).
    """
    if max_rounds is None:
        max_rounds = round_limit(len(state.cluster_queues))
    simulation = Simulation(state, settings, now=now, requeue=requeue, reader=reader)
    ties = _Ties(settings) if settings.fair_sharing is not None else None
    if ties is not None:
        ties.watch(simulation)
    recorder = _Recorder()
    start = _outcome(simulation) if with_start else Outcome()
    if not simulation.pools.has_heads() and any(info.evicted for info in simulation.snapshot.held.values()):
        # Evicted workloads give their quota back, although nobody waits for it.
        recorder.note(simulation.step())
    ending = simulation.run(max_rounds=max_rounds, on_round=recorder.note)
    root = min((tree.root.name for tree in simulation.snapshot.trees), default="")
    end = _outcome(simulation)
    end.preemptions = recorder.preemptions
    end.ties = ties.among(recorder.preemptions) if ties is not None else []
    end.evictions = dict(simulation.evictions)
    end.replaced = dict(simulation.replaced)
    if ending.is_fixpoint:
        end.endings = [Ended(EndKind.FIXPOINT, ending.rounds, root)]
    elif ending.is_livelock:
        period, members = recorder.loop()
        end.endings = [Ended(EndKind.LOOP, ending.rounds, root, members, period)]
    else:
        end.endings = [Ended(EndKind.LIMIT, ending.rounds, root, recorder.moving())]
    return Played(start, end)


class Readers:
    """What was read of workloads, shared by the simulations of states that differ in queues and workloads only."""

    def __init__(self, state: ClusterState, settings: Settings) -> None:
        self._around = _around(state)
        self._settings = settings
        self._reader = InfoReader(state, settings).remember()

    def of(self, state: ClusterState, settings: Settings) -> InfoReader | None:
        """The shared reader, where it reads the state rightly; None where the state needs one of its own."""
        if settings is not self._settings or any(a is not b for a, b in zip(_around(state), self._around, strict=True)):
            return None
        return self._reader


def _around(state: ClusterState) -> tuple[object, ...]:
    """What requests and priorities come from beside the workloads."""
    return (
        state.limit_ranges,
        state.runtime_classes,
        state.workload_priority_classes,
        state.priority_classes,
    )


class _Ties(Preemptor):
    """Searches for victims as ever, and keeps where cohorts of equal shares were picked between at random.

    Only searches for a preemptor's last victims count, and only of preemptions that came about.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._found: dict[str, set[tuple[str, ...]]] = {}
        self._is_needed = False

    def watch(self, simulation: Simulation) -> None:
        """Take the place of the preemptor, if there are siblings that could be picked between."""
        cohorts = [node for tree in simulation.snapshot.trees for node in tree.cohorts.values()]
        self._is_needed = any(len(node.children) > 1 for node in cohorts)
        if self._is_needed:
            simulation.nominator.preemptor = self

    def victims_for(
        self, info: Info, queue: QueueNode, assignment: Assignment, *, notes: Notes | None = None
    ) -> list[Victim]:
        """As ever, with notes."""
        own = Notes() if notes is None else notes
        found = super().victims_for(info, queue, assignment, notes=own)
        if found and own.ties:
            self._found.setdefault(info.key, set()).update(own.ties)
        return found

    def among(self, preemptions: Iterable[Preemption]) -> list[tuple[str, tuple[str, ...]]]:
        """The ties of preemptions that came about, sorted."""
        keys = {preemption.preemptor for preemption in preemptions} & self._found.keys()
        return sorted((key, names) for key in keys for names in self._found[key])


# Who got quota, who gave it back, and for whom.
_Moves = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class _Recorder:
    """What moved in each round: who got quota, who gave it back."""

    def __init__(self) -> None:
        self.preemptions: list[Preemption] = []
        self._moves: list[_Moves] = []

    def note(self, done: Round) -> None:
        """Keep the moves of a round, not the round: its entries hold on to much."""
        pairs: list[tuple[Victim, Entry]] = done.decision.preempted
        for victim, entry in sorted(pairs, key=lambda pair: pair[0].info.key):
            if victim.info.key in done.evicted:
                self.preemptions.append(Preemption(victim.info.key, entry.info.key, victim.reason, done.number))
        admitted = tuple(sorted(entry.info.key for entry in done.decision.admitted))
        preemptors = tuple(sorted({entry.info.key for _, entry in pairs}))
        self._moves.append((admitted, done.evicted, preemptors))

    def loop(self) -> tuple[int, tuple[str, ...]]:
        """The length of the loop in rounds, and the workloads that move in it."""
        moves = self._moves
        for period in range(1, len(moves) // _REPEATS + 1):
            last = moves[-period:]
            if any(any(parts) for parts in last) and all(
                moves[-period * number : len(moves) - period * (number - 1)] == last
                for number in range(2, _REPEATS + 1)
            ):
                return period, _members(last)
        return 0, self.moving()

    def moving(self) -> tuple[str, ...]:
        """Workloads that moved in the last tenth of the rounds."""
        return _members(self._moves[-max(1, len(self._moves) // 10) :])


def _members(moves: Iterable[_Moves]) -> tuple[str, ...]:
    return tuple(sorted({key for move in moves for part in move for key in part}))


def _outcome(simulation: Simulation) -> Outcome:
    found = Outcome()
    for key, info in simulation.snapshot.held.items():
        entry = simulation.assigned.get(key)
        found.held[key] = _given(info) if entry is None else _assigned(entry)
    for name, pool in simulation.pools.queues.items():
        for position, info in enumerate(_in_order(pool.ordered()), start=1):
            found.waiting[info.key] = Place(name, position, simulation.last_entries.get(info.key))
            for pod_set in info.requests:
                for resource, amount in pod_set.total.items():
                    found.asked[resource] = found.asked.get(resource, 0) + amount
    for tree in simulation.snapshot.trees:
        sums = _sums(tree)
        for node in (*tree.queues, *tree.cohorts.values()):
            fact = _node(node, tree, sums[node.name] if not node.is_queue else (node.nominal, node.usage))
            found.nodes[fact.kind, fact.name] = fact
    return found


# Per flavor-resource: all quota and all usage in a node and below it.
_Sums = tuple[list[int], list[int]]


def _sums(tree: Tree) -> dict[str, _Sums]:
    """The sums of the cohorts of a tree, by name. Without recursion: trees may be deeper than Python calls."""
    order = [] if tree.root.is_queue else [tree.root]
    for node in order:
        order += node.children
    found: dict[str, _Sums] = {}
    for node in reversed(order):
        nominal, used = list(node.nominal), [0] * len(tree.frs)
        parts = [found[child.name] for child in node.children]
        parts += [(queue.nominal, queue.usage) for queue in node.queues]
        for quotas, usage in parts:
            for fr, amount in enumerate(quotas):
                nominal[fr] += amount
                used[fr] += usage[fr]
        found[node.name] = nominal, used
    return found


def _in_order(waiting: Iterator[Info]) -> list[Info]:
    """By the order of the queue alone: whether a workload is parked changes with every cycle."""
    return sorted(waiting, key=lambda info: info.order_key)


def _given(info: Info) -> Holding:
    """What the state says that a workload holds."""
    admission = info.workload.admission
    assert admission is not None
    return Holding(
        admission.cluster_queue,
        tuple(
            (pod_set.name, resource, flavor) for pod_set in admission.pod_sets for resource, flavor in pod_set.flavors
        ),
        tuple((pod_set.name, pod_set.count) for pod_set in info.requests),
        is_reserved=not workloads.is_admitted(info.workload),
    )


def _assigned(entry: Entry) -> Holding:
    """What a workload got on the way."""
    assert entry.assignment is not None
    results = entry.assignment.pod_sets
    return Holding(
        entry.queue.name,
        tuple(
            (result.name, resource, pick.flavor)
            for result in results
            for resource, pick in sorted(result.picks.items())
        ),
        tuple((result.name, result.count) for result in results),
        is_reserved=simulate.waits_for_checks(entry),
    )


def _node(node: Node, tree: Tree, sums: _Sums) -> NodeFact:
    shown = set(node.defined)
    if node.is_queue:
        shown |= {fr for fr, used in enumerate(node.usage) if used}
    return NodeFact(
        kind="ClusterQueue" if node.is_queue else "Cohort",
        name=node.name,
        parent=node.parent.name if node.parent is not None else "",
        share=shares.share(node, tree.resource_of, tree.resources),
        quotas=tuple(
            QuotaFact(
                *tree.frs[fr],
                nominal=sums[0][fr],
                total=sums[1][fr],
                quota=node.subtree[fr],
                used=node.usage[fr],
                available=quota.available(node, fr),
                limit=node.borrow[fr],
            )
            for fr in sorted(shown)
        ),
        reclaims=isinstance(node, QueueNode) and node.active and node.reclaim != "Never",
        held=tuple(info.key for info in node.candidates()) if isinstance(node, QueueNode) else (),
        inactive=node.inactive_message if isinstance(node, QueueNode) and not node.active else "",
    )
