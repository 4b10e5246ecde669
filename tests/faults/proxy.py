"""A proxy on 127.0.0.1 before an API server, real or fake, that spoils one request, or every one from then on.

Requests are counted as they come. The chosen one meets its fault: some are answered without the server hearing of them,
others reach it and the answer is lost on the way back.
"""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

# The answer is made up, the server hears nothing.
THROTTLED, BROKEN, AWAY, EXPIRED, DENIED = "429", "500", "503", "410", "401"
RESET = "reset before the server hears of it"
# The server has done it.
BROKEN_AFTER, RESET_AFTER, CUT = "500 after it is done", "reset after it is done", "half of the answer"
SLOW = "slow"

UNHEARD = (THROTTLED, BROKEN, AWAY, RESET)
DONE = (BROKEN_AFTER, RESET_AFTER, CUT)
PASSING = (*UNHEARD, *DONE, SLOW)
WRITING = ("POST", "PUT", "PATCH", "DELETE")
_HOP = {"connection", "transfer-encoding", "content-length", "host", "keep-alive"}
_SLOWLY = 0.3


@dataclass(frozen=True)
class Asked:
    """A request: `heard` is whether the server got it."""

    method: str
    path: str
    heard: bool

    @property
    def is_write(self) -> bool:
        """Whether it changes something that is stored."""
        return self.method in WRITING and "dryRun=" not in self.path and "accessreview" not in self.path.lower()


@dataclass
class Proxy:
    """What is spoiled: request number `at` (from 0) among those that `counts`, with `lasting` all later ones too."""

    upstream: str
    upstream_ca: str = ""
    kind: str = ""
    at: int = 0
    lasting: bool = False
    counts: Callable[[str, str], bool] = lambda method, path: True
    asked: list[Asked] = field(default_factory=list)
    url: str = ""
    _number: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def arm(self, kind: str, at: int = 0, *, lasting: bool = False) -> None:
        """Forget what was asked, and spoil a request from now on; "" spoils none."""
        with self._lock:
            self.kind, self.at, self.lasting = kind, at, lasting
            self._number = 0
            self.asked.clear()

    def fault(self, method: str, path: str) -> str:
        """The fault that a request meets, "" for none."""
        with self._lock:
            if not self.kind or not self.counts(method, path):
                return ""
            number = self._number
            self._number += 1
            return self.kind if number == self.at or (self.lasting and number > self.at) else ""

    def note(self, method: str, path: str, *, heard: bool) -> None:
        """Keep a request."""
        with self._lock:
            self.asked.append(Asked(method, path, heard))

    def forward(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        """What the server says."""
        parts = urlsplit(self.upstream)
        host, port = str(parts.hostname), parts.port
        if parts.scheme == "https":
            context = ssl.create_default_context(cafile=self.upstream_ca)
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(host, port, context=context)
        else:
            connection = http.client.HTTPConnection(host, port)
        try:
            connection.request(method, path, body=body or None, headers=headers)
            answer = connection.getresponse()
            kept = {name: value for name, value in answer.getheaders() if name.lower() not in _HOP}
            return Answer(answer.status, kept, answer.read())
        finally:
            connection.close()


@dataclass(frozen=True)
class Answer:
    """Status, headers, body."""

    status: int
    headers: dict[str, str]
    body: bytes


def _made_up(kind: str) -> Answer:
    status = int(kind[:3])
    headers = {"Content-Type": "application/json"} | ({"Retry-After": "0"} if status == 429 else {})
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": f"made up {status}", "code": status}
    return Answer(status, headers, json.dumps(body).encode())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _serve(self) -> None:
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind = proxy.fault(self.command, self.path)
        heard = kind in ("", SLOW, *DONE)
        proxy.note(self.command, self.path, heard=heard)
        if kind == SLOW:
            time.sleep(_SLOWLY)
        if kind == RESET:
            self.close_connection = True
            return
        if not heard:
            self._send(_made_up(kind))
            return
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
        answer = proxy.forward(self.command, self.path, headers, body)
        if kind == RESET_AFTER:
            self.close_connection = True
        elif kind == BROKEN_AFTER:
            self._send(_made_up(kind))
        else:
            self._send(answer, is_cut=kind == CUT)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

    def _send(self, answer: Answer, *, is_cut: bool = False) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body[: len(answer.body) // 2] if is_cut else answer.body)
        self.close_connection = self.close_connection or is_cut

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a failed test shows what was asked for."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, proxy: Proxy, context: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.proxy = proxy
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: connections break on purpose here."""


@contextmanager
def running(proxy: Proxy, *, certificate: Path | None = None, key: Path | None = None) -> Iterator[Proxy]:
    """Serve while the block runs, with TLS where there is a certificate."""
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
    server = _Server(proxy, context)
    proxy.url = f"{'https' if context else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
