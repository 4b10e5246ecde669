"""Writes: one object at a time, tried on the server first, guarded by what was read, never done twice.

Rules.
 1. A trial (`check`) is a request with dryRun=All: the server admits and validates it and stores nothing.
 2. A write whose answer was lost or can't be read, or that the server answered with a fault of its own (5xx), may
    have been carried out. The object is then read: it is as the write leaves it (done), it is as it was (the write is
    sent again, whose guard lets it happen only once), or it is something else (ConflictError). Where reading fails
    too, UncertainError says that nobody knows.
 3. A write that the server refuses is an error in the words of the server, with its object.
 4. Warnings of the server are handed on.
 5. A request is about one object: without its name the path would be that of all, so there is none then.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from kueuectl.api import patches, raw
from kueuectl.cluster import kinds
from kueuectl.cluster.client import Client
from kueuectl.cluster.failures import FaultyError, MissingError
from kueuectl.cluster.transport import DamagedError, LostError, RefusedError, Request, SlowError
from kueuectl.errors import ConflictError, InputError, KueuectlError, UnreachableError, UsageError
from kueuectl.model import writes
from kueuectl.model.writes import Target, Write

MANAGER = "kueuectl"
# A write is sent again so often at most after answers that tell nothing.
_TRIES = 3
_METHODS = {writes.CREATE: "POST", writes.PATCH: "PATCH", writes.DELETE: "DELETE"}

Item = dict[str, Any]


class UncertainError(UnreachableError):
    """A write was sent, and neither its answer nor the object could be read: it may have happened or not."""


class Writer:
    """Carries out writes over one connection."""

    def __init__(self, client: Client, *, pause: Callable[[float], object] | None = None) -> None:
        self._client = client
        self._pause = pause or client.wait

    def read(self, target: Target) -> Item:
        """The object as it is now. Raises NotFoundError where it isn't there."""
        path = self._path(target)
        try:
            body = self._client.get(path, what=f"get {_named(target)}")
        except MissingError:
            plural = target.plural or f"{target.kind.lower()}s"
            resource = f"{plural}.{target.group}" if target.group else plural
            raise MissingError(f'{resource} "{target.name}" not found') from None
        return raw.open_object(body, source=_named(target))

    def check(self, write: Write) -> Item:
        """What the server would make of the write; nothing is stored. Raises what `send` would raise."""
        return self._opened(write, self._client.send(self._request(write, is_trial=True)))

    def send(self, write: Write) -> Item:
        """Carry the write out, once; the object after it (of a deletion: what the server answers).

        Raises ConflictError where the object is no longer what the write was made for, NotFoundError where it is gone,
        UncertainError where nobody knows, and other KueuectlErrors where the server refuses.
        """
        request = self._request(write, is_trial=False)
        for attempt in range(1, _TRIES + 1):
            try:
                return self._opened(write, self._client.send(request))
            except RefusedError:
                raise
            except (LostError, SlowError, FaultyError, DamagedError, InputError) as lost:
                found = self._look(write, lost)
                if found is not None:
                    return found
                if attempt == _TRIES:
                    raise
                self._pause(0.25 * 2**attempt)
            except (ConflictError, MissingError) as refused:
                # The try before may have been carried out after all, and this one met its result.
                found = self._look(write, refused) if attempt > 1 else None
                if found is None:
                    raise
                return found
        raise AssertionError("the last try returns or raises")

    def _look(self, write: Write, lost: KueuectlError) -> Item | None:
        """The object where the lost write was carried out, None where it was not."""
        try:
            item = self.read(write.target)
        except MissingError:
            if write.verb == writes.DELETE:
                return {}
            if write.verb == writes.CREATE:
                return None
            raise
        except (UnreachableError, InputError) as error:
            raise UncertainError(
                f"can't tell whether {_doing(write)} was carried out: {lost}; then: {error}",
                hint="look at the object before you try again",
            ) from None
        return _judged(write, item)

    def _request(self, write: Write, *, is_trial: bool) -> Request:
        query = {"fieldManager": MANAGER} if write.verb != writes.DELETE else {}
        body = write.body
        if write.verb == writes.DELETE and write.uid and isinstance(body, dict):
            body = {**body, "preconditions": {"uid": write.uid}}
        if write.verb == writes.PATCH and write.resource_version and isinstance(body, dict):
            body = patches.guarded(body, write.resource_version)
        if is_trial:
            query["dryRun"] = "All"
            # The options of a DELETE that has a body are all in the body: in the query they are not looked at.
            if write.verb == writes.DELETE and isinstance(body, dict):
                body = {**body, "dryRun": ["All"]}
        path = self._path(write.target, version=write.version, is_collection=write.verb == writes.CREATE)
        if write.subresource:
            path += f"/{write.subresource}"
        return Request(
            _METHODS[write.verb],
            f"{path}?{urlencode(query)}" if query else path,
            _doing(write),
            body=json.dumps(body).encode(),
            content_type=write.patch_type if write.verb == writes.PATCH else "application/json",
            is_repeatable=is_trial,
        )

    def _path(self, target: Target, *, version: str = "", is_collection: bool = False) -> str:
        resource = kinds.Kind(target.kind, target.plural, target.group, (), "", target.is_namespaced)
        served, plural = self._client.discovery.find(resource)
        found = kinds.Kind(target.kind, plural, target.group, (), "", target.is_namespaced)
        if not target.name:
            raise UsageError("resource name may not be empty", hint="is a variable of your script empty?")
        name = "" if is_collection else target.name
        return kinds.path_of(found, version or served, namespace=target.namespace, name=name)

    def _opened(self, write: Write, body: bytes) -> Item:
        return raw.open_object(body, source=_named(write.target)) if body.strip() else {}


def _judged(write: Write, item: Item) -> Item | None:
    """The object where it is as the write leaves it, None where it is as before; raises ConflictError otherwise."""
    metadata = item.get("metadata", {})
    if write.verb == writes.DELETE:
        if write.uid and metadata.get("uid") != write.uid:
            return {}
        return item if metadata.get("deletionTimestamp") else None
    if write.verb == writes.CREATE:
        if patches.holds(item, write.body) and _is_ours(item):
            return item
        raise ConflictError(f"{_named(write.target)} already exists", hint="choose another name")
    if write.resource_version and metadata.get("resourceVersion") == write.resource_version:
        return None
    if isinstance(write.body, dict) and write.patch_type == writes.MERGE and patches.is_applied(item, write.body):
        return item
    if not write.resource_version:
        return None
    raise ConflictError(
        f"{_named(write.target)} was changed by somebody else while it was written",
        hint="look at it, then run the command again",
    )


def _is_ours(item: Item) -> bool:
    rows = item.get("metadata", {}).get("managedFields")
    return not rows or any(row.get("manager") == MANAGER for row in rows)


def _named(target: Target) -> str:
    return f"{target.kind} {target.where}"


def _doing(write: Write) -> str:
    part = f" ({write.subresource})" if write.subresource else ""
    return f"{write.verb} {_named(write.target)}{part}"
