"""Tables on a terminal, by rich: bold headers, coloured states, prose that is folded instead of cut."""

from __future__ import annotations

import io

from kueuectl.report import tables, text
from kueuectl.report.tables import Column, Table

# rich takes about half a millisecond a row; beyond this the plain layout is used.
MAX_ROWS = 300
_GAP = 3
_MIN_PROSE = 24

_GOOD, _BAD, _WAITING, _PAST, _HALF = "green", "red", "yellow", "dim", "cyan"
_STYLES = {
    "ADMITTED": _GOOD,
    "FITS": _GOOD,
    "ACTIVE": _GOOD,
    "true": _GOOD,
    "ok": _GOOD,
    "Ready": _GOOD,
    "Running": _GOOD,
    "PENDING": _WAITING,
    "STOPPED": _WAITING,
    "BACKOFF": _WAITING,
    "QUOTARESERVED": _HALF,
    "PREEMPTING": _HALF,
    "false": _BAD,
    "no": _BAD,
    "INACTIVE": _BAD,
    "INVALID": _BAD,
    "NEVER_FITS": _BAD,
    "NO_FLAVOR": _BAD,
    "Failed": _BAD,
    "FINISHED": _PAST,
    "Succeeded": _PAST,
}


def fits(table: Table, width: int, *, headers: bool = True) -> bool:
    """Whether rich may lay the table out: not too many rows, and nothing would have to be cut at that width."""
    if not table.rows or len(table.rows) > MAX_ROWS:
        return False
    sizes = _natural(table, headers=headers)
    needed = sum(
        min(size, _MIN_PROSE) if column.is_prose else size for column, size in zip(table.columns, sizes, strict=True)
    )
    return needed + _GAP * (len(sizes) - 1) <= width


def _natural(table: Table, *, headers: bool) -> list[int]:
    rows = tables.cleaned(table.rows)
    if headers:
        rows.append(tuple(column.title for column in table.columns))
    return [max(map(text.width, cells)) for cells in zip(*rows, strict=True)]


def render(table: Table, *, width: int, headers: bool = True, colored: bool = True) -> str:
    """The table as text with escape sequences for colours, with a line end after each row."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    sizes = _natural(table, headers=headers)
    spare = width - _GAP * (len(sizes) - 1)
    spare -= sum(size for column, size in zip(table.columns, sizes, strict=True) if not column.is_prose)
    prose = sum(column.is_prose for column in table.columns)
    grid = RichTable(
        box=None, show_header=headers, show_edge=False, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold"
    )
    for column, size in zip(table.columns, sizes, strict=True):
        grid.add_column(
            Text(column.title),
            justify="right" if column.right else "left",
            no_wrap=not column.is_prose,
            overflow="fold",
            width=min(size, max(_MIN_PROSE, spare // prose)) if column.is_prose else size,
        )
    for row in tables.cleaned(table.rows):
        grid.add_row(*[Text(cell, _style(column, cell)) for column, cell in zip(table.columns, row, strict=True)])
    out = io.StringIO()
    console = Console(
        file=out,
        width=width + _GAP,
        force_terminal=colored,
        color_system="standard" if colored else None,
        no_color=not colored,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    console.print(grid)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def _style(column: Column, cell: str) -> str:
    return _STYLES.get(cell, "") if column.is_state else ""
