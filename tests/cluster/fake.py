"""An API server as far as the program goes, over real HTTP on 127.0.0.1, with faults on demand.

It holds objects by the path of their collection and serves lists in pages, single objects, discovery, access reviews
and /version. Writes are stored, with the guards of the real one. A `Fault` says which requests go wrong, how, and how
often.
"""

from __future__ import annotations

import gzip
import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.cluster import fake_writes

KUEUE_PLURALS = {
    "clusterqueues": "ClusterQueue",
    "localqueues": "LocalQueue",
    "cohorts": "Cohort",
    "resourceflavors": "ResourceFlavor",
    "workloads": "Workload",
    "admissionchecks": "AdmissionCheck",
    "topologies": "Topology",
    "workloadpriorityclasses": "WorkloadPriorityClass",
}
CORE_KINDS = {
    "namespaces": "Namespace",
    "nodes": "Node",
    "limitranges": "LimitRange",
    "priorityclasses": "PriorityClass",
    "runtimeclasses": "RuntimeClass",
    "deployments": "Deployment",
    "configmaps": "ConfigMap",
    "pods": "Pod",
    "jobs": "Job",
    "jobsets": "JobSet",
    "events": "Event",
}


@dataclass(frozen=True)
class Fault:
    """What goes wrong with requests whose path and query match: each field is one way.

    `times` is how often (None: always), `after` lets that many matching requests pass first. `method` "" is any.
    Without `lose` a request that hangs up or fails is not carried out; with it the answer alone is lost.
    """

    match: str
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: bool = False
    hang_up: bool = False
    wait: float = 0.0
    trickle: float = 0.0
    gzip_garbage: bool = False
    times: int | None = None
    after: int = 0
    method: str = ""
    lose: bool = False


