"""Writes dumps: one JSON List with an object on each line, cut down to what decides something.

The List's annotations say when the state was read (`kueuectl.io/saved-at`) and by which version; reading the file
back gives the same state.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from kueuectl import times
from kueuectl.api import decoding, installation, reduce
from kueuectl.api.collect import SAVED_AT
from kueuectl.errors import InputError, KueuectlError
from kueuectl.store.load import parse
from kueuectl.store.raw import CONFIGURATION

VERSION = "kueuectl.io/version"
_NO_CONFIG_MAP = b'{"metadata":{"name":"kueue-manager-config","namespace":"kueue-system"}}'


def write(out: BinaryIO, objects: Iterable[bytes | dict[str, Any]], *, saved_at: int, version: str) -> int:
    """Write a dump of raw objects, as dicts or JSON; how many were kept. saved_at: nanoseconds since the epoch."""
    notes = {SAVED_AT: times.format_time(saved_at), VERSION: version}
    head = msgspec.json.encode({"annotations": notes})
    out.write(b'{"apiVersion":"v1","kind":"List","metadata":' + head + b',"items":[')
    count = 0
    for entry in objects:
        kept = reduced(entry)
        if kept is not None:
            out.write(b",\n" if count else b"\n")
            out.write(kept)
            count += 1
    out.write(b"\n]}\n")
    return count


def save(path: str, objects: Iterable[bytes | dict[str, Any]], *, saved_at: int, version: str) -> int:
    """Write a dump to a file, which is there in whole or not at all; how many objects were kept."""
    target = Path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as out:
            count = write(out, objects, saved_at=saved_at, version=version)
        partial.replace(target)
    except OSError as error:
        raise KueuectlError(f"{path}: cannot be written: {error.strerror or 'the system refuses'}") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    return count


def reduced(entry: bytes | dict[str, Any]) -> bytes | None:
    """What decides something of an object; None where nothing does.

    Kueue's Configuration becomes the ConfigMap that it is in a cluster, also when it comes as a file of its own.
    """
    raw = decoding.encode(entry) if isinstance(entry, dict) else entry
    kind = decoding.header_of(raw, source="").kind
    if kind == CONFIGURATION:
        text = reduce.reduce_configuration(msgspec.json.decode(raw))
        return None if text is None else reduce.config_map(_NO_CONFIG_MAP, text)
    kept = reduce.reduce(raw)
    if kept is None or kind != reduce.CONFIG_MAP:
        return kept
    for found in installation.configurations(raw, source=""):
        try:
            text = reduce.reduce_configuration(parse(found.content, source=found.source), source=found.source)
        except InputError:
            # Not Kueue's, or not to be read: a dump without it is still a dump.
            text = None
        if text is not None:
            return reduce.config_map(kept, text)
    return None
