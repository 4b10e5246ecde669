"""Predictions for random changes to random clusters: what Kueue's own scheduler did with them, kept as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import scenes
from tests.dry_run import prediction

DATA = Path(__file__).parent / "data" / "predictions.jsonl"
CASES = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("entry", CASES, ids=lambda entry: entry["case"]["id"])
def test_prediction_is_what_kueue_did(entry: dict[str, Any]) -> None:
    found = prediction.predict(entry["case"], entry["arguments"])
    got = json.loads(json.dumps(prediction.predicted(found)))
    state = scenes.read(entry["case"]).state
    reclaimable = frozenset(key for key, workload in state.workloads.items() if workload.reclaimable_pods)
    assert not got["loop"]
    assert prediction.differences(entry["want"], got, reclaimable=reclaimable) == []


def test_the_cases_are_worth_something() -> None:
    assert sum(bool(entry["want"]["preempted"]) for entry in CASES) >= 8
    assert len({entry["arguments"][-1].rpartition(":")[2].partition("=")[0] for entry in CASES}) >= 8
