"""Fixtures of the cluster tests: an empty environment, a running fake, kubeconfigs, certificates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kueuectl.cluster import client, kubeconfig
from kueuectl.cluster.options import ConnectionOptions
from kueuectl.cluster.retry import RetryPolicy
from tests.cluster import authority
from tests.cluster.fake import FakeServer, running
from tests.cluster.objects import fill

# As the real one, without its waiting.
QUICK = RetryPolicy(first=0.001, longest=0.002, longest_asked=1.0)
TOKEN = "s3cr3t-t0ken-of-the-tests"

_VARIABLES = ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No kubeconfig, no cluster around us, no proxy: nothing of the machine gets into a test."""
    for name in (*_VARIABLES, *_PROXIES, *(proxy.lower() for proxy in _PROXIES)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(kubeconfig, "SERVICE_ACCOUNT", tmp_path / "no-service-account")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A filled fake over plain HTTP."""
    with running(fill(FakeServer())) as fake:
        yield fake


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> authority.Certificates:
    """An authority, a serving and a client certificate, and an authority that signed neither."""
    return authority.issue(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def secure_server(certificates: authority.Certificates) -> Iterator[FakeServer]:
    """A filled fake over TLS that wants the token."""
    fake = fill(FakeServer())
    fake.tokens = {TOKEN}
    with running(fake, certificate=certificates.serving) as fake:
        yield fake


@pytest.fixture
def connect() -> Iterator[Callable[..., client.Client]]:
    """Connects with options given as keywords; closes at the end."""
    opened: list[client.Client] = []

    def open_client(**options: object) -> client.Client:
        opened.append(client.connect(ConnectionOptions(**options), policy=QUICK))  # type: ignore[arg-type]
        return opened[-1]

    yield open_client
    for one in opened:
        one.close()


def write_kubeconfig(
    path: Path, *, server: str, user: object = None, cluster: object = None, namespace: str = "", name: str = "test"
) -> str:
    """A kubeconfig of one context; the path, as text."""
    context = {"cluster": name, "user": name} | ({"namespace": namespace} if namespace else {})
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": {"server": server, **(cluster or {})}}],  # type: ignore[dict-item]
        "users": [{"name": name, "user": user or {}}],
        "contexts": [{"name": name, "context": context}],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return str(path)
