"""Lists in pages: one list is one moment of the cluster, or it starts again.

A continue token lives for some minutes. When it expires (410) what was read is thrown away and the list starts anew;
the last try asks for everything in one page, which can't expire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kueuectl.api import raw
from kueuectl.api.collect import Collector, ListMeta
from kueuectl.cluster.client import Client
from kueuectl.cluster.failures import ExpiredError
from kueuectl.errors import InputError, UnreachableError

# A page is decoded in slices of about this many bytes.
_SLICE = 64 << 10
_ITEMS = b'"items":['
_METADATA = b'"metadata":{'
_LONGEST_HEAD = 300

# Told after each page but the last: how many objects were read, and how many there are in all.
Seen = Callable[[int, int], None]
Item = dict[str, Any]
T = TypeVar("T")
# What a page's body comes to, the token of the next page ("": none), and how many objects come after this page.
_Taken = tuple[T, str, int]


@dataclass(frozen=True, slots=True)
class Listing:
    """What to list: a path, the request in words ("list workloads"), and selectors for the query."""

    path: str
    what: str
    selection: dict[str, str] = field(default_factory=dict)


def collect(client: Client, listing: Listing, *, seen: Seen | None = None) -> Collector:
    """All objects of a listing as models.

    Raises InputError for an object that is wrong, UnreachableError for an answer that is no list.
    """
    for limit in _limits(client):
        collector = Collector()

        def take(body: bytes, into: Collector = collector) -> _Taken[None]:
            meta = _add(into, body, listing.what)
            return None, meta.continue_ or "", meta.remaining_item_count or 0

        try:
            for _ in _pages(client, listing, limit=limit, take=take, seen=seen):
                pass
        except ExpiredError:
            if not limit:
                raise
        else:
            return collector
    raise AssertionError("the last try returns or raises")


def stream(client: Client, listing: Listing) -> Iterator[Item]:
    """All objects of a listing as they are, one page held at a time.

    After an expired token the list starts again and what was handed out is passed over, so the whole is then not one
    moment: an object that changed meanwhile may be there as it was.
    """

    def take(body: bytes) -> _Taken[list[Item]]:
        page = raw.open_list(body, source=listing.what)
        return page.items, page.next, page.remaining

    handed_out: set[tuple[str, str]] = set()
    for limit in _limits(client):
        try:
            for items in _pages(client, listing, limit=limit, take=take):
                for item in items:
                    key = _key(item)
                    if key not in handed_out:
                        handed_out.add(key)
                        yield item
        except ExpiredError:
            if not limit:
                raise
        else:
            return


def _limits(client: Client) -> tuple[int, ...]:
    """How many objects to ask for at once, of one try after the other; 0 is no limit."""
    return (client.page_size, client.page_size, 0) if client.page_size else (0,)


def _pages(
    client: Client, listing: Listing, *, limit: int, take: Callable[[bytes], _Taken[T]], seen: Seen | None = None
) -> Iterator[T]:
    token, count = "", 0
    while True:
        query: dict[str, str | int] = dict(listing.selection)
        if limit:
            query["limit"] = limit
        if token:
            query["continue"] = token
        body = client.get(listing.path, query, what=listing.what)
        value, following, remaining = _take(client, listing, body, take)
        del body
        if following and following == token:
            # A server that hands out the same token again would keep us here for ever.
            raise UnreachableError(f"{client.server} repeats a page of a list when asked to {listing.what}")
        yield value
        if not following:
            return
        token, count = following, count + limit
        if seen:
            seen(count, count + remaining)


def _take(client: Client, listing: Listing, body: bytes, take: Callable[[bytes], _Taken[T]]) -> _Taken[T]:
    try:
        return take(body)
    except InputError as error:
        if error.object or error.path:
            raise
        # The page as a whole: cut short, not JSON, or no list. Its text is not shown, it may hold anything.
        raise UnreachableError(
            f"{client.server} did not answer with a list when asked to {listing.what}: {error.problem}",
            hint="try again; a proxy or a login page may stand between here and the API server",
        ) from None


def _add(collector: Collector, body: bytes, source: str) -> ListMeta:
    """Give a page to the collector, in slices where it can be sliced.

    500 workloads are more than a processor's cache holds, and decoding is a third slower out of it. Slicing guesses
    where objects start. Together the slices are the page, so a wrong guess does no harm: a slice isn't JSON then, and
    the page is given as a whole. That is done for any fault, since the whole tells where it is; objects that were
    taken already are equal and count once.
    """
    start = body.find(_ITEMS) + len(_ITEMS)
    mark = _mark(body, start)
    if not mark:
        return collector.add_list(body, source=source)
    end = body.rfind(b"]")
    view = memoryview(body)
    try:
        meta = collector.add_list(body[:start] + body[end:], source=source)
        at = start
        while True:
            cut = body.find(mark, at + _SLICE, end)
            collector.add_page(b"".join((b"[", view[at : cut + 1 if cut >= 0 else end], b"]")), source=source)
            if cut < 0:
                return meta
            at = cut + 2
    except InputError:
        return collector.add_list(body, source=source)


def _mark(body: bytes, start: int) -> bytes:
    """What stands between two objects of the page, as far as the first one shows; b"" for a page not to be sliced."""
    name = body.find(_METADATA, start, start + _LONGEST_HEAD)
    if len(body) < 2 * _SLICE or start < len(_ITEMS) or name < 0:
        return b""
    head = body[start : name + len(_METADATA)]
    # Objects of built-in kinds don't say what they are, and cannot be told from what is inside of them.
    return b"}," + head if head.startswith(b'{"apiVersion":') and b'"kind":' in head else b""


def _key(item: Item) -> tuple[str, str]:
    meta = item.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    return str(meta.get("namespace") or ""), str(meta.get("name") or "")
