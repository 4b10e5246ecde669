"""YAML to JSON values, a document after the other, and Lists a page of items after the other, within limits.

libyaml parses, the values are built here: a plain loader takes three times as long, makes dates of times, and lets a
few lines of aliases grow to gigabytes. Limits: nesting, nodes in an object, and what aliases add to a document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import yaml

from kueuectl.errors import InputError
from kueuectl.store import scalars
from kueuectl.store.sink import Readable

try:
    from yaml.cyaml import CParser as _Parser  # type: ignore[attr-defined]
except ImportError:
    # A PyYAML that was built without libyaml; only slower.
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class _Parser(Reader, Scanner, Parser):  # type: ignore[no-redef]
        def __init__(self, stream: Readable) -> None:
            Reader.__init__(self, stream)
            Scanner.__init__(self)
            Parser.__init__(self)


MAX_DEPTH = 100
MAX_NODES = 1_000_000
PAGE_ITEMS = 200
_MERGE = "<<"
_ITEMS = "items"
_CONTAINER_TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")

# Takes the document so far and a page of its items, which are taken out of it.
OnPage = Callable[[dict[str, Any], list[Any]], None]


class _Anchor(NamedTuple):
    """What an anchor stands for, and its size in nodes; is_open while it is being built."""

    value: Any
    nodes: int
    is_open: bool


class _Level:
    """A map or list that is being built. key: waits for its value; before: nodes that were counted before it."""

    __slots__ = ("anchor", "before", "container", "is_merge", "key", "merges")

    def __init__(self, container: Any, anchor: str | None, before: int) -> None:
        self.container = container
        self.anchor = anchor
        self.before = before
        self.key: str | None = None
        self.is_merge = False
        self.merges: list[dict[str, Any]] = []

    def wants_key(self) -> bool:
        """Whether what comes next is a key of a map."""
        return self.key is None and not self.is_merge and isinstance(self.container, dict)


class Builder:
    """Builds documents from parser events. Raises InputError with the line."""

    def __init__(self, stream: Readable, *, source: str) -> None:
        self._source = source
        self._levels: list[_Level] = []
        self._anchors: dict[str, _Anchor] = {}
        # Nodes of this object, all of the document, and what aliases added to it.
        self._nodes = self._total = self._expanded = 0
        self._root: Any = None
        self._on_page: OnPage | None = None
        try:
            self._parser = _Parser(stream)
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise self._broken(error) from error

    def next_document(self, on_page: OnPage | None = None) -> tuple[bool, Any]:
        """Whether there was another document, and its value. Long `items` of it go to on_page before it ends."""
        self._levels, self._anchors, self._root = [], {}, None
        self._nodes = self._total = self._expanded = 0
        self._on_page = on_page
        while True:
            try:
                event = self._parser.get_event()
            except (yaml.YAMLError, UnicodeDecodeError) as error:
                raise self._broken(error) from error
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.MappingStartEvent:
                self._open({}, event)
            elif kind is yaml.SequenceStartEvent:
                self._open([], event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close(event)
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentEndEvent:
                return True, self._root
            elif kind is yaml.StreamEndEvent:
                return False, None

    def _scalar(self, event: Any) -> None:
        text, tag = event.value, event.tag
        size = 1 + len(text) // 64
        self._nodes += size
        self._total += size
        if self._nodes > MAX_NODES:
            self._count(0, event)
        if tag is None or tag == "!":
            value: Any = text
            if not event.style and event.implicit[0]:
                if text == _MERGE and self._levels and self._levels[-1].wants_key():
                    self._levels[-1].is_merge = True
                    return
                value = scalars.resolve(text)
        else:
            try:
                value = scalars.tagged(tag, text)
            except ValueError as error:
                raise self._refuse(str(error), event) from error
        if event.anchor:
            self._anchors[event.anchor] = _Anchor(value, size, is_open=False)
        self._place(value, event)

    def _open(self, container: Any, event: Any) -> None:
        self._count(1, event)
        if event.tag not in _CONTAINER_TAGS:
            raise self._refuse(f"the tag {event.tag[:60]!r} is not allowed", event)
        if len(self._levels) >= MAX_DEPTH:
            raise self._refuse(f"is nested more than {MAX_DEPTH} levels deep", event)
        if self._levels and self._levels[-1].wants_key():
            raise self._refuse("a map or list cannot be a key", event)
        if event.anchor:
            self._anchors[event.anchor] = _Anchor(container, 0, is_open=True)
        if not self._levels:
            self._root = container
        self._levels.append(_Level(container, event.anchor, self._total))

    def _close(self, event: Any) -> None:
        level = self._levels.pop()
        for other in level.merges:
            for key, value in other.items():
                level.container.setdefault(key, value)
        if level.anchor:
            self._anchors[level.anchor] = _Anchor(level.container, self._total - level.before + 1, is_open=False)
        self._place(level.container, event)
        if len(self._levels) == 2:
            self._end_item()

    def _end_item(self) -> None:
        """After an item of a List: the next one has its own count of nodes, and a full page goes out."""
        outer, items = self._levels
        if outer.key != _ITEMS or not isinstance(items.container, list):
            return
        self._nodes = 0
        if self._on_page is not None and len(items.container) >= PAGE_ITEMS and not items.anchor:
            page = items.container[:]
            items.container.clear()
            self._on_page(outer.container, page)

    def _alias(self, event: Any) -> None:
        anchor = self._anchors.get(event.anchor)
        if anchor is None or anchor.is_open:
            raise self._refuse(f"the alias {event.anchor[:40]!r} stands for nothing, or for itself", event)
        self._expanded += anchor.nodes
        if self._expanded > MAX_NODES:
            raise self._refuse(f"aliases stand for more than {MAX_NODES} nodes", event)
        self._count(anchor.nodes, event)
        self._place(anchor.value, event)

    def _place(self, value: Any, event: Any) -> None:
        """Put a finished value where it belongs: document, list, key or value."""
        if not self._levels:
            self._root = value
            return
        level = self._levels[-1]
        if isinstance(level.container, list):
            level.container.append(value)
        elif level.key is not None:
            level.container[level.key] = value
            level.key = None
        elif level.is_merge:
            level.is_merge = False
            self._merge(level, value, event)
        else:
            level.key = value if type(value) is str else self._key(value, event)
            if level.key in level.container:
                raise self._refuse(f"the key {level.key[:60]!r} is there twice", event)

    def _merge(self, level: _Level, value: Any, event: Any) -> None:
        """YAML's merge key: what the map does not say itself, it takes from the others; earlier ones win."""
        for other in value if isinstance(value, list) else [value]:
            if not isinstance(other, dict):
                raise self._refuse("a merge key wants a map, or a list of maps", event)
            level.merges.append(other)

    def _key(self, value: Any, event: Any) -> str:
        """The JSON key that a YAML key is written as."""
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, int | float):
            return str(value)
        raise self._refuse("a map or list cannot be a key", event)

    def _count(self, nodes: int, event: Any) -> None:
        self._nodes += nodes
        self._total += nodes
        if self._nodes > MAX_NODES:
            raise self._refuse(f"an object has more than {MAX_NODES} nodes", event)

    def _refuse(self, problem: str, event: Any) -> InputError:
        mark = getattr(event, "start_mark", None)
        where = f" (line {mark.line + 1})" if mark is not None else ""
        return InputError(f"{problem}{where}", source=self._source)

    def _broken(self, error: Exception) -> InputError:
        mark = getattr(error, "problem_mark", None)
        problem = str(getattr(error, "problem", None) or error).partition("\n")[0]
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
        return InputError(f"is not YAML: {problem[:200]}{where}", source=self._source)
