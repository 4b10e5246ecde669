"""What a dump says about the installation of Kueue: its ConfigMap, its Deployment's arguments, when it was saved."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import msgspec

from kueuectl import times
from kueuectl.api import gates, wire
from kueuectl.api.configuration import CONFIG_KEY
from kueuectl.errors import InputError

DUMP = "kueuectl/v1alpha1"
_NAME_LABEL = "app.kubernetes.io/name"
_KUEUE = "kueue"

T = TypeVar("T")


class Found(NamedTuple):
    """A Configuration that was found: where, and as what: the object, or the text of it in a ConfigMap."""

    source: str
    content: Any


class _ConfigMap(wire.Object):
    """A ConfigMap."""

    data: wire.StringMap | None = None


class _Deployment(wire.Object):
    """A Deployment, by what tells whose it is."""


class _Dump(wire.Wire):
    """The document that a dump of ours starts with."""

    saved_at: wire.Time | None = None


def configurations(raw: bytes | msgspec.Raw, *, source: str) -> list[Found]:
    """The text of a Configuration in a ConfigMap, at most one. It may still be another controller's."""
    found = _decode(raw, _ConfigMap, source)
    text = (found.data or {}).get(CONFIG_KEY)
    meta = found.metadata or wire.Meta()
    name = f"ConfigMap {meta.namespace or ''}/{meta.name or ''}"
    return [Found(f"{source}: {name}" if source else name, text)] if text else []


def flags(raw: bytes | msgspec.Raw, *, source: str) -> dict[str, bool]:
    """Feature gates of the arguments, if this is Kueue's Deployment."""
    meta = _decode(raw, _Deployment, source).metadata or wire.Meta()
    if (meta.labels or {}).get(_NAME_LABEL) != _KUEUE and _KUEUE not in (meta.name or ""):
        return {}
    return gates.of_deployment(msgspec.json.decode(raw), source=source)


def saved_at(raw: bytes | msgspec.Raw, *, source: str) -> list[int]:
    """When a dump was saved, at most one time."""
    text = _decode(raw, _Dump, source).saved_at
    try:
        return [times.parse(text)] if text else []
    except InputError as error:
        raise InputError(error.problem, source=source, obj="Dump", path="savedAt", hint=error.hint) from error


def _decode(raw: bytes | msgspec.Raw, shape: type[T], source: str) -> T:
    try:
        return msgspec.json.decode(raw, type=shape)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(str(error), source=source, obj=shape.__name__.lstrip("_")) from error
