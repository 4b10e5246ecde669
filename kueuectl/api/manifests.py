"""Manifests of objects that decide: checked as the API server and Kueue would, and put into a state.

An object that is there already gets the given spec whole; what the cluster keeps of it (status, uid, time of creation)
stays, and labels are added to. A new one is made at `now`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kueuectl.api import decoding, encode, wire
from kueuectl.api.decoding import Kind, Model
from kueuectl.api.faults import Fault
from kueuectl.api.pool import Pool
from kueuectl.api.validation import rules, schema
from kueuectl.errors import InputError
from kueuectl.model.conditions import Condition
from kueuectl.model.flavors import AdmissionCheck, Node
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import names as struct_names
from kueuectl.model.values import replace
from kueuectl.model.workloads import Workload

# Where the state has the objects of a kind.
FIELDS: Mapping[str, str] = {
    "ClusterQueue": "cluster_queues",
    "LocalQueue": "local_queues",
    "Cohort": "cohorts",
    "ResourceFlavor": "flavors",
    "Workload": "workloads",
    "AdmissionCheck": "admission_checks",
    "Topology": "topologies",
    "WorkloadPriorityClass": "workload_priority_classes",
    "PriorityClass": "priority_classes",
    "Namespace": "namespaces",
    "Node": "nodes",
    "LimitRange": "limit_ranges",
    "RuntimeClass": "runtime_classes",
}
# What the cluster keeps of an object, whatever a manifest says.
_KEPT = frozenset(
    {
        "uid",
        "creation",
        "generation",
        "resource_version",
        "deletion",
        "status",
        "weighted_share",
        "conditions",
        "admission",
        "requeue",
        "reclaimable_pods",
        "checks",
        "past_execution_seconds",
        "nominated_clusters",
        "cluster_name",
        "unhealthy_nodes",
        "evictions",
        "resource_requests",
        "owners",
        "is_ready",
    }
)
# A new object comes after all that are there, and new ones among each other in the order in which they were given.
_NEW_UID = "~new-{:06d}"
_MOST_SHOWN = 4


class Given(NamedTuple):
    """A manifest that was read and checked: its kind, its key in the state, and the object."""

    kind: str
    key: str
    model: Model
    source: str


class Checked(NamedTuple):
    """What was found out about a manifest: the object, or none where it can't be read, and what is wrong with it.

    `name` is for people, "Kind namespace/name"; `key` is "" where it can't be told.
    """

    name: str
    kind: str
    key: str
    model: Model | None
    source: str
    faults: tuple[Fault, ...] = ()
    hint: str = ""


def ignored(doc: Mapping[str, Any]) -> bool:
    """Whether no decision depends on objects of this kind."""
    kind = str(doc.get("kind") or "")
    return kind in decoding.IGNORED or kind in decoding.UNUSED_KUEUE


def check(doc: dict[str, Any], state: ClusterState, *, settings: Settings, source: str, namespace: str = "") -> Checked:
    """An object, and all that is wrong with it, also in the light of what is there; never raises for its contents.

    namespace: where an object belongs that does not say so itself.
    """
    doc = _placed(doc, namespace)
    header = wire.Header(api_version=_text(doc.get("apiVersion")), kind=_text(doc.get("kind")))
    name = decoding.name_of_doc(doc)
    try:
        kind = decoding.find_kind(header, source=source, name=lambda: name)
        if kind is None or kind is decoding.OWNER:
            return Checked(name, "", "", None, source, (Fault("kind", "is of a kind that is not looked at"),))
        key = _key_of_doc(doc, kind)
        found = _structure(doc) or rules.check(
            doc, _manifest_of(getattr(state, FIELDS[kind.name]).get(key)), settings=settings
        )
        if found:
            return Checked(name, kind.name, key, None, source, tuple(found))
        model, _, _ = decoding.decode_bytes(decoding.encode(doc, source=source), source=source, pool=Pool())
    except InputError as error:
        fault = Fault(error.path, error.problem)
        return Checked(name, header.kind or "", "", None, source, (fault,), hint=error.hint)
    assert model is not None
    return Checked(name, kind.name, key_of(model, kind), model, source)


def read(doc: dict[str, Any], state: ClusterState, *, settings: Settings, source: str, namespace: str = "") -> Given:
    """The object of a manifest, checked against what is there; raises InputError with source, object and field path.

    namespace: where an object belongs that does not say so itself.
    """
    found = check(doc, state, settings=settings, source=source, namespace=namespace)
    refuse(list(found.faults), source=source, obj=found.name, hint=found.hint)
    assert found.model is not None
    return Given(found.kind, found.key, found.model, source)


def _key_of_doc(doc: dict[str, Any], kind: Kind) -> str:
    """The key of an object that could not be read; "" where that can't be told either."""
    metadata = doc.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    name, namespace = _text(named.get("name")) or "", _text(named.get("namespace")) or "default"
    return f"{namespace}/{name}" if name and kind.is_namespaced else name


