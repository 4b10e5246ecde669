"""What keeps a workload out, in one word: the nearest flavor counts, and of a flavor its worst resource."""

from __future__ import annotations

import pytest

from kueuectl.engine.flavors.assignment import Assignment, PodSetResult
from kueuectl.engine.reasons import (
    AffinityMismatch,
    Blocker,
    ExceedsCapacity,
    FlavorReason,
    InsufficientQuota,
    Mode,
    ResourceUncovered,
)

EXCEEDS = ExceedsCapacity("spot", "cpu", 0, 5000, 4000)
WAITS = InsufficientQuota("spot", "memory", 1024)
WAITS_ELSEWHERE = InsufficientQuota("on-demand", "cpu", 1000)
MISMATCH = AffinityMismatch("on-demand")


@pytest.mark.parametrize(
    ("name", "reasons", "want"),
    [
        ("one flavor, one resource waits and one never fits", [EXCEEDS, WAITS], Blocker.EXCEEDS_MAX_QUOTA),
        ("the flavor that waits is nearer", [EXCEEDS, WAITS_ELSEWHERE], Blocker.WAITING_FOR_QUOTA),
        (
            "a flavor that never fits is nearer than one that doesn't match",
            [MISMATCH, EXCEEDS],
            Blocker.EXCEEDS_MAX_QUOTA,
        ),
        ("no flavor matches", [MISMATCH], Blocker.NO_MATCHING_FLAVOR),
        ("a resource that nothing covers", [ResourceUncovered("gpu")], Blocker.NO_MATCHING_FLAVOR),
        ("nothing asked for", [], None),
    ],
)
def test_blocker(name: str, reasons: list[FlavorReason], want: Blocker | None) -> None:
    result = PodSetResult("main", 1, {})
    result.reasons = reasons
    found = Assignment()
    found.pod_sets.append(result)
    found.mode = Mode.NO_FIT if reasons else Mode.FIT
    assert (result.blocker, found.blocker) == (want, want), name
