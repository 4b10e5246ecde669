"""Dominant resource shares: how much a node borrows, compared with what could be lent to it.

Rule (KEP-1714, "Share value function and weights"): per resource, what the node uses above its subtree's quota, summed
over flavors, in thousandths of what the members of its parent can reach together; the largest of these, over the
node's weight. A node without parent borrows from nobody and has share 0.

Shares are kept unrounded inside, since rounding makes very different shares equal; Kueue reports them rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from kueuectl.engine.quota import Node

INT64_MAX = 2**63 - 1


class Share(NamedTuple):
    """A node's share. `ratio` is in thousandths, before the weight; `resource` is the dominant one, "" for none."""

    ratio: float
    weight: float
    resource: str = ""

    @property
    def precise(self) -> float:
        """Thousandths over the weight; infinite with weight 0 and any borrowing."""
        if self.ratio == 0.0:
            return 0.0
        if self.weight == 0.0:
            return math.inf
        return self.ratio / self.weight

    @property
    def rounded(self) -> int:
        """As Kueue reports it: rounded up; the largest 64-bit integer for infinite."""
        value = self.precise
        if value >= INT64_MAX:
            return INT64_MAX
        return math.ceil(value)

    @property
    def key(self) -> tuple[int, float]:
        """Order of shares: borrowers of weight 0 come after all others, among themselves by ratio."""
        if self.ratio == 0.0:
            return (0, 0.0)
        if self.weight == 0.0:
            return (1, self.ratio)
        return (0, self.ratio / self.weight)


def key_of(node: Node, resource_of: list[int]) -> tuple[int, float]:
    """The order key of a node's share with its present usage: `share(...).key` without the names, for hot loops."""
    terms = node.share_terms
    if terms is None:
        terms = node.share_terms = _terms(node, resource_of)
    usage = node.usage
    best = 0.0
    for reach, quotas in terms:
        borrowed = 0
        for fr, quota in quotas:
            used = usage[fr]
            if used > quota:
                borrowed += used - quota
        if borrowed:
            ratio = borrowed * 1000.0 / reach
            if ratio > best:
                best = ratio
    if best == 0.0:
        return (0, 0.0)
    if node.weight == 0.0:
        return (1, best)
    return (0, best / node.weight)


def key_without(node: Node, usage: Iterable[tuple[int, int]], resource_of: list[int]) -> tuple[int, float]:
    """The order key of a ClusterQueue's share if it used that much less."""
    used = node.usage
    for fr, amount in usage:
        used[fr] -= amount
    found = key_of(node, resource_of)
    for fr, amount in usage:
        used[fr] += amount
    return found


def _terms(node: Node, resource_of: list[int]) -> list[tuple[int, list[tuple[int, int]]]]:
    """Per resource that could be borrowed: what the parent's members can reach, and the quota of each flavor."""
    if node.parent is None:
        return []
    by_resource: dict[int, list[tuple[int, int]]] = {}
    for fr in node.defined:
        by_resource.setdefault(resource_of[fr], []).append((fr, node.subtree[fr]))
    lendable = node.parent.lendable
    return [(lendable[resource], quotas) for resource, quotas in by_resource.items() if lendable[resource] > 0]


def borrowed_by_resource(node: Node, resource_of: list[int]) -> dict[int, int]:
    """What the node uses above its subtree's quota, per resource index, summed over flavors."""
    borrowed: dict[int, int] = {}
    for fr in node.defined:
        over = node.usage[fr] - node.subtree[fr]
        if over > 0:
            borrowed[resource_of[fr]] = borrowed.get(resource_of[fr], 0) + over
    return borrowed


def share(node: Node, resource_of: list[int], resources: list[str]) -> Share:
    """The share of a node with its present usage."""
    parent = node.parent
    if parent is None:
        return Share(0.0, node.weight)
    best, name = 0.0, ""
    for resource, amount in borrowed_by_resource(node, resource_of).items():
        reach = parent.lendable[resource]
        if reach <= 0:
            continue
        ratio = amount * 1000.0 / reach
        # Between equal ratios the name decides, so that the answer does not depend on the order of flavors.
        if ratio > best or (ratio == best and name and resources[resource] < name):
            best, name = ratio, resources[resource]
    return Share(best, node.weight, name)
