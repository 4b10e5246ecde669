"""Victims with what they lose, and the effect of evictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kueuectl import times
from kueuectl.analysis.preempt import Effect, Loss, Plan
from kueuectl.report import sentences
from kueuectl.report.tables import Column, Table
from kueuectl.report.views import explanation, parts


def losses(rows: Sequence[Loss]) -> Table:
    """One line for each workload that is evicted."""
    columns = (
        Column("WORKLOAD"),
        Column("CLUSTERQUEUE"),
        Column("PRIORITY", right=True),
        Column("PODS", right=True),
        Column("GPUS", right=True),
        Column("RUNNING", right=True),
        Column("GPU-HOURS LOST", right=True),
        Column("REASON"),
    )
    return Table(columns, [_cells(row) for row in rows])


def _cells(row: Loss) -> tuple[str, ...]:
    running = "" if row.seconds is None else times.format_age(row.seconds * times.SECOND)
    hours = "" if row.gpu_hours is None else f"{row.gpu_hours:.1f}"
    return (
        row.workload,
        row.cluster_queue,
        str(row.priority),
        str(row.pods),
        str(row.gpus),
        running,
        hours,
        row.reason,
    )


def plan_blocks(found: Plan, *, now: int) -> Iterator[str | Table]:
    """Who would be preempted for a workload."""
    story = found.explanation
    yield f"Workload {story.object.key}: {story.verdict.code}"
    yield f"  {sentences.verdict(story, now=now)}"
    if found.victims:
        yield ""
        yield losses(found.victims)
        yield _total(found.victims)
    if not story.verdict.deterministic:
        yield "Kueue's choice is not deterministic here: cohorts with equal shares are taken at random."
    yield from explanation.candidates(story)


def _total(rows: Sequence[Loss]) -> str:
    hours = sum(row.gpu_hours or 0.0 for row in rows)
    pods = sentences.counted(sum(row.pods for row in rows), "pod")
    return f"In all: {sentences.counted(len(rows), 'workload')}, {pods}, {hours:.1f} GPU-hours of work"


def effect_blocks(found: Effect) -> Iterator[str | Table]:
    """What evicting workloads would bring."""
    yield "Would be evicted:"
    yield losses(found.evicted)
    yield _total(found.evicted)
    yield ""
    if found.admitted:
        yield "Admitted because of it:"
        columns = (Column("WORKLOAD"), Column("CLUSTERQUEUE"), Column("FLAVORS"))
        yield Table(
            columns,
            [(gain.workload, gain.cluster_queue, parts.flavors(gain.flavors)) for gain in found.admitted],
        )
    else:
        yield "Nobody is admitted because of it."
    for title, names in (
        ("Comes straight back", found.returned),
        ("Preempted on the way", found.preempted),
        ("Would have had quota without it", found.lost),
        ("Admitted anyway", found.anyway),
    ):
        if names:
            yield f"{title}: {', '.join(names)}"
    if not found.settled:
        yield "The simulation did not come to rest: the workloads preempt each other in a loop."


def loss_document(row: Loss) -> dict[str, Any]:
    """One eviction as fields."""
    return {
        "workload": row.workload,
        "clusterQueue": row.cluster_queue,
        "priority": row.priority,
        "pods": row.pods,
        "gpus": row.gpus,
        "runningSeconds": row.seconds,
        "gpuHoursLost": None if row.gpu_hours is None else round(row.gpu_hours, 3),
        "reason": row.reason,
    }


def plan_document(found: Plan, *, now: int) -> dict[str, Any]:
    """A contract."""
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "PreemptionPreview",
        "items": [loss_document(row) for row in found.victims],
        "explanation": explanation.document(found.explanation, now=now),
    }


def effect_document(found: Effect) -> dict[str, Any]:
    """A contract."""
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "EvictionEffect",
        "evicted": [loss_document(row) for row in found.evicted],
        "items": [
            {
                "workload": gain.workload,
                "clusterQueue": gain.cluster_queue,
                "flavors": [{"podSet": ps, "resource": r, "flavor": f} for ps, r, f in gain.flavors],
            }
            for gain in found.admitted
        ],
        "returned": list(found.returned),
        "preempted": list(found.preempted),
        "lost": list(found.lost),
        "admittedAnyway": list(found.anyway),
        "settled": found.settled,
    }
