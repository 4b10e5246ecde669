"""Quota as flags spell it: `FLAVOR:RESOURCE=QUANTITY[;RESOURCE=QUANTITY]...[,FLAVOR:...]`, and its resource groups.

Rules.
 1. A flavor has one quota for each resource, whether it is named once or several times.
 2. Flavors of the same resources, in whatever order, make one resource group; its order is that of its first flavor.
 3. A resource belongs to one group, so flavors that share some of their resources but not all are refused.
 4. A limit without nominal quota has the nominal quota 0, where the flavor has no nominal quota at all; where it has
    some, a limit of another resource is taken for a slip.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kueuectl import quantity
from kueuectl.errors import QuantityError, UsageError

NOMINAL, BORROWING, LENDING = "nominalQuota", "borrowingLimit", "lendingLimit"
FLAGS = {NOMINAL: "--nominal-quota", BORROWING: "--borrowing-limit", LENDING: "--lending-limit"}
_HINT = 'write it as "FLAVOR:RESOURCE=QUANTITY;RESOURCE=QUANTITY,FLAVOR:..."'
_is_flavor = re.compile(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?").fullmatch

# Quantities by flavor and resource, in the order in which they were given.
Quotas = dict[str, dict[str, str]]
Item = dict[str, Any]


def parse(values: Sequence[str], *, flag: str) -> Quotas:
    """The quantities of a flag that may be repeated; raises UsageError with the part that is wrong."""
    found: Quotas = {}
    for part in (part.strip() for value in values for part in value.split(",")):
        if not part:
            continue
        flavor, colon, rest = part.partition(":")
        if not colon or not _is_flavor(flavor):
            raise UsageError(f"{flag}: invalid resources specification {part!r}", hint=_HINT)
        for entry in rest.split(";"):
            resource, amount = _entry(entry, part, flag)
            if resource in found.setdefault(flavor, {}):
                raise UsageError(f"{flag}: invalid flavor: {flavor} has {resource} twice")
            found[flavor][resource] = amount
    return found


def _entry(entry: str, part: str, flag: str) -> tuple[str, str]:
    resource, equals, amount = (word.strip() for word in entry.partition("="))
    if not equals or not resource or not amount:
        raise UsageError(f"{flag}: invalid resources specification {part!r}", hint=_HINT)
    try:
        nano = quantity.parse(amount)
    except QuantityError as error:
        problem = f"{flag}: invalid resource quota {amount!r} of {resource}"
        raise UsageError(problem, hint=error.problem) from None
    if nano < 0:
        raise UsageError(f"{flag}: invalid resource quota {amount!r} of {resource}: it is negative")
    return resource, amount


def groups(nominal: Sequence[str], borrowing: Sequence[str], lending: Sequence[str]) -> list[Item]:
    """`spec.resourceGroups` of the three flags; empty without any of them. Raises UsageError."""
    given = {
        field: parse(values, flag=FLAGS[field])
        for field, values in ((NOMINAL, nominal), (BORROWING, borrowing), (LENDING, lending))
    }
    resources: dict[str, list[str]] = {flavor: list(quotas) for flavor, quotas in given[NOMINAL].items()}
    for field in (BORROWING, LENDING):
        for flavor, limits in given[field].items():
            _add_limits(resources, flavor, limits, field=field, has_nominal=flavor in given[NOMINAL])
    return [
        {
            "coveredResources": covered,
            "flavors": [
                {"name": flavor, "resources": [_quota(given, flavor, resource) for resource in covered]}
                for flavor in flavors
            ],
        }
        for covered, flavors in _grouped(resources)
    ]


def _add_limits(
    resources: dict[str, list[str]], flavor: str, limits: dict[str, str], *, field: str, has_nominal: bool
) -> None:
    known = resources.setdefault(flavor, [])
    for resource in limits:
        if resource in known:
            continue
        if has_nominal:
            raise UsageError(
                f"{FLAGS[field]}: invalid flavor: {flavor} has no nominal quota of {resource}",
                hint=f"give it one, as {FLAGS[NOMINAL]} {flavor}:{resource}=0",
            )
        known.append(resource)


def _grouped(resources: dict[str, list[str]]) -> list[tuple[list[str], list[str]]]:
    """(covered resources, flavors) of each group."""
    found: list[tuple[list[str], list[str]]] = []
    for flavor, covered in resources.items():
        for others, flavors in found:
            if set(others) == set(covered):
                flavors.append(flavor)
                break
            shared = [resource for resource in covered if resource in others]
            if shared:
                raise UsageError(
                    f"invalid resource group: flavors {flavors[0]} and {flavor} share {', '.join(shared)}"
                    " but not all of their resources",
                    hint="a resource is in one group, and all flavors of a group cover the same resources",
                )
        else:
            found.append((covered, [flavor]))
    return found


def _quota(given: dict[str, Quotas], flavor: str, resource: str) -> Item:
    entry: Item = {"name": resource, NOMINAL: given[NOMINAL].get(flavor, {}).get(resource, "0")}
    for field in (BORROWING, LENDING):
        amount = given[field].get(flavor, {}).get(resource)
        if amount is not None:
            entry[field] = amount
    return entry
