"""One object of the API in JSON to its model: which kinds there are, and how each is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from kueuectl.api import faults, kinds, queues, validate, wire, wire_queues, wire_workloads, workloads
from kueuectl.api.pool import Pool
from kueuectl.errors import InputError, KueuectlError
from kueuectl.model.flavors import AdmissionCheck, Node, ResourceFlavor, Topology
from kueuectl.model.queues import ClusterQueue, Cohort, LocalQueue
from kueuectl.model.state import LimitRange, Namespace, OwnerObject, PriorityClass, RuntimeClass
from kueuectl.model.workloads import Workload

Model = (
    ClusterQueue
    | LocalQueue
    | Cohort
    | ResourceFlavor
    | Workload
    | AdmissionCheck
    | Topology
    | PriorityClass
    | Namespace
    | Node
    | LimitRange
    | RuntimeClass
    | OwnerObject
)

GROUP = "kueue.x-k8s.io"
# The group of what this program writes itself.
OURS = "kueuectl"
_KUEUE = (wire.V1BETA2, wire.V1BETA1)
_SINCE_ALPHA = (wire.V1BETA2, wire.V1BETA1, wire.V1ALPHA1)
_DEFAULT_NAMESPACE = "default"
_SAVE = "save objects with kubectl get -o yaml, or with kueuectl snapshot save"

# Kinds that decide nothing here and own no workload: never held, and a Secret is not even looked at.
IGNORED = frozenset(
    {
        "ConfigMap",
        "CustomResourceDefinition",
        "Endpoints",
        "EndpointSlice",
        "Event",
        "Lease",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Role",
        "RoleBinding",
        "Secret",
        "Service",
        "ServiceAccount",
    }
)
# Kueue's kinds that say how other clusters and ProvisioningRequests are reached; no decision depends on them.
UNUSED_KUEUE = frozenset({"MultiKueueCluster", "MultiKueueConfig", "ProvisioningRequestConfig"})


class NotJSONError(InputError):
    """Bytes are no JSON. A reader that cuts pages out of a stream tries another cut then."""


Build = Callable[[Any, Pool], Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind that the model holds: its API versions, the preferred first, its wire type and its builder."""

    name: str
    versions: tuple[str, ...]
    shape: type[wire.Object]
    build: Build
    is_namespaced: bool = False
    has_quota: bool = False


KINDS: tuple[Kind, ...] = (
    Kind(
        "ClusterQueue",
        _KUEUE,
        wire_queues.ClusterQueue,
        queues.cluster_queue,
        has_quota=True,
    ),
    Kind(
        "LocalQueue",
        _KUEUE,
        wire_queues.LocalQueue,
        queues.local_queue,
        is_namespaced=True,
        has_quota=True,
    ),
    Kind(
        "Cohort",
        _SINCE_ALPHA,
        wire_queues.Cohort,
        queues.cohort,
        has_quota=True,
    ),
    Kind(
        "Workload",
        _KUEUE,
        wire_workloads.Workload,
        workloads.workload,
        is_namespaced=True,
    ),
    Kind("ResourceFlavor", _KUEUE, wire.ResourceFlavor, kinds.resource_flavor),
    Kind("AdmissionCheck", _KUEUE, wire.AdmissionCheck, kinds.admission_check),
    Kind("Topology", _SINCE_ALPHA, wire.Topology, kinds.topology),
    Kind(
        "WorkloadPriorityClass",
        _KUEUE,
        wire.WorkloadPriorityClass,
        kinds.workload_priority_class,
    ),
    Kind(
        "PriorityClass",
        ("scheduling.k8s.io/v1",),
        wire.PriorityClass,
        kinds.priority_class,
    ),
    Kind("Namespace", ("v1",), wire.Namespace, kinds.namespace),
    Kind("Node", ("v1",), wire.Node, kinds.node),
    Kind(
        "LimitRange",
        ("v1",),
        wire.LimitRange,
        kinds.limit_range,
        is_namespaced=True,
    ),
    Kind(
        "RuntimeClass",
        ("node.k8s.io/v1",),
        wire.RuntimeClass,
        kinds.runtime_class,
    ),
)
OWNER = Kind("", (), wire.Owner, kinds.owner, is_namespaced=True)
_BY_GROUP = {(kind.versions[0].rpartition("/")[0], kind.name): kind for kind in KINDS}
# A decoder is made when its kind is first met: making all takes a tenth of the start-up.
_SHAPES = {kind.name: kind.shape for kind in (*KINDS, OWNER)}
_HEADER = msgspec.json.Decoder(wire.Header)


