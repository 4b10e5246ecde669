"""JSON patches (RFC 6902) done to an object here, and the merge patch that brings one object to another.

The API server takes both kinds. A merge patch may be sent twice and does the same, a JSON patch may not: one that
appends to a list would append again after an answer that was lost. So a JSON patch is worked out against the object
that was read, and sent as a merge patch that the version of the object guards.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from kueuectl.errors import InputError

_MISSING = object()
# What a patch never has to say: the server keeps it.
_KEPT = ("creationTimestamp", "deletionTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")

Item = dict[str, Any]


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Item:
    """The merge patch that makes `after` of `before`; empty where they are equal. Lists are replaced whole."""
    found: Item = {key: None for key in before if key not in after or after[key] is None}
    for key, value in after.items():
        old = before.get(key)
        if value is None or value == old:
            continue
        if isinstance(value, dict) and isinstance(old, dict):
            found[key] = difference(old, value)
        else:
            found[key] = _without_nulls(value)
    return found


def _without_nulls(value: Any) -> Any:
    """A map without its nulls: in a merge patch they would be taken for removals, and elsewhere they mean nothing."""
    if isinstance(value, dict):
        return {key: _without_nulls(entry) for key, entry in value.items() if entry is not None}
    return value


def change(before: Item, after: Item) -> Item:
    """The merge patch between two states of one object, without what only the server decides.

    Raises InputError where the second has no metadata: its version could not be guarded then.
    """
    if not isinstance(after.get("metadata"), dict):
        raise InputError("leaves an object without metadata", source="the patch", path="metadata")
    found = difference(before, after)
    metadata = found.get("metadata")
    if isinstance(metadata, dict):
        for key in _KEPT:
            metadata.pop(key, None)
        if not metadata:
            del found["metadata"]
    return found


def apply(item: Item, operations: Any) -> Item:
    """The object after the operations, in their order; raises InputError for the first that can't be done."""
    if not isinstance(operations, list):
        raise InputError("a JSON patch is a list of operations", source="the patch")
    root: Any = copy.deepcopy(item)
    for place, operation in enumerate(operations):
        try:
            root = _done(root, operation)
        except (LookupError, TypeError, ValueError) as error:
            problem = error.args[0] if error.args else "can't be done"
            raise InputError(str(problem), source="the patch", path=f"[{place}]") from None
    if not isinstance(root, dict):
        raise InputError("leaves no object", source="the patch")
    return root


def _done(root: Any, operation: Any) -> Any:
    if not isinstance(operation, dict):
        raise TypeError("is no operation: it has to have op and path")
    name, path = operation.get("op"), operation.get("path")
    if not isinstance(path, str):
        raise TypeError("has no path")
    if name in ("add", "replace", "test") and "value" not in operation:
        raise ValueError(f"{name} needs a value")
    if name == "test":
        if _get(root, path) != operation["value"]:
            raise ValueError(f"test: {path} has another value")
        return root
    if name == "add":
        return _add(root, path, operation["value"])
    if name == "replace":
        _get(root, path)
        return _add(_removed(root, path), path, operation["value"]) if path else operation["value"]
    if name == "remove":
        return _removed(root, path)
    if name in ("move", "copy"):
        source = operation.get("from")
        if not isinstance(source, str):
            raise TypeError(f"{name} needs from")
        value = copy.deepcopy(_get(root, source))
        return _add(_removed(root, source) if name == "move" else root, path, value)
    raise ValueError(f"{str(name)[:40]!r} is none of add, copy, move, remove, replace, test")


def _keys(path: str) -> list[str]:
    if not path:
        return []
    if not path.startswith("/"):
        raise ValueError(f"the path {path[:80]!r} does not start with /")
    return [key.replace("~1", "/").replace("~0", "~") for key in path[1:].split("/")]


def _step(held: Any, key: str, path: str) -> Any:
    if isinstance(held, dict) and key in held:
        return held[key]
    if isinstance(held, list):
        return held[_index(held, key, path, most=len(held) - 1)]
    raise LookupError(f"there is no {path[:200]}")


def _index(held: list[Any], key: str, path: str, *, most: int) -> int:
    if not (key.isascii() and key.isdecimal()) or (len(key) > 1 and key[0] == "0") or int(key) > most:
        raise LookupError(f"there is no {path[:200]}")
    return int(key)


def _get(root: Any, path: str) -> Any:
    for key in _keys(path):
        root = _step(root, key, path)
    return root


def _parent(root: Any, path: str) -> tuple[Any, str]:
    *above, last = _keys(path)
    for key in above:
        root = _step(root, key, path)
    return root, last


def _add(root: Any, path: str, value: Any) -> Any:
    if not path:
        return value
    held, key = _parent(root, path)
    if isinstance(held, dict):
        held[key] = value
    elif isinstance(held, list):
        held.insert(len(held) if key == "-" else _index(held, key, path, most=len(held)), value)
    else:
        raise LookupError(f"there is no {path[:200]}")
    return root


def _removed(root: Any, path: str) -> Any:
    if not path:
        raise ValueError("the whole object can't be removed by a patch")
    held, key = _parent(root, path)
    _step(held, key, path)
    if isinstance(held, dict):
        del held[key]
    else:
        del held[int(key)]
    return root
