"""Plans that bring a cluster to a goal: what is wrong, the steps, what they cost and what they change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kueuectl import quantity, times
from kueuectl.analysis.goals import Gap, Goal, GoalKind
from kueuectl.analysis.preempt import Loss
from kueuectl.analysis.rebalance import Proposed, Result
from kueuectl.analysis.rebalance_nodes import NodeRow, UsageRow
from kueuectl.analysis.trials import Placed
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import parts, preempt

Block = str | Table

_MOST_GAPS = 10
_MOST_NAMES = 10

_GOALS = {
    GoalKind.FAIR: "shares of siblings differ by no more than one workload can mend",
    GoalKind.NOMINAL: "every queue that waits within its nominal quota gets it",
    GoalKind.FIT: "the workload gets quota",
    GoalKind.WITHIN_QUOTA: "no queue or cohort uses more than its quota and borrowing limit allow",
    GoalKind.DEFRAG: "free topology domains are large",
}


def blocks(found: Result, *, wide: bool = False, why: str = "") -> Iterator[Block]:
    """Lines and tables, the answer first; `wide` shows what the plan does not change too.

    `why` says what keeps the workload of `fit` out, where no eviction can help.
    """
    goal = found.request.goal
    yield f"Goal {goal.text}{f' in cohort {goal.cohort}' if goal.cohort else ''}: {_GOALS[goal.kind]}"
    yield f"  {summary(found)}"
    yield from _gaps("Not reached when Kueue comes to rest:", found.gaps, goal)
    yield from _gaps("Out of reach of any eviction that is allowed:", found.hopeless, goal)
    if why and found.hopeless:
        yield f"  {why}"
    yield from _anyway(found)
    for number, plan in enumerate(found.plans, start=1):
        yield ""
        yield from _plan(plan, found, number, wide=wide)


def summary(found: Result) -> str:
    """What came out, in one sentence."""
    if not found.is_settled:
        return "Kueue does not come to rest by itself: workloads preempt each other in a loop."
    if found.plans:
        best = found.plans[0]
        more = f", {len(found.plans)} plans that trade differently" if len(found.plans) > 1 else ""
        return f"{_count(best.evictions, 'eviction')} {'is' if best.evictions == 1 else 'are'} enough{more}."
    if found.gaps:
        return f"No plan reaches it: {_effort(found)}"
    if found.hopeless:
        return f"No eviction that is allowed can reach it{_kept(found)}."
    if found.starting:
        return "Nothing to do: Kueue reaches it by itself."
    return "Nothing to do: it is reached."


def _kept(found: Result) -> str:
    """Who is protected by what."""
    shielded = ", ".join(f"{count} by {why}" for why, count in found.shielded.items() if count)
    return f"; protected: {shielded}" if shielded else ""


def _effort(found: Result) -> str:
    kept = _kept(found)
    if not found.candidates:
        return f"nobody may be evicted{kept}."
    return (
        f"{_count(found.candidates, 'candidate')}, {_count(found.trials, 'set')} tried in the engine; "
        f"with each, the goal is missed, a victim comes straight back, or a limit is broken{kept}."
    )


def _gaps(title: str, gaps: Sequence[Gap], goal: Goal) -> Iterator[str]:
    if not gaps:
        return
    yield ""
    yield title
    for gap in gaps[:_MOST_GAPS]:
        yield f"  {gap_text(gap, goal)}"
    if len(gaps) > _MOST_GAPS:
        yield f"  and {len(gaps) - _MOST_GAPS} more"


def gap_text(gap: Gap, goal: Goal) -> str:
    """One thing that is not as the goal wants it, as a sentence."""
    short = _short(gap)
    if goal.kind is GoalKind.WITHIN_QUOTA:
        return f"{gap.node} uses too much: {short}"
    if goal.kind is GoalKind.FAIR:
        shares = f"would have share {_share(gap.share)} with it, {gap.other} has {_share(gap.other_share)}"
        return f"{gap.workload} waits in {gap.node}, which {shares}"
    if not gap.node:
        return f"{gap.workload} is in no queue that takes work"
    missing = f", {short} {'is' if short else ''} not free" if short else ""
    inside = " within nominal quota" if goal.kind is GoalKind.NOMINAL else ""
    return f"{gap.workload} waits in {gap.node}{inside}{missing}"


def _short(gap: Gap) -> str:
    if not gap.needs:
        return ""
    return ", ".join(
        f"{quantity.format_amount(need.resource, need.amount)} {need.resource} in {need.flavor}"
        for need in gap.needs[0]
    )


def _share(value: float) -> str:
    return "infinite" if value == float("inf") else f"{value:.1f}".removesuffix(".0")


def _anyway(found: Result) -> Iterator[str]:
    """What Kueue does without any plan."""
    for title, names in (
        ("Kueue admits anyway", found.anyway_admitted),
        ("Kueue preempts anyway", found.anyway_preempted),
    ):
        if names:
            yield f"{title}: {_names(names)}"


def _plan(plan: Proposed, found: Result, number: int, *, wide: bool) -> Iterator[Block]:
    several = f" {number} of {len(found.plans)}, {plan.best_in}" if len(found.plans) > 1 else ""
    pods = sum(loss.pods for loss in (*plan.victims, *plan.followers))
    yield (
        f"Plan{several}: {_count(plan.evictions, 'eviction')}, {_count(pods, 'pod')}, "
        f"{plan.gpu_hours:.1f} GPU-hours of work, highest priority {plan.highest_priority}"
    )
    yield steps(plan.victims, hold=found.request.hold)
    if plan.followers:
        yield ""
        yield "Preempted by Kueue in consequence:"
        yield preempt.losses(plan.followers)
    yield from _placed("Admitted because of it:", plan.admitted)
    yield from _placed("Victims that start again elsewhere:", plan.moved)
    if plan.lost:
        yield f"Would have had quota without it: {_names(plan.lost)}"
    yield ""
    yield "Without and with the plan, Kueue at rest:"
    yield nodes(plan.nodes, wide=wide)
    yield ""
    yield from _trust(plan, found)


def steps(victims: Sequence[Loss], *, hold: bool) -> Table:
    """The steps in their order."""
    columns = (
        Column("STEP", right=True),
        Column("ACTION"),
        Column("WORKLOAD"),
        Column("CLUSTERQUEUE"),
        Column("PRIORITY", right=True),
        Column("PODS", right=True),
        Column("GPUS", right=True),
        Column("RUNNING", right=True),
        Column("GPU-HOURS LOST", right=True),
    )
    rows: list[tuple[str, ...]] = []
    for number, loss in enumerate(victims, start=1):
        running = "" if loss.seconds is None else times.format_age(loss.seconds * times.SECOND)
        hours = "" if loss.gpu_hours is None else f"{loss.gpu_hours:.1f}"
        counts = (str(loss.priority), str(loss.pods), str(loss.gpus))
        action = "hold" if hold else "evict"
        rows.append((str(number), action, loss.workload, loss.cluster_queue, *counts, running, hours))
    return Table(columns, rows)


def _placed(title: str, rows: Sequence[Placed]) -> Iterator[Block]:
    if not rows:
        return
    yield ""
    yield title
    columns = (Column("WORKLOAD"), Column("CLUSTERQUEUE"), Column("FLAVORS"))
    yield Table(
        columns,
        [(row.workload, row.cluster_queue, parts.flavors(row.flavors)) for row in rows],
    )


def nodes(rows: Sequence[NodeRow], *, wide: bool) -> Table:
    """Nodes with one line for each flavor-resource: what changes, or everything that is used."""
    columns = (
        Column("NODE"),
        Column("FLAVOR"),
        Column("RESOURCE"),
        Column("NOMINAL", right=True),
        Column("USED", right=True),
        Column("SHARE", right=True),
        Column("WAITING", right=True),
    )
    lines: list[tuple[str, ...]] = []
    for node in rows:
        if not node.is_changed and not wide:
            continue
        title = f"{'  ' * node.depth}{'cohort ' if node.kind == 'Cohort' else ''}{node.name}"
        share = _change(_share(node.share_before), _share(node.share_after))
        waiting = _change(str(node.waiting_before), str(node.waiting_after))
        shown = [row for row in node.usage if row.before != row.after or (wide and row.before)]
        used: list[UsageRow | None] = [*shown]
        for row in used or [None]:
            lines.append((title, *_usage(row), share, waiting))
            title = share = waiting = ""
    return Table(columns, lines)


def _usage(row: UsageRow | None) -> tuple[str, str, str, str]:
    if row is None:
        return "", "", "", ""
    nominal, before, after = (
        quantity.format_amount(row.resource, value) for value in (row.nominal, row.before, row.after)
    )
    return row.flavor, row.resource, nominal, _change(before, after)


def _change(before: str, after: str) -> str:
    return before if before == after else f"{before} -> {after}"


def _trust(plan: Proposed, found: Result) -> Iterator[str]:
    """How sure the plan is."""
    tried = f"{_count(found.candidates, 'candidate')}, {_count(found.trials, 'set')} tried in the engine"
    if plan.is_proven:
        yield f"Proven: no other plan has {_better(plan)} ({tried})."
    elif plan.bound == plan.evictions:
        yield f"Proven: no plan has fewer evictions; one with as many might lose less work ({tried})."
    elif plan.bound:
        yield f"Not proven to be the smallest: it takes at least {_count(plan.bound, 'eviction')} ({tried})."
    else:
        yield f"Not proven to be the best ({tried})."
    if not plan.one_by_one:
        yield (
            "The evictions have to land together: if Kueue decides between two of them, others take the room, "
            "and the goal is missed."
        )
    if not plan.with_drain:
        yield "If parked workloads come back later than modelled (requeue mode drain), the goal is missed."


def _better(plan: Proposed) -> str:
    return {
        "FEWEST": "fewer evictions, or as few with less lost work",
        "LEAST_LOST": "less lost work",
        "LOWEST_PRIORITY": "lower priorities",
        "STEADIEST": "fewer evictions and holds however they land",
    }[plan.best_in.name]


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _names(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _MOST_NAMES} more" if len(listed) > _MOST_NAMES else ""
    return ", ".join(listed[:_MOST_NAMES]) + more


def document(found: Result) -> dict[str, Any]:
    """A contract."""
    goal = found.request.goal
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "Rebalance",
        "goal": goal.text,
        "cohort": goal.cohort,
        "reached": not found.gaps and not found.hopeless,
        "settled": found.is_settled,
        "gaps": [_gap_document(gap) for gap in found.gaps],
        "outOfReach": [_gap_document(gap) for gap in found.hopeless],
        "admittedAnyway": list(found.anyway_admitted),
        "preemptedAnyway": list(found.anyway_preempted),
        "candidates": found.candidates,
        "trials": found.trials,
        "protected": {why.name.lower(): count for why, count in found.shielded.items() if count},
        "items": [_plan_document(plan, hold=found.request.hold) for plan in found.plans],
        "victims": [object_document(loss.workload) for loss in (found.plans[0].victims if found.plans else ())],
    }


def object_document(key: str) -> dict[str, Any]:
    """A workload by kind and name, for names and custom columns."""
    namespace, _, name = key.partition("/")
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {"namespace": namespace, "name": name},
    }


def _gap_document(gap: Gap) -> dict[str, Any]:
    return {
        "node": gap.node,
        "workload": gap.workload,
        "sibling": gap.other,
        "share": _number(gap.share),
        "siblingShare": _number(gap.other_share),
        "missing": [
            [
                {
                    "flavor": need.flavor,
                    "resource": need.resource,
                    "amount": quantity.format_amount(need.resource, need.amount),
                }
                for need in needs
            ]
            for needs in gap.needs
        ],
    }


def _number(value: float) -> float | str:
    return "inf" if value == float("inf") else value


def _plan_document(plan: Proposed, *, hold: bool) -> dict[str, Any]:
    return {
        "bestIn": plan.best_in.name.lower(),
        "evictions": plan.evictions,
        "gpuHoursLost": round(plan.gpu_hours, 3),
        "highestPriority": plan.highest_priority,
        "proven": plan.is_proven,
        "atLeast": plan.bound,
        "oneByOne": plan.one_by_one,
        "withDrain": plan.with_drain,
        "steps": [{"action": "hold" if hold else "evict", **preempt.loss_document(loss)} for loss in plan.victims],
        "preempted": [preempt.loss_document(loss) for loss in plan.followers],
        "admitted": [_placed_document(row) for row in plan.admitted],
        "moved": [_placed_document(row) for row in plan.moved],
        "lost": list(plan.lost),
        "nodes": [_node_document(node) for node in plan.nodes],
    }


def _placed_document(row: Placed) -> dict[str, Any]:
    return {
        "workload": row.workload,
        "clusterQueue": row.cluster_queue,
        "flavors": [{"podSet": ps, "resource": r, "flavor": f} for ps, r, f in row.flavors],
    }


def _node_document(node: NodeRow) -> dict[str, Any]:
    return {
        "kind": node.kind,
        "name": node.name,
        "depth": node.depth,
        "share": {"before": _number(node.share_before), "after": _number(node.share_after)},
        "waiting": {"before": node.waiting_before, "after": node.waiting_after},
        "usage": [
            {
                "flavor": row.flavor,
                "resource": row.resource,
                "nominal": quantity.format_amount(row.resource, row.nominal),
                "before": quantity.format_amount(row.resource, row.before),
                "after": quantity.format_amount(row.resource, row.after),
            }
            for row in node.usage
        ],
    }
