"""A proxy before the fake API server of the two teams."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from kueuectl.cluster import client
from kueuectl.cluster.retry import RetryPolicy
from tests.cli.harness import Result, cli
from tests.cli.two_teams import fake, live
from tests.cluster.fake import FakeServer
from tests.faults.proxy import Proxy, running
from tests.writes.conftest import teams

__all__ = ["fake", "live", "teams"]

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow each other at once."""
    monkeypatch.setattr(client, "RetryPolicy", lambda: RetryPolicy(first=0.001, longest=0.002, longest_asked=1.0))
    monkeypatch.setattr(client.Client, "wait", lambda self, seconds: False)


@pytest.fixture
def proxy(teams: FakeServer) -> Iterator[Proxy]:
    """The proxy; nothing is spoiled until it is armed."""
    with running(Proxy(teams.url)) as found:
        yield found


@pytest.fixture
def through(proxy: Proxy) -> Run:
    """Runs a command line through the proxy."""
    return lambda *words, **options: cli(*words, "--server", proxy.url, **options)
