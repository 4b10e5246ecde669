"""The functions that a Go template may call: those that Go defines, and kubectl's exists and base64decode."""

from __future__ import annotations

import base64
import binascii
import re
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kueuectl.report import goformat
from kueuectl.report.gotemplate_syntax import Literal, cut

NO_VALUE = "<no value>"
_HTML = {"&": "&amp;", "'": "&#39;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "\0": "\ufffd"}
_SCRIPT = {"\\": "\\\\", "'": "\\'", '"': '\\"'}
# Evaluated by the interpreter, since they leave out what they don't need.
SHORT = ("and", "or")


class FunctionError(Exception):
    """A function can't work with what it was given; the interpreter says where."""


class Function(NamedTuple):
    """A function with how many values it takes; `most` is -1 for any number."""

    run: Callable[..., Any]
    least: int
    most: int = -1


def is_true(value: Any) -> bool:
    """Whether a value counts as true: not missing, not null, not false, not 0, not empty."""
    return bool(value)


def _kind(value: Any) -> str:
    """What a value is, as comparisons see it."""
    if isinstance(value, (list, tuple, Mapping)) or value is None:
        return ""
    if isinstance(value, bool):
        return "bool"
    return "int" if isinstance(value, int) else "float" if isinstance(value, float) else "string"


def _equal(first: Any, *others: Any) -> bool:
    if not others:
        raise FunctionError("nothing to compare with")
    return any(_is_same(first, other) for other in others)


def _is_same(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    kind = _kind(left)
    if kind != _kind(right):
        raise FunctionError(f"can't compare {goformat.named(left)} with {goformat.named(right)}")
    if not kind:
        raise FunctionError("lists and maps can't be compared")
    return bool(left == right)


def _less(left: Any, right: Any) -> bool:
    kind = _kind(left)
    if kind not in ("int", "float", "string") or not _kind(right):
        wrong = right if kind in ("int", "float", "string") else left
        raise FunctionError(f"{goformat.named(wrong)} has no order")
    if kind != _kind(right):
        raise FunctionError(f"can't compare {goformat.named(left)} with {goformat.named(right)}")
    return bool(left < right)


def _length(value: Any) -> Any:
    if isinstance(value, str):
        return Literal(len(_bytes(value)))
    if isinstance(value, (list, tuple, Mapping)):
        return Literal(len(value))
    raise FunctionError(f"{goformat.named(value)} has no length")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _index(item: Any, *places: Any) -> Any:
    if item is None:
        raise FunctionError("a missing value has nothing to index")
    for place in places:
        if isinstance(item, Mapping):
            if not isinstance(place, str):
                raise FunctionError(f"a key is a string, not {goformat.named(place)}")
            item = item.get(place)
        elif isinstance(item, (list, tuple, str)):
            held: Sequence[Any] = _bytes(item) if isinstance(item, str) else item
            item = held[_place(place, len(held) - 1)]
        else:
            raise FunctionError(f"{goformat.named(item)} has nothing to index")
    return item


def _place(place: Any, most: int) -> int:
    """A place in a list that ends at `most`."""
    if isinstance(place, bool) or not isinstance(place, int):
        raise FunctionError(f"a place in a list is a whole number, not {goformat.named(place)}")
    if not 0 <= place <= most:
        raise FunctionError(f"index out of range: {int(place)}")
    return int(place)


def _slice(item: Any, *places: Any) -> Any:
    if not isinstance(item, (list, tuple, str)):
        raise FunctionError(f"{goformat.named(item)} can't be sliced")
    if len(places) > 3:
        raise FunctionError("too many places")
    if len(places) == 3 and isinstance(item, str):
        raise FunctionError("a string takes two places")
    held: Sequence[Any] = _bytes(item) if isinstance(item, str) else item
    found = [_place(place, len(held)) for place in places]
    if sorted(found) != found:
        raise FunctionError(f"places are in no order: {', '.join(map(str, found))}")
    start, end = found[0] if found else 0, found[1] if len(found) > 1 else len(held)
    part = held[start:end]
    return part.decode("utf-8", "replace") if isinstance(part, bytes) else part


def _printf(pattern: Any, *values: Any) -> str:
    if not isinstance(pattern, str):
        raise FunctionError(f"the pattern is a string, not {goformat.named(pattern)}")
    return goformat.filled(pattern, values)


def _text(values: Sequence[Any]) -> str:
    return goformat.joined([NO_VALUE if value is None else value for value in values])


def _html(*values: Any) -> str:
    return re.sub("[&'<>\"\0]", lambda match: _HTML[match.group()], _text(values))


def _script(*values: Any) -> str:
    return "".join(map(_in_script, _text(values)))


def _in_script(char: str) -> str:
    if char in _SCRIPT:
        return _SCRIPT[char]
    if char in "<>&=" or not char.isprintable():
        return f"\\u{ord(char):04X}"
    return char


def _query(*values: Any) -> str:
    return urllib.parse.quote_plus(_text(values), errors="replace")


def _call(*_: Any) -> Any:
    raise FunctionError("objects have nothing to call")


def _exists(item: Any, *places: Any) -> bool:
    try:
        return _index(item, *places) is not None
    except FunctionError:
        return False


def _decoded(value: Any) -> str:
    if not isinstance(value, str):
        raise FunctionError(f"a string is decoded, not {goformat.named(value)}")
    try:
        body = base64.b64decode("".join(value.splitlines()), validate=True)
    except (binascii.Error, ValueError):
        raise FunctionError(f"{cut(value)!r} is not base64") from None
    return body.decode("utf-8", "replace")


FUNCTIONS = {
    "base64decode": Function(_decoded, 1, 1),
    "call": Function(_call, 1),
    "eq": Function(_equal, 1),
    "exists": Function(_exists, 1),
    "ge": Function(lambda left, right: not _less(left, right), 2, 2),
    "gt": Function(lambda left, right: not (_less(left, right) or left == right), 2, 2),
    "html": Function(_html, 0),
    "index": Function(_index, 1),
    "js": Function(_script, 0),
    "le": Function(lambda left, right: _less(left, right) or bool(left == right), 2, 2),
    "len": Function(_length, 1, 1),
    "lt": Function(_less, 2, 2),
    "ne": Function(lambda left, right: not _is_same(left, right), 2, 2),
    "not": Function(lambda value: not is_true(value), 1, 1),
    "print": Function(lambda *values: goformat.joined(values), 0),
    "printf": Function(_printf, 1),
    "println": Function(lambda *values: goformat.line(values), 0),
    "slice": Function(_slice, 1),
    "urlquery": Function(_query, 0),
}
NAMES = frozenset((*FUNCTIONS, *SHORT))
