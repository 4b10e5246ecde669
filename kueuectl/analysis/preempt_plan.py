"""What evictions bring that a user named or that Kueue would choose for a workload, and the plan of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from kueuectl.analysis import applying, preconditions, preempt, rebalance_plan
from kueuectl.analysis.goals import Goal, GoalKind
from kueuectl.analysis.preempt import Effect, Gain, Loss
from kueuectl.analysis.trials import Outcome, Trials, placed
from kueuectl.model import plan as plans
from kueuectl.model.plan import Plan, Promise
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct, replace


class Draft(Struct, frozen=True):
    """A plan with what its maker should know.

    is_settled: Kueue comes to rest; reached: so is the goal then. one_by_one: the same workloads get quota when Kueue
    comes to rest between two evictions.
    """

    plan: Plan
    is_settled: bool
    reached: bool
    one_by_one: bool


def effect_of(state: ClusterState, settings: Settings, *, now: int, keys: Iterable[str], hold: bool = False) -> Effect:
    """What happens when the named workloads are evicted now, or deactivated with `hold`; they must hold quota."""
    named = list(dict.fromkeys(keys))
    found = applying.outcomes(state, settings, now=now, goal=None, keys=named, hold=hold)
    results = [outcome for _, outcome in found]
    promised = applying.promise(found)
    anyway = {key for trials, _ in found for key in trials.before.assigned}
    return Effect(
        evicted=tuple(preempt.loss_of(state, settings, state.workloads[key], now=now) for key in named),
        admitted=tuple(Gain(row.workload, row.cluster_queue, row.flavors) for row in promised.admitted),
        returned=promised.returned,
        preempted=promised.preempted,
        lost=tuple(sorted(key for outcome in results for key in outcome.lost)),
        anyway=tuple(sorted(anyway.difference(named))),
        settled=all(trials.before_ending.is_fixpoint for trials, _ in found)
        and all(outcome.is_settled for outcome in results),
    )


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
    promised = _with_goal(applying.promise(found), found, for_)
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


def _with_goal(promised: Promise, found: Sequence[tuple[Trials, Outcome]], for_: str) -> Promise:
    """The promise with the workload that the plan is for, which Kueue would admit by itself with the same victims."""
    if not for_ or any(row.workload == for_ for row in promised.admitted):
        return promised
    entries = [trials.before.assigned[for_] for trials, _ in found if for_ in trials.before.assigned]
    mine = tuple(rebalance_plan.promised(placed(entry)) for entry in entries)
    return replace(promised, admitted=(*mine, *promised.admitted))


def _holds_one_by_one(trials: Trials, outcome: Outcome, keys: Collection[str]) -> bool:
    """Whether everybody is admitted too that is promised, when Kueue comes to rest after each eviction."""
    here = [key for key in keys if key in trials.state.workloads]
    if len(here) < 2:
        return True
    apart = trials.one_by_one(here)
    return apart.is_settled and set(outcome.admitted) <= set(apart.admitted)