@cache
def _decoder(kind: str) -> msgspec.json.Decoder[wire.Object]:
    return msgspec.json.Decoder(_SHAPES[kind])


@cache
def page_decoder(kind: str) -> msgspec.json.Decoder[Any]:
    """Decodes a list of objects of one kind."""
    shape: Any = _SHAPES[kind]
    return msgspec.json.Decoder(list[shape])


def encode(doc: dict[str, Any], *, source: str = "") -> bytes:
    """The JSON of an object that was read from somewhere else than JSON."""
    try:
        return msgspec.json.encode(doc)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"cannot be written as JSON: {error}", source=source) from error


def decode_bytes(
    raw: bytes | msgspec.Raw, *, source: str, pool: Pool, default: wire.Header | None = None
) -> tuple[Model | None, wire.Header, Kind]:
    """The model of an API object in JSON, what it said to be, and its kind; no model for what nothing depends on.

    default says what the object is where it doesn't say so itself, as in typed lists.
    """
    header = header_of(raw, source=source, default=default)
    kind = find_kind(header, source=source, name=lambda: name_of(raw, header))
    if kind is None:
        return None, header, OWNER
    found = decode_wire(raw, kind, source=source, header=header)
    try:
        return build(found, kind, pool), header, kind
    except (msgspec.DecodeError, KueuectlError, RecursionError) as error:
        raise explain(raw, kind, source=source, header=header, error=error) from error


def header_of(raw: bytes | msgspec.Raw, *, source: str, default: wire.Header | None = None) -> wire.Header:
    """What an object says to be. Raises NotJSONError, and InputError for what is no object."""
    try:
        header = _HEADER.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _not_an_object(raw, source, error) from error
    if default is not None:
        header.api_version = header.api_version or default.api_version
        header.kind = header.kind or default.kind
    return header


def decode_wire(raw: bytes | msgspec.Raw, kind: Kind, *, source: str, header: wire.Header) -> wire.Object:
    """The wire form of an object, with its version and kind filled in. Raises InputError with the field path."""
    try:
        found: wire.Object = _decoder(kind.name).decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise explain(raw, kind, source=source, header=header, error=error) from error
    found.api_version, found.kind = header.api_version, header.kind
    return found


def build(found: wire.Object, kind: Kind, pool: Pool) -> Model:
    """The model of a decoded object; raises InputError and QuantityError without the field path."""
    meta = found.metadata
    if meta is None or not meta.name:
        raise _nameless(found.kind or "")
    if not pool.strict:
        return kind.build(found, pool)  # type: ignore[no-any-return]
    if kind.is_namespaced and not meta.namespace and kind is not OWNER:
        # As kubectl does without a context's namespace.
        meta.namespace = _DEFAULT_NAMESPACE
    if meta.namespace not in pool.namespaces or not validate.is_subdomain(meta.name):
        is_known = kind is not OWNER
        validate.name(meta.namespace, "metadata.namespace", is_known=is_known)
        validate.name(meta.name, "metadata.name", is_known=is_known)
        if is_known:
            pool.namespaces.add(meta.namespace)
    model: Model = kind.build(found, pool)
    if kind.has_quota:
        validate.quotas(model)
    return model


def _nameless(kind: str) -> InputError:
    """What an object without a name is: often something else that was saved by mistake."""
    if kind in ("Status", "Table"):
        what = "an answer of an API server" if kind == "Status" else "a table"
        return InputError(f"is {what}, not an object", path="kind", hint=_SAVE)
    if kind.endswith("List"):
        return InputError("is a list without items", path="items", hint=_SAVE)
    return InputError("has no name", path="metadata.name", hint="give it a name: metadata.name")


