"""The user's --from arguments to streams: files, folders, standard input, shipped examples."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import BinaryIO, cast

from kueuectl.api.decoding import NotJSONError
from kueuectl.errors import InputError, UsageError
from kueuectl.store import examples, json_reader, yaml_reader
from kueuectl.store.sink import Readable, Sink

STDIN = "-"
STDIN_NAME = "<stdin>"
EXAMPLE = "example:"
SUFFIXES = (".yaml", ".yml", ".json")
# Enough to tell what a file is; one that is no larger may be read again as the other format.
_PEEK_BYTES = 1 << 20
_SPACE = b" \t\r\n"
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Source:
    """One stream to read: its name for messages, and how to open it. Standard input is not closed after it."""

    name: str
    open: Callable[[], BinaryIO]
    keeps_open: bool = False


def expand(arguments: Sequence[str], *, stdin: BinaryIO | None) -> list[Source]:
    """The streams that arguments name, in order; a folder's in the order of their names.

    Raises InputError for what is not there, and UsageError when standard input is named twice.
    """
    found: list[Source] = []
    for argument in arguments:
        if not argument:
            raise UsageError("an empty path names nothing", hint="is a variable of the shell not set?")
        if argument == STDIN:
            if any(source.name == STDIN_NAME for source in found):
                raise UsageError("standard input can be read only once", hint="give `--from -` once")
            found.append(Source(STDIN_NAME, lambda: stdin or io.BytesIO(), keeps_open=True))
        elif argument.startswith(EXAMPLE):
            found += _example(argument)
        else:
            found += _path(Path(argument), argument)
    return found


def read(source: Source, sink: Sink) -> None:
    """Hand everything in a stream to the sink. YAML or JSON is told from the content."""
    try:
        stream = source.open()
        try:
            _read(stream, sink, source.name)
        finally:
            if not source.keeps_open:
                stream.close()
    except OSError as error:
        raise InputError(f"cannot be read: {_reason(error)}", source=source.name) from error


def _read(stream: BinaryIO, sink: Sink, name: str) -> None:
    head = _peek(stream)
    if head.startswith(_UTF16_MARKS):
        try:
            head = (head + stream.read()).decode("utf-16").encode()
        except UnicodeDecodeError as error:
            raise InputError("is not text", source=name) from error
    head = head.removeprefix(_UTF8_MARK)
    text = head.lstrip(_SPACE)
    if not text:
        hint = "standard input can be read only once" if name == STDIN_NAME else ""
        raise InputError("is empty", source=name, hint=hint)
    if head.startswith(_GZIP):
        raise InputError("is compressed", source=name, hint="unpack it with gunzip first")
    if b"\0" in head:
        raise InputError("is a binary file, neither YAML nor JSON", source=name)
    whole = _Joined(head, stream)
    if text[:1] not in b"{[":
        yaml_reader.read(whole, sink, source=name)
        return
    try:
        json_reader.read(whole, sink, source=name)
    except NotJSONError as error:
        # YAML may start with a brace too. What that says about text in JSON would only mislead.
        if len(head) >= _PEEK_BYTES or not _read_as_yaml(head, sink, name):
            raise error


def _read_as_yaml(text: bytes, sink: Sink, name: str) -> bool:
    try:
        yaml_reader.read(io.BytesIO(text), sink, source=name)
    except InputError:
        return False
    return True


def _peek(stream: BinaryIO) -> bytes:
    """The first bytes: a full peek, or all there is."""
    parts, size = [], 0
    while size < _PEEK_BYTES:
        part = stream.read(_PEEK_BYTES - size)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


class _Joined:
    """Bytes that were read already, and then the rest of their stream."""

    def __init__(self, head: bytes, rest: Readable) -> None:
        self._head = head
        self._at = 0
        self._rest = rest

    def read(self, size: int = -1, /) -> bytes:
        """Up to so many bytes."""
        if self._at >= len(self._head):
            return self._rest.read(size)
        if size < 0:
            return self._head[self._at :] + self._rest.read()
        part = self._head[self._at : self._at + size]
        self._at += size
        return part


def _example(argument: str) -> list[Source]:
    example = examples.find(argument.removeprefix(EXAMPLE))
    files = example.files if example.config is None else (*example.files, example.config)
    return [Source(f"{EXAMPLE}{file.name}", _opener(file)) for file in files]


def _path(path: Path, argument: str) -> list[Source]:
    try:
        if path.is_dir():
            found = sorted(
                entry
                for entry in path.iterdir()
                if entry.suffix in SUFFIXES and not entry.name.startswith(".") and not entry.is_dir()
            )
            if not found:
                raise InputError(f"the folder has no file that ends in {', '.join(SUFFIXES)}", source=argument)
            return [Source(str(entry), _opener(entry)) for entry in found]
        if not path.exists():
            raise InputError("there is no such file or folder", source=argument)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {_reason(error)}", source=argument) from error
    return [Source(argument, _opener(path))]


def _opener(path: Path | Traversable) -> Callable[[], BinaryIO]:
    return lambda: cast(BinaryIO, path.open("rb"))


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror or "the system refuses") if isinstance(error, OSError) else str(error)
