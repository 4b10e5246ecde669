"""Every fault at every request of a command that reads: the answer is whole and right, or there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.fake import FakeServer
from tests.faults import proxy as faults
from tests.faults.conftest import Run
from tests.faults.proxy import Proxy

COMMANDS = (
    ("list", "workload", "-A"),
    ("list", "clusterqueue", "-o", "json"),
    ("tree",),
    ("explain", "workload", "job-small", "-n", "team-a", "-o", "json"),
    ("queue", "training"),
)


@pytest.mark.parametrize("kind", faults.PASSING)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_fault_that_passes_is_not_seen(words: tuple[str, ...], kind: str, through: Run, proxy: Proxy) -> None:
    proxy.arm("")
    want = through(*words)
    assert want.code == 0, want.err
    count = len(proxy.asked)
    # What is slow takes its time each time.
    for at in range(0, count, 7 if kind == faults.SLOW else 3):
        proxy.arm(kind, at)
        found = through(*words)
        assert (found.code, found.out) == (0, want.out), (at, found.err)
        assert not [asked for asked in proxy.asked if asked.is_write]


@pytest.mark.parametrize("kind", [*faults.PASSING[:-1], faults.DENIED])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_fault_that_stays_is_told(words: tuple[str, ...], kind: str, through: Run, proxy: Proxy) -> None:
    """Without the settings of Kueue there is an answer yet, which says that they are missing."""
    proxy.arm("")
    want = through(*words)
    for at in range(0, len(proxy.asked), 5):
        proxy.arm(kind, at, lasting=True)
        found = through(*words)
        assert "Traceback" not in found.err
        if found.code == 0:
            assert found.out == want.out or "Warning: " in found.err, at
        else:
            assert (found.code, found.out) == (5, ""), (at, found.err)
            assert found.err.count("Error: ") == 1


@pytest.mark.parametrize("kind", [*faults.PASSING[:-1], faults.DENIED])
def test_a_dump_is_whole_or_not_there(kind: str, through: Run, proxy: Proxy, tmp_path: Path) -> None:
    def save(name: str) -> tuple[int, list[str]]:
        folder = tmp_path / name
        folder.mkdir()
        done = through("snapshot", "save", str(folder / "dump.json"))
        assert "Traceback" not in done.err
        return done.code, sorted(path.name for path in folder.iterdir())

    proxy.arm("")
    assert save("whole") == (0, ["dump.json"])
    count = len(proxy.asked)
    whole = (tmp_path / "whole/dump.json").read_text()
    for at in range(0, count, 5):
        for lasting in (False, True):
            proxy.arm(kind, at, lasting=lasting)
            name = f"{at}-{lasting}"
            code, files = save(name)
            assert (code, files) in ((0, ["dump.json"]), (5, [])), name
            if code == 0 and not lasting:
                assert len((tmp_path / name / "dump.json").read_text()) == len(whole)


def test_expired_pages_start_again(teams: FakeServer, through: Run, proxy: Proxy) -> None:
    path = "/apis/kueue.x-k8s.io/v1beta2/workloads"
    one = teams.objects[path][0]
    meta = one["metadata"]
    assert isinstance(meta, dict)
    for number in range(1100):
        name = f"more-{number:04}"
        teams.put(path, {**one, "metadata": {**meta, "name": name, "uid": f"uid-{name}"}})
    proxy.arm("")
    want = through("list", "workload", "-A")
    assert want.out.count("more-") >= 1100
    proxy.counts = lambda method, target: "continue=" in target
    for times in (False, True):
        for at in range(2):
            proxy.arm(faults.EXPIRED, at, lasting=times)
            found = through("list", "workload", "-A")
            assert (found.code, found.out) == (0, want.out), found.err
