"""What a plan changes at each ClusterQueue and cohort: usage, share and who waits, without and with it."""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.engine import shares
from kueuectl.engine.quota import Node
from kueuectl.engine.simulate import Simulation
from kueuectl.engine.snapshot import Tree
from kueuectl.model.values import Struct


class UsageRow(Struct, frozen=True):
    """One flavor-resource of a node; amounts. Of a cohort everything below counts, its own quota too."""

    flavor: str
    resource: str
    nominal: int
    before: int
    after: int


class NodeRow(Struct, frozen=True):
    """A node of a tree, parents first. Shares are precise, in thousandths over the weight; infinite for weight 0."""

    kind: str
    name: str
    depth: int
    usage: tuple[UsageRow, ...]
    share_before: float
    share_after: float
    waiting_before: int
    waiting_after: int

    @property
    def is_changed(self) -> bool:
        """Whether the plan makes any difference here."""
        return (
            self.share_before != self.share_after
            or self.waiting_before != self.waiting_after
            or any(row.before != row.after for row in self.usage)
        )


def rows(before: Simulation, after: Simulation) -> list[NodeRow]:
    """Every node of the trees of two simulations of one cluster."""
    found: list[NodeRow] = []
    for tree, other in zip(before.snapshot.trees, after.snapshot.trees, strict=True):
        first, second = _Side(before, tree), _Side(after, other)
        pairs = [(tree.root, other.root, 0)]
        while pairs:
            node, twin, depth = pairs.pop()
            found.append(_row(node, twin, first, second, depth=depth))
            pairs += [(*members, depth + 1) for members in reversed(list(_members(node, twin)))]
    return found


def _members(node: Node, twin: Node) -> Iterator[tuple[Node, Node]]:
    """Members of a cohort and of the same cohort in the other simulation, cohorts first, by name."""
    twins = {(child.is_queue, child.name): child for child in (*twin.children, *twin.queues)}
    for child in sorted((*node.children, *node.queues), key=lambda child: (child.is_queue, child.name)):
        yield child, twins[child.is_queue, child.name]


class _Side:
    """One of the two simulations, with sums over subtrees."""

    def __init__(self, simulation: Simulation, tree: Tree) -> None:
        self.simulation = simulation
        self.tree = tree
        self.nominal: dict[int, list[int]] = {}
        self.used: dict[int, list[int]] = {}
        self.waiting: dict[int, int] = {}
        for node in reversed(_below(tree.root)):
            self._sum(node)

    def _sum(self, node: Node) -> None:
        """The sums of a node whose members have theirs."""
        size = len(self.tree.frs)
        nominal = list(node.nominal)
        used = list(node.usage) if node.is_queue else [0] * size
        waiting = len(self.simulation.pools.queues[node.name]) if node.is_queue else 0
        for child in (*node.children, *node.queues):
            for fr in range(size):
                nominal[fr] += self.nominal[id(child)][fr]
                used[fr] += self.used[id(child)][fr]
            waiting += self.waiting[id(child)]
        self.nominal[id(node)], self.used[id(node)], self.waiting[id(node)] = nominal, used, waiting

    def amounts(self, node: Node) -> dict[tuple[str, str], tuple[int, int]]:
        """Nominal quota and usage by flavor and resource."""
        pairs = zip(self.nominal[id(node)], self.used[id(node)], strict=True)
        return {key: pair for key, pair in zip(self.tree.frs, pairs, strict=True) if pair != (0, 0)}

    def share(self, node: Node) -> float:
        """The node's share."""
        return shares.share(node, self.tree.resource_of, self.tree.resources).precise


def _below(root: Node) -> list[Node]:
    """A node and all below it, parents first."""
    found = [root]
    for node in found:
        found += [*node.children, *node.queues]
    return found


def _row(node: Node, twin: Node, first: _Side, second: _Side, *, depth: int) -> NodeRow:
    mine, theirs = first.amounts(node), second.amounts(twin)
    nothing = (0, 0)
    usage = []
    for key in sorted({*mine, *theirs}):
        (nominal, before), (other, after) = mine.get(key, nothing), theirs.get(key, nothing)
        usage.append(UsageRow(*key, nominal or other, before, after))
    return NodeRow(
        kind="ClusterQueue" if node.is_queue else "Cohort",
        name=node.name,
        depth=depth,
        usage=tuple(usage),
        share_before=first.share(node),
        share_after=second.share(twin),
        waiting_before=first.waiting[id(node)],
        waiting_after=second.waiting[id(twin)],
    )
