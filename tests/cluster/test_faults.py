"""What goes wrong between here and the API server, and what the user sees of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from kueuectl.cluster import client, read
from kueuectl.cluster.client import Client
from kueuectl.cluster.options import ConnectionOptions
from kueuectl.cluster.retry import RetryPolicy, retry_after
from kueuectl.errors import KueuectlError, UnreachableError
from tests.cluster.authority import Certificates
from tests.cluster.conftest import QUICK, TOKEN, write_kubeconfig
from tests.cluster.fake import FakeServer, Fault, running
from tests.cluster.objects import fill, workload

Connect = Callable[..., Client]
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/workloads"


@dataclass(frozen=True)
class Passing:
    """A fault that passes: the state is whole after that many requests for workloads."""

    id: str
    fault: Fault
    want_requests: int


PASSING = (
    Passing("throttled twice, with a time to wait", Fault(WORKLOADS, 429, {"Retry-After": "0"}, times=2), 3),
    Passing("throttled without a time to wait", Fault(WORKLOADS, 429, times=1), 2),
    Passing("an internal error", Fault(WORKLOADS, 500, times=1), 2),
    Passing("a restart of the control plane", Fault(WORKLOADS, 503, times=4), 5),
    Passing("a gateway that times out", Fault(WORKLOADS, 504, times=2), 3),
    Passing("a connection that is closed without an answer", Fault(WORKLOADS, hang_up=True, times=2), 3),
    Passing("an answer that is cut short", Fault(WORKLOADS, cut=True, times=1), 2),
)


@pytest.mark.parametrize("case", PASSING, ids=lambda case: case.id)
def test_fault_that_passes(case: Passing, server: FakeServer, connect: Connect) -> None:
    server.faults = [case.fault]
    state = read.read_state(connect(server=server.url)).state
    assert sorted(state.workloads) == ["team-a/train", "team-b/serve"]
    assert server.count(WORKLOADS) == case.want_requests


@dataclass(frozen=True)
class Lasting:
    """A fault that stays: what the message and the hint hold, and how often workloads were asked for."""

    id: str
    fault: Fault
    want: tuple[str, ...]
    want_requests: int = 1
    options: dict[str, str] = field(default_factory=dict)


LASTING = (
    Lasting("throttled for good", Fault(WORKLOADS, 429), ("throttling requests (429)", "tried 5 times"), 5),
    Lasting(
        "throttled for an hour",
        Fault(WORKLOADS, 429, {"Retry-After": "3600"}),
        ("throttling requests (429)", "try again in a minute"),
    ),
    Lasting("an internal error", Fault(WORKLOADS, 500), ("can't list workloads", "answers 500", "tried 5 times"), 5),
    Lasting("not implemented", Fault(WORKLOADS, 501), ("answers 501",)),
    Lasting("cut again and again", Fault(WORKLOADS, cut=True), ("the connection to", "broke", "tried 5 times"), 5),
    Lasting("hung up", Fault(WORKLOADS, hang_up=True), ("broke while it was asked to list workloads",), 5),
    Lasting("expired tokens", Fault(WORKLOADS, 410), ("changed too much while it was read (410)",), 3),
    Lasting(
        "half a page that claims to be whole",
        Fault(WORKLOADS, body=b'{"kind":"WorkloadList","apiVersion":"kueue.x-k8s.io/v1beta2","items":[{"metad'),
        ("did not answer with a list when asked to list workloads", "is not JSON", "proxy or a login page"),
    ),
    Lasting(
        "a login page",
        Fault(WORKLOADS, body=b"<html><form>password</form></html>"),
        ("did not answer with a list", "is not JSON"),
    ),
    Lasting("a number", Fault(WORKLOADS, body=b"7"), ("did not answer with a list", "expected a list")),
    Lasting("an object", Fault(WORKLOADS, body=b'{"kind":"Status"}'), ("did not answer with a list",)),
    Lasting("an empty body", Fault(WORKLOADS, body=b""), ("did not answer with a list",)),
    Lasting("not really compressed", Fault(WORKLOADS, gzip_garbage=True), ("does not decompress",)),
    Lasting(
        "a redirect to somewhere else",
        Fault(WORKLOADS, 302, {"Location": "http://127.0.0.1:9/login"}),
        ("answers with a redirect (302), which is not followed",),
    ),
    Lasting(
        "credentials that ran out",
        Fault(WORKLOADS, 401),
        ("does not accept the credentials (401): made to answer 401", "log in again"),
    ),
    Lasting(
        "an error page with terminal escapes",
        Fault(WORKLOADS, 400, body=b"\x1b[2Jno\x00\x07pe" + b"x" * 5000),
        ("answers 400: [2Jno pexxx", "..."),
    ),
    Lasting(
        "silence",
        Fault(WORKLOADS, wait=3),
        ("did not answer within 0.3 s", "--request-timeout"),
        1,
        {"request_timeout": "300ms"},
    ),
    Lasting(
        "an answer that trickles in",
        Fault(WORKLOADS, trickle=0.05),
        ("did not answer within 0.3 s",),
        1,
        {"request_timeout": "0.3s"},
    ),
)


@pytest.mark.parametrize("case", LASTING, ids=lambda case: case.id)
def test_fault_that_stays(case: Lasting, server: FakeServer, connect: Connect) -> None:
    server.faults = [case.fault]
    with pytest.raises(UnreachableError) as raised:
        read.read_state(connect(server=server.url, **case.options))
    shown = f"{raised.value}\n{raised.value.hint}"
    for text in case.want:
        assert text in shown
    assert raised.value.exit_code == 5
    assert len(shown) < 700
    assert shown.replace("\n", "").isprintable()
    assert server.count(WORKLOADS) == case.want_requests


@pytest.mark.parametrize(
    ("times", "want_limits"),
    [
        pytest.param(1, ["500", "500", "500", "500", "500"], id="once: from the start again"),
        pytest.param(2, ["500", "500", "500", "500", None], id="twice: then all in one page"),
    ],
)
def test_expired_token_starts_the_list_again(times: int, want_limits: list[str | None], connect: Connect) -> None:
    fake = fill(FakeServer())
    fake.objects[WORKLOADS] = [workload("team-a", f"w{n:04}") for n in range(1200)]
    fake.faults = [Fault("workloads.*continue", 410, times=times)]
    with running(fake):
        one = connect(server=fake.url)
        state = read.read_state(one).state
        limits = [seen.query.get("limit") for seen in fake.seen if seen.path == WORKLOADS]
        fake.faults = [Fault("workloads.*continue", 410, times=1, after=1)]
        fake._counts.clear()
        names = [item["metadata"]["name"] for item in read.list_raw(one, read.kinds.WORKLOAD)]
    assert len(state.workloads) == 1200
    assert limits[:2] == ["500", "500"]
    assert limits[-1] == want_limits[-1]
    assert len(limits) == len(want_limits)
    assert names == [f"w{n:04}" for n in range(1200)]


def test_token_that_repeats_is_not_followed_for_ever(server: FakeServer, connect: Connect) -> None:
    page = b'{"kind":"WorkloadList","apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"continue":"token-0"},"items":[]}'
    server.faults = [Fault(WORKLOADS, body=page)]
    with pytest.raises(UnreachableError, match="repeats a page"):
        read.read_state(connect(server=server.url))
    assert server.count(WORKLOADS) == 2


def test_first_error_ends_the_read_without_waiting_for_the_others(server: FakeServer, connect: Connect) -> None:
    server.faults = [Fault("/nodes", wait=5), Fault("/clusterqueues", 401)]
    began = time.monotonic()
    with pytest.raises(UnreachableError, match="401"):
        read.read_state(connect(server=server.url))
    assert time.monotonic() - began < 3


def test_waiting_is_announced(server: FakeServer) -> None:
    said: list[str] = []
    server.faults = [Fault("/version", 429, {"Retry-After": "1"}, times=1)]
    with client.connect(ConnectionOptions(server=server.url), policy=QUICK, notify=said.append) as one:
        one.get("/version", what="ask")
    assert len(said) == 1
    assert said[0].endswith("trying again in 1 s")


def test_write_is_not_repeated_after_a_lost_answer(server: FakeServer, connect: Connect) -> None:
    server.faults = [Fault("selfsubject", hang_up=True)]
    request = client.Request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "ask", body=b"{}")
    with pytest.raises(UnreachableError, match="broke"):
        connect(server=server.url).send(request)
    assert len(server.seen) == 1


def test_nothing_listens(connect: Connect) -> None:
    with running(FakeServer()) as fake:
        url = fake.url
    with pytest.raises(UnreachableError, match=r"can't reach http://127\.0\.0\.1:\d+: Connection refused") as raised:
        read.read_state(connect(server=url))
    assert "tried" not in str(raised.value)
    assert "kubectl cluster-info" in raised.value.hint


@pytest.mark.parametrize(
    ("cluster", "want"),
    [
        pytest.param({}, "certificate of {} is not trusted: unable to get local issuer", id="no authority"),
        pytest.param(
            {"certificate-authority": "stranger"}, "is not trusted: unable to get local issuer", id="a wrong one"
        ),
        pytest.param(
            {"certificate-authority": "client_key"}, "no TLS connection to {}", id="a file without certificates"
        ),
        pytest.param(
            {"certificate-authority": "trusted", "tls-server-name": "api.example"},
            "not trusted: Hostname mismatch",
            id="name",
        ),
    ],
)
def test_tls_errors(
    cluster: dict[str, str],
    want: str,
    secure_server: FakeServer,
    certificates: Certificates,
    connect: Connect,
    tmp_path,
) -> None:
    files = {key: str(getattr(certificates, value, value)) for key, value in cluster.items()}
    path = write_kubeconfig(tmp_path / "config", server=secure_server.url, user={"token": TOKEN}, cluster=files)
    with pytest.raises(UnreachableError) as raised:
        read.read_state(connect(kubeconfig=path))
    assert want.format(secure_server.url) in str(raised.value)
    assert not secure_server.seen


def test_tls_on_the_wrong_port(server: FakeServer, secure_server: FakeServer, connect: Connect) -> None:
    with pytest.raises(UnreachableError, match="does not speak TLS"):
        connect(server=server.url.replace("http:", "https:"), insecure_skip_tls_verify=True).get("/version", what="ask")
    with pytest.raises(UnreachableError):
        connect(server=secure_server.url.replace("https:", "http:")).get("/version", what="ask")


def test_delays_grow_are_bounded_and_give_up() -> None:
    policy = RetryPolicy(tries=8)
    delays = [policy.delay(attempt) for attempt in range(1, 9)]
    assert delays[-1] is None
    for attempt, delay in enumerate(delays[:-1]):
        longest = min(8.0, 0.25 * 2**attempt)
        assert delay is not None
        assert longest / 2 <= delay <= longest
    assert 5 <= (policy.delay(1, 5.0) or 0) < 5.1
    assert policy.delay(1, 61.0) is None


@pytest.mark.parametrize(
    ("header", "want"), [(None, None), ("", None), ("3", 3.0), ("Sun, 29 Nov", None), ("9" * 20, None)]
)
def test_retry_after(header: str | None, want: float | None) -> None:
    assert retry_after(header) == want


def test_closed_client_sends_nothing(server: FakeServer, connect: Connect) -> None:
    one = connect(server=server.url)
    one.close()
    with pytest.raises(KueuectlError, match="was closed"):
        one.get("/version", what="ask")
    assert not server.seen
