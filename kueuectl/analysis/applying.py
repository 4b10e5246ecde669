"""Whether a plan may still be carried out: what it rests on is as it was, and it still does what it promises.

Rules.

1. A victim has to be the same object in the same version, hold quota, and not be on its way out.
2. Quota and doors have to be the same objects with the same spec (see model.plan).
3. Other workloads may have changed. Whether they did or not, the promise is worked out anew on the present state: the
   goal is reached; each workload that was promised quota gets it in the same place, and does not get it without the
   plan, unless Kueue would preempt the same victims for it; Kueue preempts nobody beyond the promise; no victim comes
   back that was not to.
4. Of a plan that was begun only what is left is judged. A promise that has come true already is as good as one that
   still will.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum

from kueuectl.analysis import dry_run, dry_run_trees, rebalance
from kueuectl.analysis.goals import Goal, GoalKind
from kueuectl.analysis.trials import Flavors, Outcome, Placed, Trials, placed
from kueuectl.engine import workloads
from kueuectl.model import plan as plans
from kueuectl.model.plan import Plan, Precondition, Promise, Promised
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct
from kueuectl.model.workloads import Workload

Place = tuple[str, Flavors]
"""A ClusterQueue and (pod set, resource, flavor) triples."""


class Why(StrEnum):
    """Why a plan can't be carried out as it is."""

    GONE = "gone"
    REPLACED = "replaced"
    CHANGED = "changed"
    NO_QUOTA = "no quota"
    LEAVING = "leaving"
    RESTLESS = "restless"
    MISSED = "missed"
    NOT_ADMITTED = "not admitted"
    ELSEWHERE = "elsewhere"
    NEEDLESS = "needless"
    PREEMPTS = "preempts"
    RETURNS = "returns"


class Doubt(Struct, frozen=True):
    """One thing that is not as the plan needs it: the object that it is about ("" where it is about all)."""

    why: Why
    kind: str = ""
    key: str = ""


def unmet(plan: Plan, state: ClusterState, *, done: Collection[str] = ()) -> tuple[Doubt, ...]:
    """Preconditions that don't hold (rules 1 and 2); `done` are keys of victims whose steps are behind us."""
    found = [*_victims(plan, state, done)]
    for wanted in plan.preconditions:
        if wanted.role in (plans.QUOTA, plans.DOOR):
            found += _resting_on(wanted, state)
    return tuple(found)


def _victims(plan: Plan, state: ClusterState, done: Collection[str]) -> Iterator[Doubt]:
    for step in plan.steps:
        if step.key in done:
            continue
        workload = state.workloads.get(step.key)
        if workload is None:
            yield Doubt(Why.GONE, "Workload", step.key)
        elif workload.uid != step.uid:
            yield Doubt(Why.REPLACED, "Workload", step.key)
        elif workload.resource_version != step.resource_version:
            yield Doubt(Why.CHANGED, "Workload", step.key)
        elif not workloads.holds_quota(workload):
            yield Doubt(Why.NO_QUOTA, "Workload", step.key)
        elif workloads.is_evicted(workload):
            yield Doubt(Why.LEAVING, "Workload", step.key)


def _resting_on(wanted: Precondition, state: ClusterState) -> Iterator[Doubt]:
    table: Mapping[str, Mapping[str, object]] = {
        "ClusterQueue": state.cluster_queues,
        "Cohort": state.cohorts,
        "ResourceFlavor": state.flavors,
        "LocalQueue": state.local_queues,
    }
    found = table.get(wanted.kind, {}).get(wanted.key)
    if found is None:
        yield Doubt(Why.GONE, wanted.kind, wanted.key)
    elif getattr(found, "uid", "") != wanted.uid:
        yield Doubt(Why.REPLACED, wanted.kind, wanted.key)
    elif not _is_same(found, wanted):
        yield Doubt(Why.CHANGED, wanted.kind, wanted.key)


def _is_same(found: object, wanted: Precondition) -> bool:
    if getattr(found, "resource_version", "") == wanted.resource_version:
        return True
    return bool(wanted.generation) and getattr(found, "generation", 0) == wanted.generation


def goal_of(plan: Plan) -> Goal | None:
    """The goal, None where the victims were named. Raises ValueError for a word that is no goal of a plan."""
    if plan.goal == plans.NAMED:
        return None
    word, _, workload = plan.goal.partition(":")
    kind = GoalKind(word)
    if kind is GoalKind.DEFRAG or (kind is GoalKind.FIT) != bool(workload):
        raise ValueError(f"{plan.goal!r} is no goal of a plan")
    return Goal(kind, workload, plan.cohort)


