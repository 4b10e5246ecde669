"""Lists as the API server sends them, opened into plain dicts: for the machine formats and for dumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from kueuectl.errors import InputError


@dataclass(frozen=True, slots=True)
class RawList:
    """One page: its objects, each with apiVersion and kind, and where the next page starts ("": nowhere).

    `remaining` is how many objects come after this page, as far as the server says.
    """

    items: list[dict[str, Any]]
    next: str = ""
    remaining: int = 0


def open_list(raw: bytes, *, source: str = "") -> RawList:
    """The objects of a list; raises InputError for what is no list, with the source.

    Items of built-in kinds do not say what they are: they get it from the list, in front, as kubectl prints them.
    """
    try:
        document = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", source=source) from error
    items = document.get("items") if isinstance(document, dict) else None
    kind = document.get("kind") if isinstance(document, dict) else None
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(items, list | None):
        raise InputError("expected a list", source=source)
    header = {"apiVersion": document.get("apiVersion", ""), "kind": kind.removesuffix("List")}
    found = [item if item.get("kind") else header | item for item in items or () if isinstance(item, dict)]
    if len(found) != len(items or ()):
        raise InputError("has items that are no objects", source=source, path="items")
    meta = document.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    remaining = meta.get("remainingItemCount")
    return RawList(found, str(meta.get("continue") or ""), remaining if isinstance(remaining, int) else 0)


def open_object(raw: bytes, *, source: str = "") -> dict[str, Any]:
    """One object; raises InputError for what is none, with the source."""
    try:
        document = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", source=source) from error
    if not isinstance(document, dict) or not document.get("kind"):
        raise InputError("expected an object", source=source)
    return document
