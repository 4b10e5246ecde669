"""Findings of lint: grouped by what they are about, with why it matters and what to do, said once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from kueuectl.analysis.lint.findings import Code, Finding, Severity
from kueuectl.analysis.lint.run import NotChecked, Report
from kueuectl.report import lint_texts
from kueuectl.report.tables import Column, Table


class Place(NamedTuple):
    """Where an object or field stands: a file, and a line from 1 (None where that is not known)."""

    source: str
    line: int | None = None

    @property
    def text(self) -> str:
        """file:line."""
        return self.source if self.line is None else f"{self.source}:{self.line}"


Places = Mapping[Finding, Place]


def blocks(report: Report, places: Places, *, wide: bool = False) -> Iterator[str | Table]:
    """A block for each code, the worst first, and a summary; `wide` adds reason and advice to every line instead."""
    if wide:
        if report.findings:
            yield _wide(report, places)
            yield ""
    else:
        for (severity, code), group in groupby(report.findings, key=lambda found: (found.severity, found.code)):
            text = lint_texts.TEXTS[code]
            yield f"{severity.word} {code}: {text.title}."
            yield _table(list(group), places)
            yield f"  Why: {text.why}"
            yield f"  Fix: {text.fix}"
            yield ""
    yield summary(report)
    yield from map(not_checked, report.not_checked)


def _table(findings: list[Finding], places: Places) -> Table:
    has_places = any(found in places for found in findings)
    has_paths = any(found.path for found in findings)
    columns = [Column("  OBJECT"), Column("FINDING", is_prose=True)]
    if has_paths:
        columns.insert(1, Column("FIELD"))
    if has_places:
        columns.append(Column("WHERE"))
    rows = []
    for found in findings:
        row = [f"  {subject(found)}", lint_texts.message(found)]
        if has_paths:
            row.insert(1, found.path)
        if has_places:
            row.append(places[found].text if found in places else "")
        rows.append(tuple(row))
    return Table(tuple(columns), rows)


def _wide(report: Report, places: Places) -> Table:
    names = ("SEVERITY", "CODE", "OBJECT", "FIELD", "FINDING", "WHY", "FIX", "WHERE")
    columns = tuple(
        Column(name, is_prose=name in ("FINDING", "WHY", "FIX"), is_state=name == "SEVERITY") for name in names
    )
    rows = []
    for found in report.findings:
        text = lint_texts.TEXTS[found.code]
        where = places[found].text if found in places else ""
        cells = (subject(found), found.path, lint_texts.message(found), text.why, text.fix, where)
        rows.append((found.severity.word, str(found.code), *cells))
    return Table(columns, rows)


def subject(found: Finding) -> str:
    """The object that a finding is about, for people."""
    return f"{found.subject.kind} {found.subject.key}".rstrip()


def summary(report: Report) -> str:
    """How many findings there are of each severity, in one line."""
    if not report.findings:
        return "No findings."
    counts = [(report.count(severity), severity) for severity in reversed(Severity)]
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    parts = [f"{count} {words[severity]}{'' if count == 1 else 's'}" for count, severity in counts if count]
    return f"{', '.join(parts)}."


def not_checked(entry: NotChecked) -> str:
    """What could not be looked at, and what that leaves open."""
    return f"Not checked for want of {entry.kind} objects ({entry.reason}): {_OPEN[entry.kind]}."


# What stays open without the objects of a kind.
_OPEN: Mapping[str, str] = {
    "AdmissionCheck": "whether checks exist and are active, and quota against capacity of queues with checks",
    "ClusterQueue": "what LocalQueues lead to, and what is used",
    "Cohort": "what can be borrowed in cohorts",
    "LocalQueue": "how ClusterQueues are reached, and where workloads wait",
    "Namespace": "which namespaces selectors match",
    "Node": "whether flavors have nodes, and quota against capacity",
    "ResourceFlavor": "whether flavors exist, and what they stand for",
    "Topology": "whether topologies exist",
}


def document(report: Report, places: Places) -> dict[str, Any]:
    """A contract."""
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "LintReport",
        "items": [_item(found, places) for found in report.findings],
        "summary": {severity.word: report.count(severity) for severity in reversed(Severity)},
        "notChecked": [
            {"kind": entry.kind, "reason": entry.reason, "meaning": _OPEN[entry.kind]} for entry in report.not_checked
        ],
    }


def _item(found: Finding, places: Places) -> dict[str, Any]:
    text = lint_texts.TEXTS[found.code]
    place = places.get(found)
    return {
        "code": str(found.code),
        "severity": found.severity.word,
        "kind": found.subject.kind,
        "namespace": found.subject.namespace,
        "name": found.subject.name,
        "path": found.path,
        "message": lint_texts.message(found),
        "why": text.why,
        "fix": text.fix,
        "source": None if place is None else place.source,
        "line": None if place is None else place.line,
    }


def codes() -> Table:
    """All codes with what they mean."""
    from kueuectl.analysis.lint.findings import SEVERITIES

    columns = (Column("CODE"), Column("SEVERITY", is_state=True), Column("MEANING", is_prose=True))
    return Table(columns, [(str(code), SEVERITIES[code].word, f"{lint_texts.TEXTS[code].title}.") for code in Code])
