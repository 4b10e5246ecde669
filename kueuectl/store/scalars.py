"""Plain YAML scalars to JSON values, as kubectl reads them.

null, ~ and nothing; true, false, yes, no, on and off in three spellings; decimal, octal, hexadecimal and binary
integers; floats. Everything else is a text, times and dates too, and so are y, n, .inf and .nan.
"""

from __future__ import annotations

import re

_WORDS: dict[str, bool | None] = {"": None, "~": None}
for _word, _meaning in (
    ("null", None),
    ("true", True),
    ("yes", True),
    ("on", True),
    ("false", False),
    ("no", False),
    ("off", False),
):
    for _spelling in (_word, _word.capitalize(), _word.upper()):
        _WORDS[_spelling] = _meaning

_FIRST = frozenset("0123456789+-.")
_INTEGER = re.compile(r"[-+]?(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+|0|[1-9][0-9_]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_INT64 = range(-(2**63), 2**64)
_MAX_LENGTH = 128

Scalar = str | int | float | bool | None


def resolve(text: str) -> Scalar:
    """The value of a plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST or len(text) > _MAX_LENGTH:
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        return _float(text)
    return text


def tagged(tag: str, text: str) -> Scalar:
    """The value of a scalar with a tag of YAML's core schema; raises ValueError on another, or one that doesn't fit."""
    kind = tag.removeprefix("tag:yaml.org,2002:")
    if kind in ("str", "timestamp", "binary"):
        return text
    value = resolve(text)
    wanted = {"null": type(None), "bool": bool, "int": int, "float": float}.get(kind)
    if kind == "float" and type(value) is int:
        return float(value)
    if wanted is None or type(value) is not wanted:
        raise ValueError(f"the tag {tag[:60]!r} does not fit {text[:40]!r}")
    return value


def _integer(text: str) -> Scalar:
    digits = text.replace("_", "").lower()
    sign = -1 if digits[0] == "-" else 1
    digits = digits.lstrip("+-")
    try:
        if digits[:2] in ("0x", "0b", "0o"):
            value = sign * int(digits, 0)
        elif digits.startswith("0") and len(digits) > 1:
            value = sign * int(digits, 8)
        else:
            value = sign * int(digits)
    except ValueError:
        return text
    return value if value in _INT64 else _float(text)


def _float(text: str) -> Scalar:
    try:
        value = float(text)
    except ValueError:
        return text
    # JSON has no infinity.
    return value if abs(value) < float("inf") else text
