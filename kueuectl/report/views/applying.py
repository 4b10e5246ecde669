"""Plans that are carried out: what will be written, why not, and what came of it beside what was foretold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kueuectl import times
from kueuectl.analysis.applying import Doubt, Place, Why
from kueuectl.analysis.following import Fate, Now, Sight
from kueuectl.model import plan as plans
from kueuectl.model.plan import Plan, Step
from kueuectl.report.tables import Column, Table

Block = str | Table

_MOST_NAMES = 10
_SEEN = {
    Now.GONE: "gone",
    Now.FINISHED: "finished",
    Now.HELD: "held, quota released",
    Now.LEAVING: "evicted, its quota is not released yet",
    Now.WAITING: "waits without quota",
    Now.RESERVED: "quota reserved",
    Now.ADMITTED: "admitted",
}
_EVICTED = {Now.WAITING: "evicted, quota released", Now.ADMITTED: "admitted", Now.RESERVED: "quota reserved"}


def plan_blocks(plan: Plan, *, done: Sequence[int] = ()) -> Iterator[Block]:
    """A plan as it was saved; `done` are numbers of steps that are behind us."""
    inside = f" in cohort {plan.cohort}" if plan.cohort else ""
    goal = "evictions that were named" if plan.goal == plans.NAMED else f"goal {plan.goal}{inside}"
    made = times.format_time(plan.made_at // times.SECOND * times.SECOND)
    yield f"Plan of {made}: {goal}"
    columns = (
        Column("STEP", right=True),
        Column("ACTION"),
        Column("WORKLOAD"),
        Column("CLUSTERQUEUE"),
        Column("PRIORITY", right=True),
        Column("PODS", right=True),
        Column("GPUS", right=True),
        Column("STATE"),
    )
    rows = [
        (
            str(number + 1),
            step.action,
            step.key,
            step.cluster_queue,
            str(step.priority),
            str(step.pods),
            str(step.gpus),
            "done" if number in done else "to do",
        )
        for number, step in enumerate(plan.steps)
    ]
    yield Table(columns, rows)
    if plan.promise.admitted:
        yield "Promised:"
        yield Table(
            (Column("WORKLOAD"), Column("CLUSTERQUEUE"), Column("FLAVORS")),
            [(row.workload, row.cluster_queue, _flavors(row.flavors)) for row in plan.promise.admitted],
        )
    for title, names in (
        ("Preempted by Kueue in consequence", plan.promise.preempted),
        ("Starts again", plan.promise.returned),
    ):
        if names:
            yield f"{title}: {_names(names)}"


def question(steps: Sequence[Step]) -> str:
    """What the user is asked."""
    held = sum(step.action == plans.HOLD for step in steps)
    evicted = len(steps) - held
    parts = []
    if evicted:
        parts.append(f"Evict {_count(evicted, 'workload')}")
    if held:
        parts.append(f"{'hold' if evicted else 'Hold'} {_count(held, 'workload')}")
    pods = sum(step.pods for step in steps)
    return f"{' and '.join(parts)} ({_count(pods, 'pod')})"


def doubts(found: Sequence[Doubt]) -> str:
    """Why a plan can't be carried out as it is."""
    shown = [doubt_text(doubt) for doubt in found[:_MOST_NAMES]]
    more = f"; and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return "; ".join(shown) + more


def doubt_text(doubt: Doubt) -> str:
    """One thing that is not as the plan needs it."""
    named = f"{doubt.kind} {doubt.key}"
    return {
        Why.GONE: f"{named} is gone",
        Why.REPLACED: f"{named} is another one of the same name",
        Why.CHANGED: f"{named} was changed",
        Why.NO_QUOTA: f"{named} holds no quota any more",
        Why.LEAVING: f"{named} is evicted already",
        Why.RESTLESS: "Kueue would not come to rest: workloads would preempt each other in a loop",
        Why.MISSED: "the goal would be missed",
        Why.NOT_ADMITTED: f"{named} would not be admitted",
        Why.ELSEWHERE: f"{named} would be admitted elsewhere",
        Why.NEEDLESS: f"{named} gets quota without it",
        Why.PREEMPTS: f"Kueue would preempt {named} in consequence",
        Why.RETURNS: f"{named} would come back",
    }[doubt.why]


