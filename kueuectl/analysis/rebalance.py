"""The smallest set of preemptions that brings a cluster where its administrator wants it, proven by simulation.

Trees of cohorts don't touch each other, so each part of a cluster is searched by itself; a plan is the sum of what was
found in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from kueuectl.analysis import dry_run, dry_run_trees, goals, preempt, rebalance_nodes
from kueuectl.analysis.goals import Gap, Goal, GoalKind
from kueuectl.analysis.preempt import Loss
from kueuectl.analysis.rebalance_bound import Candidate
from kueuectl.analysis.rebalance_nodes import NodeRow
from kueuectl.analysis.rebalance_search import (
    Allowance,
    Order,
    PartResult,
    PartSearch,
    Ranked,
    gpu_seconds,
    in_order,
)
from kueuectl.analysis.trials import Outcome, Placed, Trials
from kueuectl.engine import priority, requests, selectors, workloads
from kueuectl.engine.simulate import Simulation
from kueuectl.model import conditions
from kueuectl.model.selectors import LabelSelector
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct, field
from kueuectl.model.workloads import Workload

_NANO = 1_000_000_000


class Shield(StrEnum):
    """Why a workload is not evicted."""

    PRIORITY = "priority"
    OLD = "runs for long"
    YOUNG = "runs for a short time only"
    NAMESPACE = "namespace"
    LABELS = "labels"


class Protection(Struct, frozen=True):
    """Who must not be evicted. priority: from this one on. older_than, younger_than: seconds since admission."""

    priority: int | None = None
    older_than: int | None = None
    younger_than: int | None = None
    namespaces: frozenset[str] = frozenset()
    labels: tuple[LabelSelector, ...] = ()


class Request(Struct, frozen=True):
    """What is asked for. `hold` deactivates victims instead of evicting them, so that they don't come back.

    `backoff` lets victims queue again only when Kueue has come to rest without them, see trials.
    """

    goal: Goal
    protection: Protection = Protection()
    max_evictions: int | None = None
    max_lost_gpu_hours: float | None = None
    gpu_resources: frozenset[str] = frozenset()
    hold: bool = False
    backoff: bool = False


class Proposed(Struct, frozen=True):
    """One plan. Costs are those of victims and followers together; `nodes` compare Kueue at rest without and with it.

    is_proven: no plan is better in what it was searched for; bound: none has fewer evictions. one_by_one: the goal is
    reached too when Kueue comes to rest between two evictions. with_drain: the same when parked workloads come back
    only after the others had their turn.
    """

    best_in: Order
    victims: tuple[Loss, ...]
    followers: tuple[Loss, ...]
    admitted: tuple[Placed, ...]
    moved: tuple[Placed, ...]
    lost: tuple[str, ...]
    nodes: tuple[NodeRow, ...]
    is_proven: bool
    bound: int
    one_by_one: bool
    with_drain: bool

    @property
    def evictions(self) -> int:
        """Victims and followers."""
        return len(self.victims) + len(self.followers)

    @property
    def gpu_hours(self) -> float:
        """Lost work of victims and followers."""
        return sum(gpu_seconds(loss) for loss in (*self.victims, *self.followers)) / 3600

    @property
    def highest_priority(self) -> int:
        """The highest priority that is touched."""
        return max(loss.priority for loss in (*self.victims, *self.followers))


class Result(Struct, frozen=True):
    """What was found. Without `gaps` the goal is reached when Kueue comes to rest, or was already.

    gaps: where it is not reached then, as far as evictions can help; hopeless: where they can't. starting: gaps of the
    present state. anyway_admitted, anyway_preempted: what Kueue does by itself. is_settled False: Kueue does not come
    to rest without a plan.
    """

    request: Request
    starting: tuple[Gap, ...]
    gaps: tuple[Gap, ...]
    hopeless: tuple[Gap, ...]
    plans: tuple[Proposed, ...]
    anyway_admitted: tuple[str, ...]
    anyway_preempted: tuple[str, ...]
    candidates: int
    shielded: Mapping[Shield, int] = field(default_factory=dict)
    trials: int = 0
    is_settled: bool = True


def find(
    state: ClusterState,
    settings: Settings,
    *,
    now: int,
    request: Request,
    on_trial: Callable[[int], None] | None = None,
) -> Result:
    """The plans for a goal. The cohort of the goal, or the workload of `fit`, must exist.

    `on_trial` is told the number of each trial in its tree.
    """
    settled = dry_run.controlled(state, now)
    losses = _losses(settled, settings, now=now, request=request)
    shields = {key: found for key in losses if (found := shield(settled, settings, key, now=now, request=request))}
    searches = [
        _search(trials, losses=losses, shields=shields, request=request)
        for trials in _trials(settled, settings, now=now, request=request, on_trial=on_trial)
    ]
    results = [search.run() for search in searches]
    return Result(
        request=request,
        starting=tuple(_starting(settled, settings, now=now, goal=request.goal, searches=searches)),
        gaps=tuple(gap for result in results for gap in result.open),
        hopeless=tuple(gap for result in results for gap in result.hopeless) or _nowhere(settled, request, searches),
        plans=_combined(searches, results, request=request),
        anyway_admitted=tuple(sorted(key for search in searches for key in search.trials.before.assigned)),
        anyway_preempted=tuple(sorted(key for search in searches for key in _preempted_anyway(search.trials))),
        candidates=sum(len(result.candidates) for result in results),
        shielded={found: sum(value is found for value in shields.values()) for found in Shield},
        trials=sum(result.trials for result in results),
        is_settled=all(search.trials.before_ending.is_fixpoint for search in searches),
    )


def _nowhere(state: ClusterState, request: Request, searches: Sequence[PartSearch]) -> tuple[Gap, ...]:
    """The gap of a workload that is in no queue at all."""
    goal = request.goal
    if goal.kind is not GoalKind.FIT or searches or workloads.holds_quota(state.workloads[goal.workload]):
        return ()
    return (Gap("", goal.workload),)


def prove(
    state: ClusterState, settings: Settings, *, now: int, goal: Goal, keys: Iterable[str], hold: bool = False
) -> tuple[Outcome, ...]:
    """What evicting these workloads leads to, tree by tree: for a plan that was made earlier."""
    settled = dry_run.controlled(state, now)
    chosen = [key for key in keys if key in settled.workloads]
    outcomes = []
    for trials in _trials(settled, settings, now=now, request=Request(goal, hold=hold)):
        mine = [key for key in chosen if key in trials.before.snapshot.state.workloads]
        outcomes.append(trials.evict(mine))
    return tuple(outcomes)


def _trials(
    state: ClusterState,
    settings: Settings,
    *,
    now: int,
    request: Request,
    on_trial: Callable[[int], None] | None = None,
) -> list[Trials]:
    return [
        Trials(
            part,
            settings,
            now=now,
            goal=request.goal,
            hold=request.hold,
            backoff=request.backoff,
            on_trial=on_trial,
        )
        for part in parts(state, request.goal)
    ]


def parts(state: ClusterState, goal: Goal) -> list[ClusterState]:
    """The parts of a cluster that a goal is about, each as a state; empty where its workload is in no queue."""
    found = dry_run_trees.parts([state])
    if goal.kind is GoalKind.FIT:
        workload = state.workloads[goal.workload]
        local = state.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
        name = local.cluster_queue if local is not None else ""
        found = [part for part in found if name in part.queues]
    elif goal.cohort:
        found = [part for part in found if goal.cohort in part.cohorts]
    return dry_run_trees.cut(state, found)


def _losses(state: ClusterState, settings: Settings, *, now: int, request: Request) -> dict[str, Loss]:
    """What every workload that holds quota would lose, by key."""
    reader = requests.RequestsReader(state, settings)
    return {
        workload.key: preempt.loss_of(
            state, settings, workload, now=now, gpu_resources=request.gpu_resources, reader=reader
        )
        for workload in state.workloads.values()
        if workload.admission is not None and workloads.holds_quota(workload)
    }


def shield(state: ClusterState, settings: Settings, key: str, *, now: int, request: Request) -> Shield | None:
    """What protects a workload that holds quota; None when nothing does."""
    workload, found = state.workloads[key], request.protection
    if found.priority is not None and priority.effective(workload, state, settings) >= found.priority:
        return Shield.PRIORITY
    seconds = _running(workload, now)
    if found.older_than is not None and seconds >= found.older_than:
        return Shield.OLD
    if found.younger_than is not None and seconds < found.younger_than:
        return Shield.YOUNG
    if workload.namespace in found.namespaces:
        return Shield.NAMESPACE
    if found.labels and any(_matches(selector, workload, state) for selector in found.labels):
        return Shield.LABELS
    return None


def _running(workload: Workload, now: int) -> int:
    admitted = conditions.find(workload.conditions, workloads.ADMITTED)
    if admitted is None or admitted.status != "True" or admitted.last_transition is None:
        return 0
    return max(0, (now - admitted.last_transition) // _NANO)


def _matches(selector: LabelSelector, workload: Workload, state: ClusterState) -> bool:
    """Whether the workload's own labels match, or those of the object that owns it."""
    if selectors.matches(selector, dict(workload.labels)):
        return True
    uids = {owner.uid for owner in workload.owners if owner.uid}
    return any(owner.uid in uids and selectors.matches(selector, dict(owner.labels)) for owner in state.owners)


