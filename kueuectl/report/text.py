"""Text that is safe to show: names and messages of a cluster are written by strangers."""

from __future__ import annotations

import unicodedata

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\x1b"}


def clean(text: str) -> str:
    """The text with everything escaped that a terminal could act on.

    Escaped are control characters (C0, C1, DEL), line and tab breaks, bidirectional overrides, zero-width characters,
    odd spaces and lone surrogates: all that `str.isprintable` refuses. Printable text comes back unchanged.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else escape(char) for char in text)


def clean_lines(text: str) -> str:
    """As `clean`, but line breaks and tabs stay: for text of our own that quotes a cluster."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else escape(char) for char in text)


def escape(char: str) -> str:
    """One character as an escape sequence in ASCII: \\n, \\x1b, \\u202e, \\U000e0001."""
    named = _NAMED.get(char)
    if named is not None:
        return named
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def width(text: str) -> int:
    """How many columns of a terminal the text takes; the text is clean."""
    if text.isascii():
        return len(text)
    total = 0
    for char in text:
        if unicodedata.combining(char):
            continue
        total += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return total
