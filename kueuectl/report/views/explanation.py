"""An explanation on the screen, and as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kueuectl import quantity, times
from kueuectl.analysis.explanation import Code, Explanation, FlavorRow, PodSetRow, Proposal, ResourceRow, StepState
from kueuectl.report import narrate, sentences
from kueuectl.report.tables import Column, Table

Block = str | Table

_MARKS = {
    StepState.PASSED: "ok",
    StepState.BLOCKED: "STOP",
    StepState.UNKNOWN: "?",
    StepState.NOT_REACHED: "-",
}
_MOST_CANDIDATES = 20
# What most workloads of a large cohort are: counted, not listed.
_OTHER = "uses none of the resources that are short"
# No way to go any more.
_SETTLED = frozenset({Code.ADMITTED, Code.FINISHED, Code.EVICTING})


def blocks(found: Explanation, *, now: int) -> Iterator[Block]:
    """Lines and tables, the answer first."""
    ref = found.object
    yield f"{ref.kind} {ref.key}: {found.verdict.code}"
    yield f"  {sentences.verdict(found, now=now)}"
    yield ""
    yield from _place(found, now)
    yield from _eviction(found, now)
    if found.proposals:
        yield ""
        yield "What would admit it (each one tried in the engine):"
        for number, proposal in enumerate(found.proposals, start=1):
            yield f"  {number}. {sentences.proposal(proposal)}"
    for pod_set in found.pod_sets:
        yield from _pod_set(pod_set)
    yield from candidates(found)
    yield from _steps(found)
    yield from _said(found, now)


def warnings(found: Explanation, *, now: int) -> list[str]:
    """Warnings as sentences."""
    return [sentences.warning(warning, now=now) for warning in found.warnings]


def _place(found: Explanation, now: int) -> Iterator[str]:
    queue = found.queue
    path = " > ".join(part for part in (queue.local_queue, queue.cluster_queue, *queue.cohort_path) if part)
    place = f", position {queue.position} of {queue.waiting} ({queue.strategy})" if queue.position else ""
    if path:
        yield f"  Queue:     {path}{place}"
    parts = []
    if found.priority is not None:
        parts.append(f"priority {found.priority}")
    if found.queued_at is not None:
        parts.append(f"queued {times.format_age(now - found.queued_at)} ago")
    if found.owner is not None:
        parts.append(f"made for {found.owner.kind} {found.owner.name}")
    if parts:
        yield f"  Workload:  {', '.join(parts)}"
    if found.replaces:
        yield f"  Replaces:  {found.replaces}"


def _pod_set(row: PodSetRow) -> Iterator[Block]:
    asked = ", ".join(f"{name} {quantity.format_amount(name, value)}" for name, value in row.requests)
    yield ""
    pods = f"{row.count} pod{'s' if row.count != 1 else ''}"
    if row.granted != row.count:
        # The flavors of a waiting workload are shown for all of its pods, a held one has the requests of those it got.
        pods = f"{pods} asked for, {row.granted} given" if row.flavors else f"{row.granted} of {pods}"
    yield f"Pod set {row.name}: {pods}{f', {asked} in all' if asked else ''}"
    if row.flavors:
        yield _flavor_table(row.flavors)
        for flavor in row.flavors:
            for reason in flavor.reasons:
                yield f"  {flavor.name}: {narrate.flavor_reason(reason)}"
            for resource in flavor.resources:
                if resource.borrowers and flavor.out in ("quota", ""):
                    yield f"  {flavor.name}: {resource.name} is borrowed by {sentences.borrowers(resource)}"
    elif row.chosen:
        yield "  " + ", ".join(f"{resource} in {flavor}" for resource, flavor in row.chosen)


def _flavor_table(flavors: tuple[FlavorRow, ...]) -> Table:
    columns = (
        Column("  FLAVOR"),
        Column("STATE"),
        Column("RESOURCE"),
        Column("REQUESTED", right=True),
        Column("NOMINAL", right=True),
        Column("USED", right=True),
        Column("BORROWABLE", right=True, wide=True),
        Column("AVAILABLE", right=True),
        Column("MISSING", right=True),
        Column("MAX", right=True),
        Column("LIMITED BY"),
    )
    rows = []
    for flavor in flavors:
        name = f"{'* ' if flavor.is_chosen else '  '}{flavor.name}"
        first = True
        for resource in flavor.resources or (None,):
            head = (name, _state(flavor)) if first else ("", "")
            rows.append((*head, *_cells(resource)))
            first = False
    return Table(columns, rows)


def _state(flavor: FlavorRow) -> str:
    """Kueue's mode as a word that needs no manual: its mode Preempt does not say that anybody is preempted."""
    if flavor.mode in ("Preempt", "NoFit"):
        return {"taint": "ruled out", "affinity": "ruled out", "capacity": "too small"}.get(flavor.out, "short")
    return {"Fit": "fits", "DeferredFit": "fits later", "NotTried": "not tried"}.get(flavor.mode, flavor.mode)