def _search(
    trials: Trials, *, losses: Mapping[str, Loss], shields: Mapping[str, Shield], request: Request
) -> PartSearch:
    hours = request.max_lost_gpu_hours
    return PartSearch(
        trials,
        _candidates(trials, losses, shields),
        losses=losses,
        allowance=Allowance(
            max_evictions=request.max_evictions,
            max_gpu_seconds=None if hours is None else int(hours * 3600),
            protected=frozenset(shields) | _outside(trials),
        ),
    )


def _outside(trials: Trials) -> frozenset[str]:
    """Workloads of the tree that are not in the cohort that the goal is about: not even followers may be."""
    inside = {queue.name for queue in goals.queues_in(trials.relaxed(), trials.goal.cohort)}
    held = trials.relaxed().snapshot.held.values()
    return frozenset(info.key for info in held if info.queue is not None and info.queue.name not in inside)


def _candidates(trials: Trials, losses: Mapping[str, Loss], shields: Mapping[str, Shield]) -> list[Candidate]:
    """Workloads of the tree that may be evicted: unprotected, not on their way out already."""
    found = []
    goal = trials.goal
    relaxed = trials.relaxed().snapshot
    inside = {queue.name for queue in goals.queues_in(trials.relaxed(), goal.cohort)}
    for key in sorted(relaxed.held):
        info = relaxed.held[key]
        queue = info.queue
        assert queue is not None
        if key in shields or key not in losses or queue.name not in inside:
            continue
        frs = queue.tree.frs
        found.append(
            Candidate(
                loss=losses[key],
                queue=queue.name,
                path=tuple(node.name for node in queue.path),
                usage={frs[fr]: amount for fr, amount in info.usage if amount},
            )
        )
    return found


