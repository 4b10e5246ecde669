"""Reads manifests as they are: files, folders, standard input; each object with the name of where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

import msgspec

from kueuectl.api import wire
from kueuectl.api.collect import Collector
from kueuectl.api.decoding import NotJSONError
from kueuectl.errors import InputError
from kueuectl.store import load, sources

_MAX_PLAIN = 1 << 20


def read(arguments: Sequence[str], *, stdin: BinaryIO | None = None) -> list[tuple[str, dict[str, Any]]]:
    """(source, object) pairs in the order of the input, Lists opened. Raises InputError for what can't be read."""
    sink = _Sink()
    for source in sources.expand(arguments, stdin=stdin):
        sources.read(source, sink)
    return sink.found


class _Sink:
    """Keeps every object as a dict."""

    def __init__(self) -> None:
        self.found: list[tuple[str, dict[str, Any]]] = []
        self._lists = Collector(strict=False)

    def add(self, raw: bytes, *, source: str = "") -> None:
        """Take an object or a whole list."""
        doc = _decode(raw, source)
        if not isinstance(doc, dict):
            raise InputError("expected an object", source=source)
        items = doc.get("items")
        if str(doc.get("kind", "")).endswith("List") and isinstance(items, list):
            default = self.add_header(msgspec.json.encode({**doc, "items": []}), source=source)
            self._keep(items, source, default)
        else:
            self._keep([doc], source, None)

    def add_page(self, raw: bytes, *, source: str = "", default: wire.Header | None = None) -> None:
        """Take a JSON array of objects."""
        items = _decode(raw, source)
        self._keep(items if isinstance(items, list) else [], source, default)

    def add_header(self, raw: bytes, *, source: str = "") -> wire.Header | None:
        """What the items of a list are by default."""
        return self._lists.add_header(raw, source=source)

    def _keep(self, items: list[Any], source: str, default: wire.Header | None) -> None:
        for item in items:
            if not isinstance(item, dict):
                raise InputError("expected an object", source=source)
            if default is not None:
                version, kind = item.get("apiVersion"), item.get("kind")
                item = {**item, "apiVersion": version or default.api_version, "kind": kind or default.kind}
            if str(item.get("kind", "")).endswith("List") and isinstance(item.get("items"), list):
                self.add(msgspec.json.encode(item), source=source)
            else:
                self.found.append((source, item))


def _decode(raw: bytes, source: str) -> Any:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotJSONError(f"is not JSON: {error}", source=source) from error


def read_plain(argument: str, *, stdin: BinaryIO | None = None) -> dict[str, Any]:
    """The one map in a file that holds no object of Kubernetes. Raises InputError for anything else."""
    (source, *others) = sources.expand([argument], stdin=stdin)
    if others:
        raise InputError("is a folder", source=argument, hint="name one file")
    try:
        with source.open() as stream:
            raw = stream.read(_MAX_PLAIN + 1)
        text = raw.decode()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=source.name) from error
    except UnicodeDecodeError as error:
        raise InputError("is not text", source=source.name) from error
    if len(raw) > _MAX_PLAIN:
        raise InputError(f"has more than {_MAX_PLAIN} bytes", source=source.name)
    found = load.parse(text, source=source.name)
    if not isinstance(found, dict):
        raise InputError("expected a map", source=source.name)
    return found
