"""When waiting workloads will start, by playing virtual time.

A forecast says what follows from its assumptions, and no more: where a start depends on work that may run for ever, it
is unknown. Every assumption is part of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from kueuectl.analysis import dry_run, dry_run_trees, explain, goals, runtimes, verdicts
from kueuectl.analysis.evaluate import Evaluation
from kueuectl.analysis.explanation import Code
from kueuectl.analysis.runtimes import Assumed, RunTime, Source
from kueuectl.engine import priority, workloads
from kueuectl.engine.entries import Outcome
from kueuectl.engine.reasons import Mode
from kueuectl.engine.snapshot import QueueNode
from kueuectl.engine.timeline import Loop, Preempted, Span, Start, Timeline
from kueuectl.model import conditions
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct

RUNS = 50
# Rounds of the scheduler in one future. A round looks at one workload of each ClusterQueue.
_LOOKS = 1_000_000
_LEAST_ROUNDS = 5_000


_NOTHING_KNOWN = RunTime(Source.UNKNOWN)


class Fate(StrEnum):
    """What becomes of a workload."""

    RUNS = "runs"
    STARTS = "starts"
    # It waits until something ends of which nobody knows when.
    UNKNOWN = "unknown"
    # It still waits when everything else has ended, as far as it ever does.
    NEVER = "never"
    # No queue takes it in as things are.
    NOT_QUEUED = "not queued"


class Row(Struct, frozen=True):
    """One workload. Times are in nanoseconds; None where there is none.

    start: with typical run times. spread: the 10th, 50th and 90th percentile, None in it where too many runs did not
    start it. late_start: where parked workloads come back later (requeue mode drain), if that differs. `after` counts
    workloads that end before it starts, by the source of their run times. position: in its queue now, from 1. verdict:
    why it is not queued, or never starts. waits_for: who may run for ever in its tree.
    """

    workload: str
    cluster_queue: str
    priority: int
    fate: Fate
    position: int | None = None
    start: int | None = None
    spread: tuple[int | None, int | None, int | None] | None = None
    late_start: int | None = None
    is_later_unknown: bool = False
    flavors: tuple[tuple[str, str, str], ...] = ()
    run_time: RunTime = _NOTHING_KNOWN
    after: tuple[tuple[Source, int], ...] = ()
    preempted: int = 0
    verdict: Code | None = None
    waits_for: tuple[str, ...] = ()


class Forecast(Struct, frozen=True):
    """Rows by start. sources: how many workloads have their run time from where, of those that matter.

    overdue: running for longer than assumed or observed. unstarted: quota, but checks are open. preempted: running or
    started work that is preempted on the way. until: the last event. runs: how many draws the spread is made of, 0 for
    none.
    """

    rows: tuple[Row, ...]
    assumed: tuple[Assumed, ...]
    sources: Mapping[Source, int]
    overdue: tuple[str, ...] = ()
    unstarted: tuple[str, ...] = ()
    unbounded: tuple[str, ...] = ()
    preempted: tuple[Preempted, ...] = ()
    loops: tuple[Loop, ...] = ()
    until: int = 0
    is_cut: bool = False
    runs: int = 0
    seed: int = 0


class Request(Struct, frozen=True):
    """What is asked for. keys: only these workloads (None: all that wait). runs: draws for the spread of ranges."""

    keys: frozenset[str] | None = None
    assumed: tuple[Assumed, ...] = ()
    seed: int | None = None
    runs: int = RUNS

    @property
    def wants_spread(self) -> bool:
        """Whether futures are drawn: ranges were given, or a seed, so that observed run times are drawn from."""
        return self.seed is not None or any(rule.low != rule.high for rule in self.assumed)


def find(
    state: ClusterState,
    settings: Settings,
    *,
    now: int,
    request: Request,
    on_run: Callable[[int, int], None] | None = None,
) -> Forecast:
    """The forecast. `on_run` is told how many of all plays are done."""
    settled = dry_run.controlled(state, now)
    times = runtimes.of(settled, now=now, assumed=request.assumed)
    parts = _parts(settled, request.keys)
    spread = any(times[key].is_spread for part in parts for key in part.workloads if key in times)
    draws = request.runs if spread and request.wants_spread else 0
    progress = _Progress(len(parts) * (2 + draws), on_run)
    rows: list[Row] = []
    plays: list[_Play] = []
    for part in parts:
        plays.append(_Play(part, settings, now=now, times=times, progress=progress))
        rows += plays[-1].rows(draws=draws, seed=request.seed or 0)
    shown = [row for row in rows if request.keys is None or row.workload in request.keys]
    seen = {row.workload for row in shown}
    others = request.keys - seen if request.keys is not None else _not_queued(settled, seen)
    shown += [_unqueued(settled, settings, key, now=now, times=times) for key in others]
    return Forecast(
        rows=tuple(sorted(shown, key=_order)),
        assumed=request.assumed,
        sources=_sources(parts, times),
        overdue=_keys(parts, times, lambda key: times[key].is_overdue and _holds(settled, key)),
        unstarted=_keys(parts, times, lambda key: _holds(settled, key) and not _runs(settled, key)),
        unbounded=_keys(parts, times, lambda key: times[key].typical().shortest is None and _holds(settled, key)),
        preempted=tuple(sorted((found for play in plays for found in play.main.preempted), key=_when)),
        loops=tuple(loop for play in plays for loop in play.main.loops),
        until=max((play.main.last_event for play in plays), default=now),
        is_cut=any(play.main.is_cut or play.late.is_cut for play in plays),
        runs=draws,
        seed=request.seed or 0,
    )


def round_limit(queues: int) -> int:
    """How many rounds are played at most in one future of a part with so many ClusterQueues."""
    return max(_LEAST_ROUNDS, _LOOKS // max(1, queues))


class _Progress:
    def __init__(self, total: int, tell: Callable[[int, int], None] | None) -> None:
        self.total = total
        self.done = 0
        self._tell = tell

    def step(self) -> None:
        self.done += 1
        if self._tell is not None:
            self._tell(self.done, self.total)


class _Play:
    """The future of one part of a cluster, in several variants."""

    def __init__(
        self, part: ClusterState, settings: Settings, *, now: int, times: Mapping[str, RunTime], progress: _Progress
    ) -> None:
        self.part = part
        self.settings = settings
        self.now = now
        self.times = {key: times[key] for key in part.workloads if key in times}
        self.progress = progress
        self._still_held: dict[int, tuple[str, ...]] = {}
        typical = {key: found.typical() for key, found in self.times.items()}
        self.positions = self._first_positions()
        self.main = self._play(typical)
        self.late = self._play(typical, requeue="drain")

    def _play(self, spans: Mapping[str, Span], *, requeue: str = "each") -> Timeline:
        timeline = Timeline(self.part, self.settings, now=self.now, spans=spans, requeue=requeue)
        timeline.play(max_rounds=round_limit(len(self.part.cluster_queues)))
        self.progress.step()
        return timeline

    def _first_positions(self) -> dict[str, int]:
        timeline = Timeline(self.part, self.settings, now=self.now, spans={})
        return {
            info.key: position
            for pool in timeline.simulation.pools.queues.values()
            for position, info in enumerate(pool.ordered(), start=1)
        }

    def rows(self, *, draws: int, seed: int) -> list[Row]:
        """One row for each workload that waits at the beginning."""
        spreads = self._spreads(draws, seed)
        return [self._row(key, spreads.get(key)) for key in self.positions]

    def _spreads(self, draws: int, seed: int) -> dict[str, list[int]]:
        """Start times of the drawn futures that start a workload."""
        found: dict[str, list[int]] = {key: [] for key in self.positions} if draws else {}
        for run in range(draws):
            spans = {key: time.drawn(runtimes.chance(seed, run, key)) for key, time in self.times.items()}
            for key, start in self._play(spans).starts.items():
                if key in found:
                    found[key].append(start.at)
        return {key: [*sorted(starts), *[_NEVER] * (draws - len(starts))] for key, starts in found.items()}

    def _row(self, key: str, spread: Sequence[int] | None) -> Row:
        start = self.main.starts.get(key)
        late = self.late.starts.get(key)
        workload = self.part.workloads[key]
        local = self.part.local_queues[f"{workload.namespace}/{workload.queue_name}"]
        at = start.at if start is not None else None
        late_at = late.at if late is not None else None
        fate, verdict, waits_for = (Fate.STARTS, None, ()) if start is not None else self._waiting(key)
        return Row(
            workload=key,
            cluster_queue=start.cluster_queue if start is not None else local.cluster_queue,
            priority=priority.effective(workload, self.part, self.settings),
            fate=fate,
            position=self.positions[key],
            start=at,
            spread=None if spread is None else (_at(spread, 10), _at(spread, 50), _at(spread, 90)),
            late_start=late_at if late_at != at else None,
            is_later_unknown=at is not None and late_at is None and not self.late.is_cut,
            flavors=start.flavors if start is not None else (),
            run_time=self.times[key],
            after=self._ended_before(start),
            preempted=sum(found.workload == key for found in self.main.preempted),
            verdict=verdict,
            waits_for=waits_for,
        )

    def _waiting(self, key: str) -> tuple[Fate, Code | None, tuple[str, ...]]:
        """What becomes of a workload that still waits at the end, and who holds it up."""
        if self.main.is_cut:
            return Fate.UNKNOWN, None, ()
        simulation = self.main.simulation
        for pool in simulation.pools.queues.values():
            info = pool.active.get(key) or pool.inadmissible.get(key)
            if info is None:
                continue
            if not pool.queue.active:
                return Fate.NOT_QUEUED, Code.NO_QUEUE, ()
            if pool.queue.is_strict and (head := pool.peek()) is not None and head is not info:
                fate, _, holders = self._waiting(head.key)
                return fate, Code.BEHIND_HEAD, holders
            holders = self._holders(pool.queue)
            is_refused = goals.is_refused(simulation, info, pool.queue)
            if holders and not is_refused and goals.options(simulation, info, pool.queue):
                return Fate.UNKNOWN, None, holders
            info.last_tried = None
            entry = simulation.nominator.nominate(info, pool.queue)
            if entry.assignment is not None:
                entry.outcome = Outcome.NO_FIT if entry.mode is Mode.NO_FIT else Outcome.NO_CANDIDATES
            return Fate.NEVER, verdicts.of(Evaluation(entry=entry)).code, ()
        # It was preempted and its queue does not take it in again, or it ended some other way.
        return Fate.NEVER, None, ()

    def _holders(self, queue: QueueNode) -> tuple[str, ...]:
        """Workloads of the queue's tree that still hold quota at the end."""
        found = self._still_held.get(id(queue.tree))
        if found is None:
            held = (info.key for node in queue.tree.queues for info in node.held.values())
            found = self._still_held[id(queue.tree)] = tuple(sorted(held))
        return found

    def _ended_before(self, start: Start | None) -> tuple[tuple[Source, int], ...]:
        if start is None:
            return ()
        counts: dict[Source, int] = {}
        for key, at in self.main.ends.items():
            if at <= start.at:
                source = self.times[key].source
                counts[source] = counts.get(source, 0) + 1
        return tuple((source, counts[source]) for source in Source if source in counts)


