"""A dump that may be handed to strangers: it gives the same answers, and tells nothing about whose cluster it is.

Names are replaced by ones that sort alike, since names and UIDs break ties; what decides nothing is dropped.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kueuectl.api import configuration, decoding, reduce
from kueuectl.errors import KueuectlError
from kueuectl.store import anonymous_kinds as rules
from kueuectl.store import save
from kueuectl.store.anonymous_names import Names

_META: dict[str, Any] = {"name": "kueue-manager-config", "namespace": "kueue-system"}
_DEPLOYMENT: dict[str, Any] = {
    "name": "kueue-controller-manager",
    "namespace": "kueue-system",
    "labels": {"app.kubernetes.io/name": "kueue"},
}


@dataclass(frozen=True, slots=True)
class Anonymized:
    """Objects under their new names, what they are called (category to old to new), and resources that kept theirs."""

    objects: tuple[bytes, ...]
    names: Mapping[str, Mapping[str, str]]
    private_resources: tuple[str, ...] = ()


def anonymize(objects: Iterable[bytes | dict[str, Any]], *, seed: int = 0) -> Anonymized:
    """The objects without anything that tells where they are from; the same seed gives the same names."""
    kept = [found for found in map(save.reduced, objects) if found is not None]
    names = Names(seed=seed)
    for raw in kept:
        _renamed(raw, names)
    names.settle()
    made = tuple(_renamed(raw, names) for raw in kept)
    return Anonymized(made, names.mapping(), tuple(sorted(names.private_resources)))


def write_names(path: str, names: Mapping[str, Mapping[str, str]]) -> None:
    """Write the names to a file that only its owner may read."""
    body = msgspec.json.format(msgspec.json.encode({"kind": "Names", "names": names}), indent=2)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(body + b"\n")
    except OSError as error:
        raise KueuectlError(f"{Path(path)}: cannot be written: {error.strerror or 'the system refuses'}") from error


def _config_map(config: Any) -> bytes:
    data = {configuration.CONFIG_KEY: msgspec.json.encode(config).decode()}
    return msgspec.json.encode({"apiVersion": "v1", "kind": reduce.CONFIG_MAP, "metadata": _META, "data": data})


def _renamed(raw: bytes, names: Names) -> bytes:
    doc = msgspec.json.decode(raw)
    kind = doc["kind"]
    if kind == reduce.CONFIG_MAP:
        config = msgspec.json.decode(doc["data"][configuration.CONFIG_KEY])
        return _config_map(rules.CONFIGURATION(config, names))
    if kind == reduce.DEPLOYMENT and "template" in (doc.get("spec") or {}):
        # Kueue's own: its arguments hold feature gates and nothing else.
        return msgspec.json.encode({**doc, "metadata": _DEPLOYMENT})
    group = str(doc["apiVersion"]).rpartition("/")[0]
    is_ours = any(known.name == kind and known.versions[0].rpartition("/")[0] == group for known in decoding.KINDS)
    return msgspec.json.encode(rules.KINDS[kind if is_ours else ""](doc, names))