def find_kind(header: wire.Header, *, source: str, name: Callable[[], str] = str) -> Kind | None:
    """How to read an object; None to pass it over. Raises InputError for a version that is not known."""
    api_version, kind_name = header.api_version or "", header.kind or ""
    if not kind_name or not api_version:
        missing = "apiVersion" if kind_name else "kind"
        hint = "an object has an apiVersion and a kind, as kubectl get -o yaml prints it"
        raise InputError(f"has no {missing}", source=source, obj=name(), path=missing, hint=hint)
    group, _, version = api_version.rpartition("/")
    kind = _BY_GROUP.get((group, kind_name))
    if kind is None:
        known = group in (GROUP, OURS) or group.endswith("." + GROUP) or kind_name in IGNORED
        return None if known else OWNER
    if api_version not in kind.versions:
        raise InputError(
            f"version {version[:40]!r} of {kind_name} is not known",
            source=source,
            obj=name(),
            path="apiVersion",
            hint="known: " + ", ".join(kind.versions),
        )
    return kind


def is_unknown(header: wire.Header) -> bool:
    """Whether an object is of Kueue's group and of a kind that is not known here."""
    group = (header.api_version or "").rpartition("/")[0]
    name = header.kind or ""
    return group == GROUP and (group, name) not in _BY_GROUP and name not in UNUSED_KUEUE


def explain(raw: bytes | msgspec.Raw, kind: Kind, *, source: str, header: wire.Header, error: Exception) -> InputError:
    """The error with its place: the source, the object and the field path."""
    obj = name_of(raw, header)
    if isinstance(error, InputError) and error.path:
        return InputError(error.problem, source=source, obj=obj, path=error.path, hint=error.hint)
    try:
        fault = faults.find(msgspec.json.decode(raw), kind.shape)
    except (msgspec.DecodeError, RecursionError):
        fault = None
    if fault:
        return InputError(fault.problem, source=source, obj=obj, path=fault.path, hint=_hint(error))
    return InputError(_problem(error), source=source, obj=obj, hint=_hint(error))


def name_of(raw: bytes | msgspec.Raw, header: wire.Header) -> str:
    """Name an object as "Kind namespace/name", as far as it can be told."""
    try:
        doc = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return header.kind or ""
    return name_of_doc(doc, kind=header.kind or "")


def name_of_doc(doc: Any, *, kind: str = "") -> str:
    """Name as "Kind namespace/name" an object that was decoded to dicts."""
    doc = doc if isinstance(doc, dict) else {}
    meta = doc.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    own = doc.get("kind")
    kind = kind or (own if isinstance(own, str) else "")
    parts = [part for part in (meta.get("namespace"), meta.get("name")) if isinstance(part, str) and part]
    return f"{kind[:63] or ('object' if parts else '')} {'/'.join(parts)[:320]}".strip()


def _problem(error: Exception) -> str:
    if isinstance(error, KueuectlError):
        return error.problem
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _hint(error: Exception) -> str:
    return error.hint if isinstance(error, KueuectlError) else ""


def _not_an_object(raw: bytes | msgspec.Raw, source: str, error: Exception) -> InputError:
    try:
        doc = msgspec.json.decode(raw)
    except RecursionError:
        return NotJSONError("is nested too deeply", source=source)
    except msgspec.DecodeError:
        return NotJSONError(f"is not JSON: {_problem(error)}", source=source)
    if not isinstance(doc, dict):
        hint = "write it as a List: {apiVersion: v1, kind: List, items: [...]}" if isinstance(doc, list) else ""
        return InputError(f"expected an object, found {faults.describe(doc)}", source=source, hint=hint)
    fault = faults.find(doc, wire.Header)
    where = fault or faults.Fault("", _problem(error))
    return InputError(where.problem, source=source, obj=name_of_doc(doc), path=where.path)


def is_preferred(version: str, other: str, *, kind: str) -> bool:
    """Whether an API version of a kind counts before the other one; never for kinds that are not held."""
    found = _BY_GROUP.get((version.rpartition("/")[0], kind))
    if found is None or version not in found.versions or other not in found.versions:
        return False
    return found.versions.index(version) < found.versions.index(other)
