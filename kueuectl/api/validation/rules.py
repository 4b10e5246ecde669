"""Rules between fields, as the API and Kueue's webhooks have them, and fields that can't change.

The objects have passed the schema, so that their types are right; missing fields have their defaults. `old` is the
object that is there already, None for a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kueuectl import quantity
from kueuectl.api import faults
from kueuectl.api.faults import Fault
from kueuectl.api.validation import names
from kueuectl.model.settings import Settings

Doc = Mapping[str, Any]
Rule = Callable[[Doc, Doc | None, Settings], Iterator[Fault]]

_MAX_FLAVORS = 256
_HOSTNAME = "kubernetes.io/hostname"
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_MAX_CONCURRENT_FLAVORS = 16
_IMMUTABLE = "can't be changed once it is set"


def check(doc: Doc, old: Doc | None = None, *, settings: Settings | None = None) -> list[Fault]:
    """What is wrong with an object whose fields are of the right types; empty for kinds without rules."""
    rule = _RULES.get(str(doc.get("kind")))
    return [] if rule is None else list(rule(doc, old, settings or Settings()))


def _spec(doc: Doc | None) -> dict[str, Any]:
    found = (doc or {}).get("spec")
    return found if isinstance(found, dict) else {}


def _block(spec: Doc, name: str) -> dict[str, Any]:
    found = spec.get(name)
    return found if isinstance(found, dict) else {}


def _list(spec: Doc, name: str) -> list[Any]:
    found = spec.get(name)
    return found if isinstance(found, list) else []


def _cluster_queue(doc: Doc, old: Doc | None, settings: Settings) -> Iterator[Fault]:
    spec = _spec(doc)
    cohort = spec.get("cohortName") or spec.get("cohort")
    yield from _groups(spec, in_cohort=bool(cohort), word="cohort", lends_all=False)
    yield from _weight(spec)
    yield from _selector(spec.get("namespaceSelector"), "spec.namespaceSelector")
    yield from _preemption(_block(spec, "preemption"))
    yield from _fungibility(_block(spec, "flavorFungibility"))
    flavors = [row["name"] for group in _list(spec, "resourceGroups") for row in group["flavors"]]
    for index, check in enumerate(_list(_block(spec, "admissionChecksStrategy"), "admissionChecks")):
        for number, flavor in enumerate(_list(check, "onFlavors")):
            if flavor not in flavors:
                path = f"spec.admissionChecksStrategy.admissionChecks[{index}].onFlavors[{number}]"
                yield Fault(path, f"{flavor!r} is no flavor of this ClusterQueue")
    if settings.gate("ConcurrentAdmission"):
        yield from _concurrent(spec, _spec(old) if old is not None else None)


def _concurrent(spec: Doc, old: Doc | None) -> Iterator[Fault]:
    """docs: Concurrent Admission, Constraints."""
    path = "spec.concurrentAdmissionPolicy"
    policy = spec.get("concurrentAdmissionPolicy")
    if old is not None and (policy or None) != (old.get("concurrentAdmissionPolicy") or None):
        yield Fault(path, _IMMUTABLE)
    if not policy:
        return
    if spec.get("queueingStrategy") == "StrictFIFO":
        yield Fault(path, "needs queueingStrategy BestEffortFIFO")
    groups = _list(spec, "resourceGroups")
    if len(groups) != 1:
        yield Fault(path, "needs exactly one resource group")
    elif len(groups[0]["flavors"]) > _MAX_CONCURRENT_FLAVORS:
        yield Fault(path, f"allows at most {_MAX_CONCURRENT_FLAVORS} flavors")


def _cohort(doc: Doc, old: Doc | None, _: Settings) -> Iterator[Fault]:
    spec = _spec(doc)
    parent = spec.get("parentName") or spec.get("parent")
    yield from _groups(spec, in_cohort=bool(parent), word="parent", lends_all=True)
    yield from _weight(spec)
    if parent and parent == _block(doc, "metadata").get("name"):
        yield Fault("spec.parentName", "a cohort can't be its own parent")


def _groups(spec: Doc, *, in_cohort: bool, word: str, lends_all: bool) -> Iterator[Fault]:
    flavors: set[str] = set()
    resources: set[str] = set()
    groups = _list(spec, "resourceGroups")
    for index, group in enumerate(groups):
        path = f"spec.resourceGroups[{index}]"
        for number, name in enumerate(group["coveredResources"]):
            problem = names.key_problem(name)
            if problem:
                yield Fault(f"{path}.coveredResources[{number}]", problem)
            if name in resources:
                yield Fault(f"{path}.coveredResources[{number}]", f"{name!r} is covered twice")
            resources.add(name)
        for number, row in enumerate(group["flavors"]):
            where = f"{path}.flavors[{number}]"
            if row["name"] in flavors:
                yield Fault(
                    f"{where}.name", f"{row['name']!r} is there twice: a flavor can be in one resource group only"
                )
            flavors.add(row["name"])
            yield from _covered(group["coveredResources"], row["resources"], where)
            for place, entry in enumerate(row["resources"]):
                at = f"{where}.resources[{place}]"
                yield from _quota(entry, at, in_cohort=in_cohort, word=word, lends_all=lends_all)
    yield from _sizes(groups)


def _sizes(groups: list[Any]) -> Iterator[Fault]:
    for name, words in (("flavors", "flavors"), ("coveredResources", "covered resources")):
        total = sum(len(group[name]) for group in groups)
        if total > _MAX_FLAVORS:
            yield Fault("spec.resourceGroups", f"has {total} {words} in all groups, at most {_MAX_FLAVORS} are allowed")


def _covered(covered: list[str], resources: list[Any], path: str) -> Iterator[Fault]:
    if len(resources) != len(covered):
        yield Fault(f"{path}.resources", f"has {len(resources)} resources, not the {len(covered)} of coveredResources")
        return
    for index, (wanted, entry) in enumerate(zip(covered, resources, strict=True)):
        if entry["name"] != wanted:
            problem = f"{entry['name']!r} has to be {wanted!r}: resources come in the order of coveredResources"
            yield Fault(f"{path}.resources[{index}].name", problem)


def _quota(entry: Doc, path: str, *, in_cohort: bool, word: str, lends_all: bool) -> Iterator[Fault]:
    for name in ("nominalQuota", "borrowingLimit", "lendingLimit"):
        value = entry.get(name)
        if value is None:
            continue
        if _nano(value) < 0:
            yield Fault(f"{path}.{name}", f"{value} is negative")
        if name != "nominalQuota" and not in_cohort:
            yield Fault(f"{path}.{name}", f"can't be set without a {word}")
    lending, nominal = entry.get("lendingLimit"), entry.get("nominalQuota")
    if not lends_all and in_cohort and lending is not None and _nano(lending) > _nano(nominal or 0):
        yield Fault(f"{path}.lendingLimit", f"{lending} is more than the nominal quota {nominal}")


def _nano(value: Any) -> int:
    return quantity.parse(str(value))


def _weight(spec: Doc) -> Iterator[Fault]:
    value = _block(spec, "fairSharing").get("weight")
    if value is None:
        return
    nano = _nano(value)
    if nano < 0:
        yield Fault("spec.fairSharing.weight", f"{value} is negative")
    elif nano == 1:
        yield Fault("spec.fairSharing.weight", f"{value} is too small: use 0, or more than 1n")


def _preemption(policies: Doc) -> Iterator[Fault]:
    borrow = _block(policies, "borrowWithinCohort").get("policy") or "Never"
    reclaim = policies.get("reclaimWithinCohort") or "Never"
    if reclaim == "Never" and borrow != "Never":
        problem = f"{borrow} needs reclaimWithinCohort other than Never"
        yield Fault("spec.preemption.borrowWithinCohort.policy", problem)


def _fungibility(found: Doc) -> Iterator[Fault]:
    borrow = found.get("whenCanBorrow") or "MayStopSearch"
    preempt = found.get("whenCanPreempt") or "TryNextFlavor"
    if found.get("preference") and (borrow, preempt) != ("TryNextFlavor", "TryNextFlavor"):
        problem = "can only be set when whenCanBorrow and whenCanPreempt are TryNextFlavor"
        yield Fault("spec.flavorFungibility.preference", problem)


def _selector(found: Any, path: str) -> Iterator[Fault]:
    if not isinstance(found, dict):
        return
    yield from _labels(found.get("matchLabels"), f"{path}.matchLabels")
    for index, entry in enumerate(_list(found, "matchExpressions")):
        where = f"{path}.matchExpressions[{index}]"
        operator, values = entry.get("operator"), _list(entry, "values")
        if operator not in ("In", "NotIn", "Exists", "DoesNotExist"):
            yield Fault(f"{where}.operator", f"{str(operator)[:60]!r} is none of In, NotIn, Exists, DoesNotExist")
        elif operator in ("In", "NotIn") and not values:
            yield Fault(f"{where}.values", f"{operator} needs values")
        elif operator in ("Exists", "DoesNotExist") and values:
            yield Fault(f"{where}.values", f"{operator} takes no values")
        problem = names.key_problem(str(entry.get("key") or ""))
        if problem:
            yield Fault(f"{where}.key", problem)
        for number, value in enumerate(values):
            problem = names.value_problem(str(value))
            if problem:
                yield Fault(f"{where}.values[{number}]", problem)


def _labels(found: Any, path: str) -> Iterator[Fault]:
    for key, value in (found if isinstance(found, dict) else {}).items():
        for problem in (names.key_problem(str(key)), names.value_problem(str(value or ""))):
            if problem:
                yield Fault(path, problem)


def _resource_flavor(doc: Doc, old: Doc | None, _: Settings) -> Iterator[Fault]:
    spec = _spec(doc)
    yield from _labels(spec.get("nodeLabels"), "spec.nodeLabels")
    yield from _taints(_list(spec, "nodeTaints"))
    yield from _tolerations(_list(spec, "tolerations"), "spec.tolerations")
    topology, before = spec.get("topologyName"), _spec(old).get("topologyName")
    if topology and not spec.get("nodeLabels"):
        yield Fault("spec.nodeLabels", "at least one is needed with topologyName")
    if before and topology != before:
        yield Fault("spec.topologyName", _IMMUTABLE)


def _taints(taints: list[Any]) -> Iterator[Fault]:
    seen = set()
    for index, taint in enumerate(taints):
        path = f"spec.nodeTaints[{index}]"
        if taint["effect"] not in _EFFECTS:
            yield Fault(f"{path}.effect", f"{taint['effect'][:60]!r} is none of {', '.join(_EFFECTS)}")
        for name, problem in (
            ("key", names.key_problem(taint["key"])),
            ("value", names.value_problem(taint.get("value") or "")),
        ):
            if problem:
                yield Fault(f"{path}.{name}", problem)
        if (taint["key"], taint["effect"]) in seen:
            yield Fault(path, "a taint with this key and effect is there already")
        seen.add((taint["key"], taint["effect"]))


def _tolerations(tolerations: list[Any], path: str) -> Iterator[Fault]:
    for index, entry in enumerate(tolerations):
        where = f"{path}[{index}]"
        operator = entry.get("operator") or "Equal"
        if operator not in ("Equal", "Exists"):
            yield Fault(f"{where}.operator", f"{operator[:60]!r} is none of Equal, Exists")
        if not entry.get("key") and operator != "Exists":
            yield Fault(f"{where}.operator", "has to be Exists when there is no key")
        if operator == "Exists" and entry.get("value"):
            yield Fault(f"{where}.value", "has to be empty when the operator is Exists")
        if entry.get("tolerationSeconds") is not None and entry.get("effect") != "NoExecute":
            yield Fault(f"{where}.effect", "has to be NoExecute when tolerationSeconds is set")
        if entry.get("effect") and entry["effect"] not in _EFFECTS:
            yield Fault(f"{where}.effect", f"{entry['effect'][:60]!r} is none of {', '.join(_EFFECTS)}")
        problem = names.key_problem(entry["key"]) if entry.get("key") else ""
        if problem:
            yield Fault(f"{where}.key", problem)


def _topology(doc: Doc, old: Doc | None, _: Settings) -> Iterator[Fault]:
    levels = [level["nodeLabel"] for level in _list(_spec(doc), "levels")]
    before = [level["nodeLabel"] for level in _list(_spec(old), "levels")]
    for index, label in enumerate(levels):
        if label in levels[:index]:
            yield Fault(f"spec.levels[{index}].nodeLabel", f"{label!r} is there twice")
        if label == _HOSTNAME and index != len(levels) - 1:
            yield Fault(f"spec.levels[{index}].nodeLabel", f"{_HOSTNAME} can only be the lowest level")
    if before and levels != before and not (levels[-1:] == before[-1:] == [_HOSTNAME]):
        yield Fault("spec.levels", f"can't be changed unless {_HOSTNAME} is the lowest level before and after")


def _local_queue(doc: Doc, old: Doc | None, _: Settings) -> Iterator[Fault]:
    before = _spec(old).get("clusterQueue")
    if before and _spec(doc).get("clusterQueue") != before:
        yield Fault("spec.clusterQueue", _IMMUTABLE)


def _admission_check(doc: Doc, old: Doc | None, _: Settings) -> Iterator[Fault]:
    before = _spec(old).get("controllerName")
    if before and _spec(doc).get("controllerName") != before:
        yield Fault("spec.controllerName", _IMMUTABLE)


def _workload(doc: Doc, old: Doc | None, _: Settings) -> Iterator[Fault]:
    spec = _spec(doc)
    ref = spec.get("priorityClassRef")
    if ref is not None and spec.get("priority") is None:
        yield Fault("spec.priority", "is required with priorityClassRef")
    if ref is not None and (ref.get("group"), ref.get("kind")) not in (
        ("kueue.x-k8s.io", "WorkloadPriorityClass"),
        ("scheduling.k8s.io", "PriorityClass"),
    ):
        yield Fault("spec.priorityClassRef.kind", f"{ref.get('kind')} does not belong to group {ref.get('group')}")
    pod_sets = _list(spec, "podSets")
    if sum(pod_set.get("minCount") is not None for pod_set in pod_sets) > 1:
        yield Fault("spec.podSets", "at most one pod set can have a minCount")
    for index, pod_set in enumerate(pod_sets):
        yield from _pod_set(pod_set, f"spec.podSets[{index}]")
    if old is not None:
        yield from _reserved(spec, old)


def _pod_set(pod_set: Doc, path: str) -> Iterator[Fault]:
    count, least = pod_set.get("count"), pod_set.get("minCount")
    count = 1 if count is None else count
    if least is not None and least > count:
        yield Fault(f"{path}.minCount", f"{least} is more than the count {count}")
    request = _block(pod_set, "topologyRequest")
    sliced, size = request.get("podSetSliceRequiredTopology"), request.get("podSetSliceSize")
    if sliced is not None and size is None:
        yield Fault(f"{path}.topologyRequest.podSetSliceSize", "is required with podSetSliceRequiredTopology")
    if sliced is None and size is not None:
        yield Fault(f"{path}.topologyRequest.podSetSliceSize", "needs podSetSliceRequiredTopology")
    template = _block(_block(pod_set, "template"), "spec")
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(_list(template, kind)):
            where = f"{path}.template.spec.{kind}[{index}].resources.requests"
            yield from _requests(_block(_block(container, "resources"), "requests"), where)


def _requests(requests: Doc, path: str) -> Iterator[Fault]:
    for name, value in requests.items():
        if name == "pods":
            yield Fault(f"{path}[pods]", "Kueue counts pods itself")
        elif value is not None and _nano(value) < 0:
            yield Fault(f"{path}[{name[:60]}]", f"{value} is negative")


def _reserved(spec: Doc, old: Doc) -> Iterator[Fault]:
    """What can't change while the workload holds quota."""
    before = _spec(old)
    conditions = {entry.get("type"): entry.get("status") for entry in _list(_block(old, "status"), "conditions")}
    if conditions.get("QuotaReserved") != "True":
        return
    held = "can't be changed while quota is reserved"
    if (spec.get("queueName") or "") != (before.get("queueName") or ""):
        yield Fault("spec.queueName", held)
    if _counts(spec) != _counts(before):
        yield Fault("spec.podSets", held)
    one, other = _block(spec, "priorityClassRef"), _block(before, "priorityClassRef")
    is_own = one.get("kind") == "WorkloadPriorityClass"
    for name in ("group", "kind", "name"):
        if one.get(name) != other.get(name) and not (name == "name" and is_own and other):
            yield Fault(f"spec.priorityClassRef.{name}" if one and other else "spec.priorityClassRef", held)
            break
    limits = (spec.get("maximumExecutionTimeSeconds") or 0, before.get("maximumExecutionTimeSeconds") or 0)
    if conditions.get("Admitted") == "True" and limits[0] != limits[1]:
        yield Fault("spec.maximumExecutionTimeSeconds", held)


