"""Durations as Go writes them: 5m, 1h30m, 1.5h, 300ms."""

from __future__ import annotations

import re

from kueuectl import times
from kueuectl.errors import InputError

_UNITS = {
    "ns": 1,
    "us": 1_000,
    "\u00b5s": 1_000,
    "\u03bcs": 1_000,
    "ms": 1_000_000,
    "s": times.SECOND,
    "m": times.MINUTE,
    "h": times.HOUR,
}
_PART = re.compile(r"(\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(ns|us|\u00b5s|\u03bcs|ms|s|m|h)", re.ASCII)
_MAX_LENGTH = 64
# What Go counts nanoseconds in: 292 years.
_MOST = 2**63 - 1


def parse(text: str) -> int:
    """Nanoseconds of a duration; raises InputError on anything else."""
    sign, rest = (-1, text[1:]) if text[:1] == "-" else (1, text[1:] if text[:1] == "+" else text)
    if rest == "0":
        return 0
    total, at = 0, 0
    while at < len(rest) and len(rest) <= _MAX_LENGTH:
        match = _PART.match(rest, at)
        if match is None:
            break
        whole, _, fraction = match.group(1).partition(".")
        unit = _UNITS[match.group(2)]
        total += int(whole or "0") * unit
        if fraction:
            total += int(fraction) * unit // 10 ** len(fraction)
        at = match.end()
    if not rest or at != len(rest) or total > _MOST:
        raise InputError(f"{text[:40]!r} is not a duration", hint="write it as 5m, 1h30m or 90s")
    return sign * total
