"""What a rebalanced cluster has to be like, and where it is not yet.

Goals, on a state where nothing moves any more:

1. fit: the named workload holds quota.
2. nominal: no ClusterQueue has a waiting workload that the free part of its own nominal quota could hold. In a
   StrictFIFO queue only the head counts, since nobody passes it. A workload that takes fewer pods counts with these.
3. within-quota: no node uses more than it may: a root its subtree's quota, any other that plus its borrowing limit.
4. fair: of two siblings, none has a larger share and borrows what a workload waits for below the other one, if that
   one's share would still be the smaller with the workload admitted. So shares differ by no more than one workload.

What can never be had is no gap: requests above every limit, flavors that don't match, queues that take no work.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from kueuectl.engine import checks, quota, shares
from kueuectl.engine.infos import Info
from kueuectl.engine.nominate import matches_namespace
from kueuectl.engine.quota import Node
from kueuectl.engine.simulate import Simulation
from kueuectl.engine.snapshot import QueueNode, Tree
from kueuectl.model.values import Struct

FlavorResource = tuple[str, str]


class GoalKind(StrEnum):
    """The objectives."""

    FAIR = "fair"
    NOMINAL = "nominal"
    FIT = "fit"
    WITHIN_QUOTA = "within-quota"
    DEFRAG = "defrag"


class Goal(Struct, frozen=True):
    """An objective; `workload` is the key that `fit` is about, `cohort` the part that is judged ("" is all)."""

    kind: GoalKind
    workload: str = ""
    cohort: str = ""

    @property
    def text(self) -> str:
        """As it is written on the command line."""
        return f"{self.kind}:{self.workload}" if self.workload else str(self.kind)


class Need(NamedTuple):
    """An amount of one flavor-resource that has to become free below a node ("" for the whole tree).

    `free` is what is free of it already.
    """

    flavor: str
    resource: str
    amount: int
    node: str = ""
    free: int = 0


class Gap(Struct, frozen=True):
    """One thing that is not as the goal wants it.

    `node` is the ClusterQueue or cohort that it is about. within-quota: it uses too much. nominal, fit: `workload`
    waits in it. fair: `workload` waits below it, and `other` is the sibling with the larger share; shares are precise.
    `needs` are alternatives: what would have to become free, in one flavor or another. `wants` are the flavor-resources
    that matter to it.
    """

    node: str
    workload: str = ""
    other: str = ""
    share: float = 0.0
    other_share: float = 0.0
    needs: tuple[tuple[Need, ...], ...] = ()
    wants: frozenset[FlavorResource] = frozenset()

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is about, without amounts."""
        return self.node, self.workload, self.other


def gaps(simulation: Simulation, goal: Goal) -> list[Gap]:
    """Where the goal is not reached in the present state of a simulation; leaves it as it was."""
    match goal.kind:
        case GoalKind.FIT:
            return list(_fit(simulation, goal.workload))
        case GoalKind.NOMINAL:
            return list(_nominal(simulation, goal.cohort))
        case GoalKind.WITHIN_QUOTA:
            return list(_within_quota(simulation, goal.cohort))
        case GoalKind.FAIR:
            return list(_fair(simulation, goal.cohort))
        case GoalKind.DEFRAG:
            raise ValueError("topology is not modelled")


def scope(simulation: Simulation, cohort: str) -> list[Node]:
    """The nodes that are judged: all, or a cohort and what is below it; parents first."""
    found: list[Node] = []
    snapshot = simulation.snapshot
    starts = [snapshot.cohorts[cohort]] if cohort else [tree.root for tree in snapshot.trees]
    while starts:
        node = starts.pop()
        found.append(node)
        starts += [*node.children, *node.queues]
    return found


def queues_in(simulation: Simulation, cohort: str) -> list[QueueNode]:
    """The ClusterQueues that are judged, by name."""
    found = [node for node in scope(simulation, cohort) if isinstance(node, QueueNode)]
    return sorted(found, key=lambda node: node.name)


