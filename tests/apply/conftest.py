"""The scene behind a fake API server, and a hand that runs command lines against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kueuectl import times
from kueuectl.cli.frame import following
from kueuectl.cluster import kubeconfig
from tests.apply import scene
from tests.cli.harness import Result, cli
from tests.cluster.fake import FakeServer, running

Live = Callable[..., Result]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeServer]:
    """A server with the scene; the working directory is an empty one."""
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(kubeconfig, "SERVICE_ACCOUNT", tmp_path / "none")
    monkeypatch.setattr(following, "_QUIET", 0.0)
    monkeypatch.setattr(following, "_POLL", 0.01)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    server = FakeServer()
    server.clock = lambda: times.parse(scene.NOW) / times.SECOND
    with running(scene.build(server)):
        yield server


@pytest.fixture
def kueue(fake: FakeServer) -> scene.Kueue:
    """What reacts to evictions."""
    return scene.Kueue(fake)


@pytest.fixture
def live(fake: FakeServer) -> Live:
    """Runs a command line against the server."""
    return lambda *args, **options: cli(*args, "--server", fake.url, **options)
