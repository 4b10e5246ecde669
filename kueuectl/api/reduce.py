"""Cuts an object down to what the model is made of, for dumps that may be handed on.

What the wire types hold is all that is kept: no environment, arguments, images or volumes of containers, no
managedFields, nothing of a Secret, and of ConfigMaps only the parts of Kueue's Configuration that decide something.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kueuectl.api import configuration, decoding, gates, installation, wire, wire_pods, wire_workloads
from kueuectl.api.pool import LAST_APPLIED

# Kinds of which a part says how Kueue is installed.
CONFIG_MAP = "ConfigMap"
DEPLOYMENT = "Deployment"

_OWNER_SPEC = ("suspend", "nodeName", "schedulingGates")


def reduce(raw: bytes | msgspec.Raw, *, source: str = "", default: wire.Header | None = None) -> bytes | None:
    """The JSON of an object with what the model holds of it; None when nothing is to be kept.

    A ConfigMap comes back whole if it may hold Kueue's Configuration: `reduce_configuration` goes on with its text.
    Raises InputError for an object that can't be read.
    """
    header = decoding.header_of(raw, source=source, default=default)
    if header.kind == CONFIG_MAP:
        return bytes(raw) if installation.configurations(raw, source=source) else None
    kind = decoding.find_kind(header, source=source)
    if kind is None:
        return None
    found = decoding.decode_wire(raw, kind, source=source, header=header)
    if found.metadata is not None:
        (found.metadata.annotations or {}).pop(LAST_APPLIED, None)
    if isinstance(found, wire_workloads.Workload):
        _templates(found)
    elif isinstance(found, wire.Owner):
        _owner(found, installation.flags(raw, source=source) if header.kind == DEPLOYMENT else {})
    return msgspec.json.encode(found)


def reduce_configuration(doc: Any, *, source: str = "") -> bytes | None:
    """The JSON of a parsed Configuration with what decides something; None for another controller's."""
    version = doc.get("apiVersion") if isinstance(doc, dict) else None
    if version not in (configuration.V1BETA1, configuration.V1BETA2):
        return None
    return msgspec.json.encode(configuration.decode(doc, source=source))


def config_map(raw: bytes, text: bytes) -> bytes:
    """A ConfigMap that holds nothing but this Configuration."""
    meta = msgspec.json.decode(raw).get("metadata", {})
    kept = {key: meta[key] for key in ("name", "namespace") if key in meta}
    data = {configuration.CONFIG_KEY: text.decode()}
    return msgspec.json.encode({"apiVersion": "v1", "kind": CONFIG_MAP, "metadata": kept, "data": data})


def _templates(found: wire_workloads.Workload) -> None:
    for pod_set in (found.spec.pod_sets if found.spec else None) or ():
        if pod_set.template is not None and pod_set.template.metadata is not None:
            (pod_set.template.metadata.annotations or {}).pop(LAST_APPLIED, None)


def _owner(found: wire.Owner, flags: dict[str, bool]) -> None:
    """What explains an owner; of a pod also what it asks for and where it runs, of Kueue's Deployment its gates."""
    spec = found.spec if isinstance(found.spec, dict) else {}
    status = found.status if isinstance(found.status, dict) else {}
    kept: dict[str, Any] = {key: spec[key] for key in _OWNER_SPEC if key in spec}
    policy = spec.get("runPolicy")
    if isinstance(policy, dict) and "suspend" in policy:
        kept["runPolicy"] = {"suspend": policy["suspend"]}
    if found.kind == "Pod":
        kept = {**_pod(spec), **kept}
    if flags:
        text = ",".join(f"{name}={str(value).lower()}" for name, value in sorted(flags.items()))
        kept["template"] = {"spec": {"containers": [{"name": "manager", "args": [f"{gates.FLAG}={text}"]}]}}
    found.spec = kept or None
    found.status = {key: status[key] for key in ("phase", "conditions") if key in status} or None


def _pod(spec: dict[str, Any]) -> dict[str, Any]:
    """What a pod asks for; nothing of a spec that is not a pod's."""
    try:
        return dict(msgspec.json.decode(msgspec.json.encode(msgspec.convert(spec, wire_pods.PodSpec))))
    except (msgspec.ValidationError, TypeError):
        return {}
