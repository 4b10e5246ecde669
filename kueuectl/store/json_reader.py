"""Reads JSON of any size: one object, several after each other, or a list of any length, a page at a time.

A page is cut where an item seems to end, by the look of how items start. That it really ends there shows when the page
is decoded: brackets only balance at a right cut. Only when no guess is right the text is scanned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from kueuectl.api import wire
from kueuectl.api.decoding import NotJSONError
from kueuectl.errors import InputError
from kueuectl.store import scan
from kueuectl.store.sink import Readable, Sink

# What a page is decoded to should stay in the processor's cache while it is made into the model.
PAGE_BYTES = 128 << 10
# The API server stores no object of more than 1.5 MiB; a list in a list of ours would be larger.
MAX_OBJECT_BYTES = 32 << 20
MAX_FILE_BYTES = 4 << 30

_SPACE = b" \t\r\n"
_ITEMS = re.compile(rb'"items"\s*:\s*\[')
# How an item starts: with its version and kind, or at least with its first key.
_START = re.compile(
    rb'\{\s*"(?:apiVersion|kind)"\s*:\s*"[^"\\]*"\s*,\s*"(?:kind|apiVersion)"\s*:\s*"[^"\\]*"|\{\s*"[^"\\]*"'
)
_MAX_CUTS = 4
_BYTE = re.compile(r"\(byte (\d+)\)")
_HEADER = msgspec.json.Decoder(wire.Header)


def read(stream: Readable, sink: Sink, *, source: str, page_bytes: int = PAGE_BYTES) -> None:
    """Hand everything in the stream to the sink; raises InputError, and then what it got counts for nothing."""
    _Reader(stream, sink, source=source, page_bytes=page_bytes).read()


class _Reader:
    """A window on the stream: text[at:] is what was read and not handed over."""

    def __init__(self, stream: Readable, sink: Sink, *, source: str, page_bytes: int) -> None:
        self._stream = stream
        self._sink = sink
        self._source = source
        self._page_bytes = page_bytes
        self._text = b""
        self._at = 0
        self._total = 0
        self._is_done = False

    def read(self) -> None:
        """Read value after value."""
        while True:
            self._need(self._page_bytes)
            self._skip_space()
            if self._at == len(self._text):
                if self._is_done:
                    return
                continue
            self._read_value()

    def _read_value(self) -> None:
        if self._is_done:
            try:
                self._sink.add(self._text[self._at :], source=self._source)
                self._at = len(self._text)
                return
            except NotJSONError as error:
                # Several values, or a fault; the fault is told as it was found.
                end = scan.value_end(self._text, self._at)
                if end is None or not self._text[end:].strip():
                    raise self._placed(error, self._at) from error
        head = self._find_items()
        if head is not None:
            self._read_list(head)
            return
        end = self._grow_to(0)
        try:
            self._sink.add(self._text[self._at : end], source=self._source)
        except NotJSONError as error:
            raise self._placed(error, self._at) from error
        self._at = end

    def _find_items(self) -> int | None:
        """Where the first item of the list that starts here is, None if it is no list, or its items come late."""
        for match in _ITEMS.finditer(self._text, self._at):
            if self._header_of(match.end()) is not None:
                return match.end()
        return None

    def _header_of(self, items_at: int) -> wire.Header | None:
        """What stands before the items; None when they are not on the first level."""
        try:
            return _HEADER.decode(self._text[self._at : items_at - 1] + b"null}")
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return None

    def _read_list(self, items_at: int) -> None:
        header = self._header_of(items_at)
        head = self._text[self._at : items_at - 1] + b"null"
        self._at = items_at
        default = None
        if header is not None and header.kind and header.api_version:
            default = self._sink.add_header(head + b"}", source=self._source)
        late: list[bytes] = []
        is_late = self._read_items(default, late, is_known=bool(header and header.kind))
        end = self._grow_to(1)
        default = self._sink.add_header(head + self._text[self._at : end], source=self._source)
        self._at = end
        if is_late:
            for page in late:
                self._sink.add_page(page, source=self._source, default=default)

    def _read_items(self, default: wire.Header | None, late: list[bytes], *, is_known: bool) -> bool:
        """Hand over the items, up to behind the closing bracket. True: they wait in late until their kind is known."""
        is_late, is_first = False, True
        while True:
            self._need(self._page_bytes)
            self._skip_space()
            if self._text[self._at : self._at + 1] == b"]":
                self._at += 1
                return is_late
            if not is_first:
                self._expect_comma()
            elif not is_known:
                is_late = self._lacks_kind()
            is_first = False
            self._read_page(default, late if is_late else None)

    def _expect_comma(self) -> None:
        if self._text[self._at : self._at + 1] != b",":
            raise self._broken("a comma or the end of the list is missing")
        self._at += 1
        self._skip_space()

    def _lacks_kind(self) -> bool:
        """Whether the first item does not say what it is, as in the lists of built-in kinds."""
        end = self._grow_to(0)
        try:
            return not _HEADER.decode(self._text[self._at : end]).kind
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return False

    def _read_page(self, default: wire.Header | None, late: list[bytes] | None) -> None:
        if late is None:
            for cut in self._cuts():
                try:
                    self._hand_over(cut, default)
                    return
                except NotJSONError:
                    continue
        while True:
            found = scan.items(self._text, self._at)
            if found.closed is not None or found.end > self._at:
                break
            self._more()
        cut = found.end if found.closed is None else found.closed
        if late is None:
            self._hand_over(cut, default)
        else:
            late.append(b"[" + self._text[self._at : cut] + b"]")
            self._at = cut

    def _hand_over(self, cut: int, default: wire.Header | None) -> None:
        page = b"".join((b"[", memoryview(self._text)[self._at : cut], b"]"))
        try:
            self._sink.add_page(page, source=self._source, default=default)
        except NotJSONError as error:
            # The page has a bracket in front.
            raise self._placed(error, self._at - 1) from error
        self._at = cut

    def _cuts(self) -> Iterator[int]:
        """Where an item seems to end, the last first."""
        text, at = self._text, self._at
        match = _START.match(text, at)
        if match is None:
            return
        start, end = match.group(), len(text)
        for _ in range(_MAX_CUTS):
            end = text.rfind(start, at + 1, end)
            if end < 0:
                return
            before = text[max(at, end - 256) : end].rstrip(_SPACE)
            if before.endswith(b","):
                yield end - len(text[max(at, end - 256) : end]) + len(before) - 1

    def _grow_to(self, depth: int) -> int:
        """Where the value that starts here ends; reads on until it is all there."""
        while True:
            end = scan.value_end(self._text, self._at, depth=depth)
            if end is not None:
                return end
            self._more()

    def _more(self) -> None:
        if self._is_done:
            raise self._broken("Input data was truncated")
        held = len(self._text) - self._at
        if held > MAX_OBJECT_BYTES:
            raise InputError(
                f"an object has more than {MAX_OBJECT_BYTES >> 20} MiB, or is not JSON", source=self._source
            )
        self._need(held + max(held, self._page_bytes))

    def _need(self, size: int) -> None:
        """Have at least so many bytes in the window, or all that is left."""
        held = len(self._text) - self._at
        if held >= size or self._is_done:
            return
        parts = [self._text[self._at :]]
        while held < size:
            part = self._stream.read(size - held)
            if not part:
                self._is_done = True
                break
            parts.append(part)
            held += len(part)
            self._total += len(part)
        if self._total > MAX_FILE_BYTES:
            raise InputError(f"is larger than {MAX_FILE_BYTES >> 30} GiB", source=self._source)
        self._text, self._at = b"".join(parts), 0

    def _skip_space(self) -> None:
        while True:
            while self._text[self._at : self._at + 1] in (b" ", b"\t", b"\r", b"\n"):
                self._at += 1
            if self._at < len(self._text) or self._is_done:
                return
            self._need(self._page_bytes)

    def _placed(self, error: NotJSONError, start: int) -> NotJSONError:
        """The fault in a part of the window that starts there, with the byte of the whole stream."""
        offset = self._total - len(self._text) + start
        problem = _BYTE.sub(lambda match: f"(byte {offset + int(match.group(1))})", error.problem)
        return NotJSONError(problem, source=error.source, obj=error.object, path=error.path, hint=error.hint)

    def _broken(self, problem: str) -> NotJSONError:
        byte = self._total - (len(self._text) - self._at)
        return NotJSONError(f"is not JSON: {problem} (byte {byte})", source=self._source)
