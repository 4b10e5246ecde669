"""Values in the notation of Go's package fmt: what %v, %d, %q and the other verbs make of them.

Values are those of JSON: texts, numbers, booleans, None, lists and maps. As in Go, a verb that doesn't fit is no error
but shows in the text: %!d(string=a).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from kueuectl.errors import InputError
from kueuectl.report.gotemplate_syntax import Literal

_FLAGS = "#0+- "
_MOST_WIDTH = 10_000
# Beyond it nothing useful is printed, and a loop would fill the memory.
MOST_TEXT = 1 << 26
_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\"}
_BASES = {"d": "d", "v": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}
_PREFIXES = {"b": "0b", "o": "0", "x": "0x", "X": "0X"}


class Spec(NamedTuple):
    """A verb with its flags, width and precision (None: not given)."""

    verb: str = "v"
    flags: str = ""
    width: int = 0
    precision: int | None = None


_PLAIN = Spec()
# From this power of ten on a float is written with an exponent, and below the other.
_EXPONENT_FROM, _EXPONENT_BELOW = 6, -4


def show(value: Any) -> str:
    """A value as %v prints it."""
    return value if isinstance(value, str) else _formatted(_PLAIN, value)


def joined(values: Sequence[Any]) -> str:
    """Values one after the other, with a blank between two of which neither is a text: Go's Sprint."""
    parts: list[str] = []
    for place, value in enumerate(values):
        if place and not isinstance(value, str) and not isinstance(values[place - 1], str):
            parts.append(" ")
        parts.append(show(value))
    return _limited("".join(parts))


def line(values: Sequence[Any]) -> str:
    """Values with blanks between them and a line end: Go's Sprintln."""
    return _limited(" ".join(map(show, values)) + "\n")


def type_of(value: Any) -> str:
    """The name that Go has for the type of a value."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int" if isinstance(value, Literal) else "int64"
    if isinstance(value, float):
        return "float64"
    if isinstance(value, Mapping):
        return "map[string]interface {}"
    return "[]interface {}" if isinstance(value, (list, tuple)) else "string"


def named(value: Any) -> str:
    """What a value is, in words: a string, a whole number."""
    if value is None:
        return "a missing value"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, (int, float)):
        return "a whole number" if isinstance(value, int) else "a fraction"
    return "a map" if isinstance(value, Mapping) else "a list"


def _limited(text: str) -> str:
    if len(text) > MOST_TEXT:
        raise InputError("the text becomes too long")
    return text


def filled(pattern: str, values: Sequence[Any]) -> str:
    """The pattern with its verbs filled in: Go's Sprintf. Raises InputError for a width beyond reason."""
    return _limited("".join(_Pattern(pattern, values).parts()))


