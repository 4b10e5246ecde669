"""A dry run as a document for programs. Its fields are a contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kueuectl import quantity, times
from kueuectl.analysis.difference import Changed, Difference, Lost, Stays
from kueuectl.analysis.drain import Drained
from kueuectl.analysis.dry_run_changes import ObjectChange
from kueuectl.analysis.dry_run_play import Ended, Holding, NodeFact, Outcome
from kueuectl.analysis.submit import Fate
from kueuectl.report import narrate, sentences
from kueuectl.report.views import dry_run_words as words
from kueuectl.report.views import preempt
from kueuectl.report.views.dry_run import Story


def document(story: Story, *, now: int, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """A contract: `items` has one entry for each workload that is affected."""
    result = story.result
    found = result.difference
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "DryRun",
        "now": times.format_time(now),
        "changes": [_object(change) for change in story.changes],
        "differs": not result.is_empty,
        "summary": _summary(story),
        "items": _items(found),
        "positions": [
            {"workload": row.workload, "clusterQueue": row.cluster_queue, "before": row.before, "after": row.after}
            for row in found.shifted
        ],
        "queued": list(found.queued),
        "noLongerQueued": list(found.left),
        "nodes": [_node(changed) for changed in found.nodes],
        "overQuota": [_stay(row) for row in found.stays],
        "active": [
            {"clusterQueue": row.cluster_queue, "after": not row.why, "message": row.why or None}
            for row in found.switched
        ],
        "noLongerReclaims": list(found.no_longer_reclaim),
        "fixpoint": {**_fixpoint(result.after), "unqueued": list(result.unqueued)},
        "submitted": [_fate(fate, now=now) for fate in story.fates],
        "drained": None if story.drained is None else _drained(story.drained),
        "simulation": {
            "requeue": "each",
            "settled": result.after.is_settled,
            "deterministic": not result.after.ties,
            "ties": [{"preemptor": key, "between": list(names)} for key, names in result.after.ties],
            "before": [_ended(ended) for ended in result.before.endings],
            "after": [_ended(ended) for ended in result.after.endings],
            "drain": {
                "settled": all(ended.kind == "fixpoint" for ended in result.drain),
                "differs": [
                    {"workload": row.workload, "each": row.each or None, "drain": row.drain or None}
                    for row in result.elsewhere
                ],
            },
        },
        "notes": [{"code": str(note.code), "message": words.note(note)} for note in story.notes],
        "warnings": list(warnings),
    }


def _object(change: ObjectChange) -> dict[str, Any]:
    fields = []
    for entry in change.fields:
        part = dict(zip(("flavor", "resource") if len(entry.part) == 2 else ("podSet",), entry.part, strict=False))
        before = None if entry.before is None else words.value(entry, entry.before)
        after = None if entry.after is None else words.value(entry, entry.after)
        fields.append({"field": str(entry.field), **part, "before": before, "after": after})
    target = change.target
    place = {"namespace": target.namespace} if target.namespace else {}
    return {"kind": target.kind, **place, "name": target.name, "change": str(change.verb), "fields": fields}


def _summary(story: Story) -> dict[str, Any]:
    found = story.result.difference
    before = story.result.before.held.keys()
    return {
        "admitted": len(found.gained),
        "preempted": len(found.preempted),
        "lost": len(found.lost),
        "moved": len(found.moved),
        "restarted": len(found.restarted),
        "spared": len(found.spared),
        "positions": len(found.shifted),
        "overQuota": sum(row.by_change for row in found.stays),
        "admittedAnyway": len(before - story.holding),
        "evictedAnyway": len(story.holding - before),
    }


def _fixpoint(end: Outcome) -> dict[str, Any]:
    """Where things are at the end, in the trees that were simulated; `evicted` were so on the way."""
    by = {row.workload: row.preemptor for row in end.preemptions}
    return {
        "admitted": [{"workload": key, **_holding(end.held[key])} for key in sorted(end.held)],
        "pending": [
            {"workload": key, "clusterQueue": place.cluster_queue, "position": place.position}
            for key, place in sorted(end.waiting.items())
        ],
        "evicted": [
            {"workload": key, "reason": reason, "by": by.get(key)} for key, reason in sorted(end.evictions.items())
        ],
        "replaced": [{"workload": key, "by": new} for key, new in sorted(end.replaced.items())],
    }


def _items(found: Difference) -> list[dict[str, Any]]:
    rows = [_lost(lost) for lost in found.lost]
    for again in found.restarted:
        loss = None if again.loss is None else preempt.loss_document(again.loss)
        rows.append(
            {
                "effect": "restarted",
                "workload": again.workload,
                "clusterQueue": again.cluster_queue,
                "by": again.by or None,
                "reason": again.reason,
                "loss": loss,
            }
        )
    for moved in found.moved:
        by = moved.preemption
        rows.append(
            {
                "effect": "moved",
                "workload": moved.workload,
                **_holding(moved.after),
                "before": _holding(moved.before),
                "by": None if by is None else by.preemptor,
                "reason": None if by is None else by.reason,
            }
        )
    for gained in found.gained:
        rows.append(
            {
                "effect": "admitted",
                "workload": gained.workload,
                **_holding(gained.holding),
                "isNew": gained.is_new,
                "podsAsked": gained.asked,
                "needsPlacement": gained.needs_placement,
            }
        )
    return rows


def _lost(lost: Lost) -> dict[str, Any]:
    message = narrate.entry(lost.entry) if lost.entry is not None else ""
    return {
        "effect": str(lost.why),
        "workload": lost.workload,
        **_holding(lost.holding),
        "by": lost.by or None,
        "reason": lost.reason or None,
        "message": message or None,
        "loss": None if lost.loss is None else preempt.loss_document(lost.loss),
    }


def _holding(found: Holding) -> dict[str, Any]:
    return {
        "clusterQueue": found.cluster_queue,
        "flavors": [{"podSet": ps, "resource": r, "flavor": f} for ps, r, f in found.flavors],
        "counts": dict(found.counts),
        "reservedOnly": found.is_reserved,
    }


def _node(changed: Changed) -> dict[str, Any]:
    return {
        "kind": changed.kind,
        "name": changed.name,
        "before": _fact(changed.before),
        "after": _fact(changed.after),
    }


def _fact(node: NodeFact | None) -> dict[str, Any] | None:
    if node is None:
        return None
    share = node.share.precise
    return {
        "parent": node.parent or None,
        "share": "inf" if share == float("inf") else round(share, 3),
        "weight": node.share.weight,
        "dominantResource": node.share.resource or None,
        "quotas": [
            {
                "flavor": fact.flavor,
                "resource": fact.resource,
                "nominal": quantity.format_amount(fact.resource, fact.nominal),
                "used": quantity.format_amount(fact.resource, fact.total),
                "available": quantity.format_amount(fact.resource, max(0, fact.available)),
                "over": quantity.format_amount(fact.resource, fact.over),
            }
            for fact in node.quotas
        ],
    }


def _stay(row: Stays) -> dict[str, Any]:
    amounts = {
        name: quantity.format_amount(row.resource, value)
        for name, value in (
            ("quota", row.quota),
            ("used", row.used),
            ("over", row.over),
            ("overBefore", row.before),
            ("beyondLimit", row.beyond),
        )
    }
    return {
        "kind": row.kind,
        "name": row.node,
        "flavor": row.flavor,
        "resource": row.resource,
        **amounts,
        "byChange": row.by_change,
        "reclaimers": list(row.reclaimers),
        "reclaimable": list(row.reclaimable),
        "reclaimableTotal": row.total,
    }


def _fate(fate: Fate, *, now: int) -> dict[str, Any]:
    found = fate.explanation
    verdict = None
    if found is not None:
        verdict = {"code": str(found.verdict.code), "summary": sentences.verdict(found, now=now)}
    return {
        "workload": fate.workload,
        "job": fate.job,
        "admitted": fate.is_admitted,
        "holding": None if fate.holding is None else _holding(fate.holding),
        "position": None if fate.place is None else fate.place.position,
        "preempts": [{"workload": row.workload, "reason": row.reason} for row in fate.preempts],
        "preemptedBy": None if fate.evicted_by is None else fate.evicted_by.preemptor,
        "verdict": verdict,
    }


def _drained(found: Drained) -> dict[str, Any]:
    return {
        "nodes": list(found.nodes),
        "capacity": [
            {
                "flavor": row.flavor,
                "resource": row.resource,
                **{
                    name: quantity.format_amount(row.resource, value)
                    for name, value in (
                        ("quota", row.quota),
                        ("used", row.used),
                        ("before", row.before),
                        ("after", row.after),
                        ("excess", row.excess),
                    )
                },
            }
            for row in found.capacity
        ],
        "sharedNodes": found.is_shared,
        "knowsPods": found.knows_pods,
        "running": [{"workload": key or None, "pods": count} for key, count in found.running],
        "placed": list(found.placed),
        "topologies": list(found.topologies),
    }


def _ended(found: Ended) -> dict[str, Any]:
    return {
        "end": str(found.kind),
        "root": found.root,
        "rounds": found.rounds,
        "members": list(found.members),
        "period": found.period,
    }