def sights(found: Sequence[Sight], others: Sequence[str]) -> Iterator[Block]:
    """What was foretold and what came, line by line, then whether it is the same."""
    columns = (
        Column("WORKLOAD"),
        Column("FORETOLD"),
        Column("SEEN"),
        Column("AFTER", right=True),
        Column("CAME TRUE"),
    )
    rows = [
        (row.foretold.workload, fate_text(row), seen_text(row), _seconds(row.seconds), "yes" if row.came else "no")
        for row in found
    ]
    rows += [(key, "stays", "preempted", "", "no") for key in others]
    yield Table(columns, rows)
    yield summary(found, others)


def summary(found: Sequence[Sight], others: Sequence[str]) -> str:
    """Whether what was foretold came, in one sentence."""
    missed = sum(not row.came for row in found)
    if not missed and not others:
        return "All of it came as it was foretold."
    parts = []
    if missed:
        parts.append(f"{missed} of {_count(len(found), 'line')} did not come as foretold")
    if others:
        parts.append(f"Kueue preempted {_names(others)}, which was not foretold")
    return f"{'; '.join(parts)}."


def fate_text(row: Sight) -> str:
    """What was foretold."""
    fate = row.foretold.fate
    if fate is Fate.ADMITTED:
        return f"admitted{_where(row.foretold.place)}"
    return {
        Fate.RELEASED: "evicted, quota released",
        Fate.HELD: "held, quota released",
        Fate.RETURNED: "evicted, starts again",
        Fate.PREEMPTED: "preempted by Kueue",
    }[fate]


def seen_text(row: Sight) -> str:
    """What was found."""
    is_victim = row.foretold.fate in (Fate.RELEASED, Fate.RETURNED, Fate.PREEMPTED)
    text = _EVICTED.get(row.now, _SEEN[row.now]) if is_victim else _SEEN[row.now]
    return f"{text}{_where(row.place)}"


def _where(place: Place | None) -> str:
    if place is None:
        return ""
    queue, flavors = place
    names = ", ".join(dict.fromkeys(flavor for _, _, flavor in flavors))
    return f" in {queue} on {names}" if names else f" in {queue}"


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}s"


def document(
    plan: Plan, *, results: Mapping[int, str], found: Sequence[Sight], others: Sequence[str], followed: bool
) -> dict[str, Any]:
    """A contract. `results` say of steps by number how they were done; without `followed` nothing was looked at."""
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "AppliedPlan",
        "goal": plan.goal,
        "items": [
            {
                "action": step.action,
                "apiVersion": "kueue.x-k8s.io/v1beta2",
                "kind": "Workload",
                "metadata": {"namespace": step.namespace, "name": step.name},
                "result": results.get(number, "not done"),
            }
            for number, step in enumerate(plan.steps)
        ],
        "followed": followed,
        "cameTrue": (all(row.came for row in found) and not others) if followed else None,
        "foretold": [
            {
                "workload": row.foretold.workload,
                "fate": str(row.foretold.fate),
                "place": _place_document(row.foretold.place),
                "seen": str(row.now),
                "seenPlace": _place_document(row.place),
                "afterSeconds": None if row.seconds is None else round(row.seconds, 1),
                "cameTrue": row.came,
            }
            for row in found
        ],
        "unforeseen": list(others),
    }


def _place_document(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    queue, flavors = place
    return {
        "clusterQueue": queue,
        "flavors": [{"podSet": name, "resource": resource, "flavor": flavor} for name, resource, flavor in flavors],
    }


def _flavors(rows: Sequence[tuple[str, str, str]]) -> str:
    return ", ".join(f"{name}/{resource}={flavor}" for name, resource, flavor in rows)


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
