"""Finds where values end in JSON text that is not all there yet. Knows strings and brackets, nothing else."""

from __future__ import annotations

import re
from typing import NamedTuple

# A whole string, a bracket, or the quote of a string that isn't complete. Possessive: no backtracking on long strings.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
_OPENING = b"{["
_QUOTE = b'"'


class Items(NamedTuple):
    """Where the last complete item ends, and where the list is closed (None: not in this text)."""

    end: int
    closed: int | None


def items(text: bytes, start: int) -> Items:
    """Scan the items of a list from the start of one; end is start where none is complete."""
    depth, end = 0, start
    for match in _TOKEN.finditer(text, start):
        token = match.group()
        if len(token) > 1:
            continue
        if token in _OPENING:
            depth += 1
        elif token == _QUOTE:
            break
        elif depth == 0:
            return Items(end, match.start())
        else:
            depth -= 1
            if depth == 0:
                end = match.end()
    return Items(end, None)


def value_end(text: bytes, start: int, *, depth: int = 0) -> int | None:
    """Where the object or list that starts here ends, None if that isn't in the text; depth: brackets open before."""
    for match in _TOKEN.finditer(text, start):
        token = match.group()
        if len(token) > 1:
            continue
        if token in _OPENING:
            depth += 1
        elif token == _QUOTE:
            return None
        else:
            depth -= 1
            if depth <= 0:
                return match.end()
    return None
