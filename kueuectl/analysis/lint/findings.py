"""What lint finds: a closed list of codes with their severities, and facts as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import NamedTuple

from kueuectl.analysis.explanation import Ref
from kueuectl.model.values import Struct, replace


class Severity(IntEnum):
    """How bad a finding is. ERROR: something can't work. WARNING: probably not what was meant. INFO: worth knowing."""

    INFO = 0
    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        """error, warning or info."""
        return self.name.lower()


class Code(StrEnum):
    """What a finding is about. A closed list, ordered as reports are: what comes first explains what comes later."""

    INVALID_MANIFEST = "INVALID_MANIFEST"
    COHORT_CYCLE = "COHORT_CYCLE"
    FLAVOR_MISSING = "FLAVOR_MISSING"
    TOPOLOGY_MISSING = "TOPOLOGY_MISSING"
    ADMISSION_CHECK_MISSING = "ADMISSION_CHECK_MISSING"
    ADMISSION_CHECK_INACTIVE = "ADMISSION_CHECK_INACTIVE"
    MULTIKUEUE_CHECK_MISUSED = "MULTIKUEUE_CHECK_MISUSED"
    CLUSTER_QUEUE_MISSING = "CLUSTER_QUEUE_MISSING"
    NAMESPACE_NOT_SELECTED = "NAMESPACE_NOT_SELECTED"
    LIMIT_WITHOUT_COHORT = "LIMIT_WITHOUT_COHORT"
    LENDING_ABOVE_NOMINAL = "LENDING_ABOVE_NOMINAL"
    RESOURCE_UNCOVERED = "RESOURCE_UNCOVERED"
    HEAD_BLOCKED = "HEAD_BLOCKED"
    WORKLOAD_NEVER_FITS = "WORKLOAD_NEVER_FITS"
    LOCAL_QUEUE_MISSING = "LOCAL_QUEUE_MISSING"
    NAMESPACE_SELECTOR_MISSING = "NAMESPACE_SELECTOR_MISSING"
    NAMESPACE_SELECTOR_EMPTY = "NAMESPACE_SELECTOR_EMPTY"
    RESOURCE_DEFAULT_UNCOVERED = "RESOURCE_DEFAULT_UNCOVERED"
    RESOURCE_EXCLUDED = "RESOURCE_EXCLUDED"
    RESOURCE_REPLACED = "RESOURCE_REPLACED"
    RESOURCE_OUTPUT_UNCOVERED = "RESOURCE_OUTPUT_UNCOVERED"
    CHECK_FLAVOR_UNKNOWN = "CHECK_FLAVOR_UNKNOWN"
    FLAVOR_WITHOUT_NODES = "FLAVOR_WITHOUT_NODES"
    FLAVOR_TAINT_NOT_TOLERATED = "FLAVOR_TAINT_NOT_TOLERATED"
    FLAVOR_TAINT_WITHOUT_NODES = "FLAVOR_TAINT_WITHOUT_NODES"
    FLAVORS_SHARE_NODES = "FLAVORS_SHARE_NODES"
    FLAVOR_DEAD = "FLAVOR_DEAD"
    TOPOLOGY_LEVEL_WITHOUT_NODES = "TOPOLOGY_LEVEL_WITHOUT_NODES"
    QUOTA_ABOVE_CAPACITY = "QUOTA_ABOVE_CAPACITY"
    QUOTA_WITHOUT_CAPACITY = "QUOTA_WITHOUT_CAPACITY"
    UNIT_SCALE = "UNIT_SCALE"
    BORROWING_IMPOSSIBLE = "BORROWING_IMPOSSIBLE"
    COHORT_QUOTA_UNREACHABLE = "COHORT_QUOTA_UNREACHABLE"
    COHORT_ONE_MEMBER = "COHORT_ONE_MEMBER"
    COHORT_EMPTY = "COHORT_EMPTY"
    BORROW_POLICY_UNDER_FAIR_SHARING = "BORROW_POLICY_UNDER_FAIR_SHARING"
    POLICY_WITHOUT_COHORT = "POLICY_WITHOUT_COHORT"
    THRESHOLD_WITHOUT_POLICY = "THRESHOLD_WITHOUT_POLICY"
    FUNGIBILITY_WITHOUT_CHOICE = "FUNGIBILITY_WITHOUT_CHOICE"
    WEIGHT_ZERO = "WEIGHT_ZERO"
    WEIGHT_WITHOUT_FAIR_SHARING = "WEIGHT_WITHOUT_FAIR_SHARING"
    ADMISSION_SCOPE_OFF = "ADMISSION_SCOPE_OFF"
    CONCURRENT_ADMISSION_OFF = "CONCURRENT_ADMISSION_OFF"
    QUEUE_WITHOUT_QUOTA = "QUEUE_WITHOUT_QUOTA"
    QUEUE_STOPPED = "QUEUE_STOPPED"
    QUEUE_WITHOUT_DOOR = "QUEUE_WITHOUT_DOOR"
    FLAVOR_UNUSED = "FLAVOR_UNUSED"
    NODES_UNCLAIMED = "NODES_UNCLAIMED"
    ADMISSION_CHECK_UNUSED = "ADMISSION_CHECK_UNUSED"
    TOPOLOGY_UNUSED = "TOPOLOGY_UNUSED"