@dataclass(frozen=True)
class Seen:
    """A request that came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    groups: tuple[str, ...] = ()


class FakeServer:
    """The state and the script of one fake API server; `url` is its address while it runs."""

    def __init__(
        self, *, versions: Iterable[str] = ("v1beta2", "v1beta1"), plurals: Iterable[str] = KUEUE_PLURALS
    ) -> None:
        self.versions = tuple(versions)
        self.plurals = tuple(plurals)
        self.objects: dict[str, list[dict[str, object]]] = {}
        self.faults: list[Fault] = []
        self.seen: list[Seen] = []
        self.url = ""
        # Who may come in: None lets everybody.
        self.tokens: set[str] | None = None
        # Who they are told that they are; None: the server doesn't say.
        self.user: str | None = "jane"
        self.forbidden: set[str] = set()
        self.clock: Callable[[], float] = time.time
        self.lock = threading.Lock()
        self._counts: dict[int, int] = {}
        self._encoded: dict[str, list[bytes]] = {}
        self.store = fake_writes.Store(self.objects)  # type: ignore[arg-type]

    # -- what tests put in and look at

    def put(self, path: str, *objects: dict[str, object]) -> None:
        """Add objects to the collection at a path, which is /apis/GROUP/VERSION/PLURAL without a namespace."""
        self.objects.setdefault(path, []).extend(objects)

    def paths(self) -> list[str]:
        """The paths that were asked for, in the order in which they came."""
        return [seen.path for seen in self.seen]

    def count(self, pattern: str) -> int:
        """How many requests' paths match entirely."""
        return sum(1 for path in self.paths() if re.fullmatch(pattern, path))

    # -- what the handler asks

    def fault(self, method: str, target: str) -> Fault | None:
        with self.lock:
            for index, fault in enumerate(self.faults):
                if not re.search(fault.match, target) or fault.method not in ("", method):
                    continue
                count = self._counts[index] = self._counts.get(index, 0) + 1
                if count > fault.after and (fault.times is None or count <= fault.after + fault.times):
                    return fault
        return None

    def answer(self, method: str, path: str, query: dict[str, str], body: bytes) -> tuple[int, bytes]:
        """The status and body of a request that nothing goes wrong with."""
        if method == "POST" and path.endswith("/selfsubjectaccessreviews"):
            attributes = json.loads(body)["spec"]["resourceAttributes"]
            allowed = attributes["resource"] not in self.forbidden
            return 201, encode({"kind": "SelfSubjectAccessReview", "status": {"allowed": allowed}})
        if method == "POST" and path.endswith("/selfsubjectreviews"):
            if self.user is None:
                return not_found(path)
            return 201, encode({"kind": "SelfSubjectReview", "status": {"userInfo": {"username": self.user}}})
        if path == "/version":
            return 200, encode({"gitVersion": "v1.36.3"})
        if method in fake_writes.METHODS:
            return self._written(method, path, query, body)
        found = self._discovery(path)
        if found is not None:
            return found
        return self._objects(path, query)

    def _written(self, method: str, path: str, query: dict[str, str], body: bytes) -> tuple[int, bytes]:
        plural = re.sub(r".*/(?=(?:api|apis)/)", "", path)
        refused = next((word for word in self.forbidden if f"/{word}" in plural), None)
        if refused is not None:
            message = f'{refused} is forbidden: User "viewer" cannot {method.lower()} resource "{refused}"'
            return 403, encode({"kind": "Status", "reason": "Forbidden", "message": message, "code": 403})
        with self.lock:
            self._encoded.clear()
            status, answer = self.store.answer(method, path, query, body)
        return status, encode(answer)

    def _discovery(self, path: str) -> tuple[int, bytes] | None:
        group = "/apis/kueue.x-k8s.io"
        if path == group:
            versions = [{"version": version} for version in self.versions]
            return (200, encode({"kind": "APIGroup", "versions": versions})) if versions else not_found(path)
        if path == "/apis/jobset.x-k8s.io":
            return 200, encode({"versions": [{"version": "v1alpha2"}], "preferredVersion": {"version": "v1alpha2"}})
        if path == "/apis/jobset.x-k8s.io/v1alpha2":
            return 200, encode({"resources": [{"name": "jobsets", "kind": "JobSet"}]})
        if path.removeprefix(group + "/") in self.versions:
            resources = [{"name": plural, "kind": KUEUE_PLURALS[plural]} for plural in self.plurals]
            resources += [{"name": "workloads/status", "kind": "Workload"}]
            return 200, encode({"kind": "APIResourceList", "resources": resources})
        return None

    def _objects(self, path: str, query: dict[str, str]) -> tuple[int, bytes]:
        match = re.fullmatch(r"(/api/v1|/apis/[^/]+/[^/]+)(?:/namespaces/([^/]+))?/([a-z]+)(?:/([^/]+))?", path)
        if match is None:
            return not_found(path)
        root, namespace, plural, name = match.groups()
        if namespace is not None and plural not in (*KUEUE_PLURALS, *CORE_KINDS):
            return not_found(path)
        if plural in self.forbidden or (namespace is None and name is None and f"all {plural}" in self.forbidden):
            message = f'{plural} is forbidden: User "viewer" cannot list resource "{plural}"'
            return 403, encode({"kind": "Status", "reason": "Forbidden", "message": message, "code": 403})
        if root == "/apis/kueue.x-k8s.io/" + root.rpartition("/")[2] and (
            root.rpartition("/")[2] not in self.versions or plural not in self.plurals
        ):
            return not_found(path)
        found = self.objects.get(f"{root}/{plural}", [])
        if namespace is not None:
            found = [one for one in found if one["metadata"]["namespace"] == namespace]  # type: ignore[index]
        if "labelSelector" in query:
            found = [one for one in found if _matches(one, query["labelSelector"])]
        if name is not None:
            named = [one for one in found if one["metadata"]["name"] == name]  # type: ignore[index]
            header = {"kind": CORE_KINDS.get(plural), "apiVersion": root.removeprefix("/apis/").removeprefix("/api/")}
            return (200, encode(header | named[0])) if named else not_found(path)
        return self._list(f"{root}/{plural}?{namespace}&{query.get('labelSelector')}", root, plural, found, query)

    def _list(
        self, key: str, root: str, plural: str, found: list[dict[str, object]], query: dict[str, str]
    ) -> tuple[int, bytes]:
        with self.lock:
            encoded = self._encoded.get(key)
            if encoded is None or len(encoded) != len(found):
                encoded = self._encoded[key] = [encode(one) for one in found]
        start = int(query.get("continue", "token-0").removeprefix("token-"))
        limit = int(query.get("limit", "0")) or len(encoded)
        end = start + limit
        meta: dict[str, object] = {"resourceVersion": "7"}
        if end < len(encoded):
            meta |= {"continue": f"token-{end}", "remainingItemCount": len(encoded) - end}
        kind = (KUEUE_PLURALS | CORE_KINDS)[plural] + "List"
        version = root.removeprefix("/apis/").removeprefix("/api/")
        head = encode({"kind": kind, "apiVersion": version, "metadata": meta})[:-1]
        return 200, head + b',"items":[' + b",".join(encoded[start:end]) + b"]}"


