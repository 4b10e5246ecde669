"""kubectl's jsonpath templates: text, quoted text, paths and ranges in braces.

The path itself is evaluated by jsonpath-ng; this module cuts the template, turns kubectl's way to write a path into
the library's, and prints results as kubectl does: strings bare, maps and lists as JSON, several separated by a blank.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

from kueuectl.errors import InputError, UsageError
from kueuectl.report import formats

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<word>range\b|end\b)|(?P<path>[.$@\[*A-Za-z_]))"""
)
_SHOWN = 100
_PLAIN_NAME = re.compile(r"(?:[^.\[\]\\\s{}()=<>!&|,'\"]|\\.)+")


class Text(NamedTuple):
    """Text to print as it is."""

    value: str


class Path(NamedTuple):
    """A path to evaluate; `is_rooted` means from the document, not from the object of the range."""

    source: str
    compiled: Any
    is_rooted: bool


class Range(NamedTuple):
    """A body to repeat for each result of a path."""

    path: Path
    body: tuple[Part, ...]


Part = Text | Path | Range


def parse(template: str) -> tuple[Part, ...]:
    """The parts of a template; raises UsageError with the place where it can't be read."""
    stack: list[tuple[Path | None, list[Part]]] = [(None, [])]
    for kind, value in _actions(template):
        if kind == "text":
            stack[-1][1].append(Text(value))
        elif kind == "path":
            stack[-1][1].append(compile_path(value))
        elif kind == "range":
            stack.append((compile_path(value), []))
        else:
            path, body = stack.pop()
            if path is None:
                raise UsageError("jsonpath: {end} without {range}")
            stack[-1][1].append(Range(path, tuple(body)))
    if len(stack) > 1:
        raise UsageError("jsonpath: {range} without {end}")
    return tuple(stack[0][1])


def _actions(template: str) -> Iterator[tuple[str, str]]:
    """(kind, value) of what stands in a template: text, path, range (with its path) and end."""
    if "{" not in template:
        # kubectl takes a bare path too: -o jsonpath=.metadata.name
        yield "path", template.strip()
        return
    at = 0
    while at < len(template):
        brace = template.find("{", at)
        if brace < 0:
            yield "text", template[at:]
            return
        if brace > at:
            yield "text", template[at:brace]
        at = yield from _block(template, brace + 1)


def _block(template: str, at: int) -> Generator[tuple[str, str], None, int]:
    """The actions of one pair of braces, from behind the opening one; returns the place behind the closing one."""
    while True:
        while at < len(template) and template[at].isspace():
            at += 1
        if at >= len(template):
            raise UsageError(f"jsonpath: unclosed brace in {_cut(template)!r}")
        if template[at] == "}":
            return at + 1
        match = _TOKEN.match(template, at)
        if match is None:
            raise UsageError(f"jsonpath: can't read {template[at : at + 20]!r}")
        if match["quoted"]:
            yield "text", _unquoted(match["quoted"])
            at = match.end()
        elif match["word"] == "end":
            yield "end", ""
            at = match.end()
        elif match["word"] == "range":
            start = match.end()
            while start < len(template) and template[start].isspace():
                start += 1
            at = _path_end(template, start)
            yield "range", template[start:at]
        else:
            start = match.start("path")
            at = _path_end(template, start)
            yield "path", template[start:at]


def _path_end(template: str, at: int) -> int:
    """Where the path that starts at `at` ends: at a blank or closing brace outside of brackets and quotes."""
    depth, quote = 0, ""
    while at < len(template):
        char = template[at]
        if quote:
            quote = "" if char == quote else quote
        elif char == "\\":
            at += 1
        elif char in "'\"":
            quote = char
        elif char in "[(":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif depth <= 0 and (char == "}" or char.isspace()):
            break
        at += 1
    return at


def _unquoted(quoted: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), quoted[1:-1])


def _cut(text: str) -> str:
    """The start of a text that may be long."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def compile_path(source: str) -> Path:
    """A path of kubectl's dialect; a leading `$` starts at the document, everything else at the current object."""
    from jsonpath_ng.exceptions import JSONPathError
    from jsonpath_ng.ext.parser import parse as parse_path

    rest = source.strip()
    is_rooted = rest.startswith("$")
    if rest[:1] in ("$", "@"):
        rest = rest[1:]
    if rest in ("", "."):
        return Path(source, None, is_rooted)
    try:
        return Path(source, parse_path("$" + _translated(rest)), is_rooted)
    except (JSONPathError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"jsonpath: can't read the path {_cut(source)!r}", hint="write it as {.items[*].metadata.name}"
        ) from error


