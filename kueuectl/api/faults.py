"""Says where an object is wrong: walks its JSON beside the wire type, once decoding it has failed.

The fast decoder stops at the first fault without naming list positions and map keys; a user needs those.
"""

from __future__ import annotations

import types
import typing
from typing import Any, NamedTuple

import msgspec

from kueuectl import quantity, times
from kueuectl.api import durations, wire, wire_configuration
from kueuectl.errors import KueuectlError

_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "a boolean"}
_SHOWN = 40


class Fault(NamedTuple):
    """A field path as the API server writes it, and what is wrong there."""

    path: str
    problem: str


def find(value: Any, shape: Any, path: str = "") -> Fault | None:
    """The first fault of a decoded JSON value against a wire type, None where there is none."""
    marks: tuple[Any, ...] = ()
    if typing.get_origin(shape) is typing.Annotated:
        shape, *rest = typing.get_args(shape)
        marks = tuple(rest)
    if shape is msgspec.Raw:
        # What stays raw at first may still be null, as everything may.
        return None if value is None else find(value, marks[0], path)
    if typing.get_origin(shape) in (types.UnionType, typing.Union):
        return _find_union(value, (shape, marks), path)
    if shape is Any:
        return None
    return _find_plain(value, (shape, marks), path)


def _find_union(value: Any, what: tuple[Any, tuple[Any, ...]], path: str) -> Fault | None:
    shape, marks = what
    options = typing.get_args(shape)
    if value is None and type(None) in options:
        return None
    present = [option for option in options if option is not type(None)]
    if len(present) == 1:
        return find(value, present[0], path)
    if type(value) not in present:
        return Fault(path, f"expected a string or a number, found {describe(value)}")
    return _find_syntax(value, marks, path)


def _find_plain(value: Any, what: tuple[Any, tuple[Any, ...]], path: str) -> Fault | None:
    shape, marks = what
    origin = typing.get_origin(shape)
    if origin is list:
        return _find_list(value, typing.get_args(shape)[0], path)
    if origin is dict:
        return _find_dict(value, typing.get_args(shape)[1], path)
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        return _find_struct(value, shape, path)
    if type(value) is not shape and not (shape is float and type(value) is int):
        return Fault(path, f"expected {_NAMES.get(shape, shape.__name__)}, found {describe(value)}")
    return _find_syntax(value, marks, path)


def _find_list(value: Any, shape: Any, path: str) -> Fault | None:
    if not isinstance(value, list):
        return Fault(path, f"expected a list, found {describe(value)}")
    for index, entry in enumerate(value):
        fault = find(entry, shape, f"{path}[{index}]")
        if fault:
            return fault
    return None


def _find_dict(value: Any, shape: Any, path: str) -> Fault | None:
    if not isinstance(value, dict):
        return Fault(path, f"expected a map, found {describe(value)}")
    for key, entry in value.items():
        fault = find(entry, shape, f"{path}[{_cut(str(key))}]")
        if fault:
            return fault
    return None


def _find_struct(value: Any, shape: type[msgspec.Struct], path: str) -> Fault | None:
    if not isinstance(value, dict):
        return Fault(path, f"expected a map, found {describe(value)}")
    hints = typing.get_type_hints(shape, include_extras=True)
    for name, key in zip(shape.__struct_fields__, shape.__struct_encode_fields__, strict=True):
        if key in value:
            fault = find(value[key], hints[name], f"{path}.{key}" if path else key)
            if fault:
                return fault
    return None


def _find_syntax(value: Any, marks: tuple[Any, ...], path: str) -> Fault | None:
    try:
        for mark in marks:
            if mark == wire.QUANTITY:
                quantity.parse(value if isinstance(value, str) else repr(value))
            elif mark == wire.TIME and value:
                times.parse(value)
            elif mark == wire_configuration.DURATION and value:
                durations.parse(value)
            elif isinstance(mark, msgspec.Meta):
                low, high = mark.ge, mark.le
                if (low is not None and value < low) or (high is not None and value > high):
                    return Fault(path, f"{_cut(str(value))} is not between {low} and {high}")
    except KueuectlError as error:
        return Fault(path, error.problem)
    return None


def describe(value: Any) -> str:
    """A JSON value's type, with the value where it is short."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {_cut(repr(value))}"
    if isinstance(value, str):
        return f"the string {_cut(repr(value))}"
    return "a list" if isinstance(value, list) else "a map"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
