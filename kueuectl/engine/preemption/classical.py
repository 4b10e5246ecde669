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

from typing import NamedTuple

from kueuectl.engine import quota
from kueuectl.engine.infos import Info
from kueuectl.engine.preemption import plan, policy
from kueuectl.engine.preemption.notes import Finding, Notes
from kueuectl.engine.preemption.plan import Demand, Victim
from kueuectl.engine.preemption.policy import Variant
from kueuectl.engine.quota import Node
from kueuectl.engine.snapshot import QueueNode


class Candidate(NamedTuple):
    """A workload that may be preempted; `lca` is the lowest ancestor that it shares with the preemptor's queue."""

    info: Info
    variant: Variant
    lca: Node | None


def find_victims(demand: Demand, notes: Notes | None = None) -> list[Victim]:
    """The victims that make the demand fit, in the order of removal; empty when there is no such set."""
    hierarchical, prioritized = _outside(demand, notes)
    own = _own(demand, notes)
    if not (hierarchical or prioritized or own):
        return []
    queue = demand.queue
    outsiders = hierarchical or prioritized
    if not outsiders or (not queue.borrows_by_preemption and not _is_under_nominal(demand)):
        attempts: tuple[bool, ...] = (True,)
    elif not queue.borrows_by_preemption and not hierarchical:
        attempts = (False, True)
    else:
        attempts = (True, False)
    ordered = _ordered(hierarchical, prioritized, own)
    for borrowing in attempts:
        victims = _attempt(demand, ordered, borrowing=borrowing)
        if victims is not None:
            spared = plan.spare(demand, victims, borrowing=borrowing)
            plan.restore(spared)
            if notes is not None:
                _note_outcome(notes, ordered, victims, spared)
            return spared
    if notes is not None:
        _note_failure(notes, ordered)
    return []


def _own(demand: Demand, notes: Notes | None) -> list[Candidate]:
    """Candidates in the preemptor's own queue, in candidate order."""
    queue, preemptor, frs = demand.queue, demand.info, demand.frs
    within = queue.within
    if within == policy.NEVER and notes is None:
        return []
    found = []
    for info in queue.candidates():
        if frs.isdisjoint(info.frs):
            finding = Finding.OTHER_RESOURCES
        elif policy.satisfies(within, preemptor, info, buffer=queue.buffer):
            found.append(Candidate(info, Variant.WITHIN_QUEUE, None))
            continue
        else:
            finding = refusal(within, preemptor, info)
        if notes is not None:
            rule = "" if finding is Finding.OTHER_RESOURCES else f"withinClusterQueue: {within}"
            notes.add(info, finding, detail=rule)
    return found


def refusal(rule: str, preemptor: Info, candidate: Info) -> Finding:
    """Why `policy.satisfies` said no."""
    if rule == policy.NEVER:
        return Finding.POLICY
    if rule == "LowerOrNewerEqualPriority" and candidate.priority == preemptor.priority:
        return Finding.NEWER_RULE
    return Finding.PRIORITY


def _outside(demand: Demand, notes: Notes | None) -> tuple[list[Candidate], list[Candidate]]:
    """Candidates of other queues: those that the preemptor has a hierarchical advantage over, and the rest."""
    queue = demand.queue
    hierarchical: list[Candidate] = []
    prioritized: list[Candidate] = []
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
            _collect(demand, cohort, skip=previous, lca=cohort, advantage=advantage, found=found, notes=notes)
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


def _collect(
    demand: Demand,
    cohort: Node,
    *,
    skip: Node | None,
    lca: Node,
    advantage: bool,
    found: list[Candidate],
    notes: Notes | None,
) -> None:
    frs, preemptor, own = demand.frs, demand.info, demand.queue
    for child in cohort.children:
        if child is skip:
            continue
        if not quota.is_within_nominal(child, frs):
            _collect(demand, child, skip=None, lca=lca, advantage=advantage, found=found, notes=notes)
        elif notes is not None:
            _note_subtree(notes, child, Finding.PROTECTED, child.name)
    for node in cohort.queues:
        assert isinstance(node, QueueNode)
        if node is own or not node.held:
            continue
        if not node.active or quota.is_within_nominal(node, frs):
            if notes is not None:
                finding = Finding.NOT_BORROWING if node.active else Finding.INACTIVE_QUEUE
                _note_queue(notes, node, finding, node.name)
            continue
        for info in node.candidates():
            if frs.isdisjoint(info.frs):
                if notes is not None:
                    notes.add(info, Finding.OTHER_RESOURCES)
                continue
            variant = policy.variant_outside(own, preemptor, info, advantage=advantage)
            if variant is not Variant.NEVER:
                found.append(Candidate(info, variant, lca))
            elif notes is not None:
                rule = f"reclaimWithinCohort: {own.reclaim}"
                notes.add(info, refusal(own.reclaim, preemptor, info), detail=rule)


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


def _key(candidate: Candidate) -> tuple[int, int, int, str, str]:
    return candidate.info.candidate_key


def _ordered(hierarchical: list[Candidate], prioritized: list[Candidate], own: list[Candidate]) -> list[Candidate]:
    hierarchical.sort(key=_key)
    prioritized.sort(key=_key)
    lists = (hierarchical, prioritized, own)
    evicted = [candidate for group in lists for candidate in group if candidate.info.evicted]
    return evicted + [candidate for group in lists for candidate in group if not candidate.info.evicted]


def _attempt(demand: Demand, ordered: list[Candidate], *, borrowing: bool) -> list[Victim] | None:
    """Take candidates away until the demand fits; None (and all put back) when it never does."""
    victims: list[Victim] = []
    for candidate in ordered:
        if not _is_valid(demand, candidate, borrowing=borrowing):
            continue
        plan.take_away(candidate.info)
        victims.append(Victim(candidate.info, policy.REASON_OF[candidate.variant]))
        if plan.fits(demand, borrowing=borrowing):
            return victims
    plan.restore(victims)
    return None


def _is_valid(demand: Demand, candidate: Candidate, *, borrowing: bool) -> bool:
    """Whether the candidate may still be taken, after the removals so far."""
    if candidate.lca is None:
        return True
    if borrowing and candidate.variant is Variant.RECLAIM_WITHOUT_BORROWING:
        return False
    node: Node | None = candidate.info.queue
    while node is not None and node is not candidate.lca:
        if quota.is_within_nominal(node, demand.frs):
            return False
        node = node.parent
    return True


def _note_outcome(notes: Notes, ordered: list[Candidate], victims: list[Victim], kept: list[Victim]) -> None:
    taken = {victim.info.key for victim in victims}
    final = {victim.info.key: victim.reason for victim in kept}
    for candidate in ordered:
        key = candidate.info.key
        if key in final:
            notes.add(candidate.info, Finding.CHOSEN, detail=final[key])
        else:
            notes.add(candidate.info, Finding.SPARED if key in taken else Finding.NOT_NEEDED)


def _note_failure(notes: Notes, ordered: list[Candidate]) -> None:
    """No set of candidates was enough: all of them together would not make it fit."""
    for candidate in ordered:
        only = candidate.variant is Variant.RECLAIM_WITHOUT_BORROWING
        notes.add(candidate.info, Finding.ONLY_WITHOUT_BORROWING if only else Finding.NOT_ENOUGH)
