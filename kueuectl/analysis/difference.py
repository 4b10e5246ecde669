"""The difference of two outcomes: who gains and loses quota, who moves, whose usage changes, what stays over quota."""

from __future__ import annotations

from enum import StrEnum

from kueuectl.analysis import preempt
from kueuectl.analysis.dry_run_play import Holding, NodeFact, Outcome, Place, Preemption, QuotaFact
from kueuectl.analysis.preempt import Loss
from kueuectl.engine import workloads
from kueuectl.engine.entries import Entry
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct

_MAX_RECLAIMABLE = 20


class Why(StrEnum):
    """Why a workload does not have the quota any more that it would have had."""

    PREEMPTED = "preempted"
    EVICTED = "evicted"
    DEACTIVATED = "deactivated"
    DELETED = "deleted"
    REPLACED = "replaced"
    NOT_ADMITTED = "not admitted"


class Gained(Struct, frozen=True):
    """A workload that holds quota in the second outcome and not in the first.

    `asked` is how many pods it asks for; it may have got fewer. `needs_placement`: a flavor of it has a topology, whose
    nodes were not looked at.
    """

    workload: str
    holding: Holding
    is_new: bool = False
    asked: int = 0
    needs_placement: bool = False

    @property
    def pods(self) -> int:
        """How many pods it got quota for."""
        return sum(count for _, count in self.holding.counts)


class Lost(Struct, frozen=True):
    """A workload that holds quota in the first outcome and not in the second.

    `by` preempted it, for `reason`; `loss` is what that costs, None when it does not run at present. `entry` is its
    last evaluation.
    """

    workload: str
    holding: Holding
    why: Why
    by: str = ""
    reason: str = ""
    loss: Loss | None = None
    entry: Entry | None = None


class Moved(Struct, frozen=True):
    """A workload whose flavors, counts or queue differ."""

    workload: str
    before: Holding
    after: Holding
    preemption: Preemption | None = None


class Restarted(Struct, frozen=True):
    """A workload that is evicted on the way and gets the same quota again, where it ran through before."""

    workload: str
    cluster_queue: str
    by: str
    reason: str
    loss: Loss | None = None


class Shifted(Struct, frozen=True):
    """A waiting workload whose position differs."""

    workload: str
    cluster_queue: str
    before: int
    after: int


class Stays(Struct, frozen=True):
    """A node that uses more than its quota at the end, and what becomes of that.

    `over` is the amount; `before` what it was in the first outcome; `beyond` is what is borrowed beyond the borrowing
    limit. `reclaimers` are ClusterQueues whose policy lets them reclaim it, `reclaimable` the workloads that would go
    first (candidate order), `total` how many there are.
    """

    node: str
    kind: str
    flavor: str
    resource: str
    quota: int
    used: int
    over: int
    before: int
    beyond: int = 0
    is_root: bool = False
    by_change: bool = True
    reclaimers: tuple[str, ...] = ()
    reclaimable: tuple[str, ...] = ()
    total: int = 0


class Switched(Struct, frozen=True):
    """A ClusterQueue that starts or stops admitting; `why` in Kueue's words, "" when it starts."""

    cluster_queue: str
    why: str = ""


class Changed(Struct, frozen=True):
    """A node of the tree, before and after; None where it does not exist."""

    kind: str
    name: str
    before: NodeFact | None
    after: NodeFact | None


