"""The search for victims without fair sharing.

Rules (docs: Preemption, Classic Preemption; KEP-79; KEP-1337):

1. Candidates use a flavor-resource that is short. In the preemptor's own queue withinClusterQueue decides. Elsewhere
   only queues above their nominal quota count, below cohorts that are above theirs up to the lowest common ancestor,
   and reclaimWithinCohort decides.
2. From the preemptor's queue up: once a subtree can hold the request within its own quota, the preemptor has a
   hierarchical advantage over all that lies outside of it.
3. Order: evicted ones before others; in each of these, those with the advantage against them, then the rest of the
   cohort, then the preemptor's own queue; in each of these, candidate order (`Info.set_holding`).
4. Attempts: a. nobody from other queues, or no borrowing by preemption while the queue is not below nominal: one
   attempt that may borrow; b. no borrowing by preemption and no advantage over anybody: first one that may not borrow,
   then one that may; c. else the other way round. An attempt that may borrow skips candidates that may only be taken
   without; both skip candidates that the removals so far have brought within their quota.
5. Candidates are taken away until the request fits; then `plan.spare`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kueuectl.engine import quota
from kueuectl.engine.infos import Info
from kueuectl.engine.preemption import plan, policy
from kueuectl.engine.preemption.notes import Finding, Notes
from kueuectl.engine.preemption.plan import Demand, Victim
from kueuectl.engine.preemption.policy import Variant
from kueuectl.engine.quota import Node
from kueuectl.engine.snapshot import QueueNode, candidate_key


class Source(NamedTuple):
    """Candidates of one queue, in candidate order; `lca` is the lowest ancestor shared with the preemptor's queue.

    None stands for the preemptor's own queue. `advantage`: the preemptor has a hierarchical advantage over them.
    """

    infos: list[Info]
    lca: Node | None
    advantage: bool


class Candidates:
    """All candidates of one search."""

    __slots__ = ("by_queue", "demand", "groups")

    def __init__(self, demand: Demand, groups: Sequence[list[Source]]) -> None:
        self.demand = demand
        # Rule 3: the groups in their order.
        self.groups = groups
        self.by_queue = {id(source.infos[0].queue): source for group in self.groups for source in group}

    def for_attempt(self, *, borrowing: bool) -> Candidates:
        """Without those that an attempt that may borrow skips (rule 4)."""
        if not borrowing:
            return self
        groups = []
        for group in self.groups:
            kept = []
            for source in group:
                infos = source.infos
                if source.lca is not None and not source.advantage:
                    infos = policy.while_borrowing(self.demand.queue, self.demand.info, infos)
                if infos:
                    kept.append(source if infos is source.infos else Source(infos, source.lca, source.advantage))
            groups.append(kept)
        return Candidates(self.demand, groups)

    def lists(self) -> list[list[Info]]:
        """The candidates queue by queue."""
        return [source.infos for source in self.by_queue.values()]

    def ordered(self) -> Iterator[Info]:
        """All of them in the order of rule 3, one by one: mostly the first few are enough."""
        if any(source.infos[0].evicted for source in self.by_queue.values()):
            # Within a queue those that are evicted come first.
            for group in self.groups:
                yield from _merged([[info for info in source.infos if info.evicted] for source in group])
            for group in self.groups:
                yield from _merged([[info for info in source.infos if not info.evicted] for source in group])
            return
        for group in self.groups:
            yield from _merged([source.infos for source in group])

    def source_of(self, info: Info) -> Source:
        """Where a candidate comes from."""
        return self.by_queue[id(info.queue)]

    def reason_of(self, info: Info) -> str:
        """Why a candidate is preempted."""
        source = self.source_of(info)
        variant = Variant.WITHIN_QUEUE
        if source.lca is not None:
            variant = policy.variant_outside(self.demand.queue, self.demand.info, info, advantage=source.advantage)
        return policy.REASON_OF[variant]


def _merged(lists: list[list[Info]]) -> Iterable[Info]:
    return lists[0] if len(lists) == 1 else heapq.merge(*lists, key=candidate_key)


def find_victims(demand: Demand, notes: Notes | None = None) -> list[Victim]:
    """The victims that make the demand fit, in the order of removal; empty when there is no such set."""
    hierarchical, prioritized = _outside(demand, notes)
    own = _own(demand, notes)
    if not (hierarchical or prioritized or own):
        return []
    candidates = Candidates(demand, (hierarchical, prioritized, own))
    for borrowing in _attempts(demand, hierarchical, prioritized):
        tried = candidates.for_attempt(borrowing=borrowing)
        if not plan.could_fit(demand, tried.lists(), borrowing=borrowing):
            continue
        victims = _attempt(demand, tried, borrowing=borrowing)
        if victims is not None:
            spared = plan.spare(demand, victims, borrowing=borrowing)
            plan.restore(spared)
            if notes is not None:
                _note_outcome(notes, candidates, victims, spared)
            return spared
    if notes is not None:
        _note_failure(notes, candidates)
    return []


def _attempts(demand: Demand, hierarchical: list[Source], prioritized: list[Source]) -> tuple[bool, ...]:
    """Rule 4: whether each attempt may borrow."""
    queue = demand.queue
    outsiders = hierarchical or prioritized
    if not outsiders or (not queue.borrows_by_preemption and not _is_under_nominal(demand)):
        return (True,)
    if not queue.borrows_by_preemption and not hierarchical:
        return (False, True)
    return (True, False)


def _own(demand: Demand, notes: Notes | None) -> list[Source]:
    """Candidates in the preemptor's own queue."""
    infos = usable(demand, demand.queue, rule=demand.queue.within, field="withinClusterQueue", notes=notes)
    return [Source(infos, None, False)] if infos else []