def _fit(simulation: Simulation, key: str) -> Iterator[Gap]:
    if key in simulation.snapshot.held:
        return
    for name, pool in simulation.pools.queues.items():
        info = pool.active.get(key) or pool.inadmissible.get(key)
        if info is not None:
            ways = options(simulation, info, pool.queue)
            yield Gap(name, key, needs=_needs(ways, pool.queue), wants=_wants(ways, pool.queue.tree))
            return
    yield Gap("", key)


def _nominal(simulation: Simulation, cohort: str) -> Iterator[Gap]:
    for queue in queues_in(simulation, cohort):
        for info in contenders(simulation, queue):
            inside = _within_nominal(options(simulation, info, queue), queue)
            if inside is not None:
                yield Gap(queue.name, info.key, needs=_needs(inside, queue), wants=_wants(inside, queue.tree))


def _within_quota(simulation: Simulation, cohort: str) -> Iterator[Gap]:
    for tree in simulation.snapshot.trees:
        nodes = {id(node) for node in scope(simulation, cohort)} if cohort else None
        for node in _nodes(tree):
            if nodes is not None and id(node) not in nodes:
                continue
            needs = [Need(*tree.frs[fr], over, node.name) for fr, over in _over(node)]
            if needs:
                short = frozenset((need.flavor, need.resource) for need in needs)
                yield Gap(node.name, needs=(tuple(needs),), wants=short)


def _nodes(tree: Tree) -> list[Node]:
    found: list[Node] = [*tree.queues, *tree.cohorts.values()]
    return sorted(found, key=lambda node: (-node.depth, node.name))


def _over(node: Node) -> Iterator[tuple[int, int]]:
    """Flavor-resources of which a node uses more than it may, and how much more."""
    for fr, used in enumerate(node.usage):
        reach = node.subtree[fr]
        if node.parent is not None:
            limit = node.borrow[fr]
            if limit is None:
                continue
            reach += limit
        if used > reach:
            yield fr, used - reach


def _fair(simulation: Simulation, cohort: str) -> Iterator[Gap]:
    for parent in scope(simulation, cohort):
        members = sorted([*parent.children, *parent.queues], key=lambda node: (node.is_queue, node.name))
        if len(members) < 2:
            continue
        tree = _queues_below(parent)[0].tree if _queues_below(parent) else None
        if tree is None:
            continue
        keys = {id(member): shares.key_of(member, tree.resource_of) for member in members}
        for member in members:
            richer = [other for other in members if keys[id(other)] > keys[id(member)]]
            if richer:
                yield from _poorer(simulation, member, parent, richer=richer, tree=tree)


def _poorer(simulation: Simulation, member: Node, parent: Node, *, richer: list[Node], tree: Tree) -> Iterator[Gap]:
    """Workloads below a member that would leave it with a smaller share than a sibling that borrows what they need."""
    for queue in _queues_below(member):
        for info in contenders(simulation, queue):
            ways = options(simulation, info, queue)
            found = _unfair(ways, queue, member=member, richer=richer, tree=tree)
            if found is not None:
                other, share, other_share, option = found
                needs = _needs([option], queue, other.name)
                yield Gap(queue.name, info.key, other.name, share, other_share, needs, _wants(ways, tree))


def _unfair(
    choices: list[Option], queue: QueueNode, *, member: Node, richer: list[Node], tree: Tree
) -> tuple[Node, float, float, Option] | None:
    for option in choices:
        quota.add_all(queue, option)
        share = shares.key_of(member, tree.resource_of)
        quota.remove_all(queue, option)
        rivals = [
            (shares.key_of(other, tree.resource_of), other.name, other)
            for other in richer
            if any(other.usage[fr] > other.subtree[fr] for fr, _ in option)
        ]
        rivals = [rival for rival in rivals if rival[0] > share]
        if rivals:
            key, _, other = max(rivals, key=lambda rival: (rival[0], rival[1]))
            return other, _value(share), _value(key), option
    return None


def _value(key: tuple[int, float]) -> float:
    return float("inf") if key[0] else key[1]


def _queues_below(node: Node) -> list[QueueNode]:
    found: list[QueueNode] = []
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, QueueNode):
            found.append(here)
        waiting += [*here.children, *here.queues]
    return sorted(found, key=lambda queue: queue.name)


