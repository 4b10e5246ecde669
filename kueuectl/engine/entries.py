"""One workload in one scheduling cycle: what it was assigned, and what came of it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from kueuectl.engine.flavors.assignment import Assignment
from kueuectl.engine.infos import Info
from kueuectl.engine.limits import Problem
from kueuectl.engine.preemption.plan import Victim
from kueuectl.engine.reasons import Mode, Requeue
from kueuectl.engine.snapshot import QueueNode


class Outcome(StrEnum):
    """What came of an entry. The values are ours; messages of Kueue are made in report/narrate.py."""

    ADMITTED = "admitted"
    PREEMPTING = "preempting"
    NO_FIT = "no fit"
    NO_CANDIDATES = "no candidates"
    OVERLAPPING_VICTIMS = "overlapping victims"
    WILL_FIT_AFTER = "will fit after these preemptions"
    NO_LONGER_FITS = "no longer fits"
    GATED = "preemption gated"
    NAMESPACE_MISMATCH = "namespace mismatch"
    CHECKS_FAILED = "checks failed"
    INVALID_RESOURCES = "invalid resources"
    LIMIT_RANGE = "limit range"
    MIGRATING = "waits for a less favorable variant to leave"
    BETTER_VARIANT = "a more favorable variant is admitted"
    UNACCEPTABLE_VARIANT = "below the last acceptable flavor"
    PODS_READY_BLOCK = "waits for pods to be ready"


class Entry:
    """A nominated workload. `assignment` is None where it was not evaluated."""

    __slots__ = (
        "assignment",
        "blocked_by",
        "counts",
        "has_reservation",
        "info",
        "outcome",
        "preempted",
        "problems",
        "queue",
        "requeue",
        "usage",
        "victims",
    )

    def __init__(self, info: Info, queue: QueueNode) -> None:
        self.info = info
        self.queue = queue
        self.assignment: Assignment | None = None
        # What it takes; for a workload slice, what it takes beyond the one that it replaces.
        self.usage: tuple[tuple[int, int], ...] = ()
        # Pod counts by partial admission; None for the full counts.
        self.counts: tuple[int, ...] | None = None
        self.victims: list[Victim] = []
        self.outcome = Outcome.NO_FIT
        self.requeue = Requeue.GENERIC
        self.problems: tuple[Problem, ...] = ()
        # How many workloads are being preempted for it.
        self.preempted = 0
        self.has_reservation = False
        # The entry that took the capacity or the victims first, for the explanation.
        self.blocked_by: Info | None = None

    @property
    def mode(self) -> Mode:
        """How far the assignment got."""
        return Mode.NO_FIT if self.assignment is None else self.assignment.mode

    @property
    def height(self) -> int:
        """The height that it borrows from."""
        return 0 if self.assignment is None else self.assignment.height

    @property
    def message_key(self) -> tuple[object, ...]:
        """What the message of its condition depends on: equal for equal messages."""
        pod_sets = () if self.assignment is None else self.assignment.pod_sets
        reasons = tuple((found.name, frozenset(found.reasons)) for found in pod_sets if found.mode is not Mode.FIT)
        return (self.outcome, self.preempted, self.problems, reasons)

    @property
    def replaces(self) -> Info | None:
        """The workload slice that it takes the place of, if any."""
        return None if self.assignment is None else self.assignment.replaces

    def __repr__(self) -> str:
        return f"<entry {self.info.key}: {self.outcome}>"


class Decision(NamedTuple):
    """What one cycle did: entries in the order in which they were taken, and who is preempted by whom.

    `migrated` are variants that make room for a more favorable one, with its entry.
    """

    entries: list[Entry]
    admitted: list[Entry]
    preempted: list[tuple[Victim, Entry]]
    skipped_preemptions: dict[str, int]
    migrated: tuple[tuple[Info, Entry], ...] = ()