def _cells(row: ResourceRow | None) -> tuple[str, ...]:
    if row is None:
        return ("",) * 9
    values = (row.requested, row.nominal, row.used, row.borrowable, row.available, row.missing, row.maximum)
    shown = (quantity.format_amount(row.name, value) for value in values)
    return (row.name, *shown, sentences.short_limit(row.limited_by))


def candidates(found: Explanation) -> Iterator[Block]:
    """What was found about each workload that was looked at as a victim; nothing without preemption."""
    facts = found.preemption
    if not facts.candidates or (found.verdict.code is Code.FITS and not facts.victims):
        return
    yield ""
    # With fair sharing one may be looked at twice, under each strategy.
    count_all = len({row.workload for row in facts.candidates})
    yield f"Preemption: {len(facts.victims)} of {sentences.counted(count_all, 'workload')} looked at would be preempted"
    columns = (
        Column("  WORKLOAD"),
        Column("CLUSTERQUEUE"),
        Column("PRIORITY", right=True),
        Column("FINDING", is_prose=True),
    )
    telling = [row for row in facts.candidates if row.finding != _OTHER]
    rows = [
        (f"  {row.workload}", row.cluster_queue, str(row.priority), sentences.candidate(row, found.priority))
        for row in telling[:_MOST_CANDIDATES]
    ]
    if rows:
        yield Table(columns, rows)
    if len(telling) > _MOST_CANDIDATES:
        yield f"  ... and {len(telling) - _MOST_CANDIDATES} more: -o json has all"
    others = count_all - len({row.workload for row in telling})
    if others:
        yield f"  {others} more use none of what is short" if telling else "  None of them uses what is short."


def _steps(found: Explanation) -> Iterator[Block]:
    steps = [step for step in found.steps if step.state is not StepState.NOT_REACHED]
    if not steps or found.verdict.code in _SETTLED:
        return
    yield ""
    yield "How far it got:"
    for step in steps:
        yield f"  {_MARKS[step.state]:<4}  {sentences.step(step)}"


def _eviction(found: Explanation, now: int) -> Iterator[str]:
    eviction = found.eviction
    if eviction is None:
        return
    when = "" if eviction.at is None else f" {times.format_age(now - eviction.at)} ago"
    yield ""
    rule = f", {eviction.preemption_reason}" if eviction.preemption_reason else ""
    yield f"Last eviction{when}: {eviction.reason}{rule}"
    if eviction.preemption_reason:
        who = eviction.preemptor or f"a workload that is gone (UID {eviction.preemptor_uid or 'unknown'})"
        ranks = ""
        if eviction.preemptor_priority is not None:
            ranks = f", priority {eviction.preemptor_priority} against {eviction.own_priority}"
        yield f"  by {who}{ranks}"
        if eviction.preemptor_path:
            yield f"  preemptor in {eviction.preemptor_path}, this one in {eviction.own_path}"
        if eviction.preemptor_share is not None and eviction.own_share is not None:
            (theirs, a), (ours, b) = eviction.preemptor_share, eviction.own_share
            yield f"  shares now: {theirs} {a:g}, {ours} {b:g} (thousandths of what can be lent, over the weight)"
    if eviction.message:
        yield f"  {eviction.message}"


def _said(found: Explanation, now: int) -> Iterator[str]:
    if found.conditions:
        yield ""
        yield "What Kueue wrote last:"
    told: set[str] = set()
    for condition in found.conditions:
        age = "" if condition.last_transition is None else f", {times.format_age(now - condition.last_transition)} ago"
        message = "(the same message)" if condition.message in told else condition.message
        if condition.message:
            told.add(condition.message)
        yield f"  {condition.type}={condition.status} ({condition.reason}{age}) {message}".rstrip()
    for name, state, message in found.checks:
        yield f"  check {name}: {state} {message}".rstrip()


