"""The search for victims under fair sharing.

Rules (KEP-1714, Preemption algorithm; docs: Preemption, Fair Sharing):

1. Candidates: in the preemptor's own queue as withinClusterQueue says; in other queues of the tree that are above their
   nominal quota in a flavor-resource that is short, as reclaimWithinCohort says. Sorted, and grouped by queue.
2. Next queue: from the root down, the child with the highest share. A cohort wins against a queue with an equal share;
   between queues with equal shares the better first candidate wins. Children that do not borrow are left out for good,
   unless they are on the preemptor's path, and so are those without candidates.
3. The preemptor's own queue gives its first candidate. Another queue gives its first candidate that satisfies the
   strategy; those before it are kept for the second strategy. Shares compared are of the two nodes right below the
   lowest common ancestor, the preemptor's with the demand added.
   LessThanOrEqualToFinalShare: preemptor's <= target's without the candidate.
   LessThanInitialShare: preemptor's < target's with it.
4. A preemptor that stays within its nominal quota in everything that is short needs no strategy: its first candidate
   is reclaimed (gate FairSharingPreemptWithinNominal).
5. With a second strategy and no fit: the kept candidates again, at most one for each queue.
6. `plan.spare` at the end, with borrowing.
"""

from __future__ import annotations

from collections.abc import Sequence

from kueuectl.engine import quota, shares
from kueuectl.engine.infos import Info
from kueuectl.engine.preemption import classical, plan, policy
from kueuectl.engine.preemption.notes import Finding, Notes, ShareCheck
from kueuectl.engine.preemption.plan import Demand, Victim
from kueuectl.engine.quota import Node
from kueuectl.engine.reasons import IN_CLUSTER_QUEUE, IN_COHORT_FAIR_SHARING, IN_COHORT_RECLAMATION
from kueuectl.engine.snapshot import QueueNode

FINAL = "LessThanOrEqualToFinalShare"
INITIAL = "LessThanInitialShare"

ShareKey = tuple[int, float]
_ZERO: ShareKey = (0, 0.0)
_NONE: ShareKey = (-1, 0.0)


def find_victims(
    demand: Demand, strategies: Sequence[str], *, within_nominal: bool, notes: Notes | None = None
) -> list[Victim]:
    """The victims that make the demand fit, in the order of removal; empty when there is no such set.

    `within_nominal` is the gate of rule 4.
    """
    candidates = _candidates(demand, notes)
    if not candidates or (notes is None and not plan.could_fit(demand, candidates.values(), borrowing=True)):
        return []
    search = _Search(demand, notes, within_nominal=within_nominal)
    quota.add_all(demand.queue, demand.usage)
    fitting = search.first(candidates, strategies[0])
    if not fitting and len(strategies) > 1:
        fitting = search.second()
    quota.remove_all(demand.queue, demand.usage)
    if not fitting:
        plan.restore(search.victims)
        if notes is not None:
            for victim in search.victims:
                notes.add(victim.info, Finding.NOT_ENOUGH)
        return []
    kept = plan.spare(demand, search.victims, borrowing=True)
    plan.restore(kept)
    if notes is not None:
        _note_outcome(notes, candidates, search.victims, kept)
    return kept


def _candidates(demand: Demand, notes: Notes | None) -> dict[str, list[Info]]:
    """Candidates by queue, each list in candidate order. Only to be read."""
    found: dict[str, list[Info]] = {}
    own, frs = demand.queue, demand.frs
    for queue in own.tree.queues:
        if queue is own:
            rule, field = queue.within, "withinClusterQueue"
        elif own.parent is None:
            continue
        else:
            rule, field = own.reclaim, "reclaimWithinCohort"
        if not queue.held or (rule == policy.NEVER and notes is None):
            continue
        if queue is not own and not _is_open(queue, frs, notes):
            continue
        infos = classical.usable(demand, queue, rule=rule, field=field, notes=notes)
        if infos:
            found[queue.name] = infos
    return found


def _is_open(queue: QueueNode, frs: frozenset[int], notes: Notes | None) -> bool:
    """Whether another queue's workloads count at all: it is active and borrows what is short."""
    if queue.active and not quota.is_within_nominal(queue, frs):
        return True
    if notes is not None:
        finding = Finding.NOT_BORROWING if queue.active else Finding.INACTIVE_QUEUE
        for info in queue.candidates():
            notes.add(info, finding, detail=queue.name)
    return False


