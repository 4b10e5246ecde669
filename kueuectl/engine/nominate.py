"""From a head of a queue to an entry: may it be tried at all, which flavors does it get, who would be preempted.

Rules (docs: Workload, ClusterQueue; KEP-420, partial admission):

1. Not evaluated: failed admission checks, a namespace that the ClusterQueue does not select, requests that break
   limits.
2. Flavors for the full counts. A fit is taken; a preemption with victims too.
3. Else, with partial admission, the largest counts that fit or can preempt, searched by `reducer`.
4. Else what the full counts gave.
5. The search of flavors may refuse a variant of a workload (`variants`).
"""

from __future__ import annotations

from typing import NamedTuple

from kueuectl.engine import checks, selectors
from kueuectl.engine.entries import Entry, Outcome
from kueuectl.engine.flavors import reducer
from kueuectl.engine.flavors.assigner import Assigner
from kueuectl.engine.flavors.assignment import Assignment
from kueuectl.engine.infos import Info
from kueuectl.engine.limits import AboveLimits, Problem
from kueuectl.engine.preemption.plan import Victim
from kueuectl.engine.preemption.search import Preemptor
from kueuectl.engine.reasons import Mode, Requeue
from kueuectl.engine.snapshot import QueueNode, Snapshot


class Assigned(NamedTuple):
    """The flavors of a workload, who would be preempted for it, and its pod counts by partial admission."""

    assignment: Assignment
    victims: list[Victim]
    counts: tuple[int, ...] | None


class Nominator:
    """Makes entries on one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.preemptor = Preemptor(snapshot.settings)
        self.assigner = Assigner(snapshot, self.preemptor)
        self.variants = self.assigner.variants
        self._partial = snapshot.settings.gate("PartialAdmission")

    def nominate(self, info: Info, queue: QueueNode) -> Entry:
        """The entry of a head; the snapshot is as before."""
        entry = Entry(info, queue)
        if self._is_refused(entry):
            return entry
        assignment, victims, counts = self._assign_once(info, queue)
        entry.assignment = assignment
        entry.victims = victims
        entry.counts = counts
        entry.usage = tuple(assignment.usage.items())
        info.last_tried = assignment.last_tried
        if assignment.is_unacceptable:
            entry.assignment = None
            entry.outcome = Outcome.UNACCEPTABLE_VARIANT
        return entry

    def reassign(self, entry: Entry) -> None:
        """Assign again, only among the flavors that the entry was nominated for; victims too."""
        info, nominated = entry.info, entry.assignment
        assert nominated is not None
        only = {
            (result.name, resource): pick.flavor
            for result in nominated.pod_sets
            for resource, pick in result.picks.items()
        }
        info.last_tried = None
        assignment = self.assigner.assign(info, entry.queue, counts=entry.counts, only=only)
        entry.assignment = assignment
        entry.usage = tuple(assignment.usage.items())
        entry.victims = []
        if assignment.mode is Mode.PREEMPT:
            entry.victims = self.preemptor.victims_for(info, entry.queue, assignment)
        info.last_tried = assignment.last_tried

    def _is_refused(self, entry: Entry) -> bool:
        """Rule 1; sets outcome and requeue reason."""
        workload, queue = entry.info.workload, entry.queue
        if checks.has_retry_or_rejected(workload.checks):
            entry.outcome = Outcome.CHECKS_FAILED
            return True
        if not matches_namespace(self.snapshot, workload.namespace, queue):
            entry.outcome = Outcome.NAMESPACE_MISMATCH
            entry.requeue = Requeue.NAMESPACE_MISMATCH
            return True
        problems = self._problems(entry.info)
        if problems:
            own = isinstance(problems[0], AboveLimits)
            entry.outcome = Outcome.INVALID_RESOURCES if own else Outcome.LIMIT_RANGE
            entry.problems = problems
            return True
        return False

    def _problems(self, info: Info) -> tuple[Problem, ...]:
        """Why the requests are invalid; worked out once for each workload."""
        if info.problems is None:
            info.problems = self.snapshot.reader.requests.problems(info.workload)
        return info.problems

    def _assign_once(self, info: Info, queue: QueueNode) -> Assigned:
        """Rules 2 to 4; remembered while nothing in the tree changes: a head that is stuck is tried every cycle."""
        if self.assigner.trace or self.variants.is_on:
            return self._assign(info, queue)
        version = queue.tree.version
        if info.assigned_at != version:
            info.assigned = []
            info.assigned_at = version
        for tried, known in info.assigned:
            if tried == info.last_tried:
                return known
        found = self._assign(info, queue)
        info.assigned.append((info.last_tried, found))
        return found

    def _assign(self, info: Info, queue: QueueNode) -> Assigned:
        full = self.assigner.assign(info, queue)
        if full.mode is Mode.FIT:
            return Assigned(full, [], None)
        if full.mode is Mode.PREEMPT:
            victims = self.preemptor.victims_for(info, queue, full)
            if victims:
                return Assigned(full, victims, None)
        if self._partial and can_be_partial(info):
            found = self._search_counts(info, queue)
            if found is not None:
                return found
        return Assigned(full, [], None)

    def _search_counts(self, info: Info, queue: QueueNode) -> Assigned | None:
        """Rule 3."""

        def attempt(counts: tuple[int, ...]) -> Assigned | None:
            assignment = self.assigner.assign(info, queue, counts=counts)
            if assignment.mode is Mode.FIT:
                return Assigned(assignment, [], counts)
            if assignment.mode is Mode.PREEMPT:
                victims = self.preemptor.victims_for(info, queue, assignment)
                if victims:
                    return Assigned(assignment, victims, counts)
            return None

        full = tuple(pod_set.count for pod_set in info.requests)
        least = tuple(
            full[index] if pod_set.min_count is None else pod_set.min_count
            for index, pod_set in enumerate(info.workload.pod_sets)
        )
        return reducer.search(full, least, attempt)


def can_be_partial(info: Info) -> bool:
    """Whether a pod set allows fewer pods than it asks for."""
    return any(
        pod_set.min_count is not None and pod_set.count > pod_set.min_count for pod_set in info.workload.pod_sets
    )


def matches_namespace(snapshot: Snapshot, namespace: str, queue: QueueNode) -> bool:
    """Whether the ClusterQueue selects the namespace; an unknown namespace counts as selected (never as unmatched)."""
    selector = queue.spec.namespace_selector
    if selector is None:
        return False
    found = snapshot.state.namespaces.get(namespace)
    if found is None:
        return True
    return selectors.matches(selector, dict(found.labels))
