"""Objects as the API server itself prints them: a Table of cells, without the objects.

A server, or a proxy, that knows no Tables answers with the objects; then there are no columns and the rows are they.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from kueuectl.api import raw
from kueuectl.cluster import kinds
from kueuectl.cluster.client import Client
from kueuectl.cluster.failures import ExpiredError, MissingError
from kueuectl.cluster.kinds import Resource
from kueuectl.errors import NotFoundError, UnreachableError

_ACCEPT = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
Item = dict[str, Any]


@dataclass(slots=True)
class Printed:
    """What the server printed: (title, whether only -o wide shows it) of each column, and the rows.

    A row is its cells and the metadata of its object. Without columns `items` has the objects.
    """

    columns: tuple[tuple[str, bool], ...] = ()
    rows: list[tuple[tuple[Any, ...], Item]] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which objects of a kind: of a namespace ("": of all), one by name, or those that selectors keep."""

    namespace: str = ""
    name: str = ""
    label_selector: str = ""
    field_selector: str = ""


def read(client: Client, resource: Resource, choice: Choice) -> Printed:
    """Objects as the server prints them. Raises NotFoundError for a name that isn't there."""
    version, plural = client.discovery.find(resource)
    found = kinds.Kind(resource.name, plural, resource.group, (version,), "", resource.is_namespaced)
    path = kinds.path_of(found, version, namespace=choice.namespace, name=choice.name)
    if choice.name:
        try:
            return _read(client, path, {}, what=f"get {resource.name} {choice.name}")
        except MissingError:
            raise NotFoundError(f'{found.resource} "{choice.name}" not found') from None
    pairs = {"labelSelector": choice.label_selector, "fieldSelector": choice.field_selector}
    query: dict[str, str | int] = {key: value for key, value in pairs.items() if value}
    try:
        limit: dict[str, str | int] = {"limit": client.page_size} if client.page_size else {}
        return _read(client, path, query | limit, what=f"list {plural}")
    except ExpiredError:
        return _read(client, path, query, what=f"list {plural}")


def _read(client: Client, path: str, query: Mapping[str, str | int], *, what: str) -> Printed:
    printed = Printed()
    token = ""
    while True:
        asked = {**query, "continue": token} if token else query
        body = client.get(path, asked, what=what, accept=_ACCEPT)
        following = _add(printed, body, what=what, server=client.server)
        if following and following == token:
            raise UnreachableError(f"{client.server} repeats a page of a list when asked to {what}")
        if not following:
            return printed
        token = following


def _add(printed: Printed, body: bytes, *, what: str, server: str) -> str:
    """Take a page; the token of the next one."""
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        raise UnreachableError(f"{server} does not answer as an API server does when asked to {what}")
    if document["kind"] != "Table":
        if not document["kind"].endswith("List"):
            printed.items.append(document)
            return ""
        page = raw.open_list(body, source=what)
        printed.items += page.items
        return page.next
    columns = tuple(
        (str(column.get("name") or ""), bool(column.get("priority")))
        for column in document.get("columnDefinitions") or ()
    )
    printed.columns = printed.columns or columns
    for row in document.get("rows") or ():
        cells = tuple(row.get("cells") or ())[: len(printed.columns)]
        held = row.get("object") or {}
        printed.rows.append((cells + (None,) * (len(printed.columns) - len(cells)), held.get("metadata") or {}))
    meta = document.get("metadata") or {}
    return str(meta.get("continue") or "")