class _Search:
    """One search; `victims` are taken away from the snapshot, the demand is added to it."""

    def __init__(self, demand: Demand, notes: Notes | None, *, within_nominal: bool) -> None:
        self.demand = demand
        self.notes = notes
        self.within_nominal = within_nominal
        self.victims: list[Victim] = []
        self.kept_back: dict[str, list[Info]] = {}
        self.resource_of = demand.queue.tree.resource_of

    def first(self, candidates: dict[str, list[Info]], strategy: str) -> bool:
        """Rule 3 with the first strategy (and rule 4); whether the demand fits at the end."""
        demand = self.demand
        ordering = Ordering(demand, {name: list(infos) for name, infos in candidates.items()}, self.notes)
        reclaims = self.within_nominal and _stays_within_nominal(demand)
        while (target := ordering.next()) is not None:
            waiting = ordering.waiting[target.name]
            if target is demand.queue or reclaims:
                reason = IN_CLUSTER_QUEUE if target is demand.queue else IN_COHORT_RECLAMATION
                if self._take(waiting.pop(0), reason):
                    return True
                ordering.forget(target)
                continue
            mine, theirs = _below_common_ancestor(demand.queue, target)
            new_share = shares.key_of(mine, self.resource_of)
            old_share = shares.key_of(theirs, self.resource_of)
            while waiting:
                info = waiting.pop(0)
                if self._passes(strategy, info, (mine, theirs), new_share, old_share):
                    if self._take(info, IN_COHORT_FAIR_SHARING):
                        return True
                    ordering.forget(target)
                    break
                self.kept_back.setdefault(target.name, []).append(info)
        return False

    def second(self) -> bool:
        """Rule 5; whether the demand fits at the end."""
        demand = self.demand
        ordering = Ordering(demand, self.kept_back, self.notes)
        while (target := ordering.next()) is not None:
            mine, theirs = _below_common_ancestor(demand.queue, target)
            new_share = shares.key_of(mine, self.resource_of)
            old_share = shares.key_of(theirs, self.resource_of)
            info = ordering.waiting[target.name].pop(0)
            if self._passes(INITIAL, info, (mine, theirs), new_share, old_share):
                if self._take(info, IN_COHORT_FAIR_SHARING):
                    return True
                ordering.forget(target)
            ordering.drop(target)
        return False

    def _passes(
        self, strategy: str, info: Info, nodes: tuple[Node, Node], new_share: ShareKey, old_share: ShareKey
    ) -> bool:
        compared = old_share
        if strategy == FINAL:
            if nodes[1] is info.queue:
                compared = shares.key_without(nodes[1], info.usage, self.resource_of)
            else:
                plan.take_away(info)
                compared = shares.key_of(nodes[1], self.resource_of)
                plan.put_back(info)
            holds = new_share <= compared
        else:
            holds = new_share < compared
        if self.notes is not None and not holds:
            check = ShareCheck(strategy, nodes[0].name, nodes[1].name, _value(new_share), _value(compared), holds)
            self.notes.add(info, Finding.SHARE, share=check)
        return holds

    def _take(self, info: Info, reason: str) -> bool:
        """Take a victim away; whether the demand fits then."""
        plan.take_away(info)
        self.victims.append(Victim(info, reason))
        # The demand is added already. What is available less an amount is what is available once it was added.
        queue = self.demand.queue
        return all(amount <= 0 or quota.available(queue, fr) >= 0 for fr, amount in self.demand.usage)


def _value(key: ShareKey) -> float:
    """The share as a number: infinite for weight 0."""
    return float("inf") if key[0] else key[1]


def _stays_within_nominal(demand: Demand) -> bool:
    """Whether the queue is within its nominal quota in all that is short, with the demand added."""
    return quota.is_within_nominal(demand.queue, demand.frs)


def _below_common_ancestor(own: QueueNode, target: QueueNode) -> tuple[Node, Node]:
    """The nodes right below the lowest common ancestor, on the preemptor's side and on the target's."""
    ancestors = own.path
    theirs: Node = target
    for cohort in target.path:
        if cohort in ancestors:
            index = ancestors.index(cohort)
            return (own if index == 0 else ancestors[index - 1]), theirs
        theirs = cohort
    raise AssertionError(f"{own.name} and {target.name} have no common ancestor")


