"""Runs all rules over a state, and puts what they found in order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kueuectl.analysis.lint.findings import Code, Finding, Severity, Unknown
from kueuectl.analysis.lint.rules import RULES
from kueuectl.analysis.lint.scene import Origin, Scene, unknown_kinds
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState
from kueuectl.model.values import Struct, replace

_PLACES = {code: place for place, code in enumerate(Code)}


class NotChecked(Struct, frozen=True):
    """A kind that rules would have needed, and why it could not be looked at."""

    kind: str
    reason: str


class Report(Struct, frozen=True):
    """Findings, the worst first; and what was not checked, by kind."""

    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()

    def count(self, severity: Severity) -> int:
        """How many findings are of that severity."""
        return sum(found.severity is severity for found in self.findings)

    def fails(self, threshold: Severity | None) -> bool:
        """Whether a finding is as bad as the threshold, or worse; never without one."""
        return threshold is not None and any(found.severity >= threshold for found in self.findings)

    def without(self, codes: Collection[str]) -> Report:
        """The report without the findings of some codes."""
        return replace(self, findings=tuple(found for found in self.findings if found.code not in codes))


def judge(
    state: ClusterState,
    settings: Settings,
    *,
    origin: Origin,
    unread: Collection[tuple[str, str]] = (),
) -> Report:
    """What there is to say about a state.

    `unread` are (kind, key) of objects that are there and could not be read.
    """
    unknown = unknown_kinds(state, origin)
    scene = Scene(state, settings, unknown=unknown, unread=unread)
    findings: list[Finding] = []
    lacking: set[str] = set()
    for rule in RULES:
        for found in rule(scene):
            if isinstance(found, Unknown):
                lacking.add(found.kind)
            else:
                findings.append(found)
    return Report(_ordered(findings), _not_checked(lacking, unknown))


def judge_changed(
    before: ClusterState,
    after: ClusterState,
    settings: Settings,
    *,
    origin: Origin,
    given: Collection[tuple[str, str]],
    unread: Collection[tuple[str, str]] = (),
) -> Report:
    """What there is to say about a change: findings of given objects (kind, key), and what it brings elsewhere."""
    known = frozenset(judge(before, settings, origin=origin).findings)
    report = judge(after, settings, origin=origin, unread=unread)
    kept = [
        found for found in report.findings if (found.subject.kind, found.subject.key) in given or found not in known
    ]
    return replace(report, findings=tuple(kept))


def with_faults(report: Report, faults: Iterable[Finding]) -> Report:
    """The report with what is wrong with manifests; what a rule says about the same field is left out."""
    added = tuple(faults)
    places = {(fault.subject, fault.path) for fault in added}
    kept = [found for found in report.findings if (found.subject, found.path) not in places]
    return replace(report, findings=_ordered([*added, *kept]))


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """1. Worse first, 2. in the order of the codes, 3. kind, 4. key, 5. path; equal ones are one."""
    unique = dict.fromkeys(findings)
    return tuple(
        sorted(
            unique,
            key=lambda found: (
                -found.severity,
                _PLACES[found.code],
                found.subject.kind,
                found.subject.key,
                found.path,
                str(found.facts),
            ),
        )
    )


def _not_checked(lacking: set[str], unknown: Mapping[str, str]) -> tuple[NotChecked, ...]:
    return tuple(NotChecked(kind, unknown[kind]) for kind in sorted(lacking) if kind in unknown)
