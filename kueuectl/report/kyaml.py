"""KYAML, the strict kind of YAML that kubectl writes with `-o kyaml`: braces, quoted strings, commas at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kueuectl.report import formats

_INDENT = "  "
_is_plain_key = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*").fullmatch
# What a reader of YAML 1.1 takes for something else than text.
_AMBIGUOUS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})


def document(value: Any, *, ordered: bool = False) -> str:
    """A value as one document with a line end; `ordered` sorts the keys."""
    return "---\n" + "".join(_value(value, "", ordered)) + "\n"


def _value(value: Any, indent: str, ordered: bool) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _map(value, indent, ordered)
    elif isinstance(value, (list, tuple)):
        yield from _list(value, indent, ordered)
    else:
        yield formats.to_compact_json(value)


def _map(value: dict[str, Any], indent: str, ordered: bool) -> Iterator[str]:
    if not value:
        yield "{}"
        return
    yield "{\n"
    for key in sorted(value) if ordered else value:
        yield f"{indent}{_INDENT}{_key(str(key))}: "
        yield from _value(value[key], indent + _INDENT, ordered)
        yield ",\n"
    yield indent + "}"


def _list(value: list[Any] | tuple[Any, ...], indent: str, ordered: bool) -> Iterator[str]:
    """Maps stand next to each other's braces, all else in lines of its own."""
    if not value:
        yield "[]"
        return
    if all(isinstance(entry, dict) and entry for entry in value):
        for place, entry in enumerate(value):
            yield "[" if place == 0 else ", "
            yield from _map(entry, indent, ordered)
        yield "]"
        return
    yield "[\n"
    for entry in value:
        yield indent + _INDENT
        yield from _value(entry, indent + _INDENT, ordered)
        yield ",\n"
    yield indent + "]"


def _key(key: str) -> str:
    plain = _is_plain_key(key) and key.lower() not in _AMBIGUOUS
    return key if plain else formats.to_compact_json(key)