def _translated(path: str) -> str:
    """The path with every plain name quoted, so that `\\.` in a name and dashes survive."""
    out: list[str] = []
    at = 0
    while at < len(path):
        char = path[at]
        if char == "[":
            end = _bracket_end(path, at)
            out.append(_translated_bracket(path[at + 1 : end]))
            at = end + 1
        elif char == ".":
            out.append(char)
            at += 1
        else:
            match = _PLAIN_NAME.match(path, at)
            if match is None:
                raise ValueError(path)
            if not out:
                out.append(".")
            name = re.sub(r"\\(.)", r"\1", match.group())
            out.append("*" if name == "*" else _quoted_name(name))
            at = match.end()
    return "".join(out).rstrip(".")


def _quoted_name(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _bracket_end(path: str, at: int) -> int:
    depth, quote = 0, ""
    for place in range(at, len(path)):
        char = path[place]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
            if depth == 0:
                return place
    raise ValueError(path)


def _translated_bracket(inner: str) -> str:
    """What stands in brackets: names, numbers and slices stay; in filters the paths behind `@` are translated."""
    if not inner.startswith("?"):
        return f"[{inner}]"

    def path(match: re.Match[str]) -> str:
        return "@" + _translated(match.group()[1:])

    pieces = re.split(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""", inner)
    pieces[::2] = [re.sub(r"@(?:\.(?:[^.\[\]\\\s()=<>!&|,]|\\.)+|\[[^\]]*\])+", path, piece) for piece in pieces[::2]]
    return f"[{''.join(pieces)}]"


def find(path: Path, current: Any, root: Any) -> list[Any]:
    """The results of a path, in order; a missing field has none."""
    start = root if path.is_rooted else current
    if path.compiled is None:
        return [start]
    return [match.value for match in path.compiled.find(start)]


def render(parts: tuple[Part, ...], document: Any, *, allow_missing: bool = True) -> str:
    """The template filled in from a document; without `allow_missing` a path without results is an InputError."""
    out: list[str] = []
    try:
        _check_found(parts, document, root=document, allow_missing=allow_missing)
        _render(parts, document, root=document, out=out)
    except RecursionError as error:
        raise UsageError("jsonpath: the path has too many steps") from error
    return "".join(out)


def render_json(parts: tuple[Part, ...], document: Any, *, allow_missing: bool = True) -> str:
    """The results of each path as a JSON list, one after the other; text between the paths is left out."""
    try:
        _check_found(parts, document, root=document, allow_missing=allow_missing)
        found = list(_results(parts, document, document))
    except RecursionError as error:
        raise UsageError("jsonpath: the path has too many steps") from error
    return "".join(formats.to_json(results) + "\n" for results in found)


def _check_found(parts: tuple[Part, ...], current: Any, *, root: Any, allow_missing: bool) -> None:
    """Raise InputError for a field that no object has; a list or filter may well be empty."""
    if allow_missing:
        return
    for part in parts:
        if isinstance(part, Text):
            continue
        path = part.path if isinstance(part, Range) else part
        found = find(path, current, root)
        if not found:
            _check_field(path, current, root)
        if isinstance(part, Range):
            for item in found:
                _check_found(part.body, item, root=root, allow_missing=False)


def _check_field(path: Path, current: Any, root: Any) -> None:
    """Raise InputError for a path without results, unless only what it chooses from a list is empty."""
    bare = re.sub(r"(?:\[[^\[\]]*\]\s*)+$", "", path.source)
    if bare == path.source or not find(compile_path(bare), current, root):
        raise InputError(f"jsonpath: {_cut(path.source)} is not found")


def _results(parts: tuple[Part, ...], current: Any, root: Any) -> Iterator[list[Any]]:
    for part in parts:
        if isinstance(part, Path):
            yield find(part, current, root)
        elif isinstance(part, Range):
            for item in find(part.path, current, root):
                yield from _results(part.body, item, root)


def _render(parts: tuple[Part, ...], current: Any, *, root: Any, out: list[str]) -> None:
    for part in parts:
        if isinstance(part, Text):
            out.append(part.value)
        elif isinstance(part, Path):
            out.append(" ".join(map(show, find(part, current, root))))
        else:
            for item in find(part.path, current, root):
                _render(part.body, item, root=root, out=out)


def show(value: Any) -> str:
    """A value as kubectl prints it."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    return formats.to_compact_json(value)
