"""Findings as SARIF 2.1.0, for tools that show them at the line of a file (code scanning, editors, CI)."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from kueuectl.analysis.lint.findings import SEVERITIES, Code, Finding, Severity
from kueuectl.analysis.lint.run import NotChecked, Report
from kueuectl.report import lint_texts
from kueuectl.report.views.lint import Place, Places, not_checked, subject

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
# What stays the same of a finding when lines move, so that a tool can tell old findings from new ones.
_FINGERPRINT = "kueuectlFinding/v1"


def document(report: Report, places: Places, *, tool_version: str) -> dict[str, Any]:
    """One run with all rules and findings. Every finding has its object as a logical location."""
    order = list(Code)
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "kueuectl",
                        "semanticVersion": tool_version,
                        "rules": [_rule(code) for code in order],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [_notification(entry) for entry in report.not_checked],
                    }
                ],
                "columnKind": "unicodeCodePoints",
                "results": [_result(found, places.get(found), order.index(found.code)) for found in report.findings],
            }
        ],
    }


def _rule(code: Code) -> dict[str, Any]:
    text = lint_texts.TEXTS[code]
    return {
        "id": str(code),
        "name": "".join(word.capitalize() for word in code.split("_")),
        "shortDescription": {"text": f"{text.title}."},
        "fullDescription": {"text": text.why},
        "help": {"text": f"{text.why} {text.fix}"},
        "defaultConfiguration": {"level": _LEVELS[SEVERITIES[code]]},
    }


def _result(found: Finding, place: Place | None, index: int) -> dict[str, Any]:
    text = lint_texts.TEXTS[found.code]
    name = f"{found.subject.kind}/{found.subject.key}"
    location: dict[str, Any] = {
        "logicalLocations": [
            {
                "name": found.subject.name,
                "fullyQualifiedName": f"{name}:{found.path}" if found.path else name,
                "kind": "resource",
            }
        ]
    }
    if place is not None:
        location = {"physicalLocation": _physical(place), **location}
    return {
        "ruleId": str(found.code),
        "ruleIndex": index,
        "level": _LEVELS[found.severity],
        "message": {"text": f"{subject(found)}: {lint_texts.message(found)}. {text.fix}"},
        "locations": [location],
        "partialFingerprints": {_FINGERPRINT: f"{found.code}|{name}|{found.path}"},
    }


def _physical(place: Place) -> dict[str, Any]:
    found: dict[str, Any] = {"artifactLocation": {"uri": uri_of(place.source)}}
    if place.line is not None:
        found["region"] = {"startLine": place.line}
    return found


def uri_of(source: str) -> str:
    """A file name as a URI: relative ones stay relative, so that they are found in a checkout."""
    if source.startswith("example:"):
        return quote(source, safe=":/")
    path = PurePath(source)
    if path.is_absolute():
        return path.as_uri()
    return quote(path.as_posix())


def _notification(entry: NotChecked) -> dict[str, Any]:
    return {"level": "note", "message": {"text": not_checked(entry)}}
