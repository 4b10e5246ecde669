"""All that ../shared holds can be read, where it is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kueuectl.api import objects
from kueuectl.store.load import load

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
CASES = sorted(path for path in (SHARED / "cases").glob("*.yaml") if not path.name.endswith(".config.yaml"))
SUITES = sorted((SHARED / "conformance").glob("*.jsonl"))
DUMPS = sorted((SHARED / "dump").glob("*.json"))


@pytest.mark.skipif(not CASES, reason="../shared/cases is not there")
def test_every_case() -> None:
    for path in CASES:
        config = path.with_suffix(".config.yaml")
        found = load([str(path)], kueue_config=str(config) if config.exists() else None, clock=lambda: 1)
        assert found.state.workloads, path.name


@pytest.mark.skipif(not DUMPS, reason="../shared/dump is not there")
def test_every_file_of_a_real_cluster() -> None:
    found = load([str(SHARED / "dump")], now="2026-11-29T19:00:00Z", clock=lambda: 1)
    assert len(found.state.workloads) == 19
    # Both versions of the queues and workloads are there.
    assert sum("two API versions" in text for text in found.warnings) == 2


@pytest.mark.skipif(not SUITES, reason="../shared/conformance is not there")
@pytest.mark.parametrize("path", SUITES, ids=[path.stem for path in SUITES])
def test_every_object_of_a_suite(path: Path) -> None:
    for line in path.read_text().splitlines():
        case = json.loads(line)
        docs = case.get("objects") or []
        state = objects.decode_state(((path.name, doc) for doc in docs), strict=False)
        assert sum(len(getattr(state, name)) for name in ("workloads", "cluster_queues")) <= len(docs), case["id"]
