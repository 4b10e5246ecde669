"""Flavor assignment: which flavor each resource of each pod set gets, and how well it fits.

Rules (docs: ClusterQueue, Resource groups and FlavorFungibility; Workload; observed behaviour where they are silent):

1. Pod sets are taken in order (members of one pod set group together); each resource group is decided on its own, and
   what earlier pod sets take counts as used. Nothing is ever taken back for a later pod set.
2. Resources are visited in a fixed order that depends on their names alone (`resource_rank`); the first resource
   whose group finds no flavor ends the pod set, and the pod set ends the assignment.
3. Flavors are tried in the order of the group, from where the last attempt stopped. Excluded are flavors that do not
   exist, whose taints are not tolerated, or that the node selector or affinity rules out.
4. For each resource of the group: above the potential capacity: no fit. Within what is available: fit, borrowing from
   the height of the lowest subtree that holds it. Else, when the queue may preempt for it (within its nominal quota,
   or reclaimable below the root, or it may preempt while borrowing), the oracle says what preemption would do.
5. `grades` says which flavor is kept and when the search stops; the index of the last one tried is remembered.
   With gate FlavorFungibility off, every search starts over, yet always counts as one that has flavors left (observed).
6. A flavor that is graded as a fit clears the reasons of its group, and a pod set without reasons fits. With preference
   PreemptionOverBorrowing the worst resource of a flavor may be one that fits by borrowing beside one that needs
   preemption: the pod set counts as a fit then, nobody is preempted for it, and it "no longer fits" when its turn comes
   (observed).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Protocol

from kueuectl.engine import quota, slices, workloads
from kueuectl.engine.flavors import grades, matching
from kueuectl.engine.flavors.assignment import Assignment, Attempt, Pick, PodSetResult
from kueuectl.engine.infos import Info
from kueuectl.engine.reasons import (
    ExceedsCapacity,
    FlavorMissing,
    FlavorNotAllowed,
    FlavorNotNominated,
    FlavorOfReplaced,
    FlavorReason,
    Grade,
    InsufficientQuota,
    Mode,
    Possibility,
    ResourceUncovered,
)
from kueuectl.engine.snapshot import FlavorOption, Group, QueueNode, Snapshot
from kueuectl.engine.variants import Variants
from kueuectl.model.flavors import ResourceFlavor
from kueuectl.model.workloads import PodSet

PODS = "pods"
_GRADE = {
    Possibility.NO_CANDIDATES: Grade.NO_CANDIDATES,
    Possibility.PREEMPT: Grade.PREEMPT,
    Possibility.RECLAIM: Grade.RECLAIM,
}


class PreemptionOracle(Protocol):
    """What flavor assignment asks about preemption."""

    def simulate(self, info: Info, queue: QueueNode, *, fr: int, amount: int) -> tuple[Possibility, int]:
        """What preemption could do for an amount of one flavor-resource, and the height borrowed from after it."""


@cache
def resource_rank(name: str) -> int:
    """Order in which resources of a pod set are visited: the FNV-1a hash of the name (observed; KEPs are silent)."""
    found = 0xCBF29CE484222325
    for byte in name.encode():
        found = ((found ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return found


class Assigner:
    """Assigns flavors on one snapshot. Keeps what depends only on pod templates and flavors."""

    def __init__(self, snapshot: Snapshot, oracle: PreemptionOracle) -> None:
        self.snapshot = snapshot
        self.oracle = oracle
        self.trace = False
        self._mismatches: dict[tuple[int, int, int], list[tuple[FlavorReason, ...]]] = {}
        self._places_by_topology = snapshot.settings.gate("TopologyAwareScheduling")
        self._ignores_undeclared = (
            snapshot.settings.quota_check_strategy == "IgnoreUndeclared"
            and snapshot.settings.gate("QuotaCheckStrategy")
        )
        self._only: Mapping[tuple[str, str], str] | None = None
        self._resumes = snapshot.settings.gate("FlavorFungibility")
        self.variants = Variants(snapshot.settings)

    def assign(
        self,
        info: Info,
        queue: QueueNode,
        *,
        counts: Sequence[int] | None = None,
        only: Mapping[tuple[str, str], str] | None = None,
    ) -> Assignment:
        """Flavors for all pod sets, with `counts` instead of their own where given (partial admission).

        `only` restricts (pod set, resource) pairs to the flavor of an earlier nomination.
        """
        outcome = Assignment()
        outcome.replaces = slices.replaced(info, queue, self.snapshot.settings)
        self._only = only
        for members in _pod_set_groups(info):
            if not self._assign_group(info, queue, members, counts=counts, outcome=outcome):
                outcome.mode = Mode.NO_FIT
                return outcome
        outcome.mode = min((result.mode for result in outcome.pod_sets), default=Mode.FIT)
        return outcome

    def _assign_group(
        self,
        info: Info,
        queue: QueueNode,
        members: Sequence[int],
        *,
        counts: Sequence[int] | None,
        outcome: Assignment,
    ) -> bool:
        results = [self._result(info, queue, index, counts=counts) for index in members]
        if len(results) == 1:
            wanted = results[0].requests
        else:
            wanted = {}
            for result in results:
                for resource, amount in result.requests.items():
                    wanted[resource] = wanted.get(resource, 0) + amount
        picks: dict[str, Pick] = {}
        reasons: list[FlavorReason] = []
        failed = False
        for resource in sorted(wanted, key=resource_rank):
            if resource in picks:
                continue
            group = queue.group_of.get(resource)
            if group is None:
                if wanted[resource] == 0 or self._ignores_undeclared:
                    continue
                reasons = [ResourceUncovered(resource)]
                failed = True
                break
            requests = {name: amount for name, amount in wanted.items() if name in group.covered}
            search = _Search(self, info, queue, group, members=members, requests=requests, resource=resource)
            found = search.run(outcome)
            if not found:
                reasons = search.reasons
                failed = True
                break
            reasons = reasons + search.reasons
            picks.update(found)
        for result in results:
            result.reasons = reasons
            if not failed:
                result.picks = {name: picks[name] for name in result.requests if name in picks}
                _take(outcome, result)
            outcome.pod_sets.append(result)
        return not failed

    def _result(self, info: Info, queue: QueueNode, index: int, *, counts: Sequence[int] | None) -> PodSetResult:
        pod_set = info.requests[index]
        if counts is not None and counts[index] != pod_set.count:
            pod_set = pod_set.scaled_to(counts[index])
        requests = pod_set.total
        if PODS in queue.group_of:
            requests = {**requests, PODS: pod_set.count}
        return PodSetResult(pod_set.name, pod_set.count, requests)

    def mismatches(self, info: Info, index: int, group: Group, *, queue: QueueNode) -> list[tuple[FlavorReason, ...]]:
        """For each flavor of the group: why the pod set may not use it at all; empty where it may."""
        pod_set = info.workload.pod_sets[index]
        key = (id(pod_set.template), id(pod_set.topology_request), id(group))
        found = self._mismatches.get(key)
        if found is None:
            flavors = self.snapshot.state.flavors
            found = []
            for option in group.flavors:
                flavor = flavors.get(option.name)
                if flavor is None:
                    found.append((FlavorMissing(option.name),))
                else:
                    found.append(self._topology(pod_set, flavor, queue) + matching.mismatches(flavor, pod_set.template))
            self._mismatches[key] = found
        return found

    def _topology(self, pod_set: PodSet, flavor: ResourceFlavor, queue: QueueNode) -> tuple[FlavorReason, ...]:
        """Why the topology request rules a flavor out: reported before taints and labels."""
        if not self._places_by_topology or (pod_set.topology_request is None and flavor.topology is None):
            return ()
        state = self.snapshot.state
        names = (found.name for group in queue.spec.resource_groups for found in group.flavors)
        is_implied = all(name in state.flavors and state.flavors[name].topology is not None for name in names)
        reason = matching.topology_mismatch(flavor, pod_set, topologies=state.topologies, is_implied=is_implied)
        return () if reason is None else (reason,)


class _Search:
    """The search of flavors for the resources of one group."""

    __slots__ = ("assigner", "group", "info", "members", "only", "queue", "reasons", "requests", "resource", "start")

    def __init__(
        self,
        assigner: Assigner,
        info: Info,
        queue: QueueNode,
        group: Group,
        *,
        members: Sequence[int],
        requests: dict[str, int],
        resource: str,
    ) -> None:
        self.assigner = assigner
        self.info = info
        self.queue = queue
        self.group = group
        self.members = members
        self.requests = requests
        self.resource = resource
        self.reasons: list[FlavorReason] = []
        self.only: str | None = None
        if assigner._only is not None:
            self.only = assigner._only.get((info.requests[members[0]].name, resource))
        self.start = 0
        last = info.last_tried
        if last is not None and members[0] < len(last) and assigner._resumes:
            self.start = last[members[0]].get(resource, -1) + 1

    def run(self, outcome: Assignment) -> dict[str, Pick]:
        """The picks of the best flavor; empty when none could ever work. Fills `reasons`."""
        queue = self.queue
        fungibility = queue.spec.flavor_fungibility
        variants = self.assigner.variants
        preemption_first = grades.prefers_preemption(fungibility)
        excluded = [self.assigner.mismatches(self.info, index, self.group, queue=queue) for index in self.members]
        allowed = workloads.allowed_flavors(self.info.workload, self.assigner.snapshot.settings)
        best: dict[str, Pick] = {}
        best_graded = grades.WORST
        tried = -1
        for index in range(self.start, len(self.group.flavors)):
            option = self.group.flavors[index]
            tried = index
            if self.only is not None and option.name != self.only:
                self._exclude(option, [FlavorNotNominated(option.name, self.resource)], outcome)
                continue
            if allowed is not None and option.name not in allowed:
                self._exclude(option, [FlavorNotAllowed(option.name)], outcome)
                continue
            out = [reason for reasons in excluded for reason in reasons[index]]
            if out:
                self._exclude(option, out, outcome)
                continue
            graded, picks = self._grade(option, outcome, preemption_first=preemption_first)
            if variants.is_on and graded[0] is not Grade.NO_FIT and variants.is_unacceptable(self.info, queue):
                outcome.is_unacceptable = True
                best, best_graded = picks, graded
                break
            if not self.assigner._resumes:
                if graded[0] > best_graded[0]:
                    best, best_graded = picks, graded
                if graded[0] == Grade.FIT:
                    break
                continue
            if not grades.tries_next(graded, fungibility):
                best, best_graded = picks, graded
                break
            if grades.is_preferred(graded, best_graded, preemption_first=preemption_first):
                best, best_graded = picks, graded
        if best_graded[0] is Grade.NO_FIT:
            return {}
        if best_graded[0] is Grade.FIT:
            self.reasons = []
        if not self.assigner._resumes:
            tried = 0
        elif tried == len(self.group.flavors) - 1:
            tried = -1
        for pick in best.values():
            pick.tried = tried
        return best

    def _exclude(self, option: FlavorOption, reasons: list[FlavorReason], outcome: Assignment) -> None:
        self.reasons += reasons[:1]
        if self.assigner.trace:
            attempt = Attempt(option.name, self._names())
            attempt.reasons += reasons
            outcome.attempts.append(attempt)

    def _names(self) -> tuple[str, ...]:
        return tuple(self.info.requests[index].name for index in self.members)

    def _grade(
        self, option: FlavorOption, outcome: Assignment, *, preemption_first: bool
    ) -> tuple[grades.Graded, dict[str, Pick]]:
        worst = grades.BEST
        picks: dict[str, Pick] = {}
        attempt = Attempt(option.name, self._names()) if self.assigner.trace else None
        reasons_before = len(self.reasons)
        for resource, amount in self.requests.items():
            fr = option.frs[resource]
            before = outcome.usage.get(fr, 0)
            original = ""
            if outcome.replaces is not None:
                original, held = slices.held(outcome.replaces, self._names(), resource)
                if original == option.name:
                    amount -= held
                elif original:
                    self.reasons.append(FlavorOfReplaced(option.name, original))
            grade, height = self._check(option, resource, fr, before=before, amount=amount)
            if original and original != option.name:
                grade, height = Grade.NO_FIT, 0
            picks[resource] = Pick(option.name, fr, grade, height)
            if grades.is_preferred(worst, (grade, height), preemption_first=preemption_first):
                worst = (grade, height)
            if attempt is not None:
                attempt.checks.append((resource, fr, before + amount, amount, grade, height))
        if attempt is not None:
            attempt.graded = worst
            attempt.reasons += self.reasons[reasons_before:]
            outcome.attempts.append(attempt)
        return worst, picks

    def _check(self, option: FlavorOption, resource: str, fr: int, *, before: int, amount: int) -> tuple[Grade, int]:
        """How the request for one resource fits in one flavor, and from which height it borrows."""
        queue = self.queue
        wanted = before + amount
        if wanted > queue.potential[fr]:
            self.reasons.append(ExceedsCapacity(option.name, resource, before, amount, queue.potential[fr]))
            return Grade.NO_FIT, 0
        free = quota.available(queue, fr)
        height, reclaimable = quota.borrowing_height(queue, fr, wanted)
        # Available quota never counts as less than none (a slice may ask for less than the one that it replaces has).
        if wanted <= free or wanted <= 0:
            return Grade.FIT, height
        self.reasons.append(InsufficientQuota(option.name, resource, wanted - max(0, free)))
        if wanted <= queue.nominal[fr] or reclaimable or self._preempts_while_borrowing():
            possibility, height = self.assigner.oracle.simulate(self.info, queue, fr=fr, amount=wanted)
            return _GRADE[possibility], height
        return Grade.NO_FIT, height

    def _preempts_while_borrowing(self) -> bool:
        queue = self.queue
        if queue.borrows_by_preemption:
            return True
        return self.assigner.snapshot.settings.fair_sharing is not None and queue.reclaim != "Never"


def _take(outcome: Assignment, result: PodSetResult) -> None:
    for resource, pick in result.picks.items():
        amount = result.requests[resource]
        if outcome.replaces is not None:
            amount -= slices.held(outcome.replaces, (result.name,), resource)[1]
        outcome.usage[pick.fr] = outcome.usage.get(pick.fr, 0) + amount
        if pick.height > outcome.height:
            outcome.height = pick.height


def _pod_set_groups(info: Info) -> list[list[int]]:
    """Indexes of pod sets, members of one pod set group together, in order of first appearance."""
    groups: list[list[int]] = []
    by_name: dict[str, list[int]] = {}
    for index, pod_set in enumerate(info.workload.pod_sets):
        request = pod_set.topology_request
        name = request.pod_set_group if request is not None else None
        if name is None:
            groups.append([index])
        elif name in by_name:
            by_name[name].append(index)
        else:
            by_name[name] = [index]
            groups.append(by_name[name])
    return groups
