"""Checks an object against the types of the API: unknown and missing fields, types, bounds, keys that come twice.

The notation in `_schemas`: a scalar (string, int32, int64, boolean, number, quantity, port, time, any), the name of an
object type, or @N for a scalar with bounds; behind it [least..most;keys] for a list and {most} for a map, as often as
they are nested. keys are the fields that tell the entries apart, or "set". A null counts as missing, as in the API
server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from kueuectl import quantity, times
from kueuectl.api import faults
from kueuectl.api.faults import Fault
from kueuectl.api.validation import _schemas
from kueuectl.errors import KueuectlError

_SUFFIX = re.compile(r"(.*)(?:\[([^\[\]]*)\]|\{([^{}]*)\})")
_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
# What a scalar is called, and what it may be in Python.
_TYPES: dict[str, tuple[str, tuple[type, ...]]] = {
    "string": ("a string", (str,)),
    "time": ("a string", (str,)),
    "boolean": ("a boolean", (bool,)),
    "number": ("a number", (int, float)),
    "int32": ("an integer", (int,)),
    "int64": ("an integer", (int,)),
    "port": ("an integer or a string", (int, str)),
    "quantity": ("an integer or a string", (int, str)),
}
_SHOWN = 60
# More than a reader takes in; a broken generator makes thousands.
_MOST = 20


def known(api_version: str, kind: str) -> bool:
    """Whether there is a schema for the kind in that version."""
    return f"{api_version} {kind}" in _schemas.ROOTS


def check(doc: Mapping[str, Any]) -> list[Fault]:
    """What is wrong with the fields of an object of ours beside apiVersion, kind, metadata and status."""
    root = _schemas.ROOTS[f"{doc.get('apiVersion')} {doc.get('kind')}"]
    own = {key: value for key, value in doc.items() if key not in ("apiVersion", "kind", "metadata", "status")}
    return _first(_object(own, root, ""))


def check_pod_spec(spec: Any, path: str) -> list[Fault]:
    """What is wrong with a pod spec, wherever it stands."""
    template = _schemas.TYPES[_schemas.TYPES[_pod_set()]["template"]]
    return _first(_value(spec, template["spec"], path))


def _pod_set() -> str:
    spec = _schemas.TYPES[_schemas.TYPES[_schemas.ROOTS["kueue.x-k8s.io/v1beta2 Workload"]]["spec"]]
    return spec["podSets"].partition("[")[0]


def _first(found: Iterator[Fault]) -> list[Fault]:
    kept = []
    for fault in found:
        kept.append(fault)
        if len(kept) == _MOST:
            break
    return kept


def _value(value: Any, shape: str, path: str) -> Iterator[Fault]:
    wrapped = _unwrap(shape)
    if wrapped is not None:
        inner, list_rule, map_rule = wrapped
        if list_rule is not None:
            yield from _list(value, inner, path, rule=list_rule)
        else:
            yield from _map(value, inner, path, most=map_rule or "")
    elif shape in _schemas.TYPES:
        yield from _object(value, shape, path)
    elif shape.startswith("@"):
        bounds = _schemas.SCALARS[int(shape[1:])]
        yield from _scalar(value, bounds["type"], path)
        yield from _bounds(value, bounds, path)
    else:
        yield from _scalar(value, shape, path)


@lru_cache(maxsize=512)
def _unwrap(shape: str) -> tuple[str, str | None, str | None] | None:
    """The inner shape with the rule of the list or map around it; None for what is neither."""
    match = _SUFFIX.fullmatch(shape)
    return None if match is None else (match.group(1), match.group(2), match.group(3))


def _object(value: Any, name: str, path: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(path, f"expected a map, found {faults.describe(value)}")
        return
    fields = _schemas.TYPES[name]
    for key, entry in value.items():
        where = f"{path}.{key}" if path else str(key)
        if key not in fields:
            yield Fault(where[:300], _unknown(str(key), fields))
        elif entry is not None:
            yield from _value(entry, fields[key], where)
    for key in _schemas.REQUIRED.get(name, ()):
        if value.get(key) is None:
            yield Fault(f"{path}.{key}" if path else key, "is required")


def _unknown(key: str, fields: Mapping[str, str]) -> str:
    import difflib

    near = difflib.get_close_matches(key[:100], fields, n=1)
    return f"unknown field, did you mean {near[0]}?" if near else "unknown field"


def _list(value: Any, inner: str, path: str, *, rule: str) -> Iterator[Fault]:
    if not isinstance(value, list):
        yield Fault(path, f"expected a list, found {faults.describe(value)}")
        return
    bounds, _, keys = rule.partition(";")
    least, _, most = bounds.partition("..")
    if least and len(value) < int(least):
        yield Fault(path, f"has {len(value)} entries, needs at least {least}")
    if most and len(value) > int(most):
        yield Fault(path, f"has {len(value)} entries, at most {most} are allowed")
        return
    for index, entry in enumerate(value):
        if entry is None:
            yield Fault(f"{path}[{index}]", "expected a value, found null")
        else:
            yield from _value(entry, inner, f"{path}[{index}]")
    if keys:
        yield from _twice(value, keys, path)


def _twice(value: list[Any], keys: str, path: str) -> Iterator[Fault]:
    names = () if keys == "set" else tuple(keys.split(","))
    seen: set[str] = set()
    for index, entry in enumerate(value):
        if names and not isinstance(entry, dict):
            continue
        parts = [entry.get(name) for name in names] if names else [entry]
        key = repr(parts)
        if key in seen:
            shown = ", ".join(str(part)[:_SHOWN] for part in parts)
            yield Fault(f"{path}[{index}]", f"{shown!r} comes twice")
        seen.add(key)


def _map(value: Any, inner: str, path: str, *, most: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(path, f"expected a map, found {faults.describe(value)}")
        return
    if most and len(value) > int(most):
        yield Fault(path, f"has {len(value)} entries, at most {most} are allowed")
    for key, entry in value.items():
        if entry is not None:
            yield from _value(entry, inner, f"{path}[{str(key)[:_SHOWN]}]")


def _scalar(value: Any, kind: str, path: str) -> Iterator[Fault]:
    if kind not in _TYPES:
        return
    name, types = _TYPES[kind]
    is_bool = isinstance(value, bool)
    if not isinstance(value, types) or (is_bool and kind != "boolean"):
        yield Fault(path, f"expected {name}, found {faults.describe(value)}")
        return
    if kind in _RANGES and isinstance(value, int):
        low, high = _RANGES[kind]
        if not low <= value <= high:
            yield Fault(path, f"{str(value)[:_SHOWN]} is not between {low} and {high}")
    elif kind in ("quantity", "time"):
        yield from _syntax(value, kind, path)


def _syntax(value: Any, kind: str, path: str) -> Iterator[Fault]:
    try:
        if kind == "time":
            times.parse(value)
        else:
            quantity.parse(str(value))
    except KueuectlError as error:
        yield Fault(path, error.problem)


def _bounds(value: Any, bounds: Mapping[str, Any], path: str) -> Iterator[Fault]:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        if "minimum" in bounds and value < bounds["minimum"]:
            yield Fault(path, f"{value} is too small, at least {bounds['minimum']} is allowed")
        if "maximum" in bounds and value > bounds["maximum"]:
            yield Fault(path, f"{value} is too large, at most {bounds['maximum']} is allowed")
    if not isinstance(value, str):
        return
    if "enum" in bounds and value not in bounds["enum"]:
        yield Fault(path, f"{value[:_SHOWN]!r} is none of {', '.join(filter(None, bounds['enum']))}")
        return
    if len(value) < bounds.get("minLength", 0):
        yield Fault(path, "must not be empty")
        return
    if len(value) > bounds.get("maxLength", len(value)):
        yield Fault(path, f"has {len(value)} characters, at most {bounds['maxLength']} are allowed")
        return
    if "pattern" in bounds and not _pattern(bounds["pattern"]).fullmatch(value):
        yield Fault(path, f"{value[:_SHOWN]!r} is not valid: {_described(bounds['pattern'])}")


@lru_cache(maxsize=64)
def _pattern(text: str) -> re.Pattern[str]:
    """The pattern of the API in Python's syntax: it matches the whole text."""
    flags = re.IGNORECASE if "(?i)" in text else re.NOFLAG
    return re.compile(text.replace("(?i)", "").removeprefix("^").removesuffix("$"), flags | re.ASCII)


def _described(pattern: str) -> str:
    if "A-Z" in pattern:
        return "letters, digits, '-', '_' and '.', behind an optional prefix with '/'"
    if "\\." in pattern:
        return "lower case letters, digits, '-' and '.', with a letter or digit at both ends"
    return "lower case letters, digits and '-', with a letter or digit at both ends"
