"""Raw objects out of dumps, for output that passes them through as they are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, BinaryIO

import msgspec

from kueuectl.api import decoding, wire
from kueuectl.api.collect import Collector
from kueuectl.api.decoding import NotJSONError
from kueuectl.errors import InputError
from kueuectl.store import sources

CONFIGURATION = "Configuration"


def iterate(
    arguments: Sequence[str],
    *,
    kinds: Collection[str] | None = None,
    stdin: BinaryIO | None = None,
    managed_fields: bool = True,
) -> Iterator[dict[str, Any]]:
    """Objects of these kinds, or of all, in their own API version, in the order of the input, each once.

    All of the input is read before the first one comes, so that none comes of an input that has a fault. Of two API
    versions of an object the preferred one is taken. Raises InputError like `load`.
    """
    sink = _RawSink(kinds, managed_fields=managed_fields)
    for source in sources.expand(arguments, stdin=stdin):
        sources.read(source, sink)
    yield from sink.found.values()


class _RawSink:
    """Keeps the objects of some kinds as dicts."""

    def __init__(self, kinds: Collection[str] | None, *, managed_fields: bool) -> None:
        self.found: dict[tuple[str, str, str, str], dict[str, Any]] = {}
        self._kinds = kinds
        self._managed_fields = managed_fields
        self._lists = Collector(strict=False)

    def add(self, raw: bytes, *, source: str = "") -> None:
        """Take an object or a whole list."""
        doc = self._decode(raw, source)
        if not isinstance(doc, dict):
            raise InputError("expected an object", source=source)
        items = doc.get("items")
        if str(doc.get("kind", "")).endswith("List") and isinstance(items, list):
            default = self.add_header(decoding.encode({**doc, "items": None}), source=source)
            for item in items:
                self._keep(item, source, default)
        else:
            self._keep(doc, source, None)

    def add_page(self, raw: bytes, *, source: str = "", default: wire.Header | None = None) -> None:
        """Take a JSON array of objects."""
        items = self._decode(raw, source)
        for item in items if isinstance(items, list) else ():
            self._keep(item, source, default)

    def add_header(self, raw: bytes, *, source: str = "") -> wire.Header | None:
        """What the items of a list are by default."""
        return self._lists.add_header(raw, source=source)

    def _decode(self, raw: bytes, source: str) -> Any:
        try:
            return msgspec.json.decode(raw)
        except (msgspec.DecodeError, RecursionError) as error:
            raise NotJSONError(f"is not JSON: {error}", source=source) from error

    def _keep(self, doc: Any, source: str, default: wire.Header | None) -> None:
        if not isinstance(doc, dict):
            raise InputError("expected an object", source=source)
        meta = doc.get("metadata")
        if default is not None:
            doc = {
                **doc,
                "apiVersion": doc.get("apiVersion") or default.api_version,
                "kind": doc.get("kind") or default.kind,
            }
        kind, version = str(doc.get("kind")), str(doc.get("apiVersion"))
        if kind.endswith("List") and isinstance(doc.get("items"), list):
            self.add(decoding.encode(doc), source=source)
            return
        if meta is None and kind == CONFIGURATION:
            # A file for Kueue itself, which has no name.
            meta = {}
        if (self._kinds is not None and kind not in self._kinds) or not isinstance(meta, dict):
            return
        if not self._managed_fields:
            meta.pop("managedFields", None)
        group = version.rpartition("/")[0]
        key = (group, kind, str(meta.get("namespace", "")), str(meta.get("name", "")))
        before = self.found.get(key)
        if before is None or decoding.is_preferred(version, str(before["apiVersion"]), kind=kind):
            self.found[key] = doc
