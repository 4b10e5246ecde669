"""Quota and usage in the tree of cohorts.

Rules (KEP-79, hierarchical cohorts; KEP-1224, lending limits), for one flavor and resource of a node:

1. subtree: own nominal quota plus, of each child, what it may lend: min(subtree, lending limit).
2. local: the part of the subtree that nobody outside may use: max(0, subtree - lending limit), 0 without a limit.
3. usage: of a ClusterQueue, of its workloads; of a cohort, what its children use beyond their local part.
4. available: the free local part plus what the parent has available, capped by the borrowing limit. May be negative
   when a quota was lowered below its usage; a ClusterQueue reports it clipped at zero.
5. potential: the same with nothing in use.

All amounts are ints (millicores for cpu, base units for the rest), addressed by the index of their flavor-resource in
the tree's table. Lists by index instead of dicts by name: a third of the time, measured over a whole fixpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Usage = Sequence[tuple[int, int]]
"""Pairs of flavor-resource index and amount."""


class Node:
    """A ClusterQueue or a cohort in the tree. Engine scratch: built by `snapshot`, mutated in place."""

    __slots__ = (
        "active",
        "borrow",
        "children",
        "defined",
        "depth",
        "height",
        "index",
        "is_queue",
        "lend",
        "lendable",
        "local",
        "name",
        "nominal",
        "parent",
        "path",
        "potential",
        "queues",
        "share_terms",
        "subtree",
        "usage",
        "weight",
    )

    def __init__(self, name: str, size: int, *, is_queue: bool, weight: float = 1.0) -> None:
        self.name = name
        self.is_queue = is_queue
        self.weight = weight
        # False for a ClusterQueue that can't admit: it still lends, and nobody may preempt in it.
        self.active = True
        self.index = -1
        self.parent: Node | None = None
        # Cohorts below this one, and ClusterQueues directly in it; sorted by name.
        self.children: list[Node] = []
        self.queues: list[Node] = []
        # This node's ancestors from its parent to the root.
        self.path: tuple[Node, ...] = ()
        self.height = 0
        self.depth = 0
        self.nominal = [0] * size
        self.borrow: list[int | None] = [None] * size
        self.lend: list[int | None] = [None] * size
        self.subtree = [0] * size
        self.local = [0] * size
        self.usage = [0] * size
        self.potential = [0] * size
        # What a share is made of, see `shares`; None until it is asked for.
        self.share_terms: list[tuple[int, list[tuple[int, int]]]] | None = None
        # Per resource index: the capacity that members of this cohort can reach, over all flavors.
        self.lendable: list[int] = []
        # Flavor-resources that have quota in this node or below, in index order.
        self.defined: list[int] = []

    def __repr__(self) -> str:
        return f"<{'queue' if self.is_queue else 'cohort'} {self.name}>"


def settle(root: Node, size: int) -> None:
    """Compute subtree, local, usage of cohorts and height, bottom up; ClusterQueues bring nominal and usage."""
    for node in reversed(_below(root)):
        _settle_one(node, size)


def _below(root: Node) -> list[Node]:
    """A node and all below it, parents first. A list: trees may be deeper than Python calls."""
    found = [root]
    for node in found:
        found += node.children
        found += node.queues
    return found


def _settle_one(node: Node, size: int) -> None:
    """One node, after those below it."""
    defined = {*node.defined, *(fr for fr, amount in enumerate(node.nominal) if amount)}
    subtree = list(node.nominal)
    height = 1 if node.children or any(queue.active for queue in node.queues) else 0
    if not node.is_queue:
        node.usage = [0] * size
    for child in (*node.children, *node.queues):
        defined.update(child.defined)
        for fr in range(size):
            subtree[fr] += child.subtree[fr] - child.local[fr]
            over = child.usage[fr] - child.local[fr]
            if over > 0:
                node.usage[fr] += over
    for child in node.children:
        height = max(height, child.height + 1)
    node.subtree = subtree
    node.height = 0 if node.is_queue else height
    node.defined = sorted(defined)
    node.local = [
        max(0, total - limit) if limit is not None else 0 for total, limit in zip(subtree, node.lend, strict=True)
    ]


def settle_down(root: Node, size: int, *, resource_of: Sequence[int], resources: int) -> None:
    """Compute what depends on the ancestors: path, depth, potential and lendable capacity, top down."""
    for node in _below(root):
        _settle_below(node, size, resource_of=resource_of, resources=resources)


def _settle_below(node: Node, size: int, *, resource_of: Sequence[int], resources: int) -> None:
    """One node, after those above it."""
    parent = node.parent
    if parent is None:
        node.potential = list(node.subtree)
    else:
        node.path = (parent, *parent.path)
        node.depth = parent.depth + 1
        for fr in range(size):
            reach = node.local[fr] + parent.potential[fr]
            limit = node.borrow[fr]
            if limit is not None:
                reach = min(reach, node.subtree[fr] + limit)
            node.potential[fr] = reach
    node.share_terms = None
    if not node.is_queue:
        root = node.path[-1] if node.path else node
        node.lendable = [0] * resources
        for fr in root.defined:
            node.lendable[resource_of[fr]] += node.potential[fr]


def available(node: Node, fr: int) -> int:
    """What the node can still use: own and borrowed; negative when it is over-admitted."""
    parent = node.parent
    if parent is None:
        return node.subtree[fr] - node.usage[fr]
    # Most trees have one level: this saves half of the calls.
    above = parent.subtree[fr] - parent.usage[fr] if parent.parent is None else available(parent, fr)
    usage = node.usage[fr]
    local = node.local[fr]
    free = local - usage
    limit = node.borrow[fr]
    if limit is not None:
        cap = node.subtree[fr] - local + limit
        if free < 0:
            cap += free
        if cap < above:
            above = cap
    return above + free if free > 0 else above


def local_available(node: Node, fr: int) -> int:
    """The free part of what only this node may use."""
    free = node.local[fr] - node.usage[fr]
    return free if free > 0 else 0


def add_usage(node: Node, fr: int, amount: int) -> None:
    """Add usage; what the local part does not hold goes up to the parent. Inverse: `remove_usage`."""
    here: Node | None = node
    while here is not None:
        used = here.usage[fr]
        free = here.local[fr] - used
        here.usage[fr] = used + amount
        if free > 0:
            amount -= free
            if amount <= 0:
                return
        here = here.parent


def remove_usage(node: Node, fr: int, amount: int) -> None:
    """Take usage away; the parent gets back what it held of it. Inverse: `add_usage`.

    Less than none (a slice that asks for less than the one that it replaces) undoes just what adding it did, as long as
    nothing else was added since.
    """
    here: Node | None = node
    if amount < 0:
        while here is not None:
            here.usage[fr] -= amount
            if here.usage[fr] < here.local[fr]:
                return
            here = here.parent
        return
    while here is not None:
        used = here.usage[fr]
        stored = used - here.local[fr]
        here.usage[fr] = used - amount
        if stored <= 0:
            return
        if stored < amount:
            amount = stored
        here = here.parent


def add_all(node: Node, usage: Usage) -> None:
    """Add every amount of a usage."""
    for fr, amount in usage:
        add_usage(node, fr, amount)


def remove_all(node: Node, usage: Usage) -> None:
    """Take every amount of a usage away."""
    for fr, amount in usage:
        remove_usage(node, fr, amount)


def fits(node: Node, usage: Usage) -> bool:
    """Whether all amounts are available at once (they are of different flavor-resources); nothing always is."""
    return all(amount <= 0 or available(node, fr) >= amount for fr, amount in usage)


def is_borrowing_with(node: Node, fr: int, amount: int) -> bool:
    """Whether the node would use more than its subtree's quota with that amount added."""
    return node.usage[fr] + amount > node.subtree[fr]


def is_within_nominal(node: Node, frs: Iterable[int]) -> bool:
    """Whether the node uses no more than its subtree's quota, in each of the flavor-resources."""
    usage, subtree = node.usage, node.subtree
    for fr in frs:  # noqa: SIM110 -- a generator takes three times as long, and searches for victims ask this most
        if usage[fr] > subtree[fr]:
            return False
    return True


def borrowing_height(node: Node, fr: int, amount: int) -> tuple[int, bool]:
    """How high in the tree an amount has to come from, and whether it may be reclaimed below the root.

    Height 0 is the ClusterQueue itself. The second value says whether the lowest subtree that holds the amount
    within its quota is a proper part of the tree, so that the amount can be claimed from those outside of it.
    """
    if node.usage[fr] + amount <= node.subtree[fr] or node.parent is None:
        return 0, node.parent is not None
    remaining = amount - local_available(node, fr)
    for cohort in node.path:
        if cohort.usage[fr] + remaining <= cohort.subtree[fr]:
            return cohort.height, cohort.parent is not None
        remaining -= local_available(cohort, fr)
    return node.path[-1].height, False