def _placed(doc: dict[str, Any], namespace: str) -> dict[str, Any]:
    metadata = doc.get("metadata")
    if not namespace or not isinstance(metadata, dict) or metadata.get("namespace"):
        return doc
    return {**doc, "metadata": {**metadata, "namespace": namespace}}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _structure(doc: dict[str, Any]) -> list[Fault]:
    version, kind = str(doc.get("apiVersion")), str(doc.get("kind"))
    found = rules.check_metadata(doc)
    if schema.known(version, kind):
        found += schema.check(doc)
    return found


def _manifest_of(old: Any) -> dict[str, Any] | None:
    if old is None or not isinstance(old, encode.Encodable):
        return None
    return encode.manifest(old)


def key_of(model: Model, kind: Kind) -> str:
    """The key that the state has an object under."""
    return f"{model.namespace}/{model.name}" if kind.is_namespaced else model.name  # type: ignore[union-attr]


def refuse(found: list[Fault], *, source: str, obj: str, hint: str = "") -> None:
    """Raise InputError for the first fault, with the others as hint; nothing happens without any."""
    if not found:
        return
    first, *rest = found
    others = "; ".join(f"{fault.path}: {fault.problem}" for fault in rest[:_MOST_SHOWN])
    more = f"; and {len(rest) - _MOST_SHOWN} more" if len(rest) > _MOST_SHOWN else ""
    hint = f"further: {others}{more}" if others else hint
    raise InputError(first.problem, source=source, obj=obj, path=first.path, hint=hint)


def put(state: ClusterState, given: Given, *, now: int) -> ClusterState:
    """The state with the object made or changed."""
    name = FIELDS[given.kind]
    held = getattr(state, name)
    old = held.get(given.key)
    model = _new(given.model, len(held), now) if old is None else _merged(given.model, old)
    return replace(state, **{name: {**held, given.key: model}})


def _merged(model: Any, old: Any) -> Model:
    names = {*struct_names(old)}
    kept = {name: getattr(old, name) for name in names & _KEPT}
    if "labels" in names:
        kept["labels"] = tuple(sorted({**dict(old.labels), **dict(model.labels)}.items()))
    if "allocatable" in names and not model.allocatable:
        kept["allocatable"] = old.allocatable
    merged: Model = replace(model, **kept)
    return merged


def _new(model: Any, number: int, now: int) -> Model:
    changes: dict[str, Any] = {}
    names = {*struct_names(model)}
    if "creation" in names:
        changes["creation"] = now
    if "uid" in names:
        changes["uid"] = _NEW_UID.format(number)
    if isinstance(model, AdmissionCheck):
        # Its controller sets it active; nobody would make one that stays dead.
        changes["conditions"] = (Condition("Active", "True", "Active", last_transition=now),)
    if isinstance(model, Node):
        changes["is_ready"] = True
    if isinstance(model, Workload):
        # The API server drops the status of what is created.
        changes |= {"conditions": (), "admission": None, "requeue": None, "reclaimable_pods": (), "checks": ()}
        changes["evictions"] = ()
    made: Model = replace(model, **changes)
    return made


def check_changed(before: ClusterState, after: ClusterState, *, settings: Settings, source: str) -> None:
    """Check all objects of ours that differ, as if their manifests had been sent; raises InputError."""
    for kind in ("ClusterQueue", "Cohort", "LocalQueue", "Workload"):
        old_ones, new_ones = getattr(before, FIELDS[kind]), getattr(after, FIELDS[kind])
        for key, model in new_ones.items():
            old = old_ones.get(key)
            if old is model or old == model:
                continue
            doc = encode.manifest(model)
            found = schema.check(doc) or rules.check(doc, _manifest_of(old), settings=settings)
            refuse(found, source=source, obj=f"{kind} {key}")


def refuse_cycles(before: ClusterState, after: ClusterState, *, sources: Mapping[str, str], source: str) -> None:
    """Raise InputError for a cycle of cohorts that is not there yet; `sources` says where cohorts were read from.

    `source` is what the others were changed by.
    """
    for name, cohort in after.cohorts.items():
        if cohort is before.cohorts.get(name):
            continue
        path = [name]
        while True:
            found = after.cohorts.get(path[-1])
            parent = found.parent if found is not None else None
            if not parent:
                break
            if parent in path:
                cycle = " -> ".join((*path[path.index(parent) :], parent))
                raise InputError(
                    f"cohorts form a cycle: {cycle}",
                    source=sources.get(name, source),
                    obj=f"Cohort {name}",
                    path="spec.parentName",
                    hint="take the parentName of one of them away",
                )
            path.append(parent)


def names_of(given: Iterable[Given]) -> dict[tuple[str, str], Given]:
    """Manifests by kind and key; raises InputError where two of one object differ."""
    found: dict[tuple[str, str], Given] = {}
    for entry in given:
        before = found.setdefault((entry.kind, entry.key), entry)
        if before.model != entry.model:
            where = f" (first in {before.source})" if before.source != entry.source else ""
            problem = f"comes twice with different contents{where}"
            raise InputError(problem, source=entry.source, obj=f"{entry.kind} {entry.key}")
    return found
