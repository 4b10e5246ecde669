"""Runs cases and reports: which pass, which differ, which are not due."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cases import case as cases
from tests.cases.case import Case
from tests.cases.compare import compare
from tests.conformance.runner import known_differences

KNOWN_FILE = Path(__file__).parent / "known_differences.txt"


@dataclass(frozen=True)
class Outcome:
    """What became of a case: ok, FAILED, known to differ, or not due."""

    id: str
    word: str
    texts: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The report in one line."""
        return f"{self.id} {self.word}"

    @property
    def is_passed(self) -> bool:
        """Whether it counts as passed."""
        return self.word == "ok"

    @property
    def is_failed(self) -> bool:
        """Whether it counts as failed."""
        return self.word == "FAILED"


def run(folder: Path, ids: list[str] | None = None, *, known: Mapping[str, str] | None = None) -> Iterator[Outcome]:
    """Run the cases of a folder, one after the other."""
    expected = known_differences(KNOWN_FILE) if known is None else known
    for case in cases.read(folder, ids):
        yield run_case(case, expected)


def run_case(case: Case, known: Mapping[str, str]) -> Outcome:
    """Run one case."""
    missing = case.missing_features
    if missing:
        return Outcome(case.id, "not due", (f"needs {', '.join(missing)}",))
    try:
        differences = compare(case)
    except Exception:  # one broken case must not hide the others
        differences = [traceback.format_exc(limit=-4).strip()]
    if case.id in known:
        if differences:
            return Outcome(case.id, "known to differ", (known[case.id],))
        return Outcome(case.id, "FAILED", (f"passes, but is listed as a known difference: {known[case.id]}",))
    return Outcome(case.id, "FAILED", tuple(differences)) if differences else Outcome(case.id, "ok")