_NEVER = 2**63 - 1


def _at(values: Sequence[int], percent: int) -> int | None:
    """The nearest-rank percentile of sorted values; None for what never happens."""
    found = values[max(0, -(-percent * len(values) // 100) - 1)]
    return None if found == _NEVER else found


def _parts(state: ClusterState, keys: frozenset[str] | None) -> list[ClusterState]:
    found = dry_run_trees.parts([state])
    states = dry_run_trees.cut(state, found)
    if keys is None:
        return states
    return [part for part in states if not keys.isdisjoint(part.workloads)]


def _order(row: Row) -> tuple[int, int, str, int, str]:
    """By start; then those without one, by fate and place."""
    last = list(Fate).index(row.fate)
    return (
        0 if row.start is not None else 1 + last,
        row.start or 0,
        row.cluster_queue,
        row.position or 0,
        row.workload,
    )


def _when(found: Preempted) -> tuple[int, str]:
    return (found.at, found.workload)


def _holds(state: ClusterState, key: str) -> bool:
    return workloads.holds_quota(state.workloads[key])


def _runs(state: ClusterState, key: str) -> bool:
    return conditions.is_true(state.workloads[key].conditions, workloads.ADMITTED)


def _keys(
    parts: Iterable[ClusterState], times: Mapping[str, RunTime], wanted: Callable[[str], bool]
) -> tuple[str, ...]:
    return tuple(sorted(key for part in parts for key in part.workloads if key in times and wanted(key)))


def _sources(parts: Iterable[ClusterState], times: Mapping[str, RunTime]) -> dict[Source, int]:
    counts = dict.fromkeys(Source, 0)
    for part in parts:
        for key in part.workloads:
            if key in times:
                counts[times[key].source] += 1
    return {source: count for source, count in counts.items() if count}


def _not_queued(state: ClusterState, seen: set[str]) -> set[str]:
    """Workloads that neither wait in a queue nor hold quota, and are not over."""
    return {
        key
        for key, workload in state.workloads.items()
        if key not in seen and not workloads.is_finished(workload) and not workloads.holds_quota(workload)
    }


def _unqueued(state: ClusterState, settings: Settings, key: str, *, now: int, times: Mapping[str, RunTime]) -> Row:
    """The row of a workload that no queue has: it holds quota, or something keeps it out."""
    workload = state.workloads[key]
    verdict = explain.verdict_only(state, settings, now=now, key=key)[0]
    queue = explain.queue_of(workload, state)
    return Row(
        workload=key,
        cluster_queue=queue.name if queue is not None else "",
        priority=priority.effective(workload, state, settings),
        fate=Fate.RUNS if _holds(state, key) else Fate.NOT_QUEUED,
        run_time=times.get(key, _NOTHING_KNOWN),
        verdict=verdict.code,
    )
