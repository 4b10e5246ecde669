"""An object in full, as `kubectl describe` lays it out: names of fields in words, values aligned, events at the end.

Values are aligned within a block: lines that follow each other and have one. A line that only opens a part ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kueuectl.report import text
from kueuectl.report.views import printed

Item = Mapping[str, Any]
_INDENT = "  "
_GAP = 2
_NONE = "<none>"
_ACRONYMS = frozenset({"API", "URL", "UID", "OSB", "GUID"})
_SHOWN_APART = ("name", "namespace", "labels", "annotations", "managedFields")
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|-")
_EVENTS = ("Type", "Reason", "Age", "From", "Message")
# Labels and annotations as kubectl cuts them: what is longer says nothing to a reader.
_HIDDEN_ANNOTATIONS = ("kubectl.kubernetes.io/last-applied-configuration",)


class _Line(NamedTuple):
    """A line: what stands in front, and the value behind it, None where it only opens a part."""

    head: str
    value: str | None


def lines(item: Item, events: Sequence[Item] | None, *, now: int, shows_events: bool = True) -> Iterator[str]:
    """The description of an object; `events` are those about it, None where they can't be known."""
    metadata = item.get("metadata") or {}
    made = [
        _Line("Name:", str(metadata.get("name") or "")),
        _Line("Namespace:", str(metadata.get("namespace") or "")),
        *_pairs("Labels:", metadata.get("labels")),
        *_pairs("Annotations:", _shown_annotations(metadata.get("annotations"))),
    ]
    shown = {**item, "metadata": {key: value for key, value in metadata.items() if key not in _SHOWN_APART}}
    made += _map(shown, 0)
    rows = _event_rows(events or (), now)
    if shows_events and events is None:
        made.append(_Line("Events:", "<unknown>"))
    elif shows_events:
        made.append(_Line("Events:", None if rows else _NONE))
    yield from _aligned(made)
    yield from _table(rows)


def _shown_annotations(found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    return {key: value for key, value in found.items() if key not in _HIDDEN_ANNOTATIONS}


def _pairs(title: str, found: Any) -> list[_Line]:
    """Labels or annotations: the first beside the title, the others below."""
    if not isinstance(found, dict) or not found:
        return [_Line(title, _NONE)]
    join = "=" if title == "Labels:" else ": "
    return [
        _Line(title if place == 0 else "", f"{key}{join}{value}")
        for place, (key, value) in enumerate(sorted(found.items()))
    ]


def _map(found: Item, level: int) -> list[_Line]:
    made: list[_Line] = []
    for key in sorted(found):
        head = _INDENT * level + label(key) + ":"
        value = found[key]
        if isinstance(value, dict):
            made.append(_Line(head, None))
            made += _map(value, level + 1)
        elif isinstance(value, list):
            made.append(_Line(head, None))
            made += _list(value, level + 1)
        else:
            made.append(_Line(head, _plain(value)))
    return made


def _list(found: Sequence[Any], level: int) -> list[_Line]:
    made: list[_Line] = []
    for value in found:
        if isinstance(value, dict):
            made += _map(value, level)
        elif isinstance(value, list):
            made += _list(value, level + 1)
        else:
            made.append(_Line(_INDENT * level + _plain(value), None))
    return made


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "<nil>" if value is None else str(value)


def label(key: str) -> str:
    """The name of a field in words: podSetAssignments is Pod Set Assignments. Other keys stay as they are."""
    if not all(char.isalpha() or char == "-" for char in key):
        return key
    words = _WORDS.findall(key)
    if "".join(words) != key:
        return key
    return " ".join(word.upper() if word.upper() in _ACRONYMS else word[:1].upper() + word[1:] for word in words)


def _aligned(made: Sequence[_Line]) -> Iterator[str]:
    block: list[_Line] = []
    for line in (*made, _Line("", None)):
        if line.value is not None:
            block.append(line)
            continue
        size = max((text.width(text.clean(one.head)) for one in block), default=0) + _GAP
        for one in block:
            head = text.clean(one.head)
            yield head + " " * (size - text.width(head)) + text.clean(one.value or "")
        block = []
        if line.head:
            yield text.clean(line.head)


def _event_rows(events: Sequence[Item], now: int) -> list[tuple[str, ...]]:
    ordered = sorted(events, key=lambda event: (_last(event), str((event.get("metadata") or {}).get("name"))))
    return [
        (
            str(event.get("type") or ""),
            str(event.get("reason") or ""),
            _age(event, now),
            str((event.get("source") or {}).get("component") or event.get("reportingComponent") or ""),
            str(event.get("message") or "").strip(),
        )
        for event in ordered
    ]


def _last(event: Item) -> str:
    series = event.get("series") or {}
    return str(series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime") or "")


def _age(event: Item, now: int) -> str:
    series = event.get("series") or {}
    first = event.get("firstTimestamp") or event.get("eventTime")
    count = int(series.get("count") or event.get("count") or 1)
    last = printed.age(_last(event), now)
    return f"{last} (x{count} over {printed.age(first, now)})" if count > 1 else last


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        return
    ruled = [_EVENTS, tuple("-" * len(title) for title in _EVENTS), *rows]
    safe = [tuple(text.clean(cell) for cell in row) for row in ruled]
    # The rule below "Age" and "From" is as long as kubectl's, whatever the titles are.
    safe[1] = ("----", "------", "----", "----", "-------")
    sizes = [max(text.width(row[place]) for row in safe) for place in range(len(_EVENTS) - 1)]
    for row in safe:
        cells = [cell + " " * (size - text.width(cell)) for cell, size in zip(row, sizes, strict=False)]
        yield _INDENT + (" " * _GAP).join([*cells, row[-1]])


def event_selector(item: Item) -> str:
    """The field selector of the events about an object."""
    metadata = item.get("metadata") or {}
    pairs = {"kind": item.get("kind"), "name": metadata.get("name"), "namespace": metadata.get("namespace")}
    pairs["uid"] = metadata.get("uid")
    return ",".join(f"involvedObject.{key}={value}" for key, value in pairs.items() if value)
