"""What became different between two dumps: objects with their fields, workloads in words, usage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from kueuectl import quantity, times
from kueuectl.analysis.state_diff import Move, ObjectDiff, Place, Stage, StateDiff, UsageDiff, Verb
from kueuectl.analysis.state_fields import FieldDiff, Scalar, Unit
from kueuectl.report.tables import Column, Table

_SIGNS = {Verb.ADDED: "+", Verb.REMOVED: "-", Verb.CHANGED: "~", Verb.REPLACED: "~"}
_NOTHING = "none"


def blocks(found: StateDiff, *, moments: tuple[int, int]) -> Iterator[str | Table]:
    """A summary, then settings, objects, workloads and usage; `moments` are the times of the states in nanoseconds."""
    yield summary(found, moments=moments)
    if found.settings:
        yield ""
        yield "Kueue's Configuration"
        yield from (f"  {field(entry)}" for entry in found.settings)
    # Workloads that came or went are told further down.
    shown = [entry for entry in found.objects if entry.subject.kind != "Workload" or entry.fields]
    if shown:
        yield ""
        yield "Objects"
        for entry in shown:
            yield from _object(entry)
    if found.workloads:
        yield ""
        yield "Workloads"
        yield from (f"  {move.workload}: {words(move)}" for move in found.workloads)
    if found.usage:
        yield ""
        yield "Usage"
        yield _usage(found.usage)


def summary(found: StateDiff, *, moments: tuple[int, int]) -> str:
    """What differs in one line, and how much later the second state is."""
    later = moments[1] - moments[0]
    when = "" if not later else f", {times.format_age(abs(later))} {'later' if later > 0 else 'earlier'}"
    if found.is_empty:
        return f"Nothing differs{when}."
    counts = [f"{found.count(verb)} {verb}" for verb in Verb if found.count(verb)]
    parts = [f"objects: {', '.join(counts)}"] if counts else []
    stages = Counter(_became(move) for move in found.workloads)
    if stages:
        parts.append("workloads: " + ", ".join(f"{count} {what}" for what, count in sorted(stages.items())))
    if found.usage:
        parts.append(f"usage or quota of {len({entry.node for entry in found.usage})} queues and cohorts")
    if found.settings:
        parts.append("Kueue's Configuration")
    return f"Differs{when}: {'; '.join(parts)}."


def _became(move: Move) -> str:
    """What became of a workload, in a word or two."""
    if move.after is None:
        return "gone"
    if move.before is None:
        return f"new and {move.after.stage}"
    if move.after.stage is move.before.stage:
        return "evicted in between" if move.reason else "moved"
    return f"now {move.after.stage}"


def _object(entry: ObjectDiff) -> Iterator[str]:
    again = " (deleted and made again)" if entry.verb is Verb.REPLACED else ""
    yield f"  {_SIGNS[entry.verb]} {entry.subject.kind} {entry.subject.key}{again}"
    yield from (f"      {field(difference)}" for difference in entry.fields)


def field(found: FieldDiff) -> str:
    """path: before -> after."""
    return f"{found.path}: {_text(found.before, found)} -> {_text(found.after, found)}"


def _text(value: Scalar, found: FieldDiff) -> str:
    if value is None:
        return _NOTHING
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        match found.unit:
            case Unit.AMOUNT:
                return quantity.format_amount(found.resource, value)
            case Unit.NANO:
                return quantity.format_nano(value, binary=quantity.is_binary(found.resource))
            case Unit.TIME:
                return times.format_time(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def words(move: Move) -> str:
    """What became of a workload, in a sentence."""
    before, after = move.before, move.after
    why = f" ({move.reason})" if move.reason else ""
    if after is None:
        return f"gone; it was {_where(before)}" if before is not None else "gone"
    if before is None:
        return f"new; {_where(after)}{why}"
    if before.stage is after.stage:
        if before == after:
            return f"evicted in between{why}; {_where(after)}"
        return f"still {after.stage}, {_shift(before, after)}{why}"
    if after.stage is Stage.PENDING and before.stage in (Stage.ADMITTED, Stage.RESERVED, Stage.EVICTED):
        return f"lost its quota{why}; it was {_where(before)} and waits again"
    return f"{before.stage} -> {_where(after)}{why}"


def _where(place: Place | None) -> str:
    if place is None:
        return ""
    if not place.flavors:
        return f"{place.stage} in ClusterQueue {place.cluster_queue}" if place.cluster_queue else str(place.stage)
    return f"{place.stage} in ClusterQueue {place.cluster_queue} with {_flavors(place)}"


def _flavors(place: Place) -> str:
    names = list(dict.fromkeys(flavor for _, _, flavor in place.flavors))
    if len(names) == 1:
        return f"flavor {names[0]}"
    return "flavors " + ", ".join(f"{pod_set}/{resource}={flavor}" for pod_set, resource, flavor in place.flavors)


def _shift(before: Place, after: Place) -> str:
    parts = []
    if before.cluster_queue != after.cluster_queue:
        old, new = before.cluster_queue or _NOTHING, after.cluster_queue or _NOTHING
        parts.append(f"ClusterQueue {old} -> {new}")
    if before.flavors != after.flavors:
        parts.append(f"{_flavors(before)} -> {_flavors(after)}")
    if before.pods != after.pods:
        parts.append(f"{before.pods} -> {after.pods} pods")
    return "; ".join(parts)


def _usage(found: tuple[UsageDiff, ...]) -> Table:
    columns = (
        Column("  NODE"),
        Column("FLAVOR"),
        Column("RESOURCE"),
        Column("USED", right=True),
        Column("USED NOW", right=True),
        Column("QUOTA", right=True),
        Column("QUOTA NOW", right=True),
    )
    rows = []
    for entry in found:
        amounts = (entry.before, entry.after, entry.quota_before, entry.quota_after)
        cells = [quantity.format_amount(entry.resource, amount) for amount in amounts]
        rows.append((f"  {entry.node.kind} {entry.node.name}", entry.flavor, entry.resource, *cells))
    return Table(columns, rows)


def document(found: StateDiff, *, moments: tuple[int, int]) -> dict[str, Any]:
    """A contract. Amounts are quantities as text."""
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "SnapshotDiff",
        "from": times.format_time(moments[0]),
        "to": times.format_time(moments[1]),
        "isEmpty": found.is_empty,
        "objects": [
            {
                "kind": entry.subject.kind,
                "namespace": entry.subject.namespace,
                "name": entry.subject.name,
                "change": str(entry.verb),
                "fields": [_field(difference) for difference in entry.fields],
            }
            for entry in found.objects
        ],
        "workloads": [
            {
                "workload": move.workload,
                "before": _place(move.before),
                "after": _place(move.after),
                "evictionReason": move.reason or None,
                "words": words(move),
            }
            for move in found.workloads
        ],
        "usage": [_used(entry) for entry in found.usage],
        "configuration": [_field(entry) for entry in found.settings],
    }


def _field(found: FieldDiff) -> dict[str, Any]:
    def value(side: Scalar) -> Any:
        is_plain = side is None or isinstance(side, bool) or (found.unit is Unit.PLAIN)
        return side if is_plain else _text(side, found)

    return {"path": found.path, "before": value(found.before), "after": value(found.after)}


def _place(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    flavors = [{"podSet": pod_set, "resource": r, "flavor": flavor} for pod_set, r, flavor in place.flavors]
    return {"stage": str(place.stage), "clusterQueue": place.cluster_queue, "flavors": flavors, "pods": place.pods}


def _used(entry: UsageDiff) -> dict[str, Any]:
    def text(amount: int) -> str:
        return quantity.format_amount(entry.resource, amount)

    return {
        "kind": entry.node.kind,
        "name": entry.node.name,
        "flavor": entry.flavor,
        "resource": entry.resource,
        "usedBefore": text(entry.before),
        "usedAfter": text(entry.after),
        "quotaBefore": text(entry.quota_before),
        "quotaAfter": text(entry.quota_after),
    }
