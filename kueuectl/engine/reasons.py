"""Why something was decided: data, one class per reason. English is made in report/narrate.py.

Named tuples, since the engine makes several for each evaluation: a frozen dataclass costs three times as much to make.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from kueuectl.model.selectors import Taint


class Mode(IntEnum):
    """How far an assignment gets: the same order as in Kueue's own events."""

    NO_FIT = 0
    PREEMPT = 1
    DEFERRED_FIT = 2
    FIT = 3


class Possibility(IntEnum):
    """What preemption could do for one flavor and resource."""

    NO_CANDIDATES = 0
    PREEMPT = 1
    RECLAIM = 2


class Grade(IntEnum):
    """How good one flavor is, before borrowing is looked at: ordered from worst to best."""

    NO_FIT = 0
    NO_CANDIDATES = 1
    PREEMPT = 2
    RECLAIM = 3
    FIT = 4


class ResourceUncovered(NamedTuple):
    """No resource group of the ClusterQueue covers the resource."""

    resource: str


class FlavorMissing(NamedTuple):
    """The ResourceFlavor does not exist."""

    flavor: str


class Untolerated(NamedTuple):
    """The pods do not tolerate a taint of the flavor."""

    flavor: str
    taint: Taint


class AffinityMismatch(NamedTuple):
    """The pods' node selector or affinity excludes the flavor's nodes."""

    flavor: str


class FlavorNotAllowed(NamedTuple):
    """The workload variant may not use this flavor (concurrent admission)."""

    flavor: str


class FlavorNotNominated(NamedTuple):
    """Another flavor was nominated earlier in the same cycle, and only that one may be used now."""

    flavor: str
    resource: str


class ExceedsCapacity(NamedTuple):
    """More than the queue could reach with the whole cohort idle."""

    flavor: str
    resource: str
    # What earlier pod sets of the same workload take of it.
    before: int
    request: int
    maximum: int


class InsufficientQuota(NamedTuple):
    """More than is available now; missing is counted from what is free, which is never below zero."""

    flavor: str
    resource: str
    missing: int


class FlavorOfReplaced(NamedTuple):
    """The workload slice that this one takes the place of has another flavor (elastic jobs)."""

    flavor: str
    original: str


class TopologyUnsupported(NamedTuple):
    """A pod set asks for topology and the flavor has none (or the other way round); `detail` says which."""

    flavor: str
    detail: str


FlavorReason = (
    ResourceUncovered
    | FlavorMissing
    | Untolerated
    | AffinityMismatch
    | FlavorNotAllowed
    | FlavorNotNominated
    | ExceedsCapacity
    | InsufficientQuota
    | FlavorOfReplaced
    | TopologyUnsupported
)


class Blocker(IntEnum):
    """What keeps a flavor, or a whole workload, out: from the worst to what is nearest to running (KEP-10852)."""

    NO_MATCHING_FLAVOR = 0
    EXCEEDS_MAX_QUOTA = 1
    WAITING_FOR_QUOTA = 2


def blocker_of(reason: FlavorReason) -> Blocker:
    """What a reason amounts to."""
    if isinstance(reason, ExceedsCapacity):
        return Blocker.EXCEEDS_MAX_QUOTA
    if isinstance(reason, InsufficientQuota):
        return Blocker.WAITING_FOR_QUOTA
    return Blocker.NO_MATCHING_FLAVOR


class Requeue(IntEnum):
    """Why a workload goes back to its queue."""

    GENERIC = 0
    FAILED_AFTER_NOMINATION = 1
    NAMESPACE_MISMATCH = 2
    PENDING_PREEMPTION = 3
    PREEMPTION_FAILED = 4
    NO_FIT = 5
    PREEMPTION_NO_CANDIDATES = 6
    PREEMPTION_GATED = 7
    PENDING_MIGRATION = 8


REQUEUE_NAMES = {
    Requeue.GENERIC: "",
    Requeue.FAILED_AFTER_NOMINATION: "FailedAfterNomination",
    Requeue.NAMESPACE_MISMATCH: "NamespaceMismatch",
    Requeue.PENDING_PREEMPTION: "PendingPreemption",
    Requeue.PREEMPTION_FAILED: "PreemptionFailed",
    Requeue.NO_FIT: "NoFit",
    Requeue.PREEMPTION_NO_CANDIDATES: "PreemptionNoCandidates",
    Requeue.PREEMPTION_GATED: "PreemptionGated",
    Requeue.PENDING_MIGRATION: "PendingMigration",
}

# Reasons of the Preempted condition.
IN_CLUSTER_QUEUE = "InClusterQueue"
IN_COHORT_RECLAMATION = "InCohortReclamation"
IN_COHORT_FAIR_SHARING = "InCohortFairSharing"
IN_COHORT_RECLAIM_WHILE_BORROWING = "InCohortReclaimWhileBorrowing"
