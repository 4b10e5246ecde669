"""Quota and usage of every node of the cohort trees, as rows that views pick from.

Words. nominal: own quota of a ClusterQueue; of a cohort, all quota in it and below. used: by workloads of the queue, or
of all queues below. borrowed: what the node uses above the quota that it may call its own. lent: idle quota of the node
that others may be using; where several lend to one borrower it can't be told whose quota it is, so each of them may
show all of it. available: what could be used now without preemption.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from kueuectl.engine import quota, shares, snapshot
from kueuectl.engine.quota import Node
from kueuectl.engine.shares import Share
from kueuectl.engine.snapshot import Snapshot, Tree
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState


class Line(NamedTuple):
    """One flavor-resource of a node; amounts in millicores or base units, a limit of None is unlimited."""

    flavor: str
    resource: str
    nominal: int
    own: int
    used: int
    borrowed: int
    lent: int
    available: int
    borrowing_limit: int | None
    lending_limit: int | None


class NodeView(NamedTuple):
    """A ClusterQueue or cohort with what is below it; `rank` counts siblings from the lowest share, 1 is first."""

    kind: str
    name: str
    has_object: bool
    is_active: bool
    weight: float
    share: Share
    rank: int
    siblings: int
    is_root: bool
    lines: tuple[Line, ...]
    # Per resource, summed over flavors: (resource, borrowed, reachable by the members of the parent).
    borrowing: tuple[tuple[str, int, int], ...] = ()
    children: tuple[NodeView, ...] = ()

    def walk(self, depth: int = 0) -> Iterator[tuple[int, NodeView]]:
        """The node and all below it, parents first, with their depth."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)


def root_names(state: ClusterState, cohort: str) -> set[str]:
    """The roots to build so that a cohort is in the snapshot."""
    seen = {cohort}
    name = cohort
    while True:
        found = state.cohorts.get(name)
        if found is None or not found.parent or found.parent in seen:
            return {f"cohort {name}"}
        name = found.parent
        seen.add(name)


def cohort_names(state: ClusterState) -> set[str]:
    """Names of all cohorts, those that are only named by a member too."""
    named = {queue.cohort for queue in state.cluster_queues.values()}
    named |= {cohort.parent for cohort in state.cohorts.values()}
    return {*state.cohorts, *(name for name in named if name)}


def is_cohort(state: ClusterState, name: str) -> bool:
    """Whether there is such a cohort, as an object or only named by a member."""
    return name in cohort_names(state)


def views(state: ClusterState, settings: Settings, *, cohort: str | None = None) -> tuple[NodeView, ...]:
    """The trees of a state, roots by name: cohorts first, then ClusterQueues without one; or one cohort's part."""
    roots = None if cohort is None else root_names(state, cohort)
    built = snapshot.build(state, settings, roots=roots)
    if cohort is not None:
        tree = built.trees[0]
        return (_Viewer(built, tree).view(built.cohorts[cohort], is_whole=True),)
    ordered = sorted(built.trees, key=lambda tree: (tree.root.is_queue, tree.root.name))
    return tuple(_Viewer(built, tree).view(tree.root, is_whole=True) for tree in ordered)


class _Viewer:
    """Makes the views of one tree."""

    def __init__(self, built: Snapshot, tree: Tree) -> None:
        self.snapshot = built
        self.tree = tree
        self.nominal: dict[int, list[int]] = {}
        self.used: dict[int, list[int]] = {}
        self.lent: dict[int, list[int]] = {}
        self._sum(tree.root)
        self.lent[id(tree.root)] = [0] * len(tree.frs)
        self._lend(tree.root)

    def _sum(self, node: Node) -> None:
        nominal, used = list(node.nominal), [0] * len(self.tree.frs)
        if node.is_queue:
            used = list(node.usage)
        for child in (*node.children, *node.queues):
            self._sum(child)
            for fr, amount in enumerate(self.nominal[id(child)]):
                nominal[fr] += amount
            for fr, amount in enumerate(self.used[id(child)]):
                used[fr] += amount
        self.nominal[id(node)] = nominal
        self.used[id(node)] = used

    def _lend(self, node: Node) -> None:
        """What each member's idle quota may serve: borrowing of its siblings, and what the cohort lends on."""
        members = (*node.children, *node.queues)
        borrowed = [sum(_borrowed(member, fr) for member in members) for fr in range(len(self.tree.frs))]
        for member in members:
            lent = []
            for fr, total in enumerate(borrowed):
                others = total - _borrowed(member, fr) + self.lent[id(node)][fr]
                lendable = member.subtree[fr] - member.local[fr]
                idle = lendable - max(0, member.usage[fr] - member.local[fr])
                lent.append(max(0, min(idle, others)))
            self.lent[id(member)] = lent
            self._lend(member)

    def view(self, node: Node, *, is_whole: bool = False, rank: int = 1, siblings: int = 1) -> NodeView:
        """The view of a node and of all below it."""
        members = [*node.children, *node.queues]
        keys = {id(member): shares.key_of(member, self.tree.resource_of) for member in members}
        lower = sorted(keys.values())
        # Members with equal shares have the same rank.
        places = {member: 1 + bisect_left(lower, key) for member, key in keys.items()}
        return NodeView(
            kind="ClusterQueue" if node.is_queue else "Cohort",
            name=node.name,
            has_object=node.is_queue or node.name in self.snapshot.state.cohorts,
            is_active=node.active,
            weight=node.weight,
            share=shares.share(node, self.tree.resource_of, self.tree.resources),
            rank=rank,
            siblings=siblings,
            is_root=node.parent is None,
            lines=tuple(self._line(node, fr) for fr in self._shown(node)),
            borrowing=self._borrowing(node),
            children=tuple(
                self.view(member, rank=places[id(member)], siblings=len(members))
                for member in sorted(members, key=lambda member: (member.is_queue, member.name))
            ),
        )

    def _shown(self, node: Node) -> list[int]:
        used = self.used[id(node)]
        defined = set(node.defined)
        return [fr for fr in range(len(self.tree.frs)) if fr in defined or used[fr]]

    def _line(self, node: Node, fr: int) -> Line:
        flavor, resource = self.tree.frs[fr]
        return Line(
            flavor=flavor,
            resource=resource,
            nominal=self.nominal[id(node)][fr],
            own=node.nominal[fr],
            used=self.used[id(node)][fr],
            borrowed=_borrowed(node, fr) if node.parent is not None else 0,
            lent=self.lent[id(node)][fr],
            available=max(0, quota.available(node, fr)),
            borrowing_limit=node.borrow[fr],
            lending_limit=node.lend[fr],
        )

    def _borrowing(self, node: Node) -> tuple[tuple[str, int, int], ...]:
        if node.parent is None:
            return ()
        found = shares.borrowed_by_resource(node, self.tree.resource_of)
        lendable = node.parent.lendable
        return tuple(
            (self.tree.resources[index], found.get(index, 0), lendable[index])
            for index in sorted(
                {self.tree.resource_of[fr] for fr in node.defined}, key=lambda index: self.tree.resources[index]
            )
        )


def _borrowed(node: Node, fr: int) -> int:
    return max(0, node.usage[fr] - node.subtree[fr])
