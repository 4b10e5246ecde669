"""A plan of evictions that a user named, or that Kueue would choose for a workload."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kueuectl.analysis import applying, preconditions, rebalance_plan
from kueuectl.analysis.goals import Goal, GoalKind
from kueuectl.analysis.preempt import Loss
from kueuectl.analysis.trials import Outcome, Trials
from kueuectl.model import plan as plans
from kueuectl.model.plan import Plan
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct


class Draft(Struct, frozen=True):
    """A plan with what its maker should know.

    is_settled: Kueue comes to rest; reached: so is the goal then. one_by_one: the same workloads get quota when Kueue
    comes to rest between two evictions.
    """

    plan: Plan
    is_settled: bool
    reached: bool
    one_by_one: bool


def of(
    state: ClusterState,
    settings: Settings,
    *,
    now: int,
    victims: Sequence[Loss],
    for_: str = "",
    hold: bool = False,
    tool_version: str,
    kueue_target: str,
) -> Draft:
    """The plan that evicts (or holds) these workloads in this order; `for_` is the workload that it is to admit."""
    goal = Goal(GoalKind.FIT, for_) if for_ else None
    keys = [loss.workload for loss in victims]
    found = applying.outcomes(state, settings, now=now, goal=goal, keys=keys, hold=hold)
    promised = applying.promise(found)
    action = plans.HOLD if hold else plans.EVICT
    steps = tuple(rebalance_plan.step(state, loss, action) for loss in victims)
    plan = Plan(
        made_at=now,
        tool_version=tool_version,
        kueue_target=kueue_target,
        goal=goal.text if goal is not None else plans.NAMED,
        steps=steps,
        promise=promised,
        preconditions=tuple(
            preconditions.of(
                state,
                victims=keys,
                gaining={row.workload for row in promised.admitted},
                queues={loss.cluster_queue for loss in victims} | {row.cluster_queue for row in promised.admitted},
            )
        ),
    )
    return Draft(
        plan=plan,
        is_settled=all(outcome.is_settled for _, outcome in found),
        reached=goal is None or not any(outcome.gaps for _, outcome in found),
        one_by_one=all(_holds_one_by_one(trials, outcome, keys) for trials, outcome in found),
    )


def _holds_one_by_one(trials: Trials, outcome: Outcome, keys: Collection[str]) -> bool:
    """Whether everybody is admitted too that is promised, when Kueue comes to rest after each eviction.

    Evicted workloads are kept from coming back for a while, so they are out of the way as held ones are.
    """
    here = [key for key in keys if key in trials.state.workloads]
    if len(here) < 2:
        return True
    apart = Trials(trials.state, trials.settings, now=trials.now, goal=trials.goal, hold=True).one_by_one(here)
    return apart.is_settled and set(outcome.admitted) <= set(apart.admitted)