def _counts(spec: Doc) -> list[tuple[Any, ...]]:
    """What can be compared of pod sets: the state does not keep whole templates."""
    return [
        (
            pod_set.get("name") or "main",
            1 if pod_set.get("count") is None else pod_set["count"],
            pod_set.get("minCount"),
        )
        for pod_set in _list(spec, "podSets")
    ]


_RULES: Mapping[str, Rule] = {
    "AdmissionCheck": _admission_check,
    "ClusterQueue": _cluster_queue,
    "Cohort": _cohort,
    "LocalQueue": _local_queue,
    "ResourceFlavor": _resource_flavor,
    "Topology": _topology,
    "Workload": _workload,
}

# Fields of metadata that an object may be sent with.
_META = frozenset(
    {
        "annotations",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generateName",
        "generation",
        "labels",
        "managedFields",
        "name",
        "namespace",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)


def check_metadata(doc: Doc) -> list[Fault]:
    """What is wrong with labels and unknown fields of metadata; names are checked where objects are read."""
    found = doc.get("metadata")
    if not isinstance(found, dict):
        return [Fault("metadata", f"expected a map, found {faults.describe(found)}")] if found is not None else []
    problems = [Fault(f"metadata.{str(key)[:60]}", "unknown field") for key in found if key not in _META]
    labels = found.get("labels")
    if labels is not None and not isinstance(labels, dict):
        problems.append(Fault("metadata.labels", f"expected a map, found {faults.describe(labels)}"))
    return [*problems, *_labels(labels, "metadata.labels")]
