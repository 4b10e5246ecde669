"""Times as integers: nanoseconds since the Unix epoch, UTC, as RFC 3339 on the wire."""

from __future__ import annotations

from datetime import UTC, datetime

from kueuectl.errors import InputError

SECOND = 1_000_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The years 1 to 9999 are all that RFC 3339 has.
_FIRST, _LAST = -62_135_596_800 * SECOND, 253_402_300_800 * SECOND - 1


def parse(text: str) -> int:
    """Nanoseconds since the epoch of an RFC 3339 text; raises InputError on anything else."""
    head, nanos = text, 0
    dot = text.find(".")
    try:
        if dot >= 0:
            end = dot + 1
            while end < len(text) and text[end].isdigit():
                end += 1
            digits = text[dot + 1 : end]
            nanos = int(digits[:9].ljust(9, "0"))
            head = text[:dot] + text[end:]
        # Python reads more than RFC 3339 has: weeks, other digits, dates without dashes.
        if len(head) < 20 or head[10] not in "Tt " or head[4] + head[7] != "--" or not text.isascii():
            raise ValueError(text)
        moment = datetime.fromisoformat(head.upper())
    except ValueError as error:
        raise InputError(f"{text!r} is not a time", hint="write it as 2026-11-29T17:00:00Z") from error
    if moment.tzinfo is None:
        raise InputError(f"{text!r} has no time zone", hint="write it as 2026-11-29T17:00:00Z")
    delta = moment - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * SECOND + nanos


def format_time(when: int) -> str:
    """RFC 3339 in UTC, with a fraction only where there is one. What it has no year for is its first or last moment."""
    seconds, nanos = divmod(max(_FIRST, min(when, _LAST)), SECOND)
    text = datetime.fromtimestamp(seconds, UTC).isoformat()[:19]
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    return f"{text}{fraction}Z"


def format_age(span: int) -> str:
    """A duration as kubectl prints ages: 45s, 5m, 3h20m, 2d, 400d, 3y."""
    seconds = span // SECOND
    if seconds < 0:
        return "0s" if seconds >= -1 else "<invalid>"
    if seconds < 120:
        return f"{seconds}s"
    minutes = seconds // 60
    if minutes < 10:
        rest = seconds % 60
        return f"{minutes}m{rest}s" if rest else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    hours = minutes // 60
    if hours < 8:
        rest = minutes % 60
        return f"{hours}h{rest}m" if rest else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    days = hours // 24
    if hours < 192:
        rest = hours % 24
        return f"{days}d{rest}h" if rest else f"{days}d"
    if days < 730:
        return f"{days}d"
    years = days // 365
    if years < 8:
        rest = days % 365
        return f"{years}y{rest}d" if rest else f"{years}y"
    return f"{years}y"
