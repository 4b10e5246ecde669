"""In which file and line objects and their fields stand, for reports that point there. For files of modest size."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from kueuectl.errors import InputError
from kueuectl.store import sources

# Reading lines takes about a second for so much; who has more is told the file only.
_MOST_BYTES = 8 << 20
_DEFAULT_NAMESPACE = "default"

# (kind, namespace or "", name)
Name = tuple[str, str, str]


class Located(NamedTuple):
    """Where an object stands: its source, and the line (from 1) of every field path; "" is the object itself."""

    source: str
    lines: Mapping[str, int]

    def line(self, path: str) -> int:
        """The line of a field, else of the nearest field around it that is there."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path, 1)


def find(arguments: Sequence[str], wanted: Collection[Name], *, stdin: BinaryIO | None = None) -> dict[Name, Located]:
    """Where the wanted objects stand, of several places the first; a file that is no YAML or too large is left out."""
    found: dict[Name, Located] = {}
    for source in sources.expand(arguments, stdin=stdin):
        try:
            stream = source.open()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", source=source.name) from error
        with stream:
            text = stream.read(_MOST_BYTES + 1)
        for (kind, namespace, name), lines in _objects(text) if len(text) <= _MOST_BYTES else ():
            for key in ((kind, namespace, name), (kind, namespace or _DEFAULT_NAMESPACE, name)):
                if key in wanted:
                    found.setdefault(key, Located(source.name, lines))
    return found


def _objects(text: bytes) -> Iterator[tuple[Name, Mapping[str, int]]]:
    """Objects of a text with their lines.

    The text was read before, within all limits; what can be wrong here is only JSON that is no YAML.
    """
    import yaml

    loader: Any = getattr(yaml, "CLoader", yaml.Loader)
    tree = _Tree()
    try:
        for event in yaml.parse(io.BytesIO(text), Loader=loader):
            yield from tree.take(event)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return


class _Level:
    """A map or list that is open: its path, the key or index that comes next, and what says which object it is."""

    __slots__ = ("index", "is_list", "key", "path")

    def __init__(self, path: str, *, is_list: bool) -> None:
        self.path = path
        self.is_list = is_list
        self.index = 0
        self.key: str | None = None


class _Tree:
    """Follows parser events. An object is a document, or an item of a List."""

    def __init__(self) -> None:
        self._levels: list[_Level] = []
        self._lines: dict[str, int] = {}
        self._texts: dict[str, str] = {}

    def take(self, event: Any) -> Iterator[tuple[Name, Mapping[str, int]]]:
        """Take one event; the objects that end with it."""
        import yaml

        if isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            self._scalar(event, getattr(event, "value", ""))
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._open(event, is_list=isinstance(event, yaml.SequenceStartEvent))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            level = self._levels.pop()
            if self._levels:
                self._next()
            yield from self._ended(level)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._lines, self._texts = {}, {}

    def _scalar(self, event: Any, value: str) -> None:
        if not self._levels:
            return
        level = self._levels[-1]
        if not level.is_list and level.key is None:
            level.key = value
            self._lines[self._path(level)] = event.start_mark.line + 1
            return
        path = self._path(level)
        self._lines.setdefault(path, event.start_mark.line + 1)
        self._texts[path] = value
        self._next()

    def _open(self, event: Any, *, is_list: bool) -> None:
        path = self._path(self._levels[-1]) if self._levels else ""
        self._lines.setdefault(path, event.start_mark.line + 1)
        self._levels.append(_Level(path, is_list=is_list))

    def _path(self, level: _Level) -> str:
        if level.is_list:
            return f"{level.path}[{level.index}]"
        return f"{level.path}.{level.key}" if level.path else str(level.key)

    def _next(self) -> None:
        """The value of a key, or of an index, is complete."""
        level = self._levels[-1]
        level.index += 1
        level.key = None

    def _ended(self, level: _Level) -> Iterator[tuple[Name, Mapping[str, int]]]:
        is_item = len(self._levels) == 2 and level.path.startswith("items[") and not level.is_list
        if self._levels and not is_item:
            return
        prefix = f"{level.path}." if is_item else ""
        kind, name = self._texts.get(f"{prefix}kind", ""), self._texts.get(f"{prefix}metadata.name", "")
        namespace = self._texts.get(f"{prefix}metadata.namespace", "")
        if kind and name:
            start = {"": self._lines[level.path]}
            cut = {path.removeprefix(prefix): line for path, line in self._lines.items() if path.startswith(prefix)}
            yield (kind, namespace, name), {**cut, **start}
        if is_item:
            self._lines = {path: line for path, line in self._lines.items() if not path.startswith(level.path)}
            self._texts = {path: text for path, text in self._texts.items() if not path.startswith(level.path)}
