"""How long workloads run: what was assumed, what was observed, what limits say.

For each workload the first of these that there is:

1. an assumption for its LocalQueue, for its ClusterQueue, for all;
2. how long finished workloads of the same owner ran (jobs of one CronJob or generator have names that differ in their
   ends), else those of the same LocalQueue, when there are three at least;
3. its run time limit: an upper bound;
4. nothing: it may run for ever.

Whatever it is, the run time limit ends it. Work that runs for longer already than was assumed or observed has no known
end any more, but for its limit. Only what is still in the state can be observed: Kueue and job controllers
delete finished work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from kueuectl.engine import workloads
from kueuectl.engine.timeline import Span, running_since
from kueuectl.model import conditions
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct
from kueuectl.model.workloads import Workload

_SECOND = 1_000_000_000
_LEAST_OF_QUEUE = 3
# What controllers put behind a name: a number (CronJob: minutes since the epoch), or random letters of Kubernetes.
_GENERATED = re.compile(r"-(\d+|[bcdfghjklmnpqrstvwxz2456789]{5,10})\Z", re.ASCII)


class Source(StrEnum):
    """Where a run time comes from."""

    QUEUE = "assumed for its queue"
    ALL = "assumed for all"
    OWNER = "observed, same owner"
    LOCAL_QUEUE = "observed, same LocalQueue"
    LIMIT = "run time limit"
    UNKNOWN = "unknown"


class Assumed(Struct, frozen=True):
    """An assumption: nanoseconds from low to high. `queue` is a ClusterQueue, a LocalQueue (namespace/name), or ""."""

    low: int
    high: int
    queue: str = ""


class RunTime(Struct, frozen=True):
    """What is known of one workload. A range from low to high, or `samples` (sorted); None and empty: nothing.

    `limit` is what is left of its run time limit before the present run; `elapsed` how long it runs already.
    """

    source: Source
    low: int | None = None
    high: int | None = None
    samples: tuple[int, ...] = ()
    limit: int | None = None
    elapsed: int = 0

    @property
    def is_spread(self) -> bool:
        """Whether it may turn out differently."""
        return self.low != self.high

    @property
    def is_overdue(self) -> bool:
        """Whether it runs for longer already than it should."""
        longest = self.samples[-1] if self.samples else self.high
        return longest is not None and self.elapsed > longest

    def typical(self) -> Span:
        """The middle: the median of what was observed, the middle of a range."""
        if self.is_overdue:
            return Span(None, self.limit)
        if self.samples:
            return Span(_whole(_middle(self._left())), self.limit)
        if self.low is None or self.high is None:
            return Span(None, self.limit)
        return Span(_whole((max(self.low, self.elapsed) + self.high) // 2), self.limit)

    def drawn(self, chance: float) -> Span:
        """One way it may turn out; `chance` is from 0 to below 1. What runs already does not end before now."""
        if self.is_overdue:
            return Span(None, self.limit)
        if self.samples:
            left = self._left()
            return Span(left[int(chance * len(left))], self.limit)
        if self.low is None or self.high is None:
            return Span(None, self.limit)
        low = max(self.low, self.elapsed)
        return Span(_whole(low + int(chance * (self.high - low))), self.limit)

    def _left(self) -> tuple[int, ...]:
        """Observed run times that it has not passed already."""
        return tuple(sample for sample in self.samples if sample >= self.elapsed)


def _whole(length: int) -> int:
    """Full seconds: a guess has no fractions of them, and starts at one instant stay at one instant."""
    return length - length % _SECOND if length >= _SECOND else length


def _middle(values: Sequence[int]) -> int:
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) // 2


def of(state: ClusterState, *, now: int, assumed: Iterable[Assumed] = ()) -> dict[str, RunTime]:
    """The run time of every workload that is not finished, by key."""
    rules = {rule.queue: rule for rule in assumed}
    owners, queues = _observed(state)
    return {
        key: _run_time(workload, state, now=now, rules=rules, owners=owners, queues=queues)
        for key, workload in state.workloads.items()
        if not workloads.is_finished(workload)
    }


def _run_time(
    workload: Workload,
    state: ClusterState,
    *,
    now: int,
    rules: Mapping[str, Assumed],
    owners: Mapping[object, tuple[int, ...]],
    queues: Mapping[str, tuple[int, ...]],
) -> RunTime:
    limit = None
    if workload.maximum_execution_seconds is not None:
        limit = max(0, workload.maximum_execution_seconds - workload.past_execution_seconds) * _SECOND
    elapsed = now - running_since(workload, now) if workloads.holds_quota(workload) else 0
    door = f"{workload.namespace}/{workload.queue_name}"
    local = state.local_queues.get(door)
    name = workload.admission.cluster_queue if workload.admission is not None else ""
    if not name and local is not None:
        name = local.cluster_queue
    for queue, source in ((door, Source.QUEUE), (name, Source.QUEUE), ("", Source.ALL)):
        rule = rules.get(queue)
        if rule is not None and (queue or source is Source.ALL):
            return RunTime(source, rule.low, rule.high, limit=limit, elapsed=elapsed)
    same = owners.get(family(workload))
    if same:
        return RunTime(Source.OWNER, same[0], same[-1], same, limit, elapsed)
    near = queues.get(door)
    if near and len(near) >= _LEAST_OF_QUEUE:
        return RunTime(Source.LOCAL_QUEUE, near[0], near[-1], near, limit, elapsed)
    return RunTime(Source.LIMIT if limit is not None else Source.UNKNOWN, limit=limit, elapsed=elapsed)


def _observed(state: ClusterState) -> tuple[dict[object, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """Run times of finished workloads, sorted: by owner and by LocalQueue. Failed ones say nothing."""
    owners: dict[object, list[int]] = {}
    queues: dict[str, list[int]] = {}
    for workload in state.workloads.values():
        seconds = _ran(workload)
        if seconds is not None:
            owners.setdefault(family(workload), []).append(seconds)
            queues.setdefault(f"{workload.namespace}/{workload.queue_name}", []).append(seconds)
    return (
        {key: tuple(sorted(found)) for key, found in owners.items() if key is not None},
        {key: tuple(sorted(found)) for key, found in queues.items()},
    )


def _ran(workload: Workload) -> int | None:
    finished = conditions.find(workload.conditions, workloads.FINISHED)
    admitted = conditions.find(workload.conditions, workloads.ADMITTED)
    if finished is None or finished.status != "True" or finished.reason == "Failed":
        return None
    if admitted is None or admitted.status != "True":
        return None
    if finished.last_transition is None or admitted.last_transition is None:
        return None
    ran = finished.last_transition - admitted.last_transition
    return ran if ran > 0 else None


def family(workload: Workload) -> object:
    """What workloads of one origin have in common; None without an owner."""
    owner = next((found for found in workload.owners if found.is_controller), None)
    if owner is None:
        return None
    return (workload.namespace, workload.queue_name, owner.kind, _GENERATED.sub("", owner.name))


_MASK = 2**64 - 1


def chance(seed: int, run: int, key: str) -> float:
    """A number from 0 to below 1 that depends on these alone, so that no draw depends on the order of others."""
    mixed = 0xCBF29CE484222325 ^ (seed & _MASK)
    for byte in f"{run}/{key}".encode():
        mixed = ((mixed ^ byte) * 0x100000001B3) & _MASK
    # The last bits of an FNV hash are regular; this spreads them (splitmix64).
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((mixed ^ (mixed >> 31)) >> 11) / 2**53