class Difference(Struct, frozen=True):
    """All of it, each sorted by name. `spared` are evicted on the way in the first outcome only and keep quota."""

    gained: tuple[Gained, ...] = ()
    lost: tuple[Lost, ...] = ()
    moved: tuple[Moved, ...] = ()
    restarted: tuple[Restarted, ...] = ()
    spared: tuple[str, ...] = ()
    shifted: tuple[Shifted, ...] = ()
    nodes: tuple[Changed, ...] = ()
    stays: tuple[Stays, ...] = ()
    switched: tuple[Switched, ...] = ()
    # ClusterQueues whose policy lets them reclaim, and that used less than their quota before but not after.
    no_longer_reclaim: tuple[str, ...] = ()
    # Waiting in the second outcome and unknown in the first.
    queued: tuple[str, ...] = ()
    # Waited in the first outcome, and nowhere in the second.
    left: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether workloads, positions, quota and usage are all the same."""
        parts = (self.gained, self.lost, self.moved, self.restarted, self.spared)
        return not any((*parts, self.shifted, self.nodes, self.switched, self.queued, self.left))

    @property
    def preempted(self) -> tuple[str, ...]:
        """Everybody who is preempted because of the change."""
        found = [lost.workload for lost in self.lost if lost.why is Why.PREEMPTED]
        found += [moved.workload for moved in self.moved if moved.preemption is not None]
        found += [again.workload for again in self.restarted if again.by]
        return tuple(sorted(found))


def between(
    before: Outcome,
    after: Outcome,
    *,
    states: tuple[ClusterState, ClusterState],
    settings: Settings,
    now: int,
) -> Difference:
    """The difference of the ends of two states."""
    compared = _Comparison(before, after, states=states, settings=settings, now=now)
    return Difference(
        gained=compared.gained(),
        lost=compared.lost(),
        moved=compared.moved(),
        restarted=compared.restarted(),
        spared=compared.spared(),
        shifted=compared.shifted(),
        nodes=_nodes(before, after),
        stays=_stays(before, after),
        switched=_switched(before, after),
        no_longer_reclaim=_no_longer_reclaim(before, after),
        queued=tuple(sorted(key for key in after.waiting if key not in before.waiting and key not in before.held)),
        left=tuple(sorted(key for key in before.waiting if key not in after.waiting and key not in after.held)),
    )


class _Comparison:
    """What both outcomes say about each workload."""

    def __init__(
        self,
        before: Outcome,
        after: Outcome,
        *,
        states: tuple[ClusterState, ClusterState],
        settings: Settings,
        now: int,
    ) -> None:
        self.before, self.after = before, after
        self.old, self.new = states
        self.settings = settings
        self.now = now
        # The last preemption counts: it is the one that the workload did not come back from.
        self._by_before = {found.workload: found for found in before.preemptions}
        self._by_after = {found.workload: found for found in after.preemptions}

    def gained(self) -> tuple[Gained, ...]:
        """Sorted by key."""
        found = sorted(key for key in self.after.held if key not in self.before.held)
        return tuple(self._gained(key) for key in found)

    def _gained(self, key: str) -> Gained:
        holding = self.after.held[key]
        names = {flavor for _, _, flavor in holding.flavors}
        flavors = [self.new.flavors[name] for name in names if name in self.new.flavors]
        placed = self.settings.gate("TopologyAwareScheduling") and any(flavor.topology for flavor in flavors)
        asked = sum(pod_set.count for pod_set in self.new.workloads[key].pod_sets)
        return Gained(key, holding, is_new=key not in self.old.workloads, asked=asked, needs_placement=placed)

    def lost(self) -> tuple[Lost, ...]:
        """Sorted by key."""
        return tuple(self._lost(key) for key in sorted(self.before.held) if key not in self.after.held)

    def _lost(self, key: str) -> Lost:
        holding = self.before.held[key]
        workload = self.new.workloads.get(key)
        if workload is None:
            return Lost(key, holding, Why.DELETED, loss=self._loss(key, ""))
        if not workload.active:
            return Lost(key, holding, Why.DEACTIVATED, "", "Deactivated", self._loss(key, "Deactivated"))
        if key in self.after.replaced:
            return Lost(key, holding, Why.REPLACED, self.after.replaced[key])
        place = self.after.waiting.get(key)
        entry = None if place is None else place.entry
        preemption = self._by_after.get(key)
        if preemption is not None:
            by, reason = preemption.preemptor, preemption.reason
            return Lost(key, holding, Why.PREEMPTED, by, reason, self._loss(key, reason), entry)
        reason = self.after.evictions.get(key, "")
        if reason:
            return Lost(key, holding, Why.EVICTED, "", reason, self._loss(key, reason), entry)
        return Lost(key, holding, Why.NOT_ADMITTED, reason=self._idle(place), entry=entry)

    def _idle(self, place: Place | None) -> str:
        """Why the queue that it waits in admits nobody; "" when it does."""
        node = self.after.nodes.get(("ClusterQueue", place.cluster_queue)) if place is not None else None
        return node.inactive if node is not None else ""

    def _loss(self, key: str, reason: str) -> Loss | None:
        """What it costs to evict a workload that runs at present."""
        workload = self.old.workloads.get(key)
        if workload is None or not workloads.holds_quota(workload):
            return None
        return preempt.loss_of(self.old, self.settings, workload, now=self.now, reason=reason)

    def moved(self) -> tuple[Moved, ...]:
        """Sorted by key."""
        found = []
        for key in sorted(self.before.held.keys() & self.after.held.keys()):
            one, other = self.before.held[key], self.after.held[key]
            if one != other:
                found.append(Moved(key, one, other, self._new_preemption(key)))
        return tuple(found)

    def _new_preemption(self, key: str) -> Preemption | None:
        return None if key in self._by_before else self._by_after.get(key)

    def restarted(self) -> tuple[Restarted, ...]:
        """Sorted by key."""
        found = []
        for key in sorted(self.after.evictions):
            holding = self.after.held.get(key)
            if key in self.before.evictions or holding is None or self.before.held.get(key) != holding:
                continue
            by = self._by_after.get(key)
            reason = self.after.evictions[key]
            loss = self._loss(key, reason)
            found.append(Restarted(key, holding.cluster_queue, by.preemptor if by is not None else "", reason, loss))
        return tuple(found)

    def spared(self) -> tuple[str, ...]:
        """Sorted by key."""
        return tuple(
            key
            for key in sorted(self.before.evictions)
            if key not in self.after.evictions
            and key in self.after.held
            and self.after.held[key] == self.before.held.get(key)
        )

    def shifted(self) -> tuple[Shifted, ...]:
        """Sorted by queue and position."""
        found = []
        for key, place in self.after.waiting.items():
            was = self.before.waiting.get(key)
            if was is not None and (was.position, was.cluster_queue) != (place.position, place.cluster_queue):
                found.append(Shifted(key, place.cluster_queue, was.position, place.position))
        return tuple(sorted(found, key=lambda shift: (shift.cluster_queue, shift.after, shift.workload)))


def _nodes(before: Outcome, after: Outcome) -> tuple[Changed, ...]:
    """Nodes whose quota, usage, share or place in the tree differ."""
    found = []
    for key in sorted(before.nodes.keys() | after.nodes.keys()):
        one, other = before.nodes.get(key), after.nodes.get(key)
        if one is None or other is None or _facts(one) != _facts(other):
            found.append(Changed(*key, one, other))
    return tuple(found)


def _switched(before: Outcome, after: Outcome) -> tuple[Switched, ...]:
    """ClusterQueues that are there before and after, and admit in one of the outcomes only."""
    return tuple(
        Switched(name, after.nodes[kind, name].inactive)
        for kind, name in sorted(before.nodes.keys() & after.nodes.keys())
        if bool(before.nodes[kind, name].inactive) != bool(after.nodes[kind, name].inactive)
    )


def _facts(node: NodeFact) -> tuple[object, ...]:
    quotas = tuple((fact.flavor, fact.resource, fact.nominal, fact.total, fact.quota) for fact in node.quotas)
    return (node.parent, node.share, quotas)


def _stays(before: Outcome, after: Outcome) -> tuple[Stays, ...]:
    """ClusterQueues and cohorts that use more than their quota at the end."""
    found = []
    for key in sorted(after.nodes):
        was = before.nodes.get(key)
        known = {(fact.flavor, fact.resource): fact for fact in was.quotas} if was is not None else {}
        for fact in after.nodes[key].quotas:
            if fact.over:
                found.append(_stay(after, after.nodes[key], fact, known.get((fact.flavor, fact.resource))))
    return tuple(found)


def _stay(after: Outcome, node: NodeFact, fact: QuotaFact, was: QuotaFact | None) -> Stays:
    fr = (fact.flavor, fact.resource)
    users = _users(after, node, fr) if node.kind == "ClusterQueue" else []
    before = 0 if was is None else was.over
    return Stays(
        node=node.name,
        kind=node.kind,
        flavor=fact.flavor,
        resource=fact.resource,
        quota=fact.quota,
        used=fact.used,
        over=fact.over,
        before=before,
        beyond=fact.beyond,
        is_root=not node.parent,
        by_change=fact.over > before or fact.beyond > (0 if was is None else was.beyond),
        reclaimers=tuple(_reclaimers(after, node, fr)),
        reclaimable=tuple(users[:_MAX_RECLAIMABLE]),
        total=len(users),
    )


def _users(after: Outcome, node: NodeFact, fr: tuple[str, str]) -> list[str]:
    """Workloads of the queue that use the flavor-resource, in the order in which they would be preempted."""
    flavor, resource = fr
    return [
        key
        for key in node.held
        if any((name, chosen) == (resource, flavor) for _, name, chosen in after.held[key].flavors)
    ]


def _reclaimers(after: Outcome, node: NodeFact, fr: tuple[str, str]) -> list[str]:
    """ClusterQueues of the same tree that may reclaim and have unused quota of the flavor-resource."""
    root = _root(after, node)
    return [
        other.name
        for other in after.nodes.values()
        if other.kind == "ClusterQueue"
        and other is not node
        and other.reclaims
        and any((fact.flavor, fact.resource) == fr and fact.used < fact.quota for fact in other.quotas)
        and _root(after, other) is root
    ]


def _root(after: Outcome, node: NodeFact) -> NodeFact:
    seen = {node.name}
    while node.parent and node.parent not in seen and ("Cohort", node.parent) in after.nodes:
        node = after.nodes["Cohort", node.parent]
        seen.add(node.name)
    return node


def _no_longer_reclaim(before: Outcome, after: Outcome) -> tuple[str, ...]:
    """Queues that wait, and whose quota of some flavor-resource was not used up before but is after."""
    waiting = {place.cluster_queue for place in after.waiting.values()}
    found = []
    for key, node in sorted(after.nodes.items()):
        was = before.nodes.get(key)
        if was is None or not node.reclaims or not node.parent or node.name not in waiting:
            continue
        free = {(fact.flavor, fact.resource) for fact in was.quotas if fact.used < fact.quota}
        if any((fact.flavor, fact.resource) in free and fact.used >= fact.quota for fact in node.quotas):
            found.append(node.name)
    return tuple(found)


def flavors_text(holding: Holding) -> str:
    """Flavors in short, "default" or "spot/cpu, default/gpu": one word when all are of one flavor."""
    flavors = {flavor for _, _, flavor in holding.flavors}
    if len(flavors) == 1:
        return flavors.pop()
    return ", ".join(f"{pod_set}/{resource}={flavor}" for pod_set, resource, flavor in holding.flavors)
