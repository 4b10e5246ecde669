"""A process that is killed or interrupted in the middle: the next one goes on, and nothing happens twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kueuectl.cli import app
from tests.apply import scene
from tests.apply.conftest import Live
from tests.apply.scene import Kueue, evictions
from tests.cluster.fake import FakeServer, Fault

QUICK = ("--yes", "--timeout", "3s")
EVICT = ("preempt", *scene.VICTIMS, "-n", "team-a")
ROOT = Path(app.__file__).parents[2]
Start = Callable[[], "subprocess.Popen[str]"]


@pytest.fixture
def start(fake: FakeServer, live: Live) -> Iterator[Start]:
    """Starts `apply` of a plan of three evictions in a process of its own."""
    for name in ("urgent", "modest"):
        container = scene.stored(fake, name)["spec"]["podSets"][0]["template"]["spec"]["containers"][0]
        container["resources"]["requests"]["cpu"] = "6"
    assert live(*EVICT, "-o", "plan=plan.json").code == 0
    running: list[subprocess.Popen[str]] = []

    def begin() -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "kueuectl", "apply", "plan.json", *QUICK, "--server", fake.url]
        paths = {"PYTHONPATH": str(ROOT), "HOME": os.environ["HOME"], "KUBECONFIG": os.devnull}
        running.append(
            subprocess.Popen(
                words,
                env={**os.environ, **paths},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                # What runs in the background of a shell has SIGINT ignored, and hands that on.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        )
        return running[-1]

    yield begin
    for process in running:
        process.kill()
        process.communicate()


def counts(fake: FakeServer) -> list[int]:
    """How often each victim was evicted."""
    return [evictions(fake, name) for name in scene.VICTIMS]


def wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not what():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.01)


def writes(fake: FakeServer) -> int:
    """How many real writes were asked for."""
    return sum(seen.method == "PATCH" and "dryRun" not in seen.query for seen in fake.seen)


@pytest.mark.parametrize("after", [1, 2, 3])
def test_killed_when_the_write_is_stored_and_its_answer_is_not_sent(
    start: Start, live: Live, fake: FakeServer, kueue: Kueue, after: int
) -> None:
    process: list[subprocess.Popen[str]] = []
    kueue.then = lambda path, count: process[0].kill() if count == after else None
    process.append(start())
    assert process[0].wait(120) == -signal.SIGKILL
    kueue.then = lambda path, count: None
    assert counts(fake) == [1] * after + [0] * (3 - after)
    last = [json.loads(line) for line in Path("plan.json.journal").read_text().splitlines()][-1]
    assert (last["event"], last["step"]) == ("begin", after)
    again = live("apply", "plan.json", *QUICK)
    assert again.code == 0, again.err
    assert f"Step {after} was begun at 2026-11-29T12:00:00Z and is done" in again.err
    assert counts(fake) == [1, 1, 1]


@pytest.mark.parametrize("after", [0, 1, 2])
def test_killed_while_the_write_is_on_its_way(
    start: Start, live: Live, fake: FakeServer, kueue: Kueue, after: int
) -> None:
    """The server carries it out after the process is gone, and after the next one has begun."""
    fake.faults.append(Fault("/status.*fieldManager=kueuectl$", method="PATCH", wait=1.5, times=1, after=after))
    process = start()
    wait_for(lambda: writes(fake) == after + 1)
    process.kill()
    process.wait()
    assert counts(fake) == [1] * after + [0] * (3 - after)
    again = live("apply", "plan.json", *QUICK)
    time.sleep(1.6)
    assert again.code in (0, 4), again.err
    last = live("apply", "plan.json", *QUICK)
    assert last.code == 0, last.err
    assert counts(fake) == [1, 1, 1]


def test_interrupted_while_it_writes(start: Start, live: Live, fake: FakeServer, kueue: Kueue) -> None:
    process: list[subprocess.Popen[str]] = []
    kueue.then = lambda path, count: process[0].send_signal(signal.SIGINT) if count == 2 else None
    process.append(start())
    _, err = process[0].communicate(timeout=120)
    kueue.then = lambda path, count: None
    assert process[0].returncode == 130
    assert "Interrupted: " in err
    assert "Go on with: kueuectl apply plan.json" in err
    assert live("apply", "plan.json", *QUICK).code == 0
    assert counts(fake) == [1, 1, 1]


def test_interrupted_while_it_follows(start: Start, live: Live, fake: FakeServer) -> None:
    Kueue(fake, idle=True)
    process = start()
    wait_for(lambda: Path("plan.json.journal").exists() and '"done","step":3' in Path("plan.json.journal").read_text())
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Interrupted: all steps are done." in err
    again = live("apply", "plan.json", "--yes", "--timeout", "100ms")
    assert again.code == 1, "Kueue does nothing here"
    assert counts(fake) == [1, 1, 1]


def test_two_processes_are_one(start: Start, live: Live, fake: FakeServer, kueue: Kueue) -> None:
    fake.faults.append(Fault("/status", method="PATCH", wait=0.3))
    process = start()
    wait_for(lambda: Path("plan.json.journal").exists())
    other = live("apply", "plan.json", *QUICK)
    assert other.code == 4
    assert "another process carries this plan out" in other.err
    assert process.wait(120) == 0
    assert counts(fake) == [1, 1, 1]


def test_a_dead_network_loses_nothing(live: Live, fake: FakeServer, kueue: Kueue, start: Start) -> None:
    fake.faults.append(Fault("workloads", hang_up=True, after=0, times=None, method="PATCH"))
    process = start()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 5, err
    fake.faults.clear()
    assert live("apply", "plan.json", *QUICK).code == 0
    assert counts(fake) == [1, 1, 1]
