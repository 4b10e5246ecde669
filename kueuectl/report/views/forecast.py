"""Foretold start times, with every assumption that they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kueuectl import times
from kueuectl.analysis.explanation import Code
from kueuectl.analysis.forecast import Fate, Forecast, Row
from kueuectl.analysis.runtimes import Assumed, RunTime, Source
from kueuectl.report.tables import Column, Table
from kueuectl.report.views.rebalance import object_document

Block = str | Table

_MOST_NAMES = 3
_MOST_LISTED = 10
_MOST_EVENTS = 1_000

_SOURCES = {
    Source.QUEUE: "as assumed for their queue",
    Source.ALL: "as assumed for all",
    Source.OWNER: "as finished work of the same owner ran (median)",
    Source.LOCAL_QUEUE: "as finished work of the same LocalQueue ran (median)",
    Source.LIMIT: "for all of their run time limit: it may well be less",
    Source.UNKNOWN: "for ever, since nothing tells how long they run: give --assume-runtime",
}


def blocks(found: Forecast, *, now: int) -> Iterator[Block]:
    """The summary, the table, then what was assumed."""
    yield summary(found, now=now)
    if found.rows:
        yield ""
        yield table(found, now=now)
    yield ""
    yield "Assumed:"
    for line in assumptions(found):
        yield f"  {line}"
    yield from _remarks(found, now)


def summary(found: Forecast, *, now: int) -> str:
    """How many start when, in one line."""
    rows = [row for row in found.rows if row.fate is not Fate.RUNS]
    starts = [row.start for row in rows if row.start is not None]
    parts = []
    at_once = sum(start <= now for start in starts)
    if at_once:
        parts.append(f"{at_once} now")
    if len(starts) > at_once:
        parts.append(f"{len(starts) - at_once} later, the last one {_in(max(starts), now)}")
    for fate, words in (
        (Fate.UNKNOWN, "unknown"),
        (Fate.NEVER, "never as things are"),
        (Fate.NOT_QUEUED, "not in a queue that takes work"),
    ):
        count = sum(row.fate is fate for row in rows)
        if count:
            parts.append(f"{count} {words}")
    if not rows:
        return "Nothing waits."
    return f"{len(rows)} waiting: {', '.join(parts)}."


def table(found: Forecast, *, now: int) -> Table:
    """One line for each workload, by start."""
    columns = [
        Column("WORKLOAD"),
        Column("CLUSTERQUEUE"),
        Column("PRIORITY", right=True),
        Column("POSITION", right=True),
        Column("START", is_state=True),
        Column("AT"),
    ]
    if found.runs:
        columns += [Column("P10"), Column("P50"), Column("P90")]
    columns += [Column("RUNS FOR", wide=True), Column("FLAVORS", wide=True), Column("BECAUSE", is_prose=True)]
    return Table(tuple(columns), [_cells(row, found, now) for row in found.rows])


def _cells(row: Row, found: Forecast, now: int) -> tuple[str, ...]:
    spread: tuple[str, ...] = ()
    if found.runs:
        known = row.spread if row.spread is not None and row.fate in (Fate.STARTS, Fate.UNKNOWN) else None
        spread = ("", "", "") if known is None else tuple(_start_or(at, now) for at in known)
    return (
        row.workload,
        row.cluster_queue,
        str(row.priority),
        "" if row.position is None else str(row.position),
        _start(row, now),
        "" if row.start is None else times.format_time(row.start),
        *spread,
        _length(row.run_time),
        ", ".join(f"{pod_set}/{resource}={flavor}" for pod_set, resource, flavor in row.flavors),
        because(row, now=now),
    )


def _start(row: Row, now: int) -> str:
    if row.start is not None:
        return _in(row.start, now)
    return {
        Fate.RUNS: "runs",
        Fate.UNKNOWN: "unknown",
        Fate.NEVER: "never",
        Fate.NOT_QUEUED: "not queued",
    }.get(row.fate, "")


def _start_or(at: int | None, now: int) -> str:
    return "unknown" if at is None else _in(at, now)


def _in(at: int, now: int) -> str:
    return "now" if at <= now else f"in {times.format_age(at - now)}"


def because(row: Row, *, now: int) -> str:
    """What the start, or its absence, rests on."""
    if row.fate is Fate.RUNS:
        return "it holds quota" if row.verdict is not Code.CHECKS else "quota is reserved, its checks are open"
    if row.fate is Fate.UNKNOWN and not row.waits_for:
        return "had not started when the play was cut short"
    if row.fate is Fate.UNKNOWN:
        return f"waits for what may run for ever: {_names(row.waits_for)}"
    if row.fate is Fate.NEVER:
        return f"does not start as things are{f': {row.verdict}' if row.verdict is not None else ''}"
    if row.fate is Fate.NOT_QUEUED:
        return str(row.verdict) if row.verdict is not None else ""
    if not row.after:
        text = "nothing has to end before"
    else:
        count = sum(number for _, number in row.after)
        kinds = ", ".join(f"{number} {source}" for source, number in row.after)
        ends = "workloads of its tree end" if count > 1 else "workload of its tree ends"
        text = f"after {count} {ends} ({kinds})"
    if row.preempted:
        text += f"; preempted {row.preempted} {'times' if row.preempted > 1 else 'time'} afterwards"
    return text


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _length(found: RunTime) -> str:
    """The run time that counts: a range, or the middle of what was observed."""
    span = found.typical()
    if span.shortest is None:
        return "unknown"
    if found.is_spread and not found.samples and found.low is not None and found.high is not None:
        return f"{times.format_age(found.low)}..{times.format_age(found.high)}"
    return times.format_age(span.shortest)


def assumptions(found: Forecast) -> Iterator[str]:
    """Everything that the start times rest on, one sentence each."""
    yield "Nothing else arrives; quotas, priorities and queues stay as they are."
    yield "Cycles, evictions, admission checks and starting pods take no time; preempted work starts over."
    for source, count in found.sources.items():
        yield f"{count} {'run' if count > 1 else 'runs'} {_SOURCES[source]}."
    for rule in found.assumed:
        yield f"--assume-runtime {assumed_text(rule)}"
    if found.overdue:
        yield f"Run for longer than expected already, so nobody knows when they end: {_listed(found.overdue)}"
    if found.unstarted:
        yield f"Quota is reserved but checks are open, taken to start now: {_listed(found.unstarted)}"
    if found.unbounded:
        yield f"May run for ever: {_listed(found.unbounded)}"
    if found.runs:
        yield f"P10, P50 and P90 come from {found.runs} futures with drawn run times (seed {found.seed})."


def assumed_text(rule: Assumed) -> str:
    """An assumption as it is written on the command line."""
    low, high = times.format_age(rule.low), times.format_age(rule.high)
    return f"{f'{rule.queue}=' if rule.queue else ''}{low}{'' if rule.low == rule.high else f'..{high}'}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return ", ".join(names[:_MOST_LISTED]) + more


def _remarks(found: Forecast, now: int) -> Iterator[str]:
    later = [row for row in found.rows if row.late_start is not None or row.is_later_unknown]
    if later:
        yield ""
        yield "Different when parked workloads come back only after the others had their turn (requeue mode drain):"
        for row in later[:_MOST_LISTED]:
            other = "unknown" if row.late_start is None else _in(row.late_start, now)
            yield f"  {row.workload}: {_start(row, now)}, then {other}"
        if len(later) > _MOST_LISTED:
            yield f"  and {len(later) - _MOST_LISTED} more"
    if found.preempted:
        yield ""
        yield "Preempted on the way:"
        # A loop at one instant repeats them.
        events = {event: found.preempted.count(event) for event in found.preempted[:_MOST_EVENTS]}
        for event, count in list(events.items())[:_MOST_LISTED]:
            by = f" for {event.preemptor}" if event.preemptor else ""
            often = f", {count} times" if count > 1 else ""
            yield f"  {event.workload} {_in(event.at, now)}{by} ({event.reason}{often})"
        left = len(found.preempted) - sum(list(events.values())[:_MOST_LISTED])
        if left:
            yield f"  and {left} more"
    # A loop comes again at every event, until something lets its members out of it.
    for loop in {loop.members: loop for loop in reversed(found.loops)}.values():
        yield f"These preempt each other without end {_in(loop.at, now)}: {_listed(loop.members)}"
    if found.is_cut:
        yield "The play was cut short, since it took too many rounds of the scheduler: what comes after it is unknown."


def document(found: Forecast) -> dict[str, Any]:
    """A contract."""
    return {
        "apiVersion": "kueuectl/v1alpha1",
        "kind": "Forecast",
        "items": [_row_document(row) for row in found.rows],
        "assumptions": list(assumptions(found)),
        "runTimes": {source.name.lower(): count for source, count in found.sources.items()},
        "overdue": list(found.overdue),
        "unbounded": list(found.unbounded),
        "preempted": [
            {
                "workload": event.workload,
                "at": times.format_time(event.at),
                "reason": event.reason,
                "preemptor": event.preemptor,
            }
            for event in found.preempted
        ],
        "loops": [{"at": times.format_time(loop.at), "members": list(loop.members)} for loop in found.loops],
        "until": times.format_time(found.until),
        "cut": found.is_cut,
        "runs": found.runs,
        "seed": found.seed,
    }


def _row_document(row: Row) -> dict[str, Any]:
    span = row.run_time.typical().shortest
    p10, p50, p90 = row.spread or (None, None, None)
    return {
        **object_document(row.workload),
        "workload": row.workload,
        "clusterQueue": row.cluster_queue,
        "priority": row.priority,
        "position": row.position,
        "fate": row.fate.name.lower(),
        "verdict": None if row.verdict is None else str(row.verdict),
        "start": _time(row.start),
        "spread": None if row.spread is None else {"p10": _time(p10), "p50": _time(p50), "p90": _time(p90)},
        "startWithDrain": None if row.is_later_unknown else _time(row.late_start or row.start),
        "flavors": [{"podSet": ps, "resource": r, "flavor": f} for ps, r, f in row.flavors],
        "runTime": {
            "source": row.run_time.source.name.lower(),
            "seconds": None if span is None else span / times.SECOND,
        },
        "after": {source.name.lower(): count for source, count in row.after},
        "preempted": row.preempted,
        "waitsFor": list(row.waits_for),
    }


def _time(at: int | None) -> str | None:
    return None if at is None else times.format_time(at)