def usable(demand: Demand, queue: QueueNode, *, rule: str, field: str, notes: Notes | None) -> list[Info]:
    """Workloads of a queue that use what is short and that the policy allows, in candidate order. Only to be read."""
    buffer = demand.queue.buffer
    frs = demand.frs
    if notes is None:
        if rule == policy.NEVER:
            return []
        if len(frs) == 1:
            using = queue.users(next(iter(frs)))
        else:
            using = [info for info in queue.candidates() if not frs.isdisjoint(info.amount_of)]
        return policy.allowed(rule, demand.info, using, buffer=buffer)
    found = []
    for info in queue.candidates():
        if frs.isdisjoint(info.amount_of):
            notes.add(info, Finding.OTHER_RESOURCES)
        elif policy.satisfies(rule, demand.info, info, buffer=buffer):
            found.append(info)
        else:
            notes.add(info, refusal(rule, demand.info, info), detail=f"{field}: {rule}")
    return found


def refusal(rule: str, preemptor: Info, candidate: Info) -> Finding:
    """Why `policy.satisfies` said no."""
    if rule == policy.NEVER:
        return Finding.POLICY
    if rule == "LowerOrNewerEqualPriority" and candidate.priority == preemptor.priority:
        return Finding.NEWER_RULE
    return Finding.PRIORITY


def _outside(demand: Demand, notes: Notes | None) -> tuple[list[Source], list[Source]]:
    """Candidates of other queues: those that the preemptor has a hierarchical advantage over, and the rest."""
    queue = demand.queue
    hierarchical: list[Source] = []
    prioritized: list[Source] = []
    if queue.parent is None or (queue.reclaim == policy.NEVER and notes is None):
        return hierarchical, prioritized
    # Rule 4: where all attempts may borrow, and none by preemption, only those with an advantage can be taken.
    needs_advantage = notes is None and not queue.borrows_by_preemption and not _is_under_nominal(demand)
    node: Node = queue
    advantage = False
    remaining = list(demand.usage)
    previous: Node | None = None
    for cohort in queue.path:
        fits, remaining = _fits_in_quota(node, remaining)
        advantage = advantage or fits
        if advantage or not needs_advantage:
            found = hierarchical if advantage else prioritized
            for infos in _collect(demand, cohort, skip=previous, notes=notes):
                found.append(Source(infos, cohort, advantage))
        previous = node = cohort
    return hierarchical, prioritized


