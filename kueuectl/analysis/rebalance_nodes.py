"""What a plan changes at each ClusterQueue and cohort: usage, share and who waits, without and with it."""

from __future__ import annotations

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
        sides = _Side(before, tree), _Side(after, other)
        _walk(tree.root, other.root, sides, depth=0, found=found)
    return found


class _Side:
    """One of the two simulations, with sums over subtrees."""

    def __init__(self, simulation: Simulation, tree: Tree) -> None:
        self.simulation = simulation
        self.tree = tree
        self.nominal: dict[int, list[int]] = {}
        self.used: dict[int, list[int]] = {}
        self.waiting: dict[int, int] = {}
        self._sum(tree.root)

    def _sum(self, node: Node) -> None:
        size = len(self.tree.frs)
        nominal = list(node.nominal)
        used = list(node.usage) if node.is_queue else [0] * size
        waiting = len(self.simulation.pools.queues[node.name]) if node.is_queue else 0
        for child in (*node.children, *node.queues):
            self._sum(child)
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


def _walk(node: Node, other: Node, sides: tuple[_Side, _Side], *, depth: int, found: list[NodeRow]) -> None:
    first, second = sides
    mine, theirs = first.amounts(node), second.amounts(other)
    nothing = (0, 0)
    usage = tuple(
        UsageRow(
            *key, mine.get(key, theirs.get(key, nothing))[0], mine.get(key, nothing)[1], theirs.get(key, nothing)[1]
        )
        for key in sorted({*mine, *theirs})
    )
    found.append(
        NodeRow(
            kind="ClusterQueue" if node.is_queue else "Cohort",
            name=node.name,
            depth=depth,
            usage=usage,
            share_before=first.share(node),
            share_after=second.share(other),
            waiting_before=first.waiting[id(node)],
            waiting_after=second.waiting[id(other)],
        )
    )
    others = {(child.is_queue, child.name): child for child in (*other.children, *other.queues)}
    for child in sorted((*node.children, *node.queues), key=lambda child: (child.is_queue, child.name)):
        _walk(child, others[child.is_queue, child.name], sides, depth=depth + 1, found=found)
