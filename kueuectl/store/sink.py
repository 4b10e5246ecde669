"""What readers of files read from, and what they hand objects to, as JSON bytes."""

from __future__ import annotations

from typing import Protocol

from kueuectl.api import wire


class Readable(Protocol):
    """Where bytes come from."""

    def read(self, size: int = -1, /) -> bytes:
        """Up to so many bytes; none at the end."""


class Sink(Protocol):
    """Takes objects and pages. A page that is no JSON raises NotJSONError, and then nothing of it was taken."""

    def add(self, raw: bytes, *, source: str = "") -> None:
        """Take an object or a whole list."""

    def add_page(self, raw: bytes, *, source: str = "", default: wire.Header | None = None) -> None:
        """Take a JSON array of objects; default says what they are where they don't."""

    def add_header(self, raw: bytes, *, source: str = "") -> wire.Header | None:
        """Take a list without its items; what its items are by default. Raises InputError when it is no list."""
