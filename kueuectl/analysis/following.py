"""What was foretold of a plan, workload by workload, and whether it has come.

Rules.

1. An evicted workload has come to its end when it holds no quota any more; one that was foretold to start again, when
   it holds quota after its eviction.
2. A held one has come to its end when it is inactive and its quota is released; without an owner nobody takes its
   reservation away, but Kueue does not count it.
3. A promised workload has what it was promised when it holds quota in that ClusterQueue with those flavors, and is
   admitted or waits for admission checks only. That it finished since is as good.
4. What Kueue was to preempt has been when it is evicted, or when it was evicted since the plan was begun.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from kueuectl.analysis.applying import Place, place_of
from kueuectl.analysis.trials import Flavors
from kueuectl.engine import workloads
from kueuectl.model import conditions
from kueuectl.model import plan as plans
from kueuectl.model.plan import Plan
from kueuectl.model.values import Struct, replace
from kueuectl.model.workloads import Workload

_READY = "Ready"


class Fate(StrEnum):
    """What is foretold of a workload."""

    RELEASED = "released"
    HELD = "held"
    RETURNED = "returned"
    ADMITTED = "admitted"
    PREEMPTED = "preempted"


class Now(StrEnum):
    """How a workload is found."""

    GONE = "gone"
    FINISHED = "finished"
    HELD = "held"
    LEAVING = "leaving"
    WAITING = "waiting"
    RESERVED = "reserved"
    ADMITTED = "admitted"


class Foretold(Struct, frozen=True):
    """One line of what is foretold; `place` of what is admitted."""

    workload: str
    fate: Fate
    place: Place | None = None


class Sight(Struct, frozen=True):
    """A workload as it was found, beside what was foretold; `seconds` after the last step, None before it came."""

    foretold: Foretold
    now: Now
    came: bool
    place: Place | None = None
    seconds: float | None = None


def foretold(plan: Plan) -> tuple[Foretold, ...]:
    """All that a plan foretells: its victims, who gets quota, whom Kueue preempts."""
    return tuple(_foretold(plan))


def _foretold(plan: Plan) -> Iterator[Foretold]:
    for step in plan.steps:
        if step.action == plans.HOLD:
            yield Foretold(step.key, Fate.HELD)
        else:
            yield Foretold(step.key, Fate.RETURNED if step.key in plan.promise.returned else Fate.RELEASED)
    for row in plan.promise.admitted:
        flavors: Flavors = tuple((name, resource, flavor) for name, resource, flavor in row.flavors)
        yield Foretold(row.workload, Fate.ADMITTED, (row.cluster_queue, flavors))
    for key in plan.promise.preempted:
        yield Foretold(key, Fate.PREEMPTED)


def look(found: Foretold, workload: Workload | None, *, since: int, before: Mapping[str, int]) -> Sight:
    """Whether a line has come.

    `since` is when the plan was begun, in nanoseconds; `before` are counts of evictions at that time, as far as known.
    """
    now = state_of(workload)
    place = None if workload is None else place_of(workload)
    if now is Now.FINISHED and workload is not None and workload.admission is not None:
        # Its usage does not count any more, but it says where it ran.
        place = _ran_in(workload)
    came = _came(found, workload, now, place, since=since, before=before)
    return Sight(found, now, came, place)


def _ran_in(workload: Workload) -> Place | None:
    open_ = tuple(row for row in workload.conditions if row.type != workloads.FINISHED)
    return place_of(replace(workload, conditions=open_))


def state_of(workload: Workload | None) -> Now:
    """How a workload is."""
    if workload is None:
        return Now.GONE
    if workloads.is_finished(workload):
        return Now.FINISHED
    reserved = workloads.is_reserved(workload)
    if not workload.active:
        is_released = not reserved or (not workload.owners and workloads.is_evicted(workload))
        return Now.HELD if is_released else Now.LEAVING
    if not reserved:
        return Now.WAITING
    if workloads.is_evicted(workload):
        return Now.LEAVING
    return Now.ADMITTED if workloads.is_admitted(workload) else Now.RESERVED


def _came(
    found: Foretold, workload: Workload | None, now: Now, place: Place | None, *, since: int, before: Mapping[str, int]
) -> bool:
    match found.fate:
        case Fate.RELEASED:
            return now in (Now.WAITING, Now.HELD, Now.GONE, Now.FINISHED)
        case Fate.HELD:
            return now in (Now.HELD, Now.GONE, Now.FINISHED)
        case Fate.RETURNED:
            return now in (Now.ADMITTED, Now.RESERVED) and was_evicted(workload, since=since, before=before)
        case Fate.ADMITTED:
            ready = now in (Now.ADMITTED, Now.FINISHED) or (now is Now.RESERVED and _waits_for_checks(workload))
            return ready and place == found.place
        case Fate.PREEMPTED:
            return now is Now.GONE or was_evicted(workload, since=since, before=before)


def _waits_for_checks(workload: Workload | None) -> bool:
    return workload is not None and any(check.state != _READY for check in workload.checks)


def was_evicted(workload: Workload | None, *, since: int, before: Mapping[str, int]) -> bool:
    """Whether a workload was evicted since then.

    By its counter where that is known and kept, else by the time of its condition, which also moves when an evicted
    workload is given quota again.
    """
    if workload is None:
        return False
    count = count_of(workload)
    if workload.key in before and count:
        return count > before[workload.key]
    found = conditions.find(workload.conditions, workloads.EVICTED)
    if found is None or found.last_transition is None or found.last_transition < since:
        return False
    return found.status == "True" or workload.key not in before


def count_of(workload: Workload) -> int:
    """How often it was evicted in its life."""
    return sum(row.count for row in workload.evictions)


def unforeseen(plan: Plan, found: Mapping[str, Workload], *, before: Mapping[str, int], since: int) -> tuple[str, ...]:
    """Keys of other workloads of the plan's trees that were evicted since, which nobody foretold."""
    mine = {step.key for step in plan.steps} | set(plan.promise.preempted) | set(plan.promise.returned)
    held = {wanted.key: wanted.uid for wanted in plan.preconditions if wanted.kind == "Workload"}
    return tuple(
        key
        for key in sorted(held.keys() - mine)
        if key in found
        and found[key].uid == held[key]
        and key in before
        and was_evicted(found[key], since=since, before=before)
    )