class Ordering:
    """Which queue to preempt from next (rule 2). `waiting` are the candidates that are left, by queue."""

    def __init__(self, demand: Demand, waiting: dict[str, list[Info]], notes: Notes | None) -> None:
        self.demand = demand
        self.waiting = waiting
        self.notes = notes
        self.resource_of = demand.queue.tree.resource_of
        # Nodes that nothing more is taken from, and the shares of others since usage last changed.
        self._out: set[Node] = set()
        self._shares: dict[Node, ShareKey] = {}
        # Queues of a cohort that are still in.
        self._live: dict[Node, list[Node]] = {}

    def drop(self, queue: QueueNode) -> None:
        """Take no more from this queue."""
        self._out.add(queue)

    def forget(self, queue: QueueNode) -> None:
        """The usage of this queue has changed since it was handed out."""
        self._shares.pop(queue, None)
        for cohort in queue.path:
            self._shares.pop(cohort, None)

    def _share(self, node: Node) -> ShareKey:
        found = self._shares.get(node)
        if found is None:
            found = self._shares[node] = shares.key_of(node, self.resource_of)
        return found

    def next(self) -> QueueNode | None:
        """The queue to preempt from, or None when nobody is left."""
        own = self.demand.queue
        if own.parent is None:
            return own if self.waiting.get(own.name) and own not in self._out else None
        # Down along the largest shares. A cohort where nobody is left drops out, and the one above it decides again:
        # what is further up would decide as before.
        way = [own.path[-1]]
        while way:
            queue, queue_share = self._best_queue(way[-1])
            child, child_share = self._best_cohort(way[-1])
            if child is not None and child_share >= queue_share:
                way.append(child)
            elif queue is not None:
                return queue
            else:
                self._out.add(way.pop())
        return None

    def _best_queue(self, cohort: Node) -> tuple[QueueNode | None, ShareKey]:
        best: Node | None = None
        best_share = _NONE
        own, waiting, known, out = self.demand.queue, self.waiting, self._shares, self._out
        live = self._live.get(cohort)
        if live is None:
            live = self._live[cohort] = list(cohort.queues)
        for node in tuple(live):
            share = known.get(node)
            if share is None:
                share = known[node] = shares.key_of(node, self.resource_of)
            if node in out or not waiting.get(node.name) or (share == _ZERO and node is not own):
                live.remove(node)
            elif best is None or share > best_share or (share == best_share and self._goes_before(node, best)):
                best, best_share = node, share
        assert best is None or isinstance(best, QueueNode)
        return best, best_share

    def _goes_before(self, a: Node, b: Node) -> bool:
        """Between equal shares the better first candidate decides."""
        return policy.goes_before(self.waiting[a.name][0], self.waiting[b.name][0], self.demand.queue)

    def _best_cohort(self, cohort: Node) -> tuple[Node | None, ShareKey]:
        best: Node | None = None
        best_share = _NONE
        tied: list[str] = []
        for child in cohort.children:
            if child in self._out:
                continue
            share = self._share(child)
            if share == _ZERO and child not in self.demand.queue.path:
                self._out.add(child)
            elif share > best_share:
                best, best_share, tied = child, share, [child.name]
            elif share == best_share:
                # Differs: Kueue takes one of them by the order of a Go map, we the last by name; the tie is reported.
                best = child
                tied.append(child.name)
        if len(tied) > 1 and self.notes is not None:
            self.notes.ties.append(tuple(tied))
        return best, best_share


def _note_outcome(notes: Notes, candidates: dict[str, list[Info]], victims: list[Victim], kept: list[Victim]) -> None:
    final = {victim.info.key: victim.reason for victim in kept}
    for victim in victims:
        chosen = victim.info.key in final
        notes.add(victim.info, Finding.CHOSEN if chosen else Finding.SPARED, detail=final.get(victim.info.key, ""))
    seen = {note.info.key for note in notes.entries}
    for infos in candidates.values():
        for info in infos:
            if info.key not in seen:
                notes.add(info, Finding.NOT_NEEDED)
