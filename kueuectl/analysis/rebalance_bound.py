"""How few evictions can be enough: a bound that needs no trial.

Whoever holds quota at the end and does not hold it now was admitted into what the evicted ones left, or into what is
free anyway. So for every flavor-resource, what the goal needs at least has to come from the largest holders and from
what is free in the relaxed state (`Trials.relaxed`), in whatever way Kueue goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kueuectl.analysis import goals
from kueuectl.analysis.goals import FlavorResource, Gap, GoalKind, Need
from kueuectl.analysis.preempt import Loss
from kueuectl.analysis.trials import Trials
from kueuectl.engine import quota
from kueuectl.engine.simulate import Simulation
from kueuectl.engine.snapshot import QueueNode
from kueuectl.model.values import Struct

_NEVER = 1_000_000


class Candidate(Struct, frozen=True):
    """A workload that may be evicted: what it loses, and what it holds in which queue."""

    loss: Loss
    queue: str
    path: tuple[str, ...]
    usage: Mapping[FlavorResource, int]

    @property
    def key(self) -> str:
        """Its namespace/name."""
        return self.loss.workload


def of(trials: Trials, gaps: Sequence[Gap], candidates: Sequence[Candidate]) -> int:
    """No plan that closes these gaps has fewer evictions, followers included."""
    match trials.goal.kind:
        case GoalKind.FIT:
            found = max((_for_workload(trials, gap, candidates) for gap in gaps), default=1)
        case GoalKind.WITHIN_QUOTA:
            found = _within_quota(trials, gaps, candidates)
        case GoalKind.NOMINAL:
            found = _nominal(trials, gaps, candidates)
        case _:
            # A gap between shares closes in too many ways.
            found = 1
    return found if 1 <= found < _NEVER else 1


def _for_workload(trials: Trials, gap: Gap, candidates: Sequence[Candidate]) -> int:
    """The fewest that make room for one workload, in the way that takes the fewest."""
    simulation = trials.relaxed()
    for pool in simulation.pools.queues.values():
        info = pool.active.get(gap.workload) or pool.inadmissible.get(gap.workload)
        if info is None:
            continue
        ways = []
        for option in goals.options(simulation, info, pool.queue):
            short = [(fr, amount - quota.available(pool.queue, fr)) for fr, amount in option]
            needs = [Need(*pool.queue.tree.frs[fr], lack) for fr, lack in short if lack > 0]
            ways.append(count(candidates, needs))
        return min(ways, default=1)
    return 1


def _within_quota(trials: Trials, gaps: Sequence[Gap], candidates: Sequence[Candidate]) -> int:
    """What queues use too much has to go in each of them; what cohorts use too much, below them."""
    simulation = trials.relaxed()
    wanted = {gap.node for gap in gaps}
    queues, most = 0, 0
    for gap in goals.gaps(simulation, trials.goal):
        if gap.node not in wanted:
            continue
        least = max(count(candidates, [need]) for needs in gap.needs for need in needs)
        if gap.node in simulation.snapshot.queues:
            queues += least
        else:
            most = max(most, least)
    return max(queues, most)


def _nominal(trials: Trials, gaps: Sequence[Gap], candidates: Sequence[Candidate]) -> int:
    """Each queue with a gap has to grow, by one of those that wait in it at least, and their root has to hold it all.

    Only counted where there is no choice of flavors and no lending limit, which would let a queue grow by itself.
    """
    simulation = trials.relaxed()
    grown: dict[tuple[int, FlavorResource], int] = {}
    roots: dict[int, QueueNode] = {}
    for name in sorted({gap.node for gap in gaps}):
        queue = simulation.snapshot.queues[name]
        roots[id(queue.tree)] = queue
        for key, amount in _least_growth(simulation, queue, candidates).items():
            grown[id(queue.tree), key] = grown.get((id(queue.tree), key), 0) + amount
    bound = 1
    for (tree, key), amount in grown.items():
        queue = roots[tree]
        root = queue.path[-1] if queue.path else queue
        fr = queue.tree.index[key]
        lends = any(limit is not None for node in queue.tree.queues for limit in node.lend)
        if lends or any(limit is not None for node in queue.tree.cohorts.values() for limit in node.lend):
            continue
        least = count(candidates, [Need(*key, amount - (root.subtree[fr] - root.usage[fr]))])
        bound = max(bound, least if least < _NEVER else 1)
    return bound


def _least_growth(
    simulation: Simulation, queue: QueueNode, candidates: Sequence[Candidate]
) -> Mapping[FlavorResource, int]:
    """What the smallest newcomer takes of the only flavor that it may use, by flavor-resource."""
    least: dict[FlavorResource, int] | None = None
    for info in simulation.pools.queues[queue.name].ordered():
        ways = goals.options(simulation, info, queue)
        if not ways:
            continue
        found = {queue.tree.frs[fr]: amount for fr, amount in ways[0]} if len(ways) == 1 else {}
        least = found if least is None else _smaller(least, found)
    for candidate in candidates:
        if candidate.queue == queue.name and least is not None:
            least = _smaller(least, candidate.usage)
    return least or {}


def _smaller(one: Mapping[FlavorResource, int], other: Mapping[FlavorResource, int]) -> dict[FlavorResource, int]:
    return {key: min(amount, other.get(key, 0)) for key, amount in one.items() if other.get(key, 0)}


def count(candidates: Iterable[Candidate], needs: Sequence[Need]) -> int:
    """How many candidates it takes at least to free all of these; very many where they can't."""
    most = 0
    listed = list(candidates)
    for need in needs:
        left, taken = need.amount, 0
        for amount in sorted((held(candidate, need) for candidate in listed), reverse=True):
            if left <= 0 or amount <= 0:
                break
            left -= amount
            taken += 1
        most = max(most, taken if left <= 0 else _NEVER)
    return most


def held(candidate: Candidate, need: Need) -> int:
    """What a candidate holds of what is needed, where it is needed."""
    if need.node and need.node != candidate.queue and need.node not in candidate.path:
        return 0
    return candidate.usage.get((need.flavor, need.resource), 0)
