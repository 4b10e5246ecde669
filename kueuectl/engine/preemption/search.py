"""The search for victims, as the settings want it, and what flavor assignment asks about it."""

from __future__ import annotations

from typing import NamedTuple

from kueuectl.engine import quota
from kueuectl.engine.flavors.assigner import PODS
from kueuectl.engine.flavors.assignment import Assignment
from kueuectl.engine.infos import Info
from kueuectl.engine.preemption import classical, fair, plan
from kueuectl.engine.preemption.notes import Notes
from kueuectl.engine.preemption.plan import Demand, Victim
from kueuectl.engine.reasons import Possibility
from kueuectl.engine.snapshot import QueueNode, Tree
from kueuectl.model.settings import Settings


class Found(NamedTuple):
    """What preemption could do for one flavor-resource, the height borrowed from after it, and the victims."""

    possibility: Possibility
    height: int
    victims: list[Victim]


class Preemptor:
    """Finds victims on a snapshot; every search leaves it as it was."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        # What was found out about each tree, at one version of it.
        self._known_of: dict[Tree, tuple[int, dict[tuple[int, ...], Found]]] = {}
        self._within_nominal = settings.gate("FairSharingPreemptWithinNominal")

    def victims(self, demand: Demand, notes: Notes | None = None) -> list[Victim]:
        """The victims that make the demand fit; empty when there is no such set."""
        strategies = self.settings.fair_sharing
        if strategies is None:
            return classical.find_victims(demand, notes)
        return fair.find_victims(demand, strategies, within_nominal=self._within_nominal, notes=notes)

    def victims_for(
        self, info: Info, queue: QueueNode, assignment: Assignment, *, notes: Notes | None = None
    ) -> list[Victim]:
        """The victims for a workload with its assigned flavors."""
        demand = demand_of(info, queue, assignment)
        if notes is None and len(demand.usage) == 1 and demand.frs == {demand.usage[0][0]}:
            # The question that flavor assignment asked already.
            ((fr, amount),) = demand.usage
            return self._known(info, queue, fr=fr, amount=amount).victims
        return self.victims(demand, notes)

    def simulate(self, info: Info, queue: QueueNode, *, fr: int, amount: int) -> tuple[Possibility, int]:
        """What preemption could do for one flavor-resource: see `assigner.PreemptionOracle`."""
        found = self._known(info, queue, fr=fr, amount=amount)
        return found.possibility, found.height

    def _known(self, info: Info, queue: QueueNode, *, fr: int, amount: int) -> Found:
        tree = queue.tree
        version, known = self._known_of.get(tree, (-1, {}))
        if version != tree.version:
            known = {}
            self._known_of[tree] = (tree.version, known)
        # All of the workload that `policy` looks at.
        key = (queue.index, fr, amount, info.priority, info.timestamp)
        found = known.get(key)
        if found is None:
            found = known[key] = self._find(info, queue, fr=fr, amount=amount)
        return found

    def _find(self, info: Info, queue: QueueNode, *, fr: int, amount: int) -> Found:
        victims = self.victims(Demand(info, queue, ((fr, amount),), frozenset((fr,))))
        if not victims:
            height, _ = quota.borrowing_height(queue, fr, amount)
            return Found(Possibility.NO_CANDIDATES, height, victims)
        for victim in victims:
            plan.take_away(victim.info)
        height, _ = quota.borrowing_height(queue, fr, amount)
        plan.restore(victims)
        own = any(victim.info.queue is queue for victim in victims)
        return Found(Possibility.PREEMPT if own else Possibility.RECLAIM, height, victims)


def demand_of(info: Info, queue: QueueNode, assignment: Assignment) -> Demand:
    """What an assignment asks for. A request of zero asks for nothing, also of a queue that is above its quota.

    The number of pods is not asked for, though it counts as quota: where pods are short, workloads that hold pods are
    victims, but the search ends when the other resources fit (observed). What is too little shows in the cycle.
    """
    tree = queue.tree
    usage = tuple((fr, amount) for fr, amount in assignment.usage.items() if amount > 0 and tree.frs[fr][1] != PODS)
    return Demand(info, queue, usage, assignment.frs_to_preempt)