def _starting(
    state: ClusterState, settings: Settings, *, now: int, goal: Goal, searches: Sequence[PartSearch]
) -> list[Gap]:
    """Gaps of the present state, before Kueue does anything."""
    found: list[Gap] = []
    for search in searches:
        trials = search.trials
        found += goals.gaps(Simulation(trials.state, settings, now=now), goal)
    return found


def _preempted_anyway(trials: Trials) -> list[str]:
    leaving = {key for key, workload in trials.state.workloads.items() if workloads.is_evicted(workload)}
    return [key for key in trials.before.evictions if key not in leaving]


def _combined(
    searches: Sequence[PartSearch], results: Sequence[PartResult], *, request: Request
) -> tuple[Proposed, ...]:
    """Plans for all trees together: for each order, the best of every tree. Nothing where one tree has no plan."""
    needed = [(search, result) for search, result in zip(searches, results, strict=True) if result.open]
    if not needed or any(not result.plans for _, result in needed):
        return ()
    plans: list[Proposed] = []
    for order in Order:
        if not any(ranked.order is order for _, result in needed for ranked in result.plans):
            continue
        picks = [(search, _best(result, order)) for search, result in needed]
        plan = _proposed(order, picks)
        if not _is_allowed(plan, request) or any(set(plan.victims) == set(other.victims) for other in plans):
            continue
        plans.append(plan)
    return tuple(plans)


def _best(result: PartResult, order: Order) -> Ranked:
    return next((ranked for ranked in result.plans if ranked.order is order), result.plans[0])


def _is_allowed(plan: Proposed, request: Request) -> bool:
    """Whether a plan over several trees keeps to the limits, which each of its parts does."""
    if request.max_evictions is not None and plan.evictions > request.max_evictions:
        return False
    return request.max_lost_gpu_hours is None or plan.gpu_hours <= request.max_lost_gpu_hours


def _proposed(order: Order, picks: Sequence[tuple[PartSearch, Ranked]]) -> Proposed:
    victims: list[Loss] = []
    followers: list[Loss] = []
    nodes: list[NodeRow] = []
    one_by_one = with_drain = True
    for search, ranked in picks:
        trials, outcome = search.trials, ranked.outcome
        steps = in_order(search.losses[key] for key in outcome.victims)
        keys = [loss.workload for loss in steps]
        victims += steps
        followers += [_with_reason(search.losses[key], reason) for key, reason in outcome.followers]
        nodes += _nodes(trials, keys)
        one_by_one = one_by_one and search.holds_one_by_one(outcome)
        with_drain = with_drain and search.holds_drained(outcome)
    outcomes = [ranked.outcome for _, ranked in picks]
    return Proposed(
        best_in=order,
        victims=tuple(victims),
        followers=tuple(followers),
        admitted=tuple(found for outcome in outcomes for found in outcome.admitted),
        moved=tuple(found for outcome in outcomes for found in outcome.moved),
        lost=tuple(key for outcome in outcomes for key in outcome.lost),
        nodes=tuple(nodes),
        is_proven=all(ranked.is_proven for _, ranked in picks),
        bound=sum(ranked.bound for _, ranked in picks),
        one_by_one=one_by_one,
        with_drain=with_drain,
    )


def _with_reason(loss: Loss, reason: str) -> Loss:
    return Loss(loss.workload, loss.cluster_queue, loss.priority, loss.pods, loss.gpus, loss.seconds, reason)


def _nodes(trials: Trials, keys: Sequence[str]) -> list[NodeRow]:
    after, _ = trials.play(keys)
    return rebalance_nodes.rows(trials.before, after)
