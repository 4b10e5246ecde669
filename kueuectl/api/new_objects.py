"""Manifests of objects that are made from flags, as the API takes them, and checked as it would check them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kueuectl.api import manifests, validate
from kueuectl.api.faults import Fault
from kueuectl.api.validation import rules, schema
from kueuectl.errors import UsageError

GROUP = "kueue.x-k8s.io"
CURRENT = "v1beta2"
NEVER = "Never"
BEST_EFFORT = "BestEffortFIFO"
_NAME = "is not a name: lower case letters and digits with '-' and '.' between them, at most 253"
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")

Item = dict[str, Any]


def cluster_queue(
    name: str,
    *,
    cohort: str = "",
    strategy: str = "",
    namespaces: dict[str, str] | None = None,
    reclaim: str = "",
    within: str = "",
    groups: Sequence[Item] = (),
) -> Item:
    """A ClusterQueue; without `namespaces` it takes workloads of all."""
    spec: Item = {"cohortName": cohort} if cohort else {}
    spec["namespaceSelector"] = {"matchLabels": namespaces} if namespaces else {}
    spec["preemption"] = {"reclaimWithinCohort": reclaim or NEVER, "withinClusterQueue": within or NEVER}
    spec["queueingStrategy"] = strategy or BEST_EFFORT
    if groups:
        spec["resourceGroups"] = list(groups)
    return _object("ClusterQueue", name, spec)


def cohort(name: str, *, parent: str = "", weight: str = "", groups: Sequence[Item] = ()) -> Item:
    """A Cohort; `weight` is a quantity."""
    spec: Item = {"parentName": parent} if parent else {}
    if groups:
        spec["resourceGroups"] = list(groups)
    if weight:
        spec["fairSharing"] = {"weight": weight}
    return _object("Cohort", name, spec)


def local_queue(name: str, *, namespace: str, cluster_queue: str) -> Item:
    """A LocalQueue that leads to a ClusterQueue."""
    made = _object("LocalQueue", name, {"clusterQueue": cluster_queue})
    made["metadata"]["namespace"] = namespace
    return made


def resource_flavor(
    name: str, *, labels: dict[str, str] | None = None, taints: Sequence[Item] = (), tolerations: Sequence[Item] = ()
) -> Item:
    """A ResourceFlavor."""
    spec: Item = {"nodeLabels": labels} if labels else {}
    if taints:
        spec["nodeTaints"] = list(taints)
    if tolerations:
        spec["tolerations"] = list(tolerations)
    return _object("ResourceFlavor", name, spec)


def _object(kind: str, name: str, spec: Item) -> Item:
    return {"apiVersion": f"{GROUP}/{CURRENT}", "kind": kind, "metadata": {"name": name}, "spec": spec}


def in_version(item: Item, version: str) -> Item:
    """The manifest in another served version of the API."""
    if version == CURRENT:
        return item
    spec = dict(item["spec"])
    if item["kind"] == "ClusterQueue" and "cohortName" in spec:
        spec["cohort"] = spec.pop("cohortName")
    if item["kind"] == "Cohort" and "parentName" in spec and version == "v1alpha1":
        spec["parent"] = spec.pop("parentName")
    return {**item, "apiVersion": f"{GROUP}/{version}", "spec": spec}


def check(item: Item, old: Item | None = None) -> None:
    """Raise InputError for what the API server or Kueue would refuse, as far as that is known here."""
    metadata = item.get("metadata") or {}
    where = f"{metadata['namespace']}/{metadata.get('name')}" if metadata.get("namespace") else metadata.get("name")
    found = rules.check_metadata(item)
    if not validate.is_subdomain(str(metadata.get("name") or "")):
        found.insert(0, Fault("metadata.name", _NAME))
    if schema.known(str(item.get("apiVersion")), str(item.get("kind"))):
        found = found or schema.check(item) or rules.check(item, old)
    manifests.refuse(found, source="", obj=f"{item.get('kind')} {where}")


def pairs(values: Sequence[str], *, flag: str) -> dict[str, str]:
    """The map of `KEY=VALUE[,KEY=VALUE]...` values; the last one of a key counts. Raises UsageError."""
    found: dict[str, str] = {}
    for part in _parts(values):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise UsageError(f'invalid argument "{part}" for "{flag}" flag: {part} must be formatted as key=value')
        found[key] = value
    return found


def taints(values: Sequence[str]) -> list[Item]:
    """Taints of `KEY[=VALUE]:EFFECT[,...]` values; raises UsageError."""
    found: list[Item] = []
    for part in _parts(values):
        head, colon, effect = part.partition(":")
        key, equals, value = head.partition("=")
        if not colon or not key or "=" in value or ":" in effect:
            raise UsageError(f"invalid taint spec: {part}", hint="write it as KEY=VALUE:EFFECT or KEY:EFFECT")
        made = {"key": key} | ({"value": value} if equals and value else {}) | {"effect": _effect(effect)}
        if any((made["key"], made["effect"]) == (other["key"], other["effect"]) for other in found):
            raise UsageError(f"duplicated taints with the same key and effect: {part}")
        found.append(made)
    return found


def tolerations(values: Sequence[str]) -> list[Item]:
    """Tolerations of `KEY[=VALUE][:EFFECT][,...]` values, or `:EFFECT` for every taint of it; raises UsageError."""
    found: list[Item] = []
    for part in _parts(values):
        head, _, effect = part.partition(":")
        key, equals, value = head.partition("=")
        if "=" in value or ":" in effect or (equals and not key):
            hint = "write it as KEY=VALUE:EFFECT, KEY:EFFECT, KEY=VALUE, KEY or :EFFECT"
            raise UsageError(f"invalid toleration spec: {part}", hint=hint)
        made = {"key": key} if key else {}
        made |= {"operator": "Equal", "value": value} if value else {"operator": "Exists"}
        if effect:
            made["effect"] = _effect(effect)
        found.append(made)
    return found


def _parts(values: Sequence[str]) -> list[str]:
    return [part for part in (part.strip() for value in values for part in value.split(",")) if part]


def _effect(word: str) -> str:
    if word not in _EFFECTS:
        raise UsageError(
            f"invalid taint effect: {word}, unsupported taint effect", hint=f"use one of: {', '.join(_EFFECTS)}"
        )
    return word
