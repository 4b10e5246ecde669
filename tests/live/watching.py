"""Watches all workloads of a cluster over one connection, and tells how far Kueue has come.

A canary, a small Job in a queue of its own, goes the way that every Job goes. Once its admission is seen, everything is
seen that Kueue did before it was sent: on a busy machine that takes seconds where it usually takes a moment.
"""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from kueuectl.cluster.client import Client
from tests.live import making
from tests.live.controlplane import ADMIN, ControlPlane, has_condition, send
from tests.live.scene import ROOT

CANARY = "canary"
_POLL = 0.2
# Between canaries.
_PAUSE = 0.7
_LIMIT = 90.0

Object = dict[str, Any]


@dataclass(frozen=True)
class Look:
    """Workloads of a namespace; `canary` is when the last one was sent that was seen admitted (`time.monotonic`)."""

    workloads: list[Object]
    canary: float


class Watch:
    """Use it in a `with` block; threads may share it."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        self._lock = threading.Lock()
        self._objects: dict[str, dict[str, Object]] = {}
        self._error: Exception | None = None
        self._over = threading.Event()
        self._canary = 0.0
        # The one that follows may wait for an event for ever: it ends with the API server, or with the tests.
        self._follower = threading.Thread(target=self._guarded, args=(self._follow,), daemon=True)
        self._singer = threading.Thread(target=self._guarded, args=(self._sing,))

    def __enter__(self) -> Watch:
        self._follower.start()
        self._singer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._singer.join()

    def look(self, namespace: str) -> Look:
        """What was seen of a namespace until now."""
        with self._lock:
            if self._error is not None:
                raise self._error
            return Look(list(self._objects.get(namespace, {}).values()), self._canary)

    def _guarded(self, run: Callable[[Client], None]) -> None:
        try:
            with self._plane.client() as client:
                run(client)
        except Exception as error:
            self._error = error

    def _follow(self, client: Client) -> None:
        listed = json.loads(client.get(f"{ROOT}/workloads", what="list workloads"))
        for one in listed["items"]:
            self._put("ADDED", one)
        version = listed["metadata"]["resourceVersion"]
        address = urlsplit(client.server)
        context = ssl.create_default_context(cafile=str(self._plane.folder / "certs/ca.crt"))
        connection = http.client.HTTPSConnection(str(address.hostname), address.port, context=context, timeout=_LIMIT)
        headers = {"Authorization": f"Bearer {ADMIN}", "Accept": "application/json"}
        connection.request("GET", f"{ROOT}/workloads?watch=1&resourceVersion={version}", headers=headers)
        answer = connection.getresponse()
        while not self._over.is_set():
            event = json.loads(answer.readline())
            self._put(event["type"], event["object"])
        connection.close()

    def _put(self, kind: str, one: Object) -> None:
        assert kind in ("ADDED", "MODIFIED", "DELETED"), one
        meta = one["metadata"]
        with self._lock:
            held = self._objects.setdefault(meta["namespace"], {})
            if kind == "DELETED":
                held.pop(meta["uid"], None)
            else:
                held[meta["uid"]] = one

    def _sing(self, client: Client) -> None:
        send(client, "POST", making.path("Namespace", ""), {"metadata": {"name": CANARY}})
        for one in json.loads(json.dumps(making.queue(CANARY, 1000, cohort="")).replace("~-", "")):
            send(client, "POST", making.path(one["kind"], CANARY), one)
        number = 0
        while not self._over.is_set():
            number += 1
            name = f"{CANARY}-{number}"
            at = time.monotonic()
            send(client, "POST", making.path("Job", CANARY), making.job(name, CANARY, 0))
            while not any(one.startswith(f"job-{name}-") for one in self._admitted()):
                if self._over.wait(_POLL):
                    return
                assert time.monotonic() - at < _LIMIT, f"Kueue does not admit the canary within {_LIMIT:g} s"
            self._canary = at
            send(client, "DELETE", making.path("Job", CANARY, name), {"propagationPolicy": "Background"})
            self._over.wait(_PAUSE)

    def _admitted(self) -> list[str]:
        return has_condition(self.look(CANARY).workloads, "Admitted")