def contenders(simulation: Simulation, queue: QueueNode) -> list[Info]:
    """Waiting workloads of a queue that could get quota by rights, in its order; of equal ones only the first."""
    if not queue.active:
        return []
    found: list[Info] = []
    shapes: set[object] = set()
    for info in simulation.pools.queues[queue.name].ordered():
        if info.shape is not None and info.shape in shapes:
            continue
        if is_refused(simulation, info, queue):
            continue
        if not simulation.pools.may_return(info, queue):
            continue
        shapes.add(info.shape)
        found.append(info)
        if queue.is_strict:
            break
    return found


def is_refused(simulation: Simulation, info: Info, queue: QueueNode) -> bool:
    """Whether something else than quota keeps a workload out: its namespace, its checks, or what is wrong with it."""
    workload = info.workload
    if info.problems is None:
        info.problems = simulation.snapshot.reader.requests.problems(workload)
    if checks.has_retry_or_rejected(workload.checks) or info.problems:
        return True
    return not matches_namespace(simulation.snapshot, workload.namespace, queue)


Option = tuple[tuple[int, int], ...]
"""One way to place a workload: the amount of each flavor-resource that it would take."""


def options(simulation: Simulation, info: Info, queue: QueueNode) -> list[Option]:
    """Ways to place a workload that its queue could ever grant: a flavor for each pod set and resource group.

    With partial admission the fewest pods count. Empty also where no group covers what is asked for.
    """
    found: list[dict[int, int]] = [{}]
    for index, asked in enumerate(_least(info)):
        uncovered = any(amount and resource not in queue.group_of for resource, amount in asked.items())
        if uncovered and not _ignores_undeclared(simulation):
            return []
        for group in queue.groups:
            mine = {resource: amount for resource, amount in asked.items() if amount and resource in group.covered}
            if not mine:
                continue
            reasons = simulation.nominator.assigner.mismatches(info, index, group, queue=queue)
            usable = [flavor for flavor, why in zip(group.flavors, reasons, strict=True) if not why]
            taken = [{flavor.frs[resource]: amount for resource, amount in mine.items()} for flavor in usable]
            found = [_added(before, more) for before in found for more in taken][:_MOST_OPTIONS]
    possible = [way for way in found if way and all(amount <= queue.potential[fr] for fr, amount in way.items())]
    return [tuple(sorted(way.items())) for way in possible]


_MOST_OPTIONS = 64


def _added(before: dict[int, int], more: dict[int, int]) -> dict[int, int]:
    return before | {fr: before.get(fr, 0) + amount for fr, amount in more.items()}


def _ignores_undeclared(simulation: Simulation) -> bool:
    settings = simulation.settings
    return settings.quota_check_strategy == "IgnoreUndeclared" and settings.gate("QuotaCheckStrategy")


def _least(info: Info) -> Iterator[dict[str, int]]:
    """What each pod set asks for, with as few pods as it takes."""
    for asked, spec in zip(info.requests, info.workload.pod_sets, strict=False):
        if spec.min_count is not None and spec.min_count < asked.count:
            yield asked.scaled_to(spec.min_count).total
        else:
            yield asked.total


def _within_nominal(choices: list[Option], queue: QueueNode) -> list[Option] | None:
    """The ways that the free part of the queue's nominal quota holds; None without any."""
    found = [
        option for option in choices if all(queue.usage[fr] + amount <= queue.nominal[fr] for fr, amount in option)
    ]
    return found or None


def _needs(choices: list[Option], queue: QueueNode, node: str = "") -> tuple[tuple[Need, ...], ...]:
    """What is missing for each way; a way that lacks nothing is left out."""
    found = []
    for option in choices:
        short = tuple(
            Need(*queue.tree.frs[fr], amount - free, node, max(0, free))
            for fr, amount in option
            if amount > (free := quota.available(queue, fr))
        )
        if short:
            found.append(short)
    return tuple(found)


def _wants(choices: list[Option], tree: Tree) -> frozenset[FlavorResource]:
    return frozenset(tree.frs[fr] for option in choices for fr, _ in option)
