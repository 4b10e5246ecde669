"""Jobs of the kinds that Kueue manages, rendered to the Workloads that Kueue would make of them.

Rules (docs: Run workloads; KEP-420, partial admission; KEP-976, plain pods; Workload Priority Class):

1. Queue: the label kueue.x-k8s.io/queue-name; without it the queue that the caller names; without that a LocalQueue
   called `default` in the namespace (KEP-2936). Without any Kueue does not manage the job.
2. Priority: the WorkloadPriorityClass of the label kueue.x-k8s.io/priority-class, or the one that the caller names,
   which must exist; else the PriorityClass of the job or of its first pod set that names one; else the global default;
   else 0.
3. Pod sets, counts and topology requests by kind: see `job_pods`.
4. The annotation that gates admission is copied, and the label with the run time limit becomes the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kueuectl.api import job_pods
from kueuectl.api.encode import V1BETA2
from kueuectl.api.job_pods import Doc, Rendering
from kueuectl.api.manifests import refuse
from kueuectl.api.validation import rules, schema
from kueuectl.errors import InputError
from kueuectl.model.state import ClusterState

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
MAX_TIME_LABEL = "kueue.x-k8s.io/max-exec-time-seconds"
GATED_BY = "kueue.x-k8s.io/admission-gated-by"
DEFAULT_QUEUE = "default"
DEFAULT_NAMESPACE = "default"
_GROUP = "kueue.x-k8s.io"


class Defaults(NamedTuple):
    """What counts where a job does not say it: "" for nothing."""

    queue: str = ""
    priority_class: str = ""
    namespace: str = ""


class Rendered(NamedTuple):
    """A Workload as a manifest, what it was made of, and what was assumed (plain sentences)."""

    doc: dict[str, Any]
    job: str
    source: str
    notes: tuple[str, ...] = ()


def is_job(doc: Mapping[str, Any]) -> bool:
    """Whether Kueue makes Workloads of objects of this kind."""
    return _kind(doc) in job_pods.RENDERINGS


def _kind(doc: Mapping[str, Any]) -> tuple[str, str]:
    group = str(doc.get("apiVersion") or "").rpartition("/")[0]
    return group, str(doc.get("kind") or "")


def known_kinds() -> tuple[str, ...]:
    """Kinds that can be rendered, sorted."""
    return tuple(sorted(kind for _, kind in job_pods.RENDERINGS))


def render(docs: Iterable[tuple[str, Doc]], state: ClusterState, *, defaults: Defaults) -> list[Rendered]:
    """The Workloads of (source, job) pairs, pods of one group together. Raises InputError with the field path."""
    found: list[Rendered] = []
    groups: dict[tuple[str, str], list[tuple[str, Doc]]] = {}
    for source, doc in docs:
        group = job_pods.pod_group(doc)
        if group:
            groups.setdefault((_namespace(doc, defaults), group), []).append((source, doc))
        else:
            found += _render(doc, [doc], state, source=source, defaults=defaults)
    for members in groups.values():
        source, first = members[0]
        found += _render(first, [doc for _, doc in members], state, source=source, defaults=defaults)
    return found


def _namespace(doc: Doc, defaults: Defaults) -> str:
    return str(_metadata(doc).get("namespace") or defaults.namespace or DEFAULT_NAMESPACE)


def _metadata(doc: Doc) -> dict[str, Any]:
    found = doc.get("metadata")
    return found if isinstance(found, dict) else {}


def _map(owner: Doc, name: str) -> dict[str, Any]:
    found = owner.get(name)
    return found if isinstance(found, dict) else {}


def _render(doc: Doc, members: list[Doc], state: ClusterState, *, source: str, defaults: Defaults) -> list[Rendered]:
    kind = str(doc.get("kind"))
    metadata = _metadata(doc)
    name = str(metadata.get("name") or "")
    if not name and metadata.get("generateName"):
        name = f"{metadata['generateName']}xxxxx"
    namespace = _namespace(doc, defaults)
    job = f"{kind} {namespace}/{name}"
    refuse(rules.check_metadata(doc), source=source, obj=job)
    if not name:
        raise InputError("has no name", source=source, obj=job, path="metadata.name")
    rendering = job_pods.RENDERINGS.get(_kind(doc))
    if rendering is None:
        known = ", ".join(known_kinds())
        raise InputError("can't be rendered to a Workload", source=source, obj=job, path="kind", hint=f"known: {known}")
    for member in members:
        if schema.known(str(member.get("apiVersion")), kind):
            refuse(schema.check(member), source=source, obj=job)
    try:
        parts = rendering.pods(members)
        common, notes = _common(doc, state, namespace, rendering=rendering, parts=parts, defaults=defaults)
    except InputError as error:
        raise InputError(error.problem, source=source, obj=job, path=error.path, hint=error.hint) from error
    return [
        Rendered(
            {
                "apiVersion": V1BETA2,
                "kind": "Workload",
                "metadata": {
                    "name": job_pods.pod_group(doc) or f"{kind.lower()}-{name}{part.suffix}"[:253],
                    "namespace": namespace,
                    **({"annotations": common["annotations"]} if common["annotations"] else {}),
                },
                "spec": {**common["spec"], "podSets": part.pod_sets},
            },
            job,
            source,
            (*notes, *part.notes),
        )
        for part in parts
    ]


def _common(
    doc: Doc,
    state: ClusterState,
    namespace: str,
    *,
    rendering: Rendering,
    parts: list[job_pods.Part],
    defaults: Defaults,
) -> tuple[dict[str, Any], list[str]]:
    """What all Workloads of a job have alike, and what was assumed for it."""
    labels, annotations = _map(_metadata(doc), "labels"), _map(_metadata(doc), "annotations")
    notes: list[str] = []
    spec: dict[str, Any] = {"queueName": _queue(labels, state, namespace, defaults=defaults, notes=notes)}
    spec |= _priority(doc, state, rendering=rendering, parts=parts, given=defaults.priority_class, notes=notes)
    limit = labels.get(MAX_TIME_LABEL)
    if limit is not None:
        if not str(limit).isdecimal() or not 0 < int(limit) < 2**31:
            raise InputError(
                path=f"metadata.labels[{MAX_TIME_LABEL}]", problem=f"{str(limit)[:60]!r} is not a number of seconds"
            )
        spec["maximumExecutionTimeSeconds"] = int(limit)
    copied = {GATED_BY: annotations[GATED_BY]} if annotations.get(GATED_BY) else {}
    return {"spec": spec, "annotations": copied}, notes


def _queue(labels: Doc, state: ClusterState, namespace: str, *, defaults: Defaults, notes: list[str]) -> str:
    """Rule 1."""
    named = labels.get(QUEUE_LABEL)
    if named:
        return str(named)
    if defaults.queue:
        return defaults.queue
    if f"{namespace}/{DEFAULT_QUEUE}" in state.local_queues:
        notes.append(f"it names no queue: LocalQueue {DEFAULT_QUEUE} of namespace {namespace} takes it in")
        return DEFAULT_QUEUE
    raise InputError(
        path=f"metadata.labels[{QUEUE_LABEL}]",
        problem="names no queue, so Kueue would not manage it",
        hint="give --queue",
    )


def _priority(
    doc: Doc,
    state: ClusterState,
    *,
    rendering: Rendering,
    parts: list[job_pods.Part],
    given: str,
    notes: list[str],
) -> dict[str, Any]:
    """Rule 2."""
    labels = _map(_metadata(doc), "labels")
    own = str(labels.get(PRIORITY_LABEL) or given or "")
    if own:
        found = state.workload_priority_classes.get(own)
        if found is None:
            path = f"metadata.labels[{PRIORITY_LABEL}]"
            raise InputError(
                path=path, problem=f"there is no WorkloadPriorityClass {own[:60]!r}, so Kueue could not make a Workload"
            )
        ref = {"group": _GROUP, "kind": "WorkloadPriorityClass", "name": own}
        return {"priority": found.value, "priorityClassRef": ref}
    pods = rendering.priority_class(doc) or next(filter(None, (part.priority_class for part in parts)), "")
    if pods and pods not in state.priority_classes:
        notes.append(f"PriorityClass {pods} was not read: priority 0 is assumed")
        return {"priority": 0}
    if not pods:
        ranked = sorted((entry for entry in state.priority_classes.values() if entry.is_default), key=lambda e: e.value)
        if not ranked:
            return {"priority": 0}
        pods = ranked[-1].name
    ref = {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": pods}
    return {"priority": state.priority_classes[pods].value, "priorityClassRef": ref}
