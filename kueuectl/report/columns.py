"""kubectl's custom columns: `HEADER:PATH` pairs make a table of any objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kueuectl.errors import UsageError
from kueuectl.report import jsonpath
from kueuectl.report.tables import Column, Table

_MISSING = "<none>"


def parse(spec: str) -> list[tuple[str, jsonpath.Path]]:
    """(header, path) of each column; raises UsageError where a pair lacks one of them."""
    columns = []
    for pair in _split(spec):
        header, colon, path = pair.partition(":")
        if not colon or not header.strip() or not path.strip():
            raise UsageError(
                f"custom-columns: {pair!r} is not HEADER:PATH", hint="write it as NAME:.metadata.name,AGE:.spec.count"
            )
        path = path.strip()
        if path.startswith("{") and path.endswith("}"):
            path = path[1:-1].strip()
        columns.append((header.strip(), jsonpath.compile_path(path)))
    return columns


def _split(spec: str) -> list[str]:
    """The pairs of a specification: commas inside of brackets and quotes don't separate."""
    pairs, depth, quote, start = [], 0, "", 0
    for at, char in enumerate(spec):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "[({":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            pairs.append(spec[start:at])
            start = at + 1
    return [*pairs, spec[start:]]


def table(columns: list[tuple[str, jsonpath.Path]], items: Iterable[Any]) -> Table:
    """One row for each object; a missing value is <none>, several values are separated by commas."""
    rows = []
    for item in items:
        cells = []
        for _, path in columns:
            found = [jsonpath.show(value) for value in jsonpath.find(path, item, item) if value is not None]
            cells.append(",".join(found) if found else _MISSING)
        rows.append(tuple(cells))
    return Table(tuple(Column(header) for header, _ in columns), rows)
