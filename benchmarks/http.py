"""Reading a big cluster over HTTP: python -m benchmarks.http [--workloads 50000] [--queues 1000] [--runs 3]

The other side is a bare `orjson.loads` of the same bytes. An API server's lists come in pages, uncompressed, from a
process of its own on 127.0.0.1; each measurement is a fresh process with the collector off, and they take turns.
Printed are the median CPU seconds of both, their ratio, the peak memory above an idle interpreter and the requests.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from benchmarks import generate

PAGE = 500
PLURALS = {
    "ResourceFlavor": "resourceflavors",
    "Cohort": "cohorts",
    "ClusterQueue": "clusterqueues",
    "LocalQueue": "localqueues",
    "Workload": "workloads",
    "Namespace": "namespaces",
}
KUEUE = "/apis/kueue.x-k8s.io"
ROOT = f"{KUEUE}/v1beta2"


def pages(workloads: int, queues: int) -> dict[str, list[bytes]]:
    """The pages of every collection, by its path."""
    chance = random.Random(1)
    items: dict[str, list[bytes]] = {}
    for one in generate.scene(chance, queues):
        items.setdefault(one["kind"], []).append(encode(one))
    items["Workload"] = [encode(generate.workload(chance, index, queues)) for index in range(workloads)]
    found = {}
    for kind, plural in PLURALS.items():
        root = "/api/v1" if kind == "Namespace" else ROOT
        found[f"{root}/{plural}"] = [page(kind, items.get(kind, []), start) for start in starts(items.get(kind, []))]
    return found


def starts(items: list[bytes]) -> range:
    """Where the pages of a list start; an empty list has one page too."""
    return range(0, max(1, len(items)), PAGE)


def page(kind: str, items: list[bytes], start: int) -> bytes:
    """One page as an API server writes it."""
    meta: dict[str, object] = {"resourceVersion": "9000001"}
    left = len(items) - start - PAGE
    if left > 0:
        meta |= {"continue": str(start // PAGE + 1), "remainingItemCount": left}
    version = "v1" if kind == "Namespace" else generate.KUEUE
    head = encode({"kind": f"{kind}List", "apiVersion": version, "metadata": meta})[:-1]
    return head + b',"items":[' + b",".join(items[start : start + PAGE]) + b"]}"


def encode(value: object) -> bytes:
    """Compact JSON."""
    return json.dumps(value, separators=(",", ":")).encode()


class Handler(BaseHTTPRequestHandler):
    """Serves the pages; any other list is empty, any other object absent."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path != "/requests":
            self.server.requests += 1
        status, body = self.answer(parts.path, parse_qs(parts.query))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, path: str, query: dict[str, list[str]]) -> tuple[int, bytes]:
        if path == "/requests":
            return 200, str(self.server.requests).encode()
        if path == KUEUE:
            return 200, encode({"versions": [{"version": "v1beta2"}]})
        if path == ROOT:
            return 200, encode({"resources": [{"kind": kind, "name": plural} for kind, plural in PLURALS.items()]})
        if path in self.server.pages:
            return 200, self.server.pages[path][int(query.get("continue", ["0"])[0])]
        if "limit" in query:
            return 200, encode({"kind": "AnyList", "apiVersion": "v1", "metadata": {}, "items": []})
        return 404, encode({"kind": "Status", "message": "not found"})

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class Server(ThreadingHTTPServer):
    """The pages and how often it was asked."""

    daemon_threads = True

    def __init__(self, found: dict[str, list[bytes]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages = found
        self.requests = 0


def serve(folder: Path) -> None:
    """Serve what lies in a folder (one file a page) until killed; the port goes to stdout."""
    found: dict[str, list[bytes]] = {}
    for path in sorted(folder.iterdir()):
        name, _, _ = path.name.partition("~")
        found.setdefault("/" + name.replace("+", "/"), []).append(path.read_bytes())
    server = Server(found)
    print(server.server_address[1], flush=True)
    server.serve_forever()


def measure_ours(url: str) -> dict[str, float]:
    """Read the whole state as a command does."""
    import urllib3

    from kueuectl.cluster import client, read
    from kueuectl.cluster.options import ConnectionOptions

    # Loaded beforehand: what an import costs is another budget.
    assert urllib3.PoolManager
    before = time.process_time()
    began = time.monotonic()
    with client.connect(ConnectionOptions(server=url)) as connection:
        reading = read.read_state(connection)
    return {
        "cpu": time.process_time() - before,
        "wall": time.monotonic() - began,
        "objects": len(reading.state.workloads),
        "peak": peak(),
    }


def measure_loads(folder: str) -> dict[str, float]:
    """Load the same bytes, and nothing else."""
    import orjson

    bodies = [path.read_bytes() for path in sorted(Path(folder).iterdir())]
    before = time.process_time()
    held = [orjson.loads(body) for body in bodies]
    return {"cpu": time.process_time() - before, "objects": sum(len(one["items"]) for one in held), "peak": peak()}


def peak() -> float:
    """The most memory that this process had, in MB. Not ru_maxrss: that remembers the parent's, too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def child(*arguments: str) -> dict[str, float]:
    """A measurement in a fresh process."""
    argv = [sys.executable, "-m", "benchmarks.http", *arguments]
    found: dict[str, float] = json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout)
    return found


def compare(workloads: int, queues: int, runs: int) -> dict[str, float]:
    """Both sides in turn, and what they come to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = 0
        for path, bodies in pages(workloads, queues).items():
            for index, body in enumerate(bodies):
                size += len(body)
                (folder / f"{path[1:].replace('/', '+')}~{index:06d}").write_bytes(body)
        server = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.http", "--serve", name], stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
            ours, theirs = [], []
            for _ in range(runs):
                theirs.append(child("--loads", name))
                ours.append(child("--ours", url))
            with urlopen(f"{url}/requests") as answer:
                requests = int(answer.read()) // runs
        finally:
            server.kill()
            server.wait()
    idle = child("--idle")["peak"]
    cpu, other = (statistics.median(one["cpu"] for one in side) for side in (ours, theirs))
    return {
        "workloads": ours[0]["objects"],
        "megabytes": round(size / 1e6),
        "cpu": round(cpu, 2),
        "cpu of orjson.loads": round(other, 2),
        "ratio": round(cpu / other, 2),
        "wall": round(statistics.median(one["wall"] for one in ours), 2),
        "peak above idle, MB": round(max(one["peak"] for one in ours) - idle),
        "requests": requests,
    }


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--workloads", type=int, default=50_000)
    parser.add_argument("--queues", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=3)
    for name in ("--serve", "--ours", "--loads"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--idle", action="store_true", help=argparse.SUPPRESS)
    found = parser.parse_args()
    gc.disable()
    if found.serve:
        serve(Path(found.serve))
    elif found.ours:
        print(json.dumps(measure_ours(found.ours)))
    elif found.loads:
        print(json.dumps(measure_loads(found.loads)))
    elif found.idle:
        print(json.dumps({"peak": peak()}))
    else:
        for name, value in compare(found.workloads, found.queues, found.runs).items():
            print(f"{name:24} {value:g}")


if __name__ == "__main__":
    main()