def encode(value: object) -> bytes:
    """Compact JSON, as the API server writes it."""
    return json.dumps(value, separators=(",", ":")).encode()


def not_found(path: str) -> tuple[int, bytes]:
    return 404, encode({"kind": "Status", "message": f"the server could not find {path}", "code": 404})


def _matches(one: dict[str, object], selector: str) -> bool:
    labels = one["metadata"].get("labels") or {}  # type: ignore[attr-defined]
    return all(
        labels.get(key) == value for key, _, value in (part.partition("=") for part in selector.split(",") if part)
    )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Else head and body are two packets, and the second waits 40 ms for the first to be acknowledged.
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    do_PUT = do_PATCH = do_DELETE = do_POST

    def _serve(self, body: bytes) -> None:
        fake = self.server.fake
        parts = urlsplit(self.path)
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        groups = tuple(self.headers.get_all("Impersonate-Group") or ())
        with fake.lock:
            fake.seen.append(Seen(self.command, parts.path, query, dict(self.headers), groups))
        fault = fake.fault(self.command, self.path)
        if fault is not None:
            time.sleep(fault.wait)
            if fault.hang_up and not fault.lose:
                self.close_connection = True
                return
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if fake.tokens is not None and token not in fake.tokens:
            status, answer = 401, encode({"kind": "Status", "message": "Unauthorized", "code": 401})
        elif fault is not None and fault.status and not fault.lose and self.command in fake_writes.METHODS:
            status, answer = fault.status, b""
        else:
            status, answer = fake.answer(self.command, parts.path, query, body)
        if fault is None:
            self._send(status, answer, {})
        elif fault.hang_up:
            self.close_connection = True
        else:
            self._send_faulty(fault, fault.status or status, answer if fault.body is None else fault.body)

    def _send_faulty(self, fault: Fault, status: int, answer: bytes) -> None:
        if fault.status and fault.body is None:
            answer = encode({"kind": "Status", "message": f"made to answer {status}", "code": status})
        if fault.gzip_garbage:
            self._send(status, b"\x1f\x8b\x08\x00 not really compressed", {"Content-Encoding": "gzip"}, packed=True)
        elif fault.cut or fault.trickle:
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            half = answer[: len(answer) // 2]
            for at in range(0, len(half), max(1, len(half) // 50)):
                self.wfile.write(half[at : at + max(1, len(half) // 50)])
                self.wfile.flush()
                time.sleep(fault.trickle)
            self.close_connection = True
        else:
            self._send(status, answer, fault.headers)

    def _send(self, status: int, answer: bytes, headers: dict[str, str], *, packed: bool = False) -> None:
        if not packed and "gzip" in self.headers.get("Accept-Encoding", "") and len(answer) > 1400:
            answer = gzip.compress(answer, 1)
            headers = {**headers, "Content-Encoding": "gzip"}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def date_time_string(self, timestamp: float | None = None) -> str:
        return formatdate(self.server.fake.clock() if timestamp is None else timestamp, usegmt=True)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a failed test shows what was asked for."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, fake: FakeServer, context: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fake = fake
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: clients of these tests hang up on purpose."""


@contextmanager
def running(
    fake: FakeServer, *, certificate: Path | None = None, client_ca: Path | None = None
) -> Iterator[FakeServer]:
    """Serve while the block runs; with TLS where a certificate (and its key, in one PEM file) is given."""
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        if client_ca is not None:
            context.load_verify_locations(client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
    server = _Server(fake, context)
    fake.url = f"{'https' if context else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
