"""Sentences about a dry run: what is changed, what comes of it, how it ends, what there is to know about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kueuectl import quantity
from kueuectl.analysis.difference import Difference, Stays, Switched, Why
from kueuectl.analysis.dry_run import DryRun
from kueuectl.analysis.dry_run_changes import ObjectChange, Verb
from kueuectl.analysis.dry_run_play import Ended, EndKind, Holding
from kueuectl.analysis.edits import QUOTA_FIELDS, Field, FieldChange, Value
from kueuectl.analysis.edits_delete import Note, NoteCode
from kueuectl.report.views import parts

ARROW = "->"
_MOST_NAMED = 6
_FIELDS = {
    Field.NOMINAL: "nominal quota",
    Field.BORROWING_LIMIT: "borrowing limit",
    Field.LENDING_LIMIT: "lending limit",
    Field.WEIGHT: "weight",
    Field.COHORT: "cohort",
    Field.PARENT: "parent",
    Field.STRATEGY: "queueing strategy",
    Field.STOP_POLICY: "stop policy",
    Field.WITHIN_CLUSTER_QUEUE: "withinClusterQueue",
    Field.RECLAIM_WITHIN_COHORT: "reclaimWithinCohort",
    Field.BORROW_WITHIN_COHORT: "borrowWithinCohort",
    Field.MAX_PRIORITY_THRESHOLD: "maxPriorityThreshold",
    Field.WHEN_CAN_BORROW: "whenCanBorrow",
    Field.WHEN_CAN_PREEMPT: "whenCanPreempt",
    Field.PREFERENCE: "flavor preference",
    Field.CLUSTER_QUEUE: "ClusterQueue",
    Field.PRIORITY: "priority",
    Field.PRIORITY_CLASS: "priority class",
    Field.QUEUE: "queue",
    Field.COUNT: "pods",
    Field.MIN_COUNT: "least pods",
    Field.ACTIVE: "active",
}
_LIMITS = (Field.BORROWING_LIMIT, Field.LENDING_LIMIT)


def change(found: ObjectChange) -> list[str]:
    """One object that is changed, a line for each field."""
    name = f"{found.target.kind} {found.target.key}"
    if found.verb is Verb.CREATED and found.fields:
        return [f"{name} created: {', '.join(f'{_what(entry)} {value(entry, entry.after)}' for entry in found.fields)}"]
    if found.verb is not Verb.CHANGED or not found.fields:
        return [f"{name} {found.verb}"]
    return [f"{name}: {field(entry)}" for entry in found.fields]


def field(found: FieldChange) -> str:
    """One field with its value before and after."""
    return f"{_what(found)} {value(found, found.before)} {ARROW} {value(found, found.after)}"


def _what(found: FieldChange) -> str:
    what = _FIELDS[found.field]
    if found.field in QUOTA_FIELDS:
        return f"{what} of {found.part[1]} in flavor {found.part[0]}"
    return f"{what} of pod set {found.part[0]}" if found.part else what


def value(found: FieldChange, given: Value) -> str:
    """The value of a field as a manifest has it."""
    if given is None:
        return "unlimited" if found.field in _LIMITS else "none"
    if found.field in QUOTA_FIELDS and isinstance(given, int):
        return quantity.format_amount(found.part[1], given)
    if isinstance(given, bool):
        return str(given).lower()
    return f"{given:g}" if isinstance(given, float) else str(given)


def summary(found: DryRun) -> str:
    """What becomes different, in one line of numbers."""
    return ", ".join(_counted(found.difference)) or "nothing changes"


def _counted(found: Difference) -> list[str]:
    why = Counter(lost.why for lost in found.lost)
    preempted = why[Why.PREEMPTED] + sum(again.by != "" for again in found.restarted)
    preempted += sum(moved.preemption is not None for moved in found.moved)
    parts = [
        (len(found.gained), "admitted"),
        (preempted, "preempted"),
        (why[Why.EVICTED] + sum(again.by == "" for again in found.restarted), "evicted"),
        (why[Why.DEACTIVATED], "deactivated"),
        (why[Why.DELETED], "deleted"),
        (why[Why.REPLACED], "replaced by a new slice"),
        (why[Why.NOT_ADMITTED], "no longer admitted"),
        (sum(moved.before.flavors != moved.after.flavors for moved in found.moved), "on other flavors"),
        (sum(moved.before.counts != moved.after.counts for moved in found.moved), "with other pod counts"),
        (len(found.spared), "spared an eviction"),
        (len(found.queued), "queued"),
        (len(found.left), "no longer queued"),
        (len(found.shifted), "at other positions"),
    ]
    texts = [f"{number} {word}" for number, word in parts if number]
    off = sum(row.why != "" for row in found.switched)
    texts += [f"{counted(number, 'ClusterQueue')} {word}" for number, word in _switches(off, len(found.switched))]
    if not texts and found.nodes:
        texts.append("no workload is affected; quota or shares differ")
    return texts


def _switches(off: int, total: int) -> list[tuple[int, str]]:
    return [(number, word) for number, word in ((off, "stopped"), (total - off, "started")) if number]


def counted(number: int, word: str) -> str:
    """A number with its noun."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def anyway(found: DryRun, holding: int, gained: int, lost: int) -> str:
    """What Kueue would do without the change."""
    if not gained and not lost:
        return ""
    parts = [f"admit {gained}" if gained else "", f"evict {lost}" if lost else ""]
    return f"Even without it Kueue would {' and '.join(filter(None, parts))} ({holding} hold quota now)."


