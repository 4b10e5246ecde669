"""Plans on random clusters against what Kueue's scheduler made of them, as it was recorded."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rebalance import proofs

ROWS = proofs.read()
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for name, count in proofs.RECORDED.items() for case in proofs.SETUPS[name].cases(1, count)
}


def test_there_is_something_to_check() -> None:
    kinds = {row["goal"].partition(":")[0] for row in ROWS}
    assert kinds == {"fair", "nominal", "fit", "within-quota"}
    assert len(ROWS) >= 60


@pytest.mark.parametrize("name", sorted({row["id"] for row in ROWS}))
def test_plans_do_what_they_promise(name: str) -> None:
    case = CASES[name]
    wanted = [row for row in ROWS if row["id"] == name]
    assert {row["cluster"] for row in wanted} == {proofs.digest(case)}, "record it again: python -m tests.rebalance"
    goals = sorted({row["goal"] for row in wanted})
    found = {(attempt.goal.text, attempt.plan.best_in.name): attempt for attempt in proofs.attempts(case, goals)}
    for row in wanted:
        attempt = found.get((row["goal"], row["bestIn"]))
        assert attempt is not None, f"no plan any more for {row['goal']}"
        assert attempt.victims == row["victims"], row["goal"]
        assert proofs.faults(attempt, row["admitted"]) == []
        assert proofs.ours(attempt.evicted).keys() == row["admitted"].keys(), row["goal"]
