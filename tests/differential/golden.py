"""Recorded answers of Kueue: `golden/SETUP.jsonl.xz`, one line for each seed, with all outcomes that were seen.

The clusters themselves are not kept: `tests.generate` makes them again. A line carries a digest of its cluster, so that
a changed generator is told from a changed decision.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.differential import compare
from tests.differential.setups import Setup

FOLDER = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Recorded:
    """One cluster, and what Kueue made of it."""

    case: dict[str, Any]
    outcomes: tuple[compare.Line, ...]


class StaleError(Exception):
    """The recorded answers are not those of the clusters that the generator makes now."""


def digest(case: dict[str, Any]) -> str:
    """A fingerprint of a cluster."""
    return hashlib.sha256(json.dumps(case, sort_keys=True).encode()).hexdigest()[:12]


def path(setup: Setup) -> Path:
    """The file of a setup."""
    return FOLDER / f"{setup.name}.jsonl.xz"


def read(setup: Setup, cases: Sequence[dict[str, Any]]) -> list[Recorded]:
    """The recorded answers to these clusters; raises StaleError when they are of others."""
    with lzma.open(path(setup), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    known = {row["id"]: row for row in rows}
    found = []
    for case in cases:
        row = known.get(case["id"])
        if row is None or row["cluster"] != digest(case):
            raise StaleError(f"{path(setup).name} has no answer to {case['id']}: record it again")
        found.append(Recorded(case, tuple(row["outcomes"])))
    return found


def write(setup: Setup, recorded: Iterable[Recorded]) -> None:
    """Write the file of a setup anew."""
    FOLDER.mkdir(exist_ok=True)
    rows = [
        {"id": entry.case["id"], "cluster": digest(entry.case), "outcomes": list(entry.outcomes)} for entry in recorded
    ]
    text = "".join(json.dumps(row, separators=(",", ":"), sort_keys=True) + "\n" for row in rows)
    path(setup).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
