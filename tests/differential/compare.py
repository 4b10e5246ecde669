"""Two runs of one cluster, side by side: Kueue's (the oracle's line) and ours (of `tests.engine_run`).

Both are brought to one shape first, `outcome`, which is also what golden data holds. Of a livelock only the first
cycles are compared: where the two stop watching does not matter.

Kueue is not deterministic everywhere: it may pick between sibling cohorts of equal share, or between heads of different
queues that are equal in priority and age. Where it gave several answers to one cluster, each of them is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Line = dict[str, Any]
LIVELOCK_CYCLES = 60


def outcome(line: Line) -> Line:
    """What counts of a line. Cycles and tables are dicts by workload or queue, without what is empty."""
    if line.get("error"):
        return {"error": line["error"]}
    end = "livelock" if line.get("livelock") else "fixpoint" if line.get("fixpoint") else "cut"
    cycles = [_filled(_cycle(cycle)) for cycle in line.get("cycles") or []]
    if end == "livelock":
        return {"end": end, "cycles": cycles[:LIVELOCK_CYCLES]}
    return {"end": end, "cycles": cycles, "final": _filled(_final(line["final"]))}


def _cycle(cycle: Line) -> Line:
    return {
        "order": cycle.get("order"),
        "admitted": {found["workload"]: _admission(found) for found in cycle.get("admitted") or ()},
        "preempted": {
            found["workload"]: [found.get("reason") or "", found.get("preemptor") or ""]
            for found in cycle.get("preempted") or ()
        },
        "pending": {
            found["workload"]: [found["message"], found["requeueReason"], found["where"]]
            for found in cycle.get("pending") or ()
        },
        "evicted": sorted(cycle.get("evicted") or ()),
        "requeued": cycle.get("requeued") or 0,
    }


def _admission(found: Line) -> list[Any]:
    pod_sets = {
        pod_set["name"]: [pod_set.get("count"), pod_set.get("flavors") or {}] for pod_set in found.get("podSets") or ()
    }
    return [found["clusterQueue"], bool(found.get("admitted")), pod_sets, found.get("usage") or {}]


def _final(final: Line) -> Line:
    usage = {queue: _filled(row) for queue, row in (final.get("usage") or {}).items()}
    return {
        "admitted": {key: _admission(found) for key, found in (final.get("admitted") or {}).items()},
        "active": final.get("active"),
        "inadmissible": final.get("inadmissible"),
        "shares": _filled(final.get("shares") or {}),
        "usage": _filled(usage),
        "inactive": {queue: found["message"] for queue, found in (final.get("inactive") or {}).items()},
        "messages": {key: found["message"] for key, found in (final.get("messages") or {}).items()},
        "turning": {key: sorted(set(map(_text, many))) for key, many in (final.get("turning") or {}).items()},
    }


def _text(found: Line | str) -> str:
    return found if isinstance(found, str) else found["message"]


def _filled(table: Line) -> Line:
    return {key: value for key, value in table.items() if value}


def differences(want: Line, got: Line) -> list[str]:
    """What differs between two outcomes, in the first cycle that does; empty when nothing does."""
    if "error" in want or "error" in got:
        return [f"error: want {want.get('error')!r} got {got.get('error')!r}"] if want != got else []
    for number, (theirs, ours) in enumerate(zip(want["cycles"], got["cycles"], strict=False), start=1):
        found = [f"cycle {number} {text}" for text in _tables(theirs, ours)]
        if found:
            return found
    if want["end"] != got["end"] or len(want["cycles"]) != len(got["cycles"]):
        ends = [f"{run['end']} after {len(run['cycles'])} cycles" for run in (want, got)]
        return [f"end: want {ends[0]} got {ends[1]}"]
    if want["end"] == "livelock":
        return []
    theirs, ours = dict(want["final"]), dict(got["final"])
    # Kueue keeps messages of what was not tried since, too, and writes some on evictions: ours are of attempts.
    messages, known = theirs.pop("messages", {}), ours.pop("messages", {})
    theirs["messages"] = {key: text for key, text in messages.items() if key in known}
    ours["messages"] = known
    return [f"final {text}" for text in _tables(theirs, ours)]


def _tables(want: Line, got: Line) -> Iterator[str]:
    for name in sorted({*want, *got}):
        theirs, ours = want.get(name), got.get(name)
        if isinstance(theirs or ours, dict):
            theirs, ours = theirs or {}, ours or {}
            for key in sorted({*theirs, *ours}):
                if theirs.get(key) != ours.get(key):
                    yield f"{name} {key}: want {theirs.get(key)} got {ours.get(key)}"
        elif theirs != ours and (theirs or ours):
            yield f"{name}: want {theirs} got {ours}"


def against(wanted: Sequence[Line], got: Line) -> list[str]:
    """What differs from the nearest of several right outcomes; empty when one of them is met."""
    best: list[str] | None = None
    for want in wanted:
        found = differences(want, got)
        if not found:
            return []
        if best is None or _reach(found) > _reach(best):
            best = found
    return best or []


def _reach(found: list[str]) -> float:
    """How far two runs went together."""
    words = found[0].split()
    return int(words[1]) if words[0] == "cycle" else float("inf")
