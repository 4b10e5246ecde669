"""Our decisions against Kueue's recorded ones: a fixed set of clusters, without Go."""

from __future__ import annotations

import pytest

from tests.differential import golden, runs, setups
from tests.differential.setups import Setup


@pytest.mark.parametrize(("setup", "count"), setups.recorded(), ids=lambda value: getattr(value, "name", ""))
def test_recorded_decisions(setup: Setup, count: int) -> None:
    failed = []
    for entry in golden.read(setup, setup.cases(setups.RECORDED_FROM, count)):
        verdict = runs.judge(setup, entry.case, entry.outcomes)
        failed += [f"{verdict.id}: {text}" for text in verdict.differences[:3]]
    assert not failed, "\n".join(failed)


def test_ties_are_recorded_with_all_their_answers() -> None:
    recorded = golden.read(setups.TIES, setups.TIES.cases(0, 0))
    assert {entry.case["id"]: len(entry.outcomes) for entry in recorded} == {
        "ties/equal-shares": 2,
        "ties/equal-ages": 2,
        "ties/equal-ages-fair": 2,
    }
