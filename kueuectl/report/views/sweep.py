"""A sweep: one line for each variant."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kueuectl.analysis.sweep import Row
from kueuectl.report.tables import Column, Table


class Line(NamedTuple):
    """A variant: its name, the values of its grid, what came of it."""

    name: str
    values: tuple[tuple[str, str], ...]
    row: Row


def blocks(lines: Sequence[Line]) -> Iterator[str | Table]:
    """What the letters stand for, then the table: a column for each path of the grid, one for the names of variants."""
    paths = list(dict.fromkeys(path for line in lines for path, _ in line.values))
    letters = [_letter(number) for number in range(len(paths))]
    for letter, path in zip(letters, paths, strict=True):
        yield f"{letter}: {path}"
    if paths:
        yield ""
    columns = (
        Column("VARIANT"),
        *(Column(letter) for letter in letters),
        Column("ADMITTED", right=True),
        Column("PREEMPTIONS", right=True),
        Column("EVICTED", right=True),
        Column("GPU-HOURS LOST", right=True),
        Column("WAITING", right=True),
        Column("WAITING GPUS", right=True),
        Column("SHARE SPREAD", right=True),
        Column("END"),
    )
    rows = []
    for number, line in enumerate(lines):
        values = dict(line.values)
        name = str(number) if line.values else line.name
        rows.append((name, *(values.get(path, "") for path in paths), *_cells(line.row)))
    yield Table(columns, rows)
    yield ""
    yield (
        "ADMITTED hold quota at the end, EVICTED of those that hold it now. SHARE SPREAD: the largest difference "
        "between the shares of siblings that wait or borrow, in thousandths; 0 is fair."
    )
    if any(line.row.end != "fixpoint" for line in lines):
        yield "A variant that ends in a loop or at the limit is shown in one of its states."


def _letter(number: int) -> str:
    """A to Z, then A1, B1 and so on."""
    return f"{chr(ord('A') + number % 26)}{number // 26 or ''}"


def _cells(row: Row) -> tuple[str, ...]:
    return (
        str(row.admitted),
        str(row.preemptions),
        str(row.evicted),
        f"{row.gpu_hours_lost:.1f}",
        str(row.waiting),
        str(row.waiting_gpus),
        "inf" if math.isinf(row.spread) else f"{row.spread:.1f}".removesuffix(".0"),
        row.end,
    )


def document(lines: Sequence[Line]) -> dict[str, Any]:
    """A contract."""
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "DryRunSweep",
        "items": [
            {
                "name": line.name,
                "values": dict(line.values),
                "admitted": line.row.admitted,
                "preemptions": line.row.preemptions,
                "evicted": line.row.evicted,
                "gpuHoursLost": round(line.row.gpu_hours_lost, 3),
                "waiting": line.row.waiting,
                "waitingGpus": line.row.waiting_gpus,
                "shareSpread": "inf" if math.isinf(line.row.spread) else round(line.row.spread, 3),
                "end": line.row.end,
                "rounds": line.row.rounds,
            }
            for line in lines
        ],
    }
