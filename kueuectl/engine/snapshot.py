"""The engine's working state: trees of queues with quota, and the workloads that hold it.

One tree for each root cohort, and one for each ClusterQueue without a cohort. Names become indexes once, here.
Everything after is do and undo on the same objects: `hold` and `release` change who holds quota for good,
`add_all` and `remove_all` of `quota` try things out. Nothing is ever copied.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Sequence

from kueuectl.engine import activeness, quota, workloads
from kueuectl.engine.infos import Info, InfoReader
from kueuectl.engine.quota import Node
from kueuectl.model.queues import ClusterQueue, Cohort, ResourceGroup
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState

FlavorResource = tuple[str, str]
_TIMESTAMP_BUFFER = 300_000_000_000


class Tree:
    """A root with everything below it, and the table of its flavor-resources."""

    __slots__ = (
        "cohorts",
        "frs",
        "index",
        "is_cyclic",
        "queues",
        "resource_of",
        "resources",
        "root",
        "version",
    )

    def __init__(self) -> None:
        self.frs: list[FlavorResource] = []
        self.index: dict[FlavorResource, int] = {}
        self.resources: list[str] = []
        self.resource_of: list[int] = []
        self.queues: list[QueueNode] = []
        self.cohorts: dict[str, Node] = {}
        self.root: Node
        # The cohorts form a cycle, which is cut at the root: nothing is admitted in it, nothing moves (KEP-79).
        self.is_cyclic = False
        # Moves with everything that is held for good, and with quota: what was found out about one version may be kept.
        self.version = 0

    def fr(self, flavor: str, resource: str) -> int:
        """The index of a flavor-resource; a new one is added to the table."""
        key = (flavor, resource)
        found = self.index.get(key)
        if found is None:
            found = self.index[key] = len(self.frs)
            self.frs.append(key)
            if resource not in self.resources:
                self.resources.append(resource)
            self.resource_of.append(self.resources.index(resource))
        return found


class FlavorOption:
    """One flavor of a resource group: its name and the flavor-resource of each covered resource."""

    __slots__ = ("frs", "name")

    def __init__(self, name: str, frs: dict[str, int]) -> None:
        self.name = name
        self.frs = frs


class Group:
    """A resource group of a ClusterQueue."""

    __slots__ = ("covered", "flavors", "spec")

    def __init__(self, spec: ResourceGroup, tree: Tree) -> None:
        self.spec = spec
        self.covered = frozenset(spec.covered_resources)
        self.flavors = [
            FlavorOption(f.name, {q.name: tree.fr(f.name, q.name) for q in f.resources}) for f in spec.flavors
        ]


class QueueNode(Node):
    """A ClusterQueue in the tree."""

    __slots__ = (
        "always_reclaims",
        "borrow_policy",
        "borrow_threshold",
        "borrows_by_preemption",
        "buffer",
        "generation",
        "group_of",
        "groups",
        "held",
        "inactive_message",
        "inactive_reason",
        "is_strict",
        "reclaim",
        "sorted_held",
        "spec",
        "tree",
        "users_of",
        "within",
    )

    def __init__(self, spec: ClusterQueue, tree: Tree, groups: list[Group]) -> None:
        super().__init__(
            spec.name, len(tree.frs), is_queue=True, weight=1.0 if spec.fair_weight is None else spec.fair_weight
        )
        self.spec = spec
        self.tree = tree
        self.groups = groups
        # The first group that covers a resource; the API allows no second one.
        self.group_of: dict[str, Group] = {r: group for group in reversed(groups) for r in group.spec.covered_resources}
        self.held: dict[str, Info] = {}
        # Held workloads in candidate order, and those of them that use a flavor-resource: made when first asked for,
        # kept in order from then on.
        self.sorted_held: list[Info] | None = None
        self.users_of: dict[int, list[Info]] = {}
        self.inactive_reason = ""
        self.inactive_message = ""
        self.is_strict = spec.queueing_strategy == "StrictFIFO"
        # Moves when quota is taken or freed for good; searches of flavors look at it (`pending`, rule 5).
        self.generation = 0
        preemption = spec.preemption
        self.within = preemption.within_cluster_queue
        self.reclaim = preemption.reclaim_within_cohort
        self.borrow_policy = preemption.borrow_within_cohort
        # Whether borrowWithinCohort is configured to do anything.
        self.borrows_by_preemption = self.borrow_policy not in (None, "Never")
        self.borrow_threshold = preemption.max_priority_threshold
        self.always_reclaims = preemption.reclaim_within_cohort == "Any"
        # How much newer (nanoseconds) a workload of equal priority has to be for LowerOrNewerEqualPriority.
        self.buffer = 0
        _set_quota(self, spec.resource_groups, tree)

    def candidates(self) -> list[Info]:
        """Held workloads in candidate order (see `Info.set_holding`)."""
        found = self.sorted_held
        if found is None:
            found = self.sorted_held = sorted(self.held.values(), key=candidate_key)
        return found

    def users(self, fr: int) -> list[Info]:
        """Held workloads that use a flavor-resource, in candidate order. Read it, never change it."""
        found = self.users_of.get(fr)
        if found is None:
            found = self.users_of[fr] = [info for info in self.candidates() if fr in info.amount_of]
        return found

    def take_in(self, info: Info) -> None:
        """One more is held. Inverse: `let_go`."""
        self.held[info.key] = info
        for infos in self._lists(info):
            insort(infos, info, key=candidate_key)

    def let_go(self, info: Info) -> None:
        """One less is held. Inverse: `take_in`."""
        del self.held[info.key]
        for infos in self._lists(info):
            del infos[bisect_left(infos, info.candidate_key, key=candidate_key)]

    def _lists(self, info: Info) -> Iterator[list[Info]]:
        """The lists that the workload is in, or belongs in."""
        if self.sorted_held is not None:
            yield self.sorted_held
        for fr in info.amount_of:
            users = self.users_of.get(fr)
            if users is not None:
                yield users


def candidate_key(info: Info) -> tuple[int, int, int, str, str]:
    """The place of a workload among candidates: see `Info.set_holding`."""
    return info.candidate_key


class Snapshot:
    """Queues, cohorts and held workloads of the trees that were asked for."""

    __slots__ = ("cohorts", "held", "queues", "reader", "settings", "state", "trees")

    def __init__(self, state: ClusterState, settings: Settings, reader: InfoReader) -> None:
        self.state = state
        self.settings = settings
        self.reader = reader
        self.trees: list[Tree] = []
        self.queues: dict[str, QueueNode] = {}
        self.cohorts: dict[str, Node] = {}
        self.held: dict[str, Info] = {}

    def hold(self, info: Info, queue: QueueNode) -> None:
        """The workload takes its usage in the queue. Inverse: `release`."""
        info.queue = queue
        queue.take_in(info)
        self.held[info.key] = info
        queue.tree.version += 1
        quota.add_all(queue, info.usage)

    def release(self, info: Info) -> None:
        """The workload gives its usage back. Inverse: `hold`."""
        queue = info.queue
        assert queue is not None
        queue.let_go(info)
        del self.held[info.key]
        queue.tree.version += 1
        quota.remove_all(queue, info.usage)


def build(
    state: ClusterState,
    settings: Settings,
    *,
    roots: Collection[str] | None = None,
    reader: InfoReader | None = None,
) -> Snapshot:
    """The snapshot of a state; with `roots`, only the trees with those root names (see `root_of`).

    A `reader` may come from a snapshot of another state that differs in queues and workloads only.
    """
    snapshot = Snapshot(state, settings, reader or InfoReader(state, settings))
    members: dict[str, list[ClusterQueue]] = {}
    cohorts: dict[str, list[str]] = {}
    found = roots_of_cohorts(state)
    for queue in sorted(state.cluster_queues.values(), key=lambda q: q.name):
        root = f"queue {queue.name}" if queue.cohort is None else found[queue.cohort]
        members.setdefault(root, []).append(queue)
    for name, root in found.items():
        members.setdefault(root, [])
        cohorts.setdefault(root, []).append(name)
    holders = _holders(snapshot, members if roots is None else {r: members[r] for r in roots if r in members})
    for root in sorted(members):
        if roots is None or root in roots:
            _build_tree(snapshot, root, members[root], names=cohorts.get(root, ()), holders=holders)
    return snapshot


def root_of(state: ClusterState, queue: ClusterQueue) -> str:
    """The name of the tree that a ClusterQueue is in: "cohort NAME", or "queue NAME" without a cohort."""
    if queue.cohort is None:
        return f"queue {queue.name}"
    return root_of_cohort(state, queue.cohort)


def root_of_cohort(state: ClusterState, name: str) -> str:
    """The name of the tree that a cohort is in."""
    return _climb(state, name, {})


def roots_of_cohorts(state: ClusterState) -> dict[str, str]:
    """The name of the tree of every cohort; among them those that a ClusterQueue or cohort only names."""
    found: dict[str, str] = {}
    for name in state.cohorts:
        _climb(state, name, found)
    for queue in state.cluster_queues.values():
        if queue.cohort is not None:
            _climb(state, queue.cohort, found)
    return found


def _climb(state: ClusterState, name: str, found: dict[str, str]) -> str:
    """The root above a cohort, noted in `found` for every cohort on the way: nothing is climbed twice.

    A cycle is cut at its first member by name, so that all of its members agree on the root.
    """
    path: dict[str, None] = {}
    at = name
    while at not in found and at not in path:
        path[at] = None
        cohort = state.cohorts.get(at)
        if cohort is None or not cohort.parent:
            found[at] = f"cohort {at}"
        else:
            at = cohort.parent
    if at not in found:
        steps = list(path)
        found[at] = f"cohort {min(steps[steps.index(at) :])}"
    root = found[at]
    found.update(dict.fromkeys(path, root))
    return root


def _holders(snapshot: Snapshot, members: dict[str, list[ClusterQueue]]) -> dict[str, list[Info]]:
    """Workloads that hold quota, by ClusterQueue, in the order of their keys."""
    wanted = {queue.name for queues in members.values() for queue in queues}
    found: dict[str, list[Info]] = {}
    for workload in snapshot.state.workloads.values():
        admission = workload.admission
        if admission is None or admission.cluster_queue not in wanted or not workloads.holds_quota(workload):
            continue
        info = snapshot.reader.read(workload)
        found.setdefault(admission.cluster_queue, []).append(info)
    return found


def _build_tree(
    snapshot: Snapshot,
    root: str,
    queues: list[ClusterQueue],
    *,
    names: Sequence[str],
    holders: dict[str, list[Info]],
) -> None:
    tree = Tree()
    groups = {queue.name: [Group(group, tree) for group in queue.resource_groups] for queue in queues}
    # With made-up ones for cohorts that are only named; by name, so that the order of the input does not matter.
    cohorts = {name: snapshot.state.cohorts.get(name) or Cohort(name) for name in sorted(names)}
    tree.is_cyclic = bool(cohorts and cohorts[root.removeprefix("cohort ")].parent)
    for cohort in cohorts.values():
        for group in cohort.resource_groups:
            Group(group, tree)
    for queue in queues:
        for info in holders.get(queue.name, ()):
            info.set_holding(
                usage_of(info, tree),
                reserved_at=workloads.reservation_time(info.workload),
                evicted=workloads.is_evicted(info.workload),
            )
    nodes = {name: _cohort_node(cohort, tree) for name, cohort in cohorts.items()}
    for name in sorted(cohorts):
        parent = cohorts[name].parent
        if parent and f"cohort {name}" != root:
            nodes[parent].children.append(nodes[name])
            nodes[name].parent = nodes[parent]
    for queue in queues:
        _add_queue(snapshot, QueueNode(queue, tree, groups[queue.name]), nodes, holders.get(queue.name, []))
    tree.cohorts = nodes
    tree.root = nodes[root.removeprefix("cohort ")] if nodes else tree.queues[0]
    resettle(tree)
    snapshot.trees.append(tree)
    snapshot.cohorts.update(nodes)


def resettle(tree: Tree) -> None:
    """Compute all that follows from nominal quotas, limits and the usage of ClusterQueues."""
    tree.version += 1
    size = len(tree.frs)
    quota.settle(tree.root, size)
    quota.settle_down(tree.root, size, resource_of=tree.resource_of, resources=len(tree.resources))


def _cohort_node(cohort: Cohort, tree: Tree) -> Node:
    weight = 1.0 if cohort.fair_weight is None else cohort.fair_weight
    node = Node(cohort.name, len(tree.frs), is_queue=False, weight=weight)
    _set_quota(node, cohort.resource_groups, tree)
    return node


def _set_quota(node: Node, groups: Iterable[ResourceGroup], tree: Tree) -> None:
    for group in groups:
        for flavor in group.flavors:
            for entry in flavor.resources:
                fr = tree.index[flavor.name, entry.name]
                node.nominal[fr] = entry.nominal
                node.borrow[fr] = entry.borrowing_limit
                node.lend[fr] = entry.lending_limit
                node.defined.append(fr)


def _add_queue(snapshot: Snapshot, node: QueueNode, cohorts: dict[str, Node], holders: list[Info]) -> None:
    status = activeness.cluster_queue(node.spec, snapshot.state, snapshot.settings)
    node.active = status.active
    if snapshot.settings.gate("SchedulerTimestampPreemptionBuffer"):
        node.buffer = _TIMESTAMP_BUFFER
    node.inactive_reason = status.reason
    node.inactive_message = status.message
    if node.tree.is_cyclic:
        node.active = False
        node.inactive_reason, node.inactive_message = "CohortCycle", "The cohorts above form a cycle"
    if node.spec.cohort is not None:
        node.parent = cohorts[node.spec.cohort]
        node.parent.queues.append(node)
    node.index = len(snapshot.queues)
    node.tree.queues.append(node)
    snapshot.queues[node.name] = node
    for info in holders:
        info.queue = node
        node.held[info.key] = info
        snapshot.held[info.key] = info
        for fr, amount in info.usage:
            node.usage[fr] += amount


def usage_of(info: Info, tree: Tree) -> tuple[tuple[int, int], ...]:
    """What a workload with flavors uses, per flavor-resource; adds to the tree's table what is not in it."""
    total: dict[int, int] = {}
    for pod_set in info.requests:
        flavors = pod_set.flavors or {}
        for resource, amount in pod_set.total.items():
            flavor = flavors.get(resource)
            if flavor is not None:
                fr = tree.fr(flavor, resource)
                total[fr] = total.get(fr, 0) + amount
    return tuple(total.items())