def document(found: Explanation, *, now: int) -> dict[str, Any]:
    """The fields of design.md: a contract."""
    ref = found.object
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "Explanation",
        "object": {"kind": ref.kind, "name": ref.name, **({"namespace": ref.namespace} if ref.namespace else {})},
        "verdict": {
            "code": str(found.verdict.code),
            "summary": sentences.verdict(found, now=now),
            "behind": found.verdict.behind,
            "deterministic": found.verdict.deterministic,
        },
        "queue": {
            "localQueue": found.queue.local_queue,
            "clusterQueue": found.queue.cluster_queue,
            "cohortPath": list(found.queue.cohort_path),
            "position": found.queue.position,
            "waiting": found.queue.waiting,
        },
        "priority": found.priority,
        "message": found.message,
        "steps": [
            {"name": str(step.name), "state": str(step.state), "text": sentences.step(step)} for step in found.steps
        ],
        "podSets": [_pod_set_document(row) for row in found.pod_sets],
        "preemption": _preemption_document(found),
        "topology": None,
        "proposals": [_proposal_document(row) for row in found.proposals],
        "conditions": [
            {
                "type": c.type,
                "status": c.status,
                "reason": c.reason,
                "message": c.message,
                "lastTransitionTime": None if c.last_transition is None else times.format_time(c.last_transition),
            }
            for c in found.conditions
        ],
        "eviction": _eviction_document(found),
        "checks": [{"name": name, "state": state, "message": message} for name, state, message in found.checks],
        "openChecks": list(found.open_checks),
        "until": None if found.until is None else times.format_time(found.until),
        "uncoveredResources": list(found.uncovered),
        "replaces": found.replaces,
        "warnings": [
            {"code": str(warning.code), "text": sentences.warning(warning, now=now)} for warning in found.warnings
        ],
    }


def _pod_set_document(row: PodSetRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "count": row.count,
        "granted": row.granted,
        "requests": {name: quantity.format_amount(name, value) for name, value in row.requests},
        "assigned": dict(row.chosen),
        "flavors": [_flavor_document(flavor) for flavor in row.flavors],
    }


def _flavor_document(row: FlavorRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "mode": row.mode,
        "out": row.out,
        "chosen": row.is_chosen,
        "borrowingHeight": row.height,
        "reasons": [narrate.flavor_reason(reason) for reason in row.reasons],
        "resources": [_resource_document(resource) for resource in row.resources],
    }


def _resource_document(row: ResourceRow) -> dict[str, Any]:
    def shown(value: int) -> str:
        return quantity.format_amount(row.name, value)

    limit = row.limited_by
    return {
        "name": row.name,
        "requested": shown(row.requested),
        "nominal": shown(row.nominal),
        "used": shown(row.used),
        "borrowable": shown(row.borrowable),
        "available": shown(row.available),
        "missing": shown(row.missing),
        "max": shown(row.maximum),
        "borrowers": [{"clusterQueue": name, "amount": shown(amount)} for name, amount in row.borrowers],
        "limitedBy": None
        if limit is None
        else {"limit": str(limit.kind), "kind": "Cohort" if limit.is_cohort else "ClusterQueue", "name": limit.node},
    }


def _preemption_document(found: Explanation) -> dict[str, Any]:
    facts = found.preemption
    return {
        "candidates": [
            {
                "workload": row.workload,
                "clusterQueue": row.cluster_queue,
                "priority": row.priority,
                "finding": row.finding,
                "text": sentences.candidate(row, found.priority),
            }
            for row in facts.candidates
        ],
        "victims": list(facts.victims),
        "ties": [list(names) for names in facts.ties],
    }


def _proposal_document(row: Proposal) -> dict[str, Any]:
    return {
        "change": str(row.kind),
        "object": {"kind": row.target.kind, "name": row.target.name, "namespace": row.target.namespace},
        "what": row.what,
        "before": row.before,
        "after": row.after,
        "verdict": str(row.verdict),
        "victims": list(row.victims),
        "newcomers": list(row.newcomers),
        "text": sentences.proposal(row),
    }


def _eviction_document(found: Explanation) -> dict[str, Any] | None:
    eviction = found.eviction
    if eviction is None:
        return None
    return {
        "at": None if eviction.at is None else times.format_time(eviction.at),
        "reason": eviction.reason,
        "preemptionReason": eviction.preemption_reason,
        "message": eviction.message,
        "preemptor": eviction.preemptor,
        "preemptorUID": eviction.preemptor_uid,
        "preemptorPriority": eviction.preemptor_priority,
        "priority": eviction.own_priority,
        "preemptorPath": eviction.preemptor_path,
        "path": eviction.own_path,
        "sharesNow": {
            name: "inf" if share == float("inf") else share
            for pair in (eviction.preemptor_share, eviction.own_share)
            if pair is not None
            for name, share in (pair,)
        },
    }
