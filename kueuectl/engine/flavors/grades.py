"""How one flavor compares with another, and when the search may stop.

Rules (docs: ClusterQueue, FlavorFungibility):

1. A flavor is as good as its worst resource.
2. Better is: 1. the higher grade (fit, reclaim, preempt, no candidates, no fit), 2. borrowing at a lower height.
   With preference PreemptionOverBorrowing, among flavors that could work (fit, reclaim, preempt), the other way round.
3. The search stops at a flavor that could work, unless it preempts or borrows and the policy for that says
   TryNextFlavor.
"""

from __future__ import annotations

from kueuectl.engine.reasons import Grade
from kueuectl.model.queues import FlavorFungibility

# A grade and the height that is borrowed from.
Graded = tuple[Grade, int]

BEST: Graded = (Grade.FIT, 0)
WORST: Graded = (Grade.NO_FIT, 1 << 30)

PREEMPTION_OVER_BORROWING = "PreemptionOverBorrowing"


def is_preferred(a: Graded, b: Graded, *, preemption_first: bool) -> bool:
    """Whether `a` is strictly better than `b`."""
    if preemption_first and a[0] > Grade.NO_CANDIDATES and b[0] > Grade.NO_CANDIDATES:
        if a[1] != b[1]:
            return a[1] < b[1]
        return a[0] > b[0]
    if a[0] != b[0]:
        return a[0] > b[0]
    return a[1] < b[1]


def tries_next(graded: Graded, fungibility: FlavorFungibility) -> bool:
    """Whether the search goes on after a flavor of that grade."""
    grade, height = graded
    if grade <= Grade.NO_CANDIDATES:
        return True
    if grade < Grade.FIT and fungibility.when_can_preempt == "TryNextFlavor":
        return True
    return height > 0 and fungibility.when_can_borrow == "TryNextFlavor"


def prefers_preemption(fungibility: FlavorFungibility) -> bool:
    """Whether preempting is preferred to borrowing. It only matters when both policies try the next flavor."""
    return fungibility.preference == PREEMPTION_OVER_BORROWING