class _Pattern:
    """A pattern while it is filled in; `_number` is the place of the next value."""

    def __init__(self, pattern: str, values: Sequence[Any]) -> None:
        self._pattern = pattern
        self._values = values
        self._at = 0
        self._number = 0
        self._is_reordered = False
        self._is_index_good = True

    def parts(self) -> list[str]:
        """Texts and filled verbs, then what was left over."""
        out: list[str] = []
        size = 0
        while self._at < len(self._pattern):
            percent = self._pattern.find("%", self._at)
            end = len(self._pattern) if percent < 0 else percent
            out.append(self._pattern[self._at : end])
            self._at = end + 1
            if percent >= 0:
                out.append(self._verb())
            size += len(out[-1])
            if size > MOST_TEXT:
                raise InputError("the text becomes too long")
        if not self._is_reordered and self._number < len(self._values):
            rest = ", ".join(_typed(value) for value in self._values[self._number :])
            out.append(f"%!(EXTRA {rest})")
        return out

    def _verb(self) -> str:
        self._is_index_good = True
        flags = self._taken(_FLAGS)
        self._index()
        problems: list[str] = []
        width = self._count("%!(BADWIDTH)", problems)
        if width is not None and width < 0:
            flags, width = flags + "-", -width
        precision = None
        if self._pattern.startswith(".", self._at):
            self._at += 1
            self._index()
            precision = self._count("%!(BADPREC)", problems)
            precision = 0 if precision is None else precision
            precision = None if precision < 0 else precision
        self._index()
        if self._at >= len(self._pattern):
            return "".join([*problems, "%!(NOVERB)"])
        verb = self._pattern[self._at]
        self._at += 1
        return "".join([*problems, self._with(Spec(verb, flags, width or 0, precision))])

    def _with(self, spec: Spec) -> str:
        if spec.verb == "%":
            return "%"
        if not self._is_index_good:
            return f"%!{spec.verb}(BADINDEX)"
        if self._number >= len(self._values):
            return f"%!{spec.verb}(MISSING)"
        self._number += 1
        return _formatted(spec, self._values[self._number - 1])

    def _taken(self, chars: str) -> str:
        start = self._at
        while self._at < len(self._pattern) and self._pattern[self._at] in chars:
            self._at += 1
        return self._pattern[start : self._at]

    def _index(self) -> None:
        """Take `[n]`, the number of the value that comes next."""
        if not self._pattern.startswith("[", self._at):
            return
        self._is_reordered = True
        match = re.compile(r"\[([0-9]{1,9})\]").match(self._pattern, self._at)
        if match is None:
            close = self._pattern.find("]", self._at)
            self._at = close + 1 if close >= 0 else self._at + 1
            self._is_index_good = False
            return
        self._at = match.end()
        number = int(match[1]) - 1
        if 0 <= number < len(self._values):
            self._number = number
        else:
            self._is_index_good = False

    def _count(self, problem: str, problems: list[str]) -> int | None:
        """A width or precision: digits, or * for the next value; None where there is none."""
        if self._pattern.startswith("*", self._at):
            self._at += 1
            value = self._values[self._number] if self._number < len(self._values) else None
            self._number += 1
            if isinstance(value, bool) or not isinstance(value, int):
                problems.append(problem)
                return None
            number = int(value)
        else:
            digits = self._taken("0123456789")
            if not digits:
                return None
            number = int(digits) if len(digits) < 10 else _MOST_WIDTH + 1
        if abs(number) > _MOST_WIDTH:
            raise InputError(f"a width or precision is above {_MOST_WIDTH}")
        return number


def _typed(value: Any) -> str:
    return "<nil>" if value is None else f"{type_of(value)}={show(value)}"


def _padded(spec: Spec, text: str, *, zeros: bool = False) -> str:
    if "-" in spec.flags:
        return text.ljust(spec.width)
    return text.rjust(spec.width, "0" if zeros and "0" in spec.flags else " ")


def _formatted(spec: Spec, value: Any) -> str:
    if spec.verb == "T":
        return _padded(spec, type_of(value))
    if spec.verb == "v" and "#" in spec.flags:
        return _padded(spec, _in_go(value))
    if spec.verb == "v" and "+" in spec.flags:
        # It means names of fields there, and objects have none.
        spec = spec._replace(flags=spec.flags.replace("+", ""))
    if value is None:
        return _padded(spec, "<nil>") if spec.verb == "v" else f"%!{spec.verb}(<nil>)"
    found: str | None
    if isinstance(value, bool):
        found = _padded(spec, str(value).lower()) if spec.verb in "tv" else None
    elif isinstance(value, int):
        found = _integer(spec, int(value))
    elif isinstance(value, float):
        found = _float(spec, value)
    elif isinstance(value, Mapping):
        pairs = (f"{_formatted(spec, str(key))}:{_formatted(spec, value[key])}" for key in sorted(value, key=str))
        return f"map[{' '.join(pairs)}]"
    elif isinstance(value, (list, tuple)):
        return f"[{' '.join(_formatted(spec, one) for one in value)}]"
    else:
        found = _text(spec, str(value))
    return f"%!{spec.verb}({_typed(value)})" if found is None else found


