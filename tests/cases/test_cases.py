"""The cases of ../shared/cases, where they are there, and the runner itself on small ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("kueuectl.store.load", reason="dumps can't be read yet")

from tests.cases import case, runner
from tests.cases.__main__ import main
from tests.conformance.runner import known_differences

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "cases"
_CASES = case.read(SHARED) if list(SHARED.glob("*.expect.json")) else []

DUMP = """
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: std}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: queue}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: std
      resources:
      - {name: cpu, nominalQuota: "4"}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: queue, namespace: team}
spec: {clusterQueue: queue}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: train, namespace: team, creationTimestamp: "2026-10-05T11:00:00Z"}
spec:
  queueName: queue
  podSets:
  - name: main
    count: 2
    template: {spec: {containers: [{name: c, resources: {requests: {cpu: "2"}}}]}}
"""
RIGHT: dict[str, Any] = {
    "id": "S1",
    "now": "2026-10-05T12:00:00Z",
    "needs": [],
    "pending": {"team/train": {"verdict": "FITS", "flavors": {"main/cpu": "std"}, "count": {"main": 2}}},
    "fixpoint": {
        "admitted": {"team/train": {"flavors": {"main/cpu": "std"}, "count": {"main": 2}}},
        "evicted": {},
        "pending": [],
    },
    "shares": {"queue": 0.0},
}


@pytest.mark.parametrize("found", _CASES or [None], ids=lambda found: found.id if found else "none")
def test_case(found: case.Case | None) -> None:
    if found is None:
        pytest.skip("no cases: ../shared/cases is not there")
    outcome = runner.run_case(found, known_differences(runner.KNOWN_FILE))
    if outcome.word == "not due":
        pytest.skip("; ".join(outcome.texts))
    assert not outcome.is_failed, "; ".join(outcome.texts)


def write(folder: Path, expect: dict[str, Any]) -> Path:
    """A folder with one more case."""
    (folder / f"{expect['id']}.yaml").write_text(DUMP)
    (folder / f"{expect['id']}.expect.json").write_text(json.dumps(expect))
    return folder


@pytest.mark.parametrize(
    ("name", "changes", "want"),
    [
        ("right", {}, "ok"),
        ("another verdict", {"pending": {"team/train": {"verdict": "QUOTA"}}}, "FAILED"),
        ("one of several verdicts", {"pending": {"team/train": {"verdictAny": ["QUOTA", "FITS"]}}}, "ok"),
        ("another flavor", {"pending": {"team/train": {"verdict": "FITS", "flavors": {}}}}, "FAILED"),
        ("another number", {"pending": {"team/train": {"verdict": "FITS", "missing": {"std/cpu": "1"}}}}, "FAILED"),
        ("another end", {"fixpoint": {"admitted": {}}}, "FAILED"),
        ("another end that is right too", {"fixpoint": {"admitted": {}}, "alternatives": [RIGHT["fixpoint"]]}, "ok"),
        ("another share", {"shares": {"queue": 1.0}}, "FAILED"),
        ("a tie that nobody mentions", {"nondeterministic": True}, "FAILED"),
        ("a feature that is not built", {"needs": ["topology"]}, "not due"),
        ("a feature that is built", {"needs": ["preemption"]}, "ok"),
    ],
)
def test_runner(name: str, changes: dict[str, Any], want: str, tmp_path: Path) -> None:
    folder = write(tmp_path, {**RIGHT, **changes})
    assert [outcome.word for outcome in runner.run(folder, known={})] == [want], name


def test_known_differences_are_strict(tmp_path: Path) -> None:
    folder = write(write(tmp_path, RIGHT), {**RIGHT, "id": "S2", "shares": {"queue": 1.0}})
    known = {"S1": "stale", "S2": "on purpose", "S3": "not in this folder"}
    assert [outcome.line for outcome in runner.run(folder, known=known)] == ["S1 FAILED", "S2 known to differ"]


def test_lines_and_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(write(tmp_path, RIGHT), {**RIGHT, "id": "S2", "needs": ["topology"]})
    assert main([str(folder)]) == 0
    assert capsys.readouterr().out.splitlines() == ["S1 ok", "S2 not due", "1 passed, 0 failed"]
    write(folder, {**RIGHT, "shares": {"queue": 1.0}})
    assert main([str(folder), "S1"]) == 1
    assert capsys.readouterr().out.splitlines() == ["S1 FAILED", "0 passed, 1 failed"]
    assert main([str(folder), "S9"]) == 2
