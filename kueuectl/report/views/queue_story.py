"""The explanation of a ClusterQueue, LocalQueue or cohort, on the screen and as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kueuectl import quantity
from kueuectl.analysis.explanation import Code
from kueuectl.analysis.queues import QueueExplanation
from kueuectl.report import sentences
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import explanation

_MOST = 10


def blocks(found: QueueExplanation, *, now: int) -> Iterator[str | Table]:
    """Lines and tables, the answer first."""
    ref = found.object
    yield f"{ref.kind} {ref.key}: {found.verdict.code}"
    yield f"  {summary(found)}"
    path = " > ".join(part for part in (found.cluster_queue, *found.cohort_path) if part)
    if path:
        yield ""
        yield f"  Queue:     {path}{f' ({found.strategy})' if found.strategy else ''}"
    if found.local_queues:
        yield f"  From:      LocalQueues {', '.join(found.local_queues[:_MOST])}"
    if found.head is not None:
        yield ""
        yield f"Head {found.head.object.key}: {found.head.verdict.code}"
        yield f"  {sentences.verdict(found.head, now=now)}"
    if found.tried_behind:
        yield from _behind(found)
    if found.quota:
        yield ""
        yield "Quota:"
        yield _quota(found)
    if found.members:
        yield ""
        yield "Members:"
        for member in found.members:
            yield f"  {member.kind} {member.key}"


def summary(found: QueueExplanation) -> str:
    """One sentence: does it take work, and how much of it is there."""
    if found.object.kind == "Cohort":
        members = sentences.counted(len(found.members), "member")
        return f"{members}; below it {_holding(found)}."
    waiting = found.waiting + found.parked
    parked = f", {found.parked} of them set apart" if found.parked else ""
    count = f"{_holding(found)}, {waiting} wait{'s' if waiting == 1 else ''}{parked}."
    if found.verdict.code is Code.ACTIVE:
        return f"It takes work. {count}"
    return f"{found.message or found.reason}. {count}"


def _holding(found: QueueExplanation) -> str:
    return f"{sentences.counted(found.holding, 'workload')} hold{'s' if found.holding == 1 else ''} quota"


def _behind(found: QueueExplanation) -> Iterator[str]:
    count = len(found.would_fit)
    if not count:
        yield f"  None of the {found.tried_behind} workloads behind it would fit now either."
        return
    names = ", ".join(found.would_fit[:_MOST])
    more = f" and {count - _MOST} more" if count > _MOST else ""
    yield f"  {count} of {found.tried_behind} workloads behind it would fit now: {names}{more}"


def _quota(found: QueueExplanation) -> Table:
    columns = (
        Column("  FLAVOR"),
        Column("RESOURCE"),
        *(Column(title, right=True) for title in ("QUOTA", "USED", "BORROWED", "AVAILABLE", "MAX")),
    )
    rows = []
    for row in found.quota:
        values = (row.nominal, row.used, row.borrowed, row.available, row.maximum)
        shown = tuple(quantity.format_amount(row.resource, value) for value in values)
        rows.append((f"  {row.flavor}", row.resource, *shown))
    return Table(columns, rows)


def document(found: QueueExplanation, *, now: int) -> dict[str, Any]:
    """The same as fields: a contract."""
    ref = found.object

    def amount(resource: str, value: int) -> str:
        return quantity.format_amount(resource, value)

    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "Explanation",
        "object": {"kind": ref.kind, "name": ref.name, **({"namespace": ref.namespace} if ref.namespace else {})},
        "verdict": {
            "code": str(found.verdict.code),
            "summary": summary(found),
            "behind": "",
            "deterministic": True,
        },
        "reason": found.reason,
        "message": found.message,
        "clusterQueue": found.cluster_queue,
        "cohortPath": list(found.cohort_path),
        "queueingStrategy": found.strategy,
        "workloads": {"holding": found.holding, "waiting": found.waiting, "setApart": found.parked},
        "quota": [
            {
                "flavor": row.flavor,
                "resource": row.resource,
                "quota": amount(row.resource, row.nominal),
                "used": amount(row.resource, row.used),
                "borrowed": amount(row.resource, row.borrowed),
                "available": amount(row.resource, row.available),
                "max": amount(row.resource, row.maximum),
            }
            for row in found.quota
        ],
        "head": None if found.head is None else explanation.document(found.head, now=now),
        "wouldFitBehindHead": list(found.would_fit),
        "members": [{"kind": member.kind, "name": member.name} for member in found.members],
        "localQueues": list(found.local_queues),
        "warnings": [],
    }