def _in_go(value: Any) -> str:
    """A value as Go's source would have it: %#v."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        pairs = (f"{quoted(str(key))}:{_in_go(value[key])}" for key in sorted(value, key=str))
        return f"{type_of(value)}{{{', '.join(pairs)}}}"
    if isinstance(value, (list, tuple)):
        return f"{type_of(value)}{{{', '.join(map(_in_go, value))}}}"
    return show(value)


def _signed(spec: Spec, *, is_negative: bool) -> str:
    if is_negative:
        return "-"
    return "+" if "+" in spec.flags else " " if " " in spec.flags else ""


def _integer(spec: Spec, value: int) -> str | None:
    verb = spec.verb
    if verb in ("c", "q", "U"):
        return _character(spec, value)
    if verb not in _BASES:
        return None
    digits = format(abs(value), _BASES[verb]).rjust(spec.precision or 0, "0")
    prefix = "0o" if verb == "O" else _PREFIXES.get(verb, "") if "#" in spec.flags else ""
    sign = _signed(spec, is_negative=value < 0)
    if "0" in spec.flags and "-" not in spec.flags and spec.precision is None:
        digits = digits.rjust(spec.width - len(sign), "0")
    return _padded(spec, sign + prefix + digits)


def _character(spec: Spec, value: int) -> str:
    char = chr(value) if 0 <= value < 0x110000 and not 0xD800 <= value < 0xE000 else "\ufffd"
    if spec.verb == "c":
        return _padded(spec, char)
    if spec.verb == "q":
        escaped = "\\'" if char == "'" else '"' if char == '"' else _escaped(char, ascii_only="+" in spec.flags)
        return _padded(spec, f"'{escaped}'")
    shown = f"U+{value & 0xFFFFFFFFFFFFFFFF:04X}"
    return _padded(spec, f"{shown} '{char}'" if "#" in spec.flags and char.isprintable() else shown)


def _float(spec: Spec, value: float) -> str | None:
    verb = spec.verb
    if verb not in "veEfFgG":
        return None
    if math.isnan(value) or math.isinf(value):
        return _padded(spec, "NaN" if math.isnan(value) else "-Inf" if value < 0 else "+Inf")
    size = abs(value)
    if verb in "vgG":
        digits = _shortest(size) if spec.precision is None else format(size, f".{spec.precision or 1}g")
        digits = digits.upper() if verb == "G" else digits
    else:
        precision = 6 if spec.precision is None else spec.precision
        digits = format(size, f".{precision}{verb}")
    sign = _signed(spec, is_negative=math.copysign(1, value) < 0)
    if "0" in spec.flags and "-" not in spec.flags:
        digits = digits.rjust(spec.width - len(sign), "0")
    return _padded(spec, sign + digits)


def _shortest(size: float) -> str:
    """The fewest digits that mean this number, with an exponent where it is small or large."""
    _, digits, exponent = Decimal(repr(size)).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).lstrip("0") or "0"
    power = len(text) - 1 + exponent if size else 0
    stripped = text.rstrip("0") or "0"
    if power < _EXPONENT_BELOW or power >= _EXPONENT_FROM:
        mantissa = stripped[0] + (f".{stripped[1:]}" if len(stripped) > 1 else "")
        return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"
    plain = format(Decimal(repr(size)), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _text(spec: Spec, value: str) -> str | None:
    if spec.precision is not None and spec.verb in "svqxX":
        value = value[: spec.precision]
    if spec.verb in ("s", "v"):
        return _padded(spec, value, zeros=True)
    if spec.verb == "q":
        can_be_raw = "`" not in value and all(char.isprintable() or char == "\t" for char in value)
        if "#" in spec.flags and can_be_raw:
            return _padded(spec, f"`{value}`")
        return _padded(spec, quoted(value, ascii_only="+" in spec.flags))
    if spec.verb not in ("x", "X"):
        return None
    body = value.encode("utf-8", "surrogatepass").hex(*((" ",) if " " in spec.flags else ()))
    body = "0x" + body if "#" in spec.flags and body else body
    return _padded(spec, body.upper() if spec.verb == "X" else body)


def quoted(value: str, *, ascii_only: bool = False) -> str:
    """A text in double quotes, with escapes for what can't be printed."""
    inner = (('\\"' if char == '"' else _escaped(char, ascii_only=ascii_only)) for char in value)
    return f'"{"".join(inner)}"'


def _escaped(char: str, *, ascii_only: bool = False) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable() and (char.isascii() or not ascii_only):
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