def switched(found: Switched) -> str:
    """A ClusterQueue that starts or stops admitting."""
    if not found.why:
        return f"ClusterQueue {found.cluster_queue} admits again."
    return f"ClusterQueue {found.cluster_queue} admits nobody any more: {found.why}"


def ended(found: Ended) -> str:
    """How one simulation ended, where it did not come to rest."""
    names = listed(found.members)
    if found.kind is EndKind.LOOP:
        every = f" every {found.period} rounds" if found.period else ""
        return (
            f"Preemption loop in {found.root}: {names} take quota from each other{every}, for ever. What is shown is "
            "one of the states that repeat; Kueue itself goes round like this."
        )
    return (
        f"Step limit: {found.root} still moves after {found.rounds} rounds ({names}). What is shown is not the end; "
        "--max-rounds raises the limit."
    )


def settled(found: DryRun) -> str:
    """After how many rounds both states rest."""
    if not found.after.endings:
        return "No tree of queues is touched, so there was nothing to simulate."
    after = max((entry.rounds for entry in found.after.endings), default=0)
    if not found.is_change:
        return f"Settled after {_rounds(after)} of the scheduler."
    before = max((entry.rounds for entry in found.before.endings), default=0)
    return f"Settled after {_rounds(after)} of the scheduler ({before} without the change)."


def ties(found: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[str]:
    """Preemptions that Kueue draws lots for."""
    for preemptor, names in found:
        yield (
            f"The victims of {preemptor} are not determined: {' and '.join(names)} have equal shares, and Kueue picks "
            "one of them at random. It may end otherwise."
        )


def _rounds(number: int) -> str:
    return counted(number, "round")


def stays(found: Stays) -> str:
    """Who may get the quota back that a node uses too much, and what keeps it."""
    beyond = ""
    if found.beyond:
        amount = quantity.format_amount(found.resource, found.beyond)
        beyond = f"{amount} beyond its borrowing limit; "
    if found.is_root and found.kind == "Cohort":
        return f"{beyond}more than the whole tree has"
    if found.reclaimers:
        return f"{beyond}{listed(found.reclaimers, most=3)} may reclaim it"
    return f"{beyond}nobody may reclaim it now"


def listed(names: tuple[str, ...], most: int = _MOST_NAMED) -> str:
    """The first names, and how many there are besides."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def flavors(found: Holding) -> str:
    """The flavors that quota is held on, in short."""
    return parts.flavors(found.flavors)


def note(found: Note) -> str:
    """What there is to know about a change."""
    facts = dict(found.facts)
    name = facts.get("name", "")
    match found.code:
        case NoteCode.TERMINATING:
            holders = int(facts["holders"])
            return (
                f"{counted(holders, 'workload')} still {'hold' if holders > 1 else 'holds'} quota of ClusterQueue "
                f"{name}: deleted, it stays Terminating until they end, admits nobody, and still lends."
            )
        case NoteCode.IN_USE:
            return f"{facts['kind']} {name} is in use by {facts['by']}: deleted, it stays until nobody uses it."
        case NoteCode.NO_QUEUE:
            keep = "keeps" if facts["holding"] == "1" else "keep"
            return (
                f"Without LocalQueue {name} nobody takes in its {counted(int(facts['waiting']), 'waiting workload')}; "
                f"{counted(int(facts['holding']), 'workload')} with quota {keep} it to the end."
            )
        case NoteCode.STILL_NAMED:
            return (
                f"Cohort {name} goes on as a plain name for its {facts['members']} members: without quota of its own, "
                "limits, weight and parent."
            )
        case NoteCode.REMADE:
            return f"Workload {name} belongs to {facts['owner']}, which stops; Kueue makes a new Workload for it."
        case _:
            return _general_note(found.code, name, facts)


def _general_note(code: NoteCode, name: str, facts: dict[str, str]) -> str:
    match code:
        case NoteCode.EVICTS_NOTHING:
            return (
                "Kueue evicts nothing when a quota or limit is lowered: what runs keeps its quota until it ends or is "
                "reclaimed."
            )
        case NoteCode.STOPS_LENDING_NOT:
            return f"A stopped ClusterQueue ({name}) still lends its quota, and nobody can preempt its workloads."
        case NoteCode.KEEPS_PRIORITY:
            return f"Workloads of WorkloadPriorityClass {name} keep the priority that they have: only new ones get it."
        case NoteCode.NOT_WOKEN:
            return (
                f"Kueue does not look at who waits in cohort {name} when something leaves it: who gets quota there "
                "gets it once something ends or changes in that tree."
            )
        case NoteCode.ASSUMED_ACTIVE:
            return f"AdmissionCheck {name} is new: its controller is assumed to set it active."
        case NoteCode.EXISTS:
            return f"Workload {name} is there already: {facts['job']} is taken as a second one."
        case _:
            return ""
