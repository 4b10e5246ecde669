"""What is written into objects: patches as the API server takes them.

Patches are JSON merge patches: a field that is None in them is removed. Conditions are a list, which a merge patch
replaces as a whole, so a patch of conditions holds them all and has to be guarded by the resourceVersion they were
read at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuectl import times

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"

HOLD = "Hold"
HOLD_AND_DRAIN = "HoldAndDrain"
NONE = "None"

Item = dict[str, Any]


def stop_policy(policy: str) -> Item:
    """For a ClusterQueue or LocalQueue."""
    return {"spec": {"stopPolicy": policy}}


def active(value: bool) -> Item:
    """For a Workload: whether it may hold quota and wait for it."""
    return {"spec": {"active": value}}


def label(name: str, value: str | None) -> Item:
    """Set a label; None removes it."""
    return {"metadata": {"labels": {name: value}}}


def guarded(patch: Item, resource_version: str) -> Item:
    """The patch, refused by the server once the object was changed since that version."""
    metadata = {**patch.get("metadata", {}), "resourceVersion": resource_version}
    return {**patch, "metadata": metadata}


def conditions(item: Mapping[str, Any], changed: Mapping[str, tuple[str, str, str]], *, now: int) -> Item:
    """The status with conditions set: by type their status ("True", "False"), reason and message.

    The time of the transition moves only where the status of the condition does. Times in nanoseconds.
    """
    status = item.get("status") or {}
    generation = item.get("metadata", {}).get("generation")
    rows = [dict(row) for row in status.get("conditions") or ()]
    for kind, (value, reason, message) in changed.items():
        row = next((row for row in rows if row.get("type") == kind), None)
        if row is None:
            row = {"type": kind}
            rows.append(row)
        if row.get("status") != value:
            row["lastTransitionTime"] = times.format_time(now - now % times.SECOND)
        row |= {"status": value, "reason": reason, "message": message}
        if generation is not None:
            row["observedGeneration"] = generation
    return {"status": {"conditions": rows}}


def merged(item: Any, patch: Any) -> Any:
    """What a JSON merge patch (RFC 7386) makes of a value."""
    if not isinstance(patch, dict):
        return patch
    result = dict(item) if isinstance(item, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def is_applied(item: Item, patch: Item) -> bool:
    """Whether the object already is as the merge patch would leave it, apart from its resourceVersion."""
    wanted = dict(patch)
    if isinstance(wanted.get("metadata"), dict):
        wanted["metadata"] = {key: value for key, value in wanted["metadata"].items() if key != "resourceVersion"}
    return bool(merged(item, wanted) == item)


def holds(item: Any, wanted: Any) -> bool:
    """Whether a stored object has all that was written: what the server adds by default may stand beside it."""
    if isinstance(wanted, dict):
        return isinstance(item, dict) and all(holds(item.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(item, list)
            and len(item) == len(wanted)
            and all(holds(found, value) for found, value in zip(item, wanted, strict=True))
        )
    return bool(item == wanted) or wanted is None
