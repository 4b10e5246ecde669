"""Runs suites and reports: which cases pass, which differ, which are not due."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.conformance import registry
from tests.conformance.case import Case, read

KNOWN_FILE = Path(__file__).parent / "known_differences.txt"


@dataclass
class Outcome:
    """What became of a suite. `failed` holds the unexpected: differences, and known differences that are none."""

    name: str
    passed: int = 0
    known: int = 0
    failed: dict[str, list[str]] = field(default_factory=dict)
    not_due: Counter[str] = field(default_factory=Counter)

    @property
    def due(self) -> int:
        """How many cases count."""
        return self.passed + self.known + len(self.failed)

    @property
    def line(self) -> str:
        """The report of the suite in one line."""
        late = self.not_due.total()
        if late and not self.due:
            return f"{self.name} not due"
        parts = [f"{self.name} {self.passed}/{self.due}"]
        if self.known:
            parts.append(f"{self.known} known to differ")
        if late:
            parts.append(f"{late} not due")
        return ", ".join(parts)


def known_differences(path: Path = KNOWN_FILE) -> dict[str, str]:
    """Ids of cases that are known to differ, with the reason: `ID REASON` a line, # starts a comment."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text and not text.startswith("#"):
            case_id, _, reason = text.partition(" ")
            if not reason.strip():
                raise ValueError(f"{path.name}: {case_id} has no reason")
            found[case_id] = reason.strip()
    return found


def suites(folder: Path, names: Collection[str] = ()) -> list[Path]:
    """The files of the suites, sorted; of the named ones only, where there are names."""
    files = {path.stem: path for path in folder.glob("*.jsonl")}
    missing = sorted(set(names) - set(files))
    if missing:
        raise FileNotFoundError(f"no suite {', '.join(missing)} in {folder}")
    return [files[name] for name in sorted(names or files)]


def run(folder: Path, names: Collection[str] = (), *, known: Mapping[str, str] | None = None) -> Iterator[Outcome]:
    """Run the suites of a folder, one after the other."""
    expected = known_differences() if known is None else known
    for path in suites(folder, names):
        yield run_suite(path, expected)


def run_suite(path: Path, known: Mapping[str, str]) -> Outcome:
    """Run one suite."""
    outcome = Outcome(path.stem)
    cases = read(path)
    try:
        handler = registry.handler_of(path.stem)
    except registry.NotDue as rule:
        outcome.not_due[rule.feature] += len(cases)
        return outcome
    except KeyError:
        outcome.failed = {case.id: ["no handler for this suite, and no rule that excuses it"] for case in cases}
        return outcome
    for case in cases:
        _run_case(handler, case, outcome, known=known)
    return outcome


def _run_case(handler: registry.Handler, case: Case, outcome: Outcome, *, known: Mapping[str, str]) -> None:
    try:
        differences = handler(case)
    except registry.NotDue as rule:
        outcome.not_due[rule.feature] += 1
        return
    except Exception:  # one broken case must not hide the others
        differences = [traceback.format_exc(limit=-4).strip()]
    if case.id in known:
        if differences:
            outcome.known += 1
        else:
            outcome.failed[case.id] = [f"passes, but is listed as a known difference: {known[case.id]}"]
    elif differences:
        outcome.failed[case.id] = [f"({case.name})", *differences]
    else:
        outcome.passed += 1
