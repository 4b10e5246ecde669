"""The events that Kueue emits for the decisions of a cycle, in its own words.

"Flavors considered" is told where flavors were traced (`Assigner.trace`). Differs: where resource groups share a
flavor, Kueue adds reasons for resources for which it never came to that flavor; ours leave them out.
"""

from __future__ import annotations

from typing import NamedTuple

from kueuectl.engine import priority, workloads
from kueuectl.engine.entries import Decision, Entry, Outcome
from kueuectl.engine.flavors.assignment import Assignment, Attempt
from kueuectl.engine.preemption.plan import Victim
from kueuectl.engine.reasons import Mode, Possibility
from kueuectl.model.conditions import Condition
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.workloads import Workload
from kueuectl.report import conditions, narrate

_SECOND = 1_000_000_000
_LONGEST = 2**63 - 1
_MAX_MESSAGE = 1024
_CUT = " ..."
_MODES = {Mode.NO_FIT: "NoFit", Mode.FIT: "Fit"}
_POSSIBILITIES = {
    Possibility.NO_CANDIDATES: "NoCandidates",
    Possibility.PREEMPT: "Preempt",
    Possibility.RECLAIM: "Reclaim",
}


class Event(NamedTuple):
    """One event; `key` is the workload that it is about."""

    key: str
    type: str
    reason: str
    message: str


def of_decision(decision: Decision, state: ClusterState, settings: Settings, *, now: int) -> list[Event]:
    """The events of one cycle, in the order of its entries."""
    found: list[Event] = []
    for entry in decision.entries:
        for victim, preemptor in decision.preempted:
            if preemptor is entry:
                found += _of_victim(victim, entry, state, settings)
        found += [
            Event(sibling.key, "Normal", "EvictedDueToFlavorMigration", narrate.migrated(entry.info.workload))
            for sibling, preemptor in decision.migrated
            if preemptor is entry
        ]
        if entry.outcome is Outcome.ADMITTED:
            found += _of_admitted(entry, settings, now=now)
            if entry.replaces is not None:
                message = narrate.replaced(entry.info.workload)
                found.append(Event(entry.replaces.key, "Normal", "WorkloadSliceReplaced", message))
        else:
            reason = narrate.entry_reason(entry, settings)
            found.append(Event(entry.info.key, "Warning", reason, narrate.entry(entry)))
    return [event._replace(message=_cut(event.message)) for event in found]


def _cut(message: str) -> str:
    """As much of a message as an event of Kueue's holds."""
    return message if len(message) <= _MAX_MESSAGE else message[: _MAX_MESSAGE - len(_CUT)] + _CUT


def _of_admitted(entry: Entry, settings: Settings, *, now: int) -> list[Event]:
    key, queue = entry.info.key, entry.queue.name
    waited = f"Quota reserved in ClusterQueue {queue}, wait time since queued was {_waited(entry, now)}s"
    considered = "" if entry.assignment is None else flavors_considered(entry.assignment)
    found = [
        Event(key, "Normal", "QuotaReserved", f"{waited}; Flavors considered: {considered}" if considered else waited)
    ]
    written = conditions.admitted(entry, settings, now=now)
    if _is_true(written, workloads.ADMITTED):
        message = f"Admitted by ClusterQueue {queue}, wait time since reservation was 0s"
        found.append(Event(key, "Normal", "Admitted", message))
    return found


def _is_true(found: tuple[Condition, ...], kind: str) -> bool:
    return any(condition.type == kind and condition.status == "True" for condition in found)


def _waited(entry: Entry, now: int) -> int:
    """Seconds since the workload queued, or queued again, rounded; the longest time there is where that is unknown."""
    workload = entry.info.workload
    since = workload.creation
    for condition in workload.conditions:
        if condition.type == workloads.REQUEUED and condition.status == "True":
            since = condition.last_transition
    elapsed = _LONGEST if since is None else now - since
    return (elapsed + _SECOND // 2) // _SECOND


def flavors_considered(found: Assignment) -> str:
    """Flavors that were looked at and are not simply used, pod set by pod set; "" without any."""
    parts = []
    for result in found.pod_sets:
        merged: dict[str, list[Attempt]] = {}
        for attempt in found.attempts:
            if result.name in attempt.pod_sets:
                merged.setdefault(attempt.flavor, []).append(attempt)
        texts = [text for name, attempts in sorted(merged.items()) if (text := _considered(name, attempts))]
        if texts:
            parts.append(f"{result.name}: {', '.join(texts)}")
    return " | ".join(parts)


def _considered(flavor: str, attempts: list[Attempt]) -> str:
    """One flavor, tried for several resource groups: the worst mode counts, and what preemption could do."""
    possible = [attempt.possibility for attempt in attempts if attempt.possibility is not None]
    height = max(attempt.height for attempt in attempts)
    # A flavor that was never graded is out for its first reason; more of them are only for explanations.
    found = [reason for attempt in attempts for reason in (attempt.reasons if attempt.checks else attempt.reasons[:1])]
    reasons = sorted(set(map(narrate.flavor_reason, found)))
    details = [f"borrow={height}"] if height > 0 else []
    details += reasons
    if not possible and not details:
        return ""
    mode = f"preemptionMode={_POSSIBILITIES[min(possible)]}" if possible else _MODES[min(a.mode for a in attempts)]
    return f"{flavor}({';'.join([mode, *details])})"


def _of_victim(victim: Victim, entry: Entry, state: ClusterState, settings: Settings) -> list[Event]:
    preemptor, preemptee = entry.info.workload, victim.info.workload
    message = narrate.preempted(victim, preemptor, entry.queue)
    ranks = (
        f"preemptor effective {_rank(preemptor, state, settings)}; "
        f"preemptee effective {_rank(preemptee, state, settings)}"
    )
    assert victim.info.queue is not None
    done = f"Preempted workload {preemptee.key} (UID: {preemptee.uid}) in ClusterQueue {victim.info.queue.name}"
    return [
        Event(preemptee.key, "Normal", "EvictedDueToPreempted", message),
        Event(preemptee.key, "Normal", "Preempted", f"{message}; {ranks}"),
        Event(preemptor.key, "Normal", "PreemptedWorkload", f"{done}; {ranks}"),
    ]


def _rank(workload: Workload, state: ClusterState, settings: Settings) -> str:
    base = priority.base(workload, state)
    boost = priority.boost(workload, settings)[0]
    return f"priority: {base + boost} (base: {base}, boost: {boost})"
