"""Names for the completion of a command line: from the dumps it names, or from the cluster, quickly or not at all."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from kueuectl.cli.frame import kinds
from kueuectl.cli.frame.environment import Environment
from kueuectl.cli.frame.flags import GLOBAL_FLAGS, KUEUE_OBJECT, OBJECT
from kueuectl.cli.frame.kinds import Kind
from kueuectl.cli.frame.run import Run

# A shell waits for this, and for the start of the program: two seconds in all are the most that anybody should wait.
SECONDS = 1.6
_REQUEST_TIMEOUT = "1.5s"
# More than anybody reads, and few enough for every shell.
_MOST = 500

_KINDS = {
    "ADMISSIONCHECK": kinds.ADMISSION_CHECK,
    "CLUSTERQUEUE": kinds.CLUSTER_QUEUE,
    "COHORT": kinds.COHORT,
    "LOCALQUEUE": kinds.LOCAL_QUEUE,
    "NAMESPACE": Kind("Namespace", "namespaces", "", is_namespaced=False),
    "RESOURCEFLAVOR": kinds.RESOURCE_FLAVOR,
    "TOPOLOGY": kinds.TOPOLOGY,
    "WORKLOAD": kinds.WORKLOAD,
    "WORKLOADPRIORITYCLASS": kinds.WORKLOAD_PRIORITY_CLASS,
}


def candidates(
    metavar: str, start: str, *, given: Sequence[tuple[str, str]], places: Sequence[str]
) -> list[tuple[str, str]]:
    """(word, description) pairs for a value that starts so. Silent and empty whatever goes wrong, or takes too long."""
    found: list[str] = []
    run = _run(given)

    def look() -> None:
        found.extend(_found(run, metavar, start, places=places))

    # Whatever ends the thread ends in silence: completion must never disturb the command line that is being typed.
    told, threading.excepthook = threading.excepthook, lambda failure: None
    worker = threading.Thread(target=look, daemon=True)
    worker.start()
    worker.join(SECONDS)
    if not worker.is_alive():
        threading.excepthook = told
    taken = set(places)
    return [(name, "") for name in found[:_MOST] if name.startswith(start) and name.isprintable() and name not in taken]


def _run(given: Sequence[tuple[str, str]]) -> Run:
    """A run with the global flags of the unfinished command line, and nowhere to write to."""
    sink = io.StringIO()
    run = Run(Environment(stdin=io.StringIO(), stdout=sink, stderr=sink, variables=os.environ))
    by_name = {name: flag for flag in GLOBAL_FLAGS for name in flag.names}
    for name, value in given:
        flag = by_name.get(name)
        if flag is not None and flag.is_repeated:
            getattr(run.flags, flag.field).append(value)
        elif flag is not None and not flag.is_switch:
            setattr(run.flags, flag.field, value)
    run.flags.request_timeout = run.flags.request_timeout or _REQUEST_TIMEOUT
    return run


def _found(run: Run, metavar: str, start: str, *, places: Sequence[str]) -> Iterable[str]:
    if metavar == "PATH":
        from kueuectl.store.examples import names

        return [f"example:{name}" for name in names()]
    if metavar in (OBJECT, KUEUE_OBJECT):
        return _objects(run, start, places)
    if metavar == "CONTEXT":
        from kueuectl.cli.frame import connecting
        from kueuectl.cluster import kubeconfig

        return sorted(kubeconfig.contexts(connecting.options(run)))
    return sorted(set(_names(run, _KINDS[metavar])))


def _objects(run: Run, start: str, places: Sequence[str]) -> Iterable[str]:
    """Names behind a kind: `TYPE/` is kept in front where it is part of the word."""
    word, slash, _ = start.partition("/")
    kind = kinds.find(word if slash else places[0])
    if kind is None:
        return []
    return [f"{word}/{name}" if slash else name for name in sorted(set(_names(run, kind)))]


def _names(run: Run, kind: Kind) -> Iterable[str]:
    if not run.is_offline:
        return _served(run, kind)
    from kueuectl.cli.frame import loading

    if kind.name == "Cohort":
        state = loading.load(run, kind).state
        return [*state.cohorts, *(queue.cohort for queue in state.cluster_queues.values() if queue.cohort)]
    namespace = loading.namespace(run) if kind.is_namespaced else None
    items: Iterable[Any] = loading.raw(run, kind, namespace=namespace)
    if kind.name == "Namespace":
        state = loading.load(run, kind).state
        return [*state.namespaces, *(workload.namespace for workload in state.workloads.values())]
    return [str(item["metadata"]["name"]) for item in items]


def _served(run: Run, kind: Kind) -> Iterable[str]:
    """Names on a cluster, and the cohorts that ClusterQueues name without there being an object."""
    from kueuectl.cli.frame import connecting
    from kueuectl.cluster import named

    client = connecting.client(run)
    inside = ""
    if kind.is_namespaced and not run.flags.all_namespaces:
        inside = run.flags.namespace or connecting.current_namespace(run)
    found = named.names(client, kind, namespace=inside, most=_MOST)
    if kind.name == "Cohort":
        found += named.column(client, kinds.CLUSTER_QUEUE, "Cohort", most=_MOST)
    return found