def outcomes(
    state: ClusterState, settings: Settings, *, now: int, goal: Goal | None, keys: Collection[str], hold: bool
) -> list[tuple[Trials, Outcome]]:
    """What evicting these workloads comes to, part by part of the cluster; without a goal, of the parts they are in."""
    settled = dry_run.controlled(state, now)
    if goal is None:
        chosen = [part for part in dry_run_trees.parts([settled]) if part.queues & _queues(settled, keys)]
        parts = dry_run_trees.cut(settled, chosen)
    else:
        parts = rebalance.parts(settled, goal)
    found = []
    for part in parts:
        trials = Trials(part, settings, now=now, goal=goal or Goal(GoalKind.NOMINAL), hold=hold, backoff=True)
        found.append((trials, trials.evict(key for key in keys if key in part.workloads)))
    return found


def _queues(state: ClusterState, keys: Collection[str]) -> set[str]:
    named = (state.workloads[key].admission for key in keys if key in state.workloads)
    return {admission.cluster_queue for admission in named if admission is not None}


def promise(found: Collection[tuple[Trials, Outcome]]) -> Promise:
    """What an outcome promises, of all parts together."""
    results = [outcome for _, outcome in found]
    returned = sorted(
        {key for one in results for key in one.back} | {row.workload for one in results for row in one.moved}
    )
    return Promise(
        admitted=tuple(
            Promised(row.workload, row.cluster_queue, row.flavors)
            for one in results
            for row in sorted(one.admitted, key=lambda row: row.workload)
        ),
        preempted=tuple(sorted(key for one in results for key, _ in one.followers)),
        returned=tuple(returned),
    )


def broken(
    plan: Plan, state: ClusterState, settings: Settings, *, now: int, done: Collection[str] = ()
) -> tuple[Doubt, ...]:
    """Where the promise does not hold any more (rules 3 and 4); the preconditions have to be met."""
    goal = goal_of(plan)
    if goal is not None and goal.workload and goal.workload not in state.workloads:
        return (Doubt(Why.GONE, "Workload", goal.workload),)
    keys = [step.key for step in plan.steps if step.key not in done]
    hold = any(step.action == plans.HOLD for step in plan.steps)
    found = outcomes(state, settings, now=now, goal=goal, keys=keys, hold=hold)
    doubts: list[Doubt] = []
    for _, outcome in found:
        doubts += _misbehaviour(outcome, plan, is_bound=goal is not None, is_begun=bool(done))
    if any(doubt.why is Why.RESTLESS for doubt in doubts):
        return tuple(doubts)
    would = {key for trials, _ in found for key in trials.before.evictions}
    is_its_own = bool(keys) and would.issuperset(keys)
    return (*doubts, *_promises(plan, found, state, may_come_anyway=bool(done) or is_its_own))


def _misbehaviour(outcome: Outcome, plan: Plan, *, is_bound: bool, is_begun: bool) -> Iterator[Doubt]:
    if not outcome.is_settled:
        yield Doubt(Why.RESTLESS)
        return
    if is_bound and outcome.gaps:
        yield Doubt(Why.MISSED)
    for key, _ in outcome.followers:
        if key not in plan.promise.preempted:
            yield Doubt(Why.PREEMPTS, "Workload", key)
    if is_begun and not is_bound:
        # Which of the named workloads come back depends on who is gone already, and they are to go in any case.
        return
    for key in (*outcome.back, *(row.workload for row in outcome.moved)):
        if key not in plan.promise.returned:
            yield Doubt(Why.RETURNS, "Workload", key)


def _promises(
    plan: Plan, found: Collection[tuple[Trials, Outcome]], state: ClusterState, *, may_come_anyway: bool
) -> Iterator[Doubt]:
    gained = {row.workload: _place(row) for _, outcome in found for row in outcome.admitted}
    anyway = {key: _place(placed(entry)) for trials, _ in found for key, entry in trials.before.assigned.items()}
    for row in plan.promise.admitted:
        wanted = (row.cluster_queue, row.flavors)
        there = gained.get(row.workload)
        if there is None:
            there = place_of(state.workloads.get(row.workload)) or anyway.get(row.workload)
            if there is not None and not may_come_anyway:
                yield Doubt(Why.NEEDLESS, "Workload", row.workload)
                continue
        if there is None:
            yield Doubt(Why.NOT_ADMITTED, "Workload", row.workload)
        elif there != wanted:
            yield Doubt(Why.ELSEWHERE, "Workload", row.workload)


def _place(row: Placed) -> Place:
    return row.cluster_queue, row.flavors


def place_of(workload: Workload | None) -> Place | None:
    """Where a workload holds quota now; None where it holds none."""
    if workload is None or workload.admission is None or not workloads.holds_quota(workload):
        return None
    admission = workload.admission
    flavors = tuple(
        (found.name, resource, flavor) for found in admission.pod_sets for resource, flavor in sorted(found.flavors)
    )
    return admission.cluster_queue, flavors
