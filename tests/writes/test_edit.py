"""`edit` without kubectl: what the editor leaves is checked and written once, and never lost."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Result
from tests.cli.two_teams import Live
from tests.cluster.fake import FakeServer, Fault

QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"


@pytest.fixture
def edit(live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Edits the queue with a script of sed as the editor."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def run(script: str, *words: str) -> Result:
        return live("edit", *(words or ("cq", "training")), variables={"EDITOR": f"sed -i '{script}'"})

    return run


def left(tmp_path: Path) -> list[Path]:
    """The files that were not taken away."""
    return list(tmp_path.glob("kueuectl-*"))


def test_only_what_changed_is_written(edit: Any, fake: FakeServer, tmp_path: Path) -> None:
    result = edit("s/StrictFIFO/BestEffortFIFO/")
    assert (result.code, result.out) == (0, "clusterqueue.kueue.x-k8s.io/training edited\n"), result.err
    ((method, _, after),) = fake.store.done
    assert (method, after["spec"]["queueingStrategy"]) == ("PATCH", "BestEffortFIFO")
    assert left(tmp_path) == []


@pytest.mark.parametrize("script", ["", "d", "s/^# Change/# Changed/"])
def test_without_a_change_nothing_is_written(edit: Any, fake: FakeServer, tmp_path: Path, script: str) -> None:
    result = edit(script)
    assert (result.code, result.out, result.err) == (0, "", "Edit cancelled, no changes made.\n")
    assert fake.store.done == []
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("script", "want"),
    [
        ("s/StrictFIFO/LIFO/", "spec.queueingStrategy: 'LIFO' is none of StrictFIFO, BestEffortFIFO"),
        ("s/^  name: training/  name: other/", "is not the same object any more"),
        ("s/^kind: .*/kind: [/", "kueuectl-clusterqueue-"),
        ("s/nominalQuota: .*/nominalQuota: abc/", "nominalQuota"),
    ],
)
def test_what_would_be_refused_is_kept(edit: Any, fake: FakeServer, tmp_path: Path, script: str, want: str) -> None:
    result = edit(script)
    assert (result.code, result.out) == (1, "")
    assert want in result.err
    (kept,) = left(tmp_path)
    assert f"what you wrote is kept in {kept}" in result.err
    assert kept.stat().st_mode & 0o077 == 0
    assert fake.store.done == []


def test_a_conflict_keeps_the_file(edit: Any, fake: FakeServer, tmp_path: Path) -> None:
    fake.faults.append(Fault(QUEUES, method="PATCH", status=409))
    result = edit("s/StrictFIFO/BestEffortFIFO/")
    assert (result.code, result.out) == (4, "")
    (kept,) = left(tmp_path)
    assert "BestEffortFIFO" in kept.read_text()
    assert str(kept) in result.err


def test_the_write_is_guarded_by_the_version_that_was_read(edit: Any, fake: FakeServer, tmp_path: Path) -> None:
    fake.store.answer("PATCH", f"{QUEUES}/training", {}, b'{"metadata": {"labels": {"a": "b"}}}')
    version = fake.store.done[-1][2]["metadata"]["resourceVersion"]
    seen = tmp_path / "seen"
    result = edit(f"w {seen}")
    assert result.code == 0
    assert re.search(rf"resourceVersion: '?{version}'?", seen.read_text())


@pytest.mark.parametrize(
    ("words", "code", "want"),
    [
        (("cq", "nobody"), 3, 'clusterqueues.kueue.x-k8s.io "nobody" not found'),
        (("cq",), 2, "no ClusterQueue named"),
        (("node", "a"), 2, "unknown type 'node'"),
        (("cq", "a", "b"), 2, "edit takes one object"),
        (("cq", "a", "--from", "example:four-tenants"), 2, "a dump can't be written to"),
    ],
)
def test_what_can_not_be_edited_is_an_error(edit: Any, words: tuple[str, ...], code: int, want: str) -> None:
    result = edit("", *words)
    assert (result.code, result.out) == (code, "")
    assert want in result.err


@pytest.mark.parametrize(
    ("editor", "want"),
    [("/no/such/editor", "can't run the editor"), ("false", "failed with exit code 1"), ("'", "can't run the editor")],
)
def test_an_editor_that_fails_writes_nothing(live: Live, fake: FakeServer, editor: str, want: str) -> None:
    result = live("edit", "cq", "training", variables={"KUBE_EDITOR": editor, "EDITOR": "true"})
    assert (result.code, fake.store.done) == (1, [])
    assert want in result.err
    for kept in re.findall(r"kept in (\S+)", result.err):
        Path(kept).unlink()


def test_an_editor_that_takes_the_file_away_is_an_error(live: Live, fake: FakeServer, tmp_path: Path) -> None:
    result = live("edit", "cq", "training", variables={"EDITOR": "rm"})
    assert (result.code, result.out) == (1, "")
    assert "cannot be read: No such file" in result.err
    assert "is kept" not in result.err
    assert fake.store.done == []
