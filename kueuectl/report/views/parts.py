"""Cells that several views need: ages, labels, amounts, yes and no."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kueuectl import quantity, times
from kueuectl.model.conditions import Condition, find
from kueuectl.model.selectors import Labels

UNKNOWN = "<unknown>"
NONE = "<none>"


def age(creation: int | None, now: int) -> str:
    """How long ago a time was, as kubectl prints ages."""
    return UNKNOWN if creation is None else times.format_age(max(0, now - creation))


def labels(pairs: Labels) -> str:
    """Labels as key=value, separated by commas."""
    return ", ".join(f"{key}={value}" for key, value in pairs)


def amounts(pairs: Iterable[tuple[str, int]]) -> str:
    """Amounts as resource=quantity, separated by commas."""
    return ",".join(f"{resource}={quantity.format_amount(resource, amount)}" for resource, amount in pairs)


def summed(parts: Iterable[Iterable[tuple[str, int]]]) -> tuple[tuple[str, int], ...]:
    """The sum of several lists of amounts, sorted by resource."""
    total: dict[str, int] = {}
    for part in parts:
        for resource, amount in part:
            total[resource] = total.get(resource, 0) + amount
    return tuple(sorted(total.items()))


def flag(value: bool) -> str:
    """true or false."""
    return "true" if value else "false"


def status_of(conditions: tuple[Condition, ...], kind: str) -> str:
    """true, false or <unknown> for a condition that is missing."""
    found = find(conditions, kind)
    return UNKNOWN if found is None else flag(found.status == "True")


def labels_of(item: Mapping[str, object]) -> dict[str, str]:
    """The labels of a raw object; anything that isn't a text is left out."""
    metadata = item.get("metadata")
    found = metadata.get("labels") if isinstance(metadata, dict) else None
    if not isinstance(found, dict):
        return {}
    return {key: value for key, value in found.items() if isinstance(key, str) and isinstance(value, str)}


def flavors(found: Iterable[tuple[str, str, str]]) -> str:
    """(pod set, resource, flavor) in short: one name where all are alike, else resource by resource, with pod sets
    where they matter."""
    rows = list(found)
    names = {flavor for _, _, flavor in rows}
    if len(names) <= 1:
        return "".join(names)
    by_resource = {(resource, flavor) for _, resource, flavor in rows}
    if len(by_resource) == len({resource for resource, _ in by_resource}):
        return ",".join(f"{resource}={flavor}" for resource, flavor in sorted(by_resource))
    return ",".join(f"{pod_set}/{resource}={flavor}" for pod_set, resource, flavor in rows)