def _fits_in_quota(node: Node, wanted: list[tuple[int, int]]) -> tuple[bool, list[tuple[int, int]]]:
    """Whether the node holds all of it within its subtree's quota, and what is left for its parent if not."""
    fits = True
    remaining = []
    for fr, amount in wanted:
        if node.usage[fr] + amount > node.subtree[fr]:
            fits = False
        remaining.append((fr, amount - quota.local_available(node, fr)))
    return fits, remaining


def _collect(demand: Demand, cohort: Node, *, skip: Node | None, notes: Notes | None) -> Iterator[list[Info]]:
    """Candidates below a cohort, queue by queue; not below `skip`, and not in the preemptor's own queue."""
    frs = demand.frs
    # Child cohorts come before queues. A list of what is left to do: trees may be deeper than Python calls.
    left: list[tuple[Node, bool]] = [(cohort, False)]
    while left:
        node, is_entered = left.pop()
        if is_entered:
            yield from _collect_here(demand, node, notes)
        elif node is cohort or not quota.is_within_nominal(node, frs):
            left.append((node, True))
            left += [(child, False) for child in reversed(node.children) if child is not skip]
        elif notes is not None:
            _note_subtree(notes, node, Finding.PROTECTED, node.name)


def _collect_here(demand: Demand, cohort: Node, notes: Notes | None) -> Iterator[list[Info]]:
    """Candidates in the queues of one cohort."""
    frs, own = demand.frs, demand.queue
    for node in cohort.queues:
        assert isinstance(node, QueueNode)
        if node is own or not node.held:
            continue
        if not node.active or quota.is_within_nominal(node, frs):
            if notes is not None:
                finding = Finding.NOT_BORROWING if node.active else Finding.INACTIVE_QUEUE
                _note_queue(notes, node, finding, node.name)
            continue
        infos = usable(demand, node, rule=own.reclaim, field="reclaimWithinCohort", notes=notes)
        if infos:
            yield infos


def _note_subtree(notes: Notes, cohort: Node, finding: Finding, detail: str) -> None:
    for node in cohort.queues:
        assert isinstance(node, QueueNode)
        _note_queue(notes, node, finding, detail)
    for child in cohort.children:
        _note_subtree(notes, child, finding, detail)


def _note_queue(notes: Notes, queue: QueueNode, finding: Finding, detail: str) -> None:
    for info in queue.candidates():
        notes.add(info, finding, detail=detail)


def _is_under_nominal(demand: Demand) -> bool:
    queue = demand.queue
    return all(queue.usage[fr] < queue.nominal[fr] for fr in demand.frs)


def _attempt(demand: Demand, candidates: Candidates, *, borrowing: bool) -> list[Victim] | None:
    """Take candidates away until the demand fits; None (and all put back) when it never does."""
    victims: list[Victim] = []
    for info in candidates.ordered():
        if not _still_borrows(demand, info, candidates.source_of(info).lca):
            continue
        plan.take_away(info)
        victims.append(Victim(info, candidates.reason_of(info)))
        if plan.fits(demand, borrowing=borrowing):
            return victims
    plan.restore(victims)
    return None


def _still_borrows(demand: Demand, info: Info, lca: Node | None) -> bool:
    """Whether a candidate's queue, and all cohorts below the common ancestor, are still above their quota."""
    if lca is None:
        return True
    node: Node | None = info.queue
    while node is not None and node is not lca:
        if quota.is_within_nominal(node, demand.frs):
            return False
        node = node.parent
    return True


def _note_outcome(notes: Notes, candidates: Candidates, victims: list[Victim], kept: list[Victim]) -> None:
    taken = {victim.info.key for victim in victims}
    final = {victim.info.key: victim.reason for victim in kept}
    for info in candidates.ordered():
        if info.key in final:
            notes.add(info, Finding.CHOSEN, detail=final[info.key])
        else:
            notes.add(info, Finding.SPARED if info.key in taken else Finding.NOT_NEEDED)


def _note_failure(notes: Notes, candidates: Candidates) -> None:
    """No set of candidates was enough: all of them together would not make it fit."""
    may_borrow = {info.key for info in candidates.for_attempt(borrowing=True).ordered()}
    for info in candidates.ordered():
        only = info.key not in may_borrow
        notes.add(info, Finding.ONLY_WITHOUT_BORROWING if only else Finding.NOT_ENOUGH)