_ERRORS = (
    Code.INVALID_MANIFEST,
    Code.COHORT_CYCLE,
    Code.FLAVOR_MISSING,
    Code.TOPOLOGY_MISSING,
    Code.ADMISSION_CHECK_MISSING,
    Code.ADMISSION_CHECK_INACTIVE,
    Code.MULTIKUEUE_CHECK_MISUSED,
    Code.CLUSTER_QUEUE_MISSING,
    Code.NAMESPACE_NOT_SELECTED,
    Code.LIMIT_WITHOUT_COHORT,
    Code.LENDING_ABOVE_NOMINAL,
    Code.RESOURCE_UNCOVERED,
    Code.HEAD_BLOCKED,
)
_NOTES = (
    Code.QUOTA_WITHOUT_CAPACITY,
    Code.FLAVOR_TAINT_WITHOUT_NODES,
    Code.COHORT_ONE_MEMBER,
    Code.COHORT_EMPTY,
    Code.FUNGIBILITY_WITHOUT_CHOICE,
    Code.WEIGHT_WITHOUT_FAIR_SHARING,
    Code.ADMISSION_SCOPE_OFF,
    Code.QUEUE_STOPPED,
    Code.QUEUE_WITHOUT_DOOR,
    Code.FLAVOR_UNUSED,
    Code.NODES_UNCLAIMED,
    Code.ADMISSION_CHECK_UNUSED,
    Code.TOPOLOGY_UNUSED,
)
# How bad a code is, unless the finding itself is worse or milder.
SEVERITIES: Mapping[Code, Severity] = {
    code: Severity.ERROR if code in _ERRORS else Severity.INFO if code in _NOTES else Severity.WARNING for code in Code
}


class Amount(NamedTuple):
    """An amount as a fact: millicores for cpu, base units for the rest."""

    resource: str
    value: int


Value = str | int | Amount | tuple[str, ...]
Facts = tuple[tuple[str, Value], ...]


class Finding(Struct, frozen=True):
    """One finding. `path` is a field path as the API server writes it, "" for the whole object.

    `facts` fill the sentence of the code, see report.lint_texts.
    """

    code: Code
    subject: Ref
    path: str
    severity: Severity
    facts: Facts = ()

    def fact(self, name: str) -> Value:
        """The fact of that name; "" without it."""
        return next((value for key, value in self.facts if key == name), "")

    def graded(self, severity: Severity) -> Finding:
        """The same finding, worse or milder."""
        return replace(self, severity=severity)


class Unknown(Struct, frozen=True):
    """A rule had something to look at and could not: the kind that it lacked."""

    kind: str


Found = Finding | Unknown


def finding(code: Code, subject: Ref, path: str = "", **facts: Value) -> Finding:
    """A finding with the severity of its code."""
    return Finding(code, subject, path, SEVERITIES[code], tuple(facts.items()))
