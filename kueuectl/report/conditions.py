"""The conditions that Kueue writes when a cycle is over, in its own words.

Rules (docs: Workload; KEP-10852; observed):

1. Admitted: QuotaReserved becomes True; Evicted, Preempted and BlockedOnPreemptionGates that are True become False
   with their old message; Admitted follows when the workload lists all checks that its queue wants of it.
2. Put back: QuotaReserved is False with reason and message. With the gate UnadmittedWorkloadsObservability Admitted is
   False too.
   One that is held by its preemption gates gets BlockedOnPreemptionGates; where it has that already, nothing is
   written.
3. Preempted: Evicted and Preempted become True. The quota stays reserved until the pods are gone.
   A variant that makes room for a more favorable one is Evicted for FlavorMigration.
4. A workload slice whose place was taken is Finished, and never evicted.
"""

from __future__ import annotations

from collections.abc import Iterable

from kueuectl.engine import checks, workloads
from kueuectl.engine.entries import Entry, Outcome
from kueuectl.engine.infos import Info
from kueuectl.engine.preemption.plan import Victim
from kueuectl.engine.simulate import admission_of
from kueuectl.engine.snapshot import QueueNode
from kueuectl.model import conditions
from kueuectl.model.conditions import Condition
from kueuectl.model.settings import Settings
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload
from kueuectl.report import narrate

Conditions = tuple[Condition, ...]
_RESERVED = "QuotaReserved"


def written(known: Conditions, changes: Iterable[Condition]) -> Conditions:
    """Conditions with changes applied: by type, new ones last; a time stays where the status does."""
    found = list(known)
    for change in changes:
        place = next((index for index, old in enumerate(found) if old.type == change.type), None)
        if place is None:
            found.append(change)
        elif found[place].status == change.status:
            found[place] = replace(change, last_transition=found[place].last_transition)
        else:
            found[place] = change
    return tuple(found)


def admitted(entry: Entry, settings: Settings, *, now: int) -> Conditions:
    """The conditions of a workload that is given quota. Rule 1."""
    workload, queue = entry.info.workload, entry.queue.spec
    write = _Writer(workload, now)
    changes = [write(_RESERVED, "True", _RESERVED, message=f"Quota reserved in ClusterQueue {queue.name}")]
    for kind in (workloads.EVICTED, workloads.PREEMPTED, workloads.BLOCKED):
        old = conditions.find(workload.conditions, kind)
        if old is not None and old.status == "True":
            changes.append(write(kind, "False", _RESERVED, message=f"Previously: {old.message}"))
    found = written(workload.conditions, changes)
    reserved = replace(workload, conditions=found, admission=admission_of(entry))
    needed = checks.required(queue, reserved) or ()
    if not {state.name for state in workload.checks}.issuperset(needed):
        return found
    change = workloads.sync_admitted(reserved, settings, now)
    return found if change is None else written(found, [change.condition])


def put_back(entry: Entry, settings: Settings, *, now: int) -> Conditions:
    """The conditions of a workload that is put back into its queue. Rule 2."""
    workload = entry.info.workload
    write = _Writer(workload, now)
    if entry.outcome is Outcome.GATED:
        blocked = write(workloads.BLOCKED, "True", "PreemptionGated", message=narrate.entry(entry))
        if written(workload.conditions, [blocked]) == workload.conditions:
            return workload.conditions
    changes = [write(_RESERVED, "False", narrate.entry_reason(entry, settings), message=narrate.entry(entry))]
    if entry.outcome is Outcome.GATED:
        changes.append(blocked)
    if settings.gate("UnadmittedWorkloadsObservability"):
        changes.append(write(workloads.ADMITTED, "False", "NoReservation", message="The workload has no reservation"))
    return written(workload.conditions, changes)


def preempted(victim: Victim, preemptor: Workload, queue: QueueNode, *, now: int) -> Conditions:
    """The conditions of a workload that is preempted for one in this queue. Rule 3."""
    workload = victim.info.workload
    write, message = _Writer(workload, now), narrate.preempted(victim, preemptor, queue)
    changes = [
        write(workloads.EVICTED, "True", workloads.PREEMPTED, message=message),
        write(workloads.PREEMPTED, "True", victim.reason, message=message),
    ]
    return written(workload.conditions, changes)


def replaced(old: Info, by: Workload, *, now: int) -> Conditions:
    """The conditions of a workload slice whose place was taken. Rule 4."""
    write = _Writer(old.workload, now)
    change = write(workloads.FINISHED, "True", "WorkloadSliceReplaced", message=narrate.replaced(by))
    return written(old.workload.conditions, [change])


def migrated(sibling: Info, preemptor: Workload, *, now: int) -> Conditions:
    """The conditions of a variant that makes room for a more favorable one. Rule 3."""
    write = _Writer(sibling.workload, now)
    message = narrate.migrated(preemptor)
    return written(
        sibling.workload.conditions, [write(workloads.EVICTED, "True", workloads.MIGRATION, message=message)]
    )


class _Writer:
    """Makes conditions of one workload."""

    def __init__(self, workload: Workload, now: int) -> None:
        self.generation = workload.generation
        self.now = now

    def __call__(self, kind: str, status: str, reason: str, *, message: str) -> Condition:
        return Condition(kind, status, reason, message, self.now, self.generation)
