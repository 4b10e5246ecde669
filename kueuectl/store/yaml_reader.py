"""Reads YAML of any size: hands documents, and the items of Lists page by page, to a sink as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from kueuectl.api import decoding, wire
from kueuectl.api.faults import describe
from kueuectl.errors import InputError
from kueuectl.store.sink import Readable, Sink


def read(stream: Readable, sink: Sink, *, source: str) -> None:
    """Hand every object in the stream to the sink; raises InputError, and then what it got counts for nothing."""
    from kueuectl.store.yaml_builder import Builder

    builder = Builder(stream, source=source)
    count = 0
    while True:
        pages = _Pages(sink, source)
        found, doc = builder.next_document(pages.take)
        if not found:
            break
        if doc is not None:
            count += 1
            pages.finish(doc)
    if count == 0:
        raise InputError("holds no objects", source=source)


class _Pages:
    """The items of one document: handed over at once where they say what they are, else when the List has said so."""

    def __init__(self, sink: Sink, source: str) -> None:
        self._sink = sink
        self._source = source
        self._late: list[bytes] = []

    def take(self, so_far: dict[str, Any], items: list[Any]) -> None:
        """A page of items, while the document goes on."""
        default = None
        if isinstance(so_far.get("kind"), str) and isinstance(so_far.get("apiVersion"), str):
            default = self._header(so_far)
        page = self._encode(items)
        if default is None and not all(isinstance(item, dict) and item.get("kind") for item in items):
            self._late.append(page)
        else:
            self._sink.add_page(page, source=self._source, default=default)

    def finish(self, doc: Any) -> None:
        """The whole document, with the items that were not taken yet."""
        if not isinstance(doc, dict):
            raise InputError(f"expected an object, found {describe(doc)}", source=self._source)
        kind, items = doc.get("kind"), doc.get("items")
        if not isinstance(items, list) or (isinstance(kind, str) and not kind.endswith("List") and not self._late):
            self._sink.add(decoding.encode(doc, source=self._source), source=self._source)
            return
        default = self._header(doc)
        for page in (*self._late, self._encode(items)):
            self._sink.add_page(page, source=self._source, default=default)

    def _header(self, doc: dict[str, Any]) -> wire.Header | None:
        raw = decoding.encode({**doc, "items": None}, source=self._source)
        return self._sink.add_header(raw, source=self._source)

    def _encode(self, items: list[Any]) -> bytes:
        try:
            return msgspec.json.encode(items)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise InputError(f"cannot be written as JSON: {error}", source=self._source, path="items") from error
