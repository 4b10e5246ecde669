"""One scheduling cycle: the heads of all queues are nominated, put in order, and take quota one after another.

Rules (docs: Preemption, Cohort; KEP-1714; observed behaviour where they are silent), for each entry in order:

1. No fit: put back.
2. It needs preemption and has no victims: it keeps what it could claim for itself from being taken by later entries
   (`reserved`), unless its queue can always reclaim; put back.
3. It shares a victim with an entry before it: put back. With gate RecomputeAssignmentUponPreemptionTargetsOverlap it is
   assigned again among the flavors it was nominated for, as if those victims were gone already.
4. It no longer fits when all victims so far, and its own, are gone: put back.
5. It takes its usage. A fit is admitted; otherwise its victims are preempted, and its search of flavors starts over.
6. First of all, a variant of a workload may be skipped; and instead of being admitted, it may have to migrate first
   (`variants`).
7. After rule 2 (and after a new assignment by rule 3) an entry whose preemption gates are closed is put back, and keeps
   nothing (KEP-8303).

During the cycle the victims keep their usage. Afterwards only admitted entries keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterable

from kueuectl.engine import order, quota, workloads
from kueuectl.engine.entries import Decision, Entry, Outcome
from kueuectl.engine.infos import Info
from kueuectl.engine.nominate import Nominator
from kueuectl.engine.preemption import plan
from kueuectl.engine.preemption.plan import Victim
from kueuectl.engine.quota import Usage
from kueuectl.engine.reasons import Mode, Requeue
from kueuectl.engine.snapshot import QueueNode


class Cycle:
    """Decides one cycle on a snapshot. The snapshot is as before when `decide` returns."""

    def __init__(self, nominator: Nominator) -> None:
        self.nominator = nominator
        self.settings = nominator.snapshot.settings
        self._variants = nominator.variants
        self._recomputes = self.settings.gate("RecomputeAssignmentUponPreemptionTargetsOverlap")
        self._added: list[tuple[QueueNode, Usage]] = []
        # Victims so far, by tree and key: in one tree only they matter to each other.
        self._gone: dict[int, dict[str, tuple[Info, Entry]]] = {}
        self._admitted: list[Entry] = []
        self._preempted: list[tuple[Victim, Entry]] = []
        self._skipped: dict[str, int] = {}
        self._migrated: list[tuple[Info, Entry]] = []

    def decide(self, heads: Iterable[tuple[Info, QueueNode]]) -> Decision:
        """What happens to each head."""
        nominate = self.nominator.nominate
        entries = [nominate(info, queue) for info, queue in heads]
        taken: list[Entry] = []
        for entry in self._in_order(entries):
            taken.append(entry)
            self._process(entry)
        for queue, usage in reversed(self._added):
            quota.remove_all(queue, usage)
        return Decision(taken, self._admitted, self._preempted, self._skipped, tuple(self._migrated))

    def _in_order(self, entries: list[Entry]) -> Iterable[Entry]:
        if self.settings.fair_sharing is None:
            return order.classical(entries, self.settings)
        return order.Tournament(entries, self.settings)

    def _process(self, entry: Entry) -> None:
        if entry.assignment is None:
            return
        if self._variants.is_on and self._is_skipped(entry):
            return
        mode = entry.mode
        if mode is Mode.NO_FIT:
            entry.outcome = Outcome.NO_FIT
            entry.requeue = Requeue.NO_FIT
            return
        if mode is Mode.PREEMPT and not entry.victims:
            self._reserve(entry)
            return
        tree = id(entry.queue.tree)
        gone = self._gone.get(tree, {})
        taken = _taken_before(entry, gone)
        if taken is not None:
            entry.blocked_by = gone[taken][1].info
        if taken is not None and self._recomputes:
            self._recompute(entry, gone)
        elif self._is_gated(entry):
            pass
        elif taken is not None:
            entry.outcome = Outcome.OVERLAPPING_VICTIMS
            entry.requeue = Requeue.FAILED_AFTER_NOMINATION
            self._skip(entry)
        else:
            self._take(entry, gone)

    def _is_gated(self, entry: Entry) -> bool:
        """Rule 7; sets outcome and requeue reason."""
        if not entry.victims or not workloads.closed_gates(entry.info.workload, self.settings):
            return False
        entry.outcome = Outcome.GATED
        entry.requeue = Requeue.PREEMPTION_GATED
        entry.info.last_tried = None
        return True

    def _is_skipped(self, entry: Entry) -> bool:
        """Rule 6; sets outcome and requeue reason."""
        better = self._variants.more_favorable(entry.info, entry.queue)
        if better is None:
            return False
        entry.outcome = Outcome.BETTER_VARIANT
        entry.requeue = Requeue.FAILED_AFTER_NOMINATION
        entry.blocked_by = better
        return True

    def _migrates(self, entry: Entry) -> bool:
        """Rule 6; sets outcome and requeue reason."""
        sibling = self._variants.less_favorable(entry.info, entry.queue)
        if sibling is None:
            return False
        self._migrated.append((sibling, entry))
        entry.outcome = Outcome.MIGRATING
        entry.requeue = Requeue.PENDING_MIGRATION
        entry.info.last_tried = None
        return True

    def _take(self, entry: Entry, gone: dict[str, tuple[Info, Entry]]) -> None:
        if not _fits_without(entry, gone):
            entry.outcome = Outcome.NO_LONGER_FITS
            entry.requeue = Requeue.FAILED_AFTER_NOMINATION
            if entry.mode is Mode.PREEMPT:
                self._skip(entry)
            return
        self._add(entry.queue, entry.usage)
        if entry.replaces is not None:
            gone = self._gone.setdefault(id(entry.queue.tree), gone)
            gone[entry.replaces.key] = (entry.replaces, entry)
        if entry.mode is Mode.FIT:
            if not (self._variants.is_on and self._migrates(entry)):
                entry.outcome = Outcome.ADMITTED
                self._admitted.append(entry)
            return
        gone = self._gone.setdefault(id(entry.queue.tree), gone)
        for victim in entry.victims:
            gone[victim.info.key] = (victim.info, entry)
            if not victim.info.evicted:
                self._preempted.append((victim, entry))
        entry.info.last_tried = None
        entry.info.has_preempted = True
        entry.outcome = Outcome.PREEMPTING
        entry.requeue = Requeue.PENDING_PREEMPTION
        entry.preempted = len(entry.victims)

    def _skip(self, entry: Entry) -> None:
        self._skipped[entry.queue.name] = self._skipped.get(entry.queue.name, 0) + 1

    def _add(self, queue: QueueNode, usage: Usage) -> None:
        quota.add_all(queue, usage)
        self._added.append((queue, usage))

    def _reserve(self, entry: Entry) -> None:
        """Rule 2."""
        entry.outcome = Outcome.NO_CANDIDATES
        entry.requeue = Requeue.PREEMPTION_NO_CANDIDATES
        if not entry.queue.always_reclaims:
            self._add(entry.queue, reserved(entry.queue, entry.usage, borrowing=entry.height > 0))

    def _recompute(self, entry: Entry, gone: dict[str, tuple[Info, Entry]]) -> None:
        """Rule 3 with its gate."""
        snapshot = self.nominator.snapshot
        away = [(info, info.queue) for info, _ in gone.values()]
        for info, _ in away:
            snapshot.release(info)
        self.nominator.reassign(entry)
        for info, queue in away:
            assert queue is not None
            snapshot.hold(info, queue)
        if entry.mode is Mode.FIT:
            self._add(entry.queue, entry.usage)
            entry.info.last_tried = None
            entry.outcome = Outcome.WILL_FIT_AFTER
            entry.requeue = Requeue.PENDING_PREEMPTION
        elif entry.mode is Mode.NO_FIT:
            entry.outcome = Outcome.NO_FIT
            entry.requeue = Requeue.NO_FIT
        elif not entry.victims:
            self._reserve(entry)
        elif not self._is_gated(entry):
            self._take(entry, gone)


def _taken_before(entry: Entry, gone: dict[str, tuple[Info, Entry]]) -> str | None:
    """The key of a victim, or of the slice that it replaces, that is gone already because of another entry."""
    if not gone:
        return None
    targets = [victim.info.key for victim in entry.victims]
    if entry.replaces is not None:
        targets.append(entry.replaces.key)
    return next((key for key in targets if key in gone), None)


def _fits_without(entry: Entry, gone: dict[str, tuple[Info, Entry]]) -> bool:
    """Rule 4. The slice that it replaces is gone too, though it is charged only for the difference (observed)."""
    replaces = entry.replaces
    if not gone and not entry.victims and replaces is None:
        return quota.fits(entry.queue, entry.usage)
    away = [info for info, _ in gone.values()]
    away += [victim.info for victim in entry.victims if victim.info.key not in gone]
    if replaces is not None and replaces.key not in gone:
        away.append(replaces)
    for info in away:
        plan.take_away(info)
    fits = quota.fits(entry.queue, entry.usage)
    for info in away:
        plan.put_back(info)
    return fits


def reserved(queue: QueueNode, usage: Usage, *, borrowing: bool) -> Usage:
    """What an entry without victims keeps from later ones: the part of its usage that its queue could ever grant.

    Up to the nominal quota; when it borrows, up to the borrowing limit, all of it without one. Never below zero.
    """
    kept = []
    for fr, amount in usage:
        limit = queue.borrow[fr]
        if borrowing and limit is None:
            kept.append((fr, amount))
            continue
        reach = queue.nominal[fr] + (limit if borrowing and limit is not None else 0)
        kept.append((fr, max(0, min(amount, reach - queue.usage[fr]))))
    return tuple(kept)
