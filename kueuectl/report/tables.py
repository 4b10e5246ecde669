"""Tables as data, and their layout as plain aligned text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kueuectl.report import text

_GAP = "   "


class Column(NamedTuple):
    """A column: its title, whether only `-o wide` shows it, whether it is aligned to the right.

    On a terminal the words of an `is_state` column are coloured, and an `is_prose` column may take several lines.
    """

    title: str
    wide: bool = False
    right: bool = False
    is_state: bool = False
    is_prose: bool = False


class Table(NamedTuple):
    """Columns and rows of raw text; every row has as many cells as there are columns."""

    columns: tuple[Column, ...]
    rows: Sequence[tuple[str, ...]]

    def narrowed(self, *, wide: bool) -> Table:
        """The table without the columns that only `-o wide` shows (with them if `wide`)."""
        kept = [index for index, column in enumerate(self.columns) if wide or not column.wide]
        if len(kept) == len(self.columns):
            return self
        columns = tuple(self.columns[index] for index in kept)
        if len(kept) == 1:
            only = kept[0]
            return Table(columns, [(row[only],) for row in self.rows])
        return Table(columns, [tuple([row[index] for index in kept]) for row in self.rows])


def cleaned(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows with every cell safe to show."""
    return [row if "".join(row).isprintable() else tuple(text.clean(cell) for cell in row) for row in rows]


def lines(table: Table, *, headers: bool = True) -> Iterator[str]:
    """The table as aligned lines without line ends: nothing is cut, trailing blanks are left out."""
    rows = cleaned(table.rows)
    if headers:
        rows.insert(0, tuple(column.title for column in table.columns))
    if not rows:
        return
    if not all("".join(row).isascii() for row in rows):
        yield from _wide_lines(table.columns, rows)
        return
    spec = []
    for column, cells in zip(table.columns, zip(*rows, strict=True), strict=True):
        size = max(map(len, cells))
        spec.append(f"{{:>{size}}}" if column.right else f"{{:<{size}}}")
    form = _GAP.join(spec).format
    for row in rows:
        yield form(*row).rstrip()


def _wide_lines(columns: tuple[Column, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Lines of a table with characters outside ASCII, which may take two columns or none."""
    sizes = [max(map(text.width, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        cells = []
        for column, cell, size in zip(columns, row, sizes, strict=True):
            pad = " " * (size - text.width(cell))
            cells.append(pad + cell if column.right else cell + pad)
        yield _GAP.join(cells).rstrip()
