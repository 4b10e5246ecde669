"""A connection to an API server: requests in, whole bodies out, tried again where that helps. Knows no kind.

Rules.
 1. An answer is whole or it is an error. A cut body is a lost connection.
 2. A request that reads is tried again after a lost connection and after statuses that pass; one that writes only where
    the server says that it did nothing (429).
 3. A refused connection is tried again only after the server has answered once: else the address is wrong.
 4. Credentials from a program are renewed once when the server stops accepting them.
 5. Threads may share a client.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from types import TracebackType
from urllib.parse import quote, urlencode

from kueuectl import times
from kueuectl.cluster import failures, kubeconfig
from kueuectl.cluster.discovery import Discovery
from kueuectl.cluster.options import ConnectionOptions, parse_duration, parse_page_size
from kueuectl.cluster.retry import REPEATABLE, RetryPolicy, retry_after
from kueuectl.cluster.transport import LostError, RawAnswer, RefusedError, Request, Timeout, Transport
from kueuectl.errors import KueuectlError, UnreachableError

__all__ = ["Client", "ConnectionOptions", "connect"]


def connect(
    options: ConnectionOptions,
    *,
    policy: RetryPolicy | None = None,
    notify: Callable[[str], None] | None = None,
) -> Client:
    """A client for the cluster that the kubeconfig and the flags lead to. No request is sent yet.

    `notify` is told in a sentence when the client waits before another try; it may be called from any thread. Raises
    KueuectlError for a kubeconfig, context or file that is wrong, UnreachableError where no cluster is configured.
    """
    timeout = parse_duration(options.request_timeout, flag="--request-timeout") if options.request_timeout else None
    target, limit = kubeconfig.resolve(options), Timeout.of_flag(timeout)
    return Client(target, limit, policy=policy, notify=notify, page_size=options.page_size)


class Client:
    """One API server as one user. Close it, or use it in a `with` block."""

    def __init__(
        self,
        target: kubeconfig.Target,
        timeout: Timeout,
        *,
        policy: RetryPolicy | None = None,
        notify: Callable[[str], None] | None = None,
        page_size: str = "",
    ) -> None:
        self._target = target
        self._timeout = timeout
        self._policy = policy or RetryPolicy()
        self._notify = notify
        self._page_size = page_size
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._transport = Transport(target, timeout)
        # Transports of old credentials: another thread may be in the middle of a request there.
        self._retired: list[Transport] = []
        self.discovery = Discovery(self)
        self._has_answered = False
        self._server_time: int | None = None
        self._skew = 0.0

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End waiting threads, close the connections, delete key files."""
        self._stopped.set()
        for transport in (self._transport, *self._retired):
            transport.close()

    @property
    def server(self) -> str:
        """The server's address."""
        return self._transport.server

    @property
    def context(self) -> str:
        """The name of the context; "" without one."""
        return self._target.context

    @property
    def source(self) -> str:
        """Where the configuration came from: files, or the pod's service account."""
        return self._target.source

    @property
    def user_name(self) -> str:
        """What the kubeconfig calls the user, or who is acted as; "" where it has no name."""
        acted = self._target.user.get("as")
        return acted if isinstance(acted, str) and acted else self._target.user_name

    @property
    def page_size(self) -> int:
        """How many objects a list asks for at once; 0 is all. Raises UsageError where what was given is no number."""
        return parse_page_size(self._page_size)

    @property
    def current_namespace(self) -> str:
        """The namespace of the context; "default" where it has none."""
        return self._target.namespace

    @property
    def now(self) -> int:
        """The server's time in nanoseconds, from its latest answer; this machine's before that."""
        return time.time_ns() if self._server_time is None else self._server_time

    @property
    def skew_seconds(self) -> float:
        """How far this machine's clock is ahead of the server's; to about a second."""
        return self._skew

    def stop(self) -> None:
        """Let no thread start or repeat a request any more."""
        self._stopped.set()

    def wait(self, seconds: float) -> bool:
        """Wait, or until the client is closed; whether it was."""
        return self._stopped.wait(seconds)

    def get(self, path: str, query: Mapping[str, str | int] | None = None, *, what: str, accept: str = "") -> bytes:
        """The body of a GET. Raises the error for any status but a success, see failures."""
        target = f"{path}?{urlencode(query, quote_via=quote)}" if query else path
        return self.send(Request("GET", target, what, accept=accept or "application/json"))

    def send(self, request: Request) -> bytes:
        """The body of the answer to a request, after as many tries as the policy allows."""
        attempt, renewed = 0, False
        repeatable = request.is_repeatable or request.method in REPEATABLE
        refused = failures.of_status if request.method in REPEATABLE else failures.of_write
        while True:
            attempt += 1
            used = self._transport
            asked: float | None = None
            try:
                answer = self._try(used, request)
            except LostError as lost:
                failure: KueuectlError = lost
                passing = repeatable and (self._has_answered or not isinstance(lost, RefusedError))
            else:
                if 200 <= answer.status < 300:
                    return answer.body
                if answer.status == 401 and used.is_renewable and not renewed:
                    renewed = True
                    attempt -= 1
                    self._renew(used)
                    continue
                failure = refused(
                    answer.status, answer.body, what=request.what, server=used.server, secrets=used.secrets
                )
                passing = self._policy.is_passing(answer.status, repeatable=repeatable)
                asked = retry_after(answer.retry_after)
            self._wait_or_raise(failure, self._policy.delay(attempt, asked) if passing else None, attempt)

    def _try(self, used: Transport, request: Request) -> RawAnswer:
        if self._stopped.is_set():
            raise UnreachableError("the connection was closed")
        answer = used.send(request)
        self._has_answered = True
        self._note_date(answer.date)
        return answer

    def _wait_or_raise(self, failure: KueuectlError, delay: float | None, attempt: int) -> None:
        if delay is None:
            if attempt > 1:
                failure.problem = f"{failure.problem} (tried {attempt} times)"
            raise failure
        if self._notify and delay >= 1:
            self._notify(f"{failure.problem}; trying again in {delay:.0f} s")
        if self._stopped.wait(delay):
            raise failure

    def _renew(self, used: Transport) -> None:
        """Ask the credentials program again, once for all threads that met the 401."""
        with self._lock:
            if self._transport is used:
                self._transport = Transport(self._target, self._timeout)
                self._retired.append(used)

    def _note_date(self, header: str | None) -> None:
        if not header:
            return
        try:
            stamp = parsedate_to_datetime(header).timestamp()
        except (ValueError, TypeError, OverflowError):
            return
        with self._lock:
            if self._server_time is None:
                self._skew = time.time() - stamp
            self._server_time = max(int(stamp) * times.SECOND, self._server_time or 0)
