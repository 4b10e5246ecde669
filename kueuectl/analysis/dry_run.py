"""What becomes different when a state is changed: both are run to their ends, where nothing moves any more.

Only the trees that the change touches are simulated. With no change: where the present state settles.
"""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.analysis import difference, dry_run_play, dry_run_trees
from kueuectl.analysis.difference import Difference
from kueuectl.analysis.dry_run_play import Ended, EndKind, Outcome, Readers
from kueuectl.engine import reconcile, workloads
from kueuectl.engine.infos import InfoReader
from kueuectl.model.conditions import Condition
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct, replace
from kueuectl.model.workloads import Workload

DRAIN = "drain"


class Elsewhere(Struct, frozen=True):
    """A workload that ends differently when pools are only woken once the heaps are empty (requeue mode drain)."""

    workload: str
    each: str
    drain: str


class DryRun(Struct, frozen=True):
    """The answer. Without a change `before` is the present state and `after` where it settles.

    `present` counts who holds quota now. `elsewhere` are the differences of requeue mode drain, which is a possible
    order of events too; `drain` says how those simulations ended.
    """

    is_change: bool
    before: Outcome
    after: Outcome
    difference: Difference
    trees: tuple[str, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    drain: tuple[Ended, ...] = ()
    # Without quota at the end, and in no queue: switched off, gated, or without a queue that takes it in.
    unqueued: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing becomes different."""
        return self.difference.is_empty

    @property
    def loops(self) -> tuple[Ended, ...]:
        """Preemption loops of the state after the change."""
        return tuple(ended for ended in self.after.endings if ended.kind is EndKind.LOOP)


def settle(state: ClusterState, settings: Settings, *, now: int, max_rounds: int | None = None) -> DryRun:
    """Where the present state settles."""
    settled = controlled(state, now)
    chosen = dry_run_trees.parts([settled])
    before, after, slow = Outcome(), Outcome(), Outcome()
    reader = Readers(settled, settings).of(settled, settings)
    for part in dry_run_trees.cut(settled, chosen):
        played = dry_run_play.play(part, settings, now=now, max_rounds=max_rounds, with_start=True, reader=reader)
        before.add(played.start)
        after.add(played.end)
        slow.add(_drained(part, settings, played.end, now=now, max_rounds=max_rounds, reader=reader))
    return _result(before, after, slow, states=(state, state), settings=settings, now=now, is_change=False)


def compare(
    before: ClusterState,
    after: ClusterState,
    settings: Settings,
    *,
    now: int,
    changed_settings: Settings | None = None,
    max_rounds: int | None = None,
) -> DryRun:
    """What becomes different between the ends of two states; `changed_settings` are those of the second one."""
    one, other = controlled(before, now), controlled(after, now)
    touched = None if changed_settings is not None else dry_run_trees.touched_by(one, other)
    chosen = dry_run_trees.parts([one, other], touched=touched)
    first, second, slow = Outcome(), Outcome(), Outcome()
    new_settings = settings if changed_settings is None else changed_settings
    readers = Readers(one, settings)
    reader = readers.of(one, settings)
    for part in dry_run_trees.cut(one, chosen):
        first.add(dry_run_play.play(part, settings, now=now, max_rounds=max_rounds, reader=reader).end)
    reader = readers.of(other, new_settings)
    for part in dry_run_trees.cut(other, chosen):
        end = dry_run_play.play(part, new_settings, now=now, max_rounds=max_rounds, reader=reader).end
        second.add(end)
        slow.add(_drained(part, new_settings, end, now=now, max_rounds=max_rounds, reader=reader))
    return _result(first, second, slow, states=(before, after), settings=new_settings, now=now, is_change=True)


def _drained(
    state: ClusterState,
    settings: Settings,
    end: Outcome,
    *,
    now: int,
    max_rounds: int | None,
    reader: InfoReader | None,
) -> Outcome:
    """The end in requeue mode drain.

    Where nobody gave quota back no pool was woken, and both modes are the same; what does not rest can't be compared.
    """
    if not end.evictions or not end.is_settled:
        return end
    played = dry_run_play.play(state, settings, now=now, requeue=DRAIN, max_rounds=max_rounds, reader=reader)
    return played.end


def _result(
    before: Outcome,
    after: Outcome,
    slow: Outcome,
    *,
    states: tuple[ClusterState, ClusterState],
    settings: Settings,
    now: int,
    is_change: bool,
) -> DryRun:
    keys = sorted(after.held.keys() | slow.held.keys())
    elsewhere = [Elsewhere(key, _where(after, key), _where(slow, key)) for key in keys if not _same(after, slow, key)]
    return DryRun(
        is_change=is_change,
        before=before,
        after=after,
        difference=difference.between(before, after, states=states, settings=settings, now=now),
        trees=tuple(sorted({ended.root for ended in (*before.endings, *after.endings) if ended.root})),
        elsewhere=tuple(elsewhere) if after.is_settled and slow.is_settled else (),
        drain=tuple(slow.endings),
        unqueued=tuple(sorted(_unqueued(states[1], after))),
    )


def _unqueued(state: ClusterState, end: Outcome) -> Iterator[str]:
    """Workloads that neither hold quota nor wait, of the simulated queues and of none."""
    queues = {name for kind, name in end.nodes if kind == "ClusterQueue"}
    doors = {key: local.cluster_queue for key, local in state.local_queues.items()}
    for key, workload in state.workloads.items():
        if key in end.held or key in end.waiting or key in end.replaced or workloads.is_finished(workload):
            continue
        target = doors.get(f"{workload.namespace}/{workload.queue_name}")
        if target is not None and target not in queues and target in state.cluster_queues:
            continue
        admission = workload.admission
        holder = admission.cluster_queue if admission is not None and workloads.holds_quota(workload) else None
        if holder is None or holder in queues or holder not in state.cluster_queues:
            yield key


def _same(one: Outcome, other: Outcome, key: str) -> bool:
    first, second = one.held.get(key), other.held.get(key)
    if first is None or second is None:
        return first is second
    return (first.cluster_queue, first.flavors, first.counts) == (second.cluster_queue, second.flavors, second.counts)


def _where(outcome: Outcome, key: str) -> str:
    found = outcome.held.get(key)
    return "" if found is None else difference.flavors_text(found)


def controlled(state: ClusterState, now: int) -> ClusterState:
    """The state after Kueue's controllers: backoffs that are over end, and a queue that is drained evicts.

    Stop policy HoldAndDrain evicts what holds quota (docs: ClusterQueue, StopPolicy; LocalQueue, StopPolicy).
    """
    settled = reconcile.settled(state, now)
    stopped = {name for name, queue in settled.cluster_queues.items() if queue.stop_policy == "HoldAndDrain"}
    doors = {key for key, local in settled.local_queues.items() if local.stop_policy == "HoldAndDrain"}
    if not stopped and not doors:
        return settled
    changed = {}
    for key, workload in settled.workloads.items():
        admission = workload.admission
        if admission is None or not workloads.holds_quota(workload) or workloads.is_evicted(workload):
            continue
        if admission.cluster_queue in stopped:
            changed[key] = evicted(workload, "ClusterQueueStopped", now)
        elif f"{workload.namespace}/{workload.queue_name}" in doors:
            changed[key] = evicted(workload, "LocalQueueStopped", now)
    return replace(settled, workloads={**settled.workloads, **changed}) if changed else settled


def evicted(workload: Workload, reason: str, now: int) -> Workload:
    """The workload with the condition that evicts it; it holds its quota until the first round is over."""
    kept = tuple(c for c in workload.conditions if c.type != workloads.EVICTED)
    return replace(workload, conditions=(*kept, Condition(workloads.EVICTED, "True", reason, last_transition=now)))
