"""The two teams behind a fake API server, as fixtures: import them where a test needs a server to read and write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from kueuectl import times
from kueuectl.cluster import kubeconfig
from tests.cli.harness import NOW, TEAMS, Result, cli
from tests.cluster.fake import CORE_KINDS, KUEUE_PLURALS, FakeServer, running
from tests.cluster.objects import deployment

Live = Callable[..., Result]
_PATHS = {
    "batch/v1": "/apis/batch/v1",
    "v1": "/api/v1",
    "kueue.x-k8s.io/v1beta2": "/apis/kueue.x-k8s.io/v1beta2",
}
_PLURAL_OF = {kind: plural for plural, kind in {**KUEUE_PLURALS, **CORE_KINDS}.items()}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[FakeServer]:
    """The two teams behind an API server, at their time."""
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(kubeconfig, "SERVICE_ACCOUNT", tmp_path / "none")
    server = FakeServer()
    server.clock = lambda: times.parse(NOW) / times.SECOND
    for item in yaml.safe_load_all(TEAMS.read_text("utf-8")):
        path = f"{_PATHS[item['apiVersion']]}/{_PLURAL_OF[item['kind']]}"
        is_builtin = item["kind"] in CORE_KINDS.values()
        server.put(
            path, {key: value for key, value in item.items() if not (is_builtin and key in ("kind", "apiVersion"))}
        )
    server.put("/apis/apps/v1/deployments", deployment())
    with running(server):
        yield server


@pytest.fixture
def live(fake: FakeServer) -> Live:
    """Runs a command line against the fake."""
    return lambda *args, **options: cli(*args, "--server", fake.url, **options)
